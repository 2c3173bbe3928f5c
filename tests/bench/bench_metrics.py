#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""BLEU, chrF and TER of translations beside sacreBLEU's, in turns; figures are seconds, of the wall clock and of the processor.

  bench_metrics.py PROJECT LIB [PAIRS [CORPUS.tsv.xz]]

The references are the target texts of a corpus that lies beside the project, or generated ones without it; a hypothesis is its
reference with blocks moved and words changed. Both sides read the same lists of Python strings, in ten slices that take turns, and
must give the same score of the corpus. TER, of which sacreBLEU makes a hundred pairs a second, is measured on one pair in fifty.
sacreBLEU comes from PyPI (build/metric-venv)."""
import json
import lzma
import os
import random
import sys
import time

import peers

project, library = (os.path.abspath(path) for path in sys.argv[1:3])
pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 100000
corpus = sys.argv[4] if len(sys.argv) > 4 else os.path.join(project, '..', 'shared', 'data', 'en-de', 'it.tsv.xz')
reason = peers.enter(project, os.path.join('tests', 'unit', 'extra', 'metric', 'peers.txt'), 'metric-venv')
if reason:
    print(f'not run: {reason}')
    sys.exit(0)
sys.path[:0] = [os.path.join(library, '..', 'bindings', 'python'), os.path.join(project, 'tests', 'unit', 'extra', 'metric')]
import alcore  # noqa: E402
import sacrebleu.metrics  # noqa: E402
from make_peer_cases import shifted  # noqa: E402

SLICES = 10
alcore.load(os.path.join(library, 'libalcore.so'))


def texts():
    """(hypotheses, references)."""
    generator = random.Random(1)
    words = 'a the of to and in fever headache severe patient reported today . , was has'.split() + [str(i) for i in range(2000)]
    if os.path.exists(corpus):
        with lzma.open(corpus, 'rt', encoding='utf-8') as file:
            lines = [line.rstrip('\n').split('\t')[-1] for line in file][1:]
    else:
        lines = [' '.join(generator.choice(words) for _ in range(generator.randrange(5, 40))) for _ in range(2000)]
    references = [lines[i % len(lines)] for i in range(pairs)]
    return [' '.join(shifted(generator, line.split(), words)) for line in references], references


def timed(run):
    wall, cpu = time.perf_counter(), time.process_time()
    value = run()
    return time.perf_counter() - wall, time.process_time() - cpu, value


def race(name, ours, theirs, hypotheses, references):
    """Ten slices in turns."""
    total = {'ours': [0.0, 0.0], 'sacrebleu': [0.0, 0.0]}
    size = (len(references) + SLICES - 1) // SLICES
    for first in range(0, len(references), size):
        part = hypotheses[first:first + size], references[first:first + size]
        values = []
        for side, run in (('ours', lambda: ours(*part)), ('sacrebleu', lambda: theirs(part[0], [part[1]]).score)):
            wall, cpu, value = timed(run)
            total[side][0] += wall
            total[side][1] += cpu
            values.append(value)
        assert abs(values[0] - values[1]) < 1e-9, (name, values)
    (wall, cpu), (their_wall, their_cpu) = total['ours'], total['sacrebleu']
    print(json.dumps({'metric': name, 'pairs': len(references), 'wall_s': round(wall, 3), 'cpu_s': round(cpu, 3),
                      'sacrebleu_wall_s': round(their_wall, 3), 'sacrebleu_cpu_s': round(their_cpu, 3),
                      'ratio_wall': round(their_wall / wall, 1), 'ratio_cpu': round(their_cpu / cpu, 1)}), flush=True)


hypotheses, references = texts()
race('BLEU', lambda *part: alcore.bleu(*part).bleu, sacrebleu.metrics.BLEU().corpus_score, hypotheses, references)
race('chrF', lambda *part: alcore.chrf(*part).chrf, sacrebleu.metrics.CHRF().corpus_score, hypotheses, references)
race('chrF++', lambda *part: alcore.chrf(*part, word_order=2).chrf, sacrebleu.metrics.CHRF(word_order=2).corpus_score, hypotheses, references)
race('TER', lambda *part: alcore.ter(*part).ter, sacrebleu.metrics.TER().corpus_score, hypotheses[::50], references[::50])
