# SPDX-License-Identifier: Apache-2.0
"""Word alignment (spec 6.6)."""
import aligner

THREE = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book")]
FIVE = THREE + [("ein Haus ist klein", "a house is small"), ("das Buch ist klein", "the book is small")]


def pharaoh(links):
    """Links as a line of Pharaoh's notation."""
    return " ".join(f"{i}-{j}" for i, j in links)


def points(text):
    return [tuple(int(x) for x in link.split("-")) for link in text.split()]


def table(t):
    return {"source": ["<null>" if e is None else e for e, _ in t], "target": [f for _, f in t], "t": list(t.values())}


def align_case(name, pairs=FIVE, **options):
    """A case of training: log-likelihoods, lambdas and links of the aligner on `pairs` with the options."""
    model = aligner.Aligner(pairs, **options)
    given = {{"lam": "lambda", "bayes": "variational_bayes"}.get(key, key): value for key, value in options.items()}
    expected = {"log_likelihoods": model.likelihoods, "links": [pharaoh(a) for a in model.links], "table": table(model.t)}
    if model.lambdas:
        expected["lambdas"] = model.lambdas
    return {"name": name, "input": given, "expected": expected}


def symmetry_case(name, forward, reverse):
    """A case with the result of every symmetrization of two sets of links."""
    methods = ["intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"]
    return {"name": name, "input": {"forward": forward, "reverse": reverse},
            "expected": {m: pharaoh(aligner.symmetrize(points(forward), points(reverse), m)) for m in methods}}


def vectors():
    """The vectors of aligner.py on five sentence pairs."""
    ibm = []
    for iterations in (1, 2, 5):
        model = aligner.Aligner(THREE, iterations + 1, diagonal=False, bayes=False, null=False, start=0.25)
        ibm.append({"name": f"after iteration {iterations}", "input": {"iterations": iterations},
                    "expected": {"log_likelihood": model.likelihoods[iterations - 1], "table": table(model.t)}})
    texts = {"sources": [s for s, _ in FIVE], "targets": [t for _, t in FIVE]}
    return {
        "TV-IBM1": {
            "spec": "6.6",
            "about": "Model 1 without a null word, plain EM from 1/4.",
            "origin": "reference",
            "input": {"sources": [s for s, _ in THREE], "targets": [t for _, t in THREE]},
            "cases": ibm,
        },
        "TV-ALIGN": {
            "spec": "6.6",
            "about": "Log-likelihoods of five iterations, the table after the fourth and the links.",
            "origin": "reference; fast_align without flags, with -d and with -d -v",
            "input": texts,
            "cases": [
                align_case("model 1", diagonal=False, bayes=False), align_case("diagonal", bayes=False), align_case("default"),
                align_case("tension=gradient", tension="gradient"), align_case("tension=public", tension="public"),
                align_case("p0 0.2, lambda 2", p0=0.2, lam=2.0),
                {"name": "delta", "input": {"i": [1, 2, 1, 3], "m": [2, 2, 3, 3], "n": [2, 2, 4, 4], "lambda": 4.0},
                 "expected": {"delta": [aligner.deltas(i, m, n, 4.0, 0.08, True) for i, m, n in ((1, 2, 2), (2, 2, 2), (1, 3, 4), (3, 3, 4))]}},
                {"name": "digamma", "input": {"x": [0.01, 0.5, 1.0, 3.25, 12.0, 1000.0]},
                 "expected": {"digamma": [aligner.digamma(x) for x in (0.01, 0.5, 1.0, 3.25, 12.0, 1000.0)]}},
            ],
        },
        "TV-SYM": {
            "spec": "6.6",
            "about": "Symmetrization; in the second and third case the order of the passes matters.",
            "origin": "reference; atools",
            "tolerance": 0,
            "cases": [
                symmetry_case("five by five", "0-0 1-1 2-1 3-3", "0-0 1-1 2-2 3-2 4-4"),
                symmetry_case("order", "1-0 1-1", "0-1 1-0"),
                symmetry_case("final", "1-1 1-2 3-0", "0-1 1-2 2-0 3-2"),
                symmetry_case("nothing in common", "0-0", "1-1"),
            ],
        },
    }
