# SPDX-License-Identifier: Apache-2.0
"""Strata, k-means and the hybrid score (spec 3)."""
import arithmetic
import huds
import kmeans
import random_numbers

U = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5]
E = [[1.0, 0.0], [0.0, 1.0], [3.0, 4.0], [4.0, 3.0], [1.0, 0.0], [-1.0, 0.0], [2.0, 0.0], [2.0, 0.0]]


def stratum_case(name, values, n, mode="equal"):
    """A case of cutting scores into strata: the strata and the edges."""
    stratum, edges = huds.strata(values, n, mode)
    return {"name": name, "input": {"scores": values, "n_strata": n, "strata": mode}, "expected": {"stratum": stratum, "edges": edges}}


def huds_case(name, k=4, u=None, e=None, **options):
    """A case of HUDS over the rows of U and E, or of u and e: everything that is reported, and the first k rows.
    options are named as the strategy's parameters."""
    given = dict(options)
    u, e = u or U, e or E
    result = huds.huds(list(range(len(u))), u, e, **{{"lambda": "lambda_", "rescale": "rescale_mode"}.get(key, key): value
                                                      for key, value in options.items()})
    expected = {key: result[key] for key in ("stratum", "edges", "d", "H")}
    expected["centroids"] = [result["centroids"][s][0] for s in sorted(result["centroids"])]
    expected["order"] = result["ranking"][:k]
    given.update({"k": k} | ({} if u is U else {"u": u, "embeddings": e}))
    return {"name": name, "input": given, "expected": expected}


def kmeans_case(name, x, initial, k=None, seed=None):
    """A case of k-means over the vectors x, from the rows `initial` as first centroids, or from k drawn ones (None)."""
    rows = list(range(len(x)))
    given = {"embeddings": x}
    if initial is None:
        initial = kmeans.seed_rows(rows, x, k, random_numbers.stream(seed, random_numbers.KMEANS, 1))
        given |= {"k": k, "seed": seed, "round": 1, "stratum": 0}
    else:
        given |= {"initial": initial}
    cluster, centroids, passes = kmeans.lloyd(rows, x, [x[i] for i in initial])
    return {"name": name, "input": given,
            "expected": {"initial": initial, "cluster": [cluster[i] for i in rows], "centroids": centroids, "passes": passes,
                         "d": [1 - arithmetic.cos(x[i], centroids[cluster[i]]) for i in rows]}}


def vectors():
    """The vectors of huds.py and kmeans.py."""
    tenths = [i / 10.0 for i in range(11)]
    sevenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    scale = [1.0, 2.0, 4.0, 7.0]
    return {
        "TV-STRATA": {
            "spec": "3.2",
            "about": "Scores on edges, equal scores, more strata than scores need, strata of equal counts.",
            "origin": "reference",
            "tolerance": 0,
            "cases": [
                stratum_case("tenths in 10", tenths, 10),
                stratum_case("sevenths in 3", sevenths, 3),
                stratum_case("sevenths in 6", sevenths, 6),
                stratum_case("a score on an edge", scale, 3),
                stratum_case("equal scores", [2.0] * 4, 10),
                stratum_case("quantile", [5.0, 1.0, 1.0, 9.0, 3.0, 3.0, 2.0], 3, "quantile"),
            ],
        },
        "TV-KMEANS": {
            "spec": "3.3",
            "about": "Given and drawn first centroids, an empty cluster.",
            "origin": "reference",
            "cases": [
                kmeans_case("given", [[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 3.0], [0.5, 0.5]], [0, 3]),
                kmeans_case("an empty cluster", [[0.0, 0.0], [0.0, 0.0], [4.0, 0.0], [10.0, 0.0]], [0, 1]),
                kmeans_case("drawn", [[0.0, 0.0], [0.0, 1.0], [5.0, 0.0], [5.0, 1.0], [10.0, 0.0], [10.0, 1.0], [20.0, 5.0], [21.0, 5.0]],
                            None, 3, 42),
            ],
        },
        "TV-HUDS": {
            "spec": "3.5",
            "about": "Eight rows in four strata; rows 2, 4 and 6 lie on an edge, and 4 and 6 tie at lambda 0.5.",
            "origin": "reference",
            "input": {"u": U, "embeddings": E},
            "cases": [huds_case(f"lambda {value:g}", n_strata=4, **{"lambda": value}) for value in (0.5, 0.0, 0.9, 1.0)]
            + [huds_case(f"minmax, lambda {value:g}", n_strata=4, rescale="minmax", **{"lambda": value}) for value in (0.5, 0.9)]
            + [huds_case(f"{mode}, lambda 0.5", n_strata=4, rescale=mode, **{"lambda": 0.5}) for mode in ("zscore", "rank")]
            + [
                huds_case("one stratum, lambda 1", n_strata=1, **{"lambda": 1.0}),
                huds_case("small strata, lambda 1", n_strata=8, min_stratum=2, **{"lambda": 1.0}),
                huds_case("equal scores", 2, [2.0] * 4, [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]], n_strata=4, **{"lambda": 0.5}),
            ],
        },
        "TV-RESCALE": {
            "spec": "3.4",
            "about": "Common scales of one term.",
            "origin": "reference",
            "input": {"values": scale},
            "cases": [{"name": mode, "expected": {"values": huds.rescale(range(4), scale, mode)}} for mode in ("minmax", "zscore", "rank")]
            + [{"name": f"{mode} of equal values", "input": {"values": [0.1] * 3}, "expected": {"values": huds.rescale(range(3), [0.1] * 3, mode)}}
               for mode in ("minmax", "zscore", "rank")],
        },
    }
