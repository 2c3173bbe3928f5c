/* SPDX-License-Identifier: Apache-2.0 */
/* The torch module's own kernels against their formulas in double, for every instruction set that
 * this processor has, at sizes around the widths of vectors and of tiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_suite.h"
#include "torch_kernels.h"

extern const torch_kernels torch_kernels_portable;
#if defined(__x86_64__)
extern const torch_kernels torch_kernels_avx2, torch_kernels_avx512;
#endif

enum { MOST_KEYS = 70, MOST_HEAD = 70, STEP = MOST_HEAD + 3 };

static const torch_kernels *kernels;
static const char *name;

/* Runs a check for every copy of the kernels that can run here. */
static void with_every_copy(void (*check)(void)) {
    kernels = &torch_kernels_portable;
    name = "portable";
    check();
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        kernels = &torch_kernels_avx2;
        name = "avx2";
        check();
    }
    if (__builtin_cpu_supports("avx512f")) {
        kernels = &torch_kernels_avx512;
        name = "avx512";
        check();
    }
#endif
    kernels = torch_kernels_here();
    name = "chosen";
    check();
}

static float keys[MOST_KEYS * STEP], values[MOST_KEYS * STEP], queries[MOST_KEYS * STEP],
    biases[MOST_KEYS * STEP], out[MOST_KEYS * STEP];

/* Between -2 and 2. */
static float any(void) {
    return (float)(rand() % 4001 - 2000) / 1000.0f;
}

static void fill(void) {
    srand(3);
    for (int i = 0; i < MOST_KEYS * STEP; i++) {
        keys[i] = any();
        values[i] = any();
        queries[i] = any();
        biases[i] = any();
        out[i] = NAN;
    }
}

/* Component c of what query i of the first `met` keys attends to. */
static double expected(int64_t i, int64_t met, int64_t head, bool biased, int64_t c) {
    double sum = 0, mixed = 0;
    for (int64_t j = 0; j < met; j++) {
        double score = 0;
        for (int64_t d = 0; d < head; d++)
            score += (double)queries[i * STEP + d] * (double)keys[j * STEP + d];
        score = exp(0.25 * score + (biased ? (double)biases[i * STEP + j] : 0));
        sum += score;
        mixed += score * (double)values[j * STEP + c];
    }
    return mixed / sum;
}

/* A batch of attention: `count` queries to `met` keys, with every component compared. */
static void check_attend(int64_t count, int64_t met, int64_t head, bool biased, bool causal) {
    float *laid_out = malloc((size_t)torch_laid_out(met, head) * sizeof *laid_out);
    float *scratch = malloc((size_t)torch_scratch(met, head) * sizeof *scratch);
    ck_assert(laid_out != NULL && scratch != NULL);
    fill();
    kernels->lay_out(keys, values, STEP, met, head, laid_out);
    const torch_attention what = {
        laid_out, met,    head, queries, STEP,    count, 0.25f, biased ? biases : NULL,
        STEP,     causal, out,  STEP,    scratch, biased};
    kernels->attend(&what);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t c = 0; c < head; c++) {
            const double right = expected(i, causal ? i + 1 : met, head, biased, c);
            ck_assert_msg(fabs(right - (double)out[i * STEP + c]) < 1e-5,
                          "%s: %d queries, %d keys, %d components, bias %d, causal %d: query %d, "
                          "component %d is %.8g, not %.8g",
                          name, (int)count, (int)met, (int)head, biased, causal, (int)i, (int)c,
                          (double)out[i * STEP + c], right);
        }
        for (int64_t c = head; c < STEP; c++) ck_assert(isnan(out[i * STEP + c]));
    }
    free(laid_out);
    free(scratch);
}

static void check_attention(void) {
    static const int64_t heads[] = {1, 8, 16, 31, 32, 64, 70}, sizes[] = {1, 3, 16, 17, 33, 70};
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++)
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
            for (int flags = 0; flags < 4; flags++)
                check_attend(flags & 2 ? sizes[n] : 1 + sizes[n] % 7, sizes[n], heads[h], flags & 1,
                             flags & 2);
}

START_TEST(attention_follows_the_formula) {
    with_every_copy(check_attention);
}
END_TEST

/* Attention of one query to keys and values that are not adjacent in memory, as those of a
 * hypothesis in a beam search are: token j of the chain is stored in reverse order. */
