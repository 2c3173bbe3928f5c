# SPDX-License-Identifier: Apache-2.0
"""Columns from files of answers of inference servers."""
import json
import math
from pathlib import Path

import pytest

import alcore

SERVED = Path(__file__).resolve().parents[2] / "served"
TEXTS, IDS = ["the sun is hot", "a fish", "who can say", "in the rain"], ["r1", "r2", "r3", "r4"]


def tokens_of(pool, name):
    """A list of numbers for each row."""
    values, offsets = (part.tolist() for part in pool.get_column(name))
    return [values[begin:end] for begin, end in zip(offsets, offsets[1:])]


def content_of(name):
    """What llama.cpp's server told of the tokens of each answer."""
    return [json.loads(line)["choices"][0]["logprobs"]["content"] for line in (SERVED / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("name", ["llama.cpp-chats.jsonl", "llama.cpp-completions.jsonl"])
def test_answers_of_a_real_server(name):
    with alcore.Pool(TEXTS) as pool:
        pool.read_served(SERVED / name, nnll="nnll", logprobs="logprobs", margins="margins", confidences="confidences", entropies="low")
        pool.read_served(SERVED / name, entropies="high", classes=327, rest="uniform")
        for row, content in enumerate(content_of(name)):
            told = [token["logprob"] for token in content]
            top = [sorted((math.exp(one["logprob"]) for one in token["top_logprobs"]), reverse=True) for token in content]
            assert tokens_of(pool, "logprobs")[row] == pytest.approx(told, abs=1e-6)
            assert pool.get_column("nnll").tolist()[row] == pytest.approx(-sum(told) / len(told), abs=1e-6)
            assert tokens_of(pool, "margins")[row] == pytest.approx([p[0] - p[1] for p in top], abs=1e-6)
            assert tokens_of(pool, "confidences")[row] == pytest.approx([p[0] for p in top], abs=1e-6)
            assert all(low < high for low, high in zip(tokens_of(pool, "low")[row], tokens_of(pool, "high")[row]))


def test_batches_name_their_rows():
    with alcore.Pool(TEXTS, ids=IDS) as pool, alcore.Pool(TEXTS) as by_place:
        pool.read_served(SERVED / "vllm-batch.jsonl", logprobs="logprobs")
        assert tokens_of(pool, "logprobs") == [[-1.25, -0.25, -4.5], [-2.5], [-2.0, -1.5], [-0.125, -3.75]]
        for name in ("vllm-prompt.jsonl", "sglang-completions.jsonl"):
            by_place.read_served(SERVED / name, logprobs="logprobs")
            assert tokens_of(by_place, "logprobs") == tokens_of(pool, "logprobs")
        pool.read_served(SERVED / "sglang-completions.jsonl", rows=["r4", "r3", "r2", "r1"], logprobs="turned")
        assert tokens_of(pool, "turned") == tokens_of(pool, "logprobs")[::-1]
        assert alcore.select(pool, 4, "nnll").indices == [1, 0, 3, 2]
        with pytest.raises(alcore.Error, match="vllm-batch.jsonl:1: "):
            by_place.read_served(SERVED / "vllm-batch.jsonl", logprobs="logprobs")


def test_what_is_missing(tmp_path):
    few = tmp_path / "few.jsonl"
    few.write_text("".join((SERVED / "vllm-prompt.jsonl").read_text().splitlines(True)[:2]))
    with alcore.Pool(TEXTS) as pool:
        with pytest.raises(alcore.Error, match="2"):
            pool.read_served(few, logprobs="logprobs")
        pool.read_served(few, logprobs="logprobs", missing="mask")
        assert pool.count() == 2
        with pytest.raises(TypeError, match="columns are given as nnll="):
            pool.read_served(few)
        with pytest.raises(ValueError, match="rest"):
            pool.read_served(few, entropies="e", rest="even")
