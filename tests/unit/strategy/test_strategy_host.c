/* SPDX-License-Identifier: Apache-2.0 */
/* The registry, named parameters, and the caller's own strategy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "check_status.h"
#include "check_suite.h"
#include "comma_locale.h"
#include "fault_allocator.h"
#include "strategy/rules/huds/huds.h"
#include "strategy_bed.h"

static bed b;

/* Whether values of a parameter can be written to a member of that type. */
static bool fits(int32_t param, int32_t member) {
    static const int32_t TYPES[][2] = {
        {ALCORE_PARAM_FLAG, ALCORE__IS_BOOL},       {ALCORE_PARAM_FLAG, ALCORE__IS_INT32},
        {ALCORE_PARAM_CHOICE, ALCORE__IS_BOOL},     {ALCORE_PARAM_CHOICE, ALCORE__IS_INT32},
        {ALCORE_PARAM_CHOICE, ALCORE__IS_INT64},    {ALCORE_PARAM_CHOICE, ALCORE__IS_TEXT},
        {ALCORE_PARAM_INTEGER, ALCORE__IS_INT64},   {ALCORE_PARAM_NUMBER, ALCORE__IS_DOUBLE},
        {ALCORE_PARAM_NUMBERS, ALCORE__IS_NUMBERS}, {ALCORE_PARAM_TEXT, ALCORE__IS_TEXT}};
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (TYPES[i][0] == param && TYPES[i][1] == member) return true;
    return false;
}

/* What scores read (lib/scorer) is read by its name; all else is bound, a choice of more words than
 * two not to a bool. */
START_TEST(parameters_are_bound) {
    const alcore__strategy_def *def;
    for (int64_t i = 0; (def = alcore__strategy_at(i)) != NULL; i++) {
        for (int32_t p = 0; p < def->params->count; p++) {
            const alcore__param *row = &def->params->rows[p];
            const bool of_score = strstr("mode margin windows labels norm sign", row->name);
            if (row->member.of == 0 && of_score) continue;
            ck_assert_msg(row->member.of > 0, "%s: %s is not bound", def->name, row->name);
            ck_assert_msg(fits(row->type, row->member.type), "%s: %s", def->name, row->name);
            const char *second = row->choices ? strchr(row->choices, '|') : NULL;
            if (row->type == ALCORE_PARAM_CHOICE && row->member.type == ALCORE__IS_BOOL)
                ck_assert_msg(second && !strchr(second + 1, '|'), "%s: %s", def->name, row->name);
            if (row->member.of == ALCORE__TO_STATE)
                ck_assert_uint_lt(row->member.offset, def->state_bytes);
        }
    }
}
END_TEST

/* A parameter takes what its description says, and nothing else. */
static void check_param(alcore_strategy *strategy, const alcore_param_info *info) {
    char text[64];
    const bool number = info->type == ALCORE_PARAM_INTEGER || info->type == ALCORE_PARAM_NUMBER ||
                        info->type == ALCORE_PARAM_NUMBERS || info->type == ALCORE_PARAM_FLAG;
    ck_assert_int_ge(info->type, ALCORE_PARAM_FLAG);
    ck_assert_int_le(info->type, ALCORE_PARAM_TEXT);
    ck_assert_int_eq(info->reserved, 0);
    for (const char *at = info->choices; at && *at; at += strcspn(at, "|"), at += *at == '|') {
        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "|"), at);
        ck_assert_msg(alcore_strategy_set(strategy, info->name, text) == ALCORE_OK, "%s=%s: %s",
                      info->name, text, alcore_last_error());
    }
    if (info->type != ALCORE_PARAM_TEXT)
        ck_assert_int_eq(alcore_strategy_set(strategy, info->name, "no such word"), ALCORE_E_PARAM);
    if (info->type == ALCORE_PARAM_INTEGER || info->type == ALCORE_PARAM_FLAG)
        ck_assert_int_eq(alcore_strategy_set(strategy, info->name, "0.5"), ALCORE_E_PARAM);
    for (int end = 0; number && end < 2; end++) {
        const double limit = end == 0 ? info->minimum : info->maximum;
        if (!isfinite(limit) || fabs(limit) > 1e15) continue;
        snprintf(text, sizeof text, "%.17g", limit + (end == 0 ? -1 : 1));
        ck_assert_msg(alcore_strategy_set(strategy, info->name, text) == ALCORE_E_PARAM, "%s=%s",
                      info->name, text);
        snprintf(text, sizeof text, "%.17g", limit);
        ck_assert_msg(alcore_strategy_set(strategy, info->name, text) == ALCORE_OK, "%s=%s: %s",
                      info->name, text, alcore_last_error());
    }
    const bool many = info->type == ALCORE_PARAM_NUMBERS;
    snprintf(text, sizeof text, "%s,%s", info->initial, info->initial);
    if (info->type != ALCORE_PARAM_TEXT)
        ck_assert_msg(alcore_strategy_set(strategy, info->name, text) ==
                          (many ? ALCORE_OK : ALCORE_E_PARAM),
                      "%s=%s", info->name, text);
}

