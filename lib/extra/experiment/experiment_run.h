/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment that is being done (alcore/extra/experiment.h).
 *
 *   config_tree.c         JSON as a tree
 *   experiment_config.c   the configuration, and
 *   experiment_steps.c    what it says of trainings and measures
 *   experiment_record.c   what the folder was begun with, and whether the configuration still fits
 *   experiment_data.c     the files of the domains
 *   experiment_files.c    paths, leftovers
 *   experiment_run.c      a run: its name, files, models and events
 *   experiment_select.c   the selection of a round
 *   experiment_train.c    its training set and its model
 *   experiment_program.c  programs that train and measure, and
 *   experiment_placeholders.c  what stands for paths in them
 *   experiment_measure.c  its measures and its record
 *   experiment_results.c  the tables of all runs so far,
 *   experiment_table.c    statistics over seeds, and
 *   experiment_page.c     their curves and the page
 *   experiment.c          the call, the runs and their locks
 *
 * A round is four files and a model, each made by one step from files of earlier steps and of
 * earlier rounds. A step whose file is there is left out:
 *
 *   select    selection.tsv   items, by the model of the round before
 *   answer    answers.tsv     their references
 *   mix       train.tsv       the pairs of all rounds so far
 *   train     model           a file or a folder
 *   evaluate  record.json     measures, digests of the files; the round is done
 *
 * Words of this room:
 *
 *   shared    rounds that all strategies have in common, as they come before the strategies differ:
 *             round 0, where "zero" asks for it, and round 1, where "first" names its strategy.
 *             They are a run of their own, which the others wait for */
#ifndef ALCORE__EXPERIMENT_RUN_H
#define ALCORE__EXPERIMENT_RUN_H

#include "alcore/extra/annotation.h"
#include "alcore/pool.h"
#include "alcore/request.h"
#include "base/path.h"
#include "extra/experiment/experiment_config.h"

#define ALCORE__EXPERIMENT_SHARED "shared"
enum { ALCORE__PATH_BYTES = 4096 };

typedef struct alcore__experiment {
    alcore_ctx *ctx;
    const alcore_experiment_options *options;
    alcore_experiment_result *made;
    alcore__experiment_config config;
    alcore__buffer base;              /* folder of the configuration, an absolute path */
    alcore__buffer folder;            /* of the experiment, an absolute path */
    alcore__arena arena;              /* of the settings */
    struct alcore__setting *settings; /* [setting_count] owned, sorted by name */
    size_t setting_count, setting_capacity;
    int64_t shown_ns; /* when the results were written last; 0: not yet */
} alcore__experiment;

/* One run. */
typedef struct alcore__experiment_run {
    alcore__experiment *all;
    const alcore__experiment_domain *domain;
    const alcore__experiment_strategy *strategy; /* NULL: the shared rounds */
    const char *budget;
    uint64_t seed;
    alcore__buffer name;                    /* DOMAIN/BUDGET/seed-SEED/STRATEGY */
    char settings[ALCORE__HASH_TEXT_BYTES]; /* digest of what the run depends on */
    alcore_pool *pool, *test, *target;      /* NULL: not read yet, or there is none */
    int lock;                               /* descriptor; -1: not taken */
} alcore__experiment_run;

/* ---- experiment_files.c ---- */

