/* SPDX-License-Identifier: Apache-2.0 */
/* The recommended strategy: what a request without a strategy selects with, whichever it is. */
#include <jansson.h>

#include "last_warning.h"
#include "request_test.h"

enum { ROWS = 40 };

typedef struct world {
    alcore_ctx *ctx;
    alcore_pool *pool;
} world;

/* Texts of two words, of which several share either. */
static world open_world(void) {
    world w;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.log = keep_line;
    *logged = '\0';
    ck_assert_ok(alcore_ctx_new(&options, &w.ctx));
    ck_assert_ok(alcore_pool_new(w.ctx, NULL, &w.pool));
    for (int i = 0; i < ROWS; i++) {
        static const char *const verbs[] = {"open", "close", "move", "copy", "print"};
        static const char *const nouns[] = {"files",  "windows", "tabs",  "pages",
                                            "images", "fonts",   "tables"};
        char text[64];
        const char *texts[] = {text};
        snprintf(text, sizeof text, "%s %s", verbs[i % 5], nouns[i * i % 7]);
        if (i % 9 == 8) snprintf(text, sizeof text, "%s %s %d", verbs[i % 5], nouns[i % 7], i);
        ck_assert_ok(alcore_pool_add_texts(w.pool, texts, NULL, 1, NULL));
    }
    return w;
}

static void close_world(world *w) {
    alcore_pool_unref(w->pool);
    alcore_ctx_unref(w->ctx);
}

/* A request for six items of the pool, without a strategy. */
static alcore_request *plain_request(const world *w) {
    alcore_request *request;
    ck_assert_ok(alcore_request_new(w->ctx, &request));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, w->pool));
    ck_assert_ok(alcore_request_set(request, "budget", "6"));
    return request;
}

/* Checks that summary and provenance name the strategy, and whether they call it recommended. */
static void expect_told(const alcore_selection *selection, const char *name, bool recommended) {
    char line[128];
    snprintf(line, sizeof line,
             recommended ? "recommended strategy %s (may change in a minor "
                           "release), round 1, seed 0\nwhy: translators trained on its picks "
                         : "strategy %s, round 1, seed 0\nrows read: ",
             name);
    const char *summary = alcore_selection_summary(selection);
    ck_assert_msg(strncmp(summary, line, strlen(line)) == 0, "%s is not in front of %s", line,
                  summary);
    json_t *root = json_loads(alcore_selection_provenance(selection), 0, NULL);
    ck_assert_str_eq(json_string_value(json_object_get(root, "strategy")), name);
    ck_assert_int_eq(json_is_true(json_object_get(root, "recommended")), recommended);
    ck_assert(json_is_boolean(json_object_get(root, "recommended")));
    json_decref(root);
}

static void expect_same(const alcore_selection *one, const alcore_selection *other) {
    ck_assert_int_eq(alcore_selection_count(one), alcore_selection_count(other));
    for (int64_t k = 0; k < alcore_selection_count(one); k++)
        ck_assert_int_eq(alcore_selection_rows(one)[k], alcore_selection_rows(other)[k]);
}

/* Each way of naming no strategy, and the word, give the picks of the strategy's own name with all
 * masks; only this name is not called recommended. */
