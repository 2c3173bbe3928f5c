/* SPDX-License-Identifier: Apache-2.0 */
/* Saved models: every folder of tests/torch/fixtures is opened, saved and opened again. */
#include <dirent.h>
#include <sys/stat.h>

#include "check_suite.h"
#include "test_folder.h"
#include "torch_support.h"

static char scratch[TEST_PATH_BYTES];

static void make_scratch(void) {
    test_folder_make(scratch, "torch");
}

static void remove_scratch(void) {
    test_folder_remove(scratch);
}

/* Reads a whole file; the caller frees it. NULL: there is none. */
static char *slurp(const char *folder, const char *name, size_t *count) {
    char path[800];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    *count = 0;
    if (!file) return NULL;
    char *bytes = malloc(4 << 20);
    *count = fread(bytes, 1, 4 << 20, file);
    fclose(file);
    return bytes;
}

static void expect_same_file(const char *folder, const char *name) {
    size_t before_count, after_count;
    char *before = slurp(folder, name, &before_count), *after = slurp(scratch, name, &after_count);
    ck_assert_msg((before == NULL) == (after == NULL), "%s/%s", folder, name);
    ck_assert_msg(before_count == after_count, "%s/%s", folder, name);
    if (before) ck_assert_msg(!memcmp(before, after, before_count), "%s/%s", folder, name);
    free(before);
    free(after);
}

/* Embeddings of the folder's texts. */
static void embed_all(const char *from, const char *texts_of, results *out, char version[200]) {
    inputs in = read_inputs(texts_of, "");
    alcore_sys_model *model = open_folder(from, 0, 0, 0);
    alcore_sys_model_sink sink = sink_of(out);
    alcore_sys_model_info info = {.size = sizeof info};
    alcore_status status = engine->embed(model, &in.texts, &sink);
    ck_assert_msg(status == ALCORE_OK, "%s: %s", from, alcore_last_error());
    ck_assert_int_eq(out->items, in.texts.count);
    ck_assert_int_eq(engine->info(model, &info), ALCORE_OK);
    snprintf(version, 200, "%s", info.version);
    engine->close(model);
    free_inputs(&in);
}

/* Bytes of the numbers of a folder's weights: behind the header of the file, or of all shards. */
static uint64_t number_bytes(const char *folder) {
    size_t count;
    uint64_t header, total;
    char *file = slurp(folder, "model.safetensors", &count);
    if (file) {
        memcpy(&header, file, sizeof header);
        ck_assert_uint_eq(header % 8, 0);
        total = count - sizeof header - header;
    } else {
        file = slurp(folder, "model.safetensors.index.json", &count);
        ck_assert_msg(file != NULL, "%s", folder);
        file[count] = 0;
        const char *place = strstr(file, "\"total_size\": ");
        ck_assert_msg(place != NULL, "%s", folder);
        total = strtoull(strchr(place, ' '), NULL, 10);
    }
    free(file);
    return total;
}

/* Config.json names the number type of the weights, float32 in the copy, which has four bytes for
 * each number of a folder of two. */
static void check_number_type(const char *folder) {
    size_t count;
    char *before = slurp(folder, "config.json", &count);
    before[count] = 0;
    const bool half = strstr(before, "float16\"") != NULL; /* bfloat16 too */
    free(before);
    ck_assert_msg(number_bytes(scratch) == number_bytes(folder) * (half ? 2 : 1),
                  "%s: bytes of numbers", folder);
    if (!half) {
        expect_same_file(folder, "config.json");
        return;
    }
    char *after = slurp(scratch, "config.json", &count);
    after[count] = 0;
    ck_assert_msg(strstr(after, "\"float32\"") && !strstr(after, "float16\""), "%s", folder);
    free(after);
}

