/* SPDX-License-Identifier: Apache-2.0 */
/* Makes rows of texts: v = sum of idf(b(g)) * r(g) over the n-grams g of all words, then v / |v|
 * (char_embedding.h).
 *
 * No n-gram crosses a word boundary, and words repeat: some ten thousand words make up nine tenths
 * of a corpus. So what each word adds to v is kept when it is met a second time (char_words.h): a
 * row of integers, in units of 2^-23. Such a word costs one addition of rows. The n-grams of any
 * other word are hashed, their weights are fetched, which lie far apart in memory, and each is
 * added to eight columns. In the pool of
 * tests/bench/bench_huds_ngram.py, sentences of 9 words on average, 95 of 100 words have a row
 * already and 1 gets one, with 48 MiB of rows that all threads share; with 24 MiB for each of two
 * threads 92 had one and 2 got one.
 *
 * The order of additions does not change the bits: an idf is a float32 of 1 or more, so a multiple
 * of 2^-23, and sums and differences of such numbers are exact in double while they stay below 2^30
 * (2^53 times 2^-23). A text of n bytes has at most 3 n n-grams and an idf is below 45 (1 + ln
 * 2^63), so this holds for texts up to MAX_EXACT_BYTES; longer texts are added n-gram by n-gram in
 * the order of the formula. Rows of integers are exact too while no column passes 2^31: each word
 * has a bound, and before the bounds of a text's words pass it, the integers move to the sums in
 * double ("spill"). v in units instead of 1 has the same quotients v / |v|: the factor is a power
 * of two.
 *
 * What n-grams add with sign + and with sign - is summed apart, v = plus - minus, so that there is
 * no branch by the sign, which no processor can predict.
 *
 * |v|^2 is a sum in order of the columns, a chain of additions that each wait for the one before,
 * and v / |v| a division for each column. Nearly every row is made without them, by a sum of
 * squares in another order and products with 1 / |v|: the numbers differ by some units of their
 * last place (alcore__char_reach()), and as float32 they are the same unless one of them is so
 * near the middle of two float32. Of 4,000 rows with 256 columns one has such a number, and is made
 * by the formula. */
#include "text/char_rows.h"

#include <math.h>
#include <string.h>

#include "text/char_words.h"
#include "text/words.h"

enum {
    MAX_EXACT_BYTES = 1 << 22,
    QUEUE = 128,  /* words that are found before the first is added */
    AHEAD = 4,    /* words whose rows, or weights, are being fetched */
    TOGETHER = 32 /* rows of words that are added together, at most */
};

/* A word that is being added. */
typedef struct text_word {
    const char *word;       /* its bytes in the text */
    size_t bytes;           /* more than ALCORE__CHAR_WORD_BYTES: it is too long to be kept */
    int64_t text;           /* which of the texts that are made together it is of */
    alcore__char_name name; /* not set where it is too long */
    uint32_t slot;          /* where it was looked up; it may have another word by now */
} text_word;

/* Words in the order of their texts. They wait here because what is known of them lies far apart in
 * memory: it is prefetched before the first of them is added. */
typedef struct word_queue {
    text_word words[QUEUE];
    int count;
    /* n-grams of the words that come next, word i in i % (AHEAD + 1), without their columns; count
     * 0: the word had a row when it was looked up */
    alcore__char_columns ngrams[AHEAD + 1];
} word_queue;

struct alcore__char_rows {
    alcore_ctx *ctx; /* borrowed */
    const alcore__char_embedder *embedder;
    const alcore__char_code *code;
    alcore__char_slices slices;
    int32_t dims, padded;      /* padded: alcore__char_padded_dims() */
    alcore__char_words *words; /* that were met, open; NULL: not opened */
    double *parts, *fresh; /* [2 padded + 1] sums of + and of - of a text, and of a word whose row
                              is made; the last entry is that which nobody reads. +0.0 between
                              texts, and words, but for that */
    int32_t *units;        /* [padded] sums of rows of a text; 0 between texts */
    const int32_t *rows[TOGETHER]; /* [row_count] rows of words that are to be added to units */
    int32_t row_count;
    uint32_t room;  /* what bounds of further words may add to units */
    bool has_parts; /* whether parts may be other than 0 */
    double *sum;    /* [padded] v of the text that is being finished */
    int64_t text;   /* which of the texts that are made parts and units are of */
    float *out;     /* [texts, dims] their rows */
    word_queue *queue;
    void *block; /* that units are in */
};

