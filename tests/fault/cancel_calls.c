/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls of the library, each on data that keeps it busy for some milliseconds
 * (cancel_world.c). Calls on pools, texts, matrices and metrics are in files of their own
 * (cancel_parts.h).
 * tests/fault/cancel_list.py compares the names in CALLS with the functions whose comment says that
 * they can be cancelled. */
#include "cancel_calls.h"
#include "cancel_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void (*around_saving)(bool begins);

void begin_saving(void) {
    if (around_saving) around_saving(true);
}

alcore_status end_saving(alcore_status status) {
    if (around_saving) around_saving(false);
    return status;
}

/* ---- the calls ---- */

static alcore_status run_model(const char *column) {
    alcore_model *model;
    alcore_pool *fresh;
    alcore_status status = alcore_model_new_ngram(ctx, NULL, NULL, &model);
    if (status != ALCORE_OK) return status;
    status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, in_folder("pool.txt"), NULL);
    if (status == ALCORE_OK) status = alcore_model_run(model, fresh, column);
    alcore_pool_unref(fresh);
    alcore_model_unref(model);
    return status;
}
static alcore_status call_model_logprobs(void) {
    return run_model("logprobs");
}
static alcore_status call_model_embeddings(void) {
    return run_model("embeddings");
}
/* A host's model that makes two columns of one number a row. */
static int32_t can_both(void *user, const char *column) {
    (void)user;
    return strcmp(column, "first") == 0 || strcmp(column, "second") == 0;
}
static alcore_status compute_both(void *user, const alcore_batch *batch, const char *const *columns,
                                  alcore_column_writer *const *outs, int64_t count) {
    static const double zeros[256];
    alcore_tensor values;
    int64_t rows = batch->count;
    alcore_status status = alcore_tensor_init(&values, (void *)zeros, ALCORE_FLOAT64, &rows, 1);
    (void)user;
    (void)columns;
    for (int64_t c = 0; c < count && status == ALCORE_OK; c++)
        status = alcore_column_writer_put(outs[c], batch->rows, NULL, rows, &values);
    return status;
}
static alcore_status call_model_columns(void) {
    static const char *const both[] = {"first", "second"};
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model = NULL;
    alcore_pool *fresh = NULL;
    host.can = can_both;
    host.compute = compute_both;
    alcore_status status = alcore_model_new_host(ctx, &host, &model);
    if (status == ALCORE_OK) status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, in_folder("pool.txt"), NULL);
    if (status == ALCORE_OK) status = alcore_model_run_columns(model, fresh, both, 2);
    alcore_pool_unref(fresh);
    alcore_model_unref(model);
    return status;
}
/* Opens the null module (tests/unit/model/module), which reports its progress text by text, and
 * reads a pool whose rows are their own references. */
static alcore_status with_null_model(alcore_status (*call)(alcore_model *, alcore_pool *)) {
    alcore_read_options pairs = ALCORE_READ_OPTIONS_INIT;
    alcore_model *model = NULL;
    alcore_pool *fresh = NULL;
    char path[200];
    pairs.references = strcpy(path, in_folder("pool.txt"));
    alcore_status status = alcore_model_open(ctx, in_folder("null"), NULL, &model);
    if (status == ALCORE_OK) status = alcore_pool_new(ctx, NULL, &fresh);
    if (status == ALCORE_OK) status = alcore_pool_read(fresh, in_folder("pool.txt"), &pairs);
    if (status == ALCORE_OK) status = call(model, fresh);
    alcore_pool_unref(fresh);
    alcore_model_unref(model);
    return status;
}
static alcore_status translate(alcore_model *model, alcore_pool *texts) {
    alcore_pool *out;
    alcore_status status = alcore_model_translate(model, texts, NULL, &out);
    alcore_pool_unref(out);
    return status;
}
static alcore_status call_model_translate(void) {
    return with_null_model(translate);
}
static alcore_status call_model_score(void) {
    return with_null_model(alcore_model_score);
}
static alcore_status train(alcore_model *model, alcore_pool *texts) {
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    options.validation = texts;
    return alcore_model_train(model, texts, &options, NULL);
}
static alcore_status call_model_train(void) {
    return with_null_model(train);
}
static alcore_status save(alcore_model *model, alcore_pool *texts) {
    (void)texts;
    return SAVING(alcore_model_save(model, in_folder("null")));
}
static alcore_status call_model_save(void) {
    return with_null_model(save);
}
static alcore_status call_scorer(void) {
    alcore_scorer *scorer;
    alcore_status status = alcore_scorer_new(ctx, "nsp", &scorer);
    if (status == ALCORE_OK) status = alcore_scorer_run(scorer, pool, NULL);
    alcore_scorer_unref(scorer);
    return status;
}
/* A host's scorer that copies every row of a column, ten times so that it can be met half-way. */
static alcore_status copy_column(void *user, const alcore_view *view, double *scores) {
    const int32_t role = ALCORE_ROLE_CANDIDATES;
    int64_t count = alcore_view_row_count(view, role);
    alcore_status status = ALCORE_OK;
    alcore_tensor values;
    (void)user;
    for (int copy = 0; copy < 10 && status == ALCORE_OK; copy++)
        status = alcore_view_get_column(view, role, "embeddings", 0, count, &values, NULL);
    for (int64_t i = 0; i < count; i++) scores[i] = 0;
    return status;
}
static alcore_status call_view_column(void) {
    static const char *const needs[] = {"embeddings", NULL};
    alcore_scorer_host host = ALCORE_SCORER_HOST_INIT;
    alcore_scorer *scorer;
    host.score = copy_column;
    host.needs = needs;
    alcore_status status = alcore_scorer_new_host(ctx, &host, &scorer);
    if (status == ALCORE_OK) status = alcore_scorer_run(scorer, pool, NULL);
    alcore_scorer_unref(scorer);
    return status;
}

