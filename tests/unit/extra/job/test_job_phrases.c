/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that buy what is no row of a shard: phrases of the texts of all shards, sentences and
 * phrases, rows of the target. For 1 to 8 shards of any sizes the selection of one machine: picks,
 * texts, ids, columns and reasons; what goes wrong with their messages, and their sizes. */
#include "job_record.h"

enum { ROWS = 150, LABELED = 30 };

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(11);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* Up to 8 words of a dozen, so that phrases repeat; some texts repeat, and some are empty. */
static void words(int64_t row, char *text, size_t bytes) {
    static const char *const WORDS[] = {"the", "file", "could", "not", "be", "opened",
                                        "try", "1.5",  "вновь", "-",   "or", "saved"};
    const int64_t named = row % 9 == 4 ? row / 2 : row;
    const int count = (int)(job_number(named, 1) * 9);
    size_t length = 0;
    text[0] = '\0';
    for (int w = 0; w < count; w++)
        length += (size_t)snprintf(text + length, bytes - length, "%s%s", w ? " " : "",
                                   WORDS[(int)(job_number(named, 2 + w % 5) * 12) % 12]);
}

/* Whether phrases are measured by columns that are given with the texts: with vectors of words, or
 * of rows. */
static bool is_measured(const job_setting *setting) {
    return setting->parameters && strstr(setting->parameters, "lambda=0.");
}
static bool is_measured_by_words(const job_setting *setting) {
    return is_measured(setting) && strstr(setting->parameters, "lambda=0.6");
}

/* Gives a value, or a vector, of each word, which are those of the row that is named as in words().
 */
static void give_of_words(alcore_pool *pool, const char *name, int64_t first, int64_t width) {
    enum { WORDS = 8 };
    const int64_t rows = alcore_pool_row_count(pool);
    double *values = calloc((size_t)(rows * WORDS * width) + 1, sizeof *values);
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    for (int64_t row = 0; row < rows; row++) {
        offsets[row + 1] = offsets[row] + alcore_pool_words(pool, row);
        for (int64_t i = offsets[row] * width; i < offsets[row + 1] * width; i++)
            values[i] = job_number(first + row, 200 + i - offsets[row] * width) - 1;
    }
    int64_t shape[] = {offsets[rows], width}, of_ends[] = {rows + 1};
    alcore_tensor tensor, ends;
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, shape, width > 1 ? 2 : 1));
    ck_assert_ok(alcore_tensor_init(&ends, offsets, ALCORE_INT64, of_ends, 1));
    ck_assert_ok(alcore_pool_set_column(pool, name, &tensor, &ends, NULL));
    free(values);
    free(offsets);
}

/* The rows first .. end - 1, some of which have an id, a language or a group; every 13th is
 * labeled, some are filtered, and one is malformed. columns: with scores and vectors. */
static alcore_pool *pool_of(const job_setting *setting, int64_t first, int64_t end, bool columns) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = setting->dedup;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    for (int64_t row = first; row < end; row++) {
        char text[256], id[24];
        const char *texts[] = {text}, *ids[] = {id},
                   *languages[] = {row % 4 == 1   ? "ru"
                                   : row % 4 == 2 ? ""
                                                  : "en"},
                   *groups[] = {row % 5 == 0 ? "a" : ""};
        const double costs[] = {1 + 3 * job_number(row, 9)};
        const int64_t own = row - first;
        alcore_records records = ALCORE_RECORDS_INIT;
        words(row, text, sizeof text);
        snprintf(id, sizeof id, row % 3 == 0 ? "r%lld" : "", (long long)row);
        records.texts = texts;
        records.ids = ids;
        records.languages = languages;
        records.groups = groups;
        records.costs = strchr(setting->budget, 'u') || row % 2 ? costs : NULL;
        records.count = 1;
        ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
        if (row % 13 == 5) ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &own, 1));
        if (row % 31 == 7) ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_FILTERED, &own, 1));
    }
    if (is_measured(setting) && end > first) {
        give_of_words(pool, "logprobs", first, 1);
        if (is_measured_by_words(setting))
            give_of_words(pool, "word_embeddings", first, 3);
        else
            job_give_vectors(pool, first, false);
    }
    if (columns && end > first) {
        job_give(pool, "scores", first, false);
        if (setting->parameters && strstr(setting->parameters, "rtt-bleu"))
            job_give_round_trips(pool);
        job_give_vectors(pool, first, false);
    }
    return pool;
}

