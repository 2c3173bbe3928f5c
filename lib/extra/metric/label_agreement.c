/* SPDX-License-Identifier: Apache-2.0 */
/* Cohen's kappa and Krippendorff's alpha (docs/spec/analyses.md 8.12; Cohen 1960, Krippendorff
 * 2011). Everything that is counted is an integer, so that the order of the units does not matter:
 *
 *     kappa = (n equal - S) / (n^2 - S),      S = sum over classes of n_c(one) n_c(other)
 *     alpha = 1 - (N - 1) D / (N^2 - sum over classes of N_c^2)
 *     D     = sum over m of unequal_m / (m - 1)
 *
 * N are the labels of units that have two or more, N_c those of class c, and unequal_m the ordered
 * pairs of labels that differ over the units with m labels. One pass; a unit with m labels costs
 * m^2 / 2 additions, which is how many pairs of annotators learn of it. */
#include "extra/metric/label_agreement.h"

#include <string.h>

/* Makes room for one more element behind `count` ones, zeroed. */
#define ROOM(self, array, capacity, count)                                                         \
    grow_zeroed((self)->ctx, &(self)->array, &(self)->capacity, count, sizeof *(self)->array)

static alcore_status grow_zeroed(alcore_ctx *ctx, void *array, size_t *capacity, size_t count,
                                 size_t bytes) {
    char *begin;
    ALCORE__TRY(alcore__grow(ctx, array, capacity, count + 1, bytes));
    memcpy(&begin, array, sizeof begin);
    memset(begin + count * bytes, 0, bytes);
    return ALCORE_OK;
}

/* ---- numbers of classes and pairs ---- */

static alcore_status number_class(alcore__label_agreement *self, const alcore__given_label *label,
                                  uint32_t *out) {
    ALCORE__TRY(ROOM(self, class_counts, class_capacity, self->classes.count));
    return alcore__vocabulary_add(self->ctx, &self->classes, label->text, label->length, out);
}

alcore_status alcore__label_agreement_pair(alcore__label_agreement *self, uint32_t one,
                                           uint32_t other, uint32_t *out) {
    const uint32_t key[2] = {one < other ? one : other, one < other ? other : one};
    const uint32_t before = self->pair_numbers.count;
    ALCORE__TRY(ROOM(self, pairs, pair_capacity, before));
    ALCORE__TRY(
        alcore__vocabulary_add(self->ctx, &self->pair_numbers, (const char *)key, sizeof key, out));
    if (self->pair_numbers.count > before)
        self->pairs[before] = (alcore__label_pair){.one = key[0], .other = key[1]};
    return ALCORE_OK;
}

static alcore_status count_class(alcore__label_agreement *self, uint32_t pair, uint32_t class_,
                                 int side) {
    const uint32_t key[2] = {pair, class_};
    uint32_t number;
    ALCORE__TRY(ROOM(self, pair_counts, count_capacity, self->pair_classes.count));
    ALCORE__TRY(alcore__vocabulary_add(self->ctx, &self->pair_classes, (const char *)key,
                                       sizeof key, &number));
    self->pair_counts[number][side]++;
    return ALCORE_OK;
}

/* ---- units ---- */

static alcore_status add_pair(alcore__label_agreement *self, const alcore__given_label *labels,
                              size_t a, size_t b) {
    const uint32_t *const numbers = self->numbers;
    const int first = labels[a].annotator < labels[b].annotator ? 0 : 1;
    uint32_t pair;
    ALCORE__TRY(
        alcore__label_agreement_pair(self, labels[a].annotator, labels[b].annotator, &pair));
    if (self->pairs[pair].units == INT32_MAX)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "more than 2^31 - 1 units of two annotators");
    self->pairs[pair].units++;
    self->pairs[pair].equal += numbers[a] == numbers[b];
    ALCORE__TRY(count_class(self, pair, numbers[a], first));
    return count_class(self, pair, numbers[b], 1 - first);
}

alcore_status alcore__label_agreement_add(alcore__label_agreement *self,
                                          const alcore__given_label *labels, size_t count) {
    int64_t unequal = 0;
    if (count < 2) return ALCORE_OK;
    ALCORE__TRY(
        alcore__grow(self->ctx, &self->numbers, &self->number_capacity, count, sizeof(uint32_t)));
    while (self->unequal_count <= count) {
        ALCORE__TRY(ROOM(self, unequal, unequal_capacity, self->unequal_count));
        self->unequal_count++;
    }
    for (size_t i = 0; i < count; i++) {
        ALCORE__TRY(number_class(self, &labels[i], &self->numbers[i]));
        self->class_counts[self->numbers[i]]++;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            unequal += 2 * (self->numbers[i] != self->numbers[k]);
            ALCORE__TRY(add_pair(self, labels, k, i));
        }
    self->unequal[count] += unequal;
    self->units++;
    self->labels += (int64_t)count;
    return ALCORE_OK;
}

/* ---- results ---- */

alcore_status alcore__label_agreement_end(alcore__label_agreement *self) {
    const uint32_t count = self->pair_numbers.count;
    int64_t *same;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)count + 1, sizeof *same, &same));
    for (uint32_t i = 0; i < self->pair_classes.count; i++) {
        uint32_t key[2];
        size_t length;
        memcpy(key, alcore__vocabulary_word(&self->pair_classes, i, &length), sizeof key);
        same[key[0]] += self->pair_counts[i][0] * self->pair_counts[i][1];
    }
    for (uint32_t i = 0; i < count; i++) {
        alcore__label_pair *pair = &self->pairs[i];
        pair->kappa = alcore__kappa_of(pair->units, pair->equal, same[i]);
    }
    alcore__free(self->ctx, same);
    return ALCORE_OK;
}

double alcore__label_agreement_alpha(const alcore__label_agreement *self) {
    const double labels = (double)self->labels;
    double observed = 0, expected = labels * labels;
    for (uint32_t i = 0; i < self->classes.count; i++)
        expected -= (double)self->class_counts[i] * (double)self->class_counts[i];
    for (size_t m = 2; m < self->unequal_count; m++)
        observed += (double)self->unequal[m] / (double)(m - 1);
    return expected > 0 ? 1 - (labels - 1) * observed / expected : (double)NAN;
}

void alcore__label_agreement_clear(alcore__label_agreement *self) {
    alcore_ctx *ctx = self->ctx;
    alcore__vocabulary_clear(ctx, &self->classes);
    alcore__vocabulary_clear(ctx, &self->pair_numbers);
    alcore__vocabulary_clear(ctx, &self->pair_classes);
    alcore__free(ctx, self->pairs);
    alcore__free(ctx, self->pair_counts);
    alcore__free(ctx, self->class_counts);
    alcore__free(ctx, self->unequal);
    alcore__free(ctx, self->numbers);
    *self = (alcore__label_agreement){.ctx = ctx};
}
