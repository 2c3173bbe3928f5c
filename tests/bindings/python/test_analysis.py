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


def test_neighborhood_of_thousands():
    """On a line the k nearest rows are an interval, whose mean is known: the uncertainty is the row's number."""
    rows = 8300
    source, targets = [[float(row)] for row in range(rows)], [0.0, 3000.25, 4000.25, 8299.0]
    own = [0.5, 0.1, 0.9, 0.7]
    found = analysis.neighborhood(source, [[place] for place in targets], list(map(float, range(rows))), own)
    assert [one.k for one in found] == [2 ** power for power in range(14)]
    for one in found:
        firsts = [min(max(math.ceil(place - one.k / 2), 0), rows - one.k) for place in targets]
        means = [first + (one.k - 1) / 2 for first in firsts]
        assert one.rho == pytest.approx(alcore.metrics.pearson(own, means).rho, abs=1e-9)
    with pytest.raises(alcore.InvalidError, match="8193; expected 1 to 8192"):
        analysis.neighborhood(source, source[:4], own * 2075, own, 8193)


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
    plots.write_curves(tmp_path / "c.svg", series, x, y, width=210, height=530)
    assert 'width="210.0" height="530.0"/>' in (tmp_path / "c.svg").read_text()
    plots.write_points(tmp_path / "p.tsv", series, x, y, rounds=[0, 0, 3], equal_scales=True)
    assert (tmp_path / "p.tsv").read_text().splitlines()[3] == "b<\t3\t2\t4"
    plots.write_points(tmp_path / "p.tsv", series, x, y, columns={"index": [4, 5, 6], "H": [0.5, 1, math.nan]})
    assert (tmp_path / "p.tsv").read_text().splitlines()[::3] == ["series\tround\tx\ty\tindex\tH", "b<\t1\t2\t4\t6\t"]
    with pytest.raises(ValueError, match="H: 1 were given for 3 series"):
        plots.write_points(tmp_path / "p.tsv", series, x, y, columns={"H": [1]})
    with pytest.raises(ValueError, match="y: 1 were given for 3 series"):
        plots.write_points(tmp_path / "p.svg", series, x, [1])
    with pytest.raises(alcore.UnsupportedError, match=".svg"):
        plots.write_points(tmp_path / "p.png", series, x, y)
    with pytest.raises(alcore.DataError, match="observation 2"):
        plots.write_points(tmp_path / "p.svg", series, x, [1, 2, math.nan])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.svg", "c.tsv", "p.tsv"]


def _table_7(**how):
    texts = ["text %d of %s words" % (row, "few many some".split()[row % 3]) for row in range(60)]
    columns = {"scores": [row * 7919 % 61 / 61 for row in range(60)], "embeddings": [[row % 7 - 3.0, row * 5 % 11 - 5.0] for row in range(60)]}
    return texts, columns


def test_ablate():
    texts, columns = _table_7()
    found = alcore.ablate(texts, 8, "huds", test=["text of many unknown"], **columns)
    assert [one.value for one in found] == [0, .1, .3, .5, .7, .9, 1]
    ends = [set(alcore.select(texts, 8, "huds", lambda_=end, **columns).indices) for end in (0, 1)]
    for one in found:
        alone = alcore.select(texts, 8, "huds", lambda_=one.value, **columns)
        assert one.selection.indices == alone.indices and one.items == 8 and one.phrases is None
        assert one.words == sum(len(text.split()) for text in alone.texts)
        assert (one.share_of_0, one.share_of_1) == tuple(len(set(alone.indices) & end) / 8 for end in ends)
        covered = {"text", "of", "many", "unknown"} & {word for text in alone.texts for word in text.split()}
        assert one.overlap == pytest.approx(25 * len(covered))
    pool = alcore.Pool(texts)
    for name, values in columns.items():
        pool.set_column(name, values)
    (one,) = alcore.ablate(pool, 8, "huds", values=[.3], exclude=[found[2].selection.indices[0]])
    assert one.overlap is None and found[2].selection.indices[0] not in one.selection.indices
    with pytest.raises(alcore.ParamError, match="gold has no parameters"):
        alcore.ablate(pool, 8, "gold")
    with pytest.raises(alcore.InvalidError, match="count of 1 or more"):
        alcore.ablate(pool, 8, "huds", values=[])


def test_ablate_a_hybrid(tmp_path):
    texts, _ = _table_7()
    (tmp_path / "test.txt").write_text("text 5\nnothing\n")
    found = alcore.ablate(texts, "30w", "hybrid", values=[0, .5, 1], test=tmp_path / "test.txt", params={"sentences": "random"})
    assert [one.phrases for one in found][::2] == [found[0].items, 0] and 0 < found[1].phrases < found[1].items
    assert found[0].share_of_0 == found[2].share_of_1 == 1.0
    with alcore.Request(alcore.Pool(texts), strategy=alcore.Strategy("hybrid", sentences="random"), budget="30w") as request:
        again = request.ablate([.5], parameter="ratio", test=["text 5", "nothing"])
        assert again[0][:-1] == found[1][:-1] and again[0].selection.texts == found[1].selection.texts
        assert request.select().texts == found[1].selection.texts


def test_leverage(tmp_path):
    pool = alcore.Pool(["open this file in a new window", "save it", "something else", "save it"], ids=["a", "b", "c", "d"], dedup="none")
    (tmp_path / "memory.txt").write_text("open the file in a new window\nunlike\n")
    found = analysis.leverage(pool, ["a", "b", "d"], tmp_path / "memory.txt")
    assert found.rows == {"repeated": 1, "100": 0, "95": 0, "85": 1, "75": 0, "50": 0, "none": 1}
    assert found.words == {"repeated": 2, "100": 0, "95": 0, "85": 7, "75": 0, "50": 0, "none": 2}
    assert analysis.leverage(pool, [1], alcore.Pool(["save it"])).rows["100"] == 1


def test_duplicates(tmp_path):
    test, train = ["one text", "One  Text", "another", "", "one text"], ["another", "one text"]
    assert analysis.duplicates(test, train) == analysis.Duplicates(75.0, 3, 4, 1)
    assert analysis.duplicates(test, train, dedup="normalized") == analysis.Duplicates(100.0, 4, 4, 2)
    (tmp_path / "train.txt").write_text("\n".join(train) + "\n")
    assert analysis.duplicates(alcore.Pool(test, dedup="none"), tmp_path / "train.txt") == analysis.Duplicates(75.0, 3, 4, 0)
    assert math.isnan(analysis.duplicates([], train).duplicates)
    pool = alcore.Pool(test)
    with pytest.raises(alcore.InvalidError, match="two pools"):
        analysis.duplicates(pool, pool)
