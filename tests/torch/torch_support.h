/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the torch engine share: its table, the folders of tests/torch/fixtures with the
 * arrays beside them, and the results of a call. */
#ifndef TORCH_SUPPORT_H
#define TORCH_SUPPORT_H

#include <dlfcn.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "alcore/extra.h"
#include "alcore/sys/model.h"
#include "base/base.h"
#include "formats/array_file.h"

enum { MOST_TEXTS = 1024 };

static alcore_ctx *ctx;
static const alcore_sys_model_engine *engine;

/* ---- fixtures ---- */

/* An array of a safetensors file; data is NULL where it has none of that name. */
typedef struct array {
    void *data;
    int64_t shape[2];
} array;

static inline array read_tensor(const char *from, const char *name) {
    char path[900];
    alcore__array_info info;
    alcore__file *file;
    ck_assert_int_lt(snprintf(path, sizeof path, "%s:%s", from, name), (int)sizeof path);
    if (alcore__array_open(ctx, path, &info, &file) != ALCORE_OK) return (array){0};
    size_t width = info.dtype == ALCORE_INT64 ? 8 : 4;
    size_t bytes = (size_t)(info.shape[0] * info.shape[1]) * width;
    array out = {malloc(bytes + 1), {info.shape[0], info.shape[1]}};
    ck_assert_int_eq(alcore__file_read_all(file, info.data_start, out.data, bytes), ALCORE_OK);
    alcore__file_close(file);
    return out;
}

static inline array read_array(const char *folder, const char *name) {
    char path[700];
    snprintf(path, sizeof path, "%s/expected.safetensors", folder);
    return read_tensor(path, name);
}

/* The texts of a folder as the engine takes them; free_inputs() releases what they point to. */
typedef struct inputs {
    array ids, offsets, types;
    uint8_t *marks;
    alcore_sys_model_texts texts;
} inputs;

static inline inputs read_inputs(const char *folder, const char *prefix) {
    char name[40];
    inputs in = {0};
    snprintf(name, sizeof name, "%sids", prefix);
    in.ids = read_array(folder, name);
    snprintf(name, sizeof name, "%soffsets", prefix);
    in.offsets = read_array(folder, name);
    in.texts = (alcore_sys_model_texts){.size = sizeof in.texts,
                                        .count = in.offsets.shape[0] - 1,
                                        .ids = in.ids.data,
                                        .offsets = in.offsets.data};
    if (*prefix) return in;
    in.types = read_array(folder, "types");
    in.texts.types = in.types.data;
    array marks = read_array(folder, "marks");
    in.marks = malloc((size_t)marks.shape[0]);
    for (int64_t i = 0; i < marks.shape[0]; i++) in.marks[i] = (uint8_t)((int64_t *)marks.data)[i];
    in.texts.marks = in.marks;
    free(marks.data);
    return in;
}

static inline void free_inputs(inputs *in) {
    free(in->ids.data);
    free(in->offsets.data);
    free(in->types.data);
    free(in->marks);
}

/* The device that the tests run on: that of TORCH_DEVICE, else the CPU. */
static inline const char *test_device(void) {
    const char *device = getenv("TORCH_DEVICE");
    return device ? device : "cpu";
}

/* Calls leave the current device as it was, which is the first one. */
static inline void expect_first_device(void) {
    int (*current)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "other_device_current");
    ck_assert(current == NULL || current() == 0);
    ck_assert((current != NULL) == (getenv("TORCH_DEVICE_LIBRARY") != NULL));
}

static inline alcore_sys_model *open_folder(const char *folder, int32_t pooling, int32_t layer,
                                            int64_t batch_tokens) {
    alcore_sys_model_options options = {.size = sizeof options,
                                        .device = test_device(),
                                        .dtype = ALCORE_FLOAT32,
                                        .pooling = pooling,
                                        .layer = layer,
                                        .normalize = pooling == 0 ? 0 : 2, /* 2: as they are */
                                        .batch_tokens = batch_tokens};
    alcore_sys_model *model = NULL;
    alcore_status status = engine->open(ctx, folder, &options, &model);
    ck_assert_msg(status == ALCORE_OK, "%s: %s", folder, alcore_last_error());
    expect_first_device();
    return model;
}

