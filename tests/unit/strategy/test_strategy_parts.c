/* SPDX-License-Identifier: Apache-2.0 */
/* Every strategy, with the pool cut at block borders into 1, 2, 3 and 8 parts whose states are
 * folded in shuffled order, and with 1, 2 and 8 threads: the same bytes (spec B.13). Without
 * $ALCORE_TEST_FULL a strategy is cut into 8 parts and into 1, 2 or 3, which $ALCORE_TEST_SEED and
 * its place in the table choose, and two threads run parts only. */
#include <string.h>

#include "alcore/strategy.h"
#include "base/rng.h"
#include "check_suite.h"
#include "strategy_bed.h"

/* Sanitized, a labeled side of two blocks takes minutes: k-center visits every row for each; under
 * TSan so does clustering. There every strategy is cut into eight parts only and run by eight
 * threads only beside one: the plain build meets the other numbers. */
#if defined(__SANITIZE_THREAD__)
enum { SMALL_LABELED = 1, FEW_VARIANTS = 1, FEW_CUTS = 1 };
#elif defined(__SANITIZE_ADDRESS__)
enum { SMALL_LABELED = 1, FEW_VARIANTS = 0, FEW_CUTS = 1 };
#else
enum { SMALL_LABELED = 0, FEW_VARIANTS = 0, FEW_CUTS = 0 };
#endif
/* Eight blocks and some rows; under TSan three, of which one is empty: what two threads do wrong,
 * they do in two blocks. */
enum { BLOCKS = FEW_VARIANTS ? 3 : 8, ROWS = BLOCKS * 8192 + 100, DIMS = 6, CLASSES = 3 };

typedef struct pool_data {
    float *x, *probs, *labeled_x;
    double *u, *costs;
    uint8_t *labeled;
    int32_t *languages; /* [labeled_rows] of the target, which is the labeled side too */
    int64_t labeled_rows;
} pool_data;

static pool_data data;

static void make_data(void) {
    if (data.x) return; /* made by an earlier test of this process */
    alcore__rng rng;
    alcore__rng_seed(&rng, 7);
    data.labeled_rows = SMALL_LABELED || bed_brief() ? 200 : 9000;
    data.x = malloc(ROWS * DIMS * sizeof *data.x);
    data.labeled_x = malloc((size_t)data.labeled_rows * DIMS * sizeof *data.labeled_x);
    data.u = malloc(ROWS * sizeof *data.u);
    data.costs = malloc(ROWS * sizeof *data.costs);
    data.probs = malloc(ROWS * CLASSES * sizeof *data.probs);
    data.labeled = calloc(ROWS, 1);
    data.languages = calloc((size_t)data.labeled_rows, sizeof *data.languages);
    for (int64_t i = 0; i < data.labeled_rows; i++) data.languages[i] = i % 10 ? 1 : 0;
    for (int64_t i = 0; i < ROWS * DIMS; i++) data.x[i] = (float)(alcore__rng_f64(&rng) - 0.4);
    for (int64_t i = 0; i < data.labeled_rows * DIMS; i++)
        data.labeled_x[i] = (float)(alcore__rng_f64(&rng) - 0.6);
    for (int64_t i = 0; i < ROWS; i++) {
        data.u[i] = alcore__rng_f64(&rng) * alcore__rng_f64(&rng);
        data.costs[i] = (double)alcore__rng_below(&rng, 12);
        data.labeled[i] = alcore__rng_below(&rng, 50) == 0;
        double rest = 1.0;
        for (int c = 0; c < CLASSES; c++) {
            double p = c == CLASSES - 1 ? rest : rest * alcore__rng_f64(&rng);
            data.probs[i * CLASSES + c] = (float)p;
            rest -= p;
        }
        if (i % 1000 == 999)
            memcpy(data.x + i * DIMS, data.x + (i - 500) * DIMS, DIMS * sizeof *data.x);
    }
}

