/* SPDX-License-Identifier: Apache-2.0 */
/* The one place where the CUDA build and the emulated build (tests/emu) differ. Kernels are
 * launched and shared memory is declared through these macros, so that both compile the same
 * sources. */
#ifndef ALCORE__CUDA_PLATFORM_CUH
#define ALCORE__CUDA_PLATFORM_CUH

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef ALCORE_CUDA_EMULATED

#include ALCORE_CUDA_EMULATED /* the header of the emulation */

#define CUDA_ENGINE "cuda-emu"

#define CUDA_LAUNCH(kernel, blocks, threads, stream, ...)                                          \
    emu::launch_with(blocks, threads, stream, #kernel, kernel, __VA_ARGS__)

/* Declares `name`, type[count] in the shared memory of the block. Here a reference to memory that
 * the emulation poisons for every block. */
#define CUDA_SHARED(type, name, count)                                                             \
    type(&name)[count] =                                                                           \
        *(type(*)[count])emu::shared_storage(sizeof(type[count]), alignof(type), #name, __LINE__)

/* exp and log of a device: for columns only, because they round differently on every engine. The
 * relative error of exp in float32 is at most (2 + |x|) 2^-23 for x at most 0, and values below
 * 2^-126 may be 0: it is one multiplication and one instruction of the special function unit. exp
 * of 0 is exactly 1 (PTX: ex2.approx of 0 is 1), so that sums which are rescaled by it again and
 * again keep their value. */
template <class Real> inline Real device_exp(Real x) {
    return x == 0 ? 1 : emu::perturbed(std::exp(x));
}
template <class Real> inline Real device_log(Real x) {
    return emu::perturbed(std::log(x));
}

/* 1 / sqrt(x) within a relative error of 2^-22, for positive x that are not subnormal. */
inline float device_rsqrt(float x) {
    return emu::perturbed(1.0f / sqrtf(x));
}

/* x * y + z, with one rounding or two: for columns and filters only. */
template <class Real> inline Real device_fused(Real x, Real y, Real z) {
    return x * y + z;
}

/* The float32 value of a float16, given by its bits, exactly; and the nearest float16 of a float32,
 * ties to even. */
inline float device_float_of_half(uint16_t bits) {
    return emu::float_of_half(bits);
}
inline uint16_t device_half_of_float(float x) {
    return emu::half_of_float(x);
}

/* Whether a filter is used: `pays`, unless a test forces or forbids filters for every shape. */
inline bool device_filters(bool pays) {
    return emu::filters(pays);
}
/* Whether cuBLAS multiplies: `there`, unless a test does without it. */
inline bool device_multiplies(bool there) {
    return there && emu::multiplies();
}
/* Address of a function of the driver; NULL when the driver is not installed. */
#define CUDA_DRIVER(name) &name
/* A shared library, for good; NULL: there is none of that name, or none in the process where only
 * such a one is wanted. CUDA_SYMBOL: a function of it, NULL: it has none of that name.
 * CUDA_SYMBOL_FILE: the file that the function came from. */
#define CUDA_LIBRARY(name, only_loaded) emu::library(name, only_loaded)
#define CUDA_SYMBOL(library, name) emu::library_function(library, name)
#define CUDA_SYMBOL_FILE(library, function) emu::library_name(library)

/* Counts an event of a kernel (emu_control.h), for tests. */
#define CUDA_COUNT(what) emu::count(EMU_##what)

#else

#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#define CUDA_ENGINE "cuda"

#define CUDA_LAUNCH(kernel, blocks, threads, stream, ...)                                          \
    kernel<<<blocks, threads, 0, stream>>>(__VA_ARGS__)

#define CUDA_SHARED(type, name, count) __shared__ type name[count]

/* On a device; what each function promises is said at its emulated form above. */
__device__ inline double device_exp(double x) {
    return exp(x);
}
__device__ inline float device_exp(float x) {
    float power; /* PTX: 2^x, at most 2^-22.5 off; 1.442695041 is the binary logarithm of e */
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * 1.442695041f));
    return power;
}
__device__ inline double device_log(double x) {
    return log(x);
}
__device__ inline float device_log(float x) {
    return logf(x);
}

__device__ inline float device_rsqrt(float x) {
    float inverse;
    asm("rsqrt.approx.f32 %0, %1;" : "=f"(inverse) : "f"(x)); /* PTX: at most 2^-22.9 off */
    return inverse;
}

__device__ inline float device_fused(float x, float y, float z) {
    return __fmaf_rn(x, y, z);
}
__device__ inline double device_fused(double x, double y, double z) {
    return __fma_rn(x, y, z);
}

__device__ inline float device_float_of_half(uint16_t bits) {
    return __half2float(__ushort_as_half(bits));
}

__device__ inline uint16_t device_half_of_float(float x) {
    return __half_as_ushort(__float2half_rn(x));
}

/* 1: filters for every shape, a build that only tests make (tests/gpu). */
#ifndef ALCORE_CUDA_FILTER_ALWAYS
#define ALCORE_CUDA_FILTER_ALWAYS 0
#endif
inline bool device_filters(bool pays) {
    return pays || ALCORE_CUDA_FILTER_ALWAYS;
}
inline bool device_multiplies(bool there) {
    return there;
}
#define CUDA_COUNT(what) ((void)0)

/* Looked up in the library that the driver installs. The stringified name is what cuda.h's macro
 * expands to, which includes the version of the function. */
#define CUDA_NAME_OF(name) #name
#define CUDA_DRIVER(name)                                                                          \
    (decltype(&name))dlsym(dlopen("libcuda.so.1", RTLD_NOW), CUDA_NAME_OF(name))
#define CUDA_LIBRARY(name, only_loaded)                                                            \
    dlopen(name, RTLD_NOW | RTLD_LOCAL | ((only_loaded) ? RTLD_NOLOAD : 0))
#define CUDA_SYMBOL(library, name) dlsym(library, name)
inline const char *device_file_of(const void *function) {
    Dl_info info;
    return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "a file without a name";
}
#define CUDA_SYMBOL_FILE(library, function) device_file_of((const void *)(function))

#endif

/* The larger and the smaller of two numbers, the other one where one is NaN. */
__device__ inline float larger_of(float a, float b) {
    return fmaxf(a, b);
}
__device__ inline double larger_of(double a, double b) {
    return fmax(a, b);
}
__device__ inline float smaller_of(float a, float b) {
    return fminf(a, b);
}
__device__ inline double smaller_of(double a, double b) {
    return fmin(a, b);
}

/* Mask of the shuffles: all 32 threads of the warp take part. */
#define CUDA_FULL_WARP 0xffffffffu

#endif
