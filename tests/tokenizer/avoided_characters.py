# SPDX-License-Identifier: Apache-2.0
"""Characters that generated lines leave out, because the library (utf8proc, of one version of Unicode) and the package tokenizers
(tables of several) know them differently. docs/tokenizers.md tells users of it. Found by asking both for every character.

UTF8PROC is 15.0 in Debian 12; another version has other newer characters, so that a failure with one of these ranges' neighbors is
likely none."""
import unicodedata

# Added or changed after Unicode 10, of which the package's normal forms are: decompositions and
# combining classes.
NORMAL_FORMS = '''7FD 898-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1ACE 1DF6-1DFA 32FF A7F1-A7F4 A82C AB69 10781-107BA 10D24-10D27
    10EAB-10EAC 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 1133B 1145E 11839-1183A 11930-11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97
    11F41-11F42 16FF0-16FF1 1E030-1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1F16C 1FBF0-1FBF9'''
# Letters, marks, numbers and punctuation of Unicode 15.1 to 17, which the package's regular
# expressions, its lowercasing and its clusters of graphemes (1ACF-1AEB) know.
NEWER = '''897 1ACF-1AEB 1B4E-1B4F 1B7F 1C89-1C8A A7CB-A7CF A7D2-A7D5 A7DA-A7DC A7F1 105C0-105F3 10D40-10D85 10EC2-10EC7 10EFA-10EFC 11380-113E2 116D0-116E3 11BC0-11BE1
    11BF0-11BF9 11DB0-11DE9 11F5A 13460-143FA 16100-16139 16D40-16D79 16EA0-16ED3 16FF2-16FF6 18CFF 18D1E 1CCD6-1CCF9 1E5D0-1E5FF 1E6C0-1E6FF
    2EBF0-2EE5D 323B0-33479'''
# Marks that NFD sorts and BertNormalizer leaves, as they are newer than Unicode 8; or spacing,
# below. After BertNormalizer their spans are their own here, and those of their places there.
SORTED = '8D4-8E1 1DFB 11442 11446 1E000-1E02A 1E944-1E94A'

AVOIDED = {char for char in map(chr, range(0x110000)) if unicodedata.combining(char) and unicodedata.category(char) != 'Mn'}
for part in (NORMAL_FORMS + ' ' + NEWER + ' ' + SORTED).split():
    first, _, last = part.partition('-')
    AVOIDED.update(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
