/* SPDX-License-Identifier: Apache-2.0 */
/* How often a device is started and waited for in a pass of a strategy over rows that stay in its
 * memory, and what is copied for a pick: as much for three blocks of 8192 rows as for one, and the
 * selection is the CPU's. On emulated devices, whose kernels, waits and copies are counted.
 * docs/results/gpu-passes.txt keeps the numbers, none may grow; GPU_PASSES_OUT=FILE
 * test_cuda_passes writes the file anew, where a change is meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "counts_file.h"
#include "emulated_module.h"
#include "search_calls.h"

enum { BLOCK = 8192, ROWS = 2 * BLOCK + 100, DIMS = 3, CLASSES = 2, FEW = 2, MANY = 6 };
enum { OTHERS = 30 }; /* rows of the pool in another role */
/* Rows of two wide blocks, where a pool is cut into none of less than 16 blocks; every SPARSE-th of
 * them is a candidate. */
enum { WIDE_ROWS = 17 * BLOCK + 100, SPARSE = 97 };

static emulated_module emu;
static alcore_ctx *ctx;
static float vectors[WIDE_ROWS * DIMS], probs[WIDE_ROWS * CLASSES], scores[WIDE_ROWS];
static char letters[WIDE_ROWS][20]; /* the texts */
static const char *texts[WIDE_ROWS];

/* Fills the arrays of the first `rows` rows. */
static void fill_rows(int rows) {
    static uint64_t state = 1;
    static int filled;
    for (; filled < rows; filled++) {
        const int i = filled;
        for (int j = 0; j < DIMS; j++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            vectors[i * DIMS + j] = (float)(state >> 40) / 0x1p23f - 1.0f;
        }
        probs[i * CLASSES] = 0.25f + (float)(i % 97) / 200.0f;
        probs[i * CLASSES + 1] = 1.0f - probs[i * CLASSES];
        scores[i] = (float)(i % 101) / 50.0f;
        snprintf(letters[i], sizeof letters[i], "text %d", i);
        texts[i] = letters[i];
    }
}

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    fill_rows(ROWS);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* What the candidates are, and where. */
typedef struct setting {
    const char *strategy;
    const char *options; /* "name=value name=value"; NULL: none */
    int role;            /* that of another pool, ALCORE_ROLE_...; 0: there is none */
    int scored;          /* the pool has scores in the place of class probabilities */
    int rows;            /* of the pool */
    int labeled;         /* every n-th row is labeled, so that candidates have gaps; 0: none is */
    int from_file;       /* the embeddings are read from a file */
    int on_device;       /* they are in the device's memory before the call */
    int limited; /* picks are compared with those before (max_similarity): 1: a limit that passes no
                    row over, 2: one that passes over nearly all */
    size_t capacity; /* bytes of the device's memory; 0: enough for all */
    int sparse;      /* every n-th row may be selected, the others are no candidates; 0: all */
    int filtered;    /* filters in half precision for every shape */
    int other_rows;  /* of the other pool; 0: OTHERS */
} setting;

static alcore_tensor tensor_of(void *data, int64_t *shape) {
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, data, ALCORE_FLOAT32, shape, 2));
    return tensor;
}

static alcore_pool *pool_of(const setting *s, void **taken) {
    alcore_pool *pool;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    int64_t shape[] = {s->rows, DIMS}, classes[] = {s->rows, s->scored ? 1 : CLASSES};
    alcore_tensor x = tensor_of(vectors, shape), p = tensor_of(s->scored ? scores : probs, classes);
    fill_rows(s->rows);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, s->rows, NULL));
    options.ownership = ALCORE_BORROW;
    *taken = NULL;
    if (s->on_device) {
        size_t bytes = (size_t)s->rows * DIMS * sizeof *vectors;
        x.data = *taken = emulated_array(&emu, vectors, bytes);
        x.device = (alcore_device){ALCORE_DEVICE_CUDA, 0};
    }
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &x, NULL, &options));
    ck_assert_ok(alcore_pool_set_column(pool, s->scored ? "scores" : "probs", &p, NULL, NULL));
    if (s->from_file) {
        char path[64];
        snprintf(path, sizeof path, "test_cuda_passes.%ld.npy", (long)getpid());
        ck_assert_ok(alcore_pool_write_column(pool, "embeddings", path, NULL));
        ck_assert_ok(alcore_pool_read_column(pool, "embeddings", path, NULL));
        remove(path);
    }
    return pool;
}

