/* SPDX-License-Identifier: Apache-2.0 */
/* Phrase-level selection (spec 5.3 to 5.5; Hu and Neubig 2021). The candidates are phrases: rows of
 * a pool with the columns that alcore_pool_derive_phrases() makes. With occ(p) the number of
 * occurrences of phrase p in the unlabeled rows of the texts, and P_L the phrases of everything
 * labeled so far:
 *
 *   ngf            phi(p) = occ(p) if p is not in P_L, else 0 (equation 4)
 *   ngf-smp        the same for semi-maximal phrases, 0 for the others (equations 5 and 6)
 *   random-phrase  phrases in the order of a draw without replacement, each with the same
 *                  probability or in proportion to occ(p)
 *
 * A phrase of score 0 is never bought. Equal scores go to the lower row, which in such a pool is
 * the longer phrase, then the one that occurs first.
 *
 * Words of this file:
 *
 *     listed      a phrase is listed when it may be bought: its flag columns ("known",
 *                 "semi_maximal") do not rule it out
 *     type        a listed phrase; types are numbered from 0 in the order of first occurrences
 *     positive    a member of the outcome: the budget buys no candidate of score 0
 *
 * One pass over five or six integer columns. Memory: 33 bytes a candidate, and for random-phrase up
 * to 40 more; weight=tokens also needs 12 bytes for each occurrence. */
#include <stdlib.h>

#include "base/rng.h"
#include "phrase/phrase_pool.h"
#include "strategy/rules/phrase_columns.h"

typedef struct phrase_state {
    alcore__phrase_columns columns; /* first: the pass reads run->state as this struct */
    bool by_token;                  /* weight=tokens */
    /* For random-phrase, made in finish: */
    int64_t *order;   /* [listed_count] position of each type */
    int64_t *drawn;   /* [listed_count], with weight=tokens [token_count]: all types or tokens, in
                         the order of the draw */
    uint32_t *tokens; /* [token_count] with weight=tokens: the type of each token, index of order */
    int64_t token_count;
    size_t token_capacity;
    int64_t listed_count; /* number of types */
} phrase_state;

/* Called once before the pass: makes the record columns, which the outcome owns, and the array
 * `listed`, all zeroed; the pass fills them. */
static alcore_status begin(alcore__run *run) {
    return alcore__phrase_columns_begin(run, run->state);
}

/* ---- ngf and ngf-smp ---- */

/* finish of ngf and ngf-smp: the score of a listed phrase is occ(p), that of any other 0. The
 * runner then ranks by the scores and buys those above 0. */
static alcore_status finish_frequency(alcore__run *run) {
    const phrase_state *state = run->state;
    for (int64_t i = 0; i < run->outcome.count; i++)
        run->outcome.scores[i] =
            state->columns.listed[i] ? (double)state->columns.records[ALCORE__PHRASE_OCC][i] : 0.0;
    run->outcome.positive = true;
    return ALCORE_OK;
}

/* ---- random-phrase ---- */

/* Where a phrase occurs first (row of the texts, word in it), and its words: types are numbered in
 * this order. */
typedef struct first_occurrence {
    int64_t row, word, length;
    int64_t position; /* of the phrase among the candidates */
} first_occurrence;

/* Order of first occurrences, for qsort(): by row, word, length, then by position. */
static int compare_first_occurrences(const void *left, const void *right) {
    const first_occurrence *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->word != b->word) return a->word < b->word ? -1 : 1;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Makes state->order [listed_count], the positions of the listed candidates by first occurrence,
 * then length. Where the rows of the pool have this order already, as in a pool that the request
 * derived (phrases_by_place), nothing is sorted. */
static alcore_status list_types(alcore__run *run) {
    phrase_state *state = run->state;
    int64_t *const *records = state->columns.records;
    const int64_t count = run->outcome.count;
    int64_t listed = 0;
    bool sorted = true;
    first_occurrence *types;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &types));
    for (int64_t i = 0; i < count; i++) {
        if (!state->columns.listed[i]) continue;
        types[listed] = (first_occurrence){records[ALCORE__PHRASE_FIRST_ROW][i],
                                           records[ALCORE__PHRASE_FIRST_POSITION][i],
                                           records[ALCORE__PHRASE_LENGTH][i], i};
        if (listed > 0) sorted &= compare_first_occurrences(&types[listed - 1], &types[listed]) < 0;
        listed++;
    }
    if (!sorted) qsort(types, (size_t)listed, sizeof *types, compare_first_occurrences);
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, listed, &state->order));
    for (int64_t i = 0; i < listed; i++) state->order[i] = types[i].position;
    state->listed_count = listed;
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* The visitor of list_tokens() (alcore__phrase_visit), user being the run: appends an occurrence of
 * a type to the list of tokens. */
static alcore_status add_token(void *user, int64_t type, int64_t row, int64_t word) {
    alcore__run *run = user;
    phrase_state *state = run->state;
    (void)row, (void)word; /* occurrences are visited in the order in which tokens are listed */
    ALCORE__TRY(alcore__run_grow(run, &state->tokens, &state->token_capacity,
                                 state->token_count + 1, sizeof *state->tokens));
    state->tokens[state->token_count++] = (uint32_t)type;
    return ALCORE_OK;
}

/* Makes state->tokens: finds the occurrences of all types in the texts that the pool was derived
 * from, in the order of (row, word, length). Fails for a pool that was not derived from texts. */
