# SPDX-License-Identifier: Apache-2.0
"""Arrays on a CUDA device, by the protocols of PyTorch and CuPy, as columns and in searches: on the second of two emulated
devices (tests/emu). What is selected and found is what it is with the same arrays in host memory."""
import ctypes
import os
import sys
from pathlib import Path

import pytest

import alcore

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from emulated_device import CUDA, Device, Torch  # noqa: E402

TEXTS = ["text number %d" % i for i in range(40)]


@pytest.fixture
def device():
    library = os.environ.get("EMULATED_CUDA")
    if not library:
        pytest.skip("built without the emulated CUDA device")
    made = Device(library, 1)
    yield made
    assert made.emu.alcore_emu_context() is None, "the thread's context is as before"
    made.free()


@pytest.fixture
def context(device):
    with alcore.Context(module_dir=os.path.dirname(os.environ["EMULATED_CUDA"])) as made:
        yield made


class OldTorch(Torch):
    """DLPack from before version 1."""

    versioned = False

    def __dlpack__(self, stream=None):
        return super().__dlpack__(stream=stream)


class Cupy:
    """A stand-in for an array of CuPy that only has the CUDA array interface, with a stream of its own."""

    class Number:
        def __init__(self, number):
            self.id = number

    def __init__(self, array, device, stream=None):
        self.array, self.device = array, self.Number(device.number)
        own = stream not in (None, 1)
        address = device.queue(array, stream) if own else device.copy(array)
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "data": (address, False),
                                         "version": 3, "strides": None, "stream": stream}


@pytest.fixture
def arrays(numpy):
    made = numpy.random.default_rng(5)
    return {"embeddings": made.normal(size=(40, 6)).astype("float32"), "scores": made.uniform(size=40)}


@pytest.mark.parametrize("wrap", [Torch, OldTorch, Cupy])
@pytest.mark.parametrize("strategy", ["huds", "kcenter"])
def test_columns_on_a_device(device, context, arrays, wrap, strategy):
    with alcore.Pool(TEXTS, context=context) as here, alcore.Pool(TEXTS, context=context) as there:
        given = {name: wrap(array, device) for name, array in arrays.items()}
        for name, array in arrays.items():
            here.set_column(name, array)
            there.set_column(name, given[name])
        launched = device.work(1).launches
        far = there.select(6, strategy)
        assert far.indices == here.select(6, strategy).indices
        assert device.work(1).launches > launched and device.work(0).launches == 0
        assert "cuda-emu" in str(far.provenance)
        assert (there.column_rows("embeddings", range(40)) == arrays["embeddings"]).all()
        if wrap is not Cupy:  # ready in the order of the default stream, which the library waits for
            assert given["embeddings"].asked == [1]
        with pytest.raises(alcore.UnsupportedError, match="lives on cuda:1; read its rows instead"):
            there.get_column("embeddings")


def test_scoring_and_selecting_copies_no_array_to_the_host(device, context, numpy):
    """The loop of examples/python/torch_device.py: logits on the device are measured there, their log-probabilities and the
    embeddings are columns there, and are selected from. Two numbers for each row and sums over the strata come to the host."""
    rows, tokens, classes, dims, strata = 40, 6, 50, 64, 10
    made = numpy.random.default_rng(7)
    logits, hidden = (made.normal(size=size).astype("float32") for size in ((rows, tokens, classes), (rows, dims)))
    labels = made.integers(classes, size=(rows, tokens))
    with alcore.Pool(TEXTS, context=context) as here, alcore.Pool(TEXTS, context=context) as there:
        here.score_logits(range(rows), logits, labels, nnll="scores")
        here.set_column("embeddings", hidden)
        given = Torch(logits, device), Torch(labels, device), Torch(hidden, device)
        measured, flat = (Torch(numpy.zeros(shape), device) for shape in ((rows, tokens), rows * tokens))
        flat.address = measured.address  # as measured.reshape(-1) of torch
        before = device.work(1).bytes_out
        assert alcore.measure_logits(*given[:2], {"logprob": measured}, context=context) == {"logprob": measured}
        with there.column("logprobs", on_device=True) as writer:
            writer.put(range(rows), flat, [tokens] * rows)
        scored = device.work(1).bytes_out
        there.set_column("embeddings", given[2])
        picked = there.select(6, "huds", n_strata=strata)
        selected = device.work(1).bytes_out
        assert picked.indices == here.select(6, "huds").indices and "cuda-emu" in str(picked.provenance)
    assert 0 < scored - before <= 64  # where the first bad label and the first bad row are
    assert 0 < selected - scored <= 16 * rows + 8 * (strata + 1) * dims + 256 < hidden.nbytes
    for column in picked.provenance["inputs"]["candidates"]["columns"].values():
        assert column["device"] == "cuda:1" and "fingerprint" not in column  # which would read all of it


