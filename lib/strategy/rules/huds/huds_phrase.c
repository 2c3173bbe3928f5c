/* SPDX-License-Identifier: Apache-2.0 */
/* huds-phrase: HUDS over phrases (spec 3.9, a decision of this library). The candidates are the
 * semi-maximal phrases p of the pool that no labeled text contains and that occur occ_min times or
 * more, in the order of their first occurrences. With u(p) and e(p) the columns "scores" and
 * "embeddings" of the phrases (lib/selection/phrase_measures.c makes them from those of words):
 *
 *   H(p)      lambda d(p) + (1 - lambda) u(p), as in huds_score.c
 *   score(p)  log(1 + occ(p))^gamma H(p), the largest first; of equal scores the larger occ(p)
 *             first, then the phrase of more words, then the earlier first occurrence
 *
 * With prune=1 a phrase is passed over that lies inside a phrase bought before or contains one.
 *
 * occ(p) is the number of occurrences of p in the texts. A position numbers the candidates from 0.
 * The filler spends the budget: a row that is offered to it is bought or passed over.
 *
 * Cost: that of HUDS over the phrases. Memory beside it: 49 bytes a candidate, 48 more while they
 * are ranked, and with prune=1 32 bytes or more for each different sequence of words inside a pick.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "pool/hash_index.h"
#include "strategy/budget/fill.h"
#include "strategy/rules/huds/huds.h"
#include "strategy/rules/phrase_columns.h"
#include "text/words.h"

/* A part of the text of a pick: a sequence of words inside it, or all of its words. */
typedef struct bought_part {
    const char *text; /* [length] borrowed from the pool, not ended by a 0 byte */
    size_t length;
    bool whole; /* it is the whole text of a pick */
} bought_part;

typedef struct huds_phrase_state {
    alcore__huds_state huds; /* first */
    double gamma;            /* the parameters gamma, prune */
    bool prune;
    alcore__phrase_columns columns; /* occurrences, length and first occurrence of the candidates */
    int64_t *order;                 /* [candidates] positions, the best first */
    alcore__filler filler;
    /* For prune=1: the different parts of all picks, found by the hash of their texts. */
    bought_part *parts; /* [part_count] */
    int64_t part_count;
    size_t part_capacity;
    alcore__hash_index index; /* of the parts */
} huds_phrase_state;

/* Replaces the values of the record column H by a copy: HUDS lets that column share the array of
 * the scores, which rank_phrases() multiplies. */
static alcore_status detach_h(alcore__run *run) {
    alcore__outcome *outcome = &run->outcome;
    for (int32_t c = 0; c < outcome->column_count; c++) {
        double *h;
        if (outcome->columns[c].values != outcome->scores) continue;
        ALCORE__TRY(alcore__new_array(run->ctx, (size_t)outcome->count, sizeof *h, &h));
        memcpy(h, outcome->scores, (size_t)outcome->count * sizeof *h);
        outcome->columns[c].values = h;
    }
    return ALCORE_OK;
}

/* Start of the pass over the columns of phrases: ends HUDS, which sets the scores to H and whose
 * columns come first in the record, and adds those of the phrases. */
static alcore_status begin_columns(alcore__run *run) {
    huds_phrase_state *state = run->state;
    ALCORE__TRY(alcore__huds_finish(run));
    ALCORE__TRY(detach_h(run));
    return alcore__phrase_columns_begin(run, &state->columns);
}

static const alcore__pass PASSES[] = {
    {.name = "HUDS", .nested = alcore__huds_passes},
    {.name = "columns",
     .start = begin_columns,
     .nested = alcore__all_phrases_passes,
     .nested_at = offsetof(huds_phrase_state, columns)},
    {.name = NULL},
};

/* ---- the order ---- */

/* What candidates are ordered by: the score, number of occurrences, number of words, and row and
 * word of the first occurrence in the texts. */
typedef struct ranked {
    double score;
    int64_t occ, length, row, word;
    int64_t position; /* of the candidate */
} ranked;

/* The order of candidates, for qsort(): the best first. No score is NaN: rows with a NaN failed the
 * run or were left out before, and every candidate is measured here. */
