/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes and exchanges the messages between shards that compare rows have, by the formulas
 * of docs/distributed.md. */
#include "job_record.h"
#include "strategy/budget/nominees.h"

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(5);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* Bytes in front of the items of a message of two shards. */
static size_t head_bytes(const record *made) {
    return 48 + settings_bytes(made->bytes[0]) + 2 * 32;
}

/* ---- messages whose bytes are so many for each candidate and labeled row ---- */

enum { STRATA = 3, ITEMS = 9, NEIGHBORS = 4, MEMBERS = 4 * ITEMS, BORDER = 192 };
enum { ROW_VECTOR = 8 * VECTOR, NOMINEES = 2 * 32 * ITEMS };
/* Of the rows of two shards, of which none is labeled: 48 and a column's 64, and a bit a row. */
#define ROWS_OF(rows_0, rows_1) (2 * (48 + 64 + (rows_0) / 8 + (rows_1) / 8 + 3))
#define BUYS_ITEMS(strategy, params)                                                               \
    { strategy, params, "9", NULL, ALCORE_DEDUP_NONE }
#define BUYS_CHARACTERS(strategy)                                                                  \
    { strategy, NULL, "9c", "fill=skip", ALCORE_DEDUP_NONE }

static const struct {
    job_setting setting;
    job_cut cut; /* of two shards */
    int count;   /* of exchanges */
    /* What their messages have behind the head: `bytes`, or up to `spread` more, beside those of
     * each row; all 0: that of the rows, which is looked at elsewhere. */
    struct {
        size_t bytes, by_candidate, by_labeled, spread;
    } lengths[5];
} SIZES[] = {
    /* Where rows that are ranked by a score of their own are skipped there is a pass for their
     * scores: 16 for each block, and three values for each candidate. Of border rows a score
     * travels, also where it is that of a round trip. */
    {BUYS_CHARACTERS("nnll"),
     {2, {0, 8000, 9000}},
     2,
     {{.bytes = ROWS_OF(8000, 1000) + 8 * BORDER, .by_candidate = 8},
      {.bytes = 2 * 16, .by_candidate = 24}}},
    {BUYS_CHARACTERS("rtt-bleu"),
     {2, {0, 8000, 9000}},
     2,
     {{.bytes = ROWS_OF(8000, 1000) + 8 * BORDER, .by_candidate = 8},
      {.bytes = 2 * 16, .by_candidate = 24}}},
    /* The bytes of each pass over one block, for a strategy that gathers vectors and one that lists
     * neighbors: 16, and 8 for each value of a vector of a candidate or labeled row; with mrs 8 and
     * a vector for a labeled row, and 16 for each of its neighbors. */
    {BUYS_ITEMS("facility-location", NULL),
     {2, {0, 130, 330}},
     3,
     {{0}, {.bytes = 16, .by_candidate = ROW_VECTOR}, {.bytes = 16, .by_labeled = ROW_VECTOR}}},
    {BUYS_ITEMS("mrs", NULL),
     {2, {0, 130, 330}},
     4,
     {{0},
      {.bytes = 16, .by_labeled = 8 + ROW_VECTOR},
      {.bytes = 16, .by_labeled = 16 * NEIGHBORS},
      {.bytes = NOMINEES / 2 /* only the first shard has a block */}}},
    /* Where shards keep the values of their own rows no message grows with the rows: of each shard
     * the range of the scores, and how many rows each stratum has; of each block 8 bytes for each
     * value of a stratum and of all; of each shard as many nominees as the budget has items. */
    {BUYS_ITEMS("huds", "n_strata=3"),
     {2, {0, 8192, MANY_ROWS}},
     5,
     {{0},
      {.bytes = 2 * (16 + 16)},
      {.bytes = 2 * (16 + 8 * STRATA)},
      {.bytes = 3 * (16 + (STRATA + 1) * ROW_VECTOR)},
      {.bytes = NOMINEES}}},
    /* The same where rows are ranked once by sums: of each block those of its labeled rows, then
     * those of its candidates. */
    {BUYS_ITEMS("idds", "mode=oneshot"),
     {2, {0, 8192, MANY_ROWS}},
     4,
     {{0},
      {.bytes = 3 * (16 + ROW_VECTOR)},
      {.bytes = 3 * (16 + ROW_VECTOR)},
      {.bytes = NOMINEES}}},
    /* The same of uncertain rows near a target: of each shard 24 for each row that may be one of
     * the most uncertain, c times as many as the budget has items; of each block 8 for each one
     * that is, in one to three blocks. */
    {BUYS_ITEMS("uncertainty-knn", NULL),
     {2, {0, 8192, MANY_ROWS}},
     3,
     {{0}, {.bytes = 2 * (16 + 24 * MEMBERS)}, {.bytes = 16 + 8 * MEMBERS, .spread = 2 * 16}}},
};

