/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a caller's logits or hidden states, [items, tokens, n] or packed [tokens, n] with any
 * strides, as the matrix of rows that a kernel reads, one row a token, with a label for each row.
 * Where strides leave rows that are no token (logits[:, :-1]) these rows get the label -1 and are
 * never read.
 *
 * Nothing is copied but labels and bias, and not these where they are on the device of the kernels:
 * token_stats of the kernel table then reads them there, and lays out the labels by row. Those on
 * a device are copied to the host for an engine without that kernel, and where logits, hidden
 * states and output matrix are on the host. */
#include "scorer/token_rows.h"

#include <inttypes.h>
#include <string.h>

#include "kernel/device_array.h"

/* Whether the CPU can read the array, which pinned host memory of CUDA allows too. */
static bool on_host(const alcore_tensor *tensor) {
    return tensor->device.type == ALCORE_DEVICE_CPU ||
           tensor->device.type == ALCORE_DEVICE_CUDA_HOST;
}

/* Checks a float array of min_dims to max_dims dimensions, on any device, and describes one row of
 * it in *out: where the numbers begin, how many a row has (columns), and their dtype. A row is what
 * the last dimension holds; its numbers must be adjacent. alcore__tensor_view() accepts host memory
 * and at most two dimensions only, so it is given the first row as a host array [1, columns], or
 * [0, columns] of an array without rows; it checks the dtype, that numbers are adjacent, and that
 * the data is there and aligned, and adds byte_offset. No number is read. Strides between rows are
 * not looked at: lay_out() checks those of tokens, init() those of the output matrix. */
static alcore_status view_first_row(const alcore_tensor *tensor, const char *name, int32_t min_dims,
                                    int32_t max_dims, alcore__array *out) {
    if (tensor->ndim < min_dims || tensor->ndim > max_dims || !tensor->shape)
        return min_dims == max_dims
                   ? alcore__fail(ALCORE_E_SHAPE, "%s has %d dimensions, not %d", name,
                                  tensor->ndim, min_dims)
                   : alcore__fail(ALCORE_E_SHAPE, "%s has %d dimensions, not %d or %d", name,
                                  tensor->ndim, min_dims, max_dims);
    for (int32_t i = 0; i < tensor->ndim; i++)
        if (tensor->shape[i] < 0)
            return alcore__fail(ALCORE_E_SHAPE, "%s: dimension %d is negative", name, i);
    const int32_t last = tensor->ndim - 1;
    int64_t shape[2] = {1, tensor->shape[last]};
    int64_t strides[2] = {shape[1], tensor->strides ? tensor->strides[last] : 1};
    for (int32_t i = 0; i < last; i++)
        if (__builtin_mul_overflow(shape[0], tensor->shape[i], &shape[0]))
            return alcore__fail(ALCORE_E_SHAPE, "%s: the shape overflows", name);
    if (shape[0] > 0) shape[0] = 1;
    alcore_tensor one = *tensor;
    one.device.type = ALCORE_DEVICE_CPU;
    one.ndim = 2;
    one.shape = shape;
    one.strides = strides;
    ALCORE__TRY(alcore__tensor_view(&one, name, out));
    if (!alcore__dtype_is_float(out->dtype))
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: the dtype is %s; expected float16, bfloat16, float32 or float64",
                            name, alcore__dtype_name(out->dtype));
    return ALCORE_OK;
}

/* The error for an array whose last number no 64-bit address reaches. */
static alcore_status fail_span(const char *name) {
    return alcore__fail(ALCORE_E_SHAPE,
                        "%s: the shape and the strides span more bytes than can be addressed",
                        name);
}

/* Adds steps * stride to *sum; false where that needs more than 64 bits. */
static bool add_steps(int64_t steps, int64_t stride, int64_t *sum) {
    int64_t product;
    return !__builtin_mul_overflow(steps, stride, &product) &&
           !__builtin_add_overflow(*sum, product, sum);
}

