/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the test sets of WMT and IWSLT, in SGML or XML (docs/formats.md): each <seg id="...">
 * is a text. A segment begins and ends in one line, as in all of them; what stands outside of
 * segments is passed over, except the name of the document, which becomes the group of its
 * segments. It is no parser of XML: these files are none, "&" stands for itself in many of them.
 *
 * A file has one side, the source, a reference or a system's output. One with several is refused,
 * since their segments would become one list; so is a segment without an id, as those of TMX are.
 */
#include <string.h>
#include <strings.h>

#include "formats/record_format.h"
#include "text/utf8.h"

typedef struct sgml_state {
    char side[8];            /* element that began the side: "srcset", "ref"; "": none did so far */
    char second[8];          /* element that began a second side; "": there is none */
    int64_t segments;        /* so far */
    alcore__buffer document; /* docid or id of the last <doc>; empty: none */
} sgml_state;

/* The first element called `name` in text [length], in any case: the "<"; NULL: there is none. */
static char *find_element(char *text, size_t length, const char *name) {
    const size_t bytes = strlen(name);
    char *end = text + length;
    for (char *next = text; (next = memchr(next, '<', (size_t)(end - next))); next++) {
        const size_t left = (size_t)(end - next) - 1;
        if (left < bytes || strncasecmp(next + 1, name, bytes) != 0) continue;
        if (left == bytes || strchr(" \t>/", next[1 + bytes])) return next;
    }
    return NULL;
}

/* The value of an attribute of the element [begin, end), in quotes or without them; NULL: it has
 * none of that name. */
static const char *find_attribute(const char *begin, const char *end, const char *name,
                                  size_t *out_length) {
    const size_t bytes = strlen(name);
    for (const char *next = begin; next + bytes + 1 < end; next++) {
        if ((*next != ' ' && *next != '\t') || strncasecmp(next + 1, name, bytes) != 0) continue;
        if (next[1 + bytes] != '=') continue;
        const char *value = next + bytes + 2;
        const bool quoted = value < end && (*value == '"' || *value == '\'');
        const char *stop = value + quoted;
        while (stop < end && (quoted ? *stop != *value : *stop != ' ' && *stop != '>')) stop++;
        *out_length = (size_t)(stop - value - quoted);
        return value + quoted;
    }
    return NULL;
}

/* Notes the side that an element of the line begins: the first one, or that there is a second: a
 * set that begins after a side has begun, or an element of another name. Called with what stands
 * before the segment of a line. */
static void note_side(sgml_state *state, char *text, size_t length) {
    static const char *const sides[] = {"srcset", "refset", "tstset", "src", "ref", "hyp"};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        if (!find_element(text, length, sides[i])) continue;
        const bool is_set = i < 3; /* <src> occurs in every document, <srcset> once a file */
        const bool begun = state->side[0] != '\0';
        if (begun && (is_set || strcmp(state->side, sides[i]) != 0))
            strcpy(state->second, sides[i]);
        else
            strcpy(state->side, sides[i]);
    }
}

/* Keeps the name of the document that begins in the line. */
static alcore_status keep_document(sgml_state *state, const alcore__line_reader *lines, char *text,
                                   size_t length) {
    const char *element = find_element(text, length, "doc"), *end = text + length;
    size_t bytes = 0;
    if (!element) return ALCORE_OK;
    const char *stop = memchr(element, '>', (size_t)(end - element));
    if (!stop) stop = end;
    const char *name = find_attribute(element, stop, "docid", &bytes);
    if (!name) name = find_attribute(element, stop, "id", &bytes);
    state->document.length = 0;
    return name ? alcore__buffer_append(lines->ctx, &state->document, name, bytes) : ALCORE_OK;
}

/* The character that text [length], which begins with "&", stands for, and in *out_bytes how long
 * its notation is; -1: "&" stands for itself. */
