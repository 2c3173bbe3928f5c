# SPDX-License-Identifier: Apache-2.0
"""Annotations of a selection, the oracles that give them, and training sets made of them."""
from __future__ import annotations

import array
import ctypes
import json
from collections.abc import Mapping
from typing import NamedTuple, Optional, overload

from . import _ffi
from ._align import Links
from ._arrays import memory_of
from ._calls import run
from ._columns import path_of
from ._handles import Handle, default_context, filled, getter, new, options, records, write_options
from ._intake import values_of
from ._lazy import types as t
from ._library import lib
from ._lm import LanguageModel
from ._numbers import float_list
from ._parts import Model, all_of
from ._pool import pool_of
from ._selection import Selection
from ._strings import Strings, name_of, text, text_at
from ._table import Tabular
from ._tools import tool_options


class Annotation(NamedTuple):
    """One item: kind "sent" or "phrase"; status "open", "ok", "loose" or "untranslatable"; row of the pool, or None."""

    id: str
    kind: str
    text: str
    translation: Optional[str]
    status: str
    row: Optional[int]


def _text(function, handle, index):
    length = ctypes.c_size_t()
    address = function(handle, index, ctypes.byref(length))
    return None if address is None else text_at(address, length.value)


def _numbers(code, values, what, count):
    """An array of the numbers, [count]; None stays None."""
    made = None if values is None else float_list(values, what) if code == "d" else array.array(code, values_of(values, what))
    if made is not None and len(made) != count:
        raise ValueError("%s: %d were given for %d texts" % (what, len(made), count))
    return made


class AnswerReport(NamedTuple):
    """What a file of answers had, by item: translations, skips, rejections and items without a translation, those of these that
    replace an earlier answer (corrected), items that stay open (unanswered: blank or a draft) or whose answers contradict each other
    (conflicting). Lines that could be read, those that cannot be used, and what is to be said of lines, a text for each."""

    lines: int
    answered: int
    skipped: int
    rejected: int
    untranslatable: int
    unanswered: int
    corrected: int
    conflicting: int
    unusable: int
    messages: list[str]


