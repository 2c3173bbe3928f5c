# SPDX-License-Identifier: Apache-2.0
"""Writes the functions of the Lua module that do one plain call, and the tables of all functions, from two sources: the rows of
../lua/lua_calls.txt with the headers, and the LDoc comments of the functions that are written by hand.

A row is what a user calls, `owner:name(arguments) = C function -> result`, and below it what LDoc says: a text, and where the name does
not tell enough `argument: text`. An argument has a type where it has one, a `?` where it may be nil, `:tag` for the words of an
enum and `=WORD` for the one that nil stands for. How an argument is checked and passed, and what is pushed, follows from
the prototype of the C function; it is alcore_OWNER_NAME where the row names none."""
import re
import textwrap

#: The kind of object that an owner in the comments is, and the member of al_object for its handle.
KINDS = {"training_set": "mix", "writer": "column_writer"}
MEMBERS = {"context": "ctx"}
#: The kinds of objects.
OBJECTS = ("context", "pool", "column_writer", "comparison", "request", "selection", "strategy", "scorer", "model", "lm", "aligner", "links", "overlap",
           "annotations", "mix", "tokenizer", "tokens", "project", "tool_answers")
#: Owners that are tables of functions.
TABLES = ("alcore", "analysis", "plots", "stop", "view")
NOTE = ["/* SPDX-License-Identifier: Apache-2.0 */", "/* Made by bindings/gen/generate.py from lua_calls.txt, the public headers and the comments of the Lua module's",
        " * sources; do not edit. */"]
HEAD = re.compile(r"(\w+)([.:])(\w+)(?:\((.*?)\))?(?: = (\w+))?(?: -> (.*))?")
ARGUMENT = re.compile(r"(?:([\w|?]+) )?(\w+)(?::(\w+))?(\?)?(?:=(-?\w+))?")
HANDLE = re.compile(r"(?:const )?alcore_(\w+) \*")


class Row:
    def __init__(self, section, lines):
        texts = [line.strip() for line in lines]
        owner, mark, self.name, arguments, self.called, self.result = HEAD.fullmatch(texts[0]).groups()
        self.owner, self.section = owner, section
        self.kind = None if owner in TABLES else KINDS.get(owner, owner)
        self.is_field = arguments is None
        self.arguments = [ARGUMENT.fullmatch(one).groups() for one in arguments.split(", ")] if arguments else []
        self.called = self.called or "alcore_%s_%s" % (MEMBERS.get(self.kind, self.kind or owner), self.name)
        names = [name for _, name, _, _, _ in self.arguments]
        said = [re.fullmatch(r"(\w+): (.*)", text) for text in texts[1:]]
        self.said = {found[1]: found[2] for found in said if found and found[1] in names}
        self.text = " ".join(text for text, found in zip(texts[1:], said) if not (found and found[1] in names))
        self.function = "l_%s_%s" % (owner, self.name)
        self.full = owner + mark + self.name


def read_rows(text):
    """The rows, whose section is the last line that begins with "# "; a line that goes on stands farther in than the one before it."""
    rows, section, lines = [], "", []
    for line in text.split("\n") + ["end"]:
        if line.startswith("        ") or (lines and line.startswith("      ")):
            lines[-1] += " " + line.strip()
        elif line.startswith("    "):
            lines.append(line)
        else:
            rows += [Row(section, lines)] if lines else []
            section, lines = (line[2:], []) if line.startswith("# ") else (section, [line] if line else [])
    return rows


def comment(row, fails):
    """The comment of LDoc."""
    out = [row.text, "@%s %s" % ("field" if row.is_field else "function", row.full)]
    for kind, name, _, optional, initial in row.arguments:
        mark = "[opt%s]" % ('="%s"' % initial.rsplit("_", 1)[1].lower() if "_" in (initial or "") else "=0" if initial == "0" else "") \
            if optional or initial else ""
        out.append("@%s%s %s %s" % ("tparam" if kind else "param", mark, (kind + " " if kind else "") + name, row.said.get(name, "")))
    if not row.is_field and (row.result or fails):
        out.append("@return %s%s" % (row.result or "itself", "; or nil, message, code" if fails and "nil," not in (row.result or "") else ""))
    lines = [part for line in out for part in textwrap.wrap(line.rstrip(), 97, break_on_hyphens=False)]
    return ["/*** " + lines[0]] + [" * " + line for line in lines[1:-1]] + [" * " + lines[-1] + " */"] if len(lines) > 1 else ["/*** %s */" % lines[0]]


