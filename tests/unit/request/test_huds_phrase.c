/* SPDX-License-Identifier: Apache-2.0 */
/* HUDS over phrases: the vector of the specification, vectors of words, pruning, the
 * explanation of the picks, what is missing. */
#include "request_test.h"

#include <stdlib.h>
#include <unistd.h>

#include "check_suite.h"
#include "test_folder.h"
#include "vectors.h"

static alcore_ctx *ctx;
static test_vector vector;

static void open_vector(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    vector = vector_find("phrases", "TV-HUDSP");
}

static void close_vector(void) {
    alcore_ctx_unref(ctx);
}

static alcore_pool *listed_pool(const json_t *list) {
    const char *texts[64];
    const int64_t count = vector_length(list);
    for (int64_t i = 0; i < count; i++) texts[i] = vector_text(json_array_get(list, (size_t)i));
    return pool_of(ctx, texts, count);
}

/* Sets a ragged column of doubles: values [offsets[rows], dims]. */
static void give_ragged(alcore_pool *pool, const char *name, const double *values,
                        const int64_t *offsets, int64_t dims) {
    const int64_t rows = alcore_pool_row_count(pool);
    int64_t shape[] = {offsets[rows], dims}, ends = rows + 1;
    alcore_tensor tensor, at;
    ck_assert_ok(alcore_tensor_init(&tensor, (void *)(uintptr_t)values, ALCORE_FLOAT64, shape,
                                    dims == 1 ? 1 : 2));
    ck_assert_ok(alcore_tensor_init(&at, (void *)(uintptr_t)offsets, ALCORE_INT64, &ends, 1));
    ck_assert_ok(alcore_pool_set_column(pool, name, &tensor, &at, NULL));
}

/* The texts of the vector with their log-probabilities, one a word, and without vectors. */
static alcore_pool *texts_of(const vector_case *one) {
    alcore_pool *pool = listed_pool(vector_input(one, "unlabeled"));
    int64_t count;
    const double *nll = vector_doubles(vector_input(one, "nll"), &count);
    double *logprobs = malloc((size_t)count * sizeof *logprobs);
    for (int64_t i = 0; i < count; i++) logprobs[i] = -nll[i];
    give_ragged(pool, "logprobs", logprobs, vector_offsets(vector_input(one, "nll"), NULL), 1);
    free(logprobs);
    return pool;
}

static alcore_request *request_of(const vector_case *one, alcore_pool *pool) {
    alcore_request *request = request_for(ctx, pool, "huds-phrase", "1000w");
    alcore_pool *labeled = listed_pool(vector_input(one, "labeled"));
    alcore_strategy *strategy;
    ck_assert_ok(alcore_strategy_new(ctx, "huds-phrase", &strategy));
    ck_assert_ok(alcore_strategy_set_int(strategy, "n_strata",
                                         vector_integer(vector_input(one, "n_strata"))));
    ck_assert_ok(
        alcore_strategy_set_number(strategy, "lambda", vector_double(vector_input(one, "lambda"))));
    ck_assert_ok(
        alcore_strategy_set_number(strategy, "gamma", vector_double(vector_input(one, "gamma"))));
    ck_assert_ok(
        alcore_strategy_set_int(strategy, "occ_min", vector_integer(vector_input(one, "occ_min"))));
    ck_assert_ok(
        alcore_strategy_set_int(strategy, "prune", vector_integer(vector_input(one, "prune"))));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    alcore_strategy_unref(strategy);
    alcore_pool_unref(labeled);
    return request;
}

static const void *record_of(const alcore_selection *selection, int32_t scope, const char *name) {
    alcore_tensor values;
    ck_assert_ok(alcore_selection_get_column(selection, scope, name, &values));
    return values.data;
}

static const char *text_of_pick(const alcore_selection *selection, int64_t rank) {
    return alcore_pool_text(alcore_selection_pool(selection),
                            alcore_selection_rows(selection)[rank], NULL);
}

