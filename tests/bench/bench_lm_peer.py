#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The language model beside KenLM, in turns, both in this process and on one thread: the same ARPA file, which KenLM loads into
its hash table (probing), and the same texts; CPU nanoseconds a token, text parsing included.

  bench_lm_peer.py PROJECT LIBRARY-FOLDER TRAIN.txt QUERY.txt

- score: all texts in one call of ours, one call a text of KenLM's Python module (its only form)
- score one: one call a text of both
- build: alcore_lm_new_trained() beside lmplz and build_binary of the text, where the environment names them (LMPLZ, BUILD_BINARY)

The totals of both are compared: KenLM keeps single precision. The package kenlm comes from PyPI."""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

project, folder, train, query = (os.path.abspath(path) for path in sys.argv[1:5])
os.environ['ALCORE_LIBRARY'] = os.path.join(folder, 'libalcore.so.1')
sys.path.insert(0, os.path.join(folder, '..', 'bindings', 'python'))
import alcore  # noqa: E402
try:
    import kenlm
except ImportError:
    print('not run: the package kenlm is missing')
    sys.exit(0)

RUNS = 5


def cpu_of(run):
    before = time.process_time()
    result = run()
    return time.process_time() - before, result


def cpu_of_children(command, **how):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **how)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def say(name, values, unit=''):
    print(f'{name:22} {statistics.median(values):9.1f}{unit} ({min(values):.1f} to {max(values):.1f})')


def build_with_kenlm(path, arpa):
    with open(path, 'rb') as text:
        seconds = cpu_of_children([os.environ['LMPLZ'], '-o', '4', '--discount_fallback', '-S', '2G', '-T', tempfile.gettempdir(),
                                   '--arpa', arpa], stdin=text)
    return seconds + cpu_of_children([os.environ['BUILD_BINARY'], 'probing', arpa, arpa + '.bin'])


with open(train, encoding='utf-8') as file:
    texts = file.read().splitlines()
with open(query, encoding='utf-8') as file:
    queries = file.read().splitlines()
tokens = sum(len(text.split()) + 1 for text in queries)
context = alcore.Context(threads=1)
with tempfile.TemporaryDirectory() as scratch:
    arpa = os.path.join(scratch, 'model.arpa')
    times = {'ours': [], 'kenlm': []}
    for _ in range(2 if 'LMPLZ' in os.environ else 1):
        seconds, lm = cpu_of(lambda: alcore.LanguageModel(texts, context=context))
        times['ours'].append(seconds)
        if 'LMPLZ' in os.environ:
            times['kenlm'].append(build_with_kenlm(train, os.path.join(scratch, 'their.arpa')))
    print(f'{len(texts)} sentences; build: CPU seconds {times}')
    if times['kenlm']:
        print(f"result lm_build {min(times['kenlm']) / min(times['ours']):.2f} times")
    lm.write(arpa)
    del texts
    peer = kenlm.Model(arpa)
    print(f'n-grams {[lm.ngrams(n) for n in range(1, 5)]}; {len(queries)} texts, {tokens} tokens; load {os.getloadavg()[0]:.1f}')
    few = queries[:20000]
    few_tokens = sum(len(text.split()) + 1 for text in few)
    score, theirs, one, one_theirs = [], [], [], []
    for _ in range(RUNS):
        seconds, ours = cpu_of(lambda: lm.score(queries))
        score.append(1e9 * seconds / tokens)
        seconds, other = cpu_of(lambda: [peer.score(text) for text in queries])
        theirs.append(1e9 * seconds / tokens)
        one.append(1e9 * cpu_of(lambda: [lm.score(text) for text in few])[0] / few_tokens)
        one_theirs.append(1e9 * cpu_of(lambda: [peer.score(text) for text in few])[0] / few_tokens)
    worst = max(abs(a - b) / (1 + abs(b)) for a, b in zip(ours, other))
    print(f'largest relative difference of a total {worst:.2g}')
    for name, values in (('score', score), ('kenlm', theirs), ('score one', one), ('kenlm one', one_theirs)):
        say(name, values, ' ns')
    print(f'result lm_score {statistics.median(theirs) / statistics.median(score):.2f} times')
    print(f'result lm_score_one {statistics.median(one_theirs) / statistics.median(one):.2f} times')
