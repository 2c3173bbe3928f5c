#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The word aligner beside fast_align, in turns, on the pairs of one corpus, one thread, one direction, five iterations of the
diagonal model with variational Bayes; CPU seconds, the log-likelihood of each iteration, and how many lines of links differ.

  bench_align_peer.py PROJECT ALCORE [CORPUS.tsv.xz]

fast_align is built from the sources that its authors publish (cmake -DCMAKE_BUILD_TYPE=Release); FAST_ALIGN is the path of
the program, without which the aligner runs alone. Both programs read text and write links; options other than its defaults
are -d (diagonal) and -v (variational Bayes). The corpus lies beside the project."""
import json
import lzma
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

project, program = (os.path.abspath(path) for path in sys.argv[1:3])
corpus = sys.argv[3] if len(sys.argv) > 3 else os.path.join(project, '..', 'shared', 'data', 'en-de', 'general.tsv.xz')
if not os.path.exists(corpus):
    print(f'not run: {corpus} is missing')
    sys.exit(0)
peer = os.environ.get('FAST_ALIGN')
RUNS = 2
ENGLISH, GERMAN = 3, 4


def cpu_of(command, **how):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True, **how)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def ours(folder):
    seconds, done = cpu_of([program, 'align', f'{folder}/source', f'{folder}/target', '--symmetrize', 'forward', '--threads', '1',
                            '--quiet', '--json', '--out', f'{folder}/links'])
    with open(f'{folder}/links', encoding='utf-8') as file:
        return seconds, json.loads(done.stdout)['log_likelihoods']['forward'], [set(line.split()) for line in file]


def theirs(folder):
    seconds, done = cpu_of([peer, '-d', '-v', '-i', f'{folder}/both'], env={**os.environ, 'OMP_NUM_THREADS': '1'})
    likelihoods = [float(value) for value in re.findall(r'log_e likelihood: (\S+)', done.stderr)]
    return seconds, likelihoods, [set(line.split()) for line in done.stdout.splitlines()]


with lzma.open(corpus, 'rt', encoding='utf-8') as file:
    rows = [line.rstrip('\n').split('\t') for line in file][1:]
# fast_align refuses a line without words on either side, and ||| is its separator.
pairs = [(' '.join(row[GERMAN].split()), ' '.join(row[ENGLISH].split())) for row in rows]
pairs = [pair for pair in pairs if all(pair) and '|||' not in ' '.join(pair)]
times = {'alcore': [], 'fast_align': []}
with tempfile.TemporaryDirectory() as folder:
    for name, lines in (('source', (pair[0] for pair in pairs)), ('target', (pair[1] for pair in pairs)),
                        ('both', (' ||| '.join(pair) for pair in pairs))):
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as file:
            file.writelines(line + '\n' for line in lines)
    for _ in range(RUNS):
        found = ours(folder)
        times['alcore'].append(found[0])
        if peer:
            other = theirs(folder)
            times['fast_align'].append(other[0])
words = [sum(len(pair[side].split()) for pair in pairs) for side in (0, 1)]
print(f'{len(pairs)} pairs, {words[0]} and {words[1]} words; CPU seconds, medians of {RUNS} runs in turns (least to most); '
      f'load {os.getloadavg()[0]:.1f}')
for name, values in times.items():
    if values:
        middle = statistics.median(values)
        print(f'{name:10} {middle:8.2f} ({min(values):.2f} to {max(values):.2f}), {1e6 * middle / len(pairs):.0f} microseconds a pair')
print('log-likelihoods', ' '.join(f'{value:.6g}' for value in found[1]))
if peer:
    print('of fast_align  ', ' '.join(f'{value:.6g}' for value in other[1]))
    print(f'{sum(a != b for a, b in zip(found[2], other[2]))} lines of links differ (near-ties)')
    print(f"result align_fast_align {statistics.median(times['fast_align']) / statistics.median(times['alcore']):.2f} times")
