/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a JSON file one after the other: the elements of its list, the lines of JSONL, or
 * the elements of a list that is a member of its object. Memory: one value, whatever the file's
 * length.
 *
 *   alcore__json_stream_open(&values, ctx, path, NULL);
 *   while alcore__json_stream_next(&values, &text, &length) hands out a text:
 *       alcore__json_begin(&json, text, length, depth);
 *
 * Only the brackets of a value are looked at: what it says is for alcore__json to check, so that a
 * value that is malformed spoils no other. */
#ifndef ALCORE__JSON_STREAM_H
#define ALCORE__JSON_STREAM_H

#include "formats/byte_stream.h"

/* Is given each other member of the object that has the list: its name between the quotes, as it
 * stands, at most 63 bytes of it, and its value, which it may write to. */
typedef alcore_status (*alcore__json_stream_head)(void *user, const char *name, char *text,
                                                  size_t length);

typedef struct alcore__json_stream {
    alcore_ctx *ctx;
    alcore__byte_stream *stream;
    const char *path;   /* the caller's */
    const char *member; /* the caller's: the list is this member of the object; NULL: it is not */
    alcore__json_stream_head head; /* the caller's, set after opening; NULL: other members say
                                      nothing */
    void *user;                    /* of head */
    char *buffer;                  /* [capacity] */
    size_t capacity;
    size_t begin, end; /* buffer[begin .. end) was read and is not handed out yet */
    size_t max_bytes;  /* of a value; a longer one is an error */
    int64_t line;      /* of the file, from 1, where the value handed out last begins */
    int64_t passed;    /* line feeds before buffer[begin] */
    int32_t state;     /* json_stream.c */
    bool ended;        /* the stream has no more bytes */
    bool blank;        /* nothing but white space stands in the file; known after the first value */
} alcore__json_stream;

/* Opens path, which is borrowed. alcore__json_stream_close() is allowed after a failure. */
alcore_status alcore__json_stream_open(alcore__json_stream *values, alcore_ctx *ctx,
                                       const char *path, const char *member);
/* Hands out the next value, which may be written to until the next call; *out_text is NULL at the
 * end. Calls alcore__tick. ALCORE_E_DATA: the file is no JSON, or ends within a value. */
alcore_status alcore__json_stream_next(alcore__json_stream *values, char **out_text,
                                       size_t *out_length);
/* Fails with ALCORE_E_DATA and "PATH:LINE: ...", the line of the value handed out last. */
alcore_status alcore__json_stream_fail(const alcore__json_stream *values, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void alcore__json_stream_close(alcore__json_stream *values);

#endif
