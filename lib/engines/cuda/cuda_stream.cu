/* SPDX-License-Identifier: Apache-2.0 */
/* Stream slots of every device, kept for the life of the process (cuda_stream.cuh). A lock guards
 * the list of idle slots only; a slot is used by one call at a time.
 *
 * Members of a slot: compute and copy, its streams; busy, the event that is recorded when a call
 * ends, after its last kernel, in the stream `last`; begin, up [2] and done [2], the events of
 * pipelines; ring [RING_BYTES], pinned memory that small copies go through, of which ring_used
 * bytes may be in flight; blocks [2], device memory and pinned memory that a call uses (`used`) or
 * that is kept for the next. Pinned is host memory that the device copies from and to by itself. */
#include "cuda_stream.cuh"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace alcore_cuda {

namespace {
/* The slots of all devices. */
struct slot_registry {
    std::mutex lock;
    std::condition_variable freed;   /* a slot became idle */
    std::vector<stream_slot *> idle; /* of any device */
    std::vector<int> made;           /* [devices] slots that exist, idle or not */
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

/* Creates a slot with its streams, events and ring in the current context, that of `device`; on a
 * failure it destroys what it made, the members that are not NULL, and throws as require() does. A
 * slot that was completed is never destroyed. Events without timing are cheaper to wait for. The
 * pinned ring is made last, so nothing has to free it. */
stream_slot *new_stream_slot(int device) {
    stream_slot *made = new stream_slot(); /* all members zero */
    cudaStream_t *const streams[] = {&made->compute, &made->copy};
    cudaEvent_t *const events[] = {&made->busy,  &made->begin,   &made->up[0],
                                   &made->up[1], &made->done[0], &made->done[1]};
    made->device = device;
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

/* Whether a call in `stream` (alcore_sys_work; NULL: a stream of the slot) may use what the last
 * call of the slot left without waiting for it: both are in the default stream. A handle of another
 * stream may be that of a new one. */
bool follows(const stream_slot *streams, const void *stream) {
    const void *default_stream = (const void *)1; /* cudaStreamLegacy */
    return stream == default_stream && streams->last == default_stream;
}

/* Removes an idle slot of the device from the list, if possible one that a call in `stream` need
 * not wait for; NULL: none is idle. The lock is held. A query that finds kernels still running
 * leaves cudaErrorNotReady as the thread's last error, which would fail the call that gets the
 * slot: it is cleared. */
stream_slot *idle_stream_slot(slot_registry &all, int device, const void *stream) {
    size_t found = all.idle.size();
    for (size_t i = 0; i < all.idle.size(); i++) {
        if (all.idle[i]->device != device) continue;
        found = i;
        if (follows(all.idle[i], stream) || cudaEventQuery(all.idle[i]->busy) == cudaSuccess) break;
        cudaGetLastError();
    }
    if (found == all.idle.size()) return nullptr;
    stream_slot *streams = all.idle[found];
    all.idle.erase(all.idle.begin() + (std::ptrdiff_t)found);
    return streams;
}

/* Frees the blocks of a kind for which unwanted(block) holds; freeing device memory waits for the
 * device. */
template <class Unwanted>
void free_blocks(stream_slot *streams, bool pinned, const Unwanted &unwanted) {
    std::vector<memory_block> &blocks = streams->blocks[pinned];
    auto kept_end = std::remove_if(blocks.begin(), blocks.end(), [&](const memory_block &block) {
        if (!unwanted(block)) return false;
        if (pinned)
            cudaFreeHost(block.memory);
        else
            cudaFree(block.memory);
        return true;
    });
    blocks.erase(kept_end, blocks.end());
}

/* Allocates pinned host memory, usable in every context, or memory of the current device. */
cudaError_t new_block(bool pinned, size_t bytes, void **out) {
    return pinned ? cudaHostAlloc(out, bytes, cudaHostAllocPortable) : cudaMalloc(out, bytes);
}
} // namespace

/* Returns an idle slot of the device, or a new one while fewer than MAX_STREAM_SLOTS exist; else
 * waits for one, asking the host every 50 ms whether to stop. A slot is made while the lock is
 * held, so that several threads do not make too many. A reused slot is returned only after the
 * kernels of its last call are done, because they may still read its memory, unless those of this
 * call follow them in the same stream; the ring is then used from where it was. An error of that
 * wait is a fault of earlier kernels, which stays, and which the next call of CUDA reports. The
 * context of the device is current, as new_stream_slot() needs it. */
stream_slot *stream_slot_acquire(const alcore_sys_work *work, int device) {
    slot_registry &all = all_slots();
    stream_slot *streams = nullptr;
    std::unique_lock<std::mutex> guard(all.lock);
    if (all.made.size() <= (size_t)device) all.made.resize((size_t)device + 1);
    while (!(streams = idle_stream_slot(all, device, work->stream))) {
        if (all.made[(size_t)device] < MAX_STREAM_SLOTS) {
            streams = new_stream_slot(device);
            all.made[(size_t)device]++;
            return streams;
        }
        all.freed.wait_for(guard, std::chrono::milliseconds(50));
        if (work->host && work->host->poll_cancel && work->host->poll_cancel(work->host_user)) {
            guard.unlock();
            fail(work, ALCORE_E_CANCELLED, "cancelled");
        }
    }
    guard.unlock();
    if (follows(streams, work->stream)) return streams;
    cudaEventSynchronize(streams->busy);
    streams->ring_used = 0;
    return streams;
}

/* Makes a slot idle. Of its device blocks and of its pinned ones, KEPT_BYTES each are kept for the
 * next call; the others are freed once no kernel can use them. */
void stream_slot_release(stream_slot *streams) {
    slot_registry &all = all_slots();
    for (int pinned = 0; pinned < 2; pinned++) {
        size_t kept = 0; /* bytes of this kind that stay */
        for (memory_block &block : streams->blocks[pinned]) block.used = false;
        free_blocks(streams, pinned, [&](const memory_block &block) {
            if (kept + block.bytes > KEPT_BYTES) {
                cudaEventSynchronize(streams->busy);
                return true;
            }
            kept += block.bytes;
            return false;
        });
    }
    {
        std::lock_guard<std::mutex> guard(all.lock);
        all.idle.push_back(streams);
    }
    all.freed.notify_one();
}

/* Returns a block of `bytes` bytes of the slot, device or pinned memory, NULL when there is none:
 * the smallest idle block that fits and has at most 4 * `bytes` + 256 KiB, so that a small request
 * does not occupy a large block, or allocates one; when that fails, frees the idle blocks of this
 * kind of the slot and tries again. */
void *stream_slot_block(stream_slot *streams, bool pinned, size_t bytes) {
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
        cudaError_t error = new_block(pinned, bytes, &memory);
        if (error != cudaSuccess) {
            cudaGetLastError();
            free_blocks(streams, pinned, [](const memory_block &block) { return !block.used; });
            error = new_block(pinned, bytes, &memory);
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

/* Marks the block of an address idle; it stays with the slot. Kernels that use it may still be
 * queued, so only what is behind them in the stream may use it next: the one call that has the slot
 * works in one compute stream, and the next call waits for `busy` first. */
void stream_slot_block_back(stream_slot *streams, bool pinned, const void *memory) {
    for (memory_block &block : streams->blocks[pinned])
        if (block.memory == memory) block.used = false;
}

} // namespace alcore_cuda
