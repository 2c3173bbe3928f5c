#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds torch without importing it: prints its version and its folder, or says on standard error why there is none.

    find_torch.py BUILD

Looks into BUILD/venv and BUILD/../venv, then into the interpreter that runs this. import torch would take seconds and
load 0.4 GB."""
import glob
import importlib.util
import os
import re
import sys


def folders(build):
    for venv in (os.path.join(build, 'venv'), os.path.join(os.path.dirname(os.path.abspath(build)), 'venv')):
        yield from sorted(glob.glob(os.path.join(venv, 'lib', 'python3*', 'site-packages', 'torch')))
    spec = importlib.util.find_spec('torch')
    if spec is not None and spec.origin:
        yield os.path.dirname(spec.origin)


for folder in folders(sys.argv[1]):
    try:
        with open(os.path.join(folder, 'version.py'), encoding='utf-8') as lines:
            version = re.search(r"__version__ = '([^']+)'", lines.read()).group(1)
    except (OSError, AttributeError):
        continue
    if os.path.exists(os.path.join(folder, 'lib', 'libtorch_cpu.so')) and os.path.exists(
            os.path.join(folder, 'include', 'torch', 'headeronly', 'version.h')):
        print(version)
        print(os.path.realpath(folder))
        sys.exit(0)
print(f'no torch 2.11 or newer in {sys.argv[1]}/venv, beside it or in {sys.executable}', file=sys.stderr)
sys.exit(1)
