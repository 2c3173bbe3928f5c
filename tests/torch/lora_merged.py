#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Language models in shards and adapters of them by PyPI's transformers and peft, for test_lora_merged.py:

    lora_merged.py make FOLDER ...     beside each folder, of a language model with a tokenizer, and for each TYPE of TYPES: FOLDER-TYPE, the model in
                                       that type, and FOLDER-TYPE-adapter
    lora_merged.py compare FOLDER ...  asserts that AutoModelForCausalLM of FOLDER-TYPE-merged has the logits and weights of merge_and_unload()"""
import os
import shutil
import sys

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM

TYPES = ('float32', 'bfloat16')


def make(folder, dtype):
    path, model = folder + '-' + dtype, AutoModelForCausalLM.from_pretrained(folder, dtype=dtype)
    model.save_pretrained(path, max_shard_size='10KB')
    assert os.path.exists(path + '/model.safetensors.index.json')
    shutil.copy(folder + '/tokenizer.json', path)
    torch.manual_seed(3)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(path), LoraConfig(r=2, lora_alpha=3, target_modules='all-linear', task_type='CAUSAL_LM'))
    with torch.no_grad():
        for value in model.parameters():
            if value.requires_grad:
                value.add_(torch.randn_like(value) * 0.3)
    model.save_pretrained(path + '-adapter')


def compare(folder, dtype):
    path, ids = folder + '-' + dtype, torch.arange(5, 45).reshape(2, 20)
    plain = AutoModelForCausalLM.from_pretrained(path).eval()
    before = plain(input_ids=ids).logits
    wanted = PeftModel.from_pretrained(plain, path + '-adapter').merge_and_unload().eval()
    found = AutoModelForCausalLM.from_pretrained(path + '-merged', dtype=dtype).eval()
    assert wanted.dtype == found.dtype == getattr(torch, dtype)
    weights = found.state_dict()
    for name, value in wanted.state_dict().items():
        assert torch.equal(weights[name], value) if dtype != 'float32' else (weights[name] - value).abs().max() < 1e-6, (path, name)
    far, changed = ((logits - wanted(input_ids=ids).logits).abs().max() for logits in (found(input_ids=ids).logits, before))
    assert far < (1e-5 if dtype == 'float32' else 1e-30) and changed > 0.1, (path, far, changed)


for each in sys.argv[2:]:
    for kind in TYPES:
        {'make': make, 'compare': compare}[sys.argv[1]](each, kind)
