#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the sources of the torch engine compile against the newest torch that PyPI offers; it need not be the one that the
engine is built and tested with. In TAP. usage: test_newest.py PROJECT BUILD COMPILER

The headers are those of the package, which is installed into build/torch-newest without what it requires (0.5 GB to fetch).
Nothing is linked or run."""
import concurrent.futures
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from tap import Tap  # noqa: E402

PROJECT, BUILD, *COMPILER = sys.argv[1:]
VENV = os.path.join(PROJECT, "build", "torch-newest")


def install():
    """The folder of the newest torch and its version; None: PyPI cannot be reached."""
    inside = os.path.join(VENV, "bin", "python")
    try:
        if not os.path.exists(inside):
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True, capture_output=True)
        subprocess.run([inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps", "--upgrade",
                        "--retries", "1", "--timeout", "20", "torch"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    folder = glob.glob(os.path.join(VENV, "lib", "python3*", "site-packages", "torch"))[0]
    with open(os.path.join(folder, "version.py"), encoding="utf-8") as file:
        return folder, next(line.split("'")[1] for line in file if line.startswith("__version__"))


def compile_source(source, folder):
    """What the compiler says of one source; empty: nothing."""
    includes = [os.path.join(PROJECT, "include"), os.path.join(BUILD, "include")]
    system = [os.path.join(folder, "include"), os.path.join(folder, "include/torch/csrc/api/include")]
    done = subprocess.run([*COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *("-I" + one for one in includes),
                           *("-isystem" + one for one in system), source], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main():
    sources = sorted(glob.glob(os.path.join(PROJECT, "lib", "torch", "*.cpp")))
    found = install()
    if not found:
        print("1..0 # SKIP PyPI's torch could not be installed")
        return
    folder, version = found
    print(f"# torch {version}")
    tap = Tap()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, said in zip(sources, pool.map(lambda one: compile_source(one, folder), sources)):
            tap.check(not said, os.path.basename(source), said)
    tap.finish()


main()
