#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training a translation model of 3 million parameters from scratch, beside a twin that is a plain PyTorch loop.

  bench_train_peer.py PROJECT LIBRARY-FOLDER [CORPUS.tsv.xz] [--updates N] [--warmup N] [--dev ROWS] [--rounds N] [--folder NEW]

Both begin with the same weights, those that the library draws, and read the same pairs as ids of one sentencepiece vocabulary. The
twin has packed projections, torch's fused attention and fused AdamW, and pads batches of pairs of about the same length; a batch is
cut by the same number of real tokens, so that both read as many tokens an update. Its loss before the training must be ours.

Speed is measured `rounds` times in turns, some updates of each on the same pairs, in tokens a processor second of one thread. Then both
train at the same time as processes of one thread each, so that whatever else the machine does hits both alike. Quality is measured on the dev rows: cross-entropy without smoothing, and BLEU of greedy outputs by
our metric and by sacreBLEU. The outputs of both are decoded by the library, which reads the twin's weights from a folder.

The corpus has the columns split (train, dev), en and de; without one examples/data/labeled.tsv serves many times."""
import argparse
import contextlib
import itertools
import json
import lzma
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument('project')
parser.add_argument('library')
parser.add_argument('corpus', nargs='?')
parser.add_argument('--updates', type=int, default=600)
parser.add_argument('--warmup', type=int, default=150)
parser.add_argument('--dev', type=int, default=3000, help='rows that the models are measured on')
parser.add_argument('--rounds', type=int, default=5)
parser.add_argument('--folder', help='a new folder that keeps both trained models (ours, twin); without it nothing is kept')
parser.add_argument('--child', nargs=4, metavar=('WHO', 'UPDATES', 'BOX', 'PAIRS'), help='of the program itself')
arguments = parser.parse_args()
project, library = (os.path.abspath(path) for path in (arguments.project, arguments.library))
sys.path[:0] = [os.path.join(project, 'tests', 'bench'), os.path.join(library, '..', 'bindings', 'python')]
os.environ['ALCORE_LIBRARY'] = os.path.join(library, 'libalcore.so.1')
import peers  # noqa: E402

failed = peers.enter_models(project)
if failed:
    print('not run: ' + failed)
    sys.exit(0)
import numpy as np  # noqa: E402
import torch  # noqa: E402  (before alcore opens a model, which then uses this copy)
import torch.nn.functional as F  # noqa: E402

import alcore  # noqa: E402

WIDTH, INNER, HEADS, LAYERS, PIECES, LONGEST = 192, 768, 6, 2, 5000, 120
PAD, START, END = 0, 1, 2
DROPOUT, SMOOTHING, CLIP, BATCH, BETAS = 0.1, 0.1, 1.0, 2000, (0.9, 0.98)
RATE, WARMUP, SEED = 3e-3, arguments.warmup, 1
ALONE = 20  # updates of each when the speeds are compared
CONFIG = {'model_type': 'alcore_transformer', 'random_seed': SEED, 'vocab_size': PIECES, 'd_model': WIDTH, 'encoder_layers': LAYERS,
          'decoder_layers': LAYERS, 'encoder_attention_heads': HEADS, 'decoder_attention_heads': HEADS, 'encoder_ffn_dim': INNER,
          'decoder_ffn_dim': INNER, 'max_position_embeddings': LONGEST + 8, 'activation_function': 'relu', 'scale_embedding': True,
          'dropout': DROPOUT, 'pad_token_id': PAD, 'decoder_start_token_id': START, 'eos_token_id': END}


# ---- the twin ----

class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inside, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x, memory=None, mask=None, causal=False):
        if memory is None:
            q, k, v = self.inside(x).chunk(3, -1)
        else:
            weight, bias = self.inside.weight, self.inside.bias
            q = F.linear(x, weight[:WIDTH], bias[:WIDTH])
            k, v = F.linear(memory, weight[WIDTH:], bias[WIDTH:]).chunk(2, -1)
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in (q, k, v))
        return self.out(F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal).transpose(1, 2).flatten(2))


class Block(torch.nn.Module):
    def __init__(self, decodes):
        super().__init__()
        self.self_attn, self.encoder_attn = Attention(), Attention() if decodes else None
        self.fc1, self.fc2 = torch.nn.Linear(WIDTH, INNER), torch.nn.Linear(INNER, WIDTH)
        self.self_attn_layer_norm, self.final_layer_norm = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.encoder_attn_layer_norm = torch.nn.LayerNorm(WIDTH) if decodes else None
        self.drop = torch.nn.Dropout(DROPOUT)

    def forward(self, x, mask=None, memory=None):
        x = x + self.drop(self.self_attn(self.self_attn_layer_norm(x), mask=None if memory is not None else mask, causal=memory is not None))
        if memory is not None:
            x = x + self.drop(self.encoder_attn(self.encoder_attn_layer_norm(x), memory, mask))
        return x + self.drop(self.fc2(F.relu(self.fc1(self.final_layer_norm(x)))))


class Twin(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = torch.nn.Embedding(PIECES, WIDTH, padding_idx=PAD)
        self.encoder = torch.nn.ModuleList(Block(False) for _ in range(LAYERS))
        self.decoder = torch.nn.ModuleList(Block(True) for _ in range(LAYERS))
        self.encoder_norm, self.decoder_norm = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.drop = torch.nn.Dropout(DROPOUT)
        angle = torch.arange(LONGEST + 8)[:, None] / 10000 ** (torch.arange(0, WIDTH, 2) / WIDTH)
        self.register_buffer('positions', torch.cat([angle.sin(), angle.cos()], 1), persistent=False)

    def enter(self, ids):
        return self.drop(self.shared(ids) * math.sqrt(WIDTH) + self.positions[:ids.shape[1]])

    def forward(self, source, target):
        """Logits [pairs, tokens, PIECES] of each token of the target."""
        real = (source != PAD)[:, None, None, :]
        x, y = self.enter(source), self.enter(F.pad(target[:, :-1], (1, 0), value=START))
        for block in self.encoder:
            x = block(x, real)
        x = self.encoder_norm(x)
        for block in self.decoder:
            y = block(y, real, x)
        return F.linear(self.decoder_norm(y), self.shared.weight)

    def names(self):
        """The tensors of the twin by the names of the library's folders; query, key and value are three there."""
        for name, tensor in self.state_dict().items():
            parts = name.split('.')
            if parts[0] in ('encoder', 'decoder'):
                parts.insert(1, 'layers')
            elif parts[0].endswith('_norm'):
                parts[:1] = [parts[0][:-len('_norm')], 'layer_norm']
            if 'inside' not in parts:
                yield '.'.join(['model', *parts]).replace('_attn.out.', '_attn.out_proj.'), tensor
                continue
            for which, rows in zip('qkv', tensor.chunk(3)):
                yield '.'.join(['model', *parts]).replace('inside', which + '_proj'), rows


