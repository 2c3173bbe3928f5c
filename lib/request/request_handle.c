/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a request: its pools, its strategy, its model and its options. Setting them only
 * stores them; alcore_select() checks whether they go together. A new reference is added before the
 * old one is released, as both may be the same. */
#include <math.h>
#include <string.h>

#include "base/param_calls.h"
#include "formats/json_scan.h"
#include "pool/pool_internal.h"
#include "request/request_internal.h"
#include "text/utf8.h"

/* The options, one row each: name, type, default, smallest and largest value of a number (0, 0: not
 * looked at), the choices or the word that may stand for a number, help. "off" reads as NaN,
 * "context" as 0; a choice is read as its index among its words, and the words of fill and tie have
 * the order of ALCORE__FILL_* and ALCORE__TIE_*. A seed may have 64 bits, which the int64_t of its
 * value keeps. */
#define OPTION(member) ALCORE__MEMBER(1, alcore__request_options, member)
static const alcore__param options[] = {
    {"budget", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "what may be spent: a number with i (items), w (words), c (characters) or u (units of the "
     "cost column); several separated by commas are spent from the same scores",
     ALCORE__BY_NAME},
    {"price", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "what labeling costs, for the summary and the reports: an amount for a unit, such as 0.1773/w "
     "or 0.12EUR/c",
     ALCORE__BY_NAME},
    {"fill", ALCORE_PARAM_CHOICE, "overshoot", 0, 0, "overshoot|stop|skip",
     "the last pick may overshoot the budget; stop before it; or skip what does not fit",
     OPTION(fill)},
    {"seed", ALCORE_PARAM_INTEGER, "context", 0, 0x1p64, "context",
     "seed of every random draw; context: the seed of the context", OPTION(seed)},
    {"round", ALCORE_PARAM_INTEGER, "1", 1, 1e9, NULL,
     "number of the round, from 1: seeds the draws, picks the value of a schedule", OPTION(round)},
    {"max_similarity", ALCORE_PARAM_NUMBER, "off", -1, 1, "off",
     "pass over a row whose cosine with a pick exceeds this", OPTION(max_similarity)},
    {"tie", ALCORE_PARAM_CHOICE, "index", 0, 0, "index|random",
     "order of equal scores: by row, or drawn", OPTION(tie)},
    {"nan", ALCORE_PARAM_CHOICE, "error", 0, 0, "error|exclude",
     "a NaN or infinity in a needed value: fail and name the row, or leave the row out",
     OPTION(nan_exclude)},
    {"device", ALCORE_PARAM_TEXT, "auto", 0, 0, NULL, "auto, cpu, cuda or cuda:N", OPTION(device)},
    {"cache", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "folder where columns that models compute are kept for the next call, which then computes "
     "only rows that are not there; it is made where it is missing",
     OPTION(cache)},
    {"cache_max_age", ALCORE_PARAM_NUMBER, "off", 0, 1e12, "off",
     "seconds after which what a cache has is computed again, counted from its oldest row",
     OPTION(cache_max_age)},
    {"max_age", ALCORE_PARAM_INTEGER, "0", 0, 1000, NULL,
     "with a cache, how many rounds old a score may be that a model computed before it was trained "
     "on; 0: all scores are of the present model",
     OPTION(max_age)},
    {"refresh_factor", ALCORE_PARAM_NUMBER, "3", 0, 1e6, NULL,
     "with max_age, how many times the budget of the best rows by their old scores is scored "
     "again",
     OPTION(refresh_factor)},
    {"keep_phrases", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the sorted words of the pool stay with the request, so that phrases are counted anew in "
     "the next round without sorting them again; 12 bytes a word",
     OPTION(keep_phrases)},
    {"masks", ALCORE_PARAM_TEXT, "auto", 0, 0, NULL,
     "texts that are left out as not worth a translator's time: auto (all with the recommended "
     "strategy, none with a named one), all, none, or names with commas between: wordless (hardly "
     "a word, or cut off at a comma), language (in another script), lengths (outliers), templates "
     "(the words of an "
     "earlier or a labeled text, or other names alone), near (nearly the words of one)",
     OPTION(masks)},
    {"fuzzy_match", ALCORE_PARAM_NUMBER, "off", 50, 100, "off",
     "a row that a text of the labeled pool matches by so much percent counts as translated: 100 "
     "(1 - edit distance / tokens of the longer text)",
     OPTION(fuzzy_match)},
    {"given", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "what belongs to this call alone, with commas between: names of columns, those of other roles "
     "as labeled.NAME and target.NAME, and model: one that the strategy does not read is an error",
     OPTION(given)},
    {"command", ALCORE_PARAM_TEXT, "", 0, 0, NULL,
     "command line of the run as a JSON array, kept in the provenance", OPTION(command)},
};
static const alcore__param_table option_table = ALCORE__PARAM_TABLE(options);

