# SPDX-License-Identifier: Apache-2.0
"""Columns that come in and tables that go out by the Arrow interface, from and to the packages that write and read it."""
import csv
import gc
import math
import pickle

import pytest

import alcore

pyarrow = pytest.importorskip("pyarrow", minversion="16")
TEXTS = ["one two", "three", "four five", "six"]


@pytest.fixture
def pool():
    with alcore.Pool(TEXTS) as made:
        yield made


def given(pool, name, values, **how):
    """A column as the pool has it: the values of each row."""
    pool.set_column(name, values, **how)
    rows = pool.column_rows(name, range(len(pool)))
    if isinstance(rows, tuple):
        numbers, offsets = rows[0].tolist(), rows[1].tolist()
        return [numbers[begin:end] for begin, end in zip(offsets, offsets[1:])]
    if isinstance(rows, list):
        return rows
    return [row[0] if len(row) == 1 else row for row in rows.tolist()]


def same(found, expected):
    """Whether lists agree, NaN with NaN."""
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return found == expected or isinstance(expected, float) and math.isnan(expected) and math.isnan(found)


NAN = float("nan")
NUMBERS = [1.0, None, 3.0, 4.0]
READ = [1.0, NAN, 3.0, 4.0]
VECTORS = [[1.0, 2.0], None, [5.0, 6.0], [7.0, 8.0]]
TOKENS = [[1.0, 2.0], [], None, [4.0]]
LABELS = ["a", None, "", "b b"]


def cases():
    """(name of the column, values, what the pool then has)"""
    for kind in (pyarrow.float16(), pyarrow.float32(), pyarrow.float64(), pyarrow.int8(), pyarrow.uint16(), pyarrow.int32(),
                 pyarrow.int64(), pyarrow.uint64(), pyarrow.decimal128(9, 2)):
        whole = [None if number is None else int(number) for number in NUMBERS]
        values = whole if pyarrow.types.is_integer(kind) else NUMBERS
        if pyarrow.types.is_decimal(kind):
            array = pyarrow.array(NUMBERS).cast(kind)
        elif kind == pyarrow.float16():
            array = pyarrow.array(NUMBERS, pyarrow.float32()).cast(kind)
        else:
            array = pyarrow.array(values, kind)
        yield "scores", array, READ
        yield "scores", pyarrow.concat_arrays([array, array]).slice(4), READ  # an offset that is not 0
        yield "scores", pyarrow.chunked_array([array.slice(0, 1), array.slice(1, 0), array.slice(1)]), READ
    for item in (pyarrow.float32(), pyarrow.float64()):
        for kind in (pyarrow.list_(item), pyarrow.large_list(item), pyarrow.list_(item, 2)):
            array = pyarrow.array(VECTORS, kind)
            vectors = [[1.0, 2.0], [NAN, NAN], [5.0, 6.0], [7.0, 8.0]]
            yield "embeddings", array, vectors
            yield "embeddings", pyarrow.array([[9.0, 9.0]] + VECTORS, kind).slice(1), vectors
            yield "embeddings", pyarrow.chunked_array([array.slice(0, 3), array.slice(3)]), vectors
            yield "mine", array, vectors
            if kind != pyarrow.list_(item, 2):
                tokens = pyarrow.array(TOKENS, kind)
                read = [[1.0, 2.0], [], [NAN], [4.0]]
                yield "logprobs", tokens, read
                yield "logprobs", pyarrow.array([[9.0]] + TOKENS, kind).slice(1), read
                yield "logprobs", pyarrow.chunked_array([tokens.slice(2), tokens.slice(0, 2)]), read[2:] + read[:2]
        tokens = pyarrow.array([[[.5, .5]], [], None, [[.25, .75], None]], pyarrow.list_(pyarrow.list_(item, 2)))
        yield "token_probs", tokens, [[[.5, .5]], [], [[NAN, NAN]], [[.25, .75], [NAN, NAN]]]
    for kind in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        yield "notes", pyarrow.array(LABELS, kind), LABELS
        yield "notes", pyarrow.array(["z"] + LABELS, kind).slice(1), LABELS
    yield "notes", pyarrow.array(LABELS).dictionary_encode(), LABELS
    yield "scores", pyarrow.array(NUMBERS).dictionary_encode(), READ
    yield "scores", pyarrow.nulls(4), [NAN] * 4