/* Whether `count` rows of `width` numbers of `bytes` bytes, `stride` numbers apart, end within 2^63
 * bytes, so that no byte offset of a kernel overflows. count: 1 or more. */
static bool is_addressable(int64_t count, int64_t stride, int64_t width, size_t bytes) {
    int64_t end = width, end_bytes;
    return add_steps(count - 1, stride, &end) &&
           !__builtin_mul_overflow(end, (int64_t)bytes, &end_bytes);
}

/* Finds the matrix of rows that has all tokens of `data` [items, tokens, width] or [tokens, width]:
 * its stride is the smaller of both strides (in numbers, not bytes), of which the larger one must
 * be a multiple, so that item i, token t is row i item_step + t token_step. Tokens may not overlap.
 * An array without tokens has no rows and steps of 0. `one`: its first row, by view_first_row().
 * inner and outer are the smaller and the larger stride, inside is the number of entries along the
 * inner one, and step how many rows the outer one spans, inside or more. The stride along a
 * dimension of length 1 means nothing and is replaced; with width 0 no stride is checked. */
static alcore_status lay_out(const alcore_tensor *data, const char *name, const alcore__array *one,
                             alcore__token_rows *out) {
    const int32_t token = data->ndim - 2;
    const int64_t width = one->columns;
    out->packed = data->ndim == 2;
    out->items = out->packed ? 1 : data->shape[0];
    out->tokens = data->shape[token];
    int64_t token_stride = data->strides ? data->strides[token] : width;
    int64_t item_stride = !out->packed && data->strides ? data->strides[0] : 0, last = 0;
    out->rows =
        (alcore_sys_rows){.data = one->data, .dims = width, .stride = width, .dtype = one->dtype};
    if (out->items == 0 || out->tokens == 0) return ALCORE_OK;
    if (!out->packed && !data->strides && !add_steps(out->tokens, width, &item_stride))
        return fail_span(name);
    if (out->tokens == 1) token_stride = out->items == 1 ? width : item_stride;
    if (out->items == 1) item_stride = 0;
    if (out->items == 1 && !add_steps(out->tokens, token_stride, &item_stride))
        return fail_span(name);
    const bool items_outside = out->tokens == 1 || item_stride >= token_stride;
    const int64_t inner = items_outside ? token_stride : item_stride;
    const int64_t outer = items_outside ? item_stride : token_stride;
    const int64_t inside = items_outside ? out->tokens : out->items;
    if (width > 0 &&
        (inner < width || outer % inner != 0 || outer / inner < (inside > 1 ? inside : 1)))
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: rows of %" PRId64 " values, %" PRId64
                            " apart between items and %" PRId64
                            " between tokens, overlap or are not evenly spaced; make it contiguous",
                            name, width, item_stride, token_stride);
    const int64_t step = width > 0 ? outer / inner : inside;
    out->item_step = items_outside ? step : 1;
    out->token_step = items_outside ? 1 : step;
    if (out->tokens == 1) out->item_step = out->token_step = 1;
    if (!add_steps(out->items - 1, out->item_step, &last) ||
        !add_steps(out->tokens - 1, out->token_step, &last) || last == INT64_MAX ||
        !is_addressable(last + 1, inner, width, alcore_sys_dtype_bytes(one->dtype)))
        return fail_span(name);
    out->rows.stride = inner;
    out->rows.count = last + 1;
    return ALCORE_OK;
}

/* The caller's array of labels, read in place. */
typedef struct label_view {
    const char *data;                  /* the first label; NULL: the caller gave no labels */
    int64_t item_stride, token_stride; /* bytes */
    bool wide;                         /* true: int64, false: int32 */
    void *copy;                        /* owned: of labels that are on a device; or NULL */
} label_view;

/* Whether the engine has the entry token_stats, which reads labels and bias on its device. The
 * table of an older module may lack it. */
static bool reads_there(const alcore__token_rows *tokens) {
    return tokens->engine.kernels->device != ALCORE_DEVICE_CPU &&
           tokens->engine.kernels->token_stats;
}

