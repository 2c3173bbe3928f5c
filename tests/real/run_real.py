#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job at real size: an IT corpus of 226,621 sentences, general text as the labeled side, 10,000 words; and
the language model and the pool at the sizes that are promised. Each case says what was measured.

  run_real.py PROJECT REAL_COLUMNS BENCH_LM BENCH_LOAD      $ALCORE: the command

The corpus lies beside the project, in ../shared/data (or $ALCORE_SHARED_DATA), and is no part of it."""
import lzma
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, 'tools'))
from tap import Tap  # noqa: E402

MOST_SECONDS = 60
ROWS = 226621
GIB = 1 << 30
ALCORE = os.environ.get('ALCORE', 'alcore')
project, real_columns, bench_lm, bench_load = (os.path.abspath(path) for path in sys.argv[1:5])
data = os.environ.get('ALCORE_SHARED_DATA') or os.path.join(project, os.pardir, 'shared', 'data')
tap = Tap()


class Run:
    """One program: what it printed, wall seconds and peak memory."""

    def __init__(self, *command):
        begun = time.monotonic()
        with tempfile.TemporaryFile('w+', encoding='utf-8') as output, \
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT) as child:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            self.text = output.read()
        self.seconds = time.monotonic() - begun
        self.bytes = usage.ru_maxrss * 1024
        self.good = child.returncode == 0
        self.measured = f'{self.seconds:.1f} s, {self.bytes / GIB:.2f} GiB'


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def unpack(name, folder):
    """Writes the train rows of a corpus; returns the file and its rows."""
    path, rows = os.path.join(folder, name + '.tsv'), 0
    with lzma.open(os.path.join(data, 'en-de', name + '.tsv.xz'), 'rt', encoding='utf-8', newline='\n') as lines, \
            open(path, 'w', encoding='utf-8', newline='\n') as out:
        out.write(next(lines))
        for line in lines:
            if line.split('\t', 2)[1] == 'train':
                out.write(line)
                rows += 1
    return path, rows


def corpus(folder):
    pool, rows = unpack('it', folder)
    labeled, _ = unpack('general', folder)
    tap.check(rows == ROWS, f'corpus: {rows:,} candidates', f'{ROWS:,} were expected')
    given = {column: os.path.join(folder, column + suffix) for column, suffix in
             (('logprobs', '.lp'), ('embeddings', '.npy'), ('scores', '.npy'))}

    def select(name, *options):
        out = os.path.join(folder, name + '.tsv')
        run = Run(ALCORE, 'select', pool, '--text-column', 'en', '--labeled', labeled, '--budget', '10000w',
                  *([] if '--strategy' in options else ['--strategy', 'huds']), '--quiet', '--out', out, *options)
        return run, read(out) if run.good else b''

    run, first = select('first', '--threads', '2')
    tap.check(run.good and first.count(b'\n') > 100 and run.seconds <= MOST_SECONDS and run.bytes <= 1.5 * GIB,
              f'corpus: select within {MOST_SECONDS} s and 1.5 GiB ({run.measured}, {first.count(10) - 1} items)', run.text)
    for name, threads in (('a second run', '2'), ('1 thread', '1'), ('8 threads', '8')):
        run, again = select('again', '--threads', threads)
        tap.check(again == first and first, f'corpus: the same bytes from {name} ({run.measured})', run.text)

    for column in ('logprobs', 'embeddings'):
        run = Run(real_columns, pool, labeled, column, given[column])
        tap.check(run.good, f'corpus: the column {column} as a file ({run.measured})', run.text)
    run, again = select('given', '--logprobs', given['logprobs'], '--embeddings', given['embeddings'])
    tap.check(first and without_words(again) == without_words(first),
              f'corpus: the same picks, record and reasons from columns in files ({run.measured})', run.text)

    run = Run(ALCORE, 'score', pool, '--text-column', 'en', '--labeled', labeled, '--scorer', 'nnll', '--quiet',
              '--out', given['scores'])
    tap.check(run.good, f'corpus: nnll of every row as a file ({run.measured})', run.text)
    run, first = select('nnll', '--strategy', 'nnll')
    tap.check(first.count(b'\n') > 100, f'corpus: select by nnll ({run.measured})', run.text)
    run, again = select('nnll-scores', '--strategy', 'nnll', '--scores', given['scores'])
    tap.check(first and picks(again) == picks(first),
              f'corpus: the same picks from scores in a file ({run.measured})', run.text)


def without_words(selection):
    """A selection less its rare words: tokens of a file are not known to be words."""
    return re.sub(rb'; rare words: [^\t]*', b'', selection)


def picks(selection):
    """Rank, index, id, score and cost: reasons need more than scores."""
    return [line.split(b'\t')[:5] for line in selection.splitlines()]


def sizes():
    run = Run(bench_lm, '1000000')
    trained = re.search(r'^train ([0-9.]+) s', run.text, re.MULTILINE)
    seconds = float(trained.group(1)) if trained else MOST_SECONDS
    tap.check(run.good and seconds < MOST_SECONDS and run.bytes < 2 * GIB,
              f'language model of 1,000,000 sentences within {MOST_SECONDS} s and 2 GiB '
              f'({seconds:.1f} s, {run.bytes / GIB:.2f} GiB)', run.text)
    run = Run(bench_load, '10000000', '100', 'exact')
    tap.check(run.good and run.bytes <= 3 * GIB, f'pool of 10,000,000 sentences of 100 bytes within 3 GiB '
              f'({run.bytes / GIB:.2f} GiB)', run.text)


if os.path.exists(os.path.join(data, 'en-de', 'it.tsv.xz')):
    with tempfile.TemporaryDirectory() as directory:
        corpus(directory)
else:
    tap.skip('corpus', f'no {data}')
sizes()
tap.finish()
