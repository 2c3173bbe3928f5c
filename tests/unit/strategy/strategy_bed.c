/* SPDX-License-Identifier: Apache-2.0 */
#include "strategy_bed.h"
#include "alcore/sys/dtype.h"
#include "base/rng.h"

#include <stdio.h>
#include <string.h>

#include "kernel/kernels.h"

typedef struct held {
    const void *values;
    const int64_t *offsets;
} held;

static alcore_status read_rows(const alcore__column *column, int64_t first, int64_t count,
                               alcore__scratch *scratch, alcore_sys_rows *out) {
    (void)scratch;
    const held *data = column->data;
    size_t row = alcore_sys_dtype_bytes(column->dtype) * (size_t)column->dims;
    *out = (alcore_sys_rows){(const char *)data->values + (size_t)first * row,
                             first,
                             count,
                             column->dims,
                             column->dims,
                             column->dtype,
                             0};
    return ALCORE_OK;
}

static alcore_status read_ragged(const alcore__column *column, int64_t first, int64_t count,
                                 alcore__scratch *scratch, alcore_sys_ragged *out) {
    (void)scratch;
    const held *data = column->data;
    size_t token = alcore_sys_dtype_bytes(column->dtype) * (size_t)column->dims;
    *out = (alcore_sys_ragged){(const char *)data->values + (size_t)data->offsets[first] * token,
                               data->offsets + first,
                               first,
                               count,
                               column->dims,
                               column->dtype,
                               0};
    return ALCORE_OK;
}

static const alcore__column_ops OPS = {.rows = read_rows, .ragged = read_ragged};

static void keep_warning(void *user, int32_t level, const char *component, const char *message,
                         const char *fields) {
    (void)fields;
    bed *b = user;
    if (level == ALCORE_LOG_WARN)
        snprintf(b->warning, sizeof b->warning, "%s: %s", component, message);
}

bool bed_brief(void) {
    return getenv("ALCORE_TEST_BRIEF");
}

void bed_add_variants(TCase *to, const TTest *test, int count) {
    const char *seed = getenv("ALCORE_TEST_SEED");
    const int every = bed_brief() ? 4 : getenv("ALCORE_TEST_FULL") ? 1 : 2;
    for (int i = seed ? atoi(seed) % every : 0; i < count; i += every)
        tcase_add_loop_test(to, test, i, i + 1);
}

void bed_open(bed *b, int64_t rows, int32_t threads, const alcore_allocator *allocator) {
    memset(b, 0, sizeof *b);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = threads;
    options.allocator = allocator;
    options.log = keep_warning;
    options.log_user = b;
    ck_assert_int_eq(alcore_ctx_new(&options, &b->ctx), ALCORE_OK);
    b->mask = malloc((size_t)rows + 1);
    memset(b->mask, 1, (size_t)rows);
    b->input.ctx = b->ctx;
    /* $ALCORE_TEST_DEVICE: the engine that runs the strategies; every one gives the same bytes. */
    const char *device = getenv("ALCORE_TEST_DEVICE");
    ck_assert_msg(alcore__engine_open(b->ctx, device, &b->input.engine) == ALCORE_OK, "%s",
                  alcore_last_error());
    b->input.seed = 42;
    b->input.round = 1;
    b->input.candidates.rows = rows;
    b->input.candidates.mask = b->mask;
}

void bed_close(bed *b) {
    alcore__outcome_clear(b->ctx, &b->outcome);
    for (int32_t i = 0; i < b->column_count; i++) free(b->columns[i].data);
    alcore_pool_unref(b->pool);
    free(b->losses);
    free(b->samples);
    free(b->offsets);
    free(b->mask);
    free(b->phrases);
    alcore_ctx_unref(b->ctx);
}

alcore__column *bed_column(bed *b, alcore__dataset *side, const char *name, const void *values,
                           int64_t rows, int64_t dims, int32_t dtype) {
    ck_assert_int_lt(b->column_count, BED_COLUMNS);
    alcore__column *column = &b->columns[b->column_count++];
    static char origin[] = "given";
    held *data = malloc(sizeof *data);
    *data = (held){values, NULL};
    *column = (alcore__column){.ops = &OPS,
                               .ctx = b->ctx,
                               .origin = origin,
                               .row_count = rows,
                               .dims = dims,
                               .dtype = dtype,
                               .log_scale = 1.0,
                               .data = data};
    if (side != &b->input.candidates) side->rows = rows;
    ck_assert_int_eq(alcore__dataset_add(side, name, column), ALCORE_OK);
    return column;
}

