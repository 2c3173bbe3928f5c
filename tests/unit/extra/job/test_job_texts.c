/* SPDX-License-Identifier: Apache-2.0 */
/* Strategies and masks that compare texts with those of all shards: the recommended strategy, with
 * all of its masks, over 1 to 8 shards of any sizes has the picks of one machine, byte for byte. */
#include "job_shards.h"
#include "request/text_masks_internal.h"
#include "text/text_tokens.h"

enum { FEW_ROWS = 700, MANY_ROWS = 17000, LABELED = 60 };

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(11);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* ---- texts ---- */

static const char *const WORDS[] = {
    "the",   "file",  "could",  "not",   "be",     "opened", "please", "try",    "again",  "user",
    "name",  "is",    "wrong",  "save",  "before", "you",    "leave",  "window", "menu",   "close",
    "paper", "print", "letter", "train", "late",   "ticket", "river",  "bridge", "summer", "snow"};
static const char *const GERMAN[] = {"die",   "Datei",  "konnte", "nicht",  "werden",
                                     "bitte", "erneut", "Name",   "falsch", "Fenster"};
static const char *const CHINESE[] = {"无法打开文件", "请再试一次", "保存", "名称不对", "窗口"};
static const char *const NAMES[] = {"XFS", "ext4", "GObject", "fork()", "login.defs"};
static const char *const RUSSIAN[] = {"файл", "не", "удалось", "открыть", "попробуйте", "снова"};

/* Appends words of a list, each drawn by the row with the frequent ones first. */
static void put_words(int64_t row, const char *const *list, int count, int words, char *text,
                      size_t bytes) {
    size_t length = strlen(text);
    for (int w = 0; w < words; w++) {
        const double drawn = job_number(row, 20 + w);
        length += (size_t)snprintf(text + length, bytes - length, "%s%s", length ? " " : "",
                                   list[(int)(drawn * drawn * count)]);
    }
}

enum { FIRST_ROWS = 250 };

/* Whether a row is in Russian; the first rows that are have a language that no later row has. */
static bool is_russian(int64_t row) {
    const int kind = (int)(job_number(row, 2) * 20);
    return kind == 2 || (kind == 8 && row < FIRST_ROWS);
}

/* The text of a row: sentences, of which some are templates, nearly earlier ones, in another
 * script, without words, or far too long. */
static void sentence(int64_t row, char *text, size_t bytes) {
    const int kind = (int)(job_number(row, 2) * 20);
    const int words = 4 + (int)(job_number(row, 3) * 9);
    text[0] = '\0';
    if (kind == 0) { /* a template, in which numbers or names differ */
        const char *name = row % 2 ? NAMES[(int)(job_number(row, 6) * 5)] : "it";
        snprintf(text, bytes, "%s number %lld of %s", WORDS[row % 3 * 4], (long long)row, name);
    } else if (kind == 1) {
        snprintf(text, bytes, "%lld -- %d, %d:%d", (long long)row, words, words, kind);
    } else if (is_russian(row)) { /* or mostly Latin */
        put_words(row, WORDS, 30, row % 8 == 0 ? 6 : 0, text, bytes);
        put_words(row, RUSSIAN, 6, row % 8 == 0 ? 2 : words, text, bytes);
    } else if (kind == 9) { /* near ones have more in common where words are letters */
        put_words((int64_t)(job_number(row, 4) * 5), CHINESE, 5, 4, text, bytes);
        put_words(row, CHINESE, 5, 1, text, bytes);
    } else if (kind == 3) {
        put_words(row, WORDS, 30, 150, text, bytes);
    } else if (kind < 7 && row > 10) { /* nearly that of an earlier row */
        put_words((int64_t)(job_number(row, 4) * 9), WORDS, 30, 11, text, bytes);
        if (kind > 4) put_words(row, WORDS, 30, kind - 4, text, bytes);
    } else if (kind == 7 && row > 20) { /* that of an earlier row */
        sentence((int64_t)(job_number(row, 5) * (double)row), text, bytes);
    } else if (row % 3 == 0) {
        put_words(row, GERMAN, 10, words, text, bytes);
    } else {
        put_words(row, WORDS, 30, words, text, bytes);
    }
}

