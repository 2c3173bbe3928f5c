# SPDX-License-Identifier: Apache-2.0
"""Walks the option table: for every option of every command there is a fixture (option_fixtures.py) in which the option changes the
output, the summary or the exit code. An option without a fixture fails, and so does a fixture of an option that is gone."""
import os
import re
import shutil
import sys

from harness import case, equal, main
from option_files import TEXTS, files, project
from option_fixtures import FIXTURES

# Without torch the null module is what runs a model folder.
os.environ["ALCORE_MODULE_DIR"] = os.environ["NULL_MODEL_MODULE"]


def options_of(box, command):
    """The long names that the command's help lists."""
    return set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", box.run(command, "-h").out, re.M))


def outcome(box, args):
    """Exit code, what was printed, which files appeared, and what the page of the picks says; times and the command line itself are
    left out."""
    before = box.names()
    done = box.run(*args, expect=None)
    new = sorted(set(box.names()) - set(before))
    page = box.read("picks.html") if "picks.html" in new else None
    for name in new:
        path = os.path.join(box.path, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    summary = re.sub(r"\d+(\.\d+)? m?s\b", "", done.err)
    return done.returncode, done.out, summary, new, page


def walk(command):
    @case
    def options(box):
        files(box)
        if command == "project":
            project(box)
        base, fixtures = FIXTURES[command]
        listed = options_of(box, command) - {"--help", "--version"}
        equal(sorted(listed - set(fixtures)), [], "options of alcore %s without a fixture" % command)
        equal(sorted(set(fixtures) - listed), [], "fixtures of alcore %s for options that are gone" % command)
        idle, known = [], {}  # what is known of a command line: many fixtures add an option to the same one

        def known_outcome(args):
            if tuple(args) not in known:
                known[tuple(args)] = outcome(box, args)
            return known[tuple(args)]

        for name, fixture in sorted(fixtures.items(), key=lambda pair: (pair[0] == "--force", pair[0])):
            # Further parts: command lines that show what the two have done.
            without, with_it, *shows = fixture(base) if callable(fixture) else fixture
            if name == "--force":  # the last one: from here on the input is not that of the report
                box.file("pool.txt", "".join(text + " more\n" for text in TEXTS))
                known.clear()
            found = known_outcome(without), outcome(box, with_it)
            if found[0] == found[1] and all(known_outcome(show(without)) == outcome(box, show(with_it)) for show in shows):
                idle.append(name)
        equal(idle, [], "options of alcore %s that change nothing" % command)

    options.__name__ = "every_option_of_%s_changes_something" % command


for command in FIXTURES:
    walk(command)


@case
def every_command_is_walked(box):
    commands = set(re.findall(r"^  ([a-z]+) ", box.run("-h").out, re.M))
    equal(sorted(commands - {"help"}), sorted(FIXTURES))


@case
def help_and_version(box):
    for command in FIXTURES:
        assert "usage: alcore " + command in box.run(command, "-h").out
        assert re.match(r"alcore \d+\.\d+\.\d+", box.run(command, "--version").out), command


if __name__ == "__main__":
    sys.exit(main())
