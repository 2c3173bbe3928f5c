/* SPDX-License-Identifier: Apache-2.0 */
/* What the author of a strategy needs: the definition, its passes, and what a run knows.
 *
 * A strategy is one alcore__strategy_def in a file of lib/strategy/rules and one row of
 * registry_rows.h. It works in passes over the active rows of a pool, block by block (a block is a
 * run of 8192 pool rows, whatever subset of them is active; spec 1.8). A pass is a row of a table:
 *
 *     name     for the reader of the table
 *     source   whose active rows it reads; none named: the candidates
 *     block    work on one block, on any thread and in any order: fills the block's partial
 *     partial  what a block contributes, and how contributions are reduced in block order
 *     end      work between this pass and the next, on the calling thread
 *
 * The runner (passes/runner.h) walks the table: it owns blocks, threads, parts of the pool,
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

#include "alcore/phrase.h"
#include "scorer/role_place.h"
#include "scorer/score.h"
#include "strategy/passes/partial.h"
#include "strategy/passes/run_memory.h"
#include "strategy/strategy_run.h"

typedef struct alcore__block alcore__block;
typedef struct alcore__runner alcore__runner;

/* A source: whose active rows a pass reads. Blocks and the lists of active rows are told by it. */
enum alcore__row_source {
    ALCORE__OVER_CANDIDATES = 0,
    ALCORE__OVER_LABELED_ROWS = 1, /* labeled rows of the candidates' pool */
    ALCORE__OVER_LABELED_POOL = 2, /* rows of the pool in the role labeled */
    ALCORE__OVER_TARGET = 3,
    ALCORE__OVER_CHOSEN = 4, /* the candidates of the last alcore__run_choose(); none before */
    ALCORE__SOURCES = 5
};

/* ---- passes ---- */

/* A pass names members of the state by their place, 1 + the offset; 0: none. One that is misspelt,
 * or not of the type that is meant, does not compile. */
#define ALCORE__AT(type, member) (1 + offsetof(type, member))
#define ALCORE__AT_A(type, member, kind)                                                           \
    (ALCORE__AT(type, member) + 0 * sizeof(_Generic(((type *)0)->member, kind : 0)))
/* An array [active rows of the source] of the state; that of the outcome's scores. */
#define ALCORE__VALUES(type, member) ALCORE__AT_A(type, member, double *)
#define ALCORE__SCORES SIZE_MAX
/* Sums of the state. */
#define ALCORE__SUMS(type, member) ALCORE__AT_A(type, member, alcore__doubles)

/* When a pass is made, or made again: while a flag of the state is true (ALCORE__IF) or false
 * (ALCORE__UNLESS), or a function says so (ALCORE__TEST). */
typedef struct alcore__condition {
    size_t flag; /* the place of a bool */
    bool unless; /* it has to be false */
    bool (*test)(const alcore__run *run);
} alcore__condition;
#define ALCORE__IF(type, member)                                                                   \
    { .flag = ALCORE__AT_A(type, member, bool) }
#define ALCORE__UNLESS(type, member)                                                               \
    { .flag = ALCORE__AT_A(type, member, bool), .unless = true }
#define ALCORE__TEST(function)                                                                     \
    { .test = (function) }

enum { ALCORE__VALUE_ARRAYS = 3 };

/* The partial of one block as the pass's reduce() receives it. */
typedef struct alcore__block_partial {
    int64_t block;        /* number of the block in its pool */
    int64_t start, count; /* its active rows: positions start .. start + count - 1 */
    const void *extra;    /* [extra_bytes] behind the sums or values; aligned for doubles */
    size_t extra_bytes;   /* as the type says for the block; 1 or more */
    void *into;           /* the member of the state that the type names; NULL: none */
    enum alcore__row_source source; /* of the pass */
} alcore__block_partial;

/* The partial of a pass: plain bytes, without pointers, of a size that is known before the block
 * is visited. It begins with doubles that the runner reduces by itself (sums or values; at most one
 * of the two), followed by `extra` bytes for reduce(). All members may be 0: then every block is
 * visited and contributes nothing. */
