# SPDX-License-Identifier: Apache-2.0
"""alcore model train with the null module (tests/unit/model/module/null_model.c): what a configuration may say, what it passes
on, and what is refused. An update of the null module reads one example; its version counts them."""
import json
import os
import re
import subprocess
import sys

from harness import case, contains, equal, main

MODULE = {"ALCORE_MODULE_DIR": os.environ["NULL_MODEL_MODULE"]}
MIX = "kind\tsrc\ttgt\tprovenance\nsent\ta house\tein Haus\t\nphrase\ta\tein\t\nphrase\ta\tein\t\nretrieved\ta tree\tein Baum\t\n"


def begin(box, config='{"dims": 3, "best": 4}'):
    os.makedirs(os.path.join(box.path, "m"), exist_ok=True)
    box.file("m/config.json", config)
    box.file("mix.tsv", MIX)
    box.file("s.txt", "one text\nanother text\n")
    box.file("t.txt", "ein Text\nnoch ein Text\n")


def settings(**more):
    return {"model": "m", "out": "tuned", "train": [{"mix": "mix.tsv"}], **more}


def train(box, config, *args, expect=0):
    box.file("c.json", config if isinstance(config, str) else json.dumps(config))
    return box.run("model", "train", "c.json", *args, env=MODULE, expect=expect)


def refused(box, config, *words, expect=3):
    before = box.names()
    done = train(box, config, expect=expect)
    contains(done.err, *words)
    equal(sorted(set(box.names()) - {"c.json"}), sorted(set(before) - {"c.json"}))


def trained(box, folder):
    return json.loads(box.read(folder + "/config.json"))["trained"]


@case
def pairs_are_trained_on(box):
    begin(box)
    done = train(box, settings())
    contains(done.err, "4 updates; loss", "tuned")
    equal(trained(box, "tuned"), 4)
    # Two parallel files behind the first one, and a column by its name.
    box.file("c.tsv", "en\tde\nthree\tdrei\n")
    train(box, settings(train=[{"mix": "mix.tsv"}, {"texts": "s.txt", "references": "t.txt"},
                               {"texts": "c.tsv", "text_column": "en", "reference_column": "de"}]))
    equal(trained(box, "tuned"), 7)
    # A complete test set of WMT.
    box.file("w.xml", "".join("<doc id='%s' domain='%s'><src><seg id='1'>a</seg></src><ref translator='A'><seg id='1'>b</seg></ref>"
                              "<ref translator='B'><seg id='1'>c</seg></ref><hyp system='S'><seg id='1'>d</seg></hyp></doc>\n" % (name, name)
                              for name in ("x", "y")))
    whole = {"texts": "w.xml", "references": "w.xml", "side": "src"}
    train(box, settings(train=[{**whole, "translator": "B"}, {**whole, "system": "S", "domain": "x"}]))
    equal(trained(box, "tuned"), 3)
    refused(box, settings(train=[whole]), "c.json: train[0] cannot be read", "several sides", expect=2)


@case
def a_classifier_is_trained(box):
    begin(box, '{"dims": 3, "calls": 389}')
    box.file("l.tsv", "text\tlabel\na\t1\nb\t0\nc\t1\n")
    labels = [{"texts": "l.tsv", "reference_column": "label"}]
    done = train(box, settings(train=labels, validation=labels, metric="accuracy"), "--json")
    found = json.loads(done.out)["validation"]
    equal((found["metric"], found["rows"], found["best_update"]), ("accuracy", 3, 3))
    assert found["best"] in (0, 1 / 3, 2 / 3, 1), found
    equal(trained(box, "tuned"), 5)
    box.file("l.tsv", "text\tlabel\na\tcat\n")
    refused(box, settings(train=labels), "'cat' is no class")


