# SPDX-License-Identifier: Apache-2.0
"""The texts on which make_fixtures.py and compare.py run every tokenizer: each is there for one rule that a tokenizer may
get wrong. Code points that an editor would hide are written as escapes."""

SCRIPTS = [
    'The quick brown fox jumps over the lazy dog.',
    "Don't worry, it's John's; they've said we'll, I'd and I'm. DON'T! ’s",
    'Größenmaßstab: Äpfel, Öl und Übermut — „Straße“',
    'Ça va très bien, garçon ; où est l’œuf naïf ?',
    'Żółć gęślą jaźń. Příliš žluťoučký kůň',
    'Đây là một câu tiếng Việt có nhiều dấu.',
    'İstanbul ve ışık, IĞDIR ığdır',
    'Съешь ещё этих мягких французских булок, да выпей чаю.',
    'Ὀλίγον ἔτι καὶ οὐκέτι· ΟΔΥΣΣΕΥΣ Οδυσσεύς',
    'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία',
    'שָׁלוֹם עולם, מה שלומך?',
    'السَّلامُ عَلَيْكُم، كيف حالك؟ ٣٫١٤',
    'یہ اردو کا ایک جملہ ہے۔',
    'فارسی را با نیم\u200cفاصله می\u200cنویسند',
    'मैं हिन्दी में लिख रहा हूँ। क्षत्रिय १२३',
    'আমি বাংলায় গান গাই।',
    'நான் தமிழில் எழுதுகிறேன்.',
    'నేను తెలుగులో వ్రాస్తున్నాను',
    'ผมกินข้าวแล้ว ๑๒๓ ทำไมไม่มา',
    'བོད་ཡིག་གི་ཚིག་གྲུབ།',
    'ကျွန်တော် မြန်မာလို ရေးတယ်။',
    'ខ្ញុំសរសេរជាភាសាខ្មែរ',
    'მე ქართულად ვწერ ᲥᲐᲠᲗᲣᲚᲘ',
    'Ես գրում եմ հայերեն։',
    'እኔ በአማርኛ እጽፋለሁ።',
    '今天天气很好,我们去公园吧。',
    '吾輩は猫である。カタカナとひらがな、ﾊﾝｶｸ。',
    '나는 한국어로 글을 쓴다.',
    'ᏣᎳᎩ ꭰꭱ ⵜⴰⵎⴰⵣⵉⵖⵜ',
    '𐐀𐐨 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛 𒀀 𓀀',
    'mixed 中文 and English и русский עברית 한국어 once',
]

UNICODE = [
    'e\u0301te\u0301 vs été',
    'q\u0307\u0323 Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031ea\u0349lgo',
    '\u0301starts with a mark \u0301',
    'A\u030a Å Å ½ ² № ™ ℃',
    'ﬁne ﬂow oﬃce ﬆ ﷺ ﻻ',
    'ＦＵＬＬ　ｗｉｄｔｈ １２３！？',
    '\u1100\u1161\u11a8 \u1112\u1161\u11ab\u1100\u116e\u11a8 각 ㄱㅏ',
    '가\u11a8 \uac00\u11a7',
    '👍🏽 ok 👨\u200d👩\u200d👧\u200d👦 🇩🇪🇫🇷 🏴\u200d☠\ufe0f ❤\ufe0f',
    '😀😀😀 😀',
    'a\u200bb\u200cc\u200dd\u2060e\ufefff',
    '\ufeffstarts with a mark of byte order',
    'soft\u00adhyphen',
    'nbsp\u00a0between\u202fnarrow\u2007figure\u3000wide',
    'em\u2003en\u2002thin\u2009hair\u200aogham\u1680x',
    'line\u2028separator\u2029paragraph\u0085next',
    'tab\tseparated\tvalues',
    'line one\nline two\r\nline three\rfour',
    'vertical\x0btab form\x0cfeed',
    'bell\x07 escape\x1b delete\x7f c1\x80\x9f end',
    'nul\x00inside',
    '\x00',
    '\x01\x02\x03',
    'replacement \ufffd sign\ufffd',
    '\ufffd',
    '\u200e left-to-right \u200f right \u202aembed\u202c \u2066iso\u2069',
    '\u200f\u200f',
    'unassigned \u0378 \u0530 \U000e0fff x',
    'private \ue000 \U000f0000 \U0010fffd',
    'not characters \ufffe \uffff \U0001ffff',
    'new in 15 and 16: \U0001e4d0 \U0001fae8 \U00010d40',
    '\U00020000\U0002a6d6\U0002b740\U0002b920\U0002ceaf\U0002ceb0\U00030000',
    '㐀䶿一鿿豈\uf900\U0002f800々〆',
    '「引用」・。、〜！（全角）',
    '\u0600\u06dd٠١٢ ५ ௫ Ⅷ ⅷ ① ¼',
    'ǅ ǆ Ǆ ß ẞ ŉ ΐ ﬀ İ',
    'ς Σ σ ΑΣ ΑΣΑ',
    '\u0b95\u0bcd\u0bb7 \u0995\u09cd\u09b7 \u0e33 \u0eb3 \u0f77',
    '\u1e9b\u0323 \u0344 \u0958 \u2126 \u212b',
    '\u3131\uffa1 \u32d0 \u3300 \u33a1',
    'x\u0338 = \u2260 \u226e < \u0338',
    'a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309 b',
    '\u180e\u2800\u115f\u3164\uffa0',
    '\U000e0061\U000e007f tag 🏴\U000e0067\U000e0062\U000e007f',
    '\u0345\u03b1\u0345 \u1fb3 \u1f80',
]

