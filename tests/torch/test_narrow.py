#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models in bfloat16 and int8 on the CPU beside float32, by the processor's instructions for these types and without them: vectors,
log-probabilities and outputs of every kind of model; caches; what is refused. In TAP. usage: test_narrow.py BUILD

Instructions are held back as torch's own kernels are, by ATEN_CPU_CAPABILITY, in a process of its own: this program with a second
argument, which prints what the models give as JSON."""
import json
import math
import os
import struct
import subprocess
import sys

BUILD = sys.argv[1]
TORCH = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(TORCH, "..", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from model_keys_folder import TARGETS, TEXTS, make_folder  # noqa: E402
from refusals import error  # noqa: E402
from tap import Tap  # noqa: E402

#: The largest difference to float32, of components of vectors of a length of 4 to 20 and of
#: log-probabilities, on random weights of 16 dimensions, where rounding weighs more than in real
#: models.
FAR = {"bfloat16": 0.2, "int8": 0.5}
#: The same to the computation without the processor's instructions, where the order of float32 sums
#: rounds an input to another step. Of most texts no input is that near the middle between two
#: steps, and they differ by SUMS at most.
NEAR = {"bfloat16": 0.01, "int8": 0.1}
SUMS = 1e-5
ENCODERS = ["bert", "roberta", "distilbert", "albert", "rembert", "xlmrobertaxl", "t5-encoder", "mpnet", "modernbert", "eurobert", "nomic",
            "deberta", "deberta-wide"]
SEQ2SEQ = ["marian", "bart", "mbart", "m2m100", "t5", "mt5"]
LANGUAGES = ["llama", "mistral", "qwen2", "qwen3", "gemma3"]


def folder(box, family, files=None):
    path = os.path.join(box, "%s-%d" % (family, len(os.listdir(box))))
    make_folder(os.path.join(TORCH, "fixtures", family), files or {}, path)
    return path


def folder_of_64_words(box):
    """A Gemma with 64 rows of words in place of 60, which its output shares: in bfloat16 the packed table takes the place of the words,
    that are read from it."""
    path = folder(box, "gemma3")
    file = os.path.join(path, "model.safetensors")
    with open(file, "rb") as read:
        data = read.read()
    size = struct.unpack("<Q", data[:8])[0]
    header, values, at = json.loads(data[8:8 + size]), [], 0
    for name, entry in sorted(header.items()):
        if name == "__metadata__":
            continue
        own = data[8 + size + entry["data_offsets"][0]:8 + size + entry["data_offsets"][1]]
        if name.endswith("embed_tokens.weight"):
            assert entry["shape"][0] == 60 and entry["dtype"] == "F32", entry
            entry["shape"][0], own = 64, own + own[:len(own) // 15]
        entry["data_offsets"] = [at, at + len(own)]
        values.append(own)
        at += len(own)
    text = json.dumps(header).encode()
    with open(file, "wb") as write:
        write.write(struct.pack("<Q", len(text)) + text + b"".join(values))
    with open(os.path.join(path, "config.json"), encoding="utf-8") as read:
        config = json.load(read)
    assert config["tie_word_embeddings"], config
    config["vocab_size"] = 64
    with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as write:
        json.dump(config, write)
    return path


def results(path, dtype):
    """Rows of numbers: vectors, and of a model with outputs log-probabilities too; and the outputs."""
    model = alcore.Model.open(path, dtype=dtype)
    rows = [list(row) for row in model.embed(TEXTS).tolist()]
    if not model.can("logprobs"):
        return rows, []
    return rows + model.score(TEXTS, TARGETS), model.translate(TEXTS, beams=2, max_tokens=6)


def everything(box):
    """{family: {dtype: results}}, all of the model's families."""
    makers = {family: lambda box, family=family: folder(box, family) for family in ENCODERS + SEQ2SEQ + LANGUAGES}
    makers["gemma3 of 64 words"] = folder_of_64_words
    return {family: {dtype: results(make(box), dtype) for dtype in ("float32", *FAR)} for family, make in makers.items()}


def difference(a, b):
    assert list(map(len, a)) == list(map(len, b))
    return max(abs(x - y) for one, other in zip(a, b) for x, y in zip(one, other))


def types_are_near_float32_and_each_other(box):
    here = everything(box)
    held_back = subprocess.run([sys.executable, __file__, BUILD, box], capture_output=True, text=True, timeout=300,
                               env={**os.environ, "ATEN_CPU_CAPABILITY": "avx2"})
    assert held_back.returncode == 0, held_back.stderr
    there, moved, rows = json.loads(held_back.stdout), 0, 0
    for family, found in here.items():
        for dtype in FAR:
            far = difference(found[dtype][0], found["float32"][0])
            assert 1e-6 < far < FAR[dtype], "%s in %s is %g from float32" % (family, dtype, far)
            assert len(found[dtype][0]) == len(there[family][dtype][0])
            for one, other in zip(found[dtype][0], there[family][dtype][0]):
                near = difference([one], [other])
                assert near < NEAR[dtype], "%s in %s is %g from what is computed without instructions" % (family, dtype, near)
                moved, rows = moved + (near > SUMS), rows + 1
            assert [len(text) > 0 for text in found[dtype][1]] == [len(text) > 0 for text in found["float32"][1]]
    print("# %d of %d results moved by more than %g" % (moved, rows, SUMS))
    assert moved < rows / 25, "%d of %d differ from what is computed without instructions" % (moved, rows)


