/* SPDX-License-Identifier: Apache-2.0 */
/* The test vectors of spec sections 1.3, 1.6, 1.7, 3.2-3.5, 4 and 7.4 that strategies answer for.
 */
#include <math.h>
#include <string.h>

#include "kmeans_bed.h"
#include "strategy/budget/rank.h"
#include "strategy/budget/rescale.h"
#include "strategy/rules/huds/strata.h"
#include "strategy_bed.h"
#include "vectors.h"

#define NEAR(value, expected) ck_assert_double_eq_tol(value, expected, 1e-6)

static void expect_near(const double *values, int64_t count, const double *expected) {
    for (int64_t i = 0; i < count; i++) {
        ck_assert_msg(fabs(values[i] - expected[i]) < 1e-6, "entry %lld is %.9f, not %.9f",
                      (long long)i, values[i], expected[i]);
    }
}
#define ALL_NEAR(values, ...)                                                                      \
    do {                                                                                           \
        const double expected_[] = {__VA_ARGS__};                                                  \
        expect_near((values), (int64_t)(sizeof expected_ / sizeof expected_[0]), expected_);       \
    } while (0)

static bed b;

static alcore__dataset *pool(void) {
    return &b.input.candidates;
}

static void expect_picks(const vector_case *one, const char *path) {
    int64_t count;
    const int64_t *rows = vector_integers(vector_expected(one, path), &count);
    bed_expect_picks(&b, count, rows);
}

/* A matrix of the case as the column "embeddings" of a dataset. */
static int64_t give_embeddings(const vector_case *one, const char *input,
                               alcore__dataset *dataset) {
    const json_t *given = vector_input(one, input);
    int64_t count, rows = vector_length(given);
    const double *values = vector_doubles(given, &count);
    if (rows > 0) bed_column(&b, dataset, "embeddings", values, rows, count / rows, ALCORE_FLOAT64);
    return rows;
}

/* Opens the bed with the case's number of rows and a column of numbers, one a row. */
static void open_with_scores(const vector_case *one, const char *input) {
    int64_t rows;
    const double *values = vector_doubles(vector_input(one, input), &rows);
    bed_open(&b, rows, 1, NULL);
    bed_column(&b, pool(), "scores", values, rows, 1, ALCORE_FLOAT64);
}

/* "name=value name=value" of those of the names that the case sets. */
static const char *params_of(const vector_case *one, const char *const *names) {
    static char text[256];
    text[0] = '\0';
    for (; *names; names++) {
        if (!vector_has_input(one, *names)) continue;
        const json_t *value = vector_input(one, *names);
        size_t length = strlen(text);
        if (json_is_string(value))
            snprintf(text + length, sizeof text - length, "%s=%s ", *names, vector_text(value));
        else
            snprintf(text + length, sizeof text - length, "%s=%.17g ", *names,
                     vector_double(value));
    }
    return text;
}

/* ---- TV-TOPK ---- */

START_TEST(topk) {
    test_vector known = vector_find("random", "TV-TOPK");
    for (int64_t i = 0; i < vector_case_count(known); i++) {
        vector_case one = vector_case_number(known, i);
        bool random = strcmp(vector_text(vector_input(&one, "tie")), "random") == 0;
        open_with_scores(&one, "scores");
        b.input.seed = (uint64_t)vector_integer(vector_input(&one, "seed"));
        b.input.fill.tie = random ? ALCORE__TIE_RANDOM : ALCORE__TIE_INDEX;
        bed_run(&b, "nnll", "", vector_double(vector_input(&one, "k")));
        expect_picks(&one, "picks");
        ck_assert_int_eq(b.outcome.bought.pick_count, vector_integer(vector_input(&one, "k")));
        ck_assert_uint_eq(b.outcome.bought.flags, 0);
        if (i + 1 < vector_case_count(known)) bed_close(&b);
    }
    bed_run(&b, "nnll", "", 6);
    ck_assert_int_eq(b.outcome.bought.pick_count, 5);
    ck_assert_uint_eq(b.outcome.bought.flags, ALCORE_SELECTION_SHORT);
    bed_run(&b, "nnll", "", 0);
    ck_assert_int_eq(b.outcome.bought.pick_count, 0);
    ck_assert_uint_eq(b.outcome.bought.flags, 0);
    bed_close(&b);
}
END_TEST

