/* SPDX-License-Identifier: Apache-2.0 */
/* The public handle of a strategy: a definition of the registry, or the callbacks of a host
 * program, with the values of its parameters. Handles are reference-counted objects of a context.
 */
#include "strategy/strategy_handle.h"

#include <string.h>

#include "base/param_calls.h"

static const char PREFIX[] = "strategy "; /* what `owner` begins with */

/* Columns that a host may name for a role, as alcore/strategy.h says. A dataset has places for
 * more: the similarity limit adds the embeddings. */
enum { MAX_HOST_NEEDS = 7 };

/* The destructor of the handle, called when its last reference is released. The host's destroy
 * callback, which may free host.user, runs first. */
static void release(void *object) {
    alcore_strategy *strategy = object;
    alcore_ctx *ctx = strategy->object.ctx;
    if (strategy->host.destroy) strategy->host.destroy(strategy->host.user);
    alcore__values_clear(ctx, &strategy->values);
    for (int32_t place = 0; place < ALCORE__NEED_ROLES; place++)
        alcore__needs_free(ctx, strategy->host_needs[place]);
    for (int32_t p = 0; p < ALCORE__STRATEGY_PARTS; p++) alcore__object_unref(strategy->parts[p]);
    alcore__free(ctx, strategy->owner);
}

/* ---- parts of a hybrid strategy ---- */

static const char *const PART_NAMES[ALCORE__STRATEGY_PARTS] = {"sentences", "phrases"};

static alcore_status make(alcore_ctx *ctx, const alcore__strategy_def *def, const char *name,
                          alcore_strategy **out);

/* Makes *out, the built-in strategy of a name with its default parameters, for a part of a hybrid.
 * Fails for one that buys the other kind (part 0 buys rows, part 1 phrases) or is a hybrid itself;
 * *out is set on success only. */
static alcore_status make_part(const alcore_strategy *strategy, int32_t part, const char *name,
                               alcore_strategy **out) {
    const alcore__strategy_def *def = alcore__strategy_find(name);
    if (!def) return alcore__strategy_unknown(name);
    if (def->hybrid || (def->phrase_options != NULL) != (part == 1))
        return alcore__fail(ALCORE_E_PARAM, "%s: %s is a strategy that buys %s, which %s does not",
                            strategy->owner, PART_NAMES[part], part == 1 ? "phrases" : "rows",
                            name);
    return make(strategy->object.ctx, def, def->name, out);
}

/* Makes the parts of a new handle by the parameters "sentences" and "phrases", whose values name
 * strategies; nothing for a strategy that is no hybrid. */
static alcore_status make_parts(alcore_strategy *strategy) {
    alcore__hybrid_shares shares;
    if (!strategy->def->hybrid) return ALCORE_OK;
    alcore__strategy_shares(strategy, &shares);
    for (int32_t p = 0; p < ALCORE__STRATEGY_PARTS; p++)
        ALCORE__TRY(make_part(strategy, p, shares.parts[p], &strategy->parts[p]));
    return ALCORE_OK;
}

/* The part of a hybrid that a parameter belongs to; -1: it is a parameter of the strategy itself.
 * "sentences" and "phrases" choose the strategy of a part: *rest is then NULL. "sentences.k" is
 * parameter k of part 0: *rest is "k". *rest is meaningful only where the result is not -1. */
static int32_t part_of(const alcore_strategy *strategy, const char *name, const char **rest) {
    for (int32_t p = 0; strategy->def->hybrid && p < ALCORE__STRATEGY_PARTS; p++) {
        const size_t length = strlen(PART_NAMES[p]);
        if (strncmp(name, PART_NAMES[p], length) != 0) continue;
        *rest = name[length] == '.' ? name + length + 1 : NULL;
        if (*rest || name[length] == '\0') return p;
    }
    return -1;
}

alcore_strategy *alcore__strategy_part(const alcore_strategy *strategy, int32_t part) {
    return strategy->parts[part];
}

void alcore__strategy_shares(const alcore_strategy *strategy, alcore__hybrid_shares *out) {
    *out = (alcore__hybrid_shares){0};
    alcore__values_bind(&strategy->values, ALCORE__TO_SHARES, out);
}

/* ---- handles ---- */

/* A handle of the strategy def, its parameters at their defaults; name: what error messages call it
 * ("strategy NAME", kept in owner). Called for built-in strategies and, with the definition
 * alcore__strategy_of_host, for those of a host. *out is set on success only. */