alcore__column *bed_ragged(bed *b, const char *name, const void *values, const int64_t *offsets,
                           int64_t rows, int64_t dims, int32_t dtype) {
    alcore__column *column = bed_column(b, &b->input.candidates, name, values, rows, dims, dtype);
    ((held *)column->data)->offsets = offsets;
    column->ragged = true;
    return column;
}

void bed_phrases(bed *b, bool alike) {
    static const char *const NAMES[BED_PHRASE_COLUMNS] = {
        "occurrences", "length", "first_row", "first_position", "known", "semi_maximal"};
    const int64_t rows = b->input.candidates.rows;
    b->phrases = malloc(sizeof(int64_t) * BED_PHRASE_COLUMNS * (size_t)(rows + 1));
    for (int64_t i = 0; i < rows; i++) {
        const int64_t vary = alike ? 0 : 1;
        const int64_t numbers[BED_PHRASE_COLUMNS] = {
            1 + vary * (i * 7919 % 13), 1 + vary * (i % 4),
            vary ? (rows - i) / 3 : i,  vary * (i % 5),
            vary * (i % 7 == 0),        1 - vary * (i % 3 == 1)};
        for (int c = 0; c < BED_PHRASE_COLUMNS; c++) b->phrases[c * rows + i] = numbers[c];
    }
    for (int c = 0; c < BED_PHRASE_COLUMNS; c++)
        bed_column(b, &b->input.candidates, NAMES[c], b->phrases + c * rows, rows, 1, ALCORE_INT64);
}

bool bed_draws(const char *strategy) {
    return (!alcore_strategy_builtin_needs(strategy, ALCORE_ROLE_CANDIDATES, 0) &&
            strcmp(strategy, "ngram-cover") != 0) ||
           !strcmp(strategy, "random-phrase");
}

bool bed_runs(const char *strategy) {
    return !alcore__strategy_find(strategy)->hybrid;
}

void bed_thin(bed *b, const char *strategy) {
    if (strcmp(strategy, "probcover") != 0 && strcmp(strategy, "facility-location") != 0 &&
        strcmp(strategy, "typiclust") != 0)
        return;
    for (int64_t i = 0; i < b->input.candidates.rows; i++) b->mask[i] &= i % 16 == 5;
}

/* Every text has 3 to 6 words, of which the round trip changes up to three; a number in each keeps
 * the texts apart. */
static void add_texts(bed *b, int64_t rows) {
    enum { BYTES = 64 };
    char *texts = malloc((size_t)rows * 2 * BYTES + 1);
    const char **list = malloc((size_t)rows * sizeof *list + 1);
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.dedup = ALCORE_DEDUP_NONE;
    ck_assert_int_eq(alcore_pool_new(b->ctx, &options, &b->pool), ALCORE_OK);
    for (int64_t i = 0; i < rows; i++) {
        const char *tail = i % 4 == 0 ? "" : i % 4 == 1 ? " d" : i % 4 == 2 ? " d e" : " d e f";
        list[i] = texts + i * BYTES;
        snprintf(texts + i * BYTES, BYTES, "%lld b c%s", (long long)i, tail);
    }
    ck_assert_int_eq(alcore_pool_add_texts(b->pool, list, NULL, rows, NULL), ALCORE_OK);
    for (int64_t i = 0; i < rows; i++) {
        const char *tail = i % 7 < 3 ? " d e f" : i % 7 < 5 ? " e d" : "";
        list[i] = texts + (rows + i) * BYTES;
        snprintf(texts + (rows + i) * BYTES, BYTES, "%lld b c%s", (long long)(i - i % 11 % 2),
                 tail);
    }
    ck_assert_int_eq(alcore_pool_set_text_column(b->pool, "roundtrip", list, NULL, rows, NULL),
                     ALCORE_OK);
    free(texts);
    free(list);
    b->input.candidates.pool = b->pool;
    ck_assert_int_eq(alcore__dataset_add(&b->input.candidates, "roundtrip",
                                         alcore__pool_find_column(b->pool, "roundtrip")),
                     ALCORE_OK);
}

/* Two to four samples of each row over two classes. */
static void add_samples(bed *b, alcore__rng *rng) {
    const int64_t rows = b->input.candidates.rows;
    int64_t *ends = b->offsets + rows + 1; /* behind the offsets of the tokens */
    for (int64_t i = 0; i < rows; i++) ends[i + 1] = ends[i] + 2 + i % 3;
    b->samples = malloc((size_t)ends[rows] * 2 * sizeof *b->samples + 1);
    for (int64_t s = 0; s < ends[rows]; s++) {
        b->samples[2 * s] = (float)alcore__rng_below(rng, 33) / 32.0f;
        b->samples[2 * s + 1] = 1.0f - b->samples[2 * s];
    }
    bed_ragged(b, "sample_probs", b->samples, ends, rows, 2, ALCORE_FLOAT32);
}