@pytest.mark.parametrize("wrap", [Torch, OldTorch, Cupy])
@pytest.mark.parametrize("kind", ["int64", "int32"])
def test_labels_and_bias_stay_on_the_device(device, context, numpy, wrap, kind):
    """Hidden states, output matrix, bias and labels on the device: columns as from the host, and of the labels a byte a token
    comes there, of the bias nothing."""
    rows, tokens, classes, dims = 40, 6, 50, 8
    made = numpy.random.default_rng(11)
    hidden, output, bias = (made.normal(size=size).astype("float32") for size in ((rows, tokens, dims), (classes, dims), (classes,)))
    labels = made.integers(classes, size=(rows, tokens)).astype(kind)
    labels[:, 1::2][:: 3] = -100
    columns = {"nnll": "scores", "margins": "margins"}
    with alcore.Pool(TEXTS, context=context) as here, alcore.Pool(TEXTS, context=context) as there:
        here.score_hidden(range(rows), hidden, output, labels, bias=bias, **columns)
        given = [wrap(array, device) for array in (hidden, output, labels, bias)]
        before = device.work(1).bytes_out
        there.score_hidden(range(rows), *given[:3], bias=given[3], **columns)
        assert device.work(1).bytes_out - before <= (1 + 8 + 8) * rows * tokens + 64
        assert there.column_rows("scores", range(rows)) == pytest.approx(here.column_rows("scores", range(rows)), abs=1e-5)
        for number in (0, 1):  # values and offsets
            assert there.get_column("margins")[number] == pytest.approx(here.get_column("margins")[number], abs=1e-5)
        wrong = labels.copy()
        wrong[7, 4] = classes
        with pytest.raises(alcore.Error, match="item 7, token 4: label 50 is none of 50 classes"):
            there.score_hidden(range(rows), given[0], given[1], wrap(wrong, device), nnll="others")


@pytest.mark.parametrize("strategy", ["lc", "entropy", "margin", "nnll"])
def test_what_the_host_ranks_comes_there_once(device, context, numpy, strategy):
    """Of class probabilities on the device the two largest and the sum come to the host, and for the entropy each value once. Log-probabilities of
    tokens are read where they are, and their mean comes to the host."""
    rows, classes = 20000, 9  # several blocks
    made = numpy.random.default_rng(13)
    probs = made.dirichlet(numpy.ones(classes), size=rows).astype("float32")
    offsets = numpy.arange(rows + 1) * classes
    texts = ["text number %d" % i for i in range(rows)]
    with alcore.Pool(texts, context=context) as here, alcore.Pool(texts, context=context) as there:
        if strategy == "nnll":
            logprobs = numpy.log(probs).ravel()
            here.set_column("logprobs", (logprobs, offsets))
            there.set_column("logprobs", (Torch(logprobs, device), offsets))
        else:
            here.set_column("probs", probs)
            there.set_column("probs", Torch(probs, device))
        before = device.work(1).bytes_out
        picked = there.select(6, strategy)
        copied = device.work(1).bytes_out - before
        sums = 0 if strategy == "nnll" else 8 * rows  # of the probabilities of each row, which are to be 1
        assert copied == probs.nbytes if strategy == "entropy" else 8 * rows <= copied <= 16 * rows + sums + 64
        assert picked.indices == here.select(6, strategy).indices


