/* SPDX-License-Identifier: Apache-2.0 */
/* Reading columns from text (score_text.h): one function per format turns a line into an
 * alcore__score_line. Marian and fairseq print several hypotheses of a sentence behind each other,
 * the best first: lines that repeat the sentence number of the line before are skipped. */
#include "formats/score_text.h"

#include <string.h>

#include "base/number.h"
#include "formats/table_fields.h"

#define LN2 0.693147180559945309417232121458

/* The state of one reading. */
typedef struct reader {
    alcore__line_reader lines;
    int32_t format;         /* ALCORE__SCORE_... */
    double *values;         /* [count] numbers of the present line */
    size_t capacity, count; /* entries values has memory for; numbers of the present line */
    int64_t next;      /* number of the present line or sentence, from 0, where none is printed */
    int64_t previous;  /* sentence number of the last Marian or fairseq line */
    bool has_previous; /* there was such a line */
    alcore__quoting quoting; /* of CSV */
    alcore__fields fields;   /* of the present line of CSV */
    size_t columns;          /* of CSV; 0 before the header was read */
    size_t id_column, number_column;
} reader;

/* The formats by the name that callers give, which is also a suffix for the first four. */
static const struct {
    const char *name;
    int32_t format;
} names[] = {{"txt", ALCORE__SCORE_TXT},       {"tsv", ALCORE__SCORE_TSV},
             {"csv", ALCORE__SCORE_CSV},       {"lp", ALCORE__SCORE_LP},
             {"marian", ALCORE__SCORE_MARIAN}, {"fairseq", ALCORE__SCORE_FAIRSEQ}};
#define NAMES (sizeof names / sizeof *names)

/* The format by its name, or without a name by the suffix of path, after a compression suffix; 0
 * for none. */
int32_t alcore__score_format(const char *name, const char *path) {
    size_t length = 0;
    if (name) {
        length = strlen(name);
    } else {
        size_t base;
        alcore__stream_compressed(path, &base);
        const char *dot = memrchr(path, '.', base);
        if (!dot) return 0;
        name = dot + 1;
        length = base - (size_t)(name - path);
        if (length > 3) return 0; /* the tools' formats have no suffix of their own */
    }
    if (length == 3 && memcmp(name, "tab", 3) == 0) name = "tsv";
    for (size_t i = 0; i < NAMES; i++)
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0)
            return names[i].format;
    return 0;
}

/* The error for a text that should be a number, cut to 40 bytes, with the cause if it is known. */
static alcore_status no_number(const reader *in, const char *text, size_t length) {
    const bool quoted = in->format == ALCORE__SCORE_TSV && length > 0 && *text == '"';
    return alcore__lines_fail(&in->lines, "\"%.*s\" is no number%s",
                              (int)(length < 40 ? length : 40), text,
                              quoted ? "; a table with quotes is read with the format csv"
                                     : alcore__number_fault(text, length));
}

/* Reads the numbers of text, separated by spaces, into in->values and in->count, each times scale
 * (fairseq: LN2, as its logarithms have the base 2). */
static alcore_status read_values(reader *in, const char *text, size_t length, double scale) {
    const char *next = text, *end = text + length;
    in->count = 0;
    for (;;) {
        while (next < end && *next == ' ') next++;
        if (next == end) return ALCORE_OK;
        const char *space = memchr(next, ' ', (size_t)(end - next));
        const char *stop = space ? space : end;
        if (in->count == in->capacity)
            ALCORE__TRY(alcore__grow(in->lines.ctx, &in->values, &in->capacity, in->count + 1,
                                     sizeof *in->values));
        double value;
        if (!alcore__parse_double(next, (size_t)(stop - next), &value))
            return no_number(in, next, (size_t)(stop - next));
        in->values[in->count++] = value * scale;
        next = stop;
    }
}

/* Reads the id up to the first TAB; *rest is what follows the TAB. */
static alcore_status read_id(const reader *in, char *text, size_t length, alcore__score_line *out,
                             const char **rest) {
    char *tab = memchr(text, '\t', length);
    if (!tab) return alcore__lines_fail(&in->lines, "no TAB between id and number");
    out->id = text;
    out->id_length = (size_t)(tab - text);
    out->may_be_escaped = memchr(text, '\\', out->id_length);
    *rest = tab + 1;
    if (out->id_length == 0) return alcore__lines_fail(&in->lines, "the id is empty");
    return ALCORE_OK;
}

