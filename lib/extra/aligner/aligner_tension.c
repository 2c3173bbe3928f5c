/* SPDX-License-Identifier: Apache-2.0 */
/* The tension of the diagonal model: how lambda follows the data (docs/spec/aligner.md, "Tension").
 *
 *   eight times  lambda += 20 (emp - mod),  within [0.1, 14]
 *   emp  mean over target words of the posterior expectation of h (summed by aligner_expect.c)
 *   mod  mean over target words of the model's expectation of h with the present lambda:
 *        gradient  (sum of the posteriors of j >= 1) * sum_j h exp(lambda h) / Z, which makes
 *                  emp - mod the derivative of the log-likelihood by lambda
 *        public    S / Z', S = sum_j h exp(lambda h); Z' is the sum of two geometric series in
 *                  which the public tool fast_align swaps the two lengths
 *
 * A target position's mod depends on (i, m, n) alone: target position i of m, n source words. So it
 * is computed once for every class of sentence pairs with equal lengths, and weighted by mass, the
 * posteriors or the number of the class's target words at position i. Cost: eight times the sum of
 * m n over the classes, an exponential each. The result is the same for every number of threads:
 * mass is a sum of integers, and mod is summed class by class. */
#include <math.h>

#include "extra/aligner/aligner_internal.h"
#include "text/radix_sort.h"

static const char STAGE[] = "fitting the diagonal";
/* The numbers of fast_align. */
enum { STEPS = 8 };
#define STEP_SIZE 20.0
#define MIN_LAMBDA 0.1
#define MAX_LAMBDA 14.0

void alcore__aligner_classes_clear(alcore_ctx *ctx, alcore__aligner_classes *classes) {
    alcore__free(ctx, classes->m);
    alcore__free(ctx, classes->n);
    alcore__free(ctx, classes->begin);
    alcore__free(ctx, classes->class_of);
    alcore__free(ctx, classes->mass);
    *classes = (alcore__aligner_classes){0};
}

/* Makes the classes from records [count], one of each sentence pair that is trained on: key m << 32
 * | n, ascending, value the pair's row. mass is allocated and 0. The caller clears *out after a
 * failure. */
static alcore_status number_classes(const alcore__aligner *aligner, const alcore__keyed *records,
                                    size_t count, alcore__aligner_classes *out) {
    alcore_ctx *ctx = aligner->ctx;
    size_t classes = 0; /* records with a key unlike the one before */
    for (size_t i = 0; i < count; i++) classes += i == 0 || records[i].key != records[i - 1].key;
    ALCORE__TRY(alcore__new_array(ctx, classes, sizeof *out->m, &out->m));
    ALCORE__TRY(alcore__new_array(ctx, classes, sizeof *out->n, &out->n));
    ALCORE__TRY(alcore__new_array(ctx, classes + 1, sizeof *out->begin, &out->begin));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)aligner->target->rows, sizeof *out->class_of,
                                  &out->class_of));
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || records[i].key != records[i - 1].key) {
            out->m[out->count] = (uint32_t)(records[i].key >> 32);
            out->n[out->count] = (uint32_t)records[i].key;
            out->begin[out->count + 1] = out->begin[out->count] + out->m[out->count];
            out->count++;
        }
        out->class_of[records[i].value] = (uint32_t)(out->count - 1);
        out->words += out->m[out->count - 1];
    }
    return alcore__new_array(ctx, (size_t)out->begin[out->count], sizeof *out->mass, &out->mass);
}

/* Lists the lengths of the pairs in records [rows], sorts them (spare [rows] is overwritten), makes
 * the classes, and sets mass for the public tension, where every word of every pair has weight 1.
 * shift is chosen so that the sum of all target words stays below 2^62 units. */
static alcore_status sort_lengths(const alcore__aligner *aligner, alcore__keyed *records,
                                  alcore__keyed *spare, alcore__aligner_classes *out) {
    size_t count = 0;
    for (int64_t row = 0; row < aligner->target->rows; row++) {
        const uint32_t *t = aligner->target->begin + row, *s = aligner->source->begin + row;
        if (t[1] > t[0]) /* the token behind the words is the boundary */
            records[count++] = (alcore__keyed){
                (uint64_t)(t[1] - t[0] - 1) << 32 | (s[1] - s[0] - 1), (uint32_t)row};
    }
    ALCORE__TRY(alcore__radix_sort(aligner->ctx, records, spare, count));
    ALCORE__TRY(number_classes(aligner, records, count, out));
    out->shift = 62 - (out->words == 0 ? 0 : 64 - __builtin_clzll((uint64_t)out->words));
    if (aligner->options.tension == ALCORE__TENSION_PUBLIC) {
        for (size_t i = 0; i < count; i++) { /* every word of every pair has weight 1 */
            const uint32_t one = out->class_of[records[i].value];
            for (uint64_t p = out->begin[one]; p < out->begin[one + 1]; p++)
                out->mass[p] += UINT64_C(1) << out->shift;
        }
    }
    return ALCORE_OK;
}

