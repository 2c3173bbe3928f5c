/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that lie in shards, and the jobs over them, for the tests of jobs. Every value is a function
 * of the number of its row, so that a shard can be made without the others. */
#ifndef JOB_SHARDS_H
#define JOB_SHARDS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alcore/extra.h"
#include "base/rng.h"
#include "check_status.h"
#include "check_suite.h"
#include "fault_allocator.h"

enum { SHARDS = 8, CLASSES = 3, SAMPLES = 2, VECTOR = 5 };

/* A context of two threads with a seed. */
static inline alcore_ctx *job_context(uint64_t seed) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.threads = 2;
    options.seed = seed;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    return ctx;
}

/* Puts a context of one thread, whose allocator can be told to fail, in place of *ctx. */
static inline void job_context_that_fails(alcore_ctx **ctx, fault_allocator *fault, uint64_t seed) {
    const alcore_allocator table = fault_table(fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx_unref(*ctx);
    options.allocator = &table;
    options.threads = 1;
    options.seed = seed;
    ck_assert_ok(alcore_ctx_new(&options, ctx));
}

/* Whether the strategy reads vectors of its candidates. */
static inline bool job_reads_vectors(const char *strategy) {
    const char *need;
    for (int64_t i = 0;
         (need = alcore_strategy_builtin_needs(strategy, ALCORE_ROLE_CANDIDATES, i)) != NULL; i++)
        if (!strcmp(need, "embeddings") || !strcmp(need, "mlm_losses")) return true;
    return false;
}

/* Whether the strategy buys phrases, or phrases and rows. */
static inline bool job_buys_phrases(const char *strategy) {
    const char *need = alcore_strategy_builtin_needs(strategy, ALCORE_ROLE_CANDIDATES, 0);
    return !strcmp(strategy, "hybrid") || (need && !strcmp(need, "occurrences"));
}

/* Rows of the target, where the strategy reads one. */
enum { TARGET_FIRST = 90000, TARGET_END = 90040 };

/* A request as a test wants it. */
typedef struct job_setting {
    const char *strategy, *parameters; /* "k=2 sticky=1"; NULL: the defaults */
    const char *budget, *options;      /* of the request: "fill=stop tie=random"; NULL: none */
    int32_t dedup;                     /* of the pool */
} job_setting;

/* Where the shards of a pool lie: shard s has the rows starts[s] .. starts[s + 1] - 1. */
typedef struct job_cut {
    int32_t shards;
    int64_t starts[SHARDS + 1];
} job_cut;

static inline double job_number(int64_t row, int64_t index) {
    return (double)(alcore__rng_derive(7, 100, (uint64_t)row, (uint64_t)index) >> 11) * 0x1p-53;
}

/* Texts of 0 to 6 words, some of which repeat that of a row far away, in capitals. */
static inline void job_text(int64_t row, char *text, size_t bytes) {
    const int64_t named = row % 7 == 3 ? row / 2 : row % 11 == 4 ? row / 3 : row;
    const int words = (int)(job_number(named, 1) * 7);
    size_t length = 0;
    text[0] = '\0';
    for (int w = 0; w < words; w++)
        length += (size_t)snprintf(text + length, bytes - length, "%s%s%lld", w ? " " : "",
                                   row % 77 == 3 ? "WORD" : "word", (long long)(named + w));
}

/* Whether some values of the columns are NaN. */
static inline bool job_has_nan(const job_setting *setting) {
    return setting->options && strstr(setting->options, "nan=exclude");
}

/* Gives the pool, whose rows begin with `first` of all rows, a column that a strategy needs. Scores
 * tie often. with_nan: some have no number. */
static inline void job_give(alcore_pool *pool, const char *name, int64_t first, bool with_nan) {
    const int64_t rows = alcore_pool_row_count(pool);
    const bool classes = !strcmp(name, "probs"), samples = !strcmp(name, "sample_probs");
    const bool losses = !strcmp(name, "mlm_losses"), logprobs = losses || !strcmp(name, "logprobs");
    const int64_t entries = samples ? rows * SAMPLES : logprobs ? 2 * rows : rows;
    const int64_t width = classes || samples ? CLASSES : 1;
    double *values = calloc((size_t)(entries * width) + 1, sizeof *values);
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    int64_t of_values[] = {entries, width}, of_ends[] = {rows + 1};
    alcore_tensor tensor, ends;
    for (int64_t i = 0; i < entries; i++) {
        const int64_t row = first + i * rows / entries;
        double rest = 1.0;
        for (int64_t c = 0; c < width; c++) {
            const double p = floor(job_number(first * (entries / rows) + i, c) * 40) / 40;
            values[i * width + c] = width == 1 ? p : c == width - 1 ? rest : rest * p;
            rest -= values[i * width + c];
        }
        if (logprobs) values[i] = (losses ? 1 : -1) * (1 + 3 * values[i]);
        if (with_nan && row % 89 == 17) values[i * width] = NAN;
        ck_assert(row >= first);
    }
    for (int64_t i = 0; i <= rows; i++) offsets[i] = i * (rows ? entries / rows : 0);
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, of_values, width > 1 ? 2 : 1));
    ck_assert_ok(alcore_tensor_init(&ends, offsets, ALCORE_INT64, of_ends, 1));
    ck_assert_ok(
        alcore_pool_set_column(pool, name, &tensor, samples || logprobs ? &ends : NULL, NULL));
    free(values);
    free(offsets);
}

