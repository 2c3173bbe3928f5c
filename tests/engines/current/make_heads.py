#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders whose heads, output matrices or settings of decoding are not the usual ones, and what the packages answer.

    make_heads.py FOLDER [NAME ...]

writes FOLDER/NAME/ as save_pretrained() does, with expected.safetensors beside it (its arrays are those of
tests/torch/make_fixtures.py). test_torch_models.c opens every one and compares: the frozen folders lie in
tests/torch/fixtures and in tests/torch/generation.

    one label, several independent ones, values     the text-classification pipeline of transformers, CrossEncoder
    NAME-untied                                     tie_word_embeddings false: the file has an output matrix of its own
    generation                                      generate() with what NAME.json says as generation_config.json

Made with torch 2.11.0, transformers 5.23.0 and sentence-transformers 6.2.0 from PyPI."""
import json
import os
import sys

import torch
import transformers as hf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'torch'))
from make_fixtures import SPECIAL, basis, encode, flat, inputs, randomize, write  # noqa: E402

PACKAGES = ["torch==2.11.0", "transformers==5.23.0", "sentence-transformers==6.2.0"]
KEPT = {
    "bert-reranker": "tests/torch/fixtures/bert-reranker",
    "roberta-multilabel": "tests/torch/fixtures/roberta-multilabel",
    "distilbert-regression": "tests/torch/fixtures/distilbert-regression",
    "xlmroberta-single": "tests/torch/fixtures/xlmroberta-single",
    "bert-identity": "tests/torch/fixtures/bert-identity",
    "bert-mlm-untied": "tests/torch/fixtures/bert-mlm-untied",
    "roberta-mlm-untied": "tests/torch/fixtures/roberta-mlm-untied",
    "xlmroberta-mlm-untied": "tests/torch/fixtures/xlmroberta-mlm-untied",
    "distilbert-mlm-untied": "tests/torch/fixtures/distilbert-mlm-untied",
    "bart-untied": "tests/torch/fixtures/bart-untied",
    "mbart-untied": "tests/torch/fixtures/mbart-untied",
    "marian-untied": "tests/torch/fixtures/marian-untied",
    "m2m100-untied": "tests/torch/fixtures/m2m100-untied",
    "t5-untied": "tests/torch/fixtures/t5-untied",
    "mt5-untied": "tests/torch/fixtures/mt5-untied",
    "t5-encoder": "tests/torch/fixtures/t5-encoder",
    "generation": "tests/torch/generation",
}
WORDS, DIMS = 60, 8
SHAPE = dict(vocab_size=WORDS, hidden_size=DIMS, num_hidden_layers=1, num_attention_heads=2, intermediate_size=12,
             max_position_embeddings=32, initializer_range=0.6)
DISTIL = dict(vocab_size=WORDS, dim=DIMS, n_layers=1, n_heads=2, hidden_dim=12, max_position_embeddings=32,
              initializer_range=0.6)
PAIR = dict(vocab_size=WORDS, d_model=DIMS, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=12, decoder_ffn_dim=12, max_position_embeddings=32, init_std=0.6)
T5 = dict(vocab_size=WORDS, d_model=DIMS, d_kv=4, d_ff=12, num_layers=1, num_heads=2, relative_attention_num_buckets=8,
          relative_attention_max_distance=10, decoder_start_token_id=0)


class Tokens:
    """What the pipeline of transformers needs of a tokenizer: here texts are token ids already."""

    def __call__(self, text, **_):
        return hf.BatchEncoding(text)


def pipeline_scores(model, ids, types, typed):
    """The scores of all labels, in the order of the labels."""
    pipe = hf.TextClassificationPipeline.__new__(hf.TextClassificationPipeline)
    pipe.model = model
    logits = encode(model, ids, types, typed).logits
    found = {one['label']: one['score'] for one in pipe.postprocess({'logits': logits}, top_k=None, _legacy=False)}
    return torch.tensor([[found[model.config.id2label[k]] for k in range(model.config.num_labels)]])


def cross_encoder_scores(path, ids, types):
    """The scores of sentence-transformers' CrossEncoder for the folder at path."""
    from sentence_transformers import CrossEncoder
    loaded = CrossEncoder.__new__(CrossEncoder)
    torch.nn.Module.__init__(loaded)
    model = hf.AutoModelForSequenceClassification.from_pretrained(path)
    loaded.trust_remote_code = False
    loaded.append(hf_module(model))
    scores = loaded.get_default_activation_fn()(encode(model, ids, types, True).logits)
    return scores.detach()


