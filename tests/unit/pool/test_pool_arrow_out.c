/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a pool as an Arrow stream: types, values, nulls, and what is released when. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "alcore/arrow.h"
#include "pool_test.h"

enum { ROWS = 3 };

static alcore_ctx *ctx;
static alcore_pool *pool;

static void setup(void) {
    static const char *const texts[] = {"one", "", "zwei drei"}, *const ids[] = {"a", NULL, "c"},
                             *const references[] = {NULL, "", "two three"},
                             *const languages[] = {"en", NULL, "de"},
                             *const groups[] = {"doc", NULL, NULL};
    static const double costs[] = {1.5, 0, 3};
    static const int64_t without_cost[] = {1};
    static const double none[] = {NAN};
    alcore_records records = ALCORE_RECORDS_INIT;
    ctx = test_ctx();
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    records.count = ROWS;
    records.texts = texts;
    records.ids = ids;
    records.references = references;
    records.languages = languages;
    records.groups = groups;
    records.costs = costs;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_ok(alcore_pool_set_costs(pool, without_cost, none, 1));
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* One batch and its schema. */
typedef struct table {
    struct ArrowSchema schema;
    struct ArrowArray batch;
} table;

static table read_all(const alcore_table_options *options) {
    struct ArrowArrayStream stream;
    struct ArrowArray end;
    table found;
    ck_assert_ok(alcore_pool_get_arrow(pool, options, &stream));
    ck_assert_int_eq(stream.get_schema(&stream, &found.schema), 0);
    ck_assert_int_eq(stream.get_next(&stream, &found.batch), 0);
    ck_assert_int_eq(stream.get_next(&stream, &end), 0);
    ck_assert_ptr_null(end.release);
    stream.release(&stream);
    ck_assert_ptr_null(stream.release);
    return found;
}

static void release(table *of) {
    of->schema.release(&of->schema);
    of->batch.release(&of->batch);
    ck_assert_ptr_null(of->schema.release);
    ck_assert_ptr_null(of->batch.release);
}

static int64_t find(const table *in, const char *name) {
    for (int64_t i = 0; i < in->schema.n_children; i++)
        if (strcmp(in->schema.children[i]->name, name) == 0) return i;
    ck_abort_msg("no column %s", name);
}

/* The column of a name, which has to have that format. */
static const struct ArrowArray *column_of(const table *in, const char *name, const char *format) {
    const int64_t i = find(in, name);
    ck_assert_str_eq(in->schema.children[i]->format, format);
    ck_assert_int_eq(in->batch.children[i]->length, ROWS);
    ck_assert_int_eq(in->batch.children[i]->offset, 0);
    return in->batch.children[i];
}

static bool valid(const struct ArrowArray *array, int64_t i) {
    const uint8_t *bits = array->buffers[0];
    return !bits || (bits[i / 8] >> (i % 8) & 1) != 0;
}

/* Compares a column of texts; NULL: null. */
static void check_texts(const table *in, const char *name, const char *const *expected) {
    const struct ArrowArray *array = column_of(in, name, "U");
    const int64_t *offsets = array->buffers[1];
    const char *bytes = array->buffers[2];
    int64_t nulls = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        ck_assert(valid(array, i) == (expected[i] != NULL));
        nulls += !expected[i];
        if (!expected[i]) continue;
        ck_assert_int_eq(offsets[i + 1] - offsets[i], (int64_t)strlen(expected[i]));
        ck_assert_mem_eq(bytes + offsets[i], expected[i], strlen(expected[i]));
    }
    ck_assert_int_eq(array->null_count, nulls);
}

