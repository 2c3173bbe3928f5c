/* SPDX-License-Identifier: Apache-2.0 */
/* A model whose functions are callbacks of the host program (alcore_model_host): the handle, and
 * what it tells of itself. The rows reach the functions in host_calls.c. */
#include "model/model_host.h"

#include <inttypes.h>
#include <string.h>

#include "pool/column_names.h"

/* ---- what the functions say ---- */

/* alcore__model_table.can: columns of texts are never made, as a writer takes numbers. */
static bool can(const alcore_model *model, const char *column) {
    const alcore_model_host *host = &alcore__host_data(model)->host;
    const alcore__column_name *known = alcore__column_name_find(column);
    if (!host->compute || (known && known->values == ALCORE__COLUMN_TEXTS)) return false;
    return host->can(host->user, column) != 0;
}

/* alcore__model_table.shape, .meaning and .is_per_word. A shape or meaning that is not known is
 * refused by the writer of the column. */
static int32_t shape(const alcore_model *model, const char *column) {
    return alcore__host_describe_column(model, column).shape;
}

static int32_t meaning(const alcore_model *model, const char *column) {
    return alcore__host_describe_column(model, column).meaning;
}

static bool is_per_word(const alcore_model *model, const char *column) {
    return alcore__host_describe_column(model, column).per_word == 1;
}

/* alcore__model_table.describe: the version is part of the origin of a column, so that the columns
 * of a model that was trained further since are not used again; and so is what the functions may
 * have read of the pool beside its texts. */
static alcore_status describe(const alcore_model *model, const alcore_pool *pool,
                              const char *column, alcore__buffer *out) {
    const alcore__host_model *data = alcore__host_data(model);
    const alcore_model_host *host = &data->host;
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    uint64_t details = 0;
    (void)column;
    if (host->version)
        ALCORE__TRY(
            alcore__buffer_format(ctx, out, ", version %" PRIu64, host->version(host->user)));
    if (model->named)
        ALCORE__TRY(alcore__pool_hash_details(pool, (const char *const *)data->reads, &details));
    if (details == 0) return ALCORE_OK;
    return alcore__buffer_format(ctx, out, ", details of rows %016" PRIx64, details);
}

/* alcore__model_table.cacheable: its name and version tell whether the host's functions would
 * answer the same; a model without a name is never asked. */
static bool cacheable(const alcore_model *model, const char *column) {
    (void)model;
    (void)column;
    return true;
}

/* alcore__model_table.info */
static void info(const alcore_model *model, alcore_model_info *out) {
    const alcore__host_model *data = alcore__host_data(model);
    if (data->host.info) data->host.info(data->host.user, out);
    out->engine = "host";
    out->translates = data->translate != NULL;
    out->scores = data->host.score != NULL;
    out->trains = out->saves = 0;
}

/* alcore__model_table.set_language and .set_dropout: the version says that columns differ then. */
static alcore_status set_language(alcore_model *model, const char *language) {
    const alcore_model_host *host = &alcore__host_data(model)->host;
    if (!host->set_language && !language) return ALCORE_OK;
    if (!host->set_language)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s has no outputs in a language",
                            model->name);
    const alcore_status status = host->set_language(host->user, language);
    return status == ALCORE_OK ? status : alcore__fail_callback(status, "the model's function");
}

static alcore_status set_dropout(alcore_model *model, int32_t on, uint64_t seed) {
    const alcore_model_host *host = &alcore__host_data(model)->host;
    if (!host->set_dropout && !on) return ALCORE_OK;
    if (!host->set_dropout)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s scores nothing in which dropout could be on", model->name);
    const alcore_status status = host->set_dropout(host->user, on, seed);
    return status == ALCORE_OK ? status : alcore__fail_callback(status, "the model's function");
}

/* alcore__model_table.translate */
static alcore_status translate(alcore_model *model, alcore_pool *pool,
                               const alcore__translating *how, alcore_pool *out) {
    const alcore__host_model *data = alcore__host_data(model);
    if (!data->translate)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s does not translate", model->name);
    return data->translate(model, pool, how, out);
}