START_TEST(sizes_by_rows) {
    const job_setting *setting = &SIZES[_i].setting;
    const job_cut *cut = &SIZES[_i].cut;
    const size_t candidates = count_rows(ctx, setting, cut->starts[2], 0),
                 labeled = count_rows(ctx, setting, cut->starts[2], ALCORE_ROW_LABELED);
    record made = record_exchanges(ctx, setting, cut);
    ck_assert_int_eq(made.count, SIZES[_i].count);
    for (int i = 0; i < made.count; i++) {
        const size_t bytes = SIZES[_i].lengths[i].bytes, spread = SIZES[_i].lengths[i].spread;
        const size_t least = head_bytes(&made) + bytes +
                             SIZES[_i].lengths[i].by_candidate * candidates +
                             SIZES[_i].lengths[i].by_labeled * labeled;
        if (bytes == 0) continue;
        ck_assert_uint_ge(made.lengths[i], least);
        ck_assert_uint_le(made.lengths[i], least + spread);
    }
    record_free(&made);
}
END_TEST

/* ---- messages that other things decide ---- */

/* 48, the settings, and for each shard 32 and: of rows 48, a bit for each row up to a multiple of
 * 64 (twice where some are labeled), 8 for each cost, 64 for each column and the values of border
 * rows; of a pick 16 and a row's vector with 40 bytes. */
START_TEST(sizes_of_messages) {
    static const job_setting setting = {"kcenter", NULL, "9", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 130, 330}};
    record made = record_exchanges(ctx, &setting, &cut);
    const size_t head = head_bytes(&made);
    ck_assert_int_gt(made.count, 9);
    const size_t labeled = 24 + 32;
    ck_assert_uint_eq(made.lengths[0],
                      head + 2 * (48 + 64) + 24 + 32 + labeled + 200 * VECTOR * sizeof(float));
    /* the vectors of 25 labeled rows, from the one block, then a candidate for each pick */
    ck_assert_uint_eq(made.lengths[2], head + 16 + 40 + 8 * VECTOR);
    for (int i = 3; i < made.count; i++) ck_assert_uint_eq(made.lengths[i], made.lengths[2]);
    record_free(&made);
}
END_TEST

/* All picks of mode=composable are made after one exchange, behind those of the rows and of the
 * labeled rows: of each block 24, and for each of its centers 32 and a vector. */
START_TEST(sizes_of_centers) {
    enum { BUDGET = 40, BLOCKS = 3 };
    static const job_setting exact = {"kcenter", NULL, "40", NULL, ALCORE_DEDUP_NONE},
                             setting = {"kcenter", "mode=composable", "40", NULL,
                                        ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, MANY_ROWS}};
    record made = record_exchanges(ctx, &setting, &cut),
           by_picks = record_exchanges(ctx, &exact, &cut);
    const size_t head = head_bytes(&made);
    const int before = by_picks.count - (BUDGET + 1); /* one for each pick, and one more */
    ck_assert_int_ge(before, 2);
    ck_assert_int_eq(made.count, before + 1);
    ck_assert_uint_eq(made.lengths[before],
                      head + BLOCKS * (24 + (size_t)BUDGET * (32 + 8 * VECTOR)));
    record_free(&made);
    record_free(&by_picks);
}
END_TEST

/* With max_similarity the vectors of all candidates are in the message of rows, beside those of
 * border rows, here none. */
START_TEST(sizes_of_compared_rows) {
    static const job_setting plain = {"kcenter", NULL, "9", NULL, ALCORE_DEDUP_NONE},
                             limited = {"kcenter", NULL, "9", "max_similarity=0.9",
                                        ALCORE_DEDUP_NONE};
    record made = record_exchanges(ctx, &plain, &WHOLE),
           compared = record_exchanges(ctx, &limited, &WHOLE);
    size_t bytes = 0, heads[2];
    alcore_pool *pool = job_pool(ctx, &plain, 0, FEW_ROWS);
    for (int64_t row = 0; row < FEW_ROWS; row++)
        if (alcore_pool_states(pool)[row] == 0) bytes += VECTOR * sizeof(float);
    alcore_pool_unref(pool);
    heads[0] = settings_bytes(made.bytes[0]);
    heads[1] = settings_bytes(compared.bytes[0]);
    ck_assert_uint_gt(bytes, 1000);
    ck_assert_uint_eq(compared.lengths[0] - heads[1],
                      made.lengths[0] - heads[0] + (bytes + 7) / 8 * 8);
    record_free(&made);
    record_free(&compared);
}
END_TEST

