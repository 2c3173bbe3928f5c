#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small tokenizers of every family, and what PyPI's tokenizers, sentencepiece and transformers make of many texts.

    make_fixtures.py FOLDER [FAMILY ...]

makes a vocabulary of each family from corpus.txt (README.md says where it comes from), writes FOLDER/FAMILY/ with the files that a model's
folder of that family has, and beside them expected.jsonl.xz. A line of it is one call:

    text, pair        positions in FOLDER/texts.json; of one text there is no pair
    max_tokens, without_special, language, as_target       options of the call, where they are not the default
    ids               token ids
    spans             first byte and the byte after the last of each token, in the text that it stems from; 0 0 for special
                      tokens. Not there where the reference has none (Marian, M2M100, folders with only a sentencepiece model)
    marks             a letter a token: s is no part of a text, w begins a word (what white space separates in the text),
                      - is neither; capital (S, W, +) where the type is 1. No w where the reference has no spans
    plain, full       the text that the ids decode to without and with special tokens, for some of the calls

Made with tokenizers 0.23.3, sentencepiece 0.2.3 and transformers 5.23.0; tests/tokenizer/fixtures holds the result, which is
the same each time."""
import collections
import json
import lzma
import os
import shutil
import struct
import sys
import tempfile
import unicodedata

os.environ['TOKENIZERS_PARALLELISM'] = 'false'

import sentencepiece  # noqa: E402
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors)  # noqa: E402

import fixture_texts as given  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, 'corpus.txt'), encoding='utf-8') as file:
    CORPUS = file.read().split('\n')[:-1] + given.SCRIPTS
OFTEN = collections.Counter(''.join(CORPUS))
# sentencepiece keeps every character: the lines that have no rare one make a small vocabulary.
PLAIN_CORPUS = [line for line in CORPUS if all(OFTEN[char] >= 8 for char in line)]
BERT_SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
ROBERTA_SPECIAL = ['<s>', '<pad>', '</s>', '<unk>']
DECODED_EVERY = 3  # of the texts, so many have their decoded forms


# ---- training ----

def charsmap_rules(path, wide):
    """A normalization rule of sentencepiece for each code point that NFKC changes, of a few blocks, and nmt's rules for spaces
    and controls: what nmt_nfkc does, at a tenth of its size. wide: more blocks, and composition of letters with marks."""
    blocks = [(0xA0, 0x100), (0x2000, 0x2070), (0xFB00, 0xFB07), (0xFF01, 0xFF5F)]
    if wide:
        blocks += [(0x132, 0x180), (0x1C4, 0x1CD), (0x2070, 0x20A0), (0x2100, 0x218B), (0x2460, 0x2500), (0x3131, 0x318F), (0x3300, 0x3358),
                   (0xFB07, 0xFB50), (0xFDF0, 0xFDFD), (0xFEF5, 0xFEFD), (0xFF61, 0xFFBF), (0x1D518, 0x1D538), (0x1D7D8, 0x1D800),
                   (0x1F88, 0x1FB4), (0x0958, 0x0960)]
    rules = {}
    for first, end in blocks:
        for code in range(first, end):
            folded = unicodedata.normalize('NFKC', chr(code))
            if folded != chr(code):
                rules[chr(code)] = folded
    if wide:
        for code in list(range(0xC0, 0x250)) + list(range(0x1E00, 0x1F00)) + list(range(0xAC00, 0xAC00 + 60)):
            for form in ('NFD', 'NFKD'):
                apart = unicodedata.normalize(form, chr(code))
                if len(apart) > 1 and unicodedata.normalize('NFKC', apart) != apart:
                    rules[apart] = unicodedata.normalize('NFKC', apart)
    for code in list(range(0x1, 0x9)) + [0xB] + list(range(0xE, 0x20)) + [0x7F, 0x8F, 0x9F, 0xAD, 0x200B, 0x200E, 0x200F, 0x2060, 0xFEFF]:
        rules[chr(code)] = ''
    for code in [0x9, 0xA, 0xC, 0xD, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x2581, 0x3000, 0xFFFD, *range(0x2000, 0x200B)]:
        rules[chr(code)] = ' '
    with open(path, 'w', encoding='utf-8') as out:
        for source in sorted(rules):
            out.write('%s\t%s\n' % tuple(' '.join('%X' % ord(char) for char in text) for text in (source, rules[source])))


def train_sentencepiece(path, kind, size, wide=False, **more):
    """Writes a sentencepiece model."""
    with tempfile.TemporaryDirectory() as scratch:
        rules = os.path.join(scratch, 'rules.tsv')
        charsmap_rules(rules, wide)
        settings = dict(normalization_rule_tsv=rules) if more.pop('charsmap', True) else dict(normalization_rule_name='identity')
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(PLAIN_CORPUS), model_prefix=os.path.join(scratch, 'm'), model_type=kind, vocab_size=size,
            character_coverage=1.0, num_threads=1, minloglevel=2, hard_vocab_limit=False, **settings, **more)
        # The trainer notes its paths in trainer_spec (2), and the rules in normalizer_spec (3):
        # without the paths, which differ each time, and without what nobody reads.
        with open(os.path.join(scratch, 'm.model'), 'rb') as file:
            fields = protobuf(file.read())
        with open(path, 'wb') as out:
            for number, value in fields:
                if number == 2:
                    value = b''.join(packed(n, v) for n, v in protobuf(value) if n not in (1, 2) and not (n > 5 and isinstance(v, bytes)))
                if number == 3:
                    value = b''.join(packed(n, v) for n, v in protobuf(value) if n != 6)
                out.write(packed(number, value))


def varint(value):
    out = b''
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def packed(number, value):
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack('<f', value)
    return varint(number << 3) + varint(value)


def protobuf(data):
    """The fields of a message: (number, int, float or bytes)."""
    at, fields = 0, []

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            fields.append((key >> 3, number()))
        elif key & 7 == 5:
            fields.append((key >> 3, struct.unpack_from('<f', data, at)[0]))
            at += 4
        else:
            length = number()
            fields.append((key >> 3, data[at:at + length]))
            at += length
    return fields


def read_sentencepiece(path):
    """[(piece, score)] and the charsmap of a sentencepiece model."""
    pieces, charsmap = [], b''
    with open(path, 'rb') as file:
        for number, value in protobuf(file.read()):
            if number == 1:
                fields = dict(protobuf(value))
                pieces.append((fields[1].decode('utf-8'), fields[2]))
            elif number == 3:
                charsmap = dict(protobuf(value)).get(2, b'')
    return pieces, charsmap


def unigram_pieces(size=420, wide=False, kind='unigram', **more):
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, 'm.model')
        train_sentencepiece(path, kind, size, wide, **more)
        return read_sentencepiece(path)


def merges_of(pieces):
    """The merges of a BPE model of sentencepiece, by rank, as transformers finds them."""
    rank = {piece: i for i, (piece, _) in enumerate(pieces)}
    score = dict(pieces)
    found = []
    for merged in rank:
        local = [(merged[:i], merged[i:], merged) for i in range(1, len(merged)) if merged[:i] in rank and merged[i:] in rank]
        found.extend(sorted(local, key=lambda one: (rank[one[0]], rank[one[1]])))
    found.sort(key=lambda one: (score[one[2]], len(one[0]), len(one[1])), reverse=True)
    return [(left, right) for left, right, _ in found]


def learn_merges(tokenizer, count, letters, prefix='', suffix=''):
    """The alphabet and the merges of a byte-pair encoding of CORPUS as the normalizer and the pre-tokenizer cut it: the most frequent
    pair first, of equal ones the one whose parts sort first. The trainers of `tokenizers` choose among equal ones by chance.
    letters: of more characters than so many, the rare ones are left out."""
    words = collections.Counter()
    for line in CORPUS:
        line = tokenizer.normalizer.normalize_str(line) if tokenizer.normalizer else line
        words.update(word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(line))
    seen = collections.Counter()
    for word, times in words.items():
        seen.update({char: times * word.count(char) for char in set(word)})
    kept = set(sorted(seen, key=lambda char: (-seen[char], char))[:letters])
    parts = []  # of each word, with its count
    for word in sorted(words):
        if set(word) <= kept:
            chars = [char if i == 0 else prefix + char for i, char in enumerate(word)]
            chars[-1] += suffix
            parts.append((chars, words[word]))
    alphabet = sorted({char for chars, _ in parts for char in chars} | kept | {prefix + char for char in kept})
    pairs, where = collections.Counter(), collections.defaultdict(set)

    def note(i, sign):
        chars, times = parts[i]
        for pair in zip(chars, chars[1:]):
            pairs[pair] += sign * times
            where[pair].add(i)

    for i in range(len(parts)):
        note(i, 1)
    merges = []
    while len(merges) < count:
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if pairs[best] < 2:
            break
        merges.append(best)
        merged = best[0] + best[1][len(prefix):]
        for i in sorted(where[best]):
            note(i, -1)
            old, new = parts[i][0], []
            while old:
                fits = tuple(old[:2]) == best
                new.append(merged if fits else old[0])
                old = old[1 + fits:]
            parts[i] = (new, parts[i][1])
            note(i, 1)
    return alphabet, merges


def merged_tokens(merges, prefix=''):
    """The tokens that merges make, each once, by rank."""
    return list(dict.fromkeys(left + right[len(prefix):] for left, right in merges))


def bert_normalizer(lower, accents=None, chinese=True):
    return normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=chinese, strip_accents=accents, lowercase=lower)


def template(tokenizer, single, pair):
    names = sorted({word.split(':')[0] for word in (single + ' ' + pair).split() if not word.startswith('$')})
    tokenizer.post_processor = processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(name, tokenizer.token_to_id(name)) for name in names])


def special_tokens(tokenizer, names, **flags):
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False, **flags) for name in names])


def wordpiece(lower, accents=None, chinese=True, count=250, longest=100):
    """WordPiece whose vocabulary is that of a byte-pair encoding with the prefix ##, as the trainer of `tokenizers` makes it."""
    parts = Tokenizer(models.BPE())
    parts.normalizer, parts.pre_tokenizer = bert_normalizer(lower, accents, chinese), pre_tokenizers.BertPreTokenizer()
    alphabet, merges = learn_merges(parts, count, 200, prefix='##')
    vocab = {name: i for i, name in enumerate(BERT_SPECIAL + alphabet + merged_tokens(merges, '##'))}
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token='[UNK]', max_input_chars_per_word=longest))
    tokenizer.normalizer, tokenizer.pre_tokenizer = parts.normalizer, parts.pre_tokenizer
    tokenizer.decoder = decoders.WordPiece(prefix='##', cleanup=True)
    special_tokens(tokenizer, BERT_SPECIAL)
    template(tokenizer, '[CLS]:0 $A:0 [SEP]:0', '[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1')
    return tokenizer


