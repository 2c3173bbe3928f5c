/* SPDX-License-Identifier: Apache-2.0 */
/* From logits and hidden states to columns: TV-NNLL, every layout, what goes wrong. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "column_rows.h"
#include "vectors.h"

enum { ITEMS = 5, TOKENS = 6, CLASSES = 700, DIMS = 24, IGNORE = -100 };

static alcore_ctx *new_ctx(int32_t threads) {
    alcore_ctx *ctx;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = threads;
    options.module_dir = "/nowhere";
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    return ctx;
}

static alcore_pool *new_pool(alcore_ctx *ctx, int64_t rows) {
    alcore_pool *pool;
    const char *const texts[] = {"one", "two", "three", "four", "five"};
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, rows, NULL));
    return pool;
}

static double uniform(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 40) * 0x1p-24;
}

/* A model's answer for some items, and the tensors that describe it. */
typedef struct answer {
    float *hidden, *output, *bias, *logits;
    int64_t labels[ITEMS * TOKENS];
    int64_t state_shape[3], logit_shape[3], output_shape[2], bias_shape[1], label_shape[2];
    int64_t state_strides[3], logit_strides[3], label_strides[2];
    alcore_tensor states, matrix, added, scores, targets;
} answer;

static void describe(answer *a, int64_t tokens) {
    const int64_t width[2] = {DIMS, CLASSES};
    int64_t *shapes[2] = {a->state_shape, a->logit_shape};
    int64_t *strides[2] = {a->state_strides, a->logit_strides};
    for (int i = 0; i < 2; i++) {
        shapes[i][0] = ITEMS;
        shapes[i][1] = tokens;
        shapes[i][2] = width[i];
        strides[i][0] = TOKENS * width[i];
        strides[i][1] = width[i];
        strides[i][2] = 1;
    }
    a->output_shape[0] = a->bias_shape[0] = CLASSES;
    a->output_shape[1] = DIMS;
    a->label_shape[0] = ITEMS;
    a->label_shape[1] = tokens;
    a->label_strides[0] = TOKENS;
    a->label_strides[1] = 1;
    ck_assert_ok(alcore_tensor_init(&a->states, a->hidden, ALCORE_FLOAT32, a->state_shape, 3));
    ck_assert_ok(alcore_tensor_init(&a->scores, a->logits, ALCORE_FLOAT32, a->logit_shape, 3));
    ck_assert_ok(alcore_tensor_init(&a->matrix, a->output, ALCORE_FLOAT32, a->output_shape, 2));
    ck_assert_ok(alcore_tensor_init(&a->added, a->bias, ALCORE_FLOAT32, a->bias_shape, 1));
    ck_assert_ok(alcore_tensor_init(&a->targets, a->labels, ALCORE_INT64, a->label_shape, 2));
    a->states.strides = a->state_strides;
    a->scores.strides = a->logit_strides;
    a->targets.strides = a->label_strides;
}

static void make(answer *a) {
    uint64_t state = 7;
    a->hidden = calloc(ITEMS * TOKENS * DIMS, sizeof(float));
    a->output = calloc(CLASSES * DIMS, sizeof(float));
    a->bias = calloc(CLASSES, sizeof(float));
    a->logits = calloc(ITEMS * TOKENS * CLASSES, sizeof(float));
    for (int i = 0; i < ITEMS * TOKENS * DIMS; i++) a->hidden[i] = (float)uniform(&state) - 0.5f;
    for (int i = 0; i < CLASSES * DIMS; i++) a->output[i] = 2.0f * (float)uniform(&state) - 1.0f;
    for (int i = 0; i < CLASSES; i++) a->bias[i] = (float)uniform(&state);
    for (int t = 0; t < ITEMS * TOKENS; t++) {
        a->labels[t] = t % 4 == 3 ? IGNORE : (t * 37) % CLASSES;
        for (int c = 0; c < CLASSES; c++) {
            double z = (double)a->bias[c];
            for (int j = 0; j < DIMS; j++)
                z += (double)a->hidden[t * DIMS + j] * (double)a->output[c * DIMS + j];
            a->logits[t * CLASSES + c] = (float)z;
        }
    }
    describe(a, TOKENS);
}

static void unmake(answer *a) {
    free(a->hidden);
    free(a->output);
    free(a->bias);
    free(a->logits);
}

