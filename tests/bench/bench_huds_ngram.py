#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HUDS with the n-gram model and the recommended strategy over the same sentences, by the command: processor seconds, memory and
picks.

  bench_huds_ngram.py PROJECT ALCORE [COPIES [TURNS [OTHER]]]

The sentences are those of the IT corpus (226,621 rows beside the project, as in tests/real) COPIES (20) times: in copy
c > 0 the second half of the words of each sentence comes from the sentence 10,007 c rows further on, so that words and
lengths are real and nearly all sentences differ. The labeled side is the general corpus. What is counted: user and
system seconds of the whole command, reading the pool, training the language model, scoring, embedding, selecting
with the record and the reasons; the largest resident set, which holds the texts of the pool. Each is run by turns TURNS (1) times,
and the medians are printed. HUDS, with a budget of 1,000 rows, runs with the distances of all rows, and with those that the picks
need only (spec 3.10), which must give equal picks and records; with 10,000 words it runs beside the recommended strategy with its
masks and without, and `alcore compare` beside the selections that it compares. OTHER is the command of another build, as of 1.0.0:
HUDS by it takes turns with HUDS by this one, and the ratios are printed; its picks and record must be equal. The floors are programs that only read the file, and only count its words."""
import hashlib
import lzma
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROWS_APART = 10007
project, alcore = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
copies = int(sys.argv[3]) if len(sys.argv) > 3 else 20
turns = int(sys.argv[4]) if len(sys.argv) > 4 else 1
other = sys.argv[5] if len(sys.argv) > 5 else None
data = os.environ.get('ALCORE_SHARED_DATA') or os.path.join(project, os.pardir, 'shared', 'data')


def sentences(name):
    with lzma.open(os.path.join(data, 'en-de', name + '.tsv.xz'), 'rt', encoding='utf-8', newline='\n') as lines:
        column = next(lines).rstrip('\n').split('\t').index('en')
        return [line.rstrip('\n').split('\t')[column] for line in lines if line.split('\t', 2)[1] == 'train']


def write_pool(path):
    rows = [sentence.split(' ') for sentence in sentences('it')]
    with open(path, 'w', encoding='utf-8', newline='\n') as out:
        for copy in range(copies):
            for i, words in enumerate(rows):
                if copy > 0:
                    other = rows[(i + copy * ROWS_APART) % len(rows)]
                    words = words[:(len(words) + 1) // 2] + other[len(other) // 2:]
                out.write(' '.join(words) + '\n')
    return len(rows) * copies


def run(*command):
    """Runs a program: processor seconds, wall seconds and MiB. Its output goes nowhere."""
    begun = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          env={**os.environ, 'LC_ALL': 'C'}) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f'{" ".join(command)} ended with {child.returncode}')
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begun, usage.ru_maxrss / 1024


def tell(name, runs, peak=True):
    """Prints the medians of the runs of a program."""
    for measure, unit, digits, values in zip(('cpu', 'wall', 'peak'), ('s', 's', 'MiB'), (2, 2, 0), zip(*runs)):
        if peak or measure != 'peak':
            print(f'result huds_ngram_{name}_{measure} {statistics.median(values):.{digits}f} {unit}')


if not os.path.exists(os.path.join(data, 'en-de', 'it.tsv.xz')):
    print(f'not run: no {data}')
    sys.exit(0)
with tempfile.TemporaryDirectory() as folder:
    pool, labeled, picks = (os.path.join(folder, name) for name in ('pool.txt', 'labeled.txt', 'picks.'))
    count = write_pool(pool)
    with open(labeled, 'w', encoding='utf-8', newline='\n') as text:
        text.writelines(sentence + '\n' for sentence in sentences('general'))
    print(f'{count:,} sentences, {os.path.getsize(pool) / 1e6:.0f} MB, 2 threads')
    select = (alcore, 'select', pool, '--labeled', labeled, '--threads', '2', '--quiet', '--out')
    huds, rows, words = ('--strategy', 'huds'), ('--budget', '1000'), ('--budget', '10000w')
    everything = ('-p', 'distances=all')
    selections = {'select': (*huds, *rows, *everything), 'select_needed': (*huds, *rows, '-p', 'distances=needed'),
                  'words_huds': (*huds, *words), 'words_recommended': words, 'words_recommended_unmasked': (*words, '--masks', 'none')}
    tell('read', [run('cat', pool)], peak=False)
    tell('words', [run('wc', '-w', pool)], peak=False)
    runs = {name: [] for name in selections}
    compared = ('huds', 'random', 'nnll')
    runs.update({name: [] for name in ('other', 'compare', *compared)})
    for _ in range(turns):
        for name, options in selections.items():
            runs[name].append(run(*select, f'{picks}{name}.tsv', *options))
        if other:
            runs['other'].append(run(other, *select[1:], f'{picks}other.tsv', *selections['select']))
        for name in compared:
            runs[name].append(run(*select, f'{picks}{name}.tsv', '--strategy', name, *words))
        runs['compare'].append(run(alcore, 'compare', pool, '--labeled', labeled, '--threads', '2', '--quiet',
                                   '--strategy', ','.join(compared), *words))
    for name in runs:
        tell(name, runs[name])
    medians = {name: [statistics.median(values) for values in zip(*of)] for name, of in runs.items() if of}
    masked, unmasked = medians['words_recommended'][0], medians['words_recommended_unmasked'][0]
    print(f'result huds_ngram_masks_cpu_ratio {masked / unmasked:.2f} x')
    print(f"result huds_ngram_compare_cpu_ratio {medians['compare'][0] / sum(medians[name][0] for name in compared):.2f} x")
    if other:
        for i, measure in ((0, 'cpu'), (1, 'wall'), (2, 'peak')):
            print(f"result huds_ngram_other_{measure}_ratio {medians['select'][i] / medians['other'][i]:.2f} x")
        print(f"result huds_ngram_recommended_cpu_ratio {masked / medians['other'][0]:.2f} x")
    for name in ('select', 'select_needed', *(['other'] if other else [])):
        with open(f'{picks}{name}.tsv', encoding='utf-8') as file:
            table = [line.split('\t') for line in file]
        kept = [field for field in range(len(table[0])) if table[0][field] != 'reason']
        text = '\n'.join('\t'.join(row[field] for field in kept) for row in table)
        print(f'{name}: picks and record, SHA-256 {hashlib.sha256(text.encode()).hexdigest()[:16]}')
