#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes lib/text/script_ranges.h from the Scripts.txt of the Unicode Character Database.

    script_ranges.py SCRIPTS_TXT [HEADER]

SCRIPTS_TXT is /usr/share/unicode/Scripts.txt of Debian's package unicode-data. Ranges are of letters and marks (categories L
and M); adjacent ones of one script are joined over what lies between, of which no other script has a letter. Scripts that are
written together have one number: Han, Hiragana, Katakana and Bopomofo."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOGETHER = {"Hiragana": "Han", "Katakana": "Han", "Bopomofo": "Han"}
# Those that lib/text/scripts.h names.
NAMED = ["Latin", "Han", "Hangul"]


def read_ranges(path):
    """(first, last, script) of letters and marks, by code point."""
    ranges = []
    for line in path.read_text(encoding="utf-8").splitlines():
        found = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w+)\s*# ([LM])", line)
        if found and found[3] not in ("Common", "Inherited"):
            ranges.append((int(found[1], 16), int(found[2] or found[1], 16), TOGETHER.get(found[3], found[3])))
    joined = []
    for first, last, script in sorted(ranges):
        if joined and joined[-1][2] == script:
            first = joined.pop()[0]
        joined.append((first, last, script))
    return joined


def write_header(version, ranges):
    scripts = NAMED + sorted({script for _, _, script in ranges} - set(NAMED))
    lines = ["/* SPDX-License-Identifier: Apache-2.0 */",
             "/* Written by tests/tools/script_ranges.py from %s of Unicode; not to be edited. */" % version,
             "#ifndef ALCORE__SCRIPT_RANGES_H", "#define ALCORE__SCRIPT_RANGES_H", "", "#include <stdint.h>", "",
             "/* Letters and marks of a script: code points, both included. */",
             "static const struct script_range {", "    int32_t first, last;", "    uint8_t script;", "} script_ranges[] = {"]
    lines += ["    {0x%04X, 0x%04X, %d}, /* %s */" % (first, last, scripts.index(script) + 1, script.replace("_", " "))
              for first, last, script in ranges]
    return "\n".join(lines + ["};", "", "#endif", ""])


def main(source, header=ROOT / "lib/text/script_ranges.h"):
    source = pathlib.Path(source)
    version = re.match(r"# (\S+)", source.read_text(encoding="utf-8"))[1]
    pathlib.Path(header).write_text(write_header(version, read_ranges(source)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
