#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters with each setting of PyPI's peft, for test_lora_settings.py: lora_settings.py FIXTURES OUT [FIELD ...]

writes OUT/NAME/ for each row of SETTINGS, as save_pretrained() of a PeftModel does, with expected.safetensors of make_adapters.py, which the model
gives with the adapter beside it, and which it gives after merge_and_unload() too; and OUT/fields.json, the fields of LoraConfig."""
import dataclasses
import json
import os
import sys

PLAIN = dict(r=2, lora_alpha=3, target_modules=['q_proj', 'v_proj', 'down_proj'], task_type='CAUSAL_LM')
CLASSES = dict(PLAIN, target_modules=['query', 'value'], task_type='SEQ_CLS')
SEQ2SEQ = dict(PLAIN, target_modules=['q_proj', 'fc1'], task_type='SEQ_2_SEQ_LM')
TEXTS = dict(PLAIN, target_modules=['query'], task_type='FEATURE_EXTRACTION')
OPENS = ''  # in place of a word of the message that refuses it
PARTED = 'parted'  # the same, where peft makes another model in merging: one matrix is the table of words and the output, and both change

# field: [(base, settings, OPENS or a part of the message)]. Settings are those of LoraConfig,
# or a text that is evaluated with the names of peft.
SETTINGS = {
    'task_type': [('llama', dict(PLAIN, task_type=None), OPENS), ('bert-class', CLASSES, OPENS), ('bert', TEXTS, OPENS), ('marian', SEQ2SEQ, OPENS)],
    'peft_type': [('llama', 'IA3Config(target_modules=["q_proj"], feedforward_modules=[], task_type="CAUSAL_LM")', 'peft_type is "IA3"'),
                  ('llama', 'LoHaConfig(r=2, target_modules=["q_proj"], task_type="CAUSAL_LM")', 'peft_type is "LOHA"')],
    'auto_mapping': [('bert-class', dict(CLASSES, task_type=None, modules_to_save=['classifier']), OPENS)],
    'peft_version': [('llama', dict(PLAIN, peft_version='0.7.0'), OPENS)],
    'base_model_name_or_path': [('llama', dict(PLAIN, base_model_name_or_path='somewhere else'), OPENS)],
    'revision': [('llama', dict(PLAIN, revision='main'), OPENS)],
    'inference_mode': [('llama', dict(PLAIN, inference_mode=True), OPENS)],
    'r': [('llama', dict(PLAIN, r=1), OPENS), ('mistral', dict(PLAIN, r=17), OPENS)],
    'target_modules': [('gemma3', dict(PLAIN, target_modules='all-linear'), OPENS), ('qwen3', dict(PLAIN, target_modules=['layers.1.mlp.up_proj', 'o_proj']), OPENS),
                       ('llama', dict(PLAIN, target_modules=['embed_tokens', 'q_proj']), OPENS), ('llama', dict(PLAIN, target_modules=['lm_head']), OPENS),
                       ('bert', dict(TEXTS, target_modules=['word_embeddings', 'position_embeddings', 'token_type_embeddings']), OPENS),
                       ('llama-tied', dict(PLAIN, target_modules=['embed_tokens']), PARTED), ('llama-tied', dict(PLAIN, target_modules=['lm_head', 'q_proj']), PARTED),
                       ('llama-tied', dict(PLAIN, target_modules=['lm_head', 'embed_tokens']), PARTED), ('llama-tied', dict(PLAIN, target_modules=['embed_tokens'], use_dora=True), PARTED),
                       ('roberta', dict(TEXTS, target_modules=['position_embeddings']), OPENS), ('distilbert', dict(TEXTS, target_modules=['position_embeddings']), OPENS),
                       ('t5', dict(SEQ2SEQ, target_modules=['relative_attention_bias']), OPENS), ('mpnet', dict(TEXTS, target_modules=['relative_attention_bias']), OPENS),
                       ('marian', dict(SEQ2SEQ, target_modules=['shared']), 'several places'), ('bart', dict(SEQ2SEQ, target_modules=['embed_tokens']), 'several places'),
                       ('mbart', dict(SEQ2SEQ, target_modules=['lm_head']), 'several places'), ('t5', dict(SEQ2SEQ, target_modules=['embed_tokens', 'q']), 'several places')],
    'exclude_modules': [('qwen2', dict(PLAIN, exclude_modules=['layers.0.self_attn.q_proj']), OPENS), ('bert-class', dict(CLASSES, exclude_modules='.*layer.1.*'), OPENS)],
    'lora_alpha': [('llama', dict(PLAIN, lora_alpha=31), OPENS), ('bert', dict(TEXTS, lora_alpha=0.5), OPENS)],
    'lora_dropout': [('llama', dict(PLAIN, lora_dropout=0.4), OPENS)],
    'fan_in_fan_out': [('llama', dict(PLAIN, fan_in_fan_out=True), OPENS)],
    'bias': [(base, dict(settings, bias=bias), OPENS) for bias in ('all', 'lora_only') for base, settings in (
        ('bert-class', CLASSES), ('roberta-class', CLASSES), ('qwen2', PLAIN), ('marian', SEQ2SEQ), ('llama', dict(PLAIN, modules_to_save=['lm_head'])),
        ('qwen2', dict(PLAIN, modules_to_save=['layers.0.self_attn.v_proj', 'lm_head'], target_modules=['q_proj'])))],
    'use_rslora': [('llama', dict(PLAIN, r=4, use_rslora=True), OPENS), ('bert', dict(TEXTS, r=3, use_rslora=True, target_modules=['query', 'word_embeddings']), OPENS)],
    'modules_to_save': [('llama', dict(PLAIN, modules_to_save=['lm_head', 'input_layernorm']), OPENS), ('llama', dict(PLAIN, modules_to_save=['embed_tokens']), OPENS),
                        ('llama-tied', dict(PLAIN, modules_to_save=['lm_head']), OPENS), ('llama-tied', dict(PLAIN, modules_to_save=['embed_tokens', 'lm_head']), OPENS),
                        ('llama-tied', dict(PLAIN, modules_to_save=['embed_tokens']), OPENS), ('bert-class', dict(CLASSES, modules_to_save=['pooler']), OPENS),
                        ('m2m100', dict(SEQ2SEQ, modules_to_save=['lm_head']), OPENS), ('mbart', dict(SEQ2SEQ, modules_to_save=['embed_tokens']), OPENS),
                        ('mt5', dict(SEQ2SEQ, target_modules=['q'], modules_to_save=['lm_head', 'embed_tokens']), OPENS)],
    'init_lora_weights': [('llama', dict(PLAIN, init_lora_weights=init), OPENS) for init in (False, 'gaussian', 'orthogonal')] + [
        ('llama', dict(PLAIN, init_lora_weights=init), 'init_lora_weights') for init in ('olora', 'pissa', 'pissa_niter_4', 'mica')],
    'layers_to_transform': [('llama', dict(PLAIN, layers_to_transform=[1]), OPENS), ('bert-class', dict(CLASSES, layers_to_transform=0), OPENS)],
    'layers_pattern': [('llama', dict(PLAIN, layers_to_transform=[0], layers_pattern='layers'), OPENS), ('bert', dict(TEXTS, layers_to_transform=[1], layers_pattern=['layer']), OPENS)],
    'rank_pattern': [('llama', dict(PLAIN, rank_pattern={'q_proj': 3, 'layers.1.mlp.down_proj': 1}), OPENS), ('qwen3', dict(PLAIN, rank_pattern={r'^model\.layers\.0.*': 4}), OPENS),
                     ('llama', dict(PLAIN, target_modules=['embed_tokens', 'q_proj'], rank_pattern={'embed_tokens': 5}), OPENS)],
    'alpha_pattern': [('llama', dict(PLAIN, alpha_pattern={'v_proj': 9, r'.*\.0\..*': 1.5}), OPENS), ('bert', dict(TEXTS, use_rslora=True, alpha_pattern={'query': 5}), OPENS)],
    'megatron_config': [('llama', dict(PLAIN, megatron_config={'tensor_model_parallel_size': 1}), 'megatron_config')],
    'megatron_core': [('llama', dict(PLAIN, megatron_core='other.core'), OPENS)],
    'trainable_token_indices': [('llama', dict(PLAIN, trainable_token_indices=[3, 5]), 'trainable_token_indices')],
    'loftq_config': [('llama', dict(PLAIN, loftq_config={'loftq_bits': 4}), OPENS)],
    'eva_config': [('llama', 'LoraConfig(**PLAIN, init_lora_weights="eva", eva_config=EvaConfig())', OPENS)],
    'corda_config': [('llama', 'LoraConfig(**PLAIN, corda_config=CordaConfig())', OPENS)],
    'lora_ga_config': [('llama', 'LoraConfig(**PLAIN, lora_ga_config=LoraGAConfig())', OPENS)],
    'use_dora': [(base, dict(settings, use_dora=True), OPENS) for base, settings in (
        ('llama', dict(PLAIN, r=3)), ('bert-class', CLASSES), ('marian', SEQ2SEQ), ('bert', dict(TEXTS, target_modules=['key', 'word_embeddings'])),
        ('gemma3', dict(PLAIN, target_modules='all-linear', use_rslora=True)), ('t5', dict(SEQ2SEQ, target_modules=['q', 'wo'])))],
    'velora_config': [('llama', 'LoraConfig(**PLAIN, velora_config=VeloraConfig())', 'velora_config')],
    'alora_invocation_tokens': [('llama', dict(PLAIN, alora_invocation_tokens=[5]), 'alora_invocation_tokens')],
    'use_qalora': [('llama', dict(PLAIN, use_qalora=True), 'use_qalora')],
    'qalora_group_size': [('llama', dict(PLAIN, qalora_group_size=8), OPENS)],
    'monteclora_config': [('llama', 'LoraConfig(**PLAIN, monteclora_config=MontecloraConfig())', 'monteclora_config')],
    'layer_replication': [('llama', dict(PLAIN, layer_replication=[(0, 2), (1, 2)]), 'layer_replication')],
    'runtime_config': [('llama', 'LoraConfig(**PLAIN, runtime_config=LoraRuntimeConfig(ephemeral_gpu_offload=False))', OPENS)],
    'lora_bias': [('qwen2', dict(PLAIN, target_modules=['q_proj'], lora_bias=True), OPENS), ('bert-class', dict(CLASSES, lora_bias=True, bias='all'), OPENS),
                  ('marian', dict(SEQ2SEQ, lora_bias=True, bias='lora_only', use_rslora=True, alpha_pattern={'fc1': 7}), OPENS)],
    'target_parameters': [('llama', dict(PLAIN, target_parameters=['layers.0.self_attn.o_proj.weight']), 'target_parameters')],
    'use_bdlora': [('llama', 'LoraConfig(**PLAIN, use_bdlora=BdLoraConfig(target_modules_bd_a=["q_proj"], target_modules_bd_b=["v_proj"], nblocks=2, match_strict=False))', 'use_bdlora')],
    'arrow_config': [('llama', 'LoraConfig(**PLAIN, arrow_config=ArrowConfig())', 'arrow_config')],
    'kasa_config': [('llama', 'LoraConfig(**PLAIN, kasa_config=KasaConfig())', 'kasa_config')],
    'ensure_weight_tying': [('llama-tied', dict(PLAIN, ensure_weight_tying=True, modules_to_save=['embed_tokens']), OPENS),
                            ('llama-tied', dict(PLAIN, ensure_weight_tying=True, target_modules=['embed_tokens']), PARTED),
                            ('llama-tied', dict(PLAIN, ensure_weight_tying=True, target_modules=['lm_head', 'q_proj'], alpha_pattern={'lm_head': 5}), PARTED),
                            ('llama', dict(PLAIN, ensure_weight_tying=True), OPENS)],
}


def rows():
    """(name of the folder, base, settings, OPENS or a word)"""
    return [('%s-%d' % (field, k), *row) for field, made in SETTINGS.items() for k, row in enumerate(made)]


def merge_parted(kind, path, adapter):
    """The adapter merged into a base with two equal matrices, as a warning of merge_and_unload() recommends. With ensure_weight_tying the output of
    such a base would stay as it is."""
    import peft

    model = kind.from_pretrained(path, dtype='float32', tie_word_embeddings=False)
    model.lm_head.weight.data = model.get_input_embeddings().weight.data.clone()
    return peft.PeftModel.from_pretrained(model, adapter).merge_and_unload().eval()


def main(fixtures, out, *chosen):
    import peft
    import torch
    import transformers as hf
    from safetensors.torch import save_file

    from make_adapters import answers, write_config

    with open(os.path.join(out, 'fields.json'), 'w', encoding='utf-8') as file:
        json.dump([field.name for field in dataclasses.fields(peft.LoraConfig)], file)
    for name, base, settings, word in rows():
        if chosen and name.rpartition('-')[0] not in chosen:
            continue
        path = os.path.join(fixtures, base)
        with open(os.path.join(path, 'config.json'), encoding='utf-8') as file:
            kind = getattr(hf, json.load(file)['architectures'][0])
        torch.manual_seed(5)
        config = eval(settings, {**vars(peft), **vars(peft.tuners.lora.config), "PLAIN": PLAIN}) if isinstance(settings, str) else peft.LoraConfig(**settings)
        try:
            model = peft.get_peft_model(kind.from_pretrained(path, dtype=torch.float32), config)
            with torch.no_grad():
                for value in model.parameters():
                    if value.requires_grad:
                        value.add_(torch.randn_like(value) * 0.3)
            model.save_pretrained(os.path.join(out, name))
        except Exception as error:
            if word in (OPENS, PARTED):
                raise
            print('%s is not made here: %s' % (name, str(error).splitlines()[0]))
            continue
        write_config(os.path.join(out, name), base)
        if word in (OPENS, PARTED):
            # Opened again: save_pretrained() sorts patterns, of which the first that fits counts.
            model = peft.PeftModel.from_pretrained(kind.from_pretrained(path, dtype=torch.float32), os.path.join(out, name)).eval()
            beside = answers(model.base_model.model, path, False)
            merged = answers(model.merge_and_unload().eval(), path, False)
            if word == PARTED:
                assert (merged['logprobs'] - beside['logprobs']).abs().max() > 0.01, name
                merged = answers(merge_parted(kind, path, os.path.join(out, name)), path, False) if not settings.get('ensure_weight_tying') else beside
            for key, value in beside.items():
                assert (merged[key] - value).abs().max() < 1e-4, (name, key, (merged[key] - value).abs().max())
            save_file(merged, os.path.join(out, name, 'expected.safetensors'))


if __name__ == '__main__':
    main(*sys.argv[1:])