START_TEST(no_strategy_means_the_recommended_one) {
    static const char *const ways[] = {NULL, "recommended"};
    world w = open_world();
    alcore_request *request = plain_request(&w);
    alcore_selection *unnamed = selected(request), *made;
    const char *name = alcore_strategy_recommended();
    alcore_strategy *strategy;
    expect_told(unnamed, name, true);
    for (int i = 0; i < 2; i++) {
        ck_assert_ok(alcore_strategy_new(w.ctx, ways[i], &strategy));
        ck_assert_ok(alcore_request_set_strategy(request, strategy));
        alcore_strategy_unref(strategy);
        made = selected(request);
        expect_told(made, name, true);
        expect_same(made, unnamed);
        alcore_selection_unref(made);
    }
    ck_assert_ok(alcore_strategy_new(w.ctx, name, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set(request, "masks", "all"));
    alcore_strategy_unref(strategy);
    made = selected(request);
    expect_told(made, name, false);
    expect_same(made, unnamed);
    alcore_selection_unref(made);
    alcore_selection_unref(unnamed);
    alcore_request_unref(request);
    close_world(&w);
}
END_TEST

/* What is set of its parameters does not make it another strategy. */
START_TEST(it_stays_recommended_with_other_parameters) {
    world w = open_world();
    alcore_request *request = plain_request(&w);
    alcore_strategy *strategy;
    alcore_param_info info = ALCORE_PARAM_INFO_INIT;
    ck_assert_ok(alcore_strategy_new(w.ctx, NULL, &strategy));
    ck_assert_ok(alcore_strategy_builtin_param(NULL, 0, &info));
    ck_assert_ok(alcore_strategy_set(strategy, info.name, info.initial));
    ck_assert_fails(alcore_strategy_set(strategy, "lambda", "0.5"), ALCORE_E_PARAM,
                    "has no parameter \"lambda\"; name a strategy that has one, such as huds");
    ck_assert_fails(alcore_strategy_set(strategy, "decai", "0.5"), ALCORE_E_PARAM,
                    "did you mean decay?");
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_selection *made = selected(request);
    expect_told(made, alcore_strategy_recommended(), true);
    alcore_selection_unref(made);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    close_world(&w);
}
END_TEST

/* The registry's calls describe it by NULL and by the word, and list it by its own name only. */
START_TEST(the_registry_describes_it) {
    const char *name = alcore_strategy_recommended(), *listed;
    bool found = false;
    for (int64_t i = 0; (listed = alcore_strategy_builtin_name(i)) != NULL; i++) {
        found = found || strcmp(listed, name) == 0;
        ck_assert_str_ne(listed, "recommended");
    }
    ck_assert(found);
    ck_assert_str_eq(name, "ngram-cover"); /* another one is a change that CHANGELOG tells */
    const char *summary = alcore_strategy_builtin_summary(name);
    ck_assert_str_eq(alcore_strategy_builtin_summary(NULL), summary);
    ck_assert_str_eq(alcore_strategy_builtin_summary("recommended"), summary);
    for (int64_t i = 0; i < 3; i++) {
        const char *need = alcore_strategy_builtin_needs(name, ALCORE_ROLE_CANDIDATES, i);
        const char *same = alcore_strategy_builtin_needs(NULL, ALCORE_ROLE_CANDIDATES, i);
        ck_assert(need == same);
    }
    alcore_ctx *ctx;
    alcore_strategy *strategy;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_fails(alcore_strategy_new(ctx, "recomended", &strategy), ALCORE_E_PARAM,
                    "did you mean recommended?");
    alcore_ctx_unref(ctx);
}
END_TEST

/* Selects all that a request of a pool may, by a strategy, with masks; NULL: not set. Returns how
 * many. */
static int64_t count_of_all(const world *w, alcore_pool *pool, const char *name,
                            const char *masks) {
    alcore_request *request;
    alcore_strategy *strategy;
    ck_assert_ok(alcore_request_new(w->ctx, &request));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set(request, "budget", "1000"));
    if (masks) ck_assert_ok(alcore_request_set(request, "masks", masks));
    ck_assert_ok(alcore_strategy_new(w->ctx, name, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    alcore_selection *made = selected(request);
    const int64_t count = alcore_selection_count(made);
    alcore_selection_unref(made);
    alcore_request_unref(request);
    return count;
}

/* The summary says why: what was measured, what the strategy takes, without parentheses, and with
 * which masks. */
START_TEST(the_summary_says_why) {
    static const char because[] = "\nwhy: translators trained on its picks beat those trained on "
                                  "random draws in five domains of text; it takes ";
    static const char *const masks[][2] = {
        {NULL, "all"}, {"auto", "all"}, {"none", "none"}, {"near", "near"}};
    world w = open_world();
    alcore_request *request = plain_request(&w);
    char line[512], *end;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        if (masks[i][0]) ck_assert_ok(alcore_request_set(request, "masks", masks[i][0]));
        snprintf(line, sizeof line, "%s%s", because, alcore_strategy_builtin_summary(NULL));
        line[strlen(because)] = 't'; /* in place of "Texts" */
        end = strchr(line, '(');
        ck_assert_ptr_nonnull(end);
        sprintf(end - 1, "; masks: %s\n", masks[i][1]);
        alcore_selection *made = selected(request);
        ck_assert_msg(strstr(alcore_selection_summary(made), line) != NULL, "%s",
                      alcore_selection_summary(made));
        alcore_selection_unref(made);
    }
    alcore_request_unref(request);
    close_world(&w);
}
END_TEST

/* The masks belong to the recommended strategy; a named one has none unless they are asked for. */
START_TEST(its_masks_are_its_own) {
    static const char *const texts[] = {"open the file", "open the file 7", "%d/%s", "close it"};
    world w = open_world();
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(w.ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 4, NULL));
    ck_assert_int_eq(count_of_all(&w, pool, NULL, NULL), 2);
    ck_assert_int_eq(count_of_all(&w, pool, NULL, "auto"), 2);
    ck_assert_int_eq(count_of_all(&w, pool, NULL, "none"), 4);
    ck_assert_int_eq(count_of_all(&w, pool, NULL, "templates"), 3);
    ck_assert_int_eq(count_of_all(&w, pool, alcore_strategy_recommended(), NULL), 4);
    ck_assert_int_eq(count_of_all(&w, pool, "random", "auto"), 4);
    alcore_pool_unref(pool);
    close_world(&w);
}
END_TEST