/* Makes the classes of the training pairs; records and spare [rows] are workspace of the sort. */
alcore_status alcore__aligner_classes_new(const alcore__aligner *aligner,
                                          alcore__aligner_classes *out) {
    alcore_ctx *ctx = aligner->ctx;
    const size_t rows = (size_t)aligner->target->rows;
    alcore__keyed *records = NULL, *spare = NULL;
    *out = (alcore__aligner_classes){0};
    alcore_status status = alcore__new_array(ctx, rows, sizeof *records, &records);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, rows, sizeof *spare, &spare);
    if (status == ALCORE_OK) status = sort_lengths(aligner, records, spare, out);
    alcore__free(ctx, records);
    alcore__free(ctx, spare);
    if (status != ALCORE_OK) alcore__aligner_classes_clear(ctx, out);
    return status;
}

/* *s = sum_j h exp(lambda h) and *z = sum_j exp(lambda h) over j = 1 .. n, for target position
 * i. */
static void expected_h(int64_t i, int64_t m, int64_t n, double lambda, double *s, double *z) {
    *s = *z = 0;
    for (int64_t j = 1; j <= n; j++) {
        const double h = alcore__aligner_h(i, j, m, n), power = exp(lambda * h);
        *s += h * power;
        *z += power;
    }
}

/* Z' of the public tool for target position i: two geometric series, away from the diagonal in both
 * directions, with n and m swapped as that tool swaps them. Where the diagonal lies outside the
 * swapped lengths, m - split is negative and the tool's unsigned difference wraps around at 2^32;
 * the conversion to uint32_t repeats that. */
static double public_z(int64_t i, int64_t m, int64_t n, double lambda) {
    const int64_t split = i * m / n;
    const double r = exp(-lambda / (double)m);
    double z = 0;
    if (split != m) {
        const double power = pow(r, (double)(uint32_t)(m - split));
        z += exp(lambda * alcore__aligner_h(i, split + 1, n, m)) * (1 - power) / (1 - r);
    }
    if (split > 0)
        z +=
            exp(lambda * alcore__aligner_h(i, split, n, m)) * (1 - pow(r, (double)split)) / (1 - r);
    return z;
}

/* What the tasks of one step of lambda share. */
typedef struct model_task {
    const alcore__aligner *aligner; /* with the present lambda */
    const alcore__aligner_classes *classes;
    double *mod; /* [classes] sum over the target words of each class */
} model_task;

/* The task of one class (alcore__task): task->mod[class_index], its share of the sum behind mod. */
static alcore_status model_class(void *data, int64_t class_index, int32_t worker) {
    const model_task *task = data;
    const alcore__aligner_classes *classes = task->classes;
    const double lambda = task->aligner->lambda, unit = ldexp(1, -classes->shift);
    const int64_t m = classes->m[class_index], n = classes->n[class_index];
    double sum = 0;
    (void)worker;
    for (int64_t i = 1; i <= m; i++) {
        double s, z;
        ALCORE__TRY(alcore__tick(task->aligner->ctx, NULL, 0, 0));
        expected_h(i, m, n, lambda, &s, &z);
        if (task->aligner->options.tension == ALCORE__TENSION_PUBLIC) z = public_z(i, m, n, lambda);
        const uint64_t units = atomic_load_explicit(
            &classes->mass[classes->begin[class_index] + (uint64_t)i - 1], memory_order_relaxed);
        sum += (double)units * unit * (s / z);
    }
    task->mod[class_index] = sum;
    return ALCORE_OK;
}

/* Eight gradient steps of lambda; each computes mod of all classes in parallel and adds it up in
 * the order of the classes. */
alcore_status alcore__aligner_tighten(alcore__aligner *aligner, alcore__aligner_classes *classes,
                                      double emp) {
    model_task task = {aligner, classes, NULL};
    alcore_status status =
        alcore__new_array(aligner->ctx, (size_t)classes->count, sizeof *task.mod, &task.mod);
    for (int step = 0; step < STEPS && status == ALCORE_OK; step++) {
        status = alcore__parallel(aligner->ctx, STAGE, classes->count, model_class, &task);
        if (status != ALCORE_OK) break;
        double mod = 0;
        for (int64_t i = 0; i < classes->count; i++) mod += task.mod[i];
        const double next = aligner->lambda + STEP_SIZE * (emp - mod / (double)classes->words);
        aligner->lambda = next < MIN_LAMBDA ? MIN_LAMBDA : next > MAX_LAMBDA ? MAX_LAMBDA : next;
    }
    alcore__free(aligner->ctx, task.mod);
    return status;
}

void alcore__aligner_classes_reset(const alcore__aligner *aligner,
                                   alcore__aligner_classes *classes) {
    if (aligner->options.tension != ALCORE__TENSION_GRADIENT) return;
    for (uint64_t p = 0; p < classes->begin[classes->count]; p++)
        atomic_store_explicit(&classes->mass[p], 0, memory_order_relaxed);
}
