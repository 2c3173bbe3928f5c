/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of the language model (alcore/extra/lm.h): training from an array of texts, and the
 * accessors. text/lm_internal.h has the data layout. */
#include "alcore/extra/lm.h"

#include <string.h>

#include "base/rng.h"
#include "text/lm_internal.h"
#include "text/lm_trainer.h"
#include "text/texts.h"

/* Checks the discounts that were given; the order is that of the model. */
static alcore_status check_discounts(const alcore_lm_options *options) {
    const int64_t count = options->discount_count;
    if (count == 0 && !options->discounts) return ALCORE_OK;
    if (!options->discounts || (count != 3 && count != 3 * options->order))
        return alcore__fail(ALCORE_E_PARAM,
                            "%lld discounts; 3 are needed for all orders, or %d, 3 for each order",
                            (long long)(options->discounts ? count : 0), 3 * (int)options->order);
    for (int64_t i = 0; i < count; i++) {
        const double discount = options->discounts[i];
        const int k = (int)(i % 3) + 1;
        if (!(discount >= 0 && discount <= k))
            return alcore__fail(ALCORE_E_PARAM, "discount %lld, D(%d%s), is %g; 0 to %d is allowed",
                                (long long)i + 1, k, k == 3 ? "+" : "", discount, k);
    }
    return ALCORE_OK;
}

/* Puts the default order in place of 0 and checks the options. */
static alcore_status check_options(alcore_lm_options *options) {
    ALCORE__TRY(alcore__struct_reserved(options->reserved, "alcore_lm_options"));
    if (options->order == 0) options->order = ALCORE__LM_DEFAULT_ORDER;
    if (options->order < 1 || options->order > ALCORE__LM_ORDERS)
        return alcore__fail(ALCORE_E_PARAM, "order is %d, allowed are 1 to %d", (int)options->order,
                            ALCORE__LM_ORDERS);
    return check_discounts(options);
}

/* Logs how many words of the texts were left out because they read like the model's symbols. */
static void warn_of_dropped(alcore_ctx *ctx, const alcore_lm *lm) {
    if (lm->dropped == 0) return;
    alcore__log(ctx, ALCORE_LOG_WARN, "lm", NULL,
                "%lld words <s>, </s> and <unk> of the texts were left out of the training",
                (long long)lm->dropped);
}

/* Checks the arguments of alcore_lm_new_trained(), then trains one model, of one fold, on all
 * texts. */
static alcore_status train(alcore_ctx *ctx, const alcore__texts *texts,
                           const alcore_lm_options *given, alcore_lm **out) {
    alcore_lm_options options;
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_lm_options, reserved), given,
                                    "alcore_lm_options"));
    ALCORE__TRY(check_options(&options));
    ALCORE__TRY(alcore__texts_check(texts, "texts"));
    alcore__lm_trainer *trainer = NULL;
    ALCORE__TRY(alcore__lm_trainer_new(ctx, options.order, 1, texts->count, &trainer));
    trainer->discounts = options.discounts;
    trainer->discount_step = options.discount_count > 3 ? 3 : 0;
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < texts->count && status == ALCORE_OK; i++) {
        size_t length;
        const char *text = alcore__texts_get(texts, i, &length);
        status = alcore__lm_trainer_add(trainer, text, length);
    }
    if (status == ALCORE_OK) status = alcore__lm_trainer_model(trainer, -1, out);
    alcore__lm_trainer_free(trainer);
    if (status == ALCORE_OK) warn_of_dropped(ctx, *out);
    return status;
}

alcore_status alcore_lm_new_trained(alcore_ctx *ctx, const char *const *texts,
                                    const size_t *lengths, int64_t count,
                                    const alcore_lm_options *options, alcore_lm **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL"));
    const alcore__texts all = {texts, lengths, count};
    return alcore__leave(ctx, train(ctx, &all, options, out));
}

alcore_lm *alcore_lm_ref(alcore_lm *lm) {
    return alcore__object_ref(lm);
}

void alcore_lm_unref(alcore_lm *lm) {
    alcore__object_unref(lm);
}

int32_t alcore_lm_order(const alcore_lm *lm) {
    return !lm ? 0 : lm->order;
}

/* Writes what the model knows of one order to the caller's struct, in the size that it has. */
static alcore_status order_get(const alcore_lm *lm, int32_t order, alcore_lm_order_info *out) {
    if (order < 1 || order > lm->order)
        return alcore__fail(ALCORE_E_NOT_FOUND, "the language model has orders 1 to %d, not %d",
                            (int)lm->order, (int)order);
    alcore_lm_order_info info = {
        .size = sizeof info, .ngrams = lm->ngrams[order], .fallback = lm->fallback[order]};
    memcpy(info.exactly, lm->exactly[order], sizeof info.exactly);
    memcpy(info.discount, lm->discount[order], sizeof info.discount);
    return alcore__struct_write(out, &info, sizeof info,
                                ALCORE__FIRST_SIZE(alcore_lm_order_info, reserved),
                                "alcore_lm_order_info");
}

alcore_status alcore_lm_order_get(const alcore_lm *lm, int32_t order, alcore_lm_order_info *out) {
    alcore_ctx *ctx = !lm ? NULL : lm->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    if (!lm || !out) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "lm or out is NULL"));
    return alcore__leave(ctx, order_get(lm, order, out));
}

/* The bytes of a double as an integer, for hashing; callers add +0.0 first, which makes -0.0 equal
 * to 0.0. */
static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The hash of the words of the n-gram `number` of an order (in order 1 a word), from the last to
 * the first: an entry has the last word and, as context, the number of the n-gram of the words
 * before. alcore__rng_derive() serves as a hash of numbers. Hashed are the words' bytes, so the
 * result does not depend on their numbers, which differ between a trained model and the same model
 * read from a file. */
static uint64_t words_hash(const alcore_lm *lm, int32_t order, uint32_t number) {
    const uint64_t *hashes = lm->trie->words.hash;
    uint64_t hash = 0;
    for (int32_t n = order; n >= 2; n--) {
        const alcore__lm_entry *entry = alcore__lm_entry_of(lm, n, number);
        hash = alcore__rng_derive(hash, hashes[entry->word], 0, 0);
        number = entry->context;
    }
    return alcore__rng_derive(hash, hashes[number], 0, 0);
}

/* The sum over all listed n-grams of a hash of words, log-probability and back-off: the same for
 * the same model, in whatever order its n-grams are numbered. Computed once; threads that compute
 * it at once find the same value. */
uint64_t alcore_lm_fingerprint(const alcore_lm *lm) {
    if (!lm) return 0;
    uint64_t sum = atomic_load_explicit(&lm->fingerprint, memory_order_relaxed);
    if (sum != 0) return sum;
    sum = (uint64_t)lm->order;
    for (int32_t n = 1; n <= lm->order; n++) {
        for (uint32_t i = 0; i < lm->listed[n]; i++) {
            const double logp = alcore__lm_logp(lm, n, i);
            if (logp > 0.0) continue; /* ALCORE__LM_ABSENT: the n-gram is not in this model */
            const uint64_t back = n < lm->order ? bits_of(alcore__lm_backoff(lm, n, i) + 0.0) : 0;
            sum += alcore__rng_derive(words_hash(lm, n, i), bits_of(logp + 0.0), back, (uint64_t)n);
        }
    }
    if (sum == 0) sum = 1;
    alcore_lm *known = lm->object.self;
    atomic_store_explicit(&known->fingerprint, sum, memory_order_relaxed);
    return sum;
}
