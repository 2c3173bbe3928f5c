# SPDX-License-Identifier: Apache-2.0
"""Times of work on the device by CUDA events, medians. Where torch has no device the clock of the host times the same calls,
which tests the programs that use this, and says nothing of speed."""
import statistics
import time

import torch

real = torch.cuda.is_available()
device = "cuda" if real else "cpu"
half = torch.float16 if real else torch.bfloat16  # older versions of torch multiply no float16 on the host
torch.backends.cuda.matmul.allow_tf32 = False


def _once(function):
    """Milliseconds from the work queued before to the end of the function's own."""
    if not real:
        begun = time.perf_counter()
        function()
        return 1000 * (time.perf_counter() - begun)
    first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    first.record()
    function()
    last.record()
    last.synchronize()
    return first.elapsed_time(last)


def medians(functions, turns=15, seconds=4.0):
    """{name: median milliseconds} of {name: function}. The functions run in turn, so that a change of the clock rate meets all
    of them alike, after one run each that is not counted; at most `turns` times, and for about so many seconds."""
    for function in functions.values():
        _once(function)
    taken = {name: [] for name in functions}
    end = time.perf_counter() + seconds
    for turn in range(turns if real else 1):
        for name, function in functions.items():
            taken[name].append(_once(function))
        if turn >= 2 and time.perf_counter() > end:
            break
    return {name: statistics.median(times) for name, times in taken.items()}


def size(full, small):
    """The size of a benchmark on a device, or where there is none."""
    return full if real else small


def copy_bandwidth():
    """Bytes per second of a copy on the device, those read and those written."""
    count = size(1 << 30, 1 << 12)
    source, target = (torch.empty(count, dtype=torch.uint8, device=device).fill_(1) for _ in range(2))
    return 2 * count / (medians({"copy": lambda: target.copy_(source)})["copy"] / 1000)
