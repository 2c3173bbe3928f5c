/* SPDX-License-Identifier: Apache-2.0 */
/* The training set: options, the order of the work, and what is known of the pairs
 * (alcore/extra/mix.h). */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alternatives.h"
#include "extra/mix/mix_internal.h"

/* In the order of alcore__mix_kind and of alcore__mix_column. */
static const char *const kind_names[ALCORE__MIX_KINDS] = {
    "sent", "phrase", "random", "retrieved", "switched", "contextualized"};
static const char *const column_names[ALCORE__MIX_COLUMNS] = {
    "labeled_row", "pool_row", "item", "word", "target_first", "target_end"};
static const char score_name[] = "score";

const char *alcore__mix_kind_name(alcore__mix_kind kind) {
    return kind_names[kind];
}

/* ---- options ---- */

/* Index of a word of a caller's option among names [count]; ALCORE_E_PARAM, with the nearest name,
 * for another one. */
static alcore_status find_name(const char *option, const char *word, size_t length,
                               const char *const *names, size_t count, size_t *out) {
    char given[32];
    alcore__format(given, sizeof given, "%.*s", (int)(length < 31 ? length : 31), word);
    for (*out = 0; *out < count; ++*out)
        if (strcmp(given, names[*out]) == 0) return ALCORE_OK;
    const char *near = alcore__nearest_name(given, names, count);
    return alcore__fail(ALCORE_E_PARAM, "%s has no \"%s\"%s%s%s", option, given,
                        near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* Reads "none", or names of kinds with "+" between them. */
static alcore_status read_kinds(const char *text, bool wanted[ALCORE__MIX_KINDS]) {
    if (!text || strcmp(text, "none") == 0) return ALCORE_OK;
    for (const char *rest = text;; rest++) {
        const size_t length = strcspn(rest, "+");
        size_t kind;
        ALCORE__TRY(find_name("kind", rest, length, kind_names + ALCORE__MIX_RANDOM,
                              ALCORE__MIX_KINDS - ALCORE__MIX_RANDOM, &kind));
        if (wanted[kind + ALCORE__MIX_RANDOM])
            return alcore__fail(ALCORE_E_PARAM, "kind names %s twice",
                                kind_names[kind + ALCORE__MIX_RANDOM]);
        wanted[kind + ALCORE__MIX_RANDOM] = true;
        rest += length;
        if (*rest == '\0') return ALCORE_OK;
    }
}

/* *out: a value of the caller's, 1 to `high`, or `absent` for 0. */
static alcore_status read_number(const char *name, int64_t given, int64_t absent, int64_t high,
                                 int64_t *out) {
    *out = given == 0 ? absent : given;
    if (given >= 0 && given <= high) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM, "%s is %" PRId64 "; 1 to %" PRId64 " are allowed", name,
                        given, high);
}

/* *out: a value of the caller's, 0 to `high`, or `absent` for one that is not set. */
static alcore_status read_from_0(const char *name, int64_t given, int64_t absent, int64_t high,
                                 int64_t *out) {
    *out = given == ALCORE_UNSET_INT ? absent : given;
    if (*out >= 0 && *out <= high) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM, "%s is %" PRId64 "; 0 to %" PRId64 " are allowed", name,
                        given, high);
}

/* *out: a flag of the caller's, which is 0 or 1. */
static alcore_status read_flag(const char *name, int32_t given, bool *out) {
    *out = given == 1;
    if (given == 0 || given == 1) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM, "%s is %d, neither 0 nor 1", name, given);
}

/* *read: the caller's options by their size; *out: their effective values. */
static alcore_status read_options(const alcore_mix_options *theirs, alcore_mix_options *read,
                                  alcore__mix_settings *out) {
    enum { DEFAULT_SUBSET = 100000, DEFAULT_NEIGHBORS = 4, MAX_UPSAMPLE = 1000000 };
    static const char *const spans[] = {[ALCORE__SPAN_CONSISTENT] = "consistent",
                                        [ALCORE__SPAN_MINMAX] = "minmax",
                                        [ALCORE__SPAN_LITERAL] = "literal"};
    size_t span = ALCORE__SPAN_CONSISTENT;
    *read = (alcore_mix_options)ALCORE_MIX_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(read, sizeof *read,
                                         ALCORE__FIRST_SIZE(alcore_mix_options, norm), theirs,
                                         "alcore_mix_options"));
    ALCORE__TRY(read_kinds(read->kind, out->wanted));
    if (read->span)
        ALCORE__TRY(find_name("span", read->span, strlen(read->span), spans,
                              sizeof spans / sizeof *spans, &span));
    out->span = (alcore__span)span;
    ALCORE__TRY(read_from_0("count", read->count, 0, INT64_MAX, &out->count));
    ALCORE__TRY(read_number("subset", read->subset, DEFAULT_SUBSET, INT64_MAX, &out->subset));
    ALCORE__TRY(read_number("k", read->k, DEFAULT_NEIGHBORS, ALCORE_KNN_MAX, &out->k));
    ALCORE__TRY(read_from_0("upsample_phrase", read->upsample_phrase, 1, MAX_UPSAMPLE,
                            &out->upsample_phrase));
    ALCORE__TRY(read_number("round", read->round, 1, INT64_MAX, &out->round));
    ALCORE__TRY(read_flag("unique", read->unique, &out->unique));
    ALCORE__TRY(read_flag("norm", read->norm, &out->norm));
    out->seed = read->seed;
    out->count_given = read->count != ALCORE_UNSET_INT;
    return ALCORE_OK;
}

