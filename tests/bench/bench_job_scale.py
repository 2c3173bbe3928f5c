# SPDX-License-Identifier: Apache-2.0
"""A job over many rows of vectors: what each shard takes, how much memory, and how many bytes move.

    bench_job_scale.py ROWS FOLDER [--shards 8] [--at-once 2] [--strategy huds] [--budget 1000] [--targets 1000] [--candidates all]
                       [-p NAME=VALUE] [--made] [--check]

Rows are made block by block, float16 embeddings of 64 components and a score, into a file of each shard in FOLDER, which goes at the end (132
bytes a row). With --made they are made whenever the library reads them, so that FOLDER takes 98 MiB: the embeddings of a block are those of one of
97 blocks with their components moved on, and differ in the first 101 million rows. Each shard is a process with one thread; as many work at once as --at-once says, the others wait. Prints, of each shard, the seconds of
its steps and deliveries and the processor seconds, its peak memory (with the pages of its files that were mapped, as the kernel counts them, and
without), how much of that it has with its pool alone, and the bytes of its messages; then those of all, the processor seconds of --made among
them, and of a worker the bytes of memory a row of all shards. --candidates: so many rows
are drawn, which are compared. --check: the picks are those of one process."""
import argparse
import concurrent.futures
import ctypes
import io
import multiprocessing
import os
import resource
import sys
import tempfile
import threading
import time

import numpy

import alcore
from alcore import _ffi, _handles

DIMS, BLOCK, BASES, LABELED_STEP = 64, 8192, 97, 4999
CENTERS = numpy.random.default_rng(7).normal(size=(50, DIMS)).astype(numpy.float32)


FORMS = {"embeddings": ("<f2", (DIMS,)), "scores": ("<f4", ()), "probs": ("<f4", (4,)), "mlm_losses": ("<f4", (16,))}


def block_of(name, number, rows):
    """A column of the first rows of a block of all shards: embeddings around fifty centers, scores, probabilities, losses."""
    random = numpy.random.Generator(numpy.random.Philox(number))
    dtype, shape = FORMS[name]
    if name == "embeddings":
        values = CENTERS[random.integers(0, len(CENTERS), rows)] + random.normal(size=(rows, DIMS)).astype(numpy.float32)
    else:
        values = random.gamma(3, size=(rows, *shape))
    if name == "probs":
        values /= values.sum(axis=1, keepdims=True)
    return values.astype(dtype)


def header_of(name, rows):
    """The header of the .npy file of a column."""
    header = io.BytesIO()
    dtype, shape = FORMS[name]
    numpy.lib.format.write_array_header_1_0(header, {"descr": dtype, "fortran_order": False, "shape": (rows, *shape)})
    return header.getvalue()


class MadeFiles:
    """The columns of shards as files whose blocks are made when they are read: the path NAME:FIRST:END."""

    def __init__(self, folder):
        self.bases = numpy.load(os.path.join(folder, "bases.npy"), mmap_mode="r")
        self.opened, self.last, self.seconds = [], {}, 0.0
        kinds = dict(_ffi.alcore_files._fields_)
        self.table = _ffi.alcore_files(size=ctypes.sizeof(_ffi.alcore_files), open=kinds["open"](self.open), read=kinds["read"](self.read),
                                       length=kinds["length"](self.length), close=kinds["close"](lambda user, file: 0))

    @staticmethod
    def write_bases(folder):
        """What all blocks are made of."""
        numpy.save(os.path.join(folder, "bases.npy"), numpy.stack([block_of("embeddings", number, BLOCK) for number in range(BASES)]))

    def open(self, user, path, mode, out):
        name, first, end = os.path.basename(path.decode()).split(":")
        self.opened.append((name, int(first), int(end), header_of(name, int(end) - int(first))))
        ctypes.cast(out, ctypes.POINTER(ctypes.c_void_p))[0] = len(self.opened)
        return _ffi.ALCORE_OK

    @staticmethod
    def row_bytes(name):
        dtype, shape = FORMS[name]
        return numpy.dtype((dtype, shape)).itemsize

    def length(self, user, file, out):
        name, first, end, header = self.opened[file - 1]
        ctypes.cast(out, ctypes.POINTER(ctypes.c_int64))[0] = len(header) + (end - first) * self.row_bytes(name)
        return _ffi.ALCORE_OK

    def block(self, name, number):
        """The values of a block of all shards; the last one stays, as readers come back to it."""
        if self.last.get(name, (-1,))[0] != number:
            if name != "embeddings":
                values = block_of(name, number, BLOCK)
            else:
                turn = number // BASES
                values = numpy.roll(self.bases[number % BASES], turn % DIMS, axis=1)
                if turn // DIMS % 2:
                    numpy.negative(values, out=values)
            self.last[name] = number, values.reshape(-1).view(numpy.uint8)
        return self.last[name][1]

    def read(self, user, file, offset, buffer, count, out):
        begun = time.thread_time()
        name, first, end, header = self.opened[file - 1]
        size = self.row_bytes(name)
        stop = min(offset + count, len(header) + (end - first) * size)
        done = 0
        if offset < len(header):
            done = min(stop, len(header)) - offset
            ctypes.memmove(buffer, header[offset:offset + done], done)
        place = first * size + offset + done - len(header)  # among the bytes of all rows
        while offset + done < stop:
            number, inside = divmod(place, BLOCK * size)
            part = self.block(name, number)[inside:inside + stop - offset - done]
            ctypes.memmove(buffer + done, part.ctypes.data, len(part))
            done += len(part)
            place += len(part)
        ctypes.cast(out, ctypes.POINTER(ctypes.c_size_t))[0] = done
        self.seconds += time.thread_time() - begun
        return _ffi.ALCORE_OK


