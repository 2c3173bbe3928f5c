/* SPDX-License-Identifier: Apache-2.0 */
/* The public call of a corpus metric and its loop over the segments; corpus_metric.h says what it
 * computes. Segments are counted in blocks of BLOCK, which the context's threads take one after the
 * other; each thread adds up the statistics of its blocks, and the sums of the threads are added up
 * in the end. */
#include "metric/corpus_metric.h"

#include <string.h>

#include "base/tensor_view.h"

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

/* Counts, then draws the bootstrap samples; with none, alcore__resample() sets the interval to NaN
 * and does not read kept, which is NULL. */
static alcore_status run_metric(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                const alcore_tensor *out_sentence_scores) {
    const size_t segments = (size_t)metric->pairs.count;
    int64_t *kept = NULL;
    alcore__array scores = {0}; /* [pairs.count], the tensor's */
    if (out_sentence_scores)
        ALCORE__TRY(alcore__tensor_output(out_sentence_scores, "out_sentence_scores",
                                          ALCORE_FLOAT64, metric->pairs.count, 1, &scores));
    if (metric->resamples > 0)
        ALCORE__TRY(alcore__new_array(ctx, segments, (size_t)metric->width * sizeof *kept, &kept));
    alcore_status status = alcore__corpus_metric_count(ctx, metric, scores.data, kept);
    if (status == ALCORE_OK)
        status = alcore__resample(ctx, kept, metric->pairs.count, metric->width, metric->resamples,
                                  metric->seed, metric->score, metric, &metric->interval);
    alcore__free(ctx, kept);
    return status;
}

/* The texts of the caller. */
static alcore_status measure_texts(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                   const alcore__segment_texts *texts,
                                   const alcore_tensor *out_sentence_scores) {
    ALCORE__TRY(alcore__segment_pairs_check(texts, &metric->pairs));
    return run_metric(ctx, metric, out_sentence_scores);
}

alcore_status alcore__corpus_metric_compute(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                            const alcore__segment_texts *texts, const void *options,
                                            const alcore_tensor *out_sentence_scores, void *out) {
    ALCORE__TRY(alcore__enter(ctx));
    alcore_status status = ALCORE_OK;
    if (!ctx || !out) status = alcore__fail(ALCORE_E_INVALID, "ctx or out is NULL");
    if (status == ALCORE_OK) status = metric->read(metric, options);
    if (status == ALCORE_OK && metric->files)
        status = texts->hypothesis_count != 0 || texts->reference_count != 0 || out_sentence_scores
                     ? alcore__fail(ALCORE_E_INVALID, "files take the place of texts and of "
                                                      "out_sentence_scores, which are 0 and NULL")
                     : alcore__corpus_files_run(ctx, metric, metric->files);
    else if (status == ALCORE_OK)
        status = measure_texts(ctx, metric, texts, out_sentence_scores);
    if (status == ALCORE_OK) status = metric->write(metric, out);
    return alcore__leave(ctx, status);
}

alcore_status alcore__check_resamples(int64_t resamples) {
    if (resamples >= 0 && resamples <= ALCORE__MOST_RESAMPLES) return ALCORE_OK;
    return alcore__fail(ALCORE_E_INVALID, "resamples must be 0 to %d", ALCORE__MOST_RESAMPLES);
}

/* "bs:SAMPLES|seed:SEED|", or the empty string without samples. */
const char *alcore__bootstrap_signature(int64_t resamples, uint64_t seed, char buffer[64]) {
    buffer[0] = 0;
    if (resamples > 0)
        alcore__format(buffer, 64, "bs:%lld|seed:%llu|", (long long)resamples,
                       (unsigned long long)seed);
    return buffer;
}
