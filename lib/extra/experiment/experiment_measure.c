/* SPDX-License-Identifier: Apache-2.0 */
/* The measures of a round, and its record, with which the round is done.
 *
 *   items, words, cost   what was bought by now and has an answer
 *   coverage             percent of the distinct words of the test set that bought texts have
 *   perplexity           of the test set by the n-gram model, its sentence ends included
 *   METRIC               of the engine's validation on the test set
 *   others               what the command of "evaluate" prints (measure_lines.h) */
#include <math.h>
#include <string.h>

#include "alcore/extra/lm.h"
#include "alcore/extra/overlap.h"
#include "alcore/version.h"
#include "base/number.h"
#include "extra/annotation/annotation_list.h"
#include "extra/experiment/experiment_run.h"
#include "extra/metric/measure_lines.h"
#include "extra/training/folder_model.h"
#include "formats/json_text.h"

/* The measures of one round. */
typedef struct measures {
    alcore__experiment_run *run;
    int64_t round;
    alcore__measures all;
} measures;

static void add(measures *self, const char *name, double value) {
    if (!isfinite(value)) return;
    alcore__format(self->all.names[self->all.count], ALCORE__MEASURE_NAME_BYTES, "%s", name);
    self->all.values[self->all.count++] = value;
}

/* ---- what an evaluation prints ---- */

/* Reads the measures; none may have the name of a column of the tables. */
static alcore_status read_output(measures *self, alcore__buffer *output) {
    const int own = self->all.count;
    ALCORE__TRY(alcore__measures_read(&self->all, output->data, output->length));
    for (int i = own; i < self->all.count; i++)
        for (size_t k = 0; k < ALCORE__METRICS_COLUMNS; k++)
            if (strcmp(self->all.names[i], alcore__metrics_columns[k]) == 0)
                return alcore__fail(ALCORE_E_DATA,
                                    "the evaluation has a measure '%s', which the tables have a "
                                    "column of",
                                    self->all.names[i]);
    return ALCORE_OK;
}

static alcore_status run_evaluation(measures *self) {
    const alcore__experiment_config *config = &self->run->all->config;
    alcore_ctx *ctx = self->run->all->ctx;
    const char *name = alcore__experiment_model_name(config);
    alcore__buffer output = {0}, model = {0};
    alcore_status status = ALCORE_OK;
    if (name) status = alcore__experiment_file(self->run, self->round, name, &model);
    if (status == ALCORE_OK)
        status = alcore__experiment_command(self->run, self->round, "evaluate", config->evaluate,
                                            name ? model.data : "", &output);
    if (status == ALCORE_OK) {
        status = read_output(self, &output);
        if (status != ALCORE_OK) alcore__fail_within(status, "round %lld", (long long)self->round);
    }
    alcore__buffer_clear(ctx, &output);
    alcore__buffer_clear(ctx, &model);
    return status;
}

/* ---- measures of our own ---- */

static alcore_status measure_perplexity(measures *self, const char *const *texts,
                                        const size_t *lengths) {
    alcore_ctx *ctx = self->run->all->ctx;
    const int64_t count = alcore_pool_row_count(self->run->test);
    int64_t shape[] = {count};
    alcore__buffer path = {0};
    alcore_lm *lm = NULL;
    alcore_tensor out;
    double *scores = NULL, sum = 0, words = 0;
    alcore_status status = alcore__experiment_file(self->run, self->round, "model.arpa", &path);
    if (status == ALCORE_OK) status = alcore_lm_open_arpa(ctx, path.data, &lm);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, (size_t)count, sizeof *scores, &scores);
    if (status == ALCORE_OK) status = alcore_tensor_init(&out, scores, ALCORE_FLOAT64, shape, 1);
    if (status == ALCORE_OK) status = alcore_lm_score(lm, texts, lengths, count, &out);
    for (int64_t row = 0; row < count && status == ALCORE_OK; row++) {
        sum += scores[row];
        words += (double)alcore_pool_words(self->run->test, row) + 1;
    }
    if (status == ALCORE_OK) add(self, "perplexity", pow(10, -sum / words));
    alcore__free(ctx, scores);
    alcore_lm_unref(lm);
    alcore__buffer_clear(ctx, &path);
    return status;
}

