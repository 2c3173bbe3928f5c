# SPDX-License-Identifier: Apache-2.0
"""The host model of a server of OpenAI's protocol, against a server in this process that fails, waits, answers in another order and
breaks off. test_served_server.py asks a real one."""
import json
import math
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import alcore
import alcore.served

TEXTS = ["a b", "c", "d e f g", "h i"]
PROMPT = "say {source} now"
KEY = "sk-secret-key"


def numbers_of(text):
    """Log-probabilities of the words of a text: what the server says of them."""
    return [-(sum(map(ord, word)) % 13 + 1) / 4 for word in text.split()]


def top_of(number):
    """The three likeliest words in the place of a word, which is the first of them, the second, or none."""
    return [-0.2, -3.0, -3.2] if number < -3 else [number, -3.0, -3.2] if number > -0.6 else [number, -1.5, -3.2] if number > -1 else [
        -0.9, number, -3.2]


class Server:
    """faults: {text: list of what happens to the next requests for it}, of names of methods of Handler."""

    def __init__(self):
        self.faults, self.requests, self.lock, self.sglang = {}, [], threading.Lock(), False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                outer.requests.append(("GET", self.path, {}, dict(self.headers)))
                self.say(200, b"{}")

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                text = body["messages"][0]["content"] if "messages" in body else body["prompt"]
                with outer.lock:
                    outer.requests.append((text, self.path, body, dict(self.headers)))
                    fault = next((faults.pop(0) for word, faults in outer.faults.items() if word in text and faults), None)
                if fault is None or fault(self, text, body) is None:
                    self.say(200, json.dumps(outer.answer(text, body)).encode())

            def say(self, status, body, length=None, **headers):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body) if length is None else length))
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(body)
                return True

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):  # clients that gave up
                pass

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d/v1" % self.http.server_port
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, text, body):
        """An echo as vLLM's, or a chat whose output is the text backwards."""
        if body.get("echo"):
            found = numbers_of(text)
            if self.sglang:
                return self.answer_of_sglang(text, found)
            return {"choices": [{"index": 0, "text": text, "logprobs": {
                "tokens": text.split(), "token_logprobs": [None, *found[1:]],
                "top_logprobs": [None, *({"x%d" % place: number for place, number in enumerate(top_of(number))} for number in found[1:])]}}]}
        output = " ".join(reversed(text.split()))
        content = [{"token": word, "logprob": number, "top_logprobs": [{"token": "x", "logprob": one} for one in top_of(number)]}
                   for word, number in zip(output.split(), numbers_of(output))]
        choices = [{"index": index, "message": {"role": "assistant", "content": output}, "logprobs": {"content": content}}
                   for index in range(body.get("n", 1))]
        return {"choices": choices[::-1]}

    def answer_of_sglang(self, text, found):
        """The text and a token behind it, as SGLang 0.5.23: that of a reference, which is not taken for one of the prompt."""
        numbers, tokens = [None, *found[1:], -0.5], [*text.split(), "x"]
        lists = {"text_offset": [-1] * len(tokens), "token_logprobs": numbers, "tokens": tokens,
                 "top_logprobs": [None, *({"x%d" % place: number for place, number in enumerate(top_of(one))} for one in numbers[1:])]}
        return {"id": "a", "object": "text_completion", "choices": [{"index": 0, "text": text + "x", "logprobs": lists, "matched_stop": None}],
                "usage": {"prompt_tokens": len(tokens) - 1, "total_tokens": len(tokens), "completion_tokens": 1}}

    def close(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server():
    made = Server()
    yield made
    made.close()


def model_of(server, **settings):
    return alcore.served.OpenAI(server.url, "m", **{"wait": 0.001, "timeout": 5, **settings})


def columns_of(model, *names, texts=TEXTS):
    with alcore.Pool(texts) as pool:
        alcore.Model(model).run(pool, *names)
        found = {}
        for name in names:
            values, offsets = (part.tolist() for part in pool.get_column(name))
            found[name] = [values[begin:end] for begin, end in zip(offsets, offsets[1:])]
        return found


def test_texts_are_echoed(server):
    found = columns_of(model_of(server), "logprobs", "margins", "confidences", "entropies")
    for row, text in enumerate(TEXTS):
        told = numbers_of(text)[1:]
        assert found["logprobs"][row] == pytest.approx(told, abs=1e-6)
        assert found["confidences"][row] == pytest.approx([math.exp(max(top_of(number))) for number in told], abs=1e-6)
        assert found["margins"][row] == pytest.approx([math.exp(top_of(number)[0]) - math.exp(top_of(number)[1]) for number in told], abs=1e-6)
    assert len(server.requests) == len(TEXTS)  # one request a text for all columns
    _, path, body, _ = server.requests[0]
    assert path == "/v1/completions" and (body["echo"], body["max_tokens"], body["logprobs"], body["model"]) == (True, 0, 5, "m")
    high = columns_of(model_of(server, vocabulary=100), "entropies")["entropies"]
    assert all(low < more for row, others in zip(found["entropies"], high) for low, more in zip(row, others))


def test_echoes_of_sglang(server):
    plain = columns_of(model_of(server), "logprobs", "margins")
    scores = alcore.Model(model_of(server, prompt=PROMPT + " : ")).score(["a b", "c"], ["x y", "z"])
    server.sglang = True
    assert columns_of(model_of(server, echo_tokens=1), "logprobs", "margins") == plain
    assert server.requests[-1][2]["max_tokens"] == 1
    assert alcore.Model(model_of(server, prompt=PROMPT + " : ", echo_tokens=1)).score(["a b", "c"], ["x y", "z"]) == scores
    server.sglang = False
    server.faults = {"a": [lambda handler, *_: handler.say(400, b'{"object":"error","message":"max_tokens must be positive","code":400}')]}
    with pytest.raises(alcore.served.ServedError, match="max_tokens must be positive; SGLang needs echo_tokens=1"):
        columns_of(model_of(server), "logprobs", texts=["a"])
    with pytest.raises(alcore.served.ServedError, match=r"row 0: the server tells \d+ tokens, and None of the text"):
        columns_of(model_of(server, echo_tokens=1), "logprobs")


def test_outputs_to_a_prompt(server):
    made = columns_of(model_of(server, prompt=PROMPT, body={"stop": ["x"]}), "logprobs")["logprobs"]
    assert made == [pytest.approx(numbers_of("now %s say" % " ".join(reversed(text.split()))), abs=1e-6) for text in TEXTS]
    _, path, body, _ = server.requests[0]
    assert path == "/v1/chat/completions" and (body["logprobs"], body["top_logprobs"], body["temperature"], body["stop"]) == (True, 5, 0, ["x"])


def test_selections(server):
    model = model_of(server, prompt=PROMPT)
    nnll = [-sum(row) / len(row) for row in columns_of(model, "logprobs")["logprobs"]]
    assert alcore.select(TEXTS, 2, "nnll", model=model).indices == sorted(range(4), key=lambda row: -nnll[row])[:2]
    assert len(alcore.select(TEXTS, 2, "uncertainty", model=model).indices) == 2
    picked = alcore.select(TEXTS, 2, "huds", model={"logprobs": model}, embeddings=[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.2]])
    assert len(picked.indices) == 2
    with alcore.Pool(TEXTS, references=["A", "C", "D E", "H"]) as pool:  # rttl: translating back, by the texts themselves
        alcore.Model(model).score(pool)
        assert len(alcore.select(pool, 2, "rttl").indices) == 2


