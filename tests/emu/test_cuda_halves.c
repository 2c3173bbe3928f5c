/* SPDX-License-Identifier: Apache-2.0 */
/* What convert of the CUDA engine makes of rows for its filters, on the emulated device: x', and
 * the numbers of a row by which the filters bound the error of a product (cuda_filter.cuh). Each is
 * compared with what plain loops in long double find of the row, for numbers of every type at the
 * borders of float16 and of the type, and for rows that fill the engine's shared memory, and more.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "emulated_module.h"
#include "kernel/kernels.h"

enum { MAX_DIMS = 2100, MAX_UNITS = (MAX_DIMS + 31) / 32 * 4, GAP = 3 /* between rows */ };

/* What the components of a row are. Exponents and fractions are those of the binary formats. */
enum {
    PLAIN,
    SPREAD,    /* from 1 to 2^-40, or the subnormal numbers of the type */
    ANY,       /* any exponent of the type */
    SUBNORMAL, /* of the type */
    MIXED,     /* one is 1, all others are subnormal */
    LARGEST,   /* the largest exponent of the type */
    ZERO,
    NOT_A_NUMBER, /* one is */
    INFINITE,     /* one is */
    SINGLE,       /* one is 1, the others 0 */
    TIE,          /* halfway between two float16, where the type has such numbers */
    HAIR,         /* 2^-26 of itself, or one in the last place, from a float16 */
    PATTERNS
};

static const struct format {
    int32_t dtype, bytes, exponent_bits, fraction_bits;
} FORMATS[] = {{ALCORE_FLOAT16, 2, 5, 10},
               {ALCORE_BFLOAT16, 2, 8, 7},
               {ALCORE_FLOAT32, 4, 8, 23},
               {ALCORE_FLOAT64, 8, 11, 52}};
/* Around the 512 doubles and 1024 others that stay in shared memory, and one, two and three times
 * as many. */
static const int DIMS[] = {1, 33, 512, 513, 1024, 1025, 1600, MAX_DIMS};
enum { FORMAT_COUNT = 4, DIMS_COUNT = 8 };

/* The half_stats of a row. */
typedef struct row_stats {
    float weight, norm, slack, half_square;
} row_stats;

static emulated_module emu;
static const alcore_sys_kernels *cpu;
static alcore_sys_work work;
static uint64_t state;
static char numbers[PATTERNS * (MAX_DIMS + GAP) * 8];
static double wide[PATTERNS * MAX_DIMS], squares[PATTERNS]; /* of the CPU */

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    cpu = alcore__kernels_cpu();
    work = (alcore_sys_work){.size = sizeof work, .host = emu.host};
    emu.filters(1);
}

static uint64_t random_bits(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 16;
}

/* Component j of a row of a pattern, as the bits of the format. */
static uint64_t component(const struct format *f, int pattern, int j, int dims) {
    const uint64_t one = ((uint64_t)1 << (f->exponent_bits - 1)) - 1, most = 2 * one;
    const uint64_t fractions = ((uint64_t)1 << f->fraction_bits) - 1;
    const int is_chosen = j == dims / 2;
    uint64_t exponent = one - random_bits() % 3, fraction = random_bits() << 4 & fractions;
    fraction |= random_bits() & 15;
    if (pattern == SPREAD) {
        uint64_t down = random_bits() % 41;
        exponent = down < one ? one - down : 0;
    }
    if (pattern == ANY) exponent = random_bits() % (most + 1);
    if (pattern == SUBNORMAL || pattern == MIXED) exponent = 0;
    if (pattern == LARGEST) exponent = most;
    if (pattern == ZERO || pattern == SINGLE) exponent = fraction = 0;
    if ((pattern == SINGLE || pattern == MIXED) && is_chosen) {
        exponent = one;
        fraction = 0;
    }
    if ((pattern == NOT_A_NUMBER || pattern == INFINITE) && is_chosen) {
        exponent = most + 1;
        fraction = pattern == NOT_A_NUMBER ? (fractions + 1) / 2 : 0;
    }
    if (pattern == TIE && f->fraction_bits > 10)
        fraction = (random_bits() % 1024 * 2 + 1) << (f->fraction_bits - 11);
    if (pattern == HAIR) {
        exponent = one;
        fraction = f->fraction_bits > 26 ? (uint64_t)1 << (f->fraction_bits - 26) : 1;
    }
    const uint64_t sign = random_bits() & 1;
    return (sign << f->exponent_bits | exponent) << f->fraction_bits | fraction;
}

