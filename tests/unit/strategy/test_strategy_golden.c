/* SPDX-License-Identifier: Apache-2.0 */
/* Golden selections: every strategy on one seeded pool gives the file in tests/golden, byte for
 * byte. A correction that changes picks renews them with tests/golden/renew.sh and is named in
 * CHANGELOG.md. */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "strategy_bed.h"

enum { ROWS = 300, DIMS = 8, CLASSES = 4, TARGETS = 37 };

typedef struct golden {
    const char *file, *strategy, *params;
    double budget;
    int32_t fill;
} golden;

static const golden GOLDEN[] = {
    {"random", "random", "", 60, ALCORE__FILL_OVERSHOOT},
    {"nnll", "nnll", "", 60, ALCORE__FILL_STOP},
    {"nsp", "nsp", "", 60, ALCORE__FILL_SKIP},
    {"uncertainty", "uncertainty", "", 60, ALCORE__FILL_OVERSHOOT},
    {"diversity", "diversity", "", 60, ALCORE__FILL_OVERSHOOT},
    {"diversity-global", "diversity-global", "", 60, ALCORE__FILL_OVERSHOOT},
    {"huds", "huds", "", 60, ALCORE__FILL_OVERSHOOT},
    {"huds-quantile-rank", "huds", "strata=quantile rescale=rank unit=1", 60, ALCORE__FILL_SKIP},
    {"huds-clusters", "huds", "n_strata=3 k_clusters=4 min_stratum=5", 60, ALCORE__FILL_OVERSHOOT},
    {"huds-candidates", "huds", "candidates=100", 60, ALCORE__FILL_OVERSHOOT},
    {"idds", "idds", "", 60, ALCORE__FILL_SKIP},
    {"idds-oneshot", "idds", "mode=oneshot sim=dot-raw self=include", 60, ALCORE__FILL_OVERSHOOT},
    {"kcenter", "kcenter", "", 60, ALCORE__FILL_OVERSHOOT},
    {"kcenter-composable", "kcenter", "mode=composable per_block=9", 60, ALCORE__FILL_SKIP},
    {"average-dist", "average-dist", "", 60, ALCORE__FILL_OVERSHOOT},
    {"average-dist-balanced", "average-dist", "balance_targets=1 scores=all", 60,
     ALCORE__FILL_SKIP},
    {"average-dist-cosine", "average-dist", "metric=cosine balance_targets=1", 60,
     ALCORE__FILL_STOP},
    {"badge", "badge", "", 60, ALCORE__FILL_OVERSHOOT},
    {"badge-oversampling", "badge", "mode=oversampling per_step=9", 60, ALCORE__FILL_SKIP},
    {"lc", "lc", "", 60, ALCORE__FILL_OVERSHOOT},
    {"entropy", "entropy", "", 60, ALCORE__FILL_OVERSHOOT},
    {"margin", "margin", "margin=log", 60, ALCORE__FILL_OVERSHOOT},
};
enum { GOLDEN_COUNT = sizeof GOLDEN / sizeof GOLDEN[0] };

static bool is_in_table(const char *strategy) {
    for (int g = 0; g < GOLDEN_COUNT; g++) {
        if (!strcmp(GOLDEN[g].strategy, strategy)) return true;
    }
    return false;
}

/* The rows of the table, then the strategies that have none: strategy-NAME.tsv and, with their n-th
 * example, strategy-NAME-n.tsv. */
static bool golden_at(int number, golden *out) {
    static char file[64]; /* of this process's test */
    bed_setting setting;
    if (number < GOLDEN_COUNT) {
        *out = GOLDEN[number];
        return true;
    }
    if (!bed_setting_beside(is_in_table, number - GOLDEN_COUNT, &setting)) return false;
    snprintf(file, sizeof file, setting.number ? "%s-%d" : "%s", setting.strategy, setting.number);
    *out = (golden){file, setting.strategy, setting.params, 60, ALCORE__FILL_OVERSHOOT};
    return true;
}

static float x[ROWS * DIMS], probs[ROWS * CLASSES];
static double u[ROWS], costs[ROWS];
static uint8_t labeled[ROWS];
static int32_t languages[TARGETS];

