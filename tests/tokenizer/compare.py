#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokenizes 100,000 lines with the library and with PyPI's tokenizers: ids, spans, types and special tokens are the same, with every
tokenizer.json of fixtures/ and with the vocabularies of real models that PyPI has; and a few texts with generated files. TAP.

usage: compare.py ROOT TOKENIZE_TEXTS [FOLDER...]      with folders: these only; with a number: so many generated files only

The lines are those of the corpora that lie beside the project, in ../shared/data (or $ALCORE_SHARED_DATA), and no part of it, and
generated ones: lines of every script of Unicode, lines put together from the texts of the fixtures, and code points drawn from
all. Without the corpora there are more generated ones. The seed is ALCORE_TEST_SEED."""
import glob
import itertools
import json
import lzma
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import unicodedata

root, program = (os.path.abspath(path) for path in sys.argv[1:3])
here = os.path.join(root, 'tests', 'tokenizer')
for folder in (os.path.join(root, 'tests', 'bench'), os.path.join(root, 'tests', 'tools'), here):
    sys.path.insert(0, folder)
import peers  # noqa: E402

failed = peers.enter(root, os.path.join('tests', 'tokenizer', 'peers.txt'), 'tokenizer-venv')
if failed:
    print('1..0 # SKIP ' + failed)
    sys.exit(0)
import numpy as np  # noqa: E402
import tokenizers  # noqa: E402
from tap import Tap  # noqa: E402

import generated_configs  # noqa: E402
from avoided_characters import AVOIDED  # noqa: E402
import real_vocabularies  # noqa: E402

LINES = 100000
FILES = 300  # generated ones
OURS_ALONE = 5000  # lines of each generated kind
SHOWN = 5
shared = os.environ.get('ALCORE_SHARED_DATA') or os.path.join(root, os.pardir, 'shared', 'data')
seed = int(os.environ.get('ALCORE_TEST_SEED', '1'))
generator = random.Random(seed)
tap = Tap()

# ---- lines ----


def corpus_lines():
    """All kinds of files in turn, so that each language has its part."""
    def texts(path):
        with lzma.open(path, 'rt', encoding='utf-8', newline='\n') as file:
            head = next(file).rstrip('\n').split('\t')
            columns = [i for i, name in enumerate(head) if name not in ('id', 'split', 'group', 'package', 'lang', 'label', 'upos', 'answer',
                                                                        'answer_start')]
            for line in file:
                fields = line.rstrip('\n').split('\t')
                yield from (fields[i] for i in columns)

    sources = [texts(path) for path in sorted(glob.glob(os.path.join(shared, '*', '*.tsv.xz')))]
    while sources:
        left = []
        for source in sources:
            part = list(itertools.islice(source, 8))
            yield from part
            if len(part) == 8:
                left.append(source)
        sources = left


def by_script():
    """{script: its code points that are assigned}: the first word of the names of letters and marks."""
    out = {}
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        if unicodedata.category(char)[0] in 'LMN':
            script = unicodedata.name(char, '?').split(' ')[0].split('-')[0]
            out.setdefault(script, []).append(char)
    return {script: chars for script, chars in out.items() if len(chars) >= 10}


def script_line(chars):
    words = (''.join(generator.choices(chars, k=generator.randint(1, 9))) for _ in range(generator.randint(1, 8)))
    return generator.choice((' ', ' ', ' ', '  ', '', '\u00a0', '. ', ', ')).join(words)


def any_char():
    while True:
        code = generator.randrange(generator.choice((0x80, 0x300, 0x3000, 0x10000, 0x20000, 0x110000)))
        if not 0xD800 <= code < 0xE000:
            return chr(code)


def given_texts():
    with open(os.path.join(here, 'fixtures', 'texts.json'), encoding='utf-8') as file:
        return json.load(file)


def generated_lines(scripts):
    names, given = sorted(scripts), given_texts()
    kinds = [lambda: script_line(scripts[generator.choice(names)]),
             lambda: ''.join(generator.choices(given, k=generator.randint(1, 4))),
             lambda: ''.join(any_char() for _ in range(generator.randint(0, 30))),
             lambda: ''.join(generator.choices("abcdeABCDE  \t\n.,'-_#01é\u0301\u00a0\u200b中👍", k=generator.randint(0, 40)))]
    while True:
        yield from (''.join(char for char in kind() if char not in AVOIDED) for kind in kinds)


scripts = by_script()
lines = list(itertools.islice(corpus_lines(), LINES)) if os.path.isdir(shared) else []
generated = max(4 * OURS_ALONE, LINES - len(lines))
lines += itertools.islice(generated_lines(scripts), generated)
seen = set()
for char in set(''.join(lines[:-generated])):
    if unicodedata.category(char)[0] == 'L':
        seen.add(unicodedata.name(char, '?').split(' ')[0])
print(f'# {len(lines) - generated:,} lines of corpora in {len(seen)} scripts, {generated:,} generated ones in {len(scripts)}; seed {seed}')

NAME = '100,000 lines in at least 20 scripts are those of the corpora'
if os.path.isdir(shared):
    tap.check(len(lines) - generated == LINES and len(seen) >= 20, NAME, f'{len(lines) - generated:,} lines, {sorted(seen)}')
else:
    tap.skip(NAME, f'no {shared}')

# ---- what both make of them ----


class Lines:
    """Texts as tokenize_texts reads them, and where their characters are."""

    def __init__(self, lines):
        self.lines = lines
        data = [line.encode('utf-8') for line in lines]
        self.packed = np.int64(len(data)).tobytes() + np.array([len(one) for one in data], dtype=np.int64).tobytes() + b''.join(data)
        # The byte at which each character of each line begins, and the length of the line.
        starts, self.first = [], [0]
        for line in lines:
            codes = np.frombuffer(line.encode('utf-32-le'), dtype=np.uint32)
            starts.append(np.concatenate([[0], np.cumsum(1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000))]))
            self.first.append(self.first[-1] + len(codes) + 1)
        self.starts = np.concatenate(starts).astype(np.int64)


PARTS = ('ids', 'spans', 'types', 'special')


def ours(folder, given):
    """Where the tokens of each line begin, and PARTS; or the reason why there are none."""
    run = subprocess.run([program, folder, '2', '0'], input=given.packed, capture_output=True, timeout=600)
    if run.returncode:
        return run.stderr.decode('utf-8', 'replace').strip() or f'status {run.returncode}'
    offsets = np.frombuffer(run.stdout, dtype=np.int64, count=len(given.lines) + 1)
    count, at = int(offsets[-1]), 8 * (len(given.lines) + 1)
    ids, spans, types = (np.frombuffer(run.stdout, dtype=np.int64, count=size * count, offset=at + 8 * count * before)
                         for size, before in ((1, 0), (2, 1), (1, 3)))
    marks = np.frombuffer(run.stdout, dtype=np.uint8, count=count, offset=at + 32 * count)
    return offsets, ids, spans.reshape(count, 2), types, marks & 1


def theirs(folder, given):
    tokenizer = tokenizers.Tokenizer.from_file(os.path.join(folder, 'tokenizer.json'))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    offsets, ids, spans, types, special = [0], [], [], [], []
    for begin in range(0, len(given.lines), 2000):
        for i, one in enumerate(tokenizer.encode_batch(given.lines[begin:begin + 2000]), begin):
            ids += one.ids
            spans.append(given.starts[given.first[i] + np.array(one.offsets, dtype=np.int64).reshape(-1, 2)])
            types += one.type_ids
            special += one.special_tokens_mask
            offsets.append(len(ids))
    return np.array(offsets), np.array(ids), np.concatenate(spans), np.array(types), np.array(special)


def differences(mine, wanted, lines):
    """Lines that describe the first differences; empty: there are none."""
    if len(mine[1]) == len(wanted[1]) and all(np.array_equal(a, b) for a, b in zip(mine, wanted)):
        return []
    wrong, details = 0, []
    for i, line in enumerate(lines):
        parts = [[one[k][one[0][i]:one[0][i + 1]].tolist() for k in range(1, len(PARTS) + 1)] for one in (mine, wanted)]
        if parts[0] != parts[1]:
            wrong += 1
            if len(details) < SHOWN:
                k = next(k for k, name in enumerate(PARTS) if parts[0][k] != parts[1][k])
                details.append(f'{ascii(line)}: {PARTS[k]} {parts[0][k]} where {parts[1][k]} was expected'[:2000])
    return [f'{wrong} lines differ', *details]


def compare(name, folder, given):
    mine = ours(folder, given)
    if isinstance(mine, str):
        tap.check(False, name, mine)
        return
    wanted = theirs(folder, given)
    details = differences(mine, wanted, given.lines)
    tap.check(not details, f'{name}: {len(given.lines):,} lines, {len(wanted[1]):,} tokens', '\n'.join(details))


# ---- generated files ----


def has_empty_token(folder):
    """Whether a token that is sought in normalized text has an empty normalized form. The package then finds it between any two bytes,
    and takes white space for it if `lstrip` or `rstrip` is set, but stops with a panic at a character of several bytes: only files whose
    normalizer leaves none of them would be compared. docs/tokenizers.md tells users of it."""
    tokenizer = tokenizers.Tokenizer.from_file(os.path.join(folder, 'tokenizer.json'))
    normalizer = tokenizer.normalizer
    return normalizer is not None and any(token.normalized and not normalizer.normalize_str(token.content)
                                          for token in tokenizer.get_added_tokens_decoder().values())


def answer(folder, given, out):
    """theirs() to a file, in a process of its own: the package stops at some files with a panic, or never."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        if has_empty_token(folder):
            os._exit(1)
        np.savez(out, *theirs(folder, given))
    except BaseException:  # a panic is none of Exception
        os._exit(1)


