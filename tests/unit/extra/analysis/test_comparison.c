/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of strategies: every measure by hand on a pool of eight texts, the floor that is
 * added, inputs that only some strategies read, the files, and what is refused. */
#include "request_test.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "check_suite.h"
#include "file_text.h"
#include "last_warning.h"
#include "options_with.h"
#include "test_folder.h"

enum { ROWS = 8 };
static const char *const texts[ROWS] = {"a b c", "a b", "d e f g", "a",
                                        "h 1",   "h 2", "b c d",   "x y z <v & w"};
/* nnll picks rows 0, 4 and 5; margin, by the smallest, rows 0, 6 and 3. */
static const double scores[ROWS] = {9, 1, 2, 3, 8, 7, 4, 5};
static const double margins[ROWS] = {0.1, 0.9, 0.8, 0.3, 0.7, 0.6, 0.2, 0.5};
static const char *const test_texts[] = {"a h q", "q r"};

static alcore_ctx *ctx;
static alcore_pool *pool;
static alcore_overlap *test;
static alcore_request *request;
static alcore_strategy *made[2];
static char folder[TEST_PATH_BYTES];

static const char *in_folder(const char *name) {
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void open_all(void) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.log = keep_line;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    pool = pool_of(ctx, texts, ROWS);
    give(pool, "scores", scores, ROWS, 1);
    give(pool, "margins", margins, ROWS, 1);
    ck_assert_ok(alcore_overlap_new(ctx, NULL, &test));
    ck_assert_ok(
        alcore_overlap_add(test, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, test_texts, NULL, 2));
    request = request_for(ctx, pool, "random", "3");
    ck_assert_ok(alcore_strategy_new(ctx, "nnll", &made[0]));
    ck_assert_ok(alcore_strategy_new(ctx, "margin", &made[1]));
    test_folder_make(folder, "comparison");
}

