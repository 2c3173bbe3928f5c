# SPDX-License-Identifier: Apache-2.0
"""The texts of the library name no flag of the command and no function of C: its users see them in every language.
What to do about an error is data (alcore/remedy.h) that each front end words. Usage: messages.py ROOT"""
import re
import sys
from pathlib import Path

STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
FLAG = re.compile(r"(?<![\w-])--[a-z]|(?<![\w-])-p [a-z]")
FUNCTION = re.compile(r"\balcore_\w+\(")
# An option of a request as the command and its parameters are written: nan=exclude leaves such rows
# out.
OPTION = re.compile(r"; [a-z_]+=[a-z]+ ")
# Flags of other programs, which made the file that is read.
OTHER_PROGRAMS = {"lib/formats/decoder_zst.c": "--long", "lib/formats/score_text.c": "marian and fairseq-generate",
                  "lib/extra/tokenizer/vocabulary_train.c": "options of spm_train"}
# Only programs in C can meet these: a struct without its size, a host function that reads a column
# of texts.
PROGRAMS_IN_C = {"lib/base/struct_size.c", "lib/scorer/host_view.c"}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def strings_of(text):
    """String literals outside of comments, includes and assertions of the compiler."""
    text = re.sub(r"^\s*#\s*include[^\n]*", "", COMMENT.sub("", text), flags=re.M)
    return STRING.findall(re.sub(r"_Static_assert\(.*?\);", "", text, flags=re.S))


def faults_of(name, text):
    for string in strings_of(text):
        if FLAG.search(string) and name not in OTHER_PROGRAMS:
            yield "%s names a flag: %s" % (name, string)
        if OPTION.search(string):
            yield "%s spells an option: %s" % (name, string)
        if FUNCTION.search(string) and name not in PROGRAMS_IN_C:
            yield "%s names a function: %s" % (name, string)


def main(root):
    files = sorted(path for path in (root / "lib").rglob("*") if path.suffix in (".c", ".h", ".cpp", ".cu", ".cuh"))
    assert len(files) > 100, "no sources under %s" % root
    seen = list(faults_of("x.c", 'fail("give --seed"); /* "--seed" */ fail("call alcore_x() first"); fail("a -- b"); fail("x; nan=exclude leaves");'))
    assert len(seen) == 3, seen
    faults = [fault for path in files
              for fault in faults_of(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))]
    print("1..1\n%s 1 - messages of %d files name no flag and no function" % ("not ok" if faults else "ok", len(files)))
    for fault in faults:
        print("# " + fault)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