static void check_chain(int64_t met, int64_t head, bool biased) {
    enum { WIDE = 80 };
    static float tokens[MOST_KEYS * 2 * WIDE];
    const float *places[MOST_KEYS];
    float *scratch = malloc((size_t)torch_scratch(met, head) * sizeof *scratch);
    ck_assert_ptr_nonnull(scratch);
    fill();
    memset(tokens, 0, sizeof tokens);
    for (int64_t j = 0; j < met; j++) {
        float *place = tokens + (MOST_KEYS - 1 - j) * 2 * WIDE;
        memcpy(place, keys + j * STEP, (size_t)head * sizeof *place);
        memcpy(place + WIDE, values + j * STEP, (size_t)head * sizeof *place);
        places[j] = place - 5;
    }
    const torch_chain what = {.tokens = places,
                              .keys = met,
                              .head = head,
                              .place = 5,
                              .value_place = WIDE,
                              .query = queries,
                              .scale = 0.25f,
                              .bias = biased ? biases : NULL,
                              .out = out,
                              .scratch = scratch,
                              .later = biased ? places : NULL};
    kernels->attend_chain(&what);
    for (int64_t c = 0; c < head; c++)
        ck_assert_msg(fabs(expected(0, met, head, biased, c) - (double)out[c]) < 1e-5,
                      "%s: %d keys, %d components, bias %d: component %d is %.8g", name, (int)met,
                      (int)head, biased, (int)c, (double)out[c]);
    ck_assert(isnan(out[head]));
    free(scratch);
}

static void check_chains(void) {
    for (int64_t head = 1; head <= MOST_HEAD; head += 23)
        for (int64_t met = 1; met <= MOST_KEYS; met += 23)
            for (int biased = 0; biased < 2; biased++) check_chain(met, head, biased);
}

START_TEST(keys_that_lie_apart_are_attended_to) {
    with_every_copy(check_chains);
}
END_TEST

/* The n-th best has exactly n - 1 values before it, greater ones or equal ones further in front. */
static void check_best(void) {
    enum { COUNT = 1000, MOST = 9 };
    static float logits[COUNT];
    int64_t ids[MOST];
    srand(5);
    for (int64_t count = 1; count <= COUNT; count = count * 2 + 1) {
        for (int64_t i = 0; i < count; i++) logits[i] = (float)(rand() % 300) - 200;
        if (count > 20) {
            logits[3] = NAN;
            logits[count - 1] = -INFINITY;
        }
        const int64_t valid = count > 20 ? count - 2 : count;
        const int64_t found = kernels->find_best(logits, count, MOST, ids);
        ck_assert_int_eq(found, valid < MOST ? valid : MOST);
        for (int64_t n = 0; n < found; n++) {
            int64_t before = 0;
            for (int64_t i = 0; i < count; i++)
                before += logits[i] > logits[ids[n]] || (logits[i] == logits[ids[n]] && i < ids[n]);
            ck_assert_int_eq(before, n);
        }
        if (count > 20) logits[3] = -150;
        const float greatest = logits[ids[0]];
        double sum = 0;
        for (int64_t i = 0; i < count; i++) sum += exp((double)logits[i] - (double)greatest);
        ck_assert_double_eq_tol(kernels->log_sum(logits, count, greatest), log(sum), 1e-5);
    }
    logits[0] = -INFINITY;
    ck_assert_int_eq(kernels->find_best(logits, 1, MOST, ids), 0);
}

START_TEST(the_best_values_are_found_in_order) {
    with_every_copy(check_best);
}
END_TEST

/* Component k of a norm of x. */
static double normed(const float *x, int64_t size, const torch_norm *by, int64_t k) {
    double mean = 0, squares = 0;
    for (int64_t i = 0; by->centered && i < size; i++) mean += (double)x[i] / (double)size;
    for (int64_t i = 0; i < size; i++) squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    return ((double)x[k] - mean) / sqrt(squares / (double)size + (double)by->epsilon) *
               ((double)by->weight[k] + (double)by->raise) +
           (by->bias == NULL ? 0 : (double)by->bias[k]);
}

static void check_norms(void) {
    fill();
    for (int64_t size = 1; size <= MOST_HEAD; size++)
        for (int form = 0; form < 4; form++) {
            const bool centered = form & 2;
            const torch_norm by = {biases, form == 1 ? 1.0f : 0.0f, 1e-3f, centered,
                                   form == 3 ? values : NULL};
            memcpy(out, keys, sizeof out);
            kernels->norm(&by, out, 3, size, out);
            for (int64_t row = 0; row < 3; row++)
                for (int64_t k = 0; k < size; k++) {
                    const double right = normed(keys + row * size, size, &by, k);
                    ck_assert_msg(fabs((double)out[row * size + k] - right) <
                                      1e-5 * (1 + fabs(right)),
                                  "%s: row %d of %d, component %d, form %d", name, (int)row,
                                  (int)size, (int)k, form);
                }
            ck_assert(out[3 * size] == keys[3 * size]);
        }
}

