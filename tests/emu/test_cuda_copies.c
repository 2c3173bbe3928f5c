/* SPDX-License-Identifier: Apache-2.0 */
/* Columns whose values are copied from memory of a device to other memory of it: those that are
 * kept, whose entries are in another order than the rows, or whose tokens have gaps between them.
 * On the second of two emulated devices. What is selected is, to the byte, what it is with the same
 * values on the host, and no value comes there but those that the host looks at. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_tensors.h"
#include "host_memory.h"
#include "pool/column.h"

enum { ROWS = 70, DIMS = 12, TOKENS = 140, PICKS = 9 };

static alcore_ctx *ctx;
static alcore_pool *host, *device; /* the same texts; columns on the host, and on cuda:1 */
static float vectors[ROWS * DIMS], logprobs[TOKENS];
static int64_t offsets[ROWS + 1]; /* of the tokens of each row, 1 to 3 */
static int64_t order[ROWS];       /* a row of each entry, every row once */
static int64_t dense[] = {ROWS, DIMS};
static int released;

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.device(1);
    for (int i = 0; i < ROWS * DIMS; i++) vectors[i] = (float)((i * 7919 % 1000) - 500) / 300.0f;
    for (int t = 0; t < TOKENS; t++) logprobs[t] = -(float)(t * 13 % 29) / 3.0f;
    for (int i = 0; i < ROWS; i++) {
        order[i] = (i * 31 + 5) % ROWS;
        offsets[i + 1] = offsets[i] + 1 + i % 3;
    }
    open_context(&ctx);
    host = pool_of_texts(ctx, ROWS);
    device = pool_of_texts(ctx, ROWS);
    released = 0;
}

static void teardown(void) {
    emu.memory((size_t)-1);
    alcore_pool_unref(host);
    alcore_pool_unref(device);
    alcore_ctx_unref(ctx);
    free_taken();
    ck_assert_int_eq(live, 0);
}

static void count_release(void *user) {
    (void)user;
    released++;
}

static alcore_column_options options_of(int32_t ownership, const int64_t *rows, int64_t count) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ownership;
    options.rows = rows;
    options.row_count = count;
    if (ownership == ALCORE_BORROW) options.release = count_release;
    return options;
}

static void give_host_vectors(void) {
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, dense, 2);
    ck_assert_ok(alcore_pool_set_column(host, "embeddings", &x, NULL, NULL));
}

/* The vectors of the rows that `rows` has, entry by entry, with gaps between them, on cuda:1. */
static alcore_tensor ordered_vectors(const int64_t *rows, int64_t *shape) {
    static float wide[ROWS * 2 * DIMS];
    static int64_t strides[] = {2 * DIMS, 1};
    for (int64_t i = 0; i < shape[0]; i++)
        memcpy(wide + 2 * i * DIMS, vectors + rows[i] * DIMS, DIMS * sizeof *wide);
    alcore_tensor tensor = tensor_of(wide, ALCORE_FLOAT32, shape, 2);
    tensor.strides = strides;
    return on_device(tensor, sizeof wide);
}

/* A selection by that strategy; *copied: bytes that it copied from the device to the host. */
static alcore_selection *select_from(alcore_pool *pool, const char *name, uint64_t *copied) {
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, name, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set(request, "budget", "9"));
    const uint64_t before = emu.work(1).bytes_out;
    ck_assert_ok(alcore_select(request, &selection));
    *copied = emu.work(1).bytes_out - before;
    ck_assert_int_eq(alcore_selection_count(selection), PICKS);
    alcore_request_unref(request);
    return selection;
}

/* Both pools give the same picks and scores, those of `device` by kernels of the second device.
 * Returns the bytes that were copied from there. */
static uint64_t expect_same_picks(const char *name) {
    uint64_t copied, none;
    alcore_selection *far = select_from(device, name, &copied);
    alcore_selection *here = select_from(host, name, &none);
    const size_t bytes = PICKS * sizeof(int64_t);
    ck_assert_uint_eq(none, 0);
    ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(far), bytes);
    ck_assert_mem_eq(alcore_selection_scores(here), alcore_selection_scores(far), bytes);
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(far), "cuda-emu"));
    alcore_selection_unref(here);
    alcore_selection_unref(far);
    return copied;
}

