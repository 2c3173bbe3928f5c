# SPDX-License-Identifier: Apache-2.0
"""Texts through a model of a module, the null module (tests/unit/model/module/null_model.c), whose answers are known."""
import gc
import json
import math
import os

import pytest

import alcore

TEXTS = ["a patient with fever", "no headache", "no fever"]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "patient", "with", "fever", "no", "headache"]


@pytest.fixture
def context():
    with alcore.Context(module_dir=os.environ["NULL_MODEL_MODULE"]) as made:
        yield made


@pytest.fixture
def folder(tmp_path):
    """A folder whose model takes token ids."""
    (tmp_path / "config.json").write_text('{"dims": 3, "tokens": 1}')
    (tmp_path / "vocab.txt").write_text("".join(word + "\n" for word in WORDS))
    return tmp_path


def ids_of(text):
    return [WORDS.index(word) for word in ["[CLS]"] + text.split() + ["[SEP]"]]


def hash_of(ids):
    found = 14695981039346656037
    for byte in b"".join(number.to_bytes(8, "little") for number in ids):
        found = (found ^ byte) * 1099511628211 % 2 ** 64
    return found


def logprobs_of(ids, count):
    return [-(1 + hash_of(ids) % (k + 7)) / 8 for k in range(count)]


def test_info(context, folder):
    model = alcore.Model.open(folder, context=context)
    assert model.info["family"] == "null" and model.info["engine"] == "null-1" and model.info["device"] == "cpu"
    assert (model.info["dims"], model.info["max_tokens"], model.info["vocabulary"]) == (3, 512, 256)
    assert all(model.info[call] is True for call in ("translates", "scores", "trains", "saves"))
    assert model.info["description"] == {"family": "null"}
    ngram = alcore.Model.ngram(context=context).info
    assert ngram["description"] is None and ngram["translates"] is False


def test_prompts_and_warnings(context, folder):
    (folder / "config.json").write_text('{"dims": 3, "tokens": 1, "model_type": "bert"}')
    plain, asked = alcore.Model.open(folder, context=context), alcore.Model.open(folder, prompt="no ", context=context)
    assert plain.info["prompt"] is None and asked.info["prompt"] == "no "
    assert plain.info["warnings"] == ["config.json: the key '%s' is not known and not obeyed" % key for key in ("dims", "tokens")]
    assert asked.embed(["fever"]).tolist() == plain.embed(["no fever"]).tolist()
    with pytest.raises(alcore.ParamError, match="it has none"):
        alcore.Model.open(folder, prompt_name="query", context=context)


def test_embed(context, folder):
    model = alcore.Model.open(folder, context=context)
    found = model.embed(TEXTS + TEXTS[:1] + [""])
    assert [list(row) for row in found.tolist()[:4]] == \
        [[(hash_of(ids_of(text)) >> j & 255) / 256 for j in range(3)] for text in TEXTS + TEXTS[:1]]
    assert all(math.isnan(value) for value in found.tolist()[4])
    assert kind_of(found) == "f"


def kind_of(array):
    """The letter of the array's numbers: of NumPy's and of a memoryview."""
    return array.dtype.char if hasattr(array, "dtype") else array.format


def test_embeddings_are_the_numbers_of_the_model(context, folder):
    """In place, in float32, alive after the model, for the caller to change and to hand on by DLPack."""
    found = alcore.Model.open(folder, context=context).embed(TEXTS)
    gc.collect()
    assert kind_of(found) == "f"
    assert [list(row) for row in found.tolist()] == [[(hash_of(ids_of(text)) >> j & 255) / 256 for j in range(3)] for text in TEXTS]
    if not hasattr(found, "__dlpack__"):
        return
    import numpy
    shared = numpy.from_dlpack(found)
    assert numpy.shares_memory(shared, found)
    found[0, 0] = 7
    assert shared[0, 0] == 7
    assert alcore.Model.open(folder, context=context).embed(TEXTS)[0, 0] != 7