static alcore_logits of_logits(const answer *a) {
    alcore_logits given = ALCORE_LOGITS_INIT;
    given.logits = &a->scores;
    given.labels = &a->targets;
    return given;
}

static alcore_logits of_states(const answer *a) {
    alcore_logits given = ALCORE_LOGITS_INIT;
    given.hidden = &a->states;
    given.output = &a->matrix;
    given.bias = &a->added;
    given.labels = &a->targets;
    return given;
}

/* All statistics, 7 of each token; entries that are not written stay 9. */
enum { STATS = 7 };
typedef struct stats {
    double of[STATS][ITEMS * TOKENS];
} stats;

static alcore_status measure(alcore_ctx *ctx, const alcore_logits *given, stats *out) {
    int64_t likeliest[ITEMS * TOKENS], shape[2] = {ITEMS, TOKENS};
    alcore_tensor tensors[STATS];
    const alcore_tensor *data = given->logits ? given->logits : given->hidden;
    const int32_t ndim = data && data->ndim == 2 ? 1 : 2;
    for (int d = 0; data && data->ndim > 1 && d < ndim; d++) shape[d] = data->shape[d];
    for (int f = 0; f < STATS; f++)
        ck_assert_ok(alcore_tensor_init(&tensors[f], f == 6 ? (void *)likeliest : out->of[f],
                                        f == 6 ? ALCORE_INT64 : ALCORE_FLOAT64, shape, ndim));
    for (int t = 0; t < ITEMS * TOKENS; t++) {
        likeliest[t] = 9;
        for (int f = 0; f < STATS; f++) out->of[f][t] = 9.0;
    }
    alcore_token_stats arrays = ALCORE_TOKEN_STATS_INIT;
    arrays.logprob = given->labels ? &tensors[0] : NULL;
    arrays.top1 = &tensors[1];
    arrays.top2 = &tensors[2];
    arrays.margin = &tensors[3];
    arrays.entropy = &tensors[4];
    arrays.logsumexp = &tensors[5];
    arrays.likeliest = &tensors[6];
    alcore_status status = alcore_logits_measure(ctx, given, IGNORE, &arrays);
    for (int t = 0; t < ITEMS * TOKENS; t++) out->of[6][t] = (double)likeliest[t];
    return status;
}

START_TEST(statistics_of_every_token) {
    answer a;
    stats got, states;
    alcore_ctx *ctx = new_ctx(2);
    make(&a);
    alcore_logits given = of_logits(&a), hidden = of_states(&a);
    ck_assert_ok(measure(ctx, &given, &got));
    ck_assert_ok(measure(ctx, &hidden, &states));
    for (int t = 0; t < ITEMS * TOKENS; t++) {
        const float *z = a.logits + t * CLASSES;
        double most = -HUGE_VAL, second = -HUGE_VAL, sum = 0.0, entropy = 0.0;
        int likeliest = 0;
        if (a.labels[t] == IGNORE) {
            for (int f = 0; f < STATS; f++) ck_assert_double_eq(got.of[f][t], 9.0);
            continue;
        }
        for (int c = 0; c < CLASSES; c++) {
            if ((double)z[c] > most) {
                second = most;
                most = (double)z[c];
                likeliest = c;
            } else if ((double)z[c] > second) {
                second = (double)z[c];
            }
        }
        for (int c = 0; c < CLASSES; c++) sum += exp((double)z[c] - most);
        for (int c = 0; c < CLASSES; c++) {
            double lp = (double)z[c] - most - log(sum);
            entropy -= exp(lp) * lp;
        }
        double expected[STATS] = {(double)z[a.labels[t]] - most - log(sum),
                                  -log(sum),
                                  second - most - log(sum),
                                  (1.0 - exp(second - most)) / sum,
                                  entropy,
                                  most + log(sum),
                                  likeliest};
        for (int f = 0; f < STATS; f++) {
            double tolerance = 1e-6 + 1e-5 * fabs(expected[f]);
            ck_assert_double_eq_tol(got.of[f][t], expected[f], tolerance);
            ck_assert_double_eq_tol(states.of[f][t], expected[f], tolerance);
        }
    }
    /* Without labels every token has its statistics, but no log-probability. */
    given.labels = NULL;
    ck_assert_ok(measure(ctx, &given, &states));
    ck_assert_double_eq(states.of[0][0], 9.0);
    for (int t = 0; t < ITEMS * TOKENS; t++) ck_assert_double_gt(states.of[4][t], 0.0);
    unmake(&a);
    alcore_ctx_unref(ctx);
}
END_TEST