/* The values that the pool has, of `has` NULL all rows, are those of `vectors`, and NaN elsewhere.
 */
static void expect_vectors(const alcore_pool *pool, const bool *has) {
    static double out[ROWS * DIMS];
    int64_t rows[ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = i;
    alcore_tensor tensor = tensor_of(out, ALCORE_FLOAT64, dense, 2);
    ck_assert_ok(alcore_pool_get_column_rows(pool, "embeddings", rows, ROWS, &tensor));
    for (int i = 0; i < ROWS * DIMS; i++) {
        if (has && !has[i / DIMS])
            ck_assert(isnan(out[i]));
        else
            ck_assert(out[i] == (double)vectors[i]);
    }
}

/* Whether the engine of cuda:1 reads the rows of a column in place, without a copy in scratch. */
static bool is_in_place(const char *name) {
    alcore__engine cuda;
    alcore__scratch scratch = {0};
    alcore_sys_rows rows;
    const alcore__column *column = alcore__pool_find_column(device, name);
    ck_assert_ok(alcore__engine_open(ctx, "cuda:1", &cuda));
    ck_assert_ok(alcore__column_rows_on(column, &cuda, 1, ROWS - 1, &scratch, &rows));
    const bool here = scratch.values == NULL;
    ck_assert_int_eq(alcore__column_in_place(column, &cuda), here);
    alcore__scratch_clear(ctx, &scratch);
    return here;
}

/* ---- another order ---- */

/* Entries in any order are put in that of the rows, once, on the device: a selection then copies to
 * the host what it copies for a column in order, and setting the column nothing. */
START_TEST(rows_in_another_order_stay_on_the_device) {
    const bool kept = _i;
    alcore_column_options options = options_of(kept ? ALCORE_KEEP : ALCORE_BORROW, NULL, 0);
    alcore_tensor x = on_device(tensor_of(vectors, ALCORE_FLOAT32, dense, 2), sizeof vectors);
    give_host_vectors();
    ck_assert_ok(alcore_pool_set_column(device, "embeddings", &x, NULL, &options));
    const uint64_t in_order = expect_same_picks("kcenter");
    ck_assert_uint_lt(in_order, sizeof vectors);
    options.rows = order;
    options.row_count = ROWS;
    x = ordered_vectors(order, dense);
    const uint64_t before = emu.work(1).bytes_out;
    ck_assert_ok(alcore_pool_set_column(device, "embeddings", &x, NULL, &options));
    ck_assert_uint_eq(emu.work(1).bytes_out, before);
    ck_assert_uint_eq(expect_same_picks("kcenter"), in_order);
    ck_assert(is_in_place("embeddings"));
    expect_vectors(device, NULL);
    alcore_tensor view;
    ck_assert_ok(alcore_pool_get_column(device, "embeddings", &view, NULL));
    ck_assert(view.device.type == ALCORE_DEVICE_CUDA && view.device.id == 1 && !view.strides);
    ck_assert_int_eq(released, kept ? 0 : 1);
    ck_assert_ok(alcore_pool_drop_column(device, "embeddings"));
    ck_assert_int_eq(released, kept ? 0 : 2);
    ck_assert_str_eq(logged, "");
}
END_TEST

/* A column of most rows has memory for all of them; one of few rows goes through the host. */
START_TEST(rows_without_an_entry) {
    int64_t rows[ROWS], without[ROWS], shape[] = {0, DIMS};
    bool has[ROWS] = {false};
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    const int entries = _i ? ROWS / 2 : ROWS / 2 + 1;
    for (int i = ROWS; i-- > 0 && shape[0] < entries;) { /* falling, with every 5th row left out */
        if (i % 5 == 2) continue;
        rows[shape[0]++] = i;
        has[i] = true;
    }
    int64_t count = 0;
    for (int i = 0; i < ROWS; i++) {
        if (!has[i]) without[count++] = i;
    }
    ck_assert_int_eq(shape[0], entries);
    ck_assert_ok(alcore_pool_mark(host, ALCORE_ROW_EXCLUDED, without, count));
    ck_assert_ok(alcore_pool_mark(device, ALCORE_ROW_EXCLUDED, without, count));
    alcore_column_options options = options_of(ALCORE_BORROW, rows, entries);
    alcore_tensor x = ordered_vectors(rows, shape);
    give_host_vectors();
    ck_assert_ok(alcore_pool_set_column(device, "embeddings", &x, NULL, &options));
    ck_assert_int_eq(is_in_place("embeddings"), !_i);
    ck_assert_ok(alcore_pool_get_column_info(device, "embeddings", &info));
    ck_assert_int_eq(info.entries, entries);
    expect_vectors(device, has);
    expect_same_picks("kcenter");
    ck_assert(!alcore__column_has(alcore__pool_find_column(device, "embeddings"), without[0]));
    /* A row that is added later has no value. */
    const char *text = "one more";
    ck_assert_ok(alcore_pool_add_texts(device, &text, NULL, 1, NULL));
    double late[DIMS];
    int64_t one[] = {1, DIMS}, last = ROWS;
    alcore_tensor out = tensor_of(late, ALCORE_FLOAT64, one, 2);
    ck_assert_ok(alcore_pool_get_column_rows(device, "embeddings", &last, 1, &out));
    ck_assert(isnan(late[0]) && isnan(late[DIMS - 1]));
}
END_TEST

/* ---- tokens ---- */

/* Tokens by entry in another order, 2 rows without any, with gaps between the tokens (1, 3), kept
 * (2, 3): their means are computed on the device. */
START_TEST(tokens_stay_on_the_device) {
    enum { FEWER = ROWS - 2 };
    static float given[2 * TOKENS];
    int64_t starts[FEWER + 1] = {0}, shape[1], offsets_shape[] = {ROWS + 1}, strides[] = {2};
    int64_t given_shape[] = {FEWER + 1}, without[] = {order[FEWER], order[FEWER + 1]};
    const bool gaps = _i & 1;
    for (int e = 0; e < FEWER; e++) {
        starts[e + 1] = starts[e];
        for (int64_t t = offsets[order[e]]; t < offsets[order[e] + 1]; t++)
            given[(starts[e + 1]++) << gaps] = logprobs[t];
    }
    shape[0] = offsets[ROWS];
    ck_assert_int_le(shape[0], TOKENS);
    alcore_tensor values = tensor_of(logprobs, ALCORE_FLOAT32, shape, 1);
    alcore_tensor where = tensor_of(offsets, ALCORE_INT64, offsets_shape, 1);
    ck_assert_ok(alcore_pool_set_column(host, "logprobs", &values, &where, NULL));
    ck_assert_ok(alcore_pool_mark(host, ALCORE_ROW_EXCLUDED, without, 2));
    ck_assert_ok(alcore_pool_mark(device, ALCORE_ROW_EXCLUDED, without, 2));
    shape[0] = starts[FEWER];
    values = tensor_of(given, ALCORE_FLOAT32, shape, 1);
    if (gaps) values.strides = strides;
    values = on_device(values, sizeof given);
    where = tensor_of(starts, ALCORE_INT64, given_shape, 1);
    alcore_column_options options = options_of(_i & 2 ? ALCORE_KEEP : ALCORE_BORROW, order, FEWER);
    const uint64_t before = emu.work(1).bytes_out;
    ck_assert_ok(alcore_pool_set_column(device, "logprobs", &values, &where, &options));
    ck_assert_uint_eq(emu.work(1).bytes_out, before);
    ck_assert_uint_le(expect_same_picks("nnll"), 8 * ROWS + 64);
    /* The same by a reader on the host. */
    ck_assert_ok(alcore_pool_drop_column(device, "logprobs"));
    options.ownership = ALCORE_BORROW;
    values = tensor_of(given, ALCORE_FLOAT32, shape, 1);
    if (gaps) return; /* arrays on the host with gaps are refused or copied elsewhere */
    ck_assert_ok(alcore_pool_set_column(device, "logprobs", &values, &where, &options));
    uint64_t none;
    alcore_selection *here = select_from(host, "nnll", &none);
    alcore_selection *mapped = select_from(device, "nnll", &none);
    ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(mapped), 8 * PICKS);
    alcore_selection_unref(here);
    alcore_selection_unref(mapped);
}
END_TEST

