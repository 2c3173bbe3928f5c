#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LoRA adapters that are trained by the command, Python and Lua: what is written, how a training goes on, and what is refused by name. In TAP.
usage: test_lora_training.py ALCORE ROOT BUILD [LUA MODULES]"""
import json
import os
import shutil
import subprocess
import sys

_, ROOT, BUILD, *LUA = sys.argv[1:]
TORCH = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from adapter_files import numbers, read_tensors, write_tensors  # noqa: E402
from language_folder import language_folder  # noqa: E402
from lora_command import ALCORE, PAIRS, bytes_of, command, config_of, folder, train  # noqa: E402
from model_keys_folder import TARGETS, TEXTS  # noqa: E402
from refusals import error  # noqa: E402
from tap import Tap  # noqa: E402

def open_model(path):
    return alcore.Model.open(path, dtype="float32")


def the_command_writes_an_adapter(box):
    base = folder(box, "qwen3")
    before = bytes_of(base, "model.safetensors")
    done = train(box, "qwen3", "out", lora_rank=2, lora_alpha=16)
    out = os.path.join(box, "out")
    assert sorted(os.listdir(out)) == ["adapter_config.json", "adapter_model.safetensors"] and bytes_of(base, "model.safetensors") == before
    config = config_of(out)
    assert config["base_model_name_or_path"] == os.path.realpath(base) and config["task_type"] == "CAUSAL_LM" and config["modules_to_save"] is None
    assert (config["r"], config["lora_alpha"], config["lora_dropout"], config["bias"]) == (2, 16, 0, "none") and config["target_modules"] == ["q_proj", "v_proj"]
    tensors = read_tensors(os.path.join(out, "adapter_model.safetensors"))
    assert sorted(tensors) == sorted("base_model.model.model.layers.%d.self_attn.%s_proj.lora_%s.weight" % (layer, part, factor)
                                     for layer in (0, 1) for part in "qv" for factor in "AB")
    assert all(any(numbers(tensor)) for tensor in tensors.values())
    trained, whole = (sum(len(numbers(tensor)) for tensor in held.values()) for held in (tensors, read_tensors(os.path.join(base, "model.safetensors"))))
    assert "the adapter trains %d of %d parameters (%.4f %%)" % (trained, whole + trained, 100 * trained / (whole + trained)) in done.stderr, done.stderr
    found = json.loads(done.stdout)
    assert (found["trained_parameters"], found["parameters"]) == (trained, whole + trained), found
    assert open_model(out).score(TEXTS, TARGETS) != open_model(base).score(TEXTS, TARGETS)
    # More updates have a lower loss. The same command gives the same bytes, another seed others.
    def loss(path):
        return -sum(float(value) for row in open_model(path).score(TEXTS, TARGETS) for value in row)
    train(box, "qwen3", "long", lora_rank=2, lora_alpha=16, updates=40)
    assert loss(os.path.join(box, "long")) < loss(out) < loss(base)
    for name, seed in (("same", 3), ("other", 4)):
        train(box, "qwen3", name, lora_rank=2, lora_alpha=16, seed=seed)
        assert (bytes_of(out, "adapter_model.safetensors") == bytes_of(box, name, "adapter_model.safetensors")) == (name == "same"), name


def selections_take_its_folder(box):
    """With the options of folders, as that of its base: picks are those of the merged model."""
    folder(box, "qwen3")
    train(box, "qwen3", "out", lora_rank=2, lora_alpha=16)
    open_model(os.path.join(box, "out")).save(os.path.join(box, "merged"))
    found = []
    for name in ("out", "merged", "qwen3"):
        done = subprocess.run([ALCORE, "select", "texts.txt", "--strategy", "nnll", "--budget", "2", "--model", name, "--prompt", "w5 {text} w6", "--dtype", "float32",
                               "--quiet"], cwd=box, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        found.append(done.stdout)
    assert found[0] == found[1] != found[2], found


def a_classifier_has_its_head(box):
    base = folder(box, "bert-class")
    model = open_model(base)
    done = model.train(alcore.Pool(TEXTS, references=["0", "1", "2"]), rate=0.05, updates=3, lora_rank=1, lora_targets=["query", "intermediate.dense"])
    model.save(os.path.join(box, "out"))
    config, tensors = config_of(os.path.join(box, "out")), read_tensors(os.path.join(box, "out", "adapter_model.safetensors"))
    assert config["task_type"] == "SEQ_CLS" and config["modules_to_save"] == ["classifier"] and config["lora_alpha"] == 8
    # "dense" alone would name more than the matrix that was chosen.
    assert config["target_modules"] == ["bert.encoder.layer.0.intermediate.dense", "bert.encoder.layer.1.intermediate.dense", "query"]
    plain = read_tensors(os.path.join(base, "model.safetensors"))
    # The head is trained as it is, and is part of the model once.
    trained, factors, whole = (sum(len(numbers(tensor)) for name, tensor in held.items() if word in name) for held, word in (
        (tensors, ""), (tensors, "lora_"), (plain, "")))
    assert (done["trained_parameters"], done["parameters"]) == (trained, whole + factors) and factors < trained, (done, trained, whole, factors)
    for name in ("classifier.weight", "classifier.bias"):
        assert tensors["base_model.model." + name][2] != plain[name][2]
    again = open_model(os.path.join(box, "out"))
    assert again.info["version"] == model.info["version"]
    # A training of the whole model changes the merged weights, and the copy is a model.
    done = again.train(alcore.Pool(TEXTS, references=["0", "1", "2"]), rate=0.01, updates=1)
    assert done["trained_parameters"] == done["parameters"] == whole, (done, whole)
    again.save(os.path.join(box, "whole"))
    assert os.path.exists(os.path.join(box, "whole", "model.safetensors")) and not os.path.exists(os.path.join(box, "whole", "adapter_config.json"))
    assert "trained since" in error(lambda: again.train(alcore.Pool(TEXTS, references=["0", "1", "2"]), updates=1, lora_rank=1))


def words_are_adapted(box):
    """A table of words that nothing else is computed with has factors of its own, as PEFT names them."""
    base = folder(box, "qwen3")
    before = read_tensors(os.path.join(base, "model.safetensors"))["model.embed_tokens.weight"][1]
    train(box, "qwen3", "out", lora_rank=2, lora_targets="embed_tokens q_proj")
    out = os.path.join(box, "out")
    tensors = read_tensors(os.path.join(out, "adapter_model.safetensors"))
    a, b = (tensors["base_model.model.model.embed_tokens.lora_embedding_" + factor] for factor in "AB")
    assert config_of(out)["target_modules"] == ["embed_tokens", "q_proj"] and (a[1], b[1]) == ([2, before[0]], [before[1], 2]), (a[1], b[1])
    # Words that no text has stay as they are: A began with 0, B did not.
    used = [any(numbers(a)[word::before[0]]) for word in range(before[0])]
    assert 3 < sum(used) < before[0] and all(numbers(b)) and max(map(abs, numbers(b))) > 1, used
    changed = read_tensors(os.path.join(base, "model.safetensors"))
    open_model(out).save(os.path.join(box, "merged"))
    merged = read_tensors(os.path.join(box, "merged", "model.safetensors"))["model.embed_tokens.weight"]
    was, now = numbers(changed["model.embed_tokens.weight"]), numbers(merged)
    assert [was[word * before[1]:(word + 1) * before[1]] != now[word * before[1]:(word + 1) * before[1]] for word in range(before[0])] == used
    # It is trained further, from its folder and in one process alike.
    train(box, "out", "further", lora_rank=2, updates=2)
    other = open_model(out)
    other.train(alcore.Pool(TEXTS, references=TARGETS), rate=0.05, updates=2, seed=3, lora_rank=2, lora_targets=["q_proj", "embed_tokens"])
    assert other.info["version"] == open_model(os.path.join(box, "further")).info["version"] != open_model(out).info["version"]
    # A table of the base that stands in the adapter, as PEFT writes it, must be that of the base.
    name = "base_model.model.model.embed_tokens.base_layer.weight"
    plain = changed["model.embed_tokens.weight"]
    for table, word in ((plain, ""), (merged, "model.embed_tokens.weight is not the one")):
        write_tensors(os.path.join(out, "adapter_model.safetensors"), {**tensors, name: table})
        found = error(lambda: open_model(out).train(alcore.Pool(TEXTS, references=TARGETS), rate=0.05, updates=2, seed=3, lora_rank=2))
        assert word in found and bool(word) == bool(found), found


def trainings_go_on(box):
    """From a checkpoint with the same bytes, and from the folder of an adapter, whose settings stay."""
    folder(box, "t5")
    more = dict(lora_rank=3, lora_dropout=0.2, checkpoints="kept", checkpoint_every=2)
    train(box, "t5", "whole", **dict(more, checkpoints="other"))
    path = os.path.join(box, "kept")
    pool = alcore.Pool(TEXTS, references=TARGETS)
    state = json.loads(bytes_of(box, "other", "checkpoint.json"))
    assert state["update"] == 4 and json.loads(state["settings"]["lora"])["r"] == 3
    # The checkpoint of update 2, which the folder still has, is taken for the last one.
    os.makedirs(path)
    for name in ("state-0.safetensors", "state-1.safetensors", "checkpoint-before.json"):
        with open(os.path.join(path, name.replace("-before", "")), "wb") as out:
            out.write(bytes_of(box, "other", name))
    assert json.loads(bytes_of(path, "checkpoint.json"))["update"] == 2
    done = train(box, "t5", "out", **more)
    assert "goes on after update 2 of 4" in done.stderr, done.stderr
    assert bytes_of(box, "out", "adapter_model.safetensors") == bytes_of(box, "whole", "adapter_model.safetensors")
    for change, word in (({"lora_rank": 2}, "its lora is"), ({"lora_dropout": 0.1}, "its lora is"), ({"lora_rank": 0, "lora_dropout": 0}, "the training of an adapter"),
                         ({"lora_targets": "q"}, "its lora is")):
        found = command(box, "t5", "none", **dict(more, **change))
        assert found.returncode and word in found.stderr, (change, found.stderr)
    first = config_of(os.path.join(box, "out"))
    train(box, "out", "further", lora_rank=3, updates=2)
    second = config_of(os.path.join(box, "further"))
    assert second == {**first, "lora_dropout": 0.0} and first["lora_dropout"] == 0.2
    assert bytes_of(box, "further", "adapter_model.safetensors") != bytes_of(box, "out", "adapter_model.safetensors")
    # In one process or through folders: the same.
    other = open_model(os.path.join(box, "out"))
    other.train(pool, rate=0.05, updates=2, seed=3, lora_rank=3)
    assert other.info["version"] == open_model(os.path.join(box, "further")).info["version"]
    for change, word in (({"lora_rank": 2}, "lora_rank is 2"), ({"lora_alpha": 5}, "lora_alpha is 5"), ({"lora_targets": "q"}, "lora_targets 'q'")):
        found = command(box, "out", "none", **{"lora_rank": 3, **change})
        assert found.returncode and word in found.stderr and "trained further" in found.stderr, (change, found.stderr)
    train(box, "out", "also", lora_rank=3, lora_alpha=8, lora_targets="v q")
    # Patterns keep their order, of which the first that fits counts.
    patterns = {"v": 9, ".*block.0.*": 1.5}
    with open(os.path.join(box, "also", "adapter_config.json"), "w", encoding="utf-8") as out:
        json.dump({**first, "alpha_pattern": patterns}, out)
    other = open_model(os.path.join(box, "also"))
    assert other.info["version"] != open_model(os.path.join(box, "out")).info["version"]
    other.train(pool, rate=0.05, updates=2, lora_rank=3)
    other.save(os.path.join(box, "patterns"))
    assert open_model(os.path.join(box, "patterns")).info["version"] == other.info["version"]
    assert list(config_of(os.path.join(box, "patterns"))["alpha_pattern"]) == list(patterns)


def the_best_is_kept(box):
    """The folder of the best validation holds the adapter as it was then."""
    folder(box, "llama")
    train(box, "llama", "out", lora_rank=2, updates=6, validation=[PAIRS], validate_every=2)
    assert sorted(os.listdir(os.path.join(box, "out"))) == ["adapter_config.json", "adapter_model.safetensors"]
    train(box, "llama", "last", lora_rank=2, updates=6)
    assert bytes_of(box, "out", "adapter_model.safetensors") == bytes_of(box, "last", "adapter_model.safetensors")


def what_is_not_trained_is_refused(box):
    base = folder(box, "qwen3")
    for targets, word in (("lm_head", "lm_head.weight, which is no matrix of a block"), ("q_proj no_proj", "no module 'no_proj'"),
                          ("proj", "no module 'proj'"),
                          ("layers.0.input_layernorm", "no module")):
        found = command(box, "qwen3", "none", lora_rank=2, lora_targets=targets)
        assert found.returncode and word in found.stderr and not os.path.exists(os.path.join(box, "none")), (targets, found.stderr)
    # A table of words that the output or the other stack has, too.
    for name, target in (("llama-tied", "embed_tokens"), ("t5", "shared"), ("marian", "shared")):
        found = command(box, os.path.basename(folder(box, name)), "none", lora_rank=2, lora_targets=target)
        assert found.returncode and "tie_word_embeddings" in found.stderr and not os.path.exists(os.path.join(box, "none")), (name, found.stderr)
    found = command(box, "qwen3", "llama-tied", lora_rank=2)
    assert found.returncode and "llama-tied holds a model" in found.stderr and "update" not in found.stderr, found.stderr
    for change, word in (({"lora_alpha": 4}, "lora_alpha needs lora_rank"), ({"lora_rank": 2, "lora_dropout": 1}, "lora_dropout"), ({"lora_rank": -1}, "lora_rank"),
                         ({"lora_rank": 70000}, "65536"), ({"lora_rank": 2, "lora_targets": ""}, "lora_targets"), ({"lora_rank": 1.5}, "lora_rank")):
        found = command(box, "qwen3", "none", **change)
        assert found.returncode and word in found.stderr, (change, found.stderr)
    pool, model = alcore.Pool(TEXTS, references=TARGETS), open_model(base)
    model.train(pool, updates=1, lora_rank=2)
    found = error(lambda: model.save(base))
    assert "holds the weights of a model" in found and not os.path.exists(os.path.join(base, "adapter_config.json")), found
    other = open_model(base)
    other.train(pool, updates=1, rate=1e-3)
    # No model is saved beside an adapter either, which transformers would put on top of it.
    held = os.path.join(box, "held")
    model.save(held)
    assert "holds an adapter" in error(lambda: other.save(held)) and not os.path.exists(os.path.join(held, "model.safetensors"))
    found = command(box, "qwen3", "held")
    assert found.returncode and "held holds an adapter" in found.stderr and "update" not in found.stderr, found.stderr
    assert "trained since" in error(lambda: other.train(pool, updates=1, lora_rank=2))
    deberta = open_model(folder(box, "deberta-class"))
    labels = alcore.Pool(TEXTS, references=["0", "1", "2"])
    assert "lora_dropout is 0 for deberta" in error(lambda: deberta.train(labels, updates=1, lora_rank=2, lora_dropout=0.5))
    assert "position_embeddings.weight, which is no matrix of a block nor the table" in error(
        lambda: open_model(folder(box, "bert-class")).train(labels, updates=1, lora_rank=2, lora_targets="query position_embeddings"))
    deberta.train(labels, updates=1, lora_rank=2)
    # An adapter with biases opens, and is not trained further.
    biased = os.path.join(box, "adapters", "llama")
    shutil.copytree(os.path.join(TORCH, "adapters", "llama"), biased)
    os.makedirs(os.path.join(box, "fixtures"))
    os.rename(language_folder(box, "llama"), os.path.join(box, "fixtures", "llama"))
    assert 'bias is "all"' in error(lambda: open_model(biased).train(pool, updates=1, lora_rank=3))


def lua_trains_adapters(box):
    folder(box, "qwen3")
    model, pool = open_model(os.path.join(box, "qwen3")), alcore.Pool(TEXTS, references=TARGETS)
    model.train(pool, rate=0.05, updates=2, seed=1, lora_rank=2, lora_alpha=4, lora_dropout=0.1, lora_targets="q_proj,o_proj")
    model.save(os.path.join(box, "python"))
    script = """local alcore = require 'alcore'
