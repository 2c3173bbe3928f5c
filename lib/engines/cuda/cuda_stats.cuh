/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of softmax(z) of the logits z of one token in one pass (online softmax, Milakov and
 * Gimelshein 2018): the two largest logits, the sum of exp(z - m) and that of (z - m) exp(z - m),
 * with m the largest logit so far. A thread adds the logits that it reads to its logit_state
 * (cuda_logit_state.cuh); states of disjoint sets of classes are joined (joined), and put() writes
 * the wanted values. A chunk is adjacent tokens that are on the device at a time, a pipeline
 * (cuda_call.cuh) goes through the chunks in order. Logarithms are natural. Cost: one exp a
 * logit. */
#ifndef ALCORE__CUDA_STATS_CUH
#define ALCORE__CUDA_STATS_CUH

#include <type_traits>

#include "cuda_call.cuh"
#include "cuda_logit_state.cuh"

namespace alcore_cuda {

/* The byte that memory is filled with for "no bad row", which is -1, as the caller is told it. */
const int NO_BAD_ROW = 0xff;

/* Lowers *bad to `row`, which is not negative, where it is larger or -1: compared without a sign -1
 * is the largest. Many threads may. */
__device__ inline void lower_row(long long *bad, int64_t row) {
    atomicMin((unsigned long long *)bad, (unsigned long long)row);
}

/* Statistics of a token over some of its classes. */
struct token_state {
    double max, second;   /* the two largest logits, equal in a tie; minus infinity: none */
    double sum, weighted; /* sum of exp(z - max), and of (z - max) exp(z - max) */
    double label;         /* logit of the label; NaN: not among these classes */
    int64_t argmax;       /* lowest class whose logit is max */
    int32_t bad;          /* 1: a logit was NaN or plus infinity; else 0 */
    int32_t reserved;     /* 0; fills the struct up to a multiple of 8 bytes */
};

/* The statistics over no classes. */
__device__ inline token_state no_classes() {
    return {-(double)INFINITY /* max */,
            -(double)INFINITY /* second */,
            0.0 /* sum */,
            0.0 /* weighted */,
            (double)NAN /* label */,
            INT64_MAX /* argmax: after every class */,
            0 /* bad */,
            0 /* reserved */};
}

/* Rescales both sums from the maximum `max` that they were made with to `larger`: with d = max -
 * larger, exp(z - larger) = exp(d) exp(z - max), and (z - larger) = (z - max) + d. Where exp(d) is
 * 0 (max minus infinity, or far below) both become 0. `larger` is above max. */
__device__ inline void rescale_sums(double larger, double max, double *sum, double *weighted) {
    double change = max - larger, scale = device_exp(change);
    if (scale > 0.0) {
        *weighted = scale * (*weighted + change * *sum);
        *sum = scale * *sum;
    } else {
        *sum = *weighted = 0.0;
    }
}

/* The statistics of the union of two disjoint sets of classes. First a becomes the state with the
 * larger maximum, in a tie that with the lower class; then the sums of b are rescaled to that
 * maximum and added. Equal maxima need no rescaling: two of minus infinity, whose difference would
 * be NaN, are such a case, and have sums of 0. The label's logit is taken from the set that has it.
 * The order of joins changes how sums are rounded, so callers join in a fixed order. */
__device__ inline token_state joined(token_state a, token_state b) {
    if (b.max > a.max || (b.max == a.max && b.argmax < a.argmax)) {
        token_state saved = a;
        a = b;
        b = saved;
    }
    if (b.max < a.max) rescale_sums(a.max, b.max, &b.sum, &b.weighted);
    if (b.max > a.second) a.second = b.max;
    a.sum = a.sum + b.sum;
    a.weighted = a.weighted + b.weighted;
    if (b.label == b.label) a.label = b.label;
    a.bad |= b.bad;
    return a;
}

/* The same of the logits that one thread has read. */
__device__ inline token_state token_state_of(const logit_state<float> &s) {
    return {(double)s.max,   (double)s.second, (double)s.sum,         (double)s.weighted,
            (double)s.label, s.argmax,         s.sum >= 0.0f ? 0 : 1, 0 /* reserved */};
}

/* Outputs of a chunk on the device, [tokens of the chunk] each; NULL: not wanted. logprob is
 * written for calls with labels only. */
struct stats_out {
    double *logprob, *top1, *top2, *margin, *entropy, *logsumexp;
    int32_t *argmax;

