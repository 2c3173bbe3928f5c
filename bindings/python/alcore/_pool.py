# SPDX-License-Identifier: Apache-2.0
"""The pool: rows of text with their states and columns."""
from __future__ import annotations

import array
import ctypes
import math
import os
import threading
from operator import index
from typing import TYPE_CHECKING, overload

from . import _ffi
from ._arrays import Tensor, integers, integers_in_place, memory
from ._calls import check, run
from ._arrow_give import stream_of
from ._columns import (RAGGED, Column, ColumnWriter, arrow_of, column_name, column_of, give_arrow, give_column, give_texts, info_of, is_texts,
                       path_of, read_column, read_once, read_texts, read_tokens)
from ._frames import are_records
from ._handles import Handle, choice, default_context, getter, new, options, records, struct, write_options
from ._intake import dtype_kind, is_table, mask_of, refuse_number_mask, source_name, unwrapped, values_of
from ._lazy import types as t
from ._library import lib
from ._numbers import float_list
from ._records import PlainStream, add_columns, open_table, record_fields
from ._selection import Selection
from ._strings import Strings, block_of, name_of, text_at, text_or_none

STATES = {name[len("ALCORE_ROW_"):].lower(): value for name, value in vars(_ffi).items() if name.startswith("ALCORE_ROW_")}


def state_bits(states):
    """One state or several as bits."""
    if type(states) is str and states in STATES:
        return STATES[states]
    names = [states] if isinstance(states, str) else states
    bits = 0
    for name in names:
        bits |= choice("ALCORE_ROW_", name, "state")
    return bits


