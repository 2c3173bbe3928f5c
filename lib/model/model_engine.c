/* SPDX-License-Identifier: Apache-2.0 */
/* A model that runs in a loadable module: the table of alcore/sys/model.h as a model handle.
 *
 * A column of a pool is one or several calls of the engine, each over up to BATCH_ROWS rows in row
 * order. The engine answers item by item in any order; the receiver below turns positions in the
 * call into row numbers and hands the values to the column's writer. Memory: the views of one
 * batch, 32 bytes a row, and the column. */
#include <string.h>

#include "model/model_internal.h"

/* Rows of one call: enough for an engine to put texts of like length side by side, few enough to
 * keep what it holds per call small. */
enum { BATCH_ROWS = 8192 };

/* Which call makes a column. part: of outputs with two numbers a token, the one that the column
 * holds; -1: all of them. */
static const struct {
    const char *column;
    uint32_t call; /* ALCORE_SYS_MODEL_* */
    int32_t shape; /* ALCORE_COLUMN_* */
    int32_t part;
} entries[] = {
    {"embeddings", ALCORE_SYS_MODEL_EMBED, ALCORE_COLUMN_DENSE, -1},
    {"logprobs", ALCORE_SYS_MODEL_TOKEN_LOGPROBS, ALCORE_COLUMN_RAGGED, -1},
    {"probs", ALCORE_SYS_MODEL_CLASS_PROBS, ALCORE_COLUMN_DENSE, -1},
    {"token_probs", ALCORE_SYS_MODEL_TOKEN_PROBS, ALCORE_COLUMN_RAGGED_DENSE, -1},
    {"qa_start", ALCORE_SYS_MODEL_QA_PROBS, ALCORE_COLUMN_RAGGED, 0},
    {"qa_end", ALCORE_SYS_MODEL_QA_PROBS, ALCORE_COLUMN_RAGGED, 1},
    {"mlm_losses", ALCORE_SYS_MODEL_MLM_LOSSES, ALCORE_COLUMN_RAGGED, -1},
};
enum { ENTRIES = (int)(sizeof entries / sizeof *entries) };

/* What the handle owns. */
typedef struct engine_model {
    alcore__model_table table; /* the handle's, with the engine's own name */
    const alcore_sys_model_engine *engine;
    alcore_sys_model *opened;
    alcore_sys_model_info info; /* views of the engine */
} engine_model;

/* Row of `entries` of a column, -1 when no call makes it. */
static int32_t entry_index(const char *column) {
    for (int32_t i = 0; i < ENTRIES; i++)
        if (strcmp(entries[i].column, column) == 0) return i;
    return -1;
}

/* The engine's table may be older and shorter than ours: an entry past its size counts as NULL. */
static bool has_call(const alcore_sys_model_engine *engine, uint32_t call) {
#define HAS(name)                                                                                  \
    (engine->size >= ALCORE__FIRST_SIZE(alcore_sys_model_engine, name) && engine->name != NULL)
    switch (call) {
    case ALCORE_SYS_MODEL_EMBED:
        return HAS(embed);
    case ALCORE_SYS_MODEL_TOKEN_LOGPROBS:
        return HAS(token_logprobs);
    case ALCORE_SYS_MODEL_CLASS_PROBS:
        return HAS(class_probs);
    case ALCORE_SYS_MODEL_TOKEN_PROBS:
        return HAS(token_probs);
    case ALCORE_SYS_MODEL_QA_PROBS:
        return HAS(qa_probs);
    case ALCORE_SYS_MODEL_MLM_LOSSES:
        return HAS(mlm_losses);
    default:
        return false;
    }
#undef HAS
}

static bool can(const alcore_model *model, const char *column) {
    const engine_model *data = model->data;
    int32_t entry = entry_index(column);
    return entry >= 0 && (data->info.calls & entries[entry].call) != 0 &&
           has_call(data->engine, entries[entry].call);
}

/* Where the values of one call go. */
typedef struct receiver {
    const char *engine;
    alcore_column_writer *writer;
    const alcore__model_batch *batch; /* the call's items */
    int64_t *rows;                    /* [capacity of the batch] row numbers of one put */
    int32_t part;                     /* as in entries */
} receiver;

/* A column of two-number tokens: every second number, from `part` on. */
static alcore_status pick_part(const receiver *all, const alcore_tensor *values, int64_t *shape,
                               int64_t *strides, alcore_tensor *out) {
    if (values->ndim != 2 || values->shape[1] != 2)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s gave question-answering values that are not "
                            "[tokens, 2]",
                            all->engine);
    *out = *values;
    shape[0] = values->shape[0];
    strides[0] = values->strides == NULL ? 2 : values->strides[0];
    int64_t step = values->strides == NULL ? 1 : values->strides[1];
    out->ndim = 1;
    out->shape = shape;
    out->strides = strides;
    out->byte_offset += (uint64_t)(all->part * step) * (values->dtype.bits / 8u);
    return ALCORE_OK;
}

