# SPDX-License-Identifier: Apache-2.0
"""The numbers in the sentences of docs/gpu.md that are measured or that a source has, for gpu_md.py.

phrases() are pieces of the page with {} in the place of each such number, and the numbers as they have to be. A number
of kernels, launches, waits, instructions, registers, lines, bytes or of time, and one with decimals, must be in one of
them, in a table that gpu_md.py writes, or in TYPED, where those are that are neither measured nor in a source."""
import functools
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
sys.path.insert(1, os.path.join(ROOT, 'tests', 'gpu'))
from kept_resources import kept_counts

MIB, GIB = 1 << 20, 1 << 30


@functools.lru_cache(None)
def read(path):
    """The text of a file of the project."""
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def constant(path, name):
    """The value of `name = ...` in a source: numbers with <<, * and casts; the last one where a macro chooses."""
    found = re.findall(rf'\b{name}\s*=\s*([^;,}}/]+)', read(path))
    if not found:
        raise ValueError(f'{path} has no constant {name}, whose value docs/gpu.md tells')
    text = re.sub(r'INT64_C|\([a-z]\w*\)', '', found[-1]).strip()
    if not re.fullmatch(r'[\d\s<*()]+', text):
        raise ValueError(f'{path}: the value of {name} is {text}, not a number')
    return eval(text)  # of digits, <<, * and parentheses alone


def one(path, pattern):
    """The number that a pattern finds in a file."""
    found = set(re.findall(pattern, read(path)))
    if len(found) != 1:
        raise ValueError(f'{path} has {len(found)} different numbers for {pattern}, one of which docs/gpu.md tells')
    return float(found.pop())


def whole(value):
    """A whole number with commas from 10,000 on, as the page writes them."""
    if value != int(value):
        raise ValueError(f'{value} is not a whole number')
    return f'{int(value):,}' if value >= 10000 else str(int(value))


def power(value):
    """A power of two as 2^n."""
    if value & (value - 1):
        raise ValueError(f'{value} is not a power of two')
    return f'2^{value.bit_length() - 1}'


def decimal(value):
    """With one decimal, where that is not 0."""
    return f'{value:,.1f}'.removesuffix('.0')


