/* SPDX-License-Identifier: Apache-2.0 */
/* What a request begins with, what is added to it, settings in a locale with a decimal comma, what
 * is drawn, and answers of a host and reports that are not the usual ones. */
#include "request_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "comma_locale.h"
#include "test_folder.h"

enum { ROWS = 12 };

static alcore_ctx *ctx;
static alcore_pool *pool;

static void setup(void) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.seed = 7;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    pool = numbered_pool(ctx, ROWS);
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* An empty request: the recommended strategy, round 1, the seed of the context and nothing else. */
START_TEST(an_empty_request) {
    alcore_request *request, *stated = request_for(ctx, pool, "random", "5");
    alcore_tensor drawn, same;
    const char *round, *budget;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_request_get(request, "round", &round));
    ck_assert_str_eq(round, "1");
    ck_assert_ok(alcore_request_get(request, "budget", &budget));
    ck_assert_str_eq(budget, "");
    for (int32_t kind = ALCORE_ROWS_ELIGIBLE; kind <= ALCORE_ROWS_LIKE; kind++)
        ck_assert_int_eq(alcore_request_get_rows(request, kind, &drawn), ALCORE_E_NOT_FOUND);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_candidates(request, 5, &drawn));
    ck_assert_ok(alcore_request_set(stated, "seed", "7"));
    ck_assert_ok(alcore_request_set(stated, "round", "1"));
    ck_assert_ok(alcore_request_candidates(stated, 5, &same));
    ck_assert_mem_eq(drawn.data, same.data, 5 * sizeof(int64_t));
    ck_assert_ok(alcore_request_set(stated, "seed", "8"));
    ck_assert_ok(alcore_request_candidates(stated, 5, &same));
    ck_assert_mem_ne(drawn.data, same.data, 5 * sizeof(int64_t));
    ck_assert_ok(alcore_request_set(request, "budget", "5"));
    alcore_selection *selection = selected(request);
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(selection), "\"seed\":7,\"round\":1"));
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_request_unref(stated);
}
END_TEST

/* What is drawn depends on the round too, ascends, and leaves out rows that may not be selected. */
START_TEST(what_is_drawn) {
    static const int64_t masked[] = {0, 5, 11};
    alcore_request *request = request_for(ctx, pool, "random", "5");
    alcore_tensor rows;
    int64_t first[4];
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, masked, 1));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, masked + 1, 2));
    ck_assert_ok(alcore_request_candidates(request, ROWS, &rows));
    ck_assert_int_eq(rows.shape[0], ROWS - 3);
    for (int64_t i = 0; i < ROWS - 3; i++)
        for (int k = 0; k < 3; k++) ck_assert_int_ne(((const int64_t *)rows.data)[i], masked[k]);
    for (int64_t i = 1; i < ROWS - 3; i++)
        ck_assert_int_gt(((const int64_t *)rows.data)[i], ((const int64_t *)rows.data)[i - 1]);
    ck_assert_ok(alcore_request_candidates(request, 4, &rows));
    memcpy(first, rows.data, sizeof first);
    ck_assert_ok(alcore_request_set(request, "round", "2"));
    ck_assert_ok(alcore_request_candidates(request, 4, &rows));
    ck_assert_mem_ne(rows.data, first, sizeof first);
    alcore_request_unref(request);
}
END_TEST

/* A file of ids adds to the rows that are named already; it may be compressed, or standard
 * input. */
START_TEST(rows_are_added) {
    static const int64_t begun[] = {9}, all[] = {9, 4, 0, 4, 0, 6};
    char path[TEST_PATH_BYTES], more[TEST_PATH_BYTES], packed[TEST_PATH_BYTES + 4];
    char command[2 * TEST_PATH_BYTES];
    alcore_request *request = request_for(ctx, pool, "random", "5");
    alcore_tensor rows;
    test_file_make(path, "ids", ".txt", "5\n1\n");
    test_file_make(more, "ids", ".txt", "7\n");
    snprintf(packed, sizeof packed, "%s.gz", more);
    snprintf(command, sizeof command, "gzip %s", more);
    ck_assert_int_eq(system(command), 0);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, begun, 1));
    ck_assert_ok(alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, path));
    ck_assert_ptr_nonnull(freopen(path, "r", stdin));
    ck_assert_ok(alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, "-"));
    const alcore_status status = alcore_request_read_rows(request, ALCORE_ROWS_EXCLUDED, packed);
    if (status != ALCORE_E_UNSUPPORTED) ck_assert_ok(status); /* a build without zlib */
    ck_assert_ok(alcore_request_get_rows(request, ALCORE_ROWS_EXCLUDED, &rows));
    ck_assert_int_eq(rows.shape[0], status == ALCORE_OK ? 6 : 5);
    ck_assert_mem_eq(rows.data, all, (size_t)rows.shape[0] * sizeof *all);
    unlink(path);
    unlink(packed);
    alcore_request_unref(request);
}
END_TEST