/* alcore_sys_model_sink.put: positions in the call become rows of the pool. */
static alcore_status put(void *user, const int64_t *items, int64_t count,
                         const alcore_tensor *values, const int64_t *lengths) {
    receiver *all = user;
    if (count < 0 || count > all->batch->count)
        return alcore__fail(ALCORE_E_INVALID, "%s gave %lld items of a call with %lld", all->engine,
                            (long long)count, (long long)all->batch->count);
    for (int64_t i = 0; i < count; i++) {
        if (items[i] < 0 || items[i] >= all->batch->count)
            return alcore__fail(ALCORE_E_INVALID, "%s gave item %lld of a call with %lld",
                                all->engine, (long long)items[i], (long long)all->batch->count);
        all->rows[i] = all->batch->rows[items[i]];
    }
    if (all->part < 0)
        return alcore_column_writer_put(all->writer, all->rows, count, values, lengths, NULL);
    int64_t shape, stride;
    alcore_tensor half;
    ALCORE__TRY(pick_part(all, values, &shape, &stride, &half));
    return alcore_column_writer_put(all->writer, all->rows, count, &half, lengths, NULL);
}

/* One call of the engine over a batch of texts. */
static alcore_status call_engine(const engine_model *data, uint32_t call,
                                 const alcore_sys_model_texts *texts,
                                 const alcore_sys_model_sink *sink) {
    const alcore_sys_model_engine *engine = data->engine;
    switch (call) {
    case ALCORE_SYS_MODEL_EMBED:
        return engine->embed(data->opened, texts, sink);
    case ALCORE_SYS_MODEL_CLASS_PROBS:
        return engine->class_probs(data->opened, texts, sink);
    case ALCORE_SYS_MODEL_TOKEN_PROBS:
        return engine->token_probs(data->opened, texts, sink);
    case ALCORE_SYS_MODEL_QA_PROBS:
        return engine->qa_probs(data->opened, texts, sink);
    case ALCORE_SYS_MODEL_MLM_LOSSES:
        return engine->mlm_losses(data->opened, texts, NULL, sink);
    default:
        break;
    }
    /* The pool has sources only, so that the model's own output is scored (HUDS, section 2.2). */
    alcore_sys_model_scoring scoring = {.size = sizeof scoring,
                                        .what = ALCORE_SYS_SCORE_HYPOTHESIS};
    return engine->token_logprobs(data->opened, texts, NULL, &scoring, sink);
}

/* All rows of the pool, batch after batch. Holds the pool for reading. */
static alcore_status run_batches(alcore_model *model, alcore_pool *pool, int32_t entry,
                                 receiver *all, alcore__model_batch *batch) {
    const engine_model *data = model->data;
    alcore_sys_model_sink sink = {.size = sizeof sink, .user = all, .put = put};
    int64_t rows = alcore_pool_rows(pool);
    for (int64_t row = 0; row < rows;) {
        alcore__model_batch_fill(pool, entries[entry].column, &row, batch);
        ALCORE__TRY(alcore__tick(model->object.ctx, "model", row, rows));
        if (batch->count == 0) continue;
        alcore_sys_model_texts texts = {.size = sizeof texts,
                                        .count = batch->count,
                                        .texts = batch->texts,
                                        .lengths = batch->lengths,
                                        .languages = batch->languages};
        alcore_status status = call_engine(data, entries[entry].call, &texts, &sink);
        if (status != ALCORE_OK) return alcore__fail_callback(status, data->engine->engine);
    }
    return ALCORE_OK;
}

static alcore_status run(alcore_model *model, alcore_pool *pool, const char *column) {
    const engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    int32_t entry = entry_index(column);
    alcore__model_batch batch = {0};
    receiver all = {.engine = data->engine->engine, .batch = &batch, .part = entries[entry].part};
    if (data->info.takes_tokens)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: the model takes token ids, and no tokenizer for this folder is "
                            "built in; compute the column elsewhere and give it as .npy",
                            model->name);
    ALCORE__TRY(alcore_column_writer_new(pool, column, entries[entry].shape, NULL, &all.writer));
    alcore_status status = alcore__model_batch_room(ctx, BATCH_ROWS, &batch);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, BATCH_ROWS, sizeof *all.rows, &all.rows);
    if (status == ALCORE_OK) status = alcore__read_begin(pool, "pool");
    if (status == ALCORE_OK) {
        status = run_batches(model, pool, entry, &all, &batch);
        alcore__read_end(pool);
    }
    if (status == ALCORE_OK) status = alcore_column_writer_finish(all.writer, ALCORE_MISSING_FAIL);
    alcore__free(ctx, all.rows);
    alcore__model_batch_clear(ctx, &batch);
    alcore_column_writer_unref(all.writer);
    return status;
}

