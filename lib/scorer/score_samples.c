/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of several distributions a row over the same classes (docs/spec/scores.md 4.20): those of
 * the samples of one model, such as passes with dropout, or of the members of a committee. The
 * column "sample_probs" has them, ragged [samples, classes] a row. With p_s the distribution of
 * sample s of n, m their mean and H the entropy in nats:
 *
 *     bald               H(m) - (1/n) sum over s of H(p_s)          0 where rounding makes it less
 *     variance           (1/C) sum over c of (1/n) sum over s of (p_sc - m_c)^2
 *     vote-entropy       H(v), v_c the share of the samples whose likeliest class is c
 *     variation-ratio    1 - the largest v_c
 *     consensus-entropy  H(m)
 *     kl                 (1/n) sum over s of KL(p_s || m), which is the number of bald
 *     kl-max             the largest KL(p_s || m)
 *
 * Labels that do not exclude each other are distributions (1 - p, p), whose measures are averaged;
 * KL is averaged over the labels of a sample before the largest sample is sought.
 *
 * Rows are worked on in groups of at most GROUP_VALUES numbers (one row at least), so that what a
 * group needs stays in the cache of a core. Samples are read where they lie: side by side, or in an
 * array of the caller's that has all rows of a sample together (planes). Probabilities are checked,
 * and their entropies computed, by plain loops, without what else class_stats has of them. Where
 * one of a group is no distribution beyond doubt, or the numbers are no probabilities,
 * class_distributions.c does both, so that errors and meanings are those of the other scores;
 * planes are put side by side for it. Scores have the same bits either way. Cost: one pass over the
 * values. */
#include <math.h>
#include <string.h>

#include "base/tensor_view.h"
#include "kernel/kernels.h"
#include "scorer/class_distributions.h"
#include "scorer/score_table.h"
#include "scorer/uncertainty_modes.h"

enum {
    GROUP_VALUES = 1 << 15, /* 256 KiB of doubles */
    LANES = 4               /* classes whose sums over the samples are in registers together */
};
/* A probability above 1 by no more is rounding (spec 1.1). */
#define SLACK 1e-6
/* The values of the parameter "measure" of qbc, in its order, then those of the other scores. */
enum {
    COMMITTEE_VOTE_ENTROPY,
    COMMITTEE_CONSENSUS_ENTROPY,
    COMMITTEE_VARIATION_RATIO,
    COMMITTEE_KL, /* bald */
    COMMITTEE_KL_MAX,
    COMMITTEE_VARIANCE
};

static const char *const NAME = "sample_probs";
const char *const alcore__sample_needs[] = {"sample_probs", NULL};
static const alcore__param COMMITTEE_ROWS[] = {ALCORE__COMMITTEE_PARAM};
static const alcore__param_table NO_PARAMS = {NULL, 0};

/* The samples of a block, and room for those of one group. */
typedef struct sample_groups {
    alcore__score_call *call;
    int64_t measure;              /* COMMITTEE_* */
    alcore__distributions all;    /* of every sample of the block */
    alcore__sample_planes planes; /* the same where they are read as planes; else zeroed */
    alcore_sys_ragged items;      /* which samples are of which row; of planes the offsets alone */
    int64_t *offsets;             /* [rows of the block + 1] of planes */
    int64_t dims;                 /* numbers of a sample as the column has them */
    int64_t labels, classes;      /* a sample is `labels` distributions over `classes` classes */
    int64_t width;                /* labels * classes, the probabilities of a sample */
    int64_t longest;              /* samples of the longest group */
    double *entropies;            /* [longest] H(p_s), the mean over its labels */
    double *room;                 /* [longest, dims] for values, and where these are no
                                      probabilities [longest, labels, classes] for those */
    const double *values;         /* [samples of the group, dims] as the column has them */
    const double *probs;          /* [samples of the group, labels, classes] */
    int64_t step;                 /* numbers from a sample of a row to the next one in probs */
    int64_t row_step;             /* of planes, numbers from a row to the next one in probs */
    double *means;                /* [rows of the largest group, labels, classes] */
    double *logs;                 /* [labels, classes] log m, or votes, or squares */
    uint8_t *mask;                /* [longest] 1: the sample is of a row that is scored */
} sample_groups;

