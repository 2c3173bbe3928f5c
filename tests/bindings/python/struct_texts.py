# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the structs of texts: language models, word alignment, tokenizers, annotations, training sets and selections."""
import ctypes
import os

import alcore
from alcore import _ffi
from struct_world import (CTX, NUMBERS, ROOT, SOURCES, TARGETS, Owned, Refusal, Tensor, When, ask, doubles, file, integers, lengths,
                          lib, strings, texts_pool, walks, written)

ENGLISH, GERMAN = strings(SOURCES), strings(TARGETS)

# ---- language models and word alignment ----


DISCOUNTS = doubles([.5, 1, 1.5] * 4)  # of the four orders


@walks("alcore_lm_new_trained", order=2, discounts=When(DISCOUNTS, discount_count=12), discount_count=When(12, discounts=DISCOUNTS))
def train_lm(options):
    lm, found = Owned("lm", "alcore_lm_new_trained", CTX, ENGLISH, None, len(SOURCES), ctypes.byref(options)), Tensor("d", [20])
    ask("alcore_lm_score", lm, ENGLISH, None, 20, found)
    return repr(found)


def links_of(owned):
    offsets, pairs = _ffi.alcore_tensor(), _ffi.alcore_tensor()
    ask("alcore_links_get", owned, ctypes.byref(offsets), ctypes.byref(pairs))
    bounds = list((ctypes.c_int64 * (len(SOURCES) + 1)).from_address(offsets.data))
    return bounds, list((ctypes.c_int32 * (2 * bounds[-1])).from_address(pairs.data))


ALIGNER = {"model": _ffi.ALCORE_ALIGNER_IBM1, "estimate": _ffi.ALCORE_ESTIMATE_COUNTS,
           "tension": [_ffi.ALCORE_TENSION_GRADIENT, _ffi.ALCORE_TENSION_PUBLIC], "iterations": 2, "p0": .3, "lambda": 9., "alpha": 1.}


@walks("alcore_aligner_new_trained", direction=_ffi.ALCORE_DIRECTION_REVERSE, **ALIGNER)
def train_aligner(options):
    aligner = Owned("aligner", "alcore_aligner_new_trained", CTX, ENGLISH, None, GERMAN, None, len(SOURCES), ctypes.byref(options))
    curve = _ffi.alcore_tensor()
    ask("alcore_aligner_log_likelihoods", aligner, ctypes.byref(curve))
    count = ctypes.c_int64.from_address(curve.shape).value
    return list((ctypes.c_double * count).from_address(curve.data)), \
        links_of(Owned("links", "alcore_aligner_links", aligner)), lib.alcore_aligner_lambda(aligner._handle)


@walks("alcore_align", direction=Refusal(_ffi.ALCORE_DIRECTION_REVERSE, "direction"), **ALIGNER)
def align(options):
    return links_of(Owned("links", "alcore_align", CTX, ENGLISH, None, GERMAN, None, len(SOURCES), None, ctypes.byref(options),
                          None))


# ---- tokenizers ----

@walks("alcore_tokenizer_encode", language=b"fr_XX", max_tokens=5, without_special=1, as_target=1)
def encode(options):
    tokenizer = alcore.Tokenizer(ROOT / "tests" / "tokenizer" / "fixtures" / "mbart", context=CTX)
    tokens = Owned("tokens", "alcore_tokenizer_encode", tokenizer, strings(["one small house"]), None, None, None, 1,
                   ctypes.byref(options))
    views = [_ffi.alcore_tensor() for _ in range(5)]
    ask("alcore_tokens_get", tokens, *map(ctypes.byref, views))
    count = ctypes.c_int64.from_address(views[1].shape).value
    return list((ctypes.c_int64 * count).from_address(views[1].data))


# In place of the program of sentencepiece one that fails and says which arguments and texts it was
# given.
TRAINER = "#!/bin/sh\necho \"$* $(cksum <texts)\"\nexit 1\n"


@walks("alcore_tokenizer_train_vocabulary", coverage=.99, tokens=100, max_texts=5, seed=When(1, max_texts=5), kind=_ffi.ALCORE_VOCABULARY_BPE,
       byte_fallback=1)
def train_tokenizer(options):
    os.chmod(file("bin/spm_train", TRAINER), 0o700)
    path = os.environ["PATH"]
    os.environ["PATH"] = os.fsdecode(file("bin")) + os.pathsep + path
    try:
        status = lib.alcore_tokenizer_train_vocabulary(CTX._handle, ENGLISH, None, len(SOURCES), file("made.model"), ctypes.byref(options))
    finally:
        os.environ["PATH"] = path
    said = lib.alcore_last_error().decode()
    if status != _ffi.ALCORE_E_DATA:
        ask("alcore_tokenizer_train_vocabulary", CTX, ENGLISH, None, len(SOURCES), file("made.model"), ctypes.byref(options))
    return said


# ---- annotations and training sets ----

def items_of(annotations):
    return [tuple(item) for item in annotations], annotations.spent


@walks("alcore_annotations_add", "records", base={"texts": strings(["the red cat sat", "red cat"]), "count": 2},
       texts=strings(["the red cat sat", "red hen"]), text_lengths=lengths([3, 7]), count=1, kinds=strings(["sent", "phrase"]),
       ids=strings(["x", "y"]), rows=integers([1, -1]), costs=doubles([7, 0]), translations=strings(["die rote", None]),
       translation_lengths=When(lengths([3, 0]), translations=strings(["die rote", None])))
