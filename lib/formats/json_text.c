/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON into memory of the context's allocator. Commas are written before values: `separate`
 * says whether one is due, is false behind an opening bracket and true behind every value. */
#include "formats/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "formats/escape.h"

/* put() appends bytes as they are, put_quoted() as a JSON string with its quotes; after a failure
 * both do nothing. */
static void put(alcore__json_out *json, const char *text, size_t length) {
    if (json->status == ALCORE_OK)
        json->status = alcore__buffer_append(json->ctx, &json->text, text, length);
}

static void put_quoted(alcore__json_out *json, const char *text, size_t length) {
    if (json->status == ALCORE_OK)
        json->status = alcore__json_append(json->ctx, &json->text, text, length);
}

/* Writes what comes before a value: the comma behind the previous value, and inside an object the
 * key. */
static void begin_value(alcore__json_out *json, const char *key) {
    if (json->separate) put(json, ",", 1);
    json->separate = true;
    if (!key) return;
    put_quoted(json, key, strlen(key));
    put(json, ":", 1);
}

/* Begins an object or an array, a value of the one that is open; no comma is due behind '{' or '['.
 */
void alcore__json_open(alcore__json_out *json, const char *key, char bracket) {
    begin_value(json, key);
    put(json, &bracket, 1);
    json->separate = false;
}

void alcore__json_close(alcore__json_out *json, char bracket) {
    put(json, &bracket, 1);
    json->separate = true;
}

void alcore__json_put_text(alcore__json_out *json, const char *key, const char *text,
                           size_t length) {
    begin_value(json, key);
    put_quoted(json, text, length);
}

/* text NULL: null. */
void alcore__json_put_string(alcore__json_out *json, const char *key, const char *text) {
    if (!text)
        alcore__json_put_raw(json, key, "null");
    else
        alcore__json_put_text(json, key, text, strlen(text));
}

void alcore__json_put_integer(alcore__json_out *json, const char *key, int64_t value) {
    begin_value(json, key);
    if (json->status == ALCORE_OK)
        json->status = alcore__buffer_format(json->ctx, &json->text, "%" PRId64, value);
}

void alcore__json_put_hash(alcore__json_out *json, const char *key, uint64_t hash) {
    begin_value(json, key);
    if (json->status == ALCORE_OK)
        json->status = alcore__buffer_format(json->ctx, &json->text, "\"%016" PRIx64 "\"", hash);
}

/* Writes the shortest decimal that reads back as the same double. */
void alcore__json_put_number(alcore__json_out *json, const char *key, double value) {
    begin_value(json, key);
    if (!isfinite(value)) {
        put(json, "null", 4);
        return;
    }
    char digits[32];
    put(json, digits, alcore__print_double(value, digits));
}

void alcore__json_put_flag(alcore__json_out *json, const char *key, bool value) {
    alcore__json_put_raw(json, key, value ? "true" : "false");
}

void alcore__json_put_raw(alcore__json_out *json, const char *key, const char *text) {
    begin_value(json, key);
    put(json, text, strlen(text));
}
