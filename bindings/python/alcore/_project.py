# SPDX-License-Identifier: Apache-2.0
"""Labeling projects in a folder: rounds, what went out to annotators, every answer, and measures."""
from __future__ import annotations

import ctypes
import json
import os
import tempfile
from typing import Any, NamedTuple, Optional

from . import _ffi
from ._calls import call_back, run, run_at_once
from ._columns import column_name, path_of
from ._handles import Handle, choice, default_context, filled, new, options, struct, text_of, word
from ._lazy import types as t
from ._library import lib
from ._parts import Model
from ._pool import Pool
from ._selection import Selection
from ._strings import name_of, text_or_none

_ROLES = ["CANDIDATES", "LABELED", "TARGET", "EXCLUDED"]
_FUNCTION = dict(_ffi.alcore_project_train_options._fields_)["function"]
_TRAINING = {name for name, _ in _ffi.alcore_train_options._fields_} - {"size", "reserved", "best", "weights", "labels"}
_MIX = {name for name, _ in _ffi.alcore_mix_options._fields_} - {"size"}
_READING = {name for name, _ in _ffi.alcore_read_options._fields_} - {"size", "reserved"}


def _path(path):
    return None if path is None else path_of(path)


def _name(text, what):
    return None if text is None else name_of(text, what)


def _decoded(text):
    return None if text is None else text.decode()


def _mix(given):
    """The alcore_mix_options of kinds or of keywords of mix(); None: nothing is mixed in."""
    if given is None:
        return None
    keywords = {"kind": given} if isinstance(given, str) else dict(given)
    unknown = sorted(set(keywords) - _MIX)
    if unknown:
        raise TypeError("mix has no keyword '%s'" % unknown[0])
    return options("mix", keywords)


def _metric_of(training):
    metric = training.get("metric", "loss")
    return {"metric": 0 if metric == "loss" else choice("ALCORE_VALIDATE_", metric, "metric")}


