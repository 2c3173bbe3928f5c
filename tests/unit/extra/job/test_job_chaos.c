/* SPDX-License-Identifier: Apache-2.0 */
/* What goes wrong between shards: messages that are given twice, lost, in another order, cut
 * off, damaged, stale or of other data. Each ends in the picks of one machine or in an error
 * that says why, after which the job goes on. Folding is associative, commutative and
 * idempotent. What jobs do not serve is refused by its name; no failing allocation loses or
 * leaks anything. */
#include "job_shards.h"

enum { ROWS = 120, COUNT = 4 };

static const job_setting SETTING = {"random", NULL, "60w", NULL, ALCORE_DEDUP_EXACT};

static alcore_ctx *ctx;
static job_cut cut;

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    cut = job_cut_at(ROWS, COUNT, 21);
    cut.starts[2] = cut.starts[1] + 9; /* all have rows */
    cut.starts[3] = cut.starts[2] + 9;
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* The bytes of a message, owned. */
typedef struct bytes {
    char *data;
    size_t length;
} bytes;

static bytes copy(const char *data, size_t length) {
    bytes made = {malloc(length + 1), length};
    memcpy(made.data, data, length);
    return made;
}

static bytes message_of(alcore_job *job) {
    int32_t state;
    size_t length;
    ck_assert_ok(alcore_job_step(job, &state));
    ck_assert_int_eq(state, ALCORE_JOB_FOLD);
    const char *data = alcore_job_message(job, &length);
    return copy(data, length);
}

static bytes folded(const bytes *messages, int32_t count) {
    alcore_job_fold *fold;
    size_t length;
    ck_assert_ok(alcore_job_fold_new(ctx, &fold));
    for (int32_t i = 0; i < count; i++)
        ck_assert_ok(alcore_job_fold_add(fold, messages[i].data, messages[i].length));
    const char *data = alcore_job_fold_message(fold, &length);
    const bytes made = copy(data, length);
    alcore_job_fold_unref(fold);
    return made;
}

static void ck_equal(bytes a, bytes b) {
    ck_assert_uint_eq(a.length, b.length);
    ck_assert_mem_eq(a.data, b.data, a.length);
}

/* The messages of the first exchange, of the texts. */
static void first_messages(const job_setting *setting, bytes *out) {
    for (int32_t s = 0; s < COUNT; s++) {
        alcore_job *job = job_new(ctx, setting, &cut, s);
        out[s] = message_of(job);
        alcore_job_unref(job);
    }
}

static void free_all(bytes *messages, int32_t count) {
    for (int32_t i = 0; i < count; i++) free(messages[i].data);
}

START_TEST(folding_is_a_union) {
    bytes m[COUNT], sides[2];
    first_messages(&SETTING, m);
    const bytes all = folded(m, COUNT);
    const bytes backwards = folded((bytes[]){m[3], m[2], m[1], m[0]}, COUNT);
    ck_equal(all, backwards); /* commutative */
    sides[0] = folded((bytes[]){m[0], m[2]}, 2);
    sides[1] = folded((bytes[]){m[1], m[3]}, 2);
    const bytes grouped = folded(sides, 2);
    ck_equal(all, grouped); /* associative */
    const bytes twice = folded((bytes[]){all, m[1], sides[0], all}, 4);
    ck_equal(all, twice); /* idempotent */
    const bytes alone = folded(m, 1);
    ck_equal(alone, m[0]);
    free_all((bytes[]){all, backwards, grouped, twice, alone, sides[0], sides[1]}, 7);
    free_all(m, COUNT);
}
END_TEST

/* Adds a message to a fold that has another one, which stays as it is. */
static void ck_refused(bytes present, bytes added, alcore_status status, const char *words) {
    alcore_job_fold *fold;
    size_t length;
    ck_assert_ok(alcore_job_fold_new(ctx, &fold));
    ck_assert_ptr_null(alcore_job_fold_message(fold, &length));
    ck_assert_ok(alcore_job_fold_add(fold, present.data, present.length));
    ck_assert_int_eq(alcore_job_fold_add(fold, added.data, added.length), status);
    ck_assert_msg(strstr(alcore_last_error(), words) != NULL, "%s", alcore_last_error());
    const char *data = alcore_job_fold_message(fold, &length);
    ck_equal((bytes){(char *)(uintptr_t)data, length}, present);
    alcore_job_fold_unref(fold);
}

