/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/aligner.h promises of its calls: bounds and defaults of options, probabilities
 * of words, log-likelihoods that never fall, files of every kind, outputs after a failure. */
#include "check_suite.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/extra/aligner.h"
#include "aligner_bed.h"
#include "check_status.h"
#include "test_folder.h"

enum { PAIRS = 3 };
static const char *const sources[PAIRS] = {"das Haus", "das Buch", "ein Buch"};
static const char *const targets[PAIRS] = {"the house", "the book", "a book"};

static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 16];

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    test_folder_make(folder, "aligner");
}

static void teardown(void) {
    test_folder_remove(folder);
    alcore_ctx_unref(ctx);
}

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static alcore_status try_train(const alcore_aligner_options *options, alcore_aligner **out) {
    return alcore_aligner_new_trained(ctx, sources, NULL, targets, NULL, PAIRS, options, out);
}

static alcore_aligner *train(const alcore_aligner_options *options) {
    alcore_aligner *aligner;
    ck_assert_ok(try_train(options, &aligner));
    return aligner;
}

/* The last log-likelihood, of so many iterations. */
static double last_of(const alcore_aligner *aligner, int64_t iterations) {
    alcore_tensor values;
    ck_assert_ok(alcore_aligner_log_likelihoods(aligner, &values));
    ck_assert_int_eq(values.ndim, 1);
    ck_assert_int_eq(values.shape[0], iterations);
    return ((const double *)values.data)[iterations - 1];
}

static double trained_last(const alcore_aligner_options *options, int64_t iterations) {
    alcore_aligner *aligner = train(options);
    const double last = last_of(aligner, iterations);
    alcore_aligner_unref(aligner);
    return last;
}

/* What is 0 or unset is the value that the header names. */
START_TEST(defaults) {
    const double usual = trained_last(NULL, 5);
    alcore_aligner_options options = {.size = sizeof options,
                                      .direction = ALCORE_DIRECTION_FORWARD,
                                      .model = ALCORE_ALIGNER_DIAGONAL,
                                      .estimate = ALCORE_ESTIMATE_BAYES,
                                      .tension = ALCORE_TENSION_OFF,
                                      .iterations = 5,
                                      .p0 = 0.08,
                                      .lambda = 4,
                                      .alpha = 0.01};
    ck_assert_double_eq(trained_last(&options, 5), usual);
    options = (alcore_aligner_options)ALCORE_ALIGNER_OPTIONS_INIT;
    ck_assert_double_eq(trained_last(&options, 5), usual);
    /* Model 1 reads neither p0 nor lambda. */
    options.model = ALCORE_ALIGNER_IBM1;
    const double model_1 = trained_last(&options, 5);
    options.p0 = 0.5;
    options.lambda = 9;
    ck_assert_double_eq(trained_last(&options, 5), model_1);
    ck_assert_double_ne(model_1, usual);
}
END_TEST

