/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of the logits that one thread reads, with few instructions for a logit and no branch:
 * shared by logit_stats and the tiles of hidden_stats. */
#ifndef ALCORE__CUDA_LOGIT_STATE_CUH
#define ALCORE__CUDA_LOGIT_STATE_CUH

#include <cfloat>

#include "cuda_platform.cuh"

namespace alcore_cuda {

/* What beside the largest logit and the sum of exponentials is wanted of a token: both cost some
 * instructions for each logit, so each set of them is a kernel of its own. */
enum { RUNNER_UP = 1 /* the second largest logit */, ENTROPY = 2 };

/* Differences of logits count as this where they are lower: exp of it is 0. */
const float LOWEST_CHANGE = -1e4f;

/* Statistics of some classes of a token, with float64 used for float64 logits only: some devices
 * have little of it. */
template <class Real> struct logit_state {
    Real max = -(Real)INFINITY, second = -(Real)INFINITY; /* as in token_state */
    Real sum = 0, weighted = 0;                           /* NaN: a logit was bad */
    Real label = (Real)NAN;                               /* set at the end */
    int64_t argmax = INT64_MAX; /* first class of the unit in which max was met first */
    bool bad = false;           /* set at the end */
};

/* What rounding has added to the sums of a thread, at most half a unit in their last place: it is
 * taken off what is added next (Kahan summation), so that the error of a sum does not grow with the
 * number of classes. Without it a sum of 1 would lose each part below 2^-24. */
template <class Real> struct rounded_up { Real sum = 0, weighted = 0; };

/* *sum += part. */
template <class Real> __device__ inline void add_part(Real *sum, Real *rounded, Real part) {
    Real wanted = part - *rounded, before = *sum;
    *sum = before + wanted;
    *rounded = *sum - before - wanted;
}

/* Rescales the sums of `state` from the maximum `max` that they were made with to `larger`: see
 * rescale_sums() of cuda_stats.cuh. Nothing is asked, because a NaN among the sums has to stay; a
 * difference of two infinities counts as LOWEST_CHANGE, with which sums of 0 remain 0. Returns the
 * factor. */
template <class Real>
__device__ inline Real rescale(logit_state<Real> *state, Real max, Real larger) {
    Real change = larger_of(max - larger, (Real)LOWEST_CHANGE), scale = device_exp(change);
    state->weighted = scale * device_fused(change, state->sum, state->weighted);
    state->sum = scale * state->sum;
    return scale;
}

/* Adds UNITS units of WIDTH adjacent logits each, where first_class says which, to the state of a
 * thread, whose units come in ascending order; *rounded is what rounding has added. A NaN, and
 * infinity less infinity, make the sum NaN; minus infinity adds 0. The largest finite negative
 * number stands for the maximum until there is a finite logit. */
template <int WANTED, class Real, int UNITS, int WIDTH>
__device__ inline void add_logits(logit_state<Real> *state, rounded_up<Real> *rounded,
                                  const Real (&z)[UNITS][WIDTH],
                                  const int64_t (&first_class)[UNITS]) {
    Real before = state->max;
#pragma unroll
    for (int u = 0; u < UNITS; u++) {
        Real max_before = state->max;
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            if (WANTED & RUNNER_UP)
                state->second = larger_of(state->second, smaller_of(state->max, z[u][k]));
            state->max = larger_of(state->max, z[u][k]);
        }
        if (state->max > max_before) state->argmax = first_class[u];
    }
    Real scale = rescale(state, before, state->max);
    rounded->sum = scale * rounded->sum;
    rounded->weighted = scale * rounded->weighted;
    Real largest =
        larger_of(state->max, sizeof(Real) == sizeof(float) ? (Real)-FLT_MAX : (Real)-DBL_MAX);
#pragma unroll
    for (int u = 0; u < UNITS; u++) {
        Real part = 0, part_weighted = 0;
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            Real below = z[u][k] - largest, e = device_exp(below);
            part = part + e;
            if (WANTED & ENTROPY)
                part_weighted =
                    device_fused(larger_of(below, (Real)LOWEST_CHANGE), e, part_weighted);
        }
        add_part(&state->sum, &rounded->sum, part);
        if (WANTED & ENTROPY) add_part(&state->weighted, &rounded->weighted, part_weighted);
    }
}

/* The statistics of the union of two disjoint sets of classes: as joined() of cuda_stats.cuh. */
template <class Real>
__device__ inline logit_state<Real> joined(logit_state<Real> a, logit_state<Real> b) {
    if (b.max > a.max || (b.max == a.max && b.argmax < a.argmax)) {
        logit_state<Real> saved = a;
        a = b;
        b = saved;
    }
    if (b.max < a.max) rescale(&b, b.max, a.max);
    a.second = larger_of(a.second, b.max);
    a.sum = a.sum + b.sum;
    a.weighted = a.weighted + b.weighted;
    return a;
}

} // namespace alcore_cuda

#endif
