/* SPDX-License-Identifier: Apache-2.0 */
/* alcore project get, status, log and disagreements: what is known, of the project's document. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "project_run.h"
#include "text_output.h"

/* Prints a number without an exponent or digits that say nothing. */
static void print_amount(const char *name, double value) {
    if (isnan(value)) return;
    printf("%s\t%.12g\n", name, value);
}

/* The document of the project, which the caller releases. */
static int read_document(const project_run *self, json_t **out) {
    const char *text;
    TRY(project_outcome(self, alcore_project_document(self->project, &text)));
    *out = json_loads(text, 0, NULL);
    return *out ? EXIT_DONE : complain(EXIT_MEMORY, "out of memory");
}

/* Prints a text as TSV files escape it. */
static void print_text(const char *text) {
    for (const char *c = text; c && *c; c++) {
        if (*c == '\t' || *c == '\n' || *c == '\\')
            printf("\\%c", *c == '\t' ? 't' : *c == '\n' ? 'n' : '\\');
        else
            putchar(*c);
    }
}

/* ---- status ---- */

/* A training or an evaluation that has not ended, or has failed. */
static void print_work(const char *action, bool open, const char *failure) {
    if (open) printf("unfinished\t%s\n", action);
    if (!failure) return;
    printf("failed\t%s: ", action);
    print_text(failure);
    putchar('\n');
}

static void print_status(const alcore_project_status *now) {
    static const char *const units[] = {"items", "words", "characters", "units"};
    const int unit = now->unit - ALCORE_UNIT_ITEMS;
    printf("rounds\t%lld\n", (long long)now->rounds);
    printf("candidates\t%lld\n", (long long)now->candidates);
    printf("labeled\t%lld\n", (long long)now->labeled);
    printf("items\t%lld\n", (long long)now->items);
    printf("answered\t%lld\n", (long long)now->answered);
    printf("open\t%lld\n", (long long)now->open);
    printf("without\t%lld\n", (long long)now->without);
    printf("disagreeing\t%lld\n", (long long)now->disagreeing);
    printf("answers\t%lld\n", (long long)now->answers);
    if (unit >= 0 && unit < 4) printf("unit\t%s\n", units[unit]);
    print_amount("spent", now->spent);
    print_amount("refunded", now->refunded);
    print_amount("left", now->left);
    print_work("train", now->training, now->training_failure);
    print_work("eval", now->evaluating, now->evaluating_failure);
}

/* What is to be made again, first of all: a training or an evaluation. Whether there is one. */
static bool print_again(const char *folder, const char *action, bool open, const char *failure) {
    if (!open && !failure) return false;
    fprintf(stderr, "next: `alcore project %s %s` %s; run it again\n", action, folder,
            failure ? "failed" : "was begun and has not ended");
    return true;
}

/* The command that comes next, as a hint on standard error. */
static void print_next(const project_run *self, const alcore_project_status *now) {
    const char *folder = self->folder;
    if (option_given(self->args, OPTION_QUIET)) return;
    if (print_again(folder, "train", now->training, now->training_failure) ||
        print_again(folder, "eval", now->evaluating, now->evaluating_failure))
        return;
    if (!now->candidates)
        fprintf(stderr, "next: `alcore project add %s FILE` adds candidates\n", folder);
    else if (!now->open)
        fprintf(stderr, "next: `alcore project next %s` selects round %lld\n", folder,
                (long long)now->rounds + 1);
    else
        fprintf(
            stderr,
            "next: `alcore project export %s --tool NAME --out FILE` writes the open items of the "
            "last round, with --round all those of all rounds, and `alcore project import %s FILE "
            "--tool NAME` takes their answers\n",
            folder, folder);
}

int project_show_status(project_run *self) {
    alcore_project_status now = ALCORE_PROJECT_STATUS_INIT;
    if (option_given(self->args, OPTION_JSON)) {
        json_t *document;
        TRY(read_document(self, &document));
        return print_json_object(document);
    }
    TRY(project_outcome(self, alcore_project_get_status(self->project, &now)));
    print_status(&now);
    TRY(output_end());
    print_next(self, &now);
    return EXIT_DONE;
}

/* ---- lists of the document ---- */

/* Prints a cell of a TSV: a text as TSV files escape it, anything else as JSON; NULL: nothing. */
static void print_cell(const json_t *value) {
    char *text =
        json_is_string(value) || !value ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    print_text(text ? text : json_string_value(value));
    free(text);
}

/* Prints a line with members of an object, or with their names; a name behind a dot is of the
 * second object. names ends with a NULL. */
