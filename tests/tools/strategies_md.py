#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/strategies.md from the registries: strategies_md.py ALCORE [--check FILE]."""
import json
import subprocess
import sys


def written(number):
    return "%d" % number if number == int(number) else "%.10g" % number


def section(noun, entries, about=()):
    lines = ["", "# " + noun, ""] + list(about) + ([""] if about else [])
    for entry in entries:
        lines += ["## " + entry["name"], "", entry["summary"][0].upper() + entry["summary"][1:] + ".", ""]
        for role, columns in entry["needs"].items():
            if columns:
                lines += ["Needs of the %s: %s." % (role, ", ".join("`%s`" % c for c in columns)), ""]
        if entry["parameters"]:
            lines += ["| parameter | default | values | meaning |", "|---|---|---|---|"]
            for p in entry["parameters"]:
                low, high = p["minimum"], p["maximum"]
                values = (p.get("choices") or "").replace("|", ", ") or p["type"]
                if p["type"] in ("integer", "number", "numbers"):
                    if low is not None and high is not None and high < 2 ** 53 - 1:
                        values += ", %s to %s" % (written(low), written(high))
                    elif low is not None:
                        values += ", %s or more" % written(low)
                lines.append("| `%s` | `%s` | %s | %s |" % (p["name"], p["default"], values, p["help"].replace("|", "\\|")))
            lines.append("")
    return lines


def page(alcore):
    registry = lambda noun: json.loads(subprocess.run([alcore, noun, "--json"], check=True, capture_output=True).stdout)
    lines = ["<!-- made by tests/tools/strategies_md.py from the registries: do not edit -->"]
    strategies = registry("strategies")
    recommended = next(entry["name"] for entry in strategies if entry["recommended"])
    lines += section("Strategies", strategies, [
        "A call or command that names no strategy, a request without one, and the name `recommended` select with the *recommended",
        "strategy*: `%s` in this release. A minor release may recommend another one; the summary and the provenance of a selection" % recommended,
        "say which it was and that it was recommended, and `alcore_strategy_recommended()` tells its name. What must not change names its",
        "strategy, and its `masks` where it wants some: the recommended strategy has all of them, one that is named none."])
    lines += section("Scorers", registry("scorers"))
    return "\n".join(lines).rstrip() + "\n"


def main():
    text = page(sys.argv[1])
    if sys.argv[2:3] == ["--check"]:
        with open(sys.argv[3], encoding="utf-8") as file:
            same = file.read() == text
        print("1..1\n%s 1 docs/strategies.md is what the registries say" % ("ok" if same else "not ok"))
        return 0 if same else 1
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
