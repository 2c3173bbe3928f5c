#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the logs that meson left, prints the seconds of every suite, names what failed and what was skipped, shows how long each build
and its tests took, and ends with one line: N passed, N failed, N skipped. The counts are those of the cases inside the tests (TAP lines), not of the
executables. A skip that tests/expected-skips does not list is a failure.

  summary.py [--seconds N] [--parts FILE] [--report FILE] [--broken=BUILD]... LABEL=BUILD-FOLDER...
"""
import argparse
import collections
import fnmatch
import glob
import json
import os
import platform
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASE = re.compile(r'^\s*(ok|not ok)\b\s*(\d+)?\s*-?\s*(.*?)\s*(?:#\s*(skip|todo)\b\s*(.*))?$', re.IGNORECASE)


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.seconds = 0.0


def expected_skips():
    """Patterns of the skips that are allowed."""
    patterns = []
    with open(os.path.join(ROOT, 'tests', 'expected-skips'), encoding='utf-8') as lines:
        for line in lines:
            words = line.split('#')[0].split()
            if words:
                patterns.append(words[0])
    return patterns


def cases(record):
    """(name, outcome, detail) of every case of one executable."""
    found = []
    planned = None
    for line in (record.get('stdout') or '').splitlines():
        plan = re.match(r'^1\.\.(\d+)', line)
        if plan:
            planned = int(plan.group(1))
        match = CASE.match(line)
        if match:
            # Check writes "FILE:SUITE:CASE: text".
            name = ':'.join(match.group(3).split(':')[1:3]) if match.group(3).count(':') >= 3 else match.group(3)
            if (match.group(4) or '').lower() == 'skip':
                found.append((name, 'skip', match.group(5)))
            else:
                found.append((name, 'pass' if match.group(1).lower() == 'ok' else 'fail', match.group(3)))
    if planned is not None and planned > len(found):
        found.append(('', 'fail', f'{planned} cases were planned, {len(found)} ran'))
    return found


def read(label, folder):
    """Yields (suite, test, cases, seconds, record) of a test run."""
    logs = glob.glob(os.path.join(folder, 'meson-logs', label + '*.json'))
    if len(logs) != 1:
        return
    with open(logs[0], encoding='utf-8') as lines:
        for line in lines:
            record = json.loads(line)
            # meson's name is "alcore:SUITE+SUITE / TEST".
            place, _, name = record['name'].rpartition(' / ')
            suite = place.partition(':')[2].partition('+')[0] or 'other'
            result = record['result']
            inner = cases(record)
            if result in ('OK', 'EXPECTEDFAIL'):
                inner = inner or [('', 'pass', '')]
            elif result == 'SKIP':
                inner = inner or [('', 'skip', (record.get('stdout') or '').strip().split('\n')[-1])]
            elif not any(outcome == 'fail' for _, outcome, _ in inner):
                inner.append(('', 'fail', f"{result.lower()}, exit status {record['returncode']}"))
            yield suite, name, inner, record['duration'], record


def parts(path, table):
    """The seconds of packages, builds and tests as lines of a table; those of the suites are kept beside them."""
    with open(path, encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t') for line in file]
    with open(path, 'a', encoding='utf-8') as file:
        file.write(''.join(f'suite\t{label} {suite}\t{count.seconds:.1f}\t\n' for (label, suite), count in table.items()))
    shown = [f"{'part':20} {'seconds':>8} {'processor seconds':>18}"]
    shown += [f'{part + " " + name:20} {seconds:>8} {core:>18}' for part, name, seconds, core in rows]
    return shown + [f"{'together':20} {sum(int(row[2]) for row in rows):8} {sum(int(row[3]) for row in rows):18}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seconds', type=int)
    parser.add_argument('--parts', help='the seconds that tests/run.sh kept; those of the suites are added')
    parser.add_argument('--report')
    parser.add_argument('--broken', action='append', default=[])
    parser.add_argument('runs', nargs='*')
    options = parser.parse_intermixed_args()

    allowed = expected_skips()
    total = Count()
    table = collections.OrderedDict()
    failures, skips = [], []
    for name in options.broken:
        total.failed += 1
        failures.append((f'{name}: the build', f'see build/results/{name}.build.txt', ''))
    for run in options.runs:
        label, folder = run.split('=', 1)
        empty = True
        for suite, test, inner, seconds, record in read(label, folder):
            empty = False
            count = table.setdefault((label, suite), Count())
            count.seconds += seconds
            output = ((record.get('stdout') or '') + '\n' + (record.get('stderr') or '')).strip()
            for case, outcome, detail in inner:
                name = ':'.join(part for part in (label, test, case) if part)
                if outcome == 'skip' and not any(fnmatch.fnmatchcase(name, pattern) for pattern in allowed):
                    outcome, detail = 'fail', f'skipped, but not in tests/expected-skips: {detail}'
                if outcome == 'pass':
                    count.passed += 1
                elif outcome == 'skip':
                    count.skipped += 1
                    skips.append((name, detail))
                else:
                    count.failed += 1
                    failures.append((name, detail, output))
        if empty and not os.environ.get('ALCORE_TEST_PART'):
            total.failed += 1
            failures.append((f'{label}: no test ran', '', ''))

    lines = [f"{'build':10} {'suite':14} {'seconds':>8} {'passed':>7} {'failed':>7} {'skipped':>8}"]
    for (label, suite), count in table.items():
        lines.append(f'{label:10} {suite:14} {count.seconds:8.1f} {count.passed:7} {count.failed:7} {count.skipped:8}')
        total.passed += count.passed
        total.failed += count.failed
        total.skipped += count.skipped
    print('\n'.join(lines))
    for name, detail in skips:
        print(f'skipped {name}: {detail}')
    shown = set()
    for name, detail, output in failures:
        print(f'FAILED {name}: {detail}')
        if output and output not in shown:
            shown.add(output)
            kept = [line for line in output.splitlines() if not line.startswith('ok ')]
            print('\n'.join('    ' + line for line in kept[-40:]))
    if options.parts:
        took = parts(options.parts, table)
        print('\n'.join(took))
        lines += [''] + took
    if options.seconds is not None:
        print(f'{options.seconds} s in all')
    verdict = f'{total.passed} passed, {total.failed} failed, {total.skipped} skipped'
    if options.report:
        report(options, lines, skips, failures, verdict)
    print(verdict)
    return 1 if total.failed else 0


def report(options, lines, skips, failures, verdict):
    """Writes what docs/results keeps of a full run."""
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        model = [line.split(':', 1)[1].strip() for line in file if line.startswith('model name')]
    commit = subprocess.run(['git', 'log', '-1', '--format=%h of %cs'], cwd=ROOT, capture_output=True, text=True,
                            check=False).stdout.strip()
    path = os.path.join(ROOT, options.report)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write('# The last full test run\n\n`tests/run.sh --full`, '
                   f"{time.strftime('%Y-%m-%d', time.gmtime())}, commit {commit or 'unknown'}, "
                   f'{os.cpu_count()} x {(model or [platform.machine()])[0]}, {platform.freedesktop_os_release()["PRETTY_NAME"]}, '
                   f'{options.seconds} s, seed {os.environ.get("ALCORE_TEST_SEED", "")}\n\n```\n')
        file.write('\n'.join(lines) + '\n')
        file.write(''.join(f'skipped {name}: {detail}\n' for name, detail in skips))
        file.write(''.join(f'FAILED {name}: {detail}\n' for name, detail, _ in failures))
        file.write(verdict + '\n```\n')


sys.exit(main())
