#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the inputs of the tests again with the packages that write them, and compares them with those that are kept.

    run_current.py [NAME...]             with the versions that each make_NAME.py names: nothing may differ
    run_current.py --newest [NAME...]    with the newest versions of the packages: prints what they write otherwise

Each make_NAME.py beside this file names its packages (PACKAGES, as pip takes them) and which of the files that its main(folder)
writes are kept where (KEPT: {path in folder: path in the repository}, a file or a folder; with PART a kept folder has files of other
generators, too); a folder without such a list is only made.
The packages of one generator have a virtual environment of their own in build/current. The output is TAP."""
import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..")
TOLERANCE = 1e-5  # of numbers in arrays: packages may add in another order


def settings_of(path):
    """PACKAGES, KEPT and PART of a generator, read without running it: its imports are not installed here."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found = {node.targets[0].id: ast.literal_eval(node.value) for node in tree.body
             if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) in ("PACKAGES", "KEPT", "PART")}
    return found["PACKAGES"], found.get("KEPT", {}), found.get("PART", False)


def environment(packages, newest):
    """The interpreter of a virtual environment with the packages, which is kept from run to run, and brought up to date for the
    newest ones."""
    name = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    folder = os.path.join(ROOT, "build", "current", name)
    python, done = os.path.join(folder, "bin", "python"), os.path.join(folder, ".done")
    if newest or not os.path.exists(done):
        subprocess.run([os.environ.get("PYTHON", "/usr/bin/python3"), "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", "--disable-pip-version-check", *packages], check=True)
        with open(done, "w", encoding="utf-8") as file:
            file.write(" ".join(packages) + "\n")
    return python


def files_below(path):
    """Paths of the files of a folder, or the empty one for a file itself."""
    if not os.path.isdir(path):
        return [""]
    return sorted(os.path.relpath(os.path.join(place, name), path) for place, _, names in os.walk(path) for name in names)


def arrays(path):
    """{name: array} of a safetensors file."""
    import numpy
    types = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1", "BOOL": "?"}
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    return {name: numpy.frombuffer(data[slice(*one["data_offsets"])], types[one["dtype"]]).reshape(one["shape"])
            for name, one in header.items() if name != "__metadata__"}


def difference(made, kept):
    """What differs between two files, in a few words; None: nothing that counts."""
    if not os.path.exists(made):
        return "is not written any more"
    if not os.path.exists(kept):
        return "is new"
    with open(made, "rb") as one, open(kept, "rb") as other:
        one, other = one.read(), other.read()
    if one == other:
        return None
    if made.endswith(".json"):
        one, other = json.loads(one), json.loads(other)
        if one == other:
            return None
        if isinstance(one, dict) and isinstance(other, dict):
            return "keys " + ", ".join(sorted(key for key in {*one, *other} if one.get(key) != other.get(key)))
    if made.endswith(".safetensors"):
        one, other = arrays(made), arrays(kept)
        wrong = sorted(name for name in {*one, *other} if name not in one or name not in other or one[name].shape != other[name].shape
                       or not (abs(one[name].astype("f8") - other[name].astype("f8")) <= TOLERANCE * (1 + abs(other[name].astype("f8")))).all())
        return "tensors " + ", ".join(wrong) if wrong else None
    return "%d bytes in place of %d" % (len(one), len(other))


def differences(folder, kept, part):
    """Lines about the files that differ from the kept ones; part: of which the folder has some."""
    lines = []
    for name, place in kept.items():
        made, place = os.path.join(folder, name), os.path.join(ROOT, place)
        for below in sorted({*files_below(made), *(() if part else files_below(place))}):
            words = difference(os.path.join(made, below) if below else made, os.path.join(place, below) if below else place)
            if words:
                lines.append("%s: %s" % (os.path.join(name, below) if below else name, words))
    return lines


def folded(lines):
    """Lines, of which those that tell the same of several files are one."""
    files = {}
    for line in lines:
        name, _, words = line.partition(": ")
        files.setdefault(words, []).append(name)
    return ["%s: %s" % (names[0] if len(names) == 1 else "%d files" % len(names), words) for words, names in files.items()]


def run(name, newest):
    """(whether it is as it was, lines to print) of one generator."""
    path = os.path.join(HERE, "make_%s.py" % name)
    packages, kept, part = settings_of(path)
    if newest:
        packages = [re.split("[=<>~!]", package)[0] for package in packages]
    python = environment(packages, newest)
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([python, path, folder], capture_output=True, text=True)
        if made.returncode:
            return False, made.stderr.splitlines()[-5:]
        lines = differences(folder, kept, part)
    if newest:
        versions = subprocess.run([python, "-m", "pip", "freeze"], capture_output=True, text=True).stdout.split()
        lines = [line for line in versions if line.split("==")[0].lower() in [package.lower() for package in packages]] + (folded(lines) or ["nothing changed"])
    return newest or not lines, lines


def main():
    newest = "--newest" in sys.argv[1:]
    all_names = sorted(name[5:-3] for name in os.listdir(HERE) if name.startswith("make_") and name.endswith(".py"))
    names = [name for name in sys.argv[1:] if name != "--newest"] or all_names
    print("1..%d" % len(names))
    bad = 0
    for number, name in enumerate(names, 1):
        good, lines = run(name, newest)
        bad += not good
        print("%s %d - %s" % ("ok" if good else "not ok", number, name), flush=True)
        for line in lines:
            print("# " + line, flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