/* Refuses kinds whose inputs are missing. */
static alcore_status check_inputs(const alcore_mix *mix) {
    const alcore__mix_settings *settings = &mix->settings;
    const bool phrases =
        settings->wanted[ALCORE__MIX_SWITCHED] || settings->wanted[ALCORE__MIX_CONTEXTUALIZED];
    const bool similar = phrases || settings->wanted[ALCORE__MIX_RETRIEVED];
    const bool mixed = similar || settings->wanted[ALCORE__MIX_RANDOM];
    if (mixed && !mix->labeled)
        return alcore__fail(ALCORE_E_INVALID, "labeled is NULL: this kind takes its pairs from it");
    if (similar && !mix->pool)
        return alcore__fail(ALCORE_E_INVALID, "pool is NULL: this kind compares pairs with it");
    if (phrases && !mix->annotations)
        return alcore__fail(ALCORE_E_INVALID,
                            "annotations is NULL: this kind puts their phrases into pairs");
    if (mixed && !settings->count_given && (!mix->annotations || !mix->pool))
        return alcore__fail(ALCORE_E_INVALID, "count is needed: without annotations and their pool "
                                              "it cannot be computed");
    return ALCORE_OK;
}

/* ---- pairs ---- */

alcore_status alcore__mix_append(alcore_mix *mix, alcore__mix_kind kind, alcore__mix_pair **out) {
    ALCORE__TRY(alcore__grow(mix->object.ctx, &mix->pairs, &mix->capacity, (size_t)mix->count + 1,
                             sizeof *mix->pairs));
    alcore__mix_pair *pair = &mix->pairs[mix->count++];
    *pair = (alcore__mix_pair){.kind = kind, .score = NAN};
    for (int c = 0; c < ALCORE__MIX_COLUMNS; c++) pair->numbers[c] = -1;
    mix->made[kind]++;
    *out = pair;
    return ALCORE_OK;
}

alcore_status alcore__mix_append_labeled(alcore_mix *mix, alcore__mix_kind kind, int64_t row,
                                         alcore__mix_pair **out) {
    ALCORE__TRY(alcore__mix_append(mix, kind, out));
    (*out)->source = alcore_pool_text(mix->labeled, row, &(*out)->source_length);
    (*out)->target = alcore_pool_reference(mix->labeled, row, &(*out)->target_length);
    (*out)->numbers[ALCORE__MIX_LABELED_ROW] = row;
    return ALCORE_OK;
}

/* Appends the translated items of one kind. */
static alcore_status append_items(alcore_mix *mix, bool phrase) {
    const alcore_annotations *annotations = mix->annotations;
    for (int64_t i = 0; i < annotations->count; i++) {
        const alcore__annotation *item = &annotations->items[i];
        alcore__mix_pair *pair;
        ALCORE__TRY(alcore__mix_poll(mix->object.ctx, i));
        if (item->phrase != phrase || !item->translation) continue;
        ALCORE__TRY(alcore__mix_append(mix, phrase ? ALCORE__MIX_PHRASE : ALCORE__MIX_SENT, &pair));
        pair->source = item->text;
        pair->source_length = item->text_length;
        pair->target = item->translation;
        pair->target_length = item->translation_length;
        pair->numbers[ALCORE__MIX_ITEM] = i;
        pair->numbers[ALCORE__MIX_POOL_ROW] = item->row;
    }
    return ALCORE_OK;
}