def hf_module(model):
    """A module of sentence-transformers as far as get_default_activation_fn() looks at it."""
    module = torch.nn.Module()
    module.model = module.auto_model = model
    module.config = model.config
    return module


def classifiers(folder, wanted):
    """name: the class, its settings, whether it has types of tokens, more for config.json"""
    known = {
        'bert-reranker': (hf.BertForSequenceClassification, hf.BertConfig(**SHAPE, num_labels=1), True, {}),
        'roberta-multilabel': (hf.RobertaForSequenceClassification,
                               hf.RobertaConfig(**SHAPE, pad_token_id=1, type_vocab_size=1, num_labels=3,
                                                problem_type='multi_label_classification'), False, {}),
        'distilbert-regression': (hf.DistilBertForSequenceClassification,
                                  hf.DistilBertConfig(**DISTIL, num_labels=1, problem_type='regression'), False, {}),
        'xlmroberta-single': (hf.XLMRobertaForSequenceClassification,
                              hf.XLMRobertaConfig(**SHAPE, pad_token_id=1, type_vocab_size=1, num_labels=3,
                                                  problem_type='single_label_classification'), False, {}),
        'bert-identity': (hf.BertForSequenceClassification, hf.BertConfig(**SHAPE, num_labels=1), True,
                          {'sentence_transformers': {'activation_fn': 'torch.nn.modules.linear.Identity', 'version': '6.2.0'}}),
    }
    for name, (kind, settings, typed, more) in known.items():
        if wanted and name not in wanted:
            continue
        torch.manual_seed(3)
        for key, value in more.items():
            setattr(settings, key, value)
        model = randomize(kind(settings))
        first, last = (2, 3) if typed or name.startswith('distil') else (0, 2)
        texts, types, marks = inputs(first, last, 5, pair=typed)
        expected = basis(texts, types, marks)
        rows = [pipeline_scores(model, ids, type_, typed) for ids, type_ in zip(texts, types)]
        path = write(folder, name, model, {**expected, 'class_probs': torch.cat(rows)})
        if more:
            rows = [cross_encoder_scores(path, ids, type_) for ids, type_ in zip(texts, types)]
            write(folder, name, model, {**expected, 'class_probs': torch.cat(rows)})


def masked(folder, wanted):
    known = {
        'bert-mlm-untied': (hf.BertForMaskedLM, hf.BertConfig(**SHAPE, tie_word_embeddings=False), True),
        'roberta-mlm-untied': (hf.RobertaForMaskedLM, hf.RobertaConfig(**SHAPE, pad_token_id=1, type_vocab_size=1,
                                                                       tie_word_embeddings=False), False),
        'xlmroberta-mlm-untied': (hf.XLMRobertaForMaskedLM, hf.XLMRobertaConfig(**SHAPE, pad_token_id=1, type_vocab_size=1,
                                                                                tie_word_embeddings=False), False),
        'distilbert-mlm-untied': (hf.DistilBertForMaskedLM, hf.DistilBertConfig(**DISTIL, tie_word_embeddings=False), False),
    }
    for name, (kind, settings, typed) in known.items():
        if wanted and name not in wanted:
            continue
        torch.manual_seed(3)
        model = randomize(kind(settings))
        first, last = (2, 3) if 'bert-' in name[:5] or name.startswith('distil') else (0, 2)
        texts, types, marks = inputs(first, last, 5)
        expected, rows = basis(texts, types, marks), []
        for ids, type_, mark in zip(texts, types, marks):
            logits = encode(model, ids, type_, typed).logits[0]
            losses = -logits.log_softmax(-1).gather(1, torch.tensor(ids)[:, None])[:, 0]
            rows.append(losses[[k for k, m in enumerate(mark) if not m & SPECIAL]])
        write(folder, name, model, {**expected, 'mlm_losses': torch.cat(rows)})


