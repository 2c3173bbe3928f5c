/* SPDX-License-Identifier: Apache-2.0 */
/* What emu_device.cpp and emu_kernel.cpp share. All of it is accessed by the thread that holds the
 * lock of emu_device.cpp only. */
#ifndef EMU_STATE_H
#define EMU_STATE_H

#include <vector>

#include "emu_runtime.h"

#if defined(__SANITIZE_ADDRESS__)
#define EMU_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ADDRESS 1
#endif
#endif
#ifdef EMU_ADDRESS
extern "C" {
void __asan_poison_memory_region(void const volatile *memory, size_t size);
void __asan_unpoison_memory_region(void const volatile *memory, size_t size);
}
#else
inline void __asan_poison_memory_region(void const volatile *, size_t) {}
inline void __asan_unpoison_memory_region(void const volatile *, size_t) {}
#endif

namespace emu {
/* Settings of tests (emu_control.h) and counts. */
struct state {
    int order = EMU_RANDOM;           /* of threads and blocks */
    uint64_t random = 1;              /* state of next_random() */
    int perturb = 0;                  /* 1: exp, log and rsqrt are off by up to 2 ulp */
    cudaError_t error = cudaSuccess;  /* of the last failure, until cudaGetLastError() */
    uint64_t arrivals = 0;            /* at barriers and warp operations */
    uint64_t events[EMU_EVENTS] = {}; /* CUDA_COUNT() */
    int filters = -1;                 /* alcore_emu_filters() */
    int without = -1;                 /* $ALCORE_EMU_WITHOUT: a device whose use is an error */
};
extern state settings;

/* A variable in shared memory; site, a line of the source, tells declarations apart. */
struct storage {
    int site;
    size_t bytes, alignment;
    const char *name;
    char *memory;
};

/* Accesses of warps to shared memory (emu_accesses.cpp). watch: what is in the shared memory of the
 * block that now runs a kernel; accessed: by its thread, in the instruction `instruction`; joined:
 * the threads of a warp, or all (-1), have met, and the accesses of one before are complete. */
void watch(const char *kernel, const std::vector<storage> *shared);
void accessed(int thread, const void *at, size_t bytes, const void *instruction);
void joined(int warp);
/* The thread of the block that runs now. */
int running_thread();

/* The next value of a splitmix64 generator. */
uint64_t next_random();

/* The sum of terms [count] as a tensor core adds them (emu_kernel.cpp). way: how it is cut, 0 .. 2.
 */
float aligned_sum(const double *terms, int count, int way);

/* For libraries of the emulation (emu_blas.cpp), which run work as kernels do: the device of the
 * calling thread's context; queues work that counts as a launch; whether `bytes` bytes of memory
 * are a device's, or shared with it. */
int device_now();
cudaError_t queue_work(cudaStream_t stream, std::function<void()> what);
bool device_has(int device, const void *memory, size_t bytes);

/* Runs a kernel of blocks x size threads; body calls it for one thread. */
void run_grid(dim3 blocks, dim3 size, size_t shared, const char *name,
              const std::function<void()> &body);
} // namespace emu

#endif
