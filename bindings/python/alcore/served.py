# SPDX-License-Identifier: Apache-2.0
"""Models behind a server of OpenAI's protocol (vLLM, llama.cpp's server, SGLang, OpenAI) as models of a selection:

    model = alcore.served.OpenAI("http://127.0.0.1:8000/v1", "NAME", prompt="Translate into German: {source}", cache="FOLDER")
    picked = alcore.select(texts, 100, "nnll", model=model)

docs/served.md has the guide. Only the standard library is used; each request is sent by a thread of this module."""
from __future__ import annotations

import hashlib
import http.client
import json
import os
import re
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from ._errors import Error
from ._handles import Context, default_context
from ._lazy import types as t
from ._logits import WRITERS
from ._pool import Pool
from ._served import read_served

#: Columns that are made of answers: those with a number a token.
COLUMNS = tuple(WRITERS[1:])
#: What a server may answer better the next time.
_PASSING = frozenset((408, 425, 429, 500, 502, 503, 504))
_LONGEST_WAIT = 60.0
_LARGEST = 1 << 28  # bytes of an answer


class ServedError(RuntimeError):
    """A request that the server did not answer as was asked: the row, and the server's words."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key is for the server that was named, and for no other."""

    def redirect_request(self, *_arguments: Any) -> None:
        return None


class _Passing(Exception):
    """A failure that another try may not meet; after: seconds that the server asks to wait, or None."""

    def __init__(self, text: str, after: float | None = None) -> None:
        super().__init__(text)
        self.after = after


class _Batch:
    """Requests that are sent together: which of them still are."""

    def __init__(self, count: int) -> None:
        self.stop, self.failed, self._lock = threading.Event(), count, threading.Lock()

    def fail(self, index: int) -> None:
        """Those behind a request that failed are not sent any more; those before it are, as the first failure is told."""
        with self._lock:
            self.failed = min(self.failed, index)

    def ends(self, index: int) -> bool:
        return self.stop.is_set() or index > self.failed