/* ---- TV-DRAW ---- */

START_TEST(draws) {
    test_vector known = vector_find("random", "TV-DRAW");
    static const struct {
        const char *name, *params;
        int64_t round;
    } cases[] = {
        {"random", "", 1},
        {"random of even rows", "", 1},
        {"seed set", "seed_set=1", 1},
        {"seed set", "seed_set=1", 3}}; /* there is one, in whatever round it is asked for */
    bed_open(&b, 20, 1, NULL);
    for (int n = 0; n < 4; n++) {
        vector_case one = vector_case_named(known, cases[n].name);
        int64_t count;
        const int64_t *rows = vector_integers(vector_input(&one, "rows"), &count);
        memset(b.mask, 0, 20);
        for (int64_t i = 0; i < count; i++) b.mask[rows[i]] = 1;
        b.input.round = cases[n].round;
        bed_run(&b, "random", cases[n].params, vector_double(vector_input(&one, "k")));
        expect_picks(&one, "picks");
    }
    b.input.round = 1;
    vector_case candidates = vector_case_named(known, "candidates");
    int64_t drawn_count;
    const int64_t *drawn_rows =
        vector_integers(vector_expected(&candidates, "picks"), &drawn_count);
    uint8_t mask[10], drawn[10] = {0};
    for (int64_t i = 0; i < drawn_count; i++) drawn[drawn_rows[i]] = 1;
    memset(mask, 1, sizeof mask);
    ck_assert_int_eq(alcore__draw_candidates(b.ctx, 42, 1, 4, &(alcore__place){0}, 10, NULL, mask),
                     ALCORE_OK);
    ck_assert_mem_eq(mask, drawn, 10);
    /* Another round, another draw. */
    memset(mask, 1, sizeof mask);
    ck_assert_int_eq(alcore__draw_candidates(b.ctx, 42, 2, 4, &(alcore__place){0}, 10, NULL, mask),
                     ALCORE_OK);
    ck_assert_mem_ne(mask, drawn, 10);
    /* Sticky: what is left of the last candidates stays, the rest is drawn. */
    memset(mask, 1, sizeof mask);
    mask[2] = 0;
    ck_assert_int_eq(alcore__draw_candidates(b.ctx, 42, 2, 4, &(alcore__place){0}, 10, drawn, mask),
                     ALCORE_OK);
    int count = 0;
    for (int i = 0; i < 10; i++) count += mask[i];
    ck_assert_int_eq(count, 4);
    ck_assert(mask[3] && mask[5] && mask[6] && !mask[2]);
    bed_close(&b);
}
END_TEST

/* ---- TV-STRATA ---- */

START_TEST(strata) {
    test_vector known = vector_find("huds", "TV-STRATA");
    bed_open(&b, 1, 1, NULL);
    for (int64_t i = 0; i < vector_case_count(known); i++) {
        vector_case one = vector_case_number(known, i);
        int64_t count, n = vector_integer(vector_input(&one, "n_strata")), wide[16];
        const double *scores = vector_doubles(vector_input(&one, "scores"), &count);
        int32_t stratum[16];
        double edges[16], low = HUGE_VAL, high = -HUGE_VAL;
        for (int64_t k = 0; k < count; k++)
            low = fmin(low, scores[k]), high = fmax(high, scores[k]);
        if (strcmp(vector_text(vector_input(&one, "strata")), "quantile") == 0)
            ck_assert_int_eq(alcore__strata_quantile(b.ctx, scores, count, n, stratum, edges),
                             ALCORE_OK);
        else
            alcore__strata_equal(scores, count, low, high, n, stratum, edges);
        for (int64_t k = 0; k < count; k++) wide[k] = stratum[k];
        vector_equal(wide, vector_expected(&one, "stratum"));
        vector_near(edges, vector_expected(&one, "edges"), 1e-15);
    }
    bed_close(&b);
}
END_TEST

