/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a static model: the first byte says which of its files the rest of the input is. A
 * folder that is accepted gives a vector of finite numbers to each text, or says that its table has
 * none. */
#include <math.h>
#include <string.h>

#include "alcore/model.h"
#include "fuzz_target.h"

static const char config_json[] = "{\"model_type\":\"model2vec\",\"normalize\":true}";
static const char modules_json[] =
    "[{\"idx\":0,\"name\":\"0\",\"path\":\"\",\"type\":\"sentence_transformers.models."
    "StaticEmbedding\"},{\"idx\":1,\"name\":\"1\",\"path\":\"1_Normalize\",\"type\":"
    "\"sentence_transformers.models.Normalize\"}]";
static const char tokenizer_json[] =
    "{\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},\"model\":{\"type\":\"WordLevel\","
    "\"unk_token\":\"<unk>\",\"vocab\":{\"<unk>\":0,\"a\":1,\"bb\":2}}}";
/* Three rows of two numbers. */
static const char table[] =
    "\x48\0\0\0\0\0\0\0{\"embeddings\":{\"dtype\":\"I8\",\"shape\":[3,2],\"data_offsets\":[0,6]}}  "
    "      \1\2\3\4\5\6";

#define TEXT_FILE(name, text)                                                                      \
    { name, text, sizeof(text) - 1 }

static const memory_file files[] = {
    TEXT_FILE("model.safetensors", table), TEXT_FILE("config.json", config_json),
    TEXT_FILE("tokenizer.json", tokenizer_json), TEXT_FILE("modules.json", modules_json)};
enum { FILES = (int)(sizeof files / sizeof *files) };

/* Reads the vectors of all rows. */
static void check_vectors(const alcore_pool *pool, int64_t count) {
    static const int64_t rows[] = {0, 1, 2};
    double values[3 * 64];
    int64_t shape[2] = {count, 0};
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    alcore_tensor tensor;
    FUZZ_CHECK(alcore_pool_get_column_info(pool, "embeddings", &info) == ALCORE_OK);
    if (info.width > 64) return;
    shape[1] = info.width;
    FUZZ_CHECK(alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, shape, 2) == ALCORE_OK);
    FUZZ_CHECK(alcore_pool_get_column_rows(pool, "embeddings", rows, count, &tensor) == ALCORE_OK);
    for (int64_t i = 0; i < count * info.width; i++) FUZZ_CHECK(isfinite(values[i]));
}

static void embed(alcore_ctx *ctx, alcore_model *model) {
    static const char *const texts[] = {"a bb a", "nothing a", "\xc3\xa9 \xf0\x9f\xa7\xbf bb"};
    alcore_pool *pool;
    FUZZ_CHECK(alcore_pool_new(ctx, NULL, &pool) == ALCORE_OK);
    FUZZ_CHECK(alcore_pool_add_texts(pool, texts, NULL, 3, NULL) == ALCORE_OK);
    const alcore_status status = alcore_model_run(model, pool, "embeddings");
    FUZZ_CHECK(status == ALCORE_OK || status == ALCORE_E_DATA);
    if (status == ALCORE_OK) check_vectors(pool, 3);
    alcore_pool_unref(pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_file folder[FILES];
    memory_host host;
    alcore_model *model = NULL;
    if (bytes == 0) return 0;
    memcpy(folder, files, sizeof files);
    folder[data[0] % FILES].data = data + 1;
    folder[data[0] % FILES].bytes = bytes - 1;
    memory_host_open(&host);
    memory_host_files(&host, folder, FILES);
    const alcore_status status = alcore_model_open(host.ctx, "folder", NULL, &model);
    FUZZ_CHECK((status == ALCORE_OK) == (model != NULL));
    if (model) embed(host.ctx, model);
    alcore_model_unref(model);
    fuzz_finish(&host, bytes, status);
    return 0;
}