/* "id TAB number". A first line "id TAB something" whose second field is no number is a header. */
static alcore_status read_tsv(reader *in, char *text, size_t length, alcore__score_line *out,
                              bool *out_skip) {
    const char *rest = text;
    ALCORE__TRY(read_id(in, text, length, out, &rest));
    size_t bytes = length - (size_t)(rest - text);
    if (memchr(rest, '\t', bytes))
        return alcore__lines_fail(&in->lines, "more than two columns: id TAB number is read");
    double value;
    bool number = alcore__parse_double(rest, bytes, &value);
    if (!number && in->lines.line == 1 && out->id_length == 2 && memcmp(out->id, "id", 2) == 0) {
        *out_skip = true;
        return ALCORE_OK;
    }
    if (!number) return no_number(in, rest, bytes);
    return read_values(in, rest, bytes, 1);
}

/* alcore__fields_fit: a first line of CSV names the ids. */
static bool names_ids(const void *user, const alcore__fields *header) {
    (void)user;
    for (size_t i = 0; i < header->count; i++)
        if (header->items[i].length == 2 && memcmp(header->items[i].text, "id", 2) == 0)
            return true;
    return false;
}

/* The first line of CSV: the column "id" and one other name. Columns without a name, such as the
 * index that pandas writes, are passed over. */
static alcore_status read_csv_header(reader *in) {
    const alcore__fields *header = &in->fields;
    size_t ids = 0, numbers = 0;
    for (size_t i = 0; i < header->count; i++) {
        const alcore__field *name = &header->items[i];
        const bool id = name->length == 2 && memcmp(name->text, "id", 2) == 0;
        if (id) in->id_column = i;
        if (!id && name->length > 0) in->number_column = i;
        ids += id;
        numbers += !id && name->length > 0;
    }
    in->columns = header->count;
    if (ids == 1 && numbers == 1) return ALCORE_OK;
    char list[200];
    alcore__fields_list(header, list);
    return alcore__lines_fail(
        &in->lines, "a column id and one of numbers are expected; the first line has %s", list);
}

/* A line of CSV: the header first. */
static alcore_status read_csv(reader *in, char *text, size_t length, alcore__score_line *out,
                              bool *out_skip) {
    const bool first = in->columns == 0;
    *out_skip = length == 0;
    if (in->quoting.delimiter == 0)
        ALCORE__TRY(alcore__csv_find_delimiter(&in->lines, text, length, names_ids, NULL,
                                               &in->fields, out_skip));
    if (*out_skip) return ALCORE_OK;
    ALCORE__TRY(alcore__fields_of_csv(&in->lines, text, length, in->columns, &in->fields));
    *out_skip = first;
    if (first) return read_csv_header(in);
    if (in->fields.count != in->columns)
        return alcore__lines_fail(&in->lines, "%zu columns, the header has %zu", in->fields.count,
                                  in->columns);
    const alcore__field *id = &in->fields.items[in->id_column];
    const alcore__field *number = &in->fields.items[in->number_column];
    out->id = id->text;
    out->id_length = id->length;
    if (id->length == 0) return alcore__lines_fail(&in->lines, "the id is empty");
    if (number->length == 0 || memchr(number->text, ' ', number->length))
        return no_number(in, number->text, number->length);
    return read_values(in, number->text, number->length, 1);
}

/* The last occurrence of mark in text, NULL without one: a translation may contain the mark
 * itself. */
static const char *find_last(const char *text, size_t length, const char *mark,
                             size_t mark_length) {
    const char *found = NULL, *next = text, *end = text + length;
    while ((next = memmem(next, (size_t)(end - next), mark, mark_length))) found = next++;
    return found;
}

/* "... ||| WordScores= -0.1 -0.2". A line with the best hypothesis alone ends in its scores and is
 * numbered by its place in the file; a line of an n-best list begins with the sentence number and
 * has more fields after the scores. */
