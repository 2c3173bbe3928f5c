#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What four updates with PyTorch's AdamW make of the losses of question answering over windows of long contexts.

    make_answer_training.py FOLDER

reads FOLDER/FAMILY-tokenizer.json and the models of make_fixtures.py, and writes FOLDER/training.json: rows (question, context, answer
and the character at which it begins), the settings, and for each family the losses before each update and how many windows have the
answer of their row.

Windows are labeled as run_qa.py of transformers does: a window without the whole answer has the label 0, its first token ([CLS], <s>).
The loss of a window is the mean of two cross-entropies, of the first and the last token of the answer, over its first token and the
tokens of the context: the tokens of the question, which run_qa.py has in its cross-entropies too, can be no answer. The loss of an update
is the mean over all windows. Dropout is off.

Made with torch 2.11.0, transformers 5.23.0 and tokenizers 0.23.3 from PyPI."""
import json
import os
import sys

import torch
import transformers as hf
from tokenizers import Tokenizer

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
HOW = {"rate": 1e-2, "weight_decay": 0.1, "clip": 0.7, "updates": 4}
WINDOW, STRIDE = 20, 4


def rows():
    """A context of three windows whose answer is in the second one alone, one of one window, and one whose answer is cut by the end
    of the first window, so that the second one alone has it whole."""
    words = lambda first, count: ["w%d" % (5 + (first + 7 * k) % 54) for k in range(count)]
    out = []
    for question, context, first, last in ((["w6", "w7"], words(0, 34), 17, 18), (["w8"], words(3, 9), 4, 4),
                                           (["w9", "w10"], words(5, 24), 14, 16)):
        start = sum(len(word) + 1 for word in context[:first])
        out.append((" ".join(question), " ".join(context), " ".join(context[first:last + 1]), start))
    return out


def windows_of(family, tokenizer):
    """(ids, types, kept, first, last) of each window: kept are its first token and those of the context, first and last are places
    among them."""
    fast, out = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer), []
    for question, context, answer, start in rows():
        found = fast(question, context, truncation="only_second", max_length=WINDOW, stride=STRIDE, return_overflowing_tokens=True,
                     return_token_type_ids=True, return_offsets_mapping=True)
        for w, ids in enumerate(found["input_ids"]):
            parts, spans = found.encodings[w].sequence_ids, found["offset_mapping"][w]
            kept = [0] + [k for k, part in enumerate(parts) if part == 1]
            inside = [k for k in kept[1:] if spans[k][0] < start + len(answer) and spans[k][1] > start]
            whole = inside and spans[inside[0]][0] <= start and spans[inside[-1]][1] >= start + len(answer)
            first, last = (kept.index(inside[0]), kept.index(inside[-1])) if whole else (0, 0)
            out.append((ids, found["token_type_ids"][w] if family == "bert" else None, kept, first, last))
    return out


def train(family, folder):
    tokenizer = Tokenizer.from_file(os.path.join(folder, family + "-tokenizer.json"))
    model = hf.AutoModelForQuestionAnswering.from_pretrained(os.path.join(FIXTURES, family + "-qa")).eval()
    windows, losses = windows_of(family, tokenizer), []
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW([{"params": [p for p in parameters if p.ndim > 1], "weight_decay": HOW["weight_decay"]},
                                   {"params": [p for p in parameters if p.ndim < 2], "weight_decay": 0.0}], lr=HOW["rate"], eps=1e-8)
    for _ in range(HOW["updates"]):
        total = 0
        for ids, types, kept, first, last in windows:
            arguments = {"input_ids": torch.tensor([ids])}
            if types:
                arguments["token_type_ids"] = torch.tensor([types])
            out = model(**arguments)
            total = total - (out.start_logits[0][kept].log_softmax(0)[first] + out.end_logits[0][kept].log_softmax(0)[last]) / 2
        loss = total / len(windows)
        losses.append(round(loss.item(), 7))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, HOW["clip"])
        optimizer.step()
    return {"losses": losses, "windows": len(windows), "with_answer": sum(first > 0 for _, _, _, first, _ in windows)}


if __name__ == "__main__":
    made = {family: train(family, sys.argv[1]) for family in ("bert", "xlmroberta")}
    with open(os.path.join(sys.argv[1], "training.json"), "w", encoding="utf-8") as file:
        json.dump({"rows": rows(), "how": HOW, "max_tokens": WINDOW, "stride": STRIDE, "families": made}, file, indent=1)
        file.write("\n")
    print(made)
