# SPDX-License-Identifier: Apache-2.0
"""Every kind of source in every role: what it gives is what a plain list gives, or one error that names the source and the way out.

SOURCES make a value of a library from a list; ROLES use a value and return what came of it. None in a list is a missing value.
Tables and refusals have tests of their own below."""
import warnings

import pytest

import alcore
from alcore import analysis, stop  # noqa: F401  modules of the package

TEXTS = ["alpha beta", "gamma delta epsilon", None, "zeta", "eta theta iota kappa", "lambda"]
IDS = [11, 7, 30, 4, 52, 6]
MASK = [True, False, False, True, False, True]
ROWS = [4, 0, 3]
NUMBERS = [0.5, 2.0, 0.25, 4.0, 1.0, 3.0]
GAPS = [0.5, 2.0, None, 4.0, 1.0, 3.0]
WHOLE = [5, 2, 9, 4, 1, 3]
MATRIX = [[0.0, 1.0], [0.5, 0.25], [4.0, 4.0], [1.0, 0.0], [2.0, 2.0], [8.0, 0.5]]
MATRIX_GAPS = [[0.0, 1.0], [0.5, 0.25], None, [1.0, 0.0], [2.0, None], [8.0, 0.5]]
RAGGED = [[-1.0, -2.0], [-0.5], [-3.0], [-1.5, -0.5, -1.0], [-9.0], [-2.0, -2.0]]
WORDS = ["de", None, "fr", "fr", "de", "fr"]


def module(name):
    return pytest.importorskip(name)


def without_none(values, fill):
    return [fill if value is None else value for value in values]


# ---- sources: name -> function of a list ----

def numpy_masked(values):
    numpy = module("numpy")
    fill = next(value for value in values if value is not None)
    if isinstance(fill, list):
        mask = [[True] * len(fill) if row is None else [one is None for one in row] for row in values]
        values = [[99.0 if one is None else one for one in (row or [None] * len(fill))] for row in values]
    else:
        mask, values = [value is None for value in values], without_none(values, fill)
    return numpy.ma.masked_array(values, mask=mask)


def numpy_objects(values):
    numpy = module("numpy")
    made = numpy.empty(len(values), dtype=object)
    for number, value in enumerate(values):
        made[number] = numpy.array(value) if isinstance(value, list) and None not in value else value
    return made


def numpy_array(values):
    numpy = module("numpy")
    if any(value is None for value in values) and any(isinstance(value, float) for value in values):
        values = without_none(values, float("nan"))
    return numpy.array(values)


def arrow_type(values):
    pyarrow = module("pyarrow")
    first = next(value for value in values if value is not None)
    return {str: pyarrow.string(), bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64(),
            list: pyarrow.list_(pyarrow.float32())}[type(first)]


def arrow(values, kind=None):
    return module("pyarrow").array(values, type=kind or arrow_type(values))


def chunked(values):
    return module("pyarrow").chunked_array([values[:2], values[2:2], values[2:]], type=arrow_type(values))


def sliced(values):
    return arrow([values[0], values[0]] + values + [values[0]])[2:-1]


def dictionary(values):
    return arrow(values).dictionary_encode()


def fixed_lists(values):
    pyarrow = module("pyarrow")
    return arrow(values, pyarrow.list_(pyarrow.float64(), 2))


def reader(values):
    """A stream of arrays, which can be read once."""
    return OneTime(chunked(values))


class OneTime:
    """Gives its Arrow stream once."""

    def __init__(self, value):
        self.value, self.schema = value, "that of the library"

    def __arrow_c_stream__(self, requested_schema=None):
        value, self.value = self.value, None
        assert value is not None, "the stream was asked for twice"
        return value.__arrow_c_stream__()


def pandas_series(values, dtype=None):
    return module("pandas").Series(values, index=range(10, 10 + len(values)), dtype=dtype)


def pandas_nullable(values):
    first = next(value for value in values if value is not None)
    return pandas_series(values, {str: "string", bool: "boolean", int: "Int64", float: "Float64"}[type(first)])


def pandas_arrow(values):
    return pandas_series(values, module("pandas").ArrowDtype(arrow_type(values)))


def pandas_frame(values):
    return module("pandas").DataFrame({"x": pandas_series(values)})


def pandas_index(values):
    return module("pandas").Index(values)


def polars_series(values):
    polars = module("polars")
    return polars.Series("x", values)