class Body:
    """The C function of a row."""

    def __init__(self, row, function, structs):
        self.row, self.structs, self.returns = row, structs, function["returns"]
        self.parameters = list(function["args"])
        first = 2 if row.kind or row.owner == "view" else 1
        self.given = {one[1]: (one, number) for number, one in enumerate(row.arguments, first)}  # with their places on the Lua stack
        self.begun = first == 1  # whether the handle was taken that the function is of
        self.early, self.late, self.passed, self.outs = [], [], [], []
        self.context, self.table = None, None
        self.fails = self.returns == "alcore_status"
        self.sets_top = False  # whether lua_settop() leaves the arguments alone on the stack first
        self.rows_of = None
        while self.parameters:
            self.take(self.parameters.pop(0))
        if self.context == "context" and not self.table:  # the context is all that the options have
            self.argument("options")
        assert not self.given, row.full

    def argument(self, parameter):
        """The argument of Lua that has the name of the parameter, else the first that is left."""
        (_, name, words, optional, initial), at = self.given.pop(parameter if parameter in self.given else next(iter(self.given)))
        return name, words, bool(optional), initial, at

    def take(self, parameter):
        type_, name = parameter["type"], parameter["name"]
        handle = HANDLE.fullmatch(type_)
        if name.startswith("out"):
            self.out(type_, name)
        elif not self.begun:
            self.begun, whose = True, "frame" if self.row.owner == "view" else "self"
            self.early.append("const al_frame *frame = al_view_frame(L, 1);" if whose == "frame" else
                              "al_object *self = al_check(L, 1, &al_%s_kind);" % self.row.kind)
            self.passed.append("%s->%s" % (whose, MEMBERS.get(self.row.kind, self.row.kind or "view")))
            self.context = whose + "->context"
        elif type_ == "alcore_ctx *" and self.row.owner == "alcore":
            self.context = self.context or "context"
            self.passed.append(self.context + "->ctx")
        elif not self.given:
            self.passed.append("NULL" if handle else "i")  # options that nobody sets; the index in a registry
        elif handle and "alcore_" + handle[1] in self.structs:
            self.options("alcore_" + handle[1], name)
        elif handle:
            self.object(handle[1], name)
        elif type_ in ("const char *const *", "const int64_t *", "const double *"):
            {"char": self.texts, "int64_t": self.rows, "double": self.numbers}[type_.split()[1]](name)
        else:
            self.value(type_, name)

    def value(self, type_, parameter):
        name, words, optional, initial, at = self.argument(parameter)
        if type_ == "const char *":
            if self.parameters and self.parameters[0]["type"] == "size_t":
                self.parameters.pop(0)
                self.early += ["size_t length;", "const char *%s = luaL_checklstring(L, %d, &length);" % (name, at)]
                self.passed += [name, "length"]
                return
            check = "luaL_optstring(L, %d, NULL)" % at if optional else "luaL_checkstring(L, %d)" % at
            self.early.append("const char *%s = %s;" % (name, check))
        elif type_ == "int64_t":
            given = 'al_integer(L, %d, "%s")%s' % (at, name, " - 1" if name == "index" else "")
            self.early.append("const int64_t %s = %s%s;" % (name, "lua_isnoneornil(L, %d) ? %s : " % (at, initial) if optional else "", given))
        elif type_ == "double":
            self.early.append("const double %s = %s;" % (name, "luaL_optnumber(L, %d, (lua_Number)%s)" % (at, initial) if optional else
                                                         "luaL_checknumber(L, %d)" % at))
        else:
            if not initial:
                self.early.append("%sluaL_checktype(L, %d, LUA_TSTRING);" % ("if (!lua_isnoneornil(L, %d)) " % at if optional else "", at))
            self.early.append('const %s %s = %sal_constant_check(L, %d, al_words_%s, "%s", %s);' % (
                type_, name, "(uint32_t)" if type_ == "uint32_t" else "", at, words, name, initial or 0))
        self.passed.append(name)

    def options(self, struct, parameter):
        """Options from a table, or from the word of one member."""
        name, words, optional, initial, at = self.argument(parameter)
        self.passed.append("&options")
        if words:
            member = next(field["name"] for field in self.structs[struct] if field.get("words") == "alcore_" + words)
            self.early += ["%s options = %s_INIT;" % (struct, struct.upper()), 'options.%s = al_constant_check(L, %d, al_words_%s, "%s", %s);' % (
                member, at, words, "format" if name == "kind" else name, initial or 0)]
            return
        self.sets_top = True
        own = "%s:%s" % (self.row.owner, self.row.name) if self.row.kind else self.row.name if self.row.owner == "alcore" else self.row.full
        others = "al_context_only" if self.row.owner == "alcore" else "NULL"
        if not optional:
            self.early.append("luaL_checktype(L, %d, LUA_TTABLE);" % at)
        read = ["%s options = %s_INIT;" % (struct, struct.upper()),
                '%sal_options(L, %d, "%s", al_%s, %s, &options);' % ("const int table = " if others != "NULL" else "(void)", at, own, struct[7:], others)]
        self.late = read + self.late
        self.table = "table"

    def object(self, kind, parameter):
        name, _, optional, _, at = self.argument(parameter)
        check = "al_check(L, %d, &al_%s_kind)" % (at, kind)
        if optional:
            check = "lua_isnoneornil(L, %d) ? NULL : %s" % (at, check)
        self.early.append("al_object *%s = %s;" % (name, check))
        self.passed.append("%s ? %s->%s : NULL" % (name, name, kind) if optional else "%s->%s" % (name, kind))
        if not self.row.kind and self.context in (None, "context"):
            self.context = name + "->context"
            self.passed[0] = self.passed[0].replace("context->ctx", self.context + "->ctx")

    def rows(self, parameter):
        """The rows of a pool and their number, which may stand behind what there is for each of them."""
        _, _, _, _, at = self.argument(parameter)
        self.rows_of = True
        self.late += ["int64_t count;", "int missing;", "int64_t *rows = al_rows(L, %d, self, &count, &missing);" % at, "if (missing) return missing;"]
        self.passed.append("rows")
        if self.parameters[0]["type"] == "int64_t":
            self.parameters.pop(0)
            self.passed.append("count")
        self.sets_top = True

    def numbers(self, parameter):
        """A list of numbers, of rows one for each."""
        name, _, _, _, at = self.argument(parameter)
        self.late += ["int64_t %s;" % ("given" if self.rows_of else "count"),
                      'const double *%s = al_numbers(L, %d, "%s", &%s);' % (name, at, name, "given" if self.rows_of else "count")]
        if self.rows_of:
            self.late += ["if (given != count)", '    return luaL_error(L, "%s: %%d entries for %%d rows", (int)given, (int)count);' % name]
        self.parameters.pop(0)
        self.sets_top = True
        self.passed += [name, "count"]

    def texts(self, parameter):
        """A list of texts, of rows one for each, which may be missing; or the two sides of sentence pairs."""
        name, _, _, _, at = self.argument(parameter)
        if name == "pairs":
            del self.parameters[:4]
            self.late += ["al_pairs pairs;", "al_read_sides(L, %d, &pairs);" % at]
            self.passed += ["pairs.sources", "pairs.source_lengths", "pairs.targets", "pairs.target_lengths", "pairs.count"]
            return
        del self.parameters[:2]
        self.early.append("luaL_checktype(L, %d, LUA_TTABLE);" % at)
        count = "given" if self.rows_of else "count"
        self.late += ["size_t *lengths;", "int64_t %s%s;" % (count, " = count" if self.rows_of else "")]
        if self.rows_of:
            self.late += ["if (al_length(L, %d) != count)" % at,
                          '    return luaL_error(L, "%s: %%d entries for %%d rows", (int)al_length(L, %d), (int)count);' % (name, at)]
        self.late.append('const char **%s = al_strings(L, %d, "%s", %d, &lengths, &%s);' % (name, at, name, bool(self.rows_of), count))
        self.sets_top = True
        self.passed += [name, "lengths", "count"]

    def out(self, type_, name):
        made = re.fullmatch(r"alcore_(\w+) \*\*", type_)
        if made and made[1] != "tensor":
            self.outs.append(("object", made[1]))
            self.passed.append("&made->" + made[1])
        elif name == "out_length":
            self.passed.append("&length")
            self.outs.append(("length", None))
        else:
            self.outs.append(("value", type_[:-1].rstrip()))
            self.passed.append("&out")

    def call(self):
        return "%s(%s)" % (self.row.called, ", ".join(self.passed))

    def lines(self):
        out = list(self.early)
        if self.sets_top or self.context == "context":
            out.append("lua_settop(L, %d);" % (len(self.row.arguments) + bool(self.row.kind)))
        out += self.late
        if self.context == "context":
            table = self.table or 'al_options(L, %d, "%s", NULL, al_context_only, NULL)' % (len(self.row.arguments), self.row.name)
            out.append("al_context *context = al_context_of(L, %s);" % table)
        return out + (self.failing() if self.fails else self.direct())

    def failing(self):
        kinds = [kind for kind, _ in self.outs]
        if "object" in kinds:
            noun = dict(self.outs)["object"]
            return ["al_object *made = al_new(L, &al_%s_kind, %s);" % (noun, self.context), "return AL_TOP(L, %s, %s);" % (self.context, self.call())]
        if not kinds:
            if self.row.result and self.row.result.startswith("true"):
                return ["const int failed = AL_CALL(L, %s, %s);" % (self.context, self.call()), "if (failed) return failed;",
                        "lua_pushboolean(L, 1);", "return 1;"]
            return ["return AL_SELF(L, %s, %s);" % (self.context, self.call())]
        type_ = self.outs[0][1]
        out = ["size_t length;"] if "length" in kinds else []
        out.append("%s out%s;" % (type_, " = %s_INIT" % type_.upper() if type_ in self.structs and type_ != "alcore_tensor" else ""))
        if self.context:
            out.append("const int failed = AL_CALL(L, %s, %s);" % (self.context, self.call()))
        else:
            out += ["const alcore_status status = %s;" % self.call(), "const int failed = status == ALCORE_OK ? 0 : al_fail(L, status);"]
        if type_ == "alcore_tensor":
            return out + ["return al_tensor_result(L, failed, &out, NULL);"]
        if type_ == "alcore_stop_decision":
            return out + ["return al_decision_result(L, failed, &out);"]
        if type_ in self.structs:
            return out + ["return al_struct_result(L, failed, al_%s, &out);" % type_[7:]]
        return out + ["if (failed) return failed;"] + self.pushed("out", type_)

    def direct(self):
        """What a call returns that cannot fail."""
        call, type_ = self.call(), self.returns
        if type_ == "void":
            return [call + ";", "return 0;"]
        if "i" in self.passed:
            return ["lua_newtable(L);", "for (int64_t i = 0; al_append(L, i, %s); i++) continue;" % call, "return 1;"]
        if self.outs:
            return ["size_t length = 0;", "const char *found = %s;" % call, *self.pushed("found", type_)]
        return self.pushed(call, type_)

    def pushed(self, value, type_):
        """Pushes a value, nil in place of what stands for none where the row says so."""
        said = self.row.result or self.row.text
        if type_ == "int32_t" and self.row.called in WORDS:
            push = "al_push_word(L, al_words_%s, %s)" % (WORDS[self.row.called], value)
        elif type_ == "int32_t" and said.startswith("Whether"):
            push = "lua_pushboolean(L, %s)" % value
        elif type_ == "const char *":
            push = "al_push_bytes(L, %s, length)" % value if ("length", None) in self.outs else "lua_pushstring(L, %s)" % value
        elif type_ in PUSHES:
            push = PUSHES[type_].format(value, self.context)
        else:
            kind, cast = ("number", "lua_Number") if type_ == "double" else ("integer", "lua_Integer")
            push = "al_push_%s_or_nil(L, %s)" % (kind, value) if "nil" in said.replace("or nil, message", "") else "lua_push%s(L, (%s)%s%s)" % (
                kind, cast, value, " + 1" if said == "an index" else "")
        return [push + ";", "return 1;"]


