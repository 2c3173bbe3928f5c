# SPDX-License-Identifier: Apache-2.0
"""Runs the alcore command in a fresh folder per case and reports in TAP."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bindings", "python"))
import kept_documents  # noqa: E402

CASES = []
ALCORE = os.path.abspath(os.environ["ALCORE"])


class Skip(Exception):
    """The case cannot run here; the text is the reason."""


def case(function):
    CASES.append(function)
    return function


class Box:
    """A folder with files, and the command run in it."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="alcore-cli-")

    def file(self, name, data):
        path = os.path.join(self.path, name)
        with open(path, "wb") as out:
            out.write(data if isinstance(data, bytes) else data.encode())
        return name

    def read(self, name):
        with open(os.path.join(self.path, name), "rb") as file:
            return file.read()

    def exists(self, name):
        return os.path.exists(os.path.join(self.path, name))

    def names(self):
        return sorted(os.listdir(self.path))

    def npy(self, name, rows, kind="<f4"):
        """A version 1.0 .npy of a list of numbers or of lists, or of lists of these."""
        import struct
        letter = {"<f4": "f", "<f8": "d", "<i8": "q"}[kind]
        shape, flat = (len(rows),), rows
        while flat and isinstance(flat[0], (list, tuple)):
            shape, flat = (*shape, len(flat[0])), [x for row in flat for x in row]
        text = "(%s,)" % ", ".join(map(str, shape))
        head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, text)
        head += " " * (-(len(head) + 11) % 64) + "\n"
        return self.file(name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() +
                         struct.pack("<%d%s" % (len(flat), letter), *flat))

    def run(self, *args, input=None, expect=0, env=None, timeout=60, memory=None):
        """memory: bytes of address space that the command may have."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        done = subprocess.run([ALCORE, *args], cwd=self.path, input=input, capture_output=True, timeout=timeout,
                              env=dict(os.environ, **(env or {})), preexec_fn=limit if memory else None)
        done.out = done.stdout.decode("utf-8", "surrogateescape")
        done.err = done.stderr.decode("utf-8", "surrogateescape")
        for document in [done.stdout] + [self.read(name) for name in self.names() if name.endswith(".json")]:
            if document.startswith((b'{"schema":', b'[{"schema":')):  # several budgets are a list
                found = json.loads(document)
                for one in found if isinstance(found, list) else [found]:
                    kept_documents.keep(json.dumps(one))
        if expect is not None and done.returncode != expect:
            raise AssertionError("alcore %s: exit code %d, not %d\nstdout: %s\nstderr: %s" % (
                " ".join(args), done.returncode, expect, done.out[:2000], done.err[:2000]))
        return done

    def close(self):
        subprocess.run(["chmod", "-R", "u+w", self.path], check=False)
        shutil.rmtree(self.path, ignore_errors=True)


def rows_of(tsv):
    """The lines of a TSV as dictionaries."""
    lines = tsv.split("\n")
    assert lines[-1] == "", "the last line ends with a newline"
    names = lines[0].split("\t")
    table = [line.split("\t") for line in lines[1:-1]]
    for line in table:
        assert len(line) == len(names), line
    return [dict(zip(names, line)) for line in table]


def vector(topic, name, case_name=None):
    """A vector of tests/vectors, or one of its cases with the input that all share."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", topic + ".json")
    with open(path, encoding="utf-8") as file:
        found = json.load(file)["vectors"][name]
    if case_name is None:
        return found
    one = next(one for one in found["cases"] if one["name"] == case_name)
    return {**found.get("input", {}), **one.get("input", {}), **one["expected"]}


def equal(found, wanted, what=""):
    if found != wanted:
        raise AssertionError("%s: found %r, wanted %r" % (what, found, wanted))


def contains(text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError("%r is not in %r" % (part, text))


def main():
    print("1..%d" % len(CASES))
    failed = 0
    for number, function in enumerate(CASES, 1):
        box = Box()
        try:
            function(box)
            print("ok %d %s" % (number, function.__name__))
        except Skip as reason:
            print("ok %d %s # SKIP %s" % (number, function.__name__, reason))
        except Exception:  # a failed case must not end the run
            failed += 1
            print("not ok %d %s" % (number, function.__name__))
            for line in traceback.format_exc().splitlines():
                print("# " + line)
        finally:
            box.close()
        sys.stdout.flush()
    return 1 if failed else 0