alcore_status make_request(alcore_request **out) {
    alcore_strategy *strategy = NULL;
    *out = NULL;
    alcore_status status = alcore_strategy_new(ctx, strategy_name, &strategy);
    if (status == ALCORE_OK) status = alcore_request_new(ctx, out);
    if (status == ALCORE_OK) status = alcore_request_set_strategy(*out, strategy);
    if (status == ALCORE_OK) status = alcore_request_set_pool(*out, ALCORE_ROLE_CANDIDATES, pool);
    if (status == ALCORE_OK) status = alcore_request_set_pool(*out, ALCORE_ROLE_LABELED, labeled);
    if (status == ALCORE_OK && alcore_strategy_builtin_needs(strategy_name, ALCORE_ROLE_TARGET, 0))
        status = alcore_request_set_pool(*out, ALCORE_ROLE_TARGET, labeled);
    if (status == ALCORE_OK) status = alcore_request_set(*out, "budget", "20000");
    alcore_strategy_unref(strategy);
    return status;
}
static alcore_status call_select(void) {
    alcore_request *request;
    alcore_selection *out = NULL;
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK) status = alcore_select(request, &out);
    alcore_selection_unref(out);
    alcore_request_unref(request);
    return status;
}
static alcore_status call_ablation(void) {
    static const double values[1] = {0.5};
    alcore_ablation row = ALCORE_ABLATION_INIT;
    alcore_request *request;
    strategy_name = "huds";
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK)
        status = alcore_request_ablate(request, NULL, values, 1, NULL, &row, NULL);
    alcore_request_unref(request);
    return status;
}
static alcore_status compare(alcore_comparison **out) {
    alcore_request *request;
    alcore_strategy *huds = NULL;
    strategy_name = "huds";
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK) status = alcore_strategy_new(ctx, strategy_name, &huds);
    if (status == ALCORE_OK) status = alcore_request_compare(request, &huds, NULL, 1, NULL, out);
    alcore_strategy_unref(huds);
    alcore_request_unref(request);
    return status;
}
static alcore_status call_comparison(void) {
    alcore_comparison *out = NULL;
    const alcore_status status = compare(&out);
    alcore_comparison_unref(out);
    return status;
}
static alcore_status call_candidates(void) {
    alcore_request *request;
    alcore_tensor rows;
    strategy_name = "random";
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK) status = alcore_request_candidates(request, row_count / 2, &rows);
    alcore_request_unref(request);
    return status;
}
static alcore_status call_read_rows(void) {
    alcore_request *request;
    strategy_name = "random";
    alcore_status status = make_request(&request);
    if (status == ALCORE_OK)
        status = alcore_request_read_rows(request, ALCORE_ROWS_ELIGIBLE, in_folder("ids.txt"));
    alcore_request_unref(request);
    return status;
}
static alcore_status call_selection_tsv(void) {
    return SAVING(alcore_selection_write(all_picks, in_folder("out.tsv"), NULL));
}
static alcore_status call_selection_jsonl(void) {
    return SAVING(alcore_selection_write(all_picks, in_folder("out.jsonl"), NULL));
}
static alcore_status call_report(void) {
    return SAVING(alcore_selection_report(all_picks, in_folder("out.html"), NULL));
}
static alcore_status call_comparison_write(void) {
    return SAVING(alcore_comparison_write(comparison, in_folder("out.html")));
}

