/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics over seeds, as papers have them (docs/spec/analyses.md 8.5): mean, standard deviation
 * and standard error of a measure after a round, and whether it differs from that of the baseline.
 * Runs with the same domain, budget and seed are pairs, as they begin with the same draws:
 * Wilcoxon's signed-rank test takes their differences, the paired bootstrap draws pairs with
 * replacement. */
#include <math.h>
#include <string.h>

#include "alcore/extra/metric_statistics.h"
#include "extra/experiment/experiment_results.h"
#include "extra/metric/paired.h"
#include "formats/table_writer.h"

enum { SAMPLES = 1000 };

/* The values of a strategy and of the baseline, by seed; NaN where a seed has none. */
typedef struct pairs {
    double *ours, *theirs;  /* [seeds] */
    int64_t *statistics[2]; /* [seeds] */
} pairs;

int64_t alcore__results_last_round(const alcore__results *self, int64_t domain, int64_t budget) {
    int64_t last = -1;
    for (int64_t i = 0; i < self->count; i++)
        if (self->rows[i].domain == domain && self->rows[i].budget == budget &&
            self->rows[i].round > last)
            last = self->rows[i].round;
    return last;
}

static int64_t baseline_of(const alcore__experiment_config *config) {
    int64_t i = 0;
    while (strcmp(config->strategies[i].name, config->baseline) != 0) i++;
    return i;
}

/* The score of a sample: the mean. settings: the units of 1, times the seeds. */
static double mean_of_sums(const int64_t *sums, const void *settings) {
    return (double)sums[0] / *(const double *)settings;
}

/* The paired bootstrap, over the mean: values are counted in units of which all together fit into
 * 2^60. */
static alcore_status bootstrap(alcore_ctx *ctx, const pairs *both, int64_t count, double *p) {
    double largest = 0, units, sums[2] = {0, 0};
    alcore__paired paired = {.test = ALCORE_PAIRED_BOOTSTRAP, .samples = SAMPLES};
    for (int64_t i = 0; i < count; i++)
        largest = fmax(largest, fmax(fabs(both->ours[i]), fabs(both->theirs[i])));
    if (!(largest > 0)) {
        *p = 1;
        return ALCORE_OK;
    }
    const double scale = 0x1p60 / ((double)count * largest);
    units = scale * (double)count;
    for (int64_t i = 0; i < count; i++) {
        both->statistics[0][i] = llrint(both->ours[i] * scale);
        both->statistics[1][i] = llrint(both->theirs[i] * scale);
        sums[0] += (double)both->statistics[0][i];
        sums[1] += (double)both->statistics[1][i];
    }
    const alcore__paired_systems systems = {
        .statistics = {both->statistics[0], both->statistics[1]},
        .segments = count,
        .width = 1,
        .score = mean_of_sums,
        .settings = &units,
        .difference = fabs(sums[0] - sums[1]) / units};
    return alcore__paired_test(ctx, &paired, &systems, p);
}

/* Collects the values of a strategy by seed. */
static void collect(const alcore__results *self, const int64_t at[4], int64_t measure,
                    double *out) {
    for (int64_t s = 0; s < self->all->config.seed_count; s++) out[s] = NAN;
    for (int64_t i = 0; i < self->count; i++) {
        const alcore__result_row *row = &self->rows[i];
        if (row->domain == at[0] && row->budget == at[1] && row->strategy == at[2] &&
            row->round == at[3])
            out[row->seed] = row->values[measure];
    }
}

/* Keeps the seeds that both have, or that ours has where theirs is NULL; their number. */
static int64_t keep_seeds(int64_t seeds, double *ours, double *theirs) {
    int64_t kept = 0;
    for (int64_t s = 0; s < seeds; s++) {
        if (isnan(ours[s]) || (theirs && isnan(theirs[s]))) continue;
        if (theirs) theirs[kept] = theirs[s];
        ours[kept++] = ours[s];
    }
    return kept;
}

static alcore_status compare(alcore_ctx *ctx, const pairs *both, int64_t count,
                             alcore__result_cell *out) {
    alcore_wilcoxon_result wilcoxon = ALCORE_WILCOXON_RESULT_INIT;
    out->pairs = count;
    if (count == 0) return ALCORE_OK;
    out->difference = 0;
    for (int64_t i = 0; i < count; i++)
        out->difference += (both->ours[i] - both->theirs[i]) / (double)count;
    const alcore_status status = alcore_metric_compute_wilcoxon(
        ctx, both->ours, count, both->theirs, count, NULL, &wilcoxon);
    if (status == ALCORE_OK) out->wilcoxon = wilcoxon.p;
    if (status != ALCORE_OK && status != ALCORE_E_DATA) return status; /* too large for the test */
    return bootstrap(ctx, both, count, &out->bootstrap);
}

