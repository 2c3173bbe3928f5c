# SPDX-License-Identifier: Apache-2.0
"""Which texts to label for an encoder that is fine-tuned: classify_tuned.py TASK MODEL STATES [STRATEGY...] [--labels N,N...] [--runs 3]

TASK and STRATEGY: as classify.py has them. MODEL: a folder of a sentence encoder of the family BERT. STATES: a folder for what each training
measured, which is not made again, so that a call that was killed goes on. --labels: how many texts have labels after each round, by default
five and ten for each class.

In each round a strategy picks texts, and the encoder with a fresh head over the classes is fine-tuned as a whole on all that is labeled by
now, from its first weights. A strategy that reads probabilities has those of the round before, by the fine-tuned encoder; embeddings are those
of the encoder as it was. The first labels of a run are drawn at random, the same for all strategies, but for those whose name ends in "!". On the same
labels a linear head is fitted, as in classify.py.

Writes a table: after each round the accuracy of the linear head and of the fine-tuned encoder, the mean of the runs, and how much the latter
is above that with random draws, with the standard error of the difference over the runs. NumPy, scikit-learn and the torch engine are needed."""
import argparse
import hashlib
import json
import os
import random
import shutil
import struct
import tempfile

import alcore
import numpy
from classify import fitted, needs_of, task

# PASSES, UPDATES and RATE were chosen by random draws, measured on texts of the pool, before any strategy was tried.
PASSES, UPDATES, RATE = 10, 50, 0.0005
CONTEXT = alcore.Context(threads=1)  # other numbers of threads add up in another order


