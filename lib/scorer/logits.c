/* SPDX-License-Identifier: Apache-2.0 */
/* Token statistics of a caller's logits or hidden states, written to the caller's arrays
 * (alcore_logits_measure) or to columns of a pool (alcore_logits_put).
 *
 * The kernel reads a matrix of rows, one a token, in memory order (token_rows.h); its results are
 * by kernel row and are then gathered by item and token. Row item_step * item + token_step * token
 * of that matrix is a token's. The caller's array is [items, tokens, n], or packed: [tokens, n],
 * the tokens of all items one behind the other, which token_rows.h reads as one item; `lengths`
 * then says how many tokens each item of the caller has. A token whose label is -1 (padding, a
 * label to ignore, a gap in memory) takes no part. Logarithms are natural. Tasks of rows run in
 * parallel. Memory: 8 bytes a token for each statistic that is wanted.
 *
 * Members of alcore__token_rows (token_rows.h):
 *
 *     rows        the kernel's matrix, logits or hidden states; rows.count kernel rows
 *     labels      [rows.count] label of each kernel row; -1: it takes no part; NULL: they are on
 *                 the device, and taking [rows.count], if wanted, says which rows take part
 *     labeled     the labels are the caller's; else every token has label 0
 *     items, tokens, item_step, token_step   where a token's row is, see above
 *     packed      the array is [tokens, n]; items and token_step are 1
 *     hidden      rows are hidden states; output and bias then make the logits of them
 *     engine      runs the kernels on the device that the arrays are on
 *
 * A column writer (alcore_column_writer) fills a new column of a pool, with one number a row
 * (scalar) or a list of numbers a row, one a token (ragged). */
#include "alcore/logits.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/tensor_view.h"
#include "kernel/device_result.h"
#include "pool/pool_internal.h"
#include "scorer/token_rows.h"

/* Logits of a task. Starting a task costs little beside this many of them, and there are enough
 * tasks for all threads. */
#define TASK_LOGITS (INT64_C(1) << 20)

/* The fewest tokens of a task with hidden states, each of which reads the whole output matrix. */
#define TASK_STATES 256

/* The label of kernel rows that take no part. */
enum { LEFT_OUT = -1 };

/* The statistics of a token, as indices of measuring.stat: log-probability of its label; of the two
 * likeliest classes; probability of the first minus that of the second; entropy in nats; logarithm
 * of the sum of exp(logit). STATS is their number. */
enum { LOGPROB, TOP1, TOP2, MARGIN, ENTROPY, LOGSUMEXP, STATS };

/* One call. */
typedef struct measuring {
    alcore_ctx *ctx;
    alcore__token_rows tokens;
    double *stat[STATS];    /* [kernel rows] each, owned but for those in place; NULL: not wanted */
    bool in_place[STATS];   /* the array is the caller's, on the device of the engine */
    int32_t *likeliest;     /* [kernel rows] likeliest class, owned; NULL: not wanted */
    int64_t task_rows;      /* kernel rows of a task */
    const int64_t *rows;    /* [items] pool row of each item; NULL: results go to arrays */
    const int64_t *lengths; /* [items] tokens of each item, of the caller; NULL: all */
} measuring;

/* The error for row `kernel_row` of the whole matrix: names its item, or the item's pool row, and
 * its token, all from 0. Packed tokens are all of item 0 in token_rows.h. With a pool their
 * lengths, which add up to all tokens, tell the caller's item and the token of it; without a pool
 * the message says item 0 and counts through all tokens, like the caller's arrays. */
static alcore_status fail_at(const measuring *self, int64_t kernel_row) {
    int64_t item, token;
    alcore__token_rows_locate(&self->tokens, kernel_row, &item, &token);
    while (self->tokens.packed && self->rows && self->lengths && token >= self->lengths[item])
        token -= self->lengths[item++];
    return alcore__fail(ALCORE_E_DATA,
                        "%s %" PRId64 ", token %" PRId64
                        ": a NaN, plus infinity or no finite number among its logits",
                        self->rows ? "row" : "item", self->rows ? self->rows[item] : item, token);
}