    /* Writes the statistics of token i of the chunk, whose state over all classes is s. labeled:
     * the call has labels, and s.label is NaN where the label is outside the classes. A token is
     * bad when a logit or its label is, or no logit is finite: it gets NaN and argmax -1, and *bad
     * is lowered to `row`, its number in the caller's count. total is at least 1, since the largest
     * logit adds exp(0) = 1, whatever rounding made of it. top1, top2 and logprob are
     * log-probabilities, margin a difference of probabilities, the entropy is in nats. State: a
     * token_state or one with the same members; it is computed in the type of State::max. */
    template <class State>
    __device__ void put(int64_t i, State s, bool labeled, int64_t row, long long *bad) const {
        typedef decltype(s.max) Real;
        Real none = (Real)NAN, total = s.sum < (Real)1 ? (Real)1 : s.sum;
        bool good = !s.bad && s.max > -(Real)INFINITY && (!labeled || s.label == s.label);
        Real log_total = device_log(total), first = (Real)0 - log_total;
        Real next = (s.second - s.max) - log_total;
        Real label_logprob = (s.label - s.max) - log_total;
        if (!good) lower_row(bad, row);
        if (logprob && labeled) logprob[i] = good ? label_logprob : none;
        if (top1) top1[i] = good ? first : none;
        if (top2) top2[i] = good ? next : none;
        if (margin) margin[i] = good ? device_exp(first) - device_exp(next) : none;
        if (entropy) entropy[i] = good ? log_total - s.weighted / total : none;
        if (logsumexp) logsumexp[i] = good ? s.max + log_total : none;
        if (argmax) argmax[i] = good ? (int32_t)s.argmax : -1;
    }
};

/* Calls launch(wanted), of which decltype(wanted)::value is the set of RUNNER_UP and ENTROPY that
 * the outputs need. */
template <class Launch> void launch_wanted(const stats_out &out, const Launch &launch) {
    bool runner_up = out.top2 || out.margin;
    if (runner_up && out.entropy)
        launch(std::integral_constant<int, RUNNER_UP | ENTROPY>());
    else if (runner_up)
        launch(std::integral_constant<int, RUNNER_UP>());
    else if (out.entropy)
        launch(std::integral_constant<int, ENTROPY>());
    else
        launch(std::integral_constant<int, 0>());
}

/* The numbers of the output columns of a pipeline that the arrays of alcore_sys_token_stats became
 * (stats_out says what each holds); -1: not wanted. */
struct stats_columns {
    int logprob, top1, top2, margin, entropy, logsumexp, argmax;
    stats_columns(pipeline &pass, const alcore_sys_token_stats *out);
    stats_out of_chunk(const chunk &piece) const;
};

/* Whether an output is in host memory: a pipeline then needs to know, on the host, which tokens'
 * statistics it may write. */
bool is_any_on_host(call &c, const alcore_sys_token_stats *out);

/* Which of the tokens have a label other than `ignore`: a mask [count + 1] on the host, for the
 * entries whose labels [count] are by row already. */
std::vector<uint8_t> labeled_rows(call &c, const int64_t *labels, int64_t count, int64_t ignore);

/* The work of logit_stats and of hidden_stats, whose arguments were checked: of logits or hidden
 * states, a row for each token. labels [tokens] or NULL; tokens with the label `ignore` take no
 * part. taking [tokens], on the host: 1 for those that do; NULL: all, or, for logits, no output is
 * on the host. bias [classes], on the device, or NULL. The lowest bad row goes to *lowest
 * (new_bad_row()). check_hidden() throws for matrices that do not fit each other. */
void measure_logits(call &c, const alcore_sys_rows *logits, const int64_t *labels, int64_t ignore,
                    const uint8_t *taking, const alcore_sys_token_stats *out, long long *lowest);
void check_hidden(call &c, const alcore_sys_rows *hidden, const alcore_sys_rows *output,
                  const int64_t *labels, const alcore_sys_token_stats *out);
void measure_hidden(call &c, const alcore_sys_rows *hidden, const alcore_sys_rows *output,
                    const float *bias, const int64_t *labels, const uint8_t *taking,
                    const alcore_sys_token_stats *out, long long *lowest);

/* The lowest bad row of a call on the device: *bad of the caller itself where it is there, else
 * memory that is freed with the call. It begins as -1, none, and lower_row() lowers it;
 * report_bad_row() writes it to *bad, for which the host waits only where that is on the host. */
long long *new_bad_row(call &c, int64_t *bad);
void report_bad_row(call &c, const long long *lowest, int64_t *bad);

} // namespace alcore_cuda

#endif
