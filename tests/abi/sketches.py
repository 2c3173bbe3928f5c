#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is to come needs new names only: each sketch of tests/abi/sketches compiles against the headers, in C and C++, and declares
no name that they have. A sketch goes when its header comes.

  sketches.py CC CXX INCLUDE-FOLDER...
"""
import glob
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
    known = set(re.findall(r'\b(?:alcore|ALCORE)_\w+', ' '.join(headers.code(name) for name in headers.names())))
    sketches = sorted(glob.glob(os.path.join(headers.ROOT, 'tests', 'abi', 'sketches', '*.h')))
    tap.check(sketches, 'there are sketches')
    for path in sketches:
        name = os.path.basename(path)
        for compiler, language in ((c, 'c'), (cxx, 'c++')):
            run = subprocess.run([compiler, '-x', language, '-Wall', '-Wextra', '-Werror', *paths, '-fsyntax-only', '-'], text=True,
                                 input=f'#include "{path}"\nint main(void) {{ return 0; }}\n', capture_output=True, check=False)
            tap.check(run.returncode == 0, f'{name} compiles against the headers, {language}', run.stderr)
        with open(path, encoding='utf-8') as file:
            text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
        declared = set(re.findall(r'ALCORE_API[^;(]*?\b(alcore_\w+)\(', text)) | set(re.findall(r'typedef struct (alcore_\w+)', text)) \
            | set(re.findall(r'\b(ALCORE_\w+) = ', text)) | set(re.findall(r'#define (ALCORE_\w+)', text))
        tap.check(declared and not declared & known, f'{name} declares new names only', ' '.join(sorted(declared & known)))
    tap.finish()


main()
