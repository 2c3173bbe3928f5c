# SPDX-License-Identifier: Apache-2.0
"""Selection over the partitions of a Dask DataFrame, each on the worker that has it (docs/distributed.md).

    picks = alcore.dask.select(frame, "1000w", model="/models/encoder")"""
from __future__ import annotations

import time

from ._answers import ClusterPicks, drive
from ._cluster import forget, Task
from ._errors import Error
from ._lazy import types as t

_PAUSE, _ALONE = 5, 120  # seconds between two looks at a cluster that has not answered; those in which it may be without any worker


def _answer(task, number, part, *delivered):
    return task.answer(number, lambda: part, delivered)


def _same(value):
    """What the scheduler sends to a worker, and again where the worker is lost: scattered data would be lost with it."""
    return value


async def _forget(run):
    forget(run)


def select(frame: t.Any, budget: int | float | str | list[int | float | str], strategy: str | None = None, *, client: t.Any = None, timeout: float = 3600,
           progress: t.Callable[[str, int, int], object] | None = None, **named: t.Any) -> ClusterPicks | list[ClusterPicks]:
    """Picks the rows of a Dask DataFrame that are worth labeling next: those that one machine with all partitions picks.

    frame: has a column text, and may have id, lang, cost and others as a table of alcore.select() has them. client: of
    dask.distributed; None: the present one. timeout: seconds that all shards may take for one exchange; then it is a TimeoutError that names
    the shards which have not answered. progress: called as progress("exchanges", done, -1). model: a folder or a file that every
    worker can read, or a function without arguments that makes a model; each worker process reads it once. labeled, targets: texts, or a
    table of them and their columns. threads: of each task (1). Further arguments as of alcore.select(), but for rows by their numbers."""
    import distributed
    client = client or distributed.get_client()
    task, parts = Task(budget, strategy, **named), client.compute(frame.to_delayed())
    try:
        try:
            task.counts = _gather(client, distributed, client.map(len, parts, pure=False), timeout)
        except Exception as error:
            unread = [number for number, part in enumerate(parts) if part.status == "error"]
            if not unread:
                raise
            raise Error("shard %d: its rows cannot be read: %s: %s" % (unread[0], type(error).__name__, error)) from error
        sent = client.submit(_same, task, pure=False)
        messages = []  # futures of those of the exchanges that are over

        def ask(delivered):
            messages.extend(client.submit(_same, message, pure=False) for message in delivered[len(messages):])
            return _gather(client, distributed, [client.submit(_answer, sent, number, part, *messages, pure=False)
                                                 for number, part in enumerate(parts)], timeout)
        return drive(ask, progress)
    finally:
        client.run(_forget, task.run, wait=False)


def _gather(client, distributed, futures, timeout):
    """The results of all, or a TimeoutError. A worker that was lost is replaced, and its tasks run again, as the settings of the cluster
    say (allowed-failures); a ConnectionError where all were lost and none comes back."""
    end, seen = time.monotonic() + timeout, None
    while True:
        left = end - time.monotonic()
        try:
            distributed.wait(futures, max(0, min(left, _PAUSE)))
        except (TimeoutError, distributed.TimeoutError):
            seen = time.monotonic() if client.nthreads() else seen
        else:
            return client.gather(futures)
        wrong = [future for future in futures if future.status == "error"]
        if wrong:  # whose workers died as often as they may
            client.cancel([future for future in futures if not future.done()])
            client.gather(wrong[0])
        alone = seen is not None and time.monotonic() - seen > _ALONE
        if alone or left <= _PAUSE:
            late = ", ".join(str(number) for number, future in enumerate(futures) if not future.done())
            client.cancel(futures)
            raise ConnectionError("no worker is left in the cluster since %g s; no answer of shard %s" % (_ALONE, late)) if alone else \
                TimeoutError("no answer within %g s of shard %s" % (timeout, late))