void bed_text_columns(bed *b) {
    int64_t rows = b->input.candidates.rows;
    alcore__rng rng;
    alcore__rng_seed(&rng, 77);
    b->offsets = calloc((size_t)(rows + 1) * 2, sizeof *b->offsets);
    for (int64_t i = 0; i < rows; i++) b->offsets[i + 1] = b->offsets[i] + 1 + i % 5;
    /* The losses, then the same numbers below 0 as log-probabilities. */
    int64_t tokens = b->offsets[rows];
    b->losses = malloc((size_t)tokens * 2 * sizeof *b->losses + 1);
    for (int64_t t = 0; t < tokens; t++) {
        b->losses[t] = (float)alcore__rng_below(&rng, 40) / 8.0f;
        b->losses[tokens + t] = -b->losses[t];
    }
    bed_ragged(b, "mlm_losses", b->losses, b->offsets, rows, 1, ALCORE_FLOAT32);
    bed_ragged(b, "logprobs", b->losses + tokens, b->offsets, rows, 1, ALCORE_FLOAT32);
    add_samples(b, &rng);
    add_texts(b, rows);
}

/* One pass of a cut pool: every part by itself, then the partials of the parts are merged in a
 * shuffled order, now from the left, now from the right. */
static alcore_status cut_pass(bed *b, alcore__run *run, alcore__shard **shards, alcore__rng *rng) {
    alcore__partials partials[16] = {{0}}, whole = {0};
    int64_t order[16];
    alcore_status status = alcore__rng_sample(NULL, rng, b->parts, b->parts, order);
    for (int32_t p = 0; p < b->parts && status == ALCORE_OK; p++) {
        int64_t first, end;
        alcore__shard_blocks(run, shards[p], &first, &end);
        status = alcore__run_map(run, shards[p], first, end, &partials[p]);
    }
    for (int32_t p = 0; p < b->parts && status == ALCORE_OK; p++) {
        alcore__partials *part = &partials[order[p]];
        status = alcore__partials_merge(b->ctx, p % 2 ? part : &whole, p % 2 ? &whole : part);
        if (p % 2) {
            alcore__partials_clear(b->ctx, &whole);
            whole = *part;
            memset(part, 0, sizeof *part);
        }
    }
    if (status == ALCORE_OK) status = alcore__run_reduce(run, &whole);
    for (int32_t p = 0; p < b->parts; p++) alcore__partials_clear(b->ctx, &partials[p]);
    alcore__partials_clear(b->ctx, &whole);
    return status == ALCORE_OK ? alcore__run_end_pass(run) : status;
}

static alcore_status run_cut(bed *b, alcore__run *run) {
    alcore__shard *shards[16] = {NULL};
    alcore__rng rng;
    alcore__rng_seed(&rng, b->shuffle);
    alcore_status status = ALCORE_OK;
    for (int32_t p = 0; p < b->parts && status == ALCORE_OK; p++) {
        status = alcore__shard_new(run, p, b->parts, &shards[p]);
    }
    while (!alcore__run_done(run) && status == ALCORE_OK) status = cut_pass(b, run, shards, &rng);
    for (int32_t p = 0; p < b->parts; p++) alcore__shard_free(run, shards[p]);
    return status;
}

static alcore_status run_it(bed *b, const alcore_strategy *strategy,
                            const alcore__strategy_def *def, const alcore__values *values) {
    alcore__run *run;
    ALCORE__TRY(alcore__run_begin(strategy, def, values, &b->input, &run));
    alcore_status status = b->parts ? run_cut(b, run) : alcore__run_drive(run);
    if (status == ALCORE_OK) status = alcore__run_finish(run, &b->outcome);
    alcore__run_free(run);
    return status;
}

alcore_status bed_run_def(bed *b, const alcore__strategy_def *def, const alcore__values *values) {
    alcore__outcome_clear(b->ctx, &b->outcome);
    ck_assert_int_eq(alcore__enter(b->ctx), ALCORE_OK);
    return b->status = alcore__leave(b->ctx, run_it(b, NULL, def, values));
}