/* Sets options "name=value name=value". */
static void set_options(alcore_strategy *strategy, const char *options) {
    char copy[100], *value;
    snprintf(copy, sizeof copy, "%s", options ? options : "");
    for (char *name = strtok(copy, " "); name; name = strtok(NULL, " ")) {
        value = strchr(name, '=');
        *value++ = 0;
        ck_assert_ok(alcore_strategy_set(strategy, name, value));
    }
}

/* A pool for the role of the setting: its first rows are those of the candidates, but not where
 * these are. */
static void set_other_pool(const setting *s, alcore_request *request) {
    setting other = {.rows = s->other_rows ? s->other_rows : OTHERS};
    void *nothing;
    if (!s->role) return;
    alcore_pool *pool = pool_of(&other, &nothing);
    ck_assert_ok(alcore_request_set_pool(request, s->role, pool));
    alcore_pool_unref(pool);
}

static alcore_selection *select_from(const setting *s, alcore_pool *pool, const char *device,
                                     int budget) {
    static int64_t labeled[WIDE_ROWS];
    int64_t count = 0;
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    char text[16];
    snprintf(text, sizeof text, "%d", budget);
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, s->strategy, &strategy));
    set_options(strategy, s->options);
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    set_other_pool(s, request);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    for (int i = 1; s->labeled && i < s->rows; i += s->labeled) labeled[count++] = i;
    if (count > 0)
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LABELED, labeled, count));
    count = 0;
    for (int i = 3; s->sparse && i < s->rows; i += s->sparse) labeled[count++] = i;
    if (count > 0)
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, labeled, count));
    ck_assert_ok(alcore_request_set(request, "budget", text));
    ck_assert_ok(alcore_request_set(request, "device", device));
    if (s->limited)
        ck_assert_ok(
            alcore_request_set(request, "max_similarity", s->limited == 1 ? "0.99999" : "-0.95"));
    ck_assert_ok(alcore_select(request, &selection));
    alcore_request_unref(request);
    return selection;
}

static void check_selection(setting s, const setting *where);

/* Kernels, waits and copies of one pick, from the difference of two runs: what begins and ends a
 * run is in both. */
typedef struct pick_cost {
    double launches, waits, copies_in, bytes_in, copies_out, bytes_out;
    double additions; /* of running sums, each of which waits for the one before in its block */
} pick_cost;

static uint64_t waits_of(const emu_work *work) {
    return work->stream_waits + work->event_waits + work->device_waits;
}

/* What MANY picks did beyond FEW, per pick, of a counter read before, between and after them. */
static double per_pick(uint64_t before, uint64_t between, uint64_t after) {
    return ((double)(after - between) - (double)(between - before)) / (double)(MANY - FEW);
}

static pick_cost cost_of(const setting *s) {
    void *taken;
    alcore_pool *pool = pool_of(s, &taken);
    emu_work work[3];
    uint64_t additions[3];
    /* Once before, as the first call makes streams and memory. */
    alcore_selection_unref(select_from(s, pool, "cuda", 1));
    for (int i = 0; i < 3; i++) {
        work[i] = emu.work(EMU_ALL);
        additions[i] = emu.counted(EMU_ORDERED_ADDITIONS);
        if (i < 2) alcore_selection_unref(select_from(s, pool, "cuda", i ? MANY : FEW));
    }
    alcore_pool_unref(pool);
    emu.memory_free(taken);
#define PER_PICK(counter) per_pick(work[0].counter, work[1].counter, work[2].counter)
    const pick_cost cost = {
        .launches = PER_PICK(launches),
        .waits = per_pick(waits_of(&work[0]), waits_of(&work[1]), waits_of(&work[2])),
        .copies_in = PER_PICK(copies_in),
        .bytes_in = PER_PICK(bytes_in),
        .copies_out = PER_PICK(copies_out),
        .bytes_out = PER_PICK(bytes_out),
        .additions = per_pick(additions[0], additions[1], additions[2])};
    char key[COUNTS_KEY + 1];
    snprintf(key, sizeof key, "pick  %s%s%s%s  %d rows", s->strategy, s->options ? " " : "",
             s->options ? s->options : "", s->limited ? " max_similarity" : "", s->rows);
    /* Waits come once in many picks where pinned memory for small copies has been used up. */
    const double numbers[] = {cost.launches,   cost.waits,     cost.copies_in, cost.bytes_in,
                              cost.copies_out, cost.bytes_out, cost.additions},
                 slack[] = {0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0};
    counts_compare("GPU_PASSES", key, sizeof numbers / sizeof *numbers, numbers, slack);
    return cost;
}

