#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Brings lib/alcore.map and the ABI gate's list of growing structs up to the headers. A new function goes to the node of the
present minor release; a function keeps the node it has; one that left the headers leaves the map."""
import os
import re

import headers
import symbol_map

with open(os.path.join(headers.ROOT, 'meson.build'), encoding='utf-8') as file:
    minor = '.'.join(re.search(r"version: '([\d.]+)'", file.read()).group(1).split('.')[:2])
declared = set(headers.functions())
nodes = [symbol_map.Node(node.name, [symbol for symbol in node.symbols if symbol in declared])
         for node in symbol_map.read()]
known = {symbol for node in nodes for symbol in node.symbols}
new = sorted(declared - known)
if new:
    present = 'ALCORE_' + minor
    if not nodes or nodes[0].name != present:
        nodes.insert(0, symbol_map.Node(present, []))
    nodes[0].symbols.extend(new)
symbol_map.write([node for node in nodes if node.symbols])

with open(os.path.join(headers.ROOT, 'tests', 'abi', 'size_first.suppr'), 'w', encoding='utf-8') as file:
    file.write('# Written by tests/tools/update_map.py. A size-first struct may grow at its end, and nowhere else.\n'
               '[suppress_type]\n  type_kind = struct\n'
               f"  name_regexp = ^({'|'.join(headers.size_first_structs())})$\n"
               '  has_data_member_inserted_at = end\n')
print(f'{len(declared)} functions, {len(new)} of them new')