/* The array of a statistic from kernel row `first` on; NULL where the statistic is not wanted. */
static double *at_row(double *stat, int64_t first) {
    return stat ? stat + first : NULL;
}

/* Does what measure_task() does, for all rows at once, where labels or bias are on the device. */
static alcore_status measure_placed(const measuring *self, const alcore_sys_work *work,
                                    const alcore_sys_token_stats *out) {
    const alcore__token_rows *tokens = &self->tokens;
    int64_t bad_label, bad;
    ALCORE__TRY(tokens->engine.kernels->token_stats(
        work, &tokens->rows, tokens->hidden ? &tokens->output : NULL,
        tokens->placed_bias.data ? &tokens->placed_bias : NULL, &tokens->placed_labels, out,
        tokens->taking, &bad_label, &bad));
    if (bad_label >= 0) return alcore__token_rows_fail_label(tokens, bad_label);
    return bad < 0 ? ALCORE_OK : fail_at(self, bad);
}

/* Task `index` of alcore__parallel(), or on a device the only one: computes the wanted statistics
 * of `task_rows` rows of the kernel's matrix (the last task: of those that are left), a row being a
 * token, with the engine of the device that the arrays are on. A NaN, plus infinity, or a row
 * without a finite logit fails with the name of its token; minus infinity is a logit of probability
 * 0. Statistics of rows with the label -1 are not written. */
static alcore_status measure_task(void *data, int64_t index, int32_t worker) {
    measuring *self = data;
    const alcore__token_rows *tokens = &self->tokens;
    const alcore_sys_kernels *kernels = tokens->engine.kernels;
    const int64_t first = index * self->task_rows;
    (void)worker;
    alcore_sys_work work = alcore__engine_work(&tokens->engine);
    const size_t bytes = alcore_sys_dtype_bytes(tokens->rows.dtype);
    alcore_sys_rows rows = tokens->rows;
    rows.data = (const char *)rows.data + (size_t)(first * rows.stride) * bytes;
    rows.first = first;
    if (rows.count - first < self->task_rows)
        rows.count -= first;
    else
        rows.count = self->task_rows;
    alcore_sys_token_stats out = {
        .logprob = at_row(self->stat[LOGPROB], first),
        .top1 = at_row(self->stat[TOP1], first),
        .top2 = at_row(self->stat[TOP2], first),
        .margin = at_row(self->stat[MARGIN], first),
        .entropy = at_row(self->stat[ENTROPY], first),
        .logsumexp = at_row(self->stat[LOGSUMEXP], first),
        .argmax = self->likeliest ? self->likeliest + first : NULL,
    };
    int64_t bad; /* row of the whole matrix, as rows.first is set; -1: none */
    if (tokens->placed) return measure_placed(self, &work, &out);
    const int64_t *labels = tokens->labels + first;
    if (tokens->hidden)
        ALCORE__TRY(kernels->hidden_stats(&work, &rows, &tokens->output, tokens->bias, labels,
                                          LEFT_OUT, &out, &bad));
    else
        ALCORE__TRY(kernels->logit_stats(&work, &rows, labels, LEFT_OUT, &out, &bad));
    return bad < 0 ? ALCORE_OK : fail_at(self, bad);
}

/* Frees the results and what alcore__token_rows_init() made; what was not allocated is NULL. */
static void clear(measuring *self) {
    for (int f = 0; f < STATS; f++)
        if (!self->in_place[f]) alcore__free(self->ctx, self->stat[f]);
    alcore__free(self->ctx, self->likeliest);
    alcore__token_rows_clear(self->ctx, &self->tokens);
}

/* Allocates the statistics of all tokens that are wanted [STATS] and not in place and, if wanted,
 * the likeliest class, and computes them in tasks: about TASK_LOGITS logits each; of hidden states
 * one task a thread, of at least TASK_STATES tokens; on a device a single one, which asks itself
 * whether to stop. Called once, by
 * measure_all() or put_all(); clear() frees the arrays, also after a failure. */
