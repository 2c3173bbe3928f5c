/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of stored class scores (class_stats): top two probabilities, their floored logarithms
 * and the entropy. Decisions are made from them, so exp and log are those of libm on the CPU, never
 * those of a device (spec 1.8): rows that are on the device are copied to the host, CLASS_ROWS at a
 * time. The arithmetic is that of cpu_classes.c, in the same order; negations are written 0.0 - x,
 * so that a row with one class of probability 1 has an entropy of +0.0 and not -0.0. Cost: one or
 * two exp or log a class, on one CPU thread.
 *
 * call (cuda_call.cuh) is one call of a kernel: to_host() gives an array on the host, in place or
 * as a copy, NULL for NULL; copy_in(), download_rows() and write_back() copy, and are done with
 * host memory when they return; poll() asks the host whether to stop; errors are exceptions, which
 * guarded() turns into the returned status. */
#include <algorithm>
#include <cfenv>

#include "cuda_entries.h"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
/* A natural logarithm, raised to CUDA_FLOOR (-100) where it is lower, such as log 0. */
double floored(double logarithm) {
    return logarithm < CUDA_FLOOR ? CUDA_FLOOR : logarithm;
}

/* Sets the default floating-point environment while it lives, because the calling thread may have
 * set another rounding or flush subnormals; restores the caller's, also when an exception leaves
 * the call. */
class default_environment {
  public:
    default_environment() {
        fegetenv(&before);
        fesetenv(FE_DFL_ENV);
    }
    ~default_environment() { fesetenv(&before); }

  private:
    fenv_t before;
};

/* The classes of the two largest of value [classes], the lower class first among equals; *second is
 * SIZE_MAX with one class. value is not empty (row_stats() checks) and has no NaN (the callers
 * check). */
void top_two(const std::vector<double> &value, size_t *first, size_t *second) {
    *first = 0;
    *second = SIZE_MAX;
    for (size_t c = 1; c < value.size(); c++) {
        if (value[c] > value[*first]) {
            *second = *first;
            *first = c;
        } else if (*second == SIZE_MAX || value[c] > value[*second]) {
            *second = c;
        }
    }
}

/* Statistics of one row of probabilities p [classes], which are clamped in place to [0, 1]; their
 * sum is not looked at, and nothing is normalized. The logarithms are natural and floored; the
 * entropy, minus the sum of p log p in class order, is in nats, and p = 0 adds 0. Returns false,
 * with *out unwritten, for a bad row: a value is NaN or outside [0, 1] by more than CUDA_SLACK
 * (1e-6). */
bool probs_stats(std::vector<double> &p, alcore_sys_class_stats *out) {
    double sum = 0.0;
    for (double &x : p) {
        if (!(x >= -CUDA_SLACK && x <= 1.0 + CUDA_SLACK)) return false;
        x = x > 1.0 ? 1.0 : x > 0.0 ? x : 0.0;
        if (x > 0.0) sum += x * log(x);
    }
    size_t first, second;
    top_two(p, &first, &second);
    out->top1 = p[first];
    out->top2 = second == SIZE_MAX ? 0.0 : p[second];
    out->log_top1 = floored(log(out->top1));
    out->log_top2 = floored(log(out->top2));
    out->entropy = 0.0 - sum;
    return true;
}

/* Statistics of one row of natural log-probabilities lp [classes], which are clamped in place to at
 * most 0; minus infinity is probability 0. Outputs as those of probs_stats(). Returns false, with
 * *out unwritten, when a value is NaN or above CUDA_SLACK (1e-6). */
bool logprobs_stats(std::vector<double> &lp, alcore_sys_class_stats *out) {
    double sum = 0.0;
    for (double &x : lp) {
        if (!(x <= CUDA_SLACK)) return false;
        if (x >= 0.0) x = 0.0; /* -0.0 too, so that log_top1 is +0.0, as log 1 is */
        double p = exp(x);
        if (p > 0.0) sum += p * x;
    }
    size_t first, second;
    top_two(lp, &first, &second);
    out->top1 = exp(lp[first]);
    out->top2 = second == SIZE_MAX ? 0.0 : exp(lp[second]);
    out->log_top1 = floored(lp[first]);
    out->log_top2 = second == SIZE_MAX ? CUDA_FLOOR : floored(lp[second]);
    out->entropy = 0.0 - sum;
    return true;
}

/* Statistics of one row of logits z [classes], whose probabilities are their softmax, computed with
 * the largest subtracted: exp(z - max) / total. The largest adds exp(0) = 1 to the total, hence
 * top1 = 1 / total. Outputs as those of probs_stats(). Returns false, with *out unwritten, when a
 * logit is NaN or plus infinity, or all are minus infinity. */
bool logits_stats(std::vector<double> &z, alcore_sys_class_stats *out) {
    size_t first, second;
    for (double x : z)
        if (!(x < HUGE_VAL)) return false;
    top_two(z, &first, &second);
    double max = z[first], total = 0.0;
    if (!(max > -HUGE_VAL)) return false;
    for (double x : z) total += exp(x - max);
    double log_total = log(total), sum = 0.0;
    for (double x : z) {
        double p = exp(x - max) / total;
        if (p > 0.0) sum += p * (x - max - log_total);
    }
    out->top1 = 1.0 / total;
    out->top2 = second == SIZE_MAX ? 0.0 : exp(z[second] - max) / total;
    out->log_top1 = floored(0.0 - log_total);
    out->log_top2 = second == SIZE_MAX ? CUDA_FLOOR : floored(z[second] - max - log_total);
    out->entropy = 0.0 - sum;
    return true;
}

