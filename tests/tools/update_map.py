#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brings lib/alcore.map and the ABI gate's list of growing structs up to the headers. A new function of the core goes to the node
of the present minor release; a function of the core keeps the node it has. All functions of alcore/extra/ are in one node; once one
of them goes, the node has the number of the present minor release, so that a program which uses the old ones is not loaded."""
import os
import re

import headers
import symbol_map

with open(os.path.join(headers.ROOT, 'meson.build'), encoding='utf-8') as file:
    minor = re.search(r"version: '(\d+\.\d+)\.", file.read()).group(1)
declared = headers.functions()
extra = {name for name, header in declared.items() if header.startswith('alcore/extra/')}
core = set(declared) - extra
before = symbol_map.read()
nodes = [symbol_map.Node(node.name, [symbol for symbol in node.symbols if symbol in core])
         for node in before if not node.name.startswith(symbol_map.EXTRA)]
known = {symbol for node in nodes for symbol in node.symbols}
new = sorted(core - known)
if new:
    present = 'ALCORE_' + minor
    if not nodes or nodes[0].name != present:
        nodes.insert(0, symbol_map.Node(present, []))
    nodes[0].symbols.extend(new)
old = [node for node in before if node.name.startswith(symbol_map.EXTRA)]
kept = old and not set(old[0].symbols) - extra
nodes.append(symbol_map.Node(old[0].name if kept else symbol_map.EXTRA + minor, sorted(extra)))
symbol_map.write([node for node in nodes if node.symbols])

with open(os.path.join(headers.ROOT, 'tests', 'abi', 'size_first.suppr'), 'w', encoding='utf-8') as file:
    file.write('# Written by tests/tools/update_map.py. A size-first struct may grow at its end, and nowhere else.\n'
               '[suppress_type]\n  type_kind = struct\n'
               f"  name_regexp = ^({'|'.join(headers.size_first_structs())})$\n"
               '  has_data_member_inserted_at = end\n')
print(f'{len(core)} functions of the core, {len(new)} of them new; {len(extra)} of extra')