static alcore_status measure(measuring *self, const bool *wanted, bool likeliest) {
    const alcore__token_rows *tokens = &self->tokens;
    const int64_t count = tokens->rows.count;
    if (wanted[LOGPROB] && !tokens->labeled)
        return alcore__fail(ALCORE_E_INVALID,
                            "log-probabilities and NNLL are wanted of tokens without labels");
    if (!tokens->engine.kernels->hidden_stats || !tokens->engine.kernels->logit_stats)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "the kernels of %s lack token statistics",
                            tokens->engine.kernels->engine);
    for (int f = 0; f < STATS; f++) {
        if (wanted[f] && !self->in_place[f])
            ALCORE__TRY(
                alcore__new_array(self->ctx, (size_t)count, sizeof(double), &self->stat[f]));
    }
    if (likeliest)
        ALCORE__TRY(
            alcore__new_array(self->ctx, (size_t)count, sizeof *self->likeliest, &self->likeliest));
    const int64_t threads = alcore_ctx_threads(self->ctx);
    self->task_rows = TASK_LOGITS / (tokens->classes > 0 ? tokens->classes : 1);
    if (tokens->hidden) {
        self->task_rows = (count + threads - 1) / threads;
        if (self->task_rows < TASK_STATES) self->task_rows = TASK_STATES;
    }
    /* On a device the calling thread computes: cudaStreamPerThread names its stream in no other. */
    if (tokens->engine.kernels->device != ALCORE_DEVICE_CPU) {
        self->task_rows = count;
        ALCORE__TRY(alcore__tick(self->ctx, "token statistics", 0, count));
        return count > 0 ? measure_task(self, 0, 0) : ALCORE_OK;
    }
    if (self->task_rows < 1) self->task_rows = 1;
    return alcore__parallel(self->ctx, "token statistics",
                            (count + self->task_rows - 1) / self->task_rows, measure_task, self);
}

/* Where the results of a call go, checked: [items, tokens] or, packed, [tokens]. */
typedef struct stat_arrays {
    double *stat[STATS];     /* by LOGPROB, ...; NULL: not wanted */
    int64_t *likeliest;      /* likeliest class; NULL: not wanted */
    alcore__results results; /* of the tensors that are on a device */
} stat_arrays;

/* Whether kernels can write a tensor of the caller: it is on their device, and the rows of the
 * kernel's matrix are the tokens in the order of the tensor, without a gap. */
static bool is_in_place(const alcore_tensor *tensor, const alcore__token_rows *tokens) {
    return (tensor->device.type == ALCORE_DEVICE_CUDA ||
            tensor->device.type == ALCORE_DEVICE_CUDA_MANAGED) &&
           alcore__engine_is_cuda(&tokens->engine, tensor->device.id) &&
           (tokens->items <= 1 || tokens->item_step == tokens->tokens) &&
           (tokens->tokens <= 1 || tokens->token_step == 1);
}

/* Checks that a tensor that is to be filled is contiguous, of the dtype and of the shape of the
 * tokens. *out: where it is written; NULL where the tensor is NULL, so not wanted. As entries of
 * tokens that are left out stay as they are, a tensor on a device that kernels do not write is
 * copied to the host first. */
static alcore_status read_output(alcore__results *results, const alcore_tensor *tensor,
                                 const char *name, int32_t dtype, const alcore__token_rows *tokens,
                                 bool in_place, void **out) {
    *out = NULL;
    if (!tensor) return ALCORE_OK;
    int64_t rows = tokens->packed ? tokens->tokens : tokens->items;
    int64_t columns = tokens->packed ? 1 : tokens->tokens;
    if (in_place)
        return alcore__results_add_in_place(results, tensor, name, dtype, rows, columns, out);
    return alcore__results_add(results, tensor, name, dtype, rows, columns, true /* keep */, out);
}

/* Checks all tensors of the caller's struct and lists in *out where they are written. Those that
 * the kernels write become the arrays of self. */