START_TEST(records) {
    table found = read_all(NULL);
    ck_assert_str_eq(found.schema.format, "+s");
    ck_assert_int_eq(found.schema.n_children, 8);
    ck_assert_int_eq(found.batch.length, ROWS);
    check_texts(&found, "id", (const char *[]){"a", "2", "c"});
    check_texts(&found, "text", (const char *[]){"one", "", "zwei drei"});
    check_texts(&found, "reference", (const char *[]){NULL, "", "two three"});
    check_texts(&found, "lang", (const char *[]){"en", NULL, "de"});
    check_texts(&found, "group", (const char *[]){"doc", NULL, NULL});
    const struct ArrowArray *costs = column_of(&found, "cost", "g");
    ck_assert_double_eq(((const double *)costs->buffers[1])[2], 3);
    ck_assert(valid(costs, 0) && !valid(costs, 1));
    ck_assert_int_eq(((const int64_t *)column_of(&found, "index", "l")->buffers[1])[2], 2);
    ck_assert_uint_eq(((const uint32_t *)column_of(&found, "state", "I")->buffers[1])[1],
                      ALCORE_ROW_EMPTY);
    release(&found);
}
END_TEST

static void set_column(const char *name, void *data, int32_t dtype, int64_t rows, int64_t width,
                       int64_t *offsets, const alcore_column_options *options) {
    alcore_tensor values, starts;
    int64_t shape[] = {rows, width}, offset_shape[] = {ROWS + 1};
    ck_assert_ok(alcore_tensor_init(&values, data, dtype, shape, width > 0 ? 2 : 1));
    if (offsets) ck_assert_ok(alcore_tensor_init(&starts, offsets, ALCORE_INT64, offset_shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, name, &values, offsets ? &starts : NULL, options));
}

START_TEST(columns) {
    static const int64_t two[] = {2, 0};
    float scores[] = {0.5f, NAN, 2}, vectors[] = {1, 2, 3, 4}, tokens[] = {1, 2, 3, 4, 5, 6};
    uint16_t halves[] = {0x3F80, 0x4000, 0x4040}; /* 1, 2, 3 as bfloat16 */
    int64_t numbers[] = {7, INT64_MIN, 9}, starts[] = {0, 2, 2, 6}, pairs[] = {0, 1, 1, 3};
    const char *notes[] = {"x", NULL, "z"};
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = two;
    options.row_count = 2;
    set_column("scores", scores, ALCORE_FLOAT32, ROWS, 0, NULL, NULL);
    set_column("embeddings", vectors, ALCORE_FLOAT32, 2, 2, NULL, &options);
    set_column("logprobs", tokens, ALCORE_FLOAT32, 6, 0, starts, NULL);
    set_column("token_probs", tokens, ALCORE_FLOAT32, 3, 2, pairs, NULL);
    set_column("halves", halves, ALCORE_BFLOAT16, ROWS, 0, NULL, NULL);
    set_column("numbers", numbers, ALCORE_INT64, ROWS, 0, NULL, NULL);
    float gaps[] = {NAN, 2, NAN, NAN, 5, NAN};
    set_column("gaps", gaps, ALCORE_FLOAT32, ROWS, 2, NULL, NULL);
    ck_assert_ok(alcore_pool_set_text_column(pool, "notes", notes, NULL, ROWS, NULL));
    table found = read_all(NULL);
    const struct ArrowArray *array = column_of(&found, "scores", "f");
    ck_assert_float_eq(((const float *)array->buffers[1])[2], 2);
    ck_assert(valid(array, 0) && !valid(array, 1));
    array = column_of(&found, "embeddings", "+w:2");
    ck_assert_str_eq(found.schema.children[find(&found, "embeddings")]->children[0]->format, "f");
    ck_assert_float_eq(((const float *)array->children[0]->buffers[1])[0], 3); /* row 0: entry 1 */
    ck_assert_float_eq(((const float *)array->children[0]->buffers[1])[5], 2);
    ck_assert(valid(array, 0) && !valid(array, 1) && valid(array, 2));
    array = column_of(&found, "logprobs", "+L");
    ck_assert_int_eq(((const int64_t *)array->buffers[1])[3], 6);
    ck_assert_float_eq(((const float *)array->children[0]->buffers[1])[5], 6);
    array = column_of(&found, "token_probs", "+L");
    const struct ArrowSchema *schema = found.schema.children[find(&found, "token_probs")];
    ck_assert_str_eq(schema->children[0]->format, "+w:2");
    ck_assert_str_eq(schema->children[0]->children[0]->format, "f");
    ck_assert_int_eq(array->children[0]->length, 3);
    ck_assert_float_eq(((const float *)array->children[0]->children[0]->buffers[1])[5], 6);
    array = column_of(&found, "halves", "f");
    ck_assert_float_eq(((const float *)array->buffers[1])[2], 3);
    array = column_of(&found, "numbers", "l");
    ck_assert(valid(array, 0) && !valid(array, 1));
    array = column_of(&found, "gaps", "+w:2"); /* a vector without any number is no value */
    ck_assert(valid(array, 0) && !valid(array, 1) && valid(array, 2));
    ck_assert_int_eq(array->null_count, 1);
    ck_assert_float_eq(((const float *)array->children[0]->buffers[1])[4], 5);
    check_texts(&found, "notes", (const char *[]){"x", NULL, "z"});
    release(&found);
}
END_TEST