def byte_level(prefix_space, special, count=180):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    _, merges = learn_merges(tokenizer, count, 256)
    tokenizer.model = bpe(special + sorted(pre_tokenizers.ByteLevel.alphabet()) + merged_tokens(merges), merges)
    return tokenizer


def bpe(names, merges, **more):
    """A BPE model whose ids are in the order of names."""
    return models.BPE(vocab={name: i for i, name in enumerate(names)}, merges=merges, **more)


# ---- families ----

def bert_uncased():
    return wordpiece(True)


def bert_cased():
    return wordpiece(False)


def distilbert():
    """Settings that others leave alone, and few letters a word."""
    return wordpiece(True, accents=False, chinese=False, count=160, longest=12)


def roberta():
    tokenizer = byte_level(False, ROBERTA_SPECIAL + ['<mask>'])
    tokenizer.post_processor = processors.RobertaProcessing(('</s>', 2), ('<s>', 0), trim_offsets=True, add_prefix_space=False)
    special_tokens(tokenizer, ROBERTA_SPECIAL)
    special_tokens(tokenizer, ['<mask>'], lstrip=True)
    return tokenizer


def roberta_prefix():
    """As roberta is opened for texts that are words already: with a space before each part of the text."""
    tokenizer = roberta()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.post_processor = processors.RobertaProcessing(('</s>', 2), ('<s>', 0), trim_offsets=True, add_prefix_space=True)
    return tokenizer