/* Appends the annotated sentences and phrases, and counts the items that lack a translation. */
static alcore_status append_annotations(alcore_mix *mix) {
    const alcore_annotations *annotations = mix->annotations;
    if (!annotations) return ALCORE_OK;
    ALCORE__TRY(append_items(mix, false));
    for (int64_t n = 0; n < mix->settings.upsample_phrase; n++)
        ALCORE__TRY(append_items(mix, true));
    for (int64_t i = 0; i < annotations->count; i++) {
        mix->open_items += annotations->items[i].answer == ALCORE__ANSWER_OPEN;
        mix->untranslatable_items += alcore__answer_refunds(annotations->items[i].answer);
    }
    return ALCORE_OK;
}

/* Copies the numbers of the pairs into the arrays of which alcore_mix_column() makes views. */
static alcore_status fill_columns(alcore_mix *mix) {
    alcore_ctx *ctx = mix->object.ctx;
    const size_t count = (size_t)mix->count;
    mix->shape[0] = mix->count;
    for (int c = 0; c < ALCORE__MIX_COLUMNS; c++) {
        ALCORE__TRY(alcore__new_array(ctx, count, sizeof *mix->columns[c], &mix->columns[c]));
        for (size_t i = 0; i < count; i++) mix->columns[c][i] = mix->pairs[i].numbers[c];
        ALCORE__TRY(alcore__tick(ctx, NULL /* as said */, 0, -1));
    }
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *mix->scores, &mix->scores));
    for (size_t i = 0; i < count; i++) mix->scores[i] = mix->pairs[i].score;
    return ALCORE_OK;
}

/* ---- making ---- */

/* Makes all pairs; the pools and the annotations are locked for reading. */
static alcore_status make_pairs(alcore__mix_run *run) {
    alcore_mix *mix = run->mix;
    ALCORE__TRY(append_annotations(mix));
    ALCORE__TRY(alcore__mix_inputs(run));
    if (mix->settings.wanted[ALCORE__MIX_RANDOM]) ALCORE__TRY(alcore__mix_random(run));
    if (mix->settings.wanted[ALCORE__MIX_RETRIEVED]) ALCORE__TRY(alcore__mix_retrieved(run));
    for (alcore__mix_kind kind = ALCORE__MIX_SWITCHED; kind <= ALCORE__MIX_CONTEXTUALIZED; kind++)
        if (mix->settings.wanted[kind]) ALCORE__TRY(alcore__mix_phrases(run, kind));
    ALCORE__TRY(fill_columns(mix));
    return alcore__mix_describe(mix);
}

/* Calls make_pairs() with the locks of what the training set is made of. */
static alcore_status make_locked(alcore__mix_run *run) {
    void *const objects[] = {run->mix->annotations, run->mix->labeled, run->mix->pool};
    static const char *const nouns[] = {"annotations", "labeled pool", "pool"};
    alcore_status status = ALCORE_OK;
    int locked = 0;
    for (; locked < 3 && status == ALCORE_OK; locked++)
        if (objects[locked]) status = alcore__read_begin(objects[locked], nouns[locked]);
    if (status == ALCORE_OK)
        status = make_pairs(run);
    else
        locked--; /* the last one was not locked */
    while (locked-- > 0)
        if (objects[locked]) alcore__read_end(objects[locked]);
    return status;
}

/* The destructor of the handle, called with the last reference. */
static void release(void *object) {
    alcore_mix *mix = object;
    alcore_ctx *ctx = mix->object.ctx;
    alcore__arena_clear(ctx, &mix->strings);
    alcore__free(ctx, mix->pairs);
    for (int c = 0; c < ALCORE__MIX_COLUMNS; c++) alcore__free(ctx, mix->columns[c]);
    alcore__free(ctx, mix->scores);
    alcore__buffer_clear(ctx, &mix->summary);
    alcore__buffer_clear(ctx, &mix->provenance);
    alcore_annotations_unref(mix->annotations);
    alcore_pool_unref(mix->labeled);
    alcore_pool_unref(mix->pool);
}

/* Makes the handle and its pairs; each of the three inputs may be NULL. Options are checked before
 * anything is computed. */
