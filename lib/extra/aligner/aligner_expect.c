/* SPDX-License-Identifier: Apache-2.0 */
/* The E-step and the decoding of one sentence pair (docs/spec/aligner.md, "Model"). The blocks of
 * aligner.c call them on the workers, pair after pair.
 *
 *   term(j)      = delta(j | i) t(f_i | e_j)      for source positions j = 0 (null), 1 .. n
 *   posterior(j) = term(j) / sum of the terms
 *   log-likelihood of the pair = sum over target words of ln(sum of the terms)
 *
 * n and m are the words of the source and the target sentence, i = 1 .. m the target position; the
 * worker's arrays delta, term and slot have n + 1 entries, entry j for source position j. A pair
 * has the words' symbols, source [n] and target [m]; symbol 0 as a source word is the null word.
 *
 * The table (aligner_table.h) is a hash table with a row of slots for each source symbol:
 * cell[slot] has t(f | e) and the expected count of the pair, an integer in units of
 * 2^-table.shift. emp is the sum of posterior times h = -|j / n - i / m|, from which
 * aligner_tension.c updates lambda.
 *
 * The time goes to reads of the table, whose rows lie anywhere in memory. So the slots of the next
 * target word are prefetched before the terms of the present one are computed: two arrays of slots
 * take turns.
 *
 * delta needs two exponentials per target word: away from the diagonal, exp(lambda h) falls by the
 * factor exp(-lambda / n) with every source position, in both directions. */
#include <math.h>

#include "extra/aligner/aligner_internal.h"

/* Cells of the table that are read between two polls of cancellation: about 0.1 ms. */
enum { POLL_CELLS = 8192 };

alcore_status alcore__aligner_scratch_new(alcore_ctx *ctx, int64_t longest,
                                          alcore__aligner_scratch *out) {
    const size_t count = (size_t)longest + 1;
    *out = (alcore__aligner_scratch){0};
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &out->delta));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &out->term));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(uint64_t), &out->slot[0]));
    return alcore__new_array(ctx, count, sizeof(uint64_t), &out->slot[1]);
}

void alcore__aligner_scratch_clear(alcore_ctx *ctx, alcore__aligner_scratch *scratch) {
    alcore__free(ctx, scratch->delta);
    alcore__free(ctx, scratch->term);
    alcore__free(ctx, scratch->slot[0]);
    alcore__free(ctx, scratch->slot[1]);
    *scratch = (alcore__aligner_scratch){0};
}

/* The prior of the diagonal model for target position i: delta [n + 1], delta[0] = p0 and delta[j]
 * = (1 - p0) exp(lambda h(i, j, m, n)) / Z. ratio: exp(-lambda / n). The two positions next to the
 * diagonal are computed by exp(), each other one by multiplying its neighbor by ratio. Z is summed
 * in the order of j, so that the result does not depend on where the diagonal lies. */
static void diagonal_prior(int64_t i, int64_t m, int64_t n, double lambda, double ratio, double p0,
                           double *delta) {
    const int64_t split = i * n / m; /* the last position on or before the diagonal */
    if (split > 0) {
        double power = exp(lambda * alcore__aligner_h(i, split, m, n));
        for (int64_t j = split; j > 0; j--, power *= ratio) delta[j] = power;
    }
    if (split < n) {
        double power = exp(lambda * alcore__aligner_h(i, split + 1, m, n));
        for (int64_t j = split + 1; j <= n; j++, power *= ratio) delta[j] = power;
    }
    double z = 0;
    for (int64_t j = 1; j <= n; j++) z += delta[j];
    const double scale = (1 - p0) / z;
    for (int64_t j = 1; j <= n; j++) delta[j] *= scale;
    delta[0] = p0;
}

void alcore__aligner_delta(int64_t i, int64_t m, int64_t n, double lambda, double p0,
                           double *delta) {
    diagonal_prior(i, m, n, lambda, exp(-lambda / (double)n), p0, delta);
}

/* The prior of Model 1: delta [n + 1], 1 / (n + 1) each; without a null word 1 / n, and delta[0] is
 * 0. */
static void uniform_prior(int64_t n, bool null_word, double *delta) {
    const double each = 1 / (double)(null_word ? n + 1 : n);
    for (int64_t j = 1; j <= n; j++) delta[j] = each;
    delta[0] = null_word ? each : 0;
}

