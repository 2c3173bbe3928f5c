/* SPDX-License-Identifier: Apache-2.0 */
/* alcore select: chooses rows under one or several budgets and writes them, with a summary on
 * standard error and, where asked for, reports. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "select_page.h"
#include "text_output.h"

int set_parameters(const arguments *args, alcore_status (*set)(void *, const char *, const char *),
                   void *handle) {
    const char *text;

    for (int i = 0; (text = option_repeat(args, OPTION_PARAM, i)); i++) {
        const char *equals = strchr(text, '=');
        if (!equals || equals == text)
            return complain(EXIT_USAGE, "-p %s: NAME=VALUE is needed", text);
        char *name = strndup(text, (size_t)(equals - text));
        if (!name) return complain(EXIT_MEMORY, "out of memory");
        alcore_status status = set(handle, name, equals + 1);
        free(name);
        TRY(outcome(status));
    }
    return EXIT_DONE;
}

static alcore_status set_strategy_parameter(void *strategy, const char *name, const char *value) {
    return alcore_strategy_set(strategy, name, value);
}

int set_strategy_parameters(const arguments *args, alcore_strategy *strategy) {
    return set_parameters(args, set_strategy_parameter, strategy);
}

static alcore_status set_scorer_parameter(void *scorer, const char *name, const char *value) {
    return alcore_scorer_set(scorer, name, value);
}

int set_scorer_parameters(const arguments *args, alcore_scorer *scorer) {
    return set_parameters(args, set_scorer_parameter, scorer);
}

/* The request's name of an option of the command: "max_similarity" for --max-similarity. */
static void name_of_option(option_id id, char out[32]) {
    snprintf(out, 32, "%s", option_table[id].name);
    for (char *c = out; *c; c++)
        if (*c == '-') *c = '_';
}

int fill_options(const arguments *args, alcore_ctx *ctx, const inputs *in) {
    static const option_id request_options[] = {
        OPTION_BUDGET,         OPTION_PRICE,       OPTION_FILL,          OPTION_MASKS,
        OPTION_MAX_SIMILARITY, OPTION_FUZZY_MATCH, OPTION_TIE,           OPTION_NAN,
        OPTION_SEED,           OPTION_ROUND,       OPTION_DEVICE,        OPTION_CACHE,
        OPTION_CACHE_MAX_AGE,  OPTION_MAX_AGE,     OPTION_REFRESH_FACTOR};

    if (option_given(args, OPTION_FUZZY_MATCH) && !option_given(args, OPTION_LABELED))
        return complain(EXIT_USAGE, "--fuzzy-match compares with the texts of --labeled");
    for (size_t i = 0; i < sizeof request_options / sizeof request_options[0]; i++) {
        const char *value = option_value(args, request_options[i], NULL);
        char name[32];
        name_of_option(request_options[i], name);
        if (value) TRY(outcome(alcore_request_set(in->request, name, value)));
    }
    if (option_given(args, OPTION_LIKE))
        TRY(outcome(alcore_request_read_rows(in->request, ALCORE_ROWS_LIKE,
                                             option_value(args, OPTION_LIKE, ""))));
    return inputs_set_models(ctx, args, in);
}

int fill_request(const arguments *args, alcore_ctx *ctx, const inputs *in) {
    alcore_strategy *strategy = NULL;

    TRY(outcome(alcore_strategy_new(ctx, option_value(args, OPTION_STRATEGY, NULL), &strategy)));
    int code = EXIT_DONE;
    if (option_given(args, OPTION_PLAN))
        code = outcome(alcore_strategy_set(strategy, "file", option_value(args, OPTION_PLAN, "")));
    if (code == EXIT_DONE) code = set_strategy_parameters(args, strategy);
    if (code == EXIT_DONE) code = outcome(alcore_request_set_strategy(in->request, strategy));
    alcore_strategy_unref(strategy);
    TRY(code);
    return fill_options(args, ctx, in);
}

/* ---- results ---- */

/* Length of the next budget in a list such as "2500w, 5000w", without the spaces around it; *text
 * then points to it. */