/* The rows first .. end - 1. languages: every third is German, and a few have none. */
static alcore_pool *sentences(const job_setting *setting, int64_t first, int64_t end,
                              bool languages) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = setting->dedup;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    for (int64_t row = first; row < end; row++) {
        char text[2000];
        const char *texts[] = {text}, *tags[] = {is_russian(row) && row < FIRST_ROWS ? "be"
                                                 : row % 3 == 0                      ? "de"
                                                 : row % 50 == 1                     ? ""
                                                                                     : "en"};
        const double costs[] = {row % 17 == 0 ? 0 : 3 * job_number(row, 9)};
        alcore_records records = ALCORE_RECORDS_INIT;
        sentence(row, text, sizeof text);
        records.texts = texts;
        records.costs = costs;
        records.languages = languages ? tags : NULL;
        records.count = 1;
        ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    }
    return pool;
}

/* A request over the rows first .. end - 1. known: with texts that are labeled, some of which are
 * nearly those of the rows, and with rows that are labeled or were bought. */
static alcore_request *request_of(const job_setting *setting, int64_t first, int64_t end,
                                  bool languages, bool known) {
    alcore_pool *pool = sentences(setting, first, end, languages);
    alcore_request *request = job_request(ctx, setting, pool);
    for (int64_t row = first; known && row < end; row++) {
        const int64_t own = row - first;
        if (row % 13 == 5) ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &own, 1));
    }
    if (known) {
        alcore_pool *labeled = sentences(setting, 5, LABELED, languages);
        int64_t bought[FEW_ROWS], count = 0;
        for (int64_t row = first; row < end; row++)
            if (row % 23 == 4) bought[count++] = row - first;
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, bought, count));
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
        alcore_pool_unref(labeled);
    }
    alcore_pool_unref(pool);
    return request;
}

/* ---- comparing ---- */

static void compare(const job_setting *setting, int64_t rows, int32_t shards, uint64_t seed,
                    bool languages, bool known) {
    const job_cut cut = job_cut_at(rows, shards, seed);
    alcore_request *request = request_of(setting, 0, rows, languages, known);
    alcore_selection *expected;
    alcore_job *jobs[SHARDS] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    ck_assert_ok(alcore_select(request, &expected));
    alcore_request_unref(request);
    for (int32_t s = 0; s < shards; s++)
        jobs[s] = job_for(request_of(setting, cut.starts[s], cut.starts[s + 1], languages, known),
                          &cut, s, NULL);
    job_drive(ctx, jobs, shards, &rng);
    for (int32_t s = 0; s < shards; s++) job_check_picks(jobs[s], expected);
    for (int32_t s = 0; s < shards; s++) alcore_job_unref(jobs[s]);
    alcore_selection_unref(expected);
}

/* The strategy of NULL is the recommended one, which has all masks. */
static const job_setting VARIANTS[] = {
    {NULL, NULL, "400w", NULL, ALCORE_DEDUP_EXACT},
    {NULL, NULL, "30", "tie=random seed=5", ALCORE_DEDUP_NORMALIZED},
    {NULL, "max_n=2 decay=0.1", "700c,2000c", "fill=stop", ALCORE_DEDUP_NONE},
    {NULL, "candidates=150", "40.5u,9u", "fill=skip round=2", ALCORE_DEDUP_EXACT},
    {NULL, NULL, "1000000w", NULL, ALCORE_DEDUP_EXACT},
    {NULL, NULL, "0", NULL, ALCORE_DEDUP_EXACT},
    {NULL, NULL, "60", "masks=none", ALCORE_DEDUP_EXACT},
    {"ngram-cover", "power=1 overhead=0", "200w", NULL, ALCORE_DEDUP_EXACT},
    {"ngram-cover", "first=0", "25", "masks=near,wordless", ALCORE_DEDUP_NORMALIZED},
    {"random", NULL, "100w", "masks=all", ALCORE_DEDUP_EXACT},
    {"random", NULL, "300c", "masks=language,lengths", ALCORE_DEDUP_NONE},
    {"random", NULL, "30", "masks=templates", ALCORE_DEDUP_EXACT},
};
enum { VARIANT_COUNT = sizeof VARIANTS / sizeof *VARIANTS };

START_TEST(the_recommended_picks_of_one_machine) {
    for (int32_t shards = 1; shards <= SHARDS; shards++) {
        const int how = (_i + shards) % 4;
        compare(&VARIANTS[_i], FEW_ROWS, shards, (uint64_t)(100 * _i + shards), how % 2 == 1,
                how > 1);
    }
}
END_TEST

START_TEST(shards_of_several_blocks_of_texts) {
    compare(&VARIANTS[_i], MANY_ROWS, 3 + _i, 5, true, false);
}
END_TEST

/* ---- messages ---- */

