# SPDX-License-Identifier: Apache-2.0
"""Columns from logits and hidden states."""
import math

import pytest

import alcore

TEXTS = ["one", "two", "three", "four"]


def nnll_of(tokens):
    return -sum(math.log(p) for p in tokens) / len(tokens)


def test_lists_of_tokens():
    tokens = [[0.5, 0.25], [0.9, 0.8, 0.5], [], [0.125]]
    logits = [[math.log(p), math.log(1 - p)] for row in tokens for p in row]
    with alcore.Pool(TEXTS) as pool:
        pool.score_logits([3, 2, 1, 0], logits, [0] * 6, lengths=[2, 3, 0, 1], nnll="scores", logprobs="logprobs", margins="margins",
                          confidences="confidences", entropies="entropies")
        scores = list(pool.get_column("scores"))
        assert scores[3] == pytest.approx(1.039721, abs=1e-6) and scores[2] == pytest.approx(0.340550, abs=1e-6)
        assert math.isnan(scores[1]) and scores[0] == pytest.approx(nnll_of(tokens[3]), abs=1e-6)
        values, offsets = pool.get_column("logprobs")
        assert list(offsets) == [0, 1, 1, 4, 6]
        assert list(values) == pytest.approx([math.log(p) for p in tokens[3] + tokens[1] + tokens[0]], abs=1e-6)
        assert list(pool.get_column("margins")[0]) == pytest.approx([0.75, 0.8, 0.6, 0.0, 0.0, 0.5], abs=1e-6)
        assert list(pool.get_column("confidences")[0]) == pytest.approx([0.875, 0.9, 0.8, 0.5, 0.5, 0.75], abs=1e-6)
        assert list(pool.get_column("entropies")[0])[4] == pytest.approx(math.log(2), abs=1e-6)


def test_statistics_of_tokens(numpy):
    """measure_logits() fills arrays of the caller, but for tokens that are left out."""
    logits = numpy.random.default_rng(3).normal(size=(2, 3, 5)).astype("f4")
    labels = numpy.array([[0, 4, -100], [2, -100, 1]])
    names = ("logprob", "top1", "top2", "margin", "entropy", "logsumexp")
    out = dict({name: numpy.full((2, 3), 7.0) for name in names}, likeliest=numpy.full((2, 3), 7))
    assert alcore.measure_logits(logits, labels, out) is out
    wide = logits.astype("f8")
    sums = numpy.log(numpy.exp(wide).sum(-1))
    logs = wide - sums[..., None]
    best = numpy.sort(logs)[..., ::-1]
    expected = dict(zip(names, (numpy.take_along_axis(logs, labels.clip(0)[..., None], -1)[..., 0], best[..., 0], best[..., 1],
                                numpy.exp(best[..., 0]) - numpy.exp(best[..., 1]), -(numpy.exp(logs) * logs).sum(-1), sums)),
                    likeliest=logs.argmax(-1))
    for name, array in out.items():
        assert array[labels >= 0] == pytest.approx(expected[name][labels >= 0], abs=1e-5), name
        assert (array[labels < 0] == 7).all()
    packed = numpy.zeros(3)
    alcore.measure_logits(logits[0], [0, 4, 1], {"logprob": packed}, lengths=[2, 1])
    assert packed[:2] == pytest.approx(out["logprob"][0, :2]) and packed[2] == pytest.approx(logs[0, 2, 1], abs=1e-5)
    with pytest.raises(TypeError, match="out has some of logprob, top1, top2, .*; got logprobs"):
        alcore.measure_logits(logits, labels, {"logprobs": packed})
    with pytest.raises(TypeError, match="got none"):
        alcore.measure_logits(logits, labels, {})
    with pytest.raises(ValueError, match=r"logprob: float64 numbers \[2, 3\] are expected, got float64 \[3\]"):
        alcore.measure_logits(logits, labels, {"logprob": packed})
    with pytest.raises(ValueError, match=r"margin: float64 numbers \[2, 3\] are expected, got float32"):
        alcore.measure_logits(logits, labels, {"margin": numpy.zeros((2, 3), "f4")})
    with pytest.raises(alcore.InvalidError, match="without labels"):
        alcore.measure_logits(logits, None, {"logprob": numpy.zeros((2, 3))})
    with pytest.raises(alcore.DataError, match="item 1, token 2"):
        alcore.measure_logits(logits, numpy.array([[0, 1, 2], [3, 4, 5]]), {"logprob": numpy.zeros((2, 3))})


