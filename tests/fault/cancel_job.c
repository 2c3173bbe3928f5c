/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls on jobs over shards: of one that has all rows of the pool. */
#include <stdlib.h>
#include <string.h>

#include "cancel_calls.h"
#include "cancel_parts.h"

static char *texts; /* the message of the exchange of texts, made by the first call */
static size_t texts_length;

static alcore_status make_job(alcore_job **out) {
    alcore_strategy *strategy = NULL;
    alcore_request *request = NULL;
    alcore_status status = alcore_strategy_new(ctx, "random", &strategy);
    if (status == ALCORE_OK) status = alcore_request_new(ctx, &request);
    if (status == ALCORE_OK) status = alcore_request_set_strategy(request, strategy);
    if (status == ALCORE_OK)
        status = alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool);
    if (status == ALCORE_OK) status = alcore_request_set(request, "budget", "20000");
    if (status == ALCORE_OK) status = alcore_job_new(request, NULL, out);
    alcore_request_unref(request);
    alcore_strategy_unref(strategy);
    return status;
}

alcore_status call_job_step(void) {
    alcore_job *job = NULL;
    int32_t state;
    alcore_status status = make_job(&job);
    if (status == ALCORE_OK) status = alcore_job_step(job, &state);
    alcore_job_unref(job);
    return status;
}

static alcore_status keep_texts(alcore_job *job) {
    int32_t state;
    const alcore_status status = alcore_job_step(job, &state);
    if (status != ALCORE_OK) return status;
    const char *message = alcore_job_message(job, &texts_length);
    texts = malloc(texts_length);
    memcpy(texts, message, texts_length);
    return ALCORE_OK;
}

alcore_status call_job_deliver(void) {
    alcore_job *job = NULL;
    alcore_status status = make_job(&job);
    if (status == ALCORE_OK && !texts) status = keep_texts(job);
    if (status == ALCORE_OK) status = alcore_job_deliver(job, texts, texts_length);
    alcore_job_unref(job);
    return status;
}

void end_job(void) {
    free(texts);
    texts = NULL;
}
