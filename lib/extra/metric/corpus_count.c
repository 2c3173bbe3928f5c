/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of a corpus metric over the segments. They are counted in blocks of BLOCK, which the
 * context's threads take one after the other; each thread adds up the statistics of its blocks, and
 * the sums of the threads are added up in the end. */
#include <string.h>

#include "extra/metric/corpus_metric.h"

/* Segments of a block: few enough that the threads end together, enough that handing them out costs
 * nothing. */
enum { BLOCK = 64 };

/* What one thread has counted. */
typedef struct counting_thread {
    alcore__metric_workspace work;
    int64_t sums[ALCORE__MOST_STATISTICS]; /* [width] over the segments of its blocks */
} counting_thread;

/* One pass over the segments. */
typedef struct corpus_pass {
    const alcore__corpus_metric *metric;
    counting_thread *threads; /* [threads of the context] */
    double *scores;           /* [pairs.count] out, the score of each segment; NULL: not wanted */
    int64_t *kept;            /* [pairs.count, width] out, the statistics of each segment for
                               * bootstrap samples; NULL: none are drawn */
} corpus_pass;

/* For alcore__parallel(): counts the segments of one block. */
static alcore_status count_block(void *data, int64_t block, int32_t worker) {
    const corpus_pass *pass = data;
    const alcore__corpus_metric *metric = pass->metric;
    counting_thread *thread = &pass->threads[worker];
    const int64_t first = block * BLOCK, rest = metric->pairs.count - first;
    for (int64_t i = first; i < first + (rest < BLOCK ? rest : BLOCK); i++) {
        int64_t statistics[ALCORE__MOST_STATISTICS] = {0};
        ALCORE__TRY(metric->count(metric, &thread->work, i, statistics,
                                  !pass->scores ? NULL : pass->scores + i));
        for (int32_t j = 0; j < metric->width; j++) thread->sums[j] += statistics[j];
        if (pass->kept)
            memcpy(pass->kept + i * metric->width, statistics,
                   (size_t)metric->width * sizeof *statistics);
    }
    return ALCORE_OK;
}

alcore_status alcore__corpus_metric_count(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                          double *scores, int64_t *kept) {
    const int32_t threads = alcore_ctx_threads(ctx);
    corpus_pass pass = {.metric = metric, .scores = scores, .kept = kept};
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)threads, sizeof *pass.threads, (void *)&pass.threads));
    for (int32_t i = 0; i < threads; i++) {
        alcore__metric_workspace *work = &pass.threads[i].work;
        work->counter.ctx = work->lines.ctx = work->shifts.ctx = ctx;
    }
    const alcore_status status = alcore__parallel(
        ctx, metric->stage, (metric->pairs.count + BLOCK - 1) / BLOCK, count_block, &pass);
    for (int32_t i = 0; i < threads; i++) {
        for (int32_t j = 0; j < metric->width; j++) metric->sums[j] += pass.threads[i].sums[j];
        alcore__ngram_counter_clear(&pass.threads[i].work.counter);
        alcore__token_lines_clear(&pass.threads[i].work.lines);
        alcore__shift_search_clear(&pass.threads[i].work.shifts);
    }
    alcore__free(ctx, pass.threads);
    return status;
}
