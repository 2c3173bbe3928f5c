/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and numbers that the engine holds between passes, and rows that are measured in advance
 * because the next draws are likely to hit them (speculation): none of them changes a byte,
 * whatever the cut of the pool, and nothing is held when a run is over. With $ALCORE_TEST_DEVICE
 * the device's own hold is used, else copies in other memory. */
#include <math.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "base/rng.h"
#include "check_suite.h"
#include "kernel/kernels.h"
#include "strategy_bed.h"

enum { ROWS = 20000, DIMS = 5, CLASSES = 3, EVERY = 131 };

typedef struct variant {
    const char *strategy, *params;
    int32_t fill;
    double budget, spread; /* spread 2: none */
} variant;

static const variant VARIANTS[] = {
    {"badge", "", ALCORE__FILL_OVERSHOOT, 200, 2},
    {"badge", "first=uniform", ALCORE__FILL_SKIP, 150, 0.97},
    {"badge", "mode=oversampling per_step=40", ALCORE__FILL_SKIP, 150, 0.97},
    {"kcenter", "", ALCORE__FILL_SKIP, 150, 0.97},
    {"idds", "", ALCORE__FILL_SKIP, 100, 0.97},
    {"idds", "sim=dot-raw self=include mode=oneshot", ALCORE__FILL_STOP, 100, 2},
    {"huds", "n_strata=3 k_clusters=9", ALCORE__FILL_STOP, 50, 2},
    {"diversity-global", "k_clusters=40 unit=1", ALCORE__FILL_STOP, 50, 2},
    {"average-dist", "", ALCORE__FILL_STOP, 50, 2},
};
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof VARIANTS[0] };

static float x[ROWS * DIMS], probs[ROWS * CLASSES];
static double u[ROWS], costs[ROWS];
static uint8_t labeled[ROWS];

static void open_pool(bed *b, int32_t threads) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 11);
    for (int i = 0; i < ROWS; i++) {
        u[i] = alcore__rng_f64(&rng);
        costs[i] = (double)alcore__rng_below(&rng, 6);
        labeled[i] = i % 4001 == 7;
        /* Clusters, so that a draw is hard to guess, and many duplicates, so that weights end. */
        for (int j = 0; j < DIMS; j++) {
            double at = (double)(i / EVERY % 7 * (j + 1)), wide = alcore__rng_f64(&rng);
            x[i * DIMS + j] = (float)(at + (i / EVERY % 3 ? 0.0 : wide));
        }
        double total = 0;
        for (int c = 0; c < CLASSES; c++)
            total += probs[i * CLASSES + c] = (float)(1 + alcore__rng_below(&rng, 3));
        for (int c = 0; c < CLASSES; c++)
            probs[i * CLASSES + c] = (float)(probs[i * CLASSES + c] / total);
    }
    bed_open(b, ROWS, threads, NULL);
    /* Few rows of each block; the second block is whole from its first candidate to its last. */
    for (int i = 0; i < ROWS; i++) {
        bool dense = i >= ALCORE_BLOCK_ROWS + 100 && i < ALCORE_BLOCK_ROWS + 140;
        bool second = i / ALCORE_BLOCK_ROWS == 1;
        b->mask[i] = !labeled[i] && (second ? dense : i % EVERY == 0);
    }
    b->input.labeled_rows = labeled;
    b->input.costs = costs;
    bed_column(b, &b->input.candidates, "scores", u, ROWS, 1, ALCORE_FLOAT64);
    bed_column(b, &b->input.candidates, "embeddings", x, ROWS, DIMS, ALCORE_FLOAT32);
    bed_column(b, &b->input.candidates, "probs", probs, ROWS, CLASSES, ALCORE_FLOAT32);
    bed_phrases(b, false);
    bed_column(b, &b->input.target, "embeddings", x, 40, DIMS, ALCORE_FLOAT32);
    bed_text_columns(b);
}

/* ---- an engine that holds ---- */

static const alcore_sys_kernels *base;
static alcore_sys_kernels holding;
static int64_t live, calls, refuse_every, fail_at;
static int64_t measured[3]; /* passes that measured 0, 1 and 2 rows in advance */

/* Of an engine in host memory: a copy. */
static alcore_status copy_rows(const alcore_sys_rows *rows, const uint8_t *mask,
                               alcore_sys_held *out) {
    size_t row = alcore_sys_dtype_bytes(rows->dtype) * (size_t)rows->dims;
    char *to = malloc((size_t)rows->count * row + 1);
    out->rows = *rows;
    out->rows.data = out->memory = to;
    out->rows.stride = rows->dims;
    out->rows.count = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        memcpy(to + (size_t)out->rows.count++ * row,
               (const char *)rows->data +
                   (size_t)(i * rows->stride) * alcore_sys_dtype_bytes(rows->dtype),
               row);
    }
    return ALCORE_OK;
}

/* Counted under no lock: one thread runs where this is used. */
static alcore_status hold(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *mask, alcore_sys_held *out) {
    memset(out, 0, sizeof *out);
    if (refuse_every && ++calls % refuse_every == 0) return ALCORE_OK;
    alcore_status status =
        base->upload ? base->upload(work, rows, mask, out) : copy_rows(rows, mask, out);
    live += status == ALCORE_OK && out->memory;
    return status;
}

static void let_go(const alcore_sys_work *work, const alcore_sys_held *held) {
    live -= held->memory != NULL;
    if (base->release) {
        base->release(work, held);
    } else {
        free(held->memory);
    }
}

