/* SPDX-License-Identifier: Apache-2.0 */
/* Columns as text, line by line: one score per line, id and score, id and token log-probabilities,
 * and what the toolkits Marian and fairseq print. Used for the columns that a caller attaches to a
 * pool from a file (pool/column_read.c). */
#ifndef ALCORE__SCORE_TEXT_H
#define ALCORE__SCORE_TEXT_H

#include "base/base.h"

enum {
    ALCORE__SCORE_TXT = 1, /* one number per line; number = the line, from 0 */
    ALCORE__SCORE_TSV,     /* id TAB number; a first line "id TAB name" is a header */
    ALCORE__SCORE_CSV,     /* a header with "id" and one other name; a name may be empty */
    ALCORE__SCORE_LP, /* id TAB numbers separated by spaces; no numbers: a text without tokens */
    ALCORE__SCORE_MARIAN, /* "... ||| WordScores= -0.1 -0.2", natural logarithms */
    ALCORE__SCORE_FAIRSEQ /* "P-12 TAB -0.1 -0.2", base 2: given as natural logarithms */
};

/* The values of one row. Views, valid during the sink's call. */
typedef struct alcore__score_line {
    const char *id;   /* of the row, not terminated by NUL; NULL: number says which row */
    size_t id_length; /* bytes */
    bool
        may_be_escaped; /* id is as it stands in TSV or LP, and has a backslash: as libalcore writes
                           * it, it has escapes (alcore__tsv_unescape()) */
    int64_t number;     /* row or sentence number, from 0; -1 where id is given */
    const double *values; /* [count] scores, or natural logarithms of token probabilities */
    int64_t count;        /* 1 in the formats with one score; may be 0 in the others */
    int64_t line;         /* line of the file, from 1, for error texts */
} alcore__score_line;
/* Receives the lines in the order of the file; a failure ends the reading and is returned. */
typedef alcore_status (*alcore__score_sink)(void *user, const alcore__score_line *line);

/* The format of a name ("txt", "tsv", "csv", "lp", "marian", "fairseq") or, when name is NULL, of
 * the path's suffix; 0 when there is none. */
int32_t alcore__score_format(const char *name, const char *path);
/* Reads path (compressed or not) line by line. Of several hypotheses of one sentence the first
 * counts. NaN and infinities are passed on, they are the column's to judge. Errors name path and
 * line. max_line_bytes <= 0: 64 MiB. */
alcore_status alcore__read_score_text(alcore_ctx *ctx, const char *path, int32_t format,
                                      int64_t max_line_bytes, alcore__score_sink sink, void *user);

#endif
