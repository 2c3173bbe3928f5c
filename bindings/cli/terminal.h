/* SPDX-License-Identifier: Apache-2.0 */
/* Progress, log lines and failures on standard error, and what interrupts a run. */
#ifndef ALCORE_CLI_TERMINAL_H
#define ALCORE_CLI_TERMINAL_H

#include <alcore/extra.h>

#include "options.h"

/* Makes the context of a run: threads, log lines on standard error, and a progress bar when
 * standard error is a terminal and --quiet was not given. Ctrl-C and SIGTERM cancel it: what is
 * there is written all the same, unless a second one comes. An exit code. */
int terminal_context(const arguments *args, alcore_ctx **out);
/* From now on log lines of what goes on are shown too, but for --quiet: for a command that runs for
 * hours. */
void terminal_show_notes(void);
/* Removes the progress bar, before other output. */
void terminal_clear(void);
/* Prints the library's error text; the exit code of the status. */
int terminal_failure(alcore_status status);
/* Prints the library's error text, and the remedy behind it. */
void terminal_error(FILE *stream, alcore_status status);
/* Prints a remedy as an option of this program: "--fill skip", "-p rescale=rank", "--target FILE".
 */
void terminal_remedy(FILE *stream, const alcore_remedy *remedy);
/* From now on remedies are commands about the project in the folder, which is borrowed. */
void terminal_remedies_of(const char *project);
/* The row that the library's error text is about, as "row 7 (id x): ..." names it; false: it names
 * none. */
bool terminal_error_row(int64_t *out);
/* terminal_failure() for any status: EXIT_DONE when it is ALCORE_OK. */
int outcome(alcore_status status);

/* Leaves the function with the exit code when it is not EXIT_DONE. */
#define TRY(expression)                                                                            \
    do {                                                                                           \
        int code_ = (expression);                                                                  \
        if (code_ != EXIT_DONE) return code_;                                                      \
    } while (0)

#endif
