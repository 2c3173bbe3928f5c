# SPDX-License-Identifier: Apache-2.0
"""Tables of every library, and what is refused: the error names the source and the way out."""
import warnings

import pytest

import alcore
from intake_sources import IDS, MASK, MATRIX, NUMBERS, PLAIN, WHOLE, WORDS, OneTime, module, picks, relation_of

# ---- tables ----


def test_fields_of_a_table_in_any_case():
    table = {"Text": PLAIN, "ID": IDS, "Lang": WORDS, "COST": WHOLE}
    for kind in ("list", "pyarrow", "pandas", "polars"):
        for text in ("Text", "text"):
            named = {text if name == "Text" else name: values for name, values in table.items()}
            given = [dict(zip(named, row)) for row in zip(*named.values())] if kind == "list" else \
                (module(kind).table if kind == "pyarrow" else module(kind).DataFrame)(named)
            with alcore.Pool(given) as pool:
                assert [pool.id(row) for row in range(6)] == list(map(str, IDS))
                assert pool.language(0) == WORDS[0] and pool[0] == PLAIN[0]
    with alcore.Pool({"ID": list("uvwxyz"), "text": PLAIN, "id": IDS}) as pool:
        assert pool.id(0) == str(IDS[0])


def test_what_a_column_of_a_table_holds():
    wanted = alcore.select(PLAIN, 3, "margin", probs=NUMBERS_01, probs_are="sigmoid")
    for probs in (NUMBERS_01, [[one] for one in NUMBERS_01]):
        found = alcore.select({"text": PLAIN, "probs": probs}, 3, "margin", probs_are="sigmoid")
        assert (found.indices, found.scores) == (wanted.indices, wanted.scores)
    with pytest.raises(TypeError, match=r"which is not given; a model of your own .* \[1 - p, p\]"):
        alcore.select(PLAIN, 3, "margin", probs_are="sigmoid")


NUMBERS_01 = [0.5, 0.25, 1.0, 0.125, 0.75, 0.0]

TABLE = {"id": IDS, "text": PLAIN, "lang": WORDS, "cost": WHOLE, "embeddings": MATRIX, "note": [{"x": 1}, None, {}, {}, {}, {}]}


def table_facts(table):
    with alcore.Pool(table) as pool:
        return [(pool[row], pool.id(row), pool.language(row), repr(pool.cost(row))) for row in range(len(pool))], \
            pool.column_rows("embeddings", range(6)).tolist(), pool.select(3, "kcenter").indices


def arrow_table(**changed):
    pyarrow = module("pyarrow")
    return pyarrow.table({**TABLE, **changed})