static void close_all(void) {
    static const char *const files[] = {"c.tsv", "c.csv", "c.json", "c.html"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(in_folder(files[i]));
    ck_assert_int_eq(rmdir(folder), 0);
    for (int i = 0; i < 2; i++) alcore_strategy_unref(made[i]);
    alcore_request_unref(request);
    alcore_overlap_unref(test);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static alcore_comparison *compared(alcore_overlap *with) {
    alcore_comparison *out;
    ck_assert_ok(alcore_request_compare(request, made, NULL, 2, with, &out));
    return out;
}

static json_t *document_of(const alcore_comparison *comparison) {
    json_t *document = json_loads(alcore_comparison_document(comparison), 0, NULL);
    ck_assert_ptr_nonnull(document);
    return document;
}

static const json_t *strategy_at(const json_t *document, size_t i) {
    return json_array_get(json_object_get(document, "strategies"), i);
}

/* The number at a path of members and indices; a null is NaN. */
static double at(const json_t *value, const char *first, const char *second, int index) {
    value = json_object_get(value, first);
    if (second) value = json_object_get(value, second);
    if (index >= 0) value = json_array_get(value, (size_t)index);
    ck_assert_msg(value != NULL, "%s %s", first, second ? second : "");
    return json_is_null(value) ? (double)NAN : json_number_value(value);
}

static void ck_near(double found, double expected) {
    ck_assert_msg(fabs(found - expected) < 1e-9, "%.17g, not %.17g", found, expected);
}

START_TEST(measures_by_hand) {
    alcore_comparison *comparison = compared(test);
    json_t *document = document_of(comparison);
    const json_t *nnll = strategy_at(document, 0), *margin = strategy_at(document, 1);
    const int64_t of_nnll[] = {0, 4, 5}, of_margin[] = {0, 6, 3};
    ck_rows(alcore_comparison_selection(comparison, 0), of_nnll, 3);
    ck_rows(alcore_comparison_selection(comparison, 1), of_margin, 3);
    ck_near(at(document, "budget", NULL, -1), 3);
    ck_near(at(document, "rows", NULL, -1), ROWS);
    ck_near(at(nnll, "items", NULL, -1), 3);
    ck_near(at(nnll, "words", NULL, -1), 7);
    ck_near(at(nnll, "characters", NULL, -1), 11);
    ck_near(at(nnll, "spent", NULL, -1), 3);
    ck_near(at(nnll, "lengths", "mean", -1), 7.0 / 3);
    ck_near(at(nnll, "lengths", "first_quartile", -1), 2);
    ck_near(at(nnll, "lengths", "median", -1), 2);
    ck_near(at(nnll, "lengths", "third_quartile", -1), 2.5);
    ck_near(at(margin, "lengths", "first_quartile", -1), 2);
    ck_near(at(margin, "lengths", "median", -1), 3);
    /* Of the pool's 16 words, in 23 places: a, b, c, h, 1 and 2, which are in 12 of them. */
    ck_near(at(nnll, "pool", "types", 0), 100 * 6 / 16.0);
    ck_near(at(nnll, "pool", "tokens", 0), 100 * 12 / 23.0);
    ck_near(at(nnll, "pool", "types", 1), 100 * 4 / 13.0);
    ck_near(at(nnll, "pool", "tokens", 1), 100 * 6 / 15.0);
    ck_near(at(nnll, "pool", "types", 2), 100 * 1 / 8.0);
    ck_near(at(margin, "pool", "types", 0), 100 * 4 / 16.0);
    ck_near(at(margin, "pool", "tokens", 0), 100 * 10 / 23.0);
    ck_near(at(nnll, "test", "types", 0), 50);
    ck_near(at(nnll, "test", "tokens", 0), 40);
    ck_near(at(margin, "test", "types", 0), 25);
    ck_near(at(margin, "test", "tokens", 0), 20);
    ck_near(at(nnll, "test", "types", 1), 0);
    ck_near(at(nnll, "distinct", NULL, 0), 6);
    ck_near(at(margin, "distinct", NULL, 1), 3);
    ck_near(at(nnll, "repeated", NULL, 0), 100 / 7.0);
    ck_near(at(nnll, "repeated", NULL, 1), 0);
    ck_near(at(margin, "repeated", NULL, 0), 300 / 7.0);
    ck_near(at(margin, "repeated", NULL, 1), 25);
    ck_near(at(nnll, "near_duplicates", NULL, -1), 100 / 3.0); /* "h 1" and "h 2" */
    ck_near(at(margin, "near_duplicates", NULL, -1), 0);
    const json_t *sample = json_array_get(json_object_get(nnll, "samples"), 1);
    ck_assert_str_eq(json_string_value(json_object_get(sample, "text")), "h 1");
    ck_near(at(sample, "rank", NULL, -1), 2);
    json_decref(document);
    alcore_comparison_unref(comparison);
}
END_TEST

/* Of four texts two have the words of the first, or nearly: one that differs in a number, and one
 * that has a word more. */
START_TEST(near_duplicates) {
    static const char *const near[] = {"Copy the file %s to the folder of the server",
                                       "copy the file 7 to the folder of the server!",
                                       "Copy the whole file %s to the folder of the server",
                                       "An entirely different text about something else"};
    alcore_pool *other = pool_of(ctx, near, 4);
    alcore_strategy *random = NULL;
    alcore_comparison *comparison;
    ck_assert_ok(alcore_strategy_new(ctx, "random", &random));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, other));
    ck_assert_ok(alcore_request_set(request, "budget", "4"));
    ck_assert_ok(alcore_request_compare(request, &random, NULL, 1, NULL, &comparison));
    json_t *document = document_of(comparison);
    ck_near(at(strategy_at(document, 0), "near_duplicates", NULL, -1), 50);
    json_decref(document);
    alcore_comparison_unref(comparison);
    alcore_strategy_unref(random);
    alcore_pool_unref(other);
}
END_TEST

/* Row i, column k of a matrix. */
static int64_t shared(const json_t *document, const char *matrix, size_t i, size_t k) {
    return json_integer_value(
        json_array_get(json_array_get(json_object_get(document, matrix), i), k));
}

