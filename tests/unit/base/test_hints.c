/* SPDX-License-Identifier: Apache-2.0 */
/* Names of other packages: the table is walked, and every message about an unknown name has its
 * hint. */
#include <stdio.h>
#include <string.h>

#include "alcore/extra.h"
#include "base/alternatives.h"
#include "base/hints.h"
#include "check_suite.h"

static alcore_ctx *ctx;

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* What is said of a name that is looked up as a strategy, a score or an option. */
static const char *said(int32_t kind, const char *name, int as_score) {
    alcore_strategy *strategy = NULL;
    alcore_scorer *scorer = NULL;
    if (kind == ALCORE_HINT_STRATEGY) {
        ck_assert_int_eq(as_score ? alcore_scorer_new(ctx, name, &scorer)
                                  : alcore_strategy_new(ctx, name, &strategy),
                         ALCORE_E_PARAM);
        return alcore_last_error();
    }
    ck_assert_int_eq(alcore_strategy_new(ctx, "huds", &strategy), ALCORE_OK);
    ck_assert_int_eq(alcore_strategy_set(strategy, name, "1"), ALCORE_E_PARAM);
    alcore_strategy_unref(strategy);
    return "";
}

/* Every name is written as names are compared, is nowhere else in its kind, and is in the
 * message. */
START_TEST(every_name_leads_somewhere) {
    static const int32_t kinds[] = {ALCORE_HINT_STRATEGY, ALCORE_HINT_METRIC, ALCORE_HINT_OPTION,
                                    ALCORE_HINT_METRIC | ALCORE_HINT_OPTION};
    static char seen[65536];
    int walked = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const char *names, *hint, *word;
        size_t length;
        strcpy(seen, "|");
        for (int64_t row = 0; alcore__hint_row(kinds[k], row, &names, &hint); row++) {
            ck_assert(hint[strlen(hint) - 1] != '.');
            while (alcore__alternatives_next(&names, &word, &length)) {
                char name[64], marked[68];
                snprintf(name, sizeof name, "%.*s", (int)length, word);
                snprintf(marked, sizeof marked, "|%s|", name);
                ck_assert_msg(!strstr(seen, marked), "%s is there twice", name);
                strcat(seen, marked + 1);
                ck_assert_msg(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789+") == length,
                              "%s is not as names are compared", name);
                ck_assert_str_eq(alcore_hint(kinds[k], name), hint);
                for (int as_score = 0; kinds[k] == ALCORE_HINT_STRATEGY && as_score < 2; as_score++)
                    ck_assert_msg(strstr(said(kinds[k], name, as_score), hint), "%s: %s", name,
                                  alcore_last_error());
                walked++;
            }
        }
    }
    ck_assert_int_gt(walked, 200);
}
END_TEST

/* As the packages write them. */
START_TEST(names_of_packages) {
    static const char *const cases[][2] = {{"LeastConfidence", "called lc"},
                                           {"least_confidence", "called lc"},
                                           {"BreakingTies", "called margin"},
                                           {"margin_sampling", "did you mean margin?"},
                                           {"PredictionEntropy", "called entropy"},
                                           {"entropy_sampling", "did you mean entropy?"},
                                           {"uncertainty_sampling", "called lc"},
                                           {"RandomSampling", "did you mean random?"},
                                           {"CoreSet", "called kcenter"},
                                           {"greedy_coreset", "called kcenter"},
                                           {"EmbeddingKMeans", "bertkm"},
                                           {"kmeans", "bertkm"},
                                           {"BatchBALD", "several models"},
                                           {"BALD", "did you mean bald?"},
                                           {"Badge", "did you mean badge?"},
                                           {"TypiClust", "did you mean typiclust?"},
                                           {"ProbCover", "did you mean probcover?"},
                                           {"DiscriminativeActiveLearning", "idds"},
                                           {"knn_uncertainty", "knn-uncertainty?"},
                                           {"hudz", "did you mean huds?"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(strstr(said(ALCORE_HINT_STRATEGY, cases[i][0], 0), cases[i][1]), "%s: %s",
                      cases[i][0], alcore_last_error());
    said(ALCORE_HINT_OPTION, "dedup", 0);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "option of the pool"));
    said(ALCORE_HINT_OPTION, "prob", 0);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "the column probs"));
    said(ALCORE_HINT_OPTION, "lamda", 0);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "did you mean lambda?"));
    ck_assert_ptr_null(alcore_hint(ALCORE_HINT_STRATEGY, NULL));
    /* Of a measure only: -m, -s and -t are no more than letters elsewhere. */
    for (size_t i = 0; i < 4; i++) {
        static const char *const letters[] = {"m", "s", "t", "tok"};
        ck_assert_ptr_null(alcore_hint(ALCORE_HINT_OPTION, letters[i]));
        ck_assert_ptr_nonnull(alcore_hint(ALCORE_HINT_OPTION | ALCORE_HINT_METRIC, letters[i]));
    }
    ck_assert_ptr_nonnull(strstr(alcore_hint(ALCORE_HINT_OPTION, "b"), "budget"));
    ck_assert_ptr_nonnull(
        strstr(alcore_hint(ALCORE_HINT_OPTION | ALCORE_HINT_METRIC, "b"), "value alone"));
    ck_assert_ptr_null(alcore_hint(ALCORE_HINT_METRIC, "batchbald"));
    ck_assert_str_eq(alcore_hint(ALCORE_HINT_METRIC, "chrF++"), "it is called chrf");
}
END_TEST

CHECK_SUITE_WITH("hints", setup, teardown, every_name_leads_somewhere, names_of_packages);