START_TEST(registry) {
    bed_open(&b, 1, 1, NULL);
    int32_t count = 0;
    for (; alcore_strategy_builtin_name(count); count++) {
        const char *name = alcore_strategy_builtin_name(count);
        ck_assert_ptr_nonnull(alcore_strategy_builtin_summary(name));
        alcore_strategy *strategy;
        ck_assert_int_eq(alcore_strategy_new(b.ctx, name, &strategy), ALCORE_OK);
        ck_assert_str_eq(alcore__strategy_name(strategy), name);
        alcore_param_info info = ALCORE_PARAM_INFO_INIT;
        for (int32_t p = 0; alcore_strategy_builtin_param(name, p, &info) == ALCORE_OK; p++) {
            ck_assert_ptr_nonnull(info.help);
            const char *text; /* its default, then the same that was set */
            ck_assert_int_eq(alcore_strategy_get(strategy, info.name, &text), ALCORE_OK);
            ck_assert_str_eq(text, info.initial);
            ck_assert_int_eq(alcore_strategy_set(strategy, info.name, info.initial), ALCORE_OK);
            ck_assert_int_eq(alcore_strategy_get(strategy, info.name, &text), ALCORE_OK);
            ck_assert_str_eq(text, info.initial);
            check_param(strategy, &info);
        }
        ck_assert_int_eq(alcore_strategy_builtin_param(name, 99, &info), ALCORE_E_NOT_FOUND);
        alcore_strategy_unref(strategy);
    }
    ck_assert_int_ge(count, 12);
    ck_assert_ptr_null(alcore_strategy_builtin_name(-1));
    ck_assert_ptr_null(alcore_strategy_builtin_summary("nothing"));
    ck_assert_str_eq(alcore_strategy_builtin_needs("huds", ALCORE_ROLE_CANDIDATES, 0),
                     "scores|logprobs");
    ck_assert_str_eq(alcore_strategy_builtin_needs("huds", ALCORE_ROLE_CANDIDATES, 1),
                     "embeddings");
    ck_assert_ptr_null(alcore_strategy_builtin_needs("huds", ALCORE_ROLE_CANDIDATES, 2));
    ck_assert_str_eq(alcore_strategy_builtin_needs("idds", ALCORE_ROLE_LABELED, 0), "embeddings");
    ck_assert_ptr_null(alcore_strategy_builtin_needs("random", ALCORE_ROLE_CANDIDATES, 0));
    bed_close(&b);
}
END_TEST

/* The most uncertain rows of a score have a strategy. */
START_TEST(scores_have_strategies) {
    bed_open(&b, 1, 1, NULL);
    const char *name;
    for (int64_t i = 0; (name = alcore_scorer_builtin_name(i)) != NULL; i++) {
        const bool by_mode = strcmp(name, "sum-prob") == 0;
        alcore_strategy *strategy;
        ck_assert_ok(alcore_strategy_new(b.ctx, by_mode ? "uncertainty" : name, &strategy));
        if (by_mode) ck_assert_ok(alcore_strategy_set(strategy, "mode", name));
        alcore_strategy_unref(strategy);
    }
    bed_close(&b);
}
END_TEST

/* Numbers go in and come back without snprintf(), also where the locale writes a comma. */
START_TEST(parameters_by_number_and_back) {
    alcore_strategy *strategy;
    const char *text = "left";
    bed_open(&b, 1, 1, NULL);
    ck_assert_int_eq(alcore_strategy_new(b.ctx, "huds", &strategy), ALCORE_OK);
    ck_assert_int_eq(alcore_strategy_get(strategy, "n_strata", &text), ALCORE_OK);
    ck_assert_str_ne(text, "");
    comma_locale locale;
    comma_locale_begin(&locale);
    ck_assert_int_eq(alcore_strategy_set_number(strategy, "lambda", 0.1), ALCORE_OK);
    ck_assert_int_eq(alcore_strategy_set_int(strategy, "n_strata", 12), ALCORE_OK);
    comma_locale_end(&locale);
    ck_assert_int_eq(alcore_strategy_get(strategy, "lambda", &text), ALCORE_OK);
    ck_assert_str_eq(text, "0.1");
    alcore__huds_state huds = {0};
    alcore__values_bind(alcore__strategy_values(strategy), ALCORE__TO_STATE, &huds);
    ck_assert(alcore__number_of_round(huds.lambdas, 1) == 0.1);
    ck_assert_int_eq(alcore_strategy_get(strategy, "n_strata", &text), ALCORE_OK);
    ck_assert_str_eq(text, "12");
    ck_assert_int_eq(alcore_strategy_set_number(strategy, "lambda", NAN), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_strategy_set_number(strategy, "n_strata", 2.5), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_strategy_set_int(strategy, "n_strata", -1), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_strategy_set_int(NULL, "n_strata", 1), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_strategy_get(strategy, "n_stratum", &text), ALCORE_E_PARAM);
    ck_assert_ptr_null(text);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "n_strata"));
    ck_assert_int_eq(alcore_strategy_get(strategy, NULL, &text), ALCORE_E_INVALID);
    alcore_strategy_unref(strategy);
    bed_close(&b);
}
END_TEST

