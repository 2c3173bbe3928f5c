/* SPDX-License-Identifier: Apache-2.0 */
/* The mask "near" over many texts: of near ones the first stays, whatever the number of threads;
 * the time is linear however many texts share their words; memory that runs out and cancels end it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "alcore/sys/kernel.h"
#include "base/rng.h"
#include "fault_allocator.h"
#include "request_test.h"

enum { WORDS = 8, VOCABULARY = 400 };

static alcore_ctx *ctx_of(int32_t threads) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.threads = threads;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    return ctx;
}

static void add_text(alcore_pool *pool, const char *text) {
    ck_assert_ok(alcore_pool_add_texts(pool, &text, NULL, 1, NULL));
}

static int32_t word_of(alcore__rng *rng) {
    return (int32_t)alcore__rng_below(rng, VOCABULARY);
}

/* Fills words [rows][WORDS]: each text is random, or an earlier one of the last 50 of which one
 * word is exchanged. */
static void draw_words(alcore__rng *rng, int64_t rows, int32_t (*words)[WORDS]) {
    for (int64_t i = 0; i < rows; i++) {
        const int64_t back = 1 + (int64_t)alcore__rng_below(rng, 100);
        const bool repeats = back <= 50 && back <= i;
        for (int w = 0; w < WORDS; w++) words[i][w] = repeats ? words[i - back][w] : word_of(rng);
        words[i][alcore__rng_below(rng, WORDS)] = word_of(rng);
    }
}

static alcore_pool *pool_of_words(alcore_ctx *ctx, const int32_t (*words)[WORDS], int64_t rows) {
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int64_t i = 0; i < rows; i++) {
        char text[8 * WORDS + 1] = "";
        for (int w = 0; w < WORDS; w++)
            snprintf(text + strlen(text), 9, "%c%c%c ", 'a' + words[i][w] % 26,
                     'a' + words[i][w] / 26, 'x');
        add_text(pool, text);
    }
    return pool;
}

/* Sets left[row] to 1 for the rows that the mask leaves. The request is made, and freed. */
static void find_left(alcore_request *request, uint8_t *left) {
    alcore_selection *selection;
    ck_assert_ok(alcore_request_set(request, "masks", "near"));
    ck_assert_ok(alcore_select(request, &selection));
    const int64_t *rows = alcore_selection_rows(selection);
    for (int64_t i = 0; i < alcore_selection_count(selection); i++) left[rows[i]] = 1;
    alcore_selection_unref(selection);
    alcore_request_unref(request);
}

/* The parts of two texts as near_words.h says it, by their numbers: words and pairs. */
static bool is_near(const int32_t *a, const int32_t *b) {
    int32_t parts[2][2 * WORDS + 1];
    int count[2] = {0, 0}, shared = 0;
    for (int t = 0; t < 2; t++) {
        const int32_t *words = t == 0 ? a : b;
        for (int i = 0; i < 2 * WORDS + 1; i++) {
            const int32_t before = i > WORDS ? words[i - WORDS - 1] : -1;
            const int32_t part = i < WORDS        ? words[i]
                                 : i == WORDS     ? 1000 * 1000 + words[0]
                                 : i == 2 * WORDS ? 2000 * 1000 + before
                                                  : 1000 * (1 + before) + words[i - WORDS];
            bool is_new = true;
            for (int k = 0; k < count[t]; k++) is_new = is_new && parts[t][k] != part;
            if (is_new) parts[t][count[t]++] = part;
        }
    }
    for (int i = 0; i < count[0]; i++)
        for (int k = 0; k < count[1]; k++) shared += parts[0][i] == parts[1][k];
    return shared * 3 >= (count[0] + count[1] - shared) * 2;
}

static bool is_near_one_left(const int32_t (*words)[WORDS], int64_t row, const uint8_t *left) {
    for (int64_t i = 0; i < row; i++)
        if (left[i] && is_near(words[i], words[row])) return true;
    return false;
}

/* Whatever is masked is near to an earlier text that is left, and of those that are left hardly any
 * is. */
