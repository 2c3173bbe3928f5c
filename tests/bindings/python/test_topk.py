# SPDX-License-Identifier: Apache-2.0
"""Columns from the likeliest tokens of inference servers, in the shapes in which the servers give them."""
import json
import math

import pytest

import alcore

TEXTS = ["one", "two", "three"]
COLUMNS = {name: name for name in ("nnll", "logprobs", "margins", "confidences", "entropies")}


def values_of(pool, name):
    return pool.get_column(name)[0].tolist()


def entropy(known, classes=None, rest=0.0):
    """Of known probabilities, with the rest as one class, or spread over `classes`."""
    sum_of_known = -sum(p * math.log(p) for p in known)
    return sum_of_known - (rest * math.log(rest / (classes or 1)) if rest else 0)


class Logprob:
    """As that of vLLM."""

    def __init__(self, logprob, rank=None, decoded_token=None):
        self.logprob, self.rank, self.decoded_token = logprob, rank, decoded_token


def test_mappings_of_vllm():
    """RequestOutput.outputs[0].logprobs has a dict for each token: the likeliest tokens, and the one that was made, which may be one of them."""
    outputs = [[{5: Logprob(math.log(0.5), 1), 3: Logprob(math.log(0.25), 2)},
                {5: Logprob(math.log(0.5), 1), 3: Logprob(math.log(0.25), 2), 9: Logprob(math.log(0.125), 7)}],
               [{1: Logprob(math.log(0.75), 1), 2: Logprob(math.log(0.125), 2)}], []]
    ids = [[5, 9], [2], []]
    made = [[classes[token].logprob for token, classes in zip(row, found)] for row, found in zip(ids, outputs)]
    with alcore.Pool(TEXTS) as pool:
        pool.score_topk([0, 1, 2], made, outputs, ids=ids, classes=100, **COLUMNS)
        assert values_of(pool, "logprobs") == pytest.approx([math.log(0.5), math.log(0.125), math.log(0.125)], abs=1e-6)
        assert values_of(pool, "margins") == pytest.approx([0.25, 0.25, 0.625], abs=1e-6)
        assert values_of(pool, "confidences") == pytest.approx([0.5, 0.5, 0.75], abs=1e-6)
        assert values_of(pool, "entropies") == pytest.approx(
            [entropy([0.5, 0.25], rest=0.25), entropy([0.5, 0.25, 0.125], rest=0.125), entropy([0.75, 0.125], rest=0.125)], abs=1e-6)
        scores = pool.get_column("nnll").tolist()
        assert scores[:2] == pytest.approx([math.log(16) / 2, math.log(8)], abs=1e-6) and math.isnan(scores[2])
        pool.score_topk([0, 1, 2], made, outputs, ids=ids, classes=100, rest="uniform", entropies="more")
        assert values_of(pool, "more")[1] == pytest.approx(entropy([0.5, 0.25, 0.125], 97, 0.125), abs=1e-6)
    with alcore.Pool(TEXTS[:1]) as pool, pytest.raises(ValueError, match="row 0, token 0 has no log-probability: leave the first token of a prompt"):
        pool.score_topk([0], [[None, -1.0]], [[None, {4: Logprob(-1.0)}]], nnll="scores")


def test_json_of_openai():
    """choices[0].logprobs.content of a chat: no ids, and -9999 in place of minus infinity."""
    content = json.loads("""[
        {"token": "Hello", "logprob": -0.5, "bytes": [72], "top_logprobs": [
            {"token": "Hello", "logprob": -0.5, "bytes": [72]}, {"token": "Hi", "logprob": -1.5, "bytes": [72]}]},
        {"token": "!", "logprob": -9999.0, "bytes": [33], "top_logprobs": [
            {"token": ".", "logprob": -0.001, "bytes": [46]}, {"token": "?", "logprob": -9999.0, "bytes": [63]}]}]""")
    with alcore.Pool(TEXTS[:1]) as pool:
        pool.score_topk([0], [[token["logprob"] for token in content]],
                        [[[top["logprob"] for top in token["top_logprobs"]] for token in content]], **COLUMNS)
        known = [math.exp(-0.5), math.exp(-1.5)]
        assert values_of(pool, "margins") == pytest.approx([known[0] - known[1], math.exp(-0.001)], abs=1e-6)
        assert values_of(pool, "entropies") == pytest.approx(
            [entropy(known, rest=1 - sum(known)), entropy([math.exp(-0.001)], rest=1 - math.exp(-0.001))], abs=1e-6)
        assert pool.get_column("nnll").tolist() == pytest.approx([50.25])  # floored at -100


