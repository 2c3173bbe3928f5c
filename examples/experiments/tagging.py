# SPDX-License-Identifier: Apache-2.0
"""Which sentences to tag for a language that nobody tags: DeMuX's protocol (docs/spec/multilingual.md 7.11) for parts of speech, in small.

  tagging.py DATA MODEL STATES [STRATEGY...] [--target LANG[+LANG...]]... [--budget 50] [--rounds 5] [--runs 5]

DATA: a folder of LANG.tsv.xz with the columns split, tokens and upos. A language has the splits source, target and test, or gold, target and
test; of one that has test alone the first 117 rows are the target. MODEL: a folder of a BERT-like encoder, for transformers. STATES: a folder
for what the encoder makes of each language and for what each run measured, which are not made again, so that a call that was killed goes on;
where all states are there, MODEL is not opened and NumPy is all that is needed.

The encoder stays as it is: a word's state is that of its first piece in block LAYER, and a linear softmax head over it is the tagger. Model 0
learns from English. In each round the newest tagger scores
the source rows of all other languages except the targets, a strategy picks rows among them for the target's untagged rows, and model 0 learns
from all picks so far. A run has its own two thirds of the English rows and of the source rows of each language, and its own order of
training, the same for all strategies.

Writes a table for each target: behind a strategy the three languages that it bought most of; accuracy over words of the test rows (the mean
of several targets) after each round; words that were bought; and how much the accuracy after the last round is above that of random and of
egalitarian draws, with the standard error of the difference over the runs. Then the same of the means over all targets. gold buys rows of the
targets themselves, same-ratio draws from the languages of knn-uncertainty, which has to stand before it. A strategy may have parameters:
uncertainty,mode=mnlp."""
import argparse
import collections
import functools
import json
import lzma
import os

import alcore
import alcore.analysis
import numpy

START = "en"
TARGETS = ["fr", "tr", "te", "mr", "vi", "yo", "te+mr", "ar+ko+zh+fa+vi+te+mr+yo"]
STRATEGIES = ["random", "egalitarian", "gold", "average-dist", "uncertainty", "uncertainty,mode=mnlp", "knn-uncertainty", "same-ratio",
              "uncertainty-knn", "uncertainty,mode=entropy", "kcenter", "typiclust", "ngram-cover"]
# LAYER, RATE, EPOCHS and BATCH were chosen by English and by random picks, measured on source languages, before any other strategy was tried.
LAYER, RATE, EPOCHS, BATCH = 6, 0.0005, 10, 8
LARGEST = {"source": 500, "gold": 500, "target": 250, "test": 250}  # sentences of a language
NEIGHBORS = 16
TEST_BEGINS = 117  # of a language with the split test alone: the rows before are its target
TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()


class Rows:
    """Sentences: texts and languages [rows]; the tags and states of their words one after the other, those of row i from offsets[i]."""

    def __init__(self, texts, languages, tags, states, lengths):
        self.texts, self.languages, self.tags, self.states, self.lengths = texts, languages, tags, states, lengths
        self.offsets = numpy.concatenate([[0], numpy.cumsum(lengths)]).astype(numpy.int64)

    def words(self, rows):
        """Positions of the words of some rows."""
        return numpy.concatenate([numpy.arange(self.offsets[row], self.offsets[row + 1]) for row in rows])

    @functools.cached_property
    def embeddings(self):
        """The mean state of the words of each row."""
        return numpy.add.reduceat(self.states, self.offsets[:-1], axis=0) / self.lengths[:, None].astype(numpy.float32)

    def take(self, rows):
        words = self.words(rows)
        return Rows(self.texts[rows], self.languages[rows], self.tags[words], self.states[words], self.lengths[rows])

    def draw(self, share, generator):
        return self.take(numpy.sort(generator.permutation(len(self.texts))[:round(len(self.texts) * share)]))


def joined(parts):
    return Rows(*(numpy.concatenate([getattr(part, name) for part in parts]) for name in ("texts", "languages", "tags", "states", "lengths")))


