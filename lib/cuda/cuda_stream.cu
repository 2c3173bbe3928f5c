/* SPDX-License-Identifier: Apache-2.0 */
/* Stream slots of every device, kept for the life of the process (cuda_stream.cuh). A lock guards
 * the list of idle slots only; a slot is used by one call at a time. */
#include "cuda_stream.cuh"

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace alcore_cuda {

namespace {
struct shelf {
    std::mutex lock;
    std::condition_variable freed;
    std::vector<stream_slot *> idle;
    std::vector<int> made; /* [devices] slots that exist */
};

/* Never destroyed: calls may run while the process ends. */
shelf &stream_slots() {
    static shelf *all = new shelf();
    return *all;
}

void require(cudaError_t error) {
    if (error == cudaErrorMemoryAllocation) throw no_memory{RING_BYTES};
    if (error != cudaSuccess) throw error;
}

/* Creates a slot with its streams, events and ring. Events without timing are cheaper to wait for.
 */
stream_slot *new_stream_slot(int device) {
    stream_slot *made = new stream_slot();
    made->device = device;
    require(cudaStreamCreateWithFlags(&made->compute, cudaStreamNonBlocking));
    require(cudaStreamCreateWithFlags(&made->copy, cudaStreamNonBlocking));
    cudaEvent_t *events[] = {&made->busy,  &made->begin,   &made->up[0],
                             &made->up[1], &made->done[0], &made->done[1]};
    for (cudaEvent_t *event : events)
        require(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    require(cudaHostAlloc((void **)&made->ring, RING_BYTES, cudaHostAllocPortable));
    return made;
}

/* An idle slot of the device, if possible one whose kernels are done; NULL: none is idle. */
stream_slot *idle_stream_slot(shelf &all, int device) {
    size_t found = all.idle.size();
    for (size_t i = 0; i < all.idle.size(); i++) {
        if (all.idle[i]->device != device) continue;
        found = i;
        if (cudaEventQuery(all.idle[i]->busy) == cudaSuccess) break;
    }
    if (found == all.idle.size()) return nullptr;
    stream_slot *streams = all.idle[found];
    all.idle.erase(all.idle.begin() + (std::ptrdiff_t)found);
    return streams;
}

void free_block(bool pinned, void *memory) {
    if (pinned)
        cudaFreeHost(memory);
    else
        cudaFree(memory);
}

cudaError_t new_block(bool pinned, size_t bytes, void **out) {
    return pinned ? cudaHostAlloc(out, bytes, cudaHostAllocPortable) : cudaMalloc(out, bytes);
}
} // namespace

/* Takes an idle slot of the device or makes one, up to MAX_STREAM_SLOTS; then waits for one, asking
 * the host every 50 ms whether to stop. A reused slot is given out only after its last call's
 * kernels are done, as its memory is reused. */
stream_slot *stream_slot_acquire(const alcore_sys_work *work, int device) {
    shelf &all = stream_slots();
    stream_slot *streams = nullptr;
    std::unique_lock<std::mutex> held(all.lock);
    if (all.made.size() <= (size_t)device) all.made.resize((size_t)device + 1);
    while (!(streams = idle_stream_slot(all, device)) &&
           all.made[(size_t)device] >= MAX_STREAM_SLOTS) {
        all.freed.wait_for(held, std::chrono::milliseconds(50));
        if (work->host && work->host->poll_cancel && work->host->poll_cancel(work->host_user)) {
            held.unlock();
            fail(work, ALCORE_E_CANCELLED, "cancelled");
        }
    }
    if (!streams) {
        all.made[(size_t)device]++;
        held.unlock();
        try {
            streams = new_stream_slot(device);
        } catch (...) {
            held.lock();
            all.made[(size_t)device]--;
            throw;
        }
        return streams;
    }
    held.unlock();
    cudaEventSynchronize(streams->busy);
    streams->ring_used = 0;
    return streams;
}

/* Returns a slot. Of the device and of the pinned blocks, KEPT_BYTES each stay for the next call;
 * the others are freed once no kernel can use them. */
void stream_slot_release(stream_slot *streams) {
    shelf &all = stream_slots();
    for (int pinned = 0; pinned < 2; pinned++) {
        std::vector<memory_block> &blocks =
            pinned ? streams->pinned_blocks : streams->device_blocks;
        size_t kept = 0;
        for (size_t i = 0; i < blocks.size();) {
            blocks[i].used = false;
            if (kept + blocks[i].bytes <= KEPT_BYTES) {
                kept += blocks[i++].bytes;
            } else {
                cudaEventSynchronize(streams->busy);
                free_block(pinned, blocks[i].memory);
                blocks.erase(blocks.begin() + (std::ptrdiff_t)i);
            }
        }
    }
    {
        std::lock_guard<std::mutex> held(all.lock);
        all.idle.push_back(streams);
    }
    all.freed.notify_one();
}

/* Finds the smallest idle block that fits without wasting most of itself, or allocates one; when
 * memory is short, the idle blocks are freed and it is tried once more. */
void *stream_slot_block(stream_slot *streams, bool pinned, size_t bytes) {
    std::vector<memory_block> &blocks = pinned ? streams->pinned_blocks : streams->device_blocks;
    memory_block *best = nullptr;
    if (bytes == 0) bytes = 1;
    for (memory_block &block : blocks) {
        if (!block.used && block.bytes >= bytes && block.bytes / 4 <= bytes + (1 << 16) &&
            (!best || block.bytes < best->bytes))
            best = &block;
    }
    if (!best) {
        void *memory = nullptr;
        blocks.reserve(blocks.size() + 1); /* so that nothing is lost below */
        if (new_block(pinned, bytes, &memory) != cudaSuccess) {
            cudaGetLastError();
            /* What is kept for later may be in the way. */
            for (size_t i = 0; i < blocks.size();) {
                if (blocks[i].used) {
                    i++;
                    continue;
                }
                free_block(pinned, blocks[i].memory);
                blocks.erase(blocks.begin() + (std::ptrdiff_t)i);
            }
            if (new_block(pinned, bytes, &memory) != cudaSuccess) {
                cudaGetLastError();
                return nullptr;
            }
        }
        blocks.push_back({memory, bytes, false});
        best = &blocks.back();
    }
    best->used = true;
    return best->memory;
}

void stream_slot_block_back(stream_slot *streams, bool pinned, void *memory) {
    for (memory_block &block : pinned ? streams->pinned_blocks : streams->device_blocks)
        if (block.memory == memory) block.used = false;
}

} // namespace alcore_cuda
