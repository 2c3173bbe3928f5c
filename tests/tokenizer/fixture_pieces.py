# SPDX-License-Identifier: Apache-2.0
"""Learns the pieces of the small vocabularies from corpus.txt: with sentencepiece's trainer, or as a byte-pair encoding of its own.
fixture_families.py and fixture_folders.py make tokenizers of them."""
import collections
import os
import struct
import tempfile
import unicodedata

import sentencepiece

import fixture_texts as given

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, 'corpus.txt'), encoding='utf-8') as file:
    CORPUS = file.read().split('\n')[:-1] + given.SCRIPTS
OFTEN = collections.Counter(''.join(CORPUS))
# sentencepiece keeps every character: the lines that have no rare one make a small vocabulary.
PLAIN_CORPUS = [line for line in CORPUS if all(OFTEN[char] >= 8 for char in line)]


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
