# SPDX-License-Identifier: Apache-2.0
"""examples/phrases.sh on its own corpus, 1,863 pairs of everyday sentences and 245 sentences of law (examples/data/ATTRIBUTION.md):
every step of three rounds runs, each file is what the files before it say, and a script that was killed ends with the same files. With
$ALCORE_TEST_FULL it runs on the corpora in ../shared/data (or $ALCORE_SHARED_DATA) too, where they are.

  run_phrases.py ROOT ALCORE"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from scripts import Report, Script, difference, table, tree  # noqa: E402

root, alcore = sys.argv[1:]
full = os.environ.get("ALCORE_TEST_FULL")
data = os.environ.get("ALCORE_SHARED_DATA") or os.path.join(root, os.pardir, "shared", "data")
CHECKS = 14  # of check_rounds()
report = Report(CHECKS + 1 + (CHECKS if full else 0))
script = Script(root, alcore, "phrases.sh", TRAIN="wc -l <train.src >model")


def lines_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read().split("\n")[:-1]


def check_models(whole, prefix, labeled):
    """The language model has the n-grams that its header counts and all words of U; the links are of words that the pairs of L have."""
    words = {word for line in lines_of(whole, "pool.en") for word in line.split()} | {"<s>", "</s>", "<unk>"}
    counts, found, order = {}, {}, 0
    for line in lines_of(whole, "pool.arpa"):
        if line.startswith("ngram "):
            order_of_line, count = line[len("ngram "):].split("=")
            counts[int(order_of_line)] = int(count)
        elif line.endswith("-grams:"):
            order = int(line[1:line.index("-")])
        elif "\t" in line and not line.startswith("#"):
            found.setdefault(order, []).append(line.split("\t")[1])
    report.check(prefix + "the language model has the words of the domain and as many n-grams as it says",
                 len(counts) == 4 and counts == {order: len(set(ngrams)) for order, ngrams in found.items()} and set(found[1]) == words,
                 counts)
    links = [[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines_of(whole, "labeled.links")]
    report.check(prefix + "there are links for each labeled pair, of words that it has",
                 len(links) == len(labeled) and sum(map(bool, links)) > len(labeled) * 9 // 10 and
                 all(0 <= i < len(source.split()) and 0 <= j < len(target.split())
                     for one, (source, target) in zip(links, labeled) for i, j in one))


def comes_from(pair, labeled, pool, items, answers):
    """Whether a pair is what its provenance says."""
    origin = {name: value for name, value in (part.split("=") for part in pair["provenance"].split())}
    number = {name: int(value) for name, value in origin.items() if name != "score"}
    if pair["kind"] == "retrieved":
        return (pair["src"], pair["tgt"]) == labeled[number["labeled_row"]]
    item, answer = items[number["item"]], answers[number["item"]]
    if pair["kind"] in ("sent", "phrase"):
        return (pair["src"], pair["tgt"]) == (item["text"], answer["translation"]) and \
            " %s " % item["text"] in " %s " % pool[number["pool_row"]]
    source, target = (side.split() for side in labeled[number["labeled_row"]])
    words, phrase = pair["src"].split(), item["text"].split()
    first = number["word"]
    behind = len(source) - (len(words) - first - len(phrase))  # first word behind those that the phrase replaces
    return words == source[:first] + phrase + source[behind:] and first < behind and \
        pair["tgt"].split() == target[:number["target_first"]] + answer["translation"].split() + target[number["target_end"]:]


def check_rounds(whole, prefix="", **settings):
    """Runs the script, and checks what it left of its three rounds in the folder."""
    done = script.run(whole, **settings)
    report.check(prefix + "every step runs", done.returncode == 0, done.stdout + done.stderr)
    rounds = [os.path.join(whole, "round-%02d" % number) for number in (1, 2, 3)]
    picks = [table(os.path.join(place, "selection.tsv")) for place in rounds]
    answers = [line for place in rounds for line in table(os.path.join(place, "answers.tsv"))]
    pairs = table(os.path.join(rounds[-1], "train.tsv"))
    pool = lines_of(whole, "pool.en")
    labeled = list(zip(lines_of(whole, "labeled.en"), lines_of(whole, "labeled.de")))
    items = [pick for one in picks for pick in one]
    check_models(whole, prefix, labeled)
    requests = [line for place in rounds for line in table(os.path.join(place, "requests.tsv"))]
    report.check(prefix + "each item is requested at its cost",
                 [(line["req_id"], line["text"], float(line["cost"]), line["kind"]) for line in requests] ==
                 [(pick["id"], pick["text"], float(pick["cost"]), pick["kind"].replace("sentence", "sent")) for pick in items])
    report.check(prefix + "each item has an answer, with a translation or without one",
                 [(answer["id"], answer["text"]) for answer in answers] == [(pick["id"], pick["text"]) for pick in items] and
                 all((answer["flags"] == "untranslatable") == (answer["translation"] == "") for answer in answers))
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
    report.check(prefix + "each pair is what its provenance says",
                 all(comes_from(pair, labeled, pool, items, answers) for pair in pairs),
                 [pair for pair in pairs if not comes_from(pair, labeled, pool, items, answers)][:3])
    counts = [kinds.count(kind) for kind in ("sent", "phrase", "retrieved", "switched")]
    report.check(prefix + "the counts of the kinds and of the answers add up",
                 sum(counts) == len(pairs) and counts[0] + counts[1] == len(translated) and
                 counts[0] == sum(pick["kind"] == "sentence" for pick in items), counts)
    phrases = kinds.count("phrase")
    report.check(prefix + "there are sentences and phrases, and as many retrieved and switched pairs",
                 "sent" in kinds and phrases > 60 and kinds.count("retrieved") >= phrases // 2 <= kinds.count("switched"), done.stderr)
    sources = {answer["text"] for answer in translated}
    report.check(prefix + "a switched pair has an annotated phrase",
                 all(any(" %s " % text in " %s " % pair["src"] for text in sources) for pair in pairs if pair["kind"] == "switched"))
    lines = [lines_of(rounds[-1], "train." + side) for side in ("src", "tgt")]
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
