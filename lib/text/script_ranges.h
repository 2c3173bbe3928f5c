/* SPDX-License-Identifier: Apache-2.0 */
/* Written by tests/tools/script_ranges.py from Scripts-15.0.0.txt of Unicode; not to be edited. */
#ifndef ALCORE__SCRIPT_RANGES_H
#define ALCORE__SCRIPT_RANGES_H

#include <stdint.h>

/* Letters and marks of a script: code points, both included. */
static const struct script_range {
    int32_t first, last;
    uint8_t script;
} script_ranges[] = {
    {0x0041, 0x02E4, 1},     /* Latin */
    {0x0370, 0x03E1, 44},    /* Greek */
    {0x03E2, 0x03EF, 26},    /* Coptic */
    {0x03F0, 0x03FF, 44},    /* Greek */
    {0x0400, 0x052F, 30},    /* Cyrillic */
    {0x0531, 0x0588, 8},     /* Armenian */
    {0x0591, 0x05F2, 51},    /* Hebrew */
    {0x0610, 0x06FF, 7},     /* Arabic */
    {0x0710, 0x074F, 133},   /* Syriac */
    {0x0750, 0x077F, 7},     /* Arabic */
    {0x0780, 0x07B1, 144},   /* Thaana */
    {0x07CA, 0x07FD, 96},    /* Nko */
    {0x0800, 0x082D, 121},   /* Samaritan */
    {0x0840, 0x085B, 76},    /* Mandaic */
    {0x0860, 0x086A, 133},   /* Syriac */
    {0x0870, 0x08FF, 7},     /* Arabic */
    {0x0900, 0x097F, 32},    /* Devanagari */
    {0x0980, 0x09FE, 14},    /* Bengali */
    {0x0A01, 0x0A75, 47},    /* Gurmukhi */
    {0x0A81, 0x0AFF, 45},    /* Gujarati */
    {0x0B01, 0x0B71, 110},   /* Oriya */
    {0x0B82, 0x0BD7, 140},   /* Tamil */
    {0x0C00, 0x0C63, 143},   /* Telugu */
    {0x0C80, 0x0CF3, 57},    /* Kannada */
    {0x0D00, 0x0D7F, 75},    /* Malayalam */
    {0x0D81, 0x0DF3, 127},   /* Sinhala */
    {0x0E01, 0x0E4E, 145},   /* Thai */
    {0x0E81, 0x0EDF, 65},    /* Lao */
    {0x0F00, 0x0FC6, 146},   /* Tibetan */
    {0x1000, 0x109D, 90},    /* Myanmar */
    {0x10A0, 0x10FF, 40},    /* Georgian */
    {0x1100, 0x11FF, 3},     /* Hangul */
    {0x1200, 0x138F, 39},    /* Ethiopic */
    {0x13A0, 0x13FD, 24},    /* Cherokee */
    {0x1401, 0x167F, 19},    /* Canadian Aboriginal */
    {0x1681, 0x169A, 99},    /* Ogham */
    {0x16A0, 0x16F8, 120},   /* Runic */
    {0x1700, 0x171F, 134},   /* Tagalog */
    {0x1720, 0x1734, 49},    /* Hanunoo */
    {0x1740, 0x1753, 18},    /* Buhid */
    {0x1760, 0x1773, 135},   /* Tagbanwa */
    {0x1780, 0x17DD, 62},    /* Khmer */
    {0x180B, 0x18AA, 87},    /* Mongolian */
    {0x18B0, 0x18F5, 19},    /* Canadian Aboriginal */
    {0x1900, 0x193B, 67},    /* Limbu */
    {0x1950, 0x1974, 136},   /* Tai Le */
    {0x1980, 0x19C9, 94},    /* New Tai Lue */
    {0x1A00, 0x1A1B, 17},    /* Buginese */
    {0x1A20, 0x1AA7, 137},   /* Tai Tham */
    {0x1B00, 0x1B73, 10},    /* Balinese */
    {0x1B80, 0x1BBF, 131},   /* Sundanese */
    {0x1BC0, 0x1BF3, 13},    /* Batak */
    {0x1C00, 0x1C4F, 66},    /* Lepcha */
    {0x1C5A, 0x1C7D, 100},   /* Ol Chiki */
    {0x1C80, 0x1C88, 30},    /* Cyrillic */
    {0x1C90, 0x1CBF, 40},    /* Georgian */
    {0x1D00, 0x1D25, 1},     /* Latin */
    {0x1D26, 0x1D2A, 44},    /* Greek */
    {0x1D2B, 0x1D2B, 30},    /* Cyrillic */
    {0x1D2C, 0x1D5C, 1},     /* Latin */
    {0x1D5D, 0x1D61, 44},    /* Greek */
    {0x1D62, 0x1D65, 1},     /* Latin */
    {0x1D66, 0x1D6A, 44},    /* Greek */
    {0x1D6B, 0x1D77, 1},     /* Latin */
    {0x1D78, 0x1D78, 30},    /* Cyrillic */
    {0x1D79, 0x1DBE, 1},     /* Latin */
    {0x1DBF, 0x1DBF, 44},    /* Greek */
    {0x1E00, 0x1EFF, 1},     /* Latin */
    {0x1F00, 0x1FFC, 44},    /* Greek */
    {0x2071, 0x209C, 1},     /* Latin */
    {0x2126, 0x2126, 44},    /* Greek */
    {0x212A, 0x2184, 1},     /* Latin */
    {0x2C00, 0x2C5F, 41},    /* Glagolitic */
    {0x2C60, 0x2C7F, 1},     /* Latin */
    {0x2C80, 0x2CF3, 26},    /* Coptic */
    {0x2D00, 0x2D2D, 40},    /* Georgian */
    {0x2D30, 0x2D7F, 147},   /* Tifinagh */
    {0x2D80, 0x2DDE, 39},    /* Ethiopic */
    {0x2DE0, 0x2DFF, 30},    /* Cyrillic */
    {0x3005, 0x3005, 2},     /* Han */
    {0x302E, 0x302F, 3},     /* Hangul */
    {0x303B, 0x312F, 2},     /* Han */
    {0x3131, 0x318E, 3},     /* Hangul */
    {0x31A0, 0x9FFF, 2},     /* Han */
    {0xA000, 0xA48C, 156},   /* Yi */
    {0xA4D0, 0xA4FD, 70},    /* Lisu */
    {0xA500, 0xA62B, 151},   /* Vai */
    {0xA640, 0xA69F, 30},    /* Cyrillic */
    {0xA6A0, 0xA6F1, 11},    /* Bamum */
    {0xA722, 0xA7FF, 1},     /* Latin */
    {0xA800, 0xA82C, 132},   /* Syloti Nagri */
    {0xA840, 0xA873, 116},   /* Phags Pa */
    {0xA880, 0xA8C5, 122},   /* Saurashtra */
    {0xA8E0, 0xA8FF, 32},    /* Devanagari */
    {0xA90A, 0xA92D, 59},    /* Kayah Li */
    {0xA930, 0xA953, 119},   /* Rejang */
    {0xA960, 0xA97C, 3},     /* Hangul */
    {0xA980, 0xA9C0, 55},    /* Javanese */
    {0xA9E0, 0xA9FE, 90},    /* Myanmar */
    {0xAA00, 0xAA4D, 23},    /* Cham */
    {0xAA60, 0xAA7F, 90},    /* Myanmar */
    {0xAA80, 0xAADD, 138},   /* Tai Viet */
    {0xAAE0, 0xAAF6, 81},    /* Meetei Mayek */
    {0xAB01, 0xAB2E, 39},    /* Ethiopic */
    {0xAB30, 0xAB64, 1},     /* Latin */
    {0xAB65, 0xAB65, 44},    /* Greek */
    {0xAB66, 0xAB69, 1},     /* Latin */
    {0xAB70, 0xABBF, 24},    /* Cherokee */
    {0xABC0, 0xABED, 81},    /* Meetei Mayek */
    {0xAC00, 0xD7FB, 3},     /* Hangul */
    {0xF900, 0xFAD9, 2},     /* Han */
    {0xFB00, 0xFB06, 1},     /* Latin */
    {0xFB13, 0xFB17, 8},     /* Armenian */
    {0xFB1D, 0xFB4F, 51},    /* Hebrew */
    {0xFB50, 0xFDFB, 7},     /* Arabic */
    {0xFE2E, 0xFE2F, 30},    /* Cyrillic */
    {0xFE70, 0xFEFC, 7},     /* Arabic */
    {0xFF21, 0xFF5A, 1},     /* Latin */
    {0xFF66, 0xFF9D, 2},     /* Han */
    {0xFFA0, 0xFFDC, 3},     /* Hangul */
    {0x10000, 0x100FA, 69},  /* Linear B */
    {0x10280, 0x1029C, 71},  /* Lycian */
    {0x102A0, 0x102D0, 20},  /* Carian */
    {0x10300, 0x1032F, 102}, /* Old Italic */
    {0x10330, 0x10349, 42},  /* Gothic */
    {0x10350, 0x1037A, 104}, /* Old Permic */
    {0x10380, 0x1039D, 150}, /* Ugaritic */
    {0x103A0, 0x103CF, 105}, /* Old Persian */
    {0x10400, 0x1044F, 31},  /* Deseret */
    {0x10450, 0x1047F, 124}, /* Shavian */
    {0x10480, 0x1049D, 112}, /* Osmanya */
    {0x104B0, 0x104FB, 111}, /* Osage */
    {0x10500, 0x10527, 37},  /* Elbasan */
    {0x10530, 0x10563, 21},  /* Caucasian Albanian */
    {0x10570, 0x105BC, 152}, /* Vithkuqi */
    {0x10600, 0x10767, 68},  /* Linear A */
    {0x10780, 0x107BA, 1},   /* Latin */
    {0x10800, 0x1083F, 28},  /* Cypriot */
    {0x10840, 0x10855, 52},  /* Imperial Aramaic */
    {0x10860, 0x10876, 114}, /* Palmyrene */
    {0x10880, 0x1089E, 91},  /* Nabataean */
    {0x108E0, 0x108F5, 50},  /* Hatran */
    {0x10900, 0x10915, 117}, /* Phoenician */
    {0x10920, 0x10939, 72},  /* Lydian */
    {0x10980, 0x1099F, 84},  /* Meroitic Hieroglyphs */
    {0x109A0, 0x109BF, 83},  /* Meroitic Cursive */
    {0x10A00, 0x10A3F, 60},  /* Kharoshthi */
    {0x10A60, 0x10A7C, 107}, /* Old South Arabian */
    {0x10A80, 0x10A9C, 103}, /* Old North Arabian */
    {0x10AC0, 0x10AE6, 77},  /* Manichaean */
    {0x10B00, 0x10B35, 9},   /* Avestan */
    {0x10B40, 0x10B55, 54},  /* Inscriptional Parthian */
    {0x10B60, 0x10B72, 53},  /* Inscriptional Pahlavi */
    {0x10B80, 0x10B91, 118}, /* Psalter Pahlavi */
    {0x10C00, 0x10C48, 108}, /* Old Turkic */
    {0x10C80, 0x10CF2, 101}, /* Old Hungarian */
    {0x10D00, 0x10D27, 48},  /* Hanifi Rohingya */
    {0x10E80, 0x10EB1, 155}, /* Yezidi */
    {0x10EFD, 0x10EFF, 7},   /* Arabic */
    {0x10F00, 0x10F27, 106}, /* Old Sogdian */
    {0x10F30, 0x10F50, 128}, /* Sogdian */
    {0x10F70, 0x10F85, 109}, /* Old Uyghur */
    {0x10FB0, 0x10FC4, 25},  /* Chorasmian */
    {0x10FE0, 0x10FF6, 38},  /* Elymaic */
    {0x11000, 0x1107F, 16},  /* Brahmi */
    {0x11080, 0x110C2, 56},  /* Kaithi */
    {0x110D0, 0x110E8, 129}, /* Sora Sompeng */
    {0x11100, 0x11147, 22},  /* Chakma */
    {0x11150, 0x11176, 73},  /* Mahajani */
    {0x11180, 0x111DC, 123}, /* Sharada */
    {0x11200, 0x11241, 63},  /* Khojki */
    {0x11280, 0x112A8, 89},  /* Multani */
    {0x112B0, 0x112EA, 64},  /* Khudawadi */
    {0x11300, 0x11374, 43},  /* Grantha */
    {0x11400, 0x11461, 95},  /* Newa */
    {0x11480, 0x114C7, 148}, /* Tirhuta */
    {0x11580, 0x115DD, 125}, /* Siddham */
    {0x11600, 0x11644, 86},  /* Modi */
    {0x11680, 0x116B8, 139}, /* Takri */
    {0x11700, 0x11746, 5},   /* Ahom */
    {0x11800, 0x1183A, 34},  /* Dogra */
    {0x118A0, 0x118FF, 154}, /* Warang Citi */
    {0x11900, 0x11943, 33},  /* Dives Akuru */
    {0x119A0, 0x119E4, 93},  /* Nandinagari */
    {0x11A00, 0x11A47, 157}, /* Zanabazar Square */
    {0x11A50, 0x11A9D, 130}, /* Soyombo */
    {0x11AB0, 0x11ABF, 19},  /* Canadian Aboriginal */
    {0x11AC0, 0x11AF8, 115}, /* Pau Cin Hau */
    {0x11C00, 0x11C40, 15},  /* Bhaiksuki */
    {0x11C72, 0x11CB6, 78},  /* Marchen */
    {0x11D00, 0x11D47, 79},  /* Masaram Gondi */
    {0x11D60, 0x11D98, 46},  /* Gunjala Gondi */
    {0x11EE0, 0x11EF6, 74},  /* Makasar */
    {0x11F00, 0x11F42, 58},  /* Kawi */
    {0x11FB0, 0x11FB0, 70},  /* Lisu */
    {0x12000, 0x12543, 27},  /* Cuneiform */
    {0x12F90, 0x12FF0, 29},  /* Cypro Minoan */
    {0x13000, 0x13455, 36},  /* Egyptian Hieroglyphs */
    {0x14400, 0x14646, 6},   /* Anatolian Hieroglyphs */
    {0x16800, 0x16A38, 11},  /* Bamum */
    {0x16A40, 0x16A5E, 88},  /* Mro */
    {0x16A70, 0x16ABE, 141}, /* Tangsa */
    {0x16AD0, 0x16AF4, 12},  /* Bassa Vah */
    {0x16B00, 0x16B8F, 113}, /* Pahawh Hmong */
    {0x16E40, 0x16E7F, 80},  /* Medefaidrin */
    {0x16F00, 0x16F9F, 85},  /* Miao */
    {0x16FE0, 0x16FE0, 142}, /* Tangut */
    {0x16FE1, 0x16FE1, 97},  /* Nushu */
    {0x16FE3, 0x16FE3, 2},   /* Han */
    {0x16FE4, 0x16FE4, 61},  /* Khitan Small Script */
    {0x16FF0, 0x16FF1, 2},   /* Han */
    {0x17000, 0x18AFF, 142}, /* Tangut */
    {0x18B00, 0x18CD5, 61},  /* Khitan Small Script */
    {0x18D00, 0x18D08, 142}, /* Tangut */
    {0x1AFF0, 0x1B167, 2},   /* Han */
    {0x1B170, 0x1B2FB, 97},  /* Nushu */
    {0x1BC00, 0x1BC9E, 35},  /* Duployan */
    {0x1D242, 0x1D244, 44},  /* Greek */
    {0x1DA00, 0x1DAAF, 126}, /* SignWriting */
    {0x1DF00, 0x1DF2A, 1},   /* Latin */
    {0x1E000, 0x1E02A, 41},  /* Glagolitic */
    {0x1E030, 0x1E08F, 30},  /* Cyrillic */
    {0x1E100, 0x1E14E, 98},  /* Nyiakeng Puachue Hmong */
    {0x1E290, 0x1E2AE, 149}, /* Toto */
    {0x1E2C0, 0x1E2EF, 153}, /* Wancho */
    {0x1E4D0, 0x1E4EF, 92},  /* Nag Mundari */
    {0x1E7E0, 0x1E7FE, 39},  /* Ethiopic */
    {0x1E800, 0x1E8D6, 82},  /* Mende Kikakui */
    {0x1E900, 0x1E94B, 4},   /* Adlam */
    {0x1EE00, 0x1EEBB, 7},   /* Arabic */
    {0x20000, 0x323AF, 2},   /* Han */
};

#endif
