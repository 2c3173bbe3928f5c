/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of cancel_experiment.c, cancel_job.c, cancel_matrix.c, cancel_metric.c, cancel_pool.c,
 * cancel_project.c, cancel_text.c and cancel_tool.c, which stand in the table of cancel_calls.c,
 * and the world that they find there (cancel_world.c). */
#ifndef CANCEL_PARTS_H
#define CANCEL_PARTS_H

#include "alcore/extra.h"

enum { DIMS = 64, TOKENS = 12 }; /* components of an embedding, words of a text */

extern int64_t row_count; /* rows of the pool */
extern alcore_pool *pool, *labeled, *phrases;
extern alcore_lm *lm;
extern alcore_aligner *aligner;
extern alcore_tokenizer *tokenizer; /* of vocab.txt */
extern alcore_links *links;         /* of the pool, which is its own translation: row_count pairs */
extern alcore_annotations *annotations; /* all rows of the pool as sentences, with translations */
extern alcore_mix *mix;
extern alcore_selection *all_picks;   /* of the strategy random */
extern alcore_comparison *comparison; /* of the strategy random alone */
extern alcore_column_writer *filled,  /* with all rows put */
    *merging;                         /* one that a part is merged into */

/* A call that saves or sets, the status of which is the value; around_saving() is told. */
#define SAVING(call) (begin_saving(), end_saving(call))
void begin_saving(void);
alcore_status end_saving(alcore_status status);

/* The texts of the pool, [row_count] borrowed from it; the array is to be freed. */
const char **texts_of_pool(void);
/* Calls `use` with the items of the pool and the path of a file in the folder of the walk. */
alcore_status with_items(alcore_status (*use)(alcore_annotations *, const char *),
                         const char *name);
/* The path of a file in the folder of the walk; valid until the next call. */
const char *in_folder(const char *name);

/* cancel_calls.c */
/* A request that selects a part of the pool by the strategy strategy_name. */
alcore_status make_request(alcore_request **out);
/* A training set of `annotations`, for which the pool is its own labeled data. */
alcore_status make_mix(const char *kind, alcore_mix **out);

/* cancel_matrix.c */
alcore_status call_logits(void);
alcore_status call_first_subword_mean(void);
alcore_status call_knn(void);
alcore_status call_margin_ratios(void);
alcore_status call_neighborhood(void);
alcore_status call_long_neighborhood(void);
alcore_status call_composition(void);
alcore_status call_leverage(void);
alcore_status call_projection(void);
alcore_status call_write_curves(void);
alcore_status call_write_points(void);
alcore_status call_logits_put(void);
alcore_status call_logits_put_topk(void);
alcore_status call_served_read(void);
/* cancel_metric.c */
alcore_status call_bleu(void);
alcore_status call_bleu_files(void);
alcore_status call_chrf_files(void);
alcore_status call_ter_files(void);
alcore_status call_chrf(void);
alcore_status call_labels(void);
alcore_status call_kappa(void);
alcore_status call_wilcoxon(void);
alcore_status call_ter(void);
alcore_status call_answers(void);
alcore_status call_length_ratio(void);
alcore_status call_word_accuracy(void);
alcore_status call_overlap_add(void);
alcore_status call_overlap_read(void);
alcore_status call_overlap_compute(void);
alcore_status call_in_domain(void);
alcore_status call_spans(void);
alcore_status call_labels_files(void);
alcore_status call_spans_files(void);
alcore_status call_answers_files(void);
alcore_status call_kappa_files(void);
alcore_status call_length_ratio_files(void);
alcore_status call_word_accuracy_files(void);

/* cancel_pool.c */
/* A column writer into which every row of the pool was put. */
alcore_status fill_writer(alcore_column_writer **out);
alcore_status call_read_conll(void);
alcore_status call_read_pairs(void);
alcore_status call_read_text(void);
alcore_status call_read_tsv(void);
alcore_status call_join(void);
alcore_status call_filter(void);
alcore_status call_duplicates(void);
alcore_status call_mark_texts(void);
alcore_status call_pool_write(void);
alcore_status call_write_column(void);
alcore_status call_read_column(void);
alcore_status call_read_jsonl(void);
alcore_status call_add_texts(void);
alcore_status call_add_records(void);
alcore_status call_derive_phrases(void);
alcore_status call_derive_long_phrases(void);
alcore_status call_write_phrases(void);
alcore_status call_writer_put(void);
alcore_status call_writer_put_in_stream(void);
alcore_status call_writer_save(void);
alcore_status call_writer_merge(void);
alcore_status call_writer_finish(void);
alcore_status call_set_column(void);
alcore_status call_add_arrow(void);
alcore_status call_add_utf8(void);
alcore_status call_set_column_arrow(void);
alcore_status call_set_text_column(void);
alcore_status call_set_column_stream(void);
alcore_status call_column_tokens(void);
alcore_status call_column_rows(void);

/* cancel_text.c */
alcore_status call_lm_train(void);
alcore_status call_write_arpa(void);
alcore_status call_read_arpa(void);
alcore_status call_lm_score(void);
alcore_status call_lm_token_logprobs(void);
alcore_status call_aligner_train(void);
alcore_status call_aligner_tension(void);
alcore_status call_aligner_links(void);
alcore_status call_aligner_apply(void);
alcore_status call_aligner_write(void);
alcore_status call_aligner_read(void);
alcore_status call_tokenizer_open(void);
alcore_status call_tokenizer_encode(void);
alcore_status call_tokenizer_decode(void);
alcore_status call_tokenizer_train(void);
alcore_status call_align(void);
alcore_status call_symmetrize(void);
alcore_status call_links_new(void);
alcore_status call_links_write(void);
alcore_status call_links_read(void);

/* cancel_experiment.c */
alcore_status call_experiment(void);

/* cancel_job.c */
alcore_status call_job_step(void);
alcore_status call_job_deliver(void);
void end_job(void);

/* cancel_project.c */
alcore_status make_project(void);
void end_project(void);
alcore_status call_project_add(void);
alcore_status call_project_next(void);
alcore_status call_project_train(void);
alcore_status call_project_eval(void);
alcore_status call_project_import(void);
alcore_status call_project_import_spans(void);
alcore_status call_project_get_agreement(void);
alcore_status call_project_write_report(void);
alcore_status call_project_export(void);
alcore_status call_project_write_labeled(void);
alcore_status call_project_verify(void);
alcore_status call_project_set(void);

/* cancel_tool.c */
/* Writes batch.po and batch.xlf, which the calls read. */
alcore_status make_batches(void);
alcore_status call_tool_write(void);
alcore_status call_tool_read(void);
alcore_status call_tool_read_xml(void);
alcore_status call_tool_write_requests(void);
alcore_status call_tool_read_answers(void);

#endif
