# SPDX-License-Identifier: Apache-2.0
"""Exceptions. Every failure of the library is an alcore.Error, and at the same time the built-in exception that a Python
programmer would expect."""
from __future__ import annotations

import os
import sys

from . import _ffi


def user_level():
    """The stacklevel of a warning whose line is in the caller's code: frames from the function that warns up to there."""
    level, frame, here = 1, sys._getframe(1), os.path.dirname(__file__)
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == here:
        level, frame = level + 1, frame.f_back
    return level


class Error(Exception):
    """A failure of the library. `status` is its code, `name` the code's name."""

    status: int | None = None

    @property
    def name(self) -> str:
        return next((name for name, value in vars(_ffi).items()
                     if name.startswith("ALCORE_E_") and value == self.status), "ALCORE_E_INTERNAL")


class LibraryNotFoundError(Error, ImportError):
    """libalcore could not be loaded; the text lists every place that was tried."""


from . import _statuses  # noqa: E402  (its classes derive from Error)


def failure(status, text):
    """The exception for a status code and the library's text."""
    return _statuses.BY_STATUS.get(status, Error)(text or "status %d" % status)


def remedy(found):
    """A remedy of the library as Python's users write it: 'fill="skip" stays within the budget'."""
    name = {b"target": "targets", b"candidates": "texts"}.get(found.name, found.name.decode())
    if found.kind == _ffi.ALCORE_REMEDY_TORCH:
        return "pip install 'torch==%s.*' %s" % (name, found.effect.decode())
    if found.kind == _ffi.ALCORE_REMEDY_STRATEGY:
        name, value = "strategy", found.name
    elif found.kind == _ffi.ALCORE_REMEDY_MODEL:
        if found.value:  # for one column
            return 'model={"%s": "%s"} %s' % (found.value.decode(), name, found.effect.decode())
        name, value = "model", found.name
    elif found.kind == _ffi.ALCORE_REMEDY_MEANING:
        name, value = name + "_are", found.value
    else:
        value = found.value
    return '%s=%s %s' % (name, '"%s"' % value.decode() if value else "...", found.effect.decode())