/* ---- TV-HUDS ---- */

static void open_huds(void) {
    vector_case one = vector_case_number(vector_find("huds", "TV-HUDS"), 0);
    open_with_scores(&one, "u");
    give_embeddings(&one, "embeddings", pool());
}

/* Every case: scores, distances, strata, edges and picks; lambda = 1 also as "diversity". */
START_TEST(huds) {
    static const char *const params[] = {"lambda", "n_strata", "rescale", "min_stratum", NULL};
    static const char *const of_strata[] = {"n_strata", "min_stratum", NULL};
    test_vector known = vector_find("huds", "TV-HUDS");
    for (int64_t i = 0; i < vector_case_count(known); i++) {
        vector_case one = vector_case_number(known, i);
        double k = vector_double(vector_input(&one, "k"));
        open_with_scores(&one, "u");
        give_embeddings(&one, "embeddings", pool());
        ck_assert_int_eq(bed_run(&b, "huds", params_of(&one, params), k), ALCORE_OK);
        expect_picks(&one, "order");
        vector_near(b.outcome.scores, vector_expected(&one, "H"), 1e-12);
        vector_near(bed_record(&b, "d"), vector_expected(&one, "d"), 1e-12);
        vector_equal(bed_record(&b, "stratum"), vector_expected(&one, "stratum"));
        vector_near(bed_fact(&b, "strata edges"), vector_expected(&one, "edges"), 1e-15);
        if (vector_double(vector_input(&one, "lambda")) == 1.0) {
            bed_run(&b, "diversity", params_of(&one, of_strata), k);
            expect_picks(&one, "order");
            if (vector_integer(vector_input(&one, "n_strata")) == 1) {
                bed_run(&b, "diversity-global", "", k);
                expect_picks(&one, "order");
            }
        }
        bed_close(&b);
    }
}
END_TEST

/* Equal scores and equal distances scale to 0. */
START_TEST(huds_without_range) {
    vector_case one = vector_case_named(vector_find("huds", "TV-HUDS"), "equal scores");
    open_with_scores(&one, "u");
    give_embeddings(&one, "embeddings", pool());
    for (const char *const *scale = (const char *const[]){"minmax", "zscore", "rank", NULL}; *scale;
         scale++) {
        char params[32] = "rescale=";
        strcat(params, *scale);
        bed_run(&b, "huds", params, 4);
        ALL_NEAR(b.outcome.scores, 0, 0, 0, 0);
    }
    bed_close(&b);
}
END_TEST

/* With lambda = 0 the scores are the scaled values themselves. */
START_TEST(scales) {
    test_vector known = vector_find("huds", "TV-RESCALE");
    const float e[] = {1, 0, 1, 0, 1, 0, 1, 0};
    for (int64_t i = 0; i < vector_case_count(known); i++) {
        vector_case one = vector_case_number(known, i);
        char params[64];
        snprintf(params, sizeof params, "lambda=0 rescale=%.*s", (int)strcspn(one.name, " "),
                 one.name);
        open_with_scores(&one, "values");
        bed_column(&b, pool(), "embeddings", e, vector_length(vector_input(&one, "values")), 2,
                   ALCORE_FLOAT32);
        ck_assert_int_eq(bed_run(&b, "huds", params, 4), ALCORE_OK);
        vector_near(b.outcome.scores, vector_expected(&one, "values"), 1e-12);
        bed_close(&b);
    }
}
END_TEST

