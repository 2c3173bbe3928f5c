# SPDX-License-Identifier: Apache-2.0
"""No comment has more than 100 columns, which clang-format does not see to: it leaves comments as they are. TAP.

    line_length.py ROOT

In C, C++ and CUDA every line counts, elsewhere the lines that are nothing but a comment."""
import pathlib
import sys

COLUMNS = 100
FOLDERS = ("bindings", "include", "lib", "tests")
# What a comment line begins with, by the ending of the file; "": every line counts.
MARKS = {
    ".c": "", ".h": "", ".hpp": "", ".cpp": "", ".cu": "", ".cuh": "",
    ".py": "#", ".pyi": "#", ".sh": "#", ".build": "#", ".in": "#",
    ".lua": "--", ".rockspec": "--",
}


def faults_of(name, text):
    mark = MARKS[pathlib.PurePath(name).suffix]
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > COLUMNS and line.lstrip().startswith(mark):
            yield "%s:%d: %d columns" % (name, number, len(line))


def main(root):
    files = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
             if path.suffix in MARKS and path.is_file() and "__pycache__" not in path.parts]
    assert len(files) > 600, "no sources under %s" % root
    long = "x" * COLUMNS
    seen = [len(list(faults_of(name, text))) for name, text in (
        ("a.c", "/* a\n * %s */\n" % long), ("a.c", "f(%s);" % long), ("a.c", "%s\n" % long),
        ("a.py", "    # %s" % long), ("a.py", "f('%s')  # why" % long), ("a.lua", "-- " + long))]
    assert seen == [1, 1, 0, 1, 0, 1], seen
    faults = [fault for path in files
              for fault in faults_of(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))]
    print("1..1\n%s 1 - comments of %d files have at most %d columns" % ("not ok" if faults else "ok", len(files), COLUMNS))
    for fault in faults:
        print("# " + fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