START_TEST(what_each_two_share) {
    alcore_comparison *comparison = compared(NULL);
    json_t *document = document_of(comparison);
    const alcore_selection *floor = alcore_comparison_selection(comparison, 2);
    int64_t both = 0;
    for (int64_t i = 0; i < 3; i++) {
        const int64_t row = alcore_selection_rows(floor)[i];
        both += row == 0 || row == 4 || row == 5;
    }
    ck_assert_int_eq(alcore_comparison_count(comparison), 3);
    ck_assert_int_eq(shared(document, "shared_picks", 0, 0), 3);
    ck_assert_int_eq(shared(document, "shared_picks", 0, 1), 1);
    ck_assert_int_eq(shared(document, "shared_picks", 1, 0), 1);
    ck_assert_int_eq(shared(document, "shared_picks", 0, 2), both);
    ck_assert_int_eq(shared(document, "shared_words", 0, 0), 6);
    ck_assert_int_eq(shared(document, "shared_words", 1, 1), 4);
    ck_assert_int_eq(shared(document, "shared_words", 0, 1), 3);
    ck_assert_int_eq(shared(document, "shared_words", 1, 0), 3);
    ck_assert_ptr_null(json_object_get(strategy_at(document, 0), "test"));
    json_decref(document);
    alcore_comparison_unref(comparison);
}
END_TEST

/* Random is added where it is not named, with the picks that select() gives; the request stays as
 * it was. */
START_TEST(the_floor) {
    static const char *const names[] = {"mine", NULL};
    alcore_strategy *two[2] = {made[0], NULL};
    alcore_comparison *comparison;
    json_t *document;
    alcore_selection *alone = selected(request);
    ck_assert_ok(alcore_request_compare(request, two, names, 1, NULL, &comparison));
    document = document_of(comparison);
    ck_assert_int_eq(alcore_comparison_count(comparison), 2);
    ck_assert_str_eq(json_string_value(json_object_get(strategy_at(document, 0), "name")), "mine");
    ck_assert_str_eq(json_string_value(json_object_get(strategy_at(document, 0), "strategy")),
                     "nnll");
    ck_assert(json_is_false(json_object_get(strategy_at(document, 0), "added")));
    ck_assert_str_eq(json_string_value(json_object_get(strategy_at(document, 1), "name")),
                     "random");
    ck_assert(json_is_true(json_object_get(strategy_at(document, 1), "added")));
    ck_rows(alcore_comparison_selection(comparison, 1), alcore_selection_rows(alone), 3);
    ck_assert_ptr_null(alcore_comparison_selection(comparison, 2));
    ck_assert_ptr_null(alcore_comparison_selection(comparison, -1));
    json_decref(document);
    alcore_comparison_unref(comparison);
    ck_assert_ok(alcore_strategy_new(ctx, "random", &two[1]));
    ck_assert_ok(alcore_request_compare(request, two, NULL, 2, NULL, &comparison));
    ck_assert_int_eq(alcore_comparison_count(comparison), 2);
    alcore_comparison_unref(comparison);
    alcore_strategy_unref(two[1]);
    ck_assert_ok(alcore_strategy_new(ctx, "kcenter", &two[1])); /* its embeddings are not given */
    ck_assert_int_eq(alcore_request_compare(request, two, NULL, 2, NULL, &comparison),
                     ALCORE_E_MISSING);
    ck_assert_msg(strstr(alcore_last_error(), "strategy kcenter: the column 'embeddings'") != NULL,
                  "%s", alcore_last_error());
    ck_assert_ptr_null(comparison);
    alcore_strategy_unref(two[1]);
    alcore_selection *again = selected(request);
    ck_rows(again, alcore_selection_rows(alone), 3);
    alcore_selection_unref(again);
    alcore_selection_unref(alone);
}
END_TEST

static int runs; /* of the host's strategy */

static alcore_status count_run(void *user, const alcore_view *view, alcore_choice *out) {
    static double equal[ROWS];
    (void)user;
    runs++;
    return alcore_choice_scores(out, equal, alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES));
}

/* What one of the strategies lacks is told before any other is run: columns of texts, and of the
 * texts of phrases, and pools. What a model makes, or only rows that are picked have, is there. */
