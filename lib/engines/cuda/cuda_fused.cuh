/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of tokens from hidden states and classes of the same 16-bit type in one kernel, whose
 * logits stay in shared memory: for hidden_stats where cuBLAS is absent, or the logits cost more
 * than the product (fused_pays() of cuda_hidden.cu). */
#ifndef ALCORE__CUDA_FUSED_CUH
#define ALCORE__CUDA_FUSED_CUH

#include "cuda_product.cuh"
#include "cuda_stats.cuh"

namespace alcore_cuda {

/* Components of a row as the fused kernel reads it: whole stages of its pipeline (cuda_tile.cuh),
 * with zeros behind the last of `dims` components. */
int64_t fused_dims(int64_t dims);

/* Whether the fused kernel reads a matrix of `dims` components a row where it is: whole stages, and
 * rows at multiples of 16 bytes. */
bool fused_in_form(const matrix_view &rows, int64_t dims);

/* Number of splits of `classes` classes, for `tokens` tokens: as many blocks as run on the device
 * at once. It depends on these numbers and the kind of the device alone. At most FUSED_STATES /
 * tokens, or 1. */
int64_t fused_splits(call &c, int64_t tokens, int64_t classes);
const int64_t FUSED_STATES = 528 * 128;

/* Statistics of tokens over each split of the classes: partial [splits, tokens]. Both matrices are
 * float16 or bfloat16 and in form, with `dims` components, whole stages; there is a class. Row 0 of
 * classes is class first_class; bias, labels and list: as of split_kernel (cuda_hidden.cu); out:
 * the outputs that the call wants. On the compute stream. */
void fused_stats(call &c, const matrix_view &tokens, const matrix_view &classes, int64_t dims,
                 int64_t first_class, const float *bias, const int64_t *labels, const int32_t *list,
                 int64_t splits, const stats_out &out, token_state *partial);

} // namespace alcore_cuda

#endif
