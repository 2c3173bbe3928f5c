#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds torch without importing it: prints its version and its folder, or says on standard error why there is none.

    find_torch.py BUILD

Looks into the virtual environments venv and torch-venv of BUILD and of the folder above it, then into the interpreter that
runs this: its path, and the site-packages of its environment, which pip takes out of the path while it builds a wheel. import
torch would take seconds and load 0.4 GB."""
import glob
import importlib.util
import os
import re
import sys
import sysconfig


def folders(build):
    for folder in (build, os.path.dirname(os.path.abspath(build))):
        for venv in ('venv', 'torch-venv'):
            yield from sorted(glob.glob(os.path.join(folder, venv, 'lib', 'python3*', 'site-packages', 'torch')))
    spec = importlib.util.find_spec('torch')
    if spec is not None and spec.origin:
        yield os.path.dirname(spec.origin)
    yield os.path.join(sysconfig.get_path('platlib'), 'torch')


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
print(f'no torch 2.11 or newer in venv or torch-venv of {sys.argv[1]}, beside it or in {sys.executable}', file=sys.stderr)
sys.exit(1)