/* Forgets the candidates of earlier rounds, so that sticky=1 begins anew. Called when another
 * pool of candidates is set, whose rows are other records, and when the request is freed. */
static void forget_drawn(alcore_request *request) {
    alcore_ctx *ctx = request->object.ctx;
    alcore__free(ctx, request->last.mask);
    alcore__free(ctx, request->previous.mask);
    request->last = request->previous = (alcore__drawn){0};
}

/* The destructor of the handle, also of one whose making failed. A fork's child does not call the
 * destroy function of the progress, which is the parent's. */
static void release(void *object) {
    alcore_request *request = object;
    alcore_ctx *ctx = request->object.ctx;
    forget_drawn(request);
    alcore_pool_unref(request->candidates);
    alcore_pool_unref(request->labeled);
    alcore_pool_unref(request->target);
    alcore_pool_unref(request->excluded);
    alcore_pool_unref(request->excluded_phrases);
    alcore_strategy_unref(request->strategy);
    alcore_model_unref(request->model);
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++)
        alcore_model_unref(request->column_models[i]);
    alcore__row_lists_clear(request);
    alcore__phrase_counter_clear(ctx, &request->kept);
    alcore__values_clear(ctx, &request->values);
    if (request->control && !alcore__forked(ctx)) alcore__control_end(request->control);
    alcore__free(ctx, request->control);
}

/* Makes a request with every option at its default and no pool, strategy or model; price.amount is
 * NaN: no price was set. */
static alcore_status new_request(alcore_ctx *ctx, alcore_request **out) {
    alcore_request *request;
    ALCORE__TRY(alcore__object_new(ctx, sizeof *request, release, &request));
    alcore_status status = alcore__values_new(ctx, &option_table, &request->values);
    alcore__values_bind(&request->values, 1, &request->options);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, 1, sizeof *request->control, &request->control);
    if (status != ALCORE_OK) {
        alcore__object_unref(request);
        return status;
    }
    request->price.amount = (double)NAN;
    *out = request;
    return ALCORE_OK;
}

alcore_status alcore_request_new(alcore_ctx *ctx, alcore_request **out) {
    if (out) *out = NULL;
    if (!ctx || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_request_new: ctx and out are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, new_request(ctx, out));
}

alcore_request *alcore_request_ref(alcore_request *request) {
    return alcore__object_ref(request);
}

void alcore_request_unref(alcore_request *request) {
    alcore__object_unref(request);
}

/* Fails for a part of the request, a handle or NULL, that belongs to another context: a call has
 * the cancellation, progress and allocator of one context only. */
static alcore_status check_part(const alcore_request *request, const char *noun, const void *part) {
    const alcore__object *head = part;
    if (!head || head->ctx == request->object.ctx) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID,
                        "the %s belongs to another context than the request; all parts of a "
                        "request are made with the same context",
                        noun);
}

