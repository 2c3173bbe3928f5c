#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PyPI's transformers makes of the templates of this folder: NAME.CASE.txt for each conversation. Made with transformers 5.23.0.

    make_chat.py [FOLDER FOR THE RESULT]

The templates are written for these tests, in the manner of those of the models after which they are named."""
import glob
import os
import sys

from transformers.utils.chat_template_utils import render_jinja_template

HERE = os.path.dirname(os.path.abspath(__file__))
SYSTEM = ("system", "  Répondez en un mot.\n")
USER = ("user", " A text\u3000with {braces} <b>&</b>\n ")
CASES = [[USER], [SYSTEM, USER], [("user", "one"), ("assistant", "\n<think>\nhm\n</think>\n\ntwo \n"), USER],
         [SYSTEM, ("user", "\u00a0eins\u3000"), ("assistant", "zwei"), ("user", "")]]


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else HERE
    for path in sorted(glob.glob(os.path.join(HERE, "*.jinja"))):
        with open(path, encoding="utf-8") as file:
            template = file.read()
        for i, case in enumerate(CASES):
            messages = [{"role": role, "content": content} for role, content in case]
            rendered, _ = render_jinja_template([messages], chat_template=template, add_generation_prompt=True, bos_token="<s>",
                                                eos_token="</s>")
            name = os.path.splitext(os.path.basename(path))[0]
            with open(os.path.join(out, "%s.%d.txt" % (name, i)), "w", encoding="utf-8", newline="") as file:
                file.write(rendered[0])


main()