START_TEST(small_strata_use_the_global_centroid) {
    const double u[] = {0, 0.1, 0.2, 1.0};
    const float e[] = {1, 0, 0, 1, 1, 1, 0, 2};
    bed_open(&b, 4, 1, NULL);
    bed_column(&b, pool(), "scores", u, 4, 1, ALCORE_FLOAT64);
    bed_column(&b, pool(), "embeddings", e, 4, 2, ALCORE_FLOAT32);
    bed_run(&b, "huds", "n_strata=2 lambda=1", 4);
    const double own = 1.0 - 2.0 / sqrt(8.0);
    ALL_NEAR((const double *)bed_record(&b, "d"), own, own, 0, 0);
    /* A stratum of min_stratum rows is not small: the last row is its own centroid. */
    bed_run(&b, "huds", "n_strata=2 lambda=1 min_stratum=1", 4);
    ALL_NEAR((const double *)bed_record(&b, "d"), own, own, 0, 0);
    /* The centroid of all is (0.5, 1). */
    const double *d;
    for (int k = 1; k <= 2; k++) {
        bed_run(&b, "huds",
                k == 1 ? "n_strata=2 min_stratum=2" : "n_strata=2 min_stratum=2 k_clusters=2", 4);
        d = bed_record(&b, "d");
        NEAR(d[3], 1.0 - 2.0 / (2.0 * sqrt(1.25)));
    }
    bed_run(&b, "huds", "n_strata=2 min_stratum=9 k_clusters=2", 4);
    d = bed_record(&b, "d");
    NEAR(d[0], 1.0 - 0.5 / sqrt(1.25));
    bed_close(&b);
}
END_TEST

START_TEST(lambda_schedule) {
    open_huds();
    b.input.round = 1;
    bed_run(&b, "huds", "n_strata=4 lambda=0,0.9,1", 4);
    BED_PICKS(&b, 7, 6, 5, 4);
    bed_run(&b, "huds", "n_strata=4 lambda=0,0.9,1 lambda_first=0.5", 4);
    BED_PICKS(&b, 7, 5, 4, 6);
    b.input.round = 2;
    bed_run(&b, "huds", "n_strata=4 lambda=0,0.9,1 lambda_first=0.5", 4);
    BED_PICKS(&b, 5, 4, 7, 1);
    b.input.round = 9;
    bed_run(&b, "huds", "n_strata=4 lambda=0,0.9,1", 4);
    BED_PICKS(&b, 4, 5, 0, 1);
    ck_assert_int_eq(bed_run(&b, "huds", "lambda=1.5", 4), ALCORE_E_PARAM);
    bed_close(&b);
}
END_TEST

/* ---- TV-KMEANS, with given and drawn first centroids ---- */

START_TEST(kmeans) {
    test_vector known = vector_find("huds", "TV-KMEANS");
    for (int64_t i = 0; i < vector_case_count(known); i++) {
        vector_case one = vector_case_number(known, i);
        bool given = vector_has_input(&one, "initial");
        int64_t k, count, rows = vector_length(vector_input(&one, "embeddings"));
        const int64_t *seeds = vector_integers(vector_expected(&one, "initial"), &k);
        bed_open(&b, rows, 1, NULL);
        give_embeddings(&one, "embeddings", pool());
        kmeans_bed means = {.groups = 1, .k = k, .seeds = given ? seeds : NULL};
        kmeans_bed_run(&b, &means);
        const double *cluster = vector_doubles(vector_expected(&one, "cluster"), &count);
        ck_assert_int_eq(count, means.count);
        for (int64_t c = 0; c < count; c++) ck_assert(means.assigned[c] == cluster[c]);
        vector_equal(means.seed_positions, vector_expected(&one, "initial"));
        vector_near(means.centroids, vector_expected(&one, "centroids"), 1e-12);
        ck_assert_int_eq(means.iterations[0], vector_integer(vector_expected(&one, "passes")));
        kmeans_bed_free(&means);
        bed_close(&b);
    }
}
END_TEST

