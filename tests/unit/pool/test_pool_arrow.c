/* SPDX-License-Identifier: Apache-2.0 */
/* Arrow C streams, from a producer made by hand. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/arrow.h"
#include "pool_test.h"

enum { MAX_CHILDREN = 8, ROWS = 4 };

/* A producer of batches that are all alike; counts what is released. */
typedef struct producer {
    struct ArrowArrayStream stream;
    int64_t children;
    const char *names[MAX_CHILDREN], *formats[MAX_CHILDREN];
    const void *buffers[MAX_CHILDREN][4];
    int64_t child_offset, offset, length, null_count, root_nulls;
    int batches, given;
    int fail_schema, fail_batch; /* codes; fail_batch comes with the last batch */
    const char *metadata[MAX_CHILDREN];
    /* Of the first child with one: its values, and their format. */
    struct ArrowArray *dictionary;
    int dictionary_of; /* number of that child */
    const char *dictionary_format;
    int schemas_released, arrays_released, streams_released;
    struct ArrowSchema child_schemas[MAX_CHILDREN], *schema_pointers[MAX_CHILDREN], values;
    struct ArrowArray child_arrays[MAX_CHILDREN], *array_pointers[MAX_CHILDREN];
    const void *root_buffers[1];
} producer;

static void release_schema(struct ArrowSchema *schema) {
    ((producer *)schema->private_data)->schemas_released++;
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    ((producer *)array->private_data)->arrays_released++;
    array->release = NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    ((producer *)stream->private_data)->streams_released++;
    stream->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    producer *from = stream->private_data;
    if (from->fail_schema != 0) return from->fail_schema;
    for (int64_t i = 0; i < from->children; i++) {
        from->child_schemas[i] = (struct ArrowSchema){
            .format = from->formats[i], .name = from->names[i], .metadata = from->metadata[i]};
        from->values = (struct ArrowSchema){.format = from->dictionary_format};
        if (from->dictionary && from->dictionary_of == i)
            from->child_schemas[i].dictionary = &from->values;
        from->schema_pointers[i] = &from->child_schemas[i];
    }
    *out = (struct ArrowSchema){.format = "+s",
                                .n_children = from->children,
                                .children = from->schema_pointers,
                                .release = release_schema,
                                .private_data = from};
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    producer *from = stream->private_data;
    *out = (struct ArrowArray){0};
    if (from->given == from->batches) return 0;
    if (++from->given == from->batches && from->fail_batch != 0) return from->fail_batch;
    for (int64_t i = 0; i < from->children; i++) {
        const bool text = strchr("uU", from->formats[i][0]);
        from->child_arrays[i] = (struct ArrowArray){.length = ROWS,
                                                    .null_count = from->null_count,
                                                    .offset = from->child_offset,
                                                    .n_buffers = text                         ? 3
                                                                 : from->formats[i][0] == 'v' ? 4
                                                                                              : 2,
                                                    .buffers = from->buffers[i]};
        if (from->dictionary && from->dictionary_of == i)
            from->child_arrays[i].dictionary = from->dictionary;
        from->array_pointers[i] = &from->child_arrays[i];
    }
    *out = (struct ArrowArray){.length = from->length,
                               .null_count = from->root_nulls,
                               .offset = from->offset,
                               .n_buffers = 1,
                               .buffers = from->root_buffers,
                               .n_children = from->children,
                               .children = from->array_pointers,
                               .release = release_array,
                               .private_data = from};
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the disk is on fire";
}

static const int32_t text_offsets[] = {0, 3, 3, 8, 9};
static const int64_t id_offsets[] = {0, 1, 2, 2, 4};
static const uint8_t text_valid[] = {0x0D}; /* row 1 is null */
static const uint8_t id_valid[] = {0x0B};   /* row 2 is null */
static const float costs[] = {1.5f, 2, 3, 0};
static const int16_t small_costs[] = {1, 2, 3, 4};

static void init(producer *from) {
    *from = (producer){.stream = {get_schema, get_next, get_last_error, release_stream, from},
                       .children = 4,
                       .names = {"extra", "id", "source", "cost"},
                       .formats = {"i", "U", "u", "f"},
                       .buffers = {{NULL, small_costs},
                                   {id_valid, id_offsets, "xyzz"},
                                   {text_valid, text_offsets, "onethreefour"},
                                   {text_valid, costs}},
                       .length = ROWS,
                       .null_count = -1,
                       .batches = 1};
}

