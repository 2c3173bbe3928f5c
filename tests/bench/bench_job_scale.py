# SPDX-License-Identifier: Apache-2.0
"""A job over many rows of vectors: what each shard takes, how much memory, and how many bytes move.

    bench_job_scale.py ROWS FOLDER [--shards 8] [--at-once 2] [--strategy huds] [--budget 1000] [--targets 1000] [--candidates all] [--check]

Rows are made block by block, float16 embeddings of 64 components and a score, into a file of each shard in FOLDER, which goes at the end (128
bytes a row). Each shard is a process with one thread; as many work at once as --at-once says, the others wait. Prints, of each shard, the seconds of
its steps and deliveries and the processor seconds, its peak memory (with the pages of its files that were mapped, as the kernel counts them, and
without), how much of that it has with its pool alone, and the bytes of its messages; then those of all, and of a worker the bytes of memory a row of all shards. --candidates: so many rows
are drawn, which are compared. --check: the picks are those of one process."""
import argparse
import concurrent.futures
import multiprocessing
import os
import resource
import sys
import tempfile
import threading
import time

import numpy

import alcore

DIMS, BLOCK = 64, 8192
CENTERS = numpy.random.default_rng(7).normal(size=(50, DIMS)).astype(numpy.float32)


def block_of(number, rows):
    """Rows of a block of all shards: embeddings around fifty centers, and scores."""
    random = numpy.random.Generator(numpy.random.Philox(number))
    vectors = CENTERS[random.integers(0, len(CENTERS), rows)] + random.normal(size=(rows, DIMS)).astype(numpy.float32)
    return vectors.astype(numpy.float16), random.gamma(3, size=rows).astype(numpy.float32)