typedef struct alcore__partial_type {
    /* ALCORE__SUMS(): the partial begins with double [count of the sums]. The runner adds them to
     * the state's, component by component, in block order from +0.0. Threads share the work by
     * ranges of components, so that one thread adds up each component. */
    size_t sums;
    /* ALCORE__VALUES(): the partial begins with double [active rows of the block] for each of these
     * arrays, which the runner stores there at the positions of the rows. */
    size_t values[ALCORE__VALUE_ARRAYS];
    /* Number of bytes behind the sums or values: for each active row, or of the whole block. A
     * block is not visited when the type has a member that is not 0, and the partial of the block
     * has no byte. */
    size_t row_bytes;
    size_t (*extra)(const alcore__block *block);
    size_t into; /* ALCORE__AT(): what extra() and reduce() find as the member `into` */
    /* In a run over own rows the extra bytes of a block depend on its rows: of a block of another
     * shard, which has no row there, extra() tells how many they are at most. reduce() checks them.
     */
    bool at_most;
    /* Called on the calling thread for each visited block with extra bytes, in block order. */
    alcore_status (*reduce)(alcore__run *run, const alcore__block_partial *partial);
    /* Merges the extra bytes of two blocks into those of the earlier one, `into`; both have
     * `bytes` bytes. reduce() takes the result in place of both, so that a shard sends one for all
     * of its blocks.
     * NULL: those of all blocks are sent, as are those that have sums or values before the extra
     * bytes. Values that a shard keeps (alcore__own_rows) are not sent. block: any of the pass. */
    void (*join)(const alcore__block *block, void *into, const void *next, size_t bytes);
    /* In a run over own rows, in place of extra bytes of blocks: appends what this shard tells all
     * of its candidates, once they are visited, 8 bytes or a multiple. reduce() takes what each
     * shard that has any candidate has told, in order, with the first block of the shard. */
    alcore_status (*tell)(alcore__run *run, alcore__buffer *out);
} alcore__partial_type;

/* One pass over the blocks of a source, or a nested table of passes: a row of a table. */
typedef struct alcore__pass {
    const char *name; /* NULL ends the table */
    /* A pass over no active row of its source is skipped, start and end too. */
    enum alcore__row_source source;
    /* A device visits adjacent blocks as one wide block (alcore__block.blocks), so that it is
     * started and waited for once a pass and not once a block: the partial of a wide block has the
     * sums of each of its blocks, one after the other; its values and extra bytes are as ever. A
     * narrow pass is always given single blocks. Candidates, and those chosen, are visited in wide
     * blocks only where no pass of the strategy over the candidates is narrow, unless it
     * keeps_nothing; rows of other sources, with whose blocks nothing is kept, where their
     * embeddings are in the device's memory. */
    bool narrow;
    /* A pass that only computes scores (alcore__block_scores()) and keeps nothing with its blocks.
     * A device visits adjacent blocks as one here too, where the columns that the scores are
     * computed from are in its memory and kernels reduce them; on the host, scores are computed on
     * all threads. */
    bool scores;
    /* Another pass over the candidates that keeps nothing with their blocks. One that is narrow
     * reads no embeddings either; the others are visited as rows of other sources are. */
    bool keeps_nothing;
    /* Work on one block. partial: zeroed bytes, as many as the partial's type says; NULL: none. */
    alcore_status (*block)(alcore__block *block, void *partial);
    alcore__partial_type partial;
    alcore_status (*end)(alcore__run *run);   /* after the last block; NULL: nothing to do */
    alcore_status (*start)(alcore__run *run); /* before the first block; may be NULL */
    alcore__condition when; /* if it does not hold, the pass is skipped; none: always made */
    /* A loop: where this holds after the pass, which was made or skipped, the runner goes back by
     * `back` rows of the table (0: it makes this pass once more); none: it goes on. */
    alcore__condition again;
    int32_t back;
    /* A table in place of `block`, such as that of k-means. While its passes run, run->state is the
     * member of the state at offset nested_at. */
    const struct alcore__pass *nested;
    size_t nested_at;
} alcore__pass;

