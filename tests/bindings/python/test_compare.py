# SPDX-License-Identifier: Apache-2.0
"""compare(): the numbers of the command, strategies with names and parameters, and what is refused."""
import json
import os
import subprocess

import pytest

import alcore

TEXTS = ["a b c", "a b", "d e f g", "a", "h 1", "h 2", "b c d", "x y z <v & w"]
COLUMNS = {"scores": [9., 1, 2, 3, 8, 7, 4, 5], "margins": [.1, .9, .8, .3, .7, .6, .2, .5]}


def test_measures():
    found = alcore.compare(TEXTS, 3, ["nnll", "margin"], test=["a h q", "q r"], price="2EUR/i", **COLUMNS)
    nnll, margin, floor = found.strategies
    assert (len(found), [row.name for row in found.strategies]) == (3, ["nnll", "margin", "random"])
    assert (nnll.added, floor.added) == (False, True)
    assert nnll.selection.indices == [0, 4, 5] and margin.selection.texts == ["a b c", "b c d", "a"]
    assert (nnll.items, nnll.words, nnll.amount, nnll.phrases) == (3, 7, 6, None)
    assert (nnll.words_q1, nnll.words_median, nnll.words_q3) == (2, 2, 2.5)
    assert nnll.pool_types[0] == 100 * 6 / 16 and nnll.pool_tokens[0] == 100 * 12 / 23
    assert nnll.test_types == [50, 0, 0] and margin.test_tokens[0] == 20
    assert nnll.near_duplicates == 100 / 3 and nnll.languages == {"unknown": 3} and nnll.samples == ["a b c", "h 1", "h 2"]
    assert found.shared_picks[0][:2] == [3, 1] and found.shared_words[1][:2] == [3, 4]
    assert floor.selection.indices == alcore.select(TEXTS, 3, "random").indices
    assert "nnll, margin, random" in repr(found)


def test_without_a_test_set():
    (row,) = alcore.compare(TEXTS, 3, ["random"]).strategies
    assert row.test_types is None and row.amount is None and row.added is False


def test_names_and_parameters():
    column = {"scores": COLUMNS["scores"], "embeddings": [[row % 3, row % 2 + .5] for row in range(8)]}
    found = alcore.compare(TEXTS, 2, {"even": alcore.Strategy("huds", **{"lambda": .5}), "all": alcore.Strategy("huds", **{"lambda": 0})}, **column)
    assert [row.name for row in found.strategies] == ["even", "all", "random"]
    assert found.document["strategies"][1]["parameters"]["lambda"] == "0"
    assert found.strategies[1].selection.indices == alcore.select(TEXTS, 2, "nnll", scores=COLUMNS["scores"]).indices


def test_an_own_strategy():
    @alcore.strategy
    def longest(view):
        return alcore.Order(sorted(view.rows, key=lambda row: -len(TEXTS[row])))

    found = alcore.compare(TEXTS, 2, [longest])
    assert found.strategies[0].selection.indices == [7, 2]


def test_what_is_refused(tmp_path):
    with pytest.raises(alcore.MissingError, match="strategy kcenter: the column 'embeddings'"):
        alcore.compare(TEXTS, 3, ["nnll", "kcenter"], scores=COLUMNS["scores"])
    with pytest.raises(alcore.Error, match="two of the strategies are called 'random'"):
        alcore.compare(TEXTS, 3, ["random", "random"])
    with pytest.raises(alcore.Error, match="nsq"):
        alcore.compare(TEXTS, 3, ["nsq"])
    with pytest.raises(alcore.Error, match="margins"):
        alcore.compare(TEXTS, 3, ["nnll"], **COLUMNS)
    with pytest.raises(alcore.Error, match="the test set has no words"):
        alcore.compare(TEXTS, 3, ["random"], test=[" "])
    with pytest.raises(alcore.Error, match="the pool has no rows"):
        alcore.compare([], 3, ["random"])
    with pytest.raises(TypeError, match="a list of names"):
        alcore.compare(TEXTS, 3, "random")
    with pytest.raises(ValueError, match="none is named"):
        alcore.compare(TEXTS, 3, [])
    with pytest.raises(TypeError, match="lambda: neither an option nor a column"):
        alcore.compare(TEXTS, 3, ["random"], lambda_=.5)
    found = alcore.compare(TEXTS, 3, ["random"])
    with pytest.raises(alcore.Error, match="c.txt"):
        found.write(tmp_path / "c.txt")
    found.close()
    with pytest.raises(ValueError, match="closed"):
        found.write(tmp_path / "c.tsv")


def test_the_command_says_the_same(build, tmp_path):
    (tmp_path / "pool.txt").write_text("".join(text + "\n" for text in TEXTS))
    (tmp_path / "test.txt").write_text("a h q\nq r\n")
    found = alcore.compare(tmp_path / "pool.txt", "7w", ["ngram-cover", "random"], test=tmp_path / "test.txt", seed=3, masks="templates")
    said = subprocess.run([build / "bindings" / "cli" / "alcore", "compare", "pool.txt", "--budget", "7w", "--strategy", "ngram-cover,random",
                           "--test", "test.txt", "--seed", "3", "--masks", "templates", "--json", "-q"], cwd=tmp_path, check=True, capture_output=True,
                          env=dict(os.environ)).stdout
    assert json.loads(said) == found.document
    found.write(tmp_path / "c.html")
    assert (tmp_path / "c.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_request():
    pool = alcore.Pool(TEXTS)
    with alcore.Request(pool, budget=2) as request:
        found = request.compare(["random", "ngram-cover"])
        assert [row.items for row in found.strategies] == [2, 2]
