/* SPDX-License-Identifier: Apache-2.0 */
/* Running a strategy's passes: for alcore__strategy_run(), and for programs that cut the pool into
 * parts which several processes work on. No strategy includes this header.
 *
 *     alcore__run_begin                 to the first pass
 *     until alcore__run_done:
 *         alcore__run_map               blocks of the pass -> partials; any blocks, any process
 *         alcore__partials_merge        sets of partials become one
 *         alcore__run_reduce            the partials of the next blocks, in block order
 *         alcore__run_end_pass          once all blocks of the pass are reduced
 *     alcore__run_finish                scores, record, ranking and picks
 *
 * One process with all of the pool does the same, some blocks at a time (alcore__run_drive). */
#ifndef ALCORE__RUNNER_H
#define ALCORE__RUNNER_H

#include "strategy/block.h"
#include "strategy/passes/partial.h"

/* A part of the pool: of the b blocks of any source, those from b * part / parts to
 * b * (part + 1) / parts - 1, with what is kept for the candidates of each. */
typedef struct alcore__shard {
    int32_t part, parts;
    int64_t block_count;          /* of the candidates' pool */
    alcore__block_memory *memory; /* [block_count] */
} alcore__shard;

/* Makes a run that waits before its first pass. input and values are borrowed and outlive the run.
 */
alcore_status alcore__run_begin(const alcore_strategy *strategy, const alcore__strategy_def *def,
                                const alcore__values *values, const alcore__run_input *input,
                                alcore__run **out);
bool alcore__run_done(const alcore__run *run);
/* Frees a run in any state, also after a failure of a pass; NULL-safe. Its shards are freed before
 * it: only alcore__shard_free() waits for kernels that a failed pass has left in run->stream, and
 * these may still use arrays that the run owns. */
void alcore__run_free(alcore__run *run);

alcore_status alcore__shard_new(alcore__run *run, int32_t part, int32_t parts, alcore__shard **out);
/* Waits for the kernels in run->stream, where the run has wide blocks, and frees what is kept with
 * the blocks; uses the run's engine. NULL-safe. No pass is made with the shard afterwards, but
 * alcore__run_finish() may follow. */
void alcore__shard_free(alcore__run *run, alcore__shard *shard);
/* The blocks first .. end - 1 of a shard in the present pass. */
void alcore__shard_blocks(const alcore__run *run, const alcore__shard *shard, int64_t *first,
                          int64_t *end);

/* Visits blocks first .. end - 1 and adds their partials to out, also those without bytes. After a
 * failure out may have entries of blocks that were not visited, and is only to be cleared. */
alcore_status alcore__run_map(alcore__run *run, alcore__shard *shard, int64_t first, int64_t end,
                              alcore__partials *out);
/* Reduces partials that continue where the last call ended; ALCORE_E_INTERNAL when they do not,
 * ALCORE_E_CORRUPT when one has not as many bytes as the pass makes for its block. */
alcore_status alcore__run_reduce(alcore__run *run, const alcore__partials *partials);
/* The first half of that, which leaves the run as it is: fails where it would refuse them. *next:
 * the block after the last one. */
alcore_status alcore__run_check_partials(alcore__run *run, const alcore__partials *partials,
                                         int64_t *next);
alcore_status alcore__run_end_pass(alcore__run *run);
/* Whether blocks of the pass have partials at all; a pass without them works on other memory. */
bool alcore__pass_has_partial(const alcore__pass *pass);
/* Makes the present pass over all blocks in this process. */
alcore_status alcore__run_make_pass(alcore__run *run, alcore__shard *shard);

/* Makes all passes over the whole pool in this process. */
alcore_status alcore__run_drive(alcore__run *run);
/* Called once all passes are made: spends the budgets and moves the outcome to out. */
alcore_status alcore__run_finish(alcore__run *run, alcore__outcome *out);

/* ---- inside the engine ---- */

enum { ALCORE__PASS_DEPTH = 5 }; /* the run's own table, a strategy's, three nested ones */

/* How far the run has come in one table of passes. */
typedef struct alcore__pass_cursor {
    const alcore__pass *pass; /* the row of the table that is being made; name NULL: at its end */
    void *state;              /* run->state while this table is the topmost one */
} alcore__pass_cursor;

typedef struct alcore__owned {
    alcore__run_release *release;
    void *object;
} alcore__owned;

struct alcore__runner {
    alcore__pass root[3]; /* find NaN, the strategy, the end (pass_order.c) */
    alcore__pass_cursor cursors[ALCORE__PASS_DEPTH];
    int32_t depth;        /* cursors in use; 0: the run is done */
    int64_t pass_count;   /* passes before the present one */
    int64_t next_block;   /* the block of the present pass whose partial is reduced next */
    int64_t visit_blocks; /* blocks that the present pass visits as one; 0: one by one */
    bool exchanges; /* partials come from other processes too, without those that have no byte */
    int64_t wide_blocks; /* the same of wide passes that keep something with blocks of candidates,
                             all of which visit as many; 0: not chosen yet */
    const alcore__block_memory *memory; /* [blocks of the candidates] what they keep, borrowed from
                                           the shard; NULL: there are no wide blocks */
    uint8_t
        *nan[ALCORE__SOURCES]; /* [rows of the pool] 1: the row has a NaN or infinity; owned, NULL
                                  without nan=exclude. The entry of ALCORE__OVER_LABELED_ROWS
                                  stays NULL: these rows are marked with the candidates */
    alcore__owned *owned;      /* [owned_count] released with the run (run_memory.c) */
    void **temporary;          /* [temporary_count] arrays of functions that have not ended */
    size_t owned_count, owned_capacity, temporary_count, temporary_capacity;
    alcore__worker_memory **workers; /* [run->threads] owned; NULL until the thread visits its first
                                        block */
};