def bart():
    tokenizer = byte_level(True, ROBERTA_SPECIAL + ['<mask>'], 140)
    tokenizer.post_processor = processors.RobertaProcessing(('</s>', 2), ('<s>', 0), trim_offsets=False, add_prefix_space=True)
    special_tokens(tokenizer, ROBERTA_SPECIAL)
    special_tokens(tokenizer, ['<mask>'], lstrip=True)
    return tokenizer


def gpt2():
    tokenizer = byte_level(False, ['<|endoftext|>'], 170)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


def metaspace(scheme='always', split=True):
    return pre_tokenizers.Metaspace(replacement='▁', prepend_scheme=scheme, split=split)


def metaspace_decoder(scheme='always', split=True):
    return decoders.Metaspace(replacement='▁', prepend_scheme=scheme, split=split)


def fairseq(pieces, more=()):
    """sentencepiece's pieces as fairseq numbers them: <s> <pad> </s> <unk> instead of <unk> <s> </s>."""
    return [(name, 0.0) for name in ROBERTA_SPECIAL] + pieces[3:] + [(name, 0.0) for name in more]


def xlmr():
    """As transformers 5 writes XLM-R."""
    pieces, charsmap = unigram_pieces(480, wide=True)
    tokenizer = Tokenizer(models.Unigram(fairseq(pieces, ['<mask>']), unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Precompiled(charsmap)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace()])
    tokenizer.decoder = metaspace_decoder()
    special_tokens(tokenizer, ROBERTA_SPECIAL)
    special_tokens(tokenizer, ['<mask>'], lstrip=True)
    template(tokenizer, '<s> $A </s>', '<s> $A </s> </s> $B </s>')
    return tokenizer