/* known: with labeled and excluded texts, and rows that are named as labeled, excluded and
 * eligible. */
static alcore_request *request_of(const job_setting *setting, int64_t first, int64_t end,
                                  bool known) {
    const bool columns =
        setting->parameters && !strstr(setting->parameters, "huds-phrase") &&
        (strstr(setting->parameters, "nnll") || strstr(setting->parameters, "rtt-bleu") ||
         strstr(setting->parameters, "huds") || strstr(setting->parameters, "kcenter"));
    alcore_pool *pool = pool_of(setting, first, end, columns);
    alcore_request *request = job_request(ctx, setting, pool);
    int64_t lists[3][ROWS], counts[3] = {0};
    alcore_pool_unref(pool);
    if (!strcmp(setting->strategy, "hybrid") && !columns) {
        alcore_model *model; /* learns from the texts of all shards */
        ck_assert_ok(alcore_model_new_ngram(ctx, NULL, NULL, &model));
        ck_assert_ok(alcore_request_set_model(request, model));
        alcore_model_unref(model);
    }
    if (!known) return request;
    for (int64_t row = first; row < end; row++) {
        if (row % 7 != 3) lists[0][counts[0]++] = row - first;
        if (row % 10 == 1) lists[1][counts[1]++] = row - first;
        if (row % 11 == 2) lists[2][counts[2]++] = row - first;
    }
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, lists[0], counts[0]));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LABELED, lists[1], counts[1]));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, lists[2], counts[2]));
    const bool vectors =
        columns && !strstr(setting->parameters, "nnll") && !strstr(setting->parameters, "rtt-bleu");
    pool = pool_of(setting, ROWS, ROWS + LABELED, vectors);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, pool));
    alcore_pool_unref(pool);
    pool = pool_of(setting, ROWS + LABELED, ROWS + 2 * LABELED, false);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_EXCLUDED, pool));
    alcore_pool_unref(pool);
    return request;
}

static alcore_job *job_of(const job_setting *setting, const job_cut *cut, int32_t shard,
                          bool known) {
    return job_for(request_of(setting, cut->starts[shard], cut->starts[shard + 1], known), cut,
                   shard, NULL);
}

static void check_text(const char *text, const char *expected) {
    ck_assert_int_eq(!text, !expected);
    if (text) ck_assert_str_eq(text, expected);
}

/* The summary, and texts, ids, languages, groups, reasons and columns of the picks of one
 * budget. */
static void check_selection(alcore_selection *found, alcore_selection *expected) {
    alcore_pool *pool = alcore_selection_pool(found), *other = alcore_selection_pool(expected);
    const char *name;
    ck_assert_str_eq(alcore_selection_summary(found), alcore_selection_summary(expected));
    ck_assert_int_eq(alcore_selection_count(found), alcore_selection_count(expected));
    for (int64_t k = 0; k < alcore_selection_count(expected); k++) {
        const int64_t row = alcore_selection_rows(expected)[k];
        check_text(alcore_pool_text(pool, row, NULL), alcore_pool_text(other, row, NULL));
        check_text(alcore_pool_row_id(pool, row), alcore_pool_row_id(other, row));
        check_text(alcore_pool_language(pool, row), alcore_pool_language(other, row));
        check_text(alcore_pool_group(pool, row), alcore_pool_group(other, row));
        check_text(alcore_selection_reason(found, k), alcore_selection_reason(expected, k));
    }
    const int32_t scope = ALCORE_SCOPE_PICKS;
    for (int32_t c = 0; (name = alcore_selection_column_name(expected, scope, c)) != NULL; c++) {
        alcore_tensor one, two;
        check_text(alcore_selection_column_name(found, scope, c), name);
        ck_assert_ok(alcore_selection_get_column(found, scope, name, &one));
        ck_assert_ok(alcore_selection_get_column(expected, scope, name, &two));
        ck_assert_mem_eq(one.data, two.data, 8 * (size_t)alcore_selection_count(expected));
    }
}