static alcore_status read_outputs(measuring *self, const alcore_token_stats *given,
                                  stat_arrays *out) {
    const alcore__token_rows *tokens = &self->tokens;
    const struct {
        const alcore_tensor *tensor;
        const char *name;
    } all[STATS] = {
        [LOGPROB] = {given->logprob, "logprob"}, [TOP1] = {given->top1, "top1"},
        [TOP2] = {given->top2, "top2"},          [MARGIN] = {given->margin, "margin"},
        [ENTROPY] = {given->entropy, "entropy"}, [LOGSUMEXP] = {given->logsumexp, "logsumexp"}};
    void *memory;
    for (int f = 0; f < STATS; f++) {
        self->in_place[f] = all[f].tensor && is_in_place(all[f].tensor, tokens);
        ALCORE__TRY(read_output(&out->results, all[f].tensor, all[f].name, ALCORE_FLOAT64, tokens,
                                self->in_place[f], &memory));
        out->stat[f] = memory;
        if (self->in_place[f]) self->stat[f] = memory;
    }
    /* Kernels count classes in int32, so that this one is never in place. */
    ALCORE__TRY(read_output(&out->results, given->likeliest, "likeliest", ALCORE_INT64, tokens,
                            false, &memory));
    out->likeliest = memory;
    return ALCORE_OK;
}

/* Measures into the caller's tensors. The kernel's rows are in memory order, which may have items
 * or tokens first: kernel_row is a token's row there, `entry` its entry in the tensors. Entries of
 * tokens that take no part (label -1) are not written. */
static alcore_status measure_all(measuring *self, const alcore_token_stats *out,
                                 stat_arrays *arrays) {
    const alcore__token_rows *tokens = &self->tokens;
    bool wanted[STATS];
    ALCORE__TRY(read_outputs(self, out, arrays));
    bool gathers = arrays->likeliest != NULL; /* some tensor is filled here, not by kernels */
    for (int f = 0; f < STATS; f++) {
        wanted[f] = arrays->stat[f] != NULL;
        gathers = gathers || (wanted[f] && !self->in_place[f]);
    }
    if (gathers) ALCORE__TRY(alcore__token_rows_want_taking(self->ctx, &self->tokens));
    ALCORE__TRY(measure(self, wanted, arrays->likeliest != NULL));
    if (!gathers) return ALCORE_OK;
    for (int64_t i = 0; i < tokens->items; i++) {
        for (int64_t t = 0; t < tokens->tokens; t++) {
            const int64_t kernel_row = i * tokens->item_step + t * tokens->token_step;
            const int64_t entry = i * tokens->tokens + t;
            if (!alcore__token_rows_takes_part(tokens, kernel_row)) continue;
            for (int f = 0; f < STATS; f++)
                if (arrays->stat[f] && !self->in_place[f])
                    arrays->stat[f][entry] = self->stat[f][kernel_row];
            if (arrays->likeliest) arrays->likeliest[entry] = self->likeliest[kernel_row];
        }
    }
    return ALCORE_OK;
}

/* Measures without a pool. ignore: the caller's label of tokens to leave out. */
static alcore_status measure_into(alcore_ctx *ctx, const alcore_logits *logits, int64_t ignore,
                                  const alcore_token_stats *out) {
    measuring self = {.ctx = ctx, .lengths = logits->lengths};
    ALCORE__TRY(alcore__token_rows_init(ctx, logits, ignore, -1 /* as many items as the arrays */,
                                        &self.tokens));
    stat_arrays arrays = {0};
    alcore__results_init(&arrays.results, &self.tokens.engine, logits->stream);
    alcore_status status = measure_all(&self, out, &arrays);
    status = alcore__results_end(&arrays.results, status);
    clear(&self);
    return status;
}

/* Copies the caller's struct, which may be of an older or newer header, by its size.
 * ALCORE__FIRST_SIZE names the last member of the first version, which never changes. */
static alcore_status read_logits(alcore_logits *ours, const alcore_logits *theirs) {
    if (!theirs) return alcore__fail(ALCORE_E_INVALID, "logits is NULL");
    return alcore__struct_read(ours, sizeof *ours, ALCORE__FIRST_SIZE(alcore_logits, stream),
                               theirs, "alcore_logits");
}

