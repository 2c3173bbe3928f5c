/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the test vectors (vectors.h). Files are read once and kept; so are the arrays that are
 * handed out. Whatever is missing or of another type fails the test. */
#include "vectors.h"

#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* The arrays that were handed out, so that leak checkers see that they are still reached. */
typedef struct kept {
    void *memory;
    struct kept *next;
} kept;
static kept *all_kept;

/* The files that were read. */
typedef struct file {
    char topic[64]; /* the name without .json */
    json_t *root;
    struct file *next;
} file;
static file *files;

/* Zeroed memory for count + 1 elements that is never freed. */
static void *keep(size_t count, size_t bytes) {
    kept *entry = malloc(sizeof *entry);
    void *memory = calloc(count + 1, bytes);
    ck_assert(entry && memory);
    *entry = (kept){memory, all_kept};
    all_kept = entry;
    return memory;
}

/* The root of the file of a topic. */
static const json_t *load(const char *topic) {
    for (const file *loaded = files; loaded; loaded = loaded->next) {
        if (strcmp(loaded->topic, topic) == 0) return loaded->root;
    }
    char path[4096];
    json_error_t error;
    ck_assert_uint_lt(strlen(topic), sizeof files->topic);
    snprintf(path, sizeof path, ALCORE_VECTOR_DIR "/%s.json", topic);
    file *entry = calloc(1, sizeof *entry);
    ck_assert_ptr_nonnull(entry);
    entry->root = json_load_file(path, 0, &error);
    ck_assert_msg(entry->root, "%s: %s", path, error.text);
    strcpy(entry->topic, topic);
    entry->next = files;
    files = entry;
    return entry->root;
}

/* The value at a path, names and numbers of list entries with '/' between them; NULL when it is not
 * there. */
static const json_t *walk(const json_t *value, const char *path) {
    while (value && *path) {
        size_t length = strcspn(path, "/");
        char part[64];
        ck_assert_uint_lt(length, sizeof part);
        memcpy(part, path, length);
        part[length] = '\0';
        value = json_is_array(value) ? json_array_get(value, (size_t)strtoul(part, NULL, 10))
                                     : json_object_get(value, part);
        path += length + (path[length] == '/');
    }
    return value;
}

test_vector vector_find(const char *topic, const char *name) {
    const json_t *data = json_object_get(json_object_get(load(topic), "vectors"), name);
    ck_assert_msg(data, "%s.json has no %s", topic, name);
    return (test_vector){name, data};
}

int64_t vector_case_count(test_vector vector) {
    return (int64_t)json_array_size(json_object_get(vector.data, "cases"));
}

vector_case vector_case_number(test_vector vector, int64_t number) {
    const json_t *data = json_array_get(json_object_get(vector.data, "cases"), (size_t)number);
    ck_assert_msg(data, "%s has no case %" PRId64, vector.name, number);
    return (vector_case){.name = vector_text(json_object_get(data, "name")),
                         .shared = json_object_get(vector.data, "input"),
                         .input = json_object_get(data, "input"),
                         .expected = json_object_get(data, "expected")};
}

vector_case vector_case_named(test_vector vector, const char *name) {
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        vector_case one = vector_case_number(vector, i);
        if (strcmp(one.name, name) == 0) return one;
    }
    ck_abort_msg("%s has no case '%s'", vector.name, name);
}

/* An entry of the case's own input, or else of the input that all cases share. */
static const json_t *find_input(const vector_case *one, const char *path) {
    const json_t *value = walk(one->input, path);
    return value ? value : walk(one->shared, path);
}

bool vector_has_input(const vector_case *one, const char *path) {
    return find_input(one, path);
}

const json_t *vector_input(const vector_case *one, const char *path) {
    const json_t *value = find_input(one, path);
    ck_assert_msg(value, "case '%s' has no input %s", one->name, path);
    return value;
}

const json_t *vector_expected(const vector_case *one, const char *path) {
    const json_t *value = walk(one->expected, path);
    ck_assert_msg(value, "case '%s' expects no %s", one->name, path);
    return value;
}

/* ---- values ---- */