def test_translate(context, folder):
    model = alcore.Model.open(folder, context=context)
    expected = [" ".join(reversed(text.split())) for text in TEXTS]
    assert model.translate(TEXTS) == expected
    assert model.translate(TEXTS[:1] * 2 + [""], beams=4, max_tokens=9, length_penalty=0.5, sample=True, temperature=0.5,
                           seed=2) == expected[:1] * 2 + [""]
    pool = alcore.Pool(TEXTS, ids=["x", "y", "z"], context=context)
    out = model.translate(pool)
    assert list(out) == expected and out.id(1) == "y"
    values, offsets = out.get_column("logprobs")
    assert offsets.tolist() == [0, 4, 6, 8]
    assert values.tolist()[4:6] == logprobs_of(ids_of(TEXTS[1]), 2)
    found = model.translate(TEXTS + [""], best=2)
    assert found == [[(text, -1.0), ("worse", -2.0)] for text in expected] + [[("", None)] * 2]
    twice = model.translate(pool, best=2)
    assert [twice.id(row) for row in range(6)] == ["x", "x", "y", "y", "z", "z"]
    with pytest.raises(alcore.ParamError, match="marks no language"):
        model.translate(TEXTS, language="de_DE")
    with pytest.raises(alcore.ParamError, match="beams is 65"):
        model.translate(TEXTS, beams=65)
    with pytest.raises(alcore.UnsupportedError, match="does not translate"):
        alcore.Model.ngram(context=context).translate(TEXTS)


def test_train_and_save(context, folder):
    model = alcore.Model.open(folder, context=context)
    pool = alcore.Pool(TEXTS, references=["fever", "no", "a"], context=context)
    before = model.info["version"]
    done = model.train(pool, updates=2, rate=1e-3, schedule="inverse_sqrt", warmup=1, seed=3, checkpoints=folder / "state",
                       precision="bfloat16", recompute=True)
    assert done["updates"] == 2 and done["tokens"] == done["resumed"] == done["best_update"] == 0 and done["stopped"] is False
    assert done["trained_parameters"] == done["parameters"] == 30
    after = model.info["version"]
    assert before.startswith("null-3-0-") and after.startswith("null-3-2-")  # the null module counts updates
    model.save(folder)
    assert alcore.Model.open(folder, context=context).info["version"] == after
    for targets in ("q,v", ["q", "v"]):
        done = model.train(pool, updates=1, lora_rank=2, lora_alpha=4, lora_dropout=0.5, lora_targets=targets)
        assert (done["updates"], done["trained_parameters"], done["parameters"]) == (1, 6, 30)
    with pytest.raises(alcore.ParamError, match="lora_alpha needs lora_rank"):
        model.train(pool, lora_alpha=4)
    with pytest.raises(alcore.ParamError, match="rate"):
        model.train(pool, rate=-1.0)
    with pytest.raises(ValueError, match="schedule"):
        model.train(pool, schedule="step")
    with pytest.raises(alcore.MissingError, match="row 0"):
        model.train(alcore.Pool(TEXTS, context=context))
    with pytest.raises(OSError, match="nowhere"):
        model.save("/nowhere/else")


def test_validation(context, tmp_path):
    """The loss of the null module falls up to update 4 and rises behind it."""
    (tmp_path / "config.json").write_text('{"dims": 3, "best": 4}')
    pool = alcore.Pool(TEXTS, references=["fever", "no", "a"], context=context)

    def train(**settings):
        return alcore.Model.open(tmp_path, context=context).train(pool, **settings)

    settings = {"validation": pool, "validate_every": 2, "patience": 2, "best": tmp_path / "best", "updates": 20}
    done = train(checkpoints=tmp_path / "kept", **settings)
    assert done["updates"] == 8 and done["best_update"] == 4 and done["stopped"] is True
    assert json.loads((tmp_path / "best" / "config.json").read_text())["trained"] == 4
    again = train(checkpoints=tmp_path / "kept", **settings)
    assert again["resumed"] == again["updates"] == 8 and again["best_value"] == done["best_value"] > 0
    same = alcore.Pool(TEXTS, references=TEXTS, context=context)  # the null module gives a text as its translation
    assert train(validation=same, metric="bleu", updates=1)["best_value"] == pytest.approx(100)
    assert "\tloss\t2\t" in (tmp_path / "kept" / "validations.tsv").read_text()
    for wrong, word in (({"metric": "accuracy", "validation": pool}, "no validation by accuracy"), ({"patience": 1}, "patience"),
                        ({"beta1": 1.0}, "beta1"), ({"epsilon": -1.0}, "epsilon"), ({"weights": "weight"}, "weight")):
        with pytest.raises(alcore.Error, match=word):
            train(**wrong)
    with pytest.raises(ValueError, match="optimizer"):
        train(optimizer="sgd")
    pool.set_column("weight", [1, 2, 0])
    with pytest.raises(alcore.DataError, match="row 2 .* the weight 0"):
        train(weights="weight")
    pool.set_column("weight", [1, 2, 0.5])
    assert train(weights="weight", optimizer="adam", beta1=0.5, beta2=0.5, epsilon=0.1)["updates"] == 3