static void expect_case(const vector_case *one, const alcore_selection *selection) {
    static const char *const NUMBERS[][2] = {
        {"u", "u"}, {"d", "d"}, {"H", "H"}, {"score", "scores"}};
    const json_t *phrases = vector_expected(one, "phrases"), *order = vector_expected(one, "order");
    alcore_pool *pool = alcore_selection_pool(selection);
    ck_assert_int_eq(alcore_pool_row_count(pool), vector_length(phrases));
    for (int64_t i = 0; i < vector_length(phrases); i++)
        ck_assert_str_eq(alcore_pool_text(pool, i, NULL),
                         vector_text(json_array_get(phrases, (size_t)i)));
    for (size_t n = 0; n < sizeof NUMBERS / sizeof NUMBERS[0]; n++)
        vector_near(record_of(selection, ALCORE_SCOPE_CANDIDATES, NUMBERS[n][0]),
                    vector_expected(one, NUMBERS[n][1]), 1e-12);
    vector_equal(record_of(selection, ALCORE_SCOPE_CANDIDATES, "occ"),
                 vector_expected(one, "occurrences"));
    vector_equal(record_of(selection, ALCORE_SCOPE_CANDIDATES, "stratum"),
                 vector_expected(one, "stratum"));
    ck_assert_int_eq(alcore_selection_count(selection), vector_length(order));
    for (int64_t k = 0; k < vector_length(order); k++)
        ck_assert_str_eq(text_of_pick(selection, k), vector_text(json_array_get(order, (size_t)k)));
}

/* Vectors of rows; and the same vector for every word of a row, which has the same means. */
START_TEST(vectors_of_rows_and_words) {
    open_vector();
    ck_assert_int_eq(vector_case_count(vector), 3);
    const vector_case one = vector_case_number(vector, _i / 2);
    int64_t count;
    const double *rows = vector_doubles(vector_input(&one, "sentence_embeddings"), &count);
    const int64_t *offsets = vector_offsets(vector_input(&one, "nll"), NULL);
    alcore_pool *pool = texts_of(&one);
    if (_i % 2 == 0) {
        give(pool, "embeddings", rows, count / 2, 2);
    } else {
        double words[200];
        for (int64_t row = 0; row < count / 2; row++)
            for (int64_t w = offsets[row]; w < offsets[row + 1]; w++)
                for (int d = 0; d < 2; d++) words[2 * w + d] = rows[2 * row + d];
        give_ragged(pool, "word_embeddings", words, offsets, 2);
    }
    alcore_request *request = request_of(&one, pool);
    alcore_selection *selection = selected(request);
    expect_case(&one, selection);
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(selection),
                                 _i % 2 ? "\"word_embeddings\"" : "\"embeddings\""));
    ck_assert_ptr_nonnull(strstr(alcore_selection_reason(selection, 0), "occurs "));
    const char *reason = alcore_selection_reason(selection, 0);
    ck_assert(strstr(reason, "diversity top ") || strstr(reason, "diversity low, above "));
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_vector();
}
END_TEST

/* One phrase inside another: with prune=1 only one of them is bought, whichever is the better; a
 * value for the end of the text is not a word's. */
START_TEST(pruning) {
    static const char *const TEXTS[] = {"a b c", "a b c x", "a b y", "z a b", "c q", "q c", "c"};
    static const int64_t LENGTHS[] = {3, 4, 3, 3, 2, 2, 1};
    int64_t offsets[8] = {0};
    double values[32], vectors[14];
    open_vector();
    alcore_pool *pool = pool_of(ctx, TEXTS, 7);
    for (int i = 0; i < 7; i++) {
        offsets[i + 1] = offsets[i] + LENGTHS[i] + 1;
        vectors[2 * i] = i;
        vectors[2 * i + 1] = 7 - i;
    }
    for (int64_t i = 0; i < offsets[7]; i++) values[i] = -1.0 - (double)(i % 3);
    give_ragged(pool, "logprobs", values, offsets, 1);
    give(pool, "embeddings", vectors, 7, 2);
    for (int prune = 0; prune < 2; prune++) {
        int64_t nested = 0;
        alcore_request *request = request_for(ctx, pool, "huds-phrase", "1000w");
        set_parameter(ctx, request, "huds-phrase", "prune", prune ? "1" : "0");
        alcore_selection *selection = selected(request);
        for (int64_t k = 0; k < alcore_selection_count(selection); k++)
            for (int64_t j = 0; j < alcore_selection_count(selection); j++)
                nested += j != k && strstr(text_of_pick(selection, k), text_of_pick(selection, j));
        if (prune)
            ck_assert_int_eq(nested, 0);
        else
            ck_assert_int_gt(nested, 0); /* "a b" and "a b c" are both semi-maximal */
        alcore_selection_unref(selection);
        alcore_request_unref(request);
    }
    alcore_pool_unref(pool);
    close_vector();
}
END_TEST