def _message(body: bytes) -> str:
    """What a server says of an error, in a line."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
        found = found.get("error", found) if isinstance(found, dict) else found
        text = str(found.get("message", found) if isinstance(found, dict) else found)
    except ValueError:
        pass
    return " ".join(text.split())[:500]


def _words_of(error: urllib.error.HTTPError) -> bytes:
    """The begin of what a server says beside the status of an error; nothing where the connection breaks off."""
    try:
        body: bytes = error.read(1 << 16)
    except (OSError, http.client.HTTPException):
        return b""
    return body


def _tokens(choice: dict[str, Any]) -> tuple[list[str], list[float | None]]:
    """The tokens of a choice and their log-probabilities, None for one that has none."""
    found = choice.get("logprobs") or {}
    if found.get("content") is not None:
        return [token["token"] for token in found["content"]], [token.get("logprob") for token in found["content"]]
    return list(found.get("tokens") or ()), list(found.get("token_logprobs") or ())


def _common(one: list[str], other: list[str]) -> int:
    """How many tokens two lists begin with in common."""
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


class OpenAI:
    """A model behind a server, of the columns logprobs, margins, confidences and entropies.

    url: up to and with /v1; model: its name there. Without a prompt the columns are of the texts themselves, which the server is asked to
    echo (vLLM and SGLang do; llama.cpp's server does not). prompt: a text with {source} in the place of the text, and {language} where
    translate() is given one: the columns are then of the model's own output, to that prompt as a chat, or with chat=False as the beginning
    of a text. score_references() and translate() need it.

    top: likeliest tokens that are asked for (2 or more for margins); vocabulary: tokens of the model's vocabulary, with which entropies are
    the upper bound in place of the lower one; max_tokens: of an output; echo_tokens: those that are asked for behind an echoed text and left
    out, 1 for SGLang, which refuses 0; body: further members of requests, such as {"seed": 1, "stop":
    ["\\n"]}. key: of the server, which is sent to it and stands in no message, file or representation.

    threads: requests at once; timeout: seconds for a request; retries: further tries of a request that timed out, broke off or met a status
    such as 429 or 503, each after twice the wait of the one before, from `wait` seconds on, or as long as the server asks. cache: a folder
    in which answers are kept by their requests, for later runs and other pools; None: they are not kept. Results do not depend on the
    order in which answers arrive."""

    columns = COLUMNS

    def __init__(self, url: str, model: str, *, prompt: str | None = None, chat: bool = True, key: str | None = None, top: int = 5,
                 vocabulary: int = 0, max_tokens: int = 256, body: t.Mapping[str, Any] | None = None, threads: int = 8, timeout: float = 60.0,
                 retries: int = 5, wait: float = 1.0, cache: t.Path | None = None, echo_tokens: int = 0) -> None:
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError("url: http://... or https://... is expected, got %r" % url)
        if prompt is not None and "{source}" not in prompt:
            raise ValueError("prompt: {source} stands in it for the text")
        for name, number, least in (("top", top, 1), ("vocabulary", vocabulary, 0), ("max_tokens", max_tokens, 1), ("threads", threads, 1),
                                    ("echo_tokens", echo_tokens, 0), ("retries", retries, 0), ("timeout", timeout, 0.001), ("wait", wait, 0)):
            if number < least:
                raise ValueError("%s: %r is below %r" % (name, number, least))
        own = {"model", "prompt", "messages", "logprobs", "top_logprobs", "echo", "stream", "n"} & set(body or ())
        if own:
            raise ValueError("body: %s is set by the model" % sorted(own)[0])
        self.url, self.model, self.prompt, self.chat, self.top, self.vocabulary = url.rstrip("/"), model, prompt, chat, top, vocabulary
        self.max_tokens, self.body, self.threads, self.timeout = max_tokens, dict(body or {}), threads, timeout
        self.retries, self.wait, self.echo_tokens = retries, wait, echo_tokens
        self.name = "served " + model
        self._key = key
        self._cache = None if cache is None else Path(os.fsdecode(cache))
        self._opener = urllib.request.build_opener(_NoRedirects())
        settings = [self.url, model, prompt, chat, top, vocabulary, max_tokens, self.body]
        self.version = json.dumps(settings, sort_keys=True)

    def __repr__(self) -> str:
        return "<alcore.served.OpenAI %s at %s>" % (self.model, self.url)

    # ---- what a selection asks ----

    def describe(self, _column: str) -> dict[str, Any]:
        return {"shape": "ragged"}

    def compute(self, texts: t.Batch, columns: list[str]) -> dict[str, list[list[float]]]:
        """The columns of a batch, of its texts or of the outputs for them."""
        if self.prompt is None:
            answers = self._ask(texts, [self._echo(text) for text in texts])
            for row, text, answer in zip(texts.rows, texts, answers):
                self._check_echo(row, text, answer)
        else:
            answers = self._ask(texts, [self._request(text) for text in texts])
        return self._measure(texts, answers, columns)

    def score_references(self, texts: t.Batch) -> list[list[float]]:
        """The log-probabilities of the tokens of each reference behind the prompt. Tokens that the end of the prompt and the beginning of
        the reference share count as the reference's."""
        prefixes = [self._fill(text, None) for text in texts]
        wholes = [prefix + (reference or "") for prefix, reference in zip(prefixes, texts.references or [None] * len(texts))]
        answers = self._ask(texts, [self._echo(text) for text in prefixes + wholes], list(texts.rows) * 2)
        found = []
        for row, prefix, whole, before, answer in zip(texts.rows, prefixes, wholes, answers, answers[len(texts):]):
            self._check_echo(row, prefix, before)
            self._check_echo(row, whole, answer)
            tokens, numbers = _tokens(answer["choices"][0])
            first = max(1, _common(_tokens(before["choices"][0])[0], tokens))
            found.append([self._number(row, number) for number in numbers[first:]])
        return found

    def translate(self, texts: t.Batch, *, best: int = 1, beams: int = 0, sample: bool = False, temperature: float | None = None, seed: int = 0,
                  max_tokens: int = 0, length_penalty: float | None = None, language: str | None = None,
                  ) -> list[list[tuple[str, list[float]]]]:
        """Outputs to the prompt: one, the likeliest token at each step, or `best` samples."""
        if beams > 1:
            raise ValueError("beams: a server of OpenAI's protocol has no beam search; beams=1, or sample=True, is what it does")
        if length_penalty is not None:
            raise ValueError("length_penalty: outputs are not searched for")
        if language is not None and "{language}" not in (self.prompt or ""):
            raise ValueError("language: {language} does not stand in the prompt")
        if best > 1 and not sample:
            raise ValueError("best: several outputs are samples: sample=True")
        how: dict[str, Any] = {"max_tokens": max_tokens or self.max_tokens, "n": best}
        if sample:
            how.update(temperature=1.0 if temperature is None else temperature, seed=seed)
        answers = self._ask(texts, [self._request(text, language, how) for text in texts])
        outputs = []
        for row, answer in zip(texts.rows, answers):
            found = []
            for choice in sorted(answer["choices"], key=lambda one: one.get("index", 0))[:best]:
                text = (choice.get("message") or {}).get("content") if self.chat else choice.get("text")
                found.append((text or "", [self._number(row, number) for number in _tokens(choice)[1]]))
            outputs.append(found)
        return outputs

    # ---- requests ----

    def _fill(self, text: str, language: str | None) -> str:
        """The prompt for a text."""
        if self.prompt is None:
            raise ValueError("score() and translate() need a prompt with {source}")
        if language is None and "{language}" in self.prompt:
            raise ValueError("the prompt has {language}, and no language is given")
        parts = self.prompt.split("{source}")  # the text may have braces of its own
        return text.join(part if language is None else part.replace("{language}", language) for part in parts)

    def _echo(self, text: str) -> tuple[str, dict[str, Any]]:
        """The request for the log-probabilities of a text."""
        return "/completions", {**self.body, "model": self.model, "prompt": text, "echo": True, "max_tokens": self.echo_tokens,
                                "logprobs": self.top}

    def _request(self, text: str, language: str | None = None, how: t.Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """The request for the output to the prompt."""
        filled = self._fill(text, language)
        body = {"temperature": 0, "max_tokens": self.max_tokens, **self.body, "model": self.model, **(how or {})}
        if self.chat:
            return "/chat/completions", {**body, "messages": [{"role": "user", "content": filled}], "logprobs": True, "top_logprobs": self.top}
        return "/completions", {**body, "prompt": filled, "logprobs": self.top}

    def _digest(self, request: tuple[str, dict[str, Any]]) -> str:
        return hashlib.sha256(json.dumps([self.url, *request], sort_keys=True).encode()).hexdigest()

    def _kept(self, digest: str) -> dict[str, Any] | None:
        """The answer that the cache has; None: there is none that is whole."""
        if self._cache is None:
            return None
        try:
            found = json.loads((self._cache / (digest + ".json")).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return found if isinstance(found, dict) and found.get("choices") else None

    def _keep(self, digest: str, answer: bytes) -> None:
        """Keeps an answer: the file appears whole or not at all."""
        if self._cache is None:
            return
        self._cache.mkdir(parents=True, exist_ok=True)
        handle, path = tempfile.mkstemp(dir=self._cache, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(answer)
            os.replace(path, self._cache / (digest + ".json"))
        except BaseException:
            os.unlink(path)
            raise

    def _hide(self, text: str) -> str:
        """A text without the key, which servers repeat when they refuse it."""
        return text.replace(self._key, "***") if self._key else text

    def _send(self, request: tuple[str, dict[str, Any]]) -> bytes:
        """One try of a request; a failure that may pass is a _Passing."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = "Bearer " + self._key
        call = urllib.request.Request(self.url + request[0], json.dumps(request[1]).encode(), headers)
        try:
            with self._opener.open(call, timeout=self.timeout) as answer:
                body: bytes = answer.read(_LARGEST + 1)
        except urllib.error.HTTPError as error:
            with error:
                words = "%d: %s" % (error.code, self._hide(_message(_words_of(error))))
            if error.code not in _PASSING:
                more = "; SGLang needs echo_tokens=1" if "max_tokens must be positive" in words else ""
                raise ServedError("the server answered " + words + more) from None
            after = error.headers.get("Retry-After", "")
            raise _Passing("the server answered " + words, float(after) if after.isdecimal() else None) from None
        except (OSError, http.client.HTTPException) as error:  # a time-out, a connection that is refused or breaks off
            raise _Passing(self._hide(str(getattr(error, "reason", error)) or type(error).__name__)) from None
        if len(body) > _LARGEST:
            raise ServedError("the answer has more than %d bytes" % _LARGEST)
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            raise _Passing("the answer is no whole JSON: %r" % body[:80]) from None
        if not isinstance(found, dict) or not found.get("choices"):
            raise ServedError("the server answered: " + self._hide(_message(body)))
        return body

    def _answer(self, index: int, row: int, request: tuple[str, dict[str, Any]], batch: _Batch) -> dict[str, Any]:
        """The answer to a request of a batch, from the cache or the server, by a thread."""
        try:
            return self._try(index, request, batch)
        except ServedError as error:
            batch.fail(index)
            raise ServedError("row %d: %s" % (row, error)) from None

    def _try(self, index: int, request: tuple[str, dict[str, Any]], batch: _Batch) -> dict[str, Any]:
        digest = self._digest(request)
        kept = self._kept(digest)
        if kept is not None:
            return kept
        for attempt in range(self.retries + 1):
            if batch.ends(index):
                break
            try:
                body = self._send(request)
            except _Passing as error:
                if attempt == self.retries:
                    raise ServedError("%s, after %d tries of %s" % (error, attempt + 1, self.url)) from None
                pause = self.wait * 2.0 ** attempt * (0.75 + int(digest[:4], 16) / 131072)  # not all at the same instant
                batch.stop.wait(min(error.after if error.after is not None else pause, _LONGEST_WAIT))
                continue
            self._keep(digest, body)
            found: dict[str, Any] = json.loads(body)
            return found
        raise ServedError("it was not asked any more")

    def _ask(self, texts: t.Batch, requests: list[tuple[str, dict[str, Any]]], rows: list[int] | None = None) -> list[dict[str, Any]]:
        """The answers to requests, in their order; the failure of the first one that fails, whichever comes first."""
        context = getattr(texts.pool, "context", None) or default_context()
        batch, answers = _Batch(len(requests)), []
        with ThreadPoolExecutor(self.threads, "alcore-served") as workers:
            made = [workers.submit(self._answer, index, row, request, batch)
                    for index, (row, request) in enumerate(zip(rows or texts.rows, requests))]
            try:
                for one in made:
                    while not one.done():
                        wait([one], 0.05)
                        context.poll("served", len(answers), len(made))
                    answers.append(one.result())
            except BaseException:
                batch.stop.set()
                for one in made:
                    one.cancel()
                raise
        return answers

    # ---- answers ----

    def _check_echo(self, row: int, text: str, answer: dict[str, Any]) -> None:
        if not str(answer["choices"][0].get("text") or "").startswith(text):
            raise ServedError("row %d: the server did not echo the text, as llama.cpp's does not: with a prompt the columns are of the "
                              "model's output" % row)
        if self.echo_tokens:
            self._cut_output(row, answer)

    def _cut_output(self, row: int, answer: dict[str, Any]) -> None:
        """Leaves the tokens behind the echoed text out of an answer."""
        lists, tokens = answer["choices"][0].get("logprobs") or {}, (answer.get("usage") or {}).get("prompt_tokens")
        found = len(lists.get("token_logprobs") or ())
        if not isinstance(tokens, int) or not found - self.echo_tokens <= tokens <= found:
            raise ServedError("row %d: the server tells %d tokens, and %r of the text (usage.prompt_tokens)" % (row, found, tokens))
        for name in ("tokens", "token_logprobs", "top_logprobs", "text_offset"):
            if isinstance(lists.get(name), list):
                lists[name] = lists[name][:tokens]

    def _number(self, row: int, number: float | None) -> float:
        if number is None or not number <= 1e-3:  # 0, but for rounding
            raise ServedError("row %d: a token has the log-probability %r" % (row, number))
        return min(float(number), 0.0)

    def _measure(self, texts: t.Batch, answers: list[dict[str, Any]], columns: list[str]) -> dict[str, list[list[float]]]:
        """The columns of answers, as pool.read_served() reads them."""
        handle, path = tempfile.mkstemp(suffix=".jsonl", prefix="alcore-served-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.writelines(json.dumps({"index": index, "response": answer}) + "\n" for index, answer in enumerate(answers))
            with Pool(["answer %d" % index for index in range(len(answers))], context=Context()) as pool:
                read_served(pool, path, classes=self.vocabulary, rest="uniform" if self.vocabulary else "one_class",
                            **{column: column for column in columns})
                return {column: self._lists(pool, column) for column in columns}
        except Error as error:
            place = re.match(re.escape(path) + r":(\d+): (?:row \d+, )?(.*)", str(error), re.S)
            if not place:
                raise
            raise ServedError("row %d: %s" % (texts.rows[int(place.group(1)) - 1], place.group(2))) from None
        finally:
            os.unlink(path)

    def _lists(self, pool: Pool, column: str) -> list[list[float]]:
        values, offsets = (part.tolist() for part in pool.get_column(column))
        return [values[begin:end] for begin, end in zip(offsets, offsets[1:])]
