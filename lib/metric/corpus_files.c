/* SPDX-License-Identifier: Apache-2.0 */
/* A corpus metric of files, which are read in blocks of lines (text_blocks.h), so that memory does
 * not grow with them. With bootstrap samples the statistics of all segments are kept, at most 256
 * bytes each. */
#include "metric/corpus_metric.h"
#include "metric/text_blocks.h"

/* One call. */
typedef struct files_run {
    alcore_ctx *ctx;
    alcore__corpus_metric *metric;
    double *scores; /* [scores_capacity] of the block's segments */
    int64_t *kept;  /* [segments, width] with bootstrap samples */
    size_t scores_capacity, kept_capacity;
    int64_t segments;
} files_run;

/* For alcore__text_blocks_visit(): counts a block and hands out its scores. */
static alcore_status count_block(void *data, const alcore__text_block *block) {
    files_run *self = data;
    alcore__corpus_metric *metric = self->metric;
    const alcore_text_files *files = block->files;
    const int64_t count = block->count;
    metric->pairs = (alcore__segment_pairs){.hypotheses = block->texts,
                                            .hypothesis_lengths = block->lengths,
                                            .references = block->texts + count,
                                            .reference_lengths = block->lengths + count,
                                            .count = count,
                                            .sets = files->count - 1};
    if (files->score)
        ALCORE__TRY(alcore__grow(self->ctx, &self->scores, &self->scores_capacity, (size_t)count,
                                 sizeof *self->scores));
    if (metric->resamples > 0)
        ALCORE__TRY(alcore__grow(self->ctx, &self->kept, &self->kept_capacity,
                                 (size_t)((self->segments + count) * metric->width),
                                 sizeof *self->kept));
    ALCORE__TRY(alcore__corpus_metric_count(
        self->ctx, metric, files->score ? self->scores : NULL,
        metric->resamples > 0 ? self->kept + self->segments * metric->width : NULL));
    for (int64_t i = 0; files->score && i < count; i++)
        files->score(files->score_user, self->segments + i, self->scores[i]);
    self->segments += count;
    return ALCORE_OK;
}

alcore_status alcore__corpus_files_run(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                       const alcore_text_files *files) {
    static const alcore__text_files_rule rule = {2, 1000, "the hypotheses first", true};
    files_run self = {.ctx = ctx, .metric = metric};
    alcore_status status = alcore__text_blocks_visit(ctx, files, &rule, count_block, &self);
    if (status == ALCORE_OK)
        status = alcore__resample(ctx, self.kept, self.segments, metric->width, metric->resamples,
                                  metric->seed, metric->score, metric, &metric->interval);
    alcore__free(ctx, self.scores);
    alcore__free(ctx, self.kept);
    return status;
}