/* In a tie the lowest class is the likeliest and the second equals it; of one class there is no
 * second, and states of 64 bits are those of 32. */
START_TEST(ties_and_single_classes) {
    alcore_ctx *ctx = new_ctx(1);
    double logits[3] = {2, 5, 5}, top1, top2, margin, state = 1 + 0x1p-40, one = 1, sum;
    int64_t shape[2] = {1, 3}, likeliest, tokens = 1;
    alcore_tensor given, first, second, gap, lowest, output, total;
    alcore_token_stats out = ALCORE_TOKEN_STATS_INIT;
    alcore_logits read = ALCORE_LOGITS_INIT;
    ck_assert_ok(alcore_tensor_init(&given, logits, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_tensor_init(&first, &top1, ALCORE_FLOAT64, &tokens, 1));
    ck_assert_ok(alcore_tensor_init(&second, &top2, ALCORE_FLOAT64, &tokens, 1));
    ck_assert_ok(alcore_tensor_init(&gap, &margin, ALCORE_FLOAT64, &tokens, 1));
    ck_assert_ok(alcore_tensor_init(&lowest, &likeliest, ALCORE_INT64, &tokens, 1));
    read.logits = &given;
    out.top1 = &first;
    out.top2 = &second;
    out.margin = &gap;
    out.likeliest = &lowest;
    ck_assert_ok(alcore_logits_measure(ctx, &read, IGNORE, &out));
    ck_assert(top2 == top1 && margin == 0 && likeliest == 1);
    shape[1] = 1;
    ck_assert_ok(alcore_logits_measure(ctx, &read, IGNORE, &out));
    ck_assert(top1 == 0 && isinf(top2) && top2 < 0 && margin == 1 && likeliest == 0);
    ck_assert_ok(alcore_tensor_init(&given, &state, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_tensor_init(&output, &one, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_tensor_init(&total, &sum, ALCORE_FLOAT64, &tokens, 1));
    read.logits = NULL;
    read.hidden = &given;
    read.output = &output;
    out.logsumexp = &total;
    ck_assert_ok(alcore_logits_measure(ctx, &read, IGNORE, &out));
    ck_assert_double_eq(sum, 1);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The same bytes for any number of threads. */
START_TEST(threads_change_nothing) {
    answer a;
    stats one, other;
    make(&a);
    for (int way = 0; way < 2; way++) {
        alcore_logits given = way ? of_states(&a) : of_logits(&a);
        alcore_ctx *ctx = new_ctx(1);
        ck_assert_ok(measure(ctx, &given, &one));
        alcore_ctx_unref(ctx);
        for (int32_t threads = 2; threads <= 8; threads += 3) {
            ctx = new_ctx(threads);
            ck_assert_ok(measure(ctx, &given, &other));
            ck_assert_mem_eq(&one, &other, sizeof one);
            alcore_ctx_unref(ctx);
        }
    }
    unmake(&a);
}
END_TEST

/* logits[:, :-1] with labels[:, 1:], tokens before items, packed tokens: as the plain arrays. */
START_TEST(layouts) {
    answer a;
    stats plain, shifted;
    alcore_ctx *ctx = new_ctx(2);
    make(&a);
    for (int way = 0; way < 2; way++) {
        const int64_t width = way ? DIMS : CLASSES;
        float *from = way ? a.hidden : a.logits;
        describe(&a, TOKENS);
        alcore_logits given = way ? of_states(&a) : of_logits(&a);
        given.labels = NULL;
        ck_assert_ok(measure(ctx, &given, &plain));

        describe(&a, TOKENS - 1);
        given.labels = &a.targets;
        a.targets.byte_offset = sizeof a.labels[0];
        ck_assert_ok(measure(ctx, &given, &shifted));
        for (int i = 0; i < ITEMS; i++) {
            for (int t = 0; t < TOKENS - 1; t++) {
                const int at = i * TOKENS + t, to = i * (TOKENS - 1) + t;
                const int out = a.labels[at + 1] == IGNORE;
                for (int f = 1; f < STATS; f++)
                    ck_assert_double_eq(shifted.of[f][to], out ? 9.0 : plain.of[f][at]);
            }
        }

        float *turned = calloc((size_t)(ITEMS * TOKENS * width), sizeof *turned);
        for (int i = 0; i < ITEMS; i++)
            for (int t = 0; t < TOKENS; t++)
                memcpy(turned + (t * ITEMS + i) * width, from + (i * TOKENS + t) * width,
                       (size_t)width * sizeof *turned);
        describe(&a, TOKENS);
        alcore_tensor *data = way ? &a.states : &a.scores;
        data->data = turned;
        data->strides[0] = width;
        data->strides[1] = ITEMS * width;
        given.labels = NULL;
        ck_assert_ok(measure(ctx, &given, &shifted));
        ck_assert_mem_eq(&plain, &shifted, sizeof plain);
        data->strides[0] = width + 1;
        ck_assert_fails(measure(ctx, &given, &shifted), ALCORE_E_SHAPE, "make it contiguous");
        free(turned);

        data->data = from;
        data->ndim = 2;
        data->shape[0] = ITEMS * TOKENS;
        data->shape[1] = width;
        data->strides = NULL;
        ck_assert_ok(measure(ctx, &given, &shifted));
        ck_assert_mem_eq(&plain, &shifted, sizeof plain);
    }
    unmake(&a);
    alcore_ctx_unref(ctx);
}
END_TEST

/* TV-NNLL, padded with a length each, into rows of a column in another order. */
START_TEST(nnll_of_the_specification) {
    static const int64_t rows[5] = {4, 2, 0, 1, 3};
    vector_case known = vector_case_number(vector_find("scores", "TV-NNLL"), 0);
    const json_t *given_rows = vector_input(&known, "probabilities");
    const double *flat = vector_doubles(given_rows, NULL);
    const double *expected = vector_doubles(vector_expected(&known, "nnll"), NULL);
    const int64_t *token_offsets = vector_offsets(given_rows, NULL);
    double tokens[5][4] = {{0}};
    int64_t lengths[5];
    for (int i = 0; i < 5; i++) {
        lengths[i] = token_offsets[i + 1] - token_offsets[i];
        memcpy(tokens[i], flat + token_offsets[i], (size_t)lengths[i] * sizeof *flat);
    }
    alcore_ctx *ctx = new_ctx(2);
    alcore_pool *pool = new_pool(ctx, 5);
    alcore_column_writer *nnll, *logprobs, *margins, *entropies;
    double logits[5][4][2];
    int32_t labels[5][4];
    int64_t shape[3] = {5, 4, 2}, all[5] = {0, 1, 2, 3, 4};
    for (int i = 0; i < 5; i++) {
        for (int t = 0; t < 4; t++) {
            labels[i][t] = t % 2;
            logits[i][t][t % 2] = log(tokens[i][t]);
            logits[i][t][1 - t % 2] = log(1.0 - tokens[i][t]);
        }
    }
    logits[2][3][0] = NAN; /* behind the length */
    alcore_tensor values, targets;
    ck_assert_ok(alcore_tensor_init(&values, logits, ALCORE_FLOAT64, shape, 3));
    ck_assert_ok(alcore_tensor_init(&targets, labels, ALCORE_INT32, shape, 2));
    ck_assert_ok(alcore_column_writer_new(pool, "scores", ALCORE_COLUMN_SCALAR, NULL, &nnll));
    ck_assert_ok(alcore_column_writer_new(pool, "logprobs", ALCORE_COLUMN_RAGGED, NULL, &logprobs));
    ck_assert_ok(alcore_column_writer_new(pool, "margins", ALCORE_COLUMN_RAGGED, NULL, &margins));
    ck_assert_ok(
        alcore_column_writer_new(pool, "entropies", ALCORE_COLUMN_RAGGED, NULL, &entropies));
    alcore_logits given = ALCORE_LOGITS_INIT;
    given.logits = &values;
    given.labels = &targets;
    given.lengths = lengths;
    given.length_count = 5;
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    writers.nnll = nnll;
    writers.logprobs = logprobs;
    writers.margins = margins;
    writers.entropies = entropies;
    ck_assert_ok(alcore_logits_put(ctx, &given, rows, 5, IGNORE, &writers));
    ck_assert_ok(alcore_logits_put(ctx, &given, rows, 5, IGNORE, &writers));
    ck_assert_int_eq(alcore_column_writer_repeats(nnll), 5);
    ck_assert_int_eq(alcore_column_writer_repeats(entropies), 5);
    ck_assert_ok(alcore_column_writer_finish(nnll, ALCORE_MISSING_FAIL));
    ck_assert_ok(alcore_column_writer_finish(logprobs, ALCORE_MISSING_FAIL));
    ck_assert_ok(alcore_column_writer_finish(margins, ALCORE_MISSING_FAIL));
    ck_assert_ok(alcore_column_writer_finish(entropies, ALCORE_MISSING_FAIL));

    double scores[5];
    alcore_tensor view, offsets;
    ck_assert_ok(test_column_rows(pool, "scores", all, 5, scores));
    for (int i = 0; i < 5; i++) ck_assert_double_eq_tol(scores[rows[i]], expected[i], 1e-6);
    ck_assert(!signbit(scores[0]));
    const char *const names[] = {"logprobs", "margins", "entropies"};
    for (int n = 0; n < 3; n++) {
        ck_assert_ok(alcore_pool_get_column(pool, names[n], &view, &offsets));
        const float *number = view.data;
        const int64_t *starts = offsets.data;
        for (int i = 0; i < 5; i++) {
            ck_assert_int_eq(starts[rows[i] + 1] - starts[rows[i]], lengths[i]);
            for (int64_t t = 0; t < lengths[i]; t++) {
                double p = tokens[i][t], q = 1.0 - p;
                double entropy = (p > 0.0 ? -p * log(p) : 0.0) + (q > 0.0 ? -q * log(q) : 0.0);
                double want = n == 0 ? log(p) : n == 1 ? fabs(p - q) : entropy;
                double got = (double)number[starts[rows[i]] + t];
                ck_assert(got == want || fabs(got - want) <= 2e-6);
            }
        }
    }
    alcore_column_writer_unref(nnll);
    alcore_column_writer_unref(logprobs);
    alcore_column_writer_unref(margins);
    alcore_column_writer_unref(entropies);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Packed tokens with lengths are the padded ones; an item whose tokens are all left out has NaN. */
START_TEST(packed_items) {
    answer a;
    alcore_ctx *ctx = new_ctx(2);
    alcore_pool *pool = new_pool(ctx, ITEMS);
    alcore_column_writer *writer[2];
    int64_t rows[ITEMS] = {0, 1, 2, 3, 4}, lengths[ITEMS];
    double got[2][ITEMS];
    make(&a);
    for (int i = 0; i < ITEMS; i++) lengths[i] = TOKENS;
    for (int t = 0; t < TOKENS; t++) a.labels[3 * TOKENS + t] = IGNORE;
    for (int packed = 0; packed < 2; packed++) {
        alcore_logits given = of_states(&a);
        if (packed) {
            given.lengths = lengths;
            given.length_count = ITEMS;
            a.states.ndim = 2;
            a.state_shape[0] = ITEMS * TOKENS;
            a.state_shape[1] = DIMS;
            a.states.strides = NULL;
            a.targets.ndim = 1;
            a.label_shape[0] = ITEMS * TOKENS;
            a.targets.strides = NULL;
        }
        alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
        ck_assert_ok(alcore_column_writer_new(pool, packed ? "packed" : "padded",
                                              ALCORE_COLUMN_SCALAR, NULL, &writer[packed]));
        writers.nnll = writer[packed];
        ck_assert_ok(alcore_logits_put(ctx, &given, rows, ITEMS, IGNORE, &writers));
        ck_assert_ok(alcore_column_writer_finish(writer[packed], ALCORE_MISSING_FAIL));
        ck_assert_ok(
            test_column_rows(pool, packed ? "packed" : "padded", rows, ITEMS, got[packed]));
        alcore_column_writer_unref(writer[packed]);
    }
    for (int i = 0; i < ITEMS; i++) {
        ck_assert_int_eq(isnan(got[0][i]) != 0, i == 3);
        ck_assert(i == 3 || got[0][i] == got[1][i]);
    }
    unmake(&a);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(packed_items_need_lengths) {
    alcore_ctx *ctx = new_ctx(1);
    alcore_pool *pool = new_pool(ctx, 2);
    double logits[4] = {1, 2, 3, 4};
    int64_t shape[2] = {2, 2}, rows[2] = {0, 1};
    const int64_t lengths[2] = {1, 1};
    alcore_tensor values;
    alcore_logits given = ALCORE_LOGITS_INIT;
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    ck_assert_ok(alcore_tensor_init(&values, logits, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(
        alcore_column_writer_new(pool, "margins", ALCORE_COLUMN_RAGGED, NULL, &writers.margins));
    given.logits = &values;
    ck_assert_fails(alcore_logits_put(ctx, &given, rows, 2, IGNORE, &writers), ALCORE_E_INVALID,
                    "without lengths");
    given.lengths = lengths;
    given.length_count = 2;
    ck_assert_ok(alcore_logits_put(ctx, &given, rows, 2, IGNORE, &writers));
    alcore_column_writer_unref(writers.margins);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(what_is_wrong_is_named) {
    answer a;
    stats out;
    alcore_ctx *ctx = new_ctx(2);
    alcore_pool *pool = new_pool(ctx, ITEMS);
    alcore_column_writer *scalar, *ragged;
    int64_t rows[ITEMS] = {4, 3, 2, 1, 0}, lengths[ITEMS] = {TOKENS, 1, TOKENS, TOKENS + 1, 0};
    make(&a);
    alcore_logits given = of_logits(&a), hidden = of_states(&a), none = ALCORE_LOGITS_INIT;
    alcore_logits_writers writers = ALCORE_LOGITS_WRITERS_INIT;
    ck_assert_ok(alcore_column_writer_new(pool, "scores", ALCORE_COLUMN_SCALAR, NULL, &scalar));
    ck_assert_ok(alcore_column_writer_new(pool, "logprobs", ALCORE_COLUMN_RAGGED, NULL, &ragged));
    writers.nnll = scalar;

    ck_assert_fails(measure(ctx, &none, &out), ALCORE_E_INVALID, "logits or hidden states");
    hidden.output = NULL;
    ck_assert_fails(measure(ctx, &hidden, &out), ALCORE_E_INVALID, "output matrix");
    hidden.output = &a.states;
    ck_assert_fails(measure(ctx, &hidden, &out), ALCORE_E_SHAPE, "output has 3 dimensions");
    hidden.output = &a.matrix;
    a.output_shape[1] = DIMS - 1;
    ck_assert_fails(measure(ctx, &hidden, &out), ALCORE_E_SHAPE, "output: [classes, 24]");
    a.output_shape[1] = DIMS;
    a.bias_shape[0]--;
    ck_assert_fails(measure(ctx, &hidden, &out), ALCORE_E_SHAPE, "bias: a float array [700]");
    a.bias_shape[0]++;

    a.logits[(3 * TOKENS + 2) * CLASSES + 5] = NAN;
    a.hidden[(3 * TOKENS + 2) * DIMS + 5] = INFINITY;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_DATA, "item 3, token 2: a NaN");
    ck_assert_fails(alcore_logits_put(ctx, &given, rows, ITEMS, IGNORE, &writers), ALCORE_E_DATA,
                    "row 1, token 2: a NaN");
    ck_assert_fails(alcore_logits_put(ctx, &hidden, rows, ITEMS, IGNORE, &writers), ALCORE_E_DATA,
                    "row 1, token 2: a NaN");
    ck_assert_int_eq(alcore_column_writer_missing_count(scalar), ITEMS);
    a.labels[3 * TOKENS + 2] = IGNORE;
    ck_assert_ok(measure(ctx, &given, &out));

    a.labels[7] = CLASSES;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_DATA,
                    "item 1, token 1: label 700 is none of 700 classes");
    a.labels[7] = 0;
    a.label_shape[1]--;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_SHAPE, "5 items of 6 tokens");
    a.label_shape[1]++;
    given.lengths = lengths;
    given.length_count = ITEMS - 1;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_SHAPE, "4 lengths for 5 items");
    given.length_count = ITEMS;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_SHAPE, "item 3 has length 7");
    given.lengths = NULL;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_INVALID, "lengths is NULL");
    given.length_count = 0;
    alcore_token_stats wrong = ALCORE_TOKEN_STATS_INIT;
    alcore_tensor flat = a.scores;
    flat.ndim = 1;
    flat.strides = NULL;
    wrong.likeliest = &flat;
    ck_assert_fails(alcore_logits_measure(ctx, &given, IGNORE, &wrong), ALCORE_E_SHAPE,
                    "likeliest");
    ck_assert_fails(alcore_logits_put(ctx, &given, rows, ITEMS - 1, IGNORE, &writers),
                    ALCORE_E_SHAPE, "4 rows for 5 items");
    given.labels = NULL;
    ck_assert_fails(alcore_logits_put(ctx, &given, rows, ITEMS, IGNORE, &writers), ALCORE_E_INVALID,
                    "without labels");
    given.labels = &a.targets;
    writers.logprobs = scalar;
    ck_assert_fails(alcore_logits_put(ctx, &given, rows, ITEMS, IGNORE, &writers), ALCORE_E_SHAPE,
                    "the writer logprobs is not of shape ragged");
    writers.logprobs = writers.entropies = ragged;
    ck_assert_fails(alcore_logits_put(ctx, &given, rows, ITEMS, IGNORE, &writers), ALCORE_E_INVALID,
                    "the writers logprobs and entropies are the same");
    writers.entropies = NULL;
    rows[2] = ITEMS;
    ck_assert_fails(alcore_logits_put(ctx, &given, rows, ITEMS, IGNORE, &writers),
                    ALCORE_E_NOT_FOUND, "5");
    ck_assert_int_eq(alcore_column_writer_missing_count(scalar), ITEMS);
    ck_assert_int_eq(alcore_column_writer_missing_count(ragged), ITEMS);

    a.scores.device.type = ALCORE_DEVICE_CUDA;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_MODULE, "/nowhere/libalcore-cuda.so");
    a.scores.device.type = 10;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_UNSUPPORTED, "device of type 10");
    a.scores.device.type = ALCORE_DEVICE_CUDA_HOST;
    ck_assert_ok(measure(ctx, &given, &out));
    a.scores.ndim = 1;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_SHAPE, "logits has 1 dimensions");
    given.size = 0;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_STRUCT_UNSET, "alcore_logits");

    alcore_column_writer_unref(scalar);
    alcore_column_writer_unref(ragged);
    unmake(&a);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Shapes and strides whose products exceed 64 bits are refused before anything is read: five items
 * 2^62 rows apart, tokens of one item as far apart, rows whose number fits but not their bytes, an
 * array without strides of 2^80 numbers; the rows of the output matrix; labels 2^65 bytes apart. */