double vector_double(const json_t *value) {
    if (json_is_boolean(value)) return json_is_true(value) ? 1.0 : 0.0;
    if (!json_is_string(value)) {
        ck_assert(json_is_number(value));
        return json_number_value(value);
    }
    char *end;
    double number = strtod(json_string_value(value), &end);
    ck_assert_msg(*end == '\0', "'%s' is no number", json_string_value(value));
    return number;
}

int64_t vector_integer(const json_t *value) {
    ck_assert(json_is_integer(value));
    return json_integer_value(value);
}

uint64_t vector_word(const json_t *value) {
    const char *text = vector_text(value);
    char *end;
    uint64_t word = strtoull(text, &end, 16);
    ck_assert_msg(end == text + 16 && *end == '\0', "'%s' is no word of 16 digits", text);
    return word;
}

const char *vector_text(const json_t *value) {
    ck_assert(json_is_string(value));
    return json_string_value(value);
}

/* The number of values in nested lists. */
static int64_t count_leaves(const json_t *value) {
    if (!json_is_array(value)) return 1;
    int64_t count = 0;
    for (size_t i = 0; i < json_array_size(value); i++) {
        count += count_leaves(json_array_get(value, i));
    }
    return count;
}

/* Writes the values of nested lists to out, in order; returns where the next one goes. */
static double *fill_doubles(const json_t *value, double *out) {
    if (!json_is_array(value)) {
        *out = vector_double(value);
        return out + 1;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        out = fill_doubles(json_array_get(value, i), out);
    }
    return out;
}

const double *vector_doubles(const json_t *list, int64_t *count) {
    int64_t leaves = count_leaves(list);
    double *out = keep((size_t)leaves, sizeof *out);
    fill_doubles(list, out);
    if (count) *count = leaves;
    return out;
}

const float *vector_floats(const json_t *list, int64_t *count) {
    int64_t leaves;
    const double *wide = vector_doubles(list, &leaves);
    float *out = keep((size_t)leaves, sizeof *out);
    for (int64_t i = 0; i < leaves; i++) out[i] = (float)wide[i];
    if (count) *count = leaves;
    return out;
}

const int64_t *vector_integers(const json_t *list, int64_t *count) {
    int64_t leaves;
    const double *wide = vector_doubles(list, &leaves);
    int64_t *out = keep((size_t)leaves, sizeof *out);
    for (int64_t i = 0; i < leaves; i++) {
        ck_assert(wide[i] == floor(wide[i]) && fabs(wide[i]) < 0x1p53);
        out[i] = (int64_t)wide[i];
    }
    if (count) *count = leaves;
    return out;
}

int64_t vector_length(const json_t *list) {
    ck_assert(json_is_array(list));
    return (int64_t)json_array_size(list);
}

const int64_t *vector_offsets(const json_t *list, int64_t *count) {
    int64_t entries = vector_length(list);
    int64_t *out = keep((size_t)entries + 1, sizeof *out);
    for (int64_t i = 0; i < entries; i++) {
        out[i + 1] = out[i] + vector_length(json_array_get(list, (size_t)i));
    }
    if (count) *count = entries;
    return out;
}

/* ---- comparisons ---- */

void vector_near(const double *got, const json_t *expected, double tolerance) {
    int64_t count;
    const double *wanted = vector_doubles(expected, &count);
    for (int64_t i = 0; i < count; i++) {
        bool equal = got[i] == wanted[i] || (isnan(got[i]) && isnan(wanted[i])) ||
                     fabs(got[i] - wanted[i]) <= tolerance;
        ck_assert_msg(equal, "entry %" PRId64 " is %.17g, expected %.17g", i, got[i], wanted[i]);
    }
}

void vector_equal(const int64_t *got, const json_t *expected) {
    int64_t count;
    const int64_t *wanted = vector_integers(expected, &count);
    for (int64_t i = 0; i < count; i++) {
        ck_assert_msg(got[i] == wanted[i], "entry %" PRId64 " is %" PRId64 ", expected %" PRId64, i,
                      got[i], wanted[i]);
    }
}

void vector_digest(const void *bytes, size_t size, const json_t *expected) {
    uint64_t digest = XXH64(bytes, size, 0);
    ck_assert_msg(digest == vector_word(expected), "digest %016" PRIX64 ", expected %s", digest,
                  vector_text(expected));
}
