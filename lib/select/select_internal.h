/* SPDX-License-Identifier: Apache-2.0 */
/* Answering a request, alcore_select(): what the files of this room share.
 *
 *   select.c            locks, and which of the two answers it is
 *   request_answer.c    that of one strategy: phrases, masks, columns, run, selection; its steps
 *                       are in the files of answering.h
 *   request_hybrid.c    that of a hybrid: two such answers under one budget
 *   request_phrases.c   a pool of phrases in place of a pool of texts
 *   request_columns.c   a column for every need: one that is there, or one that a model makes
 *   request_reuse.c     columns with values of earlier rounds, with the option max_age
 *   request_given.c     what the caller named, against what the call reads
 *
 * The request is locked for writing during a call. Its pools are locked for reading only by turns,
 * as models add columns to them and take the locks for that themselves: a function that may run a
 * model is called "without locks", any other that reads a pool "with locks", between
 * alcore__request_read_pools() and alcore__request_leave_pools().
 *
 * A part of a hybrid, a request over phrases and one over the target are answered by a copy of the
 * caller's struct. A copy borrows all that the original has, is never released, and shares its
 * control, counter and read; what it has of its own is said where it is made.
 *
 * Words of this room:
 *
 *   resolve     to find a column for each need, and to have it made where there is none
 *   given       made by the caller: by no model, and not with a derived pool
 *   named       a caller who sets a model or gives a column names what the values come from
 *   built in    made by the n-gram model because neither a model nor a column was named
 *   texts       rows of the pool that phrases are derived from
 *   drawn       the candidates that candidates=N leaves, which sticky=1 keeps for the next round
 *   earlier     of a value: computed by the model of a round before, so stale
 *   mixture     a column of which some values are the present model's, others earlier ones */
#ifndef ALCORE__SELECT_INTERNAL_H
#define ALCORE__SELECT_INTERNAL_H

/* alcore__chosen: a column and its maker, the model that makes it now (NULL: the pool has it);
 *     `use` says after the run how many rows were computed, in how many seconds, and whether the
 *     cache could not keep them (lost). alcore__model_run_chosen() has the makers make theirs,
 *     alcore__model_run() one model its columns; both put them into the pool.
 * alcore__wanted: mask [rows], 1 for the rows of a pool that a model is to compute.
 * alcore__cache: folder ("": none) and the age in seconds after which values are computed again
 *     (max_age, NaN: never); `use` adds up as above.
 * alcore__rounds: the files of a cache with values of earlier rounds; its max_age counts rounds.
 *     alcore__rounds_merge() puts these into a writer, in which rows keep what they have,
 *     alcore__rounds_save() keeps those of a writer as the present round's.
 * A model without a name has no cache, as nothing tells its columns from those of another. */
#include "model/model_internal.h"
/* alcore__column_name_input(i), i < ALCORE__COLUMN_INPUTS: the columns that users and models give,
 *     such as "logprobs" and "embeddings"; request->column_models has the same index.
 * alcore__need_names(need, name): `name` is one of the alternatives of a need.
 * A column writer collects values of rows and makes them a column when it is finished:
 *     alcore__column_writer_has() tells whether it has a row, _want() which rows it asks for then,
 *     _copy() puts those of a column. */
#include "pool/column_names.h"
#include "pool/pool_internal.h"
/* alcore__derive_phrases() makes a pool whose rows are the phrases of another; use [rows] says what
 *     each row of the texts counts as: ALCORE__PHRASE_UNLABELED, its phrases are candidates;
 *     _LABELED, they are known; _ABSENT, it is not read.
 * alcore__phrase_counter: the sorted words of the texts, kept from one such call to the next, in
 *     which rows only change what they count as. It changes the time, not the phrases. */
