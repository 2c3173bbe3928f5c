/* SPDX-License-Identifier: Apache-2.0 */
/* A byte stream cut into lines at \n, without copying them. */
#ifndef ALCORE__LINE_READER_H
#define ALCORE__LINE_READER_H

#include "formats/byte_stream.h"

typedef struct alcore__line_reader {
    alcore_ctx *ctx;
    alcore__byte_stream *stream;
    const char *path;
    char *buffer;
    size_t capacity, begin, end; /* unread bytes: buffer[begin..end) */
    size_t scanned;              /* lines up to here are whole; 0 when none is */
    int64_t bytes;               /* that came out of the stream */
    size_t max_line_bytes;
    int64_t line; /* 1-based number of the line last given */
    int64_t carriage_returns, inner_returns;
    bool begun, ended, has_return;
} alcore__line_reader;

/* Opens path. max_line_bytes <= 0: 64 MiB. A byte order mark at the beginning is dropped. */
alcore_status alcore__lines_open(alcore__line_reader *lines, alcore_ctx *ctx, const char *path,
                                 int64_t max_line_bytes);
/* Reads on until at least one whole line is there, and calls alcore__tick; *out_more is false at
 * the end of the file. Lines that were given before become invalid. */
alcore_status alcore__lines_fill(alcore__line_reader *lines, bool *out_more);
/* Gives the next whole line, without its \n or \r\n; it may be written to. *out_text is NULL when
 * fill has to be called. */
alcore_status alcore__lines_next(alcore__line_reader *lines, char **out_text, size_t *out_length);
/* At the end of the file: warns of carriage returns, once. */
void alcore__lines_report(alcore__line_reader *lines);
/* "PATH:LINE: ..." with ALCORE_E_DATA. */
alcore_status alcore__lines_fail(const alcore__line_reader *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void alcore__lines_close(alcore__line_reader *lines);

#endif