/* ---- the handle ---- */

/* Frees the copy of the caller's list and the state. */
static void data_free(alcore_ctx *ctx, alcore__host_model *data) {
    for (char **read = data->reads; read && *read; read++) alcore__free(ctx, *read);
    alcore__free(ctx, (void *)data->reads);
    alcore__free(ctx, data);
}

/* alcore__model_table.release; the host's destroy runs once. */
static void release(alcore_model *model) {
    alcore__host_model *data = model->data;
    if (data->host.destroy) data->host.destroy(data->host.user);
    data_free(model->object.ctx, data);
}

static const alcore__model_table table = {.engine = "host",
                                          .can = can,
                                          .fill = alcore__host_fill,
                                          .cacheable = cacheable,
                                          .describe = describe,
                                          .info = info,
                                          .translate = translate,
                                          .score = alcore__host_score,
                                          .set_language = set_language,
                                          .set_dropout = set_dropout,
                                          .shape = shape,
                                          .meaning = meaning,
                                          .is_per_word = is_per_word,
                                          .release = release};

alcore__host_model *alcore__host_of(const alcore_model *model) {
    return model->table == &table ? model->data : NULL;
}

/* Copies the caller's list, which may be NULL. */
static alcore_status copy_reads(alcore_ctx *ctx, const char *const *reads,
                                alcore__host_model *data) {
    size_t count = 0;
    if (!reads) return ALCORE_OK;
    while (reads[count]) count++;
    ALCORE__TRY(alcore__new_array(ctx, count + 1, sizeof *data->reads, &data->reads));
    for (size_t i = 0; i < count; i++) {
        data->reads[i] = alcore__strndup(ctx, reads[i], strlen(reads[i]));
        if (!data->reads[i]) return alcore__fail_memory(strlen(reads[i]) + 1);
    }
    return ALCORE_OK;
}

/* Refuses settings out of bounds. */
static alcore_status check_host(const alcore_model_host *host) {
    if (host->batch_rows < 0 || host->batch_rows > 1 << 24)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_host: batch_rows is %lld; 0 to 16777216 are allowed",
                            (long long)host->batch_rows);
    if (host->batch_bytes < 0)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_host: batch_bytes is %lld; 0 or more is expected",
                            (long long)host->batch_bytes);
    if (host->compute && !host->can)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_host: compute needs can, which says which columns it "
                            "makes");
    return ALCORE_OK;
}

/* Copies the host's struct, which is read by its size, into a new handle, which owns the copy and
 * calls host->destroy when it is released; after a failure destroy is not called. A model without a
 * name is not `named`: its columns are never used again, because nothing tells two such models
 * apart. */
static alcore_status new_host(alcore_ctx *ctx, const alcore_model_host *caller_host,
                              alcore_model **out) {
    alcore__host_model *data;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *data, &data));
    alcore_model_host *host = &data->host;
    alcore_status status =
        alcore__struct_read(host, sizeof *host, ALCORE__FIRST_SIZE(alcore_model_host, set_dropout),
                            caller_host, "alcore_model_host");
    if (status == ALCORE_OK) status = check_host(host);
    if (status == ALCORE_OK) status = copy_reads(ctx, host->reads, data);
    if (status == ALCORE_OK)
        status = alcore__model_new(ctx, &table, host->name ? host->name : "host",
                                   host->name != NULL /* it names the model */, data, out);
    if (status != ALCORE_OK) {
        data_free(ctx, data);
        return status;
    }
    host->name = NULL; /* the caller's strings; the handle has copies */
    host->reads = NULL;
    return ALCORE_OK;
}

alcore_status alcore_model_new_host(alcore_ctx *ctx, const alcore_model_host *host,
                                    alcore_model **out) {
    if (out) *out = NULL;
    if (!ctx || !host || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_new_host: ctx, host and out are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, new_host(ctx, host, out));
}
