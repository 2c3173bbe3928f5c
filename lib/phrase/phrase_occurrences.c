/* SPDX-License-Identifier: Apache-2.0 */
/* Where phrases occur in the source of a pool of phrases, and in each other (phrase_pool.h). */
#include <string.h>

#include "base/rng.h"
#include "phrase/phrase_pool.h"
#include "pool/pool_state.h"
#include "text/words.h"

static const char STAGE[] = "finding phrases";
enum { POLL_ROWS = 256 /* texts between two polls of cancellation */ };

/* A word of a text, borrowed. */
typedef struct word {
    const char *text; /* [length] */
    size_t length;    /* bytes */
    uint64_t hash;    /* of the bytes */
} word;

/* The state of one pass over texts: rows of the source, or phrases. */
typedef struct walk {
    alcore_ctx *ctx;
    const alcore_pool *phrases;
    const int64_t *rows;      /* [count] rows of the pool of phrases */
    int64_t count;            /* of rows */
    int64_t longest;          /* words of the longest of them */
    alcore__hash_index index; /* of the phrases: entry i is rows[i] */
    word *words;              /* [word_count] of the present text */
    size_t capacity;
    int64_t word_count;
} walk;

bool alcore__is_phrase_pool(const alcore_pool *pool) {
    return pool && pool->counted;
}

int64_t alcore__phrase_source_rows(const alcore_pool *phrases) {
    return phrases->counted_rows;
}

/* The hash of an n-gram from that of its words but the last one (0: there are none) and the hash of
 * the last word. The low bits, by which the index chooses slots, depend on all of both. */
static uint64_t extend_hash(uint64_t hash, uint64_t word_hash) {
    hash = (hash ^ word_hash) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* Splits a text into walk->words. */
static alcore_status split(walk *self, const char *text, size_t length) {
    const char *end = text + length;
    word next;
    self->word_count = 0;
    while (alcore__word_next(&text, end, &next.text, &next.length)) {
        next.hash = alcore__hash64(next.text, next.length);
        ALCORE__TRY(alcore__grow(self->ctx, &self->words, &self->capacity,
                                 (size_t)self->word_count + 1, sizeof *self->words));
        self->words[self->word_count++] = next;
    }
    return ALCORE_OK;
}

/* Whether the text of a phrase, its words with one space between them, has the words [count]. */
static bool has_words(alcore__pool_row phrase, const word *words, int64_t count) {
    const char *text = phrase.text, *end = text + phrase.length;
    if (phrase.words != count) return false;
    for (int64_t i = 0; i < count; i++) {
        if ((size_t)(end - text) < words[i].length) return false;
        if (memcmp(text, words[i].text, words[i].length) != 0) return false;
        text += words[i].length;
        if (i + 1 < count && *text++ != ' ') return false; /* a NUL follows each text */
    }
    return text == end;
}

/* The index in self->rows of the phrase that consists of words [count], whose hash extend_hash()
 * made; -1: there is none. */
static int64_t find_phrase(const walk *self, const word *words, int64_t count, uint64_t hash) {
    size_t slot = alcore__index_home(&self->index, hash);
    for (int64_t i; (i = alcore__index_next(&self->index, hash, &slot)) >= 0;)
        if (has_words(alcore__pool_row_at(self->phrases, self->rows[i]), words, count)) return i;
    return -1;
}

/* Puts all phrases into the index and measures the longest one. Phrases of a pool are distinct, so
 * each is put into the free slot behind the entries with its hash, without comparing texts. */
static alcore_status index_phrases(walk *self) {
    ALCORE__TRY(alcore__index_reserve(self->ctx, &self->index, (size_t)self->count,
                                      (size_t)self->count, self->count));
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__pool_row phrase = alcore__pool_row_at(self->phrases, self->rows[i]);
        uint64_t hash = 0;
        if (i % ALCORE_BLOCK_ROWS == 0) ALCORE__TRY(alcore__tick(self->ctx, STAGE, i, self->count));
        ALCORE__TRY(split(self, phrase.text, (size_t)phrase.length));
        for (int64_t k = 0; k < self->word_count; k++)
            hash = extend_hash(hash, self->words[k].hash);
        size_t slot = alcore__index_home(&self->index, hash);
        while (alcore__index_next(&self->index, hash, &slot) >= 0) {
        }
        alcore__index_put(&self->index, slot, hash, i);
        if (self->word_count > self->longest) self->longest = self->word_count;
    }
    return ALCORE_OK;
}

