/* SPDX-License-Identifier: Apache-2.0 */
#include "torch_parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>

#include <ATen/Parallel.h>

/* Of the OpenMP that torch brings along (GNU's, or another that has its entries); nullptr: of a
 * torch without it. */
extern "C" {
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags)
    __attribute__((weak));
int omp_get_thread_num(void) __attribute__((weak));
int omp_get_num_threads(void) __attribute__((weak));
}

namespace alcore_torch {

namespace {

bool has_openmp() {
    return GOMP_parallel != nullptr && omp_get_thread_num != nullptr &&
           omp_get_num_threads != nullptr;
}

/* A loop that threads share. An exception may not leave a thread of OpenMP. */
struct Loop {
    int64_t begin, end, size; /* indices of a part; the last one has fewer */
    int64_t parts;
    const std::function<void(int64_t, int64_t)> &body;
    std::atomic_flag failed = ATOMIC_FLAG_INIT;
    std::exception_ptr failure;

    void run(int64_t part) noexcept {
        const int64_t from = begin + part * size;
        try {
            at::internal::ThreadIdGuard number(static_cast<int>(part));
            c10::ParallelGuard inside(true);
            body(from, std::min(end, from + size));
        } catch (...) {
            if (!failed.test_and_set()) failure = std::current_exception();
        }
    }
};

/* On each thread of a team, which may have fewer than were asked for: its own parts. */
void run_parts(void *data) {
    Loop &loop = *static_cast<Loop *>(data);
    for (int64_t part = omp_get_thread_num(); part < loop.parts; part += omp_get_num_threads())
        loop.run(part);
}

} // namespace

int64_t threads_here() {
    return at::in_parallel_region() ? 1 : at::get_num_threads();
}

std::vector<int64_t> dealt(size_t count) {
    const int64_t threads = threads_here(), all = static_cast<int64_t>(count);
    std::vector<int64_t> order;
    for (int64_t first = 0; first < threads; first++)
        for (int64_t i = first; i < all; i += threads) order.push_back(i);
    return order;
}

void in_parallel(int64_t begin, int64_t end, int64_t grain,
                 const std::function<void(int64_t, int64_t)> &body) {
    const int64_t count = end - begin,
                  most = std::min<int64_t>(at::get_num_threads(),
                                           at::divup(count, std::max<int64_t>(grain, 1)));
    if (!has_openmp() || most <= 1 || at::in_parallel_region())
        return at::parallel_for(begin, end, grain, body); /* here, or by torch without OpenMP */
    const int64_t size = at::divup(count, most);
    Loop loop{begin, end, size, at::divup(count, size), body, {}, {}};
    on_every_thread(run_parts, &loop);
    if (loop.failure) std::rethrow_exception(loop.failure);
}

/* A team of another size than the last one makes libgomp start threads anew. So it is always that
 * of torch's own loops, and those for which there is no part return. */
void on_every_thread(void (*body)(void *), void *data) {
    if (has_openmp()) GOMP_parallel(body, data, static_cast<unsigned>(at::get_num_threads()), 0);
}

} // namespace alcore_torch
