#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyPI's transformers generates into several languages, and its best outputs, on the small folders of make_fixtures.py.

    make_languages.py FOLDER

writes FOLDER/FAMILY-tokenizer.json, a tokenizer of the words w4, w5, ... with tokens for three languages, and
FOLDER/FAMILY.json: for each language the three best outputs of beam search with four hypotheses, with sequences_scores.
The language of M2M100 is the first token of an output (forced_bos_token_id), that of mBART what the decoder reads first
(decoder_start_token_id).

Made with torch 2.11.0, transformers 5.23.0 and tokenizers 0.23.3 from PyPI; tests/torch/languages holds the result."""
import json
import os
import random
import sys

import torch
import transformers as hf
from tokenizers import Tokenizer, models, pre_tokenizers, processors

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
WORDS, FIRST_LANGUAGE = 60, 7
SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
# name: codes, tokens, template
FAMILIES = {
    "m2m100": (["de", "en", "fr"], ["__de__", "__en__", "__fr__"], "__en__ $A </s>"),
    "mbart": (["de_DE", "en_XX", "ro_RO"], ["de_DE", "en_XX", "ro_RO"], "$A </s> en_XX"),
}


def tokenizer_of(languages, template):
    vocabulary = {word: i for i, word in enumerate(SPECIALS)}
    vocabulary.update({f"w{i}": i for i in range(len(SPECIALS), WORDS) if not 0 <= i - FIRST_LANGUAGE < len(languages)})
    vocabulary.update({language: FIRST_LANGUAGE + i for i, language in enumerate(languages)})
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.add_special_tokens(SPECIALS + languages)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template, pair=template + " $B", special_tokens=[(word, vocabulary[word]) for word in SPECIALS + languages])
    return tokenizer


def texts():
    draw = random.Random(3)
    return [" ".join(f"w{draw.randint(10, WORDS - 1)}" for _ in range(length)) for length in (3, 7, 5, 7, 2)]


def outputs(family, model, tokenizer, token):
    rows = []
    for text in texts():
        how = {"forced_bos_token_id" if family == "m2m100" else "decoder_start_token_id": token}
        with torch.no_grad():
            found = model.generate(torch.tensor([tokenizer.encode(text).ids]), max_new_tokens=9, num_beams=4, num_return_sequences=3,
                                   do_sample=False, return_dict_in_generate=True, output_scores=True, **how)
        rows.append([[tokenizer.decode(ids.tolist()), round(score.item(), 7)]
                     for ids, score in zip(found.sequences, found.sequences_scores)])
    return rows


if __name__ == "__main__":
    for name, (codes, tokens, template) in FAMILIES.items():
        made = tokenizer_of(tokens, template)
        made.save(os.path.join(sys.argv[1], name + "-tokenizer.json"))
        network = hf.AutoModelForSeq2SeqLM.from_pretrained(os.path.join(FIXTURES, name)).eval()
        runs = {code: outputs(name, network, made, FIRST_LANGUAGE + i) for i, code in enumerate(codes)}
        with open(os.path.join(sys.argv[1], name + ".json"), "w", encoding="utf-8") as out:
            json.dump({"texts": texts(), "outputs": runs}, out)
            out.write("\n")
