/* SPDX-License-Identifier: Apache-2.0 */
/* Models on the CPU whose matrices are kept in bfloat16 or in 8 bits, and matrices in float32 that
 * are packed for a call (torch_products.h): hidden states, norms, softmax and everything else are
 * float32. */
#ifndef ALCORE__TORCH_NARROW_H
#define ALCORE__TORCH_NARROW_H

#include "torch_parts.h"
#include "torch_products.h"

namespace alcore_torch {

/* The weight of a Linear in a narrow type, or packed in float32. Where the processor has no
 * instructions for a narrow type, `kernels` is NULL and the weight of the Linear is the rounded one
 * in float32, by which inputs are multiplied that are rounded alike: the same results but for the
 * order of sums. */
struct NarrowWeight {
    at::ScalarType type; /* kBFloat16, kChar or kFloat */
    int64_t out, in;
    const torch_products *kernels;
    at::Tensor values, scales, sums,
        bias; /* as torch_product has them; undefined without kernels */
};

/* Keeps the matrices of the blocks, and the output matrix where it is that of a vocabulary, in
 * model.products, and makes all else float32. A model of which this is not done is left as it is:
 * one in float32, or on another device. The weights are not in model.stored afterwards. Throws when
 * cancelled. */
void narrow_model(Model &model);

/* The weight of a linear in float32 for products by the kernels, which the linear keeps beside it;
 * NULL: there are no kernels for it here. Throws when cancelled. */
std::shared_ptr<const NarrowWeight> packed_weight(const Host &host, const Linear &linear);

/* Rows ids [n] of a table of words in bfloat16 whose panels have replaced it, float [n, in]. */
at::Tensor packed_rows(const NarrowWeight &weight, const at::Tensor &ids);

/* after(x weight^T + bias) * times + added, for a linear that is narrow; times and added may be
 * undefined. */
at::Tensor narrow_product(const Linear &linear, const at::Tensor &x,
                          torch_after after = TORCH_AFTER_NOTHING, const at::Tensor &times = {},
                          const at::Tensor &added = {});

} // namespace alcore_torch

#endif
