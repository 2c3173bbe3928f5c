# SPDX-License-Identifier: Apache-2.0
"""What the fixtures of test_every_struct.py share: the C functions through ctypes, arrays, real texts, and the table of fixtures.

A fixture is a function of one struct of options. It makes a call with the struct and returns all that the call gives as plain
values, which the test compares between the default of a member and another value."""
import ctypes
import logging
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import alcore
from alcore import _ffi
from alcore._handles import begun

lib = alcore._lib
ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(tempfile.mkdtemp(prefix="alcore-structs-"))  # test_every_struct.py removes it
FIXTURES = {}  # (function, parameter) -> Fixture


class Refused(Exception):
    """A call that failed: its status and the text of the error."""

    def __init__(self, status):
        super().__init__("%s: %s" % (lib.alcore_status_name(status).decode(), lib.alcore_last_error().decode("utf-8", "replace")))
        self.status = status

    def __eq__(self, other):
        return isinstance(other, Refused) and str(self) == str(other)

    __hash__ = None


class Refusal:
    """A value of a member that the call is to refuse with these words."""

    def __init__(self, value, words, **beside):
        self.value, self.words, self.beside = value, words, beside


class When:
    """A value of a member that shows only beside values of other members."""

    def __init__(self, value, **beside):
        self.value, self.beside, self.words = value, beside, None


class Unread:
    """A member that this function does not read: `value`, beside the values of other members, changes nothing. `words` are those of
    the header that say so; they stand in `header`.h."""

    def __init__(self, header, words, value, **beside):
        self.header, self.words, self.value, self.beside = header, words, value, beside


class Fixture:
    def __init__(self, call, base, members):
        self.call, self.base, self.members = call, base, members


def walks(function, parameter="options", base=None, **members):
    """Enters the decorated function as the fixture of a parameter of a C function, or of a struct that a member of such a struct
    points to: "options.files" is the struct of the member files of options. base: members that are always set. members:
    the value of each that is to change the outcome (a list: each of them is), a When, a Refusal or an Unread; a value that is a
    function is called when the member is tried."""
    def enter(call):
        assert (function, parameter) not in FIXTURES
        FIXTURES[function, parameter] = Fixture(call, base or {}, members)
        return call
    return enter


def ask(name, *arguments):
    """Calls a function of the library that returns a status; handles are passed as the objects that own them, so that they live
    as long as the call."""
    status = getattr(lib, name)(*[getattr(argument, "_handle", argument) for argument in arguments])
    if status:
        raise Refused(status)


class Owned:
    """A handle that a call made, released with this object."""

    def __init__(self, noun, name, *arguments):
        out = ctypes.c_void_p()
        ask(name, *arguments, ctypes.byref(out))
        self.noun, self._handle = noun, out.value

    def __del__(self):
        if getattr(self, "_handle", None):
            getattr(lib, "alcore_%s_unref" % self.noun)(self._handle)


def pool_of(owned):
    """The Python object of a pool that a call of the C API made."""
    pool = alcore.Pool.borrowed(owned._handle, CTX)
    pool.owned = owned
    return pool


class Tensor:
    """Numbers of the caller: code d (float64), f (float32), q (int64), i (int32); given ones, or zeros to be filled."""

    CODES = {"d": (ctypes.c_double, _ffi.ALCORE_FLOAT64), "f": (ctypes.c_float, _ffi.ALCORE_FLOAT32),
             "q": (ctypes.c_int64, _ffi.ALCORE_INT64), "i": (ctypes.c_int32, _ffi.ALCORE_INT32)}

    def __init__(self, code, shape, values=None):
        kind, number = self.CODES[code]
        count = 1
        for length in shape:
            count *= length
        self.numbers = (kind * max(count, 1))(*(values or ()))
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.struct = _ffi.alcore_tensor()
        ask("alcore_tensor_init", ctypes.byref(self.struct), ctypes.addressof(self.numbers), number, ctypes.addressof(self.shape),
            len(shape))
        self._as_parameter_ = ctypes.c_void_p(ctypes.addressof(self.struct))

    def __repr__(self):  # all digits; NaN equals itself
        return repr(list(self.numbers))


def address_of(value):
    """What a pointer of a struct is set to, of any of the objects above or of ctypes."""
    if isinstance(value, Tensor):
        value = value.struct
    if isinstance(value, (ctypes.Structure, ctypes.Array)):
        return ctypes.addressof(value)
    return value._handle if hasattr(value, "_handle") else value


