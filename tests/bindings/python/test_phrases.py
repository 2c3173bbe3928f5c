# SPDX-License-Identifier: Apache-2.0
"""Phrases of texts as a pool."""
import pickle

import pytest

import alcore

TEXTS = ["the patient has severe headache", "the patient has severe nausea", "severe headache was reported",
         "the patient was treated", "headache was reported", "the patient has fever"]
LABELED = ["the patient was late", "it was reported today"]


def test_all_of_them():
    found = alcore.phrases(TEXTS, LABELED)
    assert isinstance(found, alcore.Pool) and len(found) == 35
    assert found[0] == "the patient" and found.source[0] == TEXTS[0]
    assert found.get_column("occurrences").tolist()[:4] == [4, 4, 4, 3]
    assert sum(found.get_column("known").tolist()) == 8
    assert len(alcore.phrases(TEXTS, min_count=2)) == 17


def test_semi_maximal_ones():
    found = alcore.phrases(alcore.Pool(TEXTS), LABELED, semi_maximal=True, unknown=True)
    assert found[:3] == ["the patient has severe", "headache was reported", "severe headache"]
    assert found.get_column("first_row").tolist()[:3] == [0, 2, 0]
    assert found.get_column("first_position").tolist()[:3] == [0, 1, 3]
    assert len(alcore.phrases(TEXTS, LABELED, semi_maximal=True, unknown=True, beyond_limit=True)) == 6
    assert "a b c d e f" in list(alcore.phrases(["a b c d e f"], max_words=None, semi_maximal=True))


def test_the_table(tmp_path):
    path = tmp_path / "phrases.tsv"
    alcore.phrases(["a b", "a"], max_words=1, with_letters=True).write_table(path)
    assert path.read_text().splitlines()[1:] == ["a\t2\t1\t0\t0\t0\t1", "b\t1\t1\t0\t1\t0\t1"]


def test_what_cannot_be():
    with pytest.raises(ValueError, match="max_words is 65"):
        alcore.phrases(TEXTS, max_words=65)
    with pytest.raises(ValueError, match="too many to be listed"):
        alcore.phrases(TEXTS, max_words=None)


def test_bought_phrases_are_excluded():
    """A selection of phrases excludes the phrases by their text, in a list of texts as in a pool, and a copy from a pickle too."""
    for texts in (TEXTS, alcore.Pool(TEXTS)):
        for strategy in ("ngf", "ngf-smp", "random-phrase"):
            first = alcore.select(texts, "9w", strategy)
            for earlier in (first, pickle.loads(pickle.dumps(first))):
                again = alcore.select(texts, "9w", strategy, exclude=earlier)
                assert not set(again.texts) & set(first.texts)
                assert again.provenance["masked"]["excluded"] == len(first)
                assert sum(again.provenance["inputs"]["candidates"][name] for name in ("rows",)) == len(first.pool)
            assert alcore.select(texts, "9w", strategy).texts == first.texts  # exclude holds for one call
    derived = alcore.phrases(TEXTS)
    first = derived.select("9w", "ngf")
    assert not set(derived.select("9w", "ngf", exclude=first).texts) & set(first.texts)
    other = alcore.phrases(TEXTS[::-1])
    assert not set(other.select("9w", "ngf", exclude=first).texts) & set(first.texts)


def test_bought_sentences_and_phrases_are_excluded():
    parts = {"sentences": "random", "phrases": "ngf-smp", "ratio": 0.5}
    first = alcore.select(TEXTS, "10w", "hybrid", params=parts)
    kinds = first.column("kind").tolist()
    sentences = [row for row, kind in zip(first.column("first_row").tolist(), kinds) if kind == 0]
    assert 0 < sum(kinds) < len(kinds)
    for earlier in (first, pickle.loads(pickle.dumps(first))):
        left = alcore.select(TEXTS, 6, "random", exclude=earlier)
        taken = set(sentences) | {row for row, text in enumerate(TEXTS) if text in first.texts}
        assert sorted(left.indices) == [row for row in range(6) if row not in taken]
        assert not set(alcore.select(TEXTS, "10w", "hybrid", params=parts, exclude=earlier).texts) & set(first.texts)
    with pytest.raises(ValueError, match="those of its own pool"):
        alcore.select(TEXTS, 1, "random", eligible=first)
    with pytest.raises(ValueError, match="those of its own pool"):
        alcore.select(TEXTS, 1, "random", labeled=first)


