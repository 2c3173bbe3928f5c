/* SPDX-License-Identifier: Apache-2.0 */
/* The current context of the calling thread, which belongs to the host.
 *
 * Calls of the run-time library act on the current context. cudaSetDevice() would replace the
 * host's by a primary one, and putting back what cudaGetDevice() said would make a primary context
 * on device 0 for a host that never named it. So the engine pushes the primary context of the
 * call's device on the thread's stack of contexts and pops it at the end: whatever was current
 * before, a context that the host made or none at all, is current again. Costs two driver calls.
 *
 * While another thread of the host captures a graph in CUDA's global mode, calls that allocate or
 * query would fail and spoil the capture; the engine's own memory is no part of it, so the thread
 * leaves that mode meanwhile. cudaDeviceReset() of the host ends the primary context with all that
 * was made in it; the next call makes a new one, with another number. A process that was forked
 * from the one that loaded the module cannot use CUDA. */
#ifndef ALCORE__CUDA_CONTEXT_CUH
#define ALCORE__CUDA_CONTEXT_CUH

#include "cuda_platform.cuh"

namespace alcore_cuda {

/* Whether the process is not the one that loaded the module, but forked from it. */
bool is_forked();

/* The primary context of `device` is the current one, and the thread's mode of capture the relaxed
 * one, while this lives. */
class context_scope {
  public:
    /* Throws cudaError_t, with the context as before. The device must exist. */
    explicit context_scope(int device);
    ~context_scope();
    context_scope(const context_scope &) = delete;
    context_scope &operator=(const context_scope &) = delete;

    /* The number of the context, which is another one after the host has reset the device: what was
     * made in the one before, memory, streams and events, is gone. */
    uint64_t id() const { return context_id; }

  private:
    uint64_t context_id = 0;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* of the thread: outside of this */
};

} // namespace alcore_cuda

#endif
