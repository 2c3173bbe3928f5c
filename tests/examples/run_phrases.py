# SPDX-License-Identifier: Apache-2.0
"""examples/phrases.sh on its own corpus: every step of three rounds runs, the training set is what the steps before it say, and a
script that was killed ends with the same files. With $ALCORE_TEST_FULL it runs on the corpora in ../shared/data (or
$ALCORE_SHARED_DATA) too, where they are.

  run_phrases.py ROOT ALCORE"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from scripts import Report, Script, difference, table, tree  # noqa: E402

root, alcore = sys.argv[1:]
full = os.environ.get("ALCORE_TEST_FULL")
data = os.environ.get("ALCORE_SHARED_DATA") or os.path.join(root, os.pardir, "shared", "data")
CHECKS = 8  # of check_rounds()
report = Report(CHECKS + 1 + (CHECKS if full else 0))
script = Script(root, alcore, "phrases.sh", TRAIN="wc -l <train.src >model")


def check_rounds(whole, prefix="", **settings):
    """Runs the script, and checks what it left of its three rounds in the folder."""
    done = script.run(whole, **settings)
    report.check(prefix + "every step runs", done.returncode == 0, done.stdout + done.stderr)
    rounds = [os.path.join(whole, "round-%02d" % number) for number in (1, 2, 3)]
    picks = [table(os.path.join(place, "selection.tsv")) for place in rounds]
    answers = [line for place in rounds for line in table(os.path.join(place, "answers.tsv"))]
    pairs = table(os.path.join(rounds[-1], "train.tsv"))
    kinds = [pair["kind"] for pair in pairs]
    report.check(prefix + "each round buys sentences and phrases for its words",
                 all({pick["kind"] for pick in one} == {"sentence", "phrase"} and
                     300 <= sum(float(pick["cost"]) for pick in one) < 360 for one in picks), done.stderr)
    texts = [pick["text"] for one in picks for pick in one]
    report.check(prefix + "nothing is bought twice", len(texts) == len(set(texts)), sorted(texts))
    translated = [answer for answer in answers if answer["flags"] != "untranslatable"]
    report.check(prefix + "all that was translated in any round is in the training set",
                 sorted(answer["text"] for answer in translated) ==
                 sorted(pair["src"] for pair in pairs if pair["kind"] in ("sent", "phrase")), done.stderr)
    phrases = kinds.count("phrase")
    report.check(prefix + "there are sentences and phrases, and as many retrieved and switched pairs",
                 "sent" in kinds and phrases > 60 and kinds.count("retrieved") >= phrases // 2 <= kinds.count("switched"), done.stderr)
    sources = {answer["text"] for answer in translated}
    report.check(prefix + "a switched pair has an annotated phrase",
                 all(any(" %s " % text in " %s " % pair["src"] for text in sources) for pair in pairs if pair["kind"] == "switched"))
    lines = [open(os.path.join(rounds[-1], "train." + side), encoding="utf-8").read().splitlines()
             for side in ("src", "tgt")]
    report.check(prefix + "the parallel texts have the pairs in order",
                 lines == [[pair["src"] for pair in pairs], [pair["tgt"] for pair in pairs]])
    sizes = [int(open(os.path.join(place, "model")).read()) for place in rounds]
    report.check(prefix + "the trainer was given the training set of each round",
                 sizes == sorted(sizes) and sizes[-1] == len(pairs) and sizes[0] < sizes[1], sizes)


with tempfile.TemporaryDirectory() as folder:
    whole, killed = os.path.join(folder, "whole"), os.path.join(folder, "killed")
    check_rounds(whole)
    kills, code = script.run_killed(killed, 3)
    found, wanted = tree(killed), tree(whole)
    report.check("killed %d times it ends with the same files" % kills,
                 kills > 1 and code == 0 and difference(found, wanted) == [], (kills, code, difference(found, wanted)))
# The full tier: the corpora of the papers' size, 63,884 pairs of general text and 14,050 sentences
# of law.
if full and os.path.exists(os.path.join(data, "en-de", "law.tsv.xz")):
    with tempfile.TemporaryDirectory() as folder:
        check_rounds(os.path.join(folder, "shared"), "shared data: ", timeout=1000, ALCORE_SHARED_DATA=os.path.abspath(data))
elif full:
    for number in range(CHECKS):
        report.skip("shared data: check %d" % (number + 1), "no ../shared/data beside the project")
sys.exit(bool(report.faults))