/* Tokens of some rows in the order of the rows: blocks that begin, end and have rows without any
 * are read where they lie, on the host and on the device. */
START_TEST(tokens_of_some_rows_are_read_in_place) {
    int64_t rows[] = {2, 3, 7, 60}, starts[] = {0, 2, 2, 5, 6}, tokens[] = {6}, ends[] = {5};
    const int64_t expected[ROWS + 1] = {[3] = 2, [4] = 2, [5] = 2, [6] = 2, [7] = 2};
    alcore_tensor values = tensor_of(logprobs, ALCORE_FLOAT32, tokens, 1);
    alcore_tensor where = tensor_of(starts, ALCORE_INT64, ends, 1);
    alcore_column_options options = options_of(ALCORE_BORROW, rows, 4);
    if (_i) values = on_device(values, sizeof logprobs);
    ck_assert_ok(alcore_pool_set_column(device, "logprobs", &values, &where, &options));
    alcore__engine engine;
    alcore__scratch scratch = {0};
    alcore_sys_ragged items;
    const alcore__column *column = alcore__pool_find_column(device, "logprobs");
    ck_assert_ok(alcore__engine_open(ctx, _i ? "cuda:1" : "cpu", &engine));
    for (int64_t first = 0; first < ROWS; first += 9) { /* to rows that the pool lacks */
        ck_assert_ok(alcore__column_ragged_on(column, &engine, first, 9, &scratch, &items));
        ck_assert_ptr_null(scratch.values);
        ck_assert_ptr_eq(items.values, (const float *)values.data + items.offsets[0]);
        for (int64_t i = 0; i <= 9; i++) {
            const int64_t row = first + i;
            const int64_t there = row <= 7 ? expected[row] : row <= 60 ? 5 : 6;
            const bool any = first <= 7 || (first <= 60 && first + 9 > 60);
            ck_assert_int_eq(items.offsets[i] - items.offsets[0],
                             any ? there - items.offsets[0] : 0);
        }
    }
    alcore__scratch_clear(ctx, &scratch);
}
END_TEST

