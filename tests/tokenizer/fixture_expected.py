# SPDX-License-Identifier: Apache-2.0
"""What PyPI's tokenizers make of the texts, and the lines of expected.jsonl.xz, which make_fixtures.py describes."""
import json
import lzma
import os

from tokenizers import Tokenizer

import fixture_texts as given
from fixture_families import template

DECODED_EVERY = 3  # the decoded forms are there for every third text


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


def pieces_folder(path, texts, ids_of, decoded, unknown, variants=({},), special=()):
    """Writes expected.jsonl.xz with ids only, those of a reference without spans. ids_of(text, options): the ids, and how many at
    their beginning and end are special. decoded(ids): the text that they decode to. unknown: the id of unknown pieces, which each
    reference decodes to something else. special: tokens that transformers cuts out of a text and sentencepiece does not; texts
    with one of them are left out."""
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
