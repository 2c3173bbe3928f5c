/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow arrays and streams made by hand, which count how often they are released. */
#ifndef ARROW_MAKER_H
#define ARROW_MAKER_H

#include <stdbool.h>

#include "alcore/arrow.h"

/* An array with its type; children are made first and belong to whoever made them. */
typedef struct made_array {
    struct ArrowSchema schema;
    struct ArrowArray array;
    const void *buffers[4];
    struct ArrowSchema *schema_child;
    struct ArrowArray *array_child;
    int schemas_released, arrays_released;
} made_array;

/* Makes an array of `length` values from `offset` on; buffers are validity bits (NULL: no null) and
 * what the format has. child: of lists, of one type with the array; NULL: none. */
void made_array_init(made_array *made, const char *format, int64_t length, int64_t offset,
                     const uint8_t *valid, const void *first, const void *second,
                     made_array *child);

/* A stream of arrays of one type; each comes once. */
typedef struct made_stream {
    struct ArrowArrayStream stream;
    made_array *arrays; /* [count] */
    int count, next;
    int fail_at; /* number of the array, from 1, in whose place an error comes; 0: none */
    int released;
} made_stream;
void made_stream_init(made_stream *made, made_array *arrays, int count);

#endif
