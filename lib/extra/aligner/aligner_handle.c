/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of the word aligner (alcore/extra/aligner.h): its options, training and applying it on
 * arrays of texts, and alcore_align(), which trains both directions one after the other.
 *
 * The model of aligner_model.h explains target words by source words. In reverse the two sides of
 * the caller's pairs are swapped before they reach it (train_model(), apply()), and the functions
 * that list its links swap them back (their argument `swap`). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/tensor_view.h"
#include "extra/aligner/aligner_handle.h"
#include "extra/aligner/links_handle.h"
#include "text/texts.h"
#include "text/words.h"

static const char STAGE_COUNT[] = "counting words";
/* Texts of one task that counts their words. */
enum { TASK_TEXTS = 1024 };

/* Frees the model when the last reference is dropped. */
static void release_aligner(void *object) {
    alcore_aligner *aligner = object;
    alcore__aligner_free(aligner->model);
}

/* The model belongs to the handle, or is freed after a failure, when *out is NULL. */
alcore_status alcore__aligner_handle_new(alcore_ctx *ctx, alcore__aligner *model, bool reverse,
                                         alcore_aligner **out) {
    alcore_aligner *made = NULL;
    const alcore_status status = alcore__object_new(ctx, sizeof *made, release_aligner, &made);
    if (status == ALCORE_OK) {
        int32_t iterations;
        made->model = model;
        made->reverse = reverse;
        (void)alcore__aligner_log_likelihoods(model, &iterations);
        made->iterations[0] = iterations;
    } else {
        alcore__aligner_free(model);
    }
    *out = made;
    return status;
}

alcore_aligner *alcore_aligner_ref(alcore_aligner *aligner) {
    return alcore__object_ref(aligner);
}

void alcore_aligner_unref(alcore_aligner *aligner) {
    alcore__object_unref(aligner);
}

/* ---- options ---- */

/* Refuses a number that is no value of an enum from first to last, the first of which is the
 * default; 0: the default. */
static alcore_status check_enum(int32_t value, int32_t first, int32_t last, const char *name) {
    if (value == 0 || (value >= first && value <= last)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM, "%s is %" PRId32 ": use 0 or %" PRId32 " to %" PRId32, name,
                        value, first, last);
}

/* Fills *out with the options of the caller; *direction: as given, 0 where it is not. The bounds of
 * the numbers are checked by alcore__aligner_train(); negative numbers are refused there too. */
static alcore_status read_options(const alcore_aligner_options *given, int32_t *direction,
                                  alcore__aligner_options *out) {
    alcore_aligner_options options;
    options = (alcore_aligner_options)ALCORE_ALIGNER_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(&options, sizeof options,
                                         ALCORE__FIRST_SIZE(alcore_aligner_options, alpha), given,
                                         "alcore_aligner_options"));
    ALCORE__TRY(alcore__struct_reserved(options.reserved, "alcore_aligner_options"));
    ALCORE__TRY(check_enum(options.direction, ALCORE_DIRECTION_FORWARD, ALCORE_DIRECTION_REVERSE,
                           "direction"));
    ALCORE__TRY(check_enum(options.model, ALCORE_ALIGNER_DIAGONAL, ALCORE_ALIGNER_IBM1, "model"));
    ALCORE__TRY(
        check_enum(options.estimate, ALCORE_ESTIMATE_BAYES, ALCORE_ESTIMATE_COUNTS, "estimate"));
    ALCORE__TRY(check_enum(options.tension, ALCORE_TENSION_OFF, ALCORE_TENSION_PUBLIC, "tension"));
    *direction = options.direction;
    *out = alcore__aligner_defaults();
    out->diagonal = options.model != ALCORE_ALIGNER_IBM1;
    out->variational_bayes = options.estimate != ALCORE_ESTIMATE_COUNTS;
    out->tension = options.tension == ALCORE_TENSION_GRADIENT ? ALCORE__TENSION_GRADIENT
                   : options.tension == ALCORE_TENSION_PUBLIC ? ALCORE__TENSION_PUBLIC
                                                              : ALCORE__TENSION_OFF;
    if (options.iterations != 0) out->iterations = options.iterations;
    out->p0 = alcore__or_unset(options.p0, out->p0);
    out->lambda = alcore__or_unset(options.lambda, out->lambda);
    out->alpha = alcore__or_unset(options.alpha, out->alpha);
    return ALCORE_OK;
}

