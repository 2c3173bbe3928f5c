/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings of static models. The vector of a text is
 *
 *   v = (sum over its tokens t of weight(t) row(t)) / (number of tokens)
 *
 * after which the modules of the folder follow. The sum is divided by the number of tokens, not by
 * the sum of the weights, as model2vec does; tokens that are marked as left out, and so not
 * counted, are the unknown ones of its folders. A text without tokens has the vector 0.
 *
 * Texts are computed in tasks of TASK_TEXTS on the context's threads. Each vector is made by one
 * thread, in the order of the text's tokens: the bytes do not depend on the number of threads. A
 * text of n tokens reads n rows of the table, most of which are not in the caches of the core;
 * that, and not the arithmetic, is what it costs. */
#include "model/static_engine.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/tensor_view.h"
#include "formats/json_text.h"
#include "model/static_dense.h"

enum { TASK_TEXTS = 64 };
/* The row of a token is prefetched while the row of the token this many places before it is added:
 * a row of a large table takes about 600 ns to come from memory if it was not prefetched. */
enum { FETCH_AHEAD = 2 };

/* A module behind the table. */
typedef struct module {
    bool is_dense;
    alcore__static_dense dense; /* of a Dense; else a Normalize */
} module;

/* An opened model: what alcore_sys_model points to. */
typedef struct model {
    alcore_ctx *ctx;
    alcore__static_table table;
    module modules[ALCORE__MOST_MODULES]; /* [module_count] */
    size_t module_count;
    int64_t width; /* most components that any of the vectors has */
    int64_t dims;  /* components behind the last module */
    int64_t kept;  /* the first ones that embeddings have */
    int64_t max_tokens;
    char version[ALCORE__HASH_TEXT_BYTES];
    char *json; /* owned */
} model;

static model *of(alcore_sys_model *opened) {
    return (model *)(void *)opened;
}

/* ---- opening ---- */

static alcore_status add_module(alcore_ctx *ctx, const alcore_sys_model_module *said, model *self) {
    module *one = &self->modules[self->module_count++];
    one->is_dense = said->kind == ALCORE_SYS_MODULE_DENSE;
    if (!one->is_dense) return ALCORE_OK;
    ALCORE__TRY(alcore__static_dense_read(ctx, said->folder, &one->dense));
    if (one->dense.in != self->dims)
        return alcore__fail(ALCORE_E_DATA,
                            "%s: in_features is %lld, but what stands before it has %lld "
                            "components",
                            said->folder, (long long)one->dense.in, (long long)self->dims);
    self->dims = one->dense.out;
    if (self->dims > self->width) self->width = self->dims;
    return ALCORE_OK;
}

/* The modules of the folder, and the Normalize at the end that it or the caller asks for. */
static alcore_status add_modules(alcore_ctx *ctx, const alcore__folder_settings *settings,
                                 int32_t normalize, model *self) {
    for (size_t i = 0; i < settings->module_count; i++)
        ALCORE__TRY(add_module(ctx, &settings->modules[i], self));
    if (normalize == ALCORE_SYS_NORMALIZE_UNIT ||
        (normalize == ALCORE_SYS_NORMALIZE_AUTO && settings->normalize))
        self->modules[self->module_count++] = (module){0};
    return ALCORE_OK;
}

/* Appends the hash of an array, in pieces between which a call can be cancelled. */
static alcore_status hash_bytes(alcore_ctx *ctx, const void *data, size_t bytes,
                                alcore__buffer *out) {
    const size_t piece = (size_t)64 << 20;
    for (size_t at = 0; at < bytes; at += piece) {
        char text[ALCORE__HASH_TEXT_BYTES];
        const size_t count = bytes - at < piece ? bytes - at : piece;
        ALCORE__TRY(alcore__tick(ctx, "reading the model", (int64_t)at, (int64_t)bytes));
        alcore__hash_print(alcore__hash128((const char *)data + at, count), text);
        ALCORE__TRY(alcore__buffer_format(ctx, out, "%s\n", text));
    }
    return ALCORE_OK;
}

static alcore_status hash_matrix(alcore_ctx *ctx, const double *matrix, int64_t rows,
                                 int64_t columns, alcore__buffer *out) {
    if (!matrix) return ALCORE_OK;
    return hash_bytes(ctx, matrix, (size_t)(rows * columns) * sizeof *matrix, out);
}

static alcore_status hash_module(alcore_ctx *ctx, const module *one, alcore__buffer *out) {
    const alcore__static_dense *dense = &one->dense;
    ALCORE__TRY(alcore__buffer_format(ctx, out, "%d %d %d %d\n", one->is_dense, dense->activation,
                                      dense->has_residual, dense->bias != NULL));
    ALCORE__TRY(hash_matrix(ctx, dense->weight, dense->out, dense->in, out));
    ALCORE__TRY(hash_matrix(ctx, dense->bias, dense->out, 1, out));
    return hash_matrix(ctx, dense->residual, dense->out, dense->in, out);
}

