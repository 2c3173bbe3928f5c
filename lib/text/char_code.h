/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on the sums of texts and the n-grams of words (char_rows.c), compiled for each
 * instruction set. Operations are exact or those of IEEE 754 whatever the width of a register is,
 * so that results do not depend on the instruction set.
 *
 * A weight is the idf of an n-gram. It is a float32 from 1 to before 45, so a multiple of
 * 1 / ALCORE__CHAR_UNITS. Columns of sums are numbered from 0; those of `parts` stand for + and - :
 * column c for c with sign +, padded + c with sign -, and 2 padded for one that nobody reads. */
#ifndef ALCORE__CHAR_CODE_H
#define ALCORE__CHAR_CODE_H

#include "text/char_ngrams.h"

enum {
    ALCORE__CHAR_LINE = 64,  /* bytes of a cache line */
    ALCORE__CHAR_LANES = 16, /* `padded` is a multiple of this many columns */
    ALCORE__CHAR_GROUP = 8,  /* n-grams that are made at once */
    ALCORE__CHAR_HALVES = 2, /* of the slices, four each: a scrambled hash has pieces for four */
    ALCORE__CHAR_UNITS = 1 << 23,
    ALCORE__CHAR_WORD_BYTES = 24, /* of a word whose n-grams ngrams() makes: */
    ALCORE__CHAR_WORD_NGRAMS = 3 * ALCORE__CHAR_WORD_BYTES,
    /* a padded word, then zeros that vectors reach */
    ALCORE__CHAR_PADDED_BYTES = ALCORE__CHAR_WORD_BYTES + 2 + 14
};

/* dims rounded up to a multiple of ALCORE__CHAR_LANES. */
static inline int32_t alcore__char_padded_dims(int32_t dims) {
    return (dims + ALCORE__CHAR_LANES - 1) / ALCORE__CHAR_LANES * ALCORE__CHAR_LANES;
}

/* n-grams [count] as they are added: their hashes, and the columns of parts in which each r(g) is
 * not 0, four for each half of the slices. */
typedef struct alcore__char_columns {
    int count;
    uint64_t hashes[ALCORE__CHAR_WORD_NGRAMS + ALCORE__CHAR_GROUP];
    uint16_t columns[ALCORE__CHAR_HALVES][ALCORE__CHAR_WORD_NGRAMS + ALCORE__CHAR_GROUP][4];
} alcore__char_columns;

/* The slices of the pieces that one half of a scrambled hash in memory has, as lanes of a vector of
 * eight hashes: lane 2 i + k has two pieces, the even one in its lower half. A slice that there is
 * not, with few dims, has width 0 and the column that nobody reads. */
typedef struct alcore__char_lanes {
    uint32_t width[ALCORE__CHAR_LANES]; /* columns of the slice */
    uint32_t start[ALCORE__CHAR_LANES]; /* its first column */
    uint32_t minus[ALCORE__CHAR_LANES]; /* from a column to that of the sign -: padded */
} alcore__char_lanes;

typedef struct alcore__char_slices {
    uint64_t seed; /* seed' of the formula */
    alcore__char_lanes lanes[ALCORE__CHAR_HALVES][2 /* even, odd */];
} alcore__char_slices;

typedef struct alcore__char_code {
    /* Makes the hashes of all n-grams of a word of ASCII, in no order: padded [length] is the word
     * between its spaces, ALCORE__CHAR_PADDED_BYTES with zeros. Sets count and hashes. */
    void (*hash_ascii)(const char *padded, size_t length, alcore__char_columns *out);
    /* Makes the columns of the n-grams whose hashes are there. */
    void (*find_columns)(const alcore__char_slices *slices, alcore__char_columns *ngrams);
    /* units [padded] += the sum of words [count], each [padded] */
    void (*add_words)(const int32_t *const *words, int32_t count, int32_t padded, int32_t *units);
    /* parts [2 padded] += units [padded] / ALCORE__CHAR_UNITS, on the side of +; units become 0. */
    void (*spill)(int32_t *units, int32_t padded, double *parts);
    /* word [padded] = what parts sum up to in units, each less than 2^31; parts become +0.0.
     * Returns the largest absolute value. */
    uint32_t (*pack)(double *parts, int32_t padded, int32_t *word);
    /* sum [padded] = what parts and units sum up to, in units; both become 0. parts NULL: they are
     * 0. Returns the sum of the squares, added up in any order. */
    double (*close)(double *parts, int32_t *units, int32_t padded, double *sum);
    /* row [dims] = sum [padded] * factor in float32; the product is rounded to double first. False
     * where a product that differs by no more than alcore__char_reach() units of its last place
     * may round to another float32. */
    bool (*multiply)(const double *sum, double factor, int32_t dims, float *row);
    /* row [dims] = sum [padded] / norm in float32; the quotient is rounded to double first. */
    void (*divide)(const double *sum, double norm, int32_t dims, float *row);
} alcore__char_code;

/* How many units of its last place v_j * (1 / sqrt(s)) differs at most from v_j / sqrt(t), where s
 * and t are sums of the squares of v [dims] in two orders. Each operation errs by 2^-53 of its
 * result at most. Either sum adds up dims squares of one sign, so that it errs by dims * 2^-53 in
 * first order, and its root by half as much; there are two roots, two divisions and a product
 * beside them, and three units for what is of second order. A number of 2^-53 of a double is one
 * unit of its last place at most. */
static inline int64_t alcore__char_reach(int32_t dims) {
    return (int64_t)dims + 8;
}

enum { ALCORE__CHAR_CODES = 3 }; /* instruction sets for which there are functions, at most */

/* out: the functions for the instruction sets that this processor has, the widest registers first.
 * Returns how many: 1 or more. */
int alcore__char_code_list(const alcore__char_code *out[ALCORE__CHAR_CODES]);
/* The functions for the widest registers of this processor. */
const alcore__char_code *alcore__char_code_choose(void);

#endif