static void print_row(const char *const *names, const json_t *row, const json_t *second) {
    for (const char *const *name = names; *name; name++) {
        if (name > names) putchar('\t');
        if (!row)
            fputs(**name == '.' ? *name + 1 : *name, stdout);
        else
            print_cell(**name == '.' ? json_object_get(second, *name + 1)
                                     : json_object_get(row, *name));
    }
    putchar('\n');
}

/* With --json prints a list of the document as it is, else its rows as a TSV; inner: the list of
 * each row that has a line for each of its entries, or NULL. */
static int print_list(const project_run *self, const char *member, const char *inner,
                      const char *const *names) {
    json_t *document, *list, *row, *entry;
    size_t index, number;
    TRY(read_document(self, &document));
    list = json_object_get(document, member);
    if (option_given(self->args, OPTION_JSON)) {
        const int code = print_json_object(json_incref(list));
        json_decref(document);
        return code;
    }
    print_row(names, NULL, NULL);
    json_array_foreach(list, index, row) {
        if (!inner) print_row(names, row, NULL);
        json_array_foreach(json_object_get(row, inner ? inner : ""), number, entry)
            print_row(names, row, entry);
    }
    json_decref(document);
    return EXIT_DONE;
}

int project_show_log(project_run *self) {
    static const char *const names[] = {"step", "time", "what", "arguments", "result", NULL};
    return print_list(self, "steps", NULL, names);
}

/* How annotators agree, as a line on standard error. */
static void print_agreement(const alcore_project_agreement *found) {
    fprintf(stderr, "agreement: %lld of %lld items", (long long)found->agreeing,
            (long long)found->items);
    if (!isnan(found->alpha)) fprintf(stderr, "; Krippendorff's alpha %.3f", found->alpha);
    if (!isnan(found->kappa)) fprintf(stderr, "; Cohen's kappa %.3f", found->kappa);
    if (!isnan(found->chrf)) fprintf(stderr, "; chrF %.1f (free texts have no kappa)", found->chrf);
    fputc('\n', stderr);
}

int project_show_disagreements(project_run *self) {
    static const char *const names[] = {"round",   "id",     "text", ".annotator",
                                        ".status", ".value", NULL};
    alcore_project_agreement found = ALCORE_PROJECT_AGREEMENT_INIT;
    TRY(print_list(self, "disagreements", "answers", names));
    if (option_given(self->args, OPTION_QUIET)) return EXIT_DONE;
    TRY(project_outcome(self, alcore_project_get_agreement(self->project, &found)));
    TRY(output_end());
    terminal_clear();
    if (found.items > 0) print_agreement(&found);
    return EXIT_DONE;
}

/* ---- settings ---- */

/* Prints all settings that were set, as NAME TAB VALUE. */
static int print_settings(const project_run *self) {
    json_t *document, *value;
    const char *name;
    TRY(read_document(self, &document));
    json_t *settings = json_object_get(document, "settings");
    if (option_given(self->args, OPTION_JSON)) {
        const int code = print_json_object(json_incref(settings));
        json_decref(document);
        return code;
    }
    json_object_foreach(settings, name, value) {
        printf("%s\t", name);
        print_cell(value);
        putchar('\n');
    }
    json_decref(document);
    return EXIT_DONE;
}

int project_get(project_run *self) {
    const arguments *args = self->args;
    if (args->operand_count == 2) return print_settings(self);
    json_t *all = json_object();
    int code = EXIT_DONE;
    for (int i = 2; i < args->operand_count && code == EXIT_DONE; i++) {
        const char *value = NULL;
        code = project_outcome(self, alcore_project_get(self->project, args->operands[i], &value));
        if (code == EXIT_DONE)
            json_object_set_new(all, args->operands[i], value ? json_string(value) : json_null());
        if (code == EXIT_DONE && !option_given(args, OPTION_JSON)) puts(value ? value : "");
    }
    if (code == EXIT_DONE && option_given(args, OPTION_JSON)) return print_json_object(all);
    json_decref(all);
    return code;
}

int project_round_settings(const project_run *self, int64_t round, json_t **out) {
    json_t *document, *step;
    size_t index;
    *out = NULL;
    TRY(read_document(self, &document));
    json_array_foreach(json_object_get(document, "steps"), index, step) {
        const char *what = json_string_value(json_object_get(step, "what"));
        const json_t *number = json_object_get(json_object_get(step, "result"), "round");
        if (what && strcmp(what, "next") == 0 && json_integer_value(number) == round)
            *out = json_object_get(json_object_get(step, "arguments"), "settings");
    }
    json_incref(*out);
    json_decref(document);
    return EXIT_DONE;
}