/* Fills slot [n + 1] with the slots where the searches for (each source word, target) begin, and
 * prefetches both arrays of the table there. Called one target word ahead of compute_terms().
 * slot[0] stays unset without a null word. */
static void locate(const alcore__aligner *aligner, const alcore__aligner_pair *pair,
                   uint32_t target, uint64_t *slot) {
    const alcore__aligner_table *table = &aligner->table;
    for (int64_t j = aligner->options.null_word ? 0 : 1; j <= pair->n; j++) {
        slot[j] = alcore__aligner_home(table, j > 0 ? pair->source[j - 1] : 0, target);
        __builtin_prefetch(&table->key[slot[j]]);
        __builtin_prefetch(&table->cell[slot[j]], 1);
    }
}

/* Fills term [n + 1] of the target word of a training pair from the present delta; returns the sum
 * of the terms. slot [n + 1] holds the beginnings of the searches from locate() and receives the
 * exact slots, where add_posteriors() adds the counts. The pair was trained on, so every search
 * finds its slot. */
static double compute_terms(const alcore__aligner *aligner, const alcore__aligner_scratch *scratch,
                            const alcore__aligner_pair *pair, uint32_t target, uint64_t *slot) {
    const alcore__aligner_table *table = &aligner->table;
    double total = 0;
    scratch->term[0] = 0;
    for (int64_t j = aligner->options.null_word ? 0 : 1; j <= pair->n; j++) {
        const uint32_t source = j > 0 ? pair->source[j - 1] : 0;
        slot[j] = alcore__aligner_slot(table, source, target, slot[j]);
        scratch->term[j] = scratch->delta[j] * table->cell[slot[j]].t;
        total += scratch->term[j];
    }
    return total;
}

/* Does what compute_terms() does for a pair that need not be one of the training pairs: words that
 * never occurred together, and unknown words (symbol 0), have t = options.start. It searches
 * without prefetching. */
static double compute_unseen_terms(const alcore__aligner *aligner,
                                   const alcore__aligner_scratch *scratch,
                                   const alcore__aligner_pair *pair, uint32_t target) {
    const bool null_word = aligner->options.null_word;
    double total = 0;
    scratch->term[0] = 0;
    for (int64_t j = null_word ? 0 : 1; j <= pair->n; j++) {
        const uint32_t source = j > 0 ? pair->source[j - 1] : 0;
        const bool both_known = target != ALCORE__CORPUS_BOUNDARY && (j == 0 || source != 0);
        const alcore__aligner_cell *cell =
            both_known ? alcore__aligner_cell_find(&aligner->table, source, target) : NULL;
        scratch->term[j] = scratch->delta[j] * (cell ? cell->t : aligner->options.start);
        total += scratch->term[j];
    }
    return total;
}

/* Adds an integer to a count or a mass. Where one thread alone adds (not shared), a plain addition
 * saves the cost of a locked instruction. */
static void add_units(_Atomic uint64_t *count, uint64_t units, bool shared) {
    if (shared)
        atomic_fetch_add_explicit(count, units, memory_order_relaxed);
    else
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + units,
                              memory_order_relaxed);
}

/* The second half of the E-step of target position i (from 1), whose terms add up to total and
 * whose slots [n + 1] are exact. Adds each posterior, rounded to units, to its count in the table;
 * with a tension also posterior times h to sums->emp, and with the gradient the posteriors of j >=
 * 1 to mass[i - 1] in units of 2^-mass_shift. The public tension counts target positions from 0 in
 * h, as the tool that it reproduces does. */
static void add_posteriors(alcore__aligner *aligner, const alcore__aligner_scratch *scratch,
                           const alcore__aligner_pair *pair, int64_t i, double total,
                           const uint64_t *slot, _Atomic uint64_t *mass, int32_t mass_shift,
                           alcore__aligner_sums *sums) {
    alcore__aligner_table *table = &aligner->table;
    const alcore__tension tension = aligner->options.tension;
    const double unit = ldexp(1, table->shift) / total;
    for (int64_t j = aligner->options.null_word ? 0 : 1; j <= pair->n; j++) {
        const uint64_t units = (uint64_t)(int64_t)(scratch->term[j] * unit + 0.5);
        if (units > 0) add_units(&table->cell[slot[j]].count, units, table->shared);
    }
    if (tension == ALCORE__TENSION_OFF) return;
    const int64_t h_position = tension == ALCORE__TENSION_PUBLIC ? i - 1 : i;
    double not_null = 0; /* sum of the posteriors of j >= 1 */
    for (int64_t j = 1; j <= pair->n; j++) {
        const double q = scratch->term[j] / total;
        sums->emp += q * alcore__aligner_h(h_position, j, pair->m, pair->n);
        not_null += q;
    }
    if (tension == ALCORE__TENSION_GRADIENT)
        add_units(&mass[i - 1], (uint64_t)(int64_t)(ldexp(not_null, mass_shift) + 0.5),
                  table->shared);
}