@case
def errors_name_the_file_and_the_record(box):
    begin(box, '{"dims": 3, "calls": 389}')
    box.file("l.tsv", "text\tlabel\na\t1\nb\t0\n")
    box.file("k.tsv", "text\tlabel\na\t1\n\t\nb\tcat\n")
    labels, wrong = ({"texts": name, "reference_column": "label"} for name in ("l.tsv", "k.tsv"))
    refused(box, settings(train=[labels, wrong]), "alcore: c.json: train[1]: record 3 of k.tsv\n", "'cat' is no class")
    refused(box, settings(train=[labels], validation=[labels, wrong], metric="accuracy"),
            "alcore: c.json: validation[1]: record 3 of k.tsv\n", "'cat' is no class")


@case
def a_chat_is_trained_on(box):
    """A language model learns targets behind its prompt as a turn of a chat, which fits or is an error."""
    begin(box, '{"dims": 3, "tokens": 1, "calls": 963, "longest": 12}')
    box.file("m/vocab.txt", "".join(word + "\n" for word in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "one", "text", "another", "user")))
    box.file("m/chat_template.jinja", "{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}")
    pairs = [{"texts": "s.txt", "references": "t.txt"}]
    told = "the chat template of the folder (chat_template.jinja) is not used"
    for chat, prompt, used in ((None, None, False), (None, "{text}", False), ("", "{text}", True), ("text", "{text}", True)):
        more = {key: value for key, value in (("chat", chat), ("prompt", prompt)) if value is not None}
        done = train(box, settings(train=pairs, **more))
        equal((told in done.err, trained(box, "tuned")), (not used, 2))
    box.file("s.txt", "one text\n" + "another text " * 5 + "\n")
    refused(box, settings(train=pairs, chat="", prompt="{text}"), "c.json: train[0]: record 2 of s.txt\n",
            "row 1 (id 2): the text in its prompt has 11 tokens and its reference 3, and the model m reads 12")
    refused(box, settings(train=pairs, chat=""), "c.json: chat needs prompt")
    refused(box, settings(train=pairs, chat=1, prompt="{text}"), "c.json: chat: a string is needed")
    box.file("m/chat_template.jinja", "{% if true %}")
    refused(box, settings(train=pairs, chat="", prompt="{text}"), "c.json: chat cannot be set", "line 1 of the chat_template: an if without endif")


@case
def the_language_of_references_is_set(box):
    begin(box, '{"dims": 3}')
    train(box, settings(to="de_DE"))
    begin(box, '{"dims": 3, "calls": 389}')
    refused(box, settings(to="de_DE"), "c.json: to cannot be set", "has no outputs in a language", expect=6)


@case
def settings_reach_the_engine(box):
    begin(box)
    done = train(box, settings(optimizer="adam", rate=0.5, weight_decay=0.25, beta1=0.75, beta2=0.5, epsilon=0.125, clip=2,
                               label_smoothing=0.1, updates=9, warmup=3, accumulate=2, batch_tokens=64, schedule="cosine", seed=7,
                               precision="bfloat16", recompute=True, lora_rank=4, lora_alpha=16, lora_dropout=0.1, lora_targets="q_proj,v_proj"))
    contains(done.err, "rate 0.5, decay 0.25, betas 0.75 0.5, epsilon 0.125, clip 2, smoothing 0.1, warmup 3, accumulate 2, "
             "batch_tokens 64, schedule 3, optimizer 1, seed 7, dtype 102, recompute 1, lora 4 16 0.1 q_proj,v_proj, weights\n", "9 updates;")
    equal("train: " in train(box, settings(), "--quiet").err, False)


