# SPDX-License-Identifier: Apache-2.0
"""Selection over the blocks of a Ray Dataset, each in an actor that has it (docs/distributed.md).

    picks = alcore.ray.select(dataset, "1000w", model="/models/encoder")"""
from __future__ import annotations

from ._answers import ClusterPicks, drive
from ._cluster import Task
from ._lazy import types as t


class _Worker:
    """An actor: it has the jobs of its shards. One that was killed is made again, and its jobs with it."""

    def __init__(self, task):
        self.task = task

    def answer(self, number, part, *delivered):
        return self.task.answer(number, lambda: _plain(part), delivered)


def _plain(part):
    """The table with tensors of Ray as lists, which any reader knows."""
    import pyarrow
    for number, field in enumerate(part.schema):
        if isinstance(field.type, pyarrow.BaseExtensionType):
            values = part.column(number).combine_chunks()
            values = values.chunk(0) if isinstance(values, pyarrow.ChunkedArray) else values
            rows = values.to_numpy(zero_copy_only=False)
            flat = pyarrow.array(rows.reshape(-1))
            part = part.set_column(number, field.name, pyarrow.FixedSizeListArray.from_arrays(flat, rows.size // len(rows)))
    return part


def select(dataset: t.Any, budget: int | float | str | list[int | float | str], strategy: str | None = None, *, workers: int = 0, num_cpus: float = 1,
           timeout: float = 3600, progress: t.Callable[[str, int, int], object] | None = None, **named: t.Any) -> ClusterPicks | list[ClusterPicks]:
    """Picks the rows of a Ray Dataset that are worth labeling next: those that one machine with all blocks picks, in the order in which
    the dataset has them when it is materialized.

    dataset: has a column text, and may have id, lang, cost and others as a table of alcore.select() has them. workers: actors, each with
    num_cpus CPUs; 0: one for each CPU of the cluster but one, at most one for each block. timeout: seconds that all shards may take for one exchange; then
    it is a TimeoutError that names the shards which have not answered. progress: called as progress("exchanges", done, -1). model: a folder or a
    file that every worker can read, or a function without arguments that makes a model; each worker reads it once. labeled, targets: texts, or a
    table of them and their columns. threads: of each task (1). Further arguments as of alcore.select(), but for rows by their numbers."""
    import ray
    parts, task = dataset.materialize().to_arrow_refs(), Task(budget, strategy, **named)
    task.counts = _get(ray, [ray.remote(_count).remote(part) for part in parts], timeout)
    workers = max(1, min(len(parts), workers or int((ray.cluster_resources().get("CPU", 1) - 1) / num_cpus)))
    worker = ray.remote(_Worker).options(num_cpus=num_cpus, max_restarts=3, max_task_retries=3)
    actors, messages = [worker.remote(task) for _ in range(workers)], []

    def ask(delivered):
        messages.extend(ray.put(message) for message in delivered[len(messages):])
        return _get(ray, [actors[number % workers].answer.remote(number, part, *messages)
                          for number, part in enumerate(parts)], timeout)
    try:
        return drive(ask, progress)
    finally:
        for actor in actors:
            ray.kill(actor)


def _count(part):
    return part.num_rows


def _get(ray, answers, timeout):
    """The results of all, or a TimeoutError."""
    _, late = ray.wait(answers, num_returns=len(answers), timeout=timeout) if answers else ([], [])
    if late:
        raise TimeoutError("no answer within %g s of shard %s" % (timeout, ", ".join(str(answers.index(one)) for one in late)))
    return ray.get(answers)
