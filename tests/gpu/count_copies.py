#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many bytes the example torch_device.py copies to the host, by torch's profiler, which sees every copy of the process:
three numbers for each row and sums over the strata, and neither logits, nor embeddings, nor anything else of the tokens.

  count_copies.py FOLDER-OF-THE-EXAMPLE
Exit status: 0 no more than that, 1 more, 77 the profiler saw no work on the device."""
import json
import os
import sys
import tempfile

import torch

sys.path.insert(0, sys.argv[1])
import torch_device  # noqa: E402

ROUNDS, ROWS, TOKENS, WIDTH, CLASSES, STRATA = 2, 400, 80, 48, 256, 10  # those of the example
OTHERS = 16384  # bytes a round for losses, picks and the like
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]) as profile:
    torch_device.main(ROUNDS)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "trace.json")
    profile.export_chrome_trace(path)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
if not any(event.get("cat") == "kernel" for event in events):
    print("the profiler saw no kernel: how much was copied cannot be told")
    sys.exit(77)
copied = {}
for event in events:
    if event.get("cat") == "gpu_memcpy":
        kind = event["name"].split(" (")[0]
        copied[kind] = copied.get(kind, 0) + event["args"]["bytes"]
for kind, count in sorted(copied.items()):
    print("%-20s %12d bytes" % (kind, count))
allowed = ROUNDS * (24 * ROWS + 8 * STRATA * WIDTH + OTHERS)
for name, count in (("allowed to the host", allowed), ("log-probabilities", ROUNDS * 8 * ROWS * TOKENS), ("embeddings", ROUNDS * 4 * ROWS * WIDTH),
                    ("logits", ROUNDS * 4 * ROWS * TOKENS * CLASSES)):
    print("%-20s %12d bytes" % (name, count))
sys.exit(copied.get("Memcpy DtoH", 0) > allowed)
