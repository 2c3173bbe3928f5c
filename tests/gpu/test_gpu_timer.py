#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The bandwidth of a copy, which goals of docs/gpu.md are shares of, counts the bytes that are read and those that are written.
With stand-ins for torch's tensors and for the clock, so that it runs where there is no torch."""
import os
import sys
import types

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
sys.path[:0] = [os.path.join(ROOT, 'tests', 'tools'), os.path.join(ROOT, 'tests', 'gpu')]
from tap import Tap


class Memory:
    """A tensor of bytes that notes what is copied to it."""

    def __init__(self, count, dtype, device):
        assert (dtype, device) == ('uint8', 'cpu')
        self.count, self.copied = count, 0

    def fill_(self, value):
        return self

    def copy_(self, source):
        assert source is not self and source.count == self.count
        self.copied += source.count
        moved.append(self)


moved = []
sys.modules['torch'] = types.SimpleNamespace(
    uint8='uint8', float16='float16', bfloat16='bfloat16', empty=lambda count, dtype, device: Memory(count, dtype, device),
    cuda=types.SimpleNamespace(is_available=lambda: False),
    backends=types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=True))))
import gpu_timer


def main():
    tap = Tap()
    seconds = iter(range(1000))
    gpu_timer.time = types.SimpleNamespace(perf_counter=lambda: next(seconds))  # a second passes from each look to the next
    bandwidth = gpu_timer.copy_bandwidth()
    counts = {memory.copied // memory.count for memory in moved}
    tap.check(moved and counts == {len(moved)}, 'one tensor is copied to, as a whole, once a measurement')
    # A copy of n bytes in a second reads n and writes n.
    tap.check(bandwidth == 2 * moved[0].count, 'bytes read and bytes written count', f'{bandwidth} of {moved[0].count}')
    tap.check(not sys.modules['torch'].backends.cuda.matmul.allow_tf32, 'products that are compared are not of TF32')
    tap.finish()


if __name__ == '__main__':
    main()
