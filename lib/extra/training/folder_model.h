/* SPDX-License-Identifier: Apache-2.0 */
/* Models of the engine in folders, as experiments and projects train and measure them. */
#ifndef ALCORE__FOLDER_MODEL_H
#define ALCORE__FOLDER_MODEL_H

#include "alcore/extra/training.h"
#include "base/base.h"

/* The folder of a model, and how it is opened; members that are NULL: as the folder says. */
typedef struct alcore__model_folder {
    const char *path, *device;
    const char *language; /* of its outputs */
} alcore__model_folder;

/* Trains the model of a folder, which stays as it is, on pairs, and saves it as the folder at
 * `to`. */
alcore_status alcore__model_folder_train(alcore_ctx *ctx, const alcore__model_folder *from,
                                         alcore_pool *pairs, const alcore_train_options *options,
                                         const char *to, alcore_train_result *result);

/* The names of metrics (ALCORE_VALIDATE_*, from _LOSS on) in files and messages
 * (validation_names.c). */
enum { ALCORE__VALIDATIONS = ALCORE_VALIDATE_STRICT_SPAN_F1 - ALCORE_VALIDATE_LOSS + 1 };
extern const char *const alcore__validation_names[ALCORE__VALIDATIONS];
/* The name of one; 0 is _LOSS. */
const char *alcore__validation_name(int32_t metric);

/* Takes a measure of a model. */
typedef alcore_status alcore__measure_take(void *user, const char *name, double value);

/* Measures the model of a folder on the texts and references of a pool. names: with commas between;
 * NULL: those that fit the model (alcore_project_eval_options.metrics). */
alcore_status alcore__model_folder_measure(alcore_ctx *ctx, const alcore__model_folder *from,
                                           alcore_pool *test, const char *names,
                                           alcore__measure_take *take, void *user);

/* ALCORE_E_PARAM for a list of names with one that is no measure, or that stands twice. */
alcore_status alcore__measure_names_check(const char *names);

#endif