class MadeContext(alcore.Context):
    """A context of one thread that reads such files."""

    def __init__(self, folder):
        self.files = MadeFiles(folder)
        settings = _ffi.alcore_ctx_options(size=ctypes.sizeof(_ffi.alcore_ctx_options), threads=1,
                                           files=ctypes.cast(ctypes.pointer(self.files.table), ctypes.c_void_p))
        _handles.Handle.__init__(self, _handles.new(_handles.lib.alcore_ctx_unref, _handles.lib.alcore_ctx_new, ctypes.byref(settings)), None)


def columns_of(shard, first, end, options):
    """The paths of the columns of a shard, which begins with a block, by name; they are written unless they are made when they are read."""
    if options.made:
        return {name: "%s:%d:%d" % (name, first, end) for name in options.columns}
    paths = {name: os.path.join(options.folder, "%s-%d.npy" % (name, shard)) for name in options.columns}
    for name, path in paths.items():
        with open(path, "wb") as file:
            file.write(header_of(name, end - first))
            for start in range(first, end, BLOCK):
                block_of(name, start // BLOCK, min(BLOCK, end - start)).tofile(file)
    return paths


def job_of(first, end, paths, options):
    """The job of a shard, or of one process that has all rows."""
    ctx = MadeContext(options.folder) if options.made else alcore.Context(threads=1, progress=False)
    pool = alcore.Pool(dedup="none", context=ctx)
    for start in range(first, end, 8 * BLOCK):
        pool.add(["r%d" % row for row in range(start, min(start + 8 * BLOCK, end))])
    for name, path in paths.items():
        pool.read_column(name, path)
    needs, target = alcore.strategies()[options.strategy]["needs"], None
    if "labeled" in needs:  # of the rows themselves some are
        pool.mark("labeled", range(-first % LABELED_STEP, end - first, LABELED_STEP))
    if "target" in needs:
        target = alcore.Pool(["t%d" % row for row in range(options.targets)], context=ctx)
        target.set_column("embeddings", block_of("embeddings", 1 << 40, options.targets))
    strategy = alcore.Strategy(options.strategy, context=ctx, candidates=options.candidates, **options.parameters)
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
    made = request.context.files.seconds if options.made else 0.0
    pipe.send((job.picks.rows, made, [*peak, rows - peak[0]], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))


def drive(options):
    """Runs the job of all shards: what each worker ended with, the seconds of each, the bytes that each sent and that reached each, the
    number of exchanges, the seconds of all, and whether the picks are those of one process (True without --check)."""
    needs = alcore.strategies()[options.strategy]["needs"]["candidates"]
    options.columns = [next(name for name in need.split("|") if name in FORMS) for need in needs]
    cuts = [min(options.rows, -(-options.rows * shard // options.shards // BLOCK) * BLOCK) for shard in range(options.shards)] + [options.rows]
    spans = list(zip(cuts, cuts[1:]))
    with tempfile.TemporaryDirectory(dir=options.parent) as folder, concurrent.futures.ThreadPoolExecutor(options.at_once) as at_once:
        options.folder = folder
        if options.made:
            MadeFiles.write_bases(folder)
        paths = list(at_once.map(lambda shard: columns_of(shard, *spans[shard], options), range(options.shards)))
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
        same = True
        if options.check:
            request, job = job_of(0, options.rows, columns_of(options.shards, 0, options.rows, options), options)
            job = None
            same = list(request.select().indices) == ends[0][0]
    return argparse.Namespace(spans=spans, ends=ends, times=times, sent=sent, given=given, exchanges=exchanges, wall=wall, same=same,
                              grown=max(own - base for _, _, (base, own, _), _ in ends) * 1024,
                              pool=max(pool for _, _, (_, _, pool), _ in ends) * 1024)


def words_of(words):
    """{"k": "2"} of k=2."""
    return dict(word.split("=", 1) for word in words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=int)
    parser.add_argument("parent", metavar="FOLDER")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--strategy", default="huds")
    parser.add_argument("-p", "--parameter", dest="parameters", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--budget", default="1000")
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--candidates", default="all")
    parser.add_argument("--made", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    options.parameters = words_of(options.parameters)
    done = drive(options)
    print("shard\trows\tseconds\tprocessor_seconds\tpeak_MiB\town_MiB\tpool_MiB\tsent_MiB")
    for shard, ((first, end), (seconds, spent), (_, _, (_, own, pool), peak)) in enumerate(zip(done.spans, done.times, done.ends)):
        print("%d\t%d\t%.2f\t%.2f\t%.0f\t%.0f\t%.0f\t%.2f" % (shard, end - first, seconds, spent, peak / 1024, own / 1024, pool / 1024, done.sent[shard] / 2 ** 20))
    most = max(own for _, _, (_, own, _), _ in done.ends)
    print("%s: %d rows, %d shards, %d at once, %d exchanges: %.1f s, %.1f processor seconds, %.1f of them making rows; moved %.1f MiB from shards and %.1f MiB to each; "
          "a worker has at most %.0f MiB of its own: %.0f MiB more than at its begin, %.0f of them once it has its pool, %.1f bytes a row of all shards" % (
              options.strategy, options.rows, len(done.spans), options.at_once, done.exchanges, done.wall, sum(spent for _, spent in done.times),
              sum(end[1] for end in done.ends), sum(done.sent) / 2 ** 20, done.given / 2 ** 20, most / 1024, done.grown / 2 ** 20, done.pool / 2 ** 20,
              done.grown / options.rows))
    if options.check:
        print("the picks are those of one process" if done.same else "the picks are NOT those of one process")
    return 0 if done.same else 1


if __name__ == "__main__":
    sys.exit(main())
