/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between shards that compare rows, changed by a lie in one place, with the right sum: the
 * job refuses each by name. */
#include "job_record.h"
#include "request/request_internal.h"

static alcore_ctx *ctx;

static void setup(void) {
    ctx = job_context(5);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* Delivers the messages of a job that has all rows until the next one is of a pass, and the partial
 * of its first block has so many bytes: a copy of that one, and *place, where these begin. */
static char *pass_of_bytes(alcore_job *job, uint64_t wanted, size_t *length, size_t *place) {
    for (;;) {
        int32_t state, exchange;
        uint64_t bytes = 0;
        ck_assert_ok(alcore_job_step(job, &state));
        ck_assert_int_eq(state, ALCORE_JOB_FOLD);
        const char *message = alcore_job_message(job, length);
        char *copy = memcpy(malloc(*length), message, *length);
        *place = 48 + settings_bytes(copy) + 32 + 16;
        memcpy(&exchange, copy + 20, sizeof exchange);
        if (exchange >= ALCORE__EXCHANGE_PASSES && *length > *place)
            memcpy(&bytes, copy + *place - 8, sizeof bytes);
        if (bytes == wanted) return copy;
        ck_assert_ok(alcore_job_deliver(job, copy, *length));
        free(copy);
    }
}

/* Writes 8 bytes into a message, with the right sum, and delivers it. */
static alcore_status deliver_lie(alcore_job *job, char *message, size_t length, size_t place,
                                 const void *number) {
    memcpy(message + place, number, 8);
    const uint64_t sum = alcore__hash64(message + 16, length - 16);
    memcpy(message + 8, &sum, 8);
    return alcore_job_deliver(job, message, length);
}

/* Bytes of what bertkm exchanges: a drawn row (its sequence, draw and position, its square and its
 * vector), what an iteration of k-means has of its clusters, a row that is far from its centroid.
 */
enum {
    KMEANS = 6,
    DRAWN_BYTES = 24 + 8 * (1 + VECTOR),
    ITERATION_BYTES = 8 * KMEANS * VECTOR + 8 * (1 + KMEANS),
    FAR_BYTES = 24 + 8 * VECTOR
};

static const job_setting BERTKM = {"bertkm", NULL, "6", NULL, ALCORE_DEDUP_NONE};

/* A draw of another sequence, a second one, and another row than the one that was drawn. */
START_TEST(draws_that_lie) {
    static const int64_t wrong[][2] = {{0, 1}, {0, -1}, {8, 1}, {8, 3}, {16, -1}, {16, FEW_ROWS}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong + 1; i++) {
        size_t length, place;
        alcore_job *job = job_new(ctx, &BERTKM, &WHOLE, 0);
        char *message = pass_of_bytes(job, DRAWN_BYTES, &length, &place);
        int64_t position, number = i > 0 ? wrong[i - 1][1] : 0;
        memcpy(&position, message + place + 16, sizeof position);
        if (i == 0) number = position == 0; /* a candidate */
        place += i > 0 ? (size_t)wrong[i - 1][0] : 16;
        ck_assert_int_eq(deliver_lie(job, message, length, place, &number), ALCORE_E_CORRUPT);
        free(message);
        alcore_job_unref(job);
    }
}
END_TEST

/* Where no row is left that can be drawn, a block that claims a weight has no row to be found. */
START_TEST(weights_that_lie) {
    const job_setting setting = {"badge", NULL, "9999", NULL, ALCORE_DEDUP_NONE};
    const job_cut few = {1, {0, 20}};
    record made = record_exchanges(ctx, &setting, &few);
    const int last = made.count - 2; /* then come scores */
    alcore_job *job = job_new(ctx, &setting, &few, 0);
    const double weight = 1.0, none = 0.0;
    int32_t state;
    for (int i = 0; i < last; i++)
        ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
    const size_t place = made.lengths[last] - 8;
    ck_assert_mem_eq(made.bytes[last] + place, &none, 8);
    ck_assert_ok(deliver_lie(job, made.bytes[last], made.lengths[last], place, &weight));
    ck_assert_int_eq(alcore_job_step(job, &state), ALCORE_E_CORRUPT);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "a draw that was not made"));
    alcore_job_unref(job);
    record_free(&made);
}
END_TEST

