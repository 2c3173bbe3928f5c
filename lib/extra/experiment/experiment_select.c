/* SPDX-License-Identifier: Apache-2.0 */
/* The first steps of a round: what a strategy selects, and its simulated answers. */
#include <string.h>

#include "extra/experiment/experiment_run.h"
#include "strategy/strategy_run.h"

/* The selection of a round that is being made. */
typedef struct selecting {
    alcore__experiment_run *run;
    const alcore__experiment_strategy *with;
    int64_t round;
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_pool *labeled;
    alcore_model *trained; /* NULL: not opened */
} selecting;

/* Gives the request the model of one column, or of all others where the column is "*". */
static alcore_status set_model(selecting *self, const char *column, const char *word) {
    const alcore__experiment *all = self->run->all;
    alcore__buffer path = {0};
    alcore_model *model = NULL;
    alcore_status status;
    if (!strcmp(word, "trained")) {
        status = self->trained ? ALCORE_OK
                               : alcore__experiment_trained(self->run, self->round, &self->trained);
        model = alcore_model_ref(self->trained);
    } else if (!strcmp(word, "ngram")) {
        status = alcore_model_new_ngram(all->ctx, self->labeled, NULL, &model);
    } else {
        status = alcore__experiment_absolute(all, word, &path);
        if (status == ALCORE_OK) status = alcore_model_open(all->ctx, path.data, NULL, &model);
    }
    if (status == ALCORE_OK)
        status = strcmp(column, "*") ? alcore_request_set_column_model(self->request, column, model)
                                     : alcore_request_set_model(self->request, model);
    alcore_model_unref(model);
    alcore__buffer_clear(all->ctx, &path);
    return status == ALCORE_OK ? status : alcore__fail_within(status, "models.%s", column);
}

/* Goes through the names of two objects: those of own stand before those of all. */
static alcore_status for_each(selecting *self, const alcore__node *own, const alcore__node *all,
                              alcore_status (*set)(selecting *self, const char *name,
                                                   const char *value)) {
    const alcore__node *const lists[] = {own, all};
    for (int i = 0; i < 2; i++)
        for (const alcore__node *node = lists[i] ? lists[i]->first : NULL; node; node = node->next)
            if (i == 0 || !alcore__node_find(own, node->key))
                ALCORE__TRY(set(self, node->key, alcore__experiment_text(node)));
    return ALCORE_OK;
}

static alcore_status set_option(selecting *self, const char *name, const char *value) {
    return alcore_request_set(self->request, name, value);
}

/* Names what earlier rounds bought. */
static alcore_status exclude_rounds(selecting *self) {
    alcore__buffer path = {0};
    alcore_status status = ALCORE_OK;
    for (int64_t round = 1; round < self->round && status == ALCORE_OK; round++) {
        status = alcore__experiment_file(self->run, round, "selection.tsv", &path);
        if (status == ALCORE_OK)
            status = alcore_request_read_rows(self->request, ALCORE_ROWS_EXCLUDED, path.data);
    }
    alcore__buffer_clear(self->run->all->ctx, &path);
    return status;
}

/* Fills the request. The target is for strategies that read one; the others would refuse it. */
static alcore_status make_request(selecting *self) {
    alcore__experiment_run *run = self->run;
    const alcore__experiment_config *config = &run->all->config;
    char seed[32];
    alcore__format(seed, sizeof seed, "%llu", (unsigned long long)run->seed);
    ALCORE__TRY(alcore__experiment_strategy_new(run->all->ctx, self->with, &self->strategy));
    ALCORE__TRY(alcore__experiment_labeled(run, self->round - 1, true, &self->labeled));
    ALCORE__TRY(alcore_request_new(run->all->ctx, &self->request));
    ALCORE__TRY(alcore_request_set_strategy(self->request, self->strategy));
    ALCORE__TRY(alcore_request_set_pool(self->request, ALCORE_ROLE_CANDIDATES, run->pool));
    if (alcore_pool_row_count(self->labeled) > 0)
        ALCORE__TRY(alcore_request_set_pool(self->request, ALCORE_ROLE_LABELED, self->labeled));
    if (run->target && alcore__strategy_takes_target(self->strategy))
        ALCORE__TRY(alcore_request_set_pool(self->request, ALCORE_ROLE_TARGET, run->target));
    ALCORE__TRY(exclude_rounds(self));
    ALCORE__TRY(alcore_request_set(self->request, "budget", run->budget));
    ALCORE__TRY(alcore_request_set(self->request, "seed", seed));
    ALCORE__TRY(alcore_request_set_int(self->request, "round", self->round));
    ALCORE__TRY(for_each(self, self->with->options, config->options, set_option));
    return for_each(self, self->with->models, alcore__experiment_models(config, self->with),
                    set_model);
}

