#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Lua module and the C++ header convert and nothing else: no text in their sources has the name of a strategy, scorer
or column as a word. Names come from lua_tables.c, which is made from the headers. And the rockspec lists every source.
usage: test_names.py ROOT"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])
sys.path.insert(0, str(root / "bindings/gen"))
from headers import read_api  # noqa: E402

api = read_api(root)
names = set(api["columns"])
for source in [*root.glob("lib/strategy/**/*.c"), *root.glob("lib/scorer/*.c")]:
    names |= set(re.findall(r'^    \.?(?:name = )?\{?"([a-z][a-z-]+)"(?!, ALCORE_PARAM_)', source.read_text(),
                            re.M))
names |= set(re.findall(r'^    \.name = "([a-z-]+)"', "".join(p.read_text() for p in root.glob("lib/strategy/**/*.c")), re.M))
assert {"huds", "random", "entropy", "embeddings", "logprobs"} <= names, sorted(names)
names -= {"host"}  # the name of any function of the caller's
# Words that are also something else in one file: gold= of metrics.labels() and metrics.spans() are
# the correct labels; uncertainty= of analysis.composition() are numbers that the caller has, as are
# those of stop.uncertainty(). model:embed() and model:score() are calls that make the column of one
# name, and so are functions of models such as embed(). One column alone takes a list of matrices.
allowed = {"lua_tools.c": {"scores"}, "lua_host_model.c": {"embeddings", "logprobs", "probs", "token_probs"},
           "lua_model_texts.c": {"embeddings", "logprobs"},
           "lua_metrics.c": {"gold"}, "lua_analysis.c": {"uncertainty"}, "lua_stop.c": {"uncertainty"},
           "lua_pool.c": {"sample_probs"}}

failed = 0
sources = sorted(path for path in root.glob("bindings/lua/*.[ch]") if not path.name.startswith("lua_tables"))
sources += [root / "include/alcore/alcore.hpp", root / "include/alcore/extra.hpp"]
for number, path in enumerate(sources, 1):
    code = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    words = [word for text in re.findall(r'"((?:[^"\\]|\\.)*)"', code) for word in re.split(r"[^\w-]+", text)]
    found = sorted(names.intersection(words) - allowed.get(path.name, set()))
    for text in found:
        print('# %s names "%s"' % (path.name, text))
    failed += bool(found)
    print("%s %d - %s names no strategy, scorer or column" % ("not ok" if found else "ok", number, path.name))
listed = set(re.findall(r'"bindings/lua/(\w+\.c)"', (root / "bindings/lua/alcore-dev-1.rockspec").read_text()))
same = listed == {path.name for path in root.glob("bindings/lua/*.c")} | {"lua_calls.c", "lua_tables.c"}
failed += not same
print("%s %d - the rockspec lists every source" % ("ok" if same else "not ok", len(sources) + 1))
print("1..%d" % (len(sources) + 1))
sys.exit(failed > 0)