def polars_chunks(values):
    polars = module("polars")
    return polars.concat([polars.Series("x", values[:3]), polars.Series("x", values[3:])], rechunk=False)


def dataset_of(values):
    """A dataset whose rows were shuffled away and selected back, so that its table has another order than its rows."""
    datasets = module("datasets")
    made = datasets.Dataset.from_dict({"x": values[::-1]})
    return made.select(list(range(len(values)))[::-1])


def duckdb_relation(values):
    return relation_of(module("pyarrow").table({"x": arrow(values)}))


def relation_of(table):
    """A relation, whose connection and table live until the next one is made."""
    relation_of.kept = connection, _ = module("duckdb").connect(), table
    return connection.from_arrow(table)


def bfloat16(values):
    return module("numpy").array(values, dtype=module("ml_dtypes").bfloat16)


def half(values):
    return module("numpy").array(values, dtype="float16")


def torch_tensor(values):
    return module("torch").tensor(values)


SOURCES = {
    "tuple": tuple, "generator": lambda values: (value for value in values), "iterator": iter,
    "numpy": numpy_array, "numpy_masked": numpy_masked, "numpy_objects": numpy_objects,
    "pandas": pandas_series, "pandas_nullable": pandas_nullable, "pandas_arrow": pandas_arrow, "pandas_frame": pandas_frame,
    "pandas_index": pandas_index, "pandas_category": lambda values: pandas_series(values, "category"),
    "polars": polars_series, "polars_chunks": polars_chunks, "polars_frame": lambda values: polars_series(values).to_frame(),
    "polars_lazy": lambda values: polars_series(values).to_frame().lazy(),
    "polars_category": lambda values: polars_series(values).cast(module("polars").Categorical),
    "arrow": arrow, "arrow_chunked": chunked, "arrow_sliced": sliced, "arrow_dictionary": dictionary, "arrow_fixed": fixed_lists,
    "arrow_stream": reader, "arrow_table": lambda values: module("pyarrow").table({"x": chunked(values)}),
    "arrow_views": lambda values: arrow(values, module("pyarrow").string_view()),
    "arrow_large": lambda values: arrow(values, module("pyarrow").large_string()),
    "arrow_batches": lambda values: module("pyarrow").table({"x": chunked(values)}).to_reader(),
    "datasets": dataset_of, "datasets_column": lambda values: dataset_of(values)["x"], "datasets_slice": lambda values: dataset_of(values)[:]["x"],
    "datasets_arrow": lambda values: dataset_of(values).with_format("arrow")["x"],
    "datasets_pandas": lambda values: dataset_of(values).with_format("pandas")["x"],
    "datasets_numpy": lambda values: dataset_of(values).with_format("numpy")["x"],
    "duckdb": duckdb_relation, "torch": torch_tensor, "bfloat16": bfloat16, "float16": half,
}
ONLY = {  # sources that have some kinds of values alone
    "pandas_category": {"texts", "words", "whole"}, "polars_category": {"texts", "words"}, "arrow_fixed": {"matrix", "matrix_gaps"},
    "arrow_views": {"texts", "words"}, "arrow_large": {"texts", "words"}, "arrow_dictionary": {"texts", "words", "ids", "whole"},
    "pandas_nullable": {"texts", "words", "ids", "mask", "rows", "numbers", "gaps", "whole"},
    "torch": {"mask", "ids", "rows", "numbers", "whole", "matrix"}, "bfloat16": {"numbers", "matrix"}, "float16": {"numbers", "matrix"},
    "numpy": {"texts", "words", "ids", "mask", "rows", "numbers", "gaps", "whole", "matrix"},
    "numpy_masked": {"texts", "words", "ids", "mask", "rows", "numbers", "gaps", "whole", "matrix", "matrix_gaps"},
    "pandas_index": {"texts", "words", "ids", "rows", "mask", "numbers", "gaps", "whole"},
    "datasets_numpy": {"texts", "ids", "mask", "rows", "numbers", "whole", "matrix"},
}
LISTS = {"texts": TEXTS, "words": WORDS, "ids": IDS, "mask": MASK, "rows": ROWS, "numbers": NUMBERS, "gaps": GAPS, "whole": WHOLE,
         "matrix": MATRIX, "matrix_gaps": MATRIX_GAPS, "ragged": RAGGED}

