/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what warps ask of shared memory. The kernels are compiled with -fsanitize=thread and
 * linked without its library: each access of theirs then calls one of the functions below.
 *
 * A warp executes an instruction for all of its lanes at once; here each lane runs alone until the
 * warp meets. So the n-th execution of an instruction by each of the lanes between two meetings is
 * taken for one. The compiler of a device copies a struct by instructions of up to 16 bytes, as far
 * as the alignment of its type allows, and so are accesses cut here. */
#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "emu_state.h"

namespace emu {
namespace {
enum { LANES = 32, BANKS = 32, WORD = 4 /* bytes of a bank */, MOST_BYTES = 16 };

/* An instruction of a warp: its address, whose variable, and the part of a longer access. */
struct instruction {
    const void *address;
    const char *variable;
    size_t part;
    bool operator<(const instruction &other) const {
        return std::tie(address, variable, part) <
               std::tie(other.address, other.variable, other.part);
    }
};

/* One execution of it: which lanes took part, and where in the variable they accessed `bytes`. */
struct execution {
    uint32_t lanes = 0;
    size_t bytes, offset[LANES];
};

/* What has happened in a warp since it met. */
struct warp_accesses {
    std::map<std::pair<instruction, uint64_t /* number of the execution */>, execution> executed;
    std::map<std::pair<instruction, int /* lane */>, uint64_t> times;
};

bool instrumented; /* the kernels call the functions below */
const char *kernel_name;
const std::vector<storage> *variables; /* in the shared memory of the running block */
std::map<int, warp_accesses> warps;
std::deque<emu_shared_work> counted; /* names and entries stay where they are */

/* Adds an execution to the count of its variable. */
void count_passes(const execution &done, emu_shared_work *work) {
    const size_t together = LANES * WORD / std::max<size_t>(done.bytes, WORD);
    work->instructions++;
    for (size_t first = 0; first < LANES; first += together) {
        std::vector<size_t> words[BANKS];
        size_t most = 0;
        for (size_t lane = first; lane < first + together; lane++) {
            if (!(done.lanes >> lane & 1)) continue;
            for (size_t at = 0; at < done.bytes; at += WORD) {
                size_t word = (done.offset[lane] + at) / WORD;
                std::vector<size_t> &bank = words[word % BANKS];
                if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
                most = std::max(most, bank.size());
            }
        }
        work->passes += most;
        work->conflicts += most ? most - 1 : 0;
    }
}

emu_shared_work *work_of(const char *variable) {
    for (emu_shared_work &known : counted)
        if (known.kernel == kernel_name && !strcmp(known.variable, variable)) return &known;
    counted.push_back({kernel_name, variable, 0, 0, 0});
    return &counted.back();
}

void complete(warp_accesses *warp) {
    for (const auto &[key, done] : warp->executed) count_passes(done, work_of(key.first.variable));
    warp->executed.clear();
    warp->times.clear();
}
} // namespace

void watch(const char *kernel, const std::vector<storage> *shared) {
    kernel_name = kernel;
    variables = shared;
    warps.clear();
}

void accessed(int thread, const void *at, size_t bytes, const void *address) {
    if (!instrumented || !variables) return;
    for (const storage &variable : *variables) {
        if (at < variable.memory || at >= variable.memory + variable.bytes) continue;
        const size_t offset = (size_t)((const char *)at - variable.memory);
        size_t unit = std::min<size_t>(variable.alignment, MOST_BYTES);
        while (unit > 1 && (bytes % unit || offset % unit)) unit /= 2;
        warp_accesses &warp = warps[thread / LANES];
        const int lane = thread % LANES;
        for (size_t part = 0; part < bytes / unit; part++) {
            const instruction executed = {address, variable.name, part};
            execution &now = warp.executed[{executed, warp.times[{executed, lane}]++}];
            now.lanes |= 1u << lane;
            now.bytes = unit;
            now.offset[lane] = offset + part * unit;
        }
    }
}

void joined(int warp) {
    if (!instrumented) return;
    for (auto &[number, accesses] : warps)
        if (warp < 0 || number == warp) complete(&accesses);
}
} // namespace emu

using namespace emu;

int alcore_emu_shared(int index, emu_shared_work *out) {
    if (index < 0 || (size_t)index >= counted.size()) return 0;
    *out = counted[(size_t)index];
    return 1;
}

#ifndef __SANITIZE_THREAD__
#pragma GCC diagnostic ignored "-Wmissing-declarations"
/* What -fsanitize=thread calls. */
#define ACCESS(name, size)                                                                         \
    extern "C" void __tsan_##name(const void *at) {                                                \
        accessed(running_thread(), at, size, __builtin_return_address(0));                         \
    }
#define ACCESSES(size)                                                                             \
    ACCESS(read##size, size)                                                                       \
    ACCESS(write##size, size)                                                                      \
    ACCESS(unaligned_read##size, size)                                                             \
    ACCESS(unaligned_write##size, size)                                                            \
    ACCESS(volatile_read##size, size)                                                              \
    ACCESS(volatile_write##size, size)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
#define RANGE(name)                                                                                \
    extern "C" void __tsan_##name(const void *at, size_t bytes) {                                  \
        accessed(running_thread(), at, bytes, __builtin_return_address(0));                        \
    }
RANGE(read_range)
RANGE(write_range)
extern "C" char __tsan_atomic8_load(const volatile char *at, int) { /* guards of static variables */
    return *at;
}
extern "C" void __tsan_init() {
    instrumented = true;
}
extern "C" void __tsan_func_entry(const void *) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_vptr_update(const void *, const void *) {}
#endif
