/* SPDX-License-Identifier: Apache-2.0 */
/* A part of the CUDA engine, small enough to be compiled once per mutant (mutants.py). */
#include "cuda_blas.cu"
#include "cuda_call.cu"
#include "cuda_candidates.cu"
#include "cuda_class_tops.cu"
#include "cuda_context.cu"
#include "cuda_convert.cu"
#include "cuda_draws.cu"
#include "cuda_filter.cu"
#include "cuda_fused.cu"
#include "cuda_greedy.cu"
#include "cuda_group_sums.cu"
#include "cuda_held.cu"
#include "cuda_hidden.cu"
#include "cuda_labels.cu"
#include "cuda_logits.cu"
#include "cuda_pipeline.cu"
#include "cuda_product.cu"
#include "cuda_rows.cu"
#include "cuda_search.cu"
#include "cuda_stream.cu"
#include "cuda_upload.cu"
#include "cuda_weights.cu"
#include "cuda_wide_rows.cu"

extern "C" __attribute__((visibility("default"))) alcore_status
alcore_cuda_entry(uint32_t, const alcore_sys_host *, const alcore_sys_kernels **out) {
    static alcore_sys_kernels table;
    table.size = sizeof table;
    table.abi = ALCORE_SYS_ABI;
    table.device = ALCORE_DEVICE_CUDA;
    table.engine = CUDA_ENGINE;
    table.self_dots = alcore_cuda::self_dots;
    table.sq_dists = alcore_cuda::sq_dists;
    table.upload = alcore_cuda::upload;
    table.release = alcore_cuda::release;
    table.widen = alcore_cuda::widen;
    table.download = alcore_cuda::download;
    table.hold = alcore_cuda::hold;
    table.gather = alcore_cuda::gather;
    table.class_tops = alcore_cuda::class_tops;
    table.idds_update = alcore_cuda::idds_update;
    table.arg_max = alcore_cuda::arg_max;
    table.draw = alcore_cuda::draw;
    table.run_totals = alcore_cuda::run_totals;
    table.draw_rows = alcore_cuda::draw_rows;
    table.best_row = alcore_cuda::best_row;
    table.group_sums = alcore_cuda::group_sums;
    table.hidden_stats = alcore_cuda::hidden_stats;
    table.token_stats = alcore_cuda::token_stats;
    table.knn = alcore_cuda::knn;
    table.margin_ratios = alcore_cuda::margin_ratios;
    *out = &table;
    return ALCORE_OK;
}
