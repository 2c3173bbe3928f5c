/* SPDX-License-Identifier: Apache-2.0 */
/* What a selection says about picks that are phrases: the rows of the texts that contain them, a
 * few of these rows as context, and how many longer phrases contain them. Everything is found once,
 * when the selection is made, in one pass over the texts and one over the phrases that could have
 * been bought: the candidates, but for those whose score no budget buys.
 *
 *     occurrences  how often the phrase occurs in the texts, and phrase_rows, in how many rows
 *     contexts     [picks, ALCORE__CONTEXTS] the first rows that contain it; -1: fewer do
 *     longer       how many of the phrases that could have been bought have more words, and
 *                  containing, how many of these contain it
 *
 * ranking->pool is the pool of phrases, ranking->text_rows the number of rows that they are of. */
#include <inttypes.h>
#include <string.h>

#include "phrase/phrase_pool.h"
#include "pool/pool_internal.h"
#include "selection/selection_internal.h"

/* ---- occurrences ---- */

/* What note_occurrence() writes to. */
typedef struct occurrence_notes {
    alcore_selection *selection;
    int64_t *last_row; /* [picks] row of the latest occurrence, -1: none yet */
} occurrence_notes;

/* Notes one occurrence of the pick of a rank (alcore__phrase_visit), in a row of the texts at a
 * word of it. Occurrences are visited in ascending order of rows, so a row was seen before only if
 * it is the pick's last one. user: occurrence_notes. */
static alcore_status note_occurrence(void *user, int64_t rank, int64_t row, int64_t word) {
    occurrence_notes *notes = user;
    alcore_selection *self = notes->selection;
    (void)word;
    self->occurrences[rank]++;
    if (notes->last_row[rank] == row) return ALCORE_OK;
    notes->last_row[rank] = row;
    if (self->phrase_rows[rank] < ALCORE__CONTEXTS)
        self->contexts[rank * ALCORE__CONTEXTS + self->phrase_rows[rank]] = row;
    self->phrase_rows[rank]++;
    return ALCORE_OK;
}

/* Makes occurrences, phrase_rows and contexts by one pass over the texts of the pool of phrases;
 * the selection owns them, also after a failure. Counts begin at 0, contexts at -1: there is none.
 */
static alcore_status find_occurrences(alcore_selection *self) {
    alcore_ctx *ctx = self->object.ctx;
    const size_t count = (size_t)self->count;
    occurrence_notes notes = {.selection = self};
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->occurrences, &self->occurrences));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->phrase_rows, &self->phrase_rows));
    ALCORE__TRY(
        alcore__new_array(ctx, count, ALCORE__CONTEXTS * sizeof *self->contexts, &self->contexts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *notes.last_row, &notes.last_row));
    for (size_t i = 0; i < count; i++) notes.last_row[i] = -1;
    for (size_t i = 0; i < count * ALCORE__CONTEXTS; i++) self->contexts[i] = -1;
    const alcore_status status = alcore__phrase_occurrences(self->ranking->pool, self->rows,
                                                            self->count, note_occurrence, &notes);
    alcore__free(ctx, notes.last_row);
    return status;
}

/* ---- picks inside longer phrases ---- */

/* The phrases that could have been bought, and what note_longer() writes to. */
typedef struct nesting {
    alcore_selection *selection;
    int64_t *phrases; /* [phrase_count] pool rows of the phrases that could have been bought */
    int64_t phrase_count;
    int64_t *last; /* [picks] index in phrases of the latest one that the pick was found in,
                           -1: none yet */
} nesting;

/* Lists work->phrases: the candidates, without those that the strategy never buys for their score.
 */
static alcore_status list_phrases(nesting *work) {
    const alcore__outcome *outcome = &work->selection->ranking->outcome;
    ALCORE__TRY(alcore__new_array(work->selection->object.ctx, (size_t)outcome->count,
                                  sizeof *work->phrases, &work->phrases));
    for (int64_t i = 0; i < outcome->count; i++)
        if (!outcome->positive || outcome->scores[i] > 0)
            work->phrases[work->phrase_count++] = outcome->rows[i];
    return ALCORE_OK;
}

/* Adds 1 to `containing` of the pick of a rank for a longer phrase, number `phrase` of the list,
 * that contains it (alcore__phrase_visit): once, however often it occurs there. All visits of one
 * longer phrase come before those of the next (alcore__phrases_inside()), so comparing with the
 * pick's last one suffices. A phrase that contains the pick without more words is the pick itself,
 * which does not count. user: nesting. */
static alcore_status note_longer(void *user, int64_t rank, int64_t phrase, int64_t word) {
    nesting *work = user;
    alcore_selection *self = work->selection;
    (void)word;
    if (work->last[rank] == phrase || work->phrases[phrase] == self->rows[rank]) return ALCORE_OK;
    work->last[rank] = phrase;
    self->containing[rank]++;
    return ALCORE_OK;
}

/* Makes longer [picks] from a table of lengths, which has the number of phrases of each length
 * first; the loop over it, from the longest down, replaces that by the number of phrases of more
 * words. */
