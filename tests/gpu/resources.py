#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What can be counted of every kernel without a GPU: the compiler's report and the machine code (SASS).

  tests/gpu/resources.py [TARGET]... >docs/results/gpu-resources.txt      targets: 80 86 89 90
  tests/gpu/resources.py --check docs/results/gpu-resources.txt [--module FILE] [TARGET]   TAP: nothing grew since the file was made

With --module and a cuobjdump the numbers are those of a built libalcore-cuda.so; else the engine is compiled for them, a minute of
processor time for each target.
The machine code is read by cuobjdump, of the CUDA toolkit or of the packages nvidia-cuda-cuobjdump and
nvidia-cuda-nvdisasm of PyPI, which tests/tools/install_cuda_tools.sh installs; $CUOBJDUMP names another one. Without it
the second table is left out, and --check skips what it compares of machine code."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from kernel_elements import ELEMENTS, MOST_SPECIAL, UNCOUNTED, element_counts, family
from kept_resources import COLUMNS, kept_counts
from machine_code import instructions_of, loops_of

PROJECT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..'))
NVCC = subprocess.run([os.path.join(PROJECT, 'lib', 'engines', 'cuda', 'find_nvcc.sh')], check=True, capture_output=True,
                      text=True).stdout.strip()
# Devices whose machine code is counted: A6000 and RTX 30, H100 and H200.
COUNTED = ('86', '90')

ELEMENTS_SAID = [
    'What the machine code does for one element (tests/gpu/kernel_elements.py): instructions, branches among them,',
    'operations in float64, special functions, bytes that a thread loads from global memory and stores there, and the',
    'fewest that these have to be. Where several loops handle an element, they are added. float64 counts conversions, but',
    'not what has a condition: that is for zero, subnormal and infinite numbers. An A6000 does 1 in the time of 64 of',
    'float32. Of branches that exclude one another the longer one counts, and code that a branch may skip counts as run: a',
    'division by the norm, the sum of a chain on tensor cores. -: not compared, as what is loaded again comes from a cache.',
    'once: what is done outside of loops, whatever the length of the row.']


def plain_name(name):
    """A kernel's name without namespaces and parameters."""
    name = re.sub(r'\(.*', '', re.sub(r'\(anonymous namespace\)::|alcore_cuda::|^void ', '', name))
    # Number types (ALCORE_FLOAT16 = 101 and on) are told by their place: <1, ...>.
    return re.sub(r'<10([1-8])\b', r'<\1', name)


def cuobjdump():
    """The path of cuobjdump, or None."""
    named = [os.environ.get('CUOBJDUMP', ''), shutil.which('cuobjdump') or '',
             os.path.join(os.path.dirname(NVCC), 'cuobjdump')]
    installed = os.path.join(PROJECT, 'build', 'cuda-venv', 'lib', 'python3*', 'site-packages')
    for folder in [installed, *sys.path]:
        named += sorted(glob.glob(os.path.join(folder, 'nvidia', 'cu*', 'bin', 'cuobjdump')))
    return next((path for path in named if path and os.access(path, os.X_OK)), None)


def counts_in(compiled, tool, target):
    """{(kernel, element): counts of an element} of a compiled engine"""
    said = subprocess.run([tool, '-sass', '-arch', f'sm_{target}', compiled], check=True, capture_output=True, text=True).stdout
    parts = [part.split('\n', 1) for part in said.split('Function : ')[1:]]
    # Of some 90 MB of text only the names are demangled.
    names = subprocess.run(['c++filt'], input='\n'.join(name for name, _ in parts), check=True, capture_output=True,
                           text=True).stdout.splitlines()
    counted = {one.kernel for one in ELEMENTS}
    return element_counts({plain_name(name): loops_of(instructions_of(text))
                           for name, (_, text) in zip(names, parts, strict=True) if plain_name(name) in counted})


def compile_for(target):
    """{kernel: (registers, shared bytes, stack bytes, spilled bytes)}, and counts_in() where it is counted"""
    with tempfile.NamedTemporaryFile(suffix='.cubin') as cubin:
        said = subprocess.run([NVCC, '-std=c++17', '-O3', '-fmad=false', '-diag-suppress=177', f'-I{PROJECT}/include',
                               f'-I{PROJECT}/lib/engines/cuda', '-cubin', f'-arch=sm_{target}', '-Xptxas', '-v', '-o',
                               cubin.name, f'{PROJECT}/lib/engines/cuda/cuda_engine.cu'], check=True, capture_output=True,
                              text=True).stderr
        tool = cuobjdump()
        elements = counts_in(cubin.name, tool, target) if tool and target in COUNTED else {}
    said = subprocess.run(['c++filt'], input=said, check=True, capture_output=True, text=True).stdout
    kernels = {}
    for part in said.split("Compiling entry function '")[1:]:
        used = re.search(r'Used (\d+) registers', part)
        shared = re.search(r'(\d+) bytes smem', part)
        frame = re.search(r'(\d+) bytes stack frame, (\d+) bytes spill stores', part)
        kernels[plain_name(part[:part.index("' for ")])] = (int(used.group(1)), int(shared.group(1)) if shared else 0,
                                                            *map(int, frame.groups()))
    return kernels, elements