alcore_status bed_run_strategy(bed *b, alcore_strategy *strategy, double budget) {
    alcore__outcome_clear(b->ctx, &b->outcome);
    b->input.fill.budget = budget;
    b->status = alcore__enter_long(b->ctx);
    if (b->status != ALCORE_OK) return b->status;
    if (b->parts) {
        b->status = run_it(b, strategy, strategy->def, &strategy->values);
    } else {
        b->status = alcore__strategy_run(strategy, &b->input, &b->outcome);
    }
    return alcore__leave(b->ctx, b->status);
}

alcore_status bed_run(bed *b, const char *name, const char *params, double budget) {
    alcore_strategy *strategy = NULL;
    b->status = alcore_strategy_new(b->ctx, name, &strategy);
    char text[256];
    snprintf(text, sizeof text, "%s", params);
    for (char *at = text, *word; b->status == ALCORE_OK && (word = strsep(&at, " "));) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value++ = 0;
        b->status = alcore_strategy_set(strategy, word, value);
    }
    if (b->status == ALCORE_OK) bed_run_strategy(b, strategy, budget);
    alcore_status status = b->status;
    alcore_strategy_unref(strategy);
    return status;
}

bool bed_setting_beside(bool (*is_in_table)(const char *strategy), int n, bed_setting *out) {
    const alcore__strategy_def *def;
    for (int32_t s = 0; (def = alcore__strategy_at(s)); s++) {
        if (is_in_table(def->name) || !bed_runs(def->name)) continue;
        int count = 1; /* the defaults */
        while (def->examples && def->examples[count - 1]) count++;
        if (n < count) {
            *out = (bed_setting){def->name, n ? def->examples[n - 1] : "", n};
            return true;
        }
        n -= count;
    }
    return false;
}

int64_t bed_pick(const bed *b, int64_t rank) {
    ck_assert_int_lt(rank, b->outcome.bought.pick_count);
    return b->outcome.rows[b->outcome.bought.picks[rank]];
}

void bed_expect_picks(const bed *b, int64_t count, const int64_t *rows) {
    ck_assert_msg(b->status == ALCORE_OK, "%s", alcore_last_error());
    ck_assert_int_ge(b->outcome.bought.pick_count, count);
    for (int64_t i = 0; i < count; i++) {
        ck_assert_msg(bed_pick(b, i) == rows[i], "pick %lld is %lld, not %lld", (long long)i,
                      (long long)bed_pick(b, i), (long long)rows[i]);
    }
}

const void *bed_record(const bed *b, const char *name) {
    for (int32_t i = 0; i < b->outcome.column_count; i++) {
        if (!strcmp(b->outcome.columns[i].name, name)) return b->outcome.columns[i].values;
    }
    ck_abort_msg("no column %s", name);
    return NULL;
}

const double *bed_fact(const bed *b, const char *name) {
    for (int32_t i = 0; i < b->outcome.fact_count; i++) {
        if (!strcmp(b->outcome.facts[i].name, name)) return b->outcome.facts[i].values;
    }
    ck_abort_msg("no fact %s", name);
    return NULL;
}

uint64_t bed_hash_picks(const bed *b, int64_t count) {
    int64_t *rows = malloc((size_t)count * sizeof *rows + 1);
    for (int64_t i = 0; i < count; i++) rows[i] = bed_pick(b, i);
    uint64_t hash = alcore__hash64(rows, (size_t)count * sizeof *rows);
    free(rows);
    return hash;
}

static uint64_t mix_hash(uint64_t hash, const void *data, size_t bytes) {
    uint64_t parts[2] = {hash, alcore__hash64(data, bytes)};
    return alcore__hash64(parts, sizeof parts);
}

uint64_t bed_fingerprint(const bed *b) {
    const alcore__outcome *o = &b->outcome;
    size_t count = (size_t)o->count;
    uint64_t hash = mix_hash((uint64_t)(int64_t)b->status, o->rows, count * 8);
    hash = mix_hash(hash, o->scores, count * 8);
    hash = mix_hash(hash, o->bought.picks, (size_t)o->bought.pick_count * 8);
    hash = mix_hash(hash, &o->bought.spent, sizeof o->bought.spent);
    int64_t counts[] = {(int64_t)o->bought.flags, o->bought.redundant, o->bought.unaffordable,
                        o->bought.free_rows,      o->nan_count,        o->floored};
    hash = mix_hash(hash, counts, sizeof counts);
    for (int32_t i = 0; i < o->column_count; i++)
        hash = mix_hash(hash, o->columns[i].values, count * 8);
    for (int32_t i = 0; i < o->fact_count; i++) {
        hash = mix_hash(hash, o->facts[i].values, (size_t)o->facts[i].count * 8);
    }
    return hash;
}
