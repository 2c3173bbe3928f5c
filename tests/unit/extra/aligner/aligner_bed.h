/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the word aligner share: texts as a source, links as text, random pairs. */
#ifndef ALIGNER_BED_H
#define ALIGNER_BED_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "extra/aligner/aligner_model.h"
#include "text/words.h"

/* Options whose other members are the defaults. */
#define ALIGNER_WITH(...)                                                                          \
    {                                                                                              \
        .size = sizeof(alcore_aligner_options), .p0 = ALCORE_UNSET, .lambda = ALCORE_UNSET,        \
        .alpha = ALCORE_UNSET, __VA_ARGS__                                                         \
    }

static inline const char *bed_text(const void *data, int64_t row, size_t *length) {
    const char *const *texts = data;
    *length = strlen(texts[row]);
    return texts[row];
}

static inline int64_t bed_words(const void *data, int64_t row) {
    size_t length, bytes;
    const char *next = bed_text(data, row, &length), *end = next + length, *word;
    int64_t count = 0;
    while (alcore__word_next(&next, end, &word, &bytes)) count++;
    return count;
}

/* texts: [count] NUL-terminated. */
static inline alcore__text_source bed_source(const char *const *texts, int64_t count) {
    return (alcore__text_source){texts, count, bed_words, bed_text};
}

static inline alcore_ctx *bed_ctx(int32_t threads) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = threads;
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

static inline alcore_status bed_train(alcore_ctx *ctx, const char *const *sources,
                                      const char *const *targets, int64_t count,
                                      const alcore__aligner_options *options,
                                      alcore__aligner **out) {
    const alcore__text_source source = bed_source(sources, count);
    const alcore__text_source target = bed_source(targets, count);
    return alcore__aligner_train(ctx, &source, &target, options, out);
}

/* The links of a pair in Pharaoh's notation. */
static inline void bed_assert_links(const alcore__links *links, int64_t pair,
                                    const char *expected) {
    char text[4096] = "";
    size_t length = 0;
    for (int64_t i = links->begin[pair]; i < links->begin[pair + 1]; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%u-%u", length > 0 ? " " : "",
                             links->link[i].source, links->link[i].target);
    ck_assert_str_eq(text, expected);
}

static inline bool bed_links_equal(const alcore__links *a, const alcore__links *b) {
    return a->pairs == b->pairs &&
           memcmp(a->begin, b->begin, ((size_t)a->pairs + 1) * sizeof *a->begin) == 0 &&
           (a->begin[a->pairs] == 0 ||
            memcmp(a->link, b->link, (size_t)a->begin[a->pairs] * sizeof *a->link) == 0);
}

/* One set of links for each line of Pharaoh's notation; lines: [count]. */
static inline alcore__links bed_parse(alcore_ctx *ctx, const char *const *lines, int64_t count) {
    alcore__links out = {0};
    ck_assert_int_eq(alcore__new_array(ctx, (size_t)count + 1, sizeof(int64_t), &out.begin),
                     ALCORE_OK);
    ck_assert_int_eq(alcore__new_array(ctx, 4096, sizeof(alcore__link), &out.link), ALCORE_OK);
    for (int64_t pair = 0; pair < count; pair++) {
        const char *next = lines[pair];
        unsigned source, target;
        int bytes;
        int64_t end = out.begin[pair];
        for (; sscanf(next, " %u-%u%n", &source, &target, &bytes) == 2; next += bytes)
            out.link[end++] = (alcore__link){source, target};
        out.begin[pair + 1] = end;
    }
    out.pairs = count;
    return out;
}

/* Random pairs: target word k is the translation of source word k most of the time. kinds: number
 * of different words; longest: words of a text, 0 .. longest. Texts live in one block per side. */
enum { BED_TEXT_BYTES = 512 };
typedef struct bed_pairs {
    char (*source_bytes)[BED_TEXT_BYTES], (*target_bytes)[BED_TEXT_BYTES];
    const char **sources, **targets; /* [count] */
    int64_t count;
} bed_pairs;

static inline uint64_t bed_draw(alcore__rng *rng, uint64_t below) {
    return alcore__rng_below(rng, below);
}

static inline bed_pairs bed_random_pairs(uint64_t seed, int64_t count, uint64_t kinds,
                                         uint64_t longest) {
    alcore__rng rng;
    alcore__rng_seed(&rng, seed);
    bed_pairs p = {malloc((size_t)count * BED_TEXT_BYTES), malloc((size_t)count * BED_TEXT_BYTES),
                   malloc((size_t)count * sizeof(char *)), malloc((size_t)count * sizeof(char *)),
                   count};
    for (int64_t row = 0; row < count; row++) {
        char *s = p.source_bytes[row], *t = p.target_bytes[row];
        const uint64_t words = bed_draw(&rng, longest + 1);
        *s = *t = '\0';
        for (uint64_t i = 0; i < words; i++) {
            const unsigned kind = (unsigned)(bed_draw(&rng, kinds) * bed_draw(&rng, kinds) / kinds);
            s += sprintf(s, "s%u ", kind);
            if (bed_draw(&rng, 8) > 0)
                t += sprintf(t, "t%u ",
                             bed_draw(&rng, 5) > 0 ? kind : (unsigned)bed_draw(&rng, kinds));
        }
        p.sources[row] = p.source_bytes[row];
        p.targets[row] = p.target_bytes[row];
    }
    return p;
}

static inline void bed_free_pairs(bed_pairs *p) {
    free(p->source_bytes);
    free(p->target_bytes);
    free(p->sources);
    free(p->targets);
}

#endif