/* The version: a hash of the file of the table, of the modules and of the sizes. */
static alcore_status set_version(alcore_ctx *ctx, model *self) {
    alcore__buffer lines = {0};
    alcore_status status =
        alcore__buffer_format(ctx, &lines, "%d %" PRId64 " %" PRId64 "\n", self->table.of_model2vec,
                              self->kept, self->max_tokens);
    if (status == ALCORE_OK)
        status = hash_bytes(ctx, self->table.map.data, self->table.map.bytes, &lines);
    for (size_t i = 0; i < self->module_count && status == ALCORE_OK; i++)
        status = hash_module(ctx, &self->modules[i], &lines);
    if (status == ALCORE_OK)
        alcore__hash_print(alcore__hash128(lines.data, lines.length), self->version);
    alcore__buffer_clear(ctx, &lines);
    return status;
}

static const char *family(const model *self) {
    return self->table.of_model2vec ? "model2vec" : "StaticEmbedding";
}

static alcore_status set_json(alcore_ctx *ctx, model *self) {
    const alcore__static_table *table = &self->table;
    alcore__json_out json = {.ctx = ctx};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "family", family(self));
    alcore__json_put_string(&json, "head", "embeddings");
    alcore__json_put_integer(&json, "rows", table->row_count);
    alcore__json_put_integer(&json, "components", table->dims);
    alcore__json_put_string(&json, "dtype",
                            table->type == ALCORE_INT32 ? "int8" : alcore__dtype_name(table->type));
    if (table->weights) alcore__json_put_flag(&json, "weights", true);
    alcore__json_close(&json, '}');
    self->json = json.text.data;
    if (json.status == ALCORE_OK) return ALCORE_OK;
    alcore__buffer_clear(ctx, &json.text);
    self->json = NULL;
    return json.status;
}

static void static_close(alcore_sys_model *opened) {
    model *self = of(opened);
    if (!self) return;
    alcore_ctx *ctx = self->ctx;
    alcore__static_table_close(ctx, &self->table);
    for (size_t i = 0; i < self->module_count; i++)
        alcore__static_dense_clear(ctx, &self->modules[i].dense);
    alcore__free(ctx, self->json);
    alcore__free(ctx, self);
}

/* Completes a model that has its table. */
static alcore_status fill(alcore_ctx *ctx, const alcore__folder_settings *settings,
                          int32_t normalize, model *self) {
    self->dims = self->width = self->table.dims;
    ALCORE__TRY(add_modules(ctx, settings, normalize, self));
    self->kept = settings->truncate_dims > 0 && settings->truncate_dims < self->dims
                     ? settings->truncate_dims
                     : self->dims;
    ALCORE__TRY(set_version(ctx, self));
    return set_json(ctx, self);
}

alcore_status alcore__static_open(alcore_ctx *ctx, const alcore__folder_settings *settings,
                                  int64_t max_tokens, int32_t normalize,
                                  alcore__static_table *table, alcore_sys_model **out) {
    model *self;
    alcore_status status = alcore__new_array(ctx, 1, sizeof *self, &self);
    if (status != ALCORE_OK) {
        alcore__static_table_close(ctx, table);
        return status;
    }
    self->ctx = ctx;
    self->max_tokens = max_tokens;
    self->table = *table;
    *table = (alcore__static_table){0};
    *out = (alcore_sys_model *)(void *)self;
    status = fill(ctx, settings, normalize, self);
    if (status == ALCORE_OK) return ALCORE_OK;
    static_close(*out);
    *out = NULL;
    return status;
}

static alcore_status static_info(alcore_sys_model *opened, alcore_sys_model_info *out) {
    const model *self = of(opened);
    *out = (alcore_sys_model_info){.size = sizeof *out,
                                   .calls = ALCORE_SYS_MODEL_EMBED,
                                   .takes_tokens = 1,
                                   .dims = self->kept,
                                   .max_tokens = self->max_tokens,
                                   .vocabulary = self->table.tokens,
                                   .family = family(self),
                                   .device = "cpu",
                                   .version = self->version,
                                   .json = self->json};
    return ALCORE_OK;
}

/* ---- embeddings ---- */

/* One call of embed(). */
typedef struct embedding {
    const model *self;
    const alcore_sys_model_texts *texts;
    double *scratch; /* [threads, 2, width] */
    float *values;   /* [texts->count, kept] */
} embedding;

/* Divides a vector by its length; 0 stays 0. */
static void normalize(double *vector, int64_t dims) {
    double square = 0;
    for (int64_t j = 0; j < dims; j++) square += vector[j] * vector[j];
    const double length = sqrt(square);
    for (int64_t j = 0; length > 0 && j < dims; j++) vector[j] /= length;
}

