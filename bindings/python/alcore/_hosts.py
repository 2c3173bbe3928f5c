# SPDX-License-Identifier: Apache-2.0
"""The caller's own functions behind the library's tables: registered here while the library holds them, called through
trampolines that live as long as the process."""
import ctypes
import itertools

from . import _ffi
from ._arrays import memory_of, memory, tensor_of, integers
from ._calls import call_back, check
from ._library import lib
from ._strings import text_at

_numbers = itertools.count(1)
_live = {}  # number given to the library as user -> the caller's part


def register(part):
    number = next(_numbers)
    _live[number] = part
    return number


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _destroy(user):
    if _live is not None:  # at the end of the process modules are emptied
        _live.pop(user, None)


class Batch(list):
    """Texts on their way to a model: a list of str with `rows` (row numbers) and `languages` (tags)."""

    def __init__(self, texts, rows, languages):
        super().__init__(texts)
        self.rows, self.languages = rows, languages


def batch_of(pointer):
    batch = _ffi.alcore_batch.from_address(pointer)
    count = batch.count
    texts = (ctypes.c_void_p * count).from_address(batch.texts)
    lengths = (ctypes.c_size_t * count).from_address(batch.lengths)
    languages = (ctypes.c_char_p * count).from_address(batch.languages)
    return Batch([text_at(text, length) for text, length in zip(texts, lengths)],
                 (ctypes.c_int64 * count).from_address(batch.rows)[:], [tag.decode() for tag in languages])


class View:
    """What an own scorer or strategy sees, valid while it runs: the candidates, their columns, the budget and the round.

    Columns are attributes and items: float64 [count] or [count, n]; ragged ones are (values [tokens] or [tokens, n],
    offsets int64 [count + 1]). They are NumPy arrays (memoryviews without NumPy) over the library's memory: copy what you
    want to keep."""

    def __init__(self, pointer, pool_type):
        self._pointer, self._pool_type = pointer, pool_type

    @property
    def _handle(self):
        if self._pointer is None:
            raise ValueError("a view is valid only while the function runs")
        return self._pointer

    def __len__(self):
        return lib.alcore_view_count(self._handle)

    @property
    def rows(self):
        """Row numbers of the candidates, ascending: int64 [count]."""
        return memory(lib.alcore_view_rows(self._handle), [len(self)], "q")

    @property
    def texts(self):
        """Texts of the candidates: list of str."""
        pool = lib.alcore_view_pool(self._handle)
        length, found = ctypes.c_size_t(), []
        for row in (ctypes.c_int64 * len(self)).from_address(lib.alcore_view_rows(self._handle)):
            address = lib.alcore_pool_text(pool, row, ctypes.byref(length))
            found.append(text_at(address, length.value))
        return found

    @property
    def labeled(self):
        """Rows of the pool that are labeled, ascending: int64."""
        count = ctypes.c_int64()
        address = lib.alcore_view_labeled(self._handle, ctypes.byref(count))
        return memory(address, [count.value], "q")

    @property
    def labeled_pool(self):
        """The labeled side of the request; None without one."""
        address = lib.alcore_view_labeled_pool(self._handle)
        return self._pool_type.borrowed(address) if address else None

    @property
    def costs(self):
        """Cost of each candidate in the budget's unit: float64 [count]."""
        return memory(lib.alcore_view_costs(self._handle), [len(self)], "d")

    @property
    def budget(self):
        """The budget in its unit; infinity for a scorer."""
        return lib.alcore_view_budget(self._handle)

    @property
    def round(self):
        """The round, from 1."""
        return lib.alcore_view_round(self._handle)

    def random(self, counter):
        """64 random bits, the same for the same seed, round and counter."""
        if not 0 <= counter < 1 << 64:
            raise ValueError("counter: an integer from 0 to 2^64 - 1 is expected, got %d" % counter)
        return lib.alcore_view_random(self._handle, counter)

    def column(self, name):
        """A column named in needs, as an array or (values, offsets)."""
        values, offsets = _ffi.alcore_tensor(), _ffi.alcore_tensor()
        check(lib.alcore_view_column(self._handle, name.encode(), ctypes.byref(values), ctypes.byref(offsets)))
        found = memory_of(values)
        return (found, memory_of(offsets)) if offsets.data else found

    __getitem__ = column

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.column(name)
        except LookupError as error:
            raise AttributeError(str(error)) from None


class Order:
    """What a strategy returns instead of scores: rows in the order in which they are to be bought."""

    def __init__(self, rows):
        self.rows = rows


def _with_view(part, pointer, use):
    view = View(pointer, part.pool_type)
    try:
        use(part.function(view), len(view))
    finally:
        view._pointer = None


def scores_of(result, count, name):
    """What an own function returned, as float64 [count]."""
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


def _model_trampoline(name):
    @_ffi.alcore_model_function
    def trampoline(user, batch, writer):
        return call_back(_live[user].answer, name, batch, writer)
    return trampoline


@ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)
def _version(user):
    found = [0]

    def ask():
        found[0] = _live[user].version()

    call_back(ask)
    return found[0]


_model_functions = {name: _model_trampoline(name) for name in _ffi.MODEL_FUNCTIONS}


def fill_host(host, part, functions, needs=()):
    """Completes a host table; returns what must live until the library has copied it."""
    names = (ctypes.c_char_p * (len(needs) + 1))(*[need.encode() for need in needs])
    host.size = ctypes.sizeof(host)
    host.destroy = _destroy
    if hasattr(host, "needs"):
        host.needs = ctypes.addressof(names)
    for field, function in functions.items():
        setattr(host, field, function)
    host.user = register(part)
    return names


def forget(host):
    """Takes back a part that the library did not take."""
    _live.pop(host.user, None)
