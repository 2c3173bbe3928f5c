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

#include "alcore/extra/metric.h"
#include "base/base.h"
#include "extra/metric/label_agreement.h"
#include "extra/metric/text_blocks.h"
#include "text/vocabulary.h"

#define TICK_EVERY 4096

/* Counts of one call, owned. */
typedef struct class_counts {
    alcore_ctx *ctx;
    /* the distinct classes of both sides: each the 8 bytes of an int64, or a text of a file */
    alcore__vocabulary classes;
    int64_t (*counts)[2]; /* [classes.count] items of the class in x and in y */
    size_t capacity;      /* of counts */
    int64_t items, equal; /* counted so far; those of them with the same class on both sides */
} class_counts;

/* Counts one side (0: x, 1: y) of an item under its class, [length] bytes; *number: that of the
 * class. */
static alcore_status count_side(class_counts *self, const void *name, size_t length, int side,
                                uint32_t *number) {
    const uint32_t before = self->classes.count;
    ALCORE__TRY(alcore__grow(self->ctx, &self->counts, &self->capacity, (size_t)before + 1,
                             sizeof *self->counts));
    ALCORE__TRY(alcore__vocabulary_add(self->ctx, &self->classes, name, length, number));
    if (self->classes.count > before) memset(self->counts[before], 0, sizeof *self->counts);
    self->counts[*number][side]++;
    return ALCORE_OK;
}

/* Counts one item. total: how many the call has, -1 where that is not known. */
static alcore_status count_item(class_counts *self, const void *const names[2],
                                const size_t lengths[2], int64_t total) {
    uint32_t numbers[2];
    if (self->items % TICK_EVERY == 0)
        ALCORE__TRY(alcore__tick(self->ctx, "classes", self->items, total));
    if (self->items == INT32_MAX)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "more than 2^31 - 1 items");
    for (int side = 0; side < 2; side++)
        ALCORE__TRY(count_side(self, names[side], lengths[side], side, &numbers[side]));
    self->equal += numbers[0] == numbers[1];
    self->items++;
    return ALCORE_OK;
}

/* Counts all items of both sides, [count]. */
static alcore_status count_items(class_counts *self, const int64_t *x, const int64_t *y,
                                 int64_t count) {
    static const size_t lengths[2] = {sizeof *x, sizeof *y};
    for (int64_t i = 0; i < count; i++)
        ALCORE__TRY(count_item(self, (const void *const[]){x + i, y + i}, lengths, count));
    return ALCORE_OK;
}

/* For alcore__text_blocks_visit(): each line is the class of an item. */
static alcore_status count_block(void *data, const alcore__text_block *block) {
    for (int64_t i = 0; i < block->count; i++) {
        const int64_t other = block->count + i;
        const void *const names[2] = {block->texts[i], block->texts[other]};
        const size_t lengths[2] = {block->lengths[i], block->lengths[other]};
        ALCORE__TRY(count_item(data, names, lengths, -1));
    }
    return ALCORE_OK;
}

/* Fills *result, which is zeroed, from the counts. */
static void divide(const class_counts *self, alcore_kappa_result *result) {
    const int64_t count = self->items;
    const int64_t pairs = count * count; /* pairs of an item of x and an item of y */
    int64_t same = 0;                    /* of these, pairs of one class */
    for (uint32_t c = 0; c < self->classes.count; c++)
        same += self->counts[c][0] * self->counts[c][1];
    result->classes = self->classes.count;
    result->items = count;
    result->kappa = alcore__kappa_of(count, self->equal, same);
    result->observed = result->expected = (double)NAN;
    if (count == 0) return;
    result->observed = (double)self->equal / (double)count;
    result->expected = (double)same / (double)pairs;
}

/* Checks the arrays of a call. */
static alcore_status check_arrays(const int64_t *x, int64_t x_count, const int64_t *y,
                                  int64_t y_count) {
    if (x_count < 0 || y_count < 0 || (x_count > 0 && !x) || (y_count > 0 && !y))
        return alcore__fail(ALCORE_E_INVALID, "x or y is NULL, or a count is negative");
    if (x_count > INT32_MAX) return alcore__fail(ALCORE_E_UNSUPPORTED, "more than 2^31 - 1 items");
    if (x_count == y_count) return ALCORE_OK;
    return alcore__fail(ALCORE_E_SHAPE, "x has %lld classes, y has %lld; they are pairs",
                        (long long)x_count, (long long)y_count);
}

/* Body of both public calls: counts the classes of files or, where it is NULL, of x and y [count].
 */
static alcore_status compute_kappa(alcore_ctx *ctx, const alcore_text_files *files,
                                   const int64_t *x, const int64_t *y, int64_t count,
                                   alcore_kappa_result *out) {
    static const alcore__text_files_rule rule = {2, 2, "two files, a class on each line", false,
                                                 false};
    alcore_kappa_result result = {0};
    class_counts self = {.ctx = ctx};
    alcore_status status = files ? alcore__text_blocks_visit(ctx, files, &rule, count_block, &self)
                                 : count_items(&self, x, y, count);
    if (status == ALCORE_OK) {
        divide(&self, &result);
        status = alcore__struct_write(out, &result, sizeof result,
                                      ALCORE__FIRST_SIZE(alcore_kappa_result, items),
                                      "alcore_kappa_result");
    }
    alcore__vocabulary_clear(ctx, &self.classes);
    alcore__free(ctx, self.counts);
    return status;
}

alcore_status alcore_metric_compute_kappa(alcore_ctx *ctx, const int64_t *x, int64_t x_count,
                                          const int64_t *y, int64_t y_count,
                                          const alcore_kappa_options *options,
                                          alcore_kappa_result *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !out) status = alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    if (status == ALCORE_OK) status = alcore__struct_empty(options, "alcore_kappa_options");
    if (status == ALCORE_OK) status = check_arrays(x, x_count, y, y_count);
    if (status == ALCORE_OK) status = compute_kappa(ctx, NULL, x, y, x_count, out);
    return alcore__leave(ctx, status);
}

alcore_status alcore_metric_read_kappa(alcore_ctx *ctx, const alcore_text_files *files,
                                       const alcore_kappa_options *options,
                                       alcore_kappa_result *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !files || !out)
        status = alcore__fail(ALCORE_E_INVALID, "ctx, files or out is NULL");
    if (status == ALCORE_OK) status = alcore__struct_empty(options, "alcore_kappa_options");
    if (status == ALCORE_OK) status = compute_kappa(ctx, files, NULL, NULL, 0, out);
    return alcore__leave(ctx, status);
}
