/* SPDX-License-Identifier: Apache-2.0 */
/* alcore project next: a round, with options of its own in the place of settings. */
#include <stdlib.h>
#include <string.h>

#include "project_run.h"
#include "text_output.h"

/* What the options of one round say, in the place of settings. */
typedef struct given_settings {
    char **names;        /* [count] owned, as their list is */
    const char **values; /* [count] owned list */
    int count;
} given_settings;

static void free_given(given_settings *given) {
    for (int i = 0; i < given->count; i++) free(given->names[i]);
    free(given->names);
    free(given->values);
}

/* Adds a setting, for which there is room; its name is [length]. An empty value is the default. */
static int add_given(given_settings *given, const char *name, size_t length, const char *value) {
    char *copy = strndup(name, length);
    if (!copy) return complain(EXIT_MEMORY, "out of memory");
    given->names[given->count] = copy;
    given->values[given->count++] = *value ? value : NULL;
    return EXIT_DONE;
}

/* Takes the options that are called as those of `alcore select`, and -p NAME=VALUE. */
static int read_given(const project_run *self, given_settings *given) {
    static const struct {
        option_id id;
        const char *name;
    } options[] = {{OPTION_STRATEGY, "strategy"}, {OPTION_MODEL, "model"},
                   {OPTION_BUDGET, "budget"},     {OPTION_FILL, "fill"},
                   {OPTION_MASKS, "masks"},       {OPTION_MAX_SIMILARITY, "max_similarity"},
                   {OPTION_TIE, "tie"},           {OPTION_NAN, "nan"},
                   {OPTION_CACHE, "cache"},       {OPTION_SEED, "seed"},
                   {OPTION_DEVICE, "device"}};
    const size_t most = (size_t)self->args->given_count + 1;
    const char *text;
    given->names = calloc(most, sizeof *given->names);
    given->values = calloc(most, sizeof *given->values);
    if (!given->names || !given->values) return complain(EXIT_MEMORY, "out of memory");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *name = options[i].name;
        TRY(option_once(self->args, options[i].id));
        if ((text = option_value(self->args, options[i].id, NULL)))
            TRY(add_given(given, name, strlen(name), text));
    }
    for (int i = 0; (text = option_repeat(self->args, OPTION_PARAM, i)); i++) {
        const char *equals = strchr(text, '=');
        if (!equals || equals == text)
            return complain(EXIT_USAGE, "-p %s: NAME=VALUE is needed", text);
        TRY(add_given(given, text, (size_t)(equals - text), equals + 1));
    }
    return EXIT_DONE;
}

/* Whether a round was selected with these values and no others; settings: of the log, or NULL. */
static bool same_given(const given_settings *given, const json_t *settings) {
    for (int i = 0; i < given->count; i++) {
        const json_t *there = json_object_get(settings, given->names[i]);
        const char *value = given->values[i];
        if (!there || json_is_null(there) != !value ||
            (value && strcmp(json_string_value(there), value) != 0))
            return false;
    }
    return json_object_size(settings) == (size_t)given->count;
}

/* A round that is there stays as it is. One that was selected with other values is not what is
 * asked for. */
static int keep_round(project_run *self, int64_t round, const given_settings *given) {
    json_t *settings;
    TRY(project_round_settings(self, round, &settings));
    const bool same = same_given(given, settings);
    char *text = settings ? json_dumps(settings, JSON_COMPACT) : NULL;
    int code = EXIT_DONE;
    if (!same)
        code = complain(EXIT_USAGE,
                        "round %lld was selected before, %s%s; it is not selected again with "
                        "other options",
                        (long long)round, text ? "with " : "by the settings", text ? text : "");
    else if (!option_given(self->args, OPTION_QUIET))
        fprintf(stderr, "round %lld was selected before, and stays as it is\n", (long long)round);
    free(text);
    json_decref(settings);
    return code;
}

/* With --round N: *there, whether the project has that round already, so that a script that was
 * interrupted may repeat the line. */
static int has_round(const project_run *self, int64_t *round, bool *there) {
    alcore_project_status now = ALCORE_PROJECT_STATUS_INIT;
    *there = false;
    if (!option_given(self->args, OPTION_ROUND)) return EXIT_DONE;
    TRY(option_integer(self->args, OPTION_ROUND, 1, INT64_MAX, round));
    TRY(project_outcome(self, alcore_project_get_status(self->project, &now)));
    *there = *round <= now.rounds;
    if (*round <= now.rounds + 1) return EXIT_DONE;
    return complain(EXIT_USAGE, "--round %lld: the next round is %lld", (long long)*round,
                    (long long)now.rounds + 1);
}

/* Writes the picks to --out, with --json their provenance, and says what they are. */
static int write_picks(const project_run *self, const alcore_selection *picked) {
    const char *out = option_value(self->args, OPTION_OUT, NULL);
    if (out) TRY(outcome(alcore_selection_write(picked, out, NULL)));
    if (!option_given(self->args, OPTION_QUIET)) fputs(alcore_selection_summary(picked), stderr);
    if (option_given(self->args, OPTION_JSON)) puts(alcore_selection_provenance(picked));
    return EXIT_DONE;
}

/* Selects the round, or keeps the one that is there. */
static int select_round(project_run *self, const given_settings *given) {
    alcore_selection *picked = NULL;
    int64_t round = 0;
    bool there;
    TRY(has_round(self, &round, &there));
    if (there) return keep_round(self, round, given);
    int code = project_outcome(self, alcore_project_next(self->project, NULL,
                                                         (const char *const *)given->names,
                                                         given->values, given->count, &picked));
    terminal_clear();
    if (code == EXIT_DONE) code = write_picks(self, picked);
    alcore_selection_unref(picked);
    return code;
}

int project_next(project_run *self) {
    given_settings given = {NULL, NULL, 0};
    TRY(option_suffix(self->args, OPTION_OUT, ".tsv|.csv|.jsonl|.txt"));
    int code = read_given(self, &given);
    if (code == EXIT_DONE) code = select_round(self, &given);
    free_given(&given);
    return code;
}
