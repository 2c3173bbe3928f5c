/* SPDX-License-Identifier: Apache-2.0 */
/* A training set that is mixed (alcore/extra/mix.h): of the items with the answers that count, of
 * the files that were added as labeled ones, and of the candidates. What it is made of is read in a
 * transaction, and made outside of one, as that may take minutes. */
#include <string.h>

#include "extra/project/project_decisions.h"
#include "extra/project/project_round.h"
#include "extra/project/project_work.h"

/* ---- what it is made of ---- */

static alcore_status read_role(alcore_project *project, const alcore__project_settings *settings,
                               int32_t role, alcore_pool **out) {
    ALCORE__TRY(alcore__project_pool_new(project, settings, role, out));
    return alcore__project_pool_read(project, role, *out);
}

/* Adds the answered item of a row to the annotations. */
static alcore_status add_item(alcore_annotations *annotations, sqlite3_stmt *row) {
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    const char *const id = alcore__store_text(row, 0), *const text = alcore__store_text(row, 1);
    const char *const answer = alcore__store_text(row, 2);
    const char *const kind = sqlite3_column_int(row, 3) == ITEM_PHRASE ? "phrase" : "sent";
    const double cost = sqlite3_column_double(row, 5);
    const int64_t at = sqlite3_column_int64(row, 4);
    records.texts = &text;
    records.count = 1;
    records.ids = &id;
    records.kinds = &kind;
    records.rows = &at;
    records.costs = &cost;
    records.translations = &answer;
    return alcore_annotations_add(annotations, &records);
}

/* Rows of the target are rows of no candidate. */
static alcore_status add_items(alcore_project *project, alcore_annotations *annotations) {
    sqlite3_stmt *rows;
    bool row;
    alcore_status status;
    ALCORE__TRY(
        alcore__store_prepare(&project->store, &rows,
                              "SELECT items.id, text, ifnull(value, ''), kind, "
                              "CASE WHEN kind IN (" IN_SQL(ITEM_SENTENCE) ", " IN_SQL(
                                  ITEM_PHRASE) ") THEN row ELSE -1 "
                                               "END, ifnull(cost, 0) FROM decisions JOIN items "
                                               "USING (item) JOIN answers USING (answer) "
                                               "WHERE " IS_ANSWERED " ORDER BY decisions.item",
                              ""));
    while ((status = alcore__store_step(&project->store, rows, &row)) == ALCORE_OK && row)
        if ((status = add_item(annotations, rows)) != ALCORE_OK) break;
    sqlite3_finalize(rows);
    return status;
}

alcore_status alcore__project_mix_read(alcore_project *project, alcore__project_mix *self) {
    alcore__project_settings settings;
    ALCORE__TRY(alcore__project_settings_read(project, &settings));
    alcore_status status = read_role(project, &settings, ALCORE_ROLE_LABELED, &self->labeled);
    if (status == ALCORE_OK)
        status = read_role(project, &settings, ALCORE_ROLE_CANDIDATES, &self->pool);
    alcore__project_settings_clear(project, &settings);
    if (status == ALCORE_OK) status = alcore_annotations_new(self->pool, &self->annotations);
    return status == ALCORE_OK ? add_items(project, self->annotations) : status;
}

/* ---- making and writing it ---- */

alcore_status alcore__project_mix_make(alcore__project_work *work, const alcore_mix_options *given,
                                       alcore__project_mix *self) {
    alcore_mix_options options = ALCORE_MIX_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(&options, sizeof options,
                                         ALCORE__FIRST_SIZE(alcore_mix_options, norm), given,
                                         "alcore_mix_options"));
    if (options.seed == 0) options.seed = work->seed;
    if (options.round == 0) options.round = work->handed.round;
    if (!options.device && work->device.length) options.device = work->device.data;
    return alcore_mix_new(work->ctx, self->labeled, self->pool, self->annotations, &options,
                          &self->made);
}

static const char *const columns[] = {"id", "text", "reference", "kind"};
enum { COLUMNS = sizeof columns / sizeof *columns, POLL_PAIRS = 1024 };

static alcore_status put_all(alcore__table *table, const alcore__project_mix *self) {
    const alcore_mix *const mix = self->made;
    alcore_tensor items;
    ALCORE__TRY(alcore_mix_column(mix, "item", &items));
    ALCORE__TRY(alcore__project_pairs_begin(table, columns, COLUMNS));
    for (int64_t i = 0; i < alcore_mix_count(mix); i++) {
        const int64_t item = ((const int64_t *)items.data)[i];
        const char *const kind = alcore_mix_kind(mix, i);
        const bool is_item = strcmp(kind, "sent") == 0 || strcmp(kind, "phrase") == 0;
        const char *const texts[COLUMNS] = {
            is_item ? alcore_annotations_id(self->annotations, item) : NULL,
            alcore_mix_source(mix, i, NULL), alcore_mix_target(mix, i, NULL), kind};
        if (i % POLL_PAIRS == 0)
            ALCORE__TRY(alcore__tick(table->ctx, "writing pairs", i, alcore_mix_count(mix)));
        ALCORE__TRY(alcore__project_pairs_put(table, columns, texts, COLUMNS));
    }
    return ALCORE_OK;
}

alcore_status alcore__project_mix_write(alcore_ctx *ctx, const alcore__project_mix *self,
                                        const char *path, int64_t *count) {
    alcore__table table;
    *count = alcore_mix_count(self->made);
    ALCORE__TRY(alcore__project_pairs_open(ctx, path, &table));
    return alcore__table_close(&table, put_all(&table, self));
}

void alcore__project_mix_clear(alcore__project_mix *self) {
    alcore_mix_unref(self->made);
    alcore_annotations_unref(self->annotations);
    alcore_pool_unref(self->pool);
    alcore_pool_unref(self->labeled);
    *self = (alcore__project_mix){0};
}
