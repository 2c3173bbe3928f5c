/* SPDX-License-Identifier: Apache-2.0 */
/* Maps from rows to entries, against the list of rows that they were made of: every row, and every
 * run from it. */
#include <stdlib.h>

#include "base/rng.h"
#include "pool/row_map.h"
#include "pool_test.h"

enum { POOL_ROWS = 203 }; /* three words of 64 rows and a part of one */

static alcore_ctx *ctx;

static void setup(void) {
    ctx = test_ctx();
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* The length of the run from `first` that alcore__column_run() promises, by the entries alone. */
static int64_t run_by_entries(const int64_t *entry, int64_t first, int64_t count) {
    int64_t length = 1;
    while (length < count && first + length < POOL_ROWS &&
           entry[first + length] == (entry[first] < 0 ? -1 : entry[first] + length))
        length++;
    return length;
}

/* Compares the map of rows [count] with the list itself. */
static void check_map(const int64_t *rows, int64_t count) {
    int64_t entry[POOL_ROWS];
    alcore__column column = {.row_count = POOL_ROWS};
    for (int64_t row = 0; row < POOL_ROWS; row++) entry[row] = -1;
    for (int64_t i = 0; i < count; i++) entry[rows[i]] = i;
    ck_assert_ok(alcore__row_map_new(ctx, rows, count, POOL_ROWS, &column.map));
    ck_assert_ptr_nonnull(column.map);
    ck_assert_int_eq(column.map->count, count);
    static const int64_t lengths[] = {1, 2, 63, 64, 65, POOL_ROWS};
    for (int64_t row = 0; row < POOL_ROWS; row++) {
        ck_assert_int_eq(alcore__column_entry(&column, row), entry[row]);
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            int64_t first_entry, run = alcore__column_run(&column, row, lengths[k], &first_entry);
            ck_assert_int_eq(run, run_by_entries(entry, row, lengths[k]));
            ck_assert_int_eq(first_entry, entry[row]);
        }
    }
    ck_assert_int_eq(alcore__column_entry(&column, POOL_ROWS), -1);
    ck_assert_int_eq(alcore__column_entry(&column, -1), -1);
    alcore__row_map_free(ctx, column.map);
}

/* Draws each row of the pool with a probability of eighths / 8 into out [POOL_ROWS]; returns their
 * number. */
static int64_t draw_rows(alcore__rng *rng, uint64_t eighths, int64_t *out) {
    int64_t count = 0;
    for (int64_t row = 0; row < POOL_ROWS; row++)
        if (alcore__rng_below(rng, 8) < eighths) out[count++] = row;
    return count;
}

START_TEST(rows_in_any_order) {
    alcore__rng rng;
    int64_t rows[POOL_ROWS];
    alcore__rng_seed(&rng, 5);
    for (uint64_t eighths = 0; eighths < 8; eighths++) {
        int64_t count = draw_rows(&rng, eighths, rows);
        check_map(rows, count);
        /* The two halves the other way round: two ascending runs of entries. */
        int64_t turned[POOL_ROWS], half = count / 2;
        for (int64_t i = 0; i < count; i++) turned[i] = rows[(i + half) % count];
        check_map(turned, count);
        for (int64_t i = count - 1; i > 0; i--) {
            int64_t other = (int64_t)alcore__rng_below(&rng, (uint64_t)i + 1), row = rows[i];
            rows[i] = rows[other];
            rows[other] = row;
        }
        check_map(rows, count);
    }
}
END_TEST

START_TEST(rows_at_the_edges_of_words) {
    static const int64_t edges[] = {0, 63, 64, 127, 128, 191, 192, POOL_ROWS - 1};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) check_map(&edges[i], 1);
    check_map(edges, sizeof edges / sizeof *edges);
    check_map(edges + 1, 2); /* neighbors in different words */
}
END_TEST

START_TEST(all_rows_need_no_map) {
    int64_t rows[POOL_ROWS];
    alcore__row_map *map;
    for (int64_t row = 0; row < POOL_ROWS; row++) rows[row] = row;
    ck_assert_ok(alcore__row_map_new(ctx, rows, POOL_ROWS, POOL_ROWS, &map));
    ck_assert_ptr_null(map);
    rows[0] = POOL_ROWS - 1; /* twice: entry 0 and the last one */
    ck_assert_fails(alcore__row_map_new(ctx, rows, POOL_ROWS, POOL_ROWS, &map), ALCORE_E_DATA,
                    "entries 0 and 202 are both for row 202");
    ck_assert_ptr_null(map);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, rows_in_any_order);
    tcase_add_test(tests, rows_at_the_edges_of_words);
    tcase_add_test(tests, all_rows_need_no_map);
}

TEST_FILE() {
    return test_run("row-map", add);
}