@pytest.mark.parametrize("name, values, expected", list(cases()))
def test_columns_of_pyarrow(pool, name, values, expected):
    assert same(given(pool, name, values), expected)
    assert same(given(pool, name, values, copy=True), expected)


def test_columns_of_polars(pool):
    polars = pytest.importorskip("polars")
    assert same(given(pool, "scores", polars.Series(NUMBERS)), READ)
    assert same(given(pool, "scores", polars.Series([0, 1, None, 3, 4], dtype=polars.Int16)[1:]), READ)
    assert same(given(pool, "embeddings", polars.Series(VECTORS, dtype=polars.Array(polars.Float32, 2))),
                [[1.0, 2.0], [NAN, NAN], [5.0, 6.0], [7.0, 8.0]])
    assert same(given(pool, "logprobs", polars.Series(TOKENS)), [[1.0, 2.0], [], [NAN], [4.0]])
    assert same(given(pool, "notes", polars.Series(LABELS)), LABELS)
    assert same(given(pool, "notes", polars.Series(LABELS, dtype=polars.Categorical)), LABELS)
    many = polars.concat([polars.Series(NUMBERS[:1]), polars.Series(NUMBERS[1:])], rechunk=False)
    assert many.n_chunks() == 2 and same(given(pool, "scores", many), READ)


def test_columns_of_others(pool):
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.sql("select * from (values (1.5), (2.5), (null), (4.5)) as t(x)")
    assert same(given(pool, "scores", relation), [1.5, 2.5, NAN, 4.5])
    nanoarrow = pytest.importorskip("nanoarrow")
    assert same(given(pool, "scores", nanoarrow.Array([1.0, 2.0, 3.0, 4.0], nanoarrow.float32())), [1.0, 2.0, 3.0, 4.0])


def test_numbers_stay_where_they_are(pool):
    numpy = pytest.importorskip("numpy")
    array = pyarrow.array([9.0, 1.0, 2.0, 3.0, 4.0]).slice(1)
    pool.set_column("scores", array)
    found = pool.get_column("scores")
    assert isinstance(found, numpy.ndarray) and found.ctypes.data == array.buffers()[1].address + 8
    vectors = pyarrow.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]], pyarrow.list_(pyarrow.float32(), 2))
    pool.set_column("embeddings", pyarrow.chunked_array([vectors]))
    assert pool.get_column("embeddings").ctypes.data == vectors.values.buffers()[1].address
    pool.set_column("scores", array, copy=True)
    assert pool.get_column("scores").ctypes.data != array.buffers()[1].address + 8


def test_memory_is_released_when_the_column_goes():
    gc.collect()
    before = pyarrow.total_allocated_bytes()
    pool = alcore.Pool(["a"] * 1000, dedup="none")
    pool.set_column("scores", pyarrow.array([float(number) for number in range(1000)]))
    gc.collect()
    assert pyarrow.total_allocated_bytes() > before
    assert pool.get_column("scores")[999] == 999.0
    pool.set_column("scores", [0.0] * 1000)
    gc.collect()
    assert pyarrow.total_allocated_bytes() == before
    pool.set_column("scores", pyarrow.array([float(number) for number in range(1000)]))
    pool.close()
    with alcore.Pool(["a"]) as other, pytest.raises(alcore.ShapeError, match="expected 1 rows, found 2"):
        other.set_column("scores", pyarrow.array([1.0, 2.0]))
    gc.collect()
    assert pyarrow.total_allocated_bytes() == before