/* Whether token_stats arranges the labels of the call by row: labels that are on a device, which
 * find_engine() has made the engine's, and those that the caller left out. */
static bool reads_labels_there(const alcore__token_rows *tokens, const alcore_logits *logits) {
    return reads_there(tokens) && (!logits->labels || !on_host(logits->labels));
}

/* Copies labels that are on a device, ready in the order of the stream, to the host; their shape
 * was checked. The labels of an item are adjacent. */
static alcore_status copy_labels(alcore_ctx *ctx, const alcore_tensor *labels, void *stream,
                                 label_view *view) {
    alcore__array array;
    ALCORE__TRY(alcore__tensor_view_any(labels, "labels", &array));
    ALCORE__TRY(alcore__device_array_fetch(ctx, &array, stream, "labels", &view->copy));
    view->data = view->copy;
    view->token_stride = view->wide ? 8 : 4;
    view->item_stride = view->token_stride * array.columns;
    return ALCORE_OK;
}

/* Checks the labels, one for each token: [tokens] packed or [items, tokens], int64 or int32, any
 * strides on the host, and describes them in *out, with strides in bytes; view->copy, where they
 * had to be copied from a device, is freed by the caller. The last label must lie where an address
 * can be, whatever the strides; on a device it must be aligned, as kernels read it there. */
static alcore_status view_labels(alcore_ctx *ctx, const alcore_logits *logits,
                                 const alcore__token_rows *tokens, label_view *out) {
    const alcore_tensor *labels = logits->labels;
    const int32_t ndim = tokens->packed ? 1 : 2;
    out->wide = labels->dtype.bits == 64;
    const int64_t bytes = out->wide ? 8 : 4;
    const bool there = !on_host(labels);
    if (labels->dtype.code != ALCORE_KIND_INT || labels->dtype.lanes != 1 ||
        (labels->dtype.bits != 64 && labels->dtype.bits != 32))
        return alcore__fail(ALCORE_E_SHAPE, "labels: int64 or int32 numbers are expected");
    if (labels->ndim != ndim || !labels->shape || labels->shape[ndim - 1] != tokens->tokens ||
        (ndim == 2 && labels->shape[0] != tokens->items))
        return alcore__fail(ALCORE_E_SHAPE,
                            "labels: one for each token is expected, for %" PRId64
                            " items of %" PRId64 " tokens",
                            tokens->items, tokens->tokens);
    if (!labels->data && tokens->rows.count > 0)
        return alcore__fail(ALCORE_E_INVALID, "labels: the data is NULL");
    if (there && !reads_labels_there(tokens, logits))
        return copy_labels(ctx, labels, logits->stream, out);
    out->data = labels->data ? (const char *)labels->data + labels->byte_offset : NULL;
    out->token_stride = labels->strides ? labels->strides[ndim - 1] : 1;
    out->item_stride = ndim == 2 && labels->strides ? labels->strides[0] : tokens->tokens;
    /* The stride along a dimension of length 1 means nothing. */
    if (tokens->tokens <= 1) out->token_stride = 0;
    if (tokens->items <= 1) out->item_stride = 0;
    int64_t end = 0; /* a byte offset behind the last label */
    if (__builtin_mul_overflow(bytes, out->token_stride, &out->token_stride) ||
        __builtin_mul_overflow(bytes, out->item_stride, &out->item_stride) ||
        !add_steps(tokens->items, out->item_stride, &end) ||
        !add_steps(tokens->tokens, out->token_stride, &end))
        return fail_span("labels");
    if (there && (uintptr_t)out->data % (uintptr_t)bytes != 0)
        return alcore__fail(ALCORE_E_INVALID, "labels: the data is not aligned for %s",
                            out->wide ? "int64" : "int32");
    return ALCORE_OK;
}

