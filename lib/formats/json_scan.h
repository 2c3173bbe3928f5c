/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a JSON text in place: strict, no allocation, no recursion deeper than the limit. Our own
 * because a tree costs 20 times the text (a hostile 16 MiB header: hundreds of MiB), jansson's
 * memory cannot come from a context, and records are read at memory speed. */
#ifndef ALCORE__JSON_SCAN_H
#define ALCORE__JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct alcore__json {
    char *begin, *at, *end;
    const char *error; /* NULL: none so far; what was found wrong at `at` */
    int32_t depth, max_depth;
    bool fresh; /* the container was just entered: no comma is due */
} alcore__json;

void alcore__json_begin(alcore__json *json, char *text, size_t length, int32_t max_depth);
/* Kind of the value that comes next: '{', '[', '"', '0' (a number), 't', 'f', 'n'; 0 when there is
 * none or after an error. */
char alcore__json_kind(alcore__json *json);
/* Goes into the object or array that comes next. */
bool alcore__json_enter(alcore__json *json, char kind);
/* In an object: reads the next key, the cursor then stands at its value. False at the end of the
 * object, which is left, and on error. */
bool alcore__json_key(alcore__json *json, char **out_key, size_t *out_length);
/* In an array: whether another value follows. False at its end, which is left, and on error. */
bool alcore__json_item(alcore__json *json);
/* Reads a string, its escapes undone in place; \u0000 and lone surrogates are errors. Bytes above
 * 0x7F are not checked. */
bool alcore__json_string(alcore__json *json, char **out_text, size_t *out_length);
/* Reads a number as text. */
bool alcore__json_number(alcore__json *json, char **out_text, size_t *out_length);
/* Passes over a value of any kind. */
bool alcore__json_skip(alcore__json *json);
/* Whether nothing but white space is left, and nothing went wrong. */
bool alcore__json_end(alcore__json *json);

#endif
