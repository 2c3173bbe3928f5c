/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Selection over rows that lie on several machines: a job for each shard, with the picks of one
 * machine that has all rows (docs/distributed.md). Whoever runs the jobs, such as Slurm, Spark or a
 * program of MPI, carries bytes between them; the library opens no connection.
 *
 *     every shard:  alcore_job_step()       works on its rows and ends with a message, or is done
 *     anyone:       alcore_job_fold_add()   the messages of all shards become one, in any order
 *     every shard:  alcore_job_deliver()    takes that one, and steps again
 *
 * The exchanges are, by the request: all texts, where phrases are bought, or else only hashes of
 * them, where texts may not repeat; what the option "masks" compares; the number of candidates,
 * where rows are drawn; the texts, where an n-gram model without a labeled pool makes columns,
 * which then learns from those of all shards; then the nominees of a strategy whose scores depend
 * on the row alone; of one that compares texts with those of all shards, their tokens; or, of one
 * that compares rows by passes over them or draws by languages, the rows that may be bought and a
 * message for each pass, which may be one for each pick.
 *
 * A message that is lost, stale, cut off or of other data is an error of the call that is given it,
 * and leaves the job as it was; one that is given twice, or made again by a task that was repeated,
 * changes nothing.
 *
 * A pass changes what a job keeps of its rows: where one has failed, for want of memory or by a
 * cancel, the job is over, and a new one of the same shard takes the messages that were delivered
 * before. From the exchange of rows on until it is done or released a job reads the pools of its
 * request; calls that change these pools meanwhile end with ALCORE_E_BUSY.
 *
 * alcore_job_serves() tells which strategies jobs serve; the recommended one is among them. */
#ifndef ALCORE_EXTRA_JOB_H
#define ALCORE_EXTRA_JOB_H

#include "alcore/request.h"
#include "alcore/selection.h"

ALCORE_BEGIN

/** The part of a selection that one shard works on. */
typedef struct alcore_job alcore_job;
/** Messages of the same exchange that become one. */
typedef struct alcore_job_fold alcore_job_fold;

/** What a step of a job ended with. */
enum alcore_job_state {
    ALCORE_JOB_FOLD = 7301, /**< a message, to be folded with those of the other shards */
    ALCORE_JOB_DONE = 7302  /**< the picks */
};

/** Where the rows of a shard lie. */
typedef struct alcore_job_options {
    size_t size;       /**< sizeof(alcore_job_options) */
    int64_t first_row; /**< number of the shard's first row among the rows of all shards, from 0 */
    int64_t rows;      /**< rows of all shards; 0: the shard is the only one */
    /** Borrowed: what the data is called, such as its version or a hash of its files. Messages of
     * jobs with another name are refused. NULL: "" */
    const char *dataset;
} alcore_job_options;
/** An alcore_job_options with its size set and everything else 0. */
#define ALCORE_JOB_OPTIONS_INIT ALCORE_INIT(alcore_job_options)

/** Whether jobs serve a strategy.
 * @param[in] strategy borrowed: the name of a built-in strategy; NULL: the recommended one
 * @return 1 or 0; 0 for a name that is none
 * @threadsafe
 * @since 1.1 */
ALCORE_API int32_t alcore_job_serves(const char *strategy);

/** Makes the job of a shard: the rows of the pool of candidates of a request. Every shard has a
 * request with the same strategy and options, and the same labeled and excluded texts; columns,
 * models and lists of rows are of the shard.
 * @param[in] request kept: is not changed while the job is used, but for columns that models make
 * @param[in] options borrowed; NULL: the shard is the only one
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (no pool of candidates; a place outside the rows of all
 *   shards), ALCORE_E_PARAM (no budget), ALCORE_E_UNSUPPORTED (a strategy that jobs do not serve:
 *   names it; a pool of phrases), ALCORE_E_MISSING (neither a column nor a model was given, or a
 *   target is missing), ALCORE_E_IO (the file of a plan), ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe ALCORE_E_BUSY while another call uses the request
 * @since 1.1 */
