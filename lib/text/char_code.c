/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of char_code.h, written once with vectors of GNU C and compiled for each
 * instruction set: eight hashes, eight numbers in double, or sixteen integers at a time. */
#include "text/char_code.h"

#include <string.h>

typedef uint64_t eight_hashes __attribute__((vector_size(64)));
typedef uint32_t sixteen_halves __attribute__((vector_size(64)));
typedef int32_t sixteen_ints __attribute__((vector_size(64)));
typedef double eight_doubles __attribute__((vector_size(64)));
typedef int64_t eight_longs __attribute__((vector_size(64)));
typedef int32_t eight_ints __attribute__((vector_size(32)));
typedef float eight_floats __attribute__((vector_size(32)));
typedef unsigned char eight_bytes __attribute__((vector_size(8)));
#define ANY_WIDTH static inline __attribute__((always_inline))

/* ---- n-grams ---- */

/* Functions return vectors by pointers: how one is returned as a value depends on the instruction
 * set of the function. */

/* alcore__scramble() */
ANY_WIDTH void scramble_any(eight_hashes *hashes) {
    eight_hashes z = *hashes;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    *hashes = z ^ (z >> 31);
}

/* The n-grams that begin at eight bytes of the word at once: a step of FNV-1a is one byte further
 * for all of them. Lanes whose n-gram would end behind the word are left out: they are the last. */
ANY_WIDTH void hash_ascii_any(const char *padded, size_t length, alcore__char_columns *out) {
    int count = 0;
    for (size_t first = 0; first + ALCORE__CHAR_SHORTEST <= length; first += ALCORE__CHAR_GROUP) {
        eight_hashes hash = {0};
        hash += UINT64_C(0xCBF29CE484222325);
        for (size_t step = 0; step < ALCORE__CHAR_LONGEST && first + step < length; step++) {
            eight_bytes bytes;
            memcpy(&bytes, padded + first + step, sizeof bytes);
            hash = (hash ^ __builtin_convertvector(bytes, eight_hashes)) * UINT64_C(0x100000001B3);
            if (step + 1 < ALCORE__CHAR_SHORTEST) continue;
            eight_hashes mixed = hash;
            scramble_any(&mixed);
            const size_t begins = length - first - step;
            memcpy(out->hashes + count, &mixed, sizeof mixed);
            count += (int)(begins < ALCORE__CHAR_GROUP ? begins : ALCORE__CHAR_GROUP);
        }
    }
    out->count = count;
}

/* The columns of 16 bits of one piece p in each lane, its lower half: floor((p >> 1) * width /
 * 32768) of the slice, behind padded if p is odd. (p >> 1) / 32768 is (p & 0xFFFE) / 65536. */
ANY_WIDTH void columns_any(sixteen_halves *pieces, const alcore__char_lanes *lanes) {
    sixteen_halves width, start, minus;
    memcpy(&width, lanes->width, sizeof width);
    memcpy(&start, lanes->start, sizeof start);
    memcpy(&minus, lanes->minus, sizeof minus);
    *pieces = (((*pieces & 0xFFFE) * width) >> 16) + start + (-(*pieces & 1) & minus);
}

/* The hashes behind the last are made into columns too, which nobody reads. */
ANY_WIDTH void find_columns_any(const alcore__char_slices *slices, alcore__char_columns *ngrams) {
    for (int half = 0; half < ALCORE__CHAR_HALVES; half++) {
        const uint64_t golden = (uint64_t)(half + 1) * UINT64_C(0x9E3779B97F4A7C15);
        for (int i = 0; i < ngrams->count; i += ALCORE__CHAR_GROUP) {
            eight_hashes hash;
            memcpy(&hash, ngrams->hashes + i, sizeof hash);
            hash = (hash ^ slices->seed) + golden;
            scramble_any(&hash);
            sixteen_halves even = (sixteen_halves)hash, odd = even >> 16;
            columns_any(&even, &slices->lanes[half][0]);
            columns_any(&odd, &slices->lanes[half][1]);
            const sixteen_halves columns = even | odd << 16;
            memcpy(ngrams->columns[half][i], &columns, sizeof columns);
        }
    }
}

/* ---- sums ---- */

/* Vectors of sums that are kept in registers at once, at most; each instruction set has a number
 * that its registers hold. */
enum { MAX_VECTORS = 16 };