static alcore_ctx *ctx;
static alcore_pool *pool;

static void setup(void) {
    ctx = test_ctx();
    /* Some streams have the same rows twice. */
    static const char *const texts[] = {"text 0", "text 1"};
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.repeated_ids = ALCORE_IDS_ANY;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 2, NULL));
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

START_TEST(all_columns) {
    producer from;
    init(&from);
    from.batches = 2;
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
    ck_assert_int_eq(from.schemas_released, 1);
    ck_assert_int_eq(from.arrays_released, 2);
    ck_assert_int_eq(from.streams_released, 1);
    ck_assert_int_eq(alcore_pool_row_count(pool), 10);
    static const char *const texts[] = {"one", "", "three", "f"};
    static const char *const ids[] = {"x", "y", "5", "zz"};
    for (int64_t i = 0; i < 4; i++) {
        ck_assert_str_eq(alcore_pool_text(pool, 2 + i, NULL), texts[i]);
        ck_assert_str_eq(alcore_pool_row_id(pool, 2 + i), ids[i]);
    }
    ck_assert_int_eq(alcore_pool_states(pool)[3], ALCORE_ROW_EMPTY);
    ck_assert_int_eq(alcore_pool_states(pool)[6], ALCORE_ROW_DUPLICATE);
    ck_assert_double_eq(alcore_pool_cost(pool, 2), 1.5);
    ck_assert(isnan(alcore_pool_cost(pool, 3)));
    ck_assert_double_eq(alcore_pool_cost(pool, 5), 0);
}
END_TEST

START_TEST(offsets_of_struct_and_children_add_up) {
    producer from;
    init(&from);
    from.offset = 1;
    from.length = 1;
    from.child_offset = 1;
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
    ck_assert_int_eq(alcore_pool_row_count(pool), 3);
    ck_assert_str_eq(alcore_pool_text(pool, 2, NULL), "three");
    ck_assert_double_eq(alcore_pool_cost(pool, 2), 3);
}
END_TEST

START_TEST(null_structs_are_empty_rows) {
    static const uint8_t valid[] = {0x0E};
    producer from;
    init(&from);
    from.root_buffers[0] = valid;
    from.root_nulls = -1; /* not counted */
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
    ck_assert_str_eq(alcore_pool_text(pool, 2, NULL), "");
    ck_assert_str_eq(alcore_pool_row_id(pool, 2), "3");
    ck_assert(isnan(alcore_pool_cost(pool, 2)));
    ck_assert_str_eq(alcore_pool_text(pool, 4, NULL), "three");
}
END_TEST

START_TEST(text_column_by_name) {
    producer from;
    init(&from);
    from.names[2] = "body";
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.text_column = "body";
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, &options));
    ck_assert_str_eq(alcore_pool_text(pool, 4, NULL), "three");
}
END_TEST

START_TEST(reference_column_by_name) {
    producer from;
    init(&from);
    from.names[1] = "de"; /* of the ids */
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.reference_column = "de";
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, &options));
    const int64_t last = alcore_pool_row_count(pool) - 1;
    ck_assert_str_eq(alcore_pool_reference(pool, last, NULL), "zz");
    ck_assert_ptr_null(alcore_pool_reference(pool, last - 1, NULL));
    ck_assert_str_eq(alcore_pool_row_id(pool, last), "6"); /* nothing is an id any more */
    init(&from);
    options.reference_column = "fr";
    ck_assert_fails(alcore_pool_add_arrow(pool, &from.stream, &options), ALCORE_E_DATA,
                    "no column \"fr\"");
    init(&from);
    options.references = "train.de";
    ck_assert_fails(alcore_pool_add_arrow(pool, &from.stream, &options), ALCORE_E_INVALID,
                    "only text_column and reference_column apply");
    ck_assert_int_eq(alcore_pool_row_count(pool), last + 1);
}
END_TEST

START_TEST(integer_costs) {
    producer from;
    init(&from);
    from.formats[3] = "s";
    from.buffers[3][0] = NULL;
    from.buffers[3][1] = small_costs;
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
    ck_assert_double_eq(alcore_pool_cost(pool, 5), 4);
}
END_TEST