/* How much of the test set the bought texts cover. */
static alcore_status measure_coverage(measures *self, const char *const *test,
                                      const size_t *lengths) {
    alcore_ctx *ctx = self->run->all->ctx;
    alcore_overlap_options options = ALCORE_OVERLAP_OPTIONS_INIT;
    alcore_coverage_result result = ALCORE_COVERAGE_RESULT_INIT;
    alcore_overlap *overlap = NULL;
    alcore_pool *bought = NULL;
    const char **texts = NULL;
    size_t *bytes = NULL;
    options.max_order = 1;
    alcore_status status = alcore__experiment_labeled(self->run, self->round, false, &bought);
    if (status == ALCORE_OK) status = alcore__experiment_texts(bought, ctx, &texts, &bytes);
    if (status == ALCORE_OK) status = alcore_overlap_new(ctx, &options, &overlap);
    if (status == ALCORE_OK)
        status = alcore_overlap_add(overlap, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, test, lengths,
                                    alcore_pool_row_count(self->run->test));
    if (status == ALCORE_OK)
        status = alcore_overlap_add(overlap, ALCORE_OVERLAP_SELECTED, ALCORE_SIDE_SOURCE, texts,
                                    bytes, alcore_pool_row_count(bought));
    if (status == ALCORE_OK) status = alcore_overlap_compute_coverage(overlap, 1, NULL, &result);
    if (status == ALCORE_OK) add(self, "coverage", result.coverage);
    alcore__free(ctx, texts);
    alcore__free(ctx, bytes);
    alcore_overlap_unref(overlap);
    alcore_pool_unref(bought);
    return status;
}

static alcore_status measure_test(measures *self) {
    alcore_ctx *ctx = self->run->all->ctx;
    const char **texts = NULL;
    size_t *lengths = NULL;
    if (!self->run->test) return ALCORE_OK;
    alcore_status status = alcore__experiment_texts(self->run->test, ctx, &texts, &lengths);
    if (status == ALCORE_OK) status = measure_coverage(self, texts, lengths);
    if (status == ALCORE_OK && self->run->all->config.train.kind == EXPERIMENT_TRAIN_NGRAM)
        status = measure_perplexity(self, texts, lengths);
    alcore__free(ctx, texts);
    alcore__free(ctx, lengths);
    return status;
}

/* The number that the training of the engine's model left. */
static alcore_status read_validation(measures *self) {
    const char *const name = alcore__validation_name(self->run->all->config.train.options.metric);
    alcore__buffer path = {0};
    alcore__file *file = NULL;
    char text[40];
    size_t length = 0;
    double value = NAN;
    alcore_status status = alcore__experiment_file(self->run, self->round, "validation.txt", &path);
    if (status == ALCORE_OK) status = alcore__file_open(self->run->all->ctx, path.data, &file);
    if (status == ALCORE_OK) status = alcore__file_read(file, 0, text, sizeof text, &length);
    alcore__file_close(file);
    if (status == ALCORE_OK && !(length && alcore__parse_double(text, length - 1, &value)))
        status = alcore__fail(ALCORE_E_DATA, "%s: a number is needed", path.data);
    if (status == ALCORE_OK) add(self, name, value);
    alcore__buffer_clear(self->run->all->ctx, &path);
    return status;
}

/* What was bought by now: items with an answer, their words and what they cost. */
static alcore_status measure_bought(measures *self, double bought[3]) {
    alcore_annotations *annotations;
    ALCORE__TRY(alcore__experiment_annotations(self->run, self->round, &annotations));
    bought[2] = alcore_annotations_spent(annotations);
    for (int64_t i = 0; i < alcore_annotations_count(annotations); i++) {
        size_t length;
        const char *text = alcore_annotations_text(annotations, i, &length);
        if (!alcore_annotations_translation(annotations, i, NULL)) continue;
        bought[0]++;
        bought[1] += (double)alcore__count_words(text, length);
    }
    alcore_annotations_unref(annotations);
    return ALCORE_OK;
}