def test_the_order_of_answers_changes_nothing(server):
    def late(handler, text, _body):
        time.sleep(0.15 if "a b" in text else 0.05 if "c" in text else 0)
    plain = columns_of(model_of(server), "logprobs", "margins")
    server.faults = {text: [late] for text in TEXTS}
    assert columns_of(model_of(server), "logprobs", "margins") == plain
    assert columns_of(model_of(server, threads=1), "logprobs", "margins") == plain


def test_failures_that_pass(server):
    plain = columns_of(model_of(server), "logprobs")
    server.requests.clear()

    def cut(handler, _text, _body):
        return handler.say(200, b'{"choices": [', length=500)

    def half(handler, _text, _body):
        return handler.say(200, b'{"choices": [')

    def busy(handler, _text, _body):
        return handler.say(503, b"busy")

    def often(handler, _text, _body):
        return handler.say(429, b'{"error": {"message": "slower"}}', Retry_After="0")

    def never(handler, _text, _body):
        return handler.say(503, b"busy", Retry_After="\xb2")

    def broken(handler, _text, _body):
        handler.say(503, b"bu", length=500)
        time.sleep(0.6)
        return True

    def gone(handler, _text, _body):
        handler.close_connection = True
        handler.connection.close()
        return True

    def slow(handler, _text, _body):
        time.sleep(0.6)
        return True
    server.faults = {"a b": [busy, often, cut], "d e": [half, gone], "h i": [slow, never, broken]}
    assert columns_of(model_of(server, timeout=0.3), "logprobs") == plain
    assert len(server.requests) == len(TEXTS) + 8
    server.faults = {"d e": [busy] * 9}
    with pytest.raises(alcore.served.ServedError, match=r"row 2: the server answered 503: busy, after 3 tries"):
        columns_of(model_of(server, retries=2), "logprobs")