static alcore_status select_items(alcore__experiment_run *run, int64_t round, const char *path) {
    const alcore__experiment_strategy *with =
        run->strategy ? run->strategy : &run->all->config.first;
    selecting self = {.run = run, .round = round, .with = with};
    alcore_selection *selection = NULL;
    alcore_status status = alcore__experiment_read_pools(run);
    if (status == ALCORE_OK) status = make_request(&self);
    if (status == ALCORE_OK) status = alcore_select(self.request, &selection);
    if (status == ALCORE_OK) status = alcore_selection_write(selection, path, NULL);
    if (status == ALCORE_OK)
        status = alcore__experiment_event(run, round, "select", "items",
                                          (double)alcore_selection_count(selection));
    alcore_selection_unref(selection);
    alcore_request_unref(self.request);
    alcore_strategy_unref(self.strategy);
    alcore_pool_unref(self.labeled);
    alcore_model_unref(self.trained);
    return status;
}

alcore_status alcore__experiment_select(alcore__experiment_run *run, int64_t round,
                                        int64_t *out_items) {
    alcore__buffer path = {0};
    alcore_annotations *annotations = NULL;
    alcore_status status = alcore__experiment_file(run, round, "selection.tsv", &path);
    if (status == ALCORE_OK && !alcore__path_exists(path.data))
        status = select_items(run, round, path.data);
    if (status == ALCORE_OK) status = alcore__experiment_read_pools(run);
    if (status == ALCORE_OK) status = alcore_annotations_new(run->pool, &annotations);
    if (status == ALCORE_OK) status = alcore_annotations_read_selection(annotations, path.data);
    if (status == ALCORE_OK) *out_items = alcore_annotations_count(annotations);
    alcore_annotations_unref(annotations);
    alcore__buffer_clear(run->all->ctx, &path);
    return status;
}

/* ---- answers ---- */

static alcore_status answer_items(alcore__experiment_run *run, int64_t round, const char *path) {
    alcore_ctx *ctx = run->all->ctx;
    alcore__buffer file = {0};
    alcore_annotations *annotations = NULL;
    alcore_links *links = NULL;
    alcore_status status = alcore__experiment_file(run, round, "selection.tsv", &file);
    if (status == ALCORE_OK) status = alcore_annotations_new(run->pool, &annotations);
    if (status == ALCORE_OK) status = alcore_annotations_read_selection(annotations, file.data);
    if (status == ALCORE_OK && run->domain->links) {
        status = alcore__experiment_absolute(run->all, run->domain->links, &file);
        if (status == ALCORE_OK)
            status = alcore_links_open(ctx, file.data, alcore_pool_row_count(run->pool), &links);
    }
    if (status == ALCORE_OK) status = alcore_annotations_simulate(annotations, links, NULL);
    if (status == ALCORE_OK) status = alcore_annotations_write(annotations, path, NULL);
    if (status == ALCORE_OK)
        status = alcore__experiment_event(run, round, "answer", "cost",
                                          alcore_annotations_spent(annotations));
    alcore_links_unref(links);
    alcore_annotations_unref(annotations);
    alcore__buffer_clear(ctx, &file);
    return status;
}

alcore_status alcore__experiment_answer(alcore__experiment_run *run, int64_t round) {
    alcore__buffer path = {0};
    alcore_status status = alcore__experiment_file(run, round, "answers.tsv", &path);
    if (status == ALCORE_OK && !alcore__path_exists(path.data))
        status = answer_items(run, round, path.data);
    alcore__buffer_clear(run->all->ctx, &path);
    return status;
}

/* Adds the items of a round with their answers. */
static alcore_status add_round(alcore__experiment_run *run, int64_t round,
                               alcore_annotations *annotations) {
    alcore__buffer path = {0};
    alcore_status status = alcore__experiment_file(run, round, "selection.tsv", &path);
    if (status == ALCORE_OK) status = alcore_annotations_read_selection(annotations, path.data);
    if (status == ALCORE_OK) status = alcore__experiment_file(run, round, "answers.tsv", &path);
    if (status == ALCORE_OK) status = alcore_annotations_read_answers(annotations, path.data);
    alcore__buffer_clear(run->all->ctx, &path);
    return status;
}

alcore_status alcore__experiment_annotations(alcore__experiment_run *run, int64_t round,
                                             alcore_annotations **out) {
    *out = NULL;
    alcore_status status = alcore__experiment_read_pools(run);
    if (status == ALCORE_OK) status = alcore_annotations_new(run->pool, out);
    for (int64_t i = 1; i <= round && status == ALCORE_OK; i++) status = add_round(run, i, *out);
    if (status != ALCORE_OK) {
        alcore_annotations_unref(*out);
        *out = NULL;
    }
    return status;
}
