# SPDX-License-Identifier: Apache-2.0
"""What the workers of a cluster do with their shards: the part that dask.py, ray.py, spark.py and ranks.py share, and which knows no engine.

A Task is pickled to the workers. In each exchange a worker gives the answer (_answers.py) of each of its shards. It keeps the jobs of
its shards from one exchange to the next, with the columns that models made; one that was lost is made again, from the messages of the
exchanges that are over."""
from __future__ import annotations

import collections
import json
import os
import threading
import uuid
from collections.abc import Mapping
from contextlib import contextmanager, ExitStack
from typing import Any

from ._answers import failed, MESSAGE, PICKS
from ._errors import failure
from ._statuses import MissingError
from ._handles import Context
from ._job import Job, Picks
from ._lazy import types as t
from ._lm import LanguageModel
from ._parts import Model
from ._pool import Pool, pool_of
from ._records import FIELDS
from ._select import _prepared

_jobs: collections.OrderedDict[tuple[str, int], _Held] = collections.OrderedDict()  # of this process, the last used behind
_made: dict[Any, Any] = {}  # contexts and models of this process
_lock = threading.RLock()


def _once(key, make):
    """What the process makes once: a context or a model."""
    with _lock:
        if key not in _made:
            _made[key] = make()
        return _made[key]


def _files_of(path):
    """What tells whether a file, or a folder, is another than before: the sizes and times of its files."""
    files = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in sorted(names)] or [path]
    return [(name, found.st_size, found.st_mtime_ns) for name, found in ((name, os.stat(name)) for name in files if os.path.exists(name))]


def _read_once(path, ctx):
    """The model of a file or a folder, which is read again where it has changed, as between two rounds."""
    with _lock:
        files = _files_of(path)
        if _made.get((path, ctx), [None])[0] != files:
            _made[path, ctx] = files, LanguageModel.read(path, context=ctx) if os.path.isfile(path) else Model.open(path, context=ctx)
        return _made[path, ctx][1]


def _model_of(model, ctx):
    """A model that is read once in a process: of a folder or a file; what a function without arguments makes; of each column."""
    if isinstance(model, dict):
        return {column: _model_of(one, ctx) for column, one in model.items()}
    if isinstance(model, (str, os.PathLike)) and model != "ngram":
        return _read_once(os.fspath(model), ctx)
    return model() if callable(model) and not isinstance(model, Model) else model


def _has_ids(table, pool):
    """Whether rows have ids of their own: where they have none, each pool numbers its rows from 1."""
    names = table if isinstance(table, Mapping) else getattr(table, "column_names", getattr(table, "columns", None))
    if isinstance(table, Pool) or names is None:
        return any(pool.id(row) != str(row + 1) for row in range(min(len(pool), 1000)))
    return any(str(name).lower() in FIELDS["ids"] for name in names)


@contextmanager
def _told(pool):
    """An error about a column that is not there says why the pool has not taken that of the table: warnings stay in the worker."""
    try:
        yield
    except MissingError as error:
        if not pool._left_out:
            raise
        raise failure(error.status, "; ".join([str(error), *pool._left_out])) from error