/* Strategies that pass over all candidates for each pick; whether a pick adds weights one after the
 * other.
 * IDDS: the update with the scores, two steps of the largest score, of which the second copies the
 * row of the pick. k-center: the distances, the same two steps. BADGE: the weights, their running
 * sums, and the draws, up to two of rows that are measured in advance too, with the weights and the
 * two vectors of what is drawn; it adds the weights of a block one after the other, in tiles of
 * TILE, and nothing for a draw.
 * The host waits once, for the row and what it is the best by, or for what was drawn. Copied to the
 * device is what changed of a mask, and of BADGE the vectors of the pick, which the others read
 * there, and where blocks begin, twice; from it what the host waits for. */
static const struct {
    const char *strategy;
    int adds;
} PICKS[] = {{"idds", 0}, {"kcenter", 0}, {"badge", 1}};
enum { PICK_COUNT = sizeof PICKS / sizeof PICKS[0], TILE = 1024 };

START_TEST(a_pick_costs_the_same_for_one_block_and_for_three) {
    setting s = {.strategy = PICKS[_i].strategy, .rows = BLOCK - 100};
    pick_cost one = cost_of(&s);
    s.rows = ROWS;
    pick_cost three = cost_of(&s);
    ck_assert_double_eq(three.launches, one.launches);
    ck_assert_double_gt(three.launches, 1.0);
    ck_assert_double_eq(three.copies_in, one.copies_in);
    ck_assert_double_eq(three.copies_out, one.copies_out);
    ck_assert_double_le(three.waits, one.waits + 0.5);
    ck_assert_double_eq(one.additions, PICKS[_i].adds ? BLOCK : 0.0);
    ck_assert_double_eq(three.additions, PICKS[_i].adds ? 2 * BLOCK + TILE : 0.0);
    /* No array of a value a row is copied to the device: what is kept there stays there. */
    ck_assert_double_le(three.bytes_in, 1024.0);
}
END_TEST

/* Strategies with a similarity limit, whose candidates are on the device: the row that is offered
 * is read there, and the vectors of the picks stay there. What comes to the host beside what the
 * strategy itself copies are the products with the picks, by one copy a pick. */
static const struct {
    const char *strategy, *options;
    int role;
} COMPARED[] = {{"idds", NULL, 0},
                {"kcenter", NULL, 0},
                {"badge", NULL, 0},
                {"lc", NULL, 0},
                {"uncertainty-knn", NULL, ALCORE_ROLE_TARGET},
                {"uncertainty-knn", "cover=1", ALCORE_ROLE_TARGET}};
enum { COMPARED_COUNT = sizeof COMPARED / sizeof COMPARED[0] };

START_TEST(a_pick_is_compared_where_it_is) {
    setting s = {.strategy = COMPARED[_i].strategy,
                 .options = COMPARED[_i].options,
                 .role = COMPARED[_i].role,
                 .rows = BLOCK / 2,
                 .on_device = 1};
    const pick_cost plain = cost_of(&s);
    s.limited = 1;
    const pick_cost compared = cost_of(&s);
    ck_assert_double_le(compared.copies_in - plain.copies_in, 0.1);
    ck_assert_double_le(compared.bytes_in - plain.bytes_in, 0.1);
    ck_assert_double_le(compared.copies_out - plain.copies_out, 1.1);
    ck_assert_double_le(compared.bytes_out - plain.bytes_out, 8.0 * (MANY + 1) + 0.1);
    ck_assert_double_le(compared.launches - plain.launches, 2.1);
    ck_assert_double_le(compared.waits - plain.waits, 2.1);
    ck_assert_double_gt(compared.launches - plain.launches, 1.0);
    const setting settings[] = {{.rows = BLOCK / 2, .on_device = 1},
                                {.rows = BLOCK / 2},
                                {.rows = BLOCK / 2, .capacity = (size_t)1 << 20}};
    for (int i = 0; i < 3; i++) check_selection(s, &settings[i]);
}
END_TEST