def test_bad_log_probabilities_on_a_device_are_named(device, context, numpy):
    logprobs, offsets = -numpy.arange(120.0) / 40, numpy.arange(41) * 3
    for value, text in ((float("nan"), "row 5: the log-probability of token 1 is NaN"), (0.5, "row 5: the log-probability of token 1 is 0.5")):
        logprobs[16] = value
        with alcore.Pool(TEXTS, context=context) as pool:
            pool.set_column("logprobs", (Torch(logprobs, device), offsets))
            with pytest.raises(alcore.Error, match=text):
                pool.select(3, "nnll")
            if value != value:
                assert pool.select(39, "nnll", nan="exclude").indices == [row for row in range(39, -1, -1) if row != 5]


def test_stream_of_the_cuda_array_interface(device, context, arrays):
    stream = device.emu.alcore_emu_stream()
    with alcore.Pool(TEXTS, context=context) as pool:
        pool.set_column("scores", Cupy(arrays["scores"], device, stream))
        assert pool.column_rows("scores", range(40)).ravel().tolist() == arrays["scores"].tolist()
        stream_of_rows = device.emu.alcore_emu_stream()
        rows = arrays["embeddings"]
        found = alcore.knn(Cupy(rows, device, stream_of_rows), rows, 1, context=context)
        assert found.numbers.ravel().tolist() == list(range(40))
        device.emu.alcore_emu_stream_free(stream_of_rows)
    device.emu.alcore_emu_stream_free(stream)


def test_a_column_writer_waits_for_the_stream_of_each_array(device, context, arrays):
    """Work that waits in the stream of an array, another one for each put, is seen, and so is what a model in the host's language
    returns."""
    expected = arrays["scores"].tolist()
    streams = [device.emu.alcore_emu_stream() for _ in range(4)]
    with alcore.Pool(TEXTS, context=context) as pool:
        with pool.column("others", shape="scalar") as writer:
            writer.put(range(10), Cupy(arrays["scores"][:10], device, streams[0]))
            writer.put(range(10, 20), Cupy(arrays["scores"][10:20], device, 1))
            writer.put(range(20, 40), Cupy(arrays["scores"][20:], device, streams[1]))
        assert pool.column_rows("others", range(40)).ravel().tolist() == expected
        with pool.column("logprobs") as writer:
            writer.put(range(40), Cupy(-arrays["scores"], device, streams[2]), [1] * 40)
        assert pool.get_column("logprobs")[0].tolist() == [-value for value in expected]

        class Embedding:
            def embed(self, texts):
                return Cupy(arrays["embeddings"][list(texts.rows)], device, streams[3])
        alcore.Model(Embedding(), context=context).run(pool, "embeddings")
        assert (pool.column_rows("embeddings", range(40)) == arrays["embeddings"]).all()
    for stream in streams:
        device.emu.alcore_emu_stream_free(stream)


def test_a_column_writer_collects_on_the_device(device, context, arrays):
    """With on_device=True nothing of the values comes to the host before it reads them, unless an array on the host is put."""
    embeddings = arrays["embeddings"]
    with alcore.Pool(TEXTS, context=context) as here, alcore.Pool(TEXTS, context=context) as there:
        here.set_column("embeddings", embeddings)
        before = device.work(1).bytes_out
        with there.column("embeddings", on_device=True) as writer:
            writer.put(range(20, 40), Torch(embeddings[20:], device))
            writer.put(range(25), Torch(embeddings[:25], device))
            assert writer.repeats == 5
        assert device.work(1).bytes_out == before
        assert there.select(6, "kcenter").indices == here.select(6, "kcenter").indices
        with there.column("embeddings", on_device=True) as writer:
            writer.put(range(20), Torch(embeddings[:20], device))
            writer.put(range(20, 40), embeddings[20:])
        assert (there.get_column("embeddings") == embeddings).all()