START_TEST(what_is_missing_is_told_first) {
    static const struct {
        const char *name, *parameter, *value;
        alcore_status status;
        const char *said;
    } trials[] = {
        {"random", NULL, NULL, ALCORE_OK, ""},
        {"margin", NULL, NULL, ALCORE_OK, ""},
        {"kcenter", NULL, NULL, ALCORE_E_MISSING, "the column 'embeddings'"},
        {"rtt-bleu", NULL, NULL, ALCORE_E_MISSING, "the column 'roundtrip'"},
        {"huds-phrase", NULL, NULL, ALCORE_E_MISSING, "the column 'logprobs'"},
        {"hybrid", "sentences", "kcenter", ALCORE_E_MISSING, "the column 'embeddings'"},
        {"ngf", NULL, NULL, ALCORE_OK, ""},
        {"average-dist", NULL, NULL, ALCORE_E_MISSING, "needs a target"},
    };
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *two[2];
    alcore_comparison *comparison;
    host.choose = count_run;
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &two[0]));
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        ck_assert_ok(alcore_strategy_new(ctx, trials[i].name, &two[1]));
        if (trials[i].parameter)
            ck_assert_ok(alcore_strategy_set(two[1], trials[i].parameter, trials[i].value));
        runs = 0;
        ck_assert_int_eq(alcore_request_compare(request, two, NULL, 2, NULL, &comparison),
                         trials[i].status);
        ck_assert_int_eq(runs, trials[i].status == ALCORE_OK);
        if (trials[i].status == ALCORE_OK)
            alcore_comparison_unref(comparison);
        else
            ck_assert_msg(strstr(alcore_last_error(), trials[i].said) != NULL, "%s",
                          alcore_last_error());
        alcore_strategy_unref(two[1]);
    }
    alcore_strategy_unref(two[0]);
}
END_TEST

/* Strategies whose parts, or whose candidates, are of the target are given it. */
START_TEST(targets_are_there) {
    static const struct {
        const char *name, *parameter, *value;
    } trials[] = {{"gold", NULL, NULL},
                  {"average-dist", NULL, NULL},
                  {"hybrid", "sentences", "average-dist"}};
    double embeddings[ROWS * 2] = {0};
    alcore_strategy *two[2];
    alcore_comparison *comparison;
    alcore_pool *target = numbered_pool(ctx, 3);
    give(pool, "embeddings", embeddings, ROWS, 2);
    give(target, "embeddings", embeddings, 3, 2);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
    ck_assert_ok(alcore_strategy_new(ctx, "nnll", &two[0]));
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        ck_assert_ok(alcore_strategy_new(ctx, trials[i].name, &two[1]));
        if (trials[i].parameter)
            ck_assert_ok(alcore_strategy_set(two[1], trials[i].parameter, trials[i].value));
        ck_assert_ok(alcore_request_compare(request, two, NULL, 2, NULL, &comparison));
        alcore_comparison_unref(comparison);
        alcore_strategy_unref(two[1]);
    }
    alcore_strategy_unref(two[0]);
    alcore_pool_unref(target);
}
END_TEST

/* NULL is the recommended strategy, with the columns that the built-in model makes. */
START_TEST(the_recommended_one) {
    alcore_strategy *none = NULL;
    alcore_comparison *comparison;
    alcore_pool *bare = pool_of(ctx, texts, ROWS);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, bare));
    ck_assert_ok(alcore_request_compare(request, &none, NULL, 1, NULL, &comparison));
    json_t *document = document_of(comparison);
    ck_assert_str_eq(json_string_value(json_object_get(strategy_at(document, 0), "name")),
                     alcore_strategy_recommended());
    json_decref(document);
    alcore_comparison_unref(comparison);
    alcore_pool_unref(bare);
}
END_TEST

