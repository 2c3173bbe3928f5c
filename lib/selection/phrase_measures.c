/* SPDX-License-Identifier: Apache-2.0 */
/* The uncertainty and the embedding of phrases, from those of the words that they consist of (spec
 * 3.9). For a phrase p of |p| words with the occurrences (x, i), row and word, in ascending order,
 * and nll[x][j] the negative log-likelihood of word j of row x:
 *
 *   u(p)  mean over all occurrences of (1 / |p|) (nll[x][i] + ... + nll[x][i + |p| - 1])
 *   e(p)  mean over the first MAX_EMBEDDED occurrences of the mean of the vectors of their words,
 *         or, where the texts have vectors of rows only, of the vector of the row
 *
 * They become the columns "scores" [rows] and "embeddings" [rows, dims] of the pool of phrases, in
 * double. A column is ragged when it has a list of values for each row, one a word and perhaps one
 * for the end of the text. With a column "links" the log-probabilities are those of the tokens of a
 * hypothesis, such as a translation, and nll[x][j] is the mean over the tokens that are linked to
 * word j, or over all tokens of the row where none is. One pass over the texts.
 *
 * Memory, in bytes a phrase: 16 + 8 dims for u, seen and e; beside them during the pass 8 for the
 * list of rows and 16 for the index of alcore__phrase_occurrences(), afterwards 8 + 8 dims for the
 * columns, which are copies. */
#include <math.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "phrase/phrase_pool.h"
#include "pool/pool_internal.h"
#include "selection/selection_internal.h"

/* What phrases are measured by, columns of the texts; alcore__measure_phrases() reads them in this
 * order. */
const char *const alcore__phrase_measure_needs[] = {"logprobs", "word_embeddings|embeddings", NULL};

/* A column of the texts that is used where it is given, the entry behind the needs: ragged, of
 * pairs (word of the row, token of its hypothesis), both from 0. */
const char alcore__phrase_links[] = "links";
enum { NEEDS = 2 };

/* Occurrences of a phrase whose vectors are averaged. */
enum { MAX_EMBEDDED = 32 };
#define MIN_LOGPROB (-100.0)   /* smaller values count as this (spec 1.1) */
#define LOGPROB_TOLERANCE 1e-6 /* above 0, which rounding explains */

/* What is summed up, and the row of the texts that was read last. */
typedef struct measures {
    alcore_ctx *ctx;
    const alcore_pool *texts, *phrases;
    const alcore__column *logprobs, *vectors; /* of the texts */
    const alcore__column *links;              /* of the texts; NULL: tokens are words */
    int64_t dims;                             /* of the vectors */
    double *u;                                /* [phrases] sums, then means */
    double *e;                                /* [phrases, dims] the same */
    int64_t *seen;                            /* [phrases] occurrences so far */
    int64_t row;                              /* of the texts; -1: none was read yet */
    double *nll;                              /* [words or more] of the row */
    double *row_vectors;                      /* [words or words + 1, dims] one vector after the
                                                 other, or [dims] of the row itself */
    double *span;                             /* [dims] mean of the vectors of an occurrence */
    double *pairs;                            /* [links, 2] of the row */
    double *linked;                           /* [words, 2] of the row: sum and number of tokens */
    size_t nll_capacity, vector_capacity, pair_capacity, linked_capacity;
    int64_t other_tokens; /* rows whose log-probabilities are not those of their words */
    /* The buffers in which the columns are read: what was read stays valid until the next row. */
    alcore__scratch logprob_scratch, vector_scratch, link_scratch;
} measures;

/* Widens values [count] of a type (ALCORE_FLOAT32, ...) to doubles in *out, an array of *capacity
 * entries that grows to hold them and replaces what it held. */
static alcore_status widen(measures *self, const void *values, int64_t count, int32_t dtype,
                           double **out, size_t *capacity) {
    const alcore_sys_rows block = {
        .data = values, .count = 1, .dims = count, .stride = count, .dtype = dtype};
    ALCORE__TRY(alcore__grow(self->ctx, out, capacity, (size_t)count + 1, sizeof **out));
    if (count > 0) alcore__column_widen(&block, *out);
    return ALCORE_OK;
}

