#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The phrase index beside its peers, in turns, on the source texts of one corpus; all figures are CPU seconds.

  bench_phrases_peer.py PROJECT BENCH-PHRASES [CORPUS.tsv.xz|LINES.txt [RUNS [lmplz]]]

- n-grams of 1 to 4 words with their counts, beside scikit-learn's CountVectorizer and KenLM's lmplz (which estimates
  a model as well; a path in LMPLZ, not run without it)
- suffix array, common prefixes and semi-maximal phrases of any length, beside the suffix array and the common prefixes
  alone of pydivsufsort, both without the time in which words become numbers

A .txt has a text a line, such as those that `bench_phrase_pool --texts 800000` prints. With "lmplz" only that peer runs.

The peers come from build/bench-venv, which is made from PyPI; lmplz is built from the sources that the package kenlm
on PyPI ships. The corpus lies beside the project."""
import json
import lzma
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import peers

project, program = (os.path.abspath(path) for path in sys.argv[1:3])
corpus = sys.argv[3] if len(sys.argv) > 3 else os.path.join(project, '..', 'shared', 'data', 'en-de', 'it.tsv.xz')
if not os.path.exists(corpus):
    print(f'not run: {corpus} is missing')
    sys.exit(0)
reason = peers.enter(project)
if reason:
    print(f'not run: {reason}')
    sys.exit(0)
import numpy  # noqa: E402
import pydivsufsort  # noqa: E402
from sklearn.feature_extraction.text import CountVectorizer  # noqa: E402

RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 5
ONLY_LMPLZ = sys.argv[5:6] == ['lmplz']
BOUNDARY = 1


def cpu_of_children(run):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def cpu_of(run):
    before = time.process_time()
    result = run()
    return time.process_time() - before, result


def ours(path):
    done = subprocess.run([program, path, '1', *(['counts'] if ONLY_LMPLZ else [])], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def lmplz(path):
    with open(path, 'rb') as text:
        subprocess.run([os.environ['LMPLZ'], '-o', '4', '--discount_fallback', '-S', '2G', '-T', tempfile.gettempdir()],
                       stdin=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def numbers(lines):
    known, found = {}, []
    for line in lines:
        found.extend(known.setdefault(word, len(known) + 2) for word in line.split())
        found.append(BOUNDARY)
    return numpy.array(found, dtype=numpy.uint32)


def suffixes(words):
    array = pydivsufsort.divsufsort(words)
    return pydivsufsort.kasai(words, array)


if corpus.endswith('.txt'):
    with open(corpus, encoding='utf-8', newline='\n') as file:
        lines = file.read().splitlines()
else:
    with lzma.open(corpus, 'rt', encoding='utf-8') as file:
        lines = [line.split('\t')[3] for line in file][1:]
words = None if ONLY_LMPLZ else numbers(lines)
times = {'count': [], 'unlimited': [], 'lmplz': [], 'pydivsufsort': []}
with tempfile.NamedTemporaryFile('w', encoding='utf-8', suffix='.txt') as text:
    text.write('\n'.join(lines) + '\n')
    text.flush()
    for _ in range(RUNS):
        found = ours(text.name)
        times['count'].append(found['count_cpu'])
        if not ONLY_LMPLZ:
            times['pydivsufsort'].append(cpu_of(lambda: suffixes(words))[0])
            times['unlimited'].append(found['unlimited_cpu'] - found['words_cpu'])
        if os.environ.get('LMPLZ'):
            times['lmplz'].append(cpu_of_children(lambda: lmplz(text.name))[0])
if not ONLY_LMPLZ:
    vectorizer = CountVectorizer(ngram_range=(1, 4), token_pattern=r'[^ \t\r\n]+', lowercase=False)
    times['CountVectorizer'] = [cpu_of(lambda: vectorizer.fit_transform(lines))[0]]
print(f"{found['words']} words of {found['rows']} rows; CPU seconds, medians of {RUNS} runs in turns (least to most); "
      f"load {os.getloadavg()[0]:.1f}")
for name, values in times.items():
    if values:
        print(f'{name:16} {statistics.median(values):8.3f} ({min(values):.3f} to {max(values):.3f})')
for name, own in (('lmplz', 'count'), ('CountVectorizer', 'count'), ('pydivsufsort', 'unlimited')):
    if times.get(name):
        print(f'result phrases_{name} {statistics.median(times[name]) / statistics.median(times[own]):.2f} times')
