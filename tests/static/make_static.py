#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the folders of static models in tests/static/fixtures, with what the packages make of texts.

    python -m venv venv && venv/bin/pip install model2vec==0.10.0 sentence-transformers==6.2.0 scikit-learn
    venv/bin/python tests/static/make_static.py tests/static/fixtures

model2vec and sentence-transformers write every folder; the tables are random numbers, the tokenizers those of
tests/tokenizer/fixtures. expected.npy [texts, components]: encode() of the package that wrote the folder, of the texts of
tests/tokenizer/fixtures/texts.json and of those below (texts()). It computes in float64 with the numbers that the folder has: sums
of several hundred rows in float32 are a few units of 1e-6 away, and model2vec rounds the results of a table of float16 to
that type. `zero_static` is the layout that sentence-transformers 3 and 4 wrote, which version 6.2 reads."""
import json
import os
import shutil
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import numpy  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOKENIZERS = os.path.join(HERE, "..", "tokenizer", "fixtures")
DIMS = 6


def texts():
    """The texts; some are longer than the limits of the folders, in tokens and in characters."""
    with open(os.path.join(TOKENIZERS, "texts.json"), encoding="utf-8") as file:
        found = [text for text in json.load(file) if text and "\0" not in text]  # a pool has no NUL
    return found + [" ", "\t \n", "\U0001f9ff\U0001f9ff", "the " * 300, "größe" * 200, "x" * 4000, "a\u0301 " * 400]


def tokenizer(family):
    from tokenizers import Tokenizer
    return Tokenizer.from_file(os.path.join(TOKENIZERS, family, "tokenizer.json"))


def random(seed, *shape):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


def static_model(family, dtype="float32", weights=None, quantize=None, **settings):
    """A model of model2vec."""
    from model2vec import StaticModel
    from model2vec.model import quantize_model
    made = tokenizer(family)
    count = made.get_vocab_size()
    weights = None if weights is None else (numpy.abs(random(2, count)) + 0.1).astype(weights)
    model = StaticModel(random(1, count, DIMS), made, weights=weights, **settings)
    if quantize:
        model = quantize_model(model, vocabulary_quantization=quantize)
    return quantize_model(model, quantize_to=dtype)


def model2vec_folders():
    return {"wordpiece": static_model("bert_uncased", normalize=True),
            "unigram_half": static_model("xlmr", "float16", weights="float32", max_length=12),
            "bytes_int8": static_model("gpt2", "int8", max_length=None),
            "quantized": static_model("bert_cased", quantize=40, normalize=True, max_length=20),
            "doubles": static_model("t5", "float64", weights="float64", max_length=5)}


def static_embedding(family, seed=1, truncation=None):
    import torch
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    made = tokenizer(family)
    if truncation:
        made.enable_truncation(truncation)
    return StaticEmbedding(made, embedding_weights=torch.from_numpy(random(seed, made.get_vocab_size(), DIMS)))


def sentence_folders():
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Dense, Normalize

    torch.manual_seed(1)
    plain = SentenceTransformer(modules=[static_embedding("bert_uncased")], device="cpu")
    chain = SentenceTransformer(modules=[static_embedding("xlmr", truncation=9), Dense(DIMS, 8), Normalize(), Dense(
        8, 8, bias=False, activation_function=torch.nn.GELU(), use_residual=True), Normalize()], device="cpu")
    chain.truncate_dim = 5
    chain.prompts = {"query": "frage: ", "document": ""}
    chain.default_prompt_name = "query"
    residual = SentenceTransformer(modules=[static_embedding("roberta", 3), Dense(
        DIMS, 4, activation_function=torch.nn.SiLU(), use_residual=True), Dense(
        4, 7, activation_function=torch.nn.Sigmoid()), Dense(7, 3, activation_function=torch.nn.ReLU()), Dense(
        3, 3, activation_function=torch.nn.Identity())], device="cpu")
    brain = SentenceTransformer(modules=[static_embedding("bert_cased", 4)], device="cpu").to(torch.bfloat16)
    return {"plain": plain, "chain": chain, "residual": residual, "brain": brain}


def in_double(model):
    """The same model with the same numbers, which computes in float64."""
    import copy
    model = copy.deepcopy(model)
    if not hasattr(model, "embedding_dtype"):
        return model.double()
    model.embedding = model.embedding.astype(numpy.float64)
    return model


def write_expected(folder, model):
    numpy.save(os.path.join(folder, "expected.npy"), numpy.asarray(in_double(model).encode(texts()), dtype=numpy.float32))
    if os.path.exists(os.path.join(folder, "README.md")):
        os.remove(os.path.join(folder, "README.md"))


def make_zero(source, folder):
    """The folder as sentence-transformers 3 wrote it."""
    from sentence_transformers import SentenceTransformer
    os.makedirs(os.path.join(folder, "0_StaticEmbedding"))
    for name in ("model.safetensors", "tokenizer.json"):
        shutil.copy(os.path.join(source, name), os.path.join(folder, "0_StaticEmbedding"))
    shutil.copy(os.path.join(source, "config_sentence_transformers.json"), folder)
    with open(os.path.join(folder, "modules.json"), "w", encoding="utf-8") as file:
        json.dump([{"idx": 0, "name": "0", "path": "0_StaticEmbedding", "type": "sentence_transformers.models.StaticEmbedding"}],
                  file, indent=2)
    write_expected(folder, SentenceTransformer(folder, device="cpu"))


def main():
    target = sys.argv[1]
    shutil.rmtree(target, ignore_errors=True)
    for name, model in model2vec_folders().items():
        model.save_pretrained(os.path.join(target, name))
        write_expected(os.path.join(target, name), model)
    for name, model in sentence_folders().items():
        model.save(os.path.join(target, name), create_model_card=False)
        write_expected(os.path.join(target, name), model)
    make_zero(os.path.join(target, "plain"), os.path.join(target, "zero_static"))
    with open(os.path.join(target, "texts.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": text}) + "\n" for text in texts())


if __name__ == "__main__":
    main()