def found_in(module, target):
    """The same of a built module. What a kernel spills lies on its stack, which is all that a module tells."""
    tool = cuobjdump()
    said = subprocess.run([tool, '-res-usage', '-arch', f'sm_{target}', module], check=True, capture_output=True, text=True).stdout
    said = subprocess.run(['c++filt'], input=re.sub(r'(Function \w+):', r'\1', said), check=True, capture_output=True,
                          text=True).stdout
    used = re.findall(r'Function (.*)\n +REG:(\d+) STACK:(\d+) SHARED:(\d+)', said)
    kernels = {plain_name(name): (int(registers), int(shared), int(stack), 0) for name, registers, stack, shared in used}
    return kernels, counts_in(module, tool, target) if target in COUNTED else {}


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
    counted = {target: elements for target, (_, elements) in found.items() if elements}
    if counted:
        lines += ['', *ELEMENTS_SAID, '',
                  f"{'kernel':46}{'element':40}{'target':8}" + ''.join(f'{column:>14}' for column in COLUMNS)]
    for one in ELEMENTS:
        for target, elements in counted.items():
            if (one.kernel, one.element) in elements:
                *counts, loaded, stored = elements[one.kernel, one.element]
                cells = [*counts, loaded, one.loaded, stored, one.stored]
                lines.append(f"{one.kernel:46}{one.element:40}{'sm_' + target:8}"
                             + ''.join(f"{'-':>14}" if cell is None else f'{cell:14.2f}' for cell in cells))
    return lines


def check(file, found):
    """Compares what was found with a file, as TAP; returns whether a count grew."""
    with open(file, encoding='utf-8') as kept:
        before = kept_counts(kept.read().splitlines())
    now = kept_counts(tables(found))
    before = {key: value for key, value in before.items() if key[0] in found}
    kernels, kernels_before = ({key[:2] for key in counts} for counts in (now, before))
    # Stack and spills are 0 where they are not named. Counts of machine code are of an element.
    grew = [(element, f"{kernel} {element} on sm_{target}: {count} {before.get((target, kernel, element, count), 0)} before, "
             f"now {value}")
            for (target, kernel, element, count), value in sorted(now.items())
            if (target, kernel) in kernels_before and value > before.get((target, kernel, element, count), 0)]
    changed = [f'{kernel} on sm_{target}' for target, kernel in sorted(kernels ^ kernels_before)]
    heavy = [f'{kernel}, {element}, on sm_{target}: {value} bytes {count} of {now[target, kernel, element, fewest]}'
             for (target, kernel, element, count), value in now.items()
             for fewest in ('fewest' if count == 'loaded' else 'fewest stored',)
             if count in ('loaded', 'stored') and (target, kernel, element, fewest) in now
             and not 0.8 * now[target, kernel, element, fewest] <= value <= 1.15 * now[target, kernel, element, fewest]]
    special = [f'{kernel}, {element}, on sm_{target}: {now[target, kernel, element, "special"]} of {most}'
               for (kernel, element), most in MOST_SPECIAL.items() for target in found
               if now.get((target, kernel, element, 'special'), 0) > most]
    no_kernel = [f'{one.kernel}, {one.element}, on sm_{target}' for one in ELEMENTS for target in found
                 if (target, one.kernel) not in kernels]
    lost = [f'{one.kernel}, {one.element}, on sm_{target}' for one in ELEMENTS for target, (_, elements) in found.items()
            if target in COUNTED and (one.kernel, one.element) not in elements]
    not_kept = [f'{one.kernel}, {one.element}, on sm_{target}' for one in ELEMENTS for target in found
                if target in COUNTED and (target, one.kernel, one.element, 'loaded') not in before]
    known = {family(name) for name in [*UNCOUNTED, *(one.kernel for one in ELEMENTS)]}
    unknown = sorted({kernel for _, kernel in kernels if family(kernel) not in known})
    gone = sorted(name for name in UNCOUNTED if name not in {kernel for _, kernel in kernels})
    results = [('no count of the compiler grew', [line for element, line in grew if not element]),
               ('the file has the kernels that there are', changed),
               ('every element that is counted has its kernel', no_kernel),
               ('the file has the counts of their elements', not_kept),
               ('every kernel is counted or stands among those that are not, with the reason', unknown + gone),
               (f'{len(kernels)} kernels were looked at', [] if len(kernels) > 20 else ['too few'])]
    of_machine_code = [
        ('no count grew', [line for element, line in grew if element]),
        ('every element that is counted has its loop', lost),
        ('elements move at most 1.15 times the fewest bytes', heavy),
        ('distances are bounded by one reciprocal root of a pair, without another root or division', special)]
    of_machine_code = [(f'machine code: {text}', bad) for text, bad in of_machine_code]
    skipped = None if cuobjdump() else 'no cuobjdump (tests/tools/install_cuda_tools.sh installs it)'
    if not any(target in COUNTED for target in found):
        skipped = f'it is counted for sm_{" and sm_".join(COUNTED)} only'
    results += [] if skipped else of_machine_code
    for number, (text, bad) in enumerate(results, 1):
        print(f"{'not ok' if bad else 'ok'} {number} - {text}")
        for line in bad:
            print(f'# {line}')
    for number, (text, _) in enumerate(of_machine_code if skipped else [], len(results) + 1):
        print(f'ok {number} - {text} # SKIP {skipped}')
    if any(bad for _, bad in results):
        print(f'# where that is meant: tests/gpu/resources.py >{file}')
    print(f'1..{len(results) + (len(of_machine_code) if skipped else 0)}')
    return any(bad for _, bad in results)


def main():
    arguments, module = sys.argv[1:], None
    if '--module' in arguments:
        at = arguments.index('--module')
        module = arguments[at + 1]
        del arguments[at:at + 2]
    file = arguments[1] if arguments[:1] == ['--check'] else None
    targets = arguments[2:] if file else arguments
    targets = targets or ['80', '86', '89', '90']
    with ThreadPoolExecutor(2) as pool:
        look = (lambda target: found_in(module, target)) if module and cuobjdump() else compile_for
        found = dict(zip(targets, pool.map(look, targets)))
    if file:
        return check(file, found)
    print('\n'.join(tables(found)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