static int compare_ranked(const void *left, const void *right) {
    const ranked *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    if (a->occ != b->occ) return a->occ > b->occ ? -1 : 1;
    if (a->length != b->length) return a->length > b->length ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->word != b->word) return a->word < b->word ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Called in finish, once HUDS has set the scores to H and the columns of phrases are filled: scores
 * are H log(1 + occ)^gamma from here on, and state->order [candidates] the positions in the order
 * of compare_ranked(), in which they are offered. */
static alcore_status rank_phrases(alcore__run *run) {
    huds_phrase_state *state = run->state;
    int64_t *const *records = state->columns.records;
    const int64_t count = run->outcome.count;
    ranked *all;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &all));
    for (int64_t i = 0; i < count; i++) {
        const int64_t occ = records[ALCORE__PHRASE_OCC][i];
        run->outcome.scores[i] *= pow(log(1.0 + (double)occ), state->gamma);
        all[i] = (ranked){.score = run->outcome.scores[i],
                          .occ = occ,
                          .length = records[ALCORE__PHRASE_LENGTH][i],
                          .row = records[ALCORE__PHRASE_FIRST_ROW][i],
                          .word = records[ALCORE__PHRASE_FIRST_POSITION][i],
                          .position = i};
    }
    qsort(all, (size_t)count, sizeof *all, compare_ranked);
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->order));
    for (int64_t i = 0; i < count; i++) state->order[i] = all[i].position;
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* ---- phrases inside phrases ---- */

/* The part with a text: its entry in state->parts, or NULL. */
static const bought_part *find_part(const huds_phrase_state *state, const char *text, size_t length,
                                    uint64_t hash) {
    if (state->index.capacity == 0) return NULL;
    size_t slot = alcore__index_home(&state->index, hash);
    for (int64_t i; (i = alcore__index_next(&state->index, hash, &slot)) >= 0;) {
        const bought_part *part = &state->parts[i];
        if (part->length == length && memcmp(part->text, text, length) == 0) return part;
    }
    return NULL;
}

/* The text [*length] of a candidate, whose words have one space between them, borrowed from the
 * pool; NULL where the candidates have no pool. */
static const char *text_of(const alcore__run *run, int64_t position, size_t *length) {
    const alcore_pool *pool = run->input->candidates.pool;
    *length = 0;
    return pool ? alcore_pool_text(pool, run->outcome.rows[position], length) : NULL;
}

/* What visit_parts() does with one sequence of words inside a text: is_bought() or add_part().
 * whole: it is the text itself. true ends the visits. */
typedef bool part_visit(huds_phrase_state *state, const char *part, size_t part_length, bool whole);

/* Calls visit() for every sequence of words inside a text, itself too, until it returns true, and
 * returns whether it did. */
static bool visit_parts(huds_phrase_state *state, const char *text, size_t length,
                        part_visit *visit) {
    const char *end = text + length, *next = text, *first, *last;
    size_t first_length, last_length;
    while (alcore__word_next(&next, end, &first, &first_length)) {
        const char *rest = first;
        while (alcore__word_next(&rest, end, &last, &last_length)) {
            const size_t part = (size_t)(last + last_length - first);
            if (visit(state, first, part, part == length)) return true;
        }
    }
    return false;
}

/* Whether a part of a candidate's text shows that the candidate lies inside a pick (the whole text
 * is a part of a pick) or contains one (the part is a whole pick). */
static bool is_bought(huds_phrase_state *state, const char *part, size_t length, bool whole) {
    const bought_part *found = find_part(state, part, length, alcore__hash64(part, length));
    return found && (whole || found->whole);
}

/* Adds a part of a pick to state->parts; true when there is no memory. A part with the same text
 * stays, and is marked as a whole pick where this one is. */
static bool add_part(huds_phrase_state *state, const char *part, size_t length, bool whole) {
    const alcore__run *run = state->filler.run;
    const uint64_t hash = alcore__hash64(part, length);
    const bought_part *found = find_part(state, part, length, hash);
    if (found) {
        state->parts[found - state->parts].whole |= whole;
        return false;
    }
    if (alcore__run_grow(run, &state->parts, &state->part_capacity, state->part_count + 1,
                         sizeof *state->parts) != ALCORE_OK ||
        alcore__index_reserve(run->ctx, &state->index, 1, 1024, state->part_count + 1) != ALCORE_OK)
        return true;
    size_t slot = alcore__index_home(&state->index, hash);
    while (alcore__index_next(&state->index, hash, &slot) >= 0) {
    }
    alcore__index_put(&state->index, slot, hash, state->part_count);
    state->parts[state->part_count++] = (bought_part){part, length, whole};
    return false;
}

