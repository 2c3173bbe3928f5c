# SPDX-License-Identifier: Apache-2.0
"""Arrays of every kind come in without a copy, and wrong ones are named."""
import array
import ctypes

import pytest

import alcore
from alcore import _arrays
from alcore._ffi import alcore_tensor

TEXTS = ["a b", "c d", "e f", "g h"]
ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 9.0]]


@pytest.fixture
def four():
    with alcore.Pool(TEXTS) as made:
        yield made


def address_of(pool, name):
    out = alcore_tensor()
    assert alcore._lib.alcore_pool_get_column(pool._handle, name.encode(), ctypes.byref(out), None) == 0
    return out.data + out.byte_offset


def is_given(pool, name="embeddings"):
    assert pool.column_rows(name, range(4)).tolist() == ROWS


class OldDlpack:
    """An exporter from before DLPack 1."""

    def __init__(self, value):
        self.value = value

    def __dlpack__(self, stream=None):
        return self.value.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


class NewDlpack(OldDlpack):
    def __dlpack__(self, *, stream=None, max_version=None):
        return self.value.__dlpack__(max_version=(1, 0))


class Interface:
    def __init__(self, value):
        self.value = value
        self.__array_interface__ = value.__array_interface__


class OnCuda:
    def __dlpack_device__(self):
        return (2, 3)

    def __dlpack__(self, **_):
        raise AssertionError("the device is looked at first")


class CudaInterface:
    __cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (0, False), "version": 3}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("wrap", [lambda value: value, OldDlpack, NewDlpack, Interface, memoryview])
def test_read_in_place(four, numpy, dtype, wrap):
    values = numpy.array(ROWS, dtype=dtype)
    four.set_column("embeddings", wrap(values))
    is_given(four)
    if dtype != "float16":
        assert address_of(four, "embeddings") == values.ctypes.data
    four.set_column("embeddings", wrap(values), copy=True)
    assert address_of(four, "embeddings") != values.ctypes.data
    values[:] = 0
    is_given(four)


def test_read_only_and_strided(four, numpy):
    values = numpy.array(ROWS)
    values.flags.writeable = False
    four.set_column("embeddings", values)
    is_given(four)
    wide = numpy.zeros((4, 5), dtype="f4")
    wide[:, 1:3] = ROWS
    four.set_column("embeddings", wide[:, 1:3])
    is_given(four)
    with pytest.raises(ValueError, match="not adjacent"):
        four.set_column("embeddings", numpy.array(ROWS).T.copy().T, copy=False)


def test_without_numpy(four):
    four.set_column("embeddings", ROWS)
    is_given(four)
    four.set_column("embeddings", memoryview(array.array("f", sum(ROWS, []))).cast("B").cast("f", [4, 2]))
    is_given(four)
    four.set_column("scores", array.array("d", [1, 2, 3, 4]))
    assert four.get_column("scores").tolist() == [1, 2, 3, 4]
    four.set_column("scores", (number for number in range(4)))
    assert four.get_column("scores").tolist() == [0, 1, 2, 3]


def test_the_array_lives_as_long_as_the_column(four, numpy):
    import weakref

    class Array(numpy.ndarray):
        pass

    values = numpy.array(ROWS).view(Array)
    alive = weakref.ref(values)
    four.set_column("embeddings", values)
    del values
    assert alive() is not None
    is_given(four)
    four.set_column("embeddings", ROWS)
    assert alive() is None


@pytest.mark.parametrize("dtype", ["bool", "complex64"])
@pytest.mark.parametrize("wrap", [lambda value: value, OldDlpack, Interface])
def test_wrong_dtype_is_named(four, numpy, dtype, wrap):
    with pytest.raises(TypeError, match="scores: (float16 or bfloat16 or float32 or float64 )?numbers are expected, got"):
        four.set_column("scores", wrap(numpy.zeros(4, dtype=dtype)))


def test_wrong_values_are_named(four, numpy):
    for wrong in ("text", b"bytes", None, 5, ["a"] * 4, [None, True] * 2, object()):
        with pytest.raises((TypeError, alcore.Error), match="scores|no such file|cannot open|text"):
            four.set_column("scores", wrong)
    with pytest.raises(ValueError, match="row 1 has 1 numbers, row 0 has 2"):
        four.set_column("embeddings", [[1, 2], [1], [1, 2], [1, 2]])
    with pytest.raises(alcore.ShapeError, match="4"):
        four.set_column("scores", numpy.zeros(3))
    with pytest.raises(ValueError):
        four.set_column("scores", numpy.zeros(3))
    with pytest.raises(TypeError, match=r"\(values, offsets\) is expected"):
        four.set_column("logprobs", numpy.zeros(4))
    with pytest.raises(TypeError, match="offsets: int64 or uint64 numbers"):
        four.set_column("logprobs", (numpy.zeros(4), numpy.zeros(5)))
    with pytest.raises(ValueError, match="is none of"):
        four.set_column("scores", numpy.zeros(4), meaning="nonsense")