static alcore_status fill_cell(const alcore__results *self, const int64_t at[4], int64_t measure,
                               const pairs *both, alcore__result_cell *out) {
    alcore_ctx *ctx = self->all->ctx;
    const alcore__experiment_config *config = &self->all->config;
    const int64_t baseline = baseline_of(config);
    alcore_mean_result mean = ALCORE_MEAN_RESULT_INIT;
    collect(self, at, measure, both->ours);
    out->n = keep_seeds(config->seed_count, both->ours, NULL);
    ALCORE__TRY(alcore_metric_compute_mean(ctx, both->ours, out->n, NULL, &mean));
    out->mean = mean.mean;
    out->deviation = mean.standard_deviation;
    out->error = mean.standard_error;
    if (at[2] == baseline) return ALCORE_OK;
    collect(self, at, measure, both->ours);
    collect(self, (const int64_t[]){at[0], at[1], baseline, at[3]}, measure, both->theirs);
    return compare(ctx, both, keep_seeds(config->seed_count, both->ours, both->theirs), out);
}

alcore_status alcore__results_cell(const alcore__results *self, int64_t domain, int64_t budget,
                                   int64_t strategy, int64_t round, int64_t measure,
                                   alcore__result_cell *out) {
    alcore_ctx *ctx = self->all->ctx;
    const size_t seeds = (size_t)self->all->config.seed_count;
    const int64_t at[] = {domain, budget, strategy, round};
    pairs both = {0};
    *out = (alcore__result_cell){.mean = NAN,
                                 .deviation = NAN,
                                 .error = NAN,
                                 .difference = NAN,
                                 .wilcoxon = NAN,
                                 .bootstrap = NAN};
    alcore_status status = alcore__new_array(ctx, seeds, sizeof *both.ours, &both.ours);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, seeds, sizeof *both.theirs, &both.theirs);
    for (int i = 0; i < 2 && status == ALCORE_OK; i++)
        status = alcore__new_array(ctx, seeds, sizeof *both.statistics[i], &both.statistics[i]);
    if (status == ALCORE_OK) status = fill_cell(self, at, measure, &both, out);
    alcore__free(ctx, both.ours);
    alcore__free(ctx, both.theirs);
    alcore__free(ctx, both.statistics[0]);
    alcore__free(ctx, both.statistics[1]);
    return status;
}

/* ---- the table ---- */

static alcore_status put_cell(const alcore__results *self, alcore__table *table,
                              const int64_t at[4], int64_t measure) {
    const alcore__experiment_config *config = &self->all->config;
    alcore__result_cell cell;
    ALCORE__TRY(alcore__results_cell(self, at[0], at[1], at[2], at[3], measure, &cell));
    if (cell.n == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__table_put_string(table, config->domains[at[0]].name));
    ALCORE__TRY(alcore__table_put_string(table, config->budgets[at[1]]));
    ALCORE__TRY(alcore__table_put_integer(table, at[3]));
    ALCORE__TRY(alcore__table_put_string(table, self->measures[measure]));
    ALCORE__TRY(alcore__table_put_string(table, config->strategies[at[2]].name));
    ALCORE__TRY(alcore__table_put_integer(table, cell.n));
    ALCORE__TRY(alcore__table_put_number(table, cell.mean));
    ALCORE__TRY(alcore__table_put_number(table, cell.deviation));
    ALCORE__TRY(alcore__table_put_number(table, cell.error));
    ALCORE__TRY(alcore__table_put_number(table, cell.difference));
    ALCORE__TRY(alcore__table_put_integer(table, cell.pairs));
    ALCORE__TRY(alcore__table_put_number(table, cell.wilcoxon));
    ALCORE__TRY(alcore__table_put_number(table, cell.bootstrap));
    return alcore__table_end_line(table);
}

static alcore_status put_cells(const alcore__results *self, alcore__table *table, int64_t domain,
                               int64_t budget) {
    const int64_t last = alcore__results_last_round(self, domain, budget);
    for (int64_t round = alcore__experiment_first_round(&self->all->config); round <= last; round++)
        for (int64_t measure = 0; measure < self->measure_count; measure++)
            for (int64_t i = 0; i < self->all->config.strategy_count; i++)
                ALCORE__TRY(
                    put_cell(self, table, (const int64_t[]){domain, budget, i, round}, measure));
    return ALCORE_OK;
}

alcore_status alcore__results_write_table(const alcore__results *self, const char *path) {
    static const char *const columns[] = {
        "domain", "budget", "round",      "measure", "strategy",   "n",          "mean",
        "sd",     "se",     "difference", "pairs",   "wilcoxon_p", "bootstrap_p"};
    const alcore__experiment_config *config = &self->all->config;
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, self->all->ctx, "a table", path, NULL));
    alcore_status status = ALCORE_OK;
    for (size_t i = 0; i < sizeof columns / sizeof *columns && status == ALCORE_OK; i++)
        status = alcore__table_put_string(&table, columns[i]);
    if (status == ALCORE_OK) status = alcore__table_end_line(&table);
    for (int64_t d = 0; d < config->domain_count && status == ALCORE_OK; d++)
        for (int64_t b = 0; b < config->budget_count && status == ALCORE_OK; b++)
            status = put_cells(self, &table, d, b);
    return alcore__table_close(&table, status);
}
