# SPDX-License-Identifier: Apache-2.0
"""The files of annotators' tools: what is to be translated or labeled goes out, and what people did comes back."""
from __future__ import annotations

import ctypes
import math
from typing import NamedTuple, Optional, overload

from . import _ffi
from ._calls import run
from ._columns import path_of
from ._handles import Handle, default_context, filled, getter, new, options, records, struct, word
from ._lazy import types as t
from ._library import lib
from ._numbers import float_list
from ._parts import all_of
from ._strings import Strings, name_of, text, text_or_none
from ._table import Tabular


def tools() -> dict[str, dict[str, t.Any]]:
    """The annotators' tools whose files are written and read: name -> {"title", "suffix", "tasks", "span_unit", "lacks"}. tasks: a list
    of "translation", "classes", "spans" and "tags". span_unit: what offsets count, "code_points", "utf16" or "bytes"; None: it has
    no spans. lacks: what this build would need for it; None: it has it."""
    return dict(all_of(_tool))


def _tool(index):
    info = struct(_ffi.alcore_tool_info)
    if lib.alcore_tool_builtin(index, ctypes.byref(info)) != _ffi.ALCORE_OK:
        return None
    return info.name.decode(), {"title": info.title.decode(), "suffix": info.suffix.decode(), "tasks": info.tasks.decode().split(),
                                "span_unit": word("ALCORE_SPAN_", info.span_unit) if info.span_unit else None,
                                "lacks": text_or_none(info.lacks)}


class Span(NamedTuple):
    """A part of a text with a label: text[begin:end]."""

    begin: int
    end: int
    label: str


class ToolAnswer(NamedTuple):
    """One answer. status: "ok", "draft" (not final), "skip", "reject" or "untranslatable". value: the translation; the labels with a TAB
    between them; the spans as JSON; the tags with a space between them. text, annotator, time, comment and seconds are None where the
    file does not say; spans are of the task "spans". line: of the file, or the number of the record."""

    id: str
    status: str
    value: Optional[str]
    text: Optional[str]
    spans: list[Span]
    annotator: Optional[str]
    time: Optional[str]
    comment: Optional[str]
    seconds: Optional[float]
    line: int


def tool_options(given):
    """The alcore_tool_options of a call's arguments, and what has to live as long as they."""
    labels = None if given.get("labels") is None else Strings(given["labels"], "labels")
    how = options("tool", given, labels=labels and ctypes.addressof(labels.pointers), label_count=labels and labels.count)
    return how, labels


class ToolAnswers(Handle, Tabular):
    """What a file of a tool says: a sequence of ToolAnswer. read_tool() makes it."""

    _noun = "tool_answers"

    batch = getter(text_or_none, "alcore_tool_answers_batch", "The name of the batch that the file kept; None.")
    unusable = getter(int, "alcore_tool_answers_unusable", "How many records could not be used.")
    messages = getter(lambda value: text(value).splitlines(), "alcore_tool_answers_messages", "Why they could not, a text for each.")

    def _columns(self):
        answers = list(self)
        return {name: [getattr(answer, name) for answer in answers] for name in ToolAnswer._fields if name != "spans"}

    def __len__(self) -> int:
        return lib.alcore_tool_answers_count(self._handle)

    @overload
    def __getitem__(self, index: int) -> ToolAnswer: ...
    @overload
    def __getitem__(self, index: slice) -> list[ToolAnswer]: ...
    def __getitem__(self, index):
        numbers = range(len(self))
        if isinstance(index, slice):
            return [self[number] for number in numbers[index]]
        out = filled(_ffi.alcore_tool_answer, lib.alcore_tool_answers_get, self._handle, numbers[index])
        spans = ctypes.cast(out.spans, ctypes.POINTER(_ffi.alcore_tool_span))
        return ToolAnswer(
            out.id.decode(), out.status.decode(), text_or_none(out.value), text_or_none(out.text),
            [Span(spans[i].begin, spans[i].end, spans[i].label.decode()) for i in range(out.span_count)], text_or_none(out.annotator),
            text_or_none(out.time), text_or_none(out.comment), None if math.isnan(out.seconds) else out.seconds, out.line)

    def _description(self):
        return " answers=%d" % len(self)


def write_tool(tool: str, path: t.Path, ids: t.Iterable[str | int], texts: t.Iterable[str], *, contexts: t.Iterable[str | None] | None = None,
               drafts: t.Iterable[str | None] | None = None, reasons: t.Iterable[str | None] | None = None,
               groups: t.Iterable[str | None] | None = None, languages: t.Iterable[str | None] | None = None,
               scores: t.Iterable[float] | None = None, costs: t.Iterable[float] | None = None, task: str = "translation",
               span_unit: str | None = None, source_language: str | None = None, target_language: str | None = None,
               labels: t.Iterable[str] | None = None, batch: str | None = None, context: t.Context | None = None) -> None:
    """Writes items for a tool of tools(), the best first. contexts: texts around them, for annotators to read. drafts: suggestions, in the
    form of ToolAnswer.value. reasons: why each was picked. task: "translation", "classes", "spans" or "tags"; labels: its labels.
    span_unit: what the offsets of the file count, "code_points", "utf16" or "bytes"; None: what the tool counts."""
    ctx = context or default_context()
    names = {"texts": texts, "ids": ids, "contexts": contexts, "drafts": drafts, "reasons": reasons, "groups": groups,
             "languages": languages}
    strings = {name: Strings(value, name, optional=name not in ("texts", "ids"), integers=name in ("ids", "groups"))
               for name, value in names.items() if value is not None}
    items = records(_ffi.alcore_tool_items, strings, "texts")
    numbers = {name: float_list(value, name) for name, value in (("scores", scores), ("costs", costs)) if value is not None}
    for name, values in numbers.items():
        if len(values) != items.count:
            raise ValueError("%s: %d were given for %d texts" % (name, len(values), items.count))
        setattr(items, name, values.buffer_info()[0])
    how, kept = tool_options(locals())
    run(lib.alcore_tool_write, ctx._handle, name_of(tool, "tool"), path_of(path), ctypes.byref(items), ctypes.byref(how))
    del kept


def read_tool(tool: str, path: t.Path, *, task: str = "translation", span_unit: str | None = None, source_language: str | None = None,
              target_language: str | None = None, labels: t.Iterable[str] | None = None, context: t.Context | None = None) -> ToolAnswers:
    """The ToolAnswers of a file that a tool exported. Records that cannot be used are counted and told, and the others count."""
    ctx = context or default_context()
    how, kept = tool_options(locals())
    made = new(lib.alcore_tool_answers_unref, lib.alcore_tool_read, ctx._handle, name_of(tool, "tool"), path_of(path), ctypes.byref(how))
    del kept
    return ToolAnswers._made(made, ctx)
