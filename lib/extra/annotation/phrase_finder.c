/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where given phrases occur in texts (phrase_finder.h). */
#include "extra/annotation/phrase_finder.h"

#include "text/words.h"

/* Writes a space behind each word, and removes the last one: so begin[i + 1] - 1 is where word i
 * ends. */
alcore_status alcore__word_row_read(alcore_ctx *ctx, alcore__word_row *row, const char *text,
                                    size_t length) {
    const char *next = text, *end = text + length, *word;
    size_t bytes;
    row->joined.length = 0;
    row->count = 0;
    ALCORE__TRY(alcore__buffer_reserve(ctx, &row->joined, length + 1));
    while (alcore__word_next(&next, end, &word, &bytes)) {
        ALCORE__TRY(alcore__grow(ctx, &row->begin, &row->capacity, (size_t)row->count + 2,
                                 sizeof *row->begin));
        row->begin[row->count++] = row->joined.length;
        ALCORE__TRY(alcore__buffer_append(ctx, &row->joined, word, bytes));
        ALCORE__TRY(alcore__buffer_append(ctx, &row->joined, " ", 1));
    }
    if (row->count == 0) return ALCORE_OK;
    row->begin[row->count] = row->joined.length;
    row->joined.data[--row->joined.length] = '\0'; /* no space behind the last word */
    return ALCORE_OK;
}

void alcore__word_row_clear(alcore_ctx *ctx, alcore__word_row *row) {
    alcore__buffer_clear(ctx, &row->joined);
    alcore__free(ctx, row->begin);
    *row = (alcore__word_row){0};
}

/* Enters the phrase, and its length at its first word. */
alcore_status alcore__phrase_finder_add(alcore_ctx *ctx, alcore__phrase_finder *finder,
                                        alcore__word_row *row, const char *text, size_t length,
                                        uint32_t *out) {
    size_t bytes;
    uint32_t first;
    ALCORE__TRY(alcore__word_row_read(ctx, row, text, length));
    if (row->count == 0) return alcore__fail(ALCORE_E_DATA, "a phrase has no word");
    if (row->count > ALCORE__FINDER_WORDS)
        return alcore__fail(ALCORE_E_DATA, "a phrase has %lld words; %d are allowed",
                            (long long)row->count, ALCORE__FINDER_WORDS);
    const char *word = alcore__word_row_span(row, 0, 1, &bytes);
    const uint32_t known = finder->first.count;
    ALCORE__TRY(alcore__grow(ctx, &finder->lengths, &finder->lengths_capacity, (size_t)known + 1,
                             sizeof *finder->lengths));
    ALCORE__TRY(alcore__vocabulary_add(ctx, &finder->first, word, bytes, &first));
    if (first == known) finder->lengths[first] = 0;
    ALCORE__TRY(
        alcore__vocabulary_add(ctx, &finder->phrases, row->joined.data, row->joined.length, out));
    finder->lengths[first] |= UINT64_C(1) << (row->count - 1);
    return ALCORE_OK;
}

/* rest: the lengths of phrases that begin with the word and are still to be looked up; its lowest
 * bit is the shortest. */
alcore_status alcore__phrase_finder_scan(const alcore__phrase_finder *finder,
                                         const alcore__word_row *row, alcore__phrase_sink sink,
                                         void *user) {
    for (int64_t word = 0; word < row->count; word++) {
        size_t bytes;
        const char *text = alcore__word_row_span(row, word, 1, &bytes);
        const uint32_t first = alcore__vocabulary_find(&finder->first, text, bytes);
        if (first == ALCORE__WORD_NONE) continue;
        for (uint64_t rest = finder->lengths[first]; rest != 0; rest &= rest - 1) {
            const int words = __builtin_ctzll(rest) + 1;
            if (words > row->count - word) break;
            text = alcore__word_row_span(row, word, words, &bytes);
            const uint32_t phrase = alcore__vocabulary_find(&finder->phrases, text, bytes);
            if (phrase == ALCORE__WORD_NONE) continue;
            const alcore__phrase_hit hit = {phrase, (uint32_t)words, word};
            ALCORE__TRY(sink(user, &hit));
        }
    }
    return ALCORE_OK;
}

void alcore__phrase_finder_clear(alcore_ctx *ctx, alcore__phrase_finder *finder) {
    alcore__vocabulary_clear(ctx, &finder->phrases);
    alcore__vocabulary_clear(ctx, &finder->first);
    alcore__free(ctx, finder->lengths);
    *finder = (alcore__phrase_finder){0};
}
