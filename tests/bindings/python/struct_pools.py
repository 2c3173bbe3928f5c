# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the structs of pools: their rows, files, columns and phrases."""
import ctypes
import os
import shutil
import types

import alcore
from alcore import _ffi
from alcore import _arrow_give
from alcore._arrow import Array, ArrowColumn, Schema, Stream
from struct_world import (CTX, NUMBERS, TEXTS, Owned, Refusal, Refused, Tensor, Unread, When, ask, attempts, column, doubles, file,
                          integers, lengths, lib, pool_of, strings, texts_pool, walks, written)


def rows_of(pool):
    """All that the pool knows of each row."""
    rows = range(len(pool))
    return [[pool[row], pool.id(row), pool.reference(row), pool.language(row), pool.group(row), repr(pool.cost(row)), pool.states[row]]
            for row in rows]


# ---- rows ----

MIXED = ["Alpha beta", "alpha  beta", "Alpha beta", b"not \xff UTF-8"]


def with_ids(pool, texts, ids):
    """Adds texts with ids in one call; a call that the pool refuses is told."""
    records = _ffi.alcore_records(size=ctypes.sizeof(_ffi.alcore_records), count=len(texts))
    kept = strings(texts), strings(ids)
    records.texts, records.ids = (ctypes.addressof(array) for array in kept)
    try:
        ask("alcore_pool_add_records", pool, ctypes.byref(records), None)
    except Refused as error:
        return [str(error)]
    return []


def filled(pool):
    """The rows of the texts above, and of some with ids; what a pool refuses is told in its place."""
    told = []
    for text in MIXED:
        try:
            ask("alcore_pool_add_texts", pool, strings([text]), None, 1, None)
        except Refused as error:
            told.append(str(error))
    for texts in (["one"], ["two"], ["one", "two"]):
        told += with_ids(pool, texts, ["same"] * len(texts))
    return rows_of(pool_of(pool)) + told


POOL = {"dedup": [_ffi.ALCORE_DEDUP_NORMALIZED, _ffi.ALCORE_DEDUP_NONE], "utf8": _ffi.ALCORE_UTF8_REPLACE, "max_text_bytes": 4,
        "repeated_ids": [_ffi.ALCORE_IDS_PER_CALL, _ffi.ALCORE_IDS_ANY]}


@walks("alcore_pool_new", **POOL)
def new_pool(options):
    return filled(Owned("pool", "alcore_pool_new", CTX, ctypes.byref(options)))


@walks("alcore_pool_new_derived", **POOL)
def new_derived_pool(options):
    return filled(Owned("pool", "alcore_pool_new_derived", texts_pool(), ctypes.byref(options)))


@walks("alcore_pool_add_records", "records", base={"texts": strings(["a b", "c"]), "count": 2},
       texts=strings(["a b", "d"]), count=1, text_lengths=lengths([3, 0]), ids=strings(["x", "y"]),
       id_lengths=When(lengths([2, 1]), ids=strings(["xxx", "yyy"])), references=strings(["A B", None]),
       reference_lengths=When(lengths([1, 1]), references=strings(["A B", "C"])), languages=strings(["de", None]),
       groups=strings(["one", "one"]), costs=doubles([3, 0]))
def add_records(options):
    pool = alcore.Pool([], context=CTX)
    ask("alcore_pool_add_records", pool, ctypes.byref(options), None)
    return rows_of(pool)


@walks("alcore_pool_filter", "filter", min_words=4, max_words=4, min_letters=.9)
def filter_pool(options):
    pool = texts_pool()
    ask("alcore_pool_filter", pool, ctypes.byref(options))
    return list(pool.states)


# ---- files of records ----

TABLE = "text\tother\ttarget\tgold\na cat\tone\teine Katze\tK\na dog\\ntwo\ttwo\tein Hund\tH\n"


# A test set in which each choice leaves another side.
SET = ("<doc id='a' domain='news'><src lang='en'><seg id='1'>a cat</seg></src></doc>\n<doc id='b' domain='chat'>"
       "<src lang='en'><seg id='1'>a dog</seg></src><ref translator='A'><seg id='1'>ein Hund</seg></ref>"
       "<hyp system='S'><seg id='1'>der Hund</seg></hyp></doc>\n")
CHOICE = {"side": b"src", "translator": b"A", "system": b"S", "domain": b"news"}


