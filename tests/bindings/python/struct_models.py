# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the structs of contexts and models. Models of folders are those of the null module
(tests/unit/model/module/null_model.c), which logs the settings that it is given and computes with those that a test can see."""
import ctypes
import os
import time

import alcore
from alcore import _ffi
from alcore._handles import Handle
from struct_world import (CTX, FOLDER, TEXTS, Owned, Refusal, Refused, Unread, When, ask, column, file, lib, log_lines, result, struct_of, told,
                          walks)

# ---- contexts ----

EVENTS = set()
FIELDS = dict(_ffi.alcore_ctx_options._fields_)
log = _ffi.alcore_log_function(lambda user, level, component, message, fields: EVENTS.add(("log", user, message)))
progress = _ffi.alcore_progress_function(lambda user, stage, done, total: EVENTS.add(("progress", user, stage)) or 0)
log_destroy = FIELDS["log_destroy"](lambda user: EVENTS.add(("log_destroy", user)))
progress_destroy = FIELDS["progress_destroy"](lambda user: EVENTS.add(("progress_destroy", user)))
libc = ctypes.CDLL(None)
for function in (libc.malloc, libc.realloc, libc.free):
    function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t][:1 + (function is libc.realloc)]
libc.malloc.argtypes = [ctypes.c_size_t]


def allocator():
    kinds = dict(_ffi.alcore_allocator._fields_)
    return struct_of(_ffi.alcore_allocator, {
        "allocate": kinds["allocate"](lambda user, bytes: EVENTS.add("allocate") or libc.malloc(bytes)),
        "reallocate": kinds["reallocate"](lambda user, memory, old, bytes: libc.realloc(memory, bytes)),
        "release": kinds["release"](lambda user, memory, bytes: libc.free(memory) and None)})


CONTENT = b"from memory\nnot from a disk \xff\n"


def files(seconds=0):
    """Every file has the content above, which is read after so many seconds."""
    kinds = dict(_ffi.alcore_files._fields_)

    def opened(user, path, mode, out):
        ctypes.c_void_p.from_address(out).value = 1
        return _ffi.ALCORE_OK

    def read(user, opened, offset, buffer, bytes, out):
        time.sleep(seconds)
        part = CONTENT[offset:offset + bytes]
        ctypes.memmove(buffer, part, len(part))
        ctypes.c_size_t.from_address(out).value = len(part)
        return _ffi.ALCORE_OK

    def length(user, opened, out):
        ctypes.c_int64.from_address(out).value = len(CONTENT)
        return _ffi.ALCORE_OK

    return struct_of(_ffi.alcore_files, {"open": kinds["open"](opened), "read": kinds["read"](read), "length": kinds["length"](length),
                                         "close": kinds["close"](lambda user, opened: _ffi.ALCORE_OK)})


SLOW = files(.11)  # progress is called every 100 ms
TORCH_DIR = b"/nowhere"
plain = Owned("ctx", "alcore_ctx_new", None)
if lib.alcore_model_check_engine(plain._handle) == _ffi.ALCORE_OK:  # which loads a libtorch
    TORCH_DIR = Unread("context", "on which Hugging Face models run where the process has", TORCH_DIR)


@walks("alcore_ctx_new", allocator=allocator, files=files, log=log, log_user=When(7, log=log), log_destroy=log_destroy,
       progress=When(progress, files=SLOW), progress_user=When(7, progress=progress, files=SLOW), progress_destroy=progress_destroy,
       module_dir=os.fsencode(os.environ["NULL_MODEL_MODULE"]), seed=1, threads=[1, 3], torch_dir=TORCH_DIR)
def new_context(options):
    EVENTS.clear()
    owned = Owned("ctx", "alcore_ctx_new", ctypes.byref(options))
    context = alcore.Context.__new__(alcore.Context)
    context._number = None
    Handle.__init__(context, lib.alcore_ctx_ref(owned._handle), None)
    replacing = struct_of(_ffi.alcore_pool_options, {"utf8": _ffi.ALCORE_UTF8_REPLACE})
    made = Owned("pool", "alcore_pool_new", owned, ctypes.byref(replacing))
    pool = alcore.Pool.borrowed(made._handle, context)
    ask("alcore_pool_read", pool, file("pool.txt", b"one\ntwo\nthree \xff\n" + b"\n".join(b"row %d" % row for row in range(30))), None)
    picked = pool.select(2, "random")
    picks = list(picked.indices) if len(pool) > 2 else None  # of the two rows in memory both are picked
    try:
        Owned("model", "alcore_model_open", owned, folder("plain", '{"dims": 3}'), None)
        opened = "opened"
    except Refused as error:
        opened = str(error)
    found = [context.threads, list(pool)[:2], picks, opened]
    picked.close()
    pool.close()
    context.close()
    del made, owned
    return found, set(EVENTS)


KINDS = {name: dict(getattr(_ffi, name)._fields_) for name in ("alcore_allocator", "alcore_files")}


def noting(table, name, call, note=""):
    """A function of a table that notes each call with its first argument, user."""
    return KINDS[table][name](lambda user, *more: (EVENTS.add((note, name, user)), call(*more))[1])


# Functions of an allocator without their first argument.
MEMORY = {"allocate": libc.malloc, "reallocate": lambda memory, old, bytes: libc.realloc(memory, bytes),
          "release": lambda memory, bytes: libc.free(memory) and None}


@walks("alcore_ctx_new", "options.allocator", user=7,
       base={name: noting("alcore_allocator", name, call) for name, call in MEMORY.items()},
       **{name: noting("alcore_allocator", name, call, "another") for name, call in MEMORY.items()})
def context_of_allocator(table):
    """A pool whose texts outgrow their first block."""
    EVENTS.clear()
    owned = Owned("ctx", "alcore_ctx_new", ctypes.byref(struct_of(_ffi.alcore_ctx_options, {"allocator": table})))
    pool = Owned("pool", "alcore_pool_new", owned, None)
    ask("alcore_pool_read", pool, file("many.txt", "".join("text %d\n" % row for row in range(5000))), None)
    rows = lib.alcore_pool_row_count(pool._handle)
    del pool, owned
    return rows, set(EVENTS)


def give(address, kind, value):
    kind.from_address(address).value = value
    return _ffi.ALCORE_OK


def read_content(opened, offset, buffer, bytes, out):
    part = CONTENT[offset:offset + bytes]
    ctypes.memmove(buffer, part, len(part))
    return give(out, ctypes.c_size_t, len(part))


# Functions of files without their first argument; "refused" cannot be given as a name.
DISK = {"open": lambda path, mode, out: give(out, ctypes.c_void_p, 1), "read": read_content,
        "write": lambda opened, data, bytes: _ffi.ALCORE_OK,
        "length": lambda opened, out: give(out, ctypes.c_int64, len(CONTENT)), "sync": lambda opened: _ffi.ALCORE_OK,
        "close": lambda opened: _ffi.ALCORE_OK,
        "rename": lambda old, new: _ffi.ALCORE_E_IO if b"refused" in new else _ffi.ALCORE_OK,
        "remove": lambda path: _ffi.ALCORE_OK, "destroy": lambda: None}


@walks("alcore_ctx_new", "options.files", user=7,
       base={name: noting("alcore_files", name, call) for name, call in DISK.items() if name != "destroy"},
       **{name: noting("alcore_files", name, call, "another") for name, call in DISK.items()})
def context_of_files(table):
    """A pool that is read, and written twice: to a file that cannot get its name, and to one that can."""
    EVENTS.clear()
    owned = Owned("ctx", "alcore_ctx_new", ctypes.byref(struct_of(_ffi.alcore_ctx_options, {"files": table})))
    replacing = struct_of(_ffi.alcore_pool_options, {"utf8": _ffi.ALCORE_UTF8_REPLACE})
    pool = Owned("pool", "alcore_pool_new", owned, ctypes.byref(replacing))
    ask("alcore_pool_read", pool, b"anything.txt", None)
    try:
        ask("alcore_pool_write", pool, None, 0, b"refused.tsv", None)
    except Refused as error:
        EVENTS.add(str(error))
    ask("alcore_pool_write", pool, None, 0, b"pool.tsv", None)
    rows = lib.alcore_pool_row_count(pool._handle)
    del pool, owned
    return rows, set(EVENTS)


# ---- models ----

WORDS = "[PAD] [UNK] [CLS] [SEP] the red cat ran home a dog sat hen again word".split()


def folder(name, config):
    file(name + "/vocab.txt", "".join(word + "\n" for word in WORDS))
    return os.path.dirname(file(name + "/config.json", config))


def ran(model, name, pool=None):
    """A column that a model makes."""
    pool = pool or alcore.Pool(TEXTS[:4] + TEXTS[5:], context=CTX)  # a repeated text has no value
    ask("alcore_model_run", model, pool, name.encode())
    return column(pool, name)


@walks("alcore_model_new_ngram", dims=8, seed=1, order=1)
def new_ngram(options):
    model = Owned("model", "alcore_model_new_ngram", CTX, None, ctypes.byref(options))
    return ran(model, "embeddings"), ran(model, "logprobs")


@walks("alcore_model_open", device=b"cpu", dtype=_ffi.ALCORE_BFLOAT16, pooling=_ffi.ALCORE_POOLING_MAX, layer=1,
       normalize=_ffi.ALCORE_NORMALIZE_UNIT, max_tokens=4, batch_tokens=100, stride=0,
       prompt=Refusal(b"red ", "no prompt can be"), prompt_name=Refusal(b"nobody", "it has none"))
def open_model(options):
    """What the module is told, and the windows that the context of a question is cut into."""
    with log_lines() as lines:
        model = Owned("model", "alcore_model_open", CTX, folder("ids", '{"dims": 3, "tokens": 1, "longest": 12}'),
                      ctypes.byref(options))
    pool = alcore.Pool(["the"], context=CTX)
    pool.set_column("qa_contexts", ["the red cat ran home again and a dog sat there as the red cat had sat before it ran"])
    return lines, ran(model, "qa_windows", pool), ran(model, "embeddings")


def translated(options, config):
    model = Owned("model", "alcore_model_open", CTX, folder("translator", config), None)
    with log_lines() as lines:
        out = Owned("pool", "alcore_model_translate", model, alcore.Pool(TEXTS[:2], context=CTX), ctypes.byref(options))
    pool = alcore.Pool.borrowed(out._handle, CTX)
    return lines, list(pool)


@walks("alcore_model_translate", max_tokens=7, length_penalty=.5, temperature=.25, seed=3, beams=5, sample=1,
       language=When(b"de_DE", best=2), best=2)
def translate(options):
    return translated(options, '{"dims": 3}')


PAIRS = (["the cat", "the dog", "a cat"], ["0", "1", "1"])
CHECKPOINTS = FOLDER / "checkpoints"


def pairs(count):
    return alcore.Pool(PAIRS[0][:count], references=PAIRS[1][:count], context=CTX)


THIRD = {"updates": 6, "validate_every": 3, "validation": pairs(2)}
VALIDATED = {"updates": 6, "validate_every": 1, "validation": pairs(2)}


@walks("alcore_model_train", base={"updates": 2}, rate=.5, weight_decay=.25, clip=2., label_smoothing=.125, updates=5, warmup=1,
       accumulate=3, batch_tokens=50, seed=9, checkpoints=os.fsencode(CHECKPOINTS),
       # The first validation fails, as its folder cannot be made: the checkpoint before it is left.
       checkpoint_every=When(1, checkpoints=os.fsencode(CHECKPOINTS), best=file("no folder", "") + b"/best", **THIRD),
       schedule=_ffi.ALCORE_SCHEDULE_COSINE, optimizer=_ffi.ALCORE_OPTIMIZER_ADAM, beta1=.5, beta2=.75, epsilon=.125, weights=b"weights",
       validation=When(pairs(2), updates=6, validate_every=1), best=When(os.fsencode(FOLDER / "best"), **VALIDATED),
       validate_every=When(3, updates=6, validation=pairs(2)), patience=When(1, **VALIDATED),
       metric=When(_ffi.ALCORE_VALIDATE_BLEU, **VALIDATED), precision=_ffi.ALCORE_PRECISION_BFLOAT16, recompute=1, labels=b"classes",
       lora_rank=2, lora_alpha=When(4., lora_rank=2), lora_dropout=When(.5, lora_rank=2), lora_targets=When(b"q", lora_rank=2))
def train(options):
    """What the module is told, what a training gives, and the folders that it leaves."""
    for path in sorted(FOLDER.glob("checkpoints*/*")) + sorted(FOLDER.glob("best/*")):
        path.unlink()
    # With labels the model has to classify tokens; calls are the bits of alcore/sys/model.h for
    # that, for training and for saving.
    config = '{"dims": 3, "tokens": 1, "best": 3%s}' % (', "calls": 392' if options.labels else "")
    model = Owned("model", "alcore_model_open", CTX, folder("trained", config), None)
    found, pool = result(_ffi.alcore_train_result), pairs(3)
    pool.set_column("weights", [1., 2., 3.])
    pool.set_column("classes", ([0, 1, 1, 0, 0, 1], [0, 2, 4, 6]))
    refused = None
    with log_lines() as lines:
        try:
            ask("alcore_model_train", model, pool, ctypes.byref(options), ctypes.byref(found))
        except Refused as error:  # a folder that cannot be made; a checkpoint from before is left
            if not any(CHECKPOINTS.glob("*")):
                raise
            refused = str(error)
    ask("alcore_model_save", model, os.fsencode(FOLDER / "saved"))
    made = {str(path.relative_to(FOLDER)): path.read_bytes() for path in FOLDER.glob("best/*")}
    made["saved"] = (FOLDER / "saved" / "config.json").read_bytes()
    made.update((str(path.relative_to(FOLDER)), path.read_bytes()) for path in FOLDER.glob("checkpoints*/*"))
    answers = told(found)
    del answers["seconds"]
    return lines, answers, made, refused
