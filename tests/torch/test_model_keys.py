#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walks the table of keys of model folders (lib/model/folder_key_rows.h).

    test_model_keys.py SOURCE_ROOT NULL_MODULE_FOLDER

For each key that is obeyed there is a case in tests/torch/answers/model-keys.json (make_model_keys.py), a folder in which
the key changes the numbers, which must be those of the package; or the key is the size of a tensor, and another number is
an error; or a rate of dropout, of which 1.5 is an error, 0 gives what no dropout gives and 0.5 does not; or another test
names it. For each key that is refused the folder is refused by its name, for those of the outputs when outputs are
searched for, and every value without an effect is accepted; this is done with the module without a model of
tests/unit/model/module, since no number is looked at."""
import json
import os
import re
import sys
import tempfile

ROOT, NULL_MODULE = sys.argv[1:3]
HERE = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [HERE, os.path.join(ROOT, "tests", "tools")]
import alcore  # noqa: E402
import model_keys  # noqa: E402
from tap import Tap  # noqa: E402
from model_keys_folder import TARGETS, TEXTS, make_folder, write  # noqa: E402

ROWS = model_keys.rows(os.path.join(ROOT, "lib", "model", "folder_key_rows.h"))
BASES = {"bert": "bert", "roberta": "roberta", "xlm-roberta": "xlmroberta", "rembert": "rembert", "distilbert": "distilbert",
         "camembert": "camembert", "xlm-roberta-xl": "xlmrobertaxl", "mpnet": "mpnet", "electra": "electra", "albert": "albert",
         "modernbert": "modernbert", "eurobert": "eurobert", "nomic_bert": "nomic", "deberta-v2": "deberta-wide",
         "bart": "bart", "mbart": "mbart", "marian": "marian", "m2m_100": "m2m100", "t5": "t5", "mt5": "mt5",
         "llama": "llama", "mistral": "mistral", "qwen2": "qwen2", "qwen3": "qwen3", "gemma3_text": "gemma3"}
# Keys that are the size of a tensor: another number does not fit the file.
SIZES = {"hidden_size", "intermediate_size", "max_position_embeddings", "dim", "hidden_dim", "d_model", "encoder_ffn_dim",
         "decoder_ffn_dim", "d_ff", "d_kv", "num_heads", "relative_attention_num_buckets", "num_key_value_heads", "head_dim"}
# Families whose positions are computed.
NO_TABLE = {"marian", "m2m_100", "modernbert", "eurobert", "nomic_bert", "llama", "mistral", "qwen2", "qwen3", "gemma3_text"}
RATES = {"hidden_dropout_prob": "bert-mlm", "attention_probs_dropout_prob": "bert-mlm", "dropout": "bart",
         "attention_dropout": "bart", "activation_dropout": "bart", "dropout_rate": "t5", "embedding_dropout": "modernbert-mlm",
         "mlp_dropout": "modernbert-mlm"}
# Rates before the head of a classifier, which only a training reads.
HEAD_RATES = {"classifier_dropout": "bert-class", "classifier_dropout_prob": "rembert-class",
              "seq_classif_dropout": "distilbert-class", "pooler_dropout": "deberta-class", "cls_dropout": "deberta-class"}
# Keys that are obeyed and that no test is of, and why.
UNTESTED = {
    "share_encoder_decoder_embeddings": "whether a training changes one table or two equal ones",
    "tokenize_chinese_chars": "of a vocab.txt, as handle_chinese_chars of tokenizer.json, which is tested",
    "sep_token": "of a vocab.txt, as cls_token", "mask_token": "of a vocab.txt, as cls_token",
    "force_bos_token_to_be_generated": "of folders before 2021, as forced_bos_token_id",
    "min_p": "of samples, as top_p", "top_h": "of samples", "typical_p": "of samples, which are refused with it",
    "epsilon_cutoff": "of samples, as typical_p", "eta_cutoff": "of samples, as typical_p",
    "keep_accents": "of a sentencepiece model, where false is refused",
    "extra_special_tokens": "as additional_special_tokens, its older name",
    "in_features": "the size of a tensor, which check_module_sizes() doubles", "out_features": "as in_features",
    "dimension": "as in_features"}
# Where other tests are, whose files name the keys that they are of.
OTHER_TESTS = [HERE, os.path.join(ROOT, "tests", "unit"), os.path.join(ROOT, "tests", "tokenizer")]
FILES = {title: name for name, title in model_keys.FILES.items()}
FILES["modules.json"] = "MODULES"


def fixture(name):
    return os.path.join(HERE, "fixtures", name)


def opened(folder, context=None, **settings):
    """The model of a folder; the text of the error where it is refused."""
    try:
        return alcore.Model.open(folder, context=context, **settings)
    except alcore.Error as error:
        return str(error)


def ask(case, folder):
    """What the library answers, as the answers of the cases are."""
    options = dict(zip((name[2:].replace("-", "_") for name in case["options"][::2]), case["options"][1::2]))
    model = opened(folder, **options)
    if isinstance(model, str):
        return model
    if case["ask"] == "embed":
        return model.embed(TEXTS).tolist()
    return model.score(TEXTS, TARGETS) if case["ask"] == "score" else model.translate(TEXTS)


def same(found, answer):
    if not answer or isinstance(found, str) or isinstance(answer[0], str):
        return found == answer
    return len(found) == len(answer) and all(
        len(a) == len(b) and all(abs(x - y) <= 5e-5 * (1 + abs(y)) for x, y in zip(a, b)) for a, b in zip(found, answer))


def check_cases(tap, cases, scratch):
    for number, case in enumerate(cases):
        folder = os.path.join(scratch, "case%d" % number)
        make_folder(fixture(case["base"]), case["files"], folder)
        found, row = ask(case, folder), case["row"]
        tap.check(same(found, case["answer"]),
                  "%s of %s, %s: %s" % (row["key"], row["file"], row["family"], case["files"].get(row["file"])),
                  "%s\nis not\n%s" % (str(found)[:300], str(case["answer"])[:300]))


def families_of(row):
    return [family for family in (row["families"] or ["bert", "bart"]) if family in BASES]


def file_of(row):
    return {"POOLING": "1_Pooling/config.json", "NORMALIZE": "2_Normalize/config.json", "DENSE": "2_Dense/config.json", "MODULES": "modules.json"}.get(
        row["files"][0], model_keys.FILES[row["files"][0]])


def check_sizes(tap, scratch):
    for row in ROWS:
        for family in families_of(row) if row["verdict"] == "OBEYED" and row["key"] in SIZES else []:
            if family in NO_TABLE and row["key"] == "max_position_embeddings":
                continue
            folder = os.path.join(scratch, "size-%s-%s" % (row["key"], family))
            with open(os.path.join(fixture(BASES[family]), "config.json"), encoding="utf-8") as file:
                now = json.load(file).get(row["key"])
            if now is None:  # head_dim of Qwen2: hidden_size / heads
                continue
            make_folder(fixture(BASES[family]), {"config.json": {row["key"]: now * 2}}, folder)
            found = opened(folder)
            tap.check(isinstance(found, str), "another %s of %s does not fit the file" % (row["key"], family), found)


def check_module_sizes(tap, cases, scratch):
    """Sizes of modules of sentence-transformers that do not fit the weights, or what comes in."""
    base = next(case for case in cases if "2_LayerNorm/config.json" in case["files"])
    for name, key in (("2_Dense", "in_features"), ("2_Dense", "out_features"), ("2_LayerNorm", "dimension")):
        folder, config = os.path.join(scratch, "module-" + key), name + "/config.json"
        files = dict(base["files"])
        files[config] = dict(files[config], **{key: 2 * files[config][key]})
        make_folder(fixture(base["base"]), files, folder)
        found = opened(folder)
        tap.check(isinstance(found, str) and name in found, "another %s does not fit the file" % key, found)


def check_saved_modules(tap, cases, scratch):
    """A copy that save() writes has the modules and their weights."""
    case = next(case for case in cases if "2_LayerNorm/config.json" in case["files"])
    folder, copy = os.path.join(scratch, "unsaved"), os.path.join(scratch, "saved")
    make_folder(fixture(case["base"]), case["files"], folder)
    opened(folder).save(copy)
    found = ask(case, copy)
    tap.check(same(found, case["answer"]), "modules of a saved folder", str(found)[:300])


def scored(model, dropout):
    """Values in which dropout can be on, of the first text."""
    model.set_dropout(7 if dropout else None)
    if model.can("mlm_losses"):
        pool = alcore.Pool(TEXTS, context=model.context)
        model.run(pool, "mlm_losses")
        return pool.get_column("mlm_losses")[0].tolist()
    return model.score(TEXTS, TARGETS)


def check_rates(tap, scratch):
    off = {key: 0.0 for key in RATES}
    for key, base in {**RATES, **HEAD_RATES}.items():
        def model(value):
            folder = os.path.join(scratch, "rate-%s-%s" % (key, value))
            make_folder(fixture(base), {"config.json": {**off, key: value}}, folder)
            return opened(folder)
        found = model(1.5)
        tap.check(isinstance(found, str) and "below 1" in found, "%s is 1.5" % key, found)
        if key in RATES:
            none, half = model(0.0), model(0.5)
            tap.check(scored(none, True) == scored(none, False), "%s is 0" % key)
            tap.check(scored(half, True) != scored(half, False), "%s is 0.5" % key)


def named_elsewhere():
    """Words in the files of other tests, JSON and sources alike."""
    words = set()
    for top in OTHER_TESTS:
        for folder, _, names in os.walk(top):
            for name in names:
                if name.endswith((".py", ".c", ".h", ".json")) and "model_keys" not in name and "model-keys" not in name \
                        and not name.endswith("config.json"):
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                        words.update(re.findall(r"[a-z_0-9]+", file.read()))
    return words


def check_coverage(tap, cases):
    words = named_elsewhere()
    mine = {(FILES[case["row"]["file"]], case["row"]["key"], case["row"]["family"]) for case in cases}
    for row in ROWS:
        if row["verdict"] == "OBEYED":
            has = any(file in row["files"] and key == row["key"] and (not row["families"] or family in row["families"])
                      for file, key, family in mine)
            tap.check(has or row["key"] in SIZES | RATES.keys() | HEAD_RATES.keys() | UNTESTED.keys() | words,
                      "there is a test of %s of %s" % (row["key"], file_of(row)))


def refused_folder(row, family, value, folder):
    """A folder of sentence-transformers without weights, with a value of the key of a row."""
    modules = [{"path": path, "type": "sentence_transformers.models." + kind}
               for path, kind in (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense"),
                                  ("2_LayerNorm", "LayerNorm"), ("2_Normalize", "Normalize"))]
    files = {"config.json": {"dims": 3, "model_type": family}, "1_Pooling/config.json": {}, "2_Dense/config.json": {},
             "2_LayerNorm/config.json": {}, "modules.json": modules}
    if row["files"][0] == "MODULES":
        modules[0][row["key"]] = value
    else:
        name = "generation_config.json" if "GENERATION" in row["files"] else file_of(row)
        files.setdefault(name, {})[row["key"]] = value
    for name, content in files.items():
        write(folder, name, content)


def refusal(row, folder, context):
    """Why a folder is refused, or its outputs for a key of these; empty: it is not."""
    model = opened(folder, context)
    if isinstance(model, str):
        return model
    try:
        if "GENERATION" in row["files"]:
            model.embed(TEXTS)
            model.translate(TEXTS)
    except alcore.Error as error:
        return str(error)
    return ""


def check_refused(tap, scratch):
    context = alcore.Context(module_dir=NULL_MODULE)
    for number, row in enumerate(r for r in ROWS if r["verdict"] == "REFUSED"):
        family = (row["families"] or ["bart" if "GENERATION" in row["files"] else "bert"])[0]
        for k, value in enumerate(["surely not", None] + [json.loads(v) for v in row["accepted"]]):
            folder = os.path.join(scratch, "refused%d-%d" % (number, k))
            refused_folder(row, family, value, folder)
            why = refusal(row, folder, context)
            tap.check(row["key"] in why if k == 0 else not why, "%s of %s is %s: %s" % (
                row["key"], file_of(row), "accepted" if k else "refused", json.dumps(value)), why)


def check_limits(tap, scratch):
    """T5 has no limit but that of its tokenizer."""
    for number, (value, limit) in enumerate(((40, 40), (10 ** 30, 0), ("(removed)", 0))):
        folder = os.path.join(scratch, "limit%d" % number)
        make_folder(fixture("t5"), {"tokenizer_config.json": {"model_max_length": value}}, folder)
        model = opened(folder)
        tap.check(model.info["max_tokens"] == limit, "T5 with a limit of %s" % value)
        long = " ".join("w%d" % (5 + i % 50) for i in range(700))
        tap.check((model.embed([long]).tolist() == model.embed([long + " w9"]).tolist()) == (limit > 0),
                  "the end of a text of 700 tokens counts")


def main():
    tap = Tap()
    with open(os.path.join(HERE, "answers", "model-keys.json"), encoding="utf-8") as file:
        cases = json.load(file)
    with tempfile.TemporaryDirectory() as scratch:
        check_cases(tap, cases, scratch)
        check_sizes(tap, scratch)
        check_module_sizes(tap, cases, scratch)
        check_saved_modules(tap, cases, scratch)
        check_rates(tap, scratch)
        check_limits(tap, scratch)
        check_refused(tap, scratch)
    check_coverage(tap, cases)
    tap.finish()


if __name__ == "__main__":
    main()
