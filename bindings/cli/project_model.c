/* SPDX-License-Identifier: Apache-2.0 */
/* alcore project train and eval: a command of the user, run by the shell, that trains a model on
 * what was answered, or measures one. It may be any program: a script, `alcore model train
 * CONFIG.json`, `alcore eval bleu`. Its environment says what it is about:
 *
 *   ALCORE_PROJECT  the folder of the project
 *   ALCORE_ROUND    the round that was selected last, or that of --round
 *   ALCORE_LABELED  train: the pairs of text and answer, a file of --out, or a temporary one */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "project_run.h"
#include "text_output.h"

/* Sets the environment of the command. */
static int set_environment(const project_run *self, int64_t round, const char *labeled) {
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)round);
    if (setenv("ALCORE_PROJECT", self->folder, 1) || setenv("ALCORE_ROUND", number, 1) ||
        (labeled && setenv("ALCORE_LABELED", labeled, 1)))
        return complain(EXIT_MEMORY, "out of memory");
    return EXIT_DONE;
}

/* The exit code for the end of the command, as waitpid() tells it. */
static int end_of(const project_run *self, int end) {
    const char *command = self->args->operands[2];
    if (end == -1) return complain(EXIT_IO, "%s: %s", command, strerror(errno));
    if (WIFSIGNALED(end) && (WTERMSIG(end) == SIGINT || WTERMSIG(end) == SIGTERM))
        return complain(EXIT_INTERRUPTED, "interrupted");
    if (WIFSIGNALED(end))
        return complain(EXIT_DATA, "%s: ended by signal %d", command, WTERMSIG(end));
    if (WEXITSTATUS(end))
        return complain(EXIT_DATA, "%s: exit status %d", command, WEXITSTATUS(end));
    return EXIT_DONE;
}

/* ---- train ---- */

/* Writes the pairs and runs the command. */
static int train_on(project_run *self, const char *labeled) {
    int64_t round = 0;
    TRY(project_outcome(self, alcore_project_write_labeled(self->project, labeled)));
    TRY(project_round(self, &round));
    TRY(set_environment(self, round, labeled));
    return end_of(self, system(self->args->operands[2]));
}

int project_train(project_run *self) {
    const char *out = option_value(self->args, OPTION_OUT, NULL), *folder = getenv("TMPDIR");
    char path[4096];
    if (out) {
        TRY(option_suffix(self->args, OPTION_OUT, ".tsv|.csv|.jsonl"));
        return train_on(self, out);
    }
    TRY(join_path(folder && *folder ? folder : "/tmp", "alcore-XXXXXX.tsv", path));
    const int file = mkstemps(path, (int)strlen(".tsv"));
    if (file < 0) return complain(EXIT_IO, "%s: %s", path, strerror(errno));
    close(file);
    const int code = train_on(self, path);
    unlink(path);
    return code;
}

/* ---- eval ---- */

enum { MOST_OUTPUT = 64 << 20 };

/* Tells what was kept, line by line as the command printed it. */
static void tell(const project_run *self, int64_t round, char *text) {
    char *rest;
    if (option_given(self->args, OPTION_QUIET)) return;
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
        if (*line != '#') fprintf(stderr, "round %lld: %s\n", (long long)round, line);
}

/* Keeps the measures that the command printed, once it has ended well. */
static int keep(const project_run *self, int64_t round, FILE *copy) {
    const long bytes = ftell(copy);
    if (bytes < 0 || bytes > MOST_OUTPUT)
        return complain(EXIT_DATA, "%s: it printed more than %d bytes", self->args->operands[2],
                        MOST_OUTPUT);
    char *text = calloc((size_t)bytes + 1, 1);
    if (!text) return complain(EXIT_MEMORY, "out of memory");
    rewind(copy);
    const size_t length = fread(text, 1, (size_t)bytes, copy);
    const int code =
        project_outcome(self, alcore_project_put_metrics(self->project, round, text, length, NULL));
    if (code == EXIT_DONE) tell(self, round, text);
    free(text);
    return code;
}

/* Copies the standard output of the command to a file. */
static int run_to(const project_run *self, FILE *copy) {
    char block[4096];
    size_t bytes;
    FILE *output = popen(self->args->operands[2], "r");
    if (!output) return complain(EXIT_IO, "%s: %s", self->args->operands[2], strerror(errno));
    while ((bytes = fread(block, 1, sizeof block, output)) > 0) fwrite(block, 1, bytes, copy);
    return end_of(self, pclose(output));
}

int project_eval(project_run *self) {
    int64_t round = 0;
    TRY(project_round(self, &round));
    TRY(set_environment(self, round, NULL));
    FILE *copy = tmpfile();
    if (!copy) return complain(EXIT_IO, "cannot make a temporary file: %s", strerror(errno));
    fflush(NULL);
    int code = run_to(self, copy);
    if (code == EXIT_DONE && (fflush(copy) || ferror(copy)))
        code = complain(EXIT_IO, "cannot write a temporary file: %s", strerror(errno));
    if (code == EXIT_DONE) code = keep(self, round, copy);
    fclose(copy);
    return code;
}
