/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: the measures of an experiment. */
#include <stdlib.h>
#include <string.h>

#include "options_with.h"
#include "sweep.h"

static const char *const hypotheses[2] = {"a b c d e", "x y."};
static const char *const references[4] = {"a b c d f", "x z.", "b", "y"};
static const double numbers[4] = {1, -2, 3, 4};

ALLOCATES(alcore_metric_compute_bleu, 0) {
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    options.resamples = 2;
    return alcore_metric_compute_bleu(w->ctx, hypotheses, NULL, 2, references, NULL, 4, &options,
                                      NULL, &score);
}
ALLOCATES(alcore_metric_compute_chrf, 0) {
    alcore_chrf_options options = ALCORE_CHRF_OPTIONS_INIT;
    alcore_chrf_result score = ALCORE_CHRF_RESULT_INIT;
    options.word_order = 2;
    options.resamples = 2;
    return alcore_metric_compute_chrf(w->ctx, hypotheses, NULL, 2, references, NULL, 4, &options,
                                      NULL, &score);
}
ALLOCATES(alcore_metric_compute_wilcoxon, 0) {
    alcore_wilcoxon_result result = ALCORE_WILCOXON_RESULT_INIT;
    return alcore_metric_compute_wilcoxon(w->ctx, numbers, 4, NULL, 0, NULL, &result);
}
NEVER(alcore_metric_compute_mean, 0) {
    alcore_mean_result result = ALCORE_MEAN_RESULT_INIT;
    return alcore_metric_compute_mean(w->ctx, numbers, 4, NULL, &result);
}
NEVER(alcore_metric_compute_pearson, 0) {
    alcore_pearson_result result = ALCORE_PEARSON_RESULT_INIT;
    return alcore_metric_compute_pearson(w->ctx, numbers, 4, numbers, 4, NULL, &result);
}
ALLOCATES(alcore_metric_compute_kappa, 0) {
    static const int64_t classes[4] = {1, 2, 2, 3};
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
    return alcore_metric_compute_kappa(w->ctx, classes, 4, classes, 4, NULL, &result);
}
NEVER(alcore_stop_check_plateau, 0) {
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    (void)w;
    return alcore_stop_check_plateau(numbers, 4, NULL, &decision);
}
NEVER(alcore_stop_check_uncertainty, 0) {
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    (void)w;
    return alcore_stop_check_uncertainty(
        numbers, 4, 1,
        OPTIONS_WITH(alcore_uncertainty_options, .criterion = ALCORE_STOP_MAX_UNCERTAINTY),
        &decision);
}
NEVER(alcore_stop_check_agreement, 0) {
    static const double kappas[3] = {1, 0.5, 1};
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    (void)w;
    return alcore_stop_check_agreement(kappas, 3, NULL, &decision);
}
NEVER(alcore_stop_text, 0) {
    char buffer[200];
    alcore_stop_decision decision = ALCORE_STOP_DECISION_INIT;
    decision.criterion = ALCORE_STOP_PLATEAU;
    HOLDS(alcore_stop_text(&decision, buffer) == buffer);
}
NEVER(alcore_metric_bleu_signature, 0) {
    char buffer[160];
    HOLDS(alcore_metric_bleu_signature(1, NULL, buffer) == buffer);
}
NEVER(alcore_metric_chrf_signature, 0) {
    char buffer[160];
    HOLDS(alcore_metric_chrf_signature(1, NULL, buffer) == buffer);
}
ALLOCATES(alcore_metric_compute_labels, 0) {
    alcore_labels_result score = ALCORE_LABELS_RESULT_INIT;
    return alcore_metric_compute_labels(w->ctx, references, NULL, 4, references, NULL, 4,
                                        OPTIONS_WITH(alcore_labels_options, .words = 1), &score);
}
NEVER(alcore_metric_compute_spans, 0) {
    static const char *const tags[1] = {"B-PER I-PER O"};
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
    return alcore_metric_compute_spans(w->ctx, tags, NULL, 1, tags, NULL, 1, NULL, &score);
}
ALLOCATES(alcore_metric_compute_ter, 0) {
    alcore_ter_options options = ALCORE_TER_OPTIONS_INIT;
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    options.resamples = 2;
    return alcore_metric_compute_ter(w->ctx, hypotheses, NULL, 2, references, NULL, 4, &options,
                                     NULL, &score);
}
NEVER(alcore_metric_ter_signature, 0) {
    char buffer[160];
    HOLDS(alcore_metric_ter_signature(1, NULL, buffer) == buffer);
}
ALLOCATES(alcore_metric_compute_answers, 0) {
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
    return alcore_metric_compute_answers(w->ctx, references, NULL, 2, NULL, 0, references, NULL, 2,
                                         NULL, &score);
}
NEVER(alcore_metric_compute_length_ratio, 0) {
    alcore_length_ratio_result score = ALCORE_LENGTH_RATIO_RESULT_INIT;
    return alcore_metric_compute_length_ratio(w->ctx, hypotheses, NULL, 2, references, NULL, 2,
                                              NULL, &score);
}
/* An overlap that keeps test set and selected data and was given both; made without counting. */
static alcore_overlap *new_overlap(world *w) {
    const alcore_overlap_options options = {.size = sizeof options,
                                            .kept = ALCORE_OVERLAP_TEST | ALCORE_OVERLAP_SELECTED};
    alcore_overlap *overlap;
    sweep_pause(w);
    if (alcore_overlap_new(w->ctx, &options, &overlap) != ALCORE_OK ||
        alcore_overlap_add(overlap, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, hypotheses, NULL, 2) !=
            ALCORE_OK ||
        alcore_overlap_add(overlap, ALCORE_OVERLAP_SELECTED, ALCORE_SIDE_SOURCE, references, NULL,
                           2) != ALCORE_OK)
        abort();
    sweep_resume(w);
    return overlap;
}