START_TEST(first_of_near_texts_stays) {
    enum { ROWS = 1000 };
    static int32_t words[ROWS][WORDS];
    static uint8_t left[ROWS];
    int masked = 0, missed = 0;
    alcore__rng rng;
    alcore__rng_seed(&rng, 3);
    draw_words(&rng, ROWS, words);
    alcore_ctx *ctx = ctx_of(1);
    alcore_pool *pool = pool_of_words(ctx, words, ROWS);
    find_left(request_for(ctx, pool, "random", "100000"), left);
    for (int64_t row = 0; row < ROWS; row++) {
        const bool near = is_near_one_left(words, row, left);
        masked += !left[row];
        missed += left[row] && near;
        ck_assert_msg(left[row] || near, "row %d", (int)row);
    }
    ck_assert_int_gt(masked, 300);
    ck_assert_int_lt(missed, masked / 20);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* More rows than two blocks, so that texts are near to ones of their own block and of another. */
START_TEST(threads_mask_the_same_rows) {
    enum { ROWS = 20000 };
    static const int32_t threads[] = {1, 2, 8};
    static int32_t words[ROWS][WORDS];
    static uint8_t left[3][ROWS];
    alcore__rng rng;
    alcore__rng_seed(&rng, 4);
    draw_words(&rng, ROWS, words);
    for (int t = 0; t < 3; t++) {
        alcore_ctx *ctx = ctx_of(threads[t]);
        alcore_pool *pool = pool_of_words(ctx, words, ROWS);
        alcore_pool *labeled = pool_of_words(ctx, words + ROWS - 500, 500);
        alcore_request *request = request_for(ctx, pool, "random", "100000");
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
        find_left(request, left[t]);
        ck_assert_mem_eq(left[0], left[t], ROWS);
        alcore_pool_unref(labeled);
        alcore_pool_unref(pool);
        alcore_ctx_unref(ctx);
    }
}
END_TEST

/* What was bought of the pool itself, rows that are labeled or that the request excludes, hides
 * near texts before and behind it; a row that the pool has as excluded is merely not wanted, and
 * hides none. */
START_TEST(bought_rows_hide_near_texts) {
    static const char *const texts[] = {
        "Open the file in a new window", "Something else altogether",
        "Open this file in a new window", "Open your file in a new window"};
    static const struct {
        int32_t state, list; /* ALCORE_ROW_* of the pool's row 2, or ALCORE_ROWS_* of the request */
        uint8_t left[4];
    } trials[] = {{ALCORE_ROW_LABELED, 0, {0, 1, 0, 0}},
                  {0, ALCORE_ROWS_LABELED, {0, 1, 0, 0}},
                  {0, ALCORE_ROWS_EXCLUDED, {0, 1, 0, 0}},
                  {ALCORE_ROW_FILTERED, ALCORE_ROWS_EXCLUDED, {1, 1, 0, 0}},
                  {ALCORE_ROW_EXCLUDED, 0, {1, 1, 0, 0}}};
    static const int64_t row = 2;
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        uint8_t left[4] = {0};
        alcore_ctx *ctx = ctx_of(1);
        alcore_pool *pool = pool_of(ctx, texts, 4);
        alcore_request *request = request_for(ctx, pool, "random", "100");
        if (trials[i].state)
            ck_assert_ok(alcore_pool_mark(pool, (uint32_t)trials[i].state, &row, 1));
        if (trials[i].list) ck_assert_ok(alcore_request_set_rows(request, trials[i].list, &row, 1));
        find_left(request, left);
        ck_assert_mem_eq(left, trials[i].left, 4);
        alcore_pool_unref(pool);
        alcore_ctx_unref(ctx);
    }
}
END_TEST

/* The same of templates, which differ in a number only. */
START_TEST(bought_rows_hide_their_templates) {
    static const char *const texts[] = {"Page 1", "Chapter 1", "Page 2", "Chapter 2", "Page 3"};
    static const int64_t row = 2;
    uint8_t left[5] = {0}, expected[5] = {0, 1, 0, 0, 0};
    alcore_ctx *ctx = ctx_of(1);
    alcore_pool *pool = pool_of(ctx, texts, 5);
    alcore_request *request = request_for(ctx, pool, "random", "100");
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, &row, 1));
    ck_assert_ok(alcore_request_set(request, "masks", "templates"));
    alcore_selection *selection = selected(request);
    for (int64_t i = 0; i < alcore_selection_count(selection); i++)
        left[alcore_selection_rows(selection)[i]] = 1;
    ck_assert_mem_eq(left, expected, 5);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Three letters of a script without spaces are one word: "open" and "close the document" differ in
 * one letter. */
