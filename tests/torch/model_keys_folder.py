# SPDX-License-Identifier: Apache-2.0
"""Folders of models for make_model_keys.py and test_model_keys.py: one of tests/torch/fixtures with a tokenizer of the words
w0, w1, ..., and changed members of its JSON files."""
import json
import math
import os
import shutil
import struct

WORDS = 60
REMOVED = "(removed)"  # as the value of a member: the file has none
# Special tokens of the families by their role.
BERT = {"pad": 0, "unk": 1, "start": 2, "end": 3}
ROBERTA = {"start": 0, "pad": 1, "end": 2, "unk": 3}
T5 = {"pad": 0, "end": 1, "unk": 2}
LANGUAGE = {"pad": 0, "start": 1, "end": 2, "unk": 3}
MARIAN = {"end": 0, "unk": 1, "pad": 59}
SPECIALS = {"bert": BERT, "rembert": BERT, "distilbert": BERT, "roberta": ROBERTA, "xlm-roberta": ROBERTA, "bart": ROBERTA,
            "camembert": ROBERTA, "xlm-roberta-xl": {"start": 0, "unk": 1, "end": 2, "pad": 3}, "mpnet": ROBERTA, "electra": BERT,
            "albert": BERT, "modernbert": ROBERTA, "eurobert": ROBERTA, "nomic_bert": BERT,
            "deberta-v2": {"pad": 0, "start": 1, "end": 2, "unk": 3}, "mbart": ROBERTA, "m2m_100": ROBERTA, "marian": MARIAN, "t5": T5,
            "mt5": T5, **{family: LANGUAGE for family in ("llama", "mistral", "qwen2", "qwen3", "gemma3_text")}}
TEXTS = ["w5 w6 w7", "w40 w41 w12 w33 w8 w19 w21 w50 w51 w9 w10 w30", "w17 W18 w22 w22"]
TARGETS = ["w9 w8", "w30 w31 w32 w33 w34", "w50"]


def model_type(folder):
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
        return json.load(file)["model_type"]


def ids_of(folder, text):
    """The ids of a text by the tokenizer below, special tokens included."""
    roles = SPECIALS[model_type(folder)]
    word = lambda w: int(w[1:]) if w[0] == "w" else roles["unk"]
    start = [roles["start"]] if "start" in roles and model_type(folder) not in ("mbart", "m2m_100") else []
    return start + [word(w) for w in text.split()] + [roles["end"]]


def tokenizer_json(folder):
    roles = SPECIALS[model_type(folder)]
    names = {id: "<%s>" % role for role, id in roles.items()}
    vocabulary = {names.get(i, "w%d" % i): i for i in range(WORDS)}
    token = lambda role: {"SpecialToken": {"id": "<%s>" % role, "type_id": 0}}
    template = [{"Sequence": {"id": "A", "type_id": 0}}, token("end")]
    if len(ids_of(folder, "w5")) == 3:
        template.insert(0, token("start"))
    return {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [{"id": id, "content": name, "single_word": False, "lstrip": False, "rstrip": False,
                              "normalized": False, "special": True} for id, name in sorted(names.items())],
            "normalizer": None, "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": {"type": "TemplateProcessing", "single": template, "pair": template + [
                {"Sequence": {"id": "B", "type_id": 0}}, token("end")],
                "special_tokens": {name: {"id": name, "ids": [id], "tokens": [name]} for id, name in sorted(names.items())}},
            "decoder": None, "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"}}


def write(folder, name, value):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)


def write_weights(folder, name, shapes):
    """A safetensors file with made-up values: shapes by the names of tensors."""
    header, values = {}, []
    for key, shape in sorted(shapes.items()):
        start, count = 4 * len(values), math.prod(shape)
        values += [(0.1 if len(shape) > 1 else 1.0) + 0.5 * math.sin(1.7 * i + 0.3 * i * i + len(key)) for i in range(count)]
        header[key] = {"dtype": "F32", "shape": shape, "data_offsets": [start, start + 4 * count]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + struct.pack("<%df" % len(values), *values))


def make_folder(base, files, out):
    """Copies the folder base to out with a tokenizer. files: members that change by the name of the file, a whole list, None for
    a file that is left out, or for a safetensors file shapes by the names of tensors."""
    os.makedirs(out)
    for name in ("config.json", "generation_config.json", "model.safetensors", "modules.json", "sentence_bert_config.json",
                 "1_Pooling/config.json", "model.safetensors.index.json",
                 *sorted(name for name in os.listdir(base) if name.startswith("model-"))):
        if os.path.exists(os.path.join(base, name)):
            os.makedirs(os.path.dirname(os.path.join(out, name)), exist_ok=True)
            shutil.copyfile(os.path.join(base, name), os.path.join(out, name))
    roles = SPECIALS[model_type(out)]
    write(out, "tokenizer.json", tokenizer_json(out))
    write(out, "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 24,
                                         **{role + "_token": "<%s>" % role for role in ("pad", "unk")},
                                         "eos_token": "<end>"} | ({"cls_token": "<start>"} if "start" in roles else {}))
    for name, members in files.items():
        path = os.path.join(out, name)
        if members is None:
            if os.path.exists(path):
                os.remove(path)
        elif name.endswith(".safetensors"):
            write_weights(out, name, members)
        elif isinstance(members, list):
            write(out, name, members)
        else:
            value = {}
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    value = json.load(file)
            value.update(members)
            value = {key: member for key, member in value.items() if member != REMOVED}
            write(out, name, value)


def is_language(folder):
    return SPECIALS[model_type(folder)] is LANGUAGE