/* Reads both structs of a call by their sizes and measures. */
static alcore_status measure_call(alcore_ctx *ctx, const alcore_logits *logits, int64_t ignore,
                                  const alcore_token_stats *out) {
    alcore_logits ours;
    alcore_token_stats stats;
    if (!ctx || !out) return alcore__fail(ALCORE_E_INVALID, "%s is NULL", ctx ? "out" : "ctx");
    ALCORE__TRY(read_logits(&ours, logits));
    ALCORE__TRY(alcore__struct_read(&stats, sizeof stats,
                                    ALCORE__FIRST_SIZE(alcore_token_stats, likeliest), out,
                                    "alcore_token_stats"));
    return measure_into(ctx, &ours, ignore, &stats);
}

/* Writes the wanted statistics of every token whose label is not `ignore` to the caller's tensors,
 * [items, tokens] or, packed, [tokens]. */
alcore_status alcore_logits_measure(alcore_ctx *ctx, const alcore_logits *logits, int64_t ignore,
                                    const alcore_token_stats *out) {
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, measure_call(ctx, logits, ignore, out));
}

/* ---- columns ---- */

/* The tokens that take part, item by item: what is written to columns. Owned by put_all(). */
typedef struct gathered {
    double *logprob;  /* [tokens] log-probabilities of the labels */
    int64_t *offsets; /* [items + 1] first token of each item, from 0 */
    int64_t *lengths; /* [items] tokens of each */
    double *nnll;     /* [items] mean of minus the log-probabilities */
    float *values;    /* [tokens] the statistic that is written now, used again for the next */
} gathered;

/* Number of tokens of one of the caller's items that kernel rows exist for, including those that
 * labels leave out. Padded items have all `tokens` of the array, of which padding has label -1. */
static int64_t length_of(const measuring *self, int64_t item) {
    return self->tokens.packed && self->lengths ? self->lengths[item] : self->tokens.tokens;
}

/* Counts the tokens of each item that take part and allocates all arrays of *out, zeroed. items:
 * the caller's, as many as pool rows. `begin` is the kernel row of an item's first token. */
static alcore_status count_tokens(const measuring *self, int64_t items, gathered *out) {
    const alcore__token_rows *tokens = &self->tokens;
    int64_t total = 0, begin = 0;
    ALCORE__TRY(
        alcore__new_array(self->ctx, (size_t)items + 1, sizeof *out->offsets, &out->offsets));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)items, sizeof *out->lengths, &out->lengths));
    for (int64_t i = 0; i < items; i++) {
        const int64_t length = length_of(self, i);
        for (int64_t t = 0; t < length; t++) {
            const int64_t kernel_row = begin + t * tokens->token_step;
            out->lengths[i] += alcore__token_rows_takes_part(tokens, kernel_row);
        }
        begin += tokens->packed ? length : tokens->item_step;
        total += out->lengths[i];
        out->offsets[i + 1] = total;
    }
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)total, sizeof *out->values, &out->values));
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)total, sizeof *out->logprob, &out->logprob));
    return alcore__new_array(self->ctx, (size_t)items, sizeof *out->nnll, &out->nnll);
}

/* Gathers one statistic (`stat`: LOGPROB, TOP1, MARGIN or ENTROPY, which was measured) of the
 * tokens that take part, in the order of items: to of->values in float32, and log-probabilities to
 * of->logprob in double as well. `begin` is the kernel row of an item's first token. */
static void gather(const measuring *self, int64_t items, const gathered *of, int stat) {
    const alcore__token_rows *tokens = &self->tokens;
    const double *values = self->stat[stat]; /* [kernel rows] */
    int64_t begin = 0, entry = 0;
    for (int64_t i = 0; i < items; i++) {
        const int64_t length = length_of(self, i);
        for (int64_t t = 0; t < length; t++) {
            const int64_t kernel_row = begin + t * tokens->token_step;
            if (!alcore__token_rows_takes_part(tokens, kernel_row)) continue;
            if (stat == LOGPROB) of->logprob[entry] = values[kernel_row];
            /* A column has the probability of the likeliest class, not its logarithm. */
            of->values[entry++] =
                (float)(stat == TOP1 ? exp(values[kernel_row]) : values[kernel_row]);
        }
        begin += tokens->packed ? length : tokens->item_step;
    }
}

/* Writes one statistic (`stat`: LOGPROB, MARGIN ...) of the tokens that take part to self->rows
 * [items] of the pool as float32; nothing without a writer. A ragged writer gets a list of numbers
 * for each row, one a token; a scalar writer gets one number for each row, as every row has one
 * token then (check_lengths_of_rows()). The writer copies them: of->values is used again. */
