/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of the CUDA engine as one C++ file. */
#include "cuda_engine.cu"
