/* SPDX-License-Identifier: Apache-2.0 */
/* A corpus metric of files, which are read in blocks of lines (text_blocks.h), so that memory does
 * not grow with them. With samples the statistics of all segments are kept, at most 256 bytes
 * each, in an array that grows by half. */
#include "extra/metric/corpus_metric.h"
#include "extra/metric/text_blocks.h"

/* One call. */
typedef struct files_run {
    alcore_ctx *ctx;
    alcore__corpus_metric *metric;
    double *scores;   /* [scores_capacity] of the block's segments */
    int64_t *kept[2]; /* [segments, width] of the hypotheses and of the baseline, with samples */
    size_t scores_capacity, kept_capacity[2];
    int64_t segments;
} files_run;

/* For alcore__text_blocks_visit(): counts a block and hands out its scores. */
static alcore_status count_block(void *data, const alcore__text_block *block) {
    files_run *self = data;
    alcore__corpus_metric *metric = self->metric;
    const alcore_text_files *files = block->files;
    const int64_t count = block->count;
    const bool wanted[2] = {metric->resamples > 0 || metric->paired.samples > 0,
                            metric->paired.samples > 0};
    const int64_t last = (files->count - 1) * count;
    int64_t *kept[2] = {NULL, NULL};
    metric->pairs.hypotheses = block->texts;
    metric->pairs.hypothesis_lengths = block->lengths;
    metric->pairs.references = block->texts + count;
    metric->pairs.reference_lengths = block->lengths + count;
    metric->pairs.count = count;
    if (files->score)
        ALCORE__TRY(alcore__grow(self->ctx, &self->scores, &self->scores_capacity, (size_t)count,
                                 sizeof *self->scores));
    for (int i = 0; i < 2; i++) {
        if (!wanted[i]) continue;
        ALCORE__TRY(alcore__grow(self->ctx, &self->kept[i], &self->kept_capacity[i],
                                 (size_t)((self->segments + count) * metric->width),
                                 sizeof *self->kept[i]));
        kept[i] = self->kept[i] + self->segments * metric->width;
    }
    ALCORE__TRY(alcore__corpus_metric_count_both(self->ctx, metric, block->texts + last,
                                                 block->lengths + last,
                                                 files->score ? self->scores : NULL, kept));
    for (int64_t i = 0; files->score && i < count; i++)
        files->score(files->score_user, self->segments + i, self->scores[i]);
    self->segments += count;
    return ALCORE_OK;
}

/* Sets the number of sets of references, by which the metric begins: all files but the hypotheses
 * and, with one, the baseline. A wrong number of files is left to the reading. */
static alcore_status begin(alcore__corpus_metric *metric, const alcore_text_files *files) {
    const alcore__paired *paired = &metric->paired;
    const int64_t others = paired->samples > 0 ? 2 : 1;
    if (paired->baseline || paired->lengths || paired->count != 0)
        return alcore__fail(ALCORE_E_INVALID, "with files the last one is the baseline's, whose "
                                              "texts are NULL and 0");
    metric->pairs.sets = files->count > others ? files->count - others : 1;
    return metric->begin ? metric->begin(metric) : ALCORE_OK;
}

alcore_status alcore__corpus_files_run(alcore_ctx *ctx, alcore__corpus_metric *metric,
                                       const alcore_text_files *files) {
    static const alcore__text_files_rule rules[] = {
        {2, 1000, "the hypotheses first", true, true},
        {3, 1000, "the hypotheses first, those of the baseline last", true, true}};
    files_run self = {.ctx = ctx, .metric = metric};
    ALCORE__TRY(begin(metric, files));
    alcore_status status = alcore__text_blocks_visit(ctx, files, &rules[metric->paired.samples > 0],
                                                     count_block, &self);
    if (status == ALCORE_OK)
        status = alcore__corpus_metric_sample(ctx, metric, self.kept, self.segments);
    alcore__free(ctx, self.scores);
    alcore__free(ctx, self.kept[0]);
    alcore__free(ctx, self.kept[1]);
    return status;
}
