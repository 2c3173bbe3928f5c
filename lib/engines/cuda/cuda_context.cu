/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the primary context of a device current for the length of a call and restores the caller's,
 * so that a host program with contexts of its own finds them unchanged. */
#include "cuda_context.cuh"

#include <mutex>
#include <unistd.h>
#include <vector>

namespace alcore_cuda {

namespace {
/* Functions of the driver that have no counterpart in the run-time library. The driver is
 * installed: the entry point of the module has asked for its version. */
struct driver_calls {
    decltype(&cuInit) init = CUDA_DRIVER(cuInit);
    decltype(&cuDeviceGet) device_get = CUDA_DRIVER(cuDeviceGet);
    decltype(&cuDevicePrimaryCtxRetain) retain = CUDA_DRIVER(cuDevicePrimaryCtxRetain);
    decltype(&cuCtxGetId) get_id = CUDA_DRIVER(cuCtxGetId);
    decltype(&cuCtxPushCurrent) push = CUDA_DRIVER(cuCtxPushCurrent);
    decltype(&cuCtxPopCurrent) pop = CUDA_DRIVER(cuCtxPopCurrent);
    bool complete() const { return init && device_get && retain && get_id && push && pop; }
};

/* Looked up once. */
const driver_calls &driver() {
    static const driver_calls all;
    return all;
}

/* A primary context, and its number, which is never given twice. */
struct primary_context {
    CUcontext handle; /* NULL: not retained yet */
    unsigned long long id;
};

/* The primary context of a device. It is retained once and never released: streams and memory of
 * the engine live in it until the process ends or the host resets the device. After that the handle
 * is that of no context, or of a new one with another number: it is retained again. Throws
 * cudaError_t. */
primary_context primary_of(int device) {
    static std::mutex &lock = *new std::mutex();
    static std::vector<primary_context> &primaries = *new std::vector<primary_context>();
    std::lock_guard<std::mutex> guard(lock);
    if (primaries.size() <= (size_t)device) primaries.resize((size_t)device + 1);
    primary_context &primary = primaries[(size_t)device];
    unsigned long long id = 0;
    CUdevice number;
    if (primary.handle && driver().get_id(primary.handle, &id) == 0 && id == primary.id)
        return primary;
    if (!driver().complete() || driver().init(0) != 0 ||
        driver().device_get(&number, device) != 0 ||
        driver().retain(&primary.handle, number) != 0 ||
        driver().get_id(primary.handle, &primary.id) != 0)
        throw(cudaError_t) cudaErrorInvalidDevice;
    return primary;
}
} // namespace

bool is_forked() {
    static const pid_t loader = getpid();
    return getpid() != loader;
}
/* Asked once while the module is loaded. */
[[maybe_unused]] const bool process_known = is_forked();

/* Pushes the primary context of the device on the thread's stack of contexts. Throws cudaError_t,
 * with the stack as before. */
context_scope::context_scope(int device) {
    if (is_forked()) throw(cudaError_t) cudaErrorInitializationError;
    const primary_context primary = primary_of(device);
    if (driver().push(primary.handle) != 0) throw(cudaError_t) cudaErrorInvalidDevice;
    context_id = primary.id;
    cudaThreadExchangeStreamCaptureMode(&mode);
}

/* Pops it: what was current before is current again. */
context_scope::~context_scope() {
    CUcontext popped;
    cudaThreadExchangeStreamCaptureMode(&mode);
    driver().pop(&popped);
}

} // namespace alcore_cuda
