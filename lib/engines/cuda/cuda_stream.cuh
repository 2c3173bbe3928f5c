/* SPDX-License-Identifier: Apache-2.0 */
/* Stream slots: the streams, events and memory that a call works with. They outlive it, because
 * making them costs more than most calls. A device has MAX_STREAM_SLOTS of them, which is how many
 * calls run at once: a call acquires an idle slot. Where there is none it waits, and asks the host
 * while it waits whether to stop.
 *
 * Kernels of the last call of an idle slot may still be queued: their end is the event `busy`. A
 * call takes a slot where they are done, or a new one; only then one where they are not, and its
 * stream, not the host, then waits for the event. Two calls in the default stream need not even do
 * that, as that stream never ends and orders all that they do on the device.
 *
 * Memory: a slot keeps blocks of up to KEPT_BYTES on the device and as much pinned (page-locked)
 * host memory. What a call needs beyond comes from a pool of the device, which belongs to this
 * engine, and goes back to it in the order of the call's stream: neither waits for the device, as
 * cudaFree() does. The pool keeps a part of the device's memory for later calls. A device without
 * pools is asked for each of these blocks.
 *
 * After a reset of the device by the host (cuda_context.cuh) its slots, their blocks and its pool
 * are forgotten, and the next call makes new ones. Thread-safe: a lock guards the list of idle
 * slots; a slot itself belongs to one call. */
#ifndef ALCORE__CUDA_STREAM_CUH
#define ALCORE__CUDA_STREAM_CUH

#include <vector>

#include "cuda_call.cuh"

namespace alcore_cuda {

/* Slots of one device. */
const int MAX_STREAM_SLOTS = 4;
/* Device memory that copies of host arrays may occupy when the caller names no limit: this part of
 * what is free, but not less than MIN_STAGING_BYTES. */
const size_t STAGING_PART = 16, MIN_STAGING_BYTES = (size_t)1 << 20;
/* Device memory, and pinned memory, that a slot keeps for the next call. */
const size_t KEPT_BYTES = (size_t)64 << 20;
/* A pool keeps up to this part of the device's memory when the host waits for the device: two
 * calls of the largest wide blocks of 768 components on a device of 80 GB. */
const size_t POOL_PART = 32;
/* Pinned memory of a slot that small copies go through (call::ring_piece), and the most that one of
 * them takes. A copy of a megabyte takes some 40 us on PCIe 4, several times what starting it does.
 */
const size_t RING_BYTES = (size_t)8 << 20, PIECE_BYTES = RING_BYTES / 4;

/* An allocation that a slot keeps. */
struct memory_block {
    void *memory;
    size_t bytes;
    bool used; /* by the present call; false: idle */
};

struct stream_slot {
    int device;           /* number of the device that all members belong to */
    uint64_t context;     /* number of the context in which they were made */
    cudaMemPool_t pool;   /* of the device, for all of its slots; NULL: it has none */
    cudaStream_t compute; /* kernels, where the caller gave no stream of its own */
    cudaStream_t copy;    /* copies of pipelines, beside the kernels */
    cudaEvent_t busy;     /* recorded at the end of a call: its kernels are done when it passes */
    cudaStream_t last;    /* the stream that it was recorded in; NULL: there was no call yet */
    cudaEvent_t begin;    /* arrays of the caller, or memory of an earlier pass, are ready */
    cudaEvent_t up[2];    /* for each buffer of a pipeline: its chunk is copied to the device */
    cudaEvent_t done[2];  /* its chunk is computed and copied back */
    std::vector<memory_block>
        blocks[2];         /* used ones and idle ones: [0] device memory, [1] pinned */
    char *ring;            /* [2, RING_BYTES / 2] pinned */
    int ring_half;         /* the half that pieces are taken from */
    size_t ring_used;      /* bytes of that half that copies in flight may use */
    cudaEvent_t passed[2]; /* copies that use a half are done; recorded when it is full */
    void *blas;            /* handle of cuBLAS (cuda_blas.cuh); NULL: no call has needed one yet */
};

/* An idle slot of the device; waits while all are in use. context: the number of the current
 * context. *behind: the event that the call's stream has to wait for, NULL: none. Throws no_memory,
 * cudaError_t, or failure when the host wants to stop. */
stream_slot *stream_slot_acquire(const alcore_sys_work *work, int device, uint64_t context,
                                 cudaEvent_t *behind);
void stream_slot_release(stream_slot *streams);

/* A block of at least `bytes` bytes, pinned host memory or memory of the device for what is in the
 * compute stream of the call, in use until stream_slot_block_back() or the release of the slot;
 * NULL when there is no memory. */
void *stream_slot_block(stream_slot *streams, bool pinned, size_t bytes, cudaStream_t compute);
/* The block with that address is idle from now on, for the present call too, which may still have
 * kernels queued that use a block of the device. NULL, and memory that is no block of the slot, are
 * ignored. */
void stream_slot_block_back(stream_slot *streams, bool pinned, const void *memory);

/* Gives what the pool of a device keeps for later calls back to the device, when what is in the
 * compute stream of the call is done. */
void stream_pool_trim(const stream_slot *streams, cudaStream_t compute);

/* Device memory that outlives the call, for rows of that shape: fills *held, whose memory is NULL
 * where there is not enough, as a quarter of the device's stays free. */
void hold_rows(call &c, const alcore_sys_rows &rows, alcore_sys_held *held);
/* Runs `make` as an entry of the kernel table, with a *held of zeros that it may fill; *out becomes
 * that, or zeros where it has no memory or the entry failed, and the memory is then given back. */
alcore_status make_held(const alcore_sys_work *work, alcore_sys_held *out,
                        const std::function<void(call &, alcore_sys_held *)> &make);
/* Throws where an array is in memory that hold_rows() made before the host reset the device. */
void check_held(const call &c, const void *array);

} // namespace alcore_cuda

#endif
