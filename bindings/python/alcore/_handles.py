# SPDX-License-Identifier: Apache-2.0
"""Handles of the library as Python objects, and the context that they come from."""
from __future__ import annotations

import atexit
import ctypes
import importlib.util
import itertools
import logging
import os
import re
import sys
import threading
from typing import TypeVar

from . import _ffi
from ._calls import call_back, check, forget_in_child, run, stop_asked
from ._lazy import types as t
from ._library import lib
from ._progress import report
from ._strings import name_of

logger = logging.getLogger("alcore")
logger.addHandler(logging.NullHandler())


def choice(prefix, word, what, among=None):
    """The constant PREFIX_WORD; the ValueError for another word lists the words. among: only these are allowed."""
    names = among or [name[len(prefix):] for name in vars(_ffi) if name.startswith(prefix)]
    default = [] if among else [_ffi.DEFAULT_WORDS[prefix]] if prefix in _ffi.DEFAULT_WORDS else []
    if str(word).lower() in default:
        return 0
    value = getattr(_ffi, prefix + str(word).upper(), None) if str(word).upper() in names else None
    if value is None:
        words = default + [name.lower() for name in names]
        raise ValueError("%s: %r is none of %s" % (what, word, ", ".join(words)))
    return value


def word(prefix, value):
    """The word of a constant that begins with prefix, in lower case."""
    return next(name[len(prefix):].lower() for name, known in vars(_ffi).items() if name.startswith(prefix) and known == value)


def write_options(format):
    """How a file is written, as the library reads it: None or "auto" goes by the suffix."""
    return ctypes.byref(struct(_ffi.alcore_write_options, format=0 if format is None else choice("ALCORE_FORMAT_", format, "format")))


def text_of(value):
    """A value of an option or parameter as the library reads it."""
    if isinstance(value, bool):
        return b"1" if value else b"0"
    if isinstance(value, (list, tuple)):
        return b",".join(text_of(part) for part in value)
    if isinstance(value, float):
        return repr(float(value)).encode()
    return str(value).encode()


_begun = {}  # class of a struct: the bytes that it begins with


def begun(kind):
    """A struct as the library begins it: with its size, and what is not set."""
    if kind not in _begun:
        made = kind()
        check(lib.alcore_extra_struct_begin(ctypes.byref(made), ctypes.sizeof(kind), kind.__name__.encode()))
        _begun[kind] = bytes(made)
    return kind.from_buffer_copy(_begun[kind])


def struct(kind, /, **fields):
    """A struct with its size and these fields; None leaves a field as it begins. ctypes would keep the low bits of an integer that
    does not fit, and the library takes a NaN for a number that is not set; here both are errors."""
    made = begun(kind)
    for name, value in fields.items():
        if value is None:
            continue
        if value != value:
            raise ValueError("%s: a number is expected, got %r" % (name, value))
        setattr(made, name, value)
        kept = getattr(made, name)
        if isinstance(kept, int) and hasattr(value, "__index__") and kept != value:
            bits = 8 * getattr(kind, name).size
            first = 0 if dict(kind._fields_)[name](-1).value > 0 else -1 << bits - 1
            raise ValueError("%s: an integer from %d to %d is expected, got %d" % (name, first, first + (1 << bits) - 1,
                                                                                       value))
    return made


_PATHS = ("references", "checkpoints", "offsets", "module_dir", "torch_dir")


def _held(name, value, what, kind):
    """The value of a member as the library reads it. what: what an integer stands for, a prefix of constants or bool."""
    if value is None or kind is not ctypes.c_char_p and what is None:
        return value._handle if isinstance(value, Handle) else value
    if kind is ctypes.c_char_p:
        return value if isinstance(value, bytes) else os.fsencode(value) if name in _PATHS else name_of(value, name)
    return bool(value) if what is bool else choice(what, value, name)


def options(name, given, /, **more):
    """The options of a call: an alcore_NAME_options with the members that `more`, as it is, or `given` has, the arguments of the call
    by their names. None leaves a member as it begins."""
    kind = getattr(_ffi, "alcore_%s_options" % name)
    held = _ffi.MEMBERS.get(kind.__name__, {})
    return struct(kind, **dict({member: _held(member, given.get(member, given.get(member + "_")), held.get(member), of)
                                for member, of in kind._fields_ if member not in ("size", "reserved", *more)}, **more))


def records(kind, strings, noun):
    """A struct of lists of texts, {member: Strings}, each as long as the first; the caller keeps them as long as it. noun: what the
    lists are of, for messages."""
    made = struct(kind, count=next(iter(strings.values())).count)
    for name, values in strings.items():
        if values.count != made.count:
            raise ValueError("%s: %d were given for %d %s" % (name, values.count, made.count, noun))
        setattr(made, name, ctypes.addressof(values.pointers))
        if hasattr(kind, name[:-1] + "_lengths"):
            setattr(made, name[:-1] + "_lengths", ctypes.addressof(values.lengths))
    return made


