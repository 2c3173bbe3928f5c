#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters with random weights for the small models of make_fixtures.py and make_language.py, and what PyPI's peft and transformers say
that the merged models answer.

    make_adapters.py FIXTURES FOLDER [NAME ...]

writes FOLDER/NAME/ as save_pretrained() of a PeftModel does, with the path of its base as "../../fixtures/BASE", and beside it
expected.safetensors, of the texts and targets of model_keys_folder.py:

    embed [texts, dims]                mean over the tokens of the encoder's, or language model's, output
    probs [texts, classes]             of a classifier of texts
    logprobs                           of the targets, each with its end, behind their texts; of a language model behind the text without end

each after merge_and_unload(), one text at a time in float32; of an adapter of a table of words that is the output too with the adapter beside the
model, since merge_and_unload() changes the output with the table, and twice where ensure_weight_tying gave both the same factors.
Made with torch 2.11.0, transformers 5.23.0 and peft 0.21.2 from PyPI; tests/torch/adapters holds the result."""
import json
import os
import shutil
import sys

import torch
import transformers as hf
from peft import LoraConfig, get_peft_model
from safetensors.torch import save_file

from model_keys_folder import TARGETS, TEXTS, ids_of

PLAIN = dict(r=2, lora_alpha=3, target_modules='all-linear')
LANGUAGE = dict(PLAIN, task_type='CAUSAL_LM')
SEQ2SEQ = dict(PLAIN, task_type='SEQ_2_SEQ_LM')
CASES = {  # name: base, settings, the class where it is not the base's, further settings of it
    'llama': ('llama', dict(LANGUAGE, r=3, target_modules=['q_proj', 'down_proj', 'embed_tokens'], modules_to_save=['lm_head'],
                            rank_pattern={'layers.1.self_attn.q_proj': 2}, alpha_pattern={r'layers\.0\.mlp\..*': 5, 'q_proj': 7}, bias='all')),
    'llama-rooted': ('llama', dict(LANGUAGE, r=4, lora_alpha=1, use_rslora=True, fan_in_fan_out=False, lora_dropout=0.1)),
    'llama-tied': ('llama-tied', LANGUAGE), 'llama-tied-words': ('llama-tied', dict(LANGUAGE, target_modules=['embed_tokens', 'q_proj'])),
    'llama-tied-output': ('llama-tied', dict(LANGUAGE, target_modules=['lm_head', 'k_proj'])),
    'llama-tied-both': ('llama-tied', dict(LANGUAGE, target_modules=['embed_tokens', 'o_proj'], ensure_weight_tying=True)),
    'llama-tied-saved': ('llama-tied', dict(LANGUAGE, target_modules=['q_proj'], modules_to_save=['embed_tokens'])),
    'qwen2-biased': ('qwen2', dict(LANGUAGE, target_modules=['q_proj', 'k_proj'], lora_bias=True, bias='lora_only', use_rslora=True)),
    'mistral': ('mistral', LANGUAGE), 'qwen2': ('qwen2', LANGUAGE), 'qwen3': ('qwen3', LANGUAGE),
    'gemma3': ('gemma3', LANGUAGE), 'qwen3-embedding': ('qwen3-embedding', dict(PLAIN, task_type='FEATURE_EXTRACTION')),
    'bert': ('bert', dict(PLAIN, task_type='FEATURE_EXTRACTION', target_modules=['query', 'word_embeddings'], init_lora_weights='gaussian')),
    'bert-class': ('bert-class', dict(PLAIN, task_type='SEQ_CLS', target_modules=['query', 'value'])),
    'roberta-mlm-to-class': ('roberta-mlm', dict(PLAIN, task_type='SEQ_CLS', target_modules=['query', 'dense'], exclude_modules='classifier.*', bias='lora_only'),
                          hf.RobertaForSequenceClassification, {'num_labels': 4}),
    'bert-to-class': ('bert', dict(PLAIN, task_type='SEQ_CLS', target_modules=['key']), hf.BertForSequenceClassification, {'num_labels': 2}),
    'roberta-class': ('roberta-class', dict(PLAIN, task_type='SEQ_CLS')),
    'distilbert-class': ('distilbert-class', dict(PLAIN, task_type='SEQ_CLS', target_modules=['q_lin', 'v_lin', 'lin1'])),
    'xlmroberta-class': ('xlmroberta-class', dict(PLAIN, task_type='SEQ_CLS')),
    'camembert': ('camembert', PLAIN), 'rembert': ('rembert', PLAIN), 'mpnet': ('mpnet', PLAIN), 'electra': ('electra', PLAIN),
    'albert': ('albert', PLAIN), 'albert-groups': ('albert-groups', PLAIN), 'deberta': ('deberta', PLAIN), 'xlmrobertaxl': ('xlmrobertaxl', PLAIN),
    'modernbert': ('modernbert', PLAIN), 'eurobert': ('eurobert', PLAIN), 'nomic': ('nomic', PLAIN), 't5-encoder': ('t5-encoder', PLAIN),
    'marian': ('marian', SEQ2SEQ), 'bart': ('bart', SEQ2SEQ), 'mbart': ('mbart', SEQ2SEQ), 'm2m100': ('m2m100', SEQ2SEQ),
    't5': ('t5', dict(SEQ2SEQ, target_modules=['q', 'v', 'wo'])), 'mt5': ('mt5', SEQ2SEQ), 't5-untied': ('t5-untied', dict(SEQ2SEQ, target_modules=['q', 'wo'])),
    'marian-saved': ('marian', dict(SEQ2SEQ, target_modules=['q_proj'], modules_to_save=['lm_head'])),
    'bart-saved': ('bart', dict(SEQ2SEQ, target_modules=['q_proj'], modules_to_save=['embed_tokens'])),
    't5-saved': ('t5', dict(SEQ2SEQ, target_modules=['q'], modules_to_save=['embed_tokens', 'lm_head'])),
}


def logprobs(model, path, text, target):
    """Of the tokens of a target and its end."""
    wanted = ids_of(path, target) if model.config.is_encoder_decoder else ids_of(path, target)[1:]
    ids = ids_of(path, text)
    if model.config.is_encoder_decoder:
        logits = model(input_ids=torch.tensor([ids]), labels=torch.tensor([wanted])).logits[0]
    else:
        ids = ids[:-1]
        logits = model(input_ids=torch.tensor([ids + wanted[:-1]])).logits[0][len(ids) - 1:]
    return logits.log_softmax(-1).gather(1, torch.tensor(wanted)[:, None])[:, 0]


def write_config(folder, base):
    """Writes adapter_config.json anew, with the path of a base among the fixtures and the same bytes in each run."""
    path = os.path.join(folder, 'adapter_config.json')
    with open(path) as file:
        written = json.load(file)
    written['base_model_name_or_path'] = '../../fixtures/' + base
    for key in ('target_modules', 'exclude_modules'):  # sets, whose order changes from run to run
        written[key] = sorted(written[key]) if isinstance(written[key], list) else written[key]
    with open(path, 'w') as file:
        json.dump(dict(sorted(written.items())), file, indent=2)  # patterns keep their order, of which the first counts
        file.write('\n')


def answers(merged, path, embedder):
    """What a model says of TEXTS and TARGETS. embedder: a language model without a head."""
    expected = {}
    with torch.no_grad():
        stack = merged.get_encoder() if merged.config.is_encoder_decoder else merged.base_model
        sources = [ids_of(path, text) for text in TEXTS]
        causal = type(merged).__name__.endswith('ForCausalLM') or embedder
        expected['embed'] = torch.stack([stack(input_ids=torch.tensor([ids[:-1] if causal else ids])).last_hidden_state[0].mean(0) for ids in sources])
        if hasattr(merged, 'num_labels') and type(merged).__name__.endswith('ForSequenceClassification'):
            expected['probs'] = torch.stack([merged(input_ids=torch.tensor([ids])).logits[0].softmax(-1) for ids in sources])
        if type(merged).__name__.endswith('ForCausalLM') or merged.config.is_encoder_decoder:
            expected['logprobs'] = torch.cat([logprobs(merged, path, *pair) for pair in zip(TEXTS, TARGETS)])
    return expected


def make(name, fixtures, folder):
    base, settings, *other = CASES[name]
    path = os.path.join(fixtures, base)
    with open(os.path.join(path, 'config.json')) as file:
        kind = getattr(hf, json.load(file)['architectures'][0])
    torch.manual_seed(5)
    model = (other[0] if other else kind).from_pretrained(path, dtype=torch.float32, **(other[1] if other else {}))
    model = get_peft_model(model, LoraConfig(**settings))
    with torch.no_grad():
        for key, value in model.named_parameters():
            if value.requires_grad:
                value.add_(torch.randn_like(value) * 0.3)
    out = os.path.join(folder, name)
    shutil.rmtree(out, ignore_errors=True)
    model.save_pretrained(out)
    os.remove(os.path.join(out, 'README.md'))
    write_config(out, base)
    tied = {'embed_tokens', 'lm_head'} & set(settings['target_modules']) and model.config.tie_word_embeddings
    expected = answers(model.base_model.model.eval() if tied else model.merge_and_unload().eval(), path, name == 'qwen3-embedding')
    save_file(expected, os.path.join(out, 'expected.safetensors'))
    print(name, {key: tuple(value.shape) for key, value in expected.items()})


if __name__ == '__main__':
    for case in sys.argv[3:] or CASES:
        make(case, sys.argv[1], sys.argv[2])
