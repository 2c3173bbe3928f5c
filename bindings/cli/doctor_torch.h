/* SPDX-License-Identifier: Apache-2.0 */
/* `alcore doctor --torch [DIR|none] [--write]`: the torch that models run on. */
#ifndef ALCORE_CLI_DOCTOR_TORCH_H
#define ALCORE_CLI_DOCTOR_TORCH_H

#include <jansson.h>

#include "options.h"
#include "torch_search.h"

/* What was tried, in its order; it ends with the first copy that models run on. */
typedef struct torch_report {
    torch_copy copies[TORCH_COPIES];
    int count;
    bool usable; /* the last one is, and this run uses it */
    bool kept;   /* by --write */
} torch_report;

/* Does what --torch and --write ask for, if they are given: finds and tries torch, so that this run
 * uses the first copy that models run on, and keeps it. An exit code. */
int doctor_torch(const arguments *args, torch_report *report);
/* Prints the report, a line for each copy. */
void doctor_torch_print(const torch_report *report);
/* The copies as an array of objects: folder, version, usable, detail. */
json_t *doctor_torch_json(const torch_report *report);
/* EXIT_DONE where --torch was not given or a copy can be used, else an exit code, after a sentence
 * on standard error about what is missing. */
int doctor_torch_outcome(const arguments *args, const torch_report *report);

#endif