/* ---- the definition ---- */

struct alcore__strategy_def {
    const char *name, *summary;
    /* Parameters that the tests of every strategy try beside the defaults: "n_strata=4 unit=1";
     * ends with NULL. NULL: the defaults only. */
    const char *const *examples;
    const alcore__term *terms; /* ends with name NULL; NULL: the score is one term */
    /* Words for the reasons of picks. reason: the one reason of every pick, for strategies whose
     * score says nothing about a row by itself; NULL: reasons are made from the score. measure:
     * what the score measures; NULL: "score". */
    const char *reason, *measure;
    /* Name of the integer record column that counts the rows of the target among whose nearest
     * rows a candidate is, for the reasons of picks; NULL: there is none. */
    const char *target_counts;
    const alcore__param_table *params;
    /* Name of the parameter, a number from 0 to 1, that weighs two parts of what is bought against
     * each other: an ablation varies it. NULL: there is none. */
    const char *ablated;
    /* Columns that the strategy reads, by ALCORE__ROLE(): a list that ends with NULL, "a|b" where
     * either will do; NULL: none. With the default parameters. */
    const char *const *needs[ALCORE__NEED_ROLES];
    /* Those of the candidates with other parameters, where they matter; NULL: always `needs`. */
    const char *const *(*candidate_needs)(const alcore__score_params *params);
    /* Whether it reads the embeddings of the labeled rows of the candidates' pool; NULL: where it
     * needs those of the labeled pool. */
    bool (*reads_labeled_rows)(const alcore__run *run);
    /* The columns that the needs name have to be given by the user, and no model is asked for them:
     * one may make columns of that name, but the log-probabilities of a round trip, say, are not
     * those of a text. */
    bool needs_are_given;
    /* Computes the scores of rows from their columns; alcore__block_scores() calls it. NULL: the
     * strategy has no such score. */
    alcore_status (*score_rows)(alcore__score_call *call);
    /* Whether it reads all classes of a distribution, as an entropy does; NULL: no more than the
     * two likeliest, unless the column has logits. */
    bool (*reads_all_classes)(const alcore__score_params *params);
    /* A smaller budget may buy rows that are no prefix of those of a larger one, so that the
     * strategy runs once for each budget of a request. */
    bool rows_depend_on_budget;
    /* The strategy is made of two others, which a request runs (rules/hybrid.c). */
    bool hybrid;
    bool reads_languages;   /* run->input->languages is set */
    bool reads_bought;      /* run->input->labeled_rows are all rows of the pool that were bought:
                               those that the request excludes too */
    bool reads_tokens;      /* it reads the tokens of texts, where datasets have them */
    bool reads_like;        /* run->input->like is read; other strategies refuse it */
    bool picks_from_target; /* where the request has a target, its rows are the candidates */
    /* The key of a candidate depends on no other one, or only on its number among all candidates
     * (run->input->place), so that the picks of all shards are among those of each one under the
     * whole budget (budget/nominees.h). */
    bool in_shards;
    bool reads_number; /* of these, one whose key depends on that number */
    /* The strategy compares rows by their texts alone: appends what it reads of the candidates and
     * bought rows of a shard, with which alcore__strategy_run() has all rows (the input's member
     * gathered). NULL: it reads more. */
    alcore_status (*gather)(const alcore__run_input *input, alcore__buffer *out);
    /* It reads candidates, and labeled rows of their pool, in the block functions of its passes
     * alone, so that shards which exchange the partials of their blocks have the picks of one
     * machine (passes/shard_passes.h). What its reduce functions read they check, as it may come
     * from another process. */
    bool by_passes;
    /* Of these, whether the key of a candidate depends on its own values and on nothing else than
     * sums and extra bytes, whose number for a block does not depend on the block's rows but for
     * `at_most`, so that a shard keeps the values of its own rows only and nominates candidates
     * (run->input->own), or offers the picks that all shards have made (run->offered).
     * state: with the parameters, before begin. NULL: never. */
    bool (*ranks_own)(const void *state); /* alcore__ranks_own: with all parameters */
    /* The strategy buys phrases: from a pool of texts a request derives the pool of their phrases
     * first, with the options that this function sets by the parameters. NULL: it buys rows. */
    void (*phrase_options)(const alcore__values *values, alcore_phrase_options *out);
    /* The rows of that pool are ordered by first occurrence, then length, not by frequency. */
    bool phrases_by_place;
    /* The columns "scores" and "embeddings" of the phrases are made from those of words. */
    bool phrase_measures;
    const char *raw_name; /* name of the record column of raw values, for ALCORE__RANK_BY_SCORE */