static size_t next_budget(const char **text) {
    size_t length;

    *text += strspn(*text, ", ");
    length = strcspn(*text, ",");
    while (length > 0 && (*text)[length - 1] == ' ') length--;
    return length;
}

/* Number of budgets in the text of --budget. */
static int count_budgets(const char *text) {
    int count = 1;

    while ((text = strchr(text, ','))) text++, count++;
    return count;
}

char *path_of_budget(const arguments *args, const char *path, int64_t index) {
    const char *budget = option_value(args, OPTION_BUDGET, ""), *mark = strstr(path, "{budget}");
    size_t length = next_budget(&budget), used;

    for (; index > 0; index--) {
        budget += length;
        length = next_budget(&budget);
    }
    char *out = malloc(strlen(path) + length + 1);
    if (!out) return NULL;
    if (!mark) return strcpy(out, path);
    used = (size_t)(mark - path);
    memcpy(out, path, used);
    for (size_t i = 0; i < length; i++)
        if (budget[i] != ' ') out[used++] = budget[i];
    strcpy(out + used, mark + strlen("{budget}"));
    return out;
}

/* Prints the hints of a selection as options: "hint: --fill skip stays within the budget". */
static void print_remedies(const alcore_selection *picked) {
    alcore_remedy remedy = ALCORE_REMEDY_INIT;

    for (int64_t i = 0; alcore_selection_remedy(picked, i, &remedy) == ALCORE_OK; i++) {
        fputs("hint: ", stderr);
        terminal_remedy(stderr, &remedy);
        fprintf(stderr, " %s\n", remedy.effect);
    }
}

/* Writes the selection of one budget and its report, and prints its summary. */
static int write_one(const arguments *args, const inputs *in, const alcore_selection *picked,
                     const char *out, const char *report) {
    alcore_write_options options = ALCORE_WRITE_OPTIONS_INIT;

    if (!strcmp(out, "-")) options.format = ALCORE_FORMAT_TSV;
    TRY(select_page_is(out) ? select_page_write(args, in, picked, out)
                            : outcome(alcore_selection_write(picked, out, &options)));
    if (report) TRY(outcome(alcore_selection_report(picked, report, NULL)));
    if (option_given(args, OPTION_QUIET)) return EXIT_DONE;
    fputs(alcore_selection_summary(picked), stderr);
    print_remedies(picked);
    return EXIT_DONE;
}

/* Prints the provenance of the selection: an object; of several budgets an array of objects. */
static int print_json(const alcore_selection *picked) {
    int64_t count = alcore_selection_budget_count(picked);
    text_output out;
    TRY(text_output_open(&out));
    if (count > 1) fputc('[', out.stream);
    for (int64_t i = 0; i < count; i++)
        fprintf(out.stream, "%s%s", i > 0 ? ",\n" : "",
                alcore_selection_provenance(alcore_selection_of_budget(picked, i)));
    fputs(count > 1 ? "]\n" : "\n", out.stream);
    return text_output_close(&out, EXIT_DONE, "-");
}

/* Writes the selections of all budgets; with --json their provenance follows on standard output. */
static int write_results(const arguments *args, const inputs *in, const alcore_selection *picked) {
    const char *report = option_value(args, OPTION_REPORT, NULL);

    terminal_clear();
    for (int64_t i = 0; i < alcore_selection_budget_count(picked); i++) {
        char *out = path_of_budget(args, option_value(args, OPTION_OUT, "-"), i);
        char *page = report ? path_of_budget(args, report, i) : NULL;
        int code = !out || (report && !page)
                       ? complain(EXIT_MEMORY, "out of memory")
                       : write_one(args, in, alcore_selection_of_budget(picked, i), out, page);
        free(out);
        free(page);
        TRY(code);
    }
    return option_given(args, OPTION_JSON) ? print_json(picked) : EXIT_DONE;
}

/* Whether the rows that the strategy offered ended before one of the budgets was spent. */
static bool any_short(const alcore_selection *picked) {
    for (int64_t i = 0; i < alcore_selection_budget_count(picked); i++)
        if (alcore_selection_flags(alcore_selection_of_budget(picked, i)) & ALCORE_SELECTION_SHORT)
            return true;
    return false;
}