static void open_pool(bed *b) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 2026);
    for (int i = 0; i < ROWS; i++) {
        u[i] = 6.0 * alcore__rng_f64(&rng) * alcore__rng_f64(&rng);
        costs[i] = (double)(1 + alcore__rng_below(&rng, 9));
        labeled[i] = i % 29 == 5;
        for (int j = 0; j < DIMS; j++) x[i * DIMS + j] = (float)(alcore__rng_f64(&rng) - 0.3);
        double total = 0;
        for (int c = 0; c < CLASSES; c++)
            total += probs[i * CLASSES + c] = (float)(alcore__rng_f64(&rng) + 0.01);
        for (int c = 0; c < CLASSES; c++)
            probs[i * CLASSES + c] = (float)(probs[i * CLASSES + c] / total);
    }
    for (int i = 0; i < TARGETS; i++) languages[i] = i % 5 == 0 ? 2 : 0;
    bed_open(b, ROWS, 2, NULL);
    for (int i = 0; i < ROWS; i++) b->mask[i] = !labeled[i];
    b->input.labeled_rows = labeled;
    b->input.costs = costs;
    bed_column(b, &b->input.candidates, "scores", u, ROWS, 1, ALCORE_FLOAT64);
    bed_column(b, &b->input.candidates, "embeddings", x, ROWS, DIMS, ALCORE_FLOAT32);
    bed_column(b, &b->input.candidates, "probs", probs, ROWS, CLASSES, ALCORE_FLOAT32);
    bed_phrases(b, false);
    bed_column(b, &b->input.target, "embeddings", x + 40 * DIMS, TARGETS, DIMS, ALCORE_FLOAT32);
    b->input.target_languages = languages;
    b->input.target_language_count = 3;
    bed_text_columns(b);
}

/* The selection as TSV; hexadecimal numbers are all the bits. */
static void print_selection(const bed *b, FILE *out) {
    const alcore__outcome *o = &b->outcome;
    fprintf(out, "rank\tindex\tscore\tcost");
    for (int32_t c = 0; c < o->column_count; c++) fprintf(out, "\t%s", o->columns[c].name);
    fprintf(out, "\n");
    for (int64_t i = 0; i < o->bought.pick_count; i++) {
        int64_t at = o->bought.picks[i], row = o->rows[at];
        fprintf(out, "%lld\t%lld\t%a\t%g", (long long)i + 1, (long long)row, o->scores[at],
                costs[row]);
        for (int32_t c = 0; c < o->column_count; c++) {
            const alcore__record_column *column = &o->columns[c];
            if (column->dtype == ALCORE_INT64) {
                fprintf(out, "\t%lld", (long long)((const int64_t *)column->values)[at]);
            } else {
                fprintf(out, "\t%a", ((const double *)column->values)[at]);
            }
        }
        fprintf(out, "\n");
    }
}

static void run_golden(bed *b, const golden *g) {
    open_pool(b);
    b->input.fill.policy = g->fill;
    if (strstr(g->params, "candidates=100")) {
        ck_assert_int_eq(
            alcore__draw_candidates(b->ctx, 42, 1, 100, &(alcore__place){0}, ROWS, NULL, b->mask),
            ALCORE_OK);
    }
    ck_assert_msg(bed_run(b, g->strategy, g->params, g->budget) == ALCORE_OK, "%s",
                  alcore_last_error());
}

static char *selection_text(const golden *g, size_t *length) {
    char *text = NULL;
    bed b;
    FILE *out = open_memstream(&text, length);
    run_golden(&b, g);
    print_selection(&b, out);
    fclose(out);
    bed_close(&b);
    return text;
}

static FILE *open_golden(const golden *g, const char *folder, const char *mode) {
    char path[1024];
    snprintf(path, sizeof path, "%s/strategy-%s.tsv", folder, g->file);
    FILE *file = fopen(path, mode);
    if (!file) fprintf(stderr, "cannot open %s\n", path);
    return file;
}

/* $ALCORE_GOLDEN_RENEW=1: the files are written anew, then compared like any other. */
static void renew(const golden *g, const char *text, size_t length) {
    FILE *file = open_golden(g, ALCORE_GOLDEN_DIR, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(selection_is_golden) {
    golden found, *g = &found;
    ck_assert(golden_at(_i, &found));
    size_t length = 0;
    char *text = selection_text(g, &length), *expected = malloc(length + 2);
    if (getenv("ALCORE_GOLDEN_RENEW")) renew(g, text, length);
    FILE *file = open_golden(g, ALCORE_GOLDEN_DIR, "rb");
    ck_assert_ptr_nonnull(file);
    size_t read = fread(expected, 1, length + 1, file);
    fclose(file);
    ck_assert_msg(read == length && !memcmp(text, expected, length), "strategy-%s.tsv differs:\n%s",
                  g->file, text);
    free(expected);
    free(text);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("golden");
    int count = 0;
    for (golden g; golden_at(count, &g);) count++;
    tcase_add_loop_test(all, selection_is_golden, 0, count);
    return check_suite_run("strategy-golden", all);
}
