/* SPDX-License-Identifier: Apache-2.0 */
/* SGML and XML cut into pieces (markup.h). It is no parser of XML, as libexpat is, because most of
 * these files are none: in the SGML of NIST and WMT "&" and "<" stand for themselves, attributes
 * lack quotes, names have any case and elements no end tag, all of which a parser has to refuse. */
#include "formats/markup.h"

#include <string.h>
#include <strings.h>

#include "text/utf8.h"

/* What a line may end within. */
enum { NOTHING, COMMENT, CDATA, INSTRUCTION, DECLARATION, TAG };

/* A tag that is longer has no end: a quote or the > is missing. */
#define MAX_TAG_BYTES ((size_t)64 << 10)

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Whether text [length] begins with a mark such as "<!--", in any case. */
static bool begins(const char *text, size_t length, const char *mark) {
    return length >= strlen(mark) && strncasecmp(text, mark, strlen(mark)) == 0;
}

void alcore__markup_line(alcore__markup *markup, const char *text, size_t length) {
    markup->next = text;
    markup->end = text + length;
}

static size_t left(const alcore__markup *markup) {
    return (size_t)(markup->end - markup->next);
}

/* ---- tags ---- */

bool alcore__markup_is(const alcore__markup_piece *tag, const char *name) {
    const size_t bytes = strlen(name);
    if (!begins(tag->text, tag->length, name)) return false;
    return tag->length == bytes || is_blank(tag->text[bytes]) || tag->text[bytes] == '/';
}

/* Moves *next over an attribute such as id="1", id = 1 or checked. name and value are views; value
 * is NULL where there is none. False at the end of the tag. */
static bool next_attribute(const char **next, const char *end, alcore__markup_piece *name,
                           alcore__markup_piece *value) {
    const char *at = *next;
    while (at < end && (is_blank(*at) || *at == '/')) at++;
    *name = (alcore__markup_piece){0, at, 0};
    *value = (alcore__markup_piece){0};
    while (at < end && !is_blank(*at) && *at != '=') at++;
    name->length = (size_t)(at - name->text);
    while (at < end && is_blank(*at)) at++;
    *next = at;
    if (at == end || *at != '=') return name->length > 0;
    for (at++; at < end && is_blank(*at);) at++;
    const char quote = at < end && (*at == '"' || *at == '\'') ? *at : '\0';
    value->text = at += quote != '\0';
    while (at < end && (quote ? *at != quote : !is_blank(*at))) at++;
    value->length = (size_t)(at - value->text);
    *next = at + (quote && at < end);
    return true;
}

const char *alcore__markup_attribute(const alcore__markup_piece *tag, const char *name,
                                     size_t *out_length) {
    const char *next = tag->text, *end = tag->text + tag->length;
    alcore__markup_piece found, value;
    while (next < end && !is_blank(*next)) next++; /* the name of the element */
    while (next_attribute(&next, end, &found, &value)) {
        if (!value.text || found.length != strlen(name) ||
            strncasecmp(found.text, name, found.length) != 0)
            continue;
        *out_length = value.length;
        return value.text;
    }
    return NULL;
}

/* The > that ends the tag whose bytes continue at `from`; NULL: it does not stand in the line. A
 * quote opens a value only behind "=", as titles have apostrophes of their own. */
static const char *find_tag_end(alcore__markup *markup, const char *from) {
    for (const char *at = from; at < markup->end; at++) {
        if (markup->quote) {
            if (*at == markup->quote) markup->quote = '\0';
        } else if (*at == '>') {
            return at;
        } else if ((*at == '"' || *at == '\'') && markup->before == '=') {
            markup->quote = *at;
        }
        if (!is_blank(*at)) markup->before = *at;
    }
    return NULL;
}

/* Cuts off the rest of a tag. Where it began in this line, at the <, and ends in it, *out is a view
 * of the line; else its parts are collected with a space in place of each line break. */
