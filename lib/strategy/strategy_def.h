/* SPDX-License-Identifier: Apache-2.0 */
/* What the author of a strategy needs: the definition, its passes, and what a run knows.
 *
 * A strategy is one alcore__strategy_def in a file of lib/strategy/rules and one row of
 * registry.c. It works in passes over the active rows of a pool, block by block (a block is a run
 * of 8192 pool rows, whatever subset of them is active; spec 1.8). A pass is a row of a table:
 *
 *     name     for the reader of the table
 *     rows     whose active rows it reads (ALCORE__OVER_*)
 *     block    work on one block, on any thread and in any order: fills the block's partial
 *     partial  what a block contributes, and how contributions are reduced in block order
 *     end      work between this pass and the next, on the calling thread
 *
 * The runner (engine/runner.h) walks the table: it owns blocks, threads, parts of the pool,
 * progress, cancellation and nan=exclude. It calls `block` for every block with an active row,
 * reduces the partials in block order, whoever computed them, and calls `end`. So sums over rows
 * are those of spec 1.8 for any number of threads and any cut of the pool.
 *
 * Three places hold data. The state (run->state, plain data of the strategy) is what every block
 * may read; only start, reduce and end write it. What belongs to the rows of one block between
 * passes is kept with the block (block.h). Temporary arrays of one block live on the worker's
 * scratch stack (block.h). */
#ifndef ALCORE__STRATEGY_H
#define ALCORE__STRATEGY_H

#include "scorer/score.h"
#include "strategy/strategy_run.h"

typedef struct alcore__block alcore__block;
typedef struct alcore__runner alcore__runner;

/* Whose active rows a pass reads. */
enum {
    ALCORE__OVER_CANDIDATES = 0,
    ALCORE__OVER_LABELED_ROWS = 1, /* labeled rows of the candidates' pool */
    ALCORE__OVER_LABELED_POOL = 2, /* rows of the pool in the role labeled */
    ALCORE__OVER_TARGET = 3,
    ALCORE__SOURCES = 4
};

/* ---- passes ---- */

/* An array of the state. */
typedef struct alcore__doubles {
    double *values;
    int64_t count;
} alcore__doubles;

/* The partial of one block as reduce() gets it. */
typedef struct alcore__block_partial {
    int64_t block;        /* number of the block in its pool */
    int64_t start, count; /* its active rows: positions start .. start + count - 1 */
    const void *extra;    /* what follows the part that the runner reduces itself; 8-aligned */
    size_t extra_bytes;
} alcore__block_partial;

/* The partial of a pass: plain bytes, without pointers, of a size that is known before the block
 * is visited. It begins with doubles that the runner reduces by itself (sums or values; at most one
 * of the two), then come `extra` bytes for reduce(). All members may be NULL: every block is
 * visited and contributes nothing. */
typedef struct alcore__partial_type {
    /* double [sums.count]: added to this array, component by component, in block order from +0.0.
     * Threads share the work by ranges of components, so every component has one adder. */
    alcore__doubles (*sums)(const alcore__run *run);
    /* double [active rows of the block]: stored in this array [active rows of the source]. */
    double *(*values)(const alcore__run *run);
    /* Bytes that follow. A block whose partial has a type but no byte is not visited. */
    size_t (*extra)(const alcore__block *block);
    /* Called on the calling thread, once a visited block with extra bytes, in block order. */
    alcore_status (*reduce)(alcore__run *run, const alcore__block_partial *part);
} alcore__partial_type;

typedef struct alcore__pass {
    const char *name; /* NULL ends the table */
    int32_t rows;     /* ALCORE__OVER_*; a pass over no active row is skipped, start and end too */
    /* partial: zeroed, of the size that the partial's type says; NULL when that is 0. */
    alcore_status (*block)(alcore__block *block, void *partial);
    alcore__partial_type partial;
    alcore_status (*end)(alcore__run *run);   /* after the last block; NULL: nothing to do */
    bool (*when)(const alcore__run *run);     /* false: the pass is skipped; NULL: always made */
    alcore_status (*start)(alcore__run *run); /* before the first block; may be NULL */
    /* A loop: after this pass, made or skipped, while again() is true the runner goes back by
     * `back` rows of the table (0: this pass once more). */
    bool (*again)(const alcore__run *run);
    int32_t back;
    /* A table in place of `block`, such as that of k-means. While its passes run, run->state is
     * what nested_state() returns. */
    const struct alcore__pass *nested;
    void *(*nested_state)(alcore__run *run);
} alcore__pass;

/* ---- the definition ---- */

