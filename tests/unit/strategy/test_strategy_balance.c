/* SPDX-License-Identifier: Apache-2.0 */
/* Several target languages under balance_targets=1 (spec 7.1, 7.5, 7.6): TV-KNN-BALANCED and
 * TV-UNCKNN-BALANCED, both hybrids against a search that computes every distance and spends the
 * budget by hand, and the five target configurations of DeMuX. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_bed.h"
#include "check_suite.h"
#include "demux_bed.h"

static bed b;

/* ---- vectors ---- */

static int compare_tags(const void *x, const void *y) {
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Opens a pool with the points, the uncertainty, the target and its languages of a vector. */
static void open_points(const vector_case *one) {
    static int32_t language[16];
    const char *tags[16];
    int64_t targets = demux_bed_open(&b, one), tag_count = 0;
    const json_t *list = vector_input(one, "target_languages");
    ck_assert_int_eq(vector_length(list), targets);
    for (int64_t t = 0; t < targets; t++)
        tags[t] = json_string_value(json_array_get(list, (size_t)t));
    qsort(tags, (size_t)targets, sizeof *tags, compare_tags);
    for (int64_t t = 0; t < targets; t++) {
        if (t == 0 || strcmp(tags[t], tags[tag_count - 1]) != 0) tags[tag_count++] = tags[t];
    }
    for (int64_t t = 0; t < targets; t++) {
        language[t] = 0;
        while (strcmp(tags[language[t]], json_string_value(json_array_get(list, (size_t)t))) != 0)
            language[t]++;
    }
    b.input.target_languages = language;
    b.input.target_language_count = tag_count;
}

START_TEST(knn_uncertainty_vectors) {
    test_vector all = vector_find("multilingual", "TV-KNN-BALANCED");
    for (int64_t c = 0; c < vector_case_count(all); c++) {
        vector_case one = vector_case_number(all, c);
        char params[64] = "balance_targets=1";
        int64_t bought, near;
        open_points(&one);
        if (vector_has_input(&one, "k"))
            snprintf(params, sizeof params, "balance_targets=1 k=%lld%s",
                     (long long)vector_integer(vector_input(&one, "k")),
                     vector_has_input(&one, "fill_short") ? " fill_short=none" : "");
        double budget = vector_double(vector_input(&one, "b"));
        ck_assert_msg(bed_run(&b, "knn-uncertainty", params, budget) == ALCORE_OK, "%s",
                      alcore_last_error());
        demux_bed_expect_picks(&b, &one);
        vector_near(bed_fact(&b, "k"), vector_expected(&one, "k"), 0);
        vector_integers(vector_expected(&one, "union"), &near);
        ck_assert(bed_fact(&b, "near rows")[0] == (double)near);
        const int64_t *buyer = bed_record(&b, "target_language");
        const int64_t *expected = vector_integers(vector_expected(&one, "languages"), &bought);
        for (int64_t r = 0; r < b.outcome.bought.pick_count;
             r++) /* the appended ones are of none */
            ck_assert_int_eq(buyer[b.outcome.bought.picks[r]], r < bought ? expected[r] : -1);
        bed_close(&b);
    }
}
END_TEST

START_TEST(uncertainty_knn_vectors) {
    demux_bed_uncertainty_knn(&b, "TV-UNCKNN-BALANCED", "balance_targets=1", open_points);
}
END_TEST

/* ---- against every distance ---- */

/* Two blocks of candidate rows and two of target rows. Of the six language tags, tag 1 has no
 * target row and tag 3 only masked ones, so that four languages take part, with 30, 12, 5 and 1
 * rows. */
enum { ROWS = 9000, DIMS = 3, TARGETS = 8200, TAGS = 6, K_MAX = 256 };

static float source[ROWS * DIMS], target[TARGETS * DIMS];
static double u[ROWS], costs[ROWS];
static uint8_t target_mask[TARGETS];
static int32_t language[TARGETS];
static const int32_t ACTIVE[] = {0, 2, 4, 5};
enum { LANGUAGES = 4 };

static void make_data(void) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 11);
    for (int64_t i = 0; i < ROWS; i++) {
        u[i] = floor(40 * alcore__rng_f64(&rng)); /* many ties */
        costs[i] = (double)alcore__rng_below(&rng, 9);
        for (int64_t j = 0; j < DIMS; j++) /* a grid, so that distances are equal too */
            source[i * DIMS + j] = (float)alcore__rng_below(&rng, 24);
    }
    for (int64_t t = 0; t < TARGETS; t++) {
        int64_t number = t < 40 ? t : t - (TARGETS - 48); /* rows 0 to 39 and the last eight */
        target_mask[t] = number >= 0 && number < 48;
        language[t] = !target_mask[t] ? 3 : number < 30 ? 4 : number < 42 ? 0 : number < 47 ? 5 : 2;
        for (int64_t j = 0; j < DIMS; j++) /* the languages overlap */
            target[t * DIMS + j] = (float)(2 * language[t]) + (float)alcore__rng_below(&rng, 8);
    }
}

