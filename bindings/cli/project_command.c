/* SPDX-License-Identifier: Apache-2.0 */
/* alcore project: makes a project of a folder and does its steps. Each step is one call of the
 * library, which happens whole or not at all. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "extra/tool/tool_choices.h"
#include "project_run.h"
#include "text_output.h"
#include "tool_options.h"

/* Messages about records of an imported file that are shown. */
enum { MESSAGES_SHOWN = 20 };

/* What to do where a round has nothing to write. */
static void hint_export(const project_run *self) {
    alcore_project_status now = ALCORE_PROJECT_STATUS_INIT;
    if (alcore_project_get_status(self->project, &now) == ALCORE_OK && now.open > 0)
        fprintf(stderr, "hint: --round all writes the %lld open items of all rounds\n",
                (long long)now.open);
    else
        fprintf(stderr, "hint: `alcore project next %s` selects the next round\n", self->folder);
}

int project_outcome(const project_run *self, alcore_status status) {
    const int code = outcome(status);
    const char *folder = self->folder;
    if (status == ALCORE_E_NOT_FOUND && !self->project)
        fprintf(stderr, "hint: `alcore project init %s` makes a project there\n", folder);
    if (status == ALCORE_E_MISSING && strcmp(self->action, "next") == 0)
        fprintf(stderr, "hint: `alcore project add %s FILE` adds candidates\n", folder);
    if ((status == ALCORE_E_MISSING || status == ALCORE_E_NOT_FOUND) && self->project &&
        strcmp(self->action, "export") == 0)
        hint_export(self);
    if (status == ALCORE_E_BUSY)
        fputs("hint: the same command does it once the other process has ended\n", stderr);
    if (status == ALCORE_E_DATA && strcmp(self->action, "verify") == 0)
        fputs("hint: take the folder from a copy that verifies, and import again what came since\n",
              stderr);
    return code;
}

int project_split(const project_run *self, const char *word, char **name, const char **value) {
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return complain(EXIT_USAGE, "project %s: %s: NAME=VALUE is needed", self->action, word);
    *name = strndup(word, (size_t)(equals - word));
    *value = equals + 1;
    return *name ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
}

int project_round(const project_run *self, int64_t *out) {
    alcore_project_status now = ALCORE_PROJECT_STATUS_INIT;
    if (option_given(self->args, OPTION_ROUND))
        return option_integer(self->args, OPTION_ROUND, 0, INT64_MAX, out);
    TRY(project_outcome(self, alcore_project_get_status(self->project, &now)));
    *out = now.rounds;
    return EXIT_DONE;
}

/* ---- settings and texts ---- */

/* Sets NAME=VALUE of the operands behind the folder; no VALUE: the default. */
static int set_all(project_run *self) {
    for (int i = 2; i < self->args->operand_count; i++) {
        const char *value;
        char *name;
        TRY(project_split(self, self->args->operands[i], &name, &value));
        const alcore_status status = alcore_project_set(self->project, name, *value ? value : NULL);
        free(name);
        TRY(project_outcome(self, status));
    }
    return EXIT_DONE;
}

/* Takes the operands NAME=VALUE behind the folder apart: names [count], each of them and the list
 * the caller's to free, and values [count]. */
static int split_all(const project_run *self, char ***names, const char ***values, int *count) {
    const int given = self->args->operand_count - 2;
    int code = EXIT_DONE;
    *names = calloc((size_t)given + 1, sizeof **names);
    *values = calloc((size_t)given + 1, sizeof **values);
    if (!*names || !*values) return complain(EXIT_MEMORY, "out of memory");
    for (*count = 0; *count < given && code == EXIT_DONE; ++*count) {
        const char **value = &(*values)[*count];
        code = project_split(self, self->args->operands[2 + *count], &(*names)[*count], value);
        if (code == EXIT_DONE && !**value) *value = NULL;
    }
    return code;
}

static int make(project_run *self) {
    char **names;
    const char **values;
    int count = 0, code = split_all(self, &names, &values, &count);
    if (code == EXIT_DONE)
        code = project_outcome(self, alcore_project_init(self->ctx, self->folder,
                                                         (const char *const *)names, values, count,
                                                         &self->project));
    for (int i = 0; i < count; i++) free(names[i]);
    free(names);
    free(values);
    return code;
}

int project_reading(const project_run *self, alcore_read_options *options) {
    const arguments *args = self->args;
    const char *format = option_value(args, OPTION_FORMAT, NULL);
    TRY(read_reading(args, options));
    if (format) TRY(parse_format(format, &options->format));
    options->text_column = option_value(args, OPTION_TEXT_COLUMN, NULL);
    options->reference_column = option_value(args, OPTION_REFERENCE_COLUMN, NULL);
    options->references = option_value(args, OPTION_REFERENCES, NULL);
    options->language = option_value(args, OPTION_LANGUAGE, NULL);
    TRY(check_join(args, options->references != NULL));
    return options->references ? option_join(args, &options->by) : EXIT_DONE;
}