#: How other types are pushed.
PUSHES = {"uint64_t": "al_push_hash(L, {0})", "alcore_pool *": "al_push_pool(L, {0}, {1})"}
#: What returns a constant that Lua says as a word.
WORDS = {"alcore_aligner_direction": "direction", "alcore_selection_unit": "unit"}


def documented(text):
    """(owner, name, whether it is a field, C function) of what the comments of a source say."""
    for found in re.finditer(r"/\*\*\*((?:(?!\*/).)*)\*/\s*(?:int |KEPT\()(\w+)\b", text, re.S):
        tag = re.search(r"@(function|field) (\w+)[.:](\w+)", found[1])
        if tag and tag[2] not in ("metrics", "handle"):
            yield tag[2], tag[3], tag[1] == "field", found[2] if found[2].startswith("l_") else "l_selection_" + found[2]


def write_calls(api, rows, sources, wrap):
    """lua_calls.c and lua_calls.h."""
    functions = {function["name"]: function for function in api["functions"]}
    structs = {struct["name"]: struct["fields"] for struct in api["structs"]}
    out = NOTE + ["/*** @module alcore */", "#include <math.h>", "", '#include "lua_binding.h"', "", "/* clang-format off */"]
    entries = [entry for text in sources for entry in documented(text)]
    titles = {found[2]: found[1] for text in sources for found in re.finditer(r"(/\*\*\*(?:(?!\*/).)*@section (\w+) \*/)", text, re.S)}
    section = None
    for row in rows:
        if row.section != section:
            section = row.section
            out += ["", titles[section]]
        if row.owner == "metrics":  # lua_metrics.c is all of them
            out += ["", *comment(row, True)]
            continue
        body = Body(row, functions[row.called], structs)
        out += ["", *comment(row, body.fails), "int %s(lua_State *L) {" % row.function]
        out += [part for line in body.lines() for part in wrap("    " + line)] + ["}"]
        entries.append((row.owner, row.name, row.is_field, row.function))
    owners = list(dict.fromkeys(KINDS.get(owner, owner) for owner, _, _, _ in entries))
    for owner in owners:
        for is_field in (False, True):
            found = sorted((name, function) for whose, name, field, function in entries if (KINDS.get(whose, whose), field) == (owner, is_field))
            if found:
                out += ["", "%sconst al_method al_%s_%s[] = {" % ("" if owner in TABLES else "static ", owner, "getters" if is_field else "methods")]
                out += ['    {"%s", %s},' % one for one in found] + ["    {NULL, NULL}};"]
    out.append("")
    for kind in OBJECTS:
        lists = ["al_%s_%s" % (kind, which) if any((KINDS.get(whose, whose), field) == (kind, which == "getters") for whose, _, field, _ in entries)
                 else "NULL" for which in ("methods", "getters")]
        out += ["", "static void unref_%s(void *handle) {" % kind, "    alcore_%s_unref(handle);" % MEMBERS.get(kind, kind), "}",
                'const al_kind al_%s_kind = {"alcore.%s", unref_%s, %s, %s};' % (kind, kind, kind, *lists)]
    out += ["", "const al_kind *const al_kinds[] = {"] + ["    &al_%s_kind," % kind for kind in OBJECTS] + ["    NULL};"]
    head = NOTE + ["#ifndef ALCORE_LUA_CALLS_H", "#define ALCORE_LUA_CALLS_H", "", "/* Methods, fields and functions, whose results are on the Lua stack. */"]
    head += ["int %s(lua_State *L);" % function for function in sorted({function for _, _, _, function in entries})]
    head += ["extern const al_method al_%s_methods[];" % owner for owner in TABLES]
    head += ["extern const al_kind %s;" % ", ".join("al_%s_kind" % kind for kind in OBJECTS), "extern const al_kind *const al_kinds[]; /* ends with NULL */"]
    return "\n".join(out) + "\n", "\n".join(head + ["", "#endif"]) + "\n"
