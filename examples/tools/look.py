#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at selections that `alcore select` wrote as .tsv.

  look.py picks SELECTION.tsv [N]                       the first N picks with the reason of each
  look.py covered TEST.tsv NAME=SELECTION.tsv...        how much of other texts each selection covers; of several selections of
                                                        a NAME the least and the most
  look.py scatter POOL.tsv SELECTION.tsv OUT.svg        uncertainty against diversity, colored by stratum (from 1, as in reasons)
"""
import sys
import textwrap

UNESCAPED = {'t': '\t', 'n': '\n', 'r': '\r', '\\': '\\'}
# Ten hues that people of any color vision can order: dark is low, light is high.
COLOURS = ['#440154', '#482878', '#3e4989', '#31688e', '#26828e', '#1f9e89', '#35b779', '#6ece58', '#b5de2b', '#fde725']


def unescape(text):
    """Undoes \\t, \\n, \\r and \\\\ of a cell."""
    parts = text.split('\\')
    result, index = [parts[0]], 1
    while index < len(parts):
        part = parts[index]
        if part:
            result.append(UNESCAPED.get(part[0], '\\' + part[0]) + part[1:])
        elif index + 1 < len(parts):  # two backslashes
            index += 1
            result.append('\\' + parts[index])
        index += 1
    return ''.join(result)


def read(path):
    """Rows of a .tsv file as dictionaries."""
    with open(path, encoding='utf-8', newline='\n') as lines:
        names = next(lines).rstrip('\n').split('\t')
        return [dict(zip(names, (unescape(cell) for cell in line.rstrip('\n').split('\t')))) for line in lines]


def text_of(row):
    return row['text'] if 'text' in row else row['source']


def picks(path, count='5'):
    """Prints the first picks of a selection, each with its reason."""
    rows = read(path)
    print()
    for row in rows[:int(count)]:
        head = f"{row['rank']:>3}. "
        print(textwrap.fill(text_of(row), 110, initial_indent=head, subsequent_indent='     '))
        print(textwrap.fill(row['reason'], 110, initial_indent='     -> ', subsequent_indent='        '))
    print(f'     ... {len(rows)} sentences in all')


def pairs_of(rows):
    """The pairs of neighboring words, in lower case, as often as they are there."""
    words = [text_of(row).lower().split() for row in rows]
    return [pair for text in words for pair in zip(text, text[1:])]


def covered(test_path, *selections):
    """Prints what the same budget buys by each rule: sentences, words, and the share of the pairs of neighboring words in other
    texts of the domain that the picks have."""
    wanted, found = pairs_of(read(test_path)), {}
    for argument in selections:
        name, path = argument.split('=', 1)
        rows = read(path)
        have = set(pairs_of(rows))
        share = 100 * sum(pair in have for pair in wanted) / len(wanted)
        found.setdefault(name, []).append((len(rows), sum(len(text_of(row).split()) for row in rows), round(share, 1)))
    print(f"\n{'':10}{'sentences':>12}{'words':>16}{'covered, %':>16}")
    for name, measured in found.items():
        cells = [f'{min(values):,}' + (f' to {max(values):,}' if max(values) > min(values) else '') for values in zip(*measured)]
        print(f'{name:10}{cells[0]:>12}{cells[1]:>16}{cells[2]:>16}')
    print(f'covered: of the {len(wanted):,} pairs of neighboring words in {len(read(test_path)):,} other sentences of the domain')


def scatter(pool_path, selection_path, out):
    """Draws u against d of the pool's rows that huds ranked, colored by stratum; the picks of the selection have a ring."""
    pool = [row for row in read(pool_path) if row.get('u') and row.get('d')]
    picked = {row['index'] for row in read(selection_path)}
    if not pool:
        sys.exit(f'{pool_path} has no columns u and d: was it chosen by huds?')
    width, height, left, top, right, bottom = 760, 560, 70, 60, 110, 60

    def scale(name, low_end, high_end):
        values = [float(row[name]) for row in pool]
        low, high = min(values), max(values)
        span = (high - low) or 1.0
        return low, high, lambda value: low_end + (float(value) - low) / span * (high_end - low_end)

    x_low, x_high, x = scale('u', left, width - right)
    y_low, y_high, y = scale('d', height - bottom, top)
    strata = sorted({int(float(row['stratum'])) for row in pool})
    color = {stratum: COLOURS[index * (len(COLOURS) - 1) // max(len(strata) - 1, 1)]
              for index, stratum in enumerate(strata)}
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13">',
        '<title>Uncertainty against diversity</title>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="30" font-size="16">{len(picked)} of {len(pool)} sentences chosen (ringed)</text>',
        f'<path d="M{left} {top}V{height - bottom}H{width - right}" fill="none" stroke="black"/>',
        f'<text x="{(left + width - right) / 2}" y="{height - 15}" text-anchor="middle">uncertainty u</text>',
        f'<text x="20" y="{(top + height - bottom) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 20 {(top + height - bottom) / 2})">diversity d</text>']
    for value, at in ((x_low, left), (x_high, width - right)):
        lines.append(f'<text x="{at}" y="{height - bottom + 18}" text-anchor="middle">{value:.2f}</text>')
    for value, at in ((y_low, height - bottom), (y_high, top)):
        lines.append(f'<text x="{left - 6}" y="{at + 4}" text-anchor="end">{value:.2f}</text>')
    # Picks last, so that their rings lie on top.
    for row in sorted(pool, key=lambda row: row['index'] in picked):
        ring = ' stroke="black" stroke-width="1.4"' if row['index'] in picked else ' fill-opacity="0.45"'
        radius = 4.5 if row['index'] in picked else 3
        lines.append(f"<circle cx=\"{x(row['u']):.1f}\" cy=\"{y(row['d']):.1f}\" r=\"{radius}\" "
                     f"fill=\"{color[int(float(row['stratum']))]}\"{ring}/>")
    lines.append(f'<text x="{width - right + 20}" y="{top}">stratum</text>')
    for index, stratum in enumerate(strata):
        height_at = top + 18 + index * 20
        lines.append(f'<circle cx="{width - right + 28}" cy="{height_at}" r="6" fill="{color[stratum]}"/>'
                     f'<text x="{width - right + 42}" y="{height_at + 4}">{stratum + 1}</text>')
    lines.append('</svg>')
    with open(out, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    commands = {'picks': picks, 'covered': covered, 'scatter': scatter}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
