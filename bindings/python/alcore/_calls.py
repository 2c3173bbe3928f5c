# SPDX-License-Identifier: Apache-2.0
"""Calls into the library: status codes become exceptions, exceptions of callbacks come back, Ctrl-C stops a call.

A Python exception cannot travel through C. A callback therefore keeps it for its thread, tells the library to stop, and
the call that was running raises it. KeyboardInterrupt could strike a callback before its first line, where nothing can
catch it; so a long call on the main thread lets SIGINT only set a flag. The progress callback then calls the handler that was
there: the call ends if that raises, as Python's own does, and goes on if it returns."""
import ctypes
import _signal as signal  # signal without its enums: a call costs a tenth
import threading
from contextlib import contextmanager
from threading import get_ident
from time import sleep

from . import _ffi
from ._errors import failure, remedy
from ._library import lib


class _Thread(threading.local):
    """What each thread knows of its calls."""

    pending = None  # exception of a callback, on its way to the caller
    guard = None  # _Guard of the running call
    bar = None  # progress bar of the running call; False: none is to be shown
    callbacks = 0  # number of callbacks of the library that are running


this = _Thread()
_main = threading.main_thread().ident


def forget_in_child():
    """In a forked child no call of the parent runs, and the thread that forked is the main thread."""
    global _main
    _main = get_ident()
    this.guard = this.pending = None
    this.callbacks = 0


_get_c_handler = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_int)(("PyOS_getsig", ctypes.pythonapi))
_sigaction = ctypes.CDLL(None).sigaction
_sigaction.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
_SIGACTION_BYTES = 1024  # more than struct sigaction has on any platform
_python_handler = None  # address of the C function that calls Python's handlers, once it is known


def _set_handler(handler):
    """Sets Python's handler of SIGINT and leaves the C handler as it is. Some packages, as polars, put their own C handler before
    Python's and call Python's from it; signal.signal() alone would replace theirs. Raises ValueError where a program may set no
    handlers, as in a subinterpreter."""
    global _python_handler
    if _get_c_handler(signal.SIGINT) == _python_handler:
        signal.signal(signal.SIGINT, handler)
        return
    before = ctypes.create_string_buffer(_SIGACTION_BYTES)
    _sigaction(signal.SIGINT, None, before)
    try:
        signal.signal(signal.SIGINT, handler)
        _python_handler = _get_c_handler(signal.SIGINT)
    finally:
        _sigaction(signal.SIGINT, before, None)


class _Guard:
    """While the library runs on the main thread, SIGINT only sets a flag (`arrived`); deliver() then calls the handler that was
    there (`inner`; None: no function of Python, or none may be set). Made for every call, so it has neither a base class nor the
    methods of `with`."""

    __slots__ = ("arrived", "inner")

    def __init__(self):
        self.arrived = self.inner = None
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            try:
                _set_handler(self._note)
            except ValueError:
                return
            self.inner = handler

    def leave(self):
        if self.inner is not None:
            _set_handler(self.inner)

    def _note(self, number, frame):
        self.arrived = (number, frame)

    def deliver(self):
        if self.arrived is not None:
            arrived, self.arrived = self.arrived, None
            self.inner(*arrived)

    @contextmanager
    def python(self):
        """While the caller's own code runs in a callback, Ctrl-C has its usual handler."""
        if self.inner is None:
            yield
            return
        _set_handler(self.inner)
        try:
            self.deliver()
            yield
        finally:
            _set_handler(self._note)


def _last_error():
    """The text of the library's last error, with the remedy in Python's terms where there is one."""
    text = lib.alcore_last_error().decode("utf-8", "replace")
    found = _ffi.alcore_remedy(size=ctypes.sizeof(_ffi.alcore_remedy))
    return "%s; %s" % (text, remedy(found)) if lib.alcore_last_remedy(ctypes.byref(found)) else text


def check(status):
    """Raises the exception for a failed call."""
    if status:
        raise failure(status, _last_error())


def _finish(status, guard):
    """The end of a call: closes the progress bar and raises, in this order, the exception of a callback, that of Ctrl-C, or that
    of the status."""
    text = _last_error() if status else ""
    bar, this.bar = this.bar, None
    if bar:
        bar.close()
    error = this.pending
    if error is not None:
        this.pending = None
        raise error
    if guard is not None:
        guard.deliver()
    if status:
        raise failure(status, text)


def answer(function, *arguments):
    """What a call that has no status returns; raises the exception of a callback of it."""
    found = function(*arguments)
    if this.callbacks == 0 and this.guard is None:
        _finish(0, None)
    return found


def run(function, *arguments):
    """A call that may be long or call back. Where the library answers BUSY because another thread uses the handle, it waits
    and calls again, with pauses of 1 ms to 50 ms. Inside a callback the handle may be in use by the very call that called
    back: there BUSY is an error at once."""
    pause = 0.001
    while _is_busy(function, arguments):
        sleep(pause)
        pause = min(2 * pause, 0.05)


def _must_wait(status):
    """Whether a call that was refused as BUSY may be repeated: not inside a callback, whose outer call may hold the handle."""
    return status == _ffi.ALCORE_E_BUSY and this.callbacks == 0 and this.pending is None


def run_at_once(function, *arguments):
    """The same for what may take days, which nobody waits for: BUSY is an error at once."""
    _is_busy(function, arguments, waits=False)


def _is_busy(function, arguments, waits=True):
    """Calls once. True: the call has to be repeated, because another thread uses the handle. Raises for any other failure, also for this one
    where nobody waits."""
    if this.guard is not None or get_ident() != _main:
        status = function(*arguments)
        if waits and _must_wait(status):
            return True
        _finish(status, None)
        return False
    guard = this.guard = _Guard()
    try:
        status = function(*arguments)
    finally:
        this.guard = None  # first: where a handler is Python's again, it may raise
        guard.leave()
    if waits and _must_wait(status):
        guard.deliver()
        return True
    if status or this.pending is not None or this.bar is not None or guard.arrived is not None:
        _finish(status, guard)
    return False


def stop_asked():
    """Whether the running call has to end: a callback raised, or the handler of a SIGINT that arrived."""
    if this.pending is None and this.guard is not None and this.guard.arrived is not None:
        try:
            this.guard.deliver()
        except BaseException as error:
            this.pending = error
    return this.pending is not None


def call_back(function, *arguments):
    """Runs a caller's function inside a callback; a status for the library. Never raises."""
    this.callbacks += 1
    try:
        guard = this.guard
        if guard is None:
            function(*arguments)
        else:
            # A call of the caller's function is an outermost call again.
            this.guard = None
            try:
                with guard.python():
                    function(*arguments)
            finally:
                this.guard = guard
        return _ffi.ALCORE_OK
    except BaseException as error:
        if this.pending is None:  # else that of a callback before, whose failure the library passed over
            this.pending = error
        text = ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace")
        return lib.alcore_error_set(_ffi.ALCORE_E_CALLBACK, text, len(text))
    finally:
        this.callbacks -= 1
