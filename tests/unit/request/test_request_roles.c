/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of another selection, whose languages same-ratio follows, the target that gold picks
 * from (spec 7.8, 7.9), other pools whose texts are not selected, and what a host's strategy sees.
 */
#include "request_test.h"

#include "base/rng.h"
#include "vectors.h"

/* A pool of rows with languages: "text 0", "text 1", ... and the tags of TV-SAMERATIO. */
static alcore_pool *language_pool(alcore_ctx *ctx, const vector_case *one) {
    static char texts[16][16];
    const char *views[16], *tags[16];
    alcore_records records = ALCORE_RECORDS_INIT;
    const json_t *list = vector_input(one, "languages");
    alcore_pool *pool;
    records.count = vector_length(list);
    for (int64_t i = 0; i < records.count; i++) {
        snprintf(texts[i], sizeof texts[i], "text %lld", (long long)i);
        views[i] = texts[i];
        tags[i] = json_string_value(json_array_get(list, (size_t)i));
    }
    records.texts = views;
    records.languages = tags;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* Three rows of ar, one of fa and one of hi, as numbers of rows and as a file of ids in which the
 * last is that of a phrase. */
START_TEST(languages_of_another_selection) {
    static const int64_t like[] = {0, 5, 7, 8, 9}, thrice[] = {0, 5, 9, 9, 9}, beyond[] = {0, 13};
    vector_case one = vector_case_number(vector_find("multilingual", "TV-SAMERATIO"), 0);
    int64_t count;
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = language_pool(ctx, &one);
    alcore_request *request = request_for(ctx, pool, "same-ratio", "5");
    ck_assert_ok(alcore_request_set(request, "seed", "42"));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, like, 5));
    const int64_t *picks = vector_integers(vector_expected(&one, "picks"), &count);
    alcore_selection *picked = selected(request);
    ck_rows(picked, picks, count);
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_provenance(picked), "\"rows of each language in like\":[3,1,1]"));
    alcore_selection_unref(picked);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, thrice, 5));
    picked = selected(request);
    ck_rows(picked, picks, count); /* a row that is named twice counts twice */
    alcore_selection_unref(picked);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, NULL, 0));
    write_file("like.txt", "1\n6\n8\n9\n10:0+2\n");
    ck_assert_ok(alcore_request_read_rows(request, ALCORE_ROWS_LIKE, "like.txt"));
    picked = selected(request);
    ck_rows(picked, picks, count);
    alcore_selection_unref(picked);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, like, 0)); /* like none */
    picked = selected(request);
    ck_assert_int_eq(alcore_selection_count(picked), 0);
    alcore_selection_unref(picked);
    /* Rows that are not there, more than the budget, counts beside them, and other strategies. */
    write_file("like.txt", "1\nnobody\n");
    ck_assert_fails(alcore_request_read_rows(request, ALCORE_ROWS_LIKE, "like.txt"),
                    ALCORE_E_NOT_FOUND, "like.txt:2: the pool has no id 'nobody'");
    write_file("like.txt", "1\n1:1+2\n"); /* row 1 has two words */
    ck_assert_fails(alcore_request_read_rows(request, ALCORE_ROWS_LIKE, "like.txt"),
                    ALCORE_E_NOT_FOUND, "like.txt:2: the pool has no id '1:1+2'");
    ck_assert_int_eq(remove("like.txt"), 0);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, beyond, 2));
    ck_assert_fails(alcore_select(request, &picked), ALCORE_E_NOT_FOUND,
                    "(like): there is no row 13, the pool has 13");
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, like, 5));
    ck_assert_ok(alcore_request_set(request, "budget", "4"));
    ck_assert_fails(alcore_select(request, &picked), ALCORE_E_PARAM,
                    "(like): 5 rows are more than the budget of 4");
    set_parameter(ctx, request, "same-ratio", "counts", "hi:1");
    ck_assert_fails(alcore_select(request, &picked), ALCORE_E_PARAM, "both counts and the rows");
    set_parameter(ctx, request, "plan", "counts", "hi:1");
    ck_assert_fails(alcore_select(request, &picked), ALCORE_E_INVALID,
                    "strategy plan does not follow the languages of another selection");
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_str_eq(remedy.name, "same-ratio");
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Gold picks the same rows from the target, with other candidates or without any, as it does from
 * these rows as candidates; what the labeled pool holds is left out. */
