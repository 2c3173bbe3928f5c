# SPDX-License-Identifier: Apache-2.0
"""The snippets of docs/python.md run, in their order, in one process; a comment `# -> text` says what a line prints.
What the pages name is there."""
import importlib
import re

import pytest

import alcore


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


@pytest.mark.parametrize("page", ["python.md", "start-python.md"])
def test_what_a_page_names_is_there(page, root):
    text = (root / "docs" / page).read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w./-])alcore\.([A-Za-z]\w*)(?:\.([A-Za-z]\w*))?", text))
    assert len(named) > 3
    for name, member in named:
        found = getattr(alcore, name) if hasattr(alcore, name) else importlib.import_module("alcore." + name)
        assert not member or hasattr(found, member), "docs/%s: alcore.%s.%s" % (page, name, member)
