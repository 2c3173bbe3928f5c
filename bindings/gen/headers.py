# SPDX-License-Identifier: Apache-2.0
"""Reads the public headers into plain dictionaries.

It knows exactly the forms that our headers use (enums, size-first structs, function types, exported functions) and
refuses everything else, so that a new form is noticed here and not in a wrong binding."""
import re
from os.path import commonprefix
from pathlib import Path

CORE = ("status", "context", "tensor", "format", "param", "pool", "pool_column", "arrow", "phrase", "budget", "remedy", "search", "logits", "model", "view",
        "scorer", "strategy", "selection", "request")
EXTRA = ("translating", "training", "experiment", "lm", "aligner", "annotation", "mix", "overlap", "comparison", "metric_common", "metric_translation", "metric_labels",
         "metric_words", "metric_statistics", "stop", "analysis", "plot", "tokenizer", "tool", "prompting", "served", "project", "job", "narrow_type", "structs")
# Headers without a name that a binding calls.
WITHOUT_NAMES = {"version", "gone", "metric"}

TOKEN = re.compile(r"/\*\*.*?\*/|/\*.*?\*/|[A-Za-z_]\w*|-?(?:0x[0-9A-Fa-f]+|\d+)|\.\.\.|[^\s\w]", re.S)


class HeaderError(Exception):
    pass


def clean(comment):
    """Text of a documentation comment, without its stars."""
    body = re.sub(r"^/\*\*<?|\*/$", "", comment)
    lines = [re.sub(r"^\s*\*\s?", "", line).strip() for line in body.split("\n")]
    return " ".join(" ".join(lines).split())


def summary(doc):
    """First sentence of a documentation text, before any @tag."""
    text = re.split(r"\s@\w", doc, maxsplit=1)[0]
    match = re.match(r".*?[.:](?=\s|$)", text)
    return (match.group(0) if match else text).rstrip(":").strip()


def type_of(tokens):
    """One spelling for a C type: 'const char *const *'."""
    text = " ".join(tokens)
    return re.sub(r"\s*\*\s*", "*", text).replace("*const*", "*const *").replace("*", " *", 1)


def parameter(tokens):
    """{"name", "type"} of one parameter or field; arrays carry "count", functions "returns" and "args"."""
    if "(" in tokens:
        opening = tokens.index("(")
        if tokens[opening + 1] != "*":
            raise HeaderError("unknown form: " + " ".join(tokens))
        closing = tokens.index(")", opening)
        return {"name": tokens[closing - 1], "type": "function", "returns": type_of(tokens[:opening]),
                "args": parameters(tokens[closing + 2:-1])}
    count = None
    if tokens[-1] == "]":
        count, tokens = int(tokens[-2]), tokens[:-3]
    found = {"name": tokens[-1], "type": type_of(tokens[:-1])}
    if count is not None:
        found["count"] = count
    return found


