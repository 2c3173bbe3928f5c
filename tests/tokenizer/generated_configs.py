# SPDX-License-Identifier: Apache-2.0
"""Generated files tokenizer.json: every normalizer, pre-tokenizer, post-processor and decoder with any settings, in any order.

Most of them end with ByteLevel and a byte-level model, whose tokens show the normalized text byte by byte."""
import json
import os
import random

HERE = os.path.dirname(os.path.abspath(__file__))
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
PATTERNS = [{'Regex': LLAMA3}, {'Regex': GPT2}, {'Regex': ' {2,}'}, {'Regex': r'\s+'}, {'Regex': r'\d+|[^\d]+'}, {'Regex': r'[A-Za-z]'},
            {'String': ' '}, {'String': 'a'}, {'String': 'the'}, {'String': '▁'}, {'String': "''"}]
BEHAVIORS = ['Removed', 'Isolated', 'Contiguous', 'MergedWithPrevious', 'MergedWithNext']


def family(name):
    with open(os.path.join(HERE, 'fixtures', name, 'tokenizer.json'), encoding='utf-8') as file:
        return json.load(file)


BYTES, PIECES, MERGES, WORDS = (family(name) for name in ('gpt2', 'xlmr', 'llama', 'bert_uncased'))


class Draw:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.pick, self.flag = self.random.choice, lambda: self.random.random() < 0.5

    def normalizer(self):
        kinds = [lambda: {'type': self.pick(('NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents', 'Nmt'))},
                 lambda: {'type': 'BertNormalizer', 'clean_text': self.flag(), 'handle_chinese_chars': self.flag(),
                          'strip_accents': self.pick((None, True, False)), 'lowercase': self.flag()},
                 lambda: {'type': 'Strip', 'strip_left': self.flag(), 'strip_right': self.flag()},
                 lambda: {'type': 'Replace', 'pattern': self.pick(PATTERNS[2:]), 'content': self.pick(('', ' ', '▁', 'xyz'))},
                 lambda: {'type': 'Prepend', 'prepend': self.pick(('▁', 'x', 'ab'))},
                 lambda: PIECES['normalizer']]
        return self.pick(kinds)()

    def pre_tokenizer(self):
        kinds = [lambda: {'type': self.pick(('BertPreTokenizer', 'Whitespace', 'WhitespaceSplit'))},
                 lambda: {'type': 'Punctuation', 'behavior': self.pick(BEHAVIORS)},
                 lambda: {'type': 'Digits', 'individual_digits': self.flag()},
                 lambda: {'type': 'ByteLevel', 'add_prefix_space': self.flag(), 'trim_offsets': self.flag(), 'use_regex': self.flag()},
                 lambda: {'type': 'Metaspace', 'replacement': self.pick('▁_'), 'prepend_scheme': self.pick(('always', 'first', 'never')), 'split': self.flag()},
                 lambda: {'type': 'Split', 'pattern': self.pick(PATTERNS), 'behavior': self.pick(BEHAVIORS), 'invert': self.flag()},
                 lambda: {'type': 'CharDelimiterSplit', 'delimiter': self.pick(' ae.')}]
        return self.pick(kinds)()

    def several(self, kind, key, most):
        count = self.random.randint(0, most)
        if count == 0:
            return None
        if count == 1 and self.flag():
            return kind()
        return {'type': 'Sequence', key: [kind() for _ in range(count)]}

    def post_processor(self, special, trim):
        """special: two tokens and their ids; trim: whether spans may be trimmed, which byte-level tokenizers alone do."""
        (first, first_id), (last, last_id) = special

        def template():
            def piece(name, kind='SpecialToken'):
                return {kind: {'id': name, 'type_id': self.random.randint(0, 1)}}

            single = [piece(first)] * self.flag() + [piece('A', 'Sequence')] + [piece(last)] * self.flag()
            pair = [piece(first), piece('A', 'Sequence'), piece(last), piece('B', 'Sequence')] + [piece(last)] * self.flag()
            return {'type': 'TemplateProcessing', 'single': single, 'pair': pair,
                    'special_tokens': {name: {'id': name, 'ids': [id_], 'tokens': [name]} for name, id_ in special}}

        trim = trim and self.flag()
        byte_level = {'type': 'ByteLevel', 'add_prefix_space': self.flag(), 'trim_offsets': trim, 'use_regex': True}
        return self.pick((None, template(), template(), byte_level,
                          {'type': 'BertProcessing', 'sep': [last, last_id], 'cls': [first, first_id]},
                          {'type': 'RobertaProcessing', 'sep': [last, last_id], 'cls': [first, first_id], 'trim_offsets': trim,
                           'add_prefix_space': self.flag()},
                          {'type': 'Sequence', 'processors': [byte_level, template()]}))

    def decoder(self):
        kinds = [lambda: {'type': 'ByteLevel', 'add_prefix_space': True, 'trim_offsets': True, 'use_regex': True},
                 lambda: {'type': 'WordPiece', 'prefix': self.pick(('##', '▁')), 'cleanup': self.flag()},
                 lambda: {'type': 'Metaspace', 'replacement': '▁', 'prepend_scheme': self.pick(('always', 'first', 'never')), 'split': True},
                 lambda: {'type': 'BPEDecoder', 'suffix': self.pick(('</w>', 'e'))},
                 lambda: {'type': self.pick(('Fuse', 'ByteFallback'))},
                 lambda: {'type': 'Replace', 'pattern': {'String': self.pick(('▁', 'a', '##'))}, 'content': self.pick((' ', '', 'x'))},
                 lambda: {'type': 'Strip', 'content': self.pick(' ▁'), 'start': self.random.randint(0, 2), 'stop': self.random.randint(0, 2)}]
        return self.pick(kinds)()

    def document(self):
        shows_bytes = self.random.random() < 0.6
        base = BYTES if shows_bytes else self.pick((PIECES, MERGES, WORDS))
        out = json.loads(json.dumps(base))
        model = out['model']
        vocab = model['vocab']
        names = [row[0] for row in vocab] if isinstance(vocab, list) else sorted(vocab, key=vocab.get)
        out['normalizer'] = self.several(self.normalizer, 'normalizers', 3)
        out['pre_tokenizer'] = self.several(self.pre_tokenizer, 'pretokenizers', 2)
        if shows_bytes:
            last = {'type': 'ByteLevel', 'add_prefix_space': self.flag(), 'trim_offsets': True, 'use_regex': self.flag()}
            steps = out['pre_tokenizer']
            steps = [] if not steps else steps['pretokenizers'] if steps['type'] == 'Sequence' else [steps]
            out['pre_tokenizer'] = {'type': 'Sequence', 'pretokenizers': [step for step in steps if step['type'] != 'ByteLevel'] + [last]}
        out['post_processor'] = self.post_processor([(names[k], k) for k in (1, 2)], shows_bytes)
        out['decoder'] = self.several(self.decoder, 'decoders', 3)
        if base is MERGES:
            model['ignore_merges'], model['fuse_unk'], model['byte_fallback'] = self.flag(), self.flag(), self.flag()
        if base is WORDS:
            model['max_input_chars_per_word'] = self.pick((3, 10, 100))
        added = []
        if self.flag():
            texts = ['[CLS]', 'the', 'a', '<mask>', ' ', 'e\u0301', 'É', 'THE', 'quick', '中', '▁', 'ab', 'abc', '12', '. ', '\n', 'ＡＢ', ' x']
            added = [(name, len(names) + i) for i, name in enumerate(self.random.sample(texts, self.random.randint(1, 6)))]
        if self.flag():
            added += [(names[k], k) for k in (1, 2)]
        sought = self.random.randrange(8)  # one of them at most is normalized: of two that become equal, the package takes one by chance
        out['added_tokens'] = [{'id': id_, 'content': name, 'single_word': self.random.random() < 0.3, 'lstrip': self.random.random() < 0.3,
                                'rstrip': self.random.random() < 0.3, 'normalized': k == sought, 'special': self.flag()}
                               for k, (name, id_) in enumerate(sorted(added, key=lambda one: one[1])) if name not in names or id_ < len(names)]
        next_id = len(names)  # without holes: the package numbers added tokens itself
        for token in out['added_tokens']:
            if token['id'] >= len(names):
                token['id'], next_id = next_id, next_id + 1
        return out
