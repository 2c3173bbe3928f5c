#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Language models that embed, as sentence-transformers saves them: Qwen3-Embedding's chain and EmbeddingGemma's give the vectors of its
encode(), with and without prompts, whichever side the package pads (tests/engines/current/make_embedders.py). In TAP.
usage: test_embedders.py ROOT BUILD"""
import os
import sys

ROOT, BUILD = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, "tests", name) for name in ("tools", "torch")] + [os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
from embedding_folders import changed, furthest, texts_of, wanted  # noqa: E402
from tap import Tap  # noqa: E402

FOLDERS = os.path.join(ROOT, "tests", "torch", "embedders")
SIDES, PROMPTS = ("left", "right"), ("none", "query", "document")


def vectors_are_those_of_encode(box):
    for name in ("qwen3", "gemma3"):
        folder = os.path.join(FOLDERS, name)
        expected, texts = wanted(folder), texts_of(folder)
        assert sorted(expected) == sorted("%s.%s" % (side, prompt) for side in SIDES for prompt in PROMPTS)
        for side in SIDES:
            path = changed(box, folder, "tokenizer_config.json", padding_side=side)
            for prompt in PROMPTS:
                settings = {} if prompt == "none" else {"prompt_name": prompt}
                worst = furthest(path, expected["%s.%s" % (side, prompt)], texts, **settings)
                assert worst <= 1e-5, "%s, %s, %s: the largest difference is %g" % (name, side, prompt, worst)


def other_poolings_and_masks_are_far_off(box):
    """So that the vectors above are those of the pooling, of the mask and of the Dense modules."""
    for name, file, members in (("qwen3", "1_Pooling/config.json", {"pooling_mode": "mean"}),
                                ("gemma3", "1_Pooling/config.json", {"pooling_mode": "lasttoken"}),
                                ("gemma3", "config.json", {"use_bidirectional_attention": False}),
                                ("gemma3", "3_Dense/config.json", {"activation_function": "torch.nn.modules.activation.Tanh"})):
        folder = os.path.join(FOLDERS, name)
        worst = furthest(changed(box, folder, file, **members), wanted(folder)["left.none"], texts_of(folder))
        assert worst > 0.01, "%s, %s: the largest difference is %g" % (name, members, worst)


def main():
    tap = Tap()
    tap.run([vectors_are_those_of_encode, other_poolings_and_masks_are_far_off])
    tap.finish()


main()
