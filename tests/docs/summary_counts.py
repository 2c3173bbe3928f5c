#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/tools/summary.py, which decides whether a run has passed, on logs that are written here: what fails a run is counted, also a
build that failed between two others.

  summary_counts.py ROOT
"""
import json
import os
import subprocess
import sys

ROOT = sys.argv[1]
sys.path.insert(0, os.path.join(ROOT, 'tests', 'tools'))
from tap import Tap  # noqa: E402


def log(folder, label, *tests):
    """Writes meson's log of a build: (result, stdout) of each test. Returns LABEL=FOLDER."""
    build = os.path.join(folder, label)
    os.makedirs(os.path.join(build, 'meson-logs'))
    with open(os.path.join(build, 'meson-logs', label + '.json'), 'w', encoding='utf-8') as file:
        for number, (result, output) in enumerate(tests):
            json.dump({'name': f'alcore:base / test_{number}', 'result': result, 'stdout': output, 'duration': 1.0, 'returncode': 1}, file)
            file.write('\n')
    return f'{label}={build}'


def summary(*arguments):
    """(exit status, last line) of a run."""
    run = subprocess.run([sys.executable, os.path.join(ROOT, 'tests', 'tools', 'summary.py'), '--seconds', '1', *arguments],
                         capture_output=True, text=True, check=False, env={**os.environ, 'ALCORE_TEST_PART': ''})
    return run.returncode, (run.stdout.splitlines() or [run.stderr])[-1]


def equal(seen, wanted):
    assert seen == wanted, f'{seen}, not {wanted}'


GOOD = 'OK', 'ok 1 - a\nok 2 - b\n1..2\n'


def cases_are_counted(folder):
    equal(summary(log(folder, 'one', GOOD, ('OK', ''))), (0, '3 passed, 0 failed, 0 skipped'))


def a_failed_case_fails(folder):
    equal(summary(log(folder, 'one', ('ERROR', 'ok 1 - a\nnot ok 2 - b\n1..2\n'))), (1, '1 passed, 1 failed, 0 skipped'))


def a_case_that_did_not_run_fails(folder):
    equal(summary(log(folder, 'one', ('OK', 'ok 1 - a\n1..2\n'))), (1, '1 passed, 1 failed, 0 skipped'))


def a_crash_fails(folder):
    equal(summary(log(folder, 'one', ('ERROR', 'ok 1 - a\n'))), (1, '1 passed, 1 failed, 0 skipped'))


def a_skip_that_is_not_listed_fails(folder):
    equal(summary(log(folder, 'one', ('OK', 'ok 1 - a # SKIP no reason\n1..1\n'))), (1, '0 passed, 1 failed, 0 skipped'))


def a_run_without_tests_fails(folder):
    equal(summary(log(folder, 'one')), (1, '0 passed, 1 failed, 0 skipped'))


def a_build_that_fails_between_others_fails(folder):
    equal(summary(log(folder, 'one', GOOD), '--broken=two', log(folder, 'three', GOOD)), (1, '4 passed, 1 failed, 0 skipped'))


tap = Tap()
tap.run([cases_are_counted, a_failed_case_fails, a_case_that_did_not_run_fails, a_crash_fails, a_skip_that_is_not_listed_fails,
         a_run_without_tests_fails, a_build_that_fails_between_others_fails])
tap.finish()