static void open_many(int32_t threads) {
    make_data();
    bed_open(&b, ROWS, threads, NULL);
    for (int64_t i = 0; i < ROWS; i++) b.mask[i] = i % 7 != 3;
    bed_column(&b, &b.input.candidates, "scores", u, ROWS, 1, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "embeddings", source, ROWS, DIMS, ALCORE_FLOAT32);
    bed_column(&b, &b.input.target, "embeddings", target, TARGETS, DIMS, ALCORE_FLOAT32);
    b.input.target.mask = target_mask;
    b.input.target_languages = language;
    b.input.target_language_count = TAGS;
}

static double sq_dist_of(int64_t row, int64_t t) {
    double sum = 0;
    for (int64_t j = 0; j < DIMS; j++) {
        double difference = (double)source[row * DIMS + j] - (double)target[t * DIMS + j];
        sum += difference * difference;
    }
    return sum;
}

static double cost_of(int64_t row) {
    return b.input.costs ? costs[row] : 1;
}

/* What qsort() compares: rows by key ascending, then uncertainty descending, then row. */
static double key[ROWS];

static int compare_rows(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, c = *(const int64_t *)y;
    if (key[a] != key[c]) return key[a] < key[c] ? -1 : 1;
    if (u[a] != u[c]) return u[a] > u[c] ? -1 : 1;
    return (a > c) - (a < c);
}

static int compare_neighbors(const void *x, const void *y) {
    int64_t a = *(const int64_t *)x, c = *(const int64_t *)y;
    if (key[a] != key[c]) return key[a] < key[c] ? -1 : 1;
    return (a > c) - (a < c);
}

/* All candidates in the order of a comparison of key; returns their number. */
static int64_t sort_candidates(int64_t *out, int (*compare)(const void *, const void *)) {
    int64_t count = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        if (b.mask[i]) out[count++] = i;
    }
    qsort(out, (size_t)count, sizeof *out, compare);
    return count;
}

/* What is expected: the lists of the languages, and what is bought of them. */
static int64_t lists[LANGUAGES][ROWS], list_count[LANGUAGES];
static int64_t picks[ROWS], pick_count;
static int32_t buyer[ROWS]; /* by rank: the tag for which the pick was bought; -1: none */
static double spent;

/* One offer, as docs/spec/budgets.md says; false: nothing more can be bought. */
static bool offer(int64_t row, int32_t tag, double budget, double *language_spent) {
    double cost = cost_of(row);
    if (!(cost > 0)) return true;
    if (spent + cost > budget && b.input.fill.policy == ALCORE__FILL_STOP) return false;
    if (spent + cost > budget && b.input.fill.policy == ALCORE__FILL_SKIP) return true;
    buyer[pick_count] = tag;
    picks[pick_count++] = row;
    spent += cost;
    if (language_spent) *language_spent += cost;
    return spent < budget;
}

/* Buys in turns; true: the budget has something left and the lists are used up. */
static bool buy_in_turns(double budget) {
    static uint8_t offered[ROWS];
    double language_spent[LANGUAGES] = {0};
    memset(offered, 0, sizeof offered);
    pick_count = 0;
    spent = 0;
    for (;;) {
        int turn = -1;
        int64_t row = -1;
        for (int l = 0; l < LANGUAGES; l++) {
            int64_t i = 0;
            while (i < list_count[l] && offered[lists[l][i]]) i++;
            if (i == list_count[l] || (turn >= 0 && language_spent[l] >= language_spent[turn]))
                continue;
            turn = l;
            row = lists[l][i];
        }
        if (turn < 0) return true;
        offered[row] = 1;
        if (!offer(row, ACTIVE[turn], budget, &language_spent[turn])) return false;
    }
}

