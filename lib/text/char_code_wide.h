/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of char_code.h for one instruction set. char_code.c includes this file for each of
 * them and defines before
 *
 *   WIDE(name)     the name of a type or function, that of the instruction set at its end
 *   INSTRUCTIONS   the attribute of functions that use the instruction set; nothing: every
 *                  processor has it
 *   REGISTER       bytes of a vector: those of a register. The compiler keeps longer vectors in
 *                  memory, where each operation waits for the one before to be written
 *   SUMS           vectors of sums that are kept in registers at once
 *
 * All three are undefined at the end. Functions pass vectors by pointers: how one is returned as a
 * value depends on the instruction set of the function. */

/* Numbers of 64 bits, and of 32 bits, that a vector has. */
#define LONGS (REGISTER / 8)
#define INTS (REGISTER / 4)

typedef uint64_t WIDE(hashes) __attribute__((vector_size(REGISTER)));
typedef uint32_t WIDE(halves) __attribute__((vector_size(REGISTER)));
typedef int32_t WIDE(ints) __attribute__((vector_size(REGISTER)));
typedef double WIDE(doubles) __attribute__((vector_size(REGISTER)));
typedef int64_t WIDE(longs) __attribute__((vector_size(REGISTER)));
/* As many numbers as there are doubles. */
typedef int32_t WIDE(few_ints) __attribute__((vector_size(REGISTER / 2)));
typedef float WIDE(floats) __attribute__((vector_size(REGISTER / 2)));
typedef unsigned char WIDE(bytes) __attribute__((vector_size(REGISTER / 8)));

/* ---- n-grams ---- */

/* alcore__scramble() */
INLINED void WIDE(scramble)(WIDE(hashes) * hashes) {
    WIDE(hashes) z = *hashes;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    *hashes = z ^ (z >> 31);
}

/* The n-grams that begin at several bytes of the word at once: a step of FNV-1a is one byte further
 * for all of them. Lanes whose n-gram would end behind the word are left out: they are the last. */
INSTRUCTIONS static void WIDE(hash_ascii)(const char *padded, size_t length,
                                          alcore__char_columns *out) {
    int count = 0;
    for (size_t first = 0; first + ALCORE__CHAR_SHORTEST <= length; first += LONGS) {
        WIDE(hashes) hash = {0};
        hash += UINT64_C(0xCBF29CE484222325);
        for (size_t step = 0; step < ALCORE__CHAR_LONGEST && first + step < length; step++) {
            WIDE(bytes) bytes;
            memcpy(&bytes, padded + first + step, sizeof bytes);
            hash = (hash ^ __builtin_convertvector(bytes, WIDE(hashes))) * UINT64_C(0x100000001B3);
            if (step + 1 < ALCORE__CHAR_SHORTEST) continue;
            WIDE(hashes) mixed = hash;
            WIDE(scramble)(&mixed);
            const size_t begins = length - first - step;
            memcpy(out->hashes + count, &mixed, sizeof mixed);
            count += (int)(begins < LONGS ? begins : LONGS);
        }
    }
    out->count = count;
}

/* The columns of 16 bits of one piece p in each lane, its lower half: floor((p >> 1) * width /
 * 32768) of the slice, behind padded if p is odd. (p >> 1) / 32768 is (p & 0xFFFE) / 65536. */
INLINED void WIDE(columns)(WIDE(halves) * pieces, const alcore__char_lanes *lanes) {
    WIDE(halves) width, start, minus;
    memcpy(&width, lanes->width, sizeof width);
    memcpy(&start, lanes->start, sizeof start);
    memcpy(&minus, lanes->minus, sizeof minus);
    *pieces = (((*pieces & 0xFFFE) * width) >> 16) + start + (-(*pieces & 1) & minus);
}