static void check_refused(producer *from, alcore_status status, const char *part) {
    ck_assert_fails(alcore_pool_add_arrow(pool, &from->stream, NULL), status, part);
    ck_assert_int_eq(from->streams_released, 1);
    ck_assert_int_eq(from->schemas_released, from->fail_schema == 0);
    ck_assert_int_eq(alcore_pool_row_count(pool), 2);
}

/* A string of a view column: inside the view up to 12 bytes, else in a data buffer. */
typedef struct view {
    int32_t length;
    union {
        char text[12];
        struct {
            char first[4];
            int32_t buffer, offset;
        } place;
    } in;
} view;

START_TEST(string_views) {
    static const char data[] = "..twelve and more bytes";
    static const int64_t sizes[] = {sizeof data - 1};
    view views[ROWS + 1] = {
        {3, {"a b"}}, {12, {"exactly 12 b"}}, {0, {""}}, {21, {""}}, {1, {"x"}}};
    producer from;
    init(&from);
    memcpy(views[3].in.place.first, "twel", 4);
    views[3].in.place.buffer = 0;
    views[3].in.place.offset = 2;
    from.formats[2] = "vu";
    from.buffers[2][0] = NULL;
    from.buffers[2][1] = views;
    from.buffers[2][2] = data;
    from.buffers[2][3] = sizes;
    from.child_offset = from.offset = from.null_count = from.root_nulls = 0;
    from.length = ROWS;
    from.batches = 1;
    int64_t first = alcore_pool_row_count(pool);
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
    ck_assert_str_eq(alcore_pool_text(pool, first, NULL), "a b");
    ck_assert_str_eq(alcore_pool_text(pool, first + 1, NULL), "exactly 12 b");
    ck_assert_str_eq(alcore_pool_text(pool, first + 2, NULL), "");
    ck_assert_str_eq(alcore_pool_text(pool, first + 3, NULL), "twelve and more bytes");
}
END_TEST

START_TEST(malformed_views) {
    static const int64_t sizes[] = {20};
    static const int32_t bad[][3] = {{-1, 0, 0}, {13, 1, 0}, {13, -1, 0}, {13, 0, -1}, {13, 0, 8}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        view views[ROWS] = {0};
        producer from;
        init(&from);
        views[0].length = bad[i][0];
        views[0].in.place.buffer = bad[i][1];
        views[0].in.place.offset = bad[i][2];
        from.formats[2] = "vu";
        from.buffers[2][0] = NULL;
        from.buffers[2][1] = views;
        from.buffers[2][2] = "twenty bytes of text";
        from.buffers[2][3] = sizes;
        from.child_offset = from.offset = from.null_count = from.root_nulls = 0;
        from.length = ROWS;
        check_refused(&from, ALCORE_E_DATA, "malformed view");
    }
}
END_TEST

START_TEST(whole_numbers_are_ids) {
    static const int64_t wide[] = {7, -8, 9, INT64_MAX};
    static const uint64_t large[] = {UINT64_MAX, 1, 2, 3};
    static const struct {
        const char *format;
        const void *values;
        const char *first, *last;
    } cases[] = {{"l", wide, "7", "9223372036854775807"},
                 {"s", small_costs, "1", "4"},
                 {"L", large, "18446744073709551615", "3"}};
    char buffer[24];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        producer from;
        init(&from);
        from.formats[1] = cases[i].format;
        from.buffers[1][0] = id_valid; /* row 2 is null */
        from.buffers[1][1] = cases[i].values;
        const int64_t first = alcore_pool_row_count(pool);
        ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
        ck_assert_str_eq(alcore_pool_row_id(pool, first), cases[i].first);
        ck_assert_str_eq(alcore_pool_row_id(pool, first + 3), cases[i].last);
        snprintf(buffer, sizeof buffer, "%d", (int)first + 3);
        ck_assert_str_eq(alcore_pool_row_id(pool, first + 2), buffer);
    }
}
END_TEST

