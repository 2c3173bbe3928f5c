/* SPDX-License-Identifier: Apache-2.0 */
/* Stream slots: the streams, events and memory that a call works with and that outlive it, because
 * making them costs more than most calls. A device has MAX_STREAM_SLOTS of them; a call takes an
 * idle one, or waits for one (and asks the host whether to stop), so that as many calls run at
 * once. Memory: a slot keeps blocks of up to KEPT_BYTES on the device and as much pinned memory; a
 * block is reused by later calls only after `busy`, the last event of the call before, has passed.
 */
#ifndef ALCORE__CUDA_LANE_CUH
#define ALCORE__CUDA_LANE_CUH

#include <vector>

#include "cuda_call.cuh"

namespace alcore_cuda {

/* Slots of one device: the number of calls that run at once; others wait. */
const int MAX_STREAM_SLOTS = 4;
/* Bytes that staging may take of the device, and memory that a slot keeps for the next call. */
const size_t STAGING_BYTES = (size_t)32 << 20, KEPT_BYTES = (size_t)64 << 20;
/* Pinned memory that small copies go through. */
const size_t RING_BYTES = (size_t)1 << 20;

struct memory_block {
    void *memory;
    size_t bytes;
    bool used;
};

struct stream_slot {
    int device;
    cudaStream_t compute, copy;
    cudaEvent_t busy; /* what the last call left in a stream */
    cudaEvent_t begin, up[2], done[2];
    std::vector<memory_block> device_blocks, pinned_blocks;
    char *ring;
    size_t ring_used;
};

/* An idle slot of the device, whose kernels are done; waits when all are in use. Throws no_memory.
 */
stream_slot *stream_slot_acquire(const alcore_sys_work *work, int device);
void stream_slot_release(stream_slot *streams);

/* A block of at least that many bytes; NULL when there is none. */
void *stream_slot_block(stream_slot *streams, bool pinned, size_t bytes);
void stream_slot_block_back(stream_slot *streams, bool pinned, void *memory);

} // namespace alcore_cuda

#endif
