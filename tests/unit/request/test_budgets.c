/* SPDX-License-Identifier: Apache-2.0 */
/* Several budgets from one pass, counterfactuals, prices, rows of a request, parts of another
 * context, and pools that many requests read at once. */
#include "request_test.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "npy_file.h"
#include "test_folder.h"

enum { ROWS = 60, DIMS = 3 };

/* Deterministic values in 0 .. 1 without a library. */
static double noise(int64_t i) {
    uint64_t x = (uint64_t)i * 0x9E3779B97F4A7C15u + 1;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    x ^= x >> 32;
    return (double)(x >> 11) * 0x1p-53;
}

/* Two tokens a row with their losses and log-probabilities, and round trips that lose the last word
 * of every other row. */
static void give_text_columns(alcore_pool *pool, int64_t rows) {
    int64_t tokens = 2 * rows, entries = rows + 1;
    double *losses = calloc((size_t)tokens, sizeof *losses);
    int64_t *offsets = calloc((size_t)entries, sizeof *offsets);
    const char **back = calloc((size_t)rows, sizeof *back);
    size_t *lengths = calloc((size_t)rows, sizeof *lengths);
    alcore_tensor values, starts;
    for (int64_t t = 0; t < tokens; t++) losses[t] = 3 * noise(77 + t);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = 2 * i;
    ck_assert_ok(alcore_tensor_init(&values, losses, ALCORE_FLOAT64, &tokens, 1));
    ck_assert_ok(alcore_tensor_init(&starts, offsets, ALCORE_INT64, &entries, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "mlm_losses", &values, &starts, NULL));
    for (int64_t t = 0; t < tokens; t++) losses[t] = -losses[t];
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &values, &starts, NULL));
    for (int64_t i = 0; i < rows; i++) {
        back[i] = alcore_pool_text(pool, i, &lengths[i]);
        if (i % 2) lengths[i] -= 1 + lengths[i] / 5;
    }
    ck_assert_ok(alcore_pool_set_text_column(pool, "roundtrip", back, lengths, rows, NULL));
    free(losses);
    free(offsets);
    free(back);
    free(lengths);
}

/* Two samples of a model: probabilities [rows, DIMS], and the same with the classes reversed. */
static void give_samples(alcore_pool *pool, const double *probs, int64_t rows) {
    double *samples = calloc((size_t)(2 * rows * DIMS), sizeof *samples);
    int64_t shape[3] = {2, rows, DIMS};
    alcore_tensor tensor;
    for (int64_t i = 0; i < rows * DIMS; i++) {
        samples[i] = probs[i];
        samples[rows * DIMS + i] = probs[i / DIMS * DIMS + DIMS - 1 - i % DIMS];
    }
    ck_assert_ok(alcore_tensor_init(&tensor, samples, ALCORE_FLOAT64, shape, 3));
    ck_assert_ok(alcore_pool_set_column(pool, "sample_probs", &tensor, NULL, NULL));
    free(samples);
}

/* A pool with texts of 1 to 5 words and every column that a strategy may need; scores repeat, so
 * that ties are met. */
static alcore_pool *full_pool(alcore_ctx *ctx, int64_t rows, int64_t seed) {
    alcore_pool *pool;
    double *scores = calloc((size_t)rows, sizeof *scores);
    double *vectors = calloc((size_t)(rows * DIMS), sizeof *vectors);
    double *probs = calloc((size_t)(rows * DIMS), sizeof *probs);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int64_t i = 0; i < rows; i++) {
        static const char *const words[] = {" a", " b", " c", " d"};
        char text[64];
        const char *texts[] = {text};
        int length = snprintf(text, sizeof text, "row%d", (int)(seed + i));
        for (int w = 0; w < (int)(5 * noise(seed + i)) && w < 4; w++)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s", words[w]);
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
        scores[i] = floor(8 * noise(seed + 1000 + i));
        double total = 0;
        for (int d = 0; d < DIMS; d++) {
            vectors[i * DIMS + d] = noise(seed + 7 * (i * DIMS + d) + 5000);
            probs[i * DIMS + d] = 0.1 + noise(seed + 3 * (i * DIMS + d) + 9000);
            total += probs[i * DIMS + d];
        }
        for (int d = 0; d < DIMS; d++) probs[i * DIMS + d] /= total;
    }
    give(pool, "scores", scores, rows, 1);
    give(pool, "embeddings", vectors, rows, DIMS);
    give(pool, "probs", probs, rows, DIMS);
    give_samples(pool, probs, rows);
    give_text_columns(pool, rows);
    free(scores);
    free(vectors);
    free(probs);
    return pool;
}

