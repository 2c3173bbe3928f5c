#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every exported function earns its place: a binding, the command or an example calls it, or tests/abi/uncalled-exports says why
none does. Python fills in the noun of some names when it calls ("alcore_%s_set" % noun): those stand for every noun of a class. In TAP."""
import glob
import itertools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from headers import ROOT  # noqa: E402
from tap import Tap  # noqa: E402

CALLERS = ('bindings/cli/**/*.c', 'bindings/lua/*.c', 'bindings/python/alcore/*.py', 'examples/**/*.c', 'examples/**/*.cpp',
           'examples/**/*.py', 'include/alcore/alcore.hpp')
GENERATED = ('_ffi.py', 'lua_tables.c')


def main():
    tap = Tap()
    with open(os.path.join(ROOT, 'lib', 'alcore.map'), encoding='utf-8') as file:
        exports = set(re.findall(r'^\s+(alcore_\w+);', file.read(), re.M))
    words, nouns, verbs = set(), set(), set()
    for pattern in CALLERS:
        for path in glob.glob(os.path.join(ROOT, pattern), recursive=True):
            if os.path.basename(path) not in GENERATED:
                with open(path, encoding='utf-8') as file:
                    text = file.read()
                words |= set(re.findall(r'\balcore_\w+', text))
                # getattr(lib, "alcore_%s_set_int" % noun): the nouns are words of the package, such as _noun = "strategy".
                verbs |= set(re.findall(r'"alcore_%s_(\w+)" %', text))
                nouns |= set(re.findall(r'\b(?:_noun = |[sg]et_options?\()"(\w+)"', text))
    words |= {'alcore_%s_%s' % pair for pair in itertools.product(nouns, verbs)}
    with open(os.path.join(ROOT, 'tests', 'abi', 'uncalled-exports'), encoding='utf-8') as file:
        listed = {line.split()[0] for line in file if line.strip() and not line.startswith('#') and len(line.split()) > 1}
    uncalled = exports - words
    tap.check(exports, 'the map lists exports')
    tap.check(not uncalled - listed, 'every export is called or has a reason', '\n'.join(sorted(uncalled - listed)))
    tap.check(not listed - uncalled, 'every reason is still needed', '\n'.join(sorted(listed - uncalled)))
    tap.finish()


main()
