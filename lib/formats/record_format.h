/* SPDX-License-Identifier: Apache-2.0 */
/* One line-based format of records behind alcore__read_records. */
#ifndef ALCORE__RECORD_FORMAT_H
#define ALCORE__RECORD_FORMAT_H

#include "formats/line_reader.h"
#include "formats/records.h"

typedef struct alcore__record_format {
    const char *name;
    bool has_header;    /* the first line is no record: its errors are never masked */
    size_t state_bytes; /* zeroed before the first line */
    /* Reads one line, which it may write to. record comes with its line, no cost and all else 0;
     * *out_skip: the line is no record. */
    alcore_status (*line)(void *state, const alcore_read_options *options,
                          const alcore__line_reader *lines, char *text, size_t length,
                          alcore__record *record, bool *out_skip);
    /* After the last line; may be NULL. */
    alcore_status (*end)(void *state, const alcore__line_reader *lines);
    void (*clear)(void *state, alcore_ctx *ctx); /* may be NULL */
} alcore__record_format;

extern const alcore__record_format alcore__text_format, alcore__tsv_format, alcore__jsonl_format;

/* What a column or key means for a record. */
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
/* Role of a name; *out_rank is smaller for the name that wins when several have the role. */
int32_t alcore__record_role(const alcore_read_options *options, const char *name, size_t length,
                            int32_t *out_rank);
/* Puts a value in its place. Empty values count as absent, but for the text. */
alcore_status alcore__record_set(alcore__record *record, int32_t role, const char *value,
                                 size_t length, const alcore__line_reader *lines);

#endif