PLAIN = without_none(TEXTS, "a third text")
PROBS = [[0.875, 0.125], [0.5, 0.5], [0.75, 0.25], [0.625, 0.375], [0.0, 1.0], [0.25, 0.75]]
CLASSES = [0, 1, 1, 0, 1, 0]
LIKE = {"plain": "texts", "probs": "matrix", "classes": "whole", "tags": "words", "names": "words"}  # kinds that sources have alike
LISTS.update(plain=PLAIN, probs=PROBS, classes=CLASSES, tags=without_none(WORDS, "it"), names=["a", None, "c", "d", "e", "f"])

# ---- roles: name -> (kind of list, function that uses the value) ----


def pool_facts(**fields):
    with alcore.Pool(**fields) as pool:
        return [(pool[row], pool.id(row), pool.reference(row), pool.language(row), pool.group(row), repr(pool.cost(row)))
                for row in range(len(pool))] + [list(pool.states)]


def picks(strategy="random", budget=6, **named):
    return alcore.select(PLAIN, budget, strategy, seed=5, **named).indices


def of_ids(**named):
    return alcore.select(PLAIN, 6, "random", seed=5, ids=list(map(str, IDS)), **named).indices


def marked(rows):
    with alcore.Pool(PLAIN) as pool:
        pool.mark("excluded", rows)
        return list(pool.states)


def knn_masked(mask):
    return alcore.knn(MATRIX, MATRIX[:2], 2, mask=mask).numbers.tolist()


ROLES = {
    "texts": ("texts", lambda value: pool_facts(texts=value)),
    "ids_of_integers": ("ids", lambda value: pool_facts(texts=PLAIN, ids=value)),
    "ids_of_texts": ("names", lambda value: pool_facts(texts=PLAIN, ids=value)),
    "references": ("texts", lambda value: pool_facts(texts=PLAIN, references=value)),
    "languages": ("words", lambda value: pool_facts(texts=PLAIN, languages=value)),
    "groups": ("words", lambda value: pool_facts(texts=PLAIN, groups=value)),
    "groups_of_integers": ("ids", lambda value: pool_facts(texts=PLAIN, groups=value)),
    "costs": ("numbers", lambda value: pool_facts(texts=PLAIN, costs=value)),
    "costs_with_gaps": ("gaps", lambda value: pool_facts(texts=PLAIN, costs=value)),
    "whole_costs": ("whole", lambda value: pool_facts(texts=PLAIN, costs=value)),
    "exclude": ("mask", lambda value: picks(exclude=value)),
    "eligible": ("mask", lambda value: picks(eligible=value)),
    "labeled": ("mask", lambda value: picks(labeled=value)),
    "like": ("mask", lambda value: picks("same-ratio", like=value)),
    "mark": ("mask", marked),
    "exclude_rows": ("rows", lambda value: picks(exclude=value)),
    "eligible_rows": ("rows", lambda value: picks(eligible=value)),
    "labeled_rows": ("rows", lambda value: picks(labeled=value)),
    "mark_rows": ("rows", marked),
    "labeled_texts": ("texts", lambda value: picks(labeled=value)),
    "targets": ("texts", lambda value: picks("gold", budget=6, targets=value)),
    "scores": ("numbers", lambda value: picks("nnll", scores=value)),
    "scores_with_gaps": ("gaps", lambda value: picks("nnll", scores=value, nan="exclude")),
    "whole_scores": ("whole", lambda value: picks("nnll", scores=value)),
    "embeddings": ("matrix", lambda value: picks("kcenter", embeddings=value, budget=3)),
    "embeddings_with_gaps": ("matrix_gaps", lambda value: picks("kcenter", embeddings=value, budget=3, nan="exclude")),
    "logprobs": ("ragged", lambda value: picks("nnll", logprobs=value)),
    "knn": ("matrix", lambda value: alcore.knn(value, MATRIX[:2], 2).numbers.tolist()),
    "knn_mask": ("mask", knn_masked),
    "mean": ("numbers", lambda value: alcore.metrics.mean(value)),
    "whole_mean": ("whole", lambda value: alcore.metrics.mean(value)),
    "kappa": ("whole", lambda value: alcore.metrics.kappa(value, WHOLE)),
    "set_rows": ("rows", lambda value: column_at(value)),
    "set_masked": ("mask", lambda value: column_at(value)),
    "writer_mask": ("mask", lambda value: written([[1.0], [2.0], [3.0]], value)),
    "set_costs": ("numbers", lambda value: costs_set(value)),
    "set_references": ("texts", lambda value: references_set(value)),
    "probs": ("probs", lambda value: picks("entropy", probs=value)),
    "text_column": ("texts", lambda value: text_column(value)),
    "writer": ("matrix", lambda value: written(value)),
    "writer_rows": ("rows", lambda value: written([[1.0], [2.0], [3.0]], value)),
    "request_rows": ("rows", lambda value: requested(value)),
    "request_mask": ("mask", lambda value: requested(value)),
    "model_embed": ("matrix", lambda value: answered("embed", value)),
    "model_probs": ("probs", lambda value: answered("class_probs", value)),
    "model_logprobs": ("ragged", lambda value: answered("token_logprobs", value)),
    "embed": ("texts", lambda value: alcore.Model(Lengths()).embed(value).tolist()),
    "phrases": ("texts", lambda value: list(alcore.phrases(value))),
    "lm": ("plain", lambda value: alcore.LanguageModel(value, order=1).fingerprint),
    "lm_score": ("plain", lambda value: list(alcore.LanguageModel(PLAIN, order=1).score(value))),
    "hypotheses": ("plain", lambda value: alcore.bleu(value, PLAIN)),
    "bleu_references": ("plain", lambda value: alcore.chrf(PLAIN, value)),
    "answers": ("plain", lambda value: alcore.answers(value, PLAIN)),
    "gold_answers": ("plain", lambda value: alcore.answers(PLAIN, value)),
    "gold_labels": ("tags", lambda value: alcore.metrics.labels(value, LISTS["tags"][::-1])),
    "gold_classes": ("classes", lambda value: alcore.metrics.labels(value, CLASSES[::-1])),
    "overlap": ("plain", lambda value: alcore.overlap(value, PLAIN)),
    "length_ratio": ("plain", lambda value: alcore.length_ratio(PLAIN, value)),
    "sources": ("plain", lambda value: alcore.word_accuracy(value, PLAIN, PLAIN)),
    "annotations": ("plain", lambda value: list(annotated(value))),
    "uncertainties": ("numbers", lambda value: alcore.stop.uncertainty(value, 0.5)),
    "pearson": ("whole", lambda value: alcore.metrics.pearson(value, NUMBERS)),
    "token_labels": ("classes", lambda value: token_statistics(value)),
    "projection": ("matrix", lambda value: alcore.analysis.projection(value).points.tolist()),
    "candidates_of_target": ("plain", lambda value: picks("random", labeled=value)),
    "duplicates": ("plain", lambda value: alcore.analysis.duplicates(value, PLAIN[:2])),
}


