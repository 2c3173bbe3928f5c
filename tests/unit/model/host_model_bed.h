/* SPDX-License-Identifier: Apache-2.0 */
/* A host's model over ten rows, whose functions note what they are asked for and answer as they are
 * told. */
#ifndef HOST_MODEL_BED_H
#define HOST_MODEL_BED_H

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "column_rows.h"
#include "model/model_internal.h"
#include "test_folder.h"

enum { ROWS = 10, PASSES = 64 };

/* One call of the caller's function. */
typedef struct asked {
    int64_t count, first, last; /* rows */
    char columns[80];           /* with blanks between them */
} asked;

/* What a model was asked for, and how it answers. */
typedef struct host {
    asked calls[PASSES];
    int64_t call_count, scored, translated;
    uint64_t version;
    int64_t fail_at;    /* number of the call that fails; 0: none */
    int64_t cancel_at;  /* number of the call in which the context is cancelled; 0: none */
    const char *forget; /* column that it gives no last row of a batch; NULL: none */
    int64_t dims;       /* of embeddings */
    bool nan;           /* some numbers are */
    int32_t margin_shape;
    int32_t per_word, reserved; /* what it says of logprobs and margins; 0: what is right */
    char references[200], contexts[200], ids[200];
    char language[16];
    uint64_t seed;
} host;

static alcore_ctx *ctx;
static alcore_pool *pool;
static host self;
static pthread_t caller; /* the thread that all functions run on */

static inline void set_up(void) {
    char texts[ROWS][16], references[ROWS][16];
    const char *views[ROWS], *targets[ROWS];
    alcore_records records = ALCORE_RECORDS_INIT;
    for (int i = 0; i < ROWS; i++) {
        snprintf(texts[i], sizeof texts[i], "text %.*s", i, "0123456789");
        snprintf(references[i], sizeof references[i], "r%d", i);
        views[i] = texts[i];
        targets[i] = references[i];
    }
    records.texts = views;
    records.references = targets;
    records.count = ROWS;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    caller = pthread_self();
    self = (host){.dims = 2};
}

static inline void tear_down(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* ---- the caller's functions ---- */

static inline int32_t can(void *user, const char *column) {
    static const char *const columns[] = {"embeddings",  "logprobs",   "margins", "qa_start",
                                          "qa_contexts", "mlm_losses", "quality"};
    (void)user;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strcmp(columns[i], column) == 0) return 1;
    return 0;
}

/* Embeddings are the row and what follows it, other columns minus the row; a ragged one has two
 * tokens a row. */
static inline alcore_status put(const host *model, const alcore_batch *batch, const char *column,
                                alcore_column_writer *out) {
    const bool dense = strcmp(column, "embeddings") == 0, scalar = strcmp(column, "quality") == 0;
    const int64_t width = dense ? model->dims : scalar || model->margin_shape ? 1 : 2;
    const int64_t rows =
        batch->count - (model->forget && strcmp(model->forget, column) == 0 ? 1 : 0);
    double values[ROWS * 4];
    int64_t lengths[ROWS], shape[2] = {rows, width}, tokens = rows * width;
    alcore_tensor tensor;
    for (int64_t i = 0; i < rows; i++) {
        lengths[i] = width;
        for (int64_t j = 0; j < width; j++)
            values[i * width + j] = dense ? (double)(batch->rows[i] + j) : -(double)batch->rows[i];
    }
    if (model->nan) values[0] = (double)NAN;
    const bool ragged = !dense && !scalar && width > 1;
    if (ragged)
        ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, &tokens, 1));
    else
        ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, shape, dense ? 2 : 1));
    return alcore_column_writer_put(out, batch->rows, ragged ? lengths : NULL, rows, &tensor);
}

/* Appends the texts of a list to a note, with blanks between them. */
static inline void note(char *out, size_t size, const char *const *texts, const size_t *lengths,
                        int64_t count) {
    for (int64_t i = 0; texts && i < count; i++) {
        const size_t at = strlen(out);
        if (texts[i]) ck_assert_uint_eq(strlen(texts[i]), lengths[i]);
        snprintf(out + at, size - at, "%s ", texts[i] ? texts[i] : "-");
    }
}

