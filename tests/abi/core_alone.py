#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The core stands alone: its objects, those of the static library without those of lib/extra, define every name of ours that they
use; and the test sees a use of extra.

  core_alone.py CC STATIC-LIBRARY LIB-FOLDER
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from tap import Tap  # noqa: E402


def missing(compiler, library, left_out, copy):
    """Our names that the library uses and does not define once the objects are left out, by a link of all that is in it."""
    shutil.copyfile(library, copy)
    subprocess.run(['ar', 'd', copy, *left_out], check=True)
    run = subprocess.run([compiler, '-shared', '-o', os.devnull, '-Wl,--no-undefined', '-Wl,--whole-archive', copy],
                         capture_output=True, text=True, check=False)
    return sorted(set(re.findall(r"undefined reference to .(alcore_\w+)", run.stderr)))


def main():
    compiler, library, lib = sys.argv[1:]
    tap = Tap()
    members = subprocess.run(['ar', 't', library], capture_output=True, text=True, check=True).stdout.split()
    held = {os.path.basename(member): member for member in members}
    # An object is named after the path of its source, with _ for /. Some sources
    # belong to builds with an optional library, or to those without it.
    rooms = {room: {os.path.relpath(os.path.join(folder, name), lib).replace(os.sep, '_') + '.o'
                    for folder, _, names in os.walk(os.path.join(lib, 'extra', room)) for name in names if name.endswith('.c')} & set(held)
             for room in os.listdir(os.path.join(lib, 'extra')) if os.path.isdir(os.path.join(lib, 'extra', room))}
    extra = set().union(*rooms.values())
    empty = sorted(room for room, objects in rooms.items() if not objects)
    tap.check(rooms and not empty, 'objects of each room of lib/extra are in the library', ' '.join(empty))
    # A thin library names its objects by their place: the copy stands beside it.
    with tempfile.NamedTemporaryFile(dir=os.path.dirname(library), suffix='.a') as copy:
        wanted = missing(compiler, library, [held[name] for name in extra], copy.name)
        tap.check(not wanted, 'the core links without lib/extra', ' '.join(wanted))
        wanted = missing(compiler, library, [held['text_utf8.c.o']], copy.name)
        tap.check(wanted, 'a use of what is not there is seen')
    tap.finish()


main()
