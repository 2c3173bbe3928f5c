/* SPDX-License-Identifier: Apache-2.0 */
/* What pairs are made of: the number of pairs, embeddings, L', the language model, the links
 * (docs/spec/mixing.md, 6.1 and 6.2). What the caller gives is used; the rest is made here, and the
 * training set remembers which. */
#include <stdlib.h>

#include "alcore/phrase.h"
#include "base/rng.h"
#include "extra/aligner/links_handle.h"
#include "extra/annotation/pair_links.h"
#include "extra/mix/mix_internal.h"
#include "model/model_internal.h"
#include "pool/column.h"
#include "text/lm_trainer.h"

static const char given[] = "given";

/* Whether phrases are put into pairs: then a language model is needed. */
static bool needs_phrases(const alcore__mix_run *run) {
    const bool *wanted = run->mix->settings.wanted;
    return wanted[ALCORE__MIX_SWITCHED] || wanted[ALCORE__MIX_CONTEXTUALIZED];
}

/* Whether pairs are compared with the pool: then embeddings are needed. */
static bool needs_similarity(const alcore__mix_run *run) {
    return needs_phrases(run) || run->mix->settings.wanted[ALCORE__MIX_RETRIEVED];
}

/* ---- before the locks ---- */

/* The default of count: how many phrases ngf-smp selects for the words of all annotated items. The
 * derived pool lists the semi-maximal phrases that no labeled text contains in the order in which
 * that strategy selects them; as there, the last phrase may exceed the budget. */
static alcore_status default_count(alcore__mix_run *run) {
    alcore_mix *mix = run->mix;
    alcore__mix_settings *settings = &mix->settings;
    alcore_phrase_options options = ALCORE_PHRASE_OPTIONS_INIT;
    alcore_pool *phrases = NULL;
    ALCORE__TRY(alcore__read_begin(mix->annotations, "annotations"));
    for (int64_t i = 0; i < mix->annotations->count; i++)
        settings->budget_words += alcore__count_words(mix->annotations->items[i].text,
                                                      mix->annotations->items[i].text_length);
    alcore__read_end(mix->annotations);
    options.semi_maximal = 1;
    options.unknown = 1;
    ALCORE__TRY(alcore_pool_derive_phrases(mix->pool, mix->labeled, &options, &phrases));
    int64_t words = 0;
    for (; words < settings->budget_words && settings->count < alcore_pool_row_count(phrases);
         settings->count++)
        words += alcore_pool_words(phrases, settings->count);
    alcore_pool_unref(phrases);
    return ALCORE_OK;
}

/* *out: whether a model made the embeddings of the pool. */
static alcore_status made_by_model(alcore_pool *pool, bool *out) {
    const alcore__column *column;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__pool_get_column(pool, "embeddings", &column);
    if (status == ALCORE_OK) *out = column->engine;
    alcore__read_end(pool);
    return status;
}

/* Makes embeddings of both pools where they are missing, and notes their source. Vectors that were
 * given and computed ones cannot be compared, so that both pools must have the same. */
static alcore_status make_embeddings(alcore__mix_run *run) {
    alcore_mix *mix = run->mix;
    alcore_pool *const pools[] = {mix->labeled, mix->pool};
    alcore_model *models[2], *built_in = NULL;
    bool made[2] = {false, false}, used_built_in = false;
    int32_t count = 0;
    if (run->options->model)
        models[count++] = run->options->model;
    else
        ALCORE__TRY(alcore_model_new_ngram(run->ctx, mix->labeled, NULL /* defaults */, &built_in));
    if (built_in) models[count++] = built_in;
    alcore_status status = ALCORE_OK;
    for (int i = 0; i < 2 && status == ALCORE_OK; i++) {
        const char *need = "embeddings";
        char name[1][ALCORE__NEED_BYTES];
        int32_t from;
        status = alcore__model_supply(models, count, pools[i], NULL /* all rows */, &need, 1, name,
                                      &from);
        if (status == ALCORE_OK && from == ALCORE__SUPPLY_NONE)
            status = alcore__fail(ALCORE_E_MISSING,
                                  "embeddings of the %s are needed: they were not given, and the "
                                  "model %s cannot make them",
                                  i == 0 ? "labeled pool" : "pool",
                                  alcore_model_name(run->options->model));
        if (status == ALCORE_OK) status = made_by_model(pools[i], &made[i]);
        used_built_in = used_built_in || (built_in && from >= 0);
    }
    alcore_model_unref(built_in);
    if (status != ALCORE_OK) return status;
    if (made[0] != made[1])
        return alcore__fail(ALCORE_E_MISSING,
                            "embeddings of the %s were given and those of the %s were not; give "
                            "both, or neither",
                            made[0] ? "pool" : "labeled pool", made[0] ? "labeled pool" : "pool");
    if (run->options->model && !made[0])
        return alcore__fail(ALCORE_E_INVALID,
                            "the model is not read: the embeddings of both pools are given");
    mix->embeddings = !made[0]                                ? given
                      : used_built_in || !run->options->model ? "the n-gram model"
                                                              : "the model";
    return ALCORE_OK;
}

