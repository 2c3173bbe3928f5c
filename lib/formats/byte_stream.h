/* SPDX-License-Identifier: Apache-2.0 */
/* A file as a stream of bytes, decompressed by its suffix (.gz, .xz, .zst). A stream belongs to one
 * thread and to the call that opened it. */
#ifndef ALCORE__BYTE_STREAM_H
#define ALCORE__BYTE_STREAM_H

#include "base/base.h"

typedef struct alcore__byte_stream alcore__byte_stream;
alcore_status alcore__stream_open(alcore_ctx *ctx, const char *path, alcore__byte_stream **out);
/* Reads up to `bytes` decompressed bytes into data; *out_bytes of them are read, 0 at the end. A
 * truncated or damaged compressed file is ALCORE_E_DATA. */
alcore_status alcore__stream_read(alcore__byte_stream *stream, void *data, size_t bytes,
                                  size_t *out_bytes);
/* Compressed bytes consumed and the file's length (-1 unknown), for progress. */
void alcore__stream_position(const alcore__byte_stream *stream, int64_t *out_done,
                             int64_t *out_total);
void alcore__stream_close(alcore__byte_stream *stream); /* NULL-safe */
/* Whether a path has a compression suffix; *out_base_length is the length of the path without it.
 */
bool alcore__stream_compressed(const char *path, size_t *out_base_length);
/* Whether the first length bytes of a path end in a suffix such as ".tsv", without regard to case.
 */
bool alcore__path_ends_in(const char *path, size_t length, const char *suffix);
/* ALCORE_E_DATA where the first bytes of a file are the mark of UTF-16. */
alcore_status alcore__check_no_utf16(const char *path, const char *data, size_t length);

#endif
