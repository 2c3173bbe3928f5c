#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the compiler says of every kernel for every target: registers, shared memory, spills.

  tests/gpu/resources.py [TARGET]... >docs/results/gpu-resources.txt      targets: 80 86 89 90"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

project = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
targets = sys.argv[1:] or ['80', '86', '89', '90']
nvcc = subprocess.run([os.path.join(project, 'lib', 'cuda', 'find_nvcc.sh')], check=True, capture_output=True,
                      text=True).stdout.strip()


def compile_for(target):
    """{kernel: (registers, shared bytes, stack bytes, spilled bytes)}"""
    with tempfile.NamedTemporaryFile(suffix='.cubin') as cubin:
        said = subprocess.run([nvcc, '-std=c++17', '-O3', '-fmad=false', '-diag-suppress=177', f'-I{project}/include',
                               f'-I{project}/lib/cuda', '-cubin', f'-arch=sm_{target}', '-Xptxas', '-v', '-o',
                               cubin.name, f'{project}/lib/cuda/cuda_engine.cu'], check=True, capture_output=True,
                              text=True).stderr
    said = subprocess.run(['c++filt'], input=said, check=True, capture_output=True, text=True).stdout
    kernels = {}
    for part in said.split("Compiling entry function '")[1:]:
        name = re.sub(r'\(anonymous namespace\)::|alcore_cuda::|^void ', '', part[:part.index("' for ")])
        name = re.sub(r'\(.*', '', name)
        used = re.search(r'Used (\d+) registers', part)
        shared = re.search(r'(\d+) bytes smem', part)
        frame = re.search(r'(\d+) bytes stack frame, (\d+) bytes spill stores', part)
        kernels[name] = (int(used.group(1)), int(shared.group(1)) if shared else 0, *map(int, frame.groups()))
    return kernels


with ThreadPoolExecutor(2) as pool:
    found = dict(zip(targets, pool.map(compile_for, targets)))
version = subprocess.run([nvcc, '--version'], check=True, capture_output=True, text=True).stdout.splitlines()[-2]
print('Registers of a thread / static shared memory of a block in bytes, of every kernel of libalcore-cuda.so.')
print(f'{version}. Made by tests/gpu/resources.py; no GPU is needed.\n')
names = sorted({name for kernels in found.values() for name in kernels})
width = max(map(len, names))
print(f"{'kernel':{width}}" + ''.join(f'{"sm_" + target:>14}' for target in targets))
for name in names:
    cells = [f'{kernels[name][0]} / {kernels[name][1]}' if name in kernels else '-' for kernels in found.values()]
    print(f'{name:{width}}' + ''.join(f'{cell:>14}' for cell in cells))
stacks = [(target, name, *kernels[name][2:]) for target, kernels in found.items() for name in sorted(kernels)
          if any(kernels[name][2:])]
print()
for target, name, stack, spilled in stacks:
    print(f'sm_{target} {name}: {stack} bytes of stack, {spilled} bytes spilled')
if not stacks:
    print('No kernel spills or keeps anything on the stack.')
