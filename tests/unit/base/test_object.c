/* SPDX-License-Identifier: Apache-2.0 */
/* Handles: references, and ALCORE_E_BUSY for a handle that is in use. */
#include <pthread.h>
#include <time.h>

#include "base/base.h"
#include "check_suite.h"
#include "fault_allocator.h"

typedef struct thing {
    alcore__object object;
    void *owned;
    int64_t value;
} thing;

static atomic_int released;

static void release_thing(void *object) {
    thing *self = object;
    alcore__free(self->object.ctx, self->owned);
    released++;
}

static thing *new_thing(alcore_ctx *ctx) {
    thing *made;
    ck_assert_int_eq(alcore__object_new(ctx, sizeof *made, release_thing, &made), ALCORE_OK);
    made->owned = alcore__alloc(ctx, 100);
    return made;
}

START_TEST(any_order_of_release_is_safe) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    thing *one = new_thing(ctx);
    released = 0;
    ck_assert_ptr_eq(alcore_ctx_ref(ctx), ctx);
    alcore_ctx_unref(ctx);
    alcore_ctx_unref(ctx); /* the context before its child */
    ck_assert_ptr_eq(alcore__object_ref(one), one);
    alcore__object_unref(one);
    ck_assert_int_eq(released, 0);
    alcore__object_unref(one);
    ck_assert_int_eq(released, 1);
    ck_assert_int_eq(fault.live_bytes, 0);
    alcore__object_unref(NULL);
    ck_assert_ptr_null(alcore__object_ref(NULL));
    alcore_ctx_unref(NULL);
    ck_assert_ptr_null(alcore_ctx_ref(NULL));
}
END_TEST

/* What a public reading and a public changing call do. */
static alcore_status thing_read(thing *self, int64_t *out) {
    ALCORE__TRY(alcore__enter(self->object.ctx));
    alcore_status status = alcore__read_begin(self, "thing");
    if (status == ALCORE_OK) {
        *out = self->value;
        alcore__read_end(self);
    }
    return alcore__leave(self->object.ctx, status);
}

static alcore_status thing_change(thing *self, alcore_status (*callback)(thing *)) {
    ALCORE__TRY(alcore__enter(self->object.ctx));
    alcore_status status = alcore__write_begin(self, "thing");
    if (status == ALCORE_OK) {
        self->value++;
        if (callback) status = callback(self);
        alcore__write_end(self);
    }
    return alcore__leave(self->object.ctx, status);
}

static alcore_status change_again(thing *self) {
    return thing_change(self, NULL);
}

static alcore_status read_again(thing *self) {
    int64_t value;
    return thing_read(self, &value);
}

START_TEST(a_callback_finds_the_handle_busy) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    thing *one = new_thing(ctx);
    int64_t value = 0;
    ck_assert_int_eq(thing_change(one, change_again), ALCORE_E_BUSY);
    ck_assert_str_eq(alcore_last_error(), "the thing is in use by another call");
    ck_assert_int_eq(thing_change(one, read_again), ALCORE_E_BUSY);
    ck_assert_int_eq(thing_change(one, NULL), ALCORE_OK);
    ck_assert_int_eq(thing_read(one, &value), ALCORE_OK);
    ck_assert_int_eq(value, 3);
    /* Readers may be many; none of them may change. */
    ck_assert_int_eq(alcore__read_begin(one, "thing"), ALCORE_OK);
    ck_assert_int_eq(thing_read(one, &value), ALCORE_OK);
    ck_assert_int_eq(thing_change(one, NULL), ALCORE_E_BUSY);
    alcore__read_end(one);
    ck_assert_int_eq(thing_change(one, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore__read_begin(NULL, "thing"), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore__write_begin(NULL, "thing"), ALCORE_E_INVALID);
    ck_assert_str_eq(alcore_last_error(), "the thing is NULL");
    alcore__object_unref(one);
    alcore_ctx_unref(ctx);
}
END_TEST

typedef struct contest {
    thing *target;
    atomic_int stop;
    int64_t changed, other;
    _Atomic int64_t busy;
} contest;

static void *change_for_ever(void *argument) {
    contest *mine = argument;
    while (!mine->stop) {
        alcore_status status = thing_change(mine->target, NULL);
        if (status == ALCORE_OK)
            mine->changed++;
        else if (status == ALCORE_E_BUSY)
            mine->busy++;
        else
            mine->other++;
    }
    return NULL;
}

START_TEST(threads_never_change_a_handle_together) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    thing *one = new_thing(ctx);
    contest contests[2] = {{.target = one}, {.target = one}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, change_for_ever, &contests[i]), 0);
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    contests[0].stop = contests[1].stop = 1;
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    ck_assert_int_eq(contests[0].other + contests[1].other, 0);
    ck_assert_int_eq(one->value, contests[0].changed + contests[1].changed);
    /* Held by this thread, every attempt of another is refused. */
    ck_assert_int_eq(alcore__write_begin(one, "thing"), ALCORE_OK);
    contest held = {.target = one};
    ck_assert_int_eq(pthread_create(&threads[0], NULL, change_for_ever, &held), 0);
    for (int i = 0; i < 5000 && !held.busy; i++) /* at most some 10 s */
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    held.stop = 1;
    pthread_join(threads[0], NULL);
    alcore__write_end(one);
    ck_assert_int_eq(held.changed, 0);
    ck_assert_int_gt(held.busy, 0);
    alcore__object_unref(one);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
}
END_TEST

CHECK_SUITE("object", any_order_of_release_is_safe, a_callback_finds_the_handle_busy,
            threads_never_change_a_handle_together);
