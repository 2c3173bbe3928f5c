/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings for tasks that label words (spec 7.2): the mean over the words of a row of the hidden
 * state of each word's first token,
 *
 *     out[i] = (sum of hidden[t] over the tokens t of row i that begin a word) / (their number)
 *
 * summed in double in the order of the tokens, each number rounded once where out is float32. One
 * task for each row, on the context's threads. Memory: 4 bytes a token, and a vector a thread. */
#include "alcore/logits.h"

#include <inttypes.h>
#include <math.h>

#include "base/base.h"
#include "base/tensor_view.h"
#include "kernel/kernel_engine.h"

/* One call. */
typedef struct averaging {
    alcore_ctx *ctx;
    alcore__engine engine;
    alcore__array hidden;   /* [tokens, dims] */
    alcore__array words;    /* [tokens] flags of type uint8, or numbers of words */
    alcore__array out;      /* [rows, dims] float32 or float64 */
    const int64_t *offsets; /* [rows + 1] of the caller */
    int32_t *group;         /* [tokens] 0: begins a word; -1: takes no part; owned */
    double *sums;           /* [threads, dims] of the row of each thread; owned */
} averaging;

/* Checks that the caller's offsets begin at 0, do not fall and end at the number of tokens: then no
 * row reads beyond the arrays. */
static alcore_status check_offsets(const averaging *self) {
    const int64_t rows = self->out.rows, tokens = self->hidden.rows;
    if (self->offsets[0] != 0)
        return alcore__fail(ALCORE_E_SHAPE, "offsets: the first is %" PRId64 ", not 0",
                            self->offsets[0]);
    for (int64_t i = 0; i < rows; i++)
        if (self->offsets[i + 1] < self->offsets[i])
            return alcore__fail(ALCORE_E_SHAPE,
                                "offsets: row %" PRId64 " begins at token %" PRId64
                                " and ends at %" PRId64,
                                i, self->offsets[i], self->offsets[i + 1]);
    if (self->offsets[rows] != tokens)
        return alcore__fail(ALCORE_E_SHAPE,
                            "offsets: the last is %" PRId64 ", and there are %" PRId64 " tokens",
                            self->offsets[rows], tokens);
    return ALCORE_OK;
}

/* The number of token t's word; negative: it has none. */
static int64_t word_at(const alcore__array *words, int64_t t) {
    if (words->dtype == ALCORE_INT32) return ((const int32_t *)words->data)[t * words->stride];
    return ((const int64_t *)words->data)[t * words->stride];
}

/* Fills group with the tokens that begin a word: those with a flag or, of numbers, those whose
 * number is another one than that of the token before in the same row. */
static alcore_status find_words(averaging *self) {
    const alcore__array *words = &self->words;
    for (int64_t row = 0; row < self->out.rows; row++) {
        const int64_t first = self->offsets[row];
        if (row % ALCORE_BLOCK_ROWS == 0)
            ALCORE__TRY(alcore__tick(self->ctx, "words", row, self->out.rows));
        for (int64_t t = first; t < self->offsets[row + 1]; t++) {
            bool begins;
            if (words->dtype == ALCORE_UINT8) {
                begins = ((const uint8_t *)words->data)[t * words->stride] != 0;
            } else {
                const int64_t word = word_at(words, t);
                begins = word >= 0 && (t == first || word_at(words, t - 1) != word);
            }
            self->group[t] = begins ? 0 : -1;
        }
    }
    return ALCORE_OK;
}

/* Task `row` of alcore__parallel(): writes the mean of a row. The kernel group_sums adds up the
 * tokens of group 0 into the sums of this worker; a row without a word gets NaN in every component.
 */
static alcore_status average_row(void *data, int64_t row, int32_t worker) {
    const averaging *self = data;
    const int64_t dims = self->hidden.columns, first = self->offsets[row];
    const size_t bytes = alcore_sys_dtype_bytes(self->hidden.dtype);
    double *sums = self->sums + worker * dims;
    int64_t count = 0;
    alcore_sys_work work = alcore__engine_work(&self->engine);
    const alcore_sys_rows rows = {.data = (const char *)self->hidden.data +
                                          (size_t)(first * self->hidden.stride) * bytes,
                                  .count = self->offsets[row + 1] - first,
                                  .dims = dims,
                                  .stride = self->hidden.stride,
                                  .first = first,
                                  .dtype = self->hidden.dtype};
    if (rows.count > 0)
        ALCORE__TRY(self->engine.kernels->group_sums(&work, &rows, self->group + first,
                                                     1 /* group */, sums, &count));
    for (int64_t j = 0; j < dims; j++) {
        const double mean = count > 0 ? sums[j] / (double)count : (double)NAN;
        const int64_t at = row * self->out.stride + j;
        if (self->out.dtype == ALCORE_FLOAT32)
            ((float *)self->out.data)[at] = (float)mean;
        else
            ((double *)self->out.data)[at] = mean;
    }
    return ALCORE_OK;
}

