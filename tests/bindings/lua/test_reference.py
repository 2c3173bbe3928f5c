#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every function, method and field of the Lua module has its LDoc comment, and ldoc makes pages of them without a warning.
usage: test_reference.py ROOT"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(sys.argv[1])
sys.path.insert(0, str(root / "tests" / "tools"))
from tap import Tap  # noqa: E402

work = tempfile.TemporaryDirectory()
FOLDER = Path(work.name, "lua")  # the sources, and beside them what is made
shutil.copytree(root / "bindings" / "lua", FOLDER)
subprocess.run([sys.executable, root / "bindings" / "gen" / "generate.py", FOLDER / "lua_calls.c", FOLDER / "lua_tables.c"], check=True)
# What the module registers, and what the comments say.
TABLE = re.compile(r"const al_method al_(\w+)_(methods|getters)\[\] = \{(.*?)\};", re.S)
NAMED = re.compile(r"@(function|field) (\w+)[.:](\w+)")

tap = Tap()
documented = {}  # name: kinds of things that have it
registered = {}
for path in sorted(FOLDER.glob("lua_*.c")):
    text = path.read_text(encoding="utf-8")
    for comment in re.findall(r"/\*\*\*(.*?)\*/", text, re.S):
        for tag, owner, name in NAMED.findall(comment):
            documented.setdefault(name, set()).add((tag, owner))
    for owner, table, body in TABLE.findall(text):
        for name in re.findall(r'\{"(\w+)", \w+\}', body):
            registered.setdefault(name, set()).add(("field" if table == "getters" else "function", owner))
    for name in re.findall(r'\{\.name = "(\w+)"', text):  # a metric
        registered.setdefault(name, set()).add(("function", "metrics"))

registered["close"] = {("function", "handle")}
registered["version"] = {("field", "alcore")}
for name in sorted(registered):
    want = sorted((tag, owner == "alcore") for tag, owner in registered[name])
    have = sorted((tag, owner == "alcore") for tag, owner in documented.get(name, ()))
    tap.check(want == have, "comment of " + name, f"in the tables {registered[name]}, in comments {documented.get(name)}")
tap.check(len(registered) > 70, "the tables were found", len(registered))
tap.check(set(documented) == set(registered), "no comment without a function", set(documented) - set(registered))

used = "".join(path.read_text(encoding="utf-8") for path in [root / "docs" / "lua.md", *root.glob("tests/bindings/lua/*.lua"),
                                                             *root.glob("examples/lua/*.lua")])
unused = [name for name in registered if name != "close" and not re.search(r"[:.]%s\b" % name, used)]
tap.check(not unused, "every name is used by a test, an example or the page", unused)

if shutil.which("ldoc") is None:
    tap.skip("ldoc has nothing to say", "no ldoc")
else:
    listed = set(re.findall(r'"(lua_\w+\.c)"', (FOLDER / "config.ld").read_text(encoding="utf-8")))
    wanted = {path.name for path in FOLDER.glob("lua_*.c") if "@module" in path.read_text(encoding="utf-8")}
    tap.check(listed == wanted, "config.ld names the files that have comments", listed ^ wanted)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["ldoc", "--fatalwarnings", "-c", FOLDER / "config.ld", "-d", folder, "."], cwd=FOLDER,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        page = Path(folder, "index.html")
        shown = page.read_text(encoding="utf-8") if page.exists() else ""
        names = re.findall(r'<a name = "([^"]+)"', shown)
    tap.check(done.returncode == 0 and not done.stderr, "ldoc has nothing to say", done.stdout + done.stderr)
    last = {re.split(r"[.:]", name)[-1] for name in names}
    tap.check(set(registered) <= last, "and its page has all of them", set(registered) - last)
tap.finish()