/* The label of a token of an item, by the strides of the caller's array, which may be unaligned. */
static int64_t label_at(const label_view *view, int64_t item, int64_t token) {
    const char *at = view->data + item * view->item_stride + token * view->token_stride;
    int64_t wide;
    int32_t narrow;
    if (view->wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
}

/* Checks the lengths (tokens of each item) against the shape of the logits: packed tokens are
 * divided among the items, and lengths must sum to all of them; padded items have at most `tokens`
 * each. items: the number of items that the caller expects; -1: not known, as many as the arrays
 * have. */
static alcore_status check_lengths(const alcore__token_rows *tokens, const alcore_logits *logits,
                                   int64_t items) {
    const int64_t *lengths = logits->lengths;
    int64_t sum = 0, expected = tokens->packed ? items : tokens->items;
    if (!tokens->packed && items >= 0 && items != tokens->items)
        return alcore__fail(ALCORE_E_SHAPE, "%" PRId64 " rows for %" PRId64 " items", items,
                            tokens->items);
    if (!lengths) {
        if (logits->length_count != 0)
            return alcore__fail(ALCORE_E_INVALID, "lengths is NULL, length_count is %" PRId64,
                                logits->length_count);
        if (tokens->packed && items > 1)
            return alcore__fail(ALCORE_E_INVALID,
                                "the tokens of %" PRId64 " items are given without lengths", items);
        return ALCORE_OK;
    }
    if (expected < 0) expected = logits->length_count; /* packed tokens, by token */
    if (logits->length_count != expected)
        return alcore__fail(ALCORE_E_SHAPE, "%" PRId64 " lengths for %" PRId64 " items",
                            logits->length_count, expected);
    for (int64_t i = 0; i < expected; i++) {
        if (lengths[i] < 0 || lengths[i] > tokens->tokens - (tokens->packed ? sum : 0))
            return alcore__fail(ALCORE_E_SHAPE,
                                "item %" PRId64 " has length %" PRId64 ", more than there are "
                                "tokens, or a negative one",
                                i, lengths[i]);
        sum += lengths[i];
    }
    if (tokens->packed && sum != tokens->tokens)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the lengths are of %" PRId64 " tokens in all; there are %" PRId64, sum,
                            tokens->tokens);
    return ALCORE_OK;
}

/* The error for a label outside the classes, by the item and the token in it. */
static alcore_status fail_label(const alcore__token_rows *tokens, int64_t item, int64_t token,
                                int64_t label) {
    return alcore__fail(ALCORE_E_DATA,
                        "item %" PRId64 ", token %" PRId64 ": label %" PRId64 " is none of %" PRId64
                        " classes",
                        item, token, label, tokens->classes);
}

/* Fills out->labels, by row of the kernel's matrix: the label of the token by *view; -1 where the
 * token is padding or has the label `ignore`; 0 where the caller gave no labels (view->data is
 * NULL). */
static alcore_status spread_labels(alcore_ctx *ctx, const alcore_logits *logits, int64_t ignore,
                                   const label_view *view, alcore__token_rows *out) {
    out->labeled = logits->labels != NULL;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)out->rows.count, sizeof *out->labels, &out->labels));
    for (int64_t i = 0; i < out->rows.count; i++) out->labels[i] = -1;
    for (int64_t item = 0; item < out->items && out->tokens > 0; item++) {
        int64_t length = logits->lengths && !out->packed ? logits->lengths[item] : out->tokens;
        for (int64_t token = 0; token < length; token++) {
            int64_t label = view->data ? label_at(view, item, token) : 0;
            if (view->data && label == ignore) continue;
            if (view->data && (label < 0 || label >= out->classes))
                return fail_label(out, item, token, label);
            out->labels[item * out->item_step + token * out->token_step] = label;
        }
        ALCORE__TRY(alcore__tick(ctx, "labels", item, out->items));
    }
    return ALCORE_OK;
}

/* Describes the labels of the caller, by *view, for the kernel token_stats, which lays them out by
 * row itself. The strides of a view are in bytes, those of the kernel in labels; packed tokens are
 * one item, whose lengths the kernel need not know. */