/* Empties a buffer and writes a path to it; formatted. */
alcore_status alcore__experiment_path(alcore_ctx *ctx, alcore__buffer *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Writes a path of the configuration, which is relative to its folder. */
alcore_status alcore__experiment_absolute(const alcore__experiment *self, const char *path,
                                          alcore__buffer *out);
/* Makes a folder with those above it. */
alcore_status alcore__experiment_make_folders(alcore_ctx *ctx, const char *path);
/* Removes what killed processes have left in a folder: temporary files, and models that are not
 * whole, whose names begin with "model.part-". */
void alcore__experiment_clean(alcore_ctx *ctx, const char *folder);

/* ---- experiment_record.c ---- */

/* Compares the configuration with the one that the folder was begun with, which is written where
 * there is none or the new one adds to it. */
alcore_status alcore__experiment_check_settings(alcore__experiment *self);
/* Writes the digest of all settings that a run depends on. */
alcore_status alcore__experiment_run_settings(alcore__experiment_run *run);

/* ---- experiment_data.c ---- */

/* Writes the files of the domains of which only some records are used. */
alcore_status alcore__experiment_cut_files(alcore__experiment *self);
/* The path of a file of a domain; role: "pool", "labeled", "test", "target". Empty: there is
 * none. */
alcore_status alcore__experiment_data_path(const alcore__experiment *self,
                                           const alcore__experiment_domain *domain,
                                           const char *role, alcore__buffer *out);
/* Adds the records of such a file to a pool; nothing where there is none. */
alcore_status alcore__experiment_data_read(const alcore__experiment_run *run, const char *role,
                                           alcore_pool *pool);
/* A pool in which every row stays, whatever it repeats. */
alcore_status alcore__experiment_new_pool(alcore_ctx *ctx, alcore_pool **out);
/* The texts of a pool, as arrays that the caller frees, also after a failure. */
alcore_status alcore__experiment_texts(const alcore_pool *pool, alcore_ctx *ctx,
                                       const char ***texts, size_t **lengths);
/* Reads run->pool, run->test and run->target, unless they are read. */
alcore_status alcore__experiment_read_pools(alcore__experiment_run *run);
/* The labeled pairs that there were, and those of the rounds up to `round`. */
alcore_status alcore__experiment_labeled(const alcore__experiment_run *run, int64_t round,
                                         bool with_first, alcore_pool **out);

/* ---- experiment_run.c ---- */

/* The run of a domain, budget, seed and strategy (NULL: shared). */
alcore_status alcore__experiment_run_of(alcore__experiment *self, int64_t domain, int64_t budget,
                                        int64_t seed, const alcore__experiment_strategy *strategy,
                                        alcore__experiment_run *out);
void alcore__experiment_run_clear(alcore__experiment_run *run);
/* The model that a round selects with: *out NULL: there is none. */
alcore_status alcore__experiment_trained(alcore__experiment_run *run, int64_t round,
                                         alcore_model **out);
/* The name of a model in the folder of its round; NULL: none is made. */
const char *alcore__experiment_model_name(const alcore__experiment_config *config);
/* The path of the model of the round before, or of the one before all rounds; empty: there is
 * none. */
alcore_status alcore__experiment_previous(const alcore__experiment_run *run, int64_t round,
                                          alcore__buffer *out);
/* The path of a file of a round, which is the shared run's for its rounds. */
alcore_status alcore__experiment_file(const alcore__experiment_run *run, int64_t round,
                                      const char *file, alcore__buffer *out);
/* The last shared round, -1: there is none. */
int64_t alcore__experiment_shared_rounds(const alcore__experiment_config *config);
/* The number of the first round: 0 or 1. */
int64_t alcore__experiment_first_round(const alcore__experiment_config *config);
/* Writes an event. */
alcore_status alcore__experiment_event(const alcore__experiment_run *run, int64_t round,
                                       const char *step, const char *name, double value);

/* ---- the steps; each makes its file where it is not there ---- */

/* *out_items: of the selection. */
alcore_status alcore__experiment_select(alcore__experiment_run *run, int64_t round,
                                        int64_t *out_items);
alcore_status alcore__experiment_answer(alcore__experiment_run *run, int64_t round);
/* *out: the items of all rounds with their answers. */
alcore_status alcore__experiment_annotations(alcore__experiment_run *run, int64_t round,
                                             alcore_annotations **out);
alcore_status alcore__experiment_mix(alcore__experiment_run *run, int64_t round);
alcore_status alcore__experiment_train(alcore__experiment_run *run, int64_t round);
/* items 0: the round ended the run, as there was nothing left to select. */
alcore_status alcore__experiment_measure(alcore__experiment_run *run, int64_t round, int64_t items);

/* Runs a command of the configuration in its folder. name: "train" or "evaluate", of its log;
 * model: the path for {model}. *output: what it wrote to its standard output, or to {out} where the
 * command has that. */
alcore_status alcore__experiment_command(alcore__experiment_run *run, int64_t round,
                                         const char *name, const alcore__node *command,
                                         const char *model, alcore__buffer *output);

/* ---- experiment_placeholders.c ---- */

enum { ALCORE__MOST_ARGUMENTS = 256 }; /* of a command */
/* The placeholder at text, which begins with {: its number, and *length with both braces. -1: there
 * is none; -2: it is not known. */
int alcore__placeholder_at(const char *text, size_t *length);
const char *alcore__placeholder_name(int number);
/* Whether a command has a placeholder. */
bool alcore__experiment_has(const alcore__node *command, const char *placeholder);
/* Checks the placeholders of a command. */
alcore_status alcore__experiment_check_command(const alcore__tree *tree, const alcore__node *node,
                                               const char *where);

/* ---- experiment_results.c ---- */

/* The columns of metrics.tsv before the measures, and the first of those of what was bought: items,
 * words, cost. */
enum { ALCORE__METRICS_BOUGHT = 5, ALCORE__METRICS_COLUMNS = 8 };
extern const char *const alcore__metrics_columns[ALCORE__METRICS_COLUMNS];

/* Writes the tables, curves and the page of all rounds that are done. now false: only where this
 * was long ago. */
alcore_status alcore__experiment_show(alcore__experiment *self, bool now);

#endif
