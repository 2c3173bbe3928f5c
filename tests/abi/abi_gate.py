#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ABI gate: abidiff of the library against the committed baselines, one for each minor release, and the gate's own test on a
small library, of which a changed size-first struct may grow at its end and nowhere else. The library has the ABI of the newest
baseline, which is renewed when names are added; nothing of an older one may have changed or gone, but for what stands in
alcore/extra/.

  abi_gate.py CC LIBRARY BASELINE...
"""
import hashlib
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from headers import ROOT, functions as declared  # noqa: E402
from tap import Tap  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DUMP = os.path.join(ROOT, 'tests', 'tools', 'abi_dump.sh')
GATE = ['abidiff', '--suppressions', os.path.join(HERE, 'size_first.suppr'), '--no-show-locs']


def of_older(core, path):
    """The options for an older baseline, which need a file at path: names may have been added, and what is no function of core may have
    changed or gone."""
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'[suppress_function]\n  symbol_name_not_regexp = ^({"|".join(core)})$\n')
    return ['--no-added-syms', '--suppressions', path]


def gate(baseline, library, dump, headers=os.path.join(ROOT, 'include'), options=()):
    """(whether nothing changed, abidiff's words). Both sides are dumps made the same way."""
    subprocess.run([DUMP, library, dump, headers], check=True)
    run = subprocess.run(GATE + [*options, baseline, dump], capture_output=True, text=True, check=False)
    return run.returncode == 0, f'abidiff ended with {run.returncode}\n{run.stdout}{run.stderr}'


def main():
    compiler, library, *older, baseline = sys.argv[1:]
    core = [name for name, header in declared().items() if not header.startswith('alcore/extra/')]
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        def build(name, *options):
            path = os.path.join(folder, name + '.so')
            subprocess.run([compiler, '-g', '-shared', '-fPIC', *options,
                            os.path.join(HERE, 'gate_sample.c'), '-o', path], check=True)
            return path

        first = os.path.join(folder, 'first.xml')
        subprocess.run([DUMP, build('first'), first, HERE], check=True)
        grown = build('grown', '-DADDED')
        shrunk = build('shrunk', '-DREMOVED')
        for library_now, functions, good, text in ((grown, ['options', 'last'], True, 'allows an added function'),
                                                   (shrunk, ['options', 'last'], False, 'refuses a removed function'),
                                                   (shrunk, ['options', 'tensor'], True, 'allows that a function of extra is removed')):
            options = of_older(['alcore_sample_' + name for name in functions], os.path.join(folder, 'core.suppr'))
            passed, words = gate(first, library_now, os.path.join(folder, 'now.xml'), HERE, options)
            tap.check(passed == good, f'the gate: an older baseline {text}', words)
        for option, good, text in ((None, True, 'the same source passes'),
                                   ('APPENDED', True, 'a member at the end of a size-first struct passes'),
                                   ('INSERTED', False, 'a member in the middle of one is refused'),
                                   ('TENSOR', False, 'a member at the end of another struct is refused'),
                                   ('REMOVED', False, 'a removed function is refused'),
                                   ('ADDED', False, 'an added function wants a renewed baseline')):
            name = (option or 'same').lower()
            passed, words = gate(first, build(name, *(['-D' + option] if option else [])), os.path.join(folder, name + '.xml'), HERE)
            tap.check(passed == good, 'the gate: ' + text, words)

        passed, words = gate(baseline, library, os.path.join(folder, 'now.xml'))
        tap.check(passed, 'the library has the ABI of the baseline',
                  words + f'\nan intended change: tests/tools/renew_abi.sh {library} "what changed and why"')
        for old in older:
            passed, words = gate(old, library, os.path.join(folder, 'now.xml'), options=of_older(core, os.path.join(folder, 'core.suppr')))
            tap.check(passed, f'nothing of the core has changed since {os.path.basename(old)}', words)
    with open(baseline, 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()[:12]
    with open(os.path.join(ROOT, 'CHANGELOG.md'), encoding='utf-8') as file:
        tap.check(f'ABI baseline {digest}' in file.read(), 'CHANGELOG.md says why the baseline is as it is', digest)
    tap.finish()


main()