/* The statistics of one row of the pass; value [classes] may be overwritten; kind says whether they
 * are probabilities, log-probabilities or logits (ALCORE_CLASSES_*). Returns false, with *out
 * unwritten, for a row that is no distribution, such as one without classes. */
bool row_stats(std::vector<double> &value, int32_t kind, alcore_sys_class_stats *out) {
    if (value.empty()) return false;
    return kind == ALCORE_CLASSES_PROBS      ? probs_stats(value, out)
           : kind == ALCORE_CLASSES_LOGPROBS ? logprobs_stats(value, out)
                                             : logits_stats(value, out);
}

/* Rows that are copied to the host at a time. */
const int64_t CLASS_ROWS = 1024;

/* Entry `index` (in components) of an array of type dtype in host memory, of any alignment, widened
 * exactly. By hand, because component_at() of cuda_warp.cuh is device code. float16: 5 bits of
 * exponent with bias 15, 10 of fraction; bfloat16: the upper half of a float32. */
double host_component_at(const char *data, int64_t index, int32_t dtype) {
    if (dtype == ALCORE_FLOAT64) {
        double x;
        memcpy(&x, data + index * 8, 8);
        return x;
    }
    float x;
    if (dtype == ALCORE_FLOAT32) {
        memcpy(&x, data + index * 4, 4);
        return (double)x;
    }
    uint16_t bits;
    memcpy(&bits, data + index * 2, 2);
    uint32_t wide = (uint32_t)bits << 16;
    if (dtype == ALCORE_FLOAT16) {
        int exponent = bits >> 10 & 31, fraction = bits & 1023;
        double value = exponent == 31  ? (fraction ? (double)NAN : HUGE_VAL)
                       : exponent == 0 ? ldexp(fraction, -24)
                                       : ldexp(1024 + fraction, exponent - 25);
        return bits >> 15 ? -value : value;
    }
    memcpy(&x, &wide, 4);
    return (double)x;
}
} // namespace

/* Kernel table: statistics of each row of class scores, rows [count, classes], to out [count]; rows
 * whose mask [count] is 0 are not written. A row that is no distribution gets NaN, and *bad is the
 * lowest such pool row (row 0 is pool row rows->first), -1 without one. stats [CLASS_ROWS] and
 * row_memory hold a chunk of CLASS_ROWS rows; value [classes] one row as doubles. ALCORE_CLASSES_*
 * are consecutive from PROBS to LOGITS. fail() throws. */
alcore_status class_stats(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *mask, int32_t kind, alcore_sys_class_stats *out,
                          int64_t *bad) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        if (kind < ALCORE_CLASSES_PROBS || kind > ALCORE_CLASSES_LOGITS)
            fail(work, ALCORE_E_INVALID,
                 "class scores are neither probabilities, log-probabilities nor logits");
        std::vector<uint8_t> mask_memory;
        const uint8_t *host_mask = c.to_host(mask, rows->count, &mask_memory);
        size_t bytes = alcore_sys_dtype_bytes(rows->dtype), row_bytes = bytes * (size_t)rows->dims;
        bool rows_on_device = rows->count > 0 && c.on_device(rows->data);
        bool out_on_device = c.on_device(out);
        std::vector<char> row_memory;
        std::vector<double> value((size_t)rows->dims);
        std::vector<alcore_sys_class_stats> stats((size_t)CLASS_ROWS);
        int64_t lowest = -1;
        default_environment scope;
        for (int64_t first = 0; first < rows->count; first += CLASS_ROWS) {
            int64_t count = std::min(CLASS_ROWS, rows->count - first);
            size_t pitch = (size_t)rows->stride * bytes;
            const char *row = (const char *)rows->data + (size_t)first * pitch;
            c.poll();
            if (rows_on_device) {
                row_memory.resize((size_t)count * row_bytes);
                c.download_rows(row_memory.data(), row, pitch, row_bytes, count);
                row = row_memory.data();
                pitch = row_bytes;
            }
            auto in_mask = [&](int64_t i) { return !host_mask || host_mask[first + i]; };
            for (int64_t i = 0; i < count; i++) {
                if (!in_mask(i)) continue;
                for (int64_t k = 0; k < rows->dims; k++)
                    value[(size_t)k] = host_component_at(row + (size_t)i * pitch, k, rows->dtype);
                if (row_stats(value, kind, &stats[(size_t)i])) continue;
                stats[(size_t)i] = {NAN, NAN, NAN, NAN, NAN}; /* every statistic */
                if (lowest < 0) lowest = rows->first + first + i;
            }
            /* Writes adjacent rows of the mask together: the entries of the others stay as they
             * are. */
            for (int64_t i = 0, end; i < count; i = end) {
                for (end = i; end < count && in_mask(end); end++) {
                }
                size_t adjacent_bytes = (size_t)(end - i) * sizeof stats[0];
                if (out_on_device)
                    c.copy_in(out + first + i, &stats[(size_t)i], adjacent_bytes);
                else
                    memcpy(out + first + i, &stats[(size_t)i], adjacent_bytes);
                while (end < count && !in_mask(end)) end++;
            }
        }
        c.write_back(bad, &lowest, sizeof lowest);
    });
}

} // namespace alcore_cuda