START_TEST(messages_that_do_not_go_together) {
    bytes m[COUNT], other[COUNT];
    job_setting setting = SETTING;
    first_messages(&SETTING, m);
    setting.options = "seed=5";
    first_messages(&setting, other);
    ck_refused(m[0], other[1], ALCORE_E_INVALID, "was made with seed=5");
    free_all(other, COUNT);
    setting.options = NULL;
    setting.budget = "61w";
    first_messages(&setting, other);
    ck_refused(m[0], other[1], ALCORE_E_INVALID, "budget=61w, that of the rows");
    free_all(other, COUNT);
    /* Rows that are cut otherwise. */
    const job_cut before = cut;
    cut.starts[1]++;
    first_messages(&SETTING, other);
    ck_refused(m[0], other[0], ALCORE_E_INVALID, "some of which are the same");
    ck_refused(m[1], other[0], ALCORE_E_INVALID, "some of which are the same");
    free_all(other, COUNT);
    cut = before;
    for (int32_t s = 0; s <= COUNT; s++) cut.starts[s] += s == COUNT;
    first_messages(&SETTING, other);
    ck_refused(m[0], other[1], ALCORE_E_INVALID, "is of 121 rows in all, that of the rows");
    free_all(other, COUNT);
    cut = before;
    /* The same rows of other data: the order of two texts is another one. */
    bytes changed = copy(m[2].data, m[2].length);
    alcore_job *job = job_new(ctx, &SETTING, &cut, 3);
    free(changed.data);
    changed = message_of(job);
    memcpy(&changed.data[8], &m[3].data[8], 8); /* a checksum of other bytes */
    changed.data[changed.length - 1] ^= 1;
    ck_refused(m[2], changed, ALCORE_E_CORRUPT, "cut off or damaged");
    free(changed.data);
    alcore_job_unref(job);
    free_all(m, COUNT);
}
END_TEST

/* A message of the shard whose first text is another one, with a sum that is right. */
static bytes with_other_text(void) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    const char *texts[] = {"another text"};
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    for (int64_t row = cut.starts[0]; row < cut.starts[1]; row++)
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    alcore_request *request = job_request(ctx, &SETTING, pool);
    alcore_job_options place = ALCORE_JOB_OPTIONS_INIT;
    alcore_job *job;
    place.rows = ROWS;
    place.dataset = "texts of 2026";
    ck_assert_ok(alcore_job_new(request, &place, &job));
    const bytes made = message_of(job);
    alcore_job_unref(job);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    return made;
}

START_TEST(two_shards_that_disagree) {
    bytes m[COUNT];
    first_messages(&SETTING, m);
    const bytes other = with_other_text();
    ck_refused(m[0], other, ALCORE_E_CORRUPT, "disagree about the rows 0 to");
    /* The shard itself finds out as well. */
    alcore_job *job = job_new(ctx, &SETTING, &cut, 0);
    const bytes all = folded((bytes[]){other, m[1], m[2], m[3]}, COUNT);
    ck_assert_int_eq(alcore_job_deliver(job, all.data, all.length), ALCORE_E_DATA);
    ck_assert(strstr(alcore_last_error(), "with other texts of the rows 0 to") != NULL);
    alcore_job_unref(job);
    free_all((bytes[]){other, all}, 2);
    free_all(m, COUNT);
}
END_TEST

/* Gives a job a message that it refuses. */
static void ck_not_taken(alcore_job *job, bytes message, alcore_status status, const char *words) {
    const int64_t picks = alcore_job_pick_count(job);
    ck_assert_int_eq(alcore_job_deliver(job, message.data, message.length), status);
    ck_assert_msg(strstr(alcore_last_error(), words) != NULL, "%s", alcore_last_error());
    ck_assert_int_eq(alcore_job_pick_count(job), picks);
}

/* Drives jobs with messages that come twice, get lost, are cut off, damaged, or of the exchange
 * before. */