/* The model's version is part of a column's origin: trained further, it makes another column. */
static alcore_status describe(const alcore_model *model, const alcore_pool *pool,
                              const char *column, alcore__buffer *out) {
    const engine_model *data = model->data;
    (void)column;
    return alcore__buffer_format(alcore__pool_ctx(pool), out, ", version %s on %s",
                                 data->info.version, data->info.device);
}

static void engine_free(alcore_ctx *ctx, engine_model *data) {
    if (data->opened != NULL) data->engine->close(data->opened);
    alcore__free(ctx, data);
}

/* In a forked child the engine's threads are gone: it is not called. */
static void release(alcore_model *model) {
    engine_model *data = model->data;
    if (alcore__forked(model->object.ctx)) data->opened = NULL;
    engine_free(model->object.ctx, data);
}

/* An engine of another ABI, or one that lacks what every engine has. */
static alcore_status check_engine(const char *name, const alcore_sys_model_engine *engine) {
    if (engine->size < ALCORE__FIRST_SIZE(alcore_sys_model_engine, info) ||
        engine->abi != ALCORE_SYS_ABI)
        return alcore__fail(ALCORE_E_MODULE,
                            "libalcore-%s.so is of ABI %u, this library of %u; take both from one "
                            "release",
                            name, engine->abi, ALCORE_SYS_ABI);
    if (engine->open == NULL || engine->close == NULL || engine->info == NULL ||
        engine->engine == NULL)
        return alcore__fail(ALCORE_E_MODULE, "libalcore-%s.so lacks open, close, info or its name",
                            name);
    return ALCORE_OK;
}

static alcore_status open_model(alcore_ctx *ctx, const char *path,
                                const alcore_sys_model_options *options, engine_model *data) {
    const alcore_sys_model_engine *engine = data->engine;
    alcore_status status = engine->open(ctx, path, options, &data->opened);
    data->info.size = sizeof data->info;
    if (status == ALCORE_OK) status = engine->info(data->opened, &data->info);
    return status == ALCORE_OK ? status : alcore__fail_callback(status, engine->engine);
}

/* The numbers of both tiers are the same. */
_Static_assert((int)ALCORE_POOLING_MAX == (int)ALCORE_SYS_POOLING_MAX, "poolings of both tiers");
_Static_assert((int)ALCORE_NORMALIZE_NONE == 2, "normalize of alcore_sys_model_options");

alcore_status alcore__model_open_engine(alcore_ctx *ctx, const char *engine, const char *path,
                                        const alcore_sys_model_options *options,
                                        alcore_model **out) {
    const void *module;
    engine_model *data;
    ALCORE__TRY(alcore__module_load(ctx, engine, &module));
    ALCORE__TRY(check_engine(engine, module));
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *data, &data));
    data->engine = module;
    data->table = (alcore__model_table){.engine = data->engine->engine,
                                        .can = can,
                                        .run = run,
                                        .describe = describe,
                                        .release = release};
    alcore_status status = open_model(ctx, path, options, data);
    if (status == ALCORE_OK) status = alcore__model_new(ctx, &data->table, path, true, data, out);
    if (status != ALCORE_OK) engine_free(ctx, data);
    return status;
}

/* The engine that opens folders with config.json: libalcore-model.so where somebody put one, a
 * module of their own; else torch's. */
static alcore_status find_engine(alcore_ctx *ctx, char engine[ALCORE__ENGINE_BYTES]) {
    const void *table;
    alcore__format(engine, ALCORE__ENGINE_BYTES, "model");
    alcore_status status = alcore__module_load(ctx, engine, &table);
    return status == ALCORE_E_MODULE ? alcore__torch_engine(ctx, engine) : status;
}

alcore_status alcore__model_open_with_engine(alcore_ctx *ctx, const char *path,
                                             const alcore_model_options *options,
                                             alcore_model **out) {
    /* The system tier has its own struct, so that the public one may grow without it. */
    const alcore_sys_model_options passed = {.size = sizeof passed,
                                             .device = options->device,
                                             .dtype = options->dtype,
                                             .pooling = options->pooling,
                                             .layer = options->layer,
                                             .normalize = options->normalize,
                                             .max_tokens = options->max_tokens,
                                             .batch_tokens = options->batch_tokens};
    char engine[ALCORE__ENGINE_BYTES];
    alcore_status status = find_engine(ctx, engine);
    if (status == ALCORE_OK) return alcore__model_open_engine(ctx, engine, path, &passed, out);
    if (status != ALCORE_E_MODULE) return status;
    return alcore__fail_within(ALCORE_E_UNSUPPORTED,
                               "%s holds config.json: a Hugging Face model, and there is no engine "
                               "for it",
                               path);
}

alcore_status alcore_model_check_engine(alcore_ctx *ctx) {
    char engine[ALCORE__ENGINE_BYTES];
    ALCORE__TRY(alcore__enter(ctx));
    if (ctx == NULL)
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_INVALID, "alcore_model_check_engine: ctx is needed"));
    return alcore__leave(ctx, find_engine(ctx, engine));
}
