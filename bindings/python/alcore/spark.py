# SPDX-License-Identifier: Apache-2.0
"""Selection over the partitions of a Spark DataFrame, each on an executor that reads it (docs/distributed.md).

    picks = alcore.spark.select(frame, "1000w", model="/models/encoder")"""
from __future__ import annotations

import base64
import itertools
import threading

from ._answers import ClusterPicks, drive, FAILED, failed, raise_first, result_of, run_ranks
from ._cluster import forget, Task
from ._errors import Error
from ._lazy import types as t


def _counts(batches):
    import pyarrow
    from pyspark import TaskContext
    number, rows = TaskContext.get().partitionId(), sum(batch.num_rows for batch in batches)
    yield pyarrow.RecordBatch.from_arrays([pyarrow.array([number], pyarrow.int32()), pyarrow.array([rows], pyarrow.int64())], ["shard", "count"])


def _answers(task, steps):
    """The function of a task: batches of rows to one row, the answer of the shard. steps(answer) makes the answer by one step or by all."""
    def answer(batches):
        import pyarrow
        from pyspark import TaskContext
        number, batches = TaskContext.get().partitionId(), iter(batches)
        first = next(batches, None)  # what names the columns of a partition without rows

        def read():
            return None if first is None else pyarrow.Table.from_batches(itertools.chain([first], batches))
        found = steps(lambda delivered: task.answer(number, read, delivered))
        for _ in batches:  # of a job that was held
            pass
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([number], pyarrow.int32()), pyarrow.array([found], pyarrow.binary())], ["shard", "answer"])
    return answer


def _all_steps(answer):
    """Makes all exchanges, in tasks that run at the same time and gather what all have. An error of one is the answer of every task."""
    from pyspark import BarrierTaskContext
    found = []

    def gather(message):
        found[:] = [base64.b64decode(each) for each in BarrierTaskContext.get().allGather(base64.b64encode(message).decode())]
        return found
    try:
        return run_ranks(answer, gather)[BarrierTaskContext.get().partitionId()]
    except Error as error:
        return next((each for each in found if each[:1] == FAILED), None) or failed(None, error)


def select(frame: t.Any, budget: int | float | str | list[int | float | str], strategy: str | None = None, *, barrier: bool = False, timeout: float = 3600,
           progress: t.Callable[[str, int, int], object] | None = None, **named: t.Any) -> ClusterPicks | list[ClusterPicks]:
    """Picks the rows of a Spark DataFrame that are worth labeling next: those that one machine with all partitions picks.

    frame: has a column text, and may have id, lang, cost and others as a table of alcore.select() has them. Unless it is cached, it is kept on
    the disks of the executors for the call, so that its rows keep their order. barrier: False: each exchange is a stage of tasks of their own, which may be lost and run
    again; True: one stage of tasks that all run at the same time, one a core, reads the rows and makes each pass once. timeout: seconds that a stage may
    take; then it is cancelled, and a TimeoutError. progress: called as progress("exchanges", done, -1), without barrier. model: a folder or a file that
    every executor can read, or a function without arguments that makes a model; each Python worker reads it once. labeled, targets: texts, or a
    table of them and their columns. threads: of each task (1). Further arguments as of alcore.select(), but for rows by their numbers."""
    from pyspark import StorageLevel
    spark, kept = frame.sparkSession, frame.is_cached
    parts = frame if kept else frame.persist(StorageLevel.DISK_ONLY)
    task = Task(budget, strategy, **{"kept": 1 << 30 if barrier else 2, **named})
    try:
        counts = dict(_collect(spark, parts.mapInArrow(_counts, "shard int, count long"), timeout))
        task.counts = [counts.get(number, 0) for number in range(max(counts, default=-1) + 1)]

        def answers(steps):
            found = dict(_collect(spark, parts.mapInArrow(_answers(task, steps), "shard int, answer binary", barrier), timeout))
            return [bytes(found[number]) for number in sorted(found) if number < len(task.counts)]
        if barrier:
            found = answers(_all_steps)
            raise_first(found)
            return result_of(found)

        def ask(delivered):
            messages = spark.sparkContext.broadcast(list(delivered))
            return answers(lambda answer: answer(messages.value))
        return drive(ask, progress)
    finally:
        if not kept:
            parts.unpersist()
        forget(task.run)


def _collect(spark, frame, timeout):
    """The rows of a frame, or what its collection raised; a TimeoutError where it takes longer."""
    import pyspark
    found, tag = [], "alcore-%d" % id(frame)

    def collect():
        spark.addTag(tag)
        try:
            found.append(frame.collect())
        except Exception as error:
            found.append(error)
        finally:
            spark.removeTag(tag)
    thread = pyspark.InheritableThread(collect, daemon=True)
    thread.start()
    thread.join(min(timeout, threading.TIMEOUT_MAX))
    if not found:
        spark.interruptTag(tag)
        raise TimeoutError("a stage took longer than %g s" % timeout)
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]
