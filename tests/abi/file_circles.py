#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of lib/ that call each other in a circle. A circle cannot be read, tested or moved file by file; each is listed in
tests/abi/file-circles with the reason why it is one mechanism in several files. What calls what is read from the objects of the
static library, so that a circle through a header or a table of functions does not hide. In TAP.

  file_circles.py NM LIBALCORE.A"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from headers import ROOT  # noqa: E402
from tap import Tap  # noqa: E402

LIB = os.path.join(ROOT, 'lib')


def objects():
    """{name of an object, as Meson makes it of a path: the path under lib/}. lib/engines/cpu is compiled once for each instruction set
    and has one entry point: it is left out."""
    found = {}
    for directory, _, files in os.walk(LIB):
        for name in files:
            path = os.path.relpath(os.path.join(directory, name), LIB)
            if name.endswith('.c') and not path.startswith('cpu' + os.sep):
                found[path.replace(os.sep, '_') + '.o'] = path
    return found


def calls(nm, library):
    """{file: {file that it needs a symbol of}}."""
    names, defined, needed = objects(), {}, {}
    text = subprocess.run([nm, '-A', library], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        match = re.search(r'([^:/\[\]]+\.o)\]?:\s*[0-9a-f]*\s*([A-Za-z]) (\S+)$', line)
        path = match and names.get(match.group(1))
        if not path:
            continue
        if match.group(2) == 'U':
            needed.setdefault(path, set()).add(match.group(3))
        elif match.group(2).isupper():
            defined[match.group(3)] = path
    return {path: {defined[name] for name in symbols if name in defined} - {path} for path, symbols in needed.items()}


def circles(edges):
    """The sets of files each of which reaches every other one of its set: Tarjan's strongly connected components."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(file):
        number[file] = lowest[file] = len(number)
        stack.append(file)
        for other in edges.get(file, ()):
            if other not in number:
                visit(other)
            if other in stack:
                lowest[file] = min(lowest[file], lowest[other])
        if lowest[file] == number[file]:
            circle = set()
            while file not in circle:
                circle.add(stack.pop())
            if len(circle) > 1:
                found.append(frozenset(circle))

    sys.setrecursionlimit(10000)
    for file in sorted(edges):
        if file not in number:
            visit(file)
    return found


def main():
    tap = Tap()
    assert circles({'a': {'b'}, 'b': {'c'}, 'c': {'b'}, 'd': {'a'}}) == [frozenset('bc')]
    edges = calls(sys.argv[1], sys.argv[2])
    tap.check(len(edges) > 100, '%d files were read' % len(edges))
    found = set(circles(edges))
    listed = set()
    with open(os.path.join(ROOT, 'tests', 'abi', 'file-circles'), encoding='utf-8') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                files, reason = line.split(': ', 1)
                tap.check(len(reason.split()) > 3, 'a reason: ' + files)
                listed.add(frozenset(files.split()))
    for circle in sorted(map(sorted, found - listed)):
        tap.check(False, 'no circle: ' + ' '.join(circle),
                  '\n'.join('%s calls %s' % (file, other) for file in circle for other in sorted(edges[file]) if other in circle))
    gone = listed - found
    tap.check(not gone, 'every listed circle is still there', '\n'.join(' '.join(sorted(circle)) for circle in gone))
    tap.finish()


main()
