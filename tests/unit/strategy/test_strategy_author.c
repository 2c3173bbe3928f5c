/* SPDX-License-Identifier: Apache-2.0 */
/* What an author of a strategy relies on: the example strategy, written as a file of
 * lib/strategy/rules is, gives what its formula says, for any cut of the pool, with masked rows and
 * with rows that have a NaN. tests/unit/strategy/new_strategy.py adds the same file to the
 * registry. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "strategy_bed.h"

extern const alcore__strategy_def alcore__strategy_outlying_length;

enum { ROWS = 2 * ALCORE_BLOCK_ROWS + 77, DIMS = 3 };

static float x[ROWS * DIMS];

static void open_rows(bed *b) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 11);
    for (int i = 0; i < ROWS * DIMS; i++) x[i] = (float)(alcore__rng_f64(&rng) - 0.5);
    bed_open(b, ROWS, 2, NULL);
    for (int i = 0; i < ROWS; i++) b->mask[i] = i % 7 != 3;
    b->input.fill.budget = 25;
    bed_column(b, &b->input.candidates, "embeddings", x, ROWS, DIMS, ALCORE_FLOAT32);
}

/* The formula in plain loops; a row with a NaN takes no part. */
static void check_scores(const bed *b) {
    static double length[ROWS];
    double total = 0.0;
    int64_t count = 0;
    for (int i = 0; i < ROWS; i++) {
        double square = 0.0;
        for (int j = 0; j < DIMS; j++) square += (double)x[i * DIMS + j] * (double)x[i * DIMS + j];
        length[i] = sqrt(square);
        if (!b->mask[i] || isnan(square)) continue;
        total += length[i];
        count++;
    }
    ck_assert_int_eq(b->outcome.count, count);
    for (int64_t i = 0; i < count; i++) {
        double expected = fabs(length[b->outcome.rows[i]] - total / (double)count);
        ck_assert_double_eq_tol(b->outcome.scores[i], expected, 1e-12);
    }
    ck_assert_int_eq(b->outcome.bought.pick_count, 25);
    for (int64_t k = 1; k < 25; k++)
        ck_assert(b->outcome.scores[b->outcome.bought.picks[k]] <=
                  b->outcome.scores[b->outcome.bought.picks[k - 1]]);
}

START_TEST(the_example_follows_its_formula) {
    bed b;
    open_rows(&b);
    uint64_t whole = 0;
    for (b.parts = 0; b.parts <= 3; b.parts++) {
        ck_assert_msg(bed_run_def(&b, &alcore__strategy_outlying_length, NULL) == ALCORE_OK, "%s",
                      alcore_last_error());
        check_scores(&b);
        if (b.parts == 0) whole = bed_fingerprint(&b);
        ck_assert_uint_eq(bed_fingerprint(&b), whole);
    }
    bed_close(&b);
}
END_TEST

START_TEST(a_row_with_a_nan_is_named_or_left_out) {
    bed b;
    open_rows(&b);
    x[9000 * DIMS + 1] = NAN;
    ck_assert_int_eq(b.mask[9000], 1);
    ck_assert_int_eq(bed_run_def(&b, &alcore__strategy_outlying_length, NULL), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 9000: component 1"));
    b.input.nan_exclude = true;
    for (b.parts = 0; b.parts <= 2; b.parts += 2) {
        ck_assert_int_eq(bed_run_def(&b, &alcore__strategy_outlying_length, NULL), ALCORE_OK);
        ck_assert_int_eq(b.outcome.nan_count, 1);
        ck_assert_int_eq(b.outcome.nan_rows[0], 9000);
        check_scores(&b);
    }
    bed_close(&b);
}
END_TEST

/* Partials that do not fit the pass are refused, so that a part computed elsewhere cannot be mixed
 * up: a block out of order, a pass that is over, another size. */
START_TEST(foreign_partials_are_refused) {
    bed b;
    alcore__run *run;
    alcore__shard *shard;
    open_rows(&b);
    ck_assert_int_eq(alcore__enter(b.ctx), ALCORE_OK);
    ck_assert_int_eq(
        alcore__run_begin(NULL, &alcore__strategy_outlying_length, NULL, &b.input, &run),
        ALCORE_OK);
    ck_assert_int_eq(alcore__shard_new(run, 0, 1, &shard), ALCORE_OK);
    alcore__partials second = {0}, all = {0};
    ck_assert_int_eq(alcore__run_map(run, shard, 1, 2, &second), ALCORE_OK);
    ck_assert_int_eq(alcore__run_reduce(run, &second), ALCORE_E_INTERNAL);
    ck_assert_int_eq(alcore__run_end_pass(run), ALCORE_E_INTERNAL);
    ck_assert_int_eq(alcore__run_map(run, shard, 0, 3, &all), ALCORE_OK);
    all.entries[1].bytes -= 8;
    ck_assert_int_eq(alcore__run_reduce(run, &all), ALCORE_E_CORRUPT);
    alcore__partials_clear(b.ctx, &second);
    alcore__partials_clear(b.ctx, &all);
    alcore__shard_free(run, shard);
    alcore__run_free(run);
    alcore__leave(b.ctx, ALCORE_OK);
    bed_close(&b);
}
END_TEST

/* Several chunks, releases and one array that is larger than a chunk. */
START_TEST(scratch_arrays_never_overlap) {
    bed b;
    bed_open(&b, 1, 1, NULL);
    alcore__worker_memory worker = {.ctx = b.ctx};
    alcore__block block = {.worker = &worker};
    uint8_t *arrays[40];
    for (int i = 0; i < 40; i++) { /* several chunks, among them one of its own */
        size_t bytes = i == 20 ? 5u << 20 : (size_t)(i * 4001);
        ck_assert_int_eq(alcore__scratch_push(&block, (int64_t)bytes, 1, &arrays[i]), ALCORE_OK);
        ck_assert_uint_eq((uintptr_t)arrays[i] % 16, 0);
        memset(arrays[i], i, bytes);
    }
    alcore__scratch_mark mark = alcore__scratch_get_mark(&block);
    uint8_t *above, *again;
    ck_assert_int_eq(alcore__scratch_push(&block, 100, 8, &above), ALCORE_OK);
    alcore__scratch_release(&block, mark);
    ck_assert_int_eq(alcore__scratch_push(&block, 100, 8, &again), ALCORE_OK);
    ck_assert_ptr_eq(above, again);
    for (int i = 0; i < 40; i++) {
        size_t bytes = i == 20 ? 5u << 20 : (size_t)(i * 4001);
        for (size_t k = 0; k < bytes; k++) ck_assert_uint_eq(arrays[i][k], (uint8_t)i);
    }
    ck_assert_int_ne(alcore__scratch_push(&block, INT64_MAX / 2, 16, &above), ALCORE_OK);
    ck_assert_ptr_null(above);
    alcore__scratch_release(&block, (alcore__scratch_mark){0, 0});
    for (size_t c = 0; c < ALCORE__SCRATCH_CHUNKS; c++) {
        if (worker.chunks[c].bytes) ck_assert_uint_ge(worker.chunks[c].capacity, 1u << 20);
    }
    alcore__worker_memory *freed = alcore__calloc(b.ctx, 1, sizeof *freed);
    *freed = worker;
    alcore__worker_memory_free(b.ctx, freed);
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-author", the_example_follows_its_formula,
            a_row_with_a_nan_is_named_or_left_out, foreign_partials_are_refused,
            scratch_arrays_never_overlap);
