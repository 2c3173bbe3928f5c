# SPDX-License-Identifier: Apache-2.0
"""The tests that docs/papers.md names as proof exist. TAP.

    papers.py ROOT

A name of the last column is

- a program: test_NAME of tests/unit or tests/property, fuzz_NAME, cli-NAME (tests/cli/test_NAME.py), test_NAME of tests/cli;
- a file: test_NAME.py, part_NAME.lua and any other name with such an ending, of a file under tests;
- a test of meson by its own name, such as rounds_sh;
- a function or test case of the program in whose parentheses it stands: rows of "program (function, ...)".

Names of options and of files outside of tests stand in backticks, with "=" behind them or as part of a path.
"""
import pathlib
import re
import sys

NAME = re.compile(r"(?<![\w./-])(?:cli-[a-z]+|[a-z][a-z0-9-]*\.(?:py|lua|json|svg)|[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?:\.[a-z]+)?)(?![\w/]|-\w| ?=)")
DEFINED = re.compile(r"^START_TEST\((\w+)\)|^(?:    )?def (\w+)\(|^(?:local )?function (\w+)\(", re.M)
PROGRAM = re.compile(r"([\w.-]+) \(([^()]*)\)")

root = pathlib.Path(sys.argv[1])
files = {}
for path in sorted((root / "tests").rglob("*")):
    if path.is_file() and path.suffix in (".c", ".py", ".lua", ".json", ".svg", ".build"):
        files.setdefault(path.name, []).append(path)


def functions_of(paths):
    return {name for path in paths for groups in DEFINED.findall(path.read_text(encoding="utf-8")) for name in groups if name}


def sources_of(name):
    """The files of a program or file; none where the name is another."""
    if name.startswith("cli-"):
        return [path for path in files.get("test_%s.py" % name[4:], []) if path.parent.name == "cli"]
    if "." in name:
        return files.get(name, [])
    return [path for end in (".c", ".py") for path in files.get(name + end, []) if end == ".c" or path.parent.name == "cli"]


meson = {name for path in files["meson.build"] for name in re.findall(r"(?:test|benchmark)\('([\w-]+)'", path.read_text())}
rows = [line for line in (root / "docs" / "papers.md").read_text(encoding="utf-8").splitlines() if re.match(r"\| [HPD]\d+ \|", line)]
faults, checked = [], 0
for row in rows:
    number, proof = row.split("|")[1].strip(), re.sub(r"`[^`]*`", "", row.split("|")[6])
    for program, names in PROGRAM.findall(proof):
        for name in NAME.findall(names):
            checked += 1
            if name not in functions_of(sources_of(program)) and not sources_of(name):
                faults.append("%s: %s has no test %s" % (number, program, name))
    for name in NAME.findall(re.sub(r"\([^()]*\)", "", proof)):
        checked += 1
        if not sources_of(name) and name not in meson:
            faults.append("%s: there is no test %s" % (number, name))
    if row.split("|")[5].strip() == "done" and not NAME.findall(proof) and "as H27" not in proof:
        faults.append("%s: done, but the row names no test" % number)
faults += ["%s: '...' in the place of a name" % row.split("|")[1].strip() for row in rows if "_..." in row]
right = not faults and checked > 100
print("1..1\n%s 1 - every test that docs/papers.md names exists (%d)" % ("ok" if right else "not ok", checked))
for fault in faults:
    print("# " + fault)
sys.exit(not right)
