# SPDX-License-Identifier: Apache-2.0
"""alcore model, and models for columns of select, with the null module (tests/unit/model/module/null_model.c), whose answers
follow from the ids of a text."""
import json
import os
import sys

from harness import case, contains, equal, main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from npy_file import read_npy  # noqa: E402

MODULE = {"ALCORE_MODULE_DIR": os.environ["NULL_MODEL_MODULE"]}
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "patient", "with", "fever", "no", "headache"]
TEXTS = ["a patient with fever", "", "no headache", "no fever", "no fever"]


def folder(box, name, config, vocabulary=True):
    os.makedirs(os.path.join(box.path, name), exist_ok=True)
    box.file(name + "/config.json", config)
    if vocabulary:
        box.file(name + "/vocab.txt", "".join(word + "\n" for word in WORDS))
    return name


def begin(box):
    folder(box, "m", '{"dims": 3, "tokens": 1}')
    box.file("t.txt", "".join(text + "\n" for text in TEXTS))
    box.file("r.txt", "no\n\na\nfever with\na a a\n")


def run(box, *args, **named):
    return box.run(*args, env=MODULE, **named)


def hash_of(text):
    found = 14695981039346656037
    for word in ["[CLS]"] + text.split() + ["[SEP]"]:
        for byte in WORDS.index(word).to_bytes(8, "little"):
            found = (found ^ byte) * 1099511628211 % 2 ** 64
    return found


def logprobs_of(text, count):
    return [-(1 + hash_of(text) % (k + 7)) / 8 for k in range(count)]


def lp_of(text):
    return {line.split("\t")[0]: [float(number) for number in line.split("\t")[1].split()] for line in text.splitlines()}


@case
def info(box):
    begin(box)
    lines = dict(line.split(": ", 1) for line in run(box, "model", "info", "m").out.splitlines())
    equal((lines["family"], lines["dims"], lines["max_tokens"]), ("null", "3", "512"))
    equal(lines["actions"], "embed probs score translate train")
    equal(lines["tokenizer_tokens"], str(len(WORDS)))
    folder(box, "bare", '{"dims": 3, "tokens": 1}', vocabulary=False)
    contains(run(box, "model", "info", "bare").out, "tokenizer: none")
    found = json.loads(run(box, "model", "info", "m", "--json").out)
    equal(found["columns"], ["embeddings", "logprobs", "probs", "qa_start", "qa_end", "qa_windows"])
    equal(found["version"], lines["version"])


@case
def embed(box):
    begin(box)
    run(box, "model", "embed", "m", "t.txt", "--out", "e.npy")
    shape, numbers = read_npy(os.path.join(box.path, "e.npy"))
    equal(shape, (5, 3))
    for row, text in enumerate(TEXTS):
        wanted = tuple((hash_of(text) >> j & 255) / 256 for j in range(3))
        found = tuple(numbers[3 * row:3 * row + 3])
        assert found == wanted if text else all(number != number for number in found), (text, found)
    summary = json.loads(run(box, "model", "embed", "m", "t.txt", "--out", "e.npy", "--json").out)
    equal((summary["rows"], summary["empty"], summary["action"]), (5, 1, "embed"))
    contains(run(box, "model", "embed", "m", "t.txt", "--json", expect=2).err, "--json needs --out FILE")
    contains(run(box, "model", "embed", "m", "t.txt", "--out", "e.txt", expect=2).err, ".npy|.tsv")
    contains(run(box, "model", "embed", "m", "t.txt", "--pool", "median", "--out", "e.npy", expect=2).err, "mean|cls|first-subword")


@case
def the_settings_reach_the_library(box):
    """A folder of ready columns refuses every setting of a model that computes, by its name."""
    begin(box)
    os.makedirs(os.path.join(box.path, "ready"))
    box.npy("ready/embeddings.npy", [[1, 2]] * 5)
    for name, options in (("layer", ["--layer", "1"]), ("pooling", ["--pool", "first-subword"]), ("normalize", ["--normalize"]),
                          ("device", ["--device", "cuda"])):
        done = run(box, "model", "embed", "ready", "t.txt", "--out", "x.npy", *options, expect=2)
        contains(done.err, "ready columns, which have no %s" % name)
    equal(box.exists("x.npy"), False)
    contains(run(box, "model", "embed", "m", "t.txt", "--device", "cuda", "--out", "x.npy", expect=6).err, "CPU alone")
    contains(run(box, "select", "t.txt", "--budget", "2", "--model", "m", "--device", "cuda", expect=6).err, "CPU alone")
    run(box, "model", "embed", "m", "t.txt", "--device", "cpu", "--out", "x.npy")


