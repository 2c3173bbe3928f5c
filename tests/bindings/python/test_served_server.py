# SPDX-License-Identifier: Apache-2.0
"""The answers of a real server, llama.cpp's of the package xllamacpp, with a small random model: the host model, and the files that lie
in tests/served."""
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("xllamacpp")
pytest.importorskip("gguf")
import alcore  # noqa: E402
import alcore.served  # noqa: E402

SERVED = Path(__file__).resolve().parents[2] / "served"
sys.path.insert(0, str(SERVED))
import llama_server  # noqa: E402

TEXTS, WORDS = llama_server.TEXTS, 327


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server in a process of its own, which holds the interpreter while it computes."""
    command = [sys.executable, str(SERVED / "llama_server.py"), "serve", str(tmp_path_factory.mktemp("model"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield process.stdout.readline().strip()
        process.stdin.close()


def columns_of(model, *names):
    with alcore.Pool(TEXTS) as pool:
        alcore.Model(model).run(pool, *names)
        return {name: [pool.get_column(name)[0].tolist(), pool.get_column(name)[1].tolist()] for name in names}


def test_a_few_tokens_say_what_all_say(address):
    """Of all tokens of the vocabulary the softmax is known: log-probabilities, margins and confidences of five are those of all, and
    the entropy lies between the two bounds."""
    names = ("logprobs", "margins", "confidences")
    url, settings = address + "/v1", {"prompt": "say: {source}", "max_tokens": 5}
    few, bounded, every = (alcore.served.OpenAI(url, "random", **settings, **more) for more in ({}, {"vocabulary": WORDS}, {"top": WORDS}))
    found, all_of = columns_of(few, *names), columns_of(every, *names)
    for name in names:
        assert found[name][1] == all_of[name][1] and found[name][1][-1] >= 8
        assert found[name][0] == pytest.approx(all_of[name][0], abs=1e-2)  # float16 keys and values
    low, high, true = (columns_of(model, "entropies")["entropies"][0] for model in (few, bounded, every))
    assert all(below < exact < above for below, exact, above in zip(low, true, high))
    for text in TEXTS:
        answer = json.loads(llama_server.ask(url + "/chat/completions", {
            "messages": [{"role": "user", "content": "say: " + text}], "max_tokens": 5, "temperature": 0, "logprobs": True, "top_logprobs": WORDS}))
        for token in answer["choices"][0]["logprobs"]["content"]:
            assert sum(math.exp(one["logprob"]) for one in token["top_logprobs"]) == pytest.approx(1, abs=1e-4)


def test_selections(address, tmp_path):
    model = alcore.served.OpenAI(address + "/v1", "random", prompt="say: {source}", max_tokens=6, cache=tmp_path)
    columns = columns_of(model, "logprobs")["logprobs"]
    rows = [columns[0][begin:end] for begin, end in zip(columns[1], columns[1][1:])]
    picked = alcore.select(TEXTS, 2, "nnll", model=model)
    assert picked.indices == sorted(range(4), key=lambda row: sum(rows[row]) / len(rows[row]))[:2]
    assert len(alcore.select(TEXTS, 2, "uncertainty", model=model).indices) == 2
    vectors = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.2]]
    assert len(alcore.select(TEXTS, 2, "huds", model={"logprobs": model}, embeddings=vectors).indices) == 2
    assert len(alcore.Model(model).translate(TEXTS)) == 4
    assert len(list(tmp_path.iterdir())) == len(TEXTS) * 2  # a request a text for columns, and one with "n" for translations


def test_what_the_server_does_not_do(address):
    with pytest.raises(alcore.served.ServedError, match="row 0: the server did not echo the text"):
        columns_of(alcore.served.OpenAI(address + "/v1", "random"), "logprobs")
    with pytest.raises(alcore.served.ServedError, match=r"row 0: the server answered 400: .*exceeds the available context size"):
        columns_of(alcore.served.OpenAI(address + "/v1", "random", prompt="word " * 500 + "{source}"), "logprobs")


@pytest.mark.parametrize("name", ["llama.cpp-chats.jsonl", "llama.cpp-completions.jsonl"])
def test_the_files_are_what_it_answers(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("recorded")
    subprocess.run([sys.executable, str(SERVED / "llama_server.py"), "record", str(folder)], check=True, stderr=subprocess.DEVNULL)
    made, kept = ([json.loads(line)["choices"][0] for line in (place / name).read_text("utf-8").splitlines()] for place in (folder, SERVED))
    assert len(made) == len(kept) == len(TEXTS)
    for one, other in zip(made, kept):
        assert one.keys() == other.keys()
        for token, before in zip(one["logprobs"]["content"], other["logprobs"]["content"]):
            assert token.keys() == before.keys() and token["id"] == before["id"]
            assert token["logprob"] == pytest.approx(before["logprob"], abs=1e-2)
