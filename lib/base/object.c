/* SPDX-License-Identifier: Apache-2.0 */
/* The head of every handle: counts of references and of the calls that use it. */
#include <string.h>

#include "base/base.h"

/* Allocates a handle of `bytes` bytes, zeroed, with one reference and a reference to the context;
 * out is the address of the pointer to it. */
alcore_status alcore__object_new(alcore_ctx *ctx, size_t bytes, void (*release)(void *),
                                 void *out) {
    alcore__object *object;
    memset(out, 0, sizeof(void *));
    ALCORE__TRY(alcore__new_array(ctx, 1, bytes, &object));
    atomic_init(&object->references, 1);
    atomic_init(&object->users, 0);
    object->ctx = alcore_ctx_ref(ctx);
    object->release = release;
    object->self = object;
    memcpy(out, &object, sizeof object);
    return ALCORE_OK;
}

/* Adds a reference and returns the handle; NULL for NULL. */
void *alcore__object_ref(void *object) {
    alcore__object *head = object;
    if (head) atomic_fetch_add_explicit(&head->references, 1, memory_order_relaxed);
    return object;
}

/* Drops a reference; the last one frees what the handle owns, the handle, and then its reference to
 * the context, to whose allocator that memory belongs. */
void alcore__object_unref(void *object) {
    alcore__object *head = object;
    if (!head || atomic_fetch_sub_explicit(&head->references, 1, memory_order_acq_rel) != 1) return;
    alcore_ctx *ctx = head->ctx;
    if (head->release) head->release(object);
    alcore__free(ctx, object);
    alcore_ctx_unref(ctx);
}

alcore_status alcore__object_made(alcore_status status, void *object, void *out) {
    if (status == ALCORE_OK)
        *(void **)out = object;
    else
        alcore__object_unref(object);
    return status;
}

static alcore_status fail_busy(const char *noun) {
    return alcore__fail(ALCORE_E_BUSY, "the %s is in use by another call", noun);
}

/* Adds a reader, without a lock; fails at once while a writer has the handle, since calls never
 * wait for each other. */
alcore_status alcore__read_begin(const void *object, const char *noun) {
    if (!object) return alcore__fail(ALCORE_E_INVALID, "the %s is NULL", noun);
    alcore__object *head = ((const alcore__object *)object)->self;
    int users = atomic_load_explicit(&head->users, memory_order_relaxed);
    do {
        if (users < 0) return fail_busy(noun);
    } while (!atomic_compare_exchange_weak_explicit(&head->users, &users, users + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    return ALCORE_OK;
}

/* Ends one reader. Here and in alcore__write_end() the order is `release`, so that the next call
 * that begins sees all that this one wrote. */
void alcore__read_end(const void *object) {
    alcore__object *head = ((const alcore__object *)object)->self;
    atomic_fetch_sub_explicit(&head->users, 1, memory_order_release);
}

/* Locks the handle for one writer (users -1); fails at once while any other call uses it. */
alcore_status alcore__write_begin(void *object, const char *noun) {
    alcore__object *head = object;
    int none = 0;
    if (!head) return alcore__fail(ALCORE_E_INVALID, "the %s is NULL", noun);
    if (!atomic_compare_exchange_strong_explicit(&head->users, &none, -1, memory_order_acquire,
                                                 memory_order_relaxed))
        return fail_busy(noun);
    return ALCORE_OK;
}

void alcore__write_end(void *object) {
    atomic_store_explicit(&((alcore__object *)object)->users, 0, memory_order_release);
}
