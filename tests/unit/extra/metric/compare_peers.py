#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the metrics of the command with sacreBLEU, seqeval and the measure of SQuAD on many texts; TAP.

usage: compare_peers.py ROOT ALCORE

10,000 generated pairs, pairs of many scripts, 10,000 real lines and as many with changes give the same TER, BLEU and chrF of each
sentence and of the corpus, and the same counts; BLEU with each tokenizer and each smoothing. 10,000 generated lines of tags, chunks
of real sentences and 10,000 answers likewise. Real data come from $ALCORE_SHARED_DATA or from shared/data beside the project; without
them the lines are those of the project's own documents and all tags are generated. The seed is ALCORE_TEST_SEED; a failure prints the
texts. The peers come from PyPI."""
import collections
import glob
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

failed = peers.enter(root, os.path.join("tests", "unit", "extra", "metric", "peers.txt"), "metric-venv")
if failed:
    print("1..0 # SKIP " + failed)
    sys.exit(0)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_peer_cases as cases  # noqa: E402
from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: E402
from seqeval.metrics.sequence_labeling import get_entities  # noqa: E402

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


def bleu_counts(found):
    """As sacreBLEU's statistics of BLEU: lengths of hypothesis and reference, matches and totals of the orders 1 to 4."""
    return [found["hypothesis_tokens"], found["reference_tokens"], *found["matches"], *found["totals"]]


def ter_counts(found):
    return [found["edits"], found["reference_words"]]


def chrf_counts(found):
    """As sacreBLEU's statistics of chrF: (hypothesis, reference, match) of each order."""
    orders = zip(found["hypothesis_total"], found["reference_total"], found["matches"])
    return [number for order in orders for number in order]


# sacreBLEU's name of a smoothing, its value, and the command's option.
SMOOTHINGS = (("exp", None, "exp"), ("floor", None, "floor"), ("add-k", None, "add-k"), ("none", None, "none"), ("floor", 0.5, "floor=0.5"),
              ("add-k", 3, "add-k=3"))


def bleu(tokenizer, smoothings=SMOOTHINGS):
    """Rows of METRICS: BLEU with a tokenizer and each smoothing."""
    return [("bleu", ["--tokenize", tokenizer, "--smooth", option],
             BLEU(tokenize=tokenizer, smooth_method=method, smooth_value=value, effective_order=True, force=True),
             BLEU(tokenize=tokenizer, smooth_method=method, smooth_value=value, force=True), bleu_counts)
            for method, value, option in smoothings]


# (name, options of the command, the metric of sentences, that of corpora, the command's counts in
# sacreBLEU's order). Rows whose sentences are cut into the same tokens, and so have the same
# statistics, stand together.
TERS = [("ter", [], TER(), TER(), ter_counts), ("ter", ["--cased"], TER(case_sensitive=True), TER(case_sensitive=True), ter_counts)]
CHRFS = [("chrf", [], CHRF(), CHRF(), chrf_counts), ("chrf++", [], CHRF(word_order=2), CHRF(word_order=2), chrf_counts)]
BLEUS = [row for tokenizer in ("13a", "intl", "char", "zh", "none") for row in bleu(tokenizer)]
METRICS = [*TERS, *bleu("13a", SMOOTHINGS[:1]), *CHRFS]


def translations(title, hypotheses, references, metrics=METRICS):
    """Each sentence and the corpus by each metric. sacreBLEU's sentence_score() and corpus_score() make their scores of the
    statistics of the sentences, which are taken once for both, because they take nearly all of its time."""
    files = [lines("hyp", hypotheses)] + [lines("ref%d" % i, texts) for i, texts in enumerate(references)]
    kept, statistics = None, None
    for name, settings, metric, corpus, counts in metrics:
        same = (name, settings[:2] if name == "bleu" else settings)
        if kept != same:
            kept, statistics = same, metric._extract_corpus_statistics(hypotheses, references)
        found = run(name, *files, *settings, "--sentence")
        wrong = []
        for i, (hypothesis, value) in enumerate(zip(hypotheses, found["sentences"])):
            wanted = metric._aggregate_and_compute([statistics[i]]).score
            if not near(value, wanted):
                wrong.append((hypothesis, [texts[i] for texts in references], value, wanted))
        wanted = corpus._aggregate_and_compute(statistics).score
        if not near(found[name], wanted) or len(found["sentences"]) != len(statistics):
            wrong.append(("corpus", found[name], wanted))
        sums = [sum(column) for column in zip(*statistics)]
        if counts(found) != sums:
            wrong.append(("counts", counts(found), sums))
        report("%s of %d %s, %d references" % (" ".join([name, *settings]), len(hypotheses), title, len(references)), wrong)


def rows_of(path, most):
    """The first rows of a file of shared/data as dictionaries."""
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        names = file.readline().rstrip("\n").split("\t")
        return [dict(zip(names, line.rstrip("\n").split("\t"))) for line in itertools.islice(file, most)]


generated = [cases.translation(generator) for _ in range(PAIRS)]
translations("generated pairs", [one[0] for one in generated], [[one[1][0] for one in generated]], [TERS[0], *BLEUS, *CHRFS])
few = generated[:1000]
translations("generated pairs", [one[0] for one in few], [[one[1][i] for one in few] for i in (0, 1)], [*TERS, *BLEUS, *CHRFS])
with open(os.path.join(root, "tests", "unit", "extra", "metric", "sacrebleu_pairs.json"), encoding="utf-8") as file:
    scripts = [one for one in json.load(file)["pairs"] if "\n" not in one["hypothesis"] + "".join(one["references"])]
