#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public function whose comment says that it calls the progress function, and so may last, has a case in the walk of
cancellations; in TAP.

  cancel_list.py SOURCE"""
import glob
import os
import re
import sys


def main():
    source = sys.argv[1]
    with open(os.path.join(source, 'tests', 'fault', 'cancel_calls.c'), encoding='utf-8') as file:
        walked = set(re.findall(r'\{"(alcore_\w+)", ', file.read()))
    long_calls = set()
    for path in glob.glob(os.path.join(source, 'include', 'alcore', '*.h')):
        with open(path, encoding='utf-8') as file:
            for comment, name in re.findall(r'/\*\*((?:(?!\*/).)*)\*/\s*ALCORE_API\s+[^;()]*?(alcore_\w+)\(', file.read(), re.S):
                if re.search(r'@callback[^@]*\bprogress\b', comment):
                    long_calls.add(name)
    print('1..2')
    for number, (names, title) in enumerate(((long_calls - walked, 'every long call is walked'),
                                             (walked - long_calls, 'every walked call says that it may be long')), 1):
        print('%s %d %s' % ('not ok' if names else 'ok', number, title))
        for name in sorted(names):
            print('# ' + name)
    return 0 if long_calls and not long_calls ^ walked else 1


if __name__ == '__main__':
    sys.exit(main())