typedef struct bed {
    alcore_ctx *ctx;
    alcore_pool *pool, *labeled, *target;
} bed;

static bed open_bed(void) {
    bed b = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &b.ctx));
    b.pool = full_pool(b.ctx, ROWS, 0);
    b.labeled = full_pool(b.ctx, 5, 100000);
    b.target = full_pool(b.ctx, 7, 200000);
    return b;
}

static void close_bed(bed *b) {
    alcore_pool_unref(b->pool);
    alcore_pool_unref(b->labeled);
    alcore_pool_unref(b->target);
    alcore_ctx_unref(b->ctx);
}

static alcore_request *full_request(const bed *b, const char *strategy, const char *budget) {
    alcore_request *request = request_for(b->ctx, b->pool, strategy, budget);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, b->labeled));
    give_ngram(b->ctx, request, b->labeled);
    if (alcore_strategy_builtin_needs(strategy, ALCORE_ROLE_TARGET, 0))
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, b->target));
    return request;
}

static void ck_same(const alcore_selection *one, const alcore_selection *other, const char *what) {
    ck_assert_msg(alcore_selection_count(one) == alcore_selection_count(other),
                  "%s: %d and %d picks", what, (int)alcore_selection_count(one),
                  (int)alcore_selection_count(other));
    for (int64_t k = 0; k < alcore_selection_count(one); k++) {
        ck_assert_msg(alcore_selection_rows(one)[k] == alcore_selection_rows(other)[k],
                      "%s: rank %d", what, (int)k);
        ck_assert_str_eq(alcore_selection_reason(one, k), alcore_selection_reason(other, k));
    }
    ck_assert_double_eq(alcore_selection_spent(one), alcore_selection_spent(other));
    ck_assert_uint_eq(alcore_selection_flags(one), alcore_selection_flags(other));
}

/* Each of several budgets buys what it would buy alone, whatever the strategy and the rules. */
START_TEST(several_budgets_equal_each_alone) {
    static const char *const amounts[] = {"9w", "40w", "3w", "400w", "17w"};
    static const char *const fills[] = {"overshoot", "stop", "skip"};
    bed b = open_bed();
    const char *strategy;
    for (int32_t s = 0; (strategy = alcore_strategy_builtin_name(s)) != NULL; s++) {
        for (int32_t variant = 0; variant < 6; variant++) {
            alcore_request *request = full_request(&b, strategy, "9w,40w,3w,400w,17w");
            ck_assert_ok(alcore_request_set(request, "fill", fills[variant % 3]));
            if (variant >= 3) {
                ck_assert_ok(alcore_request_set(request, "max_similarity", "0.97"));
                ck_assert_ok(alcore_request_set(request, "tie", "random"));
            }
            alcore_selection *all = selected(request);
            ck_assert_int_eq(alcore_selection_budget_count(all), 5);
            for (int64_t i = 0; i < 5; i++) {
                char what[64];
                snprintf(what, sizeof what, "%s %s %s", strategy, fills[variant % 3], amounts[i]);
                ck_assert_ok(alcore_request_set(request, "budget", amounts[i]));
                alcore_selection *alone = selected(request);
                ck_same(alcore_selection_of_budget(all, i), alone, what);
                ck_assert_double_eq(alcore_selection_budget(alcore_selection_of_budget(all, i)),
                                    alcore_selection_budget(alone));
                alcore_selection_unref(alone);
            }
            ck_assert_ptr_null(alcore_selection_of_budget(all, 5));
            ck_assert_ptr_null(alcore_selection_of_budget(all, -1));
            alcore_selection_unref(all);
            alcore_request_unref(request);
        }
    }
    close_bed(&b);
}
END_TEST