ALCORE_API alcore_status alcore_job_new(alcore_request *request, const alcore_job_options *options,
                                        alcore_job **out);

/** Takes another reference.
 * @param[in] job the handle; NULL is allowed
 * @return owned: job itself; NULL for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_job *alcore_job_ref(alcore_job *job);

/** Drops a reference; the last one releases the job.
 * @param[in] job the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.1 */
ALCORE_API void alcore_job_unref(alcore_job *job);

/** Works on the shard up to the next exchange, on the threads of the context; a step that was made
 * already has the same end again. Cancelling the request or the context ends the call, and the step
 * may be made again, unless it had begun a pass.
 * @param[in,out] job the job
 * @param[out] out_state ALCORE_JOB_*; 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (the request was changed, or rows were added to its pool; a
 *   pass has failed), ALCORE_E_PARAM, ALCORE_E_MISSING, ALCORE_E_DATA, ALCORE_E_SHAPE,
 *   ALCORE_E_UNSUPPORTED (a column that the n-gram model has made of the shard alone; one by which
 *   phrases are measured, and that lacks a row of the shard), ALCORE_E_CALLBACK, ALCORE_E_MODULE,
 *   ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY: as alcore_select()
 * @threadsafe ALCORE_E_BUSY while another call uses the job or its request
 * @callback the model's functions, progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_job_step(alcore_job *job, int32_t *out_state);

/** The message that the last step ended with: bytes, which may be zero.
 * @param[in] job borrowed
 * @param[out] out_length its length in bytes; 0 without one; NULL: not wanted
 * @return a view, valid until a message is delivered or the job is released; NULL: there is none
 * @threadsafe
 * @since 1.1 */
ALCORE_API const char *alcore_job_message(const alcore_job *job, size_t *out_length);

/** Takes the message into which those of all shards were folded: of the exchange that the job has
 * come to, whether it has made its own step or not, so that a new job of the shard goes on where
 * another one ended. One that was delivered before is ignored.
 * @param[in,out] job the job; as it was on failure
 * @param[in] message borrowed: bytes
 * @param[in] length bytes
 * @return ALCORE_OK, ALCORE_E_CORRUPT (no message, cut off or damaged), ALCORE_E_INVALID (of
 *   another version, request, dataset or exchange: names what differs; the request was changed; the
 *   job is done), ALCORE_E_MISSING (rows that no message covers, or the row at which this shard
 *   without rows stands: names them), ALCORE_E_DATA (of other rows of this shard; a labeled pool or
 *   target that differs between shards), ALCORE_E_SHAPE (columns that differ), ALCORE_E_NOMEM,
 *   ALCORE_E_CANCELLED, ALCORE_E_BUSY; where tokens or masks are delivered also as alcore_select()
 * @threadsafe ALCORE_E_BUSY while another call uses the job or its request
 * @callback progress, log
 * @since 1.1 */
ALCORE_API alcore_status alcore_job_deliver(alcore_job *job, const char *message, size_t length);

/** How many budgets the request had, once the job is done.
 * @param[in] job borrowed: what alcore_job_new() made
 * @return 1 or more; 0 before the job is done, and for NULL; 1 for what alcore_job_of_budget()
 *   showed
 * @threadsafe
 * @since 1.1 */
ALCORE_API int64_t alcore_job_budget_count(const alcore_job *job);

