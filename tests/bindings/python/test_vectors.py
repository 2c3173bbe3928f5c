# SPDX-License-Identifier: Apache-2.0
"""The vectors of the specification (tests/vectors) through Python."""
import itertools
import json
import math

import pytest

import alcore


@pytest.fixture(scope="module")
def vectors(root):
    files = sorted((root / "tests" / "vectors").glob("*.json"))
    return {name: vector for file in files for name, vector in json.loads(file.read_text(encoding="utf-8"))["vectors"].items()}


def cases(vector):
    """(case, its input with what all cases share)."""
    return [(case, {**vector.get("input", {}), **case.get("input", {})}) for case in vector["cases"]]


def case(vector, name):
    return next(pair for pair in cases(vector) if pair[0]["name"] == name)


def near(values, expected, tolerance=1e-9):
    assert list(values) == pytest.approx([float(v) for v in expected], abs=tolerance, rel=0, nan_ok=True)


def names(count):
    return [f"text {i}" for i in range(count)]


def with_embeddings(rows, kind="text"):
    pool = alcore.Pool([f"{kind} {i}" for i in range(len(rows))])
    pool.set_column("embeddings", rows)
    return pool


def test_ties(vectors):
    for one, given in cases(vectors["TV-TOPK"]):
        scores = given["scores"]
        picked = alcore.select(names(len(scores)), given["k"], "nnll", scores=scores, tie=given["tie"], seed=given["seed"])
        assert picked.indices == one["expected"]["picks"], one["name"]


def test_draws(vectors):
    for name in ("random", "random of even rows"):
        one, given = case(vectors["TV-DRAW"], name)
        picked = alcore.select(names(20), given["k"], "random", eligible=given["rows"], seed=given["seed"], round=given["round"])
        assert picked.indices == one["expected"]["picks"]
    one, given = case(vectors["TV-DRAW"], "candidates")
    assert list(alcore.Pool(names(10)).candidates(given["k"], round=given["round"], seed=given["seed"])) == one["expected"]["picks"]


def test_budgets(vectors):
    for one, given in cases(vectors["TV-FILL"]):
        if "max_similarity" in given:
            continue
        pool = alcore.Pool(names(len(given["costs"])), costs=given["costs"])
        pool.set_column("scores", given["scores"])
        picked = alcore.select(pool, f"{given['budget']:g}u", "nnll", fill=given["fill"])
        assert (picked.indices, picked.spent) == (one["expected"]["picks"], one["expected"]["spent"]), one["name"]


def test_huds(vectors):
    for one, given in cases(vectors["TV-HUDS"]):
        params = {key: given[key] for key in ("lambda", "n_strata", "rescale", "min_stratum") if key in given}
        picked = alcore.select(names(len(given["u"])), given["k"], "huds", scores=given["u"], embeddings=given["embeddings"], params=params)
        assert picked.indices == one["expected"]["order"], one["name"]
        near(picked.column("H", "candidates"), one["expected"]["H"])
        near(picked.column("d", "candidates"), one["expected"]["d"])
        assert list(picked.column("stratum", "candidates")) == one["expected"]["stratum"]


def test_likelihoods(vectors):
    (one, given), = cases(vectors["TV-NNLL"])
    lists = [[float(lp) for lp in row] for row in given["logprobs"]]
    for strategy in ("nnll", "nsp"):
        picked = alcore.select(names(len(lists)), len(lists), strategy, logprobs=lists)
        near(picked.scores, [one["expected"][strategy][i] for i in picked.indices], 1e-6)


def test_classes(vectors):
    for name, strategy, params in (("margin", "uncertainty", {}), ("log margin", "margin", {"margin": "log"}), ("lc", "lc", {}),
                                   ("entropy", "entropy", {})):
        one, given = case(vectors["TV-UNC"], name)
        picked = alcore.select(names(4), 4, strategy, probs=given["probs"], params=params)
        near(picked.scores, [one["expected"]["u"][i] for i in picked.indices])
        assert picked.indices == one["expected"].get("order", picked.indices)


def test_idds(vectors):
    for one, given in cases(vectors["TV-IDDS"]):
        params = {key: given[key] for key in ("alpha", "mode", "self", "sim") if key in given}
        labeled = with_embeddings(given["labeled"], "labeled text") if given["labeled"] else None
        picked = alcore.select(with_embeddings(given["embeddings"]), given["k"], "idds", labeled=labeled, params=params)
        assert picked.indices == one["expected"]["picks"], one["name"]
        near(picked.scores, [one["expected"]["scores"][i] for i in picked.indices])


def test_kcenter(vectors):
    for one, given in cases(vectors["TV-KCENTER"]):
        pool = with_embeddings(given["embeddings"])
        pool.mark_labeled(given["labeled_rows"])
        picked = alcore.select(pool, given["k"], "kcenter")
        assert picked.indices == one["expected"]["picks"]
        near(picked.column("radius"), one["expected"]["radii"])


