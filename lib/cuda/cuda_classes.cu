/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of stored class scores. Decisions are made of them, so their exp and log are those of
 * the host's libm, never of a device (spec 1.8 a): rows that are on the device come to the host. */
#include <algorithm>
#include <cfenv>

#include "cuda_entries.h"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
double floored(double logarithm) {
    return logarithm < CUDA_FLOOR ? CUDA_FLOOR : logarithm;
}

/* exp and log as they are by default, whatever the caller's thread has set. */
class default_rounding {
  public:
    default_rounding() {
        fegetenv(&before);
        fesetenv(FE_DFL_ENV);
    }
    ~default_rounding() { fesetenv(&before); }

  private:
    fenv_t before;
};

/* The indices of the two largest values, the lower one first among equals; second is -1 with one
 * class. */
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

/* These fill in out from the values of one row and return false for a row that is no distribution.
 */
bool stats_of_probs(std::vector<double> &p, alcore_sys_class_stats *out) {
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

/* lp [classes] are log-probabilities, overwritten where rounding lifted one above 0. False: one is
 * NaN or above the slack. */
bool stats_of_logprobs(std::vector<double> &lp, alcore_sys_class_stats *out) {
    double sum = 0.0;
    for (double &x : lp) {
        if (!(x <= CUDA_SLACK)) return false;
        if (x >= 0.0) x = 0.0;
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

/* z [classes] are logits: softmax with the largest subtracted. False: one is NaN or +inf, or all
 * are -inf. */
bool stats_of_logits(std::vector<double> &z, alcore_sys_class_stats *out) {
    size_t first, second;
    for (double x : z)
        if (!(x < HUGE_VAL)) return false;
    top_two(z, &first, &second);
    double most = z[first], total = 0.0;
    if (!(most > -HUGE_VAL)) return false;
    for (double x : z) total += exp(x - most);
    double log_total = log(total), sum = 0.0;
    for (double x : z) {
        double p = exp(x - most) / total;
        if (p > 0.0) sum += p * (x - most - log_total);
    }
    out->top1 = 1.0 / total;
    out->top2 = second == SIZE_MAX ? 0.0 : exp(z[second] - most) / total;
    out->log_top1 = floored(0.0 - log_total);
    out->log_top2 = second == SIZE_MAX ? CUDA_FLOOR : floored(z[second] - most - log_total);
    out->entropy = 0.0 - sum;
    return true;
}

/* value is overwritten. */
bool stats_of_row(std::vector<double> &value, int32_t kind, alcore_sys_class_stats *out) {
    if (value.empty()) return false;
    return kind == ALCORE_CLASSES_PROBS      ? stats_of_probs(value, out)
           : kind == ALCORE_CLASSES_LOGPROBS ? stats_of_logprobs(value, out)
                                             : stats_of_logits(value, out);
}

/* Rows that are copied to the host at a time. */
const int64_t CLASS_ROWS = 1024;

/* Value `at` of an array on the host, widened exactly. */
double wide_number(const char *data, int64_t at, int32_t dtype) {
    if (dtype == ALCORE_FLOAT64) {
        double x;
        memcpy(&x, data + at * 8, 8);
        return x;
    }
    float x;
    if (dtype == ALCORE_FLOAT32) {
        memcpy(&x, data + at * 4, 4);
        return (double)x;
    }
    uint16_t bits;
    memcpy(&bits, data + at * 2, 2);
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

/* Kernel table: statistics of each row of class scores, out [rows]; rows that the mask leaves out
 * are not written. A row that is no distribution gets NaN, and *bad is the lowest such row, counted
 * in the whole matrix (rows->first included); -1: none. */
alcore_status class_stats(const alcore_sys_work *work, const alcore_sys_rows *rows,
                          const uint8_t *mask, int32_t kind, alcore_sys_class_stats *out,
                          int64_t *bad) {
    return guarded(work, [&](call &c) {
        static const size_t number[] = {0, 2, 2, 4, 8};
        c.check_rows(rows);
        if (kind < ALCORE_CLASSES_PROBS || kind > ALCORE_CLASSES_LOGITS)
            fail(work, ALCORE_E_INVALID, "class scores are of no known kind");
        std::vector<uint8_t> mask_memory;
        const uint8_t *host_mask = c.on_host(mask, rows->count, &mask_memory);
        size_t bytes = number[rows->dtype], row_bytes = bytes * (size_t)rows->dims;
        bool copied = rows->count > 0 && c.on_device(rows->data), sent = c.on_device(out);
        std::vector<char> row_memory;
        std::vector<double> value((size_t)rows->dims);
        std::vector<alcore_sys_class_stats> stats((size_t)CLASS_ROWS);
        int64_t lowest = -1;
        default_rounding here;
        for (int64_t first = 0; first < rows->count; first += CLASS_ROWS) {
            int64_t count = std::min(CLASS_ROWS, rows->count - first);
            size_t pitch = (size_t)rows->stride * bytes;
            const char *row = (const char *)rows->data + (size_t)first * pitch;
            c.poll();
            if (copied) {
                row_memory.resize((size_t)count * row_bytes);
                c.download_rows(row_memory.data(), row, pitch, row_bytes, count);
                row = row_memory.data();
                pitch = row_bytes;
            }
            auto wanted = [&](int64_t i) { return !host_mask || host_mask[first + i]; };
            for (int64_t i = 0; i < count; i++) {
                if (!wanted(i)) continue;
                for (int64_t k = 0; k < rows->dims; k++)
                    value[(size_t)k] = wide_number(row + (size_t)i * pitch, k, rows->dtype);
                if (stats_of_row(value, kind, &stats[(size_t)i])) continue;
                stats[(size_t)i] = {NAN, NAN, NAN, NAN, NAN};
                if (lowest < 0) lowest = rows->first + first + i;
            }
            /* Entries of rows that are left out stay as they are. */
            for (int64_t i = 0, end; i < count; i = end) {
                for (end = i; end < count && wanted(end); end++) {
                }
                size_t written = (size_t)(end - i) * sizeof stats[0];
                if (sent)
                    c.upload(out + first + i, &stats[(size_t)i], written);
                else
                    memcpy(out + first + i, &stats[(size_t)i], written);
                while (end < count && !wanted(end)) end++;
            }
        }
        c.answer(bad, &lowest, sizeof lowest);
    });
}

} // namespace alcore_cuda