static alcore_status put_tokens(const measuring *self, int64_t items, const gathered *of, int stat,
                                alcore_column_writer *writer) {
    int64_t total = of->offsets[items];
    alcore_tensor values;
    if (!writer) return ALCORE_OK;
    gather(self, items, of, stat);
    ALCORE__TRY(alcore_tensor_init(&values, of->values, ALCORE_FLOAT32, &total, 1));
    bool ragged = alcore__column_writer_shape(writer) == ALCORE_COLUMN_RAGGED;
    return alcore_column_writer_put(writer, self->rows, ragged ? of->lengths : NULL, items,
                                    &values);
}

/* Writes the mean negative log-likelihood of each item (larger = less sure; NaN without tokens) as
 * a scalar column, if it has a writer: by the kernel that scores stored log-probabilities, so that
 * both agree to the bit. Values below -100 count as -100; how many is logged. */
static alcore_status put_nnll(const measuring *self, int64_t items, const gathered *of,
                              alcore_column_writer *writer) {
    int64_t floored = 0;
    alcore_tensor values;
    alcore__engine cpu = alcore__engine_cpu(self->ctx);
    alcore_sys_work work = alcore__engine_work(&cpu);
    if (!writer) return ALCORE_OK;
    gather(self, items, of, LOGPROB);
    ALCORE__TRY(cpu.kernels->sequence_nnll(
        &work, of->logprob, NULL /* labels: all count */, 0 /* no label is ignored */, of->offsets,
        NULL /* item i to nnll[i] */, items, of->nnll, &floored));
    if (floored > 0)
        alcore__log(self->ctx, ALCORE_LOG_WARN, "scorer", NULL,
                    "%" PRId64 " log-probabilities below -100 were counted as -100", floored);
    ALCORE__TRY(alcore_tensor_init(&values, of->nnll, ALCORE_FLOAT64, &items, 1));
    return alcore_column_writer_put(writer, self->rows, NULL /* one number a row */, items,
                                    &values);
}

/* A writer of a call: which statistic is written to it, and of which shape it may be. */
typedef struct writer_use {
    alcore_column_writer *writer; /* the caller's; NULL: not wanted */
    const char *name;             /* its member of alcore_logits_writers, for messages */
    int stat;       /* statistic of the tokens; of nnll the one that it is computed from */
    bool of_rows;   /* one number a row may be written */
    bool of_tokens; /* one number a token may be written */
    bool reduces;   /* the number of a row is computed from all of its tokens */
} writer_use;
enum { WRITERS = 5 };

/* Lists the writers of the caller's struct, with what is written to each. */
static void list_writers(const alcore_logits_writers *out, writer_use uses[WRITERS]) {
    const writer_use all[WRITERS] = {
        {out->nnll, "nnll", LOGPROB, .of_rows = true, .reduces = true},
        {out->logprobs, "logprobs", LOGPROB, .of_tokens = true},
        {out->margins, "margins", MARGIN, .of_rows = true, .of_tokens = true},
        {out->confidences, "confidences", TOP1, .of_rows = true, .of_tokens = true},
        {out->entropies, "entropies", ENTROPY, .of_rows = true, .of_tokens = true},
    };
    memcpy(uses, all, sizeof all);
}

/* Each writer must have been opened for a shape that it can be given: scalar (one number a row) or
 * ragged (one a token). uses [WRITERS]. */
static alcore_status check_writers(const writer_use *uses) {
    for (const writer_use *use = uses; use < uses + WRITERS; use++) {
        if (!use->writer) continue;
        int32_t shape = alcore__column_writer_shape(use->writer);
        if ((shape == ALCORE_COLUMN_SCALAR && use->of_rows) ||
            (shape == ALCORE_COLUMN_RAGGED && use->of_tokens))
            continue;
        return alcore__fail(ALCORE_E_SHAPE, "the writer %s is not of shape %s", use->name,
                            !use->of_tokens ? "scalar"
                            : use->of_rows  ? "ragged or scalar"
                                            : "ragged");
    }
    return ALCORE_OK;
}

