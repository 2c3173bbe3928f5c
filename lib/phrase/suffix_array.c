/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting the suffixes of a corpus by their first `depth` words (suffix_array.h has the result and
 * an example).
 *
 * The corpus is an array of word symbols, tokens [token_count], with the boundary 0 after each row.
 * The result is position [count], the positions of all words in the order of their suffixes, lcp
 * [count], the words that each shares with the one before, and bucket [buckets + 1], the first
 * entry of each bucket.
 *
 *   1. Words are grouped into buckets of about equal numbers of occurrences, from a sample; a word
 *      with more than that has a bucket of its own (choose_buckets).
 *   2. All positions are scattered to the bucket of their word, block by block in parallel: within
 *      a bucket positions ascend (fill_buckets).
 *   3. Each bucket is one task (sort_bucket). As many of the next words as fit make a key of 64
 *      bits (three words of a vocabulary of two million, four of one of 65,000); a stable radix
 *      sort orders the keys, and the leading bits in which neighbors agree give their common
 *      prefix. Runs of equal keys are sorted again by the words after those, until `depth` words
 *      are compared or the row ends.
 *
 * Cost: about four reads of a word far apart in memory, and ten passes over 16 bytes that mostly
 * stay in the cache, per word. Memory: 8 bytes a word, and for each thread 32 bytes an entry of the
 * largest bucket that it met.
 *
 * Own code: libsais, the fastest library, is in no registry that the project builds from, and
 * libdivsufsort sorts bytes only. Neither stops at the end of a row or after n words, which is what
 * makes this sort short. */
#include "phrase/suffix_array.h"

#include <string.h>

#include "text/radix_sort.h"

static const char STAGE[] = "sorting phrases";
/* Tokens that one task counts and scatters. */
enum { BLOCK_TOKENS = 1 << 18 };
/* About this many buckets, so that they spread over threads; fewer where a bucket would have less
 * than MIN_BUCKET words. */
enum { BUCKETS = 1024, MIN_BUCKET = 4096 };
/* Tokens of the sample from which the buckets are chosen. */
enum { SAMPLE = 1 << 20 };
/* A key reads words at a random place of the corpus, which is prefetched this many entries ahead.
 */
enum { PREFETCH = 16 };
/* Entries between two polls of cancellation. */
enum { POLL_ENTRIES = 1 << 15 };

/* Arrays of one worker; they grow to the largest bucket that it met. */
typedef struct scratch {
    alcore__keyed *records; /* [records_capacity] key and position of each entry being sorted */
    alcore__keyed *spare;   /* [spare_capacity] second array of the radix sort */
    size_t records_capacity, spare_capacity;
} scratch;

/* What the tasks of one sort share; alcore__suffix_array_new() frees the arrays. */
typedef struct sorting {
    const alcore__corpus *corpus;
    alcore__suffix_array *array; /* the result */
    uint32_t depth;              /* words to compare */
    uint32_t key_words;          /* words of symbol_bits bits that fit into a key */
    uint32_t *bucket_of;         /* [max_symbol + 1] bucket of each word; entry 0 is not used */
    uint32_t *next;     /* [blocks, buckets] first the number of tokens of each block in each
                           bucket, then the entry where the next of them goes */
    scratch *scratches; /* [threads] */
} sorting;

/* ---- buckets ---- */

/* Cuts the symbols 1 .. max_symbol into runs, the buckets, of about `target` occurrences each, and
 * returns their number. mass [max_symbol + 1]: occurrences of each symbol in the sample; bucket_of:
 * of the same shape, the result. Symbols are numbered as they are met, frequent ones early, so the
 * heavy buckets are the first tasks. */
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

/* Counts every step-th token and cuts the buckets from these counts, target tokens being target /
 * step of the sample. Sets bucket_of and array->buckets. The loop's second condition keeps i + step
 * within 32 bits. */
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

/* The tokens *first .. *end - 1 of a block of BLOCK_TOKENS. */
static void block_range(const sorting *work, int64_t block, uint32_t *first, uint32_t *end) {
    const int64_t last = (block + 1) * BLOCK_TOKENS;
    *first = (uint32_t)(block * BLOCK_TOKENS);
    *end = last < work->corpus->token_count ? (uint32_t)last : work->corpus->token_count;
}