@case
def kinds_and_files_have_weights(box):
    begin(box)
    files = [{"mix": "mix.tsv", "weight": 2}, {"texts": "s.txt", "references": "t.txt", "weight": 0.5}]
    contains(train(box, settings(train=files)).err, "weights 2 2 2 2 0.5 0.5\n")
    contains(train(box, settings(train=files, kind_weights={"phrase": 0.25, "retrieved": 3})).err, "weights 2 0.5 0.5 6 0.5 0.5\n")
    contains(train(box, settings(kind_weights={"sent": 1})).err, "weights 1 1 1 1\n")
    box.file("ids.tsv", "id\ttext\na\tone\nb\ttwo\n")
    box.file("other.tsv", "id\ttext\nc\teins\nd\tzwei\n")
    pair = {"texts": "ids.tsv", "references": "other.tsv"}
    refused(box, settings(train=[pair]), "ids.tsv and other.tsv have no id in common")
    contains(train(box, settings(train=[{**pair, "by": "line", "weight": 3}])).err, "weights 3 3\n")
    refused(box, settings(train=[{**pair, "by": "lines"}]), "c.json: train[0].by: one of auto|line|id")
    refused(box, settings(kind_weights={"phrases": 2}), "c.json: kind_weights.phrases: no pair of train is of this kind")
    refused(box, settings(kind_weights={"phrase": 0}), "c.json: kind_weights.phrase: a number above 0")
    refused(box, settings(train=[{"mix": "mix.tsv", "weight": 0}]), "c.json: train[0].weight: a number above 0")
    refused(box, settings(train=[{"mix": "-"}], kind_weights={"phrase": 2}), "c.json: train[0].mix: with kind_weights a file is read twice")


# Once its pipe is open for reading, another file has the name of the pipe.
CHANGE = """import os
with open('pairs.tsv', 'w') as pipe:
    os.rename('second.tsv', 'pairs.tsv')
    pipe.write(open('mix.tsv').read())
"""


@case
def a_file_that_changes_while_it_is_read_is_refused(box):
    """With weights of kinds a file is read twice; here the second time has more pairs, or fewer."""
    begin(box)
    for second in (MIX + 50000 * "phrase\ta\tein\t\n", MIX[:MIX.index("phrase")]):
        os.mkfifo(os.path.join(box.path, "pairs.tsv"))
        box.file("second.tsv", second)
        changing = subprocess.Popen([sys.executable, "-c", CHANGE], cwd=box.path)
        try:
            done = train(box, settings(train=[{"mix": "pairs.tsv"}], kind_weights={"phrase": 2}), expect=3)
        finally:
            changing.kill()
            changing.wait()
        contains(done.err, "c.json: train[0]: pairs.tsv changed while it was read")
        os.remove(os.path.join(box.path, "pairs.tsv"))
        equal(box.exists("tuned"), False)


@case
def the_best_model_is_kept(box):
    begin(box)
    pairs = [{"texts": "s.txt", "references": "t.txt"}]
    config = settings(validation=pairs, validate_every=2, updates=20, patience=2, checkpoints="kept", checkpoint_every=2)
    done = train(box, config, "--json")
    contains(done.err, "update 4: loss", "the best is", "of update 4", "patience ended the training")
    equal(trained(box, "tuned"), 4)
    found = json.loads(done.out)
    equal((found["updates"], found["resumed"], found["settings"], found["rows"]), (8, 0, config, 4))
    equal((found["validation"]["best_update"], found["validation"]["stopped"]), (4, True))
    equal((found["trained_parameters"], found["parameters"]), (30, 30))
    # The same command once more: nothing is left to do. A best model that is gone is missed.
    done = train(box, config, "--json")
    contains(done.err, "goes on after update 8 of 20", "8 updates, 8 of them before this run")
    equal({**json.loads(done.out), "resumed": 0, "seconds": 0, "tokens": 0, "loss": 0},
          {**found, "resumed": 0, "seconds": 0, "tokens": 0, "loss": 0})
    os.remove(os.path.join(box.path, "tuned/config.json"))
    refused(box, config, "its best model is no longer in tuned", expect=4)


@case
def a_training_goes_on(box):
    begin(box)
    config = settings(updates=6, checkpoints="kept", checkpoint_every=2)
    train(box, config)
    box.file("kept/config.json", '{"dims": 3, "update": 4, "trained": 4}')
    contains(train(box, config).err, "goes on after update 4 of 6", "6 updates, 4 of them before this run")
    equal(trained(box, "tuned"), 6)