static alcore_status read_tag(alcore__markup *markup, const alcore__line_reader *lines,
                              alcore__markup_piece *out) {
    const bool begun = markup->tag.length > 0;
    const char *from = markup->next + !begun, *end = find_tag_end(markup, from);
    if (begun || !end) {
        const size_t bytes = (size_t)((end ? end : markup->end) - from);
        ALCORE__TRY(alcore__buffer_append(lines->ctx, &markup->tag, from, bytes));
        if (!end) ALCORE__TRY(alcore__buffer_append(lines->ctx, &markup->tag, " ", 1));
    }
    markup->next = end ? end + 1 : markup->end;
    if (markup->tag.length > MAX_TAG_BYTES) {
        markup->inside = NOTHING;
        return alcore__lines_fail(lines, "the tag that begins in line %lld has no end",
                                  (long long)markup->begin_line);
    }
    if (!end) return ALCORE_OK;
    markup->inside = NOTHING;
    *out = begun ? (alcore__markup_piece){ALCORE__MARKUP_TAG, markup->tag.data, markup->tag.length}
                 : (alcore__markup_piece){ALCORE__MARKUP_TAG, from, (size_t)(end - from)};
    return ALCORE_OK;
}

/* ---- what is passed over ---- */

/* Moves behind `mark` in the line, which ends what the line is within; to the end of the line
 * where it does not stand there. Returns where the mark stands, or the end of the line. */
static const char *move_behind(alcore__markup *markup, const char *mark) {
    const char *found = memmem(markup->next, left(markup), mark, strlen(mark));
    markup->next = found ? found + strlen(mark) : markup->end;
    if (found) markup->inside = NOTHING;
    return found ? found : markup->end;
}

/* Moves over a declaration such as <!DOCTYPE mteval SYSTEM "..." [ ... ]>. One of an entity is an
 * error: texts would keep its name in place of what it stands for. */
static alcore_status pass_declaration(alcore__markup *markup, const alcore__line_reader *lines) {
    for (; markup->next < markup->end; markup->next++) {
        const char byte = *markup->next;
        if (begins(markup->next, left(markup), "<!ENTITY"))
            return alcore__fail(
                ALCORE_E_UNSUPPORTED,
                "%s:%lld: an entity is declared, which is not read: expand entities "
                "with xmllint first",
                lines->path, (long long)lines->line);
        markup->depth += (byte == '[') - (byte == ']');
        if (byte != '>' || markup->depth > 0) continue;
        markup->next++;
        markup->inside = NOTHING;
        break;
    }
    return ALCORE_OK;
}

/* Fails when the instruction that begins the file, <?xml version="1.0" encoding="...">, names
 * another encoding than UTF-8. */
static alcore_status check_encoding(const alcore__markup *markup,
                                    const alcore__line_reader *lines) {
    static const char *const fine[] = {"utf-8", "utf8", "us-ascii", "ascii"};
    size_t length;
    const alcore__markup_piece tag = {ALCORE__MARKUP_TAG, markup->next + 2, left(markup) - 2};
    const char *name = alcore__markup_attribute(&tag, "encoding", &length);
    if (!name || !begins(markup->next, left(markup), "<?xml")) return ALCORE_OK;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        if (strlen(fine[i]) == length && strncasecmp(name, fine[i], length) == 0) return ALCORE_OK;
    const int shown = length < 40 ? (int)length : 40;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "%s says that its encoding is %.*s: convert it with iconv -f %.*s -t UTF-8 "
                        "and correct its first line",
                        lines->path, shown, name, shown, name);
}

/* ---- pieces ---- */

/* What begins at text [length]; NOTHING: text. */
static int32_t kind_at(const char *text, size_t length, const char *const *names) {
    if (length < 2 || *text != '<') return NOTHING;
    if (begins(text, length, "<!--")) return COMMENT;
    if (begins(text, length, "<![CDATA[")) return CDATA;
    if (names) {
        const alcore__markup_piece rest = {ALCORE__MARKUP_TAG, text + 1, length - 1};
        for (; *names; names++) {
            const size_t bytes = strlen(*names);
            if (alcore__markup_is(&rest, *names) ||
                (begins(rest.text, rest.length, *names) && rest.text[bytes] == '>'))
                return TAG;
        }
        return NOTHING;
    }
    if (text[1] == '?') return INSTRUCTION;
    if (length > 2 && text[1] == '!' && is_letter(text[2])) return DECLARATION;
    return is_letter(text[1]) || (length > 2 && text[1] == '/' && is_letter(text[2])) ? TAG
                                                                                      : NOTHING;
}

