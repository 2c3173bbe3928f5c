#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the library and the bindings take from the public headers.

    generate.py FILE...     writes each file, which the build does in its own folder: which one it is, its name says (MADE)
    generate.py --tree      writes those of the bindings where the sources have them: for a tarball, LuaRocks, or Python without a build
    generate.py --check     says whether they can be made; nothing that is made is kept in the repository
    generate.py --json      prints what the headers declare
    generate.py --layout    prints a C program that prints sizeof and offsetof of every struct as JSON"""
import json
import sys
import textwrap
from pathlib import Path

from headers import read_api
from lua_calls import read_rows, write_calls

HERE = Path(__file__).resolve().parent
BINDINGS = HERE.parent
ROOT = BINDINGS.parent

NUMBERS = {"int32_t": "c_int32", "int64_t": "c_int64", "uint8_t": "c_uint8", "uint16_t": "c_uint16",
           "uint32_t": "c_uint32", "uint64_t": "c_uint64", "size_t": "c_size_t", "double": "c_double",
           "float": "c_float"}
NOTE = "# SPDX-License-Identifier: Apache-2.0\n# Made by bindings/gen/generate.py from the public headers; do not edit.\n"


class Types:
    """C types as expressions of ctypes."""

    def __init__(self, api):
        self.aliases = api["aliases"]
        self.callbacks = {callback["name"] for callback in api["callbacks"]}
        self.structs = {struct["name"] for struct in api["structs"]}

    def name(self, text):
        text = self.aliases.get(text, text)
        if text == "void":
            return "None"
        if text == "const char *":
            return "c_char_p"
        if text.endswith("*"):
            return "c_void_p"
        if text in NUMBERS:
            return NUMBERS[text]
        if text in self.callbacks or text in self.structs:
            return text
        raise SystemExit("no ctypes type for '%s'" % text)

    def argument(self, item):
        return "c_void_p" if "count" in item else self.name(item["type"])

    def field(self, item):
        if item["type"] == "function":
            return self.function_type(item)
        name = self.name(item["type"])
        return "%s * %d" % (name, item["count"]) if "count" in item else name

    def function_type(self, item):
        parts = [self.name(item["returns"])] + [self.argument(argument) for argument in item["args"]]
        return "CFUNCTYPE(%s)" % ", ".join(parts)

    def result(self, function):
        # A text that may hold NUL comes with its length and is read as a pointer.
        if function["returns"] == "const char *" and function["args"][-1:] and \
                function["args"][-1]["name"] == "out_length":
            return "c_void_p"
        return self.name(function["returns"])


def write_ffi(api):
    types = Types(api)
    used = sorted(set(NUMBERS.values()) | {"c_char_p", "c_void_p"})
    out = [NOTE + '"""Constants, structs and prototypes of libalcore."""',
           "from ctypes import CFUNCTYPE, Structure, " + ", ".join(used), "",
           "ABI = %d" % api["abi"], ""]
    out += ["%s = %d" % item for item in api["constants"].items()]
    out += ["", "#: Words for 0, which is no value of an enum, by the prefix of its constants.", "DEFAULT_WORDS = {"]
    out += ['    "%s": "%s",' % item for item in DEFAULT_WORDS.items()] + ["}"]
    out += ["", "#: The usual columns and their shapes; None: one number a row or a token.", "COLUMNS = {"]
    out += ['    "%s": %s,' % item for item in api["columns"].items()]
    out += ["}", "#: Metrics and their inputs in the library's order: (name, kind).", "METRICS = {"]
    out += ['    "%s": (%s),' % (metric["name"], ", ".join('("%s", "%s")' % one for one in metric["inputs"]) + ",")
            for metric in api["metrics"]]
    out += ["}", "#: What integers of structs stand for: the constants that begin so, or bool.", "MEMBERS = {"]
    for struct in api["structs"]:
        held = ['"%s": %s' % (field["name"], "bool" if "flag" in field else '"%s"' % api["enums"][field["words"]]["prefix"])
                for field in struct["fields"] if "flag" in field or "words" in field]
        out += ['    "%s": {%s},' % (struct["name"], ", ".join(held))] if held else []
    out += ["}", "#: Those of the columns whose numbers may be integers too.",
            "NUMBER_COLUMNS = (%s,)" % ", ".join('"%s"' % name for name in api["number_columns"])]
    out += ["", ""]
    for callback in api["callbacks"]:
        if not any(argument["type"].startswith("const alcore") for argument in callback["args"]):
            out.append("%s = %s" % (callback["name"], types.function_type(callback)))
        else:
            out.append("%s = %s  # structs travel as pointers" % (callback["name"], types.function_type(callback)))
    for struct in api["structs"]:
        out += ["", "", "class %s(Structure):" % struct["name"], '    """%s"""' % struct["summary"], "",
                "    _fields_ = ["]
        out += ['        ("%s", %s),' % (field["name"], types.field(field)) for field in struct["fields"]]
        out += ["    ]"]
    out += ["", "", "#: name: (result, arguments, whether it may call back)", "FUNCTIONS = {"]
    for function in api["functions"]:
        arguments = ", ".join(types.argument(argument) for argument in function["args"])
        if len(function["args"]) == 1:
            arguments += ","
        out.append('    "%s": (%s, (%s), %s),' % (function["name"], types.result(function), arguments,
                                                  function["callback"]))
    return "\n".join(out + ["}"]) + "\n"


#: Named tuples of Python that have the members of a result.
PYTHON_RESULTS = {"bleu": "BleuScore", "chrf": "ChrfScore", "ter": "TerScore", "answers": "AnswerScore", "word_accuracy": "WordAccuracyScore",
                  "length_ratio": "LengthRatioScore", "labels": "LabelScore", "spans": "SpanScore", "kappa": "KappaResult",
                  "mean": "MeanResult", "pearson": "PearsonResult", "wilcoxon": "WilcoxonResult", "coverage": "OverlapScore",
                  "in_domain": "InDomainScore"}
SCORED = [("signature", "str", "the settings in sacreBLEU's words"),
          ("sentences", "Optional[list[float]]", "the score of each hypothesis; None: not wanted")]


def write_results(api):
    """The named tuples of results: members of the structs, with what the headers say about them."""
    types = {"double": "float", "int64_t": "int", "int32_t": "bool"}
    structs = {struct["name"]: struct for struct in api["structs"]}
    scored = {metric["name"] for metric in api["metrics"] if metric["scores"]}
    out = [NOTE + '"""Results of metrics, which are named tuples with the members of the library\'s structs."""',
           "from typing import NamedTuple, Optional", "", "from ._table import Row"]
    for name, kind in PYTHON_RESULTS.items():
        struct = structs["alcore_%s_result" % name]
        out += ["", "", "class _%s(NamedTuple):" % kind]
        for field in struct["fields"]:
            if field["name"] not in ("size", "reserved"):
                of = types[field["type"]]
                out.append("    %s: %s  # %s" % (field["name"], "tuple[%s, ...]" % of if "count" in field else of, field["doc"]))
        out += ["    %s: %s  # %s" % one for one in (SCORED if name in scored else ())]
        out += ["", "", "class %s(_%s, Row):" % (kind, kind),
                textwrap.fill('"""%s"""' % struct["summary"], 120, initial_indent="    ", subsequent_indent="    "), "", "    __slots__ = ()"]
    return "\n".join(out + ["", "", "#: The result of each metric.", "RESULTS = {"] + [
        '    "%s": %s,' % item for item in PYTHON_RESULTS.items()] + ["}"]) + "\n"