static void place_labels(const alcore_logits *logits, int64_t ignore, const label_view *view,
                         alcore__token_rows *out) {
    const int64_t bytes = view->wide ? 8 : 4;
    out->labeled = logits->labels != NULL;
    out->placed = true;
    out->placed_labels = (alcore_sys_labels){.data = view->data,
                                             .lengths = out->packed ? NULL : logits->lengths,
                                             .items = out->items,
                                             .tokens = out->tokens,
                                             .item_stride = view->item_stride / bytes,
                                             .token_stride = view->token_stride / bytes,
                                             .item_step = out->item_step,
                                             .token_step = out->token_step,
                                             .ignore = ignore,
                                             .dtype = view->wide ? ALCORE_INT64 : ALCORE_INT32};
}

/* Reads the labels of a call, wherever they are, into out->labels, or describes them where the
 * engine lays them out. */
static alcore_status read_labels(alcore_ctx *ctx, const alcore_logits *logits, int64_t ignore,
                                 alcore__token_rows *out) {
    label_view view = {0};
    alcore_status status = ALCORE_OK;
    if (logits->labels) ALCORE__TRY(view_labels(ctx, logits, out, &view));
    if (reads_labels_there(out, logits))
        place_labels(logits, ignore, &view, out);
    else
        status = spread_labels(ctx, logits, ignore, &view, out);
    alcore__free(ctx, view.copy);
    return status;
}

/* Where only one of labels and bias is on the device, token_stats is given the other one from host
 * memory. Labels that are arranged by row already are described as one item that has all rows; none
 * of them is reported as bad, as spread_labels() has refused those that are no class. */
static void place_rest(alcore__token_rows *out) {
    if (!out->placed && !out->placed_bias.data) return;
    out->placed = true;
    if (out->labels)
        out->placed_labels = (alcore_sys_labels){.data = out->labels,
                                                 .items = 1,
                                                 .tokens = out->rows.count,
                                                 .token_stride = 1,
                                                 .token_step = 1,
                                                 .ignore = -1,
                                                 .dtype = ALCORE_INT64};
    if (out->bias)
        out->placed_bias = (alcore_sys_rows){.data = out->bias,
                                             .count = out->classes,
                                             .dims = 1,
                                             .stride = 1,
                                             .dtype = ALCORE_FLOAT32};
}

alcore_status alcore__token_rows_want_taking(alcore_ctx *ctx, alcore__token_rows *tokens) {
    if (tokens->labels || tokens->taking) return ALCORE_OK;
    return alcore__new_array(ctx, (size_t)tokens->rows.count, sizeof *tokens->taking,
                             &tokens->taking);
}

/* The label itself is copied to the host, for the message. */
alcore_status alcore__token_rows_fail_label(const alcore__token_rows *tokens, int64_t bad_label) {
    const alcore_sys_labels *labels = &tokens->placed_labels;
    const int64_t item = bad_label / labels->tokens, token = bad_label % labels->tokens;
    const int64_t at = item * labels->item_stride + token * labels->token_stride;
    const bool wide = labels->dtype == ALCORE_INT64;
    const alcore_sys_rows one = {.data = (const char *)labels->data + at * (wide ? 8 : 4),
                                 .count = 1,
                                 .dims = 1,
                                 .stride = 1,
                                 .dtype = labels->dtype};
    int64_t label;
    int32_t narrow;
    ALCORE__TRY(
        alcore__device_rows_copy(&tokens->engine, &one, wide ? (void *)&label : (void *)&narrow));
    return fail_label(tokens, item, token, wide ? label : narrow);
}

/* The bias has a number of a float type for each class. */
static alcore_status check_bias(const alcore__array *bias, int64_t classes) {
    if (bias->columns == 1 && bias->rows == classes && alcore__dtype_is_float(bias->dtype))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_SHAPE, "bias: a float array [%" PRId64 "] is expected", classes);
}

