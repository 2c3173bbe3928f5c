# SPDX-License-Identifier: Apache-2.0
"""Runs the shell commands of docs/own-model.md on the small outputs of tests/recipes, in TAP.

The Python parts need the packages they are about; each runs where its package imports and is a skip elsewhere."""
import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import types

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def npy(path, kind, shape, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    letter = {"<f4": "f", "<i8": "q"}[kind]
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                  struct.pack("<%d%s" % (len(values), letter), *values))


def prepare(folder):
    """What the tools of the recipes would have left there."""
    for name in ("pool.txt", "marian.out", "fairseq.out"):
        shutil.copy(os.path.join(ROOT, "tests", "recipes", name), folder)
    npy(os.path.join(folder, "values.npy"), "<f4", "(9,)", [-.1, -.2, -.3, -1, -2, -.5, -.25, -.125, -3])
    npy(os.path.join(folder, "offsets.npy"), "<i8", "(7,)", [0, 2, 3, 4, 6, 8, 9])
    npy(os.path.join(folder, "embeddings.npy"), "<f4", "(6, 3)", [float(i * i % 7) for i in range(18)])
    npy(os.path.join(folder, "logits.npy"), "<f4", "(6, 2)", [1, 0, 2, 0, .1, 0, 0, .2, 3, 0, 0, 4])


def run_kenlm(folder, code, env):
    """Runs the KenLM recipe: with the package where it is installed, else with a double of the module, whose full_scores() gives
    (log10, length, unknown) per token."""
    if importlib.util.find_spec("kenlm"):
        train = ["alcore", "lm", "train", "pool.txt", "--order", "2", "--out", "lm.arpa"]
        for command in (train, [sys.executable, "-c", code]):
            subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
        with open(os.path.join(folder, "kenlm.lp"), encoding="utf-8") as file:
            return len(file.read().splitlines()) == 6

    class Model:
        def __init__(self, path):
            self.path = path

        def full_scores(self, text):
            return [(-0.1 * len(word), 1, False) for word in text.split()] + [(-0.5, 1, False)]

    double = types.ModuleType("kenlm")
    double.Model = Model
    before, here = sys.modules.get("kenlm"), os.getcwd()
    sys.modules["kenlm"] = double
    os.chdir(folder)
    try:
        exec(compile(code, "recipe", "exec"), {})
    finally:
        os.chdir(here)
        sys.modules.pop("kenlm")
        if before:
            sys.modules["kenlm"] = before
    with open(os.path.join(folder, "kenlm.lp"), encoding="utf-8") as file:
        return len(file.read().splitlines()) == 6


def main():
    with open(os.path.join(ROOT, "docs", "own-model.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```(sh|python (\w+))\n(.*?)^```$", file.read(), re.M | re.S)
    env = dict(os.environ, PATH=os.path.dirname(os.environ["ALCORE"]) + ":" + os.environ["PATH"])
    print("1..%d" % len(blocks))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        for number, (kind, package, code) in enumerate(blocks, 1):
            if package == "kenlm":
                # The recipe writes the file that the next command reads; a model of one line stands
                # in.
                good = run_kenlm(folder, code, env)
                failed += not good
                print("%s %d recipe-python-kenlm" % ("ok" if good else "not ok", number))
                continue
            if package:
                compile(code, "recipe", "exec")
                found = importlib.util.find_spec(package) is not None
                print("ok %d recipe-python-%s # SKIP %s" % (
                    number, package, "compiled only: it needs a model of %s" % package if found else "no package " + package))
                continue
            done = subprocess.run(["bash", "-e", "-c", code], cwd=folder, env=env, capture_output=True, text=True)
            out = re.search(r"--out (\S+)", code).group(1)
            path = os.path.join(folder, out)
            lines = open(path, encoding="utf-8").read().splitlines() if os.path.exists(path) else []
            good = done.returncode == 0 and len(lines) == (5 if "candidates" in code else 3)
            failed += not good
            print("%s %d recipe-%s" % ("ok" if good else "not ok", number, out))
            if not good:
                print("\n".join("# " + line for line in (code + done.stderr).splitlines()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