/* The number behind the first occurrence of a name in a JSON text. */
static double number_after(const char *json, const char *name) {
    const char *at = strstr(json, name);
    ck_assert_msg(at, "no %s in %s", name, json);
    return strtod(at + strlen(name), NULL);
}

/* The explanation of the picks rescales the terms as the score does, whatever the place of a word
 * among those that the parameter has in this strategy: the two deviations in the provenance are the
 * same as those of the terms in H, which the strategy reports itself. */
START_TEST(explained_as_rescaled) {
    static const char *const SCALES[] = {"none", "minmax", "rank"};
    open_vector();
    const vector_case one = vector_case_number(vector, 0);
    int64_t count;
    const double *rows = vector_doubles(vector_input(&one, "sentence_embeddings"), &count);
    alcore_pool *pool = texts_of(&one);
    give(pool, "embeddings", rows, count / 2, 2);
    for (size_t i = 0; i < sizeof SCALES / sizeof SCALES[0]; i++) {
        alcore_request *request = request_for(ctx, pool, "huds-phrase", "2w");
        alcore_strategy *strategy;
        ck_assert_ok(alcore_strategy_new(ctx, "huds-phrase", &strategy));
        ck_assert_ok(alcore_strategy_set(strategy, "rescale", SCALES[i]));
        ck_assert_ok(alcore_strategy_set_int(strategy, "n_strata", 1));
        ck_assert_ok(alcore_request_set_strategy(request, strategy));
        alcore_strategy_unref(strategy);
        alcore_selection *selection = selected(request);
        const char *record = alcore_selection_provenance(selection);
        const double diversity = number_after(record, "\"sd lambda d\":[");
        ck_assert_double_gt(diversity, 0);
        ck_assert_double_eq(number_after(record, "\"diversity\":{\"sd\":"), diversity);
        ck_assert_double_eq(number_after(record, "\"uncertainty\":{\"sd\":"),
                            number_after(record, "\"sd rest u\":["));
        alcore_selection_unref(selection);
        alcore_request_unref(request);
    }
    alcore_pool_unref(pool);
    close_vector();
}
END_TEST

/* What a selection says of the term that is the score, which strategy it alone would be. */
static void expect_alone(const alcore_selection *selection, bool given) {
    const char *const record = alcore_selection_provenance(selection);
    const char *const summary = alcore_selection_summary(selection);
    ck_assert_int_eq(strstr(record, "\"alone\":\"given_scores\"") != NULL, given);
    ck_assert_int_eq(strstr(record, "\"alone\":\"nnll\"") != NULL, !given);
    ck_assert_int_eq(strstr(summary, "the given scores alone would have made") != NULL, given);
    ck_assert_int_eq(strstr(summary, "nnll alone would have made") != NULL, !given);
    for (int64_t k = 0; k < alcore_selection_count(selection); k++) {
        const char *const reason = alcore_selection_reason(selection, k);
        ck_assert_msg(strstr(reason, given ? "the given scores'" : "nnll'"), "%s", reason);
    }
}

/* Phrases of texts have the uncertainty of their words, which nobody gave; a pool of phrases may
 * have scores that were given. All phrases are bought, so each term alone would make every pick. */
