/* SPDX-License-Identifier: Apache-2.0 */
/* operand_parts: the operand that every chunk of rows is compared with (queries, others, targets),
 * as doubles on the device with their norms, in parts when memory does not hold all of its rows.
 * The call (cuda_call.cuh) owns the device memory; its staging limit is the bytes that copies may
 * occupy, and no_memory is thrown where the device has less. Members, in one allocation: half, wide
 * [step, dims] and norms [step], the current part; extra [step, extra_bytes], memory of the owner.
 * current: the first row of the current part, -1: none. */
#include "cuda_wide_rows.cuh"

#include <algorithm>

namespace alcore_cuda {

/* Allocates for parts of a quarter of the staging limit, at least 16 rows where the operand has so
 * many; fewer while the device has less memory, down to one row. The halves come first, as their
 * units are aligned to 16 bytes. */
operand_parts::operand_parts(call &owner, const alcore_sys_rows *operand, int64_t max_part,
                             bool filters, int32_t filter_metric, size_t extra_bytes)
    : c(owner), rows(operand), metric(filter_metric) {
    const size_t halves = filters ? half_bytes(rows->dims) : 0;
    const size_t bytes = halves + (size_t)(rows->dims + 1) * sizeof *wide + extra_bytes;
    step = std::max<int64_t>((int64_t)(c.staging_limit() / 4 / bytes), 4 * PAIR_ROWS);
    step = std::max<int64_t>(std::min(std::min(step, max_part), rows->count), 1);
    memory = c.allocate_rows(&step, bytes);
    half = {nullptr, nullptr};
    if (filters) half = lay_out_halves((char *)memory, step, rows->dims);
    wide = (double *)((char *)memory + (size_t)step * halves);
    norms = wide + step * rows->dims;
    extra = (char *)(norms + step);
}

/* Converts the rows from `first` on, at most `step`, with their norms; returns how many. They stay
 * until another part is asked for. */
int64_t operand_parts::part(int64_t first) {
    int64_t count = std::min(step, rows->count - first);
    if (current == first) return count;
    convert_range(c, rows, first, count, {wide, norms, half, metric});
    current = first;
    return count;
}

} // namespace alcore_cuda
