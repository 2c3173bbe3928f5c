#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds files to a wheel and writes it so that equal contents give equal bytes.

    wheel_contents.py WHEEL [--licenses FOLDER...] [--libraries FILE...]

--licenses: each file of a FOLDER becomes one of dist-info/licenses, named in METADATA: the licences of what the libraries contain.
--libraries: each becomes a neighbor of libalcore, which looks for its engines there. Wheels are zip files whose RECORD holds the
checksum of every other file; all files get the time $SOURCE_DATE_EPOCH, or that of the oldest zip file there can be, and stand in
the order of their names."""
import argparse
import base64
import csv
import hashlib
import io
import os
import stat
import time
import zipfile
from pathlib import Path

EPOCH = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]  # zip files begin in 1980


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return [name, "sha256=" + digest, str(len(data))]


def with_names(metadata, names):
    """METADATA with a License-File line for each name, behind those that are there."""
    head, gap, body = metadata.decode("utf-8").partition("\n\n")
    ours = {"License-File: " + name for name in names}
    lines = [line for line in head.split("\n") if line not in ours]
    behind = max(number for number, line in enumerate(lines) if line.startswith("License-File: ")) + 1
    lines[behind:behind] = ["License-File: " + name for name in names]
    return ("\n".join(lines) + gap + body).encode("utf-8")


def read(wheel):
    """Contents of the wheel's files by their names, without RECORD; the names of those that may be executed; the dist-info folder."""
    with zipfile.ZipFile(wheel) as file:
        items = [item for item in file.infolist() if not item.is_dir()]
        info = next(item.filename for item in items if item.filename.endswith(".dist-info/RECORD"))[:-len("RECORD")]
        programs = {item.filename for item in items if item.external_attr >> 16 & stat.S_IXUSR}
        return {item.filename: file.read(item) for item in items if item.filename != info + "RECORD"}, programs, info


def write(wheel, files, programs, info):
    """Files of dist-info stand last, as is usual; RECORD is the very last."""
    names = sorted(files, key=lambda name: (name.startswith(info), name))
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([record_line(name, files[name]) for name in names] + [[info + "RECORD", "", ""]])
    made = Path(str(wheel) + ".part")
    with zipfile.ZipFile(made, "w") as new:
        for name, data in [(name, files[name]) for name in names] + [(info + "RECORD", lines.getvalue().encode())]:
            item = zipfile.ZipInfo(name, EPOCH)
            item.external_attr = (stat.S_IFREG | (0o755 if name in programs else 0o644)) << 16
            new.writestr(item, data, zipfile.ZIP_DEFLATED, 9)
    made.replace(wheel)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--licenses", type=Path, nargs="*", default=[])
    parser.add_argument("--libraries", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    files, programs, info = read(options.wheel)
    folder = next(name for name in files if name.rpartition("/")[2].startswith("libalcore.so")).rpartition("/")[0]
    for path in options.libraries:
        files[f"{folder}/{path.name}"] = path.read_bytes()
        programs.add(f"{folder}/{path.name}")
    if options.licenses:
        texts = {path.name: path.read_bytes() for folder in options.licenses for path in sorted(folder.iterdir())}
        files.update({f"{info}licenses/{name}": text for name, text in texts.items()})
        files[info + "METADATA"] = with_names(files[info + "METADATA"], texts)
    write(options.wheel, files, programs, info)


if __name__ == "__main__":
    main()
