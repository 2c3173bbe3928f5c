/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that as a whole are a line of markup or addresses, as text_markup.h lists
 * them. */
#include <string.h>

#include "text/ascii.h"
#include "text/text_markup.h"
#include "text/words.h"

/* The rest of a text. */
typedef struct rest {
    const char *at;
    size_t length;
} rest;

static bool begins(rest r, const char *with) {
    const size_t bytes = strlen(with);
    return r.length >= bytes && memcmp(r.at, with, bytes) == 0;
}
static bool begins_among(rest r, const char *const *list) {
    for (; *list; list++)
        if (begins(r, *list)) return true;
    return false;
}

/* A bar with another sign of tables behind it, or with a name and an equals sign, or another bar at
 * the end: prose explains what a bar means, too. */
static bool is_row(rest r) {
    size_t i = 1;
    if (begins(r, "{|")) return true;
    if (r.length < 2 || r.at[0] != '|') return false;
    if (strchr("-+}", r.at[1]) || r.at[r.length - 1] == '|') return true;
    while (i < r.length && r.at[i] == ' ') i++;
    while (i < r.length && alcore__is_name(r.at[i])) i++;
    while (i < r.length && r.at[i] == ' ') i++;
    return i < r.length && r.at[i] == '=';
}

/* A point and the name of a request, of one or two letters: conditions and indexes whatever is
 * behind them, others where nothing, a number, a quotation mark or an escape is; or a comment. */
static bool is_request(rest r) {
    static const char any[] = " IX if ie el ds nr ";
    static const char named[] =
        " IP TP PP LP P HP RS RE TH PD OP UR MT ME BR RB IR RI BI IB Sp Vb Ve "
        "TS TE EX EE SY YS TQ br nf fi sp ad nh hy na ft ne pc rr ";
    char name[] = "    ";
    size_t i = 1;
    if (begins(r, ".\\\"") || begins(r, "'\\\"")) return true;
    if (!begins(r, ".")) return false;
    for (; i < 3 && i < r.length && alcore__is_letter(r.at[i]); i++) name[i] = r.at[i];
    name[i + 1] = '\0';
    if (i == 1 || (i < r.length && !alcore__is_word_space(r.at[i]))) return false;
    if (i < r.length && strstr(any, name)) return true;
    while (i < r.length && (alcore__is_word_space(r.at[i]) || alcore__is_digit(r.at[i]))) i++;
    return strstr(named, name) && (i == r.length || r.at[i] == '"' || r.at[i] == '\\');
}

/* A target of reStructuredText, with nothing or an address behind its name; or a directive that
 * declares or includes something, with a colon in its name or one of these, and no sentence behind
 * it. Other directives, as notes, have prose behind them. */
static bool is_directive(rest r) {
    static const char named[] =
        " index module currentmodule function method attribute data class exception decorator "
        "classmethod staticmethod abstractmethod coroutinemethod coroutinefunction property "
        "describe envvar option cmdoption program highlight code code-block sourcecode "
        "literalinclude include toctree image contents sectionauthor moduleauthor automodule "
        "autoclass autofunction automethod audit-event opcode productionlist testsetup testcode "
        "testoutput doctest role default-role ";
    enum { LONGEST_NAME = 20 };
    char name[LONGEST_NAME + 3] = " ";
    size_t i = 3, bytes = 1;
    bool domain = false;
    if (!begins(r, ".. ")) return false;
    if (begins(r, ".. _")) {
        const char *colon = memchr(r.at, ':', r.length);
        if (!colon) return false;
        const char *end = r.at + r.length;
        while (colon + 1 < end && colon[1] == ' ') colon++;
        return !memchr(colon + 1, ' ', (size_t)(end - colon - 1));
    }
    for (; i + 1 < r.length && !(r.at[i] == ':' && r.at[i + 1] == ':'); i++) {
        if (!(alcore__is_name(r.at[i]) || r.at[i] == '-' || r.at[i] == ':')) return false;
        if (bytes > LONGEST_NAME) return false;
        domain = domain || r.at[i] == ':';
        name[bytes++] = r.at[i];
    }
    name[bytes] = ' ';
    if (i + 1 >= r.length || bytes == 1 || strchr(".!?", r.at[r.length - 1])) return false;
    return domain || strstr(named, name);
}

/* The head of a function or class of Python: "def add(self, x):", "class Foo(object):". Behind a
 * class, the ending of a plural and a number are none: "class name(s):", "class file(5):". */