/* A visit of cover=1 reads its row of the target, here from host memory, and measures the most
 * uncertain candidates from it, whose embeddings stay on the device. */
START_TEST(a_visit_measures_what_is_on_the_device) {
    setting s = {.strategy = "uncertainty-knn",
                 .options = "cover=1 c=3",
                 .role = ALCORE_ROLE_TARGET,
                 .rows = BLOCK / 2,
                 .on_device = 1};
    const pick_cost cost = cost_of(&s);
    /* Beside a visit, a pick adds three candidates, whose embeddings are collected on the device by
     * their indices, which are copied there, and copied with those of the others. */
    ck_assert_double_le(cost.bytes_in, DIMS * (4.0 + 3 * 8.0) + 3 * 8.0);
    ck_assert_double_le(cost.copies_in, 1.1);
    ck_assert_double_le(cost.copies_out, 1.1);
    ck_assert_double_le(cost.launches, 2.1);
    ck_assert_double_le(cost.waits, 2.1);
}
END_TEST

/* The same of strategies that pass a few times over the candidates, or as often as k-means needs:
 * what a whole selection of FEW rows costs where the candidates are two blocks and each pass is one
 * call. The second run of a line is with filters. */
static const struct {
    const char *strategy, *options;
    int role, scored, filters;
} WHOLE[] = {
    {"huds", NULL, 0, 1, 0},
    {"huds", "k_clusters=2 n_strata=3", 0, 1, 1},
    {"huds", "k_clusters=2 n_strata=18 min_stratum=400", 0, 1, 0},
    {"huds", "distances=needed", 0, 1, 0},
    {"bertkm", NULL, 0, 0, 1},
    {"mrs", NULL, ALCORE_ROLE_LABELED, 0, 1},
    {"average-dist", NULL, ALCORE_ROLE_TARGET, 0, 1},
    {"average-dist", "sq=1", ALCORE_ROLE_TARGET, 0, 0},
    {"knn-uncertainty", NULL, ALCORE_ROLE_TARGET, 0, 0},
    {"uncertainty-knn", NULL, ALCORE_ROLE_TARGET, 0, 0},
};
enum { WHOLE_COUNT = sizeof WHOLE / sizeof WHOLE[0], MOST_KERNELS = 64 };

static setting whole_setting(int number) {
    return (setting){.strategy = WHOLE[number].strategy,
                     .options = WHOLE[number].options,
                     .role = WHOLE[number].role,
                     .scored = WHOLE[number].scored};
}

/* Kernels and waits of a selection: all of them, and by kernel, with the waits between it and the
 * next one. */
static void count_selection(const setting *s, alcore_pool *pool) {
    emu_kernel_work earlier[MOST_KERNELS] = {{0}};
    emu_work before = emu.work(EMU_ALL);
    char key[COUNTS_KEY + 1], name[COUNTS_KEY - 40];
    int kernels = 0;
    for (; emu.kernel_name(kernels) && kernels < MOST_KERNELS; kernels++)
        earlier[kernels] = emu.kernel(emu.kernel_name(kernels));
    alcore_selection_unref(select_from(s, pool, "cuda", FEW));
    const emu_work after = emu.work(EMU_ALL);
    /* Waits for pinned memory depend on what a process has used of it before. */
    const double numbers[] = {(double)(after.launches - before.launches),
                              (double)(waits_of(&after) - waits_of(&before)),
                              (double)(after.bytes_in - before.bytes_in),
                              (double)(after.bytes_out - before.bytes_out)},
                 slack[] = {0.0, 2.0, 0.0, 0.0};
    snprintf(name, sizeof name, "%s%s%s%s", s->strategy, s->options ? " " : "",
             s->options ? s->options : "", s->filtered ? " filtered" : "");
    snprintf(key, sizeof key, "selection  %s", name);
    ck_assert_double_gt(numbers[0], 1.0);
    counts_compare("GPU_PASSES", key, sizeof numbers / sizeof *numbers, numbers, slack);
    for (int k = 0; emu.kernel_name(k); k++) {
        ck_assert_int_lt(k, MOST_KERNELS);
        const emu_kernel_work now = emu.kernel(emu.kernel_name(k));
        const double of_kernel[] = {(double)(now.launches - earlier[k].launches),
                                    (double)(now.waits - earlier[k].waits)};
        snprintf(key, sizeof key, "%s  %.38s", name, emu.kernel_name(k));
        if (of_kernel[0] > 0.0) counts_compare("GPU_PASSES", key, 2, of_kernel, slack);
    }
}