START_TEST(decimal_costs) {
    static const int64_t wide[][2] = {{1500, 0}, {0, 0}, {1, 1}, {10, 0}}; /* low and high half */
    static const int32_t narrow[] = {1500, 0, 25, 10};
    static const char *const formats[] = {"d:38,3", "d:9,3,32"};
    for (int i = 0; i < 2; i++) {
        producer from;
        init(&from);
        from.formats[3] = formats[i];
        from.buffers[3][1] = i == 0 ? (const void *)wide : narrow;
        const int64_t first = alcore_pool_row_count(pool);
        ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
        ck_assert_double_eq(alcore_pool_cost(pool, first), 1.5);
        ck_assert(isnan(alcore_pool_cost(pool, first + 1))); /* null */
        ck_assert_double_eq(alcore_pool_cost(pool, first + 2),
                            i == 0 ? 18446744073709551.617 : 0.025);
    }
}
END_TEST

START_TEST(dictionaries_and_nulls) {
    static const int16_t codes[] = {1, 0, 1, 2};
    static const int32_t offsets[] = {0, 0, 2, 4, 6};
    static const uint8_t valid[] = {0x0F}, no_last_word[] = {0x07};
    static const int16_t outside[] = {1, 0, 3, 2}, negative[] = {-1, 0, 0, 0};
    const void *buffers[] = {no_last_word, offsets, "defr--"};
    struct ArrowArray words = {
        .length = 3, .null_count = -1, .offset = 1, .n_buffers = 3, .buffers = buffers};
    producer from;
    init(&from);
    from.names[0] =
        "lang"; /* the text's dictionary is empty, "de", "fr"; the offset leaves "" out */
    from.formats[0] = "s";
    from.buffers[0][0] = valid;
    from.buffers[0][1] = codes;
    from.dictionary = &words;
    from.dictionary_format = "u";
    from.formats[1] = "n";
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
    ck_assert_str_eq(alcore_pool_language(pool, 2), "fr");
    ck_assert_str_eq(alcore_pool_language(pool, 3), "de");
    ck_assert_str_eq(alcore_pool_language(pool, 5), "unknown"); /* a null in the dictionary */
    ck_assert_str_eq(alcore_pool_row_id(pool, 2), "3");
    for (int i = 0; i < 2; i++) {
        init(&from);
        from.names[0] = "lang";
        from.formats[0] = "s";
        from.buffers[0][1] = i == 0 ? outside : negative;
        from.dictionary = &words;
        from.dictionary_format = "u";
        ck_assert_fails(alcore_pool_add_arrow(pool, &from.stream, NULL), ALCORE_E_DATA,
                        "\"lang\" has an index outside its dictionary at row");
    }
}
END_TEST

/* Metadata of a schema with one pair: numbers are int32 of this machine. */
static const char *metadata_of(const char *key, const char *value, char *out) {
    const int32_t pairs = 1, lengths[] = {(int32_t)strlen(key), (int32_t)strlen(value)};
    char *at = out;
    memcpy(at, &pairs, sizeof pairs);
    at += sizeof pairs;
    for (int i = 0; i < 2; i++) {
        memcpy(at, &lengths[i], sizeof lengths[i]);
        at += sizeof lengths[i];
        memcpy(at, i == 0 ? key : value, (size_t)lengths[i]);
        at += lengths[i];
    }
    return out;
}

START_TEST(extension_types) {
    char metadata[100];
    producer from;
    init(&from);
    from.metadata[2] = metadata_of("ARROW:extension:name", "arrow.json", metadata);
    check_refused(&from, ALCORE_E_UNSUPPORTED,
                  "Arrow column \"source\" has the type arrow.json; expected string");
    init(&from);
    from.metadata[0] = metadata; /* of a column that is not read */
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
    init(&from);
    from.metadata[2] = metadata_of("note", "arrow.json", metadata);
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
}
END_TEST

