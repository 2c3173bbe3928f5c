# SPDX-License-Identifier: Apache-2.0
"""Phrases (spec 5 and 3.9)."""
import phrases

U = ["the patient has severe headache", "the patient has severe nausea", "severe headache was reported", "the patient was treated",
     "headache was reported", "the patient has fever"]
L = ["the patient was late", "it was reported today"]
NLL = [[0.5, 0.5, 1, 3, 2], [0.5, 0.5, 1, 3, 4], [2.5, 2, 1, 1.5], [0.5, 0.5, 1.5, 2.5], [3, 1, 1.5], [0.5, 0.5, 1, 3.5]]
VECTORS = [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8], [0.28, 0.96], [0.96, -0.28]]
PAIRS = [("die schwere Kopfschmerzen", "the severe headache"), ("schwere Kopfschmerzen gemeldet", "severe headaches reported"),
         ("schwere Kopfschmerzen", "severe headache")]


def joined(listed):
    """Phrases as texts."""
    return [" ".join(p) for p in listed]


def buy_case(ranking, budget, policy):
    """A case of spending a budget of words on a ranking."""
    bought, spent = phrases.buy(ranking, budget, policy)
    return {"name": f"budget {budget}, {policy}", "input": {"budget": budget, "fill": policy},
            "expected": {"phrases": joined(bought), "spent": spent}}


def records(ranking, counts):
    """A ranking with the occurrences and the first place of each phrase."""
    return {"phrases": joined(ranking), "occurrences": [counts.occ(p) for p in ranking],
            "first_row": [counts.places[p][0][0] for p in ranking], "first_word": [counts.places[p][0][1] for p in ranking]}


def hybrid_case(name, scores, **options):
    """A case of the hybrid of sentences and phrases with a budget of 10 words."""
    rows, spent, bought, words = phrases.hybrid(U, L, scores, 10, **options)
    return {"name": name, "input": {"scores": scores, "budget": 10} | options,
            "expected": {"rows": rows, "row_words": spent, "phrases": joined(bought), "phrase_words": words}}


def oracle_case(name, phrase, pairs, links):
    """A case of the phrase oracle: links is a set of (i, j) for each pair."""
    best, how, counts = phrases.oracle(tuple(phrase.split()), pairs, links)
    return {"name": name, "input": {"phrase": phrase, "sources": [s for s, _ in pairs], "targets": [t for _, t in pairs],
                                    "links": [" ".join(f"{i}-{j}" for i, j in sorted(a)) for a in links]},
            "expected": {"translation": best, "how": how, "counts": counts}}


