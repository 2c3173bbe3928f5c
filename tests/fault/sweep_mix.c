/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: annotations, oracles and training sets. */
#include "sweep.h"

enum { ITEMS = 2 };

/* Annotations of the world's pool: its row 1, translated, and a phrase that is open or translated.
 * What only leads to the function under test does not count. */
static alcore_annotations *items_of(world *w, bool all_translated) {
    const char *texts[ITEMS] = {alcore_pool_text(w->pool, 1, NULL), "data"};
    const char *kinds[ITEMS] = {"sent", "phrase"};
    const char *translations[ITEMS] = {"eins", all_translated ? "Daten" : NULL};
    const int64_t rows[ITEMS] = {1, -1};
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    alcore_annotations *out = NULL;
    records.texts = texts;
    records.kinds = kinds;
    records.translations = translations;
    records.rows = rows;
    records.count = ITEMS;
    sweep_pause(w);
    if (alcore_annotations_new(w->pool, &out) != ALCORE_OK ||
        alcore_annotations_add(out, &records) != ALCORE_OK)
        abort();
    sweep_resume(w);
    return out;
}

/* A call on annotations with an open phrase. */
static alcore_status on_items(world *w, alcore_status (*call)(alcore_annotations *, world *)) {
    alcore_annotations *items = items_of(w, false);
    const alcore_status status = call(items, w);
    alcore_annotations_unref(items);
    return status;
}

ALLOCATES(alcore_annotations_new, 0) {
    alcore_annotations *out = (alcore_annotations *)w->pool;
    const alcore_status status = alcore_annotations_new(w->pool, &out);
    MADE(alcore_annotations_unref, status, out);
}
NEVER(alcore_annotations_ref, WITH_MIX) {
    alcore_annotations_unref(alcore_annotations_ref(w->annotations));
    HOLDS(!alcore_annotations_ref(NULL));
}
NEVER(alcore_annotations_unref, 0) {
    alcore_annotations_unref(NULL);
    HOLDS(true);
}

/* Annotations of the world's pool without items. */
static alcore_annotations *no_items(world *w) {
    alcore_annotations *out = NULL;
    sweep_pause(w);
    if (alcore_annotations_new(w->pool, &out) != ALCORE_OK) abort();
    sweep_resume(w);
    return out;
}
ALLOCATES(alcore_annotations_add, 0) {
    const char *text = "one";
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    alcore_annotations *items = no_items(w);
    records.texts = &text;
    records.count = 1;
    alcore_status status = alcore_annotations_add(items, &records);
    if (alcore_annotations_count(items) != (status == ALCORE_OK)) status = ALCORE_E_INTERNAL;
    alcore_annotations_unref(items);
    return status;
}
static alcore_status read_selection(alcore_annotations *items, world *w) {
    (void)w;
    const alcore_status status =
        alcore_annotations_read_selection(items, world_file("selection.tsv"));
    return alcore_annotations_count(items) == ITEMS + 3 * (status == ALCORE_OK) ? status
                                                                                : ALCORE_E_INTERNAL;
}
ALLOCATES(alcore_annotations_read_selection, 0) {
    return on_items(w, read_selection);
}
ALLOCATES(alcore_annotations_answer, 0) {
    static const int64_t numbers[] = {0, 1};
    static const char *const translations[] = {"eins", "zwei"};
    alcore_annotations *items = no_items(w);
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    answers.items = numbers;
    answers.translations = translations;
    answers.count = 2;
    sweep_pause(w);
    if (alcore_annotations_read_selection(items, world_file("selection.tsv")) != ALCORE_OK) abort();
    sweep_resume(w);
    alcore_status status = alcore_annotations_answer(items, &answers);
    if ((alcore_annotations_translation(items, 0, NULL) != NULL) != (status == ALCORE_OK))
        status = ALCORE_E_INTERNAL;
    alcore_annotations_unref(items);
    return status;
}
ALLOCATES(alcore_annotations_add_selection, WITH_SELECTION) {
    alcore_annotations *items = no_items(w);
    alcore_status status = alcore_annotations_add_selection(items, w->selection);
    if ((alcore_annotations_count(items) > 0) != (status == ALCORE_OK)) status = ALCORE_E_INTERNAL;
    alcore_annotations_unref(items);
    return status;
}
ALLOCATES(alcore_annotations_read_answers, 0) {
    alcore_annotations *items = no_items(w);
    sweep_pause(w);
    if (alcore_annotations_read_selection(items, world_file("selection.tsv")) != ALCORE_OK) {
        fprintf(stderr, "%s\n", alcore_last_error());
        abort();
    }
    sweep_resume(w);
    alcore_status status = alcore_annotations_read_answers(items, world_file("answers.tsv"));
    for (int64_t i = 0; i < alcore_annotations_count(items); i++)
        if ((alcore_annotations_translation(items, i, NULL) != NULL) != (status == ALCORE_OK))
            status = ALCORE_E_INTERNAL;
    alcore_annotations_unref(items);
    return status;
}
static alcore_status look_up(alcore_annotations *items, world *w) {
    (void)w;
    return alcore_annotations_look_up(items, world_file("dictionary.tsv"));
}
ALLOCATES(alcore_annotations_look_up, 0) {
    return on_items(w, look_up);
}

