/* SPDX-License-Identifier: Apache-2.0 */
/* What a strategy is: one alcore__strategy_def in a file of its own and one row in registry.c.
 *
 * A strategy works in passes over blocks of 8192 pool rows (spec 1.8). In each pass `block` looks
 * at one block and leaves a payload of plain bytes; a partial state is a set of payloads by block,
 * so that states of any parts of the pool fold together in any order (partial.h). `gather` sees the
 * payloads of a pass in block order, which makes sums over items those of spec 1.8 whoever computed
 * them, and `next` says what the next pass is or that there is none. What all parts must know
 * stands in the plan (plain data); what belongs to the rows of a block between passes stands in
 * block->memory. */
#ifndef ALCORE__STRATEGY_H
#define ALCORE__STRATEGY_H

#include "scorer/score.h"
#include "strategy/engine/partial.h"
#include "strategy/strategy_run.h"

typedef struct alcore__run alcore__run;
typedef struct alcore__block alcore__block;
typedef struct alcore__bench alcore__bench;

/* The rows a pass goes over. */
enum {
    ALCORE__OVER_CANDIDATES = 0,
    ALCORE__OVER_LABELED_ROWS = 1, /* labeled rows of the pool */
    ALCORE__OVER_LABELED_SIDE = 2,
    ALCORE__OVER_TARGET = 3,
    ALCORE__SOURCES = 4
};

/* One term of a strategy's score: score = sum over the terms of weight * value of its column.
 * Reasons and reports are made from this table (lib/strategy/budget). */
typedef struct alcore__term {
    const char *name;   /* "uncertainty" */
    const char *column; /* record column that holds its value: "u" */
    const char *within; /* record column of the group in which it is compared too ("stratum"); or
                           NULL */
    const char *alone;  /* the strategy that ranks by this term alone: "nnll"; or NULL */
    double (*weight)(const alcore__run *run); /* in this round */
} alcore__term;

typedef struct alcore__strategy_def {
    const char *name, *summary;
    const alcore__term *terms; /* ends with name NULL; NULL: the score is one term */
    /* For the reasons of picks. reason: the whole of it, where the score is no measure of a row by
     * itself; measure: what the score measures; NULL: "score". */
    const char *reason, *measure;
    const alcore__param_table *params;
    const char *const *needs[4]; /* by ALCORE_ROLE_*; NULL: none */
    size_t plan_bytes;           /* of run->plan, zeroed before begin */
    /* Scores of rows from columns, for strategies that want them; NULL: none. */
    alcore_status (*score_rows)(alcore__score_call *call);
    const char *raw_name; /* record column of the raw quantity, for alcore__top_finish() */
    alcore_status (*begin)(alcore__run *run); /* sets the first pass, or run->done */
    alcore_status (*block)(alcore__block *block);
    alcore_status (*gather)(alcore__run *run, int64_t block, const void *payload, size_t bytes);
    alcore_status (*next)(alcore__run *run);
    alcore_status (*finish)(alcore__run *run); /* fills run->outcome */
    void (*clear)(alcore__run *run);           /* frees what the plan points to; may be NULL */
} alcore__strategy_def;

/* The rows of a source. */
typedef struct alcore__members {
    const alcore__dataset *dataset;
    const uint8_t *take; /* [dataset->rows]; NULL: all */
    uint8_t *own_take;   /* take without the rows masked as NaN */
    int64_t count;
    int64_t *rows;  /* [count] ascending */
    int64_t blocks; /* blocks of the table */
    int64_t *start; /* [blocks + 1] place of each block's first member */
} alcore__members;

struct alcore__run {
    alcore_ctx *ctx;
    const alcore__strategy_def *def;
    const alcore_strategy *strategy;
    const alcore__run_input *input;
    const alcore__values *values;
    alcore__members members[ALCORE__SOURCES];
    alcore__outcome outcome; /* count and rows are set before begin */
    void *plan;
    int32_t pass;   /* the strategy's name for the running pass */
    int32_t source; /* ALCORE__OVER_* */
    int64_t step;   /* passes before this one */
    bool done;
    bool repeats;  /* set in begin: many passes, so a device holds the matrix, and one that is made
                      block by block is kept when it is small */
    bool checking; /* the pass looks for NaN (nan_exclude) */
    uint8_t *nan[3]; /* [rows] what it found in the pool, on the labeled side and in the target;
                        NULL: nothing looked for */
    alcore__bench **benches; /* one a thread */
    int32_t bench_count;
    /* Set by finish: what to order by (default: outcome.scores), owned by the plan; or picked: the
     * picks are made. */
    const double *keys;
    bool picked;
};