static alcore_status list_tokens(alcore__run *run) {
    phrase_state *state = run->state;
    const alcore_pool *pool = run->input->candidates.pool;
    int64_t *rows; /* [listed_count] pool row of each type */
    if (!alcore__is_phrase_pool(pool))
        return alcore__fail(ALCORE_E_MISSING,
                            "weight=tokens reads the texts of the phrases: select from a pool of "
                            "texts, or from one of phrases that was derived from texts");
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->listed_count, &rows));
    for (int64_t i = 0; i < state->listed_count; i++) rows[i] = run->outcome.rows[state->order[i]];
    ALCORE__TRY(alcore__phrase_occurrences(pool, rows, state->listed_count, add_token, run));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Draws all `count` tokens (by_token) or types without replacement into state->drawn; among tokens,
 * a type with more of them tends to come earlier. Then scores each type by how early it is drawn
 * first, from 1 down in equal steps to 1 / types: a score of 0 means that it was not drawn yet.
 * alcore__rng_sample() needs no other memory for a draw of all, hence no context (NULL). */
static alcore_status draw(alcore__run *run, int64_t count, bool by_token) {
    phrase_state *state = run->state;
    const double types = (double)state->listed_count;
    int64_t done = 0;
    alcore__rng rng;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->drawn));
    alcore__rng_seed(&rng,
                     alcore__rng_derive(run->input->seed, ALCORE__TAG_RANDPHRASE,
                                        (uint64_t)run->input->round, 0 /* one draw a round */));
    ALCORE__TRY(alcore__rng_sample(NULL, &rng, count, count, state->drawn));
    for (int64_t i = 0; i < count; i++) {
        const int64_t number = state->drawn[i];
        double *score =
            &run->outcome.scores[state->order[by_token ? state->tokens[number] : number]];
        if (*score == 0) *score = (types - (double)done++) / types;
    }
    return ALCORE_OK;
}

/* finish of random-phrase: scores the types by a draw of types or, with weight=tokens, of tokens.
 * Phrases that are not listed keep score 0 and are not bought. */
static alcore_status finish_random(alcore__run *run) {
    const phrase_state *state = run->state;
    const bool by_token = state->by_token;
    run->outcome.positive = true;
    ALCORE__TRY(list_types(run));
    if (by_token) ALCORE__TRY(list_tokens(run));
    return draw(run, by_token ? state->token_count : state->listed_count, by_token);
}

/* ---- the phrases that a request derives from a pool of texts ---- */

/* phrase_options of the definitions: sets which phrases a request derives from a pool of texts as
 * the candidates. unknown 1: only those that no labeled row contains. */
static void set_ngf_options(const alcore__values *values, alcore_phrase_options *out) {
    alcore__phrase_options_set(values, out);
    out->unknown = 1;
}

/* ---- the three strategies ---- */

static const alcore__param NGF_ROWS[] = {ALCORE__PHRASE_MAX_N_PARAM, ALCORE__PHRASE_LETTERS_PARAM};
static const alcore__param SMP_ROWS[] = {ALCORE__PHRASE_SMP_PARAMS, ALCORE__PHRASE_LETTERS_PARAM};
static const alcore__param RANDOM_ROWS[] = {
    ALCORE__PHRASE_MAX_N_PARAM,
    {"exclude_labeled", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: phrases that occur in labeled texts are left out",
     ALCORE__MEMBER(ALCORE__TO_PHRASES, alcore_phrase_options, unknown)},
    {"weight", ALCORE_PARAM_CHOICE, "types", 0, 0, "types|tokens",
     "tokens: a phrase is drawn in proportion to its occurrences",
     ALCORE__MEMBER(ALCORE__TO_STATE, phrase_state, by_token)},
    ALCORE__PHRASE_LETTERS_PARAM};

static const char *const NEEDS[] = {"occurrences", "first_row", "first_position",
                                    "length",      "known",     NULL};
static const char *const SMP_NEEDS[] = {
    "occurrences", "first_row", "first_position", "length", "known", "semi_maximal", NULL};
static const char *const RANDOM_EXAMPLES[] = {"exclude_labeled=1", NULL};

#define PHRASE_RUN .state_bytes = sizeof(phrase_state), .begin = begin

const alcore__strategy_def alcore__strategy_ngf = {
    .name = "ngf",
    .summary = "The most frequent phrases that no labeled text contains (NGF, Hu and Neubig 2021)",
    .measure = "frequency",
    .params = ALCORE__PARAMS(NGF_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS},
    .phrase_options = set_ngf_options,
    PHRASE_RUN,
    .passes = alcore__unknown_phrases_passes,
    .finish = finish_frequency,
};

const alcore__strategy_def alcore__strategy_ngf_smp = {
    .name = "ngf-smp",
    .summary = "The most frequent semi-maximal phrases that no labeled text contains: no longer "
               "phrase has more than half of their occurrences (NGF-SMP, Hu and Neubig 2021)",
    .measure = "frequency",
    .params = ALCORE__PARAMS(SMP_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = SMP_NEEDS},
    .phrase_options = alcore__smp_options_set,
    PHRASE_RUN,
    .passes = alcore__semi_maximal_passes,
    .finish = finish_frequency,
};

const alcore__strategy_def alcore__strategy_random_phrase = {
    .name = "random-phrase",
    .summary = "Phrases drawn at random without replacement (baseline of Hu and Neubig 2021)",
    .examples = RANDOM_EXAMPLES,
    .reason = "drawn at random",
    .params = ALCORE__PARAMS(RANDOM_ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS},
    .phrase_options = alcore__phrase_options_set,
    .phrases_by_place = true,
    PHRASE_RUN,
    .passes = alcore__unknown_phrases_passes,
    .finish = finish_random,
};