/* Allocates the arrays, zeroed; the caller frees them after a failure. */
static alcore_status allocate(alcore__char_rows *self) {
    const size_t padded = (size_t)self->padded;
    self->room = INT32_MAX;
    ALCORE__TRY(alcore__char_words_open(self->embedder->words));
    self->words = self->embedder->words;
    ALCORE__TRY(alcore__new_array(self->ctx, 1, sizeof *self->queue, &self->queue));
    ALCORE__TRY(alcore__new_lines(self->ctx, padded, sizeof(int32_t), &self->block, &self->units));
    ALCORE__TRY(alcore__new_array(self->ctx, 2 * padded + 1, sizeof(double), &self->parts));
    ALCORE__TRY(alcore__new_array(self->ctx, 2 * padded + 1, sizeof(double), &self->fresh));
    return alcore__new_array(self->ctx, padded, sizeof(double), &self->sum);
}

/* Slice s of `count` has the columns s * dims / count to before (s + 1) * dims / count. Of a hash
 * in memory the lower half is lane 0 of two, or lane 1 where the higher byte comes first. */
static void lay_out_slices(alcore__char_rows *self) {
    const int32_t higher_first = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    const int32_t count = self->dims < ALCORE__CHAR_SLICES ? self->dims : ALCORE__CHAR_SLICES;
    self->slices.seed = self->embedder->seed;
    for (int32_t s = 0; s < ALCORE__CHAR_SLICES; s++) {
        alcore__char_lanes *lanes = &self->slices.lanes[s / 4][s % 2];
        const int32_t start = s * self->dims / count, end = (s + 1) * self->dims / count;
        const bool is = s < count;
        for (int32_t lane = (s % 4 / 2) ^ higher_first; lane < ALCORE__CHAR_LANES; lane += 2) {
            lanes->width[lane] = is ? (uint32_t)(end - start) : 0;
            lanes->start[lane] = (uint32_t)(is ? start : 2 * self->padded);
            lanes->minus[lane] = is ? (uint32_t)self->padded : 0;
        }
    }
}

alcore_status alcore__char_rows_new(const alcore__char_embedder *embedder,
                                    alcore__char_rows **out) {
    alcore__char_rows *self = NULL;
    *out = NULL;
    ALCORE__TRY(alcore__new_array(embedder->ctx, 1, sizeof *self, &self));
    self->ctx = embedder->ctx;
    self->embedder = embedder;
    self->code = alcore__char_code_choose();
    self->dims = embedder->dims;
    self->padded = alcore__char_padded_dims(self->dims);
    lay_out_slices(self);
    const alcore_status status = allocate(self);
    if (status != ALCORE_OK) {
        alcore__char_rows_free(self);
        return status;
    }
    *out = self;
    return ALCORE_OK;
}

void alcore__char_rows_free(alcore__char_rows *self) {
    if (!self) return;
    alcore_ctx *ctx = self->ctx;
    if (self->words) alcore__char_words_close(self->words);
    alcore__free(ctx, self->queue);
    alcore__free(ctx, self->block);
    alcore__free(ctx, self->parts);
    alcore__free(ctx, self->fresh);
    alcore__free(ctx, self->sum);
    alcore__free(ctx, self);
}

/* ---- n-grams ---- */

/* Makes the hashes of the n-grams that begin at byte *begin of the padded word
 * (alcore__char_padded()) and behind it, in the order of the formula, as many as *out has room for,
 * and moves *begin behind where the last of them begin. At most 3 begin at a byte, so that one call
 * makes all of a word of ALCORE__CHAR_WORD_BYTES. */