class _Held:
    """The job of a shard in this process: what it was made with, and how many messages it took."""

    def __init__(self, task, number, read):
        self.taken, self.lock = 0, threading.Lock()
        self.first, self.count = sum(task.counts[:number]), task.counts[number]
        table = read() if self.count else []
        self.pool = task.pool_of(table)
        self.has_ids = _has_ids(table, self.pool)
        ctx = self.pool.context
        roles = {role: pool_of(texts, ctx) for role, texts in task.roles.items() if texts is not None}
        with ExitStack() as stack, _told(self.pool):
            request = stack.enter_context(_prepared(self.pool, task.budget, task.strategy, False,
                                                    model=_model_of(task.model, ctx), **roles, **task.named))
            if task.stands_in:
                request.set_model("ngram")
            none = [] if any(task.counts) else request._select(self.pool)  # no job knows the columns of a table without rows
            self.none = [Picks([], [], [], one.spent, one.short, one) for one in (none if isinstance(none, list) else [none])]
            self.job = Job(request, first_row=self.first, rows=sum(task.counts), dataset=task.dataset)
            self.stack = stack.pop_all()

    def close(self):
        """Lets go of the request, unless a step is being made."""
        if self.lock.acquire(blocking=False):
            self.job.close()
            self.stack.close()

    def step(self, delivered, number):
        """The answer after these messages."""
        with _told(self.pool):
            for message in delivered[self.taken:]:
                self.job.deliver(message)
                self.taken += 1
            return self._answer(number)

    def _answer(self, number):
        message = None if self.none else self.job.step()
        if message is not None:
            return MESSAGE + message
        picks, end = self.job.picks, self.first + self.count
        budgets = self.none or (picks if isinstance(picks, list) else [picks])
        own = sorted({row for one in budgets if one.selection is None for row in one.rows if self.first <= row < end})
        share = {row: [self.pool.id(row - self.first) if self.has_ids else str(row + 1), self.pool[row - self.first]] for row in own}
        whole = [(*one[:-1], None if one.selection is None else one.selection.records) for one in budgets] if number == 0 else None  # every job has them all
        return PICKS + json.dumps([number, share, whole, len(budgets) > 1]).encode()


class Task:
    """One selection over the shards of a cluster. kept: jobs that a process keeps at most."""

    def __init__(self, budget: t.Any, strategy: t.Any, *, model: t.Any = None, labeled: t.Any = None, targets: t.Any = None, dedup: str = "exact",
                 dataset: str | None = None, threads: int = 1, kept: int = 1 << 30, **named: t.Any) -> None:
        rows = [name for name in ("exclude", "eligible", "like") if name in named]
        if rows:
            raise TypeError("%s: rows of all shards cannot be named; leave them out of the data" % rows[0])
        self.run, self.counts, self.budget, self.strategy, self.model = uuid.uuid4().hex, [], budget, strategy, model
        self.roles, self.pool, self.dataset, self.threads = {"labeled": labeled, "targets": targets}, {"dedup": dedup}, dataset, threads
        self.kept, self.named = kept, named
        self.stands_in = False  # the n-gram model does, as it does on one machine where neither a column nor a model is named

    def lacks_model(self, pool: Pool) -> bool:
        """Whether the strategy needs a column that neither these rows nor the call name."""
        if self.model is not None or not len(pool):
            return False
        self.counts = [len(pool)]
        try:
            _Held(self, 0, lambda: pool)
            return False
        except MissingError as error:
            if 'model="ngram"' not in str(error):
                raise
            return True

    def pool_of(self, table: t.Any) -> Pool:
        """The rows of a shard as a pool."""
        ctx = _once(self.threads, lambda: Context(threads=self.threads, progress=False))
        return table if isinstance(table, Pool) else Pool(table, context=ctx, **self.pool)

    def answer(self, number: int, read: t.Callable[[], t.Any], delivered: t.Sequence[bytes]) -> bytes:
        """What the shard answers after these messages; read() gives its rows. Never raises."""
        try:
            held = self._held(number, read, len(delivered))
            with held.lock:
                answer = held.step(delivered, number)
            if answer[:1] == PICKS:
                forget(self.run, number)
            return answer
        except Exception as error:
            forget(self.run, number)
            first = sum(self.counts[:number])
            return failed(number, error, "rows %d to %d" % (first, first + self.counts[number] - 1) if self.counts[number] else "no rows")

    def _held(self, number, read, delivered):
        with _lock:
            held = _jobs.get((self.run, number))
            if held is not None and held.taken <= delivered:
                _jobs.move_to_end((self.run, number))
                return held
        held = _Held(self, number, read)
        with _lock:
            _jobs[self.run, number] = held
            while len(_jobs) > self.kept:
                _jobs.popitem(last=False)[1].close()
        return held


def forget(run: str, number: int | None = None) -> None:
    """Releases the job of a shard in this process, or those of all. One that still works, after a time-out, is released when it ends."""
    with _lock:
        for key in [key for key in _jobs if key[0] == run and number in (None, key[1])]:
            _jobs.pop(key).close()