START_TEST(chosen_columns) {
    static const char *const names[] = {"text", "id"}, *const wrong[] = {"txt"};
    alcore_table_options options = ALCORE_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    options.columns = names;
    options.column_count = 2;
    table found = read_all(&options);
    ck_assert_int_eq(found.schema.n_children, 2);
    ck_assert_str_eq(found.schema.children[0]->name, "text");
    check_texts(&found, "id", (const char *[]){"a", "2", "c"});
    release(&found);
    options.columns = wrong;
    options.column_count = 1;
    ck_assert_fails(alcore_pool_get_arrow(pool, &options, &stream), ALCORE_E_NOT_FOUND,
                    "no column \"txt\"; did you mean \"text\"?");
    ck_assert_ptr_null(stream.release);
    options.column_count = -1;
    ck_assert_fails(alcore_pool_get_arrow(pool, &options, &stream), ALCORE_E_INVALID, "negative");
    options.size = 0;
    ck_assert_fails(alcore_pool_get_arrow(pool, &options, &stream), ALCORE_E_STRUCT_UNSET, "size");
    ck_assert_fails(alcore_pool_get_arrow(pool, NULL, NULL), ALCORE_E_INVALID, "out");
    ck_assert_fails(alcore_pool_get_arrow(NULL, NULL, &stream), ALCORE_E_INVALID, "pool");
}
END_TEST

/* A column of the caller by the name of one that every table has would be there twice. */
START_TEST(names_that_are_taken) {
    static const char *const cost[] = {"cost"}, *const text[] = {"text"};
    double numbers[ROWS] = {7, 8, 9};
    int64_t shape[] = {ROWS};
    alcore_table_options options = ALCORE_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    alcore_tensor values;
    ck_assert_ok(alcore_tensor_init(&values, numbers, ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "cost", &values, NULL, NULL));
    ck_assert_fails(alcore_pool_get_arrow(pool, NULL, &stream), ALCORE_E_INVALID,
                    "two columns of the table are named \"cost\"");
    options.column_count = 1;
    options.columns = cost;
    ck_assert_fails(alcore_pool_get_arrow(pool, &options, &stream), ALCORE_E_INVALID,
                    "two columns of the table are named \"cost\"");
    options.columns = text;
    table found = read_all(&options);
    release(&found);
    ck_assert_ok(alcore_pool_drop_column(pool, "cost"));
    found = read_all(NULL);
    release(&found);
}
END_TEST