/** The picks of one of the request's budgets, in the order given: a handle for the calls below,
 * which has no message and takes none.
 * @param[in] job borrowed: what alcore_job_new() made
 * @param[in] index from 0, which is job itself
 * @return a view, valid until job is released; alcore_job_ref() keeps it longer; NULL past the
 *   last, and before the job is done
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_job *alcore_job_of_budget(const alcore_job *job, int64_t index);

/** The picks of a job that buys what is no row of a shard, as a selection: of phrases, of sentences
 * and phrases, or of rows of the target, as alcore_select() makes them on one machine. Its pool has
 * the texts of the picks, and its columns and reasons are those of one machine; of a hybrid the
 * provenance of the sentences names no column of the pool, as these lie in the shards.
 * @param[in] job borrowed; what alcore_job_of_budget() showed has the selection of that budget
 * @return a view, valid until the job is released; alcore_selection_ref() keeps it longer; NULL
 *   before the job is done, and where the picks are rows of shards
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_selection *alcore_job_selection(const alcore_job *job);

/** The number of picks of all shards, by the first budget of several.
 * @param[in] job borrowed
 * @return 0 or more; 0 before the job is done, and for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API int64_t alcore_job_pick_count(const alcore_job *job);

/** Rows of the picks of all shards, best first. Those of this shard are its first_row and more, up
 * to the rows of its pool. Where there is an alcore_job_selection(), they are rows of the
 * pool of that selection.
 * @param[in] job borrowed
 * @return a view: int64 [count], host, valid until the job is released; NULL before it is done
 * @threadsafe
 * @since 1.1 */
ALCORE_API const int64_t *alcore_job_rows(const alcore_job *job);

/** Scores of the picks, in rank order.
 * @param[in] job borrowed
 * @return a view: float64 [count], host, valid until the job is released; NULL before it is done
 * @threadsafe
 * @since 1.1 */
ALCORE_API const double *alcore_job_scores(const alcore_job *job);

/** Costs of the picks in the budget's unit, in rank order.
 * @param[in] job borrowed
 * @return a view: float64 [count], host, valid until the job is released; NULL before it is done
 * @threadsafe
 * @since 1.1 */
ALCORE_API const double *alcore_job_costs(const alcore_job *job);

/** Sum of the costs.
 * @param[in] job borrowed
 * @return units of the budget; 0 before the job is done, and for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API double alcore_job_spent(const alcore_job *job);

/** Flags of the whole selection.
 * @param[in] job borrowed
 * @return ALCORE_SELECTION_SHORT or 0; 0 before the job is done, and for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API uint32_t alcore_job_flags(const alcore_job *job);

/** Makes an empty fold.
 * @param[in] ctx kept
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_status alcore_job_fold_new(alcore_ctx *ctx, alcore_job_fold **out);

/** Takes another reference.
 * @param[in] fold the handle; NULL is allowed
 * @return owned: fold itself; NULL for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_job_fold *alcore_job_fold_ref(alcore_job_fold *fold);

/** Drops a reference; the last one releases the fold.
 * @param[in] fold the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.1 */
ALCORE_API void alcore_job_fold_unref(alcore_job_fold *fold);

/** Adds a message: of a shard, or the message of another fold. The order and the grouping of
 * messages have no influence, and rows that are covered already, by the same bytes, add nothing.
 * @param[in,out] fold the fold; as it was on failure
 * @param[in] message borrowed: bytes
 * @param[in] length bytes
 * @return ALCORE_OK, ALCORE_E_CORRUPT (no message, cut off or damaged; two that disagree about the
 *   same rows), ALCORE_E_INVALID (of another version, request, dataset or exchange: names what
 *   differs; of rows that overlap with others), ALCORE_E_BUSY
 * @threadsafe ALCORE_E_BUSY while another call uses the fold
 * @since 1.1 */
ALCORE_API alcore_status alcore_job_fold_add(alcore_job_fold *fold, const char *message,
                                             size_t length);

/** The message of all that were added.
 * @param[in] fold borrowed
 * @param[out] out_length its length in bytes; 0 without one; NULL: not wanted
 * @return a view, valid until a message is added or the fold is released; NULL: none was added
 * @threadsafe
 * @since 1.1 */
ALCORE_API const char *alcore_job_fold_message(const alcore_job_fold *fold, size_t *out_length);

ALCORE_END

#endif
