/* SPDX-License-Identifier: Apache-2.0 */
/* Clipped n-gram matches; the formula, the layout and the cost are in clipped_ngrams.h.
 *
 * A segment has parts: part 0 is the hypothesis, the others are its references. A part is a
 * sequence of units, 32-bit numbers: code points, or numbers of words. An n-gram has a number
 * within its order and segment, from 0; its key is the number of its first n - 1 units (0 for n =
 * 1) in the upper 32 bits and its last unit in the lower. One hash table [slots] with linear
 * probing maps keys to numbers, or hashes of words to words; an entry of another epoch than the
 * counter's is free, so that a new epoch empties the table. The table is never more than half full.
 */
#include "text/clipped_ngrams.h"

#include <string.h>

#include "base/rng.h"

#define MOST_UNITS ((size_t)1 << 30)
#define TICK_EVERY 65536

/* Begins a segment: drops the units, parts and words of the one before; memory is kept. */
void alcore__ngram_counter_begin(alcore__ngram_counter *counter) {
    counter->unit_count = counter->part_count = 0;
    counter->point_count = counter->word_count = 0;
}

/* Frees all memory and leaves the counter as it was before its first use. */
void alcore__ngram_counter_clear(alcore__ngram_counter *counter) {
    alcore_ctx *ctx = counter->ctx;
    alcore__free(ctx, counter->units);
    alcore__free(ctx, counter->part_end);
    alcore__free(ctx, counter->entry);
    alcore__free(ctx, counter->number);
    alcore__free(ctx, counter->counts);
    alcore__free(ctx, counter->points);
    alcore__free(ctx, counter->word_begin);
    alcore__free(ctx, counter->word_end);
    *counter = (alcore__ngram_counter){.ctx = ctx};
}

alcore_status alcore__ngram_counter_unit(alcore__ngram_counter *counter, int32_t unit) {
    if (counter->unit_count >= MOST_UNITS)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "a text and its references have more than 2^30 units; split the line");
    ALCORE__TRY(alcore__grow(counter->ctx, &counter->units, &counter->unit_capacity,
                             counter->unit_count + 1, sizeof *counter->units));
    counter->units[counter->unit_count++] = unit;
    return ALCORE_OK;
}

alcore_status alcore__ngram_counter_end_part(alcore__ngram_counter *counter) {
    ALCORE__TRY(alcore__grow(counter->ctx, &counter->part_end, &counter->part_capacity,
                             counter->part_count + 1, sizeof *counter->part_end));
    counter->part_end[counter->part_count++] = counter->unit_count;
    return ALCORE_OK;
}

/* Makes every entry of the table free, by beginning a new epoch, and gives the table at least twice
 * `need` entries. A new table is filled with zeroes, and no epoch is 0, so its entries are free. */
static alcore_status open_table(alcore__ngram_counter *counter, size_t need) {
    if (counter->slots < 2 * need) {
        size_t slots = 64;
        while (slots < 2 * need) slots *= 2;
        alcore__free(counter->ctx, counter->entry);
        counter->entry = NULL;
        counter->slots = 0;
        ALCORE__TRY(
            alcore__new_array(counter->ctx, slots, sizeof *counter->entry, &counter->entry));
        counter->slots = slots;
        counter->epoch = 0;
    }
    if (++counter->epoch == 0) {
        memset(counter->entry, 0, counter->slots * sizeof *counter->entry);
        counter->epoch = 1;
    }
    return ALCORE_OK;
}

/* Index of the entry where the search for a key begins (linear probing). The two multiplications
 * spread every bit of the key over the upper half, of which the index is taken. */
static inline size_t home_of(const alcore__ngram_counter *counter, uint64_t key) {
    uint64_t hash = key * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;
    return (size_t)(hash >> 32) & (counter->slots - 1);
}

/* The number of an n-gram in the present epoch; a new one gets number *count, which grows. */
static inline uint32_t number_of(alcore__ngram_counter *counter, uint64_t key, uint32_t *count) {
    size_t slot = home_of(counter, key);
    for (;; slot = (slot + 1) & (counter->slots - 1)) {
        alcore__ngram_entry *entry = &counter->entry[slot];
        if (entry->epoch != counter->epoch) {
            *entry = (alcore__ngram_entry){key, counter->epoch, (*count)++};
            return entry->number;
        }
        if (entry->key == key) return entry->number;
    }
}

/* Makes the table one of the words of this segment, larger than before: their hashes are computed
 * again from their code points. Words are distinct, so that a free slot is all that is looked for.
 * Also called for the first word of a segment, since the table may have n-grams of the last one. */
static alcore_status rehash_words(alcore__ngram_counter *counter) {
    ALCORE__TRY(open_table(counter, 2 * counter->word_count + 32));
    for (size_t word = 0; word < counter->word_count; word++) {
        const size_t begin = counter->word_begin[word], end = counter->word_end[word];
        const uint64_t hash =
            alcore__hash64(counter->points + begin, (end - begin) * sizeof *counter->points);
        size_t slot = home_of(counter, hash);
        while (counter->entry[slot].epoch == counter->epoch)
            slot = (slot + 1) & (counter->slots - 1);
        counter->entry[slot] = (alcore__ngram_entry){hash, counter->epoch, (uint32_t)word};
    }
    return ALCORE_OK;
}

/* Adds word points [length] to the present part as one unit, the number of the first equal word of
 * the segment; a new word is copied and gets the next number. Equal hashes do not make equal words:
 * the code points are compared. */