/* Gives vectors of float32, some of which are equal; row r of the pool is row first + r of all.
 * with_nan: some have no number. */
static inline void job_give_vectors(alcore_pool *pool, int64_t first, bool with_nan) {
    const int64_t rows = alcore_pool_row_count(pool);
    float *values = calloc((size_t)(rows * VECTOR) + 1, sizeof *values);
    int64_t shape[] = {rows, VECTOR};
    alcore_tensor tensor;
    for (int64_t i = 0; i < rows * VECTOR; i++) {
        const int64_t row = first + i / VECTOR, named = row % 19 == 7 ? row / 2 : row;
        values[i] = (float)(job_number(named, 20 + i % VECTOR) - 0.3);
        if (with_nan && row % 97 == 11) values[i] = NAN;
    }
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, NULL));
    free(values);
}

/* Gives the round trips of the texts: each without its first word. */
static inline void job_give_round_trips(alcore_pool *pool) {
    const int64_t rows = alcore_pool_row_count(pool);
    const char **texts = calloc((size_t)rows + 1, sizeof *texts);
    for (int64_t i = 0; i < rows; i++) {
        const char *text = alcore_pool_text(pool, i, NULL), *space = strchr(text, ' ');
        texts[i] = space ? space + 1 : text;
    }
    ck_assert_ok(alcore_pool_set_text_column(pool, "roundtrip", texts, NULL, rows, NULL));
    free(texts);
}

/* The rows first .. end - 1, with the columns that the strategy needs; every 13th is labeled. */
static inline alcore_pool *job_pool(alcore_ctx *ctx, const job_setting *setting, int64_t first,
                                    int64_t end) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = setting->dedup;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    for (int64_t row = first; row < end; row++) {
        char text[256];
        const char *texts[] = {text};
        const double costs[] = {row % 17 == 0 ? 0 : 3 * job_number(row, 9)};
        alcore_records records = ALCORE_RECORDS_INIT;
        job_text(row, text, sizeof text);
        const char *langs[] = {row % 3 == 0 ? "bn" : "ta"};
        records.texts = texts;
        records.costs = costs;
        if (setting->parameters && strstr(setting->parameters, "balance_targets"))
            records.languages = langs;
        records.count = 1;
        ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
        const int64_t own = row - first;
        if (row % 13 == 5) ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &own, 1));
    }
    const char *need;
    for (int64_t i = 0;
         end > first &&
         (need = alcore_strategy_builtin_needs(setting->strategy, ALCORE_ROLE_CANDIDATES, i));
         i++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(need, "|"), need);
        if (!strcmp(name, "roundtrip"))
            job_give_round_trips(pool);
        else if (!strcmp(name, "embeddings"))
            job_give_vectors(pool, first, job_has_nan(setting));
        else
            job_give(pool, name, first, job_has_nan(setting));
    }
    if (end > first && setting->options && strstr(setting->options, "max_similarity") &&
        !job_reads_vectors(setting->strategy))
        job_give_vectors(pool, first, job_has_nan(setting));
    return pool;
}

