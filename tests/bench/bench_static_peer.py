#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Embeddings by static models beside PyPI's model2vec, in turns, on one thread each: the same folders, the same texts, processor time.

  bench_static_peer.py PROJECT BUILD [TEXTS]

The folders are written by model2vec: tables of random numbers, 256 columns, for the vocabularies of real models
(tests/tokenizer/real_vocabularies.py), in float32 and, as distill() writes them, float16; with `weights` once. English and mixed texts
are those of bench_tokenizer_peer.py. Before the race the vectors are compared. Ours is model.embed() of Python, a pool made and the
matrix copied; theirs encode() of a list, in one process and without its threads. float16 costs model2vec more than float32: it is numpy
that adds the halves."""
import os
import statistics
import sys

project, build = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path[:0] = [os.path.join(project, 'tests', 'bench'), os.path.join(project, 'tests', 'tokenizer'), os.path.join(build, 'bindings', 'python')]
os.environ.update(TOKENIZERS_PARALLELISM='false', RAYON_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1',
                  ALCORE_LIBRARY=os.path.join(build, 'lib', 'libalcore.so.1'))
import peers  # noqa: E402

failed = peers.enter(project, os.path.join('tests', 'bench', 'static_peers.txt'), 'static-venv')
if failed:
    print('not run: ' + failed)
    sys.exit(0)
import numpy as np  # noqa: E402
import model2vec  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

import alcore  # noqa: E402
import real_vocabularies  # noqa: E402
from text_corpora import corpora, timed  # noqa: E402

ROUNDS, DIMS = 7, 256
TEXTS = int(sys.argv[3]) if len(sys.argv) > 3 else 20000
shared = os.environ.get('ALCORE_SHARED_DATA') or os.path.join(project, os.pardir, 'shared', 'data')


def folders(vocabularies):
    """{name: folder}: each vocabulary with a table of float32 and of float16, the first with weights too."""
    made = {}
    for name, vocabulary in vocabularies.items():
        for kind in ('float32', 'float16') + (('weights',) if not made else ()):
            folder = made[f'{name} {kind}'] = os.path.join(project, 'build', 'static-models', f'{name}-{kind}')
            if os.path.exists(os.path.join(folder, 'modules.json')):
                continue
            tokenizer, random = Tokenizer.from_file(os.path.join(vocabulary, 'tokenizer.json')), np.random.default_rng(1)
            table = random.standard_normal((tokenizer.get_vocab_size(), DIMS), dtype=np.float32)
            weights = random.random(len(table), dtype=np.float32) if kind == 'weights' else None
            model2vec.StaticModel(table.astype('float16' if kind == 'float16' else 'float32'), tokenizer, weights=weights,
                                  normalize=True).save_pretrained(folder)
    return made


found, missing = real_vocabularies.find(project, shared)
print(f'model2vec {model2vec.__version__}, one thread each, {ROUNDS} rounds in turns; load {os.getloadavg()[0]:.1f}')
for line in missing:
    print('not run:', line)
context = alcore.Context(threads=1)
for kind, texts in corpora(project, shared, TEXTS).items():
    for name, folder in folders(found).items():
        peer, model = model2vec.StaticModel.from_pretrained(folder), alcore.Model.open(folder, context=context)
        wanted, answer = peer.encode(texts, use_multiprocessing=False), model.embed(texts)
        there = ~np.isnan(answer).any(axis=1)  # white space alone is an empty text for a pool
        off = np.abs(answer[there] - wanted[there]).max()
        allowed = 1e-3 if 'float16' in name else 1e-6
        mine, theirs = [], []
        for _ in range(ROUNDS):
            mine.append(timed(lambda: model.embed(texts)))
            theirs.append(timed(lambda: peer.encode(texts, use_multiprocessing=False)))
        ours, other = statistics.median(mine), statistics.median(theirs)
        print(f'{kind} {name}: {len(texts)} texts, {len(texts) - there.sum()} of them empty; '
              f'{"the same vectors" if off <= allowed else "VECTORS DIFFER"}, at most {off:.1e}')
        for title, values, median in zip(('ours', 'model2vec'), (mine, theirs), (ours, other)):
            print(f'  {title:10} {median:7.3f} s ({min(values):.3f} to {max(values):.3f}), {len(texts) / median:9.0f} texts/s')
        print(f'result static_{kind}_{name.replace(" ", "_")} {other / ours:.2f} times')
