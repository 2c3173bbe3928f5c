#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is exported is what the headers declare: headers = lib/alcore.map = `nm -D`; the static library defines nothing
without our prefix; the library opens no connection and knows no MPI, as hosts carry its messages; the size-first structs of
the headers are those of the ABI gate's suppression.

  symbols.py NM SHARED-LIBRARY STATIC-LIBRARY VERSION
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import headers  # noqa: E402
import symbol_map  # noqa: E402
from tap import Tap  # noqa: E402

# What a library calls that opens a connection, or speaks to other machines through another one.
NETWORK = re.compile(r'socket|socketpair|bind|connect|listen|accept4?|(send|recv)(to|from|m?msg)?|[gs]etsockopt|shutdown|getaddrinfo|gethost\w+|'
                     r'inet_\w+|res_\w+|P?MPI_\w+|nccl\w+|ucp_\w+|curl_\w+|SSL_\w+')


def lines(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def compare(tap, name, left, right):
    """Two sets of symbols, with their difference."""
    detail = [f'only in the first: {symbol}' for symbol in sorted(left - right)]
    detail += [f'only in the second: {symbol}' for symbol in sorted(right - left)]
    detail.append('python3 tests/tools/update_map.py brings lib/alcore.map up to the headers')
    tap.check(left == right, name, '\n'.join(detail))


def main():
    nm, shared, static, version = sys.argv[1:]
    tap = Tap()
    declared = set(headers.functions())
    nodes = symbol_map.read()
    mapped = {symbol for node in nodes for symbol in node.symbols}
    compare(tap, 'headers = map', declared, mapped)
    found = {}
    for line in lines(nm, '-D', '--defined-only', '--with-symbol-versions', shared):
        address, kind, name = line.split()[-3:]
        if kind != 'A':
            symbol, _, node = name.partition('@')
            found[symbol] = node.lstrip('@')
    compare(tap, 'map = nm -D', mapped, set(found))
    wrong = [f'{symbol}@{found.get(symbol)}, not {node.name}' for node in nodes for symbol in node.symbols
             if found.get(symbol) != node.name]
    tap.check(not wrong, 'every symbol carries the node of the minor release that brought it', '\n'.join(wrong))
    minor = '.'.join(version.split('.')[:2])
    newest = nodes[0].name
    tap.check(tuple(map(int, newest.split('_')[1].split('.'))) <= tuple(map(int, minor.split('.'))),
              'no node is newer than the release', f'{newest} in release {version}')
    tap.check(all(list(node.symbols) == sorted(node.symbols) for node in nodes), 'the map is sorted')
    sections = {}
    for line in lines(nm, '--format=sysv', '-g', '--defined-only', static):
        parts = [part.strip() for part in line.split('|')]
        if len(parts) == 7 and parts[1]:
            sections[parts[0]] = parts[6]
    # Sanitizers and the compiler add names with two leading underscores.
    foreign = sorted(name for name in sections if not name.startswith(('alcore_', '__')))
    tap.check(not foreign, 'the static library defines names with our prefix only', '\n'.join(foreign))
    public = {name for name in sections if re.match(r'alcore_[a-z]', name)}
    compare(tap, 'headers = public names of the static library', declared, public)
    # .data.rel.ro holds tables of pointers, which the loader seals; what a thread owns (.tbss) is
    # not the process's.
    writable = sorted(name for name, section in sections.items() if name.startswith('alcore_') and
                      section.startswith(('.data', '.bss', '*COM*')) and '.rel.ro' not in section)
    tap.check(not writable, 'no writable global', '\n'.join(writable))
    hidden = sorted(line.split()[-1] for line in lines(nm, '-D', '--undefined-only', shared) if 'createState' in line)
    tap.check(not hidden, 'xxHash allocates nothing behind the allocator of a context', '\n'.join(hidden))
    undefined = {line.split()[-1].partition('@')[0] for line in lines(nm, '-D', '--undefined-only', shared)}
    network = sorted(filter(NETWORK.fullmatch, undefined))
    tap.check('malloc' in undefined and not network, 'no function of networks or MPI', '\n'.join(network))
    with open(os.path.join(headers.ROOT, 'tests', 'abi', 'size_first.suppr'), encoding='utf-8') as file:
        listed = sorted(re.search(r'name_regexp = \^\((.*)\)\$', file.read()).group(1).split('|'))
    tap.check(listed == headers.size_first_structs(), 'the suppression names the size-first structs',
              'python3 tests/tools/update_map.py renews it')
    tap.finish()


main()
