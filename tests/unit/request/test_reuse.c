/* SPDX-License-Identifier: Apache-2.0 */
/* The request's options "max_age" and "refresh_factor" (spec 3.8): scores of earlier rounds stand
 * in for those of a model that was trained since, but for rows without one and for the best rows by
 * these. What is selected is compared with a run without a cache whose model gives each row the
 * value of the round that the rule names. */
#include "cache_test.h"

enum { CLASSES = 4, BUDGET = 9, FACTOR = 3 };

/* A round of the loop, whose model is in the state of that number. */
static run round_of(int64_t number) {
    return (run){.name = "counting",
                 .state = (uint64_t)number,
                 .same_embeddings = true,
                 .dims = 3,
                 .classes = CLASSES,
                 .round = number,
                 .cache = cache,
                 .max_age = "1",
                 .budget = BUDGET};
}

/* Sets refreshed [ROWS] to 1 for what a run without a cache picks of a budget FACTOR times as
 * large, with the values of the states [ROWS]. */
static void best_rows(const run *like, const uint64_t *states, uint8_t *refreshed) {
    run stale = *like;
    stale.cache = stale.max_age = NULL;
    stale.states = states;
    stale.budget = FACTOR * like->budget;
    go(&stale);
    ck_assert_int_eq(stale.status, ALCORE_OK);
    for (int64_t i = 0; i < stale.count; i++) refreshed[stale.picks[i]] = 1;
}

/* The run selects what one without a cache does whose model gives each row the value of its state.
 */
static void check_selection(const run *self, const uint64_t *states) {
    run plain = *self;
    plain.cache = plain.max_age = plain.factor = NULL;
    plain.states = states;
    go(&plain);
    ck_assert_int_eq(plain.status, ALCORE_OK);
    ck_assert_str_eq(self->table, plain.table);
}

static void check_use(const run *self, int64_t hits, int64_t misses, int64_t stale) {
    char text[100];
    snprintf(text, sizeof text,
             "\"reuse\":{\"hits\":%d,\"misses\":%d,\"stale\":%d,\"seconds_saved\":", (int)hits,
             (int)misses, (int)stale);
    ck_assert_msg(strstr(self->provenance, text) != NULL, "%s is not in %s", text,
                  self->provenance);
    snprintf(text, sizeof text,
             "%d rows of this model were kept, %d were computed, %d are of earlier rounds",
             (int)hits, (int)misses, (int)stale);
    ck_assert_msg(strstr(self->summary, text) != NULL, "%s is not in %s", text, self->summary);
}

/* ---- tests ---- */

START_TEST(the_best_rows_are_scored_again) {
    const char *const strategies[] = {"huds", "nnll", "nsp", "nnll"};
    const char *const units[] = {NULL, NULL, NULL, "w"}; /* a row has four words */
    const int64_t best[] = {FACTOR * BUDGET, FACTOR * BUDGET, FACTOR * BUDGET,
                            (FACTOR * BUDGET + 3) / 4};
    for (int s = 0; s < 4; s++) {
        begin();
        run first = round_of(1), second = round_of(2);
        uint64_t states[ROWS];
        uint8_t refreshed[ROWS] = {0};
        first.strategy = second.strategy = strategies[s];
        first.unit = second.unit = units[s];
        go(&first);
        ck_assert_int_eq(first.status, ALCORE_OK);
        ck_assert_int_eq(first.scored, ROWS);
        check_use(&first, 0, ROWS, 0);
        for (int64_t row = 0; row < ROWS; row++) states[row] = 1;
        check_selection(&first, states);
        best_rows(&second, states, refreshed);
        for (int64_t row = 0; row < ROWS; row++) states[row] = refreshed[row] ? 2 : 1;
        go(&second);
        ck_assert_int_eq(second.scored, best[s]);
        ck_assert_int_eq(memcmp(second.was_scored, refreshed, ROWS), 0);
        ck_assert_int_eq(second.warnings, 0);
        check_use(&second, 0, best[s], ROWS - best[s]);
        check_selection(&second, states);
        /* Embeddings are those of the present model, as without max_age. */
        ck_assert_int_eq(second.embedded, s == 0 ? ROWS : 0);
        end();
    }
}
END_TEST