    size_t state_bytes;                        /* of run->state: before begin the parameters that
                                                  are bound to it, and zeros */
    alcore_status (*begin)(alcore__run *run);  /* allocates; may be NULL */
    const alcore__pass *passes;                /* NULL: finish alone does the work */
    alcore_status (*finish)(alcore__run *run); /* fills run->outcome */
};

/* ---- a run ---- */

/* The active rows of a source: masked rows, and with nan=exclude rows with a NaN, are left out. A
 * position counts active rows, a row counts rows of the pool. */
typedef struct alcore__active_rows {
    const alcore__dataset *dataset;
    const uint8_t *mask; /* [dataset->rows] 1: active; NULL: all are */
    uint8_t *mask_copy;  /* a mask that is owned: without the rows that have a NaN, or of chosen
                            rows; NULL: none */
    int64_t count;
    int64_t *rows; /* [count] row of each position, ascending; NULL: first_row + position */
    int64_t first_row;
    int64_t blocks;        /* blocks of the pool */
    int64_t *block_starts; /* [blocks + 1] position of each block's first active row */
} alcore__active_rows;

/* What a strategy tells in its begin about the work of its passes. No result depends on it. */
typedef struct alcore__run_hints {
    bool repeats;        /* many passes over the embeddings: a device keeps them in its memory, and
                            those that are made block by block are kept when they are few
                            (passes/block_memory.c) */
    bool row_work;       /* passes work on the host for each candidate too: there are wide blocks
                            enough for all threads */
    double host_doubles; /* about how many doubles such a pass needs for a block on the host, beside
                            some for each row; 0: few */
} alcore__run_hints;

/* One run of a strategy, from alcore__run_begin() to alcore__run_free(). All pointers but state,
 * outcome and runner are borrowed. */
struct alcore__run {
    alcore_ctx *ctx;
    const alcore__strategy_def *def;
    const alcore_strategy *strategy;
    const alcore__run_input *input;
    const alcore__values *values;                /* the parameters */
    alcore__score_params score_params;           /* those of its score */
    alcore__active_rows active[ALCORE__SOURCES]; /* by source */
    void *state; /* [def->state_bytes] or, while a nested table runs, the member at its nested_at */
    alcore__outcome outcome; /* count, rows and scores are there before begin */
    int32_t threads;         /* worker threads of the context; runner->workers has one entry each */
    void *stream; /* of the engine's device, in whose order the kernels of wide blocks run; NULL:
                     there are no wide blocks, and each kernel has ended when it returns */
    alcore__run_hints hints; /* set in begin, also by what is called there:
                                alcore__kmeans_begin() sets `repeats` */
    bool budget_decides;     /* set in begin: with its parameters the strategy is one with
                            rows_depend_on_budget */
    int64_t rescale; /* set in begin: the scale on which the terms were added (budget/rescale.h) */
    const alcore__column *embeddings; /* set in begin: the vectors of the candidates that blocks
                                         read in place of the column "embeddings", made by the
                                         strategy; borrowed from its state. NULL: that column */
    /* Set by finish: either keys [candidates], what the candidates are ranked by (NULL:
     * outcome.scores), owned by the state; or picked: the strategy has bought its picks itself,
     * which alcore__filler_finish() notes, and nothing is ranked. */
    const double *keys;
    bool picked;
    /* Set by finish in a run that lists its own rows only: candidates of all shards that are
     * offered before the ranked ones, of which the strategy makes the scores NaN. last: none is
     * bought after them. NULL: there are none. */
    const struct alcore__nominees *offered;
    bool offered_last;
    bool offered_skips;     /* a row was passed over among them, as it did not fit (fill=skip) */
    alcore__runner *runner; /* passes/runner.h */
};

