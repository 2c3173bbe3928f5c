#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokenizing beside PyPI's tokenizers, in turns, on one thread each: vocabularies of real models, the same texts, processor time.

  bench_tokenizer_peer.py PROJECT TOKENIZE_TEXTS

- batch: all texts in one call; ids, spans, types and marks of every token on our side, Encoding objects on theirs (encode_batch)
- fast: the same of ours beside encode_batch_fast, which finds no offsets

English: sentences of news and examples. Mixed: a sentence of each of 22 languages in turn. They are those of the corpora that lie
beside the project (../shared/data or $ALCORE_SHARED_DATA); without them, corpus.txt of tests/tokenizer many times. That both give
the same ids is checked here; tests/tokenizer/compare.py checks the rest."""
import os
import statistics
import subprocess
import sys

project, program = (os.path.abspath(path) for path in sys.argv[1:3])
here = os.path.join(project, 'tests', 'tokenizer')
sys.path[:0] = [os.path.join(project, 'tests', 'bench'), here]
os.environ['TOKENIZERS_PARALLELISM'] = 'false'
os.environ['RAYON_NUM_THREADS'] = '1'
import peers  # noqa: E402

failed = peers.enter(project, os.path.join('tests', 'tokenizer', 'peers.txt'), 'tokenizer-venv')
if failed:
    print('not run: ' + failed)
    sys.exit(0)
import numpy as np  # noqa: E402
import tokenizers  # noqa: E402

import real_vocabularies  # noqa: E402
from text_corpora import corpora, timed  # noqa: E402

ROUNDS, TEXTS = 7, 20000
shared = os.environ.get('ALCORE_SHARED_DATA') or os.path.join(project, os.pardir, 'shared', 'data')


def packed(texts):
    data = [text.encode('utf-8') for text in texts]
    return np.int64(len(data)).tobytes() + np.array([len(one) for one in data], dtype=np.int64).tobytes() + b''.join(data)


def ours(folder, data, runs):
    return subprocess.run([program, folder, '1', str(runs)], input=data, capture_output=True, check=True).stdout


found, missing = real_vocabularies.find(project, shared)
print(f'tokenizers {tokenizers.__version__}, one thread each, {ROUNDS} rounds in turns; load {os.getloadavg()[0]:.1f}')
for line in missing:
    print('not run:', line)
for kind, texts in corpora(project, shared, TEXTS).items():
    data = packed(texts)
    mebibytes = sum(len(text.encode('utf-8')) for text in texts) / (1 << 20)
    for name, folder in found.items():
        peer = tokenizers.Tokenizer.from_file(os.path.join(folder, 'tokenizer.json'))
        peer.no_truncation()
        peer.no_padding()
        wanted = [one.ids for one in peer.encode_batch(texts)]
        tokens = sum(map(len, wanted))
        answer = ours(folder, data, 0)
        same = np.array_equal(np.frombuffer(answer, dtype=np.int64, count=tokens, offset=8 * (len(texts) + 1)), np.concatenate(wanted))
        del wanted, answer
        mine, batch, fast = [], [], []
        for _ in range(ROUNDS):
            mine += map(float, ours(folder, data, 1).split())
            batch.append(timed(lambda: peer.encode_batch(texts)))
            fast.append(timed(lambda: peer.encode_batch_fast(texts)))
        seconds = [statistics.median(values) for values in (mine, batch, fast)]
        print(f'{kind} {name}: {len(texts)} texts, {mebibytes:.1f} MiB, {tokens} tokens; '
              f'{"the same ids" if same else "IDS DIFFER"}')
        for title, values, median in zip(('ours', 'encode_batch', 'encode_batch_fast'), (mine, batch, fast), seconds):
            print(f'  {title:18} {median:7.3f} s ({min(values):.3f} to {max(values):.3f}), {mebibytes / median:6.1f} MiB/s')
        print(f'result tokenizer_{kind}_{name} {seconds[1] / seconds[0]:.2f} times encode_batch, {seconds[2] / seconds[0]:.2f} times encode_batch_fast')
