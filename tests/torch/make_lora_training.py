#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What five updates with PyTorch's AdamW make of LoRA adapters of the small models of make_fixtures.py and make_language.py, by PyPI's peft.

    make_lora_training.py FIXTURES FOLDER [NAME ...]

writes FOLDER/NAME/, NAME being the model's folder in FIXTURES, an adapter as save_pretrained() of a PeftModel does, with the path of its base as
"../../fixtures/NAME", and beside it trained.safetensors: its tensors after the fifth update, and "losses" [5] before each update.

The updates are those of make_training.py, with its data and settings, of the adapter alone. Neither of its factors is 0, so that the first update
moves both.
Made with torch 2.11.0, transformers 5.23.0 and peft 0.21.2 from PyPI; tests/torch/lora holds the result."""
import os
import shutil
import sys

import torch
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
from safetensors.torch import save_file

from make_adapters import write_config
from make_training import CASES, make_updates

ALL = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj']
TARGETS = {  # what is adapted in place of the projections of queries and values
    'llama': ALL + ['embed_tokens'], 'eurobert-class': ['q_proj', 'v_proj', 'embed_tokens'], 'qwen3': ['q_proj', 'v_proj', 'down_proj'], 'gemma3': ALL, 'bart': ['k_proj', 'out_proj', 'fc1', 'fc2'],
    't5': ['q', 'k', 'v', 'o', 'wi', 'wo'], 'mt5': ['v', 'wi_0', 'wi_1', 'wo'], 'bert-token': ['key', 'attention.output.dense', 'intermediate.dense'],
    'modernbert-token': ['Wqkv', 'Wi'], 'deberta-class': ['query_proj', 'key_proj', 'value_proj'], 'distilbert-class': ['q_lin', 'k_lin', 'lin1', 'lin2', 'word_embeddings'],
}
TASKS = {'-class': 'SEQ_CLS', '-token': 'TOKEN_CLS'}


def targets_of(folder):
    """Those of peft, and what is most like them for families that it does not know."""
    if folder in TARGETS:
        return TARGETS[folder]
    return ['q', 'v'] if folder.startswith('mpnet') else ['query', 'value'] if '-' in folder and not folder.startswith(('llama', 'eurobert')) else ['q_proj', 'v_proj']


def make(folder, fixtures, out):
    path, kind = os.path.join(fixtures, folder), CASES[folder][0]
    task = TASKS.get(folder[-6:]) or ('CAUSAL_LM' if kind.__name__.endswith('ForCausalLM') else None if folder.endswith('-mlm') else 'SEQ_2_SEQ_LM')
    torch.manual_seed(7)
    model = get_peft_model(kind.from_pretrained(path, dtype=torch.float32).eval(),
                           LoraConfig(r=3, lora_alpha=5, target_modules=targets_of(folder), task_type=task)).eval()
    with torch.no_grad():
        for name, value in model.named_parameters():
            if 'lora_B' in name or 'lora_embedding_A' in name:
                value.normal_(0, 0.1)
    out = os.path.join(out, folder)
    shutil.rmtree(out, ignore_errors=True)
    model.save_pretrained(out)
    os.remove(os.path.join(out, 'README.md'))
    write_config(out, folder)
    losses, _, _ = make_updates(folder, path, model)
    trained = {name: value.clone() for name, value in get_peft_model_state_dict(model).items() if 'base_layer' not in name}
    save_file({**trained, 'losses': losses}, os.path.join(out, 'trained.safetensors'))
    print(folder, [round(float(loss), 4) for loss in losses])


if __name__ == '__main__':
    for case in sys.argv[3:] or CASES:
        if case != 'nomic-mlm':  # whose modules have other names than its tensors
            make(case, sys.argv[1], sys.argv[2])