static inline int64_t alcore__candidate_count(const alcore__run *run) {
    return run->active[ALCORE__OVER_CANDIDATES].count;
}
/* The pool row of a candidate. */
static inline int64_t alcore__candidate_row(const alcore__run *run, int64_t position) {
    const alcore__active_rows *active = &run->active[ALCORE__OVER_CANDIDATES];
    return active->rows ? active->rows[position] : active->first_row + position;
}
/* The position of the candidate that a pool row is; -1: it is none, or one of another shard. */
static inline int64_t alcore__candidate_position(const alcore__run *run, int64_t row) {
    const alcore__active_rows *active = &run->active[ALCORE__OVER_CANDIDATES];
    const int64_t at = active->rows ? alcore__first_from(active->rows, active->count, row)
                                    : row - active->first_row;
    return at >= 0 && at < active->count && alcore__candidate_row(run, at) == row ? at : -1;
}
/* Whether the candidates of the run are those of one shard among several. */
static inline bool alcore__lists_own(const alcore__run *run) {
    return run->input->own.only;
}
/* Whether the run is one of several over the rows of all shards. */
static inline bool alcore__in_shards(const alcore__run *run) {
    return run->input->own.candidates > 0;
}
/* Active rows of a source, in all shards; labeled rows are always those of all. */
static inline int64_t alcore__active_in_all(const alcore__run *run,
                                            enum alcore__row_source source) {
    const bool own = run->input->own.only && source == ALCORE__OVER_CANDIDATES;
    return own ? run->input->own.candidates : run->active[source].count;
}
/* The table of kernels of the run's engine, and the first argument of each kernel. */
static inline const alcore_sys_kernels *alcore__run_kernels(const alcore__run *run) {
    return run->input->engine.kernels;
}
static inline alcore_sys_work alcore__run_work(const alcore__run *run) {
    alcore_sys_work work = alcore__engine_work(&run->input->engine);
    if (run->stream) work.stream = run->stream;
    return work;
}
/* Calls a kernel of the run's engine, by its name, with the arguments behind `work`. */
#define ALCORE__KERNEL(run, kernel, ...)                                                           \
    (alcore__run_kernels(run)->kernel((alcore_sys_work[]){alcore__run_work(run)}, __VA_ARGS__))
