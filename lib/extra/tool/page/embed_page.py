#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the C header of the annotation page: embed_page.py OUTPUT PAGE STYLE SCRIPT...

The page is cut where its title and what is asked are put in. Its policy allows the one style and the
one script that it has, by their hashes, and nothing else."""
import base64
import hashlib
import sys


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def literal(text):
    lines = text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?").split("\n")
    return "\n".join(f'    "{line}\\n"' for line in lines[:-1]) + f'\n    "{lines[-1]}"'


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    if "\r" in text:
        sys.exit(f"{path}: carriage returns, which browsers drop, would change the hash")
    return text


output, page, style, *scripts = sys.argv[1:]
style = "\n" + read(style)
script = '\n"use strict";\n' + "\n".join(read(path) for path in scripts)
if "</s" in style or "</s" in script or "<!--" in script:
    sys.exit("a style or script that ends before its end")
policy = (f"default-src 'none'; script-src {hash_of(script)}; style-src {hash_of(style)}; base-uri 'none'; "
          "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
text = read(page).replace("@POLICY@", policy).replace("@STYLE@", style).replace("@SCRIPT@", script)
parts = {}
parts["head"], text = text.split("@TITLE@")
parts["middle"], parts["tail"] = text.split("@ASKED@")
with open(output, "w", encoding="utf-8") as file:
    file.write("/* Made by embed_page.py. */\n")
    for name, part in parts.items():
        file.write(f"static const char page_{name}[] =\n{literal(part)};\n")