START_TEST(only_given_scores_are_called_so) {
    open_vector();
    const vector_case one = vector_case_number(vector, 0);
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    int64_t count;
    const double *rows = vector_doubles(vector_input(&one, "sentence_embeddings"), &count);
    alcore_pool *pool = texts_of(&one), *phrases;
    give(pool, "embeddings", rows, count / 2, 2);
    alcore_request *request = request_for(ctx, pool, "huds-phrase", "1000w");
    set_parameter(ctx, request, "huds-phrase", "prune", "0");
    alcore_selection *selection = selected(request);
    expect_alone(selection, false);
    ck_assert_ok(alcore_pool_get_column_info(alcore_selection_pool(selection), "scores", &info));
    ck_assert_str_eq(info.origin, "derived");
    alcore_selection_unref(selection);

    ck_assert_ok(alcore_pool_derive_phrases(pool, NULL, NULL, &phrases));
    const int64_t phrase_count = alcore_pool_row_count(phrases);
    double scores[100];
    ck_assert_int_le(2 * phrase_count, 100);
    for (int64_t i = 0; i < 2 * phrase_count; i++) scores[i] = (double)(i % 5) + 1;
    give(phrases, "scores", scores, phrase_count, 1);
    give(phrases, "embeddings", scores, phrase_count, 2);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, phrases));
    selection = selected(request);
    expect_alone(selection, true);
    alcore_selection_unref(selection);
    alcore_pool_unref(phrases);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_vector();
}
END_TEST

/* A pool of phrases that a caller made by hand is one too: its own scores and embeddings are read,
 * and no model is asked for the log-probabilities of its rows. */
START_TEST(phrases_by_hand) {
    static const char *const TEXTS[] = {"one phrase", "another one", "a third"};
    static const char *const NAMES[] = {"occurrences", "length", "first_row", "first_position"};
    static const double SCORES[] = {1, 3, 2}, VECTORS[] = {1, 0, 0, 1, 1, 1};
    int64_t values[] = {2, 2, 2}, count = 3;
    alcore_tensor tensor;
    open_vector();
    alcore_pool *pool = pool_of(ctx, TEXTS, 3);
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_INT64, &count, 1));
    for (size_t c = 0; c < sizeof NAMES / sizeof NAMES[0]; c++)
        ck_assert_ok(alcore_pool_set_column(pool, NAMES[c], &tensor, NULL, NULL));
    give(pool, "scores", SCORES, 3, 1);
    give(pool, "embeddings", VECTORS, 3, 2);
    alcore_request *request = request_for(ctx, pool, "huds-phrase", "3");
    set_parameter(ctx, request, "huds-phrase", "lambda", "0");
    alcore_selection *selection = selected(request);
    ck_rows(selection, (const int64_t[]){1, 2, 0}, 3);
    ck_assert_ptr_null(strstr(alcore_selection_provenance(selection), "\"logprobs\""));
    /* Only a file is what values are from. */
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(selection), "scores: given\n"));
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    ck_assert_fails(alcore_pool_get_column_info(pool, "logprobs", &info), ALCORE_E_NOT_FOUND, "");
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_vector();
}
END_TEST

START_TEST(what_cannot_be) {
    static const char *const TEXTS[] = {"a b", "a b"};
    static const int64_t SHORT_ROW[] = {0, 2, 3}, WORDS[] = {0, 2, 4};
    static const int64_t EMPTY_ROW[] = {0, 2, 2};
    static const double VALUES[] = {-1, -1, -3}, POSITIVE[] = {-1, -1, 0.5, -1};
    static const double VECTORS[] = {1, 2, 3, 4};
    alcore_selection *selection;
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    open_vector();
    options.dedup = ALCORE_DEDUP_NONE;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, TEXTS, NULL, 2, NULL));
    give(pool, "embeddings", VECTORS, 2, 1);
    give_ragged(pool, "logprobs", VALUES, SHORT_ROW, 1);
    alcore_request *request = request_for(ctx, pool, "huds-phrase", "10w");
    /* Row 1 has a value that is no word's: both its words count with it. */
    selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), 1);
    ck_assert_double_eq(*(const double *)record_of(selection, ALCORE_SCOPE_PICKS, "u"),
                        (1 + 3) / 2.0);
    alcore_selection_unref(selection);
    give_ragged(pool, "word_embeddings", VECTORS, SHORT_ROW, 1);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_SHAPE,
                    "column 'word_embeddings' has 1 vectors for row 1, which has 2 words");
    give_ragged(pool, "word_embeddings", VECTORS, WORDS, 1);
    give_ragged(pool, "logprobs", POSITIVE, WORDS, 1);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_DATA,
                    "row 1: the log-probability of token 0 is 0.5");
    give_ragged(pool, "logprobs", POSITIVE, EMPTY_ROW, 1);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_DATA, "row 1: no token");
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_vector();
}
END_TEST

