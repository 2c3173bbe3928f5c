#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kinds of folders that people have in 2026: each opens and gives what it is used for, or is refused by its name with the reason. The
numbers are compared with the packages' elsewhere (test_torch_models.c, test_model_keys.py, test_modules.py). In TAP.
usage: test_folder_kinds.py ROOT BUILD"""
import math
import os
import sys

ROOT, BUILD = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, "tests", name) for name in ("tools", "torch")] + [os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from model_keys_folder import TEXTS, make_folder, write  # noqa: E402
from tap import Tap  # noqa: E402

HERE = os.path.join(ROOT, "tests", "torch")


def chain(*kinds, pooling="mean", width=16):
    """The files of a sentence-transformers folder with these modules behind the pooling."""
    modules = [{"idx": i, "name": str(i), "path": "%d_%s" % (i, kind) if i else "", "type": "sentence_transformers.models." + kind}
               for i, kind in enumerate(("Transformer", "Pooling") + kinds)]
    files = {"modules.json": modules, "1_Pooling/config.json": {"pooling_mode": pooling}}
    for i, kind in enumerate(kinds, 2):
        if kind == "Dense":
            files["%d_Dense/config.json" % i] = {"in_features": width, "out_features": 12, "bias": False,
                                                 "activation_function": "torch.nn.modules.linear.Identity"}
            files["%d_Dense/model.safetensors" % i] = {"linear.weight": [12, width]}
    return files


# name, fixture, files of it that change, column, whether embeddings have length 1
OPEN = [
    ("CamemBERT", "camembert", {}, "embeddings", False),
    ("mpnet (all-mpnet-base-v2)", "mpnet", chain("Normalize"), "embeddings", True),
    ("ELECTRA", "electra", {}, "embeddings", False),
    ("ALBERT", "albert", {}, "embeddings", False),
    ("DeBERTa-v2", "deberta-wide", {}, "embeddings", False),
    ("DeBERTa-v3", "deberta", {}, "embeddings", False),
    ("XLM-R-XL", "xlmrobertaxl", {}, "embeddings", False),
    ("ModernBERT", "modernbert", {}, "embeddings", False),
    ("mmBERT", "modernbert-biased", {}, "embeddings", False),
    ("EuroBERT", "eurobert", {}, "embeddings", False),
    ("nomic-bert (nomic-embed-text)", "nomic", chain("Normalize"), "embeddings", True),
    ("sentence-t5, gtr", "t5-encoder", chain("Dense", "Normalize", width=8), "embeddings", True),
    ("gte (thenlper)", "bert", chain("Normalize"), "embeddings", True),
    ("gte-modernbert", "modernbert", chain("Normalize", pooling="cls"), "embeddings", True),
    ("gte-Qwen2", "qwen2", chain("Normalize", pooling="lasttoken"), "embeddings", True),
    ("EmbeddingGemma", "gemma3-embedding", chain("Normalize"), "embeddings", True),
    ("Qwen3-Embedding", "qwen3-embedding", chain("Normalize", pooling="lasttoken"), "embeddings", True),
    ("LaBSE", "bert", chain("Dense", "Normalize", pooling="cls"), "embeddings", True),
    ("Llama", "llama", {}, "logprobs", False),
    ("Mistral", "mistral", {}, "logprobs", False),
    ("Qwen2", "qwen2", {}, "logprobs", False),
    ("Qwen3", "qwen3", {}, "logprobs", False),
    ("Gemma 3", "gemma3", {}, "logprobs", False),
]
# name, model_type, words of the error
REFUSED = [("gte-multilingual", "new", ("'new'", "gte")), ("GTE of the package's own code", "gte", ("'gte'",)),
           ("Gemma 3 with images", "gemma3", ("'gemma3'",)), ("Llama 4", "llama4", ("'llama4'", "decoder-only")),
           ("DeBERTa before version 2", "deberta", ("'deberta'",))]


def every_kind_opens(box):
    for number, (name, fixture, files, column, is_unit) in enumerate(OPEN):
        path = os.path.join(box, str(number))
        make_folder(os.path.join(HERE, "fixtures", fixture), files, path)
        model, pool = alcore.Model.open(path), alcore.Pool(TEXTS)
        assert model.can(column), name
        model.run(pool, column)
        values = pool.get_column(column)
        rows = values.tolist() if column == "embeddings" else [values[0].tolist()]
        assert all(row and all(map(math.isfinite, row)) for row in rows), name
        if column == "logprobs":
            assert all(value <= 0 for row in rows for value in row), name
        if is_unit:
            assert all(abs(sum(x * x for x in row) - 1) < 1e-5 for row in rows), name


def static_ones_open(box):
    for name in sorted(os.listdir(os.path.join(ROOT, "tests", "static", "fixtures"))):
        path = os.path.join(ROOT, "tests", "static", "fixtures", name)
        if os.path.isdir(path):
            assert len(alcore.Model.open(path).embed(["a b"]).tolist()[0]) > 0, name


def others_are_refused_by_name(box):
    for name, kind, words in REFUSED:
        path = os.path.join(box, kind)
        make_folder(os.path.join(HERE, "fixtures", "bert"), {}, path)
        write(path, "config.json", {"model_type": kind, "architectures": ["OwnModel"]})
        try:
            alcore.Model.open(path)
        except alcore.Error as error:
            assert all(word in str(error) for word in words), "%s: %s" % (name, error)
        else:
            raise AssertionError(name + " opens")


def main():
    tap = Tap()
    tap.run([every_kind_opens, static_ones_open, others_are_refused_by_name])
    tap.finish()


main()
