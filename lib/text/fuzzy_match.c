/* SPDX-License-Identifier: Apache-2.0 */
/* The memory and its search (fuzzy_match.h). Tokens are numbered by how often the memory has them,
 * the rarest first, so that the prefix of a text is that of its sorted ranks. */
#include "text/fuzzy_match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/text_tokens.h"

#define UNKNOWN UINT32_MAX /* rank of a token that the memory lacks; sorts last, is in no list */

/* ---- the memory ---- */

alcore_status alcore__fuzzy_add(alcore_ctx *ctx, alcore__fuzzy_memory *memory, const char *text,
                                size_t length) {
    alcore__token_reader reader = {.text = text, .length = length};
    ALCORE__TRY(alcore__grow(ctx, &memory->begin, &memory->begin_capacity,
                             (size_t)memory->count + 2, sizeof *memory->begin));
    while (alcore__token_next(&reader)) {
        ALCORE__TRY(alcore__grow(ctx, &memory->hashes, &memory->hash_capacity,
                                 memory->token_count + 1, sizeof *memory->hashes));
        memory->hashes[memory->token_count++] = reader.hash;
    }
    if (memory->count == 0) memory->begin[0] = 0;
    memory->begin[++memory->count] = memory->token_count;
    return ALCORE_OK;
}

