#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyPI's transformers answers to questions about long contexts, on the small folders of make_fixtures.py.

    make_answers.py FOLDER

writes FOLDER/FAMILY-tokenizer.json, a tokenizer of the words w5, w6, ..., and FOLDER/FAMILY.json: for settings of window
and stride (as the keys max_tokens and stride of alcore_model_options) the windows of each pair, as the tokenizer cuts
them with truncation="only_second" and return_overflowing_tokens, and the probabilities of their context's tokens to be
first and last of the answer, the softmax of the logits of those tokens, in float32.

Made with torch 2.11.0, transformers 5.23.0 and tokenizers 0.23.3 from PyPI; tests/torch/answers holds the result."""
import json
import os
import random
import sys

import torch
import transformers as hf
from tokenizers import Tokenizer, models, pre_tokenizers, processors

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
WORDS = 60
# name: specials by id, single, pair
FAMILIES = {
    "bert": (["[PAD]", "[UNK]", "[CLS]", "[SEP]"], "[CLS] $A [SEP]", "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"),
    "xlmroberta": (["<s>", "<pad>", "</s>", "<unk>"], "<s> $A </s>", "<s>:0 $A:0 </s>:0 </s>:0 $B:0 </s>:0"),
}
# window, stride as transformers takes them, and as the options of the library say them
SETTINGS = [(20, 6, 20, 6), (20, 0, 20, 0), (None, None, 0, None), (24, 12, 24, None)]  # None: as long as the model allows, the default


def tokenizer_of(specials, single, pair):
    vocabulary = {word: i for i, word in enumerate(specials)}
    vocabulary.update({f"w{i}": i for i in range(len(specials), WORDS)})
    unknown = next(word for word in specials if "unk" in word.lower())
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(specials)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(word, vocabulary[word]) for word in specials])
    return tokenizer


def pairs():
    """Contexts that fit, that fill a window exactly, and that need several."""
    draw = random.Random(5)
    words = lambda count: " ".join(f"w{draw.randint(5, WORDS - 1)}" for _ in range(count))
    return [(words(question), words(context)) for question, context in
            ((3, 4), (2, 90), (4, 13), (4, 12), (1, 40), (5, 27), (3, 1), (2, 33))]


def answer(family, model, tokenizer, window, stride):
    fast = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    longest = 32 if family == "bert" else 30
    window, stride = window or longest, longest // 2 if stride is None else stride
    rows = []
    for question, context in pairs():
        found = fast(question, context, truncation="only_second", max_length=window, stride=stride,
                     return_overflowing_tokens=True, return_token_type_ids=True)
        row = []
        for w, ids in enumerate(found["input_ids"]):
            keep = [k for k, part in enumerate(found.encodings[w].sequence_ids) if part == 1]
            arguments = {"input_ids": torch.tensor([ids])}
            if family == "bert":
                arguments["token_type_ids"] = torch.tensor([found["token_type_ids"][w]])
            with torch.no_grad():
                out = model(**arguments)
            row.append({part: [round(value, 8) for value in logits[0][keep].softmax(0).tolist()]
                        for part, logits in (("start", out.start_logits), ("end", out.end_logits))})
        rows.append(row)
    return rows


if __name__ == "__main__":
    for name, (specials, single, pair) in FAMILIES.items():
        tokens = tokenizer_of(specials, single, pair)
        tokens.save(os.path.join(sys.argv[1], name + "-tokenizer.json"))
        network = hf.AutoModelForQuestionAnswering.from_pretrained(os.path.join(FIXTURES, name + "-qa")).eval()
        runs = [{"max_tokens": max_tokens, "stride": option, "rows": answer(name, network, tokens, window, stride)}
                for window, stride, max_tokens, option in SETTINGS]
        with open(os.path.join(sys.argv[1], name + ".json"), "w", encoding="utf-8") as out:
            json.dump({"pairs": pairs(), "runs": runs}, out)
            out.write("\n")