START_TEST(a_round_that_is_repeated_selects_the_same) {
    begin();
    run first = round_of(1), second = round_of(2), again = round_of(2), back = round_of(1);
    go(&first);
    go(&second);
    go(&again);
    ck_assert_int_eq(again.scored, 0);
    ck_assert_str_eq(again.table, second.table);
    check_use(&again, FACTOR * BUDGET, 0, ROWS - FACTOR * BUDGET);
    ck_assert_ptr_nonnull(strstr(again.provenance, "\"seconds_saved\":null"));
    ck_assert_ptr_null(strstr(again.summary, "saved about"));
    ck_assert_ptr_nonnull(strstr(second.summary, "saved about"));
    go(&back);
    ck_assert_int_eq(back.scored, 0);
    ck_assert_str_eq(back.table, first.table);
    end();
}
END_TEST

/* Rows that no earlier round scored, and rows whose scores are too old. */
START_TEST(rows_without_a_young_score_are_scored) {
    for (int age = 1; age <= 2; age++) {
        begin();
        run first = round_of(1), second = round_of(2), third = round_of(3);
        uint64_t states[ROWS];
        uint8_t refreshed[ROWS] = {0}, again[ROWS] = {0};
        first.past = 200;
        first.max_age = second.max_age = third.max_age = age == 1 ? "1" : "2";
        go(&first);
        ck_assert_int_eq(first.scored, 200);
        /* The best of the 200 rows that have a score; the others have none. */
        for (int64_t row = 0; row < ROWS; row++) states[row] = 1;
        second.past = 200;
        best_rows(&second, states, refreshed);
        second.past = 0;
        for (int64_t row = 200; row < ROWS; row++) refreshed[row] = 1;
        for (int64_t row = 0; row < ROWS; row++) states[row] = refreshed[row] ? 2 : 1;
        go(&second);
        ck_assert_int_eq(memcmp(second.was_scored, refreshed, ROWS), 0);
        check_selection(&second, states);
        /* Scores of round 1 are two rounds old in round 3. */
        go(&third);
        if (age == 2) {
            best_rows(&third, states, again);
            ck_assert_int_eq(memcmp(third.was_scored, again, ROWS), 0);
            for (int64_t row = 0; row < ROWS; row++) states[row] = again[row] ? 3 : states[row];
            check_selection(&third, states);
        } else {
            int64_t old = 0;
            for (int64_t row = 0; row < ROWS; row++) {
                ck_assert(refreshed[row] || third.was_scored[row]);
                old += !refreshed[row];
            }
            ck_assert_int_eq(third.scored, old + FACTOR * BUDGET);
        }
        end();
    }
}
END_TEST

START_TEST(a_factor_of_zero_scores_only_what_has_no_score) {
    begin();
    run first = round_of(1), second = round_of(2);
    uint64_t states[ROWS];
    second.factor = "0";
    go(&first);
    go(&second);
    ck_assert_int_eq(second.scored, 0);
    check_use(&second, 0, 0, ROWS);
    for (int64_t row = 0; row < ROWS; row++) states[row] = 1;
    check_selection(&second, states);
    end();
}
END_TEST

/* With candidates=N the other rows are neither scored nor in need of a score. */
START_TEST(only_drawn_candidates_are_scored) {
    begin();
    run first = round_of(1), second = round_of(2), plain = round_of(2);
    first.candidates = second.candidates = plain.candidates = "50";
    go(&first);
    ck_assert_int_eq(first.scored, 50);
    go(&second);
    ck_assert_int_eq(second.status, ALCORE_OK);
    /* Those of the 50 candidates of round 2 that were none in round 1 have no score. */
    ck_assert_int_lt(second.scored, 51);
    ck_assert_int_ge(second.scored, FACTOR * BUDGET / 2);
    for (int64_t i = 0; i < second.count; i++)
        ck_assert(second.was_scored[second.picks[i]] || first.was_scored[second.picks[i]]);
    plain.cache = plain.max_age = NULL;
    go(&plain);
    ck_assert_int_eq(plain.count, second.count);
    ck_assert_int_eq(plain.scored, 50);
    ck_assert_int_eq(plain.embedded, 50);
    end();
}
END_TEST