static alcore_status make(alcore_ctx *ctx, const alcore__strategy_def *def, const char *name,
                          alcore_strategy **out) {
    alcore_strategy *strategy;
    ALCORE__TRY(alcore__object_new(ctx, sizeof *strategy, release, &strategy));
    strategy->def = def;
    alcore__buffer owner = {0};
    alcore_status status = alcore__buffer_format(ctx, &owner, "%s%s", PREFIX, name);
    strategy->owner = owner.data;
    if (status == ALCORE_OK) status = alcore__values_new(ctx, def->params, &strategy->values);
    if (status == ALCORE_OK) status = make_parts(strategy);
    return alcore__object_made(status, strategy, out);
}

/* Public functions enter the context first, so that every return leaves it again. */
alcore_status alcore_strategy_new(alcore_ctx *ctx, const char *name, alcore_strategy **out) {
    ALCORE__TRY(alcore__enter(ctx));
    if (!out) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "out is NULL"));
    *out = NULL;
    if (!ctx) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx is NULL"));
    const alcore__strategy_def *def = alcore__strategy_find(name);
    const alcore_status status =
        def ? make(ctx, def, def->name, out) : alcore__strategy_unknown(name);
    if (status == ALCORE_OK) (*out)->is_recommended = alcore__strategy_name_recommends(name);
    return alcore__leave(ctx, status);
}

/* Copies the NULL-terminated list of column names that a host's strategy reads of the pool in a
 * role (NULL: none), since the host may free its own after the call. */
static alcore_status copy_needs(alcore_strategy *strategy, int32_t role, const char *const *needs) {
    size_t count = 0;
    while (needs && needs[count]) count++;
    if (count > MAX_HOST_NEEDS)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_strategy_host names %zu columns of one role, at most %d are "
                            "allowed",
                            count, MAX_HOST_NEEDS);
    return alcore__needs_copy(strategy->object.ctx, needs,
                              &strategy->host_needs[alcore__role_place(role)]);
}

/* A strategy whose rule is a callback of the host program. Reads the caller's struct by its member
 * `size`, as every public struct, and copies the name and the needs. The callbacks and host.user
 * are stored last, on success only: the caller still owns host.user after an error, since release()
 * then finds no destroy callback to call. */
static alcore_status make_host(alcore_ctx *ctx, const alcore_strategy_host *theirs,
                               alcore_strategy **out) {
    alcore_strategy_host host; /* a copy; members that the caller's struct does not have are 0 */
    /* `choose` is the last member of the first version of the struct. */
    ALCORE__TRY(alcore__struct_read(&host, sizeof host,
                                    ALCORE__FIRST_SIZE(alcore_strategy_host, choose), theirs,
                                    "alcore_strategy_host"));
    if (!host.choose) return alcore__fail(ALCORE_E_INVALID, "alcore_strategy_host.choose is NULL");
    alcore_strategy *strategy;
    ALCORE__TRY(make(ctx, &alcore__strategy_of_host, host.name ? host.name : "host", &strategy));
    alcore_status status = copy_needs(strategy, ALCORE_ROLE_CANDIDATES, host.needs);
    if (status == ALCORE_OK) status = copy_needs(strategy, ALCORE_ROLE_LABELED, host.labeled_needs);
    if (status == ALCORE_OK) status = copy_needs(strategy, ALCORE_ROLE_TARGET, host.target_needs);
    if (status != ALCORE_OK) {
        alcore__object_unref(strategy);
        return status;
    }
    strategy->host = host;
    /* These are the host's memory; the handle has copies of its own. */
    strategy->host.name = NULL;
    strategy->host.needs = NULL;
    strategy->host.labeled_needs = NULL;
    strategy->host.target_needs = NULL;
    *out = strategy;
    return ALCORE_OK;
}

alcore_status alcore_strategy_new_host(alcore_ctx *ctx, const alcore_strategy_host *host,
                                       alcore_strategy **out) {
    ALCORE__TRY(alcore__enter(ctx));
    if (!out) return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "out is NULL"));
    *out = NULL;
    if (!ctx || !host) {
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx and host must not be NULL"));
    }
    return alcore__leave(ctx, make_host(ctx, host, out));
}

alcore_strategy *alcore_strategy_ref(alcore_strategy *strategy) {
    return alcore__object_ref(strategy);
}

void alcore_strategy_unref(alcore_strategy *strategy) {
    alcore__object_unref(strategy);
}

static bool has_param(const alcore__strategy_def *def, const char *name) {
    for (int32_t i = 0; def->params && i < def->params->count; i++)
        if (strcmp(def->params->rows[i].name, name) == 0) return true;
    return false;
}

/* Fails for a parameter that the recommended strategy lacks and another has, which the message
 * names: the caller means that one. */
static alcore_status check_recommended(const alcore_strategy *strategy, const char *name) {
    const alcore__strategy_def *def;
    if (!strategy->is_recommended || has_param(strategy->def, name)) return ALCORE_OK;
    for (int64_t i = 0; (def = alcore__strategy_at(i)) != NULL; i++)
        if (has_param(def, name))
            return alcore__fail(ALCORE_E_PARAM,
                                "the recommended strategy %s has no parameter \"%s\"; name a "
                                "strategy that has one, such as %s",
                                strategy->def->name, name, def->name);
    return ALCORE_OK;
}

