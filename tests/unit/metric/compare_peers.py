#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the metrics of the command with sacreBLEU, seqeval and the measure of SQuAD on many texts; TAP.

usage: compare_peers.py ROOT ALCORE

10,000 generated pairs, pairs of many scripts and real lines give the same TER, BLEU and chrF of each sentence and of the corpus;
tags and answers likewise. The seed is ALCORE_TEST_SEED; a failure prints the texts. The peers come from PyPI."""
import itertools
import json
import lzma
import os
import random
import subprocess
import sys
import tempfile

root, alcore = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(root, "tests", "bench"))
import peers  # noqa: E402

failed = peers.enter(root, os.path.join("tests", "unit", "metric", "peers.txt"), "metric-venv")
if failed:
    print("1..0 # SKIP " + failed)
    sys.exit(0)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_peer_cases as cases  # noqa: E402
from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: E402

PAIRS = 10000
seed = int(os.environ.get("ALCORE_TEST_SEED", "1"))
generator = random.Random(seed)
folder = tempfile.TemporaryDirectory(prefix="alcore-peers-")
count = 0
bad = 0


def lines(name, texts):
    path = os.path.join(folder.name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(text + "\n" for text in texts)
    return path


def run(*arguments):
    return json.loads(subprocess.run([alcore, "eval", *arguments, "--json"], check=True, capture_output=True).stdout)


def report(title, wrong):
    global count, bad
    count += 1
    bad += bool(wrong)
    print("%s %d - %s (seed %d)" % ("not ok" if wrong else "ok", count, title, seed))
    for line in wrong[:3]:
        print("# " + repr(line))


def near(found, wanted):
    return abs(found - wanted) <= 1e-9


METRICS = (("ter", [], TER(), TER()), ("ter", ["--cased"], TER(case_sensitive=True), TER(case_sensitive=True)),
           ("bleu", [], BLEU(effective_order=True), BLEU()), ("chrf", [], CHRF(), CHRF()), ("chrf++", [], CHRF(word_order=2), CHRF(word_order=2)))


def translations(title, hypotheses, references, metrics=METRICS):
    """Each sentence and the corpus by each metric: (name, options of the command, the metric of sentences, that of corpora or None)."""
    files = [lines("hyp", hypotheses)] + [lines("ref%d" % i, texts) for i, texts in enumerate(references)]
    for name, settings, metric, corpus in metrics:
        found = run(name, *files, *settings, "--sentence")
        wrong = []
        for i, (hypothesis, value) in enumerate(zip(hypotheses, found["sentences"])):
            wanted = metric.sentence_score(hypothesis, [texts[i] for texts in references]).score
            if not near(value, wanted):
                wrong.append((hypothesis, [texts[i] for texts in references], value, wanted))
        wanted = corpus.corpus_score(hypotheses, references).score if corpus else found[name]
        if not near(found[name], wanted):
            wrong.append(("corpus", found[name], wanted))
        report("%s of %d %s, %d references" % (" ".join([name, *settings]), len(hypotheses), title, len(references)), wrong)


generated = [cases.translation(generator) for _ in range(PAIRS)]
# sacreBLEU takes minutes for TER: each sentence once, and the corpus of a part of them.
translations("generated pairs", [one[0] for one in generated], [[one[1][0] for one in generated]], (("ter", [], TER(), None), *METRICS[2:]))
few = generated[:1000]
translations("generated pairs", [one[0] for one in few], [[one[1][i] for one in few] for i in (0, 1)])
with open(os.path.join(root, "tests", "unit", "metric", "sacrebleu_pairs.json"), encoding="utf-8") as file:
    scripts = [one for one in json.load(file)["pairs"] if "\n" not in one["hypothesis"] + "".join(one["references"])]
translations("pairs of many scripts", [one["hypothesis"] for one in scripts], [[one["references"][0] for one in scripts]])
corpus = os.path.join(root, "..", "shared", "data", "en-de", "it.tsv.xz")  # beside the project, where it is
if os.path.exists(corpus):
    with lzma.open(corpus, "rt", encoding="utf-8") as file:
        real = [line.rstrip("\n").split("\t")[-1] for line in itertools.islice(file, 1, 1001)]
else:
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        real = [line.strip() for line in file if len(line.split()) > 5]
translations("real lines", real, [[" ".join(cases.shifted(generator, line.split(), real[0].split())) for line in real]])

wrong = []
for _ in range(100):
    gold, predicted = cases.tags(generator)
    files = [lines(name, [" ".join(line) for line in side]) for name, side in (("gold", gold), ("predicted", predicted))]
    for scheme, wanted in cases.span_scores(gold, predicted).items():
        found = run("f1", *files, "--scheme", scheme)
        if not all(map(near, [found["precision"], found["recall"], found["f1"]], wanted)):
            wrong.append((scheme, gold, predicted, found, wanted))
report("f1 of 100 corpora of tags", wrong)

questions = [cases.answers(generator) for _ in range(PAIRS)]
wanted = [cases.answer_scores(*one) for one in questions]
found = run("qa", lines("gold", ["\t".join(gold) for _, gold in questions]), lines("predicted", [predicted for predicted, _ in questions]))
means = [100 * sum(one[i] for one in wanted) / PAIRS for i in (0, 1)]
report("qa of %d questions" % PAIRS, [] if near(found["exact_match"], means[0]) and near(found["f1"], means[1]) else [(found, means)])
print("1..%d" % count)
sys.exit(bad > 0)