static void open_pool(bed *b, int32_t threads) {
    bed_open(b, ROWS, threads, NULL);
    /* One block is empty, one has a single candidate. */
    for (int64_t i = 0; i < ROWS; i++) b->mask[i] = !data.labeled[i] && (i < 16384 || i >= 24576);
    if (BLOCKS == 8) {
        memset(b->mask + 40960, 0, 8192);
        b->mask[45000] = 1;
    }
    b->input.labeled_rows = data.labeled;
    b->input.costs = data.costs;
    alcore__dataset *pool = &b->input.candidates;
    bed_column(b, pool, "scores", data.u, ROWS, 1, ALCORE_FLOAT64);
    bed_column(b, pool, "embeddings", data.x, ROWS, DIMS, ALCORE_FLOAT32);
    bed_column(b, pool, "probs", data.probs, ROWS, CLASSES, ALCORE_FLOAT32);
    bed_phrases(b, false);
    bed_column(b, &b->input.labeled, "embeddings", data.labeled_x, data.labeled_rows, DIMS,
               ALCORE_FLOAT32);
    bed_column(b, &b->input.labeled, "probs", data.probs, data.labeled_rows, CLASSES,
               ALCORE_FLOAT32);
    bed_column(b, &b->input.target, "embeddings", data.labeled_x, data.labeled_rows, DIMS,
               ALCORE_FLOAT32);
    b->input.target_languages = data.languages;
    b->input.target_language_count = 2;
    bed_text_columns(b);
}

typedef struct variant {
    const char *strategy, *params;
    int32_t fill;
    double budget;
} variant;

static const variant VARIANTS[] = {
    {"random", "", ALCORE__FILL_OVERSHOOT, 500},
    {"nnll", "", ALCORE__FILL_STOP, 500},
    {"nsp", "", ALCORE__FILL_SKIP, 500},
    {"uncertainty", "margin=log", ALCORE__FILL_OVERSHOOT, 500},
    {"diversity", "n_strata=4", ALCORE__FILL_OVERSHOOT, 500},
    {"diversity-global", "unit=1", ALCORE__FILL_OVERSHOOT, 500},
    {"huds", "", ALCORE__FILL_OVERSHOOT, 500},
    {"huds", "n_strata=7 strata=quantile rescale=rank unit=1", ALCORE__FILL_SKIP, 500},
    {"idds", "", ALCORE__FILL_SKIP, 100},
    {"idds", "mode=oneshot sim=dot-raw self=include", ALCORE__FILL_OVERSHOOT, 100},
    {"kcenter", "", ALCORE__FILL_OVERSHOOT, 60},
    {"kcenter", "mode=composable per_block=9", ALCORE__FILL_SKIP, 60},
    {"average-dist", "", ALCORE__FILL_OVERSHOOT, 500},
    {"average-dist", "sq=1", ALCORE__FILL_SKIP, 500},
    {"average-dist", "metric=cosine", ALCORE__FILL_STOP, 500},
    {"badge", "", ALCORE__FILL_SKIP, 100},
    {"badge", "mode=oversampling per_step=9", ALCORE__FILL_SKIP, 100},
    {"lc", "", ALCORE__FILL_OVERSHOOT, 500},
    {"entropy", "", ALCORE__FILL_OVERSHOOT, 500},
    {"margin", "", ALCORE__FILL_OVERSHOOT, 500},
    /* A hundred passes each, for clusters. */
    {"huds", "n_strata=5 k_clusters=3 min_stratum=3000 rescale=zscore", ALCORE__FILL_STOP, 500},
    {"huds", "n_strata=3 k_clusters=40", ALCORE__FILL_OVERSHOOT, 500},
};
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof VARIANTS[0] };

static bool is_in_table(const char *strategy) {
    for (int v = 0; v < VARIANT_COUNT; v++) {
        if (!strcmp(VARIANTS[v].strategy, strategy)) return true;
    }
    return false;
}