/* Numbers of rows that are none, and a cluster that is empty by a lie, for which no row comes. */
START_TEST(clusters_that_lie) {
    static const int64_t wrong[] = {-1, FEW_ROWS + 1, INT64_MAX};
    const int64_t nothing = 0, other_group = 7;
    size_t length, place;
    char *message;
    for (size_t i = 0; i < 2 * sizeof wrong / sizeof *wrong; i++) {
        alcore_job *job = job_new(ctx, &BERTKM, &WHOLE, 0);
        message = pass_of_bytes(job, ITERATION_BYTES, &length, &place);
        place += i % 2 == 0 ? 8 * KMEANS * VECTOR : ITERATION_BYTES - 8;
        ck_assert_int_eq(deliver_lie(job, message, length, place, &wrong[i / 2]), ALCORE_E_CORRUPT);
        free(message);
        alcore_job_unref(job);
    }
    alcore_job *job = job_new(ctx, &BERTKM, &WHOLE, 0);
    message = pass_of_bytes(job, ITERATION_BYTES, &length, &place);
    ck_assert_ok(deliver_lie(job, message, length, place + ITERATION_BYTES - 8, &nothing));
    free(message);
    message = pass_of_bytes(job, FAR_BYTES, &length, &place);
    ck_assert_int_eq(deliver_lie(job, message, length, place, &other_group), ALCORE_E_CORRUPT);
    free(message);
    alcore_job_unref(job);
}
END_TEST

/* Of what another shard tells of k-means, with its own blocks: sizes of groups that are no numbers
 * of rows or more together than a block has, drawn rows that are none, of another block, of another
 * sequence or draw, and rows of clusters that are none. Where no drawn row is told at all, it is
 * missing. */
START_TEST(clusters_of_another_shard_that_lie) {
    enum {
        STRATA = 3,
        ROWS = 8400,
        SIZES = 3,
        DRAWN = 4,
        CLUSTERED = 7,
        TOLD = 24 + 8 + 8 * VECTOR
    };
    static const job_setting setting = {"huds", "n_strata=3 k_clusters=2", "9", NULL,
                                        ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, ROWS}};
    record made = record_exchanges(ctx, &setting, &cut);
    const size_t items = 48 + settings_bytes(made.bytes[0]) + 32, first = items + 16;
    const size_t counts = first + 8 * 2 * STRATA * VECTOR;
    const struct {
        int exchange;
        size_t place;
        int64_t lie;
    } lies[] = {{SIZES, first, -1},
                {SIZES, first, 8193},
                {SIZES, first + 8, INT64_MAX},
                {SIZES, first + 16, 8190}, /* beside the other two */
                {DRAWN, first, -1},
                {DRAWN, first, STRATA},
                {DRAWN, first + 8, -1},
                {DRAWN, first + 8, 1},
                {DRAWN, first + 8, 3},
                {DRAWN, first + 16, -1},
                {DRAWN, first + 16, 8192},
                {DRAWN, first + 16, ROWS},
                {DRAWN, first + 16, INT64_MIN},
                {DRAWN, first + TOLD, 0},     /* the first sequence once more */
                {DRAWN, first - 8, 2 * TOLD}, /* one row fewer than drawn */
                {DRAWN, items - 8, 0},        /* nothing at all */
                {CLUSTERED, counts, -1},
                {CLUSTERED, counts, 8193},
                {CLUSTERED, counts + 8 * STRATA, -1},
                {CLUSTERED, counts + 8 * STRATA, 8193}};
    uint64_t bytes;
    memcpy(&bytes, made.bytes[SIZES] + first - 8, 8);
    ck_assert_uint_eq(bytes, 8 * STRATA);
    memcpy(&bytes, made.bytes[DRAWN] + first - 8, 8);
    ck_assert_uint_eq(bytes, TOLD * STRATA); /* all first draws are rows of the large shard */
    memcpy(&bytes, made.bytes[CLUSTERED] + first - 8, 8);
    ck_assert_uint_eq(bytes, 8 * 2 * STRATA * VECTOR + 8 * 3 * STRATA);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        const int exchange = lies[i].exchange;
        size_t length = made.lengths[exchange];
        char *message = memcpy(malloc(length), made.bytes[exchange], length);
        alcore_job *job = job_new(ctx, &setting, &cut, 1);
        for (int before = 0; before < exchange; before++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[before], made.lengths[before]));
        if (lies[i].place == items - 8) { /* the shard's entry has no item */
            const size_t told = 16 + TOLD * STRATA;
            memmove(message + items, message + items + told, length - items - told);
            length -= told;
        }
        ck_assert_int_eq(deliver_lie(job, message, length, lies[i].place, &lies[i].lie),
                         ALCORE_E_CORRUPT);
        free(message);
        alcore_job_unref(job);
    }
    record_free(&made);
}
END_TEST

