/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the primary context of a device current for the length of a call and restores the caller's,
 * so that a host program with contexts of its own finds them unchanged. */
#include "cuda_context.cuh"

#include <mutex>
#include <vector>

namespace alcore_cuda {

namespace {
/* The driver's functions, which the run-time library does not offer. The driver is there: the
 * module's entry point has asked for its version. */
struct driver_calls {
    decltype(&cuInit) init = CUDA_DRIVER(cuInit);
    decltype(&cuDeviceGet) device_get = CUDA_DRIVER(cuDeviceGet);
    decltype(&cuDevicePrimaryCtxRetain) retain = CUDA_DRIVER(cuDevicePrimaryCtxRetain);
    decltype(&cuCtxPushCurrent) push = CUDA_DRIVER(cuCtxPushCurrent);
    decltype(&cuCtxPopCurrent) pop = CUDA_DRIVER(cuCtxPopCurrent);
    bool complete() const { return init && device_get && retain && push && pop; }
};

const driver_calls &driver() {
    static const driver_calls all;
    return all;
}

/* Retained once and never released: streams and memory of the engine live in it until the process
 * ends. */
CUcontext primary_of(int device) {
    static std::mutex &lock = *new std::mutex();
    static std::vector<CUcontext> &primaries = *new std::vector<CUcontext>();
    std::lock_guard<std::mutex> held(lock);
    if (primaries.size() <= (size_t)device) primaries.resize((size_t)device + 1);
    CUcontext &primary = primaries[(size_t)device];
    CUdevice number;
    if (!primary &&
        (!driver().complete() || driver().init(0) != 0 ||
         driver().device_get(&number, device) != 0 || driver().retain(&primary, number) != 0))
        throw cudaErrorInvalidDevice;
    return primary;
}
} // namespace

context_scope::context_scope(int device) {
    if (driver().push(primary_of(device)) != 0) throw cudaErrorInvalidDevice;
}

context_scope::~context_scope() {
    CUcontext popped;
    driver().pop(&popped);
}

} // namespace alcore_cuda
