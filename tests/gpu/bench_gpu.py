#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The goals of the CUDA engine, each with what was measured, and torch beside it on the same device.

  bench_gpu.py KIT [--out FILE.tsv] [--once] [--only GOAL,GOAL]

KIT: a folder of tests/gpu/pack.sh. Times are medians by CUDA events; matrices lie on the device and outputs stay there, and only
idds, which is timed through the public call, returns its picks to the host. Torch's times are those of what a user writes in the
precision of the answer (TF32 off). Bandwidth is that of a copy, bytes read and written together, so 100 % of it is reached by
code that reads its input once at the full rate of the memory. FILE.tsv grows, so that each goal may have a process of its
own (each.py). --once takes each of the engine's calls once and compares nothing,
for a profiler. The exit status is 1 where outputs differ from torch's; a goal that is missed is told in the table alone."""
import argparse
import os
import sys
import time

import torch
from gpu_timer import copy_bandwidth, device, half, medians, real, size
from kernel_table import DTYPES, Best, Kernels, Rows, Search, TokenStats

arguments = argparse.ArgumentParser()
arguments.add_argument("kit")
arguments.add_argument("--out")
arguments.add_argument("--once", action="store_true")
arguments.add_argument("--only")
arguments = arguments.parse_args()

torch.manual_seed(1)
kernels = Kernels(os.path.join(arguments.kit, "lib", "libkernel-table.so"),
                  os.path.join(arguments.kit, "scripts", "kernel.h"),
                  module=os.path.join(arguments.kit, "module", "libalcore-cuda.so"))
if real:
    # Everything runs in one stream: that of torch, which the engine is given. Without a stream the
    # engine uses one of its own.
    stream = torch.cuda.Stream()
    torch.cuda.set_stream(stream)
    kernels.work.stream = stream.cuda_stream
capability = "sm_%d%d" % torch.cuda.get_device_capability() if real else "none"
bandwidth = None if arguments.once else copy_bandwidth()
table = open(arguments.out, "a", encoding="utf-8") if arguments.out else None
differing = 0


def rows_of(matrix):
    return Rows(data=matrix.data_ptr(), first=0, count=matrix.shape[0], dims=matrix.shape[1], stride=matrix.stride(0),
                dtype=DTYPES[str(matrix.dtype).removeprefix("torch.")], unit=0)


def zeros(*shape, dtype=torch.float64):
    return torch.zeros(*shape, dtype=dtype, device=device)


