#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public function that can be cancelled while it runs has a case in the walk of cancellations; in TAP. Such a function's @return
names ALCORE_E_CANCELLED, or another function that it returns the codes of. (That a cancelled context refuses every call is said once, in
status.h.) One that calls the progress function is cancelled by what that returns, so its @return must name the code too.

  cancel_list.py SOURCE"""
import glob
import os
import re
import sys


def names_code(returns, name, above=()):
    """Whether the @return of a function, or of one that it refers to, names the code. above: the functions that led here."""
    text = returns.get(name, '')
    return 'ALCORE_E_CANCELLED' in text or any(names_code(returns, other, (*above, name))
                                               for other in re.findall(r'(alcore_\w+)\(\)', text) if other not in (*above, name))


def main():
    source = sys.argv[1]
    with open(os.path.join(source, 'tests', 'fault', 'cancel_calls.c'), encoding='utf-8') as file:
        walked = set(re.findall(r'\{"(alcore_\w+)", ', file.read()))
    returns, reporting = {}, set()
    for path in glob.glob(os.path.join(source, 'include', 'alcore', '**', '*.h'), recursive=True):
        with open(path, encoding='utf-8') as file:
            for comment, name in re.findall(r'/\*\*((?:(?!\*/).)*)\*/\s*ALCORE_API\s+alcore_status\s+(alcore_\w+)\(', file.read(), re.S):
                returns[name] = ' '.join(re.findall(r'@return\b[^@]*', comment))
                if re.search(r'@callback[^@]*\bprogress\b', comment):
                    reporting.add(name)
    cancelled = {name for name in returns if names_code(returns, name)}
    print('1..3')
    for number, (names, title) in enumerate(((cancelled - walked, 'every call that can be cancelled is walked'),
                                             (walked - cancelled, 'every walked call says that it can be cancelled'),
                                             (reporting - cancelled, 'every call that reports progress says that it can be cancelled')), 1):
        print('%s %d %s' % ('not ok' if names else 'ok', number, title))
        for name in sorted(names):
            print('# ' + name)
    return 0 if reporting and not cancelled ^ walked and not reporting - cancelled else 1


if __name__ == '__main__':
    sys.exit(main())