/* Where there are as many clusters as rows, all rows are drawn as first centroids, at last those
 * that equal others and have no weight. */
START_TEST(no_row_is_a_first_centroid_twice) {
    enum { ROWS = 50, TOLD = 24 + 8 + 8 * VECTOR };
    static const job_setting setting = {"diversity-global", "k_clusters=60", "9", NULL,
                                        ALCORE_DEDUP_NONE};
    const job_cut cut = {1, {0, ROWS}};
    record made = record_exchanges(ctx, &setting, &cut);
    const size_t first = 48 + settings_bytes(made.bytes[0]) + 32 + 16;
    bool drawn[ROWS] = {false};
    size_t count = 0;
    for (int i = 0; i < made.count; i++) {
        int64_t place;
        if (made.lengths[i] != first + TOLD) continue;
        memcpy(&place, made.bytes[i] + first + 16, sizeof place);
        ck_assert_int_lt(place, ROWS);
        ck_assert(!drawn[place]);
        drawn[place] = true;
        count++;
    }
    ck_assert_uint_eq(count, count_rows(ctx, &setting, ROWS, 0));
    record_free(&made);
}
END_TEST

/* Neighbors that are no rows or no candidates, of which no uncertainty or no cost is told, and
 * nominees that are neighbors, all in what another shard has put in. */
START_TEST(neighbors_that_lie) {
    enum { TARGETS = TARGET_END - TARGET_FIRST, ROWS = 8400 };
    static const job_setting setting = {"knn-uncertainty", "k=1", "200", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, ROWS}};
    const int64_t rows[] = {ROWS, -2, 8195 /* labeled, of the shard that is lied to */};
    const double nothing = NAN, less = -1;
    record made = record_exchanges(ctx, &setting, &cut);
    const size_t settings = settings_bytes(made.bytes[0]), items = 48 + settings + 48;
    size_t near = items; /* of a target row that is active, and nearer to the other shard's row */
    double distances[2] = {1, 0};
    ck_assert_int_eq(made.count, 4);
    for (; distances[0] >= distances[1]; near += 8) {
        ck_assert_uint_lt(near, items + 8 * TARGETS);
        memcpy(&distances[0], made.bytes[1] + near + 8 * TARGETS, 8);
        memcpy(&distances[1], made.bytes[1] + near + 48 + 24 * TARGETS, 8);
    }
    near -= 8;
    const struct {
        int exchange;
        size_t place;
        const void *lie;
    } lies[] = {{1, near, &rows[0]},
                {1, near, &rows[1]},
                {1, near, &rows[2]},
                {2, items, &nothing},
                {2, items + 8, &less},
                {2, items + 8, &nothing},
                {3, items - 16, made.bytes[1] + near}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        const int exchange = lies[i].exchange;
        const size_t length = made.lengths[exchange];
        alcore_job *job = job_new(ctx, &setting, &cut, 1);
        char *message = memcpy(malloc(length), made.bytes[exchange], length);
        int32_t state;
        for (int before = 0; before < exchange; before++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[before], made.lengths[before]));
        alcore_status status = deliver_lie(job, message, length, lies[i].place, lies[i].lie);
        if (lies[i].lie == &rows[2]) {
            ck_assert_ok(status);
            status = alcore_job_step(job, &state);
            ck_assert_ptr_nonnull(
                strstr(alcore_last_error(), "row 8195 of a message is no candidate"));
        }
        ck_assert_int_eq(status, ALCORE_E_CORRUPT);
        free(message);
        alcore_job_unref(job);
    }
    record_free(&made);
}
END_TEST