def layout_program(api):
    out = ["#include <stdio.h>", "#include <alcore/extra.h>", "int main(void) {", '    printf("{");']
    for number, struct in enumerate(api["structs"]):
        name = struct["name"]
        out.append('    printf("%s\\"%s\\": {\\"\\": %%zu", sizeof(%s));' % (", " if number else "", name, name))
        for field in struct["fields"]:
            out.append('    printf(", \\"%s\\": %%zu", offsetof(%s, %s));' % (field["name"], name, field["name"]))
        out.append('    printf("}");')
    return "\n".join(out + ['    puts("}");', "    return 0;", "}"])


#: Words for 0 in a struct of options, where it is no value of the enum: the prefix of the
#: constants.
DEFAULT_WORDS = {"ALCORE_ESCAPES_": "auto", "ALCORE_FORMAT_": "auto", "ALCORE_JOIN_": "auto", "ALCORE_MEANS_": "default",
                 "ALCORE_NORMALIZE_": "auto", "ALCORE_POOLING_": "auto"}

LUA_MEMBERS = {"int32_t": "AL_INT32", "int64_t": "AL_INT64", "uint64_t": "AL_UINT64", "double": "AL_DOUBLE", "const char *": "AL_TEXT",
               "alcore_column_writer *": "AL_WRITER"}


