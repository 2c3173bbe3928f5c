#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every function whose comment names ALCORE_E_BUSY answers it while another call uses one of its handles, and every function that
answers it says so in its comment, itself or by the function whose codes it returns. In TAP.

  busy_walk.py PROGRAM MAP SOURCE"""
import glob
import os
import re
import subprocess
import sys


# A column writer has a lock of its own (tests/unit/pool/test_column_writer.c).
ELSEWHERE = {'alcore_column_writer_put', 'alcore_column_writer_put_in_stream', 'alcore_column_writer_missing', 'alcore_column_writer_save',
             'alcore_column_writer_merge', 'alcore_logits_put', 'alcore_logits_put_topk'}

# Calls in whose case only another one answers: that which runs the translating function.
OTHERS = {'alcore_outputs_put'}


def names_code(returns, name, above=()):
    """Whether the comment of a function, or of one that it refers to, names the code. above: the functions that led here."""
    text = returns.get(name, '')
    return 'ALCORE_E_BUSY' in text or any(names_code(returns, other, (*above, name))
                                          for other in re.findall(r'(alcore_\w+)\(\)', text) if other not in (*above, name))


def main():
    program, map_file, source = sys.argv[1:]
    done = subprocess.run([program, map_file], capture_output=True, text=True)
    answered = set(re.findall(r'^# busy (alcore_\w+)$', done.stdout, re.M))
    returns = {}
    for path in glob.glob(os.path.join(source, 'include', 'alcore', '**', '*.h'), recursive=True):
        with open(path, encoding='utf-8') as file:
            for comment, name in re.findall(r'/\*\*((?:(?!\*/).)*)\*/\s*ALCORE_API\s+alcore_status\s+(alcore_\w+)\(', file.read(), re.S):
                returns[name] = ' '.join(re.findall(r'@(?:return|threadsafe|serialized)\b[^@]*', comment))
    named = {name for name in returns if names_code(returns, name)}
    print('\n'.join(line for line in done.stdout.splitlines() if not re.match(r'1\.\.\d', line)))
    faults = False
    number = len(re.findall(r'^(?:not )?ok ', done.stdout, re.M))
    for names, title in ((named - answered - ELSEWHERE, 'every call that says so was in use'),
                         (answered & ELSEWHERE, 'no call is excepted that was'),
                         (answered & returns.keys() - named - OTHERS, 'every call that was in use says so'),
                         (OTHERS & named, 'no call that says so is excepted')):
        number += 1
        faults = faults or bool(names)
        print('%s %d - %s' % ('not ok' if names else 'ok', number, title))
        for name in sorted(names):
            print('# ' + name)
    print('1..%d' % number)
    print(done.stderr, file=sys.stderr)
    return 0 if done.returncode == 0 and not faults else 1


sys.exit(main())
