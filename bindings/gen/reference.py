#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the reference of the C API, one page of HTML, from the public headers.

    reference.py ROOT VERSION OUT.html

Every function, struct, enum, callback, handle and macro stands under its header with its whole comment; those of the frozen core come
first. Names in texts lead to their places."""
import html
import re
import sys
from pathlib import Path

from headers import CORE, EXTRA, Header, parameter

STYLE = """
:root { color-scheme: light dark; --line: #8886; --quiet: #777; --name: #0a58ca; }
@media (prefers-color-scheme: dark) { :root { --quiet: #999; --name: #7db0ff; } }
body { display: grid; grid-template-columns: 19rem minmax(0, 56rem); margin: 0; font: 16px/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; box-sizing: border-box; border-right: 1px solid var(--line);
      font-size: .85rem; }
nav ul { list-style: none; padding-left: .8rem; margin: .2rem 0; }
nav input { width: 100%; box-sizing: border-box; }
main { padding: 1rem 2rem; }
a { color: var(--name); text-decoration: none; } a:hover { text-decoration: underline; }
h2 { border-bottom: 1px solid var(--line); margin-top: 3rem; } section { margin: 1.6rem 0; }
h3 { font: 600 1rem ui-monospace, monospace; margin: 0; } pre, code { font-family: ui-monospace, monospace; font-size: .9em; }
pre { overflow-x: auto; margin: .3rem 0; } table { border-collapse: collapse; } td { padding: .1rem .8rem .1rem 0; vertical-align: top; }
dt { font-weight: 600; } dl { margin: .4rem 0; } dd { margin-left: 1.5rem; } .kind { color: var(--quiet); font-size: .8rem; }
@media (max-width: 60rem) { body { display: block; } nav { position: static; height: auto; border: 0; } }
"""
# Shows the headers and names of the list that contain what is typed.
SCRIPT = """
document.querySelector("nav input").addEventListener("input", event => {
    const wanted = event.target.value.toLowerCase();
    for (const item of document.querySelectorAll("nav li li")) item.hidden = !item.textContent.toLowerCase().includes(wanted);
    for (const part of document.querySelectorAll("nav details")) part.open = wanted !== "" && !!part.querySelector("li:not([hidden])");
});
"""
TAG = re.compile(r"@(param(?:\[[\w,]+\])?|return|threadsafe|serialized|callback|since)\b")
TAG_TITLES = {"return": "Returns", "threadsafe": "Thread safety", "serialized": "Thread safety", "callback": "Calls back", "since": "Since"}


def text_of(comment):
    """The lines of a documentation comment without its stars, which keep how far they are indented."""
    body = re.sub(r"^/\*\*<?|\*/$", "", comment)
    return "\n".join(re.sub(r"^\s*\* ?", "", line).rstrip() for line in body.split("\n")).strip()


def spelled(item):
    """A parameter or field in C."""
    if item.get("type") == "function":
        return "%s (*%s)(%s)" % (item["returns"], item["name"], ", ".join(map(spelled, item["args"])) or "void")
    star = "" if item["type"].endswith("*") else " "
    return item["type"] + star + item["name"] + ("[%d]" % item["count"] if "count" in item else "")


class Documented(Header):
    """A header whose declarations are kept with their whole comments: items of (kind, name, declaration, comment, rows), where the
    rows of a struct or an enum are its members with their comments."""

    def __init__(self, name, text):
        api = {"aliases": {}, "constants": {}, "enums": {}, "inits": [], "handles": [], "callbacks": [], "structs": [], "functions": []}
        super().__init__(name, text, api)
        self.items, self.raw = [], ""
        head = re.search(r"/\*\* @file\n(.*?)\*/", text, re.S)
        self.about = text_of("/**" + head.group(1) + "*/") if head else ""
        self.macros = [("macro", re.match(r"\w+", found[1]).group(0), "#define " + found[1], text_of("/**" + found[0] + "*/"), [])
                       for found in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\n#define (ALCORE_\w+(?:\([^)\n]*\))?)", text, re.S)]

    def read_doc(self):
        start, self.raw = self.position, ""
        doc = super().read_doc()
        for token in self.tokens[start:self.position]:
            if token.startswith("/**"):
                self.raw = text_of(token)
        return doc

    def declaration(self, doc, tokens):
        before = {kind: len(self.api[kind]) for kind in ("handles", "callbacks", "structs", "functions")}
        super().declaration(doc, tokens)
        if tokens[0] == "enum":
            name = tokens[1] if tokens[1] != "{" else ""
            rows = members(tokens[tokens.index("{") + 1:-1], ",", lambda part: " ".join(part[:1]) + " = " + "".join(part[2:]))
            self.items.append(("enum", name, "enum " + name, self.raw, rows))
        for kind, count in before.items():
            for found in self.api[kind][count:]:
                self.items.append(self.item(kind, found, tokens))

    def item(self, kind, found, tokens):
        name = found["name"]
        if kind == "functions":
            arguments = ", ".join(map(spelled, found["args"])) or "void"
            star = "" if found["returns"].endswith("*") else " "
            return "function", name, "%s%s%s(%s)" % (found["returns"], star, name, arguments), self.raw, []
        if kind == "callbacks":
            arguments = ", ".join(map(spelled, found["args"])) or "void"
            return "callback", name, "typedef %s (*%s)(%s)" % (found["returns"], name, arguments), self.raw, []
        if kind == "structs":
            opening = tokens.index("{")
            rows = members(tokens[opening + 1:-2], ";", lambda part: spelled(parameter(part)))
            return "struct", name, "typedef struct %s" % name, self.raw, rows
        return "handle", name, "typedef struct %s %s" % (name, name), self.raw, []


def members(tokens, separator, spell):
    """[(spelling, comment)] of the members of a struct or enum; a comment stands before its member, or behind it (/**<)."""
    rows, pending, before, depth = [], [], "", 0

    def finish():
        nonlocal pending, before
        if pending:
            rows.append([spell(pending), before])
        pending, before = [], ""

    for token in tokens:
        if token.startswith("/**<"):
            finish()
            rows[-1][1] = text_of(token)
        elif token.startswith("/**"):
            before = text_of(token)
        elif token == separator and depth == 0:
            finish()
        elif not token.startswith("/*"):
            depth += (token in "([{") - (token in ")]}")
            pending.append(token)
    finish()
    return rows


class Page:
    def __init__(self, names):
        self.names = names  # that have a place

    def linked(self, text):
        """A text in HTML whose names are links; what stands between backticks is code."""
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
        return re.sub(r"\b(?:alcore|ALCORE)_\w+", lambda found: '<a href="#%s">%s</a>' % (found.group(0), found.group(0))
                      if found.group(0) in self.names else found.group(0), text)

    def prose(self, text):
        """Paragraphs, lists and indented blocks of a comment."""
        parts = []
        for block in re.split(r"\n\s*\n", text):
            lines = block.split("\n")
            if not block.strip():
                continue
            if all(line.startswith("    ") for line in lines):
                parts.append("<pre>%s</pre>" % self.linked("\n".join(line[4:] for line in lines)))
            elif re.match(r"(?:- |\d+\. )", lines[0]):
                entries = re.split(r"\n?^(?:- |\d+\. )", block, flags=re.M)[1:]
                kind = "ul" if block.startswith("- ") else "ol"
                parts.append("<%s>%s</%s>" % (kind, "".join("<li>%s</li>" % self.linked(" ".join(entry.split())) for entry in entries), kind))
            else:
                parts.append("<p>%s</p>" % self.linked(" ".join(block.split())))
        return "".join(parts)

    def comment(self, text):
        pieces = TAG.split(text)
        out, arguments, rest = [self.prose(pieces[0])], [], []
        for tag, said in zip(pieces[1::2], pieces[2::2]):
            said = " ".join(said.split())
            if tag.startswith("param"):
                name, _, said = said.partition(" ")
                arguments.append("<tr><td><code>%s</code></td><td>%s</td></tr>" % (html.escape(name), self.linked(said)))
            else:
                said = {"threadsafe": "Safe from any thread. ", "serialized": "One call at a time: "}.get(tag, "") + said
                rest.append("<dt>%s</dt><dd>%s</dd>" % (TAG_TITLES[tag], self.linked(said)))
        if arguments:
            out.append("<table>%s</table>" % "".join(arguments))
        if rest:
            out.append("<dl>%s</dl>" % "".join(rest))
        return "".join(out)

    def section(self, item):
        kind, name, declaration, text, rows = item
        anchor = ' id="%s"' % name if name else ""
        out = ["<section%s><h3>%s <span class=\"kind\">%s</span></h3>" % (anchor, html.escape(name or "constants"), kind)]
        if kind not in ("enum", "handle"):
            out.append("<pre>%s</pre>" % self.linked(declaration))
        out.append(self.comment(text))
        if rows:
            out.append("<table>%s</table>" % "".join(self.row(kind, spelling, said) for spelling, said in rows))
        return "".join(out) + "</section>\n"

    def row(self, kind, spelling, said):
        name = spelling.split(" = ")[0]
        anchor = ' id="%s"' % name if kind == "enum" else ""
        shown = html.escape(spelling) if kind == "enum" else self.linked(spelling)
        return "<tr%s><td><code>%s</code></td><td>%s</td></tr>" % (anchor, shown, self.linked(" ".join(said.split())))


def names_of(headers):
    for header in headers:
        for kind, name, _, _, rows in header.items + header.macros:
            yield name
            if kind == "enum":
                yield from (spelling.split(" = ")[0] for spelling, _ in rows)


def contents(title, headers):
    out = ["<p><b>%s</b></p><ul>" % title]
    for header in headers:
        entries = "".join('<li><a href="#%s">%s</a></li>' % (name, name) for _, name, _, _, _ in header.items + header.macros if name)
        out.append('<li><details><summary><a href="#h-%s">%s.h</a></summary><ul>%s</ul></details></li>' % (header.name, header.name, entries))
    return "".join(out) + "</ul>"


def main(root, version, path):
    folder = Path(root) / "include" / "alcore"
    tiers = [("Core, frozen", [Documented(name, (folder / (name + ".h")).read_text()) for name in CORE]),
             ("Extra, may change in a minor release", [Documented("extra/" + name, (folder / "extra" / (name + ".h")).read_text()) for name in EXTRA])]
    for _, headers in tiers:
        for header in headers:
            header.read()
    page = Page({name for _, headers in tiers for name in names_of(headers)} - {""})
    about = re.search(r"/\*\* @file\n(.*?)\*/", (folder / "alcore.h").read_text(), re.S).group(1)
    out = ['<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
           "<title>libalcore %s</title><style>%s</style></head><body><nav><input placeholder=\"find a name\" aria-label=\"find a name\">"
           % (html.escape(version), STYLE)]
    out += [contents(title, headers) for title, headers in tiers]
    out.append("</nav><main><h1>libalcore %s</h1>%s" % (html.escape(version), page.prose(text_of("/**" + about + "*/"))))
    for title, headers in tiers:
        for header in headers:
            out.append('<h2 id="h-%s">alcore/%s.h <span class="kind">%s</span></h2>%s' % (header.name, header.name, title, page.prose(header.about)))
            out += [page.section(item) for item in header.items + header.macros]
    out.append("</main><script>%s</script></body></html>\n" % SCRIPT)
    Path(path).write_text("".join(out), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