def filled(kind, function, *arguments):
    """The struct that a call writes, which is its last argument."""
    out = struct(kind)
    run(function, *arguments, ctypes.byref(out))
    return out


def new(release, function, *arguments):
    """Calls a function whose last argument is the handle it makes."""
    out = ctypes.c_void_p()
    try:
        run(function, *arguments, ctypes.byref(out))
    except BaseException:
        if out:  # the call succeeded, then Ctrl-C raised
            release(out)
        raise
    return out.value


_T = TypeVar("_T")


def getter(kind: t.Callable[[t.Any], _T], function: str, doc: str) -> t.Attribute[_T]:
    """A property: what a function of the library returns of the handle, as `kind` makes it."""
    return property(lambda self: kind(getattr(lib, function)(self._handle)), doc=doc)


class Handle:
    """A counted handle of the library. close() or the end of a `with` block releases it; otherwise that happens when Python
    deletes the object. Handles may be released in any order: each keeps what it needs."""

    _noun = ""

    def __init__(self, pointer: int | None, ctx: Context | None) -> None:
        self._pointer = pointer
        self._ctx = ctx

    @classmethod
    def _made(cls, pointer, ctx):
        """The object of a handle that the library made."""
        made = cls.__new__(cls)
        Handle.__init__(made, pointer, ctx)
        return made

    @property
    def _handle(self):
        if self._pointer is None:
            raise ValueError("this alcore.%s is closed" % type(self).__name__)
        return self._pointer

    @property
    def closed(self) -> bool:
        """Whether the handle was released."""
        return self._pointer is None

    @property
    def context(self) -> Context:
        """The context that the handle belongs to."""
        return self._ctx

    def close(self) -> None:
        """Releases the handle; to close twice is no error."""
        pointer, self._pointer = self._pointer, None
        if pointer is not None:
            getattr(lib, "alcore_%s_unref" % self._noun)(pointer)

    def __enter__(self) -> t.Self:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self.close()

    def __reduce__(self):
        raise TypeError("alcore.%s is a handle of this process and cannot be pickled; a Selection can, and so can the "
                        "texts and arrays that the handle was made from" % type(self).__name__)

    def __copy__(self) -> t.NoReturn:
        raise TypeError("alcore.%s is a handle and cannot be copied; use it twice instead" % type(self).__name__)

    __deepcopy__ = __copy__

    def __repr__(self):
        return "<alcore.%s%s>" % (type(self).__name__, " closed" if self._pointer is None else self._description())

    def _description(self):
        return ""


# The library passes a number as `user` to the callbacks of a context or request, which finds its
# setting here.
_numbers = itertools.count(1)
_settings = {}  # number of a context or request -> its progress setting


@_ffi.alcore_progress_function
def _progress(user, stage, done, total):
    if not stop_asked():
        call_back(report, _settings.get(user), stage, done, total)
    return 1 if stop_asked() else 0


def _emit(level, component, message, fields):
    target = logger.getChild((component or b"core").decode())
    if target.isEnabledFor(level):
        extra = {"alcore_fields": (fields or b"").decode("utf-8", "replace")}
        target.log(level, "%s", (message or b"").decode("utf-8", "replace"), extra=extra)


@_ffi.alcore_log_function
def _log(user, level, component, message, fields):
    call_back(_emit, level, component, message, fields)


OLDEST_TORCH = (2, 11)  # that an engine can be built for


def installed_torch():
    """The folder of libtorch of the torch that this interpreter would import; None without one that engines are built for, and where
    the program has imported torch already or the user names a folder."""
    if "torch" in sys.modules or os.environ.get("ALCORE_TORCH_LIBDIR"):
        return None
    try:
        found = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        return None
    if found is None or not found.origin:
        return None
    package = os.path.dirname(found.origin)
    try:
        with open(os.path.join(package, "version.py"), encoding="utf-8") as file:
            release = re.search(r"__version__\b.*?(\d+)\.(\d+)", file.read())
    except OSError:
        return None
    if release is None or (int(release[1]), int(release[2])) < OLDEST_TORCH:
        return None
    folder = os.path.join(package, "lib")
    return folder if os.path.exists(os.path.join(folder, "libtorch_cpu.so")) else None


def progress_of(number, setting):
    """The function, and its user, that show the progress of a request by its setting, which is kept by the number until
    forget_progress(); None: the request has none of its own."""
    if setting is not None and setting is not False and not callable(setting):
        raise TypeError("progress: a function, False or None is expected, got %r" % (setting,))
    _settings[number] = setting
    return _ffi.alcore_progress_function() if setting is None else _progress, number


