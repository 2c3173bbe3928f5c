/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose own functions are the model. The library calls them with batches of texts and the
 * columns that it needs of them, and they write one row of numbers per text and column.
 *
 * build: cc own_model.c -o own_model $(pkg-config --cflags --libs alcore) -lm
 * usage: own_model POOL.txt */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <alcore/alcore.h>

#define DIMS 26

static void check(alcore_status status) {
    if (status == ALCORE_OK) return;
    fprintf(stderr, "own_model: %s (%s)\n", alcore_last_error(), alcore_status_name(status));
    exit(1);
}

/* Takes the place of your encoder: component j of a text's vector, float32 [count, DIMS], is how
 * often the j-th letter of the alphabet occurs in it. */
static alcore_status embed(const alcore_batch *batch, alcore_column_writer *out) {
    float *vectors = calloc((size_t)batch->count * DIMS, sizeof *vectors);
    int64_t shape[2] = {batch->count, DIMS};
    alcore_tensor values;

    if (!vectors) return ALCORE_E_NOMEM;
    for (int64_t i = 0; i < batch->count; i++)
        for (const char *c = batch->texts[i]; *c; c++)
            if (*c >= 'a' && *c <= 'z') vectors[i * DIMS + (*c - 'a')] += 1.0f;
    alcore_tensor_init(&values, vectors, ALCORE_FLOAT32, shape, 2);
    alcore_status status = alcore_column_writer_put(out, batch->rows, NULL, batch->count, &values);
    free(vectors);
    return status;
}

/* Takes the place of your decoder: every byte of a text is a token, and an "e" is likelier than any
 * other byte. Texts are put one by one, because each has its own number of tokens. */
static alcore_status token_logprobs(const alcore_batch *batch, alcore_column_writer *out) {
    for (int64_t i = 0; i < batch->count; i++) {
        int64_t tokens = (int64_t)batch->lengths[i];
        float *logprobs = malloc((size_t)(tokens ? tokens : 1) * sizeof *logprobs);
        alcore_tensor values;

        if (!logprobs) return ALCORE_E_NOMEM;
        for (int64_t j = 0; j < tokens; j++)
            logprobs[j] = batch->texts[i][j] == 'e' ? -1.0f : -4.0f;
        alcore_tensor_init(&values, logprobs, ALCORE_FLOAT32, &tokens, 1);
        alcore_status status = alcore_column_writer_put(out, &batch->rows[i], &tokens, 1, &values);
        free(logprobs);
        if (status != ALCORE_OK) return status;
    }
    return ALCORE_OK;
}

/* Whether the functions make a column. */
static int32_t can(void *user, const char *column) {
    (void)user;
    return strcmp(column, "embeddings") == 0 || strcmp(column, "logprobs") == 0;
}

/* Makes the columns of a batch that are still needed: a neural model gives all of them by one
 * forward pass. */
static alcore_status compute(void *user, const alcore_batch *batch, const char *const *columns,
                             alcore_column_writer *const *outs, int64_t count) {
    alcore_status status = ALCORE_OK;

    (void)user;
    for (int64_t c = 0; c < count && status == ALCORE_OK; c++)
        status = strcmp(columns[c], "embeddings") == 0 ? embed(batch, outs[c])
                                                       : token_logprobs(batch, outs[c]);
    return status;
}

int main(int argc, char **argv) {
    alcore_ctx *ctx;
    alcore_pool *pool;
    alcore_model *model;
    alcore_request *request;
    alcore_strategy *huds; /* which reads what the model gives */
    alcore_selection *picked;
    alcore_model_host functions = ALCORE_MODEL_HOST_INIT;

    if (argc != 2) {
        fprintf(stderr, "usage: own_model POOL.txt\n");
        return 2;
    }
    functions.name = "letters";
    functions.can = can;
    functions.compute = compute;

    check(alcore_ctx_new(NULL, &ctx));
    check(alcore_pool_new(ctx, NULL, &pool));
    check(alcore_pool_read(pool, argv[1], NULL));
    check(alcore_model_new_host(ctx, &functions, &model));
    check(alcore_request_new(ctx, &request));
    check(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    check(alcore_request_set_model(request, model));
    check(alcore_strategy_new(ctx, "huds", &huds));
    check(alcore_request_set_strategy(request, huds));
    check(alcore_request_set(request, "budget", "3"));
    check(alcore_select(request, &picked));
    for (int64_t i = 0; i < alcore_selection_count(picked); i++)
        printf("%s\n    %s\n", alcore_pool_text(pool, alcore_selection_rows(picked)[i], NULL),
               alcore_selection_reason(picked, i));

    alcore_selection_unref(picked);
    alcore_request_unref(request);
    alcore_strategy_unref(huds);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    return 0;
}
