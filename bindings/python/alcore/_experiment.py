# SPDX-License-Identifier: Apache-2.0
"""Experiments: strategies x seeds x budgets x domains from one file."""
from __future__ import annotations

import ctypes
import json
import os
import tempfile
from typing import Any, NamedTuple

from . import _ffi
from ._calls import call_back, run
from ._columns import path_of
from ._handles import default_context, struct
from ._lazy import types as t
from ._library import lib


_EVENT = dict(_ffi.alcore_experiment_options._fields_)["event"]


class ExperimentResult(NamedTuple):
    """What a call of experiment() did: the runs that there are, rounds that it made itself, and runs that failed."""

    runs: int
    rounds: int
    failed: int


def experiment(config: t.Path | t.Mapping[str, Any], folder: t.Path, *, event: t.Callable[[dict[str, Any]], object] | None = None,
               keep_going: bool = False, context: t.Context | None = None) -> ExperimentResult:
    """Does what is left of an experiment in a folder (docs/experiments.md): killed at any instant, the same call goes on, and any
    number of processes may work on one folder.

    config: the path of a configuration, or the configuration as a dict, whose paths are relative to the present folder. event: called
    with each event before it is written, a dict with time, run, round, step, name and value; alcore.trackers has some. keep_going=True:
    after a failure the other runs are done, and the first failure is raised at the end."""
    ctx = context or default_context()
    if not isinstance(config, (str, bytes, os.PathLike)):
        with tempfile.TemporaryDirectory(prefix="alcore-") as made:
            path = os.path.join(made, "config.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(config, file)
            return _run(ctx, path, folder, event, keep_going, os.getcwd())
    return _run(ctx, config, folder, event, keep_going, None)


def _run(ctx, config, folder, event, keep_going, base):
    settings = struct(_ffi.alcore_experiment_options, keep_going=bool(keep_going), base=None if base is None else path_of(base))
    if event is not None:
        settings.event = _EVENT(lambda user, line: call_back(lambda: event(json.loads(line))))
    out = struct(_ffi.alcore_experiment_result)
    run(lib.alcore_experiment_run, ctx._handle, path_of(config), path_of(folder), ctypes.byref(settings), ctypes.byref(out))
    return ExperimentResult(out.runs, out.rounds, out.failed)
