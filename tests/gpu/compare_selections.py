#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Selections and searches on the CPU, of numbers in host memory, against the same on the device, of torch tensors that lie
there: rows, scores and reports are the same bytes. Prints each comparison as it comes.

  compare_selections.py ROWS [PART]      PART, as 2/5: every fifth comparison, from the third on

The emulated device is used where torch has none."""
import os
import sys
import tempfile
import time

import alcore
import torch

real = torch.cuda.is_available()
rows = int(sys.argv[1])
part, parts = map(int, (sys.argv[2] if len(sys.argv) > 2 else "0/1").split("/"))
dims, classes, labeled, targets = 256 if real else 12, 4, 100 if real else 10, 500 if real else 20
budget = 50 if real else 9

if real:
    def on_device(tensor):
        return tensor.cuda()

    def on_host(tensor):
        return tensor.cpu()
else:
    from emulated_device import Device, Torch
    emulated = Device(os.path.join(os.environ["ALCORE_MODULE_DIR"], "libalcore-cuda.so"), 1)

    def on_device(tensor):
        return Torch(tensor.numpy(), emulated)

    def on_host(array):
        return torch.from_numpy(emulated.read(array.address, array.array))

# Strategy, parameters, and whether it reads the embeddings, and so in the engine of the device.
# max_similarity, which is a limit of the request, stands among the parameters.
SELECTIONS = [
    ("huds", {}, True),
    ("huds", {"k_clusters": 4, "unit": 1}, True),
    ("huds", {"candidates": rows // 4, "strata": "quantile"}, True),
    ("diversity", {"k_clusters": 8}, True),
    ("diversity-global", {"k_clusters": 20}, True),
    ("idds", {}, True),
    ("idds", {"sim": "dot-raw", "mode": "oneshot"}, True),
    ("kcenter", {}, True),
    ("badge", {}, True),
    ("bertkm", {}, True),
    ("average-dist", {}, True),
    ("knn-uncertainty", {}, True),
    ("uncertainty-knn", {}, True),
    ("uncertainty-knn", {"cover": 1}, True),
    ("idds", {"max_similarity": 0.9}, True),
    ("badge", {"max_similarity": 0.9}, True),
    ("margin", {"max_similarity": 0.9}, True),
    ("nnll", {}, False),
    ("margin", {}, False),
    ("entropy", {}, False),
]


def make_numbers():
    """Columns of the pool [rows, ...], and embeddings of the labeled and of the target rows; close groups, so that near
    neighbors and ties matter."""
    torch.manual_seed(1)
    means = torch.randn(40, dims)

    def embeddings(count):
        return means[torch.randint(40, (count,))] + 0.3 * torch.randn(count, dims)
    numbers = {"embeddings": embeddings(rows), "scores": torch.rand(rows, dtype=torch.float64),
               "probs": torch.softmax(torch.randn(rows, classes), 1), "logprobs": -5 * torch.rand(2 * rows)}
    numbers["embeddings"][1::50] = numbers["embeddings"][0::50]  # equal rows
    return numbers, embeddings(labeled), embeddings(targets)


def pool_of(name, embeddings, place):
    pool = alcore.Pool(["%s %d" % (name, row) for row in range(len(embeddings))])
    pool.set_column("embeddings", place(embeddings))
    return pool


def written(selection):
    """The selection as its file, to the byte."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "selection.jsonl")
        selection.write(path)
        with open(path, "rb") as file:
            return file.read()


failures = compared = 0


def compare(name, on_cpu, on_gpu, same):
    """One comparison, if it is of this part; same(): why two results differ, or ""."""
    global failures, compared
    compared += 1
    if (compared - 1) % parts != part:
        return
    taken, results = [], []
    try:
        for function in (on_cpu, on_gpu):
            begun = time.perf_counter()
            results.append(function())
            taken.append("%.3f s" % (time.perf_counter() - begun))
        reason = same(*results)
    except alcore.Error as error:
        reason = str(error)
    failures += bool(reason)
    print("%-8s %-45s CPU, device: %s%s" % ("DIFFERS" if reason else "equal", name, ", ".join(taken), reason and ": " + reason),
          flush=True)


numbers, known, wanted = make_numbers()
offsets = torch.arange(0, 2 * rows + 1, 2)
pools = []
for place in (lambda tensor: tensor, on_device):
    pool = pool_of("text", numbers["embeddings"], place)
    pool.set_column("scores", place(numbers["scores"]))
    pool.set_column("probs", place(numbers["probs"]))
    pool.set_column("logprobs", (place(numbers["logprobs"]), place(offsets)))
    pools.append((pool, pool_of("labeled", known, place), pool_of("target", wanted, place)))


def select(where, strategy, params):
    pool, known_pool, target_pool = where
    options = {"labeled": known_pool} if strategy in ("idds", "kcenter") else {}
    if strategy in ("average-dist", "knn-uncertainty", "uncertainty-knn"):
        options = {"targets": target_pool}
    if "max_similarity" in params:
        params = dict(params)
        options["max_similarity"] = params.pop("max_similarity")
    return pool.select(budget, strategy, params=params, seed=3, **options)


def same_selection(ours, theirs, in_engine):
    if in_engine and "cuda" not in str(theirs.provenance):
        return "it did not run on the device"
    if ours.indices != theirs.indices:
        return "other rows: %s and %s" % (ours.indices[:5], theirs.indices[:5])
    return "" if written(ours) == written(theirs) else "the same rows, but another file"


print("%d rows of %d dimensions, %d labeled, %d targets, budget %d; %s" % (
    rows, dims, labeled, targets, budget, torch.cuda.get_device_name() if real else "the emulated device"))
for strategy, params, in_engine in SELECTIONS:
    compare(" ".join([strategy] + ["%s=%s" % pair for pair in params.items()]),
            lambda: select(pools[0], strategy, params), lambda: select(pools[1], strategy, params),
            lambda ours, theirs: same_selection(ours, theirs, in_engine))


def same_arrays(ours, theirs):
    return "" if all((a == b).all() for a, b in zip(ours, theirs)) else "other numbers"


compare("knn, 10 neighbors", lambda: alcore.knn(numbers["embeddings"], wanted, 10),
        lambda: alcore.knn(on_device(numbers["embeddings"]), on_device(wanted), 10),
        lambda ours, theirs: same_arrays((ours.numbers, ours.values), (theirs.numbers, theirs.values)))
compare("margin ratios", lambda: alcore.margin_ratios(numbers["embeddings"], wanted),
        lambda: alcore.margin_ratios(on_device(numbers["embeddings"]), on_device(wanted)), same_arrays)


def knn_on_device():
    """The same search, whose results stay on the device until it has ended."""
    shape = len(wanted), 10
    out = on_device(torch.zeros(shape, dtype=torch.int64)), on_device(torch.zeros(shape, dtype=torch.float64))
    alcore.knn(on_device(numbers["embeddings"]), on_device(wanted), 10, out=out)
    return [on_host(array).numpy() for array in out]


compare("knn, results on the device", lambda: alcore.knn(numbers["embeddings"], wanted, 10), knn_on_device, same_arrays)
print("%d of %d comparisons failed" % (failures, len(range(part, compared, parts))))
sys.exit(1 if failures else 0)
