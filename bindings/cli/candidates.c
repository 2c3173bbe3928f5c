/* SPDX-License-Identifier: Apache-2.0 */
/* alcore candidates: the rows to score elsewhere (spec 3.7). */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"

static alcore_status draw(const arguments *args, alcore_ctx *ctx, const inputs *in, int64_t count) {
    const char *seed = option_value(args, OPTION_SEED, NULL);
    const char *round = option_value(args, OPTION_ROUND, NULL);
    int64_t room =
        count < alcore_pool_rows(in->candidates) ? count : alcore_pool_rows(in->candidates);
    int64_t *rows = malloc(((size_t)room + 1) * sizeof *rows);
    alcore_request *request = NULL;
    alcore_status status = alcore_request_new(ctx, &request);

    if (!rows) status = alcore_error_set(ALCORE_E_NOMEM, "out of memory", 13);
    if (status == ALCORE_OK)
        status = alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, in->candidates);
    if (status == ALCORE_OK)
        status = alcore_request_set_pool(request, ALCORE_ROLE_LABELED, in->labeled);
    if (status == ALCORE_OK && seed) status = alcore_request_set(request, "seed", seed);
    if (status == ALCORE_OK && round) status = alcore_request_set(request, "round", round);
    if (status == ALCORE_OK) status = alcore_request_candidates(request, room, rows, &count);
    if (status == ALCORE_OK)
        status =
            alcore_pool_write(in->candidates, rows, count, option_value(args, OPTION_OUT, "-"));
    alcore_request_unref(request);
    free(rows);
    return status;
}

int command_candidates(const arguments *args) {
    alcore_ctx *ctx = NULL;
    int64_t count = 0;
    inputs in = {0};
    int code;

    if (!option_given(args, OPTION_COUNT))
        return complain(EXIT_USAGE, "candidates needs --count N");
    code = option_integer(args, OPTION_COUNT, 1, INT64_MAX, &count);
    if (code == EXIT_DONE) code = terminal_context(args, &ctx);
    if (code == EXIT_DONE) code = inputs_read(ctx, args, &in);
    if (code == EXIT_DONE) {
        alcore_status status = draw(args, ctx, &in, count);
        terminal_clear();
        code = outcome(status);
    }
    inputs_release(&in);
    alcore_ctx_unref(ctx);
    return code;
}