START_TEST(chaos_between_the_shards) {
    alcore_selection *expected = job_expected(ctx, &SETTING, ROWS);
    alcore_job *jobs[COUNT];
    bytes stale = {NULL, 0};
    alcore__rng rng;
    alcore__rng_seed(&rng, (uint64_t)_i);
    for (int32_t s = 0; s < COUNT; s++) jobs[s] = job_new(ctx, &SETTING, &cut, s);
    for (int exchange = 0; exchange < 3; exchange++) {
        bytes m[COUNT];
        for (int32_t s = 0; s < COUNT; s++) {
            m[s] = message_of(jobs[s]);
            if (alcore__rng_below(&rng, 3) > 0) continue;
            /* The process is lost, and the task made again by another one. */
            free(m[s].data);
            m[s] = message_of(jobs[s]);
        }
        const bytes all = folded(m, COUNT);
        for (int32_t s = 0; s < COUNT; s++) {
            const int32_t lost = (int32_t)alcore__rng_below(&rng, COUNT);
            bytes rest[COUNT], wrong;
            int32_t count = 0;
            for (int32_t t = 0; t < COUNT; t++)
                if (t != lost) rest[count++] = m[t];
            wrong = folded(rest, count);
            ck_not_taken(jobs[s], wrong, ALCORE_E_MISSING, "that of a shard is missing");
            free(wrong.data);
            wrong = copy(all.data, (size_t)alcore__rng_below(&rng, all.length));
            ck_not_taken(jobs[s], wrong, ALCORE_E_CORRUPT, "bytes)");
            free(wrong.data);
            wrong = copy(all.data, all.length);
            wrong.data[16 + alcore__rng_below(&rng, all.length - 16)] ^=
                (char)(1 << alcore__rng_below(&rng, 8));
            const alcore_status status = alcore_job_deliver(jobs[s], wrong.data, wrong.length);
            ck_assert(status == ALCORE_E_CORRUPT || status == ALCORE_E_INVALID);
            free(wrong.data);
            if (stale.data) { /* it was delivered before: nothing happens */
                ck_assert_ok(alcore_job_deliver(jobs[s], stale.data, stale.length));
                wrong = folded(&stale, 1);
                ck_refused(all, wrong, ALCORE_E_INVALID, "is of the exchange of");
                free(wrong.data);
            }
            ck_assert_ok(alcore_job_deliver(jobs[s], all.data, all.length));
            if (alcore__rng_below(&rng, 2) == 0)
                ck_assert_ok(alcore_job_deliver(jobs[s], all.data, all.length));
        }
        free(stale.data);
        stale = all;
        free_all(m, COUNT);
    }
    for (int32_t s = 0; s < COUNT; s++) {
        int32_t state;
        ck_assert_ok(alcore_job_step(jobs[s], &state));
        ck_assert_int_eq(state, ALCORE_JOB_DONE);
        job_check_picks(jobs[s], expected);
        alcore_job_unref(jobs[s]);
    }
    free(stale.data);
    alcore_selection_unref(expected);
}
END_TEST

/* A message of the exchange before that is not the one that was delivered, and one of a later
 * exchange; nothing is taken after the end. */
START_TEST(messages_of_another_exchange) {
    bytes texts[COUNT], counts[COUNT];
    alcore_job *jobs[COUNT];
    first_messages(&SETTING, texts);
    const bytes first = folded(texts, COUNT);
    for (int32_t s = 0; s < COUNT; s++) {
        jobs[s] = job_new(ctx, &SETTING, &cut, s);
        ck_assert_ok(alcore_job_deliver(jobs[s], first.data, first.length));
        counts[s] = message_of(jobs[s]);
    }
    const bytes second = folded(counts, COUNT);
    ck_not_taken(jobs[0], texts[0], ALCORE_E_INVALID,
                 "is of the exchange of texts, this job of that of candidates");
    alcore_job *fresh = job_new(ctx, &SETTING, &cut, 1);
    ck_not_taken(fresh, second, ALCORE_E_INVALID,
                 "is of the exchange of candidates, this job of that of texts");
    alcore_job_unref(fresh);
    for (int32_t s = 0; s < COUNT; s++) {
        ck_assert_ok(alcore_job_deliver(jobs[s], second.data, second.length));
        free(counts[s].data);
        counts[s] = message_of(jobs[s]);
    }
    const bytes third = folded(counts, COUNT);
    ck_assert_ok(alcore_job_deliver(jobs[0], third.data, third.length));
    ck_assert_ok(alcore_job_deliver(jobs[0], third.data, third.length));
    ck_not_taken(jobs[0], counts[1], ALCORE_E_INVALID, "the job is done");
    for (int32_t s = 0; s < COUNT; s++) alcore_job_unref(jobs[s]);
    free_all(texts, COUNT);
    free_all(counts, COUNT);
    free_all((bytes[]){first, second, third}, 3);
}
END_TEST

