#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Heads, settings and folders that are not the usual ones, through the front ends: what columns of sigmoids mean, what is refused
and why. The numbers themselves are compared with transformers in test_torch_models.c. In TAP.
usage: test_model_heads.py ALCORE ROOT BUILD"""
import json
import math
import os
import resource
import shutil
import subprocess
import sys

ALCORE, ROOT, BUILD = sys.argv[1:4]
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from tap import Tap  # noqa: E402

FIXTURES = os.path.join(ROOT, "tests", "torch", "fixtures")
WORDS = ["[PAD]", "<s>", "[CLS]", "[SEP]", "[UNK]"] + ["w%d" % k for k in range(55)]
TEXTS = ["w1 w2 w3", "w4 w5", "w6 w7 w8 w9", "w10 w20 w30"]


def folder(box, name, **changes):
    """A copy of a fixture with a tokenizer of words, and with changes of config.json; None takes a key out."""
    path = os.path.join(box, "folder")
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(os.path.join(FIXTURES, name), path)
    with open(os.path.join(path, "vocab.txt"), "w", encoding="utf-8") as file:
        file.write("\n".join(WORDS) + "\n")
    if changes:
        at = os.path.join(path, "config.json")
        with open(at, encoding="utf-8") as file:
            config = json.load(file)
        config.update(changes)
        with open(at, "w", encoding="utf-8") as file:
            json.dump({key: value for key, value in config.items() if value is not None}, file)
    return path


def probs_of(model):
    """What the column probs has for each text."""
    pool = alcore.Pool(TEXTS)
    model.run(pool, "probs")
    return pool.get_column("probs").tolist()


def refused(path, *words, error=alcore.Error):
    try:
        alcore.Model.open(path)
    except error as caught:
        for word in words:
            assert word in str(caught), (word, str(caught))
        return
    raise AssertionError("%s opened" % path)


def sigmoids_are_binary_columns(box):
    model = alcore.Model.open(folder(box, "bert-reranker"))
    probs = [row[0] for row in probs_of(model)]
    assert all(0 < p < 1 for p in probs) and len(set(probs)) == len(TEXTS), probs
    best = alcore.select(TEXTS, 1, "uncertainty", model=model).indices[0]
    assert abs(probs[best] - 0.5) == min(abs(p - 0.5) for p in probs), (best, probs)


def independent_labels_are_multilabel_columns(box):
    model = alcore.Model.open(folder(box, "roberta-multilabel"))
    rows = [list(row) for row in probs_of(model)]
    assert any(abs(sum(row) - 1) > 0.01 for row in rows), rows
    assert model.info["description"]["class_values"] == "independent", model.info
    margins = [sum(abs(p - 0.5) for p in row) for row in rows]
    best = alcore.select(TEXTS, 1, "lc", model=model).indices[0]
    assert margins[best] == min(margins), (best, margins)


def cached_columns_keep_their_meaning(box):
    path, cache = folder(box, "bert-reranker"), os.path.join(box, "cache")
    picks = []
    for _ in range(2):
        model = alcore.Model.open(path)
        model.set_cache(cache)
        picks.append(list(alcore.select(TEXTS, 2, "uncertainty", model=model).indices))
    assert picks[0] == picks[1], picks


def values_are_given_and_not_scored(box):
    model = alcore.Model.open(folder(box, "distilbert-regression"))
    values = [row[0] for row in probs_of(model)]
    assert any(not 0 <= value <= 1 for value in values), values
    try:
        alcore.select(TEXTS, 1, "uncertainty", model=model)
    except alcore.Error as error:
        assert "probs" in str(error), error
    else:
        raise AssertionError("a regression has no probabilities")


def heads_are_what_config_json_says(box):
    refused(folder(box, "bert-reranker", problem_type="ranking"), "problem_type", "ranking", "multi_label_classification")
    refused(folder(box, "bert-reranker", sentence_transformers={"activation_fn": "torch.nn.modules.activation.Tanh"}), "activation.Tanh",
            "Sigmoid")
    older = folder(box, "bert-reranker", sbert_ce_default_activation_function="torch.nn.modules.linear.Identity")
    assert any(not 0 <= row[0] <= 1 for row in probs_of(alcore.Model.open(older)))
    # sentence-transformers 6.2 writes the function into a file of its own.
    path = folder(box, "bert-reranker")
    with open(os.path.join(path, "config_sentence_transformers.json"), "w", encoding="utf-8") as file:
        file.write('{"model_type": "CrossEncoder", "activation_fn": "torch.nn.modules.linear.Identity"}')
    assert any(not 0 <= row[0] <= 1 for row in probs_of(alcore.Model.open(path)))
    plain = [row[0] for row in probs_of(alcore.Model.open(folder(box, "bert-identity")))]
    assert any(not 0 <= value <= 1 for value in plain), plain


def such_heads_are_not_trained(box):
    model = alcore.Model.open(folder(box, "bert-reranker"))
    try:
        model.train(alcore.Pool(TEXTS, references=["0", "0", "0", "0"]), updates=1)
    except alcore.Error as error:
        assert "independent" in str(error) and "transformers" in str(error), error
    else:
        raise AssertionError("one label was trained as a class")


def settings_that_cannot_be_are_named(box):
    for key, value in (("num_hidden_layers", 0), ("num_hidden_layers", 10 ** 9), ("num_attention_heads", 3), ("layer_norm_eps", -1e-5),
                       ("layer_norm_eps", 0), ("layer_norm_eps", "1e-12"), ("vocab_size", 61), ("max_position_embeddings", 31),
                       ("type_vocab_size", 3), ("hidden_dropout_prob", 1.5), ("hidden_act", "tanh"), ("hidden_size", 8.5),
                       ("tie_word_embeddings", "no"), ("pad_token_id", "0"), ("intermediate_size", -4)):
        if key == "num_attention_heads":
            refused(folder(box, "bert-mlm", **{key: value}), "heads", "config.json")
        else:
            refused(folder(box, "bert-mlm", **{key: value}), key, "config.json")
    refused(folder(box, "bert-mlm", tie_word_embeddings=False), "tie_word_embeddings", "cls.predictions.decoder.weight")
    refused(folder(box, "bart", tie_word_embeddings=False), "tie_word_embeddings", "lm_head.weight")


def generation_settings_that_cannot_be_are_named(box):
    for key, value in (("eos_token_id", 60), ("eos_token_id", "2"), ("num_beams", 0), ("num_beams", 100), ("max_new_tokens", 0),
                       ("repetition_penalty", -1), ("bad_words_ids", [[1, 99]]), ("bad_words_ids", 3), ("early_stopping", "always"),
                       ("suppress_tokens", [-1]), ("sequence_bias", [[1, 2]]), ("exponential_decay_length_penalty", [1])):
        path = folder(box, "bart")
        with open(os.path.join(path, "generation_config.json"), "w", encoding="utf-8") as file:
            json.dump({"decoder_start_token_id": 2, "eos_token_id": 2, key: value}, file)
        refused(path, key, "generation_config.json")


def translated(box, path, *options):
    """What the command says of the texts, which must not have settings of its own."""
    texts = os.path.join(box, "texts.txt")
    with open(texts, "w", encoding="utf-8") as file:
        file.write("\n".join(TEXTS) + "\n")
    return subprocess.run([ALCORE, "model", "translate", path, texts, *options], capture_output=True, text=True)


def the_command_searches_as_the_folder_says(box):
    found = set()
    for beams in (1, 2, 4):
        path = folder(box, "bart")
        with open(os.path.join(path, "generation_config.json"), "w", encoding="utf-8") as file:
            json.dump({"decoder_start_token_id": 2, "eos_token_id": 2, "num_beams": beams, "max_new_tokens": 9}, file)
        done, lines = translated(box, path), alcore.Model.open(path).translate(TEXTS, beams=beams)
        assert done.returncode == 0 and done.stdout.splitlines() == lines, (beams, done, lines)
        best = translated(box, path, "--best", str(beams)).stdout.splitlines()[1:]
        assert len(best) == beams * len(TEXTS) and [row.split("\t")[3] for row in best[::beams]] == lines, (beams, best)
        found.add(tuple(lines))
    assert len(found) > 1, found


def drawn_outputs_are_asked_for(box):
    path = folder(box, "bart")
    with open(os.path.join(path, "generation_config.json"), "w", encoding="utf-8") as file:
        json.dump({"decoder_start_token_id": 2, "eos_token_id": 2, "do_sample": True, "top_k": 1}, file)
    model = alcore.Model.open(path)
    try:
        model.translate(TEXTS)
    except alcore.Error as error:
        assert "do_sample" in str(error) and "beams" in str(error), error
    else:
        raise AssertionError("a search in place of draws")
    done = translated(box, path)
    assert done.returncode != 0 and "do_sample" in done.stderr, done
    greedy = model.translate(TEXTS, beams=1, max_tokens=6)
    assert model.translate(TEXTS, sample=True, seed=3, max_tokens=6) == greedy  # of one token each, the likeliest


def functions_of_cross_encoders_with_several_labels(box):
    """Of bert-class, as CrossEncoder of sentence-transformers 6.2.0 writes them: Identity, its default, leaves a softmax."""
    plain, ways = probs_of(alcore.Model.open(folder(box, "bert-class"))), "torch.nn.modules."
    for name in ("linear.Identity", "activation.Softmax"):
        assert probs_of(alcore.Model.open(folder(box, "bert-class", sentence_transformers={"activation_fn": ways + name}))) == plain, name
    model = alcore.Model.open(folder(box, "bert-class", sentence_transformers={"activation_fn": ways + "activation.Sigmoid"}))
    found = probs_of(model)
    assert model.info["description"]["class_values"] == "independent", model.info
    for row, probs in zip(found, plain):  # the logits of both differ by one number in each row
        shifts = [math.log(p / (1 - p)) - math.log(q) for p, q in zip(row, probs)]
        assert max(shifts) - min(shifts) < 1e-4 and abs(sum(row) - 1) > 1e-3, (row, probs)
    refused(folder(box, "bert-class", sentence_transformers={"activation_fn": ways + "activation.Tanh"}), "Tanh", "CrossEncoder")


def change_header(path, change):
    """Changes the header of model.safetensors, whose numbers stay."""
    at = os.path.join(path, "model.safetensors")
    with open(at, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    header = change(data[8:8 + size])
    assert len(header) == size, "another length"
    with open(at, "wb") as file:
        file.write(data[:8] + header + data[8 + size:])


def a_bias_that_is_missing_is_an_error(box):
    for name, tensor in (("bert", "encoder.layer.1.output.dense.bias"), ("bert", "encoder.layer.0.output.LayerNorm.bias"),
                         ("bert-class", "classifier.bias")):
        path = folder(box, name)
        change_header(path, lambda header, old=tensor.encode(): header.replace(old + b'"', old[:-4] + b'saib"'))
        refused(path, tensor, "missing")


def no_embedding_is_nan(box):
    path = folder(box, "bert")
    at = os.path.join(path, "model.safetensors")
    with open(at, "rb") as file:
        data = bytearray(file.read())
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
    begin = header["encoder.layer.1.output.LayerNorm.bias"]["data_offsets"][0] + 8 + int.from_bytes(data[:8], "little")
    data[begin:begin + 4] = b"\x00\x00\xc0\x7f"
    with open(at, "wb") as file:
        file.write(data)
    out = os.path.join(box, "texts.txt")
    with open(out, "w", encoding="utf-8") as file:
        file.write("\n".join(TEXTS) + "\n")
    done = subprocess.run([ALCORE, "model", "embed", path, out, "--out", os.path.join(box, "e.npy")], capture_output=True, text=True)
    assert done.returncode == 3 and "no finite number" in done.stderr, done


def other_folders_say_what_they_are(box):
    cases = {
        "model.gguf": ("GGUF", "save_pretrained"), "model.onnx": ("ONNX",),
        "onnx/model.onnx": ("ONNX",), "model.bin": ("CTranslate2",), "tf_model.h5": ("TensorFlow", "from_tf"),
        "flax_model.msgpack": ("Flax",), "checkpoint_best.pt": ("fairseq", "OpenNMT"), "my.keras": ("Keras",), "decoder.yml": ("Marian",),
        "0_Transformer/config.json": ("0_Transformer", "modules.json of the model"), "modules.json": ("StaticEmbedding", ".npy"),
        "0_StaticEmbedding/model.safetensors": ("StaticEmbedding", "modules.json"), "model.safetensors": ("config.json",)}
    for name, words in cases.items():
        for config in (False, True):
            if config and name in ("modules.json", "model.safetensors"):
                continue
            path = os.path.join(box, "other")
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(os.path.dirname(os.path.join(path, name)))
            open(os.path.join(path, name), "w", encoding="utf-8").write("[]")
            if config:
                open(os.path.join(path, "config.json"), "w", encoding="utf-8").write("{}")
            refused(path, name.split(".")[-1], *words)
    for kind, word in (("llama4", "decoder-only"), ("qwen3_moe", "decoder-only"), ("whisper", "speech"), ("vit", "images"),
                       ("longformer", "long texts"), ("cafebert", "not known")):
        refused(folder(box, "bert", model_type=kind), kind, word, "xlm-roberta", ".npy")


def code_of_a_folder_does_not_run(box):
    """As transformers 5.23.0 without trust_remote_code, which takes its own class of a model_type that it has: the outputs of folders with
    auto_map were the same there, of EuroBERT, nomic-bert, Llama, BERT and T5."""
    code = {"AutoConfig": "configuration_own.OwnConfig", "AutoModel": "modeling_own.OwnModel"}
    for name in ("bert", "eurobert", "nomic", "t5"):
        plain = alcore.Model.open(folder(box, name)).embed(TEXTS).tolist()
        path = folder(box, name, auto_map=code)
        for module in ("configuration_own", "modeling_own"):
            open(os.path.join(path, module + ".py"), "w", encoding="utf-8").write("raise SystemExit('ran')\n")
        assert alcore.Model.open(path).embed(TEXTS).tolist() == plain, name
    for name in ("bert", "eurobert", "nomic", "t5", "llama"):
        path, config = folder(box, name), {}
        plain, file = alcore.Model.open(path).embed(TEXTS).tolist(), os.path.join(path, "tokenizer_config.json")
        if os.path.exists(file):
            with open(file, encoding="utf-8") as old:
                config = json.load(old)
        for kind in ("PreTrainedTokenizerFast", "PreTrainedTokenizer", "TokenizersBackend", "PythonBackend", "OwnTokenizer", "OwnTokenizerFast", "Fast", None):
            with open(file, "w", encoding="utf-8") as new:
                json.dump({**config, "auto_map": {"AutoTokenizer": ["tokenization_own.OwnTokenizer", None]}, "tokenizer_class": kind}, new)
            # transformers has no class for these: without a known one it asks whether code may run
            if name in ("eurobert", "llama") and kind in ("OwnTokenizer", "OwnTokenizerFast", "Fast", None):
                refused(path, "auto_map", "tokenizer_config.json", "PreTrainedTokenizerFast")
            else:
                assert len(alcore.Model.open(path).embed(TEXTS)) == len(TEXTS), name
                assert kind != config.get("tokenizer_class") or alcore.Model.open(path).embed(TEXTS).tolist() == plain, name
        # Code of other classes is none of the tokenizer's.
        for classes in ({}, {"AutoProcessor": "processing_own.OwnProcessor"}):
            with open(file, "w", encoding="utf-8") as new:
                json.dump({**config, "auto_map": classes}, new)
            assert alcore.Model.open(path).embed(TEXTS).tolist() == plain, (name, classes)


def folders_may_be_named_like_files(box):
    for name in ("trained.model", "trained.spm", "trained.json", "trained.txt"):
        path = os.path.join(box, name)
        shutil.rmtree(path, ignore_errors=True)
        shutil.move(folder(box, "bert"), path)
        assert len(alcore.Model.open(path).embed(TEXTS)) == len(TEXTS), name


def too_little_room_for_torch_is_an_error(box):
    texts = os.path.join(box, "texts.txt")
    with open(texts, "w", encoding="utf-8") as file:
        file.write("\n".join(TEXTS) + "\n")
    for megabytes in (150, 300, 380, 400, 410):  # the loader of the last ones ended the process
        done = subprocess.run([ALCORE, "model", "embed", folder(box, "bert"), texts], capture_output=True, text=True,
                              preexec_fn=lambda room=megabytes << 20: resource.setrlimit(resource.RLIMIT_AS, (room, room)))
        assert done.returncode == 5 and "address space" in done.stderr, (megabytes, done)


def main():
    tap = Tap()
    tap.run([sigmoids_are_binary_columns, independent_labels_are_multilabel_columns, cached_columns_keep_their_meaning,
             values_are_given_and_not_scored, heads_are_what_config_json_says, such_heads_are_not_trained,
             settings_that_cannot_be_are_named, generation_settings_that_cannot_be_are_named,
             the_command_searches_as_the_folder_says, drawn_outputs_are_asked_for,
             functions_of_cross_encoders_with_several_labels, a_bias_that_is_missing_is_an_error, no_embedding_is_nan, other_folders_say_what_they_are,
             code_of_a_folder_does_not_run, folders_may_be_named_like_files, too_little_room_for_torch_is_an_error])
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
