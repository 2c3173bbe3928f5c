#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders with the rarer modules of sentence-transformers, as the package saves them, and the vectors of its encode().

    make_modules.py FOLDER

writes FOLDER/NAME/ as SentenceTransformer.save() does, with texts.txt and expected.safetensors beside it: the vectors of the texts
by encode() ("none"), encode_query() ("query") and encode_document() ("document"), of one text at a time.

    layers     WeightedLayerPooling of all layers but the first
    kernels    CNN with three kernels, Dropout
    both       WeightedLayerPooling and CNN, two poolings, Dense
    first      the transformer in 0_Transformer, as the first versions wrote it
    routes     a Router of two transformers, each with a pooling and a Dense, before a Normalize; prompts for both
    static     a Router with a StaticEmbedding for queries, and a transformer for documents
    heads      a Router behind a transformer, as Asym was used, whose names are no tasks; the first one is the default
    mapped     a Router whose route_mappings choose

Made with torch 2.11.0, transformers 5.23.0 and sentence-transformers 6.2.0 from PyPI."""
import json
import os
import shutil
import sys

import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import (CNN, Dense, Dropout, Normalize, Pooling, Router, StaticEmbedding,
                                                                Transformer, WeightedLayerPooling)
from tokenizers import Tokenizer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'torch'))
from model_keys_folder import make_folder  # noqa: E402

PACKAGES = ["torch==2.11.0", "transformers==5.23.0", "sentence-transformers==6.2.0"]
NAMES = ["layers", "kernels", "both", "first", "routes", "static", "heads", "mapped"]
KEPT = {"layers": "tests/torch/modules/layers", "kernels": "tests/torch/modules/kernels", "both": "tests/torch/modules/both",
        "first": "tests/torch/modules/first", "routes": "tests/torch/modules/routes", "static": "tests/torch/modules/static",
        "heads": "tests/torch/modules/heads", "mapped": "tests/torch/modules/mapped"}
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'torch', 'fixtures')
WIDTH = 16
PROMPTS = {'query': 'w40 w41 ', 'passage': 'w33 '}
# Shorter than a kernel, and longer than the 24 tokens at which the folders cut.
TEXTS = ['w5 w6 w7', 'w30', 'w7 w8 w9 w30 w31 w32 w40 w41', 'w21 w22 w50 w51', ' '.join(f'w{5 + 2 * k}' for k in range(26))]


class Maker:
    def __init__(self, folder):
        self.folder = folder

    def transformer(self, family='bert', **config):
        """The transformer of a fixture, with a tokenizer."""
        path = os.path.join(self.folder, 'bases', f'{family}-{len(config)}')
        if not os.path.exists(path):
            make_folder(os.path.join(FIXTURES, family), {'config.json': config}, path)
        return Transformer(path)

    def layers(self):
        pooling = WeightedLayerPooling(WIDTH, num_hidden_layers=2, layer_start=1)
        pooling.layer_weights.data = torch.tensor([0.3, 0.9])
        return [self.transformer(output_hidden_states=True), pooling, Pooling(WIDTH)]

    def kernels(self):
        return [self.transformer(), CNN(WIDTH, 8, [1, 3, 5]), Pooling(24, pooling_mode='max'), Dropout(0.3)]

    def both(self):
        pooling = WeightedLayerPooling(WIDTH, num_hidden_layers=3, layer_start=0)
        pooling.layer_weights.data = torch.tensor([0.5, -0.2, 1.1, 0.7])
        return [self.transformer('modernbert', output_hidden_states=True), pooling,
                CNN(WIDTH, 6, [3]), CNN(6, 10, [7, 1]), Pooling(20, pooling_mode=['mean', 'lasttoken']), Dense(40, 12), Normalize()]

    def first(self):
        return [self.transformer(), Pooling(WIDTH, pooling_mode='cls')]

    def routes(self):
        query = [self.transformer('roberta'), Pooling(WIDTH), Dense(WIDTH, 8)]
        document = [self.transformer(), Pooling(WIDTH, pooling_mode='cls'), Dense(WIDTH, 8)]
        return [Router.for_query_document(query, document), Normalize()]

    def static(self):
        base = self.transformer()
        tokenizer = Tokenizer.from_file(os.path.join(self.folder, 'bases', 'bert-0', 'tokenizer.json'))
        table = StaticEmbedding(tokenizer, embedding_weights=torch.randn(60, WIDTH).numpy())
        return [Router.for_query_document([table], [base, Pooling(WIDTH)]), Normalize()]

    def heads(self):
        return [self.transformer(), Pooling(WIDTH), Router({'question': [Dense(WIDTH, 6)], 'answer': [Dense(WIDTH, 6)]})]

    def mapped(self):
        parts = {'short': [Dense(WIDTH, 6)], 'long': [Dense(WIDTH, 6)], 'rest': [Dense(WIDTH, 6)]}
        return [self.transformer(), Pooling(WIDTH),
                Router(parts, route_mappings={('query', 'text'): 'short', ('document', None): 'long', (None, 'text'): 'rest'})]


def move_first(path):
    """The transformer in a folder of its own."""
    os.makedirs(os.path.join(path, '0_Transformer'))
    for name in os.listdir(path):
        if os.path.isfile(os.path.join(path, name)) and name not in ('modules.json', 'config_sentence_transformers.json'):
            shutil.move(os.path.join(path, name), os.path.join(path, '0_Transformer', name))
    with open(os.path.join(path, 'modules.json'), encoding='utf-8') as file:
        modules = json.load(file)
    modules[0]['path'] = '0_Transformer'
    with open(os.path.join(path, 'modules.json'), 'w', encoding='utf-8') as file:
        json.dump(modules, file)


def vectors(path, tasks):
    """The model is read from its folder, so that these are the vectors of what is kept."""
    loaded = SentenceTransformer(path, device='cpu')
    encode = {'none': loaded.encode, 'query': loaded.encode_query, 'document': loaded.encode_document,
              'question': lambda *a, **k: loaded.encode(*a, task='question', **k), 'answer': lambda *a, **k: loaded.encode(*a, task='answer', **k)}
    return {task: encode[task](TEXTS, batch_size=1, convert_to_tensor=True).contiguous().clone() for task in tasks}


def main(folder):
    torch.set_num_threads(1)
    os.makedirs(folder, exist_ok=True)
    maker = Maker(folder)
    for number, name in enumerate(NAMES):
        torch.manual_seed(number)
        path = os.path.join(folder, name)
        prompts = PROMPTS if name in ('routes', 'static') else None
        SentenceTransformer(modules=getattr(maker, name)(), prompts=prompts, device='cpu').save(path, create_model_card=False)
        if name == 'first':
            move_first(path)
        tasks = {'heads': ['none', 'question', 'answer'], 'layers': ['none'], 'kernels': ['none'], 'both': ['none'], 'first': ['none']}
        save_file(vectors(path, tasks.get(name, ['none', 'query', 'document'])), os.path.join(path, 'expected.safetensors'))
        with open(os.path.join(path, 'texts.txt'), 'w', encoding='utf-8') as file:
            file.writelines(text + '\n' for text in TEXTS)


if __name__ == '__main__':
    main(sys.argv[1])