/* Samples of row i of the block, and the first of them among those of the block. */
static int64_t sample_count(const sample_groups *self, int64_t i) {
    return self->items.offsets[i + 1] - self->items.offsets[i];
}
static int64_t first_sample(const sample_groups *self, int64_t i) {
    return self->items.offsets[i] - self->items.offsets[0];
}

static bool is_scored(const sample_groups *self, int64_t i) {
    return !self->call->mask || self->call->mask[i];
}

static bool reads_planes(const sample_groups *self) {
    return self->planes.samples > 0;
}

/* The first sample of row i in probs, which has those of rows `begin` and following. */
static const double *probs_of(const sample_groups *self, int64_t begin, int64_t i) {
    return self->probs + (reads_planes(self)
                              ? (i - begin) * self->row_step
                              : (first_sample(self, i) - first_sample(self, begin)) * self->step);
}

/* The row behind the last of the group that begins with row `begin`. */
static int64_t group_end(const sample_groups *self, int64_t begin) {
    int64_t end = begin + 1;
    const int64_t first = first_sample(self, begin), most = GROUP_VALUES / self->dims;
    while (end < self->call->count && first_sample(self, end + 1) - first <= most) end++;
    return end;
}

/* ---- reading ---- */

/* A row without samples has no score, and one sample disagrees with none. */
static alcore_status check_count(const sample_groups *self, int64_t i) {
    const int64_t row = self->call->first + i;
    if (sample_count(self, i) >= 2) return ALCORE_OK;
    if (sample_count(self, i) == 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "row %lld: one sample in column \"%s\", where two or more are compared",
                            (long long)row, NAME);
    if (self->call->nan_exclude) return ALCORE_OK;
    return alcore__fail_nan("row %lld: no sample in column \"%s\"", (long long)row, NAME);
}

/* Measures the samples of row i one by one, so that the error of the one that is no distribution
 * names it. Returns that error. */
static alcore_status find_bad(sample_groups *self, int64_t i, alcore__measure what) {
    for (int64_t s = 0; s < sample_count(self, i); s++) {
        const alcore__distributions one =
            alcore__distributions_part(&self->all, first_sample(self, i) + s, 1);
        const alcore_status status = alcore__distributions_measure(
            self->call, &one, NULL /* no mask */, self->call->first + i, what, self->entropies);
        if (status != ALCORE_OK) return alcore__fail_within(status, "sample %lld", (long long)s);
    }
    return ALCORE_OK;
}

/* Whether the numbers of the column are the probabilities that are worked with. */
static bool is_plain(const sample_groups *self) {
    const int32_t meaning = self->all.column->meaning;
    return meaning == 0 || meaning == ALCORE_MEANS_PROBS;
}

/* Whether p [classes] is a distribution beyond doubt: none of its numbers has a sign (the highest
 * bit), and their sum, whose order is not that of the check that decides, is nearer to 1 than
 * `slack` allows. Then none is above 1 by more than the sum is. */
static bool is_distribution(const double *p, int64_t classes, double slack) {
    double even = 0.0, odd = 0.0; /* two chains of additions */
    uint64_t signs = 0, bits[2] = {0};
    int64_t c = 0;
    for (; c + 1 < classes; c += 2) {
        even += p[c];
        odd += p[c + 1];
        memcpy(bits, p + c, sizeof bits);
        signs |= bits[0] | bits[1];
    }
    if (c < classes) memcpy(bits, p + c, sizeof *bits), even += p[c], signs |= bits[0];
    const double sum = even + odd;
    if (!(fabs(sum - 1.0) <= 0.99 * slack) || signs >> 63) return false;
    for (c = 0; c < classes && sum > 1.0 + SLACK; c++)
        if (p[c] > 1.0) return false;
    return true;
}

