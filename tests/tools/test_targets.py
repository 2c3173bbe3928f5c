#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what ninja has to build for some tests of a build folder, so that a sanitized build compiles nothing else.

  test_targets.py BUILD [--suite NAME]... [--no-suite NAME]...

The options mean what they mean to `meson test`: without --suite all tests, less those of a --no-suite."""
import argparse
import json
import os
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('--suite', action='append', default=[])
    parser.add_argument('--no-suite', action='append', default=[])
    options = parser.parse_args()
    found = json.loads(subprocess.run(['meson', 'introspect', '--tests', '--targets', options.build], check=True,
                                      capture_output=True, text=True).stdout)
    root = os.path.realpath(options.build)
    outputs = {target['id']: [os.path.relpath(name, root) for name in target['filename']] for target in found['targets']}
    names = set()
    for test in found['tests']:
        suites = {suite.split(':')[-1] for suite in test['suite']}
        if (options.suite and not suites & set(options.suite)) or suites & set(options.no_suite):
            continue
        for target in test['depends']:
            names.update(outputs[target])
        # A program that is the test itself is no dependence of it.
        names.update(os.path.relpath(word, root) for word in test['cmd'] if word.startswith(root + os.sep)
                     if any(os.path.relpath(word, root) in files for files in outputs.values()))
    if not names:
        sys.exit('no test of these suites')
    print('\n'.join(sorted(names)))


if __name__ == '__main__':
    main()
