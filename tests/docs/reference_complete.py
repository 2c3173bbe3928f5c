# SPDX-License-Identifier: Apache-2.0
"""The reference that the build makes has a place for everything that the headers declare, and no link without one. TAP.

    reference_complete.py ROOT PAGE.html"""
import html.parser
import pathlib
import re
import sys

root, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


class Reader(html.parser.HTMLParser):
    """Places, links, and the elements that are open."""

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.open, self.faults = [], set(), [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if attrs.get("href", "").startswith("#"):
            self.links.add(attrs["href"][1:])
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append("</%s> at %s" % (tag, self.getpos()))


reader = Reader()
reader.feed(page.read_text(encoding="utf-8"))
folder = root / "include" / "alcore"
headers = [path for path in (*folder.glob("*.h"), *folder.glob("extra/*.h"))
           if path.name not in ("alcore.h", "extra.h", "export.h", "gone.h")]
text = re.sub(r"/\*.*?\*/", "", "".join(path.read_text(encoding="utf-8") for path in headers), flags=re.S)
declared = {
    "function": re.findall(r"^ALCORE_API[^(;]*?\b(alcore_\w+)\(", text, re.M),
    "struct": re.findall(r"^\} (alcore_\w+);", text, re.M),
    "handle": re.findall(r"^typedef struct \w+ (alcore_\w+);", text, re.M),
    "callback": re.findall(r"^typedef [^;(]*\(\*(alcore_\w+)\)\(", text, re.M),
    "constant": re.findall(r"^    (ALCORE_[A-Z0-9_]+) = ", text, re.M),
}
cases = [("every %s has its place (%d)" % (kind, len(names)), sorted(set(names) - set(reader.ids)) if len(names) > 2 else ["too few were found"])
         for kind, names in declared.items()]
cases += [("no place is there twice", sorted({name for name in reader.ids if reader.ids.count(name) > 1})),
          ("every link has a place (%d)" % len(reader.links), sorted(reader.links - set(reader.ids))),
          ("every element is closed", reader.faults + reader.open)]
print("1..%d" % len(cases))
for number, (title, faults) in enumerate(cases, 1):
    print("%s %d - %s" % ("not ok" if faults else "ok", number, title))
    if faults:
        print("# " + ", ".join(map(str, faults[:20])))
sys.exit(any(faults for _, faults in cases))
