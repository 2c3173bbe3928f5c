# SPDX-License-Identifier: Apache-2.0
"""Which tests tests/run.sh runs without --full. The mutants themselves are compiled with --full; the default tier only checks that
each of them can be made and that what kills it is run in that tier."""
import json
import os
import subprocess


def default_commands(build):
    """The command of every test of a build folder that is not left to --full."""
    tests = json.loads(subprocess.run(['meson', 'introspect', '--tests', build], check=True, capture_output=True, text=True).stdout)
    return [test['cmd'] for test in tests if 'full' not in {suite.split(':')[-1] for suite in test['suite']}]


def command_of(commands, killer):
    """The command that has this file as its program or as an argument; None when there is none."""
    killer = os.path.realpath(killer)
    return next((command for command in commands if killer in map(os.path.realpath, command)), None)


def command_of_source(commands, source):
    """The command that runs the cases of this source of a room's program (tests/support/test_files.c): the program, the source's name
    and further arguments; None when there is none."""
    return next((command for command in commands if command[1:2] == [os.path.splitext(os.path.basename(source))[0]]), None)