/* The hashes behind the last are made into columns too, which nobody reads. */
INSTRUCTIONS static void WIDE(find_columns)(const alcore__char_slices *slices,
                                            alcore__char_columns *ngrams) {
    for (int half = 0; half < ALCORE__CHAR_HALVES; half++) {
        const uint64_t golden = (uint64_t)(half + 1) * UINT64_C(0x9E3779B97F4A7C15);
        for (int i = 0; i < ngrams->count; i += LONGS) {
            WIDE(hashes) hash;
            memcpy(&hash, ngrams->hashes + i, sizeof hash);
            hash = (hash ^ slices->seed) + golden;
            WIDE(scramble)(&hash);
            WIDE(halves) even = (WIDE(halves))hash, odd = even >> 16;
            WIDE(columns)(&even, &slices->lanes[half][0]);
            WIDE(columns)(&odd, &slices->lanes[half][1]);
            const WIDE(halves) columns = even | odd << 16;
            memcpy(ngrams->columns[half][i], &columns, sizeof columns);
        }
    }
}

/* ---- sums ---- */

/* Adds `vectors` vectors of columns of all words, which stay in registers. */
INLINED void WIDE(add_columns)(const int32_t *const *words, int32_t count, int32_t first,
                               int vectors, int32_t *restrict units) {
    WIDE(ints) sum[SUMS], more;
#pragma GCC unroll 16
    for (int k = 0; k < vectors; k++) memcpy(&sum[k], units + first + k * INTS, sizeof more);
    for (int32_t w = 0; w < count; w++) {
        const int32_t *word = words[w] + first;
#pragma GCC unroll 16
        for (int k = 0; k < vectors; k++) {
            memcpy(&more, word + k * INTS, sizeof more);
            sum[k] += more;
        }
    }
#pragma GCC unroll 16
    for (int k = 0; k < vectors; k++) memcpy(units + first + k * INTS, &sum[k], sizeof more);
}

INSTRUCTIONS static void WIDE(add_words)(const int32_t *const *words, int32_t count, int32_t padded,
                                         int32_t *units) {
    int32_t j = 0;
    for (; j + SUMS * INTS <= padded; j += SUMS * INTS)
        WIDE(add_columns)(words, count, j, SUMS, units);
    for (; j < padded; j += INTS) WIDE(add_columns)(words, count, j, 1, units);
}

/* Some of units as numbers in double; they become 0. */
INLINED void WIDE(take_units)(int32_t *units, WIDE(doubles) * out) {
    const WIDE(few_ints) zeros = {0};
    WIDE(few_ints) few;
    memcpy(&few, units, sizeof few);
    memcpy(units, &zeros, sizeof zeros);
    *out = __builtin_convertvector(few, WIDE(doubles));
}

/* Columns of + less those of -, in units; both become +0.0. */
INLINED void WIDE(take_parts)(double *parts, int32_t padded, WIDE(doubles) * out) {
    const WIDE(doubles) zeros = {0};
    WIDE(doubles) plus, minus;
    memcpy(&plus, parts, sizeof plus);
    memcpy(&minus, parts + padded, sizeof minus);
    memcpy(parts, &zeros, sizeof zeros);
    memcpy(parts + padded, &zeros, sizeof zeros);
    *out = (plus - minus) * (double)ALCORE__CHAR_UNITS;
}

INSTRUCTIONS static void WIDE(spill)(int32_t *restrict units, int32_t padded,
                                     double *restrict parts) {
    for (int32_t j = 0; j < padded; j += LONGS) {
        WIDE(doubles) plus, more;
        memcpy(&plus, parts + j, sizeof plus);
        WIDE(take_units)(units + j, &more);
        plus += more / (double)ALCORE__CHAR_UNITS;
        memcpy(parts + j, &plus, sizeof plus);
    }
}

INSTRUCTIONS static uint32_t WIDE(pack)(double *restrict parts, int32_t padded,
                                        int32_t *restrict word) {
    WIDE(few_ints) largest = {0};
    for (int32_t j = 0; j < padded; j += LONGS) {
        WIDE(doubles) units;
        WIDE(take_parts)(parts + j, padded, &units);
        const WIDE(few_ints) packed = __builtin_convertvector(units, WIDE(few_ints));
        const WIDE(few_ints) sign = packed >> 31, more = (packed ^ sign) - sign - largest;
        largest += more & ~(more >> 31); /* the larger of two that are 0 or more */
        memcpy(word + j, &packed, sizeof packed);
    }
    int32_t bound = 0;
    for (int i = 0; i < LONGS; i++) bound = largest[i] > bound ? largest[i] : bound;
    return (uint32_t)bound;
}

