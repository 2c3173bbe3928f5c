# SPDX-License-Identifier: Apache-2.0
"""Strategies, scorers and models made of the caller's Python functions.

The library calls C function pointers with a `user` value. Here the pointers are a few trampolines that live as long as the
process, and `user` is a number under which the caller's object is registered until the library destroys its part."""
from __future__ import annotations

import array
import atexit
import ctypes
import itertools
import math

from . import _ffi
from ._arrays import integers, memory, memory_of, numpy_or_none, tensor_of
from ._calls import call_back, check, run
from ._handles import getter
from ._lazy import types as t
from ._library import lib
from ._strings import text_at

_numbers = itertools.count(1)
_live = {}  # number that the library passes as `user` -> the caller's part
# At the end of the process parts go before the modules, which typing may keep to the last: what
# refers to a part, such as the program's own module, is then released while handles still can be.
atexit.register(_live.clear)


def register(part):
    """The number of a part for the library."""
    number = next(_numbers)
    _live[number] = part
    return number


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _destroy(user):
    if _live is not None:  # None when Python has taken its modules apart at the end of the process
        _live.pop(user, None)


_BLOCK = 8192  # rows whose values are converted by one call


class ViewRows:
    """The rows of one role in a view: of the candidates, of the labeled pool, or of the target.

    Columns named in the needs of the role are attributes and items: float64 [rows] or [rows, n]; ragged ones are (values
    [tokens] or [tokens, n], offsets int64 [rows + 1]). They are copies, NumPy arrays (memoryviews without NumPy);
    column(name, first, count) copies a part, so that a pool that is larger than memory can pass through in blocks."""

    def __init__(self, view: View, role: int) -> None:
        self._view, self._role = view, role

    @property
    def _handle(self):
        return self._view._handle

    def __len__(self) -> int:
        return lib.alcore_view_row_count(self._handle, self._role)

    @property
    def rows(self) -> t.Any:
        """Row numbers in the pool, ascending: int64 [rows]."""
        return memory(lib.alcore_view_rows(self._handle, self._role), [len(self)], "q")

    @property
    def pool(self) -> t.Pool:
        """The pool of the rows, to be read."""
        return self._view._pool_type.borrowed(lib.alcore_view_pool(self._handle, self._role))

    @property
    def texts(self) -> list[str]:
        """Texts of the rows: list of str."""
        count, length, found = len(self), ctypes.c_size_t(), []
        pool = lib.alcore_view_pool(self._handle, self._role)
        rows = (ctypes.c_int64 * count).from_address(lib.alcore_view_rows(self._handle, self._role)) if count else ()
        for row in rows:
            address = lib.alcore_pool_text(pool, row, ctypes.byref(length))
            found.append(text_at(address, length.value))
        return found

    def column(self, name: str, first: int = 0, count: int | None = None) -> t.Any:
        """A column of the rows at positions first .. first + count - 1 (all of them): an array, or (values, offsets)."""
        count = len(self) - first if count is None else count
        numbers, starts, width, ragged = bytearray(), array.array("q", [0]), None, False
        while True:
            values, offsets = _ffi.alcore_tensor(), _ffi.alcore_tensor()
            block = min(count, _BLOCK)
            run(lib.alcore_view_get_column, self._handle, self._role, name.encode(), first, block, ctypes.byref(values),
                ctypes.byref(offsets))
            shape = (ctypes.c_int64 * values.ndim).from_address(values.shape)[:]
            numbers += ctypes.string_at(values.data, 8 * math.prod(shape))
            width = shape[1:]
            if offsets.data:
                ragged, base = True, starts[-1]
                starts.extend(base + start for start in memory_of(offsets)[1:].tolist())
            first, count = first + block, count - block
            if count <= 0:
                break
        found = _array(numbers, "d", width)
        return (found, _array(starts, "q", [])) if ragged else found

    def __getitem__(self, name: str) -> t.Any:
        return self.column(name)

    def __getattr__(self, name: str) -> t.Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.column(name)
        except LookupError as error:
            raise AttributeError(str(error)) from None


