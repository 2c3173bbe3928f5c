/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the test vectors of tests/vectors (tests/vectors/README.md has the fields).
 *
 * A test that asks for something that is not there fails with the path of it. What is returned
 * stays valid until the program ends. Nested lists are read flat, in order; a number may be a
 * string ("nan", "-inf", "0x1.8p+1"). */
#ifndef VECTORS_H
#define VECTORS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct test_vector {
    const char *name; /* "TV-HUDS" */
    const json_t *data;
} test_vector;

/* One of a vector's cases. */
typedef struct vector_case {
    const char *name;
    const json_t *shared;   /* the vector's input, or NULL */
    const json_t *input;    /* the case's own input, or NULL */
    const json_t *expected; /* what must come out */
} vector_case;

/* topic: the file's name without .json. */
test_vector vector_find(const char *topic, const char *name);
int64_t vector_case_count(test_vector vector);
vector_case vector_case_number(test_vector vector, int64_t number);
vector_case vector_case_named(test_vector vector, const char *name);

/* An entry of the input, of the case itself before those that all cases share, or of what is
 * expected. path: names and numbers of list entries with '/' between them. */
const json_t *vector_input(const vector_case *one, const char *path);
const json_t *vector_expected(const vector_case *one, const char *path);
bool vector_has_input(const vector_case *one, const char *path);

/* ---- values ---- */

double vector_double(const json_t *value);
int64_t vector_integer(const json_t *value);
uint64_t vector_word(const json_t *value); /* 16 hexadecimal digits */
const char *vector_text(const json_t *value);

/* Lists, flat; count may be NULL. vector_offsets: [entries + 1], the lengths of the inner lists
 * added up. */
const double *vector_doubles(const json_t *list, int64_t *count);
const float *vector_floats(const json_t *list, int64_t *count);
const int64_t *vector_integers(const json_t *list, int64_t *count);
const int64_t *vector_offsets(const json_t *list, int64_t *count);
int64_t vector_length(const json_t *list); /* entries of the outermost list */

/* ---- comparisons: the test fails with the first entry that differs ---- */

/* |got - expected| <= tolerance; NaN equals NaN. */
void vector_near(const double *got, const json_t *expected, double tolerance);
void vector_equal(const int64_t *got, const json_t *expected);
/* XXH64, seed 0, of the bytes. */
void vector_digest(const void *bytes, size_t size, const json_t *expected);

#endif