def write_with_head(encoder, folder, classes, seed):
    """A folder with the encoder and a head over so many classes, whose weights are drawn as transformers draws them."""
    shutil.copytree(encoder, folder, ignore=shutil.ignore_patterns("model.safetensors"), dirs_exist_ok=True)
    with open(os.path.join(encoder, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    config.update(architectures=["BertForSequenceClassification"], id2label={str(number): str(number) for number in range(classes)},
                  label2id={str(number): number for number in range(classes)})
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    with open(os.path.join(encoder, "model.safetensors"), "rb") as file:
        length, = struct.unpack("<Q", file.read(8))
        known, data = json.loads(file.read(length)), file.read()
    tensors = {"bert." + name: facts for name, facts in known.items() if name != "__metadata__"}
    draw = numpy.random.default_rng(seed)
    for name, values in {"weight": draw.normal(0, config["initializer_range"], (classes, config["hidden_size"])),
                         "bias": numpy.zeros(classes)}.items():
        tensors["classifier." + name] = {"dtype": "F32", "shape": values.shape, "data_offsets": [len(data), len(data) + 4 * values.size]}
        data += values.astype("<f4").tobytes()
    head = json.dumps(tensors).encode()
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head + data)


def tuned(encoder, texts, labels, classes, seed):
    """The encoder with a fresh head, fine-tuned on texts and the numbers of their classes."""
    tokens = sum(map(len, alcore.Tokenizer.open(encoder, context=CONTEXT).encode(texts)))
    with tempfile.TemporaryDirectory() as folder:
        write_with_head(encoder, folder, classes, seed)
        model = alcore.Model.open(folder, context=CONTEXT)
    pool = alcore.Pool(texts, references=[str(label) for label in labels], dedup="none", context=CONTEXT)
    model.train(pool, updates=UPDATES, batch_tokens=tokens * PASSES // UPDATES, rate=RATE, schedule="linear", warmup=UPDATES // 10, clip=1,
                weight_decay=0.01, precision="bfloat16", seed=seed)
    return model


def probabilities(model, texts):
    """[texts, classes]"""
    pool = alcore.Pool(texts, dedup="none", context=CONTEXT)
    model.run(pool, "probs")
    return numpy.array(pool.get_column("probs"))


class Task:
    """What is labeled and measured. labels: the classes of texts and of test_texts, from 0"""

    def __init__(self, name, encoder, states):
        self.encoder, self.states = encoder, states
        self.test_texts, test_names, self.texts, names = task(name)
        self.classes = numpy.unique(names)
        self.test_labels, self.labels = (numpy.searchsorted(self.classes, found) for found in (test_names, names))
        os.makedirs(states, exist_ok=True)
        model = alcore.Model.open(encoder, context=CONTEXT)
        model.set_cache(os.path.join(states, "embeddings"))
        self.features, self.test_features = (numpy.asarray(model.embed(rows)) for rows in (self.texts, self.test_texts))
        with open(os.path.join(encoder, "model.safetensors"), "rb") as file:
            self.digest = hashlib.sha256(file.read())
        self.digest.update(repr((self.test_texts, list(self.test_labels), self.texts, PASSES, UPDATES, RATE)).encode())

    def measured(self, chosen, seed, scored):
        """(accuracy of the encoder that was fine-tuned on some rows, and its probabilities of all rows if they are scored)"""
        texts, labels = [self.texts[row] for row in chosen], self.labels[chosen]
        digest = self.digest.copy()
        digest.update(repr((chosen, list(labels), seed, scored)).encode())
        path = os.path.join(self.states, digest.hexdigest()[:32] + ".npz")
        if not os.path.exists(path):
            model = tuned(self.encoder, texts, labels, len(self.classes), seed)
            right = probabilities(model, self.test_texts).argmax(axis=1) == self.test_labels
            numpy.savez(path + ".part.npz", accuracy=right.mean(), probs=probabilities(model, self.texts) if scored else [])
            os.replace(path + ".part.npz", path)
        with numpy.load(path) as found:
            return float(found["accuracy"]), found["probs"]

    def run(self, strategy, counts, seed):
        """[[accuracy of the linear head, accuracy of the fine-tuned encoder] after each round]"""
        cold, strategy = strategy.endswith("!"), strategy.rstrip("!")
        needs, pool, chosen, found = needs_of(strategy), alcore.Pool(self.texts), [], []
        for round, count in enumerate(counts, 1):
            columns = {"embeddings": self.features} if "embeddings" in needs else {}
            if "probs" in needs and round > 1:
                columns["probs"] = probs
            if round == 1 and not cold:
                picked = random.Random(seed).sample(range(len(self.texts)), count)
            else:
                picked = pool.select(count - len(chosen), strategy, round=round, seed=seed, **columns).indices
            pool.mark_labeled(picked)
            chosen += picked
            # The first labels that strategies have in common are scored for all of them, so that they are learned once.
            accuracy, probs = self.measured(chosen, seed, round < len(counts) and (round == 1 and not cold or "probs" in needs))
            linear = fitted(self.features[chosen], self.labels[chosen])
            found.append([linear.score(self.test_features, self.test_labels), accuracy])
        return found


def gain(values, others):
    """The mean difference and its standard error, in points, over runs."""
    gains = 100 * (values - others)
    return "%+.1f ± %.1f" % (gains.mean(), gains.std(ddof=1) / len(gains) ** 0.5) if len(gains) > 1 else "%+.1f" % gains.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("task", "model", "states"):
        parser.add_argument(name)
    parser.add_argument("strategies", nargs="*")
    parser.add_argument("--labels", help="after each round, such as 35,70")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    strategies = ["random"] + options.strategies
    for strategy in strategies:
        alcore.Strategy(strategy.rstrip("!"))  # an unknown one is an error that says which
    found = Task(options.task, options.model, options.states)
    classes = len(found.classes)
    counts = [int(count) for count in options.labels.split(",")] if options.labels else [5 * classes, 10 * classes]
    print("%d texts, %d of test, %d classes, %d runs\n" % (len(found.texts), len(found.test_texts), classes, options.runs))
    print("| strategy | %s |" % " | ".join("%d, linear | fine-tuned | above random" % count for count in counts))
    print("|---" * (3 * len(counts) + 1) + "|")
    runs = {}
    for strategy in strategies:
        runs[strategy] = numpy.array([found.run(strategy, counts, seed) for seed in range(options.runs)])
        print("| `%s` | %s |" % (strategy, " | ".join("%.1f | %.1f | %s" % (
            *100 * runs[strategy][:, round].mean(axis=0), gain(runs[strategy][:, round, 1], runs["random"][:, round, 1]))
            for round in range(len(counts)))), flush=True)


if __name__ == "__main__":
    main()