/* Puts a reference to a part, a handle or NULL, in the place of the one in *member. */
static void replace(void *member, void *part) {
    void *old = *(void **)member;
    *(void **)member = alcore__object_ref(part);
    alcore__object_unref(old);
}

/* Another pool of candidates makes the candidates of earlier rounds meaningless. */
alcore_status alcore_request_set_pool(alcore_request *request, int32_t role, alcore_pool *pool) {
    ALCORE__TRY(alcore__request_begin(request, "alcore_request_set_pool"));
    alcore_pool **member = role == ALCORE_ROLE_CANDIDATES ? &request->candidates
                           : role == ALCORE_ROLE_LABELED  ? &request->labeled
                           : role == ALCORE_ROLE_TARGET   ? &request->target
                           : role == ALCORE_ROLE_EXCLUDED ? &request->excluded
                                                          : NULL;
    if (!member)
        return alcore__request_end(
            request, alcore__fail(ALCORE_E_INVALID, "alcore_request_set_pool: no role %d", role));
    const alcore_status status = check_part(request, "pool", pool);
    if (status != ALCORE_OK) return alcore__request_end(request, status);
    if (member == &request->candidates && pool != *member) forget_drawn(request);
    replace(member, pool);
    return alcore__request_end(request, ALCORE_OK);
}

/* Keeps a reference to the strategy; NULL: the recommended one. */
alcore_status alcore_request_set_strategy(alcore_request *request, alcore_strategy *strategy) {
    ALCORE__TRY(alcore__request_begin(request, "alcore_request_set_strategy"));
    const alcore_status status = check_part(request, "strategy", strategy);
    if (status == ALCORE_OK) replace(&request->strategy, strategy);
    return alcore__request_end(request, status);
}

bool alcore__request_names_model(const alcore_request *request) {
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++)
        if (request->column_models[i]) return true;
    return request->model;
}

alcore_status alcore_request_set_model(alcore_request *request, alcore_model *model) {
    ALCORE__TRY(alcore__request_begin(request, "alcore_request_set_model"));
    const alcore_status status = check_part(request, "model", model);
    if (status == ALCORE_OK) replace(&request->model, model);
    return alcore__request_end(request, status);
}

/* The index of an input column (a column that a user may give or have made; column_names.h) by its
 * name; -1: there is none. */
static int32_t find_input(const char *column) {
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++)
        if (strcmp(alcore__column_name_input(i)->name, column) == 0) return i;
    return -1;
}

/* Fails for a name that no input column has; the message suggests the most similar one, if any is
 * similar. */
static alcore_status fail_column(const char *column) {
    const char *names[ALCORE__COLUMN_INPUTS];
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++)
        names[i] = alcore__column_name_input(i)->name;
    const char *near = alcore__nearest_name(column, names, ALCORE__COLUMN_INPUTS);
    return alcore__fail(ALCORE_E_NOT_FOUND, "no input column is called '%s'%s%s%s", column,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

alcore_status alcore_request_set_column_model(alcore_request *request, const char *column,
                                              alcore_model *model) {
    if (!column)
        return alcore__fail(ALCORE_E_INVALID, "alcore_request_set_column_model: column is needed");
    ALCORE__TRY(alcore__request_begin(request, "alcore_request_set_column_model"));
    const alcore_status status = check_part(request, "model", model);
    if (status != ALCORE_OK) return alcore__request_end(request, status);
    const int32_t index = find_input(column);
    if (index < 0) return alcore__request_end(request, fail_column(column));
    if (model && !alcore_model_can(model, column))
        return alcore__request_end(request, alcore__fail(ALCORE_E_UNSUPPORTED,
                                                         "model %s cannot make the column '%s'",
                                                         alcore_model_name(model), column));
    replace(&request->column_models[index], model);
    return alcore__request_end(request, ALCORE_OK);
}

/* Checks that the option "command" is a JSON array of strings in UTF-8, or empty: the provenance
 * contains it unchanged and would not be valid JSON otherwise. The parser changes its input, so it
 * reads a copy; it allows one level of brackets. */
static alcore_status check_command(alcore_ctx *ctx, const char *value) {
    size_t length = strlen(value);
    if (length == 0) return ALCORE_OK;
    char *copy = alcore__strndup(ctx, value, length), *word;
    if (!copy) return alcore__fail_memory(length + 1);
    alcore__json json;
    alcore__json_begin(&json, copy, length, 1);
    bool valid = alcore__utf8_check(value, length) == length && alcore__json_enter(&json, '[');
    while (valid && alcore__json_item(&json)) valid = alcore__json_string(&json, &word, &length);
    valid = valid && alcore__json_end(&json);
    alcore__free(ctx, copy);
    if (valid) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM,
                        "request: command is a JSON array of texts, such as "
                        "[\"program\",\"argument\"], not \"%s\"",
                        value);
}