ALLOCATES(alcore_metric_compute_word_accuracy, 0) {
    int64_t offsets[3] = {0, 1, 2}, offsets_shape[1] = {3}, shape[2] = {2, 2};
    int32_t numbers_of_words[4] = {0, 0, 1, 1};
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    alcore_tensor bounds, values;
    alcore_links *links;
    sweep_pause(w);
    if (alcore_tensor_init(&bounds, offsets, ALCORE_INT64, offsets_shape, 1) != ALCORE_OK ||
        alcore_tensor_init(&values, numbers_of_words, ALCORE_INT32, shape, 2) != ALCORE_OK ||
        alcore_links_new(w->ctx, &bounds, &values, &links) != ALCORE_OK)
        abort();
    sweep_resume(w);
    alcore_overlap *domain = new_overlap(w);
    const alcore_status status = alcore_metric_compute_word_accuracy(
        w->ctx, hypotheses, NULL, 2, references, NULL, 2, hypotheses, NULL, 2, links,
        OPTIONS_WITH(alcore_word_accuracy_options, .domain = domain), &score);
    alcore_overlap_unref(domain);
    alcore_links_unref(links);
    return status;
}

/* ---- files ---- */

/* Files of the world that are all the same. */
static alcore_text_files same_files(const char *path, int64_t count) {
    static const char *paths[3];
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    for (int i = 0; i < 3; i++) paths[i] = path;
    files.paths = paths;
    files.count = count;
    return files;
}

