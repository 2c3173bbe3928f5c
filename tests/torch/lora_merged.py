#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models in shards and adapters of them by PyPI's transformers and peft, for test_lora_merged.py:

    lora_merged.py make FOLDER ...     beside each folder, of a language or translation model with a tokenizer, and for each TYPE of TYPES: FOLDER-TYPE,
                                       the model in that type, and FOLDER-TYPE-adapter
    lora_merged.py compare FOLDER ...  asserts that transformers opens FOLDER-TYPE-merged and FOLDER-TYPE-command with the logits and weights of
                                       merge_and_unload(), of which the second has their type too

An adapter of a translation model holds tables of words whole: the output alone, both stacks' or all of them."""
import json
import os
import shutil
import sys

import torch
import transformers as hf
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors import safe_open

TYPES = ('float32', 'bfloat16')
TARGETS = {'marian': dict(target_modules=['q_proj'], modules_to_save=['lm_head']), 'bart': dict(target_modules=['fc1'], modules_to_save=['embed_tokens']),
           't5': dict(target_modules=['q'], modules_to_save=['lm_head', 'embed_tokens'])}


def kind_of(folder):
    with open(folder + '/config.json', encoding='utf-8') as file:
        return getattr(hf, json.load(file)['architectures'][0])


@torch.no_grad()  # where the biases of T5 need a gradient, torch computes attention by other sums
def logits(model, ids):
    return model(input_ids=ids, **({'decoder_input_ids': ids + 1} if model.config.is_encoder_decoder else {})).logits


def make(folder, dtype):
    path, model = folder + '-' + dtype, kind_of(folder).from_pretrained(folder, dtype=dtype)
    model.save_pretrained(path, max_shard_size='10KB')
    assert os.path.exists(path + '/model.safetensors.index.json')
    shutil.copy(folder + '/tokenizer.json', path)
    torch.manual_seed(3)
    targets = TARGETS.get(os.path.basename(folder), dict(target_modules='all-linear'))
    model = get_peft_model(kind_of(path).from_pretrained(path), LoraConfig(r=2, lora_alpha=3, **targets))
    with torch.no_grad():
        for value in model.parameters():
            if value.requires_grad:
                value.add_(torch.randn_like(value) * 0.3)
    model.save_pretrained(path + '-adapter')


def compare(folder, dtype):
    path, ids = folder + '-' + dtype, torch.arange(5, 45).reshape(2, 20)
    plain = kind_of(path).from_pretrained(path).eval()
    before = logits(plain, ids)
    wanted = PeftModel.from_pretrained(plain, path + '-adapter').merge_and_unload().eval()
    for written in ('-merged', '-command'):
        found = kind_of(path + written).from_pretrained(path + written, dtype=dtype).eval()
        assert wanted.dtype == found.dtype == getattr(torch, dtype)
        weights = found.state_dict()
        for name, value in wanted.state_dict().items():
            if name.endswith('shared.weight'):  # no output is computed with it
                continue
            assert torch.equal(weights[name], value) if dtype != 'float32' else (weights[name] - value).abs().max() < 1e-6, (path, written, name)
        far, changed = ((other - logits(wanted, ids)).abs().max() for other in (logits(found, ids), before))
        assert far < (1e-5 if dtype == 'float32' else 1e-30) and changed > 0.1, (path, written, far, changed)
    with safe_open(path + '-command/model.safetensors', 'pt') as file:
        assert {file.get_tensor(name).dtype for name in file.keys()} == {getattr(torch, dtype)}, path


for each in sys.argv[2:]:
    for kind in TYPES:
        {'make': make, 'compare': compare}[sys.argv[1]](each, kind)
