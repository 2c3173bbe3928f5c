#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A new strategy is one file and one registry row: adds the example strategy to a copy of the tree, builds it and runs
what holds for every strategy. new_strategy.py SOURCE_ROOT"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SUITES = ("golden", "parts", "ties", "properties", "fill", "host")
NAME = "outlying-length"


def run(command, **options):
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode:
        sys.exit("not ok 1 - %s\n%s\n%s" % (" ".join(command), done.stdout[-8000:], done.stderr[-4000:]))
    return done.stdout


def copy_tree(source, copy):
    """Without builds and caches of the source tree."""
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("build", ".git", "__pycache__", "*.pyc"))


def add_strategy(copy):
    example = os.path.join(copy, "tests", "unit", "strategy", "example_strategy.c")
    shutil.copy(example, os.path.join(copy, "lib", "strategy", "rules", "outlying_length.c"))
    with open(os.path.join(copy, "lib", "strategy", "registry_rows.h"), "a", encoding="utf-8") as rows:
        rows.write("ALCORE__STRATEGY_ROW(outlying_length, outlying_length)\n")


def main():
    source = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as work:
        copy, build = os.path.join(work, "tree"), os.path.join(work, "build")
        copy_tree(source, copy)
        add_strategy(copy)
        golden = os.path.join(copy, "tests", "golden")
        before = {name: open(os.path.join(golden, name), "rb").read() for name in os.listdir(golden)}
        run(["meson", "setup", build, copy, "-Dtests=enabled", "-Dcuda=disabled"])
        program = "tests/unit/test_strategy"
        run(["ninja", "-C", build, "-j2", "bindings/cli/alcore", program])
        environment = dict(os.environ, CK_VERBOSITY="normal")
        run([os.path.join(build, program), "test_strategy_golden"], env=dict(environment, ALCORE_GOLDEN_RENEW="1"))
        after = set(os.listdir(golden))
        assert after - set(before) == {"strategy-%s.tsv" % NAME, "strategy-%s-1.tsv" % NAME}, after - set(before)
        for name, text in before.items():
            assert open(os.path.join(golden, name), "rb").read() == text, "%s changed" % name
        for suite in SUITES:
            run([os.path.join(build, program), "test_strategy_" + suite], env=environment)
        alcore = os.path.join(build, "bindings", "cli", "alcore")
        listed = json.loads(run([alcore, "strategies", "--json"]))
        assert [entry["name"] for entry in listed][-1] == NAME, listed[-1]
        page = run([sys.executable, os.path.join(copy, "tests", "tools", "strategies_md.py"), alcore])
        assert "\n## %s\n\nThe embeddings of the most unusual length.\n" % NAME in page
    print("1..1\nok 1 - one file and one registry row add a strategy")


if __name__ == "__main__":
    main()