static void check_job(const alcore_job *job, alcore_selection *expected) {
    job_check_picks(job, expected);
    for (int64_t i = 0; i < alcore_selection_budget_count(expected); i++)
        check_selection(alcore_job_selection(alcore_job_of_budget(job, i)),
                        alcore_selection_of_budget(expected, i));
}

static int compare(const job_setting *setting, const job_cut *cut, uint64_t seed, bool known) {
    alcore_request *request = request_of(setting, 0, cut->starts[cut->shards], known);
    alcore_selection *expected;
    alcore_job *jobs[SHARDS] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    ck_assert_ok(alcore_select(request, &expected));
    alcore_request_unref(request);
    for (int32_t s = 0; s < cut->shards; s++) jobs[s] = job_of(setting, cut, s, known);
    ck_assert_ptr_null(alcore_job_selection(jobs[0]));
    const int exchanges = job_drive(ctx, jobs, cut->shards, &rng);
    ck_assert_int_gt(alcore_job_pick_count(jobs[0]), 3);
    for (int32_t s = 0; s < cut->shards; s++) check_job(jobs[s], expected);
    for (int32_t s = 0; s < cut->shards; s++) alcore_job_unref(jobs[s]);
    alcore_selection_unref(expected);
    return exchanges;
}

static const job_setting PHRASES[] = {
    {"ngf", NULL, "60w", NULL, ALCORE_DEDUP_EXACT},
    {"ngf", "max_n=2 letters=1", "30,7", "tie=random", ALCORE_DEDUP_NONE},
    {"ngf-smp", NULL, "300c,50c", "fill=skip", ALCORE_DEDUP_NORMALIZED},
    {"ngf-smp", "max_n=inf", "40w", "masks=near,wordless", ALCORE_DEDUP_EXACT},
    {"ngf-smp", "smp_limit=inf max_n=2", "40", "keep_phrases=1", ALCORE_DEDUP_NONE},
    {"random-phrase", NULL, "25", "seed=3 round=2", ALCORE_DEDUP_EXACT},
    {"random-phrase", "weight=tokens exclude_labeled=1", "50w", NULL, ALCORE_DEDUP_EXACT},
    {"huds-phrase", NULL, "40w", NULL, ALCORE_DEDUP_EXACT}, /* by the n-gram model */
    {"huds-phrase", "max_n=3 gamma=0 occ_min=3", "30,9", "masks=near", ALCORE_DEDUP_NONE},
    {"huds-phrase", "lambda=0.4", "40w", NULL, ALCORE_DEDUP_EXACT}, /* by given columns */
    {"huds-phrase", "lambda=0.6 k_clusters=2", "30,9", "masks=near", ALCORE_DEDUP_NONE},
};
enum { PHRASE_COUNT = sizeof PHRASES / sizeof *PHRASES };

START_TEST(phrases_of_all_shards) {
    for (int32_t shards = 1; shards <= SHARDS; shards++) {
        const job_cut cut = job_cut_at(ROWS, shards, (uint64_t)(7 * _i + shards));
        ck_assert_int_eq(compare(&PHRASES[_i], &cut, (uint64_t)shards, shards % 2 == 0), 1);
    }
}
END_TEST

