/* SPDX-License-Identifier: Apache-2.0 */
/* The index of phrases (phrase_table.h): making and freeing it, the states of its rows, the call
 * that lists a table, and the first row and the text of one phrase. The counting itself is in
 * phrase_walk.c, the order of a table in phrase_order.c, the sort behind both in suffix_array.c.
 *
 * The corpus is an array of word symbols, tokens, with the boundary 0 after each row; begin[row] is
 * the position of a row's first word. array.position [count] are the positions in the order of the
 * words that follow. A phrase is (first: position of its first occurrence, length, occ). */
#include <string.h>

#include "phrase/phrase_table.h"
#include "text/utf8.h"

/* Words of a shard between two polls of cancellation. */
enum { POLL_WORDS = 4096 };

/* ---- states ---- */

/* Writes the two bits of every position of a row: its words and the boundary behind them. */
static void set_state(alcore__phrase_index *index, int64_t row, int32_t state) {
    const uint32_t end = index->corpus->begin[row + 1];
    for (uint32_t i = index->corpus->begin[row]; i < end; i++) {
        const unsigned shift = i % 4 * 2;
        uint8_t *byte = &index->states[i / 4];
        *byte = (uint8_t)((*byte & ~(3u << shift)) | (unsigned)state << shift);
    }
}

void alcore__phrase_index_move(alcore__phrase_index *index, const int64_t *rows, int64_t count,
                               int32_t state) {
    for (int64_t i = 0; i < count; i++) set_state(index, rows[i], state);
    index->moved = true;
}

/* ---- making and freeing ---- */

/* Reads the texts and sorts their positions; every row of the pool becomes unlabeled (0x55 repeats
 * the two bits four times a byte). states has two bits for each position below pool_end, where the
 * pool's rows end; positions from there on are of labeled rows, which stay labeled. labeled may be
 * NULL. extend: phrases of max_words words may be dominated by phrases one word longer, so the
 * array is sorted one word deeper; without it they are always semi-maximal. */
static alcore_status make_index(alcore__phrase_index *index, const alcore__text_source *pool,
                                const alcore__text_source *labeled, bool extend) {
    alcore_ctx *ctx = index->ctx;
    uint32_t depth = ALCORE__SUFFIX_UNLIMITED;
    ALCORE__TRY(alcore__corpus_new(ctx, pool, labeled, &index->corpus));
    const size_t bytes = index->corpus->pool_end / 4 + 1;
    ALCORE__TRY(alcore__new_array(ctx, bytes, 1, &index->states));
    memset(index->states, ALCORE__PHRASE_UNLABELED * 0x55, bytes);
    if (index->max_words != ALCORE__PHRASE_UNLIMITED) depth = index->max_words + extend;
    return alcore__suffix_array_new(index->corpus, depth, &index->array);
}

/* *out is NULL after a failure. */
alcore_status alcore__phrase_index_new(alcore_ctx *ctx, const alcore__text_source *pool,
                                       const alcore__text_source *labeled, uint32_t max_words,
                                       bool extend, alcore__phrase_index **out) {
    alcore__phrase_index *index = NULL;
    *out = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *index, &index));
    index->ctx = ctx;
    index->max_words = max_words;
    const alcore_status status = make_index(index, pool, labeled, extend);
    if (status != ALCORE_OK)
        alcore__phrase_index_free(index);
    else
        *out = index;
    return status;
}

void alcore__phrase_index_free(alcore__phrase_index *index) {
    if (!index) return;
    alcore_ctx *ctx = index->ctx;
    alcore__suffix_array_clear(ctx, &index->array);
    alcore__corpus_free(index->corpus);
    alcore__free(ctx, index->states);
    alcore__free(ctx, index->has_letters);
    alcore__free(ctx, index);
}

/* ---- tables ---- */

/* Whether a word has a letter or digit. */
static bool has_letters(const char *word, size_t length) {
    for (size_t next = 0; next < length;) {
        const int32_t point = alcore__utf8_next(word, length, &next);
        if (point >= 0 && (alcore__utf8_is_letter(point) || alcore__utf8_is_digit(point)))
            return true;
    }
    return false;
}

