#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokenizers whose tokenizer_config.json and tokenizer.json contradict each other, and what AutoTokenizer makes of them.

    make_classes.py FOLDER

writes FOLDER/classes.json: "tokenizers", small tokenizer.json by name, and "cases": the tokenizer, the members of
tokenizer_config.json (null: no such file), the model_type of config.json, texts, and the ids of each text. It reads
tests/tokenizer/test_classes.py.

Made with transformers 5.23.0 and tokenizers 0.23.3 from PyPI."""
import json
import os
import sys
import tempfile

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer

PACKAGES = ["torch==2.11.0", "transformers==5.23.0"]
KEPT = {"classes.json": "tests/tokenizer/classes.json"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def bert(lower, template=True):
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *("##" + c for c in LETTERS), *LETTERS.upper(), *"Ääé中文",
             *("##" + c for c in "ABCÄä"), "Ab", "ab", "."]
    out = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    out.normalizer = normalizers.BertNormalizer(lowercase=lower)
    out.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    out.decoder = decoders.WordPiece()
    if template:
        out.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
                                                           special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    out.add_special_tokens([AddedToken(word, special=True) for word in words[:5]])
    return out


def mpnet(lower):
    words = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *LETTERS, *("##" + c for c in LETTERS), *LETTERS.upper(), *"Ääé中文",
             *("##" + c for c in "ABCÄä"), "Ab", "ab", "."]
    out = Tokenizer(models.WordPiece({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    out.normalizer = normalizers.BertNormalizer(lowercase=lower)
    out.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    out.decoder = decoders.WordPiece()
    out.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=True)
    out.add_special_tokens([AddedToken(word, special=True, lstrip=word == "<mask>") for word in words[:5]])
    return out


def roberta(prefix):
    out = Tokenizer(models.BPE(unk_token="<unk>"))
    out.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    out.decoder = decoders.ByteLevel()
    out.train_from_iterator(["Ab ab cd Ab the cat ab", "cd the the cat"], trainers.BpeTrainer(
        vocab_size=275, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    out.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=prefix)
    return out


def pieces(special, prepend, post=None, normalizer=None):
    vocabulary = [(word, 0.0) for word in special] + [("▁", -3.0)] + [(c, -4.0) for c in LETTERS + "ABC"]
    vocabulary += [("▁the", -2.0), ("▁cat", -2.1), ("the", -2.5), ("▁Cat", -2.2)]
    unknown = special.index("[UNK]" if "[UNK]" in special else "<unk>")
    out = Tokenizer(models.Unigram(vocabulary, unk_id=unknown, byte_fallback=False))
    marks = pre_tokenizers.Metaspace(prepend_scheme=prepend)
    out.pre_tokenizer = marks if "[CLS]" in special else pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), marks])
    out.decoder = decoders.Metaspace(prepend_scheme=prepend)
    if normalizer:
        out.normalizer = normalizer
    if post:
        out.post_processor = post
    out.add_special_tokens([AddedToken(word, special=True) for word in special])
    return out


CAMEMBERT = ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>", "<mask>"]
XLMR, REMBERT, T5 = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"], ["<pad>", "<s>", "<unk>", "[CLS]", "[SEP]"], ["<pad>", "</s>", "<unk>"]
AROUND = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
ENDED = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
DEBERTA = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
EMPTY = processors.TemplateProcessing(single="$A:0", pair="$A:0 $B:1", special_tokens=[])
def llama(normalized):
    """As transformers 5 writes it, and as transformers 4 did."""
    words = ["<unk>", "<s>", "</s>", "▁", *LETTERS, "▁t", "he", "▁the", "at", "cat", "▁cat"]
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he"), ("a", "t"), ("c", "at"), ("▁", "cat")]
    out = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if normalized:
        out.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    else:
        out.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    out.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(content=" ", left=1)])
    out.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s>:1 $B:1", special_tokens=[("<s>", 1)])
    out.add_special_tokens([AddedToken(word, special=True) for word in words[:3]])
    return out


TOKENIZERS = {
    "bert-cased": bert(False), "bert-lower": bert(True), "bert-plain": bert(False, False), "roberta": roberta(False),
    "roberta-prefix": roberta(True), "xlmr": pieces(XLMR, "always", AROUND), "xlmr-never": pieces(XLMR, "never", AROUND),
    "xlmr-plain": pieces(XLMR, "always"), "xlmr-lower": pieces(XLMR, "always", AROUND, normalizers.Lowercase()),
    "rembert-empty": pieces(REMBERT, "always", EMPTY), "rembert-none": pieces(REMBERT, "always"), "llama": llama(False), "llama-normalized": llama(True),
    "camembert": pieces(CAMEMBERT, "never", None, normalizers.Lowercase()), "mpnet-cased": mpnet(False), "mpnet-lower": mpnet(True),
    "deberta": pieces(DEBERTA, "always"), "deberta-never": pieces(DEBERTA, "never", None, normalizers.Lowercase()),
    "t5": pieces(T5, "always", ENDED), "t5-plain": pieces(T5, "never")}
MPNET = ["Ab Äb É 中文 AB <mask> ab."]
BERT, WORDS = ["Ab Äb É 中文 AB [MASK] ab."], ["Ab the <mask> cat", "the cat"]
SOME = ["the cat", "The <mask> Cat"]
SPACED = ["the cat", " The  Cat\n.a\t ", "e\u0301cat.the [MASK] CAT, \u00e9"]
NO_EXTRA = {"extra_ids": 0, "additional_special_tokens": []}
MARKED = ["the cat", " the cat", "the  cat ", "cat</s>the cat", "</s> cat", "▁the cat"]
CASES = [  # tokenizer, tokenizer_config.json, model_type, texts
    ("bert-cased", None, "bert", BERT), ("bert-cased", {"tokenizer_class": "BertTokenizer"}, "bert", BERT),
    ("bert-cased", {"tokenizer_class": "BertTokenizer", "do_lower_case": False}, "bert", BERT),
    ("bert-lower", {"tokenizer_class": "BertTokenizer", "do_lower_case": False}, "bert", BERT),
    ("bert-lower", {"tokenizer_class": "BertTokenizerFast", "do_lower_case": False}, "bert", BERT),
    ("bert-lower", {"tokenizer_class": "TokenizersBackend", "do_lower_case": False}, "bert", BERT),
    ("bert-lower", {"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": False}, "bert", BERT),
    ("bert-lower", {"tokenizer_class": "DistilBertTokenizer", "do_lower_case": False}, "distilbert", BERT),
    ("bert-lower", {"do_lower_case": False}, "bert", BERT),
    ("bert-lower", {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "strip_accents": False}, "bert", BERT),
    ("bert-cased", {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "tokenize_chinese_chars": False}, "bert", BERT),
    ("bert-plain", {"tokenizer_class": "BertTokenizer", "do_lower_case": False}, "bert", BERT),
    ("bert-plain", {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "cls_token": "[MASK]", "sep_token": "[UNK]"}, "bert", BERT),
    ("bert-cased", {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "add_eos_token": True}, "bert", BERT),
    ("bert-lower", {"tokenizer_class": "BertTokenizer", "do_lower_case": False}, "xlm-roberta", BERT),
    *((name, {"tokenizer_class": "RobertaTokenizer", **more}, "roberta", WORDS) for name in ("roberta", "roberta-prefix")
      for more in ({}, {"add_prefix_space": True}, {"add_prefix_space": False}, {"add_prefix_space": True, "trim_offsets": False})),
    ("roberta", {"tokenizer_class": "BartTokenizer", "add_prefix_space": True}, "bart", WORDS),
    *((name, {"tokenizer_class": "XLMRobertaTokenizer", **more}, "xlm-roberta", SOME) for name in ("xlmr", "xlmr-never")
      for more in ({}, {"add_prefix_space": True}, {"add_prefix_space": False})),
    ("xlmr-plain", {"tokenizer_class": "XLMRobertaTokenizer"}, "xlm-roberta", SOME),
    ("xlmr-plain", {"tokenizer_class": "XLMRobertaTokenizer", "bos_token": "<mask>", "eos_token": "<pad>"}, "xlm-roberta", SOME),
    ("xlmr-lower", {"tokenizer_class": "XLMRobertaTokenizer"}, "xlm-roberta", SOME),
    *((name, {"tokenizer_class": "MPNetTokenizer", **more}, "mpnet", MPNET) for name in ("mpnet-cased", "mpnet-lower")
      for more in ({}, {"do_lower_case": False}, {"do_lower_case": True, "strip_accents": False}, {"cls_token": "</s>", "sep_token": "<s>"})),
    ("mpnet-cased", None, "mpnet", MPNET), ("mpnet-lower", {"tokenizer_class": "MPNetTokenizerFast", "do_lower_case": False}, "mpnet", MPNET),
    *(("camembert", {"tokenizer_class": name, **more}, "camembert", SOME) for name in ("CamembertTokenizer", "CamembertTokenizerFast")
      for more in ({}, {"add_prefix_space": False}, {"bos_token": "<mask>", "eos_token": "<pad>"})),
    ("camembert", None, "camembert", SOME),
    *((name, {"tokenizer_class": "ElectraTokenizer" + fast, **more}, "electra", BERT) for name in ("bert-cased", "bert-lower")
      for fast in ("", "Fast") for more in ({}, {"do_lower_case": False})),
    ("bert-lower", {"do_lower_case": False}, "electra", BERT), ("bert-cased", None, "electra", BERT),
    ("xlmr-lower", None, "xlm-roberta-xl", SOME), ("xlmr-never", {"tokenizer_class": "XLMRobertaTokenizer"}, "xlm-roberta-xl", SOME),
    ("rembert-empty", {"tokenizer_class": "RemBertTokenizer"}, "rembert", ["the cat", "The Cat"]),
    ("rembert-none", {"tokenizer_class": "RemBertTokenizer"}, "rembert", ["the cat", "The Cat"]),
    ("rembert-empty", {"tokenizer_class": "RemBertTokenizer", "add_prefix_space": False}, "rembert", ["the cat"]),
    *((name, {"tokenizer_class": "DebertaV2Tokenizer" + fast, **more}, "deberta-v2", SPACED) for name in ("deberta", "deberta-never")
      for fast in ("", "Fast") for more in ({}, {"do_lower_case": True}, {"split_by_punct": True}, {"add_prefix_space": False},
                                            {"cls_token": "[SEP]", "sep_token": "[MASK]"})),
    ("deberta-never", None, "deberta-v2", SPACED), ("deberta", {"do_lower_case": True}, "deberta-v2", SPACED),
    *((name, {"tokenizer_class": "LlamaTokenizer" + fast, **more}, family, MARKED) for name in ("llama", "llama-normalized")
      for fast, family in (("", "llama"), ("Fast", "mistral")) for more in ({}, {"legacy": True}, {"legacy": False}, {"add_prefix_space": False})),
    ("llama-normalized", {"tokenizer_class": "PreTrainedTokenizerFast"}, "llama", MARKED), ("llama-normalized", None, "llama", MARKED),
    ("roberta", {"tokenizer_class": "LlamaTokenizer"}, "llama", WORDS),
    ("roberta", {"tokenizer_class": "PreTrainedTokenizerFast"}, "modernbert", WORDS),
    ("roberta", {"tokenizer_class": "RobertaTokenizer", "add_prefix_space": True}, "modernbert", WORDS),
    ("bert-cased", {"tokenizer_class": "BertTokenizer"}, "nomic_bert", BERT), ("bert-cased", None, "nomic_bert", BERT),
    ("t5", {"tokenizer_class": "T5Tokenizer", **NO_EXTRA}, "t5", SOME), ("t5-plain", {"tokenizer_class": "T5Tokenizer", **NO_EXTRA}, "t5", SOME),
]


def ids_of(name, config, model_type, texts):
    with tempfile.TemporaryDirectory() as folder:
        TOKENIZERS[name].save(os.path.join(folder, "tokenizer.json"))
        for file, members in (("tokenizer_config.json", config), ("config.json", {"model_type": model_type})):
            if members is not None:
                with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                    json.dump(members, out)
        loaded = AutoTokenizer.from_pretrained(folder)
        return [loaded(text)["input_ids"] for text in texts]


def main(folder):
    cases = [{"tokenizer": name, "config": config, "model_type": model_type, "texts": texts, "ids": ids_of(name, config, model_type, texts)}
             for name, config, model_type, texts in CASES]
    with open(os.path.join(folder, "classes.json"), "w", encoding="utf-8") as out:
        json.dump({"tokenizers": {name: json.loads(one.to_str()) for name, one in TOKENIZERS.items()}, "cases": cases}, out, ensure_ascii=False)
        out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