@walks("alcore_pool_read", **CHOICE, format=_ffi.ALCORE_FORMAT_TSV, bad_lines=_ffi.ALCORE_BAD_LINES_MASK, text_column=b"other",
       reference_column=b"gold", references=lambda: file("answers.txt", "A\nB\n"), language=b"de", escapes=_ffi.ALCORE_ESCAPES_ON,
       by=[When(_ffi.ALCORE_JOIN_ID, references=file("answers.txt", "A\nB\n")), Refusal(_ffi.ALCORE_JOIN_LINE, "no file of references")])
def read_pool(options):
    def read(path):
        pool = Owned("pool", "alcore_pool_new", CTX, None)
        ask("alcore_pool_read", pool, path, ctypes.byref(options))
        return rows_of(pool_of(pool))
    return attempts(read, file("table.tsv", TABLE), file("table", TABLE), file("bad.tsv", TABLE + "too few\n"), file("set.xml", SET))


@walks("alcore_project_add", **CHOICE, format=_ffi.ALCORE_FORMAT_TSV, bad_lines=_ffi.ALCORE_BAD_LINES_MASK, text_column=b"other",
       reference_column=b"gold", references=lambda: file("answers.txt", "A\nB\n"), language=b"de", escapes=_ffi.ALCORE_ESCAPES_ON,
       by=[When(_ffi.ALCORE_JOIN_ID, references=file("answers.txt", "A\nB\n")), Refusal(_ffi.ALCORE_JOIN_LINE, "no file of references")])
def add_to_project(options):
    """The next round reads the copy with the options that were kept."""
    def read(path):
        shutil.rmtree(os.fsdecode(file("project")), ignore_errors=True)
        project = Owned("project", "alcore_project_init", CTX, file("project"), None, None, 0)
        ask("alcore_project_set", project, b"strategy", b"random")
        ask("alcore_project_set", project, b"budget", b"9")
        ask("alcore_project_add", project, _ffi.ALCORE_ROLE_CANDIDATES, path, ctypes.byref(options))
        selection = Owned("selection", "alcore_project_next", project, None, None, None, 0)
        pool = alcore.Pool.borrowed(lib.alcore_selection_pool(selection._handle), CTX)
        return rows_of(pool)
    return attempts(read, file("table.tsv", TABLE), file("table", TABLE), file("bad.tsv", TABLE + "too few\n"), file("set.xml", SET))


@walks("alcore_pool_join", by=_ffi.ALCORE_JOIN_LINE, texts_name=b"source.txt", partners_name=b"target.txt",
       rows=When(integers([2]), row_count=1), row_count=When(1, rows=integers([2, 0, 1])))
def join_pools(options):
    def join(ids):
        texts = alcore.Pool(["a", "b", "c"], ids=["x", "y", "z"], context=CTX)
        partners = alcore.Pool(["A", "B", "C"], ids=ids, context=CTX)
        rows = integers([-2, -2, -2])
        ask("alcore_pool_join", texts, partners, ctypes.byref(options), rows)
        return list(rows)
    return attempts(join, ["z", "x", "y"], ["u", "v", "w"])


ONE_SIDE = "do not apply"


@walks("alcore_overlap_read", **CHOICE, format=_ffi.ALCORE_FORMAT_TSV, text_column=b"other", bad_lines=_ffi.ALCORE_BAD_LINES_MASK,
       reference_column=Refusal(b"gold", ONE_SIDE), references=Refusal(b"file", ONE_SIDE), language=Refusal(b"de", ONE_SIDE),
       escapes=_ffi.ALCORE_ESCAPES_ON, by=Refusal(_ffi.ALCORE_JOIN_LINE, ONE_SIDE))
def read_overlap(options):
    def read(path):
        overlap, count = Owned("overlap", "alcore_overlap_new", CTX, None), ctypes.c_int64()
        test = strings(["a cat one dog"])
        ask("alcore_overlap_add", overlap, _ffi.ALCORE_OVERLAP_TEST, _ffi.ALCORE_SIDE_SOURCE, test, None, 1)
        ask("alcore_overlap_read", overlap, _ffi.ALCORE_OVERLAP_SELECTED, _ffi.ALCORE_SIDE_SOURCE, path, ctypes.byref(options),
            ctypes.byref(count))
        score = _ffi.alcore_coverage_result(size=ctypes.sizeof(_ffi.alcore_coverage_result))
        ask("alcore_overlap_compute_coverage", overlap, 1, None, ctypes.byref(score))
        return count.value, score.shared_types
    return attempts(read, file("table.tsv", TABLE), file("table", TABLE), file("bad.tsv", TABLE + "too few\n"), file("set.xml", SET))