/* The bounds are allowed, what lies outside is refused by name; a 0 that is given is 0. */
START_TEST(ranges_of_numbers) {
    static const struct {
        double p0, lambda, alpha;
        const char *refused; /* NULL: allowed */
    } rows[] = {{0, ALCORE_UNSET, ALCORE_UNSET, NULL},
                {0.999999, ALCORE_UNSET, ALCORE_UNSET, NULL},
                {-1e-9, ALCORE_UNSET, ALCORE_UNSET, "p0 is"},
                {1, ALCORE_UNSET, ALCORE_UNSET, "p0 is 1"},
                {ALCORE_UNSET, 0, ALCORE_UNSET, NULL},
                {ALCORE_UNSET, 100, ALCORE_UNSET, NULL},
                {ALCORE_UNSET, 100.5, ALCORE_UNSET, "lambda is 100.5"},
                {ALCORE_UNSET, -INFINITY, ALCORE_UNSET, "lambda is"},
                {ALCORE_UNSET, ALCORE_UNSET, 1e-6, NULL},
                {ALCORE_UNSET, ALCORE_UNSET, 1e6, NULL},
                {ALCORE_UNSET, ALCORE_UNSET, 9e-7, "alpha is"},
                {ALCORE_UNSET, ALCORE_UNSET, 1.1e6, "alpha is"},
                {ALCORE_UNSET, ALCORE_UNSET, 0, "alpha is 0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        alcore_aligner_options options = ALCORE_ALIGNER_OPTIONS_INIT;
        alcore_aligner *aligner;
        options.p0 = rows[i].p0;
        options.lambda = rows[i].lambda;
        options.alpha = rows[i].alpha;
        if (rows[i].refused) {
            ck_assert_fails(try_train(&options, &aligner), ALCORE_E_PARAM, rows[i].refused);
            ck_assert_ptr_null(aligner);
            continue;
        }
        ck_assert_ok(try_train(&options, &aligner));
        ck_assert_double_eq(alcore_aligner_lambda(aligner),
                            isnan(rows[i].lambda) ? 4 : rows[i].lambda);
        ck_assert(isfinite(last_of(aligner, 5)));
        alcore_aligner_unref(aligner);
    }
    alcore_aligner_options options = ALCORE_ALIGNER_OPTIONS_INIT;
    options.iterations = 1000;
    (void)trained_last(&options, 1000);
    options.iterations = 1;
    (void)trained_last(&options, 1);
}
END_TEST

/* alcore_align() trains both directions: one that is asked for is refused, whichever it is. */
START_TEST(one_call_takes_no_direction) {
    static const int32_t directions[] = {ALCORE_DIRECTION_FORWARD, ALCORE_DIRECTION_REVERSE};
    static const char *const names[] = {"symmetrization forward", "symmetrization reverse"};
    for (int i = 0; i < 2; i++) {
        alcore_aligner_options options = ALCORE_ALIGNER_OPTIONS_INIT;
        alcore_links *links = (alcore_links *)&links;
        options.direction = directions[i];
        ck_assert_fails(
            alcore_align(ctx, sources, NULL, targets, NULL, PAIRS, NULL, &options, NULL, &links),
            ALCORE_E_PARAM, names[i]);
        ck_assert_ptr_null(links);
    }
}
END_TEST

/* Forward: each target word has a link at most; the probabilities of what a source word translates
 * into, and in reverse of what a target word stems from, add up to 1. */
START_TEST(directions_and_probabilities) {
    static const char *const words[2][4] = {{"das", "Haus", "Buch", "ein"},
                                            {"the", "house", "book", "a"}};
    for (int reverse = 0; reverse < 2; reverse++) {
        alcore_aligner_options options = ALCORE_ALIGNER_OPTIONS_INIT;
        alcore_links *links;
        alcore_tensor offsets, numbers;
        double t, sum = 0, none = 7;
        options.direction = ALCORE_DIRECTION_FORWARD + reverse;
        options.estimate = ALCORE_ESTIMATE_COUNTS;
        alcore_aligner *aligner = train(&options);
        ck_assert_int_eq(alcore_aligner_direction(aligner), options.direction);
        ck_assert_ok(alcore_aligner_links(aligner, &links));
        ck_assert_ok(alcore_links_get(links, &offsets, &numbers));
        const int64_t *begin = offsets.data;
        const int32_t *link = numbers.data;
        ck_assert_int_gt(begin[PAIRS], 0);
        for (int p = 0; p < PAIRS; p++)
            for (int64_t i = begin[p]; i < begin[p + 1]; i++)
                for (int64_t k = begin[p]; k < i; k++)
                    ck_assert_int_ne(link[2 * i + !reverse], link[2 * k + !reverse]);
        alcore_links_unref(links);
        for (int w = 0; w < 4; w++) {
            ck_assert_ok(alcore_aligner_probability(aligner, reverse ? words[0][w] : "das",
                                                    reverse ? "the" : words[1][w], &t));
            sum += t;
        }
        ck_assert_double_eq_tol(sum, 1, 1e-6);
        ck_assert_ok(alcore_aligner_probability(aligner, "Haus", "a", &t)); /* never together */
        ck_assert_double_eq(t, 1e-9);
        ck_assert_ok(alcore_aligner_probability(aligner, "zebra", "the", &t));
        ck_assert_double_eq(t, 1e-9);
        /* Without a word that explains: only on the side that explains. */
        ck_assert_ok(alcore_aligner_probability(aligner, reverse ? "das" : NULL,
                                                reverse ? NULL : "the", &t));
        ck_assert_double_gt(t, 1e-9);
        ck_assert_int_eq(alcore_aligner_probability(aligner, reverse ? NULL : "das",
                                                    reverse ? "the" : NULL, &none),
                         ALCORE_E_INVALID);
        ck_assert_double_eq(none, 0);
        ck_assert_int_eq(alcore_aligner_probability(aligner, "das", "the", NULL), ALCORE_E_INVALID);
        alcore_aligner_unref(aligner);
    }
}
END_TEST

START_TEST(log_likelihoods_never_fall) {
    bed_pairs p = bed_random_pairs(21, 200, 30, 12);
    for (int model = 0; model < 2; model++) {
        alcore_aligner_options options = ALCORE_ALIGNER_OPTIONS_INIT;
        alcore_aligner *aligner;
        alcore_tensor values;
        options.model = ALCORE_ALIGNER_DIAGONAL + model;
        options.estimate = ALCORE_ESTIMATE_COUNTS;
        options.iterations = 12;
        ck_assert_ok(alcore_aligner_new_trained(ctx, p.sources, NULL, p.targets, NULL, p.count,
                                                &options, &aligner));
        ck_assert_ok(alcore_aligner_log_likelihoods(aligner, &values));
        const double *value = values.data;
        for (int i = 1; i < 12; i++) ck_assert_double_ge(value[i], value[i - 1]);
        ck_assert_double_gt(value[11], value[0]);
        alcore_aligner_unref(aligner);
    }
    bed_free_pairs(&p);
}
END_TEST

/* No pairs train an aligner that links nothing and knows no word. */
START_TEST(no_pairs) {
    alcore_aligner *aligner;
    alcore_links *links;
    alcore_tensor offsets, numbers;
    double t;
    ck_assert_ok(alcore_aligner_new_trained(ctx, NULL, NULL, NULL, NULL, 0, NULL, &aligner));
    ck_assert_double_eq(last_of(aligner, 5), 0);
    ck_assert_ok(alcore_aligner_links(aligner, &links));
    ck_assert_ok(alcore_links_get(links, &offsets, &numbers));
    ck_assert_int_eq(offsets.shape[0], 1);
    ck_assert_int_eq(numbers.shape[0], 0);
    alcore_links_unref(links);
    ck_assert_ok(alcore_aligner_apply(aligner, NULL, NULL, NULL, NULL, 0, &links));
    alcore_links_unref(links);
    ck_assert_ok(alcore_aligner_probability(aligner, "a", "b", &t));
    ck_assert_double_eq(t, 1e-9);
    ck_assert_ptr_eq(alcore_aligner_ref(aligner), aligner);
    alcore_aligner_unref(aligner);
    ck_assert_int_eq(alcore_aligner_direction(aligner), ALCORE_DIRECTION_FORWARD);
    alcore_aligner_unref(aligner);
}
END_TEST

/* The file of an aligner is not compressed, whatever its name, and a compressed one is none. */
START_TEST(files_of_aligners) {
    char command[2 * TEST_PATH_BYTES + 40];
    alcore_aligner *aligner = train(NULL), *read = aligner;
    ck_assert_ok(alcore_aligner_write(aligner, in_folder("a.gz")));
    ck_assert_ok(alcore_aligner_open(ctx, path, &read));
    ck_assert_double_eq(last_of(read, 5), last_of(aligner, 5));
    alcore_aligner_unref(read);
    snprintf(command, sizeof command, "gzip <%s/a.gz >%s/b.gz", folder, folder);
    ck_assert_int_eq(system(command), 0);
    ck_assert_fails(alcore_aligner_open(ctx, in_folder("b.gz"), &read), ALCORE_E_CORRUPT, "b.gz");
    ck_assert_ptr_null(read);
    ck_assert_int_eq(mkfifo(in_folder("pipe"), 0600), 0);
    const int both_ends = open(path, O_RDWR); /* so that opening it does not wait */
    ck_assert_fails(alcore_aligner_open(ctx, path, &read), ALCORE_E_UNSUPPORTED, "pipe");
    close(both_ends);
    alcore_aligner_unref(aligner);
}
END_TEST

/* Links in any order and more than once, compressed and from standard input. */
START_TEST(files_of_links) {
    char command[2 * TEST_PATH_BYTES], packed[TEST_PATH_BYTES + 20];
    alcore_links *links;
    alcore_tensor offsets, numbers;
    FILE *file = fopen(in_folder("l.txt"), "w");
    ck_assert_ptr_nonnull(file);
    fputs("1-0 0-1 1-0\n\n", file);
    fclose(file);
    snprintf(command, sizeof command, "gzip -k %s", path);
    snprintf(packed, sizeof packed, "%s.gz", path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_ptr_nonnull(freopen(path, "r", stdin));
    const char *const names[] = {path, packed, "-"};
    for (int i = 0; i < 3; i++) {
        const alcore_status status = alcore_links_open(ctx, names[i], 2, &links);
        if (i == 1 && status == ALCORE_E_UNSUPPORTED) continue; /* a build without zlib */
        ck_assert_ok(status);
        ck_assert_ok(alcore_links_get(links, &offsets, &numbers));
        ck_assert_mem_eq(offsets.data, ((const int64_t[]){0, 2, 2}), 3 * sizeof(int64_t));
        ck_assert_mem_eq(numbers.data, ((const int32_t[]){0, 1, 1, 0}), 4 * sizeof(int32_t));
        alcore_links_unref(links);
    }
    ck_assert_fails(alcore_links_open(ctx, in_folder("none.txt"), -1, &links), ALCORE_E_IO,
                    "none.txt");
    ck_assert_ptr_null(links);
}
END_TEST

START_TEST(links_of_other_shapes) {
    int64_t bounds[3] = {0, 1, 1}, three = 3, strides[2] = {4, 2}, shape[2] = {1, 2},
            wide[2] = {1, 3};
    int32_t numbers[8] = {0, 0};
    float floats[2] = {0};
    alcore_tensor offsets, links, zero = {0};
    alcore_links *made = (alcore_links *)&made, *two;
    ck_assert_ok(alcore_tensor_init(&offsets, bounds, ALCORE_INT64, &three, 1));
    ck_assert_ok(alcore_tensor_init(&links, floats, ALCORE_FLOAT32, shape, 2));
    ck_assert_int_eq(alcore_links_new(ctx, &offsets, &links, &made), ALCORE_E_SHAPE);
    ck_assert_ptr_null(made);
    ck_assert_ok(alcore_tensor_init(&links, numbers, ALCORE_INT32, wide, 2));
    ck_assert_int_eq(alcore_links_new(ctx, &offsets, &links, &made), ALCORE_E_SHAPE);
    ck_assert_ok(alcore_tensor_init(&links, numbers, ALCORE_INT32, shape, 2));
    links.strides = strides;
    ck_assert_int_eq(alcore_links_new(ctx, &offsets, &links, &made), ALCORE_E_SHAPE);
    links.strides = NULL;
    ck_assert_ok(alcore_links_new(ctx, &offsets, &links, &two));
    bounds[2] = 0;
    ck_assert_fails(alcore_links_new(ctx, &offsets, &links, &made), ALCORE_E_DATA, "pair 1");
    three = 1;
    bounds[0] = 0;
    shape[0] = 0;
    ck_assert_ok(alcore_links_new(ctx, &offsets, &links, &made)); /* of no pair */
    alcore_links *both = made;
    ck_assert_fails(alcore_links_symmetrize(two, made, NULL, &both), ALCORE_E_SHAPE, "2");
    ck_assert_ptr_null(both);
    ck_assert_fails(alcore_links_symmetrize(two, two, "grow", &both), ALCORE_E_PARAM, "grow");
    memset(&offsets, 0xFF, sizeof offsets);
    ck_assert_int_eq(alcore_links_get(two, &offsets, NULL), ALCORE_E_INVALID);
    ck_assert_mem_eq(&offsets, &zero, sizeof zero);
    alcore_links_unref(made);
    alcore_links_unref(two);
    memset(&links, 0xFF, sizeof links);
    ck_assert_int_eq(alcore_aligner_log_likelihoods(NULL, &links), ALCORE_E_INVALID);
    ck_assert_mem_eq(&links, &zero, sizeof zero);
}
END_TEST

/* An output whose numbers cannot be written one after another is refused before any training. */
START_TEST(out_log_likelihoods) {
    double numbers[40];
    int64_t shape[2] = {2, 5}, strides[2] = {10, 2};
    alcore_tensor out;
    alcore_links *links;
    ck_assert_ok(alcore_tensor_init(&out, numbers, ALCORE_FLOAT64, shape, 2));
    out.strides = strides;
    ck_assert_int_eq(
        alcore_align(ctx, sources, NULL, targets, NULL, PAIRS, NULL, NULL, &out, &links),
        ALCORE_E_SHAPE);
    ck_assert_ok(alcore_tensor_init(&out, numbers, ALCORE_FLOAT32, shape, 2));
    ck_assert_int_eq(
        alcore_align(ctx, sources, NULL, targets, NULL, PAIRS, NULL, NULL, &out, &links),
        ALCORE_E_SHAPE);
    ck_assert_ptr_null(links);
    static const char *const names[] = {
        "intersection",        "union",   "grow-diag", "grow-diag-final",
        "grow-diag-final-and", "forward", "reverse"};
    for (int64_t i = 0; i < 7; i++)
        ck_assert_str_eq(alcore_symmetrization_builtin_name(i), names[i]);
}
END_TEST

CHECK_SUITE_WITH("text/aligner_calls", setup, teardown, defaults, ranges_of_numbers,
                 one_call_takes_no_direction, directions_and_probabilities,
                 log_likelihoods_never_fall, no_pairs, files_of_aligners, files_of_links,
                 links_of_other_shapes, out_log_likelihoods);