/* Cuts off the text up to the next thing that is none. */
static void read_text(alcore__markup *markup, const char *const *names, alcore__markup_piece *out) {
    const char *stop = markup->next + 1;
    while (stop < markup->end) {
        stop = memchr(stop, '<', (size_t)(markup->end - stop));
        if (!stop) stop = markup->end;
        if (stop == markup->end || kind_at(stop, (size_t)(markup->end - stop), names)) break;
        stop++;
    }
    *out = (alcore__markup_piece){ALCORE__MARKUP_TEXT, markup->next, (size_t)(stop - markup->next)};
    markup->next = stop;
}

/* Begins what stands at markup->next, if it is no text. */
static alcore_status begin_inside(alcore__markup *markup, const alcore__line_reader *lines,
                                  const char *const *names) {
    static const size_t marks[] = {
        [COMMENT] = 4, [CDATA] = 9, [INSTRUCTION] = 0, [DECLARATION] = 0, [TAG] = 0};
    markup->inside = kind_at(markup->next, left(markup), names);
    markup->begin_line = lines->line;
    markup->quote = markup->before = '\0';
    markup->depth = 0;
    markup->tag.length = 0;
    if (markup->inside == INSTRUCTION) ALCORE__TRY(check_encoding(markup, lines));
    if (markup->inside != NOTHING) markup->next += marks[markup->inside];
    return ALCORE_OK;
}

/* Moves on within what the line is inside of; out->kind is set where that gives a piece. */
static alcore_status read_inside(alcore__markup *markup, const alcore__line_reader *lines,
                                 alcore__markup_piece *out) {
    const char *from = markup->next;
    switch (markup->inside) {
    case COMMENT:
        move_behind(markup, "-->");
        return ALCORE_OK;
    case INSTRUCTION: /* ends in ?> in XML and in > in SGML */
        move_behind(markup, ">");
        return ALCORE_OK;
    case DECLARATION:
        return pass_declaration(markup, lines);
    case CDATA:
        *out = (alcore__markup_piece){ALCORE__MARKUP_LITERAL, from,
                                      (size_t)(move_behind(markup, "]]>") - from)};
        return ALCORE_OK;
    default:
        return read_tag(markup, lines, out);
    }
}

alcore_status alcore__markup_next(alcore__markup *markup, const alcore__line_reader *lines,
                                  const char *const *names, alcore__markup_piece *out) {
    *out = (alcore__markup_piece){ALCORE__MARKUP_END, "", 0};
    while (out->kind == ALCORE__MARKUP_END && markup->next < markup->end) {
        if (!markup->inside) ALCORE__TRY(begin_inside(markup, lines, names));
        if (markup->inside)
            ALCORE__TRY(read_inside(markup, lines, out));
        else
            read_text(markup, names, out);
    }
    return ALCORE_OK;
}

alcore_status alcore__markup_finish(const alcore__markup *markup,
                                    const alcore__line_reader *lines) {
    static const char *const nouns[] = {
        [COMMENT] = "comment",
        [CDATA] = "CDATA section",
        [INSTRUCTION] = "instruction",
        [DECLARATION] = "declaration",
        [TAG] = "tag",
    };
    if (!markup->inside) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s:%lld: the %s that begins here has no end", lines->path,
                        (long long)markup->begin_line, nouns[markup->inside]);
}

void alcore__markup_clear(alcore_ctx *ctx, alcore__markup *markup) {
    alcore__buffer_clear(ctx, &markup->tag);
}

/* ---- entities ---- */

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

/* In place, since no entity is shorter than its character in UTF-8. */
size_t alcore__markup_decode(char *text, size_t length) {
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
