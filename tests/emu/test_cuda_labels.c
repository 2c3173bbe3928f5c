/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and bias on the device of logits or hidden states, the second of two emulated ones, in
 * every layout: what is measured is, to the byte, what the same call measures with labels and bias
 * in host memory, and they are not copied there. They are written by work that waits in the
 * caller's stream, so that a stream that is dropped is seen. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "device_tensors.h"

enum { ITEMS = 6, TOKENS = 5, CLASSES = 11, DIMS = 9, IGNORE = -100, STATS = 7 };
enum { ALL = ITEMS * TOKENS, WIDE = TOKENS + 1 };

/* How the labels are in memory: without gaps; the last columns of a wider array, as labels[:, 1:];
 * tokens first. */
enum { PLAIN, SHIFTED, TIME_MAJOR, LAYOUTS };

static alcore_ctx *ctx;
static void *stream;
/* cudaStreamPerThread, which names another stream in each thread. */
static void *const PER_THREAD = (void *)2;

/* The arrays of a call: tensors of `logits` point into it. */
typedef struct arrays {
    float numbers[ITEMS * WIDE * CLASSES]; /* logits; the first of them hidden states */
    float matrix[CLASSES * DIMS];
    double bias[2 * CLASSES]; /* in the type that is wanted, perhaps with gaps */
    int64_t labels[ITEMS * WIDE], lengths[ITEMS];
    int64_t shape[3], strides[3], matrix_shape[2], bias_shape[1], bias_strides[1];
    int64_t label_shape[2], label_strides[2];
    alcore_tensor values, output, b, targets, out[STATS];
    double found[STATS][ALL];
    alcore_logits given;
    alcore_token_stats stats;
} arrays;

static arrays here, far;

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.device(1);
    stream = emu.stream_new();
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
    if (stream && stream != PER_THREAD) emu.stream_free(stream);
    free_taken();
}

/* Moves a tensor to cuda:1, where a copy that waits in the stream writes its `bytes` bytes. */
static void move(alcore_tensor *tensor, size_t bytes) {
    *tensor = queued(tensor, bytes, 0x7f, stream);
}

/* Writes the label of a token in the layout and type. */
static void put_label(arrays *a, int layout, bool wide, int item, int token, int64_t label) {
    const int at = layout == TIME_MAJOR ? token * ITEMS + item
                   : layout == SHIFTED  ? item * WIDE + token + 1
                                        : item * TOKENS + token;
    const int32_t narrow = (int32_t)label;
    if (wide)
        a->labels[at] = label;
    else
        memcpy((char *)a->labels + 4 * at, &narrow, sizeof narrow);
}

/* The labels of the call in a layout, int64 or int32; every seventh token is left out. */
static void label(arrays *a, int layout, bool wide) {
    const int64_t strides[LAYOUTS][2] = {{TOKENS, 1}, {WIDE, 1}, {1, ITEMS}};
    memset(a->labels, 0x33, sizeof a->labels);
    for (int i = 0; i < ITEMS; i++)
        for (int t = 0; t < TOKENS; t++)
            put_label(a, layout, wide, i, t,
                      (i * TOKENS + t) % 7 == 3 ? IGNORE : (i * TOKENS + t) % CLASSES);
    memcpy(a->label_strides, strides[layout], sizeof a->label_strides);
    a->label_shape[0] = ITEMS;
    a->label_shape[1] = TOKENS;
    a->targets = tensor_of(a->labels, wide ? ALCORE_INT64 : ALCORE_INT32, a->label_shape, 2);
    a->targets.strides = a->label_strides;
    if (layout == SHIFTED) a->targets.byte_offset = wide ? 8 : 4;
    a->given.labels = &a->targets;
}

/* Fills in the arrays of a call in host memory: logits, or hidden states; in the layout SHIFTED
 * with gaps between the items, as in logits[:, :-1], in TIME_MAJOR with tokens first. */