/* With mode=oversampling of badge 14 exchanges behind that of the rows: the lengths of gradients, 8
 * for each candidate; the first row, 8 and 8 for each value of its factors, and the weights of the
 * blocks, 16 and 8 for each; the same of each of 5 steps, whose rows are sent as often as they are
 * drawn; and, of each shard, a count for each row that was gathered. */
START_TEST(sizes_of_steps) {
    enum { BLOCKS = 3, PER_STEP = 7, DRAWN = 8 + 8 * (CLASSES + VECTOR) };
    static const job_setting setting = {"badge", "mode=oversampling per_step=7", "30", NULL,
                                        ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, MANY_ROWS}};
    const size_t candidates = count_rows(ctx, &setting, MANY_ROWS, 0);
    record made = record_exchanges(ctx, &setting, &cut);
    const size_t head = head_bytes(&made);
    ck_assert_int_eq(made.count, 1 + 14);
    ck_assert_uint_eq(made.lengths[1], head + BLOCKS * 16 + 8 * candidates);
    for (int i = 2; i < 14; i++) {
        const size_t draws = i == 2 ? 1 : PER_STEP;
        if (i % 2 == 0) ck_assert_uint_ge(made.lengths[i], head + 16 + draws * DRAWN);
        if (i % 2 == 0) ck_assert_uint_le(made.lengths[i], head + BLOCKS * 16 + draws * DRAWN);
        if (i % 2 == 1) ck_assert_uint_eq(made.lengths[i], head + BLOCKS * (16 + 8));
    }
    /* No row is drawn twice, or some are. */
    ck_assert_uint_le(made.lengths[14], head + 2 * (16 + 8 * (1 + 5 * PER_STEP)));
    ck_assert_uint_gt(made.lengths[14], head + 2 * (16 + 8 * (1 + 4 * PER_STEP)));
    record_free(&made);
}
END_TEST

/* Strata of equal numbers of rows take some exchanges more, of counts, of which there are no more
 * than a block has rows; a common scale takes that of the range of distances and two of sums. */
START_TEST(sizes_of_bounds_and_scales) {
    enum { COUNTS = 8192 };
    static const job_setting setting = {"huds", "n_strata=3 strata=quantile rescale=zscore", "9",
                                        NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, MANY_ROWS}};
    record made = record_exchanges(ctx, &setting, &cut);
    const size_t head = head_bytes(&made);
    const int bounds = made.count - 8; /* exchanges of counts, behind those of rows and the range */
    ck_assert_int_ge(bounds, 1);
    ck_assert_int_le(bounds, 8);
    for (int i = 2; i < 2 + bounds; i++)
        ck_assert_uint_le(made.lengths[i], head + 2 * (16 + 8 * COUNTS));
    const size_t *behind = made.lengths + 2 + bounds;
    ck_assert_uint_eq(behind[0], head + 2 * (16 + 8 * STRATA));
    ck_assert_uint_eq(behind[1], head + 3 * (16 + (STRATA + 1) * ROW_VECTOR));
    ck_assert_uint_eq(behind[2], head + 2 * (16 + 16));
    ck_assert_uint_eq(behind[3], head + 3 * (16 + 8 * 2));
    ck_assert_uint_eq(behind[4], behind[3]);
    ck_assert_uint_eq(behind[5], head + NOMINEES);
    record_free(&made);
}
END_TEST

/* With fill=skip and costs some rounds of nominees, 32 for each, of one shard in the order of their
 * keys, until they cost what is left together: at first the budget. */