def test_targets(vectors):
    one, given = case(vectors["TV-AVG"], "default")
    picked = alcore.select(with_embeddings(given["source"]), 5, "average-dist", targets=with_embeddings(given["target"], "target text"))
    assert picked.indices == one["expected"]["order"]
    near([-score for score in picked.scores], [one["expected"]["distances"][i] for i in picked.indices])


def test_target_languages(vectors):
    for one, given in cases(vectors["TV-KNN-BALANCED"]):
        pool = with_embeddings(given["source"])
        pool.set_column("scores", given["u"])
        targets = alcore.Pool([f"target {i}" for i in range(len(given["target"]))], languages=given["target_languages"])
        targets.set_column("embeddings", given["target"])
        params = {"balance_targets": 1} | {key: given[key] for key in ("k", "fill_short") if key in given}
        picked = alcore.select(pool, given["b"], "knn-uncertainty", targets=targets, params=params)
        assert picked.indices == one["expected"]["picks"], one["name"]
        expected = one["expected"]["languages"] + [-1] * len(one["expected"]["appended"])
        assert list(picked.column("target_language")) == expected, one["name"]


def test_uncertainty_of_answers(vectors):
    """Answers over one window or several decide in all three strategies, from lists of lists."""
    for one, given in cases(vectors["TV-ANSWERS"]):
        pool = with_embeddings(given["source"])
        for column, lists in (("qa_start", given["start"]), ("qa_end", given["end"]), ("qa_windows", given["windows"])):
            offsets = list(itertools.accumulate(map(len, lists), initial=0))
            if column != "qa_windows" or given["windowed"]:
                pool.set_column(column, (list(itertools.chain(*lists)), offsets))
        targets = None if given["strategy"] == "uncertainty" else with_embeddings(given["target"], "target text")
        params = {"windows": 1} if given["windowed"] else {"mode": "sum-prob"}
        params |= {key: given[key] for key in ("k", "c") if key in given}
        picked = alcore.select(pool, given["b"], given["strategy"], targets=targets, params=params)
        assert picked.indices == one["expected"]["picks"], one["name"]


def test_same_ratio(vectors):
    """The counts of another selection: as rows, as a Selection, as ids, and as a file of them."""
    one, given = case(vectors["TV-SAMERATIO"], "round 1")
    tags = given["languages"]
    rows = [[row for row, tag in enumerate(tags) if tag == wanted][i] for wanted, count in given["counts"].items() for i in range(count)]
    pool = alcore.Pool([f"text {row}" for row in range(len(tags))], languages=tags)
    picked = alcore.select(pool, 5, "same-ratio", seed=given["seed"], like=rows)
    assert picked.indices == one["expected"]["picks"]
    assert pool.select(5, "same-ratio", seed=given["seed"], like=picked).indices == picked.indices
    assert pool.select(5, "same-ratio", seed=given["seed"], like=[str(row + 1) for row in rows]).indices == picked.indices
    phrases = alcore.select(pool, 4, "ngf")
    assert len(pool.select(4, "same-ratio", like=phrases)) == len(phrases)
    assert pool.select(5, "same-ratio", seed=3).indices != picked.indices  # like is of one call


def test_searches(vectors):
    one, given = case(vectors["TV-MRS"], "ratio")
    ratios, others = alcore.margin_ratios(given["unlabeled"], given["labeled"], given["k"])
    near([1 - ratio for ratio in ratios], one["expected"]["dist"])
    assert list(others) == one["expected"]["nearest"]
    one, given = case(vectors["TV-RHO"], "k = 2")
    assert alcore.knn(given["source"], given["target"], 2).numbers.tolist() == one["expected"]["neighbors"]


def test_language_model(vectors):
    one, given = case(vectors["TV-LM"], "tokens")
    lm = alcore.LanguageModel(given["texts"], order=given["order"])
    for text, expected in zip(given["queries"], one["expected"]["log10"]):
        near([value / math.log(10) for value in lm.token_logprobs(text)], expected, 1e-6)


def test_a_parameter_may_be_called_self(vectors):
    one, given = case(vectors["TV-IDDS"], "oneshot, self included")
    labeled = with_embeddings(given["labeled"], "labeled text")
    strategy = alcore.Strategy("idds", mode="oneshot", self="include")
    picked = alcore.select(with_embeddings(given["embeddings"]), 4, strategy, labeled=labeled)
    near(picked.scores, [one["expected"]["scores"][i] for i in picked.indices])


def test_character_embeddings(vectors):
    for one, given in cases(vectors["TV-CHAR"]):
        pool = alcore.Pool(given["texts"])
        alcore.Model.ngram(alcore.Pool(given["learned"]), dims=given["dims"], seed=given["seed"]).run(pool, "embeddings")
        rows = [i for i, text in enumerate(given["texts"]) if text and text not in given["learned"]]
        for row, values in zip(rows, pool.column_rows("embeddings", rows)):
            near(list(values), one["expected"]["rows"][row], 1e-6)
