/* SPDX-License-Identifier: Apache-2.0 */
/* convert of the kernel table: the halves and norms of rows that several calls compare, such as
 * the iterations of k-means, or the parts of a target. Calls find them by the address of their own
 * rows, which are a run of those that were converted (find_converted). Cost: one launch
 * (cuda_filter.cu); 2 bytes of memory a component, and 24 a row.
 *
 * Memory that a conversion keeps: count * half_bytes() bytes for the halves and their stats
 * (lay_out_halves), then double norms [count]. */
#include "cuda_entries.h"
#include "cuda_filter.cuh"
#include "cuda_stream.cuh"

namespace alcore_cuda {

namespace {
/* The parts of memory for the conversion of `rows`. */
conversion lay_out_conversion(void *memory, const alcore_sys_rows &rows, int32_t metric) {
    half_rows half = lay_out_halves((char *)memory, rows.count, rows.dims);
    return {nullptr /* no doubles */,
            (double *)((char *)memory + (size_t)rows.count * half_bytes(rows.dims)), half, metric};
}
} // namespace

/* The rows of the call count as a run of the rows that were converted when they have the same type
 * and shape, and begin at one of them. */
conversion find_converted(call &c, const alcore_sys_rows *rows, int32_t metric) {
    const conversion none = {nullptr, nullptr, {nullptr, nullptr}, metric};
    const alcore_sys_converted *kept = converted_of(c.work);
    if (!kept || !kept->held.memory || kept->metric != metric) return none;
    const alcore_sys_rows &all = kept->rows;
    if (rows->dims != all.dims || rows->stride != all.stride || rows->dtype != all.dtype ||
        rows->unit != all.unit)
        return none;
    const int64_t row_bytes = all.stride * (int64_t)alcore_sys_dtype_bytes(all.dtype),
                  skipped = (int64_t)((intptr_t)rows->data - (intptr_t)all.data);
    if (skipped < 0 || skipped % row_bytes != 0 || skipped / row_bytes + rows->count > all.count)
        return none;
    return conversion_from(lay_out_conversion(kept->held.memory, all, metric), skipped / row_bytes,
                           all.dims);
}

/* Kernel table: converts all rows, which are on the device, for calls that compare them by the
 * metric with about `others` rows of the other operand; *out is zeroed where those calls have no
 * filter, the rows are not where kernels read them in place, or memory is short, which is no
 * failure. */
alcore_status convert(const alcore_sys_work *work, const alcore_sys_rows *rows, int32_t metric,
                      int64_t others, alcore_sys_converted *out) {
    memset(out, 0, sizeof *out);
    alcore_status status = make_held(work, &out->held, [&](call &c, alcore_sys_held *held) {
        c.check_rows(rows);
        if (metric < ALCORE_SYS_L2 || metric > ALCORE_SYS_COSINE)
            fail(c.work, ALCORE_E_INVALID, "a search has no such metric");
        if (!c.in_place(rows->data, alcore_sys_dtype_bytes(rows->dtype)) ||
            !filter_pays(rows->dims, rows->count, others))
            return;
        alcore_sys_rows bytes = alcore_sys_rows();
        bytes.count = rows->count;
        bytes.dims = (int64_t)(half_bytes(rows->dims) + sizeof(double));
        bytes.dtype = ALCORE_UINT8;
        hold_rows(c, bytes, held);
        if (held->memory)
            convert_range(c, rows, 0, rows->count, lay_out_conversion(held->memory, *rows, metric));
    });
    if (!out->held.memory) return status;
    out->rows = *rows;
    out->metric = metric;
    return status;
}

} // namespace alcore_cuda
