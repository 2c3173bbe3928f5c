#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small models with random weights, and what PyPI's transformers says they answer.

    make_fixtures.py FOLDER [FAMILY ...]

writes FOLDER/NAME/ as save_pretrained() does, and beside it expected.safetensors: the token ids that go in (ids,
offsets, types, marks) and the answers, each computed one text at a time in float32, so that padding plays no part:

    embed.POOLING.LAYER [texts, dims]   POOLING mean|first|max|words|pooler, LAYER -1 (what enters block 1), 1 .. layers
    embed.auto [texts, dims]            as modules.json of the folder says
    class_probs [texts, classes]        token_probs [tokens, classes]  qa_probs [tokens, 2]  mlm_losses [tokens]
    target.ids, target.offsets          targets; logprobs: of their tokens
    greedy.ids, beam.ids, ...           what generate() gives, with offsets; beam.scores: its sequences_scores

Made with torch 2.11.0 and transformers 5.23.0 from PyPI; tests/torch/fixtures holds the result."""
import json
import os
import shutil
import sys

import torch
import transformers as hf
from safetensors.torch import save_file

DIMS, LAYERS, HEADS, FFN, WORDS = 16, 2, 2, 24, 60
LENGTHS = [3, 9, 5, 9, 4, 12, 3, 5]
# Of families with windows and distances: beyond both, and cut into several pieces.
LONG = [150, 3, 9, 64, 9, 70]
SPECIAL, WORD = 1, 2


def inputs(first, last, low, pair=False, lengths=None):
    """Texts as id lists: first ... last, random ids from low on; with pair: first ... last ... last."""
    random = torch.Generator().manual_seed(11)
    texts, types, marks = [], [], []
    for length in lengths or LENGTHS:
        ids = torch.randint(low, WORDS, (length,), generator=random).tolist()
        mark = [WORD if k % 3 != 2 else 0 for k in range(length)]
        type_ = [0] * length
        if first is not None:
            ids[0], mark[0] = first, SPECIAL
        ids[-1], mark[-1] = last, SPECIAL
        if pair:
            middle = max(1, length // 3)
            if middle < length - 1:
                ids[middle], mark[middle] = last, SPECIAL
            type_ = [int(k > middle) for k in range(length)]
        texts.append(ids)
        types.append(type_)
        marks.append(mark)
    return texts, types, marks


def flat(lists):
    offsets = [0]
    for values in lists:
        offsets.append(offsets[-1] + len(values))
    return torch.tensor(sum(lists, []), dtype=torch.int64), torch.tensor(offsets, dtype=torch.int64)


def common(config, **more):
    return config(**{**dict(vocab_size=WORDS, hidden_size=DIMS, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
                            intermediate_size=FFN, max_position_embeddings=32, initializer_range=0.4), **more})


def randomize(model):
    """Biases, norms and buffers of a fresh model are 0 and 1, which would hide mistakes."""
    torch.manual_seed(7)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.ndim == 1:
                value.add_(torch.randn_like(value) * 0.2)
        for name, value in model.named_buffers():
            if 'final_logits_bias' in name:
                value.copy_(torch.randn_like(value) * 0.5)
    return model.eval()


def write(folder, name, model, expected, **how):
    path = os.path.join(folder, name)
    shutil.rmtree(path, ignore_errors=True)
    model.save_pretrained(path, **how)
    save_file({key: value.contiguous().clone() for key, value in expected.items()},
              os.path.join(path, 'expected.safetensors'))
    return path


def basis(texts, types, marks):
    ids, offsets = flat(texts)
    return {'ids': ids, 'offsets': offsets, 'types': flat(types)[0], 'marks': flat(marks)[0]}


def encode(model, ids, types, typed, **more):
    arguments = {'input_ids': torch.tensor([ids])}
    if typed:
        arguments['token_type_ids'] = torch.tensor([types])
    with torch.no_grad():
        return model(**arguments, **more)


POOLINGS = {
    'mean': lambda hidden, mark: hidden.mean(0),
    'first': lambda hidden, mark: hidden[0],
    'max': lambda hidden, mark: hidden.max(0).values,
    'words': lambda hidden, mark: hidden[[k for k, m in enumerate(mark) if m & WORD]].mean(0),
}


def encoder_base(folder, name, model, texts, types, marks, typed, pooler, modules=None):
    expected = basis(texts, types, marks)
    layers = [-1] + list(range(1, LAYERS + 1))
    rows = {f'embed.{pooling}.{layer}': [] for pooling in POOLINGS for layer in layers}
    auto, pooled = [], []
    for ids, type_, mark in zip(texts, types, marks):
        out = encode(model, ids, type_, typed, output_hidden_states=True)
        for layer in layers:
            hidden = out.hidden_states[0 if layer < 0 else layer][0]
            for pooling, function in POOLINGS.items():
                rows[f'embed.{pooling}.{layer}'].append(function(hidden, mark))
        mean = out.hidden_states[-1][0].mean(0)
        auto.append(mean / mean.norm() if modules else mean)
        if pooler:
            pooled.append(out.pooler_output[0])
    expected.update({key: torch.stack(values) for key, values in rows.items()})
    expected['embed.auto'] = torch.stack(auto)
    if pooler:
        expected[f'embed.pooler.{LAYERS}'] = torch.stack(pooled)
    path = write(folder, name, model, expected)
    if modules:
        kinds = ['Transformer', 'Pooling', 'Normalize']
        folders = ['', '1_Pooling', '2_Normalize']
        with open(os.path.join(path, 'modules.json'), 'w') as out:
            json.dump([{'idx': i, 'name': str(i), 'path': folders[i], 'type': f'sentence_transformers.models.{kinds[i]}'}
                       for i in range(3)], out)
        os.makedirs(os.path.join(path, '1_Pooling'))
        with open(os.path.join(path, '1_Pooling', 'config.json'), 'w') as out:
            json.dump({'word_embedding_dimension': DIMS, 'pooling_mode_cls_token': False,
                       'pooling_mode_mean_tokens': True, 'pooling_mode_max_tokens': False}, out)
        with open(os.path.join(path, 'sentence_bert_config.json'), 'w') as out:
            json.dump({'max_seq_length': 24, 'do_lower_case': False}, out)


def encoder_head(folder, name, model, kind, texts, types, marks, typed):
    expected, rows = basis(texts, types, marks), []
    for ids, type_, mark in zip(texts, types, marks):
        out = encode(model, ids, type_, typed)
        if kind == 'class_probs':
            rows.append(out.logits.softmax(-1))
        elif kind == 'token_probs':
            rows.append(out.logits[0].softmax(-1)[[k for k, m in enumerate(mark) if m & WORD]])
        elif kind == 'mlm_losses':
            losses = -out.logits[0].log_softmax(-1).gather(1, torch.tensor(ids)[:, None])[:, 0]
            rows.append(losses[[k for k, m in enumerate(mark) if not m & SPECIAL]])
        else:
            keep = [k for k in range(len(ids)) if type_[k] == 1 and not mark[k] & SPECIAL]
            both = torch.stack([out.start_logits[0], out.end_logits[0]], 1)
            rows.append(both[keep].softmax(0))
    expected[kind] = torch.cat(rows)
    write(folder, name, model, expected)


# Tokens and positions of families whose own ones do not fit the small vocabulary.
EURO = {'pad_token_id': 1, 'bos_token_id': 0, 'eos_token_id': 2, 'mask_token_id': 4, 'max_position_embeddings': 256}
MODERN = {'pad_token_id': 1, 'bos_token_id': 0, 'eos_token_id': 2, 'cls_token_id': 0, 'sep_token_id': 2, 'max_position_embeddings': 256}


def encoders(folder, wanted):
    families = {
        'bert': (hf.BertConfig, 'Bert', 2, 3, 5, {'pad_token_id': 0}, True, True),
        'roberta': (hf.RobertaConfig, 'Roberta', 0, 2, 5, {'pad_token_id': 1, 'type_vocab_size': 1}, False, True),
        'xlmroberta': (hf.XLMRobertaConfig, 'XLMRoberta', 0, 2, 5, {'pad_token_id': 1, 'type_vocab_size': 1}, False, True),
        'distilbert': (None, 'DistilBert', 2, 3, 5, {}, False, False),
        'rembert': (hf.RemBertConfig, 'RemBert', 2, 3, 5,
                    {'pad_token_id': 0, 'input_embedding_size': 8, 'output_embedding_size': 12}, True, True),
        'camembert': (hf.CamembertConfig, 'Camembert', 0, 2, 5,
                      {'pad_token_id': 1, 'type_vocab_size': 1, 'num_attention_heads': 1}, False, True),
        # Other activations in the blocks than in the heads, and types.
        'xlmrobertaxl': (hf.XLMRobertaXLConfig, 'XLMRobertaXL', 0, 2, 5, {'pad_token_id': 3, 'hidden_act': 'relu', 'type_vocab_size': 2},
                         True, True),
        'mpnet': (hf.MPNetConfig, 'MPNet', 0, 2, 5, {'pad_token_id': 1, 'hidden_act': 'gelu_new', 'relative_attention_num_buckets': 40},
                  False, True),
        'electra': (hf.ElectraConfig, 'Electra', 2, 3, 5, {'pad_token_id': 0, 'embedding_size': 8, 'hidden_act': 'silu'}, True, False),
        'electra-wide': (hf.ElectraConfig, 'Electra', 2, 3, 5, {'pad_token_id': 0, 'embedding_size': DIMS, 'num_attention_heads': 4},
                         True, False),
        'albert': (hf.AlbertConfig, 'Albert', 2, 3, 5, {'pad_token_id': 0, 'embedding_size': 8}, True, True),
        'albert-groups': (hf.AlbertConfig, 'Albert', 2, 3, 5,
                          {'pad_token_id': 0, 'embedding_size': DIMS, 'num_hidden_groups': 2, 'num_attention_heads': 1}, True, True),
        'modernbert': (hf.ModernBertConfig, 'ModernBert', 0, 2, 5,
                       {'num_hidden_layers': 3, 'local_attention': 8, 'classifier_pooling': 'mean', **MODERN}, False, False),
        # mmBERT's settings, and those that neither it nor ModernBERT uses.
        'modernbert-biased': (hf.ModernBertConfig, 'ModernBert', 0, 2, 5,
                              {'layer_types': ['sliding_attention', 'full_attention'], 'local_attention': 81, 'attention_bias': True,
                               'mlp_bias': True, 'norm_bias': True, 'classifier_bias': True, 'decoder_bias': False, 'norm_eps': 1e-3,
                               'hidden_activation': 'silu', 'classifier_activation': 'relu', 'tie_word_embeddings': False,
                               'rope_parameters': {'full_attention': {'rope_type': 'default', 'rope_theta': 400.0},
                                                   'sliding_attention': {'rope_type': 'default', 'rope_theta': 160000.0}},
                               **MODERN}, False, False),
        'eurobert': (hf.EuroBertConfig, 'EuroBert', 0, 2, 5, {'num_attention_heads': 4, 'num_key_value_heads': 2, **EURO}, False, False),
        'eurobert-biased': (hf.EuroBertConfig, 'EuroBert', 0, 2, 5,
                            {'attention_bias': True, 'mlp_bias': True, 'head_dim': 6, 'classifier_pooling': 'mean', 'rms_norm_eps': 1e-3,
                             'tie_word_embeddings': True, 'hidden_act': 'gelu',
                             'rope_parameters': {'rope_type': 'default', 'rope_theta': 250000.0}, **EURO}, False, False),
        'eurobert-bos': (hf.EuroBertConfig, 'EuroBert', 0, 2, 5, {'classifier_pooling': 'bos', **EURO}, False, False),
        'nomic': (hf.NomicBertConfig, 'NomicBert', 2, 3, 5, {'pad_token_id': 0, 'max_position_embeddings': 256, 'layer_norm_eps': 1e-3},
                  True, False),
        # As DeBERTa-v3 has it, but for the table of types.
        'deberta': (hf.DebertaV2Config, 'DebertaV2', 1, 2, 5,
                    {'relative_attention': True, 'position_buckets': 8, 'max_relative_positions': 64, 'norm_rel_ebd': 'layer_norm',
                     'share_att_key': True, 'pos_att_type': 'p2c|c2p', 'position_biased_input': False, 'pooler_hidden_act': 'relu',
                     'hidden_act': 'silu', 'layer_norm_eps': 1e-3, 'legacy': False}, False, False),
        # As the largest of DeBERTa-v2, with positions, types and narrower embeddings.
        'deberta-wide': (hf.DebertaV2Config, 'DebertaV2', 1, 2, 5,
                         {'relative_attention': True, 'max_relative_positions': -1, 'max_position_embeddings': 160, 'share_att_key': False,
                          'pos_att_type': ['p2c', 'c2p'], 'conv_kernel_size': 3, 'conv_act': 'gelu', 'conv_groups': 2,
                          'type_vocab_size': 2, 'embedding_size': 8}, True, False),
        # Distances of queries alone, and none.
        'deberta-one': (hf.DebertaV2Config, 'DebertaV2', 1, 2, 5,
                        {'relative_attention': True, 'position_buckets': 256, 'max_position_embeddings': 512, 'pos_att_type': ['c2p'],
                         'position_biased_input': False},
                        False, False),
        'deberta-none': (hf.DebertaV2Config, 'DebertaV2', 1, 2, 5, {'pos_att_type': ['c2p'], 'max_position_embeddings': 160},
                         False, False),
    }
    for family, (config, prefix, first, last, low, more, typed, pooler) in families.items():
        if wanted and family not in wanted:
            continue
        lengths = LONG if family.startswith(('modernbert', 'eurobert', 'nomic', 'deberta')) else LENGTHS
        if config is None:
            settings = hf.DistilBertConfig(vocab_size=WORDS, dim=DIMS, n_layers=LAYERS, n_heads=HEADS, hidden_dim=FFN,
                                           max_position_embeddings=32, initializer_range=0.4, num_labels=3)
        else:
            settings = common(config, num_labels=3, **more)
        plain, pairs = inputs(first, last, low, lengths=lengths), inputs(first, last, low, pair=typed, lengths=lengths)
        torch.manual_seed(3)
        model = randomize(getattr(hf, prefix + 'Model')(settings))
        encoder_base(folder, family, model, *plain, typed, pooler, modules=family == 'bert')
        for head, kind, data in (('SequenceClassification', 'class_probs', pairs),
                                 ('TokenClassification', 'token_probs', plain),
                                 ('MaskedLM', 'mlm_losses', plain), ('QuestionAnswering', 'qa_probs', inputs(first, last, low, True, lengths))):
            if not hasattr(hf, f'{prefix}For{head}'):
                continue
            if kind == 'qa_probs':
                settings.num_labels = 2
            model = randomize(getattr(hf, f'{prefix}For{head}')(settings))
            encoder_head(folder, f'{family}-{kind.split("_")[0]}', model, kind, *data, typed)


class Positions(torch.nn.Module):
    """Positions from 0, sines in the first half of the columns and cosines in the second, where M2M100 has its own."""

    def __init__(self):
        super().__init__()
        angles = torch.arange(32)[:, None] * 10000 ** (-torch.arange(DIMS // 2) / (DIMS // 2))
        self.table = torch.cat([angles.sin(), angles.cos()], 1)

    def forward(self, input_ids=None, inputs_embeds=None, past_key_values_length=0):
        length = (input_ids if input_ids is not None else inputs_embeds).shape[1]
        return self.table[None, past_key_values_length:past_key_values_length + length]


def own_family(model):
    """M2M100 with other positions is the plain Transformer of alcore_transformer with a norm before each part."""
    for stack in (model.model.encoder, model.model.decoder):
        stack.embed_positions = Positions()
    return model


def rename(path):
    """The settings of alcore_transformer in place of those of M2M100."""
    for name, more in (('config.json', {'model_type': 'alcore_transformer', 'normalize_before': True}), ('generation_config.json', {})):
        with open(os.path.join(path, name)) as file:
            settings = dict(json.load(file), **more)
        with open(os.path.join(path, name), 'w') as file:
            json.dump({key: value for key, value in settings.items() if key != 'architectures'}, file, indent=2)


def seq2seq(folder, wanted):
    shape = dict(vocab_size=WORDS, d_model=DIMS, encoder_layers=LAYERS, decoder_layers=LAYERS, encoder_attention_heads=HEADS,
                 decoder_attention_heads=HEADS, encoder_ffn_dim=FFN, decoder_ffn_dim=FFN, max_position_embeddings=32,
                 init_std=0.4)
    t5 = dict(vocab_size=WORDS, d_model=DIMS, d_kv=6, d_ff=FFN, num_layers=LAYERS, num_heads=HEADS,
              relative_attention_num_buckets=8, relative_attention_max_distance=10, initializer_factor=1.0,
              decoder_start_token_id=0)
    families = {
        'bart': (hf.BartForConditionalGeneration, hf.BartConfig(**shape, scale_embedding=False), 0, 2),
        'mbart': (hf.MBartForConditionalGeneration, hf.MBartConfig(**shape, scale_embedding=True), None, 2),
        # mBART-50: another activation, the language first in an output, beams that end early.
        'mbart50': (hf.MBartForConditionalGeneration, hf.MBartConfig(**shape, scale_embedding=True, activation_function='relu',
                                                                     decoder_start_token_id=2), None, 2),
        'marian': (hf.MarianMTModel, hf.MarianConfig(**shape, scale_embedding=True, activation_function='swish',
                                                     pad_token_id=WORDS - 1, eos_token_id=0,
                                                     decoder_start_token_id=WORDS - 1), None, 0),
        'm2m100': (hf.M2M100ForConditionalGeneration, hf.M2M100Config(**shape, scale_embedding=True), None, 2),
        'alcore_transformer': (lambda settings: own_family(hf.M2M100ForConditionalGeneration(settings)),
                               hf.M2M100Config(**shape, scale_embedding=True), None, 2),
        't5': (hf.T5ForConditionalGeneration, hf.T5Config(**t5), None, 1),
        'mt5': (hf.MT5ForConditionalGeneration, hf.MT5Config(**t5, feed_forward_proj='gated-gelu',
                                                              tie_word_embeddings=False), None, 1),
    }
    for family, (kind, settings, first, last) in families.items():
        if wanted and family not in wanted:
            continue
        torch.manual_seed(5)
        model = randomize(kind(settings))
        more = {'m2m100': {'forced_bos_token_id': 9}, 'mbart50': {'forced_bos_token_id': 11}}.get(family, {})
        beams = {'early_stopping': True} if family == 'mbart50' else {}
        if family == 'mbart50':
            model.final_logits_bias[0, last] = 5.0
        texts, types, marks = inputs(first, last, 5)
        texts = [[min(word, WORDS - 2) for word in ids] for ids in texts]
        targets = [list(reversed(ids[:-1]))[:1 + len(ids) * 2 // 3] + [last] for ids in texts]
        if family in ('mbart', 'mbart50'):  # the language code stands last, and first in what the decoder reads
            targets = [ids + [7] for ids in targets]
        expected = basis(texts, types, marks)
        expected['target.ids'], expected['target.offsets'] = flat(targets)
        logprobs, means = [], []
        found = {'greedy': [], 'beam': []}
        scores = []
        for ids, target in zip(texts, targets):
            source = torch.tensor([ids])
            with torch.no_grad():
                out = model(input_ids=source, labels=torch.tensor([target]))
                logprobs.append(out.logits[0].log_softmax(-1).gather(1, torch.tensor(target)[:, None])[:, 0])
                means.append(out.encoder_last_hidden_state[0].mean(0))
                greedy = model.generate(source, max_new_tokens=9, num_beams=1, do_sample=False, **more)
                beam = model.generate(source, max_new_tokens=9, num_beams=4, do_sample=False, return_dict_in_generate=True,
                                      output_scores=True, **more, **beams)
            found['greedy'].append(greedy[0].tolist())
            found['beam'].append(beam.sequences[0].tolist())
            scores.append(beam.sequences_scores[0])
        expected['logprobs'] = torch.cat(logprobs)
        expected[f'embed.mean.{LAYERS}'] = torch.stack(means)
        expected['greedy.ids'], expected['greedy.offsets'] = flat(found['greedy'])
        expected['beam.ids'], expected['beam.offsets'] = flat(found['beam'])
        expected['beam.scores'] = torch.stack(scores)
        for key, value in (more | beams | ({'num_beams': 4} if beams else {})).items():
            setattr(model.generation_config, key, value)
        path = write(folder, family, model, expected)
        if family == 'alcore_transformer':
            rename(path)


if __name__ == '__main__':
    os.makedirs(sys.argv[1], exist_ok=True)
    encoders(sys.argv[1], sys.argv[2:])
    seq2seq(sys.argv[1], sys.argv[2:])
