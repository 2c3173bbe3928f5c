/* SPDX-License-Identifier: Apache-2.0 */
/* The scorer's handle: a built-in score or the caller's function. */
#include <stdio.h>
#include <string.h>

#include "base/param_calls.h"
#include "scorer/scorer_internal.h"

/* The destructor, called at the last unref: calls the host's destroy callback, which may free what
 * host.user points to, and frees the members. */
static void release(void *object) {
    alcore_scorer *scorer = object;
    alcore_ctx *ctx = scorer->object.ctx;
    if (scorer->host.destroy) scorer->host.destroy(scorer->host.user);
    alcore__values_clear(ctx, &scorer->values);
    alcore__free(ctx, scorer->name);
    alcore__needs_free(ctx, scorer->own_needs);
}

/* ---- the registry ---- */

/* The name in the registry that is most like a mistyped one, for the message; NULL: none is. */
static const char *nearest(const char *name) {
    const char *names[64]; /* more than the registry has */
    size_t count = 0;
    while (count < 64 && alcore__score_at((int32_t)count)) {
        names[count] = alcore__score_at((int32_t)count)->name;
        count++;
    }
    return alcore__nearest_name(name, names, count);
}

/* *out: the score of the registry with that name; the error suggests the most similar name. */
static alcore_status find_score(const char *name, const alcore__score **out) {
    *out = alcore__score_find(name);
    if (*out) return ALCORE_OK;
    const char *hint = alcore_hint(ALCORE_HINT_STRATEGY, name), *near = nearest(name);
    if (hint) return alcore__fail(ALCORE_E_PARAM, "no scorer '%s'; %s", name, hint);
    return alcore__fail(ALCORE_E_PARAM, "no scorer '%s'%s%s%s", name,
                        !near ? "" : "; did you mean '", !near ? "" : near, !near ? "" : "'?");
}

/* The built-in scores by index, from 0: name of one; NULL past the last. Strings of these calls are
 * static. */
const char *alcore_scorer_builtin_name(int64_t index) {
    const alcore__score *score = alcore__score_at(index);
    return !score ? NULL : score->name;
}

/* What a built-in score is, in a sentence; NULL for an unknown name. */
const char *alcore_scorer_builtin_summary(const char *name) {
    const alcore__score *score = !name ? NULL : alcore__score_find(name);
    return !score ? NULL : score->summary;
}

/* Column `index`, from 0, that a built-in score reads with its default parameters; NULL past the
 * last. The list ends with NULL, so it is read from its beginning. */
const char *alcore_scorer_builtin_needs(const char *name, int64_t index) {
    const alcore__score *score = !name ? NULL : alcore__score_find(name);
    if (!score || index < 0) return NULL;
    for (int32_t i = 0; i <= index; i++)
        if (!score->needs[i]) return NULL;
    return score->needs[index];
}

/* The needs of a scorer: those of a built-in score as its parameters have them, or those that the
 * host gave. */
const char *const *alcore__scorer_needs(const alcore_scorer *scorer) {
    const alcore__score *score = scorer->score;
    if (!score) return (const char *const *)scorer->own_needs;
    const alcore__score_params params = alcore__score_params_of(&scorer->values);
    return score->needs_of ? score->needs_of(&params) : score->needs;
}

const char *alcore_scorer_needs(const alcore_scorer *scorer, int64_t index) {
    const char *const *needs = scorer ? alcore__scorer_needs(scorer) : NULL;
    if (!needs || index < 0) return NULL;
    for (int64_t i = 0; i < index; i++)
        if (!needs[i]) return NULL;
    return needs[index];
}

/* *out: parameter `index`, from 0, of the built-in score `name`. */
static alcore_status param_info(const char *name, int64_t index, alcore_param_info *out) {
    const alcore__score *score;
    if (!name) return alcore__fail(ALCORE_E_INVALID, "alcore_scorer_builtin_param: name is needed");
    ALCORE__TRY(find_score(name, &score));
    return alcore__param_info(score->params, index, out);
}

/* Describes parameter `index` of a built-in score. It needs no context: alcore__enter() is called
 * with NULL. */
alcore_status alcore_scorer_builtin_param(const char *name, int64_t index, alcore_param_info *out) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, param_info(name, index, out));
}

/* ---- making one ---- */

/* Gives a new scorer a copy of its name. */
static alcore_status name_scorer(alcore_scorer *scorer, const char *name) {
    scorer->name = alcore__strndup(scorer->object.ctx, name, strlen(name));
    return !scorer->name ? alcore__fail_memory(strlen(name) + 1) : ALCORE_OK;
}

/* Makes *out, a scorer of the registry by name, with one reference and the default values of its
 * parameters. release() frees one whose making failed. */