/* A selection that was kept outlives the one that it was shown by. */
START_TEST(a_budget_may_be_kept_by_itself) {
    bed b = open_bed();
    alcore_request *request = full_request(&b, "huds", "3,5");
    alcore_selection *all = selected(request);
    alcore_selection *second = alcore_selection_ref(alcore_selection_of_budget(all, 1));
    ck_assert_ptr_eq(alcore_selection_of_budget(all, 0), all);
    alcore_selection_unref(all);
    ck_assert_int_eq(alcore_selection_count(second), 5);
    ck_assert_int_eq(alcore_selection_budget_count(second), 1);
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(second), "spent 5 of 5 items"));
    alcore_selection_unref(second);
    alcore_request_unref(request);
    close_bed(&b);
}
END_TEST

START_TEST(a_pool_without_candidates_has_every_budget) {
    bed b = open_bed();
    alcore_request *request = full_request(&b, "huds", "3,0,5");
    static const int64_t none[] = {0};
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, none, 0));
    alcore_selection *all = selected(request);
    static const uint32_t flags[] = {ALCORE_SELECTION_SHORT, 0, ALCORE_SELECTION_SHORT};
    ck_assert_int_eq(alcore_selection_budget_count(all), 3);
    for (int64_t i = 0; i < 3; i++)
        ck_assert_uint_eq(alcore_selection_flags(alcore_selection_of_budget(all, i)), flags[i]);
    alcore_selection_unref(all);
    alcore_request_unref(request);
    close_bed(&b);
}
END_TEST

/* "... alone would have made": the twin runs that strategy for real under the same rules and counts
 * the picks in common. */
static int64_t common_picks(const bed *b, const alcore_selection *picked, const char *strategy,
                            const char *const options[][2], int32_t option_count) {
    alcore_request *request = full_request(b, strategy, options[0][1]);
    int64_t common = 0;
    for (int32_t i = 0; i < option_count; i++)
        ck_assert_ok(alcore_request_set(request, options[i][0], options[i][1]));
    alcore_selection *alone = selected(request);
    for (int64_t k = 0; k < alcore_selection_count(picked); k++)
        for (int64_t j = 0; j < alcore_selection_count(alone); j++)
            common += alcore_selection_rows(picked)[k] == alcore_selection_rows(alone)[j];
    alcore_selection_unref(alone);
    alcore_request_unref(request);
    return common;
}

START_TEST(counterfactuals_run_through_the_real_budget) {
    static const char *const variants[][4][2] = {
        {{"budget", "20w"}, {"fill", "overshoot"}, {"tie", "index"}, {"max_similarity", "off"}},
        {{"budget", "21w"}, {"fill", "stop"}, {"tie", "random"}, {"max_similarity", "off"}},
        {{"budget", "33w"}, {"fill", "skip"}, {"tie", "random"}, {"max_similarity", "0.9"}},
        {{"budget", "8"}, {"fill", "overshoot"}, {"tie", "index"}, {"max_similarity", "0.8"}},
    };
    bed b = open_bed();
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        alcore_request *request = full_request(&b, "huds", "1");
        for (int32_t i = 0; i < 4; i++)
            ck_assert_ok(alcore_request_set(request, variants[v][i][0], variants[v][i][1]));
        alcore_selection *picked = selected(request);
        json_t *root = json_loads(alcore_selection_provenance(picked), 0, NULL);
        json_t *terms = json_object_get(root, "terms");
        json_t *uncertainty = json_object_get(terms, "uncertainty");
        json_t *diversity = json_object_get(terms, "diversity");
        ck_assert_str_eq(json_string_value(json_object_get(uncertainty, "alone")), "given_scores");
        ck_assert_int_eq(json_integer_value(json_object_get(uncertainty, "also")),
                         common_picks(&b, picked, "nnll", variants[v], 4));
        ck_assert_str_eq(json_string_value(json_object_get(diversity, "alone")), "diversity");
        ck_assert_int_eq(json_integer_value(json_object_get(diversity, "also")),
                         common_picks(&b, picked, "diversity", variants[v], 4));
        ck_assert_ptr_nonnull(
            strstr(alcore_selection_summary(picked), "the given scores alone would have made"));
        json_decref(root);
        alcore_selection_unref(picked);
        alcore_request_unref(request);
    }
    close_bed(&b);
}
END_TEST