def test_arrays(numpy):
    """As torch.topk gives them: what all logits give, for every type of number."""
    logits = numpy.random.default_rng(5).normal(scale=3, size=(6, 50))
    logprobs = logits - numpy.log(numpy.exp(logits).sum(-1, keepdims=True))
    order = numpy.argsort(-logprobs)[:, :7]
    labels = numpy.array([order[0, 0], order[1, 6], order[2, 3], order[3, 1], 0, 49])
    with alcore.Pool(TEXTS) as pool:
        pool.score_logits([0, 1, 2], logprobs, labels, lengths=[2, 1, 3], **COLUMNS)
        expected = {name: values_of(pool, name) for name in list(COLUMNS)[1:]}
        for dtype, tolerance in (("f8", 1e-6), ("f4", 1e-5), ("f2", 1e-2)):
            top = numpy.take_along_axis(logprobs, order, -1).astype(dtype)
            made = numpy.take_along_axis(logprobs, labels[:, None], -1)[:, 0].astype(dtype)
            for ids in ({"ids": labels, "top_ids": order.astype("i4")}, {}):
                pool.score_topk([0, 1, 2], made, top, lengths=[2, 1, 3], classes=50, rest="uniform", **ids,
                                **{name: dtype + name for name in COLUMNS})
                for name in ("logprobs", "margins", "confidences"):
                    assert values_of(pool, dtype + name) == pytest.approx(expected[name], abs=tolerance)
                assert all(most > exact - tolerance for most, exact in zip(values_of(pool, dtype + "entropies"), expected["entropies"]))
        with pytest.raises(alcore.DataError, match="row 0, token 0: the class 4 is given twice"):
            pool.score_topk([0, 1, 2], made, top, top_ids=order * 0 + 4, lengths=[2, 1, 3], margins="m")


def test_what_is_refused():
    with alcore.Pool(TEXTS[:1]) as pool:
        with pytest.raises(alcore.DataError, match="row 0, token 0: the probabilities of its classes add up to 1.8"):
            pool.score_topk([0], [[-0.1]], [[[-0.1, -0.1]]], ids=[[1]], top_ids=[[[1, 2]]], margins="m")
        with pytest.raises(alcore.ParamError, match="ALCORE_REST_UNIFORM needs the number of classes"):
            pool.score_topk([0], [[-0.1]], None, rest="uniform", nnll="m")
        with pytest.raises(ValueError, match="rest: 'even' is none of one_class, uniform"):
            pool.score_topk([0], [[-0.1]], None, rest="even", nnll="m")
        with pytest.raises(ValueError, match="logprobs: row 0 has 2 tokens, and 1 in top"):
            pool.score_topk([0], [[-0.1, -0.2]], [[[-0.1]]], nnll="m")
        with pytest.raises(TypeError, match="top_ids: top is a mapping"):
            pool.score_topk([0], [[-0.1]], [[{1: -0.1}]], top_ids=[[[1]]], nnll="m")
        with pytest.raises(TypeError, match="columns are given as nnll="):
            pool.score_topk([0], [[-0.1]], None)
        pool.score_topk([0], [[-0.1, -0.3]], None, nnll="m")
        assert pool.get_column("m").tolist() == pytest.approx([0.2])