def xlmr_converted():
    """As transformers 4 converted XLM-R from its sentencepiece model."""
    pieces, charsmap = unigram_pieces()
    tokenizer = Tokenizer(models.Unigram(fairseq(pieces, ['<mask>']), unk_id=3))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap), normalizers.Strip(left=False, right=True),
                                                 normalizers.Replace(Regex(' {2,}'), '▁')])
    tokenizer.pre_tokenizer = metaspace()
    tokenizer.decoder = metaspace_decoder()
    special_tokens(tokenizer, ROBERTA_SPECIAL)
    tokenizer.add_special_tokens([AddedToken('<mask>', special=True, normalized=True, lstrip=True)])
    template(tokenizer, '<s> $A </s>', '<s> $A </s> </s> $B </s>')
    return tokenizer


def t5():
    pieces, charsmap = unigram_pieces(pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    extra = [f'<extra_id_{i}>' for i in reversed(range(10))]
    tokenizer = Tokenizer(models.Unigram(pieces + [(name, 0.0) for name in extra], unk_id=2, byte_fallback=False))
    tokenizer.normalizer = normalizers.Precompiled(charsmap)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace()])
    tokenizer.decoder = metaspace_decoder()
    special_tokens(tokenizer, ['<pad>', '</s>', '<unk>'] + extra)
    template(tokenizer, '$A </s>', '$A </s> $B </s>')
    return tokenizer


def mbart():
    pieces, _ = unigram_pieces(charsmap=False)
    tokenizer = Tokenizer(models.Unigram(fairseq(pieces, MBART_LANGUAGES + ['<mask>']), unk_id=3, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace()])
    tokenizer.decoder = metaspace_decoder()
    special_tokens(tokenizer, ROBERTA_SPECIAL + MBART_LANGUAGES)
    special_tokens(tokenizer, ['<mask>'], lstrip=True)
    template(tokenizer, '$A </s> en_XX', '$A $B </s> en_XX')
    return tokenizer


def nllb():
    pieces, charsmap = unigram_pieces(kind='bpe')
    names = [name for name, _ in fairseq(pieces)]
    tokenizer = Tokenizer(bpe(names, merges_of(pieces[3:]), unk_token='<unk>', fuse_unk=True, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap), normalizers.Replace(Regex(' {2,}'), ' ')])
    tokenizer.pre_tokenizer = metaspace()
    tokenizer.decoder = metaspace_decoder()
    special_tokens(tokenizer, ROBERTA_SPECIAL + NLLB_LANGUAGES)
    tokenizer.add_special_tokens([AddedToken('<mask>', special=True, normalized=True, lstrip=True)])
    template(tokenizer, 'eng_Latn $A </s>', 'eng_Latn $A $B </s>')
    return tokenizer