static void expect_outcome(const char *strategy, const char *params, double budget, bool in_turns) {
    ck_assert_msg(bed_run(&b, strategy, params, budget) == ALCORE_OK, "%s", alcore_last_error());
    ck_assert_int_eq(b.outcome.bought.pick_count, pick_count);
    bed_expect_picks(&b, pick_count, picks);
    ck_assert(b.outcome.bought.spent == spent);
    const int64_t *tag = in_turns ? bed_record(&b, "target_language") : NULL;
    for (int64_t r = 0; tag && r < pick_count; r++)
        ck_assert_int_eq(tag[b.outcome.bought.picks[r]], buyer[r]);
}

/* Sets the list of a language to its N_k, k doubled from 1 until N_k costs more than its share, and
 * marks the rows of it in `near`; returns k. neighbors [TARGETS]: those of each target. */
static int64_t list_neighbors(int l, double share, int64_t fixed_k, int64_t (*neighbors)[K_MAX],
                              uint8_t *near) {
    static uint8_t mine[ROWS];
    for (int64_t k = fixed_k ? fixed_k : 1;; k *= 2) {
        double cost = 0;
        memset(mine, 0, sizeof mine);
        for (int64_t t = 0; t < TARGETS; t++) {
            if (!target_mask[t] || language[t] != ACTIVE[l]) continue;
            for (int64_t i = 0; i < k; i++) mine[neighbors[t][i]] = 1;
        }
        for (int64_t i = 0; i < ROWS; i++) cost += mine[i] ? cost_of(i) : 0;
        if (!fixed_k && !(cost > share) && k < K_MAX) continue;
        list_count[l] = 0;
        for (int64_t i = 0; i < ROWS; i++) {
            if (mine[i]) lists[l][list_count[l]++] = i;
            near[i] |= mine[i];
        }
        qsort(lists[l], (size_t)list_count[l], sizeof(int64_t), compare_rows);
        return k;
    }
}

static void expect_knn_uncertainty(double budget, int64_t fixed_k) {
    static int64_t neighbors[TARGETS][K_MAX], order[ROWS];
    static uint8_t near[ROWS];
    double k[LANGUAGES];
    for (int64_t t = 0; t < TARGETS; t++) {
        if (!target_mask[t]) continue;
        for (int64_t i = 0; i < ROWS; i++) key[i] = sq_dist_of(i, t);
        sort_candidates(order, compare_neighbors);
        memcpy(neighbors[t], order, sizeof neighbors[t]);
    }
    memset(key, 0, sizeof key); /* lists are ordered by uncertainty alone */
    memset(near, 0, sizeof near);
    for (int l = 0; l < LANGUAGES; l++)
        k[l] = (double)list_neighbors(l, budget / LANGUAGES, fixed_k, neighbors, near);
    if (buy_in_turns(budget)) {
        int64_t count = sort_candidates(order, compare_rows);
        for (int64_t i = 0; i < count; i++) {
            if (!near[order[i]] && !offer(order[i], -1, budget, NULL)) break;
        }
    }
    char params[64];
    snprintf(params, sizeof params, "balance_targets=1 k=%lld", (long long)fixed_k);
    expect_outcome("knn-uncertainty", fixed_k ? params : "balance_targets=1", budget, true);
    ck_assert_mem_eq(bed_fact(&b, "k"), k, sizeof k);
}

/* C, the most uncertain rows that cost four times the budget; returns their number. */
static int64_t find_members(double budget, int64_t *members) {
    double cost = 0;
    int64_t taken = 0;
    memset(key, 0, sizeof key);
    int64_t count = sort_candidates(members, compare_rows);
    while (taken < count && cost < 4 * budget - 1e-9) cost += cost_of(members[taken++]);
    return taken;
}

static void expect_uncertainty_knn(double budget) {
    static int64_t members[ROWS];
    int64_t count = find_members(budget, members);
    for (int l = 0; l < LANGUAGES; l++) {
        for (int64_t i = 0; i < count; i++) {
            key[members[i]] = HUGE_VAL;
            for (int64_t t = 0; t < TARGETS; t++) {
                if (!target_mask[t] || language[t] != ACTIVE[l]) continue;
                key[members[i]] = fmin(key[members[i]], sq_dist_of(members[i], t));
            }
        }
        list_count[l] = count;
        memcpy(lists[l], members, (size_t)count * sizeof *members);
        qsort(lists[l], (size_t)count, sizeof *members, compare_rows);
    }
    buy_in_turns(budget);
    expect_outcome("uncertainty-knn", "balance_targets=1", budget, true);
}

