/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that the passes of a selection exchange are within 5 % of the formulas of
 * docs/distributed.md, for strategies and settings that test_job_sizes.c does not look at message
 * by message. Two shards of 20,000 rows have no border rows, and three blocks. */
#include "job_record.h"

enum {
    BLOCKS = 3,
    FIRST = 8192,
    TARGETS = TARGET_END - TARGET_FIRST,
    BYTES = 8 * VECTOR,
    CODE = 128
};
/* Bytes of an iteration of k-means, by how many clusters and groups of these, of D values. */
#define ITERATION(clusters, groups, d) (BLOCKS * (16 + (clusters)*8 * ((d) + 1) + 8 * (groups)))
#define NOMINEES(budget) (2 * 32 * (budget))

typedef struct formula {
    job_setting setting;
    int before; /* exchanges before the passes */
    int passes; /* without the iterations of k-means */
    /* Bytes for each candidate of the shards, and for each labeled row */
    int candidate, labeled;
    int fixed;     /* bytes beside these */
    int iteration; /* bytes of one of k-means; 0: there is none */
} formula;

static const formula FORMULAS[] = {
    {{"idds", "mode=oneshot", "9", "nan=exclude", 0},
     1,
     3,
     0,
     0,
     2 * BLOCKS *(16 + BYTES) + NOMINEES(9),
     0},
    {{"idds", "mode=oneshot", "9", "nan=exclude max_similarity=0.9", 0},
     1,
     3,
     8,
     0,
     2 * BLOCKS *(16 + BYTES),
     0},
    {{"badge", NULL, "9", NULL, 0},
     1,
     19,
     2 * 8,
     0,
     9 * (16 + 24 + 8 * (1 + CLASSES + VECTOR)) + 8 * BLOCKS *(16 + 8),
     0},
    {{"average-dist", "scores=all", "9w", "max_similarity=0.9", 0}, 1, 1, 8, 0, 0, 0},
    {{"average-dist", "metric=cosine", "9", "max_similarity=0.9", 0}, 1, 1, 8, 0, 0, 0},
    {{"huds", "n_strata=3 k_clusters=2", "9", NULL, 0},
     1,
     7,
     0,
     0,
     2 * (16 + 16) + 2 * (16 + 8 * 3) + 2 * BLOCKS *(16 + 8 * 3) + 6 * (16 + 8 * (VECTOR + 4)) +
         NOMINEES(9),
     ITERATION(6, 3, VECTOR)},
    {{"diversity-global", "k_clusters=4", "9", NULL, 0},
     1,
     10,
     0,
     0,
     2 * (16 + 8) + 4 * BLOCKS *(16 + 8) + 4 * (16 + 8 * (VECTOR + 4)) + NOMINEES(9),
     ITERATION(4, 1, VECTOR)},
    {{"huds", "n_strata=3 k_clusters=2", "9", "max_similarity=0.9", 0},
     1,
     6,
     2 * 8 + 4,
     0,
     2 * (16 + 3 * BYTES),
     ITERATION(6, 3, VECTOR)},
    {{"huds", "n_strata=3", "9c", "max_similarity=0.9", 0},
     1,
     4,
     2 * 8,
     0,
     BLOCKS *(16 + 4 * BYTES),
     0},
    {{"diversity-global", NULL, "9", "max_similarity=0.9", 0},
     1,
     3,
     8,
     0,
     BLOCKS *(16 + 2 * BYTES),
     0},
    {{"knn-uncertainty", "k=2", "9,4", NULL, 0},
     1,
     4,
     0,
     0,
     2 * 2 * (16 + 16 * 2 * TARGETS) + 2 * 16 * 65,
     0},
    {{"uncertainty-knn", NULL, "9", NULL, 0},
     1,
     2,
     0,
     0,
     2 * (16 + 24 * 4 * 9) + 16 + 8 * 4 * 9,
     0},
    {{"uncertainty-knn", "cover=1", "9", NULL, 0},
     1,
     2,
     0,
     0,
     2 * (16 + 24 * 4 * 9) + 16 + 4 * 9 * BYTES,
     0},
    {{"uncertainty-knn", "cover=1", "9", "max_similarity=0.9", 0},
     1,
     2,
     8,
     0,
     16 + 4 * 9 * BYTES,
     0},
    {{"bertkm", NULL, "4", NULL, 0}, 1, 9, 12, 0, 4 * (16 + BYTES), ITERATION(4, 1, VECTOR)},
    {{"alps", NULL, "4", NULL, 0}, 1, 10, 8 + 12, 0, 4 * (16 + 8 * CODE), ITERATION(4, 1, CODE)},
    {{"mrs", "metric=cosine", "9", NULL, 0}, 1, 2, 0, 8 + BYTES, NOMINEES(9), 0},
    {{"mrs", NULL, "9", NULL, 0}, 1, 3, 0, 8 + BYTES + 2 * 16 * 4, NOMINEES(9), 0},
    {{"mrs", NULL, "9", "max_similarity=0.9", 0}, 1, 3, 16, 8 + BYTES + 2 * 16 * 4, 0, 0},
    {{"mrs", "iterative=1", "3", NULL, 0}, 1, 9, 3 * 16, 8 + BYTES + 2 * 16 * 4, 0, 0},
    {{"typiclust", "max_clusters=3", "3", NULL, 0},
     1,
     8,
     4 + BYTES,
     4,
     3 * (16 + BYTES),
     ITERATION(3, 1, VECTOR)},
    {{"contrastive", NULL, "9", NULL, 0}, 1, 2, 0, 8 * (VECTOR + 2 * CLASSES) + 1, NOMINEES(9), 0},
    {{"contrastive", NULL, "9", "max_similarity=0.9", 0},
     1,
     2,
     8,
     8 * (VECTOR + 2 * CLASSES) + 1,
     0,
     0},
    {{"egl", NULL, "9", NULL, 0}, 1, 1, 0, 0, NOMINEES(9), 0},
    {{"egl", NULL, "9", "nan=exclude", 0}, 1, 1, 0, 0, NOMINEES(9), 0},
    {{"egl", NULL, "9", "max_similarity=0.9", 0}, 1, 1, 2 * 8, 0, 0, 0},
    {{"nnll", NULL, "9c", "fill=skip nan=exclude", 0}, 1, 1, 24, 0, 0, 0},
    /* all of 2,500 candidates: */
    {{"probcover", "candidates=2500 classes=3", "3", NULL, 0},
     2,
     9,
     0,
     BYTES,
     2500 * (4 + 2 * BYTES),
     ITERATION(3, 1, VECTOR)},
};

