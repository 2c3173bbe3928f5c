# SPDX-License-Identifier: Apache-2.0
"""Reads and writes lib/alcore.map: for the core one version node per minor release, newest first, each standing on the one
before; for alcore/extra/ a node of its own, which stands alone. Symbols are sorted."""
import os
import re
from collections import namedtuple

from headers import ROOT

PATH = os.path.join(ROOT, 'lib', 'alcore.map')
EXTRA = 'ALCORE_EXTRA_'
Node = namedtuple('Node', 'name symbols')


def read():
    with open(PATH, encoding='utf-8') as file:
        text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.DOTALL)
    return [Node(name, re.findall(r'^\s+(alcore_\w+);', body, flags=re.MULTILINE))
            for name, body in re.findall(r'(ALCORE_[A-Z\d._]+) \{(.*?)\}', text, flags=re.DOTALL)]


def write(nodes):
    """The oldest node of the core hides everything that no node names."""
    core = [node for node in nodes if not node.name.startswith(EXTRA)]
    text = '/* Written by tests/tools/update_map.py from the headers; a test compares the two. */\n'
    for node in core + [node for node in nodes if node.name.startswith(EXTRA)]:
        text += f'{node.name} {{\nglobal:\n' + ''.join(f'    {symbol};\n' for symbol in sorted(node.symbols))
        if node == core[-1]:
            text += 'local:\n    *;\n'
        below = f' {core[core.index(node) + 1].name}' if node in core[:-1] else ''
        text += f'}}{below};\n\n'
    with open(PATH, 'w', encoding='utf-8') as file:
        file.write(text.rstrip('\n') + '\n')
