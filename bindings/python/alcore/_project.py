# SPDX-License-Identifier: Apache-2.0
"""Labeling projects in a folder: rounds, what went out to annotators, every answer, and measures."""
from __future__ import annotations

import ctypes
import json
import os
import tempfile
from typing import Any, NamedTuple, Optional

from . import _ffi
from ._calls import run
from ._columns import column_name, path_of
from ._handles import Handle, choice, default_context, filled, new, options, text_of, word
from ._lazy import types as t
from ._library import lib
from ._parts import Model
from ._pool import Pool
from ._selection import Selection
from ._strings import name_of, text_or_none

_ROLES = ["CANDIDATES", "LABELED", "TARGET", "EXCLUDED"]


class ImportReport(NamedTuple):
    """What a file of answers had: answers, those that are new, known, drafts or replace an earlier answer of the same annotator, the
    items about which annotators now differ, records that cannot be used, and a text about each of these."""

    answers: int
    added: int
    repeated: int
    drafts: int
    corrected: int
    disagreeing: int
    unusable: int
    messages: list[str]


class ProjectStatus(NamedTuple):
    """Where a project stands. unit: of spent, refunded and left; left: None where no total is set."""

    rounds: int
    candidates: int
    labeled: int
    items: int
    answered: int
    open: int
    without: int
    disagreeing: int
    answers: int
    spent: float
    refunded: float
    left: Optional[float]
    unit: Optional[str]


class ProjectAgreement(NamedTuple):
    """How annotators agree on items with two final answers or more, of which `agreeing` have equal ones. Of classes and tags, whose units are
    items and words: Krippendorff's alpha of all annotators, and Cohen's kappa where there are two. Of translations: chrF of each answer
    against each other one. None: another task, or not defined."""

    items: int
    agreeing: int
    annotators: int
    units: int
    labels: int
    classes: int
    uneven: int
    alpha: Optional[float]
    kappa: Optional[float]
    chrf: Optional[float]


def _setting(name: str, value: Any) -> tuple[bytes, bytes | None]:
    """The name and value of a setting as the library takes them."""
    return name.rstrip("_").encode(), None if value is None else text_of(value)


def _given(settings: t.Mapping[str, Any]) -> tuple[Any, Any, int]:
    """Settings that are given together: names, values and their number."""
    pairs = [_setting(name, value) for name, value in settings.items()]
    strings = ctypes.c_char_p * len(pairs)
    return strings(*(name for name, _ in pairs)), strings(*(value for _, value in pairs)), len(pairs)