#include "phrase/phrase_pool.h"
/* alcore_request: candidates, labeled, target, excluded: its pools, NULL where one is not set;
 *     lists[ALCORE__LIST(kind)]: the rows of the candidates that it names as eligible, labeled,
 *     excluded or like; budgets.amounts [count], no two equal, all in one unit; last, previous: the
 *     drawn candidates of the last answered round and of the one before it (round 0: none);
 *     drawn_rows: something else, what alcore_request_candidates() handed out last.
 * alcore__masks: masks of the rows that take part, made under one lock: candidate_mask and
 *     labeled_rows of the candidates' pool, labeled_mask, target_mask of the other pools, the
 *     number of rows with 1 in each, and `eligible`, the candidates before candidates=N.
 *     target_languages counts in the tags of the target, another list than the candidates' tags.
 * alcore__resolution: entries [count], the columns that were resolved, of all roles.
 * alcore__run_input: what a strategy's run is given: datasets, costs, languages, budgets (fill).
 * alcore__strategy_buys_phrases(), _is_sticky(), and of alcore__strategy_def_of() `phrase_measures`
 *     (the phrases get scores and embeddings from columns of their texts), `needs_are_given` (no
 *     model makes what it needs) and `gather`: what its definition and parameters say.
 *     alcore__strategy_part(): 0 or 1 of a hybrid, NULL: it is none, and alcore__hybrid_shares how
 *     the budget is shared: `ratio` of it for the rows, whether the phrases get what these left
 *     (carry), and whether what they bought counts as known (cover).
 * alcore__masks_new() makes the masks of locked pools; a target of NULL has none.
 * alcore__check_roles() refuses a target or rows that the strategy does not read, or lacks.
 * alcore__request_from_target(): a copy of the request, not set unless the strategy picks there.
 * alcore__list_languages(): *out [rows], owned by the caller, by tag in byte order.
 * alcore__measure_phrases(): gives phrases their two columns, from columns of their texts that were
 *     resolved in the order of alcore__phrase_measure_needs, then alcore__phrase_links.
 * alcore__strategy_run(): fills an outcome; alcore__selection_new(): moves it into the selections
 *     of all budgets, and alcore__selection_join() makes that of both parts of a hybrid. */
#include "request/text_masks_shards.h"
#include "selection/selection_internal.h"
#include "strategy/budget/nominees.h"
#include "strategy/rules/token_gather.h"

/* ---- the answer (request_answer.c, request_hybrid.c) ---- */

/* Answers a request that the caller has locked for writing, whichever its strategy is: *out has one
 * reference and owns the selections of the other budgets; it is set on success only. Called by
 * alcore_select(), for each value of a parameter by an ablation, and for each strategy by a
 * comparison. request->read is NULL, or gets what was read. */
alcore_status alcore__request_select(alcore_request *request, alcore_selection **out);
/* The same for a strategy that is no hybrid, and for each part of one. */
alcore_status alcore__request_answer(alcore_request *request, alcore_selection **out);
/* The same for a hybrid. */
alcore_status alcore__request_answer_hybrid(alcore_request *request, alcore_selection **out);
/* Fills in a copy of a hybrid's request that buys the sentences alone, with their share of each
 * budget; it borrows all that the request has. */
void alcore__hybrid_sentences(alcore_request *request, alcore_request *out);
/* Answers a hybrid's request whose sentences were bought already: the outcome of their strategy
 * over the candidates, whose contents move; costs [rows of the candidates], NULL: each costs 1.
 * columns: those that it has read, of which those of the candidates lie in shards. */
alcore_status alcore__request_join_hybrid(alcore_request *request, const double *costs,
                                          const alcore__resolution *columns,
                                          alcore__outcome *outcome, alcore_selection **out);

/* An answer that has come to the run of its strategy, with what that reads: the pools of the
 * request stay locked for reading, and the request is not needed any more. */
typedef struct alcore__held_answer alcore__held_answer;
/* The input of the run: rows are those of the shard. */
const alcore__run_input *alcore__held_answer_input(const alcore__held_answer *held);
const alcore_strategy *alcore__held_answer_strategy(const alcore__held_answer *held);
/* The columns that the strategy reads of the pools of the request. */
const alcore__resolution *alcore__held_answer_columns(const alcore__held_answer *held);
void alcore__held_answer_free(alcore__held_answer *held);

/* What a job over shards (lib/extra/job) asks of a request whose candidates are a shard, in place
 * of a selection. Of a hybrid it is asked of the part that buys sentences. */
enum {
    ALCORE__SHARD_TEXTS,    /* out: what the option masks reads of its texts */
    ALCORE__SHARD_MASKS,    /* left_out: which rows the option masks leaves out, by `parts` */
    ALCORE__SHARD_COUNT,    /* eligible: its candidates before candidates=N; kept */
    ALCORE__SHARD_NOMINEES, /* nominees */
    ALCORE__SHARD_GATHER,   /* out: what the strategy reads of its texts */
    ALCORE__SHARD_SPEND, /* outcome, costs: what is bought of the rows of all shards, by `parts` */
    ALCORE__SHARD_HOLD   /* held: what a run over all shards reads of it */
};
typedef struct alcore__shard_answer {
    int32_t wanted; /* ALCORE__SHARD_* */
    alcore__place place;
    alcore__shard_rows masked;
    int64_t rows; /* of all shards */
    bool explain; /* the outcome tells what each term of the score decided */
    /* With max_age: what is asked is asked of the candidates that have values of earlier rounds, by
     * these, under refresh_factor times the budget. */
    bool by_earlier;
    /* [rows of the pool] 1: a row that was found so, which this round scores again; borrowed; NULL:
     * none was */
    const uint8_t *refreshed;
    alcore__shard_parts parts;
    const alcore__column *embeddings; /* of all candidates, for SPEND with max_similarity; borrowed;
                                         NULL: they are not compared */
    alcore_pool *texts;        /* of all shards, for n-gram models; borrowed; NULL: none is asked */
    uint8_t *left_out;         /* [rows of the pool] zeros, borrowed */
    int64_t eligible, kept;    /* out: kept, of the round before, as sticky=1 may keep */
    alcore__buffer out;        /* out, owned by the caller, as are: */
    alcore__held_answer *held; /* out */
    bool any;                  /* out, with `held`: a row may be selected, with a NaN or without */
    alcore__nominees nominees; /* out */
    alcore__outcome outcome;   /* out */
    double *costs;             /* [rows] out: of all rows; NULL: each costs 1 */
    uint8_t *drawn; /* [rows of the pool] out: its candidates, with sticky=1; else NULL */
} alcore__shard_answer;
/* Answers the question of a job, whose request the caller has locked for writing; after a failure
 * nothing is owned (select.c). */