class Pool(Handle):
    """Texts that may be labeled. Row i is always the i-th text: rows are neither removed nor renumbered; a row that is labeled,
    repeated, empty or excluded has a state.

    texts: a list of str, a table with the Arrow interface (pandas, polars, pyarrow; columns text, id, lang, reference,
    group, cost), the path of a file (a pathlib.Path), or nothing. ids, references, languages, groups: lists of str or None.
    costs: numbers >= 0. dedup: "exact", "normalized" or "none". utf8: "refuse" or "replace". repeated_ids: which rows may
    have the same id, "unique" (none), "per_call" (those of different calls) or "any". source: the pool that the rows
    come from, such as the sentences of phrases; the columns first_row, first_position and source_rows say where."""

    _noun = "pool"
    _whole_ids = False  # whether ids were given as whole numbers, which rows named by numbers could be taken for

    def __init__(self, texts: t.Texts | None = None, *, ids: t.Column | None = None, references: t.Column | None = None,
                 languages: t.Column | None = None, groups: t.Column | None = None, costs: t.Numbers | None = None, dedup: str = "exact",
                 utf8: str = "refuse", max_text_bytes: int = 0, repeated_ids: str = "unique", source: Pool | None = None,
                 context: t.Context | None = None) -> None:
        ctx = source.context if source is not None else context or default_context()
        settings = options("pool", locals())
        self._kept = {}  # column -> arrays that the library reads in place
        self._request, self._select_lock = None, threading.Lock()
        self._left_out = []  # what was warned of columns of the table
        make, parent = (lib.alcore_pool_new, ctx) if source is None else (lib.alcore_pool_new_derived, source)
        super().__init__(new(lib.alcore_pool_unref, make, parent._handle, ctypes.byref(settings)), ctx)
        self._source = source
        if texts is not None:
            self.add(texts, ids=ids, references=references, languages=languages, groups=groups, costs=costs)

    @classmethod
    def borrowed(cls, pointer: int, context: t.Context | None = None) -> t.Self:
        """A Pool with a reference of its own to a pool that the library owns."""
        made = cls.__new__(cls)
        made._kept, made._request, made._source, made._left_out = {}, None, None, []
        made._select_lock = threading.Lock()
        Handle.__init__(made, lib.alcore_pool_ref(pointer), context or default_context())
        return made

    # ---- rows ----

    def add(self, texts: t.Texts, *, ids: t.Column | None = None, references: t.Column | None = None, languages: t.Column | None = None,
            groups: t.Column | None = None, costs: t.Numbers | None = None) -> None:
        """Adds rows at the end, all of them or, after an error, none. The arguments are those of Pool(); a table that is added to
        rows has records alone, no columns such as scores."""
        fields = {"ids": ids, "references": references, "languages": languages, "groups": groups}
        beside = {name: values for name, values in dict(fields, costs=costs).items() if values is not None}
        if isinstance(texts, os.PathLike):
            if beside:
                raise TypeError("%s: a file has its own; give them with a list of texts" % ", ".join(beside))
            return self.read(texts)
        texts = list(texts) if hasattr(texts, "__next__") and not hasattr(texts, "__arrow_c_stream__") else unwrapped(texts, "texts")
        if is_table(texts) or are_records(texts):
            return self._add_table(texts, beside)
        if not beside:
            texts = values_of(texts, "texts")
            block = block_of(texts)
            if block is not None:
                return run(lib.alcore_pool_add_utf8, self._handle, block.bytes, block.offsets, block.count, None)
        strings = {"texts": Strings(texts, "texts", empty=True)}
        strings.update({name: Strings(values, name, optional=True, integers=name != "languages") for name, values in fields.items()
                        if values is not None})
        if "ids" in strings:
            self._whole_ids = self._whole_ids or strings["ids"].whole
        rows = records(_ffi.alcore_records, strings, "texts")
        numbers = array.array("d") if costs is None else float_list(costs, "costs")
        if costs is not None and len(numbers) != rows.count:
            raise ValueError("costs: %d were given for %d texts" % (len(numbers), rows.count))
        if any(map(math.isnan, numbers)):
            return self._add_with_gaps(rows, numbers)
        rows.costs = numbers.buffer_info()[0] if numbers else None
        return run(lib.alcore_pool_add_records, self._handle, ctypes.byref(rows), None)

    def _add_with_gaps(self, rows, costs):
        """Adds records some of which have no cost, NaN: the library sets the costs of rows that are there. So they are checked
        first, because either all of it is done or none."""
        for number, cost in enumerate(costs):
            if cost < 0 or math.isinf(cost):
                raise ValueError("costs[%d]: a number >= 0 is expected, got %r" % (number, cost))
        first = len(self)
        run(lib.alcore_pool_add_records, self._handle, ctypes.byref(rows), None)
        self.set_costs(range(first, first + len(costs)), costs)

    def _add_table(self, table, given):
        """Adds the rows of a table, and its columns whose names have a meaning here. given: arguments beside it."""
        frame, first = open_table(table), len(self)
        if isinstance(frame, PlainStream):
            if not given:
                return run(lib.alcore_pool_add_arrow, self._handle, frame.address, None)
            frame = frame.frame()
        fields = record_fields(frame)
        for name in given.keys() & fields.keys():
            raise TypeError("%s: the table has a column of them too, %s; leave one of the two out" % (name, fields[name]))
        columns = [name for name in frame.names if name in _ffi.COLUMNS and name not in fields.values()]
        if first and columns:
            raise TypeError("%s: columns of a table are those of all rows of a pool, and this one has rows already; add the records "
                            "alone and give the columns of all rows by set_column()" % ", ".join(columns))
        self.add(**{name: frame.column(column) for name, column in fields.items()}, **given)
        if not first:
            add_columns(self, frame, fields)
        return None

    def read(self, path: t.Path, *, format: str = "auto", text_column: str | int | None = None, reference_column: str | int | None = None,
             references: t.Path | None = None, by: str = "auto", language: str | None = None, bad_lines: str = "error",
             escapes: str = "auto", side: str | None = None, translator: str | None = None, system: str | None = None,
             domain: str | None = None) -> t.Self:
        """Adds the records of a file: text, TSV, CSV, JSONL or CoNLL, also as .gz, .xz or .zst. text_column, reference_column: where
        texts and references are, by name, in CoNLL also by number from 1. references: the path of a second file that has the
        references, one for each text, as in the two files of a parallel corpus; by: "id" or "line" joins them, "auto" (the default)
        by id where both files have ids. language: of the rows that name none. bad_lines:
        "error" names the first malformed line; "mask" keeps its row, which is never selected and has the state "malformed".
        escapes: whether \\t, \\n and \\\\ of TSV, CSV and text are a TAB, a line break and a backslash: "on", "off" or "auto", in a
        TSV whose first line is one that alcore writes. side ("src", "ref" or "hyp"), translator, system and domain choose what is
        read of a test set in SGML or XML that has several sides; the references of a second file are those of translator or
        system."""
        columns = {name: column_name(value, name) for name, value in (("text_column", text_column), ("reference_column", reference_column))}
        run(lib.alcore_pool_read, self._handle, path_of(path), ctypes.byref(options("read", locals(), **columns)))
        return self

    def __len__(self) -> int:
        return lib.alcore_pool_row_count(self._handle)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row):
        if isinstance(row, slice):
            return [self[number] for number in range(*row.indices(len(self)))]
        number = self._row(row if row >= 0 else row + len(self), row)
        length = ctypes.c_size_t()
        return text_at(lib.alcore_pool_text(self._handle, number, ctypes.byref(length)), length.value)

    def __iter__(self) -> t.Iterator[str]:
        return (self[row] for row in range(len(self)))

    def _row(self, row, asked=None):
        """The row as an int, checked against the number of rows: ctypes would keep the low bits of a larger one. asked: the row as
        the caller wrote it, for the message."""
        number, rows = index(row), lib.alcore_pool_row_count(self._handle)
        if not 0 <= number < rows:
            raise IndexError("row %d: the pool has %d" % (number if asked is None else asked, rows))
        return number

    def id(self, row: int) -> str:
        """Id of a row: the one it was given, or its 1-based number."""
        return text_or_none(lib.alcore_pool_row_id(self._handle, self._row(row)))

    def reference(self, row: int) -> str | None:
        """Reference of a row; None when it has none."""
        length = ctypes.c_size_t()
        address = lib.alcore_pool_reference(self._handle, self._row(row), ctypes.byref(length))
        return None if address is None else text_at(address, length.value)

    def language(self, row: int) -> str:
        """Language tag of a row, "unknown" without one."""
        return text_or_none(lib.alcore_pool_language(self._handle, self._row(row)))

    def group(self, row: int) -> str | None:
        """Group of a row; None when it has none."""
        return text_or_none(lib.alcore_pool_group(self._handle, self._row(row)))

    def cost(self, row: int) -> float:
        """Cost of a row; NaN when it has none."""
        return lib.alcore_pool_cost(self._handle, self._row(row))

    def words(self, row: int) -> int:
        """Words of a row."""
        return lib.alcore_pool_words(self._handle, self._row(row))

    def find(self, id: str) -> int:
        """Row with an id, the first when several share it; NotFoundError without one."""
        row = ctypes.c_int64()
        wanted = name_of(id, "id")
        check(lib.alcore_pool_find(self._handle, wanted, len(wanted), ctypes.byref(row)))
        return row.value

    @property
    def source(self) -> Pool | None:
        """The pool that the rows of a derived pool come from; None without one."""
        if self._source is None:
            pointer = lib.alcore_pool_source(self._handle)
            self._source = Pool.borrowed(pointer, self.context) if pointer else None
        return self._source

    fingerprint = getter(int, "alcore_pool_fingerprint", "A 64-bit hash of the texts in their order.")

    def set_references(self, rows: t.Rows, references: t.Column) -> None:
        """Sets the references of rows: translations or labels. None removes one."""
        address, count, kept = self.rows_of(rows)
        strings = Strings(references, "references", optional=True, integers=True)
        if strings.count != count:
            raise ValueError("references: %d were given for %d rows" % (strings.count, count))
        run(lib.alcore_pool_set_references, self._handle, address, strings.pointers, strings.lengths, count)
        del kept

    def set_costs(self, rows: t.Rows, costs: t.Numbers) -> None:
        """Sets the costs of rows, numbers >= 0; NaN removes one."""
        address, count, kept = self.rows_of(rows)
        numbers = float_list(costs, "costs")
        if len(numbers) != count:
            raise ValueError("costs: %d were given for %d rows" % (len(numbers), count))
        check(lib.alcore_pool_set_costs(self._handle, address, numbers.buffer_info()[0] if count else None, count))
        del kept

    # ---- states ----

    @property
    def states(self) -> t.array[int]:
        """State bits of every row: a copy, uint32 [rows]. alcore.STATES has the bits by name."""
        address = lib.alcore_pool_states(self._handle)
        return array.array("I", (ctypes.c_uint32 * len(self)).from_address(address)) if address else array.array("I")

    def count(self, states: str | t.Iterable[str] = ()) -> int:
        """Rows that have any of the states; those that may be selected without an argument. States: empty, duplicate,
        labeled, excluded, filtered, nan, ineligible, known, missing."""
        return lib.alcore_pool_state_count(self._handle, state_bits(states))

    def rows_of(self, rows: t.Rows, what: str = "rows") -> tuple[int | None, int, object]:
        """(address, count, keep) of row numbers, int64, from row numbers, a mask (one bool a row), ids or a Selection."""
        if type(rows) is not list:
            if isinstance(rows, Selection):
                rows = self._rows_of_selection(rows, what)
            found = integers_in_place(rows)
            if found is not None and found[1] != len(self):  # as many as the pool has may be a mask of 0 and 1
                return found
        return integers(self._row_numbers([rows] if isinstance(rows, (int, str)) else values_of(rows, what), rows, what), what)

    def _row_numbers(self, values, source, what):
        """A list of row numbers, from the values that were read of a source: numbers, a mask or ids."""
        kinds = set(map(type, values))
        if kinds == {int}:
            refuse_number_mask(values, len(self), what)
            return values  # to check every row would cost more than to mark it
        if kinds and all(issubclass(kind, str) for kind in kinds):
            return [self.find(value) for value in values]
        masked = mask_of(source, values, len(self), what)
        if masked is not None:
            return masked
        if values and dtype_kind(source) not in (None, "O", "i", "u"):
            raise TypeError("%s: integers are expected, got %s of %s" % (what, source_name(source), source.dtype))
        return values

    def _rows_of_selection(self, rows, what):
        other = rows.pool
        of_texts = other is not None and other._source is self or "first_row" in rows.columns()
        if other is not self and of_texts:
            raise ValueError("%s: the rows of the selection are those of its own pool, which was derived from the texts: "
                             "the positions of its picks in these are its column first_row, and its texts can be given as "
                             "labeled" % what)
        return rows.indices

    def mark(self, states: str | t.Iterable[str], rows: t.Rows) -> None:
        """Sets states of rows: "labeled", "excluded", "filtered", "ineligible"."""
        address, count, kept = self.rows_of(rows)
        run(lib.alcore_pool_mark, self._handle, state_bits(states), address, count)
        del kept

    def unmark(self, states: str | t.Iterable[str], rows: t.Rows) -> None:
        """Clears states of rows."""
        address, count, kept = self.rows_of(rows)
        run(lib.alcore_pool_unmark, self._handle, state_bits(states), address, count)
        del kept

    def mark_labeled(self, rows: t.Rows, references: t.Column | None = None) -> None:
        """Marks rows that have labels now: a Selection, row numbers, ids or a mask. references: the labels, which become the
        references of the rows."""
        if references is not None:
            self.set_references(rows, references)
        self.mark("labeled", rows)

    def mark_texts(self, states: str | t.Iterable[str], other: Pool | t.Texts) -> None:
        """Sets states of the rows whose text stands in another pool or list."""
        other = pool_of(other, self.context)
        run(lib.alcore_pool_mark_texts, self._handle, state_bits(states), other._handle)

    def filter(self, *, min_words: int = 0, max_words: int = 0, min_letters: float = 0.0) -> None:
        """Masks rows by words and by the share of letters among characters; 0 is no limit. Replaces the last filter."""
        limits = struct(_ffi.alcore_filter, min_words=min_words, max_words=max_words, min_letters=min_letters)
        run(lib.alcore_pool_filter, self._handle, ctypes.byref(limits))

    def write(self, rows: t.Rows, path: t.Path, format: str = "auto") -> None:
        """Writes rows as TSV, JSONL, CSV or text ("auto": by the suffix): index, id and text, and reference, lang, group
        and cost where a row has one. TSV and JSONL read back as the same rows. The file appears whole or not at all."""
        address, count, kept = self.rows_of(rows)
        run(lib.alcore_pool_write, self._handle, address, count, path_of(path), write_options(format))
        del kept

    # ---- columns ----

    def set_column(self, name: str, values: t.Array | tuple[t.Array, t.Numbers] | Column | t.Path | t.Column | t.OwnScorer[..., t.Any],
                   **how: t.Any) -> None:
        """Gives the pool a column: an array, (values, offsets), a Column, the path of a file, or texts (a list of str and
        None); `how` as in Column(). Arrays are read in place where the library can read them as they lie; copy=True always
        copies, copy=False never. Texts are copied."""
        if isinstance(values, os.PathLike) or isinstance(values, str):
            return self.read_column(name, values, **how)
        if hasattr(values, "_score_pool"):
            return values._score_pool(self)
        values = read_once(values, name)
        arrow = arrow_of(values)
        if arrow is not None:
            if give_arrow(self, name, arrow, how):
                self._kept[name] = None
                return
            values = arrow
        if is_texts(values, name):
            give_texts(self, name, values, **how)
            self._kept[name] = None
            return
        column = Column(*_parts(column_of(name, values)), **how) if how else column_of(name, values)
        self._kept[name] = give_column(self, name, column)

    def read_column(self, name: str, path: t.Path, *, meaning: str | None = None, log_base: float | None = None,
                    rows: t.Numbers | None = None, offsets: t.Path | None = None, format: str | None = None) -> None:
        """Gives the pool a column that stays in a file (.npy, .safetensors) or is read from one (.txt, .tsv, .lp)."""
        how = options("column", locals(), meaning=choice("ALCORE_MEANS_", meaning, name) if meaning else 0, rows=None)
        kept = None
        if rows is not None:
            how.rows, how.row_count, kept = self.rows_of(rows, name + " rows")
        run(lib.alcore_pool_read_column, self._handle, name_of(name, "name"), path_of(path), ctypes.byref(how))
        self._kept[name] = None
        del kept

    def get_column(self, name: str) -> t.Any:
        """A column that is in memory: an array, or (values, offsets) when it is ragged, valid until it is replaced or the pool is
        closed, as at the end of a `with` block; a list of str for texts."""
        return read_column(self, name)

    def column_rows(self, name: str, rows: t.Rows) -> t.Any:
        """Some rows of a column, wherever it lives: float64 [rows, n], or int64 for a column of integers; (values, offsets) of
        their tokens where it is ragged; a list of str for texts."""
        address, count, kept = self.rows_of(rows)
        info = info_of(self, name)
        if info.shape in RAGGED and info.dtype != _ffi.ALCORE_TEXT:
            return read_tokens(self, name, address, count, info)
        if info.dtype == _ffi.ALCORE_TEXT:
            return read_texts(self, name, (ctypes.c_int64 * count).from_address(address) if count else [])
        integer = info.dtype in (_ffi.ALCORE_INT32, _ffi.ALCORE_INT64)
        out = ((ctypes.c_int64 if integer else ctypes.c_double) * max(count * info.width, 1))()
        dtype = (_ffi.ALCORE_KIND_INT if integer else _ffi.ALCORE_KIND_FLOAT, 64)
        tensor = Tensor(ctypes.addressof(out), dtype, [count, info.width])
        run(lib.alcore_pool_get_column_rows, self._handle, name_of(name, "name"), address, count, tensor.reference)
        del kept
        return memory(ctypes.addressof(out), [count, info.width], "q" if integer else "d", out)

    def column_info(self, name: str) -> dict[str, t.Any]:
        """Type, shape and origin of a column: a dict with dtype, shape, width, entries, origin and in_file."""
        info = info_of(self, name)
        dtypes = {getattr(_ffi, "ALCORE_" + dtype): dtype.lower()
                  for dtype in ("FLOAT16", "BFLOAT16", "FLOAT32", "FLOAT64", "INT32", "INT64", "TEXT")}
        shapes = {getattr(_ffi, "ALCORE_COLUMN_" + shape): shape.lower()
                  for shape in ("SCALAR", "DENSE", "RAGGED", "RAGGED_DENSE")}
        return {"dtype": dtypes[info.dtype], "shape": shapes[info.shape], "width": info.width, "entries": info.entries,
                "origin": text_or_none(info.origin), "in_file": bool(info.in_file)}

    def drop_column(self, name: str) -> None:
        """Removes a column."""
        run(lib.alcore_pool_drop_column, self._handle, name_of(name, "name"))
        self._kept.pop(name, None)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        names = []
        while True:
            name = lib.alcore_pool_column_name(self._handle, len(names))
            if name is None:
                return names
            names.append(name.decode())

    def write_column(self, name: str, path: t.Path, format: str = "auto") -> None:
        """Writes a column as "npy", "tsv" or "lp" ("auto": by the suffix)."""
        run(lib.alcore_pool_write_column, self._handle, name_of(name, "name"), path_of(path), write_options(format))

    def column(self, name: str, *, shape: str | None = None, missing: str = "fail", meaning: str | None = None,
               log_base: float | None = None, on_device: bool = False) -> ColumnWriter:
        """A ColumnWriter: `with pool.column(name) as writer: writer.put(rows, values, lengths)`. shape: "scalar", "dense",
        "ragged", "ragged_dense"; by default the usual one of the name, or that of the first put. meaning, log_base: as in
        Column(). on_device: what is put on a CUDA device stays there, as ColumnWriter() says."""
        return ColumnWriter(self, name, shape, missing, meaning, log_base, on_device)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow interface: a stream of the rows with index, id, text, reference, lang, group, cost, state and the columns."""
        return stream_of(lib.alcore_pool_get_arrow, self._handle)

    if TYPE_CHECKING:  # methods that are set where they are defined
        select, candidates = t.select_from, t.candidates_of
        read_served, score, score_hidden, score_logits, score_topk = t.read_served, t.score, t.score_hidden, t.score_logits, t.score_topk

    def close(self) -> None:
        request, self._request = self._request, None
        if request is not None:
            request.close()
        super().close()

    def _description(self):
        return " rows=%d selectable=%d columns=%s" % (len(self), self.count(), self.columns)


def _parts(column):
    return (column.values, column.offsets)


def pool_of(value, context=None):
    """The pool that a value means: a Pool, or one that is made of texts or of a table with columns."""
    return value if isinstance(value, Pool) else Pool(value, context=context)
