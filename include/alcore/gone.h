/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Names of 0.1 that are no more: a program that uses one does not compile, and the compiler says
 * what to use instead. CHANGELOG.md has the reasons ("Migration from 0.1"). */
#ifndef ALCORE_GONE_H
#define ALCORE_GONE_H

#include "alcore/export.h"

#if defined(__has_attribute)
#if __has_attribute(unavailable)
/** A function, constant or macro that is no more. */
#define ALCORE_GONE(name, instead)                                                                 \
    extern const char name __attribute__((unavailable("since 1.0: " instead)))
/** A type that is no more. */
#define ALCORE_GONE_TYPE(name, instead)                                                            \
    typedef char name __attribute__((unavailable("since 1.0: " instead)))
#endif
#endif

#ifdef ALCORE_GONE
ALCORE_BEGIN

ALCORE_GONE(ALCORE_DEFAULT_STRATEGY, "alcore_strategy_recommended(), or NULL");
ALCORE_GONE(ALCORE_ESCAPES_AUTO, "0");
ALCORE_GONE(ALCORE_FORMAT_AUTO, "0");
ALCORE_GONE(ALCORE_JOIN_AUTO, "0");
ALCORE_GONE(ALCORE_MEANS_DEFAULT, "0");
ALCORE_GONE(ALCORE_NORMALIZE_AUTO, "0");
ALCORE_GONE(ALCORE_POOLING_AUTO, "0");
ALCORE_GONE(alcore_aligner_read, "alcore_aligner_open()");
ALCORE_GONE(alcore_aligner_train, "alcore_aligner_new_trained()");
ALCORE_GONE(alcore_analysis_count_duplicates, "alcore_analysis_compute_duplicates()");
ALCORE_GONE(alcore_links_read, "alcore_links_open()");
ALCORE_GONE(alcore_lm_read_arpa, "alcore_lm_open_arpa()");
ALCORE_GONE(alcore_lm_train, "alcore_lm_new_trained()");
ALCORE_GONE_TYPE(alcore_model_function, "alcore_model_compute_function");
ALCORE_GONE(alcore_overlap_compute, "alcore_overlap_compute_coverage()");
ALCORE_GONE(alcore_overlap_in_domain, "alcore_overlap_compute_in_domain()");
ALCORE_GONE(alcore_pool_column, "alcore_pool_get_column()");
ALCORE_GONE(alcore_pool_column_info, "alcore_pool_get_column_info()");
ALCORE_GONE(alcore_pool_column_rows, "alcore_pool_get_column_rows()");
ALCORE_GONE(alcore_pool_count, "alcore_pool_state_count()");
ALCORE_GONE(alcore_pool_id, "alcore_pool_row_id(), which needs no buffer");
ALCORE_GONE(alcore_pool_language_tag, "alcore_pool_distinct_language()");
ALCORE_GONE(alcore_pool_rows, "alcore_pool_row_count()");
ALCORE_GONE(alcore_request_param, "alcore_request_builtin_param()");
ALCORE_GONE(alcore_request_rows, "alcore_request_get_rows()");
ALCORE_GONE(alcore_selection_column, "alcore_selection_get_column()");
ALCORE_GONE(alcore_selection_price, "alcore_selection_amount()");
ALCORE_GONE(alcore_struct_init, "alcore_struct_begin(), which is told the name of the struct");
ALCORE_GONE(alcore_tokenizer_train, "alcore_tokenizer_train_vocabulary()");
ALCORE_GONE(alcore_view_column, "alcore_view_get_column()");
ALCORE_GONE(alcore_view_count, "alcore_view_row_count()");
ALCORE_GONE_TYPE(alcore_answer_score, "alcore_answers_result");
ALCORE_GONE_TYPE(alcore_bleu_score, "alcore_bleu_result");
ALCORE_GONE_TYPE(alcore_chrf_score, "alcore_chrf_result");
ALCORE_GONE_TYPE(alcore_composition, "alcore_composition_result");
ALCORE_GONE_TYPE(alcore_duplicates, "alcore_duplicates_result");
ALCORE_GONE_TYPE(alcore_in_domain_score, "alcore_in_domain_result");
ALCORE_GONE_TYPE(alcore_label_score, "alcore_labels_result");
ALCORE_GONE_TYPE(alcore_length_ratio_score, "alcore_length_ratio_result");
ALCORE_GONE_TYPE(alcore_overlap_score, "alcore_coverage_result");
ALCORE_GONE_TYPE(alcore_projection, "alcore_projection_result");
ALCORE_GONE_TYPE(alcore_span_score, "alcore_spans_result");
ALCORE_GONE_TYPE(alcore_ter_score, "alcore_ter_result");
ALCORE_GONE_TYPE(alcore_word_accuracy_score, "alcore_word_accuracy_result");

ALCORE_END
#endif

#endif