static int32_t read_entity(const char *text, size_t length, size_t *out_bytes) {
    static const struct {
        const char *name;
        char character;
    } names[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        *out_bytes = strlen(names[i].name);
        if (*out_bytes <= length && memcmp(text, names[i].name, *out_bytes) == 0)
            return names[i].character;
    }
    if (length < 4 || text[1] != '#') return -1;
    const bool hexadecimal = text[2] == 'x';
    int32_t code = 0;
    size_t i = 2 + (size_t)hexadecimal;
    for (; i < length && text[i] != ';' && code <= 0x10FFFF; i++) {
        const char c = text[i] | 0x20;
        const int digit = text[i] >= '0' && text[i] <= '9'      ? text[i] - '0'
                          : hexadecimal && c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                                : -1;
        if (digit < 0) return -1;
        code = code * (hexadecimal ? 16 : 10) + digit;
    }
    if (i == length || text[i] != ';' || i == 2 + (size_t)hexadecimal) return -1;
    *out_bytes = i + 1;
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code == 0 || code > 0x10FFFF || surrogate ? -1 : code;
}

/* Replaces the entities of a segment in place and returns the new length: no entity is shorter than
 * its character in UTF-8. */
static size_t decode(char *text, size_t length) {
    size_t kept = 0;
    for (size_t i = 0; i < length;) {
        size_t bytes = 1;
        const int32_t code = text[i] == '&' ? read_entity(text + i, length - i, &bytes) : -1;
        if (code < 0) {
            text[kept++] = text[i++];
        } else {
            kept += alcore__utf8_write(code, text + kept);
            i += bytes;
        }
    }
    return kept;
}

/* line of the format: a line with a segment is a record, any other is none. */
static alcore_status read_line(void *data, const alcore_read_options *options,
                               const alcore__line_reader *lines, char *text, size_t length,
                               alcore__record *record, bool *out_skip) {
    sgml_state *state = data;
    char *end = text + length, *element = find_element(text, length, "seg");
    const size_t before = element ? (size_t)(element - text) : length;
    size_t bytes;
    (void)options;
    *out_skip = !element;
    note_side(state, text, before);
    ALCORE__TRY(keep_document(state, lines, text, before));
    if (!element) return ALCORE_OK;
    if (state->second[0])
        return alcore__lines_fail(lines,
                                  "a <seg> of <%s>, and those before it are of <%s>: a file has to "
                                  "have one side",
                                  state->second, state->side);
    char *begin = memchr(element, '>', (size_t)(end - element));
    char *stop = begin ? find_element(begin + 1, (size_t)(end - begin - 1), "/seg") : NULL;
    if (!stop) return alcore__lines_fail(lines, "the <seg> does not end in its line");
    if (!find_attribute(element, begin, "id", &bytes))
        return alcore__lines_fail(lines, "a <seg> without an id, which those of test sets have");
    if (find_element(stop + 1, (size_t)(end - stop - 1), "seg"))
        return alcore__lines_fail(lines, "a second <seg> in the line");
    for (begin++; begin < stop && (*begin == ' ' || *begin == '\t'); begin++) continue;
    while (stop > begin && (stop[-1] == ' ' || stop[-1] == '\t')) stop--;
    record->text = begin;
    record->text_length = decode(begin, (size_t)(stop - begin));
    if (state->document.length > 0) {
        record->group = state->document.data;
        record->group_length = state->document.length;
    }
    state->segments++;
    return ALCORE_OK;
}

/* After the last line: a file without a segment is an error. */
static alcore_status check_end(void *data, const alcore__line_reader *lines, alcore__record *record,
                               bool *out_skip) {
    const sgml_state *state = data;
    (void)record, (void)out_skip;
    if (state->segments > 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s has no <seg id=\"...\">: it is no test set in SGML",
                        lines->path);
}

static void clear(void *data, alcore_ctx *ctx) {
    sgml_state *state = data;
    alcore__buffer_clear(ctx, &state->document);
}

/* Transient: a record's group is a view of the state. */
const alcore__record_format alcore__sgml_format = {.name = "sgml",
                                                   .transient = true,
                                                   .state_bytes = sizeof(sgml_state),
                                                   .line = read_line,
                                                   .end = check_end,
                                                   .clear = clear};