static alcore_status new_scorer(alcore_ctx *ctx, const char *name, alcore_scorer **out) {
    const alcore__score *score;
    alcore_scorer *scorer;
    ALCORE__TRY(find_score(name, &score));
    ALCORE__TRY(alcore__object_new(ctx, sizeof *scorer, release, &scorer));
    scorer->score = score;
    alcore_status status = name_scorer(scorer, name);
    if (status == ALCORE_OK) status = alcore__values_new(ctx, score->params, &scorer->values);
    return alcore__object_made(status, scorer, out);
}

/* *out: a new handle of the built-in score `name`, with one reference; NULL after a failure. */
alcore_status alcore_scorer_new(alcore_ctx *ctx, const char *name, alcore_scorer **out) {
    if (out) *out = NULL;
    if (!ctx || !name || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_scorer_new: ctx, name and out are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, new_scorer(ctx, name, out));
}

/* A scorer whose rule is a callback of the host program; its struct is read by its size and copied,
 * with copies of name and needs. */
static alcore_status new_host(alcore_ctx *ctx, const alcore_scorer_host *theirs,
                              alcore_scorer **out) {
    alcore_scorer_host host;
    ALCORE__TRY(alcore__struct_read(&host, sizeof host,
                                    ALCORE__FIRST_SIZE(alcore_scorer_host, score), theirs,
                                    "alcore_scorer_host"));
    if (!host.score) return alcore__fail(ALCORE_E_INVALID, "alcore_scorer_host: score is needed");
    alcore_scorer *scorer;
    ALCORE__TRY(alcore__object_new(ctx, sizeof *scorer, release, &scorer));
    alcore_status status = name_scorer(scorer, !host.name ? "host" : host.name);
    if (status == ALCORE_OK) status = alcore__needs_copy(ctx, host.needs, &scorer->own_needs);
    /* Only now: a failure leaves the caller's destroy to the caller. */
    if (status == ALCORE_OK) scorer->host = host;
    return alcore__object_made(status, scorer, out);
}

/* *out: a new handle of the host's own score, with one reference; NULL after a failure, when the
 * host still owns what host->user points to. */
alcore_status alcore_scorer_new_host(alcore_ctx *ctx, const alcore_scorer_host *host,
                                     alcore_scorer **out) {
    if (out) *out = NULL;
    if (!ctx || !host || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_scorer_new_host: ctx, host and out are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, new_host(ctx, host, out));
}

/* References to the handle: the last unref calls release(). Both accept NULL. */
alcore_scorer *alcore_scorer_ref(alcore_scorer *scorer) {
    return alcore__object_ref(scorer);
}

void alcore_scorer_unref(alcore_scorer *scorer) {
    alcore__object_unref(scorer);
}

/* alcore__param_calls.set: sets a parameter from text; handle: the scorer, locked by the caller.
 * The scorer of a host has no parameters. */
static alcore_status set_value(void *handle, const char *name, const char *value) {
    alcore_scorer *scorer = handle;
    char owner[64]; /* what the message calls the scorer; longer than any name of the registry */
    if (!scorer->score)
        return alcore__fail(ALCORE_E_PARAM, "scorer %s has no parameters: it is the caller's own",
                            scorer->name);
    snprintf(owner, sizeof owner, "scorer %s", scorer->name);
    return alcore__values_set(scorer->object.ctx, &scorer->values, owner, name, value);
}

/* alcore__param_calls.get: *out_text is a view of the value, valid until it is set again. */
static alcore_status get_value(const void *handle, const char *name, const char **out_text) {
    const alcore_scorer *scorer = handle;
    return alcore__values_get(&scorer->values, "scorer", name, out_text);
}

static const alcore__param_calls PARAM_CALLS = {
    .noun = "scorer", .set = set_value, .get = get_value};

/* The public calls for parameters: base/param_calls.c checks the arguments, locks the handle and
 * calls set_value() or get_value(); integers and numbers are passed as text. */
alcore_status alcore_scorer_set(alcore_scorer *scorer, const char *name, const char *value) {
    return alcore__param_set(&PARAM_CALLS, scorer, name, value);
}

alcore_status alcore_scorer_set_int(alcore_scorer *scorer, const char *name, int64_t value) {
    return alcore__param_set_int(&PARAM_CALLS, scorer, name, value);
}

alcore_status alcore_scorer_set_number(alcore_scorer *scorer, const char *name, double value) {
    return alcore__param_set_number(&PARAM_CALLS, scorer, name, value);
}

alcore_status alcore_scorer_get(const alcore_scorer *scorer, const char *name,
                                const char **out_text) {
    return alcore__param_get(&PARAM_CALLS, scorer, name, out_text);
}
