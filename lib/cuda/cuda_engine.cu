/* SPDX-License-Identifier: Apache-2.0 */
/* The whole engine as one unit: compilers read each header once. */
#include "cuda_call.cu"
#include "cuda_classes.cu"
#include "cuda_greedy.cu"
#include "cuda_groups.cu"
#include "cuda_lane.cu"
#include "cuda_pipeline.cu"
#include "cuda_rows.cu"
#include "cuda_table.cu"
#include "cuda_tokens.cu"
