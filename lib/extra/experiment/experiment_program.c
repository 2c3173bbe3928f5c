/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that train and measure. A command is a string, which the shell reads, or a list of
 * arguments. In both a placeholder such as {train} stands for a path or a number, in a string with
 * quotes around it as the shell needs them; {{ is {, and braces around anything but small letters
 * stay, as awk and the shell want them.
 *
 * The program works in the folder of the configuration; its words go to the file log of the round,
 * its standard output to another file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/program.h"
#include "extra/experiment/experiment_run.h"

enum { MOST_OUTPUT = 64 << 20 };

/* One run of a command. */
typedef struct command {
    alcore__experiment_run *run;
    alcore_ctx *ctx;
    int64_t round;
    const char *model;   /* for {model} */
    const char *out;     /* for {out} */
    alcore__buffer text; /* workspace: the value of a placeholder */
    alcore__arena arena; /* of the arguments */
} command;

/* ---- arguments ---- */

/* self->text: the value of a placeholder. */
static alcore_status find_value(command *self, const char *name) {
    const alcore__experiment_run *run = self->run;
    const char *text = NULL;
    self->text.length = 0;
    if (!strcmp(name, "train"))
        return alcore__experiment_file(run, self->round, "train.tsv", &self->text);
    if (!strcmp(name, "previous"))
        return alcore__experiment_previous(run, self->round, &self->text);
    if (!strcmp(name, "seed"))
        return alcore__experiment_path(self->ctx, &self->text, "%llu",
                                       (unsigned long long)run->seed);
    if (!strcmp(name, "round"))
        return alcore__experiment_path(self->ctx, &self->text, "%lld", (long long)self->round);
    if (!strcmp(name, "model")) text = self->model;
    if (!strcmp(name, "out")) text = self->out;
    if (!strcmp(name, "domain")) text = run->domain->name;
    if (!strcmp(name, "strategy"))
        text = run->strategy ? run->strategy->name : ALCORE__EXPERIMENT_SHARED;
    if (!strcmp(name, "budget")) text = run->budget;
    if (text) return alcore__buffer_append(self->ctx, &self->text, text, strlen(text));
    return alcore__experiment_data_path(run->all, run->domain, name, &self->text);
}

/* Appends self->text with quotes around it: 'it'\''s'. */
static alcore_status put_quoted(command *self, alcore__buffer *out) {
    ALCORE__TRY(alcore__buffer_append(self->ctx, out, "'", 1));
    for (size_t i = 0; i < self->text.length; i++) {
        const char *byte = self->text.data + i;
        ALCORE__TRY(*byte == '\'' ? alcore__buffer_append(self->ctx, out, "'\\''", 4)
                                  : alcore__buffer_append(self->ctx, out, byte, 1));
    }
    return alcore__buffer_append(self->ctx, out, "'", 1);
}

/* Writes an argument with its placeholders replaced. */
static alcore_status fill(command *self, const char *text, bool quoted, alcore__buffer *out) {
    out->length = 0;
    while (*text) {
        size_t length = 1;
        const int number =
            *text == '{' && text[1] != '{' ? alcore__placeholder_at(text, &length) : -1;
        if (number < 0) {
            ALCORE__TRY(alcore__buffer_append(self->ctx, out, text, 1));
            text += *text == '{' && text[1] == '{' ? 2 : 1;
            continue;
        }
        ALCORE__TRY(find_value(self, alcore__placeholder_name(number)));
        ALCORE__TRY(
            quoted ? put_quoted(self, out)
                   : alcore__buffer_append(self->ctx, out, self->text.data, self->text.length));
        text += length;
    }
    return ALCORE_OK;
}

/* Adds an argument, copied. */
static alcore_status add(command *self, const char **arguments, int *count, const char *text) {
    ALCORE__TRY(
        alcore__arena_text(self->ctx, &self->arena, text, strlen(text), &arguments[*count]));
    ++*count;
    return ALCORE_OK;
}

static alcore_status add_filled(command *self, const char **arguments, int *count, const char *text,
                                bool quoted) {
    alcore__buffer filled = {0};
    alcore_status status = fill(self, text, quoted, &filled);
    if (status == ALCORE_OK) status = alcore__buffer_append(self->ctx, &filled, "", 0);
    if (status == ALCORE_OK) status = add(self, arguments, count, filled.data);
    alcore__buffer_clear(self->ctx, &filled);
    return status;
}

/* The arguments; those of a string are of the shell that reads it. */
static alcore_status make_arguments(command *self, const alcore__node *node,
                                    const char **arguments) {
    int count = 0;
    if (node->kind == '"') {
        ALCORE__TRY(add(self, arguments, &count, "/bin/sh"));
        ALCORE__TRY(add(self, arguments, &count, "-c"));
        ALCORE__TRY(add_filled(self, arguments, &count, node->text, true));
    }
    for (const alcore__node *item = node->first; item; item = item->next)
        ALCORE__TRY(add_filled(self, arguments, &count, item->text, false));
    arguments[count] = NULL;
    return ALCORE_OK;
}

/* ---- the run ---- */

/* Runs the program; paths are those of the round's folder, its log and its standard output. */
static alcore_status run_program(command *self, const char *name, const alcore__node *node,
                                 const char *folder, const char *log, const char *output) {
    const char *arguments[ALCORE__MOST_ARGUMENTS + 4];
    const alcore__program program = {.arguments = arguments,
                                     .folder = self->run->all->base.data,
                                     .output = output,
                                     .log = folder};
    char made[ALCORE__PATH_BYTES], what[64];
    int code = 0;
    alcore__format(made, sizeof made, "%s/log", folder);
    alcore__format(what, sizeof what, "round %lld: the command of \"%s\"", (long long)self->round,
                   name);
    alcore_status status = make_arguments(self, node, arguments);
    if (status == ALCORE_OK) status = alcore__program_run(self->ctx, &program, name, &code);
    if (rename(made, log) != 0 && status == ALCORE_OK)
        status = alcore__fail_system(errno, "make", log);
    if (status == ALCORE_OK && code > 0) status = alcore__program_fail(self->ctx, what, code, log);
    return status;
}

alcore_status alcore__experiment_command(alcore__experiment_run *run, int64_t round,
                                         const char *name, const alcore__node *node,
                                         const char *model, alcore__buffer *output) {
    alcore_ctx *ctx = run->all->ctx;
    alcore__buffer folder = {0}, log = {0}, standard = {0}, out = {0};
    command self = {.run = run, .ctx = ctx, .round = round, .model = model};
    alcore_status status = alcore__experiment_file(run, round, "", &folder);
    if (status == ALCORE_OK)
        status = alcore__experiment_path(ctx, &log, "%s/%s.log", folder.data, name);
    if (status == ALCORE_OK)
        status = alcore__experiment_path(ctx, &standard, "%s/%s.out.log", folder.data, name);
    if (status == ALCORE_OK)
        status = alcore__experiment_path(ctx, &out, "%s/%s.given.log", folder.data, name);
    self.out = out.data;
    if (status == ALCORE_OK) unlink(out.data);
    if (status == ALCORE_OK)
        status = run_program(&self, name, node, folder.data, log.data, standard.data);
    if (status == ALCORE_OK)
        status =
            alcore__read_text(ctx, alcore__experiment_has(node, "out") ? out.data : standard.data,
                              MOST_OUTPUT, output);
    alcore__arena_clear(ctx, &self.arena);
    alcore__buffer_clear(ctx, &self.text);
    alcore__buffer_clear(ctx, &folder);
    alcore__buffer_clear(ctx, &log);
    alcore__buffer_clear(ctx, &standard);
    alcore__buffer_clear(ctx, &out);
    return status;
}