@case
def tokenize(box):
    begin(box)
    ids = [[WORDS.index(word) for word in ["[CLS]"] + text.split() + ["[SEP]"]] for text in TEXTS]
    equal(box.run("model", "tokenize", "m", "t.txt").out, "".join(" ".join(map(str, line)) + "\n" for line in ids))
    box.run("model", "tokenize", "m", "t.txt", "--out", "ids.txt", "--offsets")
    equal(box.read("ids.txt").decode().splitlines()[2], "2:0-0 8:0-2 9:3-11 3:0-0")
    equal(json.loads(box.run("model", "tokenize", "m", "t.txt", "--out", "ids.txt", "--json").out)["rows"], 5)
    contains(box.run("model", "tokenize", "m", "t.txt", "--offsets", "o.npy", expect=2).err, "takes no file here")
    contains(box.run("model", "tokenize", "nowhere", "t.txt", expect=4).err, "nowhere")


@case
def score(box):
    begin(box)
    run(box, "model", "score", "m", "t.txt", "r.txt", "--out", "s.lp")
    found = lp_of(box.read("s.lp").decode())
    equal(sorted(found), ["1", "3", "4", "5"])
    equal(found["4"], logprobs_of("fever with", 4))
    equal(lp_of(run(box, "model", "score", "m", "t.txt", "r.txt").out), found)
    box.file("short.txt", "no\n")
    contains(run(box, "model", "score", "m", "t.txt", "short.txt", "--out", "x.lp", expect=3).err, "short.txt")
    equal(box.exists("x.lp"), False)


@case
def probs(box):
    begin(box)
    run(box, "model", "probs", "m", "t.txt", "--out", "p.npy")
    shape, numbers = read_npy(os.path.join(box.path, "p.npy"))
    equal(shape, (5, 2))
    equal(numbers[4], (1 + hash_of(TEXTS[2]) % 16) / 32)
    contains(run(box, "model", "probs", "m", "t.txt", "--out", "p.npy", "--offsets", "o.npy", expect=2).err, "a model of tokens")
    contains(run(box, "model", "probs", "m", "t.txt", "--out", "p.npy", "--offsets", expect=2).err, "--offsets needs a file")
    folder(box, "n", '{"dims": 3, "calls": 1}')
    contains(run(box, "model", "probs", "n", "t.txt", "--out", "q.npy", expect=3).err, "has no class probabilities", "model info n")


@case
def translate(box):
    begin(box)
    equal(run(box, "model", "translate", "m", "t.txt").out, "fever with patient a\n\nheadache no\nfever no\nfever no\n")
    run(box, "model", "translate", "m", "t.txt", "--out", "h.txt", "--scores", "h.lp", "--beam", "2", "--max-length", "9")
    equal(box.read("h.txt").decode().splitlines()[2], "headache no")
    equal(lp_of(box.read("h.lp").decode())["3"], logprobs_of("no headache", 2))
    contains(run(box, "model", "translate", "m", "t.txt", "--beam", "65", expect=2).err, "1 to 64")
    found = run(box, "model", "translate", "m", "t.txt", "--best", "2").out.splitlines()
    equal(found[:3] + found[-2:], ["id\trank\tscore\ttext", "1\t1\t-1\tfever with patient a", "1\t2\t-2\tworse",
                                   "5\t1\t-1\tfever no", "5\t2\t-2\tworse"])
    equal(len(found), 9)  # line 2 is empty and has no output
    contains(run(box, "model", "translate", "m", "t.txt", "--best", "3", "--beam", "2", expect=2).err, "more than the 2 hypotheses")
    contains(run(box, "model", "translate", "m", "t.txt", "--to", "de_DE", expect=2).err, "marks no language")
    contains(run(box, "model", "translate", "m", "t.txt", "--scores", "h.npy", expect=2).err, ".lp")
    folder(box, "bad", '{"dims": 3, "fail": 1}')
    before = box.names()
    contains(run(box, "model", "translate", "bad", "t.txt", "--out", "x.txt", "--scores", "x.lp", expect=3).err, "told to fail")
    equal(box.names(), before)


