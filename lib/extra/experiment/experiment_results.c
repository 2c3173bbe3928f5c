/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of all rounds that are done, made anew from their records while the experiment runs
 * and at its end.
 *
 *   metrics.tsv                    a line for each run and round, in the form that plots read
 *   results/DOMAIN.BUDGET.tsv      those of one domain and budget
 *   table.tsv                      statistics over seeds (experiment_table.c)
 *   results/DOMAIN.BUDGET.NAME.svg the curves, and report.html (experiment_page.c)
 *
 * One process writes at a time, and reads the records after it may: the last one to write has seen
 * all of them. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "extra/experiment/experiment_results.h"
#include "formats/table_writer.h"

/* Between two writings while rounds are being made. */
#define SHOW_EVERY_NS INT64_C(5000000000)

const char *const alcore__metrics_columns[] = {"domain", "budget", "strategy", "seed",
                                               "round",  "items",  "words",    "cost"};

/* ---- reading ---- */

/* *out: the number of a measure, which is added where it is new. */
static alcore_status measure_of(alcore__results *self, const char *name, int64_t *out) {
    for (*out = 0; *out < self->measure_count; ++*out)
        if (!strcmp(self->measures[*out], name)) return ALCORE_OK;
    if (self->measure_count == ALCORE__RESULT_MEASURES)
        return alcore__fail(ALCORE_E_DATA, "the rounds have more than %d different measures",
                            ALCORE__RESULT_MEASURES);
    ALCORE__TRY(alcore__arena_text(self->all->ctx, &self->arena, name, strlen(name),
                                   &self->measures[self->measure_count]));
    self->measure_count++;
    return ALCORE_OK;
}

static double number_of(const alcore__node *node) {
    double value;
    if (!node || node->kind != '0' || !alcore__parse_double(node->text, strlen(node->text), &value))
        return NAN;
    return value;
}

/* Adds a round by its record. */
static alcore_status add_round(alcore__results *self, const alcore__tree *record,
                               alcore__result_row row) {
    alcore_ctx *ctx = self->all->ctx;
    const alcore__node *measures = alcore__node_find(record->root, "measures");
    int64_t number;
    for (int i = 0; i < 3; i++)
        row.bought[i] = number_of(
            alcore__node_find(record->root, alcore__metrics_columns[ALCORE__METRICS_BOUGHT + i]));
    row.values =
        alcore__arena_alloc(ctx, &self->arena, ALCORE__RESULT_MEASURES * sizeof *row.values, 8);
    if (!row.values) return alcore__fail_memory(sizeof *row.values);
    for (int64_t i = 0; i < ALCORE__RESULT_MEASURES; i++) row.values[i] = NAN;
    for (const alcore__node *node = measures ? measures->first : NULL; node; node = node->next) {
        ALCORE__TRY(measure_of(self, node->key, &number));
        row.values[number] = number_of(node);
    }
    ALCORE__TRY(alcore__grow(ctx, &self->rows, &self->capacity, (size_t)self->count + 1,
                             sizeof *self->rows));
    self->rows[self->count++] = row;
    return ALCORE_OK;
}

/* Adds the rounds of a run that are done. */
static alcore_status read_run(alcore__results *self, const alcore__experiment_run *run,
                              alcore__result_row row) {
    const alcore__experiment_config *config = &self->all->config;
    alcore__buffer path = {0};
    alcore__tree record;
    alcore_status status = ALCORE_OK;
    bool more = true;
    for (row.round = alcore__experiment_first_round(config);
         row.round <= config->rounds && status == ALCORE_OK && more; row.round++) {
        status = alcore__experiment_file(run, row.round, "record.json", &path);
        more = status == ALCORE_OK && alcore__path_exists(path.data);
        if (!more) break;
        status = alcore__tree_read(self->all->ctx, path.data, &record);
        if (status != ALCORE_OK) break;
        more = !alcore__node_find(record.root, "ended");
        if (more) status = add_round(self, &record, row);
        alcore__tree_clear(&record);
    }
    alcore__buffer_clear(self->all->ctx, &path);
    return status;
}

/* Rows are by domain, budget, strategy, seed and round. */
static alcore_status read_all(alcore__results *self) {
    alcore__experiment *all = self->all;
    const alcore__experiment_config *config = &all->config;
    const int64_t runs =
        config->domain_count * config->budget_count * config->strategy_count * config->seed_count;
    for (int64_t i = 0; i < runs; i++) {
        int64_t rest = i;
        alcore__result_row row = {0};
        alcore__experiment_run run;
        row.seed = rest % config->seed_count, rest /= config->seed_count;
        row.strategy = rest % config->strategy_count, rest /= config->strategy_count;
        row.budget = rest % config->budget_count, row.domain = rest / config->budget_count;
        alcore_status status = alcore__experiment_run_of(all, row.domain, row.budget, row.seed,
                                                         &config->strategies[row.strategy], &run);
        if (status == ALCORE_OK) status = read_run(self, &run, row);
        alcore__experiment_run_clear(&run);
        ALCORE__TRY(status);
    }
    return ALCORE_OK;
}