@case
def a_loss_that_is_not_finite_is_null(box):
    begin(box, '{"dims": 3, "infinite": 1}')
    found = json.loads(train(box, settings(), "--json").out)
    equal((found["loss"], found["updates"], trained(box, "tuned")), (None, 4, 4))


VOCABULARY = "[PAD]\n[CLS]\n[SEP]\n[UNK]\na\n"


def begin_from_scratch(box, model, tokenizer):
    """A tokenizer of two files in the folder tok, and the configuration of a new model."""
    begin(box)
    os.makedirs(os.path.join(box.path, "tok"), exist_ok=True)
    box.file("tok/vocab.txt", VOCABULARY)
    box.file("tok/tokenizer_config.json", '{"do_lower_case": true}')
    return settings(model=model, from_scratch={"config": {"dims": 3, "best": 1}, "tokenizer": tokenizer})


@case
def a_new_model_is_made(box):
    config = begin_from_scratch(box, "new", "tok")
    box.file("tok/notes.txt", "not of a tokenizer\n")
    train(box, config)
    equal(sorted(os.listdir(os.path.join(box.path, "new"))), ["config.json", "tokenizer_config.json", "vocab.txt"])
    equal(box.read("new/vocab.txt"), box.read("tok/vocab.txt"))
    equal(json.loads(box.read("new/config.json")), {"dims": 3, "best": 1})
    train(box, config)
    config["from_scratch"]["config"]["best"] = 2
    refused(box, config, "c.json: from_scratch.config: new/config.json is there already and differs")
    config["model"], config["from_scratch"]["tokenizer"] = "newer", "tok/vocab.txt"
    train(box, config)
    equal(sorted(os.listdir(os.path.join(box.path, "newer"))), ["config.json", "vocab.txt"])
    # A model of sentencepiece gets the name under which a folder has it.
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tokenizer", "fixtures", "t5_pieces", "spiece.model"), "rb") as file:
        pieces = file.read()
    for name in ("words.model", "words.spm"):
        config["model"], config["from_scratch"]["tokenizer"] = "of-" + name[6:], box.file(name, pieces)
        train(box, config)
        equal(sorted(os.listdir(os.path.join(box.path, config["model"]))), ["config.json", "spiece.model"])
        equal(box.read(config["model"] + "/spiece.model"), pieces)
        train(box, config)


@case
def the_tokenizer_of_a_model_that_is_there_is_compared(box):
    config = begin_from_scratch(box, "new", "tok")
    train(box, config)
    for name, text in (("vocab.txt", VOCABULARY.replace("a", "b")), ("vocab.txt", VOCABULARY + "b\n"), ("tokenizer_config.json", "{}")):
        before = box.read("tok/" + name)
        box.file("tok/" + name, text)
        refused(box, config, "c.json: from_scratch.tokenizer: new/%s is there already and differs from tok/%s" % (name, name))
        box.file("tok/" + name, before)
    os.remove(os.path.join(box.path, "new/vocab.txt"))
    refused(box, config, "c.json: from_scratch.tokenizer: new/vocab.txt is there already and differs")
    config["from_scratch"]["tokenizer"] = "nowhere"
    refused(box, config, "c.json: from_scratch.tokenizer: nowhere: ", expect=4)