/* Rows that stand for something else, as numbers do, have no words to choose by: the message names
 * strategies that read columns. Once some row is labeled the selection is SHORT. */
START_TEST(without_words_it_says_which_strategies_need_none) {
    static const char *const texts[] = {"1", "2", "3"};
    world w = open_world();
    alcore_pool *pool;
    alcore_selection *made;
    ck_assert_ok(alcore_pool_new(w.ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 3, NULL));
    alcore_request *request = plain_request(&w);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_fails(alcore_select(request, &made), ALCORE_E_INVALID,
                    "the candidates have no texts of words");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "kcenter for embeddings"));
    ck_assert_int_eq(count_of_all(&w, pool, NULL, "none"), 3);
    const int64_t labeled = 0;
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &labeled, 1));
    made = selected(request);
    ck_assert_int_eq(alcore_selection_count(made), 0);
    alcore_selection_unref(made);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_world(&w);
}
END_TEST

/* Checks that summary, log and provenance say what was not read: names with ", " between; "":
 * nothing. */
static void expect_ignored(const alcore_selection *selection, const char *names) {
    char note[256], told[128] = "";
    snprintf(note, sizeof note, "not read by ngram-cover, as no strategy was named: %s", names);
    const char *summary = alcore_selection_summary(selection);
    json_t *root = json_loads(alcore_selection_provenance(selection), 0, NULL), *name;
    size_t i;
    json_array_foreach(json_object_get(root, "ignored"), i, name) {
        if (i > 0) strcat(told, ", ");
        strcat(told, json_string_value(name));
    }
    ck_assert_str_eq(told, names);
    ck_assert_int_eq(json_object_get(root, "ignored") != NULL, *names != '\0');
    json_decref(root);
    ck_assert_msg((strstr(summary, *names ? note : "not read") != NULL) == (*names != '\0'), "%s",
                  summary);
    ck_assert_str_eq(logged, *names ? note : "");
    *logged = '\0';
}

/* A program that gives a model and names no strategy goes on when another one is recommended, which
 * reads none, and is told; so it is with columns of its pools and options of models. A strategy
 * that is named may leave unread what other calls read. */
START_TEST(what_is_not_read_is_told) {
    static double values[ROWS];
    world w = open_world();
    alcore_request *request = plain_request(&w);
    alcore_model *model;
    alcore_strategy *strategy;
    alcore_selection *plain = selected(request);
    expect_ignored(plain, "");
    ck_assert_ok(alcore_request_set(request, "given", "model"));
    ck_assert_ok(alcore_model_new_ngram(w.ctx, NULL, NULL, &model));
    ck_assert_ok(alcore_request_set_model(request, model));
    alcore_selection *made = selected(request);
    expect_ignored(made, "model");
    expect_same(made, plain);
    alcore_selection_unref(made);
    ck_assert_ok(alcore_request_set(request, "cache", "kept"));
    ck_assert_ok(alcore_request_set(request, "max_age", "2"));
    give(w.pool, "scores", values, ROWS, 1);
    give(w.pool, "mine", values, ROWS, 1); /* nothing has a meaning for it */
    made = selected(request);
    expect_ignored(made, "model, cache, max_age, scores");
    alcore_selection_unref(made);
    ck_assert_ok(alcore_strategy_new(w.ctx, "random", &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set(request, "given", ""));
    made = selected(request);
    expect_ignored(made, "");
    ck_assert_ok(alcore_request_set_strategy(request, NULL));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set(request, "given", "embeddings"));
    alcore_selection_unref(made);
    ck_assert_fails(alcore_select(request, &made), ALCORE_E_INVALID,
                    "the column 'embeddings' is not read: strategy ngram-cover reads no column; it "
                    "is read by huds");
    alcore_selection_unref(plain);
    alcore_model_unref(model);
    alcore_request_unref(request);
    close_world(&w);
}
END_TEST

CHECK_SUITE("recommended", no_strategy_means_the_recommended_one,
            it_stays_recommended_with_other_parameters, the_summary_says_why, its_masks_are_its_own,
            without_words_it_says_which_strategies_need_none, what_is_not_read_is_told,
            the_registry_describes_it);