/* Sets one option; alcore__param_set() calls it with the request locked for writing. Options with a
 * grammar of their own are parsed before anything is stored, so that a refused value changes
 * nothing: budgets and price are plain values without pointers, parsed into copies that are stored
 * last. "spread" is the former name of max_similarity. alcore__values_set() refuses a name or a
 * value that the table of options does not have. */
static alcore_status set_value(void *handle, const char *name, const char *value) {
    alcore_request *request = handle;
    alcore__budgets budgets = request->budgets;
    alcore__price price = request->price;
    if (strcmp(name, "budget") == 0) ALCORE__TRY(alcore__budgets_parse(value, &budgets));
    if (strcmp(name, "price") == 0) ALCORE__TRY(alcore__price_parse(value, &price));
    if (strcmp(name, "command") == 0) ALCORE__TRY(check_command(request->object.ctx, value));
    if (strcmp(name, "spread") == 0)
        return alcore__fail(ALCORE_E_PARAM, "request: the option spread is called max_similarity");
    ALCORE__TRY(alcore__values_set(request->object.ctx, &request->values, "request", name, value));
    alcore__values_bind(&request->values, 1, &request->options);
    request->budgets = budgets;
    request->price = price;
    return ALCORE_OK;
}

/* The present text of one option, a view until it is set again; alcore__param_get() calls it with
 * the request locked for reading. */
static alcore_status get_value(const void *handle, const char *name, const char **out_text) {
    const alcore_request *request = handle;
    return alcore__values_get(&request->values, "request", name, out_text);
}

static const alcore__param_calls PARAM_CALLS = {"request" /* what messages call the handle */,
                                                set_value, get_value};

alcore_status alcore_request_set(alcore_request *request, const char *name, const char *value) {
    return alcore__param_set(&PARAM_CALLS, request, name, value);
}

alcore_status alcore_request_set_int(alcore_request *request, const char *name, int64_t value) {
    return alcore__param_set_int(&PARAM_CALLS, request, name, value);
}

alcore_status alcore_request_set_number(alcore_request *request, const char *name, double value) {
    return alcore__param_set_number(&PARAM_CALLS, request, name, value);
}

alcore_status alcore_request_get(const alcore_request *request, const char *name,
                                 const char **out_text) {
    return alcore__param_get(&PARAM_CALLS, request, name, out_text);
}

alcore_status alcore_request_builtin_param(int64_t index, alcore_param_info *out) {
    ALCORE__TRY(alcore__enter(NULL)); /* no context is needed */
    return alcore__leave(NULL, alcore__param_info(&option_table, index, out));
}

/* The seed from which all random draws of the request are derived: the option, or the seed of the
 * context, which the word "context" stands for. */
uint64_t alcore__request_seed(const alcore_request *request) {
    const char *text = NULL;
    (void)alcore__values_get(&request->values, "request", "seed", &text); /* it is in the table */
    return text && strcmp(text, "context") == 0 ? alcore__ctx_seed(request->object.ctx)
                                                : (uint64_t)request->options.seed;
}