/* What is kept for the candidates of a block between passes (strategy_state.c). */
typedef struct alcore__memory {
    void *local;             /* of alcore__block_local() */
    alcore_sys_rows numbers; /* of alcore__block_keep() */
    bool numbers_held;       /* they are in the engine's memory */
    bool asked;              /* whether the engine was asked to hold the matrix (run->repeats) */
    alcore_sys_rows held;    /* the members' rows in the engine's memory; data NULL: not there */
    char *rows;              /* the same in host memory; NULL: read again each time */
} alcore__memory;

/* A part of the pool: of the b blocks of any table those from b * part / parts on, with what is
 * kept for the candidates of each. */
typedef struct alcore__shard {
    int32_t part, parts;
    alcore__memory *memory; /* [blocks] */
} alcore__shard;

/* What a thread works with. */
struct alcore__bench {
    alcore__scratch scratch[4]; /* a reader keeps its own state there: one for scores, one for each
                                   side's vectors */
    double wide[3][ALCORE_BLOCK_ROWS];
    int32_t groups[2][ALCORE_BLOCK_ROWS];
    uint8_t mask[ALCORE_BLOCK_ROWS];
    int64_t floored;
};

struct alcore__block {
    alcore__run *run;
    alcore__shard *shard;
    alcore__bench *bench;
    int64_t number;
    int64_t start, count;   /* members: positions start .. start + count - 1 of the source */
    const int64_t *rows;    /* [count] */
    alcore__memory *memory; /* of this block's candidates; NULL for other sources */
    void *payload;
    size_t bytes;
};

/* ---- blocks (strategy_block.c, strategy_check.c) ---- */

/* Memory for the payload, zeroed; one a pass and block. */
alcore_status alcore__block_payload(alcore__block *block, size_t bytes, void *out);
/* score_rows over the block's members, entries by member; score and raw may be NULL. rank: [count].
 */
alcore_status alcore__block_scores(alcore__block *block, double *rank, double *score, double *raw);

/* Memory that stays with the block until the run ends, zeroed at first. */
alcore_status alcore__block_local(alcore__block *block, size_t bytes, void *out);
/* Numbers that stay with the block until the run ends, in the memory that the engine works in: only
 * kernels and alcore__numbers_read() look at them. NULL before alcore__block_keep(), which takes
 * numbers [count] over, also when it fails. */
double *alcore__block_numbers(const alcore__block *block);
alcore_status alcore__block_keep(alcore__block *block, double *numbers, int64_t count);
alcore_status alcore__numbers_read(const alcore__run *run, const double *numbers, int64_t count,
                                   double *out);
void alcore__memory_clear(alcore__run *run, alcore__memory *memory);

/* The members' rows of the column "embeddings". Functions below read and write one entry per
 * member. */
typedef struct alcore__matrix {
    alcore__block *block;
    alcore_sys_rows rows;
    const uint8_t *take; /* NULL: the rows are the members */
} alcore__matrix;
alcore_status alcore__block_matrix(alcore__block *block, bool unit, alcore__matrix *out);
/* Place of a member among the rows, and the member at a place. */
static inline int64_t alcore__matrix_place(const alcore__matrix *matrix, int64_t member) {
    return matrix->take ? matrix->block->rows[member] - matrix->rows.first : member;
}
int64_t alcore__matrix_member(const alcore__matrix *matrix, int64_t place);
int64_t alcore__embedding_dims(
    const alcore__run *run); /* 0: no such column; checked to agree on both sides */
alcore_status alcore__matrix_dots(const alcore__matrix *matrix, const double *vector, double *out);
alcore_status alcore__matrix_self_dots(const alcore__matrix *matrix, double *out);
alcore_status alcore__matrix_sq_dists(const alcore__matrix *matrix, const double *vector,
                                      double *out);
alcore_status alcore__matrix_group_sums(const alcore__matrix *matrix, const int32_t *group,
                                        int64_t groups, double *sums, int64_t *counts);
/* The payload becomes the sum of the block's rows (of unit rows): double [dims]. */
alcore_status alcore__block_sum(alcore__block *block, bool unit, int64_t dims);
alcore_status alcore__matrix_group_cosine(const alcore__matrix *matrix, const int32_t *group,
                                          int64_t groups, const double *centroids, double *out);
/* What nearest_centroid of alcore_sys_kernels writes; distance, and low with high, may be NULL. */
typedef struct alcore__nearest {
    int32_t *nearest;
    double *distance, *low, *high;
} alcore__nearest;
alcore_status alcore__matrix_nearest(const alcore__matrix *matrix, const int32_t *group,
                                     int64_t groups, const int64_t *starts, const double *centroids,
                                     const alcore__nearest *out);
alcore_status alcore__matrix_row(const alcore__matrix *matrix, int64_t member,
                                 double *out); /* widened */
/* Names the first member with a NaN or infinity; ALCORE_OK when there is none. Called when a sum is
 * not finite. */
