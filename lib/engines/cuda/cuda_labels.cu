/* SPDX-License-Identifier: Apache-2.0 */
/* token_stats of the kernel table: the statistics of logit_stats and hidden_stats with labels and
 * bias as a caller has them, which are read on the device. One kernel lays out the labels by row,
 * for the kernels of statistics; another one converts a bias that is not float32. A byte a token
 * comes to the host, and only where the host has to know which tokens take part: for outputs in
 * host memory, and for hidden states, whose tiles the host cuts. Cost: reading the labels once and
 * writing 9 bytes a row, which are allocated until the call ends.
 *
 * Of cuda_call.cuh: a call has its memory, stream and errors, which are exceptions that guarded()
 * turns into the returned status. Of cuda_stats.cuh: measure_logits() and measure_hidden() do the
 * work; new_bad_row() and report_bad_row() tell the caller the lowest bad row. */
#include "cuda_entries.h"
#include "cuda_product.cuh"
#include "cuda_stats.cuh"

namespace alcore_cuda {

namespace {
/* The label of rows that take no part. */
const int64_t LEFT_OUT = -1;

/* Thread n has token n % tokens of item n / tokens and writes the label of its row, of labels
 * [rows], and 1 to its byte of taking [rows]; rows that take no part keep what is there, LEFT_OUT
 * and 0. lengths: on the device, or NULL. *bad is lowered to n where the label is none of the
 * classes. Label: int32_t or int64_t. */
template <class Label>
static __global__ void __launch_bounds__(CUDA_THREADS)
    label_rows_kernel(alcore_sys_labels given, int64_t classes, int64_t *labels, uint8_t *taking,
                      long long *bad) {
    int64_t n = thread_index();
    if (n >= given.items * given.tokens) return;
    int64_t i = n / given.tokens, t = n % given.tokens, label = 0;
    if (given.lengths && t >= given.lengths[i]) return;
    if (given.data) {
        label = ((const Label *)given.data)[i * given.item_stride + t * given.token_stride];
        if (label == given.ignore) return;
        if (label < 0 || label >= classes) lower_row(bad, n);
    }
    labels[i * given.item_step + t * given.token_step] = label;
    taking[i * given.item_step + t * given.token_step] = 1;
}

/* Labels by row, on the device until the call ends. */
struct row_labels {
    int64_t *labels; /* [rows] LEFT_OUT: the row takes no part */
    uint8_t *taking; /* [rows] 0: likewise, else 1 */
    long long *bad;  /* lowest number i * tokens + t of a label that is no class; -1: none */
};

/* Throws for labels that no kernel can read: a shape or a type that does not exist, rows beyond the
 * matrix, host memory with gaps. */
void check_labels(call &c, const alcore_sys_labels *given, int64_t rows) {
    c.check_count(given->items);
    c.check_count(given->tokens);
    const size_t bytes = alcore_sys_dtype_bytes(given->dtype);
    if (given->dtype != ALCORE_INT32 && given->dtype != ALCORE_INT64)
        fail(c.work, ALCORE_E_SHAPE, "labels are int32 or int64 numbers");
    if (given->items == 0 || given->tokens == 0) return;
    if (given->item_step < 0 || given->token_step < 0 ||
        (given->items - 1) * given->item_step + (given->tokens - 1) * given->token_step >= rows)
        fail(c.work, ALCORE_E_INVALID, "labels of rows that a kernel was not given");
    bool adjacent = (given->tokens == 1 || given->token_stride == 1) &&
                    (given->items == 1 || given->item_stride == given->tokens);
    if (given->data && !c.in_place(given->data, bytes) && !adjacent)
        fail(c.work, ALCORE_E_INVALID, "labels are in host memory and not adjacent");
}

/* Lays out the labels of a call, which check_labels() has seen, by row, [rows]: memory of the call,
 * filled by one kernel that is queued, not waited for. Rows without a token keep LEFT_OUT and 0.
 * bad: the caller's. */
row_labels label_rows(call &c, const alcore_sys_labels *given, int64_t rows, int64_t classes,
                      int64_t *bad) {
    const int64_t tokens = given->items * given->tokens;
    alcore_sys_labels there = *given;
    row_labels made = {c.allocate_array<int64_t>(rows), c.allocate_array<uint8_t>(rows),
                       new_bad_row(c, bad)};
    c.check(cudaMemsetAsync(made.labels, 0xff /* each becomes LEFT_OUT */,
                            (size_t)rows * sizeof *made.labels, c.compute),
            "clearing memory");
    c.check(cudaMemsetAsync(made.taking, 0, (size_t)rows, c.compute), "clearing memory");
    if (tokens == 0) return made;
    there.lengths = c.to_device(given->lengths, given->items);
    auto launch = [&](const auto *data) {
        typedef std::remove_const_t<std::remove_pointer_t<decltype(data)>> label;
        there.data = c.to_device(data, tokens);
        CUDA_LAUNCH(label_rows_kernel<label>, blocks_for(tokens, CUDA_THREADS), CUDA_THREADS,
                    c.compute, there, classes, made.labels, made.taking, made.bad);
    };
    if (given->dtype == ALCORE_INT32)
        launch((const int32_t *)given->data);
    else
        launch((const int64_t *)given->data);
    c.launched();
    return made;
}

/* The bias [classes] as float32 on the device: in place, or a copy until the call ends; NULL for
 * NULL. */
const float *float_bias(call &c, const alcore_sys_rows *bias, int64_t classes) {
    if (!bias) return nullptr;
    c.check_rows(bias);
    if (bias->count != classes || bias->dims != 1)
        fail(c.work, ALCORE_E_SHAPE, "the bias is not of one number a class");
    bool plain = bias->dtype == ALCORE_FLOAT32 && (bias->stride == 1 || classes <= 1);
    if (plain) return c.to_device((const float *)bias->data, classes);
    if (!c.in_place(bias->data, alcore_sys_dtype_bytes(bias->dtype)))
        fail(c.work, ALCORE_E_INVALID, "a bias in host memory is float32 without gaps");
    float *made = c.allocate_array<float>(classes);
    gather_rows(c, {bias->data, classes, bias->stride, bias->dtype}, nullptr /* all rows */,
                classes, 1, ALCORE_FLOAT32, made, 1);
    return made;
}
} // namespace

/* Kernel table: logit_stats (output NULL) or hidden_stats with labels and bias where they are. A
 * label that is no class makes its row bad, but is reported in *bad_label. */
alcore_status token_stats(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const alcore_sys_rows *output, const alcore_sys_rows *bias,
                          const alcore_sys_labels *labels, const alcore_sys_token_stats *out,
                          uint8_t *taking, int64_t *bad_label, int64_t *bad) {
    return guarded(work, [&](call &c) {
        if (!labels) fail(work, ALCORE_E_INVALID, "a kernel was called without labels");
        if (output)
            check_hidden(c, rows, output, &labels->ignore /* there are labels */, out);
        else
            c.check_rows(rows);
        const int64_t classes = output ? output->count : rows->dims;
        c.check_stats(classes, &labels->ignore, out);
        check_labels(c, labels, rows->count);
        const float *device_bias = output ? float_bias(c, bias, classes) : nullptr;
        row_labels laid_out = label_rows(c, labels, rows->count, classes, bad_label);
        long long *lowest = new_bad_row(c, bad);
        std::vector<uint8_t> host_mask; /* one byte more, so that data() is not NULL */
        if (output || taking || is_any_on_host(c, out)) {
            host_mask.resize((size_t)rows->count + 1);
            c.download(host_mask.data(), laid_out.taking, (size_t)rows->count);
        }
        const uint8_t *mask = host_mask.empty() ? nullptr : host_mask.data();
        if (taking) c.write_back(taking, mask, (size_t)rows->count);
        if (output)
            measure_hidden(c, rows, output, device_bias, laid_out.labels, mask, out, lowest);
        else
            measure_logits(c, rows, laid_out.labels, LEFT_OUT, mask, out, lowest);
        report_bad_row(c, laid_out.bad, bad_label);
        report_bad_row(c, lowest, bad);
    });
}

} // namespace alcore_cuda