/* Reads bias [classes] of any float type as float32: out->bias, owned by *out. out->classes is set.
 * copy: of a bias that is on a device, in host memory; NULL: it is on the host. */
static alcore_status widen_bias(alcore_ctx *ctx, const alcore__array *given, const void *copy,
                                alcore__token_rows *out) {
    alcore__array view = *given;
    double *wide = NULL;
    if (copy) view.stride = view.columns;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)view.rows, sizeof *out->bias, &out->bias));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)view.rows, sizeof *wide, &wide));
    alcore__engine cpu = alcore__engine_cpu(ctx);
    alcore_sys_work work = alcore__engine_work(&cpu);
    alcore_sys_rows rows = {.data = copy ? copy : view.data,
                            .count = view.rows,
                            .dims = 1,
                            .stride = view.stride,
                            .dtype = view.dtype};
    alcore_status status = cpu.kernels->widen(&work, &rows, NULL /* all rows */, wide);
    for (int64_t c = 0; c < view.rows && status == ALCORE_OK; c++) out->bias[c] = (float)wide[c];
    alcore__free(ctx, wide);
    return status;
}

/* The same for the bias of a call, wherever it is; one on the device of an engine that reads it
 * there is described only, in out->placed_bias. */
static alcore_status read_bias(alcore_ctx *ctx, const alcore_logits *logits,
                               alcore__token_rows *out) {
    alcore__array view;
    void *copy = NULL;
    ALCORE__TRY(alcore__tensor_view_any(logits->bias, "bias", &view));
    ALCORE__TRY(check_bias(&view, out->classes));
    if (view.on_device && reads_there(out)) {
        out->placed_bias = (alcore_sys_rows){.data = view.data,
                                             .count = view.rows,
                                             .dims = 1,
                                             .stride = view.stride,
                                             .dtype = view.dtype};
        return ALCORE_OK;
    }
    if (view.on_device)
        ALCORE__TRY(alcore__device_array_fetch(ctx, &view, logits->stream, "bias", &copy));
    alcore_status status = widen_bias(ctx, &view, copy, out);
    alcore__free(ctx, copy);
    return status;
}

/* *out: the engine of the device that logits, hidden states or output matrix are on, in the
 * caller's stream; the CPU's when they are on the host. Arrays on the host may be used together
 * with those of one device. Labels and bias choose no engine, as they are small, but they are ready
 * in the same stream, which belongs to one device. */
static alcore_status find_engine(alcore_ctx *ctx, const alcore_logits *logits,
                                 alcore__engine *out) {
    const struct {
        const alcore_tensor *tensor;
        const char *name;
    } all[] = {{logits->logits, "logits"},
               {logits->hidden, "hidden"},
               {logits->output, "output"},
               {logits->labels, "labels"},
               {logits->bias, "bias"}};
    const size_t of_kernels = 3; /* the first three of them */
    bool computes = false;       /* one of these is on a device */
    alcore__placement placement = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const alcore_tensor *tensor = all[i].tensor;
        if (!tensor || on_host(tensor)) continue;
        if (tensor->device.type != ALCORE_DEVICE_CUDA &&
            tensor->device.type != ALCORE_DEVICE_CUDA_MANAGED)
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "%s is on a device of type %d, neither host memory nor CUDA's; "
                                "give a copy in host memory (.cpu() in PyTorch)",
                                all[i].name, tensor->device.type);
        ALCORE__TRY(alcore__placement_add(&placement, tensor->device.id, all[i].name));
        computes = computes || i < of_kernels;
    }
    if (computes) return alcore__engine_open_cuda(ctx, placement.device, logits->stream, out);
    *out = alcore__engine_cpu(ctx);
    return ALCORE_OK;
}

/* Reads all arrays of a call into *out, which is zeroed, and checks that their shapes and devices
 * agree. The caller's arrays are borrowed. Tokens whose label is `ignore` take no part. items: the
 * number of items that the caller expects; -1: not known. labels and bias that were made before a
 * failure are freed by the caller. */