/* Sets mean [table.dims] of the tokens of text `item`. */
static alcore_status set_mean(const embedding *call, int64_t item, double *mean) {
    const alcore_sys_model_texts *texts = call->texts;
    const alcore__static_table *table = &call->self->table;
    const int64_t last = texts->offsets[item + 1];
    int64_t count = 0;
    memset(mean, 0, (size_t)table->dims * sizeof *mean);
    for (int64_t t = texts->offsets[item]; t < last; t++) {
        if (texts->marks && (texts->marks[t] & ALCORE_SYS_TOKEN_LEFT_OUT)) continue;
        if (texts->ids[t] < 0 || texts->ids[t] >= table->tokens)
            return alcore__fail(ALCORE_E_DATA,
                                "token %" PRId64 " has no row in the table of %" PRId64,
                                texts->ids[t], table->tokens);
        if (t + FETCH_AHEAD < last) alcore__static_table_fetch(table, texts->ids[t + FETCH_AHEAD]);
        alcore__static_table_add(table, texts->ids[t], mean);
        count++;
    }
    for (int64_t j = 0; count > 1 && j < table->dims; j++) mean[j] /= (double)count;
    return ALCORE_OK;
}

/* Sets the embedding [kept] of text `item`; scratch: double [2, width]. */
static alcore_status embed_text(const embedding *call, int64_t item, double *scratch, float *out) {
    const model *self = call->self;
    double *vector = scratch, *next = scratch + self->width;
    int64_t dims = self->table.dims;
    ALCORE__TRY(set_mean(call, item, vector));
    for (size_t i = 0; i < self->module_count; i++) {
        const module *one = &self->modules[i];
        if (!one->is_dense) {
            normalize(vector, dims);
            continue;
        }
        alcore__static_dense_apply(&one->dense, vector, next);
        double *const before = vector;
        vector = next;
        next = before;
        dims = one->dense.out;
    }
    for (int64_t j = 0; j < self->kept; j++) {
        out[j] = (float)vector[j];
        if (!isfinite(out[j]))
            return alcore__fail(ALCORE_E_DATA,
                                "%s: the vector of a text is not finite: the table has a NaN, an "
                                "infinity or numbers that are too large",
                                alcore__file_path(self->table.map.file));
    }
    return ALCORE_OK;
}

/* Task `index` (an alcore__task): TASK_TEXTS texts, or those that are left. */
static alcore_status embed_task(void *data, int64_t index, int32_t worker) {
    const embedding *call = data;
    const int64_t first = index * TASK_TEXTS, left = call->texts->count - first;
    const int64_t last = first + (left < TASK_TEXTS ? left : TASK_TEXTS);
    double *scratch = call->scratch + 2 * worker * call->self->width;
    for (int64_t i = first; i < last; i++)
        ALCORE__TRY(embed_text(call, i, scratch, call->values + i * call->self->kept));
    return ALCORE_OK;
}

/* Hands the values of all texts to the sink. */
static alcore_status put_all(const embedding *call, const alcore_sys_model_sink *sink) {
    alcore_ctx *ctx = call->self->ctx;
    const int64_t count = call->texts->count;
    int64_t shape[2] = {count, call->self->kept};
    alcore_tensor values;
    int64_t *items;
    ALCORE__TRY(alcore_tensor_init(&values, call->values, ALCORE_FLOAT32, shape, 2));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *items, &items));
    for (int64_t i = 0; i < count; i++) items[i] = i;
    const alcore_status status = sink->put(sink->user, items, NULL, count, &values);
    alcore__free(ctx, items);
    return status;
}

static alcore_status static_embed(alcore_sys_model *opened, const alcore_sys_model_texts *texts,
                                  const alcore_sys_model_sink *sink) {
    const model *self = of(opened);
    alcore_ctx *ctx = self->ctx;
    embedding call = {.self = self, .texts = texts};
    const size_t threads = (size_t)alcore_ctx_threads(ctx);
    ALCORE__TRY(alcore__file_map_check(&self->table.map));
    alcore_status status = alcore__new_array(ctx, threads * 2 * (size_t)self->width,
                                             sizeof *call.scratch, &call.scratch);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, (size_t)texts->count * (size_t)self->kept,
                                   sizeof *call.values, &call.values);
    if (status == ALCORE_OK)
        status = alcore__parallel(ctx, NULL, (texts->count + TASK_TEXTS - 1) / TASK_TEXTS,
                                  embed_task, &call);
    if (status == ALCORE_OK) status = put_all(&call, sink);
    alcore__free(ctx, call.scratch);
    alcore__free(ctx, call.values);
    return status;
}

/* There is no open(): alcore__static_open() is called in its place. */
const alcore_sys_model_engine alcore__static_engine = {.size = sizeof(alcore_sys_model_engine),
                                                       .abi = ALCORE_SYS_ABI,
                                                       .engine = "cpu",
                                                       .close = static_close,
                                                       .info = static_info,
                                                       .embed = static_embed};
