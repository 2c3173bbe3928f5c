/* SPDX-License-Identifier: Apache-2.0 */
/* Cohen's kappa of two predictions (docs/spec/loop.md 9.6; Cohen 1960):
 *
 *     kappa = (p_o - p_e) / (1 - p_e) = (n equal - S) / (n^2 - S)
 *     S     = sum over classes of n_c(x) n_c(y)
 *
 * with n items, of which `equal` have the same class on both sides, and n_c of class c on each.
 * Both differences are integers below 2^62 for n below 2^31, so that only the division rounds and
 * the order of the items does not matter. Classes become numbers in one pass and are counted in an
 * array: memory is that of the distinct classes, time linear in the items. */
#include <math.h>
#include <string.h>

#include "alcore/metric.h"
#include "base/base.h"
#include "text/vocabulary.h"

#define TICK_EVERY 4096

/* Counts of one call, owned. */
typedef struct class_counts {
    alcore_ctx *ctx;
    /* the distinct classes of both sides, each the 8 bytes of an int64 */
    alcore__vocabulary classes;
    int64_t (*counts)[2]; /* [classes.count] items of the class in x and in y */
    size_t capacity;      /* of counts */
} class_counts;

/* Counts one item of a side (0: x, 1: y) under its class. */
static alcore_status count_item(class_counts *self, int64_t class_value, int side) {
    const uint32_t before = self->classes.count;
    uint32_t number;
    ALCORE__TRY(alcore__grow(self->ctx, &self->counts, &self->capacity, (size_t)before + 1,
                             sizeof *self->counts));
    ALCORE__TRY(alcore__vocabulary_add(self->ctx, &self->classes, (const char *)&class_value,
                                       sizeof class_value, &number));
    if (self->classes.count > before) memset(self->counts[before], 0, sizeof *self->counts);
    self->counts[number][side]++;
    return ALCORE_OK;
}

/* Counts all items of both sides; *equal: those with the same class on both. */
static alcore_status count_items(class_counts *self, const int64_t *x, const int64_t *y,
                                 int64_t count, int64_t *equal) {
    *equal = 0;
    for (int64_t i = 0; i < count; i++) {
        if (i % TICK_EVERY == 0) ALCORE__TRY(alcore__tick(self->ctx, "classes", i, count));
        ALCORE__TRY(count_item(self, x[i], 0));
        ALCORE__TRY(count_item(self, y[i], 1));
        *equal += x[i] == y[i];
    }
    return ALCORE_OK;
}

/* Fills *result, which is zeroed, from the counts of `count` items. */
static void divide(const class_counts *self, int64_t count, int64_t equal,
                   alcore_kappa_result *result) {
    const int64_t pairs = count * count; /* pairs of an item of x and an item of y */
    int64_t same = 0;                    /* of these, pairs of one class */
    for (uint32_t c = 0; c < self->classes.count; c++)
        same += self->counts[c][0] * self->counts[c][1];
    result->classes = self->classes.count;
    result->kappa = result->observed = result->expected = (double)NAN;
    if (count == 0) return;
    result->observed = (double)equal / (double)count;
    result->expected = (double)same / (double)pairs;
    if (same < pairs) result->kappa = (double)(count * equal - same) / (double)(pairs - same);
}

/* Body of the public call. */
static alcore_status compute_kappa(alcore_ctx *ctx, const int64_t *x, int64_t x_count,
                                   const int64_t *y, int64_t y_count, alcore_kappa_result *out) {
    alcore_kappa_result result = {0};
    class_counts self = {.ctx = ctx};
    int64_t equal;
    if (!ctx || !out || x_count < 0 || y_count < 0 || (x_count > 0 && !x) || (y_count > 0 && !y))
        return alcore__fail(ALCORE_E_INVALID, "ctx, out, x or y is NULL, or a count is negative");
    if (x_count != y_count)
        return alcore__fail(ALCORE_E_SHAPE, "x has %lld classes, y has %lld; they are pairs",
                            (long long)x_count, (long long)y_count);
    if (x_count > INT32_MAX) return alcore__fail(ALCORE_E_UNSUPPORTED, "more than 2^31 - 1 items");
    alcore_status status = count_items(&self, x, y, x_count, &equal);
    if (status == ALCORE_OK) {
        divide(&self, x_count, equal, &result);
        status = alcore__struct_write(out, &result, sizeof result,
                                      ALCORE__FIRST_SIZE(alcore_kappa_result, classes),
                                      "alcore_kappa_result");
    }
    alcore__vocabulary_clear(ctx, &self.classes);
    alcore__free(ctx, self.counts);
    return status;
}

alcore_status alcore_metric_compute_kappa(alcore_ctx *ctx, const int64_t *x, int64_t x_count,
                                          const int64_t *y, int64_t y_count,
                                          alcore_kappa_result *out) {
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, compute_kappa(ctx, x, x_count, y, y_count, out));
}
