#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What five updates with PyTorch's AdamW make of the small models of make_fixtures.py.

    make_training.py FIXTURES [FAMILY ...]

reads FIXTURES/FAMILY/ and writes FIXTURES/FAMILY/training.safetensors:

    labels     of texts or tokens, -100 where there is none (not for seq2seq models)
    weights    [texts] of the examples
    losses     [5] before each update: sum of w l / sum of w over all tokens (texts, for classifiers of texts)
    NAME       tensors of the model after the fifth update
    whole      [5] losses of a language model that learns the texts alone, the first token of each behind bos_token_id

An update reads all texts; dropout is off. The settings are those of CASES, COMMON and rate(); the C test has the same.
Made with torch 2.11.0 and transformers 5.23.0 from PyPI."""
import math
import os
import sys

import torch
import transformers as hf
from safetensors.torch import load_file, save_file

COMMON = dict(rate=2e-2, decay=0.1, betas=(0.8, 0.95), eps=1e-6, clip=0.7, warmup=2, updates=5)
CASES = {  # folder: class, schedule, label smoothing, tensors that are kept
    'bert-class': (hf.BertForSequenceClassification, 'constant', 0.0,
                   ['classifier.weight', 'bert.pooler.dense.bias', 'bert.encoder.layer.0.attention.self.key.weight',
                    'bert.embeddings.word_embeddings.weight']),
    'bert-token': (hf.BertForTokenClassification, 'linear', 0.1,
                   ['classifier.bias', 'bert.encoder.layer.1.attention.self.value.bias',
                    'bert.embeddings.LayerNorm.weight']),
    'bert-mlm': (hf.BertForMaskedLM, 'constant', 0.0,
                 ['cls.predictions.bias', 'cls.predictions.transform.dense.weight',
                  'bert.embeddings.word_embeddings.weight']),
    'roberta-class': (hf.RobertaForSequenceClassification, 'cosine', 0.2,
                      ['classifier.dense.weight', 'roberta.embeddings.position_embeddings.weight']),
    'distilbert-class': (hf.DistilBertForSequenceClassification, 'sqrt', 0.0,
                         ['pre_classifier.weight', 'distilbert.transformer.layer.0.ffn.lin1.bias']),
    'rembert-token': (hf.RemBertForTokenClassification, 'constant', 0.0,
                      ['classifier.weight', 'rembert.encoder.embedding_hidden_mapping_in.weight']),
    'mpnet-class': (hf.MPNetForSequenceClassification, 'constant', 0.0,
                    ['classifier.dense.weight', 'mpnet.encoder.relative_attention_bias.weight',
                     'mpnet.embeddings.position_embeddings.weight']),
    'electra-mlm': (hf.ElectraForMaskedLM, 'cosine', 0.0,
                    ['generator_lm_head.bias', 'electra.embeddings_project.weight', 'electra.embeddings.word_embeddings.weight']),
    'albert-token': (hf.AlbertForTokenClassification, 'linear', 0.1,
                     ['classifier.bias', 'albert.encoder.albert_layer_groups.0.albert_layers.0.attention.key.weight',
                      'albert.encoder.embedding_hidden_mapping_in.weight']),
    'modernbert-token': (hf.ModernBertForTokenClassification, 'linear', 0.1,
                         ['classifier.bias', 'head.norm.weight', 'model.layers.2.attn.Wqkv.weight', 'model.layers.1.mlp.Wi.weight']),
    'eurobert-class': (hf.EuroBertForSequenceClassification, 'constant', 0.0,
                       ['dense.weight', 'model.layers.0.self_attn.k_proj.weight', 'model.layers.1.input_layernorm.weight',
                        'model.embed_tokens.weight']),
    'nomic-mlm': (hf.NomicBertForMaskedLM, 'cosine', 0.0,
                  ['cls.predictions.bias', 'nomic_bert.layers.0.mlp.up_proj.weight', 'nomic_bert.embeddings.word_embeddings.weight']),
    'deberta-class': (hf.DebertaV2ForSequenceClassification, 'sqrt', 0.0,
                      ['pooler.dense.weight', 'deberta.encoder.rel_embeddings.weight', 'deberta.encoder.LayerNorm.bias',
                       'deberta.encoder.layer.0.attention.self.key_proj.weight']),
    'llama': (hf.LlamaForCausalLM, 'constant', 0.0,
              ['model.layers.0.self_attn.k_proj.weight', 'model.layers.1.mlp.gate_proj.bias', 'lm_head.weight', 'model.embed_tokens.weight']),
    'llama-llama3': (hf.LlamaForCausalLM, 'linear', 0.1,
                     ['model.layers.1.self_attn.v_proj.weight', 'model.layers.0.mlp.up_proj.weight', 'model.norm.weight']),
    'mistral': (hf.MistralForCausalLM, 'sqrt', 0.1,
                ['model.layers.0.self_attn.q_proj.weight', 'model.layers.1.post_attention_layernorm.weight']),
    'qwen2': (hf.Qwen2ForCausalLM, 'cosine', 0.0,
              ['model.layers.0.self_attn.q_proj.bias', 'model.layers.1.self_attn.v_proj.bias', 'model.layers.1.mlp.down_proj.weight']),
    'qwen3': (hf.Qwen3ForCausalLM, 'constant', 0.0,
              ['model.layers.0.self_attn.q_norm.weight', 'model.layers.1.self_attn.k_norm.weight', 'model.layers.0.self_attn.o_proj.weight']),
    'gemma3': (hf.Gemma3ForCausalLM, 'constant', 0.0,
               ['model.layers.2.self_attn.k_norm.weight', 'model.layers.0.pre_feedforward_layernorm.weight', 'model.layers.1.self_attn.k_proj.weight',
                'model.embed_tokens.weight']),
    'marian': (hf.MarianMTModel, 'sqrt', 0.1,
               ['model.shared.weight', 'model.decoder.layers.1.encoder_attn.v_proj.weight',
                'model.encoder.layers.0.fc1.bias']),
    'bart': (hf.BartForConditionalGeneration, 'linear', 0.1,
             ['model.shared.weight', 'model.decoder.embed_positions.weight',
              'model.encoder.layers.1.self_attn.q_proj.bias']),
    'mbart': (hf.MBartForConditionalGeneration, 'constant', 0.0,
              ['model.shared.weight', 'model.decoder.layer_norm.weight']),
    'm2m100': (hf.M2M100ForConditionalGeneration, 'cosine', 0.1,
               ['model.shared.weight', 'model.decoder.layers.0.encoder_attn.k_proj.weight']),
    't5': (hf.T5ForConditionalGeneration, 'cosine', 0.1,
           ['shared.weight', 'encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight',
            'decoder.block.1.layer.1.EncDecAttention.k.weight', 'decoder.final_layer_norm.weight']),
    'mt5': (hf.MT5ForConditionalGeneration, 'sqrt', 0.0,
            ['shared.weight', 'encoder.block.1.layer.1.DenseReluDense.wi_1.weight']),
}

# Names of parameters that files have under others.
FILE_NAMES = {'nomic_bert.layers.0.mlp.up_proj.weight': 'nomic_bert.encoder.layers.0.mlp.fc11.weight'}


def rate(schedule, update):
    """Step size of an update, counted from 1."""
    warmup, updates = COMMON['warmup'], COMMON['updates']
    if update <= warmup:
        return COMMON['rate'] * update / warmup
    share = (update - 1 - warmup) / (updates - warmup)
    return COMMON['rate'] * {'constant': 1, 'linear': 1 - share, 'sqrt': math.sqrt(max(warmup, 1) / update),
                             'cosine': (1 + math.cos(math.pi * share)) / 2}[schedule]


def cut(data, ids, prefix=''):
    offsets = data[prefix + 'offsets'].tolist()
    return [ids[a:b] for a, b in zip(offsets, offsets[1:])]


def labels_of(folder, texts, marks):
    random = torch.Generator().manual_seed(13)
    if folder.endswith('-class'):
        return [torch.tensor([-100 if i == 3 else i % 3]) for i in range(len(texts))]
    most = 3 if folder.endswith('-token') else 60
    labels = [torch.randint(0, most, text.shape, generator=random) for text in texts]
    keep = (lambda k, mark: not mark & 1) if most == 3 else (lambda k, mark: k % 3 == 1)
    return [torch.tensor([int(label) if keep(k, int(mark)) else -100 for k, (label, mark) in enumerate(zip(*pair))])
            for pair in zip(labels, marks)]


def language_rows(text, target, config):
    """What a language model reads of a pair (target None: of a text alone), and the tokens that it learns."""
    ends = config.eos_token_id if isinstance(config.eos_token_id, list) else [config.eos_token_id]
    if target is None:
        read = text.tolist() if text[:1].tolist() == [config.bos_token_id] else [config.bos_token_id] + text.tolist()
        return torch.tensor(read[:-1]), torch.tensor(read[1:])
    label = target.tolist() + ([] if target[-1] in ends else ends[:1])
    return torch.cat([text, torch.tensor(label[:-1], dtype=torch.int64)]), torch.tensor(label)


def make_updates(folder, path, model, whole=False):
    """Trains what of a model has gradients. Returns losses, weights and labels."""
    kind, schedule, smoothing, _ = CASES[folder]
    data = load_file(os.path.join(path, 'expected.safetensors'))
    texts, types, marks = (cut(data, data[key]) for key in ('ids', 'types', 'marks'))
    weights = torch.tensor([1.0 + i % 3 for i in range(len(texts))])
    language, seq2seq = kind.__name__.endswith('ForCausalLM'), 'target.ids' in data
    labels = [None] * len(texts) if whole else cut(data, data['target.ids'], 'target.') if seq2seq else labels_of(folder, texts, marks)
    # Marian's sinusoids are constants, which files do not hold; transformers 5 would train them.
    parameters = [p for name, p in model.named_parameters() if p.requires_grad and (folder != 'marian' or 'embed_positions' not in name)]
    optimizer = torch.optim.AdamW([{'params': [p for p in parameters if p.ndim > 1], 'weight_decay': COMMON['decay']},
                                   {'params': [p for p in parameters if p.ndim < 2], 'weight_decay': 0.0}],
                                  betas=COMMON['betas'], eps=COMMON['eps'])
    losses = []
    for update in range(1, COMMON['updates'] + 1):
        total, count = 0, 0
        for text, type_, label, weight in zip(texts, types, labels, weights):
            if language:
                text, label = language_rows(text, label, model.config)
            arguments = {'input_ids': text[None]}
            if language:
                pass
            elif seq2seq:
                arguments['labels'] = label[None]
            elif folder.startswith(('bert', 'rembert', 'electra', 'albert', 'nomic')):
                arguments['token_type_ids'] = type_[None]
            logits = model(**arguments).logits
            logits = logits[0, -len(label):] if language else logits.reshape(len(label), -1)
            total = total + weight * torch.nn.functional.cross_entropy(logits, label, label_smoothing=smoothing,
                                                                       ignore_index=-100, reduction='sum')
            count = count + weight * (label != -100).sum()
        loss = total / count
        losses.append(loss.detach())
        for group in optimizer.param_groups:
            group['lr'] = rate(schedule, update)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, COMMON['clip'])
        optimizer.step()
    return torch.stack(losses), weights, labels


def train(folder, path):
    kind, kept = CASES[folder][0], CASES[folder][3]
    model, again = (kind.from_pretrained(path, dtype=torch.float32).eval() for _ in range(2))
    losses, weights, labels = make_updates(folder, path, model)
    found = dict(model.named_parameters())
    out = {FILE_NAMES.get(name, name): found[name].detach().clone() for name in kept}
    out['losses'], out['weights'] = losses, weights
    if kind.__name__.endswith('ForCausalLM'):
        out['whole'] = make_updates(folder, path, again, True)[0]
    if not model.config.is_encoder_decoder:
        out['labels'] = torch.cat(labels)
    save_file(out, os.path.join(path, 'training.safetensors'))
    print(folder, [round(float(loss), 4) for loss in losses])


if __name__ == '__main__':
    for case in sys.argv[2:] or CASES:
        train(case, os.path.join(sys.argv[1], case))