def write_shard(folder, number, first, end):
    """Writes the columns of a shard, which begins with a block; the paths of its embeddings and scores."""
    paths = [os.path.join(folder, "%s-%d.npy" % (name, number)) for name in ("embeddings", "scores")]
    with open(paths[0], "wb") as vectors, open(paths[1], "wb") as scores:
        for file, shape, dtype in ((vectors, (end - first, DIMS), "<f2"), (scores, (end - first,), "<f4")):
            numpy.lib.format.write_array_header_1_0(file, {"descr": dtype, "fortran_order": False, "shape": shape})
        for start in range(first, end, BLOCK):
            for file, values in zip((vectors, scores), block_of(start // BLOCK, min(BLOCK, end - start))):
                values.tofile(file)
    return paths


def job_of(first, end, paths, options):
    """The job of a shard, or of one process that has all rows."""
    ctx = alcore.Context(threads=1, progress=False)
    pool = alcore.Pool(dedup="none", context=ctx)
    for start in range(first, end, 8 * BLOCK):
        pool.add(["r%d" % row for row in range(start, min(start + 8 * BLOCK, end))])
    for name, path in zip(("embeddings", "scores"), paths):
        pool.read_column(name, path)
    target = None
    if options.strategy == "knn-uncertainty":
        target = alcore.Pool(["t%d" % row for row in range(options.targets)], context=ctx)
        target.set_column("embeddings", block_of(1 << 40, options.targets)[0])
    strategy = alcore.Strategy(options.strategy, context=ctx, candidates=options.candidates)
    request = alcore.Request(pool, target=target, strategy=strategy, budget=options.budget, masks="none")
    return request, alcore.Job(request, first_row=first, rows=options.rows)


def memory_now():
    """The anonymous memory of this process, in KiB."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))


def own_memory(peak, done):
    """Keeps the memory with which this process begins in peak[0], and the largest one in peak[1]."""
    while True:
        found = memory_now()
        peak[:] = [peak[0] or found, max(peak[1], found)]
        if done.wait(0.05):
            return


def work(pipe, number, first, end, paths, options):
    """A shard: answers each message with the seconds, the processor seconds and its own message, b"" behind the last; then with its picks and its memory."""
    peak, done, job, rows = [0, 0], threading.Event(), None, 0
    thread = threading.Thread(target=own_memory, args=(peak, done), daemon=True)
    thread.start()
    while True:
        given = pipe.recv_bytes()
        begun, spent = time.perf_counter(), time.process_time()
        if job is None:
            request, job = job_of(first, end, paths, options)
            rows = memory_now()
        else:
            job.deliver(given)
        del given
        message = job.step() or b""
        pipe.send((time.perf_counter() - begun, time.process_time() - spent))
        pipe.send_bytes(message)
        if not message:
            break
        del message
    done.set()
    thread.join()
    pipe.send((job.picks.rows, [*peak, rows - peak[0]], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=int)
    parser.add_argument("folder")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--strategy", default="huds")
    parser.add_argument("--budget", default="1000")
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--candidates", default="all")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    cuts = [min(options.rows, -(-options.rows * shard // options.shards // BLOCK) * BLOCK) for shard in range(options.shards)] + [options.rows]
    spans = list(zip(cuts, cuts[1:]))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder, concurrent.futures.ThreadPoolExecutor(options.at_once) as at_once:
        paths = list(at_once.map(lambda shard: write_shard(folder, shard, *spans[shard]), range(options.shards)))
        spawn, pipes = multiprocessing.get_context("spawn"), []
        for shard, span in enumerate(spans):
            here, there = spawn.Pipe()
            pipes.append(here)
            spawn.Process(target=work, args=(there, shard, *span, paths[shard], options), daemon=True).start()
            there.close()  # a shard that dies ends the wait for it
        times, sent, given, taken, exchanges = [[0.0, 0.0] for _ in spans], [0] * len(spans), 0, b"", 0
        begun = time.perf_counter()

        def step(shard):
            pipes[shard].send_bytes(taken)
            wall, spent = pipes[shard].recv()
            times[shard][0] += wall
            times[shard][1] += spent
            return pipes[shard].recv_bytes()
        while True:
            messages = list(at_once.map(step, range(len(spans))))
            if not messages[0]:
                break
            exchanges += 1
            sent = [count + len(message) for count, message in zip(sent, messages)]
            taken = alcore.fold(messages)
            given += len(taken)
        wall = time.perf_counter() - begun
        ends = [pipe.recv() for pipe in pipes]
        assert all(end[0] == ends[0][0] for end in ends)
        print("shard\trows\tseconds\tprocessor_seconds\tpeak_MiB\town_MiB\tpool_MiB\tsent_MiB")
        for shard, ((first, end), (seconds, spent), (_, (_, own, pool), peak)) in enumerate(zip(spans, times, ends)):
            print("%d\t%d\t%.2f\t%.2f\t%.0f\t%.0f\t%.0f\t%.2f" % (shard, end - first, seconds, spent, peak / 1024, own / 1024, pool / 1024, sent[shard] / 2 ** 20))
        most = max(own for _, (_, own, _), _ in ends)
        pools = max(pool for _, (_, _, pool), _ in ends)
        grown = max(own - base for _, (base, own, _), _ in ends)
        print("%s: %d rows, %d shards, %d at once, %d exchanges: %.1f s, %.1f processor seconds; moved %.1f MiB from shards and %.1f MiB to each; "
              "a worker has at most %.0f MiB of its own: %.0f MiB more than at its begin, %.0f of them once it has its pool, %.1f bytes a row of all shards" % (
                  options.strategy, options.rows, len(spans), options.at_once, exchanges, wall, sum(spent for _, spent in times), sum(sent) / 2 ** 20,
                  given / 2 ** 20, most / 1024, grown / 1024, pools / 1024, grown * 1024 / options.rows))
        if options.check:
            whole = write_shard(folder, options.shards, 0, options.rows)
            request, job = job_of(0, options.rows, whole, options)
            job = None
            same = list(request.select().indices) == ends[0][0]
            print("the picks are those of one process" if same else "the picks are NOT those of one process")
            return 0 if same else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
