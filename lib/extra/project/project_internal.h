/* SPDX-License-Identifier: Apache-2.0 */
/* A project: what project.sqlite says (store.h) and the files in blobs/ that it names.
 *
 *   checked_pages.c, store*.c   project.sqlite: digests of pages, opening, statements, tables
 *   project_init.c              making one of a folder
 *   project_handle.c            opening and releasing
 *   project_settings.c, project_given.c   settings by name, and the request that they make
 *   project_blobs.c             files in blobs/: written, read, compared, removed
 *   project_add.c, project_known.c   files of texts that are added, perhaps again
 *   project_pools.c             the pools of the roles
 *   project_request.c, project_stop.c, project_next.c, project_drafts.c   the next round
 *   project_exchange.c, project_export.c, project_import.c    tools, out and back
 *   project_decisions.c         what answers come to, and the counts
 *   project_agreement.c         how annotators agree
 *   project_labeled.c, project_status.c, project_metrics.c, project_document.c   what is told
 *   project_train.c, project_eval.c, project_work.c   trainings and evaluations
 *   project_models.c, project_model_files.c           models that trainings made
 *   project_kept_models.c       those that the log names: compared, put back
 *   project_report*.c           the page
 *   project_verify.c            comparing all bytes; removing what nothing refers to
 *   project_steps.c             the log
 *   project_missing.c           all calls of a build without SQLite
 *
 * Each call that changes the project, but for trainings and evaluations (project_work.h), is one
 * transaction (alcore__store_begin(), alcore__store_end()). Blobs are on the disk under their names
 * before it commits, so that a call that ended anywhere has happened whole or not at all; what it
 * left in blobs/ is removed by alcore_project_gc().
 *
 * Words of this room:
 *
 *   item       a pick of a round: a sentence or a phrase, with its text, numbered from 1 over all
 *   blob       a file in blobs/, named by the XXH3 of its bytes, which never changes
 *   step       a call that changed the project, with its arguments and what it came to */
#ifndef ALCORE__PROJECT_INTERNAL_H
#define ALCORE__PROJECT_INTERNAL_H

#include "alcore/extra/project.h"
#include "base/params.h"
#include "extra/project/store.h"
#include "formats/json_text.h"
#include "text/iso_time.h"

struct alcore_project {
    alcore__object object;
    char *folder; /* owned, as it was given */
    alcore__store store;
    alcore__buffer view;     /* the text that was handed out last */
    alcore__buffer messages; /* of the last import */
};

/* ---- handles and calls (project_handle.c) ---- */

/* A handle without an open store. */
alcore_status alcore__project_new(alcore_ctx *ctx, const char *folder, alcore_project **out);
/* Opens FOLDER/project.sqlite; create: it may not be there. */
alcore_status alcore__project_open_store(alcore_project *project, bool create);

/* What can end a call before its time: nothing; what progress returns, as the call saves or sets;
 * or alcore_ctx_cancel() too. */
typedef enum alcore__project_call { CALL_SHORT, CALL_SAVING, CALL_LONG } alcore__project_call;
/* Begins a public call of a project: enters its context and locks the handle. call: the function's
 * name in messages. Where this fails there is nothing to end. */
alcore_status alcore__project_enter(alcore_project *project, const char *call,
                                    alcore__project_call kind);
/* Ends it; returns the status for the caller. */
alcore_status alcore__project_leave(alcore_project *project, alcore_status status);

/* ---- the log (project_steps.c) ---- */

/* Now, as "2026-11-29T14:05:09Z"; where the environment has SOURCE_DATE_EPOCH that time
 * (reproducible-builds.org), so that the same steps give the same bytes. */
void alcore__project_time(char out[ALCORE__ISO_TIME_BYTES]);
/* Logs a step; arguments and result are JSON objects, which the caller frees. */
alcore_status alcore__project_log(alcore_project *project, const char *what,
                                  alcore__json_out *arguments, alcore__json_out *result);

/* ---- settings (project_settings.c) ---- */

/* Settings that are given together (project_given.c), as parallel arrays; an entry of values that
 * is NULL: the default. */
