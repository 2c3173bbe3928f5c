/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that a translation metric compares: every hypothesis with its references.
 *
 * Reference r of hypothesis i is references[r * count + i] (set after set, as the files of a test
 * set come). The texts stay the caller's. */
#ifndef ALCORE__SEGMENT_PAIRS_H
#define ALCORE__SEGMENT_PAIRS_H

#include "base/base.h"

/* The texts as the caller of a public function gave them. */
typedef struct alcore__segment_texts {
    const char *const *hypotheses;    /* [hypothesis_count] */
    const size_t *hypothesis_lengths; /* [hypothesis_count] bytes, or NULL: NUL-terminated */
    int64_t hypothesis_count;
    const char *const *references;   /* [reference_count] set after set */
    const size_t *reference_lengths; /* [reference_count] bytes, or NULL: NUL-terminated */
    int64_t reference_count;
} alcore__segment_texts;

/* The texts after the check. */
typedef struct alcore__segment_pairs {
    const char *const *hypotheses;    /* [count] */
    const size_t *hypothesis_lengths; /* [count] bytes, or NULL: NUL-terminated */
    const char *const *references;    /* [sets * count] */
    const size_t *reference_lengths;  /* [sets * count] bytes, or NULL: NUL-terminated */
    int64_t count;                    /* hypotheses */
    int64_t sets;                     /* references of each, from 1 */
    bool varied;                      /* some segments lack one of them */
} alcore__segment_pairs;

/* Checks the arguments of a public call and fills *out. ALCORE_E_SHAPE names the first line that
 * one side lacks, ALCORE_E_INVALID a hypothesis that is NULL and a segment without a reference. */
alcore_status alcore__segment_pairs_check(const alcore__segment_texts *texts,
                                          alcore__segment_pairs *out);

/* ALCORE_E_INVALID: one of texts [count], which `what` names, is NULL. */
alcore_status alcore__segment_texts_check(const char *const *texts, const size_t *lengths,
                                          int64_t count, const char *what);

/* Text `part` of segment i: the hypothesis for part 0, else reference part - 1; NULL with *length
 * 0: this reference is missing. */
const char *alcore__segment_pairs_text(const alcore__segment_pairs *pairs, int64_t segment,
                                       int64_t part, size_t *length);

#endif