/* The first task of a block (alcore__task): counts its words by bucket in its row of next. */
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

/* Turns the counts into entries of the array: buckets one after the other, blocks in order within
 * each, so that positions ascend within a bucket. Fills array->bucket and array->count. */
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

/* The second task of a block: writes the positions of its words to the entries in its row of next.
 * Blocks write to disjoint entries. */
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

/* Steps 1 and 2 of the file head: allocates the array and fills position, each bucket's in text
 * order. */
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
    if (!array->position || !array->lcp) return alcore__fail_memory(bytes);
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

/* The number of words in a key of `words` words: those before the end of the row. No symbol is 0,
 * so the lowest set bit lies in the last word; the absent words after it are zero bits. */
static uint32_t packed_words(const sorting *work, uint64_t key, uint32_t words) {
    if (key == 0) return 0;
    return words - (uint32_t)(__builtin_ctzll(key) / work->corpus->symbol_bits);
}

/* Sorts the entries begin .. end - 1 of the array, which agree in their first `shared` words, and
 * writes the lcp of all but the first. records [end - begin] and spare [end - begin] are workspace.
 * Calls itself on runs of entries that agree in a whole key more: at most depth / key_words levels
 * deep. A key is in the low bits of its 64, below `unused` zero bits, so the leading bits in which
 * two keys agree, less those, are whole words and a part of the first one that differs. */
static alcore_status sort_run(const sorting *work, uint32_t begin, uint32_t end, uint32_t shared,
                              alcore__keyed *records, alcore__keyed *spare) {
    uint32_t *position = work->array->position + begin, *lcp = work->array->lcp + begin;
    const uint32_t count = end - begin, uncompared = work->depth - shared;
    const uint32_t words = uncompared < work->key_words ? uncompared : work->key_words;
    const int bits = work->corpus->symbol_bits, unused = 64 - bits * (int)words;
    if (words == 0) {
        for (uint32_t i = 1; i < count; i++) lcp[i] = shared;
        return ALCORE_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i % POLL_ENTRIES == 0) ALCORE__TRY(alcore__tick(work->corpus->ctx, NULL, 0, 0));
        if (i + PREFETCH < count)
            __builtin_prefetch(&work->corpus->tokens[position[i + PREFETCH] + shared]);
        records[i] = (alcore__keyed){pack(work, position[i] + shared, words), position[i]};
    }
    ALCORE__TRY(alcore__radix_sort(work->corpus->ctx, records, spare, count));
    for (uint32_t i = 0; i < count; i++) position[i] = records[i].value;
    for (uint32_t i = 0; i < count;) {
        const uint64_t key = records[i].key;
        const uint32_t same = packed_words(work, key, words);
        uint32_t next = i + 1;
        for (; next < count && records[next].key == key; next++) lcp[next] = shared + same;
        if (next - i > 1 && same == words && shared + words < work->depth)
            ALCORE__TRY(
                sort_run(work, begin + i, begin + next, shared + words, records + i, spare + i));
        if (next < count) /* the calls above changed no record from `next` on */
            lcp[next] = shared + (uint32_t)(__builtin_clzll(key ^ records[next].key) - unused) /
                                     (uint32_t)bits;
        i = next;
    }
    return ALCORE_OK;
}

/* The task of one bucket (alcore__task): step 3 of the file head. */
static alcore_status sort_bucket(void *data, int64_t bucket, int32_t worker) {
    const sorting *work = data;
    alcore__suffix_array *array = work->array;
    alcore_ctx *ctx = work->corpus->ctx;
    scratch *local = &work->scratches[worker];
    const uint32_t begin = array->bucket[bucket], end = array->bucket[bucket + 1];
    if (begin == end) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(ctx, &local->records, &local->records_capacity, end - begin,
                             sizeof *local->records));
    ALCORE__TRY(alcore__grow(ctx, &local->spare, &local->spare_capacity, end - begin,
                             sizeof *local->spare));
    array->lcp[begin] = 0;
    return sort_run(work, begin, end, 0, local->records, local->spare);
}

/* Runs the buckets on the context's threads and frees the workers' arrays. */
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

/* Fills the buckets, sorts them to `depth` words, and without a limit lets suffix_doubling.c sort
 * what is still tied after ALCORE__SUFFIX_START words. */
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
