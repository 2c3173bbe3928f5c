# SPDX-License-Identifier: Apache-2.0
"""Virtual environments of the library's peers in build/, made from PyPI by lists such as peers.txt."""
import os
import subprocess
import sys

MARK = 'ALCORE_BENCH_VENV'


def enter(project, listed=os.path.join('tests', 'bench', 'peers.txt'), folder='bench-venv'):
    """Runs the program again inside the environment build/FOLDER, which is made first where it is missing or of another
    list. Gives a reason when that cannot be done, and None inside."""
    listed = os.path.join(project, listed)
    venv = os.path.join(project, 'build', folder)
    inside, have = os.path.join(venv, 'bin', 'python'), os.path.join(venv, '.peers')
    if os.environ.get(MARK) == venv:
        return None
    with open(listed, encoding='utf-8') as file:
        wanted = file.read()
    try:
        with open(have, encoding='utf-8') as file:
            ready = file.read() == wanted
    except OSError:
        ready = False
    try:
        if not ready:
            if not os.path.exists(inside):
                subprocess.run([sys.executable, '-m', 'venv', venv], check=True)
            subprocess.run([inside, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', listed],
                           check=True)
            with open(have, 'w', encoding='utf-8') as file:
                file.write(wanted)
    except (OSError, subprocess.CalledProcessError) as error:
        return f'the peers could not be installed: {error}'
    os.environ[MARK] = venv
    os.execv(inside, [inside, *sys.argv])
