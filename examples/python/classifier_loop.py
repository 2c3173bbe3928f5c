# SPDX-License-Identifier: Apache-2.0
"""A scikit-learn classifier that asks for its next examples.   usage: classifier_loop.py [ROUNDS]

The task is made from the texts that ship with the examples: does a sentence come from a regulation or from everyday talk?"""
import sys
from pathlib import Path

import alcore
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

DATA = Path(__file__).resolve().parent.parent / "data"


def task():
    """(texts, labels) of the pool and of the test set."""
    law = (DATA / "pool.txt").read_text(encoding="utf-8").splitlines()
    talk = [line.split("\t")[1] for line in (DATA / "labeled.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    short = [" ".join(text.split()[:4]) for text in law + talk]  # whole sentences would be too easy to tell apart
    labels = [1] * len(law) + [0] * len(talk)
    return short[::2], labels[::2], short[1::2], labels[1::2]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    texts, labels, test_texts, test_labels = task()
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)).fit(texts)
    features, test_features = vectorizer.transform(texts), vectorizer.transform(test_texts)

    pool = alcore.Pool(texts)
    chosen = []
    for round in range(1, rounds + 1):
        if round == 1:
            picked = pool.select(20, "random", seed=1)
        else:
            picked = pool.select(20, "margin", probs=classifier.predict_proba(features), round=round)
        pool.mark_labeled(picked)  # an annotator would answer now
        chosen += picked.indices
        classifier = LogisticRegression(max_iter=500, class_weight="balanced").fit(features[chosen], [labels[row] for row in chosen])
        print("round %d: %3d labels, accuracy %.3f" % (round, len(chosen), classifier.score(test_features, test_labels)))


if __name__ == "__main__":
    main()