/* - sum of p log p over the classes, with the bits of class_stats. */
static double entropy_of(const double *p, int64_t classes) {
    double sum = 0.0;
    for (int64_t c = 0; c < classes; c++) {
        const double x = p[c] > 1.0 ? 1.0 : p[c];
        if (x > 0.0) sum += x * log(x);
    }
    return 0.0 - sum;
}

/* The entropies of plain probabilities of rows begin .. end - 1, or zeros for a measure that takes
 * none; false where one of the samples has to be looked at. */
static bool measure_plain(sample_groups *self, int64_t begin, int64_t end) {
    const bool wanted = self->measure == COMMITTEE_KL || self->measure == COMMITTEE_KL_MAX;
    const double slack = alcore__class_sum_slack(self->all.rows.dtype);
    for (int64_t i = begin; i < end; i++) {
        const double *p = probs_of(self, begin, i);
        double *entropies = self->entropies + (first_sample(self, i) - first_sample(self, begin));
        for (int64_t s = 0; s < sample_count(self, i) && is_scored(self, i); s++, p += self->step) {
            if (!is_distribution(p, self->classes, slack)) return false;
            entropies[s] = wanted ? entropy_of(p, self->classes) : 0.0;
        }
    }
    return true;
}

/* Checks the samples of rows begin .. end - 1, `part`, which are in `values`, and computes their
 * entropies. A sample with a NaN has the entropy NaN where nan=exclude leaves its row out. */
static alcore_status measure_samples(sample_groups *self, const alcore__distributions *part,
                                     int64_t begin, int64_t end) {
    const alcore__measure what = {.mode = MODE_ENTROPY};
    if (is_plain(self) && measure_plain(self, begin, end)) return ALCORE_OK;
    const alcore_status status = alcore__distributions_measure(
        self->call, part, self->mask, -1 /* each of its own */, what, self->entropies);
    if (status != ALCORE_E_DATA) return status;
    for (int64_t i = begin; i < end; i++)
        if (is_scored(self, i)) ALCORE__TRY(find_bad(self, i, what));
    return status;
}

/* Marks the samples of those rows begin .. end - 1 that are scored, and checks how many there are.
 */
static alcore_status mark_samples(sample_groups *self, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = first_sample(self, i) - first_sample(self, begin);
        memset(self->mask + first, is_scored(self, i), (size_t)sample_count(self, i));
        if (is_scored(self, i)) ALCORE__TRY(check_count(self, i));
    }
    return ALCORE_OK;
}

/* Sets `values` to the numbers of the samples, where they lie when they are doubles. Samples are
 * adjacent: the kernel reads them as one row, as it does small rows slowly. */
static alcore_status widen_samples(sample_groups *self, const alcore__distributions *part) {
    const alcore__engine cpu = alcore__engine_cpu(self->call->ctx);
    const alcore_sys_work work = alcore__engine_work(&cpu);
    alcore_sys_rows all = part->rows;
    self->values = self->probs = part->rows.data;
    self->step = self->dims;
    if (all.dtype == ALCORE_FLOAT64 || all.count == 0) return ALCORE_OK;
    all.dims = all.stride = all.count * all.dims;
    all.count = 1;
    self->values = self->probs = self->room;
    return cpu.kernels->widen(&work, &all, NULL /* no mask */, self->room);
}

/* Makes probabilities [labels, classes] of the numbers of a sample, by what the column says that
 * they are in place of these. */
static void make_probs(const sample_groups *self, const double *values, double *out) {
    if (self->dims != self->labels) {
        alcore__probs_of(self->all.column, values, self->classes, out);
        return;
    }
    for (int64_t l = 0; l < self->labels; l++) { /* each is a distribution (1 - p, p) */
        out[2 * l + 1] = fmin(fmax(values[l], 0.0), 1.0);
        out[2 * l] = 1.0 - out[2 * l + 1];
    }
}