class Lengths:
    def embed(self, texts):
        return [[float(len(text)), 1.0] for text in texts]


def references_set(values):
    with alcore.Pool(PLAIN) as pool:
        pool.set_references(range(6), values)
        return [pool.reference(row) for row in range(6)]


def text_column(values):
    with alcore.Pool(PLAIN) as pool:
        pool.set_column("roundtrip", values)
        return pool.get_column("roundtrip")


def written(values, rows=None):
    with alcore.Pool(PLAIN) as pool:
        with pool.column("mine", missing="mask") as writer:
            writer.put(range(6) if rows is None else rows, values)
        return [repr(one) for one in pool.column_rows("mine", range(6)).tolist()]


def requested(rows):
    with alcore.Pool(PLAIN) as pool, alcore.Request(pool, strategy="random", budget=6, seed=5) as request:
        request.set_rows("excluded", rows)
        return request.select().indices


def answered(method, values):
    column = {"embed": "embeddings", "class_probs": "probs", "token_logprobs": "logprobs"}[method]
    with alcore.Pool(PLAIN) as pool:
        alcore.Model(type("Own", (), {method: lambda self, texts: values})()).run(pool, column)
        return [one.tolist() for one in pool.get_column(column)]


def annotated(texts):
    items = alcore.Annotations(alcore.Pool(PLAIN))
    items.add(texts)
    return items


def token_statistics(labels):
    import array
    out = {"logprob": array.array("d", bytes(48))}
    alcore.measure_logits(module("numpy").array(MATRIX), labels, out)
    return out["logprob"].tolist()


def column_at(rows):
    with alcore.Pool(PLAIN) as pool:
        pool.set_column("mine", [1.0, 2.0, 3.0], rows=rows)
        return [repr(one) for one in pool.column_rows("mine", range(6)).tolist()]


def costs_set(values):
    with alcore.Pool(PLAIN) as pool:
        pool.set_costs(range(6), values)
        return [pool.cost(row) for row in range(6)]


