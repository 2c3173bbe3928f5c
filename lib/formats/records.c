/* SPDX-License-Identifier: Apache-2.0 */
/* Reading records (records.h): which format a path has, and the loop that cuts a file into lines,
 * lets the format turn each into a record, and hands batches to the caller. The formats are in
 * text_records.c, table_records.c, jsonl_records.c, conll_records.c, sgml_records.c and
 * tmx_records.c; what they share is in record_roles.c (record_format.h). Cost: one pass over the
 * bytes; the memory of the longest line and of one batch. */
#include "formats/records.h"

#include <math.h>
#include <string.h>

#include "alcore/remedy.h"
#include "formats/byte_stream.h"
#include "formats/file_content.h"
#include "formats/file_suffix.h"
#include "formats/record_format.h"
#include "formats/test_set_sides.h"

#define BATCH_RECORDS 1024 /* records handed over at once, at most */

/* The format of records with the number ALCORE_FORMAT_*; NULL: there is none. */
static const alcore__record_format *format_of(int32_t number) {
    static const struct {
        int32_t number;
        const alcore__record_format *format;
    } known[] = {
        {ALCORE_FORMAT_TEXT, &alcore__text_format},   {ALCORE_FORMAT_TSV, &alcore__tsv_format},
        {ALCORE_FORMAT_JSONL, &alcore__jsonl_format}, {ALCORE_FORMAT_CSV, &alcore__csv_format},
        {ALCORE_FORMAT_CONLL, &alcore__conll_format}, {ALCORE_FORMAT_SGML, &alcore__sgml_format},
#ifdef ALCORE_HAVE_EXPAT
        {ALCORE_FORMAT_TMX, &alcore__tmx_format},
#endif
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == number) return known[i].format;
    return NULL;
}

int32_t alcore__records_format(const char *path) {
    return alcore__file_suffix_of(path).format;
}

bool alcore__is_test_set(const char *path, const alcore_read_options *options) {
    const int32_t format = options->format ? options->format : alcore__records_format(path);
    return format == ALCORE_FORMAT_SGML;
}

/* *out: the format that the options name, or else the one of the path's suffix. */
static alcore_status find_format(const char *path, const alcore_read_options *options,
                                 const alcore__file_suffix *suffix,
                                 const alcore__record_format **out) {
    int32_t requested = options ? options->format : 0;
    if (requested == ALCORE_FORMAT_NPY || requested == ALCORE_FORMAT_LP)
        return alcore__fail(
            ALCORE_E_PARAM,
            "%s: %s is a format of columns; records are read as tsv, csv, jsonl, conll, sgml, "
            "tmx and text",
            path, requested == ALCORE_FORMAT_NPY ? "npy" : "lp");
    *out = format_of(requested ? requested : suffix->format);
#ifndef ALCORE_HAVE_EXPAT
    if ((requested ? requested : suffix->format) == ALCORE_FORMAT_TMX)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: this build reads no TMX (built without expat)", path);
#endif
    if (!*out)
        return alcore__fail(ALCORE_E_INVALID, "format is %d; expected ALCORE_FORMAT_*, or 0",
                            (int)requested);
    if (requested) return ALCORE_OK;
    return alcore__file_suffix_check(path, suffix);
}

/* Estimates how many records follow, at the rate of the `records` so far. used: bytes of the lines
 * that were cut, of the lines->bytes that were decompressed; all: the records in those; read and
 * total: bytes of the file as it is stored. 0 where the length of the file is not known. */
static int64_t estimate_coming(const alcore__line_reader *lines, int64_t records) {
    int64_t read, total, used = lines->bytes - (int64_t)(lines->end - lines->begin);
    alcore__stream_position(lines->stream, &read, &total);
    if (read <= 0 || total < read || used <= 0) return 0;
    double all = (double)records * ((double)lines->bytes / (double)used);
    return (int64_t)(all * ((double)total / (double)read)) - records;
}

/* Malformed lines that were masked, for the warning at the end. */
typedef struct bad_lines {
    int64_t count;
    char first[256]; /* the error text of the first */
} bad_lines;

/* Gives a record without a language that of the options, if they name one. */
static void set_language(const alcore_read_options *options, alcore__record *record) {
    if (!options || !options->language || record->language || record->malformed) return;
    record->language = options->language;
    record->language_length = strlen(options->language);
}

/* Warns, once per file, of the lines that were masked. */
static void report_bad_lines(const alcore__line_reader *lines, const bad_lines *bad) {
    if (bad->count > 0)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%lld malformed lines are masked; the first: %s", (long long)bad->count,
                    bad->first);
}

/* ---- reading ---- */

struct alcore__record_reader {
    alcore__line_reader lines;
    alcore__quoting quoting; /* of a quoted format */
    const alcore__record_format *format;
    const alcore_read_options *options; /* borrowed */
    void *state;                        /* the format's own, format->state_bytes bytes */
    alcore__record *batch;              /* [BATCH_RECORDS] */
    int64_t records;                    /* handed over */
    bad_lines bad;
    bool drained; /* the line reader has no whole line left: it has to be filled */
    bool ended;   /* the file has ended, and what the format has left was handed over */
    bool within;  /* the line of the last record may have another one */
};