/* Links of a hypothesis: the words have the means of the tokens linked to them, and that of the row
 * where none is, as the same pool with these numbers given for the words has. The second row has as
 * many tokens as words, which its links tell apart. */
enum { LINKED_ROWS = 3, LINKS = 5 };
static const char *const linked_texts[LINKED_ROWS] = {"severe headache today", "severe headache",
                                                      "severe headache again"};
static const double token_logprobs[] = {-1, -2, -4, -8, -0.5, -1.5, -3};
static const int64_t token_offsets[] = {0, 4, 6, 7};
static const int64_t link_offsets[] = {0, 3, 5, 5};
static const double word_nll[] = {3, 2, 3.75, 1.5, 0.5, 3, 3, 3};
static const int64_t word_offsets[] = {0, 3, 5, 8};

static alcore_pool *linked_pool(const int32_t pairs[LINKS][2]) {
    static const double embeddings[2 * LINKED_ROWS] = {1, 0, 0, 1, 1, 1};
    alcore_pool *pool = pool_of(ctx, linked_texts, LINKED_ROWS);
    int64_t shape[] = {LINKS, 2}, ends = LINKED_ROWS + 1;
    alcore_tensor tensor, at;
    give(pool, "embeddings", embeddings, LINKED_ROWS, 2);
    if (!pairs) {
        double logprobs[8];
        for (int i = 0; i < 8; i++) logprobs[i] = -word_nll[i];
        give_ragged(pool, "logprobs", logprobs, word_offsets, 1);
        return pool;
    }
    give_ragged(pool, "logprobs", token_logprobs, token_offsets, 1);
    ck_assert_ok(alcore_tensor_init(&tensor, (void *)(uintptr_t)pairs, ALCORE_INT32, shape, 2));
    ck_assert_ok(alcore_tensor_init(&at, (void *)(uintptr_t)link_offsets, ALCORE_INT64, &ends, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "links", &tensor, &at, NULL));
    return pool;
}