/* ALCORE_E_SHAPE where a row of word vectors has neither one a word nor one more for the end of the
 * text. */
static alcore_status check_vectors(const measures *self, int64_t row, int64_t tokens) {
    const int64_t words = alcore_pool_words(self->texts, row);
    if (tokens == words || tokens == words + 1) return ALCORE_OK;
    return alcore__fail(ALCORE_E_SHAPE,
                        "column '%s' has %lld vectors for row %lld, which has %lld words",
                        self->vectors->name, (long long)tokens, (long long)row, (long long)words);
}

/* Makes nll [words] of a row from nll [tokens], in its place: of each word the mean over the tokens
 * that are linked to it, or `mean`, that of the row, where none is. self->linked has the sum and
 * the number of tokens of each word. A link that is not of one of both is an error, which
 * alcore__column_fail() puts the file and line before. */
static alcore_status link_words(measures *self, int64_t row, int64_t words, int64_t tokens,
                                double mean) {
    alcore_sys_ragged links;
    ALCORE__TRY(self->links->ops->ragged(self->links, row, 1, &self->link_scratch, &links));
    const int64_t count = links.offsets[1] - links.offsets[0];
    ALCORE__TRY(
        widen(self, links.values, 2 * count, links.dtype, &self->pairs, &self->pair_capacity));
    ALCORE__TRY(alcore__grow(self->ctx, &self->linked, &self->linked_capacity,
                             2 * (size_t)words + 1, sizeof *self->linked));
    for (int64_t j = 0; j < 2 * words; j++) self->linked[j] = 0;
    for (int64_t i = 0; i < count; i++) {
        const double word = self->pairs[2 * i], token = self->pairs[2 * i + 1];
        if (!(word >= 0 && word < (double)words && token >= 0 && token < (double)tokens)) {
            alcore__fail(ALCORE_E_DATA,
                         "row %lld: link %g-%g of column '%s' is not of one of its %lld words and "
                         "one of %lld tokens",
                         (long long)row, word, token, self->links->name, (long long)words,
                         (long long)tokens);
            return alcore__column_fail(self->links, row, ALCORE_E_DATA);
        }
        self->linked[2 * (int64_t)word] += self->nll[(int64_t)token];
        self->linked[2 * (int64_t)word + 1]++;
    }
    for (int64_t j = 0; j < words; j++)
        self->nll[j] =
            self->linked[2 * j + 1] > 0 ? self->linked[2 * j] / self->linked[2 * j + 1] : mean;
    return ALCORE_OK;
}

/* Reads nll of the words of a row of the texts, in natural logarithms (the column's values times
 * its log_scale) and at most 100; a NaN or a log-probability above 0 is an error. A value behind
 * those of the words, that of the end of the text, is read and not used. With links, and where the
 * values are not one a word, they belong to other tokens, such as those of a translation; without
 * links every word then counts with the mean of the row (spec 3.9). 0.0 - x makes +0.0 of a
 * log-probability of 0. */
static alcore_status read_logprobs(measures *self, int64_t row) {
    const int64_t words = alcore_pool_words(self->texts, row);
    alcore_sys_ragged tokens;
    double total = 0;
    ALCORE__TRY(
        self->logprobs->ops->ragged(self->logprobs, row, 1, &self->logprob_scratch, &tokens));
    const int64_t count = tokens.offsets[1] - tokens.offsets[0];
    if (count == 0)
        return alcore__fail(ALCORE_E_DATA, "row %lld: no token in column '%s'", (long long)row,
                            self->logprobs->name);
    ALCORE__TRY(alcore__grow(self->ctx, &self->nll, &self->nll_capacity, (size_t)words + 1,
                             sizeof *self->nll));
    ALCORE__TRY(widen(self, tokens.values, count, tokens.dtype, &self->nll, &self->nll_capacity));
    for (int64_t j = 0; j < count; j++) {
        const double value = self->nll[j] * self->logprobs->log_scale;
        if (!(value <= LOGPROB_TOLERANCE))
            return alcore__fail(ALCORE_E_DATA,
                                "row %lld: the log-probability of token %lld is %g; expected a "
                                "number of 0 or less",
                                (long long)row, (long long)j, value);
        self->nll[j] = value > 0 ? 0 : 0.0 - fmax(value, MIN_LOGPROB);
        total += self->nll[j];
    }
    if (self->links) return link_words(self, row, words, count, total / (double)count);
    if (count == words || count == words + 1) return ALCORE_OK;
    for (int64_t j = 0; j < words; j++) self->nll[j] = total / (double)count;
    self->other_tokens++;
    return ALCORE_OK;
}