/* Makes the probabilities of the marked samples of a group, behind the room for their values. */
static void make_all_probs(sample_groups *self, int64_t samples) {
    double *probs = self->room + self->longest * self->dims;
    for (int64_t s = 0; s < samples; s++)
        if (self->mask[s]) make_probs(self, self->values + s * self->dims, probs + s * self->width);
    self->probs = probs;
    self->step = self->width;
}

/* Adds to sums [count], count at most LANES, over the samples in their order, values[c], or with a
 * mean (NULL: none) the square of values[c] - mean[c]. A sample has its numbers `step` behind those
 * of the one before. */
static inline void add_lanes(const double *values, int64_t samples, int64_t step, int64_t count,
                             const double *mean, double *sums) {
    for (int64_t s = 0; s < samples; s++)
        for (int64_t c = 0; c < count; c++) {
            const double x = values[s * step + c], d = mean ? x - mean[c] : 0.0;
            sums[c] += mean ? d * d : x;
        }
}

/* The sums of add_lanes() over all numbers of a sample: out [width]. Each of the calls is inlined
 * with its constants, so that the compiler keeps LANES sums in registers and does not ask for a
 * mean in the loop. */
static void add_up(const sample_groups *self, const double *probs, int64_t samples,
                   const double *mean, double *out) {
    const int64_t width = self->width, step = self->step;
    for (int64_t first = 0; first < width; first += LANES) {
        double sums[LANES] = {0};
        const double *from = mean ? mean + first : NULL;
        if (first + LANES > width)
            add_lanes(probs + first, samples, step, width - first, from, sums);
        else if (mean)
            add_lanes(probs + first, samples, step, LANES, from, sums);
        else
            add_lanes(probs + first, samples, step, LANES, NULL, sums);
        for (int64_t c = first; c < width && c < first + LANES; c++) out[c] = sums[c - first];
    }
}

/* ---- measures of one row: probs [samples, `step` numbers apart], mean [labels, classes] ---- */

static double variance_of(const sample_groups *self, const double *probs, int64_t samples,
                          const double *mean) {
    const int64_t width = self->width;
    double *squares = self->logs, sum = 0.0; /* of each class, over the samples */
    add_up(self, probs, samples, mean, squares);
    for (int64_t c = 0; c < width; c++) sum += squares[c];
    return sum / (double)(samples * width);
}

/* The mean over the labels of the entropy of the votes, or of the share of the votes against the
 * winner. A sample votes for its likeliest class, the first of equal ones. */
static double votes_of(const sample_groups *self, const double *probs, int64_t samples) {
    const int64_t width = self->width, classes = self->classes;
    double *votes = self->logs, sum = 0.0;
    memset(votes, 0, (size_t)width * sizeof *votes);
    for (int64_t s = 0; s < samples; s++)
        for (int64_t first = 0; first < width; first += classes) {
            const double *p = probs + s * self->step + first;
            int64_t winner = 0;
            for (int64_t c = 1; c < classes; c++)
                if (p[c] > p[winner]) winner = c;
            votes[first + winner] += 1.0;
        }
    for (int64_t first = 0; first < width; first += classes) {
        double entropy = 0.0, most = 0.0;
        for (int64_t c = first; c < first + classes; c++) {
            const double share = votes[c] / (double)samples;
            if (share > 0) entropy -= share * log(share);
            most = fmax(most, share);
        }
        sum += self->measure == COMMITTEE_VOTE_ENTROPY ? entropy : 1.0 - most;
    }
    return sum / (double)self->labels;
}

/* The largest over the samples of KL(p_s || m) = - sum of p_s log m - H(p_s), the mean over the
 * labels; entropies [samples]. Where m is 0 every p_s is. */