/* Fills index->has_letters, one byte per symbol, once per index: the letters filter looks up every
 * word of every phrase there. */
static alcore_status find_letters(alcore__phrase_index *index) {
    const alcore__corpus *corpus = index->corpus;
    uint8_t *found = NULL;
    ALCORE__TRY(alcore__new_array(index->ctx, (size_t)corpus->max_symbol + 1, 1, &found));
    for (uint32_t shard = 0; shard < ALCORE__CORPUS_SHARDS; shard++) {
        const alcore__vocabulary *words = &corpus->shard[shard].words;
        for (uint32_t number = 0; number < words->count; number++) {
            const uint32_t symbol = 1 + number * ALCORE__CORPUS_SHARDS + shard;
            size_t length;
            const char *word = alcore__corpus_word(corpus, symbol, &length);
            if (number % POLL_WORDS == 0) {
                const alcore_status status = alcore__tick(index->ctx, NULL, 0, 0);
                if (status != ALCORE_OK) {
                    alcore__free(index->ctx, found);
                    return status;
                }
            }
            found[symbol] = has_letters(word, length);
        }
    }
    index->has_letters = found;
    return ALCORE_OK;
}

/* Checks the filter, finds the words with letters if it asks for them, walks over the array and
 * orders what it found. *out is empty after a failure. */
alcore_status alcore__phrase_table_list(alcore__phrase_index *index,
                                        const alcore__phrase_filter *filter,
                                        alcore__phrase_table *out) {
    *out = (alcore__phrase_table){0};
    if (filter->semi_maximal && filter->counts_only)
        return alcore__fail(ALCORE_E_INTERNAL, "semi-maximal phrases are more than counts");
    if (index->max_words == ALCORE__PHRASE_UNLIMITED && !filter->semi_maximal)
        return alcore__fail(ALCORE_E_INVALID,
                            "phrases without a limit on their length are too many to be listed: "
                            "set a limit, or ask for semi-maximal phrases only");
    if (filter->letters && !index->has_letters) ALCORE__TRY(find_letters(index));
    alcore__phrase_table *parts = NULL; /* [buckets] */
    const int64_t buckets = index->array.buckets;
    if (buckets == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(index->ctx, (size_t)buckets, sizeof *parts, &parts));
    alcore__phrase_single *singles = NULL; /* [positions] */
    const uint32_t positions = index->corpus->pool_end;
    alcore_status status = ALCORE_OK;
    if (index->max_words != ALCORE__PHRASE_UNLIMITED && filter->min_count < 2)
        status = alcore__new_array(index->ctx, positions, sizeof *singles, &singles);
    if (status == ALCORE_OK) status = alcore__phrase_walk(index, filter, parts, singles);
    if (status == ALCORE_OK)
        status = alcore__phrase_order(index->ctx, parts, buckets, singles, positions, out);
    for (int64_t i = 0; i < buckets; i++) alcore__phrase_table_clear(index->ctx, &parts[i]);
    alcore__free(index->ctx, parts);
    alcore__free(index->ctx, singles);
    if (status != ALCORE_OK) alcore__phrase_table_clear(index->ctx, out);
    return status;
}

/* ---- one phrase ---- */

int64_t alcore__phrase_row(const alcore__phrase_index *index, const alcore__phrase *phrase,
                           int64_t *out_word) {
    const int64_t row = alcore__corpus_row(index->corpus, phrase->first);
    *out_word = (int64_t)phrase->first - index->corpus->begin[row];
    return row;
}

/* Appends the words of a phrase from the corpus at its first occurrence. */
alcore_status alcore__phrase_text(const alcore__phrase_index *index, const alcore__phrase *phrase,
                                  alcore__buffer *out) {
    for (uint32_t i = 0; i < phrase->length; i++) {
        size_t length;
        const char *word =
            alcore__corpus_word(index->corpus, index->corpus->tokens[phrase->first + i], &length);
        if (i > 0) ALCORE__TRY(alcore__buffer_append(index->ctx, out, " ", 1));
        ALCORE__TRY(alcore__buffer_append(index->ctx, out, word, length));
    }
    return ALCORE_OK;
}
