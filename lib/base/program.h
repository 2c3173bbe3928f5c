/* SPDX-License-Identifier: Apache-2.0 */
/* A program that the user names, such as one that trains a model: child.h with a folder to work in,
 * an environment, and files for what it writes. */
#ifndef ALCORE__PROGRAM_H
#define ALCORE__PROGRAM_H

#include "base/base.h"

/* A program. Members that are NULL leave what alcore__child_run() gives it. */
typedef struct alcore__program {
    const char *const *arguments;   /* NULL-terminated; the first is looked for on PATH */
    const char *const *environment; /* "NAME=VALUE", NULL-terminated: beside that of the host */
    const char *folder;             /* where it works */
    const char *errors;             /* file for both outputs */
    const char *output;             /* file for the standard output alone */
    const char *log;                /* as the folder of alcore__child_run() */
} alcore__program;

/* Runs it and waits for its end, as alcore__child_run() does. A shell before the program does what
 * the members say, and becomes the program. ALCORE_E_UNSUPPORTED: there is no shell. */
alcore_status alcore__program_run(alcore_ctx *ctx, const alcore__program *program,
                                  const char *stage, int *out_code);

/* The failure ALCORE_E_CALLBACK of a program that ended with a status other than 0. what: such as
 * "round 1: the command of \"train\""; log: the file of its words, of which the last line is
 * told. */
alcore_status alcore__program_fail(alcore_ctx *ctx, const char *what, int code, const char *log);

#endif
