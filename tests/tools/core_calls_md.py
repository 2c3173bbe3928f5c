#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/core-calls.md, each call of the core with a program that needs it: core_calls_md.py [--check].

The programs are searched in the order of PROGRAMS: what a user copies from stands before the bindings."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'abi'))
from callers import called, listed  # noqa: E402
import headers  # noqa: E402

PROGRAMS = ('examples/c/*.c', 'examples/cpp/*.cpp', 'examples/python/ten_lines.py', 'bindings/cli/*.c', 'bindings/python/alcore/*.py',
            'bindings/lua/*.c', 'include/alcore/alcore.hpp')
PAGE = os.path.join(headers.ROOT, 'docs', 'core-calls.md')


def programs():
    """{call: the first program that needs it}."""
    found = {}
    for pattern in PROGRAMS:
        for path in sorted(glob.glob(os.path.join(headers.ROOT, pattern))):
            if os.path.basename(path) not in ('_ffi.py', 'lua_tables.c'):
                name = os.path.relpath(path, headers.ROOT)
                for call in called([name]):
                    found.setdefault(call, f'[{name}](../{name})')
        for call in called([pattern]):  # names that Python fills in: "alcore_%s_get" % noun
            found.setdefault(call, f'[{os.path.dirname(pattern)}](../{os.path.dirname(pattern)})')
    return found


def page():
    needed, reasons = programs(), listed('uncalled-exports')
    calls = {name: header for name, header in headers.functions().items() if header.count('/') == 1}
    lines = ['<!-- made by tests/tools/core_calls_md.py from the headers and the programs: do not edit -->', '# The calls of the core', '',
             f'The {len(calls)} calls of `alcore/alcore.h`, which is frozen ([abi.md](abi.md)), each with a program that needs it.']
    for header in sorted(set(calls.values())):
        lines += ['', f'## {header}', '', '| call | needed by |', '|---|---|']
        lines += [f'| `{name}()` | {needed.get(name) or reasons[name]} |' for name in sorted(calls) if calls[name] == header]
    return '\n'.join(lines) + '\n'


def main():
    text = page()
    if sys.argv[1:] == ['--check']:
        with open(PAGE, encoding='utf-8') as file:
            same = file.read() == text
        print('1..1\n' + ('ok' if same else 'not ok') + ' 1 - docs/core-calls.md is what the headers and programs say')
        sys.exit(not same)
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main()
