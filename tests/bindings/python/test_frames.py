# SPDX-License-Identifier: Apache-2.0
"""What a user of pandas, polars and NumPy holds goes in as it is: texts, labeled sides and columns."""
import subprocess
import sys

import pytest

import alcore

TEXTS = ["a b", "c d", "e f", "g h"]
ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 9.0]]
PROBS = [[0.9, 0.1], [0.5, 0.5], [0.8, 0.2], [0.6, 0.4]]


@pytest.fixture
def four():
    with alcore.Pool(TEXTS) as made:
        yield made


def embeddings_of(pool):
    return pool.column_rows("embeddings", range(len(pool))).tolist()


def test_version_is_the_library_s():
    assert alcore.__version__ == alcore.version() and alcore.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        alcore.nonsense


# The second program runs where importing pyarrow fails, as it does on a machine without it.
PROGRAM = """
import sys
if {hide}: sys.modules["pyarrow"] = None
import pandas, alcore
texts = {texts!r}
frame = pandas.DataFrame({{"id": list("wxyz"), "text": texts, "lang": ["de", None, "fr", "fr"], "cost": [1.0, 2.0, 3.0, 4.0], "note": 7}})
assert alcore.select(frame["text"], 2, "random", seed=3).texts == alcore.select(texts, 2, "random", seed=3).texts
with alcore.Pool(frame) as pool:
    assert list(pool) == texts and pool.id(3) == "z" and pool.cost(1) == 2.0
    assert [pool.language(row) for row in range(4)] == ["de", "unknown", "fr", "fr"]
with alcore.Pool(frame["text"].astype("string"), ids=frame["id"], languages=frame["lang"].astype("string")) as pool:
    assert list(pool) == texts and pool.id(0) == "w" and pool.language(1) == "unknown"
with alcore.Pool(texts) as pool:
    pool.set_column("embeddings", pandas.DataFrame({rows!r}))
    assert pool.column_rows("embeddings", range(4)).tolist() == {rows!r}
    pool.set_column("scores", pandas.Series([1.0, 2.0, 3.0, 4.0])[::-1])
    assert pool.get_column("scores").tolist() == [4, 3, 2, 1]
probs = pandas.DataFrame({probs!r})
assert alcore.select(texts, 1, "entropy", probs=probs).indices == [1]
labeled = frame["text"][:1]
assert 0 not in alcore.select(frame["text"], 3, "random", labeled=labeled).indices
assert 0 not in alcore.select(frame, 3, "random", labeled=frame[:1]).indices
try:
    alcore.Pool(frame[["id", "note"]])
except (ValueError, alcore.Error) as error:
    assert "text" in str(error), error
else:
    raise AssertionError("a table without texts was accepted")
"""


@pytest.mark.parametrize("hide", [False, True], ids=["with_pyarrow", "without_pyarrow"])
def test_pandas(hide):
    pytest.importorskip("pandas")
    program = PROGRAM.format(hide=hide, texts=TEXTS, rows=ROWS, probs=PROBS)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_polars(four):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"id": list("wxyz"), "text": TEXTS, "lang": ["de", None, "fr", "fr"]})
    with alcore.Pool(frame) as pool:
        assert list(pool) == TEXTS and pool.language(1) == "unknown"
    with alcore.Pool(frame["text"], ids=frame["id"]) as pool:
        assert pool.id(2) == "y"
    four.set_column("embeddings", polars.DataFrame({"x": [row[0] for row in ROWS], "y": [row[1] for row in ROWS]}))
    assert embeddings_of(four) == ROWS
    four.set_column("scores", polars.Series([4.0, 3.0, 2.0, 1.0]))
    assert four.get_column("scores").tolist() == [4, 3, 2, 1]


def test_texts_of_numpy_and_generators(numpy):
    for texts in (numpy.array(TEXTS), numpy.array(TEXTS, dtype=object), (text for text in TEXTS), tuple(TEXTS), iter(TEXTS)):
        with alcore.Pool(texts) as pool:
            assert list(pool) == TEXTS
    assert 0 not in alcore.select(TEXTS, 3, "random", labeled=numpy.array(TEXTS[:1])).indices
    assert 0 not in alcore.select(TEXTS, 3, "random", labeled=(text for text in TEXTS[:1])).indices
    with alcore.Pool(["a", float("nan"), None]) as pool:
        assert list(pool) == ["a", "", ""] and pool.count("empty") == 2
    with pytest.raises(TypeError, match=r"texts\[1\]: a text is expected, got float"):
        alcore.Pool(["a", 1.5])


