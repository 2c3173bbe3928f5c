#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What packages say agrees with what they hold, and an engine is found by the library that it is installed with. In TAP.

    test_packages.py SOURCE BUILD FIND_TORCH

pip's builds (meson-python) sort what meson installs by the placeholder that its destination begins with: {libdir} and {libdir_shared}
become the folder of the wheel that libalcore is in, and of which its search for engines begins; {moduledir_shared} and the folders of
Python become site-packages, where it does not look."""
import json
import os
import re
import subprocess
import sys
import venv

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
from tap import Tap  # noqa: E402

SOURCE, BUILD, FIND_TORCH = sys.argv[1:]


def equal(got, wanted):
    assert got == wanted, f'{got!r}, not {wanted!r}'


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding='utf-8') as file:
        return file.read()


def destinations():
    """Where each shared library of the project goes: its name and the folder's placeholder."""
    with open(os.path.join(BUILD, 'meson-info', 'intro-install_plan.json'), encoding='utf-8') as file:
        plan = json.load(file)
    return {os.path.basename(source): entry['destination'].partition('/')[0] for kind in plan.values() for source, entry in kind.items()
            if re.search(r'/libalcore[^/]*\.so[^/]*$', source)}


def engines_lie_beside_the_library(_):
    found = destinations()
    assert any(name.startswith('libalcore.so') for name in found), found
    stray = {name: place for name, place in found.items() if place not in ('{libdir}', '{libdir_shared}')}
    equal(stray, {})


def torch_of_an_isolated_build_is_found(box):
    """pip install . hides the packages of the environment that it installs into, but for the interpreter's own folders."""
    venv.create(os.path.join(box, 'env'), with_pip=False)
    python = os.path.join(box, 'env', 'bin', 'python')
    site = subprocess.run([python, '-c', 'import sysconfig; print(sysconfig.get_path("platlib"))'], check=True, capture_output=True,
                          text=True).stdout.strip()
    for name, text in {'version.py': "__version__ = '2.13.0+cpu'\n", 'lib/libtorch_cpu.so': '', 'include/torch/headeronly/version.h': ''}.items():
        path = os.path.join(site, 'torch', name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
    hidden = os.path.join(box, 'hidden')
    os.mkdir(hidden)
    with open(os.path.join(hidden, 'sitecustomize.py'), 'w', encoding='utf-8') as file:
        file.write(f'import sys\nsys.path.remove({site!r})\n')
    said = subprocess.run([python, FIND_TORCH, os.path.join(box, 'build')], check=True, capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=hidden)).stdout
    equal(said, f'2.13.0+cpu\n{os.path.realpath(site)}/torch\n')


def pip_asks_for_a_torch_that_has_an_engine(_):
    """The extra's range is that of the engines that the library looks for."""
    engines = sorted(int(minor) for minor in re.findall(r'"torch-2\.(\d+)"', read('lib', 'model', 'torch_library.c')))
    equal(engines, list(range(engines[0], engines[-1] + 1)))
    low, high = re.search(r'^torch = \["torch>=2\.(\d+),<2\.(\d+)"\]$', read('pyproject.toml'), re.M).groups()
    equal((int(low), int(high)), (engines[0], engines[-1] + 1))


def debian_knows_the_versions_of_symbols(_):
    """Each node of the map has its line; programs that use extra need this minor release, as the Python package does."""
    nodes = re.findall(r'^(\w+[\d.]+) \{', read('lib', 'alcore.map'), re.M)
    symbols, control = read('bindings', 'packages', 'debian', 'libalcore1.symbols'), read('bindings', 'packages', 'debian', 'control')
    lines = re.findall(r'^ \(symver\)(\S+) \S+( 1)?$', symbols, re.M)
    equal(sorted(name for name, _ in lines), sorted(nodes))
    equal({name for name, bound in lines if bound}, {name for name in nodes if 'EXTRA' in name})
    major, minor = re.search(r"^  version: '(\d+)\.(\d+)\.", read('meson.build'), re.M).groups()
    bound = f'libalcore{major} (<< {major}.{int(minor) + 1}~)'
    assert symbols.startswith(f'libalcore.so.{major} libalcore{major} #MINVER#\n| libalcore{major} #MINVER#, {bound}\n'), symbols
    assert bound in control and f'Package: libalcore{major}\n' in control, control


tap = Tap()
tap.run([engines_lie_beside_the_library, torch_of_an_isolated_build_is_found, pip_asks_for_a_torch_that_has_an_engine,
         debian_knows_the_versions_of_symbols])
tap.finish()