/* One kernel of every strategy's passes, failing at one of its calls. */
static alcore_status widen(const alcore_sys_work *work, const alcore_sys_rows *rows,
                           const uint8_t *mask, double *out) {
    if (fail_at && --fail_at == 0) {
        alcore_error_set(ALCORE_E_NOMEM, "planted", 7);
        return ALCORE_E_NOMEM;
    }
    return base->widen(work, rows, mask, out);
}

static alcore_status min_sq_dists(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                  const uint8_t *mask, const double *centroids, int64_t count,
                                  const double *centroid_dots, const double *row_dots,
                                  int32_t zero_duplicates, const alcore_sys_weights *weights) {
    measured[weights->speculative_count]++;
    return base->min_sq_dists(work, rows, mask, centroids, count, centroid_dots, row_dots,
                              zero_duplicates, weights);
}

static alcore_status min_badge(const alcore_sys_work *work, const alcore_sys_rows *a,
                               const alcore_sys_rows *h, const uint8_t *mask,
                               const double *centroids_a, const double *centroids_h, int64_t count,
                               const double *centroid_squares, const double *squares,
                               const alcore_sys_weights *weights) {
    measured[weights->speculative_count]++;
    return base->min_badge(work, a, h, mask, centroids_a, centroids_h, count, centroid_squares,
                           squares, weights);
}

static void make_holding(const bed *b) {
    base = b->input.engine.kernels;
    holding = *base;
    holding.min_sq_dists = min_sq_dists;
    holding.min_badge = min_badge;
    memset(measured, 0, sizeof measured);
    holding.upload = hold;
    holding.release = let_go;
    holding.widen = widen;
}

/* ---- runs ---- */

static alcore_status run_variant(bed *b, const variant *v, int32_t parts) {
    b->parts = parts;
    b->input.fill.policy = v->fill;
    b->input.fill.limited = v->spread < 2;
    b->input.fill.max_similarity = v->spread;
    return bed_run(b, v->strategy, v->params, v->budget);
}

static uint64_t print_of(bed *b, const variant *v, int32_t parts) {
    ck_assert_msg(run_variant(b, v, parts) == ALCORE_OK, "%s %s: %s", v->strategy, v->params,
                  alcore_last_error());
    ck_assert_int_gt(b->outcome.bought.pick_count, 5);
    return bed_fingerprint(b);
}

/* What the CPU gives that reads rows again each time. On so few rows it measures none in advance,
 * which never pays there. */
static uint64_t expected_of(bed *b, const variant *v) {
    const alcore_sys_kernels *own = b->input.engine.kernels;
    b->input.engine.kernels = alcore__kernels_cpu();
    uint64_t print = print_of(b, v, 0);
    b->input.engine.kernels = own;
    return print;
}

START_TEST(held_rows_give_the_same_bytes) {
    const variant *v = &VARIANTS[_i];
    bed b;
    open_pool(&b, 1);
    uint64_t expected = expected_of(&b, v);
    make_holding(&b);
    b.input.engine.kernels = &holding;
    for (int32_t parts = 0; parts <= 3; parts += 3) {
        for (refuse_every = 0; refuse_every <= 3; refuse_every += 3) {
            ck_assert_uint_eq(print_of(&b, v, parts), expected);
            ck_assert_int_eq(live, 0);
        }
    }
    bed_close(&b);
}
END_TEST

/* Whether the strategy draws row after row by weight, so that rows may be measured in advance. */
static bool draws(const variant *v) {
    return (strcmp(v->strategy, "badge") == 0 && !strstr(v->params, "oversampling")) ||
           strstr(v->params, "k_clusters");
}

/* An engine with memory of its own that never has room for the rows: each pass reads them again,
 * and one or two more are measured in each as long as the draws hit them. */
START_TEST(speculative_rows_give_the_same_bytes) {
    const variant *v = &VARIANTS[_i];
    bed b;
    open_pool(&b, 1);
    uint64_t expected = expected_of(&b, v);
    make_holding(&b);
    b.input.engine.kernels = &holding;
    refuse_every = 1;
    ck_assert_uint_eq(print_of(&b, v, 0), expected);
    ck_assert_uint_eq(print_of(&b, v, 3), expected);
    ck_assert_msg(!draws(v) || (measured[0] > 0 && measured[1] + measured[2] > 0),
                  "%s %s: %lld, %lld and %lld passes", v->strategy, v->params,
                  (long long)measured[0], (long long)measured[1], (long long)measured[2]);
    bed_close(&b);
}
END_TEST

/* Whatever a run has come to when it fails, nothing stays held. */
START_TEST(failed_runs_let_go) {
    const variant *v = &VARIANTS[_i];
    bed b;
    open_pool(&b, 1);
    make_holding(&b);
    b.input.engine.kernels = &holding;
    for (int64_t at = 1;; at = base->upload ? 4 * at : at * 3 / 2 + 1) {
        fail_at = at;
        if (run_variant(&b, v, 0) == ALCORE_OK) break;
        ck_assert_int_eq(b.status, ALCORE_E_NOMEM);
        ck_assert_int_eq(live, 0);
    }
    ck_assert_int_gt(fail_at, 0);
    ck_assert_int_eq(live, 0);
    bed_close(&b);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("held");
    bed_add_variants(all, held_rows_give_the_same_bytes, VARIANT_COUNT);
    bed_add_variants(all, speculative_rows_give_the_same_bytes, VARIANT_COUNT);
    bed_add_variants(all, failed_runs_let_go, VARIANT_COUNT);
    return check_suite_run("strategy-held", all);
}