def test_narrow_columns_in_place_of_probabilities():
    probs = [[0.5, 0.3, 0.2], [0.9, 0.05, 0.05], [0.4, 0.35, 0.25], [0.34, 0.33, 0.33]]
    logits = [[math.log(p) for p in row] for row in probs]
    with alcore.Pool(TEXTS) as pool:
        with pool.column("margins", shape="scalar") as margins, pool.column("confidences", shape="scalar") as confidences, \
                pool.column("entropies", shape="scalar") as entropies:
            pool.score_logits(range(4), logits, None, lengths=[1] * 4, margins=margins, confidences=confidences,
                              entropies=entropies)
        assert list(pool.get_column("confidences")) == pytest.approx([row[0] for row in probs], abs=1e-6)
        for name, params in (("margin", {}), ("lc", {}), ("entropy", {}), ("uncertainty", {"mode": "lc"})):
            assert pool.select(3, name, **params).indices == alcore.select(TEXTS, 3, name, probs=probs, **params).indices
        with pytest.raises(alcore.ShapeError, match="row 0 has 2 tokens: the writer margins"), \
                pool.column("more", shape="scalar") as margins:
            pool.score_logits([0, 1], logits, None, lengths=[2, 2], margins=margins)
    assert alcore.select(TEXTS, 1, "margin", margins=[0.5, 0.1, 0.3, 0.2]).indices == [1]
    by_words = alcore.select(TEXTS, 1, "uncertainty", margins=([0.5, 0.1, 0.3, 0.2, 0.05], [0, 2, 3, 4, 5]))
    assert by_words.indices == [3]
    with pytest.raises(alcore.DataError, match='row 1: 1.5 in column "margins"'):
        alcore.select(TEXTS, 1, "margin", margins=[0.5, 1.5, 0.3, 0.2])


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float16", "float64"])
def test_torch_batches(kind):
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    hidden = torch.randn(4, 7, 16)
    output, bias = torch.randn(500, 16), torch.randn(500)
    logits = (hidden @ output.T + bias).to(getattr(torch, kind))
    labels = torch.randint(0, 500, (4, 7))
    labels[:, 5:] = -100
    labels[2, 3:] = -100
    # As a causal model's loss has it: token t's logits predict label t + 1.
    losses = torch.nn.functional.cross_entropy(logits[:, :-1].double().transpose(1, 2), labels[:, 1:], reduction="none")
    expected = losses.sum(1) / (labels[:, 1:] != -100).sum(1)
    with alcore.Pool(TEXTS) as pool, pool.column("scores") as writer:
        for batch in ([2, 0], [3, 1]):
            pool.score_logits(batch, logits[batch][:, :-1], labels[batch][:, 1:].int(), nnll=writer)
        writer.finish()
        assert list(pool.get_column("scores")) == pytest.approx(expected.tolist(), rel=1e-5, abs=1e-6)
        assert pool.select(2, "nnll").indices == torch.topk(expected, 2).indices.tolist()
        if kind == "float32":
            pool.score_hidden(range(4), hidden[:, :-1], output, labels[:, 1:], bias=bias, nnll="fused")
            assert list(pool.get_column("fused")) == pytest.approx(expected.tolist(), rel=1e-4, abs=1e-5)


def test_what_is_wrong(numpy):
    logits, labels = numpy.zeros((4, 3, 5), "f4"), numpy.zeros((4, 3), "i8")
    with alcore.Pool(TEXTS) as pool:
        for columns in ({}, {"perplexity": "scores"}):
            with pytest.raises(TypeError, match="columns are given as nnll=, logprobs=, margins=, confidences=, entropies="):
                pool.score_logits(range(4), logits, labels, **columns)
        with pytest.raises(alcore.ShapeError, match="3 rows for 4 items"):
            pool.score_logits([0, 1, 2], logits, labels, nnll="scores")
        with pytest.raises(TypeError, match="labels: int64 or int32 numbers are expected"):
            pool.score_logits(range(4), logits, labels.astype("f4"), nnll="scores")
        with pytest.raises(ValueError, match="1 lengths were given for 4 rows"):
            pool.score_logits(range(4), logits, labels, lengths=[3], nnll="scores")
        labels[1, 2] = 5
        with pytest.raises(alcore.DataError, match="item 1, token 2: label 5 is none of 5 classes"):
            pool.score_logits(range(4), logits, labels, nnll="scores")
        labels[1, 2] = 0
        logits[2, 0, 1] = numpy.nan
        with pytest.raises(alcore.DataError, match="row 1, token 0: a NaN"):
            pool.score_logits([3, 2, 1, 0], logits, labels, nnll="scores")
        assert pool.columns == []
        with pytest.raises(alcore.MissingError, match="row 1"):
            pool.score_logits([0], numpy.zeros((1, 3, 5), "f2"), labels[:1], nnll="scores")
        pool.score_logits([0], numpy.zeros((1, 3, 5), "f2"), labels[:1], nnll="scores", missing="mask")
        assert pool.column_rows("scores", [0])[0, 0] == pytest.approx(math.log(5)) and pool.count("missing") == 3


def test_first_subword_mean():
    hidden = [[9.0, -9.0], [1.0, 0.5], [7.0, 7.0], [2.0, -0.25], [8.0, 8.0], [3.0, 3.0]]
    by_number, by_flag = [None, 0, 0, 1, None, None], [False, True, False, True, False, False]
    for words in (by_number, [-1, 0, 0, 1, -1, -1], by_flag, bytes(by_flag)):
        (first, second) = alcore.first_subword_mean(hidden, words, [0, 5, 6])
        assert list(first) == [1.5, 0.125] and all(map(math.isnan, second))
    for offsets in ([0, 3, 6], range(0, 7, 3)):
        (first, second) = alcore.first_subword_mean(hidden, by_number, offsets)
        assert (list(first), list(second)) == ([1.0, 0.5], [2.0, -0.25])
    with pytest.raises(alcore.ShapeError, match="words has 5 entries"):
        alcore.first_subword_mean(hidden, by_number[:5], [0, 6])
    with pytest.raises(alcore.ShapeError, match="the last is 5, and there are 6 tokens"):
        alcore.first_subword_mean(hidden, by_number, [0, 5])
    with pytest.raises(TypeError, match="words: a list is expected, not one text"):
        alcore.first_subword_mean(hidden, "abcdef", [0, 6])


@pytest.mark.parametrize("kind", ["bool", "uint8", "int32"])
def test_words_of_an_array(kind):
    numpy = pytest.importorskip("numpy")
    hidden = numpy.arange(12, dtype="float32").reshape(6, 2)
    words = numpy.array([0, 1, 0, 1, 0, 0] if kind != "int32" else [-1, 0, 0, 1, 1, 1], kind)
    found = alcore.first_subword_mean(hidden, words, numpy.array([0, 4, 6]))
    assert found.tolist()[0] == [4.0, 5.0]
    if kind == "int32":  # the word goes on behind the border of the rows, where a row begins it anew
        assert found.tolist()[1] == [8.0, 9.0]
