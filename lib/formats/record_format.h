/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between alcore__read_records() (records.c) and one line-based format of records,
 * and what the formats share: the meaning of column names and keys. */
#ifndef ALCORE__RECORD_FORMAT_H
#define ALCORE__RECORD_FORMAT_H

#include "formats/line_reader.h"
#include "formats/records.h"

typedef struct alcore__record_format {
    const char *name;   /* "text", "tsv", "csv", "jsonl", "conll", "sgml", "tmx" */
    bool quoted;        /* line feeds inside quotes end no line: CSV */
    bool pieces;        /* lines are no unit of the format: `line` is given the file in pieces as it
                           was read: TMX */
    bool transient;     /* values are views of the state that the next line invalidates, so each
                           record is handed over alone; else they are views of the line */
    size_t state_bytes; /* size of the format's state, which is zero before the first line */
    /* Reads one line into *record, which may be written to. On entry *record has its line, a cost
     * of NaN and zeros. *out_skip becomes true when the line ends no record. */
    alcore_status (*line)(void *state, const alcore_read_options *options,
                          const alcore__line_reader *lines, char *text, size_t length,
                          alcore__record *record, bool *out_skip);
    /* After a record of a line, also a malformed one, as long as it gives another one: reads on in
     * the line. Else as `line`; NULL: a line has one record at most. */
    alcore_status (*more)(void *state, const alcore_read_options *options,
                          const alcore__line_reader *lines, alcore__record *record, bool *out_skip);
    /* Whether the next line is a header, whose errors are never masked; NULL: no line is. */
    bool (*in_header)(const void *state);
    /* After the last line; may be NULL. *out_skip, true on entry, becomes false when *record is one
     * more record; a format with `more` is then asked again. */
    alcore_status (*end)(void *state, const alcore__line_reader *lines, alcore__record *record,
                         bool *out_skip);
    void (*clear)(void *state, alcore_ctx *ctx); /* frees what state owns; may be NULL */
} alcore__record_format;

extern const alcore__record_format alcore__text_format, alcore__tsv_format, alcore__csv_format,
    alcore__jsonl_format, alcore__conll_format, alcore__sgml_format, alcore__tmx_format;

/* What a column or key means for a record: the member of alcore__record that it fills. */
enum {
    ALCORE__ROLE_NONE,
    ALCORE__ROLE_TEXT,
    ALCORE__ROLE_ID,
    ALCORE__ROLE_REFERENCE,
    ALCORE__ROLE_LANGUAGE,
    ALCORE__ROLE_GROUP,
    ALCORE__ROLE_COST,
    ALCORE__ROLES
};
/* The role of a column or key of that name. Where several columns have the role of text, reference
 * or language, the one with the smallest *out_rank wins. options->text_column replaces the names
 * that mean text, options->reference_column those that mean reference. */
int32_t alcore__record_role(const alcore_read_options *options, const char *name, size_t length,
                            int32_t *out_rank);
/* Whether a name is the column that the options name; requested may be NULL: they name none. */
bool alcore__is_column(const char *requested, const char *name, size_t length);
/* ALCORE_E_INVALID where the options name one column for texts and references. */
alcore_status alcore__columns_differ(const alcore_read_options *options);
/* Sets the member of a record that a role fills. Empty values count as absent, but for the text. A
 * cost that is not a number of 0 or more fails with the path and the line. */
alcore_status alcore__record_set(alcore__record *record, int32_t role, const char *value,
                                 size_t length, const alcore__line_reader *lines);

#endif
