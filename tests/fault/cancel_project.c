/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls on projects: one with a round of half the rows of the pool and a file of answers
 * to all of them. */
#include "cancel_calls.h"
#include "cancel_parts.h"
#include "test_folder.h"

static alcore_project *project, *marked; /* of translations, of spans */
static alcore_project *filled_again;     /* one that files are added to */

/* Writes an answer to each pick. */
static alcore_status write_answers(const alcore_selection *selection) {
    FILE *file = fopen(in_folder("project.csv"), "w");
    const alcore_pool *picked = alcore_selection_pool(selection);
    if (!file) return ALCORE_E_IO;
    fputs("id,translation\n", file);
    for (int64_t i = 0; i < alcore_selection_count(selection); i++)
        fprintf(file, "%s,x\n", alcore_pool_row_id(picked, alcore_selection_rows(selection)[i]));
    return fclose(file) == 0 ? ALCORE_OK : ALCORE_E_IO;
}

/* A project of spans, and a file of its answers: texts of letters and spaces. */
static alcore_status make_marked(const char *budget) {
    static const char *const names[] = {"task", "labels", "strategy", "dedup", "budget"};
    const char *const values[] = {"spans", "A", "random", "none", budget};
    alcore_selection *selection = NULL;
    FILE *file = fopen(in_folder("marked.jsonl"), "w");
    if (!file) return ALCORE_E_IO;
    alcore_status status = alcore_project_init(ctx, in_folder("marked"), names, values, 5, &marked);
    if (status == ALCORE_OK)
        status = alcore_project_add(marked, ALCORE_ROLE_CANDIDATES, in_folder("pool.tsv"), NULL);
    if (status == ALCORE_OK) status = alcore_project_next(marked, NULL, NULL, NULL, 0, &selection);
    for (int64_t i = 0; i < alcore_selection_count(selection); i++) {
        const int64_t row = alcore_selection_rows(selection)[i];
        const alcore_pool *const picked = alcore_selection_pool(selection);
        fprintf(file, "{\"al_id\":\"%s\",\"text\":\"%s\",\"answer\":\"accept\",\"spans\":[]}\n",
                alcore_pool_row_id(picked, row), alcore_pool_text(picked, row, NULL));
    }
    alcore_selection_unref(selection);
    return fclose(file) == 0 ? status : ALCORE_E_IO;
}

/* Adds a pair that is labeled already, of which models can learn. */
static alcore_status add_pair(void) {
    FILE *file = fopen(in_folder("pairs.tsv"), "w");
    if (!file) return ALCORE_E_IO;
    fputs("text\treference\nx y\tu v\n", file);
    if (fclose(file) != 0) return ALCORE_E_IO;
    const alcore_status status =
        alcore_project_add(project, ALCORE_ROLE_LABELED, in_folder("pairs.tsv"), NULL);
    remove(in_folder("pairs.tsv"));
    return status;
}

alcore_status make_project(void) {
    alcore_selection *selection = NULL;
    char half[32];
    snprintf(half, sizeof half, "%lld", (long long)row_count / 2);
    alcore_status status = alcore_project_init(ctx, in_folder("project"), NULL, NULL, 0, &project);
    if (status == ALCORE_OK)
        status = alcore_project_add(project, ALCORE_ROLE_CANDIDATES, in_folder("pool.tsv"), NULL);
    if (status == ALCORE_OK) status = add_pair();
    if (status == ALCORE_OK) status = alcore_project_set(project, "strategy", "random");
    if (status == ALCORE_OK) status = alcore_project_set(project, "dedup", "none");
    if (status == ALCORE_OK) status = alcore_project_set(project, "budget", half);
    if (status == ALCORE_OK) status = alcore_project_next(project, NULL, NULL, NULL, 0, &selection);
    if (status == ALCORE_OK) status = write_answers(selection);
    alcore_selection_unref(selection);
    if (status == ALCORE_OK) status = alcore_project_set(project, "budget", "1");
    if (status == ALCORE_OK) status = make_marked(half);
    return status == ALCORE_OK
               ? alcore_project_init(ctx, in_folder("filled"), NULL, NULL, 0, &filled_again)
               : status;
}
void end_project(void) {
    alcore_project_unref(marked);
    test_folder_remove(in_folder("marked"));
    remove(in_folder("marked.jsonl"));
    alcore_project_unref(filled_again);
    alcore_project_unref(project);
    test_folder_remove(in_folder("filled"));
    test_folder_remove(in_folder("project"));
}

alcore_status call_project_add(void) {
    return alcore_project_add(filled_again, ALCORE_ROLE_EXCLUDED, in_folder("pool.tsv"), NULL);
}
alcore_status call_project_next(void) {
    return alcore_project_next(project, NULL, NULL, NULL, 0, NULL);
}
alcore_status call_project_import(void) {
    return alcore_project_import(project, "csv", in_folder("project.csv"), NULL, NULL);
}
alcore_status call_project_import_spans(void) {
    return alcore_project_import_spans(marked, "prodigy", in_folder("marked.jsonl"), NULL,
                                       ALCORE_SPAN_BYTES, NULL);
}
alcore_status call_project_write_report(void) {
    return alcore_project_write_report(project, in_folder("project.html"));
}
/* A training or an evaluation that takes a while. */
static alcore_status work(void *user, const alcore_project_work *about, const char **out) {
    const bool trains = about->labeled;
    for (int i = 0; i < 4; i++) {
        const alcore_status status = alcore_ctx_poll(user, "working", i, 4);
        if (status != ALCORE_OK) return status;
    }
    if (!trains) *out = "chrf 1";
    return ALCORE_OK;
}
alcore_status call_project_train(void) {
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    options.function = work;
    options.user = ctx;
    options.with_labeled = 1;
    return alcore_project_train(project, &options, NULL);
}
alcore_status call_project_eval(void) {
    alcore_project_eval_options options = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    options.function = work;
    options.user = ctx;
    return alcore_project_eval(project, &options, NULL);
}
alcore_status call_project_get_agreement(void) {
    alcore_project_agreement out = ALCORE_PROJECT_AGREEMENT_INIT;
    return alcore_project_get_agreement(project, &out);
}
alcore_status call_project_export(void) {
    return SAVING(alcore_project_export(project, "csv", in_folder("project.out"), -1));
}
alcore_status call_project_write_labeled(void) {
    return SAVING(alcore_project_write_labeled(project, in_folder("out.tsv")));
}
alcore_status call_project_set(void) {
    return SAVING(alcore_project_set(project, "several", "latest"));
}
alcore_status call_project_verify(void) {
    return SAVING(alcore_project_verify(project));
}