static void expect_refused(const char *strategy, const char *params, const char *says) {
    ck_assert_int_eq(bed_run(&b, strategy, params, 1), ALCORE_E_PARAM);
    ck_assert_msg(strstr(alcore_last_error(), says), "%s", alcore_last_error());
}

START_TEST(wrong_parameters) {
    bed_open(&b, 1, 1, NULL);
    expect_refused("hudz", "", "did you mean huds?");
    expect_refused("average", "", "is now called \"average-dist\"");
    expect_refused("huds", "lamda=0.5", "did you mean lambda?");
    expect_refused("huds", "lambda=1.5", "from 0 to 1");
    expect_refused("huds", "lambda=0.5,x", "separated by commas");
    expect_refused("huds", "lambda=0.5,", "lambda");
    expect_refused("huds", "n_strata=0", "from 1 to");
    expect_refused("huds", "n_strata=2.5", "integer");
    expect_refused("huds", "rescale=log", "none|minmax|zscore|rank");
    expect_refused("huds", "unit=yes", "0 or 1");
    expect_refused("huds", "candidates=some", "or all");
    expect_refused("huds", "candidates=0", "from 1");
    expect_refused("gold", "x=1", "no parameters");
    expect_refused("idds", "alpha=nan", "from 0 to 1");
    alcore_strategy *strategy;
    ck_assert_int_eq(alcore_strategy_new(b.ctx, "huds", &strategy), ALCORE_OK);
    ck_assert_int_eq(alcore_strategy_set(strategy, "n_strata", "7"), ALCORE_OK);
    ck_assert_int_eq(alcore_strategy_set(strategy, "n_strata", "x"), ALCORE_E_PARAM);
    ck_assert_int_eq(alcore__values_integer(alcore__strategy_values(strategy), "n_strata"), 7);
    ck_assert_int_eq(alcore_strategy_set(strategy, NULL, "x"), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_strategy_set(NULL, "n_strata", "x"), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_strategy_set(strategy, "candidates", "3"), ALCORE_OK);
    uint8_t mask[10];
    memset(mask, 1, sizeof mask);
    ck_assert_int_eq(alcore__strategy_draw(strategy, 42, 1, &(alcore__place){0}, 10, NULL, mask),
                     ALCORE_OK);
    int drawn = 0;
    for (int i = 0; i < 10; i++) drawn += mask[i];
    ck_assert_int_eq(drawn, 3);
    alcore_strategy_unref(strategy);
    bed_close(&b);
}
END_TEST

/* ---- the caller's strategy ---- */

typedef struct caller {
    int64_t order[8], count;
    bool by_order, silent, fails;
    int destroyed;
    uint64_t random;
} caller;

enum { CANDIDATES = ALCORE_ROLE_CANDIDATES, TARGET = ALCORE_ROLE_TARGET };
enum { LABELED = ALCORE_ROLE_LABELED, LABELED_ROWS = ALCORE_ROLE_LABELED_ROWS };