/* Rows of all patterns. */
static alcore_sys_rows fill(const struct format *f, int dims, int unit) {
    state = (uint64_t)(f->dtype * 10000 + dims);
    for (int i = 0; i < PATTERNS; i++)
        for (int j = 0; j < dims; j++) {
            const uint64_t bits = component(f, i, j, dims);
            memcpy(numbers + (i * (dims + GAP) + j) * f->bytes, &bits, (size_t)f->bytes);
        }
    return (alcore_sys_rows){.data = numbers,
                             .count = PATTERNS,
                             .dims = dims,
                             .stride = dims + GAP,
                             .dtype = f->dtype,
                             .unit = unit};
}

static long double value_of_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const long double value = exponent == 31  ? (long double)INFINITY
                              : exponent == 0 ? ldexpl(fraction, -24)
                                              : ldexpl(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* (g + FILTER_SLACK) / 2 of the proof: chains of 8 steps of 16 products, and the sum of the
 * chains. */
static long double lost_half(int dims) {
    const long double chains = dims / 128 + 2;
    return (1.01L * (8 * 18 * 0x1p-22L + chains * 0x1p-24L) + 0x1p-20L) / 2;
}

/* What the stats of a row that is not far have to be: x [dims] is the row, halves [units * 8] x'.
 */
static void check_row(const double *x, const uint16_t *halves, row_stats stats, double norm,
                      int dims, int32_t metric, const char *which) {
    const int is_cosine = metric == ALCORE_SYS_COSINE;
    int exponent;
    frexp(norm, &exponent); /* norm is in [2^(exponent - 1), 2^exponent) */
    const long double scale = ldexpl(1.0L, 15 - exponent);
    long double square = 0.0L, moved = 0.0L;
    for (int j = 0; j < dims; j++) {
        const long double t = scale * (long double)x[j] - value_of_half(halves[j]);
        square += (long double)x[j] * (long double)x[j];
        moved += t * t;
    }
    const long double length = is_cosine ? 1.0L : sqrtl(square);
    const long double d = sqrtl(moved) / (scale * sqrtl(square));
    const long double weight = 1.0L / scale / (is_cosine ? sqrtl(square) : 1.0L);
    ck_assert_msg(fabsl((long double)stats.weight - weight) <= 0x1p-23L * weight, "%s: weight %a",
                  which, (double)stats.weight);
    ck_assert_msg((long double)stats.norm >= length &&
                      (long double)stats.norm <= length * (1.0L + 0x1p-20L),
                  "%s: norm %a of %La", which, (double)stats.norm, length);
    const long double least = length * (d * (1.0L + 0x1p-9L) + lost_half(dims));
    ck_assert_msg((long double)stats.slack >= least, "%s: slack %a is below %La: x' is %La off",
                  which, (double)stats.slack, least, d);
    ck_assert_msg((long double)stats.slack <= least * (1.0L + 0x1p-9L) + length * 0x1p-20L,
                  "%s: slack %a is far above %La", which, (double)stats.slack, least);
    const long double half = metric == ALCORE_SYS_L2 ? square / 2 : 0.0L;
    ck_assert_msg((long double)stats.half_square <= half &&
                      (long double)stats.half_square >= half * (1.0L - 0x1p-19L),
                  "%s: half square %a of %La", which, (double)stats.half_square, half);
}

/* Converts the rows by the engine and checks each of them. */
static void check_conversion(const struct format *f, int dims, int unit, int32_t metric) {
    static uint16_t halves[PATTERNS][MAX_UNITS * 8];
    static row_stats stats[PATTERNS];
    static double norms[PATTERNS];
    const alcore_sys_rows rows = fill(f, dims, unit);
    const size_t row_bytes = (size_t)(dims + 31) / 32 * 64;
    alcore_sys_converted converted = {.metric = 0};
    ck_assert_int_eq(cpu->widen(&work, &rows, NULL, wide), ALCORE_OK);
    ck_assert_int_eq(cpu->self_dots(&work, &rows, NULL, squares), ALCORE_OK);
    ck_assert_int_eq(emu.kernels->convert(&work, &rows, metric, 64, &converted), ALCORE_OK);
    ck_assert_ptr_ne(converted.held.memory, NULL);
    const char *memory = converted.held.memory; /* halves, stats, norms */
    for (int i = 0; i < PATTERNS; i++)
        emu.copy(halves[i], memory + (size_t)i * row_bytes, row_bytes);
    memory += PATTERNS * row_bytes;
    emu.copy(stats, memory, sizeof stats);
    emu.copy(norms, memory + sizeof stats, sizeof norms);
    emu.kernels->release(&work, &converted.held);
    for (int i = 0; i < PATTERNS; i++) {
        const double norm = sqrt(squares[i]);
        const int is_cosine = metric == ALCORE_SYS_COSINE;
        const int is_zero = is_cosine ? norm < 1e-12 : norm == 0.0;
        const int is_far = !is_zero && !(norm >= 1e-15 && norm <= (is_cosine ? 1e150 : 1e15));
        char which[80];
        snprintf(which, sizeof which, "type %d, %d components, unit %d, metric %d, pattern %d",
                 (int)f->dtype, dims, unit, (int)metric, i);
        ck_assert_msg(memcmp(&norms[i], &norm, sizeof norm) == 0 ||
                          (isnan(norm) && isnan(norms[i])),
                      "%s: the norm is %a, not %a", which, norms[i], norm);
        for (size_t j = is_zero || is_far ? 0 : (size_t)dims; j < row_bytes / 2; j++)
            ck_assert_msg(halves[i][j] == 0, "%s: component %zu of x' is not 0", which, j);
        if (is_zero || is_far)
            ck_assert_msg(stats[i].weight == 0.0f && stats[i].norm == 0.0f &&
                              stats[i].slack == (is_far ? HUGE_VALF : 0.0f) &&
                              stats[i].half_square == 0.0f,
                          "%s: the row is %s", which, is_far ? "far" : "zero");
        else
            check_row(wide + i * dims, halves[i], stats[i], norm, dims, metric, which);
    }
}

START_TEST(bounds_of_rows) {
    emu.mode(_i % 3, (uint64_t)_i, 1);
    emu.share(numbers, sizeof numbers);
    for (int32_t metric = ALCORE_SYS_L2; metric <= ALCORE_SYS_COSINE; metric++)
        for (int unit = 0; unit < 2; unit++)
            check_conversion(&FORMATS[_i / DIMS_COUNT], DIMS[_i % DIMS_COUNT], unit, metric);
    emu.unshare(numbers);
}
END_TEST

/* The four nearest rows of each row. */
static void search(const alcore_sys_kernels *engine, const alcore_sys_rows *rows, int32_t metric,
                   int64_t *row, double *value) {
    enum { K = 4 };
    const alcore_sys_search how = {.size = sizeof how, .metric = metric};
    const alcore_sys_best best = {.k = K, .row = row, .value = value};
    for (int i = 0; i < PATTERNS * K; i++) {
        row[i] = -1;
        value[i] = -7.0;
    }
    ck_assert_int_eq(engine->knn(&work, rows, NULL, rows, NULL, &how, &best, NULL), ALCORE_OK);
}

/* The doubles of rows, which the same kernel makes: searches in them find what the CPU finds. */
START_TEST(doubles_of_rows) {
    static int64_t row[2][PATTERNS * 4];
    static double value[2][PATTERNS * 4];
    for (int32_t metric = ALCORE_SYS_L2; metric <= ALCORE_SYS_COSINE; metric++)
        for (int way = 0; way < 4; way++) {
            const alcore_sys_rows rows =
                fill(&FORMATS[_i / DIMS_COUNT], DIMS[_i % DIMS_COUNT], way / 2);
            emu.filters(way % 2);
            search(cpu, &rows, metric, row[0], value[0]);
            search(emu.kernels, &rows, metric, row[1], value[1]);
            ck_assert_int_eq(memcmp(row[0], row[1], sizeof row[0]), 0);
            ck_assert_int_eq(memcmp(value[0], value[1], sizeof value[0]), 0);
        }
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("halves");
    tcase_set_timeout(tests, 100);
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_loop_test(tests, bounds_of_rows, 0, FORMAT_COUNT * DIMS_COUNT);
    check_suite_add_sample(tests, doubles_of_rows, FORMAT_COUNT * DIMS_COUNT, 5);
    return check_suite_run("cuda-halves", tests);
}