/* Every prefix and every flipped bit of a message is found. */
START_TEST(no_damage_is_missed) {
    bytes m[COUNT];
    alcore_job_fold *fold;
    first_messages(&SETTING, m);
    ck_assert_ok(alcore_job_fold_new(ctx, &fold));
    for (size_t length = 0; length < m[1].length; length++) {
        bytes part = copy(m[1].data, length); /* of its own, for the sanitizer */
        ck_assert_int_eq(alcore_job_fold_add(fold, part.data, length), ALCORE_E_CORRUPT);
        free(part.data);
    }
    for (size_t bit = 0; bit < 8 * m[1].length; bit++) {
        m[1].data[bit / 8] ^= (char)(1 << bit % 8);
        const alcore_status status = alcore_job_fold_add(fold, m[1].data, m[1].length);
        ck_assert_int_eq(status, bit / 64 == 2 && bit % 64 < 32 ? ALCORE_E_INVALID /* version */
                                                                : ALCORE_E_CORRUPT);
        m[1].data[bit / 8] ^= (char)(1 << bit % 8);
    }
    ck_assert_ok(alcore_job_fold_add(fold, m[1].data, m[1].length));
    alcore_job_fold_unref(fold);
    free_all(m, COUNT);
}
END_TEST

/* Messages whose sums are right and whose numbers are not, as an attacker makes them. */
START_TEST(numbers_that_lie) {
    static const int64_t wrong[] = {-1, 1, 1000, INT64_MAX, INT64_MIN, INT64_MAX / 16 + 1};
    bytes m[COUNT];
    alcore_job_fold *fold;
    first_messages(&SETTING, m);
    ck_assert_ok(alcore_job_fold_new(ctx, &fold));
    size_t places[8] = {24, 32, 40}; /* rows, entries, length of the settings */
    const size_t entry = 48 + (strlen(m[1].data + 48) / 8 + 1) * 8;
    for (size_t i = 0; i < 3; i++) places[3 + i] = entry + 8 * i; /* first, end, fingerprint */
    places[6] = entry + 24;                                       /* items */
    for (size_t i = 0; i < 7; i++) {
        if (i == 5) continue; /* a fingerprint may be any number */
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            if (memcmp(m[1].data + places[i], &wrong[w], 8) == 0) continue;
            if (i == 0 && wrong[w] >= ROWS) continue; /* more rows than there are */
            if (i == 3 && wrong[w] >= 0 && wrong[w] <= cut.starts[2]) continue;
            if (i == 4 && wrong[w] >= cut.starts[1] && wrong[w] <= ROWS) continue;
            bytes lie = copy(m[1].data, m[1].length);
            memcpy(lie.data + places[i], &wrong[w], 8);
            const uint64_t sum = alcore__hash64(lie.data + 16, lie.length - 16);
            memcpy(lie.data + 8, &sum, 8);
            ck_assert_int_eq(alcore_job_fold_add(fold, lie.data, lie.length), ALCORE_E_CORRUPT);
            free(lie.data);
        }
    }
    alcore_job_fold_unref(fold);
    free_all(m, COUNT);
}
END_TEST

/* A copy of a message with another number at a place, and the right sum. */
static bytes with_number(bytes message, size_t place, const void *number) {
    bytes lie = copy(message.data, message.length);
    memcpy(lie.data + place, number, 8);
    const uint64_t sum = alcore__hash64(lie.data + 16, lie.length - 16);
    memcpy(lie.data + 8, &sum, 8);
    return lie;
}