def llama_pieces():
    return unigram_pieces(620, kind='bpe', charsmap=False, byte_fallback=True, split_digits=True)[0]


def llama():
    """As transformers 5 writes Llama."""
    pieces = llama_pieces()
    tokenizer = Tokenizer(bpe([name for name, _ in pieces], merges_of(pieces), fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = metaspace('first', split=False)
    tokenizer.decoder = decoders.Sequence([decoders.Replace('▁', ' '), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(content=' ', left=1)])
    special_tokens(tokenizer, ['<unk>', '<s>', '</s>'])
    template(tokenizer, '<s> $A', '<s> $A <s>:1 $B:1')
    return tokenizer


def llama_normalized():
    """As transformers 4 wrote Llama: the normalizer makes the spaces, there is no pre-tokenizer."""
    pieces = llama_pieces()
    tokenizer = Tokenizer(bpe([name for name, _ in pieces], merges_of(pieces), unk_token='<unk>', fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend('▁'), normalizers.Replace(' ', '▁')])
    tokenizer.decoder = decoders.Sequence([decoders.Replace('▁', ' '), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(content=' ', left=1)])
    special_tokens(tokenizer, ['<unk>', '<s>', '</s>'])
    template(tokenizer, '<s> $A', '<s> $A <s>:1 $B:1')
    return tokenizer


def rembert_like(lower, accents):
    pieces, charsmap = unigram_pieces(400, pad_id=0, unk_id=1, bos_id=2, eos_id=3, bos_piece='[CLS]', eos_piece='[SEP]',
                                      control_symbols=['[MASK]'])
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=1, byte_fallback=False))
    steps = [normalizers.Replace('``', '"'), normalizers.Replace("''", '"'), normalizers.Replace(Regex(' {2,}'), ' ')]
    if not accents:
        steps += [normalizers.NFKD(), normalizers.StripAccents()]
    if lower:
        steps += [normalizers.Lowercase()]
    tokenizer.normalizer = normalizers.Sequence(steps + [normalizers.Precompiled(charsmap)])
    tokenizer.pre_tokenizer = metaspace()
    tokenizer.decoder = metaspace_decoder()
    special_tokens(tokenizer, ['<pad>', '<unk>', '[CLS]', '[SEP]'])
    special_tokens(tokenizer, ['[MASK]'], lstrip=True)
    template(tokenizer, '[CLS]:0 $A:0 [SEP]:0', '[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1')
    return tokenizer


def rembert():
    return rembert_like(lower=False, accents=True)


def albert():
    return rembert_like(lower=True, accents=False)


def unigram_rules():
    """Normalizers that no family above has, bytes for what is unknown, no space at the beginning."""
    pieces, _ = unigram_pieces(620, charsmap=False, byte_fallback=True)
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Lowercase(),
                                                 normalizers.Strip(left=True, right=True)])
    tokenizer.pre_tokenizer = metaspace('never')
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), metaspace_decoder('never')])
    special_tokens(tokenizer, ['<unk>', '<s>', '</s>'])
    tokenizer.post_processor = processors.BertProcessing(('</s>', 2), ('<s>', 1))
    return tokenizer


def word_bpe(fuse, prefix='', suffix=''):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    alphabet, merges = learn_merges(tokenizer, 180, 120, prefix, suffix)
    marks = {key: mark for key, mark in (('continuing_subword_prefix', prefix), ('end_of_word_suffix', suffix)) if mark}
    tokenizer.model = bpe(['<unk>', '<s>', '</s>'] + alphabet + merged_tokens(merges, prefix), merges, unk_token='<unk>', fuse_unk=fuse, **marks)
    special_tokens(tokenizer, ['<unk>', '<s>', '</s>'])
    return tokenizer


def bpe_suffix():
    """XLM's and GPT's first: the last part of a word is marked."""
    tokenizer = word_bpe(False, suffix='</w>')
    tokenizer.decoder = decoders.BPEDecoder(suffix='</w>')
    tokenizer.post_processor = processors.BertProcessing(('</s>', 2), ('<s>', 1))
    return tokenizer


def bpe_prefix():
    """All parts of a word but the first are marked; unknown parts are one token."""
    tokenizer = word_bpe(True, prefix='##')
    tokenizer.decoder = decoders.WordPiece(prefix='##', cleanup=False)
    return tokenizer