/* Without given scores the counterfactual is named after the score that was computed. */
START_TEST(the_score_that_was_used_is_named) {
    bed b = open_bed();
    alcore_request *request = full_request(&b, "huds", "4");
    ck_assert_ok(alcore_pool_drop_column(b.pool, "scores"));
    alcore_selection *picked = selected(request);
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(picked), "nnll alone would have made"));
    ck_assert_ptr_null(strstr(alcore_selection_summary(picked), "given scores"));
    alcore_selection_unref(picked);
    alcore_request_unref(request);
    close_bed(&b);
}
END_TEST

/* Scores that a model made were not given either. */
START_TEST(scores_of_a_model_are_not_given) {
    bed b = open_bed();
    char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 16];
    float scores[ROWS];
    const int64_t rows = ROWS;
    alcore_model *model;
    test_folder_make(folder, "budgets");
    snprintf(path, sizeof path, "%s/scores.npy", folder);
    for (int64_t i = 0; i < ROWS; i++) scores[i] = (float)noise(i);
    ck_assert_ok(npy_file_write(b.ctx, path, ALCORE_FLOAT32, 1, &rows, scores));
    ck_assert_ok(alcore_model_open(b.ctx, folder, NULL, &model));
    alcore_request *request = full_request(&b, "huds", "4");
    ck_assert_ok(alcore_pool_drop_column(b.pool, "scores"));
    ck_assert_ok(alcore_pool_drop_column(b.pool, "logprobs"));
    ck_assert_ok(alcore_request_set_model(request, model));
    alcore_selection *picked = selected(request);
    const char *summary = alcore_selection_summary(picked);
    ck_assert_ptr_nonnull(strstr(summary, "scores: model "));
    ck_assert_ptr_nonnull(strstr(summary, "nnll alone would have made"));
    ck_assert_ptr_null(strstr(summary, "given scores"));
    alcore_selection_unref(picked);
    alcore_request_unref(request);
    alcore_model_unref(model);
    close_bed(&b);
    test_folder_remove(folder);
}
END_TEST

START_TEST(prices_are_told) {
    bed b = open_bed();
    alcore_request *request = full_request(&b, "random", "7");
    alcore_selection *picked = selected(request);
    ck_assert(isnan(alcore_selection_amount(picked)));
    ck_assert_ptr_null(strstr(alcore_selection_summary(picked), "price"));
    alcore_selection_unref(picked);
    ck_assert_ok(alcore_request_set(request, "price", "1234.5EUR/i"));
    picked = selected(request);
    ck_assert_double_eq(alcore_selection_amount(picked), 7 * 1234.5);
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_summary(picked), "price: 8,641.50 EUR at 1234.5 an item\n"));
    json_t *root = json_loads(alcore_selection_provenance(picked), 0, NULL);
    json_t *price = json_object_get(root, "price");
    ck_assert_str_eq(json_string_value(json_object_get(price, "currency")), "EUR");
    ck_assert_double_eq(json_number_value(json_object_get(price, "total")), 7 * 1234.5);
    json_decref(root);
    alcore_selection_unref(picked);
    ck_assert_ok(alcore_request_set(request, "budget", "9w"));
    ck_assert_ok(alcore_request_set(request, "fill", "stop"));
    ck_assert_ok(alcore_request_set(request, "price", "0.5/w"));
    picked = selected(request);
    ck_assert_double_eq(alcore_selection_amount(picked), 0.5 * alcore_selection_spent(picked));
    ck_assert_double_gt(alcore_selection_spent(picked), (double)alcore_selection_count(picked));
    alcore_selection_unref(picked);
    ck_assert_ok(alcore_request_set(request, "budget", "7"));
    ck_assert_ok(alcore_request_set(request, "price", "2/u")); /* the rows have no cost */
    picked = selected(request);
    ck_assert(isnan(alcore_selection_amount(picked)));
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(picked), "price: not known"));
    alcore_selection_unref(picked);
    ck_assert_fails(alcore_request_set(request, "price", "2 parrots"), ALCORE_E_PARAM, "0.1773/w");
    alcore_request_unref(request);
    close_bed(&b);
}
END_TEST

