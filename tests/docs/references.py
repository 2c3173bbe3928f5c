#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one file of the repository says about another must be true. TAP.

    references.py ROOT

- "spec 3.4" names a heading of docs/spec, and no number heads two sections;
- "TV-HUDS" names a vector of tests/vectors;
- a page named "page.md" is in the repository, and nobody cites an appendix (spec B.7 is a heading) or a section
  of a design;
- a relative link of a Markdown page leads to a file, and its anchor to a heading of that file.

A number written as "spec 4.9, 7.4 and 5.6" or "spec 3.2 to 3.4" counts once for each. Lines of a comment are joined first,
so that a reference may be broken over two of them.
"""
import json
import pathlib
import re
import subprocess
import sys

NUMBER = r"(?:\d+(?:\.\d+)*|[AB]\.\d+)"
MORE = r"(?:(?:, and|, or|,| and| or| to|-)\s*(?:spec )?(?:\d+\.\d+|[AB]\.\d+))*"
CITED = re.compile(r"\b[Ss]pec(?:ification)? (?:sections? )?(" + NUMBER + MORE + r")(?![\w-])")
VECTOR = re.compile(r"\bTV-[A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)*")
PAGE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*\.md\b")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#{1,6}) (.*)$", re.M)
JOINED = re.compile(r"\n[ \t]*(?:/?\*+|//+|#+|--+|;+|%)?[ \t]*")
# Of the pages that explain the notation.
PLACEHOLDERS = {"TV-NAME"}
# Pages that programs write where they run.
WRITTEN = {"report.md", "out.md", "r.md", "FILE.md", "PAGE.md"}
SKIPPED = ("tests/fuzz/corpus/", "tests/golden/", "examples/data/", "docs/results/", "tests/abi/baseline", "LICENSE")

root = pathlib.Path(sys.argv[1]).resolve()
lines = 0
pages = set()


def report(problems, name, checked):
    """One TAP line: no problem, and something was looked at."""
    global lines
    lines += 1
    good = not problems and checked > 0
    print(f"{'ok' if good else 'not ok'} {lines} - {name} ({checked})")
    for problem in problems[:60]:
        print("#   " + problem)
    if not checked:
        print("#   nothing was found to check")


def files():
    """Files of the repository that are text, with their contents."""
    try:
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"], capture_output=True,
                                text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        listed = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file() and "build" not in p.parts]
    for name in sorted(set(listed)):
        path = root / name
        if name.endswith(".md"):
            pages.add(path.name)
        if name.startswith(SKIPPED) or not path.is_file():
            continue
        try:
            yield name, path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def slug(heading):
    """The anchor that hosts of Markdown make of a heading."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def prose(markdown):
    """A page without its fenced code."""
    return re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S)


texts = dict(files())
sections, twice = {}, []
for name, text in texts.items():
    if name.startswith("docs/spec/"):
        for heading in re.findall(r"^#{1,6} (" + NUMBER + r"|[AB])\.? ", text, re.M):
            if heading in sections:
                twice.append(f"{heading} heads sections of {sections[heading]} and {name}")
            sections[heading] = name
report(twice, "numbers of docs/spec are unique", len(sections))

vectors = set()
for name in texts:
    if name.startswith("tests/vectors/") and name.endswith(".json"):
        vectors |= set(json.loads(texts[name])["vectors"])

bad, checked = [], 0
for name, text in texts.items():
    for match in CITED.finditer(JOINED.sub(" ", text)):
        for number in re.findall(NUMBER, match.group(1)):
            checked += 1
            if number not in sections:
                bad.append(f"{name}: '{match.group(0)}': docs/spec has no section {number}")
report(bad, "references to the specification resolve", checked)

bad, checked = [], 0
for name, text in texts.items():
    for cited in set(VECTOR.findall(text)) - PLACEHOLDERS:
        checked += 1
        if cited not in vectors:
            bad.append(f"{name}: tests/vectors has no {cited}")
report(bad, "names of vectors resolve", checked)

bad = [f"{name} is cited by no page, test or source beside the generator" for name in sorted(vectors)
       if not any(re.search(name + r"(?![\w-])", text) for file, text in texts.items() if not file.startswith(("tests/vectors/", "tests/reference/")))]
report(bad, "every vector is cited", len(vectors))

bad, checked = [], 0
for name, text in texts.items():
    if name == "tests/docs/references.py":
        continue
    for cited in set(PAGE.findall(text)):
        base = pathlib.PurePath(cited).name
        checked += 1
        if base not in pages and base not in WRITTEN:
            bad.append(f"{name}: {cited} is not in the repository")
    if re.search(r"\bAppendix [A-Z]\b", text) and not name.startswith("docs/spec/"):
        bad.append(f"{name}: cites an appendix")
    if re.search(r"\bdesign section\b", text):
        bad.append(f"{name}: cites a section of a design that is not in the repository")
report(bad, "pages that are named exist", checked)

bad, checked = [], 0
for name, text in texts.items():
    if not name.endswith(".md"):
        continue
    for match in LINK.finditer(prose(text)):
        link = match.group(1) or match.group(2)
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        path = ((root / name).parent / target).resolve() if target else root / name
        checked += 1
        if not path.exists():
            bad.append(f"{name}: the link {link} leads nowhere")
        elif anchor and path.suffix == ".md":
            anchors = {slug(h) for _, h in HEADING.findall(prose(path.read_text(encoding='utf-8')))}
            if anchor not in anchors:
                bad.append(f"{name}: {link}: {path.name} has no such heading")
report(bad, "links of the pages resolve", checked)
print(f"1..{lines}")
