/* SPDX-License-Identifier: Apache-2.0 */
/* alcore lm train|score: the n-gram language model by itself. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"

static alcore_status train(const arguments *args, alcore_ctx *ctx, alcore_pool *pool,
                           int64_t order) {
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    int64_t rows = alcore_pool_rows(pool);
    const char **texts = malloc(((size_t)rows + 1) * sizeof *texts);
    size_t *lengths = malloc(((size_t)rows + 1) * sizeof *lengths);
    alcore_lm *lm = NULL;
    alcore_status status;

    options.order = (int32_t)order;
    if (texts && lengths) {
        for (int64_t row = 0; row < rows; row++)
            texts[row] = alcore_pool_text(pool, row, &lengths[row]);
        status = alcore_lm_train(ctx, &options, texts, lengths, rows, &lm);
        if (status == ALCORE_OK)
            status = alcore_lm_write_arpa(lm, option_value(args, OPTION_OUT, "-"));
    } else {
        status = alcore_error_set(ALCORE_E_NOMEM, "out of memory", 13);
    }
    alcore_lm_unref(lm);
    free(lengths);
    free(texts);
    return status;
}

/* Token log-probabilities of one row, in a buffer that grows. */
static alcore_status score_row(alcore_lm *lm, const alcore_pool *pool, int64_t row, float **values,
                               int64_t *capacity, alcore_column_writer *out) {
    size_t length;
    const char *text = alcore_pool_text(pool, row, &length);
    int64_t tokens = 0;
    alcore_tensor tensor;
    alcore_status status = alcore_lm_token_logprobs(lm, text, length, *values, *capacity, &tokens);

    if (status == ALCORE_OK && tokens > *capacity) {
        float *grown = realloc(*values, (size_t)tokens * 2 * sizeof **values);
        if (!grown) return alcore_error_set(ALCORE_E_NOMEM, "out of memory", 13);
        *values = grown;
        *capacity = tokens * 2;
        status = alcore_lm_token_logprobs(lm, text, length, *values, *capacity, &tokens);
    }
    if (status != ALCORE_OK) return status;
    alcore_tensor_init(&tensor, *values, ALCORE_FLOAT32, &tokens, 1);
    return alcore_column_writer_put(out, &row, 1, &tensor, &tokens, NULL);
}

static alcore_status score(const arguments *args, alcore_ctx *ctx, alcore_pool *pool) {
    alcore_lm *lm = NULL;
    alcore_column_writer *writer = NULL;
    float *values = NULL;
    int64_t capacity = 0;
    alcore_status status = alcore_lm_read_arpa(ctx, option_value(args, OPTION_LM, ""), &lm);

    if (status == ALCORE_OK)
        status = alcore_column_writer_new(pool, "logprobs", ALCORE_COLUMN_RAGGED, NULL, &writer);
    for (int64_t row = 0; status == ALCORE_OK && row < alcore_pool_rows(pool); row++)
        status = score_row(lm, pool, row, &values, &capacity, writer);
    if (status == ALCORE_OK) status = alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL);
    if (status == ALCORE_OK)
        status = alcore_pool_write_column(pool, "logprobs", option_value(args, OPTION_OUT, "-"));
    free(values);
    alcore_column_writer_unref(writer);
    alcore_lm_unref(lm);
    return status;
}

int command_lm(const arguments *args) {
    bool training = !strcmp(args->operands[0], "train");
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_ctx *ctx = NULL;
    alcore_pool *pool = NULL;
    int64_t order = 4;
    int code;

    if (!training && strcmp(args->operands[0], "score") != 0)
        return complain(EXIT_USAGE, "lm takes train or score, not '%s'", args->operands[0]);
    if (!training && !option_given(args, OPTION_LM))
        return complain(EXIT_USAGE, "lm score needs --lm FILE.arpa");
    if (training && option_given(args, OPTION_LM))
        return complain(EXIT_USAGE, "lm train takes no --lm");
    code = option_integer(args, OPTION_ORDER, 1, 6, &order);
    if (code == EXIT_DONE) code = terminal_context(args, &ctx);
    keep_all.dedup = ALCORE_DEDUP_NONE;
    if (code == EXIT_DONE) {
        alcore_status status = alcore_pool_new(ctx, &keep_all, &pool);
        code = status == ALCORE_OK ? inputs_read_texts(args, args->operands[1], true, pool)
                                   : terminal_failure(status);
    }
    if (code == EXIT_DONE) {
        alcore_status status = training ? train(args, ctx, pool, order) : score(args, ctx, pool);
        terminal_clear();
        code = outcome(status);
    }
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    return code;
}
