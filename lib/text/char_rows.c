/* SPDX-License-Identifier: Apache-2.0 */
/* Makes rows of texts: v = sum of idf(b(g)) * r(g) over the n-grams g of all words, then v / |v|
 * (char_embedding.h).
 *
 * No n-gram crosses a word boundary, and words repeat: some thirty thousand words make up nine
 * tenths of a corpus. So a thread keeps the n-grams of words that it has met: for each n-gram its
 * weight, the idf, and the eight columns of v that it is added to. A word that is kept costs eight
 * additions for each n-gram. For any other word the n-grams are hashed and their weights are
 * fetched, which lie far apart in memory. When the memory of the kept words is full, all of them
 * are dropped. Measured on 4.5 million sentences of 9 words (tests/bench huds_ngram): 12 % of the
 * words of a text are not among the kept ones; with four times the memory it would be 7 %.
 *
 * What is added with sign + and with sign - is summed apart, v = plus - minus, so that there is no
 * branch by the sign, which no processor can predict. This other order of additions gives the same
 * bits: an idf is a float32 of 1 or more, so a multiple of 2^-23, and sums and differences of such
 * numbers are exact in double, in any order, while they stay below 2^30 (2^53 times 2^-23). A text
 * of n bytes has at most 3 n n-grams and an idf is below 45 (1 + ln 2^63), so this holds for texts
 * up to MAX_EXACT_BYTES; longer texts are added n-gram by n-gram in the order of the formula.
 *
 * |v|^2 is a sum in order of the columns, a chain of additions that each wait for the one before.
 * TOGETHER rows are finished at a time, so that their chains overlap. */
#include "text/char_rows.h"

#include <math.h>
#include <string.h>

#include "text/char_ngrams.h"
#include "text/words.h"

enum {
    TOGETHER = 8, /* rows that are finished at a time */
    LANES = 8,    /* sums are padded to a multiple of this many components */
    MAX_EXACT_BYTES = 1 << 22,
    MAX_KEPT_BYTES = 24, /* of a word that can be kept */
    MAX_NGRAMS = 3 * MAX_KEPT_BYTES,
    KEPT_WORDS = 1 << 15,   /* words that are kept at most */
    KEPT_NGRAMS = 400000,   /* and n-grams of all of them: 8 MB */
    SLOTS = 2 * KEPT_WORDS, /* of the hash table: 2 MiB */
    WORDS_TOGETHER = 64,    /* words of a text that are found before the first is added */
    AHEAD = 3,              /* words whose n-grams are being fetched */
    CACHE_LINE = 64
};

/* An n-gram as it is added: its idf, and the columns of r(g), one a slice. Column c stands for c
 * with sign +, padded + c with sign -, and 2 * padded for none, where there are fewer slices. */
typedef struct char_ngram {
    float weight;
    uint16_t column[ALCORE__CHAR_SLICES];
} char_ngram;

/* A word that is kept, as a slot of the hash table. */
typedef struct kept_word {
    uint64_t bytes[3]; /* as text_word_of() packs them; with the length they identify the word */
    uint32_t first;    /* its n-grams are ngrams[first .. first + count - 1] */
    uint16_t length;   /* in bytes; 0: a free slot */
    uint16_t count;    /* n-grams */
} kept_word;

/* A word of a text that is being added. */
typedef struct text_word {
    const char *word; /* its bytes in the text */
    kept_word key;    /* only bytes and length are set */
    size_t home;      /* slot where the search for it begins */
} text_word;

/* ---- arithmetic on sums, compiled for each instruction set ---- */

/* Eight components at a time. Operations are those of IEEE 754 whatever the width of a register is,
 * so that results do not depend on the instruction set. */
typedef float eight_floats __attribute__((vector_size(32)));
typedef double eight_doubles __attribute__((vector_size(64)));
#define ANY_WIDTH static inline __attribute__((always_inline))

