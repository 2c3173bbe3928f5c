/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds of strata of equal numbers of rows, digit by digit of their keys, the highest ones
 * first. A bound is exact as soon as no row of its interval is before it: then it is the smallest
 * key of the interval. Doubles differ in their highest bits, so that this takes few passes; equal
 * scores are told apart by the bits of the row. */
#include "strategy/rules/huds/rank_bounds.h"

#include <string.h>

/* Bins of a pass, as many as a block has rows, so that counting takes no longer than looking at the
 * rows; and digits of a pass, where there are few or many intervals. */
enum { BINS = ALCORE_BLOCK_ROWS, MIN_DIGITS = 4, MAX_DIGITS = 12 };

/* Maps numbers to integers in the same order; 0 and -0 to the same one. */
static uint64_t ordered_bits(double value) {
    const double number = value + 0.0;
    const uint64_t sign = (uint64_t)1 << 63;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

/* How many bits a number needs. */
static int32_t bit_length(uint64_t number) {
    int32_t bits = 0;
    for (; number > 0; number >>= 1) bits++;
    return bits;
}

static alcore__rank_key key_of(const alcore__rank_bounds *self, double score, int64_t row) {
    return (alcore__rank_key)(ordered_bits(score) - self->smallest) << self->row_bits |
           (uint64_t)row;
}

/* How many of keys [count], ascending, are not above a key. */
static int64_t count_up_to(const alcore__rank_key *keys, int64_t count, alcore__rank_key key) {
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (keys[middle] <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Lists the intervals of open bounds, and chooses the digits of the next pass. */
static void list_intervals(alcore__rank_bounds *self) {
    self->interval_count = 0;
    for (int64_t b = 0; b < self->strata - 1; b++) {
        const int64_t count = self->interval_count;
        if (self->ranks[b] == 0 || (count > 0 && self->intervals[count - 1] == self->bounds[b]))
            continue;
        self->intervals[self->interval_count++] = self->bounds[b];
    }
    if (self->interval_count == 0) return;
    self->digits = bit_length((uint64_t)(BINS / self->interval_count)) - 1;
    if (self->digits < MIN_DIGITS) self->digits = MIN_DIGITS;
    if (self->digits > MAX_DIGITS) self->digits = MAX_DIGITS;
    if (self->digits > self->shift) self->digits = self->shift;
    memset(self->counts, 0, alcore__rank_bounds_bytes(self));
}

/* The rows from rank e x candidates / strata on are in stratum e and later ones. Where there are
 * fewer candidates than strata no row may have that rank: the bound is above all keys. */
alcore_status alcore__rank_bounds_begin(const alcore__run *run, alcore__rank_bounds *self,
                                        int64_t strata, double low, double high) {
    const int64_t count = alcore__active_in_all(run, ALCORE__OVER_CANDIDATES);
    const int64_t most = (strata - 1) << MIN_DIGITS;
    self->strata = strata;
    self->smallest = ordered_bits(low);
    self->row_bits = bit_length((uint64_t)run->input->candidates.rows - 1);
    self->shift = bit_length(ordered_bits(high) - self->smallest) + self->row_bits;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, strata - 1, &self->bounds));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, strata - 1, &self->ranks));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, strata - 1, &self->intervals));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, most > BINS ? most : BINS, &self->counts));
    for (int64_t e = 1; e < strata; e++) {
        const int64_t rank = (e * count + strata - 1) / strata;
        if (rank < count)
            self->ranks[e - 1] = rank;
        else
            self->bounds[e - 1] = ~(alcore__rank_key)0;
    }
    list_intervals(self);
    return ALCORE_OK;
}

bool alcore__rank_bounds_open(const alcore__rank_bounds *self) {
    return self->interval_count > 0;
}

size_t alcore__rank_bounds_bytes(const alcore__rank_bounds *self) {
    return ((size_t)self->interval_count << self->digits) * sizeof *self->counts;
}

void alcore__rank_bounds_count(const alcore__rank_bounds *self, const alcore__block *block,
                               const double *scores, int64_t *counts) {
    for (int64_t i = 0; i < block->count; i++) {
        const alcore__rank_key key = key_of(self, scores[i], block->rows[i]);
        const int64_t found = count_up_to(self->intervals, self->interval_count, key) - 1;
        if (found < 0) continue;
        const alcore__rank_key place = key - self->intervals[found];
        if (place >> self->shift != 0) continue;
        counts[(found << self->digits) + (int64_t)(place >> (self->shift - self->digits))]++;
    }
}

/* The counts may come from another process. */
alcore_status alcore__rank_bounds_add(const alcore__run *run, alcore__rank_bounds *self,
                                      const int64_t *counts) {
    const int64_t bins = self->interval_count << self->digits;
    for (int64_t bin = 0; bin < bins; bin++) {
        const int64_t left = run->input->candidates.rows - self->counts[bin];
        ALCORE__TRY(alcore__partial_check_index(counts[bin], left + 1));
        self->counts[bin] += counts[bin];
    }
    return ALCORE_OK;
}

/* Puts an open bound into the bin of its interval that has the row of its rank. */
static alcore_status narrow(const alcore__rank_bounds *self, int64_t interval, int64_t bound) {
    const int64_t *counts = self->counts + (interval << self->digits);
    const int64_t bins = (int64_t)1 << self->digits;
    int64_t rank = self->ranks[bound], bin = 0;
    while (bin < bins && rank >= counts[bin]) rank -= counts[bin++];
    if (bin == bins || (rank > 0 && self->shift == self->digits))
        return alcore__fail(ALCORE_E_CORRUPT, "the partials of shards have no row of rank %lld",
                            (long long)self->ranks[bound]);
    self->bounds[bound] += (alcore__rank_key)bin << (self->shift - self->digits);
    self->ranks[bound] = rank;
    return ALCORE_OK;
}

alcore_status alcore__rank_bounds_narrow(alcore__rank_bounds *self) {
    for (int64_t b = 0, interval = 0; b < self->strata - 1; b++) {
        if (self->ranks[b] == 0) continue;
        while (self->intervals[interval] != self->bounds[b]) interval++;
        ALCORE__TRY(narrow(self, interval, b));
    }
    self->shift -= self->digits;
    list_intervals(self);
    return ALCORE_OK;
}

int32_t alcore__rank_bounds_stratum(const alcore__rank_bounds *self, double score, int64_t row) {
    return (int32_t)count_up_to(self->bounds, self->strata - 1, key_of(self, score, row));
}