static alcore_status read_marian(reader *in, const char *text, size_t length,
                                 alcore__score_line *out, bool *out_skip) {
    static const char mark[] = "||| WordScores=", separator[] = " |||";
    const char *end = text + length;
    const char *found = find_last(text, length, mark, sizeof mark - 1);
    if (!found)
        return alcore__lines_fail(&in->lines, "no WordScores=: run marian with --word-scores");
    const char *scores = found + sizeof mark - 1;
    const char *stop = memmem(scores, (size_t)(end - scores), separator, sizeof separator - 1);
    out->number = in->next++;
    if (stop) {
        const char *close = memmem(text, (size_t)(found - text), separator, sizeof separator - 1);
        if (!close || !alcore__parse_int(text, (size_t)(close - text), &out->number) ||
            out->number < 0)
            return alcore__lines_fail(&in->lines, "an n-best line begins with its sentence number");
    }
    *out_skip = in->has_previous && stop && out->number == in->previous;
    in->previous = out->number;
    in->has_previous = true;
    return read_values(in, scores, (size_t)((stop ? stop : end) - scores), 1);
}

/* "P-12 TAB -0.1 -0.2", logarithms to the base 2; lines that begin otherwise are skipped. */
static alcore_status read_fairseq(reader *in, const char *text, size_t length,
                                  alcore__score_line *out, bool *out_skip) {
    *out_skip = true;
    if (length < 2 || memcmp(text, "P-", 2) != 0) return ALCORE_OK;
    const char *tab = memchr(text, '\t', length);
    if (!tab || !alcore__parse_int(text + 2, (size_t)(tab - text) - 2, &out->number) ||
        out->number < 0)
        return alcore__lines_fail(&in->lines, "P-NUMBER TAB scores is expected");
    *out_skip = in->has_previous && out->number == in->previous;
    in->previous = out->number;
    in->has_previous = true;
    return read_values(in, tab + 1, length - (size_t)(tab + 1 - text), LN2);
}

/* Turns one line into *out and in->values by the format; *out_skip: the line says nothing. */
static alcore_status read_line(reader *in, char *text, size_t length, alcore__score_line *out,
                               bool *out_skip) {
    const char *rest = text;
    switch (in->format) {
    case ALCORE__SCORE_TXT:
        out->number = in->next++;
        if (length == 0 || memchr(text, ' ', length)) return no_number(in, text, length);
        return read_values(in, text, length, 1);
    case ALCORE__SCORE_TSV:
        return read_tsv(in, text, length, out, out_skip);
    case ALCORE__SCORE_CSV:
        return read_csv(in, text, length, out, out_skip);
    case ALCORE__SCORE_LP:
        ALCORE__TRY(read_id(in, text, length, out, &rest));
        return read_values(in, rest, length - (size_t)(rest - text), 1);
    case ALCORE__SCORE_MARIAN:
        return read_marian(in, text, length, out, out_skip);
    default:
        return read_fairseq(in, text, length, out, out_skip);
    }
}

/* Reads all lines and passes each to the sink. A fairseq log without any P- line is an error, since
 * it was then printed without scores. */
static alcore_status read_lines(reader *in, alcore__score_sink sink, void *user) {
    for (;;) {
        char *text;
        size_t length;
        ALCORE__TRY(alcore__lines_next(&in->lines, &text, &length));
        if (!text) {
            bool more;
            ALCORE__TRY(alcore__lines_fill(&in->lines, &more));
            if (!more) break;
            continue;
        }
        alcore__score_line line = {.number = -1, .line = in->lines.line};
        bool skip = false;
        ALCORE__TRY(read_line(in, text, length, &line, &skip));
        if (skip) continue;
        line.values = in->values;
        line.count = (int64_t)in->count;
        ALCORE__TRY(sink(user, &line));
    }
    alcore__lines_report(&in->lines);
    if (in->format != ALCORE__SCORE_FAIRSEQ || in->has_previous) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s has no P- line: run fairseq-generate without --quiet",
                        in->lines.path);
}

/* Reads all lines of a file in a format and passes each to the sink. */
alcore_status alcore__read_score_text(alcore_ctx *ctx, const char *path, int32_t format,
                                      int64_t max_line_bytes, alcore__score_sink sink, void *user) {
    if (format < ALCORE__SCORE_TXT || format > ALCORE__SCORE_FAIRSEQ)
        return alcore__fail(ALCORE_E_DATA,
                            "%s: of texts, .txt, .tsv, .csv, .lp, marian and fairseq hold columns",
                            path);
    reader in = {.format = format};
    ALCORE__TRY(alcore__lines_open(&in.lines, ctx, path, max_line_bytes));
    if (format == ALCORE__SCORE_CSV) in.lines.quoting = &in.quoting;
    alcore_status status = read_lines(&in, sink, user);
    alcore__fields_clear(&in.fields, ctx);
    alcore__free(ctx, in.values);
    alcore__lines_close(&in.lines);
    return status;
}
