#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of counts of docs/gpu.md, and the numbers in its sentences, from the files of docs/results, which
programs make, and from constants of the sources.

  gpu_md.py            writes docs/gpu.md anew
  gpu_md.py --check    TAP: the page has the tables and numbers that this would write, and no other numbers of such kinds

A table stands between the lines "<!-- table NAME: made by tests/tools/gpu_md.py -->" and "<!-- end of the table -->"; what
is between them is replaced. gpu_numbers.py knows the sentences."""
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
sys.path.insert(1, os.path.join(ROOT, 'tests', 'gpu'))
from gpu_numbers import changed_numbers, unknown_numbers, with_numbers
from kept_resources import kept_counts

PAGE = os.path.join(ROOT, 'docs', 'gpu.md')
BEGIN, END = '<!-- table %s: made by tests/tools/gpu_md.py -->\n', '<!-- end of the table -->\n'
FEW, MANY = '4096', '16484'  # rows of the pools of picks in gpu-passes.txt: half a block, and three blocks

# Passes of selections in gpu-passes.txt: what they are, and their kernels, of which each pass
# starts the first one once. A pass whose first kernel is not started has no row. Other kernels of
# the selection get a row of their own, unless it is one with filters, which tells only what they
# change.
K_MEANS = [
    ('D^2 weights, for each group that lacks a centroid', ['each_row<min_sq_dists_body<1>>', 'run_totals_kernel']),
    ('draws of rows, for all such groups', ['draw_rows_kernel']),
    ('vector of a row', ['each_row<widen_body>']),
    ('norms of the rows', ['each_row<self_dots_body>']),
    ('assignment to the nearest centroid', ['nearest_kernel']),
    ('sums of the clusters that changed', ['few_sums_kernel']),
    ('the same, of less than 3/4 of the rows', ['sums_kernel']),
    ('cosine distances to the centroids', ['finished_rows<group_cosine_body>']),
]
FILTERED = [
    ('assignment to the nearest centroid', ['best_filter<nearest_body>', 'best_rerank<nearest_body>', 'finished_rows<convert_body>']),
    ('step of a search', ['rerank_kernel', 'candidates_kernel', 'begin_kernel', 'finished_rows<convert_body>']),
]
PASSES = [
    ('huds', [('sums of the strata', ['few_sums_kernel']),
              ('cosine distances to their centroids', ['finished_rows<group_cosine_body>', 'each_row<norms_body>'])]),
    ('huds k_clusters=2 n_strata=3', K_MEANS),
    ('huds k_clusters=2 n_strata=3 filtered', FILTERED[:1]),
    ('mrs', [('norms of the rows', ['each_row<self_dots_body>']),
             ('step of a search', ['join_kernel', 'values_kernel', 'finished_rows<convert_body>'])]),
    ('mrs filtered', FILTERED[1:]),
    ('average-dist', [('sum of the target', ['few_sums_kernel']),
                      ('distances to the target', ['distance_kernel', 'finished_rows<convert_body>', 'each_row<widen_body>'])]),
    ('average-dist sq=1', [('sum of the target', ['few_sums_kernel']), ('squared distances to its mean', ['each_row<sq_dists_body>']),
                           ('squared norms', ['each_row<self_dots_body>'])]),
]


def lines_of(name):
    """The cells of each line of a file of docs/results that has more than one."""
    with open(os.path.join(ROOT, 'docs', 'results', name), encoding='utf-8') as file:
        cells = [re.split(r'\s{2,}', line.strip()) for line in file]
    return [line for line in cells if len(line) > 1]


def number(value):
    """With one decimal, where that is not 0."""
    return f'{value:,.1f}'.removesuffix('.0')


def rows(*lines):
    """A table in Markdown; its first line has the names of the columns."""
    heads, *others = [[str(cell) for cell in line] for line in lines]
    return ''.join('| ' + ' | '.join(line) + ' |\n' for line in [heads]) + '|' + '---|' * len(heads) + '\n' + ''.join(
        '| ' + ' | '.join(line) + ' |\n' for line in others)


def strategy(selection):
    """The name and the options of a selection in gpu-passes.txt."""
    return f'`{selection.removesuffix(" filtered")}`' + (', with filters' if selection.endswith(' filtered') else '')


def picks():
    """What a pick costs."""
    found = {(line[1], line[2].split()[0]): [float(cell) for cell in line[3:]]
             for line in lines_of('gpu-passes.txt') if line[0] == 'pick'}
    chosen = [(name, MANY) for name in ('idds', 'kcenter', 'badge')]
    chosen += [(name + ' max_similarity', FEW) for name in ('idds', 'kcenter', 'badge', 'lc', 'uncertainty-knn')]
    chosen += [('uncertainty-knn cover=1', FEW)]
    return rows(('strategy', 'kernels started', 'waits', 'copies to the device, bytes', 'copies from it, bytes'),
                *((f'`{" ".join(name.split()[:1])}`' + ''.join(f' with `{option}`' for option in name.split()[1:]),
                   number(kernels), number(waits), f'{number(copies_in)}, {number(bytes_in)}',
                   f'{number(copies_out)}, {number(bytes_out)}')
                  for name, kernels, waits, copies_in, bytes_in, copies_out, bytes_out, _ in
                  ((name, *found[name, pool]) for name, pool in chosen)))


def passes():
    """What a pass costs."""
    found = {}
    for line in lines_of('gpu-passes.txt'):
        if len(line) == 4 and line[0] not in ('pick', 'selection'):
            found.setdefault(line[0], {})[line[1]] = [float(cell) for cell in line[2:]]
    lines = []
    for selection, parts in PASSES:
        left = dict(found[selection])
        parts = [(what, [kernel for kernel in kernels if kernel in left]) for what, kernels in parts if kernels[0] in left]
        if not selection.endswith(' filtered'):
            parts += [('', [kernel]) for kernel in left if not any(kernel in kernels for _, kernels in parts)]
        for what, kernels in parts:
            counts = [left[kernel] for kernel in kernels]
            started, waits = (sum(column) / counts[0][0] for column in zip(*counts))
            lines.append((strategy(selection), what, ', '.join(f'`{kernel}`' for kernel in kernels), number(counts[0][0]),
                          number(started), number(waits)))
    return rows(('strategy', 'pass', 'kernels', 'passes', 'kernels started', 'waits'), *lines)


def selections():
    """What a whole selection costs."""
    return rows(('strategy', 'kernels started', 'waits', 'bytes to the device', 'bytes from it'),
                *((strategy(line[1]), *(number(float(cell)) for cell in line[2:]))
                  for line in lines_of('gpu-passes.txt') if line[0] == 'selection'))


def calls():
    """What a call costs, with its arrays on the host and on the device."""
    found = {}
    for call, where, *counts in lines_of('gpu-counts.txt'):
        if len(counts) == 7 and counts[0].isdigit():
            found.setdefault(call, {})[where] = list(map(int, counts))
    lines = []
    for call, places in found.items():
        cells = []
        for where in ('host', 'device'):
            kernels, waits, copies_in, bytes_in, copies_out, bytes_out, _ = places[where]
            cells += [kernels, waits, f'{copies_in}, {copies_out}', f'{bytes_in + bytes_out:,}']
        lines.append((f'`{call}`', *cells, places['device'][-1]))
    return rows(('call', 'arrays on the host: kernels', 'waits', 'copies in, out', 'bytes', 'arrays on the device: kernels', 'waits',
                 'copies in, out', 'bytes', 'rows converted'), *lines)


def memory():
    """What calls wait for that need much memory."""
    return rows(('call', 'waits', 'blocks made', 'blocks freed', 'waits for the device'),
                *((call, *(number(float(cell)) for cell in cells)) for call, *cells in lines_of('gpu-memory.txt') if len(cells) == 4))


def shared():
    """Variables in shared memory in whose banks accesses meet, and the sum of the others."""
    found = [(kernel, variable, *map(int, counts)) for kernel, variable, *counts in lines_of('gpu-shared.txt')
             if len(counts) == 3 and counts[0].isdigit()]
    free = [line for line in found if line[4] == 0]
    return rows(('kernel', 'variable', 'instructions', 'passes', 'passes that conflicts add'),
                *((f'`{kernel}`', f'`{variable}`', *(f'{count:,}' for count in counts))
                  for kernel, variable, *counts in found if counts[2]),
                ('the others', f'{len(free)} variables', *(f'{sum(column):,}' for column in list(zip(*free))[2:])))


def resources():
    """What machine code does for an element, and registers."""
    with open(os.path.join(ROOT, 'docs', 'results', 'gpu-resources.txt'), encoding='utf-8') as file:
        counts = kept_counts(file.read().splitlines())
    targets = ('86', '90')
    elements = list(dict.fromkeys(key[1:3] for key in counts if key[2]))

    def cell(kernel, element, *names):
        """The sum of some counts on each target, or one number where they are equal."""
        values = [sum(counts.get((target, kernel, element, name), 0) for name in names) for target in targets]
        texts = [number(value) for value in values]
        return texts[0] if len(set(texts)) == 1 else ', '.join(texts)

    def fewest(kernel, element):
        """The fewest bytes loaded, or a dash."""
        return cell(kernel, element, 'fewest') if ('86', kernel, element, 'fewest') in counts else '-'

    return rows(('kernel', 'element', 'instructions', 'float64', 'special', 'loaded', 'fewest', 'stored', 'registers', 'spilled'),
                *((f'`{kernel}`', element, *(cell(kernel, element, name) for name in ('instructions', 'float64', 'special', 'loaded')),
                   fewest(kernel, element), cell(kernel, element, 'stored'), cell(kernel, '', 'registers'),
                   cell(kernel, '', 'stack', 'spills')) for kernel, element in elements))


TABLES = {'picks': picks, 'passes': passes, 'selections': selections, 'calls': calls, 'memory': memory, 'shared': shared, 'resources': resources}


def written(text):
    """The page with its tables as they have to be."""
    for name, table in TABLES.items():
        begin = BEGIN % name
        if text.count(begin) != 1 or END not in text.split(begin)[1]:
            raise ValueError(f'{PAGE} has no place for the table {name}')
        before, rest = text.split(begin)
        text = before + begin + '\n' + table() + '\n' + END + rest.split(END, 1)[1]
    return with_numbers(text)


def unnoticed(text):
    """Pages with one number of a sentence changed, or with one more, in which the check would find nothing wrong."""
    missed = [change for change, changed in changed_numbers(text) if with_numbers(changed) == changed]
    more = ['It starts 7 kernels.', 'A pick takes two waits of the host.', 'The loop has 12 instructions.', 'It takes 3.5 s.',
            'There are 200 bytes\nto copy.', 'It uses 84 registers.', 'It has 900 lines.', 'A pass takes 12 ms.']
    return missed + [sentence for sentence in more if not unknown_numbers(text + '\n' + sentence + '\n')]


def main():
    with open(PAGE, encoding='utf-8') as file:
        text = file.read()
    made = written(text)
    if sys.argv[1:] == ['--check']:
        differing = [f'it has: {old}\n# not:    {new}' for old, new in zip(text.splitlines(), made.splitlines()) if old != new]
        results = [('the tables and the numbers of docs/gpu.md are those of docs/results and of the sources', made == text,
                    differing[:3] + ['tests/tools/gpu_md.py writes them']),
                   ('no sentence has a count or a decimal that this does not compare', not unknown_numbers(text),
                    [*unknown_numbers(text), 'tests/tools/gpu_numbers.py has the sentences that may']),
                   ('a number of a sentence that is changed, or one that is added, is noticed', not unnoticed(made), unnoticed(made))]
        print(f'1..{len(results)}')
        for index, (what, passed, why) in enumerate(results, 1):
            print(f'{"ok" if passed else "not ok"} {index} - {what}')
            if not passed:
                print(''.join(f'# {line}\n' for line in why), end='')
        return not all(passed for _, passed, _ in results)
    with open(PAGE, 'w', encoding='utf-8') as file:
        file.write(made)
    return 0


if __name__ == '__main__':
    sys.exit(main())