/* prox=mean: the mean of the languages' mean distances, each summed by blocks of targets. */
static void expect_means(double budget) {
    static int64_t members[ROWS];
    int64_t count = find_members(budget, members);
    for (int64_t i = 0; i < count; i++) {
        double total = 0;
        for (int l = 0; l < LANGUAGES; l++) {
            double sum = 0, block = 0, rows = 0;
            for (int64_t t = 0; t < TARGETS; t++) {
                if (t == 8192) sum += block, block = 0;
                if (!target_mask[t] || language[t] != ACTIVE[l]) continue;
                block += sqrt(sq_dist_of(members[i], t));
                rows++;
            }
            total += (sum + block) / rows;
        }
        key[members[i]] = total / LANGUAGES;
    }
    qsort(members, (size_t)count, sizeof *members, compare_rows);
    pick_count = 0;
    spent = 0;
    for (int64_t i = 0; i < count && offer(members[i], -1, budget, NULL);) i++;
    expect_outcome("uncertainty-knn", "balance_targets=1 prox=mean", budget, false);
}

/* cover=1: the visits go from language to language, and in each from row to row. */
static void expect_cover(double budget) {
    static int64_t members[ROWS], rows_of[LANGUAGES][64];
    static uint8_t offered[ROWS];
    int64_t count = find_members(budget, members), row_count[LANGUAGES] = {0};
    for (int64_t t = 0; t < TARGETS; t++) {
        for (int l = 0; l < LANGUAGES; l++) {
            if (target_mask[t] && language[t] == ACTIVE[l]) rows_of[l][row_count[l]++] = t;
        }
    }
    memset(offered, 0, sizeof offered);
    pick_count = 0;
    spent = 0;
    for (int64_t visit = 0; visit < count; visit++) {
        int l = (int)(visit % LANGUAGES);
        int64_t t = rows_of[l][visit / LANGUAGES % row_count[l]], best = -1;
        for (int64_t i = 0; i < count; i++) { /* by falling uncertainty, so that ties stay */
            if (offered[members[i]]) continue;
            if (best < 0 || sq_dist_of(members[i], t) < sq_dist_of(best, t)) best = members[i];
        }
        offered[best] = 1;
        if (!offer(best, ACTIVE[l], budget, NULL)) break;
    }
    expect_outcome("uncertainty-knn", "balance_targets=1 cover=1", budget, true);
}

/* Each loop number is a way to spend: rows, then costs under each fill policy. */
START_TEST(hybrids_are_the_plain_search) {
    static const double BUDGETS[] = {3, 50, 301};
    open_many(1 + _i);
    b.parts = _i == 2 ? 3 : 0;
    b.input.costs = _i > 0 ? costs : NULL;
    b.input.fill.policy = _i == 2   ? ALCORE__FILL_STOP
                          : _i == 3 ? ALCORE__FILL_SKIP
                                    : ALCORE__FILL_OVERSHOOT;
    for (size_t i = 0; i < sizeof BUDGETS / sizeof BUDGETS[0]; i++) {
        expect_knn_uncertainty(BUDGETS[i], 0);
        expect_uncertainty_knn(BUDGETS[i]);
        expect_means(BUDGETS[i]);
        expect_cover(BUDGETS[i]);
    }
    expect_knn_uncertainty(301, 2); /* the neighbors are used up, and others follow */
    bed_close(&b);
}
END_TEST

/* With one language, or with none, the picks are those of the pooled target. */
START_TEST(one_language_is_the_pooled_target) {
    static const char *const CASES[][2] = {{"knn-uncertainty", ""},
                                           {"knn-uncertainty", "k=3"},
                                           {"uncertainty-knn", ""},
                                           {"uncertainty-knn", "prox=mean"},
                                           {"uncertainty-knn", "cover=1"}};
    static int32_t same[TARGETS];
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        for (int languages = 0; languages < 2; languages++) {
            char params[64];
            open_many(2);
            ck_assert_int_eq(bed_run(&b, CASES[c][0], CASES[c][1], 60), ALCORE_OK);
            pick_count = b.outcome.bought.pick_count;
            for (int64_t r = 0; r < pick_count; r++) picks[r] = bed_pick(&b, r);
            ck_assert_int_eq(pick_count, 60);
            for (int64_t t = 0; t < TARGETS; t++) same[t] = 2;
            b.input.target_languages = languages ? same : NULL;
            b.input.target_language_count = languages ? 3 : 0;
            snprintf(params, sizeof params, "balance_targets=1 %s", CASES[c][1]);
            ck_assert_int_eq(bed_run(&b, CASES[c][0], params, 60), ALCORE_OK);
            bed_expect_picks(&b, pick_count, picks);
            bed_close(&b);
        }
    }
}
END_TEST

