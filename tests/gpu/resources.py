#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What can be counted of every kernel without a GPU: the compiler's report and the machine code (SASS).

  tests/gpu/resources.py [TARGET]... >docs/results/gpu-resources.txt      targets: 80 86 89 90
  tests/gpu/resources.py --check docs/results/gpu-resources.txt [TARGET]   TAP: nothing grew since the file was made

The machine code is read by cuobjdump, of the CUDA toolkit or of the package nvidia-cuda-cuobjdump of PyPI; $CUOBJDUMP
names another one. Without it the second table is left out, and --check compares the first one only."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

PROJECT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
NVCC = subprocess.run([os.path.join(PROJECT, 'lib', 'cuda', 'find_nvcc.sh')], check=True, capture_output=True,
                      text=True).stdout.strip()
# Devices whose machine code is counted: A6000 and RTX 30, H100 and H200.
COUNTED = ('86', '90')

# Kernels that read rows once: what an element of them is, how many of them a thread reads in a
# round of the main loop, and the fewest bytes to be loaded for one: 2 of a bfloat16, 4 of a
# float32, 8 of each double that it meets.
ELEMENTS = [
    ('logits_kernel<2, 0, 256>', 'logit: log-sum-exp, label, argmax', 32, 2),
    ('logits_kernel<2, 1, 256>', 'logit: the second largest too', 32, 2),
    ('logits_kernel<2, 2, 256>', 'logit: entropy too', 32, 2),
    ('logits_kernel<2, 3, 256>', 'logit: all of them', 32, 2),
    ('logits_kernel<3, 3, 256>', 'logit: all of them', 16, 4),
    ('nnll_kernel<2>', 'log-probability of a token', 1, 2),
    ('each_row<2, widen_body>', 'component', 4, 2),
    ('each_row<2, self_dots_body>', 'component', 4, 2),
    ('each_row<2, dots_body>', 'component, and of the vector', 4, 10),
    ('each_row<2, sq_dists_body>', 'component, and of the vector', 4, 10),
    ('each_row<2, group_cosine_body>', 'component, and of the centroid', 4, 10),
    ('each_row<2, group_sq_dists_body>', 'component, and of the centroid', 4, 10),
    ('each_row<2, idds_update_body>', 'component, and of the pick', 4, 10),
]

ELEMENTS_SAID = [
    'The main loop of kernels in machine code, for one element: instructions, branches among them, operations in',
    'float64, bytes that are loaded from global memory, and the fewest that they have to be. The main loop is the one',
    'without another inside that loads the most bytes in a round. float64 counts conversions, but not what has a',
    'condition: that is for zero, subnormal and infinite numbers. An A6000 does 1 in the time of 64 of float32.']
INSTRUCTION = re.compile(r'^\s+/\*([0-9a-f]{4,})\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)([^;]*);', re.M)
FLOAT64 = re.compile(r'D(ADD|MUL|FMA|SETP|MNMX|SET)\b|[FI]2[FI]\.\S*F64|F2F\.F64|MUFU\.\w*64H?')
BRANCH = re.compile(r'BRA|BRX|CALL|RET|BSYNC|BREAK|EXIT')
WIDTHS = {'U8': 1, 'S8': 1, 'U16': 2, 'S16': 2, '64': 8, '128': 16}


def plain_name(name):
    """A kernel's name without namespaces and parameters."""
    return re.sub(r'\(.*', '', re.sub(r'\(anonymous namespace\)::|alcore_cuda::|^void ', '', name))


def cuobjdump():
    """The path of cuobjdump, or None."""
    named = [os.environ.get('CUOBJDUMP', ''), shutil.which('cuobjdump') or '',
             os.path.join(os.path.dirname(NVCC), 'cuobjdump')]
    for folder in sys.path:
        named += sorted(glob.glob(os.path.join(folder, 'nvidia', 'cu*', 'bin', 'cuobjdump')))
    return next((path for path in named if path and os.access(path, os.X_OK)), None)


