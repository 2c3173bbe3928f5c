/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that are handed out (arrow_out.h). An array, its list of buffers and its children lie in
 * one block, and each buffer in one of its own. The interface lets a consumer move a child out and
 * release it later than its parent: a child therefore has a reference to the context too. */
#include <string.h>

#include "pool/arrow_out.h"

enum { MAX_BUFFERS = 3 /* validity bits, offsets, bytes */ };

/* private_data of an array. */
typedef struct array_parts {
    alcore_ctx *ctx;                  /* a reference */
    const void *buffers[MAX_BUFFERS]; /* what the array shows: those that are owned */
    void *owned[MAX_BUFFERS];
    struct ArrowArray **children; /* [children] point to storage */
    struct ArrowArray storage[];  /* [children] */
} array_parts;

static void release_array(struct ArrowArray *array) {
    array_parts *parts = array->private_data;
    alcore_ctx *ctx = parts->ctx;
    for (int64_t i = 0; i < array->n_children; i++)
        if (parts->children[i]->release) parts->children[i]->release(parts->children[i]);
    for (int32_t i = 0; i < MAX_BUFFERS; i++) alcore__free(ctx, parts->owned[i]);
    alcore__free(ctx, parts->children);
    alcore__free(ctx, parts);
    array->release = NULL;
    alcore_ctx_unref(ctx);
}

alcore_status alcore__arrow_array_new(alcore_ctx *ctx, int64_t length, int32_t buffers,
                                      int32_t children, struct ArrowArray *out) {
    const size_t bytes = sizeof(array_parts) + (size_t)children * sizeof(struct ArrowArray);
    array_parts *parts;
    *out = (struct ArrowArray){0};
    ALCORE__TRY(alcore__new_array(ctx, 1, bytes, &parts));
    alcore_status status =
        alcore__new_array(ctx, (size_t)children, sizeof *parts->children, &parts->children);
    if (status != ALCORE_OK) {
        alcore__free(ctx, parts);
        return status;
    }
    for (int32_t i = 0; i < children; i++) parts->children[i] = &parts->storage[i];
    parts->ctx = alcore_ctx_ref(ctx);
    *out = (struct ArrowArray){.length = length,
                               .n_buffers = buffers,
                               .n_children = children,
                               .buffers = parts->buffers,
                               .children = children > 0 ? parts->children : NULL,
                               .release = release_array,
                               .private_data = parts};
    return ALCORE_OK;
}

alcore_status alcore__arrow_array_buffer(struct ArrowArray *array, int32_t index, int64_t count,
                                         size_t bytes, void *out) {
    array_parts *parts = array->private_data;
    void *memory = NULL;
    size_t need;
    memcpy(out, &memory, sizeof memory);
    if (__builtin_mul_overflow((size_t)count, bytes, &need)) return alcore__fail_memory(SIZE_MAX);
    memory = alcore__alloc(parts->ctx, need);
    if (!memory) return alcore__fail_memory(need);
    alcore__arrow_array_give(array, index, memory);
    memcpy(out, &memory, sizeof memory);
    return ALCORE_OK;
}

void alcore__arrow_array_give(struct ArrowArray *array, int32_t index, void *memory) {
    array_parts *parts = array->private_data;
    parts->buffers[index] = parts->owned[index] = memory;
}

alcore_status alcore__arrow_array_null(struct ArrowArray *array, int64_t i) {
    const int64_t bytes = (array->length + 7) / 8;
    array_parts *parts = array->private_data;
    if (!parts->buffers[0]) {
        uint8_t *all;
        ALCORE__TRY(alcore__arrow_array_buffer(array, 0, bytes, 1, &all));
        memset(all, 0xFF, (size_t)bytes);
    }
    uint8_t *bits = parts->owned[0];
    bits[i / 8] = (uint8_t)(bits[i / 8] & ~(1u << (i % 8)));
    array->null_count++;
    return ALCORE_OK;
}

/* Fills in offsets, bytes and nulls of texts. */
static alcore_status fill_texts(alcore__arrow_text_at text_at, void *user,
                                struct ArrowArray *array) {
    int64_t *offsets;
    char *bytes;
    size_t length;
    ALCORE__TRY(alcore__arrow_array_buffer(array, 1, array->length + 1, sizeof *offsets, &offsets));
    offsets[0] = 0;
    for (int64_t i = 0; i < array->length; i++) {
        const char *text = text_at(user, i, &length);
        if (!text) ALCORE__TRY(alcore__arrow_array_null(array, i));
        offsets[i + 1] = offsets[i] + (text ? (int64_t)length : 0);
    }
    ALCORE__TRY(alcore__arrow_array_buffer(array, 2, offsets[array->length], 1, &bytes));
    for (int64_t i = 0; i < array->length; i++) {
        const char *text = text_at(user, i, &length);
        if (text && length > 0) memcpy(bytes + offsets[i], text, length);
    }
    return ALCORE_OK;
}

alcore_status alcore__arrow_texts(alcore_ctx *ctx, int64_t count, alcore__arrow_text_at text_at,
                                  void *user, struct ArrowArray *out) {
    ALCORE__TRY(alcore__arrow_array_new(ctx, count, 3, 0, out));
    alcore_status status = fill_texts(text_at, user, out);
    if (status != ALCORE_OK) out->release(out);
    return status;
}

alcore_status alcore__arrow_values(alcore_ctx *ctx, int64_t count, size_t bytes,
                                   struct ArrowArray *out, void *out_values) {
    ALCORE__TRY(alcore__arrow_array_new(ctx, count, 2, 0, out));
    alcore_status status = alcore__arrow_array_buffer(out, 1, count, bytes, out_values);
    if (status != ALCORE_OK) out->release(out);
    return status;
}
