/* SPDX-License-Identifier: Apache-2.0 */
/* The entry point of the module: returns the kernel table, or says in plain words why no device can
 * be used. It calls only functions of CUDA that make no context: driver version, number of devices,
 * compute capability. */
#include <cstdio>

#include "cuda_call.cuh"
#include "cuda_entries.h"

namespace alcore_cuda {
namespace {
/* The kernel table of this module. Entries that are not set here stay NULL: the library does
 * without them. */
alcore_sys_kernels make_table() {
    alcore_sys_kernels made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.abi = ALCORE_SYS_ABI;
    made.device = ALCORE_DEVICE_CUDA;
    made.engine = CUDA_ENGINE;
    made.widen = widen;
    made.dots = dots;
    made.self_dots = self_dots;
    made.sq_dists = sq_dists;
    made.group_sums = group_sums;
    made.group_cosine = group_cosine;
    made.group_sq_dists = group_sq_dists;
    made.nearest_centroid = nearest_centroid;
    made.idds_update = idds_update;
    made.idds_scores = idds_scores;
    made.arg_max = arg_max;
    made.ragged_nnll = ragged_nnll;
    made.class_stats = class_stats;
    made.logit_stats = logit_stats;
    made.hidden_stats = hidden_stats;
    made.knn = knn;
    made.margin_ratios = margin_ratios;
    made.distance_sums = distance_sums;
    made.distance_bounds = distance_bounds;
    made.sequence_nnll = sequence_nnll;
    made.min_sq_dists = min_sq_dists;
    made.min_badge = min_badge;
    made.update_min = update_min;
    made.draw = draw;
    made.upload = upload;
    made.release = release;
    made.download = download;
    made.store = store;
    made.run_totals = run_totals;
    made.convert = convert;
    return made;
}

/* The oldest driver that runs this module: that of the toolkit's major release. */
const int OLDEST_DRIVER = CUDART_VERSION / 1000 * 1000;
/* The oldest compute capability that the module holds code for: 8.0. */
const int OLDEST_MAJOR = 8;

/* Sets the error text through the host's callback, where there is one, and returns
 * ALCORE_E_UNSUPPORTED. */
alcore_status refuse(const alcore_sys_host *host, const char *text) {
    return host->set_error ? host->set_error(ALCORE_E_UNSUPPORTED, text, strlen(text))
                           : ALCORE_E_UNSUPPORTED;
}

/* ALCORE_OK when the driver and the first device can run this module; else says why not. CUDA
 * counts versions as 1000 major + 10 minor. An error of CUDA that was reported here is cleared. */
alcore_status check_device(const alcore_sys_host *host) {
    char text[200];
    int driver = 0, devices = 0, major = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
        cudaGetLastError();
        return refuse(host, "no NVIDIA driver on this machine (libcuda.so.1 is not there)");
    }
    if (driver < OLDEST_DRIVER) {
        snprintf(text, sizeof text,
                 "the NVIDIA driver is too old: it serves CUDA %d.%d, this module needs %d.%d",
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
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
        major < OLDEST_MAJOR) {
        snprintf(text, sizeof text,
                 "the first device has compute capability %d.x, this module needs %d.0", major,
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
