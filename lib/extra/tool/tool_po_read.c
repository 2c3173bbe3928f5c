/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of PO that came back (tool_po_read.h). Our own reader and not libgettextpo: that one
 * keeps whole files in memory, and its handlers of errors must not return.
 *
 * An entry is comments, msgctxt, msgid, msgid_plural and msgstr, each followed by strings on lines
 * of their own. It ends at an empty line, or where another one begins: at any of them but a string
 * behind its msgstr. */
#include <string.h>
#include <strings.h>

#include "extra/tool/tool_po_read.h"
#include "extra/tool/tool_unit.h"
#include "formats/line_reader.h"
#include "text/utf8.h"

typedef struct reading {
    alcore__line_reader lines;
    alcore__buffer line;       /* the present one, with a NUL behind it */
    alcore__unit unit;         /* of the entry: its msgctxt, msgid and msgstr, and its comment */
    alcore__buffer *field;     /* to which strings belong; NULL: none may come */
    alcore__buffer other;      /* strings that are passed over */
    alcore__buffer translator; /* the header's Last-Translator; empty: it names none */
    bool has_context, has_source, has_target; /* of the entry, so far */
    bool fuzzy, plural, obsolete;             /* it is */
    bool has_entry;                           /* the file has one */
} reading;

static void begin_entry(reading *self) {
    alcore__unit_begin(&self->unit, self->lines.line);
    self->field = NULL;
    self->has_context = self->has_source = self->has_target = false;
    self->fuzzy = self->plural = self->obsolete = false;
}

/* ---- the header ---- */

/* The value of a line of the header; NULL: it has no such line. */
static const char *header_value(const alcore__buffer *header, const char *name, size_t *length) {
    const char *line = alcore__unit_text(header);
    const size_t bytes = strlen(name);
    for (; *line; line += *line == '\n') {
        const size_t end = strcspn(line, "\n");
        if (end > bytes && strncasecmp(line, name, bytes) == 0 && line[bytes] == ':') {
            const char *value = line + bytes + 1;
            value += strspn(value, " ");
            *length = (size_t)(line + end - value);
            return value;
        }
        line += end;
    }
    return NULL;
}