def main_loop(code):
    """The instructions of the loop that a kernel spends its time in, [(condition, name)]: of the loops without another
    one inside the one that loads the most bytes of global memory in a round, and of those the shortest."""
    ends = {}
    for address, _, name, arguments in code:
        target = re.search(r'0x([0-9a-f]+)', arguments) if name.startswith('BRA') else None
        if target and int(target.group(1), 16) < address:
            ends[int(target.group(1), 16)] = address
    innermost = [(begin, end) for begin, end in ends.items()
                 if not any((b, e) != (begin, end) and begin <= b and e <= end for b, e in ends.items())]
    bodies = [[(condition, name) for address, condition, name, _ in code if begin <= address <= end]
              for begin, end in innermost]
    return max(bodies, key=lambda body: (loaded_bytes(body), -len(body)), default=[])


def loaded_bytes(body):
    """Bytes of global memory that a thread loads in a round of a loop."""
    total = 0
    for _, name in body:
        if re.match(r'LDG(\.|$)', name):
            total += next((WIDTHS[part] for part in name.split('.') if part in WIDTHS), 4)
    return total


def loops_of(cubin, tool):
    """{kernel: (instructions, branches, float64 operations, bytes loaded) of its main loop}"""
    said = subprocess.run([tool, '-sass', cubin], check=True, capture_output=True, text=True).stdout
    said = subprocess.run(['c++filt'], input=said, check=True, capture_output=True, text=True).stdout
    found = {}
    for part in said.split('Function : ')[1:]:
        name, text = part.split('\n', 1)
        body = main_loop([(int(address, 16), *rest) for address, *rest in INSTRUCTION.findall(text)])
        names = [name for _, name in body]
        found[plain_name(name)] = (len(names), sum(bool(BRANCH.match(name)) for name in names),
                                   sum(not condition and bool(FLOAT64.match(name)) for condition, name in body),
                                   loaded_bytes(body))
    return found


def compile_for(target):
    """{kernel: (registers, shared bytes, stack bytes, spilled bytes)}, and loops_of() where it is counted"""
    with tempfile.NamedTemporaryFile(suffix='.cubin') as cubin:
        said = subprocess.run([NVCC, '-std=c++17', '-O3', '-fmad=false', '-diag-suppress=177', f'-I{PROJECT}/include',
                               f'-I{PROJECT}/lib/cuda', '-cubin', f'-arch=sm_{target}', '-Xptxas', '-v', '-o',
                               cubin.name, f'{PROJECT}/lib/cuda/cuda_engine.cu'], check=True, capture_output=True,
                              text=True).stderr
        tool = cuobjdump()
        loops = loops_of(cubin.name, tool) if tool and target in COUNTED else {}
    said = subprocess.run(['c++filt'], input=said, check=True, capture_output=True, text=True).stdout
    kernels = {}
    for part in said.split("Compiling entry function '")[1:]:
        used = re.search(r'Used (\d+) registers', part)
        shared = re.search(r'(\d+) bytes smem', part)
        frame = re.search(r'(\d+) bytes stack frame, (\d+) bytes spill stores', part)
        kernels[plain_name(part[:part.index("' for ")])] = (int(used.group(1)), int(shared.group(1)) if shared else 0,
                                                            *map(int, frame.groups()))
    return kernels, loops


def tables(found):
    """The lines of the file."""
    version = subprocess.run([NVCC, '--version'], check=True, capture_output=True, text=True).stdout.splitlines()[-2]
    names = sorted({name for kernels, _ in found.values() for name in kernels})
    width = max(map(len, names))
    lines = ['Registers of a thread / static shared memory of a block in bytes, of every kernel of libalcore-cuda.so.',
             f'{version}. Made by tests/gpu/resources.py; no GPU is needed.', '',
             f"{'kernel':{width}}" + ''.join(f'{"sm_" + target:>14}' for target in found)]
    for name in names:
        cells = ['{} / {}'.format(*kernels[name]) if name in kernels else '-' for kernels, _ in found.values()]
        lines.append(f'{name:{width}}' + ''.join(f'{cell:>14}' for cell in cells))
    stacks = [f'sm_{target} {name}: {kernels[name][2]} bytes of stack, {kernels[name][3]} bytes spilled'
              for target, (kernels, _) in found.items() for name in sorted(kernels) if any(kernels[name][2:])]
    lines += ['', *(stacks or ['No kernel spills or keeps anything on the stack.'])]
    counted = {target: loops for target, (_, loops) in found.items() if loops}
    if counted:
        columns = ('instructions', 'branches', 'float64', 'bytes', 'fewest bytes')
        lines += ['', *ELEMENTS_SAID, '',
                  f"{'kernel':34}{'element':34}{'target':8}" + ''.join(f'{column:>14}' for column in columns)]
    for name, element, count, fewest in ELEMENTS:
        for target, loops in counted.items():
            if name in loops:
                cells = ''.join(f'{value / count:14.2f}' for value in loops[name]) + f'{fewest:14.2f}'
                lines.append(f"{name:34}{element:34}{'sm_' + target:8}{cells}")
    return lines


