/* SPDX-License-Identifier: Apache-2.0 */
/* alcore candidates: writes the rows that a strategy with candidates=N would draw, so that they can
 * be scored elsewhere. */
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

/* Draws `count` rows by the seed and round of the command line and writes them; *drawn: how many
 * they are, fewer where the pool has fewer. */
static alcore_status draw(const arguments *args, const inputs *in, int64_t count, int64_t *drawn) {
    static const option_id request_options[] = {OPTION_SEED, OPTION_ROUND, OPTION_MASKS};
    alcore_status status = ALCORE_OK;
    alcore_tensor rows;

    for (size_t i = 0;
         status == ALCORE_OK && i < sizeof request_options / sizeof request_options[0]; i++) {
        const char *value = option_value(args, request_options[i], NULL);
        if (value)
            status = alcore_request_set(in->request, option_table[request_options[i]].name, value);
    }
    if (status == ALCORE_OK) status = alcore_request_candidates(in->request, count, &rows);
    if (status == ALCORE_OK) {
        *drawn = rows.shape[0];
        status = alcore_pool_write(in->candidates, rows.data, rows.shape[0],
                                   option_value(args, OPTION_OUT, "-"), NULL);
    }
    return status;
}

int command_candidates(const arguments *args) {
    alcore_ctx *ctx = NULL;
    int64_t count = 0, drawn = 0;
    inputs in = {0};
    int code;

    if (!option_given(args, OPTION_COUNT))
        return complain(EXIT_USAGE, "candidates needs --count N");
    code = option_suffix(args, OPTION_OUT, ".tsv|.csv|.jsonl|.txt");
    if (code == EXIT_DONE) code = json_needs_file(args, "candidates");
    if (code == EXIT_DONE) code = option_integer(args, OPTION_COUNT, 1, INT64_MAX, &count);
    if (code == EXIT_DONE) code = terminal_context(args, &ctx);
    if (code == EXIT_DONE) code = inputs_read(ctx, args, &in);
    if (code == EXIT_DONE) {
        alcore_status status = draw(args, &in, count, &drawn);
        terminal_clear();
        code = outcome(status);
    }
    if (code == EXIT_DONE && option_given(args, OPTION_JSON))
        code = print_json_object(json_pack("{s:s, s:I, s:I}", "version", alcore_version(), "rows",
                                           (json_int_t)alcore_pool_row_count(in.candidates),
                                           "candidates", (json_int_t)drawn));
    inputs_release(&in);
    alcore_ctx_unref(ctx);
    return code;
}
