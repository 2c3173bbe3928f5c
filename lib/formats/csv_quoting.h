/* SPDX-License-Identifier: Apache-2.0 */
/* Where a line of CSV ends: at a line feed outside quotes. A quote opens at the beginning of a
 * field only, and closes at the next one that is not doubled; elsewhere it stands for itself, as in
 * Python's csv, pandas and spreadsheets. */
#ifndef ALCORE__CSV_QUOTING_H
#define ALCORE__CSV_QUOTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The quotes of a file, and how far its present line was searched for its end. */
typedef struct alcore__quoting {
    char delimiter;   /* 0: not known yet; a field then begins behind a comma, semicolon or TAB */
    bool inside;      /* what was searched ends inside quotes */
    size_t searched;  /* bytes of the line */
    int64_t breaks;   /* line feeds inside quotes of the line so far */
    int64_t opened;   /* the same up to the quote that opened last */
    bool has_returns; /* the first line of the file ends in CR LF, and others may */
    int64_t returns;  /* carriage returns outside quotes that are a part of a field */
} alcore__quoting;

/* Goes on searching a line, of which bytes are there, for its end; ended: no more will come. True
 * where its line feed is line[*out_length]. */
bool alcore__csv_find_end(alcore__quoting *self, const char *line, size_t bytes, bool ended,
                          size_t *out_length);

#endif