class Project(Handle):
    """A labeling project in a folder, which is resumable at any instant: each call that changes it happens whole or not at all
    (docs/projects.md). Project(folder) opens one, Project.init(folder, **settings) makes one."""

    _noun = "project"

    def __init__(self, folder: t.Path, *, context: t.Context | None = None) -> None:
        ctx = context or default_context()
        super().__init__(new(lib.alcore_project_unref, lib.alcore_project_open, ctx._handle, path_of(folder)), ctx)

    @classmethod
    def init(cls, folder: t.Path, *, context: t.Context | None = None, **settings: Any) -> t.Self:
        """Makes a project of a folder that is empty or not there, with these settings; a failure leaves nothing behind."""
        ctx = context or default_context()
        return cls._made(new(lib.alcore_project_unref, lib.alcore_project_init_with, ctx._handle, path_of(folder), *_given(settings)), ctx)

    def set(self, **settings: Any) -> None:
        """Sets what steps do from now on; None: the default again."""
        for name, value in settings.items():
            run(lib.alcore_project_set, self._handle, *_setting(name, value))

    def get(self, name: str) -> str | None:
        """The present value of a setting, as text: its default where it is not set; None: it is not set and has no default."""
        out = ctypes.c_char_p()
        run(lib.alcore_project_get, self._handle, name_of(name, "name"), ctypes.byref(out))
        return text_or_none(out.value)

    def add(self, path: t.Path, *, role: str = "candidates", format: str = "auto", text_column: str | int | None = None,
            reference_column: str | int | None = None, references: t.Path | None = None, by: str = "auto", language: str | None = None,
            bad_lines: str = "error", escapes: str = "auto", side: str | None = None, translator: str | None = None,
            system: str | None = None, domain: str | None = None) -> t.Self:
        """Copies a file of texts into the project: "candidates", "labeled" (pairs that are there already), "target" or "excluded". How
        it is read is as of Pool.read()."""
        columns = {name: column_name(value, name) for name, value in (("text_column", text_column), ("reference_column", reference_column))}
        run(lib.alcore_project_add, self._handle, choice("ALCORE_ROLE_", role, "role", _ROLES), path_of(path),
            ctypes.byref(options("read", locals(), **columns)))
        return self

    def next(self, model: Model | t.Path | None = None, **settings: Any) -> Selection:
        """Selects the next round by the settings, of the candidates that no round has taken. model: in place of that of the settings, or
        the folder of one. settings: of this round alone, in place of those of the project; None: the default."""
        if model is not None and not isinstance(model, (Model, str, os.PathLike)):
            raise TypeError("model: Model or path expected, got %s" % type(model).__name__)
        if model is not None and not isinstance(model, Model):
            settings["model"] = os.fspath(model)
            model = None
        pointer = new(lib.alcore_selection_unref, lib.alcore_project_next_with, self._handle, None if model is None else model._handle,
                      *_given(settings))
        return Selection(pointer, Pool.borrowed(lib.alcore_selection_pool(pointer), self._ctx))

    def export(self, tool: str, path: t.Path, *, round: int | str | None = None) -> None:
        """Writes the open items of a round for an annotators' tool. round: None: the last one; "all": those of all rounds."""
        number = 0 if round is None else -1 if round == "all" else round
        run(lib.alcore_project_export, self._handle, name_of(tool, "tool"), path_of(path), number)

    def import_(self, tool: str, path: t.Path, *, annotator: str | None = None) -> ImportReport:
        """Takes the answers of a tool's file: an ImportReport. annotator: who, where the file does not say; None:
        somebody without a name, who counts as one more person."""
        out = filled(_ffi.alcore_project_import_report, lib.alcore_project_import, self._handle, name_of(tool, "tool"), path_of(path),
                     None if annotator is None else name_of(annotator, "annotator"))
        counts = {name: getattr(out, name) for name in ImportReport._fields if name != "messages"}
        return ImportReport(messages=(out.messages or b"").decode().splitlines(), **counts)

    def write_labeled(self, path: t.Path) -> None:
        """Writes the answers that count as pairs of text and answer: .tsv, .csv or .jsonl."""
        run(lib.alcore_project_write_labeled, self._handle, path_of(path))

    def put_metric(self, name: str, value: float, *, round: int | None = None) -> None:
        """Keeps a measure of a model that was trained after a round; None: after the last one."""
        number = self.status().rounds if round is None else round
        run(lib.alcore_project_put_metric, self._handle, number, name_of(name, "name"), value)

    def put_metrics(self, text: str, *, round: int | None = None) -> int:
        """Keeps the measures of what an evaluation printed, a line NAME VALUE for each or an object of JSON, all of them or none:
        how many. round: None: after the last one."""
        number = self.status().rounds if round is None else round
        data = text.encode()
        out = ctypes.c_int64()
        run(lib.alcore_project_put_metrics, self._handle, number, data, len(data), ctypes.byref(out))
        return out.value

    def train(self, function: t.Callable[[list[tuple[str, str]], int], Any]) -> Any:
        """What a function returns that trains a model: it is given the pairs that are labeled by now, and the last round."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "labeled.jsonl")
            self.write_labeled(path)
            with open(path, encoding="utf-8") as lines:
                found = [json.loads(line) for line in lines]
        return function([(one["text"], one["reference"]) for one in found], self.status().rounds)

    def eval(self, function: t.Callable[[int], t.Mapping[str, float]]) -> dict[str, float]:
        """Keeps the measures, {name: number}, that a function returns of the model of the last round, which it is given."""
        round = self.status().rounds
        measures = dict(function(round))
        for name, value in measures.items():
            self.put_metric(name, value, round=round)
        return measures

    def status(self) -> ProjectStatus:
        """Where the project stands: a ProjectStatus."""
        out = filled(_ffi.alcore_project_status, lib.alcore_project_get_status, self._handle)
        values = {name: getattr(out, name) for name in ProjectStatus._fields}
        return ProjectStatus(**{**values, "left": None if out.left != out.left else out.left,
                                "unit": word("ALCORE_UNIT_", out.unit) if out.unit else None})

    def agreement(self) -> ProjectAgreement:
        """How annotators agree: a ProjectAgreement; the document has each pair of them."""
        out = filled(_ffi.alcore_project_agreement, lib.alcore_project_get_agreement, self._handle)
        values = [getattr(out, name) for name in ProjectAgreement._fields]
        return ProjectAgreement(*(None if value != value else value for value in values))

    def document(self) -> dict[str, Any]:
        """Everything that is known: settings, rounds, exports, imports, annotators, disagreements, metrics, and the log of steps."""
        out = ctypes.c_char_p()
        run(lib.alcore_project_document, self._handle, ctypes.byref(out))
        return json.loads(out.value)

    def write_report(self, path: t.Path) -> None:
        """Writes a page about the project, .html, which loads nothing."""
        run(lib.alcore_project_write_report, self._handle, path_of(path))

    def verify(self) -> None:
        """Compares every byte of the project with the digests that it keeps; an Error names what is not what it was."""
        run(lib.alcore_project_verify, self._handle)

    def gc(self) -> int:
        """Removes files that killed processes left; how many bytes were freed."""
        freed = ctypes.c_int64()
        run(lib.alcore_project_gc, self._handle, ctypes.byref(freed))
        return freed.value
