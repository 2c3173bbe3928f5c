/* SPDX-License-Identifier: Apache-2.0 */
/* A byte stream cut into lines at \n, without copying them: lines are views of one buffer, which
 * fill() refills.
 *
 *   |  lines handed out  |  whole lines  |  the beginning of a line  |  free  |
 *   0                   begin           scanned                     end      capacity
 *
 *   for (bool more = true; more;) {
 *       alcore__lines_fill(&lines, &more);
 *       while (more) {
 *           alcore__lines_next(&lines, &text, &length);
 *           if (text == NULL) break;
 *           ...
 *       }
 *   }
 *
 * In a CSV file a line goes on over line feeds inside quotes. Its end is found when it is handed
 * out, as the first line says what separates fields; scanned is then `end`, and a line of which
 * only a part is there is not handed out. */
#ifndef ALCORE__LINE_READER_H
#define ALCORE__LINE_READER_H

#include "formats/byte_stream.h"
#include "formats/csv_quoting.h"

typedef struct alcore__line_reader {
    alcore_ctx *ctx;
    alcore__byte_stream *stream;
    const char *path; /* the caller's */
    char *buffer;     /* [capacity] */
    size_t capacity;
    size_t begin, end;     /* buffer[begin .. end) was read and is not handed out yet */
    size_t scanned;        /* lines up to this index are whole; 0 when none is */
    int64_t bytes;         /* read from the stream so far, decompressed */
    size_t max_line_bytes; /* a longer line is an error */
    int64_t line;          /* of the file, from 1, where the line handed out last begins; 0: none
                               * was */
    int64_t passed;        /* lines of the file that were handed out */
    alcore__quoting
        *quoting; /* the caller's, set after opening: the file is CSV; NULL: it is not */
    bool pieces;  /* the caller's, set after opening: nothing is cut, and what was read
                               * is handed out as it is, whatever its encoding */
    int64_t carriage_returns; /* lines that ended in \r\n */
    int64_t inner_returns;    /* \r inside lines */
    bool begun;               /* the beginning of the file was checked */
    bool ended;               /* the stream has no more bytes */
    bool broken;              /* a quote is not closed: no line can be handed out any more */
    bool has_return;          /* a \r was met, so lines are searched for it */
} alcore__line_reader;

/* Opens path. max_line_bytes <= 0: 64 MiB. A byte order mark at the beginning is dropped. */
alcore_status alcore__lines_open(alcore__line_reader *lines, alcore_ctx *ctx, const char *path,
                                 int64_t max_line_bytes);
/* Reads on until at least one whole line is there, and calls alcore__tick; *out_more is false at
 * the end of the file. Lines that were handed out before become invalid. */
alcore_status alcore__lines_fill(alcore__line_reader *lines, bool *out_more);
/* Hands out the next whole line, without its \n or \r\n; it may be written to. *out_text is NULL
 * when alcore__lines_fill() has to be called. */
alcore_status alcore__lines_next(alcore__line_reader *lines, char **out_text, size_t *out_length);
/* At the end of the file: warns of carriage returns, once. */
void alcore__lines_report(alcore__line_reader *lines);
/* Hands each line that is left to a function, and reports at the end. */
typedef alcore_status (*alcore__line_sink)(void *user, const alcore__line_reader *lines, char *text,
                                           size_t length);
alcore_status alcore__lines_each(alcore__line_reader *lines, alcore__line_sink sink, void *user);
/* Fails with ALCORE_E_DATA and "PATH:LINE: ...", the line handed out last; returns the status. */
alcore_status alcore__lines_fail(const alcore__line_reader *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void alcore__lines_close(alcore__line_reader *lines);

#endif