/* Visits the phrases of a text, which is split into walk->words here: visit() gets user, the index
 * in walk->rows of a phrase, `row`, and the word of the text at which the phrase begins, from 0. At
 * each word all lengths up to that of the longest phrase are looked up. */
static alcore_status visit_text(walk *self, alcore__pool_row text, int64_t row,
                                alcore__phrase_visit *visit, void *user) {
    ALCORE__TRY(split(self, text.text, (size_t)text.length));
    for (int64_t first = 0; first < self->word_count; first++) {
        const int64_t left = self->word_count - first;
        const int64_t longest = left < self->longest ? left : self->longest;
        const word *words = self->words + first;
        uint64_t hash = 0;
        for (int64_t length = 1; length <= longest; length++) {
            hash = extend_hash(hash, words[length - 1].hash);
            const int64_t phrase = find_phrase(self, words, length, hash);
            if (phrase >= 0) ALCORE__TRY(visit(user, phrase, row, first));
        }
    }
    return ALCORE_OK;
}

/* Visits the phrases of all rows of the source that were unlabeled when the pool of phrases was
 * made, in ascending order. */
static alcore_status walk_source(walk *self, alcore__phrase_visit *visit, void *user) {
    const alcore_pool *source = self->phrases->source;
    /* Rows that were added to the source later are not among those that were counted. */
    const int64_t end = self->phrases->counted_end;
    for (int64_t row = 0; row < end; row++) {
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(self->ctx, STAGE, row, end));
        if (!self->phrases->counted[row]) continue;
        ALCORE__TRY(visit_text(self, alcore__pool_row_at(source, row), row, visit, user));
    }
    return ALCORE_OK;
}

/* Visits the phrases inside other phrases: texts [count], rows of their pool. */
static alcore_status walk_phrases(walk *self, const int64_t *texts, int64_t count,
                                  alcore__phrase_visit *visit, void *user) {
    for (int64_t i = 0; i < count; i++) {
        if (i % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(self->ctx, STAGE, i, count));
        ALCORE__TRY(visit_text(self, alcore__pool_row_at(self->phrases, texts[i]), i, visit, user));
    }
    return ALCORE_OK;
}

/* Frees what the walk owns. */
static void clear(walk *self) {
    alcore__index_clear(self->ctx, &self->index);
    alcore__free(self->ctx, self->words);
}

/* Locks the source for reading meanwhile. */
alcore_status alcore__phrase_occurrences(const alcore_pool *phrases, const int64_t *rows,
                                         int64_t count, alcore__phrase_visit *visit, void *user) {
    walk self = {.ctx = phrases->object.ctx, .phrases = phrases, .rows = rows, .count = count};
    ALCORE__TRY(alcore__read_begin(phrases->source, "pool"));
    alcore_status status = index_phrases(&self);
    if (status == ALCORE_OK && count > 0) status = walk_source(&self, visit, user);
    clear(&self);
    alcore__read_end(phrases->source);
    return status;
}

alcore_status alcore__phrases_inside(const alcore_pool *phrases, const int64_t *rows, int64_t count,
                                     const int64_t *texts, int64_t text_count,
                                     alcore__phrase_visit *visit, void *user) {
    walk self = {.ctx = phrases->object.ctx, .phrases = phrases, .rows = rows, .count = count};
    alcore_status status = index_phrases(&self);
    if (status == ALCORE_OK && count > 0)
        status = walk_phrases(&self, texts, text_count, visit, user);
    clear(&self);
    return status;
}