@case
def texts_that_are_cut_are_counted(box):
    """Beside a prompt of 4 tokens an input of 8 has room for 4 of the text; a text that is cut leaves 2 to the output."""
    begin(box)
    folder(box, "l", '{"dims": 3, "tokens": 1, "calls": 579, "longest": 8}')
    box.file("long.txt", "fever no fever no fever\nno\nfever no fever no\n")
    box.file("a.txt", "a a\na\na\n")
    box.file("no.txt", "no\nno\nno\n")
    prompt = ["--prompt", "a {text} patient"]
    done = run(box, "model", "translate", "l", "long.txt", *prompt, "--out", "h.txt", "--json")
    equal((json.loads(done.out)["cut"], done.err), (1, "model: l: 1 text was cut to 6 tokens for the outputs\n"))
    equal(box.read("h.txt").decode().splitlines()[0], "patient no fever a")
    done = run(box, "model", "score", "l", "long.txt", "a.txt", *prompt, "--out", "s.lp", "--json")
    equal((json.loads(done.out)["cut"], done.err), (2, "model: l: 2 texts were cut to 8 tokens for the column 'logprobs'\n"))
    done = run(box, "model", "probs", "l", "long.txt", *prompt, "--verbalizer", "a, no,no a", "--out", "p.npy", "--json")
    equal((json.loads(done.out)["cut"], done.err), (2, "model: l: 2 texts were cut to 6 tokens for the column 'probs'\n"))
    done = run(box, "model", "embed", "l", "long.txt", "--out", "e.npy", "--json")
    equal((json.loads(done.out)["cut"], done.err), (0, ""))
    contains(run(box, "model", "translate", "l", "long.txt", "--prompt", "a a a a a {text}", expect=2).err,
             "alcore: record 1 of long.txt\nalcore: row 0 (id 1): the prompt without its text has 7 tokens, and the model l reads 6 in front of an output")
    box.file("b.txt", "a a\nno a no a no a no a no a no a\na\n")
    for more, words in ((prompt, "the prompt without its text has 4 tokens and the target behind it 12, and the model l reads 8"),
                        ([], "the text has 3 tokens and its reference 12, and the model l reads 8")):
        contains(run(box, "model", "score", "l", "no.txt", "b.txt", *more, "--out", "s.lp", expect=2 if more else 3).err,
                 "alcore: record 2 of no.txt and b.txt\nalcore: row 1 (id 2): " + words)
    # Embeddings are of the texts alone.
    done = run(box, "model", "embed", "l", "long.txt", *prompt, "--out", "f.npy")
    contains(done.err, "embeddings are of the texts alone, as the prompt has places")
    equal(box.read("f.npy"), box.read("e.npy"))


@case
def the_language_of_a_prompt_is_set_for_labels(box):
    begin(box)
    folder(box, "l", '{"dims": 3, "tokens": 1, "calls": 579}')
    label = ["--verbalizer", "a, no", "--out", "p.npy"]
    run(box, "model", "probs", "l", "t.txt", "--prompt", "{target_language} {text}", "--to", "no", *label)
    contains(run(box, "model", "probs", "l", "t.txt", "--prompt", "{target_language} {text}", *label, expect=2).err, "no language of the outputs")
    contains(run(box, "model", "probs", "l", "t.txt", "--prompt", "{text}", "--to", "no", *label, expect=2).err, "{target_language}")


@case
def a_template_that_is_not_used_is_told(box):
    begin(box)
    folder(box, "l", '{"dims": 3, "tokens": 1, "calls": 579}')
    box.file("l/chat_template.jinja", "{% for m in messages %}\n{% if m.content == 'no headache' %}{{ raise_exception('ill') }}{% endif %}"
             "{{ m.content }}{% endfor %}")
    told = "model: l: the chat template of the folder (chat_template.jinja) is not used, as no chat was asked for\n"
    option = ["--prompt", "{text}", "--verbalizer", "a,no", "--out", "p.npy"]
    equal(run(box, "model", "probs", "l", "t.txt", *option).err, told)
    equal(run(box, "model", "embed", "l", "t.txt", "--out", "e.npy").err, "")
    contains(run(box, "model", "probs", "l", "t.txt", *option, "--chat", "", expect=3).err,
             "row 2 (id 3): l/chat_template.jinja: line 2 of the chat_template: it raises \"ill\"")
    box.file("l/chat_template.jinja", "")
    contains(run(box, "model", "probs", "l", "t.txt", *option, "--chat", "", expect=3).err, "l/chat_template.jinja: the chat template is empty")


