# SPDX-License-Identifier: Apache-2.0
"""What transformers computes with a language model, for test_language_peer.py; run by an interpreter that has it.

    language_peer.py JOB.json FOLDER ...

JOB: {"texts", "prompt" with {text}, "labels"}. The file peer.json of each folder then has, a list with an entry for each text: "text_logprobs", those of its tokens behind
the token that begins it; "probs", P(label | prompt) of each label by the log-probabilities of its tokens; "embeddings", the mean of
the last hidden states of the text; "own", ids and log-probabilities of what generate() writes greedily behind the prompt; "chat", the
probabilities of the labels where the prompt is a turn behind the system turn JOB["system"], by apply_chat_template(); "back", the
log-probabilities of the text's tokens and the end as a target behind the prompt around what was written."""
import json
import os
import sys

import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

with open(sys.argv[1], encoding="utf-8") as file:
    JOB = json.load(file)


class Peer:
    """A model with its tokenizer."""

    def __init__(self, folder):
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        with open(os.path.join(folder, "tokenizer_config.json"), encoding="utf-8") as file:
            config = json.load(file)
        self.tokenizer = PreTrainedTokenizerFast(tokenizer_file=os.path.join(folder, "tokenizer.json"), **{
            name: config[name] for name in ("bos_token", "eos_token", "chat_template")})
        ends = self.model.generation_config.eos_token_id
        self.end = ends[0] if isinstance(ends, list) else ends

    def ids(self, text, special=True):
        return self.tokenizer(text, add_special_tokens=special)["input_ids"]

    def behind(self, source, target):
        """log p of each id of target, given source and those before it."""
        values = self.model(input_ids=torch.tensor([source + target])).logits[0].log_softmax(-1)
        return [values[len(source) + i - 1, token].item() for i, token in enumerate(target)]

    def around(self, text):
        return self.ids(JOB["prompt"].replace("{text}", text))

    def turns(self, text):
        messages = [{"role": "system", "content": JOB["system"]}, {"role": "user", "content": JOB["prompt"].replace("{text}", text)}]
        return self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False)

    def probs(self, prompt):
        sums = [sum(self.behind(prompt, self.ids(label, False))) for label in JOB["labels"]]
        return torch.tensor(sums, dtype=torch.float64).softmax(0).tolist()

    def written(self, prompt):
        done = self.model.generate(torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt)), do_sample=False, num_beams=1)
        return done[0, len(prompt):].tolist()

    def mean(self, tokens):
        return self.model(input_ids=torch.tensor([tokens]), output_hidden_states=True).hidden_states[-1][0].mean(0).tolist()

    def answers(self):
        found = {"text_logprobs": [], "probs": [], "embeddings": [], "own": [], "chat": [], "back": []}
        for text in JOB["texts"]:
            tokens, prompt = self.ids(text), self.around(text)
            output = self.written(prompt)
            found["text_logprobs"].append(self.behind(tokens[:1], tokens[1:]))
            found["embeddings"].append(self.mean(tokens))
            found["probs"].append(self.probs(prompt))
            found["chat"].append(self.probs(self.turns(text)))
            found["own"].append({"ids": output, "logprobs": self.behind(prompt, output)})
            back = self.around(self.tokenizer.decode([token for token in output if token != self.end], skip_special_tokens=True))
            found["back"].append(self.behind(back, self.ids(text, False) + [self.end]))
        return found


torch.set_num_threads(1)
for path in sys.argv[2:]:
    with torch.no_grad():
        answered = Peer(path).answers()
    with open(os.path.join(path, "peer.json"), "w", encoding="utf-8") as file:
        json.dump(answered, file)