/* A loop without training: everything is of the present model, whatever the round. */
START_TEST(a_model_that_did_not_change_is_not_asked) {
    begin();
    run first = round_of(1), second = round_of(2);
    second.state = 1;
    go(&first);
    go(&second);
    ck_assert_int_eq(second.scored, 0);
    check_use(&second, ROWS, 0, 0);
    end();
}
END_TEST

/* Without max_age, and in round 1, all is as without this option; the files of another strategy are
 * not read. */
START_TEST(other_loops_are_left_alone) {
    begin();
    run first = round_of(1), exact = round_of(2), other = round_of(2);
    exact.max_age = "0";
    other.strategy = "nnll";
    go(&first);
    ck_assert_int_eq(list_entries("logprobs-round-1-"), 1);
    go(&exact);
    ck_assert_int_eq(exact.scored, ROWS);
    ck_assert_ptr_null(strstr(exact.provenance, "\"reuse\""));
    ck_assert_int_eq(list_entries("logprobs-round-2-"), 0);
    go(&other);
    check_use(&other, ROWS, 0, 0); /* what `exact` computed */
    ck_assert_int_eq(other.scored, 0);
    end();
}
END_TEST

START_TEST(damaged_files_are_not_used) {
    begin();
    run first = round_of(1), second = round_of(2);
    uint64_t states[ROWS];
    go(&first);
    ck_assert_int_eq(list_entries("logprobs-round-1-"), 1);
    ck_assert_int_eq(truncate(file_path, 100), 0);
    go(&second);
    ck_assert_int_eq(second.status, ALCORE_OK);
    ck_assert_int_eq(second.scored, ROWS);
    ck_assert_int_ge(second.warnings, 1);
    ck_assert_ptr_nonnull(strstr(second.last_warning, "logprobs-round-1-"));
    for (int64_t row = 0; row < ROWS; row++) states[row] = 2;
    check_selection(&second, states);
    end();
}
END_TEST

/* A model whose training gave it another class: its distributions and the old ones do not mix. */
START_TEST(values_of_another_shape_are_computed_anew) {
    begin();
    run first = round_of(1), second = round_of(2);
    uint64_t states[ROWS];
    first.strategy = second.strategy = "entropy";
    second.classes = CLASSES + 1;
    go(&first);
    ck_assert_int_eq(first.scored, ROWS);
    go(&second);
    ck_assert_int_eq(second.status, ALCORE_OK);
    ck_assert_int_eq(second.scored, ROWS);
    for (int64_t row = 0; row < ROWS; row++) states[row] = 2;
    check_selection(&second, states);
    check_use(&second, 0, ROWS, 0);
    end();
}
END_TEST

/* The same where the cache counts everything as too old: the rows of the first turn are computed a
 * second time, so that more are computed than there are, and none was kept. */
START_TEST(rows_that_are_computed_twice_are_no_hits) {
    begin();
    run first = round_of(1), second = round_of(2);
    first.strategy = second.strategy = "entropy";
    second.classes = CLASSES + 1;
    second.cache_max_age = "0";
    go(&first);
    go(&second);
    ck_assert_int_eq(second.status, ALCORE_OK);
    check_use(&second, 0, ROWS + FACTOR * BUDGET, 0);
    end();
}
END_TEST

START_TEST(a_model_without_a_name_computes_all) {
    begin();
    run first = round_of(1), second = round_of(2);
    first.name = second.name = NULL;
    first.strategy = second.strategy = "nnll";
    go(&first);
    go(&second);
    ck_assert_int_eq(second.scored, ROWS);
    ck_assert_int_eq(second.warnings, 1);
    ck_assert_int_eq(list_entries(""), 0);
    end();
}
END_TEST