static double largest_kl(const sample_groups *self, const double *probs, int64_t samples,
                         const double *mean, const double *entropies) {
    const int64_t width = self->width;
    double largest = 0.0;
    for (int64_t c = 0; c < width; c++) self->logs[c] = mean[c] > 0 ? log(mean[c]) : 0.0;
    for (int64_t s = 0; s < samples; s++) {
        double cross = 0.0;
        for (int64_t c = 0; c < width; c++) cross -= probs[s * self->step + c] * self->logs[c];
        largest = fmax(largest, cross / (double)self->labels - entropies[s]);
    }
    return largest;
}

/* The mean of values [count], added in their order. */
static double mean_of(const double *values, int64_t count) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

/* The entropy of a mean, the mean over its labels. */
static double consensus_entropy(const sample_groups *self, const double *mean) {
    double sum = 0.0;
    for (int64_t l = 0; l < self->labels; l++)
        sum += entropy_of(mean + l * self->classes, self->classes);
    return sum / (double)self->labels;
}

/* The measure of row i, in the group that begins with row `begin`. */
static double measure_row(const sample_groups *self, int64_t begin, int64_t i) {
    const int64_t samples = sample_count(self, i);
    const double *probs = probs_of(self, begin, i);
    const double *mean = self->means + (i - begin) * self->width;
    const double *entropies = self->entropies + (first_sample(self, i) - first_sample(self, begin));
    for (int64_t s = 0; s < samples; s++)
        if (isnan(entropies[s])) return entropies[s];
    if (samples == 0) return (double)NAN;
    switch (self->measure) {
    case COMMITTEE_VARIANCE:
        return variance_of(self, probs, samples, mean);
    case COMMITTEE_KL:
        return fmax(consensus_entropy(self, mean) - mean_of(entropies, samples), 0.0);
    case COMMITTEE_KL_MAX:
        return largest_kl(self, probs, samples, mean, entropies);
    case COMMITTEE_CONSENSUS_ENTROPY:
        return consensus_entropy(self, mean);
    default:
        return votes_of(self, probs, samples);
    }
}

/* ---- groups ---- */

/* The means of the rows begin .. end - 1. Rows that are not scored, or have a NaN, keep means
 * without a meaning. */
static void take_means(sample_groups *self, int64_t begin, int64_t end) {
    const int64_t width = self->width;
    for (int64_t i = begin; i < end; i++) {
        double *mean = self->means + (i - begin) * width;
        const int64_t samples = is_scored(self, i) ? sample_count(self, i) : 0;
        if (samples == 0) continue;
        add_up(self, probs_of(self, begin, i), samples, NULL /* no mean */, mean);
        for (int64_t c = 0; c < width; c++) mean[c] /= (double)samples;
    }
}

/* Fills in the scores of rows begin .. end - 1, whose means are there. */
static void write_scores(sample_groups *self, int64_t begin, int64_t end) {
    const alcore__score_call *call = self->call;
    for (int64_t i = begin; i < end; i++)
        if (is_scored(self, i))
            call->raw[i] = call->score[i] = call->rank[i] = measure_row(self, begin, i);
}

/* Scores rows begin .. end - 1 of the block. */
static alcore_status score_group(sample_groups *self, int64_t begin, int64_t end) {
    const int64_t first = first_sample(self, begin), samples = first_sample(self, end) - first;
    const alcore__distributions part = alcore__distributions_part(&self->all, first, samples);
    ALCORE__TRY(mark_samples(self, begin, end));
    ALCORE__TRY(widen_samples(self, &part));
    ALCORE__TRY(measure_samples(self, &part, begin, end));
    if (!is_plain(self)) make_all_probs(self, samples);
    take_means(self, begin, end);
    write_scores(self, begin, end);
    return ALCORE_OK;
}

/* Room for the longest group; freed by groups_clear(), also after a failure. A group has no more
 * rows than samples, but for rows without any, of which at most a block's are in one group. */
