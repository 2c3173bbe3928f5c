/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of models by the null module (module/null_model.c) share: the folder of a model that a
 * test makes, with its files, and the context whose allocator counts. */
#ifndef ALCORE__MODEL_FOLDER_H
#define ALCORE__MODEL_FOLDER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "test_folder.h"

/* Ends the case with the library's message unless the call succeeds. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        alcore_status status_ = (call);                                                            \
        ck_assert_msg(status_ == ALCORE_OK, "%s", alcore_last_error());                            \
    } while (0)

static char folder[TEST_PATH_BYTES]; /* its path; empty: there is none now */
static fault_allocator fault;        /* of null_context() */

/* Writes a file of a folder. */
static inline void write_in(const char *where, const char *name, const char *text) {
    char path[400];
    snprintf(path, sizeof path, "%s/%s", where, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static inline void write_file(const char *name, const char *text) {
    write_in(folder, name, text);
}

/* Makes the folder, with a config.json. */
static inline void new_folder(const char *config) {
    test_folder_make(folder, "model");
    write_file("config.json", config);
}

/* Removes the folder and its files. No call leaves others there. */
static inline void remove_folder(void) {
    static const char *const names[] = {"config.json",           "vocab.txt",
                                        "tokenizer.json",        "libalcore-torch-2.12.so",
                                        "tokenizer_config.json", "chat_template.jinja"};
    char path[100];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
    folder[0] = '\0';
}

/* A context that looks for modules in a folder. log: NULL for none. */
static inline alcore_ctx *context_with(const char *module_dir, alcore_log_function log) {
    alcore_allocator table = fault_table(&fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.allocator = &table;
    options.module_dir = module_dir;
    options.threads = 1;
    options.log = log;
    MUST(alcore_ctx_new(&options, &ctx));
    return ctx;
}

/* The folder of the null module. */
static inline const char *null_module(void) {
    const char *from = getenv("NULL_MODEL_MODULE");
    ck_assert_ptr_nonnull(from);
    return from;
}

static inline alcore_ctx *null_context(alcore_log_function log) {
    return context_with(null_module(), log);
}

/* Both pools have these rows alone, and the same values in the column "logprobs", more than one a
 * row. */
static inline void expect_same_logprobs(const alcore_pool *a, const alcore_pool *b, size_t rows) {
    alcore_tensor x, y, x_offsets, y_offsets;
    MUST(alcore_pool_get_column(a, "logprobs", &x, &x_offsets));
    MUST(alcore_pool_get_column(b, "logprobs", &y, &y_offsets));
    ck_assert_int_eq(memcmp(x_offsets.data, y_offsets.data, (rows + 1) * sizeof(int64_t)), 0);
    ck_assert_int_gt(x.shape[0], (int64_t)rows);
    ck_assert_int_eq(memcmp(x.data, y.data, (size_t)x.shape[0] * sizeof(float)), 0);
}

/* Ends a turn in which an allocation of null_context() may have failed: releases what it has made,
 * and checks that nothing else was the matter and nothing leaked. Returns whether one failed. */
static inline bool end_turn(alcore_status status, alcore_model *model, alcore_pool *pool,
                            alcore_ctx *ctx) {
    const bool failed = fault.failures > 0;
    fault_arm(&fault, 0, 0);
    ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    return failed;
}

/* Releases what a case used, which has all memory back then, and removes the folder. */
static inline void end_model(alcore_ctx *ctx, alcore_pool *pool, alcore_model *model) {
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    remove_folder();
}

#endif
