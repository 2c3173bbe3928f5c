/* SPDX-License-Identifier: Apache-2.0 */
/* A run built by hand: columns in memory, a strategy by name, an outcome to look at. */
#ifndef STRATEGY_BED_H
#define STRATEGY_BED_H

#include "base/rng.h"
#include "check_suite.h"
#include "strategy/passes/runner.h"
#include "strategy/strategy_handle.h"

enum { BED_COLUMNS = 18, BED_PHRASE_COLUMNS = 6 };

typedef struct bed {
    alcore_ctx *ctx;
    alcore__run_input input;
    alcore__column columns[BED_COLUMNS];
    int32_t column_count;
    uint8_t *mask;    /* [rows] the bed's own copy */
    int64_t *phrases; /* [BED_PHRASE_COLUMNS, rows] of bed_phrases(); NULL: it was not called */
    alcore__outcome outcome;
    alcore_status status;
    int32_t parts;     /* 0: as the product does; else the pool is cut into so many parts */
    uint64_t shuffle;  /* order in which partials of the parts are merged */
    char warning[512]; /* last warning of the log */
    /* Of bed_text_columns(). */
    alcore_pool *pool;
    float *losses, *samples;
    int64_t *offsets;
} bed;

/* Under valgrind ($ALCORE_TEST_BRIEF) a hundred passes over the pool take an hour. */
bool bed_brief(void);
/* Adds `test` once for each of the variants 0 to count - 1, its _i: in the full tier. By default
 * one variant in two runs, under valgrind one in four; the first is $ALCORE_TEST_SEED's. */
void bed_add_variants(TCase *to, const TTest *test, int count);
void bed_open(bed *bed, int64_t rows, int32_t threads, const alcore_allocator *allocator);
void bed_close(bed *bed);
/* The numbers stay the caller's. dtype: ALCORE_FLOAT32, ALCORE_FLOAT64, ... */
alcore__column *bed_column(bed *bed, alcore__dataset *side, const char *name, const void *values,
                           int64_t rows, int64_t dims, int32_t dtype);
alcore__column *bed_ragged(bed *bed, const char *name, const void *values, const int64_t *offsets,
                           int64_t rows, int64_t dims, int32_t dtype);
/* Gives the candidates the columns of phrases. alike: every row may be bought and has the same
 * numbers; else they vary, with ties, and some rows are known or not semi-maximal. */
void bed_phrases(bed *bed, bool alike);
/* Whether a built-in strategy draws its picks at random, whatever the columns hold. */
bool bed_draws(const char *strategy);
/* Whether a bed can run a built-in strategy: not those that only a request runs. */
bool bed_runs(const char *strategy);
/* For large pools: leaves one candidate in 16 to a strategy that compares each with all others, or
 * with a cluster for each pick. */
void bed_thin(bed *bed, const char *strategy);
/* What few strategies read, made of the row numbers: "logprobs", "mlm_losses" and "sample_probs",
 * and a pool of the candidates' texts with their round trips. */
void bed_text_columns(bed *bed);
/* Runs a strategy; params: "lambda=0.5 n_strata=3" or "". The status stays in bed->status too. */
alcore_status bed_run(bed *bed, const char *strategy, const char *params, double budget);
alcore_status bed_run_strategy(bed *bed, alcore_strategy *strategy, double budget);
/* The same in bed->parts parts, for defs that are in no registry. */
alcore_status bed_run_def(bed *bed, const alcore__strategy_def *def, const alcore__values *values);
/* Tests that hold for every strategy have a table of settings, and walk the registry for the
 * strategies that are not in it: the n-th of these with their defaults and with each of their
 * examples. number: 0 with the defaults, then of the example. False past the last. */
typedef struct bed_setting {
    const char *strategy, *params;
    int number;
} bed_setting;
bool bed_setting_beside(bool (*is_in_table)(const char *strategy), int n, bed_setting *out);
/* Pool row of a pick. */
int64_t bed_pick(const bed *bed, int64_t rank);
void bed_expect_picks(const bed *bed, int64_t count, const int64_t *rows);
const void *bed_record(const bed *bed, const char *name);
const double *bed_fact(const bed *bed, const char *name);
uint64_t bed_hash_picks(const bed *bed, int64_t count);
/* Everything an outcome says, as one number. */
uint64_t bed_fingerprint(const bed *bed);

#define BED_PICKS(bed, ...)                                                                        \
    do {                                                                                           \
        const int64_t rows_[] = {__VA_ARGS__};                                                     \
        bed_expect_picks((bed), (int64_t)(sizeof rows_ / sizeof rows_[0]), rows_);                 \
    } while (0)

#endif