TABLES = {
    "mapping": dict, "records": lambda table: [dict(zip(table, row)) for row in zip(*table.values())],
    "pandas": lambda table: module("pandas").DataFrame(table, index=range(5, 11)),
    "pandas_arrow": lambda table: arrow_table().to_pandas(types_mapper=module("pandas").ArrowDtype),
    "polars": lambda table: module("polars").DataFrame(table), "polars_lazy": lambda table: module("polars").LazyFrame(table),
    "polars_object": lambda table: module("polars").DataFrame(
        {**table, "note": module("polars").Series([object()] * 6, dtype=module("polars").Object)}),
    "arrow": lambda table: arrow_table(), "arrow_batch": lambda table: arrow_table().to_batches()[0],
    "arrow_reader": lambda table: arrow_table().to_reader(2), "one_time": lambda table: OneTime(arrow_table()),
    "numpy_records": lambda table: module("numpy").array(
        [(row["id"], row["text"], row["lang"] or "", row["cost"], row["embeddings"]) for row in TABLES["records"](table)],
        dtype=[("id", "i8"), ("text", "U40"), ("lang", "U8"), ("cost", "f4"), ("embeddings", "f8", (2,))]),
    "datasets": lambda table: module("datasets").Dataset.from_dict(
        {name: values[::-1] for name, values in table.items() if name != "note"}).select([5, 4, 3, 2, 1, 0]),
    "datasets_slice": lambda table: TABLES["datasets"](table)[:],
    "duckdb": lambda table: relation_of(arrow_table()),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables(kind):
    assert table_facts(TABLES[kind](TABLE)) == (
        [(text, str(id), language or "unknown", repr(float(cost))) for text, id, language, cost in zip(PLAIN, IDS, WORDS, WHOLE)],
        MATRIX, alcore.select(PLAIN, 3, "kcenter", embeddings=MATRIX).indices)


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_types_of_columns_that_were_refused(kind):
    from decimal import Decimal
    pyarrow = module("pyarrow")
    dictionary = pyarrow.array(WORDS).dictionary_encode()
    table = arrow_table(lang=dictionary, cost=pyarrow.array([Decimal(one) for one in WHOLE], pyarrow.decimal128(12, 3)))
    table = table.append_column("group", pyarrow.nulls(6))
    table = {"arrow": lambda: table, "pandas": lambda: table.drop_columns(["note"]).to_pandas(), "polars": lambda: module("polars").from_arrow(table.drop_columns(["note"]))}[kind]()
    assert table_facts(table)[0] == table_facts(TABLE)[0]
    with alcore.Pool({"text": pyarrow.nulls(2), "lang": pyarrow.nulls(2)}) as pool:
        assert list(pool) == ["", ""] and pool.language(0) == "unknown"


def test_extension_types():
    pyarrow = pytest.importorskip("pyarrow", minversion="19")
    import uuid
    given = pyarrow.array(['"a b"', None, '"c"'], pyarrow.string()).cast(pyarrow.json_())
    names = [uuid.UUID(int=number) for number in range(3)]
    ids = pyarrow.array([name.bytes for name in names], pyarrow.uuid())
    for table in (pyarrow.table({"text": given, "id": ids}), {"text": given, "id": names}):
        with alcore.Pool(table) as pool:
            assert list(pool) == ["a b", "", "c"] and [pool.id(row) for row in range(3)] == list(map(str, names))
    tensor = pyarrow.FixedShapeTensorArray.from_numpy_ndarray(module("numpy").array(MATRIX))
    assert picks("kcenter", embeddings=tensor, budget=3) == picks("kcenter", embeddings=MATRIX, budget=3)
    with pytest.raises(TypeError, match="texts: a pyarrow.* has timestamps, which cannot be read; cast it"):
        alcore.Pool(pyarrow.array([1, 2], pyarrow.timestamp("s")))
    with pytest.raises(TypeError, match="scores: numbers are expected, got a pyarrow.* of dates"):
        picks("nnll", scores=pyarrow.array([1] * 6, pyarrow.date32()))


def test_arguments_beside_a_table():
    frame = module("pandas").DataFrame({"text": PLAIN, "lang": WORDS})
    with alcore.Pool(frame, ids=IDS, costs=NUMBERS) as pool:
        assert pool.id(2) == "30" and pool.cost(1) == 2.0 and pool.language(0) == "de"
    with pytest.raises(TypeError, match="languages: the table has a column of them too, lang; leave one of the two out"):
        alcore.Pool(frame, languages=WORDS)
    with alcore.Pool(PLAIN) as pool:
        with pytest.raises(TypeError, match="scores: columns of a table are those of all rows of a pool, and this one has rows already"):
            pool.add(frame.assign(scores=NUMBERS))
        assert len(pool) == len(PLAIN)
        pool.add(frame)
        assert len(pool) == 2 * len(PLAIN)


def test_a_relation_is_executed_once():
    duckdb = module("duckdb")
    connection = duckdb.connect()
    connection.execute("create sequence counted")
    relation = connection.sql("select 'text ' || nextval('counted') as text, range as id from range(3)")
    with alcore.Pool(relation) as pool:
        assert list(pool) == ["text 1", "text 2", "text 3"]
    assert connection.execute("select nextval('counted')").fetchone() == (4,)


class Split(dict):
    """Stands for a DatasetDict where datasets is not installed."""


def test_sources_that_have_a_way_out(numpy):
    pandas, pyarrow = module("pandas"), module("pyarrow")
    frame = pandas.DataFrame({"text": PLAIN, "n": WHOLE})
    with pytest.raises(TypeError, match=r"has the splits train, test; give one of them, such as value\['train'\]"):
        alcore.Pool(Split(train=frame, test=frame))
    for role in ("exclude", "eligible"):
        with pytest.raises(TypeError, match=role + r": one column is expected, and a pandas.DataFrame has the columns text, n; give one"):
            picks(**{role: frame})
        with pytest.raises(TypeError, match=role + r": one column is expected, and a dict has the columns text, n"):
            picks(**{role: dict(frame)})
    with pytest.raises(TypeError, match="embeddings: the column text of a pandas.DataFrame has no numbers .*give the columns of numbers alone"):
        picks("kcenter", embeddings=frame)
    with pytest.raises(TypeError, match="embeddings: an array is expected, got a dict with the keys a, b; give one of its columns"):
        picks("kcenter", embeddings={"a": [1.0], "b": [2.0]})
    with pytest.raises(ValueError, match="its columns are n, m; give the texts as"):
        alcore.Pool(pyarrow.table({"n": [1], "m": [2]}))
    with pytest.raises(TypeError, match=r"ids\[0\]: a text or an integer is expected, got the float 11.0; .*Int64"):
        alcore.Pool(PLAIN, ids=[11.0] * 6)
    with pytest.raises(TypeError, match="exclude: a pandas.Series has dates or times"):
        picks(exclude=pandas.Series(pandas.to_datetime(["2024-01-01"] * 6)))
    with pytest.raises(TypeError, match="exclude: integers are expected"):
        picks(exclude=pandas.Series([1.0, None]))
    with pytest.raises(TypeError, match="exclude: .*entry 1 is missing"):
        picks(exclude=pandas.Series([1, None], dtype="Int64"))
    with pytest.raises(TypeError, match="rows: numbers are expected, got a numpy.ndarray of texts"):
        alcore.knn(numpy.array(["1"] * 6), MATRIX)
    with pytest.raises(ValueError, match="scores: 9007199254740993 in row 1 is no float64 exactly"):
        picks("nnll", scores=numpy.array([1, 2**53 + 1, 1, 1, 1, 1]))


def test_values_that_are_objects_of_other_libraries(numpy):
    pyarrow = module("pyarrow")
    assert list(alcore.Pool(list(pyarrow.array(["a", None])))) == ["a", ""]
    assert picks(exclude=list(pyarrow.array([1, 2]))) == picks(exclude=[numpy.int64(1), 2]) == picks(exclude={1, 2})
    assert list(alcore.Pool(iter([{"text": "a", "id": 4}, {"text": "b", "id": None}]))) == ["a", "b"]
    with pytest.raises(TypeError, match=r"pairs\[0\]: .* got a dict with the keys de, en; say which is the source"):
        alcore.align([{"de": "das Haus", "en": "the house"}])
    with pytest.raises(TypeError, match="scores: a pandas.PeriodIndex has dates or times"):
        picks("nnll", scores=module("pandas").period_range("2024", periods=6))
    with pytest.raises(TypeError, match=r'dtype float8_e4m3fn; give value.astype\("float32"\)'):
        picks("kcenter", embeddings=numpy.array(MATRIX).astype(module("ml_dtypes").float8_e4m3fn))


def test_arrays_of_numpy_s_types_that_offer_arrow_too(numpy):
    """As xarray does, whose stream is a table of the array and its coordinates."""
    class Labeled:
        def __init__(self, values):
            self.values, self.dtype, self.shape = values, values.dtype, values.shape

        def __array__(self, dtype=None, copy=None):
            return self.values

        def __arrow_c_stream__(self, requested_schema=None):
            raise AssertionError("its array is read")

    assert picks("nnll", scores=Labeled(numpy.array(NUMBERS))) == picks("nnll", scores=NUMBERS)
    assert picks(exclude=Labeled(numpy.array(MASK))) == picks(exclude=MASK)
    assert list(alcore.Pool(Labeled(numpy.array(PLAIN)))) == PLAIN


def test_whole_numbers_that_could_be_ids_are_told():
    with pytest.warns(UserWarning, match="exclude: whole numbers name rows, and these are ids of other rows too"):
        assert set(alcore.select(PLAIN, 6, "random", ids=[1, 2, 3, 4, 5, 6], exclude=[1, 2]).indices) == {0, 3, 4, 5}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for ids, rows in ((range(6), [1, 2]), ([1, 2, 3, 4, 5, 6], [0, 2]), ([1, 2, 3, 4, 5, 6], ["2", "3"])):
            assert set(alcore.select(PLAIN, 6, "random", ids=ids, exclude=rows).indices) == {0, 1, 2, 3, 4, 5} - (
                {0, 2} if 0 in rows else {1, 2})


def test_ids_of_a_table_name_rows():
    frame = module("pandas").DataFrame({"id": list("uvwxyz"), "text": PLAIN})
    assert set(alcore.select(frame, 6, "random", exclude=frame["id"][:2]).indices) == {2, 3, 4, 5}
    assert set(alcore.select(frame, 6, "random", exclude=frame["text"][:2]).indices) == {2, 3, 4, 5}
    with pytest.warns(UserWarning, match="exclude: none of the 2 texts is in the pool, nor is each of them an id"):
        assert len(alcore.select(frame, 6, "random", exclude=["nowhere", "u"])) == 6


def test_candidates_of_labeled_rows(numpy):
    with alcore.Pool(PLAIN) as pool:
        assert pool.candidates(6, labeled=numpy.array(MASK)) == pool.candidates(6, labeled=[0, 3, 5]) == [1, 2, 4]


def test_a_connection_and_lazy_things_say_what_to_give():
    duckdb = module("duckdb")
    with pytest.raises(TypeError, match=r'texts: a duckdb.DuckDBPyConnection cannot be read; give a relation of it, such as connection.sql'):
        alcore.Pool(duckdb.connect())


def test_sparse_matrices(monkeypatch):
    scipy_sparse = module("scipy.sparse")
    for made in (scipy_sparse.csr_matrix(MATRIX), scipy_sparse.csr_array(MATRIX), scipy_sparse.coo_matrix(MATRIX)):
        assert picks("kcenter", embeddings=made, budget=3) == picks("kcenter", embeddings=MATRIX, budget=3)
        with pytest.raises(TypeError, match="exclude: a scipy.* has numbers"):
            picks(exclude=made)
    monkeypatch.setattr(alcore._numbers, "MAX_SPARSE_BYTES", 64)
    with pytest.raises(TypeError, match=r"embeddings: a scipy.csr_matrix would take .* as a dense array.*toarray\(\)"):
        picks("kcenter", embeddings=scipy_sparse.csr_matrix(MATRIX))


def test_datasets_by_split_and_streamed():
    datasets = module("datasets")
    made = datasets.Dataset.from_dict({"text": PLAIN})
    with pytest.raises(TypeError, match="texts: a datasets.DatasetDict has the splits train, test"):
        alcore.Pool(datasets.DatasetDict(train=made, test=made))
    with pytest.raises(TypeError, match="texts: a datasets.IterableDataset cannot be read; give a Dataset"):
        alcore.Pool(made.to_iterable_dataset())
    shuffled = made.shuffle(seed=3)
    assert list(alcore.Pool(shuffled)) == shuffled["text"][:] != PLAIN


def test_floats_are_read_in_place(numpy):
    pyarrow, polars, pandas = module("pyarrow"), module("polars"), module("pandas")
    values = numpy.array(NUMBERS)
    for given in (pyarrow.array(values), polars.Series(values), pandas.Series(values)):
        with alcore.Pool(PLAIN) as pool:
            pool.set_column("scores", given)
            found = pool.get_column("scores")
            assert found.tolist() == NUMBERS
            if hasattr(given, "buffers"):
                assert found.ctypes.data == given.buffers()[1].address
    lists = pyarrow.array(MATRIX, pyarrow.list_(pyarrow.float32()))
    with alcore.Pool(PLAIN) as pool:
        pool.set_column("embeddings", lists)
        assert pool.get_column("embeddings").ctypes.data == lists.flatten().buffers()[1].address


@pytest.mark.parametrize("width", [1, 3])
def test_nulls_of_lists_in_arrow(numpy, width):
    """Nulls of rows and of numbers, in pieces and in slices, of every type of lists: NaN, and all else as it is."""
    import random
    pyarrow, draw = module("pyarrow"), random.Random(width)
    for _ in range(60):
        rows = [None if draw.random() < 0.3 else [None if draw.random() < 0.2 else draw.randrange(9) / 4 for _ in range(width)]
                for _ in range(draw.randrange(1, 9))] + [[1.0] * width]
        wanted = [[None] * width if row is None else row for row in rows]
        cut = draw.randrange(len(rows))
        for kind in (pyarrow.list_(pyarrow.float32()), pyarrow.large_list(pyarrow.float64()), pyarrow.list_(pyarrow.float32(), width)):
            whole = pyarrow.array(rows, kind)
            for given in (whole, pyarrow.chunked_array([whole[:cut], whole[cut:]]), pyarrow.array(rows[:2] + rows, kind)[2:]):
                with alcore.Pool(["text %d" % row for row in range(len(rows))]) as pool:
                    pool.set_column("embeddings", given)
                    found = pool.column_rows("embeddings", range(len(rows))).tolist()
                assert [[None if one != one else one for one in row] for row in found] == wanted, (kind, rows)


def test_without_numpy_and_pyarrow():
    """The interfaces are read without the packages that give them."""
    import subprocess
    import sys
    program = """
import sys
for name in ("numpy", "pyarrow", "pandas"): sys.modules[name] = None
import array, alcore
texts = ["a b", "c d", "e f"]
assert alcore.select(texts, 3, "nnll", scores=(x for x in (1, None, 2)), nan="exclude").indices == [2, 0]
assert alcore.select(texts, 3, "nnll", scores=array.array("i", [1, 3, 2])).indices == [1, 2, 0]
assert alcore.select({"text": texts, "id": [1, 2, 3]}, 3, "random", exclude=["2"] and (True, False, False)).indices != []
try:
    import polars
except ImportError:
    sys.exit()
frame = polars.DataFrame({"text": texts, "id": [7, 8, 9], "embeddings": [[1.0, 2.0], [1.0, 0.0], [9.0, 9.0]]})
with alcore.Pool(frame) as pool:
    assert pool.id(1) == "8" and len(pool.select(2, "kcenter")) == 2
assert 0 not in alcore.select(frame, 3, "random", exclude=polars.Series([True, False, False])).indices
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