/* Numbers have a point, going in and coming out, whatever the locale is. */
START_TEST(numbers_in_a_locale_with_a_comma) {
    comma_locale locale;
    alcore_strategy *strategy;
    const char *text;
    alcore_request *request = request_for(ctx, pool, "huds", "5");
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    const bool comma = comma_locale_begin(&locale);
    char half[8];
    snprintf(half, sizeof half, "%.1f", 0.5);
    ck_assert_str_eq(half, comma ? "0,5" : "0.5");
    ck_assert_ok(alcore_request_set(request, "budget", "2.5w"));
    ck_assert_ok(alcore_request_get(request, "budget", &text));
    ck_assert_str_eq(text, "2.5w");
    ck_assert_ok(alcore_request_set(request, "price", "0.125EUR/w"));
    ck_assert_ok(alcore_request_set_number(request, "max_similarity", 0.1 + 0.2));
    ck_assert_ok(alcore_request_get(request, "max_similarity", &text));
    ck_assert_str_eq(text, "0.30000000000000004");
    ck_assert_int_eq(alcore_request_set(request, "max_similarity", "0,5"), ALCORE_E_PARAM);
    ck_assert_ok(alcore_request_set_int(request, "round", 12345));
    ck_assert_ok(alcore_request_get(request, "round", &text));
    ck_assert_str_eq(text, "12345");
    ck_assert_ok(alcore_strategy_set(strategy, "lambda", "0.25"));
    ck_assert_ok(alcore_strategy_get(strategy, "lambda", &text));
    ck_assert_str_eq(text, "0.25");
    ck_assert_ok(alcore_strategy_set_number(strategy, "lambda", 0.1));
    ck_assert_ok(alcore_strategy_get(strategy, "lambda", &text));
    ck_assert_str_eq(text, "0.1");
    ck_assert_int_eq(alcore_strategy_set(strategy, "lambda", "0,25,1,5"), ALCORE_E_PARAM);
    ck_assert_ok(alcore_strategy_set_int(strategy, "n_strata", 12));
    alcore_selection *selection = NULL;
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_select(request, &selection));
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(selection), "\"lambda\":[0.1]"));
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(selection), " of 2.5 words"));
    comma_locale_end(&locale);
    alcore_selection_unref(selection);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
}
END_TEST

/* An order of `count` rows of the host, of which the status is kept. */
typedef struct ordered {
    int64_t count;
    alcore_status status;
} ordered;

static alcore_status order_rows(void *user, const alcore_view *view, alcore_choice *out) {
    static const int64_t rows[] = {3, 1};
    ordered *self = user;
    (void)view;
    self->status = alcore_choice_order(out, rows, self->count);
    return self->count < 0 ? alcore_choice_order(out, rows, 1) : self->status;
}

/* An order may be empty, which is no missing answer, but not shorter. */
START_TEST(orders_of_a_host) {
    static const int64_t counts[] = {0, 2, -1};
    ordered self = {0};
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_strategy *strategy;
    alcore_request *request = request_for(ctx, pool, "random", "2");
    host.user = &self;
    host.choose = order_rows;
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    for (int i = 0; i < 3; i++) {
        self.count = counts[i];
        alcore_selection *selection = selected(request);
        ck_assert_int_eq(self.status, counts[i] < 0 ? ALCORE_E_INVALID : ALCORE_OK);
        ck_assert_int_eq(alcore_selection_count(selection), counts[i] < 0 ? 1 : counts[i]);
        ck_assert_uint_eq(alcore_selection_flags(selection),
                          counts[i] == 2 ? 0 : ALCORE_SELECTION_SHORT);
        alcore_selection_unref(selection);
    }
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
}
END_TEST

/* Standard output takes the picks as TSV, and a report of the kind that is given. */
START_TEST(standard_output) {
    char path[TEST_PATH_BYTES];
    alcore_report_options options = ALCORE_REPORT_OPTIONS_INIT;
    alcore_request *request = request_for(ctx, pool, "random", "2");
    alcore_selection *selection = selected(request);
    const char *const begins[] = {"rank\tindex\tid\t", "{", "# Selection by random"};
    test_file_make(path, "output", ".txt", "");
    for (int i = 0; i < 3; i++) {
        fflush(stdout);
        const int kept = dup(1), file = open(path, O_WRONLY | O_TRUNC);
        ck_assert(kept >= 0 && file >= 0 && dup2(file, 1) == 1);
        options.kind = i == 1 ? ALCORE_REPORT_JSON : ALCORE_REPORT_MARKDOWN;
        const alcore_status status = i == 0 ? alcore_selection_write(selection, "-", NULL)
                                            : alcore_selection_report(selection, "-", &options);
        fflush(stdout);
        dup2(kept, 1);
        close(kept);
        close(file);
        ck_assert_ok(status);
        const char *text = file_text(path);
        ck_assert_msg(strncmp(text, begins[i], strlen(begins[i])) == 0, "%s", text);
    }
    unlink(path);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
}
END_TEST