/* sum [padded] = the first `padded` entries of parts minus the next `padded` ones; both become +0.0
 * for the next text. padded is a multiple of LANES. */
ANY_WIDTH void close_any(double *restrict parts, int32_t padded, double *restrict sum) {
    const eight_doubles zeros = {0};
    for (int32_t j = 0; j < padded; j += LANES) {
        eight_doubles plus, minus;
        memcpy(&plus, parts + j, sizeof plus);
        memcpy(&minus, parts + padded + j, sizeof minus);
        const eight_doubles difference = plus - minus;
        memcpy(sum + j, &difference, sizeof difference);
        memcpy(parts + j, &zeros, sizeof zeros);
        memcpy(parts + padded + j, &zeros, sizeof zeros);
    }
}

/* row [dims] = sum [padded] / norm in float32; the quotient is rounded to double first. */
ANY_WIDTH void divide_any(const double *restrict sum, double norm, int32_t dims,
                          float *restrict row) {
    int32_t j = 0;
    for (; j + LANES <= dims; j += LANES) {
        eight_doubles numbers;
        memcpy(&numbers, sum + j, sizeof numbers);
        const eight_floats quotient = __builtin_convertvector(numbers / norm, eight_floats);
        memcpy(row + j, &quotient, sizeof quotient);
    }
    for (; j < dims; j++) row[j] = (float)(sum[j] / norm);
}

/* The functions above, compiled for one instruction set. */
typedef struct vector_code {
    void (*close)(double *parts, int32_t padded, double *sum);
    void (*divide)(const double *sum, double norm, int32_t dims, float *row);
} vector_code;

#define VECTOR_CODE(name, instructions)                                                            \
    instructions static void close_##name(double *parts, int32_t padded, double *sum) {            \
        close_any(parts, padded, sum);                                                             \
    }                                                                                              \
    instructions static void divide_##name(const double *sum, double norm, int32_t dims,           \
                                           float *row) {                                           \
        divide_any(sum, norm, dims, row);                                                          \
    }                                                                                              \
    static const vector_code name##_code = {close_##name, divide_##name};

VECTOR_CODE(portable, )
#if defined(__x86_64__)
VECTOR_CODE(avx2, __attribute__((target("avx2"))))
VECTOR_CODE(avx512, __attribute__((target("avx512f"))))
#endif

/* The functions for the widest registers of this processor. */
static const vector_code *choose_code(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return &avx512_code;
    if (__builtin_cpu_supports("avx2")) return &avx2_code;
#endif
    return &portable_code;
}

struct alcore__char_rows {
    alcore_ctx *ctx; /* borrowed */
    const alcore__char_embedder *embedder;
    const vector_code *code;
    int32_t dims, padded; /* padded: dims rounded up to a multiple of LANES */
    int32_t slices;
    int32_t slice_starts[ALCORE__CHAR_SLICES + 1]; /* first column of each slice, then dims */
    kept_word *slots;                              /* [SLOTS] open addressing */
    char_ngram *ngrams;                            /* [KEPT_NGRAMS] of the words in slots */
    uint32_t words, used;                          /* words that are kept, and n-grams of them */
    double *parts; /* [2 padded + 1] sums of + and of - of a text, then one entry that columns that
                      do not exist are added to and nobody reads; +0.0 between texts but for that */
    double *sums;  /* [TOGETHER, padded] v of the texts that are being made */
};

/* Allocates the arrays, zeroed; the caller frees them after a failure. */
static alcore_status allocate(alcore__char_rows *self) {
    const size_t padded = (size_t)self->padded;
    ALCORE__TRY(alcore__new_array(self->ctx, SLOTS, sizeof *self->slots, &self->slots));
    ALCORE__TRY(alcore__new_array(self->ctx, KEPT_NGRAMS, sizeof *self->ngrams, &self->ngrams));
    ALCORE__TRY(alcore__new_array(self->ctx, 2 * padded + 1, sizeof(double), &self->parts));
    return alcore__new_array(self->ctx, TOGETHER * padded, sizeof(double), &self->sums);
}