/* vectors [count, dims] as a kernel reads them. */
static inline alcore_sys_rows alcore__rows_of(const double *vectors, int64_t count, int64_t dims) {
    return (alcore_sys_rows){
        .data = vectors, .count = count, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
}
/* The column of the candidates that alcore__block_matrix() reads; NULL: they have no embeddings. */
const alcore__column *alcore__candidate_embeddings(const alcore__run *run);
/* Components of an embedding, the same number in all roles; 0: the candidates have no embeddings.
 */
int64_t alcore__embedding_dims(const alcore__run *run);
/* ALCORE_E_DATA that names the row, of a source, and the component of the first NaN or infinity
 * among values [dims]. */
alcore_status alcore__vector_check(const double *values, int64_t dims,
                                   enum alcore__row_source source, int64_t row);

/* ---- for finish ---- */

/* Adds a record column and sets *out to its values [candidates], zeroed, int64_t or double by dtype
 * (ALCORE_INT64, ALCORE_FLOAT64). name is static. */
alcore_status alcore__outcome_column(alcore__run *run, const char *name, int32_t dtype, void *out);
/* The same of an array of doubles that the strategy has: the record owns it after a success, and
 * *values is NULL. */
alcore_status alcore__outcome_keep_column(alcore__run *run, const char *name, double **values);
/* The same of integers, as an int64_t column, in whose memory they are widened; *values NULL: all
 * are 0. */
alcore_status alcore__outcome_keep_integers(alcore__run *run, const char *name, int32_t **values);
/* A record column that is outcome->scores itself, not a copy. */
alcore_status alcore__outcome_score_column(alcore__run *run, const char *name);
/* Scores the picks from 1 down in equal steps, in the order in which they were bought, once the
 * outcome has them: for strategies whose picks no value orders. */
void alcore__outcome_score_picks(alcore__run *run);
/* Adds a fact for the report and sets *out to its values [count], zeroed. name is static. */
alcore_status alcore__outcome_fact(alcore__run *run, const char *name, int64_t count, double **out);
/* The exponent of the largest of the values [count] where squares of them would overflow or vanish;
 * 0 where they do not: a power of 2 by which they are divided before. */
int alcore__common_exponent(const double *values, int64_t count);
/* *mean and *sd: mean and population standard deviation of weight x values [candidates], summed by
 * blocks (spec 1.8). */
void alcore__candidate_mean_sd(const alcore__run *run, const double *values, double weight,
                               double *mean, double *sd);
/* cos from dot(a, b), ||a|| and ||b|| (spec 1.5). */
double alcore__cosine(double dot, double norm, double other_norm);

/* ---- for begin ---- */

/* Warns, in the log, when a strategy will make more than 100 passes over the embeddings of the
 * candidates. passes: about how many, 0 or more and no NaN. Called once, in `begin`. */
void alcore__warn_passes(const alcore__run *run, double passes);
/* A ranks_own that is always true. */
static inline bool alcore__ranks_own(const void *state) {
    (void)state;
    return true;
}
/* About how many picks the budget buys: the budget divided by the mean cost of a candidate, from 0
 * to the number of candidates, never NaN. */
double alcore__expected_picks(const alcore__run *run);

/* ---- for strategies that need not look at every candidate ---- */

/* Makes the candidates at positions [count], ascending, the source ALCORE__OVER_CHOSEN of the
 * passes that follow: position k of that source is candidate positions[k]. Called in the end of a
 * pass, on the calling thread; positions are copied. */
alcore_status alcore__run_choose(alcore__run *run, const int64_t *positions, int64_t count);
/* Whether every budget of the request is spent on candidates whose key is above `bound`, before the
 * ranking by keys [candidates] comes to one whose key is not, or is NaN (not known). Then the keys
 * of all other candidates may be anything up to bound, and the picks are the same. */
alcore_status alcore__fill_ends_above(alcore__run *run, const double *keys, double bound,
                                      bool *out);

/* ---- strategies that only rank by a score (rules/rank_by_score.c) ---- */

/* The state of these strategies: the values of alcore__score_call for every candidate. */
typedef struct alcore__ranked_scores {
    double *rank;  /* [candidates] what they are ordered by; the largest is picked first */
    double *score; /* [candidates] what is reported; ordered as rank is */
    double *raw;   /* [candidates] the quantity of the paper, for the record column raw_name */
} alcore__ranked_scores;
extern const alcore__pass alcore__rank_by_score_passes[];
alcore_status alcore__rank_by_score_begin(alcore__run *run);
alcore_status alcore__rank_by_score_finish(alcore__run *run);
/* All members of a definition but name, summary, params, needs, score_rows and raw_name. */
#define ALCORE__RANK_BY_SCORE                                                                      \
    .state_bytes = sizeof(alcore__ranked_scores), .begin = alcore__rank_by_score_begin,            \
    .passes = alcore__rank_by_score_passes, .finish = alcore__rank_by_score_finish,                \
    .in_shards = true

/* Parameters of every strategy that scores (spec 3.7). */
#define ALCORE__CANDIDATE_PARAMS                                                                   \
    ALCORE__PARAM(                                                                                 \
        "candidates", INTEGER, "all", 1, 0x1p53, "all",                                            \
        "how many rows are drawn and looked at each round; the paper of HUDS draws 20000",         \
        ALCORE__MEMBER(ALCORE__TO_CANDIDATES, alcore__candidate_params, count)),                   \
        ALCORE__PARAM("sticky", FLAG, "0", 0, 1, NULL,                                             \
                      "1: keep the last round's candidates and draw only what is missing",         \
                      ALCORE__MEMBER(ALCORE__TO_CANDIDATES, alcore__candidate_params, sticky))

#endif
