/* SPDX-License-Identifier: Apache-2.0 */
/* Views live as long as the headers say, whatever is done meanwhile: they are read again after
 * calls that could move or free what they point to, which the sanitized builds and valgrind watch.
 */
#include "request_test.h"

#include <stdlib.h>

enum { ROWS = 3, MANY = 3000 };

static alcore_ctx *ctx;
static alcore_pool *pool;

static void setup(void) {
    static const char *const texts[ROWS] = {"one red cat", "two red cats", "three dogs"};
    static const char *const languages[ROWS] = {"de", "en", NULL};
    static const char *const groups[ROWS] = {"first", NULL, NULL};
    static const char *const references[ROWS] = {"eine Katze", NULL, NULL};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.texts = texts;
    records.languages = languages;
    records.groups = groups;
    records.references = references;
    records.count = ROWS;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static void add_many(void) {
    for (int i = 0; i < MANY; i++) {
        char text[40];
        const char *texts[] = {text};
        snprintf(text, sizeof text, "text number %d", i);
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    }
}

/* alcore/pool.h: "Texts that were handed out never move"; views of rows live as long as the pool,
 * an earlier reference too. */
START_TEST(rows_of_a_pool) {
    const int64_t row = 0;
    const char *replaced = "andere Katze";
    const char *text = alcore_pool_text(pool, 0, NULL), *id = alcore_pool_row_id(pool, 0);
    const char *reference = alcore_pool_reference(pool, 0, NULL);
    const char *language = alcore_pool_language(pool, 0), *none = alcore_pool_language(pool, 2);
    const char *group = alcore_pool_group(pool, 0);
    add_many();
    ck_assert_str_eq(alcore_pool_row_id(pool, MANY), "3001"); /* numbers that become texts */
    ck_assert_ok(alcore_pool_set_references(pool, &row, &replaced, NULL, 1));
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &row, 1));
    ck_assert_ptr_eq(alcore_pool_text(pool, 0, NULL), text);
    ck_assert_str_eq(text, "one red cat");
    ck_assert_str_eq(id, "1");
    ck_assert_str_eq(reference, "eine Katze");
    ck_assert_str_eq(alcore_pool_reference(pool, 0, NULL), replaced);
    ck_assert_str_eq(language, "de");
    ck_assert_str_eq(none, "unknown");
    ck_assert_str_eq(group, "first");
}
END_TEST

/* alcore/pool_column.h: views of a column live until it is replaced or dropped. */
START_TEST(columns_of_a_pool) {
    static const double values[ROWS] = {0.5, 0.25, 0.75};
    const char *const notes[ROWS] = {"x", "y", "z"};
    alcore_tensor view;
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    give(pool, "scores", values, ROWS, 1);
    ck_assert_ok(alcore_pool_set_text_column(pool, "notes", notes, NULL, ROWS, NULL));
    const char *name = alcore_pool_column_name(pool, 0);
    const char *note = alcore_pool_column_text(pool, "notes", 1, NULL);
    ck_assert_ok(alcore_pool_get_column(pool, "scores", &view, NULL));
    ck_assert_ok(alcore_pool_get_column_info(pool, "scores", &info));
    for (int i = 0; i < 40; i++) {
        char other[20];
        snprintf(other, sizeof other, "column %d", i);
        give(pool, other, values, ROWS, 1);
        if (i % 2) ck_assert_ok(alcore_pool_drop_column(pool, other));
    }
    add_many();
    ck_assert_str_eq(name, "scores");
    ck_assert_str_eq(note, "y");
    ck_assert_str_eq(info.origin, "given");
    ck_assert_int_eq(view.shape[0], ROWS);
    ck_assert_double_eq(((const double *)view.data)[2], 0.75);
}
END_TEST

/* alcore/selection.h: a selection, and what it shows, outlives all that it was made with. */
START_TEST(a_selection) {
    static const double values[ROWS] = {0.5, 0.25, 0.75};
    alcore_tensor column;
    give(pool, "scores", values, ROWS, 1);
    alcore_request *request = request_for(ctx, pool, "nnll", "2,1");
    alcore_selection *selection = selected(request);
    const int64_t *rows = alcore_selection_rows(selection);
    const double *scores = alcore_selection_scores(selection);
    const char *reason = alcore_selection_reason(selection, 0);
    const char *provenance = alcore_selection_provenance(selection);
    const char *name = alcore_selection_column_name(selection, ALCORE_SCOPE_CANDIDATES, 0);
    alcore_selection *second = alcore_selection_of_budget(selection, 1);
    ck_assert_ok(alcore_selection_get_column(selection, ALCORE_SCOPE_CANDIDATES, "row", &column));
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    pool = NULL;
    ctx = NULL;
    ck_assert_int_eq(rows[0], 2);
    ck_assert_double_eq(scores[0], 0.75);
    ck_assert_uint_gt(strlen(reason), 0);
    ck_assert_int_eq(provenance[0], '{');
    ck_assert_str_eq(name, "row");
    ck_assert_int_eq(((const int64_t *)column.data)[1], 1);
    ck_assert_int_eq(alcore_selection_count(second), 1);
    ck_assert_str_eq(alcore_pool_text(alcore_selection_pool(selection), rows[0], NULL),
                     "three dogs");
    alcore_selection_ref(second); /* keeps it longer than the one that showed it */
    alcore_selection_unref(selection);
    ck_assert_int_eq(alcore_selection_rows(second)[0], 2);
    alcore_selection_unref(second);
}
END_TEST

/* Texts of options and rows of lists live until the handle, or the list, is changed; a model's name
 * as long as the model, whose context may be released before. */
START_TEST(settings) {
    const int64_t rows[] = {2, 0}, other[] = {1};
    const char *lambda, *fill;
    alcore_tensor listed, drawn;
    alcore_strategy *strategy;
    alcore_scorer *scorer;
    alcore_model *model;
    alcore_request *request = request_for(ctx, pool, "random", "1");
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_scorer_new(ctx, "uncertainty", &scorer));
    ck_assert_ok(alcore_strategy_set(strategy, "lambda", "0.25"));
    ck_assert_ok(alcore_strategy_get(strategy, "lambda", &lambda));
    ck_assert_ok(alcore_request_get(request, "fill", &fill));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, rows, 2));
    ck_assert_ok(alcore_request_get_rows(request, ALCORE_ROWS_ELIGIBLE, &listed));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, other, 1));
    ck_assert_ok(alcore_request_candidates(request, 1, &drawn));
    const char *needs = alcore_scorer_needs(scorer, 0);
    alcore_selection_unref(selected(request));
    ck_assert_str_eq(lambda, "0.25");
    ck_assert_uint_gt(strlen(fill), 0);
    ck_assert_int_eq(((const int64_t *)listed.data)[1], 0);
    ck_assert_int_eq(drawn.shape[0], 1);
    ck_assert_uint_gt(strlen(needs), 0);
    ck_assert_ok(alcore_model_new_ngram(ctx, NULL, NULL, &model));
    alcore_request_unref(request);
    alcore_scorer_unref(scorer);
    alcore_strategy_unref(strategy);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    pool = NULL;
    ctx = NULL;
    ck_assert_str_eq(alcore_model_name(model), "ngram");
    alcore_model_unref(model);
}
END_TEST

CHECK_SUITE_WITH("lifetimes", setup, teardown, rows_of_a_pool, columns_of_a_pool, a_selection,
                 settings);