/* How many texts a role has; -1: its texts are not counted. */
static int count_texts(const project_run *self, int32_t role, int64_t *out) {
    alcore_project_status now = ALCORE_PROJECT_STATUS_INIT;
    TRY(project_outcome(self, alcore_project_get_status(self->project, &now)));
    *out = role == ALCORE_ROLE_CANDIDATES ? now.candidates
           : role == ALCORE_ROLE_LABELED  ? now.labeled
                                          : -1;
    return EXIT_DONE;
}

/* Adds a file and says how many texts it had, where they are counted. */
static int add_file(project_run *self, int32_t role, const char *path,
                    const alcore_read_options *options) {
    int64_t before, after;
    TRY(count_texts(self, role, &before));
    TRY(project_outcome(self, alcore_project_add(self->project, role, path, options)));
    TRY(count_texts(self, role, &after));
    if (!option_given(self->args, OPTION_QUIET) && after >= 0)
        fprintf(stderr, "%s: %lld %s\n", path, (long long)(after - before),
                role == ALCORE_ROLE_LABELED ? "labeled texts" : "candidates");
    return EXIT_DONE;
}

static int add(project_run *self) {
    static const int32_t roles[] = {ALCORE_ROLE_CANDIDATES, ALCORE_ROLE_LABELED, ALCORE_ROLE_TARGET,
                                    ALCORE_ROLE_EXCLUDED};
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    int role = 0;
    TRY(option_choice(self->args, OPTION_ROLE, "candidates|labeled|target|excluded", &role));
    TRY(project_reading(self, &options));
    for (int i = 2; i < self->args->operand_count; i++)
        TRY(add_file(self, roles[role], self->args->operands[i], &options));
    return EXIT_DONE;
}

/* ---- out and back ---- */

/* The tool of --tool. */
static int find_tool(const project_run *self, const char **out) {
    *out = option_value(self->args, OPTION_TOOL, NULL);
    if (*out) return tool_check(self->args, OPTION_TOOL);
    return complain(EXIT_USAGE,
                    "project %s needs --tool NAME, such as --tool xliff; `alcore tools` lists them",
                    self->action);
}

static int export(project_run *self) {
    const char *path = option_value(self->args, OPTION_OUT, NULL), *tool;
    const char *all = option_value(self->args, OPTION_ROUND, "");
    int64_t round = 0;
    TRY(find_tool(self, &tool));
    if (!path) return complain(EXIT_USAGE, "project export needs --out FILE");
    if (strcmp(all, "all") == 0)
        round = -1;
    else
        TRY(option_integer(self->args, OPTION_ROUND, 1, INT64_MAX, &round));
    return project_outcome(self, alcore_project_export(self->project, tool, path, round));
}