def test_errors_name_the_row_and_hide_the_key(server, capfd):
    def refuse(handler, _text, _body):
        return handler.say(401, json.dumps({"error": {"message": "bad key %s, too\nlong" % KEY, "code": 1}}).encode())
    server.faults = {"c": [refuse]}
    with pytest.raises(alcore.served.ServedError) as failure:
        columns_of(model_of(server, key=KEY), "logprobs")
    assert str(failure.value) == "row 1: the server answered 401: bad key ***, too long"
    assert all(headers["Authorization"] == "Bearer " + KEY for *_, headers in server.requests)
    assert KEY not in repr(model_of(server, key=KEY)) + model_of(server, key=KEY).version + "".join(capfd.readouterr())

    def positive(handler, text, body):
        answer = server.answer(text, body)
        answer["choices"][0]["logprobs"]["token_logprobs"][1] = 0.5
        return handler.say(200, json.dumps(answer).encode())
    server.faults = {"d e": [positive]}
    with pytest.raises(alcore.served.ServedError, match="^row 2: token 0: the log-probability of the token is 0.5, above 0"):
        columns_of(model_of(server), "logprobs")

    def no_echo(handler, _text, _body):
        return handler.say(200, b'{"choices": [{"text": "out", "logprobs": {"content": []}}]}')
    server.faults = {"h i": [no_echo]}
    with pytest.raises(alcore.served.ServedError, match="row 3: the server did not echo the text"):
        columns_of(model_of(server), "logprobs")
    server.faults = {"a b": [lambda handler, *_: handler.say(200, b'{"object": "error", "message": "no such model"}')]}
    with pytest.raises(alcore.served.ServedError, match="row 0: the server answered: no such model"):
        columns_of(model_of(server), "logprobs")


def test_what_no_server_should_answer(server, monkeypatch):
    server.faults = {"c": [lambda handler, *_: handler.say(200, b"[" * 100000)] * 2}
    with pytest.raises(alcore.served.ServedError, match="row 1: the answer is no whole JSON"):
        columns_of(model_of(server, retries=1), "logprobs")
    server.faults = {"c": [lambda handler, *_: handler.say(200, b'{"choices": [{"text": "c", "logprobs": {"token_logprobs": [null, NaN]}}]}')]}
    with pytest.raises(alcore.served.ServedError, match="row 1: byte .*JSON has no NaN"):
        columns_of(model_of(server), "logprobs")
    server.faults = {}
    monkeypatch.setattr(alcore.served, "_LARGEST", 30)
    with pytest.raises(alcore.served.ServedError, match="more than 30 bytes"):
        columns_of(model_of(server), "logprobs")


def test_the_first_failure_is_told(server):
    def refuse(handler, text, _body):
        time.sleep(0.3 if "c" in text else 0)
        return handler.say(400, b"refused " + text.encode())
    server.faults = {"c": [refuse], "d e": [refuse], "h i": [refuse]}
    with pytest.raises(alcore.served.ServedError, match="^row 1: the server answered 400: refused c$"):
        columns_of(model_of(server), "logprobs")
    server.requests.clear()
    server.faults = {"a b": [refuse]}
    with pytest.raises(alcore.served.ServedError, match="^row 0: "):
        columns_of(model_of(server, threads=1), "logprobs")
    assert len(server.requests) <= 2  # those behind it are not asked


def test_redirects_are_refused(server):
    other = Server()
    server.faults = {"c": [lambda handler, *_: handler.say(302, b"", Location=other.url + "/completions")]}
    with pytest.raises(alcore.served.ServedError, match="row 1: the server answered 302"):
        columns_of(model_of(server, key=KEY), "logprobs")
    assert other.requests == []
    other.close()


