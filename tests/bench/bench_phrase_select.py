#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Selecting 10,000 words of phrases from the IT corpus by the command: wall and processor seconds, peak memory, picks.

  bench_phrase_select.py PROJECT ALCORE [THREADS]

The pool are the English sentences of the IT corpus, the labeled side those of the general corpus, both beside the project
and read from .tsv.xz. What is measured is the whole command: reading both files, finding all phrases, ranking, spending, the
reasons and the file. The goal for ngf-smp is 10 s and 1.5 GiB on two cores."""
import os
import subprocess
import sys
import tempfile
import time

RUNS = (('ngf-smp', ['-p', 'max_n=4']), ('ngf-smp', ['-p', 'smp_limit=inf']), ('ngf', []), ('random-phrase', []),
        ('hybrid', ['-p', 'sentences=random', '-p', 'phrases=ngf-smp']))
project, alcore = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
threads = sys.argv[3] if len(sys.argv) > 3 else '2'
data = os.environ.get('ALCORE_SHARED_DATA') or os.path.join(project, os.pardir, 'shared', 'data')
pool, labeled = (os.path.join(data, 'en-de', name + '.tsv.xz') for name in ('it', 'general'))
if not os.path.exists(pool):
    print(f'not run: {pool} is missing')
    sys.exit(0)

print(f"{'strategy':14} {'parameters':20} {'wall s':>7} {'cpu s':>7} {'MiB':>6} {'picks':>7}")
with tempfile.TemporaryDirectory() as folder:
    for strategy, parameters in RUNS:
        out = os.path.join(folder, 'picks.tsv')
        begun = time.monotonic()
        with subprocess.Popen([alcore, 'select', pool, '--text-column', 'en', '--labeled', labeled, '--strategy', strategy,
                               *parameters, '--budget', '10000w', '--threads', threads, '--quiet', '--out', out]) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begun
        if child.returncode:
            sys.exit(child.returncode)
        with open(out, encoding='utf-8') as lines:
            picks = sum(1 for _ in lines) - 1
        words = ' '.join(value for value in parameters if value != '-p')
        print(f'{strategy:14} {words:20} {wall:7.2f} {usage.ru_utime + usage.ru_stime:7.2f} {usage.ru_maxrss / 1024:6.0f} {picks:7}',
              flush=True)