/* Inputs that one strategy reads are not refused for the others; one that none reads is. */
START_TEST(inputs_of_some) {
    alcore_comparison *comparison;
    alcore_pool *target = numbered_pool(ctx, 3);
    double embeddings[ROWS * 2] = {0};
    for (int i = 0; i < ROWS * 2; i++) embeddings[i] = i % 5;
    give(pool, "embeddings", embeddings, ROWS, 2);
    give(target, "embeddings", embeddings, 3, 2);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
    ck_assert_int_eq(alcore_request_compare(request, made, NULL, 2, NULL, &comparison),
                     ALCORE_E_INVALID); /* nnll and margin do not read it */
    alcore_strategy_unref(made[1]);
    ck_assert_ok(alcore_strategy_new(ctx, "average-dist", &made[1]));
    ck_assert_ok(alcore_request_set(request, "given", "scores,embeddings,target.embeddings"));
    alcore_comparison_unref(compared(NULL));
    ck_assert_ok(alcore_request_set(request, "given", "scores,margins"));
    ck_assert_int_eq(alcore_request_compare(request, made, NULL, 2, NULL, &comparison),
                     ALCORE_E_INVALID);
    ck_assert_msg(strstr(alcore_last_error(), "margins") != NULL, "%s", alcore_last_error());
    ck_assert_ptr_null(comparison);
    alcore_pool_unref(target);
}
END_TEST

/* A model that one of the strategies reads is read, whichever the first one is; one that none reads
 * is refused where a strategy is named, and told of where only the recommended one is asked for. */
START_TEST(a_model_of_some) {
    alcore_strategy *recommended = NULL, *three[3] = {NULL};
    alcore_model *model;
    alcore_comparison *comparison;
    alcore_pool *bare = pool_of(ctx, texts, ROWS);
    ck_assert_ok(alcore_strategy_new(ctx, "nnll", &three[1]));
    ck_assert_ok(alcore_strategy_new(ctx, "random", &three[2]));
    ck_assert_ok(alcore_model_new_ngram(ctx, NULL, NULL, &model));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, bare));
    ck_assert_ok(alcore_request_set_model(request, model));
    ck_assert_ok(alcore_request_set(request, "given", "model"));
    ck_assert_ok(alcore_request_compare(request, &recommended, NULL, 1, NULL, &comparison));
    ck_assert_str_eq(logged, "not read by ngram-cover, as no strategy was named: model");
    alcore_comparison_unref(comparison);
    *logged = '\0';
    ck_assert_ok(alcore_request_compare(request, three, NULL, 3, NULL, &comparison));
    ck_assert_str_eq(logged, "");
    alcore_comparison_unref(comparison);
    alcore_pool *other = pool_of(ctx, texts, ROWS); /* without the columns that nnll read */
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, other));
    alcore_strategy_unref(three[1]);
    three[1] = three[2];
    ck_assert_int_eq(alcore_request_compare(request, three, NULL, 2, NULL, &comparison),
                     ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "the model is not read: strategy random"));
    alcore_strategy_unref(three[2]);
    alcore_model_unref(model);
    alcore_pool_unref(other);
    alcore_pool_unref(bare);
}
END_TEST

/* ---- files ---- */

static const char *written(const alcore_comparison *comparison, const char *name) {
    ck_assert_ok(alcore_comparison_write(comparison, in_folder(name)));
    return file_text(in_folder(name));
}

