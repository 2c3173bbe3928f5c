/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting the suffixes of a corpus by their first `depth` words.
 *
 *   1. Words are grouped into buckets of about equal numbers of occurrences, from a sample; a word
 *      with more than that has a bucket of its own.
 *   2. All positions are scattered to the bucket of their word, block by block in parallel: within
 * a bucket positions rise.
 *   3. Each bucket is one task. As many of the next words as fit make a key of 64 bits (three words
 *      of a vocabulary of two million, four of one of 65,000); a stable radix sort orders the keys,
 *      and the leading bits in which neighbors agree give their common prefix. Runs of equal keys
 *      are sorted again by the words behind, until `depth` words are compared or the row ends.
 *
 * Cost: about four reads of a word far apart in memory, and ten passes over 16 bytes that mostly
 * stay in the cache. Memory: 8 bytes a word, and for each thread 32 bytes an entry of the largest
 * bucket that it met.
 *
 * Own code: libsais, the fastest library, is in no registry that the project builds from, and
 * libdivsufsort sorts bytes only. Neither stops at the end of a row or after n words, which is what
 * makes this sort short. */
#include "text/suffix_array.h"

#include <string.h>

#include "text/radix_sort.h"

static const char STAGE[] = "sorting phrases";
/* Tokens that one task counts and scatters. */
enum { BLOCK_TOKENS = 1 << 18 };
/* Buckets are about this many, so that they spread over threads, but not below MIN_BUCKET words. */
enum { BUCKETS = 1024, MIN_BUCKET = 4096 };
/* Tokens that are looked at to choose the buckets. */
enum { SAMPLE = 1 << 20 };
/* A key reads words at a random place of the corpus: asked for so many entries ahead. */
enum { PREFETCH = 16 };
enum { POLL_ENTRIES = 1 << 15 };

typedef struct scratch {
    alcore__keyed *records, *spare; /* [capacity] */
    size_t records_capacity, spare_capacity;
} scratch;

typedef struct sorting {
    const alcore__corpus *corpus;
    alcore__suffix_array *array;
    uint32_t depth;
    uint32_t key_words;  /* words in a key */
    uint32_t *bucket_of; /* [max_symbol + 1] */
    uint32_t *next;      /* [blocks, buckets] counts, then where the next position goes */
    scratch *scratches;  /* [threads] */
} sorting;

/* ---- buckets ---- */

/* Cuts the symbols 1..max_symbol into runs of about equal mass. Symbols are numbered as they are
 * met, frequent ones early, so the heavy buckets are the first tasks. */
static int64_t cut_buckets(const uint32_t *mass, uint32_t max_symbol, uint64_t target,
                           uint32_t *bucket_of) {
    uint32_t bucket = 0;
    uint64_t filled = 0;
    bool empty = true;
    for (uint32_t symbol = 1; symbol <= max_symbol; symbol++) {
        if (!empty && filled + mass[symbol] > target) {
            bucket++;
            filled = 0;
        }
        bucket_of[symbol] = bucket;
        filled += mass[symbol];
        empty = false;
    }
    return empty ? 0 : (int64_t)bucket + 1;
}

static alcore_status choose_buckets(sorting *work) {
    const alcore__corpus *corpus = work->corpus;
    const size_t symbols = (size_t)corpus->max_symbol + 1;
    const uint32_t step = corpus->token_count / SAMPLE + 1;
    uint32_t *mass = NULL; /* [symbols] of the sample */
    ALCORE__TRY(alcore__new_array(corpus->ctx, symbols, sizeof *mass, &mass));
    for (uint32_t i = 1; i < corpus->token_count && corpus->token_count - i > step; i += step)
        mass[corpus->tokens[i]]++;
    uint64_t target = corpus->token_count / BUCKETS;
    if (target < MIN_BUCKET) target = MIN_BUCKET;
    const alcore_status status =
        alcore__new_array(corpus->ctx, symbols, sizeof *work->bucket_of, &work->bucket_of);
    if (status == ALCORE_OK)
        work->array->buckets =
            cut_buckets(mass, corpus->max_symbol, target / step + 1, work->bucket_of);
    alcore__free(corpus->ctx, mass);
    return status;
}

