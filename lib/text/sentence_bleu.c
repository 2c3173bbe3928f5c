/* SPDX-License-Identifier: Apache-2.0 */
/* The counts and the formula of BLEU, and BLEU of one pair of texts (sentence_bleu.h). */
#include "text/sentence_bleu.h"

#include <math.h>
#include <string.h>

/* Fills bleu, brevity_penalty and precisions (percentages, by order - 1) of *out from sums .
 * As in sacreBLEU, without a single match nothing is smoothed and every precision is 0; smoothing
 * "exp" gives the i-th order without a match 1 / 2^i matches, "floor" gives it `value`, "add-k"
 * adds `value` to matches and totals of the orders above 1. With effective_order the mean is over
 * the orders that the hypothesis has n-grams of; without it a precision of 0 makes the score 0. */
void alcore__bleu_of_sums(const int64_t *sums, const alcore__bleu_rules *rules,
                          alcore__bleu_score *out) {
    const double hypothesis = (double)sums[ALCORE__BLEU_HYPOTHESIS],
                 reference = (double)sums[ALCORE__BLEU_REFERENCE];
    const double value = rules->smoothing_value;
    double halving = 1, logarithms = 0;
    int order = ALCORE__BLEU_ORDERS;
    out->bleu = 0;
    out->brevity_penalty = 1;
    if (hypothesis < reference)
        out->brevity_penalty = hypothesis > 0 ? exp(1 - reference / hypothesis) : 0;
    memset(out->precisions, 0, sizeof out->precisions);
    if (!(sums[0] | sums[1] | sums[2] | sums[3])) return; /* no match of any order */
    for (int n = 0; n < ALCORE__BLEU_ORDERS; n++) {
        const bool add = rules->smoothing == ALCORE__BLEU_SMOOTH_ADD_K && n > 0;
        const double matches = (double)sums[ALCORE__BLEU_MATCHES + n] + (add ? value : 0);
        const double total = (double)sums[ALCORE__BLEU_TOTALS + n] + (add ? value : 0);
        if (total == 0) break;
        if (rules->effective_order) order = n + 1;
        if (matches == 0 && rules->smoothing == ALCORE__BLEU_SMOOTH_EXP)
            out->precisions[n] = 100 / ((halving *= 2) * total);
        else if (matches == 0 && rules->smoothing == ALCORE__BLEU_SMOOTH_FLOOR)
            out->precisions[n] = 100 * value / total;
        else
            out->precisions[n] = 100 * matches / total;
    }
    for (int n = 0; n < order; n++) {
        if (out->precisions[n] == 0) return;
        logarithms += log(out->precisions[n]);
    }
    out->bleu = out->brevity_penalty * exp(logarithms / order);
}

/* `end` is the index in the line of code points behind the last token that was found. */
alcore_status alcore__bleu_add_text(alcore__ngram_counter *counter, alcore__token_lines *lines,
                                    alcore__bleu_tokenizer tokenizer, const char *text,
                                    size_t length, int64_t *tokens) {
    size_t end = 0, begin;
    *tokens = 0;
    ALCORE__TRY(alcore__token_lines_read(lines, text, length));
    ALCORE__TRY(alcore__token_lines_cut(lines, tokenizer));
    for (; alcore__token_lines_next(lines, &end, &begin); (*tokens)++)
        ALCORE__TRY(alcore__ngram_counter_intern(counter, lines->line + begin, end - begin));
    return alcore__ngram_counter_end_part(counter);
}

alcore_status alcore__bleu_match(alcore__ngram_counter *counter, int64_t *statistics) {
    alcore__ngram_matches counts;
    ALCORE__TRY(alcore__ngram_counter_match(counter, ALCORE__BLEU_ORDERS, &counts));
    for (int n = 0; n < ALCORE__BLEU_ORDERS; n++) {
        statistics[ALCORE__BLEU_MATCHES + n] = counts.matches[n];
        statistics[ALCORE__BLEU_TOTALS + n] = counts.totals[n];
    }
    return ALCORE_OK;
}

alcore_status alcore__sentence_bleu(alcore_ctx *ctx, alcore__bleu_workspace *workspace,
                                    const char *hypothesis, size_t hypothesis_length,
                                    const char *reference, size_t reference_length, double *bleu) {
    static const alcore__bleu_rules rules = {.smoothing = ALCORE__BLEU_SMOOTH_EXP,
                                             .effective_order = true};
    int64_t statistics[ALCORE__BLEU_WIDTH];
    alcore__bleu_score score;
    alcore__ngram_counter *counter = &workspace->counter;
    counter->ctx = workspace->lines.ctx = ctx;
    alcore__ngram_counter_begin(counter);
    ALCORE__TRY(alcore__bleu_add_text(counter, &workspace->lines, ALCORE__BLEU_13A, hypothesis,
                                      hypothesis_length, &statistics[ALCORE__BLEU_HYPOTHESIS]));
    ALCORE__TRY(alcore__bleu_add_text(counter, &workspace->lines, ALCORE__BLEU_13A, reference,
                                      reference_length, &statistics[ALCORE__BLEU_REFERENCE]));
    ALCORE__TRY(alcore__bleu_match(counter, statistics));
    alcore__bleu_of_sums(statistics, &rules, &score);
    *bleu = score.bleu;
    return ALCORE_OK;
}

void alcore__sentence_bleu_clear(alcore__bleu_workspace *workspace) {
    alcore__ngram_counter_clear(&workspace->counter);
    alcore__token_lines_clear(&workspace->lines);
}