def test_arrays_that_cannot_be_read_in_place_are_copied(four, numpy):
    plain = numpy.array(ROWS)
    unaligned = numpy.frombuffer(b"x" + plain.tobytes(), "u1")[1:].view("f8").reshape(4, 2)
    record = numpy.array([tuple(row) + (1,) for row in ROWS], dtype=[("x", "f8"), ("y", "f8"), ("z", "u1")])
    for given in (numpy.asfortranarray(plain), plain.astype(">f8"), plain.astype(">f4"), plain.astype(numpy.longdouble),
                  plain[::-1].copy()[::-1], plain[:, ::-1].copy()[:, ::-1], unaligned):
        four.set_column("embeddings", given)
        assert embeddings_of(four) == ROWS
        with pytest.raises(ValueError, match="embeddings: the array cannot be read in place, because .*; leave out copy=False"):
            four.set_column("embeddings", given, copy=False)
    four.set_column("scores", record["x"])
    assert four.get_column("scores").tolist() == [1, 3, 5, 7]
    with pytest.raises(ValueError, match="no multiple of the size of a value"):
        four.set_column("scores", record["x"], copy=False)
    four.set_column("embeddings", plain, copy=False)
    plain[0, 0] = 8.0
    assert four.column_rows("embeddings", [0]).tolist() == [[8.0, 2.0]]


def test_large_copies_warn(four, numpy, monkeypatch):
    monkeypatch.setattr(alcore._arrays, "COPY_WARNING_BYTES", 63)
    with pytest.warns(alcore.CopyWarning, match="embeddings: .* GiB are copied, because the values of a row are not adjacent") as caught:
        four.set_column("embeddings", numpy.asfortranarray(ROWS))
    assert caught[0].filename == __file__


def test_without_numpy_the_layout_is_named(four, numpy, monkeypatch):
    monkeypatch.setattr(alcore._arrays, "numpy_or_none", lambda: None)
    with pytest.raises(ValueError, match="the values of a row are not adjacent, and NumPy, which would copy it, is not installed"):
        four.set_column("embeddings", numpy.asfortranarray(ROWS))


def test_a_labeled_side_with_columns(numpy):
    near = {"texts": ["known text", "other text"], "embeddings": numpy.array([[1.0, 2.0], [3.0, 4.0]])}
    picked = alcore.select(TEXTS, 1, "kcenter", embeddings=ROWS, labeled=near)
    with alcore.Pool(near["texts"]) as side, alcore.Pool(TEXTS) as pool:
        side.set_column("embeddings", near["embeddings"])
        pool.set_column("embeddings", ROWS)
        assert picked.indices == pool.select(1, "kcenter", labeled=side).indices == [3]
    targets = {"texts": ["x"], "embeddings": [[5.0, 6.0]]}
    assert alcore.select(TEXTS, 1, "average-dist" if "average-dist" in alcore.strategies() else "average", embeddings=ROWS,
                         targets=targets).indices == [2]
    with pytest.raises(ValueError, match="the table has no column text, source or src; its columns are embeddings"):
        alcore.select(TEXTS, 1, "random", labeled={"embeddings": [[1.0]]})