/* Candidates are counted and have no items, so that the length does not say how many there are; a
 * nominee is one of its shard's rows, and has a key and a cost. */
START_TEST(counts_and_nominees_that_lie) {
    static const int64_t counts[] = {ROWS + 1, INT64_MAX}, rows[] = {-1, ROWS};
    static const double keys[] = {NAN}, costs[] = {NAN, INFINITY, -1};
    static const struct {
        size_t offset, count;
        const void *numbers;
    } lies[] = {{0, 2, rows}, {8, 1, keys}, {24, 3, costs}};
    bytes m[COUNT];
    alcore_job *jobs[COUNT];
    first_messages(&SETTING, m);
    for (int exchange = 1; exchange < 3; exchange++) {
        const bytes all = folded(m, COUNT);
        for (int32_t s = 0; s < COUNT; s++) {
            if (exchange == 1) jobs[s] = job_new(ctx, &SETTING, &cut, s);
            ck_assert_ok(alcore_job_deliver(jobs[s], all.data, all.length));
            free(m[s].data);
            m[s] = message_of(jobs[s]);
        }
        free(all.data);
        const bytes present = folded(m, COUNT);
        const size_t entry = 48 + (strlen(present.data + 48) / 8 + 1) * 8;
        for (size_t i = 0; exchange == 1 && i < sizeof counts / sizeof *counts; i++) {
            const bytes lie = with_number(present, entry + 24, &counts[i]);
            ck_not_taken(jobs[0], lie, ALCORE_E_CORRUPT, "damaged");
            free(lie.data);
        }
        for (size_t i = 0; exchange == 2 && i < sizeof lies / sizeof *lies; i++)
            for (size_t k = 0; k < lies[i].count; k++) {
                const bytes lie = with_number(present, entry + 32 + lies[i].offset,
                                              (const char *)lies[i].numbers + 8 * k);
                ck_not_taken(jobs[0], lie, ALCORE_E_CORRUPT, "has no nominees of the rows");
                free(lie.data);
            }
        if (exchange == 2) { /* the second nominee has the row of the first */
            const bytes lie = with_number(present, entry + 64, present.data + entry + 32);
            ck_not_taken(jobs[0], lie, ALCORE_E_CORRUPT, "is nominated twice");
            free(lie.data);
        }
        free(present.data);
    }
    for (int32_t s = 0; s < COUNT; s++) alcore_job_unref(jobs[s]);
    free_all(m, COUNT);
}
END_TEST

/* ---- what is refused ---- */

/* Makes the job of a request that is refused. */
static void ck_unserved(const job_setting *setting, alcore_status status, const char *words) {
    alcore_pool *pool = job_pool(ctx, setting, 0, 20);
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_job *job;
    ck_assert_int_eq(alcore_job_new(request, NULL, &job), status);
    ck_assert_ptr_null(job);
    ck_assert_msg(strstr(alcore_last_error(), words) != NULL, "%s", alcore_last_error());
    alcore_request_unref(request);
    alcore_pool_unref(pool);
}

/* All that are built in are served; huds-phrase where a model makes the columns of all texts. */
START_TEST(strategies_that_are_served) {
    const char *name;
    for (int64_t i = 0; (name = alcore_strategy_builtin_name(i)) != NULL; i++)
        ck_assert_msg(alcore_job_serves(name), "%s", name);
    ck_assert(alcore_job_serves(NULL) && !alcore_job_serves("no such strategy"));
}
END_TEST

