/* SPDX-License-Identifier: Apache-2.0 */
/* A training or an evaluation: work of minutes or days, during which others may change the project.
 * So it is no transaction but two: the first logs that it begins, the second logs what it came to
 * and keeps that. Between them it holds a lock on the file "training.lock", by which there is only
 * one at a time. After a kill the log has the first line alone, which the status tells. */
#ifndef ALCORE__PROJECT_WORK_H
#define ALCORE__PROJECT_WORK_H

#include "alcore/extra/mix.h"
#include "base/path.h"
#include "extra/project/project_internal.h"
#include "extra/training/folder_model.h"
#include "formats/table_writer.h"

/* What is being done. One that has not begun has project, ctx, call, what and a lock of -1. */
typedef struct alcore__project_work {
    alcore_project *project;
    alcore_ctx *ctx;
    const char *call;                /* the public function, for messages */
    const char *what;                /* "train" or "eval", as the log has it */
    alcore_project_work handed;      /* to a function of the host: views of the buffers here */
    int lock;                        /* descriptor; -1: not taken */
    bool waits;                      /* for another writer, as days of work would be lost */
    bool begun;                      /* the log has that it was begun */
    int exit;                        /* of a command that failed; 0: none did */
    alcore__json_out arguments;      /* as the log has them */
    alcore__json_out result;         /* so too */
    alcore__buffer labeled, model;   /* paths */
    alcore__buffer scratch;          /* a temporary folder; empty: there is none */
    alcore__buffer language, device; /* of the settings; empty: not set */
    uint64_t seed;                   /* of the settings */
} alcore__project_work;

/* Takes the lock of trainings: *out is -1 where another one has it. */
alcore_status alcore__project_work_lock(const alcore_project *project, int *out);
/* Takes the lock: ALCORE_E_BUSY where another one has it. */
alcore_status alcore__project_work_begin(alcore__project_work *work);
/* Drops the lock and removes what was temporary, whether it began or not. */
void alcore__project_work_end(alcore__project_work *work);

/* A part of the work that is a transaction of its own; data: what the public call was told. */
typedef alcore_status alcore__project_part(alcore__project_work *work, void *data);
/* Runs one, as a call of the project that may save. ALCORE_E_BUSY where another thread or process
 * has the project, unless work->waits. */
alcore_status alcore__project_work_run(alcore__project_work *work, alcore__project_part *part,
                                       void *data);
/* Logs that it begins, with work->arguments. Called within a transaction. */
alcore_status alcore__project_work_log_begin(alcore__project_work *work);
/* Logs what it came to: work->result. Called within a transaction. */
alcore_status alcore__project_work_log_end(alcore__project_work *work);
/* Logs that it failed, with the last error, unless it has not begun or was cancelled. Returns
 * status, and that error stays the last one. */
alcore_status alcore__project_work_log_failure(alcore__project_work *work, alcore_status status);
/* How the last work of this kind stands: *open, it has not ended; *failure, why it failed, emptied
 * first and empty unless it did. Called within a transaction. */
alcore_status alcore__project_work_standing(alcore_project *project, const char *what,
                                            int32_t *open, alcore__buffer *failure);

/* Reads language, device and seed of the settings. Called within a transaction. */
alcore_status alcore__project_work_settings(alcore__project_work *work);
/* How the engine opens the model of a folder; language: of the options, or NULL. */
alcore__model_folder alcore__project_work_folder(const alcore__project_work *work, const char *path,
                                                 const char *language);

/* Adds a command to work->arguments; NULL: nothing. */
void alcore__project_work_put_command(alcore__project_work *work, const char *const *command);
/* Hands out a view of a text, as the project's, once the work is done. */
alcore_status alcore__project_work_tell(alcore__project_work *work, const char *text,
                                        const char **out);
/* Runs a command. output: file for its standard output; NULL: it goes where its standard error
 * goes. */
alcore_status alcore__project_work_command(alcore__project_work *work, const char *const *command,
                                           bool show, const char *output);
/* Calls the function of the host. */
alcore_status alcore__project_work_function(alcore__project_work *work,
                                            alcore_project_function function, void *user,
                                            const char **out);
/* The path of a file in the temporary folder, which is made: "labeled.tsv", "log" or "output"; *out
 * is emptied first. */