static void block_range(const sorting *work, int64_t block, uint32_t *first, uint32_t *end) {
    const int64_t last = (block + 1) * BLOCK_TOKENS;
    *first = (uint32_t)(block * BLOCK_TOKENS);
    *end = last < work->corpus->token_count ? (uint32_t)last : work->corpus->token_count;
}

static alcore_status count_block(void *data, int64_t block, int32_t worker) {
    const sorting *work = data;
    uint32_t *counts = work->next + block * work->array->buckets;
    uint32_t i, end;
    (void)worker;
    block_range(work, block, &i, &end);
    for (; i < end; i++) {
        const uint32_t symbol = work->corpus->tokens[i];
        if (symbol != ALCORE__CORPUS_BOUNDARY) counts[work->bucket_of[symbol]]++;
    }
    return ALCORE_OK;
}

/* Turns the counts into places: buckets one after the other, blocks in order within each. */
static void sum_counts(sorting *work, int64_t blocks) {
    alcore__suffix_array *array = work->array;
    uint32_t sum = 0;
    for (int64_t bucket = 0; bucket < array->buckets; bucket++) {
        array->bucket[bucket] = sum;
        for (int64_t block = 0; block < blocks; block++) {
            uint32_t *next = &work->next[block * array->buckets + bucket];
            const uint32_t here = *next;
            *next = sum;
            sum += here;
        }
    }
    array->bucket[array->buckets] = sum;
    array->count = sum;
}

static alcore_status scatter_block(void *data, int64_t block, int32_t worker) {
    const sorting *work = data;
    uint32_t *next = work->next + block * work->array->buckets;
    uint32_t i, end;
    (void)worker;
    block_range(work, block, &i, &end);
    for (; i < end; i++) {
        const uint32_t symbol = work->corpus->tokens[i];
        if (symbol != ALCORE__CORPUS_BOUNDARY)
            work->array->position[next[work->bucket_of[symbol]]++] = i;
    }
    return ALCORE_OK;
}

static alcore_status fill_buckets(sorting *work) {
    alcore__suffix_array *array = work->array;
    alcore_ctx *ctx = work->corpus->ctx;
    const int64_t blocks = ((int64_t)work->corpus->token_count + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
    ALCORE__TRY(choose_buckets(work));
    const size_t buckets = (size_t)array->buckets;
    ALCORE__TRY(alcore__new_array(ctx, buckets + 1, sizeof *array->bucket, &array->bucket));
    if (buckets == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)blocks * buckets, sizeof *work->next, &work->next));
    ALCORE__TRY(alcore__parallel(ctx, STAGE, blocks, count_block, work));
    sum_counts(work, blocks);
    const size_t bytes = (size_t)array->count * sizeof *array->position;
    array->position = alcore__alloc(ctx, bytes);
    array->lcp = alcore__alloc(ctx, bytes);
    if (array->position == NULL || array->lcp == NULL) return alcore__fail_memory(bytes);
    return alcore__parallel(ctx, STAGE, blocks, scatter_block, work);
}

/* ---- one bucket ---- */

/* The words at position as one number, the first in the highest bits: `words` of them, 0 from the
 * row's end on. */
static uint64_t pack(const sorting *work, uint32_t position, uint32_t words) {
    const uint32_t *token = &work->corpus->tokens[position];
    const int bits = work->corpus->symbol_bits;
    uint64_t key = 0;
    uint32_t i = 0;
    for (; i < words && token[i] != ALCORE__CORPUS_BOUNDARY; i++) key = key << bits | token[i];
    if (i == 0 || i == words) return key; /* never a shift by all 64 bits */
    return key << (bits * (int)(words - i));
}

/* Words of a packed key before the row's end. */
static uint32_t packed_words(const sorting *work, uint64_t key, uint32_t words) {
    if (key == 0) return 0;
    return words - (uint32_t)(__builtin_ctzll(key) / work->corpus->symbol_bits);
}

/* Sorts entries [begin, end) of the array, which agree in their first `known` words, and writes the
 * lcp of all but the first. records and spare have room for them. Calls itself on runs that agree
 * in a whole key more, at most depth / key_words levels deep. */
