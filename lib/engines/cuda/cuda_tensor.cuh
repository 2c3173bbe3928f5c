/* SPDX-License-Identifier: Apache-2.0 */
/* PTX instructions without a C++ form, each with a counterpart in the emulation (tests/emu):
 * asynchronous copies to shared memory, loads of fragments from there, and a multiply-add of a
 * tensor core. */
#ifndef ALCORE__CUDA_TENSOR_CUH
#define ALCORE__CUDA_TENSOR_CUH

#include "alcore/sys/kernel.h"
#include "cuda_platform.cuh"

/* Eight components of 16 bits, two a word: what one copy moves. */
struct alignas(16) half_unit {
    uint32_t word[4];
};

/* Starts copying a unit from global to shared memory. This thread may read it after copy_wait(),
 * other threads after a barrier that follows. */
__device__ inline void copy_begin(half_unit *shared, const half_unit *source) {
#ifdef ALCORE_CUDA_EMULATED
    emu::copy_begin(shared, source, sizeof *source);
#else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(shared)),
                 "l"(source)
                 : "memory");
#endif
}

/* Ends a group: the copies that this thread started since the last call; it may have none. */
__device__ inline void copy_group() {
#ifdef ALCORE_CUDA_EMULATED
    emu::copy_group();
#else
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until all groups of this thread but the last LEFT are copied. */
template <int LEFT> __device__ inline void copy_wait() {
#ifdef ALCORE_CUDA_EMULATED
    emu::copy_wait(LEFT);
#else
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

/* Loads four parts of 8 lines of shared memory, 16 bytes a line, by a warp together: thread `lane`
 * brings the address of line lane % 8 of part lane / 8, and part[r] becomes word lane % 4 of line
 * lane / 4 of part r, which is what tensor_step() wants of it. */
__device__ inline void load_parts(uint32_t (&part)[4], const half_unit *line) {
#ifdef ALCORE_CUDA_EMULATED
    emu::load_parts(part, line, __LINE__);
#else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
                 : "r"((unsigned)__cvta_generic_to_shared(line))
                 : "memory");
#endif
}

/* sum += A B, computed by a warp together: A is 16 x 16 and B 16 x 8 of type DTYPE, float16 or
 * bfloat16, sum 16 x 8 in float32. With g = lane / 4 and t = lane % 4 the thread `lane` of the warp
 * holds
 *   - a[0], a[1]: rows g and g + 8 of A, columns 2t and 2t + 1, two a word;
 *   - a[2], a[3]: the same rows, columns 2t + 8 and 2t + 9;
 *   - b[0]: column g of B, rows 2t and 2t + 1; b[1]: rows 2t + 8 and 2t + 9;
 *   - sum[0], sum[1]: row g, columns 2t and 2t + 1; sum[2], sum[3]: the same of row g + 8. */
template <int DTYPE>
__device__ inline void tensor_step(float (&sum)[4], const uint32_t (&a)[4], const uint32_t *b) {
#ifdef ALCORE_CUDA_EMULATED
    emu::tensor_step(sum, a, b, DTYPE == ALCORE_BFLOAT16, __LINE__);
#else
    if (DTYPE == ALCORE_BFLOAT16) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        return;
    }
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

#endif