static inline alcore_status compute(void *user, const alcore_batch *batch,
                                    const char *const *columns, alcore_column_writer *const *outs,
                                    int64_t count) {
    host *model = user;
    asked *call = &model->calls[model->call_count++];
    *call = (asked){
        .count = batch->count, .first = batch->rows[0], .last = batch->rows[batch->count - 1]};
    ck_assert_ptr_eq(batch->pool, pool);
    ck_assert(pthread_equal(pthread_self(), caller));
    note(model->references, sizeof model->references, batch->references, batch->reference_lengths,
         batch->count);
    note(model->contexts, sizeof model->contexts, batch->contexts, batch->context_lengths,
         batch->count);
    strcat(model->ids, alcore_pool_row_id(batch->pool, batch->rows[0]));
    if (model->call_count == model->cancel_at) alcore_ctx_cancel(ctx);
    for (int64_t c = 0; c < count; c++) {
        const size_t at = strlen(call->columns);
        snprintf(call->columns + at, sizeof call->columns - at, "%s%s", c ? " " : "", columns[c]);
        if (model->call_count == model->fail_at && c == count - 1)
            return alcore_error_set(ALCORE_E_DATA, "the device is gone", 18);
        const alcore_status status = put(model, batch, columns[c], outs[c]);
        if (status != ALCORE_OK) return status;
    }
    return ALCORE_OK;
}

static inline void describe(void *user, const char *column, alcore_model_column *out) {
    const host *model = user;
    ck_assert_uint_eq(out->size, sizeof *out);
    if (strcmp(column, "margins") == 0 && model->margin_shape) out->shape = ALCORE_COLUMN_SCALAR;
    if (strcmp(column, "logprobs") == 0) out->per_word = model->per_word ? model->per_word : 1;
    if (strcmp(column, "margins") == 0) out->reserved = model->reserved;
}

static inline alcore_status score(void *user, const alcore_batch *batch,
                                  alcore_column_writer *out) {
    host *model = user;
    ck_assert(pthread_equal(pthread_self(), caller));
    model->scored += batch->count;
    note(model->references, sizeof model->references, batch->references, batch->reference_lengths,
         batch->count);
    return put(model, batch, "logprobs", out);
}

static inline uint64_t version(void *user) {
    ck_assert(pthread_equal(pthread_self(), caller));
    return ((host *)user)->version;
}

static inline void info(void *user, alcore_model_info *out) {
    (void)user;
    out->family = "letters";
    out->dims = 2;
    out->trains = 1; /* which no host does */
}

static inline alcore_status set_language(void *user, const char *language) {
    host *model = user;
    if (language && strcmp(language, "xx") == 0)
        return alcore_error_set(ALCORE_E_PARAM, "there are de and fr", 19);
    if (language && strcmp(language, "yy") == 0) return 1; /* none of the library's codes */
    snprintf(model->language, sizeof model->language, "%s", language ? language : "");
    return ALCORE_OK;
}

static inline alcore_status set_dropout(void *user, int32_t on, uint64_t seed) {
    ((host *)user)->seed = on ? seed : 0;
    return seed == UINT64_MAX ? 1 : ALCORE_OK;
}

/* A model named "letters" with batches of `rows` rows. */
static inline alcore_model *model_of(int64_t rows, const char *const *reads) {
    alcore_model_host functions = ALCORE_MODEL_HOST_INIT;
    alcore_model *out;
    functions.user = &self;
    functions.name = "letters";
    functions.reads = reads;
    functions.batch_rows = rows;
    functions.can = can;
    functions.compute = compute;
    functions.describe = describe;
    functions.score = score;
    functions.version = version;
    functions.info = info;
    functions.set_language = set_language;
    functions.set_dropout = set_dropout;
    ck_assert_ok(alcore_model_new_host(ctx, &functions, &out));
    return out;
}

static inline const char *origin_of(const char *column) {
    return alcore__pool_find_column(pool, column)->origin;
}

#endif
