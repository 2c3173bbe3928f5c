#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the licences of the libraries inside a wheel beside the package's own: add_licenses.py WHEEL FOLDER

Each file of FOLDER becomes a file of the wheel's dist-info/licenses, named in METADATA and RECORD. Wheels are zip files
whose RECORD holds the checksum of every other file."""
import base64
import csv
import hashlib
import io
import sys
import zipfile
from pathlib import Path


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return [name, "sha256=" + digest, str(len(data))]


def with_names(metadata, names):
    """METADATA with a License-File line for each name, behind those that are there."""
    head, gap, body = metadata.decode("utf-8").partition("\n\n")
    lines = head.split("\n")
    behind = max(number for number, line in enumerate(lines) if line.startswith("License-File: ")) + 1
    lines[behind:behind] = ["License-File: " + name for name in names]
    return ("\n".join(lines) + gap + body).encode("utf-8")


def main(wheel, folder):
    texts = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
    with zipfile.ZipFile(wheel) as old:
        items = [(item, old.read(item)) for item in old.infolist()]
    record = next(item.filename for item, _ in items if item.filename.endswith(".dist-info/RECORD"))
    info = record[:-len("RECORD")]  # the folder alcore-*.dist-info/
    made = Path(str(wheel) + ".part")
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        lines = []

        def put(item, data):
            new.writestr(item, data, zipfile.ZIP_DEFLATED)
            lines.append(record_line(item if isinstance(item, str) else item.filename, data))

        for item, data in items:
            if item.filename != record and not item.is_dir():
                put(item, with_names(data, texts) if item.filename == info + "METADATA" else data)
        for name, data in texts.items():
            put(info + "licenses/" + name, data)
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(lines + [[record, "", ""]])
        new.writestr(record, out.getvalue(), zipfile.ZIP_DEFLATED)
    made.replace(wheel)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
