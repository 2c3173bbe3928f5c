/* SPDX-License-Identifier: Apache-2.0 */
/* Why a pick was made: one line of comparisons with the other candidates instead of bare numbers,
 *
 *   uncertainty top 2 %; stratum 7 of 10 (1,204 rows), diversity top 9 % of it; chosen by
 *   uncertainty; also nnll's pick; rare words: quux
 *
 *   uncertainty top 2 %; among the nearest rows of 3 target rows
 *
 * The counts come from the explanation that the strategy's run made (budget/explain.c); this file
 * only puts them into words and knows no strategy. The rare words are found by
 * selection_rare_words.c. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "selection/selection_rare_words.h"

/* The state of one call of alcore__selection_reasons(). */
typedef struct writer {
    const alcore_selection *selection;
    alcore_ctx *ctx;
    alcore__buffer line;      /* the reason of the present pick */
    alcore__rare_words words; /* names the rarest words of a pick */
} writer;

enum { PLACE_BYTES = 32 };

/* Writes how a value compares: "top n %", where at_least of count candidates, in whole per cent and
 * rounded up, are not below it; in the lower half "low, above n %" of them, rounded down, as "top
 * 78 %" reads as if it were high. Both counts are 1 or more, since the pick itself is among them.
 * */
static const char *place_of(int64_t at_least, int64_t count, char place[PLACE_BYTES]) {
    const int64_t top = (100 * at_least + count - 1) / count;
    if (top <= 50)
        alcore__format(place, PLACE_BYTES, "top %" PRId64 " %%", top);
    else
        alcore__format(place, PLACE_BYTES, "low, above %" PRId64 " %%", 100 - top);
    return place;
}

/* Appends "; " unless the line is empty. */
static alcore_status separate(writer *self) {
    if (self->line.length == 0) return ALCORE_OK;
    return alcore__buffer_append(self->ctx, &self->line, "; ", 2);
}

/* Appends how the pick of a rank, at a position, compares by one term of the score: "uncertainty
 * top 2 %", or for a term that is compared inside groups "stratum 7 of 10 (1,204 rows), diversity
 * top 9 % of it"; groups count from 1 in the text, and one group is all candidates. */
static alcore_status put_term(writer *self, const alcore__term_part *part, int64_t rank,
                              int64_t position) {
    const alcore__outcome *outcome = &self->selection->ranking->outcome;
    const int64_t *group = NULL; /* [candidates] the term's record column `within`; NULL: all are
                                    compared with all */
    for (int32_t c = 0; part->groups > 1 && c < outcome->column_count; c++)
        if (strcmp(outcome->columns[c].name, part->term->within) == 0)
            group = outcome->columns[c].values;
    char place[PLACE_BYTES];
    ALCORE__TRY(separate(self));
    if (!group)
        return alcore__buffer_format(self->ctx, &self->line, "%s %s", part->term->name,
                                     place_of(part->at_least[rank], outcome->count, place));
    char number[32];
    int64_t size = part->group_sizes[group[position]];
    return alcore__buffer_format(
        self->ctx, &self->line, "%s %" PRId64 " of %" PRId64 " (%s %s), %s %s of it",
        part->term->within, group[position] + 1, part->groups, alcore__thousands(size, number),
        size == 1 ? "row" : "rows", part->term->name, place_of(part->at_least[rank], size, place));
}

/* Where several terms have a weight, appends which of them decided the pick of a rank, and the
 * strategies of single terms that would have made it too: "; chosen by uncertainty; also nnll's
 * pick". The line is not empty, as each term was put before. `decided` is -1 where the largest
 * contributions are equal. Behind a name in the plural, "the given scores", no s follows the
 * apostrophe. */
static alcore_status put_decision(writer *self, int64_t rank) {
    const alcore__explanation *explanation = &self->selection->bought.explanation;
    if (!explanation->mixed) return ALCORE_OK;
    int32_t decided = alcore__explanation_decided(explanation, rank);
    ALCORE__TRY(alcore__buffer_format(self->ctx, &self->line, "; chosen by %s",
                                      decided < 0 ? "the terms alike"
                                                  : explanation->parts[decided].term->name));
    const char *lead = "; also ";
    for (int32_t t = 0; t < explanation->count; t++) {
        const alcore__term_part *part = &explanation->parts[t];
        if (!part->also || !part->also[rank]) continue;
        bool plural = part->alone[strlen(part->alone) - 1] == 's';
        ALCORE__TRY(alcore__buffer_format(self->ctx, &self->line, "%s%s'%s", lead, part->alone,
                                          plural ? "" : "s"));
        lead = " and ";
    }
    return lead[0] == ';' ? ALCORE_OK : alcore__buffer_append(self->ctx, &self->line, " pick", 5);
}

