/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of the n-gram model's vectors has the same bits with the vectors of every
 * instruction set that this processor has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "text/char_code.h"

enum { DIMS = 259, PADDED = 272, WORDS = 20 };
static const alcore__char_code *codes[ALCORE__CHAR_CODES];
static int code_count;
static alcore__rng rng;

static void setup(void) {
    code_count = alcore__char_code_list(codes);
    ck_assert_int_ge(code_count, 1);
    ck_assert_ptr_eq(codes[0], alcore__char_code_choose());
    alcore__rng_seed(&rng, 11);
}

static int compare_hashes(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The hashes of a word of `_i` letters are those of the code for one n-gram, and the columns those
 * of the formula. */
START_TEST(ngrams) {
    static alcore__char_columns made;
    static alcore__char_slices slices;
    uint64_t expected[ALCORE__CHAR_WORD_NGRAMS];
    char word[ALCORE__CHAR_WORD_BYTES], padded[ALCORE__CHAR_PADDED_BYTES] = {' '};
    const size_t length = (size_t)_i;
    slices.seed = alcore__rng_u64(&rng);
    for (int s = 0; s < ALCORE__CHAR_SLICES; s++)
        for (int lane = s % 4 / 2; lane < ALCORE__CHAR_LANES; lane += 2) {
            slices.lanes[s / 4][s % 2].width[lane] = 7 + (uint32_t)s;
            slices.lanes[s / 4][s % 2].start[lane] = 20 * (uint32_t)s;
            slices.lanes[s / 4][s % 2].minus[lane] = PADDED;
        }
    for (size_t i = 0; i < length; i++) word[i] = (char)('a' + alcore__rng_u64(&rng) % 26);
    memcpy(padded + 1, word, length);
    padded[length + 1] = ' ';
    int count = 0;
    for (size_t begin = 0; begin < length; begin++)
        count += alcore__char_hashes(word, length, begin, expected + count);
    qsort(expected, (size_t)count, sizeof *expected, compare_hashes);
    for (int c = 0; c < code_count; c++) {
        codes[c]->hash_ascii(padded, length + 2, &made);
        ck_assert_int_eq(made.count, count);
        qsort(made.hashes, (size_t)count, sizeof *made.hashes, compare_hashes);
        ck_assert_mem_eq(made.hashes, expected, (size_t)count * sizeof *expected);
        codes[c]->find_columns(&slices, &made);
        for (int i = 0; i < count; i++)
            for (int s = 0; s < ALCORE__CHAR_SLICES; s++) {
                const uint64_t mixed = alcore__scramble(
                    (expected[i] ^ slices.seed) + (uint64_t)(s / 4 + 1) * 0x9E3779B97F4A7C15u);
                const uint64_t piece = mixed >> 16 * (s % 4) & 0xFFFF;
                const uint64_t column = 20 * (uint64_t)s +
                                        ((piece >> 1) * (7 + (uint64_t)s) >> 15) +
                                        (piece % 2) * PADDED;
                ck_assert_uint_eq(made.columns[s / 4][i][s % 4], column);
            }
    }
}
END_TEST

/* Sums of words, with parts and without, and the row that is made of them. */
START_TEST(sums) {
    static int32_t words[WORDS][PADDED], units[PADDED], packed[PADDED];
    static double parts[2 * PADDED], kept[2 * PADDED], sum[PADDED];
    static float row[DIMS];
    const int32_t *list[WORDS];
    for (int w = 0; w < WORDS; w++) {
        list[w] = words[w];
        for (int j = 0; j < PADDED; j++)
            words[w][j] = (int32_t)(alcore__rng_u64(&rng) >> 37) - (1 << 26);
    }
    for (int j = 0; j < 2 * PADDED; j++)
        kept[j] = (double)(alcore__rng_u64(&rng) >> 36) / ALCORE__CHAR_UNITS;
    for (int c = 0; c < code_count; c++) {
        double in_order = 0.0;
        memcpy(parts, kept, sizeof parts);
        codes[c]->add_words(list, WORDS / 2, PADDED, units);
        codes[c]->spill(units, PADDED, parts);
        codes[c]->add_words(list + WORDS / 2, WORDS / 2, PADDED, units);
        const double squares = codes[c]->close(_i ? parts : NULL, units, PADDED, sum);
        for (int j = 0; j < PADDED; j++) {
            double expected = 0.0;
            for (int w = _i ? 0 : WORDS / 2; w < WORDS; w++) expected += words[w][j];
            if (_i) expected += (kept[j] - kept[PADDED + j]) * ALCORE__CHAR_UNITS;
            ck_assert_double_eq(sum[j], expected);
            ck_assert_int_eq(units[j], 0);
            if (_i) ck_assert(parts[j] == 0.0 && parts[PADDED + j] == 0.0);
            in_order += expected * expected;
        }
        ck_assert_double_le(fabs(squares - in_order), in_order * PADDED * ldexp(1.0, -53));
        codes[c]->divide(sum, 3.0, DIMS, row);
        for (int j = 0; j < DIMS; j++) ck_assert_float_eq(row[j], (float)(sum[j] / 3.0));
        codes[c]->multiply(sum, 0.25, DIMS, row);
        for (int j = 0; j < DIMS; j++) ck_assert_float_eq(row[j], (float)(sum[j] * 0.25));
        memcpy(parts, kept, sizeof parts);
        uint32_t largest = 0;
        const uint32_t bound = codes[c]->pack(parts, PADDED, packed);
        for (int j = 0; j < PADDED; j++) {
            const double expected = (kept[j] - kept[PADDED + j]) * ALCORE__CHAR_UNITS;
            ck_assert_double_eq(packed[j], expected);
            if ((uint32_t)abs(packed[j]) > largest) largest = (uint32_t)abs(packed[j]);
            ck_assert(parts[j] == 0.0 && parts[PADDED + j] == 0.0);
        }
        ck_assert_uint_eq(bound, largest);
    }
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("char_code");
    tcase_add_checked_fixture(cases, setup, NULL);
    tcase_add_loop_test(cases, ngrams, 1, ALCORE__CHAR_WORD_BYTES + 1);
    tcase_add_loop_test(cases, sums, 0, 2);
    return check_suite_run("text/char_code", cases);
}