START_TEST(a_selection_starts_its_kernels_once_a_pass) {
    setting s = whole_setting(_i);
    void *taken;
    s.rows = BLOCK + 100;
    s.on_device = 1;
    alcore_pool *pool = pool_of(&s, &taken);
    for (s.filtered = 0; s.filtered <= WHOLE[_i].filters; s.filtered++) {
        emu.filters(s.filtered ? 1 : -1);
        count_selection(&s, pool);
    }
    emu.filters(-1);
    alcore_pool_unref(pool);
    emu.memory_free(taken);
}
END_TEST

/* Rows with gaps, in host memory, in a file, in the device's memory, and where that is short; of
 * two blocks. */
static const setting SETTINGS[] = {
    {.rows = BLOCK + 300, .labeled = 5},
    {.rows = BLOCK + 300, .from_file = 1},
    {.rows = BLOCK + 300, .labeled = 3, .on_device = 1},
    {.rows = BLOCK + 300, .labeled = 7, .capacity = (size_t)1 << 20},
};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

static void check_selection(setting s, const setting *where) {
    void *taken;
    s.rows = where->rows;
    s.labeled = where->labeled;
    s.from_file = where->from_file;
    s.on_device = where->on_device;
    s.capacity = where->capacity;
    s.sparse = where->sparse;
    s.filtered = where->filtered;
    if (s.labeled && strcmp(s.strategy, "kcenter") == 0) s.labeled *= 1000;
    if (s.role == ALCORE_ROLE_LABELED) s.labeled *= 100; /* compared with every candidate */
    setting on_host = s;
    on_host.on_device = 0;
    alcore_pool *pool = pool_of(&on_host, &taken);
    alcore_selection *here = select_from(&s, pool, "cpu", FEW);
    alcore_pool_unref(pool);
    if (s.capacity) emu.memory(s.capacity);
    pool = pool_of(&s, &taken);
    emu.filters(s.filtered ? 1 : -1);
    alcore_selection *there = select_from(&s, pool, "cuda", FEW);
    emu.filters(-1);
    emu.memory((size_t)-1);
    ck_assert_int_eq(alcore_selection_count(here), FEW);
    ck_assert_int_eq(alcore_selection_count(there), FEW);
    ck_assert_int_eq(memcmp(alcore_selection_rows(here), alcore_selection_rows(there), 8 * FEW), 0);
    ck_assert_int_eq(memcmp(alcore_selection_scores(here), alcore_selection_scores(there), 8 * FEW),
                     0);
    alcore_selection_unref(here);
    alcore_selection_unref(there);
    alcore_pool_unref(pool);
    emu.memory_free(taken);
}

START_TEST(selections_are_those_of_the_cpu) {
    setting s = {.strategy = PICKS[_i / SETTING_COUNT].strategy};
    check_selection(s, &SETTINGS[_i % SETTING_COUNT]);
}
END_TEST

/* Rows that were passed over are offered once, and k-center looks among them for its radius; a mask
 * that is kept on the device follows each offer. */
START_TEST(rows_that_are_passed_over_are_left_out) {
    setting s = {.strategy = PICKS[_i].strategy, .limited = 2, .rows = 400};
    const setting where[] = {{.rows = 400, .labeled = 5}, {.rows = 400, .on_device = 1}};
    void *taken;
    for (int i = 0; i < 2; i++) check_selection(s, &where[i]);
    alcore_pool *pool = pool_of(&s, &taken);
    alcore_selection *limited = select_from(&s, pool, "cuda", FEW);
    s.limited = 0;
    alcore_selection *unlimited = select_from(&s, pool, "cuda", FEW);
    /* What IDDS picks second is opposite to the first in any case. */
    if (_i > 0)
        ck_assert_int_ne(alcore_selection_rows(limited)[1], alcore_selection_rows(unlimited)[1]);
    alcore_selection_unref(limited);
    alcore_selection_unref(unlimited);
    alcore_pool_unref(pool);
}
END_TEST

/* Each in two of the four settings, one strategy in the first and third, the next in the others. By
 * default in one of the two, which $ALCORE_TEST_SEED chooses. */