typedef struct alcore__project_given {
    const char *const *names, *const *values; /* [count] borrowed */
    int64_t count;
} alcore__project_given;
/* ALCORE_E_INVALID, with the function's name, unless the arrays are there and have names. */
alcore_status alcore__project_given_check(const alcore__project_given *given, const char *call);
/* The number of the i-th that is to be applied: the strategy first, as parameters are its. */
int64_t alcore__project_given_at(const alcore__project_given *given, int64_t i);
/* Puts {"settings": {NAME: VALUE, ...}} into the arguments of a step; null is the default. Nothing
 * where none are given. */
void alcore__project_given_put(alcore__json_out *json, const alcore__project_given *given);

/* What the settings say, made anew for each use. A struct of zeros has nothing. */
typedef struct alcore__project_settings {
    alcore__values values;     /* of the project's own settings */
    alcore_request *request;   /* with the options that were set, without pools; owned */
    alcore_strategy *strategy; /* with the parameters that were set; owned */
} alcore__project_settings;
alcore_status alcore__project_settings_read(alcore_project *project, alcore__project_settings *out);
/* The same with what is given for one round in place of settings. ALCORE_E_PARAM: one that is the
 * same for all rounds. */
alcore_status alcore__project_settings_read_for(alcore_project *project,
                                                const alcore__project_given *given,
                                                alcore__project_settings *out);
void alcore__project_settings_clear(alcore_project *project, alcore__project_settings *settings);
/* Sets each as alcore_project_set() does, in the transaction of the caller. */
alcore_status alcore__project_set_all(alcore_project *project, const alcore__project_given *given);
/* The text of one of the project's own settings, a view of settings; "" where there is no such. */
const char *alcore__project_setting(const alcore__project_settings *settings, const char *name);

/* ---- blobs (project_blobs.c) ---- */

enum { BLOB_NAME_BYTES = 64 };

/* Copies a file into blobs/ and brings it to the disk; name: its name there, HASH and the suffix of
 * path; bytes: its length. path "-" is standard input. */
alcore_status alcore__project_blob_copy(alcore_project *project, const char *path,
                                        char name[BLOB_NAME_BYTES], int64_t *bytes);
/* Compares a blob with its name and its length in bytes. ALCORE_E_DATA: it is damaged, or is
 * missing. */
alcore_status alcore__project_blob_verify(alcore_project *project, const char *name,
                                          int64_t length);
/* The path of a blob, appended to the empty buffer; ALCORE_E_DATA for what is no name of a blob. */
alcore_status alcore__project_blob_path(alcore_project *project, const char *name,
                                        alcore__buffer *out);

/* ---- pools (project_pools.c) ---- */

/* The word for a role (ALCORE_ROLE_*) in the log, as the command's options are called. */
const char *alcore__project_role_name(int32_t role);

/* The setting utf8, ALCORE_UTF8_*. */
int32_t alcore__project_utf8(const alcore__project_settings *settings);
/* Makes an empty pool for a role. */
alcore_status alcore__project_pool_new(alcore_project *project,
                                       const alcore__project_settings *settings, int32_t role,
                                       alcore_pool **out);
/* Reads the files of a role that the project has into its pool. */
alcore_status alcore__project_pool_read(alcore_project *project, int32_t role, alcore_pool *pool);
/* Adds the answers that count to the pool of what is labeled, as pairs of text and answer. */
alcore_status alcore__project_pool_add_answers(alcore_project *project, alcore_pool *pool);

/* ---- status (project_status.c) ---- */

/* Fills the struct from the counts, but for the work that has not ended. */
alcore_status alcore__project_status_read(alcore_project *project,
                                          const alcore__project_settings *settings,
                                          alcore_project_status *out);
/* Fills what it says of trainings and evaluations; texts: what its failures are views of. */
alcore_status alcore__project_work_read(alcore_project *project, alcore__buffer *texts,
                                        alcore_project_status *out);
/* The unit of all rounds (ALCORE_UNIT_*); 0: there is none yet. */
alcore_status alcore__project_unit(alcore_project *project, int32_t *out);
/* The number of rounds so far. */
alcore_status alcore__project_rounds(alcore_project *project, int64_t *out);

#endif