/* Sizes of the two parts of a block's partial (reduce.c). */
typedef struct alcore__partial_layout {
    size_t leading_bytes; /* of the sums or values, which the runner reduces */
    size_t extra_bytes;   /* of what follows, which is passed to the pass's reduce() */
} alcore__partial_layout;
alcore__partial_layout alcore__layout_of(const alcore__pass *pass, const alcore__block *block);
/* Whether partials of several blocks become one on their way between shards. */
bool alcore__pass_joins(const alcore__run *run, const alcore__pass *pass);
/* Whether each shard tells of its rows in place of extra bytes of its blocks. */
static inline bool alcore__pass_tells(const alcore__run *run, const alcore__pass *pass) {
    return alcore__lists_own(run) && pass->partial.tell;
}
/* Whether the number of extra bytes of a block depends on its rows, so that that of another shard's
 * is not known. */
static inline bool alcore__pass_varies(const alcore__run *run, const alcore__pass *pass) {
    return alcore__lists_own(run) && pass->partial.at_most;
}
/* In a run that lists its own rows only: stores the values of the partials of own blocks, which
 * have none from then on. */
void alcore__run_keep_values(alcore__run *run, alcore__partials *partials);
/* How many blocks the present pass visits as one. */
int64_t alcore__blocks_of_visit(const alcore__run *run);
void alcore__describe_block(alcore__run *run, const alcore__pass *pass, int64_t number,
                            alcore__block *out);
/* How many blocks the wave of the present pass that begins with a block has. */
int64_t alcore__blocks_per_wave(alcore__run *run, int64_t first);

/* Decides how many blocks the present pass visits as one, in a run that makes all its passes in one
 * process, and in which stream its kernels run; waits for these kernels (wide_blocks.c). */
void alcore__open_visits(alcore__run *run, const alcore__shard *shard);
void alcore__close_visits(alcore__run *run);

/* Move the cursors to the first pass that visits blocks, and from the present pass to the next one
 * (pass_order.c). */
alcore_status alcore__passes_begin(alcore__run *run);
alcore_status alcore__passes_advance(alcore__run *run);
static inline const alcore__pass *alcore__present_pass(const alcore__run *run) {
    return run->runner->cursors[run->runner->depth - 1].pass;
}

/* A member of the state by its place (ALCORE__AT()); NULL for place 0. */
static inline void *alcore__member_at(const alcore__run *run, size_t place) {
    return place ? (char *)run->state + place - 1 : NULL;
}
/* The sums that the partials of a pass are added to; count 0: it has none (runner.c). */
static inline alcore__doubles alcore__pass_sums(const alcore__run *run, const alcore__pass *pass) {
    const alcore__doubles *sums = alcore__member_at(run, pass->partial.sums);
    return sums ? *sums : (alcore__doubles){0};
}

/* Lists the active rows of every source, without rows in runner->nan (active_rows.c). */
alcore_status alcore__list_active_rows(alcore__run *run);
void alcore__free_active_rows(alcore__run *run);
/* Columns, shapes and costs are as the strategy needs them (input_check.c). */
alcore_status alcore__check_input(const alcore__run *run);
/* Whether the strategy reads embeddings in a role, for itself or for the similarity limit. */
bool alcore__reads_embeddings(const alcore__run *run, int32_t role);

/* nan=exclude: the passes that find rows with a NaN (nan_check.c). */
extern const alcore__pass alcore__find_nan_passes[];

/* ---- memory of a worker thread (scratch_stack.c) ---- */

enum { ALCORE__SCRATCH_CHUNKS = 32 };

struct alcore__worker_memory {
    /* Buffers of column readers: file buffers and decoded rows. Each kind of column has a buffer of
     * its own, so that rows of one pool stay readable while those of another are read. */
    alcore__scratch scores;                      /* for scores, probabilities and factors */
    alcore__scratch embeddings[ALCORE__SOURCES]; /* for embeddings, by source */
    int64_t *rows;   /* [ALCORE_BLOCK_ROWS] those of the block, where the run has no list of them;
                        NULL: not needed yet */
    int64_t floored; /* log-probabilities below -100 that this thread has read (spec 1.1) */
    alcore_ctx *ctx; /* of the run, which allocated the struct and its chunks */
    /* The stack: arrays lie in chunks one behind the other; chunks are allocated when they are
     * first needed. */
    struct {
        char *bytes;     /* [capacity], owned; NULL: not allocated */
        size_t capacity; /* in bytes */
    } chunks[ALCORE__SCRATCH_CHUNKS];
    alcore__scratch_mark top; /* where the next array is pushed */
};
/* Frees the struct with what it owns, when the passes are made or the run is freed; NULL-safe. ctx
 * is that of the run, the same as worker->ctx, which a worker of NULL does not have. */
void alcore__worker_memory_free(alcore_ctx *ctx, alcore__worker_memory *worker);

void alcore__block_memory_free(alcore__run *run, alcore__block_memory *memory);

#endif