alcore_status alcore__matrix_check(const alcore__matrix *matrix);
/* The same for one vector of a source's row. */
alcore_status alcore__vector_check(const double *values, int64_t dims, int32_t source, int64_t row);
/* Rows of a block of the target, for passes over the candidates. */
alcore_status alcore__target_rows(alcore__block *block, int64_t number, alcore_sys_rows *out);
/* Distances of the members to rows of the target as alcore_sys_kernels has them: sums, or low and
 * high, are double [members, groups]. which: members that take part; NULL: all. */
alcore_status alcore__matrix_distances(const alcore__matrix *matrix, const uint8_t *which,
                                       const alcore_sys_rows *targets, const int32_t *group,
                                       int64_t groups, double *sums);
alcore_status alcore__matrix_distance_bounds(const alcore__matrix *matrix,
                                             const alcore_sys_rows *targets, const int32_t *group,
                                             int64_t groups, double *low, double *high);
alcore_sys_work alcore__run_work(const alcore__run *run);
/* The pass that looks for NaN: payload uint8 [members], 1 where the row is to be masked. */
alcore_status alcore__check_block(alcore__block *block);
int32_t alcore__role_of(int32_t source);
/* Whether the strategy reads embeddings of a role, for itself or for the spread. */
bool alcore__reads_embeddings(const alcore__run *run, int32_t role);

/* ---- runs (strategy_run.c) ---- */

alcore_status alcore__run_begin(const alcore_strategy *strategy, const alcore__strategy_def *def,
                                const alcore__values *values, const alcore__run_input *input,
                                alcore__run **out);
alcore_status alcore__shard_new(alcore__run *run, int32_t part, int32_t parts, alcore__shard **out);
void alcore__shard_free(alcore__run *run, alcore__shard *shard);
/* Runs the present pass over a part of the pool into a partial state. */
alcore_status alcore__run_pass(alcore__run *run, alcore__shard *shard, alcore__partial *out);
/* Takes the folded state of all parts: gathers it in block order and moves on to the next pass. */
alcore_status alcore__run_deliver(alcore__run *run, alcore__partial *whole);
/* One process, one shard: pass and deliver until done, holding only the payloads that wait for
 * their turn. */
alcore_status alcore__run_drive(alcore__run *run);
/* Scores, record, ranking and fill. */
alcore_status alcore__run_finish(alcore__run *run, alcore__outcome *out);
void alcore__run_free(alcore__run *run); /* NULL-safe */

/* ---- for finish ---- */

alcore_status alcore__outcome_column(alcore__run *run, const char *name, int32_t dtype,
                                     void *out); /* [count] */
alcore_status alcore__outcome_fact(alcore__run *run, const char *name, int64_t count, double **out);
/* Mean and population sd over the candidates, by blocks (spec 1.8). */
void alcore__block_moments(const alcore__run *run, const double *values, double *mean, double *sd);
/* cos from dot(a, b), ||a|| and ||b|| (spec 1.5). */
double alcore__cosine(double dot, double norm, double other);
/* Warns when the passes over the candidates' matrix are more than 100. */
void alcore__warn_passes(alcore__run *run, double passes);
/* Picks that the budget will buy, roughly. */
double alcore__expected_picks(const alcore__run *run);

/* ---- ranking by a score (top.c): begin, block, gather, next, finish and plan of a plain top-k
 * strategy ---- */

typedef struct alcore__top_plan {
    double *rank, *score, *raw; /* [candidates] */
} alcore__top_plan;
alcore_status alcore__top_begin(alcore__run *run);
alcore_status alcore__top_block(alcore__block *block);
alcore_status alcore__top_gather(alcore__run *run, int64_t block, const void *payload,
                                 size_t bytes);
alcore_status alcore__top_next(alcore__run *run);
alcore_status alcore__top_finish(alcore__run *run);
void alcore__top_clear(alcore__run *run);
#define ALCORE__TOP_STEPS                                                                          \
    .plan_bytes = sizeof(alcore__top_plan), .begin = alcore__top_begin,                            \
    .block = alcore__top_block, .gather = alcore__top_gather, .next = alcore__top_next,            \
    .finish = alcore__top_finish, .clear = alcore__top_clear

/* Parameters of every strategy that scores (spec 3.7). */
#define ALCORE__CANDIDATE_PARAMS                                                                   \
    {"candidates",                                                                                 \
     ALCORE_PARAM_INTEGER,                                                                         \
     "all",                                                                                        \
     1,                                                                                            \
     0x1p53,                                                                                       \
     "all",                                                                                        \
     "how many rows are drawn and looked at each round; the paper of HUDS draws 20000"},           \
    {                                                                                              \
        "sticky", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,                                              \
            "1: keep the last round's candidates and draw only what is missing"                    \
    }

#endif
