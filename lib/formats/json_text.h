/* SPDX-License-Identifier: Apache-2.0 */
/* JSON written straight into a buffer of the context's allocator. */
#ifndef ALCORE__JSON_TEXT_H
#define ALCORE__JSON_TEXT_H

#include "base/base.h"

/* A JSON document that is being written. It begins as {.ctx = ctx}. The first failure stays in
 * status and later calls do nothing, so that callers check once, at the end; they then free or keep
 * text. */
typedef struct alcore__json_out {
    alcore_ctx *ctx;
    alcore__buffer text; /* what has been written, UTF-8 */
    alcore_status status;
    bool separate; /* the next value needs a comma before it */
} alcore__json_out;

/* Each call writes one value. key: its name inside an object; NULL inside arrays and for the
 * outermost value. */
void alcore__json_open(alcore__json_out *json, const char *key, char bracket); /* '{' or '[' */
void alcore__json_close(alcore__json_out *json, char bracket);                 /* '}' or ']' */
void alcore__json_put_string(alcore__json_out *json, const char *key, const char *text);
void alcore__json_put_text(alcore__json_out *json, const char *key, const char *text,
                           size_t length);
void alcore__json_put_integer(alcore__json_out *json, const char *key, int64_t value);
/* Writes 16 hexadecimal digits as a string, since JSON readers round large numbers. */
void alcore__json_put_hash(alcore__json_out *json, const char *key, uint64_t hash);
/* Writes null for a NaN or infinity, which JSON cannot express. */
void alcore__json_put_number(alcore__json_out *json, const char *key, double value);
void alcore__json_put_flag(alcore__json_out *json, const char *key, bool value);
/* Writes text that is JSON already. */
void alcore__json_put_raw(alcore__json_out *json, const char *key, const char *text);

#endif
