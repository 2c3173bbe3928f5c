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
 * parallel. Memory: 8 bytes a token for each statistic that is wanted. */
#include "alcore/logits.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/tensor_view.h"
#include "kernel/device_result.h"
#include "scorer/token_columns.h"
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

/* Body of alcore_logits_measure(): reads both structs of a call by their sizes and measures into
 * the caller's arrays. */
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
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, measure_call(ctx, logits, ignore, out));
}

/* ---- columns ---- */

/* Number of tokens of one of the caller's items that kernel rows exist for, including those that
 * labels leave out. Padded items have all `tokens` of the array, of which padding has label -1. */
static int64_t length_of(const measuring *self, int64_t item) {
    return self->tokens.packed && self->lengths ? self->lengths[item] : self->tokens.tokens;
}

/* Counts the tokens of each item that take part. `begin` is the kernel row of an item's first
 * token. */
static void count_tokens(const measuring *self, const alcore__token_items *out) {
    const alcore__token_rows *tokens = &self->tokens;
    int64_t begin = 0;
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t length = length_of(self, i);
        for (int64_t t = 0; t < length; t++) {
            const int64_t kernel_row = begin + t * tokens->token_step;
            out->lengths[i] += alcore__token_rows_takes_part(tokens, kernel_row);
        }
        begin += tokens->packed ? length : tokens->item_step;
        out->offsets[i + 1] = out->offsets[i] + out->lengths[i];
    }
}

/* The statistic of kernel rows that each one of a column is made from. */
static const int stat_of[ALCORE__TOKEN_STATISTICS] = {[ALCORE__TOKEN_LOGPROB] = LOGPROB,
                                                      [ALCORE__TOKEN_MARGIN] = MARGIN,
                                                      [ALCORE__TOKEN_CONFIDENCE] = TOP1,
                                                      [ALCORE__TOKEN_ENTROPY] = ENTROPY};

/* What a call puts: the source of alcore__token_items. */
typedef struct putting {
    measuring *self;
    alcore__token_items items;
} putting;

/* alcore__token_items.gather. A confidence is the probability of the likeliest class, not its
 * logarithm. */
static void gather(const void *source, alcore__token_statistic what, double *out) {
    const putting *put = source;
    const alcore__token_rows *tokens = &put->self->tokens;
    const double *values = put->self->stat[stat_of[what]]; /* [kernel rows] */
    int64_t begin = 0;
    for (int64_t i = 0; i < put->items.count; i++) {
        const int64_t length = length_of(put->self, i);
        for (int64_t t = 0; t < length; t++) {
            const int64_t kernel_row = begin + t * tokens->token_step;
            if (!alcore__token_rows_takes_part(tokens, kernel_row)) continue;
            *out++ =
                what == ALCORE__TOKEN_CONFIDENCE ? exp(values[kernel_row]) : values[kernel_row];
        }
        begin += tokens->packed ? length : tokens->item_step;
    }
}

/* Body of alcore_logits_put() behind its checks: measures what any of the writers needs, once for
 * all of them, counts the tokens of each item that take part, and puts every column, for which
 * gather() lays the statistics out by item. Which tokens take part is asked of the kernel where
 * labels are on the device. */
static alcore_status put_all(measuring *self, int64_t items, const alcore_logits_writers *writers) {
    bool of_columns[ALCORE__TOKEN_STATISTICS], wanted[STATS] = {false};
    putting put = {.self = self};
    put.items = (alcore__token_items){
        .ctx = self->ctx, .rows = self->rows, .count = items, .gather = gather, .source = &put};
    alcore__token_writers_want(writers, of_columns);
    for (int i = 0; i < ALCORE__TOKEN_STATISTICS; i++)
        if (of_columns[i]) wanted[stat_of[i]] = true;
    ALCORE__TRY(alcore__token_rows_want_taking(self->ctx, &self->tokens));
    ALCORE__TRY(measure(self, wanted, false /* no column has the likeliest class */));
    alcore_status status = alcore__token_items_init(&put.items);
    if (status == ALCORE_OK) {
        count_tokens(self, &put.items);
        status = alcore__token_columns_put(&put.items, writers);
    }
    alcore__token_items_clear(&put.items);
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
    ALCORE__TRY(alcore__token_writers_read(out, &writers));
    measuring self = {.ctx = ctx, .rows = rows, .lengths = ours.lengths};
    ALCORE__TRY(alcore__token_rows_init(ctx, &ours, ignore, count, &self.tokens));
    alcore_status status = put_all(&self, count, &writers);
    clear(&self);
    return status;
}

/* Writes the statistics that `out` has writers for to columns of a pool; item i of the logits is
 * the pool's row rows[i], rows [count]. */
alcore_status alcore_logits_put(alcore_ctx *ctx, const alcore_logits *logits, const int64_t *rows,
                                int64_t count, int64_t ignore, const alcore_logits_writers *out) {
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, put_call(ctx, logits, rows, count, ignore, out));
}