START_TEST(whole_selections_are_those_of_the_cpu) {
    int number = _i / 2;
    check_selection(whole_setting(number), &SETTINGS[_i % 2 * 2 + number % 2]);
}
END_TEST

/* Candidates in two wide blocks, of which the second begins at row 131072: each pass is two calls,
 * and what is found in the second is reported for its rows. The candidates are few, so that the
 * emulation need not do much: uploaded, or in the column where it lies, between rows that are no
 * candidates; with filters, for which each wide block keeps its own conversion, and without. The
 * last ones take half a minute each, and are left to the full tier. */
static const struct {
    int whole; /* number in WHOLE */
    int on_device, filtered;
} WIDE[] = {{0, 1, 0}, {1, 0, 0}, {4, 0, 1}, {5, 0, 1}, {6, 0, 0}, {8, 0, 1}, {6, 1, 1}, {9, 1, 0}};
enum { WIDE_COUNT = 6, WIDE_FULL_COUNT = sizeof WIDE / sizeof WIDE[0] };

START_TEST(two_wide_blocks_give_the_selection_of_the_cpu) {
    const setting s = whole_setting(WIDE[_i].whole);
    const setting where = {.rows = WIDE_ROWS,
                           .sparse = SPARSE,
                           .on_device = WIDE[_i].on_device,
                           .filtered = WIDE[_i].filtered};
    const emu_work before = emu.work(EMU_ALL);
    check_selection(s, &where);
    const emu_work after = emu.work(EMU_ALL);
    printf("# %s %s: %.0f kernels\n", s.strategy, s.options ? s.options : "",
           (double)(after.launches - before.launches));
    fflush(stdout);
    /* Twice as many as for one wide block. */
    if (WIDE[_i].whole == 0) ck_assert_uint_eq(after.launches - before.launches, 2 * 3);
}
END_TEST

/* k-means, the ratios of mrs and the distances to a target of two blocks convert each candidate
 * once for all of their passes. Beside the candidates the others of each call are converted:
 * centroids, labeled rows, and rows of the target, which average-dist reads twice. */
static const struct {
    int whole; /* number in WHOLE */
    int rows, other_rows;
    uint64_t others; /* the most of them that are converted */
} CONVERTED[] = {{4, BLOCK + 100, 0, 200},
                 {5, BLOCK + 100, 0, OTHERS},
                 {6, 100, BLOCK + OTHERS, 2 * (BLOCK + OTHERS)},
                 {9, 100, BLOCK + OTHERS, BLOCK + OTHERS}};
enum { CONVERTED_COUNT = sizeof CONVERTED / sizeof CONVERTED[0] };

START_TEST(a_run_converts_its_rows_once) {
    setting s = whole_setting(CONVERTED[_i].whole);
    void *taken;
    s.rows = CONVERTED[_i].rows;
    s.other_rows = CONVERTED[_i].other_rows;
    s.on_device = 1;
    alcore_pool *pool = pool_of(&s, &taken);
    emu.filters(1);
    const uint64_t read = emu.counted(EMU_CONVERTED_ROWS);
    alcore_selection_unref(select_from(&s, pool, "cuda", FEW));
    const uint64_t converted = emu.counted(EMU_CONVERTED_ROWS) - read;
    emu.filters(-1);
    alcore_pool_unref(pool);
    emu.memory_free(taken);
    printf("# %s: %.0f rows converted\n", s.strategy, (double)converted);
    fflush(stdout);
    ck_assert_uint_gt(converted, 0);
    ck_assert_uint_le(converted, (uint64_t)s.rows + CONVERTED[_i].others);
}
END_TEST

/* Where memory is short for conversions they are made in every pass. */
START_TEST(what_is_converted_is_not_kept_where_memory_is_short) {
    const setting where = {
        .rows = 2000, .on_device = 1, .filtered = 1, .capacity = (size_t)5 << 16};
    const uint64_t read = emu.counted(EMU_CONVERTED_ROWS);
    check_selection(whole_setting(4), &where);
    ck_assert_uint_gt(emu.counted(EMU_CONVERTED_ROWS) - read, 2 * (uint64_t)where.rows);
}
END_TEST

/* Margin ratios pass over the rows twice, for neighbors and for ratios: rows on the device are
 * converted once, and the others once a pass. */