/* A shard that tells nothing of its neighbors, in a message that is whole. */
START_TEST(neighbors_that_are_not_told) {
    static const job_setting setting = {"knn-uncertainty", "k=1", "20", NULL, ALCORE_DEDUP_NONE};
    const job_cut cut = {2, {0, 8192, 8400}};
    record made = record_exchanges(ctx, &setting, &cut);
    const size_t settings = settings_bytes(made.bytes[0]), first = 48 + settings;
    const int64_t none = 0;
    int64_t count;
    alcore_job *job = job_new(ctx, &setting, &cut, 1);
    for (int i = 0; i < 2; i++)
        ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
    memcpy(&count, made.bytes[2] + first + offsetof(alcore__job_entry, count), sizeof count);
    ck_assert_int_gt(count, 16);
    char *message = malloc(made.lengths[2]);
    memcpy(message, made.bytes[2], first + 32);
    memcpy(message + first + 32, made.bytes[2] + first + 32 + count,
           made.lengths[2] - first - 32 - (size_t)count);
    ck_assert_int_eq(deliver_lie(job, message, made.lengths[2] - (size_t)count,
                                 first + offsetof(alcore__job_entry, count), &none),
                     ALCORE_E_CORRUPT);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "neighbors of the target were told"));
    free(message);
    alcore_job_unref(job);
    record_free(&made);
}
END_TEST

/* Nominees of rows that are none, twice of one row, without a key, and half of one. */
START_TEST(nominees_that_lie) {
    static const job_setting setting = {"huds", NULL, "9", NULL, ALCORE_DEDUP_NONE};
    static const int64_t wrong[] = {-1, FEW_ROWS};
    const double nothing = NAN;
    record made = record_exchanges(ctx, &setting, &WHOLE);
    const int last = made.count - 1;
    const size_t length = made.lengths[last], place = length - 32 * 9;
    for (int lie = 0; lie < 4; lie++) {
        alcore_job *job = job_new(ctx, &setting, &WHOLE, 0);
        char *bytes = memcpy(malloc(length), made.bytes[last], length);
        for (int i = 0; i < last; i++)
            ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
        const void *number = lie < 2    ? (const void *)&wrong[lie]
                             : lie == 2 ? (const void *)(bytes + place + 32)
                                        : (const void *)&nothing;
        char copy[8];
        memcpy(copy, number, sizeof copy);
        ck_assert_int_eq(deliver_lie(job, bytes, length, lie == 3 ? place + 8 : place, copy),
                         ALCORE_E_CORRUPT);
        ck_assert_ok(alcore_job_deliver(job, made.bytes[last], length)); /* it is as it was */
        free(bytes);
        alcore_job_unref(job);
    }
    record_free(&made);
}
END_TEST

/* Nominees of a round that do not fit, are not in order, or were looked at in the round before. */
START_TEST(rounds_that_lie) {
    static const job_setting setting = {"egl", NULL, "20.5u", "fill=skip", ALCORE_DEDUP_NONE};
    const double lies[] = {21.0, NAN, 0.0, HUGE_VAL};
    record made = record_exchanges(ctx, &setting, &WHOLE);
    const size_t head = 48 + settings_bytes(made.bytes[0]) + 32;
    ck_assert_int_gt(made.count, 2);
    for (int i = 1; i < 3; i++) {
        ck_assert_uint_ge(made.lengths[i], head + 32);
        for (size_t lie = 0; lie < 4; lie++) {
            const bool is_key = lie == 3;
            alcore_job *job = job_new(ctx, &setting, &WHOLE, 0);
            char *bytes = memcpy(malloc(made.lengths[i]), made.bytes[i], made.lengths[i]);
            for (int n = 0; n < i; n++)
                ck_assert_ok(alcore_job_deliver(job, made.bytes[n], made.lengths[n]));
            /* The cost of the first one; the key of the second, or in the second round of the
             * first. */
            const size_t place = head + (!is_key ? 24 : i == 1 ? 32 + 8 : 8);
            ck_assert_int_eq(deliver_lie(job, bytes, made.lengths[i], place, &lies[lie]),
                             ALCORE_E_CORRUPT);
            ck_assert_ok(alcore_job_deliver(job, made.bytes[i], made.lengths[i]));
            free(bytes);
            alcore_job_unref(job);
        }
    }
    record_free(&made);
}
END_TEST