/* Polls cancellation once every POLL_CELLS cells; `cells` were read since the last call. */
static alcore_status poll(const alcore__aligner *aligner, alcore__aligner_scratch *scratch,
                          int64_t cells) {
    scratch->cells += cells;
    if (scratch->cells < POLL_CELLS) return ALCORE_OK;
    scratch->cells = 0;
    return alcore__tick(aligner->ctx, NULL, 0, 0);
}

/* Fills delta [n + 1] for target position i. The uniform prior is the same for every i, so it is
 * filled at the first one alone: positions come in the order 1 .. m. */
static void prior(const alcore__aligner *aligner, const alcore__aligner_pair *pair, int64_t i,
                  double ratio, double *delta) {
    if (aligner->options.diagonal)
        diagonal_prior(i, pair->m, pair->n, aligner->lambda, ratio, aligner->options.p0, delta);
    else if (i == 1)
        uniform_prior(pair->n, aligner->options.null_word, delta);
}

/* The E-step of one pair: for each target word the prior, the terms, their sum, then the posteriors
 * into the counts. mass [m] or NULL; the slots of word i + 1 are located while word i is
 * computed. */
alcore_status alcore__aligner_expect(alcore__aligner *aligner, alcore__aligner_scratch *scratch,
                                     const alcore__aligner_pair *pair, _Atomic uint64_t *mass,
                                     int32_t mass_shift, alcore__aligner_sums *sums) {
    const double ratio = exp(-aligner->lambda / (double)pair->n);
    locate(aligner, pair, pair->target[0], scratch->slot[0]);
    for (int64_t i = 1; i <= pair->m; i++) {
        uint64_t *slot = scratch->slot[(i - 1) & 1];
        if (i < pair->m) locate(aligner, pair, pair->target[i], scratch->slot[i & 1]);
        prior(aligner, pair, i, ratio, scratch->delta);
        const double total = compute_terms(aligner, scratch, pair, pair->target[i - 1], slot);
        sums->log_likelihood += log(total);
        add_posteriors(aligner, scratch, pair, i, total, slot, mass, mass_shift, sums);
        ALCORE__TRY(poll(aligner, scratch, pair->n));
    }
    return ALCORE_OK;
}

/* partner [m]: for each target word the j with the largest term, the smallest j in ties. A pair
 * that was not trained on (trained false) may have words and pairs of words that the table
 * lacks. */
alcore_status alcore__aligner_decode(const alcore__aligner *aligner,
                                     alcore__aligner_scratch *scratch,
                                     const alcore__aligner_pair *pair, bool trained,
                                     uint32_t *partner, alcore__aligner_sums *sums) {
    const double ratio = exp(-aligner->lambda / (double)pair->n);
    const int64_t first = aligner->options.null_word ? 0 : 1;
    if (trained) locate(aligner, pair, pair->target[0], scratch->slot[0]);
    for (int64_t i = 1; i <= pair->m; i++) {
        uint64_t *slot = scratch->slot[(i - 1) & 1];
        const uint32_t target = pair->target[i - 1];
        if (trained && i < pair->m) locate(aligner, pair, pair->target[i], scratch->slot[i & 1]);
        prior(aligner, pair, i, ratio, scratch->delta);
        sums->log_likelihood += log(trained ? compute_terms(aligner, scratch, pair, target, slot)
                                            : compute_unseen_terms(aligner, scratch, pair, target));
        int64_t best = first;
        for (int64_t j = first + 1; j <= pair->n; j++)
            if (scratch->term[j] > scratch->term[best]) best = j;
        partner[i - 1] = (uint32_t)best;
        ALCORE__TRY(poll(aligner, scratch, pair->n));
    }
    return ALCORE_OK;
}
