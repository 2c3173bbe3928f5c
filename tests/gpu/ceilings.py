#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the device reaches: a copy, matrix products of cuBLAS, and the time of a kernel that does nothing.

  ceilings.py"""
import torch
from gpu_timer import copy_bandwidth, device, half, medians, real, size

print("%s, torch %s" % (torch.cuda.get_device_name() if real else "no device of torch's, everything on the host", torch.__version__))
print("copy, bytes read and written        %8.0f GB/s" % (copy_bandwidth() / 1e9), flush=True)
width = size(8192, 64)
for dtype in (torch.bfloat16, half, torch.float32):
    left, right = (torch.randn(width, width, device=device).to(dtype) for _ in range(2))
    taken = medians({"mm": lambda: left @ right})["mm"]
    print("cuBLAS %-16s %5d^3       %8.1f TFLOP/s" % (str(dtype)[6:], width, 2 * width ** 3 / taken / 1e9), flush=True)


def launch():
    if real:
        torch.cuda._sleep(0)  # a kernel that waits for no cycle


LAUNCHES = 1000


def launches():
    for _ in range(LAUNCHES):
        launch()


def launches_and_waits():
    for _ in range(LAUNCHES):
        launch()
        if real:
            torch.cuda.current_stream().synchronize()


taken = medians({"launches": launches, "waits": launches_and_waits}, turns=5)
print("empty launch, one after the other   %8.2f us" % (1000 * taken["launches"] / LAUNCHES))
print("empty launch, and wait for it       %8.2f us" % (1000 * taken["waits"] / LAUNCHES))
