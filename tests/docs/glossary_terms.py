#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A term is said once: "Words of this file" at the head of a source has only words that the glossary lacks (its sections 1 to 4, index
spaces, data, scores and engine) and so have the headers of its folder under "Words of this room", and no file has a list of terms under
another name. In TAP: glossary_terms.py SOURCE-FOLDER."""
import os
import re
import sys

HEADING, ROOM = 'Words of this file', 'Words of this room'


def terms(root):
    with open(os.path.join(root, 'docs', 'glossary.md'), encoding='utf-8') as file:
        pages = file.read().partition('\n## 5.')[0]
    return {term.lower() for cell in re.findall(r'^\| ([^|]*\*\*[^|]*) \|', pages, re.M) for term in re.findall(r'\*\*(.*?)\*\*', cell)}


def words(text, heading):
    """What a source explains, each the words of one entry: what begins the lines with the least indent under the heading."""
    lines = text.partition(heading)[2].partition('*/')[0].split('\n')
    entries = [re.match(r'^ \*( {3,})(\S.*?)(?: {2,}|$)', line) for line in lines]
    entries = [entry for entry in entries if entry]
    least = min((len(entry.group(1)) for entry in entries), default=0)
    return [[word.strip().lower() for word in entry.group(2).split(',')] for entry in entries if len(entry.group(1)) == least]


def main():
    root = sys.argv[1]
    known, lists, rooms, wrong, other = terms(root), 0, 0, [], []
    for folder, _, names in os.walk(os.path.join(root, 'lib')):
        texts = {}
        for name in names:
            path = os.path.join(folder, name)
            with open(path, encoding='utf-8') as file:
                texts[os.path.relpath(path, root)] = file.read()
        room = {word for text in texts.values() if ROOM in text for entry in words(text, ROOM) for word in entry}
        rooms += bool(room)
        for place, text in texts.items():
            lists += HEADING in text
            said = known | room
            wrong += [f'{place}: {entry}' for entry in words(text, HEADING) if said.issuperset(entry)] if HEADING in text else []
            wrong += [f'{place}: {entry}' for entry in words(text, ROOM) if known.issuperset(entry)] if ROOM in text else []
            other += [place] if re.search(r'Terms used here|Terms:$', text, re.M) else []
    checks = ((len(known) > 50 and lists > 2 and rooms > 5, f'{len(known)} terms, {lists} files and {rooms} rooms with words were found', []),
              (not wrong, 'no file explains a term of docs/glossary.md or of its room again', wrong),
              (not other, f'lists of words are headed "{HEADING}"', other))
    for number, (good, what, details) in enumerate(checks, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {what}" + ''.join('\n# ' + detail for detail in sorted(details)))
    print(f'1..{len(checks)}')


main()