/* Prints the first messages about records that cannot be used. */
static void print_messages(const alcore_project_import_report *report) {
    const char *line = report->messages;
    for (int shown = 0; line && *line && shown < MESSAGES_SHOWN; shown++) {
        const size_t length = strcspn(line, "\n");
        fprintf(stderr, "warning: %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (line && *line)
        fprintf(stderr, "warning: %lld records cannot be used; the first %d are listed\n",
                (long long)report->unusable, MESSAGES_SHOWN);
}

static void print_report(const char *path, const alcore_project_import_report *report) {
    fprintf(stderr, "%s: %lld answers, %lld of them new", path, (long long)report->answers,
            (long long)report->added);
    if (report->corrected) fprintf(stderr, ", %lld corrected", (long long)report->corrected);
    if (report->repeated) fprintf(stderr, ", %lld known before", (long long)report->repeated);
    if (report->drafts) fprintf(stderr, ", %lld drafts", (long long)report->drafts);
    if (report->unusable) fprintf(stderr, "; %lld unusable", (long long)report->unusable);
    if (report->disagreeing)
        fprintf(stderr, "; items on which annotators differ: %lld", (long long)report->disagreeing);
    fputc('\n', stderr);
}

/* Imports one file; counts: a list to which an object about it is added. */
static int import_file(project_run *self, const char *tool, const char *path, json_t *counts) {
    alcore_project_import_report report = ALCORE_PROJECT_IMPORT_REPORT_INIT;
    const char *annotator = option_value(self->args, OPTION_ANNOTATOR, NULL);
    int32_t unit = 0;
    TRY(option_enum(self->args, OPTION_SPAN_UNIT, ALCORE__CHOICES(ALCORE__SPAN_UNIT_LIST),
                    ALCORE_SPAN_CODE_POINTS, &unit));
    TRY(project_outcome(
        self, unit
                  ? alcore_project_import_spans(self->project, tool, path, annotator, unit, &report)
                  : alcore_project_import(self->project, tool, path, annotator, &report)));
    terminal_clear();
    print_messages(&report);
    if (!option_given(self->args, OPTION_QUIET)) print_report(path, &report);
    const int failed = json_array_append_new(
        counts, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "file", path, "answers",
                          (json_int_t)report.answers, "added", (json_int_t)report.added, "repeated",
                          (json_int_t)report.repeated, "drafts", (json_int_t)report.drafts,
                          "corrected", (json_int_t)report.corrected, "disagreeing",
                          (json_int_t)report.disagreeing, "unusable", (json_int_t)report.unusable,
                          "messages", report.messages ? report.messages : ""));
    return failed ? complain(EXIT_MEMORY, "out of memory") : EXIT_DONE;
}

static int import(project_run *self) {
    const char *tool;
    TRY(find_tool(self, &tool));
    json_t *counts = json_array();
    int code = EXIT_DONE;
    for (int i = 2; i < self->args->operand_count && code == EXIT_DONE; i++)
        code = import_file(self, tool, self->args->operands[i], counts);
    if (code == EXIT_DONE && option_given(self->args, OPTION_JSON))
        return print_json_object(
            json_pack("{s:s, s:o}", "version", alcore_version(), "files", counts));
    json_decref(counts);
    return code;
}

static int write_labeled(project_run *self) {
    TRY(option_suffix(self->args, OPTION_OUT, ".tsv|.csv|.jsonl"));
    return project_outcome(self, alcore_project_write_labeled(
                                     self->project, option_value(self->args, OPTION_OUT, "-")));
}

/* ---- measures and care ---- */

static int put_metrics(project_run *self) {
    int64_t round = 0;
    TRY(project_round(self, &round));
    for (int i = 2; i < self->args->operand_count; i++) {
        const char *text, *word = self->args->operands[i];
        double value = 0.0;
        char *name;
        TRY(project_split(self, word, &name, &text));
        int code = number_of(text, &value)
                       ? project_outcome(
                             self, alcore_project_put_metric(self->project, round, name, value))
                       : complain(EXIT_USAGE, "project metric: %s: a number is needed", word);
        free(name);
        TRY(code);
    }
    return EXIT_DONE;
}

static int report(project_run *self) {
    const char *path = option_value(self->args, OPTION_OUT, NULL);
    if (!path) return complain(EXIT_USAGE, "project report needs --out FILE.html");
    TRY(option_suffix(self->args, OPTION_OUT, ".html"));
    return project_outcome(self, alcore_project_write_report(self->project, path));
}

static int verify(project_run *self) {
    TRY(project_outcome(self, alcore_project_verify(self->project)));
    terminal_clear();
    if (!option_given(self->args, OPTION_QUIET))
        fprintf(stderr, "%s: every byte is what it was\n", self->folder);
    return EXIT_DONE;
}

static int gc(project_run *self) {
    int64_t bytes = 0;
    TRY(project_outcome(self, alcore_project_gc(self->project, &bytes)));
    if (!option_given(self->args, OPTION_QUIET))
        fprintf(stderr, "%lld bytes were freed\n", (long long)bytes);
    return EXIT_DONE;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    int (*run)(project_run *self);
    int min_operands, max_operands; /* behind the folder */
    const char *operands;           /* as in messages */
    option_id options[16];          /* those of this action only; ends with OPTION_TOTAL */
} actions[] = {
    {"init", make, 0, MAX_OPERANDS, "[NAME=VALUE]...", {OPTION_TOTAL}},
    {"set", set_all, 1, MAX_OPERANDS, "NAME=VALUE...", {OPTION_TOTAL}},
    {"get", project_get, 0, MAX_OPERANDS, "[NAME]...", {OPTION_JSON, OPTION_TOTAL}},
    {"add",
     add,
     1,
     MAX_OPERANDS,
     "FILE...",
     {OPTION_ROLE, OPTION_FORMAT, OPTION_TEXT_COLUMN, OPTION_REFERENCE_COLUMN, OPTION_REFERENCES,
      OPTION_BY, OPTION_LANGUAGE, OPTION_BAD_LINES, OPTION_ESCAPES, OPTION_TOTAL}},
    {"next",
     project_next,
     0,
     0,
     "",
     {OPTION_OUT, OPTION_ROUND, OPTION_JSON, OPTION_STRATEGY, OPTION_PARAM, OPTION_MODEL,
      OPTION_BUDGET, OPTION_FILL, OPTION_MASKS, OPTION_MAX_SIMILARITY, OPTION_TIE, OPTION_NAN,
      OPTION_CACHE, OPTION_SEED, OPTION_DEVICE, OPTION_TOTAL}},
    {"export", export, 0, 0, "", {OPTION_TOOL, OPTION_OUT, OPTION_ROUND, OPTION_TOTAL}},
    {"import",
     import,
     1,
     MAX_OPERANDS,
     "FILE...",
     {OPTION_TOOL, OPTION_ANNOTATOR, OPTION_SPAN_UNIT, OPTION_JSON, OPTION_TOTAL}},
    {"labeled", write_labeled, 0, 0, "", {OPTION_OUT, OPTION_TOTAL}},
    {"metric", put_metrics, 1, MAX_OPERANDS, "NAME=VALUE...", {OPTION_ROUND, OPTION_TOTAL}},
    {"train",
     project_train,
     0,
     MAX_OPERANDS,
     "COMMAND",
     {OPTION_OUT, OPTION_MODEL, OPTION_TO, OPTION_WITH_LABELED, OPTION_MIX, OPTION_COUNT,
      OPTION_PARAM, OPTION_TOTAL}},
    {"eval",
     project_eval,
     0,
     1,
     "COMMAND",
     {OPTION_ROUND, OPTION_TEST, OPTION_MODEL, OPTION_TO, OPTION_METRICS, OPTION_FORMAT,
      OPTION_TEXT_COLUMN, OPTION_REFERENCE_COLUMN, OPTION_REFERENCES, OPTION_BY, OPTION_LANGUAGE,
      OPTION_BAD_LINES, OPTION_ESCAPES, OPTION_TOTAL}},
    {"disagreements", project_show_disagreements, 0, 0, "", {OPTION_JSON, OPTION_TOTAL}},
    {"status", project_show_status, 0, 0, "", {OPTION_JSON, OPTION_TOTAL}},
    {"report", report, 0, 0, "", {OPTION_OUT, OPTION_TOTAL}},
    {"log", project_show_log, 0, 0, "", {OPTION_JSON, OPTION_TOTAL}},
    {"verify", verify, 0, 0, "", {OPTION_TOTAL}},
    {"gc", gc, 0, 0, "", {OPTION_TOTAL}},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

/* The names of the actions, for nearest_name(). */
static const char *action_name_at(int index, void *data) {
    (void)data;
    return index < ACTIONS ? actions[index].name : NULL;
}

/* Whether an action has an option; those of every action are --quiet and --threads. */
static bool action_has(int action, option_id id) {
    const int most = sizeof actions->options / sizeof *actions->options;
    if (id == OPTION_QUIET || id == OPTION_THREADS) return true;
    for (int i = 0; i < most && actions[action].options[i] != OPTION_TOTAL; i++)
        if (actions[action].options[i] == id) return true;
    return false;
}

/* Finds the action of the first operand and checks its operands and options; an exit code. */
static int find_action(const arguments *args, int *out) {
    const char *name = args->operands[0];
    const int given = args->operand_count - 2;
    for (*out = 0; *out < ACTIONS && strcmp(actions[*out].name, name) != 0; ++*out) {
    }
    if (*out == ACTIONS) {
        const char *near = nearest_name(name, action_name_at, NULL);
        return complain(EXIT_USAGE, "project has no action '%s'%s%s%s", name,
                        near ? "; did you mean '" : "", near ? near : "",
                        near ? "'?" : "; see `alcore project --help`");
    }
    if (given < actions[*out].min_operands)
        return complain(EXIT_USAGE, "project %s needs FOLDER %s", name, actions[*out].operands);
    if (given > actions[*out].max_operands)
        return complain(EXIT_USAGE, "project %s takes FOLDER%s%s; '%s' is one too many", name,
                        *actions[*out].operands ? " " : "", actions[*out].operands,
                        args->operands[2 + actions[*out].max_operands]);
    for (int i = 0; i < args->given_count; i++)
        if (!action_has(*out, args->given[i].id))
            return complain(EXIT_USAGE, "project %s has no option '--%s'", name,
                            option_table[args->given[i].id].name);
    return EXIT_DONE;
}

int command_project(const arguments *args) {
    project_run self = {.args = args, .action = args->operands[0], .folder = args->operands[1]};
    int action, code = find_action(args, &action);
    terminal_remedies_of(self.folder);
    if (code == EXIT_DONE) code = terminal_context(args, &self.ctx);
    if (code == EXIT_DONE && actions[action].run != make)
        code = project_outcome(&self, alcore_project_open(self.ctx, self.folder, &self.project));
    if (code == EXIT_DONE) code = actions[action].run(&self);
    terminal_clear();
    alcore_project_unref(self.project);
    alcore_ctx_unref(self.ctx);
    return code;
}