/* Annotations of all rows of the pool, open, that `use` then works on. */
alcore_status with_items(alcore_status (*use)(alcore_annotations *, const char *),
                         const char *name) {
    alcore_annotations *items = NULL;
    alcore_status status = alcore_annotations_new(pool, &items);
    if (status == ALCORE_OK)
        status = alcore_annotations_read_selection(items, in_folder("items.tsv"));
    if (status == ALCORE_OK && use) status = use(items, in_folder(name));
    alcore_annotations_unref(items);
    return status;
}
static alcore_status call_read_selection(void) {
    return with_items(NULL, "");
}
/* Texts of the pool again and again, so many that adding all of them takes longer than a cancelled
 * call may. */
static alcore_status call_annotations_add(void) {
    enum { ITEMS = 1 << 20 };
    const char **given = texts_of_pool(), **texts = malloc(sizeof *texts * ITEMS);
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    alcore_annotations *items = NULL;
    for (int64_t i = 0; i < ITEMS; i++) texts[i] = given[i % row_count];
    records.texts = texts;
    records.count = ITEMS;
    alcore_status status = alcore_annotations_new(pool, &items);
    if (status == ALCORE_OK) status = alcore_annotations_add(items, &records);
    alcore_annotations_unref(items);
    free(texts);
    free(given);
    return status;
}
static alcore_status call_read_answers(void) {
    return with_items(alcore_annotations_read_answers, "answers.tsv");
}
/* Answers that the items have already. */
static alcore_status call_answer(void) {
    const int64_t count = alcore_annotations_count(annotations);
    int64_t *numbers = malloc(sizeof *numbers * (size_t)count);
    const char **translations = malloc(sizeof *translations * (size_t)count);
    alcore_annotation_answers answers = ALCORE_ANNOTATION_ANSWERS_INIT;
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = i;
        translations[i] = alcore_annotations_translation(annotations, i, NULL);
    }
    answers.items = numbers;
    answers.translations = translations;
    answers.count = count;
    alcore_status status = SAVING(alcore_annotations_answer(annotations, &answers));
    free(numbers);
    free(translations);
    return status;
}
/* The picks of a selection. */
static alcore_status call_add_selection(void) {
    alcore_annotations *items = NULL;
    alcore_status status = alcore_annotations_new(pool, &items);
    if (status == ALCORE_OK) status = alcore_annotations_add_selection(items, all_picks);
    alcore_annotations_unref(items);
    return status;
}
static alcore_status call_look_up(void) {
    return with_items(alcore_annotations_look_up, "dictionary.tsv");
}
/* A phrase is needed, so that the pool is aligned and read. */
static alcore_status call_simulate(void) {
    const char *phrase = "w1", *kind = "phrase";
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    alcore_annotations *items = NULL;
    records.texts = &phrase;
    records.kinds = &kind;
    records.count = 1;
    alcore_status status = alcore_annotations_new(pool, &items);
    if (status == ALCORE_OK) status = alcore_annotations_add(items, &records);
    if (status == ALCORE_OK) status = alcore_annotations_simulate(items, NULL, pool);
    alcore_annotations_unref(items);
    return status;
}
static alcore_status write_requests(alcore_annotations *items, const char *path) {
    return SAVING(alcore_annotations_write_requests(items, path, NULL));
}
static alcore_status call_write_requests(void) {
    return with_items(write_requests, "requests.tsv");
}
static alcore_status call_write_annotations(void) {
    return SAVING(alcore_annotations_write(annotations, in_folder("requests.tsv"), NULL));
}
alcore_status make_mix(const char *kind, alcore_mix **out) {
    alcore_mix_options options = ALCORE_MIX_OPTIONS_INIT;
    options.kind = kind;
    options.count = row_count;
    options.links = links;
    options.lm = lm;
    return alcore_mix_new(ctx, pool, pool, annotations, &options, out);
}
static alcore_status call_mix(void) {
    alcore_mix *out = NULL;
    alcore_status status = make_mix("retrieved+switched", &out);
    alcore_mix_unref(out);
    return status;
}
static alcore_status call_mix_write(void) {
    return SAVING(alcore_mix_write(mix, in_folder("train.tsv"), NULL));
}
static alcore_status call_mix_parallel(void) {
    return SAVING(alcore_mix_write_parallel(mix, in_folder("train")));
}
const cancel_call CALLS[] = {
    {"alcore_request_ablate", "", call_ablation},
    {"alcore_request_compare", "", call_comparison},
    {"alcore_analysis_compute_composition", "", call_composition},
    {"alcore_analysis_compute_leverage", "", call_leverage},
    {"alcore_analysis_compute_neighborhood", "", call_neighborhood},
    {"alcore_analysis_compute_neighborhood", "long lists", call_long_neighborhood},
    {"alcore_analysis_compute_projection", "", call_projection},
    {"alcore_analysis_compute_duplicates", "", call_duplicates},
    {"alcore_pool_read", ".txt", call_read_text},
    {"alcore_pool_read", ".tsv", call_read_tsv},
    {"alcore_pool_read", ".jsonl", call_read_jsonl},
    {"alcore_pool_read", ".conll", call_read_conll},
    {"alcore_pool_read", "with references", call_read_pairs},
    {"alcore_pool_add_texts", "", call_add_texts},
    {"alcore_pool_add_records", "", call_add_records},
    {"alcore_pool_add_arrow", "", call_add_arrow},
    {"alcore_pool_add_utf8", "", call_add_utf8},
    {"alcore_pool_set_column_stream", "", call_set_column_stream},
    {"alcore_pool_join", "", call_join},
    {"alcore_pool_filter", "", call_filter},
    {"alcore_pool_mark_texts", "", call_mark_texts},
    {"alcore_pool_read_column", "", call_read_column},
    {"alcore_pool_derive_phrases", "up to four words", call_derive_phrases},
    {"alcore_pool_derive_phrases", "of any length", call_derive_long_phrases},
    {"alcore_pool_get_column_rows", "", call_column_rows},
    {"alcore_pool_get_column_tokens", "", call_column_tokens},
    {"alcore_column_writer_merge", "", call_writer_merge},
    {"alcore_lm_new_trained", "", call_lm_train},
    {"alcore_lm_open_arpa", "", call_read_arpa},
    {"alcore_lm_score", "", call_lm_score},
    {"alcore_lm_token_logprobs", "", call_lm_token_logprobs},
    {"alcore_aligner_new_trained", "", call_aligner_train},
    {"alcore_aligner_new_trained", "with tension", call_aligner_tension},
    {"alcore_aligner_links", "", call_aligner_links},
    {"alcore_aligner_apply", "", call_aligner_apply},
    {"alcore_aligner_open", "", call_aligner_read},
    {"alcore_align", "", call_align},
    {"alcore_tokenizer_open", "", call_tokenizer_open},
    {"alcore_tokenizer_encode", "", call_tokenizer_encode},
    {"alcore_tokenizer_decode", "", call_tokenizer_decode},
    {"alcore_tokenizer_train_vocabulary", "", call_tokenizer_train},
    {"alcore_experiment_run", "", call_experiment},
    {"alcore_job_step", "", call_job_step},
    {"alcore_job_deliver", "", call_job_deliver},
    {"alcore_links_new", "", call_links_new},
    {"alcore_links_symmetrize", "", call_symmetrize},
    {"alcore_links_open", "", call_links_read},
    {"alcore_annotations_add", "", call_annotations_add},
    {"alcore_annotations_read_selection", "", call_read_selection},
    {"alcore_annotations_read_answers", "", call_read_answers},
    {"alcore_project_add", "", call_project_add},
    {"alcore_project_next", "", call_project_next},
    {"alcore_project_import", "", call_project_import},
    {"alcore_project_import_spans", "", call_project_import_spans},
    {"alcore_project_train", "", call_project_train},
    {"alcore_project_eval", "", call_project_eval},
    {"alcore_project_get_agreement", "", call_project_get_agreement},
    {"alcore_project_write_report", "", call_project_write_report},
    {"alcore_tool_read", "of lines", call_tool_read},
    {"alcore_tool_read", "of XML", call_tool_read_xml},
    {"alcore_tool_read_answers", "", call_tool_read_answers},
    {"alcore_annotations_add_selection", "", call_add_selection},
    {"alcore_annotations_look_up", "", call_look_up},
    {"alcore_annotations_simulate", "", call_simulate},
    {"alcore_mix_new", "", call_mix},
    {"alcore_metric_compute_bleu", "", call_bleu},
    {"alcore_metric_read_bleu", "", call_bleu_files},
    {"alcore_metric_read_chrf", "", call_chrf_files},
    {"alcore_metric_read_ter", "", call_ter_files},
    {"alcore_metric_compute_chrf", "", call_chrf},
    {"alcore_metric_compute_labels", "", call_labels},
    {"alcore_metric_compute_kappa", "", call_kappa},
    {"alcore_metric_compute_wilcoxon", "", call_wilcoxon},
    {"alcore_metric_compute_spans", "", call_spans},
    {"alcore_metric_compute_ter", "", call_ter},
    {"alcore_metric_compute_answers", "", call_answers},
    {"alcore_metric_compute_length_ratio", "", call_length_ratio},
    {"alcore_metric_compute_word_accuracy", "", call_word_accuracy},
    {"alcore_metric_read_labels", "", call_labels_files},
    {"alcore_metric_read_spans", "", call_spans_files},
    {"alcore_metric_read_answers", "", call_answers_files},
    {"alcore_metric_read_kappa", "", call_kappa_files},
    {"alcore_metric_read_length_ratio", "", call_length_ratio_files},
    {"alcore_metric_read_word_accuracy", "", call_word_accuracy_files},
    {"alcore_overlap_add", "", call_overlap_add},
    {"alcore_overlap_read", "", call_overlap_read},
    {"alcore_overlap_compute_coverage", "", call_overlap_compute},
    {"alcore_overlap_compute_in_domain", "", call_in_domain},
    {"alcore_model_run", "logprobs", call_model_logprobs},
    {"alcore_model_run", "embeddings", call_model_embeddings},
    {"alcore_model_run_columns", "", call_model_columns},
    {"alcore_model_translate", "", call_model_translate},
    {"alcore_model_score", "", call_model_score},
    {"alcore_model_train", "", call_model_train},
    {"alcore_scorer_run", "", call_scorer},
    {"alcore_view_get_column", "", call_view_column},
    {"alcore_hidden_average_words", "", call_first_subword_mean},
    {"alcore_logits_measure", "", call_logits},
    {"alcore_logits_put", "", call_logits_put},
    {"alcore_logits_put_topk", "", call_logits_put_topk},
    {"alcore_served_read", "", call_served_read},
    {"alcore_search_knn", "", call_knn},
    {"alcore_search_margin_ratios", "", call_margin_ratios},
    {"alcore_request_read_rows", "", call_read_rows},
    {"alcore_request_candidates", "", call_candidates},
    {"alcore_select", NULL, call_select}, /* once for each strategy */
    {NULL, NULL, NULL},
};