/* What is handed out outlives the pool, the context and its own parent. */
START_TEST(lifetimes) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch, child;
    struct ArrowSchema schema;
    ck_assert_ok(alcore_pool_get_arrow(pool, NULL, &stream));
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(stream.get_schema(&stream, &schema), 0);
    ck_assert_int_eq(stream.get_next(&stream, &batch), 0);
    stream.release(&stream);
    child = *batch.children[2]; /* moved out */
    batch.children[2]->release = NULL;
    batch.release(&batch);
    ck_assert_mem_eq(child.buffers[2], "onezwei drei", 12);
    child.release(&child);
    schema.release(&schema);
    setup();
}
END_TEST

/* A pool that came by a stream is the same pool. */
START_TEST(there_and_back) {
    struct ArrowArrayStream stream;
    alcore_pool *other;
    ck_assert_ok(alcore_pool_get_arrow(pool, NULL, &stream));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &other));
    ck_assert_ok(alcore_pool_add_arrow(other, &stream, NULL));
    ck_assert_int_eq(alcore_pool_row_count(other), ROWS);
    ck_assert_uint_eq(alcore_pool_fingerprint(other), alcore_pool_fingerprint(pool));
    for (int64_t row = 0; row < ROWS; row++) {
        ck_assert_str_eq(alcore_pool_row_id(other, row), alcore_pool_row_id(pool, row));
        ck_assert_str_eq(alcore_pool_language(other, row), alcore_pool_language(pool, row));
    }
    ck_assert_str_eq(alcore_pool_reference(other, 2, NULL), "two three");
    ck_assert_ptr_null(alcore_pool_reference(other, 0, NULL));
    ck_assert_str_eq(alcore_pool_reference(other, 1, NULL), "");
    ck_assert_double_eq(alcore_pool_cost(other, 0), 1.5);
    ck_assert_double_nan(alcore_pool_cost(other, 1));
    alcore_pool_unref(other);
}
END_TEST

START_TEST(errors_of_the_stream) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    float scores[ROWS] = {1, 2, 3};
    double wide[ROWS] = {1, 2, 3};
    set_column("scores", scores, ALCORE_FLOAT32, ROWS, 0, NULL, NULL);
    ck_assert_ok(alcore_pool_get_arrow(pool, NULL, &stream));
    set_column("scores", wide, ALCORE_FLOAT64, ROWS, 0, NULL, NULL);
    ck_assert_int_eq(stream.get_next(&stream, &batch), EINVAL);
    ck_assert_ptr_null(batch.release);
    ck_assert_ptr_nonnull(
        strstr(stream.get_last_error(&stream), "replaced by one of another type"));
    ck_assert_ok(alcore_pool_drop_column(pool, "scores"));
    ck_assert_int_eq(stream.get_next(&stream, &batch), EINVAL);
    ck_assert_ptr_nonnull(strstr(stream.get_last_error(&stream), "no column \"scores\""));
    set_column("scores", scores, ALCORE_FLOAT32, ROWS, 0, NULL, NULL);
    alcore_ctx_cancel(ctx);                                /* which ends no call that saves */
    ck_assert_int_eq(stream.get_next(&stream, &batch), 0); /* it goes on */
    batch.release(&batch);
    stream.release(&stream);
}
END_TEST

/* The rows are those of the call that made the stream. */
START_TEST(rows_of_then) {
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    const char *const later[] = {"later"};
    ck_assert_ok(alcore_pool_get_arrow(pool, NULL, &stream));
    ck_assert_ok(alcore_pool_add_texts(pool, later, NULL, 1, NULL));
    ck_assert_int_eq(stream.get_next(&stream, &batch), 0);
    ck_assert_int_eq(batch.length, ROWS);
    batch.release(&batch);
    ck_assert_int_eq(stream.get_next(&stream, &batch), 0);
    ck_assert_ptr_null(batch.release);
    stream.release(&stream);
}
END_TEST

static struct ArrowArrayStream read_inside;
static int answer_inside;

static void read_within(void *user, int32_t level, const char *component, const char *message,
                        const char *fields) {
    struct ArrowArray batch;
    (void)user, (void)level, (void)component, (void)message, (void)fields;
    answer_inside = read_inside.get_next(&read_inside, &batch);
    ck_assert_ptr_null(batch.release);
}

