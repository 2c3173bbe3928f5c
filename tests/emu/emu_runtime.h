/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA on the CPU, for tests: the parts of the language and of the run-time library that
 * lib/engines/cuda uses. It is meant to expose mistakes: threads and blocks run in ascending,
 * descending or random order, shared memory is poisoned, streams run as late as their events allow;
 * a barrier or shuffle that a named lane never reaches ends the kernel with an error, and so does
 * an atomic on a float. It needs no header of CUDA. emu_kernel.cpp runs kernels, emu_device.cpp has
 * memory and streams. / */
#ifndef EMU_RUNTIME_H
#define EMU_RUNTIME_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <typeinfo>

/* ---- the language ---- */

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

namespace emu {
/* threadIdx, blockIdx, blockDim and gridDim of the running thread. */
struct place {
    dim3 thread, block, threads, blocks;
};
extern place here;

/* __syncthreads(); site: line of the source. */
void barrier(int site);

/* A warp operation of the lanes of mask: this lane brings value (and argument, width of shuffles)
 * and gets the result back when all have arrived. */
enum kind { SHFL, SHFL_DOWN, SHFL_UP, SHFL_XOR, BALLOT, SYNC, TENSOR, PARTS };
uint64_t warp(kind what, uint32_t mask, uint64_t value, int argument, int width, int site);

/* tensor_step() of cuda_tensor.cuh: the lanes bring the fragments of mma.m16n8k16 of the PTX
 * manual, of float16 or bfloat16. Its sums have errors as large as the bound of cuda_filter.cuh
 * allows. */
void tensor_step(float *sum, const uint32_t *a, const uint32_t *b, bool bfloat16, int site);

/* load_parts() of cuda_tensor.cuh: ldmatrix with four matrices of 8 x 8 numbers of 16 bits. */
void load_parts(uint32_t *part, const void *line, int site);

/* Asynchronous copies (cuda_tensor.cuh): they arrive in copy_wait(), and until then the destination
 * holds plausible random values. */
void copy_begin(void *shared, const void *from, size_t bytes);
void copy_group();
void copy_wait(int left);

/* Around an atomic on a word of shared memory: until the next barrier of the block AddressSanitizer
 * ends a program that accesses the word in another way. It can only poison the upper half of eight
 * bytes, so only every other word is watched. */
void atomic_begin(void *word, size_t bytes);
void atomic_end(void *word, size_t bytes);

/* Storage of the block, poisoned when the block begins; `site` tells declarations apart, `name` is
 * that of the variable, `alignment` that of its type. */
void *shared_storage(size_t bytes, size_t alignment, const char *name, int site);
void *dynamic_storage();

/* written, parameters: by which the kernel is named (alcore_emu_kernel()). */
void launch(dim3 blocks, dim3 threads, size_t shared, void *stream, const char *written,
            const char *parameters, std::function<void()> body);

/* Queues a kernel with a copy of its arguments. */
template <class... Parameters, class... Arguments>
void launch_with(dim3 blocks, dim3 threads, void *stream, const char *name,
                 void (*kernel)(Parameters...), Arguments... arguments) {
    std::tuple<Parameters...> taken(arguments...);
    launch(blocks, threads, 0, stream, name, typeid(kernel).name(),
           [=] { std::apply(kernel, taken); });
}

/* Reports an error of the running kernel, which ends. */
void complain(const char *text);

inline float float_of_half(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float x = exponent == 31  ? (fraction ? NAN : INFINITY)
              : exponent == 0 ? ldexpf((float)fraction, -24)
                              : ldexpf((float)(1024 + fraction), exponent - 25);
    return bits >> 15 ? -x : x;
}
/* x rounded to the nearest float16, to even in a tie; |x| at most 65504. */
inline uint16_t half_of_float(float x) {
    float magnitude = fabsf(x);
    int exponent = magnitude < 0x1p-14f ? -14 : ilogbf(magnitude);
    uint32_t units = (uint32_t)nearbyintf(ldexpf(magnitude, 10 - exponent));
    return (uint16_t)((units + ((uint32_t)(exponent + 14) << 10)) | (x < 0.0f ? 0x8000u : 0u));
}

/* Counts one event of a kind (EMU_FILTERED_TILES, ...). */
void count(int event);

/* `pays`, or what alcore_emu_filters() set. */
bool filters(bool pays);

/* The emulated cuBLAS (emu_blas.cpp): whether a test lets the engine use it; and dlopen(), dlsym()
 * and the name of what was opened, for libraries that the emulation has. */
bool multiplies();
void *library(const char *name, bool only_loaded);
void *library_function(void *library, const char *name);
const char *library_name(void *library);

/* value, or a neighbor of it by up to 2 units in the last place. */
double perturbed(double value);
float perturbed(float value);

template <class T> uint64_t bits_of(T value) {
    static_assert(sizeof(T) <= 8, "a shuffle moves 8 bytes at most");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T> T value_of(uint64_t bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T> T shuffle(kind what, uint32_t mask, T value, int argument, int width, int site) {
    return value_of<T>(warp(what, mask, bits_of(value), argument, width, site));
}
} // namespace emu

#define threadIdx (emu::here.thread)
#define blockIdx (emu::here.block)
#define blockDim (emu::here.threads)
#define gridDim (emu::here.blocks)

#define __syncthreads() emu::barrier(__LINE__)
#define __syncwarp(mask) ((void)emu::warp(emu::SYNC, mask, 0, 0, 32, __LINE__))
#define __shfl_sync(mask, value, lane, width)                                                      \
    emu::shuffle(emu::SHFL, mask, value, lane, width, __LINE__)
#define __shfl_down_sync(mask, value, by, width)                                                   \
    emu::shuffle(emu::SHFL_DOWN, mask, value, by, width, __LINE__)
#define __shfl_up_sync(mask, value, by, width)                                                     \
    emu::shuffle(emu::SHFL_UP, mask, value, by, width, __LINE__)
#define __shfl_xor_sync(mask, value, with, width)                                                  \
    emu::shuffle(emu::SHFL_XOR, mask, value, with, width, __LINE__)
#define __ballot_sync(mask, what)                                                                  \
    ((unsigned)emu::warp(emu::BALLOT, mask, (what) ? 1 : 0, 0, 32, __LINE__))
#define __any_sync(mask, what) (__ballot_sync(mask, what) != 0)

static inline int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}
static inline int __ffs(int bits) {
    return __builtin_ffs(bits);
}
static inline double __longlong_as_double(long long bits) {
    return emu::value_of<double>((uint64_t)bits);
}
static inline long long __double_as_longlong(double value) {
    return (long long)emu::bits_of(value);
}
static inline int __float_as_int(float value) {
    return (int)emu::bits_of(value);
}
static inline float __int_as_float(int bits) {
    return emu::value_of<float>((uint32_t)bits);
}
static inline float __uint_as_float(unsigned bits) {
    return emu::value_of<float>(bits);
}

/* Only one thread of the emulation runs at a time, so plain code is atomic. A word of shared memory
 * that had an atomic must not be accessed in another way before the next barrier. */
template <class T, class Change> static inline T emu_atomic(T *at, const Change &change) {
    emu::atomic_begin(at, sizeof *at);
    T before = *at;
    *at = change(before);
    emu::atomic_end(at, sizeof *at);
    return before;
}
template <class T> static inline T atomicAdd(T *at, T value) {
    if (!std::is_integral<T>::value) emu::complain("an atomic on a float: its sum has no order");
    return emu_atomic(at, [&](T before) { return (T)(before + value); });
}
template <class T> static inline T atomicMin(T *at, T value) {
    return emu_atomic(at, [&](T before) { return value < before ? value : before; });
}
template <class T> static inline T atomicMax(T *at, T value) {
    return emu_atomic(at, [&](T before) { return value > before ? value : before; });
}
template <class T> static inline T atomicOr(T *at, T value) {
    return emu_atomic(at, [&](T before) { return (T)(before | value); });
}

/* ---- the run-time library ---- */

#define CUDART_VERSION 13000

typedef int cudaError_t;
enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidContext = 201,
    cudaErrorECCUncorrectable = 214,
    cudaErrorInvalidHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchTimeout = 702,
    cudaErrorAssert = 710,
    cudaErrorHardwareStackError = 714,
    cudaErrorIllegalInstruction = 715,
    cudaErrorMisalignedAddress = 716,
    cudaErrorInvalidAddressSpace = 717,
    cudaErrorInvalidPc = 718,
    cudaErrorContextIsDestroyed = 709,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureImplicit = 906
};
typedef struct emu_stream *cudaStream_t;
typedef struct emu_event *cudaEvent_t;
typedef struct emu_pool *cudaMemPool_t;
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum cudaStreamCaptureMode { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed = 2 };
enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2, cudaHostAllocPortable = 1 };
enum cudaMemoryType {
    cudaMemoryTypeUnregistered,
    cudaMemoryTypeHost,
    cudaMemoryTypeDevice,
    cudaMemoryTypeManaged
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
};
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrMemoryPoolsSupported = 115
};
enum cudaMemAllocationType { cudaMemAllocationTypePinned = 1 };
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1 };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
struct cudaMemPoolProps {
    cudaMemAllocationType allocType;
    struct {
        cudaMemLocationType type;
        int id;
    } location;
};

const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDriverGetVersion(int *out);
cudaError_t cudaGetDeviceCount(int *out);
cudaError_t cudaGetDevice(int *out);
cudaError_t cudaSetDevice(int device);
/* The driver's calls for contexts. A thread without a current context gets the primary one of
 * device 0 from the first call of the run-time library that needs one, as on a device. */
typedef int CUresult;
typedef int CUdevice;
typedef struct emu_context *CUcontext;
CUresult cuInit(unsigned flags);
CUresult cuDeviceGet(CUdevice *out, int ordinal);
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device);
CUresult cuCtxGetId(CUcontext context, unsigned long long *out);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *out);
cudaError_t cudaDeviceGetAttribute(int *out, cudaDeviceAttr what, int device);
cudaError_t cudaMalloc(void **out, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const cudaMemPoolProps *props);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr what, void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total);
cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *pointer);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *out);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);

#include "emu_control.h"

#endif
