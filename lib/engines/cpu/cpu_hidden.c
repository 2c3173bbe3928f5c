/* SPDX-License-Identifier: Apache-2.0 */
/* Token statistics from hidden states h [tokens, d] and the output matrix W [classes, d] of a
 * language model: z = h W^T + bias, then log-sum-exp, top two and entropy (cpu_stats.h), without a
 * matrix of logits in memory (cut cross-entropy, Wijmans et al. 2025).
 *
 * Tokens that take part are collected and packed into panels of float32 (states), as many as
 * PACKED_VALUES components hold: a batch. For each TILE_CLASSES classes, whose rows of W are packed
 * once a batch, and each TILE_TOKENS tokens of the batch, the products fill logits [TILE_TOKENS,
 * TILE_CLASSES], which stay in the second-level cache and are added to the running statistics of
 * each token at once. Cost: tokens x classes x d multiply-adds in float32 and one exp a logit; W is
 * read once for each batch of PACKED_VALUES / d tokens. */
#include <math.h>
#include <string.h>

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_product.h"
#include "engines/cpu/cpu_stats.h"

/* Tokens and classes of a tile of logits: multiples of PRODUCT_ROWS and of PRODUCT_COLUMNS on every
 * engine, the classes at most CPU_LOGITS (cpu_stats.h). The tile and the states of its tokens share
 * the second-level cache. */
#define TILE_TOKENS 84
#define TILE_CLASSES 384

/* Components of hidden states of a batch: the output matrix is read and packed once a batch. */
#define PACKED_VALUES (INT64_C(1) << 23)

/* One call and its memory. */
typedef struct hidden_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *hidden, *output; /* h [tokens, dims] and W [classes, dims] */
    const float *bias;                      /* [classes] added to the logits; NULL: none */
    const int64_t *labels;                  /* [tokens] class of each token; NULL: not given */
    int64_t ignore;                         /* the label of tokens that take no part */
    const alcore_sys_token_stats *out; /* the caller's arrays, [tokens] each, NULL: not wanted */
    int64_t *bad;     /* the caller's: lowest pool row of a bad token so far; -1: none. Bad: a NaN,
                         plus infinity or no finite value among the logits, or a label that is no
                         class */
    int64_t capacity; /* tokens of a batch, whole tiles */
    int64_t *token;   /* [capacity] row of hidden of each token of the batch */
    int64_t *label;   /* [capacity] its label; -1: labels are not given, -2: it is no class */
    cpu_stats *stats; /* [capacity] largest logits and sums of exp over the classes so far */
    float *states;    /* [capacity / PRODUCT_ROWS, dims, PRODUCT_ROWS] the batch, packed */
    float *classes; /* [TILE_CLASSES / PRODUCT_COLUMNS, dims, PRODUCT_COLUMNS] rows of W, packed */
    float *logits;  /* [TILE_TOKENS, TILE_CLASSES] */
    int64_t spent;  /* units of work since the last poll */
    cpu_arrays arrays; /* all of the above that are allocated */
} hidden_call;

/* Row i of a matrix; unit is not looked at, because hidden states and classes are no embeddings. */
static const char *row_at(const alcore_sys_rows *rows, int64_t i) {
    return (const char *)rows->data +
           i * rows->stride * (int64_t)alcore_sys_dtype_bytes(rows->dtype);
}

/* Packs `count` rows of a matrix into panels [count / width rounded up, dims, width] as float32:
 * the rows listed in index [count], or when that is NULL the rows first, first + 1, ... width:
 * PRODUCT_ROWS or PRODUCT_COLUMNS; the last panel is filled up with zeros. */
static void pack(const alcore_sys_rows *rows, const int64_t *index, int64_t first, int64_t count,
                 int64_t width, float *panels) {
    const char *row[PRODUCT_ROWS > PRODUCT_COLUMNS ? PRODUCT_ROWS : PRODUCT_COLUMNS];
    for (int64_t i = 0; i < count; i += width) {
        int64_t together = count - i < width ? count - i : width;
        for (int64_t r = 0; r < together; r++) {
            row[r] = row_at(rows, index ? index[i + r] : first + i + r);
        }
        CPU(pack_panel)(row, together, width, rows->dims, rows->dtype, panels + i * rows->dims);
    }
}

/* Adds the packed classes first .. first + classes - 1 (call->classes) to the statistics of
 * `tokens` tokens of the batch, from index `begin` of the batch on: their logits are products plus
 * bias, and the logit of a label among these classes is stored. A label of -1 or -2 is among none.
 * Logits of the tokens and classes that fill the last panels are not read. */
