#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The folders of every family, with random weights, and what transformers answers: those of tests/torch/make_fixtures.py and
make_language.py, with which the engine is compared.

    make_families.py FOLDER

Made with torch 2.11.0 and transformers 5.23.0 from PyPI."""
import os
import subprocess
import sys

PACKAGES = ["torch==2.11.0", "transformers==5.23.0"]
KEPT = {"": "tests/torch/fixtures"}
PART = True  # other generators write further files there
TORCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "torch")


def main(folder):
    for name in ("make_fixtures.py", "make_language.py"):
        subprocess.run([sys.executable, os.path.join(TORCH, name), folder], check=True)


if __name__ == "__main__":
    main(sys.argv[1])