/* ---- the texts of the caller as those of the model ---- */

/* The texts of one side of the pairs with their numbers of words, which the model asks for several
 * times. */
typedef struct side {
    alcore__texts texts;
    int64_t *words; /* [texts.count] */
} side;

/* The sentence pairs of a call. */
typedef struct sides {
    alcore_ctx *ctx;
    side source, target; /* of the caller */
} sides;

/* alcore__text_source.words and .text of a side, its data. */
static int64_t side_words(const void *data, int64_t row) {
    return ((const side *)data)->words[row];
}

static const char *side_text(const void *data, int64_t row, size_t *length) {
    return alcore__texts_get(&((const side *)data)->texts, row, length);
}

static alcore__text_source source_of(const side *s) {
    return (alcore__text_source){s, s->texts.count, side_words, side_text};
}

/* Sets words[row]. */
static void count_words(side *s, int64_t row) {
    size_t length, bytes;
    const char *next = alcore__texts_get(&s->texts, row, &length), *end = next + length, *word;
    int64_t count = 0;
    while (alcore__word_next(&next, end, &word, &bytes)) count++;
    s->words[row] = count;
}

/* The task of TASK_TEXTS pairs (alcore__task). */
static alcore_status count_task(void *data, int64_t index, int32_t worker) {
    sides *pairs = data;
    (void)worker;
    const int64_t first = index * TASK_TEXTS, left = pairs->source.texts.count - first;
    for (int64_t i = 0; i < (left < TASK_TEXTS ? left : TASK_TEXTS); i++) {
        ALCORE__TRY(alcore__tick(pairs->ctx, NULL, 0, 0));
        count_words(&pairs->source, first + i);
        count_words(&pairs->target, first + i);
    }
    return ALCORE_OK;
}

/* Checks the texts of a call and counts their words. sides_close() is called in any case. */
static alcore_status sides_open(sides *pairs) {
    const int64_t count = pairs->source.texts.count;
    ALCORE__TRY(alcore__texts_check(&pairs->source.texts, "sources"));
    ALCORE__TRY(alcore__texts_check(&pairs->target.texts, "targets"));
    ALCORE__TRY(
        alcore__new_array(pairs->ctx, (size_t)count, sizeof(int64_t), &pairs->source.words));
    ALCORE__TRY(
        alcore__new_array(pairs->ctx, (size_t)count, sizeof(int64_t), &pairs->target.words));
    return alcore__parallel(pairs->ctx, STAGE_COUNT, (count + TASK_TEXTS - 1) / TASK_TEXTS,
                            count_task, pairs);
}

static void sides_close(sides *pairs) {
    alcore__free(pairs->ctx, pairs->source.words);
    alcore__free(pairs->ctx, pairs->target.words);
}

/* ---- training ---- */

/* Trains the model of one direction. */
static alcore_status train_model(const sides *pairs, bool reverse,
                                 const alcore__aligner_options *options, alcore__aligner **out) {
    const alcore__text_source source = source_of(reverse ? &pairs->target : &pairs->source);
    const alcore__text_source target = source_of(reverse ? &pairs->source : &pairs->target);
    return alcore__aligner_train(pairs->ctx, &source, &target, options, out);
}

/* Reads options and texts, trains, and makes the handle. The caller closes the sides. */
static alcore_status train(sides *pairs, const alcore_aligner_options *given,
                           alcore_aligner **out) {
    alcore__aligner_options options;
    int32_t direction;
    ALCORE__TRY(read_options(given, &direction, &options));
    ALCORE__TRY(sides_open(pairs));
    const bool reverse = direction == ALCORE_DIRECTION_REVERSE;
    alcore__aligner *model;
    ALCORE__TRY(train_model(pairs, reverse, &options, &model));
    return alcore__aligner_handle_new(pairs->ctx, model, reverse, out);
}

