/* SPDX-License-Identifier: Apache-2.0 */
/* alcore lm: trains an n-gram language model on texts (ARPA out), or scores texts with one. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "inputs.h"
#include "text_output.h"

/* What --json says of a model: its order and the number of its n-grams of each length. */
static json_t *describe_model(const alcore_lm *lm, int64_t sentences) {
    json_t *ngrams = json_array();
    for (int32_t order = 1; order <= alcore_lm_order(lm); order++) {
        alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
        if (alcore_lm_order_get(lm, order, &info) == ALCORE_OK)
            json_array_append_new(ngrams, json_integer((json_int_t)info.ngrams));
    }
    return json_pack("{s:s, s:I, s:i, s:o}", "version", alcore_version(), "sentences",
                     (json_int_t)sentences, "order", (int)alcore_lm_order(lm), "ngrams", ngrams);
}

enum { DISCOUNTS = 18 }; /* three for each of six orders */

/* Sets the discounts of the options to the numbers of --discounts, which are written to numbers
 * [DISCOUNTS]. */
static int read_discounts(const arguments *args, double *numbers, alcore_lm_options *options) {
    const char *next = option_value(args, OPTION_DISCOUNTS, NULL), *given = next;
    if (!given) return EXIT_DONE;
    options->discounts = numbers;
    for (bool more = true; more; next++) {
        const size_t length = strcspn(next, ",");
        if (options->discount_count == DISCOUNTS)
            return complain(EXIT_USAGE, "--discounts %s: %d numbers at most", given, DISCOUNTS);
        if (!part_number(next, length, &numbers[options->discount_count++]))
            return complain(EXIT_USAGE,
                            "--discounts %s: numbers with commas between them are "
                            "needed, three for all orders or three for each",
                            given);
        next += length;
        more = *next == ',';
    }
    return EXIT_DONE;
}

/* Trains a model on the texts of the pool and writes it; *facts: what --json prints. */
static alcore_status train(const arguments *args, alcore_ctx *ctx, alcore_pool *pool,
                           const alcore_lm_options *options, json_t **facts) {
    int64_t rows = alcore_pool_row_count(pool);
    const char **texts = malloc(((size_t)rows + 1) * sizeof *texts);
    size_t *lengths = malloc(((size_t)rows + 1) * sizeof *lengths);
    alcore_lm *lm = NULL;
    alcore_status status;

    if (texts && lengths) {
        inputs_list_texts(pool, texts, lengths);
        status = alcore_lm_new_trained(ctx, texts, lengths, rows, options, &lm);
        if (status == ALCORE_OK)
            status = alcore_lm_write_arpa(lm, option_value(args, OPTION_OUT, "-"));
        if (status == ALCORE_OK) *facts = describe_model(lm, rows);
    } else {
        status = alcore_error_set(ALCORE_E_NOMEM, "out of memory", 13);
    }
    alcore_lm_unref(lm);
    free(lengths);
    free(texts);
    return status;
}

/* Rows that one call scores, which bounds the memory for the log-probabilities of their tokens. */
enum { CHUNK_ROWS = 8192 };

/* What was scored. */
typedef struct score_totals {
    int64_t tokens; /* words, and the end of each text */
    double logprob; /* sum of their natural logarithms, in the order of the rows */
} score_totals;

/* Scores rows first to first + count - 1, puts their token log-probabilities into the column and
 * adds them to *totals. rows, texts and lengths are [CHUNK_ROWS], offsets is [CHUNK_ROWS + 1]:
 * memory for this call. */
static alcore_status score_chunk(alcore_lm *lm, const alcore_pool *pool, int64_t first,
                                 int64_t count, int64_t *rows, const char **texts, size_t *lengths,
                                 int64_t *offsets, alcore_column_writer *out,
                                 score_totals *totals) {
    int64_t bounds = count + 1;
    alcore_tensor out_offsets, values;

    for (int64_t i = 0; i < count; i++) {
        rows[i] = first + i;
        texts[i] = alcore_pool_text(pool, first + i, &lengths[i]);
    }
    alcore_status status = alcore_tensor_init(&out_offsets, offsets, ALCORE_INT64, &bounds, 1);
    if (status == ALCORE_OK)
        status = alcore_lm_token_logprobs(lm, texts, lengths, count, &out_offsets, NULL);
    if (status != ALCORE_OK) return status;
    float *logprobs = malloc(((size_t)offsets[count] + 1) * sizeof *logprobs);
    if (!logprobs) return alcore_error_set(ALCORE_E_NOMEM, "out of memory", 13);
    status = alcore_tensor_init(&values, logprobs, ALCORE_FLOAT32, &offsets[count], 1);
    if (status == ALCORE_OK)
        status = alcore_lm_token_logprobs(lm, texts, lengths, count, &out_offsets, &values);
    totals->tokens += offsets[count];
    for (int64_t i = 0; status == ALCORE_OK && i < offsets[count]; i++)
        totals->logprob += (double)logprobs[i];
    /* Offsets become lengths: the writer wants the number of tokens of each row. */
    for (int64_t i = 0; i < count; i++) offsets[i] = offsets[i + 1] - offsets[i];
    if (status == ALCORE_OK) status = alcore_column_writer_put(out, rows, offsets, count, &values);
    free(logprobs);
    return status;
}