static bool is_definition(rest r) {
    enum { LONGEST_ENDING = 2 };
    const bool is_class = begins(r, "class ");
    size_t i = begins(r, "def ") ? 4 : is_class ? 6 : 0, depth = 0;
    if (i == 0 || i >= r.length || alcore__is_digit(r.at[i])) return false;
    const size_t name = i;
    while (i < r.length && alcore__is_name(r.at[i])) i++;
    if (i == name || i == r.length || r.at[i] != '(') return false;
    const size_t inside = i + 1;
    for (; i < r.length; i++) {
        depth += r.at[i] == '(';
        if (r.at[i] == ')' && --depth == 0) break;
    }
    if (i + 1 >= r.length || r.at[i + 1] != ':') return false;
    return !(is_class && (alcore__is_digit(r.at[inside]) ||
                          (alcore__is_small(r.at[inside]) && i - inside <= LONGEST_ENDING)));
}

/* Nothing but the name of a file, a host or a module: parts of two letters, digits or more with
 * points before small letters, two colons or slashes between; an item of a list, or a colon behind
 * it, too. */
static bool is_dotted(rest r) {
    size_t part = 0, points = 0, i = begins(r, "* ") || begins(r, "- ") ? 2 : 0;
    const size_t end = r.length - (r.at[r.length - 1] == ':');
    for (; i < end; i++) {
        const char c = r.at[i];
        if (c == '.') {
            if (part < 2 || i + 2 >= end) return false;
            if (!alcore__is_small(r.at[i + 1]) || !alcore__is_name(r.at[i + 2])) return false;
            points++;
            part = 0;
            continue;
        }
        if (c == ':' && i + 2 < end && r.at[i + 1] == ':') {
            if (part < 2 || !alcore__is_name(r.at[i + 2])) return false;
            points++;
            part = 0;
            i++;
            continue;
        }
        if (!alcore__is_name(c) && c != '-' && c != '/') return false;
        part = c == '/' ? 0 : part + 1;
    }
    return points > 0;
}

/* A name of small letters and its value, without blanks: "dc=example,dc=org". Help names capitals:
 * "NAME=VALUE". */
static bool is_assignment(rest r) {
    size_t i = 0;
    while (i < r.length && (alcore__is_small(r.at[i]) || r.at[i] == '_' || r.at[i] == '-')) i++;
    if (i == 0 || i + 1 >= r.length || r.at[i] != '=') return false;
    while (i < r.length && r.at[i] > ' ' && r.at[i] < '\x7F') i++;
    return i == r.length;
}

/* A declaration of HTML or XML that ends where the text does, an import at Python's prompt, or a
 * directive of C that includes a file or defines a name. */
static bool is_code(rest r) {
    static const char *const imports[] = {">>> import ", ">>> from ", NULL};
    static const char define[] = "#define ", include[] = "#include <";
    static const char *const declarations[] = {"<!DOCTYPE ", "<!doctype ", "<?xml ", NULL};
    if (begins(r, include) && r.length >= sizeof include)
        return alcore__is_letter(r.at[sizeof include - 1]);
    if (begins(r, define) && r.length >= sizeof define) {
        const char first = r.at[sizeof define - 1];
        return first == '_' || (first >= 'A' && first <= 'Z');
    }
    return begins_among(r, imports) ||
           (begins_among(r, declarations) &&
            (const char *)memchr(r.at, '>', r.length) == r.at + r.length - 1);
}

/* Whether a word is an address in brackets, with punctuation behind or not. */
static bool is_bracketed_address(const char *word, size_t bytes) {
    return bytes > 2 && word[0] == '<' && memchr(word, '@', bytes) && memchr(word, '>', bytes);
}

/* Two to four words with capitals before each address; numbers, as years are, stand anywhere, and
 * behind a signature ("-- Name Name <a@b>  Tue, 09 Feb 2021") anything. */
static bool are_names(rest r) {
    const char *next = r.at, *word;
    const bool signature = begins(r, "-- ");
    int names = 0, addresses = 0;
    size_t bytes;
    if (signature) next += 3;
    while (alcore__word_next(&next, r.at + r.length, &word, &bytes)) {
        if (is_bracketed_address(word, bytes)) {
            if (names < 2 || names > 4) return false;
            if (signature) return true;
            addresses++;
            names = 0;
            continue;
        }
        if (alcore__is_digit(*word)) continue;
        if (!((*word >= 'A' && *word <= 'Z') || (unsigned char)*word >= 0x80)) return false;
        if (word[bytes - 1] == ':') return false;
        names++;
    }
    return addresses > 0 && names == 0;
}

/* Most texts are told by their first byte, or by having no "@". */
bool alcore__text_markup_line(const char *text, size_t length) {
    size_t i = 0;
    while (i < length && alcore__is_word_space(text[i])) i++;
    while (length > i && alcore__is_word_space(text[length - 1])) length--;
    const rest r = {text + i, length - i};
    if (r.length == 0) return false;
    switch (*r.at) {
    case '|':
    case '{':
        return is_row(r);
    case '.':
        return is_request(r) || is_directive(r);
    case '\'':
        return is_request(r);
    case '<':
    case '>':
    case '#':
        return is_code(r);
    default:
        return is_dotted(r) || is_assignment(r) || is_definition(r) ||
               (memchr(r.at, '@', r.length) && are_names(r));
    }
}