def cells():
    for source in SOURCES:
        for role, (kind, _) in ROLES.items():
            if LIKE.get(kind, kind) in ONLY.get(source, {LIKE.get(kind, kind)}):
                yield pytest.param(source, role, id="%s-%s" % (source, role))


@pytest.mark.parametrize("source, role", list(cells()))
def test_as_a_plain_list(source, role):
    kind, use = ROLES[role]
    given = SOURCES[source](list(LISTS[kind]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        assert repr(use(given)) == repr(use(list(LISTS[kind])))


# ---- masks ----

MASKS = ["tuple", "numpy", "numpy_objects", "pandas", "pandas_nullable", "pandas_arrow", "polars", "arrow", "arrow_chunked", "arrow_stream",
         "datasets_column", "torch"]
MASK_ROLES = ["exclude", "eligible", "labeled", "like", "mark", "knn_mask"]


@pytest.mark.parametrize("role", MASK_ROLES)
@pytest.mark.parametrize("source", MASKS)
def test_masks_of_a_wrong_length_are_refused(source, role):
    for length in (5, 7):
        with pytest.raises(ValueError, match="mask has %d entries" % length):
            ROLES[role][1](SOURCES[source]((MASK * 2)[:length]))


@pytest.mark.parametrize("role", MASK_ROLES)
@pytest.mark.parametrize("source", ["tuple", "numpy_masked", "numpy_objects", "pandas_nullable", "pandas_arrow", "polars", "arrow",
                                    "arrow_chunked", "datasets_column"])
def test_masks_with_missing_values_are_refused(source, role):
    with pytest.raises(ValueError, match="the mask has no value at row 2"):
        ROLES[role][1](SOURCES[source]([True, False, None, True, False, False]))


def test_empty_masks_and_mixed_ones(numpy):
    for wrong in (numpy.zeros(0, "?"), numpy.ones((6, 1), "?")):
        with pytest.raises((TypeError, ValueError), match="mask has 0 entries|booleans|mask|expected"):
            picks(exclude=wrong)
    for wrong in ([True, 1, 0, 0, 0, 0], [True, "a", True, True, True, True]):
        with pytest.raises(TypeError, match="exclude: booleans are a mask of rows"):
            picks(exclude=wrong)
    assert picks(exclude=[numpy.True_, numpy.False_, numpy.False_, numpy.True_, numpy.False_, numpy.True_]) == picks(exclude=MASK)
    assert picks(exclude=[]) == picks()


def test_a_mask_of_whole_numbers_is_told(numpy):
    for wrong in ([1, 0, 0, 1, 0, 0], numpy.array([1, 0, 0, 1, 0, 0]), numpy.zeros(6, "i1"), numpy.ones(6, "i8")):
        for role in ("exclude", "eligible", "labeled"):
            with pytest.raises(ValueError, match="%s: whole numbers are row numbers.*value.astype.bool." % role):
                picks(**{role: wrong})
        with alcore.Pool(PLAIN) as pool, pytest.raises(ValueError, match="look like a mask"):
            pool.mark("labeled", wrong)
    assert picks(exclude=[0, 1]) == picks(exclude=[1, 0, 0, 1, 1]) == picks(exclude=[True, True] + [False] * 4)
    assert picks(exclude=numpy.arange(6)) == []


def test_several_budgets_may_be_an_array(numpy):
    several = [alcore.select(PLAIN, budget, "random") for budget in ([2, 3], numpy.array([2, 3]), (numpy.int64(2), 3))]
    assert [[len(one) for one in found] for found in several] == [[2, 3]] * 3


@pytest.mark.parametrize("role", ["texts", "ids", "cost", "scores"])
def test_sets_have_no_order(role):
    given = {"texts": PLAIN, "scores": list(range(6)), role: frozenset(PLAIN if role in ("texts", "ids") else range(6))}
    with pytest.raises(TypeError, match="%s: a set has no order" % role):
        alcore.select(given.pop("texts"), 2, "nnll", **given)
    assert picks(exclude={0, 3}) == picks(exclude=[0, 3])


def test_nothing_is_labeled_in_the_first_round(numpy):
    wanted = alcore.select(PLAIN, 3, "kcenter", embeddings=MATRIX).indices
    for nothing in ([], (), numpy.zeros(0, "i8"), iter(())):
        assert alcore.select(PLAIN, 3, "kcenter", embeddings=MATRIX, labeled=nothing).indices == wanted


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