START_TEST(few_letters_without_spaces_are_few_words) {
    static const char *const texts[] = {"เปิดเอกสาร", "ปิดเอกสาร",
                                        "กำหนดไอคอนเตรียมไว้เมื่อสร้างแฟ้มเดสก์ท็อป",
                                        "กำหนดไอคอนเตรียมไว้เมื่อสร้างแฟ้มเดสก์ท็อปๆ"};
    uint8_t left[4] = {0}, expected[4] = {1, 1, 1, 0};
    alcore_ctx *ctx = ctx_of(1);
    alcore_pool *pool = pool_of(ctx, texts, 4);
    find_left(request_for(ctx, pool, "random", "100"), left);
    ck_assert_mem_eq(left, expected, 4);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Texts without words, and one of a hundred thousand words beside another that has one more. */
START_TEST(empty_and_huge_texts) {
    enum { HUGE_WORDS = 100000 };
    uint8_t left[5] = {0}, expected[5] = {1, 0, 1, 1, 0};
    alcore_ctx *ctx = ctx_of(2);
    alcore_pool *pool;
    char *text = malloc(HUGE_WORDS * 8 + 16), *end = text;
    for (int i = 0; i < HUGE_WORDS; i++)
        end += sprintf(end, "%c%c%c%c ", 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676 % 26,
                       'a' + i / 17576);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    add_text(pool, "...");
    add_text(pool, "");
    add_text(pool, "%s %s %s %s");
    add_text(pool, text);
    strcpy(end, "more");
    add_text(pool, text);
    find_left(request_for(ctx, pool, "random", "1000000"), left);
    ck_assert_mem_eq(left, expected, 5);
    free(text);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Pools of very many texts that have the same words, and of ones that share a key and are not near:
 * a comparison of each with each would take an hour. */
START_TEST(many_texts_share_a_key) {
    enum { ROWS = 200000 };
    uint8_t *left = calloc(ROWS, 1);
    int64_t count = 0;
    alcore_ctx *ctx = ctx_of(2);
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int64_t i = 0; i < ROWS; i++) {
        char text[96];
        if (_i == 0)
            snprintf(text, sizeof text, "Copy %d of the %d files now", (int)i, ROWS);
        else
            snprintf(text, sizeof text, "the %c%c and the %c%c of the %c%c", (int)('a' + i % 26),
                     (int)('a' + i / 26 % 26), (int)('a' + i / 100 % 26), (int)('a' + i / 676 % 26),
                     (int)('a' + i / 17576 % 26), (int)('a' + i / 1000 % 26));
        add_text(pool, text);
    }
    find_left(request_for(ctx, pool, "random", "10000000"), left);
    for (int64_t i = 0; i < ROWS; i++) count += left[i];
    if (_i == 0) ck_assert_int_eq(count, 1);
    ck_assert_int_ge(count, 1);
    free(left);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Texts of three blocks that have no word in common, but for the last one, which is the first with
 * a number. */
START_TEST(a_table_that_grows_forgets_nothing) {
    enum { ROWS = 3 * ALCORE_BLOCK_ROWS };
    static uint8_t left[ROWS];
    alcore_ctx *ctx = ctx_of(2);
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int row = 0; row < ROWS; row++) {
        const int of = row % (ROWS - 1);
        char text[64], code[5];
        snprintf(code, sizeof code, "%c%c%c%c", 'a' + of % 26, 'a' + of / 26 % 26,
                 'a' + of / 676 % 26, 'a' + of / 17576);
        snprintf(text, sizeof text, "a%s b%s c%s d%s e%s f%s%s", code, code, code, code, code, code,
                 row < ROWS - 1 ? "" : " 7");
        add_text(pool, text);
    }
    find_left(request_for(ctx, pool, "random", "10000000"), left);
    for (int row = 0; row < ROWS; row++)
        ck_assert_msg(left[row] == (row < ROWS - 1), "row %d", row);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Every allocation fails in turn: the call says so, nothing is lost, and the next one succeeds. */
START_TEST(memory_runs_out) {
    static const char *const labeled_texts[] = {"Open the file in a new window", "Save all of it"};
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 1);
    static const char *const texts[] = {
        "Open this file in a new window",   "Could not read any of %d files",
        "Could not read one of %d files",   "Could not read any of the %d files",
        "Could not write any of all files",
    };
    alcore_pool *pool = pool_of(ctx, texts, 5), *labeled = pool_of(ctx, labeled_texts, 2);
    alcore_request *request = request_for(ctx, pool, "random", "100");
    ck_assert_ok(alcore_request_set(request, "masks", "all"));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    bool clean = false;
    for (long long at = 1; !clean; at++) {
        alcore_selection *selection = NULL;
        ck_assert_int_lt(at, 1000000);
        atomic_store(&fault.calls, 0);
        atomic_store(&fault.failures, 0);
        atomic_store(&fault.fail_at, at);
        const alcore_status status = alcore_select(request, &selection);
        atomic_store(&fault.fail_at, 0);
        clean = atomic_load(&fault.failures) == 0;
        if (status == ALCORE_OK)
            ck_assert_int_eq(alcore_selection_count(selection), 3);
        else
            ck_assert_int_eq(status, ALCORE_E_NOMEM);
        alcore_selection_unref(selection);
    }
    alcore_request_unref(request);
    alcore_pool_unref(labeled);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(atomic_load(&fault.live_blocks), 0);
}
END_TEST

/* Another thread cancels the request after a part of the time that it takes. */
typedef struct canceller {
    alcore_request *request;
    useconds_t delay;
} canceller;

static void *cancel_later(void *data) {
    const canceller *self = data;
    usleep(self->delay);
    alcore_request_cancel(self->request);
    return NULL;
}

START_TEST(cancels_end_it) {
    enum { ROWS = 60000 };
    static int32_t words[ROWS][WORDS];
    alcore__rng rng;
    alcore__rng_seed(&rng, 6);
    draw_words(&rng, ROWS, words);
    alcore_ctx *ctx = ctx_of(2);
    alcore_pool *pool = pool_of_words(ctx, words, ROWS);
    canceller self = {.request = request_for(ctx, pool, "random", "100"), .delay = 64000};
    int cancelled = 0;
    ck_assert_ok(alcore_request_set(self.request, "masks", "near"));
    for (; self.delay > 0; self.delay /= 2) {
        alcore_selection *selection = NULL;
        pthread_t thread;
        ck_assert_int_eq(pthread_create(&thread, NULL, cancel_later, &self), 0);
        const alcore_status status = alcore_select(self.request, &selection);
        pthread_join(thread, NULL);
        ck_assert(status == ALCORE_OK || status == ALCORE_E_CANCELLED);
        ck_assert_int_eq(status == ALCORE_OK, selection != NULL);
        cancelled += status == ALCORE_E_CANCELLED;
        alcore_selection_unref(selection);
        alcore_request_cancel_clear(self.request);
    }
    ck_assert_int_gt(cancelled, 0);
    alcore_request_unref(self.request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* One word more or less changes a short text, so that it is near to no other, long or short. */
START_TEST(texts_of_few_words_are_near_to_none) {
    static const char *const texts[] = {
        "session ok, logged in",
        "session ok, not logged in",
        "the page is empty",
        "the page is not empty",
        "one two three four",
        "one two five three four",
        "no tab can close",
        "no other tab can close",
        "a text of more words stays",
        "a text of more words stays too", /* the only one that is masked */
    };
    enum { COUNT = sizeof texts / sizeof *texts };
    uint8_t left[COUNT] = {0};
    alcore_ctx *ctx = ctx_of(1);
    alcore_pool *pool = pool_of(ctx, texts, COUNT);
    find_left(request_for(ctx, pool, "random", "100"), left);
    for (int i = 0; i < COUNT; i++) ck_assert_msg(left[i] == (i < COUNT - 1), "%s", texts[i]);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("text_near");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, texts_of_few_words_are_near_to_none);
    tcase_add_test(cases, first_of_near_texts_stays);
    tcase_add_test(cases, threads_mask_the_same_rows);
    tcase_add_test(cases, bought_rows_hide_near_texts);
    tcase_add_test(cases, bought_rows_hide_their_templates);
    tcase_add_test(cases, few_letters_without_spaces_are_few_words);
    tcase_add_test(cases, empty_and_huge_texts);
    tcase_add_loop_test(cases, many_texts_share_a_key, 0, 2);
    tcase_add_test(cases, a_table_that_grows_forgets_nothing);
    tcase_add_test(cases, memory_runs_out);
    tcase_add_test(cases, cancels_end_it);
    return check_suite_run("request/text_near", cases);
}