static alcore_status groups_allocate(sample_groups *self) {
    alcore_ctx *ctx = self->call->ctx;
    const size_t width = (size_t)self->width;
    int64_t rows = 1;
    for (int64_t begin = 0, end; begin < self->call->count; begin = end) {
        end = group_end(self, begin);
        const int64_t samples = first_sample(self, end) - first_sample(self, begin);
        if (samples > self->longest) self->longest = samples;
        if (end - begin > rows) rows = end - begin;
    }
    const size_t longest = (size_t)self->longest, dims = (size_t)self->dims;
    ALCORE__TRY(alcore__new_array(ctx, longest, sizeof *self->entropies, &self->entropies));
    ALCORE__TRY(alcore__new_array(ctx, longest * (dims + width), sizeof *self->room, &self->room));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows * width, sizeof *self->means, &self->means));
    ALCORE__TRY(alcore__new_array(ctx, width, sizeof *self->logs, &self->logs));
    return alcore__new_array(ctx, longest, sizeof *self->mask, &self->mask);
}

static void groups_clear(sample_groups *self) {
    alcore_ctx *ctx = self->call->ctx;
    alcore__distributions_clear(ctx, &self->all);
    alcore__free(ctx, self->entropies);
    alcore__free(ctx, self->room);
    alcore__free(ctx, self->means);
    alcore__free(ctx, self->logs);
    alcore__free(ctx, self->mask);
    alcore__free(ctx, self->offsets);
}

/* ---- planes ---- */

/* Sets probs to the samples of rows begin .. end - 1, where they lie when they are doubles. */
static alcore_status widen_planes(sample_groups *self, int64_t begin, int64_t end) {
    const alcore__engine cpu = alcore__engine_cpu(self->call->ctx);
    const alcore_sys_work work = alcore__engine_work(&cpu);
    const size_t bytes = alcore_sys_dtype_bytes(self->planes.first.dtype);
    alcore_sys_rows rows = self->planes.first;
    rows.data = (const char *)rows.data + (size_t)(begin * rows.stride) * bytes;
    rows.count = end - begin;
    self->probs = rows.data;
    self->row_step = rows.stride;
    self->step = self->planes.stride;
    if (rows.dtype == ALCORE_FLOAT64) return ALCORE_OK;
    self->probs = self->room;
    self->row_step = self->dims;
    self->step = rows.count * self->dims;
    if (rows.stride == rows.dims) { /* as in widen_samples() */
        rows.dims = rows.stride = self->step;
        rows.count = 1;
    }
    for (int64_t s = 0; s < self->planes.samples; s++) {
        ALCORE__TRY(
            cpu.kernels->widen(&work, &rows, NULL /* no mask */, self->room + s * self->step));
        rows.data = (const char *)rows.data + (size_t)self->planes.stride * bytes;
    }
    return ALCORE_OK;
}

/* Adds values [count] to sums; eight at a time, which compilers make vectors of. */
static void add_numbers(const double *restrict values, int64_t count, double *restrict sums) {
    int64_t n = 0;
    for (; n + 8 <= count; n += 8)
        for (int k = 0; k < 8; k++) sums[n + k] += values[n + k];
    for (; n < count; n++) sums[n] += values[n];
}

/* take_means() of rows whose numbers of one sample are adjacent, all rows together: they come into
 * the cache in the order in which they lie. */
static void take_plane_means(sample_groups *self, int64_t begin, int64_t end) {
    const int64_t samples = self->planes.samples, count = (end - begin) * self->dims;
    double *const means = self->means;
    if (self->row_step != self->dims) {
        take_means(self, begin, end);
        return;
    }
    memset(means, 0, (size_t)count * sizeof *means);
    for (int64_t s = 0; s < samples; s++) add_numbers(self->probs + s * self->step, count, means);
    for (int64_t n = 0; n < count; n++) means[n] /= (double)samples;
}

/* Scores the block where its samples lie, if they are plain probabilities; *out_done: whether that
 * was so. */
