/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that libalcore has written, and the backslashes and quotes of the others (table_origin.h).
 * The mark is the whole first line, as no other mark survives an editor: names that somebody else
 * chose are rarely those in this order. Where they are, a backslash that libalcore would not have
 * written ends the reading, so that nothing is decoded by mistake. */
#include "formats/table_origin.h"

#include <string.h>

#include "alcore/remedy.h"
#include "formats/escape.h"

/* First lines of tables. "*": any names; "?NAME": NAME or nothing; "+": more names may follow. */
static const char *const own_headers[] = {
    "index id text ?reference ?lang ?group ?cost",                          /* a pool */
    "rank index id score cost * reason text +",                             /* a selection */
    "phrase occ length first_index first_position in_labeled semi_maximal", /* phrases */
    "req_id kind lang cost text context +",                                 /* requests */
    "id text translation flags",                                            /* answers */
    "kind src tgt provenance",                                              /* a training set */
};

static bool is_name(const alcore__field *field, const char *word, size_t length) {
    return field->length == length && memcmp(field->text, word, length) == 0;
}

/* How many of the names are those of one first line; 0: they are not. */
static size_t match(const alcore__fields *names, const char *words) {
    size_t i = 0;
    for (bool any = false; *words;) {
        const bool optional = *words == '?';
        const char *word = words + optional;
        const size_t length = strcspn(word, " ");
        words = word + length + (word[length] == ' ');
        if (length == 1 && *word == '+') return i;
        if (length == 1 && *word == '*') {
            any = true;
            continue;
        }
        while (any && i < names->count && !is_name(&names->items[i], word, length)) i++;
        any = false;
        if (i < names->count && is_name(&names->items[i], word, length))
            i++;
        else if (!optional)
            return 0;
    }
    return i == names->count ? i : 0;
}

size_t alcore__table_own_columns(const alcore__fields *names) {
    size_t found = 0;
    for (size_t i = 0; i < sizeof own_headers / sizeof *own_headers && found == 0; i++)
        found = match(names, own_headers[i]);
    return found;
}

alcore__decoding alcore__decoding_of_tsv(const alcore__fields *names, int32_t escapes) {
    const size_t own = alcore__table_own_columns(names);
    const bool automatic = escapes == 0 && own > 0;
    return (alcore__decoding){.columns = automatic ? own : SIZE_MAX,
                              .decode = automatic || escapes == ALCORE_ESCAPES_ON,
                              .strict = automatic && own == names->count,
                              .foreign = own < names->count};
}

/* Whether a field is as programs write one in quotes: those inside are doubled. */
static bool looks_quoted(const alcore__field *field) {
    const char *text = field->text, *end = text + field->length - 1;
    if (field->length < 2 || *text != '"' || *end != '"') return false;
    for (const char *next = text + 1; (next = memchr(next, '"', (size_t)(end - next))); next += 2)
        if (next + 1 == end || next[1] != '"') return false;
    return true;
}

/* The first backslash that is (known) or is not a part of \t, \n or \\; NULL: there is none. */
static const char *find_escape(const alcore__field *field, bool known) {
    const char *next = field->text, *end = next + field->length;
    while ((next = memchr(next, '\\', (size_t)(end - next)))) {
        const bool escape = next + 1 < end && memchr("tn\\", next[1], 3);
        if (escape == known) return next;
        next += escape ? 2 : 1;
    }
    return NULL;
}

/* Counts what quotes and backslashes may mean: all in a table of another origin; in one of
 * libalcore's, whose texts may stand in quotes, only those that also double the quotes inside, as
 * another program does when it saves the table again. */
static void count_marks(alcore__decoding *self, int64_t line, bool decoded,
                        const alcore__field *field) {
    const bool quoted = !self->csv && looks_quoted(field) &&
                        (self->foreign || memchr(field->text + 1, '"', field->length - 2));
    if (quoted && self->quoted++ == 0) self->first_quoted = line;
    if (self->foreign && !decoded && find_escape(field, true) && self->escaped++ == 0)
        self->first_escaped = line;
    const bool missing = field->length == 2 && memcmp(field->text, "NA", 2) == 0;
    if (missing && (self->foreign || self->csv) && self->missing++ == 0) self->first_missing = line;
}

alcore_status alcore__decode_field(alcore__decoding *self, const alcore__line_reader *lines,
                                   size_t column, alcore__field *field) {
    const bool decoded = self->decode && column < self->columns;
    count_marks(self, lines->line, decoded, field);
    if (!decoded) return ALCORE_OK;
    if (self->strict && find_escape(field, false))
        return alcore__fail_remedy(
            alcore__lines_fail(
                lines,
                "a backslash before something else than t, n and a backslash, which libalcore, "
                "whose first line this table has, would have doubled"),
            ALCORE_REMEDY_OPTION, "escapes", "off", "reads backslashes as they stand");
    field->length = alcore__tsv_unescape(field->text, field->length);
    return ALCORE_OK;
}

void alcore__decoding_report(const alcore__decoding *self, const alcore__line_reader *lines) {
    if (self->quoted > 0)
        alcore__log(
            lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
            "%s: %lld fields have quotes around them, the first in line %lld: they are read "
            "as a part of the text; a table that was written with quotes, as spreadsheets "
            "and pandas do, is read with the format csv or under a name that ends in .csv",
            lines->path, (long long)self->quoted, (long long)self->first_quoted);
    if (self->escaped > 0)
        alcore__log(
            lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
            "%s: %lld fields have \\t, \\n or \\\\, the first in line %lld: they are read as "
            "they stand; with escapes=on they are a TAB, a line break and a backslash",
            lines->path, (long long)self->escaped, (long long)self->first_escaped);
    if (self->missing > 0)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s: %lld fields are NA, the first in line %lld: they are read as these two "
                    "letters; R writes a missing value so, and none with na = \"\"",
                    lines->path, (long long)self->missing, (long long)self->first_missing);
}
