#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the CUDA engine against torch on the same device: matrices lie on the device, outputs stay there.

  bench_gpu.py PROJECT KERNEL-TABLE MODULE [--turns N]

The peers are what a user writes with torch in the same precision of the answer (TF32 off). The floor is cuBLAS: the
product alone (torch.mm) in float16, or the bytes read once at the rate of a copy. Without a device of torch's everything
runs small and on the host, which tests this program with the emulated engine."""
import os
import statistics
import sys
import time

import torch

project, library, module = sys.argv[1:4]
turns = int(sys.argv[5]) if len(sys.argv) > 5 else 20
sys.path.insert(0, os.path.join(project, 'tests', 'bench', 'kernels'))
from kernel_table import Best, Kernels, Rows, Search, TokenStats  # noqa: E402

real = torch.cuda.is_available()
device = 'cuda' if real else 'cpu'
torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(1)
kernels = Kernels(library, os.path.join(project, 'include', 'alcore', 'sys', 'kernel.h'), module=module)
if real:
    kernels.work.stream = torch.cuda.current_stream().cuda_stream or None
DTYPES = {torch.float16: 1, torch.bfloat16: 2, torch.float32: 3, torch.float64: 4}


def rows_of(matrix):
    return Rows(data=matrix.data_ptr(), first=0, count=matrix.shape[0], dims=matrix.shape[1], stride=matrix.stride(0),
                dtype=DTYPES[matrix.dtype], unit=0)


def size(full, small):
    return full if real else small


def wait():
    if real:
        torch.cuda.synchronize()


def race(op, shape, ours, peers, floor=None):
    """Medians of wall seconds, turn by turn; ours() and the peers give tensors that are compared first."""
    functions = {'libalcore': ours, **peers}
    if floor:
        functions[floor[0]] = floor[1]
    results = {name: function() for name, function in functions.items()}
    wait()
    equal = {name: torch.allclose(results['libalcore'].double(), results[name].double(), rtol=1e-3, atol=1e-3)
             for name in peers}
    del results
    taken = {name: [] for name in functions}
    for _ in range(turns if real else 1):
        for name, function in functions.items():
            wait()
            begun = time.perf_counter()
            function()
            wait()
            taken[name].append(time.perf_counter() - begun)
    medians = {name: statistics.median(times) for name, times in taken.items()}
    own = medians['libalcore']
    print(f'{op}  {shape}')
    for name, seconds in medians.items():
        note = f"{seconds / own:7.2f} x   outputs {'equal' if equal[name] else 'DIFFER'}" if name in equal else ''
        if floor and name == floor[0]:
            note = f'floor, {100 * seconds / own:.0f} % of it reached'
        print(f'    {name:40} {1000 * seconds:10.3f} ms  {note}', flush=True)
    return all(equal.values())


def zeros(*shape, dtype=torch.float64):
    return torch.zeros(*shape, dtype=dtype, device=device)


def logits():
    tokens, classes = size(8192, 20), size(50265, 300)
    matrix = torch.randn(tokens, classes, device=device, dtype=torch.bfloat16) * 3
    labels = torch.randint(classes, (tokens,), device=device)
    logprob, entropy, top1 = zeros(tokens), zeros(tokens), zeros(tokens)
    bad = zeros(1, dtype=torch.int64)

    def ours():
        kernels.logit_stats(rows_of(matrix), labels, -100, TokenStats(logprob=logprob.data_ptr(), entropy=entropy.data_ptr(), top1=top1.data_ptr()),
                            bad)
        return logprob

    def eager():
        logprobs = torch.log_softmax(matrix.float(), 1)
        return logprobs.gather(1, labels[:, None])[:, 0], -(logprobs.exp() * logprobs).sum(1), logprobs.max(1).values
    return race('logits', f'{tokens} x {classes} bfloat16', ours,
                {'torch log_softmax, entropy, max': lambda: eager()[0],
                 'torch cross_entropy (nll alone)':
                     lambda: -torch.nn.functional.cross_entropy(matrix.float(), labels, reduction='none')},
                ('a copy of the logits', lambda: matrix.clone()))


def hidden():
    tokens, classes, dims = size(4096, 20), size(50265, 300), size(768, 32)
    states = torch.randn(tokens, dims, device=device, dtype=torch.bfloat16)
    output = torch.randn(classes, dims, device=device, dtype=torch.bfloat16) / dims ** 0.5
    labels = torch.randint(classes, (tokens,), device=device)
    logprob, bad = zeros(tokens), zeros(1, dtype=torch.int64)

    def ours():
        kernels.hidden_stats(rows_of(states), rows_of(output), None, labels, -100,
                             TokenStats(logprob=logprob.data_ptr()), bad)
        return logprob
    return race('hidden states', f'{tokens} x {dims}, {classes} classes, bfloat16', ours,
                {'torch, float32 logits and cross_entropy': lambda: -torch.nn.functional.cross_entropy(
                    states.float() @ output.float().T, labels, reduction='none')},
                ('the product alone in bfloat16 (cuBLAS)', lambda: states @ output.T))


def segment():
    count, dims, strata = size(200000, 200), size(768, 16), 10
    matrix = torch.randn(count, dims, device=device) + 0.1
    group = torch.randint(strata, (count,), device=device, dtype=torch.int32)
    index = group.long()
    sums, counts, distance = zeros(strata, dims), zeros(strata, dtype=torch.int64), zeros(count)

    def ours():
        total = zeros(strata, dims)
        for first in range(0, count, 8192):
            kernels.group_sums(rows_of(matrix[first:first + 8192]), group[first:], strata, sums, counts)
            total += sums
        centroids = total / torch.bincount(index, minlength=strata)[:, None]
        kernels.group_cosine(rows_of(matrix), group, strata, centroids, distance)
        return distance

    def torchs():
        centroids = torch.zeros(strata, dims, device=device).index_add_(0, index, matrix)
        centroids /= torch.bincount(index, minlength=strata)[:, None]
        return 1 - torch.nn.functional.cosine_similarity(matrix, centroids[index], dim=1)
    return race('segment', f'{count} x {dims} float32, {strata} strata', ours, {'torch': torchs},
                ('two sums over the matrix', lambda: (matrix.sum(), matrix.sum())))


def clusters():
    count, dims, centroids = size(100000, 100), size(768, 16), size(256, 7)
    matrix = torch.randn(count, dims, device=device)
    means = torch.randn(centroids, dims, device=device)
    wide, group = means.double(), zeros(count, dtype=torch.int32)
    starts = torch.tensor([0, centroids], device=device)
    nearest, distance = zeros(count, dtype=torch.int32), zeros(count)

    def ours():
        kernels.nearest_centroid(rows_of(matrix), group, 1, starts, wide, nearest, distance, None, None)
        return distance.sqrt()
    return race('nearest centroid', f'{count} x {dims} float32, {centroids} centroids', ours,
                {'torch.cdist, min': lambda: torch.cdist(matrix, means).min(1).values},
                ('the product alone in float16 (cuBLAS)', lambda: matrix.half() @ means.half().T))


def neighbors():
    count, queries, dims, k = size(100000, 100), size(1000, 10), size(768, 16), 10
    matrix, asked = torch.randn(count, dims, device=device), torch.randn(queries, dims, device=device)
    row, value = zeros(queries, k, dtype=torch.int64), zeros(queries, k)

    def ours():
        row.fill_(-1)
        kernels.knn(rows_of(matrix), None, rows_of(asked), None, Search.of(1),
                    Best(k=k, row=row.data_ptr(), value=value.data_ptr()), None)
        return value
    return race('knn', f'{count} x {dims} float32, {queries} queries, k = {k}, inner product', ours,
                {'torch mm, topk': lambda: (asked @ matrix.T).topk(k, 1).values},
                ('the product alone in float16 (cuBLAS)', lambda: asked.half() @ matrix.half().T))


def distances():
    count, targets, dims = size(20000, 100), size(4000, 20), size(768, 16)
    matrix, asked = torch.randn(count, dims, device=device), torch.randn(targets, dims, device=device)
    low, high = zeros(count, 1), zeros(count, 1)

    def ours():
        kernels.distance_bounds(rows_of(matrix), None, rows_of(asked), None, 1, low, high)
        return (low + high)[:, 0] / (2 * targets)
    return race('mean distance, intervals', f'{count} x {dims} float32, {targets} targets', ours,
                {'torch.cdist, mean': lambda: torch.cdist(matrix, asked).mean(1)},
                ('the product alone in float16 (cuBLAS)', lambda: matrix.half() @ asked.half().T))


print(f"engine {kernels.engine}, torch {torch.__version__}, "
      f"{torch.cuda.get_device_name() if real else 'no device: a dry run'}, {turns} turns")
good = True
for run in (logits, hidden, segment, clusters, neighbors, distances):
    good = run() and good
sys.exit(not good)
