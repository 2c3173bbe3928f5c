# SPDX-License-Identifier: Apache-2.0
"""What the tests of intake give to calls: lists, and SOURCES, which make a value of a library from a list. None in a list is a missing
value."""
import pytest

import alcore

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


def picks(strategy="random", budget=6, **named):
    return alcore.select(PLAIN, budget, strategy, seed=5, **named).indices
