# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbors and margin ratios, in and out as arrays."""
import pytest

import alcore

ROWS = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [5.0, 5.0], [6.0, 5.0]]
QUERIES = [[0.25, 0.0], [5.375, 5.0]]


def listed(neighbors):
    return neighbors.numbers.tolist(), neighbors.values.tolist()


def test_lists():
    assert listed(alcore.knn(ROWS, QUERIES, 2)) == ([[0, 1], [3, 4]], [[0.0625, 0.5625], [0.140625, 0.390625]])


def test_both_ways():
    of_queries, of_rows = alcore.knn(ROWS, QUERIES, 1, both=True)
    assert of_queries.numbers.tolist() == [[0], [3]]
    assert of_rows.numbers.tolist() == [[0], [0], [0], [1], [1]]


def test_masked():
    found = alcore.knn(ROWS, QUERIES, 1, mask=[0, 1, 1, 1, 1], query_mask=[1, 0])
    assert found.numbers.tolist() == [[1], [-1]]
    with pytest.raises(ValueError, match="mask has 1 entries for 5 rows"):
        alcore.knn(ROWS, QUERIES, mask=[1])


def test_numpy():
    numpy = pytest.importorskip("numpy")
    random = numpy.random.default_rng(3)
    rows = random.standard_normal((900, 40)).astype("float32")
    queries = random.standard_normal((30, 40)).astype("float32")
    found = alcore.knn(rows, queries, 5)
    squares = ((queries[:, None].astype("d") - rows[None].astype("d")) ** 2).sum(2)
    order = numpy.argsort(squares, axis=1, kind="stable")[:, :5]
    assert (found.numbers == order).all()
    assert numpy.allclose(found.values, numpy.take_along_axis(squares, order, 1), rtol=1e-12)
    cosine = alcore.knn(rows[::2].astype("float16"), queries, 3, metric="cosine")
    assert cosine.values.max() <= 1.0 and cosine.numbers.shape == (30, 3)
    unit = alcore.knn(rows, queries, 5, metric="dot", unit=True)
    assert (unit.numbers == alcore.knn(rows, queries, 5, metric="cosine").numbers).all()


def test_pool():
    with alcore.Pool(["a b", "c d", "e f", "g h", "i j"]) as pool:
        pool.set_column("embeddings", ROWS)
        assert listed(alcore.knn(pool, QUERIES, 2)) == listed(alcore.knn(ROWS, QUERIES, 2))
        assert listed(alcore.knn(ROWS, (pool, "embeddings"), 2)) == listed(alcore.knn(ROWS, ROWS, 2))
        with pytest.raises(alcore.NotFoundError, match="embedding"):
            alcore.knn((pool, "embedding"), QUERIES)


def test_margin_ratios():
    ratios, others = alcore.margin_ratios([[1, 0.0], [0.6, 0.8], [0, 1]],
                                          [[0.8, 0.6], [1, 0.1], [-0.6, 0.8], [0.96, 0.28]], k=2)
    assert [round(ratio, 6) for ratio in ratios.tolist()] == [1.097458, 1.090909, 1.290323]
    assert others.tolist() == [1, 0, 2]


def test_refused():
    with pytest.raises(alcore.InvalidError, match="k is 2000"):
        alcore.knn(ROWS, QUERIES, 2000)
    with pytest.raises(ValueError, match="none of l2, dot, cosine"):
        alcore.knn(ROWS, QUERIES, metric="manhattan")
    with pytest.raises(alcore.ShapeError):
        alcore.knn(ROWS, [[1.0]])
    with pytest.raises(alcore.DataError, match="rows: row 1 has the value NaN at 0"):
        alcore.knn([[1.0], [float("nan")]], [[1.0]])
