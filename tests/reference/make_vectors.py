#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes every vector of tests/vectors anew.

    make_vectors.py                     writes all files
    make_vectors.py TOPIC...            writes these
    make_vectors.py --check [TOPIC...]  compares the files with what is computed; TAP. Without topics: those that take no time

A topic is a module vectors_TOPIC.py with a function vectors(), which returns {"TV-NAME": vector}; see
tests/vectors/README.md for the fields. Decisions are compared byte by byte. What goes through exp and log may differ in
the last place between libms, so doubles are compared within 1e-12 of their size where the vector's tolerance is not 0.
"""
import importlib
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
FILES = HERE.parent / "vectors"
TOPICS = ["random", "budgets", "scores", "huds", "baselines", "covers", "search", "multilingual", "language_model", "phrases",
          "mixing", "aligner", "analyses", "loop", "papers"]
HEAVY = ["block", "block_wide"]  # need numpy and seconds
WIDTH = 116


def plain(value):
    """What JSON can write: tuples become lists, numbers that are not finite become strings."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value


def text(value, indent=0):
    """JSON with short arrays and objects on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= WIDTH or not isinstance(value, (dict, list)) or not value:
        return line
    inner = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [inner + json.dumps(key, ensure_ascii=False) + ": " + text(entry, indent + 1) for key, entry in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    if all(not isinstance(entry, (dict, list)) for entry in value):
        lines, current = [], ""
        for entry in value:
            piece = json.dumps(entry, ensure_ascii=False) + ", "
            if current and len(inner + current + piece) > WIDTH:
                lines.append(inner + current.rstrip())
                current = ""
            current += piece
        lines.append(inner + current.rstrip(", "))
        return "[\n" + "\n".join(lines) + "\n" + " " * indent + "]"
    return "[\n" + ",\n".join(inner + text(entry, indent + 1) for entry in value) + "\n" + " " * indent + "]"


def make(topic):
    """The file of a topic as it reads back from JSON."""
    vectors = importlib.import_module("vectors_" + topic).vectors()
    return json.loads(json.dumps(plain({"topic": topic.replace("_", "-"), "vectors": vectors})))


def difference(path, stored, computed, tolerance):
    """Where two values differ first, or None."""
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key in [*stored, *(key for key in computed if key not in stored)]:
            if key not in stored or key not in computed:
                return f"{path}/{key} is in one of the two only"
            found = difference(f"{path}/{key}", stored[key], computed[key], tolerance)
            if found:
                return found
        return None
    if isinstance(stored, list) and isinstance(computed, list):
        if len(stored) != len(computed):
            return f"{path} has {len(stored)} entries, {len(computed)} were computed"
        for i, pair in enumerate(zip(stored, computed)):
            found = difference(f"{path}/{i}", *pair, tolerance)
            if found:
                return found
        return None
    if isinstance(stored, float) and isinstance(computed, float) and tolerance:
        equal = abs(stored - computed) <= 1e-12 * max(1.0, abs(computed))
    else:
        equal = type(stored) is type(computed) and stored == computed
    return None if equal else f"{path} is {stored!r}, computed {computed!r}"


def check(topics):
    """Computes the topics and compares them with the files, one TAP line for each vector."""
    number, names = 0, {}
    for topic in topics:
        path = FILES / (topic.replace("_", "-") + ".json")
        stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"vectors": {}}
        try:
            computed = make(topic)
        except ModuleNotFoundError as error:
            number += 1
            print(f"ok {number} - {topic} # SKIP {error}")
            continue
        for name in [*computed["vectors"], *(n for n in stored["vectors"] if n not in computed["vectors"])]:
            number += 1
            old, new = stored["vectors"].get(name), computed["vectors"].get(name)
            found = None
            if old is None or new is None:
                found = f"{name} is in the {'file' if new is None else 'generator'} only"
            elif name in names:
                found = f"{name} is also a vector of {names[name]}"
            else:
                found = difference(name, old, new, new.get("tolerance", 1e-6))
            names[name] = topic
            print(("not ok" if found else "ok") + f" {number} - {topic} {name}")
            if found:
                print("#   " + found)
    print(f"1..{number}")


def main(arguments):
    sys.path.insert(0, str(HERE))
    checking = "--check" in arguments
    topics = [a for a in arguments if a != "--check"] or TOPICS + ([] if checking else HEAVY)
    if checking:
        return check(topics)
    for topic in topics:
        path = FILES / (topic.replace("_", "-") + ".json")
        path.write_text(text(make(topic)) + "\n", encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