def read_weights(path):
    with open(path, 'rb') as file:
        entries = json.loads(file.read(struct.unpack('<Q', file.read(8))[0]))
        start = file.tell()
        for name, entry in entries.items():
            if name != '__metadata__':
                first, last = entry['data_offsets']
                file.seek(start + first)
                yield name, torch.frombuffer(bytearray(file.read(last - first)), dtype=torch.float32).reshape(entry['shape'])


def write_weights(path, named):
    entries, place = {}, 0
    for name, tensor in named.items():
        entries[name] = {'dtype': 'F32', 'shape': list(tensor.shape), 'data_offsets': [place, place + 4 * tensor.numel()]}
        place += 4 * tensor.numel()
    header = json.dumps(entries).encode()
    header += b' ' * (-len(header) % 8)
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(header)) + header)
        for tensor in named.values():
            file.write(tensor.contiguous().numpy().tobytes())


def twin_of(folder):
    twin, given = Twin(), dict(read_weights(os.path.join(folder, 'model.safetensors')))
    with torch.no_grad():
        for name, tensor in twin.names():
            tensor.copy_(given.pop(name))
    assert not given, given.keys()
    return twin


def padded(rows):
    wide = max(map(len, rows))
    return torch.tensor([row + [PAD] * (wide - len(row)) for row in rows])


def passes(pairs, draw):
    """Batches of an epoch: shuffled, in windows of 32 batches sorted by length, and cut by tokens, as the library does it."""
    order = draw.sample(pairs, len(pairs))
    while order:
        tokens, count = 0, 0
        while count < len(order) and tokens < 32 * BATCH:
            tokens += sum(map(len, order[count]))
            count += 1
        window, order = sorted(order[:count], key=lambda pair: (len(pair[0]), len(pair[1]))), order[count:]
        batches, room = [], 0
        for pair in window:
            room -= len(pair[0]) + len(pair[1])
            if room < 0:
                batches.append([])
                room = BATCH - len(pair[0]) - len(pair[1])
            batches[-1].append(pair)
        draw.shuffle(batches)
        yield from batches


