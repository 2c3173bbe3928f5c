#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of keys of model folders (lib/model/folder_key_rows.h), and its section of docs/models.md.

model_keys.py ROWS.h                     the section
model_keys.py ROWS.h --check PAGE   whether the page has it (TAP)
model_keys.py ROWS.h --write PAGE   puts it there
"""
import re
import sys

FILES = {"CONFIG": "config.json", "GENERATION": "generation_config.json", "TOKENIZER": "tokenizer_config.json",
         "SENTENCE": "sentence_bert_config.json", "PROMPTS": "config_sentence_transformers.json",
         "MODULES": "an entry of modules.json", "POOLING": "1_Pooling/config.json", "NORMALIZE": "2_Normalize/config.json",
         "DENSE": "2_Dense/config.json", "LAYER_NORM": "2_LayerNorm/config.json", "DROPOUT": "2_Dropout/config.json",
         "CNN": "1_CNN/cnn_config.json", "WEIGHTED_LAYERS": "1_WeightedLayerPooling/config.json",
         "ROUTER": "router_config.json", "ROUTES": "`parameters` of router_config.json"}
BERTS = "bert roberta xlm-roberta rembert camembert xlm-roberta-xl mpnet electra albert"
THEIRS = "bart mbart marian m2m_100"
BARTS = THEIRS + " alcore_transformer"
LANGUAGE = "llama mistral qwen2 qwen3 gemma3_text"
ROTARIES = "modernbert eurobert nomic_bert"
NEWER = ROTARIES + " deberta-v2"
ENCODERS = BERTS + " distilbert " + NEWER
GROUPS = {"ALL": "", "BERTS": BERTS, "ENCODERS": ENCODERS, "ROTARIES": ROTARIES, "NEWER": NEWER,
          "BARTS": BARTS, "T5S": "t5 mt5", "SEQ2SEQ": BARTS + " t5 mt5", "LANGUAGE": LANGUAGE,
          "OUTPUTS": BARTS + " t5 mt5 " + LANGUAGE, "NATIVE": ENCODERS + " " + THEIRS + " t5 mt5 " + LANGUAGE}
BEGIN, END = "<!-- keys: made by tests/tools/model_keys.py, do not edit -->\n", "<!-- end of keys -->\n"
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Z0-9_]+|[|,()]|/\*.*?\*/', re.S)


def arguments(tokens):
    """The arguments of KEY(...): lists of tokens between commas."""
    out, depth = [[]], 1
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0:
            return out
        if token == ",":
            out.append([])
        else:
            out[-1].append(token)
    raise ValueError("KEY( does not end")


def text(tokens):
    """What adjacent string literals and names of groups stand for."""
    parts = [GROUPS[t] if t in GROUPS else re.sub(r"\\(.)", r"\1", t[1:-1]) for t in tokens]
    return "".join(parts)


def rows(path):
    """Dicts with files, families (empty: all), key, verdict, accepted (JSON texts), note."""
    with open(path, encoding="utf-8") as file:
        tokens = [t for t in TOKEN.findall(re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S))]
    found = []
    for i, token in enumerate(tokens):
        if token != "KEY":
            continue
        files, families, key, verdict, accepted, note = arguments(iter(tokens[i + 2:]))
        found.append({"files": [f for f in files if f != "|"], "families": text(families).split(), "key": text(key),
                      "verdict": verdict[0], "accepted": [v for v in text(accepted).split("|") if v], "note": text(note)})
    return found


def verdict(row):
    if row["verdict"] == "OBEYED":
        return "obeyed"
    if row["verdict"] == "NO_EFFECT":
        return "no effect"
    return "refused" + (", but for " + " or ".join("`%s`" % v.replace("|", "\\|") for v in row["accepted"]) if row["accepted"]
                        else " unless null")


def section(path):
    all_rows, lines = rows(path), []
    for name, title in FILES.items():
        lines += ["**%s**" % (title if " " in title else "`%s`" % title), "", "| key | families | | |", "|---|---|---|---|"]
        for row in all_rows:
            if name in row["files"]:
                lines.append("| `%s` | %s | %s | %s |" % (row["key"], ", ".join(row["families"]) or "all", verdict(row),
                                                         row["note"].replace("|", "\\|")))
        lines.append("")
    return "\n".join(lines)


def replaced(page, path):
    before, rest = page.split(BEGIN)
    return before + BEGIN + "\n" + section(path) + "\n" + END + rest.split(END)[1]


def main():
    if len(sys.argv) < 4:
        sys.stdout.write(section(sys.argv[1]))
        return 0
    with open(sys.argv[3], encoding="utf-8") as file:
        page = file.read()
    made = replaced(page, sys.argv[1])
    if sys.argv[2] == "--write":
        with open(sys.argv[3], "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    print("1..1\n%s 1 docs/models.md has the keys of the table" % ("ok" if page == made else "not ok"))
    return 0 if page == made else 1


if __name__ == "__main__":
    raise SystemExit(main())
