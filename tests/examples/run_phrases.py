# SPDX-License-Identifier: Apache-2.0
"""examples/phrases.sh on its own corpus: every step runs, and the training set is what the steps before it say.

  run_phrases.py ROOT ALCORE"""
import os
import subprocess
import sys
import tempfile

root, alcore = sys.argv[1:]
faults = []


def table(path):
    with open(path, encoding="utf-8") as file:
        names, *lines = [line.rstrip("\n").split("\t") for line in file]
    return [dict(zip(names, line)) for line in lines]


def check(number, title, right, detail=""):
    print("%s %d - %s" % ("ok" if right else "not ok", number, title))
    if not right:
        faults.append(title)
        print("# " + str(detail)[-2000:].replace("\n", "\n# "))


print("1..5")
with tempfile.TemporaryDirectory() as folder:
    env = dict(os.environ, ALCORE=alcore, ALCORE_SHARED_DATA="")
    done = subprocess.run(["sh", os.path.join(root, "examples", "phrases.sh"), folder], capture_output=True, text=True, env=env)
    check(1, "every step runs", done.returncode == 0, done.stdout + done.stderr)
    if done.returncode == 0:
        answers, pairs = table(os.path.join(folder, "answers.tsv")), table(os.path.join(folder, "train.tsv"))
        kinds = [pair["kind"] for pair in pairs]
        translated = [answer for answer in answers if answer["flags"] != "untranslatable"]
        check(2, "all that was translated is in the training set",
              sorted(answer["text"] for answer in translated) ==
              sorted(pair["src"] for pair in pairs if pair["kind"] in ("sent", "phrase")), done.stderr)
        phrases = kinds.count("phrase")
        check(3, "there are sentences and phrases, and as many retrieved and switched pairs",
              "sent" in kinds and phrases > 20 and kinds.count("retrieved") >= phrases // 2 <= kinds.count("switched"), done.stderr)
        sources = {answer["text"] for answer in translated}
        check(4, "a switched pair has an annotated phrase",
              all(any(" %s " % text in " %s " % pair["src"] for text in sources) for pair in pairs if pair["kind"] == "switched"))
        lines = [open(os.path.join(folder, "train." + side), encoding="utf-8").read().splitlines() for side in ("src", "tgt")]
        check(5, "the parallel texts have the pairs in order",
              lines == [[pair["src"] for pair in pairs], [pair["tgt"] for pair in pairs]])
sys.exit(bool(faults))