static alcore_status sort_run(const sorting *work, uint32_t begin, uint32_t end, uint32_t known,
                              alcore__keyed *records, alcore__keyed *spare) {
    uint32_t *position = work->array->position + begin, *lcp = work->array->lcp + begin;
    const uint32_t count = end - begin, left = work->depth - known;
    const uint32_t words = left < work->key_words ? left : work->key_words;
    const int bits = work->corpus->symbol_bits, unused = 64 - bits * (int)words;
    if (words == 0) {
        for (uint32_t i = 1; i < count; i++) lcp[i] = known;
        return ALCORE_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(work->corpus->ctx, NULL, 0, 0));
        if (i + PREFETCH < count)
            __builtin_prefetch(&work->corpus->tokens[position[i + PREFETCH] + known]);
        records[i] = (alcore__keyed){pack(work, position[i] + known, words), position[i]};
    }
    ALCORE__TRY(alcore__radix_sort(work->corpus->ctx, records, spare, count));
    for (uint32_t i = 0; i < count; i++) position[i] = records[i].value;
    for (uint32_t i = 0; i < count;) {
        const uint64_t key = records[i].key;
        const uint32_t same = packed_words(work, key, words);
        uint32_t next = i + 1;
        for (; next < count && records[next].key == key; next++) lcp[next] = known + same;
        if (next - i > 1 && same == words && known + words < work->depth)
            ALCORE__TRY(
                sort_run(work, begin + i, begin + next, known + words, records + i, spare + i));
        if (next < count) /* records behind the run are as they were */
            lcp[next] = known + (uint32_t)(__builtin_clzll(key ^ records[next].key) - unused) /
                                    (uint32_t)bits;
        i = next;
    }
    return ALCORE_OK;
}

static alcore_status sort_bucket(void *data, int64_t bucket, int32_t worker) {
    const sorting *work = data;
    alcore__suffix_array *array = work->array;
    alcore_ctx *ctx = work->corpus->ctx;
    scratch *own = &work->scratches[worker];
    const uint32_t begin = array->bucket[bucket], end = array->bucket[bucket + 1];
    if (begin == end) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(ctx, &own->records, &own->records_capacity, end - begin,
                             sizeof *own->records));
    ALCORE__TRY(
        alcore__grow(ctx, &own->spare, &own->spare_capacity, end - begin, sizeof *own->spare));
    array->lcp[begin] = 0;
    return sort_run(work, begin, end, 0, own->records, own->spare);
}

static alcore_status sort_buckets(sorting *work) {
    alcore_ctx *ctx = work->corpus->ctx;
    const int32_t threads = alcore_ctx_threads(ctx);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)threads, sizeof *work->scratches, &work->scratches));
    const alcore_status status =
        alcore__parallel(ctx, STAGE, work->array->buckets, sort_bucket, work);
    for (int32_t i = 0; i < threads; i++) {
        alcore__free(ctx, work->scratches[i].records);
        alcore__free(ctx, work->scratches[i].spare);
    }
    alcore__free(ctx, work->scratches);
    return status;
}

alcore_status alcore__suffix_array_new(const alcore__corpus *corpus, uint32_t depth,
                                       alcore__suffix_array *out) {
    const bool unlimited = depth == ALCORE__SUFFIX_UNLIMITED;
    sorting work = {.corpus = corpus,
                    .array = out,
                    .depth = unlimited ? ALCORE__SUFFIX_START : depth,
                    .key_words = 64u / (uint32_t)corpus->symbol_bits};
    *out = (alcore__suffix_array){.depth = depth};
    alcore_status status = fill_buckets(&work);
    alcore__free(corpus->ctx, work.bucket_of);
    alcore__free(corpus->ctx, work.next);
    if (status == ALCORE_OK) status = sort_buckets(&work);
    if (status == ALCORE_OK && unlimited) status = alcore__suffix_array_extend(corpus, out);
    if (status != ALCORE_OK) alcore__suffix_array_clear(corpus->ctx, out);
    return status;
}

void alcore__suffix_array_clear(alcore_ctx *ctx, alcore__suffix_array *array) {
    alcore__free(ctx, array->position);
    alcore__free(ctx, array->lcp);
    alcore__free(ctx, array->bucket);
    *array = (alcore__suffix_array){0};
}