/* Files in another encoding than UTF-8 are refused; "CHARSET" is what templates have. */
static alcore_status check_charset(reading *self, const alcore__buffer *header) {
    size_t length;
    const char *type = header_value(header, "Content-Type", &length);
    const char *charset = type ? strstr(type, "charset=") : NULL;
    if (!charset || charset > type + length) return ALCORE_OK;
    charset += strlen("charset=");
    const size_t bytes = strcspn(charset, " ;\n");
    static const char *const fine[] = {"UTF-8", "UTF8", "ASCII", "US-ASCII", "CHARSET"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (strlen(fine[i]) == bytes && strncasecmp(fine[i], charset, bytes) == 0) return ALCORE_OK;
    return alcore__lines_fail(&self->lines,
                              "the entries are in %.*s: convert the file with msgconv -t UTF-8",
                              (int)(bytes < 40 ? bytes : 40), charset);
}

static alcore_status end_header(reading *self) {
    static const char template[] = "FULL NAME <EMAIL@ADDRESS>";
    const alcore__buffer *header = &self->unit.target;
    alcore_ctx *ctx = self->lines.ctx;
    size_t length;
    const char *value = header_value(header, "Last-Translator", &length);
    ALCORE__TRY(check_charset(self, header));
    self->translator.length = 0;
    if (value && strncmp(value, template, length) != 0)
        ALCORE__TRY(alcore__buffer_append(ctx, &self->translator, value, length));
    value = header_value(header, "Project-Id-Version", &length);
    if (!value || length == 0 || alcore__utf8_check(value, length) < length) return ALCORE_OK;
    self->other.length = 0;
    ALCORE__TRY(alcore__buffer_append(ctx, &self->other, value, length));
    return alcore__tool_answers_set_batch(self->unit.into, self->other.data);
}

/* ---- entries ---- */

/* Ends the entry, if there is one. */
static alcore_status end_entry(reading *self) {
    alcore__unit *unit = &self->unit;
    alcore_status status = ALCORE_OK;
    if (self->has_source && !self->has_target && !self->obsolete)
        return alcore__lines_fail(&self->lines, "the entry before this line has no msgstr");
    if (!self->has_source || self->obsolete) {
        begin_entry(self);
        return ALCORE_OK;
    }
    self->has_entry = true;
    if (!self->has_context && unit->source.length == 0) {
        status = end_header(self);
    } else if (!self->has_context) {
        status = alcore__tool_answers_refuse(unit->into, unit->line,
                                             "the entry has no msgctxt, where the id is");
    } else if (self->plural) {
        status = alcore__tool_answers_refuse(unit->into, unit->line,
                                             "%s has plural forms, of which none is the answer",
                                             alcore__unit_text(&unit->id));
    } else {
        if (unit->target.length > 0)
            unit->state = self->fuzzy ? ALCORE__UNIT_PENDING : ALCORE__UNIT_FINAL;
        status = alcore__unit_set(unit, &unit->annotator, alcore__unit_text(&self->translator));
        if (status == ALCORE_OK) status = alcore__unit_end(unit);
    }
    begin_entry(self);
    return status;
}

/* The value of a hexadecimal or octal digit; -1: it is none. */
static int digit_of(char byte, int base) {
    const int digit = byte >= '0' && byte <= '9'                     ? byte - '0'
                      : (byte | 0x20) >= 'a' && (byte | 0x20) <= 'f' ? (byte | 0x20) - 'a' + 10
                                                                     : -1;
    return digit < base ? digit : -1;
}

/* Reads an escape, of which text is behind the backslash; *used: its bytes. */
static alcore_status read_escape(reading *self, const char *text, size_t length, size_t *used) {
    static const char letters[] = "abfnrtv\\\"'?", bytes[] = "\a\b\f\n\r\t\v\\\"'?";
    const char *letter = length > 0 && *text ? strchr(letters, *text) : NULL;
    const bool hex = length > 1 && *text == 'x';
    size_t at = hex ? 1 : 0;
    unsigned value = 0;
    if (letter) {
        *used = 1;
        return alcore__buffer_append(self->lines.ctx, self->field, &bytes[letter - letters], 1);
    }
    for (; at < 3 && at < length; at++) { /* \ooo, \xhh */
        const int digit = digit_of(text[at], hex ? 16 : 8);
        if (digit < 0) break;
        value = value * (hex ? 16 : 8) + (unsigned)digit;
    }
    if (at == (hex ? 1u : 0u) || value == 0 || value > 0xFF)
        return alcore__lines_fail(&self->lines, "a backslash stands before what is no escape");
    *used = at;
    const char byte = (char)value;
    return alcore__buffer_append(self->lines.ctx, self->field, &byte, 1);
}

/* Reads a string in quotes, to which nothing but blanks may follow, into the field. */
static alcore_status read_string(reading *self, const char *text, size_t length) {
    size_t at = strspn(text, " \t"), used;
    if (text[at] != '"' || !self->field)
        return alcore__lines_fail(&self->lines, "a string in quotes is expected, behind a keyword");
    for (at++; at < length && text[at] != '"'; at += used) {
        const char *end = text + at;
        while (end < text + length && *end != '"' && *end != '\\') end++;
        used = (size_t)(end - text) - at;
        ALCORE__TRY(alcore__buffer_append(self->lines.ctx, self->field, text + at, used));
        if (end == text + length || *end == '"') continue;
        ALCORE__TRY(read_escape(self, end + 1, length - at - used - 1, &used));
        used += (size_t)(end + 1 - text) - at;
    }
    if (at >= length) return alcore__lines_fail(&self->lines, "a quote is not closed");
    for (at++; at < length && (text[at] == ' ' || text[at] == '\t'); at++) continue;
    if (at < length) return alcore__lines_fail(&self->lines, "something stands behind the string");
    return ALCORE_OK;
}

/* Whether a line begins with a keyword; *rest: what stands behind it. */
static bool is_keyword(const char *text, const char *keyword, const char **rest) {
    const size_t length = strlen(keyword);
    *rest = text + length;
    return strncmp(text, keyword, length) == 0 && strchr(" \t\"[", text[length]);
}

/* Chooses the field of a keyword; *rest: the string behind it. ALCORE_E_DATA for another word. */
static alcore_status read_keyword(reading *self, const char *text, const char **rest) {
    alcore__unit *unit = &self->unit;
    if (is_keyword(text, "msgctxt", rest) && !self->has_context && !self->has_source) {
        self->has_context = true;
        self->field = &unit->id;
    } else if (is_keyword(text, "msgid", rest) && !self->has_source) {
        self->has_source = true;
        self->field = &unit->source;
        unit->line = self->lines.line;
    } else if (is_keyword(text, "msgid_plural", rest) && self->has_source && !self->has_target) {
        self->plural = true;
        self->field = &self->other;
    } else if (is_keyword(text, "msgstr", rest) && self->has_source &&
               (!self->has_target || self->plural)) {
        self->has_target = true;
        self->field = self->plural ? &self->other : &unit->target;
        if (**rest == '[') *rest += strcspn(*rest, "]") + (strchr(*rest, ']') != NULL);
    } else {
        return alcore__lines_fail(&self->lines, "this is no line of PO, or not in its place");
    }
    return ALCORE_OK;
}

/* Reads a line of comment: flags, a comment of a translator, an entry that is no more. */
static alcore_status read_comment(reading *self, const char *text, size_t length) {
    if (text[1] == '~') {
        self->obsolete = true;
    } else if (text[1] == ',') {
        for (const char *at = text + 1; *at; at += strcspn(at, ",")) {
            at += strspn(at, ", \t");
            const size_t word = strcspn(at, ", \t");
            self->fuzzy = self->fuzzy || (word == 5 && memcmp(at, "fuzzy", word) == 0);
        }
    } else if (text[1] == ' ' && length > 2) {
        ALCORE__TRY(alcore__unit_new_comment(&self->unit));
        return alcore__buffer_append(self->lines.ctx, &self->unit.comment, text + 2, length - 2);
    }
    return ALCORE_OK;
}

static alcore_status read_line(reading *self, const char *text, size_t length) {
    const char *rest;
    const size_t blanks = strspn(text, " \t");
    text += blanks;
    length -= blanks;
    if (length == 0) return end_entry(self);
    if (*text == '"') return read_string(self, text, length);
    /* What is no string behind a msgstr begins another entry. */
    const bool goes_on = self->plural && strncmp(text, "msgstr[", 7) == 0;
    if ((self->has_target && !goes_on) || (self->obsolete && strncmp(text, "#~", 2) != 0))
        ALCORE__TRY(end_entry(self));
    if (*text == '#') return read_comment(self, text, length);
    ALCORE__TRY(read_keyword(self, text, &rest));
    self->other.length = 0;
    return read_string(self, rest, (size_t)(text + length - rest));
}

/* An alcore__line_sink: lines are read from a copy, which ends with a NUL. */
static alcore_status read_copied_line(void *user, const alcore__line_reader *lines, char *text,
                                      size_t length) {
    reading *self = user;
    self->line.length = 0;
    ALCORE__TRY(alcore__buffer_append(lines->ctx, &self->line, text, length));
    return read_line(self, self->line.data, self->line.length);
}

static alcore_status read_lines(reading *self) {
    begin_entry(self);
    ALCORE__TRY(alcore__lines_each(&self->lines, read_copied_line, self));
    ALCORE__TRY(end_entry(self));
    if (self->has_entry) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s has no entry: it is no PO", self->lines.path);
}

alcore_status alcore__tool_read_po(alcore_ctx *ctx, const char *path,
                                   const alcore_tool_options *options, alcore_tool_answers *into) {
    reading self = {.unit = {.ctx = ctx, .into = into}};
    (void)options;
    ALCORE__TRY(alcore__lines_open(&self.lines, ctx, path, 0 /* the default limit of a line */));
    const alcore_status status = read_lines(&self);
    alcore__lines_close(&self.lines);
    alcore__unit_clear(&self.unit);
    alcore__buffer_clear(ctx, &self.other);
    alcore__buffer_clear(ctx, &self.translator);
    alcore__buffer_clear(ctx, &self.line);
    return status;
}