START_TEST(rows_belong_to_the_request) {
    static const int64_t some[] = {9, 3, 30, 12}, two[] = {3, 12}, beyond[] = {ROWS},
                         below[] = {-1};
    bed b = open_bed();
    alcore_request *one = full_request(&b, "nnll", "60"), *other = full_request(&b, "nnll", "60");
    ck_assert_ok(alcore_request_set_rows(one, ALCORE_ROWS_ELIGIBLE, some, 4));
    ck_assert_ok(alcore_request_set_rows(one, ALCORE_ROWS_EXCLUDED, two, 2));
    ck_assert_ok(alcore_request_set_rows(other, ALCORE_ROWS_LABELED, two, 2));
    alcore_selection *few = selected(one), *many = selected(other);
    ck_assert_int_eq(alcore_selection_count(few), 2);
    ck_assert_int_eq(alcore_selection_rows(few)[0] + alcore_selection_rows(few)[1], 39);
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(few), "56 not among the eligible"));
    ck_assert_int_eq(alcore_selection_count(many), ROWS - 2);
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(many), "2 labeled"));
    for (int64_t row = 0; row < ROWS; row++)
        ck_assert_uint_eq(alcore_pool_states(b.pool)[row], 0); /* the pool stays as it was */
    alcore_tensor rows;
    ck_assert_ok(alcore_request_get_rows(one, ALCORE_ROWS_ELIGIBLE, &rows));
    ck_assert_int_eq(rows.shape[0], 4);
    ck_assert_mem_eq(rows.data, some, sizeof some);
    ck_assert_fails(alcore_request_get_rows(other, ALCORE_ROWS_ELIGIBLE, &rows), ALCORE_E_NOT_FOUND,
                    "names");
    ck_assert_ok(alcore_request_set_rows(one, ALCORE_ROWS_ELIGIBLE, NULL, 0));
    alcore_selection_unref(few);
    few = selected(one);
    ck_assert_int_eq(alcore_selection_count(few), ROWS - 2);
    ck_assert_ok(alcore_request_set_rows(one, ALCORE_ROWS_ELIGIBLE, beyond, 1));
    alcore_selection *none;
    ck_assert_fails(alcore_select(one, &none), ALCORE_E_NOT_FOUND, "no row 60");
    ck_assert_ok(alcore_request_set_rows(one, ALCORE_ROWS_ELIGIBLE, below, 1));
    ck_assert_fails(alcore_select(one, &none), ALCORE_E_NOT_FOUND, "no row -1");
    ck_assert_fails(alcore_request_set_rows(one, 5, two, 2), ALCORE_E_INVALID, "no kind 5");
    ck_assert_fails(alcore_request_set_rows(one, ALCORE_ROWS_ELIGIBLE, two, -1), ALCORE_E_INVALID,
                    "count");
    alcore_selection_unref(few);
    alcore_selection_unref(many);
    alcore_request_unref(one);
    alcore_request_unref(other);
    close_bed(&b);
}
END_TEST