START_TEST(refused) {
    static const int32_t falling[] = {0, 3, 2, 8, 9};
    static const float negative[] = {1, 2, -3, 0}, nan_costs[] = {NAN, 2, 3, 0};
    producer from;
    init(&from);
    from.formats[1] = "tdD";
    check_refused(&from, ALCORE_E_UNSUPPORTED, "\"id\" has the type tdD");
    init(&from);
    from.formats[2] = "l";
    check_refused(&from, ALCORE_E_UNSUPPORTED, "\"source\" has the type l; expected string");
    init(&from);
    from.formats[3] = "d:70,3,256";
    check_refused(&from, ALCORE_E_UNSUPPORTED, "\"cost\" has the type d:70,3,256");
    init(&from);
    from.formats[3] = "u";
    check_refused(&from, ALCORE_E_UNSUPPORTED, "\"cost\"");
    init(&from);
    from.names[2] = "body";
    check_refused(&from, ALCORE_E_DATA, "no column \"text\" (nor \"source\" nor \"src\")");
    init(&from);
    from.fail_schema = EIO;
    check_refused(&from, ALCORE_E_CALLBACK, "its schema: the disk is on fire (code 5)");
    init(&from);
    from.fail_batch = EIO;
    from.batches = 3;
    check_refused(&from, ALCORE_E_CALLBACK, "a batch: the disk is on fire");
    ck_assert_int_eq(from.arrays_released, 2);
    init(&from);
    from.buffers[2][1] = falling;
    from.buffers[2][0] = NULL;
    check_refused(&from, ALCORE_E_DATA, "malformed offsets at row 1");
    init(&from);
    from.length = ROWS + 1;
    check_refused(&from, ALCORE_E_DATA, "malformed");
    init(&from);
    from.buffers[2][1] = NULL;
    check_refused(&from, ALCORE_E_DATA, "\"source\" is malformed");
    init(&from);
    from.child_offset = INT64_MAX;
    check_refused(&from, ALCORE_E_DATA, "malformed");
    init(&from);
    from.buffers[3][1] = negative;
    check_refused(&from, ALCORE_E_DATA, "row 4: the cost is -3");
    init(&from);
    from.buffers[3][1] = nan_costs;
    check_refused(&from, ALCORE_E_DATA, "row 2: the cost is NaN");
    init(&from);
    from.buffers[2][2] = "on\xFFthreefour";
    check_refused(&from, ALCORE_E_DATA, "row 2: the text is not valid UTF-8 at byte 2");
    ck_assert_fails(alcore_pool_add_arrow(pool, NULL, NULL), ALCORE_E_INVALID, "NULL");
    ck_assert_fails(alcore_pool_add_arrow(pool, &from.stream, NULL), ALCORE_E_INVALID, "released");
    init(&from);
    ck_assert_fails(alcore_pool_add_arrow(NULL, &from.stream, NULL), ALCORE_E_INVALID, "pool");
    ck_assert_int_eq(from.streams_released, 0);
}
END_TEST

/* A call that fails before it reads leaves the stream to its owner; the next call may read it. */
START_TEST(untouched_before_reading) {
    producer from;
    init(&from);
    alcore_read_options options = {0};
    ck_assert_fails(alcore_pool_add_arrow(pool, &from.stream, &options), ALCORE_E_STRUCT_UNSET,
                    "size");
    alcore_ctx_cancel(ctx);
    ck_assert_fails(alcore_pool_add_arrow(pool, &from.stream, NULL), ALCORE_E_CANCELLED, "");
    alcore_ctx_cancel_clear(ctx);
    options = (alcore_read_options)ALCORE_READ_OPTIONS_INIT;
    options.text_column = options.reference_column = "source";
    ck_assert_fails(alcore_pool_add_arrow(pool, &from.stream, &options), ALCORE_E_INVALID,
                    "the column \"source\" cannot be text and reference");
    ck_assert_int_eq(from.streams_released, 0);
    ck_assert_int_eq(from.schemas_released, 0);
    ck_assert_ptr_nonnull(from.stream.release);
    ck_assert_ok(alcore_pool_add_arrow(pool, &from.stream, NULL));
    ck_assert_int_eq(from.streams_released, 1);
    ck_assert_ptr_null(from.stream.release);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, all_columns);
    tcase_add_test(tests, offsets_of_struct_and_children_add_up);
    tcase_add_test(tests, null_structs_are_empty_rows);
    tcase_add_test(tests, text_column_by_name);
    tcase_add_test(tests, reference_column_by_name);
    tcase_add_test(tests, integer_costs);
    tcase_add_test(tests, string_views);
    tcase_add_test(tests, malformed_views);
    tcase_add_test(tests, whole_numbers_are_ids);
    tcase_add_test(tests, decimal_costs);
    tcase_add_test(tests, dictionaries_and_nulls);
    tcase_add_test(tests, extension_types);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, untouched_before_reading);
}

TEST_FILE() {
    return test_run("pool-arrow", add);
}