START_TEST(a_search_converts_rows_on_the_device_once) {
    enum { FOUND = 200, COUNTERPARTS = 60, NEAREST = 4 };
    double ratios[2][FOUND];
    int64_t others[2][FOUND], row_shape[] = {FOUND, DIMS}, other_shape[] = {COUNTERPARTS, DIMS};
    alcore_search_data data[2] = {ALCORE_SEARCH_DATA_INIT, ALCORE_SEARCH_DATA_INIT};
    alcore_tensor rows = tensor_of(vectors, row_shape),
                  compared = tensor_of(vectors + FOUND * DIMS, other_shape);
    data[0].matrix = &rows;
    data[1].matrix = &compared;
    ck_assert_ok(test_margin_ratios(ctx, &data[0], &data[1], NEAREST, NULL, ratios[0], others[0]));
    rows.data = emulated_array(&emu, vectors, FOUND * DIMS * sizeof *vectors);
    rows.device = (alcore_device){ALCORE_DEVICE_CUDA, 0};
    emu.filters(1);
    const uint64_t read = emu.counted(EMU_CONVERTED_ROWS);
    ck_assert_ok(test_margin_ratios(ctx, &data[0], &data[1], NEAREST, NULL, ratios[1], others[1]));
    ck_assert_uint_eq(emu.counted(EMU_CONVERTED_ROWS) - read, FOUND + 2 * COUNTERPARTS);
    emu.filters(-1);
    emu.memory_free(rows.data);
    ck_assert_int_eq(memcmp(ratios[0], ratios[1], sizeof ratios[0]), 0);
    ck_assert_int_eq(memcmp(others[0], others[1], sizeof others[0]), 0);
}
END_TEST

/* A call of nearest_centroid with its filter on rows that are on the device: it converts the rows
 * that have a group and the centroids by a kernel each, filters and computes the candidates again.
 * Its rows are one chunk in a sixteenth of the free memory, and two where that is less. */
enum { NEAR_ROWS = 900, NEAR_DIMS = 64, NEAR_CENTROIDS = 40 };
START_TEST(nearest_centroid_converts_its_rows_once) {
    static float rows[NEAR_ROWS * NEAR_DIMS];
    static double centroids[NEAR_CENTROIDS * NEAR_DIMS];
    static int32_t group[NEAR_ROWS], nearest[NEAR_ROWS];
    uint64_t searched = 0; /* rows with a group, 32 or more in a chunk */
    const int64_t starts[] = {0, NEAR_CENTROIDS};
    for (int i = 0; i < NEAR_ROWS * NEAR_DIMS; i++) rows[i] = vectors[i % (ROWS * DIMS)];
    for (int i = 0; i < NEAR_ROWS; i++) {
        group[i] = i % 5 ? -1 : 0;
        searched += group[i] == 0;
    }
    for (int i = 0; i < NEAR_CENTROIDS * NEAR_DIMS; i++) centroids[i] = (double)vectors[7 * i];
    void *there = emulated_array(&emu, rows, sizeof rows);
    alcore_sys_rows matrix = {.data = there,
                              .count = NEAR_ROWS,
                              .dims = NEAR_DIMS,
                              .stride = NEAR_DIMS,
                              .dtype = ALCORE_FLOAT32};
    alcore_sys_work work = {.size = sizeof work, .host = emu.host};
    emu.filters(1);
    for (int chunks = 1; chunks <= 2; chunks++) {
        if (chunks == 2) emu.memory((size_t)12 << 20);
        uint64_t converted = emu.kernel("finished_rows<convert_body>").launches,
                 launched = emu.work(EMU_ALL).launches, read = emu.counted(EMU_CONVERTED_ROWS);
        ck_assert_int_eq(emu.kernels->nearest_centroid(&work, &matrix, group, 1, starts, centroids,
                                                       nearest, NULL, NULL, NULL),
                         ALCORE_OK);
        ck_assert_uint_eq(emu.kernel("finished_rows<convert_body>").launches - converted,
                          (uint64_t)(1 + chunks));
        ck_assert_uint_eq(emu.counted(EMU_CONVERTED_ROWS) - read, searched + NEAR_CENTROIDS);
        ck_assert_uint_eq(emu.work(EMU_ALL).launches - launched, (uint64_t)(1 + 3 * chunks));
    }
    emu.memory((size_t)-1);
    /* The second half of rows that were converted before: the centroids are converted alone. */
    alcore_sys_converted converted;
    ck_assert_int_eq(
        emu.kernels->convert(&work, &matrix, ALCORE_SYS_L2, NEAR_CENTROIDS, &converted), ALCORE_OK);
    static int32_t expected[NEAR_ROWS];
    const int half = NEAR_ROWS / 2;
    memcpy(expected, nearest, sizeof expected);
    memset(nearest, 0xff, sizeof nearest);
    matrix.data = (float *)there + half * NEAR_DIMS;
    matrix.count = NEAR_ROWS - half;
    work.converted = &converted;
    uint64_t launched = emu.work(EMU_ALL).launches, read = emu.counted(EMU_CONVERTED_ROWS);
    ck_assert_int_eq(emu.kernels->nearest_centroid(&work, &matrix, group + half, 1, starts,
                                                   centroids, nearest + half, NULL, NULL, NULL),
                     ALCORE_OK);
    ck_assert_uint_eq(emu.counted(EMU_CONVERTED_ROWS) - read, NEAR_CENTROIDS);
    ck_assert_uint_eq(emu.work(EMU_ALL).launches - launched, 3);
    for (int i = half; i < NEAR_ROWS; i++)
        if (group[i] == 0) ck_assert_int_eq(nearest[i], expected[i]);
    emu.kernels->release(&work, &converted.held);
    emu.filters(-1);
    emu.memory_free(there);
}
END_TEST