class ArrowTable:
    """An Arrow C stream with one batch: a struct of string columns of one text each."""

    def __init__(self, columns):
        self.columns, self.sent, self.kept = columns, False, []
        self.calls = (Stream._fields_[0][1](self.get_schema), Stream._fields_[1][1](self.get_next),
                      Stream._fields_[2][1](lambda stream: None), Stream._fields_[3][1](self.release))
        self.release_part = Schema._fields_[7][1](self.release)
        self.stream = Stream(*self.calls)

    def release(self, part):
        """All parts have the member release at their own place; their memory is Python's."""
        for kind in (Stream, Schema, Array):
            if any(ctypes.addressof(made) == part for made in self.kept + [self.stream] if isinstance(made, kind)):
                kind.from_address(part).release = kind().release

    def keep(self, made):
        self.kept.append(made)
        return made

    def get_schema(self, stream, out):
        names = self.columns
        parts = [self.keep(Schema(b"u", name.encode(), release=self.release_part)) for name in names]
        children = self.keep((ctypes.POINTER(Schema) * len(names))(*map(ctypes.pointer, parts)))
        schema = self.keep(Schema.from_address(out))
        schema.__init__(b"+s", b"", None, 0, len(names), children, None, self.release_part)
        return 0

    def get_next(self, stream, out):
        batch = self.keep(Array.from_address(out))
        if self.sent:
            batch.__init__()
            return 0
        self.sent, parts = True, []
        for text in map(str.encode, self.columns.values()):
            bounds, letters = self.keep((ctypes.c_int32 * 2)(0, len(text))), self.keep(ctypes.create_string_buffer(text))
            buffers = self.keep((ctypes.c_void_p * 3)(None, ctypes.addressof(bounds), ctypes.addressof(letters)))
            parts.append(self.keep(Array(1, 0, 0, 3, 0, buffers, release=self.release_part)))
        children = self.keep((ctypes.POINTER(Array) * len(parts))(*map(ctypes.pointer, parts)))
        batch.__init__(1, 0, 0, 1, len(parts), self.keep((ctypes.c_void_p * 1)()), children, None, self.release_part)
        return 0


TWO_COLUMNS = "apply to an Arrow stream"


@walks("alcore_pool_add_arrow", text_column=b"other", reference_column=b"gold", format=Refusal(_ffi.ALCORE_FORMAT_TSV, TWO_COLUMNS),
       bad_lines=Refusal(_ffi.ALCORE_BAD_LINES_MASK, TWO_COLUMNS), references=Refusal(b"file", TWO_COLUMNS),
       language=Refusal(b"de", TWO_COLUMNS), escapes=Refusal(_ffi.ALCORE_ESCAPES_ON, TWO_COLUMNS),
       by=Refusal(_ffi.ALCORE_JOIN_LINE, TWO_COLUMNS),
       **{name: Refusal(value, TWO_COLUMNS) for name, value in CHOICE.items()})
def add_arrow(options):
    pool, table = alcore.Pool([], context=CTX), ArrowTable({"text": "a cat", "other": "one", "target": "eine Katze", "gold": "K"})
    ask("alcore_pool_add_arrow", pool, ctypes.addressof(table.stream), ctypes.byref(options))
    return rows_of(pool)


@walks("alcore_pool_write", format=[_ffi.ALCORE_FORMAT_TEXT, _ffi.ALCORE_FORMAT_JSONL, _ffi.ALCORE_FORMAT_CSV])
def write_pool(options):
    return written("alcore_pool_write", texts_pool(), integers([2, 0]), 2, "tsv", options)


# ---- columns ----

def column_told(pool, name):
    info = _ffi.alcore_column_info(size=ctypes.sizeof(_ffi.alcore_column_info))
    ask("alcore_pool_get_column_info", pool, name.encode(), ctypes.byref(info))
    return info.shape, info.meaning, info.entries, info.width, column(pool, name)


RELEASED = []
released = dict(_ffi.alcore_column_options._fields_)["release"](RELEASED.append)
NO_DEVICE = Unread("pool_column", "Not used for arrays on the host and files", 7)
IN_FILE = "of a column in a file"
OF_ARROW = "columns of Arrow"


def picked(pool):
    """What is picked by the column of scores, or why nothing is."""
    try:
        selection = pool.select(2, "nnll")
        return selection.indices, list(selection.scores)
    except alcore.Error as error:
        return str(error)


