/* SPDX-License-Identifier: Apache-2.0 */
/* What may better a selection, as data that each front end words for its users. */
#include <string.h>

#include "request/selection_internal.h"

static void add(alcore_selection *self, int32_t kind, const char *name, const char *value,
                const char *effect) {
    self->remedies[self->remedy_count++] = (alcore_remedy){.size = sizeof(alcore_remedy),
                                                           .kind = kind,
                                                           .name = name,
                                                           .value = value,
                                                           .effect = effect};
}

bool alcore__selection_lopsided(const alcore_selection *selection, const alcore__term_part **wide,
                                const alcore__term_part **narrow) {
    const alcore__explanation *explanation = &selection->bought.explanation;
    if (!explanation->mixed || selection->count == 0) return false;
    *wide = *narrow = NULL;
    for (int32_t t = 0; t < explanation->count; t++) {
        const alcore__term_part *part = &explanation->parts[t];
        if (part->contribution == NULL) continue;
        if (*wide == NULL || part->deviation > (*wide)->deviation) *wide = part;
        if (*narrow == NULL || part->deviation < (*narrow)->deviation) *narrow = part;
    }
    return (*wide)->deviation > 5 * (*narrow)->deviation;
}

/* At most ALCORE__REMEDIES, each for another cause. */
void alcore__selection_find_remedies(alcore_selection *self) {
    const alcore__term_part *wide, *narrow;
    if (self->bought.spent > self->bought.budget)
        add(self, ALCORE_REMEDY_OPTION, "fill", "skip", "stays within the budget");
    if (alcore__selection_lopsided(self, &wide, &narrow))
        add(self, ALCORE_REMEDY_PARAMETER, "rescale", "rank",
            "gives the terms of the score the same scale");
}