/* ---- the record ---- */

static alcore_status put_digests(const measures *self, alcore__json_out *json, bool ended) {
    static const char *const files[] = {"selection.tsv", "answers.tsv", "train.tsv", "model.arpa"};
    alcore__buffer path = {0};
    char digest[ALCORE__HASH_TEXT_BYTES];
    int64_t bytes;
    alcore_status status = ALCORE_OK;
    alcore__json_open(json, "files", '{');
    for (int i = self->round == 0 ? 2 : 0; i < (ended ? 1 : 4) && status == ALCORE_OK; i++) {
        status = alcore__experiment_file(self->run, self->round, files[i], &path);
        if (status != ALCORE_OK || !alcore__path_exists(path.data)) continue;
        status = alcore__path_digest(self->run->all->ctx, path.data, digest, &bytes);
        if (status == ALCORE_OK) alcore__json_put_string(json, files[i], digest);
    }
    alcore__json_close(json, '}');
    alcore__buffer_clear(self->run->all->ctx, &path);
    return status;
}

/* bought NULL: the round ended the run. */
static alcore_status write_record(const measures *self, const double *bought) {
    alcore_ctx *ctx = self->run->all->ctx;
    alcore__json_out json = {.ctx = ctx};
    alcore__buffer path = {0};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "schema", "alcore-experiment-round-1");
    alcore__json_put_string(&json, "version", alcore_version());
    alcore__json_put_string(&json, "run", self->run->name.data);
    alcore__json_put_integer(&json, "round", self->round);
    alcore__json_put_string(&json, "settings", self->run->settings);
    alcore_status status = put_digests(self, &json, !bought);
    if (!bought) alcore__json_put_string(&json, "ended", "no row is left that can be selected");
    for (int i = 0; bought && i < 3; i++)
        alcore__json_put_number(&json, alcore__metrics_columns[ALCORE__METRICS_BOUGHT + i],
                                bought[i]);
    alcore__json_open(&json, "measures", '{');
    for (int i = 0; i < self->all.count; i++)
        alcore__json_put_number(&json, self->all.names[i], self->all.values[i]);
    alcore__json_close(&json, '}');
    alcore__json_close(&json, '}');
    if (status == ALCORE_OK) status = json.status;
    if (status == ALCORE_OK) status = alcore__buffer_append(ctx, &json.text, "\n", 1);
    if (status == ALCORE_OK)
        status = alcore__experiment_file(self->run, self->round, "record.json", &path);
    if (status == ALCORE_OK) status = alcore__write_text(ctx, path.data, &json.text);
    alcore__buffer_clear(ctx, &path);
    alcore__buffer_clear(ctx, &json.text);
    return status;
}

/* Events come before the record: one that was killed between writes them again, so that none is
 * missing. */
static alcore_status tell(const measures *self, const double bought[3]) {
    for (int i = 0; i < 3; i++)
        ALCORE__TRY(alcore__experiment_event(self->run, self->round, "evaluate",
                                             alcore__metrics_columns[ALCORE__METRICS_BOUGHT + i],
                                             bought[i]));
    for (int i = 0; i < self->all.count; i++)
        ALCORE__TRY(alcore__experiment_event(self->run, self->round, "evaluate", self->all.names[i],
                                             self->all.values[i]));
    return ALCORE_OK;
}

alcore_status alcore__experiment_measure(alcore__experiment_run *run, int64_t round,
                                         int64_t items) {
    const alcore__experiment_config *config = &run->all->config;
    measures self = {.run = run, .round = round};
    double bought[3] = {0};
    if (round > 0 && items == 0) return write_record(&self, NULL);
    ALCORE__TRY(alcore__experiment_read_pools(run));
    ALCORE__TRY(measure_bought(&self, bought));
    ALCORE__TRY(measure_test(&self));
    if (config->train.kind == EXPERIMENT_TRAIN_MODEL && run->test)
        ALCORE__TRY(read_validation(&self));
    if (config->evaluate) ALCORE__TRY(run_evaluation(&self));
    ALCORE__TRY(tell(&self, bought));
    return write_record(&self, bought);
}
