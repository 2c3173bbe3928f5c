#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# model2vec 0.10.0 and sentence-transformers 6.2.0 give different vectors for one folder that both read.
#
# StaticModel.save_pretrained() writes modules.json, so that SentenceTransformer(folder) opens the model. model2vec leaves unknown
# tokens out of the mean; sentence-transformers counts them, with whatever row the table has for them. Expected: one folder, one
# embedding. Seen: for "word unknown", of which the second word is in no vocabulary, the vector of "word" in one package and the mean
# with the row of [UNK] in the other.
. "$(dirname "$0")/venv.sh"
venv model2vec==0.10.0 sentence-transformers==6.2.0
"$python" - <<'PYTHON'
import tempfile

import numpy
from model2vec import StaticModel
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, models, pre_tokenizers

tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "word": 1}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
table = numpy.array([[0, 8], [2, 0]], dtype=numpy.float32)
with tempfile.TemporaryDirectory() as folder:
    StaticModel(table, tokenizer).save_pretrained(folder)
    one = StaticModel.from_pretrained(folder).encode(["word unknown"])[0]
    other = SentenceTransformer(folder, device="cpu").encode(["word unknown"])[0]
print("model2vec", one, "sentence-transformers", other)
assert one.tolist() == [2, 0] and other.tolist() == [1, 4]
PYTHON