@case
def a_tokenizer_that_cannot_be_used_is_refused(box):
    """Nothing is left of the folder, and a folder that was there has no config.json."""
    config = begin_from_scratch(box, "new", "tok")
    for tokenizer, word, code in (("s.txt", "no file of a tokenizer", 3), ("nowhere", "nowhere", 4), ("m", "no file of a tokenizer", 3)):
        config["from_scratch"]["tokenizer"] = tokenizer
        refused(box, config, "c.json: from_scratch.tokenizer: ", word, expect=code)
    config["from_scratch"]["tokenizer"] = "tok"
    box.file("tok/vocab.txt", "a\n")
    refused(box, config, "c.json: from_scratch.tokenizer: tok cannot be used", "new/vocab.txt: ")
    os.remove(os.path.join(box.path, "tok/vocab.txt"))
    refused(box, config, "c.json: from_scratch.tokenizer: tok cannot be used", "new: no tokenizer here", expect=4)
    config["from_scratch"]["tokenizer"] = box.file("tokenizer.model", "a sentencepiece model that is none")
    refused(box, config, "c.json: from_scratch.tokenizer: tokenizer.model cannot be used", "new/spiece.model")
    os.mkdir(os.path.join(box.path, "new"))
    refused(box, config, "c.json: from_scratch.tokenizer: tokenizer.model cannot be used")
    equal(os.listdir(os.path.join(box.path, "new")), ["spiece.model"])


@case
def wrong_keys_and_values_are_named(box):
    begin(box)
    refused(box, "{", "c.json:1")
    refused(box, "[]", "c.json: an object is needed")
    refused(box, '{"model": "m", "model": "n"}', "c.json:1", "model")
    for key in ("model", "out", "train"):
        config = settings()
        del config[key]
        refused(box, config, "c.json: %s is missing" % key)
    refused(box, settings(learning_rate=1), "c.json: learning_rate: there is no such key")
    refused(box, settings(warmups=1), "c.json: warmups: there is no such key; did you mean 'warmup'?")
    for key, values, word in (
            ("rate", [0, -1, "1", None, True], "a number above 0"), ("epsilon", [0, -1e-8], "a number above 0"),
            ("beta1", [1, -0.5], "a number from 0 on and below 1"), ("beta2", [1.5], "a number from 0 on and below 1"),
            ("weight_decay", [-1], "a number from 0 on"), ("label_smoothing", [1, -0.1], "a number from 0 on and below 1"),
            ("updates", [-1, 1.5, "1"], "an integer from 0 on"), ("schedule", ["step", 1], "one of constant|linear|inverse_sqrt|cosine"),
            ("optimizer", ["sgd"], "one of adamw|adam"), ("model", [1, ""], "a string that is not empty"),
            ("train", [{}, [], "mix.tsv"], "a list of one file or more"), ("kind_weights", [[], 1], "an object is needed"),
            ("metric", ["ter"], "one of loss|bleu|accuracy"), ("precision", ["float64", 16], "one of float32|bfloat16|float16"),
            ("recompute", [1, "yes"], "true or false")):
        for value in values:
            refused(box, settings(**{key: value}), "c.json: %s: %s" % (key, word))
    for file, word in (
            (1, "train[0]: an object"), ({}, "train[0]: either mix or texts"), ({"mix": "mix.tsv", "texts": "s.txt"}, "either mix or texts"),
            ({"mix": "mix.tsv", "references": "t.txt"}, "train[0]: references and columns go with texts"),
            ({"text": "s.txt"}, "train[0].text: there is no such key; did you mean 'texts'?"),
            ({"texts": "s.txt", "weight": "1"}, "train[0].weight: a number above 0"),
            ({"mix": "mix.tsv", "whole": True}, "train[0]: references and columns go with texts"),
            ({"texts": "s.txt", "references": "t.txt", "whole": True}, "train[0]: record 1 of s.txt has a reference"),
            ({"texts": "s.txt"}, "train[0]: record 1 of s.txt has no reference")):
        refused(box, settings(train=[file]), "c.json: ", word)
    refused(box, settings(validation=[{"mix": "mix.tsv", "weight": 2}]), "c.json: validation[0].weight: rows of validation have no weights")
    refused(box, settings(from_scratch={"config": {}}), "c.json: from_scratch.tokenizer is missing")
    for key in ("metric", "validate_every", "patience"):
        refused(box, settings(**{key: "loss" if key == "metric" else 1}), "c.json: %s needs validation" % key)
    refused(box, settings(checkpoint_every=1), "c.json: checkpoint_every needs checkpoints")
    refused(box, settings(validation=[{"texts": "s.txt", "references": "t.txt"}], patience=2), "c.json: patience needs validate_every")