static inline const char *fixtures(void) {
    const char *folder = getenv("TORCH_FIXTURES");
    ck_assert_ptr_nonnull(folder);
    return folder;
}

/* Loads what TORCH_DEVICE_LIBRARY names, the devices of other_device.cpp, before the engine. */
static inline void load_devices(void) {
    const char *library = getenv("TORCH_DEVICE_LIBRARY");
    if (library) ck_assert_msg(dlopen(library, RTLD_NOW | RTLD_GLOBAL) != NULL, "%s", dlerror());
}

static inline void begin(void) {
    const void *module;
    load_devices();
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.module_dir = getenv("TORCH_MODULE_DIR");
    options.threads = 1;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    alcore_status status = alcore__module_load(ctx, getenv("TORCH_ENGINE"), &module);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    engine = module;
}

/* ---- memory ---- */

/* Largest resident memory of this process since it was asked for to be counted anew, in bytes. */
static inline int64_t peak_memory(void) {
    char line[200];
    long long kib = 0;
    FILE *file = fopen("/proc/self/status", "rb");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lld", &kib) == 1) break;
    fclose(file);
    return kib * 1024;
}

/* Freed tensors go back to the system at once, so that the peak is of those that live. */
static inline void release_at_once(void) {
    ck_assert_int_eq(mallopt(M_MMAP_THRESHOLD, 1 << 16), 1);
}

/* ---- what comes back ---- */

/* Results of a call, item by item. */
typedef struct results {
    float *values[MOST_TEXTS];
    int64_t counts[MOST_TEXTS]; /* numbers of the item */
    int64_t *ids[MOST_TEXTS];
    double scores[MOST_TEXTS];
    int64_t puts, items;
} results;

static inline alcore_status put(void *user, const int64_t *items, const int64_t *lengths,
                                int64_t count, const alcore_tensor *values) {
    results *all = user;
    const float *next = values->data;
    int64_t width = values->ndim == 2 ? values->shape[1] : 1;
    all->puts++;
    for (int64_t i = 0; i < count; i++) {
        int64_t item = items[i], numbers = (lengths ? lengths[i] : 1) * width;
        ck_assert_ptr_null(all->values[item]);
        all->values[item] = malloc((size_t)numbers * sizeof(float) + 1);
        memcpy(all->values[item], next, (size_t)numbers * sizeof(float));
        all->counts[item] = numbers;
        next += numbers;
        all->items++;
    }
    return ALCORE_OK;
}

static inline alcore_status put_text(void *user, int64_t item, int64_t rank, const char *text,
                                     size_t length, const int64_t *ids, const float *logprobs,
                                     int64_t tokens, double score) {
    results *all = user;
    ck_assert_ptr_null(text);
    ck_assert_uint_eq(length, 0);
    for (int64_t k = 0; k < tokens; k++) ck_assert(logprobs[k] <= 0);
    if (rank > 0) return ALCORE_OK;
    all->ids[item] = malloc((size_t)tokens * sizeof *ids + 1);
    memcpy(all->ids[item], ids, (size_t)tokens * sizeof *ids);
    all->counts[item] = tokens;
    all->scores[item] = score;
    all->items++;
    return ALCORE_OK;
}

static inline void free_results(results *all) {
    for (int i = 0; i < MOST_TEXTS; i++) {
        free(all->values[i]);
        free(all->ids[i]);
    }
    *all = (results){0};
}

static inline alcore_sys_model_sink sink_of(results *all) {
    return (alcore_sys_model_sink){
        .size = sizeof(alcore_sys_model_sink), .user = all, .put = put, .put_text = put_text};
}

#endif