def test_phrases_that_are_kept_between_rounds():
    pool, labeled = alcore.Pool(TEXTS), alcore.Pool(LABELED)
    with alcore.Request(pool, labeled=labeled, strategy="ngf-smp", budget="9w", keep_phrases=True) as request:
        for moved in ([], [0], [0, 3]):
            request.set_rows("labeled", moved)
            picked = request.select()
            with alcore.Request(pool, labeled=labeled, strategy="ngf-smp", budget="9w") as new:
                new.set_rows("labeled", moved)
                anew = new.select()
            assert picked.texts == anew.texts and picked.reasons == anew.reasons and picked.texts


def test_selections(tmp_path):
    pool = alcore.Pool(TEXTS)
    picked = pool.select("7w", "ngf-smp", labeled=LABELED)
    assert picked.texts == ["the patient has severe", "headache was reported"] and picked.costs == [4, 3]
    assert isinstance(picked.pool, alcore.Phrases) and picked.pool.source is pool
    assert picked.ids == ["1:0+4", "3:1+3"] and picked.column("first_row").tolist() == [0, 2]
    assert picked.reasons == ["occurs 2 times, in 33 % of the pool",
                              "occurs 2 times, in 33 % of the pool; 1 of 6 longer phrases contains it"]
    assert picked.records[1]["occ"] == 2 and picked.records[1]["first_position"] == 1
    derived = alcore.phrases(TEXTS, LABELED)
    assert derived.select("7w", "ngf-smp", labeled=LABELED).texts == picked.texts
    assert alcore.select(derived, "7w", "ngf-smp", labeled=LABELED).pool is derived
    several = alcore.select(TEXTS, ["3w", "9w"], "ngf", labeled=LABELED, max_n=2)
    assert [len(one) for one in several] == [2, 6] and several[1].texts[:2] == several[0].texts
    with pytest.raises(ValueError, match="those of its own pool"):
        pool.mark_labeled(picked)
    again = pool.select("7w", "ngf-smp", labeled=LABELED + picked.texts)
    assert not set(again.texts) & set(picked.texts)
    picked.write(tmp_path / "picked.jsonl")
    assert '"contexts":[{"id":"1","index":0,' in (tmp_path / "picked.jsonl").read_text()


def test_random_ones():
    picked = alcore.select(TEXTS, "7w", "random-phrase", labeled=LABELED, seed=42)
    assert picked.texts == ["severe nausea", "severe headache was reported", "patient was treated"]
    by_tokens = alcore.select(TEXTS, "7w", "random-phrase", labeled=LABELED, seed=42, weight="tokens")
    assert by_tokens.texts == ["has severe", "fever", "the patient", "severe", "severe nausea"]


def test_hybrids(tmp_path):
    pool = alcore.Pool(TEXTS)
    params = {"sentences": "nnll", "phrases": "ngf-smp", "ratio": 0.5, "phrases.max_n": 3}
    picked = pool.select("10w", "hybrid", labeled=LABELED, scores=[0.1, 0.2, 0.9, 0.3, 0.8, 0.4], params=params)
    assert picked.column("kind").tolist() == [0, 0] + [1] * (len(picked) - 2)
    assert picked.texts[:2] == ["severe headache was reported", "headache was reported"] and picked.spent == sum(picked.costs)
    assert picked.column("first_row").tolist()[:2] == [2, 4] and picked.ids[:2] == ["3", "5"]
    assert type(picked.pool) is alcore.Pool and picked.pool.source is pool
    assert picked.provenance["parts"][1]["parameters"]["max_n"] == 3
    picked.write(tmp_path / "picked.tsv")
    header, first, *_ = [line.split("\t") for line in (tmp_path / "picked.tsv").read_text().splitlines()]
    assert dict(zip(header, first))["kind"] == "sentence"
    with pytest.raises(ValueError, match="buys rows"):
        pool.select("10w", "hybrid", sentences="ngf")
