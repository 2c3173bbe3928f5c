#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every code that the @return of a function of the core lists is asked for by a test: a function of a C test names both the call, or
a function of its file that makes the call, and the code. Codes that a walk produces for all functions are left to it, and tests/abi/untested-codes has those that no test can
produce, with the reason. In TAP."""
import collections
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from headers import ROOT  # noqa: E402
from tap import Tap  # noqa: E402

# Code: the walk over all functions that produces it.
WALKED = {'ALCORE_E_INVALID': 'tests/bindings/python/test_generated.py: NULL and 0 for every argument',
          'ALCORE_E_NOMEM': 'tests/fault/sweep.c', 'ALCORE_E_BUSY': 'tests/fault/busy_walk.c',
          'ALCORE_E_CANCELLED': 'tests/fault/cancel_walk.c', 'ALCORE_E_STRUCT_': 'tests/bindings/python/test_every_struct.py'}


def listed():
    """{function: codes of its @return} of the headers of the core."""
    found = {}
    for path in glob.glob(os.path.join(ROOT, 'include', 'alcore', '*.h')):
        with open(path, encoding='utf-8') as file:
            for comment, name in re.findall(r'/\*\*((?:(?!\*/).)*)\*/\s*ALCORE_API\s+alcore_status\s+(alcore_\w+)\(', file.read(), re.S):
                text = ' '.join(re.findall(r'@return\b[^@]*', re.sub(r'\n\s*\*', ' ', comment)))
                found[name] = set(re.findall(r'ALCORE_E_[A-Z_]+', text)) - WALKED.keys()
    return found


def calls_of(parts):
    """{function of a test file, or macro: functions of the library that it calls, itself or by others of the file}."""
    names = {re.search(r'(\w+)\(', part).group(1): part for part in parts if re.match(r'(?:static|#define)[^(]*\b\w+\(', part)}
    calls = {name: set(re.findall(r'\b\w+(?=\()', part)) for name, part in names.items()}
    for _ in range(3):
        calls = {name: called.union(*(calls.get(other, ()) for other in called)) for name, called in calls.items()}
    return calls


def tested():
    """{function: codes that are named beside it in a function of a C test, or beside a function of the test that calls it}."""
    found = collections.defaultdict(set)
    for path in glob.glob(os.path.join(ROOT, 'tests', '**', '*.[ch]'), recursive=True):
        with open(path, encoding='utf-8') as file:
            parts = re.split(r'\n(?=\S[^\n]*\{\n|START_TEST|#define|static )', file.read())
        calls = calls_of(parts)
        for part in parts:
            codes = set(re.findall(r'ALCORE_E_[A-Z_]+', part))
            named = set(re.findall(r'\w+', part)) if codes else set()
            for name in named.union(*(calls.get(name, ()) for name in named)):
                found[name] |= codes
    return found


def main():
    tap = Tap()
    wanted, found = listed(), tested()
    with open(os.path.join(ROOT, 'tests', 'abi', 'untested-codes'), encoding='utf-8') as file:
        excepted = {tuple(line.split()[:2]) for line in file if line.strip() and not line.startswith('#') and len(line.split()) > 2}
    untested = {(name, code) for name, codes in wanted.items() for code in codes - found[name]}
    tap.check(len(wanted) > 80 and sum(map(len, wanted.values())) > 100, 'the lists were read')
    tap.check(not untested - excepted, 'a test asks for every code', '\n'.join(map(' '.join, sorted(untested - excepted))))
    tap.check(not excepted - untested, 'every exception is still needed', '\n'.join(map(' '.join, sorted(excepted - untested))))
    tap.finish()


main()