def test_copies_and_lists(device, context, arrays, numpy):
    """copy=True makes a copy on the device, integers become host memory; a ragged column has its offsets on the device, too."""
    offsets = numpy.arange(41)
    with alcore.Pool(TEXTS, context=context) as pool:
        given = Torch(arrays["embeddings"], device)
        copied = device.work(1).bytes_out
        pool.set_column("embeddings", alcore.Column(given, copy=True))
        assert device.work(1).bytes_out == copied
        zeros = arrays["embeddings"] * 0
        device.emu.alcore_emu_copy(given.address, zeros.ctypes.data, zeros.nbytes)
        with pytest.raises(alcore.UnsupportedError, match="lives on cuda:1; read its rows instead"):
            pool.get_column("embeddings")
        assert (pool.column_rows("embeddings", range(40)) == arrays["embeddings"]).all()
        pool.set_column("lengths", Torch(offsets[:40], device))
        assert pool.get_column("lengths").tolist() == list(range(40))
        pool.set_column("logprobs", (Torch(-arrays["scores"], device), Torch(offsets, device)))
        expected = numpy.argsort(-arrays["scores"])[:3].tolist()
        assert pool.select(3, "nnll").indices == expected


def test_rows_in_another_order_stay_on_the_device(device, context, arrays, numpy):
    rows = numpy.random.default_rng(17).permutation(40)
    with alcore.Pool(TEXTS, context=context) as here, alcore.Pool(TEXTS, context=context) as there:
        here.set_column("embeddings", arrays["embeddings"])
        given = Torch(arrays["embeddings"], device), alcore.Column(Torch(arrays["embeddings"][rows], device), rows=rows)
        copied = []
        for column in given:
            before = device.work(1).bytes_out
            there.set_column("embeddings", column)
            assert there.select(6, "kcenter").indices == here.select(6, "kcenter").indices
            copied.append(device.work(1).bytes_out - before)
        assert copied[0] == copied[1]
        assert (there.column_rows("embeddings", range(40)) == arrays["embeddings"]).all()


@pytest.mark.parametrize("wrap", [Torch, OldTorch, Cupy])
def test_searches(device, context, arrays, wrap):
    rows, queries = arrays["embeddings"][6:], arrays["embeddings"][:6]
    expected = alcore.knn(rows, queries, 3, context=context)
    for given in ((wrap(rows, device), queries), (rows, wrap(queries, device)), (wrap(rows, device), wrap(queries, device))):
        found = alcore.knn(*given, 3, context=context)
        assert (found.numbers == expected.numbers).all() and (found.values == expected.values).all()
        ratios = alcore.margin_ratios(*given, 3, context=context)
        assert (ratios[0] == alcore.margin_ratios(rows, queries, 3, context=context)[0]).all()


def read(device, array, like):
    """What an array on the device has now."""
    return device.read(array.address if hasattr(array, "address") else array.__cuda_array_interface__["data"][0], like)


@pytest.mark.parametrize("wrap", [Torch, OldTorch, Cupy])
def test_results_on_a_device(device, context, arrays, numpy, wrap):
    """out= may be on the device, in host memory, or both, and is what is returned."""
    rows, queries = arrays["embeddings"][6:], arrays["embeddings"][:6]
    expected, back = alcore.knn(rows, queries, 3, both=True, context=context)
    numbers, values = wrap(expected.numbers * 0, device), numpy.zeros((6, 3))
    others = wrap(back.numbers * 0, device), wrap(back.values * 0, device)
    found = alcore.knn(wrap(rows, device), queries, 3, both=True, out=((numbers, values), others), context=context)
    assert found[0] == (numbers, values) and found[1] == others
    assert (read(device, numbers, expected.numbers) == expected.numbers).all() and (values == expected.values).all()
    assert (read(device, others[0], back.numbers) == back.numbers).all()
    assert (read(device, others[1], back.values) == back.values).all()
    ratios, best = alcore.margin_ratios(rows, queries, 3, context=context)
    out = wrap(ratios * 0, device), wrap(best * 0, device)
    assert alcore.margin_ratios(rows, queries, 3, out=out, context=context) == out
    assert (read(device, out[0], ratios) == ratios).all() and (read(device, out[1], best) == best).all()
    if wrap is not Cupy:
        assert out[0].asked == [1]  # the owner's work on it is done in the order of the default stream