/* Scores all rows, chunk by chunk. */
static alcore_status score_rows(alcore_lm *lm, const alcore_pool *pool, alcore_column_writer *out,
                                score_totals *totals) {
    int64_t total = alcore_pool_row_count(pool);
    int64_t *rows = malloc(CHUNK_ROWS * sizeof *rows);
    int64_t *offsets = malloc((CHUNK_ROWS + 1) * sizeof *offsets);
    const char **texts = malloc(CHUNK_ROWS * sizeof *texts);
    size_t *lengths = malloc(CHUNK_ROWS * sizeof *lengths);
    alcore_status status = rows && offsets && texts && lengths
                               ? ALCORE_OK
                               : alcore_error_set(ALCORE_E_NOMEM, "out of memory", 13);

    for (int64_t first = 0; status == ALCORE_OK && first < total; first += CHUNK_ROWS) {
        int64_t count = total - first < CHUNK_ROWS ? total - first : CHUNK_ROWS;
        status = score_chunk(lm, pool, first, count, rows, texts, lengths, offsets, out, totals);
    }
    free(lengths);
    free(texts);
    free(offsets);
    free(rows);
    return status;
}

/* Scores the texts of the pool with the model of --lm and writes the log-probabilities; *facts:
 * what --json prints. */
static alcore_status score(const arguments *args, alcore_ctx *ctx, alcore_pool *pool,
                           json_t **facts) {
    score_totals totals = {0};
    alcore_lm *lm = NULL;
    alcore_column_writer *writer = NULL;
    alcore_status status = alcore_lm_open_arpa(ctx, option_value(args, OPTION_LM, ""), &lm);

    if (status == ALCORE_OK)
        status = alcore_column_writer_new(pool, "logprobs", ALCORE_COLUMN_RAGGED, NULL, &writer);
    if (status == ALCORE_OK) status = score_rows(lm, pool, writer, &totals);
    if (status == ALCORE_OK) status = alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL);
    if (status == ALCORE_OK)
        status =
            alcore_pool_write_column(pool, "logprobs", option_value(args, OPTION_OUT, "-"), NULL);
    if (status == ALCORE_OK)
        *facts = json_pack("{s:s, s:I, s:I, s:f}", "version", alcore_version(), "rows",
                           (json_int_t)alcore_pool_row_count(pool), "tokens",
                           (json_int_t)totals.tokens, "logprob", totals.logprob);
    alcore_column_writer_unref(writer);
    alcore_lm_unref(lm);
    return status;
}

int command_lm(const arguments *args) {
    bool training = !strcmp(args->operands[0], "train");
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    alcore_ctx *ctx = NULL;
    alcore_pool *pool = NULL;
    json_t *facts = NULL;
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    double discounts[DISCOUNTS];
    int64_t order = 4;
    int code;

    if (!training && strcmp(args->operands[0], "score") != 0)
        return complain(EXIT_USAGE, "lm takes train or score, not '%s'", args->operands[0]);
    if (!training && !option_given(args, OPTION_LM))
        return complain(EXIT_USAGE, "lm score needs --lm FILE.arpa");
    if (training && option_given(args, OPTION_LM))
        return complain(EXIT_USAGE, "lm train takes no --lm");
    if (!training && option_given(args, OPTION_DISCOUNTS))
        return complain(EXIT_USAGE, "lm score takes no --discounts: the model has them");
    if (!training) TRY(option_suffix(args, OPTION_OUT, ".lp"));
    code = option_integer(args, OPTION_ORDER, 1, 6, &order);
    options.order = (int32_t)order;
    if (code == EXIT_DONE) code = read_discounts(args, discounts, &options);
    if (code == EXIT_DONE) code = json_needs_file(args, training ? "model" : "log-probabilities");
    if (code == EXIT_DONE) code = terminal_context(args, &ctx);
    keep_all.dedup = ALCORE_DEDUP_NONE;
    if (training) keep_all.repeated_ids = ALCORE_IDS_ANY; /* texts that occur twice count twice */
    if (code == EXIT_DONE) {
        alcore_status status = alcore_pool_new(ctx, &keep_all, &pool);
        code = status == ALCORE_OK ? inputs_read_texts(args, args->operands[1], true, pool)
                                   : terminal_failure(status);
    }
    if (code == EXIT_DONE) {
        alcore_status status =
            training ? train(args, ctx, pool, &options, &facts) : score(args, ctx, pool, &facts);
        terminal_clear();
        code = outcome(status);
    }
    if (code == EXIT_DONE && option_given(args, OPTION_JSON))
        code = print_json_object(json_incref(facts));
    json_decref(facts);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    return code;
}