typedef struct alcore__strategy_def {
    const char *name, *summary;
    /* Parameters that the tests of every strategy try beside the defaults: "n_strata=4 unit=1";
     * ends with NULL. NULL: the defaults only. */
    const char *const *examples;
    const alcore__term *terms; /* ends with name NULL; NULL: the score is one term */
    /* For the reasons of picks. reason: the whole of it, where the score is no measure of a row by
     * itself; measure: what the score measures; NULL: "score". */
    const char *reason, *measure;
    const alcore__param_table *params;
    const char *const *needs[4]; /* by ALCORE_ROLE_*; NULL: none */
    /* Scores of rows from columns, for strategies that want them (alcore__block_scores); NULL:
     * none.
     */
    alcore_status (*score_rows)(alcore__score_call *call);
    const char *raw_name; /* record column of the raw quantity, for ALCORE__RANK_BY_SCORE */

    size_t state_bytes;                        /* of run->state, zeroed before begin */
    alcore_status (*begin)(alcore__run *run);  /* reads parameters, allocates; may be NULL */
    const alcore__pass *passes;                /* NULL: none; finish does it all */
    alcore_status (*finish)(alcore__run *run); /* fills run->outcome */
    void (*free_state)(alcore__run *run); /* frees what the state points to, also after a failure
                                             half-way; may be NULL */
} alcore__strategy_def;

/* ---- a run ---- */

/* The active rows of a source: masked rows, and with nan=exclude rows with a NaN, are left out. A
 * position counts active rows, a row counts rows of the pool. */
typedef struct alcore__active_rows {
    const alcore__dataset *dataset;
    const uint8_t *mask; /* [dataset->rows] 1: active; NULL: all are */
    uint8_t *mask_copy;  /* the mask without the rows that have a NaN, owned; or NULL */
    int64_t count;
    int64_t *rows;         /* [count] row of each position, ascending */
    int64_t blocks;        /* blocks of the pool */
    int64_t *block_starts; /* [blocks + 1] position of each block's first active row */
} alcore__active_rows;

struct alcore__run {
    alcore_ctx *ctx;
    const alcore__strategy_def *def;
    const alcore_strategy *strategy;
    const alcore__run_input *input;
    const alcore__values *values; /* the parameters */
    alcore__active_rows active[ALCORE__SOURCES];
    void *state;             /* of the strategy, or of the nested table that is running */
    alcore__outcome outcome; /* count and rows are set before begin */
    int32_t threads;
    bool repeats; /* set in begin: many passes, so a device keeps the matrix in its memory, and one
                     that is made block by block is kept when it is small */
    int32_t speculative; /* tests: rows that k-means++ and BADGE measure in advance; -1: as many as
                            pay */
    /* Set by finish: what to order by (default: outcome.scores), owned by the state; or picked: the
     * picks are made. */
    const double *keys;
    bool picked;
    alcore__runner *runner; /* engine/runner.h */
};

static inline int64_t alcore__candidate_count(const alcore__run *run) {
    return run->active[ALCORE__OVER_CANDIDATES].count;
}
/* The kernels, and the first argument of each. */
static inline const alcore_sys_kernels *alcore__run_kernels(const alcore__run *run) {
    return run->input->engine.kernels;
}
static inline alcore_sys_work alcore__run_work(const alcore__run *run) {
    return alcore__engine_work(&run->input->engine);
}
/* Components of an embedding; 0: the candidates have none. Equal in all roles. */
int64_t alcore__embedding_dims(const alcore__run *run);
/* ALCORE_E_DATA that names the row and component of a vector's first NaN or infinity. */
alcore_status alcore__vector_check(const double *values, int64_t dims, int32_t source, int64_t row);

/* ---- for finish ---- */

/* run->outcome.scores: float64 [candidates], as the "values" of a pass that writes the scores. */
double *alcore__outcome_scores(const alcore__run *run);
/* A new record column, one entry per candidate, zeroed: int64_t * or double * by dtype. */
alcore_status alcore__outcome_column(alcore__run *run, const char *name, int32_t dtype, void *out);
/* A new fact for the report: double [count], zeroed. */
alcore_status alcore__outcome_fact(alcore__run *run, const char *name, int64_t count, double **out);
/* Mean and population standard deviation of values [candidates], summed by blocks (spec 1.8). */
void alcore__candidate_mean_sd(const alcore__run *run, const double *values, double *mean,
                               double *sd);
/* cos from dot(a, b), ||a|| and ||b|| (spec 1.5). */
double alcore__cosine(double dot, double norm, double other_norm);
/* Warns when a strategy will make more than 100 passes over the embeddings of the candidates. */
void alcore__warn_passes(const alcore__run *run, double passes);
/* About how many picks the budget buys: it divided by the mean cost of a candidate. */
double alcore__expected_picks(const alcore__run *run);

/* ---- strategies that only rank by a score (rules/rank_by_score.c) ---- */

typedef struct alcore__ranked_scores {
    double *rank, *score, *raw; /* [candidates] as alcore__score_call has them */
} alcore__ranked_scores;
extern const alcore__pass alcore__rank_by_score_passes[];
alcore_status alcore__rank_by_score_begin(alcore__run *run);
alcore_status alcore__rank_by_score_finish(alcore__run *run);
void alcore__rank_by_score_free(alcore__run *run);
/* All members of a definition but name, summary, params, needs, score_rows and raw_name. */
#define ALCORE__RANK_BY_SCORE                                                                      \
    .state_bytes = sizeof(alcore__ranked_scores), .begin = alcore__rank_by_score_begin,            \
    .passes = alcore__rank_by_score_passes, .finish = alcore__rank_by_score_finish,                \
    .free_state = alcore__rank_by_score_free

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
