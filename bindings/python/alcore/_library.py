# SPDX-License-Identifier: Apache-2.0
"""Finds and loads libalcore at its first use."""
from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path

from . import _ffi
from ._errors import LibraryNotFoundError
from ._lazy import types as t

NAME = "libalcore.so.%d" % _ffi.ABI
VARIABLE = "ALCORE_LIBRARY"


def search_paths():
    """Where the library is searched, in order: (kind of the path, path or name for the loader)."""
    found = []
    given = os.environ.get(VARIABLE)
    if given:
        found.append(("$" + VARIABLE, given))
    package = Path(__file__).resolve().parent
    found.append(("package folder", str(package / NAME)))
    wheel = package.parent / ".alcore.mesonpy.libs"
    found += [("wheel", str(path)) for path in sorted(wheel.glob(NAME + "*")) or [wheel / NAME]]
    found.append(("system", NAME))
    return found


def _open(path):
    if os.path.isdir(path):
        path = os.path.join(path, NAME)
    if os.sep in path and not os.path.exists(path):
        raise OSError("no such file")
    return ctypes.CDLL(path)


class Library:
    """The loaded library; a function becomes an attribute when it is first used, with its prototype."""

    def __init__(self):
        self._lock = threading.Lock()
        self._handle = None
        self._path = None

    def load(self, path=None):
        """Loads the library, from `path` (file or folder) when given, unless it is loaded already; returns its path."""
        with self._lock:
            if self._handle is not None:
                if path is not None and str(path) != self._path:
                    raise RuntimeError("libalcore is loaded already, from " + self._path)
                return self._path
            tried = []
            for kind, where in [("given", os.fspath(path))] if path is not None else search_paths():
                try:
                    handle = _open(where)
                except OSError as error:
                    reason = str(error)
                else:
                    handle.alcore_abi.restype = ctypes.c_int32
                    found = handle.alcore_abi()
                    if found == _ffi.ABI:
                        self._handle, self._path = handle, where
                        return where
                    reason = "its ABI number is %d; this package needs %d" % (found, _ffi.ABI)
                tried.append("  %s: %s (%s)" % (kind, where, reason))
                if kind.startswith("$"):
                    break  # a library that the variable names is never silently replaced by another
            raise LibraryNotFoundError("libalcore was not found; tried:\n%s\nset $%s to the file or its folder, or "
                                       "call alcore.load(path)" % ("\n".join(tried), VARIABLE))

    def __getattr__(self, name):
        if name not in _ffi.FUNCTIONS:
            raise AttributeError(name)
        self.load()
        function = self._handle[name]
        function.restype, function.argtypes, _ = _ffi.FUNCTIONS[name]
        setattr(self, name, function)
        return function


lib = Library()


def load(path: t.Path | None = None) -> str:
    """Loads libalcore now, from `path` (a file or the folder that holds it) instead of the usual places.

    Returns where it came from. Without this call the library is loaded when it is first needed."""
    return lib.load(path)