def test_results_in_the_stream_of_the_cuda_array_interface(device, context, arrays):
    """Work that waits in the stream of the array comes before the results, which are not there until the stream is done."""
    rows = arrays["embeddings"]
    expected = alcore.knn(rows, rows, 2, context=context)
    stream = device.emu.alcore_emu_stream()
    numbers, values = (Cupy(array * 0 + 7, device, stream) for array in expected)
    alcore.knn(rows, rows, 2, out=(numbers, values), context=context)
    assert device.emu.alcore_emu_wait(ctypes.c_void_p(stream)) == 0
    assert (read(device, numbers, expected.numbers) == expected.numbers).all()
    assert (read(device, values, expected.values) == expected.values).all()
    other = device.emu.alcore_emu_stream()
    with pytest.raises(ValueError, match="ready in different CUDA streams"):
        alcore.knn(rows, rows, 2, out=(numbers, Cupy(expected.values * 0, device, other)), context=context)
    for one in (stream, other):
        device.emu.alcore_emu_stream_free(one)


def test_results_that_cannot_be_written(device, context, arrays, numpy):
    rows = arrays["embeddings"]
    numbers, values = numpy.zeros((40, 2), "int64"), numpy.zeros((40, 2))

    def refuses(error, match, *out):
        with pytest.raises(error, match=match):
            alcore.knn(rows, rows, 2, out=out, context=context)
    frozen = Torch(values, device)
    frozen.flags = 1
    refuses(ValueError, r"out\[1\]: the array is read-only", numbers, frozen)
    constant = Cupy(values, device)
    constant.__cuda_array_interface__["data"] = constant.__cuda_array_interface__["data"][0], True
    refuses(ValueError, r"out\[1\]: the array is read-only", numbers, constant)
    fixed = values.copy()
    fixed.flags.writeable = False
    refuses(ValueError, r"out\[1\]: the array is read-only", numbers, fixed)
    refuses(ValueError, r"out\[0\]: int64 numbers \[40, 2\] are expected, got float64 \[40, 2\]", values, values)
    refuses(ValueError, r"got int64 \[40, 3\]", numpy.zeros((40, 3), "int64"), values)
    refuses(TypeError, r"that can be written is expected, got list", [[0, 0]] * 40, values)
    refuses(TypeError, "2 arrays are expected, got 1", numbers)
    refuses(ValueError, "cannot be written in place, because", numbers, values.T.copy().T)
    columns = Cupy(values, device)
    columns.__cuda_array_interface__["strides"] = 8, 320
    refuses(ValueError, r"must be adjacent .stride 1., not 40 apart; make it contiguous \(\.contiguous\(\) in PyTorch\)", numbers, columns)


def test_strides_on_a_device_are_refused(device, context, arrays):
    """What the kernels cannot read in place is no reason for a copy in silence: the message says what to do."""
    turned = Cupy(arrays["embeddings"], device)
    turned.__cuda_array_interface__["strides"] = 4, 160
    remedy = r"make it contiguous \(\.contiguous\(\) in PyTorch\)"
    with alcore.Pool(TEXTS, context=context) as pool:
        with pytest.raises(ValueError, match=remedy):
            pool.set_column("embeddings", turned)
        with pytest.raises(ValueError, match=remedy):
            alcore.knn(turned, arrays["embeddings"], 1, context=context)


def test_other_devices_are_refused(device, context, arrays):
    with alcore.Pool(TEXTS, context=context) as pool:
        pool.set_column("embeddings", Torch(arrays["embeddings"], device))
        with pytest.raises(alcore.Error, match="run it on cuda:1, or give a copy in host memory"):
            pool.select(3, "kcenter", device="cpu")
        wrong = Torch(arrays["embeddings"], device)
        wrong.__class__ = type("Wrong", (Torch,), {"__dlpack_device__": lambda self: (CUDA, 5)})
        device.number, number = 5, device.number
        with pytest.raises(alcore.UnsupportedError, match="no device cuda:5: there are 2"):
            pool.set_column("scores", wrong)
        device.number = number