@walks("alcore_pool_set_column", ownership=_ffi.ALCORE_BORROW, meaning=_ffi.ALCORE_MEANS_CONFIDENCE, log_base=When(2., meaning=_ffi.ALCORE_MEANS_LOGPROB),
       rows=When(integers([1, 4, 0]), row_count=3), row_count=When(2, rows=integers([1, 4, 0])),
       release=When(released, ownership=_ffi.ALCORE_BORROW, release_user=7),
       release_user=When(8, ownership=_ffi.ALCORE_BORROW, release=released), offsets=Refusal(b"x", IN_FILE),
       format=Refusal(b"npy", IN_FILE),
       stream=NO_DEVICE, on_device=Refusal(1, "that of a column writer"), shape=Refusal(_ffi.ALCORE_COLUMN_RAGGED, OF_ARROW))
def set_column(options):
    """Scalars, and a ragged column of log-probabilities; the caller changes its array afterwards."""
    del RELEASED[:]
    pool, found = texts_pool(), []
    count = options.row_count or len(TEXTS)
    numbers = Tensor("d", [count], NUMBERS[:count])
    ask("alcore_pool_set_column", pool, b"scores", numbers, None, ctypes.byref(options))
    found.append(column_told(pool, "scores"))
    numbers.numbers[0] = .75
    found += [column_told(pool, "scores"), picked(pool)]
    if not options.ownership and not options.meaning and not options.rows:
        values, offsets = Tensor("d", [count], [-number for number in NUMBERS]), Tensor("q", [count + 1], list(range(count + 1)))
        ask("alcore_pool_set_column", pool, b"logprobs", values, offsets, ctypes.byref(options))
        pool.score("nnll")
        found.append(column(pool, "scores"))
    pool.close()
    return found, list(RELEASED)


OTHER_OPTION = "only"
ALONE = "release_user without release"


@walks("alcore_pool_set_text_column", rows=When(integers([1, 4]), row_count=2), row_count=When(1, rows=integers([1, 4])),
       ownership=Refusal(_ffi.ALCORE_BORROW, OTHER_OPTION), meaning=Refusal(_ffi.ALCORE_MEANS_UNCERTAINTY, OTHER_OPTION), log_base=Refusal(2., OTHER_OPTION),
       offsets=Refusal(b"x", OTHER_OPTION), format=Refusal(b"txt", OTHER_OPTION), release=Refusal(released, "ALCORE_BORROW"),
       release_user=Refusal(1, ALONE), stream=Refusal(1, OTHER_OPTION),
       on_device=Refusal(1, OTHER_OPTION), shape=Refusal(_ffi.ALCORE_COLUMN_RAGGED, OF_ARROW))
def set_text_column(options):
    pool, count = texts_pool(), options.row_count or len(TEXTS)
    ask("alcore_pool_set_text_column", pool, b"roundtrip", strings(TEXTS[:count]), None, count, ctypes.byref(options))
    return [lib.alcore_pool_column_text(pool._handle, b"roundtrip", row, None) is None for row in range(len(TEXTS))]


def arrow_type(format, *children):
    return types.SimpleNamespace(format=format, name="values", children=children, dictionary=None)