ALLOCATES(alcore_metric_read_bleu, 0) {
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    const alcore_text_files files = same_files(world_file("pool.tsv"), 2);
    return alcore_metric_read_bleu(
        w->ctx, &files,
        OPTIONS_WITH(alcore_bleu_options, .resamples = 2, .smoothing_value = ALCORE_UNSET), &score);
}
/* The last file is that of the baseline. */
ALLOCATES(alcore_metric_read_chrf, 0) {
    const alcore_paired_options paired = {.size = sizeof paired, .samples = 2};
    alcore_chrf_result score = ALCORE_CHRF_RESULT_INIT;
    const alcore_text_files files = same_files(world_file("pool.tsv"), 3);
    return alcore_metric_read_chrf(w->ctx, &files,
                                   OPTIONS_WITH(alcore_chrf_options, .paired = &paired), &score);
}
ALLOCATES(alcore_metric_read_ter, 0) {
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    const alcore_text_files files = same_files(world_file("pool.tsv"), 2);
    return alcore_metric_read_ter(w->ctx, &files, NULL, &score);
}
ALLOCATES(alcore_metric_read_labels, 0) {
    alcore_labels_result score = ALCORE_LABELS_RESULT_INIT;
    const alcore_text_files files = same_files(world_file("pool.tsv"), 2);
    return alcore_metric_read_labels(w->ctx, &files,
                                     OPTIONS_WITH(alcore_labels_options, .words = 1), &score);
}
ALLOCATES(alcore_metric_read_spans, 0) {
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
    const alcore_text_files files = same_files(world_file("tags.txt"), 2);
    return alcore_metric_read_spans(w->ctx, &files, NULL, &score);
}
ALLOCATES(alcore_metric_read_answers, 0) {
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
    const alcore_text_files files = same_files(world_file("pool.tsv"), 2);
    return alcore_metric_read_answers(w->ctx, &files, NULL, &score);
}
ALLOCATES(alcore_metric_read_length_ratio, 0) {
    alcore_length_ratio_result score = ALCORE_LENGTH_RATIO_RESULT_INIT;
    const alcore_text_files files = same_files(world_file("pool.tsv"), 2);
    return alcore_metric_read_length_ratio(w->ctx, &files, NULL, &score);
}
ALLOCATES(alcore_metric_read_kappa, 0) {
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
    const alcore_text_files files = same_files(world_file("pool.tsv"), 2);
    return alcore_metric_read_kappa(w->ctx, &files, NULL, &result);
}
/* Links are words too, so that one file is both. */
ALLOCATES(alcore_metric_read_word_accuracy, 0) {
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    const char *links = world_file("links.txt");
    const alcore_text_files files = same_files(links, 3);
    alcore_overlap *domain = new_overlap(w);
    const alcore_status status = alcore_metric_read_word_accuracy(
        w->ctx, &files, links, OPTIONS_WITH(alcore_word_accuracy_options, .domain = domain),
        &score);
    alcore_overlap_unref(domain);
    return status;
}

/* ---- overlap ---- */

ALLOCATES(alcore_overlap_new, 0) {
    alcore_overlap *overlap;
    alcore_status status = alcore_overlap_new(w->ctx, NULL, &overlap);
    MADE(alcore_overlap_unref, status, overlap);
}
/* A text with a malformed sequence, which is repaired. After a failure no other call is answered.
 */
ALLOCATES(alcore_overlap_add, 0) {
    static const char *const texts[2] = {"new words \xFF stand here", "and here"};
    alcore_overlap *overlap = new_overlap(w);
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    const alcore_status status =
        alcore_overlap_add(overlap, ALCORE_OVERLAP_SELECTED, ALCORE_SIDE_SOURCE, texts, NULL, 2);
    sweep_keep_error(w);
    const alcore_status after = alcore_overlap_compute_coverage(
        overlap, 1, OPTIONS_WITH(alcore_coverage_options, .data = ALCORE_OVERLAP_SELECTED), &score);
    alcore_overlap_unref(overlap);
    if (after != (status == ALCORE_OK ? ALCORE_OK : ALCORE_E_INVALID)) return ALCORE_E_INTERNAL;
    return status;
}
ALLOCATES(alcore_overlap_read, 0) {
    alcore_overlap *overlap = new_overlap(w);
    int64_t count;
    const alcore_status status = alcore_overlap_read(
        overlap, ALCORE_OVERLAP_SELECTED, ALCORE_SIDE_SOURCE, world_file("pool.txt"), NULL, &count);
    alcore_overlap_unref(overlap);
    return status == ALCORE_OK && count == 0 ? ALCORE_E_INTERNAL : status;
}
NEVER(alcore_overlap_compute_coverage, 0) {
    alcore_overlap *overlap = new_overlap(w);
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    const alcore_status status = alcore_overlap_compute_coverage(
        overlap, 2, OPTIONS_WITH(alcore_coverage_options, .data = ALCORE_OVERLAP_SELECTED), &score);
    alcore_overlap_unref(overlap);
    return status;
}
NEVER(alcore_overlap_compute_in_domain, 0) {
    alcore_overlap *overlap = new_overlap(w);
    alcore_in_domain_result score = ALCORE_IN_DOMAIN_RESULT_INIT;
    const alcore_status status = alcore_overlap_compute_in_domain(overlap, NULL, &score);
    alcore_overlap_unref(overlap);
    return status;
}
NEVER(alcore_overlap_ref, 0) {
    alcore_overlap *overlap = new_overlap(w);
    const bool same = alcore_overlap_ref(overlap) == overlap && !alcore_overlap_ref(NULL);
    alcore_overlap_unref(overlap);
    alcore_overlap_unref(overlap);
    HOLDS(same);
}
NEVER(alcore_overlap_unref, 0) {
    alcore_overlap_unref(new_overlap(w));
    alcore_overlap_unref(NULL);
    HOLDS(true);
}