START_TEST(links_of_a_hypothesis) {
    /* Word 0 of the first row has tokens 0 and 2 and another one; word 2 has none. */
    static const int32_t pairs[LINKS][2] = {{0, 1}, {0, 2}, {1, 1}, {0, 1}, {1, 0}};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pools[] = {linked_pool(pairs), linked_pool(NULL)};
    alcore_selection *found[2];
    for (int i = 0; i < 2; i++) {
        alcore_request *request = request_for(ctx, pools[i], "huds-phrase", "100w");
        found[i] = selected(request);
        alcore_request_unref(request);
    }
    alcore_tensor u[2];
    for (int i = 0; i < 2; i++)
        ck_assert_ok(alcore_selection_get_column(found[i], ALCORE_SCOPE_CANDIDATES, "u", &u[i]));
    ck_assert_int_gt(u[0].shape[0], 0);
    ck_assert_int_eq(u[0].shape[0], u[1].shape[0]);
    for (int64_t i = 0; i < u[0].shape[0]; i++)
        ck_assert_double_eq(((const double *)u[0].data)[i], ((const double *)u[1].data)[i]);
    /* "severe headache": (3 + 2) / 2, (1.5 + 0.5) / 2, (3 + 3) / 2. */
    ck_assert_double_eq_tol(((const double *)u[0].data)[0], (2.5 + 1 + 3) / 3, 1e-12);
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(found[0]), "\"links\""));
    ck_assert_ptr_null(strstr(alcore_selection_provenance(found[1]), "\"links\""));
    for (int i = 0; i < 2; i++) {
        alcore_selection_unref(found[i]);
        alcore_pool_unref(pools[i]);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Links read from a file are the column that arrays of the same links make; an error names the
 * line, which is the number of the entry: here entry 0 is of row 2, entry 1 of row 0. */
START_TEST(links_from_a_file) {
    static const int32_t pairs[LINKS][2] = {{0, 1}, {0, 2}, {1, 1}, {0, 1}, {1, 0}};
    static const int64_t rows[] = {2, 0};
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_selection *selection;
    alcore_tensor values[2], offsets[2];
    char path[TEST_PATH_BYTES], wrong[TEST_PATH_BYTES + 32];
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    test_file_make(path, "links", "", "0-1 0-2 1-1\n0-1 1-0\n\n");
    alcore_pool *pools[] = {linked_pool(pairs), linked_pool(pairs)};
    options.format = "pharaoh";
    ck_assert_ok(alcore_pool_read_column(pools[1], "links", path, &options));
    for (int i = 0; i < 2; i++)
        ck_assert_ok(alcore_pool_get_column(pools[i], "links", &values[i], &offsets[i]));
    ck_assert_int_eq(values[1].ndim, 2);
    for (int d = 0; d < 2; d++) ck_assert_int_eq(values[1].shape[d], values[0].shape[d]);
    ck_assert_int_eq(values[1].dtype.code, values[0].dtype.code);
    ck_assert_mem_eq(values[1].data, values[0].data, sizeof pairs);
    ck_assert_mem_eq(offsets[1].data, offsets[0].data, sizeof link_offsets);
    FILE *file = fopen(path, "wb");
    ck_assert(file && fputs("\n0-9\n", file) >= 0 && fclose(file) == 0);
    ck_assert_fails(alcore_pool_read_column(pools[1], "links", path, &options), ALCORE_E_DATA,
                    "3 sentence pairs");
    options.rows = rows;
    options.row_count = 2;
    ck_assert_ok(alcore_pool_read_column(pools[1], "links", path, &options));
    alcore_request *request = request_for(ctx, pools[1], "huds-phrase", "100w");
    snprintf(wrong, sizeof wrong, "%s:2: row 0: link 0-9", path);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_DATA, wrong);
    alcore_request_unref(request);
    for (int i = 0; i < 2; i++) alcore_pool_unref(pools[i]);
    alcore_ctx_unref(ctx);
    unlink(path);
}
END_TEST

START_TEST(links_that_are_refused) {
    static const int32_t wrong[][LINKS][2] = {{{0, 1}, {3, 2}, {1, 1}, {0, 1}, {1, 0}},
                                              {{0, 1}, {0, 4}, {1, 1}, {0, 1}, {1, 0}},
                                              {{0, 1}, {-1, 2}, {1, 1}, {0, 1}, {1, 0}}};
    static const double ones[] = {0, 0, 0};
    alcore_selection *selection;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (int i = 0; i < 4; i++) {
        alcore_pool *pool = linked_pool(wrong[i % 3]);
        alcore_request *request = request_for(ctx, pool, "huds-phrase", "100w");
        if (i < 3) {
            ck_assert_fails(alcore_select(request, &selection), ALCORE_E_DATA, "row 0: link ");
        } else {
            give(pool, "links", ones, LINKED_ROWS, 1);
            ck_assert_fails(alcore_select(request, &selection), ALCORE_E_SHAPE, "column 'links'");
        }
        alcore_request_unref(request);
        alcore_pool_unref(pool);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("huds-phrase");
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, vectors_of_rows_and_words, 0, 6);
    tcase_add_test(all, pruning);
    tcase_add_test(all, explained_as_rescaled);
    tcase_add_test(all, only_given_scores_are_called_so);
    tcase_add_test(all, phrases_by_hand);
    tcase_add_test(all, what_cannot_be);
    tcase_add_test(all, links_of_a_hypothesis);
    tcase_add_test(all, links_from_a_file);
    tcase_add_test(all, links_that_are_refused);
    return check_suite_run("huds-phrase", all);
}
