#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models on a device beside the CPU, and how fast they are there.

  compare_models.py FIXTURES [--device cuda] [--library OTHER-DEVICE.so] [--part 2/5] [--speed PAIRS.tsv [--try-out]]

FIXTURES: tests/torch/fixtures, a folder of random weights for each family. Each of them embeds, scores and translates the
same texts on the CPU and on the device in float32: embeddings agree to 1e-5, log-probabilities to 1e-4, outputs are equal. A
training of three updates from the same seed agrees in its loss. --library is loaded first; it may bring a kind of device of
its own (tests/torch/other_device.cpp). --part: every fifth model, from the third on; 0/0: none. --speed: also a translation
model of 20 million parameters, trained from scratch on the device, in tokens a second and operations a second (6 operations a
parameter and token), and the embedding of its texts; --try-out: with little work, to see that the script runs. The exit
status is 77 where this torch has no such device, else 1 when something differs."""
import argparse
import ctypes
import json
import os
import shutil
import string
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('fixtures')
parser.add_argument('--device', default='cuda')
parser.add_argument('--library')
parser.add_argument('--part', default='0/1')
parser.add_argument('--speed')
parser.add_argument('--try-out', action='store_true')
arguments = parser.parse_args()
if arguments.library:
    ctypes.CDLL(arguments.library, ctypes.RTLD_GLOBAL)
try:
    import torch  # noqa: E402,F401  (the engine then uses this copy)
except ImportError:
    pass
import alcore  # noqa: E402

LETTERS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'] + list(string.ascii_lowercase) + ['##' + letter for letter in string.ascii_lowercase]
TEXTS = ['a patient with fever', 'no fever', 'severe headache today', 'headache', 'he sleeps', 'she sleeps well', 'a cough']
TARGETS = ['ein patient', 'kein fieber', 'kopfweh', 'kopfweh', 'er', 'sie', 'husten']
# 20 million parameters.
LARGE = {'model_type': 'alcore_transformer', 'random_seed': 1, 'vocab_size': 8000, 'd_model': 384, 'encoder_layers': 5, 'decoder_layers': 5,
         'encoder_attention_heads': 6, 'decoder_attention_heads': 6, 'encoder_ffn_dim': 1024, 'decoder_ffn_dim': 1024,
         'max_position_embeddings': 512, 'dropout': 0.1, 'pad_token_id': 0, 'decoder_start_token_id': 2, 'eos_token_id': 3}
failures = []


def with_letters(path):
    """Gives the folder a vocabulary of letters, so that it reads texts."""
    with open(os.path.join(path, 'vocab.txt'), 'w', encoding='utf-8') as file:
        file.writelines(token + '\n' for token in LETTERS)
    return path


def check(name, agree):
    if not agree:
        failures.append(name)
        print('DIFFERS: ' + name)


def close(one, other, tolerance):
    """Whether two lists of lists of numbers agree; NaN agrees with NaN."""
    return len(one) == len(other) and all(
        len(a) == len(b) and all(abs(x - y) <= tolerance * (1 + abs(x)) for x, y in zip(a, b)) for a, b in zip(one, other))


def compare(folder, name):
    models = [alcore.Model.open(folder, device=device, dtype='float32') for device in ('cpu', arguments.device)]
    check(name + ': device', models[1].info['device'].split(':')[0] == arguments.device.split(':')[0])
    rows = [model.embed(TEXTS).tolist() for model in models]
    check(name + ': embeddings', close(*rows, 1e-5))
    if not models[0].can('logprobs'):
        return
    check(name + ': log-probabilities', close(*[[list(row) for row in model.score(TEXTS, TARGETS)] for model in models], 1e-4))
    check(name + ': outputs', models[0].translate(TEXTS, beams=2, max_tokens=8) == models[1].translate(TEXTS, beams=2, max_tokens=8))
    if not models[0].info['trains']:  # language models of a decoder alone
        return
    losses = []
    for model in models:
        with alcore.Pool(TEXTS, references=TARGETS, dedup='none', context=model.context) as pool:
            losses.append(model.train(pool, rate=1e-3, updates=3, seed=1)['loss'])
    # Dropout draws on the device, so that only a loss without it would be equal.
    check(name + ': losses %.6g and %.6g' % tuple(losses), abs(losses[0] - losses[1]) < 0.2 * abs(losses[0]))


def speed(box):
    with open(arguments.speed, encoding='utf-8') as file:
        rows = [line.rstrip('\n').split('\t')[1:3] for line in file][1:]
    updates, tokens = 30, 16384
    if arguments.try_out:
        rows, updates, tokens = rows[:20], 1, 512
    sources, targets = [row[0].lower() for row in rows], [row[1].lower() for row in rows]
    folder = os.path.join(box, 'large')
    os.makedirs(folder)
    with open(os.path.join(folder, 'config.json'), 'w', encoding='utf-8') as file:
        json.dump(LARGE, file)
    model = alcore.Model.open(with_letters(folder), device=arguments.device, dtype='float32')
    parameters = model.info['description']['parameters']
    with alcore.Pool(sources, references=targets, dedup='none', context=model.context) as pool:
        for products in ('float32', 'bfloat16'):
            model.train(pool, updates=1, batch_tokens=tokens, precision=products)  # the first call loads kernels
            done = model.train(pool, updates=updates, batch_tokens=tokens, precision=products)
            rate = done['tokens'] / done['seconds']
            print(f'training, {parameters / 1e6:.1f} million parameters, products in {products}: {rate:,.0f} tokens/s, '
                  f'{6 * parameters * rate / 1e12:.2f} Tflop/s')
    model.embed(sources[:100])
    begun = time.monotonic()
    model.embed(sources)
    print(f'embedding: {len(sources) / (time.monotonic() - begun):,.0f} texts/s of {sum(map(len, sources)) / len(sources):.0f} letters')


def main():
    with tempfile.TemporaryDirectory() as box:
        part, parts = map(int, arguments.part.split('/'))
        names = sorted(os.listdir(arguments.fixtures))
        try:
            alcore.Model.open(os.path.join(arguments.fixtures, names[0]), device=arguments.device)
        except alcore.Error as error:
            print(error)
            return 77
        names = names[part::parts] if parts else []
        for name in names:
            shutil.copytree(os.path.join(arguments.fixtures, name), os.path.join(box, name))
            compare(with_letters(os.path.join(box, name)), name)
        print(f'{len(names)} models on {arguments.device}: {len(failures)} differences')
        if arguments.speed:
            speed(box)
    return 1 if failures else 0


sys.exit(main())
