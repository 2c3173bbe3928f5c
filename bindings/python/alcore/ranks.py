# SPDX-License-Identifier: Apache-2.0
"""Selection by ranks, programs that run at the same time and gather: those of MPI, of torch.distributed, or any others (docs/distributed.md).

    picks = alcore.ranks.select(texts_of_this_rank, "1000w", model="/models/encoder", gather=alcore.ranks.mpi(MPI.COMM_WORLD))"""
from __future__ import annotations

import array
import atexit
import json
import time
import warnings

from ._answers import ClusterPicks, FAILED, gather_told, MESSAGE, result_of, run_ranks
from ._cluster import forget, Task
from ._errors import user_level
from ._lazy import types as t
from ._select import ImplicitModelWarning

_LONGEST_PAUSE = 0.02  # seconds between two looks at a message that has not come


def select(texts: t.Any, budget: int | float | str | list[int | float | str], strategy: str | None = None, *, gather: t.Callable[[bytes], t.Iterable[bytes]],
           rank: int | None = None, progress: t.Callable[[str, int, int], object] | None = None, **named: t.Any) -> ClusterPicks | list[ClusterPicks]:
    """Picks the rows of all ranks that are worth labeling next: those that one machine with all of them picks. Every rank has them all.

    texts: the rows of this rank, as of alcore.select(), such as a Pool with its columns, or a function that reads them; those of all ranks are numbered in the order of the ranks. gather: called by all ranks
    with bytes, gives those of all in the order of the ranks: mpi(), torch() or a function. rank: of this program, from 0; None: what gather says. progress:
    called as progress("exchanges", done, -1). model: a folder or a file, or a function without arguments that makes a model. threads: of
    this rank (1). Where no rank names a column or a model, the n-gram model stands in, as on one machine. Further arguments as of alcore.select(), but for rows by their numbers. A rank that fails tells the others: all raise its
    error, with its rank."""
    task, pool, rank = None, None, gather.rank if rank is None else rank

    def count():
        nonlocal task, pool
        task = Task(budget, strategy, **named)
        pool = task.pool_of(texts() if callable(texts) else texts)
        return MESSAGE + json.dumps([len(pool), task.lacks_model(pool)]).encode()

    def answer(delivered):
        if progress is not None and delivered:
            progress("exchanges", len(delivered), -1)
        return task.answer(rank, lambda: pool, delivered)
    counts = gather_told(count, gather, rank)
    task.counts, lacking = zip(*(json.loads(one[1:]) for one in counts))
    task.stands_in = any(lacking) and all(lacks for rows, lacks in zip(task.counts, lacking) if rows)
    if task.stands_in:
        warnings.warn("the built-in n-gram model stands in, because neither a column nor a model was given; give one, or model=\"ngram\" to agree",
                      ImplicitModelWarning, stacklevel=user_level())
    try:
        return result_of(run_ranks(answer, gather))
    finally:
        forget(task.run)


def torch(group: t.Any = None) -> t.Callable[[bytes], list[bytes]]:
    """A function that gathers by torch.distributed; group: of processes (None: all). A ConnectionError where a rank is lost, and after the timeout of
    init_process_group()."""
    import torch.distributed as distributed

    def gather(message):
        found = [None] * distributed.get_world_size(group)
        try:
            distributed.all_gather_object(found, message, group=group)
        except MemoryError as error:
            raise MemoryError("rank %d: no memory for the messages of all ranks" % gather.rank) from error
        except RuntimeError as error:
            raise ConnectionError("rank %d: the messages of the other ranks have not come: %s" % (gather.rank, error)) from error
        return found
    gather.rank = distributed.get_rank(group)
    return gather


def mpi(comm: t.Any, timeout: float = 3600) -> t.Callable[[bytes], list[bytes]]:
    """A function that gathers by a communicator of mpi4py. timeout: seconds to wait for all ranks; then it is a TimeoutError, and this program
    aborts all ranks when it ends, as it does where memory for the messages runs out: a rank that is lost would keep MPI from its end."""
    from mpi4py import MPI

    def finish(request):
        end, pause = time.monotonic() + timeout, 0.0
        while not request.Test():
            if time.monotonic() > end:
                raise TimeoutError("rank %d: the other ranks sent nothing within %g s" % (comm.rank, timeout))
            time.sleep(pause)
            pause = min(pause + 0.0005, _LONGEST_PAUSE)

    def exchange(message):
        lengths = array.array("q", [0]) * comm.size
        is_failure = message[:1] == FAILED
        finish(comm.Iallgather([array.array("q", [-len(message) if is_failure else len(message)]), MPI.INT64_T], [lengths, MPI.INT64_T]))
        if min(lengths) < 0:  # what went wrong is all that counts, and a rank without memory cannot take the messages of others
            lengths = [max(-length, 0) for length in lengths]
            message = message if is_failure else b""
        counts = [(length + 7) // 8 for length in lengths]  # of 8 bytes: MPI counts up to 2^31 - 1
        places = [sum(counts[:number]) for number in range(comm.size)]
        try:
            found = bytearray(8 * sum(counts))
        except MemoryError as error:
            raise MemoryError("rank %d: no memory for the messages of all ranks, which have %d bytes" % (comm.rank, 8 * sum(counts))) from error
        finish(comm.Iallgatherv([message + bytes(-len(message) % 8), MPI.INT64_T], [found, counts, places, MPI.INT64_T]))
        return [bytes(found[8 * place:8 * place + length]) for place, length in zip(places, lengths)]

    def gather(message):
        try:
            return exchange(message)
        except BaseException:  # the others wait for this rank, which cannot take part any more
            atexit.register(comm.Abort, 1)
            raise
    gather.rank = comm.rank
    return gather