@case
def every_key_is_documented(box):
    """docs/models.md has a row for each key of the configuration, and no other; its example uses keys that are known."""
    begin(box)
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    with open(os.path.join(root, "bindings", "cli", "train_config.c"), encoding="utf-8") as file:
        source = file.read()
    with open(os.path.join(root, "docs", "models.md"), encoding="utf-8") as file:
        page = file.read().split("### The command")[1].split("### From scratch")[0]

    def keys_of(table):
        return re.findall(r'^ +\{"(\w+)", ', source.split(table)[1].split("};")[0], re.M)

    cells = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    equal(sorted(re.findall(r"`(\w+)`", cells)), sorted(keys_of("config_keys[]")))
    for key in keys_of("file_keys[]") + keys_of("scratch_keys[]"):
        contains(page, key)
    example = json.loads("\n".join(line for line in page.splitlines() if line.startswith("    ")))
    equal(sorted(set(example) - set(keys_of("config_keys[]"))), [])
    refused(box, {**example, "no_key": 1}, "c.json: no_key: there is no such key")


@case
def missing_files_and_folders_are_named(box):
    begin(box)
    contains(box.run("model", "train", "nowhere.json", env=MODULE, expect=4).err, "nowhere.json")
    refused(box, settings(train=[{"mix": "mix.tsv"}, {"mix": "none.tsv"}]), "c.json: train[1] cannot be read", "none.tsv", expect=4)
    refused(box, settings(train=[{"texts": "s.txt", "references": "no.txt"}]), "c.json: train[0] cannot be read", "no.txt", expect=4)
    refused(box, settings(train=[{"mix": "s.txt"}]), "c.json: train[0]", "s.txt is read as text, which has no columns")
    refused(box, settings(model="none"), "c.json: model cannot be opened", "none", expect=4)
    refused(box, settings(out="deep/er"), "c.json: out: deep/er cannot be made", expect=4)
    refused(box, settings(checkpoints="deep/er"), "c.json: checkpoints: deep/er cannot be made", expect=4)
    refused(box, settings(out="s.txt"), "c.json: out: s.txt is no folder", expect=4)
    refused(box, settings(out="m/"), "c.json: model and out are one folder, m; take two")
    refused(box, settings(checkpoints="tuned"), "c.json: out and checkpoints are one folder")
    refused(box, settings(checkpoints="./tuned//"), "c.json: out and checkpoints are one folder")
    config = begin_from_scratch(box, "new", "tok")
    for out in ("new/", ".//new", "new"):
        refused(box, {**config, "out": out}, "c.json: model and out are one folder, new; take two")
    # A link to a folder that is not there yet is seen when it has been made.
    os.symlink("new", os.path.join(box.path, "link"))
    contains(train(box, {**config, "out": "link"}, expect=3).err, "c.json: model and out are one folder, new; take two")
    equal(json.loads(box.read("new/config.json")), {"dims": 3, "best": 1})
    box.file("empty.tsv", "kind\tsrc\ttgt\n")
    refused(box, settings(train=[{"mix": "empty.tsv"}]), "c.json: train: the files have no text")


@case
def other_options_are_refused(box):
    begin(box)
    for option in (["--out", "x"], ["--text-column", "en"], ["--format", "tsv"], ["--bad-lines", "mask"]):
        contains(train(box, settings(), *option, expect=2).err, "model train takes no %s; the configuration says it" % option[0])
    contains(train(box, settings(), "--beam", "2", expect=2).err, "model train takes no --beam; model translate does")
    contains(box.run("model", "train", "c.json", "x", expect=2).err, "model train takes CONFIG.json; 2 operands were given")
    contains(train(box, settings(), "--device", "cuda", expect=6).err, "CPU alone")


if __name__ == "__main__":
    sys.exit(main())