/* Adds `vectors` vectors of columns of all words, which stay in registers. */
ANY_WIDTH void add_columns(const int32_t *const *words, int32_t count, int32_t first, int vectors,
                           int32_t *restrict units) {
    sixteen_ints sum[MAX_VECTORS], more;
    memcpy(sum, units + first, (size_t)vectors * sizeof *sum);
    for (int32_t w = 0; w < count; w++) {
        const int32_t *word = words[w] + first;
#pragma GCC unroll 16
        for (int k = 0; k < vectors; k++) {
            memcpy(&more, word + k * ALCORE__CHAR_LANES, sizeof more);
            sum[k] += more;
        }
    }
    memcpy(units + first, sum, (size_t)vectors * sizeof *sum);
}

ANY_WIDTH void add_words_any(const int32_t *const *words, int32_t count, int32_t padded,
                             int vectors, int32_t *restrict units) {
    const int32_t step = vectors * ALCORE__CHAR_LANES;
    int32_t j = 0;
    for (; j + step <= padded; j += step) add_columns(words, count, j, vectors, units);
    for (; j < padded; j += ALCORE__CHAR_LANES) add_columns(words, count, j, 1, units);
}

/* Eight of units as numbers in double; they become 0. */
ANY_WIDTH void take_units(int32_t *units, eight_doubles *out) {
    const eight_ints zeros = {0};
    eight_ints eight;
    memcpy(&eight, units, sizeof eight);
    memcpy(units, &zeros, sizeof zeros);
    *out = __builtin_convertvector(eight, eight_doubles);
}

/* Eight columns of + less those of -, in units; both become +0.0. */
ANY_WIDTH void take_parts(double *parts, int32_t padded, eight_doubles *out) {
    const eight_doubles zeros = {0};
    eight_doubles plus, minus;
    memcpy(&plus, parts, sizeof plus);
    memcpy(&minus, parts + padded, sizeof minus);
    memcpy(parts, &zeros, sizeof zeros);
    memcpy(parts + padded, &zeros, sizeof zeros);
    *out = (plus - minus) * (double)ALCORE__CHAR_UNITS;
}

ANY_WIDTH void spill_any(int32_t *restrict units, int32_t padded, double *restrict parts) {
    for (int32_t j = 0; j < padded; j += 8) {
        eight_doubles plus, more;
        memcpy(&plus, parts + j, sizeof plus);
        take_units(units + j, &more);
        plus += more / (double)ALCORE__CHAR_UNITS;
        memcpy(parts + j, &plus, sizeof plus);
    }
}

ANY_WIDTH uint32_t pack_any(double *restrict parts, int32_t padded, int32_t *restrict word) {
    eight_ints largest = {0};
    for (int32_t j = 0; j < padded; j += 8) {
        eight_doubles units;
        take_parts(parts + j, padded, &units);
        const eight_ints packed = __builtin_convertvector(units, eight_ints), sign = packed >> 31;
        const eight_ints more = (packed ^ sign) - sign - largest;
        largest += more & ~(more >> 31); /* the larger of two that are 0 or more */
        memcpy(word + j, &packed, sizeof packed);
    }
    int32_t bound = 0;
    for (int i = 0; i < 8; i++) bound = largest[i] > bound ? largest[i] : bound;
    return (uint32_t)bound;
}

/* close(), where parts are known to be 0 or not. Two sums of squares, as each addition to one waits
 * for the one before. */
ANY_WIDTH double close_known(double *restrict parts, bool are_zero, int32_t *restrict units,
                             int32_t padded, double *restrict sum) {
    eight_doubles squares[2] = {{0}, {0}};
    for (int32_t j = 0; j < padded; j += ALCORE__CHAR_LANES) {
        for (int32_t half = 0; half < 2; half++) {
            const int32_t first = j + 8 * half;
            eight_doubles all, more;
            take_units(units + first, &all);
            if (!are_zero) {
                take_parts(parts + first, padded, &more);
                all += more;
            }
            memcpy(sum + first, &all, sizeof all);
            squares[half] += all * all;
        }
    }
    squares[0] += squares[1];
    double total = 0.0;
    for (int i = 0; i < 8; i++) total += squares[0][i];
    return total;
}

ANY_WIDTH double close_any(double *restrict parts, int32_t *restrict units, int32_t padded,
                           double *restrict sum) {
    return parts ? close_known(parts, false, units, padded, sum)
                 : close_known(parts, true, units, padded, sum);
}

