# SPDX-License-Identifier: Apache-2.0
"""Keeps JSON documents that tests make in the folder $ALCORE_TEST_DOCUMENTS, where test_documents.py validates them."""
import hashlib
import os
import re


def keep(text):
    """Keeps a document, unless one that differs in numbers only is there. Without the variable nothing is kept."""
    folder = os.environ.get("ALCORE_TEST_DOCUMENTS")
    if not folder or not text:
        return
    text = text.encode() if isinstance(text, str) else text
    plain = re.sub(rb"[0-9]+", lambda digits: b"1" if digits[0].strip(b"0") else b"0",
                   re.sub(rb'("fingerprint": ?)"[^"]*"', rb"\1", text))
    try:
        with open(os.path.join(folder, hashlib.sha1(plain).hexdigest() + ".json"), "xb") as file:
            file.write(text)
    except OSError:  # it is there, or the folder is not
        pass
