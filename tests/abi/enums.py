#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The enums of the public headers: each has a tag, no two have a value in common, no named value is 0, and docs/abi.md has them
all; every argument and every member of a struct that takes one is in the walk of tests/abi/enum_walk.c. In TAP."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import enums  # noqa: E402
import headers  # noqa: E402
from tap import Tap  # noqa: E402

WALK = os.path.join(headers.ROOT, 'tests', 'abi', 'enum_walk.c')
#: What says an enum and is not taken from a caller: what the library fills in, and what a host's
#: function is given.
GIVEN = {('alcore_column_info', name) for name in ('dtype', 'shape', 'meaning')} | {
    ('alcore_param_info', 'type'), ('alcore_remedy', 'kind'), ('alcore_stop_decision', 'criterion'), ('alcore_tool_info', 'span_unit'),
    ('alcore_project_status', 'unit'), ('alcore_device', 'type'), ('alcore_dtype', 'code'), ('alcore_log_function', 'level')}


def overlap(one, other):
    """Values of two enums that are equal, and bits of a flag word that a value of the other has too."""
    equal = {value for _, value in one.values} & {value for _, value in other.values}
    if {one.tag, other.tag} & enums.DLPACK or 'alcore_status_code' in (one.tag, other.tag):
        return set()
    both = one.tag in enums.FLAGS and other.tag in enums.FLAGS
    if both:
        masks = [0, 0]
        for at, enum in enumerate((one, other)):
            for _, value in enum.values:
                masks[at] |= value
        return equal | ({masks[0] & masks[1]} - {0})
    return equal


def check_values(tap, found):
    tap.check(not [enum for enum in found if not enum.tag], 'every enum has a tag',
              '\n'.join('%s: %s' % (enum.header, enum.values[0][0]) for enum in found if not enum.tag))
    tags = [enum.tag for enum in found]
    tap.check(len(set(tags)) == len(tags), 'the tags differ')
    zero = [name for enum in found if enum.tag not in enums.DLPACK for name, value in enum.values if value == 0]
    tap.check(zero == ['ALCORE_OK'], 'no named value is 0 but ALCORE_OK', ' '.join(zero))
    clashes = ['%s and %s: %s' % (one.tag, other.tag, sorted(overlap(one, other)))
               for at, one in enumerate(found) for other in found[:at] if overlap(one, other)]
    tap.check(not clashes, 'no two enums have a value in common', '\n'.join(clashes))
    apart = ['%s: %s' % (enum.tag, name) for enum in found if enum.tag not in enums.FLAGS | enums.DLPACK | {'alcore_status_code'}
             for name, value in enum.values if value // 100 != enum.values[0][1] // 100 or value >= 8192]
    tap.check(not apart, 'an enum stays in its hundred, below 8192', '\n'.join(apart))
    anonymous = [name for name in headers.names() if re.search(r'\benum\s*\{', headers.code(name))]
    tap.check(not anonymous, 'no enum of alcore/sys/ is without a tag either', ' '.join(anonymous))


def comments(name):
    path = os.path.join(headers.INCLUDE, name)
    with open(path if os.path.exists(path) else path + '.in', encoding='utf-8') as file:
        return file.read()


def names_enum(text, prefixes):
    """Whether a comment says that an argument or member is of an enum."""
    return any(re.search(r'\b%s(\*|[A-Z0-9_]*\b)' % re.escape(prefix), text) for prefix in prefixes)


def takers(found):
    """(function or struct, argument or member) of everything that takes an enum, by what its comment says."""
    prefixes = [enums.prefix(enum) for enum in found if enum.tag not in enums.DLPACK | {'alcore_status_code'}]
    prefixes = [prefix for prefix in prefixes if prefix != 'ALCORE_'] + ['ALCORE_FLOAT', 'ALCORE_KEEP']
    for name in headers.names():
        if name.startswith('alcore/sys/'):
            continue
        text = comments(name)
        for struct, body in re.findall(r'typedef struct (alcore_\w+) \{(.*?)\n\} \1;', text, re.DOTALL):
            members = re.findall(r'((?:/\*\*(?:(?!\*/).)*\*/\s*)?)u?int32_t (\w+);((?:[ \t]*/\*\*<(?:(?!\*/).)*\*/)?)', body, re.DOTALL)
            for before, member, behind in members:
                if names_enum(behind or before, prefixes):
                    yield struct, member
        for comment, function, arguments in re.findall(
                r'/\*\*((?:(?!\*/).)*)\*/\s*(?:ALCORE_API [^;(]*?|typedef void \(\*)(alcore_\w+)\)?\s*\(([^;]*)\);', text, re.DOTALL):
            for argument, words in re.findall(r'@param\[in\] (\w+) ((?:(?!@).)*)', comment, re.DOTALL):
                if re.search(r'\bu?int32_t %s\b' % argument, arguments) and names_enum(words, prefixes):
                    yield function, argument


def check_walk(tap, found):
    with open(WALK, encoding='utf-8') as file:
        walked = set(re.findall(r'\{"(\w+)", "(\w+)",', file.read()))
    taken = set(takers(found)) - GIVEN
    tap.check(len(taken) > 50, '%d arguments and members take an enum' % len(taken))
    missing = sorted(taken - walked)
    tap.check(not missing, 'each is in the walk', '\n'.join('%s %s' % pair for pair in missing))
    gone = sorted(pair for pair in walked if pair not in taken)
    tap.check(not gone, 'the walk has nothing else', '\n'.join('%s %s' % pair for pair in gone))


def main():
    tap = Tap()
    found = enums.read()
    tap.check(len(found) > 45, '%d enums' % len(found))
    check_values(tap, found)
    with open(os.path.join(headers.ROOT, 'docs', 'abi.md'), encoding='utf-8') as file:
        tap.check(enums.table() in file.read(), 'docs/abi.md has the table of tests/tools/enums.py')
    check_walk(tap, found)
    tap.finish()


main()
