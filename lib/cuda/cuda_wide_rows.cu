/* SPDX-License-Identifier: Apache-2.0 */
/* The operand that every chunk of rows is compared with (queries, others, targets): its rows as
 * doubles on the device with their norms, in parts when memory does not hold all of them. */
#include "cuda_wide_rows.cuh"

#include <algorithm>

namespace alcore_cuda {

namespace {
static __global__ void __launch_bounds__(CUDA_THREADS)
    roots_kernel(int64_t count, double *numbers) {
    int64_t i = (int64_t)blockIdx.x * CUDA_THREADS + threadIdx.x;
    if (i < count) numbers[i] = sqrt(numbers[i]);
}
} // namespace

void roots_of(call &c, double *numbers, int64_t count) {
    if (count == 0) return;
    CUDA_LAUNCH(roots_kernel, blocks_for(count, CUDA_THREADS), CUDA_THREADS, c.compute, count,
                numbers);
    c.launched();
}

/* A quarter of the workspace, or what the device has. */
side::side(call &owner, const alcore_sys_rows *given, int64_t most, size_t more)
    : c(owner), rows(given) {
    size_t bytes = (size_t)(rows->dims + 1) * sizeof *numbers + more;
    step = std::max<int64_t>((int64_t)(c.limit() / 4 / bytes), 4 * PAIR_SIDE);
    step = std::max<int64_t>(std::min(std::min(step, most), rows->count), 1);
    for (;; step = (step + 1) / 2) {
        try {
            numbers = c.device_array<double>(step * (rows->dims + 1));
            norms = numbers + step * rows->dims;
            if (more > 0) beside = c.device_array<char>(step * (int64_t)more);
            return;
        } catch (const no_memory &) {
            c.give_back(numbers);
            numbers = nullptr;
            if (step == 1) throw;
        }
    }
}

/* Puts the rows from `first` on, as many as the buffer has room for, into it as doubles, with their
 * norms; returns how many. They stay until another part is asked for. */
int64_t side::part(int64_t first) {
    int64_t count = std::min(step, rows->count - first);
    if (current == first) return count;
    widen_range(c, rows, first, count, numbers);
    self_dots_of(c, numbers, count, rows->dims, norms);
    roots_of(c, norms, count);
    current = first;
    return count;
}

} // namespace alcore_cuda