static alcore_status score_planes(sample_groups *self, const alcore__column *column,
                                  bool *out_done) {
    alcore__score_call *call = self->call;
    *out_done = false;
    self->all = (alcore__distributions){.column = column};
    if (!is_plain(self) ||
        !alcore__column_planes(column, call->first, call->count, &self->planes) ||
        self->planes.samples < 2 || self->planes.first.dims < 2)
        return ALCORE_OK;
    self->all.rows = self->planes.first;
    self->labels = 1;
    self->classes = self->dims = self->width = self->planes.first.dims;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)call->count + 1, sizeof *self->offsets,
                                  &self->offsets));
    for (int64_t i = 0; i <= call->count; i++) self->offsets[i] = i * self->planes.samples;
    self->items.offsets = self->offsets;
    ALCORE__TRY(groups_allocate(self));
    for (int64_t begin = 0, end; begin < call->count; begin = end) {
        end = group_end(self, begin);
        ALCORE__TRY(widen_planes(self, begin, end));
        take_plane_means(self, begin, end);
        if (!measure_plain(self, begin, end)) return ALCORE_OK;
        write_scores(self, begin, end);
    }
    *out_done = true;
    return ALCORE_OK;
}

/* ---- blocks ---- */

/* Reads the samples of the block and scores its rows, group after group. */
static alcore_status score_block(sample_groups *self, const alcore__column *column) {
    ALCORE__TRY(alcore__distributions_of_tokens(self->call, column, NAME, MODE_ENTROPY,
                                                &self->items, &self->all));
    const int64_t dims = self->dims = self->all.rows.dims;
    const bool is_binary =
        column->meaning == ALCORE_MEANS_SIGMOID || column->meaning == ALCORE_MEANS_MULTILABEL;
    self->labels = is_binary ? dims : 1;
    self->classes = is_binary ? 2 : dims;
    self->width = self->labels * self->classes;
    ALCORE__TRY(groups_allocate(self));
    for (int64_t begin = 0, end; begin < self->call->count; begin = end) {
        end = group_end(self, begin);
        ALCORE__TRY(score_group(self, begin, end));
    }
    return ALCORE_OK;
}

static alcore_status score_samples(alcore__score_call *call, int64_t measure) {
    const alcore__column *column = alcore__dataset_find(call->dataset, NAME);
    sample_groups groups = {.call = call, .measure = measure};
    bool done;
    if (!column) return alcore__fail(ALCORE_E_MISSING, "the column \"%s\" is missing", NAME);
    if (!column->ragged)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"%s\" has shape [samples, rows, classes], or [samples of "
                            "all rows, classes] with offsets",
                            NAME);
    alcore_status status = score_planes(&groups, column, &done);
    groups_clear(&groups);
    if (status != ALCORE_OK || done) return status;
    groups = (sample_groups){.call = call, .measure = measure};
    status = score_block(&groups, column);
    groups_clear(&groups);
    return status;
}

static alcore_status bald_rows(alcore__score_call *call) {
    return score_samples(call, COMMITTEE_KL);
}
static alcore_status variance_rows(alcore__score_call *call) {
    return score_samples(call, COMMITTEE_VARIANCE);
}
static alcore_status qbc_rows(alcore__score_call *call) {
    return score_samples(call, call->params->committee);
}

const alcore__score alcore__score_bald = {
    .name = "bald",
    .summary = "Mutual information between the class and the samples of a model (BALD)",
    .params = &NO_PARAMS,
    .raw_name = "mutual_information",
    .needs = alcore__sample_needs,
    .rows = bald_rows,
};

const alcore__score alcore__score_variance = {
    .name = "variance",
    .summary = "Variance of the class probabilities over the samples of a model",
    .params = &NO_PARAMS,
    .raw_name = "variance",
    .needs = alcore__sample_needs,
    .rows = variance_rows,
};

const alcore__score alcore__score_qbc = {
    .name = "qbc",
    .summary = "Disagreement of several models about the class (query by committee)",
    .params = ALCORE__PARAMS(COMMITTEE_ROWS),
    .raw_name = "disagreement",
    .needs = alcore__sample_needs,
    .rows = qbc_rows,
};