def results_do_not_depend_on_the_batch(box):
    """A text alone, and among others: scales belong to tokens."""
    for family in ("bert", "marian", "qwen3"):
        for dtype in FAR:
            model = alcore.Model.open(folder(box, family), dtype=dtype)
            many = [TEXTS[i % 3] for i in range(120)]
            found, alone = model.embed(many).tolist(), model.embed(TEXTS).tolist()
            assert difference(found, [alone[i % 3] for i in range(120)]) < 2e-5, (family, dtype)


def caches_know_the_type(box):
    path, cache, seen, versions = folder(box, "bert"), os.path.join(box, "cache"), [], []
    for dtype in ("float32", *FAR):
        model = alcore.Model.open(path, dtype=dtype)
        plain = model.embed(TEXTS).tolist()
        model.set_cache(cache)
        assert model.embed(TEXTS).tolist() == plain == model.embed(TEXTS).tolist()
        assert plain not in seen, dtype
        seen.append(plain)
        assert model.info["description"]["dtype"] == {"float32": "Float", "bfloat16": "BFloat16", "int8": "Int8"}[dtype], model.info
        assert model.info["version"] not in versions, model.info
        versions.append(model.info["version"])


def changed(path, name, change):
    """Changes the float32 values of a tensor in model.safetensors."""
    file = os.path.join(path, "model.safetensors")
    with open(file, "rb") as read:
        data = bytearray(read.read())
    size = struct.unpack("<Q", data[:8])[0]
    entry = json.loads(data[8:8 + size])[name]
    first, end = (8 + size + offset for offset in entry["data_offsets"])
    values = list(struct.unpack("<%df" % ((end - first) // 4), data[first:end]))
    change(values, entry["shape"])
    data[first:end] = struct.pack("<%df" % len(values), *values)
    with open(file, "wb") as write:
        write.write(data)


def weights_that_are_zero_or_no_numbers(box):
    name = "encoder.layer.0.intermediate.dense.weight"

    def odd(value):
        def change(values, shape):
            values[shape[1]:2 * shape[1]] = [value] * shape[1]
        return change

    for dtype in ("float32", *FAR):
        path = folder(box, "bert")
        with open(os.path.join(path, "model.safetensors"), "rb") as file:
            data = file.read()
        names = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
        full = next(one for one in names if one.endswith(name))
        changed(path, full, odd(0.0))
        assert all(map(math.isfinite, sum(alcore.Model.open(path, dtype=dtype).embed(TEXTS).tolist(), [])))
        for value in (math.nan, math.inf):
            changed(path, full, odd(value))
            try:
                alcore.Model.open(path, dtype=dtype).embed(TEXTS)
                raise AssertionError("%s of %g gave vectors" % (dtype, value))
            except alcore.Error as problem:
                assert "finite" in str(problem), problem


def what_is_refused(box):
    path = folder(box, "marian")
    pool = alcore.Pool(TEXTS, references=TARGETS)
    for dtype in FAR:
        found = error(lambda: alcore.Model.open(path, dtype=dtype).train(pool, rate=0.1, updates=1))
        assert "its weights are not float32" in found and "precision" in found and "neither" not in found, (dtype, found)
    assert "int8" in error(lambda: alcore.Model.open(path, dtype="int8").save(os.path.join(box, "copy")))
    assert "int8" in error(lambda: alcore.Model.open(path, dtype="int4"))


def saved_in_bfloat16(box):
    """The copy has the weights of the model that was opened, and a folder that has changed since then is not copied in silence."""
    path, copy = folder(box, "marian"), os.path.join(box, "copy")
    model = alcore.Model.open(path, dtype="bfloat16")
    model.save(copy)
    again = alcore.Model.open(copy, dtype="bfloat16")
    assert again.score(TEXTS, TARGETS) == model.score(TEXTS, TARGETS)
    changed(path, "model.encoder.layers.0.fc1.weight", lambda values, shape: values.__setitem__(0, values[0] + 1))
    assert "fc1" in error(lambda: model.save(os.path.join(box, "other")))


def main():
    if len(sys.argv) > 2:
        box = os.path.join(sys.argv[2], "held-back")
        os.mkdir(box)
        return print(json.dumps(everything(box)))
    tap = Tap()
    tap.run([types_are_near_float32_and_each_other, results_do_not_depend_on_the_batch, caches_know_the_type,
             weights_that_are_zero_or_no_numbers, what_is_refused, saved_in_bfloat16])
    tap.finish()


main()