def arrow_column(options, pieces):
    """A column of numbers, and one of lists of two numbers, in that many pieces of Arrow; the caller changes its array afterwards."""
    pool, found = texts_pool(), []
    count = options.row_count or len(TEXTS)
    numbers = (ctypes.c_double * (2 * count))(*NUMBERS[:count], *NUMBERS[:count])
    bounds = (ctypes.c_int64 * (count + 1))(*range(0, 2 * count + 2, 2))
    buffers = (ctypes.c_void_p * 2)(None, ctypes.addressof(numbers))
    lists = (ctypes.c_void_p * 2)(None, ctypes.addressof(bounds))
    items = Array(2 * count, 0, 0, 2, 0, buffers)
    children = (ctypes.POINTER(Array) * 1)(ctypes.pointer(items))
    both = {"scores": (arrow_type("g"), Array(count, 0, 0, 2, 0, buffers)),
            "mine": (arrow_type("+L", arrow_type("g")), Array(count, 0, 0, 2, 1, lists, children))}
    for name, (kind, whole) in both.items():
        step = -(-count // pieces)
        parts = [(whole, first, min(step, count - first)) for first in range(0, count, step)]
        if options.meaning and name == "mine" or options.shape and name == "scores":
            continue  # that is of scores, and this of lists
        try:
            _arrow_give.give(pool._handle, name.encode(), ArrowColumn(kind, parts, numbers), options)
        except alcore.Error as error:
            refused = Refused(error.status)
            refused.args = ("%s: %s" % (error.name, error),)
            raise refused from None
        found.append(column_told(pool, name))
    numbers[0] = .75
    found += [column_told(pool, name) for name in pool.columns]
    pool.close()
    return found


ARROW_OPTIONS = {"meaning": _ffi.ALCORE_MEANS_CONFIDENCE, "rows": When(integers([1, 4, 0]), row_count=3),
                 "row_count": When(2, rows=integers([1, 4, 0])), "shape": _ffi.ALCORE_COLUMN_RAGGED,
                 "log_base": Refusal(.5, "log_base is 0.5"),
                 **{name: Refusal(value, "only ownership") for name, value in (
                     ("offsets", b"x"), ("format", b"npy"), ("release", released), ("release_user", 7), ("stream", 1),
                     ("on_device", 1))}}


@walks("alcore_pool_set_column_arrow", ownership=_ffi.ALCORE_BORROW, **ARROW_OPTIONS)
def set_column_arrow(options):
    return arrow_column(options, 1)


@walks("alcore_pool_set_column_stream", ownership=Unread("arrow", "numbers of several arrays are always copied", _ffi.ALCORE_BORROW),
       **ARROW_OPTIONS)
def set_column_stream(options):
    return arrow_column(options, 2)


def names_of_stream(function, handle, options):
    """Names of the columns of a stream that the library hands out."""
    stream, schema = Stream(), Schema()
    ask(function, handle, ctypes.byref(options), ctypes.byref(stream))
    stream.get_schema(ctypes.addressof(stream), ctypes.addressof(schema))
    names = [schema.children[number].contents.name for number in range(schema.n_children)]
    schema.release(ctypes.addressof(schema))
    stream.release(ctypes.addressof(stream))
    return names


TWO_NAMES = strings(["text", "id"])
CHOSEN = {"columns": When(TWO_NAMES, column_count=2), "column_count": When(1, columns=TWO_NAMES)}


@walks("alcore_pool_get_arrow", **CHOSEN)
def pool_get_arrow(options):
    return names_of_stream("alcore_pool_get_arrow", texts_pool(), options)


@walks("alcore_selection_get_arrow", **CHOSEN)
def selection_get_arrow(options):
    return names_of_stream("alcore_selection_get_arrow", texts_pool().select(2, "random"), options)


def npy(name, code, shape, values):
    """A file of numpy's format 1.0."""
    kinds = {"<f8": ctypes.c_double, "<i8": ctypes.c_int64}
    header = ("{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (code, shape)).ljust(117) + "\n"
    return file(name, b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() +
                bytes((kinds[code] * len(values))(*values)))


@walks("alcore_pool_read_column", meaning=_ffi.ALCORE_MEANS_CONFIDENCE, log_base=When(2., meaning=_ffi.ALCORE_MEANS_LOGPROB),
       rows=When(integers([8, 1, 2, 3, 4, 5, 6, 7, 0]), row_count=9), row_count=When(8, rows=integers([8, 1, 2, 3, 4, 5, 6, 7, 0])),
       offsets=lambda: npy("offsets.npy", "<i8", (10,), list(range(10))), format=b"txt",
       ownership=Refusal(_ffi.ALCORE_BORROW, "do not apply"), release=Refusal(released, "ALCORE_BORROW"), release_user=Refusal(1, ALONE), stream=NO_DEVICE,
       on_device=Refusal(1, "do not apply"), shape=Refusal(_ffi.ALCORE_COLUMN_RAGGED, OF_ARROW))
def read_column(options):
    """An array, and lines of numbers in a file without a suffix, which only its format says."""
    def read(name, path):
        pool = texts_pool()
        ask("alcore_pool_read_column", pool, name, path, ctypes.byref(options))
        found = [column_told(pool, name.decode())]
        if name == b"scores":
            found.append(picked(pool))
        if name == b"logprobs" and found[0][0] == _ffi.ALCORE_COLUMN_RAGGED:
            pool.score("nnll")
            found.append(column(pool, "scores"))
        return found
    if options.offsets:  # of arrays
        return read(b"logprobs", npy("tokens.npy", "<f8", (9,), [-number for number in NUMBERS]))
    tokens = file("tokens.lp", "".join("%d\t-0.%d\n" % (row + 1, row + 1) for row in range(9)))
    found = attempts(lambda path: read(b"scores", path), npy("scores.npy", "<f8", (9,), NUMBERS), file("lines", "0.5\n" * 9))
    return found if options.meaning else found + attempts(lambda path: read(b"logprobs", path), tokens)  # they have one meaning


@walks("alcore_column_writer_new", meaning=_ffi.ALCORE_MEANS_CONFIDENCE, log_base=When(2., meaning=_ffi.ALCORE_MEANS_LOGPROB),
       stream=Unread("pool_column", "for values on a device, on_device and stream apply", 7),
       on_device=Unread("pool_column", "values that are put on a CUDA device are copied to memory of it", 1),
       ownership=Refusal(_ffi.ALCORE_BORROW, OTHER_OPTION), rows=Refusal(integers([1]), OTHER_OPTION), row_count=Refusal(1, "row_count"),
       offsets=Refusal(b"x", OTHER_OPTION), format=Refusal(b"npy", OTHER_OPTION), release=Refusal(released, "ALCORE_BORROW"),
       release_user=Refusal(1, ALONE), shape=Refusal(_ffi.ALCORE_COLUMN_RAGGED, OF_ARROW))
def new_column_writer(options):
    pool = texts_pool()
    writer = Owned("column_writer", "alcore_column_writer_new", pool, b"scores", _ffi.ALCORE_COLUMN_SCALAR, ctypes.byref(options))
    ask("alcore_column_writer_put", writer, integers(range(9)), None, 9, Tensor("d", [9], [-number for number in NUMBERS]))
    ask("alcore_column_writer_finish", writer, _ffi.ALCORE_MISSING_FAIL)
    found = [column_told(pool, "scores"), picked(pool)]
    if options.meaning == 0:  # log-probabilities have one meaning
        writer = Owned("column_writer", "alcore_column_writer_new", pool, b"logprobs", _ffi.ALCORE_COLUMN_RAGGED, ctypes.byref(options))
        ask("alcore_column_writer_put", writer, integers(range(9)), integers([1] * 9), 9, Tensor("d", [9], [-number for number in NUMBERS]))
        ask("alcore_column_writer_finish", writer, _ffi.ALCORE_MISSING_FAIL)
        pool.score("nnll")
        found.append(column(pool, "scores"))
    return found


@walks("alcore_pool_write_column", format=[_ffi.ALCORE_FORMAT_NPY])
def write_column(options):
    return written("alcore_pool_write_column", texts_pool(scores=NUMBERS), b"scores", "tsv", options)


# ---- phrases ----

@walks("alcore_pool_derive_phrases", max_words=2, min_count=2, semi_maximal=1, beyond_limit=1, unknown=1, with_letters=1)
def derive_phrases(options):
    labeled = alcore.Pool(["the hen"], context=CTX)
    phrases = pool_of(Owned("pool", "alcore_pool_derive_phrases", texts_pool(), labeled, ctypes.byref(options)))
    return list(phrases), column(phrases, "semi_maximal")


@walks("alcore_pool_write_phrases", format=[_ffi.ALCORE_FORMAT_TEXT, _ffi.ALCORE_FORMAT_JSONL, _ffi.ALCORE_FORMAT_CSV])
def write_phrases(options):
    phrases = Owned("pool", "alcore_pool_derive_phrases", texts_pool(), None, None)
    return written("alcore_pool_write_phrases", phrases, "tsv", options)


# ---- requests ----

@walks("alcore_request_set_price", "price", base={"amount": 1., "unit": _ffi.ALCORE_UNIT_WORDS}, amount=.12, currency=b"EUR",
       unit=[_ffi.ALCORE_UNIT_ITEMS, Refusal(0, "there is no unit 0")])
def price_of(price):
    with alcore.Request() as request:
        ask("alcore_request_set_price", request, ctypes.byref(price))
        return request.price, request.get("price")


@walks("alcore_job_new", rows=[12, Refusal(5, "but there are 5 rows")], first_row=When(2, rows=12), dataset=b"of May")
def job_of(options):
    with alcore.Request(texts_pool(), strategy="random", budget=3, context=CTX) as request:
        job, state, length = Owned("job", "alcore_job_new", request, ctypes.byref(options)), ctypes.c_int32(), ctypes.c_size_t()
        ask("alcore_job_step", job, ctypes.byref(state))
        return ctypes.string_at(lib.alcore_job_message(job._handle, ctypes.byref(length)), length.value)
