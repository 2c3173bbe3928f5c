/* SPDX-License-Identifier: Apache-2.0 */
#include "char_bed.h"

#include <string.h>

#include "base/rng.h"
#include "check_suite.h"

alcore_ctx *char_ctx;

void char_setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &char_ctx), ALCORE_OK);
}

void char_teardown(void) {
    alcore_ctx_unref(char_ctx);
}

alcore__char_embedder *char_learnt(int32_t dims, uint64_t seed, const char *const *texts,
                                   int count) {
    alcore__char_embedder *embedder = NULL;
    ck_assert_int_eq(alcore__char_embedder_new(char_ctx, dims, seed, &embedder), ALCORE_OK);
    for (int i = 0; i < count; i++)
        alcore__char_embedder_learn(embedder, texts[i], strlen(texts[i]));
    return embedder;
}

void char_embed(const alcore__char_embedder *embedder, const char *text, float *row) {
    alcore__char_rows *rows;
    const size_t length = strlen(text);
    ck_assert_int_eq(alcore__char_rows_new(embedder, &rows), ALCORE_OK);
    alcore__char_rows_make(rows, &text, &length, 1, row);
    alcore__char_rows_free(rows);
}

static uint64_t scramble(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

void char_add(double *sum, int dims, uint64_t seed, const char *gram, double idf) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *gram != '\0'; gram++) hash = (hash ^ (unsigned char)*gram) * 0x100000001B3u;
    hash = scramble(hash);
    const uint64_t mixed = hash ^ alcore__rng_derive(seed, 0, 0, 0);
    const int slices = dims < 8 ? dims : 8;
    for (int s = 0; s < slices; s++) {
        const uint64_t k = (uint64_t)(s / 4);
        const uint64_t piece =
            scramble(mixed + (k + 1) * 0x9E3779B97F4A7C15u) >> (16 * (s % 4)) & 0xFFFF;
        const int begin = s * dims / slices, width = (s + 1) * dims / slices - begin;
        const int at = begin + (int)((piece >> 1) * (uint64_t)width / 32768);
        sum[at] += (piece & 1) == 1 ? -(double)(float)idf : (double)(float)idf;
    }
}
