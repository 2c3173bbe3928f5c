/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of draw_rows and of run_totals that write to the same arrays at the same time, as the
 * visits of several wide blocks do, on the emulated device: a call leaves alone the entries that
 * are another call's, also where it has to copy an array. No threads are needed for that: while
 * one call asks for memory, the other one is made. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check_suite.h"
#include "emulated_module.h"

/* Draws of a call, blocks of the pool, items of a block, numbers that are taken of an item. */
enum { DRAWS = 2, BLOCKS = 3, ITEMS = 4, DIMS = 2 };
enum { PAGE = 1 << 16 }; /* bytes: a multiple of the size of a page, on every machine */

static emulated_module emu;
static alcore_sys_work work; /* of the call that is made meanwhile */

/* What both calls are given, in memory of the device, and where they write. */
static double *values, *sums, *totals;
static int64_t *starts;
/* Host memory, of which the watched call must not write to the first PAGE bytes: they are read-only
 * while it runs. PAGE bytes that it may write to follow. */
static void *page;
static alcore_sys_drawn *found;
static double *vectors;
static int calls; /* that were made meanwhile */

static const alcore_sys_drawn NOTHING[DRAWS] = {{-7, -7}, {-7, -7}};
static const double NO_VECTORS[DRAWS * DIMS] = {-7, -7, -7, -7};

static void setup(void) {
    const double weights[ITEMS + 1] = {1, 2, 3, 4, 5}, running[ITEMS] = {1, 3, 6, 10};
    const double all[BLOCKS] = {10, 10, 10};
    const int64_t run[] = {0, ITEMS};
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
    values = emulated_array(&emu, weights, sizeof weights);
    sums = emulated_array(&emu, running, sizeof running);
    totals = emulated_array(&emu, all, sizeof all);
    starts = emulated_array(&emu, run, sizeof run);
    page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(page, MAP_FAILED);
    calls = 0;
}

static void teardown(void) {
    void *const arrays[] = {values, sums, totals, starts};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) emu.memory_free(arrays[i]);
    munmap(page, 2 * PAGE);
}

static void allow_writes(bool allow) {
    ck_assert_int_eq(mprotect(page, PAGE, allow ? PROT_READ | PROT_WRITE : PROT_READ), 0);
}

static void release_memory(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    emu.memory_free(memory);
}

/* A call that makes another one whenever it asks for memory, by `workspace`, which returns it. */
static alcore_sys_work watched(void *(*workspace)(void *user, size_t bytes)) {
    return (alcore_sys_work){.size = sizeof(alcore_sys_work),
                             .host = emu.host,
                             .stream = (void *)1, /* the default stream */
                             .workspace = workspace,
                             .workspace_release = release_memory};
}

/* ---- draws ---- */

/* Draws in block 1 twice, by the call that has block `own`. An item is a row of two weights. */
static alcore_status draw(const alcore_sys_work *of_call, int64_t own) {
    const double u[DRAWS] = {0.5, 0.6}; /* 15 and 18 of 30: the weights 3 and 4 of block 1 */
    const alcore_sys_draws draws = {.count = DRAWS,
                                    .u = u,
                                    .blocks = BLOCKS,
                                    .totals = totals,
                                    .first = own,
                                    .own = 1,
                                    .starts = starts};
    const alcore_sys_rows items = {
        .data = values, .count = ITEMS, .dims = DIMS, .stride = 1, .dtype = ALCORE_FLOAT64};
    return emu.kernels->draw_rows(of_call, &draws, NULL /* no mask */, values, sums, 1, &items,
                                  found, vectors);
}

static void *draw_meanwhile(void *user, size_t bytes) {
    (void)user;
    calls++;
    allow_writes(true);
    ck_assert_int_eq(draw(&work, 1), ALCORE_OK);
    allow_writes(false);
    return emu.memory_new(bytes);
}

/* Where found is, beside host memory: an entry has 16 bytes, but the device reads and writes 8 of
 * them at a time, so that an address of either kind is used in place. */
enum { AT_16 /* a multiple of 16 */, AT_8 /* an odd multiple of 8 */, ON_HOST, FOUND_PLACES };

/* The call for block 0 has found nothing, and both entries are those of the call for block 1, which
 * is made meanwhile, or behind it where it asks for no memory, as all arrays are in place. */
START_TEST(draws_of_another_call_stay) {
    const int place = _i / 2;
    const bool on_device = _i % 2; /* the vectors */
    const double expected[] = {3, 4, 4, 5};
    char *found_memory = emu.memory_new(sizeof NOTHING + 16 + 8);
    char *found_there =
        found_memory + (16 - (uintptr_t)found_memory % 16) % 16 + (place == AT_8 ? 8 : 0);
    void *vectors_there = emulated_array(&emu, NO_VECTORS, sizeof NO_VECTORS);
    alcore_sys_drawn *host_found = page;
    double *host_vectors = (double *)(host_found + DRAWS);
    found = place == ON_HOST ? host_found : (void *)found_there;
    vectors = on_device ? vectors_there : host_vectors;
    emu.copy(found, NOTHING, sizeof NOTHING);
    memcpy(host_vectors, NO_VECTORS, sizeof NO_VECTORS);
    const alcore_sys_work first = watched(draw_meanwhile);
    allow_writes(false);
    ck_assert_int_eq(draw(&first, 0), ALCORE_OK);
    ck_assert_int_eq(calls == 0, place != ON_HOST && on_device);
    if (calls == 0) ck_assert_int_eq(draw(&work, 1), ALCORE_OK);
    alcore_sys_drawn drawn[DRAWS];
    double taken[DRAWS * DIMS];
    emu.copy(drawn, found, sizeof drawn);
    emu.copy(taken, vectors, sizeof taken);
    for (int d = 0; d < DRAWS; d++) {
        ck_assert_int_eq(drawn[d].block, 1);
        ck_assert_int_eq(drawn[d].item, 2 + d);
    }
    ck_assert_mem_eq(taken, expected, sizeof taken);
    emu.memory_free(found_memory);
    emu.memory_free(vectors_there);
}
END_TEST

/* ---- running sums ---- */

/* Totals and sums of the first half of the items, or of the second. The sums are in host memory,
 * those of the first half at the end of the page. */
static alcore_status add_up(const alcore_sys_work *of_call, bool second, double *total) {
    const int64_t halves[] = {0, ITEMS / 2, ITEMS};
    double *running = (double *)((char *)page + PAGE) - ITEMS / 2;
    return emu.kernels->run_totals(of_call, 1, halves + second, NULL /* no mask */, values, running,
                                   total);
}

static void *add_meanwhile(void *user, size_t bytes) {
    double total;
    (void)user;
    calls++;
    allow_writes(true);
    ck_assert_int_eq(add_up(&work, false, &total), ALCORE_OK);
    allow_writes(false);
    return emu.memory_new(bytes);
}

/* The sums of the items before the runs of a call are those of another one. */
START_TEST(sums_of_another_call_stay) {
    const double expected[ITEMS] = {1, 3, 3, 7};
    double total = 0.0;
    const alcore_sys_work first = watched(add_meanwhile);
    allow_writes(false);
    ck_assert_int_eq(add_up(&first, true, &total), ALCORE_OK);
    ck_assert_int_gt(calls, 0);
    ck_assert_double_eq(total, 7.0);
    ck_assert_mem_eq((char *)page + PAGE - sizeof expected / 2, expected, sizeof expected);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("draws");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, draws_of_another_call_stay, 0, 2 * FOUND_PLACES);
    tcase_add_test(tests, sums_of_another_call_stay);
    return check_suite_run("cuda-draws", tests);
}