static alcore_status count_longer(const nesting *work) {
    alcore_selection *self = work->selection;
    alcore_ctx *ctx = self->object.ctx;
    const alcore_pool *pool = self->ranking->pool;
    int64_t longest = 0, *longer; /* [longest + 1] by number of words */
    for (int64_t i = 0; i < work->phrase_count; i++) {
        const int64_t words = alcore_pool_words(pool, work->phrases[i]);
        if (words > longest) longest = words;
    }
    ALCORE__TRY(alcore__new_array(ctx, (size_t)longest + 1, sizeof *longer, &longer));
    for (int64_t i = 0; i < work->phrase_count; i++)
        longer[alcore_pool_words(pool, work->phrases[i])]++;
    for (int64_t words = longest, total = 0; words >= 0; words--) {
        const int64_t same = longer[words];
        longer[words] = total;
        total += same;
    }
    for (int64_t k = 0; k < self->count; k++)
        self->longer[k] = longer[alcore_pool_words(pool, self->rows[k])];
    alcore__free(ctx, longer);
    return ALCORE_OK;
}

/* Makes longer [picks] and containing [picks] by one pass over the words of the phrases that could
 * have been bought; the selection owns them, also after a failure. work owns its arrays, which
 * alcore__selection_find_phrases() frees. */
static alcore_status find_nesting(nesting *work) {
    alcore_selection *self = work->selection;
    alcore_ctx *ctx = self->object.ctx;
    const size_t count = (size_t)self->count;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->longer, &self->longer));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->containing, &self->containing));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *work->last, &work->last));
    for (size_t k = 0; k < count; k++) work->last[k] = -1;
    ALCORE__TRY(list_phrases(work));
    ALCORE__TRY(count_longer(work));
    return alcore__phrases_inside(self->ranking->pool, self->rows, self->count, work->phrases,
                                  work->phrase_count, note_longer, work);
}

/* ---- interface ---- */

/* The record column that is the index of a pick in files, "first_row", which strategies that buy
 * phrases record; -1: there is none. */
static int32_t index_column(const alcore_selection *selection) {
    const alcore__outcome *outcome = &selection->ranking->outcome;
    for (int32_t c = 0; c < outcome->column_count; c++)
        if (strcmp(outcome->columns[c].name, "first_row") == 0) return c;
    return -1;
}

int64_t alcore__selection_index(const alcore_selection *selection, int64_t rank) {
    const int32_t column = index_column(selection);
    if (column < 0) return selection->rows[rank];
    return ((const int64_t *)selection->pick_columns[column])[rank];
}

bool alcore__selection_is_index(const alcore_selection *selection, int32_t column) {
    return column == index_column(selection);
}

alcore_status alcore__selection_find_phrases(alcore_selection *selection) {
    alcore_ctx *ctx = selection->object.ctx;
    nesting work = {.selection = selection};
    if (!alcore__is_phrase_pool(selection->ranking->pool)) return ALCORE_OK;
    alcore_status status = find_occurrences(selection);
    if (status == ALCORE_OK) status = find_nesting(&work);
    alcore__free(ctx, work.phrases);
    alcore__free(ctx, work.last);
    return status;
}

/* "occurs 214 times, in 3 % of the pool", or "in 12 of 226,621 rows" where that is less than 1 %,
 * the share of no rows being left out; then "; 9 of 12 longer phrases contain it", where one does.
 * Rows that the caller added to a pool of phrases occur nowhere. */
alcore_status alcore__selection_put_phrase(const alcore_selection *selection, int64_t rank,
                                           alcore__buffer *line) {
    alcore_ctx *ctx = selection->object.ctx;
    const alcore__ranking *ranking = selection->ranking;
    const int64_t rows = selection->phrase_rows[rank], all = ranking->text_rows;
    const int64_t longer = selection->longer[rank], containing = selection->containing[rank];
    char times[32], some[32], total[32];
    const int64_t occ = selection->occurrences[rank];
    ALCORE__TRY(occ == 1 ? alcore__buffer_format(ctx, line, "occurs once")
                         : alcore__buffer_format(ctx, line, "occurs %s times",
                                                 alcore__thousands(occ, times)));
    if (all == 0) return ALCORE_OK;
    ALCORE__TRY(100 * rows >= all
                    ? alcore__buffer_format(ctx, line, ", in %" PRId64 " %% of the pool",
                                            (200 * rows + all) / (2 * all))
                    : alcore__buffer_format(ctx, line, ", in %s of %s rows",
                                            alcore__thousands(rows, some),
                                            alcore__thousands(all, total)));
    if (containing == 0) return ALCORE_OK;
    if (longer == 1) return alcore__buffer_format(ctx, line, "; the one longer phrase contains it");
    return alcore__buffer_format(
        ctx, line, "; %s of %s longer phrases %s it", alcore__thousands(containing, some),
        alcore__thousands(longer, total), containing == 1 ? "contains" : "contain");
}

void alcore__selection_put_contexts(const alcore_selection *selection, int64_t rank,
                                    alcore__json_out *json) {
    const alcore_pool *texts = alcore_pool_source(selection->ranking->pool);
    if (!selection->contexts || selection->contexts[rank * ALCORE__CONTEXTS] < 0) return;
    alcore__json_open(json, "contexts", '[');
    for (int64_t i = 0; i < ALCORE__CONTEXTS; i++) {
        const int64_t row = selection->contexts[rank * ALCORE__CONTEXTS + i];
        char id[24];
        size_t length;
        if (row < 0) break;
        const char *text = alcore_pool_text(texts, row, &length);
        alcore__json_open(json, NULL, '{');
        alcore__json_put_string(json, "id", alcore__pool_id(texts, row, id));
        alcore__json_put_integer(json, "index", row);
        alcore__json_put_text(json, "source", text, length);
        alcore__json_close(json, '}');
    }
    alcore__json_close(json, ']');
}