/* A folder and its copy answer with the same bytes, and hold the same numbers. */
static void check_copy(const char *folder) {
    results before = {0}, after = {0};
    char before_version[200], after_version[200];
    embed_all(folder, folder, &before, before_version);
    embed_all(scratch, folder, &after, after_version);
    ck_assert_msg(!strcmp(before_version, after_version), "%s: %s, and the copy %s", folder,
                  before_version, after_version);
    for (int64_t i = 0; i < before.items; i++)
        ck_assert_msg(before.counts[i] == after.counts[i] &&
                          !memcmp(before.values[i], after.values[i],
                                  (size_t)before.counts[i] * sizeof(float)),
                      "%s: text %lld", folder, (long long)i);
    free_results(&before);
    free_results(&after);
    check_number_type(folder);
    static const char *const files[] = {"generation_config.json", "modules.json",
                                        "1_Pooling/config.json", "sentence_bert_config.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) expect_same_file(folder, files[i]);
}

START_TEST(saved_models_are_the_same) {
    begin();
    struct dirent *entry;
    DIR *folder = opendir(fixtures());
    int families = 0;
    ck_assert_ptr_nonnull(folder);
    while ((entry = readdir(folder)) != NULL) {
        char path[600];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", fixtures(), entry->d_name);
        make_scratch();
        alcore_sys_model *model = open_folder(path, 0, 0, 0);
        alcore_status status = engine->save(model, scratch);
        ck_assert_msg(status == ALCORE_OK, "%s: %s", path, alcore_last_error());
        engine->close(model);
        check_copy(path);
        /* Over itself. */
        model = open_folder(scratch, 0, 0, 0);
        ck_assert_int_eq(engine->save(model, scratch), ALCORE_OK);
        engine->close(model);
        check_copy(path);
        remove_scratch();
        families++;
    }
    closedir(folder);
    ck_assert(families >= 33);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The folder is made where there is none, in one that exists. */
START_TEST(a_folder_is_made) {
    begin();
    char path[600], inner[100], config[140];
    struct stat info;
    make_scratch();
    snprintf(path, sizeof path, "%s/bert", fixtures());
    alcore_sys_model *model = open_folder(path, 0, 0, 0);
    snprintf(inner, sizeof inner, "%s/new", scratch);
    ck_assert_int_eq(engine->save(model, inner), ALCORE_OK);
    snprintf(config, sizeof config, "%s/1_Pooling/config.json", inner);
    ck_assert_int_eq(stat(config, &info), 0);
    snprintf(inner, sizeof inner, "%s/no/new", scratch);
    ck_assert_int_eq(engine->save(model, inner), ALCORE_E_IO);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), inner));
    engine->close(model);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* A model that was opened as bfloat16 is written so, and config.json says it. */
START_TEST(the_number_type_is_that_of_the_model) {
    begin();
    char path[600];
    size_t count;
    make_scratch();
    snprintf(path, sizeof path, "%s/bert", fixtures());
    alcore_sys_model_options options = {
        .size = sizeof options, .device = "cpu", .dtype = ALCORE_BFLOAT16};
    alcore_sys_model *model = NULL;
    ck_assert_int_eq(engine->open(ctx, path, &options, &model), ALCORE_OK);
    ck_assert_int_eq(engine->save(model, scratch), ALCORE_OK);
    engine->close(model);
    char *config = slurp(scratch, "config.json", &count);
    config[count] = 0;
    ck_assert_ptr_nonnull(strstr(config, "\"bfloat16\""));
    ck_assert_ptr_null(strstr(config, "\"float32\""));
    free(config);
    char *old = slurp(path, "model.safetensors", &count);
    size_t old_count = count;
    free(old);
    free(slurp(scratch, "model.safetensors", &count));
    ck_assert_uint_lt(count, old_count * 2 / 3);
    engine->close(open_folder(scratch, 0, 0, 0));
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

/* A call that is cancelled leaves the file that was there. */
START_TEST(cancelled_saves_change_no_file) {
    begin();
    char path[600];
    size_t count, after_count;
    make_scratch();
    snprintf(path, sizeof path, "%s/bert", fixtures());
    alcore_sys_model *model = open_folder(path, 0, 0, 0);
    ck_assert_int_eq(engine->save(model, scratch), ALCORE_OK);
    char *before = slurp(scratch, "model.safetensors", &count);
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(engine->save(model, scratch), ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(ctx);
    char *after = slurp(scratch, "model.safetensors", &after_count);
    ck_assert_uint_eq(count, after_count);
    ck_assert_mem_eq(before, after, count);
    free(before);
    free(after);
    /* No temporary file is left. */
    DIR *folder = opendir(scratch);
    int files = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        files += entry->d_name[0] != '.' && entry->d_type == DT_REG;
    closedir(folder);
    ck_assert_int_eq(files, 4); /* config, weights, modules, sentence_bert_config */
    engine->close(model);
    remove_scratch();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch save", saved_models_are_the_same, a_folder_is_made,
            the_number_type_is_that_of_the_model, cancelled_saves_change_no_file);
