#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Overlap of n-grams with test sets, without a translation model: the protocol of Table 3 of the paper on phrases and of
HUDS's Table 5 on the corpora of $ALCORE_SHARED_DATA, as Markdown (docs/results/overlap.md).

  overlap_tables.py PROJECT ALCORE [--models EN_DE DE_EN] [DOMAIN|ROW...]
  overlap_tables.py PROJECT ALCORE --reasons

A ROW of Table 3 is DOMAIN:LANGUAGE:STRATEGY, such as it:de:MRS, one of Table 5 is huds:STRATEGY: that row alone is printed.

Table 3: L is the general corpus, U a domain's training part, and each strategy selects 5,000 words of U; what is counted is
the share of the n-grams of the domain's test part that L and the selection have together, n = 1 to 4. Strategies with draws
run with the seeds 1, 2 and 3 (mean and standard deviation), the others give the same picks for each seed. MRS reads the
embeddings of the built-in n-gram model. RTTL needs the round trip of every sentence of U, and has rows where --models names the folders
of two translation models, from English to German and back.

Table 5: of 20,000 candidates of the IT domain each strategy selects 1,000 sentences with the n-gram model trained on L; what
is counted is the share of the words of the validation part that the selection has, English, German, and both.

--reasons prints what the picks behind two orderings that do not hold consist of: the 4-grams that random sentences and NGF add on
docs, English, and the words that the strategies of Table 5 select."""
import json
import lzma
import os
import statistics
import subprocess
import sys
import tempfile
import time

project, alcore = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
data = os.environ.get('ALCORE_SHARED_DATA') or os.path.join(project, os.pardir, 'shared', 'data')
wanted, models = sys.argv[3:], None
if wanted[:1] == ['--models']:
    models, wanted = wanted[1:3], wanted[3:]
reasons = wanted == ['--reasons']
if reasons:
    wanted = []
single = [argument.split(':') for argument in wanted if ':' in argument]
domains = [argument for argument in wanted if ':' not in argument] or ['it', 'docs', 'system']
SEEDS = (1, 2, 3)
#: As in the paper: name, options of `alcore select`, whether it draws. In the order of the paper's
#: unigram column, the best first.
PHRASES = [('NGF-SMP', ['ngf-smp'], False), ('NGF-SMP + MRS', ['hybrid', '-p', 'sentences=mrs', '-p', 'phrases=ngf-smp', '-p', 'ratio=0.5'], False),
           ('NGF', ['ngf'], False), ('random sentence', ['random'], True), ('MRS', ['mrs'], False),
           ('random phrase', ['random-phrase'], True)] + ([('RTTL', ['rttl'], False)] if models else [])
with open(os.path.join(project, 'tests', 'vectors', 'papers.json'), encoding='utf-8') as file:
    printed = json.load(file)['vectors']['TV-PHR-TABLE3']['cases'][0]['expected']
PAPER = dict(zip(printed['systems'], printed['coverage']))
#: HUDS, Table 5: English, German, both.
TABLE_5 = {'huds': (47.2, 53.2, 48.0), 'random': (46.6, 53.0, 47.8), 'nsp': (46.7, 52.2, 47.6), 'idds': (46.0, 52.1, 47.3)}


def rows(name, split):
    """The pairs (en, de) of one part of a corpus."""
    with lzma.open(os.path.join(data, 'en-de', name + '.tsv.xz'), 'rt', encoding='utf-8', newline='\n') as lines:
        names = next(lines).rstrip('\n').split('\t')
        cells = (line.rstrip('\n').split('\t') for line in lines)
        return [(row[names.index('en')], row[names.index('de')]) for row in cells if row[names.index('split')] == split]


def write(path, texts):
    with open(path, 'w', encoding='utf-8', newline='\n') as out:
        out.writelines(text + '\n' for text in texts)
    return path


def run(*args):
    done = subprocess.run([alcore, *args], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit('alcore %s\n%s' % (' '.join(args), done.stderr))
    return done.stdout


def coverage(test, *data_files):
    """The four percentages of the data files together."""
    found = json.loads(run('eval', 'overlap', test, *data_files, '-n', '1-4', '--json'))
    return [found[('both' if '--ood' in data_files and '--selected' in data_files else
                   'outside' if '--ood' in data_files else 'selected') + '_%d' % n] for n in range(1, 5)]


def cell(values):
    """Mean, and the deviation where there are several."""
    mean = '%.2f' % statistics.mean(values)
    return mean if len(values) == 1 else '%s ± %.2f' % (mean, statistics.stdev(values))


def pairs_kept(found, order):
    """Which pairs of systems stand as in the paper, for each n: [(kept, all, [pairs that do not, the paper's better one first])]."""
    out = []
    for n in range(4):
        pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1:] if PAPER[a][n] != PAPER[b][n]]
        mean = {name: statistics.mean(values[n] for values in found[name]) for name in order}
        failed = [(a, b) if PAPER[a][n] > PAPER[b][n] else (b, a) for a, b in pairs if (mean[a] > mean[b]) != (PAPER[a][n] > PAPER[b][n])]
        out.append((len(pairs) - len(failed), len(pairs), ['%s > %s' % pair for pair in failed]))
    return out


def sides_of_table_3(folder, domain, side):
    """The files of one domain and source language: pool, labeled and test."""
    path = lambda name: os.path.join(folder, name)
    return (write(path('pool.txt'), (pair[side] for pair in rows(domain, 'train'))),
            write(path('labeled.txt'), (pair[side] for pair in rows('general', 'train'))),
            write(path('test.txt'), (pair[side] for pair in rows(domain, 'test'))))


def round_trip(folder, pool, side):
    """The options with which RTTL reads the log-probabilities of the pool's sentences, given their translations."""
    there, back = models if side == 0 else models[::-1]
    translated, scores = os.path.join(folder, 'translated.txt'), os.path.join(folder, 'back.lp')
    run('model', 'translate', there, pool, '--quiet', '--out', translated)
    run('model', 'score', back, translated, pool, '--quiet', '--out', scores)
    return ['--logprobs', scores]


def picks_of_table_3(folder, files, strategy, seed):
    """The texts that a strategy selects, and how many words they have."""
    path = os.path.join(folder, 'picks.tsv')
    run('select', files[0], '--labeled', files[1], '--budget', '5000w', '--strategy', strategy[0], *strategy[1:], '--seed', str(seed),
        '--quiet', '--out', path)
    with open(path, encoding='utf-8') as picks:
        names = next(picks).rstrip('\n').split('\t')
        cost, text = names.index('cost'), names.index('text' if 'text' in names else 'phrase')
        cells = [line.rstrip('\n').split('\t') for line in picks]
    return [line[text] for line in cells], sum(float(line[cost]) for line in cells)


def row_of_table_3(folder, files, side, name, strategy, draws):
    """A strategy with its seeds: [words], [four percentages]."""
    pool, labeled, test = files
    words, found = [], []
    if name == 'RTTL':
        strategy = strategy + round_trip(folder, pool, side)
    for seed in SEEDS if draws else SEEDS[:1]:
        begun = time.monotonic()
        texts, spent = picks_of_table_3(folder, files, strategy, seed)
        words.append(spent)
        picked = write(os.path.join(folder, 'picked.txt'), texts)
        found.append(coverage(test, '--selected', picked, '--ood', labeled))
        print('%s, seed %d: %.0f s' % (name, seed, time.monotonic() - begun), file=sys.stderr)
    return words, found


def print_row(name, words, runs):
    spent = '%.0f' % statistics.mean(words) if words else ''
    print('| %s | %s | %s |' % (name, spent, ' | '.join(cell([values[n] for values in runs]) for n in range(4))), flush=True)


def table_3(folder, domain, side):
    """One domain and source language: prints the table; returns {system: [four percentages of each run]}."""
    files = pool, labeled, test = sides_of_table_3(folder, domain, side)
    found = {'outside': [coverage(test, '--ood', labeled)]}
    words = {}
    for name, strategy, draws in PHRASES:
        if strategy[0] in listed:
            words[name], found[name] = row_of_table_3(folder, files, side, name, strategy, draws)
    found['in-domain training data'] = [coverage(test, '--selected', pool, '--ood', labeled)]
    print('### %s, source %s\n' % (domain, ('English', 'German')[side]))
    print('| | words | 1-grams | 2-grams | 3-grams | 4-grams |\n|---|--:|--:|--:|--:|--:|')
    for name, runs in found.items():
        print_row(name, words.get(name), runs)
    order = [name for name in PAPER if name in words]
    kept = pairs_kept(found, order)
    print('\nPairs of strategies in the paper\'s order: %s.\n' % '; '.join(
        'n = %d: %d of %d%s' % (n + 1, count, pairs, ', not ' + ', '.join(failed) if failed else '')
        for n, (count, pairs, failed) in enumerate(kept)), flush=True)
    return found


def claims(results):
    """What the paper says of its table, in every setting: a line each."""
    mean = lambda found, name, n: statistics.mean(values[n] for values in found[name])
    sentences, phrases = ('random sentence', 'MRS'), ('NGF', 'NGF-SMP')
    checks = [
        ('NGF-SMP covers more than NGF', lambda f, n: mean(f, 'NGF-SMP', n) > mean(f, 'NGF', n)),
        ('NGF-SMP covers more than random phrases', lambda f, n: mean(f, 'NGF-SMP', n) > mean(f, 'random phrase', n)),
        ('NGF and NGF-SMP cover more than both strategies of sentences',
         lambda f, n: min(mean(f, p, n) for p in phrases) > max(mean(f, s, n) for s in sentences if s in f)),
        ('random phrases cover less than random sentences', lambda f, n: mean(f, 'random phrase', n) < mean(f, 'random sentence', n)),
        ('random phrases cover less than MRS', lambda f, n: mean(f, 'random phrase', n) < mean(f, 'MRS', n)),
        ('NGF-SMP + MRS covers more than random sentences', lambda f, n: mean(f, 'NGF-SMP + MRS', n) > mean(f, 'random sentence', n)),
        ('MRS is within 1 point of random sentences', lambda f, n: abs(mean(f, 'MRS', n) - mean(f, 'random sentence', n)) < 1),
        ('NGF-SMP + MRS lies between its parts', lambda f, n: mean(f, 'MRS', n) < mean(f, 'NGF-SMP + MRS', n) < mean(f, 'NGF-SMP', n))]
    print('## Claims of the paper on phrases\n\n| claim | ' + ' | '.join('n = %d' % n for n in range(1, 5)) + ' |\n|---|---|---|---|---|')
    for title, check in checks:
        cells = []
        for n in range(4):
            try:
                failed = [name for name, found in results.items() if not check(found, n)]
                cells.append('holds in all %d' % len(results) if not failed else 'fails in ' + ', '.join(failed))
            except KeyError:
                cells.append('not run')
        print('| %s | %s |' % (title, ' | '.join(cells)))
    print(flush=True)


def picks_of_table_5(folder, pool, labeled, name, seed):
    """The rows of the pool that a strategy selects."""
    path = os.path.join(folder, 'picks.tsv')
    draw = [] if name == 'random' else ['-p', 'candidates=20000']  # a random draw of a draw is one too
    run('select', pool, '--labeled', labeled, '--budget', '1000', '--strategy', name, *draw, '--seed', str(seed), '--quiet', '--out', path)
    with open(path, encoding='utf-8') as picks:
        index = next(picks).rstrip('\n').split('\t').index('index')
        return [int(line.split('\t')[index]) for line in picks]


def table_5(folder, names=None):
    path = lambda name: os.path.join(folder, name)
    pairs = rows('it', 'train')
    pool = write(path('pool.txt'), (pair[0] for pair in pairs))
    labeled = write(path('labeled.txt'), (pair[0] for pair in rows('general', 'train')))
    test = write(path('test.tsv'), ['source\ttarget'] + ['%s\t%s' % pair for pair in rows('it', 'dev')])
    print('## HUDS, Table 5: the IT domain\n\n| | English words | English | German | both | paper |\n|---|--:|--:|--:|--:|---|')
    means = {}
    for name, paper in TABLE_5.items():
        if names and name not in names:
            continue
        values, words = [], []
        for seed in SEEDS:
            picked = [pairs[index] for index in picks_of_table_5(folder, pool, labeled, name, seed)]
            words.append(sum(len(pair[0].split()) for pair in picked))
            write(path('picked.tsv'), ['source\ttarget'] + ['%s\t%s' % pair for pair in picked])
            values.append([json.loads(run('eval', 'overlap', test, '--selected', path('picked.tsv'), '--side', side, '-n', '1',
                                          '--json'))['selected_1'] for side in ('src', 'tgt', 'both')])
        means[name] = [statistics.mean(value[i] for value in values) for i in range(3)]
        print('| %s | %.0f | %s | %s |' % (name, statistics.mean(words), ' | '.join(cell([value[i] for value in values]) for i in range(3)),
                                           ' / '.join('%.1f' % v for v in paper)), flush=True)
    if names:
        return
    print()
    for i, what in enumerate(('English', 'German', 'both')):
        order = sorted(means, key=lambda name: -means[name][i])
        wanted = sorted(TABLE_5, key=lambda name: -TABLE_5[name][i])
        print('- %s: %s; the paper: %s.' % (what, ' > '.join(order), ' > '.join(wanted)))


def ngrams(texts, n):
    """The distinct n-grams of texts, whose words are what stands between spaces."""
    return {tuple(words[i:i + n]) for words in map(str.split, texts) for i in range(len(words) - n + 1)}


def print_reason(title, runs):
    print('| %s | %s |' % (title, ' | '.join(cell(values) for values in zip(*runs))), flush=True)


def reason_of_table_3(folder):
    """docs, English, n = 4: the 4-grams of the selections, those that the test part has and L lacks, and how many picks add them."""
    files = sides_of_table_3(folder, 'docs', 0)
    texts = [open(path, encoding='utf-8').read().split('\n') for path in files[1:]]
    outside, test = (ngrams(lines, 4) for lines in texts)
    print('| docs, English | picks | 4-grams in them | not in L | of these in the test part | % | picks that add one | two or more |')
    print('|---|--:|--:|--:|--:|--:|--:|--:|')
    for name, strategy, draws in (('random sentence', ['random'], True), ('NGF', ['ngf'], False), ('NGF-SMP', ['ngf-smp'], False)):
        runs = []
        for seed in SEEDS if draws else SEEDS[:1]:
            picks, _ = picks_of_table_3(folder, files, strategy, seed)
            have = ngrams(picks, 4)
            new = have - outside
            added = [len(ngrams([pick], 4) & test - outside) for pick in picks]
            runs.append([len(picks), len(have), len(new), len(new & test), 100 * len(new & test) / len(new), sum(n == 1 for n in added),
                         sum(n > 1 for n in added)])
        print_reason(name, runs)


def reason_of_table_5(folder):
    """The words that the strategies of Table 5 select: which of them the validation part has, and which of them L has."""
    path = lambda name: os.path.join(folder, name)
    pairs = rows('it', 'train')
    pool = write(path('pool.txt'), (pair[0] for pair in pairs))
    labeled = write(path('labeled.txt'), (pair[0] for pair in rows('general', 'train')))
    test, outside = (ngrams((pair[0] for pair in rows(*part)), 1) for part in (('it', 'dev'), ('general', 'train')))
    print('\n| Table 5, English | words | different words | % of these in the validation part | % of these in L | words a sentence |')
    print('|---|--:|--:|--:|--:|--:|')
    for name in TABLE_5:
        runs = []
        for seed in SEEDS:
            texts = [pairs[index][0] for index in picks_of_table_5(folder, pool, labeled, name, seed)]
            words = sum(len(text.split()) for text in texts)
            different = ngrams(texts, 1)
            runs.append([words, len(different), 100 * len(different & test) / len(different),
                         100 * len(different & outside) / len(different), words / len(texts)])
        print_reason(name, runs)


if not os.path.exists(os.path.join(data, 'en-de', 'it.tsv.xz')):
    print('not run: no %s' % data)
    sys.exit(0)
listed = {line.split()[0] for line in run('strategies').splitlines() if line[:1].strip()}
with tempfile.TemporaryDirectory() as scratch:
    for first, *rest in single:
        if first == 'huds':
            table_5(scratch, rest)
            continue
        language, name = rest
        strategy, draws = next(row[1:] for row in PHRASES if row[0] == name)
        side = ('en', 'de').index(language)
        print_row('%s %s %s' % (first, language, name), *row_of_table_3(
            scratch, sides_of_table_3(scratch, first, side), side, name, strategy, draws))
    if reasons:
        reason_of_table_3(scratch)
        reason_of_table_5(scratch)
    if reasons or single:
        sys.exit(0)
    print('## The paper on phrases, Table 3\n')
    gathered = {}
    for corpus in domains:
        for direction in (0, 1):
            gathered['%s %s' % (corpus, ('en', 'de')[direction])] = table_3(scratch, corpus, direction)
    claims(gathered)
    table_5(scratch)
