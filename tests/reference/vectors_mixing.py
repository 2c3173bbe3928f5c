# SPDX-License-Identifier: Apache-2.0
"""Mixed training data (spec 6.2 to 6.4)."""
import language_model
import mixing
import random_numbers
from vectors_phrases import U

X, Y = "the contract has serious flaws today", "der Vertrag hat heute ernste Mängel"
LINKS = [(0, 0), (1, 1), (2, 2), (3, 4), (4, 5), (5, 3)]
PHRASES = [("severe headache", "starke Kopfschmerzen"), ("fever", "Fieber")]


def vectors():
    model = language_model.Model(U, 4)
    shared = {"texts": U, "order": 4, "x": X, "y": Y, "links": " ".join(f"{i}-{j}" for i, j in LINKS)}

    def switch_case(name, chosen, span):
        best = mixing.switch(model, X, Y, LINKS, chosen, span)
        return {"name": name, "input": {"phrases": [p for p, _ in chosen], "translations": [t for _, t in chosen], "span": span},
                "expected": {"i": best["i"], "phrase": best["phrase"], "source": best["source"], "target": best["target"], "log10": best["log10"]}}

    def context_case(name, norm):
        source, target, phrase, scores = mixing.contextualize(model, X, Y, PHRASES, norm)
        return {"name": name, "input": {"norm": int(norm)}, "expected": {"source": source, "target": target, "phrase": phrase, "scores": scores}}

    table = []
    for chosen in (PHRASES[:1], PHRASES[1:]):
        listed = mixing.candidates(model, X, Y, LINKS, chosen)
        table.append({"name": "candidates of " + chosen[0][0], "input": {"phrases": [chosen[0][0]], "translations": [chosen[0][1]]},
                      "expected": {key: [c[key] for c in listed] for key in ("i", "source", "log10", "span", "consistent")}})
    return {
        "TV-MIXDRAW": {
            "spec": "6.2",
            "about": "Random pairs of L'.",
            "origin": "reference",
            "tolerance": 0,
            "cases": [{"name": "round 1", "input": {"pairs": 10, "M": 4, "seed": 42, "round": 1},
                       "expected": {"picks": random_numbers.stream(42, random_numbers.MIX, 1).sample(10, 4)}}],
        },
        "TV-SWITCH": {
            "spec": "6.3",
            "about": "All positions of a phrase in a retrieved pair; the literal rule would delete a translated word.",
            "origin": "reference; log-probabilities as TV-LM",
            "input": shared,
            "cases": table + [
                switch_case("consistent", PHRASES[:1], "consistent"), switch_case("minmax", PHRASES[:1], "minmax"),
                switch_case("literal", PHRASES[:1], "literal"),
                switch_case("one word", PHRASES[1:], "consistent"), switch_case("both phrases", PHRASES, "consistent"),
            ],
        },
        "TV-CTX": {
            "spec": "6.4",
            "about": "A phrase behind a retrieved pair.",
            "origin": "reference; log-probabilities as TV-LM",
            "input": shared | {"phrases": [p for p, _ in PHRASES], "translations": [t for _, t in PHRASES]},
            "cases": [context_case("total", False), context_case("norm", True)],
        },
    }