/* Makes an object without kept words. Slice s has the columns s * dims / slices to before (s + 1) *
 * dims / slices. */
alcore_status alcore__char_rows_new(const alcore__char_embedder *embedder,
                                    alcore__char_rows **out) {
    alcore__char_rows *self = NULL;
    *out = NULL;
    ALCORE__TRY(alcore__new_array(embedder->ctx, 1, sizeof *self, &self));
    self->ctx = embedder->ctx;
    self->embedder = embedder;
    self->code = choose_code();
    self->dims = embedder->dims;
    self->padded = (self->dims + LANES - 1) / LANES * LANES;
    self->slices = self->dims < ALCORE__CHAR_SLICES ? self->dims : ALCORE__CHAR_SLICES;
    for (int32_t s = 0; s <= self->slices; s++)
        self->slice_starts[s] = s * self->dims / self->slices;
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
    alcore__free(ctx, self->slots);
    alcore__free(ctx, self->ngrams);
    alcore__free(ctx, self->parts);
    alcore__free(ctx, self->sums);
    alcore__free(ctx, self);
}

/* ---- n-grams ---- */

/* The n-gram with a hash h(g): its weight, and the columns of r(g) by the formula of
 * char_embedding.h, a 16-bit piece of the scrambled hash for each slice. */
static inline void make_ngram(const alcore__char_rows *self, uint64_t hash, char_ngram *out) {
    const uint64_t golden = 0x9E3779B97F4A7C15u, seeded = hash ^ self->embedder->seed;
    uint64_t pieces = 0;
    out->weight = self->embedder->idf[alcore__char_bucket(hash)];
    for (int32_t s = 0; s < ALCORE__CHAR_SLICES; s++) {
        if (s >= self->slices) {
            out->column[s] = (uint16_t)(2 * self->padded);
            continue;
        }
        if (s % 4 == 0) pieces = alcore__scramble(seeded + (uint64_t)(s / 4 + 1) * golden);
        const int32_t piece = (int32_t)(pieces & 0xFFFF);
        pieces >>= 16;
        const int32_t width = self->slice_starts[s + 1] - self->slice_starts[s];
        const int32_t column = self->slice_starts[s] + (((piece >> 1) * width) >> 15);
        out->column[s] = (uint16_t)(column + (piece & 1) * self->padded);
    }
}

/* Makes the n-grams that begin at byte *begin of the padded word (alcore__char_padded()) and behind
 * it, at most MAX_NGRAMS, and moves *begin behind where the last of them begin; returns how many.
 * At most 3 begin at a byte, so that one call makes all of a word of MAX_KEPT_BYTES. Their weights
 * are prefetched before the first is read. */
static int make_ngrams(const alcore__char_rows *self, const char *word, size_t length,
                       size_t *begin, char_ngram *out) {
    uint64_t hashes[MAX_NGRAMS + ALCORE__CHAR_LONGEST];
    int count = 0;
    for (; *begin < length && count <= MAX_NGRAMS - 3; ++*begin) {
        if (!alcore__char_border(word, length, *begin)) continue;
        const int before = count;
        count += alcore__char_hashes(word, length, *begin, hashes + count);
        for (int i = before; i < count; i++)
            __builtin_prefetch(&self->embedder->idf[alcore__char_bucket(hashes[i])]);
    }
    for (int i = 0; i < count; i++) make_ngram(self, hashes[i], &out[i]);
    return count;
}

/* Adds n-grams [count] to parts. */
static inline void add_ngrams(const char_ngram *ngrams, int count, double *parts) {
    for (int i = 0; i < count; i++) {
        const double weight = (double)ngrams[i].weight;
        for (int s = 0; s < ALCORE__CHAR_SLICES; s++) parts[ngrams[i].column[s]] += weight;
    }
}