def test_what_columns_mean(pool):
    pool.set_column("scores", pyarrow.array([.5, .25]), rows=[3, 0], meaning="confidence")
    assert same(given_rows(pool), [.25, NAN, NAN, .5])
    assert pool.column_info("scores")["entries"] == 2


def given_rows(pool):
    return [row[0] for row in pool.column_rows("scores", range(len(pool))).tolist()]


@pytest.mark.parametrize("name, values, error, words", [
    ("embeddings", pyarrow.array([[1.0, 2.0], [3.0], [4.0, 5.0], [6.0, 7.0]]), alcore.ShapeError, "row 1: the list has 1 numbers"),
    ("scores", pyarrow.array([1, 2, 3, 2 ** 53 + 1]), alcore.DataError, "float64 does not hold 9007199254740993"),
    ("scores", pyarrow.array([1.0, 2.0]), alcore.ShapeError, "expected 4 rows, found 2"),
    ("scores", pyarrow.array([True, False, True, True]), TypeError, "numbers are expected"),
    ("scores", pyarrow.array([1, 2, 3, 4], pyarrow.timestamp("s")), TypeError, "timestamps"),
    ("scores", pyarrow.array(["a", "b", "c", "d"]), alcore.ShapeError, "scores"),
    ("embeddings", pyarrow.array([[["a"]]] * 4), TypeError, "numbers are expected")])
def test_what_is_refused(pool, name, values, error, words):
    with pytest.raises(error, match=words):
        pool.set_column(name, values)
    assert pool.columns == []


# ---- out ----

