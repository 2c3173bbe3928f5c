/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and memory that outlive a call: making them costs more than most calls. */
#ifndef ALCORE__CUDA_LANE_CUH
#define ALCORE__CUDA_LANE_CUH

#include <vector>

#include "cuda_call.cuh"

namespace alcore_cuda {

/* Lanes of one device: as many calls run at once, more wait. */
const int MOST_LANES = 4;
/* Bytes that staging may take of the device, and memory that a lane keeps for the next call. */
const size_t STAGING_BYTES = (size_t)32 << 20, KEPT_BYTES = (size_t)64 << 20;
/* Pinned memory that small copies go through. */
const size_t RING_BYTES = (size_t)1 << 20;

struct memory_block {
    void *memory;
    size_t bytes;
    bool used;
};

struct lane {
    int device;
    cudaStream_t compute, copy;
    cudaEvent_t busy; /* what the last call left in a stream */
    cudaEvent_t begin, up[2], done[2];
    std::vector<memory_block> device_blocks, pinned_blocks;
    char *ring;
    size_t ring_used;
};

/* A free lane of the current device, which nothing uses any more; waits for one when all are taken.
 * Throws no_memory. */
lane *lane_take(const alcore_sys_work *work, int device);
void lane_give(lane *own);

/* A block of at least that many bytes; NULL when there is none. */
void *lane_block(lane *own, bool pinned, size_t bytes);
void lane_block_back(lane *own, bool pinned, void *memory);

} // namespace alcore_cuda

#endif
