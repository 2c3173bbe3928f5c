# SPDX-License-Identifier: Apache-2.0
"""What shards answer in an exchange, and what becomes of it: in the program that asked them, or in each of the ranks that gather.

An answer is bytes whose first one says what follows: a message of a Job, the picks, or what went wrong. So the first error of any
worker, with its place, reaches everyone who waits for messages."""
from __future__ import annotations

import json
import os
import socket
import traceback
from typing import NamedTuple

from ._errors import Error, failure
from ._job import fold, Picks
from ._lazy import types as t

MESSAGE, PICKS, FAILED = b"M", b"P", b"F"


class ClusterPicks(NamedTuple):
    """What all shards picked, best first: numbers of rows in the order of all shards (of phrases: in the table of all phrases; of sentences and
    phrases: ranks), their ids (of rows without one their number, from 1), texts, scores and costs; spent: the sum of the costs; short: the rows ended before the budget.
    records: of phrases, of sentences and phrases and of rows of the target, whose picks are no rows of shards, a dict for each pick, as Selection.records; else None."""

    rows: list[int]
    ids: list[str]
    texts: list[str]
    scores: list[float]
    costs: list[float]
    spent: float
    short: bool
    records: list[dict[str, t.Any]] | None = None


class WorkerTraceback(Exception):
    """Where an error was raised in a worker: the cause of the error that is raised in the program."""


def failed(number: int | None, error: BaseException, rows: str | None = None) -> bytes:
    """The answer of a shard, or of a rank, that failed. number: None where the place of the answer among all is its number. rows: which it has."""
    place = "%s%s, process %d" % ("" if rows is None else rows + ", ", socket.gethostname(), os.getpid())
    text = "%s" % error if isinstance(error, Error) and error.status else ("%s: %s" % (type(error).__name__, error)).removesuffix(": ")
    return FAILED + json.dumps([number, place, getattr(error, "status", None), text, traceback.format_exc()]).encode()


def raise_first(answers: t.Iterable[bytes], noun: str = "shard") -> None:
    """Raises what went wrong in the shard, or the rank, with the lowest number."""
    wrong = [(place, *json.loads(answer[1:])) for place, answer in enumerate(answers) if answer[:1] == FAILED]
    if wrong:
        number, place, status, text, where = min((place if number is None else number, *more) for place, number, *more in wrong)
        raise failure(status, "%s %d (%s): %s" % (noun, number, place, text)) from WorkerTraceback("\n" + where)


def result_of(answers: t.Iterable[bytes]) -> ClusterPicks | list[ClusterPicks]:
    """The picks, of the last answers of all shards; of several budgets a list."""
    shares, budgets, several = {}, None, False
    for _, share, all_picks, several in (json.loads(answer[1:]) for answer in answers):
        shares.update((int(row), record) for row, record in share.items())
        budgets = all_picks or budgets
    if budgets is None:
        raise Error("a shard was lost when the picks were made: the first one")
    found = []
    for picks, records in ((Picks(*one[:-1]), one[-1]) for one in budgets):
        missing = next((row for row in picks.rows if records is None and row not in shares), None)
        if missing is not None:
            raise Error("a shard was lost when the picks were made: that of row %d" % missing)
        own = [shares[row] for row in picks.rows] if records is None else [(record["id"], record["text"]) for record in records]
        found.append(ClusterPicks(picks.rows, [one[0] for one in own], [one[1] for one in own], *picks[1:5], records))
    return found if several else found[0]


def drive(ask: t.Callable[[list[bytes]], t.Iterable[bytes]], progress: t.Any = None) -> ClusterPicks | list[ClusterPicks]:
    """Makes all exchanges. ask: gives the answers of all shards after these messages, in any order; some may be there twice."""
    delivered: list[bytes] = []
    while True:
        answers = list(ask(delivered))
        raise_first(answers)
        if not answers:
            raise ValueError("the table has no parts, and so no rows")
        if answers[0][:1] == PICKS:
            return result_of(answers)
        delivered.append(fold(answer[1:] for answer in answers))
        if progress is not None:
            progress("exchanges", len(delivered), -1)


def gather_told(make: t.Callable[[], bytes], gather: t.Callable[[bytes], t.Iterable[bytes]], number: int | None) -> list[bytes]:
    """What all ranks have, once this one, of that number, gathered what make() gives. Where make() fails, the others are told in place of it, and all raise its error. What
    ends this program, SystemExit or KeyboardInterrupt, is raised here as it was, once the others know of it."""
    end = None
    try:
        own = make()
    except BaseException as error:
        own, end = failed(number, error), None if isinstance(error, Exception) else error
    try:
        answers = [bytes(one) for one in gather(own)]
    except Exception:
        if end is None:
            raise_first([own], "rank")  # what went wrong here could not be told to the others
            raise
    if end is not None:
        raise end
    del own
    raise_first(answers, "rank")
    return answers


def run_ranks(answer: t.Callable[[list[bytes]], bytes], gather: t.Callable[[bytes], t.Iterable[bytes]]) -> list[bytes]:
    """Makes all exchanges of a rank: the last answers of all ranks. answer: gives its own after these messages; gather is
    called by all ranks with theirs, and gives those of all. All ranks make as many exchanges, and the last tells that all have their picks. Where
    one alone fails, also between two of them, as without memory, it tells the others in the next one."""
    delivered: list[bytes] = []
    answers: list[bytes] = []

    def make():
        if answers:
            delivered.append(fold(one[1:] for one in answers))
            answers.clear()
        own = answer(delivered)
        delivered[:] = [b""] * len(delivered)  # the job has taken them
        return own
    while True:
        answers[:] = gather_told(make, gather, getattr(gather, "rank", None))
        if answers and answers[0][:1] == PICKS:
            return answers