/* Reads everything that open_host() shows; a status is one that the library gave. */
static alcore_status read_view(const alcore_view *view) {
    alcore_tensor values, offsets, first, target;
    ALCORE__TRY(alcore_view_get_column(view, CANDIDATES, "embeddings", 0, 3, &values, &offsets));
    ck_assert(values.ndim == 2 && values.shape[0] == 3 && values.shape[1] == 2 && !offsets.data);
    const double *x = values.data;
    ck_assert(x[0] == 1 && x[2] == 5 && x[3] == 6 && x[4] == 7);
    ALCORE__TRY(alcore_view_get_column(view, CANDIDATES, "logprobs", 0, 3, &values, &offsets));
    ck_assert(values.ndim == 1 && values.shape[0] == 4 && offsets.shape[0] == 4);
    const double *lp = values.data;
    const int64_t *at = offsets.data;
    ck_assert(at[0] == 0 && at[1] == 2 && at[2] == 3 && at[3] == 4);
    ck_assert(lp[0] == -1 && lp[2] == -4 && lp[3] == -5);
    /* A part from the middle counts tokens from 0; one of another role leaves it as it is. */
    ALCORE__TRY(alcore_view_get_column(view, CANDIDATES, "logprobs", 1, 2, &first, &offsets));
    at = offsets.data;
    ck_assert(first.shape[0] == 2 && at[0] == 0 && at[2] == 2 && ((double *)first.data)[0] == -4);
    ALCORE__TRY(alcore_view_get_column(view, TARGET, "embeddings", 1, 1, &target, NULL));
    ck_assert(((double *)target.data)[0] == 9 && ((double *)target.data)[1] == 10);
    ck_assert(((double *)first.data)[1] == -5);
    ALCORE__TRY(alcore_view_get_column(view, LABELED_ROWS, "embeddings", 0, 1, &values, NULL));
    ck_assert(((double *)values.data)[0] == 3 && ((double *)values.data)[1] == 4);
    ALCORE__TRY(alcore_view_get_column(view, LABELED, "scores", 0, 3, &values, NULL));
    ck_assert(values.ndim == 1 && ((double *)values.data)[2] == 0.75);
    ALCORE__TRY(alcore_view_get_column(view, CANDIDATES, "embeddings", 3, 0, &values, NULL));
    ck_assert(values.shape[0] == 0);
    return ALCORE_OK;
}

static void expect_refusal(const alcore_view *view, int32_t role, const char *name, int64_t first,
                           int64_t count, alcore_status status, const char *says) {
    alcore_tensor values, offsets;
    memset(&values, 1, sizeof values);
    memset(&offsets, 1, sizeof offsets);
    ck_assert_int_eq(alcore_view_get_column(view, role, name, first, count, &values, &offsets),
                     status);
    ck_assert_msg(strstr(alcore_last_error(), says), "%s", alcore_last_error());
    ck_assert(!values.data && !values.shape && !offsets.data);
}

/* What a view refuses: columns that were not named, positions and roles that it has not. */
static void ask_for_nothing_there(const alcore_view *view) {
    expect_refusal(view, CANDIDATES, "other", 0, 1, ALCORE_E_NOT_FOUND,
                   "no column \"other\" of the candidates (a pool of 4 rows): it must be named in "
                   "needs");
    expect_refusal(view, TARGET, "logprobs", 0, 1, ALCORE_E_NOT_FOUND,
                   "no column \"logprobs\" of the target (a pool of 2 rows): it must be named in "
                   "target_needs");
    expect_refusal(view, LABELED, "embeddings", 0, 1, ALCORE_E_NOT_FOUND, "in labeled_needs");
    expect_refusal(view, CANDIDATES, "embeddings", 1, 3, ALCORE_E_INVALID,
                   "3 rows from position 1 on: the view shows 3 rows of the candidates");
    expect_refusal(view, CANDIDATES, "embeddings", -1, 1, ALCORE_E_INVALID, "position -1");
    expect_refusal(view, CANDIDATES, "embeddings", 0, -1, ALCORE_E_INVALID, "-1 rows");
    expect_refusal(view, CANDIDATES, "embeddings", 4, 0, ALCORE_E_INVALID, "position 4");
    expect_refusal(view, CANDIDATES, "embeddings", INT64_MAX, INT64_MAX, ALCORE_E_INVALID,
                   "3 rows");
    expect_refusal(view, LABELED_ROWS, "embeddings", 0, 2, ALCORE_E_INVALID,
                   "1 rows of the labeled rows of the candidates' pool");
    expect_refusal(view, 0, "embeddings", 0, 1, ALCORE_E_INVALID, "role is 0,");
    expect_refusal(view, 5, "embeddings", 0, 1, ALCORE_E_INVALID, "role is 5,");
    expect_refusal(view, CANDIDATES, NULL, 0, 1, ALCORE_E_INVALID, "must not be NULL");
    ck_assert_int_eq(alcore_view_get_column(view, CANDIDATES, "logprobs", 0, 1, NULL, NULL),
                     ALCORE_E_INVALID);
    ck_assert(alcore_view_row_count(view, 0) == 0 && alcore_view_row_count(view, 5) == 0);
    ck_assert(!alcore_view_rows(view, 5) && !alcore_view_pool(view, -1));
}