START_TEST(gold_picks_from_the_target) {
    static const char *const known[] = {"sentence number 3 here"};
    static const int64_t row[] = {1};
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = numbered_pool(ctx, 4), *target = numbered_pool(ctx, 20);
    alcore_pool *labeled = pool_of(ctx, known, 1);
    alcore_request *plain = request_for(ctx, target, "gold", "30");
    ck_assert_ok(alcore_request_set_pool(plain, ALCORE_ROLE_LABELED, labeled));
    alcore_selection *wanted = selected(plain);
    ck_assert_int_eq(alcore_selection_count(wanted), 19);
    alcore_pool *const candidates[] = {pool, NULL, target};
    for (size_t c = 0; c < sizeof candidates / sizeof *candidates; c++) {
        alcore_request *request = request_for(ctx, candidates[c], "gold", "30");
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
        alcore_selection *picked = selected(request);
        ck_rows(picked, alcore_selection_rows(wanted), 19);
        ck_assert_ptr_eq(alcore_selection_pool(picked), target);
        alcore_selection_unref(picked);
        /* The rows that a request names are those of its candidates. */
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, row, 1));
        if (candidates[c] == target) {
            picked = selected(request);
            ck_assert_int_eq(alcore_selection_count(picked), 18);
            alcore_selection_unref(picked);
        } else {
            ck_assert_fails(alcore_select(request, &picked), ALCORE_E_INVALID,
                            "strategy gold picks from the target, but the rows");
        }
        alcore_request_unref(request);
    }
    alcore_selection_unref(wanted);
    alcore_request_unref(plain);
    alcore_pool_unref(pool);
    alcore_pool_unref(target);
    alcore_pool_unref(labeled);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Rows with an excluded text are masked as excluded, those with a labeled one as known. */
START_TEST(texts_of_other_pools_are_not_selected) {
    static const char *const before[] = {"sentence number 1 here", "no text of the pool"},
                             *const known[] = {"sentence number 2 here"};
    static const int64_t left[] = {0, 3};
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = numbered_pool(ctx, 4), *excluded = pool_of(ctx, before, 2),
                *labeled = pool_of(ctx, known, 1);
    alcore_request *request = request_for(ctx, pool, "nnll", "9");
    give(pool, "scores", (const double[]){4, 3, 2, 1}, 4, 1);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_EXCLUDED, excluded));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    alcore_selection *picked = selected(request), *none;
    ck_rows(picked, left, 2);
    ck_assert_uint_eq(alcore_selection_flags(picked), ALCORE_SELECTION_SHORT);
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_summary(picked), "1 known from the labeled pool, 1 excluded"));
    alcore_selection_unref(picked);
    ck_assert_fails(alcore_request_set_pool(request, ALCORE_ROLE_LABELED_ROWS, pool),
                    ALCORE_E_INVALID, "no role");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_EXCLUDED, pool));
    ck_assert_fails(alcore_select(request, &none), ALCORE_E_INVALID, "excluded texts too");
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_pool_unref(excluded);
    alcore_pool_unref(labeled);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- what a view shows ---- */

enum { ROWS = 5 };

/* What a view has to show, and how often it was asked. */
typedef struct shown {
    alcore_pool *pool, *target;
    int calls;
} shown;

/* Compares a column of a role with the values [count]; NaN is equal to NaN. */
static void expect_values(const alcore_view *view, int32_t role, const char *name,
                          const double *values, int64_t count) {
    alcore_tensor found;
    ck_assert_ok(alcore_view_get_column(view, role, name, 0, count, &found, NULL));
    for (int64_t i = 0; i < count; i++) {
        const double value = ((const double *)found.data)[i];
        ck_assert_msg(value == values[i] || (isnan(value) && isnan(values[i])), "%s %d: %g", name,
                      (int)i, value);
    }
}