/* A stream that is read while its pool is changed says so, and goes on afterwards. */
START_TEST(a_pool_that_changes) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_pool_options lenient = ALCORE_POOL_OPTIONS_INIT;
    const char *const texts[] = {"one"}, *const malformed[] = {"tw\xFFo"};
    alcore_ctx *own;
    alcore_pool *changed;
    struct ArrowArray batch;
    options.log = read_within; /* which the warning about the malformed text calls */
    lenient.utf8 = ALCORE_UTF8_REPLACE;
    ck_assert_ok(alcore_ctx_new(&options, &own));
    ck_assert_ok(alcore_pool_new(own, &lenient, &changed));
    ck_assert_ok(alcore_pool_add_texts(changed, texts, NULL, 1, NULL));
    ck_assert_ok(alcore_pool_get_arrow(changed, NULL, &read_inside));
    answer_inside = 0;
    ck_assert_ok(alcore_pool_add_texts(changed, malformed, NULL, 1, NULL));
    ck_assert_int_eq(answer_inside, EBUSY);
    ck_assert_int_eq(read_inside.get_next(&read_inside, &batch), 0);
    ck_assert_int_eq(batch.length, 1);
    batch.release(&batch);
    read_inside.release(&read_inside);
    alcore_pool_unref(changed);
    alcore_ctx_unref(own);
}
END_TEST

/* Batches together have all rows, also those of a column that has fewer than the pool. */
START_TEST(several_batches) {
    enum { MANY = 70000 };
    static double values[MANY];
    static int64_t starts[MANY + 1];
    struct ArrowArrayStream stream;
    alcore_tensor tensor, offsets;
    int64_t shape[] = {MANY}, offset_shape[] = {MANY + 1}, row = 0, batches = 0;
    alcore_pool_unref(pool);
    pool = test_pool_of(ctx, MANY);
    for (int64_t i = 0; i < MANY; i++) values[i] = (double)i, starts[i + 1] = i + 1;
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_tensor_init(&offsets, starts, ALCORE_INT64, offset_shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "scores", &tensor, NULL, NULL));
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &tensor, &offsets, NULL));
    ck_assert_ok(alcore_pool_add_texts(pool, (const char *[]){"later"}, NULL, 1, NULL));
    ck_assert_ok(alcore_pool_get_arrow(pool, NULL, &stream));
    for (;; batches++) {
        struct ArrowArray batch;
        ck_assert_int_eq(stream.get_next(&stream, &batch), 0);
        if (!batch.release) break;
        const double *scores = batch.children[8]->buffers[1];
        const int64_t *tokens = batch.children[9]->buffers[1];
        const double *logprobs = batch.children[9]->children[0]->buffers[1];
        for (int64_t i = 0; i < batch.length && row < MANY; i++, row++) {
            ck_assert_double_eq(scores[i], (double)row);
            ck_assert_int_eq(tokens[i + 1] - tokens[i], 1);
            ck_assert_double_eq(logprobs[tokens[i]], (double)row);
        }
        if (row == MANY) {
            ck_assert(!valid(batch.children[8], batch.length - 1));
            ck_assert(!valid(batch.children[9], batch.length - 1));
        }
        batch.release(&batch);
    }
    ck_assert_int_eq(row, MANY);
    ck_assert_int_eq(batches, 3);
    stream.release(&stream);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, records);
    tcase_add_test(tests, columns);
    tcase_add_test(tests, chosen_columns);
    tcase_add_test(tests, names_that_are_taken);
    tcase_add_test(tests, lifetimes);
    tcase_add_test(tests, there_and_back);
    tcase_add_test(tests, errors_of_the_stream);
    tcase_add_test(tests, rows_of_then);
    tcase_add_test(tests, a_pool_that_changes);
    tcase_add_test(tests, several_batches);
}

TEST_FILE() {
    return test_run("pool-arrow-out", add);
}
