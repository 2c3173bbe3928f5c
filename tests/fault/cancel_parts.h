/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of tests/fault/cancel_metric.c, which stand in the table of cancel_calls.c, and what they
 * find there. */
#ifndef CANCEL_METRIC_H
#define CANCEL_METRIC_H

#include "alcore/alcore.h"

extern int64_t row_count;   /* rows of the pool */
extern alcore_links *links; /* of the pool, which is its own translation: row_count pairs */

/* The texts of the pool, [row_count]; to be freed. */
const char **texts_of_pool(void);
/* The path of a file in the folder of the walk; valid until the next call. */
const char *in_folder(const char *name);

alcore_status call_bleu(void);
alcore_status call_chrf(void);
alcore_status call_labels(void);
alcore_status call_kappa(void);
alcore_status call_ter(void);
alcore_status call_answers(void);
alcore_status call_length_ratio(void);
alcore_status call_word_accuracy(void);
alcore_status call_overlap_add(void);
alcore_status call_overlap_read(void);
alcore_status call_overlap_compute(void);
alcore_status call_in_domain(void);
alcore_status call_spans(void);

#endif
