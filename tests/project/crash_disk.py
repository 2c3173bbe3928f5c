# SPDX-License-Identifier: Apache-2.0
"""What a disk may hold after a loss of power, from the log of calls that crash_shim.c keeps.

Bytes and names reach the disk when they are synced; of what was not, any part may have: each sector of 512 bytes of a write by itself, so
that writes are lost, reordered and torn; a length without the bytes behind it, where then anything stands; names in any order among
different names, without those that lie in a folder whose own name was lost. Two changes of one name keep their order, and a rename
happens whole or not at all, as every file system has it."""
import os
import random
import shutil
import struct

HEAD = struct.Struct("<BQqQHH")
SECTOR = 512
FOLDER = object()


def read_log(path):
    """The records of a log: (kind, inode, offset, path, second path, data)."""
    with open(path, "rb") as file:
        log = file.read()
    records, at = [], 0
    while at < len(log):
        kind, inode, offset, size, first, second = HEAD.unpack_from(log, at)
        at += HEAD.size
        names = log[at:at + first].decode(), log[at + first:at + first + second].decode()
        at += first + second
        records.append((chr(kind), inode, offset, *names, log[at:at + size]))
        at += size
    return records


class File:
    def __init__(self):
        self.synced = bytearray()
        self.pending = []  # since the last sync: (offset, data), or (length, None)

    def sync(self):
        self.synced = self.draw(None, 1, None)
        self.pending = []

    def draw(self, rng, share, prefix):
        """The bytes that a disk may have: each sector of a pending write with the probability of share, or the writes up to the prefix, a
        share of them, and those behind not at all."""
        held = bytearray(self.synced)
        pending = self.pending if prefix is None else self.pending[:int(prefix * len(self.pending) + 0.5)]
        for offset, data in pending:
            if data is None:
                if share == 1 or rng.random() < share:
                    held[offset:] = b"\0" * max(0, offset - len(held))
                continue
            at = offset
            while at < offset + len(data):
                end = min(offset + len(data), (at // SECTOR + 1) * SECTOR)
                if share == 1 or rng.random() < share:
                    if len(held) < end:
                        hole = max(0, at - len(held))
                        held += rng.randbytes(hole) if rng and hole and rng.random() < 0.5 else b"\0" * hole
                    held[at:end] = data[at - offset:end - offset]
                at = end
        return held


class Disk:
    """The files below a folder, as the calls of a log make them."""

    def __init__(self):
        self.files = {}   # by inode: the file that has the number now
        self.names = {}   # by path: a File or FOLDER, as the program sees them
        self.synced = {}  # the same as far as the disk has it for sure
        self.pending = []  # changes of names since: {path: File, FOLDER or None}

    def _change(self, change):
        for path, node in change.items():
            if node is None:
                self.names.pop(path, None)
            else:
                self.names[path] = node
        self.pending.append(change)

    def apply(self, record):
        kind, inode, offset, path, other, data = record
        if kind == "c":
            self.files[inode] = File()
            self._change({path: self.files[inode]})
        elif kind == "w":
            self.files[inode].pending.append((offset, data))
        elif kind == "t":
            self.files[inode].pending.append((offset, None))
        elif kind == "s":
            self.files[inode].sync()
        elif kind == "n":
            kept = []
            for change in self.pending:
                if any((os.path.dirname(name) or ".") == path for name in change):
                    _set(self.synced, change)
                else:
                    kept.append(change)
            self.pending = kept
        elif kind == "r":
            moved = [name for name in self.names if name == path or name.startswith(path + "/")]
            self._change({**{name: None for name in moved}, **{other + name[len(path):]: self.names[name] for name in moved}})
        elif kind == "l":
            self._change({other: self.names[path]})
        elif kind in "ud":
            self._change({path: None})
        elif kind == "m":
            self._change({path: FOLDER})
        else:
            raise AssertionError("unknown record " + kind)

    def draw(self, rng):
        """A state {path: bytes or FOLDER} that the disk may have after a loss of power now."""
        share = rng.choice((0, 0.1, 0.5, 0.9, 1))
        names = dict(self.synced)
        stuck = set()  # names of which a change was lost: later ones were too
        for change in self.pending:
            if stuck.isdisjoint(change) and (share == 1 or rng.random() < share):
                _set(names, change)
            else:
                stuck.update(change)
        held = {}
        for path in sorted(names):
            folder = os.path.dirname(path)
            if folder and held.get(folder) is not FOLDER:
                continue
            node = names[path]
            in_order = rng.random() if rng.random() < 0.3 else None
            part = rng.choice((0, 0.1, 0.5, 0.9, 1)) if in_order is None else 1
            held[path] = FOLDER if node is FOLDER else bytes(node.draw(rng, part, in_order))
        return held

    def now(self):
        """The state as the program sees it."""
        return {path: FOLDER if node is FOLDER else bytes(node.draw(None, 1, None)) for path, node in self.names.items()}


def _set(names, change):
    for path, node in change.items():
        if node is None:
            names.pop(path, None)
        else:
            names[path] = node


def write_state(state, folder):
    """Makes a folder of a state."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for path in sorted(state):
        if state[path] is FOLDER:
            os.mkdir(os.path.join(folder, path))
        else:
            with open(os.path.join(folder, path), "wb") as file:
                file.write(state[path])


def read_state(folder):
    """The state of a folder."""
    state = {}
    for parent, folders, files in os.walk(folder):
        below = os.path.relpath(parent, folder)
        for name in folders:
            state[os.path.normpath(os.path.join(below, name))] = FOLDER
        for name in files:
            with open(os.path.join(parent, name), "rb") as file:
                state[os.path.normpath(os.path.join(below, name))] = file.read()
    return state


def losses(records, count, seed):
    """Draws states: (calls that were made, state), by the number of calls."""
    rng = random.Random(seed)
    points = sorted(rng.randrange(1, len(records) + 1) for _ in range(count))
    disk, made = Disk(), 0
    for point in points:
        for record in records[made:point]:
            disk.apply(record)
        made = point
        yield made, disk.draw(rng)
