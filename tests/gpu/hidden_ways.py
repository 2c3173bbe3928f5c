#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hidden states to NLL in bfloat16 by cuBLAS and by the engine's own kernel: what the rule of sizes between them (docs/gpu.md,
cuBLAS) is to be compared with.

  hidden_ways.py KIT        KIT: a folder of tests/gpu/pack.sh

Each way has a process of its own, as the engine reads these variables once; times are medians by CUDA events. A line for each
number of components and tokens. The exit status is 1 where a way failed or the two differ."""
import json
import os
import subprocess
import sys

WAYS = (("cuBLAS", {"ALCORE_CUBLAS_ALWAYS": "1"}), ("own kernel", {"ALCORE_CUBLAS": "none"}))
MEASURE = "--measure"  # in place of the folder's name: the process of one way


def measure(kit):
    import torch
    from gpu_timer import device, medians, real, size
    from kernel_table import DTYPES, Kernels, Rows, TokenStats
    torch.manual_seed(1)
    kernels = Kernels(os.path.join(kit, "lib", "libkernel-table.so"), os.path.join(kit, "scripts", "kernel.h"),
                      module=os.path.join(kit, "module", "libalcore-cuda.so"))
    if real:
        stream = torch.cuda.Stream()
        torch.cuda.set_stream(stream)
        kernels.work.stream = stream.cuda_stream
    if real and os.environ.get("ALCORE_CUBLAS") != "none":
        properties = torch.cuda.get_device_properties(0)
        print(json.dumps("%s, %s bytes of second-level cache" % (
            properties.name, getattr(properties, "L2_cache_size", "an unknown number of"))), flush=True)
    classes = size(50265, 64)
    for dims in size((512, 768, 1024, 2048, 4096), (32, 64)):
        output = (torch.randn(classes, dims, device=device) / dims ** 0.5).bfloat16()
        for tokens in size((256, 4096), (130,)):
            states = torch.randn(tokens, dims, device=device).bfloat16()
            labels = torch.randint(classes, (tokens,), device=device)
            logprob = torch.zeros(tokens, dtype=torch.float64, device=device)
            bad = torch.zeros(1, dtype=torch.int64, device=device)

            def ours():
                hidden, matrix = (Rows(data=rows.data_ptr(), first=0, count=rows.shape[0], dims=dims, stride=dims, dtype=DTYPES["bfloat16"], unit=0)
                                  for rows in (states, output))
                kernels.hidden_stats(hidden, matrix, None, labels, -100, TokenStats(logprob=logprob.data_ptr()), bad)
            taken = medians({"ours": ours, "product": lambda: states @ output.T}, turns=9, seconds=0.7)
            print(json.dumps([dims, tokens, taken["ours"], taken["product"], float(logprob.mean())]), flush=True)


def main():
    kit = sys.argv[1]
    times, failed = {}, 0
    for label, variables in WAYS:
        run = subprocess.run([sys.executable, os.path.abspath(__file__), MEASURE, kit], env=dict(os.environ, **variables),
                             stdout=subprocess.PIPE, text=True, check=False)
        failed += run.returncode != 0
        for line in map(json.loads, run.stdout.splitlines()):
            if isinstance(line, str):
                print(line)
                continue
            dims, tokens, ours, product, mean = line
            print("%-12s %5d components, %5d tokens: %10.3f ms, %6.2f x the product alone" % (label, dims, tokens, ours, ours / product),
                  flush=True)
            before = times.setdefault((dims, tokens), mean)
            if abs(before - mean) > 1e-3 * (1 + abs(before)):
                failed += 1
                print("the ways DIFFER: mean log-probability %g and %g" % (before, mean))
        if run.returncode:
            print("%s FAILED with %d" % (label, run.returncode), flush=True)
    return failed != 0 or not times


if __name__ == "__main__":
    sys.exit(measure(sys.argv[2]) if sys.argv[1] == MEASURE else main())