/* ---- metrics ---- */

static alcore_status put_row(const alcore__results *self, alcore__table *table,
                             const alcore__result_row *row) {
    const alcore__experiment_config *config = &self->all->config;
    char seed[32];
    alcore__format(seed, sizeof seed, "%llu", (unsigned long long)config->seeds[row->seed]);
    ALCORE__TRY(alcore__table_put_string(table, config->domains[row->domain].name));
    ALCORE__TRY(alcore__table_put_string(table, config->budgets[row->budget]));
    ALCORE__TRY(alcore__table_put_string(table, config->strategies[row->strategy].name));
    ALCORE__TRY(alcore__table_put_string(table, seed));
    ALCORE__TRY(alcore__table_put_integer(table, row->round));
    for (int i = 0; i < 3; i++) ALCORE__TRY(alcore__table_put_number(table, row->bought[i]));
    for (int64_t i = 0; i < self->measure_count; i++)
        ALCORE__TRY(alcore__table_put_number(table, row->values[i]));
    return alcore__table_end_line(table);
}

/* Writes the rows of a domain and budget; domain -1: all. */
static alcore_status write_metrics(const alcore__results *self, const char *path, int64_t domain,
                                   int64_t budget) {
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, self->all->ctx, "a table of metrics", path, NULL));
    alcore_status status = ALCORE_OK;
    for (size_t i = 0; i < ALCORE__METRICS_COLUMNS && status == ALCORE_OK; i++)
        status = alcore__table_put_string(&table, alcore__metrics_columns[i]);
    for (int64_t i = 0; i < self->measure_count && status == ALCORE_OK; i++)
        status = alcore__table_put_string(&table, self->measures[i]);
    if (status == ALCORE_OK) status = alcore__table_end_line(&table);
    for (int64_t i = 0; i < self->count && status == ALCORE_OK; i++)
        if (domain < 0 || (self->rows[i].domain == domain && self->rows[i].budget == budget))
            status = put_row(self, &table, &self->rows[i]);
    return alcore__table_close(&table, status);
}

static alcore_status write_all(alcore__results *self) {
    const alcore__experiment_config *config = &self->all->config;
    const char *folder = self->all->folder.data;
    alcore__buffer *path = &self->path;
    ALCORE__TRY(alcore__experiment_path(self->all->ctx, path, "%s/results", folder));
    ALCORE__TRY(alcore__experiment_make_folders(self->all->ctx, path->data));
    ALCORE__TRY(alcore__experiment_path(self->all->ctx, path, "%s/metrics.tsv", folder));
    ALCORE__TRY(write_metrics(self, path->data, -1, -1));
    for (int64_t d = 0; d < config->domain_count; d++)
        for (int64_t b = 0; b < config->budget_count; b++) {
            ALCORE__TRY(alcore__experiment_path(self->all->ctx, path, "%s/results/%s.%s.tsv",
                                                folder, config->domains[d].name,
                                                config->budgets[b]));
            ALCORE__TRY(write_metrics(self, path->data, d, b));
        }
    ALCORE__TRY(alcore__experiment_path(self->all->ctx, path, "%s/table.tsv", folder));
    ALCORE__TRY(alcore__results_write_table(self, path->data));
    return alcore__results_write_page(self);
}

/* Removes what processes that were killed have left of the tables. */
static alcore_status remove_leftovers(alcore__results *self) {
    static const char *const folders[] = {"", "results/"};
    for (int i = 0; i < 2; i++) {
        ALCORE__TRY(alcore__experiment_path(self->all->ctx, &self->path, "%s/%s",
                                            self->all->folder.data, folders[i]));
        alcore__remove_leftovers(self->all->ctx, self->path.data);
    }
    return ALCORE_OK;
}

/* Reads and writes while no other process does. */
static alcore_status show(alcore__experiment *all) {
    alcore__results self = {.all = all};
    int lock = -1;
    alcore_status status =
        alcore__experiment_path(all->ctx, &self.path, "%s/results.lock", all->folder.data);
    if (status == ALCORE_OK) status = alcore__path_lock(all->ctx, self.path.data, true, &lock);
    if (status == ALCORE_OK) status = remove_leftovers(&self);
    if (status == ALCORE_OK) status = read_all(&self);
    if (status == ALCORE_OK) status = write_all(&self);
    if (lock >= 0) close(lock);
    alcore__arena_clear(all->ctx, &self.arena);
    alcore__free(all->ctx, self.rows);
    alcore__buffer_clear(all->ctx, &self.path);
    return status;
}

alcore_status alcore__experiment_show(alcore__experiment *self, bool now) {
    const int64_t time = alcore__now_ns();
    if (!now && self->shown_ns && time - self->shown_ns < SHOW_EVERY_NS) return ALCORE_OK;
    ALCORE__TRY(show(self));
    self->shown_ns = alcore__now_ns();
    return ALCORE_OK;
}
