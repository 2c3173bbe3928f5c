/* SPDX-License-Identifier: Apache-2.0 */
/* Another program, run to its end in a process of its own: for work that cannot be done in this
 * process, because it has no cancellation, ends the process on an error, or brings libraries whose
 * symbols collide with those of the host. */
#ifndef ALCORE__CHILD_H
#define ALCORE__CHILD_H

#include "base/base.h"

/* Makes an empty folder in $TMPDIR, else in /tmp, that only this user can enter: *out is its path.
 * The caller removes the folder with all that is in it, and frees *out, also after a failure. */
alcore_status alcore__temporary_folder(alcore_ctx *ctx, alcore__buffer *out);

/* Runs a program and waits for its end. arguments: NULL-terminated; the first one is the program,
 * which is looked for on PATH. It works in the folder, reads an empty standard input, and writes
 * both outputs to FOLDER/log; folder NULL: it works where the host does, and writes where that
 * does. stage: for progress.
 *
 * *out_code: its exit status; 128 + the number of the signal that ended it; -1 when the host
 * ignores SIGCHLD, so that the system does not tell. ALCORE_E_NOT_FOUND, without a text: there is
 * no such program. When the host dies, Linux kills the program, but not what it started; when the
 * call is cancelled, the program and what it started are killed before the function returns. */
alcore_status alcore__child_run(alcore_ctx *ctx, const char *const *arguments, const char *folder,
                                const char *stage, int *out_code);

#endif