local function lines(path) local out = {} for line in io.lines(path) do out[#out + 1] = line end return out end
local model = assert(alcore.open('qwen3', {dtype = 'float32'}))
local pool = assert(alcore.pool(lines('texts.txt'), {references = lines('targets.txt')}))
assert(model:train(pool, {rate = 0.05, updates = 2, seed = 1, lora_rank = 2, lora_alpha = 4, lora_dropout = 0.1, lora_targets = 'q_proj,o_proj'}))
assert(model:save('lua'))
"""
    with open(os.path.join(box, "train.lua"), "w", encoding="utf-8") as file:
        file.write(script)
    done = subprocess.run([LUA[0], "train.lua"], cwd=box, capture_output=True, text=True, timeout=100,
                          env=dict(os.environ, LUA_CPATH="%s/?-%s.so" % (LUA[1], os.path.basename(LUA[0]))))
    assert done.returncode == 0, done.stderr
    assert bytes_of(box, "lua", "adapter_model.safetensors") == bytes_of(box, "python", "adapter_model.safetensors")


def main():
    tap = Tap()
    tap.run([the_command_writes_an_adapter, selections_take_its_folder, a_classifier_has_its_head, words_are_adapted, trainings_go_on, the_best_is_kept, what_is_not_trained_is_refused])
    if LUA:
        tap.run([lua_trains_adapters])
    else:
        tap.skip("lua_trains_adapters", "no lua5.4")
    tap.finish()


main()