static int compare_hashes(const void *left, const void *right) {
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static int compare_ranks(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* A distinct token, to be sorted by how often it occurs. */
typedef struct frequency {
    size_t count;
    uint32_t known; /* its index in known */
} frequency;

static int compare_frequencies(const void *left, const void *right) {
    const frequency *a = left, *b = right;
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    return (a->known > b->known) - (a->known < b->known);
}

/* Makes known and rank_of_known. work: a copy of the hashes. */
static alcore_status rank_tokens(alcore_ctx *ctx, alcore__fuzzy_memory *memory, uint64_t *work) {
    frequency *frequencies;
    size_t known = 0;
    ALCORE__TRY(alcore__sort(ctx, work, memory->token_count, sizeof *work, compare_hashes));
    ALCORE__TRY(alcore__new_array(ctx, memory->token_count, sizeof *memory->known, &memory->known));
    ALCORE__TRY(alcore__new_array(ctx, memory->token_count, sizeof *frequencies, &frequencies));
    for (size_t i = 0; i < memory->token_count; i++) {
        if (i == 0 || work[i] != work[i - 1]) {
            frequencies[known] = (frequency){0, (uint32_t)known};
            memory->known[known++] = work[i];
        }
        frequencies[known - 1].count++;
    }
    memory->known_count = known;
    alcore_status status =
        alcore__sort(ctx, frequencies, known, sizeof *frequencies, compare_frequencies);
    if (status == ALCORE_OK)
        status =
            alcore__new_array(ctx, known, sizeof *memory->rank_of_known, &memory->rank_of_known);
    for (size_t rank = 0; status == ALCORE_OK && rank < known; rank++)
        memory->rank_of_known[frequencies[rank].known] = (uint32_t)rank;
    alcore__free(ctx, frequencies);
    return status;
}

static uint32_t rank_of(const alcore__fuzzy_memory *memory, uint64_t hash) {
    const uint64_t *found = memory->known_count == 0
                                ? NULL
                                : bsearch(&hash, memory->known, memory->known_count,
                                          sizeof *memory->known, compare_hashes);
    return found ? memory->rank_of_known[found - memory->known] : UNKNOWN;
}

/* How many of a text's rarest tokens are looked at: all but as many as it has to have in common
 * less one. */
static size_t prefix_of(size_t tokens, double least) {
    const double common = ceil(least / 100 * (double)tokens - 1e-9);
    return tokens == 0 ? 0 : tokens - (size_t)(common < 1 ? 1 : common) + 1;
}

/* Calls `enter` for each of the ranks, each once, under which a text is listed. */
static void list_text(alcore__fuzzy_memory *memory, int64_t text, size_t *next, bool put) {
    const uint32_t *sorted = memory->sorted + memory->begin[text];
    const size_t prefix = prefix_of(memory->begin[text + 1] - memory->begin[text], memory->least);
    for (size_t i = 0; i < prefix; i++) {
        if (i > 0 && sorted[i] == sorted[i - 1]) continue;
        if (put) memory->listed[next[sorted[i]]] = (uint32_t)text;
        next[sorted[i]]++;
    }
}

/* Makes the lists of texts by the ranks of their rarest tokens. */
static alcore_status list_texts(alcore_ctx *ctx, alcore__fuzzy_memory *memory) {
    const size_t ranks = memory->known_count;
    size_t *next, sum = 0;
    ALCORE__TRY(
        alcore__new_array(ctx, ranks + 1, sizeof *memory->listed_begin, &memory->listed_begin));
    for (int64_t text = 0; text < memory->count; text++)
        list_text(memory, text, memory->listed_begin, false);
    for (size_t rank = 0; rank <= ranks; rank++) {
        const size_t count = memory->listed_begin[rank];
        memory->listed_begin[rank] = sum;
        sum += count;
    }
    ALCORE__TRY(alcore__new_array(ctx, sum, sizeof *memory->listed, &memory->listed));
    ALCORE__TRY(alcore__new_array(ctx, ranks + 1, sizeof *next, &next));
    memcpy(next, memory->listed_begin, (ranks + 1) * sizeof *next);
    for (int64_t text = 0; text < memory->count; text++) list_text(memory, text, next, true);
    alcore__free(ctx, next);
    return ALCORE_OK;
}

alcore_status alcore__fuzzy_finish(alcore_ctx *ctx, alcore__fuzzy_memory *memory, double least) {
    const size_t tokens = memory->token_count;
    uint64_t *work;
    memory->least = least;
    if (tokens == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, tokens, sizeof *work, &work));
    memcpy(work, memory->hashes, tokens * sizeof *work);
    const alcore_status status = rank_tokens(ctx, memory, work);
    alcore__free(ctx, work);
    ALCORE__TRY(status);
    ALCORE__TRY(alcore__new_array(ctx, tokens, sizeof *memory->ranks, &memory->ranks));
    ALCORE__TRY(alcore__new_array(ctx, tokens, sizeof *memory->sorted, &memory->sorted));
    for (size_t i = 0; i < tokens; i++)
        memory->ranks[i] = memory->sorted[i] = rank_of(memory, memory->hashes[i]);
    alcore__free(ctx, memory->hashes);
    memory->hashes = NULL;
    for (int64_t text = 0; text < memory->count; text++) {
        const size_t begin = memory->begin[text];
        qsort(memory->sorted + begin, memory->begin[text + 1] - begin, sizeof *memory->sorted,
              compare_ranks);
    }
    return list_texts(ctx, memory);
}

/* ---- the search ---- */

/* Tokens that two texts have in common, of rising ranks. */
static size_t common_tokens(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count) {
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a_count && j < b_count;) {
        if (a[i] == b[j]) {
            common += a[i] != UNKNOWN;
            i++, j++;
        } else if (a[i] < b[j]) {
            i++;
        } else {
            j++;
        }
    }
    return common;
}

/* The edit distance of two texts; most + 1 where it is above `most`. row: memory for b_count + 1.
 * Only cells within `most` of the diagonal are computed (Ukkonen 1985). */
static size_t edit_distance(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count,
                            size_t most, uint32_t *row) {
    const uint32_t beyond = (uint32_t)most + 1;
    for (size_t j = 0; j <= b_count; j++) row[j] = j <= most ? (uint32_t)j : beyond;
    for (size_t i = 1; i <= a_count; i++) {
        const size_t first = i > most ? i - most : 1;
        const size_t last = i + most < b_count ? i + most : b_count;
        uint32_t diagonal = row[first - 1], least = beyond;
        row[first - 1] = first == 1 && i <= most ? (uint32_t)i : beyond;
        for (size_t j = first; j <= last; j++) {
            uint32_t cell = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < cell && j < i + most) cell = row[j] + 1;
            if (row[j - 1] + 1 < cell) cell = row[j - 1] + 1;
            row[j] = cell < beyond ? cell : beyond;
            if (row[j] < least) least = row[j];
        }
        if (least == beyond) return beyond;
    }
    return row[b_count];
}