START_TEST(rows_are_read_from_files_of_ids) {
    bed b = open_bed();
    alcore_request *request = full_request(&b, "nnll", "60");
    char path[TEST_PATH_BYTES];
    test_file_make(path, "ids", ".tsv", "id\n5\n17\n\n999\n");
    ck_assert_ok(alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, path));
    alcore_tensor rows;
    ck_assert_ok(alcore_request_get_rows(request, ALCORE_ROWS_EXCLUDED, &rows));
    ck_assert_int_eq(rows.shape[0], 2); /* ids are line numbers from 1; 999 is skipped */
    ck_assert_int_eq(((const int64_t *)rows.data)[0], 4);
    ck_assert_int_eq(((const int64_t *)rows.data)[1], 16);
    ck_assert_fails(alcore_request_read_rows(request, ALCORE_ROWS_ELIGIBLE, path),
                    ALCORE_E_NOT_FOUND, ".tsv:5: the pool has no id '999'");
    ck_assert_fails(alcore_request_get_rows(request, ALCORE_ROWS_ELIGIBLE, &rows),
                    ALCORE_E_NOT_FOUND, "");
    char objects[TEST_PATH_BYTES];
    test_file_make(objects, "ids", ".jsonl", "{\"id\": \"8\", \"text\": \"9\"}\n");
    ck_assert_ok(alcore_request_read_rows(request, ALCORE_ROWS_ELIGIBLE, objects));
    ck_assert_ok(alcore_request_get_rows(request, ALCORE_ROWS_ELIGIBLE, &rows));
    ck_assert_int_eq(rows.shape[0], 1); /* of the field "id", not of the text */
    ck_assert_int_eq(((const int64_t *)rows.data)[0], 7);
    unlink(objects);
    ck_assert_fails(alcore_request_set(request, "budget", "5w,7i"), ALCORE_E_PARAM,
                    "the same unit");
    ck_assert_fails(alcore_request_set(request, "budget", "5w,7w,5w"), ALCORE_E_PARAM, "twice");
    /* The amounts are compared, not their texts: a selection is found by its amount. */
    ck_assert_fails(alcore_request_set(request, "budget", "5 words, 5.0w"), ALCORE_E_PARAM,
                    "twice");
    ck_assert_fails(alcore_request_read_rows(request, ALCORE_ROWS_ELIGIBLE, "/nowhere/at/all"),
                    ALCORE_E_IO, "/nowhere/at/all");
    unlink(path);
    alcore_request_unref(request);
    close_bed(&b);
}
END_TEST

/* Files of ids have the formats of a pool: JSON lines have two suffixes, suffixes are compared
 * without regard to case, and a message has the line of the file, blank lines counted. */
START_TEST(ids_have_the_formats_of_a_pool) {
    static const char *const suffixes[] = {".ndjson", ".JSONL", ".TSV", ".csv"};
    bed b = open_bed();
    alcore_request *request = full_request(&b, "nnll", "60");
    for (int i = 0; i < 4; i++) {
        char path[TEST_PATH_BYTES];
        alcore_tensor rows;
        test_file_make(path, "ids", suffixes[i],
                       i < 2
                           ? "{\"id\": \"8\", \"text\": \"9\"}\n\n{\"id\": 999, \"text\": \"1\"}\n"
                       : i == 2 ? "text\tid\n9\t8\n1\t999\n"
                                : "text,id\n9,8\n1,999\n");
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, NULL, 0));
        ck_assert_ok(alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, path));
        ck_assert_ok(alcore_request_get_rows(request, ALCORE_ROWS_EXCLUDED, &rows));
        ck_assert_int_eq(rows.shape[0], 1);
        ck_assert_int_eq(((const int64_t *)rows.data)[0], 7);
        ck_assert_fails(alcore_request_read_rows(request, ALCORE_ROWS_ELIGIBLE, path),
                        ALCORE_E_NOT_FOUND, ":3: the pool has no id '999'");
        unlink(path);
    }
    alcore_request_unref(request);
    close_bed(&b);
}
END_TEST

/* Files that are records of a pool but have no ids. */
START_TEST(files_without_ids_are_refused) {
    static const char *const suffixes[] = {".conll", ".CONLLU", ".bio", ".sgm", ".xml"};
    bed b = open_bed();
    alcore_request *request = full_request(&b, "nnll", "60");
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[TEST_PATH_BYTES];
        test_file_make(path, "ids", suffixes[i], "5\tO\n\n");
        ck_assert_fails(alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, path),
                        ALCORE_E_DATA,
                        "a list of ids is expected: a .tsv or .csv with the column id");
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), i < 3 ? "tagged" : "marked"));
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), path));
        unlink(path);
    }
    alcore_request_unref(request);
    close_bed(&b);
}
END_TEST