def shorter(line):
    """The line of C in lines of 100 columns."""
    indent = line[:len(line) - len(line.lstrip())]
    return textwrap.wrap(line.strip(), 100, initial_indent=indent, subsequent_indent=indent + "    ", break_on_hyphens=False)


#: Members that the C code of Lua reads, as it takes few of the words.
LUA_OWN = {("alcore_model_options", "dtype"), ("alcore_overlap_options", "kept")}


def words_table(tag):
    return "al_words_" + tag[len("alcore_"):]


def lua_structs(api):
    """Structs that may be tables of Lua: those that may grow, but for the data of a search, which C makes (lua_search.c)."""
    return [struct for struct in api["structs"] if struct["fields"][0]["name"] == "size" and struct["name"] != "alcore_search_data"]


def lua_members(struct):
    """The table of the members of a struct, by which Lua reads and writes it (lua_structs.c). Handles, functions and arrays with a length
    of their own are left to the C code."""
    out = ["const al_member al_%s[] = {" % struct["name"][len("alcore_"):]]
    arrays = [field["name"] for field in struct["fields"] if field["type"].endswith("*")]
    for field in struct["fields"]:
        name = field["name"]
        counts = name.endswith("_count") and any(array.startswith(name[:-len("_count")]) for array in arrays)
        if field["type"] not in LUA_MEMBERS or counts or name == "reserved" or (struct["name"], name) in LUA_OWN:
            continue
        out += shorter('    {"%s", %s, %d, offsetof(%s, %s), %s},' % (
            name, "AL_FLAG" if "flag" in field else "AL_WORD" if "words" in field else LUA_MEMBERS[field["type"]],
            field.get("count", 1), struct["name"], name, words_table(field["words"]) if "words" in field else "NULL"))
    return out + ["    {NULL, 0, 0, 0, NULL}};"]


#: How an input of a metric is passed, by its kind: the members of an al_input.
LUA_INPUTS = {"texts": ("texts", "lengths", "count"), "lists": ("texts", "lengths", "count", "offsets", "offset_count"),
              "numbers": ("numbers", "count"), "classes": ("classes", "count"), "links": ("links",)}


def c_function(head, parameters, unread, called, arguments):
    """A function of C that calls another, in lines of 100 columns. unread: a parameter that it does not use."""
    def listed(begin, items, end):
        return textwrap.wrap(begin + "(" + ", ".join(items) + end, 100, initial_indent="    " * begin.startswith("return"),
                             subsequent_indent="        ", break_on_hyphens=False)
    return listed("static " + head, parameters, ") {") + (["    (void)%s;" % unread] if unread else []) + \
        listed("return " + called, arguments, ");") + ["}"]


