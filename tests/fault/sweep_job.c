/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: jobs over shards, and the messages between them. */
#include "sweep.h"

/* A request of random rows of the world's pool; what only leads to the function under test does not
 * count. */
static alcore_request *request_of(world *w) {
    alcore_request *request = NULL;
    if (alcore_request_new(w->ctx, &request) != ALCORE_OK ||
        alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, w->pool) != ALCORE_OK ||
        alcore_request_set_strategy(request, w->strategy) != ALCORE_OK ||
        alcore_request_set(request, "budget", "3") != ALCORE_OK)
        abort();
    return request;
}

static alcore_job *job_of(world *w) {
    alcore_job *job = NULL;
    sweep_pause(w);
    alcore_request *request = request_of(w);
    if (alcore_job_new(request, NULL, &job) != ALCORE_OK) abort();
    alcore_request_unref(request);
    sweep_resume(w);
    return job;
}

/* A fold of the message of the only shard's first exchange. */
static alcore_job_fold *fold_of(world *w) {
    alcore_job *job = job_of(w);
    alcore_job_fold *fold = NULL;
    int32_t state;
    size_t length;
    sweep_pause(w);
    if (alcore_job_step(job, &state) != ALCORE_OK ||
        alcore_job_fold_new(w->ctx, &fold) != ALCORE_OK)
        abort();
    const char *message = alcore_job_message(job, &length);
    if (alcore_job_fold_add(fold, message, length) != ALCORE_OK) abort();
    alcore_job_unref(job);
    sweep_resume(w);
    return fold;
}

ALLOCATES(alcore_job_new, WITH_SCORER) {
    sweep_pause(w);
    alcore_request *request = request_of(w);
    sweep_resume(w);
    alcore_job *out = (alcore_job *)request;
    const alcore_status status = alcore_job_new(request, NULL, &out);
    if (status == ALCORE_OK) alcore_job_unref(out);
    sweep_keep_error(w);
    alcore_request_unref(request);
    return status != ALCORE_OK && out ? ALCORE_E_INTERNAL : status;
}
NEVER(alcore_job_ref, 0) {
    HOLDS(!alcore_job_ref(NULL));
}
NEVER(alcore_job_unref, 0) {
    alcore_job_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_job_budget_count, 0) {
    HOLDS(alcore_job_budget_count(NULL) == 0);
}
NEVER(alcore_job_of_budget, 0) {
    HOLDS(!alcore_job_of_budget(NULL, 0));
}
NEVER(alcore_job_serves, 0) {
    HOLDS(alcore_job_serves("nnll") && !alcore_job_serves("phrases"));
}
ALLOCATES(alcore_job_step, WITH_SCORER) {
    alcore_job *job = job_of(w);
    int32_t state;
    alcore_status status = alcore_job_step(job, &state);
    sweep_keep_error(w);
    if ((state != 0) != (status == ALCORE_OK) ||
        (alcore_job_message(job, NULL) != NULL) != (status == ALCORE_OK))
        status = ALCORE_E_INTERNAL;
    alcore_job_unref(job);
    return status;
}
/* All exchanges of the only shard. */
ALLOCATES(alcore_job_deliver, WITH_SCORER) {
    alcore_job *job = job_of(w);
    alcore_status status = ALCORE_OK;
    for (int exchange = 0; exchange < 3 && status == ALCORE_OK; exchange++) {
        int32_t state;
        size_t length;
        sweep_pause(w);
        if (alcore_job_step(job, &state) != ALCORE_OK) abort();
        sweep_resume(w);
        const char *message = alcore_job_message(job, &length);
        status = alcore_job_deliver(job, message, length);
    }
    sweep_keep_error(w);
    if ((alcore_job_pick_count(job) == 3) != (status == ALCORE_OK)) status = ALCORE_E_INTERNAL;
    alcore_job_unref(job);
    return status;
}
NEVER(alcore_job_message, 0) {
    size_t length = 1;
    HOLDS(!alcore_job_message(NULL, &length) && length == 0);
}
NEVER(alcore_job_selection, 0) {
    HOLDS(!alcore_job_selection(NULL));
}
NEVER(alcore_job_pick_count, 0) {
    HOLDS(alcore_job_pick_count(NULL) == 0);
}
NEVER(alcore_job_rows, 0) {
    HOLDS(!alcore_job_rows(NULL));
}
NEVER(alcore_job_scores, 0) {
    HOLDS(!alcore_job_scores(NULL));
}
NEVER(alcore_job_costs, 0) {
    HOLDS(!alcore_job_costs(NULL));
}
NEVER(alcore_job_spent, 0) {
    HOLDS(!(alcore_job_spent(NULL) > 0));
}
NEVER(alcore_job_flags, 0) {
    HOLDS(alcore_job_flags(NULL) == 0);
}
ALLOCATES(alcore_job_fold_new, 0) {
    alcore_job_fold *out = (alcore_job_fold *)w->pool;
    const alcore_status status = alcore_job_fold_new(w->ctx, &out);
    MADE(alcore_job_fold_unref, status, out);
}
NEVER(alcore_job_fold_ref, 0) {
    HOLDS(!alcore_job_fold_ref(NULL));
}
NEVER(alcore_job_fold_unref, 0) {
    alcore_job_fold_unref(NULL);
    HOLDS(true);
}
/* To a fold that has the same message: it stays as it is. */
ALLOCATES(alcore_job_fold_add, WITH_SCORER) {
    alcore_job_fold *fold = fold_of(w), *other = fold_of(w);
    size_t length, after;
    const char *message = alcore_job_fold_message(other, &length);
    alcore_status status = alcore_job_fold_add(fold, message, length);
    sweep_keep_error(w);
    alcore_job_fold_message(fold, &after);
    if (after != length) status = ALCORE_E_INTERNAL;
    alcore_job_fold_unref(other);
    alcore_job_fold_unref(fold);
    return status;
}
NEVER(alcore_job_fold_message, 0) {
    size_t length = 1;
    HOLDS(!alcore_job_fold_message(NULL, &length) && length == 0);
}
