/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point of the module: returns the kernel table, or says in plain words why no device can
 * be used. It calls only functions of CUDA that make no context: driver version, number of devices,
 * compute capability. */
#include <algorithm>
#include <cstdio>

#include "cuda_call.cuh"
#include "cuda_entries.h"

namespace alcore_cuda {
namespace {
/* The kernel table of this module. Entries that it does not have stay NULL: the library does
 * without them. */
alcore_sys_kernels make_table() {
    alcore_sys_kernels made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.abi = ALCORE_SYS_ABI;
    made.device = ALCORE_DEVICE_CUDA;
    made.engine = CUDA_ENGINE;
#define CUDA_SET(name) made.name = name;
    CUDA_ENTRIES(CUDA_SET)
#undef CUDA_SET
    return made;
}

/* The oldest driver that runs this module: that of the toolkit's major release. */
const int OLDEST_DRIVER = CUDART_VERSION / 1000 * 1000;
/* The branch of drivers that first served it, as NVIDIA numbers them. */
#define OLDEST_BRANCH "580"
static_assert(OLDEST_DRIVER == 13000, "the branch is that of CUDA 13");

/* Sets the error text through the host's callback, where there is one, and returns
 * ALCORE_E_UNSUPPORTED. */
alcore_status refuse(const alcore_sys_host *host, const char *text) {
    return host->set_error ? host->set_error(ALCORE_E_UNSUPPORTED, text, strlen(text))
                           : ALCORE_E_UNSUPPORTED;
}

/* ALCORE_OK when the driver and some device can run this module; else says why not. CUDA
 * counts versions as 1000 major + 10 minor. An error of CUDA that was reported here is cleared. */
alcore_status check_device(const alcore_sys_host *host) {
    char text[200];
    int driver = 0, devices = 0, newest = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
        cudaGetLastError();
        return refuse(host,
                      "no NVIDIA driver on this machine (libcuda.so.1 is not there); this module "
                      "needs driver " OLDEST_BRANCH " or newer");
    }
    if (driver < OLDEST_DRIVER) {
        snprintf(text, sizeof text,
                 "the NVIDIA driver is too old: it serves CUDA %d.%d, this module needs %d.%d, "
                 "which is driver " OLDEST_BRANCH " or newer",
                 driver / 1000, driver % 1000 / 10, OLDEST_DRIVER / 1000,
                 OLDEST_DRIVER % 1000 / 10);
        return refuse(host, text);
    }
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        cudaGetLastError();
        snprintf(text, sizeof text, "the NVIDIA driver shows no device: %s",
                 error == cudaSuccess ? "it counts none" : cudaGetErrorString(error));
        return refuse(host, text);
    }
    for (int device = 0; device < devices; device++) newest = std::max(newest, major_of(device));
    if (newest < OLDEST_MAJOR) {
        snprintf(text, sizeof text,
                 "no device has a compute capability above %d.x, this module needs %d.0", newest,
                 OLDEST_MAJOR);
        return refuse(host, text);
    }
    return ALCORE_OK;
}
} // namespace
} // namespace alcore_cuda

/* What the library calls after loading the module (alcore_sys_kernel_entry): *out is the table,
 * static, or NULL with ALCORE_E_UNSUPPORTED where the library is of another release (abi) or no
 * device can run the module. */
extern "C" __attribute__((visibility("default"))) alcore_status
alcore_cuda_entry(uint32_t abi, const alcore_sys_host *host, const alcore_sys_kernels **out) {
    static const alcore_sys_kernels table = alcore_cuda::make_table();
    *out = nullptr;
    if (abi != ALCORE_SYS_ABI)
        return alcore_cuda::refuse(host, "the library is of another release");
    alcore_status status = alcore_cuda::check_device(host);
    if (status == ALCORE_OK) *out = &table;
    return status;
}
