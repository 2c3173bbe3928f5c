# SPDX-License-Identifier: Apache-2.0
"""Every family of tokenizers that has a tokenizer.json. A function makes the tokenizer and has the name of the family's folder."""
import collections

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from fixture_pieces import CORPUS, learn_merges, merged_tokens, merges_of, unigram_pieces

BERT_SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
ROBERTA_SPECIAL = ['<s>', '<pad>', '</s>', '<unk>']
MBART_LANGUAGES = ['ar_AR', 'de_DE', 'en_XX', 'fr_XX', 'hi_IN', 'zh_CN']
NLLB_LANGUAGES = ['eng_Latn', 'deu_Latn', 'zho_Hans', 'hin_Deva']


# ---- parts of tokenizers ----

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


def split_bytes(pattern, special, normalizer=None, count=260, **more):
    """Byte-level BPE behind a pattern of its own."""
    tokenizer = Tokenizer(models.BPE())
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), behavior='isolated', invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=more.pop('trim_offsets', True), use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    _, merges = learn_merges(tokenizer, count, 256)
    tokenizer.model = bpe(sorted(pre_tokenizers.ByteLevel.alphabet()) + merged_tokens(merges) + special, merges, **more)
    special_tokens(tokenizer, special)
    return tokenizer


def llama3():
    """As Llama 3 has it: words that the vocabulary knows are not put together by merges."""
    tokenizer = split_bytes(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
                            ['<|begin_of_text|>', '<|end_of_text|>'], ignore_merges=True)
    start = tokenizer.token_to_id('<|begin_of_text|>')
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
            single='<|begin_of_text|> $A', pair='<|begin_of_text|> $A <|begin_of_text|>:1 $B:1', special_tokens=[('<|begin_of_text|>', start)])])
    return tokenizer


def qwen():
    """As Qwen2 and Qwen3 have it; Qwen3-Embedding ends a text."""
    tokenizer = split_bytes(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
                            ['<|endoftext|>', '<|im_start|>', '<|im_end|>'], normalizers.NFC(), trim_offsets=False)
    end = tokenizer.token_to_id('<|endoftext|>')
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False), processors.TemplateProcessing(
            single='$A <|endoftext|>', pair='$A <|endoftext|> $B:1 <|endoftext|>:1', special_tokens=[('<|endoftext|>', end)])])
    return tokenizer


def gemma():
    """As Gemma has it: spaces become marks in the whole text, and none is put before it."""
    pieces = llama_pieces()
    tokenizer = Tokenizer(bpe([name for name, _ in pieces], merges_of(pieces), unk_token='<unk>', fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(' ', '▁')
    tokenizer.pre_tokenizer = pre_tokenizers.Split(' ', behavior='merged_with_previous', invert=False)
    tokenizer.decoder = decoders.Sequence([decoders.Replace('▁', ' '), decoders.ByteFallback(), decoders.Fuse()])
    special_tokens(tokenizer, ['<unk>', '<s>', '</s>'])
    template(tokenizer, '<s>:0 $A:0', '<s>:0 $A:0 <s>:1 $B:1')
    return tokenizer


def modernbert():
    """As ModernBERT has it: the pattern of GPT-2 behind NFC, and runs of spaces that are tokens of their own."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)
    _, merges = learn_merges(tokenizer, 260, 256)
    tokenizer.model = bpe(sorted(pre_tokenizers.ByteLevel.alphabet()) + merged_tokens(merges), merges)
    tokenizer.add_tokens([AddedToken(' ' * count, normalized=True) for count in range(24, 1, -1)])
    special_tokens(tokenizer, ['[UNK]', '[CLS]', '[SEP]', '[PAD]'])
    special_tokens(tokenizer, ['[MASK]'], lstrip=True)
    template(tokenizer, '[CLS]:0 $A:0 [SEP]:0', '[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1')
    return tokenizer


def mmbert():
    """As mmBERT has it: the vocabulary of Gemma with both ends, and runs of spaces, lines and tabs that are tokens of their own."""
    tokenizer = gemma()
    tokenizer.add_tokens([AddedToken(mark * count, normalized=False) for mark in ('\n', '▁', '\t') for count in range(1 + (mark != '\t'), 8)])
    special_tokens(tokenizer, ['<mask>'], lstrip=True)
    template(tokenizer, '<s>:0 $A:0 </s>:0', '<s>:0 $A:0 </s>:0 <s>:1 $B:1 </s>:1')
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


FAMILIES = [bert_uncased, bert_cased, distilbert, roberta, roberta_prefix, bart, gpt2, xlmr, xlmr_converted, t5, mbart, nllb, llama, llama_normalized, llama3, qwen, gemma, modernbert, mmbert, rembert,
            albert, unigram_rules, bpe_suffix, bpe_prefix, words, added_wordpiece, added_bytes, added_unigram]


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