static alcore_status choose(void *user, const alcore_view *view, alcore_choice *out) {
    caller *c = user;
    c->random = alcore_view_random(view, 3);
    if (c->fails) return alcore_error_set(ALCORE_E_DATA, "no", 2);
    if (c->silent) return ALCORE_OK;
    if (c->by_order) return alcore_choice_order(out, c->order, c->count);
    ALCORE__TRY(read_view(view));
    ck_assert(alcore_view_row_count(view, LABELED_ROWS) == 1);
    ck_assert(alcore_view_rows(view, LABELED_ROWS)[0] == 1);
    ck_assert(alcore_view_row_count(view, CANDIDATES) == 3);
    ck_assert(alcore_view_rows(view, CANDIDATES)[1] == 2);
    ck_assert(alcore_view_row_count(view, LABELED) == 3 && alcore_view_rows(view, LABELED)[2] == 2);
    ck_assert(alcore_view_row_count(view, TARGET) == 2 && alcore_view_rows(view, TARGET)[1] == 1);
    ck_assert(alcore_view_budget(view) == 2 && alcore_view_round(view) == 1 &&
              alcore_view_costs(view)[0] == 1);
    ck_assert_ptr_null(alcore_view_pool(view, CANDIDATES));
    const double scores[] = {1, 3, 2};
    return alcore_choice_scores(out, scores, 3);
}

static alcore_status choose_after_refusals(void *user, const alcore_view *view,
                                           alcore_choice *out) {
    const double scores[] = {1, 3, 2};
    (void)user;
    ask_for_nothing_there(view);
    ck_assert_int_eq(alcore_choice_scores(out, scores, 2), ALCORE_E_SHAPE);
    return alcore_choice_scores(out, scores, 3);
}

static void destroy(void *user) {
    ((caller *)user)->destroyed++;
}

/* A strategy of the caller over four rows, of which row 1 is labeled, a labeled pool of three rows
 * and a target of two. NULL when memory ends. */