START_TEST(files) {
    static const char *const names[] = {"<n&ll>", "margin"};
    alcore_comparison *comparison;
    ck_assert_ok(alcore_request_set(request, "price", "0.5EUR/i"));
    ck_assert_ok(alcore_request_compare(request, made, names, 2, test, &comparison));
    const char *text = written(comparison, "c.tsv");
    ck_assert_ptr_nonnull(strstr(text, "strategy\titems\tphrases\twords\t"));
    ck_assert_ptr_nonnull(strstr(text, "\tshared_picks_<n&ll>\tshared_picks_margin\tshared_picks_"
                                       "random\tshared_words_<n&ll>\t"));
    ck_assert_ptr_nonnull(strstr(text, "\n<n&ll>\t3\t\t7\t11\t3\t1.5\t"));
    ck_assert_ptr_nonnull(strstr(written(comparison, "c.csv"), "strategy,items,phrases,words,"));
    text = written(comparison, "c.json");
    ck_assert_int_eq(strncmp(text, alcore_comparison_document(comparison), strlen(text) - 1), 0);
    text = written(comparison, "c.html");
    ck_assert_ptr_nonnull(strstr(text, "<h1>Strategies compared</h1>"));
    ck_assert_ptr_nonnull(strstr(text, "&lt;n&amp;ll&gt;"));
    ck_assert_ptr_null(strstr(text, "<n&ll>"));
    ck_assert_ptr_nonnull(strstr(text, "</body></html>\n"));
    ck_assert_ptr_nonnull(strstr(text, "Distinct words of the test set"));
    ck_assert_int_eq(alcore_comparison_write(comparison, in_folder("c.txt")), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_comparison_write(comparison, in_folder("c.tsv.gz")),
                     ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_comparison_write(comparison, in_folder("none/c.html")), ALCORE_E_IO);
    ck_assert_int_eq(alcore_comparison_write(comparison, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_comparison_write(NULL, in_folder("c.tsv")), ALCORE_E_INVALID);
    alcore_comparison_unref(comparison);
}
END_TEST

/* The samples of a longer selection are spread over its ranks. */
START_TEST(samples_are_spread) {
    alcore_pool *larger = numbered_pool(ctx, 40);
    alcore_comparison *comparison;
    alcore_strategy *strategy;
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, larger));
    ck_assert_ok(alcore_request_set(request, "budget", "25,30"));
    ck_assert_ok(alcore_strategy_new(ctx, "random", &strategy));
    ck_assert_ok(alcore_request_compare(request, &strategy, NULL, 1, NULL, &comparison));
    json_t *document = document_of(comparison);
    const json_t *samples = json_object_get(strategy_at(document, 0), "samples");
    ck_assert_uint_eq(json_array_size(samples), 10);
    ck_near(at(json_array_get(samples, 1), "rank", NULL, -1), 3);
    ck_near(at(json_array_get(samples, 9), "rank", NULL, -1), 23);
    ck_near(at(strategy_at(document, 0), "items", NULL, -1), 25); /* the first budget */
    json_decref(document);
    alcore_comparison_unref(comparison);
    alcore_strategy_unref(strategy);
    alcore_pool_unref(larger);
}
END_TEST

/* A hybrid's items are rows and phrases, which are told apart when picks are counted as shared. */
START_TEST(rows_and_phrases) {
    alcore_comparison *comparison;
    alcore_strategy_unref(made[1]);
    ck_assert_ok(alcore_strategy_new(ctx, "hybrid", &made[1]));
    ck_assert_ok(alcore_strategy_set(made[1], "sentences", "nnll"));
    ck_assert_ok(alcore_request_set(request, "budget", "8w"));
    comparison = compared(test);
    json_t *document = document_of(comparison);
    const json_t *hybrid = strategy_at(document, 1);
    const double phrases = at(hybrid, "phrases", NULL, -1);
    ck_assert(phrases > 0);
    ck_assert_ptr_null(json_object_get(strategy_at(document, 0), "phrases"));
    ck_assert_int_le(shared(document, "shared_picks", 0, 1),
                     (int64_t)(at(hybrid, "items", NULL, -1) - phrases));
    ck_assert_int_gt(shared(document, "shared_picks", 0, 1), 0);
    ck_near(at(hybrid, "spent", NULL, -1), at(hybrid, "words", NULL, -1));
    json_decref(document);
    alcore_comparison_unref(comparison);
}
END_TEST

/* ---- refused ---- */

static void refused(alcore_status status, alcore_strategy *const *strategies,
                    const char *const *names, int64_t count, alcore_overlap *with,
                    const char *words) {
    alcore_comparison *out = (alcore_comparison *)folder;
    ck_assert_int_eq(alcore_request_compare(request, strategies, names, count, with, &out), status);
    ck_assert_ptr_null(out);
    ck_assert_msg(strstr(alcore_last_error(), words) != NULL, "%s", alcore_last_error());
}