def compare_generated(count, given):
    used = refused = 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'theirs.npz')
        for number in range(seed * 1000, seed * 1000 + count):
            with open(os.path.join(folder, 'tokenizer.json'), 'w', encoding='utf-8') as file:
                json.dump(generated_configs.Draw(number).document(), file, ensure_ascii=False)
            child = multiprocessing.get_context('fork').Process(target=answer, args=(folder, given, out))
            child.start()
            child.join(20)
            if child.is_alive():
                child.kill()
                child.join()
            elif child.exitcode == 0:
                mine = ours(folder, given)
                if isinstance(mine, str):
                    refused += 1
                    print(f'# {number}: {mine}'[:300])
                    continue
                with np.load(out) as file:
                    details = differences(mine, [file[f'arr_{i}'] for i in range(5)], given.lines)
                used += 1
                if details:
                    wrong.append('\n'.join([f'generated_configs.Draw({number}).document(): ' + details[0], *details[1:3]]))
    tap.check(used > count / 2 and not wrong, f'{used} generated files ({refused} are not supported): {len(given.lines)} texts each',
              '\n'.join([f'{len(wrong)} differ', *wrong[:SHOWN]]))


wanted = sys.argv[3:]
few = Lines([''.join(char for char in text if char not in AVOIDED) for text in given_texts()] + lines[-400:])
if wanted and wanted[0].isdigit():
    compare_generated(int(wanted[0]), few)
elif wanted:
    everything = Lines(lines)
    for folder in wanted:
        compare(os.path.basename(os.path.normpath(folder)), folder, everything)
else:
    compare_generated(FILES, few)
    everything = Lines(lines)
    for path in sorted(glob.glob(os.path.join(here, 'fixtures', '*', 'tokenizer.json'))):
        compare(os.path.basename(os.path.dirname(path)), os.path.dirname(path), everything)
    found, missing = real_vocabularies.find(root, shared)
    for name, folder in found.items():
        compare(f'{name} (real vocabulary)', folder, everything)
    for reason in missing:
        tap.skip(reason.split(':')[0], reason)
tap.finish()