static const job_setting HYBRIDS[] = {
    {"hybrid", "sentences=random", "80w", NULL, ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=nnll cover=1 carry=1", "90w", "tie=random", ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=rtt-bleu", "80w", "nan=exclude", ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=random phrases=huds-phrase phrases.lambda=0.4", "60w", NULL,
     ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=huds", "30,8", NULL, ALCORE_DEDUP_NONE},
    {"hybrid", "sentences=kcenter carry=1", "9,24,14", "fill=skip", ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=ngram-cover", "20w,60w", NULL, ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=huds sentences.n_strata=3 sentences.candidates=60 ratio=0.3", "40.5u",
     "fill=skip", ALCORE_DEDUP_NORMALIZED},
    {"hybrid", "sentences=kcenter phrases=random-phrase phrases.max_n=2", "20", "seed=4",
     ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=ngram-cover cover=1", "60w", "masks=wordless", ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=ngram-cover", "60w", "max_similarity=0.6", ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=nnll ratio=1", "60w", "fill=stop", ALCORE_DEDUP_EXACT},
    {"hybrid", "sentences=nnll ratio=0", "60w", NULL, ALCORE_DEDUP_EXACT},
    {"hybrid", NULL, "60w", NULL, ALCORE_DEDUP_EXACT}, /* huds, by the n-gram model */
    {"hybrid", "sentences=random phrases=huds-phrase cover=1", "60w", NULL, ALCORE_DEDUP_EXACT},
    {"hybrid", "ratio=0.7", "40", "masks=near max_similarity=0.95", ALCORE_DEDUP_NONE},
};
enum { HYBRID_COUNT = sizeof HYBRIDS / sizeof *HYBRIDS };

START_TEST(sentences_and_phrases_of_all_shards) {
    for (int32_t shards = 1; shards <= SHARDS; shards++) {
        const job_cut cut = job_cut_at(ROWS, shards, (uint64_t)(7 * _i + shards));
        compare(&HYBRIDS[_i], &cut, (uint64_t)shards, shards % 2 == 0);
    }
}
END_TEST

/* Rows of a target, which every shard has whole; without one gold draws from the rows of the
 * shards, as random does (test_job_picks.c). */
START_TEST(rows_of_the_target) {
    static const job_setting setting = {"gold", NULL, "9", "seed=3", ALCORE_DEDUP_EXACT};
    for (int32_t shards = 1; shards <= SHARDS; shards++) {
        const job_cut cut = job_cut_at(ROWS, shards, (uint64_t)shards);
        alcore_request *request = request_of(&setting, 0, ROWS, false);
        alcore_pool *target = pool_of(&setting, 500, 560, false);
        alcore_selection *expected;
        alcore_job *jobs[SHARDS];
        alcore__rng rng;
        alcore__rng_seed(&rng, 1);
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
        ck_assert_ok(alcore_select(request, &expected));
        alcore_request_unref(request);
        for (int32_t s = 0; s < shards; s++) {
            request = request_of(&setting, cut.starts[s], cut.starts[s + 1], false);
            ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
            jobs[s] = job_for(request, &cut, s, NULL);
        }
        ck_assert_int_eq(job_drive(ctx, jobs, shards, &rng), 1);
        ck_assert_int_eq(alcore_job_pick_count(jobs[0]), 9);
        for (int32_t s = 0; s < shards; s++) check_job(jobs[s], expected);
        for (int32_t s = 0; s < shards; s++) alcore_job_unref(jobs[s]);
        alcore_selection_unref(expected);
        alcore_pool_unref(target);
    }
}
END_TEST

/* Phrases that were derived from the texts of one shard. */
START_TEST(a_pool_of_phrases_is_refused) {
    const job_setting *setting = &PHRASES[0];
    alcore_pool *texts = pool_of(setting, 0, 40, false), *phrases;
    ck_assert_ok(alcore_pool_derive_phrases(texts, NULL, NULL, &phrases));
    alcore_request *request = job_request(ctx, setting, phrases);
    alcore_job *job;
    ck_assert_int_eq(alcore_job_new(request, NULL, &job), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "a pool of phrases: give them the texts"));
    alcore_request_unref(request);
    alcore_pool_unref(phrases);
    alcore_pool_unref(texts);
}
END_TEST

/* ---- messages ---- */

static const job_cut TWO = {2, {0, 60, ROWS}};

/* 8, and for each row 32 and its text, id, tag and group, together up to a multiple of 8. */
START_TEST(sizes_of_all_texts) {
    const job_setting *setting = &PHRASES[0];
    alcore_job *jobs[] = {job_of(setting, &TWO, 0, false), job_of(setting, &TWO, 1, false)};
    alcore_pool *pool = pool_of(setting, 0, ROWS, false);
    size_t length, bytes = 2 * 8;
    char *message = job_step_both(ctx, jobs, &length);
    for (int64_t row = 0; row < ROWS; row++) {
        const char *tag = alcore_pool_language(pool, row), *group = alcore_pool_group(pool, row);
        const size_t id = row % 3 == 0 ? strlen(alcore_pool_row_id(pool, row)) : 0;
        bytes += 32 + (strlen(alcore_pool_text(pool, row, NULL)) + id + (tag ? strlen(tag) : 0) +
                       (group ? strlen(group) : 0) + 7) /
                          8 * 8;
    }
    ck_assert_uint_eq(length, 48 + (strlen(message + 48) / 8 + 1) * 8 + 2 * 32 + bytes);
    free(message);
    alcore_pool_unref(pool);
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
}
END_TEST

/* With given columns also 8, and of each column 64 and the values of all rows, of words with 8 for
 * the end of each row and 8. */
START_TEST(sizes_of_measures) {
    const job_setting *const settings[] = {&PHRASES[PHRASE_COUNT - 4], &PHRASES[PHRASE_COUNT - 2],
                                           &PHRASES[PHRASE_COUNT - 1]};
    size_t lengths[3], words = 0;
    for (int i = 0; i < 3; i++) {
        job_setting setting = *settings[i];
        setting.dedup = ALCORE_DEDUP_NONE;
        setting.budget = "40w";
        setting.options = NULL;
        alcore_job *jobs[] = {job_of(&setting, &TWO, 0, false), job_of(&setting, &TWO, 1, false)};
        char *message = job_step_both(ctx, jobs, &lengths[i]);
        lengths[i] -= settings_bytes(message);
        free(message);
        for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
    }
    alcore_pool *pool = pool_of(settings[0], 0, ROWS, false);
    for (int64_t row = 0; row < ROWS; row++) words += (size_t)alcore_pool_words(pool, row);
    alcore_pool_unref(pool);
    const size_t of_rows = (VECTOR * sizeof(float) * 60 + 7) / 8 * 8 +
                           (VECTOR * sizeof(float) * (ROWS - 60) + 7) / 8 * 8,
                 ends = 8 * (ROWS + 2);
    ck_assert_uint_eq(lengths[1] - lengths[0], 2 * 2 * 64 + ends + 8 * words + of_rows);
    ck_assert_uint_eq(lengths[2] - lengths[0], 2 * 2 * 64 + 2 * ends + (1 + 3) * 8 * words);
}
END_TEST

/* All shards with rows have the same columns, with a value of each row. */
START_TEST(shards_have_the_same_measures) {
    const job_setting *by_rows = &PHRASES[PHRASE_COUNT - 2];
    job_setting none = *by_rows, by_words = *by_rows;
    none.parameters = "lambda=.4";
    by_words.parameters = "lambda=0.60";
    const struct {
        const job_setting *other;
        alcore_status status;
        const char *words;
    } cases[] = {
        {&none, ALCORE_E_DATA, "the rows 60 to 149 have 0 columns by which phrases are measured"},
        {&by_words, ALCORE_E_SHAPE, "the column 'word_embeddings' of the rows 60 to 149"}};
    for (int i = 0; i < 2; i++) {
        alcore_pool *pool = pool_of(cases[i].other, TWO.starts[1], ROWS, false);
        alcore_request *request = job_request(ctx, by_rows, pool);
        alcore_job *jobs[] = {job_of(by_rows, &TWO, 0, false), NULL};
        alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
        size_t length;
        options.first_row = TWO.starts[1];
        options.rows = ROWS;
        ck_assert_ok(alcore_job_new(request, &options, &jobs[1]));
        char *message = job_step_both(ctx, jobs, &length);
        ck_assert_int_eq(alcore_job_deliver(jobs[0], message, length), cases[i].status);
        ck_assert_msg(strstr(alcore_last_error(), cases[i].words) != NULL, "%s",
                      alcore_last_error());
        free(message);
        for (int s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
        alcore_request_unref(request);
        alcore_pool_unref(pool);
    }
}
END_TEST

/* A row that was added behind the column has no value, which no message says. */
START_TEST(measures_without_a_row) {
    const job_setting *setting = &PHRASES[PHRASE_COUNT - 2];
    alcore_pool *pool = pool_of(setting, 0, 20, false);
    alcore_request *request = job_request(ctx, setting, pool);
    const char *texts[] = {"one more"};
    alcore_job *job;
    int32_t state;
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    ck_assert_ok(alcore_job_new(request, NULL, &job));
    ck_assert_int_eq(alcore_job_step(job, &state), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "'logprobs' has none of row 20"));
    alcore_job_unref(job);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
}
END_TEST

/* Of each exchange: the message of one shard alone, one that is cut off, one whose sum is right and
 * whose bytes are not, the one before, the right one, and that again. */
START_TEST(chaos_between_the_shards) {
    const job_setting *setting = _i ? &HYBRIDS[_i] : &PHRASES[0];
    alcore_request *request = request_of(setting, 0, ROWS, true);
    alcore_selection *expected;
    alcore_job *jobs[] = {job_of(setting, &TWO, 0, true), job_of(setting, &TWO, 1, true)};
    char *before = NULL;
    size_t length_before = 0;
    int32_t state = 0;
    int refused = 0;
    alcore__rng rng;
    alcore__rng_seed(&rng, (uint64_t)_i);
    ck_assert_ok(alcore_select(request, &expected));
    alcore_request_unref(request);
    for (int exchange = 0;; exchange++) {
        size_t length, own;
        ck_assert_ok(alcore_job_step(jobs[0], &state));
        if (state == ALCORE_JOB_DONE) break;
        char *message = job_step_both(ctx, jobs, &length);
        for (int32_t s = 0; s < 2; s++) {
            const char *alone = alcore_job_message(jobs[s], &own);
            char *wrong = memcpy(malloc(own), alone, own);
            ck_assert_int_eq(alcore_job_deliver(jobs[s], wrong, own), ALCORE_E_MISSING);
            ck_assert_int_eq(alcore_job_deliver(jobs[s], wrong, own - 9), ALCORE_E_CORRUPT);
            free(wrong);
            if (before) ck_assert_ok(alcore_job_deliver(jobs[s], before, length_before));
        }
        for (int lie = 0; lie < 60 && exchange == 0; lie++) {
            const size_t entry = 48 + (strlen(message + 48) / 8 + 1) * 8 + 32;
            const size_t place = entry + 8 * (size_t)alcore__rng_below(&rng, (length - entry) / 8);
            uint64_t number = lie % 2 ? UINT64_MAX : alcore__rng_u64(&rng);
            alcore_job *job = job_of(setting, &TWO, lie % 2, true);
            char *wrong = memcpy(malloc(length), message, length);
            memcpy(wrong + place, &number, 8);
            number = alcore__hash64(wrong + 16, length - 16);
            memcpy(wrong + 8, &number, 8);
            /* Another letter is a message like any other. */
            refused += alcore_job_deliver(job, wrong, length) != ALCORE_OK;
            ck_assert_int_eq(alcore_job_pick_count(job) > 0, alcore_job_rows(job) != NULL);
            free(wrong);
            alcore_job_unref(job);
        }
        free(before);
        for (int32_t s = 0; s < 2; s++) {
            ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
            ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
        }
        before = message;
        length_before = length;
    }
    free(before);
    ck_assert_int_gt(refused, 10);
    for (int32_t s = 0; s < 2; s++) {
        ck_assert_ok(alcore_job_step(jobs[s], &state));
        check_job(jobs[s], expected);
        alcore_job_unref(jobs[s]);
    }
    alcore_selection_unref(expected);
}
END_TEST

/* Other parameters of a part, and another target, are another selection. */
START_TEST(shards_of_other_selections) {
    job_setting other = HYBRIDS[0];
    int32_t state;
    size_t length;
    other.parameters = "sentences=random phrases.max_n=3";
    alcore_job *jobs[] = {job_of(&HYBRIDS[0], &TWO, 0, false), job_of(&other, &TWO, 0, false)};
    ck_assert_ok(alcore_job_step(jobs[0], &state));
    const char *message = alcore_job_message(jobs[0], &length);
    ck_assert_int_eq(alcore_job_deliver(jobs[1], message, length), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(
        strstr(alcore_last_error(), "phrases.max_n=4, this job with phrases.max_n=3"));
    for (int32_t s = 0; s < 2; s++) alcore_job_unref(jobs[s]);
}
END_TEST

/* One allocation of a job fails: it steps on after that, or a new one does. */
START_TEST(no_failing_allocation_does_harm) {
    static const job_setting *const settings[] = {&PHRASES[1], &HYBRIDS[1], &HYBRIDS[5],
                                                  &HYBRIDS[6], &PHRASES[PHRASE_COUNT - 2]};
    const job_setting *setting = settings[_i];
    static fault_allocator fault;
    const job_cut whole = {1, {0, 40}};
    job_context_that_fails(&ctx, &fault, 0);
    alcore_request *request = request_of(setting, 0, 40, true);
    alcore_selection *expected;
    ck_assert_ok(alcore_select(request, &expected));
    alcore_request_unref(request);
    long long failing = 1;
    for (bool met = true; met; failing += 1 + failing / 50) {
        alcore_job *job = job_of(setting, &whole, 0, true);
        int32_t state = 0;
        int failures = 0;
        fault_arm(&fault, failing, 0);
        while (state != ALCORE_JOB_DONE) {
            size_t length;
            alcore_status status = alcore_job_step(job, &state);
            const char *message = alcore_job_message(job, &length);
            if (status == ALCORE_OK && message) {
                char *copy = malloc(length);
                status = alcore_job_deliver(job, memcpy(copy, message, length), length);
                free(copy);
            }
            if (status == ALCORE_OK) continue;
            ck_assert(status == ALCORE_E_NOMEM || status == ALCORE_E_INVALID);
            ck_assert_int_lt(++failures, 4);
            if (status == ALCORE_E_NOMEM) continue;
            alcore_job_unref(job); /* a pass has failed */
            job = job_of(setting, &whole, 0, true);
        }
        met = fault.failures > 0;
        fault_arm(&fault, 0, 0);
        check_job(job, expected);
        alcore_job_unref(job);
    }
    ck_assert_int_gt(failing, 100);
    alcore_selection_unref(expected);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0); /* nothing leaks */
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_phrases");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, phrases_of_all_shards, 0, PHRASE_COUNT);
    tcase_add_loop_test(cases, sentences_and_phrases_of_all_shards, 0, HYBRID_COUNT);
    tcase_add_test(cases, rows_of_the_target);
    tcase_add_test(cases, a_pool_of_phrases_is_refused);
    tcase_add_test(cases, sizes_of_all_texts);
    tcase_add_test(cases, sizes_of_measures);
    tcase_add_test(cases, measures_without_a_row);
    tcase_add_test(cases, shards_have_the_same_measures);
    tcase_add_loop_test(cases, chaos_between_the_shards, 0, HYBRID_COUNT);
    tcase_add_test(cases, shards_of_other_selections);
    tcase_add_loop_test(cases, no_failing_allocation_does_harm, 0, 5);
    return check_suite_run("job_phrases", cases);
}