/* What the file begins with. */
static const char HEAD[] =
    "Kernels, waits of the host for the device, and copies of strategies whose candidates are on "
    "the device, by the emulation.\n"
    "Made by GPU_PASSES_OUT=FILE test_cuda_passes; no GPU is needed.\n\n"
    "pick: what each pick after the first adds: kernels, waits, copies to the device and their "
    "bytes, from it and their bytes,\n"
    "additions of weights that wait for one another. selection: kernels, waits, bytes to the "
    "device "
    "and from it of a selection of\n"
    "2 of 8292 rows, in one wide block; below it each kernel, and waits between it and the next "
    "one.\n\n";

/* By default half of the calls of a test that takes long, which $ALCORE_TEST_SEED chooses; all of
 * them for a new file of counts. */
static void add_half(TCase *to, const TTest *test, int count) {
    const char *seed = getenv("ALCORE_TEST_SEED");
    const int every = getenv("ALCORE_TEST_FULL") || getenv("GPU_PASSES_OUT") ? 1 : 2;
    for (int i = seed ? atoi(seed) % every : 0; i < count; i += every)
        tcase_add_loop_test(to, test, i, i + 1);
}

TEST_FILE() {
    TCase *tests = tcase_create("passes");
    const char *full = getenv("ALCORE_TEST_FULL");
    counts_begin("GPU_PASSES", HEAD);
    tcase_set_timeout(tests, 150);
    tcase_add_checked_fixture(tests, setup, teardown);
    add_half(tests, a_pick_costs_the_same_for_one_block_and_for_three, PICK_COUNT);
    add_half(tests, a_pick_is_compared_where_it_is, COMPARED_COUNT);
    tcase_add_test(tests, a_visit_measures_what_is_on_the_device);
    add_half(tests, a_selection_starts_its_kernels_once_a_pass, WHOLE_COUNT);
    tcase_add_loop_test(tests, selections_are_those_of_the_cpu, 0, PICK_COUNT * SETTING_COUNT);
    tcase_add_loop_test(tests, rows_that_are_passed_over_are_left_out, 0, PICK_COUNT);
    add_half(tests, whole_selections_are_those_of_the_cpu, 2 * WHOLE_COUNT);
    tcase_add_loop_test(tests, two_wide_blocks_give_the_selection_of_the_cpu, 0,
                        full ? WIDE_FULL_COUNT : WIDE_COUNT);
    tcase_add_loop_test(tests, a_run_converts_its_rows_once, 0, CONVERTED_COUNT);
    tcase_add_test(tests, what_is_converted_is_not_kept_where_memory_is_short);
    tcase_add_test(tests, a_search_converts_rows_on_the_device_once);
    tcase_add_test(tests, nearest_centroid_converts_its_rows_once);
    return check_suite_run("cuda-passes", tests);
}