@case
def a_vocabulary_that_cannot_be_written_is_not_trained(box):
    """The program that trains leaves a file when it is called."""
    begin(box)
    box.file("spm_train", "#!/bin/sh\necho >%s/called\nexit 1\n" % box.path)
    os.chmod(os.path.join(box.path, "spm_train"), 0o700)
    path = {"PATH": box.path + ":" + os.environ["PATH"]}
    os.mkdir(os.path.join(box.path, "folder"))
    for out, reason in (("no/dir/x", "No such file or directory"), ("t.txt/x", "Not a directory"), ("folder", "not a regular file"),
                        ("folder/", "not a regular file")):
        done = box.run("model", "vocabulary", "t.txt", "--out", out, expect=4, env=path)
        contains(done.err, "--out %s cannot be written: %s" % (out, reason))
        equal(box.exists("called"), False)
    box.run("model", "vocabulary", "t.txt", "--out", "folder/x", expect=None, env=path)
    equal(box.exists("called"), True)


@case
def usage(box):
    begin(box)
    contains(run(box, "model", "transalte", "m", "t.txt", expect=2).err, "did you mean 'translate'")
    contains(run(box, "model", "embed", "m", expect=2).err, "model embed takes DIR TEXT; 1 operands were given")
    contains(run(box, "model", "score", "m", "t.txt", "r.txt", "--beam", "2", expect=2).err, "no --beam; model translate does")
    contains(run(box, "model", "info", "nowhere", expect=4).err, "nowhere: no model here")
    folder(box, "bare", '{"dims": 3, "tokens": 1}', vocabulary=False)
    contains(run(box, "model", "embed", "bare", "t.txt", "--out", "e.npy", expect=6).err, "has no tokenizer")


@case
def a_model_for_each_column(box):
    begin(box)
    folder(box, "other", '{"dims": 5, "calls": 1}')
    box.file("pool.txt", "a patient\nno fever\nwith headache\nfever with a headache\n")
    pick = ["select", "pool.txt", "--strategy", "huds", "--budget", "2", "--out", "sel.tsv", "--report", "r.json"]
    run(box, *pick, "--model", "logprobs=m", "--model", "embeddings=other")
    columns = json.loads(box.read("r.json"))["inputs"]["candidates"]["columns"]
    contains(columns["logprobs"]["from"], "model m,")
    contains(columns["embeddings"]["from"], "model other,")
    contains(run(box, *pick, "--model", "embeddings=other", expect=3).err, "the column 'scores|logprobs'", "--model logprobs=ngram")
    run(box, *pick, "--model", "embeddings=other", "--model", "logprobs=ngram")
    contains(json.loads(box.read("r.json"))["inputs"]["candidates"]["columns"]["logprobs"]["from"], "ngram")
    contains(run(box, *pick, "--model", "m", "--model", "other", expect=2).err, "--model was given twice", "COLUMN=DIR")
    contains(run(box, *pick, "--model", "logprobs=other", expect=6).err, "model other cannot make the column 'logprobs'")
    contains(run(box, *pick, "--model", "embedding=other", expect=3).err, "did you mean 'embeddings'")
    contains(run(box, "score", "pool.txt", "--scorer", "nnll", "--model", "logprobs=m", expect=2).err, "one model for all columns")


@case
def the_second_run_asks_no_model(box):
    """A model that fails whenever it is asked does not fail: the cache has every column."""
    begin(box)
    box.file("pool.txt", "a patient\nno fever\nwith headache\nfever with a headache\n")
    pick = ["select", "pool.txt", "--strategy", "huds", "--budget", "2", "--model", "m", "--cache", "cache"]
    first = run(box, *pick).out
    folder(box, "m", '{"dims": 3, "tokens": 1, "fail": 1}')
    equal(run(box, *pick).out, first)
    # With another vocabulary the model is another one.
    box.file("m/vocab.txt", "".join(word + "\n" for word in WORDS + ["more"]))
    contains(run(box, *pick, expect=3).err, "told to fail")


if __name__ == "__main__":
    sys.exit(main())
