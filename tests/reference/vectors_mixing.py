# SPDX-License-Identifier: Apache-2.0
"""Mixed training data (spec 6.2 to 6.4)."""
import language_model
import mixing
import random_numbers
from vectors_phrases import U

X, Y = "the contract has serious flaws today", "der Vertrag hat heute ernste Mängel"
LINKS = [(0, 0), (1, 1), (2, 2), (3, 4), (4, 5), (5, 3)]
PHRASES = [("severe headache", "starke Kopfschmerzen"), ("fever", "Fieber")]


# What the random training sets of TV-MIX ask for; each has a corpus of its own.
SETS = [
    {"kind": "none", "count": 0, "upsample": 2},
    {"kind": "random", "count": 4, "seed": 42},
    {"kind": "random", "count": 99, "seed": 7, "round": 3},
    {"kind": "retrieved", "count": 4},
    {"kind": "retrieved", "count": 99, "unique": 1},
    {"kind": "switched", "count": 5},
    {"kind": "switched", "count": 99},
    {"kind": "switched", "count": 99, "span": "minmax"},
    {"kind": "switched", "count": 99, "span": "literal"},
    {"kind": "contextualized", "count": 6},
    {"kind": "contextualized", "count": 99, "norm": 1},
    {"kind": "retrieved+switched", "count": 6, "k": 2},
    {"kind": "retrieved+contextualized", "count": 6, "k": 1},
    {"kind": "random+retrieved+switched+contextualized", "count": 3, "seed": 5, "upsample": 3, "unique": 1, "norm": 1},
]


def corpus(number):
    """A random corpus: small vocabularies and vectors of small integers, so that ties are common."""
    draw = random_numbers.Generator(1000 + number)

    def text(letters, shortest, longest):
        count = shortest + draw.below(longest - shortest + 1)
        return [letters[draw.below(len(letters))] for _ in range(count)]

    def vector():
        return [float(draw.below(7)) - 3.0 for _ in range(3)]

    labeled, links = [], []
    for _ in range(9):
        x, y = text("abcdef", 1, 7), text("UVWXYZ", 1, 7)
        if labeled and draw.below(4) == 0:
            x = labeled[draw.below(len(labeled))][0].split()
        joined = {(draw.below(len(x)), draw.below(len(y))) for _ in range(len(x) + 1)}
        joined |= {(i, i) for i in range(min(len(x), len(y))) if draw.below(2)}
        labeled.append([" ".join(x), " ".join(y)])
        links.append(" ".join(f"{i}-{j}" for i, j in sorted(joined)))
    pool = [" ".join(text("abcdef", 1, 8)) for _ in range(14)]
    items = []
    for _ in range(8):
        row = draw.below(len(pool))
        w = pool[row].split()
        if draw.below(5) == 0:
            items.append({"kind": "sent", "text": pool[row], "row": row})
        else:
            first = draw.below(len(w))
            p = w[first : first + 1 + draw.below(3)]
            items.append({"kind": "phrase", "text": " ".join(p), "row": row})
        items[-1]["translation"] = None if draw.below(6) == 0 else " ".join(text("uvwxyz", 1, 3))
    return {"labeled": labeled, "links": links, "labeled_vectors": [vector() for _ in labeled],
            "pool": pool, "pool_vectors": [vector() for _ in pool], "items": items}


def mix_case(number, asked):
    data = corpus(number)
    names = {"round": "round_"}
    pairs = mixing.training_set(data, **{names.get(name, name): value for name, value in asked.items()})
    expected = {name: [p[name] for p in pairs] for name in pairs[0]} if pairs else {"kind": []}
    return {"name": f"set {number}", "input": data | asked, "expected": expected}


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

    # A unigram model of words that occur once each, and phrases that it does not know: all
    # candidates are equally probable.
    alike = {"texts": ["a b c f"], "order": 1, "x": "a b c f"}
    unknown = [("d", "D"), ("e", "E")]
    unknown_input = {"phrases": [p for p, _ in unknown], "translations": [t for _, t in unknown]}
    alike_model = language_model.Model(alike["texts"], alike["order"])

    def tie_case(name, y, links, span, phrases=unknown):
        best = mixing.switch(alike_model, alike["x"], y, links, phrases, span)
        chosen = {"phrases": [p for p, _ in phrases], "translations": [t for _, t in phrases]}
        return {"name": name, "input": alike | chosen | {"y": y, "links": " ".join(f"{i}-{j}" for i, j in links), "span": span},
                "expected": {key: best[key] for key in ("i", "phrase", "source", "target", "log10")}}

    def context_tie_case(name):
        source, target, phrase, scores = mixing.contextualize(alike_model, alike["x"], "A B C", unknown)
        return {"name": name, "input": alike | unknown_input | {"y": "A B C", "links": "", "norm": 0},
                "expected": {"source": source, "target": target, "phrase": phrase, "scores": scores}}

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
        "TV-MIX": {
            "spec": "6",
            "about": "Training sets of random corpora, with the origin of each pair.",
            "origin": "reference; log-probabilities as TV-LM",
            "cases": [mix_case(number, asked) for number, asked in enumerate(SETS)],
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
                tie_case("a tie goes to the first word and phrase", "A B C", [(0, 0), (1, 1), (2, 2)], "consistent"),
                tie_case("four words of the target for one word", "A B C D", [(0, 0), (0, 3), (1, 1), (2, 2)], "minmax"),
                tie_case("not five words of the target for one word", "A B C D E", [(0, 0), (0, 4), (1, 1), (2, 2)], "minmax"),
                tie_case("six words of the target for three words", "A B C D E F", [(0, 0), (0, 5), (3, 3)], "minmax", [("d d d", "D")]),
                tie_case("not seven words of the target for three words", "A B C D E F G", [(0, 0), (0, 6), (3, 3)], "minmax", [("d d d", "D")]),
            ],
        },
        "TV-CTX": {
            "spec": "6.4",
            "about": "A phrase behind a retrieved pair.",
            "origin": "reference; log-probabilities as TV-LM",
            "input": shared | {"phrases": [p for p, _ in PHRASES], "translations": [t for _, t in PHRASES]},
            "cases": [context_case("total", False), context_case("norm", True), context_tie_case("a tie goes to the first phrase")],
        },
    }