/* Checks before anything is written: to a writer of shape scalar that is not for a mean over the
 * row (reduces) the number of the row's only token is written, so every row must have exactly one.
 * uses [WRITERS]. */
static alcore_status check_lengths_of_rows(const measuring *self, int64_t items, const gathered *of,
                                           const writer_use *uses) {
    for (const writer_use *use = uses; use < uses + WRITERS; use++) {
        if (!use->writer || use->reduces ||
            alcore__column_writer_shape(use->writer) != ALCORE_COLUMN_SCALAR)
            continue;
        for (int64_t i = 0; i < items; i++)
            if (of->lengths[i] != 1)
                return alcore__fail(ALCORE_E_SHAPE,
                                    "row %" PRId64 " has %" PRId64
                                    " tokens: the writer %s of shape scalar "
                                    "is for rows of one token; one of shape ragged is for all rows",
                                    self->rows[i], of->lengths[i], use->name);
    }
    return ALCORE_OK;
}

/* Measures what any of the writers needs, gathers it by item, and writes every column. Arguments
 * are checked before the first put; a put that fails leaves the columns before it written. */
static alcore_status put_all(measuring *self, int64_t items, const writer_use *uses) {
    bool wanted[STATS] = {false};
    gathered of = {0};
    for (int i = 0; i < WRITERS; i++)
        if (uses[i].writer) wanted[uses[i].stat] = true;
    ALCORE__TRY(alcore__token_rows_want_taking(self->ctx, &self->tokens));
    ALCORE__TRY(measure(self, wanted, false /* no column has the likeliest class */));
    alcore_status status = count_tokens(self, items, &of);
    if (status == ALCORE_OK) status = check_lengths_of_rows(self, items, &of, uses);
    for (int i = 0; i < WRITERS && status == ALCORE_OK; i++)
        status = uses[i].reduces ? put_nnll(self, items, &of, uses[i].writer)
                                 : put_tokens(self, items, &of, uses[i].stat, uses[i].writer);
    alcore__free(self->ctx, of.logprob);
    alcore__free(self->ctx, of.offsets);
    alcore__free(self->ctx, of.lengths);
    alcore__free(self->ctx, of.nnll);
    alcore__free(self->ctx, of.values);
    return status;
}

/* Body of alcore_logits_put(): reads the structs by their sizes, checks the arguments, measures and
 * writes. rows [count]: pool row of each item, borrowed during the call; writers check them. count:
 * the items that the logits must have. */
static alcore_status put_call(alcore_ctx *ctx, const alcore_logits *logits, const int64_t *rows,
                              int64_t count, int64_t ignore, const alcore_logits_writers *out) {
    alcore_logits ours;
    alcore_logits_writers writers;
    if (!ctx || !out) return alcore__fail(ALCORE_E_INVALID, "%s is NULL", ctx ? "out" : "ctx");
    if (count < 0 || (count > 0 && !rows))
        return alcore__fail(ALCORE_E_INVALID, "%" PRId64 " rows at %p", count, (const void *)rows);
    ALCORE__TRY(read_logits(&ours, logits));
    ALCORE__TRY(alcore__struct_read(&writers, sizeof writers,
                                    ALCORE__FIRST_SIZE(alcore_logits_writers, entropies), out,
                                    "alcore_logits_writers"));
    writer_use uses[WRITERS];
    list_writers(&writers, uses);
    ALCORE__TRY(check_writers(uses));
    measuring self = {.ctx = ctx, .rows = rows, .lengths = ours.lengths};
    ALCORE__TRY(alcore__token_rows_init(ctx, &ours, ignore, count, &self.tokens));
    alcore_status status = put_all(&self, count, uses);
    clear(&self);
    return status;
}

/* Writes the statistics that `out` has writers for to columns of a pool; item i of the logits is
 * the pool's row rows[i], rows [count]. */
alcore_status alcore_logits_put(alcore_ctx *ctx, const alcore_logits *logits, const int64_t *rows,
                                int64_t count, int64_t ignore, const alcore_logits_writers *out) {
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, put_call(ctx, logits, rows, count, ignore, out));
}
