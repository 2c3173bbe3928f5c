# SPDX-License-Identifier: Apache-2.0
"""Analyses, by the vectors of the specification."""
import json
import math

import pytest

import alcore
from alcore import analysis, plots


@pytest.fixture(scope="module")
def vectors(root):
    return lambda topic, name: json.loads((root / "tests" / "vectors" / (topic + ".json")).read_text())["vectors"][name]


def test_cost(vectors):
    vector = vectors("analyses", "TV-COST")
    for case in vector["cases"]:
        for words, usd in zip(vector["input"]["words"], case["expected"]["usd"]):
            found = analysis.cost(words, model=case["name"], bleu_gain=4)
            assert found.usd == pytest.approx(usd, abs=1e-6) and found.usd_per_bleu == pytest.approx(usd / 4)
            assert math.isnan(found.usd_per_type)
    assert analysis.cost(10, rate=0.5, in_domain_types=2)[::2] == (5.0, 2.5)
    with pytest.raises(ValueError, match="rate, linear, power"):
        analysis.cost(1, model="cubic")
    with pytest.raises(alcore.InvalidError, match="words"):
        analysis.cost(-1)


def test_neighborhood(vectors):
    vector = vectors("multilingual", "TV-RHO")
    given = vector["input"]
    for case in vector["cases"]:
        (found,) = analysis.neighborhood(given["source"], given["target"], given["u_source"], given["u_target"], case["input"]["k"])
        assert found == pytest.approx((case["input"]["k"], case["expected"]["rho"], case["expected"]["p"]), abs=1e-12)
    every = analysis.neighborhood(given["source"], given["target"], given["u_source"], given["u_target"])
    assert [one.k for one in every] == [1, 2, 4]
    assert every[1].rho == pytest.approx(vector["cases"][0]["expected"]["rho"])
    with pytest.raises(alcore.ShapeError):
        analysis.neighborhood(given["source"], given["target"], given["u_source"][1:], given["u_target"], 1)


def test_composition():
    pool = alcore.Pool(["text %d" % row for row in range(6)], languages=["fr", "de"] * 3)
    pool.set_column("embeddings", [[float(row)] for row in range(6)])
    target = alcore.Pool(["t", "u"], languages=["de", "de"])
    target.set_column("embeddings", [[0.0], [5.0]])
    found = analysis.composition(pool, [1, 2], uncertainty=range(6), target=target, other=[2, 3], neighbors=2)
    assert found == analysis.Composition(2, {"de": 1, "fr": 1}, 1, 1.5, 1.5, 2.5, 2, 1, pytest.approx(1 / 3))
    plain = analysis.composition(pool, [0, 0, 4], other=[])
    assert plain == analysis.Composition(2, {"de": 0, "fr": 3}, None, None, None, None, None, None, 0.0)
    assert analysis.languages(pool, []) == {"de": 0, "fr": 0}
    picked = pool.select(2, "random")
    assert sum(analysis.languages(pool, picked).values()) == 2
    with pytest.raises(alcore.NotFoundError):
        analysis.languages(pool, [6])


def test_composition_of_phrases():
    pool = alcore.Pool(["the %s heart has a %s" % (one, two) for one in ("big", "old") for two in ("fever", "cold", "pain")],
                       languages=["fr", "de"] * 3)
    uncertainty = [row / 8 for row in range(6)]
    phrases = pool.select("6w", "ngf", params={"max_n": 1})
    hybrid = pool.select("12w", "hybrid", params={"sentences": "random", "phrases": "ngf"})
    for picked, rows in ((phrases, [row for (row,) in phrases.pool.column_rows("first_row", phrases.indices).tolist()]),
                         (hybrid, hybrid.column("first_row").tolist())):
        assert len(set(rows)) < len(rows) == len(picked)  # several phrases occur first in the same row
        found = analysis.composition(pool, picked, uncertainty=uncertainty, other=picked)
        assert (found.rows, found.jaccard) == (len(set(rows)), 1.0)
        assert found.mean_uncertainty == pytest.approx(sum(set(rows)) / 8 / len(set(rows)))
        for counts, counted in ((found.languages, set(rows)), (analysis.languages(pool, picked), rows)):
            assert counts == {"de": sum(row % 2 for row in counted), "fr": sum(1 - row % 2 for row in counted)}
    assert set(hybrid.column("kind").tolist()) == {0, 1}


def test_projection(vectors):
    vector = vectors("analyses", "TV-PCA")
    rows, (case,) = vector["input"]["rows"], vector["cases"]
    found = analysis.projection(rows, rows[:2])
    expected = case["expected"]
    for name, wanted in (("points", expected["projections"]), ("other_points", expected["projections"][:2]),
                         ("components", expected["components"])):
        for one, other in zip(getattr(found, name).tolist(), wanted):
            assert one == pytest.approx(other, abs=1e-9)
    assert found.rows == 5 and found.eigenvalues == pytest.approx(expected["eigenvalues"][:2])
    assert found.shares == pytest.approx(expected["explained"])
    pool = alcore.Pool(["a", "b", "c", "d", "e"])
    pool.set_column("mine", rows)
    again = analysis.projection((pool, "mine"), mask=[1, 1, 1, 1, 0])
    assert again.rows == 4 and again.other_points is again.components is None and math.isnan(again.points.tolist()[4][0])


def test_plots_are_written(tmp_path):
    series, x, y = ["a", "a", "b<"], [1, 1, 2], [3.0, 5.0, 4.0]
    plots.write_curves(tmp_path / "c.tsv", series, x, y, band="sd")
    assert (tmp_path / "c.tsv").read_text().splitlines()[1] == "a\t\t1\t2\t4\t1.4142135623730951\t1"
    plots.write_curves(str(tmp_path / "c.svg"), series, x, y, rounds=[1, 1, 1], title="Title", x_label="words", y_label="BLEU")
    drawn = (tmp_path / "c.svg").read_text()
    assert "b&lt;</text>" in drawn and ">BLEU</text>" in drawn and "<title>Title</title>" in drawn
    plots.write_points(tmp_path / "p.tsv", series, x, y, rounds=[0, 0, 3], equal_scales=True)
    assert (tmp_path / "p.tsv").read_text().splitlines()[3] == "b<\t3\t2\t4"
    with pytest.raises(ValueError, match="y: 1 were given for 3 series"):
        plots.write_points(tmp_path / "p.svg", series, x, [1])
    with pytest.raises(alcore.UnsupportedError, match=".svg"):
        plots.write_points(tmp_path / "p.png", series, x, y)
    with pytest.raises(alcore.DataError, match="observation 2"):
        plots.write_points(tmp_path / "p.svg", series, x, [1, 2, math.nan])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.svg", "c.tsv", "p.tsv"]