/* ---- kept ---- */

/* The caller's memory may be freed, and its stream: the copy is on the device. */
START_TEST(kept_columns_stay_on_the_device) {
    void *stream = emu.stream_new(), *mine = emu.memory_new(sizeof vectors);
    void *source = there(vectors, sizeof vectors);
    alcore_tensor x = tensor_of(mine, ALCORE_FLOAT32, dense, 2), view;
    alcore_column_options options = options_of(ALCORE_KEEP, NULL, 0);
    emu.queue(stream, mine, source, sizeof vectors);
    x.device = (alcore_device){ALCORE_DEVICE_CUDA, 1};
    options.stream = stream;
    const uint64_t before = emu.work(1).bytes_out;
    ck_assert_ok(alcore_pool_set_column(device, "embeddings", &x, NULL, &options));
    ck_assert_uint_eq(emu.work(1).bytes_out, before);
    ck_assert_ok(alcore_pool_get_column(device, "embeddings", &view, NULL));
    ck_assert(view.device.type == ALCORE_DEVICE_CUDA && view.device.id == 1);
    ck_assert_ptr_ne(view.data, mine);
    static const float zeros[ROWS * DIMS];
    emu.copy(mine, zeros, sizeof zeros);
    emu.memory_free(mine);
    emu.stream_free(stream);
    give_host_vectors();
    ck_assert_uint_lt(expect_same_picks("kcenter"), sizeof vectors);
    expect_vectors(device, NULL);
    ck_assert_str_eq(logged, "");
}
END_TEST

/* ---- rows that the host looks at ---- */

/* nan=exclude: the number of kernels that are started does not grow with that of rows with a NaN,
 * and the host gets no other values than those of these rows. A value above 0 in the last of them
 * is an error all the same. */