START_TEST(options_that_are_not_served) {
    static const struct {
        job_setting setting;
        alcore_status status;
        const char *words;
    } cases[] = {
        {{"random", NULL, "5", "masks=no", 0}, ALCORE_E_PARAM, "\"no\" is none of wordless"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_unserved(&cases[i].setting, cases[i].status, cases[i].words);
}
END_TEST

START_TEST(requests_that_lack_something) {
    alcore_pool *pool = job_pool(ctx, &SETTING, 0, 20);
    alcore_request *request = job_request(ctx, &SETTING, pool), *empty;
    alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
    alcore_job *job;
    int32_t state;
    options.rows = 30;
    options.first_row = 11;
    ck_assert_int_eq(alcore_job_new(request, &options, &job), ALCORE_E_INVALID);
    ck_assert(strstr(alcore_last_error(), "20 rows from row 11 on, but there are 30") != NULL);
    options.first_row = -1;
    ck_assert_int_eq(alcore_job_new(request, &options, &job), ALCORE_E_INVALID);
    options.first_row = 10;
    options.dataset = "two\nlines";
    ck_assert_int_eq(alcore_job_new(request, &options, &job), ALCORE_E_INVALID);
    options.dataset = NULL;
    ck_assert_ok(alcore_job_new(request, &options, &job));
    ck_assert_ok(alcore_request_set(request, "seed", "99"));
    ck_assert_int_eq(alcore_job_step(job, &state), ALCORE_E_INVALID);
    ck_assert(strstr(alcore_last_error(), "changed after the job was made") != NULL);
    ck_assert_int_eq(state, 0);
    ck_assert_ok(alcore_request_set(request, "seed", "context"));
    ck_assert_ok(alcore_job_step(job, &state));
    ck_assert_int_eq(state, ALCORE_JOB_FOLD);
    const char *texts[] = {"one more"};
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    ck_assert_int_eq(alcore_job_step(job, &state), ALCORE_E_INVALID);
    alcore_job_unref(alcore_job_ref(job));
    alcore_job_unref(job);
    ck_assert_ok(alcore_request_new(ctx, &empty));
    ck_assert_int_eq(alcore_job_new(empty, NULL, &job), ALCORE_E_INVALID);
    ck_assert(strstr(alcore_last_error(), "no pool of candidates") != NULL);
    alcore_strategy *strategy;
    ck_assert_ok(alcore_strategy_new(ctx, "random", &strategy));
    ck_assert_ok(alcore_request_set_strategy(empty, strategy));
    ck_assert_ok(alcore_request_set_pool(empty, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_int_eq(alcore_job_new(empty, NULL, &job), ALCORE_E_PARAM);
    alcore_strategy_unref(strategy);
    alcore_request_unref(empty);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
}
END_TEST

/* The n-gram model does not stand in, and what it has made of the shard alone is refused where it
 * would be read as it is. */
START_TEST(the_ngram_model_is_named) {
    job_setting setting = SETTING;
    setting.strategy = "nnll";
    setting.dedup = ALCORE_DEDUP_NONE;
    alcore_pool *pool = job_pool(ctx, &SETTING, 0, 20);
    alcore_request *request = job_request(ctx, &setting, pool), *other;
    alcore_selection *selection;
    alcore_job *job;
    int32_t state;
    ck_assert_int_eq(alcore_job_new(request, NULL, &job), ALCORE_E_MISSING);
    ck_assert(strstr(alcore_last_error(), "n-gram model has to be named") != NULL);
    /* A column that it made of the shard alone is not what it makes of all texts. */
    ck_assert_ok(alcore_select(request, &selection));
    alcore_selection_unref(selection);
    ck_assert_int_eq(alcore_job_new(request, NULL, &job), ALCORE_E_MISSING);
    setting.strategy = "rttl"; /* its log-probabilities are given */
    other = job_request(ctx, &setting, pool);
    job_give(pool, "scores", 0, false); /* a column is named */
    ck_assert_ok(alcore_job_new(other, NULL, &job));
    bytes m = message_of(job); /* texts */
    ck_assert_ok(alcore_job_deliver(job, m.data, m.length));
    free(m.data);
    ck_assert_int_eq(alcore_job_step(job, &state), ALCORE_E_UNSUPPORTED);
    ck_assert(strstr(alcore_last_error(), "learned from the texts of the shard alone") != NULL);
    alcore_job_unref(job);
    alcore_request_unref(other);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(a_cancelled_step_is_made_again) {
    alcore_job *job = job_new(ctx, &SETTING, &cut, 1);
    int32_t state;
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore_job_step(job, &state), ALCORE_E_CANCELLED);
    ck_assert_int_eq(state, 0);
    alcore_ctx_cancel_clear(ctx);
    ck_assert_ok(alcore_job_step(job, &state));
    ck_assert_int_eq(state, ALCORE_JOB_FOLD);
    alcore_job_unref(job);
}
END_TEST

/* ---- failing allocations ---- */

/* Calls again what failed for want of memory, as it is as it was before. */
#define UNTIL_MEMORY(call)                                                                         \
    do {                                                                                           \
        alcore_status status_ = (call);                                                            \
        if (status_ == ALCORE_E_NOMEM) status_ = (call);                                           \
        ck_assert_msg(status_ == ALCORE_OK, "%s: %s", #call, alcore_last_error());                 \
    } while (0)

/* The exchanges of two shards, with one allocation that fails; whether it was met. */
static bool drive_without(const job_setting *setting, fault_allocator *fault, long long failing,
                          const alcore_selection *expected) {
    const job_cut half = {2, {0, 40, 90}};
    alcore_job *jobs[2] = {NULL, NULL};
    alcore_job_fold *fold = NULL;
    alcore_request *requests[2];
    for (int32_t s = 0; s < 2; s++) {
        alcore_pool *pool = job_pool(ctx, setting, half.starts[s], half.starts[s + 1]);
        requests[s] = job_request(ctx, setting, pool);
        alcore_pool_unref(pool);
    }
    fault_arm(fault, failing, 0);
    for (int32_t s = 0; s < 2; s++) {
        alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
        options.first_row = half.starts[s];
        options.rows = 90;
        UNTIL_MEMORY(alcore_job_new(requests[s], &options, &jobs[s]));
    }
    for (int32_t state = ALCORE_JOB_FOLD; state == ALCORE_JOB_FOLD;) {
        size_t length;
        UNTIL_MEMORY(alcore_job_fold_new(ctx, &fold));
        for (int32_t s = 0; s < 2; s++) {
            UNTIL_MEMORY(alcore_job_step(jobs[s], &state));
            const char *message = alcore_job_message(jobs[s], &length);
            if (message) UNTIL_MEMORY(alcore_job_fold_add(fold, message, length));
        }
        const char *all = alcore_job_fold_message(fold, &length);
        for (int32_t s = 0; s < 2 && all; s++)
            UNTIL_MEMORY(alcore_job_deliver(jobs[s], all, length));
        alcore_job_fold_unref(fold);
    }
    const bool met = fault->failures > 0;
    fault_arm(fault, 0, 0);
    for (int32_t s = 0; s < 2; s++) job_check_picks(jobs[s], expected);
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    for (int32_t s = 0; s < 2; s++) alcore_request_unref(requests[s]);
    return met;
}

START_TEST(no_failing_allocation_does_harm) {
    static const job_setting settings[] = {
        {"random", NULL, "60w", NULL, ALCORE_DEDUP_NORMALIZED},
        {"entropy", "candidates=40", "30w", "tie=random", ALCORE_DEDUP_EXACT},
        {NULL, NULL, "30w", "masks=near,language", ALCORE_DEDUP_EXACT},
    };
    static fault_allocator fault;
    job_context_that_fails(&ctx, &fault, 0);
    alcore_selection *expected = job_expected(ctx, &settings[_i], 90);
    long long failing = 1;
    while (drive_without(&settings[_i], &fault, failing, expected)) failing++;
    ck_assert_int_gt(failing, 100);
    alcore_selection_unref(expected);
    alcore_ctx_unref(ctx);
    ctx = NULL;
    ck_assert_int_eq(fault.live_blocks, 0);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_chaos");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, folding_is_a_union);
    tcase_add_test(cases, messages_that_do_not_go_together);
    tcase_add_test(cases, two_shards_that_disagree);
    tcase_add_loop_test(cases, chaos_between_the_shards, 0, 20);
    tcase_add_test(cases, messages_of_another_exchange);
    tcase_add_test(cases, no_damage_is_missed);
    tcase_add_test(cases, numbers_that_lie);
    tcase_add_test(cases, counts_and_nominees_that_lie);
    tcase_add_test(cases, strategies_that_are_served);
    tcase_add_test(cases, options_that_are_not_served);
    tcase_add_test(cases, requests_that_lack_something);
    tcase_add_test(cases, the_ngram_model_is_named);
    tcase_add_test(cases, a_cancelled_step_is_made_again);
    tcase_add_loop_test(cases, no_failing_allocation_does_harm, 0, 3);
    return check_suite_run("job_chaos", cases);
}