def rate_of(update):
    return RATE * min(update / WARMUP, math.sqrt(WARMUP / update))


def train_twin(twin, pairs, updates, draw):
    """Tokens read."""
    optimizer = torch.optim.AdamW(twin.parameters(), lr=RATE, betas=BETAS, eps=1e-8, weight_decay=0, fused=True)
    twin.train()
    tokens, update = 0, 0
    while update < updates:
        for batch in passes(pairs, draw):
            update += 1
            source, target = (padded(side) for side in zip(*batch))
            logits = twin(source, target)
            loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD, label_smoothing=SMOOTHING)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(twin.parameters(), CLIP)
            optimizer.param_groups[0]['lr'] = rate_of(update)
            optimizer.step()
            tokens += sum(len(side) for pair in batch for side in pair)
            if update == updates:
                break
    return tokens


def loss_of(twin, pairs):
    """Cross-entropy, a mean over the tokens of all targets."""
    twin.eval()
    total, tokens = 0.0, 0
    with torch.inference_mode():
        order = sorted(pairs, key=lambda pair: len(pair[0]))
        for first in range(0, len(order), 32):
            source, target = (padded(side) for side in zip(*order[first:first + 32]))
            total += float(F.cross_entropy(twin(source, target).flatten(0, 1), target.flatten(), ignore_index=PAD, reduction='sum'))
            tokens += int((target != PAD).sum())
    return total / tokens


# ---- both ----

def ours_train(model, texts, targets, updates):
    with alcore.Pool(texts, references=targets, dedup='none', context=model.context) as pool:
        return model.train(pool, rate=RATE, clip=CLIP, label_smoothing=SMOOTHING, updates=updates, warmup=WARMUP, batch_tokens=BATCH,
                           schedule='inverse_sqrt', seed=SEED, beta1=BETAS[0], beta2=BETAS[1])['tokens']


def ours_loss(model, texts, targets):
    values = model.score(texts, targets)
    return -sum(map(sum, values)) / sum(map(len, values))


def child(who, updates, box, name):
    """Trains one of the two on a file of pairs and writes its folder."""
    with open(os.path.join(box, name), encoding='utf-8') as file:
        texts, targets, pairs = json.load(file)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    first, folder = os.path.join(box, 'first'), os.path.join(box, who)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(first, folder)
    trained = twin_of(first) if who == 'twin' else alcore.Model.open(first, context=alcore.Context(threads=1, progress=False))
    wall, cpu = time.monotonic(), time.process_time()
    tokens = train_twin(trained, pairs, updates, random.Random(SEED)) if who == 'twin' else ours_train(trained, texts, targets, updates)
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    if who == 'twin':
        write_weights(os.path.join(folder, 'model.safetensors'), {name: tensor.detach() for name, tensor in trained.names()})
    else:
        trained.save(folder)
    print(json.dumps([tokens, wall, cpu]))


def run_child(who, updates, box, name):
    return subprocess.Popen([sys.executable, *sys.argv, '--child', who, str(updates), box, name], stdout=subprocess.PIPE, text=True,
                            env={**os.environ, 'OMP_NUM_THREADS': '1', 'MKL_NUM_THREADS': '1'})


def result_of(process):
    out = process.communicate()[0]
    if process.returncode:
        sys.exit(f'a training ended with {process.returncode}')
    return json.loads(out.splitlines()[-1])


def rows_of(path):
    """(train, dev): lists of pairs of texts."""
    if path:
        with (lzma.open if path.endswith('.xz') else open)(path, 'rt', encoding='utf-8', newline='\n') as file:
            names = next(file).rstrip('\n').split('\t')
            rows = [dict(zip(names, line.rstrip('\n').split('\t'))) for line in file]
        return tuple([(row['en'], row['de']) for row in rows if row['split'] == split and row['en'] and row['de']] for split in ('train', 'dev'))
    with open(os.path.join(project, 'examples', 'data', 'labeled.tsv'), encoding='utf-8') as file:
        rows = [tuple(line.rstrip('\n').split('\t')[:2]) for line in file][1:]
    return list(itertools.islice(itertools.cycle(rows[100:]), 20000)), rows[:100]


