/* SPDX-License-Identifier: Apache-2.0 */
/* Values of earlier rounds over shards (the option max_age; select/request_reuse.c). The present
 * model scores those rows again that the strategy picks by their earlier values, for refresh_factor
 * times the budget. So before the selection of the round there is another one from the rows of all
 * shards, which a second job of the same request makes, the refresher: it makes all exchanges up to
 * these picks. Then the job makes those exchanges again that read values, by the values of this
 * round. It does not repeat those of texts, masks and draws, whose results it has from the
 * refresher. */
#include <string.h>

#include "extra/job/job_internal.h"

/* Whether a column of the candidates can have values of earlier rounds. */
static bool reads_scores(const alcore_strategy *strategy) {
    const char *need;
    for (int64_t i = 0; (need = alcore__strategy_needs(strategy, ALCORE_ROLE_CANDIDATES, i)); i++)
        if (strcmp(need, "embeddings") != 0) return true;
    return false;
}

bool alcore__job_asks_refresher(const alcore_job *job) {
    const alcore__request_options *options = &job->request->options;
    return options->max_age > 0 && options->round > 1 && options->refresh_factor > 0 &&
           (job->makes[ALCORE__EXCHANGE_ROWS] || job->makes[ALCORE__EXCHANGE_NOMINEES]) &&
           reads_scores(alcore__job_strategy(job));
}

alcore_status alcore__job_fill_refresher(const alcore_job *job, alcore_job *refresher) {
    alcore_ctx *ctx = job->object.ctx;
    refresher->request = alcore_request_ref(job->request);
    refresher->recommended = alcore_strategy_ref(job->recommended);
    refresher->entry = job->entry;
    refresher->rows = job->rows;
    refresher->refreshes = true;
    refresher->place = job->place;
    refresher->exchange = job->exchange;
    memcpy(refresher->makes, job->makes, sizeof job->makes);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)(job->entry.end - job->entry.first), 1,
                                  &refresher->refreshed));
    ALCORE__TRY(
        alcore__buffer_append(ctx, &refresher->settings, job->settings.data, job->settings.length));
    return alcore__buffer_format(ctx, &refresher->settings, "values=of earlier rounds\n");
}

void alcore__job_mark_refreshed(alcore_job *refresher, const alcore__job_bought *bought) {
    const alcore__outcome *outcome = bought->outcome;
    const alcore__job_entry *entry = &refresher->entry;
    for (int64_t i = 0; i < outcome->bought.pick_count; i++) {
        int64_t row = outcome->rows[outcome->bought.picks[i]];
        if (bought->nominees) row = bought->nominees->entries[row].row;
        if (row >= entry->first && row < entry->end) refresher->refreshed[row - entry->first] = 1;
    }
}

void alcore__job_end_refresher(alcore_job *job) {
    alcore_job *from = job->refresher;
    job->place = from->place;
    job->repeated = from->repeated;
    job->left_out = from->left_out;
    job->texts = from->texts;
    job->whole = from->whole;
    memcpy(job->lists, from->lists, sizeof job->lists);
    from->repeated = from->left_out = NULL;
    from->texts = from->whole = NULL;
    memset(from->lists, 0, sizeof from->lists);
    for (job->exchange = 0; job->exchange < ALCORE__EXCHANGE_ROWS; job->exchange++)
        job->makes[job->exchange] = false;
    while (!job->makes[job->exchange]) job->exchange++;
}
