# SPDX-License-Identifier: Apache-2.0
"""Files that today's packages wrote, frozen: what is read of them is what those packages read (tests/engines/current/make_files.py
has the versions)."""
import json
import logging
import os

import pytest

import alcore

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "package_files")
with open(os.path.join(FOLDER, "expected.json"), encoding="utf-8") as file:
    EXPECTED = json.load(file)


def path_of(name):
    return os.path.join(FOLDER, name)


@pytest.mark.parametrize("name", sorted(EXPECTED["arrays"]))
def test_arrays(name):
    rows = EXPECTED["arrays"][name]
    with alcore.Pool(["text %d" % row for row in range(len(rows))]) as pool:
        pool.read_column("numbers", path_of(name))
        for order in ([0, 1, 2, 3], [2, 0], [3]):
            found = pool.column_rows("numbers", order)
            assert [[float(value) for value in row] for row in found.tolist()] == [rows[row] for row in order]


@pytest.mark.parametrize("name", sorted(EXPECTED["models"]))
def test_models(name, caplog):
    texts = [text for text, _ in EXPECTED["models"][name]]
    with caplog.at_level(logging.WARNING, "alcore"):
        model = alcore.LanguageModel.read(path_of(name))
    assert ("has no unigram <unk>" in caplog.text) == (name == "srilm.arpa")
    with model:
        for (text, expected), found in zip(EXPECTED["models"][name], model.score(texts)):
            assert found == pytest.approx(expected, abs=2e-5), text


def test_test_sets():
    fields = EXPECTED["test_sets"]
    choices = {"src": dict(side="src"), "ref:A": dict(translator="A"), "ref:B": dict(side="ref", translator="B"), "Sys-1": dict(system="Sys-1")}
    for field, choice in choices.items():
        with alcore.Pool([]) as pool:
            pool.read(path_of("wmt.xml"), **choice)
            assert pool[:] == fields[field]
            assert [pool.group(row) for row in range(len(pool))] == fields["docid"]
    with alcore.Pool([]) as pool:
        pool.read(path_of("wmt.xml"), references=path_of("wmt.xml"), side="src", translator="B", domain="news")
        pairs = [(pool[row], pool.reference(row), pool.id(row)) for row in range(len(pool))]
        assert pairs == [(fields["src"][row], fields["ref:B"][row], "a.1:%d" % (row + 1)) for row in range(3)]
        assert pool.language(0) == "en"
    with alcore.Pool([]) as pool, pytest.raises(ValueError, match='sides, of which one is read: src .en., ref of translator "A"'):
        pool.read(path_of("wmt.xml"))
