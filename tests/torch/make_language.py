#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small decoder-only language models with random weights, and what PyPI's transformers says they answer.

    make_language.py FOLDER [NAME ...]

writes folders as make_fixtures.py does, with these answers, each of one text at a time in float32:

    embed.POOLING.LAYER [texts, dims]   POOLING mean|max|last, LAYER -1 (what enters block 1), 1 .. layers
    text_logprobs [tokens]              of each text behind the token bos_token_id, or eos_token_id where config.json has none
    target.ids, target.offsets          texts behind those; logprobs: of their tokens
    greedy.ids, beam.ids, ...           what generate() gives behind a text, with offsets; beam.scores: its sequences_scores

A batch with padding on the left, and one with padding on the right, give the same.
Made with torch 2.11.0 and transformers 5.23.0 from PyPI; tests/torch/fixtures holds the result."""
import copy
import json
import os
import sys

import torch
import transformers as hf
from safetensors.torch import save_file

from make_fixtures import WORDS, basis, flat, inputs, randomize, write

BOS, EOS, PAD = 1, 2, 0
SHAPE = dict(vocab_size=WORDS, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, intermediate_size=24,
             max_position_embeddings=32, initializer_range=0.4, bos_token_id=BOS, eos_token_id=EOS, pad_token_id=PAD)


def stretched(kind, **more):
    return {'rope_parameters': {'rope_type': kind, 'rope_theta': 100.0, **more}}


def models():
    """Name: class of the model, settings, further ones that save_pretrained() is given."""
    llama, qwen3 = dict(SHAPE, head_dim=8), dict(SHAPE, head_dim=6, rms_norm_eps=0.01)
    types = ['sliding_attention', 'full_attention', 'sliding_attention']
    gemma = dict(SHAPE, num_hidden_layers=3, head_dim=6, query_pre_attn_scalar=10, sliding_window=4, layer_types=types, rope_parameters={
        'full_attention': {'rope_type': 'linear', 'factor': 4.0, 'rope_theta': 5000.0},
        'sliding_attention': {'rope_type': 'default', 'rope_theta': 20.0}})
    return {
        'llama': (hf.LlamaForCausalLM, hf.LlamaConfig(**llama, attention_bias=True, mlp_bias=True), {}),
        'llama-tied': (hf.LlamaForCausalLM, hf.LlamaConfig(**dict(SHAPE, bos_token_id=None), tie_word_embeddings=True, hidden_act='gelu'),
                       {'dtype': torch.bfloat16, 'max_shard_size': 4000}),
        'llama-linear': (hf.LlamaForCausalLM, hf.LlamaConfig(**llama, **stretched('linear', factor=3.0)), {'dtype': torch.float16}),
        'llama-dynamic': (hf.LlamaForCausalLM, hf.LlamaConfig(**llama, **stretched('dynamic', factor=3.0)), {}),
        'llama-llama3': (hf.LlamaForCausalLM, hf.LlamaConfig(**llama, **stretched(
            'llama3', factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=128)), {}),
        'llama-yarn': (hf.LlamaForCausalLM, hf.LlamaConfig(**llama, **stretched(
            'yarn', factor=4.0, beta_fast=4.0, beta_slow=1.0, original_max_position_embeddings=32)), {}),
        'llama-old': (hf.LlamaForCausalLM, hf.LlamaConfig(**llama), {}),
        'llama-old-llama3': (hf.LlamaForCausalLM, hf.LlamaConfig(**llama), {}),
        'qwen2-old': (hf.Qwen2ForCausalLM, hf.Qwen2Config(**SHAPE, use_sliding_window=True, sliding_window=3, max_window_layers=1), {}),
        'gemma3-old': (hf.Gemma3ForCausalLM, hf.Gemma3TextConfig(**gemma), {}),
        'mistral': (hf.MistralForCausalLM, hf.MistralConfig(**SHAPE, sliding_window=4), {}),
        'mistral-full': (hf.MistralForCausalLM, hf.MistralConfig(**SHAPE, sliding_window=None), {}),
        'qwen2': (hf.Qwen2ForCausalLM, hf.Qwen2Config(**SHAPE, use_sliding_window=True, sliding_window=3, max_window_layers=1), {}),
        'qwen3': (hf.Qwen3ForCausalLM, hf.Qwen3Config(**qwen3), {}),
        'qwen3-embedding': (hf.Qwen3Model, hf.Qwen3Config(**qwen3, attention_bias=True), {}),
        'gemma3': (hf.Gemma3ForCausalLM, hf.Gemma3TextConfig(**gemma), {}),
        'gemma3-embedding': (hf.Gemma3TextModel, hf.Gemma3TextConfig(
            **gemma, attention_bias=True, hidden_activation='silu', use_bidirectional_attention=True), {}),
    }


OLD = {  # folders whose config.json is written with the keys of transformers 4
    'llama-old': {'rope_parameters': None, 'rope_theta': 300.0, 'rope_scaling': {'type': 'linear', 'factor': 2.5}},
    'llama-old-llama3': {'rope_parameters': None, 'rope_theta': 100.0, 'original_max_position_embeddings': 64, 'rope_scaling': {
        'rope_type': 'llama3', 'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0}},
    'qwen2-old': {'rope_parameters': None, 'rope_theta': 50.0, 'layer_types': None},
    'gemma3-old': {'rope_parameters': None, 'rope_theta': 5000.0, 'rope_local_base_freq': 20.0, 'rope_scaling': {'rope_type': 'linear', 'factor': 4.0},
                   'layer_types': None, 'sliding_window_pattern': 2, '_sliding_window_pattern': None}}


def as_old(path, kind, changes):
    """The model of a folder whose config.json is changed: None takes a member out."""
    with open(os.path.join(path, 'config.json')) as file:
        config = {**json.load(file), **changes}
    with open(os.path.join(path, 'config.json'), 'w') as file:
        json.dump({key: value for key, value in config.items() if value is not None}, file, indent=2)
    return kind.from_pretrained(path, dtype=torch.float32).eval()


POOLINGS = {'mean': lambda hidden: hidden.mean(0), 'max': lambda hidden: hidden.max(0).values, 'last': lambda hidden: hidden[-1]}


def run(model, ids, **more):
    with torch.no_grad():
        return model(input_ids=torch.tensor(ids), **more)


def expect_padding(model, texts):
    """Values of a batch are those of its texts, whichever side is padded."""
    most = max(len(ids) for ids in texts)
    for left in (True, False):
        rows = [[PAD] * (most - len(ids)) + ids if left else ids + [PAD] * (most - len(ids)) for ids in texts]
        mask = [[0] * (most - len(ids)) + [1] * len(ids) if left else [1] * len(ids) + [0] * (most - len(ids)) for ids in texts]
        out = run(model, rows, attention_mask=torch.tensor(mask), output_hidden_states=True).hidden_states[-1]
        for ids, row in zip(texts, out):
            alone = run(model, [ids], output_hidden_states=True).hidden_states[-1][0]
            both = row[most - len(ids):] if left else row[:len(ids)]
            assert (alone - both).abs().max() < 1e-4, (left, (alone - both).abs().max())


def picked(model, ids, first):
    """Log-probabilities of the tokens of ids from `first` on."""
    values = run(model, [ids[:-1]]).logits[0].log_softmax(-1)
    return values.gather(1, torch.tensor(ids[1:])[:, None])[:, 0][first - 1:]


def outputs(model, texts):
    """What continues each text, behind a token that stands for the text: greedily, and of a search with four beams."""
    found, scores = {'greedy': [], 'beam': []}, []
    for ids in texts:
        def continued(**how):
            return model.generate(torch.tensor([ids]), attention_mask=torch.ones(1, len(ids)), max_new_tokens=9, do_sample=False,
                                  return_dict_in_generate=True, output_scores=True, **how)
        greedy, beam = continued(num_beams=1), continued(num_beams=4)
        found['greedy'].append([0] + greedy.sequences[0, len(ids):].tolist())
        found['beam'].append([0] + beam.sequences[0, len(ids):].tolist())
        scores.append(beam.sequences_scores[0])
    out = {'beam.scores': torch.stack(scores)}
    for name, rows in found.items():
        out[name + '.ids'], out[name + '.offsets'] = flat(rows)
    return out


def answers(model):
    """The arrays of expected.safetensors."""
    settings = model.config
    texts, types, marks = inputs(None, EOS, 5)
    texts[1][0] = BOS  # one text begins as its tokenizer has it
    targets = [list(reversed(ids[:-1]))[:1 + len(ids) * 2 // 3] + [EOS] for ids in texts]
    targets[2].pop()  # its end is scored all the same
    expect_padding(model, texts)
    expected = basis(texts, types, marks)
    layers = [-1] + list(range(1, settings.num_hidden_layers + 1))
    rows = {f'embed.{pooling}.{layer}': [] for pooling in POOLINGS for layer in layers}
    for ids in texts:
        states = run(model, [ids], output_hidden_states=True).hidden_states
        for layer in layers:
            for pooling, function in POOLINGS.items():
                rows[f'embed.{pooling}.{layer}'].append(function(states[0 if layer < 0 else layer][0]))
    expected.update({key: torch.stack(values) for key, values in rows.items()})
    if type(model).__name__.endswith('ForCausalLM'):
        start = EOS if settings.bos_token_id is None else BOS
        expected['target.ids'], expected['target.offsets'] = flat(targets)
        targets[2].append(EOS)
        expected['text_logprobs'] = torch.cat([picked(model, ids if ids[0] == start else [start] + ids, 1) for ids in texts])
        expected['logprobs'] = torch.cat([picked(model, ids + target, len(ids)) for ids, target in zip(texts, targets)])
        expected.update(outputs(model, texts))
    return expected


def main(folder, wanted):
    for name, (kind, settings, how) in models().items():
        if wanted and name not in wanted:
            continue
        torch.manual_seed(3)
        model = randomize(kind(settings))
        for value in model.parameters():  # but no buffers: those are computed
            value.data = value.data.to(how.get('dtype', torch.float32)).float()
        stored = copy.deepcopy(model).to(how.pop('dtype', torch.float32))
        if name in OLD:
            model = as_old(write(folder, name, stored, {}), kind, OLD[name])
        expected = answers(model)
        if name in OLD:
            save_file(expected, os.path.join(folder, name, 'expected.safetensors'))
        else:
            write(folder, name, stored, expected, **how)


if __name__ == '__main__':
    os.makedirs(sys.argv[1], exist_ok=True)
    main(sys.argv[1], sys.argv[2:])