alcore_status alcore_aligner_new_trained(alcore_ctx *ctx, const char *const *sources,
                                         const size_t *source_lengths, const char *const *targets,
                                         const size_t *target_lengths, int64_t count,
                                         const alcore_aligner_options *options,
                                         alcore_aligner **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL"));
    sides pairs = {.ctx = ctx,
                   .source.texts = {sources, source_lengths, count},
                   .target.texts = {targets, target_lengths, count}};
    const alcore_status status = train(&pairs, options, out);
    sides_close(&pairs);
    return alcore__leave(ctx, status);
}

/* ---- what a model says ---- */

alcore_status alcore_aligner_log_likelihoods(const alcore_aligner *aligner, alcore_tensor *out) {
    alcore_ctx *ctx = !aligner ? NULL : aligner->object.ctx;
    if (out) *out = (alcore_tensor){0};
    ALCORE__TRY(alcore__enter(ctx));
    if (!aligner || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "aligner or out is NULL"));
    int32_t count;
    double *values = alcore__aligner_log_likelihoods(aligner->model, &count);
    alcore_aligner *owner = aligner->object.self;
    return alcore__leave(ctx,
                         alcore_tensor_init(out, values, ALCORE_FLOAT64, owner->iterations, 1));
}

int32_t alcore_aligner_direction(const alcore_aligner *aligner) {
    return aligner && aligner->reverse ? ALCORE_DIRECTION_REVERSE : ALCORE_DIRECTION_FORWARD;
}

double alcore_aligner_lambda(const alcore_aligner *aligner) {
    return !aligner ? 0 : alcore__aligner_lambda(aligner->model);
}

alcore_status alcore_aligner_probability(const alcore_aligner *aligner, const char *source,
                                         const char *target, double *out) {
    alcore_ctx *ctx = !aligner ? NULL : aligner->object.ctx;
    if (out) *out = 0;
    ALCORE__TRY(alcore__enter(ctx));
    if (!aligner || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "aligner or out is NULL"));
    const char *explained = aligner->reverse ? source : target;
    if (!explained)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "%s is NULL: a word is needed",
                                               aligner->reverse ? "source" : "target"));
    *out =
        alcore__aligner_probability(aligner->model, aligner->reverse ? target : source, explained);
    return alcore__leave(ctx, ALCORE_OK);
}

/* ---- links ---- */

alcore_status alcore_aligner_links(const alcore_aligner *aligner, alcore_links **out) {
    alcore_ctx *ctx = !aligner ? NULL : aligner->object.ctx;
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!aligner || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "aligner or out is NULL"));
    alcore__links links;
    alcore_status status = alcore__aligner_links(aligner->model, aligner->reverse, &links);
    if (status == ALCORE_OK) status = alcore__links_handle_new(ctx, &links, out);
    return alcore__leave(ctx, status);
}

/* Links other pairs with a trained model. The caller closes the sides. */
static alcore_status apply(const alcore_aligner *aligner, sides *pairs, alcore_links **out) {
    ALCORE__TRY(sides_open(pairs));
    const bool reverse = aligner->reverse;
    const alcore__text_source source = source_of(reverse ? &pairs->target : &pairs->source);
    const alcore__text_source target = source_of(reverse ? &pairs->source : &pairs->target);
    alcore__links links;
    ALCORE__TRY(alcore__aligner_apply(aligner->model, &source, &target, reverse, &links));
    return alcore__links_handle_new(pairs->ctx, &links, out);
}

alcore_status alcore_aligner_apply(const alcore_aligner *aligner, const char *const *sources,
                                   const size_t *source_lengths, const char *const *targets,
                                   const size_t *target_lengths, int64_t count,
                                   alcore_links **out) {
    alcore_ctx *ctx = !aligner ? NULL : aligner->object.ctx;
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!aligner || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "aligner or out is NULL"));
    sides pairs = {.ctx = ctx,
                   .source.texts = {sources, source_lengths, count},
                   .target.texts = {targets, target_lengths, count}};
    const alcore_status status = apply(aligner, &pairs, out);
    sides_close(&pairs);
    return alcore__leave(ctx, status);
}

