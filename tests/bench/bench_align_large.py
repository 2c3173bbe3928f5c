#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The word aligner on a million pairs of sentences: seconds and peak memory of `alcore align` in both directions, symmetrized.

  bench_align_large.py ALCORE PAIRS CORPUS.tsv.xz...

The pairs are the different ones of the corpora (a header, the two texts in columns 4 and 5). Where there are fewer than PAIRS,
each pair joined with the one after it, in the order of the files, makes up the rest: longer sentences with the same words."""
import json
import lzma
import os
import resource
import subprocess
import sys
import tempfile
import time

program, wanted, corpora = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
pairs = {}
for path in corpora:
    with lzma.open(path, 'rt', encoding='utf-8') as file:
        next(file)
        for line in file:
            english, other = (' '.join(text.split()) for text in line.rstrip('\n').split('\t')[3:5])
            if english and other:
                pairs[other, english] = None
pairs = list(pairs)[:wanted]
different = len(pairs)
for first, second in zip(pairs[:wanted - different], pairs[1:]):
    pairs.append((first[0] + ' ' + second[0], first[1] + ' ' + second[1]))
with tempfile.TemporaryDirectory() as folder:
    paths = [os.path.join(folder, name) for name in ('source', 'target')]
    for side, path in enumerate(paths):
        with open(path, 'w', encoding='utf-8') as file:
            file.writelines(pair[side] + '\n' for pair in pairs)
    words = [sum(len(pair[side].split()) for pair in pairs) for side in (0, 1)]
    count = len(pairs)
    del pairs
    begun = time.monotonic()
    done = subprocess.run([program, 'align', *paths, '--threads', '2', '--quiet', '--json', '--out', os.path.join(folder, 'links')],
                          check=True, capture_output=True, text=True)
    seconds = time.monotonic() - begun
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f'{count} pairs, {different} of them as in the corpora; {words[0]} and {words[1]} words; load {os.getloadavg()[0]:.1f}')
print(f'{seconds:.1f} s, {used.ru_utime + used.ru_stime:.1f} s CPU, {used.ru_maxrss / 1024:.0f} MiB at the peak')
print('log-likelihoods', json.loads(done.stdout)['log_likelihoods'])