START_TEST(norms_follow_the_formula) {
    with_every_copy(check_norms);
}
END_TEST

/* Rows of equal values, whose variance is 0: LayerNorm gives its bias, exactly as torch does, and
 * RMSNorm the weight with the sign of the value, or 0 of zeros. */
static void check_equal_values(void) {
    static const float equal[] = {0, -0.1f, 0.3f, 7.3f, -1234.567f, 3e7f};
    fill();
    for (int64_t size = 1; size <= 1024; size += size < MOST_HEAD ? 1 : 106)
        for (size_t n = 0; n < sizeof equal / sizeof *equal; n++) {
            const torch_norm centered = {biases, 0, 1e-12f, true, values},
                             plain = {biases, 0, 1e-12f, true, NULL},
                             rms = {biases, 0, 1e-12f, false, NULL};
            for (int64_t k = 0; k < 2 * size; k++) keys[k] = equal[n];
            kernels->norm(&centered, keys, 2, size, out);
            for (int64_t k = 0; k < 2 * size; k++)
                ck_assert_msg(out[k] == values[k % size], "%s: %g, %d of %d", name,
                              (double)equal[n], (int)k, (int)size);
            kernels->norm(&plain, keys, 2, size, out);
            for (int64_t k = 0; k < 2 * size; k++) ck_assert(out[k] == 0);
            kernels->norm(&rms, keys, 2, size, out);
            for (int64_t k = 0; k < 2 * size; k++)
                ck_assert_double_eq_tol(
                    (double)out[k], ((equal[n] > 0) - (equal[n] < 0)) * (double)biases[k % size],
                    1e-5);
        }
}

START_TEST(norms_of_equal_values_are_exact) {
    with_every_copy(check_equal_values);
}
END_TEST

/* Component k of a head x, normed and turned. */
static double turned(const torch_turn *what, const torch_norm *by, const float *x, int64_t k) {
    const int64_t head = what->head, half = head / 2, other = k < half ? k + half : k - half;
    const double own = by->weight == NULL ? (double)x[k] : normed(x, head, by, k),
                 across = by->weight == NULL ? (double)x[other] : normed(x, head, by, other);
    if (what->cosine == NULL) return own;
    return own * (double)what->cosine[k] + (k < half ? -across : across) * (double)what->sine[k];
}

static void check_turns(void) {
    enum { HEADS = 6, SHARED = 2, GROUP = HEADS / SHARED };
    fill();
    for (int64_t head = 2; head <= MOST_HEAD; head += 2)
        for (int form = 0; form < 4; form++) {
            torch_turn what = {.projected = keys,
                               .heads = HEADS,
                               .kv_heads = SHARED,
                               .head = head,
                               .cosine = form & 1 ? values : NULL,
                               .sine = queries,
                               .out = out};
            if (form & 2) {
                what.query_norm = (torch_norm){.weight = biases, .epsilon = 1e-6f};
                what.key_norm = (torch_norm){.weight = biases + STEP, .raise = 1, .epsilon = 1e-6f};
            }
            kernels->turn(&what);
            for (int64_t place = 0; place < 3 * HEADS; place++)
                for (int64_t k = 0; k < head; k++) {
                    const int64_t part = place / HEADS, h = place % HEADS;
                    const float *from =
                        keys + head * (part == 0 ? h : HEADS + (part - 1) * SHARED + h / GROUP);
                    const double right =
                        part == 2
                            ? (double)from[k]
                            : turned(&what, part == 0 ? &what.query_norm : &what.key_norm, from, k);
                    ck_assert_msg(fabs((double)out[place * head + k] - right) <
                                      1e-5 * (1 + fabs(right)),
                                  "%s: form %d, head %d of %d, component %d", name, form,
                                  (int)place, (int)head, (int)k);
                }
        }
}

START_TEST(heads_are_normed_turned_and_shared) {
    with_every_copy(check_turns);
}
END_TEST

CHECK_SUITE("torch kernels", attention_follows_the_formula, keys_that_lie_apart_are_attended_to,
            the_best_values_are_found_in_order, norms_follow_the_formula,
            norms_of_equal_values_are_exact, heads_are_normed_turned_and_shared);