def test_answers_are_kept(server, tmp_path):
    cache = tmp_path / "cache"
    plain = columns_of(model_of(server, cache=cache, key=KEY), "logprobs")
    assert len(list(cache.iterdir())) == len(TEXTS) == len(server.requests)
    assert columns_of(model_of(server, cache=cache), "logprobs") == plain
    assert columns_of(model_of(server, cache=cache), "logprobs", texts=TEXTS[:0:-1])["logprobs"] == plain["logprobs"][:0:-1]
    assert len(server.requests) == len(TEXTS)
    assert all(KEY not in file.read_text() for file in cache.iterdir())
    next(cache.iterdir()).write_text('{"choices": [')  # cut off by a full disk
    assert columns_of(model_of(server, cache=cache), "logprobs") == plain
    assert len(server.requests) == len(TEXTS) + 1
    columns_of(model_of(server, cache=cache, top=3), "logprobs")  # another request
    assert len(server.requests) == 2 * len(TEXTS) + 1
    server.faults = {"c": [lambda handler, *_: handler.say(400, b"no")]}
    with pytest.raises(alcore.served.ServedError):
        columns_of(model_of(server, cache=tmp_path / "other"), "logprobs")
    server.faults = {}
    assert columns_of(model_of(server, cache=tmp_path / "other"), "logprobs") == plain


def test_references_and_translations(server):
    model = alcore.Model(model_of(server, prompt=PROMPT + " : "))
    assert model.score(["a b", "c"], ["x y", "z"]) == [pytest.approx(numbers_of("x y"), abs=1e-6), pytest.approx(numbers_of("z"), abs=1e-6)]
    assert alcore.Model(model_of(server, prompt=PROMPT + ":")).score(["a"], ["x y"]) == [pytest.approx(numbers_of("now:x y"), abs=1e-6)]
    assert model.translate(["a b", "c"]) == [": now b a say", ": now c say"]
    assert server.requests[-1][2]["n"] == 1
    with alcore.Pool(["a b"]) as pool:
        out = model.translate(pool, sample=True, best=2, temperature=0.5, seed=3)
        assert len(out) == 2 and {request[2].get("seed") for request in server.requests} >= {3}
    with pytest.raises(ValueError, match="beams: a server"):
        model.translate(["a"], beams=4)
    with pytest.raises(ValueError, match="length_penalty"):
        model.translate(["a"], length_penalty=0.5)
    with pytest.raises(ValueError, match="language"):
        model.translate(["a"], language="de")
    with pytest.raises(ValueError, match="need a prompt"):
        alcore.Model(model_of(server)).translate(["a"])
    in_words = alcore.Model(model_of(server, prompt="to {language}: {source}"))
    assert in_words.translate(["{language}"], language="German") == ["{language} German: to"]


def test_the_example(server, tmp_path, root):
    pool = tmp_path / "pool.txt"
    pool.write_text("".join(text + "\n" for text in TEXTS))
    command = [sys.executable, str(root / "examples" / "python" / "served_model.py"), server.url, "m", str(pool), "2"]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "SERVER_KEY": KEY}).stdout.splitlines()
    assert len(out) == 2 and all(TEXTS[int(line.split("\t")[0])] == line.split("\t")[1] for line in out)
    assert len(server.requests) == len(TEXTS) + 2 and len(list((tmp_path / "pool.txt.answers").iterdir())) == len(TEXTS) + 2
    assert all(headers["Authorization"] == "Bearer " + KEY for *_, headers in server.requests)


def test_settings_are_checked(server):
    for settings, words in (({"prompt": "x"}, "source"), ({"top": 0}, "top: 0"), ({"body": {"stream": True}}, "stream"), ({"threads": 0}, "threads")):
        with pytest.raises(ValueError, match=words):
            model_of(server, **settings)
    with pytest.raises(ValueError, match="http"):
        alcore.served.OpenAI("file:///etc", "m")
    with pytest.raises(alcore.served.ServedError, match=r"row \d: .*refused.*, after 1 tries of http://127"):
        columns_of(alcore.served.OpenAI("http://127.0.0.1:9/v1", "m", retries=0), "logprobs")


def test_a_call_can_be_cancelled(server):
    server.faults = {text: [lambda *_: time.sleep(1)] for text in TEXTS}
    with alcore.Context() as context, alcore.Pool(TEXTS, context=context) as pool:
        timer = threading.Timer(0.2, context.cancel)
        timer.start()
        begun = time.monotonic()
        with pytest.raises(alcore.CancelledError):
            alcore.Model(model_of(server, threads=2), context=context).run(pool, "logprobs")
        assert time.monotonic() - begun < 5 and len(server.requests) <= 4
        timer.join()