def vectors():
    """The vectors of phrases.py on the corpus U and L."""
    counts, labeled, five = phrases.Counts(U), phrases.Counts(L), phrases.Counts(U, 5)
    ngf, smp, unbounded = phrases.ngf(counts, labeled), phrases.ngf_smp(counts, labeled), phrases.ngf_smp(counts, labeled, five)
    semi = set(phrases.semi_maximal(counts))
    listed = counts.listed()
    repeated = phrases.Counts(["a a a"])
    twice = ["a b c d e"] * 2
    scores = [0.1, 0.2, 0.9, 0.3, 0.8, 0.4]
    huds = phrases.huds_phrases(U, L, NLL, VECTORS, 2, 0.5, prune=False)
    pruned = phrases.huds_phrases(U, L, NLL, VECTORS, 2, 0.5)
    single = phrases.huds_phrases(U, L, NLL, VECTORS, 2, 0.5, occ_min=1)

    def random_case(name, **options):
        drawn = phrases.random_phrases(counts, labeled, 42, 1, **options)
        return {"name": name, "input": {"seed": 42, "round": 1} | options,
                "expected": {"order": joined(drawn), "budget_7": joined(phrases.buy(drawn, 7)[0])}}

    def phrase_records(result):
        chosen, c, u, e, h, score, order = result
        return {"phrases": joined(chosen), "occurrences": [c.occ(p) for p in chosen], "u": u, "e": e, "stratum": h["stratum"],
                "d": h["d"], "H": h["H"], "scores": score, "order": [" ".join(chosen[i]) for i in order]}

    diagonal = [{(i, i) for i in range(len(s.split()))} for s, _ in PAIRS]
    return {
        "TV-PHR": {
            "spec": "5.2",
            "about": "The corpus of section 5: all types with their counts, in order of first occurrence and length.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"unlabeled": U, "labeled": L, "n": 4},
            "cases": [
                {"name": "types", "expected": records(listed, counts) | {
                    "types": len(listed), "tokens": sum(counts.occ(p) for p in listed),
                    "by_length": [sum(1 for p in listed if len(p) == n) for n in range(1, 5)],
                    "labeled": [p in labeled.places for p in listed], "semi_maximal": [p in semi for p in listed]}},
                {"name": "overlapping occurrences", "input": {"unlabeled": ["a a a"], "labeled": []},
                 "expected": {"phrases": joined(repeated.listed()), "occurrences": [repeated.occ(p) for p in repeated.listed()]}},
            ],
        },
        "TV-NGF": {
            "spec": "5.3",
            "about": "Phrases by frequency, then length, then first occurrence.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"unlabeled": U, "labeled": L},
            "cases": [{"name": "ranking", "expected": records(ngf, counts)}] + [buy_case(ngf, 7, p) for p in ("overshoot", "stop", "skip")],
        },
        "TV-SMP": {
            "spec": "5.4",
            "about": "Semi-maximal phrases, their ranking and budgets.",
            "origin": "reference; a brute-force test of all pairs",
            "tolerance": 0,
            "input": {"unlabeled": U, "labeled": L},
            "cases": [
                {"name": "ranking", "expected": records(smp, counts)},
                {"name": "smp_limit=inf", "input": {"smp_limit": "inf"}, "expected": records(unbounded, counts)},
                {"name": "two copies", "input": {"unlabeled": twice, "labeled": []},
                 "expected": {"phrases": joined(phrases.ngf_smp(phrases.Counts(twice), phrases.Counts([])))}},
                {"name": "two copies, smp_limit=inf", "input": {"unlabeled": twice, "labeled": [], "smp_limit": "inf"},
                 "expected": {"phrases": joined(phrases.ngf_smp(phrases.Counts(twice), phrases.Counts([]), phrases.Counts(twice, 5)))}},
            ] + [buy_case(smp, b, p) for b in (5, 6, 8) for p in ("overshoot", "stop", "skip")],
        },
        "TV-RANDP": {
            "spec": "5.5",
            "about": "Random phrases by type or by token.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"unlabeled": U, "labeled": L},
            "cases": [random_case("types"), random_case("without labeled", exclude_labeled=True), random_case("by tokens", by_tokens=True)],
        },
        "TV-HYB": {
            "spec": "5.8",
            "about": "Half of the words for sentences, half for phrases of what is left.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"unlabeled": U, "labeled": L},
            "cases": [hybrid_case("default", scores), hybrid_case("cover", scores, cover=True), hybrid_case("carry", scores, carry=True),
                      hybrid_case("ratio 0.3, skip", scores, ratio=0.3, policy="skip")],
        },
        "TV-ORACLE": {
            "spec": "5.10",
            "about": "Translations of a phrase extracted from aligned references.",
            "origin": "reference",
            "tolerance": 0,
            "cases": [
                oracle_case("majority", "schwere Kopfschmerzen", PAIRS, diagonal),
                oracle_case("loose", "schwere Kopfschmerzen", PAIRS[:1], [{(0, 0), (1, 1), (2, 2), (0, 1)}]),
                oracle_case("untranslatable", "schwere Kopfschmerzen", PAIRS[:1], [{(0, 0)}]),
                oracle_case("fewer words", "a", [("a b", "x y z"), ("a b", "u v"), ("a", "u"), ("a", "x y")],
                            [{(0, 0), (0, 1), (1, 2)}, {(0, 0), (1, 1)}, {(0, 0)}, {(0, 0), (0, 1)}]),
            ],
        },
        "TV-HUDSP": {
            "spec": "3.9",
            "about": "HUDS over phrases with embeddings of sentences.",
            "origin": "reference",
            "input": {"unlabeled": U, "labeled": L, "nll": NLL, "sentence_embeddings": VECTORS, "n_strata": 2, "lambda": 0.5, "gamma": 1.0},
            "cases": [
                {"name": "prune=0", "input": {"occ_min": 2, "prune": 0}, "expected": phrase_records(huds)},
                {"name": "prune=1", "input": {"occ_min": 2, "prune": 1}, "expected": phrase_records(pruned)},
                {"name": "occ_min=1", "input": {"occ_min": 1, "prune": 1}, "expected": phrase_records(single)},
            ],
        },
    }
