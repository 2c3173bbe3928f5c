# SPDX-License-Identifier: Apache-2.0
"""Families without tokenizer.json: vocab.txt alone, or models of sentencepiece. A function writes the folder's files and what is
expected of them."""
import json
import os

import sentencepiece

from fixture_expected import expect, pieces_folder
from fixture_families import ROBERTA_SPECIAL, wordpiece
from fixture_pieces import read_sentencepiece, train_sentencepiece


def dump(path, value, **how):
    with open(path, 'w', encoding='utf-8', newline='\n') as out:
        json.dump(value, out, ensure_ascii=False, **(how or {'separators': (',', ':')}))
        out.write('\n')


def vocab_folder(path, texts, lower):
    """Only vocab.txt, and whether letters are made small. The reference is the tokenizer that transformers makes of it."""
    tokenizer = wordpiece(lower, count=120)
    names = sorted(tokenizer.get_vocab().items(), key=lambda one: one[1])
    with open(os.path.join(path, 'vocab.txt'), 'w', encoding='utf-8', newline='\n') as out:
        out.writelines(name + '\n' for name, _ in names)
    dump(os.path.join(path, 'tokenizer_config.json'), {'do_lower_case': lower, 'tokenizer_class': 'BertTokenizer'})
    expect(path, tokenizer, texts)


def xlmr_pieces(path, texts):
    """Only sentencepiece.bpe.model: pieces are numbered as fairseq does, one higher, and the special ones are other."""
    model = os.path.join(path, 'sentencepiece.bpe.model')
    train_sentencepiece(model, 'unigram', 420)
    dump(os.path.join(path, 'tokenizer_config.json'), {'tokenizer_class': 'XLMRobertaTokenizer'})
    pieces = sentencepiece.SentencePieceProcessor(model_file=model)

    def ids_of(text, options):
        return [0] + [piece + 1 if piece else 3 for piece in pieces.encode(text)] + [2], 1, 1

    def decoded(ids):
        return pieces.decode([piece - 1 for piece in ids if piece not in (0, 1, 2)])

    pieces_folder(path, texts, ids_of, decoded, 3, special=ROBERTA_SPECIAL + ['<mask>'])


def t5_pieces(path, texts):
    """Only spiece.model: its ids, and </s> at the end."""
    model = os.path.join(path, 'spiece.model')
    train_sentencepiece(model, 'unigram', 420, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    dump(os.path.join(path, 'tokenizer_config.json'), {'tokenizer_class': 'T5Tokenizer', 'extra_ids': 0})
    pieces = sentencepiece.SentencePieceProcessor(model_file=model)
    pieces_folder(path, texts, lambda text, options: (pieces.encode(text) + [1], 0, 1),
                  lambda ids: pieces.decode([piece for piece in ids if piece not in (0, 1)]), 2, special=['<pad>', '</s>', '<unk>'])


def marian(path, texts):
    """source.spm, target.spm and vocab.json, whose numbers are others; >>deu<< at the beginning names the target language."""
    from transformers import MarianTokenizer
    train_sentencepiece(os.path.join(path, 'source.spm'), 'unigram', 300, charsmap=True)
    train_sentencepiece(os.path.join(path, 'target.spm'), 'unigram', 340, charsmap=True)
    names = {name for part in ('source', 'target') for name, _ in read_sentencepiece(os.path.join(path, part + '.spm'))[0]}
    names = ['</s>', '<unk>'] + sorted(names - {'<s>', '</s>', '<unk>'}) + ['>>deu<<', '<pad>']
    dump(os.path.join(path, 'vocab.json'), {name: i for i, name in enumerate(names)})
    dump(os.path.join(path, 'tokenizer_config.json'), {'tokenizer_class': 'MarianTokenizer', 'source_lang': 'eng', 'target_lang': 'deu',
                                                       'eos_token': '</s>', 'pad_token': '<pad>', 'unk_token': '<unk>'})
    tokenizer = MarianTokenizer.from_pretrained(path)

    def ids_of(text, options):
        return (tokenizer(text_target=text) if options else tokenizer(text))['input_ids'], 0, 1

    # The library takes a code that the vocabulary lacks for text.
    pieces_folder(path, texts, ids_of, lambda ids: tokenizer.decode(ids, skip_special_tokens=True), 1, ({}, {'as_target': True}),
                  special=['>>xyz<<'])


def m2m100(path, texts):
    """sentencepiece.bpe.model and vocab.json, after whose numbers those of the languages come: __en__ A </s>."""
    from transformers import M2M100Tokenizer
    model = os.path.join(path, 'sentencepiece.bpe.model')
    train_sentencepiece(model, 'unigram', 420, charsmap=True)
    names = ROBERTA_SPECIAL + [name for name, _ in read_sentencepiece(model)[0][3:]]
    dump(os.path.join(path, 'vocab.json'), {name: i for i, name in enumerate(names)})
    dump(os.path.join(path, 'tokenizer_config.json'), {'tokenizer_class': 'M2M100Tokenizer', 'src_lang': 'en', 'tgt_lang': 'de',
                                                       'bos_token': '<s>', 'eos_token': '</s>', 'pad_token': '<pad>', 'unk_token': '<unk>'})
    tokenizer = M2M100Tokenizer.from_pretrained(path, src_lang='en', tgt_lang='de')

    def ids_of(text, options):
        tokenizer.src_lang = options.get('language', 'en') if not options.get('as_target') else 'en'
        tokenizer.tgt_lang = options.get('language', 'de')
        return (tokenizer(text_target=text) if options.get('as_target') else tokenizer(text))['input_ids'], 1, 1

    pieces_folder(path, texts, ids_of, lambda ids: tokenizer.decode(ids[1:], skip_special_tokens=True), 3,
                  ({}, {'language': 'zh'}, {'as_target': True}))


FOLDERS = {'vocab_uncased': lambda path, texts: vocab_folder(path, texts, True),
           'vocab_cased': lambda path, texts: vocab_folder(path, texts, False),
           'xlmr_pieces': xlmr_pieces, 't5_pieces': t5_pieces, 'marian': marian, 'm2m100': m2m100}
