/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates of a round: what a request remembers of them from round to round, and as a list of
 * rows, for hosts that score rows themselves and want to score no more than a strategy with
 * candidates=N will look at (spec 3.7). */
#include "request/request_internal.h"

/* The latest earlier round that was answered: the present one may be asked for again. */
const alcore__drawn *alcore__drawn_before(const alcore_request *request) {
    static const alcore__drawn none;
    const int64_t round = request->options.round;
    if (request->last.round != 0 && request->last.round < round) return &request->last;
    return request->previous.round < round ? &request->previous : &none;
}

/* A later round becomes `last`, and what was last becomes `previous`; the same round asked for
 * again replaces `last` and keeps `previous`, from which it started both times. */
void alcore__keep_drawn(alcore_request *request, int64_t rows, uint8_t *drawn) {
    alcore_ctx *ctx = request->object.ctx;
    const int64_t round = request->options.round;
    if (request->last.round != 0 && request->last.round < round) {
        alcore__free(ctx, request->previous.mask);
        request->previous = request->last;
    } else {
        alcore__free(ctx, request->last.mask);
    }
    request->last = (alcore__drawn){.round = round, .rows = rows, .mask = drawn};
}

/* Draws the rows that a strategy with candidates=count would consider into the request's list of
 * drawn rows, ascending. alcore__draw_candidates() clears all entries of the mask but `count`,
 * which it draws by seed and round. The list keeps its memory for the next call. */
static alcore_status draw_rows(alcore_request *request, int64_t count) {
    alcore_ctx *ctx = request->object.ctx;
    alcore__row_list *list = &request->drawn_rows;
    list->count = 0;
    if (!request->candidates) return alcore__fail_no_candidates();
    alcore__masks masks;
    ALCORE__TRY(alcore__request_read_pools(request));
    alcore_status status =
        alcore__masks_new(request, NULL /* no target */, false, false, NULL /* no shard */, &masks);
    alcore__request_leave_pools(request);
    if (status != ALCORE_OK) return status;
    if (masks.eligible < count) count = masks.eligible;
    /* One entry more, so that the list has memory without a row too. */
    status = alcore__grow(ctx, &list->rows, &list->capacity, (size_t)count + 1, sizeof *list->rows);
    if (status == ALCORE_OK)
        status = alcore__draw_candidates(ctx, alcore__request_seed(request), request->options.round,
                                         count, &(alcore__place){0}, masks.rows,
                                         NULL /* no round before */, masks.candidate_mask);
    for (int64_t i = 0; status == ALCORE_OK && i < masks.rows; i++)
        if (masks.candidate_mask[i]) list->rows[list->count++] = i;
    if (status != ALCORE_OK) { /* a failed call keeps nothing */
        alcore__free(ctx, list->rows);
        *list = (alcore__row_list){0};
    }
    alcore__masks_clear(ctx, &masks);
    return status;
}

/* The view of the list, int64 [rows], is valid until the next such call, or until the request is
 * released. Unlike a selection it does not change request->last, the candidates remembered for
 * sticky=1. */
alcore_status alcore_request_candidates(alcore_request *request, int64_t count,
                                        alcore_tensor *out_rows) {
    if (out_rows) *out_rows = (alcore_tensor){0};
    ALCORE__TRY(alcore__request_begin_long(request, "alcore_request_candidates"));
    if (count < 0 || !out_rows)
        return alcore__request_end(
            request,
            alcore__fail(
                ALCORE_E_INVALID,
                "alcore_request_candidates: a count of 0 or more and out_rows are needed"));
    alcore__row_list *list = &request->drawn_rows;
    alcore_status status = draw_rows(request, count);
    if (status == ALCORE_OK)
        status =
            alcore_tensor_init(out_rows, list->rows, ALCORE_INT64, &list->count, 1 /* dimension */);
    return alcore__request_end(request, status);
}