def test_score(context, folder):
    model = alcore.Model.open(folder, context=context)
    targets = ["no", "fever with", "a"]
    assert model.score(TEXTS, targets) == [logprobs_of(ids_of(target), len(ids_of(target))) for target in targets]
    pool = alcore.Pool(TEXTS, references=targets, context=context)
    assert model.score(pool) is None
    assert pool.get_column("logprobs")[1].tolist() == [0, 3, 7, 10]
    with pytest.raises(ValueError, match="text 1 is empty"):
        model.score(["no", ""], ["a", "a"])
    with pytest.raises(alcore.MissingError, match="row 1 .* has no reference"):
        model.score(alcore.Pool(TEXTS[:2], references=["a", None], context=context))


def test_dropout(context, folder):
    model = alcore.Model.open(folder, context=context)
    pool = alcore.Pool(TEXTS, references=TEXTS, context=context)
    for seed, said in ((7, ", dropout of seed 7"), (2**64 - 1, ", dropout of seed 18446744073709551615"), (None, "")):
        model.set_dropout(seed)
        model.score(pool)
        assert pool.column_info("logprobs")["origin"].endswith(said + ", of the references")
    assert "dropout of seed" not in pool.column_info("logprobs")["origin"]
    with pytest.raises(alcore.UnsupportedError, match="in which dropout could be on"):
        alcore.Model.ngram(context=context).set_dropout(1)


def test_verbalizer(context, folder):
    (folder / "config.json").write_text('{"dims": 3, "tokens": 1, "calls": 579}')
    how = dict(prompt="a {text}", context=context)
    model = alcore.Model.open(folder, verbalizer=["no", "no fever"], **how)
    assert model.info["labels"] == ["no", "no fever"] and model.info["classes"] == 2
    pool = alcore.Pool(TEXTS, context=context)
    model.run(pool, "probs")
    sums = [sum(logprobs_of([WORDS.index(word) for word in label.split()], len(label.split()))) for label in ("no", "no fever")]
    wanted = [math.exp(value) / sum(map(math.exp, sums)) for value in sums]
    assert [row == pytest.approx(wanted, abs=1e-6) for row in pool.get_column("probs").tolist()] == [True] * 3
    assert len(alcore.select(alcore.Pool(TEXTS, context=context), 2, "entropy", model=model)) == 2
    with pytest.raises(alcore.ParamError, match="same tokens"):
        model.set_verbalizer(["no", " no"])
    with pytest.raises(TypeError, match="list of labels"):
        model.set_verbalizer("no")
    model.set_verbalizer(None)
    assert not model.can("probs")


def test_cut(context, folder):
    (folder / "config.json").write_text('{"dims": 3, "tokens": 1, "calls": 579, "longest": 8}')
    model = alcore.Model.open(folder, prompt="{text}", context=context)
    assert model.cut == 0
    model.run(alcore.Pool(["no fever no fever no fever no", "no"], context=context), "logprobs")
    assert model.cut == 1
    model.translate(["no"])
    assert model.cut == 0
    with pytest.raises(alcore.ParamError, match="{fever} is written {{fever}}"):
        alcore.Model.open(folder, prompt="{text} {fever}", context=context)


def test_chat(context, folder):
    (folder / "config.json").write_text('{"dims": 3, "tokens": 1, "calls": 579}')
    (folder / "chat_template.jinja").write_text("{% for m in messages %}{{ m.content }} {% endfor %}")

    def rows(model, texts):
        pool = alcore.Pool(texts, context=context)
        model.run(pool, "logprobs")
        return [part.tolist() for part in pool.get_column("logprobs")]

    how = dict(prompt="{text}", context=context)
    alone, behind = alcore.Model.open(folder, chat=True, **how), alcore.Model.open(folder, chat="no", **how)
    assert rows(behind, TEXTS) == rows(alone, ["no " + text for text in TEXTS]) != rows(alone, TEXTS)
    behind.set_chat(system="a")
    assert rows(behind, TEXTS) == rows(alone, ["a " + text for text in TEXTS])
    alone.set_chat(False)
    assert rows(alone, TEXTS) == rows(alcore.Model.open(folder, **how), TEXTS)
    (folder / "chat_template.jinja").write_text("{{ x() }}")
    with pytest.raises(alcore.UnsupportedError, match="line 1 of the chat_template: the function 'x'"):
        alcore.Model.open(folder, chat=True, **how)