def lua_measure(api, metric):
    """(functions, row): what the module calls of a metric, and its row in the table of metrics (lua_metrics.c)."""
    name = metric["name"]
    given = ["in[%d].%s" % (number, member) for number, (_, kind) in enumerate(metric["inputs"]) for member in LUA_INPUTS[kind]]
    made = c_function("alcore_status compute_" + name, ["alcore_ctx *ctx", "const al_input *in", "const void *options",
                                                        "const alcore_tensor *scores", "void *out"],
                      None if metric["scores"] else "scores",
                      "alcore_metric_compute_" + name, ["ctx", *given, "options", *(["scores"] if metric["scores"] else []), "out"])
    row = [".name = \"%s\"" % name, ".inputs = {%s}" % ", ".join('{"%s", AL_%s}' % (one, kind.upper()) for one, kind in metric["inputs"]),
           ".compute = compute_%s" % name]
    if metric["reads"]:
        linked = any(kind == "links" for _, kind in metric["inputs"])
        made += c_function("alcore_status read_" + name, ["alcore_ctx *ctx", "const alcore_text_files *files", "const char *links",
                                                          "const void *options", "void *out"], None if linked else "links",
                           "alcore_metric_read_" + name, ["ctx", "files", *(["links"] if linked else []), "options", "out"])
        row.append(".read = read_%s" % name)
    if metric["scores"]:
        made += c_function("const char *%s_signature" % name, ["int64_t sets", "const void *options", "char buffer[160]"], None,
                           "alcore_metric_%s_signature" % name, ["sets", "options", "buffer"])
        row.append(".signature = %s_signature" % name)
    row += [".options = al_%s_options" % name, ".result = al_%s_result" % name, ".options_size = sizeof(alcore_%s_options)" % name,
            ".result_size = sizeof(alcore_%s_result)" % name,
            ".result_name = \"alcore_%s_result\"" % name,
            ".defaults = &(const alcore_%s_options)ALCORE_%s_OPTIONS_INIT" % (name, name.upper())]
    row += [".pointer = offsetof(alcore_%s_options, %s)" % (name, field["name"])
            for struct in api["structs"] if struct["name"] == "alcore_%s_options" % name
            for field in struct["fields"] if field["type"].startswith("const alcore_")]
    return made, [line for part in ("    {" + ",\n     ".join(row) + "},").split("\n") for line in shorter(part)]


def write_lua(api):
    structs = []
    out = ["/* SPDX-License-Identifier: Apache-2.0 */",
           "/* Made by bindings/gen/generate.py from the public headers; do not edit. */",
           "#include <stddef.h>", "", '#include "lua_binding.h"', "",
           "/* Tables that only others of this file name are not to be seen outside either. */", "#pragma GCC visibility push(hidden)", "",
           "/* clang-format off */"]
    for tag, enum in api["enums"].items():
        out.append("const al_constant %s[] = {" % words_table(tag))
        if enum["prefix"] in DEFAULT_WORDS:
            out.append('    {"%s", 0},' % DEFAULT_WORDS[enum["prefix"]])
        out += ['    {"%s", %s},' % (name[len(enum["prefix"]):].lower(), name) for name in enum["names"]]
        out.append("    {NULL, 0}};")
    out.append("const al_constant al_usual_columns[] = {")
    out += ['    {"%s", %s},' % (name, shape or "-1") for name, shape in api["columns"].items()]
    for struct in lua_structs(api):
        structs += lua_members(struct)
    measures = [lua_measure(api, metric) for metric in api["metrics"]]
    structs += [line for made, _ in measures for line in made] + ["const al_measure al_measures[] = {"]
    structs += [line for _, row in measures for line in row] + ["    {.name = NULL}", "};"]
    out += ["    {NULL, 0}};"] + structs
    return "\n".join(out) + "\n"


def write_lua_header(api):
    """Declares the tables of lua_tables.c."""
    names = ["extern const al_constant %s[];" % table for table in [*map(words_table, api["enums"]), "al_usual_columns"]]
    names += ["extern const al_member al_%s[];" % struct["name"][len("alcore_"):] for struct in lua_structs(api)]
    return "\n".join(["/* SPDX-License-Identifier: Apache-2.0 */", "/* Made by bindings/gen/generate.py from the public headers; do not edit. */",
                      "#ifndef ALCORE_LUA_TABLES_H", "#define ALCORE_LUA_TABLES_H", "", *names, "", "#endif"]) + "\n"