static void make(arrays *a, int layout, bool hidden) {
    memset(a, 0, sizeof *a);
    const int64_t width = hidden ? DIMS : CLASSES, wide = layout == SHIFTED ? WIDE : TOKENS;
    const int64_t shape[] = {ITEMS, TOKENS, width};
    const int64_t batch_major[] = {wide * width, width, 1};
    const int64_t time_major[] = {width, ITEMS * width, 1};
    const int numbers = sizeof a->numbers / sizeof *a->numbers;
    for (int i = 0; i < numbers; i++) a->numbers[i] = (float)((i * 31 + i / 7 * 17) % 97) / 30.0f;
    for (int i = 0; i < CLASSES * DIMS; i++) a->matrix[i] = (float)(i * 37 % 19 - 9) / 8.0f;
    memcpy(a->shape, shape, sizeof shape);
    memcpy(a->strides, layout == TIME_MAJOR ? time_major : batch_major, sizeof a->strides);
    a->values = tensor_of(a->numbers, ALCORE_FLOAT32, a->shape, 3);
    a->values.strides = a->strides;
    a->matrix_shape[0] = CLASSES;
    a->matrix_shape[1] = DIMS;
    a->output = tensor_of(a->matrix, ALCORE_FLOAT32, a->matrix_shape, 2);
    a->given = (alcore_logits)ALCORE_LOGITS_INIT;
    a->given.logits = hidden ? NULL : &a->values;
    a->given.hidden = hidden ? &a->values : NULL;
    a->given.output = hidden ? &a->output : NULL;
    a->given.stream = stream;
}

/* Outputs of the call, 0x55 in each byte: all statistics, or with `few` the first two. far: on
 * cuda:1. */
static void want(arrays *a, bool few, bool on_device) {
    a->stats = (alcore_token_stats)ALCORE_TOKEN_STATS_INIT;
    const alcore_tensor **to[STATS] = {&a->stats.logprob,  &a->stats.top1,    &a->stats.top2,
                                       &a->stats.margin,   &a->stats.entropy, &a->stats.logsumexp,
                                       &a->stats.likeliest};
    memset(a->found, 0x55, sizeof a->found);
    for (int f = 0; f < (few ? 2 : STATS); f++) {
        if (f == 0 && !a->given.labels) continue;
        a->out[f] = tensor_of(a->found[f], f == 6 ? ALCORE_INT64 : ALCORE_FLOAT64, a->shape, 2);
        if (on_device) move(&a->out[f], sizeof a->found[f]);
        *to[f] = &a->out[f];
    }
}

/* Fetches the outputs that are on the device to found. */
static void fetch(arrays *a) {
    ck_assert_int_eq(emu.stream_wait(stream), 0);
    for (int f = 0; f < STATS; f++)
        if (a->out[f].device.type == ALCORE_DEVICE_CUDA)
            emu.copy(a->found[f], a->out[f].data, sizeof a->found[f]);
}

static void expect_same(const char *what) {
    fetch(&far);
    for (int f = 0; f < STATS; f++)
        ck_assert_msg(memcmp(here.found[f], far.found[f], sizeof here.found[f]) == 0,
                      "%s: statistic %d", what, f);
}

static void move_values(arrays *a) {
    move(&a->values, sizeof a->numbers);
    if (a->given.hidden) move(&a->output, sizeof a->matrix);
}

/* Every layout and type of labels, with lengths or without, results on either side. */
START_TEST(labels_in_any_layout) {
    const int layout = _i % LAYOUTS;
    const bool hidden = _i / LAYOUTS;
    for (int kind = 0; kind < 16; kind++) {
        const bool wide = kind & 1, lengths = kind & 2, results = kind & 4, unlabeled = kind & 8;
        arrays *const both[] = {&here, &far};
        for (int k = 0; k < 2; k++) {
            arrays *a = both[k];
            make(a, layout, hidden);
            if (!unlabeled) label(a, layout, wide);
            for (int i = 0; i < ITEMS; i++) a->lengths[i] = i == 2 ? 0 : TOKENS - i % 3;
            a->given.lengths = lengths ? a->lengths : NULL;
            a->given.length_count = lengths ? ITEMS : 0;
            move_values(a);
            if (a == &far && !unlabeled) move(&a->targets, sizeof a->labels);
            want(a, false, a == &far && results);
            ck_assert_ok(alcore_logits_measure(ctx, &a->given, IGNORE, &a->stats));
        }
        expect_same("labels");
        /* Entries of tokens that are left out are as before. */
        int kept = 0;
        for (int i = 0; i < ALL; i++)
            kept += memcmp(&far.found[1][i], "\x55\x55\x55\x55\x55\x55\x55\x55", 8) == 0;
        int left_out = 0;
        for (int i = 0; i < ALL; i++)
            left_out +=
                (!unlabeled && i % 7 == 3) || (lengths && i % TOKENS >= far.lengths[i / TOKENS]);
        ck_assert_int_eq(kept, left_out);
        free_taken();
    }
    ck_assert_int_eq(emu.primary(0), 0);
}
END_TEST

