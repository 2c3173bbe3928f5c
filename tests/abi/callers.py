#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every exported function earns its place: a binding, the command or an example calls it, or tests/abi/uncalled-exports says why
none does. And Lua can do what Python can: a function that Python calls is called by the Lua module too, or tests/abi/python-only says
why not. Python fills in the noun of some names when it calls ("alcore_%s_set" % noun): those stand for every noun of a class. In
TAP."""
import glob
import itertools
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from headers import ROOT  # noqa: E402
from tap import Tap  # noqa: E402

PYTHON, LUA = 'bindings/python/alcore/*.py', 'bindings/lua/*.c'
CALLERS = ('bindings/cli/**/*.c', LUA, PYTHON, 'examples/**/*.c', 'examples/**/*.cpp', 'examples/**/*.py',
           'include/alcore/*.hpp')
GENERATED = ('_ffi.py',)  # it names every function
MADE = {LUA: ('lua_calls.c', 'lua_tables.c')}  # what the build makes beside what is written, which names only the functions that it calls


def texts(pattern):
    """(name of the file, text) of the files that a pattern names, what is made of them included."""
    with tempfile.TemporaryDirectory() as folder:
        made = []
        if pattern in MADE:
            made = [os.path.join(folder, name) for name in MADE[pattern]]
            subprocess.run([sys.executable, os.path.join(ROOT, 'bindings', 'gen', 'generate.py'), *made], check=True)
        for path in glob.glob(os.path.join(ROOT, pattern), recursive=True) + made:
            if os.path.basename(path) not in GENERATED:
                with open(path, encoding='utf-8') as file:
                    yield path, file.read()


def called(patterns):
    """Names of functions in the files that the patterns name, without comments of C, which may name what is not called."""
    words, nouns, verbs = set(), set(), set()
    for pattern in patterns:
        for path, text in texts(pattern):
            if path.endswith('.c'):
                text = re.sub(r'/\*.*?\*/', '', text, flags=re.S)
            words |= set(re.findall(r'\balcore_\w+', text))
            # getattr(lib, "alcore_%s_set_int" % noun): the nouns are words of the package, such
            # as _noun = "strategy".
            verbs |= set(re.findall(r'"alcore_%s_(\w+)" %', text))
            # _call("bleu", ...) in metrics.py: a metric by its name, in memory or of files.
            for name in re.findall(r'\b_(?:call|corpus)\(\s*"(\w+)"', text):
                words |= {'alcore_metric_compute_' + name, 'alcore_metric_read_' + name, 'alcore_metric_%s_signature' % name}
            nouns |= set(re.findall(r'\b(?:_noun = |[sg]et_options?\()"(\w+)"', text))
    return words | {'alcore_%s_%s' % pair for pair in itertools.product(nouns, verbs)}


def listed(name):
    """{function: the reason with which a list in this folder names it}."""
    with open(os.path.join(ROOT, 'tests', 'abi', name), encoding='utf-8') as file:
        rows = [line.split(None, 1) for line in file if line.strip() and not line.startswith('#')]
    reasons, before = {}, ''
    for name, reason in (row for row in rows if len(row) > 1):
        before = before if reason.strip() == 'as above' else reason.strip()
        reasons[name] = before
    return reasons


def main():
    tap = Tap()
    with open(os.path.join(ROOT, 'lib', 'alcore.map'), encoding='utf-8') as file:
        exports = set(re.findall(r'^\s+(alcore_\w+);', file.read(), re.M))
    tap.check(exports, 'the map lists exports')
    python = exports & called([PYTHON])
    tap.check(len(python) > 200, 'the calls of Python were found', len(python))
    for found, reasons, what in ((exports - called(CALLERS), listed('uncalled-exports'), 'every export is called'),
                                 (python - called([LUA]), listed('python-only'), 'Lua calls what Python calls')):
        tap.check(not found - set(reasons), what + ' or there is a reason', '\n'.join(sorted(found - set(reasons))))
        tap.check(not set(reasons) - found, what + ': every reason is still needed', '\n'.join(sorted(set(reasons) - found)))
    tap.finish()


if __name__ == '__main__':
    main()
