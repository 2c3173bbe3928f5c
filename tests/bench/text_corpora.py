# SPDX-License-Identifier: Apache-2.0
"""Texts that benchmarks read, and the processor time that a call takes."""
import glob
import itertools
import lzma
import os
import time


def column(path, name):
    with lzma.open(path, 'rt', encoding='utf-8', newline='\n') as file:
        place = next(file).rstrip('\n').split('\t').index(name)
        for line in file:
            yield line.rstrip('\n').split('\t')[place]


def corpora(project, shared, count):
    """{name: texts}: `count` English sentences, and as many in 22 languages by turns, of the folder `shared`; without it those of
    tests/tokenizer/corpus.txt, again and again."""
    topics = sorted(glob.glob(os.path.join(shared, 'topics', '*.tsv.xz')))
    if not topics:
        with open(os.path.join(project, 'tests', 'tokenizer', 'corpus.txt'), encoding='utf-8') as file:
            lines = file.read().splitlines()
        return {'corpus.txt': list(itertools.islice(itertools.cycle(lines), count))}
    mixed = itertools.chain.from_iterable(zip(*(column(path, 'text') for path in topics)))
    return {'English': list(itertools.islice(column(os.path.join(shared, 'en-de', 'general.tsv.xz'), 'en'), count)),
            'mixed': list(itertools.islice(mixed, count))}


def timed(run):
    begun = time.process_time()
    run()
    return time.process_time() - begun