START_TEST(rows_with_a_nan_come_to_the_host_at_once) {
    int64_t shape[] = {TOKENS}, offsets_shape[] = {ROWS + 1};
    uint64_t launches[2];
    for (int many = 0; many < 2; many++) {
        for (int t = 0; t < TOKENS; t++) logprobs[t] = -(float)(t * 13 % 29) / 3.0f;
        for (int i = 9; i < (many ? 50 : 10); i += 2) logprobs[offsets[i + 1] - 1] = NAN;
        if (_i == 1) logprobs[offsets[many ? 49 : 9]] = 0.5f;
        shape[0] = offsets[ROWS];
        alcore_tensor values = tensor_of(logprobs, ALCORE_FLOAT32, shape, 1);
        alcore_tensor where = tensor_of(offsets, ALCORE_INT64, offsets_shape, 1);
        alcore_column_options options = options_of(ALCORE_BORROW, NULL, 0);
        alcore_pool *const pools[] = {host, device};
        alcore_selection *found[2] = {NULL, NULL};
        uint64_t copied = 0;
        for (int far = 0; far < 2; far++) {
            alcore_request *request;
            alcore_strategy *strategy;
            if (far) values = on_device(values, sizeof logprobs);
            ck_assert_ok(alcore_pool_set_column(pools[far], "logprobs", &values, &where, &options));
            ck_assert_ok(alcore_request_new(ctx, &request));
            ck_assert_ok(alcore_strategy_new(ctx, "nnll", &strategy));
            ck_assert_ok(alcore_request_set_strategy(request, strategy));
            alcore_strategy_unref(strategy);
            ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pools[far]));
            ck_assert_ok(alcore_request_set(request, "budget", "9"));
            ck_assert_ok(alcore_request_set(request, "nan", "exclude"));
            launches[many] = emu.work(1).launches;
            copied = emu.work(1).bytes_out;
            if (_i == 0)
                ck_assert_ok(alcore_select(request, &found[far]));
            else
                ck_assert_fails(alcore_select(request, &found[far]), ALCORE_E_DATA,
                                many ? "row 49: the log-probability of token 0 is 0.5"
                                     : "row 9: the log-probability of token 0 is 0.5");
            launches[many] = emu.work(1).launches - launches[many];
            copied = emu.work(1).bytes_out - copied;
            alcore_request_unref(request);
        }
        if (_i == 0) {
            ck_assert_mem_eq(alcore_selection_rows(found[0]), alcore_selection_rows(found[1]),
                             8 * PICKS);
            /* Twice, as one pass finds the rows that are left out and another one scores. */
            ck_assert_uint_le(copied, 2 * (8 * ROWS + 64 + (many ? 21 : 1) * 3 * 8));
        }
        alcore_selection_unref(found[0]);
        alcore_selection_unref(found[1]);
    }
    ck_assert_uint_eq(launches[0], launches[1]);
}
END_TEST

/* ---- too little memory ---- */

/* Kept (0): a copy on the host. In another order (1): read in blocks through the host. Either way
 * the same picks, and a warning that names the column. */
START_TEST(too_little_memory_is_told) {
    alcore_column_options options =
        options_of(_i ? ALCORE_BORROW : ALCORE_KEEP, _i ? order : NULL, _i ? ROWS : 0);
    alcore_tensor x = _i ? ordered_vectors(order, dense)
                         : on_device(tensor_of(vectors, ALCORE_FLOAT32, dense, 2), sizeof vectors);
    alcore_tensor view;
    uint64_t copied;
    give_host_vectors();
    emu.memory(8 * sizeof vectors + (sizeof vectors >> 1));
    void *rest = emu.memory_new(5 * sizeof vectors);
    ck_assert_ok(alcore_pool_set_column(device, "embeddings", &x, NULL, &options));
    emu.memory_free(rest);
    emu.memory((size_t)-1);
    ck_assert_ptr_nonnull(strstr(logged, "column \"embeddings\": a copy of 3360 bytes would leave "
                                         "less than a quarter of the memory of cuda:1 free; "));
    ck_assert_ptr_nonnull(strstr(logged, _i ? "put in order on the host, block by block"
                                            : "it is copied to host memory"));
    ck_assert_int_eq(alcore_pool_get_column(device, "embeddings", &view, NULL),
                     _i ? ALCORE_E_UNSUPPORTED : ALCORE_OK);
    if (!_i) ck_assert_int_eq(view.device.type, ALCORE_DEVICE_CPU);
    expect_vectors(device, NULL);
    alcore_selection *here = select_from(host, "kcenter", &copied),
                     *far = select_from(device, "kcenter", &copied);
    ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(far), 8 * PICKS);
    alcore_selection_unref(here);
    alcore_selection_unref(far);
}
END_TEST

/* Columns that are replaced, and calls that are cancelled, give their memory back: else the device
 * would be full. The calling thread's context is as before each time. */
