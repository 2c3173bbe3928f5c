/* SPDX-License-Identifier: Apache-2.0 */
/* Views live as long as the headers say, whatever is done meanwhile: they are read again after
 * calls that could move or free what they point to, which the sanitized builds and valgrind watch.
 */
#include "request_test.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_folder.h"

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

/* ---- the process ---- */

enum { SIGNALS = 31 };

/* What a process has one of. */
typedef struct process {
    struct sigaction actions[SIGNALS + 1];
    sigset_t blocked;
    char locale[200], folder[500];
    char **environment;
    int variables, rounding, flags[3];
    mode_t mask;
} process;

static process look(void) {
    process found = {.environment = environ, .rounding = fegetround()};
    for (int i = 1; i <= SIGNALS; i++) sigaction(i, NULL, &found.actions[i]);
    pthread_sigmask(SIG_SETMASK, NULL, &found.blocked);
    snprintf(found.locale, sizeof found.locale, "%s", setlocale(LC_ALL, NULL));
    ck_assert_ptr_nonnull(getcwd(found.folder, sizeof found.folder));
    while (environ[found.variables]) found.variables++;
    found.mask = umask(0);
    umask(found.mask);
    for (int i = 0; i < 3; i++) found.flags[i] = fcntl(i, F_GETFL);
    return found;
}

/* A pool is read, a built-in model asked, rows are drawn on several threads and written. */
static void do_everything(const char *folder) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *own;
    alcore_pool *read;
    char path[300];
    const int64_t rows[] = {0, 1};
    options.threads = 3;
    ck_assert_ok(alcore_ctx_new(&options, &own));
    snprintf(path, sizeof path, "%s/texts.tsv", folder);
    ck_assert_ok(alcore_pool_write(pool, rows, 2, path, NULL));
    ck_assert_ok(alcore_pool_new(own, NULL, &read));
    ck_assert_ok(alcore_pool_read(read, path, NULL));
    alcore_request *request = request_for(own, read, "badge", "1");
    alcore_model *model;
    ck_assert_ok(alcore_model_new_ngram(own, NULL, NULL, &model));
    ck_assert_ok(alcore_request_set_model(request, model));
    alcore_selection *picked;
    (void)alcore_select(request, &picked); /* lacks probabilities: an error is told in silence */
    alcore_selection_unref(picked);
    alcore_request_unref(request);
    request = request_for(own, read, "random", "1");
    picked = selected(request);
    ck_assert_ok(alcore_selection_write(picked, path, NULL));
    alcore_ctx_cancel(own);
    ck_assert_int_eq(alcore_select(request, &(alcore_selection *){NULL}), ALCORE_E_CANCELLED);
    (void)alcore_device_check(own, "cuda");
    ck_assert_int_eq(alcore_pool_read(read, "/nowhere", NULL), ALCORE_E_CANCELLED);
    alcore_selection_unref(picked);
    alcore_request_unref(request);
    alcore_model_unref(model);
    alcore_pool_unref(read);
    alcore_ctx_unref(own);
    ck_assert_int_eq(remove(path), 0);
}

/* alcore/alcore.h: "Nothing is process-wide." */
START_TEST(a_process) {
    char folder[TEST_PATH_BYTES], path[300], said[10];
    test_folder_make(folder, "process");
    snprintf(path, sizeof path, "%s/said", folder);
    fflush(NULL);
    const int streams[2] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    const int file = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
    ck_assert_int_ge(file, 0);
    for (int i = 0; i < 2; i++) dup2(file, i == 0 ? STDOUT_FILENO : STDERR_FILENO);
    srand(7);
    srand48(7);
    const int first = rand();
    const long second = lrand48();
    srand(7);
    srand48(7);
    const process before = look();
    do_everything(folder);
    const process after = look();
    fflush(NULL);
    for (int i = 0; i < 2; i++) dup2(streams[i], i == 0 ? STDOUT_FILENO : STDERR_FILENO);
    ck_assert_int_eq(pread(file, said, sizeof said, 0), 0); /* nothing was printed */
    close(file);
    ck_assert_int_eq(rand(), first);
    ck_assert_int_eq(lrand48(), second);
    for (int i = 1; i <= SIGNALS; i++) {
        ck_assert(before.actions[i].sa_handler == after.actions[i].sa_handler);
        ck_assert_int_eq(before.actions[i].sa_flags, after.actions[i].sa_flags);
        ck_assert_int_eq(sigismember(&before.blocked, i), sigismember(&after.blocked, i));
    }
    ck_assert_str_eq(before.locale, after.locale);
    ck_assert_str_eq(before.folder, after.folder);
    ck_assert_ptr_eq(before.environment, after.environment);
    ck_assert_int_eq(before.variables, after.variables);
    ck_assert_int_eq(before.rounding, after.rounding);
    ck_assert_uint_eq(before.mask, after.mask);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(before.flags[i], after.flags[i]);
    test_folder_remove(folder);
}
END_TEST

CHECK_SUITE_WITH("lifetimes", setup, teardown, rows_of_a_pool, columns_of_a_pool, a_selection,
                 settings, a_process);
