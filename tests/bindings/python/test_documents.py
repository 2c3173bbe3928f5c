# SPDX-License-Identifier: Apache-2.0
"""The JSON documents that libalcore writes are what docs/schemas says: those of every strategy, made here, and all that the other tests of
this run have made. Tests keep theirs in $ALCORE_TEST_DOCUMENTS: C programs by tests/support/keep_documents.c, Python's by conftest.py,
the command's by tests/cli/harness.py, Lua's by fixture.lua. This test runs last, reads them and removes them."""
import copy
import json
import os
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

import alcore

ROOT = Path(__file__).resolve().parents[3]
SCHEMAS = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "docs" / "schemas").glob("*.schema.json"))}
_registry = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values())
VALIDATORS = {schema["properties"]["schema"]["const"]: Draft202012Validator(schema, registry=_registry) for schema in SCHEMAS.values()}

# Members that need not be there, of any object.
OPTIONAL = {"masks", "wordless", "language", "length", "template", "near", "command", "price", "terms", "parts", "currency", "units", "alone", "also", "model",
            "scorer", "labeled", "target", "candidates", "phrases_of_rows", "unread", "ignored", "engine", "built_in", "kept", "reuse", "cut", "warnings",
            "device", "fingerprint", "missing", "sentences_without_pair", "count_for_words", "items", "pool", "embeddings", "language_model",
            "links", "language_model_fingerprint", "phrases", "test", "amount", "reference_blob", "value", "comment"}
# Objects whose members have names of the caller's or of a strategy's.
MAPS = {"parameters", "columns", "terms", "facts", "term_values", "kinds", "settings", "arguments", "result"}
# Texts that no schema looks into: two documents that differ in these only are alike.
FREE = {"from", "command", "warnings", "unread", "ignored", "currency", "embeddings", "links", "language_model", "fingerprint", "budget", "price"}


def faults(document):
    """What is wrong with a document: a list of texts."""
    validator = VALIDATORS.get(str(document.get("schema")))
    if validator is None:
        return ["there is no schema %r" % document.get("schema")]
    return ["%s: %s" % ("/".join(map(str, error.absolute_path)), error.message[:300]) for error in validator.iter_errors(document)]