START_TEST(what_is_refused) {
    static const char *const equal[] = {"one", "one"}, *const blank[] = {" ", ""};
    alcore_overlap *kept, *empty;
    alcore_comparison *out;
    refused(ALCORE_E_INVALID, made, equal, 2, NULL, "two of the strategies are called 'one'");
    refused(ALCORE_E_INVALID, made, NULL, 0, NULL, "strategies");
    refused(ALCORE_E_INVALID, made, NULL, ALCORE_COMPARISON_MAX + 1, NULL, "64");
    refused(ALCORE_E_INVALID, NULL, NULL, 1, NULL, "strategies");
    ck_assert_int_eq(alcore_request_compare(NULL, made, NULL, 1, NULL, &out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_request_compare(request, made, NULL, 1, NULL, NULL), ALCORE_E_INVALID);
    ck_assert_ok(alcore_overlap_new(
        ctx,
        OPTIONS_WITH(alcore_overlap_options, .kept = ALCORE_OVERLAP_TEST | ALCORE_OVERLAP_SELECTED),
        &kept));
    refused(ALCORE_E_INVALID, made, NULL, 2, kept, "keeps");
    alcore_overlap_unref(kept);
    ck_assert_ok(alcore_overlap_new(ctx, NULL, &empty));
    ck_assert_ok(
        alcore_overlap_add(empty, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, blank, NULL, 2));
    refused(ALCORE_E_INVALID, made, NULL, 2, empty, "the test set has no words");
    alcore_overlap_unref(empty);
    ck_assert_ok(alcore_request_set(request, "max_age", "2"));
    refused(ALCORE_E_PARAM, made, NULL, 2, NULL, "max_age");
    ck_assert_ok(alcore_request_set(request, "max_age", "0"));
    alcore_pool *none = numbered_pool(ctx, 0);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, none));
    refused(ALCORE_E_INVALID, made, NULL, 2, NULL, "the pool has no rows");
    alcore_pool_unref(none);
    ck_assert_int_eq(alcore_comparison_count(NULL), 0);
    ck_assert_ptr_null(alcore_comparison_document(NULL));
}
END_TEST

/* The texts that a test set had as selected are forgotten, and it serves again; orders that it
 * lacks are not measured. A budget of nothing has no picks to measure. */
START_TEST(the_test_set) {
    alcore_overlap *words;
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    ck_assert_ok(
        alcore_overlap_new(ctx, OPTIONS_WITH(alcore_overlap_options, .max_order = 1), &words));
    ck_assert_ok(
        alcore_overlap_add(words, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, test_texts, NULL, 2));
    for (int again = 0; again < 2; again++) {
        alcore_comparison *comparison = compared(words);
        json_t *document = document_of(comparison);
        ck_near(at(strategy_at(document, 0), "test", "types", 0), 50);
        ck_assert(isnan(at(strategy_at(document, 0), "test", "types", 1)));
        json_decref(document);
        alcore_comparison_unref(comparison);
    }
    ck_assert_ok(alcore_overlap_compute_coverage(words, 1, NULL, &score));
    ck_assert_int_eq(score.shared_types, 0);
    ck_assert_ok(alcore_request_set(request, "budget", "0"));
    alcore_comparison *comparison = compared(words);
    json_t *document = document_of(comparison);
    ck_near(at(strategy_at(document, 0), "test", "types", 0), 0);
    ck_assert(isnan(at(strategy_at(document, 0), "lengths", "mean", -1)));
    ck_assert(isnan(at(strategy_at(document, 0), "near_duplicates", NULL, -1)));
    ck_assert_ptr_nonnull(strstr(written(comparison, "c.html"), "not measured"));
    json_decref(document);
    alcore_comparison *other = alcore_comparison_ref(comparison);
    alcore_comparison_unref(comparison);
    ck_assert_int_eq(alcore_comparison_count(other), 3);
    alcore_comparison_unref(other);
    alcore_overlap_unref(words);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("comparison");
    tcase_add_checked_fixture(all, open_all, close_all);
    tcase_add_test(all, measures_by_hand);
    tcase_add_test(all, near_duplicates);
    tcase_add_test(all, what_each_two_share);
    tcase_add_test(all, the_floor);
    tcase_add_test(all, the_recommended_one);
    tcase_add_test(all, inputs_of_some);
    tcase_add_test(all, a_model_of_some);
    tcase_add_test(all, what_is_missing_is_told_first);
    tcase_add_test(all, targets_are_there);
    tcase_add_test(all, files);
    tcase_add_test(all, samples_are_spread);
    tcase_add_test(all, rows_and_phrases);
    tcase_add_test(all, the_test_set);
    tcase_add_test(all, what_is_refused);
    return check_suite_run("comparison", all);
}
