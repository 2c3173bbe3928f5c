/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of L' that enter the training set as they are (spec 6.2; Hu and Neubig 2021, section 4.1):
 * drawn at random, or retrieved by their similarity to the pool. */
#include <stdlib.h>

#include "base/rng.h"
#include "extra/mix/mix_internal.h"
#include "text/vocabulary.h"

/* Draws pairs of L' without replacement (spec 6.2), in the order of the draw. */
alcore_status alcore__mix_random(alcore__mix_run *run) {
    alcore_mix *mix = run->mix;
    const alcore__mix_settings *settings = &mix->settings;
    const int64_t count = settings->count < mix->subset_pairs ? settings->count : mix->subset_pairs;
    int64_t *drawn; /* [count] positions in run->rows, in the order of the draw */
    alcore__rng rng;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof *drawn, &drawn));
    alcore__rng_seed(
        &rng, alcore__rng_derive(settings->seed, ALCORE__TAG_MIX, (uint64_t)settings->round, 0));
    alcore_status status = alcore__rng_sample(run->ctx, &rng, mix->subset_pairs, count, drawn);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        alcore__mix_pair *pair;
        status = alcore__mix_poll(run->ctx, i);
        if (status == ALCORE_OK)
            status =
                alcore__mix_append_labeled(mix, ALCORE__MIX_RANDOM, run->rows[drawn[i]], &pair);
    }
    alcore__free(run->ctx, drawn);
    return status;
}

/* A row of L' with its similarity to the pool. */
typedef struct ranked_row {
    double similarity;
    int64_t row;
} ranked_row;

/* For sorting: by falling similarity, then rising row. */
static int by_similarity(const void *a, const void *b) {
    const ranked_row *left = a, *right = b;
    if (left->similarity != right->similarity) return left->similarity > right->similarity ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

/* Appends the first rows of ranked [subset_pairs], up to the number wanted; with unique those whose
 * source no earlier one has. */
static alcore_status append_ranked(alcore__mix_run *run, const ranked_row *ranked,
                                   alcore__vocabulary *sources) {
    alcore_mix *mix = run->mix;
    for (int64_t i = 0; i < mix->subset_pairs; i++) {
        if (mix->made[ALCORE__MIX_RETRIEVED] == mix->settings.count) return ALCORE_OK;
        ALCORE__TRY(alcore__mix_poll(run->ctx, i));
        alcore__mix_pair *pair;
        if (mix->settings.unique) {
            size_t length;
            uint32_t number;
            const char *text = alcore_pool_text(mix->labeled, ranked[i].row, &length);
            const uint32_t known = sources->count;
            ALCORE__TRY(alcore__vocabulary_add(run->ctx, sources, text, length, &number));
            if (number < known) continue;
        }
        ALCORE__TRY(alcore__mix_append_labeled(mix, ALCORE__MIX_RETRIEVED, ranked[i].row, &pair));
        pair->score = ranked[i].similarity;
    }
    return ALCORE_OK;
}

/* Appends the pairs of L' with the largest margin ratios to a sentence of the pool. */
alcore_status alcore__mix_retrieved(alcore__mix_run *run) {
    alcore_mix *mix = run->mix;
    alcore__vocabulary sources = {0};
    double *ratios = NULL;     /* [rows of labeled] */
    ranked_row *ranked = NULL; /* [subset_pairs] */
    alcore_status status;
    ALCORE__TRY_GOTO(status, done,
                     alcore__new_array(run->ctx, (size_t)alcore_pool_row_count(mix->labeled),
                                       sizeof *ratios, &ratios));
    ALCORE__TRY_GOTO(
        status, done,
        alcore__new_array(run->ctx, (size_t)mix->subset_pairs, sizeof *ranked, &ranked));
    ALCORE__TRY_GOTO(status, done, alcore__mix_ratios(run, true, ratios, NULL));
    for (int64_t i = 0; i < mix->subset_pairs; i++)
        ranked[i] = (ranked_row){ratios[run->rows[i]], run->rows[i]};
    ALCORE__TRY_GOTO(
        status, done,
        alcore__sort(run->ctx, ranked, (size_t)mix->subset_pairs, sizeof *ranked, by_similarity));
    status = append_ranked(run, ranked, &sources);
done:
    alcore__vocabulary_clear(run->ctx, &sources);
    alcore__free(run->ctx, ranked);
    alcore__free(run->ctx, ratios);
    return status;
}