def words():
    tokenizer = Tokenizer(models.WordLevel(unk_token='<unk>'))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    seen = collections.Counter(word for line in CORPUS for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(line))
    names = ['<unk>', '<s>', '</s>'] + sorted(seen, key=lambda word: (-seen[word], word))[:300]
    tokenizer.model = models.WordLevel({name: i for i, name in enumerate(names)}, unk_token='<unk>')
    special_tokens(tokenizer, ['<unk>', '<s>', '</s>'])
    template(tokenizer, '<s> $A </s>', '<s> $A </s> $B:1 </s>:1')
    return tokenizer


# Every flag of added tokens; the texts of fixture_texts.ADDED meet each.
ADDED = [AddedToken('[L]', lstrip=True, normalized=False, special=True), AddedToken('[R]', rstrip=True, normalized=False, special=True),
         AddedToken('[B]', lstrip=True, rstrip=True, normalized=False), AddedToken('[N]', normalized=True, special=True), AddedToken('[P]', normalized=False),
         AddedToken('[W]', single_word=True, normalized=False, special=True), AddedToken('word', single_word=True, normalized=True),
         AddedToken('Café', normalized=True), AddedToken('STRASSE', normalized=True), AddedToken('new york', normalized=True),
         AddedToken('abc', normalized=False), AddedToken('abcd', normalized=False), AddedToken('ab', single_word=True, normalized=False),
         AddedToken('ＡＢＣ', normalized=True), AddedToken('中文字', normalized=False, special=True),
         AddedToken(' special ', normalized=False), AddedToken('word é', normalized=True, rstrip=True)]


def with_added(tokenizer):
    for token in ADDED:
        (tokenizer.add_special_tokens if token.special else tokenizer.add_tokens)([token])
    return tokenizer


def added_wordpiece():
    return with_added(wordpiece(True, count=120))


def added_bytes():
    return with_added(gpt2())


def added_unigram():
    """A space goes before the first part of the text only, whatever is cut out of it."""
    pieces, charsmap = unigram_pieces(400)
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.normalizer = normalizers.Precompiled(charsmap)
    tokenizer.pre_tokenizer = metaspace('first')
    tokenizer.decoder = metaspace_decoder('first')
    special_tokens(tokenizer, ['<unk>', '<s>', '</s>'])
    template(tokenizer, '$A </s>', '$A </s> $B:1 </s>:1')
    return with_added(tokenizer)


MBART_LANGUAGES = ['ar_AR', 'de_DE', 'en_XX', 'fr_XX', 'hi_IN', 'zh_CN']
NLLB_LANGUAGES = ['eng_Latn', 'deu_Latn', 'zho_Hans', 'hin_Deva']


# ---- files that older programs wrote ----

def older(document, family):
    """Changes of a tokenizer.json to what earlier versions of `tokenizers` wrote."""
    model = document['model']
    if family in ('bart', 'llama_normalized'):
        model['merges'] = [' '.join(pair) for pair in model['merges']]
        for key in ('ignore_merges', 'byte_fallback') if family == 'bart' else ('ignore_merges',):
            model.pop(key)
    if family in ('xlmr_converted', 'albert'):
        for part in (document['pre_tokenizer'], document['decoder']):
            part.pop('prepend_scheme', None)
            part.pop('split', None)
            part.update(str_rep='▁', add_prefix_space=True)
        model.pop('byte_fallback')
    return document


CONFIGS = {  # tokenizer_config.json, as far as it says something that the other files do not
    'bert_uncased': {'tokenizer_class': 'BertTokenizer', 'do_lower_case': True, 'model_max_length': 512},
    'bert_cased': {'tokenizer_class': 'BertTokenizer', 'do_lower_case': False, 'model_max_length': 512},
    'mbart': {'tokenizer_class': 'MBartTokenizer', 'src_lang': 'en_XX', 'tgt_lang': 'de_DE', 'eos_token': '</s>',
              'additional_special_tokens': MBART_LANGUAGES},
    'nllb': {'tokenizer_class': 'NllbTokenizer', 'src_lang': 'eng_Latn', 'tgt_lang': 'deu_Latn', 'legacy_behaviour': False, 'eos_token': '</s>',
             'additional_special_tokens': NLLB_LANGUAGES},
    't5': {'tokenizer_class': 'T5Tokenizer', 'extra_ids': 10, 'eos_token': '</s>', 'pad_token': '<pad>', 'unk_token': '<unk>'},
}