START_TEST(ids_are_valid_utf8) {
    bed b = open_bed();
    alcore_request *request = full_request(&b, "nnll", "60");
    char path[TEST_PATH_BYTES];
    test_file_make(path, "ids", ".txt", "5\n1\xff\n");
    ck_assert_fails(alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, path), ALCORE_E_DATA,
                    ".txt:2: the id is not valid UTF-8 at byte 1");
    unlink(path);
    alcore_request_unref(request);
    close_bed(&b);
}
END_TEST

START_TEST(parts_of_another_context_are_refused) {
    bed b = open_bed();
    alcore_ctx *foreign;
    alcore_strategy *strategy;
    alcore_model *model;
    ck_assert_ok(alcore_ctx_new(NULL, &foreign));
    alcore_pool *pool = numbered_pool(foreign, 3);
    alcore_request *request = full_request(&b, "random", "3");
    ck_assert_ok(alcore_strategy_new(foreign, "nnll", &strategy));
    ck_assert_ok(alcore_model_new_ngram(foreign, NULL, NULL, &model));
    for (int32_t role = ALCORE_ROLE_CANDIDATES; role <= ALCORE_ROLE_TARGET; role++)
        ck_assert_fails(alcore_request_set_pool(request, role, pool), ALCORE_E_INVALID,
                        "pool belongs to another context");
    ck_assert_fails(alcore_request_set_strategy(request, strategy), ALCORE_E_INVALID,
                    "another context");
    ck_assert_fails(alcore_request_set_model(request, model), ALCORE_E_INVALID, "another context");
    alcore_selection_unref(selected(request)); /* it is as it was */
    alcore_strategy_unref(strategy);
    alcore_model_unref(model);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(foreign);
    close_bed(&b);
}
END_TEST

/* Selecting with ready columns only reads the pools. */
static void *select_often(void *data) {
    const bed *b = data;
    intptr_t failures = 0;
    for (int i = 0; i < 40; i++) {
        alcore_request *request;
        alcore_selection *picked = NULL;
        static const int64_t some[] = {1, 2, 3, 5, 8, 13, 21, 34};
        failures += alcore_request_new(b->ctx, &request) != ALCORE_OK;
        failures += alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, b->pool) != ALCORE_OK;
        failures += alcore_request_set_pool(request, ALCORE_ROLE_LABELED, b->labeled) != ALCORE_OK;
        failures += alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, some, 8) != ALCORE_OK;
        failures += alcore_request_set(request, "budget", "5") != ALCORE_OK;
        failures +=
            alcore_request_set(request, "masks", "none") != ALCORE_OK; /* "row1 a", "row2 a" */
        failures += alcore_select(request, &picked) != ALCORE_OK;
        failures += alcore_selection_count(picked) != 5;
        alcore_selection_unref(picked);
        alcore_request_unref(request);
    }
    return (void *)failures;
}

START_TEST(many_requests_read_one_pool_at_once) {
    bed b = open_bed();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, select_often, &b), 0);
    for (int i = 0; i < 4; i++) {
        void *failures;
        pthread_join(threads[i], &failures);
        ck_assert_ptr_null(failures);
    }
    close_bed(&b);
}
END_TEST

static char *report_of(const alcore_selection *picked, const alcore_report_options *options) {
    char path[TEST_PATH_BYTES];
    test_file_make(path, "report", ".html", "");
    ck_assert_ok(alcore_selection_report(picked, path, options));
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    char *text = calloc(1, 1 << 18);
    ck_assert_uint_gt(fread(text, 1, (1 << 18) - 1, file), 0);
    fclose(file);
    unlink(path);
    return text;
}

static int64_t count_of(const char *text, const char *part) {
    int64_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) count++;
    return count;
}