def form(value, key=None):
    """What a schema sees of a document."""
    if isinstance(value, dict):
        return tuple((name, form(one, name)) for name, one in value.items())
    if isinstance(value, list):
        return tuple(form(one, key) for one in value) if key == "shape" else frozenset(form(one, key) for one in value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return value == int(value), value < 0, value == 0 and key in ("round", "texts", "tokens", "count", "share")
    return "text" if key in FREE else value


def walk(value, path=()):
    """(path, value) of each value within a document."""
    yield path, value
    if isinstance(value, (dict, list)):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from walk(one, path + (key,))


def changed(document, path, change):
    """A copy of a document in which `change` was called with the container of the value at a path and its key."""
    made = copy.deepcopy(document)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    change(inner, path[-1])
    return made


def columns_of(count):
    rows = range(count)
    return {"scores": [float(row % 5) for row in rows], "embeddings": [[float(row % 7), float(row % 3)] for row in rows],
            "probs": [[.25 + .5 * (row % 2), .75 - .5 * (row % 2)] for row in rows]}


def selections(texts):
    """Selections of every strategy, of some with every option, and of the recommended one."""
    labeled, target = texts[100:110], texts[110:116]
    for name, about in alcore.strategies().items():
        if name == "plan":
            continue  # reads a file
        given = {column: values for column, values in columns_of(60).items()
                 if any(column in need.split("|") for need in about["needs"].get("candidates", []))}
        more = {"targets": {"texts": target, **columns_of(len(target))}} if "target" in about["needs"] or name == "gold" else {}
        try:
            yield alcore.select(texts[:60], "30w" if "phrase" not in name and "ngf" not in name else "8w", name,
                                **(given or {"model": "ngram"}), labeled={"texts": labeled, **columns_of(len(labeled))}, price="0.1EUR/w", **more)
        except alcore.Error:  # another combination of inputs is wanted; the tests of the strategy have it
            yield alcore.select(texts[:60], 5, "random")
    yield from alcore.select(texts[:60], ["4i", "9i"], model="ngram", price="2/u", max_similarity=.9, tie="random", exclude=[1, 2])
    yield alcore.select(texts[:60], "20w", "hybrid", model="ngram")


def project(folder, texts):
    """The document of a project in which everything has happened."""
    for name, rows in (("pool.txt", texts[:20]), ("known.txt", texts[20:22]), ("known.de.txt", texts[22:24])):
        (folder / name).write_text("".join(row + "\n" for row in rows), encoding="utf-8")
    at = alcore.Project.init(folder / "project", strategy="random", budget=3, total=9)
    at.add(folder / "pool.txt")
    at.add(folder / "known.txt", role="labeled", references=folder / "known.de.txt")
    picked = at.next()
    at.export("csv", folder / "out.csv")
    for who, answer in (("anna", "eins"), ("ben", "zwei")):
        (folder / "in.csv").write_text("id,translation,comment\n%s,%s,sure\n" % (picked.ids[0], answer), encoding="utf-8")
        at.import_("csv", folder / "in.csv", annotator=who)
    at.put_metric("chrf", 41.5, round=1)
    return at.document()


@pytest.fixture(scope="module")
def made(texts, tmp_path_factory):
    """Documents of every kind."""
    folder = tmp_path_factory.mktemp("documents")
    found = []
    for number, picked in enumerate(selections(texts)):
        found.append(picked.provenance)
        picked.report(folder / ("%d.json" % number))
        found.append(json.loads((folder / ("%d.json" % number)).read_text(encoding="utf-8")))
    found.append(alcore.compare(texts[:60], "30w", ["huds", "hybrid"], model="ngram", test=texts[60:70], price="0.1EUR/w").document)
    labeled = alcore.Pool(["a b c d", "b c", "c a b d e"], references=["A B C D", "B C", "C A B D E"])
    with alcore.Annotations(["b c a", "d b c"]) as items:
        items.add(["b c a", "b c"], kinds=["sent", "phrase"], rows=[0, 1], translations=["B C A", "B C"])
        items.add(["d b c"])
        for kind in ("none", "random+retrieved", "contextualized"):
            found.append(alcore.mix(labeled, annotations=items, kind=kind, count=2).provenance)
    found.append(project(folder, texts))
    return found


def test_schemas_are_schemas():
    assert set(VALIDATORS) == {"alcore-comparison-1", "alcore-experiment-1", "alcore-experiment-record-1", "alcore-experiment-round-1", "alcore-page-1", "alcore-project-1", "alcore-provenance-1", "alcore-report-1", "alcore-training-set-1"}
    for name, schema in SCHEMAS.items():
        Draft202012Validator.check_schema(schema)
        assert schema["$id"] == "urn:alcore:schema:" + schema["properties"]["schema"]["const"], name


def test_documents_of_every_strategy(made):
    assert {document["strategy"] for document in made if "strategy" in document} >= {"huds", "random", "hybrid", "badge"}
    for document in made:
        assert faults(document) == []


def test_nothing_is_allowed_that_is_not_described(made):
    """A member more, a member less and another type are faults, wherever they are."""
    seen = set()
    for document in made:
        for path, value in walk(document):
            place = (document["schema"],) + tuple("*" if isinstance(key, int) or before in MAPS else key
                                                  for before, key in zip((None,) + path, path))
            if place in seen:
                continue
            seen.add(place)
            if isinstance(value, dict):
                assert faults(changed(document, path + ("surprise",), lambda inner, key: inner.__setitem__(key, None))), place
            elif path:
                assert faults(changed(document, path, lambda inner, key: inner.__setitem__(key, {"surprise": 1}))), place
            if path and isinstance(path[-1], str) and path[-1] not in OPTIONAL and (len(path) < 2 or path[-2] not in MAPS):
                assert faults(changed(document, path, lambda inner, key: inner.__delitem__(key))), place
    assert len(seen) > 100


def test_parameters_are_those_of_the_strategy(made):
    known = {name: {param["name"] for param in about["params"]} for name, about in alcore.strategies().items()}
    options = {option["name"] for option in alcore.request_options()}
    for document in made:
        if "parameters" in document:
            assert set(document["parameters"]) == known[document["strategy"]]
            assert set(document["options"]) <= options


def kept(folder):
    """The documents that tests kept, without those that another build of the library made; each is read once."""
    built = os.path.getmtime(os.environ["ALCORE_LIBRARY"])
    for path in sorted(Path(folder).glob("*.json")):
        text, young = path.read_text(encoding="utf-8"), path.stat().st_mtime >= built
        path.unlink()
        if young:
            yield path.name, json.loads(text)


def test_documents_of_the_other_tests():
    forms = set()
    for name, document in kept(os.environ.get("ALCORE_TEST_DOCUMENTS", "/nowhere")):
        seen = form(document)
        if seen not in forms:
            forms.add(seen)
            assert faults(document) == [], "%s: %s" % (name, json.dumps(document))


def test_tests_in_c_keep_their_documents(build, tmp_path):
    """Of the programs one, so that the test above never looks at an empty folder unseen."""
    program = [build / "tests" / "unit" / "test_request", "test_recommended"]
    subprocess.run(program, check=True, env=dict(os.environ, ALCORE_TEST_DOCUMENTS=str(tmp_path)), stdout=subprocess.DEVNULL)
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.glob("*.json")]
    assert {document["recommended"] for document in documents} == {True, False}
    assert all(faults(document) == [] for document in documents)