/* What would have stayed within a budget that was overshot; a budget that was kept needs
 * nothing. */
START_TEST(overshot_budgets_have_a_remedy) {
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    alcore_request *request = request_for(ctx, pool, "random", "5w");
    alcore_selection *selection = selected(request);
    ck_assert_double_eq(alcore_selection_spent(selection), 8);
    ck_assert_ok(alcore_selection_remedy(selection, 0, &remedy));
    ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_OPTION);
    ck_assert_ok(alcore_request_set(request, remedy.name, remedy.value));
    alcore_selection_unref(selection);
    selection = selected(request);
    ck_assert_double_le(alcore_selection_spent(selection), 5);
    ck_assert_int_eq(alcore_selection_remedy(selection, 0, &remedy), ALCORE_E_NOT_FOUND);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
}
END_TEST

/* A report tells the shares of groups and the price beside what the reports of test_selection.c
 * have. */
START_TEST(reports_tell_groups_and_price) {
    static const char *const texts[] = {"one text", "another text", "a third"};
    static const char *const groups[] = {"news", "news", "mail"};
    static const char *const endings[] = {".md", ".json", ".html"};
    static const char *const told[3][3] = {
        {"| news | 2 | 67 % |", "| mail | 1 | 33 % |", "3,000.00 EUR"},
        {"\"groups\":[", "\"news\"", "\"currency\":\"EUR\""},
        {"<td>news</td><td>2</td><td>67 %</td>", "<td>mail</td>", "3,000.00 EUR"}};
    alcore_pool *grouped;
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 3;
    records.texts = texts;
    records.groups = groups;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &grouped));
    ck_assert_ok(alcore_pool_add_records(grouped, &records, NULL));
    alcore_request *request = request_for(ctx, grouped, "random", "3");
    ck_assert_ok(alcore_request_set(request, "price", "1000EUR/i"));
    alcore_selection *selection = selected(request);
    for (int i = 0; i < 3; i++) {
        char path[TEST_PATH_BYTES];
        test_file_make(path, "report", endings[i], "");
        ck_assert_ok(alcore_selection_report(selection, path, NULL));
        const char *text = file_text(path);
        for (int k = 0; k < 3; k++)
            ck_assert_msg(strstr(text, told[i][k]), "no %s in %s", told[i][k], text);
        unlink(path);
    }
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(grouped);
}
END_TEST

/* The threads on which functions of a host ran. */
static pthread_t ran_on[2];

static alcore_status choose_here(void *user, const alcore_view *view, alcore_choice *out) {
    (void)user, (void)view;
    ran_on[0] = pthread_self();
    return alcore_choice_order(out, NULL, 0);
}

static alcore_status score_here(void *user, const alcore_view *view, double *out_scores) {
    (void)user;
    ran_on[1] = pthread_self();
    for (int64_t i = 0; i < alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES); i++)
        out_scores[i] = 1;
    return ALCORE_OK;
}

START_TEST(functions_of_a_host_run_where_the_call_was_entered) {
    alcore_strategy_host host = ALCORE_STRATEGY_HOST_INIT;
    alcore_scorer_host scores = ALCORE_SCORER_HOST_INIT;
    alcore_strategy *strategy;
    alcore_scorer *scorer;
    alcore_request *request = request_for(ctx, pool, "random", "2");
    host.choose = choose_here;
    scores.score = score_here;
    ck_assert_ok(alcore_strategy_new_host(ctx, &host, &strategy));
    ck_assert_ok(alcore_scorer_new_host(ctx, &scores, &scorer));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_selection_unref(selected(request));
    ck_assert_ok(alcore_scorer_run(scorer, pool, NULL));
    ck_assert(pthread_equal(ran_on[0], pthread_self()));
    ck_assert(pthread_equal(ran_on[1], pthread_self()));
    alcore_scorer_unref(scorer);
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
}
END_TEST

CHECK_SUITE_WITH("request settings", setup, teardown, an_empty_request, what_is_drawn,
                 rows_are_added, numbers_in_a_locale_with_a_comma, orders_of_a_host,
                 standard_output, overshot_budgets_have_a_remedy, reports_tell_groups_and_price,
                 functions_of_a_host_run_where_the_call_was_entered);