/* Appends the reason of strategies without terms: their one fixed reason, or how the score of the
 * pick compares, "least confidence top 2 %". */
static alcore_status put_score(writer *self, int64_t rank) {
    const alcore__ranking *ranking = self->selection->ranking;
    if (ranking->reason)
        return alcore__buffer_append(self->ctx, &self->line, ranking->reason,
                                     strlen(ranking->reason));
    char place[PLACE_BYTES];
    return alcore__buffer_format(self->ctx, &self->line, "%s %s", ranking->measure,
                                 place_of(self->selection->bought.explanation.score_at_least[rank],
                                          ranking->outcome.count, place));
}

/* Where the strategy counts the rows of the target among whose nearest rows a candidate is, appends
 * the count of the pick of a rank: "; among the nearest rows of 3 target rows", or "; near no
 * target row" for one that was bought because the neighbors did not fill the budget. */
static alcore_status put_targets(writer *self, int64_t rank) {
    const int64_t *counts = self->selection->bought.explanation.targets;
    if (!counts) return ALCORE_OK;
    ALCORE__TRY(separate(self));
    if (counts[rank] == 0)
        return alcore__buffer_append(self->ctx, &self->line, "near no target row", 18);
    char number[32];
    return alcore__buffer_format(self->ctx, &self->line, "among the nearest rows of %s target %s",
                                 alcore__thousands(counts[rank], number),
                                 counts[rank] == 1 ? "row" : "rows");
}

/* Writes the reason of one pick, by its rank, to self->line, which it empties first: its terms or
 * its score, which term decided, the target rows that it is near, how frequent a phrase is, and its
 * rarest words. */
static alcore_status put_reason(writer *self, int64_t rank) {
    const alcore_selection *selection = self->selection;
    const alcore__explanation *explanation = &selection->bought.explanation;
    int64_t position = selection->bought.picks[rank];
    self->line.length = 0;
    for (int32_t t = 0; t < explanation->count; t++)
        ALCORE__TRY(put_term(self, &explanation->parts[t], rank, position));
    /* The frequency of a phrase says more than where its score stands among those of all phrases.
     * phrase_rows is there for picks that are phrases. */
    const bool phrase = selection->phrase_rows != NULL;
    if (explanation->count == 0 && (!phrase || selection->ranking->reason))
        ALCORE__TRY(put_score(self, rank));
    ALCORE__TRY(put_decision(self, rank));
    ALCORE__TRY(put_targets(self, rank));
    if (phrase) {
        ALCORE__TRY(separate(self));
        ALCORE__TRY(alcore__selection_put_phrase(selection, rank, &self->line));
    }
    return alcore__rare_words_put(&self->words, self->ctx,
                                  selection->ranking->outcome.rows[position], &self->line);
}

/* The strings lie in the arena of the selection, which frees them all at once. */
alcore_status alcore__selection_reasons(alcore_selection *selection) {
    alcore_ctx *ctx = selection->object.ctx;
    writer self = {.selection = selection, .ctx = ctx};
    alcore__rare_words_init(&self.words, selection->ranking);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)selection->count, sizeof *selection->reasons,
                                  &selection->reasons));
    alcore_status status = ALCORE_OK;
    for (int64_t k = 0; status == ALCORE_OK && k < selection->count; k++) {
        status = alcore__tick(ctx, "reasons", k, selection->count);
        if (status == ALCORE_OK) status = put_reason(&self, k);
        if (status == ALCORE_OK)
            status = alcore__arena_text(ctx, &selection->reason_arena, self.line.data,
                                        self.line.length, &selection->reasons[k]);
    }
    alcore__buffer_clear(ctx, &self.line);
    alcore__rare_words_clear(ctx, &self.words);
    return status;
}
