/* SPDX-License-Identifier: Apache-2.0 */
/* What the two readers of safetensors make of files: test_corpus.py compares it with what is
 * expected. usage: open_files array|model < PATHS
 *
 * array: each line is FILE:TENSOR; lib/formats opens it and its numbers are read.
 * model: each line is a folder, which alcore_model_open() opens, with the torch engine.
 *
 * Prints a line a path: "ok", for arrays with shape and numbers in hexadecimal, or "no" with the
 * error; then a tab and the KiB by which the most memory that the process ever used has grown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "alcore/extra.h"
#include "base/tensor_view.h"
#include "formats/array_file.h"

enum { MOST_BYTES = 1024 }; /* of an array of the corpus; more would be a fault of the reader */

/* The most memory that the process ever used, KiB. */
static long peak(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Prints "no" and the last error, whose control characters become spaces. */
static void print_error(void) {
    printf("no\t");
    for (const char *next = alcore_last_error(); *next; next++)
        putchar((unsigned char)*next < 0x20 ? ' ' : *next);
}

/* Opens FILE:TENSOR and prints what came of it. */
static void open_array(alcore_ctx *ctx, const char *path) {
    alcore__array_info info;
    alcore__file *file = NULL;
    if (alcore__array_open(ctx, path, &info, &file) != ALCORE_OK) {
        print_error();
        return;
    }
    unsigned char numbers[MOST_BYTES];
    size_t bytes =
        (size_t)info.shape[0] * (size_t)info.shape[1] * alcore_sys_dtype_bytes(info.dtype);
    if (bytes > sizeof numbers ||
        alcore__array_read(file, &info, 0, info.shape[0], numbers) != ALCORE_OK) {
        printf("no\taccepted, but its %zu bytes are not there", bytes);
    } else {
        printf("ok\t%lldx%lld ", (long long)info.shape[0], (long long)info.shape[1]);
        for (size_t i = 0; i < bytes; i++) printf("%02x", numbers[i]);
    }
    alcore__file_close(file);
}

/* Opens a folder and prints what came of it. */
static void open_model(alcore_ctx *ctx, const char *path) {
    alcore_model *model;
    if (alcore_model_open(ctx, path, NULL, &model) == ALCORE_OK)
        printf("ok\t");
    else
        print_error();
    alcore_model_unref(model);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    bool arrays = !strcmp(arguments[1], "array");
    alcore_ctx *ctx;
    if (alcore_ctx_new(NULL, &ctx) != ALCORE_OK) return 2;
    if (!arrays && alcore_model_check_engine(ctx) != ALCORE_OK) {
        fprintf(stderr, "%s\n", alcore_last_error());
        return 2;
    }
    char path[4096];
    while (fgets(path, sizeof path, stdin)) {
        path[strcspn(path, "\n")] = 0;
        long before = peak();
        (arrays ? open_array : open_model)(ctx, path);
        printf("\t%ld\n", peak() - before);
        fflush(stdout);
    }
    alcore_ctx_unref(ctx);
    return 0;
}