static alcore_status make(alcore_ctx *ctx, alcore_pool *labeled, alcore_pool *pool,
                          alcore_annotations *annotations, const alcore_mix_options *theirs,
                          alcore_mix **out) {
    alcore_mix *mix;
    alcore_mix_options options;
    void *const inputs[] = {labeled, pool, annotations};
    for (int i = 0; i < 3; i++)
        if (inputs[i] && ((alcore__object *)inputs[i])->ctx != ctx)
            return alcore__fail(ALCORE_E_INVALID,
                                "a pool or the annotations belong to another context");
    ALCORE__TRY(alcore__object_new(ctx, sizeof *mix, release, &mix));
    mix->labeled = alcore_pool_ref(labeled);
    mix->pool = alcore_pool_ref(pool);
    mix->annotations = alcore_annotations_ref(annotations);
    alcore__mix_run run = {.ctx = ctx, .mix = mix, .options = &options};
    alcore_status status = read_options(theirs, &options, &mix->settings);
    if (status == ALCORE_OK) status = check_inputs(mix);
    if (status == ALCORE_OK) status = alcore__mix_prepare(&run);
    if (status == ALCORE_OK) status = make_locked(&run);
    alcore__mix_run_clear(&run);
    if (status == ALCORE_OK)
        *out = mix;
    else
        alcore__object_unref(mix);
    return status;
}

alcore_status alcore_mix_new(alcore_ctx *ctx, alcore_pool *labeled, alcore_pool *pool,
                             alcore_annotations *annotations, const alcore_mix_options *options,
                             alcore_mix **out) {
    if (out) *out = NULL;
    if (!ctx || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_mix_new: ctx and out are needed");
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, make(ctx, labeled, pool, annotations, options, out));
}

alcore_mix *alcore_mix_ref(alcore_mix *mix) {
    return alcore__object_ref(mix);
}

void alcore_mix_unref(alcore_mix *mix) {
    alcore__object_unref(mix);
}

/* ---- what is known of a training set ---- */

/* The pair of an index; NULL when there is none. */
static const alcore__mix_pair *pair_at(const alcore_mix *mix, int64_t index) {
    return mix && index >= 0 && index < mix->count ? &mix->pairs[index] : NULL;
}

int64_t alcore_mix_count(const alcore_mix *mix) {
    return mix ? mix->count : 0;
}

int64_t alcore_mix_missing(const alcore_mix *mix) {
    int64_t missing = 0;
    for (int kind = ALCORE__MIX_RANDOM; mix && kind < ALCORE__MIX_KINDS; kind++)
        if (mix->settings.wanted[kind] &&
            __builtin_add_overflow(missing, mix->settings.count - mix->made[kind], &missing))
            return INT64_MAX;
    return missing;
}

const char *alcore_mix_kind(const alcore_mix *mix, int64_t index) {
    const alcore__mix_pair *pair = pair_at(mix, index);
    return pair ? kind_names[pair->kind] : NULL;
}

const char *alcore_mix_source(const alcore_mix *mix, int64_t index, size_t *out_length) {
    const alcore__mix_pair *pair = pair_at(mix, index);
    if (out_length) *out_length = pair ? pair->source_length : 0;
    return pair ? pair->source : NULL;
}

const char *alcore_mix_target(const alcore_mix *mix, int64_t index, size_t *out_length) {
    const alcore__mix_pair *pair = pair_at(mix, index);
    if (out_length) *out_length = pair ? pair->target_length : 0;
    return pair ? pair->target : NULL;
}

const char *alcore_mix_builtin_column_name(int64_t index) {
    if (index < 0 || index > ALCORE__MIX_COLUMNS) return NULL;
    return index == ALCORE__MIX_COLUMNS ? score_name : column_names[index];
}

/* *out: a view of a column of the handle. */
static alcore_status get_column(const alcore_mix *mix, const char *name, alcore_tensor *out) {
    int64_t *shape = (int64_t *)mix->shape; /* a tensor has no const shape; views are read only */
    if (strcmp(name, score_name) == 0)
        return alcore_tensor_init(out, mix->scores, ALCORE_FLOAT64, shape, 1);
    for (int c = 0; c < ALCORE__MIX_COLUMNS; c++)
        if (strcmp(name, column_names[c]) == 0)
            return alcore_tensor_init(out, mix->columns[c], ALCORE_INT64, shape, 1);
    return alcore__fail(ALCORE_E_NOT_FOUND, "a training set has no column \"%s\"", name);
}

alcore_status alcore_mix_column(const alcore_mix *mix, const char *name, alcore_tensor *out) {
    if (out) *out = (alcore_tensor){0};
    if (!mix || !name || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_mix_column: mix, name and out are needed");
    ALCORE__TRY(alcore__enter(mix->object.ctx));
    return alcore__leave(mix->object.ctx, get_column(mix, name, out));
}

const char *alcore_mix_summary(const alcore_mix *mix) {
    return mix ? mix->summary.data : NULL;
}

const char *alcore_mix_provenance(const alcore_mix *mix) {
    return mix ? mix->provenance.data : NULL;
}
