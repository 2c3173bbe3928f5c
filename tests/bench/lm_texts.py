#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts for bench_lm_peer.py from corpora of sentence pairs (.tsv.xz with a header, the pair in columns 4 and 5): every
different text of either side, those whose CRC-32 is a multiple of 20 for QUERY, the others for TRAIN, in the order of the files.

  lm_texts.py TRAIN.txt QUERY.txt CORPUS.tsv.xz..."""
import lzma
import sys
import zlib

seen = set()
with open(sys.argv[1], 'w', encoding='utf-8') as train, open(sys.argv[2], 'w', encoding='utf-8') as query:
    for path in sys.argv[3:]:
        with lzma.open(path, 'rt', encoding='utf-8') as file:
            next(file)
            for line in file:
                for text in map(str.strip, line.rstrip('\n').split('\t')[3:5]):
                    if text and text not in seen:
                        seen.add(text)
                        (train if zlib.crc32(text.encode()) % 20 else query).write(text + '\n')