def table(path):
    """{split: [(words, tags)]}, of each split the first rows."""
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        names = next(lines).rstrip("\n").split("\t")
        rows = [dict(zip(names, line.rstrip("\n").split("\t"))) for line in lines]
    found = {}
    for row in rows:
        found.setdefault(row["split"], []).append((row["tokens"].split(" "), row["upos"].split(" ")))
    if list(found) == ["test"]:
        found = {"target": found["test"][:TEST_BEGINS], "test": found["test"][TEST_BEGINS:]}
    return {split: rows[:LARGEST[split]] for split, rows in found.items()}


class Encoder:
    """The first blocks of a model, by transformers and PyTorch, whose products are computed in bfloat16."""

    def __init__(self, folder):
        import torch
        import transformers
        self.torch, self.tokenizer = torch, transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModel.from_pretrained(folder, add_pooling_layer=False).eval()
        self.model.encoder.layer = self.model.encoder.layer[:LAYER]

    def batch(self, sentences):
        """[states of the words, float16 [words, dims]] of sentences: those of each word's first piece; without pieces the first token's."""
        pieces = self.tokenizer(sentences, is_split_into_words=True, return_tensors="pt", padding=True, truncation=True)
        with self.torch.no_grad(), self.torch.autocast("cpu", dtype=self.torch.bfloat16):
            states = self.model(**pieces).last_hidden_state.float().numpy().astype(numpy.float16)
        found = []
        for number, words in enumerate(sentences):
            first = {}
            for at, word in enumerate(pieces.word_ids(number)):
                first.setdefault(word, at)
            found.append(states[number, [first.get(word, 0) for word in range(len(words))]])
        return found

    def states(self, sentences):
        """The same of all, one after the other; sentences of one length are computed together."""
        order, found = sorted(range(len(sentences)), key=lambda row: len(sentences[row])), {}
        for at in range(0, len(order), 16):
            rows = order[at:at + 16]
            found.update(zip(rows, self.batch([sentences[row] for row in rows])))
        return numpy.concatenate([found[row] for row in range(len(sentences))])


class Corpora:
    """The languages of a folder: rows of a split are read, and the encoder is opened, when they are needed."""

    def __init__(self, data, model, states):
        self.data, self.model, self.folder, self.encoder, self.tables, self.loaded = data, model, states, None, {}, {}
        os.makedirs(states, exist_ok=True)
        self.languages = sorted(name[:-len(".tsv.xz")] for name in os.listdir(data) if name.endswith(".tsv.xz"))

    def states(self, name, sentences):
        path = os.path.join(self.folder, name + ".npy")
        if not os.path.exists(path):
            self.encoder = self.encoder or Encoder(self.model)
            numpy.save(path + ".part.npy", self.encoder.states(sentences))
            os.replace(path + ".part.npy", path)
        return numpy.load(path).astype(numpy.float32)

    def table(self, language):
        if language not in self.tables:
            self.tables[language] = table(os.path.join(self.data, language + ".tsv.xz"))
        return self.tables[language]

    def rows(self, language, split):
        name = "%s.%s" % (language, split)
        if name not in self.loaded:
            words, tags = zip(*self.table(language)[split])
            self.loaded[name] = Rows(numpy.array([" ".join(row) for row in words], dtype=object), numpy.array([language] * len(words)),
                                     numpy.array([TAGS.index(tag) for row in tags for tag in row]), self.states(name, words),
                                     numpy.array([len(row) for row in words]))
        return self.loaded[name]

    def split(self, languages, *names):
        """The rows of languages, of each in the first of the splits that it has."""
        return joined([self.rows(language, next(name for name in names if name in self.table(language))) for language in languages])


def softmax(logits):
    logits = numpy.exp(logits - logits.max(axis=1, keepdims=True))
    return logits / logits.sum(axis=1, keepdims=True)