/* Reads the next record into *record: another one of the present line, or that of the next line of
 * the buffer. *out_found is false when the buffer has no whole line left; a line that was cut and
 * is too long counts as found, so its error can be masked. *out_skip is true for a line that is no
 * record, such as a header. Under ALCORE_BAD_LINES_MASK a line with wrong data becomes a malformed
 * record. */
static alcore_status read_record(alcore__record_reader *reader, alcore__record *record,
                                 bool *out_found, bool *out_skip) {
    alcore__line_reader *lines = &reader->lines;
    const alcore__record_format *format = reader->format;
    const alcore_read_options *options = reader->options;
    char *text = NULL;
    size_t length;
    const int64_t line = lines->line - reader->within;
    const bool header = format->in_header && format->in_header(reader->state);
    alcore_status status = ALCORE_OK;
    if (!reader->within) status = alcore__lines_next(lines, &text, &length);
    *out_found = lines->line > line;
    *out_skip = false;
    *record = (alcore__record){.cost = NAN, .line = lines->line};
    if (reader->within)
        status = format->more(reader->state, options, lines, record, out_skip);
    else if (status == ALCORE_OK && text)
        status = format->line(reader->state, options, lines, text, length, record, out_skip);
    const bool mask = options && options->bad_lines == ALCORE_BAD_LINES_MASK;
    reader->within = format->more && (text || reader->within) &&
                     (status == ALCORE_OK ? !*out_skip : status == ALCORE_E_DATA);
    if (status != ALCORE_E_DATA || !mask || header || lines->broken) return status;
    if (reader->bad.count++ == 0)
        alcore__format(reader->bad.first, sizeof reader->bad.first, "%s", alcore_last_error());
    *record = (alcore__record){.text = "", .cost = NAN, .line = lines->line, .malformed = true};
    *out_skip = false;
    return ALCORE_OK;
}

/* Only test sets have sides to choose from. */
static alcore_status check_sides(const char *path, const alcore_read_options *options,
                                 const alcore__record_format *format) {
    if (format == &alcore__sgml_format) return alcore__sides_check(options);
    if (!alcore__sides_given(options)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM,
                        "%s is read as %s, which has one side: side, translator, system and domain "
                        "choose from a test set in SGML or XML",
                        path, format->name);
}

/* A column of references that is asked for has to be there. One of texts need not: files of several
 * formats may be read with the same options. */
static alcore_status check_columns(const char *path, const alcore_read_options *options,
                                   const alcore__record_format *format) {
    const char *reference = options ? options->reference_column : NULL;
    if (!reference) return ALCORE_OK;
    ALCORE__TRY(alcore__columns_differ(options));
    if (format != &alcore__text_format && format != &alcore__sgml_format) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "%s is read as %s, which has no columns, and none that is called \"%s\"",
                        path, format->name, reference);
}

/* Escapes are of the formats that have them; in the others a backslash has a meaning of its own, or
 * none. */
static alcore_status check_escapes(const char *path, const alcore_read_options *options,
                                   const alcore__record_format *format) {
    const int32_t escapes = options ? options->escapes : 0;
    if (escapes != 0 && escapes != ALCORE_ESCAPES_ON && escapes != ALCORE_ESCAPES_OFF)
        return alcore__fail(ALCORE_E_INVALID, "escapes is %d; expected ALCORE_ESCAPES_*",
                            (int)escapes);
    if (escapes != ALCORE_ESCAPES_ON || format == &alcore__text_format ||
        format == &alcore__tsv_format || format == &alcore__csv_format)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM, "%s: escapes are of tsv, csv and text, not of %s", path,
                        format->name);
}

/* Checks the first bytes of a file whose name says that it is text. Bytes of another kind of file
 * are an error where the suffix is unknown, so that text was only guessed; else a warning. */
static alcore_status check_content(alcore__record_reader *reader,
                                   const alcore__file_suffix *suffix) {
    alcore__line_reader *lines = &reader->lines;
    bool more;
    ALCORE__TRY(alcore__lines_fill(lines, &more));
    reader->drained = !more;
    char *text = lines->buffer + lines->begin;
    const size_t bytes = lines->end - lines->begin;
    const char *content = bytes > 0 ? alcore__file_content(text, bytes) : NULL;
    if (content && suffix->guessed)
        return alcore__fail_remedy(
            alcore__fail(ALCORE_E_DATA,
                         "%s: the suffix %s names no format, and the content is not text: it is %s",
                         lines->path, suffix->text, content),
            ALCORE_REMEDY_OPTION, "format", "NAME", "says how it is to be read");
    const char *newline = bytes > 0 ? memchr(text, '\n', bytes) : NULL;
    if (content)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s is read as text, one a line, but what it begins with is %s", lines->path,
                    content);
    else if (newline && alcore__is_table_header(text, (size_t)(newline - text)))
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s is read as text, one a line, but its first line names the columns of a "
                    "table: it is read as one with the format tsv",
                    lines->path);
    else if (suffix->guessed)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s is read as text, one a line: the suffix %s names no format", lines->path,
                    suffix->text);
    return ALCORE_OK;
}