static void hash_in_order(const char *word, size_t length, size_t *begin,
                          alcore__char_columns *out) {
    out->count = 0;
    for (; *begin < length && out->count <= ALCORE__CHAR_WORD_NGRAMS - 3; ++*begin)
        if (alcore__char_border(word, length, *begin))
            out->count += alcore__char_hashes(word, length, *begin, out->hashes + out->count);
}

/* Makes the hashes of the n-grams of a word of at most ALCORE__CHAR_WORD_BYTES bytes, in any order,
 * and prefetches their weights. */
static void hash_word(const alcore__char_rows *self, const text_word *word,
                      alcore__char_columns *out) {
    const uint64_t *bytes = word->name.key.bytes;
    if (((bytes[0] | bytes[1] | bytes[2]) & UINT64_C(0x8080808080808080)) != 0) {
        size_t begin = 0;
        hash_in_order(word->word, word->bytes, &begin, out);
    } else {
        char padded[ALCORE__CHAR_PADDED_BYTES] = {' '};
        memcpy(padded + 1, word->word, word->bytes);
        padded[word->bytes + 1] = ' ';
        self->code->hash_ascii(padded, word->bytes + 2, out);
    }
    for (int i = 0; i < out->count; i++)
        __builtin_prefetch(&self->embedder->idf[alcore__char_bucket(out->hashes[i])]);
}

static double weight_of(const alcore__char_rows *self, uint64_t hash) {
    return (double)self->embedder->idf[alcore__char_bucket(hash)];
}

/* Adds n-grams, whose hashes are there, to parts in any order, and returns the sum of their
 * weights. */
static double add_ngrams(const alcore__char_rows *self, alcore__char_columns *ngrams,
                         double *parts) {
    double total = 0.0;
    self->code->find_columns(&self->slices, ngrams);
    for (int i = 0; i < ngrams->count; i++) {
        const double weight = weight_of(self, ngrams->hashes[i]);
        for (int s = 0; s < 4; s++) parts[ngrams->columns[0][i][s]] += weight;
        for (int s = 0; s < 4; s++) parts[ngrams->columns[1][i][s]] += weight;
        total += weight;
    }
    return total;
}

/* Adds a word that is too long to be kept. */
static void add_long_word(alcore__char_rows *self, const text_word *word) {
    alcore__char_columns ngrams;
    self->has_parts = true;
    for (size_t begin = 0; begin < word->bytes;) {
        hash_in_order(word->word, word->bytes, &begin, &ngrams);
        add_ngrams(self, &ngrams, self->parts);
    }
}

/* ---- words ---- */

/* Prefetches the row of word i of the queue, which will be added soon, or the weights of its
 * n-grams where it has none. */
static inline void fetch_word(const alcore__char_rows *self, int i) {
    text_word *word = &self->queue->words[i];
    alcore__char_columns *ngrams = &self->queue->ngrams[i % (AHEAD + 1)];
    ngrams->count = 0;
    if (word->bytes > ALCORE__CHAR_WORD_BYTES) return;
    word->slot = alcore__char_word_guess(self->words, word->name.tag);
    const uint32_t row = alcore__char_row_of(&self->words->slots[word->slot]);
    if (row != 0)
        alcore__char_word_fetch(self->words, row);
    else
        hash_word(self, word, ngrams);
}

/* Whether all columns of a word's sums, whose weights add up to `total`, are below 2^30 units. */
static bool is_packable(const alcore__char_rows *self, double total) {
    enum { LARGEST = (1 << 30) / (ALCORE__CHAR_UNITS / 2) - 1 };
    bool is = true;
    for (int32_t j = 0; total >= LARGEST && j < 2 * self->padded; j++)
        is &= self->fresh[j] < LARGEST;
    return is;
}

/* Makes the row of a word that is met again, and returns it. Where a column is too large for a row,
 * which takes hundreds of equal n-grams or a weight that few texts have, the word gets none: NULL.
 * This thread has the lock of the words, which have a free row. */