def add_annotations(options):
    annotations = alcore.Annotations(texts_pool())
    ask("alcore_annotations_add", annotations, ctypes.byref(options))
    return items_of(annotations)


def annotated(answered=True):
    annotations = alcore.Annotations(texts_pool())
    annotations.add(["the red cat sat", "a dog", "red cat"], kinds=["sent", "phrase", "phrase"], rows=[1, 3, 0],
                    translations=["die rote Katze sitzt", "ein Hund", "rote Katze"] if answered else None)
    return annotations


@walks("alcore_annotations_answer", "answers", base={"items": integers([0, 2]), "translations": strings(["eins", "zwei"]), "count": 2},
       items=integers([1, 2]), count=1, translations=strings(["eins", "drei"]), translation_lengths=lengths([2, 4]),
       ids=strings(["4", "3"]), texts=When(strings(["the red cat sat", "a dog"]), items=None, ids=strings(["1", "1"])),
       statuses=strings(["skip", None]))
def answer_annotations(options):
    annotations = alcore.Annotations(texts_pool())
    annotations.add(["the red cat sat", "a dog", "red cat"], ids=["1", "1", "3"])
    ask("alcore_annotations_answer", annotations, ctypes.byref(options))
    return items_of(annotations)


TABLES = {"format": [_ffi.ALCORE_FORMAT_JSONL, _ffi.ALCORE_FORMAT_CSV]}
TABLES_AND_TEXT = {"format": [_ffi.ALCORE_FORMAT_TEXT, *TABLES["format"]]}


@walks("alcore_annotations_write", **TABLES_AND_TEXT)
def write_annotations(options):
    return written("alcore_annotations_write", annotated(), "tsv", options)


@walks("alcore_annotations_write_requests", **TABLES)
def write_requests(options):
    return written("alcore_annotations_write_requests", annotated(False), "tsv", options)


LABELED = ["the red dog ran home again", "a cat sat on the red mat", "one red hen ran", "two red dogs and a cat", "a mat", "the dog sat",
           "the red cat ran", "my dog and my cat", "a mat", "a mat", "the red cat ran"]
REFERENCES = ["der rote Hund lief wieder heim", "eine Katze sitzt auf der roten Matte", "eine rote Henne lief", "zwei rote Hunde",
              "eine Matte", "der Hund sitzt", "die rote Katze lief", "mein Hund und meine Katze", "die Matte", "Matte",
              "die rote Katze rannte"]
KINDS = {name: {"kind": name.encode(), "count": 4} for name in ("random", "retrieved", "switched", "contextualized")}


def own_links():
    """Every source word is linked to the first target word."""
    return alcore.Links([[(word, 0) for word in range(len(text.split()))] for text in LABELED], context=CTX)


class Lengths:
    """A model whose embeddings are the lengths of texts and their first letters."""

    def embed(self, texts):
        return [[float(len(text)), float(ord(text[0]) % 7)] for text in texts]


@walks("alcore_mix_new", base=KINDS["switched"], kind=b"random+switched",
       span=[When(b"minmax", links=own_links()), When(b"literal", links=own_links())],
       device=Refusal(b"nonsense", "nonsense", **KINDS["retrieved"]),
       model=When(lambda: alcore.Model(Lengths(), context=CTX), **KINDS["retrieved"]),
       lm=lambda: alcore.LanguageModel(["the cat cat cat", "zebra"], order=1, context=CTX), links=own_links, count=2,
       subset=When(3, **KINDS["random"]), k=When(1, **KINDS["retrieved"]), upsample_phrase=3, round=When(2, **KINDS["random"]),
       seed=When(1, **KINDS["random"]), unique=When(1, **{**KINDS["retrieved"], "count": 10}), norm=When(1, **KINDS["contextualized"]))
def mix(options):
    labeled, annotations = alcore.Pool(LABELED, references=REFERENCES, dedup="none", context=CTX), annotated()
    made = alcore.TrainingSet.__new__(alcore.TrainingSet)
    owned = Owned("mix", "alcore_mix_new", CTX, labeled, annotations.pool, annotations,
                  ctypes.byref(options))
    made._pointer, made._ctx = lib.alcore_mix_ref(owned._handle), CTX
    return [(tuple(pair), [repr(made.column(name).tolist()[row]) for name in made.column_names()]) for row, pair in enumerate(made)]


@walks("alcore_mix_write", **TABLES_AND_TEXT)
def write_mix(options):
    annotations = annotated()
    return written("alcore_mix_write", alcore.mix(None, annotations.pool, annotations), "tsv", options)


# ---- selections ----

@walks("alcore_selection_write", **TABLES_AND_TEXT)
def write_selection(options):
    return written("alcore_selection_write", texts_pool(scores=NUMBERS).select(3, "nnll"), "tsv", options)


@walks("alcore_selection_report", kind=[_ffi.ALCORE_REPORT_JSON, _ffi.ALCORE_REPORT_HTML])
def report_selection(options):
    return written("alcore_selection_report", texts_pool(scores=NUMBERS).select(3, "nnll"), "md", options)