def dump(path, value, **how):
    with open(path, 'w', encoding='utf-8', newline='\n') as out:
        json.dump(value, out, ensure_ascii=False, **(how or {'separators': (',', ':')}))
        out.write('\n')


# ---- what is expected ----

def byte_starts(text):
    """The byte at which each character begins, and the number of bytes."""
    starts = [0]
    for char in text:
        starts.append(starts[-1] + len(char.encode('utf-8')))
    return starts


def described(encoding, whole, text, pair=None):
    """What a line of expected.jsonl.xz says of an encoding. whole: the same with spans that are not trimmed, by which words begin."""
    sides = [(byte_starts(side), side.encode('utf-8')) for side in (text, pair or '')]
    spans, marks, seen, gap, previous = [], '', 0, True, None
    for i, (offsets, sequence) in enumerate(zip(encoding.offsets, encoding.sequence_ids)):
        starts, data = sides[sequence or 0]
        spans += [starts[at] for at in offsets]
        begin, end = (starts[at] for at in whole.offsets[i])
        kind = 0 if encoding.special_tokens_mask[i] else 2
        if kind:
            if sequence != previous:
                seen, gap, previous = 0, True, sequence
            for at in range(seen, end):
                space = data[at] in b' \t\r\n'
                if at >= begin and gap and not space:
                    kind = 1
                gap = space or (gap and at < begin)
            seen = max(seen, end)
        marks += ('SW+' if encoding.type_ids[i] else 'sw-')[kind]
    return {'ids': encoding.ids, 'spans': spans, 'marks': marks}


def calls(texts):
    """The calls that every family gets: options without the ids."""
    place = {text: i for i, text in enumerate(texts)}
    yield from ({'text': i} for i in range(len(texts)))
    yield from ({'text': place[text], 'without_special': True} for text in texts[:40:5])
    yield from ({'text': place[first], 'pair': place[second]} for first, second in given.PAIRS)
    yield from ({'text': place[text], 'max_tokens': length} for text, length in given.CUTS)
    yield from ({'text': place[first], 'pair': place[second], 'max_tokens': length} for first, second, length in given.PAIR_CUTS)


def encode(tokenizer, untrimmed, call, texts):
    """The answer of `tokenizers` to a call; None where there is none, as special tokens alone are longer than the limit."""
    text, pair = texts[call['text']], texts[call['pair']] if 'pair' in call else None
    if call.get('max_tokens', 1 << 30) <= tokenizer.num_special_tokens_to_add(pair is not None):
        return None
    encodings = []
    for one in (tokenizer, untrimmed):
        one.no_truncation()
        if 'max_tokens' in call:
            one.enable_truncation(call['max_tokens'], strategy='longest_first' if pair is None else 'only_second')
        encodings.append(one.encode(text, pair, add_special_tokens=not call.get('without_special')))
    return described(*encodings, text, pair)


def expect(path, tokenizer, texts, languages=None):
    """Writes expected.jsonl.xz. languages: how the template names a language, and (language, as_target, options) for a few calls."""
    document = json.loads(tokenizer.to_str())
    if 'trim_offsets' in (document['post_processor'] or ()):
        document['post_processor']['trim_offsets'] = False
    untrimmed = Tokenizer.from_str(json.dumps(document))
    with lzma.open(os.path.join(path, 'expected.jsonl.xz'), 'wt', preset=9, encoding='utf-8', newline='\n') as out:
        def write(call, found):
            if call['text'] % DECODED_EVERY == 0 and not ('pair' in call or 'max_tokens' in call):
                found['plain'] = tokenizer.decode(found['ids'], skip_special_tokens=True)
                if call['text'] % (2 * DECODED_EVERY) == 0:
                    found['full'] = tokenizer.decode(found['ids'], skip_special_tokens=False)
            out.write(json.dumps({**call, **found}, ensure_ascii=False, separators=(',', ':')) + '\n')

        for call in calls(texts):
            found = encode(tokenizer, untrimmed, call, texts)
            if found:
                write(call, found)
        for single, language, options in languages or ():
            for one in (tokenizer, untrimmed):
                template(one, single % language, single.replace('$A', '$A $B') % language)
            for call in ({'text': i, **options} for i in range(0, 12, 3)):
                write(call, encode(tokenizer, untrimmed, call, texts))