static const alcore__char_word *make_row(alcore__char_rows *self, const text_word *word,
                                         alcore__char_slot *slot, alcore__char_columns *ngrams) {
    alcore__char_words *words = self->words;
    const double total = add_ngrams(self, ngrams, self->fresh);
    if (!is_packable(self, total)) {
        memset(self->fresh, 0, 2 * (size_t)self->padded * sizeof *self->fresh);
        return NULL;
    }
    const uint16_t number = words->free_rows[--words->free_count];
    alcore__char_word *made = alcore__char_word_at(words, number);
    made->key = word->name.key;
    made->bound = self->code->pack(self->fresh, self->padded, made->row);
    __atomic_store_n(&slot->row, number, __ATOMIC_RELEASE);
    if (words->free_count > 0) /* the next to be made */
        alcore__char_word_fetch(words, words->free_rows[words->free_count - 1]);
    return made;
}

/* Adds the rows that wait to units. */
static void add_rows(alcore__char_rows *self) {
    if (self->row_count > 0)
        self->code->add_words(self->rows, self->row_count, self->padded, self->units);
    self->row_count = 0;
}

/* Lets the row of a word wait to be added to units. */
static void add_row(alcore__char_rows *self, const alcore__char_word *word) {
    if (word->bound > self->room || self->row_count == TOGETHER) add_rows(self);
    if (word->bound > self->room) {
        self->code->spill(self->units, self->padded, self->parts);
        self->has_parts = true;
        self->room = INT32_MAX;
    }
    self->room -= word->bound;
    self->rows[self->row_count++] = word->row;
}

/* Enters a word in its slot, which is free, or makes its row where it was met before and there is
 * room; returns the row. This thread has the lock of the words. */
static const alcore__char_word *enter_word(alcore__char_rows *self, const text_word *word,
                                           alcore__char_slot *slot, alcore__char_columns *ngrams) {
    alcore__char_words *words = self->words;
    const alcore__char_word *row = alcore__char_row_in(words, slot, &word->name);
    if (row) return row;
    if (alcore__char_is_met(slot))
        return words->free_count > 0 ? make_row(self, word, slot, ngrams) : NULL;
    if (alcore__char_words_full(words)) {
        __atomic_store_n(&words->full, true, __ATOMIC_RELAXED);
        return NULL;
    }
    __atomic_store_n(&slot->tag, word->name.tag, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->met, 1, __ATOMIC_RELEASE);
    words->met++;
    return NULL;
}

/* The row of a word, which is not in the slot where it was looked up, and *slot, that of the row;
 * NULL where it has none. A word that is met the first time is entered, and gets its row when it is
 * met again, unless another thread enters a word just now or there is no room. ngrams: those of the
 * word. */
static const alcore__char_word *meet_word(alcore__char_rows *self, const text_word *word,
                                          alcore__char_columns *ngrams, alcore__char_slot **slot) {
    alcore__char_words *words = self->words;
    *slot = alcore__char_word_find(words, &word->name);
    const alcore__char_word *row = alcore__char_row_in(words, *slot, &word->name);
    if (row) return row;
    if (ngrams->count == 0) hash_word(self, word, ngrams);
    if (__atomic_load_n(&words->full, __ATOMIC_RELAXED)) return NULL;
    if (pthread_mutex_trylock(&words->lock) != 0) return NULL;
    *slot = alcore__char_word_find(words, &word->name);
    row = enter_word(self, word, *slot, ngrams);
    pthread_mutex_unlock(&words->lock);
    return row;
}

/* Adds word i of the queue to the sums of its text: by its row, which a word that is met the second
 * time gets, or n-gram by n-gram. */
static void add_word(alcore__char_rows *self, int i) {
    const text_word *word = &self->queue->words[i];
    alcore__char_columns *ngrams = &self->queue->ngrams[i % (AHEAD + 1)];
    if (word->bytes > ALCORE__CHAR_WORD_BYTES) {
        add_long_word(self, word);
        return;
    }
    alcore__char_slot *slot = &self->words->slots[word->slot];
    const alcore__char_word *row = alcore__char_row_in(self->words, slot, &word->name);
    if (!row) row = meet_word(self, word, ngrams, &slot);
    if (row) {
        alcore__char_count(slot);
        add_row(self, row);
    } else {
        add_ngrams(self, ngrams, self->parts);
        self->has_parts = true;
    }
}

