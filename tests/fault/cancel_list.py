#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every public function that can be cancelled while it runs has a case in the walk of cancellations; in TAP. Such a function's @return
names ALCORE_E_CANCELLED, or another function that it returns the codes of. Where the code is named with "(by progress" the function
saves or sets, and its case is in the second table. One that calls the progress function is cancelled by what that returns, so its @return must name the code too.

  cancel_list.py SOURCE"""
import glob
import os
import re
import sys


# Cancelled by other tests: an engine polls while it reads weights, which the engine of the walk has
# none of (test_model_engine.c).
ELSEWHERE = {'alcore_model_open'}
LONG, SAVING = r'ALCORE_E_CANCELLED(?!\s+\(by progress)', r'ALCORE_E_CANCELLED\s+\(by progress'


def names_code(returns, name, code, above=()):
    """Whether the @return of a function, or of one that it refers to, names the code. above: the functions that led here."""
    text = returns.get(name, '')
    return re.search(code, text) is not None or any(names_code(returns, other, code, (*above, name)) for other in
                                                    re.findall(r'(alcore_\w+)\(\)', text) if other not in (*above, name))


def entries(source):
    """Functions of the library that enter a call, name -> the text of its body."""
    found = {}
    for path in glob.glob(os.path.join(source, 'lib', '**', '*.c'), recursive=True):
        with open(path, encoding='utf-8') as file:
            for name, body in re.findall(r'^(?:alcore_status|static alcore_status) (\w+)\([^;{]*?\) \{\n(.*?)^\}', file.read(), re.S | re.M):
                found[name] = body
    return found


def main():
    source = sys.argv[1]
    with open(os.path.join(source, 'tests', 'fault', 'cancel_calls.c'), encoding='utf-8') as file:
        walked, saving = (set(re.findall(r'\{"(alcore_\w+)", ', table)) for table in file.read().split('cancel_call SAVING_CALLS'))
    returns, reporting = {}, set()
    for path in glob.glob(os.path.join(source, 'include', 'alcore', '**', '*.h'), recursive=True):
        with open(path, encoding='utf-8') as file:
            for comment, name in re.findall(r'/\*\*((?:(?!\*/).)*)\*/\s*ALCORE_API\s+alcore_status\s+(alcore_\w+)\(', file.read(), re.S):
                returns[name] = ' '.join(re.sub(r'\n \*', ' ', ' '.join(re.findall(r'@return\b[^@]*', comment))).split())
                if re.search(r'@callback[^@]*\bprogress\b', comment):
                    reporting.add(name)
    cancelled = {name for name in returns if names_code(returns, name, LONG)}
    saved = {name for name in returns if names_code(returns, name, SAVING)} - cancelled
    polls = {'alcore_ctx_poll', 'alcore_view_poll'}  # ask whether another call was cancelled
    cancelled -= polls
    reporting -= polls | saved
    bodies = entries(source)
    is_long = r'\balcore__(?:enter_long|enter_request|pool_long_\w+_begin|request_begin_long)\('
    is_short = r'\balcore__(?:enter\((?!NULL)|pool_(?:change|read)_begin|request_begin)\b'
    wrong = {name for name in returns if name in bodies and
             (name in cancelled and re.search(is_short, bodies[name]) and not re.search(is_long, bodies[name]) or
              name not in cancelled and re.search(is_long, bodies[name]))}
    print('1..6')
    for number, (names, title) in enumerate(((cancelled - walked - ELSEWHERE, 'every call that can be cancelled is walked'),
                                             (walked - cancelled, 'every walked call says that it can be cancelled'),
                                             (saved - saving, 'every call that progress alone ends is walked'),
                                             (saving - saved, 'every walked call that saves says that progress ends it'),
                                             (wrong, 'every call begins as its comment says: as a long one, or as one that no cancel ends'),
                                             (reporting - cancelled, 'every call that reports progress says that it can be cancelled')), 1):
        print('%s %d %s' % ('not ok' if names else 'ok', number, title))
        for name in sorted(names):
            print('# ' + name)
    return 0 if reporting and not (cancelled ^ walked) - ELSEWHERE and not saved ^ saving and not wrong and not reporting - cancelled else 1


if __name__ == '__main__':
    sys.exit(main())
