/* SPDX-License-Identifier: Apache-2.0 */
/* alcore score: computes one score for each row of a pool and writes them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

/* With --json: the scorer, and how many of the rows have a score. */
static int print_counts(const arguments *args, const inputs *in) {
    const int64_t rows = alcore_pool_row_count(in->candidates);
    int64_t scored = 0;
    double *scores = NULL; /* [rows] */
    if (!option_given(args, OPTION_JSON)) return EXIT_DONE;
    int code = inputs_list_scores(in->candidates, &scores);
    for (int64_t i = 0; code == EXIT_DONE && i < rows; i++) scored += !isnan(scores[i]);
    free(scores);
    TRY(code);
    return print_json_object(json_pack("{s:s, s:s, s:I, s:I}", "version", alcore_version(),
                                       "scorer", option_value(args, OPTION_SCORER, ""), "rows",
                                       (json_int_t)rows, "scored", (json_int_t)scored));
}

/* Scores the pool of the inputs and writes the column. */
static int run_score(const arguments *args, alcore_ctx *ctx, const inputs *in) {
    alcore_scorer *scorer = NULL;
    alcore_model *model = NULL;
    alcore_status status = alcore_scorer_new(ctx, option_value(args, OPTION_SCORER, ""), &scorer);
    int code = outcome(status);

    if (code == EXIT_DONE) code = set_scorer_parameters(args, scorer);
    if (code == EXIT_DONE) code = inputs_check_scorer(args, scorer);
    if (code == EXIT_DONE) code = inputs_model(ctx, args, in, &model);
    if (code == EXIT_DONE) {
        status = alcore_scorer_run(scorer, in->candidates, model);
        if (status == ALCORE_OK)
            status = alcore_pool_write_column(in->candidates, "scores",
                                              option_value(args, OPTION_OUT, "-"), NULL);
        terminal_clear();
        code = outcome(status);
    }
    if (code == EXIT_DONE) code = print_counts(args, in);
    alcore_model_unref(model);
    alcore_scorer_unref(scorer);
    return code;
}

int command_score(const arguments *args) {
    alcore_ctx *ctx = NULL;
    inputs in = {0};
    int code;

    if (!option_given(args, OPTION_SCORER))
        return complain(EXIT_USAGE, "score needs --scorer NAME; `alcore scorers` lists them");
    code = option_suffix(args, OPTION_OUT, ".npy|.tsv|.lp");
    if (code == EXIT_DONE) code = json_needs_file(args, "scores");
    if (code == EXIT_DONE) code = terminal_context(args, &ctx);
    if (code == EXIT_DONE) code = inputs_read(ctx, args, &in);
    if (code == EXIT_DONE) code = run_score(args, ctx, &in);
    inputs_release(&in);
    alcore_ctx_unref(ctx);
    return code;
}
