/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory that outlives a call: hold and release of the kernel table, and what upload() and
 * convert() keep. A quarter of the device's memory stays free for other programs; where that is
 * impossible, nothing is kept, which is no failure.
 *
 * The memory is gone when the host resets the device, and its addresses may become those of other
 * memory. So what there is is listed, with the number of its context (cuda_context.cuh): memory
 * from before a reset is refused where a call would read it, and not freed when it is released. */
#include <map>
#include <mutex>

#include "cuda_entries.h"
#include "cuda_stream.cuh"

namespace alcore_cuda {

namespace {
/* One part in FREE_SHARE of the device's memory stays free when rows are kept there. */
const size_t FREE_SHARE = 4;

/* Memory that was made and not released. */
struct held_block {
    size_t bytes;
    int device;
    uint64_t context;
};
struct held_list {
    std::mutex lock;
    std::map<const char *, held_block> blocks; /* by their addresses */

    /* The block that the address is in, or the end. The lock is held. */
    std::map<const char *, held_block>::iterator find(const void *address) {
        auto found = blocks.upper_bound((const char *)address);
        if (found == blocks.begin()) return blocks.end();
        --found;
        return (const char *)address < found->first + found->second.bytes ? found : blocks.end();
    }
};

/* Never destroyed: calls may run while the process ends. */
held_list &all_held() {
    static held_list *all = new held_list();
    return *all;
}

size_t bytes_of(const alcore_sys_rows &rows) {
    return (size_t)rows.count * (size_t)rows.dims * alcore_sys_dtype_bytes(rows.dtype);
}

/* Whether the device has the memory and a quarter stays free. */
bool fits(size_t bytes) {
    size_t unused = 0, total = 0;
    if (cudaMemGetInfo(&unused, &total) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return bytes <= unused && unused - bytes >= total / FREE_SHARE;
}

/* Device memory that outlives the call: from the workspace, whose owner decides how much stays
 * free, or from the device; NULL: there is not enough, also when the pool of the calls keeps
 * nothing, or the device gives memory where some from before a reset was that was not released. A
 * failed call of CUDA's leaves an error, which cudaGetLastError() takes away, as the next check
 * would report it. */
void *kept_memory(call &c, size_t bytes) {
    if (c.work->workspace) return c.work->workspace(c.work->workspace_user, bytes);
    void *memory = nullptr;
    if (!fits(bytes)) stream_pool_trim(c.streams, c.compute);
    if (!fits(bytes) || cudaMalloc(&memory, bytes) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    held_list &all = all_held();
    std::lock_guard<std::mutex> guard(all.lock);
    if (all.find((char *)memory + bytes - 1) == all.blocks.end()) {
        auto next = all.blocks.lower_bound((char *)memory);
        if (next == all.blocks.end() || next->first >= (char *)memory + bytes) {
            all.blocks[(char *)memory] = {bytes, c.streams->device, c.streams->context};
            return memory;
        }
    }
    cudaFree(memory);
    return nullptr;
}
} // namespace

void hold_rows(call &c, const alcore_sys_rows &rows, alcore_sys_held *held) {
    held->rows = rows;
    held->rows.stride = rows.dims;
    held->memory = bytes_of(rows) ? kept_memory(c, bytes_of(rows)) : nullptr;
    held->rows.data = held->memory;
}

alcore_status make_held(const alcore_sys_work *work, alcore_sys_held *out,
                        const std::function<void(call &, alcore_sys_held *)> &make) {
    memset(out, 0, sizeof *out);
    alcore_sys_held held = alcore_sys_held();
    alcore_status status = guarded(work, [&](call &c) { make(c, &held); });
    if (status == ALCORE_OK && held.memory)
        *out = held;
    else if (held.memory)
        release(work, &held);
    return status;
}

void check_held(const call &c, const void *array) {
    held_list &all = all_held();
    std::lock_guard<std::mutex> guard(all.lock);
    auto found = all.find(array);
    if (found == all.blocks.end() || found->second.device != c.streams->device ||
        found->second.context == c.streams->context)
        return;
    fail(c.work, ALCORE_E_INVALID,
         "cuda:%d was reset (cudaDeviceReset), and what this library kept there is gone: set the "
         "columns anew",
         c.streams->device);
}

/* Kernel table: device memory for rows of that shape, which release() frees; *out is zeroed where
 * they have no byte or memory is short. */
alcore_status hold(const alcore_sys_work *work, const alcore_sys_rows *rows, alcore_sys_held *out) {
    return make_held(work, out, [&](call &c, alcore_sys_held *held) {
        c.check_count(rows->count);
        c.check_count(rows->dims);
        if (alcore_sys_dtype_bytes(rows->dtype) == 0)
            fail(work, ALCORE_E_SHAPE, "memory was asked for with an unknown type");
        hold_rows(c, *rows, held);
    });
}

/* Kernel table: frees what upload(), hold() or convert() allocated, with the workspace and device
 * of the same `work`; memory NULL: nothing. It has no status, because there is nothing that a
 * caller could do. It does not wait: kernels in work->stream may still read a lent block, which its
 * lender may reuse in the order of that stream only; cudaFree() waits by itself. workspace_release
 * NULL: the lender takes care of its blocks, and nothing is given back. What the device lost in a
 * reset is no longer listed. */
void release(const alcore_sys_work *work, const alcore_sys_held *held) {
    if (!held->memory) return;
    if (work->workspace) {
        if (work->workspace_release)
            work->workspace_release(work->workspace_user, held->memory, bytes_of(held->rows));
        return;
    }
    try {
        context_scope context(device_of(work));
        bool there = false;
        {
            held_list &all = all_held();
            std::lock_guard<std::mutex> guard(all.lock);
            auto found = all.blocks.find((const char *)held->memory);
            if (found == all.blocks.end()) return;
            there = found->second.context == context.id();
            all.blocks.erase(found);
        }
        /* An error that stayed would be reported by the next launch. */
        if (there && cudaFree(held->memory) != cudaSuccess) cudaGetLastError();
    } catch (cudaError_t) {
        /* The device is gone, and its memory with it. */
    }
}

} // namespace alcore_cuda
