# SPDX-License-Identifier: Apache-2.0
"""Reads docs/results/gpu-resources.txt, which resources.py makes."""
import re

# Counts of an element, in the order of the columns.
COLUMNS = ('instructions', 'branches', 'float64', 'special', 'loaded', 'fewest', 'stored', 'fewest stored')


def kept_counts(lines):
    """{(target, kernel, element, count): number} of the lines of such a file; element '' for those of a whole kernel."""
    counts, targets = {}, []
    for line in lines:
        cells = re.split(r'\s{2,}', line.strip())
        spilled = re.match(r'sm_(\d+) (.*): (\d+) bytes of stack, (\d+) bytes spilled', line)
        if spilled:
            counts[spilled[1], spilled[2], '', 'stack'] = int(spilled[3])
            counts[spilled[1], spilled[2], '', 'spills'] = int(spilled[4])
        elif cells[0] == 'kernel' and cells[1].startswith('sm_'):
            targets = [cell[3:] for cell in cells[1:]]
        elif len(cells) == 3 + len(COLUMNS) and cells[2].startswith('sm_'):
            for count, cell in zip(COLUMNS, cells[3:]):
                if cell != '-':
                    counts[cells[2][3:], cells[0], cells[1], count] = float(cell)
        elif targets and len(cells) == len(targets) + 1:
            for target, cell in zip(targets, cells[1:]):
                if cell != '-':
                    for count, number in zip(('registers', 'shared'), cell.split(' / ')):
                        counts[target, cells[0], '', count] = int(number)
    return counts
