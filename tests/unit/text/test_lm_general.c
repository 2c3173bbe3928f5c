/* SPDX-License-Identifier: Apache-2.0 */
/* TV-LM2 (spec 6.5): the English side of the first 20,000 rows of en-de/general, order 3. The
 * corpus is not part of the project: without ../shared/data beside it (or $ALCORE_SHARED_DATA) the
 * test is skipped. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/line_reader.h"
#include "text/lm_trainer.h"
#include "vectors.h"

#define ROWS 20000
#define COLUMN 3 /* id split group en de */
static char path[4096];

static const char *column(const char *line, size_t length, size_t *out_length) {
    const char *end = line + length;
    for (int i = 0; i < COLUMN; i++) {
        line = memchr(line, '\t', (size_t)(end - line));
        ck_assert_ptr_nonnull(line);
        line++;
    }
    const char *stop = memchr(line, '\t', (size_t)(end - line));
    *out_length = (size_t)((stop == NULL ? end : stop) - line);
    return line;
}

static alcore_lm *train(alcore_ctx *ctx) {
    alcore__line_reader lines;
    alcore__lm_trainer *trainer = NULL;
    alcore_lm *lm = NULL;
    ck_assert_int_eq(alcore__lines_open(&lines, ctx, path, 0), ALCORE_OK);
    ck_assert_int_eq(alcore__lm_trainer_new(ctx, 3, 1, ROWS, &trainer), ALCORE_OK);
    for (int64_t row = -1; row < ROWS;) { /* row -1 is the header */
        char *line = NULL;
        size_t length = 0;
        ck_assert_int_eq(alcore__lines_next(&lines, &line, &length), ALCORE_OK);
        if (line == NULL) {
            bool more = false;
            ck_assert_int_eq(alcore__lines_fill(&lines, &more), ALCORE_OK);
            ck_assert(more);
            continue;
        }
        size_t bytes;
        const char *text = column(line, length, &bytes);
        if (row >= 0) ck_assert_int_eq(alcore__lm_trainer_add(trainer, text, bytes), ALCORE_OK);
        row++;
    }
    alcore__lines_close(&lines);
    ck_assert_int_eq(alcore__lm_trainer_model(trainer, -1, &lm), ALCORE_OK);
    alcore__lm_trainer_free(trainer);
    return lm;
}

START_TEST(tv_lm2) {
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    alcore_lm *lm = train(ctx);
    vector_case known = vector_case_named(vector_find("corpus", "TV-LM2"), "model");
    int64_t ngrams[3];
    for (int32_t n = 1; n <= 3; n++) {
        alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
        char member[48];
        ck_assert_int_eq(alcore_lm_order_get(lm, n, &info), ALCORE_OK);
        ngrams[n - 1] = info.ngrams;
        ck_assert_int_eq(info.fallback, 0);
        snprintf(member, sizeof member, "counts_of_counts/%d", n - 1);
        vector_equal(info.exactly, vector_expected(&known, member));
        snprintf(member, sizeof member, "discounts/%d", n - 1);
        vector_near(info.discount, vector_expected(&known, member), 1e-12);
    }
    const double log10s[] = {lm->logp[1][ALCORE__LM_END], lm->logp[1][ALCORE__LM_UNK]};
    const double back_off = lm->backoff[1][ALCORE__LM_BEGIN];
    vector_equal(ngrams, vector_expected(&known, "ngrams"));
    vector_near(log10s, vector_expected(&known, "log10"), 1e-6);
    vector_near(&back_off, vector_expected(&known, "back_off_of_start"), 1e-6);
    alcore_lm_unref(lm);
    alcore_ctx_unref(ctx);
}
END_TEST

int main(int argc, char **argv) {
    const char *shared = getenv("ALCORE_SHARED_DATA");
    if (shared == NULL)
        snprintf(path, sizeof path, "%s/../shared/data/en-de/general.tsv.xz",
                 argc > 1 ? argv[1] : ".");
    else
        snprintf(path, sizeof path, "%s/en-de/general.tsv.xz", shared);
    if (access(path, R_OK) != 0) {
        puts("1..0 # SKIP no ../shared/data beside the project");
        return 0;
    }
    TCase *cases = tcase_create("general");
    tcase_add_test(cases, tv_lm2);
    tcase_set_timeout(cases, 60);
    Suite *suite = suite_create("text/lm_general");
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
