/* SPDX-License-Identifier: Apache-2.0 */
/* Stream slots of every device, kept for the life of the process (cuda_stream.cuh). A lock guards
 * the list of idle slots only; a slot is used by one call at a time.
 *
 * Members of a slot: compute and copy, its streams; busy, the event that is recorded when a call
 * ends, after its last kernel, in the stream `last`; begin, up [2] and done [2], the events of
 * pipelines; ring, pinned memory that small copies go through, whose two halves are used in turn
 * (call::ring_piece); blocks [2], device memory and pinned memory that a call uses (`used`) or that
 * is kept for the next. Pinned is host memory that the device copies from and to by itself. */
#include "cuda_stream.cuh"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace alcore_cuda {

namespace {
/* What the engine has on a device, in one context. */
struct device_slots {
    uint64_t context;   /* its number; 0: there was no call yet */
    int made;           /* slots that exist, idle or not */
    cudaMemPool_t pool; /* NULL: the device has no pools */
};

/* The slots of all devices. */
struct slot_registry {
    std::mutex lock;
    std::condition_variable freed;     /* a slot became idle */
    std::vector<stream_slot *> idle;   /* of any device */
    std::vector<device_slots> devices; /* [devices] */
};

/* Never destroyed: calls may run while the process ends. */
slot_registry &all_slots() {
    static slot_registry *all = new slot_registry();
    return *all;
}

/* Throws for a failed CUDA call while a slot is made: no_memory, which then names the size of the
 * ring, the largest thing that a slot needs, or the error itself. CUDA's error state is cleared, so
 * that the next call does not report the failure again. */
void require(cudaError_t error) {
    if (error == cudaSuccess) return;
    cudaGetLastError();
    if (error == cudaErrorMemoryAllocation) throw no_memory{RING_BYTES};
    throw error;
}

/* Makes the pool of a device, of which freed memory stays with the process up to a part of what the
 * device has; NULL where it has none. */
cudaMemPool_t new_pool(int device) {
    int there = 0;
    size_t unused = 0, total = 0;
    cudaMemPool_t pool = nullptr;
    cudaMemPoolProps props = cudaMemPoolProps();
    props.allocType = cudaMemAllocationTypePinned; /* on the device, as all of its memory is */
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = device;
    if (cudaDeviceGetAttribute(&there, cudaDevAttrMemoryPoolsSupported, device) != cudaSuccess ||
        !there || cudaMemGetInfo(&unused, &total) != cudaSuccess ||
        cudaMemPoolCreate(&pool, &props) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    uint64_t kept = total / POOL_PART; /* 0 where this fails: nothing is kept */
    if (cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept) != cudaSuccess)
        cudaGetLastError();
    return pool;
}

/* Creates a slot with its streams, events and ring in the current context, that of `device`; on a
 * failure it destroys what it made, the members that are not NULL, and throws as require() does. A
 * slot that was completed is never destroyed. Events without timing are cheaper to wait for. The
 * pinned ring is made last, so nothing has to free it. */
stream_slot *new_stream_slot(int device, const device_slots &own) {
    stream_slot *made = new stream_slot(); /* all members zero */
    cudaStream_t *const streams[] = {&made->compute, &made->copy};
    cudaEvent_t *const events[] = {&made->busy,      &made->begin,    &made->up[0],
                                   &made->up[1],     &made->done[0],  &made->done[1],
                                   &made->passed[0], &made->passed[1]};
    made->device = device;
    made->context = own.context;
    made->pool = own.pool;
    try {
        for (cudaStream_t *stream : streams)
            require(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
        for (cudaEvent_t *event : events)
            require(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
        require(cudaHostAlloc((void **)&made->ring, RING_BYTES, cudaHostAllocPortable));
    } catch (...) {
        for (cudaStream_t *stream : streams)
            if (*stream) cudaStreamDestroy(*stream);
        for (cudaEvent_t *event : events)
            if (*event) cudaEventDestroy(*event);
        delete made;
        throw;
    }
    return made;
}

/* The slots of a device in the context with that number. Those of an earlier one are forgotten: the
 * host has reset the device, and with it their members, pinned memory too, are gone. The lock is
 * held. */
device_slots &slots_of(slot_registry &all, int device, uint64_t context) {
    if (all.devices.size() <= (size_t)device) all.devices.resize((size_t)device + 1);
    device_slots &own = all.devices[(size_t)device];
    if (own.context == context) return own;
    auto gone = std::remove_if(all.idle.begin(), all.idle.end(), [&](stream_slot *streams) {
        if (streams->device != device) return false;
        delete streams;
        return true;
    });
    all.idle.erase(gone, all.idle.end());
    own = {context, 0, new_pool(device)};
    return own;
}

/* Whether a call in `stream` (alcore_sys_work; NULL: a stream of the slot) may use what the last
 * call of the slot left without waiting for it: both are in the default stream. A handle of another
 * stream may be that of a new one. */
bool follows(const stream_slot *streams, const void *stream) {
    const void *default_stream = (const void *)1; /* cudaStreamLegacy */
    return stream == default_stream && streams->last == default_stream;
}

/* Removes an idle slot of the device from the list: one that a call in `stream` need not wait for,
 * whose *behind is NULL, or where `any` is set one whose last event it has to wait for; NULL: there
 * is none. The ring of the former is empty, unless its last call was in the same stream. The lock
 * is held. A query that finds kernels still running leaves cudaErrorNotReady as the thread's last
 * error, which would fail the call that gets the slot: it is cleared. */
stream_slot *idle_stream_slot(slot_registry &all, int device, const void *stream, bool any,
                              cudaEvent_t *behind) {
    size_t found = all.idle.size();
    *behind = nullptr;
    for (size_t i = 0; i < all.idle.size(); i++) {
        stream_slot *streams = all.idle[i];
        if (streams->device != device) continue;
        bool done = !follows(streams, stream) && cudaEventQuery(streams->busy) == cudaSuccess;
        if (done) streams->ring_used = 0;
        if (done || follows(streams, stream)) {
            found = i;
            *behind = nullptr;
            break;
        }
        cudaGetLastError();
        if (!any || found < i) continue;
        found = i;
        *behind = streams->busy;
    }
    if (found == all.idle.size()) return nullptr;
    stream_slot *streams = all.idle[found];
    all.idle.erase(all.idle.begin() + (std::ptrdiff_t)found);
    return streams;
}

/* Frees the blocks of a kind for which unwanted(block) holds, behind what is in the stream. Those
 * of the pool go back to it in the order of the stream. For the others the host waits, as nothing
 * may use them any more: for the event, NULL: none is needed, and for the device in cudaFree(). */
template <class Unwanted>
void free_blocks(stream_slot *streams, bool pinned, cudaStream_t stream, cudaEvent_t last,
                 const Unwanted &unwanted) {
    std::vector<memory_block> &blocks = streams->blocks[pinned];
    auto kept_end = std::remove_if(blocks.begin(), blocks.end(), [&](const memory_block &block) {
        if (!unwanted(block)) return false;
        const bool pooled = !pinned && streams->pool;
        if (pooled && cudaFreeAsync(block.memory, stream) == cudaSuccess) return true;
        if (pooled) cudaGetLastError(); /* a stream of another device, in which nothing is */
        if (last) cudaEventSynchronize(last);
        if (pinned)
            cudaFreeHost(block.memory);
        else
            cudaFree(block.memory);
        return true;
    });
    blocks.erase(kept_end, blocks.end());
}

/* Allocates pinned host memory, usable in every context, or memory of the current device that what
 * is put into the stream from now on may use. */
cudaError_t new_block(const stream_slot *streams, bool pinned, size_t bytes, cudaStream_t stream,
                      void **out) {
    if (pinned) return cudaHostAlloc(out, bytes, cudaHostAllocPortable);
    return streams->pool ? cudaMallocFromPoolAsync(out, bytes, streams->pool, stream)
                         : cudaMalloc(out, bytes);
}
} // namespace

/* Returns an idle slot of the device that need not be waited for, or a new one while fewer than
 * MAX_STREAM_SLOTS exist, or an idle one with the event *behind; else waits for one, asking the
 * host every 50 ms whether to stop. A slot is made while the lock is held, so that several threads
 * do not make too many. The kernels of the last call of a reused slot may still read its memory:
 * those of this call come behind them. The context of the device is current, as new_stream_slot()
 * needs it. */
stream_slot *stream_slot_acquire(const alcore_sys_work *work, int device, uint64_t context,
                                 cudaEvent_t *behind) {
    slot_registry &all = all_slots();
    std::unique_lock<std::mutex> guard(all.lock);
    for (;;) {
        device_slots &own = slots_of(all, device, context);
        bool all_made = own.made >= MAX_STREAM_SLOTS;
        stream_slot *streams = idle_stream_slot(all, device, work->stream, all_made, behind);
        if (streams) return streams;
        if (!all_made) {
            streams = new_stream_slot(device, own);
            own.made++;
            return streams;
        }
        all.freed.wait_for(guard, std::chrono::milliseconds(50));
        if (work->host && work->host->poll_cancel && work->host->poll_cancel(work->host_user)) {
            guard.unlock();
            fail(work, ALCORE_E_CANCELLED, "cancelled");
        }
    }
}

/* Makes a slot idle. Of its device blocks and of its pinned ones, KEPT_BYTES each are kept for the
 * next call; the others are freed behind the last kernel that can use them, which is in the stream
 * `last`. A slot from before a reset of the device is forgotten. */
void stream_slot_release(stream_slot *streams) {
    slot_registry &all = all_slots();
    for (int pinned = 0; pinned < 2; pinned++) {
        size_t kept = 0; /* bytes of this kind that stay */
        for (memory_block &block : streams->blocks[pinned]) block.used = false;
        free_blocks(streams, pinned, streams->last, streams->busy, [&](const memory_block &block) {
            if (kept + block.bytes > KEPT_BYTES) return true;
            kept += block.bytes;
            return false;
        });
    }
    {
        std::lock_guard<std::mutex> guard(all.lock);
        if (all.devices[(size_t)streams->device].context == streams->context)
            all.idle.push_back(streams);
        else
            delete streams;
    }
    all.freed.notify_one();
}

/* Returns a block of `bytes` bytes of the slot, device or pinned memory, NULL when there is none:
 * the smallest idle block that fits and has at most 4 * `bytes` + 256 KiB, so that a small request
 * does not occupy a large block, or allocates one; when that fails, frees the idle blocks of this
 * kind of the slot, waits until they and what the pool has kept are the device's again, and tries
 * once more. */
void *stream_slot_block(stream_slot *streams, bool pinned, size_t bytes, cudaStream_t compute) {
    std::vector<memory_block> &blocks = streams->blocks[pinned];
    memory_block *best = nullptr;
    if (bytes == 0) bytes = 1;
    for (memory_block &block : blocks) {
        if (!block.used && block.bytes >= bytes && block.bytes / 4 <= bytes + (1 << 16) &&
            (!best || block.bytes < best->bytes))
            best = &block;
    }
    if (!best) {
        void *memory = nullptr;
        blocks.reserve(blocks.size() + 1); /* push_back() below cannot throw and leak the memory */
        cudaError_t error = new_block(streams, pinned, bytes, compute, &memory);
        if (error != cudaSuccess) {
            cudaGetLastError();
            free_blocks(streams, pinned, compute, nullptr,
                        [](const memory_block &block) { return !block.used; });
            if (!pinned) stream_pool_trim(streams, compute);
            error = new_block(streams, pinned, bytes, compute, &memory);
        }
        if (error != cudaSuccess) {
            cudaGetLastError();
            return nullptr;
        }
        blocks.push_back({memory, bytes, false});
        best = &blocks.back();
    }
    best->used = true;
    return best->memory;
}

/* An error of the wait stays, and is reported by the next call of CUDA. */
void stream_pool_trim(const stream_slot *streams, cudaStream_t compute) {
    if (!streams->pool) return;
    cudaStreamSynchronize(compute);
    if (cudaMemPoolTrimTo(streams->pool, 0 /* bytes */) != cudaSuccess) cudaGetLastError();
}

/* Marks the block of an address idle; it stays with the slot. Kernels that use it may still be
 * queued, so only what is behind them in the stream may use it next: the one call that has the slot
 * works in one compute stream, and that of the next call waits for `busy` first. */
void stream_slot_block_back(stream_slot *streams, bool pinned, const void *memory) {
    for (memory_block &block : streams->blocks[pinned])
        if (block.memory == memory) block.used = false;
}

} // namespace alcore_cuda