class Head:
    """A linear softmax tagger over states, which are brought to the mean 0 and the variance 1 of the rows of English.
    weights: [dims + 1, tags], the last row the bias"""

    def __init__(self, center, scale, weights):
        self.center, self.scale, self.weights = center, scale, weights

    def probabilities(self, rows):
        """Of each tag, [words, tags]. The matrix takes the scale and the mean in, so that no copy of the states is made."""
        matrix = self.weights[:-1] / self.scale[:, None]
        return softmax(rows.states @ matrix + (self.weights[-1] - self.center @ matrix))

    def learned(self, rows, seed):
        """A head that goes on from this one: EPOCHS passes of Adam over batches of BATCH sentences."""
        head = Head(self.center, self.scale, self.weights.copy())
        inputs = numpy.hstack([(rows.states - self.center) / self.scale, numpy.ones((len(rows.states), 1), dtype=numpy.float32)])
        first, second, step, generator = 0.0, 0.0, 0, numpy.random.default_rng(seed)
        for _ in range(EPOCHS):
            order = generator.permutation(len(rows.texts))
            for at in range(0, len(order), BATCH):
                words, step = rows.words(order[at:at + BATCH]), step + 1
                errors = softmax(inputs[words] @ head.weights)
                errors[numpy.arange(len(words)), rows.tags[words]] -= 1
                slope = inputs[words].T @ errors / len(words)
                first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope ** 2
                head.weights -= RATE * first / (1 - 0.9 ** step) / (numpy.sqrt(second / (1 - 0.999 ** step)) + 1e-8)
        return head


def linear(corpora):
    """A head that knows nothing."""
    states = corpora.rows(START, "source").states
    return Head(states.mean(axis=0), states.std(axis=0) + 1e-6, numpy.zeros((states.shape[1] + 1, len(TAGS)), dtype=numpy.float32))


def accuracy(tagger, rows):
    """The share of words with the right tag, the mean over the languages of the rows."""
    right = tagger.probabilities(rows).argmax(axis=1) == rows.tags
    languages = numpy.repeat(rows.languages, rows.lengths)
    return numpy.mean([right[languages == language].mean() for language in sorted(set(rows.languages))])


class Run:
    """What all strategies of a run have in common, for a target: rows of the source, of gold, of the target and of the test, and model 0."""

    def __init__(self, corpora, target, seed):
        generator, targets = numpy.random.default_rng(seed), target.split("+")
        sources = [language for language in corpora.languages if language not in [START] + targets and "source" in corpora.table(language)]
        self.source = joined([corpora.rows(language, "source").draw(2 / 3, generator) for language in sources])
        self.gold, self.target, self.test = (
            corpora.split(targets, *splits) for splits in (("gold", "target"), ("target",), ("test",)))
        self.strategies, self.seed, self.picks = alcore.strategies(), seed, {}
        self.model = linear(corpora).learned(corpora.rows(START, "source").draw(2 / 3, generator), seed)

    def correlation(self):
        """Of the target's uncertainty with that of its neighbors in the source, by model 0."""
        unsure = []
        for rows in (self.source, self.target):
            second, first = numpy.sort(self.model.probabilities(rows), axis=1)[:, -2:].T
            unsure.append(1 - numpy.minimum.reduceat(first - second, rows.offsets[:-1]))
        return alcore.analysis.neighborhood(self.source.embeddings, self.target.embeddings, *unsure, NEIGHBORS)[0].rho

    def columns(self, strategy, tagger):
        """What the strategy reads."""
        needs, columns = self.strategies[strategy]["needs"], {}
        reads = {name for alternatives in needs.get("candidates", []) for name in alternatives.split("|")}
        if "embeddings" in reads:
            columns["embeddings"] = self.source.embeddings
        if "token_probs" in reads:
            columns["token_probs"] = tagger.probabilities(self.source), self.source.offsets
        if "embeddings" in needs.get("target", []):
            columns["targets"] = {"texts": list(self.target.texts), "embeddings": self.target.embeddings}
        return columns

    def measure(self, name, rounds, budget):
        """(accuracies of model 0 and after each round, words that were bought, the languages of the picks); notes the picks."""
        strategy, *parameters = name.split(",")
        rows = self.gold if strategy == "gold" else self.source
        pool, tagger, chosen, picks = alcore.Pool(list(rows.texts), languages=list(rows.languages)), self.model, [], []
        found = [accuracy(tagger, self.test)]
        for number in range(1, rounds + 1):
            given = dict(self.columns(strategy, tagger), **dict(parameter.split("=") for parameter in parameters))
            if strategy == "same-ratio":
                given["like"] = self.picks["knn-uncertainty"][number - 1]
            picks.append(pool.select(budget, strategy, round=number, seed=self.seed, **given).indices)
            pool.mark_labeled(picks[-1])
            chosen += picks[-1]
            tagger = self.model.learned(rows.take(chosen), self.seed)
            found.append(accuracy(tagger, self.test))
        self.picks[name] = picks
        return found, int(rows.lengths[chosen].sum()), collections.Counter(rows.languages[chosen].tolist())