class Annotations(Handle, Tabular):
    """The sentences and phrases that were selected from a pool, in order of selection, with their translations as they come
    back: a sequence of Annotation. selection: a Selection, or the file of one, to begin with."""

    _noun = "annotations"

    def __init__(self, pool: t.Any, selection: Selection | t.Path | None = None) -> None:
        self._pool = pool_of(pool)
        super().__init__(new(lib.alcore_annotations_unref, lib.alcore_annotations_new, self._pool._handle), self._pool.context)
        if selection is not None:
            (self.add_selection if isinstance(selection, Selection) else self.read_selection)(selection)

    @property
    def pool(self) -> t.Pool:
        """The pool that the items come from."""
        return self._pool

    def add(self, texts: t.Iterable[str], *, kinds: t.Iterable[str] | None = None, ids: t.Iterable[str] | None = None,
            rows: t.Iterable[int] | None = None, costs: t.Iterable[float] | None = None,
            translations: t.Iterable[str | None] | None = None) -> None:
        """Adds items. kinds: "sent" (the default) or "phrase" of each. rows: their rows in the pool, or of a phrase its first
        occurrence; -1 where unknown. costs: their words if not given. translations: None leaves an item open."""
        names = {"texts": texts, "kinds": kinds, "ids": ids, "translations": translations}
        strings = {name: Strings(value, name, optional=name == "translations", integers=name == "ids")
                   for name, value in names.items() if value is not None}
        items = records(_ffi.alcore_annotation_records, strings, "texts")
        numbers = {"rows": _numbers("q", rows, "rows", items.count), "costs": _numbers("d", costs, "costs", items.count)}
        for name, value in numbers.items():
            setattr(items, name, value.buffer_info()[0] if value else None)
        run(lib.alcore_annotations_add, self._handle, ctypes.byref(items))

    def read_selection(self, path: t.Path) -> None:
        """Adds the items of a selection that was written as .tsv, .csv or .jsonl."""
        run(lib.alcore_annotations_read_selection, self._handle, path_of(path))

    def add_selection(self, selection: Selection) -> None:
        """Adds the picks of a Selection that was made from the pool, or from the phrases of its rows."""
        if not isinstance(selection, Selection):
            raise TypeError("selection: Selection expected, got %s" % type(selection).__name__)
        run(lib.alcore_annotations_add_selection, self._handle, selection._handle)

    def answer(self, translations: Mapping[str, str | None] | t.Iterable[str | None] | None = None, *, items: t.Iterable[int] | None = None,
               ids: t.Iterable[str] | None = None, texts: t.Iterable[str | None] | None = None,
               statuses: t.Iterable[str | None] | None = None) -> AnswerReport:
        """Answers items: an AnswerReport of what was found. translations: a str or None of each answer, or a dict of them by id.
        items: numbers of the items in their order; ids: their ids, with texts where several items have one id; by default the
        answers are those of all items in their order. statuses: "ok", "skip", "reject", "untranslatable", ... in the words of
        annotation tools. What cannot be used is told in the report, and the others count; None and blank translations say nothing."""
        if isinstance(translations, Mapping):
            if ids is not None or items is not None:
                raise TypeError("translations: a dict has ids of its own; leave out ids and items")
            ids, translations = list(translations), list(translations.values())
        names = {"translations": translations, "ids": ids, "texts": texts, "statuses": statuses}
        strings = {name: Strings(value, name, optional=True, integers=name == "ids") for name, value in names.items()
                   if value is not None}
        if not strings:
            raise TypeError("translations or statuses are needed")
        answers = records(_ffi.alcore_annotation_answers, strings, "answers")
        count = answers.count
        if items is None and ids is None:
            if count != len(self):
                raise ValueError("translations: %d were given for %d items; say which ones they are of by items or ids" % (count, len(self)))
            items = range(count)
        numbers = _numbers("q", items, "items", count)
        answers.items = numbers.buffer_info()[0] if numbers else None
        run(lib.alcore_annotations_answer, self._handle, ctypes.byref(answers))
        return self._answer_report()

    def read_answers(self, path: t.Path, *, tool: str | None = None, task: str = "translation", span_unit: str | None = None,
                     source_language: str | None = None, target_language: str | None = None,
                     labels: t.Iterable[str] | None = None) -> AnswerReport:
        """Reads translations: id, text, translation (and status, answer, state or flags in the words of annotation tools), as .tsv,
        .csv or .jsonl; or what a tool of tools() exports, for which the other arguments are those of read_tool(). Lines that cannot be
        used are told in the AnswerReport that is returned, and the others count; an answer replaces that of an earlier file, a blank
        one says nothing."""
        if tool is None:
            run(lib.alcore_annotations_read_answers, self._handle, path_of(path))
        else:
            how, kept = tool_options(locals())
            run(lib.alcore_tool_read_answers, self._handle, name_of(tool, "tool"), path_of(path), ctypes.byref(how))
            del kept
        return self._answer_report()

    def _answer_report(self):
        out = filled(_ffi.alcore_answer_report, lib.alcore_annotations_answer_report, self._handle)
        counts = {name: getattr(out, name) for name in AnswerReport._fields if name != "messages"}
        return AnswerReport(messages=out.messages.decode().splitlines(), **counts)

    def look_up(self, path: t.Path) -> None:
        """Answers the open items from a dictionary: source, translation, as .tsv, .csv or .jsonl."""
        run(lib.alcore_annotations_look_up, self._handle, path_of(path))

    def simulate(self, links: Links | None = None, *, labeled: t.Any = None) -> None:
        """Answers the open items from the references of the pool. links: Links of its rows with their references; if not given,
        they are made, together with those of labeled, a Pool with references, of which no translation is taken."""
        _expect(links, Links, "links")
        beside = None if labeled is None else pool_of(labeled, self.context)
        run(lib.alcore_annotations_simulate, self._handle, None if links is None else links._handle, beside and beside._handle)

    def write(self, path: t.Path, format: str = "auto") -> None:
        """Writes the answered items: id, text, translation, flags."""
        run(lib.alcore_annotations_write, self._handle, path_of(path), write_options(format))

    def write_requests(self, path: t.Path, format: str = "auto", *, tool: str | None = None, drafts: t.Path | None = None,
                       task: str = "translation", span_unit: str | None = None, source_language: str | None = None,
                       target_language: str | None = None, labels: t.Iterable[str] | None = None, batch: str | None = None) -> None:
        """Writes the open items as requests to people, phrases with up to three sentences of the pool; for a tool of tools(), where one
        is named. drafts: a file of suggestions, a .txt with a line for each row of the pool, or texts with their references. The other
        arguments are those of write_tool()."""
        if tool is None:
            run(lib.alcore_annotations_write_requests, self._handle, path_of(path), write_options(format))
            return
        how, kept = tool_options(locals())
        run(lib.alcore_tool_write_requests, self._handle, name_of(tool, "tool"), path_of(path),
            None if drafts is None else path_of(drafts), ctypes.byref(how))
        del kept

    spent = getter(float, "alcore_annotations_spent", "What the items cost, without those that are untranslatable.")
    refunded = getter(float, "alcore_annotations_refunded", "What the untranslatable items cost.")

    def _columns(self):
        items = list(self)
        return {name: [getattr(item, name) for item in items] for name in Annotation._fields}

    def __len__(self) -> int:
        return lib.alcore_annotations_count(self._handle)

    @overload
    def __getitem__(self, index: int) -> Annotation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Annotation]: ...
    def __getitem__(self, index):
        handle, numbers = self._handle, range(len(self))
        if isinstance(index, slice):
            return [self[number] for number in numbers[index]]
        index = numbers[index]
        row = lib.alcore_annotations_row(handle, index)
        return Annotation(lib.alcore_annotations_id(handle, index).decode(), lib.alcore_annotations_kind(handle, index).decode(),
                          _text(lib.alcore_annotations_text, handle, index),
                          _text(lib.alcore_annotations_translation, handle, index),
                          lib.alcore_annotations_status(handle, index).decode(), None if row < 0 else row)

    def _description(self):
        return " items=%d" % len(self)