alcore_status alcore__request_answer_shard(alcore_request *request, alcore__shard_answer *shard);
/* The same for a strategy that is no hybrid, and for the sentences of one; after a failure what the
 * answer owns stays. */
alcore_status alcore__answer_shard(alcore_request *request, alcore__shard_answer *shard);

/* ---- phrases (request_phrases.c) ---- */

/* *out: whether the candidates are phrases already, derived or made by hand. Every decision between
 * texts and phrases asks here. Called without locks: it takes and leaves that of the candidates. */
alcore_status alcore__candidates_are_phrases(const alcore_request *request, bool *out);
/* Derives the pool of phrases that the strategy buys from the candidates, which are texts: *out, a
 * reference of the caller; NULL where the strategy buys rows. *texts: how many rows the texts have
 * and how many were masked for each cause; its columns stay. Called with locks. */
alcore_status alcore__request_phrases(const alcore_request *request,
                                      const alcore_strategy *strategy, alcore__text_rows *texts,
                                      alcore_pool **out);
/* Sets request->counter for a call that may derive phrases several times: with keep_phrases=1 to
 * the counter that the request keeps from call to call, else to `own`, which the caller clears
 * (NULL: none). One that an outer call has set stays. Returns the counter that was set before; the
 * caller puts it back when it ends. */
alcore__phrase_counter *alcore__request_share_phrases(alcore_request *request,
                                                      alcore__phrase_counter *own);

/* ---- values of earlier rounds (request_reuse.c) ---- */

/* A column of the candidates that is to be a mixture. */
typedef struct alcore__reused {
    char name[ALCORE__NEED_BYTES]; /* of the column */
    alcore_model *model;           /* that makes it now; one reference */
    alcore__reuse_use use;         /* candidates by where their values come from */
    double seconds;                /* that computing took */
    bool lost;                     /* what was computed could not be kept in the cache */
} alcore__reused;

/* The mixtures of one call, in the order: begin, takes and add for each column while columns are
 * resolved, refresh, report, clear. */
typedef struct alcore__reuse {
    alcore_pool *pool;               /* of the candidates, borrowed */
    const alcore_strategy *strategy; /* borrowed */
    int64_t rows;                    /* of the pool */
    double factor;                   /* the option refresh_factor */
    alcore__rounds files;            /* max_age 0: nothing is reused */
    int32_t count;
    alcore__reused columns[ALCORE__DATASET_COLUMNS]; /* [count] used */
    uint8_t *has; /* [rows] 1: earlier rounds have a value of every column; NULL without a column */
} alcore__reuse;

/* Reads the options. Without max_age alcore__reuse_takes() is false for every column, and the
 * others have nothing to do. rows: of the candidates' pool, as the masks have it. */
void alcore__reuse_begin(const alcore_request *request, const alcore_strategy *strategy,
                         int64_t rows, alcore__reuse *out);
/* Whether a column that the model would compute becomes a mixture. A warning is logged where only
 * the cache stands against it. */
bool alcore__reuse_takes(const alcore__reuse *reuse, const alcore_model *model, const char *column);
/* Takes the column: the pool gets the earlier values as a column, which the next run is to choose
 * rows by, and reuse->has is narrowed to the rows that have one. A column that was taken before is
 * not taken again. Called without locks. */
alcore_status alcore__reuse_add(alcore__reuse *reuse, alcore_model *model, const char *column);
/* Makes all mixtures: the model computes the rows with refreshed [rows] 1, all of them candidates,
 * and the other candidates keep earlier values. candidates [rows]: 1 for the candidates of the
 * round, as drawn; none of them is left without a value. cache_max_age: the option, seconds or NaN.
 * Called without locks. */
alcore_status alcore__reuse_refresh(alcore__reuse *reuse, const uint8_t *refreshed,
                                    const uint8_t *candidates, double cache_max_age);