def _array(data, code, width):
    """Numbers [n] + width over the memory of `data`: a NumPy array, or a memoryview."""
    numpy = numpy_or_none()
    if numpy is not None:
        return numpy.frombuffer(data, dtype=code).reshape([-1] + width if len(data) else [0] + width)
    view = memoryview(data).cast("B")
    return view.cast(code, [len(view) // 8 // width[0]] + width) if width and len(view) else view.cast(code)


class View(ViewRows):
    """What a strategy or scorer of the caller's sees; it can be used while the function runs: the candidates, with their
    rows, texts and columns, the labeled rows, the target, the budget and the round."""

    _role = _ffi.ALCORE_ROLE_CANDIDATES

    def __init__(self, pointer: int, pool_type: type[t.Pool]) -> None:
        self._pointer, self._pool_type = pointer, pool_type

    @property
    def _view(self):
        return self

    @property
    def _handle(self):
        if self._pointer is None:
            raise ValueError("a view is valid only while the function runs")
        return self._pointer

    def _of_role(self, role):
        return ViewRows(self, role) if lib.alcore_view_pool(self._handle, role) else None

    @property
    def labeled_rows(self) -> ViewRows:
        """The rows of the candidates' pool whose labels are known."""
        return ViewRows(self, _ffi.ALCORE_ROLE_LABELED_ROWS)

    @property
    def labeled(self) -> ViewRows | None:
        """The rows of the labeled pool of the request; None without one."""
        return self._of_role(_ffi.ALCORE_ROLE_LABELED)

    @property
    def target(self) -> ViewRows | None:
        """The rows of the target; None without one."""
        return self._of_role(_ffi.ALCORE_ROLE_TARGET)

    @property
    def costs(self) -> t.Any:
        """Cost of each candidate in the budget's unit: float64 [rows]."""
        return memory(lib.alcore_view_costs(self._handle), [len(self)], "d")

    budget = getter(float, "alcore_view_budget", "The budget in its unit; infinity for a scorer.")
    round = getter(int, "alcore_view_round", "The round, from 1.")

    def poll(self, stage: str | None = None, done: int = 0, total: int = -1) -> None:
        """Says how far the function is, and raises CancelledError when it shall stop. One that takes longer than 100 ms calls it
        that often."""
        run(lib.alcore_view_poll, self._handle, None if stage is None else stage.encode(), done, total)

    def random(self, counter: int) -> int:
        """64 random bits, the same for the same seed, round and counter."""
        if not 0 <= counter < 1 << 64:
            raise ValueError("counter: an integer from 0 to 2^64 - 1 is expected, got %d" % counter)
        return lib.alcore_view_random(self._handle, counter)


class Order:
    """What a strategy may return instead of scores: rows in the order in which the budget is spent on them."""

    def __init__(self, rows: t.Numbers) -> None:
        self.rows = rows


def _with_view(part, pointer, use):
    """Calls the part's function with a View of the library's pointer, then use(its result, number of candidates). The View is
    invalid afterwards, also when the caller keeps it."""
    view = View(pointer, part.pool_type)
    try:
        use(part.function(view), len(view))
    finally:
        view._pointer = None


def scores_of(result, count, name):
    """(address, keep) of what a function of the caller's returned, as float64 [count]."""
    tensor = tensor_of(result, "the result of %s" % name, None)
    if tensor.shape != (count,):
        raise ValueError("the result of %s: one number a candidate is expected, [%d], got %s" % (
            name, count, list(tensor.shape)))
    if tensor.dtype == (_ffi.ALCORE_KIND_FLOAT, 64) and (tensor.strides_array is None or tensor.strides_array[0] == 1):
        return tensor.struct.data + tensor.struct.byte_offset if count else None, tensor
    numbers = (ctypes.c_double * max(count, 1))(*(result.tolist() if hasattr(result, "tolist") else result))
    return ctypes.addressof(numbers), numbers


@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
def _score(user, view, out):
    part = _live[user]

    def use(result, count):
        address, kept = scores_of(result, count, part.name)
        if count:
            ctypes.memmove(out, address, count * 8)
        del kept

    return call_back(_with_view, part, view, use)


@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
def _choose(user, view, out):
    part = _live[user]

    def use(result, count):
        if isinstance(result, Order):
            address, ordered, kept = integers(result.rows, "the order of %s" % part.name)
            check(lib.alcore_choice_order(out, address, ordered))
        else:
            address, kept = scores_of(result, count, part.name)
            check(lib.alcore_choice_scores(out, address, count))
        del kept

    return call_back(_with_view, part, view, use)


def part_of(user):
    """The caller's part of a number."""
    return _live[user]


def fill_host(host, part, functions, needs=None):
    """Fills the struct of host functions; needs: {field: column names}. Returns what must live until the library has copied it."""
    lists = {field: (ctypes.c_char_p * (len(names) + 1))(*[name.encode() for name in names])
             for field, names in (needs or {}).items()}
    host.size = ctypes.sizeof(host)
    host.destroy = _destroy
    for field, names in lists.items():
        setattr(host, field, ctypes.addressof(names))
    for field, function in functions.items():
        setattr(host, field, function)
    host.user = register(part)
    return lists


def forget(host):
    """Removes the part of a host that the library refused."""
    _live.pop(host.user, None)
