# SPDX-License-Identifier: Apache-2.0
"""The snippets of docs/python.md run, in their order, in one process; a comment `# -> text` says what a line prints."""
import re

import pytest


def snippets(path):
    text = path.read_text(encoding="utf-8")
    return [(text[:match.start()].count("\n") + 1, match.group(1), match.group(2))
            for match in re.finditer(r"^```python( \w+)?\n(.*?)^```$", text, re.M | re.S)]


def test_guide_runs(root, tmp_path, monkeypatch, capsys):
    path = root / "docs" / "python.md"
    monkeypatch.chdir(tmp_path)
    found = snippets(path)
    assert len(found) >= 8
    names = {"__name__": "guide"}
    for line, package, code in found:
        if package:
            pytest.importorskip(package.strip())
        exec(compile("\n" * line + code, str(path), "exec"), names)
        wanted = re.findall(r"# -> (.*)$", code, re.M)
        printed = capsys.readouterr().out.splitlines()
        assert printed == wanted, "docs/python.md:%d" % line