@functools.lru_cache(None)
def phrases():
    """[(piece of the page, its numbers)]"""
    best = 'lib/engines/cuda/cuda_best.cuh'
    hidden, wide, stream, run = ('lib/engines/cuda/cuda_hidden.cu', 'lib/strategy/passes/wide_blocks.c', 'lib/engines/cuda/cuda_stream.cuh',
                                 'tests/gpu/run.sh')
    block_rows = int(one('include/alcore/sys/kernel.h', r'define ALCORE_BLOCK_ROWS (\d+)'))
    counts = kept_counts(read('docs/results/gpu-resources.txt').splitlines())

    def count(target, kernel, element, name):
        return counts[target, kernel, element, name]

    warps = constant('lib/engines/cuda/cuda_warp.cuh', 'CUDA_THREADS') // constant('lib/engines/cuda/cuda_warp.cuh', 'CUDA_LANES')
    part = constant('lib/engines/cuda/cuda_filter.cu', 'PART_BYTES')
    tile, step = constant('lib/engines/cuda/cuda_search.cu', 'TILE'), constant('lib/engines/cuda/cuda_candidates.cu', 'MAX_STEP')
    tile_products = constant(hidden, 'MAX_TILE_PRODUCTS')
    tile_bytes = constant(hidden, 'TILE_BYTES')
    # An A6000, by its data sheet: bytes and multiply-adds a second. A multiprocessor of sm_86 has
    # 100 KiB of shared memory, of which the system takes 1 KiB for each block. An instruction of a
    # warp, for 32 logits, takes the time of 128 multiply-adds on tensor cores.
    bandwidth, products, shared_bytes, system_bytes = 768e9, 155e12 / 2, 100 << 10, 1 << 10
    per_logit, per_instruction = 8 / bandwidth * products, 128 / 32
    logit = {(target, kernel): count(target, kernel, element, 'instructions')
             for target, kernel, element, name in counts
             if kernel.startswith('fused_kernel') and element.startswith('logit') and name == 'instructions'}
    on_86 = [value for (target, _), value in logit.items() if target == '86']
    loop = {target: max(value for (at, kernel, element, name), value in counts.items()
                        if at == target and kernel.startswith('fused_kernel') and element.startswith('64 products')
                        and name == 'instructions') for target in ('86', '90')}
    block_bytes = count('86', 'finished_rows<2, convert_body>', '', 'shared')
    resident = shared_bytes // (block_bytes + system_bytes) * warps
    cycles, clock = 8, 1.5
    return [
        ('Up to {} calls run on a device at once', [whole(constant(stream, 'MAX_STREAM_SLOTS'))]),
        ('leaves up to {} MiB', [whole(constant(stream, 'KEPT_BYTES') / MIB)]),
        ('keeps up to 1/{} of the', [whole(constant(stream, 'POOL_PART'))]),
        ('(0: 1/{} of the memory that is free, at least {} MiB',
         [whole(constant(stream, 'STAGING_PART')), whole(constant(stream, 'MIN_STAGING_BYTES') / MIB)]),
        ('the smaller of `W` and {} MiB', [whole(tile_bytes / MIB)]),
        ('for up to {} tokens and splits of a tile', [str(constant(hidden, 'WANTED_WARPS'))]),
        ('and up to {} tokens and splits', [str(constant('lib/engines/cuda/cuda_fused.cuh', 'FUSED_STATES'))]),
        ('plain: at a time at most {} queries by {} rows, and with fewer queries more rows, as many as have {} pairs with them and '
         '{} components: `16 * {}`',
         [str(tile), str(tile), power(tile * tile), power(constant('lib/engines/cuda/cuda_search.cu', 'TILE_DOUBLES')), power(tile * tile)]),
        ('filtered: at most {} rows by as many queries as have {} products with them, and with fewer than {} queries more rows, as '
         'many as have {} pairs with them, but at most {}:',
         [str(step), power(constant('lib/engines/cuda/cuda_call.cuh', 'LAUNCH_HALVES')), str(step), power(step * step),
          str(step * int(one('lib/engines/cuda/cuda_candidates.cu', r'MAX_FEW_STEP = (\d+) \* MAX_STEP')))]),
        # For each section a list with 8 bytes an entry, two bounds and a count; and the norm.
        ('filtered: `h + {}` per row, `h + 8 (d + 1)` per other',
         [str(constant(best, 'MAX_SECTIONS') * (constant(best, 'BEST_CAPACITY') * 8 + 2 * 4 + 4) + 8)]),
        ('at most {} sections', [whole(constant(best, 'MAX_SECTIONS'))]),
        ('up to {} rows, or {} GiB of embeddings ({} MiB where',
         [whole(constant(wide, 'WIDE_ROWS')), whole(constant(wide, 'WIDE_BYTES') / GIB), whole(constant(wide, 'WIDE_READ_BYTES') / MIB)]),
        ('Their pool is cut into {} wide blocks', [whole(constant(wide, 'SHARES'))]),
        ('but into none of less than {} rows', [whole(constant(wide, 'SHARE_BLOCKS') * block_rows)]),
        ('take at most {} MiB', [whole(constant(wide, 'WIDE_HOST_BYTES') / MIB)]),
        # Each of the additions of a block waits for the one before.
        ('if an addition that waits for the one before takes {} cycles of {} GHz (an assumption), it is {} us',
         [whole(cycles), f'{clock:.1f}', f'{block_rows * cycles / clock / 1000:.0f}']),
        ('row of more than {} components, or {} of float64', [whole(part / 4), whole(part / 8)]),
        ('The shared memory, {} KiB a block, leaves room for {} warps', [whole(block_bytes / 1024), whole(resident)]),
        ('One launch computes some {} products in double, or {} on tensor cores',
         [power(constant('lib/engines/cuda/cuda_call.cuh', name)) for name in ('LAUNCH_DOUBLES', 'LAUNCH_HALVES')]),
        ('With fewer than {} multiplications', [power(constant('lib/engines/cuda/cuda_filter.cuh', 'FILTER_MIN_PRODUCTS'))]),
        ('{} rows, {} others or {} dimensions, and with more than {} dimensions',
         [whole(constant('lib/engines/cuda/cuda_tile.cuh', 'TILE_OTHERS')), whole(constant('lib/engines/cuda/cuda_tile.cuh', 'TILE_OTHERS') / 2),
          whole(constant('lib/engines/cuda/cuda_tile.cuh', 'TILE_DEPTH')), whole(constant('lib/engines/cuda/cuda_filter.cuh', 'FILTER_MAX_DIMS'))]),
        ('asked whether to stop after {} products ({} in 16 bits)',
         [power(tile_products), power(tile_products * int(one(hidden, r'MAX_TILE_PRODUCTS \* \(form\.dtype == \w+ \? 1 : (\d+)\)')))]),
        ('the call has {} tokens or more of at most {} components',
         [whole(constant(hidden, 'FUSED_TOKENS')), whole(constant(hidden, 'FUSED_DIMS'))]),
        ('each of up to {} tokens, at most {} MiB', [whole(constant(hidden, 'MAX_TILE_TOKENS')), whole(tile_bytes / MIB)]),
        ('the time of {} multiply-adds, as long as a product of {} components', [f'{per_logit:.0f}'] * 2),
        ("the kernel's loop over components has {} instructions", [decimal(loop['86'])]),
        ('takes {} to {} instructions for a logit', [decimal(min(on_86)), decimal(max(on_86))]),
        ('the time of {} to {} multiply-adds', [f'{value * per_instruction:.0f}' for value in (min(on_86), max(on_86))]),
        ('that much of the {} is spent again', [f'{per_logit:.0f}']),
        ('On sm_90 the loop has {} instructions', [decimal(loop['90'])]),
        ('at most {} times the fewest', [f'{one("tests/gpu/resources.py", r"value <= ([0-9.]+) [*] now"):.2f}']),
        ('With up to {} groups `group_sums` reads', [whole(constant('lib/engines/cuda/cuda_group_sums.cu', 'FEW_GROUPS'))]),
        ('a lane begins {} loads before it waits for the first', [whole(constant('lib/engines/cuda/cuda_warp.cuh', 'LANE_STEPS'))]),
        ('a folder of less than {} MiB', [whole(one('tests/gpu/pack.sh', r'most_bytes=\$\(\((\d+) << 20\)\)'))]),
        ('A folder of {} bytes or more is refused', [whole(one('tests/gpu/pack.sh', r'most_bytes=\$\(\((\d+) << 20\)\)') * MIB)]),
        ('In a stage that times nothing up to {} steps run', [whole(one(run, r'MOST_JOBS=(\d+)'))]),
        ('One case in {} is run, with filters one in {} (in 9 minutes one in {} and one in {})',
         [whole(one(run, pattern)) for pattern in (r'\ncases=(\d+)', r'\ncases=.* filter_cases=(\d+)', r' 9 \] \|\| cases=(\d+)', r' 9 \] \|\| .*filter_cases=(\d+)')]),
        ('then each entry at full size, {} rows', [whole(one(run, r'\ncases=\d+ .*rows=(\d+)'))]),
        ('over one case in {}. Then 20 selections', [whole(one(run, r'racecheck, one case in (\d+)'))]),
        ('margin ratios of {} rows, from torch tensors', [whole(one(run, r'\nselection_rows=(\d+)'))]),
        ('memcheck of all kernels with {} rows', [whole(one(run, r'missing-entries" 1 400 (\d{5}) '))]),
    ]