def _results(four):
    """Every kind of result that is a table, with the columns that it has: {name: (result, {column: values})}."""
    from alcore import analysis, metrics, stop
    four.set_column("scores", [4.0, 3.0, 2.0, 1.0])
    four.set_column("embeddings", ROWS)
    picked = four.select(2, "nnll")
    ablated = alcore.ablate(four, 2, "huds", values=[0, 1], test=["the second"])
    near = analysis.neighborhood(ROWS, ROWS[:3], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0], k=[1, 2])
    overlaps = metrics.overlap(["one two"], ["one two three"], max_order=2)
    phrases = alcore.phrases(["a heart", "a heart"], max_words=2)
    annotations = alcore.Annotations(four)
    made = alcore.mix({"texts": ["one", "two"], "references": ["eins", "zwei"]}, kind="random", count=1)
    one_row = {"cost": analysis.cost(10), "composition": analysis.composition(four, [0, 1]), "duplicates": analysis.duplicates(["a"], ["a"]),
               "bleu": metrics.bleu(["a b c d"], ["a b c d"]), "kappa": metrics.kappa([1, 2], [1, 1]),
               "plateau": stop.plateau([1.0, 2.0]), "in_domain": metrics.in_domain(["one two"], ["two"], ["one"])}
    found = {name: (result, {field: [value] for field, value in result._asdict().items()}) for name, result in one_row.items()}
    for name, rows in (("ablate", ablated), ("neighborhood", near), ("overlap", overlaps)):
        found[name] = rows, {field: [getattr(row, field) for row in rows] for field in rows[0]._fields if field != "selection"}
    found["selection"] = picked, {name: [record[name] for record in picked.records] for name in picked.records[0]}
    found["phrases"] = phrases, dict({"phrase": list(phrases)}, **{name: phrases.get_column(name).tolist() for name in (
        "occurrences", "length", "first_row", "first_position", "known", "semi_maximal")})
    found["languages"] = analysis.languages(four, [0, 1]), {"language": ["unknown"], "rows": [2]}
    found["annotations"] = annotations, {name: [] for name in ("id", "kind", "text", "translation", "status", "row")}
    found["training set"] = made, dict({"kind": ["random"], "source": [made[0].source], "target": [made[0].target]},
                                       **{name: made.column(name).tolist() for name in made.column_names()})
    return found


def _plain(value):
    """A value without the differences that do not count: tuples are lists, NaN is None, numbers of other libraries are Python's."""
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist") and not hasattr(value, "item"):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return None if value != value else value


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_results_are_tables(four, library):
    module, pyarrow = pytest.importorskip(library), pytest.importorskip("pyarrow")
    for name, (result, columns) in _results(four).items():
        table = {"pyarrow": lambda: result.to_arrow().to_pydict(), "pandas": lambda: result.to_pandas().to_dict("list"),
                 "polars": lambda: module.DataFrame(result.to_arrow()).to_dict(as_series=False)}[library]()
        assert list(table) == list(columns), name
        for column, values in columns.items():
            assert _plain(table[column]) == _plain(values), (name, column)
        assert pyarrow.RecordBatchReader.from_stream(result).read_all().column_names == list(columns), name


def test_tables_are_plain_lists_and_dicts_too(four):
    import copy
    import pickle
    found = _results(four)
    near, languages = found["neighborhood"][0], found["languages"][0]
    assert isinstance(near, alcore.Table) and near == list(near) and pickle.loads(pickle.dumps(near)) == near == copy.copy(near)
    assert languages == {"unknown": 2} == pickle.loads(pickle.dumps(languages))
    assert pickle.loads(pickle.dumps(found["duplicates"][0])) == found["duplicates"][0]
    # What is labeled is still the rows of the selection, not its texts.
    picked = found["selection"][0]
    assert set(four.select(4, "random", labeled=picked).indices) == set(range(4)) - set(picked.indices)


def test_missing_packages_are_named(four, monkeypatch):
    for package in ("pyarrow", "pandas"):
        monkeypatch.setitem(sys.modules, package, None)
    for name, (result, _) in _results(four).items():
        with pytest.raises(ImportError, match=r"to_arrow\(\) needs pyarrow, which is not installed"):
            result.to_arrow()
        with pytest.raises(ImportError, match=r"to_pandas\(\) needs pandas, which is not installed"):
            result.to_pandas()
        if name == "selection":
            assert "arrow_array_stream" in repr(result.__arrow_c_stream__())  # the library writes it
            continue
        with pytest.raises(ImportError, match="the Arrow interface of alcore's results needs pyarrow"):
            result.__arrow_c_stream__()
    assert four.select(1, "random", labeled=found_rows(four)).short is False


def found_rows(pool):
    """Rows as a selection, in a place without pyarrow: nobody asks it for a table."""
    return pool.select(1, "nnll")
