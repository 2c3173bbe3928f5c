/* SPDX-License-Identifier: Apache-2.0 */
/* Agreement of annotators who gave labels to the same units, less what chance gives (docs/spec/
 * analyses.md 8.12): Cohen's kappa of each two of them, and Krippendorff's alpha, nominal, of all,
 * which lets answers be missing. */
#ifndef ALCORE__LABEL_AGREEMENT_H
#define ALCORE__LABEL_AGREEMENT_H

#include <math.h>

#include "base/base.h"
#include "text/vocabulary.h"

/* The label that an annotator gave a unit. */
typedef struct alcore__given_label {
    uint32_t annotator; /* any number */
    const char *text;   /* [length] */
    size_t length;
} alcore__given_label;

/* What two annotators labeled; one has the smaller number. */
typedef struct alcore__label_pair {
    uint32_t one, other;
    int64_t units, equal; /* that both labeled; of these, with the same label */
    double kappa;         /* NaN: units is 0, or chance alone makes all of them equal */
} alcore__label_pair;

/* A struct of zeros but ctx is empty. Memory grows with the distinct labels of each pair. */
typedef struct alcore__label_agreement {
    alcore_ctx *ctx;
    alcore__vocabulary classes;      /* distinct labels */
    alcore__vocabulary pair_numbers; /* by the bytes of both annotators */
    alcore__vocabulary pair_classes; /* by the bytes of a pair's number and a class */
    alcore__label_pair *pairs;       /* [pair_numbers.count] owned */
    int64_t (*pair_counts)[2];       /* [pair_classes.count] owned: units of that class by each */
    int64_t *class_counts; /* [classes.count] owned: such labels of units with two labels or more */
    int64_t *unequal;      /* [unequal_count] owned: over units with m labels, at m, ordered pairs
                            * of labels that differ */
    uint32_t *numbers;     /* workspace */
    size_t pair_capacity, count_capacity, class_capacity, unequal_capacity, number_capacity;
    size_t unequal_count;
    int64_t units, labels; /* that have two labels or more; those of them */
} alcore__label_agreement;

/* *out: the index in self->pairs of two annotators, in either order; a pair that is not there yet
 * is added, with no unit. ALCORE_E_NOMEM. */
alcore_status alcore__label_agreement_pair(alcore__label_agreement *self, uint32_t one,
                                           uint32_t other, uint32_t *out);
/* Adds the labels of a unit [count], one an annotator. */
alcore_status alcore__label_agreement_add(alcore__label_agreement *self,
                                          const alcore__given_label *labels, size_t count);
/* Fills the kappas of the pairs. */
alcore_status alcore__label_agreement_end(alcore__label_agreement *self);
/* Krippendorff's alpha; NaN: no unit has two labels, or all of them are one and the same. */
double alcore__label_agreement_alpha(const alcore__label_agreement *self);
void alcore__label_agreement_clear(alcore__label_agreement *self);

/* Cohen's kappa of items below 2^31, of which `equal` have the same class on both sides; same: the
 * sum over classes of the product of its counts on both sides. NaN: items is 0, or chance alone
 * makes all of them equal. */
static inline double alcore__kappa_of(int64_t items, int64_t equal, int64_t same) {
    const int64_t pairs = items * items;
    if (same >= pairs) return (double)NAN;
    return (double)(items * equal - same) / (double)(pairs - same);
}

#endif
