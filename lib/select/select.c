/* SPDX-License-Identifier: Apache-2.0 */
/* alcore_select() locks the request; a hybrid is answered in two parts (request_hybrid.c), any
 * other strategy by request_answer.c, which makes masks and columns and runs it. What a job over
 * shards asks of a request that it has locked goes the same ways. */
#include "select/select_internal.h"

/* Answers a hybrid's request. Only when both parts are there it is known what was read. */
static alcore_status answer_in_parts(alcore_request *request, alcore_selection **out) {
    ALCORE__TRY(alcore__request_answer_hybrid(request, out));
    const alcore_status status = alcore__check_given_in_parts(request);
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore_selection_unref(*out);
    *out = NULL;
    return status;
}

/* A cancel that came while the request was answered counts even where no step looked at it any
 * more: the selection is dropped. */
static alcore_status end_uncancelled(const alcore_request *request, alcore_selection **out) {
    if (!alcore__cancelled(request->object.ctx)) return ALCORE_OK;
    alcore_selection_unref(*out);
    *out = NULL;
    return alcore__fail_cancelled();
}

/* A strategy that picks from the target is answered by a copy whose candidates the target is, which
 * remembers none. The counter is shared here as a hybrid's second part, an ablation's next value or
 * the next round may derive the same phrases; the one of an outer call is put back at the end, and
 * what was read is noted there too. Whether nothing has read an input is told by the outer call. */
alcore_status alcore__request_select(alcore_request *request, alcore_selection **out) {
    const bool hybrid = request->strategy && alcore__strategy_part(request->strategy, 0);
    alcore_request from_target;
    bool is_from_target = false;
    alcore__phrase_counter *const before = alcore__request_share_phrases(request, NULL);
    alcore__read_columns *const outer = request->read;
    alcore__read_columns read = {.in_parts = hybrid};
    alcore_status status = ALCORE_OK;
    request->read = &read;
    if (hybrid)
        status = answer_in_parts(request, out);
    else
        status = alcore__request_from_target(request, &from_target, &is_from_target);
    read.from_target = is_from_target;
    if (!hybrid && status == ALCORE_OK)
        status = alcore__request_answer(is_from_target ? &from_target : request, out);
    request->counter = before;
    request->read = outer;
    alcore__note_all(request, &read);
    if (status == ALCORE_OK && !outer) alcore__log_ignored(*out);
    return status == ALCORE_OK ? end_uncancelled(request, out) : status;
}

alcore_status alcore_select(alcore_request *request, alcore_selection **out) {
    if (out) *out = NULL;
    if (!request || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_select: request and out are needed");
    ALCORE__TRY(alcore__request_begin_long(request, "alcore_select"));
    return alcore__request_end(request, alcore__request_select(request, out));
}

/* ---- shards ---- */

/* A cancel counts even where no step looked at it any more, as in alcore__request_select(). */
alcore_status alcore__request_answer_shard(alcore_request *request, alcore__shard_answer *shard) {
    const bool hybrid =
        request->strategy && alcore__strategy_part(request->strategy, ALCORE__SENTENCES);
    alcore__read_columns read = {.in_parts = hybrid};
    alcore_request own = *request;
    if (hybrid) alcore__hybrid_sentences(request, &own);
    own.read = &read;
    own.all_texts = shard->texts;
    alcore_status status = alcore__answer_shard(&own, shard);
    if (status == ALCORE_OK && alcore__cancelled(request->object.ctx))
        status = alcore__fail_cancelled();
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore__nominees_clear(request->object.ctx, &shard->nominees);
    alcore__outcome_clear(request->object.ctx, &shard->outcome);
    alcore__free(request->object.ctx, shard->costs);
    shard->costs = NULL;
    alcore__buffer_clear(request->object.ctx, &shard->out);
    alcore__held_answer_free(shard->held);
    shard->held = NULL;
    alcore__free(request->object.ctx, shard->drawn);
    shard->drawn = NULL;
    return status;
}