/* Set and read one parameter; alcore__param_set() and alcore__param_get() call them with the
 * context entered and the handle locked for writing or reading. In a hybrid, "sentences.k" is set
 * in the part (a part is no hybrid, so the recursion is one call deep), and setting "sentences"
 * replaces the part by a new one with its defaults once the name is stored: after a failure both
 * are as they were. */
static alcore_status set_value(void *handle, const char *name, const char *value) {
    alcore_strategy *strategy = handle;
    const char *rest;
    alcore_strategy *made = NULL;
    const int32_t part = part_of(strategy, name, &rest);
    if (part >= 0 && rest) return set_value(strategy->parts[part], rest, value);
    ALCORE__TRY(check_recommended(strategy, name));
    if (part >= 0) ALCORE__TRY(make_part(strategy, part, value, &made));
    const alcore_status status =
        alcore__values_set(strategy->object.ctx, &strategy->values, strategy->owner, name, value);
    if (made && status == ALCORE_OK) {
        alcore__object_unref(strategy->parts[part]);
        strategy->parts[part] = made;
    } else {
        alcore__object_unref(made);
    }
    return status;
}

/* The present text of a parameter, of a part of a hybrid by "PART.NAME"; a view until it is set
 * again. alcore__param_get() calls it with the strategy locked for reading. */
static alcore_status get_value(const void *handle, const char *name, const char **out_text) {
    const alcore_strategy *strategy = handle;
    const char *rest;
    const int32_t part = part_of(strategy, name, &rest);
    if (part >= 0 && rest) return get_value(strategy->parts[part], rest, out_text);
    ALCORE__TRY(check_recommended(strategy, name));
    return alcore__values_get(&strategy->values, strategy->owner, name, out_text);
}

/* Sets every parameter of `to` to its value in `from`, a handle of the same definition. Names of
 * parts come before the parts' own parameters, since they make the parts. */
static alcore_status copy_values(const alcore_strategy *from, alcore_strategy *to) {
    const alcore__param_table *table = from->values.table;
    for (int32_t i = 0; table && i < table->count; i++)
        ALCORE__TRY(set_value(to, table->rows[i].name, from->values.values[i].text));
    for (int32_t p = 0; p < ALCORE__STRATEGY_PARTS; p++)
        if (from->parts[p]) ALCORE__TRY(copy_values(from->parts[p], to->parts[p]));
    return ALCORE_OK;
}

alcore_status alcore__strategy_copy(const alcore_strategy *strategy, alcore_strategy **out) {
    alcore_strategy *made;
    ALCORE__TRY(make(strategy->object.ctx, strategy->def, strategy->def->name, &made));
    made->is_recommended = strategy->is_recommended;
    const alcore_status status = copy_values(strategy, made);
    return alcore__object_made(status, made, out);
}

static const alcore__param_calls PARAM_CALLS = {"strategy" /* what messages call the handle */,
                                                set_value, get_value};

alcore_status alcore_strategy_set(alcore_strategy *strategy, const char *name, const char *value) {
    return alcore__param_set(&PARAM_CALLS, strategy, name, value);
}

alcore_status alcore_strategy_set_int(alcore_strategy *strategy, const char *name, int64_t value) {
    return alcore__param_set_int(&PARAM_CALLS, strategy, name, value);
}

alcore_status alcore_strategy_set_number(alcore_strategy *strategy, const char *name,
                                         double value) {
    return alcore__param_set_number(&PARAM_CALLS, strategy, name, value);
}

alcore_status alcore_strategy_set_numbers(alcore_strategy *strategy, const char *name,
                                          const double *numbers, int64_t count) {
    return alcore__param_set_numbers(&PARAM_CALLS, strategy, name, numbers, count);
}

/* *out: a view of the numbers of a list; the strategy is locked for reading. An empty one, of a
 * word that stands in place of numbers, has the address of its shape as data, which must not be
 * NULL. */
static alcore_status get_numbers(const alcore_strategy *strategy, const char *name,
                                 alcore_tensor *out) {
    alcore__value *value;
    const char *rest;
    const int32_t part = part_of(strategy, name, &rest);
    if (part >= 0 && rest) return get_numbers(strategy->parts[part], rest, out);
    ALCORE__TRY(alcore__values_list(&strategy->values, strategy->owner, name, &value));
    int64_t *shape = &value->number_count;
    return alcore_tensor_init(out, value->numbers ? (void *)value->numbers : shape, ALCORE_FLOAT64,
                              shape, 1 /* dimension */);
}