# Pieces of the page with numbers of the kinds that are looked for which are neither measured nor in
# a source: versions, data sheets, goals and examples.
TYPED = [
    'compute capability 8.0', 'libcublas.so.13` or `.12', 'in 0.7 clocks (by its data sheet, at 1.5 GHz)',
    'specification 1.7', '`1.2 d 2^-22`', 'rows of 3 components, whose vector is 24 bytes as doubles',
]
SIZES = {1, 2, 4, 8, 16, 32, 64, 128}  # bytes of number types, of loads and of lines of the cache: no measurements

NUMBER = r'(?<![\w.,^-])(?:\d[\d,]*(?:\.\d+)?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)'
COUNTED = re.compile(
    NUMBER + r'\s+(?:\w+\s+)?(?:kernels?|launch(?:es)?|waits?|instructions?|registers?|lines?|bytes|us|ms)\b|(?<![\w.^-])\d+\.\d+(?![.\w])')
SIZE = re.compile(r'(\d+)\s+(?:adjacent\s+)?bytes')


@functools.lru_cache(None)
def pattern_of(phrase):
    """The expression that finds a piece of the page, with any numbers in it and however its lines are broken."""
    parts = [r'\s+'.join(map(re.escape, part.split(' '))) for part in phrase.split('{}')]
    return re.compile('(' + r')(\d[\d,.]*(?<![,.])(?:\^\d+)?)('.join(parts) + ')')


def with_numbers(text):
    """The page with the numbers of its phrases as they have to be."""
    for phrase, numbers in phrases():
        pattern = pattern_of(phrase)
        if len(pattern.findall(text)) != 1:
            raise ValueError(f'docs/gpu.md has {len(pattern.findall(text))} times, not once: {phrase} (tests/tools/gpu_numbers.py)')
        found = pattern.search(text)
        kept = found.groups()[::2]
        text = text[:found.start()] + kept[0] + ''.join(map(''.join, zip(numbers, kept[1:]))) + text[found.end():]
    return text


def changed_numbers(text):
    """[(what is changed, the page with one digit of one number of a phrase changed)], for each such number."""
    for phrase, _ in phrases():
        found = pattern_of(phrase).search(text)
        for index in range(2, len(found.groups()) + 1, 2):
            number = found[index]
            other = number[:-1] + ('1' if number[-1] == '9' else str(int(number[-1]) + 1))
            yield f'{number} in: {phrase}', text[:found.start(index)] + other + text[found.end(index):]


def unknown_numbers(text):
    """Counts and decimals in sentences of the page that are in no phrase and not among TYPED, and what of TYPED is not there."""
    text = '\n'.join('' if line.startswith('|') else line for line in text.split('\n'))
    for phrase, _ in phrases():
        text = pattern_of(phrase).sub(lambda found: '_' * len(found[0]), text)
    unused = []
    for typed in TYPED:
        text, times = re.subn(r'\s+'.join(map(re.escape, typed.split())), '_', text)
        unused += [] if times else ['not on the page: ' + typed]
    found = [' '.join(match[0].split()) for match in COUNTED.finditer(text)]
    return unused + [piece for piece in found if not (SIZE.fullmatch(piece) and int(SIZE.fullmatch(piece)[1]) in SIZES)]
