/* SPDX-License-Identifier: Apache-2.0 */
/* BLEU of one pair of texts, for scores of sentences (docs/spec/phrases.md 5.7). */
#ifndef ALCORE__SENTENCE_BLEU_H
#define ALCORE__SENTENCE_BLEU_H

#include "metric/corpus_metric.h"

/* *bleu: BLEU of a hypothesis against one reference, 0 to 100, as sacreBLEU's sentence_bleu()
 * computes it: tokenizer 13a, smoothing "exp", effective order. Texts are UTF-8, lengths in bytes;
 * workspace, zeroed at first and then used for one pair after the other, is the calling thread's
 * own; its memory is of ctx. */
alcore_status alcore__sentence_bleu(alcore_ctx *ctx, alcore__metric_workspace *workspace,
                                    const char *hypothesis, size_t hypothesis_length,
                                    const char *reference, size_t reference_length, double *bleu);
void alcore__sentence_bleu_clear(alcore__metric_workspace *workspace);

#endif
