/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of softmax(logits) in one pass (Milakov and Gimelshein 2018): largest, second largest,
 * the sum of exp(z - m) and that of (z - m) exp(z - m). */
#ifndef ALCORE__CUDA_STATS_CUH
#define ALCORE__CUDA_STATS_CUH

#include "cuda_call.cuh"

namespace alcore_cuda {

const long long NO_ROW = INT64_MAX;

/* Statistics of a token over some of its classes. */
struct token_state {
    double most, second;  /* the two largest logits */
    double sum, weighted; /* sum of exp(z - most), and of (z - most) exp(z - most) */
    double label;         /* the label's logit; NaN: not among these classes */
    int64_t argmax;
    int32_t bad, reserved;
};

__device__ inline token_state no_classes() {
    return {-(double)INFINITY, -(double)INFINITY, 0.0, 0.0, (double)NAN, INT64_MAX, 0, 0};
}

/* sum and weighted, relative to `most`, become relative to `larger`. */
__device__ inline void raise_to(double larger, double most, double *sum, double *weighted) {
    double by = most - larger, scale = device_exp(by);
    if (scale > 0.0) {
        *weighted = scale * (*weighted + by * *sum);
        *sum = scale * *sum;
    } else {
        *sum = *weighted = 0.0;
    }
}

/* The statistics of two disjoint sets of classes, a before b. Sums are rescaled to the larger
 * maximum; a maximum of minus infinity has the sum 0 and is left alone, because infinity minus
 * infinity is NaN. */
__device__ inline token_state joined(token_state a, token_state b) {
    if (b.most > a.most || (b.most == a.most && b.argmax < a.argmax)) {
        token_state kept = a;
        a = b;
        b = kept;
    }
    if (b.most < a.most) raise_to(a.most, b.most, &b.sum, &b.weighted);
    if (b.most > a.second) a.second = b.most;
    a.sum = a.sum + b.sum;
    a.weighted = a.weighted + b.weighted;
    if (b.label == b.label) a.label = b.label;
    a.bad |= b.bad;
    return a;
}

/* The state of one thread while it reads logits in class order; Real: float, double for float64. */
template <class Real> struct running_state {
    Real most = -(Real)INFINITY, second = -(Real)INFINITY;
    double sum = 0.0, weighted = 0.0;
    int64_t argmax = INT64_MAX;
    bool bad = false;

    /* Up to SOME logits: their exponentials are summed in Real before they join the sum. */
    template <int SOME>
    __device__ void add(const Real (&z)[SOME], const int64_t (&at)[SOME], int count) {
        Real before = most, part = 0, part_weighted = 0;
#pragma unroll
        for (int k = 0; k < SOME; k++) {
            if (k >= count) continue;
            if (!(z[k] < (Real)INFINITY)) bad = true;
            if (z[k] > most) {
                second = most;
                most = z[k];
                argmax = at[k];
            } else if (z[k] > second) {
                second = z[k];
            }
        }
        if (most > before && before > -(Real)INFINITY) raise_to(most, before, &sum, &weighted);
        if (!(most > -(Real)INFINITY)) return;
#pragma unroll
        for (int k = 0; k < SOME; k++) {
            if (k >= count) continue;
            Real below = z[k] - most, e = device_exp(below);
            part += e;
            if (e > 0) part_weighted += below * e;
        }
        sum = sum + (double)part;
        weighted = weighted + (double)part_weighted;
    }

    __device__ token_state state() const {
        return {(double)most, (double)second, sum, weighted, (double)NAN, argmax, bad ? 1 : 0, 0};
    }
};

/* The arrays that stats go to, on the device; NULL: not wanted. */
struct stats_out {
    double *logprob, *top1, *top2, *margin, *entropy, *logsumexp;
    int32_t *argmax;

    __device__ void put(int64_t i, token_state s, bool labeled, int64_t row, long long *bad) const {
        double none = (double)NAN, total = s.sum < 1.0 ? 1.0 : s.sum;
        bool good = !s.bad && s.most > -(double)INFINITY && (!labeled || s.label == s.label);
        double log_total = device_log(total), first = 0.0 - log_total;
        double next = (s.second - s.most) - log_total, of_label = (s.label - s.most) - log_total;
        if (!good) atomicMin(bad, (long long)row);
        if (logprob && labeled) logprob[i] = good ? of_label : none;
        if (top1) top1[i] = good ? first : none;
        if (top2) top2[i] = good ? next : none;
        if (margin) margin[i] = good ? device_exp(first) - device_exp(next) : none;
        if (entropy) entropy[i] = good ? log_total - s.weighted / total : none;
        if (logsumexp) logsumexp[i] = good ? s.most + log_total : none;
        if (argmax) argmax[i] = good ? (int32_t)s.argmax : -1;
    }
};

/* The arrays of a call as columns of its pipeline. */
struct stats_columns {
    int logprob, top1, top2, margin, entropy, logsumexp, argmax;
    stats_columns(pipeline &pass, const alcore_sys_token_stats *out);
    stats_out of_chunk(const chunk &now) const;
};

/* Rows with a label that is not `ignore`, for outputs on the host; NULL when every row has one or
 * nothing goes to the host. */
const uint8_t *labeled_rows(call &c, const int64_t *labels, int64_t count, int64_t ignore,
                            const alcore_sys_token_stats *out, std::vector<uint8_t> *memory);

/* A row number on the device that atomicMin() lowers; give_bad_row() reports it, NO_ROW as -1. */
long long *new_bad_row(call &c);
void give_bad_row(call &c, const long long *lowest, int64_t *bad);

} // namespace alcore_cuda

#endif
