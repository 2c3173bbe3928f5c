/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the pools and lists of a request go with its strategy: a target that a strategy needs or
 * leaves unread, the rows of another selection, and the strategy whose candidates are the target.
 * Every request is checked here, so that no front end has a rule of its own. */
#include <string.h>

#include "request/request_internal.h"

/* ---- the target ---- */

/* Fails for a target that the strategy would leave unread. The message names the strategies of the
 * registry that read one; the remedy is the first of them, whose name is static, as a remedy needs.
 * (NULL ends the list of names, and a list of needs.) */
static alcore_status fail_unread_target(alcore_ctx *ctx, const alcore_strategy *strategy) {
    const char *first = NULL, *name;
    alcore__buffer readers = {0}; /* their names, with ", " between them */
    alcore_status status = ALCORE_OK;
    for (int32_t i = 0; status == ALCORE_OK && (name = alcore_strategy_builtin_name(i)); i++) {
        if (!alcore_strategy_builtin_needs(name, ALCORE_ROLE_TARGET, 0)) continue;
        status = alcore__buffer_format(ctx, &readers, "%s%s", first ? ", " : "", name);
        if (!first) first = name;
    }
    if (status == ALCORE_OK)
        status = alcore__fail_remedy(
            alcore__fail(ALCORE_E_INVALID,
                         "strategy %s does not read the target, but these do: %.*s",
                         alcore__strategy_name(strategy), (int)readers.length, readers.data),
            ALCORE_REMEDY_STRATEGY, first, NULL, "is one of them");
    alcore__buffer_clear(ctx, &readers);
    return status;
}

/* Refuses a strategy that needs a target without one, and a target that the strategy does not read:
 * it would change nothing, and the caller believes that it does. Without a list of needs a host's
 * strategy is shown every pool, so it reads the target too. */
static alcore_status check_target(const alcore_request *request, const alcore_strategy *strategy) {
    if (request->target && !alcore__strategy_reads(strategy, ALCORE_ROLE_TARGET))
        return fail_unread_target(request->object.ctx, strategy);
    if (!request->target && alcore__strategy_needs(strategy, ALCORE_ROLE_TARGET, 0))
        return alcore__fail_remedy(alcore__fail(ALCORE_E_MISSING, "strategy %s needs a target",
                                                alcore__strategy_name(strategy)),
                                   ALCORE_REMEDY_POOL, "target", NULL,
                                   "is the unlabeled text of the domain in question");
    return ALCORE_OK;
}

/* The candidates of the request are not looked at and may be missing; where they are another pool,
 * rows that the request names are theirs, and it is an error that there are any. */
alcore_status alcore__request_from_target(const alcore_request *request, alcore_request *out,
                                          bool *is_from_target) {
    *is_from_target = request->target && request->strategy &&
                      alcore__strategy_def_of(request->strategy)->picks_from_target;
    if (!*is_from_target) return ALCORE_OK;
    *out = *request;
    out->candidates = request->target;
    out->target = NULL;
    if (request->candidates == request->target) return ALCORE_OK;
    for (int32_t place = 0; place < ALCORE__ROW_KINDS; place++)
        if (request->lists[place].given)
            return alcore__fail_remedy(
                alcore__fail(ALCORE_E_INVALID,
                             "strategy %s picks from the target, but the rows that the request "
                             "names are rows of the candidates",
                             alcore__strategy_name(request->strategy)),
                ALCORE_REMEDY_POOL, "candidates", NULL,
                "may be the pool of the target, whose rows a request can then name");
    return ALCORE_OK;
}

/* ---- the rows of another selection ---- */

/* Refuses rows of another selection for a strategy that does not count their languages. */
static alcore_status check_like(const alcore_request *request, const alcore_strategy *strategy) {
    const alcore__row_list *like = &request->lists[ALCORE__LIST(LIKE)];
    if (!like->given || alcore__strategy_def_of(strategy)->reads_like) return ALCORE_OK;
    return alcore__fail_remedy(
        alcore__fail(ALCORE_E_INVALID,
                     "strategy %s does not follow the languages of another selection (like)",
                     alcore__strategy_name(strategy)),
        ALCORE_REMEDY_STRATEGY, alcore__strategy_like_name(), NULL, "does");
}

alcore_status alcore__check_roles(const alcore_request *request, const alcore_strategy *strategy) {
    ALCORE__TRY(check_target(request, strategy));
    return check_like(request, strategy);
}