/* Reads the tokens of the text that is looked for; *count of them. */
static alcore_status read_query(alcore_ctx *ctx, const alcore__fuzzy_memory *memory,
                                alcore__fuzzy_work *work, const char *text, size_t length,
                                size_t *count) {
    alcore__token_reader reader = {.text = text, .length = length};
    if (!work->seen && memory->count > 0)
        ALCORE__TRY(alcore__new_array(ctx, (size_t)memory->count, sizeof *work->seen, &work->seen));
    if (work->capacity < length + 1) { /* a token has a byte or more */
        alcore__free(ctx, work->tokens);
        work->capacity = 0;
        ALCORE__TRY(alcore__new_array(ctx, 3 * (length + 1), sizeof *work->tokens, &work->tokens));
        work->capacity = length + 1;
    }
    work->sorted = work->tokens + work->capacity;
    work->row = work->sorted + work->capacity;
    *count = 0;
    while (alcore__token_next(&reader)) work->tokens[(*count)++] = rank_of(memory, reader.hash);
    memcpy(work->sorted, work->tokens, *count * sizeof *work->sorted);
    qsort(work->sorted, *count, sizeof *work->sorted, compare_ranks);
    if (++work->search == 0) { /* all numbers of searches were used */
        memset(work->seen, 0, (size_t)memory->count * sizeof *work->seen);
        work->search = 1;
    }
    return ALCORE_OK;
}

/* Raises *best where a text of the memory matches by more. */
static void compare(const alcore__fuzzy_memory *memory, const alcore__fuzzy_work *work,
                    size_t count, uint32_t text, double *best) {
    const size_t begin = memory->begin[text], other = memory->begin[text + 1] - begin;
    const size_t longer = count > other ? count : other, shorter = count + other - longer;
    const double least = *best > memory->least ? *best : memory->least;
    const size_t most = (size_t)((1 - least / 100) * (double)longer + 1e-9);
    if (longer - shorter > most ||
        common_tokens(work->sorted, count, memory->sorted + begin, other) + most < longer)
        return;
    const size_t distance =
        edit_distance(memory->ranks + begin, other, work->tokens, count, most, work->row);
    const double match = 100.0 * (double)(longer - distance) / (double)longer;
    if (distance <= most && match > *best) *best = match;
}

alcore_status alcore__fuzzy_best(alcore_ctx *ctx, const alcore__fuzzy_memory *memory,
                                 alcore__fuzzy_work *work, const char *text, size_t length,
                                 double enough, double *out) {
    size_t count;
    *out = 0;
    if (memory->token_count == 0) return ALCORE_OK;
    ALCORE__TRY(read_query(ctx, memory, work, text, length, &count));
    /* The rarest tokens are those that the memory lacks, which no list has. */
    size_t unknown = 0;
    while (unknown < count && work->sorted[count - 1 - unknown] == UNKNOWN) unknown++;
    const size_t prefix = prefix_of(count, memory->least);
    for (size_t i = 0; i + unknown < prefix && *out < enough; i++) {
        const uint32_t rank = work->sorted[i];
        if (i > 0 && rank == work->sorted[i - 1]) continue;
        for (size_t at = memory->listed_begin[rank];
             at < memory->listed_begin[rank + 1] && *out < enough; at++) {
            const uint32_t found = memory->listed[at];
            if (work->seen[found] == work->search) continue;
            work->seen[found] = work->search;
            compare(memory, work, count, found, out);
        }
    }
    return ALCORE_OK;
}

/* ---- the end ---- */

void alcore__fuzzy_clear(alcore_ctx *ctx, alcore__fuzzy_memory *memory) {
    alcore__free(ctx, memory->hashes);
    alcore__free(ctx, memory->begin);
    alcore__free(ctx, memory->known);
    alcore__free(ctx, memory->rank_of_known);
    alcore__free(ctx, memory->ranks);
    alcore__free(ctx, memory->sorted);
    alcore__free(ctx, memory->listed_begin);
    alcore__free(ctx, memory->listed);
    *memory = (alcore__fuzzy_memory){0};
}

void alcore__fuzzy_work_clear(alcore_ctx *ctx, alcore__fuzzy_work *work) {
    alcore__free(ctx, work->tokens);
    alcore__free(ctx, work->seen);
    *work = (alcore__fuzzy_work){0};
}
