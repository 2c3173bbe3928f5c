# SPDX-License-Identifier: Apache-2.0
"""Reads and writes lib/alcore.map: one version node per minor release, newest first, sorted symbols."""
import os
import re
from collections import namedtuple

from headers import ROOT

PATH = os.path.join(ROOT, 'lib', 'alcore.map')
Node = namedtuple('Node', 'name symbols')


def read():
    with open(PATH, encoding='utf-8') as file:
        text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.DOTALL)
    return [Node(name, re.findall(r'^\s+(alcore_\w+);', body, flags=re.MULTILINE))
            for name, body in re.findall(r'(ALCORE_[\d.]+) \{(.*?)\}', text, flags=re.DOTALL)]


def write(nodes):
    """The oldest node hides everything that no node names; each newer one stands on the one before."""
    text = '/* Written by tests/tools/update_map.py from the headers; a test compares the two. */\n'
    for index, node in enumerate(nodes):
        text += f'{node.name} {{\nglobal:\n' + ''.join(f'    {symbol};\n' for symbol in sorted(node.symbols))
        if index == len(nodes) - 1:
            text += 'local:\n    *;\n};\n'
        else:
            text += f'}} {nodes[index + 1].name};\n\n'
    with open(PATH, 'w', encoding='utf-8') as file:
        file.write(text)
