/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a command as text: to standard output, or to a file that appears whole or not at
 * all. */
#ifndef ALCORE_CLI_TEXT_OUTPUT_H
#define ALCORE_CLI_TEXT_OUTPUT_H

#include "options.h"

typedef struct text_output {
    FILE *stream; /* what the command prints to */
    char *text;   /* what was printed, once the stream is closed */
    size_t length;
} text_output;

/* Opens the output in memory. An exit code. */
int text_output_open(text_output *out);
/* With EXIT_DONE writes what was printed to the path, "-": standard output; with any other code it
 * is dropped. Returns the code, or that of the failure. */
int text_output_close(text_output *out, int code, const char *path);

#endif