translations("pairs of many scripts", [one["hypothesis"] for one in scripts], [[one["references"][0] for one in scripts]],
             [*TERS, *BLEUS, *CHRFS])

data = os.environ.get("ALCORE_SHARED_DATA") or os.path.join(root, "..", "shared", "data")
if os.path.exists(data):
    parallel = rows_of(os.path.join(data, "en-de", "it.tsv.xz"), 10001)
    real = [row["de"] for row in parallel]
    # Sentences of the news, in many words, and messages in the scripts of every catalogue.
    real_sets = [("lines of messages", real, [row["en"] for row in parallel]),
                 ("lines of news", *zip(*((row["de"], row["en"]) for row in rows_of(os.path.join(data, "en-de", "general.tsv.xz"), 1001)))),
                 ("lines of catalogues", *zip(*((row[os.path.basename(path)[:-7]], row["en"])
                                               for path in sorted(glob.glob(os.path.join(data, "catalogues", "*.tsv.xz")))
                                               for row in rows_of(path, 200))))]
else:
    real = []
    for path in sorted(glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            real += [line.strip() for line in file if len(line.split()) > 5]
    real_sets = [("lines of documents", real, real[:1] + real[:-1])]
changed = real[:PAIRS]
translations("real lines with changes", changed,
             [[" ".join(cases.shifted(generator, line.split(), changed[0].split())) for line in changed]])
# Both sides as they were written: the next line of the corpus as the translation of a line, whose
# second reference is the source.
for title, texts, sources in real_sets:
    following, texts, sources = list(texts[1:]), list(texts[:-1]), list(sources[:-1])
    translations(title, following, [texts], [TERS[0], *BLEUS[::len(SMOOTHINGS)], *CHRFS])
    translations(title, following[:1000], [texts[:1000], sources[:1000]], [TERS[0], *BLEUS[::len(SMOOTHINGS)], *CHRFS])



def spans(gold, predicted, schemes=("default", "iob2")):
    """What seqeval finds otherwise than the command in a corpus of tags."""
    files = [lines(name, [" ".join(line) for line in side]) for name, side in (("gold", gold), ("predicted", predicted))]
    wrong = []
    for scheme, wanted in cases.span_scores(gold, predicted, schemes).items():
        found = run("f1", *files, "--scheme", scheme)
        if not all(map(near, [found["precision"], found["recall"], found["f1"]], wanted)):
            wrong.append((scheme, gold[:20], predicted[:20], found, wanted))
        if scheme == "default":
            entities = [set(get_entities(side)) for side in (gold, predicted)]
            counts = [len(entities[0]), len(entities[1]), len(entities[0] & entities[1])]
            if [found["gold_spans"], found["predicted_spans"], found["matches"]] != counts:
                wrong.append((scheme, gold[:20], predicted[:20], found, counts))
    return wrong


def chunks(tags):
    """Tags of the noun and verb groups of a sentence, whose words have the UPOS tags given: runs of the same group."""
    groups = {"DET": "NP", "ADJ": "NP", "NOUN": "NP", "PROPN": "NP", "NUM": "NP", "AUX": "VP", "VERB": "VP"}
    of = [groups.get(tag) for tag in tags]
    return ["O" if group is None else ("I-" if i and of[i - 1] == group else "B-") + group for i, group in enumerate(of)]


def tagged_corpora():
    """(language, gold, predicted) of the real sentences of shared/data/pos. They have tags of words only, so the spans are the
    groups that the tags make; predicted are the groups of each word's most frequent tag in the first half of the sentences."""
    for path in sorted(glob.glob(os.path.join(data, "pos", "*.tsv.xz"))):
        rows = [(row["tokens"].split(" "), row["upos"].split(" ")) for row in rows_of(path, 1000)]
        seen = collections.defaultdict(collections.Counter)
        for words, tags in rows[:len(rows) // 2]:
            for word, tag in zip(words, tags):
                seen[word][tag] += 1
        usual = {word: tags.most_common(1)[0][0] for word, tags in seen.items()}
        yield (os.path.basename(path)[:-7], [chunks(tags) for _, tags in rows],
               [chunks([usual.get(word, "NOUN") for word in words]) for words, _ in rows])


report("f1 of 100 corpora of tags", [line for _ in range(100) for line in spans(*cases.tags(generator))])
report("f1 of 100 corpora of tags in each scheme",
       [line for scheme in cases.MARKS for _ in range(100) for line in spans(*cases.scheme_tags(generator, scheme), (scheme,))])
gold = [["O" if tag.startswith("O") else tag for tag in cases.tag_line(generator)] for _ in range(PAIRS)]
report("f1 of %d generated lines of tags" % len(gold), spans(gold, [cases.tag_line(generator, line) for line in gold]))
total, wrong = 0, []
for language, gold, predicted in tagged_corpora():
    total += len(gold)
    wrong += [(language, *line) for line in spans(gold, predicted)]
if total:
    report("f1 of the groups of %d real sentences" % total, wrong)

questions = [cases.answers(generator) for _ in range(PAIRS)]
wanted = [cases.answer_scores(*one) for one in questions]
found = run("qa", lines("gold", ["\t".join(gold) for _, gold in questions]), lines("predicted", [predicted for predicted, _ in questions]))
means = [100 * sum(one[i] for one in wanted) / PAIRS for i in (0, 1)]
report("qa of %d questions" % PAIRS, [] if near(found["exact_match"], means[0]) and near(found["f1"], means[1]) else [(found, means)])
print("1..%d" % count)
sys.exit(bad > 0)