def test_a_pool_as_a_table():
    with alcore.Pool(TEXTS, ids=["a", "b", "c", "d"], languages=["de", None, "en", None], costs=[1, 2, 3, 4],
                     references=[None, "drei", "", None]) as pool:
        pool.set_column("embeddings", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
        pool.set_column("logprobs", [[-1.0], [], [-2.0, -3.0], [-4.0]])
        pool.mark("labeled", [1])
        table = pyarrow.table(pool)
        other = alcore.Pool(table)
    assert table.column_names == ["index", "id", "text", "reference", "lang", "group", "cost", "state", "embeddings", "logprobs"]
    assert table["text"].to_pylist() == TEXTS and table["id"].to_pylist() == ["a", "b", "c", "d"]
    assert table["lang"].to_pylist() == ["de", None, "en", None] and table["reference"].to_pylist() == [None, "drei", "", None]
    assert table["state"].to_pylist() == [0, alcore.STATES["labeled"], 0, 0]
    assert table["embeddings"].to_pylist()[3] == [7.0, 8.0] and table["logprobs"].to_pylist() == [[-1.0], [], [-2.0, -3.0], [-4.0]]
    assert list(other) == TEXTS and other.id(3) == "d" and other.cost(2) == 3.0
    assert other.column_rows("embeddings", [3]).tolist() == [[7.0, 8.0]]


@pytest.mark.parametrize("library", ["pyarrow", "polars", "duckdb", "nanoarrow", "pandas"])
def test_who_reads_it(pool, library):
    module = pytest.importorskip(library)
    read = {"pyarrow": lambda table: module.table(table)["text"].to_pylist(),
            "polars": lambda table: module.DataFrame(table)["text"].to_list(),
            "duckdb": lambda table: [row[0] for row in module.sql("select text from table").fetchall()],
            "nanoarrow": lambda table: [row["text"] for row in module.ArrayStream(table).read_all().to_pylist()],
            "pandas": lambda table: module.DataFrame.from_arrow(table)["text"].to_list()}[library]
    if library == "duckdb":
        read = lambda table: [row[0] for row in duckdb_rows(module, table)]  # noqa: E731
    if library == "pandas" and not hasattr(module.DataFrame, "from_arrow"):
        pytest.skip("this pandas reads no Arrow table")
    picked = pool.select(2, "random", seed=3)
    assert read(pool) == TEXTS and read(picked) == picked.texts


def duckdb_rows(duckdb, table):
    rows = pyarrow.RecordBatchReader.from_stream(table)
    return duckdb.connect().execute("select text from rows").fetchall()


def test_picks_are_those_of_the_file(tmp_path):
    texts = ["the patient has severe headache", "the patient has severe nausea", "severe headache was reported",
             "the patient was treated", "headache was reported", "the patient has fever"]
    with alcore.Pool(texts, groups=["g", None, None, "h", None, None]) as pool:
        for picked in (pool.select(3, "huds"), pool.select("6w", "huds-phrase"), pool.select("12w", "hybrid")):
            path = tmp_path / "picked.tsv"
            picked.write(path)
            with open(path, newline="") as file:
                rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
            table = pyarrow.table(picked)
            assert table.column_names[:-2] == list(rows[0]) and table.column_names[-2:] == ["lang", "group"]
            assert len(rows) == len(picked) == table.num_rows
            for name in rows[0]:
                for row, value in zip(rows, table[name].to_pylist()):
                    cell = row[name]
                    assert (cell == "" if value is None else cell == value if isinstance(value, str) else float(cell) == value), name
            assert picked.records == table.to_pylist() and pickle.loads(pickle.dumps(picked)).records == picked.records
            assert picked.to_pandas().to_dict("list").keys() == picked.records[0].keys()


def test_streams_outlive_their_pool():
    capsule = alcore.Pool(TEXTS).__arrow_c_stream__()
    gc.collect()

    class Held:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule
    assert pyarrow.table(Held())["text"].to_pylist() == TEXTS
    del capsule
    unread = alcore.Pool(TEXTS).__arrow_c_stream__()
    del unread  # is released without being read
    gc.collect()


def test_a_batch_at_a_time():
    with alcore.Pool(["text %d" % number for number in range(70000)]) as pool:
        reader = pyarrow.RecordBatchReader.from_stream(pool)
        batches = list(reader)
        assert len(batches) == 3 and sum(batch.num_rows for batch in batches) == 70000
        assert batches[2]["text"][-1].as_py() == "text 69999"
        reader = pyarrow.RecordBatchReader.from_stream(pool)
        pool.set_column("scores", [0.0] * 70000)
        assert reader.read_all().column_names == ["index", "id", "text", "reference", "lang", "group", "cost", "state"]


# ---- the loop in memory ----

def test_the_loop_needs_no_file():
    with alcore.Pool(TEXTS) as pool:
        picked = pool.select(2, "random", seed=1)
        items = alcore.Annotations(pool, picked)
        assert [item.text for item in items] == picked.texts and [item.row for item in items] == picked.indices
        report = items.answer(["eins", None])
        assert (report.answered, report.unanswered, report.unusable) == (1, 1, 0)
        report = items.answer({items[1].id: "zwei", "none": "x"})
        assert report.answered == 1 and report.messages == ['answer 1: no selected item has the id "none"']
        assert [item.translation for item in items] == ["eins", "zwei"]
        assert items.answer(statuses=["skip"], items=[0]).skipped == 1 and items.refunded > 0
        assert items.answer(["eins"], items=[0]).corrected == 1
        pool.mark_labeled(picked, [item.translation for item in items])
        pairs = alcore.mix(annotations=items)
        assert [pair.target for pair in pairs] == ["eins", "zwei"]
        for arguments, words in ((([],), "items"), ((["x"],), "1 were given for 2 items"),
                                 ((None,), "translations or statuses"), (({"1": "x"}, [0]), "takes")):
            with pytest.raises((TypeError, ValueError), match=words):
                items.answer(*arguments)
        with pytest.raises(ValueError, match="ids: 2 were given for 1 answers"):
            items.answer(["x"], ids=["1", "2"])
        with pytest.raises(alcore.DataError, match="no answer can be used; the first: answer 0: there is no item 7 of 2"):
            items.answer(["x"], items=[7])
        with pytest.raises(TypeError, match="Selection expected"):
            items.add_selection([1, 2])
