# SPDX-License-Identifier: Apache-2.0
"""examples/experiments/classify_tuned.py with a small BERT: what is learned, which probabilities margin reads, and that a training that is
there is not made again. In TAP.

  test_classify_tuned.py ROOT"""
import os
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile

import numpy

root, = sys.argv[1:]
sys.path[:0] = [os.path.join(root, "examples", "experiments"), os.path.join(root, "tests", "examples")]
import classify_tuned  # noqa: E402
from scripts import Report  # noqa: E402

# The vocabulary has the 60 tokens that the model of the fixtures was made for.
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + list(string.ascii_lowercase) + ["##" + letter for letter in string.ascii_lowercase] + list("0123")
CLASSES = {"first": "ab", "second": "mn", "third": "yz"}
RATE = 0.01  # so small a model needs a larger one
COUNTS, RUNS, POOL, TEST = (12, 24), 2, 40, 20
STRATEGIES = ["random", "margin", "kcenter!"]
report = Report(8)


def accuracies(output):
    """{strategy: [linear, fine-tuned after the first round, after the second]}"""
    rows = re.findall(r"^\| `(\S+)` \|((?: \d+\.\d \| \d+\.\d \| [+-]\d+\.\d ± \d+\.\d \|){2})$", output, re.M)
    return {name: [float(cell) for cell in re.findall(r" (\d+\.\d) (?=\|)", re.sub("±[^|]*", "", cells))] for name, cells in rows}


def gains(output):
    """{strategy: how much the encoder is above random draws after the last round}"""
    return {name: float(gain) for name, gain in re.findall(r"^\| `(\S+)` \|.* ([+-]\d+\.\d) ± \d+\.\d \|$", output, re.M)}


with tempfile.TemporaryDirectory() as folder:
    encoder, states, table = (os.path.join(folder, name) for name in ("encoder", "states", "task.tsv"))
    shutil.copytree(os.path.join(root, "tests", "torch", "fixtures", "bert"), encoder, ignore=shutil.ignore_patterns("expected*"))
    with open(os.path.join(encoder, "vocab.txt"), "w", encoding="utf-8") as file:
        file.writelines(token + "\n" for token in TOKENS)
    draw = random.Random(1)
    with open(table, "w", encoding="utf-8") as file:
        file.write("split\tlabel\ttext\n")
        for name, letters in CLASSES.items():
            # Words of eight letters, no two alike.
            words = [format(number, "08b").translate({48: letters[0], 49: letters[1]}) for number in draw.sample(range(256), POOL + TEST)]
            file.writelines("%s\t%s\t%s\n" % ("test" if row < TEST else "train", name, word) for row, word in enumerate(words))

    def run(*strategies):
        command = "import classify_tuned; classify_tuned.RATE = %r; classify_tuned.main()" % RATE
        return subprocess.run([sys.executable, "-c", command, table, encoder, states, *strategies, "--labels", "%d,%d" % COUNTS, "--runs", str(RUNS)],
                              capture_output=True, text=True, timeout=200, env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))

    wrong = run("margins!")
    report.check("an unknown strategy is named before anything is made", wrong.returncode != 0 and "did you mean margin?" in wrong.stderr and
                 not os.path.exists(states), wrong.stderr)
    done = run(*STRATEGIES[1:])
    said, found = done.stdout + done.stderr[-500:], accuracies(done.stdout)
    report.check("each strategy has a line", done.returncode == 0 and list(found) == STRATEGIES and
                 "%d texts, %d of test, 3 classes, %d runs" % (3 * POOL, 3 * TEST, RUNS) in done.stdout, said)
    report.check("the last column is the difference of accuracies", done.returncode == 0 and
                 all(abs(gain - found[name][3] + found["random"][3]) < 0.11 for name, gain in gains(done.stdout).items()), said)
    report.check("the encoder learns", done.returncode == 0 and found["random"][3] > max(90, found["random"][1] + 5), said)
    report.check("the first labels are the same but for a strategy that picks them", done.returncode == 0 and
                 found["margin"][:2] == found["random"][:2] and found["kcenter!"][0] != found["random"][0], said)

    def trainings():
        return sorted(name for name in os.listdir(states) if name.endswith(".npz"))

    # In each run one for the first labels of random and margin, and one for each other.
    made = trainings()
    report.check("a training that strategies have in common is made once", len(made) == RUNS * 5, made)
    classify_tuned.RATE = RATE
    task = classify_tuned.Task(table, encoder, states)
    tuned = []
    for seed in range(RUNS):
        chosen = random.Random(seed).sample(range(3 * POOL), COUNTS[0])
        second, first = numpy.sort(task.measured(chosen, seed, True)[1], axis=1)[:, -2:].T
        order = [row for row in numpy.argsort(first - second, kind="stable") if row not in chosen]
        tuned.append(task.measured(chosen + [int(row) for row in order[:COUNTS[1] - COUNTS[0]]], seed, False)[0])
    report.check("margin reads the fine-tuned encoder", trainings() == made and abs(100 * numpy.mean(tuned) - found["margin"][3]) < 0.06,
                 (len(trainings()), tuned, said))
    paths = [os.path.join(states, name) for name in made]
    for path in paths[1:]:
        os.utime(path, (1, 1))
    os.remove(paths[0])
    again = run(*STRATEGIES[1:])
    report.check("a training that is there is not made again, and one that is made again is the same", again.stdout == done.stdout and
                 trainings() == made and [os.path.getmtime(path) == 1 for path in paths] == [False] + [True] * (len(paths) - 1),
                 again.stdout + again.stderr[-500:])
sys.exit(bool(report.faults))