static alcore_status init(alcore_ctx *ctx, const alcore_logits *logits, int64_t ignore,
                          int64_t items, alcore__token_rows *out) {
    alcore__array one, output = {0}; /* the first row of the tokens, and of the output matrix */
    const alcore_tensor *data = logits->logits ? logits->logits : logits->hidden;
    const char *name = logits->logits ? "logits" : "hidden";
    if ((logits->logits != NULL) == (logits->hidden != NULL))
        return alcore__fail(ALCORE_E_INVALID, "logits or hidden states are expected, one of them");
    if ((logits->hidden != NULL) != (logits->output != NULL) || (logits->bias && !logits->hidden))
        return alcore__fail(ALCORE_E_INVALID,
                            "hidden states come with an output matrix, logits without it");
    ALCORE__TRY(find_engine(ctx, logits, &out->engine));
    ALCORE__TRY(view_first_row(data, name, 2 /* packed */, 3 /* by item */, &one));
    ALCORE__TRY(lay_out(data, name, &one, out));
    out->hidden = logits->hidden != NULL;
    out->classes = one.columns;
    if (logits->output) {
        const alcore_tensor *matrix = logits->output;
        ALCORE__TRY(view_first_row(matrix, "output", 2, 2 /* a matrix */, &output));
        out->classes = matrix->shape[0];
        out->output = (alcore_sys_rows){
            .data = output.data,
            .count = out->classes,
            .dims = output.columns,
            .stride = matrix->strides && out->classes > 1 ? matrix->strides[0] : output.columns,
            .dtype = output.dtype};
        if (output.columns != one.columns || out->output.stride < output.columns)
            return alcore__fail(ALCORE_E_SHAPE,
                                "output: [classes, %" PRId64 "] is expected, rows not overlapping",
                                one.columns);
        if (out->classes > 0 && !is_addressable(out->classes, out->output.stride, output.columns,
                                                alcore_sys_dtype_bytes(output.dtype)))
            return fail_span("output");
        if (logits->bias) ALCORE__TRY(read_bias(ctx, logits, out));
    }
    ALCORE__TRY(check_lengths(out, logits, items));
    ALCORE__TRY(read_labels(ctx, logits, ignore, out));
    place_rest(out);
    return ALCORE_OK;
}

/* Fills in *out from the arrays of a call (init() says how), or frees what was made and returns why
 * they do not fit. The caller frees *out by alcore__token_rows_clear(). */
alcore_status alcore__token_rows_init(alcore_ctx *ctx, const alcore_logits *logits, int64_t ignore,
                                      int64_t items, alcore__token_rows *out) {
    memset(out, 0, sizeof *out);
    alcore_status status = init(ctx, logits, ignore, items, out);
    if (status != ALCORE_OK) alcore__token_rows_clear(ctx, out);
    return status;
}

/* Finds the item and token, from 0, of row kernel_row of the kernel's matrix, for messages: it is
 * item_step x item + token_step x token, where the smaller step is 1 and the larger one spans all
 * of the other index. A packed array is one item, so that *item is 0 and *token counts through all
 * tokens. */
void alcore__token_rows_locate(const alcore__token_rows *tokens, int64_t kernel_row, int64_t *item,
                               int64_t *token) {
    if (tokens->tokens == 1) {
        *item = kernel_row;
        *token = 0;
    } else if (tokens->item_step >= tokens->token_step) {
        *item = kernel_row / tokens->item_step;
        *token = kernel_row % tokens->item_step;
    } else {
        *item = kernel_row % tokens->token_step;
        *token = kernel_row / tokens->token_step;
    }
}

/* Frees labels, taking and bias; the other arrays are the caller's. */
void alcore__token_rows_clear(alcore_ctx *ctx, alcore__token_rows *tokens) {
    alcore__free(ctx, tokens->bias);
    alcore__free(ctx, tokens->labels);
    alcore__free(ctx, tokens->taking);
    tokens->bias = NULL;
    tokens->labels = NULL;
    tokens->taking = NULL;
}
