#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sentences of the headers that promise behaviour, and the tests that fail when one is broken.

tests/abi/sentences/HEADER.tsv has a line for each promise: words of the sentence, a TAB, its tests.
    alcore_pool_add_texts | All of them or, on failure, none<TAB>pool/test_pool_rows: wrong_arguments
The words are found once in the header, however it breaks its lines, or once in the paragraph that
declares the name before " | ". Tests are ROOM/SOURCE: CASE, CASE; ROOM/SOURCE: ...; the source is
named without its ending and lies somewhere in a folder ROOM of tests or bindings. A case is a
START_TEST, a function of Python, a macro's use such as CASE(name), or begins a quoted title. TAP."""
import collections
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import headers  # noqa: E402
from headers import ROOT  # noqa: E402
from tap import Tap  # noqa: E402

LISTS = os.path.join(ROOT, 'tests', 'abi', 'sentences')
SOURCES = ('.c', '.h', '.cpp', '.cu', '.py', '.lua', '.sh')
#: Headers without promises of their own: what they say is kept by other tests.
WITHOUT = {'alcore/extra.h', 'alcore/gone.h', 'alcore/extra/metric.h'}
DECLARES = r'\b{0}\(|(?:struct|enum) {0} \{{|define {0}\b|\(\*{0}\)|(?:\}}|struct \w+) {0};'
CASE = r'START_TEST\({0}\)|\bdef {0}\(|\b[A-Z_]+\({0}\b|["\']{0}(?!\w)'


def plain(text):
    """The words of a piece of a header, without the marks of its comments and the ends of its lines."""
    return ' '.join(re.sub(r'/\*\*<?|\*/|^\s*\*(?=\s|$)', ' ', text, flags=re.M).split())


def scope_of(header, name):
    """The paragraphs of a header that declare a name."""
    pattern = DECLARES.format(re.escape(name))
    return '\n\n'.join(part for part in header.split('\n\n')
                       if re.search(pattern, re.sub(r'/\*.*?\*/', '', part, flags=re.S)))


def times_found(header, key):
    name, bar, words = key.partition(' | ')
    text = plain(scope_of(header, name) if bar else header)
    return len(re.findall(r'(?<!\w)%s' % re.escape(plain(words if bar else key)), text))


def sources():
    """{name of a source without its ending: [(its folders, its text)]}."""
    found = collections.defaultdict(list)
    for top in ('tests', 'bindings'):
        for path in glob.glob(os.path.join(ROOT, top, '**', '*'), recursive=True):
            stem, ending = os.path.splitext(os.path.basename(path))
            if ending in SOURCES and os.path.isfile(path):
                with open(path, encoding='utf-8', errors='replace') as file:
                    found[stem].append((os.path.relpath(path, ROOT).split(os.sep)[:-1], file.read()))
    return found


def has_case(text, case):
    return re.search(CASE.format(re.escape(case)), text)


def missing_tests(tests, found):
    """Faults of the second column of a line."""
    for group in tests.split('; '):
        program, colon, cases = group.partition(': ')
        room, slash, stem = program.strip().rpartition('/')
        texts = [text for folders, text in found.get(stem, ()) if room in folders]
        if not colon or not slash or not texts:
            yield 'no source %s' % (program or group)
            continue
        for case in cases.split(', '):
            if not any(has_case(text, case.strip()) for text in texts):
                others = sorted('%s/%s' % (folders[-1], other) for other, files in found.items()
                                for folders, text in files if 'START_TEST(%s)' % case in text or 'def %s(' % case in text)
                yield '%s has no case %s%s' % (program, case, '; it is in ' + ', '.join(others) if others else '')


def open_header(name):
    path = os.path.join(ROOT, 'include', 'alcore', name + '.h')
    with open(path if os.path.exists(path) else path + '.in', encoding='utf-8') as file:
        return file.read()


def check_list(tap, path, found):
    name = os.path.relpath(path, LISTS)[:-len('.tsv')]
    header = open_header(name)
    with open(path, encoding='utf-8') as file:
        lines = [line.rstrip('\n') for line in file if line.strip() and not line.startswith('#')]
    faults, promises, cases = [], set(), set()
    for line in lines:
        key, tab, tests = line.partition('\t')
        count = times_found(header, key)
        if not tab or count != 1:
            faults.append('"%s" is found %d times in the header' % (key, count) if tab else 'no TAB: ' + line)
        if key in promises:
            faults.append('"%s" is listed twice' % key)
        faults.extend('"%s": %s' % (key, fault) for fault in missing_tests(tests, found))
        promises.add(key)
        cases.update(tests.split('; '))
    tap.check(lines and not faults, '%s.h: %d promises, %d tests' % (name, len(promises), len(cases)), '\n'.join(faults))


def check_itself(tap):
    """The check sees what it is for."""
    header = '/** Adds. All or\n * none. */\nint f(int);\n\n/** Takes. All or\n * none. */\nint g(int); /**< one */'
    tap.check([times_found(header, key) for key in ('All or none', 'f | All or none', 'g | one', 'f | one', 'Adds. None')] == [2, 1, 1, 0, 0],
              'words are found over the ends of lines, in what declares a name')
    found = {'test_a': [(['tests', 'unit', 'pool'], 'START_TEST(one) { call(tw, "three of them")')]}
    tap.check([len(list(missing_tests(tests, found))) for tests in
               ('pool/test_a: one, three of', 'pool/test_a: one, tw', 'pool/test_a: on', 'text/test_a: one', 'pool/test_b: one', 'test_a: one', '')] == [0, 1, 1, 1, 1, 1, 1],
              'a test that is not there is missed')


def main():
    tap = Tap()
    check_itself(tap)
    found = sources()
    lists = sorted(glob.glob(os.path.join(LISTS, '**', '*.tsv'), recursive=True))
    for path in lists:
        check_list(tap, path, found)
    listed = {'alcore/' + os.path.relpath(path, LISTS)[:-len('.tsv')] + '.h' for path in lists}
    wanted = {name for name in headers.names() if not name.startswith('alcore/sys/')} - WITHOUT
    tap.check(wanted <= listed, 'every header has a list', '\n'.join(sorted(wanted - listed)))
    tap.finish()


main()
