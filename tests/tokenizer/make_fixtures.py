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
import json
import os
import shutil
import sys

os.environ['TOKENIZERS_PARALLELISM'] = 'false'

from tokenizers import Tokenizer  # noqa: E402

import fixture_texts as given  # noqa: E402
from fixture_expected import LANGUAGES, expect  # noqa: E402
from fixture_families import CONFIGS, FAMILIES, older  # noqa: E402
from fixture_folders import FOLDERS, dump  # noqa: E402


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
