/* SPDX-License-Identifier: Apache-2.0 */
/* What the halves of the emulation share. All of it belongs to the thread that holds the lock of
 * emu_device.cpp. */
#ifndef EMU_STATE_H
#define EMU_STATE_H

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
struct state {
    int order = EMU_RANDOM;
    uint64_t random = 1;
    int perturb = 0;
    cudaError_t error = cudaSuccess; /* sticky, as on a device */
    uint64_t arrivals = 0;
    uint64_t events[EMU_EVENTS] = {};
    int filters = -1;
    int without = -1; /* $ALCORE_EMU_WITHOUT: a device whose use is an error */
};
extern state settings;

uint64_t next_random();

/* Runs a kernel now. */
void run_grid(dim3 blocks, dim3 size, size_t shared, const char *name,
              const std::function<void()> &body);
} // namespace emu

#endif
