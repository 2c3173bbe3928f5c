# SPDX-License-Identifier: Apache-2.0
"""Phrases over shards: what the exchange of all texts takes, and what an exchange of counts would take.

    bench_job_phrases.py PROJECT [--copies 1] [--shards 8] [--budget 10000w]

The texts are the English sentences of the IT corpus beside the project (ALCORE_SHARED_DATA), and so many copies of them, in which one word in five
is another one of the corpus. Each process has one thread and reads its texts before its memory is measured: the largest resident memory, less what
is anonymous before the call. NumPy is needed. Ten copies take two minutes of the processor. Prints, of ngf-smp:

    one machine   its peak memory
    all texts     as jobs do: the bytes of a shard's message and of the folded one, and the peak memory of a worker
    counts        of phrases of up to four words: how many different ones there are, in all and in the shards; the bytes that these would send
                  with a hash of 16 and 12 for the count and the first place, each to one owner; the memory of a worker that only finds those of
                  its shard, and that of a table of its part of all with 40 bytes each; the same with a threshold: phrases that occur in some
                  shard at least t / (2 shards) times, where t is the count of the rarest pick, as no other one can be bought or decides
                  whether one that is bought is semi-maximal (the three phases of Cao and Wang 2004)"""
import argparse
import math
import multiprocessing
import os
import random
import sys
import tempfile

import numpy

import alcore
from bench_job_scale import memory_now
from text_corpora import column

HASH, PLACE, ENTRY = 16, 12, 40


def peak():
    """The largest resident memory of this process so far, in KiB."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def texts_of(data, copies, first, end):
    """Texts first .. end - 1 of all copies."""
    base = list(column(os.path.join(data, "en-de", "it.tsv.xz"), "en"))
    words = " ".join(base).split()
    for number in range(first, min(end, copies * len(base))):
        copy, text = number // len(base), base[number % len(base)]
        draw = random.Random(number)
        yield text if copy == 0 else " ".join(draw.choice(words) if draw.random() < 0.2 else word for word in text.split(" "))


def pool_of(folder, first, end):
    pool = alcore.Pool(context=alcore.Context(threads=1, progress=False))
    with open(os.path.join(folder, "texts"), encoding="utf-8") as file:
        part = []
        for number, line in enumerate(file):
            if first <= number < end:
                part.append(line[:-1])
            if len(part) == 8192:
                pool.add(part)
                part = []
        pool.add(part)
    return pool


def request_of(pool, options):
    return alcore.Request(pool, strategy="ngf-smp", budget=options.budget)


def one_machine(folder, rows, options):
    pool = pool_of(folder, 0, rows)
    before = memory_now()
    picks = request_of(pool, options).select()
    return {"memory": peak() - before, "pool": before, "rarest": min(picks.column("occ").tolist())}


def put(folder, shard, first, end, rows, options):
    job = alcore.Job(request_of(pool_of(folder, first, end), options), first_row=first, rows=rows)
    message = job.step()
    with open(os.path.join(folder, "message-%d" % shard), "wb") as file:
        file.write(message)
    return len(message)


def take(folder, shard, first, end, rows, options):
    job = alcore.Job(request_of(pool_of(folder, first, end), options), first_row=first, rows=rows)
    with open(os.path.join(folder, "folded"), "rb") as file:
        folded = file.read()
    before = memory_now()
    job.deliver(folded)
    return {"memory": peak() - before, "rarest": min(job.picks.selection.column("occ").tolist())}


def count(folder, first, end, thresholds):
    """Different phrases, and those of at least so many occurrences."""
    pool = pool_of(folder, first, end)
    before = memory_now()
    found = alcore.phrases(pool)
    taken = peak() - before
    occurrences = numpy.asarray(found.get_column("occurrences"))
    return {"memory": taken, "counts": [int((occurrences >= least).sum()) for least in [1] + thresholds]}


def fold(folder, shards):
    parts = []
    for shard in range(shards):
        with open(os.path.join(folder, "message-%d" % shard), "rb") as file:
            parts.append(file.read())
    folded = alcore.fold(parts)
    with open(os.path.join(folder, "folded"), "wb") as file:
        file.write(folded)
    return len(folded)


def call(function, *arguments):
    """In a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as made:
        return made.apply(function, arguments)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("project")
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--budget", default="10000w")
    options = parser.parse_args()
    data = os.environ.get("ALCORE_SHARED_DATA") or os.path.join(options.project, os.pardir, "shared", "data")
    if not os.path.exists(os.path.join(data, "en-de", "it.tsv.xz")):
        print("not run: en-de/it.tsv.xz is missing")
        return
    with tempfile.TemporaryDirectory() as folder:
        bytes_of_texts = rows = 0
        with open(os.path.join(folder, "texts"), "w", encoding="utf-8") as file:
            for text in texts_of(data, options.copies, 0, sys.maxsize):
                bytes_of_texts += file.write(text + "\n")
                rows += 1
        cuts = [rows * shard // options.shards for shard in range(options.shards + 1)]
        mib = lambda kib: kib / 1024
        one = call(one_machine, folder, rows, options)
        print("%d texts of %.1f MB, %d shards; the rarest pick occurs %d times" % (rows, bytes_of_texts / 1e6, options.shards, one["rarest"]))
        print("one machine: %.0f MiB, beside %.0f with its pool" % (mib(one["memory"]), mib(one["pool"])), flush=True)
        sent = [call(put, folder, shard, cuts[shard], cuts[shard + 1], rows, options) for shard in range(options.shards)]
        folded = call(fold, folder, options.shards)
        worker = call(take, folder, 0, cuts[0], cuts[1], rows, options)
        assert worker["rarest"] == one["rarest"]
        print("all texts: %.1f MB of each shard, %.1f MB reach it; a worker takes %.0f MiB, with the message" % (
            max(sent) / 1e6, folded / 1e6, mib(worker["memory"])), flush=True)
        least = max(1, math.ceil(one["rarest"] / (2 * options.shards)))
        shards = [call(count, folder, cuts[shard], cuts[shard + 1], [2, least]) for shard in range(options.shards)]
        sums = [sum(shard["counts"][place] for shard in shards) for place in range(3)]
        every = call(count, folder, 0, rows, [2, one["rarest"] // 2])
        print("counts: %d different phrases, %d of them more than once; the shards have %d, of which %d occur in one at least %d times" % (
            every["counts"][0], every["counts"][1], sums[0], sums[2], least))
        print("counts: %.1f MB of each shard, to one owner each; a worker takes %.0f MiB to find those of its shard, and %.0f for its part of all" % (
            sums[0] / options.shards * (HASH + PLACE) / 1e6, mib(max(shard["memory"] for shard in shards)), every["counts"][0] / options.shards * ENTRY / 2**20))
        print("with the threshold: %.1f MB of each shard, to all; %d phrases occur in all often enough" % (
            sums[2] / options.shards * (HASH + PLACE) / 1e6, every["counts"][2]))


if __name__ == "__main__":
    main()