START_TEST(strides_that_overflow) {
    static const struct {
        int64_t shape[3], strides[3];
    } all[] = {{{5, 2, 1}, {INT64_C(1) << 62, 1, 1}},
               {{1, 5, 1}, {1, INT64_C(1) << 62, 1}},
               {{2, 2, 1}, {INT64_C(1) << 61, 1, 1}},
               {{1, INT64_C(1) << 40, INT64_C(1) << 40}, {0}}};
    answer a;
    stats out;
    alcore_ctx *ctx = new_ctx(1);
    make(&a);
    alcore_logits given = of_logits(&a);
    given.labels = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        memcpy(a.logit_shape, all[i].shape, sizeof a.logit_shape);
        memcpy(a.logit_strides, all[i].strides, sizeof a.logit_strides);
        a.scores.strides = all[i].strides[0] ? a.logit_strides : NULL;
        ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_SHAPE,
                        "logits: the shape and the strides span more bytes");
    }
    int64_t output_strides[2] = {INT64_C(1) << 62, 1};
    describe(&a, TOKENS);
    given = of_states(&a);
    a.matrix.strides = output_strides;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_SHAPE,
                    "output: the shape and the strides span more bytes");
    describe(&a, TOKENS);
    given = of_logits(&a);
    a.label_strides[0] = INT64_C(1) << 62;
    ck_assert_fails(measure(ctx, &given, &out), ALCORE_E_SHAPE,
                    "labels: the shape and the strides span more bytes");
    unmake(&a);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Nothing to do is done: no items, no tokens, no classes that anybody asks for. */
START_TEST(empty) {
    answer a;
    stats out;
    alcore_ctx *ctx = new_ctx(2);
    make(&a);
    for (int which = 0; which < 3; which++) {
        describe(&a, TOKENS);
        alcore_logits given = of_logits(&a);
        given.labels = which < 2 ? NULL : &a.targets;
        a.logit_shape[which] = 0;
        for (int t = 0; t < ITEMS * TOKENS; t++) a.labels[t] = IGNORE;
        ck_assert_ok(measure(ctx, &given, &out));
        ck_assert_double_eq(out.of[5][0], 9.0);
    }
    unmake(&a);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("logits", statistics_of_every_token, ties_and_single_classes, threads_change_nothing,
            layouts, nnll_of_the_specification, packed_items, packed_items_need_lengths,
            what_is_wrong_is_named, strides_that_overflow, empty);