/* The jobs of two shards of sentences. */
static void two_jobs(const job_setting *setting, bool known, alcore_job *out[2]) {
    static const int64_t starts[] = {0, 50, 120};
    for (int32_t s = 0; s < 2; s++) {
        alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
        options.first_row = starts[s];
        options.rows = starts[2];
        alcore_request *request = request_of(setting, starts[s], starts[s + 1], true, known);
        ck_assert_ok(alcore_job_new(request, &options, &out[s]));
        alcore_request_unref(request);
    }
}

/* Messages whose sums are right and whose bytes are not: a part that is none is refused, and the
 * job goes on with the right message. */
START_TEST(parts_that_lie) {
    const bool known = _i % 2 == 1;
    alcore_selection *expected;
    alcore_job *jobs[2];
    alcore__rng rng;
    int refused = 0;
    alcore__rng_seed(&rng, (uint64_t)_i);
    alcore_request *request = request_of(&VARIANTS[0], 0, 120, true, known);
    ck_assert_ok(alcore_select(request, &expected));
    two_jobs(&VARIANTS[0], known, jobs);
    for (int exchange = 0; exchange < 3; exchange++) { /* texts, masks, tokens */
        size_t length;
        char *message = job_step_both(ctx, jobs, &length);
        const size_t entry = 48 + (strlen(message + 48) / 8 + 1) * 8;
        for (int lie = 0; lie < 200 && exchange > 0; lie++) {
            alcore_job *job;
            alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
            /* The head of the first part, or anything. */
            const size_t place =
                8 * (lie < 60 ? (entry + 32) / 8 + (size_t)lie
                              : 6 + (size_t)alcore__rng_below(&rng, (length - 48) / 8));
            char *wrong = malloc(length);
            memcpy(wrong, message, length);
            uint64_t number = alcore__rng_below(&rng, 3) == 0 ? UINT64_MAX : 1000;
            if (lie % 3 == 0) number = (uint64_t)1 << alcore__rng_below(&rng, 64);
            memcpy(wrong + place, &number, 8);
            number = alcore__hash64(wrong + 16, length - 16);
            memcpy(wrong + 8, &number, 8);
            options.rows = 120;
            alcore_request *own = request_of(&VARIANTS[0], 0, 50, true, known);
            ck_assert_ok(alcore_job_new(own, &options, &job));
            const alcore_status status = alcore_job_deliver(jobs[0], wrong, length);
            /* Another text, or another number of its n-grams, is a message like any other; a large
             * number needs no memory before it is found to lie. */
            ck_assert_msg(status == ALCORE_OK || status == ALCORE_E_CORRUPT ||
                              status == ALCORE_E_INVALID || status == ALCORE_E_DATA ||
                              status == ALCORE_E_MISSING,
                          "%s", alcore_last_error());
            refused += status != ALCORE_OK;
            if (status == ALCORE_OK) { /* a new one takes its place */
                alcore_job_unref(jobs[0]);
                jobs[0] = job;
                alcore_job *pair[2];
                two_jobs(&VARIANTS[0], known, pair);
                for (int before = 0; before < exchange; before++) {
                    size_t right;
                    char *earlier = job_step_both(ctx, pair, &right);
                    ck_assert_ok(alcore_job_deliver(pair[0], earlier, right));
                    ck_assert_ok(alcore_job_deliver(pair[1], earlier, right));
                    ck_assert_ok(alcore_job_deliver(jobs[0], earlier, right));
                    free(earlier);
                }
                alcore_job_unref(pair[0]);
                alcore_job_unref(pair[1]);
            } else {
                alcore_job_unref(job);
            }
            alcore_request_unref(own);
            free(wrong);
        }
        for (int32_t s = 0; s < 2; s++) ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
        free(message);
    }
    ck_assert_int_gt(refused, 60);
    job_check_picks(jobs[0], expected);
    job_check_picks(jobs[1], expected);
    alcore_job_unref(jobs[0]);
    alcore_job_unref(jobs[1]);
    alcore_request_unref(request);
    alcore_selection_unref(expected);
}
END_TEST

/* Without a word in any shard, the first round of the recommended strategy ends with the error of
 * one machine; where one shard has none, it has no pick; and where a row was labeled the selection
 * is short. */