def families():
    """name: the model, and the last token of a source."""
    return {
        'bart': (lambda **more: hf.BartForConditionalGeneration(hf.BartConfig(**PAIR, **more)), 2),
        'mbart': (lambda **more: hf.MBartForConditionalGeneration(hf.MBartConfig(**PAIR, **more)), 2),
        'marian': (lambda **more: hf.MarianMTModel(hf.MarianConfig(**PAIR, pad_token_id=WORDS - 1, eos_token_id=0,
                                                                   decoder_start_token_id=WORDS - 1, **more)), 0),
        'm2m100': (lambda **more: hf.M2M100ForConditionalGeneration(hf.M2M100Config(**PAIR, **more)), 2),
        't5': (lambda **more: hf.T5ForConditionalGeneration(hf.T5Config(**T5, **more)), 1),
        'mt5': (lambda **more: hf.MT5ForConditionalGeneration(hf.MT5Config(**T5, **more)), 1),
    }


def sources(last):
    texts, types, marks = inputs(None, last, 5)
    return [[min(word, WORDS - 2) for word in ids] for ids in texts], types, marks


def untied(folder, wanted):
    for family, (make, last) in families().items():
        name = f'{family}-untied'
        if wanted and name not in wanted:
            continue
        torch.manual_seed(5)
        model = randomize(make(tie_word_embeddings=False))
        texts, types, marks = sources(last)
        targets = [list(reversed(ids[:-1]))[:1 + len(ids) * 2 // 3] + [last] for ids in texts]
        expected, rows = basis(texts, types, marks), []
        expected['target.ids'], expected['target.offsets'] = flat(targets)
        path = write(folder, name, model, expected)
        model = type(model).from_pretrained(path).eval()
        for ids, target in zip(texts, targets):
            with torch.no_grad():
                logits = model(input_ids=torch.tensor([ids]), labels=torch.tensor([target])).logits[0]
            rows.append(logits.log_softmax(-1).gather(1, torch.tensor(target)[:, None])[:, 0])
        write(folder, name, model, {**expected, 'logprobs': torch.cat(rows)})


def encoder_only(folder, wanted):
    """The encoder of T5 alone, as T5EncoderModel saves it."""
    if wanted and 't5-encoder' not in wanted:
        return
    torch.manual_seed(6)
    model = randomize(hf.T5EncoderModel(hf.T5Config(**T5)))
    texts, types, marks = sources(1)
    rows = []
    for ids in texts:
        with torch.no_grad():
            rows.append(model(torch.tensor([ids])).last_hidden_state[0].mean(0))
    write(folder, 't5-encoder', model, {**basis(texts, types, marks), 'embed.mean.1': torch.stack(rows)})


# What generation_config.json says beside the family's tokens. The model of these folders writes 11,
# 17, 35, 37, 46 and 51 most often: settings that end an output there or forbid one of them change
# it.
ENDS = [2, 17, 37]
GENERATION = {
    'ends': dict(eos_token_id=ENDS, max_new_tokens=12),
    'ends-beam': dict(eos_token_id=ENDS, max_new_tokens=12, num_beams=3),
    'length': dict(max_length=7, min_length=5, eos_token_id=ENDS),
    'least': dict(max_new_tokens=9, min_new_tokens=6, num_beams=4, eos_token_id=ENDS),
    'suppress': dict(max_new_tokens=8, suppress_tokens=[46, 59], begin_suppress_tokens=[11, 51]),
    'suppress-beam': dict(max_new_tokens=8, num_beams=4, suppress_tokens=[46], begin_suppress_tokens=[11, 17, 51],
                          forced_bos_token_id=7),
    'words': dict(max_new_tokens=12, bad_words_ids=[[11, 11], [46, 46], [11, 17, 46], [37], [2]]),
    'words-beam': dict(max_new_tokens=12, bad_words_ids=[[11, 11, 11], [46, 17], [51]], num_beams=3),
    'repeats': dict(max_new_tokens=12, repetition_penalty=1.7),
    'repeats-beam': dict(max_new_tokens=12, repetition_penalty=1.7, num_beams=4, length_penalty=0.6),
    'ngrams': dict(max_new_tokens=14, no_repeat_ngram_size=2),
    'ngrams-beam': dict(max_new_tokens=14, no_repeat_ngram_size=2, num_beams=3, early_stopping=True, length_penalty=2.0,
                        eos_token_id=ENDS),
    'source': dict(max_new_tokens=10, encoder_no_repeat_ngram_size=1),
    'source-penalty': dict(max_new_tokens=10, encoder_repetition_penalty=2.5, num_beams=2),
    'decay': dict(max_new_tokens=14, exponential_decay_length_penalty=[2, 1.5], eos_token_id=[2, 37]),
    'decay-beam': dict(max_new_tokens=14, exponential_decay_length_penalty=[2, 1.5], eos_token_id=[2, 37], num_beams=3),
    'bias': dict(max_new_tokens=10, sequence_bias=[[[12], 3.0], [[11, 46], 4.0], [[11], -2.5]], num_beams=2),
    'forced': dict(max_new_tokens=6, forced_bos_token_id=17, forced_eos_token_id=2),
    'forced-beam': dict(max_new_tokens=6, forced_bos_token_id=17, forced_eos_token_id=[2, 9], num_beams=4, length_penalty=-1.0),
    'undivided-beam': dict(max_new_tokens=12, num_beams=4, length_penalty=0.0, eos_token_id=ENDS),
    'never': dict(max_new_tokens=12, num_beams=3, early_stopping='never', eos_token_id=ENDS, length_penalty=1.5),
    'renormalized': dict(max_new_tokens=10, num_beams=3, renormalize_logits=True, suppress_tokens=[46, 11],
                         repetition_penalty=1.3, no_repeat_ngram_size=3),
    'unused': dict(max_new_tokens=6, temperature=0.3, top_k=3, top_p=0.5, use_cache=False, output_scores=True),
}


def generation(folder, wanted):
    """One model, and NAME.json for each of GENERATION: its generation_config.json, whose outputs are auto.NAME. Settings
    that have no effect must give what the defaults give, and all others something else."""
    if wanted and 'generation' not in wanted:
        return
    make, last = families()['bart']
    torch.manual_seed(9)
    model = randomize(make(tie_word_embeddings=False))
    model.final_logits_bias.zero_()
    texts, types, marks = sources(last)
    expected = basis(texts, types, marks)
    common = {'decoder_start_token_id': 2, 'eos_token_id': 2, 'pad_token_id': 1}
    for name, settings in GENERATION.items():
        # A configuration that is passed to generate() is completed by that of the model: so both
        # are set in turn.
        found, scores, plain = [], [], []
        length = settings.get('max_new_tokens', settings.get('max_length', 0) - 1)
        short = {**common, 'num_beams': settings.get('num_beams', 1), 'max_new_tokens': length}
        for values, out in (({**common, **settings}, found), (short, plain)):
            model.generation_config = hf.GenerationConfig(**values)
            for ids in texts:
                with torch.no_grad():
                    one = model.generate(torch.tensor([ids]), return_dict_in_generate=True, output_scores=True)
                out.append(one.sequences[0].tolist())
                if out is found and short['num_beams'] > 1:
                    scores.append(one.sequences_scores[0])
        assert (found == plain) == (name == 'unused'), name
        expected[f'{name}.ids'], expected[f'{name}.offsets'] = flat(found)
        if scores:
            expected[f'{name}.scores'] = torch.stack(scores)
    model.generation_config = hf.GenerationConfig(**common)
    path = write(folder, 'generation', model, expected)
    for name, settings in GENERATION.items():
        with open(os.path.join(path, f'{name}.json'), 'w') as out:
            json.dump({**common, **settings}, out)


def main(folder, wanted=()):
    os.makedirs(folder, exist_ok=True)
    classifiers(folder, wanted)
    masked(folder, wanted)
    untied(folder, wanted)
    encoder_only(folder, wanted)
    generation(folder, wanted)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