/* Reads row_vectors: the vectors of the words of a row of the texts or, where the texts have
 * vectors of rows only, that of the row. tokens.values begins with the first token of the row,
 * whatever offsets[0] is. */
static alcore_status read_vectors(measures *self, int64_t row) {
    const alcore__column *column = self->vectors;
    if (column->ragged) {
        alcore_sys_ragged tokens;
        ALCORE__TRY(column->ops->ragged(column, row, 1, &self->vector_scratch, &tokens));
        const int64_t count = tokens.offsets[1] - tokens.offsets[0];
        ALCORE__TRY(check_vectors(self, row, count));
        return widen(self, tokens.values, count * self->dims, tokens.dtype, &self->row_vectors,
                     &self->vector_capacity);
    }
    alcore_sys_rows rows;
    ALCORE__TRY(column->ops->rows(column, row, 1, &self->vector_scratch, &rows));
    return widen(self, rows.data, self->dims, rows.dtype, &self->row_vectors,
                 &self->vector_capacity);
}

/* Makes a row of the texts the present one: reads its nll and its vectors. */
static alcore_status read_row(measures *self, int64_t row) {
    ALCORE__TRY(read_logprobs(self, row));
    ALCORE__TRY(read_vectors(self, row));
    self->row = row;
    return ALCORE_OK;
}

/* The vector [dims] of an occurrence of `length` words at a word of the present row: the mean of
 * the vectors of its words, or the vector of the row. Valid until the next call. */
static const double *vector_of(measures *self, int64_t word, int64_t length) {
    if (!self->vectors->ragged) return self->row_vectors;
    for (int64_t d = 0; d < self->dims; d++) {
        double sum = 0;
        for (int64_t j = word; j < word + length; j++) sum += self->row_vectors[j * self->dims + d];
        self->span[d] = sum / (double)length;
    }
    return self->span;
}

/* Adds one occurrence of a phrase (its pool row), at a word of a row of the texts, to u and e:
 * called by alcore__phrase_occurrences() in the order of (row, word), so that each row is read
 * once. */
static alcore_status add_occurrence(void *user, int64_t phrase, int64_t row, int64_t word) {
    measures *self = user;
    const int64_t length = alcore_pool_words(self->phrases, phrase);
    double sum = 0;
    if (row != self->row) ALCORE__TRY(read_row(self, row));
    for (int64_t j = word; j < word + length; j++) sum += self->nll[j];
    self->u[phrase] += sum / (double)length;
    if (self->seen[phrase]++ >= MAX_EMBEDDED) return ALCORE_OK;
    const double *vector = vector_of(self, word, length);
    double *out = self->e + phrase * self->dims;
    for (int64_t d = 0; d < self->dims; d++) out[d] += vector[d];
    return ALCORE_OK;
}

/* Makes u and e: sums over all occurrences of all phrases, divided by how many were added. Every
 * phrase has an occurrence, as it was derived from these texts. After a failure clear() frees what
 * was made. The caller has locked the texts for reading; alcore__phrase_occurrences() counts itself
 * as one more reader of them. */
static alcore_status sum_up(measures *self) {
    const int64_t count = alcore_pool_row_count(self->phrases);
    int64_t *rows; /* [count] every row of the pool of phrases */
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)count, sizeof *self->u, &self->u));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)count, (size_t)self->dims * sizeof *self->e,
                                  &self->e));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)count, sizeof *self->seen, &self->seen));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)self->dims, sizeof *self->span, &self->span));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)count, sizeof *rows, &rows));
    for (int64_t i = 0; i < count; i++) rows[i] = i;
    const alcore_status status =
        alcore__phrase_occurrences(self->phrases, rows, count, add_occurrence, self);
    alcore__free(self->ctx, rows);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        const int64_t embedded = self->seen[i] < MAX_EMBEDDED ? self->seen[i] : MAX_EMBEDDED;
        self->u[i] /= (double)self->seen[i];
        for (int64_t d = 0; d < self->dims; d++) self->e[i * self->dims + d] /= (double)embedded;
    }
    return status;
}