static alcore_status simulate(alcore_annotations *items, world *w) {
    return alcore_annotations_simulate(items, NULL, w->labeled);
}
ALLOCATES(alcore_annotations_simulate, WITH_MIX) {
    return on_items(w, simulate);
}
static alcore_status write_requests(alcore_annotations *items, world *w) {
    (void)w;
    const alcore_status status =
        alcore_annotations_write_requests(items, world_file("written.tsv"), NULL);
    return status ? status
                  : alcore_annotations_write_requests(items, world_file("written.jsonl"), NULL);
}
ALLOCATES(alcore_annotations_write_requests, 0) {
    return on_items(w, write_requests);
}
static alcore_status write_answers(alcore_annotations *items, world *w) {
    (void)w;
    const alcore_status status = alcore_annotations_write(items, world_file("written.tsv"), NULL);
    return status ? status : alcore_annotations_write(items, world_file("written.jsonl"), NULL);
}
ALLOCATES(alcore_annotations_write, 0) {
    return on_items(w, write_answers);
}
NEVER(alcore_annotations_count, 0) {
    HOLDS(alcore_annotations_count(NULL) == 0);
}
NEVER(alcore_annotations_id, 0) {
    HOLDS(!alcore_annotations_id(NULL, 0));
}
NEVER(alcore_annotations_kind, 0) {
    HOLDS(!alcore_annotations_kind(NULL, 0));
}
NEVER(alcore_annotations_text, 0) {
    HOLDS(!alcore_annotations_text(NULL, 0, NULL));
}
NEVER(alcore_annotations_translation, 0) {
    HOLDS(!alcore_annotations_translation(NULL, 0, NULL));
}
NEVER(alcore_annotations_status, 0) {
    HOLDS(!alcore_annotations_status(NULL, 0));
}
NEVER(alcore_annotations_row, 0) {
    HOLDS(alcore_annotations_row(NULL, 0) == -1);
}
NEVER(alcore_annotations_answer_report, 0) {
    alcore_answer_report report = ALCORE_ANSWER_REPORT_INIT;
    HOLDS(alcore_annotations_answer_report(NULL, &report) == ALCORE_E_INVALID);
}
NEVER(alcore_annotations_spent, 0) {
    HOLDS(alcore_annotations_spent(NULL) == 0);
}
NEVER(alcore_annotations_refunded, 0) {
    HOLDS(alcore_annotations_refunded(NULL) == 0);
}

/* ---- training sets ---- */

static alcore_status make_mix(world *w, const char *kind, int64_t count, alcore_mix **out) {
    alcore_mix_options options = ALCORE_MIX_OPTIONS_INIT;
    alcore_annotations *items = items_of(w, true);
    options.kind = kind;
    options.count = count;
    options.subset = 2;
    options.unique = 1;
    *out = (alcore_mix *)w->pool;
    const alcore_status status = alcore_mix_new(w->ctx, w->labeled, w->pool, items, &options, out);
    alcore_annotations_unref(items);
    return status;
}
/* All kinds, with a model and links that are made; then a count that is computed. */
ALLOCATES(alcore_mix_new, WITH_SCORES | WITH_MIX) {
    alcore_mix *out;
    alcore_status status = make_mix(w, "random+retrieved+switched+contextualized", 2, &out);
    if (status != ALCORE_OK) return out ? ALCORE_E_INTERNAL : status;
    alcore_mix_unref(out);
    status = make_mix(w, "contextualized", 0, &out);
    MADE(alcore_mix_unref, status, out);
}
NEVER(alcore_mix_ref, WITH_MIX) {
    alcore_mix_unref(alcore_mix_ref(w->mix));
    HOLDS(!alcore_mix_ref(NULL));
}
NEVER(alcore_mix_unref, 0) {
    alcore_mix_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_mix_count, 0) {
    HOLDS(alcore_mix_count(NULL) == 0);
}
NEVER(alcore_mix_missing, 0) {
    HOLDS(alcore_mix_missing(NULL) == 0);
}
NEVER(alcore_mix_kind, 0) {
    HOLDS(!alcore_mix_kind(NULL, 0));
}
NEVER(alcore_mix_source, 0) {
    HOLDS(!alcore_mix_source(NULL, 0, NULL));
}
NEVER(alcore_mix_target, 0) {
    HOLDS(!alcore_mix_target(NULL, 0, NULL));
}
NEVER(alcore_mix_builtin_column_name, 0) {
    HOLDS(alcore_mix_builtin_column_name(0) && !alcore_mix_builtin_column_name(99));
}
NEVER(alcore_mix_summary, 0) {
    HOLDS(!alcore_mix_summary(NULL));
}
NEVER(alcore_mix_provenance, 0) {
    HOLDS(!alcore_mix_provenance(NULL));
}

NEVER(alcore_mix_column, WITH_MIX) {
    alcore_tensor out;
    const alcore_status status = alcore_mix_column(w->mix, "item", &out);
    return status == ALCORE_OK && out.shape[0] != 1 ? ALCORE_E_INTERNAL : status;
}
ALLOCATES(alcore_mix_write, WITH_MIX) {
    const alcore_status status = alcore_mix_write(w->mix, world_file("written.tsv"), NULL);
    return status ? status : alcore_mix_write(w->mix, world_file("written.jsonl"), NULL);
}
ALLOCATES(alcore_mix_write_parallel, WITH_MIX) {
    return alcore_mix_write_parallel(w->mix, world_file("written"));
}
