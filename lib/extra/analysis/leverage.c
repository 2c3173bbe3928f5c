/* SPDX-License-Identifier: Apache-2.0 */
/* What a translation memory saves of a selection, as translators' tools count it
 * (docs/spec/analyses.md 8.11). A row whose text the memory has is a match of 100; else one whose
 * text an earlier row has is a repetition; else its best fuzzy match (text/fuzzy_match.h) tells its
 * band, one of 100 counting as 99, as the texts differ in case, spaces or numbers. */
#include <string.h>

#include "alcore/extra/analysis.h"
#include "pool/fuzzy_rows.h"
#include "pool/pool_internal.h"
#include "text/vocabulary.h"
#include "text/words.h"

/* The bands of a result, in its order. */
enum { REPEATED, EXACT, FROM_95, FROM_85, FROM_75, FROM_50, NONE };

/* The memory of one call, all arrays [rows of the pool]. */
typedef struct leverage {
    alcore_ctx *ctx;
    const alcore_pool *pool, *memory;
    uint8_t *mask;            /* 1: selected */
    uint8_t *known;           /* 1: the memory has the text */
    double *matches;          /* percent */
    alcore__vocabulary texts; /* of the rows so far */
    alcore_leverage_result result;
} leverage;

static int64_t count_words(const char *text, size_t length) {
    const char *end = text + length, *word;
    size_t bytes;
    int64_t words = 0;
    while (alcore__word_next(&text, end, &word, &bytes)) words++;
    return words;
}

/* *out: the band of a selected row. */
static alcore_status find_band(leverage *self, int64_t row, const char *text, size_t length,
                               int *out) {
    static const struct {
        double least;
        int band;
    } bands[] = {{95, FROM_95}, {85, FROM_85}, {75, FROM_75}, {50, FROM_50}};
    const uint32_t before = self->texts.count;
    uint32_t number;
    ALCORE__TRY(alcore__vocabulary_add(self->ctx, &self->texts, text, length, &number));
    *out = self->known[row] ? EXACT : number < before ? REPEATED : NONE;
    for (size_t i = 0; *out == NONE && i < sizeof bands / sizeof *bands; i++)
        if (self->matches[row] >= bands[i].least) *out = bands[i].band;
    return ALCORE_OK;
}

/* Counts with both pools locked for reading. rows [count]: the selection. */
static alcore_status count(leverage *self, const int64_t *rows, int64_t row_count) {
    const int64_t all = alcore_pool_row_count(self->pool);
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)all, 1, &self->mask));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)all, 1, &self->known));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)all, sizeof *self->matches, &self->matches));
    for (int64_t i = 0; i < row_count; i++) {
        if (rows[i] < 0 || rows[i] >= all)
            return alcore__fail(ALCORE_E_NOT_FOUND, "row %lld is not in the pool, which has %lld",
                                (long long)rows[i], (long long)all);
        self->mask[rows[i]] = 1;
    }
    ALCORE__TRY(alcore__pool_match_texts(self->pool, self->memory, self->known));
    ALCORE__TRY(alcore__pool_fuzzy_matches(self->ctx, self->pool, self->mask, self->memory, NULL,
                                           50, 100, self->matches));
    for (int64_t i = 0; i < row_count; i++) {
        size_t length;
        int band;
        const char *text = alcore_pool_text(self->pool, rows[i], &length);
        const int64_t words = count_words(text, length);
        if (words == 0) continue;
        ALCORE__TRY(find_band(self, rows[i], text, length, &band));
        self->result.rows[band]++;
        self->result.words[band] += words;
    }
    return ALCORE_OK;
}

/* Locks both pools, counts, and unlocks them. */
static alcore_status count_locked(leverage *self, const int64_t *rows, int64_t row_count) {
    ALCORE__TRY(alcore__read_begin(self->pool, "pool"));
    alcore_status status = alcore__read_begin(self->memory, "memory");
    if (status == ALCORE_OK) {
        status = count(self, rows, row_count);
        alcore__read_end(self->memory);
    }
    alcore__read_end(self->pool);
    return status;
}

alcore_status alcore_analysis_compute_leverage(const alcore_pool *pool, const int64_t *rows,
                                               int64_t row_count, const alcore_pool *memory,
                                               const alcore_leverage_options *options,
                                               alcore_leverage_result *out) {
    leverage self = {.ctx = pool ? alcore__pool_ctx(pool) : NULL, .pool = pool, .memory = memory};
    ALCORE__TRY(alcore__enter_long(self.ctx));
    alcore_status status = ALCORE_OK;
    if (!pool || !memory || !out || pool == memory || row_count < 0 || (row_count > 0 && !rows))
        status = alcore__fail(ALCORE_E_INVALID, "alcore_analysis_compute_leverage: two pools, rows "
                                                "and out are needed");
    if (status == ALCORE_OK) status = alcore__struct_empty(options, "alcore_leverage_options");
    if (status == ALCORE_OK) status = count_locked(&self, rows, row_count);
    if (status == ALCORE_OK)
        status = alcore__struct_write(out, &self.result, sizeof self.result,
                                      ALCORE__FIRST_SIZE(alcore_leverage_result, words),
                                      "alcore_leverage_result");
    alcore__free(self.ctx, self.mask);
    alcore__free(self.ctx, self.known);
    alcore__free(self.ctx, self.matches);
    alcore__vocabulary_clear(self.ctx, &self.texts);
    return alcore__leave(self.ctx, status);
}