class Pair(NamedTuple):
    """One pair of a training set: kind "sent", "phrase", "random", "retrieved", "switched" or "contextualized"."""

    kind: str
    source: str
    target: str


class TrainingSet(Handle, Tabular):
    """The training set of a round: a sequence of Pair. mix() makes it."""

    _noun = "mix"

    def column(self, name: str) -> t.Any:
        """Where each pair comes from: labeled_row, pool_row, item, word, target_first, target_end (int64, -1: no such thing)
        or score (float64, NaN: none). Read-only; it keeps the set's memory alive."""
        out = _ffi.alcore_tensor()
        run(lib.alcore_mix_column, self._handle, name_of(name, "name"), ctypes.byref(out))
        shared = TrainingSet.__new__(TrainingSet)
        Handle.__init__(shared, lib.alcore_mix_ref(self._handle), self._ctx)
        return memory_of(out, shared)

    @staticmethod
    def column_names() -> list[str]:
        """Names of the columns: list of str."""
        return [name.decode() for name in all_of(lib.alcore_mix_builtin_column_name)]

    missing = getter(int, "alcore_mix_missing", "How many pairs fewer were made than asked for.")
    summary = getter(text, "alcore_mix_summary", "Pairs of each kind, what is missing and why, what was made: text of several lines.")
    provenance = getter(json.loads, "alcore_mix_provenance", "Where everything came from: a dict.")

    def write(self, path: t.Path, format: str = "auto") -> None:
        """Writes kind, src, tgt and provenance of each pair."""
        run(lib.alcore_mix_write, self._handle, path_of(path), write_options(format))

    def write_parallel(self, prefix: t.Path) -> None:
        """Writes prefix.src and prefix.tgt, a line a pair."""
        run(lib.alcore_mix_write_parallel, self._handle, path_of(prefix))

    def _columns(self):
        pairs = list(self)
        found = {name: [getattr(pair, name) for pair in pairs] for name in Pair._fields}
        found.update({name: self.column(name).tolist() for name in self.column_names()})
        return found

    def __len__(self) -> int:
        return lib.alcore_mix_count(self._handle)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> list[Pair]: ...
    def __getitem__(self, index):
        handle, numbers = self._handle, range(len(self))
        if isinstance(index, slice):
            return [self[number] for number in numbers[index]]
        index = numbers[index]
        return Pair(lib.alcore_mix_kind(handle, index).decode(), _text(lib.alcore_mix_source, handle, index),
                    _text(lib.alcore_mix_target, handle, index))

    def _description(self):
        return " pairs=%d" % len(self)


def _expect(value, kind, what):
    if value is not None and not isinstance(value, kind):
        raise TypeError("%s: %s expected, got %s" % (what, kind.__name__, type(value).__name__))


def mix(labeled: t.Any = None, pool: t.Any = None, annotations: Annotations | None = None, *, kind: str = "none", count: int | None = None,
        span: str | None = None, seed: int = 0, round: int = 1, k: int = 0, subset: int = 0, unique: bool = False, norm: bool = False,
        upsample_phrase: int = 1, lm: LanguageModel | None = None, links: Links | None = None, model: Model | None = None,
        device: str | None = None, context: t.Context | None = None) -> TrainingSet:
    """The TrainingSet of a round: the annotated sentences and phrases, and pairs made of labeled data.

    labeled: a Pool with references, or what Pool() takes. pool: the unlabeled sentences. annotations: Annotations of the pool.
    kind: "none", "random", "retrieved", "switched", "contextualized", or several with "+" between them. count: pairs of each
    kind; None: as many as the phrases that the annotated words would buy. span: "consistent", "minmax" or "literal". lm:
    a LanguageModel of the pool; links: Links of labeled; model: a Model that embeds; each is made if not given."""
    _expect(annotations, Annotations, "annotations")
    ctx = context or (annotations.context if annotations is not None else default_context())
    pairs = None if labeled is None else pool_of(labeled, ctx)
    sentences = annotations.pool if pool is None and annotations is not None else None if pool is None else pool_of(pool, ctx)
    for value, expected, what in ((lm, LanguageModel, "lm"), (links, Links, "links"), (model, Model, "model")):
        _expect(value, expected, what)
    how = options("mix", locals())
    return TrainingSet._made(new(lib.alcore_mix_unref, lib.alcore_mix_new, ctx._handle, *(
        None if given is None else given._handle for given in (pairs, sentences, annotations)), ctypes.byref(how)), ctx)
