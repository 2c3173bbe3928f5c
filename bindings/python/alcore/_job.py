# SPDX-License-Identifier: Apache-2.0
"""Selection over rows that lie in shards (docs/distributed.md): the job of a shard, and what carries messages between jobs: any map
over shards, or a function that gathers what all ranks have."""
from __future__ import annotations

import ctypes
from typing import NamedTuple

from . import _ffi
from ._calls import run
from ._handles import default_context, getter, Handle, new, options
from ._lazy import types as t
from ._library import lib
from ._pool import Pool
from ._request import Request
from ._selection import Selection


class Picks(NamedTuple):
    """What all shards picked, best first: numbers of rows in the order of all shards, scores, costs in the unit of the budget and
    their sum; short: the rows ended before the budget. selection: where the picks are no rows of shards (phrases, sentences and
    phrases, rows of the target), the Selection of one machine, of whose pool `rows` are; else None."""

    rows: list[int]
    scores: list[float]
    costs: list[float]
    spent: float
    short: bool
    selection: Selection | None = None


def _bytes_of(function, handle):
    length = ctypes.c_size_t()
    address = function(handle, ctypes.byref(length))
    return None if address is None else ctypes.string_at(address, length.value)


def _picks_of(handle, ctx):
    pointer, selection = lib.alcore_job_selection(handle), None
    if pointer:
        selection = Selection(lib.alcore_selection_ref(pointer), Pool.borrowed(lib.alcore_selection_pool(pointer), ctx))
    count = lib.alcore_job_pick_count(handle)
    doubles = ctypes.c_double * count
    scores, costs = (doubles.from_address(function(handle))[:] for function in (lib.alcore_job_scores, lib.alcore_job_costs))
    return Picks((ctypes.c_int64 * count).from_address(lib.alcore_job_rows(handle))[:], scores, costs, lib.alcore_job_spent(handle),
                 bool(lib.alcore_job_flags(handle) & _ffi.ALCORE_SELECTION_SHORT), selection)


class Job(Handle):
    """The part of a selection that one shard works on. request: a Request whose candidates are the shard's rows; first_row: the number
    of the first of them among the rows of all shards, of which there are `rows` (0: this shard is the only one); dataset: what the data
    is called, such as its version: messages of another one are refused."""

    _noun = "job"

    def __init__(self, request: Request, *, first_row: int = 0, rows: int = 0, dataset: str | None = None) -> None:
        self._request = request  # its pools and models live as long as the job
        how = options("job", locals())
        super().__init__(new(lib.alcore_job_unref, lib.alcore_job_new, request._handle, ctypes.byref(how)), request.context)

    @staticmethod
    def serves(strategy: str) -> bool:
        """Whether jobs serve the built-in strategy of that name."""
        return bool(lib.alcore_job_serves(strategy.encode()))

    def step(self) -> bytes | None:
        """Works on the shard up to the next exchange: the message to be folded with those of the other shards; None: the picks are
        there. A step that was made already gives the same message again."""
        state = ctypes.c_int32()
        run(lib.alcore_job_step, self._handle, ctypes.byref(state))
        return None if state.value == _ffi.ALCORE_JOB_DONE else _bytes_of(lib.alcore_job_message, self._handle)

    def deliver(self, message: bytes) -> None:
        """Takes the message into which fold() has made those of all shards."""
        message = bytes(message)
        run(lib.alcore_job_deliver, self._handle, message, len(message))

    def run(self, gather: t.Callable[[bytes], t.Iterable[bytes]]) -> Picks | list[Picks]:
        """Makes all steps: the picks. gather: called by all ranks with bytes, gives those of all in the order of the ranks, as comm.allgather of
        mpi4py does. A rank that fails tells the others: all raise its error, with its rank. alcore.ranks has functions that gather within
        a time limit."""
        from ._answers import MESSAGE, PICKS, run_ranks
        taken = 0

        def answer(delivered):
            nonlocal taken
            for message in delivered[taken:]:
                self.deliver(message)
                taken += 1
            message = self.step()
            return PICKS if message is None else MESSAGE + message
        run_ranks(answer, gather)
        return self.picks

    spent = getter(float, "alcore_job_spent", "Sum of the costs of the picks, by the first budget; 0 before the job is done.")

    @property
    def picks(self) -> Picks | list[Picks] | None:
        """What all shards picked; of several budgets a list, in the order given; None before the job is done."""
        found = [_picks_of(lib.alcore_job_of_budget(self._handle, number), self.context) for number in range(lib.alcore_job_budget_count(self._handle))]
        return found if len(found) > 1 else found[0] if found else None


class _Fold(Handle):
    _noun = "job_fold"

    def __init__(self, ctx):
        super().__init__(new(lib.alcore_job_fold_unref, lib.alcore_job_fold_new, ctx._handle), ctx)


def fold(messages: t.Iterable[bytes], *, context: t.Context | None = None) -> bytes:
    """One message of those of several shards, in any order; some may be there twice, and some may have been folded before."""
    with _Fold(context or default_context()) as made:
        for message in messages:
            message = bytes(message)
            run(lib.alcore_job_fold_add, made._handle, message, len(message))
        folded = _bytes_of(lib.alcore_job_fold_message, made._handle)
    if folded is None:
        raise ValueError("messages: there is none to fold")
    return folded


def job_step(make_job: t.Callable[[t.Any], Job], shard: t.Any, delivered: t.Iterable[bytes]) -> bytes | Picks | list[Picks]:
    """The next step of a shard in a process that knows nothing of the steps before: make_job(shard) makes its Job, which takes the
    messages of the exchanges that are over; its own message, or the picks. For tasks that may be lost and made again."""
    with make_job(shard) as job:
        for message in delivered:
            job.deliver(message)
        return job.step() or job.picks


class _Step:
    """job_step() as a function of the shard, which can be pickled where make_job can."""

    def __init__(self, make_job, delivered):
        self.make_job, self.delivered = make_job, delivered

    def __call__(self, shard):
        return job_step(self.make_job, shard, self.delivered)


def select_shards(make_job: t.Callable[[t.Any], Job], shards: t.Iterable[t.Any],
                  map: t.Callable[[t.Callable[[t.Any], t.Any], t.Sequence[t.Any]], t.Iterable[t.Any]] = map) -> Picks | list[Picks]:
    """Selects from rows in shards: the picks; of several budgets a list. make_job(shard) makes the Job of a shard, in whichever process map(function, shards) calls
    the function: that of multiprocessing.Pool or of concurrent.futures, or one that hands tasks to Dask, Ray or Spark. It is called once
    for each exchange, and once more for the picks; tasks may be lost, made again and come twice."""
    shards, delivered = list(shards), []
    while True:
        found = list(map(_Step(make_job, list(delivered)), shards))
        wrong = ["%.100r" % (one,) for one in found if not isinstance(one, (bytes, Picks, list))] or ([] if found else ["nothing"])
        if wrong:
            raise TypeError("map: it gave %s, not what the function that it was given returns for each shard" % wrong[0])
        if not isinstance(found[0], bytes):
            return found[0]
        delivered.append(fold(found))