START_TEST(shards_without_words) {
    alcore_job *jobs[2];
    alcore__rng rng;
    for (int how = 0; how < 3; how++) {
        const bool words = how == 1, labeled = how == 2;
        int64_t row = 0;
        size_t length;
        alcore_status status = ALCORE_OK;
        for (int32_t s = 0; s < 2; s++, row += 2) {
            const char *texts[] = {s ? "12 34" : "-- 77", s && words ? "two words here" : "5 / 9"};
            alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
            alcore_request *request;
            alcore_pool *pool;
            ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
            ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 2, NULL));
            if (labeled && s)
                ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, (const int64_t[]){0}, 1));
            ck_assert_ok(alcore_request_new(ctx, &request)); /* no strategy: the recommended one */
            ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
            ck_assert_ok(alcore_request_set(request, "budget", "1"));
            options.first_row = row;
            options.rows = 4;
            ck_assert_ok(alcore_job_new(request, &options, &jobs[s]));
            alcore_request_unref(request);
            alcore_pool_unref(pool);
        }
        alcore__rng_seed(&rng, 1);
        if (labeled) {
            job_drive(ctx, jobs, 2, &rng);
            ck_assert_int_eq(alcore_job_pick_count(jobs[0]), 0);
            ck_assert_uint_eq(alcore_job_flags(jobs[0]), ALCORE_SELECTION_SHORT);
        }
        if (words) {
            job_drive(ctx, jobs, 2, &rng);
            ck_assert_int_eq(alcore_job_pick_count(jobs[0]), 1);
            ck_assert_int_eq(alcore_job_rows(jobs[0])[0], 3);
        }
        for (int exchange = 0; exchange < 2 && how == 0; exchange++) {
            char *message = job_step_both(ctx, jobs, &length);
            for (int32_t s = 0; s < 2; s++) status = alcore_job_deliver(jobs[s], message, length);
            free(message);
            ck_assert_int_eq(status, exchange ? ALCORE_E_INVALID : ALCORE_OK);
        }
        if (how == 0) ck_assert(strstr(alcore_last_error(), "have no texts of words") != NULL);
        alcore_job_unref(jobs[0]);
        alcore_job_unref(jobs[1]);
    }
}
END_TEST

/* Bytes of the parts of a shard by the formula of docs/distributed.md; no text is masked. */
START_TEST(sizes_of_parts) {
    static const job_setting setting = {"ngram-cover", NULL, "9", "masks=near", ALCORE_DEDUP_NONE};
    enum { ROWS = 50, TAGS = 4 * (8 + 8) /* "be", "de", "en", "unknown" */ };
    alcore_job *jobs[2];
    two_jobs(&setting, false, jobs);
    alcore_pool *pool = sentences(&setting, 0, ROWS, true);
    alcore__read_texts texts;
    uint8_t mask[ROWS];
    memset(mask, 1, sizeof mask);
    ck_assert_ok(alcore__texts_read(ctx, pool, mask, ROWS, true, NULL, &texts));
    size_t masks = 144 + TAGS, tokens = 16 + TAGS;
    int near = 0;
    for (int64_t row = 0; row < ROWS; row++) {
        const char *text = alcore_pool_text(pool, row, NULL);
        alcore__token_reader reader = {.text = text, .length = strlen(text)};
        size_t count = 0;
        while (alcore__token_next(&reader)) count++;
        tokens += 32 + (count + 63) / 64 * 8 + 8 * count;
        masks += 32;
        if (texts.near[row].count > 0) masks += 24 + (texts.near[row].count + 1) / 2 * 8;
        near += texts.near[row].count > 0;
    }
    ck_assert_int_gt(near, ROWS / 2);
    for (int exchange = 0; exchange < 2; exchange++) {
        size_t length, own;
        char *all = job_step_both(ctx, jobs, &length);
        const char *message = alcore_job_message(jobs[0], &own);
        const size_t settings = (strlen(message + 48) / 8 + 1) * 8;
        const size_t part = own - 48 - settings - 32;
        if (exchange == 0) ck_assert_uint_eq(part, masks);
        if (exchange == 1) ck_assert_uint_le(part, tokens); /* near ones are left out */
        if (exchange == 1) ck_assert_uint_gt(part, tokens / 2);
        ck_assert_ok(alcore_job_deliver(jobs[0], all, length));
        ck_assert_ok(alcore_job_deliver(jobs[1], all, length));
        free(all);
    }
    alcore__texts_read_clear(ctx, &texts);
    alcore_pool_unref(pool);
    alcore_job_unref(jobs[0]);
    alcore_job_unref(jobs[1]);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_texts");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, the_recommended_picks_of_one_machine, 0, VARIANT_COUNT);
    tcase_add_loop_test(cases, shards_of_several_blocks_of_texts, 0, 2);
    tcase_add_loop_test(cases, parts_that_lie, 0, 2);
    tcase_add_test(cases, shards_without_words);
    tcase_add_test(cases, sizes_of_parts);
    return check_suite_run("job_texts", cases);
}
