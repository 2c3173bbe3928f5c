/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of the module on the threads of torch's OpenMP.
 *
 * at::parallel_for() is a template, which has threads only where it is compiled with OpenMP, and a
 * module that is compiled so needs a libgomp: that of the system, beside the one that torch brings
 * along, or torch's, whose name and folder differ between builds of torch. Therefore the module
 * asks for the entries of OpenMP by weak symbols, which the loader finds in what libtorch_cpu
 * itself computes with. So the module never brings a second OpenMP into a process, and needs none.
 * Threads of the library's host would be no substitute: those of torch wait actively for the next
 * product, and would keep the processors from them. */
#ifndef ALCORE__TORCH_PARALLEL_H
#define ALCORE__TORCH_PARALLEL_H

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace alcore_torch {

/* Calls body(from, until) for parts of [begin, end), at most one for each thread and one for every
 * `grain` indices that are begun; all of them but the last are equally long. at::get_thread_num()
 * is the number of the part, below at::get_num_threads(). Within such a loop another one is a loop
 * of the same thread. Whatever body throws, one exception of several, is thrown here, once all
 * parts have ended. */
void in_parallel(int64_t begin, int64_t end, int64_t grain,
                 const std::function<void(int64_t, int64_t)> &body);

/* Threads that in_parallel() would use here with many indices: 1 within such a loop. */
int64_t threads_here();

/* The order in which in_parallel() visits `count` items, which are sorted, the longest first: they
 * are dealt out to the threads in turn, so that each thread has long and short ones. */
std::vector<int64_t> dealt(size_t count);

/* The grain of a loop that reads or writes `numbers` float32 values for each index: large enough
 * that a thread works longer than it takes to start and join the threads, about 2 us, in which a
 * core passes over 8,192 values. */
inline int64_t grain_of(int64_t numbers) {
    constexpr int64_t LEAST = 8192;
    return std::max<int64_t>(1, LEAST / std::max<int64_t>(numbers, 1));
}

/* Calls body(data) on every thread that in_parallel() would use with many indices, once at most;
 * nothing where torch has no OpenMP. */
void on_every_thread(void (*body)(void *), void *data);

} // namespace alcore_torch

#endif