/* Kernels run in the stream of the thread that calls, in which the arrays become ready. */
START_TEST(arrays_in_the_stream_of_the_thread) {
    arrays *const both[] = {&here, &far};
    emu.stream_free(stream);
    stream = PER_THREAD;
    for (int k = 0; k < 2; k++) {
        arrays *a = both[k];
        make(a, PLAIN, _i);
        label(a, PLAIN, true);
        move_values(a);
        if (a == &far) move(&a->targets, sizeof a->labels);
        want(a, false, a == &far);
        ck_assert_ok(alcore_logits_measure(ctx, &a->given, IGNORE, &a->stats));
    }
    expect_same("stream of the thread");
    stream = NULL;
    make(&far, PLAIN, _i);
    label(&far, PLAIN, true);
    want(&far, false, false);
    ck_assert_ok(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats)); /* on the host */
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < ALL; i++)
            ck_assert_double_eq_tol(here.found[f][i], far.found[f][i], 1e-5);
}
END_TEST

/* Packed tokens, whose labels are one row. */
START_TEST(labels_of_packed_tokens) {
    arrays *const both[] = {&here, &far};
    for (int k = 0; k < 2; k++) {
        arrays *a = both[k];
        make(a, PLAIN, false);
        label(a, PLAIN, true);
        a->shape[0] = a->label_shape[0] = ALL;
        a->shape[1] = CLASSES;
        a->values = tensor_of(a->numbers, ALCORE_FLOAT32, a->shape, 2);
        a->targets = tensor_of(a->labels, ALCORE_INT64, a->label_shape, 1);
        move_values(a);
        if (a == &far) move(&a->targets, sizeof a->labels);
        for (int f = 0; f < 2; f++) a->out[f] = tensor_of(a->found[f], ALCORE_FLOAT64, a->shape, 1);
        a->stats = (alcore_token_stats)ALCORE_TOKEN_STATS_INIT;
        a->stats.logprob = &a->out[0];
        a->stats.entropy = &a->out[1];
        memset(a->found, 0x55, sizeof a->found);
        ck_assert_ok(alcore_logits_measure(ctx, &a->given, IGNORE, &a->stats));
    }
    expect_same("packed");
}
END_TEST

/* Writes number i of the bias, a multiple of 1/2 below 2, which is exact in every type. */
static void put_bias(arrays *a, int32_t dtype, int at, float x) {
    const double wide = (double)x;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    if (dtype == ALCORE_FLOAT16)
        half = x > 0.0f ? (uint16_t)(((bits >> 23 & 255) - 112) << 10 | (bits >> 13 & 1023)) : 0;
    const void *from = dtype == ALCORE_FLOAT64   ? (const void *)&wide
                       : dtype == ALCORE_FLOAT32 ? (const void *)&x
                                                 : (const void *)&half;
    const size_t bytes = alcore_sys_dtype_bytes(dtype);
    memcpy((char *)a->bias + (size_t)at * bytes, from, bytes);
}

/* A bias of every type on the device, with gaps or without; labels there or on the host. */
START_TEST(bias_of_any_type) {
    for (int32_t dtype = ALCORE_FLOAT16; dtype <= ALCORE_FLOAT64; dtype++) {
        for (int kind = 0; kind < 4; kind++) {
            const int gap = kind & 1 ? 2 : 1;
            arrays *const both[] = {&here, &far};
            for (int k = 0; k < 2; k++) {
                arrays *a = both[k];
                make(a, PLAIN, true);
                label(a, PLAIN, true);
                for (int c = 0; c < 2 * CLASSES; c++) put_bias(a, dtype, c, 1.5f);
                for (int c = 0; c < CLASSES; c++)
                    put_bias(a, dtype, c * gap, (float)(c * 5 % 4) / 2.0f);
                a->bias_shape[0] = CLASSES;
                a->bias_strides[0] = gap;
                a->b = tensor_of(a->bias, dtype, a->bias_shape, 1);
                a->b.strides = a->bias_strides;
                a->given.bias = &a->b;
                move_values(a);
                if (a == &far) move(&a->b, sizeof a->bias);
                if (a == &far && kind & 2) move(&a->targets, sizeof a->labels);
                want(a, false, false);
                ck_assert_ok(alcore_logits_measure(ctx, &a->given, IGNORE, &a->stats));
            }
            expect_same("bias");
            free_taken();
        }
    }
    here.given.bias = NULL; /* and it is added at all */
    want(&here, false, false);
    make(&here, PLAIN, true);
    label(&here, PLAIN, true);
    want(&here, false, false);
    ck_assert_ok(alcore_logits_measure(ctx, &here.given, IGNORE, &here.stats));
    ck_assert(memcmp(here.found, far.found, sizeof here.found) != 0);
}
END_TEST