SPACES = [
    '', ' ', '  ', '   ', '\t', '\n', '\u00a0', '\u3000', '\u200b',
    ' leading', 'trailing ', '  two leading', 'two trailing  ', ' both ', '  a  b   c    d  ',
    'a \n b', 'a\n\nb', '\n\na', 'a\n\n', ' \n ', 'a\t\tb', '\u00a0a\u00a0', '\u3000a\u3000b',
    'a  \u00a0b', ' .', '. ', ' a .b ',
]

LETTERS_AND_NUMBERS = [
    'a', 'A', 'é', '中', '.', '0', '😀', '▁', '▁▁', 'a▁b', ' ▁ ', '▁a', '##a', 'Ġa', '<0x41>', '<0xE4>',
    '1234567890', '3.14159 1,000,000 1e-9 0x1F', '10.000,50 € 5% $3.00 #1', '١٢٣٤٥', '2026-11-22T18:45:00Z',
    'http://example.org/a?b=c&d=%20#e', 'user.name+tag@mail.example.com', 'C++ and C# vs. .NET',
    'snake_case camelCase SCREAMING_CASE kebab-case', "'''\"\"\"```", "`` quoted ''", '...---***___', '!?!?!?', '()[]{}<>',
    '^~$+=|<>', '°±²³µ¶·¸¹º»¼½¾¿', '«»‹›„“”‚‘’', '–—―‐‑', '…‥․', 'a.b.c. U.S.A.', 'e.g., i.e.; etc.',
    'x' * 99, 'y' * 100, 'z' * 101, 'ab' * 11 + ' after a long word', '中' * 13, 'é' * 11 + '-' + 'e\u0301' * 11,
    'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
    'aaaaaaaaaaaaaaaaaaaaaaaa', 'abababababababab', 'the theta then these', 'unbelievably internationalization',
    'thethethethe', 'THE THE the The',
]

SPECIAL = [
    '[CLS]', '[MASK]', 'a [MASK] b', 'a[MASK]b', ' [MASK] ', '[mask] [ MASK ]', '[SEP][SEP]', '[UNK] x [PAD]',
    '<s>', '</s>', '<s>中</s>é<s> 中', '<mask>', 'a <mask> b', 'a<mask>b', '  <mask>  ', '<mask><mask>', '< mask >', '<MASK>', '<pad><unk>',
    '<extra_id_0> and <extra_id_1>', 'a<extra_id_0>b', '<|endoftext|>', 'one<|endoftext|>two', ' <|endoftext|> ',
    'en_XX de_DE text', 'eng_Latn deu_Latn text', '__de__ text', '>>deu<< text', 'text >>deu<< text', '>>deu<<text', '>>xyz<< text', '>>',
]

# What the added tokens of the folders added-* are met by: see ADDED in fixture_families.py.
ADDED = [
    '[L] [R] [B] [W] [N] [P]', 'x [L] y', 'x  [L]  y', 'x[L]y', 'x [R] y', 'x  [R]  y', 'x[R]y', 'x \t[B]\n y', '[B][B]', ' [B] [B] ',
    'word', 'a word b', 'awordb', 'word.', '.word', 'word word', 'wordword', 'word_word', '1word', 'word é', 'éword', '中word中', 'Word WORD',
    'Café', 'cafe\u0301', 'CAFE\u0301', 'un café noir', 'xCAFÉx', 'Strasse STRASSE', 'new york', 'New York City', 'NEW\u00a0YORK', 'new  york',
    'abc abcd abcde', 'abcdef', 'abab ab', 'ＡＢＣ', '中文字', '我中文字你', ' special ', 'xspecialy',
]

TEXTS = SCRIPTS + UNICODE + SPACES + LETTERS_AND_NUMBERS + SPECIAL

# Positions in TEXTS: what is encoded as a pair, and what is cut to how many tokens.
PAIRS = [('The quick brown fox jumps over the lazy dog.', 'a'), ('a', '今天天气很好,我们去公园吧。'), ('', 'a'), ('a', ''), ('', ''), (' both ', ' both '),
         ('나는 한국어로 글을 쓴다.', '😀😀😀 😀'), ('a [MASK] b', 'a <mask> b'), ('e\u0301te\u0301 vs été', 'ＦＵＬＬ　ｗｉｄｔｈ １２３！？'),
         ('السَّلامُ عَلَيْكُم، كيف حالك؟ ٣٫١٤', 'Don\'t worry, it\'s John\'s; they\'ve said we\'ll, I\'d and I\'m. DON\'T! ’s')]
CUTS = [(text, length) for text in ('The quick brown fox jumps over the lazy dog.', 'ผมกินข้าวแล้ว ๑๒๓ ทำไมไม่มา', 'a', 'a [MASK] b', ' both ')
        for length in (3, 4, 5, 8, 64)]
# The first texts are short enough that the second one alone is cut.
PAIR_CUTS = [('a', 'The quick brown fox jumps over the lazy dog.', 12), ('a', 'The quick brown fox jumps over the lazy dog.', 9),
             ('.', '今天天气很好,我们去公园吧。', 10), ('a', 'a', 64)]
