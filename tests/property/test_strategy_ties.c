/* SPDX-License-Identifier: Apache-2.0 */
/* Every strategy on data made of ties: few different rows, repeated, and some of them one unit in
 * the last place apart. The same bytes from every engine of this machine, any number of threads and
 * any cut of the pool, from rows in a file or in memory (spec 1.8, B.13). */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "kernel/kernels.h"
#include "strategy_bed.h"

enum { ROWS = 2 * 8192 + 300, DIMS = 37, CLASSES = 3, BASES = 40, TARGETS = 90, SIDE = 50 };
enum { EMBEDDINGS = 1 }; /* among the bed's columns */

static float x[ROWS * DIMS], probs[ROWS * CLASSES];
static double u[ROWS];
static uint8_t labeled[ROWS];
static int32_t languages[TARGETS];

/* Of every four rows of a base two are it, and two are a hair beside it. */
static float hair(float value, uint64_t kind) {
    if (kind == 0) return nextafterf(value, 9.0f);
    return kind == 1 ? nextafterf(value, -9.0f) : value;
}

static void make_data(uint64_t seed) {
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    float base[BASES * DIMS], base_probs[BASES * CLASSES];
    for (int i = 0; i < BASES * DIMS; i++) base[i] = (float)(alcore__rng_f64(&rng) - 0.4);
    for (int i = 0; i < BASES; i++) {
        float p = (float)(alcore__rng_below(&rng, 5)) / 8.0f;
        base_probs[i * CLASSES] = p;
        base_probs[i * CLASSES + 1] = 0.5f;
        base_probs[i * CLASSES + 2] = 0.5f - p;
    }
    for (int i = 0; i < ROWS; i++) {
        uint64_t from = alcore__rng_below(&rng, BASES), kind = alcore__rng_below(&rng, 4);
        memcpy(x + i * DIMS, base + from * DIMS, sizeof *x * DIMS);
        memcpy(probs + i * CLASSES, base_probs + from * CLASSES, sizeof *probs * CLASSES);
        float *at = &x[i * DIMS + (int)alcore__rng_below(&rng, DIMS)];
        *at = hair(*at, kind);
        u[i] = (double)(1 + alcore__rng_below(&rng, 4));
        if (kind == 0) u[i] = nextafter(u[i], 9.0);
        labeled[i] = alcore__rng_below(&rng, 400) == 0;
    }
    for (int i = 0; i < TARGETS; i++) languages[i] = i % 4;
}

static void open_pool(bed *b, int32_t threads) {
    bed_open(b, ROWS, threads, NULL);
    /* The first block has every row, so kernels see it as it lies; the others have gaps. */
    for (int i = 0; i < ROWS; i++) b->mask[i] = !labeled[i] && (i < 8192 || i % 11 != 0);
    b->input.labeled_rows = labeled;
    alcore__dataset *pool = &b->input.candidates;
    bed_column(b, pool, "scores", u, ROWS, 1, ALCORE_FLOAT64);
    bed_column(b, pool, "embeddings", x, ROWS, DIMS, ALCORE_FLOAT32);
    bed_column(b, pool, "probs", probs, ROWS, CLASSES, ALCORE_FLOAT32);
    bed_phrases(b, false);
    bed_column(b, &b->input.labeled, "embeddings", x + 100 * DIMS, SIDE, DIMS, ALCORE_FLOAT32);
    bed_column(b, &b->input.labeled, "probs", probs + 100 * CLASSES, SIDE, CLASSES, ALCORE_FLOAT32);
    bed_column(b, &b->input.target, "embeddings", x + 300 * DIMS, TARGETS, DIMS, ALCORE_FLOAT32);
    b->input.target_languages = languages;
    b->input.target_language_count = 4;
    bed_text_columns(b);
}

static const char *const VARIANTS[][2] = {
    {"random", ""},
    {"nnll", ""},
    {"nsp", ""},
    {"uncertainty", ""},
    {"diversity", "n_strata=3"},
    {"diversity-global", ""},
    {"huds", "n_strata=3 rescale=rank"},
    {"huds", "n_strata=2 k_clusters=12 unit=1"},
    {"huds", "n_strata=1 k_clusters=60"},
    {"idds", ""},
    {"idds", "sim=dot-raw"},
    {"kcenter", ""},
    {"average-dist", ""},
    {"average-dist", "balance_targets=1"},
    {"average-dist", "sq=1"},
    {"average-dist", "metric=cosine"},
    {"badge", ""},
    {"badge", "first=uniform"},
    {"lc", ""},
    {"entropy", ""},
    {"margin", ""},
};
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof VARIANTS[0] };