/* What crosses between the host and the device with labels and bias there: of logits whose results
 * stay, only which label and which row are bad; of hidden states a byte a token more. */
START_TEST(labels_and_bias_stay_on_the_device) {
    for (int hidden = 0; hidden < 2; hidden++) {
        make(&far, PLAIN, hidden);
        label(&far, PLAIN, hidden);
        move_values(&far);
        move(&far.targets, sizeof far.labels);
        if (hidden) {
            far.bias_shape[0] = CLASSES;
            far.b = tensor_of(far.bias, ALCORE_BFLOAT16, far.bias_shape, 1);
            move(&far.b, sizeof far.bias);
            far.given.bias = &far.b;
        }
        want(&far, true, true);
        const emu_work before = emu.work(1);
        ck_assert_ok(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats));
        const emu_work after = emu.work(1);
        ck_assert_uint_eq(after.bytes_out - before.bytes_out, 16 + (hidden ? ALL : 0));
        /* where bad rows are noted, and the list of tokens of a tile */
        ck_assert_uint_le(after.bytes_in - before.bytes_in, 16 + (hidden ? 4 * ALL : 0));
        ck_assert_uint_eq(emu.work(0).bytes_out, 0);
    }
}
END_TEST

static alcore_pool *new_pool(void) {
    alcore_pool *pool;
    const char *const texts[ITEMS] = {"one", "two", "three", "four", "five", "six"};
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, ITEMS, NULL));
    return pool;
}

/* Columns of a pool are those of labels on the host, with tokens left out. */
START_TEST(columns_of_labels_on_the_device) {
    static float values[2][ALL], margins[2][ALL];
    static double scores[2][ITEMS];
    static int64_t offsets[2][ITEMS + 1];
    int64_t rows[ITEMS], one[] = {ITEMS}, counts[2];
    arrays *const both[] = {&here, &far};
    for (int i = 0; i < ITEMS; i++) rows[i] = (i + 2) % ITEMS;
    for (int k = 0; k < 2; k++) {
        arrays *a = both[k];
        alcore_pool *pool = new_pool();
        alcore_column_writer *nnll, *logprobs, *margin;
        make(a, SHIFTED, false);
        label(a, SHIFTED, true);
        for (int i = 0; i < ITEMS; i++) a->lengths[i] = TOKENS - i % 3;
        a->given.lengths = a->lengths;
        a->given.length_count = ITEMS;
        move_values(a);
        if (a == &far) move(&a->targets, sizeof a->labels);
        ck_assert_ok(alcore_column_writer_new(pool, "scores", ALCORE_COLUMN_SCALAR, NULL, &nnll));
        ck_assert_ok(
            alcore_column_writer_new(pool, "logprobs", ALCORE_COLUMN_RAGGED, NULL, &logprobs));
        ck_assert_ok(
            alcore_column_writer_new(pool, "margins", ALCORE_COLUMN_RAGGED, NULL, &margin));
        alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
        writers.nnll = nnll;
        writers.logprobs = logprobs;
        writers.margins = margin;
        ck_assert_ok(alcore_logits_put(ctx, &a->given, rows, ITEMS, IGNORE, &writers));
        alcore_column_writer *const all[] = {nnll, logprobs, margin};
        for (int w = 0; w < 3; w++) {
            ck_assert_ok(alcore_column_writer_finish(all[w], ALCORE_MISSING_FAIL));
            alcore_column_writer_unref(all[w]);
        }
        int64_t sorted[ITEMS] = {0, 1, 2, 3, 4, 5};
        alcore_tensor column = tensor_of(scores[k], ALCORE_FLOAT64, one, 1), begins;
        ck_assert_ok(alcore_pool_get_column_rows(pool, "scores", sorted, ITEMS, &column));
        ck_assert_ok(alcore_pool_get_column(pool, "logprobs", &column, &begins));
        memcpy(offsets[k], begins.data, sizeof offsets[k]);
        counts[k] = column.shape[0];
        ck_assert_int_le(counts[k], ALL);
        memcpy(values[k], column.data, (size_t)counts[k] * sizeof values[k][0]);
        ck_assert_ok(alcore_pool_get_column(pool, "margins", &column, &begins));
        ck_assert_int_eq(column.shape[0], counts[k]);
        memcpy(margins[k], column.data, (size_t)counts[k] * sizeof margins[k][0]);
        alcore_pool_unref(pool);
    }
    ck_assert_int_lt(counts[0], ALL);
    ck_assert_int_gt(counts[0], ITEMS);
    ck_assert_mem_eq(offsets[0], offsets[1], sizeof offsets[0]);
    ck_assert_mem_eq(values[0], values[1], sizeof values[0]);
    ck_assert_mem_eq(margins[0], margins[1], sizeof margins[0]);
    ck_assert_mem_eq(scores[0], scores[1], sizeof scores[0]);
}
END_TEST