def lua_calls(number):
    """What writes lua_calls.c (0) or lua_calls.h (1)."""
    def write(api):
        folder = BINDINGS / "lua"
        sources = [path.read_text() for path in sorted(folder.glob("lua_*.c")) if path.name not in MADE]
        return write_calls(api, read_rows((folder / "lua_calls.txt").read_text()), sources, shorter)[number]
    return write


#: The class of Python that an error is too, by its code; and names that the code's words lack.
PYTHON_BESIDE = {"INVALID": "ValueError", "PARAM": "ValueError", "DATA": "ValueError", "SHAPE": "ValueError", "MISSING": "LookupError",
                 "NOT_FOUND": "LookupError", "NOMEM": "MemoryError", "IO": "OSError", "CORRUPT": "OSError", "EXISTS": "FileExistsError",
                 "UNSUPPORTED": "NotImplementedError", "MODULE": "ImportError", "BUSY": "RuntimeError", "FORKED": "RuntimeError"}
PYTHON_ERRORS = {"NOMEM": "OutOfMemoryError", "IO": "FileError"}


def write_statuses(api):
    """An exception for each status of a failure."""
    out, names = [NOTE + '"""An exception for each status of the library, named after its code."""', "from ._errors import Error"], []
    for constant in api["constants"]:
        if constant.startswith("ALCORE_E_"):
            code = constant[len("ALCORE_E_"):]
            names.append(PYTHON_ERRORS.get(code) or "".join(part.capitalize() for part in code.split("_")) + "Error")
            out += ["", "", "class %s(Error%s):" % (names[-1], ", " + PYTHON_BESIDE[code] if code in PYTHON_BESIDE else ""),
                    '    """The library answered %s."""' % constant, "", '    __module__ = "alcore"', "    status = %d" % api["constants"][constant]]
    listed = ", ".join('"%s"' % name for name in names)
    return "\n".join(out + ["", "", *textwrap.wrap("__all__ = [%s]" % listed, 120, subsequent_indent=" " * 11),
                            *textwrap.wrap("BY_STATUS = {found.status: found for found in (%s)}" % ", ".join(names), 120, subsequent_indent="    ")]) + "\n"


def struct_rows(extra):
    """Rows of the first values of structs, by which a language without macros begins one: those of a tier that have an _INIT macro."""
    def write(api):
        return "/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by bindings/gen/generate.py from the public headers; do not edit. */\n" + "".join(
            "ALCORE__IMAGE(%s, %s_INIT),\n" % (struct["name"], struct["name"].upper()) for struct in api["structs"]
            if struct["header"].startswith("extra/") == extra and struct["fields"][0]["name"] == "size" and
            struct["name"].upper() + "_INIT" in api["inits"])
    return write


#: The files that are made: name -> (what writes it, where a tarball has it; None: nowhere).
MADE = {"_ffi.py": (write_ffi, "python/alcore"), "_results.py": (write_results, "python/alcore"), "_statuses.py": (write_statuses, "python/alcore"),
        "lua_tables.c": (write_lua, "lua"), "lua_tables.h": (write_lua_header, "lua"), "lua_calls.c": (lua_calls(0), "lua"),
        "lua_calls.h": (lua_calls(1), "lua"),
        "struct_rows.h": (struct_rows(False), None), "extra_struct_rows.h": (struct_rows(True), None)}


def main(arguments):
    api = read_api(ROOT)
    if arguments == ["--layout"]:
        print(layout_program(api))
    elif arguments == ["--json"]:
        json.dump(api, sys.stdout)
    elif arguments == ["--check"]:
        for write, _ in MADE.values():
            write(api)
    elif arguments == ["--tree"]:
        for name, (write, folder) in MADE.items():
            if folder:
                (BINDINGS / folder / name).write_text(write(api))
    elif arguments and all(Path(name).name in MADE for name in arguments):
        for name in arguments:
            Path(name).write_text(MADE[Path(name).name][0](api))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