/* The strategies without a row in the table, then the table, whose last rows take longest. */
static bool variant_at(int number, variant *out) {
    bed_setting setting;
    int beside = 0;
    while (bed_setting_beside(is_in_table, beside, &setting)) {
        if (beside++ == number) {
            *out = (variant){setting.strategy, setting.params, ALCORE__FILL_OVERSHOOT, 100};
            return true;
        }
    }
    if (number >= beside + VARIANT_COUNT) return false;
    *out = VARIANTS[number - beside];
    return true;
}

static uint64_t run_variant(bed *b, const variant *v, int32_t parts, uint64_t shuffle) {
    b->parts = parts;
    b->shuffle = shuffle;
    b->input.fill.policy = v->fill;
    bed_thin(b, v->strategy);
    ck_assert_msg(bed_run(b, v->strategy, v->params, v->budget) == ALCORE_OK, "%s %s: %s",
                  v->strategy, v->params, alcore_last_error());
    ck_assert_int_gt(b->outcome.bought.pick_count, 5);
    return bed_fingerprint(b);
}

static uint64_t run_with_threads(const variant *v, int32_t threads) {
    bed b;
    open_pool(&b, threads);
    const uint64_t bytes = run_variant(&b, v, 0, 0);
    bed_close(&b);
    return bytes;
}

static bool all_cuts(void) {
    const char *full = getenv("ALCORE_TEST_FULL");
    return full && *full == '1' && !FEW_CUTS && !bed_brief();
}

static void check_parts(const variant *v, int number, uint64_t whole) {
    static const int32_t PARTS[] = {1, 2, 3, 8, 8};
    enum { CUTS = sizeof PARTS / sizeof PARTS[0] };
    const char *seed = getenv("ALCORE_TEST_SEED");
    const int one_more = FEW_CUTS || bed_brief() ? CUTS : ((seed ? atoi(seed) : 0) + number) % 3;
    bed b;
    open_pool(&b, 2);
    for (int p = 0; p < CUTS; p++) {
        if (!all_cuts() && p != one_more && p != CUTS - 1) continue;
        ck_assert_msg(run_variant(&b, v, PARTS[p], (uint64_t)p + 1) == whole,
                      "%s %s differs in %d parts", v->strategy, v->params, (int)PARTS[p]);
    }
    bed_close(&b);
}

START_TEST(parts_and_threads_give_the_same_bytes) {
    variant found, *v = &found;
    ck_assert(variant_at(_i, &found));
    make_data();
    const uint64_t whole = run_with_threads(v, bed_brief() ? 2 : 1);
    /* Valgrind runs one thread at a time. */
    for (int32_t threads = all_cuts() ? 2 : 8; threads <= 8 && !bed_brief(); threads += 6) {
        ck_assert_msg(run_with_threads(v, threads) == whole, "%s %s differs with %d threads",
                      v->strategy, v->params, (int)threads);
    }
    /* Under TSan parts are run by the same threads as the whole. */
    if (!FEW_VARIANTS) check_parts(v, _i, whole);
}
END_TEST

static void *text(alcore_ctx *ctx, const char *words) {
    return alcore__strndup(ctx, words, strlen(words));
}

START_TEST(repeated_parts_count_once) {
    bed b;
    alcore__partials left = {0}, right = {0};
    bed_open(&b, 1, 1, NULL);
    ck_assert_int_eq(alcore__partials_add(b.ctx, &left, 0, 3, text(b.ctx, "abc"), 3), ALCORE_OK);
    ck_assert_int_eq(alcore__partials_add(b.ctx, &right, 0, 3, text(b.ctx, "abc"), 3), ALCORE_OK);
    ck_assert_int_eq(alcore__partials_add(b.ctx, &right, 0, 1, text(b.ctx, "x"), 1), ALCORE_OK);
    ck_assert_int_eq(alcore__partials_merge(b.ctx, &left, &right), ALCORE_OK);
    ck_assert_uint_eq(left.count, 2);
    ck_assert_int_eq(left.entries[0].block, 1);
    ck_assert_uint_eq(right.count, 0);
    ck_assert_int_eq(alcore__partials_add(b.ctx, &right, 0, 3, text(b.ctx, "abd"), 3), ALCORE_OK);
    ck_assert_int_eq(alcore__partials_merge(b.ctx, &left, &right), ALCORE_E_CORRUPT);
    alcore__partials_clear(b.ctx, &left);
    alcore__partials_clear(b.ctx, &right);
    bed_close(&b);
}
END_TEST

