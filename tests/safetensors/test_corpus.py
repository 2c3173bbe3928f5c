#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Crafted safetensors files, each with what the readers must make of it: accepted, or an error that holds a text and the
path. usage: test_corpus.py OPEN_FILES array|model

corpus.py and shards.py are the table; the files are written to a folder that is removed at the end. `array` is the reader
of lib/formats, `model` the torch engine. No file may make the reader use more than MEMORY more memory. TAP."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '../tools')]
sys.dont_write_bytecode = True
import corpus  # noqa: E402,F401  fills CASES
import shards  # noqa: E402,F401  the same
from parts import CASES, FIXTURE, NOT_ASKED, OK, Link  # noqa: E402
from tap import Tap  # noqa: E402

LEAST_CASES = 100  # of each reader
# MiB that one file may add to the peak of the process. A header has 16 MiB; the torch engine parses
# it into a tree.
MEMORY = {'array': 48, 'model': 192}


def write(folder, files):
    """Writes the folder of a case."""
    os.makedirs(folder)
    shutil.copy(os.path.join(FIXTURE, 'config.json'), folder)
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, Link):
            os.symlink(content.target, path)
            continue
        with open(path, 'wb') as out:
            out.write(content if isinstance(content, bytes) else content.encode('utf-8'))


def fault(expected, answer, path, memory):
    """What is wrong with the answer of the reader, a line of open_files; '': nothing."""
    verdict, text, grown = answer.rsplit('\t', 1)[0].partition('\t')[::2] + (answer.rsplit('\t', 1)[1],)
    if int(grown) > memory << 10:
        return f'it took {int(grown) >> 10} MiB of memory, {memory} are allowed'
    if isinstance(expected, OK):
        wanted = f'{expected.shape} {expected.data.hex()}'
        if verdict != 'ok':
            return 'it is refused: ' + text
        return '' if text in ('', wanted) else f'it reads {text}, not {wanted}'
    if verdict == 'ok':
        return f'it is accepted ({text}), not refused with: {expected}'
    if expected not in text:
        return f'the error is: {text}\nand does not hold: {expected}'
    return '' if path in text else f'the error does not name {path}: {text}'


def main(program, reader):
    tap = Tap()
    cases = [case for case in CASES if getattr(case, reader) is not NOT_ASKED]
    tap.check(len(cases) >= LEAST_CASES, f'at least {LEAST_CASES} files', f'{len(cases)} files')
    with tempfile.TemporaryDirectory() as box:
        folders = [os.path.join(box, str(number)) for number in range(len(cases))]
        for case, folder in zip(cases, folders):
            write(folder, case.files)
        paths = [f'{folder}/model.safetensors:{case.tensor}' if reader == 'array' else folder
                 for case, folder in zip(cases, folders)]
        done = subprocess.run([program, reader], input='\n'.join(paths) + '\n', capture_output=True, text=True, timeout=500,
                              errors='replace')
        answers = done.stdout.split('\n')[:-1]
        for case, folder, answer in zip(cases, folders, answers):
            why = fault(getattr(case, reader), answer, folder, MEMORY[reader])
            tap.check(not why, case.name.replace('#', ' '), why)
    after = cases[len(answers)].name if len(answers) < len(cases) else 'the last file'
    tap.check(done.returncode == 0 and len(answers) == len(cases), 'the reader ends without an error',
              f'{after}: exit status {done.returncode}\n{done.stderr}')
    tap.finish()


main(*sys.argv[1:])