alcore_status alcore_strategy_get_numbers(const alcore_strategy *strategy, const char *name,
                                          alcore_tensor *out) {
    if (out) *out = (alcore_tensor){0};
    if (!strategy || !name || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_strategy_get_numbers: strategy, name and out "
                                              "are needed");
    alcore_ctx *ctx = strategy->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    alcore_status status = alcore__read_begin(strategy, "strategy");
    if (status != ALCORE_OK) return alcore__leave(ctx, status);
    status = get_numbers(strategy, name, out);
    alcore__read_end(strategy);
    return alcore__leave(ctx, status);
}

alcore_status alcore_strategy_get(const alcore_strategy *strategy, const char *name,
                                  const char **out_text) {
    return alcore__param_get(&PARAM_CALLS, strategy, name, out_text);
}

/* The name inside owner, "strategy NAME": for a host's strategy the one that the host gave. */
const char *alcore__strategy_name(const alcore_strategy *strategy) {
    return strategy->owner + sizeof PREFIX - 1;
}

const alcore__strategy_def *alcore__strategy_def_of(const alcore_strategy *strategy) {
    return strategy->def;
}

bool alcore__strategy_is_recommended(const alcore_strategy *strategy) {
    return strategy->is_recommended;
}

const char *alcore__strategy_measure(const alcore_strategy *strategy) {
    return strategy->def->measure ? strategy->def->measure : "score";
}

bool alcore__strategy_buys_phrases(const alcore_strategy *strategy, alcore_phrase_options *options,
                                   bool *by_place) {
    const alcore__strategy_def *def = strategy->def;
    if (!def->phrase_options) return false;
    *options = (alcore_phrase_options)ALCORE_PHRASE_OPTIONS_INIT;
    def->phrase_options(&strategy->values, options);
    *by_place = def->phrases_by_place;
    return true;
}

/* Only strategies that score rows from their columns have score_rows. */
bool alcore__strategy_scores(const alcore_strategy *strategy) {
    return strategy->def->score_rows != NULL;
}

alcore_ctx *alcore__strategy_ctx(const alcore_strategy *strategy) {
    return strategy->object.ctx;
}

const alcore__values *alcore__strategy_values(const alcore_strategy *strategy) {
    return &strategy->values;
}

/* The index-th entry of a NULL-terminated list (NULL: empty); NULL past its end. */
static const char *list_entry(const char *const *list, int64_t index) {
    for (int32_t i = 0; list && list[i]; i++) {
        if (i == index) return list[i];
    }
    return NULL;
}

/* The index-th column that the strategy reads of the pool in a role (ALCORE_ROLE_*), "a|b" for
 * either of two; NULL past the last and for an unknown role. From the list of the definition, as
 * the parameters have it, or from the one that the host gave. */
const char *alcore__strategy_needs(const alcore_strategy *strategy, int32_t role, int64_t index) {
    if (role < ALCORE_ROLE_CANDIDATES || role > ALCORE_ROLE_TARGET) return NULL;
    const alcore__strategy_def *def = strategy->def;
    if (def == &alcore__strategy_of_host)
        return list_entry((const char *const *)strategy->host_needs[alcore__role_place(role)],
                          index);
    const alcore__score_params params = alcore__score_params_of(&strategy->values);
    if (role == ALCORE_ROLE_CANDIDATES && def->candidate_needs)
        return list_entry(def->candidate_needs(&params), index);
    return list_entry(def->needs[alcore__role_place(role)], index);
}

bool alcore__strategy_needs_column(const alcore_strategy *strategy, int32_t role,
                                   const char *column) {
    const char *need;
    for (int64_t i = 0; (need = alcore__strategy_needs(strategy, role, i)) != NULL; i++)
        if (alcore__need_names(need, column)) return true;
    return false;
}

bool alcore__strategy_takes_target(const alcore_strategy *strategy) {
    const alcore_strategy *sentences = alcore__strategy_part(strategy, 0);
    return alcore__strategy_reads(strategy, ALCORE_ROLE_TARGET) ||
           alcore__strategy_def_of(strategy)->picks_from_target ||
           (sentences && alcore__strategy_takes_target(sentences));
}

bool alcore__strategy_reads_any(const alcore_strategy *strategy) {
    for (int32_t role = ALCORE_ROLE_CANDIDATES; role <= ALCORE_ROLE_TARGET; role++)
        if (alcore__strategy_needs(strategy, role, 0)) return false;
    return strategy->def == &alcore__strategy_of_host;
}

/* Without a list nobody knows what a host's function reads, so it is shown every pool. */
bool alcore__strategy_reads(const alcore_strategy *strategy, int32_t role) {
    return strategy->def == &alcore__strategy_of_host ||
           alcore__strategy_needs(strategy, role, 0 /* at least one */);
}
