#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs meson's benchmark() programs and prints wall seconds, peak memory and what each says. A line
"result NAME VALUE UNIT" of a program becomes a number of the JSON file, a line "row OBJECT" a row of it.

  bench_all.py BUILD [GROUP]... [--json FILE] [--list]
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time


def machine():
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        models = [line.split(':', 1)[1].strip() for line in file if line.startswith('model name')]
    with open('/proc/meminfo', encoding='utf-8') as file:
        gib = int(file.readline().split()[1]) / (1 << 20)
    return {'processor': (models or [platform.machine()])[0], 'cores': len(os.sched_getaffinity(0)),
            'memory_gib': round(gib, 1), 'system': platform.platform()}


def run(benchmark, build):
    """One program, run from the build folder, to which meson's paths are relative: exit status, wall seconds, peak MiB and
    output."""
    with tempfile.TemporaryFile('w+', encoding='utf-8') as output:
        begun = time.monotonic()
        with subprocess.Popen(benchmark['cmd'], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                              env={**os.environ, **benchmark['env']}, cwd=benchmark['workdir'] or build) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begun
        output.seek(0)
        return child.returncode, seconds, usage.ru_maxrss / 1024, output.read()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build')
    parser.add_argument('groups', nargs='*')
    parser.add_argument('--json')
    parser.add_argument('--list', action='store_true')
    options = parser.parse_args()
    found = json.loads(subprocess.run(['meson', 'introspect', '--benchmarks', options.build], check=True,
                                      capture_output=True, text=True).stdout)
    for benchmark in found:
        benchmark['group'] = benchmark['suite'][0].split(':')[-1]
    groups = sorted({benchmark['group'] for benchmark in found})
    if options.list:
        print('\n'.join(groups))
        return 0
    unknown = set(options.groups) - set(groups)
    if unknown:
        print(f"no group {', '.join(sorted(unknown))}; there are {', '.join(groups)}", file=sys.stderr)
        return 2
    here = machine()
    print(f"{here['cores']} x {here['processor']}, {here['memory_gib']} GiB")
    print(f"{time.strftime('%Y-%m-%d', time.gmtime())}, load of the machine at the start {os.getloadavg()[0]:.1f}")
    print(f"{'group':10} {'benchmark':24} {'seconds':>9} {'peak MiB':>9}")
    results, failed = [], 0
    for benchmark in found:
        if options.groups and benchmark['group'] not in options.groups:
            continue
        status, seconds, peak, output = run(benchmark, options.build)
        failed += status != 0
        print(f"{benchmark['group']:10} {benchmark['name']:24} {seconds:9.2f} {peak:9.0f}"
              + (f'  FAILED with {status}' if status else ''))
        numbers, rows = [], []
        for line in output.splitlines():
            words = line.split()
            if words and words[0] == 'row':
                rows.append(json.loads(line[len('row '):]))
            elif len(words) == 4 and words[0] == 'result':
                numbers.append({'name': words[1], 'value': float(words[2]), 'unit': words[3]})
                print(f'    {words[1]}: {words[2]} {words[3]}')
            else:
                print('    ' + line)
        sys.stdout.flush()
        results.append({'group': benchmark['group'], 'name': benchmark['name'], 'status': status,
                        'seconds': round(seconds, 3), 'peak_mib': round(peak, 1), 'results': numbers, 'rows': rows,
                        'command': [os.path.basename(benchmark['cmd'][0])] + benchmark['cmd'][1:]})
    if options.json:
        commit = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], capture_output=True, text=True, check=False)
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump({'machine': here, 'commit': commit.stdout.strip(), 'date': time.strftime('%Y-%m-%d', time.gmtime()),
                       'benchmarks': results}, file, indent=2)
            file.write('\n')
    return 1 if failed else 0


sys.exit(main())