static alcore_strategy *open_host(caller *c, const alcore_allocator *allocator) {
    static const float e[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const float lp[] = {-1, -2, -3, -4, -5};
    static const int64_t offsets[] = {0, 2, 3, 4, 5};
    static const float of_labeled[] = {0.25f, 0.5f, 0.75f}, of_target[] = {7, 8, 9, 10};
    static const uint8_t labeled[] = {0, 1, 0, 0};
    static const char *const needs[] = {"scores|embeddings", "logprobs", NULL};
    static const char *const labeled_needs[] = {"scores", NULL};
    static const char *const target_needs[] = {"embeddings", NULL};
    bed_open(&b, 4, 1, allocator);
    bed_column(&b, &b.input.candidates, "embeddings", e, 4, 2, ALCORE_FLOAT32);
    bed_column(&b, &b.input.labeled, "scores", of_labeled, 3, 1, ALCORE_FLOAT32);
    bed_column(&b, &b.input.target, "embeddings", of_target, 2, 2, ALCORE_FLOAT32);
    bed_ragged(&b, "logprobs", lp, offsets, 4, 1, ALCORE_FLOAT32);
    b.mask[1] = 0;
    b.input.labeled_rows = labeled;
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    host.user = c;
    host.destroy = destroy;
    host.name = "mine";
    host.needs = needs;
    host.labeled_needs = labeled_needs;
    host.target_needs = target_needs;
    host.choose = choose;
    alcore_strategy *strategy = NULL;
    alcore_strategy_new_host(b.ctx, &host, &strategy);
    return strategy;
}

START_TEST(host_scores_and_orders) {
    caller c = {.order = {3, 0}, .count = 2};
    alcore_strategy *strategy = open_host(&c, NULL);
    ck_assert_str_eq(alcore__strategy_name(strategy), "mine");
    ck_assert_fails(alcore_strategy_set(strategy, "x", "1"), ALCORE_E_PARAM, "no parameters");
    ck_assert_str_eq(alcore__strategy_needs(strategy, ALCORE_ROLE_CANDIDATES, 1), "logprobs");
    ck_assert_ptr_null(alcore__strategy_needs(strategy, ALCORE_ROLE_CANDIDATES, 2));
    ck_assert_str_eq(alcore__strategy_needs(strategy, ALCORE_ROLE_LABELED, 0), "scores");
    ck_assert_str_eq(alcore__strategy_needs(strategy, ALCORE_ROLE_TARGET, 0), "embeddings");
    ck_assert_ptr_null(alcore__strategy_needs(strategy, ALCORE_ROLE_TARGET, 1));
    ck_assert_ptr_null(alcore__strategy_needs(strategy, ALCORE_ROLE_LABELED_ROWS, 0));
    ck_assert_ptr_null(alcore__strategy_needs(strategy, 0, 0));
    ck_assert_msg(bed_run_strategy(&b, strategy, 2) == ALCORE_OK, "%s", alcore_last_error());
    BED_PICKS(&b, 2, 3);
    ck_assert_uint_eq(c.random, alcore__rng_derive(42, 64, 1, 3));
    c.by_order = true;
    ck_assert_int_eq(bed_run_strategy(&b, strategy, 3), ALCORE_OK);
    BED_PICKS(&b, 3, 0);
    ck_assert_int_eq(b.outcome.bought.pick_count, 2);
    ck_assert_uint_eq(b.outcome.bought.flags, ALCORE_SELECTION_SHORT);
    c.order[1] = 3;
    ck_assert_int_eq(bed_run_strategy(&b, strategy, 3), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 3 stands twice"));
    c.order[1] = 1;
    ck_assert_int_eq(bed_run_strategy(&b, strategy, 3), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1 is not a candidate"));
    c.silent = true;
    ck_assert_int_eq(bed_run_strategy(&b, strategy, 3), ALCORE_E_CALLBACK);
    c.fails = true;
    ck_assert_int_eq(bed_run_strategy(&b, strategy, 3), ALCORE_E_DATA);
    ck_assert_str_eq(alcore_last_error(), "no");
    alcore_strategy_unref(strategy);
    ck_assert_int_eq(c.destroyed, 1);
    bed_close(&b);
}
END_TEST

/* Answers with an order and with scores; c->by_order: the order is the later answer. */
static alcore_status choose_twice(void *user, const alcore_view *view, alcore_choice *out) {
    caller *c = user;
    const double scores[] = {1, 3, 2};
    (void)view;
    if (c->by_order) ALCORE__TRY(alcore_choice_scores(out, scores, 3));
    ALCORE__TRY(alcore_choice_order(out, c->order, c->count));
    return c->by_order ? ALCORE_OK : alcore_choice_scores(out, scores, 3);
}

START_TEST(a_later_answer_replaces_an_earlier_one) {
    caller c = {.order = {3, 0}, .count = 2};
    alcore_strategy *strategy = open_host(&c, NULL);
    strategy->host.choose = choose_twice;
    ck_assert_ok(bed_run_strategy(&b, strategy, 2));
    BED_PICKS(&b, 2, 3);
    c.by_order = true;
    ck_assert_ok(bed_run_strategy(&b, strategy, 2));
    BED_PICKS(&b, 3, 0);
    alcore_strategy_unref(strategy);
    bed_close(&b);
}
END_TEST

START_TEST(host_reads_what_is_there) {
    caller c = {0};
    alcore_strategy *strategy = open_host(&c, NULL);
    strategy->host.choose = choose_after_refusals;
    ck_assert_msg(bed_run_strategy(&b, strategy, 2) == ALCORE_OK, "%s", alcore_last_error());
    BED_PICKS(&b, 2, 3);
    /* A column that the caller named and the run lacks: before the function is called. */
    b.input.target.column_count = 0;
    ck_assert_int_eq(bed_run_strategy(&b, strategy, 2), ALCORE_E_MISSING);
    ck_assert_msg(
        strstr(alcore_last_error(), "strategy mine needs the column \"embeddings\" of the target"),
        "%s", alcore_last_error());
    alcore_strategy_unref(strategy);
    bed_close(&b);
}
END_TEST

START_TEST(host_needs_too_much) {
    static const char *const needs[] = {"a", "b", "c", "d", "e", "f", "g", "h", NULL};
    bed_open(&b, 1, 1, NULL);
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    host.choose = choose;
    host.target_needs = needs;
    ck_assert_int_eq(alcore_strategy_new_host(b.ctx, &host, &strategy), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "8 columns of one role, at most 7"));
    ck_assert_ptr_null(strategy);
    host.target_needs = needs + 1;
    ck_assert_int_eq(alcore_strategy_new_host(b.ctx, &host, &strategy), ALCORE_OK);
    alcore_strategy_unref(strategy);
    bed_close(&b);
}
END_TEST

/* ---- a large pool passes through the view in blocks ---- */

enum { LARGE_ROWS = 1000000, LARGE_DIMS = 64, LARGE_BLOCK = 4096 };

/* Memory that lives while the pool is read, at most. */
typedef struct watched {
    fault_allocator allocator;
    long long most_bytes;
} watched;

static void watch(watched *w) {
    long long bytes = atomic_load(&w->allocator.live_bytes);
    if (bytes > w->most_bytes) w->most_bytes = bytes;
}

/* Rows of a column that is computed when it is read: component j of row i is i + j. */
static alcore_status generated_rows(const alcore__column *column, int64_t first, int64_t count,
                                    alcore__scratch *scratch, alcore_sys_rows *out) {
    static float values[ALCORE_BLOCK_ROWS * LARGE_DIMS];
    (void)scratch;
    ck_assert_int_le(count, ALCORE_BLOCK_ROWS);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < LARGE_DIMS; j++)
            values[i * LARGE_DIMS + j] = (float)(first + i + j);
    *out = (alcore_sys_rows){.data = values,
                             .first = first,
                             .count = count,
                             .dims = LARGE_DIMS,
                             .stride = LARGE_DIMS,
                             .dtype = ALCORE_FLOAT32};
    watch(column->data);
    return ALCORE_OK;
}

static alcore_status choose_in_blocks(void *user, const alcore_view *view, alcore_choice *out) {
    int64_t count = alcore_view_row_count(view, CANDIDATES), best = -1;
    double largest = -1;
    for (int64_t first = 0; first < count; first += LARGE_BLOCK) {
        int64_t n = count - first < LARGE_BLOCK ? count - first : LARGE_BLOCK;
        alcore_tensor block;
        ALCORE__TRY(alcore_view_get_column(view, CANDIDATES, "embeddings", first, n, &block, NULL));
        const double *values = block.data;
        for (int64_t i = 0; i < n; i++) {
            if (values[i * LARGE_DIMS + 3] <= largest) continue;
            largest = values[i * LARGE_DIMS + 3];
            best = alcore_view_rows(view, CANDIDATES)[first + i];
        }
    }
    watch(user);
    ck_assert(largest == (double)best + 3);
    return alcore_choice_order(out, &best, 1);
}

START_TEST(host_sees_blocks) {
    static const alcore__column_ops ops = {.rows = generated_rows};
    static const char *const needs[] = {"embeddings", NULL};
    watched w = {0};
    alcore_allocator table = fault_table(&w.allocator);
    bed_open(&b, LARGE_ROWS, 1, &table);
    b.input.candidates.rows = LARGE_ROWS;
    alcore__column *column = bed_column(&b, &b.input.candidates, "embeddings", NULL, LARGE_ROWS,
                                        LARGE_DIMS, ALCORE_FLOAT32);
    void *data = column->data;
    column->ops = &ops;
    column->data = &w;
    b.mask[LARGE_ROWS - 1] = 0;
    b.mask[5] = 0;
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    host.user = &w;
    host.needs = needs;
    host.choose = choose_in_blocks;
    ck_assert_int_eq(alcore_strategy_new_host(b.ctx, &host, &strategy), ALCORE_OK);
    ck_assert_msg(bed_run_strategy(&b, strategy, 1) == ALCORE_OK, "%s", alcore_last_error());
    BED_PICKS(&b, LARGE_ROWS - 2);
    /* All of it as float64 has 512 MB; lists, scores and costs have 8 bytes a row each. */
    ck_assert_msg(w.most_bytes < 64 << 20, "%lld bytes at once", w.most_bytes);
    column->data = data;
    alcore_strategy_unref(strategy);
    bed_close(&b);
}
END_TEST

START_TEST(host_without_choose) {
    bed_open(&b, 1, 1, NULL);
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy = (alcore_strategy *)&b;
    caller c = {0};
    host.user = &c;
    host.destroy = destroy;
    ck_assert_int_eq(alcore_strategy_new_host(b.ctx, &host, &strategy), ALCORE_E_INVALID);
    ck_assert_ptr_null(strategy);
    ck_assert_int_eq(c.destroyed, 0);
    ck_assert_int_eq(alcore_strategy_new_host(b.ctx, NULL, &strategy), ALCORE_E_INVALID);
    bed_close(&b);
}
END_TEST

/* ---- every allocation fails once ---- */

static const char *const SWEPT[][2] = {
    {"random", ""},
    {"nsp", ""},
    {"huds", "n_strata=2 rescale=rank strata=quantile"},
    {"huds", "n_strata=2 k_clusters=3 min_stratum=4"},
    {"idds", ""},
    {"kcenter", ""},
    {"uncertainty", ""},
};

static alcore_status sweep_run(const char *const *what) {
    static double u[40];
    static float x[80], probs[80];
    static uint8_t labeled[40];
    alcore__rng rng;
    alcore__rng_seed(&rng, 3);
    for (int i = 0; i < 40; i++) u[i] = alcore__rng_f64(&rng);
    for (int i = 0; i < 80; i++) x[i] = (float)alcore__rng_f64(&rng);
    for (int i = 0; i < 80; i++) probs[i] = 0.5f;
    labeled[7] = labeled[9] = 1;
    bed_column(&b, &b.input.candidates, "scores", u, 40, 1, ALCORE_FLOAT64);
    bed_column(&b, &b.input.candidates, "embeddings", x, 40, 2, ALCORE_FLOAT32);
    bed_column(&b, &b.input.candidates, "probs", probs, 40, 2, ALCORE_FLOAT32);
    bed_column(&b, &b.input.labeled, "embeddings", x, 10, 2, ALCORE_FLOAT32);
    b.mask[7] = b.mask[9] = 0;
    b.input.labeled_rows = labeled;
    b.input.nan_exclude = true;
    b.input.fill.limited = true;
    b.input.fill.max_similarity = 0.9999;
    return bed_run(&b, what[0], what[1], 10);
}

START_TEST(no_memory) {
    const char *const *what = SWEPT[_i];
    uint64_t whole = 0;
    for (long long at = 0;; at++) {
        fault_allocator fault = {0};
        alcore_allocator table = fault_table(&fault);
        bed_open(&b, 40, 1, &table);
        if (at) fault_arm(&fault, at, 0);
        alcore_status status = sweep_run(what);
        bool failed = atomic_load(&fault.failures) > 0;
        if (!at) whole = bed_fingerprint(&b);
        if (failed) {
            ck_assert_msg(status == ALCORE_E_NOMEM, "%s: status %d at allocation %lld", what[0],
                          (int)status, at);
        } else {
            ck_assert_int_eq(status, ALCORE_OK);
            ck_assert_uint_eq(bed_fingerprint(&b), whole);
        }
        bed_close(&b);
        ck_assert_msg(atomic_load(&fault.live_blocks) == 0, "%s leaks after failure %lld", what[0],
                      at);
        if (at && !failed) break;
    }
}
END_TEST

START_TEST(no_memory_for_a_host) {
    for (long long at = 1;; at++) {
        fault_allocator fault = {0};
        alcore_allocator table = fault_table(&fault);
        caller c = {.order = {3, 0}, .count = 2, .by_order = _i == 1};
        bed_open(&b, 1, 1, &table);
        bed_close(&b);
        alcore_strategy *strategy = open_host(&c, &table);
        fault_arm(&fault, at, 0);
        alcore_status status = bed_run_strategy(&b, strategy, 2);
        bool failed = atomic_load(&fault.failures) > 0;
        ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
        alcore_strategy_unref(strategy);
        bed_close(&b);
        ck_assert_int_eq(atomic_load(&fault.live_blocks), 0);
        if (!failed) break;
    }
}
END_TEST

START_TEST(cancel_ends_a_run) {
    static const float x[] = {1, 2, 3, 4};
    for (int32_t i = 0; alcore_strategy_builtin_name(i); i++) {
        if (!bed_runs(alcore_strategy_builtin_name(i))) continue;
        bed_open(&b, 2, 2, NULL);
        bed_column(&b, &b.input.candidates, "scores", x, 2, 1, ALCORE_FLOAT32);
        bed_column(&b, &b.input.candidates, "embeddings", x, 2, 2, ALCORE_FLOAT32);
        bed_column(&b, &b.input.candidates, "probs", x, 2, 2, ALCORE_FLOAT32);
        bed_phrases(&b, true);
        alcore_strategy *strategy;
        ck_assert_int_eq(alcore_strategy_new(b.ctx, alcore_strategy_builtin_name(i), &strategy),
                         ALCORE_OK);
        alcore_ctx_cancel(b.ctx);
        ck_assert_int_eq(bed_run_strategy(&b, strategy, 2), ALCORE_E_CANCELLED);
        ck_assert_int_eq(b.outcome.count, 0);
        alcore_ctx_cancel_clear(b.ctx);
        alcore_strategy_unref(strategy);
        bed_close(&b);
    }
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("host");
    tcase_set_timeout(all, 300);
    tcase_add_test(all, registry);
    tcase_add_test(all, parameters_are_bound);
    tcase_add_test(all, scores_have_strategies);
    tcase_add_test(all, parameters_by_number_and_back);
    tcase_add_test(all, wrong_parameters);
    tcase_add_test(all, host_scores_and_orders);
    tcase_add_test(all, a_later_answer_replaces_an_earlier_one);
    tcase_add_test(all, host_reads_what_is_there);
    tcase_add_test(all, host_needs_too_much);
    tcase_add_test(all, host_sees_blocks);
    tcase_add_test(all, host_without_choose);
    tcase_add_loop_test(all, no_memory, 0, (int)(sizeof SWEPT / sizeof SWEPT[0]));
    tcase_add_loop_test(all, no_memory_for_a_host, 0, 2);
    tcase_add_test(all, cancel_ends_a_run);
    return check_suite_run("strategy-host", all);
}
