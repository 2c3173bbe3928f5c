/* SPDX-License-Identifier: Apache-2.0 */
/* The module Dense of sentence-transformers behind the table of a static model:
 *
 *   y = activation(W x + b), and with use_residual y + x, or y + R x where the sizes differ. */
#ifndef ALCORE__STATIC_DENSE_H
#define ALCORE__STATIC_DENSE_H

#include "base/base.h"

/* A struct of zeros owns nothing. */
typedef struct alcore__static_dense {
    int64_t in, out;  /* components of x and y */
    double *weight;   /* [out, in] owned */
    double *bias;     /* [out] owned; NULL: none */
    double *residual; /* [out, in] owned; NULL: the identity */
    bool has_residual;
    int32_t activation; /* index in the table of static_dense.c */
} alcore__static_dense;

/* Reads config.json, whose keys were checked, and model.safetensors of the folder; *out is cleared
 * by the caller, also after a failure. ALCORE_E_UNSUPPORTED names an activation that is not known.
 */
alcore_status alcore__static_dense_read(alcore_ctx *ctx, const char *folder,
                                        alcore__static_dense *out);
/* y [out] of x [in], which are different arrays. */
void alcore__static_dense_apply(const alcore__static_dense *dense, const double *x, double *y);
void alcore__static_dense_clear(alcore_ctx *ctx, alcore__static_dense *dense);

#endif