START_TEST(sizes_of_rounds) {
    enum { BUDGET = 90, BEFORE = 1 };
    static const job_setting setting = {"egl", NULL, "90u", "fill=skip", ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, MANY_ROWS}};
    record made = record_exchanges(ctx, &setting, &cut);
    ck_assert_int_ge(made.count, BEFORE + 2);
    ck_assert_int_le(made.count, BEFORE + 6);
    for (int i = BEFORE; i < made.count; i++) {
        alcore__job_message message;
        int64_t nominees = 0;
        ck_assert_ok(alcore__job_message_read(made.bytes[i], made.lengths[i], &message));
        const char *place = message.entries, *items;
        for (int s = 0; s < 2; s++) {
            alcore__job_entry entry;
            alcore__nominee nominee = {.cost = 0};
            double cost = 0, key = HUGE_VAL;
            place = alcore__job_entry_next(&message, place, &entry, &items);
            for (int64_t n = 0; n < entry.count / 32; n++, nominees++, key = nominee.key) {
                memcpy(&nominee, items + 32 * n, sizeof nominee);
                ck_assert_double_le(nominee.key, key);
                ck_assert_double_lt(cost, BUDGET);
                cost += nominee.cost;
            }
            if (i == BEFORE) ck_assert_double_ge(cost, BUDGET);
            if (i > BEFORE) ck_assert_double_lt(cost, BUDGET / 2);
        }
        ck_assert_uint_eq(made.lengths[i], head_bytes(&made) + 32 * (size_t)nominees);
    }
    record_free(&made);
}
END_TEST

/* How many rows two of the lists of two shards name, rows [2, targets, k] before distances, once
 * they are merged by distance; *blocks: in how many blocks of 8192 rows. */
static size_t count_merged(const char *const lists[2], int targets, int k, size_t *blocks) {
    bool near[MANY_ROWS] = {false}, visited[MANY_ROWS / 8192 + 1] = {false};
    size_t count = 0;
    for (int t = 0; t < targets; t++) {
        int at[2] = {t * k, t * k};
        for (int i = 0; i < k; i++) {
            int64_t rows[2];
            double distances[2];
            for (int s = 0; s < 2; s++) {
                memcpy(&rows[s], lists[s] + 8 * at[s], 8);
                memcpy(&distances[s], lists[s] + 8 * (targets * k + at[s]), 8);
            }
            if (rows[0] < 0) break;                         /* the target row is not active */
            const int nearer = distances[1] < distances[0]; /* rows of the first are lower */
            count += !near[rows[nearer]];
            near[rows[nearer]] = true;
            *blocks += !visited[rows[nearer] / 8192];
            visited[rows[nearer] / 8192] = true;
            at[nearer]++;
        }
    }
    return count;
}

/* Of neighbors of a target: of each shard one list for each row of the target, of each
 * block what its neighbors are worth and cost, and no exchange of nominees where these fill the
 * budget. */
START_TEST(sizes_of_neighbors) {
    enum { TARGETS = TARGET_END - TARGET_FIRST, K = 2 };
    static const job_setting setting = {"knn-uncertainty", "k=2", "9", NULL, ALCORE_DEDUP_NONE},
                             other = {"knn-uncertainty", "k=2", "2000", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, MANY_ROWS}};
    record made = record_exchanges(ctx, &setting, &cut), more = record_exchanges(ctx, &other, &cut);
    const size_t settings = settings_bytes(made.bytes[0]), list_bytes = 16 * TARGETS * K;
    const size_t head = head_bytes(&made);
    const char *first = made.bytes[1] + 48 + settings + 32 + 16;
    const char *const lists[] = {first, first + list_bytes + 32 + 16};
    size_t blocks = 0;
    ck_assert_int_eq(made.count, 3);
    ck_assert_uint_eq(made.lengths[1], head + 2 * (16 + list_bytes));
    const size_t neighbors = count_merged(lists, TARGETS, K, &blocks);
    ck_assert_uint_gt(neighbors, 9);
    ck_assert_uint_eq(made.lengths[2], head + 16 * blocks + 16 * neighbors);
    ck_assert_int_eq(more.count, 4);
    ck_assert_uint_eq(more.lengths[3], head_bytes(&more) + 2 * 32 * (2000 - neighbors));
    record_free(&made);
    record_free(&more);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_sizes");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, sizes_by_rows, 0, sizeof SIZES / sizeof *SIZES);
    tcase_add_test(cases, sizes_of_messages);
    tcase_add_test(cases, sizes_of_centers);
    tcase_add_test(cases, sizes_of_steps);
    tcase_add_test(cases, sizes_of_compared_rows);
    tcase_add_test(cases, sizes_of_bounds_and_scales);
    tcase_add_test(cases, sizes_of_rounds);
    tcase_add_test(cases, sizes_of_neighbors);
    return check_suite_run("job_sizes", cases);
}
