/* SPDX-License-Identifier: Apache-2.0 */
/* alcore project train and eval: of a model by the torch engine (--model DIR, --test FILE), or by a
 * command of the user, which the shell reads: a script, `alcore model train CONFIG.json`, `alcore
 * eval bleu`. Its environment says what it is about (alcore_project_work). */
#include <stdlib.h>
#include <string.h>

#include "mix_options.h"
#include "project_run.h"
#include "text_output.h"
#include "train_config.h"

/* The arguments that let the shell read the command of the user. */
typedef const char *shell_command[4];

/* Finds out whether a command or an option with its argument says how it is done; an exit code.
 * *out: the command, or NULL. */
static int find_command(const project_run *self, option_id option, const char *argument,
                        shell_command words, const char *const **out) {
    const bool given = option_given(self->args, option);
    const char *const name = option_table[option].name;
    *out = NULL;
    if (given) return EXIT_DONE;
    if (self->args->operand_count != 3)
        return complain(EXIT_USAGE, "project %s needs one COMMAND, or --%s %s", self->action, name,
                        argument);
    words[0] = "/bin/sh";
    words[1] = "-c";
    words[2] = self->args->operands[2];
    words[3] = NULL;
    *out = words;
    return EXIT_DONE;
}

/* Refuses options that go with the engine. */
static int refuse_options(const project_run *self, const option_id *ids, int count,
                          option_id needed) {
    for (int i = 0; i < count; i++)
        if (option_given(self->args, ids[i]))
            return complain(EXIT_USAGE, "project %s: --%s goes with --%s", self->action,
                            option_table[ids[i]].name, option_table[needed].name);
    return EXIT_DONE;
}

/* ---- train ---- */

/* The value of NAME=VALUE: a number or true and false as JSON has them, or else a text. */
static json_t *read_value(const char *text) {
    json_t *const value = json_loads(text, JSON_DECODE_ANY, NULL);
    if (value && !json_is_string(value)) return value;
    json_decref(value);
    return json_string(text);
}

/* Reads NAME=VALUE of the operands as keys of `alcore model train`. values: an object that keeps
 * the texts. */
static int read_training(const project_run *self, json_t *values, alcore_train_options *out) {
    for (int i = 2; i < self->args->operand_count; i++) {
        const char *text;
        char *name;
        TRY(project_split(self, self->args->operands[i], &name, &text));
        const int failed = json_object_set_new(values, name, read_value(text));
        free(name);
        if (failed) return complain(EXIT_USAGE, "%s: not UTF-8", self->args->operands[i]);
    }
    return train_config_settings("project train", values, out);
}

static int train(project_run *self, alcore_project_train_options *options) {
    const char *model;
    TRY(project_outcome(self, alcore_project_train(self->project, options, &model)));
    terminal_clear();
    if (!option_given(self->args, OPTION_QUIET))
        fprintf(stderr, "%s\n", model ? model : "the project keeps no model of this training");
    return EXIT_DONE;
}

static int train_model(project_run *self, alcore_project_train_options *options) {
    alcore_train_options how = ALCORE_TRAIN_OPTIONS_INIT;
    json_t *const values = json_object();
    options->model = option_value(self->args, OPTION_MODEL, NULL);
    options->language = option_value(self->args, OPTION_TO, NULL);
    options->training = &how;
    int code = values ? read_training(self, values, &how) : complain(EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE) code = train(self, options);
    json_decref(values);
    return code;
}

/* Trains with options that are read but for those of the mix. */
static int train_on_pairs(project_run *self, alcore_project_train_options *options) {
    static const option_id of_mix[] = {OPTION_COUNT, OPTION_PARAM};
    alcore_mix_options mix = ALCORE_MIX_OPTIONS_INIT;
    char *span = NULL;
    int code = EXIT_DONE;
    mix.kind = option_value(self->args, OPTION_MIX, NULL);
    if (mix.kind) {
        options->mix = &mix;
        code = mix_read_parameters(self->args, &mix, &span);
    } else {
        code = refuse_options(self, of_mix, 2, OPTION_MIX);
    }
    if (code == EXIT_DONE)
        code = options->command ? train(self, options) : train_model(self, options);
    free(span);
    return code;
}

int project_train(project_run *self) {
    static const option_id of_model[] = {OPTION_TO};
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    shell_command words;
    TRY(option_suffix(self->args, OPTION_OUT, ".tsv|.csv|.jsonl"));
    options.labeled = option_value(self->args, OPTION_OUT, NULL);
    options.with_labeled = option_given(self->args, OPTION_WITH_LABELED);
    options.show = 1;
    TRY(find_command(self, OPTION_MODEL, "DIR", words, &options.command));
    if (options.command) TRY(refuse_options(self, of_model, 1, OPTION_MODEL));
    return train_on_pairs(self, &options);
}

/* ---- eval ---- */

/* Says what was measured. */
static int print_measures(const project_run *self, const char *measures) {
    const char *name;
    json_t *value, *const all = json_loads(measures, 0, NULL);
    int64_t round = 0;
    if (!all) return complain(EXIT_MEMORY, "out of memory");
    int code = project_round(self, &round);
    json_object_foreach(all, name, value) if (code == EXIT_DONE)
        fprintf(stderr, "round %lld: %s %.12g\n", (long long)round, name, json_number_value(value));
    json_decref(all);
    return code;
}

static int evaluate(project_run *self, const alcore_project_eval_options *options) {
    const char *measures;
    TRY(project_outcome(self, alcore_project_eval(self->project, options, &measures)));
    terminal_clear();
    if (option_given(self->args, OPTION_QUIET)) return EXIT_DONE;
    char *const copy = strdup(measures); /* the next call of the project ends the view */
    if (!copy) return complain(EXIT_MEMORY, "out of memory");
    const int code = print_measures(self, copy);
    free(copy);
    return code;
}

int project_eval(project_run *self) {
    static const option_id of_test[] = {
        OPTION_TO,        OPTION_METRICS,          OPTION_FORMAT,     OPTION_TEXT_COLUMN,
        OPTION_LANGUAGE,  OPTION_REFERENCE_COLUMN, OPTION_REFERENCES, OPTION_BY,
        OPTION_BAD_LINES, OPTION_ESCAPES};
    alcore_project_eval_options options = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    shell_command words;
    if (option_given(self->args, OPTION_ROUND))
        TRY(option_integer(self->args, OPTION_ROUND, 0, INT64_MAX, &options.round));
    options.model = option_value(self->args, OPTION_MODEL, NULL);
    options.show = 1;
    TRY(find_command(self, OPTION_TEST, "FILE", words, &options.command));
    if (options.command) {
        TRY(refuse_options(self, of_test, sizeof of_test / sizeof *of_test, OPTION_TEST));
        return evaluate(self, &options);
    }
    if (self->args->operand_count > 2)
        return complain(EXIT_USAGE, "project eval takes FOLDER with --test; '%s' is one too many",
                        self->args->operands[2]);
    TRY(project_reading(self, &reading));
    options.test = option_value(self->args, OPTION_TEST, NULL);
    options.reading = &reading;
    options.metrics = option_value(self->args, OPTION_METRICS, NULL);
    options.language = option_value(self->args, OPTION_TO, NULL);
    return evaluate(self, &options);
}