def _command(settings, command):
    """Sets the arguments of a command, which the caller keeps as long as the settings."""
    if command is None:
        return None
    words = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
    made = (ctypes.c_char_p * (len(words) + 1))(*[os.fsencode(word) for word in words], None)
    settings.command = ctypes.addressof(made)
    return made


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
    """Where a project stands. unit: of spent, refunded and left; left: None where no total is set. training, evaluating: one was begun and has
    not ended. training_failure, evaluating_failure: why the last one failed; None: it did not."""

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
    training: bool
    evaluating: bool
    training_failure: Optional[str]
    evaluating_failure: Optional[str]


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
        return cls._made(new(lib.alcore_project_unref, lib.alcore_project_init, ctx._handle, path_of(folder), *_given(settings)), ctx)

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
        pointer = new(lib.alcore_selection_unref, lib.alcore_project_next, self._handle, None if model is None else model._handle,
                      *_given(settings))
        return Selection(pointer, Pool.borrowed(lib.alcore_selection_pool(pointer), self._ctx))

    def export(self, tool: str, path: t.Path, *, round: int | str | None = None) -> None:
        """Writes the open items of a round for an annotators' tool. round: None: the last one; "all": those of all rounds."""
        number = 0 if round is None else -1 if round == "all" else round
        run(lib.alcore_project_export, self._handle, name_of(tool, "tool"), path_of(path), number)

    def import_(self, tool: str, path: t.Path, *, annotator: str | None = None, span_unit: str | None = None) -> ImportReport:
        """Takes the answers of a tool's file: an ImportReport. annotator: who, where the file does not say; None:
        somebody without a name, who counts as one more person. span_unit: what the offsets of this file count, "code_points", "utf16"
        or "bytes"; None: the setting span_unit."""
        given = (self._handle, name_of(tool, "tool"), path_of(path), None if annotator is None else name_of(annotator, "annotator"))
        if span_unit is None:
            out = filled(_ffi.alcore_project_import_report, lib.alcore_project_import, *given)
        else:
            out = filled(_ffi.alcore_project_import_report, lib.alcore_project_import_spans, *given, choice("ALCORE_SPAN_", span_unit, "span_unit"))
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

    def train(self, function: t.Callable[[list[tuple[str, str]], int], Any] | None = None, *, model: t.Path | None = None,
              command: str | t.Sequence[str] | None = None, language: str | None = None, labeled: t.Path | None = None,
              with_labeled: bool = False, mix: str | t.Mapping[str, Any] | None = None, show: bool = False, **training: Any) -> Any:
        """Trains a model on the pairs that are labeled by now: by a function, which is given the pairs and the last round and whose value is
        returned (the path of a model is kept in the log); by the torch engine, which fine-tunes the folder model, with the keywords of
        Model.train(); or by a command, a list of arguments or a text for the shell, which finds the pairs in $ALCORE_LABELED and may make a
        model at $ALCORE_MODEL. These two return the path of the model in the project, or None.

        language: of the references, for models of several. labeled: the file that the pairs are written to (.tsv, .csv, .jsonl).
        with_labeled=True: pairs that were there before come first. mix: kinds of pairs of the labeled files that are mixed in, such as
        "retrieved", or a dict of keywords of mix(). show=True: what the command says is shown."""
        if function is not None and labeled is not None:
            raise ValueError("labeled goes with model and command: a function is given the pairs")
        unknown = sorted(set(training) - _TRAINING)
        if unknown or training and model is None:
            raise TypeError("train() has no keyword '%s'%s" % ((unknown or sorted(training))[0], "" if unknown else " without model"))
        mixed = _mix(mix)
        how = training.get("validation"), options("train", training, **_metric_of(training)) if model is not None else None
        settings = struct(_ffi.alcore_project_train_options, model=_path(model), language=_name(language, "language"), labeled=_path(labeled),
                          with_labeled=bool(with_labeled), show=bool(show), training=how[1] and ctypes.addressof(how[1]),
                          mix=mixed and ctypes.addressof(mixed))
        words = _command(settings, command)
        returned: list[Any] = []
        if function is None:
            path = self._work(lib.alcore_project_train, settings)
            del words
            return path and os.fsdecode(path)
        with tempfile.TemporaryDirectory() as folder:
            settings.labeled = path_of(os.path.join(folder, "labeled.jsonl"))

            def work(what, out):
                with open(what.labeled, encoding="utf-8") as lines:
                    found = [json.loads(line) for line in lines]
                returned.append(function([(one["text"], one["reference"]) for one in found], what.round))
                if isinstance(returned[0], (str, bytes, os.PathLike)) and os.path.exists(returned[0]):
                    out(path_of(returned[0]))

            self._work(lib.alcore_project_train, settings, work)
        return returned[0]

    def eval(self, function: t.Callable[[int], t.Mapping[str, float]] | None = None, *, test: t.Path | None = None,
             command: str | t.Sequence[str] | None = None, model: t.Path | None = None, metrics: str | t.Sequence[str] | None = None,
             language: str | None = None, round: int | None = None, show: bool = False, **reading: Any) -> dict[str, float]:
        """Measures a model and keeps the measures, which are returned, {name: number}: those of a function, which is given the round; of the
        torch engine on the file test of texts and references, which is read with the keywords of Pool.read(); or of a command, which
        prints a line NAME VALUE for each or a JSON object.

        model: None: the one that train() made after the round. metrics: "chrf,bleu", or what fits the model, by default. language: of
        the outputs, for models of several. round: None: the last one. show=True: what the command says on its standard error is shown."""
        unknown = sorted(set(reading) - _READING)
        if unknown or reading and test is None:
            raise TypeError("eval() has no keyword '%s'%s" % ((unknown or sorted(reading))[0], "" if unknown else " without test"))
        columns = {name: column_name(reading[name], name) for name in ("text_column", "reference_column") if name in reading}
        how = options("read", reading, **columns) if reading else None
        settings = struct(_ffi.alcore_project_eval_options, round=round, test=_path(test), model=_path(model), language=_name(language, "language"),
                          metrics=_name(metrics if metrics is None or isinstance(metrics, str) else ",".join(metrics), "metrics"), show=bool(show),
                          reading=how and ctypes.addressof(how))
        words = _command(settings, command)
        if function is None:
            found = self._work(lib.alcore_project_eval, settings)
            del words
            return json.loads(found)
        measures: dict[str, float] = {}

        def work(what, out):
            measures.update(function(what.round))
            out(json.dumps({name: float(value) for name, value in measures.items()}, allow_nan=False).encode())

        self._work(lib.alcore_project_eval, settings, work)
        return measures

    def _work(self, call, settings, function=None):
        """Calls alcore_project_train() or _eval(); what it hands out, as bytes or None. function: of the work and of another function, which takes
        the answer. Where another process trains it is an Error at once, as that may take days."""
        answers = []  # which have to live until the call ends

        def answer(out, value):
            answers.append(ctypes.create_string_buffer(value))
            ctypes.c_void_p.from_address(out).value = ctypes.addressof(answers[-1])

        if function is not None:
            settings.function = _FUNCTION(lambda user, what, out: call_back(
                lambda: function(_ffi.alcore_project_work.from_address(what), lambda value: answer(out, value))))
        made = ctypes.c_char_p()
        run_at_once(call, self._handle, ctypes.byref(settings), ctypes.byref(made))
        return made.value

    def status(self) -> ProjectStatus:
        """Where the project stands: a ProjectStatus."""
        out = filled(_ffi.alcore_project_status, lib.alcore_project_get_status, self._handle)
        values = {name: getattr(out, name) for name in ProjectStatus._fields}
        return ProjectStatus(**{**values, "left": None if out.left != out.left else out.left,
                                "unit": word("ALCORE_UNIT_", out.unit) if out.unit else None,
                                "training": bool(out.training), "evaluating": bool(out.evaluating),
                                "training_failure": _decoded(out.training_failure), "evaluating_failure": _decoded(out.evaluating_failure)})

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
