/* SPDX-License-Identifier: Apache-2.0 */
/* The long calls that measure texts and labels, over the texts of the pool. */
#include "cancel_parts.h"

#include <stdlib.h>

#include "cancel_calls.h"
#include "options_with.h"

alcore_status call_bleu(void) {
    const char **texts = texts_of_pool();
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    options.resamples = 20;
    alcore_status status = alcore_metric_compute_bleu(ctx, texts, NULL, row_count, texts, NULL,
                                                      row_count, &options, NULL, &score);
    free(texts);
    return status;
}
alcore_status call_chrf(void) {
    const char **texts = texts_of_pool();
    alcore_chrf_result score = ALCORE_CHRF_RESULT_INIT;
    alcore_status status = alcore_metric_compute_chrf(ctx, texts, NULL, row_count, texts, NULL,
                                                      row_count, NULL, NULL, &score);
    free(texts);
    return status;
}
alcore_status call_labels(void) {
    const char **texts = texts_of_pool();
    alcore_labels_result score = ALCORE_LABELS_RESULT_INIT;
    alcore_status status = alcore_metric_compute_labels(ctx, texts, NULL, row_count, texts, NULL,
                                                        row_count, NULL, &score);
    free(texts);
    return status;
}
/* The classes of row_count items, all different, which is the most that there is to count. */
alcore_status call_kappa(void) {
    int64_t *classes = calloc((size_t)row_count, sizeof *classes);
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
    if (!classes) return ALCORE_E_NOMEM;
    for (int64_t i = 0; i < row_count; i++) classes[i] = i;
    alcore_status status =
        alcore_metric_compute_kappa(ctx, classes, row_count, classes, row_count, NULL, &result);
    free(classes);
    return status;
}
/* As many differences as the pool has components of embeddings, falling, which is what takes the
 * longest to sort. They are made once: writing a hundred megabytes takes longer than a cancelled
 * call may. */
alcore_status call_wilcoxon(void) {
    static double *x;
    const int64_t count = row_count * DIMS;
    alcore_wilcoxon_result result = ALCORE_WILCOXON_RESULT_INIT;
    if (!x) {
        x = malloc(sizeof *x * (size_t)count);
        if (!x) return ALCORE_E_NOMEM;
        for (int64_t i = 0; i < count; i++) x[i] = (double)(count - i);
    }
    return alcore_metric_compute_wilcoxon(ctx, x, count, NULL, 0, NULL, &result);
}
alcore_status call_ter(void) {
    const char **texts = texts_of_pool();
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    alcore_status status = alcore_metric_compute_ter(ctx, texts + 1, NULL, row_count - 1, texts,
                                                     NULL, row_count - 1, NULL, NULL, &score);
    free(texts);
    return status;
}
alcore_status call_answers(void) {
    const char **texts = texts_of_pool();
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
    alcore_status status = alcore_metric_compute_answers(ctx, texts, NULL, row_count, NULL, 0,
                                                         texts, NULL, row_count, NULL, &score);
    free(texts);
    return status;
}
alcore_status call_length_ratio(void) {
    const char **texts = texts_of_pool();
    alcore_length_ratio_result score = ALCORE_LENGTH_RATIO_RESULT_INIT;
    alcore_status status = alcore_metric_compute_length_ratio(ctx, texts, NULL, row_count, texts,
                                                              NULL, row_count, NULL, &score);
    free(texts);
    return status;
}
alcore_status call_word_accuracy(void) {
    const char **texts = texts_of_pool();
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    alcore_status status =
        alcore_metric_compute_word_accuracy(ctx, texts, NULL, row_count, texts, NULL, row_count,
                                            texts, NULL, row_count, links, NULL, &score);
    free(texts);
    return status;
}
/* An overlap that was given the texts of the pool as test set and as selected data; NULL after a
 * failure. */