const cancel_call SAVING_CALLS[] = {
    {"alcore_plot_write_curves", "", call_write_curves},
    {"alcore_plot_write_points", "", call_write_points},
    {"alcore_pool_write", "", call_pool_write},
    {"alcore_pool_write_column", "", call_write_column},
    {"alcore_pool_write_phrases", "", call_write_phrases},
    {"alcore_column_writer_put", "", call_writer_put},
    {"alcore_column_writer_put_in_stream", "", call_writer_put_in_stream},
    {"alcore_column_writer_save", "", call_writer_save},
    {"alcore_column_writer_finish", "", call_writer_finish},
    {"alcore_pool_set_column", "", call_set_column},
    {"alcore_pool_set_column_arrow", "", call_set_column_arrow},
    {"alcore_pool_set_text_column", "", call_set_text_column},
    {"alcore_annotations_answer", "", call_answer},
    {"alcore_lm_write_arpa", "", call_write_arpa},
    {"alcore_aligner_write", "", call_aligner_write},
    {"alcore_links_write", "", call_links_write},
    {"alcore_annotations_write_requests", "", call_write_requests},
    {"alcore_project_set", "", call_project_set},
    {"alcore_project_export", "", call_project_export},
    {"alcore_project_write_labeled", "", call_project_write_labeled},
    {"alcore_project_verify", "", call_project_verify},
    {"alcore_tool_write", "", call_tool_write},
    {"alcore_tool_write_requests", "", call_tool_write_requests},
    {"alcore_annotations_write", "", call_write_annotations},
    {"alcore_mix_write", "", call_mix_write},
    {"alcore_mix_write_parallel", "", call_mix_parallel},
    {"alcore_model_save", "", call_model_save},
    {"alcore_selection_write", ".tsv", call_selection_tsv},
    {"alcore_selection_write", ".jsonl", call_selection_jsonl},
    {"alcore_selection_report", "", call_report},
    {"alcore_comparison_write", "", call_comparison_write},
    {NULL, NULL, NULL},
};
