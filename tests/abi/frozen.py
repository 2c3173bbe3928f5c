#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program of an earlier release needs no change: for each archive in tests/abi/frozen, the headers and C examples of a release as
tests/tools/freeze_release.sh kept them, the examples are compiled against those headers and run on the library of today.

  frozen.py CC LIBRARY-FOLDER SOURCE-FOLDER
"""
import glob
import os
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from tap import Tap  # noqa: E402

# What the examples are called with, of examples/data; those that are not listed need an engine.
ARGUMENTS = {'trainer': ['pool.txt', 'labeled.tsv'], 'own_model': ['pool.txt'], 'own_strategy': ['pool.txt']}


def main():
    compiler, library, source = sys.argv[1:]
    tap = Tap()
    archives = sorted(glob.glob(os.path.join(source, 'tests', 'abi', 'frozen', '*.tar.xz')))
    tap.check(archives, 'there is a release')
    data = os.path.join(source, 'examples', 'data')
    for archive in archives:
        release = os.path.basename(archive)[:-len('.tar.xz')]
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(archive) as file:
                file.extractall(folder)  # written by our own script
            for name in sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(folder, 'examples', '*.c'))):
                program = os.path.join(folder, name)
                run = subprocess.run([compiler, os.path.join(folder, 'examples', name + '.c'), '-o', program, '-Werror',
                                      '-I' + os.path.join(folder, 'include'), '-L' + library, '-lalcore', '-Wl,-rpath,' + library, '-lm'],
                                     capture_output=True, text=True, check=False)
                tap.check(run.returncode == 0, f'{name} of {release} compiles against its headers', run.stderr)
                if run.returncode == 0 and name in ARGUMENTS:
                    run = subprocess.run([program] + [os.path.join(data, argument) for argument in ARGUMENTS[name]],
                                         capture_output=True, text=True, check=False)
                    tap.check(run.returncode == 0 and run.stdout, f'{name} of {release} runs on this library', run.stderr)
    tap.finish()


main()
