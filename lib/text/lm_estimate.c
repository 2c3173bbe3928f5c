/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolated modified Kneser-Ney from raw counts (docs/spec/language-model.md has the formulas,
 * whose names a(g), t_k, D(k), N_k(h), den(h) and gamma(h) are used here). Called by
 * alcore__lm_trainer_model() on the thread that entered the call.
 *
 *   1. adjust, find_discounts   for n = N .. 1: adjusted counts of order n from those of order
 *                               n + 1, then t_k and D(k)
 *   2. unigrams                 p(w)
 *   3. higher_order             for n = 2 .. N: den(h) and gamma(h) of the contexts h of n - 1
 *                               words, then p(w | h) from p(w | h') of order n - 1, and at last the
 *                               logarithms of what the next order no longer needs
 *   4. the logarithms of order N, and the entries of the finished model (lm_entries.c)
 *
 * The trie numbers the n-grams of each order: table[n].ngram[number] has the number of the first n
 * - 1 words (context) and of the last n - 1 words (suffix) in order n - 1, and the last word; order
 * 1 is the vocabulary. Arrays over the n-grams of an order are indexed by that number. The model's
 * logp and backoff hold p and gamma until step 3 replaces them by their log10. Whatever is summed
 * over several n-grams is an integer, so the result does not depend on any order. Cost: a few
 * passes over the n-grams of each order, two of them with reads far apart (suffix and context). */
#include <math.h>
#include <string.h>

#include "text/lm_trainer.h"

#define CHUNK_NGRAMS 65536 /* n-grams of one task */
#define POLL_NGRAMS 4096   /* n-grams between two polls of cancellation */
static const char stage[] = "estimating the language model";

/* Sums over the words w that follow one context h. */
typedef struct context_sums {
    uint32_t total;   /* den(h), the sum of a(h w) */
    uint32_t with[3]; /* N_1(h), N_2(h), N_3+(h): words with an adjusted count of 1, 2, 3 or more */
} context_sums;

/* The state of one estimation; alcore__lm_estimate() frees its arrays. */
typedef struct estimate {
    alcore__lm_trainer *trainer; /* has the raw counts */
    alcore_ctx *ctx;
    alcore_lm *lm;                             /* the model being filled */
    int32_t without;                           /* the fold left out, -1: none */
    int32_t order;                             /* the order n being worked on */
    uint32_t *adjusted[ALCORE__LM_ORDERS + 1]; /* [n][n-grams] a(g); 0: g is not in this model; NULL
                                                  once it is no longer needed */
    context_sums *sums; /* [n-grams of order - 1] of the contexts of `order` */
} estimate;

/* c(g) of the n-gram `number` over the folds that take part. */
static uint32_t raw_count(const estimate *e, int32_t order, size_t number) {
    const size_t folds = (size_t)e->trainer->folds;
    const uint32_t *counts = e->trainer->counts[order] + number * folds;
    uint32_t sum = 0;
    for (size_t fold = 0; fold < folds; fold++)
        if ((int32_t)fold != e->without) sum += counts[fold];
    return sum;
}

/* Reports progress and polls cancellation once every POLL_NGRAMS numbers; on the entering
 * thread. */
static alcore_status poll(const estimate *e, size_t number) {
    return number % POLL_NGRAMS == 0 ? alcore__tick(e->ctx, stage, e->lm->order - e->order, -1)
                                     : ALCORE_OK;
}

/* Fills adjusted[order], a(g), from the order above: every n-gram of order + 1 with a count adds 1
 * to its suffix. An n-gram that gets nothing there is never preceded by a word, so it begins with
 * <s> and keeps its raw count; in the highest order all do. With one fold the raw counts are freed
 * here. */
static alcore_status adjust(estimate *e, int32_t order) {
    const alcore__lm_trie *trie = e->lm->trie;
    const size_t count = alcore__lm_size(e->lm, order);
    e->order = order;
    ALCORE__TRY(alcore__new_array(e->ctx, count, sizeof(uint32_t), &e->adjusted[order]));
    uint32_t *adjusted = e->adjusted[order];
    if (order < e->lm->order) {
        const alcore__ngram_table *above = &trie->table[order + 1];
        const uint32_t *above_adjusted = e->adjusted[order + 1];
        for (size_t i = 0; i < above->count; i++) {
            ALCORE__TRY(poll(e, i));
            adjusted[above->ngram[i].suffix] += above_adjusted[i] > 0;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ALCORE__TRY(poll(e, i));
        if (adjusted[i] == 0) adjusted[i] = raw_count(e, order, i);
    }
    if (order == 1) adjusted[ALCORE__LM_BEGIN] = 0; /* never predicted */
    if (e->trainer->folds == 1) alcore__lm_trainer_drop_counts(e->trainer, order);
    return ALCORE_OK;
}

/* Fills exactly (t_k), ngrams, discount (D(1), D(2), D(3+)) and fallback of an order: those that
 * were given, else D(k) = k - (k + 1) y t_(k+1) / t_k with y = t_1 / (t_1 + 2 t_2); where a t is 0
 * or a D outside 0 .. k, as with few texts, fixed values. */
static alcore_status find_discounts(estimate *e, int32_t order) {
    alcore_lm *lm = e->lm;
    const uint32_t *adjusted = e->adjusted[order];
    const size_t count = alcore__lm_size(lm, order);
    int64_t *t = lm->exactly[order]; /* t[k - 1] is t_k */
    for (size_t i = 0; i < count; i++) {
        ALCORE__TRY(poll(e, i));
        if (adjusted[i] >= 1 && adjusted[i] <= 4) t[adjusted[i] - 1]++;
        lm->ngrams[order] += adjusted[i] > 0;
    }
    if (order == 1) lm->ngrams[order] += 2; /* <unk> and <s> */
    double *d = lm->discount[order];
    const alcore__lm_trainer *trainer = e->trainer;
    if (trainer->discounts) {
        memcpy(d, trainer->discounts + (order - 1) * trainer->discount_step, 3 * sizeof *d);
        return ALCORE_OK;
    }
    lm->fallback[order] = t[0] == 0 || t[1] == 0 || t[2] == 0;
    if (!lm->fallback[order]) {
        const double y = (double)t[0] / ((double)t[0] + 2.0 * (double)t[1]);
        for (int k = 1; k <= 3; k++) {
            d[k - 1] = k - (k + 1) * y * (double)t[k] / (double)t[k - 1];
            if (d[k - 1] < 0.0 || d[k - 1] > k) lm->fallback[order] = true;
        }
    }
    if (lm->fallback[order]) memcpy(d, (const double[3]){0.5, 1.0, 1.5}, 3 * sizeof *d);
    return ALCORE_OK;
}

/* The index of D, and of context_sums.with, for an adjusted count of 1 or more: 0, 1 or 2. */
static uint32_t count_class(uint32_t adjusted) {
    return adjusted < 3 ? adjusted - 1 : 2;
}

/* Adds one word that follows the context with this adjusted count. */
static void add_to_context(context_sums *sums, uint32_t adjusted) {
    if (adjusted == 0) return;
    sums->total += adjusted;
    sums->with[count_class(adjusted)]++;
}

/* gamma(h); 1 where h is no context. */
static double context_weight(const estimate *e, const context_sums *sums) {
    const double *d = e->lm->discount[e->order];
    if (sums->total == 0) return 1.0;
    return (d[0] * sums->with[0] + d[1] * sums->with[1] + d[2] * sums->with[2]) / sums->total;
}

/* p(w | h) from a(h w), den(h) = total and below = gamma(h) p(w | h'). Rounding must not lift it
 * above 1, whose logarithm would read as ALCORE__LM_ABSENT. */
static double interpolate(const estimate *e, uint32_t adjusted, uint32_t total, double below) {
    const double *d = e->lm->discount[e->order];
    const double seen = adjusted == 0 ? 0.0 : (adjusted - d[count_class(adjusted)]) / (double)total;
    return fmin(seen + below, 1.0);
}

/* Fills logp[1] with p(w), not yet its logarithm: -1 for words that this model does not have, gamma
 * / V for <unk>, V being the words with </s> and <unk>; p of <s> is 1, since it is never predicted
 * and its logarithm is to be 0. */
static void unigrams(estimate *e) {
    alcore_lm *lm = e->lm;
    e->order = 1;
    const uint32_t *adjusted = e->adjusted[1];
    double *p = lm->logp[1];
    const size_t count = alcore__lm_size(lm, 1);
    context_sums sums = {0};
    for (size_t i = 0; i < count; i++) add_to_context(&sums, adjusted[i]);
    const double below = context_weight(e, &sums) / (double)(lm->ngrams[1] - 1);
    for (size_t i = 0; i < count; i++)
        p[i] = adjusted[i] == 0 ? -1.0 : interpolate(e, adjusted[i], sums.total, below);
    p[ALCORE__LM_UNK] = interpolate(e, 0, sums.total, below);
    p[ALCORE__LM_BEGIN] = 1.0;
}

static size_t chunk_count(size_t count) {
    return (count + CHUNK_NGRAMS - 1) / CHUNK_NGRAMS;
}

/* The task of one chunk of n-grams of e->order (alcore__task): logp of the order becomes p(w | h),
 * -1 where the n-gram is not in this model. gamma is still gamma(h) itself and below p(w | h')
 * itself: higher_order() takes their logarithms afterwards. */
static alcore_status interpolate_chunk(void *data, int64_t index, int32_t worker) {
    (void)worker;
    const estimate *e = data;
    const alcore_lm *lm = e->lm;
    const alcore__ngram_table *table = &lm->trie->table[e->order];
    const uint32_t *adjusted = e->adjusted[e->order];
    const double *gamma = lm->backoff[e->order - 1], *below = lm->logp[e->order - 1];
    double *p = lm->logp[e->order];
    const size_t begin = (size_t)index * CHUNK_NGRAMS;
    const size_t end = begin + CHUNK_NGRAMS < table->count ? begin + CHUNK_NGRAMS : table->count;
    for (size_t i = begin; i < end; i++) {
        const alcore__ngram *ngram = &table->ngram[i];
        p[i] = adjusted[i] == 0 ? -1.0
                                : interpolate(e, adjusted[i], e->sums[ngram->context].total,
                                              gamma[ngram->context] * below[ngram->suffix]);
    }
    return ALCORE_OK;
}

/* The array whose logarithms the tasks take. */
typedef struct logarithms {
    double *values; /* [count] probabilities or back-off weights; -1: absent */
    size_t count;
} logarithms;

/* The task of one chunk (alcore__task): replaces values by their log10, and -1 by
 * ALCORE__LM_ABSENT. */
static alcore_status log10_chunk(void *data, int64_t index, int32_t worker) {
    (void)worker;
    const logarithms *l = data;
    const size_t begin = (size_t)index * CHUNK_NGRAMS;
    const size_t end = begin + CHUNK_NGRAMS < l->count ? begin + CHUNK_NGRAMS : l->count;
    for (size_t i = begin; i < end; i++)
        l->values[i] = l->values[i] < 0.0 ? ALCORE__LM_ABSENT : log10(l->values[i]);
    return ALCORE_OK;
}

static alcore_status replace_by_log10(estimate *e, double *values, size_t count) {
    logarithms l = {values, count};
    return alcore__parallel(e->ctx, stage, (int64_t)chunk_count(count), log10_chunk, &l);
}

/* Step 3 of the file head for one order: backoff[order - 1] and logp[order], then the logarithms of
 * backoff[order - 1] and logp[order - 1], which no later order reads. */
static alcore_status higher_order(estimate *e, int32_t order) {
    alcore_lm *lm = e->lm;
    const alcore__ngram_table *table = &lm->trie->table[order];
    const uint32_t *adjusted = e->adjusted[order];
    const size_t contexts = alcore__lm_size(lm, order - 1);
    e->order = order;
    alcore__free(e->ctx, e->sums);
    e->sums = NULL;
    ALCORE__TRY(alcore__new_array(e->ctx, contexts, sizeof *e->sums, &e->sums));
    for (size_t i = 0; i < table->count; i++) {
        ALCORE__TRY(poll(e, i));
        add_to_context(&e->sums[table->ngram[i].context], adjusted[i]);
    }
    for (size_t i = 0; i < contexts; i++) {
        ALCORE__TRY(poll(e, i));
        lm->backoff[order - 1][i] = context_weight(e, &e->sums[i]);
    }
    ALCORE__TRY(
        alcore__parallel(e->ctx, stage, (int64_t)chunk_count(table->count), interpolate_chunk, e));
    alcore__free(e->ctx, e->adjusted[order]);
    e->adjusted[order] = NULL;
    ALCORE__TRY(replace_by_log10(e, lm->backoff[order - 1], contexts));
    return replace_by_log10(e, lm->logp[order - 1], contexts);
}

/* The model when the other four folds have no text (docs/spec/language-model.md, Cross-fitting):
 * p(<unk>) = p(</s>) = 1/2 and no other n-gram. */
static void set_uniform(alcore_lm *lm) {
    for (int32_t n = 1; n <= lm->order; n++) {
        const size_t count = alcore__lm_size(lm, n);
        for (size_t i = 0; i < count; i++) lm->logp[n][i] = ALCORE__LM_ABSENT;
    }
    lm->logp[1][ALCORE__LM_UNK] = log10(0.5);
    lm->logp[1][ALCORE__LM_BEGIN] = 0.0;
    lm->logp[1][ALCORE__LM_END] = log10(0.5);
    lm->ngrams[1] = 3;
}

/* The steps of the file head; the model's arrays are allocated. */
static alcore_status run(estimate *e) {
    alcore_lm *lm = e->lm;
    for (int32_t n = lm->order; n >= 1; n--) {
        ALCORE__TRY(adjust(e, n));
        ALCORE__TRY(find_discounts(e, n));
    }
    unigrams(e);
    for (int32_t n = 2; n <= lm->order; n++) ALCORE__TRY(higher_order(e, n));
    return replace_by_log10(e, lm->logp[lm->order], alcore__lm_size(lm, lm->order));
}

/* Allocates the model's arrays and estimates it from the counts of all folds but `without` (-1:
 * none). */
alcore_status alcore__lm_estimate(alcore__lm_trainer *trainer, int32_t without, alcore_lm *lm) {
    estimate e = {.trainer = trainer, .ctx = trainer->ctx, .lm = lm, .without = without};
    int64_t sentences = 0;
    for (int32_t fold = 0; fold < trainer->folds; fold++) {
        if (fold == without) continue;
        sentences += trainer->sentences[fold];
        lm->dropped += trainer->dropped[fold];
    }
    for (int32_t n = 1; n <= lm->order; n++) {
        const size_t count = alcore__lm_size(lm, n);
        lm->listed[n] = (uint32_t)count;
        ALCORE__TRY(poll(&e, 0));
        ALCORE__TRY(alcore__new_array(e.ctx, count, sizeof(double), &lm->logp[n]));
        if (n < lm->order)
            ALCORE__TRY(alcore__new_array(e.ctx, count, sizeof(double), &lm->backoff[n]));
    }
    lm->trained = true;
    if (sentences == 0) {
        set_uniform(lm);
        return alcore__lm_finish(lm, false);
    }
    const alcore_status status = run(&e);
    for (int32_t n = 1; n <= lm->order; n++) alcore__free(e.ctx, e.adjusted[n]);
    alcore__free(e.ctx, e.sums);
    return status == ALCORE_OK ? alcore__lm_finish(lm, trainer->folds == 1) : status;
}