/* Sets both columns of the pool of phrases, which copies u and e. They follow from the texts: their
 * origin is that of the other columns of phrases, so that nobody takes them for given scores. The
 * caller has not locked the pool: alcore_pool_set_column() takes its lock for writing itself, and
 * the origin is changed without one, as the pool was derived in this call and nobody else has it.
 */
static alcore_status set_columns(const measures *self, alcore_pool *phrases) {
    int64_t shape[2] = {alcore_pool_row_count(phrases), self->dims};
    alcore_tensor tensor;
    ALCORE__TRY(alcore_tensor_init(&tensor, self->u, ALCORE_FLOAT64, shape, 1));
    ALCORE__TRY(alcore_pool_set_column(phrases, "scores", &tensor, NULL, NULL));
    ALCORE__TRY(alcore__column_mark_derived(alcore__pool_change_column(phrases, "scores")));
    ALCORE__TRY(alcore_tensor_init(&tensor, self->e, ALCORE_FLOAT64, shape, 2));
    ALCORE__TRY(alcore_pool_set_column(phrases, "embeddings", &tensor, NULL, NULL));
    return alcore__column_mark_derived(alcore__pool_change_column(phrases, "embeddings"));
}

/* Frees all arrays and buffers; those that were not made are NULL. */
static void clear(measures *self) {
    alcore__free(self->ctx, self->u);
    alcore__free(self->ctx, self->e);
    alcore__free(self->ctx, self->seen);
    alcore__free(self->ctx, self->nll);
    alcore__free(self->ctx, self->row_vectors);
    alcore__free(self->ctx, self->pairs);
    alcore__free(self->ctx, self->linked);
    alcore__free(self->ctx, self->span);
    alcore__scratch_clear(self->ctx, &self->logprob_scratch);
    alcore__scratch_clear(self->ctx, &self->vector_scratch);
    alcore__scratch_clear(self->ctx, &self->link_scratch);
}

alcore_status alcore__measure_phrases(const alcore_pool *texts, const alcore__resolution *columns,
                                      alcore_pool *phrases) {
    measures self = {.ctx = alcore__pool_ctx(texts), .texts = texts, .phrases = phrases, .row = -1};
    if (alcore_pool_row_count(phrases) == 0) return ALCORE_OK;
    self.logprobs = alcore__pool_find_column(texts, columns->entries[0].name);
    self.vectors = alcore__pool_find_column(texts, columns->entries[1].name);
    if (!self.logprobs || !self.vectors)
        return alcore__fail(ALCORE_E_BUSY, "a column was dropped during the call");
    if (!self.logprobs->ragged)
        return alcore__fail(ALCORE_E_SHAPE,
                            "column '%s' has one value a row; phrases need one a word",
                            self.logprobs->name);
    if (columns->count > NEEDS) {
        self.links = alcore__pool_find_column(texts, columns->entries[NEEDS].name);
        if (!self.links) return alcore__fail(ALCORE_E_BUSY, "a column was dropped during the call");
        if (!self.links->ragged || self.links->dims != 2)
            return alcore__fail(ALCORE_E_SHAPE,
                                "column '%s' has pairs of a word and a token: a ragged column of "
                                "two numbers each",
                                self.links->name);
    }
    self.dims = self.vectors->dims;
    alcore_status status = sum_up(&self);
    if (status == ALCORE_OK && self.other_tokens > 0)
        alcore__log(
            self.ctx, ALCORE_LOG_WARN, "request", NULL /* no fields */,
            "%lld rows have log-probabilities of other tokens than their words, which count "
            "with the mean of the row",
            (long long)self.other_tokens);
    if (status == ALCORE_OK) status = set_columns(&self, phrases);
    clear(&self);
    return status;
}