/* ---- buying ---- */

/* Offers the candidates in their order until the budget is spent. With prune=1 those that lie
 * inside a pick or contain one are not offered and count as redundant, and the parts of each pick
 * are added. Without a pool there are no texts, and nothing is pruned.
 *
 * The run's budget is the largest. The smaller ones repeat these offers, in their order, until they
 * are spent (replay() in budget/fill.c), and what was pruned here stays pruned: a smaller budget
 * buys a prefix of these picks, so that at each offer it has bought what was bought here by then.
 * Where fill=skip could buy otherwise, the strategy runs again for each budget. */
static alcore_status buy(alcore__run *run) {
    huds_phrase_state *state = run->state;
    for (int64_t i = 0; i < run->outcome.count && !alcore__filler_full(&state->filler); i++) {
        size_t length;
        const char *text = state->prune ? text_of(run, state->order[i], &length) : NULL;
        bool bought;
        if (i % ALCORE_BLOCK_ROWS == 0)
            ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", i, run->outcome.count));
        if (text && visit_parts(state, text, length, is_bought)) {
            ALCORE__TRY(
                alcore__filler_pass_over(&state->filler, state->order[i], ALCORE__REFUSED_SIMILAR));
            continue;
        }
        ALCORE__TRY(alcore__filler_offer(&state->filler, state->order[i], &bought));
        if (bought && text && visit_parts(state, text, length, add_part))
            return alcore__fail_memory(sizeof(bought_part));
    }
    return ALCORE_OK;
}

/* For alcore__run_defer(). */
static void clear_index(const alcore__run *run, void *index) {
    alcore__index_clear(run->ctx, index);
}

/* Called after the last pass: ranks the phrases, buys, and moves the picks to the outcome. */
static alcore_status finish(alcore__run *run) {
    huds_phrase_state *state = run->state;
    ALCORE__TRY(alcore__filler_begin(&state->filler, run));
    ALCORE__TRY(alcore__run_defer(run, clear_index, &state->index));
    ALCORE__TRY(rank_phrases(run));
    ALCORE__TRY(buy(run));
    alcore__filler_finish(&state->filler);
    return ALCORE_OK;
}

/* ---- the strategy ---- */

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, huds_phrase_state, member)
static const alcore__param ROWS[] = {
    ALCORE__LAMBDA_PARAMS,
    ALCORE__RESCALE_PARAM("none|minmax|rank"),
    {"gamma", ALCORE_PARAM_NUMBER, "1", 0, 100, NULL,
     "exponent of the logarithm of the occurrences; 0: they have no weight", STATE(gamma)},
    {"occ_min", ALCORE_PARAM_INTEGER, "2", 1, 0x1p32, NULL,
     "phrases that occur less often are left out",
     ALCORE__MEMBER(ALCORE__TO_PHRASES, alcore_phrase_options, min_count)},
    {"prune", ALCORE_PARAM_FLAG, "1", 0, 1, NULL,
     "1: pass over a phrase that lies inside a pick or contains one", STATE(prune)},
    ALCORE__STRATA_PARAMS,
    ALCORE__CENTROID_PARAMS,
    ALCORE__PHRASE_SMP_PARAMS,
    ALCORE__PHRASE_LETTERS_PARAM,
};

static const char *const NEEDS[] = {"scores",    "embeddings",     "occurrences", "length",
                                    "first_row", "first_position", NULL};

const alcore__strategy_def alcore__strategy_huds_phrase = {
    .name = "huds-phrase",
    .summary = "HUDS over the semi-maximal phrases that no labeled text contains: hybrid of the "
               "uncertainty of their words and their diversity, weighted by their frequency",
    .terms = alcore__huds_terms,
    .params = ALCORE__PARAMS(ROWS),
    .ablated = "lambda",
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS},
    .score_rows = alcore__score_uncertainty,
    .phrase_options = alcore__smp_options_set,
    .phrases_by_place = true,
    .phrase_measures = true,
    .state_bytes = sizeof(huds_phrase_state),
    .begin = alcore__huds_begin,
    .passes = PASSES,
    .finish = finish,
};
