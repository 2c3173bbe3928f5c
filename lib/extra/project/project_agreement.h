/* SPDX-License-Identifier: Apache-2.0 */
/* How the annotators of a project agree, for its document, its page and
 * alcore_project_get_agreement(). */
#ifndef ALCORE__PROJECT_AGREEMENT_H
#define ALCORE__PROJECT_AGREEMENT_H

#include "extra/project/project_internal.h"

/* What is compared, by the setting task. */
typedef enum alcore__compared {
    ALCORE__COMPARED_TEXTS, /* translations: exact equality and chrF */
    ALCORE__COMPARED_SPANS, /* exact equality alone */
    ALCORE__COMPARED_ITEMS, /* classes: the label of the item, less chance */
    ALCORE__COMPARED_WORDS  /* tags: the label of each word, less chance */
} alcore__compared;

/* Two annotators who gave final answers to the same items. */
typedef struct alcore__project_pair {
    const char *one, *other; /* names; one sorts before the other */
    int64_t items, agreeing; /* of both; with equal answers */
    int64_t units;           /* items or words that both labeled */
    double kappa, chrf;      /* NaN: none */
} alcore__project_pair;

typedef struct alcore__project_agreement {
    alcore_project_agreement all;
    alcore__compared compared;
    alcore__project_pair *pairs; /* [count] owned, by names */
    size_t count;
    alcore__arena names; /* owned */
} alcore__project_agreement;

/* Reads all final answers once, in a transaction of the caller. polls: calls progress, and can be
 * cancelled. After a failure there is nothing to clear. */
alcore_status alcore__project_agreement_read(alcore_project *project, bool polls,
                                             alcore__project_agreement *out);
void alcore__project_agreement_clear(alcore_project *project, alcore__project_agreement *self);
/* "texts", "spans", "items" or "words". */
const char *alcore__compared_name(alcore__compared compared);

#endif