/* Vectors that are no unit vectors, of candidates and of labeled rows, clusters and rows of L' that
 * are none, ranges of scores that are none, counts of more rows than there are, centers that
 * are no rows of their block, out of order, cost nothing, have no distances or are cut off, and
 * drawn rows and neighbors that are none. */
START_TEST(vectors_that_lie) {
    enum { CENTER = 32 + 8 * VECTOR, CENTERS = 8 + 9 * CENTER };
    static const job_setting settings[] = {
        {"facility-location", NULL, "9", NULL, ALCORE_DEDUP_NONE},
        {"typiclust", NULL, "9", NULL, ALCORE_DEDUP_NONE},
        {"mrs", "iterative=1", "9", NULL, ALCORE_DEDUP_NONE},
        {"huds", NULL, "9", NULL, ALCORE_DEDUP_NONE},
        {"kcenter", "mode=composable", "9", NULL, ALCORE_DEDUP_NONE},
        {"badge", "mode=oversampling steps=1 per_step=1", "9", NULL, ALCORE_DEDUP_NONE},
        {"mrs", NULL, "9", NULL, ALCORE_DEDUP_NONE}};
    const size_t candidates = count_rows(ctx, &settings[0], FEW_ROWS, 0),
                 labeled = count_rows(ctx, &settings[0], FEW_ROWS, ALCORE_ROW_LABELED);
    const int64_t none = (int64_t)labeled;
    const struct {
        int setting;
        uint64_t bytes; /* of the partial */
        size_t place;
        const void *lie;
    } lies[] = {
        {0, 8 * VECTOR * candidates, 16, (const double[]){NAN}},
        {0, 8 * VECTOR * candidates, 0, (const double[]){-1e300}},
        {0, 8 * VECTOR * labeled, 40, (const double[]){1.5}},
        {1, 4 * candidates, 8, (const int32_t[]){-1, 0}},
        {1, 4 * labeled, 16, (const int32_t[]){0, 500}},
        {2, 16 * candidates, 8 * (candidates + 2), (const int64_t[]){-1}},
        {2, 16 * candidates, 8 * (candidates + 2), &none},
        {3, 16, 0, (const double[]){NAN}},
        {3, 16, 0, (const double[]){1e300}},
        {3, 80, 8, (const int64_t[]){-1}},
        {3, 80, 72, (const int64_t[]){FEW_ROWS + 1}},
        {4, CENTERS, 0, (const double[]){NAN}},
        {4, CENTERS, 8, (const int64_t[]){-1}},
        {4, CENTERS, 8 + CENTER, (const int64_t[]){0}}, /* not in order */
        {4, CENTERS, 8 + 8 * CENTER, (const int64_t[]){FEW_ROWS}},
        {4, CENTERS, 16, (const double[]){0.0}},
        {4, CENTERS, 16, (const double[]){HUGE_VAL}},
        {4, CENTERS, 24, (const double[]){NAN}},
        {4, CENTERS, 32, (const double[]){1.0}},
        {4, CENTERS, (size_t)-8, (const int64_t[]){CENTERS - 4}},
        {5, 8 + 8 * (CLASSES + VECTOR), 0, (const int64_t[]){-1}},
        {5, 8 + 8 * (CLASSES + VECTOR), 0, (const int64_t[]){FEW_ROWS}},
        {5, 2 * 8, 0, (const int64_t[]){-1}},
        {5, 2 * 8, 8, (const int64_t[]){FEW_ROWS + 1}},
        {6, 16 * 4 * labeled, 0, (const int64_t[]){-2}},
        {6, 16 * 4 * labeled, 8, (const int64_t[]){FEW_ROWS}},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        size_t length, place;
        alcore_job *job = job_new(ctx, &settings[lies[i].setting], &WHOLE, 0);
        char *message = pass_of_bytes(job, lies[i].bytes, &length, &place);
        ck_assert_int_eq(deliver_lie(job, message, length, place + lies[i].place, lies[i].lie),
                         ALCORE_E_CORRUPT);
        free(message);
        alcore_job_unref(job);
    }
}
END_TEST

/* Numbers of candidates and of labeled rows of a shard, behind those of another one: nothing
 * overflows (a sanitizer looks). */
