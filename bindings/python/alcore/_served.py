# SPDX-License-Identifier: Apache-2.0
"""Columns of a pool from the answers of inference servers that were kept as a file."""
from __future__ import annotations

import ctypes

from . import _ffi
from ._calls import run
from ._columns import path_of
from ._handles import choice, struct
from ._lazy import types as t
from ._library import lib
from ._logits import put_columns


def read_served(pool: t.Pool, path: t.Path, *, rows: t.Rows | None = None, classes: int = 0, rest: str = "one_class",
                missing: str = "fail", **columns: str | t.ColumnWriter) -> None:
    """Columns from a file of answers of a server of OpenAI's protocol (vLLM, llama.cpp's server, SGLang), one JSON object a line:

        pool.read_served("answers.jsonl", logprobs="logprobs", margins="margins")

    A line is an answer as it came, of the row of its place in the file, or a line of a batch file, whose custom_id is the id of its row.
    rows: those of answers without a custom_id, in their order; by default all. columns, classes, rest and missing: as for score_topk().
    docs/served.md says what each server writes, and how it is asked."""
    options = struct(_ffi.alcore_served_options, classes=classes, rest=choice("ALCORE_REST_", rest, "rest"))
    kept = None
    if rows is not None:
        options.rows, options.row_count, kept = pool.rows_of(rows)
    put_columns(pool, [], None, missing, columns, lambda _ctx, _address, _count, out: run(
        lib.alcore_served_read, pool._handle, path_of(path), ctypes.byref(options), out))
    del kept