def test_a_model_for_each_column(context, folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "config.json").write_text('{"dims": 5, "calls": 1}')
    pool = alcore.Pool(TEXTS, context=context)
    models = {"embeddings": other, "logprobs": alcore.Model.open(folder, context=context)}
    pool.select("1", "huds", model=models)
    assert "other" in pool.column_info("embeddings")["origin"] and pool.column_info("embeddings")["width"] == 5
    assert "other" not in pool.column_info("logprobs")["origin"]
    # The models are those of one call.
    pool.drop_column("embeddings")
    pool.select("1", "huds", model=models["logprobs"])
    assert "other" not in pool.column_info("embeddings")["origin"]
    with pytest.raises(alcore.NotFoundError, match="did you mean 'embeddings'"):
        pool.select("1", "huds", model={"embedding": other})


def test_the_cache_answers_the_second_time(context, folder, tmp_path):
    """A model that fails whenever it is asked does not fail: everything is there."""
    cache = tmp_path / "cache"
    first = alcore.Pool(TEXTS, context=context).select("1", "huds", model=folder, cache=str(cache))
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(dict(config, fail=1)))
    again = alcore.Pool(TEXTS, context=context).select("1", "huds", model=folder, cache=str(cache))
    assert again.indices == first.indices
    with pytest.raises(alcore.DataError, match="told to fail"):
        alcore.Pool(TEXTS + ["fever"], context=context).select("1", "huds", model=folder, cache=str(cache))


def test_the_torch_beside_the_package_is_found_without_an_import(tmp_path):
    """A package of that name whose library is none: the error tells which one was taken."""
    import subprocess
    import sys
    library = tmp_path / "torch" / "lib"
    library.mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").write_text("raise AssertionError('imported')")
    (library / "libtorch_cpu.so").write_text("no library")
    (tmp_path / "torch" / "version.py").write_text("from typing import Optional\n\n__version__ = '2.11.0+cpu'\n")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text('{"model_type": "bert"}')
    program = """
import alcore, sys
sys.path.insert(0, %r)
try:
    with alcore.Context(%s) as context:
        alcore.Model.open(%r, context=context)
except alcore.Error as error:
    print(error)
assert "torch" not in sys.modules
"""
    def said(arguments="", **environment):
        done = subprocess.run([sys.executable, "-c", program % (str(tmp_path), arguments, str(tmp_path / "model"))], capture_output=True,
                              text=True, env=dict(os.environ, **environment))
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "torch_dir: %s/" % library in said()
    assert "torch_dir: /nowhere/" in said("torch_dir='/nowhere'")
    assert "ALCORE_TORCH_LIBDIR: /elsewhere/" in said(ALCORE_TORCH_LIBDIR="/elsewhere")
    (tmp_path / "torch" / "version.py").write_text("__version__ = '1.13.1'\n")
    assert "torch_dir: /" not in said()


def test_a_torch_without_an_engine_names_the_release_to_install(tmp_path):
    """An engine for 2.11 and a torch 2.12 beside the package, both a few lines of C."""
    import subprocess
    import sys
    library, modules, model = tmp_path / "torch" / "lib", tmp_path / "modules", tmp_path / "model"
    for folder in (library, modules, model):
        folder.mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").write_text("raise AssertionError('imported')")
    (tmp_path / "torch" / "version.py").write_text("__version__ = '2.12.0+cpu'\n")
    (model / "config.json").write_text('{"model_type": "bert"}')
    for path, code in ((library / "libc10.so", "int libc10_of_the_test;"),
                       (library / "libtorch_cpu.so", "unsigned long aoti_torch_abi_version(void) { return 2UL << 56 | 12UL << 48; }"),
                       (modules / "libalcore-torch-2.11.so",
                        "static int t; int alcore_torch_entry(unsigned abi, void *host, const void **out) { *out = &t; return 0; }")):
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-o", str(path), "-"], input=code.encode(), check=True)
    program = "import alcore, sys\nsys.path.insert(0, %r)\nwith alcore.Context() as c:\n    alcore.Model.open(%r, context=c)\n"
    done = subprocess.run([sys.executable, "-c", program % (str(tmp_path), str(model))], capture_output=True, text=True,
                          env=dict(os.environ, ALCORE_MODULE_DIR=str(modules)))
    assert "this process uses torch 2.12" in done.stderr, done.stderr
    assert "pip install 'torch==2.11.*' lets models run" in done.stderr, done.stderr