/* Chooses the format by the path or the options and opens the file; close() follows in any case. */
static alcore_status open_reader(alcore__record_reader *reader, alcore_ctx *ctx, const char *path,
                                 int64_t max_line_bytes) {
    const alcore_read_options *options = reader->options;
    const alcore__file_suffix suffix = alcore__file_suffix_of(path);
    ALCORE__TRY(find_format(path, options, &suffix, &reader->format));
    ALCORE__TRY(check_columns(path, options, reader->format));
    ALCORE__TRY(check_sides(path, options, reader->format));
    ALCORE__TRY(check_escapes(path, options, reader->format));
    ALCORE__TRY(alcore__lines_open(&reader->lines, ctx, path, max_line_bytes));
    if (reader->format->quoted) reader->lines.quoting = &reader->quoting;
    reader->lines.pieces = reader->format->pieces;
    ALCORE__TRY(alcore__new_array(ctx, BATCH_RECORDS, sizeof *reader->batch, &reader->batch));
    ALCORE__TRY(alcore__new_array(ctx, 1, reader->format->state_bytes, &reader->state));
    const bool named_text = options && options->format != 0;
    return named_text || reader->format != &alcore__text_format ? ALCORE_OK
                                                                : check_content(reader, &suffix);
}

alcore_status alcore__record_reader_open(alcore_ctx *ctx, const char *path,
                                         const alcore_read_options *options, int64_t max_line_bytes,
                                         alcore__record_reader **out) {
    *out = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof **out, out));
    (*out)->options = options;
    (*out)->drained = true;
    (*out)->lines.ctx = ctx;
    const alcore_status status = open_reader(*out, ctx, path, max_line_bytes);
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore__record_reader_close(*out);
    *out = NULL;
    return status;
}

void alcore__record_reader_close(alcore__record_reader *reader) {
    if (!reader) return;
    alcore_ctx *ctx = reader->lines.ctx;
    if (reader->state && reader->format->clear) reader->format->clear(reader->state, ctx);
    alcore__free(ctx, reader->state);
    alcore__free(ctx, reader->batch);
    alcore__lines_close(&reader->lines);
    alcore__free(ctx, reader);
}

/* After the last line: what the format has left, and the warnings. */
static alcore_status end_reading(alcore__record_reader *reader, int64_t *out_count) {
    bool skip = true;
    if (reader->format->end) {
        *reader->batch = (alcore__record){.cost = NAN};
        ALCORE__TRY(reader->format->end(reader->state, &reader->lines, reader->batch, &skip));
        set_language(reader->options, reader->batch);
        *out_count = !skip;
    }
    reader->ended = skip || !reader->format->more;
    if (!reader->ended) return ALCORE_OK;
    alcore__lines_report(&reader->lines);
    report_bad_lines(&reader->lines, &reader->bad);
    return ALCORE_OK;
}

/* A batch ends when it is full, which one record of a transient format makes it, and when the line
 * reader has no whole line left, since the records are views of its buffer, which the next filling
 * overwrites. */
alcore_status alcore__record_reader_next(alcore__record_reader *reader,
                                         const alcore__record **out_records, int64_t *out_count) {
    const int64_t full = reader->format->transient ? 1 : BATCH_RECORDS;
    int64_t count = 0;
    *out_records = reader->batch;
    *out_count = 0;
    while (!reader->ended && count < full) {
        bool found, skip, more = true;
        if (reader->drained) {
            if (count > 0) break;
            ALCORE__TRY(alcore__lines_fill(&reader->lines, &more));
            if (!more) {
                ALCORE__TRY(end_reading(reader, &count));
                break;
            }
        }
        ALCORE__TRY(read_record(reader, &reader->batch[count], &found, &skip));
        reader->drained = !found;
        if (found && !skip) set_language(reader->options, &reader->batch[count++]);
    }
    reader->records += count;
    *out_count = count;
    return ALCORE_OK;
}

/* Reads all records of a file with the format of its path or options, batch by batch into the
 * sink. */
alcore_status alcore__read_records(alcore_ctx *ctx, const char *path,
                                   const alcore_read_options *options, int64_t max_line_bytes,
                                   alcore__record_sink sink, void *user) {
    alcore__record_reader *reader;
    const alcore__record *records;
    int64_t count;
    ALCORE__TRY(alcore__record_reader_open(ctx, path, options, max_line_bytes, &reader));
    alcore_status status;
    do {
        status = alcore__record_reader_next(reader, &records, &count);
        if (status == ALCORE_OK && count > 0)
            status = sink(user, records, count,
                          reader->ended ? 0 : estimate_coming(&reader->lines, reader->records));
    } while (status == ALCORE_OK && count > 0);
    alcore__record_reader_close(reader);
    return status;
}