/* Reads the inputs, selects and writes; the exit code. */
static int run_select(const arguments *args, alcore_ctx *ctx, const run_record *record) {
    alcore_selection *picked = NULL;
    inputs in;
    int code = inputs_read(ctx, args, &in);

    if (code == EXIT_DONE)
        code = outcome(alcore_request_set(in.request, "command", record->command));
    if (code == EXIT_DONE) code = fill_request(args, ctx, &in);
    if (code == EXIT_DONE && option_given(args, OPTION_SHARD)) {
        code = shard_select(args, in.request);
        inputs_release(&in);
        return code;
    }
    if (code == EXIT_DONE) code = outcome(alcore_select(in.request, &picked));
    if (code == EXIT_DONE) code = record_check_inputs(record, alcore_selection_provenance(picked));
    if (code == EXIT_DONE) code = write_results(args, &in, picked);
    if (code == EXIT_DONE && option_given(args, OPTION_STRICT) && any_short(picked))
        code = EXIT_SHORT;
    alcore_selection_unref(picked);
    inputs_release(&in);
    return code;
}

/* Refuses a file of one of several budgets that is an input; path: with {budget}. */
static int check_each(const arguments *args, option_id id, const char *path) {
    const int count = count_budgets(option_value(args, OPTION_BUDGET, ""));
    int code = EXIT_DONE;
    for (int i = 0; i < count && code == EXIT_DONE; i++) {
        char *file = path_of_budget(args, path, i);
        code = file ? check_output(args, id, file) : complain(EXIT_MEMORY, "out of memory");
        free(file);
    }
    return code;
}

/* Refuses several budgets with one file for all of them, and files that are inputs. */
static int check_files(const arguments *args) {
    static const option_id files[] = {OPTION_OUT, OPTION_REPORT};
    bool several = count_budgets(option_value(args, OPTION_BUDGET, "")) > 1;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *path = option_value(args, files[i], NULL);
        bool marked = path && strstr(path, "{budget}");
        if (several && !marked && (path || files[i] == OPTION_OUT))
            return complain(EXIT_USAGE,
                            "several budgets need a file each: put {budget} into --%s, such as "
                            "--out sel-{budget}.tsv",
                            option_table[files[i]].name);
        if (marked) TRY(check_each(args, files[i], path));
    }
    return check_outputs(args);
}

int command_select(const arguments *given) {
    alcore_ctx *ctx = NULL;
    run_record record;
    int code = record_open(given, &record);

    if (code == EXIT_DONE && !record.args.operand_count)
        code = complain(EXIT_USAGE, "select needs POOL; see `alcore select --help`");
    if (code == EXIT_DONE && !option_given(&record.args, OPTION_BUDGET))
        code = complain(EXIT_USAGE, "select needs --budget N[i|w|c|u], such as --budget 1000w");
    if (code == EXIT_DONE && option_given(&record.args, OPTION_JSON) &&
        !strcmp(option_value(&record.args, OPTION_OUT, "-"), "-"))
        code = complain(
            EXIT_USAGE,
            "--json needs --out FILE: the picks and the JSON cannot both go to standard output");
    if (code == EXIT_DONE && option_given(&record.args, OPTION_REFRESH_FACTOR) &&
        !option_given(&record.args, OPTION_MAX_AGE))
        code = complain(EXIT_USAGE, "--refresh-factor needs --max-age ROUNDS");
    if (code == EXIT_DONE)
        code = option_suffix(&record.args, OPTION_OUT, ".tsv|.csv|.jsonl|.txt|.html");
    if (code == EXIT_DONE) code = shard_check(&record.args);
    if (code == EXIT_DONE) code = select_page_check(&record.args);
    if (code == EXIT_DONE) code = option_suffix(&record.args, OPTION_REPORT, ".md|.json|.html");
    if (code == EXIT_DONE) code = check_files(&record.args);
    if (code == EXIT_DONE) code = terminal_context(&record.args, &ctx);
    if (code == EXIT_DONE) code = run_select(&record.args, ctx, &record);
    alcore_ctx_unref(ctx);
    record_close(&record);
    return code;
}
