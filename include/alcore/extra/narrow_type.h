/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Number types of models, beside those of arrays (alcore/tensor.h). */
#ifndef ALCORE_EXTRA_NARROW_TYPE_H
#define ALCORE_EXTRA_NARROW_TYPE_H

#include "alcore/export.h"

ALCORE_BEGIN

/** A number type for alcore_model_options.dtype, beside those of alcore_number_type, that arrays
 * do not have. */
enum alcore_narrow_type {
    /** Of models on the CPU: the matrices of blocks and that of outputs are kept in 8 bits with a
     * scale for each row, and multiplied by inputs that are rounded to 8 bits with a scale and a
     * zero point for each token; sums are exact, and all else is float32. Such a model is neither
     * trained nor saved.
     * @since 1.1 */
    ALCORE_INT8 = 7800
};

ALCORE_END

#endif