START_TEST(wrong_settings_are_refused) {
    begin();
    run self = round_of(2);
    self.cache = NULL;
    go(&self);
    ck_assert_int_eq(self.status, ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(self.error, "max_age is set, but no cache is"));
    alcore_ctx *ctx;
    alcore_ablation rows[2] = {ALCORE_ABLATION_INIT, ALCORE_ABLATION_INIT};
    const double values[2] = {0.3, 0.7};
    self.cache = cache;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = numbered_pool(ctx, ROWS);
    alcore_request *request = request_of(ctx, pool, &self);
    ck_assert_fails(alcore_request_ablate(request, "lambda", values, 2, NULL, rows, NULL),
                    ALCORE_E_PARAM, "ablation");
    ck_assert_int_eq(alcore_request_set(request, "max_age", "-1"), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_request_set(request, "refresh_factor", "-1"), ALCORE_E_PARAM);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    end();
}
END_TEST

/* The pool keeps a mixture as what it is: a later request of the same process that wants scores of
 * the present model computes them. */
START_TEST(a_mixture_is_not_taken_for_the_model) {
    begin();
    run first = round_of(1), second = round_of(2);
    alcore_ctx *ctx;
    go(&first);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = numbered_pool(ctx, ROWS);
    alcore_model *model = model_of(ctx, &second);
    alcore_request *request = request_of(ctx, pool, &second);
    ck_assert_ok(alcore_request_set_model(request, model));
    alcore_selection_unref(selected(request));
    ck_assert_int_eq(second.scored, FACTOR * BUDGET);
    ck_assert_ok(alcore_request_set(request, "max_age", "0"));
    alcore_selection_unref(selected(request));
    ck_assert_int_eq(second.scored, ROWS);
    alcore_request_unref(request);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    end();
}
END_TEST

/* A phrase is measured by all texts in which it occurs, so that no text could keep an old score: a
 * model that would have to make the log-probabilities is not asked, and the message says why. Those
 * that are given are read as without max_age. */
START_TEST(phrases_take_no_scores_of_earlier_rounds) {
    begin();
    run self = round_of(2), plain;
    self.strategy = "huds-phrase";
    self.unit = "w";
    go(&self);
    ck_assert_int_eq(self.status, ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(self.error, "max_age does not apply to huds-phrase"));
    ck_assert_ptr_nonnull(strstr(self.error, "every text in which it occurs"));
    ck_assert_int_eq(self.scored, 0);
    ck_assert_int_eq(self.embedded, 0);
    self.given = true;
    go(&self);
    ck_assert_int_eq(self.status, ALCORE_OK);
    ck_assert_int_eq(self.scored, 0);
    ck_assert_int_gt(self.count, 0);
    plain = self;
    plain.max_age = NULL;
    go(&plain);
    ck_assert_str_eq(self.table, plain.table);
    self.given = false;
    self.max_age = NULL;
    go(&self);
    ck_assert_int_eq(self.status, ALCORE_OK);
    ck_assert_int_eq(self.scored, ROWS);
    end();
}
END_TEST

/* Every allocation of a second round fails in turn: the call fails, and no file is left behind. */
START_TEST(every_allocation) {
    static const char *const columns[] = {"logprobs", NULL};
    begin();
    run first = round_of(1), second = round_of(2);
    first.strategy = second.strategy = "nnll";
    sweep_allocations(&first, &second, columns, 0);
    end();
}
END_TEST

CHECK_SUITE("reuse", the_best_rows_are_scored_again, a_round_that_is_repeated_selects_the_same,
            rows_without_a_young_score_are_scored, a_factor_of_zero_scores_only_what_has_no_score,
            only_drawn_candidates_are_scored, a_model_that_did_not_change_is_not_asked,
            other_loops_are_left_alone, damaged_files_are_not_used,
            values_of_another_shape_are_computed_anew, rows_that_are_computed_twice_are_no_hits,
            a_model_without_a_name_computes_all, wrong_settings_are_refused,
            a_mixture_is_not_taken_for_the_model, phrases_take_no_scores_of_earlier_rounds,
            every_allocation);
