/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a language model as ARPA text (docs/spec/language-model.md, "ARPA files"; the layout
 * stands at the top of arpa_reader.c). N-grams are written in the order of their numbers, those
 * that are absent or unlisted left out; a trained model begins with comment lines about its
 * discounts. */
#include "alcore/extra/lm.h"

#include "formats/byte_stream.h"
#include "text/lm_internal.h"

#define DIGITS 9         /* significant digits of a number */
#define POLL_NGRAMS 4096 /* n-grams between two polls of cancellation */
static const char stage[] = "writing the language model";

typedef struct arpa_writer {
    alcore_ctx *ctx;
    const alcore_lm *lm;
    alcore__writer *writer; /* the file */
    alcore__buffer line;    /* the line being built */
    int64_t done, total;    /* n-grams written, and all that will be, for the progress */
} arpa_writer;

static alcore_status append_number(arpa_writer *w, double value) {
    return alcore__buffer_format(w->ctx, &w->line, "%.*g", DIGITS, value);
}

/* Writes the line that was built, with its end, and empties it. */
static alcore_status put_line(arpa_writer *w) {
    ALCORE__TRY(alcore__buffer_append(w->ctx, &w->line, "\n", 1));
    const alcore_status status = alcore__writer_put(w->writer, w->line.data, w->line.length);
    w->line.length = 0;
    return status;
}

/* Writes t_1 to t_4 and D(1), D(2), D(3+) of each order as comment lines, before \data\. */
static alcore_status put_training(arpa_writer *w) {
    const alcore_lm *lm = w->lm;
    for (int32_t n = 1; n <= lm->order; n++) {
        ALCORE__TRY(alcore__buffer_format(w->ctx, &w->line, "# order %d: t", (int)n));
        for (int k = 0; k < 4; k++)
            ALCORE__TRY(
                alcore__buffer_format(w->ctx, &w->line, " %lld", (long long)lm->exactly[n][k]));
        ALCORE__TRY(alcore__buffer_append(w->ctx, &w->line, "; D", 3));
        for (int k = 0; k < 3; k++) {
            ALCORE__TRY(alcore__buffer_append(w->ctx, &w->line, " ", 1));
            ALCORE__TRY(append_number(w, lm->discount[n][k]));
        }
        if (lm->fallback[n]) ALCORE__TRY(alcore__buffer_format(w->ctx, &w->line, " (fallback)"));
        ALCORE__TRY(put_line(w));
    }
    return ALCORE_OK;
}

/* Appends the words of an n-gram, with one space between them. An entry has the last word and the
 * number of its context, the n-gram without it, down to a unigram, whose number is its word's. */
static alcore_status append_words(arpa_writer *w, int32_t order, uint32_t number) {
    uint32_t words[ALCORE__LM_ORDERS];
    for (int32_t n = order; n >= 2; n--) {
        const alcore__lm_entry *entry = alcore__lm_entry_of(w->lm, n, number);
        words[n - 1] = entry->word;
        number = entry->context;
    }
    words[0] = number;
    for (int32_t i = 0; i < order; i++) {
        size_t length;
        const char *word = alcore__vocabulary_word(&w->lm->trie->words, words[i], &length);
        if (i > 0) ALCORE__TRY(alcore__buffer_append(w->ctx, &w->line, " ", 1));
        ALCORE__TRY(alcore__buffer_append(w->ctx, &w->line, word, length));
    }
    return ALCORE_OK;
}

/* Writes the section of an order: one line per n-gram. A logp above 0 marks an absent n-gram
 * (ALCORE__LM_ABSENT); unlisted ones have numbers from listed[order] on. */
static alcore_status put_order(arpa_writer *w, int32_t order) {
    const alcore_lm *lm = w->lm;
    ALCORE__TRY(alcore__buffer_format(w->ctx, &w->line, "\n\\%d-grams:", (int)order));
    ALCORE__TRY(put_line(w));
    for (uint32_t i = 0; i < lm->listed[order]; i++) {
        if (i % POLL_NGRAMS == 0) ALCORE__TRY(alcore__tick(w->ctx, stage, w->done, w->total));
        const double logp = alcore__lm_logp(lm, order, i);
        if (logp > 0.0) continue;
        ALCORE__TRY(append_number(w, logp));
        ALCORE__TRY(alcore__buffer_append(w->ctx, &w->line, "\t", 1));
        ALCORE__TRY(append_words(w, order, i));
        if (order < lm->order) {
            ALCORE__TRY(alcore__buffer_append(w->ctx, &w->line, "\t", 1));
            ALCORE__TRY(append_number(w, alcore__lm_backoff(lm, order, i)));
        }
        ALCORE__TRY(put_line(w));
        w->done++;
    }
    return ALCORE_OK;
}

/* Writes the whole file: comments, header, the sections of the orders, the end mark. */
static alcore_status put_model(arpa_writer *w) {
    const alcore_lm *lm = w->lm;
    if (lm->trained) ALCORE__TRY(put_training(w));
    ALCORE__TRY(alcore__buffer_format(w->ctx, &w->line, "\\data\\"));
    for (int32_t n = 1; n <= lm->order; n++) {
        ALCORE__TRY(alcore__buffer_format(w->ctx, &w->line, "\nngram %d=%lld", (int)n,
                                          (long long)lm->ngrams[n]));
        w->total += lm->ngrams[n];
    }
    ALCORE__TRY(put_line(w));
    for (int32_t n = 1; n <= lm->order; n++) ALCORE__TRY(put_order(w, n));
    ALCORE__TRY(alcore__buffer_format(w->ctx, &w->line, "\n\\end\\"));
    return put_line(w);
}

/* Writes the model to path, which appears whole or not at all. */
alcore_status alcore_lm_write_arpa(alcore_lm *lm, const char *path) {
    alcore_ctx *ctx = !lm ? NULL : lm->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    if (!lm || !path)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "lm or path is NULL"));
    arpa_writer w = {.ctx = ctx, .lm = lm};
    size_t base;
    if (alcore__stream_compressed(path, &base))
        return alcore__leave(ctx,
                             alcore__fail(ALCORE_E_UNSUPPORTED,
                                          "%s: a language model is written uncompressed", path));
    alcore_status status = alcore__writer_open(ctx, path, &w.writer);
    if (status == ALCORE_OK) {
        status = put_model(&w);
        if (status == ALCORE_OK)
            status = alcore__writer_commit(w.writer);
        else
            alcore__writer_abort(w.writer);
    }
    alcore__buffer_clear(ctx, &w.line);
    return alcore__leave(ctx, status);
}
