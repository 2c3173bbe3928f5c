#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels that decide round after every operation (spec 1.8): their PTX has no fused multiply-add. TAP.

  ptx.py PROJECT NVCC MAY-FUSE [MODULE]

With a built libalcore-cuda.so and a cuobjdump it is the PTX that the module holds, else the engine is compiled to it. MAY-FUSE lists the kernels that may fuse, a part of the name and the reason a line; one that does not is an error too, so
that the list stays true."""
import re
import subprocess
import sys
import tempfile

from resources import cuobjdump

project, nvcc, listed, *module = sys.argv[1:]
FUSED = re.compile(r'\s(fma|mad)\.(rn|rz|rm|rp|f16|f32|f64|bf16)[a-z0-9.]*\s')
# Stores that several threads may make to one number in any order: never on floating-point numbers.
ATOMIC = re.compile(r'\s(atom|red)\.[a-z0-9.]*\.(f16|f32|f64|bf16)[a-z0-9x.]*\s')

if module and cuobjdump():
    text = subprocess.run([cuobjdump(), '-ptx', *module], check=True, capture_output=True, text=True).stdout
else:
    with tempfile.NamedTemporaryFile(suffix='.ptx') as ptx:
        subprocess.run([nvcc, '-std=c++17', '-O3', '-fmad=false', '-diag-suppress=177', f'-I{project}/include',
                        f'-I{project}/lib/engines/cuda', '-ptx', '-arch=compute_80', '-o', ptx.name,
                        f'{project}/lib/engines/cuda/cuda_engine.cu'], check=True)
        text = open(ptx.name, encoding='utf-8').read()
text = subprocess.run(['c++filt'], input=text, check=True, capture_output=True, text=True).stdout
with open(listed, encoding='utf-8') as file:
    may_fuse = [line.split()[0] for line in file if line.strip() and not line.startswith('#')]

# A kernel, or a function that kernels call: from its name to the next one.
bodies = re.split(r'^(?:\.visible |\.weak )?\.(?:entry|func)\b', text, flags=re.M)[1:]
number, failures, fusing = 0, 0, set()
for body in bodies:
    name = re.sub(r'\(anonymous namespace\)::|alcore_cuda::|^void ', '', body.split('\n', 1)[0].strip())[:100]
    excused = [part for part in may_fuse if part in name]
    fused, atomics = len(FUSED.findall(body)), len(ATOMIC.findall(body))
    if fused:
        fusing.update(excused)
    good = atomics == 0 and (fused == 0 or bool(excused))
    number += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
    if not good:
        print(f'# {fused} fused operations, {atomics} atomic operations on floating-point numbers')
number += 1
stale = [part for part in may_fuse if part not in fusing]
print(f"{'not ok' if stale else 'ok'} {number} - every kernel of the list fuses" + (f": not {', '.join(stale)}" if stale else ''))
number += 1
print(f"{'ok' if len(bodies) > 20 else 'not ok'} {number} - {len(bodies)} kernels were looked at")
print(f'1..{number}')
sys.exit(bool(failures or stale or len(bodies) <= 20))
