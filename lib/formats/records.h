/* SPDX-License-Identifier: Apache-2.0 */
/* Reading records from files of any supported format, one batch at a time. */
#ifndef ALCORE__RECORDS_H
#define ALCORE__RECORDS_H

#include "alcore/format.h"
#include "base/base.h"

/* One record as a reader hands it over. All texts are views, not terminated by NUL, valid during
 * the sink's call; lengths are in bytes; NULL: the record has no such value. */
typedef struct alcore__record {
    const char *text; /* never NULL */
    size_t text_length;
    const char *id;
    size_t id_length;
    const char *reference;
    size_t reference_length;
    const char *language;
    size_t language_length;
    const char *group;
    size_t group_length;
    double cost;    /* 0 or more; NaN: none */
    int64_t line;   /* line of the file, from 1 */
    bool malformed; /* the line is no record (bad_lines=mask): text is empty, nothing else is set */
} alcore__record;

/* Receives a batch, records [count], in the order of the file, on the calling thread; a failure
 * ends the reading and is returned. coming: about how many records will follow, estimated from the
 * share of the file that was read; 0 where its length is not known. */
typedef alcore_status (*alcore__record_sink)(void *user, const alcore__record *records,
                                             int64_t count, int64_t coming);

/* Reads path (compressed or not; "-" is standard input) by its format. Errors name path and line.
 * Lines longer than max_line_bytes are ALCORE_E_DATA without being read whole into memory.
 * options->references is the caller's to read. Calls alcore__tick.
 *
 * A record that names no language has options->language. */
alcore_status alcore__read_records(alcore_ctx *ctx, const char *path,
                                   const alcore_read_options *options, int64_t max_line_bytes,
                                   alcore__record_sink sink, void *user);

/* The same file for a caller who asks for the batches, so that several files are read side by side.
 * options is borrowed until the reader is closed. */
typedef struct alcore__record_reader alcore__record_reader;
alcore_status alcore__record_reader_open(alcore_ctx *ctx, const char *path,
                                         const alcore_read_options *options, int64_t max_line_bytes,
                                         alcore__record_reader **out);
/* *out_records [*out_count]: the next batch, valid until the next call; none at the file's end. */
alcore_status alcore__record_reader_next(alcore__record_reader *reader,
                                         const alcore__record **out_records, int64_t *out_count);
void alcore__record_reader_close(alcore__record_reader *reader); /* NULL-safe */

/* Whether a file is read as a test set in SGML or XML, of which a side may be chosen. */
bool alcore__is_test_set(const char *path, const alcore_read_options *options);
/* The ALCORE_FORMAT_* of the records that a path's suffix names, without regard to one of
 * compression; ALCORE_FORMAT_TEXT for a suffix that nothing is known about, or that is not read. */
int32_t alcore__records_format(const char *path);

#endif
