/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a model that a test makes, and its files. */
#ifndef ALCORE__MODEL_FOLDER_H
#define ALCORE__MODEL_FOLDER_H

#include <stdio.h>

#include "check_suite.h"

/* Ends the case with the library's message unless the call succeeds. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        alcore_status status_ = (call);                                                            \
        ck_assert_msg(status_ == ALCORE_OK, "%s", alcore_last_error());                            \
    } while (0)

static char folder[64]; /* its path; the test makes and removes it */

/* Writes a file of the folder. */
static void write_file(const char *name, const char *text) {
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

#endif
