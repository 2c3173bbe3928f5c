#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the sources of the torch engine compile against the newest torch that PyPI offers; it need not be the one that the
engine is built and tested with. Where it is another one, a process that has its libtorch is refused the engine of the other, by the
names of both. In TAP. usage: test_newest.py PROJECT BUILD COMPILER

The newest torch is installed into build/torch-newest without what it requires (0.5 GB to fetch); libraries of CUDA that it loads are
those of build/torch-venv."""
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile

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


# Whether the engine loads in a process that has loaded the libtorch NEWEST before; None: none.
ASK = """
import ctypes, os, sys
if NEWEST:
    ctypes.CDLL(NEWEST)
lib = ctypes.CDLL(LIBRARY)
lib.alcore_last_error.restype = ctypes.c_char_p
ctx = ctypes.c_void_p()
assert lib.alcore_ctx_new(None, ctypes.byref(ctx)) == 0
print(lib.alcore_model_check_engine(ctx))
print(lib.alcore_last_error().decode())
"""


def ask(newest, modules, **env):
    """Status and error text of alcore_model_check_engine()."""
    code = "NEWEST, LIBRARY = %r, %r" % (newest, os.path.join(BUILD, "lib", "libalcore.so.1")) + ASK
    cuda = glob.glob(os.path.join(os.path.dirname(os.path.abspath(BUILD)), "torch-venv", "lib", "python3*", "site-packages", "nvidia", "cu13", "lib"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240,
                          env=dict(os.environ, ALCORE_MODULE_DIR=modules, LD_LIBRARY_PATH=":".join(cuda), **env))
    return done.stdout.partition("\n")[::2] if done.returncode == 0 else (None, done.stderr)


def refuse_the_other(tap, folder, version):
    """Two wheels side by side: the one that the engine is built for, and the newest."""
    engine = glob.glob(os.path.join(BUILD, "lib", "engines", "torch", "libalcore-torch-*.so"))[0]
    built, newest = os.path.basename(engine)[len("libalcore-torch-"):-len(".so")], ".".join(version.split(".")[:2])
    if built == newest:
        tap.skip("another release is refused", "the engine is built for the newest torch")
        return
    library, modules = os.path.join(folder, "lib", "libtorch_cpu.so"), os.path.dirname(engine)
    status, text = ask(None, modules)
    tap.check(status == "0", "the engine loads with the torch that it is built for", text)
    for name, answer in (("loaded by the process", ask(library, modules)),
                         ("in $ALCORE_TORCH_LIBDIR", ask(None, modules, ALCORE_TORCH_LIBDIR=os.path.dirname(library)))):
        status, text = answer
        good = status == "-51" and f"torch {newest}" in text and library in text and f"libalcore-torch-{newest}.so" in text
        tap.check(good, f"the newest libtorch, {name}, is refused by name", f"{status}: {text}")
    with tempfile.TemporaryDirectory() as box:
        shutil.copy(engine, os.path.join(box, f"libalcore-torch-{newest}.so"))
        status, text = ask(library, box)
        tap.check(status in ("-50", "-51") and newest in text, "an engine under the name of another release is refused", f"{status}: {text}")
        print("# " + text)


def main():
    sources = sorted(glob.glob(os.path.join(PROJECT, "lib", "engines", "torch", "*.cpp")))
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
    refuse_the_other(tap, folder, version)
    tap.finish()


main()