alcore_status alcore__project_work_scratch(alcore__project_work *work, const char *name,
                                           alcore__buffer *out);

/* ---- models (project_models.c, project_model_files.c) ---- */

/* Appends the path PROJECT/models/round-N. */
alcore_status alcore__project_model_path(const alcore_project *project, int64_t round,
                                         alcore__buffer *out);
/* Writes the path with a suffix, ".part" or ".old", in place of what *out has. */
alcore_status alcore__project_model_beside(alcore_ctx *ctx, const char *path, const char *suffix,
                                           alcore__buffer *out);
/* Makes PROJECT/models and mends what killed trainings left of the model of a path. *out: where it
 * is to be made. Called within a transaction. */
alcore_status alcore__project_model_prepare(alcore_project *project, const char *path,
                                            alcore__buffer *out);
/* Gives what was made its name; an earlier model stays as round-N.old until the call of
 * alcore__project_model_mend() after the commit. */
alcore_status alcore__project_model_replace(alcore_project *project, const char *made,
                                            const char *path);
/* The digest of a file, or of a folder with the names and bytes of all files in it. */
alcore_status alcore__project_model_digest(alcore_ctx *ctx, const char *path,
                                           char digest[ALCORE__HASH_TEXT_BYTES]);

/* ---- models that the log names (project_kept_models.c) ---- */

/* Where there is a PATH.old: puts it back where the log names its bytes, not those at path, and
 * removes the one that the log does not name. *bytes grows by what is freed. Called within a
 * transaction. */
alcore_status alcore__project_model_mend(alcore_project *project, const char *path, int64_t *bytes);
/* Compares the models that the log names: ALCORE_E_DATA names the first that is not what was made,
 * or is missing. Called within a transaction. */
alcore_status alcore__project_models_verify(alcore_project *project);
/* Removes what killed trainings left in PROJECT/models, unless one runs; *bytes grows by what is
 * freed. Called within a transaction. */
alcore_status alcore__project_models_collect(alcore_project *project, int64_t *bytes);

/* ---- pairs (project_labeled.c) ---- */

/* Writes the pairs that are labeled; with_labeled: those that were there before come first. *count:
 * how many. Called within a transaction. */
alcore_status alcore__project_pairs_write(alcore_project *project, const char *path,
                                          bool with_labeled, int64_t *count);
/* Opens a table of pairs; ALCORE_E_UNSUPPORTED for a file of another format. */
alcore_status alcore__project_pairs_open(alcore_ctx *ctx, const char *path, alcore__table *out);
/* Writes the names of its columns [count], where the format has a line of them. */
alcore_status alcore__project_pairs_begin(alcore__table *table, const char *const *names,
                                          int count);
/* Writes a pair as one record: texts [count] in the columns names [count]. A column whose text is
 * NULL is left out. */
alcore_status alcore__project_pairs_put(alcore__table *table, const char *const *names,
                                        const char *const *texts, int count);

/* ---- pairs that are mixed (project_mix.c) ---- */

/* A training set and what it is made of, owned. A struct of zeros is none. */
typedef struct alcore__project_mix {
    alcore_pool *labeled, *pool;     /* files of the labeled and of the candidates */
    alcore_annotations *annotations; /* the items of the pool with the answers that count */
    alcore_mix *made;
} alcore__project_mix;

/* Reads what it is made of. Called within a transaction. */
alcore_status alcore__project_mix_read(alcore_project *project, alcore__project_mix *self);
/* Makes it by options of the caller; seed, round and device are those of the work where they are
 * not set. */
alcore_status alcore__project_mix_make(alcore__project_work *work, const alcore_mix_options *given,
                                       alcore__project_mix *self);
/* Writes its pairs with their kinds. *count: how many. */
alcore_status alcore__project_mix_write(alcore_ctx *ctx, const alcore__project_mix *self,
                                        const char *path, int64_t *count);
void alcore__project_mix_clear(alcore__project_mix *self);

/* ---- measures (project_metrics.c) ---- */

/* ALCORE_E_NOT_FOUND for a round that is not there. Called within a transaction. */
alcore_status alcore__project_round_check(alcore_project *project, int64_t round);
/* Adds a measure of a round that is there. Called within a transaction. */
alcore_status alcore__project_metric_add(alcore_project *project, int64_t round, const char *name,
                                         double value);

#endif