def prepare(train, dev, box):
    """Writes the first folder and the training's pairs of at most LONGEST tokens a side; gives the pairs of ids of dev."""
    import sentencepiece
    folder, text = os.path.join(box, 'fresh'), os.path.join(box, 'both.txt')
    os.makedirs(folder)
    with open(text, 'w', encoding='utf-8') as file:
        file.writelines(side + '\n' for pair in train for side in pair)
    sentencepiece.SentencePieceTrainer.train(input=text, model_prefix=os.path.join(folder, 'spiece'), vocab_size=PIECES, minloglevel=2, pad_id=PAD,
                                             bos_id=START, eos_id=END, unk_id=3, num_threads=1, input_sentence_size=20000,
                                             shuffle_input_sentence=True)
    with open(os.path.join(folder, 'config.json'), 'w', encoding='utf-8') as file:
        json.dump(CONFIG, file)
    tokenizer = alcore.Tokenizer(folder)

    def encode(pairs):
        return list(zip(*(map(list, tokenizer.encode(side)) for side in zip(*pairs))))

    chosen = [(pair, own) for pair, own in zip(train, encode(train)) if max(map(len, own)) <= LONGEST]
    for name, some in (('pairs.json', chosen), ('some.json', random.Random(SEED).sample(chosen, min(2000, len(chosen))))):
        with open(os.path.join(box, name), 'w', encoding='utf-8') as file:
            json.dump([*zip(*(pair for pair, _ in some)), [ids for _, ids in some]], file)
    model = alcore.Model.open(folder)
    model.save(os.path.join(box, 'first'))
    print(f'{len(chosen)} pairs, {sum(len(side) for _, own in chosen for side in own)} tokens; '
          f'{model.info["description"]["parameters"]} parameters')
    own = encode(dev)
    kept = [i for i in range(len(dev)) if max(map(len, own[i])) <= LONGEST]
    return [dev[i] for i in kept], [own[i] for i in kept]


def main():
    import sacrebleu
    train, dev = rows_of(arguments.corpus)
    updates = arguments.updates
    print(f'one thread each, {updates} updates of up to {BATCH} tokens, load {os.getloadavg()[0]:.1f}')
    with contextlib.ExitStack() as stack:
        if arguments.folder:
            os.makedirs(arguments.folder)
        box = arguments.folder or stack.enter_context(tempfile.TemporaryDirectory())
        dev, own = prepare(train, dev[:arguments.dev], box)
        texts, targets = map(list, zip(*dev))
        first = os.path.join(box, 'first')
        losses = ours_loss(alcore.Model.open(first), texts[:200], targets[:200]), loss_of(twin_of(first), own[:200])
        print('loss of 200 dev pairs before the training: ours %.6f, the twin %.6f' % losses)
        if abs(losses[0] - losses[1]) > 1e-4:
            sys.exit('the twin is another model')
        speeds = {'ours': [], 'twin': []}
        for _ in range(arguments.rounds):
            for who, seen in speeds.items():
                tokens, _, cpu = result_of(run_child(who, ALONE, box, 'some.json'))
                seen.append(tokens / cpu)
        if arguments.rounds:
            for who, seen in speeds.items():
                print(f'  {who:4} alone, {ALONE} updates in turns: {np.median(seen):.0f} tokens a processor second '
                      f'({min(seen):.0f} to {max(seen):.0f})')
            print(f'result train_beside_pytorch {np.median(speeds["ours"]) / np.median(speeds["twin"]):.2f} times')
        begun = {who: run_child(who, updates, box, 'pairs.json') for who in ('ours', 'twin')}
        took = {who: result_of(process) for who, process in begun.items()}
        for who, (tokens, wall, cpu) in took.items():
            model = alcore.Model.open(os.path.join(box, who))
            outputs = model.translate(texts, beams=1, max_tokens=LONGEST)
            print(f'  {who:4} {tokens} tokens: {tokens / wall:.0f} a second, {tokens / cpu:.0f} a processor second; dev loss '
                  f'{ours_loss(model, texts, targets):.4f}, BLEU {alcore.bleu(outputs, targets).bleu:.2f} '
                  f'(sacreBLEU {sacrebleu.corpus_bleu(outputs, [targets]).score:.2f})')
            print('    ' + outputs[0])


if arguments.child:
    child(arguments.child[0], int(arguments.child[1]), *arguments.child[2:])
else:
    main()
