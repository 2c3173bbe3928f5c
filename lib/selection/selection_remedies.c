/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies: settings that may improve a selection, as data which each front end turns into words of
 * its own (an option of the command, an argument of a function). At most one for each cause. */
#include <string.h>

#include "selection/selection_internal.h"

/* Appends a remedy: set the option or parameter `name` (by kind) to `value`, which has that effect.
 * All texts are static. */
static void add(alcore_selection *self, int32_t kind, const char *name, const char *value,
                const char *effect) {
    self->remedies[self->remedy_count++] = (alcore_remedy){.size = sizeof(alcore_remedy),
                                                           .kind = kind,
                                                           .name = name,
                                                           .value = value,
                                                           .effect = effect};
}

/* An explanation that is mixed has at least two terms with contributions. */
bool alcore__selection_lopsided(const alcore_selection *selection, const alcore__term_part **wide,
                                const alcore__term_part **narrow) {
    const alcore__explanation *explanation = &selection->bought.explanation;
    if (!explanation->mixed || selection->count == 0) return false;
    *wide = *narrow = NULL;
    for (int32_t t = 0; t < explanation->count; t++) {
        const alcore__term_part *part = &explanation->parts[t];
        if (!part->contribution) continue;
        if (!*wide || part->deviation > (*wide)->deviation) *wide = part;
        if (!*narrow || part->deviation < (*narrow)->deviation) *narrow = part;
    }
    return (*wide)->deviation > 5 * (*narrow)->deviation;
}

/* Remedies for a budget that was overshot, for terms of very different scale, and for masks that
 * left too few texts: fewer than ALCORE__REMEDIES, so the array has an entry for each. */
void alcore__selection_find_remedies(alcore_selection *self) {
    const alcore__term_part *wide, *narrow;
    if (self->bought.spent > self->bought.budget)
        add(self, ALCORE_REMEDY_OPTION, "fill", "skip", "stays within the budget");
    if (alcore__selection_lopsided(self, &wide, &narrow))
        add(self, ALCORE_REMEDY_PARAMETER, "rescale", "rank",
            "gives the terms of the score the same scale");
    int64_t masked = 0;
    for (int32_t i = ALCORE__CAUSE_WORDLESS; i < ALCORE__CAUSES; i++)
        masked += alcore__ranking_text_masked(self->ranking, i);
    if ((self->bought.flags & ALCORE_SELECTION_SHORT) && masked > 0)
        add(self, ALCORE_REMEDY_OPTION, "masks", "none",
            "lets texts be bought that are hardly worth a translator's time");
}