START_TEST(counts_of_rows_that_lie) {
    const job_setting setting = {"kcenter", NULL, "2", NULL, ALCORE_DEDUP_NONE};
    const job_cut two = {2, {0, 130, FEW_ROWS}};
    const int64_t lie = INT64_MAX;
    record made = record_exchanges(ctx, &setting, &two);
    for (size_t number = 0; number < 2; number++) {
        alcore_job *job = job_new(ctx, &setting, &two, 0);
        char *bytes = memcpy(malloc(made.lengths[0]), made.bytes[0], made.lengths[0]);
        alcore__job_message message;
        alcore__job_entry entry;
        const char *items;
        ck_assert_ok(alcore__job_message_read(bytes, made.lengths[0], &message));
        ck_assert_int_eq(message.exchange, ALCORE__EXCHANGE_ROWS);
        alcore__job_entry_next(&message,
                               alcore__job_entry_next(&message, message.entries, &entry, &items),
                               &entry, &items);
        const size_t place = (size_t)(items - bytes) + 8 * number;
        ck_assert_int_eq(deliver_lie(job, bytes, made.lengths[0], place, &lie), ALCORE_E_CORRUPT);
        ck_assert_ok(alcore_job_deliver(job, made.bytes[0], made.lengths[0]));
        free(bytes);
        alcore_job_unref(job);
    }
    record_free(&made);
}
END_TEST

/* A row in a list that the request of its shard does not have. */
START_TEST(lists_that_lie) {
    static const int32_t lists[] = {ALCORE__LIST(LABELED), ALCORE__LIST(EXCLUDED), 31};
    const job_setting setting = {"hybrid", "sentences=random phrases=ngf", "9", NULL,
                                 ALCORE_DEDUP_NONE};
    alcore_job *job = job_new(ctx, &setting, &WHOLE, 0);
    size_t length;
    int32_t state;
    ck_assert_ok(alcore_job_step(job, &state));
    const char *message = alcore_job_message(job, &length);
    const size_t place = 48 + settings_bytes(message) + 32 + 8 + 16; /* states, lists of row 0 */
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        uint32_t row[2];
        char *copy = memcpy(malloc(length), message, length);
        memcpy(row, copy + place, sizeof row);
        ck_assert_uint_eq(row[1], 1u << ALCORE__LIST(ELIGIBLE));
        row[1] |= 1u << lists[i];
        ck_assert_int_eq(deliver_lie(job, copy, length, place, row), ALCORE_E_CORRUPT);
        free(copy);
    }
    ck_assert_ok(alcore_job_deliver(job, message, length));
    ck_assert_ok(alcore_job_step(job, &state));
    alcore_job_unref(job);
}
END_TEST

/* A drawn row far before its block, which is not the first one: nothing overflows (a sanitizer
 * looks). */
START_TEST(a_draw_before_its_block) {
    const job_setting setting = {"badge", "mode=oversampling steps=1 per_step=1", "9", NULL,
                                 ALCORE_DEDUP_NONE};
    const job_cut wide = {1, {0, MANY_ROWS}};
    const int64_t lie = INT64_MIN;
    size_t length, place;
    int64_t block;
    alcore_job *job = job_new(ctx, &setting, &wide, 0);
    char *message = pass_of_bytes(job, 8 + 8 * (CLASSES + VECTOR), &length, &place);
    memcpy(&block, message + place - 16, sizeof block);
    ck_assert_int_gt(block, 0);
    ck_assert_int_eq(deliver_lie(job, message, length, place, &lie), ALCORE_E_CORRUPT);
    free(message);
    alcore_job_unref(job);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("job_lies");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, draws_that_lie);
    tcase_add_test(cases, weights_that_lie);
    tcase_add_test(cases, clusters_that_lie);
    tcase_add_test(cases, clusters_of_another_shard_that_lie);
    tcase_add_test(cases, no_row_is_a_first_centroid_twice);
    tcase_add_test(cases, neighbors_that_lie);
    tcase_add_test(cases, neighbors_that_are_not_told);
    tcase_add_test(cases, nominees_that_lie);
    tcase_add_test(cases, rounds_that_lie);
    tcase_add_test(cases, vectors_that_lie);
    tcase_add_test(cases, counts_of_rows_that_lie);
    tcase_add_test(cases, lists_that_lie);
    tcase_add_test(cases, a_draw_before_its_block);
    return check_suite_run("job_lies", cases);
}
