# SPDX-License-Identifier: Apache-2.0
"""Numbers have one grammar, that of lib/base/number.h, in files, options and parameters alike: no other file of the library, the
command and the modules of Lua calls a function of the C library that reads them, nor does a header in C++. Usage: number_grammar.py ROOT"""
import pathlib
import re
import sys

READERS = re.compile(r"\b(?:(?:v?s|v?f|v)?scanf|ato(?:f|i|l|ll)|strto(?:d|f|ld|l|ll|ul|ull|imax|umax)(?:_l)?|std::(?:stoi|stol|stoll|stod|stof|from_chars))\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
ONE_PLACE = "lib/base/number.c"


def calls_of(text):
    return READERS.findall(COMMENT.sub("", text))


def main(root):
    files = [path for folder in ("lib", "bindings", "include") for path in sorted((root / folder).rglob("*"))
             if path.suffix in (".c", ".h", ".cpp", ".hpp", ".cu", ".cuh") and "build" not in path.parts]
    found = {str(path.relative_to(root)): calls_of(path.read_text()) for path in files}
    good = len(files) > 500 and found.pop(ONE_PLACE) == ["strtod_l("]
    faults = ["%s: %s" % (name, call) for name, calls in found.items() for call in calls]
    print("1..2")
    print("%s 1 - %d files are read, and %s reads numbers" % ("ok" if good else "not ok", len(files), ONE_PLACE))
    print("%s 2 - no other file does%s" % ("not ok" if faults else "ok", "".join("\n# " + fault for fault in faults)))
    return not good or bool(faults)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