/* ---- the five configurations of the paper ---- */

enum { CONFIG_LANGUAGES = 16 };
static double language_rows[CONFIG_LANGUAGES];

/* Reads one line of target_configurations.tsv: a fortieth of its rows, at least one of each
 * language, around a point of the language's own; returns the languages, 0 at the end. */
static int read_configuration(FILE *file, int64_t *targets) {
    char line[256], list[200];
    int languages = 0;
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        ck_assert_int_eq(sscanf(line, "%*s %199s", list), 1);
        *targets = 0;
        for (char *part = strtok(list, ","); part; part = strtok(NULL, ","), languages++) {
            long long count;
            ck_assert_int_eq(sscanf(part, "%*[a-z]:%lld", &count), 1);
            int64_t first = *targets;
            for (int64_t t = first; t < first + (count + 39) / 40; t++, ++*targets) {
                language[t] = languages;
                for (int64_t j = 0; j < DIMS; j++)
                    target[t * DIMS + j] = (float)((languages * (5 + 2 * j) + 3 * j) % 24) +
                                           (float)alcore__rng_f64(&rng);
            }
            language_rows[languages] = (double)(*targets - first);
        }
        break;
    }
    return languages;
}

/* The share of the picks that each language bought: rows of the budget are shared equally, whatever
 * the languages' sizes, and the mean distance of average-dist weighs them alike. */
START_TEST(configurations_of_the_paper) {
    FILE *file = fopen(ALCORE_EXAMPLES_DIR "/data/target_configurations.tsv", "r");
    int64_t targets;
    int lines = 0;
    ck_assert_ptr_nonnull(file);
    make_data();
    for (int languages; (languages = read_configuration(file, &targets)) > 0; lines++) {
        int64_t bought[CONFIG_LANGUAGES] = {0};
        bed_open(&b, ROWS, 2, NULL);
        bed_column(&b, &b.input.candidates, "scores", u, ROWS, 1, ALCORE_FLOAT64);
        bed_column(&b, &b.input.candidates, "embeddings", source, ROWS, DIMS, ALCORE_FLOAT32);
        bed_column(&b, &b.input.target, "embeddings", target, targets, DIMS, ALCORE_FLOAT32);
        b.input.target_languages = language;
        b.input.target_language_count = languages;
        ck_assert_msg(bed_run(&b, "knn-uncertainty", "balance_targets=1", 130) == ALCORE_OK, "%s",
                      alcore_last_error());
        const int64_t *tag = bed_record(&b, "target_language");
        ck_assert_int_eq(b.outcome.bought.pick_count, 130);
        for (int64_t r = 0; r < 130; r++) bought[tag[b.outcome.bought.picks[r]]]++;
        for (int l = 0; l < languages; l++)
            ck_assert_int_eq(bought[l], 130 / languages + (l < 130 % languages));
        ck_assert_int_eq(bed_run(&b, "average-dist", "balance_targets=1 scores=all", 1), ALCORE_OK);
        const double *distance = bed_record(&b, "distance");
        for (int64_t i = 0; i < ROWS; i += 100) {
            double total = 0;
            for (int l = 0; l < languages; l++) {
                double sum = 0;
                for (int64_t t = 0; t < targets; t++)
                    if (language[t] == l) sum += sqrt(sq_dist_of(i, t));
                total += sum / language_rows[l];
            }
            ck_assert_double_eq_tol(distance[i], total / languages, 1e-9);
        }
        bed_close(&b);
    }
    fclose(file);
    ck_assert_int_eq(lines, 20);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("balance");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, knn_uncertainty_vectors);
    tcase_add_test(cases, uncertainty_knn_vectors);
    tcase_add_loop_test(cases, hybrids_are_the_plain_search, 0, 4);
    tcase_add_test(cases, one_language_is_the_pooled_target);
    tcase_add_test(cases, configurations_of_the_paper);
    return check_suite_run("strategy-balance", cases);
}