/* A label that is no class is named as one in host memory is: the first of them in the order of
 * items, whatever the order in memory. */
START_TEST(labels_that_are_no_class) {
    for (int layout = 0; layout < LAYOUTS; layout++) {
        for (int wide = 0; wide < 2; wide++) {
            make(&far, layout, false);
            label(&far, layout, wide);
            put_label(&far, layout, wide, 4, 1, CLASSES);
            put_label(&far, layout, wide, 3, 2, -7);
            move_values(&far);
            move(&far.targets, sizeof far.labels);
            want(&far, false, false);
            ck_assert_fails(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats),
                            ALCORE_E_DATA, "item 3, token 2: label -7 is none of 11 classes");
            /* A token that is left out may have any label. */
            for (int i = 0; i < ITEMS; i++) far.lengths[i] = i == 3 ? 2 : i == 4 ? 1 : TOKENS;
            far.given.lengths = far.lengths;
            far.given.length_count = ITEMS;
            ck_assert_ok(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats));
        }
        free_taken();
    }
}
END_TEST

/* Errors name the array; after each the call works once it is right. */
START_TEST(arrays_that_cannot_be_read) {
    make(&far, PLAIN, true);
    label(&far, PLAIN, true);
    far.bias_shape[0] = CLASSES;
    far.b = tensor_of(far.bias, ALCORE_FLOAT32, far.bias_shape, 1);
    far.given.bias = &far.b;
    move_values(&far);
    move(&far.targets, sizeof far.labels);
    move(&far.b, sizeof far.bias);
    want(&far, true, false);
    far.targets.device.id = 0;
    ck_assert_fails(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats), ALCORE_E_INVALID,
                    "hidden is on cuda:1 and labels on cuda:0; copy them to one device");
    far.targets.device.id = 1;
    far.b.device.id = 0;
    ck_assert_fails(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats), ALCORE_E_INVALID,
                    "hidden is on cuda:1 and bias on cuda:0; copy them to one device");
    far.b.device = (alcore_device){8 /* Metal */, 0};
    ck_assert_fails(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats),
                    ALCORE_E_UNSUPPORTED, "bias is on a device of type 8");
    far.b.device = (alcore_device){ALCORE_DEVICE_CUDA, 1};
    far.bias_shape[0] = CLASSES - 1;
    ck_assert_fails(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats), ALCORE_E_SHAPE,
                    "bias: a float array [11] is expected");
    far.bias_shape[0] = CLASSES;
    far.targets.byte_offset = 4;
    ck_assert_fails(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats), ALCORE_E_INVALID,
                    "labels: the data is not aligned for int64");
    far.targets.byte_offset = 0;
    /* Memory of the first device under the name of the second. */
    void *labels = far.targets.data;
    emu.device(0);
    far.targets.data = there(far.labels, sizeof far.labels);
    ck_assert_fails(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats), ALCORE_E_INVALID,
                    "an array is on cuda:0, the call runs on cuda:1");
    far.targets.data = labels;
    ck_assert_ok(alcore_logits_measure(ctx, &far.given, IGNORE, &far.stats));
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("labels");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, labels_in_any_layout, 0, 2 * LAYOUTS);
    tcase_add_loop_test(tests, arrays_in_the_stream_of_the_thread, 0, 2);
    tcase_add_test(tests, labels_of_packed_tokens);
    tcase_add_test(tests, bias_of_any_type);
    tcase_add_test(tests, labels_and_bias_stay_on_the_device);
    tcase_add_test(tests, columns_of_labels_on_the_device);
    tcase_add_test(tests, labels_that_are_no_class);
    tcase_add_test(tests, arrays_that_cannot_be_read);
    return check_suite_run("cuda-labels", tests);
}