def kept_counts(lines):
    """{(target, kernel, count): number} of the lines of such a file"""
    counts, targets = {}, []
    for line in lines:
        cells = re.split(r'\s{2,}', line.strip())
        spilled = re.match(r'sm_(\d+) (.*): (\d+) bytes of stack, (\d+) bytes spilled', line)
        if spilled:
            counts[spilled[1], spilled[2], 'stack'] = int(spilled[3])
            counts[spilled[1], spilled[2], 'spills'] = int(spilled[4])
        elif cells[0] == 'kernel' and cells[1].startswith('sm_'):
            targets = [cell[3:] for cell in cells[1:]]
        elif len(cells) == 8 and cells[2].startswith('sm_'):
            for count, cell in zip(('instructions', 'branches', 'float64', 'bytes'), cells[3:]):
                counts[cells[2][3:], cells[0], count] = float(cell)
        elif targets and len(cells) == len(targets) + 1:
            for target, cell in zip(targets, cells[1:]):
                if cell != '-':
                    for count, number in zip(('registers', 'shared'), cell.split(' / ')):
                        counts[target, cells[0], count] = int(number)
    return counts


def check(file, found):
    """Compares what was found with a file, as TAP; returns whether a count grew."""
    with open(file, encoding='utf-8') as kept:
        before = kept_counts(kept.read().splitlines())
    now = kept_counts(tables(found))
    before = {key: value for key, value in before.items() if key[0] in found}
    kernels, kernels_before = ({key[:2] for key in counts} for counts in (now, before))
    # Counts of machine code are not compared without cuobjdump; stack and spills are 0 where they
    # are not named.
    grew = [f'{kernel} on sm_{target}: {count} {before.get((target, kernel, count), 0)} before, now {value}'
            for (target, kernel, count), value in sorted(now.items())
            if (target, kernel) in kernels_before and value > before.get((target, kernel, count), 0)]
    changed = [f'{kernel} on sm_{target}' for target, kernel in sorted(kernels ^ kernels_before)]
    heavy = [f'{kernel} on sm_{target}: {now[target, kernel, "bytes"]} of {fewest}'
             for kernel, _, _, fewest in ELEMENTS for target in found
             if now.get((target, kernel, 'bytes'), 0) > 1.15 * fewest]
    results = [('no count of a kernel grew', grew), ('the file has the kernels that there are', changed),
               ('main loops load at most 1.15 times the fewest bytes', heavy),
               (f'{len(kernels)} kernels were looked at', [] if len(kernels) > 20 else ['too few'])]
    for number, (text, bad) in enumerate(results, 1):
        print(f"{'not ok' if bad else 'ok'} {number} - {text}")
        for line in bad:
            print(f'# {line}')
    if any(bad for _, bad in results):
        print(f'# where that is meant: tests/gpu/resources.py >{file}')
    print(f'1..{len(results)}')
    return any(bad for _, bad in results)


def main():
    arguments = sys.argv[1:]
    file = arguments[1] if arguments[:1] == ['--check'] else None
    targets = arguments[2:] if file else arguments
    targets = targets or ['80', '86', '89', '90']
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(targets, pool.map(compile_for, targets)))
    if file:
        return check(file, found)
    print('\n'.join(tables(found)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