LANGUAGES = {
    'mbart': [('$A </s> %s', 'de_DE', {'language': 'de_DE'}), ('$A </s> %s', 'de_DE', {'as_target': True}),
              ('$A </s> %s', 'zh_CN', {'language': 'zh_CN', 'as_target': True})],
    'nllb': [('%s $A </s>', 'hin_Deva', {'language': 'hin_Deva'}), ('%s $A </s>', 'deu_Latn', {'as_target': True}),
             ('%s $A </s>', 'zho_Hans', {'language': 'zho_Hans', 'as_target': True})],
}


# ---- folders without tokenizer.json ----

def vocab_folder(path, texts, lower):
    """Only vocab.txt, and whether letters are made small. The reference is the tokenizer that transformers makes of it."""
    tokenizer = wordpiece(lower, count=120)
    names = sorted(tokenizer.get_vocab().items(), key=lambda one: one[1])
    with open(os.path.join(path, 'vocab.txt'), 'w', encoding='utf-8', newline='\n') as out:
        out.writelines(name + '\n' for name, _ in names)
    dump(os.path.join(path, 'tokenizer_config.json'), {'do_lower_case': lower, 'tokenizer_class': 'BertTokenizer'})
    expect(path, tokenizer, texts)


def pieces_folder(path, texts, ids_of, decoded, unknown, variants=({},), special=()):
    """Only ids, of a reference without spans. ids_of(text, options): the ids, and how many at their beginning and end are special.
    unknown: the id of unknown pieces, of which each reference makes something else. special: tokens that sentencepiece does not cut out of a text as transformers does; texts with one of them are left out."""
    with lzma.open(os.path.join(path, 'expected.jsonl.xz'), 'wt', preset=9, encoding='utf-8', newline='\n') as out:
        for options in variants:
            for i, text in enumerate(texts[:: 1 if not options else 6]):
                if any(name in text for name in special):
                    continue
                ids, before, after = ids_of(text, options)
                marks = 's' * before + '-' * (len(ids) - before - after) + 's' * after
                line = {'text': i if not options else 6 * i, **options, 'ids': ids, 'marks': marks}
                if i % DECODED_EVERY == 0 and not options and unknown not in ids and '>>' not in text:
                    line['plain'] = decoded(ids)
                out.write(json.dumps(line, ensure_ascii=False, separators=(',', ':')) + '\n')


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


FAMILIES = [bert_uncased, bert_cased, distilbert, roberta, roberta_prefix, bart, gpt2, xlmr, xlmr_converted, t5, mbart, nllb, llama, llama_normalized, rembert,
            albert, unigram_rules, bpe_suffix, bpe_prefix, words, added_wordpiece, added_bytes, added_unigram]
FOLDERS = {'vocab_uncased': lambda path, texts: vocab_folder(path, texts, True),
           'vocab_cased': lambda path, texts: vocab_folder(path, texts, False),
           'xlmr_pieces': xlmr_pieces, 't5_pieces': t5_pieces, 'marian': marian, 'm2m100': m2m100}


def main(folder, wanted):
    os.makedirs(folder, exist_ok=True)
    texts = given.TEXTS + given.ADDED
    dump(os.path.join(folder, 'texts.json'), texts, indent=0)
    for family in FAMILIES:
        name = family.__name__
        if wanted and name not in wanted:
            continue
        path = os.path.join(folder, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        file = os.path.join(path, 'tokenizer.json')
        dump(file, older(json.loads(family().to_str()), name))
        if name in CONFIGS:
            dump(os.path.join(path, 'tokenizer_config.json'), CONFIGS[name])
        # The reference reads the file that is tested.
        expect(path, Tokenizer.from_file(file), texts if name.startswith('added_') else given.TEXTS, LANGUAGES.get(name))
    for name, make in FOLDERS.items():
        if wanted and name not in wanted:
            continue
        path = os.path.join(folder, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        make(path, given.TEXTS)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
