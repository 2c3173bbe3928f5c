/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Experiments from one file: strategies x seeds x budgets x domains, each a run of rounds in which
 * items are selected, answered from references or labels, trained on and measured
 * (docs/experiments.md has the members of the file and what the folder gets).
 *
 * An experiment may be killed at any instant: each step's files appear whole or not at all, and the
 * same call goes on and ends with the same bytes. Any number of processes may work on one folder:
 * each takes runs that no other one works on, and a process that dies holds nothing. */
#ifndef ALCORE_EXTRA_EXPERIMENT_H
#define ALCORE_EXTRA_EXPERIMENT_H

#include "alcore/context.h"

ALCORE_BEGIN

/** What an experiment is told beside its file. Zero means default. */
typedef struct alcore_experiment_options {
    size_t size; /**< sizeof(alcore_experiment_options) */
    /** Called with each event on the calling thread, before it is written: a JSON object without a
     * line break, as events.jsonl has it; line is valid during the call. Anything but ALCORE_OK
     * ends the experiment, as does a failure of a step. NULL: not wanted */
    alcore_status (*event)(void *user, const char *line);
    void *event_user; /**< first argument of event */
    /** Borrowed: the folder that paths of the configuration are relative to, and that its commands
     * work in; NULL: the configuration's */
    const char *base;
    int32_t keep_going; /**< 1: after a failure the other runs are done, and the first failure is
                             returned at the end; 0: it ends the experiment */
    int32_t reserved;   /**< pads: 0, checked */
} alcore_experiment_options;
/** An alcore_experiment_options with its size set and everything else 0. */
#define ALCORE_EXPERIMENT_OPTIONS_INIT ALCORE_INIT(alcore_experiment_options)

/** What a call did. */
typedef struct alcore_experiment_result {
    size_t size;    /**< sizeof(alcore_experiment_result) */
    int64_t runs;   /**< runs that the file asks for, each one domain, budget, seed and strategy */
    int64_t rounds; /**< rounds that this call made; rounds that strategies share count once */
    int64_t failed; /**< runs that failed, with keep_going */
} alcore_experiment_result;
/** An alcore_experiment_result with its size set and everything else 0. */
#define ALCORE_EXPERIMENT_RESULT_INIT ALCORE_INIT(alcore_experiment_result)

/** Does what is left of an experiment: all runs of the configuration that are not done yet. When it
 * returns ALCORE_OK all runs are done, those of other processes too, and the folder has
 * metrics.tsv, table.tsv, the curves and report.html of all of them. A configuration that differs
 * from the one that the folder was begun with is refused, unless it only adds strategies, seeds,
 * budgets, domains or rounds, or changes its name or the baseline.
 * @param[in] ctx kept during the call
 * @param[in] config borrowed: path of the configuration, JSON; paths in it are relative to its
 *   folder
 * @param[in] folder borrowed: it is made where there is none
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out NULL: not wanted; else its size is read, the rest is filled, also after a
 *   failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_DATA (the configuration: names file, line and
 *   member; a file of it; what an evaluation printed; a damaged record), ALCORE_E_PARAM (the folder
 *   was begun with another configuration: names what differs), ALCORE_E_CALLBACK (a command ended
 *   with another status than 0: names it and its last words) or what event returned,
 *   ALCORE_E_UNSUPPORTED (a context with a file table of its own; a model without the engine), what
 *   alcore_select(), alcore_annotations_simulate(), alcore_mix_new(), alcore_lm_new_trained() and
 *   alcore_model_train() return, ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback event, progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_experiment_run(alcore_ctx *ctx, const char *config,
                                               const char *folder,
                                               const alcore_experiment_options *options,
                                               alcore_experiment_result *out);

ALCORE_END

#endif
