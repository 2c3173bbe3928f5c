#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# transformers 5.23.0: XLMRobertaTokenizer drops a normalizer of tokenizer.json that lower-cases.
#
# A folder whose tokenizer.json has a Lowercase normalizer opens with that normalizer in the package tokenizers and in
# PreTrainedTokenizerFast, and without it in XLMRobertaTokenizer, which is what tokenizer_config.json names: "A" becomes <unk> where
# the vocabulary has "a" alone. Expected: equal ids, or a warning. Seen: other ids, no warning.
. "$(dirname "$0")/venv.sh"
venv transformers==5.23.0 tokenizers==0.23.3
"$python" - "$folder" <<'PYTHON'
import json
import os
import sys
import warnings

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

warnings.simplefilter("error")
path = sys.argv[1] + "/xlmr"
os.makedirs(path)
pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("\u2581", -2.0), ("a", -1.0), ("\u2581a", -1.0), ("<mask>", 0.0)]
tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
tokenizer.normalizer = normalizers.Lowercase()
tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
tokenizer.save(path + "/tokenizer.json")
special = {name + "_token": token for name, token in (("bos", "<s>"), ("eos", "</s>"), ("unk", "<unk>"), ("sep", "</s>"), ("cls", "<s>"),
                                                      ("pad", "<pad>"), ("mask", "<mask>"))}
with open(path + "/tokenizer_config.json", "w", encoding="utf-8") as file:
    json.dump({"tokenizer_class": "XLMRobertaTokenizer", **special}, file)

from transformers import AutoTokenizer, PreTrainedTokenizerFast

plain = PreTrainedTokenizerFast(tokenizer_file=path + "/tokenizer.json", **special)
opened = AutoTokenizer.from_pretrained(path)
lower, same = (one("A", add_special_tokens=False).input_ids for one in (plain, opened))
print(type(plain).__name__, lower, type(opened).__name__, same)
assert type(opened).__name__.startswith("XLMRoberta")
assert lower == [6] and same != lower
PYTHON