/* Writes how many values were reused to the candidates' entries of the resolution, for summary and
 * provenance; called once all mixtures are made. */
void alcore__reuse_report(const alcore__reuse *reuse, alcore__resolution *resolution);
void alcore__reuse_clear(alcore_ctx *ctx, alcore__reuse *reuse);

/* ---- columns (request_columns.c) ---- */

/* Resolves the needs of the strategy in the pools of all roles: *out. Called without locks, after
 * the masks are made: models compute only rows that take part by them. with_embeddings: the
 * similarity limit needs the candidates' embeddings, whatever the strategy reads. reuse: takes
 * columns with earlier values, which are made later (alcore__reuse_refresh()). ALCORE_E_MISSING,
 * mostly with a remedy, for the first need that nothing meets; columns that were made before it
 * stay in the pools. */
alcore_status alcore__resolve_columns(alcore_request *request, const alcore_strategy *strategy,
                                      const alcore__masks *masks, bool with_embeddings,
                                      alcore__reuse *reuse, alcore__resolution *out);
/* Resolves needs [a list that ends with NULL] in all rows of the candidates: *out has one entry a
 * need, in their order, so no two needs may name the same column. Called without locks, before
 * phrases are derived from the candidates, for the columns by which phrases are measured. */
alcore_status alcore__resolve_needs(alcore_request *request, const char *const *needs,
                                    alcore__resolution *out);
/* Adds a column of the candidates behind the entries of *out where the pool has it; no model is
 * asked. Called without locks. */
alcore_status alcore__resolve_given(alcore_request *request, const char *name,
                                    alcore__resolution *out);
/* Adds the columns that were resolved for a role to the dataset of its pool, which borrows the
 * columns of the pool and the names of the resolution; with_reused: those with values of earlier
 * rounds too. Called with locks. */
alcore_status alcore__resolution_fill(const alcore__resolution *resolution, int32_t role,
                                      const alcore_pool *pool, bool with_reused,
                                      alcore__dataset *dataset);

/* The column of a need that the built-in n-gram model makes: a static name; NULL: it makes none. */
const char *alcore__ngram_column(const char *need);

/* ---- what was named, and what is read (request_given.c) ---- */

enum { ALCORE__READ_MAX = 32 };

/* The columns that a call has read, of all its parts. */
struct alcore__read_columns {
    int32_t count;
    struct {
        int32_t role;
        char name[64];
    } entries[ALCORE__READ_MAX]; /* [count] used; columns beyond are not noted */
    bool made;                   /* a model made one of them, now or in an earlier call */
    bool from_target;            /* the candidates are the rows of the target */
    bool in_parts;               /* a hybrid: only after both parts it is known what was read */
};

/* Whether the built-in n-gram model made the column. */
bool alcore__column_is_built_in(const alcore__column *column);
/* Whether a model of the request is an n-gram model, and the same for whether one of them learns
 * from the pool whose columns it makes, as it has no labeled pool. */
bool alcore__request_names_ngram(const alcore_request *request);
bool alcore__request_learns(const alcore_request *request);
/* *out: whether the request names a model, or one of its pools has a column that the built-in model
 * did not make: then that model answers for no column. Called without locks. */
alcore_status alcore__request_names_inputs(const alcore_request *request, bool *out);
/* The column of the pool whose name is most like one of those in a need and has no meaning of its
 * own, as a misspelt one has none; a view, NULL: there is none. Called with locks. */
const char *alcore__similar_column(const alcore_pool *pool, const char *need);
/* Notes in request->read that a column of the pool in a role is read. made: by a model. Called for
 * every column that is resolved. */
void alcore__note_read(const alcore_request *request, int32_t role, const char *name, bool made);
/* Notes in request->read all columns of a resolution, with the pools locked for reading. */
void alcore__note_resolution(const alcore_request *request, const alcore__resolution *columns);
/* Notes in request->read all that a part of the call has read. */
void alcore__note_all(const alcore_request *request, const alcore__read_columns *read);
/* ALCORE_E_INVALID for a column of the option "given" that nothing has read, and for "model" in it
 * where no model made a column of the call. Called when all columns are resolved. */
alcore_status alcore__check_given(const alcore_request *request, const alcore_strategy *strategy);
/* The same for a hybrid, once both parts have read what they read; a budget of 0 asks for no
 * column. */
alcore_status alcore__check_given_in_parts(const alcore_request *request);
/* Fails as alcore_select() would where the request lacks a target that its strategy, which is set,
 * needs, or has one that it does not read, and where a column is neither there nor made by a model;
 * no model is run. Of a hybrid its sentences are asked for. Called without locks. */
alcore_status alcore__check_inputs(alcore_request *request);
/* Logs what the request had and the recommended strategy did not read, if anything. */
void alcore__log_ignored(const alcore_selection *selection);

#endif
