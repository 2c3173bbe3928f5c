# SPDX-License-Identifier: Apache-2.0
"""Phrases of texts as a pool."""
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