/* Refuses a model where no kind of pairs that is made compares embeddings. */
static alcore_status check_model(const alcore__mix_run *run) {
    if (!run->options->model || needs_similarity(run)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "the model is not read: no kind of pairs that is made reads embeddings");
}

alcore_status alcore__mix_prepare(alcore__mix_run *run) {
    const alcore__mix_settings *settings = &run->mix->settings;
    ALCORE__TRY(check_model(run));
    const bool mixed = needs_similarity(run) || settings->wanted[ALCORE__MIX_RANDOM];
    if (mixed && !settings->count_given) ALCORE__TRY(default_count(run));
    return needs_similarity(run) ? make_embeddings(run) : ALCORE_OK;
}

/* ---- L' ---- */

/* Draws L' where the labeled pool has more pairs (spec 6.1): sub is 0 where it has the size of the
 * subset of spec 5.6, and so is that subset, else 1. */
static alcore_status draw_subset(alcore__mix_run *run) {
    enum { MRS_SUBSET = 10000 };
    alcore_mix *mix = run->mix;
    const int64_t pairs = mix->labeled_pairs, size = mix->settings.subset;
    int64_t *positions; /* [size] in rows */
    alcore__rng rng;
    mix->subset_pairs = pairs < size ? pairs : size;
    if (pairs <= size) return ALCORE_OK;
    const uint64_t sub = size == MRS_SUBSET ? 0 : 1;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)size, sizeof *positions, &positions));
    alcore__rng_seed(&rng, alcore__rng_derive(mix->settings.seed, ALCORE__TAG_LSUB, 0, sub));
    alcore_status status = alcore__rng_sample(run->ctx, &rng, pairs, size, positions);
    if (status == ALCORE_OK)
        status =
            alcore__sort(run->ctx, positions, (size_t)size, sizeof *positions, alcore__ascending);
    for (int64_t i = 0; i < size && status == ALCORE_OK; i++)
        run->rows[i] = run->rows[positions[i]];
    alcore__free(run->ctx, positions);
    return status;
}

/* Lists the pairs of the labeled pool in run->rows, draws L' from them and marks its rows. */
static alcore_status find_subset(alcore__mix_run *run) {
    alcore_mix *mix = run->mix;
    const int64_t rows = alcore_pool_row_count(mix->labeled);
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)rows, sizeof *run->rows, &run->rows));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)rows, sizeof *run->in_subset, &run->in_subset));
    for (int64_t row = 0; row < rows; row++) {
        ALCORE__TRY(alcore__mix_poll(run->ctx, row));
        if (alcore__is_pair(mix->labeled, row, ALCORE_ROW_LABELED))
            run->rows[mix->labeled_pairs++] = row;
    }
    if (mix->labeled_pairs == 0)
        return alcore__fail(ALCORE_E_MISSING, "the labeled pool has no pair: a row with a text and "
                                              "a reference that is not masked");
    ALCORE__TRY(draw_subset(run));
    for (int64_t i = 0; i < mix->subset_pairs; i++) run->in_subset[run->rows[i]] = 1;
    return ALCORE_OK;
}

/* Marks the sentences of the pool: its rows without a state. */
static alcore_status find_sentences(alcore__mix_run *run) {
    const alcore_pool *pool = run->mix->pool;
    const int64_t rows = alcore_pool_row_count(pool);
    const uint32_t *states = alcore_pool_states(pool);
    int64_t sentences = 0;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)rows, sizeof *run->in_pool, &run->in_pool));
    for (int64_t row = 0; row < rows; row++) {
        run->in_pool[row] = states[row] == 0;
        sentences += states[row] == 0;
    }
    if (sentences > 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_MISSING, "the pool has no row that is not masked");
}

/* With of_labeled the rows of L' are compared with the unmasked rows of the pool, else the reverse.
 * The arrays have an entry for every row of the pool concerned; those of masked rows are not used.
 */
alcore_status alcore__mix_ratios(alcore__mix_run *run, bool of_labeled, double *ratios,
                                 int64_t *nearest) {
    alcore_mix *mix = run->mix;
    alcore_search_data labeled = ALCORE_SEARCH_DATA_INIT, pool = ALCORE_SEARCH_DATA_INIT;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    alcore_tensor out_ratios, out_nearest;
    int64_t rows = alcore_pool_row_count(of_labeled ? mix->labeled : mix->pool);
    labeled.pool = mix->labeled;
    labeled.mask = run->in_subset;
    labeled.mask_count = alcore_pool_row_count(mix->labeled);
    pool.pool = mix->pool;
    pool.mask = run->in_pool;
    pool.mask_count = alcore_pool_row_count(mix->pool);
    options.device = run->options->device;
    ALCORE__TRY(alcore_tensor_init(&out_ratios, ratios, ALCORE_FLOAT64, &rows, 1));
    if (nearest) ALCORE__TRY(alcore_tensor_init(&out_nearest, nearest, ALCORE_INT64, &rows, 1));
    return alcore_search_margin_ratios(run->ctx, of_labeled ? &labeled : &pool,
                                       of_labeled ? &pool : &labeled, mix->settings.k, &options,
                                       &out_ratios, nearest ? &out_nearest : NULL);
}