alcore_status alcore__ngram_counter_intern(alcore__ngram_counter *counter, const int32_t *points,
                                           size_t length) {
    const size_t bytes = length * sizeof *points;
    const uint64_t hash = alcore__hash64(points, bytes);
    if (counter->word_count == 0 || counter->slots < 2 * (counter->word_count + 1))
        ALCORE__TRY(rehash_words(counter));
    size_t slot = home_of(counter, hash);
    for (; counter->entry[slot].epoch == counter->epoch; slot = (slot + 1) & (counter->slots - 1)) {
        const alcore__ngram_entry *entry = &counter->entry[slot];
        const size_t begin = counter->word_begin[entry->number];
        if (entry->key == hash && counter->word_end[entry->number] - begin == length &&
            memcmp(counter->points + begin, points, bytes) == 0)
            return alcore__ngram_counter_unit(counter, (int32_t)entry->number);
    }
    const size_t word = counter->word_count, begin = counter->point_count;
    ALCORE__TRY(alcore__ngram_counter_unit(counter, (int32_t)word));
    ALCORE__TRY(alcore__grow(counter->ctx, &counter->points, &counter->point_capacity,
                             begin + length, sizeof *points));
    ALCORE__TRY(alcore__grow(counter->ctx, &counter->word_begin, &counter->word_begin_capacity,
                             word + 1, sizeof *counter->word_begin));
    ALCORE__TRY(alcore__grow(counter->ctx, &counter->word_end, &counter->word_end_capacity,
                             word + 1, sizeof *counter->word_end));
    memcpy(counter->points + begin, points, bytes);
    counter->word_begin[word] = begin;
    counter->point_count = counter->word_end[word] = begin + length;
    counter->word_count++;
    counter->entry[slot] = (alcore__ngram_entry){hash, counter->epoch, (uint32_t)word};
    return ALCORE_OK;
}

/* Counts the n-grams of order n = `order` of one part, units begin .. end - 1, in counts[.][column]
 * (0: hypothesis, 2: this reference) and gives each position the number of its n-gram. *count: the
 * n-grams of this order that have a number so far; a new one begins with counts of 0. A position
 * keeps the number of its order n - 1 until then; positions whose n-gram would leave the part keep
 * a number that nobody reads, because longer n-grams there leave it too. */
static alcore_status count_part(alcore__ngram_counter *counter, size_t begin, size_t end,
                                size_t order, int column, uint32_t *count) {
    for (size_t i = begin; i + order <= end; i++) {
        if (i % TICK_EVERY == TICK_EVERY - 1) ALCORE__TRY(alcore__tick(counter->ctx, NULL, 0, 0));
        const uint64_t head = order == 1 ? 0 : counter->number[i];
        const uint32_t before = *count;
        const uint32_t number =
            number_of(counter, head << 32 | (uint32_t)counter->units[i + order - 1], count);
        if (*count > before) memset(counter->counts + 3 * (size_t)number, 0, 3 * sizeof(uint32_t));
        counter->number[i] = number;
        counter->counts[3 * (size_t)number + (size_t)column]++;
    }
    return ALCORE_OK;
}

/* After a reference was counted: raises the largest count of any reference (column 1) to that of
 * this reference (column 2) and sets column 2 to 0 for the next one. */
static void keep_largest(alcore__ngram_counter *counter, uint32_t count) {
    for (size_t number = 0; number < count; number++) {
        uint32_t *counts = counter->counts + 3 * number;
        if (counts[2] > counts[1]) counts[1] = counts[2];
        counts[2] = 0;
    }
}

/* How many n-grams of one order a part of `units` units has. */
static int64_t ngrams_of(size_t units, size_t order) {
    return units < order ? 0 : (int64_t)(units - order + 1);
}

/* Called once a segment, when all parts are ended; at least two. Order by order, as an n-gram is
 * found by the number of its first n - 1 units: all parts are counted in one table, then each
 * n-gram of the hypothesis matches as often as it occurs, at most as often as in the reference with
 * most. */
alcore_status alcore__ngram_counter_match(alcore__ngram_counter *counter, int32_t orders,
                                          alcore__ngram_matches *out) {
    *out = (alcore__ngram_matches){{0}, {0}, {0}};
    ALCORE__TRY(alcore__grow(counter->ctx, &counter->number, &counter->number_capacity,
                             counter->unit_count, sizeof *counter->number));
    ALCORE__TRY(alcore__grow(counter->ctx, &counter->counts, &counter->count_capacity,
                             counter->unit_count, 3 * sizeof *counter->counts));
    for (size_t order = 1; order <= (size_t)orders; order++) {
        uint32_t count = 0;
        ALCORE__TRY(open_table(counter, counter->unit_count));
        for (size_t part = 0, begin = 0; part < counter->part_count; part++) {
            const size_t end = counter->part_end[part];
            ALCORE__TRY(count_part(counter, begin, end, order, part == 0 ? 0 : 2, &count));
            if (part > 0) keep_largest(counter, count);
            if (part == 0) out->totals[order - 1] = ngrams_of(end - begin, order);
            if (part == 1) out->reference_totals[order - 1] = ngrams_of(end - begin, order);
            begin = end;
        }
        int64_t matches = 0;
        for (size_t number = 0; number < count; number++) {
            const uint32_t *counts = counter->counts + 3 * number;
            matches += counts[0] < counts[1] ? counts[0] : counts[1];
        }
        out->matches[order - 1] = matches;
    }
    return ALCORE_OK;
}
