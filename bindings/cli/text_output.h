/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a command as text: to standard output, or to a file that appears whole or not at
 * all. */
#ifndef ALCORE_CLI_TEXT_OUTPUT_H
#define ALCORE_CLI_TEXT_OUTPUT_H

#include <jansson.h>

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
/* Hands over what was printed on standard output, and says why it could not all be written. An exit
 * code. */
int output_end(void);
/* Whether a new file or folder can be made at the path: the folder that it would be in is there and
 * may be written. If not, errno says why. */
bool path_can_be_made(const char *path);

/* With --json, refuses a result that goes to standard output, where the JSON goes; things: what the
 * result consists of. An exit code. */
int json_needs_file(const arguments *args, const char *things);
/* Prints an object, which is released, on standard output; NULL: memory was missing. An exit code.
 */
int print_json_object(json_t *object);
/* A number; null where it is not finite, which JSON cannot say. */
json_t *json_finite(double value);

#endif