/* ---- both directions ---- */

/* What alcore_align() does with the checked arguments. */
typedef struct alignment {
    sides pairs;
    alcore__aligner_options options;
    alcore__symmetrization method;
    double *log_likelihoods; /* [2, options.iterations] of the caller, or NULL */
} alignment;

/* Trains one direction, keeps its log-likelihoods and its links, and frees the model. */
static alcore_status link_direction(const alignment *a, bool reverse, alcore__links *out) {
    alcore__aligner *model;
    ALCORE__TRY(train_model(&a->pairs, reverse, &a->options, &model));
    if (a->log_likelihoods) {
        int32_t count;
        const double *values = alcore__aligner_log_likelihoods(model, &count);
        memcpy(a->log_likelihoods + (reverse ? count : 0), values, (size_t)count * sizeof *values);
    }
    const alcore_status status = alcore__aligner_links(model, reverse, out);
    alcore__aligner_free(model);
    return status;
}

/* Links both directions and symmetrizes them, or links the one direction that the method asks
 * for. */
static alcore_status link_words(const alignment *a, alcore__links *out) {
    if (a->method == ALCORE__SYMMETRIZE_FORWARD || a->method == ALCORE__SYMMETRIZE_REVERSE)
        return link_direction(a, a->method == ALCORE__SYMMETRIZE_REVERSE, out);
    alcore_ctx *ctx = a->pairs.ctx;
    alcore__links forward = {0}, reverse = {0};
    alcore_status status = link_direction(a, false, &forward);
    if (status == ALCORE_OK) status = link_direction(a, true, &reverse);
    if (status == ALCORE_OK)
        status = alcore__links_symmetrize(ctx, &forward, &reverse, a->method, out);
    alcore__links_clear(ctx, &forward);
    alcore__links_clear(ctx, &reverse);
    return status;
}

/* Checks the arguments and runs alcore_align(). */
static alcore_status align(alignment *a, const alcore_aligner_options *given,
                           const char *symmetrization, const alcore_tensor *out_log_likelihoods,
                           alcore_links **out) {
    int32_t direction;
    ALCORE__TRY(read_options(given, &direction, &a->options));
    if (direction != 0)
        return alcore__fail(ALCORE_E_PARAM,
                            "direction is set, but both are trained: ask for the symmetrization "
                            "%s to get that direction only",
                            direction == ALCORE_DIRECTION_REVERSE ? "reverse" : "forward");
    ALCORE__TRY(alcore__symmetrization_of(symmetrization, &a->method));
    if (out_log_likelihoods) {
        const int64_t iterations = a->options.iterations;
        alcore__array values;
        ALCORE__TRY(alcore__tensor_output(out_log_likelihoods, "out_log_likelihoods",
                                          ALCORE_FLOAT64, 2, iterations, &values));
        a->log_likelihoods = values.data;
        for (int64_t i = 0; i < 2 * iterations; i++) a->log_likelihoods[i] = NAN;
    }
    ALCORE__TRY(sides_open(&a->pairs));
    alcore__links links;
    ALCORE__TRY(link_words(a, &links));
    return alcore__links_handle_new(a->pairs.ctx, &links, out);
}

alcore_status alcore_align(alcore_ctx *ctx, const char *const *sources,
                           const size_t *source_lengths, const char *const *targets,
                           const size_t *target_lengths, int64_t count, const char *symmetrization,
                           const alcore_aligner_options *options,
                           const alcore_tensor *out_log_likelihoods, alcore_links **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL"));
    alignment a = {.pairs = {.ctx = ctx,
                             .source.texts = {sources, source_lengths, count},
                             .target.texts = {targets, target_lengths, count}}};
    const alcore_status status = align(&a, options, symmetrization, out_log_likelihoods, out);
    sides_close(&a.pairs);
    return alcore__leave(ctx, status);
}
