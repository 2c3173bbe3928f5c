/* SPDX-License-Identifier: Apache-2.0 */
/* A scanner that reads a JSON text in place (RFC 8259): strict, without allocation, without
 * recursion deeper than the limit. Own code, because a tree costs 20 times the text (a hostile
 * header of 16 MiB: hundreds of MiB), jansson's memory cannot come from a context, and records are
 * read at memory speed.
 *
 * The cursor stands before a value, a key or the end of a container. A caller reads an object like
 * this:
 *
 *   alcore__json_begin(&json, text, length, 64);
 *   if (alcore__json_enter(&json, '{'))
 *       while (alcore__json_key(&json, &key, &bytes))      the cursor stands before the value
 *           alcore__json_string(&json, &text, &bytes);     or _number, _skip, _enter
 *   if (!alcore__json_end(&json)) report json.error and json.next
 *
 * Functions return false on an error and at the end of a container; json.error tells which. After
 * an error all of them return false. */
#ifndef ALCORE__JSON_SCAN_H
#define ALCORE__JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct alcore__json {
    char *begin, *next, *end; /* the text, the caller's, and the cursor in it */
    const char *error;        /* what was found wrong at `next`; NULL: nothing so far */
    int32_t depth, max_depth; /* containers that are open, and the most that may be */
    bool fresh;               /* the container was just entered: no comma is due */
    bool passes_nul; /* the caller's, set after beginning: \u0000 is no error where it is skipped */
} alcore__json;

/* Puts the cursor before text [length], which strings change in place. */
void alcore__json_begin(alcore__json *json, char *text, size_t length, int32_t max_depth);
/* Kind of the value that comes next: '{', '[', '"', '0' (a number), 't', 'f', 'n'; 0 when there is
 * none or after an error. */
char alcore__json_kind(alcore__json *json);
/* Enters the object ('{') or array ('[') that comes next; anything else is an error. */
bool alcore__json_enter(alcore__json *json, char kind);
/* In an object: reads the next key and the colon; the cursor then stands before the value. False at
 * the end of the object, which is left, and on error. */
bool alcore__json_key(alcore__json *json, char **out_key, size_t *out_length);
/* The same for a key that stays as it is: *raw [*bytes] is what stands between its quotes. */
bool alcore__json_skip_key(alcore__json *json, const char **raw, size_t *bytes);
/* In an array: whether another value follows. False at its end, which is left, and on error. */
bool alcore__json_item(alcore__json *json);
/* Reads a string and replaces its escapes in place: *out_text is a view of the text, not
 * terminated. \u0000 and lone surrogates are errors. Bytes above 0x7F are not checked. */
bool alcore__json_string(alcore__json *json, char **out_text, size_t *out_length);
/* Reads a number and returns its text, a view. */
bool alcore__json_number(alcore__json *json, char **out_text, size_t *out_length);
/* Skips a value of any kind, which stays as it is: a copy of the struct that was made before can
 * read it later. */
bool alcore__json_skip(alcore__json *json);
/* Puts *out before the value of the first member called name, a text without escapes, of the object
 * that comes next. False: there is none, or out->error says why. Nothing is changed, *object
 * included. */
bool alcore__json_find(const alcore__json *object, const char *name, alcore__json *out);
/* Whether nothing but white space is left, and nothing went wrong. */
bool alcore__json_end(alcore__json *json);

#endif
