#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A C program that uses a name of 0.1 which is no more does not compile, and the compiler names what to use instead: each name of
alcore/gone.h, in C and C++. What is named exists, and the migration table of CHANGELOG.md has the old name; a name of that table
that no header has stands in alcore/gone.h.

  gone_names.py CC CXX INCLUDE-FOLDER...
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import headers  # noqa: E402
from tap import Tap  # noqa: E402


def main():
    c, cxx, paths = sys.argv[1], sys.argv[2], ['-I' + folder for folder in sys.argv[3:]]
    tap = Tap()
    source = headers.code('alcore/gone.h')
    rows = re.findall(r'^ALCORE_GONE(_TYPE)?\((\w+),\s*"((?:[^"]|"\s*")*)"\);', source, re.M)
    tap.check(len(rows) > 10, 'the names were found', len(rows))
    words = set(re.findall(r'\w+', ' '.join(headers.code(name) for name in headers.names() if name != 'alcore/gone.h')))
    with open(os.path.join(headers.ROOT, 'CHANGELOG.md'), encoding='utf-8') as file:
        migration = file.read().partition('### Migration from 0.1')[2].partition('\n## ')[0]

    def compile_with(compiler, language, use):
        run = subprocess.run([compiler, '-x', language, *paths, '-fsyntax-only', '-'], text=True, capture_output=True, check=False,
                             input=f'#include <alcore/alcore.h>\nint main(void) {{ {use} return 0; }}\n')
        return run.returncode, run.stderr

    for compiler, language in ((c, 'c'), (cxx, 'c++')):
        code, errors = compile_with(compiler, language, '(void)alcore_version();')
        tap.check(code == 0, f'a program of 1.0 compiles, {language}', errors)
        # All names in one run, each on a line of its own.
        uses = '\n'.join(f'{{ {name} *gone = 0; (void)gone; }}' if kind else f'(void)&{name};' for kind, name, _ in rows)
        _, errors = compile_with(compiler, language, uses)
        for kind, name, instead in rows:
            found = re.search(rf"error: ‘?'?(?:[\w ]*\b)?{name}\b[^\n]*", errors)
            tap.check(found and instead.split('(')[0] in found.group(0), f'{name} is refused and {instead} named, {language}',
                      found.group(0) if found else errors[:500])
    for _, name, instead in rows:
        tap.check(name not in headers.functions() and all(word in words for word in re.findall(r'\b(?:alcore|ALCORE)_\w+', instead)),
                  f'{name} is gone and what is named instead of it exists', instead)
        tap.check(name in migration, f'the migration table of CHANGELOG.md has {name}')
    old = set(re.findall(r'\b(?:alcore|ALCORE)_\w+', ' '.join(line.split('|')[1] for line in migration.splitlines() if line.startswith('| '))))
    lost = old - words - {name for _, name, _ in rows}
    tap.check(old and not lost, 'the names of the migration table that are no more stand in alcore/gone.h', ' '.join(sorted(lost)))
    tap.finish()


main()
