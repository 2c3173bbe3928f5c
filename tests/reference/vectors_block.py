# SPDX-License-Identifier: Apache-2.0
"""TV-BLOCK (spec 1.8): bit for bit. Hexadecimal floats are all the bits; digests are hash64 of an array as little-endian
int64 or double."""
import block

UNIFORMS = [0.0, 0.25, 0.5, 0.75, float.fromhex("0x1.a46538d6c5e9dp-2"), float.fromhex("0x1.a46538d6c5e9ep-2")]


def hexed(values):
    """Doubles as hexadecimal texts, which hold all bits."""
    return [float(value).hex() for value in values]


def case(data):
    """What every kernel and strategy gives over the rows of one Data, as first values and digests of whole arrays."""
    x = data.x
    zero, one = x[:, :1], x[:, 1]
    pair = [block.dots(zero, one)[0], block.sqds(zero, one)[0]]
    norms = [block.math.sqrt(block.dots(v, v)[0]) for v in (zero, one[:, None])]
    pair.append(block.cosines(pair[0], block.np.array(norms[0]), norms[1]))
    unit = block.units(x[:, : block.POOL])
    sums = [block.block_sum(unit, data.members(s)) for s in range(block.STRATA)]
    shown = range(data.dims) if data.dims <= 5 else (0, data.dims - 1)
    expected = {"pair": hexed(pair),
                "sums": {"components": list(shown), "values": [hexed(s[j] for j in shown) for s in sums],
                         "digest": block.digest(block.np.concatenate(sums))}}
    for name, flag in (("huds", False), ("huds unit", True)):
        order, h = block.huds(data, flag)
        expected[name] = {"first": order[:10].tolist(), "order": block.digest(order), "H": block.digest(h)}
    picks, radii = block.kcenter(data, 100)
    expected["kcenter"] = {"first": picks[:5], "picks": block.digest(picks), "radii": block.digest(radii)}
    picks, radii = block.composable(data, 100, 100)
    rounds, _ = block.composable(data, 100, 20)
    expected["kcenter composable"] = {"picks": block.digest(picks), "radii": block.digest(radii), "rounds": block.digest(rounds)}
    picks, scores = block.idds(data, 100)
    expected["idds"] = {"first": picks[:5], "picks": block.digest(picks), "scores": block.digest(scores)}
    picks = block.badge(data, 100)
    expected["badge"] = {"first": picks[:5], "picks": block.digest(picks)}
    expected["badge oversampling"] = {"picks": block.digest(block.oversampled(data, 100, 5, 100)),
                                      "turns": block.digest(block.oversampled(data, 100, 2, 9))}
    picks, values = block.knn(data, 10)
    expected["knn"] = {"first": picks[:10], "rows": block.digest(picks), "sqd": block.digest(values)}
    initial, passes, cluster, centroids = block.kmeans(data, 8)
    expected["kmeans"] = {"initial": initial, "passes": passes, "cluster": block.digest(cluster), "centroids": block.digest(centroids)}
    means = block.average(data)
    expected["average-dist"] = {"first": hexed(means[:1]), "distances": block.digest(means)}
    return {"name": "rows", "expected": expected}


def block_vector(dims):
    """The vector for embeddings of that many dimensions."""
    data = block.Data(dims)
    weights = block.np.where(block.np.arange(block.POOL) % 97 == 3, 0.0, data.u)
    return {
        "spec": "1.8",
        "about": "20,000 rows with duplicates, 207 of them labeled, in three blocks of which the last is short: sums, draws, orders "
                 "and picks to the last bit. x[i, j] is float32(f64() - 0.5) drawn in row order with seed dims; u is f64() with seed 1; "
                 "row i with i mod 1000 = 999 is a copy of row i - 500; rows with i mod 97 = 3 are labeled; the ten rows behind the "
                 "pool are queries.",
        "origin": "reference; a second program in C",
        "tolerance": 0,
        "input": {"dims": dims, "rows": block.POOL, "queries": block.QUERIES, "seed": block.SEED, "round": block.ROUND,
                  "n_strata": block.STRATA, "lambda": 0.5, "uniforms": hexed(UNIFORMS)},
        "cases": [
            {"name": "u", "expected": {"mean_sd": hexed(block.moments(data)), "strata": [len(data.members(s)) for s in range(3)],
                                       "labeled": len(data.labeled), "weighted": [block.weighted(weights, u) for u in UNIFORMS]}},
            case(data),
        ],
    }


def vectors():
    return {"TV-BLOCK": block_vector(5)}
