/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a benchmark: the lines of a file, or made sentences of 8 words or more. In these a word
 * follows the one before it in 6 of 10 cases (one of a few successors), else it is drawn by Zipf's
 * law from 300,000 words. */
#ifndef BENCH_TEXTS_H
#define BENCH_TEXTS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

#define WORDS 300000
#define SUCCESSORS 40

/* Zeros: no texts. clear() frees them. */
typedef struct texts {
    char *bytes;
    size_t used, capacity;
    const char **text;
    size_t *length;
    int64_t count, room;
} texts;

static inline void *larger(void *memory, size_t bytes) {
    void *grown = realloc(memory, bytes);
    if (!grown) {
        fputs("out of memory\n", stderr);
        exit(5);
    }
    return grown;
}

static inline void append(texts *t, const char *data, size_t bytes) {
    while (t->used + bytes > t->capacity) {
        t->capacity = t->capacity == 0 ? 1 << 20 : t->capacity * 2;
        t->bytes = larger(t->bytes, t->capacity);
    }
    memcpy(t->bytes + t->used, data, bytes);
    t->used += bytes;
}

/* Cuts the bytes into lines. */
static inline void find_lines(texts *t) {
    for (size_t begin = 0; begin < t->used;) {
        const char *stop = memchr(t->bytes + begin, '\n', t->used - begin);
        const size_t end = !stop ? t->used : (size_t)(stop - t->bytes);
        if (t->count == t->room) {
            t->room = t->room == 0 ? 1024 : t->room * 2;
            t->text = larger(t->text, (size_t)t->room * sizeof *t->text);
            t->length = larger(t->length, (size_t)t->room * sizeof *t->length);
        }
        t->text[t->count] = t->bytes + begin;
        t->length[t->count++] = end - begin;
        begin = end + 1;
    }
}

/* P(rank < r) is about log(1 + r) / log(1 + n). */
static inline uint64_t zipf(alcore__rng *rng, double n) {
    return (uint64_t)(exp(alcore__rng_f64(rng) * log(n)) - 1.0);
}

/* Appends made sentences of 8 to 7 + lengths words; rng: continues those of an earlier call. */
static inline void make_more(texts *t, alcore__rng *rng, int64_t sentences, uint64_t lengths) {
    for (int64_t i = 0; i < sentences; i++) {
        uint64_t word = 0;
        for (uint64_t left = 8 + alcore__rng_below(rng, lengths); left > 0; left--) {
            if (word > 0 && alcore__rng_below(rng, 10) < 6) {
                alcore__rng successors;
                alcore__rng_seed(&successors, word * SUCCESSORS + zipf(rng, SUCCESSORS));
                word = zipf(&successors, WORDS);
            } else {
                word = zipf(rng, WORDS);
            }
            char name[32];
            append(t, name,
                   (size_t)snprintf(name, sizeof name, "w%llx%c", (unsigned long long)word,
                                    left == 1 ? '\n' : ' '));
        }
    }
    find_lines(t);
}

/* Made sentences of 8 to 27 words. */
static inline void make(texts *t, int64_t sentences) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    make_more(t, &rng, sentences, 20);
}

static inline int read_file(texts *t, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 4;
    }
    static char block[1 << 16];
    for (size_t bytes; (bytes = fread(block, 1, sizeof block, file)) > 0;) append(t, block, bytes);
    fclose(file);
    find_lines(t);
    return 0;
}

static inline void clear(texts *t) {
    free(t->bytes);
    free(t->text);
    free(t->length);
    *t = (texts){0};
}

#endif