/* A double that is halfway between two float32 ends in 1 and ROUNDED - 1 zeros. The differences are
 * negative where the last ROUNDED bits are `reach` or less from that. */
enum { ROUNDED = 29 };

ANY_WIDTH bool multiply_any(const double *restrict sum, double factor, int32_t dims,
                            float *restrict row) {
    const int64_t reach = alcore__char_reach(dims), last = (INT64_C(1) << ROUNDED) - 1;
    const int64_t lowest = (INT64_C(1) << (ROUNDED - 1)) - reach;
    eight_longs differences = {0};
    int64_t all = 0;
    int32_t j = 0;
    for (; j + 8 <= dims; j += 8) {
        eight_doubles numbers;
        memcpy(&numbers, sum + j, sizeof numbers);
        numbers *= factor;
        differences |= (((eight_longs)numbers - lowest) & last) - (2 * reach + 1);
        const eight_floats products = __builtin_convertvector(numbers, eight_floats);
        memcpy(row + j, &products, sizeof products);
    }
    for (; j < dims; j++) {
        const double product = sum[j] * factor;
        int64_t bits;
        memcpy(&bits, &product, sizeof bits);
        all |= ((bits - lowest) & last) - (2 * reach + 1);
        row[j] = (float)product;
    }
    for (int i = 0; i < 8; i++) all |= differences[i];
    return all >= 0;
}

ANY_WIDTH void divide_any(const double *restrict sum, double norm, int32_t dims,
                          float *restrict row) {
    int32_t j = 0;
    for (; j + 8 <= dims; j += 8) {
        eight_doubles numbers;
        memcpy(&numbers, sum + j, sizeof numbers);
        const eight_floats quotient = __builtin_convertvector(numbers / norm, eight_floats);
        memcpy(row + j, &quotient, sizeof quotient);
    }
    for (; j < dims; j++) row[j] = (float)(sum[j] / norm);
}

/* ---- instruction sets ---- */

#define CHAR_CODE(name, vectors, instructions)                                                     \
    instructions static void hash_ascii_##name(const char *padded, size_t length,                  \
                                               alcore__char_columns *out) {                        \
        hash_ascii_any(padded, length, out);                                                       \
    }                                                                                              \
    instructions static void find_columns_##name(const alcore__char_slices *slices,                \
                                                 alcore__char_columns *ngrams) {                   \
        find_columns_any(slices, ngrams);                                                          \
    }                                                                                              \
    instructions static void add_words_##name(const int32_t *const *words, int32_t count,          \
                                              int32_t padded, int32_t *units) {                    \
        add_words_any(words, count, padded, vectors, units);                                       \
    }                                                                                              \
    instructions static void spill_##name(int32_t *units, int32_t padded, double *parts) {         \
        spill_any(units, padded, parts);                                                           \
    }                                                                                              \
    instructions static uint32_t pack_##name(double *parts, int32_t padded, int32_t *word) {       \
        return pack_any(parts, padded, word);                                                      \
    }                                                                                              \
    instructions static double close_##name(double *parts, int32_t *units, int32_t padded,         \
                                            double *sum) {                                         \
        return close_any(parts, units, padded, sum);                                               \
    }                                                                                              \
    instructions static bool multiply_##name(const double *sum, double factor, int32_t dims,       \
                                             float *row) {                                         \
        return multiply_any(sum, factor, dims, row);                                               \
    }                                                                                              \
    instructions static void divide_##name(const double *sum, double norm, int32_t dims,           \
                                           float *row) {                                           \
        divide_any(sum, norm, dims, row);                                                          \
    }                                                                                              \
    static const alcore__char_code name##_code = {.hash_ascii = hash_ascii_##name,                 \
                                                  .find_columns = find_columns_##name,             \
                                                  .add_words = add_words_##name,                   \
                                                  .spill = spill_##name,                           \
                                                  .pack = pack_##name,                             \
                                                  .close = close_##name,                           \
                                                  .multiply = multiply_##name,                     \
                                                  .divide = divide_##name};

CHAR_CODE(portable, 2, )
#if defined(__x86_64__)
CHAR_CODE(avx2, 4, __attribute__((target("avx2"))))
CHAR_CODE(avx512, MAX_VECTORS, __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))))
#endif

const alcore__char_code *alcore__char_code_choose(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return &avx512_code;
    if (__builtin_cpu_supports("avx2")) return &avx2_code;
#endif
    return &portable_code;
}