START_TEST(memory_comes_back) {
    alcore_tensor x = ordered_vectors(order, dense), view;
    alcore_column_options options = options_of(ALCORE_KEEP, order, ROWS);
    void *own = emu.context_new(0);
    emu.context_set(own);
    emu.memory(40 * sizeof vectors);
    for (int i = 0; i < 120; i++) {
        cancel_at = i % 3 == 2 ? 8 * ALCORE_BLOCK_ROWS * sizeof(int64_t) : SIZE_MAX;
        const alcore_status status =
            alcore_pool_set_column(device, "embeddings", &x, NULL, &options);
        ck_assert_int_eq(status, i % 3 == 2 ? ALCORE_E_CANCELLED : ALCORE_OK);
        alcore_ctx_cancel_clear(ctx);
        ck_assert_ptr_eq(emu.context(), own);
        ck_assert_ok(alcore_pool_get_column(device, "embeddings", &view, NULL));
        ck_assert_int_eq(view.device.type, ALCORE_DEVICE_CUDA);
    }
    expect_vectors(device, NULL);
    ck_assert_str_eq(logged, "");
    ck_assert_ptr_eq(emu.context(), own);
    emu.context_set(NULL);
}
END_TEST

/* A call that lacks host memory, wherever it does, keeps none of the device and changes nothing:
 * all rows in another order (0), most of them (1), tokens (2). */
START_TEST(host_memory_may_be_missing) {
    int64_t shape[] = {_i == 0 ? ROWS : ROWS - 1, DIMS}, tokens[] = {0}, ends[] = {ROWS + 1};
    int64_t starts[ROWS + 1] = {0};
    for (int e = 0; e < ROWS; e++)
        starts[e + 1] = starts[e] + offsets[order[e] + 1] - offsets[order[e]];
    tokens[0] = starts[ROWS];
    alcore_tensor x =
        _i < 2 ? ordered_vectors(order, shape)
               : on_device(tensor_of(logprobs, ALCORE_FLOAT32, tokens, 1), sizeof logprobs);
    alcore_tensor where = tensor_of(starts, ALCORE_INT64, ends, 1);
    alcore_column_options options = options_of(ALCORE_BORROW, order, shape[0]);
    if (_i == 2) options.row_count = ROWS;
    /* The device then has memory for some copies: fewer than calls that fail. */
    const size_t memory = 12 * (_i < 2 ? sizeof vectors : sizeof logprobs);
    ck_assert_ok(alcore_pool_set_column(device, "first", &x, _i < 2 ? NULL : &where, &options));
    ck_assert_ok(alcore_pool_drop_column(device, "first"));
    int failed = 0;
    for (int round = 0; round < 8; round++) {
        for (int64_t n = 1;; n++) {
            emu.memory(memory);
            fail_at = n;
            const alcore_status status =
                alcore_pool_set_column(device, "late", &x, _i < 2 ? NULL : &where, &options);
            const bool any = fail_at == 0;
            fail_at = 0;
            if (status == ALCORE_OK && !any) break;
            ck_assert_int_eq(status, ALCORE_E_NOMEM);
            ck_assert_ptr_null(alcore_pool_column_name(device, 0));
            failed++;
        }
        ck_assert_int_eq(alcore__column_device(alcore__pool_find_column(device, "late")), 1);
        ck_assert_ok(alcore_pool_drop_column(device, "late"));
    }
    ck_assert_int_gt(failed, 8 * 5);
    ck_assert_int_eq(released, 9);
    ck_assert_str_eq(logged, "");
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("copies");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, rows_in_another_order_stay_on_the_device, 0, 2);
    tcase_add_loop_test(tests, rows_without_an_entry, 0, 2);
    tcase_add_loop_test(tests, tokens_stay_on_the_device, 0, 4);
    tcase_add_loop_test(tests, tokens_of_some_rows_are_read_in_place, 0, 2);
    tcase_add_test(tests, kept_columns_stay_on_the_device);
    tcase_add_loop_test(tests, rows_with_a_nan_come_to_the_host_at_once, 0, 2);
    tcase_add_loop_test(tests, too_little_memory_is_told, 0, 2);
    tcase_add_test(tests, memory_comes_back);
    tcase_add_loop_test(tests, host_memory_may_be_missing, 0, 3);
    return check_suite_run("cuda-copies", tests);
}
