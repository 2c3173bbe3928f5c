# SPDX-License-Identifier: Apache-2.0
"""What is listed for readers is what the library has: the strategies that README.md and the specification name are those of
lib/strategy/registry_rows.h, and the columns that pool_column.h explains are those of lib/pool/column_names.c. The command
copies the files of a tokenizer that modules are told of, the page about security names the programs of tests/fuzz, and that about
projects their settings.
Usage: lists.py ROOT"""
import re
import sys
from pathlib import Path

root = Path(sys.argv[1])


def part(name, start, end):
    """The text of a file from one mark to the next other one; both must be there."""
    text = (root / name).read_text()
    first = text.index(start)
    return text[first:text.index(end, first)]


registry = re.findall(r"^ALCORE__STRATEGY_ROW\((\w+),", (root / "lib/strategy/registry_rows.h").read_text(), re.M)
registry = sorted(name.replace("_", "-") for name in registry)
readme = sorted(re.findall(r"`([\w-]+)`", part("README.md", "It implements the strategies of three papers", "What a program")))
rows = [row.split("|")[1] for row in part("docs/spec/README.md", "## 2. Strategies", "Parameters with").splitlines()
        if row.startswith("| `")]
specified = sorted(name for cell in rows if "(open)" not in cell for name in re.findall(r"`([^`]+)`", cell))
table = part("lib/pool/column_names.c", "known_columns[] = {", "};")
columns = re.findall(r'^ *\{"(\w+)",', table, re.M)
explained = re.findall(r"^ \*     (\w+) +(?:float|integer|texts)\b", part("include/alcore/pool_column.h", "these have a meaning", "@param"),
                       re.M)
files = re.findall(r'"([\w.]+)"', part("include/alcore/sys/model.h", "#define ALCORE_SYS_TOKENIZER_FILES", "/**"))
copied = re.findall(r'"([\w.]+)"', part("bindings/cli/train_command.c", "tokenizer_files[] = {", "};"))
fuzzed = sorted(re.findall(r"`(fuzz_\w+)`", part("docs/SECURITY.md", "| fuzz target |", "| limit |")))
targets = sorted(path.stem for path in (root / "tests/fuzz").glob("fuzz_*.c"))
settings = set(re.findall(r'^    \{"(\w+)",', part("lib/extra/project/project_settings.c", "own_rows[] = {", "};"), re.M))
told = {name for row in part("docs/projects.md", "| `strategy`", "\n\n").splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])
        if not row.startswith("| `seed`")} - {"budget", "price"}
print("1..6")
faults = 0
for number, (title, found, wanted) in enumerate((
        ("README.md names the strategies of the registry", readme, registry),
        ("docs/spec/README.md marks as open what is not in the registry", specified, registry),
        ("pool_column.h explains the columns of column_names.c, in its order", explained, columns),
        ("bindings/cli/train_command.c copies ALCORE_SYS_TOKENIZER_FILES", copied, files),
        ("docs/SECURITY.md names the parsers that are fuzzed", fuzzed, targets),
        ("docs/projects.md has the settings that are a project's own", sorted(told), sorted(settings))), 1):
    right = bool(wanted) and found == wanted
    faults += not right
    print("%s %d - %s" % ("ok" if right else "not ok", number, title))
    if not right:
        print("# found %s\n# wanted %s" % (found, wanted))
sys.exit(faults > 0)