static bool is_in_table(const char *strategy) {
    for (int v = 0; v < VARIANT_COUNT; v++) {
        if (!strcmp(VARIANTS[v][0], strategy)) return true;
    }
    return false;
}

/* The table, then the strategies that have no row in it. */
static bool variant_at(int number, bed_setting *out) {
    if (number >= VARIANT_COUNT)
        return bed_setting_beside(is_in_table, number - VARIANT_COUNT, out);
    *out = (bed_setting){VARIANTS[number][0], VARIANTS[number][1], 0};
    return true;
}

static uint64_t run(bed *b, const bed_setting *v, int32_t parts) {
    b->parts = parts;
    bed_thin(b, v->strategy);
    ck_assert_msg(bed_run(b, v->strategy, v->params, 70) == ALCORE_OK, "%s %s: %s", v->strategy,
                  v->params, alcore_last_error());
    return bed_fingerprint(b);
}

/* Each engine meets one cut of the pool, which $ALCORE_TEST_SEED chooses, with $ALCORE_TEST_FULL
 * all three. */
START_TEST(ties_are_the_same_everywhere) {
    static const char *const ENGINES[] = {"cpu-portable", "cpu-avx2", "cpu-avx512",
                                          "cpu-avx512vnni", "cpu-neon"};
    static const int32_t PARTS[] = {0, 2, 3};
    const char *full = getenv("ALCORE_TEST_FULL"), *seed = getenv("ALCORE_TEST_SEED");
    const size_t shift = seed ? (size_t)atoi(seed) % 3 : 0;
    bed_setting found, *v = &found;
    ck_assert(variant_at(_i, &found));
    make_data(5 + (uint64_t)_i);
    bed b;
    open_pool(&b, 1);
    b.input.engine.kernels = alcore__kernels_cpu_named("cpu-portable");
    uint64_t expected = run(&b, v, 0);
    ck_assert_int_eq(b.outcome.bought.pick_count, 70);
    bed_close(&b);
    for (size_t e = 0; e < sizeof ENGINES / sizeof ENGINES[0]; e++) {
        const alcore_sys_kernels *kernels = alcore__kernels_cpu_named(ENGINES[e]);
        if (!kernels) continue;
        open_pool(&b, 1 + (int32_t)e);
        b.input.engine.kernels = kernels;
        for (size_t p = 0; p < sizeof PARTS / sizeof PARTS[0]; p++) {
            if ((!full || bed_brief()) && p != (e + (size_t)_i + shift) % 3) continue;
            /* Read anew in every pass, or kept together in memory after the first. */
            b.columns[EMBEDDINGS].in_file = (p + e) % 2;
            ck_assert_msg(run(&b, v, PARTS[p]) == expected, "%s %s differs: %s, %d parts",
                          v->strategy, v->params, ENGINES[e], (int)PARTS[p]);
        }
        bed_close(&b);
    }
}
END_TEST

/* The whole order of rows that are all alike is that of their numbers, whatever was filtered. */
START_TEST(equal_rows_come_in_order) {
    static const char *const NAMES[] = {"idds", "kcenter", "average-dist", "badge",
                                        "diversity-global"};
    memset(labeled, 0, sizeof labeled);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < DIMS; j++) x[i * DIMS + j] = 0.1f * (float)(j + 1);
        for (int c = 0; c < CLASSES; c++) probs[i * CLASSES + c] = c ? 0.25f : 0.5f;
        u[i] = 1.0;
    }
    for (size_t n = 0; n < sizeof NAMES / sizeof NAMES[0]; n++) {
        bed b;
        open_pool(&b, 2);
        ck_assert_int_eq(bed_run(&b, NAMES[n], "", 30), ALCORE_OK);
        for (int k = 0; k < 30; k++)
            ck_assert_msg(bed_pick(&b, k) == k, "%s: pick %d is %d", NAMES[n], k,
                          (int)bed_pick(&b, k));
        bed_close(&b);
    }
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("ties");
    tcase_set_timeout(all, 300);
    int count = 0;
    for (bed_setting v; variant_at(count, &v);) count++;
    bed_add_variants(all, ties_are_the_same_everywhere, count);
    tcase_add_test(all, equal_rows_come_in_order);
    return check_suite_run("strategy-ties", all);
}