def split(tokens, separator):
    """Parts of a list, separated at depth 0."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token in "([{") - (token in ")]}")
        if token == separator and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def parameters(tokens):
    return [] if tokens == ["void"] else [parameter(part) for part in split(tokens, ",")]


class Header:
    """Reads the declarations of one header into the dictionary `api`, token by token."""

    def __init__(self, name, text, api):
        body = re.search(r"ALCORE_BEGIN(.*)ALCORE_END\b", text.split("#include", 1)[-1], re.S)
        if not body:
            raise HeaderError(name + ": no ALCORE_BEGIN ... ALCORE_END")
        self.name, self.api = name, api
        for limit, value in re.findall(r"^#define (ALCORE_\w+) \(?(-?\d+)\)?$", body.group(1), re.M):
            api["constants"][limit] = int(value)
        api["inits"] += re.findall(r"^#define (ALCORE_\w+_INIT)\b", body.group(1), re.M)
        source = re.sub(r"^#.*?(?<!\\)$", "", body.group(1), flags=re.M | re.S)
        self.tokens = TOKEN.findall(source)
        self.position = 0

    def read_doc(self):
        """Passes over comments; the text of the last documentation comment among them."""
        doc = ""
        while self.position < len(self.tokens) and self.tokens[self.position].startswith("/*"):
            if self.tokens[self.position].startswith("/**"):
                doc = clean(self.tokens[self.position])
            self.position += 1
        return doc

    def read_until_semicolon(self):
        """The tokens of a declaration, without the semicolon that ends it; those in braces belong to it."""
        found, depth = [], 0
        while True:
            token = self.tokens[self.position]
            self.position += 1
            if token == ";" and depth == 0:
                return found
            depth += (token in "([{") - (token in ")]}")
            found.append(token)

    def read(self):
        while True:
            doc = self.read_doc()
            if self.position == len(self.tokens):
                return
            self.declaration(doc, self.read_until_semicolon())

    def declaration(self, doc, tokens):
        plain = [token for token in tokens if not token.startswith("/*")]
        head = " ".join(plain[:2])
        if plain[0] == "enum":
            self.enum(plain[1], tokens[tokens.index("{") + 1:-1])
        elif head == "typedef struct" and "{" in plain:
            self.struct(doc, tokens)
        elif head == "typedef struct" and len(plain) == 4:
            self.api["handles"].append({"name": plain[3], "header": self.name, "summary": summary(doc)})
        elif plain[0] == "typedef" and "(" in plain:
            function = parameter(plain[1:])
            function.update(header=self.name, summary=summary(doc))
            del function["type"]
            self.api["callbacks"].append(function)
        elif plain[0] == "typedef" and len(plain) == 3:
            self.api["aliases"][plain[2]] = plain[1]
        elif plain[0] == "struct" and len(plain) == 2:
            pass  # a forward declaration of a type that others define
        elif plain[0] == "ALCORE_API":
            self.function(doc, plain[1:])
        else:
            raise HeaderError(self.name + ": unknown form: " + " ".join(plain[:8]))

    def enum(self, tag, tokens):
        parts = split([token for token in tokens if not token.startswith("/*")], ",")
        for part in parts:
            if part[1] != "=":
                raise HeaderError(self.name + ": an enum without a value: " + part[0])
            self.api["constants"][part[0]] = int("".join(part[2:]), 0)
        names = [part[0] for part in parts]
        if tag != "{":
            self.api["enums"][tag] = {"prefix": re.match(r"(.*_)", commonprefix(names))[1], "names": names}

    def struct(self, doc, tokens):
        opening = tokens.index("{")
        fields, pending, before = [], [], ""
        for token in tokens[opening + 1:-2]:
            if token.startswith("/**<"):
                fields[-1]["doc"] = clean(token)
            elif token.startswith("/**"):
                before = clean(token)
            elif token == ";":
                fields.append(dict(parameter(pending), doc=before))
                pending, before = [], ""
            elif not token.startswith("/*"):
                pending.append(token)
        self.api["structs"].append({"name": tokens[-1], "header": self.name, "summary": summary(doc),
                                    "fields": fields})

    def function(self, doc, tokens):
        opening = tokens.index("(")
        self.api["functions"].append({
            "name": tokens[opening - 1], "header": self.name, "returns": type_of(tokens[:opening - 1]),
            "args": parameters(tokens[opening + 1:-1]), "summary": summary(doc),
            "callback": "@callback" in doc,
        })


#: Members whose comment does not name the enum as ALCORE_X_*, and those that are bits (None).
WORDS = {("alcore_bleu_options", "tokenizer"): "alcore_bleu_tokenizer", ("alcore_overlap_options", "kept"): None}


def tell_members(api):
    """Says of the integers of structs which are the words of an enum ("words": its tag) and which are true or false ("flag")."""
    tags = {enum["prefix"]: tag for tag, enum in api["enums"].items()}
    for struct in api["structs"]:
        for field in struct["fields"]:
            if field["type"] not in ("int32_t", "uint32_t"):
                continue
            named = re.search(r"\b(ALCORE_[A-Z0-9_]+_)\*", field["doc"])
            tag = WORDS.get((struct["name"], field["name"]), named and tags.get(named[1]))
            if tag:
                field["words"] = tag
            elif re.match(r"(For [^:]*: )?1: ", field["doc"]):
                field["flag"] = True


def inputs_of(arguments):
    """The inputs of a metric, (name, kind): texts, lists (of texts: those of each item), numbers, classes (integers), links."""
    kinds = {"const char *const *": "texts", "const double *": "numbers", "const int64_t *": "classes", "const alcore_links *": "links"}
    names = [argument["name"] for argument in arguments]
    return [(argument["name"], "lists" if argument["name"] + "_offsets" in names else kinds[argument["type"]])
            for argument in arguments if argument["type"] in kinds and not argument["name"].endswith("_offsets")]


def metrics_of(functions):
    """The metrics, which have one shape (metric_common.h): their inputs, whether they read files, and whether they score single texts."""
    names = {function["name"] for function in functions}
    for function in functions:
        if function["name"].startswith("alcore_metric_compute_"):
            name = function["name"][len("alcore_metric_compute_"):]
            yield {"name": name, "inputs": inputs_of(function["args"]), "reads": "alcore_metric_read_" + name in names,
                   "scores": any(argument["name"] == "out_sentence_scores" for argument in function["args"])}


def columns_of(root):
    """Columns that strategies and scorers read, from the library's table of names: name -> shape, None for any."""
    table = (root / "lib" / "pool" / "column_names.c").read_text()
    found = re.findall(r'\{"(\w+)", (ALCORE__?COLUMN_\w+), ALCORE__COLUMN_INPUT,', table)
    return {name: None if shape == "ALCORE__COLUMN_ANY_SHAPE" else shape for name, shape in found}


def number_columns_of(root):
    """Those of them whose numbers may be integers too."""
    table = (root / "lib" / "pool" / "column_names.c").read_text()
    return re.findall(r'\{"(\w+)", \w+, ALCORE__COLUMN_INPUT, ALCORE__COLUMN_NUMBERS,', table)


def read_api(root):
    """The whole stable API as one dictionary."""
    root = Path(root)
    api = {"abi": int(re.search(r"^alcore_abi = (\d+)", (root / "meson.build").read_text(), re.M).group(1)),
           "aliases": {}, "constants": {}, "enums": {}, "inits": [], "handles": [], "callbacks": [], "structs": [], "functions": []}
    folder = root / "include" / "alcore"
    for names, umbrella, path in ((CORE, "alcore.h", ""), (EXTRA, "extra.h", "extra/")):
        included = set(re.findall(r'"alcore/%s(\w+)\.h"' % path, (folder / umbrella).read_text())) - WITHOUT_NAMES - {"alcore"}
        if included != set(names):
            raise HeaderError("headers.py and " + umbrella + " differ: " + ", ".join(sorted(included ^ set(names))))
        for name in names:
            Header(path + name, (folder / (path + name + ".h")).read_text(), api).read()
    Header("version", (folder / "version.h.in").read_text(), api).read()
    tell_members(api)
    api["metrics"] = list(metrics_of(api["functions"]))
    api["columns"] = columns_of(root)
    api["number_columns"] = number_columns_of(root)
    return api