/* Calls set(handle, name, value) for each of "name=value name=value". */
#define JOB_SET_ALL(set, handle, words)                                                            \
    do {                                                                                           \
        char copy_[256], *next_ = copy_;                                                           \
        snprintf(copy_, sizeof copy_, "%s", (words) ? (words) : "");                               \
        for (char *word_; (word_ = strtok_r(next_, " ", &next_)) != NULL;) {                       \
            char *value_ = strchr(word_, '=');                                                     \
            *value_++ = '\0';                                                                      \
            ck_assert_ok(set(handle, word_, value_));                                              \
        }                                                                                          \
    } while (0)

static inline alcore_request *job_request(alcore_ctx *ctx, const job_setting *setting,
                                          alcore_pool *pool) {
    alcore_strategy *strategy;
    alcore_request *request;
    ck_assert_ok(alcore_strategy_new(ctx, setting->strategy, &strategy));
    JOB_SET_ALL(alcore_strategy_set, strategy, setting->parameters);
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set(request, "budget", setting->budget));
    JOB_SET_ALL(alcore_request_set, request, setting->options);
    alcore_strategy_unref(strategy);
    if (!alcore_strategy_builtin_needs(setting->strategy, ALCORE_ROLE_TARGET, 0)) return request;
    alcore_pool *target = job_pool(ctx, setting, TARGET_FIRST, TARGET_END);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
    alcore_pool_unref(target);
    return request;
}

/* The selection of one machine that has all rows. */
static inline alcore_selection *job_expected(alcore_ctx *ctx, const job_setting *setting,
                                             int64_t rows) {
    alcore_pool *pool = job_pool(ctx, setting, 0, rows);
    alcore_request *request = job_request(ctx, setting, pool);
    alcore_selection *selection;
    ck_assert_ok(alcore_select(request, &selection));
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    return selection;
}

/* The job of a shard for a request, whose reference it takes. dataset: NULL for none. */
static inline alcore_job *job_for(alcore_request *request, const job_cut *cut, int32_t shard,
                                  const char *dataset) {
    alcore_job_options options = ALCORE_JOB_OPTIONS_INIT;
    alcore_job *job;
    options.first_row = cut->starts[shard];
    options.rows = cut->starts[cut->shards];
    options.dataset = dataset;
    ck_assert_ok(alcore_job_new(request, &options, &job));
    alcore_request_unref(request);
    return job;
}

static inline alcore_job *job_new(alcore_ctx *ctx, const job_setting *setting, const job_cut *cut,
                                  int32_t shard) {
    alcore_pool *pool = job_pool(ctx, setting, cut->starts[shard], cut->starts[shard + 1]);
    alcore_job *job = job_for(job_request(ctx, setting, pool), cut, shard, "texts of 2026");
    alcore_pool_unref(pool);
    return job;
}

/* Cuts rows into shards of sizes that differ; the third of four or more has no row. */
static inline job_cut job_cut_at(int64_t rows, int32_t shards, uint64_t seed) {
    job_cut cut = {.shards = shards};
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int32_t s = 1; s < shards; s++)
        cut.starts[s] = (int64_t)alcore__rng_below(&rng, (uint64_t)rows + 1);
    for (int32_t s = 1; s < shards; s++) /* ascending */
        for (int32_t t = s + 1; t < shards; t++)
            if (cut.starts[t] < cut.starts[s]) {
                const int64_t other = cut.starts[s];
                cut.starts[s] = cut.starts[t];
                cut.starts[t] = other;
            }
    if (shards >= 4) cut.starts[2] = cut.starts[3];
    cut.starts[shards] = rows;
    return cut;
}

/* Of one budget. */
static inline void job_check_budget(const alcore_job *job, const alcore_selection *expected) {
    const int64_t count = alcore_selection_count(expected);
    ck_assert_int_eq(alcore_job_pick_count(job), count);
    ck_assert_mem_eq(alcore_job_rows(job), alcore_selection_rows(expected), (size_t)count * 8);
    ck_assert_mem_eq(alcore_job_scores(job), alcore_selection_scores(expected), (size_t)count * 8);
    ck_assert_mem_eq(alcore_job_costs(job), alcore_selection_costs(expected), (size_t)count * 8);
    ck_assert_double_eq(alcore_job_spent(job), alcore_selection_spent(expected));
    ck_assert_uint_eq(alcore_job_flags(job), alcore_selection_flags(expected));
}

