/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel table of one engine. Each entry sets the floating-point mode of spec 1.8 (round to
 * nearest, subnormals kept) for the length of the call, because a host may have set another one for
 * its thread (torch flushes subnormals), and restores the host's mode. */
#include "engines/cpu/cpu_engine.h"

#define TEXT2(name) #name
#define TEXT(name) TEXT2(name)

/* mode_begin() sets the default mode of the processor, which is that of spec 1.8, and returns the
 * host's; mode_end() restores that. All control bits are 0 in the default mode but the exception
 * masks of x86 (0x1f80). On other processors than these two the host's mode is left as it is. */
#if defined(__x86_64__)
#include <xmmintrin.h>
static unsigned mode_begin(void) {
    unsigned mode = _mm_getcsr();
    _mm_setcsr(0x1f80u);
    return mode;
}
static void mode_end(unsigned mode) {
    _mm_setcsr(mode);
}
#elif defined(__aarch64__)
static uint64_t mode_begin(void) {
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(0)));
    return mode;
}
static void mode_end(uint64_t mode) {
    __asm__ volatile("msr fpcr, %0" ::"r"(mode));
}
#else
static int mode_begin(void) {
    return 0;
}
static void mode_end(int mode) {
    (void)mode;
}
#endif

/* Defines an entry of the table: CPU(name) between mode_begin() and mode_end(). The kernel is in
 * another file, so that the compiler cannot move its operations over the change of mode. */
#define ENTRY(name, parameters, arguments)                                                         \
    static alcore_status name parameters {                                                         \
        __auto_type mode = mode_begin();                                                           \
        alcore_status status = CPU(name) arguments;                                                \
        mode_end(mode);                                                                            \
        return status;                                                                             \
    }

ENTRY(widen,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask, double *out),
      (work, rows, mask, out))
ENTRY(dots,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
       const double *vector, double *out),
      (work, rows, mask, vector, out))
ENTRY(self_dots,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask, double *out),
      (work, rows, mask, out))
ENTRY(sq_dists,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
       const double *vector, double *out),
      (work, rows, mask, vector, out))
ENTRY(group_sums,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const int32_t *group,
       int64_t groups, double *sums, int64_t *counts),
      (work, rows, group, groups, sums, counts))
ENTRY(group_cosine,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const int32_t *group,
       int64_t groups, const double *centroids, double *out),
      (work, rows, group, groups, centroids, out))
ENTRY(nearest_centroid,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const int32_t *group,
       int64_t groups, const int64_t *starts, const double *centroids, int32_t *nearest,
       double *distance, double *low, double *high),
      (work, rows, group, groups, starts, centroids, nearest, distance, low, high))
ENTRY(idds_update,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
       const double *norms, const double *picked, double picked_norm, double *a, double *b,
       const alcore_sys_idds *idds, const double *s, double *scores),
      (work, rows, mask, norms, picked, picked_norm, a, b, idds, s, scores))
ENTRY(idds_scores,
      (const alcore_sys_work *work, int64_t count, const uint8_t *mask, const alcore_sys_idds *idds,
       const double *a, const double *b, const double *s, double *out),
      (work, count, mask, idds, a, b, s, out))
ENTRY(arg_max,
      (const alcore_sys_work *work, int64_t count, const uint8_t *mask, const double *values,
       int64_t *item, double *value),
      (work, count, mask, values, item, value))
ENTRY(ragged_nnll,
      (const alcore_sys_work *work, const alcore_sys_ragged *items, const uint8_t *mask,
       double *out, int64_t *floored, int64_t *bad),
      (work, items, mask, out, floored, bad))
ENTRY(class_stats,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask, int32_t kind,
       alcore_sys_class_stats *out, int64_t *bad),
      (work, rows, mask, kind, out, bad))
ENTRY(distance_sums,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
       const alcore_sys_rows *targets, const int32_t *group, int64_t groups, double *sums),
      (work, rows, mask, targets, group, groups, sums))
ENTRY(distance_bounds,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
       const alcore_sys_rows *targets, const int32_t *group, int64_t groups, double *low,
       double *high),
      (work, rows, mask, targets, group, groups, low, high))
ENTRY(min_sq_dists,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
       const double *centroids, int64_t count, const double *centroid_dots, const double *row_dots,
       int32_t zero_duplicates, const alcore_sys_weights *weights),
      (work, rows, mask, centroids, count, centroid_dots, row_dots, zero_duplicates, weights))
ENTRY(min_badge,
      (const alcore_sys_work *work, const alcore_sys_rows *a, const alcore_sys_rows *h,
       const uint8_t *mask, const double *centroids_a, const double *centroids_h, int64_t count,
       const double *centroid_squares, const double *squares, const alcore_sys_weights *weights),
      (work, a, h, mask, centroids_a, centroids_h, count, centroid_squares, squares, weights))
ENTRY(update_min,
      (const alcore_sys_work *work, int64_t count, const uint8_t *mask, const double *values,
       const alcore_sys_weights *weights),
      (work, count, mask, values, weights))
ENTRY(draw,
      (const alcore_sys_work *work, int64_t count, const uint8_t *mask, const double *values,
       double before, double target, int64_t *item),
      (work, count, mask, values, before, target, item))
ENTRY(knn,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
       const alcore_sys_rows *queries, const uint8_t *query_mask, const alcore_sys_search *search,
       const alcore_sys_best *query_best, const alcore_sys_best *row_best),
      (work, rows, mask, queries, query_mask, search, query_best, row_best))
ENTRY(margin_ratios,
      (const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
       const alcore_sys_rows *others, const uint8_t *other_mask, const alcore_sys_search *search,
       const double *row_half, const double *other_half, double *ratio, int64_t *other),
      (work, rows, mask, others, other_mask, search, row_half, other_half, ratio, other))
ENTRY(logit_stats,
      (const alcore_sys_work *work, const alcore_sys_rows *logits, const int64_t *labels,
       int64_t ignore, const alcore_sys_token_stats *out, int64_t *bad),
      (work, logits, labels, ignore, out, bad))
ENTRY(hidden_stats,
      (const alcore_sys_work *work, const alcore_sys_rows *hidden, const alcore_sys_rows *output,
       const float *bias, const int64_t *labels, int64_t ignore, const alcore_sys_token_stats *out,
       int64_t *bad),
      (work, hidden, output, bias, labels, ignore, out, bad))
ENTRY(sequence_nnll,
      (const alcore_sys_work *work, const double *logprob, const int64_t *labels, int64_t ignore,
       const int64_t *offsets, const int64_t *rows, int64_t count, double *out, int64_t *floored),
      (work, logprob, labels, ignore, offsets, rows, count, out, floored))

/* The table of this engine, by whose full name lib/kernel/kernels.c knows it. */
#define SET(name) .name = name,
extern const alcore_sys_kernels CPU(kernels);
const alcore_sys_kernels CPU(kernels) = {.size = sizeof(alcore_sys_kernels),
                                         .abi = ALCORE_SYS_ABI,
                                         .device = ALCORE_DEVICE_CPU,
                                         .engine = "cpu-" TEXT(ALCORE__CPU),
                                         CPU_EACH_KERNEL(SET)};
