#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The order of dependence (lib/README.md): a folder of lib/ includes only folders before it, engines see the tables in
include/alcore/sys/ only, nothing includes an engine, and what stands outside lib/ sees the public headers only. No file of
lib/ casts const away."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from headers import INCLUDE, ROOT  # noqa: E402
from tap import Tap  # noqa: E402

# The rooms of lib/ in the order of lib/README.md. Two rooms of one rank do not see each other.
RANK = {'base': 0, 'kernel': 1, 'text': 1, 'formats': 2, 'tokenizer': 3, 'pool': 4, 'phrase': 5, 'search': 5, 'model': 7, 'scorer': 8,
        'strategy': 9, 'request': 10, 'selection': 11, 'select': 12, 'extra/aligner': 20, 'extra/lm': 20, 'extra/tokenizer': 20,
        'extra/overlap': 21, 'extra/metric': 22, 'extra/plot': 23, 'extra/stop': 20, 'extra/analysis': 24, 'extra/annotation': 24,
        'extra/mix': 25, 'extra/translating': 20, 'extra/tool': 25, 'extra/project': 27, 'extra/training': 26, 'extra/experiment': 27, 'extra/job': 20,
        'extra/served': 20, 'extra/prompting': 20, 'extra/structs': 28}
ENGINES = ('engines/cpu', 'engines/cuda', 'engines/torch')
# The room of a public header, where its name is not that of the room; the tables of sys/ are for
# every room.
PUBLIC = {'export': 'base', 'gone': 'base', 'status': 'base', 'context': 'base', 'tensor': 'base', 'version': 'base', 'param': 'base',
          'remedy': 'base', 'sys/dtype': 'base', 'sys/host': 'base', 'sys/kernel': 'base', 'sys/model': 'base', 'format': 'formats', 'budget': 'strategy', 'selection': 'strategy',
          'pool_column': 'pool', 'arrow': 'pool', 'logits': 'scorer', 'view': 'scorer', 'alcore': 'select', 'extra': 'extra/structs',
          'extra/narrow_type': 'model', 'extra/comparison': 'extra/analysis', **{'extra/metric_' + part: 'extra/metric' for part in ('common', 'labels', 'statistics', 'translation', 'words')}}
LIB = os.path.join(ROOT, 'lib')
# What the command and the modules of Lua compile in themselves: numbers have one grammar
# (tests/docs/number_grammar.py) and words of choices one list, and the library exports no
# function for them.
COMPILED_IN = {'lib/base/number.h', 'lib/base/number.c', 'lib/base/output_path.h', 'lib/base/word_list.h',
               'lib/extra/tool/tool_choices.h', 'lib/extra/training/training_choices.h'}


def sources(folder):
    for directory, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            if name.endswith(('.c', '.h', '.cc', '.cpp', '.cu', '.cuh', '.inc')):
                yield os.path.join(directory, name)


def includes(path):
    """(line number, included path, or None for a header of the system)."""
    with open(path, encoding='utf-8') as lines:
        for number, line in enumerate(lines, 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not match:
                continue
            name = match.group(2)
            if name.startswith('alcore/') or name == 'alcore.h':
                yield number, os.path.join(INCLUDE, name)
            elif match.group(1) == '"':
                beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
                yield number, beside if os.path.exists(beside) else os.path.join(LIB, name)


def folder_of(path):
    """('lib', folder), ('public', folder) or ('other', path)."""
    if path.startswith(INCLUDE + os.sep):
        name = os.path.relpath(path, os.path.join(INCLUDE, 'alcore'))[:-2]
        return 'public', PUBLIC.get(name, name)
    if path.startswith(LIB + os.sep):
        parts = os.path.relpath(path, LIB).split(os.sep)
        return 'lib', '/'.join(parts[:2] if parts[0] in ('engines', 'extra') else parts[:1])
    return 'other', path


def allowed(source, path):
    """Whether a file of folder `source` may include path."""
    kind, target = folder_of(path)
    if kind == 'other':
        return False
    if source in ENGINES:
        return path.startswith(os.path.join(INCLUDE, 'alcore', 'sys')) or (kind == 'lib' and target == source)
    if target in ENGINES:
        return False
    if target == source:
        return True
    if source == 'kernel':
        return target == 'base'
    return target in RANK and RANK[target] < RANK[source]


def main():
    tap = Tap()
    folders = sorted({folder_of(path)[1] for path in sources(LIB)})
    for folder in folders:
        if not tap.check(folder in RANK or folder in ENGINES, f'lib/{folder} has a place in the order'):
            continue
        wrong = [f'{os.path.relpath(path, ROOT)}:{line} includes {os.path.relpath(target, ROOT)}'
                 for path in sources(os.path.join(LIB, folder)) for line, target in includes(path)
                 if not allowed(folder, target)]
        tap.check(not wrong, f'lib/{folder} includes only what stands before it', '\n'.join(wrong))
    wrong = [f'{os.path.relpath(path, ROOT)}:{line} includes {os.path.relpath(target, ROOT)}'
             for path in sources(INCLUDE) if not path.endswith('alcore/alcore.h') for line, target in includes(path)
             if not allowed(folder_of(path)[1], target)]
    tap.check(not wrong, 'public headers include only what stands before them', '\n'.join(wrong))
    wrong = [f'{os.path.relpath(path, ROOT)}:{line} includes {os.path.relpath(target, ROOT)}'
             for outside in ('bindings', 'examples') for path in sources(os.path.join(ROOT, outside))
             for line, target in includes(path)
             if target.startswith(LIB + os.sep) or target.startswith(os.path.join(INCLUDE, 'alcore', 'sys'))
             if os.path.exists(target)  # else the build makes it
             if os.path.relpath(target, ROOT) not in COMPILED_IN]
    tap.check(not wrong, 'bindings and examples see the public headers only', '\n'.join(wrong))
    wrong = [f'{os.path.relpath(path, ROOT)}: {cast}' for path in sources(LIB)
             for cast in re.findall(r'\([\w ]+\*\)\(uintptr_t\)\s*[\w>.&-]+', open(path, encoding='utf-8').read())
             if not cast.startswith('(const void *)')]  # dladdr() asks for the address of a function
    tap.check(not wrong, 'no pointer goes through an integer to lose its const', '\n'.join(wrong))
    names = {}
    for path in list(sources(LIB)) + list(sources(os.path.join(ROOT, 'bindings'))) + list(sources(INCLUDE)):
        # alcore/model.h is what users call, alcore/sys/model.h what modules fill: a name counts
        # with its tier.
        tier = 'sys/' if path.startswith(os.path.join(INCLUDE, 'alcore', 'sys')) else ''
        names.setdefault(tier + os.path.basename(path), []).append(os.path.relpath(path, ROOT))
    # A public header and the internal one of the same noun may not share a name either.
    twice = [' '.join(paths) for paths in names.values() if len(paths) > 1]
    tap.check(not twice, 'file names are unique over the tree', '\n'.join(twice))
    tap.finish()


main()
