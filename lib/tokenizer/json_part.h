/* SPDX-License-Identifier: Apache-2.0 */
/* Members of the objects that tokenizer.json consists of. The text of the file is only read:
 * strings are copied, so that members may be asked for in any order. */
#ifndef ALCORE__JSON_PART_H
#define ALCORE__JSON_PART_H

#include "base/base.h"
#include "formats/json_scan.h"

/* A value of the file, with what is needed to read it. It is small, so that members and items are
 * copies, of which only the cursor differs. */
typedef struct alcore__part {
    alcore_ctx *ctx;
    alcore__arena *arena; /* strings live here */
    const char *path;     /* of the file, for messages */
    const char *section;  /* such as "normalizer", for messages; NULL: the whole file */
    alcore__json value;   /* the cursor stands before the value */
} alcore__part;

/* A text in the arena. */
typedef struct alcore__name {
    const char *text; /* [length], NUL-terminated where a function below copied it; NULL: none */
    size_t length;
} alcore__name;

/* Puts *out before the object that a file, text, consists of. Its syntax is checked to the end, so
 * that members can be looked for without a thought of errors: a text that is malformed, cut off or
 * no object is ALCORE_E_DATA with the path and the byte. path: *out keeps it. */
alcore_status alcore__part_open(alcore_ctx *ctx, alcore__arena *arena, const alcore__buffer *text,
                                const char *path, alcore__part *out);
/* Puts *out before a member of an object, whose syntax was checked before; false: it has none of
 * that name, it is null, or the value is no object. */
bool alcore__part_member(const alcore__part *object, const char *name, alcore__part *out);
/* Reads a member; one that is missing or null leaves *out as it was. Another kind of value is
 * ALCORE_E_DATA. */
alcore_status alcore__part_flag(const alcore__part *object, const char *name, bool *out);
alcore_status alcore__part_integer(const alcore__part *object, const char *name, int64_t *out);
alcore_status alcore__part_text(const alcore__part *object, const char *name, alcore__name *out);
/* Reads the member "type", which every part has. */
alcore_status alcore__part_type(const alcore__part *object, alcore__name *out);
/* Reads a string, the value of the part itself. */
alcore_status alcore__part_string(const alcore__part *part, alcore__name *out);
/* Reads an integer, the value of the part itself. */
alcore_status alcore__part_number(const alcore__part *part, int64_t *out);

/* Reading an array: _enter() moves its cursor to the first value; _next() puts *item before each
 * value in turn and moves on; false at the end, and on an error, which alcore__part_leave() returns
 * then. The cursor of `array` is used up; callers pass a copy. */
void alcore__part_enter(alcore__part *array);
bool alcore__part_next(alcore__part *array, alcore__part *item);
/* The same for the values of an object, without their keys. */
void alcore__part_enter_object(alcore__part *object);
bool alcore__part_next_member(alcore__part *object, alcore__part *item);
/* The same with the key, a copy in the arena: *found is false at the end. An error of the copy is
 * returned, one of the syntax by alcore__part_leave(). */
alcore_status alcore__part_next_pair(alcore__part *object, alcore__name *key, alcore__part *item,
                                     bool *found);
alcore_status alcore__part_leave(const alcore__part *part);

bool alcore__name_is(alcore__name name, const char *text);
/* ALCORE_E_DATA or another status: "PATH: SECTION: what", or "PATH: what" without a section. */
alcore_status alcore__part_fail(const alcore__part *part, alcore_status status, const char *format,
                                ...) __attribute__((format(printf, 3, 4)));
/* ALCORE_E_UNSUPPORTED that names the type. */
alcore_status alcore__part_unknown(const alcore__part *part, alcore__name type);

#endif
