#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The core stands alone: its objects, those of the static library without those of lib/extra, define every name of ours that they
use; and the test sees a use of extra.

  core_alone.py CC STATIC-LIBRARY LIB-FOLDER
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from tap import Tap  # noqa: E402


def missing(compiler, objects, output):
    """Our names that the objects use and do not define, by a link of them into a program that calls nothing."""
    run = subprocess.run([compiler, '-shared', '-o', output, '-Wl,--no-undefined', '-Wl,--demangle', *objects],
                         capture_output=True, text=True, check=False)
    return sorted(set(re.findall(r"undefined reference to .(alcore_\w+)", run.stderr)))


def main():
    compiler, library, lib = sys.argv[1:]
    tap = Tap()
    # An object is named after the path of its source, with _ for /.
    extra = {os.path.relpath(os.path.join(folder, name), lib).replace(os.sep, '_') + '.o'
             for folder, _, names in os.walk(os.path.join(lib, 'extra')) for name in names if name.endswith('.c')}
    members = subprocess.run(['ar', 't', library], capture_output=True, text=True, check=True).stdout.split()
    objects = {os.path.basename(member): os.path.join(os.path.dirname(library), member) if os.path.dirname(member) else None
               for member in members}
    tap.check(extra <= set(objects), 'the objects of lib/extra are in the library', ' '.join(sorted(extra - set(objects))[:5]))
    with tempfile.TemporaryDirectory() as folder:
        for name, path in objects.items():
            if path is None or not os.path.exists(path):  # a library that is not thin holds the objects themselves
                with open(os.path.join(folder, name), 'wb') as file:
                    subprocess.run(['ar', 'p', library, name], stdout=file, check=True)
                objects[name] = os.path.join(folder, name)
        core = [path for name, path in objects.items() if name not in extra]
        output = os.path.join(folder, 'core.so')
        wanted = missing(compiler, core, output)
        tap.check(not wanted, 'the core links without lib/extra', ' '.join(wanted))
        wanted = missing(compiler, core + [objects['extra_stop_stop.c.o'], objects['extra_plot_plot_curves.c.o']], output)
        tap.check(wanted, 'a use of extra that is not there is seen')
    tap.finish()


main()