/* Adds a word that is too long to be kept. */
static void add_long_word(const alcore__char_rows *self, const char *word, size_t length) {
    char_ngram ngrams[MAX_NGRAMS];
    for (size_t begin = 0; begin < length;)
        add_ngrams(ngrams, make_ngrams(self, word, length, &begin, ngrams), self->parts);
}

/* ---- words that are kept ---- */

static inline uint64_t load64(const char *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t load32(const char *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Packs a word of 1 .. MAX_KEPT_BYTES bytes into three numbers that, with its length, are those of
 * no other word, and hashes them. Up to three reads, which may overlap, cover the word and no byte
 * beyond it. */
static inline text_word text_word_of(const char *word, size_t length) {
    text_word out = {.word = word, .key = {.length = (uint16_t)length}};
    uint64_t *bytes = out.key.bytes;
    if (length < 4) {
        const unsigned char *byte = (const unsigned char *)word;
        bytes[0] =
            (uint64_t)byte[0] | (uint64_t)byte[length / 2] << 8 | (uint64_t)byte[length - 1] << 16;
    } else if (length < 8) {
        bytes[0] = load32(word) | load32(word + length - 4) << 32;
    } else {
        bytes[0] = load64(word);
        bytes[1] = load64(word + length - 8);
        if (length > 16) bytes[2] = load64(word + 8);
    }
    uint64_t hash = bytes[0] * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 32 ^ bytes[1]) * 0xD6E8FEB86659FD93u;
    hash = (hash ^ hash >> 32 ^ bytes[2] ^ length) * 0xBF58476D1CE4E5B9u;
    out.home = (size_t)(hash >> 40) % SLOTS;
    return out;
}

static inline bool same_word(const kept_word *a, const kept_word *b) {
    return ((a->bytes[0] ^ b->bytes[0]) | (a->bytes[1] ^ b->bytes[1]) |
            (a->bytes[2] ^ b->bytes[2]) | (uint64_t)(a->length ^ b->length)) == 0;
}

/* The word's slot, or the free one where it belongs. */
static inline kept_word *find_word(const alcore__char_rows *self, const text_word *word) {
    size_t at = word->home;
    while (self->slots[at].length != 0 && !same_word(&self->slots[at], &word->key))
        at = (at + 1) % SLOTS;
    return &self->slots[at];
}

/* Prefetches the n-grams of a word that will be added soon; none of a word that is not kept. */
static inline void fetch_ngrams(const alcore__char_rows *self, const text_word *word) {
    const kept_word *kept = find_word(self, word);
    const char *ngrams = (const char *)(self->ngrams + kept->first);
    for (size_t byte = 0; byte < kept->count * sizeof(char_ngram); byte += CACHE_LINE)
        __builtin_prefetch(ngrams + byte);
}

/* Adds the n-grams of a word to parts. A word that is not kept yet is entered first; where the
 * memory for words or n-grams is full, all kept words are dropped before that. */
static void add_word(alcore__char_rows *self, const text_word *word) {
    kept_word *kept = find_word(self, word);
    if (kept->length == 0) {
        if (self->words == KEPT_WORDS || self->used > KEPT_NGRAMS - MAX_NGRAMS) {
            memset(self->slots, 0, SLOTS * sizeof *self->slots);
            self->words = self->used = 0;
            kept = &self->slots[word->home];
        }
        size_t begin = 0;
        *kept = word->key;
        kept->first = self->used;
        kept->count = (uint16_t)make_ngrams(self, word->word, kept->length, &begin,
                                            self->ngrams + self->used);
        self->used += kept->count;
        self->words++;
    }
    add_ngrams(self->ngrams + kept->first, kept->count, self->parts);
}

/* Adds words [count]. What is known of them lies far apart in memory: the slots were prefetched
 * when the words were found, the n-grams are prefetched AHEAD words before they are added. */
static void add_words(alcore__char_rows *self, const text_word *words, int count) {
    for (int i = 0; i < AHEAD && i < count; i++) fetch_ngrams(self, &words[i]);
    for (int i = 0; i < count; i++) {
        if (i + AHEAD < count) fetch_ngrams(self, &words[i + AHEAD]);
        add_word(self, &words[i]);
    }
}

/* ---- rows ---- */

/* sum [padded] = v of a text of at most MAX_EXACT_BYTES bytes, whose sums are exact. */
static void add_text(alcore__char_rows *self, const char *text, size_t length, double *sum) {
    const char *at = text, *end = text + length, *word;
    text_word words[WORDS_TOGETHER];
    int count = 0;
    size_t bytes;
    while (alcore__word_next(&at, end, &word, &bytes)) {
        if (bytes > MAX_KEPT_BYTES) {
            add_long_word(self, word, bytes);
            continue;
        }
        words[count] = text_word_of(word, bytes);
        __builtin_prefetch(&self->slots[words[count].home]);
        if (++count < WORDS_TOGETHER) continue;
        add_words(self, words, count);
        count = 0;
    }
    add_words(self, words, count);
    self->code->close(self->parts, self->padded, sum);
}

/* The same for a text of any length, in the order of the formula. */
static void add_long_text(const alcore__char_rows *self, const char *text, size_t length,
                          double *sum) {
    const char *at = text, *end = text + length, *word;
    char_ngram ngrams[MAX_NGRAMS];
    size_t bytes;
    memset(sum, 0, (size_t)self->padded * sizeof *sum);
    while (alcore__word_next(&at, end, &word, &bytes)) {
        for (size_t begin = 0; begin < bytes;) {
            const int count = make_ngrams(self, word, bytes, &begin, ngrams);
            for (int i = 0; i < count; i++) {
                for (int32_t s = 0; s < self->slices; s++) {
                    const int32_t column = ngrams[i].column[s];
                    const double weight = (double)ngrams[i].weight;
                    if (column < self->padded)
                        sum[column] += weight;
                    else
                        sum[column - self->padded] -= weight;
                }
            }
        }
    }
}

/* square[r] = sum of sums[r, j]^2 in order of j, for TOGETHER rows side by side. Rows that the last
 * texts did not fill hold older sums; their squares are not used. */
static void sum_squares(const double *restrict sums, int32_t dims, int32_t padded,
                        double square[TOGETHER]) {
    double total[TOGETHER] = {0};
    for (int32_t j = 0; j < dims; j++)
        for (int32_t r = 0; r < TOGETHER; r++)
            total[r] += sums[r * padded + j] * sums[r * padded + j];
    memcpy(square, total, sizeof total);
}

/* Makes TOGETHER rows at a time: their sums v one after the other, then |v|^2 of all, then v / |v|.
 */
void alcore__char_rows_make(alcore__char_rows *self, const char *const *texts,
                            const size_t *lengths, int64_t count, float *out) {
    double square[TOGETHER];
    for (int64_t first = 0; first < count; first += TOGETHER) {
        const int64_t rows = count - first < TOGETHER ? count - first : TOGETHER;
        for (int64_t r = 0; r < rows; r++) {
            const char *text = texts[first + r];
            const size_t length = lengths[first + r];
            double *sum = self->sums + r * self->padded;
            if (length <= MAX_EXACT_BYTES)
                add_text(self, text, length, sum);
            else
                add_long_text(self, text, length, sum);
        }
        sum_squares(self->sums, self->dims, self->padded, square);
        for (int64_t r = 0; r < rows; r++) {
            float *row = out + (first + r) * self->dims;
            if (square[r] > 0.0)
                self->code->divide(self->sums + r * self->padded, sqrt(square[r]), self->dims, row);
            else
                memset(row, 0, (size_t)self->dims * sizeof *row);
        }
    }
}
