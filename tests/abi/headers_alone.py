#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each public header compiles alone, twice in a row, as C99, C11 and C++17, before and after another project's dlpack.h;
alcore.h includes the core, extra.h the rest.

  headers_alone.py CC CXX INCLUDE-FOLDER...
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import headers  # noqa: E402
from tap import Tap  # noqa: E402

COMMON = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror', '-fsyntax-only', '-']


def main():
    c, cxx, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    paths = ['-I' + folder for folder in folders]
    tap = Tap()

    def compiles(language, text):
        compiler = {'c99': [c, '-xc', '-std=c99', '-Wstrict-prototypes'], 'c11': [c, '-xc', '-std=c11', '-Wstrict-prototypes'],
                    'c++17': [cxx, '-xc++', '-std=c++17']}[language]
        run = subprocess.run(compiler + paths + COMMON, input=text + 'extern int unit_is_not_empty;\n', capture_output=True, text=True, check=False)
        return run.returncode == 0, run.stderr

    dlpack = '#include <dlpack/dlpack.h>\n'
    have_dlpack = compiles('c11', dlpack)[0]
    if not have_dlpack:
        tap.skip('before and after dlpack.h', 'no dlpack/dlpack.h here: libdlpack-dev')
    for name in headers.names():
        include = f'#include "{name}"\n'
        for language in ('c99', 'c11', 'c++17'):
            good, errors = compiles(language, include + include)
            tap.check(good, f'{name} alone and twice, {language}', errors)
        for order, text in (('before', include + dlpack), ('after', dlpack + include)) if have_dlpack else ():
            for language in ('c11', 'c++17'):
                good, errors = compiles(language, text)
                tap.check(good, f'{name} {order} dlpack.h, {language}', errors)
    # export.h is there through every other header.
    tiers = {'alcore/alcore.h': [name for name in headers.names() if name.count('/') == 1 and name not in
                                 ('alcore/alcore.h', 'alcore/extra.h', 'alcore/export.h')],
             'alcore/extra.h': [name for name in headers.names() if name.startswith('alcore/extra/')] + ['alcore/alcore.h']}
    for umbrella, wanted in tiers.items():
        found = set(re.findall(r'#include "(alcore/[^"]+)"', headers.code(umbrella)))
        tap.check(found == set(wanted), f'{umbrella} includes its tier and nothing else', ' '.join(sorted(found ^ set(wanted))))
    core = [name for name in headers.names() if name.count('/') == 1 and name != 'alcore/extra.h']
    outside = [f'{name} includes {other}' for name in core for other in re.findall(r'#include "(alcore/extra[^"]*)"', headers.code(name))]
    tap.check(not outside, 'no header of the core includes one of extra', '\n'.join(outside))
    # No header brings in a name of another library or a system header beyond the freestanding ones.
    for name in headers.names():
        others = [other for other in re.findall(r'#include <([^>]+)>', headers.code(name))
                  if other not in ('stddef.h', 'stdint.h') and (name, other) != ('alcore/export.h', 'math.h')]  # NAN, the unset number
        tap.check(not others, f'{name} includes no other header of the system', ' '.join(others))
    tap.finish()


main()
