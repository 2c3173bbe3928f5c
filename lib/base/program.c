/* SPDX-License-Identifier: Apache-2.0 */
/* Running a program of the user (program.h). */
#include "base/program.h"

#include <string.h>

#include "base/child.h"

enum { LAST_WORDS = 2000 };

/* $0, $1, $2: output, errors and folder, each empty where it stays as it is; then the environment
 * up to "--", and the program. */
static const char script[] = "[ -z \"$1\" ] || exec >\"$1\" 2>&1; [ -z \"$0\" ] || exec >\"$0\"; "
                             "[ -z \"$2\" ] || cd \"$2\" || exit; shift; "
                             "while shift && [ \"$1\" != -- ]; do export \"$1\"; done; shift; "
                             "exec \"$@\"";

static int64_t count_of(const char *const *list) {
    int64_t count = 0;
    while (list && list[count]) count++;
    return count;
}

static const char *or_empty(const char *text) {
    return text ? text : "";
}

alcore_status alcore__program_run(alcore_ctx *ctx, const alcore__program *program,
                                  const char *stage, int *out_code) {
    const char *const first[] = {"/bin/sh",
                                 "-c",
                                 script,
                                 or_empty(program->output),
                                 or_empty(program->errors),
                                 or_empty(program->folder)};
    const size_t firsts = sizeof first / sizeof *first;
    const size_t environment = (size_t)count_of(program->environment);
    const size_t arguments = (size_t)count_of(program->arguments);
    const char **all;
    ALCORE__TRY(alcore__new_array(ctx, firsts + environment + arguments + 2, sizeof *all, &all));
    memcpy(all, first, sizeof first);
    for (size_t i = 0; i < environment; i++) all[firsts + i] = program->environment[i];
    all[firsts + environment] = "--";
    for (size_t i = 0; i < arguments; i++)
        all[firsts + environment + 1 + i] = program->arguments[i];
    alcore_status status = alcore__child_run(ctx, all, program->log, stage, out_code);
    if (status == ALCORE_E_NOT_FOUND)
        status = alcore__fail(ALCORE_E_UNSUPPORTED, "there is no /bin/sh to run commands");
    alcore__free(ctx, all);
    return status;
}

/* Reads the end of a file into words [LAST_WORDS]; "" where it cannot be read. */
static void read_end(alcore_ctx *ctx, const char *path, char words[LAST_WORDS]) {
    alcore__file *file;
    int64_t length = 0;
    size_t got = 0;
    if (alcore__file_open(ctx, path, &file) == ALCORE_OK) {
        if (alcore__file_length(file, &length) == ALCORE_OK)
            (void)alcore__file_read(file, length < LAST_WORDS ? 0 : length - LAST_WORDS + 1, words,
                                    LAST_WORDS - 1, &got);
        alcore__file_close(file);
    }
    words[got] = '\0';
}

alcore_status alcore__program_fail(alcore_ctx *ctx, const char *what, int code, const char *log) {
    char words[LAST_WORDS] = "";
    if (log) read_end(ctx, log, words);
    size_t length = strlen(words);
    while (length && strchr("\n\r ", words[length - 1])) words[--length] = '\0';
    const char *const line = strrchr(words, '\n');
    const char *const last = line ? line + 1 : words;
    return alcore__fail(ALCORE_E_CALLBACK, "%s ended with status %d%s%s", what, code,
                        *last ? ": " : "", last);
}