def forget_progress(number):
    """Called when the handle with that number is gone."""
    _settings.pop(number, None)


def next_number():
    """A number by which the library names a handle to its callbacks."""
    return next(_numbers)


class Context(Handle):
    """Threads, seed, log and progress of everything made from it. Most programs never make one: there is a default.

    threads: worker threads, 0 = the cores this process may use. seed: default seed of requests.
    progress: None shows a tqdm bar for calls longer than a second when tqdm is installed and stderr is a terminal; False
    shows nothing; a function is called as progress(stage, done, total), with total -1 when unknown.
    module_dir: where GPU and other modules are looked for first. torch_dir: the folder of libtorch, for Hugging Face models;
    None: that of the torch that is installed beside alcore, which is not imported for it, unless $ALCORE_TORCH_LIBDIR names one.
    Log lines go to logging.getLogger("alcore")."""

    _noun = "ctx"

    def __init__(self, *, threads: int = 0, seed: int = 0, progress: t.Progress = None, module_dir: t.Path | None = None,
                 torch_dir: t.Path | None = None) -> None:
        self._number = next(_numbers)
        _settings[self._number] = progress
        torch_dir = installed_torch() if torch_dir is None else torch_dir
        settings = options("ctx", locals(), log=_log, progress=_progress, progress_user=self._number)
        super().__init__(new(lib.alcore_ctx_unref, lib.alcore_ctx_new, ctypes.byref(settings)), None)

    @property
    def context(self) -> Context:
        return self

    threads = getter(int, "alcore_ctx_threads", "Worker threads of this context.")

    def cancel(self) -> None:
        """Ends every long call that runs on this context, and every later one, with CancelledError until cancel_clear(). May be
        called from any thread. What sets or saves goes on: Selection.write() works all the same."""
        lib.alcore_ctx_cancel(self._handle)

    def cancel_clear(self) -> None:
        """Long calls can run again after cancel(); one that was reached by it ends all the same."""
        lib.alcore_ctx_cancel_clear(self._handle)

    cancelled = getter(bool, "alcore_ctx_is_cancelled",
                       "In a function that the library calls, such as a model's: whether the running call is to end. Elsewhere: whether "
                       "long calls are refused.")

    def poll(self, stage: str | None = None, done: int = 0, total: int = -1) -> None:
        """In a function that the library calls, such as a model's: says how far it is, and raises CancelledError when the running
        call is to end. A function that takes longer than 100 ms calls it that often."""
        run(lib.alcore_ctx_poll, self._handle, None if stage is None else stage.encode(), done, total)

    def device_reason(self, device: str) -> str:
        """Why a device ("cpu", "cuda") cannot be used, with the places where its module was looked for; "" when it can."""
        usable = lib.alcore_device_check(self._handle, device.encode()) == _ffi.ALCORE_OK
        return "" if usable else lib.alcore_last_error().decode("utf-8", "replace")

    def __del__(self):
        _settings.pop(getattr(self, "_number", None), None)
        super().__del__()

    def _description(self):
        return " threads=%d" % self.threads


_default = None
_lock = threading.Lock()


def default_context() -> Context:
    """The context that is used when none is given; a forked child has its own."""
    global _default
    if _default is None or _default.closed:
        with _lock:
            if _default is None or _default.closed:
                _default = Context()
    return _default


def _forget_in_child():
    global _default, _lock
    _default, _lock = None, threading.Lock()
    forget_in_child()


def _forget_at_exit():
    """Releases the default context before Python takes its modules apart: what they refer to then is not always finalized."""
    global _default
    _default = None


os.register_at_fork(after_in_child=_forget_in_child)
atexit.register(_forget_at_exit)


def set_options(noun, handle, options):
    """Sets named options of a handle of "strategy", "scorer" or "request"."""
    for name, value in options.items():
        name = name.rstrip("_").encode()
        if type(value) is int and -(1 << 63) <= value < 1 << 63:
            check(getattr(lib, "alcore_%s_set_int" % noun)(handle, name, value))
        elif type(value) is float:
            check(getattr(lib, "alcore_%s_set_number" % noun)(handle, name, value))
        elif noun == "strategy" and isinstance(value, (list, tuple)) and value and all(type(one) in (int, float) for one in value):
            check(lib.alcore_strategy_set_numbers(handle, name, (ctypes.c_double * len(value))(*value), len(value)))
        else:
            check(getattr(lib, "alcore_%s_set" % noun)(handle, name, text_of(value)))


def get_option(noun, handle, name):
    """The present value of a named option, as text."""
    out = ctypes.c_char_p()
    check(getattr(lib, "alcore_%s_get" % noun)(handle, name.rstrip("_").encode(), ctypes.byref(out)))
    return out.value.decode("utf-8", "replace")