/* row [dims] = v / |v| by the formula, where v is in self->sum. */
static void divide_in_order(const alcore__char_rows *self, float *row) {
    double squares = 0.0;
    for (int32_t j = 0; j < self->dims; j++) squares += self->sum[j] * self->sum[j];
    if (squares > 0.0)
        self->code->divide(self->sum, sqrt(squares), self->dims, row);
    else
        memset(row, 0, (size_t)self->dims * sizeof *row);
}

/* Makes the row of the text that is being added, and begins the next one. */
static void close_text(alcore__char_rows *self) {
    float *row = self->out + self->text++ * self->dims;
    add_rows(self);
    const double squares = self->code->close(self->has_parts ? self->parts : NULL, self->units,
                                             self->padded, self->sum);
    self->has_parts = false;
    self->room = INT32_MAX;
    if (!(squares > 0.0) || !self->code->multiply(self->sum, 1.0 / sqrt(squares), self->dims, row))
        divide_in_order(self, row);
}

/* Adds the words of the queue and empties it. Texts before that of the last word are closed. */
static void add_words(alcore__char_rows *self) {
    word_queue *queue = self->queue;
    for (int i = 0; i < AHEAD && i < queue->count; i++) fetch_word(self, i);
    for (int i = 0; i < queue->count; i++) {
        if (i + AHEAD < queue->count) fetch_word(self, i + AHEAD);
        while (self->text < queue->words[i].text) close_text(self);
        add_word(self, i);
    }
    queue->count = 0;
}

/* ---- rows ---- */

/* Appends the words of a text to the queue, which is emptied when it is full. */
static void find_words(alcore__char_rows *self, const char *text, size_t length, int64_t number) {
    word_queue *queue = self->queue;
    const char *at = text, *end = text + length;
    alcore__spelled_word word;
    while (alcore__spelled_next(&at, text, end, &word)) {
        text_word *next = &queue->words[queue->count];
        if (word.bytes <= ALCORE__CHAR_WORD_BYTES) {
            alcore__char_pack(&word, &next->name);
            __builtin_prefetch(&self->words->slots[alcore__char_home(next->name.tag)]);
        }
        next->word = word.word;
        next->bytes = word.bytes;
        next->text = number;
        if (++queue->count == QUEUE) add_words(self);
    }
}

/* self->sum = v of a text of any length, in the order of the formula. */
static void add_long_text(alcore__char_rows *self, const char *text, size_t length) {
    const char *at = text, *end = text + length, *word;
    double *sum = self->sum;
    alcore__char_columns ngrams;
    size_t bytes;
    memset(sum, 0, (size_t)self->padded * sizeof *sum);
    while (alcore__word_next(&at, end, &word, &bytes)) {
        for (size_t begin = 0; begin < bytes;) {
            hash_in_order(word, bytes, &begin, &ngrams);
            self->code->find_columns(&self->slices, &ngrams);
            for (int i = 0; i < ngrams.count; i++) {
                const double weight = weight_of(self, ngrams.hashes[i]);
                for (int s = 0; s < ALCORE__CHAR_SLICES; s++) {
                    const int32_t column = ngrams.columns[s / 4][i][s % 4];
                    if (column < self->padded)
                        sum[column] += weight;
                    else if (column < 2 * self->padded)
                        sum[column - self->padded] -= weight;
                }
            }
        }
    }
}

void alcore__char_rows_make(alcore__char_rows *self, const char *const *texts,
                            const size_t *lengths, int64_t count, float *out) {
    self->text = 0;
    self->out = out;
    alcore__char_words_enter(self->words);
    for (int64_t i = 0; i < count; i++) {
        if (lengths[i] <= MAX_EXACT_BYTES) {
            find_words(self, texts[i], lengths[i], i);
            continue;
        }
        add_words(self);
        while (self->text < i) close_text(self);
        add_long_text(self, texts[i], lengths[i]);
        divide_in_order(self, out + self->text++ * self->dims);
    }
    add_words(self);
    while (self->text < count) close_text(self);
    alcore__char_words_leave(self->words);
}