static alcore_status look_at_all(void *user, const alcore_view *view, alcore_choice *out) {
    shown *self = user;
    const double scores[ROWS] = {1, 1, 1, 1}, zeros[ROWS] = {0};
    alcore_tensor values;
    self->calls++;
    ck_assert_int_eq(alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES), 4);
    ck_assert_int_eq(alcore_view_row_count(view, ALCORE_ROLE_EXCLUDED), 0);
    ck_assert_ptr_eq(alcore_view_pool(view, ALCORE_ROLE_CANDIDATES), self->pool);
    ck_assert_ptr_eq(alcore_view_pool(view, ALCORE_ROLE_TARGET), self->target);
    ck_assert_ptr_null(alcore_view_pool(view, ALCORE_ROLE_LABELED));
    ck_assert_ptr_null(alcore_view_rows(view, ALCORE_ROLE_LABELED));
    ck_assert(alcore_view_budget(view) == 9 && alcore_view_round(view) == 3);
    for (int i = 0; i < 4; i++) ck_assert_double_eq(alcore_view_costs(view)[i], 4); /* words */
    ck_assert_uint_eq(alcore_view_random(view, 5), alcore__rng_derive(42, 64, 3, 5));
    expect_values(view, ALCORE_ROLE_CANDIDATES, "ranks", (const double[]){3, 4, 5, 6}, 4);
    /* Base 2, in which the numbers are stored; of the labeled row there is none. */
    expect_values(view, ALCORE_ROLE_CANDIDATES, "scores", (const double[]){-1, -2, -3, -4}, 4);
    expect_values(view, ALCORE_ROLE_LABELED_ROWS, "scores", (const double[]){(double)NAN}, 1);
    ck_assert_fails(
        alcore_view_get_column(view, ALCORE_ROLE_LABELED, "scores", 0, 0, &values, NULL),
        ALCORE_E_NOT_FOUND, "labeled pool");
    ck_assert_ptr_null(values.data);
    ck_assert_fails(alcore_pool_drop_column(self->pool, "ranks"), ALCORE_E_BUSY, "in use");
    return alcore_choice_scores(out, self->calls == 1 ? scores : zeros, 4);
}

START_TEST(what_a_view_shows) {
    static const char *const needs[] = {"ranks", "scores", NULL}, *const of_target[] = {"x", NULL};
    static const int64_t rows[] = {0, 1, 2, 3}, first[] = {0, 1}, labeled = 4;
    int64_t ranks[ROWS] = {3, 4, 5, 6, 7}, all = ROWS, some = 4;
    double logs[] = {-1, -2, -3, -4};
    alcore_tensor tensor;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    alcore_selection *none;
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    shown self = {.pool = numbered_pool(ctx, ROWS), .target = numbered_pool(ctx, 2)};
    ck_assert_ok(alcore_tensor_init(&tensor, ranks, ALCORE_INT64, &all, 1));
    ck_assert_ok(alcore_pool_set_column(self.pool, "ranks", &tensor, NULL, NULL));
    ck_assert_ok(alcore_tensor_init(&tensor, logs, ALCORE_FLOAT64, &some, 1));
    options.rows = rows;
    options.row_count = 4;
    options.meaning = ALCORE_MEANS_LOGPROB;
    options.log_base = 2;
    ck_assert_ok(alcore_pool_set_column(self.pool, "scores", &tensor, NULL, &options));
    ck_assert_ok(alcore_pool_mark(self.pool, ALCORE_ROW_LABELED, &labeled, 1));
    host.user = &self;
    host.needs = needs;
    host.choose = look_at_all;
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &strategy));
    alcore_request *request = request_for(ctx, self.pool, "random", "7w,9w,2w");
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, self.target));
    ck_assert_ok(alcore_request_set(request, "seed", "42"));
    ck_assert_ok(alcore_request_set(request, "round", "3"));
    alcore_selection *picked = selected(request); /* equal scores go to the lower row */
    ck_rows(picked, first, 2);
    alcore_selection_unref(picked);
    alcore_strategy_unref(strategy);
    /* A host that names columns of the target needs one. */
    host.target_needs = of_target;
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, NULL));
    ck_assert_fails(alcore_select(request, &none), ALCORE_E_MISSING,
                    "strategy host needs a target");
    ck_assert_int_eq(self.calls, 1);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    alcore_pool_unref(self.pool);
    alcore_pool_unref(self.target);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("request-roles", languages_of_another_selection, gold_picks_from_the_target,
            texts_of_other_pools_are_not_selected, what_a_view_shows);
