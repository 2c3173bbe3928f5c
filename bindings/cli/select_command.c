/* SPDX-License-Identifier: Apache-2.0 */
/* alcore select: the main job. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"

/* Splits NAME=VALUE and gives it to set(). */
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

static int fill_request(const arguments *args, alcore_ctx *ctx, const inputs *in,
                        alcore_request *request) {
    static const option_id passed_on[] = {OPTION_BUDGET, OPTION_FILL, OPTION_SPREAD, OPTION_TIE,
                                          OPTION_NAN,    OPTION_SEED, OPTION_ROUND,  OPTION_DEVICE};
    alcore_strategy *strategy = NULL;
    alcore_model *model = NULL;
    int code;

    TRY(outcome(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, in->candidates)));
    TRY(outcome(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, in->labeled)));
    TRY(outcome(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, in->target)));
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++) {
        const char *value = option_value(args, passed_on[i], NULL);
        if (value)
            TRY(outcome(alcore_request_set(request, option_table[passed_on[i]].name, value)));
    }
    TRY(outcome(alcore_strategy_new(ctx, option_value(args, OPTION_STRATEGY, "huds"), &strategy)));
    code = set_parameters(args, set_strategy_parameter, strategy);
    if (code == EXIT_DONE) code = outcome(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    TRY(code);
    TRY(inputs_model(ctx, args, in, &model));
    code = outcome(alcore_request_set_model(request, model));
    alcore_model_unref(model);
    return code;
}

static int write_results(const arguments *args, const alcore_selection *picked,
                         const char *provenance) {
    const char *out = option_value(args, OPTION_OUT, "-");
    const char *report = option_value(args, OPTION_REPORT, NULL);

    terminal_clear();
    TRY(outcome(alcore_selection_write(picked, out,
                                       strcmp(out, "-") ? ALCORE_FORMAT_AUTO : ALCORE_FORMAT_TSV)));
    if (report) TRY(outcome(alcore_selection_report(picked, report, 0)));
    if (option_given(args, OPTION_JSON)) {
        puts(provenance);
        if (fflush(stdout) || ferror(stdout))
            return complain(EXIT_IO, "cannot write to standard output");
    }
    if (!option_given(args, OPTION_QUIET)) fputs(alcore_selection_summary(picked), stderr);
    return EXIT_DONE;
}

static int run_select(const arguments *args, alcore_ctx *ctx, const run_record *record) {
    alcore_request *request = NULL;
    alcore_selection *picked = NULL;
    inputs in;
    int code = inputs_read(ctx, args, &in);

    if (code == EXIT_DONE) code = outcome(alcore_request_new(ctx, &request));
    if (code == EXIT_DONE) code = outcome(alcore_request_set(request, "command", record->command));
    if (code == EXIT_DONE) code = fill_request(args, ctx, &in, request);
    if (code == EXIT_DONE) code = outcome(alcore_select(request, &picked));
    if (code == EXIT_DONE) code = record_check_inputs(record, alcore_selection_provenance(picked));
    if (code == EXIT_DONE) code = write_results(args, picked, alcore_selection_provenance(picked));
    if (code == EXIT_DONE && option_given(args, OPTION_STRICT) &&
        (alcore_selection_flags(picked) & ALCORE_SELECTION_SHORT))
        code = EXIT_SHORT;
    alcore_selection_unref(picked);
    alcore_request_unref(request);
    inputs_release(&in);
    return code;
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
        code = complain(EXIT_USAGE, "--json needs --out FILE: standard output holds one thing");
    if (code == EXIT_DONE) code = option_suffix(&record.args, OPTION_OUT, ".tsv|.csv|.jsonl|.txt");
    if (code == EXIT_DONE) code = option_suffix(&record.args, OPTION_REPORT, ".md|.json|.html");
    if (code == EXIT_DONE) code = terminal_context(&record.args, &ctx);
    if (code == EXIT_DONE) code = run_select(&record.args, ctx, &record);
    alcore_ctx_unref(ctx);
    record_close(&record);
    return code;
}