def bytes_of(*tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def goal_of(goals):
    """The goal for this device of {compute capability: goal}, or the one for all others, under ""; None without one."""
    return goals.get(capability, goals.get(""))


def bench(name, shape, ours, torchs, measure, goals, tolerance=1e-3):
    """Times ours() against {label: function} and prints a block of the table.

    The first of `torchs` gives the same output, unless its name begins with "(". measure: (text, function of {label:
    milliseconds}); goals: {compute capability: (at least or at most, number)}."""
    global differing
    if arguments.once:
        ours()
        return
    equal = ""
    for label, function in torchs.items():
        if not label.startswith("("):
            same = torch.allclose(ours().double(), function().double(), rtol=tolerance, atol=tolerance)
            differing += not same
            equal = "equal to torch's" if same else "DIFFER from torch's"
    taken = medians({"libalcore": ours, **torchs})
    text, function = measure
    report(name, shape, text, function(taken), goal_of(goals), taken, equal)


def report(name, shape, text, value, goal, taken, equal):
    verdict = "no goal for " + capability
    if goal:
        sign, limit = goal
        met = value >= limit if sign == ">=" else value <= limit
        verdict = "goal %s %g: %s" % (sign, limit, "reached" if met else "MISSED") if real else "goal %s %g: no device" % goal
    print("%s   %s" % (name, shape))
    print("    %-52s %10.3f   %s" % (text, value, verdict))
    for label, milliseconds in taken.items():
        ratio = "" if label == "libalcore" else "%8.2f x libalcore's time" % (milliseconds / taken["libalcore"])
        print("    %-52s %10.3f ms%s" % (label, milliseconds, ratio))
    if equal:
        print("    outputs are " + equal)
    sys.stdout.flush()
    if table:
        table.write("\t".join([name, shape, text, "%.4g" % value, verdict, *("%s %.4g ms" % pair for pair in taken.items()), equal]) + "\n")
        table.flush()


def share_of_bandwidth(text, count):
    """How much of the bandwidth of a copy is reached by code that has to read so many bytes."""
    return "%s, of a copy's bandwidth" % text, lambda taken: count / (taken["libalcore"] / 1000) / bandwidth


def ratio(text, label, ours_first):
    """libalcore's time over that of `label`, or the other way round."""
    if ours_first:
        return text, lambda taken: taken["libalcore"] / taken[label]
    return text, lambda taken: taken[label] / taken["libalcore"]


def logits():
    tokens, classes = size(8192, 20), size(50265, 300)
    matrix = torch.randn(tokens, classes, device=device, dtype=torch.bfloat16) * 3
    labels = torch.randint(classes, (tokens,), device=device)
    logprob, entropy, top1, bad = zeros(tokens), zeros(tokens), zeros(tokens), zeros(1, dtype=torch.int64)

    def ours():
        kernels.logit_stats(rows_of(matrix), labels, -100,
                            TokenStats(logprob=logprob.data_ptr(), entropy=entropy.data_ptr(), top1=top1.data_ptr()), bad)
        return logprob

    def eager():
        logprobs = torch.log_softmax(matrix.float(), 1)
        logprobs.exp().mul(logprobs).sum(1), logprobs.max(1)
        return logprobs.gather(1, labels[:, None])[:, 0]

    def cross_entropy():
        return -torch.nn.functional.cross_entropy(matrix.float(), labels, reduction="none")
    bench("logits", "%d x %d bfloat16" % (tokens, classes), ours,
          {"torch log_softmax, gather, entropy, max": eager, "(torch cross_entropy, the log-probability alone)": cross_entropy},
          share_of_bandwidth("bytes read", bytes_of(matrix)), {"": (">=", 0.85)})


def hidden():
    tokens, classes, dims = size(4096, 20), size(50265, 300), size(768, 32)
    states = torch.randn(tokens, dims, device=device, dtype=torch.bfloat16)
    output = torch.randn(classes, dims, device=device, dtype=torch.bfloat16) / dims ** 0.5
    labels = torch.randint(classes, (tokens,), device=device)
    logprob, bad = zeros(tokens), zeros(1, dtype=torch.int64)

    def ours():
        kernels.hidden_stats(rows_of(states), rows_of(output), None, labels, -100, TokenStats(logprob=logprob.data_ptr()), bad)
        return logprob

    def torchs():
        return -torch.nn.functional.cross_entropy(states.float() @ output.float().T, labels, reduction="none")
    bench("hidden states to NLL", "%d x %d, %d classes, bfloat16" % (tokens, dims, classes), ours,
          {"torch, logits in float32 and cross_entropy": torchs, "(cuBLAS, the product alone in bfloat16)": lambda: states @ output.T},
          ratio("time over that of the product alone", "(cuBLAS, the product alone in bfloat16)", True),
          {"sm_86": ("<=", 1.10), "sm_90": ("<=", 1.3)})


def segment():
    count, dims, strata = size(200000, 200), size(768, 16), 10
    matrix = torch.randn(count, dims, device=device) + 0.1
    group = torch.randint(strata, (count,), device=device, dtype=torch.int32)
    index = group.long()
    members = torch.bincount(index, minlength=strata)[:, None]
    # As the strategies do: the sums of each block of 8,192 rows in one call, then those of blocks.
    blocks = -(-count // 8192)
    block_group = (torch.arange(count, device=device) // 8192).to(torch.int32) * strata + group
    sums, counts, distance = zeros(blocks * strata, dims), zeros(blocks * strata, dtype=torch.int64), zeros(count)

    def ours():
        kernels.group_sums(rows_of(matrix), block_group, blocks * strata, sums, counts)
        centroids = sums.view(blocks, strata, dims).sum(0) / members
        kernels.group_cosine(rows_of(matrix), group, strata, centroids, distance)
        return distance

    def torchs():
        centroids = torch.zeros(strata, dims, device=device).index_add_(0, index, matrix)
        centroids /= members
        return 1 - torch.nn.functional.cosine_similarity(matrix, centroids[index], dim=1)
    bench("segment", "%d x %d float32, %d strata" % (count, dims, strata), ours, {"torch index_add_, cosine_similarity": torchs},
          share_of_bandwidth("two passes over the rows", 2 * bytes_of(matrix)), {"sm_90": (">=", 0.8), "sm_86": (">=", 0.6)})


def clusters():
    count, dims, centroids = size(100000, 100), size(768, 16), size(256, 7)
    matrix, means = torch.randn(count, dims, device=device), torch.randn(centroids, dims, device=device)
    rows_half, means_half = matrix.to(half), means.to(half)
    wide, group = means.double(), zeros(count, dtype=torch.int32)
    starts = torch.tensor([0, centroids], device=device)
    nearest, distance = zeros(count, dtype=torch.int32), zeros(count)

    def ours():
        kernels.nearest_centroid(rows_of(matrix), group, 1, starts, wide, nearest, distance, None, None)
        return distance.sqrt()

    def torchs():
        distances = torch.cdist(matrix, means)
        return distances.gather(1, distances.argmin(1, keepdim=True))[:, 0]
    bench("k-means pass", "%d x %d float32, %d centroids" % (count, dims, centroids), ours,
          {"torch.cdist, argmin": torchs,
           "(cuBLAS, the product alone in float16)": lambda: rows_half @ means_half.T},
          ratio("torch's time over libalcore's", "torch.cdist, argmin", False), {"": (">=", 1.3)})


def neighbors():
    count, queries, dims, k = size(100000, 100), size(1000, 10), size(768, 16), 10
    matrix, asked = torch.randn(count, dims, device=device), torch.randn(queries, dims, device=device)
    rows_half, asked_half = matrix.to(half), asked.to(half)
    row, value = zeros(queries, k, dtype=torch.int64), zeros(queries, k)

    def ours():
        row.fill_(-1)
        kernels.knn(rows_of(matrix), None, rows_of(asked), None, Search.of(1),
                    Best(k=k, row=row.data_ptr(), value=value.data_ptr()), None)
        return value
    bench("exact kNN", "%d x %d float32, %d queries, k = %d, inner product" % (count, dims, queries, k), ours,
          {"torch mm, topk in float32": lambda: (asked @ matrix.T).topk(k, 1).values,
           "(cuBLAS, the product alone in float16)": lambda: asked_half @ rows_half.T},
          ratio("torch's time over libalcore's", "torch mm, topk in float32", False), {"": (">=", 8)})


def distances():
    count, targets, dims = size(20000, 100), size(4000, 20), size(768, 16)
    matrix, asked = torch.randn(count, dims, device=device), torch.randn(targets, dims, device=device)
    rows_half, asked_half, low, high = matrix.to(half), asked.to(half), zeros(count, 1), zeros(count, 1)

    def ours():
        kernels.distance_bounds(rows_of(matrix), None, rows_of(asked), None, 1, low, high)
        return (low + high)[:, 0] / (2 * targets)
    bench("mean distance", "%d x %d float32, %d targets, intervals" % (count, dims, targets), ours,
          {"torch.cdist, mean": lambda: torch.cdist(matrix, asked).mean(1),
           "(cuBLAS, the product alone in float16)": lambda: rows_half @ asked_half.T},
          ratio("time over that of the product alone", "(cuBLAS, the product alone in float16)", True), {"": ("<=", 1.25)})


def picks():
    """IDDS through the public call: the time of one more pick, which reads every row once."""
    import alcore
    count, dims, few, many = size(500000, 200), size(768, 16), size(20, 3), size(120, 6)
    matrix = torch.randn(count, dims, device=device)
    pool = alcore.Pool(["row %d" % row for row in range(count)])
    pool.set_column("embeddings", matrix)
    known = alcore.Pool(["a labeled row"])
    known.set_column("embeddings", torch.ones(1, dims, device=device))
    # Without a device of torch's the rows are on the host, where the emulated device reads them.
    options = {} if real else {"device": "cuda"}

    def select(budget):
        begun = time.perf_counter()
        pool.select(budget, "idds", labeled=known, **options)
        return time.perf_counter() - begun

    select(few)
    if arguments.once:
        return
    turns = [(select(many) - select(few)) / (many - few) for _ in range(size(3, 1))]
    one = 1000 * max(sorted(turns)[len(turns) // 2], 1e-9)
    vector = torch.randn(dims, device=device)
    taken = medians({"(torch mv, one pass over the rows)": lambda: matrix @ vector})
    report("IDDS pick", "%d x %d float32" % (count, dims), "bytes of the rows, of a copy's bandwidth",
           bytes_of(matrix) / (one / 1000) / bandwidth, (">=", 0.6), {"libalcore": one, **taken}, "")


print("engine %s, torch %s, %s" % (kernels.engine, torch.__version__, torch.cuda.get_device_name() if real else
                                   "no device of torch's: a dry run, whose times say nothing"))
failed = 0
GOALS = {run.__name__: run for run in (logits, hidden, segment, clusters, neighbors, distances, picks)}
for run in [GOALS[name] for name in arguments.only.split(",")] if arguments.only else GOALS.values():
    try:
        run()
    except Exception as error:  # the others are measured
        failed += 1
        print("%s FAILED: %s: %s" % (run.__name__, type(error).__name__, error), flush=True)
    if real:
        torch.cuda.empty_cache()
sys.exit(1 if differing or failed else 0)