START_TEST(bytes_of_all_passes) {
    const formula *of = &FORMULAS[_i];
    job_setting setting = of->setting;
    setting.dedup = ALCORE_DEDUP_NONE;
    alcore_ctx *ctx = job_context(5);
    const job_cut cut = {2, {0, FIRST, MANY_ROWS}};
    record made = record_exchanges(ctx, &setting, &cut);
    const double candidates = (double)count_rows(ctx, &setting, MANY_ROWS, 0),
                 labeled = (double)count_rows(ctx, &setting, MANY_ROWS, ALCORE_ROW_LABELED);
    const int iterations = made.count - of->before - of->passes;
    double bytes = 0;
    for (int i = of->before; i < made.count; i++)
        bytes += (double)(made.lengths[i] - (48 + settings_bytes(made.bytes[i]) + 2 * 32));
    if (of->iteration)
        ck_assert_int_gt(iterations, 1);
    else
        ck_assert_int_eq(iterations, 0);
    const double expected =
        candidates * of->candidate + labeled * of->labeled + of->fixed + iterations * of->iteration;
    ck_assert_msg(fabs(bytes - expected) <= 0.05 * expected,
                  "%s %s: %.0f bytes, the formula says %.0f", setting.strategy,
                  setting.parameters ? setting.parameters : "", bytes, expected);
    record_free(&made);
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_formulas");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, bytes_of_all_passes, 0, sizeof FORMULAS / sizeof *FORMULAS);
    return check_suite_run("job_formulas", cases);
}
