# SPDX-License-Identifier: Apache-2.0
"""What transformers computes with a language model, for test_language_peer.py; run by an interpreter that has it.

    language_peer.py JOB.json FOLDER ...

JOB: {"texts", "prompt" with {text}, "labels"}. The file peer.json of each folder then has, a list with an entry for each text: "text_logprobs", those of its tokens behind
the token that begins it; "probs", P(label | prompt) of each label by the log-probabilities of its tokens; "embeddings", the mean of
the last hidden states of the text; "own", ids and log-probabilities of what generate() writes greedily behind the prompt; "chat", the
probabilities of the labels where the prompt is a turn behind the system turn JOB["system"], by apply_chat_template(); "back", the
log-probabilities of the text's tokens and the end as a target behind the prompt around what was written.

With "most" in JOB texts lose words from their end until the prompt has room for the longest label in so many tokens ("probs" and
"chat"), or, where it does not fit alone, for a quarter of them as output ("own"). With "targets" in JOB the file has "turns" alone: of
each text and its target, the log-probabilities of what apply_chat_template() writes for the answer, up to its end, JOB["end"]."""
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

    def shortened(self, text, made, most, least):
        """The text with which what `made` makes has at most `most` tokens, or else `least`."""
        words = text.split()
        while len(made(" ".join(words))) > (most if len(words) == len(text.split()) else least):
            words.pop()
        return " ".join(words)

    def answer(self, text, target):
        begun = self.turns(text)
        whole = self.tokenizer.apply_chat_template(self.messages(text) + [{"role": "assistant", "content": target}], tokenize=True, return_dict=False)
        assert whole[:len(begun)] == begun, (whole, begun)
        end = whole.index(self.ids(JOB["end"], False)[0], len(begun))
        return self.behind(begun, whole[len(begun):end + 1])

    def messages(self, text):
        return [{"role": "system", "content": JOB["system"]}, {"role": "user", "content": JOB["prompt"].replace("{text}", text)}]

    def turns(self, text):
        return self.tokenizer.apply_chat_template(self.messages(text), add_generation_prompt=True, tokenize=True, return_dict=False)

    def probs(self, prompt):
        sums = [sum(self.behind(prompt, self.ids(label, False))) for label in JOB["labels"]]
        return torch.tensor(sums, dtype=torch.float64).softmax(0).tolist()

    def written(self, prompt):
        done = self.model.generate(torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt)), do_sample=False, num_beams=1)
        return done[0, len(prompt):].tolist()

    def mean(self, tokens):
        return self.model(input_ids=torch.tensor([tokens]), output_hidden_states=True).hidden_states[-1][0].mean(0).tolist()

    def cut(self, text):
        """The text as it is read around for labels, in a chat and alone, and for outputs."""
        most = JOB.get("most", 10 ** 9)
        labeled = most - max(len(self.ids(label, False)) for label in JOB["labels"])
        return [self.shortened(text, made, fits, left) for made, fits, left in (
            (self.turns, labeled, labeled), (self.around, labeled, labeled), (self.around, most, most - most // 4))]

    def answers(self):
        if "targets" in JOB:
            return {"turns": [self.answer(*pair) for pair in zip(JOB["texts"], JOB["targets"])]}
        found = {"text_logprobs": [], "probs": [], "embeddings": [], "own": [], "chat": [], "back": []}
        for text in JOB["texts"]:
            turned, alone, continued = self.cut(text)
            tokens, prompt = self.ids(text), self.around(continued)
            output = self.written(prompt)
            found["text_logprobs"].append(self.behind(tokens[:1], tokens[1:]))
            found["embeddings"].append(self.mean(tokens))
            found["probs"].append(self.probs(self.around(alone)))
            found["chat"].append(self.probs(self.turns(turned)))
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