/* ---- the language model and the links ---- */

/* Trains on the sentences of the pool; a 4-gram model, as in the paper. */
static alcore_status train_lm(alcore__mix_run *run) {
    const alcore_pool *pool = run->mix->pool;
    const int64_t rows = alcore_pool_row_count(pool);
    alcore__lm_trainer *trainer;
    ALCORE__TRY(
        alcore__lm_trainer_new(run->ctx, ALCORE__LM_DEFAULT_ORDER, 1 /* fold */, rows, &trainer));
    alcore_status status = ALCORE_OK;
    for (int64_t row = 0; row < rows && status == ALCORE_OK; row++) {
        size_t length;
        if (!run->in_pool[row]) continue;
        const char *text = alcore_pool_text(pool, row, &length);
        status = alcore__lm_trainer_add(trainer, text, length);
    }
    if (status == ALCORE_OK)
        status = alcore__lm_trainer_model(trainer, -1 /* no fold is left out */, &run->lm);
    alcore__lm_trainer_free(trainer);
    return status;
}

/* Sets run->lm: the caller's language model, or one of the pool. */
static alcore_status get_lm(alcore__mix_run *run) {
    run->lm = alcore_lm_ref(run->options->lm);
    run->mix->language_model = run->lm ? given : "4-grams of the pool";
    if (!run->lm) ALCORE__TRY(train_lm(run));
    run->mix->lm_fingerprint = alcore_lm_fingerprint(run->lm);
    return ALCORE_OK;
}

/* Refuses links that were given if they name a word that a pair of L' lacks, whichever pairs are
 * retrieved. */
static alcore_status check_links(const alcore__mix_run *run) {
    const alcore_pool *labeled = run->mix->labeled;
    const int64_t rows = alcore_pool_row_count(labeled);
    alcore__link_ranges ranges = {0};
    alcore_status status = ALCORE_OK;
    if (run->links->pairs != rows)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the links are of %lld pairs, and the labeled pool has %lld rows",
                            (long long)run->links->pairs, (long long)rows);
    for (int64_t row = 0; row < rows && status == ALCORE_OK; row++) {
        const int64_t *begin = run->links->begin + row;
        status = alcore__mix_poll(run->ctx, row);
        if (status != ALCORE_OK || !run->in_subset[row] || begin[0] == begin[1]) continue;
        size_t length;
        const char *reference = alcore_pool_reference(labeled, row, &length);
        status = alcore__link_ranges_read(run->ctx, &ranges, run->links->link + begin[0],
                                          begin[1] - begin[0], alcore_pool_words(labeled, row),
                                          alcore__count_words(reference, length));
        if (status == ALCORE_E_DATA) {
            alcore__fail_within(status, "row %lld of the labeled pool", (long long)row);
            size_t bytes;
            const char *text = alcore_pool_text(labeled, row, &bytes);
            alcore__links_fail_range(run->links, row, status, text, bytes, reference, length);
        }
    }
    alcore__link_ranges_clear(run->ctx, &ranges);
    return status;
}

/* Sets run->links: the caller's links, or those of the aligner, trained on L' alone. */
static alcore_status get_links(alcore__mix_run *run) {
    if (run->options->links) {
        run->links = &run->options->links->links;
        run->mix->links = given;
        return check_links(run);
    }
    run->links = &run->made_links;
    run->mix->links = "the aligner";
    const alcore__pool_pairs pairs = {run->mix->labeled, run->in_subset};
    return alcore__pairs_align(run->ctx, pairs, (alcore__pool_pairs){0}, &run->made_links);
}

/* Random pairs need L' only; the others the sentences of the pool too; phrases a language model;
 * switched pairs links. */
alcore_status alcore__mix_inputs(alcore__mix_run *run) {
    const bool *wanted = run->mix->settings.wanted;
    if (!needs_similarity(run) && !wanted[ALCORE__MIX_RANDOM]) return ALCORE_OK;
    ALCORE__TRY(find_subset(run));
    if (!needs_similarity(run)) return ALCORE_OK;
    ALCORE__TRY(find_sentences(run));
    if (needs_phrases(run)) ALCORE__TRY(get_lm(run));
    return wanted[ALCORE__MIX_SWITCHED] ? get_links(run) : ALCORE_OK;
}

void alcore__mix_run_clear(alcore__mix_run *run) {
    alcore__free(run->ctx, run->rows);
    alcore__free(run->ctx, run->in_subset);
    alcore__free(run->ctx, run->in_pool);
    alcore__free(run->ctx, run->nearest);
    alcore__links_clear(run->ctx, &run->made_links);
    alcore_lm_unref(run->lm);
}