def measured(corpora, target, seed, options):
    """What a run measures: {strategy: [accuracies, words, languages], "rows": their numbers, "rho": the correlation}, kept in a file."""
    path = os.path.join(corpora.folder, "%s.%d.%d.%s.json" % (target, seed, options.rounds, options.budget))
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        if set(options.strategies) <= set(found):
            return found
    run = Run(corpora, target, seed)
    found = {"rows": [len(rows.texts) for rows in (run.source, run.target, run.test, run.gold)], "rho": run.correlation()}
    for name in options.strategies:
        found[name] = run.measure(name, options.rounds, options.budget)
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.replace(path + ".part", path)
    return found


def difference(values, others):
    """The mean difference and its standard error, in points, over runs."""
    gains = 100 * (values - others)
    return "%+.2f ± %.2f" % (gains.mean(), gains.std(ddof=1) / len(gains) ** 0.5) if len(gains) > 1 else "%+.2f" % gains.mean()


def both(last, name):
    """The cells of the differences to random and egalitarian draws. last: {strategy: its last accuracy in each run}"""
    return " | ".join(difference(last[name], last[other]) if other in last and other != name else "" for other in ("random", "egalitarian"))


def write_target(corpora, target, options):
    """The table of a target; returns {strategy: the last accuracy of each run}."""
    runs = [measured(corpora, target, seed, options) for seed in range(options.runs)]
    results = {name: [run[name] for run in runs] for name in options.strategies}
    print("\n**%s**: %d source rows, %d of the target, %d of test, %d of gold; rho with %d neighbors %.2f\n" % (
        target, *runs[0]["rows"], NEIGHBORS, numpy.mean([run["rho"] for run in runs])))
    print("| strategy | %s | words | above random | above egalitarian |" % " | ".join("round %d" % number for number in range(options.rounds + 1)))
    print("|---" * (options.rounds + 5) + "|")
    last = {name: numpy.array([accuracies[-1] for accuracies, *_ in result]) for name, result in results.items()}
    for name, result in results.items():
        languages = sum((collections.Counter(counts) for *_, counts in result), collections.Counter())
        print("| `%s` %s | %s | %.0f | %s |" % (
            name, " ".join("%s:%.0f%%" % (language, 100 * count / languages.total()) for language, count in languages.most_common(3)),
            " | ".join("%.2f" % (100 * mean) for mean in numpy.mean([accuracies for accuracies, *_ in result], axis=0)),
            numpy.mean([words for _, words, _ in result]), both(last, name)), flush=True)
    return last


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("data", "model", "states"):
        parser.add_argument(name)
    parser.add_argument("strategies", nargs="*", default=STRATEGIES)
    parser.add_argument("--target", action="append", help="languages that are not tagged, joined by +")
    parser.add_argument("--budget", default="50", help="of a round, such as 50 sentences or 1000w words")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    corpora = Corpora(options.data, options.model, options.states)
    lasts = [write_target(corpora, target, options) for target in options.target or TARGETS]
    means = {name: numpy.mean([last[name] for last in lasts], axis=0) for name in options.strategies}
    print("\n**All %d targets**\n\n| strategy | last round | above random | above egalitarian |\n|---|---|---|---|" % len(lasts))
    for name in options.strategies:
        print("| `%s` | %.2f | %s |" % (name, 100 * means[name].mean(), both(means, name)))


if __name__ == "__main__":
    main()