def struct_of(kind, fields):
    """A struct as the library begins it with these members, which lives as long as they do."""
    made = begun(kind)
    made.alive = dict(fields)
    for name, value in fields.items():
        setattr(made, name, address_of(value) if dict(kind._fields_)[name] is ctypes.c_void_p else value)
    return made


def strings(texts):
    """Texts as an array of pointers; None is NULL."""
    return (ctypes.c_char_p * len(texts))(*[text.encode() if isinstance(text, str) else text for text in texts])


def lengths(numbers):
    return (ctypes.c_size_t * len(numbers))(*numbers)


def integers(numbers):
    return (ctypes.c_int64 * len(numbers))(*numbers)


def doubles(numbers):
    return (ctypes.c_double * len(numbers))(*numbers)


def result(kind):
    """A struct that a call fills."""
    return kind(size=ctypes.sizeof(kind))


def told(made):
    """All members of a struct of results."""
    return {name: repr(list(value) if isinstance(value, ctypes.Array) else value)
            for name, value in ((field[0], getattr(made, field[0])) for field in made._fields_)}


def column(pool, name):
    """The numbers of a column, exactly."""
    try:
        found = pool.get_column(name)
    except alcore.UnsupportedError:  # it stays in its file, or is of some rows only
        info = result(_ffi.alcore_column_info)
        ask("alcore_pool_get_column_info", pool, name.encode(), ctypes.byref(info))
        if info.shape in (_ffi.ALCORE_COLUMN_RAGGED, _ffi.ALCORE_COLUMN_RAGGED_DENSE):
            return "ragged"
        found = Tensor("d", [len(pool), info.width] if info.width > 1 else [len(pool)])
        ask("alcore_pool_get_column_rows", pool, name.encode(), integers(range(len(pool))), len(pool), found)
        return repr(found)
    return repr([part.tolist() for part in found] if isinstance(found, tuple) else found.tolist())


def file(name, text=None):
    """A path in the folder of the fixtures; of a file with that text if it is given."""
    path = FOLDER / name
    if text is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return os.fsencode(path)


def written(name, *arguments):
    """Calls a function that writes a file "out.tsv" or as the last of arguments calls it; what is in the file."""
    *arguments, suffix, options = arguments
    path = file("out." + suffix)
    if os.path.exists(path):
        os.remove(path)
    ask(name, *arguments, path, ctypes.byref(options))
    return Path(os.fsdecode(path)).read_bytes()


def attempts(read, *paths):
    """What each path gives, or how it is refused. Options that no path can have are refused as such."""
    found = []
    for path in paths:
        try:
            found.append(read(path))
        except Refused as error:
            if error.status in (_ffi.ALCORE_E_STRUCT_UNSET, _ffi.ALCORE_E_STRUCT_SIZE, _ffi.ALCORE_E_STRUCT_NEWER, _ffi.ALCORE_E_INVALID):
                raise
            found.append(str(error))
    return found


@contextmanager
def log_lines():
    """The messages that the library logs meanwhile."""
    lines = []
    logger, handler = logging.getLogger("alcore"), logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


# The context of all fixtures but those of contexts; it finds the model module of the tests, which
# computes numbers from the bytes of texts.
CTX = alcore.Context(threads=2, module_dir=os.environ["NULL_MODEL_MODULE"])
# Sentences with their translations (examples/data/ATTRIBUTION.md).
PAIRS = [line.split("\t")[1:3] for line in
         (ROOT / "examples" / "data" / "labeled.tsv").read_text(encoding="utf-8").splitlines()[1:81]]
SOURCES, TARGETS = ([pair[side] for pair in PAIRS] for side in (0, 1))
# Texts in which phrases repeat, with a sign, letters of both cases, and a repeated text.
TEXTS = ["the red cat ran home", "the red cat sat", "The red cat sat", "a dog - ran home", "the red cat ran home", "a dog - sat",
         "one word", "42 17", "the red hen ran home again"]
# Vectors of TEXTS, of other texts, and numbers of TEXTS.
VECTORS = [[1, 0, 2], [0, 1, 1], [3, 4, 0], [4, 3, 1], [1, .2, .1], [-1, 0, 3], [2, .1, 1], [0, 2, 2], [.5, .5, 5]]
OTHERS = [[2., 0., 1.], [1., 3., 0.], [0., 1., 5.], [-2., 1., 0.]]
NUMBERS = [.5, .9, .4, .1, .8, .3, .7, .6, .2]


def matrix(rows, code="f"):
    return Tensor(code, [len(rows), len(rows[0])], [value for row in rows for value in row])


def texts_pool(**columns):
    pool = alcore.Pool(TEXTS, context=CTX)
    for name, values in columns.items():
        pool.set_column(name, values)
    return pool
