/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of built-in strategies: the rows of registry_rows.h, by index and by name. */
#include <string.h>

#include "base/hints.h"
#include "strategy/strategies.h"

static const alcore__strategy_def *const STRATEGIES[] = {
#define ALCORE__STRATEGY_ROW(symbol, file) &alcore__strategy_##symbol,
#include "strategy/registry_rows.h"
#undef ALCORE__STRATEGY_ROW
};

enum { STRATEGY_COUNT = sizeof STRATEGIES / sizeof STRATEGIES[0] };

/* What a request without a strategy, and a call or command that names none, selects with. Another
 * strategy is recommended by changing these two and the files that the tests of the default say. */
static const alcore__strategy_def *const RECOMMENDED_STRATEGY = &alcore__strategy_ngram_cover;
/* What was measured with its defaults (examples/experiments/worth.sh, docs/results/worth.md). */
static const char RECOMMENDED_BECAUSE[] =
    "translators trained on its picks beat those trained on random draws in five domains of text";

const alcore__strategy_def *alcore__strategy_at(int64_t index) {
    return index >= 0 && index < STRATEGY_COUNT ? STRATEGIES[index] : NULL;
}

bool alcore__strategy_name_recommends(const char *name) {
    return !name || strcmp(name, "recommended") == 0;
}

const alcore__strategy_def *alcore__strategy_find(const char *name) {
    if (alcore__strategy_name_recommends(name)) return RECOMMENDED_STRATEGY;
    for (int32_t i = 0; i < STRATEGY_COUNT; i++) {
        if (strcmp(STRATEGIES[i]->name, name) == 0) return STRATEGIES[i];
    }
    return NULL;
}

const char *alcore__strategy_like_name(void) {
    int32_t i = 0;
    while (i < STRATEGY_COUNT - 1 && !STRATEGIES[i]->reads_like) i++;
    return STRATEGIES[i]->name;
}

/* Names that strategies had before, with the present ones, which the message for an old name says.
 */
static const struct { const char *old, *present; } RENAMED[] = {{"average", "average-dist"}};

/* The message tells its new name where it was renamed, else the most similar name. */
alcore_status alcore__strategy_unknown(const char *name) {
    for (size_t i = 0; i < sizeof RENAMED / sizeof RENAMED[0]; i++) {
        if (!strcmp(RENAMED[i].old, name))
            return alcore__fail(ALCORE_E_PARAM, "the strategy \"%s\" is now called \"%s\"", name,
                                RENAMED[i].present);
    }
    const char *names[STRATEGY_COUNT + 1] = {[STRATEGY_COUNT] = "recommended"}, *same = NULL;
    for (int32_t i = 0; i < STRATEGY_COUNT; i++) {
        names[i] = STRATEGIES[i]->name;
        if (alcore__same_name(name, names[i])) same = names[i];
    }
    const char *hint = alcore_hint(ALCORE_HINT_STRATEGY, name);
    if (hint) return alcore__fail(ALCORE_E_PARAM, "there is no strategy \"%s\"; %s", name, hint);
    const char *near = same ? same : alcore__nearest_name(name, names, STRATEGY_COUNT + 1);
    if (!near) return alcore__fail(ALCORE_E_PARAM, "there is no strategy \"%s\"", name);
    return alcore__fail(ALCORE_E_PARAM, "there is no strategy \"%s\"; did you mean %s?", name,
                        near);
}

const char *alcore__strategy_recommended_because(void) {
    return RECOMMENDED_BECAUSE;
}

/* The public functions that list strategies, for programs that show them; texts are static. */

const char *alcore_strategy_builtin_name(int64_t index) {
    const alcore__strategy_def *def = alcore__strategy_at(index);
    return def ? def->name : NULL;
}

const char *alcore_strategy_recommended(void) {
    return RECOMMENDED_STRATEGY->name;
}

const char *alcore_strategy_builtin_summary(const char *name) {
    const alcore__strategy_def *def = alcore__strategy_find(name);
    return def ? def->summary : NULL;
}

alcore_status alcore_strategy_builtin_param(const char *name, int64_t index,
                                            alcore_param_info *out) {
    ALCORE__TRY(alcore__enter(NULL)); /* no context is needed */
    const alcore__strategy_def *def = alcore__strategy_find(name);
    return alcore__leave(NULL, def ? alcore__param_info(def->params, index, out)
                                   : alcore__strategy_unknown(name));
}

const char *alcore_strategy_builtin_needs(const char *name, int32_t role, int64_t index) {
    const alcore__strategy_def *def = alcore__strategy_find(name);
    if (!def || role < ALCORE_ROLE_CANDIDATES || role > ALCORE_ROLE_TARGET || index < 0)
        return NULL;
    const char *const *needs = def->needs[alcore__role_place(role)];
    for (int32_t i = 0; needs && needs[i]; i++) {
        if (i == index) return needs[i];
    }
    return NULL;
}