static void add_tile(hidden_call *call, int64_t begin, int64_t tokens, int64_t first,
                     int64_t classes) {
    int64_t dims = call->hidden->dims;
    CPU(products)
    (call->states + begin * dims, product_panels(tokens, PRODUCT_ROWS), call->classes,
     product_panels(classes, PRODUCT_COLUMNS), dims, call->logits, TILE_CLASSES);
    for (int64_t t = 0; t < tokens; t++) {
        float *logits = call->logits + t * TILE_CLASSES;
        int64_t label = call->label[begin + t] - first;
        if (call->bias) {
            for (int64_t c = 0; c < classes; c++) logits[c] += call->bias[first + c];
        }
        CPU(add_logits)
        (&call->stats[begin + t], (const char *)logits, classes, ALCORE_FLOAT32, first);
        if (label >= 0 && label < classes) call->stats[begin + t].label = (double)logits[label];
    }
}

/* Computes and writes the statistics of the batch, `tokens` tokens that were collected, and lowers
 * *bad to the first bad one. For a poll the work of a tile counts as dims / 8 + 8 a logit: float32
 * vectors do some 8 multiply-adds at a time, and an exp takes as long as 8. */
static alcore_status compute_batch(hidden_call *call, int64_t tokens) {
    int64_t dims = call->hidden->dims, all = call->output->count;
    alcore_status status = ALCORE_OK;
    pack(call->hidden, call->token, /*first=*/0, tokens, PRODUCT_ROWS, call->states);
    for (int64_t t = 0; t < tokens; t++) call->stats[t] = CPU_STATS_NONE;
    for (int64_t c = 0; c < all && !status; c += TILE_CLASSES) {
        int64_t classes = all - c < TILE_CLASSES ? all - c : TILE_CLASSES;
        pack(call->output, /*index=*/NULL, c, classes, PRODUCT_COLUMNS, call->classes);
        for (int64_t t = 0; t < tokens && !status; t += TILE_TOKENS) {
            int64_t together = tokens - t < TILE_TOKENS ? tokens - t : TILE_TOKENS;
            add_tile(call, t, together, c, classes);
            status =
                alcore__cpu_poll(call->work, &call->spent, together * classes * (dims / 8 + 8));
        }
    }
    for (int64_t t = 0; t < tokens && !status; t++) {
        int64_t i = call->token[t], row = call->hidden->first + i;
        if (CPU(write_stats)(&call->stats[t], call->label[t], call->out, i)) continue;
        if (*call->bad < 0 || row < *call->bad) *call->bad = row;
    }
    return status;
}

/* Allocates for a batch of as many tokens as PACKED_VALUES components hold, in whole tiles, but no
 * more than the call has. */
static alcore_status new_memory(hidden_call *call) {
    int64_t dims = call->hidden->dims, batch = PACKED_VALUES / (dims > 0 ? dims : 1);
    if (batch > call->hidden->count) batch = call->hidden->count;
    if (batch < 1) batch = 1;
    call->capacity = product_panels(batch, TILE_TOKENS) * TILE_TOKENS;
    cpu_arrays *arrays = &call->arrays;
    arrays->work = call->work;
    alcore__cpu_add(arrays, call->capacity, sizeof *call->token, &call->token);
    alcore__cpu_add(arrays, call->capacity, sizeof *call->label, &call->label);
    alcore__cpu_add(arrays, call->capacity, sizeof *call->stats, &call->stats);
    alcore__cpu_add(arrays, call->capacity, (size_t)dims * sizeof *call->states, &call->states);
    alcore__cpu_add(arrays, TILE_CLASSES, (size_t)dims * sizeof *call->classes, &call->classes);
    alcore__cpu_add(arrays, TILE_TOKENS * TILE_CLASSES, sizeof *call->logits, &call->logits);
    return arrays->status;
}

/* Collects the tokens whose label is not `ignore` (all without labels) and computes each full
 * batch, and the last one. *bad counts from hidden->first. */
alcore_status CPU(hidden_stats)(const alcore_sys_work *work, const alcore_sys_rows *hidden,
                                const alcore_sys_rows *output, const float *bias,
                                const int64_t *labels, int64_t ignore,
                                const alcore_sys_token_stats *out, int64_t *bad) {
    *bad = -1;
    alcore_status status = alcore__cpu_check(work, hidden);
    if (!status) status = alcore__cpu_check(work, output);
    if (!status) status = alcore__cpu_check_stats(work, output->count, labels, out);
    if (!status && hidden->dims != output->dims) {
        status = alcore__cpu_fail(work, ALCORE_E_SHAPE,
                                  "hidden states and output matrix have different widths");
    }
    if (status) return status;
    hidden_call call = {.work = work,
                        .hidden = hidden,
                        .output = output,
                        .bias = bias,
                        .labels = labels,
                        .ignore = ignore,
                        .out = out,
                        .bad = bad};
    status = new_memory(&call);
    int64_t tokens = 0;
    for (int64_t i = 0; i < hidden->count && !status; i++) {
        /* The label of a token that takes no part is overwritten by that of the next token. */
        if (cpu_label(labels, ignore, output->count, i, &call.label[tokens])) {
            call.token[tokens++] = i;
        }
        if (tokens == call.capacity || (tokens > 0 && i + 1 == hidden->count)) {
            status = compute_batch(&call, tokens);
            tokens = 0;
        }
    }
    alcore__cpu_release(&call.arrays);
    return status;
}