/* close(), where parts are known to be 0 or not. As many sums of squares as there are vectors in
 * ALCORE__CHAR_LANES columns, as each addition to one waits for the one before. */
INLINED double WIDE(close_known)(double *restrict parts, bool are_zero, int32_t *restrict units,
                                 int32_t padded, double *restrict sum) {
    WIDE(doubles) squares[ALCORE__CHAR_LANES / LONGS] = {{0}};
    for (int32_t j = 0; j < padded; j += ALCORE__CHAR_LANES) {
#pragma GCC unroll 8
        for (int32_t k = 0; k < ALCORE__CHAR_LANES / LONGS; k++) {
            const int32_t first = j + LONGS * k;
            WIDE(doubles) all, more;
            WIDE(take_units)(units + first, &all);
            if (!are_zero) {
                WIDE(take_parts)(parts + first, padded, &more);
                all += more;
            }
            memcpy(sum + first, &all, sizeof all);
            squares[k] += all * all;
        }
    }
    for (int32_t k = 1; k < ALCORE__CHAR_LANES / LONGS; k++) squares[0] += squares[k];
    double total = 0.0;
    for (int i = 0; i < LONGS; i++) total += squares[0][i];
    return total;
}

INSTRUCTIONS static double WIDE(close)(double *restrict parts, int32_t *restrict units,
                                       int32_t padded, double *restrict sum) {
    return parts ? WIDE(close_known)(parts, false, units, padded, sum)
                 : WIDE(close_known)(parts, true, units, padded, sum);
}

INSTRUCTIONS static bool WIDE(multiply)(const double *restrict sum, double factor, int32_t dims,
                                        float *restrict row) {
    const int64_t reach = alcore__char_reach(dims), last = (INT64_C(1) << ROUNDED) - 1;
    const int64_t lowest = (INT64_C(1) << (ROUNDED - 1)) - reach;
    WIDE(longs) differences = {0};
    int64_t all = 0;
    int32_t j = 0;
    for (; j + LONGS <= dims; j += LONGS) {
        WIDE(doubles) numbers;
        memcpy(&numbers, sum + j, sizeof numbers);
        numbers *= factor;
        differences |= (((WIDE(longs))numbers - lowest) & last) - (2 * reach + 1);
        const WIDE(floats) products = __builtin_convertvector(numbers, WIDE(floats));
        memcpy(row + j, &products, sizeof products);
    }
    for (; j < dims; j++) {
        const double product = sum[j] * factor;
        int64_t bits;
        memcpy(&bits, &product, sizeof bits);
        all |= ((bits - lowest) & last) - (2 * reach + 1);
        row[j] = (float)product;
    }
    for (int i = 0; i < LONGS; i++) all |= differences[i];
    return all >= 0;
}

INSTRUCTIONS static void WIDE(divide)(const double *restrict sum, double norm, int32_t dims,
                                      float *restrict row) {
    int32_t j = 0;
    for (; j + LONGS <= dims; j += LONGS) {
        WIDE(doubles) numbers;
        memcpy(&numbers, sum + j, sizeof numbers);
        const WIDE(floats) quotient = __builtin_convertvector(numbers / norm, WIDE(floats));
        memcpy(row + j, &quotient, sizeof quotient);
    }
    for (; j < dims; j++) row[j] = (float)(sum[j] / norm);
}

static const alcore__char_code WIDE(code) = {.hash_ascii = WIDE(hash_ascii),
                                             .find_columns = WIDE(find_columns),
                                             .add_words = WIDE(add_words),
                                             .spill = WIDE(spill),
                                             .pack = WIDE(pack),
                                             .close = WIDE(close),
                                             .multiply = WIDE(multiply),
                                             .divide = WIDE(divide)};

#undef LONGS
#undef INTS
#undef WIDE
#undef INSTRUCTIONS
#undef REGISTER
#undef SUMS
