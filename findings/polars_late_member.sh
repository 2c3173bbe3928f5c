#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# polars 2.1.0: read_ndjson() drops a member that the first 100 lines of a JSONL file do not have, without a warning.
#
# The documentation of infer_schema_length says how many rows are scanned for the schema, and nothing of the others; read_json() refuses
# an array of the same objects, and a value of another type than the scanned ones is an error in both. Files of annotation tools
# have "label" in those lines alone that were labeled. Expected: the column, with nulls in the lines before; or an error. Seen: a table
# without labels where the first label stands in line 101, and with them where it stands in line 100.
. "$(dirname "$0")/venv.sh"
venv polars==2.1.0
"$python" - <<'PYTHON'
import io
import json

import polars

def objects(first):
    return [{"id": line, "text": "a text"} | ({"label": "PER"} if line >= first else {}) for line in range(1, 201)]

def columns(first, **options):
    return polars.read_ndjson(io.BytesIO("\n".join(map(json.dumps, objects(first))).encode()), **options).columns

for first, options, expected in ((100, {}, True), (101, {}, False), (101, {"infer_schema_length": None}, True)):
    found = columns(first, **options)
    print("labels from line", first, options, "->", found)
    assert ("label" in found) == expected, found
try:
    polars.read_json(io.BytesIO(json.dumps(objects(101)).encode()))
    raise SystemExit("read_json() read the array")
except polars.exceptions.ComputeError as error:
    print("read_json():", error)
PYTHON
