/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA engine compiled as C++ against emu_runtime.h: the same sources as nvcc compiles. */
#include "cuda_engine.cu"