/* Checks the caller's tensors and describes them in *self, as arrays with a stride between rows;
 * the numbers of offsets must be adjacent, as they are read as they are. out [rows, dims] is
 * written. */
static alcore_status read_arrays(averaging *self, const alcore_tensor *hidden,
                                 const alcore_tensor *words, const alcore_tensor *offsets,
                                 const alcore_tensor *out) {
    alcore__array starts;
    ALCORE__TRY(alcore__tensor_view(hidden, "hidden", &self->hidden));
    if (hidden->ndim != 2 || !alcore__dtype_is_float(self->hidden.dtype))
        return alcore__fail(ALCORE_E_SHAPE,
                            "hidden: expected float16, bfloat16, float32 or float64 [tokens, "
                            "dims], found %s with %d dimensions",
                            alcore__dtype_name(self->hidden.dtype), hidden->ndim);
    ALCORE__TRY(alcore__tensor_view(words, "words", &self->words));
    if (words->ndim != 1 ||
        (self->words.dtype != ALCORE_UINT8 && !alcore__dtype_is_integer(self->words.dtype)))
        return alcore__fail(ALCORE_E_SHAPE,
                            "words: expected flags of type uint8 or numbers of type int32 or "
                            "int64, [tokens], found %s with %d dimensions",
                            alcore__dtype_name(self->words.dtype), words->ndim);
    if (self->words.rows != self->hidden.rows)
        return alcore__fail(ALCORE_E_SHAPE,
                            "words has %" PRId64 " entries, and hidden has %" PRId64 " tokens",
                            self->words.rows, self->hidden.rows);
    ALCORE__TRY(alcore__tensor_view(offsets, "offsets", &starts));
    if (offsets->ndim != 1 || starts.dtype != ALCORE_INT64 || starts.rows < 1 || starts.stride != 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "offsets: expected int64 [rows + 1], of adjacent numbers");
    self->offsets = starts.data;
    ALCORE__TRY(alcore__tensor_view(out, "out", &self->out));
    if (self->out.dtype != ALCORE_FLOAT32 && self->out.dtype != ALCORE_FLOAT64)
        return alcore__fail(ALCORE_E_SHAPE, "out: expected float32 or float64, found %s",
                            alcore__dtype_name(self->out.dtype));
    ALCORE__TRY(alcore__tensor_output(out, "out", self->out.dtype, starts.rows - 1,
                                      self->hidden.columns, &self->out));
    return check_offsets(self);
}

/* Computes all rows on the threads of the CPU; the caller frees what self owns, also after a
 * failure. */
static alcore_status average(averaging *self) {
    const size_t threads = (size_t)alcore_ctx_threads(self->ctx);
    const size_t dims = (size_t)self->hidden.columns;
    ALCORE__TRY(alcore__engine_open(self->ctx, "cpu", &self->engine));
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)self->hidden.rows, sizeof *self->group, &self->group));
    ALCORE__TRY(alcore__new_array(self->ctx, threads, dims * sizeof *self->sums, &self->sums));
    ALCORE__TRY(find_words(self));
    return alcore__parallel(self->ctx, "averaging", self->out.rows, average_row, self);
}

alcore_status alcore_hidden_average_words(alcore_ctx *ctx, const alcore_tensor *hidden,
                                          const alcore_tensor *words, const alcore_tensor *offsets,
                                          const alcore_tensor *out) {
    averaging self = {.ctx = ctx};
    if (!ctx || !hidden || !words || !offsets || !out)
        return alcore__fail(
            ALCORE_E_INVALID,
            "alcore_hidden_average_words: ctx, hidden, words, offsets and out are needed");
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = read_arrays(&self, hidden, words, offsets, out);
    if (status == ALCORE_OK) status = average(&self);
    alcore__free(ctx, self.group);
    alcore__free(ctx, self.sums);
    return alcore__leave(ctx, status);
}