static inline void job_check_picks(const alcore_job *job, const alcore_selection *expected) {
    const int64_t budgets = alcore_selection_budget_count(expected);
    ck_assert_int_eq(alcore_job_budget_count(job), budgets);
    for (int64_t i = 0; i < budgets; i++)
        job_check_budget(alcore_job_of_budget(job, i), alcore_selection_of_budget(expected, i));
}

/* Folds the messages of jobs [count] in an order drawn by rng, in groups of one or more, some of
 * them twice. */
static inline alcore_job_fold *job_fold_all(alcore_ctx *ctx, alcore_job *const *jobs, int32_t count,
                                            alcore__rng *rng) {
    alcore_job_fold *all, *group;
    int64_t order[2 * SHARDS];
    size_t length;
    ck_assert_ok(alcore_job_fold_new(ctx, &all));
    ck_assert_ok(alcore_job_fold_new(ctx, &group));
    ck_assert_ok(alcore__rng_sample(NULL, rng, 2 * count, 2 * count, order));
    for (int32_t i = 0; i < 2 * count; i++) {
        const char *message = alcore_job_message(jobs[order[i] % count], &length);
        ck_assert_ok(alcore_job_fold_add(group, message, length));
        if (alcore__rng_below(rng, 2) == 0 && i < 2 * count - 1) continue;
        message = alcore_job_fold_message(group, &length);
        ck_assert_ok(alcore_job_fold_add(all, message, length));
        alcore_job_fold_unref(group);
        ck_assert_ok(alcore_job_fold_new(ctx, &group));
    }
    alcore_job_fold_unref(group);
    return all;
}

/* Steps both jobs: a copy of the folded message, which the caller frees. */
static inline char *job_step_both(alcore_ctx *ctx, alcore_job *const jobs[2], size_t *length) {
    alcore__rng rng;
    int32_t state;
    alcore__rng_seed(&rng, 3);
    for (int32_t s = 0; s < 2; s++) {
        ck_assert_ok(alcore_job_step(jobs[s], &state));
        ck_assert_int_eq(state, ALCORE_JOB_FOLD);
    }
    alcore_job_fold *all = job_fold_all(ctx, jobs, 2, &rng);
    const char *message = alcore_job_fold_message(all, length);
    char *copy = malloc(*length);
    memcpy(copy, message, *length);
    alcore_job_fold_unref(all);
    return copy;
}

/* Drives jobs to their end; returns how many exchanges that were. */
static inline int job_drive(alcore_ctx *ctx, alcore_job *const *jobs, int32_t count,
                            alcore__rng *rng) {
    int32_t state = 0;
    for (int exchanges = 0;; exchanges++) {
        for (int32_t s = 0; s < count; s++) {
            int32_t own;
            ck_assert_ok(alcore_job_step(jobs[s], &own));
            ck_assert(s == 0 || own == state);
            state = own;
        }
        if (state != ALCORE_JOB_FOLD) return exchanges;
        size_t length;
        alcore_job_fold *all = job_fold_all(ctx, jobs, count, rng);
        const char *message = alcore_job_fold_message(all, &length);
        for (int32_t s = 0; s < count; s++)
            ck_assert_ok(alcore_job_deliver(jobs[s], message, length));
        alcore_job_fold_unref(all);
    }
}

/* Compares jobs over shards with one machine; returns how many exchanges they made. */
static inline int job_compare(alcore_ctx *ctx, const job_setting *setting, int64_t rows,
                              int32_t shards, uint64_t seed) {
    alcore_selection *expected = job_expected(ctx, setting, rows);
    const job_cut cut = job_cut_at(rows, shards, seed);
    alcore_job *jobs[SHARDS] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    for (int32_t s = 0; s < shards; s++) jobs[s] = job_new(ctx, setting, &cut, s);
    const int exchanges = job_drive(ctx, jobs, shards, &rng);
    for (int32_t s = 0; s < shards; s++) job_check_picks(jobs[s], expected);
    for (int32_t s = 0; s < shards; s++) alcore_job_unref(jobs[s]);
    alcore_selection_unref(expected);
    return exchanges;
}

#endif
