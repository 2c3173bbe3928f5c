#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders of LoRA adapters, as peft writes them (make_adapters.py): the merged model answers what peft and transformers say, a saved copy
answers the same, and what is no plain LoRA is refused by name. In TAP.
usage: test_adapters.py ROOT BUILD"""
import json
import os
import re
import shutil
import struct
import sys
import warnings

ROOT, BUILD = sys.argv[1:3]
TORCH = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from adapter_files import answers_alike, read_tensors, worst, write_tensors  # noqa: E402
from language_folder import language_folder  # noqa: E402
from model_keys_folder import TARGETS, TEXTS, is_language, make_folder  # noqa: E402
from refusals import error  # noqa: E402
from tap import Tap  # noqa: E402

ADAPTERS = sorted(os.listdir(os.path.join(TORCH, "adapters")))


def adapter(box, name, change=None, tensors=None):
    """A copy of an adapter, and of its base with a tokenizer in the place that base_model_name_or_path names. change: members of its
    config; tensors: a function that changes its tensors."""
    path = os.path.join(box, "adapters", "%s-%d" % (name, len(os.listdir(box)) + len(os.listdir(os.path.join(box, "adapters"))) if os.path.isdir(
        os.path.join(box, "adapters")) else 0))
    shutil.copytree(os.path.join(TORCH, "adapters", name), path)
    with open(os.path.join(path, "adapter_config.json"), encoding="utf-8") as file:
        config = json.load(file)
    base = os.path.join(path, config["base_model_name_or_path"])
    if not os.path.exists(base):
        fixture = os.path.join(TORCH, "fixtures", os.path.basename(base))
        os.makedirs(os.path.dirname(base), exist_ok=True)
        if is_language(fixture):
            os.rename(language_folder(box, os.path.basename(fixture)), base)
        else:
            make_folder(fixture, {"modules.json": None}, base)
    if change:
        with open(os.path.join(path, "adapter_config.json"), "w", encoding="utf-8") as file:
            json.dump({**config, **change}, file)
    if tensors:
        file = os.path.join(path, "adapter_model.safetensors")
        write_tensors(file, tensors(read_tensors(file)))
    return path


def compare(model, name):
    return answers_alike(model, os.path.join(TORCH, "adapters", name, "expected.safetensors"))


def parity(box):
    for name in ADAPTERS:
        if name == "nomic":
            continue
        path = adapter(box, name)
        wanted = compare(alcore.Model.open(path), name)
        plain = alcore.Model.open(os.path.join(path, "..", "..", "fixtures", os.path.basename(json.load(open(os.path.join(
            path, "adapter_config.json"), encoding="utf-8"))["base_model_name_or_path"])))
        changed = [value for row in plain.embed(TEXTS).tolist() for value in row]
        assert worst(changed, wanted["embed"]) > 1e-3, name


def saved(box):
    """The copy is a model of its own, with the head that the adapter gives it."""
    for name in ("llama", "qwen3", "qwen2-biased", "llama-tied-words", "llama-tied-output", "llama-tied-both", "llama-tied-saved", "bert", "roberta-mlm-to-class",
                 "bert-to-class", "t5", "marian"):
        model, copy = alcore.Model.open(adapter(box, name)), os.path.join(box, "copy-" + name)
        model.save(copy)
        assert not os.path.exists(os.path.join(copy, "adapter_config.json"))
        again = alcore.Model.open(copy)
        compare(again, name)
        assert again.info["version"] == model.info["version"], name
    path = adapter(box, "llama")
    base = os.path.join(path, "..", "..", "fixtures", "llama")
    found = error(lambda: alcore.Model.open(path).save(os.path.realpath(base)))
    assert found == "" or "twice" in found, found
    assert "twice" in error(lambda: alcore.Model.open(path).save(path + "/../../fixtures/llama"))
    assert alcore.Model.open(path).info["version"] != alcore.Model.open(base).info["version"]


def in_fewer_bits(box):
    """The merged model is near that in float32. In bfloat16 its copy has the merged weights in that type, in int8 there is none."""
    for name in ("llama", "llama-tied-words", "llama-tied-output", "bert", "t5", "bert-to-class", "marian", "marian-saved"):
        path = adapter(box, name)
        whole = alcore.Model.open(path).embed(TEXTS).tolist()
        for dtype, far in (("bfloat16", 0.2), ("int8", 0.5)):  # as in test_narrow.py
            model, copy = alcore.Model.open(path, dtype=dtype), os.path.join(box, "copy-%s-%s" % (name, dtype))
            assert worst(sum(model.embed(TEXTS).tolist(), []), sum(whole, [])) < far, (name, dtype)
            if dtype == "int8":
                found = error(lambda: model.save(copy))
                assert "int8" in found and not os.path.exists(copy), (name, found)
                continue
            model.save(copy)
            again, kinds = alcore.Model.open(copy, dtype="bfloat16"), {kind for kind, _, _ in read_tensors(os.path.join(copy, "model.safetensors")).values()}
            assert again.embed(TEXTS).tolist() == model.embed(TEXTS).tolist(), name
            assert kinds == {"BF16"} and not os.path.exists(os.path.join(copy, "adapter_config.json")), (name, kinds)
    # The weights are read once more, and must be those with which the model was opened.
    path = adapter(box, "qwen3")
    model = alcore.Model.open(path, dtype="bfloat16")
    weights = os.path.join(path, "adapter_model.safetensors")
    tensors = read_tensors(weights)
    last = max(tensors)
    write_tensors(weights, {**tensors, last: (*tensors[last][:2], bytes(len(tensors[last][2])))})
    found = error(lambda: model.save(os.path.join(box, "changed")))
    assert "not those with which" in found and not os.path.exists(os.path.join(box, "changed")), found


def bases(box):
    """Absolute paths, paths from the folder, and paths from the working directory; other names say what to do."""
    path = adapter(box, "qwen2")
    base, before = os.path.realpath(os.path.join(path, "../../fixtures/qwen2")), os.getcwd()
    compare(alcore.Model.open(adapter(box, "qwen2", {"base_model_name_or_path": base})), "qwen2")
    os.chdir(os.path.dirname(base))
    try:
        compare(alcore.Model.open(adapter(box, "qwen2", {"base_model_name_or_path": "qwen2"})), "qwen2")
    finally:
        os.chdir(before)
    for name in ("Qwen/Qwen2-0.5B", "", None, "/nowhere"):
        found = error(lambda: alcore.Model.open(adapter(box, "qwen2", {"base_model_name_or_path": name})))
        assert "base_model_name_or_path" in found and "folder" in found and (not name or name in found), found
    # A tokenizer of the adapter goes before that of the base.
    with open(os.path.join(base, "tokenizer.json"), encoding="utf-8") as file:
        tokenizer = json.load(file)
    tokenizer["model"]["vocab"]["w5"], tokenizer["model"]["vocab"]["w6"] = 6, 5
    own = adapter(box, "qwen2")
    with open(os.path.join(own, "tokenizer.json"), "w", encoding="utf-8") as file:
        json.dump(tokenizer, file)
    swapped, plain = alcore.Model.open(own), alcore.Model.open(path)
    assert swapped.embed(["w5 w6"]).tolist() == plain.embed(["w6 w5"]).tolist() != plain.embed(["w5 w6"]).tolist()
    # So do its limit and its chat template, which stay when the merged model is saved.
    with open(os.path.join(own, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_max_length": 3, "chat_template": "w7 {{ messages[-1].content }}"}, file)
    short = alcore.Model.open(own, prompt="{text}", chat="")
    assert (short.info["max_tokens"], plain.info["max_tokens"] > 3) == (3, True), (short.info, plain.info)
    assert short.embed(["w5 w6 w8 w9"]).tolist() == short.embed(["w5 w6 w8 w7"]).tolist()
    assert swapped.embed(["w5 w6 w8 w9"]).tolist() != swapped.embed(["w5 w6 w8 w7"]).tolist()
    swapped.save(os.path.join(box, "swapped"))
    assert alcore.Model.open(os.path.join(box, "swapped")).embed(["w5 w6"]).tolist() == swapped.embed(["w5 w6"]).tolist()


def refusals(box):
    for change, word in (({"peft_type": "IA3"}, "IA3"), ({"use_dora": True}, "lora_magnitude_vector"), ({"lora_bias": True}, "lora_bias"),
                         ({"init_lora_weights": "pissa"}, "init_lora_weights"), ({"trainable_token_indices": [1]}, "trainable_token_indices"),
                         ({"a_key_of_tomorrow": {"x": 1}}, "a_key_of_tomorrow"), ({"alpha_pattern": {"(": 3}}, "alpha_pattern"),
                         ({"r": "two"}, "r is"),
                         ({"task_type": "POETRY"}, "POETRY"), ({"task_type": "SEQ_CLS"}, "")):
        found = error(lambda: alcore.Model.open(adapter(box, "qwen3", change)))
        assert word in found and (found or change == {"task_type": "SEQ_CLS"}), (change, found)
    # Keys that are switched off, whatever they are called, are no reason.
    compare(alcore.Model.open(adapter(box, "qwen3", {"a_key_of_tomorrow": None, "use_x": False, "list": [], "object": {}})), "qwen3")

    def other_names(tensors):
        return {name.replace("q_proj", "x_proj"): value for name, value in tensors.items()}

    def one_factor(tensors):
        return {name: value for name, value in tensors.items() if "layers.0.self_attn.q_proj.lora_B" not in name}

    def no_prefix(tensors):
        return {name.replace("base_model.model.", ""): value for name, value in tensors.items()}

    for name, change, tensors, word in (("qwen3", None, other_names, "x_proj"), ("qwen3", None, one_factor, "lora_B"),
                                        ("qwen2-biased", None, lambda tensors: {key: value for key, value in tensors.items() if "lora_B.bias" not in key}, "lora_bias"),
                                        ("qwen2-biased", {"lora_bias": False}, None, "lora_bias"), ("qwen3", None, no_prefix, "base_model.model."),
                                        ("nomic", None, None, "belongs to nothing")):
        found = error(lambda: alcore.Model.open(adapter(box, name, change, tensors)))
        assert word in found, (name, word, found)
    path = adapter(box, "qwen3")
    os.rename(os.path.join(path, "adapter_model.safetensors"), os.path.join(path, "adapter_model.bin"))
    assert "adapter_model.bin" in error(lambda: alcore.Model.open(path))
    os.remove(os.path.join(path, "adapter_model.bin"))
    assert "adapter_model.safetensors" in error(lambda: alcore.Model.open(path))
    path = adapter(box, "qwen3")
    with open(os.path.join(path, "modules.json"), "w", encoding="utf-8") as file:
        file.write("[]")
    assert "modules.json" in error(lambda: alcore.Model.open(path))


def contradictions(box):
    """Keys that say something else than the tensors, each refused by its name with what the tensors are."""
    def lacks(part):
        return lambda tensors: {name: value for name, value in tensors.items() if part not in name}

    targets = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    for name, change, tensors, key, word in (
            ("qwen3", {"r": 0}, None, "r is 0", "1 or more"), ("qwen3", {"r": 5}, None, "r is 5", "lora_A.weight"),
            ("qwen3", {"rank_pattern": {"q_proj": 5}}, None, "rank_pattern is", "q_proj.lora_A.weight"),
            ("qwen3", {"target_modules": targets[1:]}, None, "target_modules is", "self_attn.q_proj"),
            ("qwen3", {"target_modules": ".*k_proj"}, None, "target_modules is", "_proj in"),
            ("qwen3", {"target_modules": targets}, lacks(".k_proj."), "target_modules is", "lacks model.layers.0.self_attn.k_proj"),
            ("qwen3", {"target_modules": targets}, lacks("layers.1.mlp.up_proj."), "target_modules is", "lacks model.layers.1.mlp.up_proj"),
            ("qwen3", {"exclude_modules": ["o_proj"], "target_modules": targets}, None, "exclude_modules is", "o_proj in"),
            ("qwen3", {"layers_to_transform": [1], "target_modules": targets}, None, "layers_to_transform is", "model.layers.0."),
            ("qwen3", {"layers_to_transform": 0, "layers_pattern": "layers", "target_modules": targets}, None, "layers_to_transform is", "layers.1."),
            ("qwen3", {"bias": "some"}, None, "bias is", "lora_only"),
            ("llama", {"bias": "none"}, None, "bias is", "bias of model.layers.0."), ("llama", {"bias": "lora_only"}, None, "bias is", "bias of model.layers."),
            ("llama", None, lacks("gate_proj.bias"), "bias is", "lacks that of model.layers.0.mlp.gate_proj"),
            ("roberta-mlm-to-class", {"bias": "all"}, None, "bias is", "lacks that of roberta.encoder.layer.0.")):
        found = error(lambda: alcore.Model.open(adapter(box, name, change, tensors)))
        assert "adapter_config.json: " + key in found and word in found, (name, change, key, found)
    # What fits is read: patterns, whole names, layers.
    for change, tensors in (({"target_modules": ".*_proj"}, None), ({"target_modules": "all-linear"}, None), ({"target_modules": None}, None),
                            ({"target_modules": targets, "layers_to_transform": [0, 1], "layers_pattern": ["layers"]}, None),
                            ({"target_modules": targets + ["query", "no.such"]}, None)):
        compare(alcore.Model.open(adapter(box, "qwen3", change, tensors)), "qwen3")
    one = error(lambda: alcore.Model.open(adapter(box, "qwen3", {"target_modules": targets, "layers_to_transform": [1]}, lacks("layers.0."))))
    assert one == "", one


def expressions(box):
    """target_modules as an expression names exactly the modules with factors where re.fullmatch() says so; what is read otherwise in C++
    than in Python is refused with the expression."""
    with_factors = {name[len("base_model.model."):-len(".lora_A.weight")]
                    for name in read_tensors(os.path.join(TORCH, "adapters", "qwen3", "adapter_model.safetensors")) if name.endswith(".lora_A.weight")}
    ends = sorted({name.split(".")[-1] for name in with_factors})
    assert len(with_factors) == 2 * len(ends), with_factors

    def only(*kept):
        return lambda tensors: {name: value for name, value in tensors.items() if any("." + end + "." in name for end in kept)}

    reads = [r".*\.(q|k|v|o|gate|up|down)_proj", r"model\.layers\.\d+\.\w+\.[a-z]{1,4}_proj", r"^.*_proj$", r"\Amodel.*_proj\Z", r"(?P<part>.*)_proj", r".*(?#all)_proj",
             r"model[.]layers[.][01][.].+?_proj", r".*[]p]roj", r".*[^]]_proj", r".*\.[[a-z]+_proj", r"(?!.*lm_head).*_proj", r".*_pr{,2}oj", r".*_pr{,}oj", r".*\._?\w*proj",
             r"(?=model).*_proj", r"[\w.-]*proj", r".*_p{1}roj", r".*\b[a-z]+_proj", r"(?:.*)(?:\.q|\.k|\.v|\.o|\.gate|\.up|\.down)_proj"]
    others = [r".*q_proj", r".*_pro", r"layers.*_proj", r"_proj", r".*[]_]q[]_]proj", r".*\.[[:alpha:]]+_proj", r".*_proj{2}", r".*\Wproj", r"(?!model).*", r".*{2}_proj{",
              r"model\.layers\.0\..*_proj", r".*\.[^gud]+_proj"]
    for text in reads + others:
        for kept in (ends, ["q_proj"], ["q_proj", "k_proj", "v_proj", "o_proj"]):
            having = {name for name in with_factors if name.split(".")[-1] in kept}
            found = error(lambda: alcore.Model.open(adapter(box, "qwen3", {"target_modules": text}, only(*kept))))
            try:
                with warnings.catch_warnings():  # of what Python may read otherwise one day, such as [[:alpha:]]
                    warnings.simplefilter("ignore", FutureWarning)
                    named = {name for name in with_factors if re.fullmatch(text, name)}
            except re.error:
                assert "no regular expression that is read here" in found and text in found, (text, found)
                continue
            assert (found == "") == (having == named), (text, kept, found, named)
            assert found == "" or "adapter_config.json: target_modules is" in found, (text, found)
    assert sum(all(re.fullmatch(text, name) for name in with_factors) for text in reads) == len(reads)
    for text in (r"(?i).*_PROJ", r"(?i:.*)", r".*(?<=q)_proj", r".*(?<!q)_proj", r".*+_proj", r".*_proj?+", r"(?>.*)", r"(.)\1.*", r"(?P<a>.)(?P=a)", r"(a)?(?(1)b|.*)", r"\x2e*",
                 r"[\x61-z]*", r"\u0061", r"\N{DOT}", r"\0", r"*_proj", r"(.*_proj", r".*)", "[a", "a\\", r".**", r"a{2}{3}"):
        for key in ("target_modules", "exclude_modules"):
            found = error(lambda: alcore.Model.open(adapter(box, "qwen3", {key: text})))
            assert "adapter_config.json: %s has '%s'" % (key, text) in found, (key, text, found)
    found = error(lambda: alcore.Model.open(adapter(box, "qwen3", {"rank_pattern": {r".*\Zq": 3}})))
    assert found == "", found
    assert "rank_pattern has '(?i)q_proj'" in error(lambda: alcore.Model.open(adapter(box, "qwen3", {"rank_pattern": {"(?i)q_proj": 2}})))
    targets = {"target_modules": ends, "layers_to_transform": [0, 1]}
    compare(alcore.Model.open(adapter(box, "qwen3", {**targets, "layers_pattern": "(?:la)(?P<y>y)ers"})), "qwen3")
    assert "layers_pattern has 'l++'" in error(lambda: alcore.Model.open(adapter(box, "qwen3", {**targets, "layers_pattern": ["l++"]})))


def tied_tables(box):
    """A language model whose table of words is its output has two matrices where an adapter changes one of both, whether the file of its base holds
    the table twice or once; where the change is the same it still has one."""
    table = "model.embed_tokens.weight"
    for name, wanted in (("llama-tied-words", [True, False]), ("llama-tied-output", [False, True]), ("llama-tied-saved", [True, False]),
                         ("llama-tied-both", [True])):  # which matrices of the copy are changed
        for twice in (False, True):
            path = adapter(os.path.join(box, str(twice)), name)
            base, copy = os.path.join(path, "..", "..", "fixtures", "llama-tied"), os.path.join(box, "copy-%s-%s" % (name, twice))
            plain = os.path.join(box, "plain-%s-%s" % (name, twice))
            alcore.Model.open(base).save(plain)  # one file in float32
            tensors = read_tensors(os.path.join(plain, "model.safetensors"))
            if twice:
                write_tensors(os.path.join(plain, "model.safetensors"), {**tensors, "lm_head.weight": tensors[table]})
                shutil.rmtree(base)
                os.rename(plain, base)
            model = alcore.Model.open(path)
            compare(model, name)
            model.save(copy)
            compare(alcore.Model.open(copy), name)
            saved = read_tensors(os.path.join(copy, "model.safetensors"))
            with open(os.path.join(copy, "config.json"), encoding="utf-8") as file:
                ties = json.load(file)["tie_word_embeddings"]
            found = [saved[key][2] != tensors[table][2] for key in (table, "lm_head.weight") if key in saved]
            assert found == wanted and ties == (len(wanted) == 1), (name, twice, found, ties)

    def other(tensors):
        dtype, shape, data = tensors["base_model.model.lm_head.lora_B.weight"]
        return {**tensors, "base_model.model.lm_head.lora_B.weight": (dtype, shape, data[:-4] + struct.pack("<f", 7))}

    found = error(lambda: alcore.Model.open(adapter(box, "llama-tied-both", None, other)))
    assert "adapter_config.json: ensure_weight_tying is true" in found, found
    # An adapter of the table is trained further beside the output, which stays; others are not.
    pool = alcore.Pool(TEXTS, references=TARGETS)
    path = adapter(box, "llama-tied-words")
    model = alcore.Model.open(path)
    model.train(pool, updates=2, rate=0.01, lora_rank=2)
    model.save(os.path.join(box, "further"))
    again = alcore.Model.open(os.path.join(box, "further"))
    assert again.info["version"] == model.info["version"] != alcore.Model.open(path).info["version"]
    for name in ("llama-tied-output", "llama-tied-both", "qwen2-biased"):
        assert "trained here" in error(lambda: alcore.Model.open(adapter(box, name)).train(pool, updates=1, lora_rank=2)), name


def tied_outputs(box):
    """Factors of an output matrix that is that of the embeddings, whether the file of the base holds it twice or once."""
    def output(tensors):
        rank, (rows, dims) = 2, shapes["shared.weight"]
        floats = [struct.pack("<%df" % n, *[0.1] * n) for n in (rank * dims, rank * rows)]
        return {"base_model.model.lm_head.lora_A.weight": ("F32", [rank, dims], floats[0]),
                "base_model.model.lm_head.lora_B.weight": ("F32", [rows, rank], floats[1])}

    shapes = {name: value[1] for name, value in read_tensors(os.path.join(TORCH, "fixtures", "t5", "model.safetensors")).items()}
    for twice in (False, True):
        path = adapter(os.path.join(box, str(twice)), "t5", {"target_modules": ["lm_head"]}, output)
        weights = os.path.join(path, "..", "..", "fixtures", "t5", "model.safetensors")
        tensors = {name: value for name, value in read_tensors(weights).items() if name != "lm_head.weight"}
        write_tensors(weights, {**tensors, **({"lm_head.weight": tensors["shared.weight"]} if twice else {})})
        found = error(lambda: alcore.Model.open(path))
        assert "changes lm_head.weight, a matrix that the model has in several places" in found, (twice, found)


def tables_of_two_stacks(box):
    """Of a model with a decoder the adapter may hold tables whole: the encoder, the decoder and the output then have one each, also in a copy."""
    for name, changed in (("marian-saved", ["lm_head"]), ("bart-saved", ["model.encoder.embed_tokens", "model.decoder.embed_tokens"]),
                          ("t5-saved", ["lm_head", "encoder.embed_tokens", "decoder.embed_tokens"])):
        model, copy = alcore.Model.open(adapter(box, name)), os.path.join(box, "copy-" + name)
        compare(model, name)
        model.save(copy)
        compare(alcore.Model.open(copy), name)
        own, saved = (read_tensors(os.path.join(folder, file)) for folder, file in (
            (os.path.join(TORCH, "adapters", name), "adapter_model.safetensors"), (copy, "model.safetensors")))
        with open(os.path.join(copy, "config.json"), encoding="utf-8") as file:
            assert not json.load(file)["tie_word_embeddings"], name
        tables = [key for key in saved if key.endswith(("embed_tokens.weight", "lm_head.weight"))]
        assert len(tables) == 3, (name, tables)
        for key in tables:
            assert (key[:-len(".weight")] in changed) == ("base_model.model." + key in own and own["base_model.model." + key][2] == saved[key][2]), (name, key)

    # Factors of such a table are two models, but for those whose product is 0, as a training
    # leaves them where a table is not computed with.
    base = read_tensors(os.path.join(TORCH, "fixtures", "t5", "model.safetensors"))["shared.weight"][1]

    def of_table(module, b):
        def made(tensors):
            return {**tensors, **{"base_model.model.%s.lora_embedding_%s" % (module, key): ("F32", shape, struct.pack("<%df" % (shape[0] * shape[1]), *[value] * (shape[0] * shape[1])))
                                  for key, shape, value in (("A", [2, base[0]], 0.1), ("B", [base[1], 2], b))}}
        return made

    for module in ("shared", "encoder.embed_tokens", "decoder.embed_tokens"):
        found = error(lambda: alcore.Model.open(adapter(box, "t5", {"target_modules": None}, of_table(module, 0.5))))
        assert "changes %s.weight, a matrix that the model has in several places" % module in found, (module, found)
    compare(alcore.Model.open(adapter(box, "t5", {"target_modules": None}, of_table("shared", 0))), "t5")


def biases_of_nothing(box):
    """A bias of a module that has none in the base is refused with both their names and that of the key."""
    name = "base_model.model.model.layers.0.self_attn.q_proj"

    def with_bias(end, every=False):
        def made(tensors):
            rows = {key[:-len(".lora_B.weight")]: shape[0] for key, (_, shape, _) in tensors.items() if key.endswith(".lora_B.weight")}
            return {**tensors, **{module + end: ("F32", [size], bytes(4 * size)) for module, size in rows.items() if every or module == name}}
        return made

    for change, tensors, words in (({"lora_bias": True}, with_bias(".lora_B.bias", True), ("lora_bias", "merge_and_unload()")),
                                   ({"bias": "lora_only"}, with_bias(".base_layer.bias"), ("(bias of adapter_config.json)", "not the base")),
                                   ({"bias": "all"}, with_bias(".bias"), ("(bias of adapter_config.json)", "not the base"))):
        found = error(lambda: alcore.Model.open(adapter(box, "qwen3", change, tensors)))
        assert "model.layers.0." in found and "which has none" in found and all(word in found for word in words), (change, found)


def main():
    tap = Tap()
    tap.run([parity, saved, in_fewer_bits, bases, refusals, contradictions, expressions, tied_tables, tied_outputs, tables_of_two_stacks, biases_of_nothing])
    tap.finish()


main()