START_TEST(the_page_carries_its_pictures) {
    bed b = open_bed();
    alcore_request *request = full_request(&b, "huds", "9");
    alcore_selection *picked = selected(request);
    char *text = report_of(picked, NULL);
    ck_assert_int_eq(count_of(text, "<svg"), 3);
    ck_assert_int_eq(count_of(text, "</svg>"), 3);
    ck_assert_int_eq(count_of(text, "<circle"), 9 + 1); /* the picks, and one in the legend */
    ck_assert_int_eq(count_of(text, "l4 4m0 -4l-4 4"), ROWS - 9 + 1);
    /* Nothing is loaded: the only address is the name of SVG itself. */
    ck_assert_int_eq(count_of(text, "http"),
                     count_of(text, "xmlns=\"http://www.w3.org/2000/svg\""));
    ck_assert_int_eq(count_of(text, "src="), 0);
    free(text);
    alcore_report_options options = ALCORE_REPORT_OPTIONS_INIT;
    options.kind = ALCORE_REPORT_MARKDOWN;
    text = report_of(picked, &options);
    ck_assert_ptr_nonnull(strstr(text, "# Selection by huds"));
    ck_assert_int_eq(count_of(text, "<svg"), 0);
    free(text);
    options.reserved = 1;
    ck_assert_fails(alcore_selection_report(picked, "/tmp/none.html", &options),
                    ALCORE_E_STRUCT_NEWER, "reserved");
    options.size = 0;
    ck_assert_fails(alcore_selection_report(picked, "/tmp/none.html", &options),
                    ALCORE_E_STRUCT_UNSET, "alcore_report_options");
    alcore_write_options written = ALCORE_WRITE_OPTIONS_INIT;
    written.reserved = 1;
    ck_assert_fails(alcore_selection_write(picked, "/tmp/none.tsv", &written),
                    ALCORE_E_STRUCT_NEWER, "reserved");
    written.size = 0;
    ck_assert_fails(alcore_selection_write(picked, "/tmp/none.tsv", &written),
                    ALCORE_E_STRUCT_UNSET, "alcore_write_options");
    alcore_selection_unref(picked);
    alcore_request_unref(request);
    close_bed(&b);
}
END_TEST

/* The library names no flag of the command and no function of its own in what it tells users. */
START_TEST(texts_name_no_flag_and_no_function) {
    bed b = open_bed();
    alcore_request *request = full_request(&b, "huds", "4w"), *empty;
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    alcore_selection *picked = selected(request);
    const char *summary = alcore_selection_summary(picked);
    ck_assert_msg(!strstr(summary, "--") && !strstr(summary, "-p ") && !strstr(summary, "alcore_"),
                  "%s", summary);
    ck_assert_ok(alcore_request_new(b.ctx, &empty));
    alcore_selection *none;
    ck_assert_fails(alcore_select(empty, &none), ALCORE_E_INVALID, "no pool");
    ck_assert_ptr_null(strstr(alcore_last_error(), "alcore_"));
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_str_eq(remedy.name, "candidates");
    ck_assert_ok(alcore_request_set_pool(empty, ALCORE_ROLE_CANDIDATES, b.pool));
    ck_assert_int_eq(alcore_last_remedy(&remedy), 0); /* gone with the error */
    ck_assert_fails(alcore_select(empty, &none), ALCORE_E_PARAM, "no budget");
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_OPTION);
    ck_assert_str_eq(remedy.name, "budget");
    remedy.size = 0;
    ck_assert_int_eq(alcore_last_remedy(&remedy), 0);
    alcore_selection_unref(picked);
    alcore_request_unref(request);
    alcore_request_unref(empty);
    close_bed(&b);
}
END_TEST

CHECK_SUITE("budgets", several_budgets_equal_each_alone, a_budget_may_be_kept_by_itself,
            a_pool_without_candidates_has_every_budget, counterfactuals_run_through_the_real_budget,
            the_score_that_was_used_is_named, scores_of_a_model_are_not_given, prices_are_told,
            rows_belong_to_the_request, rows_are_read_from_files_of_ids,
            ids_have_the_formats_of_a_pool, files_without_ids_are_refused, ids_are_valid_utf8,
            parts_of_another_context_are_refused, many_requests_read_one_pool_at_once,
            the_page_carries_its_pictures, texts_name_no_flag_and_no_function);
