# SPDX-License-Identifier: Apache-2.0
"""The n-gram language model (spec 6.5)."""
import math

import char_embedding
import language_model
from vectors_phrases import U


TEXTS = U[:3] + ["Über café x", "headache", ""]


def char_case(dims, seed):
    return {"name": f"{dims} dimensions, seed {seed}", "input": {"dims": dims, "seed": seed},
            "expected": {"rows": char_embedding.embed(U[:3], TEXTS, dims, seed)}}


def vectors():
    model = language_model.Model(U, 4)
    texts = ["the patient has severe headache", "severe nausea was reported", "fever", "the contract has severe headache today", ""]
    probabilities = [("headache", "severe"), ("severe", "patient has"), ("severe", "the patient has"), ("has", "<s> the patient"),
                     ("</s>", ""), ("<unk>", ""), ("headache", ""), ("the", ""), ("fever", "severe headache")]
    contexts = ["", "severe", "the patient has", "<s> the patient", "<s>"]
    orders = []
    for order in range(1, 7):
        m = language_model.Model(U, order)
        orders.append({"name": f"order {order}", "input": {"order": order},
                       "expected": {"totals": [m.total(t) for t in texts]}})
    crossed = language_model.cross_fitted(U, 4)
    t = [10, 4, 2, 1]
    return {
        "TV-LM": {
            "spec": "6.5",
            "about": "The model of the six sentences of TV-PHR: counts of counts, discounts, probabilities, back-offs, totals.",
            "origin": "reference; KenLM lmplz --discount_fallback and query",
            "input": {"texts": U, "queries": texts},
            "cases": [
                {"name": "discounts", "input": {"order": 4}, "expected": {
                    "counts_of_counts": model.counts, "fallback": model.fallback[1:], "discounts": [list(d[1:]) for d in model.discount[1:]],
                    "ngrams": [model.size + 1] + [len(table) for table in model.adjusted[2:]], "vocabulary": model.size, "denominator": model.den[()]}},
                {"name": "probabilities", "input": {"order": 4, "words": [w for w, _ in probabilities], "contexts": [h for _, h in probabilities]},
                 "expected": {"p": [model.p(w, language_model.words(h)) for w, h in probabilities],
                              "log10": [math.log10(model.p(w, language_model.words(h))) for w, h in probabilities]}},
                {"name": "back-off weights", "input": {"order": 4, "contexts": contexts},
                 "expected": {"gamma": [model.gamma(language_model.words(h)) for h in contexts]}},
                {"name": "tokens", "input": {"order": 4}, "expected": {"log10": [model.log10s(text) for text in texts]}},
                *orders,
                {"name": "discount formula", "input": {"t": t}, "expected": {"discounts": list(language_model.discounts(t)[1:])}},
            ],
        },
        "TV-XFIT": {
            "spec": "6.5",
            "about": "Each text scored by the model of the other folds.",
            "origin": "reference",
            "input": {"texts": U, "order": 4},
            "cases": [
                {"name": "six texts", "expected": {"folds": [language_model.fold(text) for text in U],
                                                   "totals": [math.fsum(row) for row in crossed], "log10": crossed}},
                {"name": "one text", "input": {"texts": U[:1]}, "expected": {"log10": language_model.cross_fitted(U[:1], 4)}},
            ],
        },
        "TV-CHAR": {
            "spec": "6.7",
            "about": "Embeddings of character n-grams, float32: fewer dimensions than slices, slices of unequal width, text that is not "
                     "ASCII, a text without words.",
            "origin": "reference",
            "input": {"learned": U[:3], "texts": TEXTS},
            "cases": [char_case(5, 1), char_case(20, 3), char_case(32, 0)],
        },
    }
