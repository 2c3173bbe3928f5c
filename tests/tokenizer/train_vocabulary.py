#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vocabularies that `alcore model vocabulary` trains with the real spm_train: the bytes are those of spm_train by itself, and the
library reads them and cuts every line as sentencepiece does (spm_encode, and PyPI's package where that is installed). TAP.

usage: train_vocabulary.py ROOT ALCORE TOKENIZE_TEXTS"""
import array
import os
import shutil
import subprocess
import sys

ROOT, ALCORE, TOKENIZE = (os.path.abspath(path) for path in sys.argv[1:4])
sys.path.insert(0, os.path.join(ROOT, 'tests', 'tools'))
from tap import Tap  # noqa: E402

if not shutil.which('spm_train') or not shutil.which('spm_encode'):
    print("1..0 # SKIP without Debian's package sentencepiece")
    sys.exit(0)
POOL = os.path.join(ROOT, 'examples', 'data', 'pool.txt')
with open(POOL, encoding='utf-8') as file:
    LINES = file.read().splitlines()
with open(os.path.join(ROOT, 'examples', 'data', 'heldout.tsv'), encoding='utf-8') as file:
    UNSEEN = file.read().splitlines() + ['', ' ', 'Ελληνικά 漢字 😀', 'a\u2581b', 'ﬁ ½ ＡＢＣ', 'x' * 300]
UNKNOWN = 3
SPECIAL = ['<pad>', '<s>', '</s>', '<unk>']


def train(path, *options, expect=0, **environment):
    """Runs the command; the path of the model, or its message where it is to fail."""
    done = subprocess.run([ALCORE, 'model', 'vocabulary', POOL, '--quiet', '--out', path, *options], capture_output=True, text=True,
                          env=dict(os.environ, **environment), timeout=120)
    assert done.returncode == expect, f'exit status {done.returncode}: {done.stderr}'
    return path if expect == 0 else done.stderr


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def ours(model, lines):
    """The ids of each line that the library gives."""
    texts = [line.encode() for line in lines]
    numbers = array.array('q', [len(texts)] + [len(text) for text in texts])
    out = subprocess.run([TOKENIZE, model, '1', '0'], input=numbers.tobytes() + b''.join(texts), capture_output=True, check=True).stdout
    offsets = array.array('q', out[:8 * (len(texts) + 1)])
    ids = array.array('q', out[8 * len(offsets):8 * (len(offsets) + offsets[-1])])
    return [ids[begin:end].tolist() for begin, end in zip(offsets, offsets[1:])]


def theirs(model, lines):
    """The ids of each line that spm_encode gives."""
    out = subprocess.run(['spm_encode', '--model=' + model, '--output_format=id'], input='\n'.join(lines) + '\n', capture_output=True,
                         text=True, check=True).stdout
    return [[int(number) for number in line.split()] for line in out.split('\n')[:-1]]


def pieces(box, model):
    """The pieces of a model, by id."""
    listed = os.path.join(box, 'pieces')
    subprocess.run(['spm_export_vocab', '--model=' + model, '--output=' + listed], check=True, capture_output=True)
    with open(listed, encoding='utf-8') as file:
        return [line.split('\t')[0] for line in file.read().split('\n')[:-1]]


def same_cut(box, options):
    model = train(os.path.join(box, 'one.model'), '--size', '700', *options)
    listed = pieces(box, model)
    assert len(listed) == 700 and listed[:4] == SPECIAL, listed[:10]
    for lines in LINES, UNSEEN:
        for line, mine, other in zip(lines, ours(model, lines), theirs(model, lines), strict=True):
            assert mine == other, f'{line!r}: {mine} instead of {other}'
    again = train(os.path.join(box, 'two.model'), '--size', '700', *options, TMPDIR=box)
    assert read(model) == read(again), 'a second training gives other bytes'


def unigram_cuts_as_sentencepiece(box):
    same_cut(box, [])


def byte_pairs_cut_as_sentencepiece(box):
    same_cut(box, ['--kind', 'bpe'])


def bytes_for_characters_cut_as_sentencepiece(box):
    same_cut(box, ['--byte-fallback', '--coverage', '0.98'])


def the_bytes_are_those_of_spm_train(box):
    model = train(os.path.join(box, 'one.model'), '--size', '500')
    shutil.copy(POOL, os.path.join(box, 'texts'))
    subprocess.run(['spm_train', '--input=texts', '--model_prefix=out', '--model_type=unigram', '--vocab_size=500',
                    '--character_coverage=0.9995', '--pad_id=0', '--bos_id=1', '--eos_id=2', '--unk_id=3',
                    '--max_sentence_length=1073741824'], cwd=box, check=True, capture_output=True)
    assert read(model) == read(os.path.join(box, 'out.model'))


def coverage_decides_which_characters_are_known(box):
    unknown = {}
    for coverage in '1', '0.98':
        model = train(os.path.join(box, 'one.model'), '--size', '700', '--coverage', coverage)
        unknown[coverage] = sum(line.count(UNKNOWN) for line in ours(model, LINES))
    assert unknown['1'] == 0 < unknown['0.98'], unknown
    model = train(os.path.join(box, 'one.model'), '--size', '700', '--coverage', '0.98', '--byte-fallback')
    assert not any(UNKNOWN in line for line in ours(model, LINES + UNSEEN))


def max_texts_follows_the_seed(box):
    models = [read(train(os.path.join(box, 'one.model'), '--size', '300', '--max-texts', '400', '--seed', seed)) for seed in '112']
    assert models[0] == models[1] != models[2]
    assert models[0] != read(train(os.path.join(box, 'one.model'), '--size', '300'))


def what_cannot_be_trained(box):
    path = os.path.join(box, 'one.model')
    assert 'Vocabulary size too high (90000)' in train(path, '--size', '90000', expect=3)
    assert 'Vocabulary size is smaller than required_chars' in train(path, '--size', '10', expect=3)
    assert 'the package sentencepiece' in train(path, PATH=box, expect=6)
    assert os.listdir(box) == [], os.listdir(box)


def pypi_cuts_the_same(box):
    for kind in 'unigram', 'bpe':
        model = train(os.path.join(box, 'one.model'), '--size', '700', '--kind', kind)
        processor = sentencepiece.SentencePieceProcessor(model_file=model)
        assert processor.encode(LINES + UNSEEN) == ours(model, LINES + UNSEEN), kind


tap = Tap()
tap.run([unigram_cuts_as_sentencepiece, byte_pairs_cut_as_sentencepiece, bytes_for_characters_cut_as_sentencepiece,
         the_bytes_are_those_of_spm_train, coverage_decides_which_characters_are_known, max_texts_follows_the_seed,
         what_cannot_be_trained])
try:
    import sentencepiece
    tap.run([pypi_cuts_the_same])
except ImportError:
    tap.skip('pypi_cuts_the_same', "without PyPI's sentencepiece")
tap.finish()