def test_offsets_of_any_width(four, numpy):
    for dtype in ("int32", "int64", "uint64", "uint32"):
        four.set_column("logprobs", (numpy.full(6, -1.0, dtype="f4"), numpy.array([0, 1, 3, 5, 6], dtype=dtype)))
        values, offsets = four.get_column("logprobs")
        assert offsets.tolist() == [0, 1, 3, 5, 6] and values.tolist() == [-1.0] * 6


def test_cuda_array_without_the_module(four):
    for value in (OnCuda(), CudaInterface()):
        with pytest.raises(alcore.UnsupportedError, match=r"\.cpu\(\)"):
            four.set_column("scores", value)


def test_cuda_error_says_where_the_module_was_looked_for(tmp_path):
    """Stand-ins for a tensor of PyTorch and one of CuPy; the folder holds no module, so no machine has one there."""
    with alcore.Context(module_dir=tmp_path) as ctx, alcore.Pool(TEXTS, context=ctx) as pool:
        if not ctx.device_reason("cuda"):
            pytest.skip("this machine has the CUDA module and a GPU")
        for value, number in ((OnCuda(), 3), (CudaInterface(), 0)):
            with pytest.raises(alcore.UnsupportedError) as caught:
                pool.set_column("scores", value)
            said = str(caught.value)
            assert said.startswith("scores: the array lives on cuda:%d, and " % number) and ".cpu()" in said
            assert "libalcore-cuda" in said and str(tmp_path) in said


def test_unknown_device(four):
    class OnMetal(OnCuda):
        def __dlpack_device__(self):
            return (8, 0)
    with pytest.raises(alcore.UnsupportedError, match="DLPack number 8"):
        four.set_column("scores", OnMetal())


def test_used_capsule(four, numpy):
    class Used:
        def __dlpack__(self, **_):
            return ctypes.pythonapi.PyCapsule_New
    with pytest.raises(BufferError, match="used already"):
        four.set_column("scores", Used())


def test_columns_by_meaning_and_rows(four):
    four.set_column("scores", [0.1, 0.9], rows=[2, 0], meaning="confidence")
    assert "scores" in four.columns
    picked = four.select(1, "uncertainty", probs=alcore.Column([[0.0, 0.0], [0.0, 9.0], [0.0, 1.0], [9.0, 0.0]],
                                                               meaning="logits"))
    assert picked.indices == [0]


def test_arrow_numbers(four):
    pyarrow = pytest.importorskip("pyarrow")
    values = pyarrow.array([1.0, 2.0, 3.0, 4.0])
    four.set_column("scores", values)
    assert address_of(four, "scores") == values.buffers()[1].address
    four.set_column("scores", pyarrow.chunked_array([[1.0, 2.0], [3.0, 4.0]]))
    assert four.get_column("scores").tolist() == [1, 2, 3, 4]
    four.set_column("embeddings", pyarrow.array(ROWS, type=pyarrow.list_(pyarrow.float32(), 2)))
    is_given(four)
    four.set_column("embeddings", pyarrow.array([[0.0, 0.0]] + ROWS, type=pyarrow.list_(pyarrow.float64(), 2))[1:])
    is_given(four)
    four.set_column("scores", pyarrow.array([1.0, None, 3.0, 4.0]))
    assert four.select(4, "nnll", nan="exclude").indices == [3, 2, 0]


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_tables(library):
    module = pytest.importorskip(library)
    table = {"id": ["x", "y"], "text": ["a b", "c d"], "lang": ["de", "fr"], "cost": [1.5, 2.5]}
    frame = module.table(table) if library == "pyarrow" else module.DataFrame(table)
    with alcore.Pool(frame) as pool:
        assert list(pool) == ["a b", "c d"] and pool.id(1) == "y" and pool.language(0) == "de" and pool.cost(1) == 2.5
    with alcore.Pool(frame["text"]) as pool:
        assert list(pool) == ["a b", "c d"]


def test_selection_as_arrow(texts):
    pytest.importorskip("pyarrow")
    picked = alcore.select(texts[:100], 5, "huds")
    table = picked.to_arrow()
    assert table.column("index").to_pylist() == picked.indices and "u" in table.column_names


def test_torch(four):
    torch = pytest.importorskip("torch")
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        values = torch.tensor(ROWS, dtype=dtype)
        four.set_column("embeddings", values)
        is_given(four)
    four.set_column("embeddings", values)
    assert address_of(four, "embeddings") == values.data_ptr()
    with pytest.raises((BufferError, RuntimeError), match="detach"):
        four.set_column("embeddings", torch.zeros(4, 2, requires_grad=True))


def test_memory_without_numpy(four, monkeypatch):
    monkeypatch.setattr(_arrays, "_numpy", False)
    monkeypatch.setattr(_arrays, "numpy_or_none", lambda: None)
    four.set_column("embeddings", ROWS)
    assert isinstance(four.get_column("embeddings"), memoryview) and four.get_column("embeddings").tolist() == ROWS
    with pytest.raises(TypeError):
        four.get_column("embeddings")[0, 0] = 1.0
