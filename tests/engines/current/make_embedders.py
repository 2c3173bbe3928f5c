#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders of language models that embed, as sentence-transformers saves them, and the vectors of its encode().

    make_embedders.py FOLDER

writes FOLDER/NAME/ as SentenceTransformer.save() does, with texts.txt and expected.safetensors beside it: the vectors of the texts
without a prompt and with each prompt of the folder (PROMPT), computed in one batch that is padded on one side of the texts (SIDE.PROMPT).

    qwen3    as Qwen3-Embedding: a causal model, its last token, vectors of length 1
    gemma3   as EmbeddingGemma: attention both ways, the mean, two Dense modules without a function, vectors of length 1

Made with torch 2.11.0, transformers 5.23.0 and sentence-transformers 6.2.0 from PyPI."""
import os
import sys

import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Dense, Normalize, Pooling, Transformer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'torch'))
from model_keys_folder import make_folder  # noqa: E402

PACKAGES = ["torch==2.11.0", "transformers==5.23.0", "sentence-transformers==6.2.0"]
KEPT = {"qwen3": "tests/torch/embedders/qwen3", "gemma3": "tests/torch/embedders/gemma3"}
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'torch', 'fixtures')
WIDTH, INNER = 16, 20
PROMPTS = {'query': 'w40 w41 ', 'document': 'w33 '}
# The last one is longer than the 24 tokens at which the folder cuts.
TEXTS = ['w5 w6 w7', 'w30', 'w7 w8 w9 w30 w31 w32 w40 w41', 'w21 w22 w50 w51', ' '.join(f'w{5 + 2 * k}' for k in range(26))]
FAMILIES = {'qwen3': ('lasttoken', False), 'gemma3': ('mean', True)}


def base(folder, name, side):
    """The transformer, whose tokenizer pads on a side."""
    path = os.path.join(folder, f'{name}-{side}-base')
    make_folder(os.path.join(FIXTURES, f'{name}-embedding'), {'tokenizer_config.json': {
        'padding_side': side, 'pad_token': '<pad>', 'bos_token': '<start>'}}, path)
    return path


def model(folder, name, side):
    pooling, dense = FAMILIES[name]
    modules = [Transformer(base(folder, name, side)), Pooling(WIDTH, pooling_mode=pooling)]
    if dense:
        torch.manual_seed(1)
        modules += [Dense(inputs, outputs, bias=False, activation_function=torch.nn.Identity())
                    for inputs, outputs in ((WIDTH, INNER), (INNER, WIDTH))]
    return SentenceTransformer(modules=[*modules, Normalize()], prompts=PROMPTS, device='cpu')


def vectors(path):
    """The model is read from its folder, so that these are the vectors of what is kept."""
    loaded = SentenceTransformer(path, device='cpu')
    rows = {name: loaded.encode(TEXTS, prompt_name=name, batch_size=len(TEXTS), convert_to_tensor=True) for name in PROMPTS}
    return loaded.tokenizer.padding_side, {'none': loaded.encode(TEXTS, prompt='', batch_size=len(TEXTS), convert_to_tensor=True), **rows}


def main(folder):
    torch.set_num_threads(1)
    os.makedirs(folder, exist_ok=True)
    for name in FAMILIES:
        expected = {}
        for side in ('right', 'left'):  # the one that is kept pads on the left, as both packages of weights do
            path = os.path.join(folder, name if side == 'left' else f'{name}-{side}')
            model(folder, name, side).save(path, create_model_card=False)
            found, rows = vectors(path)
            assert found == side, found
            expected |= {f'{side}.{prompt}': row.contiguous().clone() for prompt, row in rows.items()}
        save_file(expected, os.path.join(path, 'expected.safetensors'))
        with open(os.path.join(path, 'texts.txt'), 'w', encoding='utf-8') as file:
            file.writelines(text + '\n' for text in TEXTS)


if __name__ == '__main__':
    main(sys.argv[1])