/* One cluster is all rows, and its centroid their mean, whichever row was drawn first. */
START_TEST(one_cluster_has_the_mean) {
    test_vector known = vector_find("huds", "TV-KMEANS");
    for (int64_t i = 0; i < vector_case_count(known); i++) {
        vector_case one = vector_case_number(known, i);
        int64_t count, rows = vector_length(vector_input(&one, "embeddings"));
        bed_open(&b, rows, 1, NULL);
        give_embeddings(&one, "embeddings", pool());
        kmeans_bed means = {.groups = 1, .k = 1};
        kmeans_bed_run(&b, &means);
        const double *x = vector_doubles(vector_input(&one, "embeddings"), &count);
        int64_t dims = count / rows;
        ck_assert_int_eq(means.count, rows);
        for (int64_t r = 0; r < rows; r++) ck_assert_int_eq(means.assigned[r], 0);
        for (int64_t j = 0; j < dims; j++) {
            double sum = 0.0;
            for (int64_t r = 0; r < rows; r++) sum += x[r * dims + j];
            ck_assert_double_eq_tol(means.centroids[j], sum / (double)rows, 1e-12);
        }
        kmeans_bed_free(&means);
        bed_close(&b);
    }
}
END_TEST

/* ---- TV-NNLL ---- */

START_TEST(likelihoods) {
    vector_case one = vector_case_number(vector_find("scores", "TV-NNLL"), 0);
    const json_t *given = vector_input(&one, "logprobs");
    const int64_t *offsets = vector_offsets(given, NULL);
    int64_t tokens;
    const double *lp = vector_doubles(given, &tokens);
    double base2[16];
    ck_assert_int_le(tokens, 16);
    for (int64_t i = 0; i < tokens; i++) base2[i] = lp[i] / log(2.0);
    bed_open(&b, 5, 1, NULL);
    alcore__column *column = bed_ragged(&b, "logprobs", lp, offsets, 5, 1, ALCORE_FLOAT64);
    bed_run(&b, "nnll", "", 5);
    BED_PICKS(&b, 4, 3, 0, 1, 2);
    vector_near(b.outcome.scores, vector_expected(&one, "nnll"), 1e-12);
    ck_assert(!signbit(b.outcome.scores[2]));
    ck_assert_int_eq(b.outcome.floored, 1);
    bed_run(&b, "nsp", "", 5);
    BED_PICKS(&b, 4, 3, 0, 1, 2);
    vector_near(b.outcome.scores, vector_expected(&one, "nsp"), 1e-12);
    vector_near(bed_record(&b, "u"), vector_expected(&one, "nnll"), 1e-12);
    bed_close(&b);
    bed_open(&b, 5, 1, NULL);
    column = bed_ragged(&b, "logprobs", base2, offsets, 5, 1, ALCORE_FLOAT64);
    column->log_scale = log(2.0);
    bed_run(&b, "nnll", "", 5);
    vector_near(b.outcome.scores, vector_expected(&one, "nnll"), 1e-9);
    bed_close(&b);
}
END_TEST

START_TEST(nsp_saturates_in_nnll_order) {
    const double u[] = {40, 50, 45};
    bed_open(&b, 3, 1, NULL);
    bed_column(&b, pool(), "scores", u, 3, 1, ALCORE_FLOAT64);
    bed_run(&b, "nsp", "", 3);
    BED_PICKS(&b, 1, 2, 0);
    ck_assert(b.outcome.scores[0] == 1.0 && b.outcome.scores[1] == 1.0);
    bed_close(&b);
}
END_TEST

START_TEST(meanings_of_scores) {
    const double v[] = {0.9, 0.2, 0.5};
    bed_open(&b, 3, 1, NULL);
    alcore__column *column = bed_column(&b, pool(), "scores", v, 3, 1, ALCORE_FLOAT64);
    column->meaning = ALCORE_MEANS_CONFIDENCE;
    bed_run(&b, "nnll", "", 3);
    ALL_NEAR(b.outcome.scores, 0.1, 0.8, 0.5);
    column->meaning = ALCORE_MEANS_LOGPROB;
    bed_run(&b, "nnll", "", 3);
    ALL_NEAR(b.outcome.scores, -0.9, -0.2, -0.5);
    bed_close(&b);
}
END_TEST