/* Takes the last double from a partial, in memory that ends there. */
static void shorten(bed *b, alcore__partial *partial, alcore__partial *kept) {
    *kept = *partial;
    partial->bytes -= sizeof(double);
    partial->data = NULL;
    if (!partial->bytes) return;
    ck_assert_int_eq(alcore__new_array(b->ctx, 1, partial->bytes, &partial->data), ALCORE_OK);
    memcpy(partial->data, kept->data, partial->bytes);
}

/* A partial without its last double is refused in every pass of a strategy, before anything of it,
 * or of the partials before it, is added: the whole set then gives what an undisturbed run gives.
 */
START_TEST(short_partials_are_refused) {
    static const char *const STRATEGIES[] = {"diversity-global", "idds"};
    bed b;
    alcore_strategy *strategy;
    make_data();
    open_pool(&b, 2);
    uint64_t whole = run_variant(&b, &(variant){STRATEGIES[_i], "", ALCORE__FILL_OVERSHOOT, 100},
                                 0 /* uncut */, 0);
    alcore__outcome_clear(b.ctx, &b.outcome);
    ck_assert_int_eq(alcore_strategy_new(b.ctx, STRATEGIES[_i], &strategy), ALCORE_OK);
    ck_assert_int_eq(alcore__enter(b.ctx), ALCORE_OK);
    alcore__run *run;
    alcore__shard *shard;
    int refused_sums = 0;
    ck_assert_int_eq(alcore__run_begin(strategy, strategy->def, &strategy->values, &b.input, &run),
                     ALCORE_OK);
    ck_assert_int_eq(alcore__shard_new(run, 0, 1, &shard), ALCORE_OK);
    while (!alcore__run_done(run)) {
        int64_t first, end;
        alcore__partials all = {0};
        alcore__shard_blocks(run, shard, &first, &end);
        ck_assert_int_eq(alcore__run_map(run, shard, first, end, &all), ALCORE_OK);
        alcore__partial kept, *last = &all.entries[all.count - 1];
        if (last->bytes) {
            shorten(&b, last, &kept);
            ck_assert_int_eq(alcore__run_reduce(run, &all), ALCORE_E_CORRUPT);
            refused_sums += alcore__present_pass(run)->partial.sums != 0;
            alcore__free(b.ctx, last->data);
            *last = kept;
        }
        ck_assert_int_eq(alcore__run_reduce(run, &all), ALCORE_OK);
        ck_assert_int_eq(alcore__run_reduce(run, &all), ALCORE_E_INTERNAL);
        alcore__partials_clear(b.ctx, &all);
        ck_assert_int_eq(alcore__run_end_pass(run), ALCORE_OK);
    }
    ck_assert_int_gt(refused_sums, 0);
    ck_assert_int_eq(alcore__run_finish(run, &b.outcome), ALCORE_OK);
    alcore__shard_free(run, shard);
    alcore__run_free(run);
    alcore__leave(b.ctx, ALCORE_OK);
    ck_assert(bed_fingerprint(&b) == whole);
    alcore_strategy_unref(strategy);
    bed_close(&b);
}
END_TEST

TEST_FILE() {
    TCase *parts = tcase_create("parts");
    tcase_set_timeout(parts, 600);
    int variants = 0;
    for (variant v; variant_at(variants, &v);) variants++;
    if (FEW_VARIANTS || bed_brief()) variants -= 2;
    bed_add_variants(parts, parts_and_threads_give_the_same_bytes, variants);
    tcase_add_test(parts, repeated_parts_count_once);
    tcase_add_loop_test(parts, short_partials_are_refused, 0, 2);
    return check_suite_run("strategy-parts", parts);
}
