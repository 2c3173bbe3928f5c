/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of a test on the second of two emulated devices, so that a device that is dropped on the
 * way is seen. The test frees all of them at its end, by free_taken(). */
#ifndef DEVICE_TENSORS_H
#define DEVICE_TENSORS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "emulated_module.h"

enum { MOST_TAKEN = 256 };

static emulated_module emu;     /* emulated_open() fills it */
static void *taken[MOST_TAKEN]; /* device memory that is not freed yet */
static int taken_count;

static inline void free_taken(void) {
    while (taken_count > 0) emu.memory_free(taken[--taken_count]);
}

/* Remembers device memory for free_taken(). */
static inline void *take(void *memory) {
    ck_assert_int_lt(taken_count, MOST_TAKEN);
    return taken[taken_count++] = memory;
}

/* A pool of `rows` texts, "text number 0" to the last. */
static inline alcore_pool *pool_of_texts(alcore_ctx *ctx, int rows) {
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int i = 0; i < rows; i++) {
        char text[32];
        const char *texts[] = {text};
        snprintf(text, sizeof text, "text number %d", i);
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    }
    return pool;
}

/* A copy of an array on the present device. */
static inline void *there(const void *array, size_t bytes) {
    return take(emulated_array(&emu, array, bytes));
}

static inline alcore_tensor tensor_of(void *data, int32_t dtype, int64_t *shape, int32_t ndim) {
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, data, dtype, shape, ndim));
    return tensor;
}

/* The same array on cuda:1, which is the present device; its memory is filled already. */
static inline alcore_tensor on_device(alcore_tensor tensor, size_t bytes) {
    tensor.data = there(tensor.data, bytes);
    tensor.device = (alcore_device){ALCORE_DEVICE_CUDA, 1};
    return tensor;
}

/* The same array on cuda:1, which is not there yet: the copy that writes it waits in the stream.
 * Until then each byte is `filler`. */
static inline alcore_tensor queued(const alcore_tensor *tensor, size_t bytes, int filler,
                                   void *stream) {
    alcore_tensor moved = *tensor;
    unsigned char *nothing = malloc(bytes);
    ck_assert_ptr_nonnull(nothing);
    memset(nothing, filler, bytes);
    const void *source = there(tensor->data, bytes);
    moved.data = nothing;
    moved = on_device(moved, bytes);
    free(nothing);
    emu.queue(stream, moved.data, source, bytes);
    return moved;
}

#endif