/* ---- TV-IDDS ---- */

START_TEST(idds) {
    static const char *const params[] = {"mode", "self", "sim", "alpha", NULL};
    test_vector known = vector_find("baselines", "TV-IDDS");
    for (int64_t i = 0; i < vector_case_count(known); i++) {
        vector_case one = vector_case_number(known, i);
        bed_open(&b, 4, 1, NULL);
        give_embeddings(&one, "embeddings", pool());
        give_embeddings(&one, "labeled", &b.input.labeled);
        ck_assert_int_eq(
            bed_run(&b, "idds", params_of(&one, params), vector_double(vector_input(&one, "k"))),
            ALCORE_OK);
        expect_picks(&one, "picks");
        vector_near(b.outcome.scores, vector_expected(&one, "scores"), 1e-12);
        bed_close(&b);
    }
    /* A row alone, nothing labeled: both terms are 0. */
    vector_case one = vector_case_number(known, 0);
    bed_open(&b, 4, 1, NULL);
    give_embeddings(&one, "embeddings", pool());
    for (int i = 1; i < 4; i++) b.mask[i] = 0;
    bed_run(&b, "idds", "", 1);
    ALL_NEAR(b.outcome.scores, 0);
    bed_close(&b);
}
END_TEST

/* ---- TV-KCENTER ---- */

START_TEST(kcenter) {
    test_vector known = vector_find("baselines", "TV-KCENTER");
    for (int64_t i = 0; i < vector_case_count(known); i++) {
        vector_case one = vector_case_number(known, i);
        int64_t count, rows = vector_length(vector_input(&one, "embeddings"));
        const int64_t *given = vector_integers(vector_input(&one, "labeled_rows"), &count);
        uint8_t labeled[16] = {0};
        double radii[16], deltas[16];
        bed_open(&b, rows, 1, NULL);
        give_embeddings(&one, "embeddings", pool());
        for (int64_t k = 0; k < count; k++) {
            labeled[given[k]] = 1;
            b.mask[given[k]] = 0;
        }
        b.input.labeled_rows = count > 0 ? labeled : NULL;
        bed_run(&b, "kcenter", "", vector_double(vector_input(&one, "k")));
        expect_picks(&one, "picks");
        const double *radius = bed_record(&b, "radius");
        for (int64_t k = 0; k < b.outcome.bought.pick_count; k++) {
            radii[k] = radius[b.outcome.bought.picks[k]];
            deltas[k] = b.outcome.scores[b.outcome.bought.picks[k]];
        }
        vector_near(radii, vector_expected(&one, "radii"), 0);
        vector_near(deltas, vector_expected(&one, "delta"), 0);
        if (count == 0) { /* everything chosen: nothing is left to cover */
            bed_run(&b, "kcenter", "", (double)rows);
            radius = bed_record(&b, "radius");
            ck_assert_int_eq(b.outcome.bought.pick_count, rows);
            ck_assert(radius[b.outcome.bought.picks[rows - 1]] == 0);
        }
        bed_close(&b);
    }
}
END_TEST

/* Labeled rows of another pool count as those of the candidates' own pool do. Without them the row
 * nearest to the mean, 11 / 3, comes first. */
START_TEST(kcenter_measures_from_the_labeled_pool) {
    const double values[] = {0, 1, 10}, labeled[] = {10};
    bed_open(&b, 3, 1, NULL);
    bed_column(&b, pool(), "embeddings", values, 3, 1, ALCORE_FLOAT64);
    bed_run(&b, "kcenter", "", 1);
    BED_PICKS(&b, 1);
    bed_column(&b, &b.input.labeled, "embeddings", labeled, 1, 1, ALCORE_FLOAT64);
    bed_run(&b, "kcenter", "", 2);
    BED_PICKS(&b, 0, 1);
    ck_assert(b.outcome.scores[0] == 10.0 && b.outcome.scores[1] == 1.0);
    bed_close(&b);
}
END_TEST