static alcore_overlap *overlap_of_pool(alcore_status *status) {
    const alcore_overlap_options options = {.size = sizeof options,
                                            .kept = ALCORE_OVERLAP_TEST | ALCORE_OVERLAP_SELECTED};
    static const int32_t ROLES[] = {ALCORE_OVERLAP_SELECTED, ALCORE_OVERLAP_TEST};
    const char **texts = texts_of_pool();
    alcore_overlap *overlap = NULL;
    *status = alcore_overlap_new(ctx, &options, &overlap);
    for (int i = 0; i < 2 && *status == ALCORE_OK; i++)
        *status = alcore_overlap_add(overlap, ROLES[i], ALCORE_SIDE_SOURCE, texts, NULL, row_count);
    free(texts);
    if (*status == ALCORE_OK) return overlap;
    alcore_overlap_unref(overlap);
    return NULL;
}
alcore_status call_overlap_add(void) {
    alcore_status status;
    alcore_overlap_unref(overlap_of_pool(&status));
    return status;
}
alcore_status call_overlap_read(void) {
    alcore_overlap *overlap;
    alcore_status status = alcore_overlap_new(ctx, NULL, &overlap);
    if (status != ALCORE_OK) return status;
    status = alcore_overlap_read(overlap, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE,
                                 in_folder("pool.txt"), NULL, NULL);
    alcore_overlap_unref(overlap);
    return status;
}
alcore_status call_overlap_compute(void) {
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    alcore_status status;
    alcore_overlap *overlap = overlap_of_pool(&status);
    if (!overlap) return status;
    status = alcore_overlap_compute_coverage(
        overlap, 4, OPTIONS_WITH(alcore_coverage_options, .data = ALCORE_OVERLAP_SELECTED), &score);
    alcore_overlap_unref(overlap);
    return status;
}
alcore_status call_in_domain(void) {
    alcore_in_domain_result score = ALCORE_IN_DOMAIN_RESULT_INIT;
    alcore_status status;
    alcore_overlap *overlap = overlap_of_pool(&status);
    if (!overlap) return status;
    status = alcore_overlap_compute_in_domain(overlap, NULL, &score);
    alcore_overlap_unref(overlap);
    return status;
}
/* Every line has two spans. */
alcore_status call_spans(void) {
    const char **tags = malloc(sizeof *tags * (size_t)row_count);
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
    for (int64_t i = 0; i < row_count; i++) tags[i] = "O B-PER I-PER O O B-LOC O O O O";
    alcore_status status = alcore_metric_compute_spans(ctx, tags, NULL, row_count, tags, NULL,
                                                       row_count, NULL, &score);
    free(tags);
    return status;
}

/* ---- files ---- */

/* Files that are all the file of this name in the folder, whose path is kept. */
static alcore_text_files same_files(const char *name, int64_t count) {
    static char path[512];
    static const char *const paths[] = {path, path, path};
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    snprintf(path, sizeof path, "%s", in_folder(name));
    files.paths = paths;
    files.count = count;
    return files;
}
alcore_status call_bleu_files(void) {
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    const alcore_text_files files = same_files("pool.txt", 2);
    return alcore_metric_read_bleu(ctx, &files, NULL, &score);
}
alcore_status call_chrf_files(void) {
    alcore_chrf_result score = ALCORE_CHRF_RESULT_INIT;
    const alcore_text_files files = same_files("pool.txt", 2);
    return alcore_metric_read_chrf(ctx, &files, NULL, &score);
}
alcore_status call_ter_files(void) {
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    const alcore_text_files files = same_files("pool.txt", 2);
    return alcore_metric_read_ter(ctx, &files, NULL, &score);
}
alcore_status call_labels_files(void) {
    alcore_labels_result score = ALCORE_LABELS_RESULT_INIT;
    const alcore_text_files files = same_files("pool.txt", 2);
    return alcore_metric_read_labels(ctx, &files, OPTIONS_WITH(alcore_labels_options, .words = 1),
                                     &score);
}
/* Every line of the file has two spans. */
alcore_status call_spans_files(void) {
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
    const alcore_text_files files = same_files("tags.txt", 2);
    return alcore_metric_read_spans(ctx, &files, NULL, &score);
}
alcore_status call_answers_files(void) {
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
    const alcore_text_files files = same_files("pool.txt", 2);
    return alcore_metric_read_answers(ctx, &files, NULL, &score);
}
alcore_status call_kappa_files(void) {
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
    const alcore_text_files files = same_files("pool.txt", 2);
    return alcore_metric_read_kappa(ctx, &files, NULL, &result);
}
alcore_status call_length_ratio_files(void) {
    alcore_length_ratio_result score = ALCORE_LENGTH_RATIO_RESULT_INIT;
    const alcore_text_files files = same_files("pool.txt", 2);
    return alcore_metric_read_length_ratio(ctx, &files, NULL, &score);
}
/* The pool is its own translation, which the links of the folder belong to. */
alcore_status call_word_accuracy_files(void) {
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    const alcore_text_files files = same_files("pool.txt", 3);
    return alcore_metric_read_word_accuracy(ctx, &files, in_folder("links.txt"), NULL, &score);
}
