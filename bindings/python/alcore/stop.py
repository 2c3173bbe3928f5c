# SPDX-License-Identifier: Apache-2.0
"""Stopping criteria: whether a loop of rounds may end before its budget is spent (docs/spec/loop.md 9.6).

Each function decides about one criterion and returns a Decision with the numbers that it decided by. The kappa of two models
is alcore.metrics.kappa()."""
from __future__ import annotations

import ctypes
from typing import NamedTuple

from . import _ffi
from ._handles import choice, filled, options, struct
from ._lazy import types as t
from ._library import lib
from ._table import Row
from .metrics import _numbers

_CRITERIA = {value: name[len("ALCORE_STOP_"):].lower() for name, value in vars(_ffi).items() if name.startswith("ALCORE_STOP_")}


class _Decision(NamedTuple):
    criterion: str
    stop: bool
    numbers: int
    left_out: int
    window: int
    best_round: int
    best: float
    value: float
    threshold: float
    text: str


class Decision(_Decision, Row):
    """stop says whether the criterion holds; a Decision is not true or false by itself. What the other members hold is said by
    alcore_stop_decision of include/alcore/stop.h; text is all of it in a sentence."""

    __slots__ = ()


def _decision(function, *arguments):
    out = filled(_ffi.alcore_stop_decision, function, *arguments[:-1], ctypes.byref(arguments[-1]))
    buffer = ctypes.create_string_buffer(200)
    text = lib.alcore_stop_text(ctypes.byref(out), buffer).decode()
    return Decision(_CRITERIA[out.criterion], bool(out.stop), out.numbers, out.left_out, out.window, out.best_round, out.best,
                    out.value, out.threshold, text)


def plateau(metric: t.Iterable[float], *, patience: int = 0, least_gain: float = 0.0, lower_is_better: bool = False) -> Decision:
    """Whether the last `patience` rounds (0: 3) did not improve a metric, one value a round, by more than least_gain."""
    kept, address, count = _numbers(metric)
    return _decision(lib.alcore_stop_check_plateau, address, count, options("plateau", locals()))


def uncertainty(values: t.Iterable[float], threshold: float, *, statistic: t.Literal["mean", "max"] = "mean") -> Decision:
    """Whether the mean, or with statistic="max" the largest, of these uncertainties is at most the threshold: those of the pool or
    of a selection, as the caller wants. NaN stands for a row without a score and is left out."""
    kept, address, count = _numbers(values)
    criterion = choice("ALCORE_STOP_", str(statistic) + "_UNCERTAINTY", "statistic", among=["MEAN_UNCERTAINTY", "MAX_UNCERTAINTY"])
    return _decision(lib.alcore_stop_check_uncertainty, address, count, threshold, struct(_ffi.alcore_uncertainty_options, criterion=criterion))


def agreement(kappas: t.Iterable[float], *, window: int = 0, threshold: float | None = None) -> Decision:
    """Whether the mean of the last `window` (0: 3) kappas, each of the models of two successive rounds, is at least the threshold
    (None: 0.99)."""
    kept, address, count = _numbers(kappas)
    return _decision(lib.alcore_stop_check_agreement, address, count, options("agreement", locals()))