/* ---- TV-UNC, TV-TOK ---- */

START_TEST(classes) {
    test_vector unc = vector_find("scores", "TV-UNC");
    vector_case margin = vector_case_named(unc, "margin"), lc = vector_case_named(unc, "lc"),
                logs = vector_case_named(unc, "log margin"),
                entropy = vector_case_named(unc, "entropy"),
                softmax = vector_case_named(unc, "softmax");
    bed_open(&b, 4, 1, NULL);
    alcore__column *column =
        bed_column(&b, pool(), "probs", vector_doubles(vector_input(&margin, "probs"), NULL), 4, 3,
                   ALCORE_FLOAT64);
    bed_run(&b, "uncertainty", "", 4);
    expect_picks(&margin, "order");
    vector_near(b.outcome.scores, vector_expected(&margin, "u"), 1e-12);
    vector_near(bed_record(&b, "raw"), vector_expected(&margin, "raw"), 1e-12);
    bed_run(&b, "margin", "margin=log", 4);
    expect_picks(&logs, "order");
    vector_near(bed_record(&b, "margin"), vector_expected(&logs, "raw"), 1e-12);
    bed_run(&b, "lc", "", 4);
    vector_near(b.outcome.scores, vector_expected(&lc, "u"), 1e-12);
    bed_run(&b, "entropy", "", 4);
    vector_near(b.outcome.scores, vector_expected(&entropy, "u"), 1e-12);
    bed_run(&b, "uncertainty", "mode=entropy", 4);
    vector_near(b.outcome.scores, vector_expected(&entropy, "u"), 1e-12);
    ck_assert_int_eq(bed_run(&b, "uncertainty", "mode=mnlp", 4), ALCORE_E_MISSING);
    bed_close(&b);
    bed_open(&b, 1, 1, NULL);
    column = bed_column(&b, pool(), "probs", vector_doubles(vector_input(&softmax, "logits"), NULL),
                        1, 3, ALCORE_FLOAT64);
    column->meaning = ALCORE_MEANS_LOGITS;
    bed_run(&b, "margin", "", 1);
    vector_near(bed_record(&b, "margin"), vector_expected(&softmax, "margin"), 1e-12);
    bed_close(&b);
}
END_TEST

START_TEST(tokens) {
    static const struct {
        const char *name, *params;
    } modes[] = {{"margin-min", ""},
                 {"mnlp", "mode=mnlp"},
                 {"margin-mean", "mode=margin-mean"},
                 {"margin-min of logarithms", "margin=log"},
                 {"lc", "mode=lc"},
                 {"entropy", "mode=entropy"}};
    test_vector known = vector_find("scores", "TV-TOK");
    vector_case first = vector_case_number(known, 0);
    const json_t *given = vector_input(&first, "token_probs");
    bed_open(&b, 3, 1, NULL);
    bed_ragged(&b, "token_probs", vector_doubles(given, NULL), vector_offsets(given, NULL), 3, 3,
               ALCORE_FLOAT64);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        vector_case one = vector_case_named(known, modes[i].name);
        ck_assert_int_eq(bed_run(&b, "uncertainty", modes[i].params, 3), ALCORE_OK);
        vector_near(b.outcome.scores, vector_expected(&one, "u"), 1e-12);
        if (json_object_get(one.expected, "raw"))
            vector_near(bed_record(&b, "raw"), vector_expected(&one, "raw"), 1e-12);
        if (json_object_get(one.expected, "order")) expect_picks(&one, "order");
    }
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-vectors", topk, draws, strata, huds, huds_without_range, scales,
            small_strata_use_the_global_centroid, lambda_schedule, kmeans, one_cluster_has_the_mean,
            likelihoods, nsp_saturates_in_nnll_order, meanings_of_scores, idds, kcenter,
            kcenter_measures_from_the_labeled_pool, classes, tokens);
