/* SPDX-License-Identifier: Apache-2.0 */
/* Paired tests of BLEU, chrF and TER against sacreBLEU's (make_sacrebleu_paired.py) and against all
 * shuffles of a few segments, references that are missing, files, threads, wrong arguments, failing
 * memory. */
#include "check_suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/metric.h"
#include "fault_allocator.h"
#include "vectors.h"

enum { BLEU, CHRF, TER, METRICS, MOST_TEXTS = 64, MOST_SETS = 3 };
static const char *const NAMES[METRICS] = {"bleu", "chrf", "ter"};

/* What a case measures. */
typedef struct corpus {
    const char *hypotheses[MOST_TEXTS], *references[MOST_SETS * MOST_TEXTS], *baseline[MOST_TEXTS];
    int64_t count, sets;
} corpus;

/* The score of a metric, that of the baseline, and p. */
typedef struct found {
    alcore_status status;
    double score, baseline, p;
} found;

/* One call; paired NULL: without a baseline. files NULL: of the corpus. */
static found measure(alcore_ctx *ctx, int metric, const corpus *c,
                     const alcore_paired_options *paired, const alcore_text_files *files) {
    const int64_t count = c ? c->count : 0, references = c ? c->count * c->sets : 0;
    const alcore_bleu_options bleu = {
        .size = sizeof bleu, .paired = paired, .smoothing_value = ALCORE_UNSET};
    const alcore_chrf_options chrf = {.size = sizeof chrf, .paired = paired};
    const alcore_ter_options ter = {.size = sizeof ter, .paired = paired};
    alcore_bleu_result b = ALCORE_BLEU_RESULT_INIT;
    alcore_chrf_result h = ALCORE_CHRF_RESULT_INIT;
    alcore_ter_result t = ALCORE_TER_RESULT_INIT;
    alcore_status status;
    if (metric == BLEU) {
        status = files ? alcore_metric_read_bleu(ctx, files, &bleu, &b)
                       : alcore_metric_compute_bleu(ctx, c->hypotheses, NULL, count, c->references,
                                                    NULL, references, &bleu, NULL, &b);
        return (found){status, b.bleu, b.baseline, b.p};
    }
    if (metric == CHRF) {
        status = files ? alcore_metric_read_chrf(ctx, files, &chrf, &h)
                       : alcore_metric_compute_chrf(ctx, c->hypotheses, NULL, count, c->references,
                                                    NULL, references, &chrf, NULL, &h);
        return (found){status, h.chrf, h.baseline, h.p};
    }
    status = files ? alcore_metric_read_ter(ctx, files, &ter, &t)
                   : alcore_metric_compute_ter(ctx, c->hypotheses, NULL, count, c->references, NULL,
                                               references, &ter, NULL, &t);
    return (found){status, t.ter, t.baseline, t.p};
}

static alcore_ctx *new_ctx(int32_t threads) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.threads = threads;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

static int64_t read_texts(const json_t *list, const char **out) {
    for (int64_t i = 0; i < vector_length(list); i++) {
        const json_t *text = json_array_get(list, (size_t)i);
        out[i] = json_is_null(text) ? NULL : vector_text(text);
    }
    return vector_length(list);
}

/* The texts of a row of the file, with its one set of references. */
static corpus read_corpus(const json_t *row) {
    corpus c = {.sets = 1};
    c.count = read_texts(json_object_get(row, "hypotheses"), c.hypotheses);
    read_texts(json_object_get(row, "baseline"), c.baseline);
    read_texts(json_object_get(row, "references"), c.references);
    return c;
}

static json_t *read_file(void) {
    json_error_t error;
    json_t *all = json_load_file(SACREBLEU_PAIRED, 0, &error);
    ck_assert_msg(all, "%s", error.text);
    ck_assert_int_ge(vector_length(json_object_get(all, "corpora")), 3);
    return all;
}

/* The options of a test. */
static alcore_paired_options paired_of(const corpus *c, int32_t test, int64_t samples) {
    alcore_paired_options paired = ALCORE_PAIRED_OPTIONS_INIT;
    paired.baseline = c->baseline;
    paired.baseline_count = c->count;
    paired.test = test;
    paired.samples = samples;
    return paired;
}

/* Scores are equal; p differs by less than 5 standard deviations of the difference of two
 * estimates, and for the step of both. */
START_TEST(test_sacrebleu) {
    static const char *const tests[] = {"bootstrap", "randomization"};
    json_t *all = read_file(), *row;
    const int64_t samples = vector_integer(json_object_get(all, "samples"));
    alcore_ctx *ctx = new_ctx(2);
    size_t i;
    json_array_foreach(json_object_get(all, "corpora"), i, row) {
        const corpus c = read_corpus(row);
        for (int32_t test = 0; test < 2; test++) {
            const json_t *wanted = json_object_get(json_object_get(row, "tests"), tests[test]);
            const alcore_paired_options paired =
                paired_of(&c, ALCORE_PAIRED_BOOTSTRAP + test, samples);
            for (int metric = 0; metric < METRICS; metric++) {
                int64_t three;
                const double *numbers =
                    vector_doubles(json_object_get(wanted, NAMES[metric]), &three);
                const found one = measure(ctx, metric, &c, &paired, NULL);
                ck_assert_int_eq(one.status, ALCORE_OK);
                ck_assert_double_eq_tol(one.score, numbers[0], 1e-9);
                ck_assert_double_eq_tol(one.baseline, numbers[1], 1e-9);
                const double p = numbers[2], n = (double)samples;
                ck_assert_double_eq_tol(one.p, p, 5 * sqrt(2 * p * (1 - p) / n) + 2 / n);
            }
        }
    }
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_missing_references) {
    json_t *all = read_file(), *row;
    alcore_ctx *ctx = new_ctx(1);
    size_t i;
    json_array_foreach(json_object_get(all, "corpora"), i, row) {
        corpus c = read_corpus(row);
        int64_t three;
        const double *wanted = vector_doubles(json_object_get(row, "varied_scores"), &three);
        for (int set = 0; set < MOST_SETS; set++)
            read_texts(json_array_get(json_object_get(row, "varied"), (size_t)set),
                       c.references + set * c.count);
        c.sets = MOST_SETS;
        for (int metric = 0; metric < METRICS; metric++)
            ck_assert_double_eq_tol(measure(ctx, metric, &c, NULL, NULL).score, wanted[metric],
                                    1e-9);
        for (int set = 0; set < MOST_SETS; set++) c.references[set * c.count + 4] = NULL;
        for (int metric = 0; metric < METRICS; metric++) {
            ck_assert_int_eq(measure(ctx, metric, &c, NULL, NULL).status, ALCORE_E_INVALID);
            ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 5 has no reference"));
        }
    }
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

/* With six segments, p is near the share of the 64 exchanges whose difference is larger, each of
 * which is scored as a corpus. */
START_TEST(test_all_shuffles) {
    enum { SEGMENTS = 6 };
    json_t *all = read_file();
    alcore_ctx *ctx = new_ctx(1);
    corpus c = read_corpus(json_array_get(json_object_get(all, "corpora"), 0));
    c.count = SEGMENTS;
    const alcore_paired_options paired = paired_of(&c, ALCORE_PAIRED_RANDOMIZATION, 40000);
    for (int metric = 0; metric < METRICS; metric++) {
        const found one = measure(ctx, metric, &c, &paired, NULL);
        int larger = 0;
        for (int bits = 0; bits < 1 << SEGMENTS; bits++) {
            corpus a = c, b = c;
            for (int i = 0; i < SEGMENTS; i++) {
                a.hypotheses[i] = bits & 1 << i ? c.baseline[i] : c.hypotheses[i];
                b.hypotheses[i] = bits & 1 << i ? c.hypotheses[i] : c.baseline[i];
            }
            larger +=
                fabs(measure(ctx, metric, &a, NULL, NULL).score -
                     measure(ctx, metric, &b, NULL, NULL).score) > fabs(one.score - one.baseline);
        }
        const double p = larger / 64.0;
        ck_assert_double_eq_tol(one.p, p, 5 * sqrt(p * (1 - p) / 40000) + 1.0 / 40000);
    }
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The bytes of p depend on the seed, and not on the number of threads; equal systems have p = 1. */
START_TEST(test_seeds_and_threads) {
    json_t *all = read_file();
    alcore_ctx *one = new_ctx(1), *many = new_ctx(5);
    corpus c = read_corpus(json_array_get(json_object_get(all, "corpora"), 0));
    for (int32_t test = 0; test < 2; test++) {
        alcore_paired_options paired = paired_of(&c, ALCORE_PAIRED_BOOTSTRAP + test, 0);
        const found first = measure(one, BLEU, &c, &paired, NULL);
        const double samples = test == 0 ? 1000 : 10000;
        const double count = first.p * (samples + 1);
        ck_assert_double_eq_tol(count, round(count), 1e-6);
        ck_assert_double_eq(measure(many, BLEU, &c, &paired, NULL).p, first.p);
        paired.seed = 1;
        ck_assert_double_ne(measure(one, BLEU, &c, &paired, NULL).p, first.p);
        paired.baseline = c.hypotheses;
        ck_assert_double_eq(measure(one, BLEU, &c, &paired, NULL).p, 1);
    }
    ck_assert_double_nan(measure(one, BLEU, &c, NULL, NULL).p);
    c.count = 0;
    const alcore_paired_options empty = paired_of(&c, 0, 10);
    ck_assert_double_nan(measure(one, BLEU, &c, &empty, NULL).p);
    json_decref(all);
    alcore_ctx_unref(one);
    alcore_ctx_unref(many);
}
END_TEST

/* Writes texts [count] to a new file, a line each, and its path. */
static void write_lines(const char *const *texts, int64_t count, const char *name, char path[64]) {
    snprintf(path, 64, "paired-%s-%d.txt", name, (int)getpid());
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    for (int64_t i = 0; i < count; i++) fprintf(file, "%s\n", texts[i]);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_files) {
    json_t *all = read_file();
    alcore_ctx *ctx = new_ctx(2);
    const corpus c = read_corpus(json_array_get(json_object_get(all, "corpora"), 1));
    char paths[3][64];
    write_lines(c.hypotheses, c.count, "hyp", paths[0]);
    write_lines(c.references, c.count, "ref", paths[1]);
    write_lines(c.baseline, c.count, "base", paths[2]);
    const char *const list[] = {paths[0], paths[1], paths[2]};
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    files.paths = list;
    files.count = 3;
    alcore_paired_options of_files = ALCORE_PAIRED_OPTIONS_INIT;
    for (int metric = 0; metric < METRICS; metric++) {
        const alcore_paired_options paired = paired_of(&c, 0, 0);
        const found whole = measure(ctx, metric, &c, &paired, NULL);
        const found read = measure(ctx, metric, NULL, &of_files, &files);
        ck_assert_int_eq(read.status, ALCORE_OK);
        ck_assert_double_eq(read.score, whole.score);
        ck_assert_double_eq(read.baseline, whole.baseline);
        ck_assert_double_eq(read.p, whole.p);
        ck_assert_int_eq(measure(ctx, metric, NULL, &paired, &files).status, ALCORE_E_INVALID);
    }
    files.count = 2;
    ck_assert_int_eq(measure(ctx, BLEU, NULL, &of_files, &files).status, ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "those of the baseline last"));
    for (int i = 0; i < 3; i++) remove(paths[i]);
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_wrong_arguments) {
    alcore_ctx *ctx = new_ctx(1);
    const corpus c = {.hypotheses = {"a", "b"},
                      .references = {"a", "b"},
                      .baseline = {"a", NULL},
                      .count = 2,
                      .sets = 1};
    const struct {
        alcore_paired_options options;
        alcore_status status;
        const char *message;
    } cases[] = {
        {{.baseline = c.baseline, .baseline_count = 2}, ALCORE_E_INVALID, "line 2 of the baseline"},
        {{.baseline = c.baseline, .baseline_count = 1}, ALCORE_E_SHAPE, "2 hypotheses, 1 of the"},
        {{.baseline_count = 2}, ALCORE_E_INVALID, "the texts of the baseline are NULL"},
        {{.baseline = c.hypotheses, .baseline_count = 2, .test = 2}, ALCORE_E_INVALID, "test 2"},
        {{.baseline = c.hypotheses, .baseline_count = 2, .samples = -1},
         ALCORE_E_INVALID,
         "paired.samples must be 0 to"},
        {{.baseline = c.hypotheses, .baseline_count = 2, .reserved = 1},
         ALCORE_E_STRUCT_NEWER,
         "reserved"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_paired_options options = cases[i].options;
        options.size = sizeof options;
        ck_assert_int_eq(measure(ctx, TER, &c, &options, NULL).status, cases[i].status);
        ck_assert_msg(strstr(alcore_last_error(), cases[i].message), "%s", alcore_last_error());
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_failing_memory) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    const corpus c = {.hypotheses = {"a b", "x"},
                      .references = {"a b", "y", "a", NULL},
                      .baseline = {"a", "y"},
                      .count = 2,
                      .sets = 2};
    const alcore_paired_options paired = paired_of(&c, ALCORE_PAIRED_RANDOMIZATION, 3);
    measure(ctx, BLEU, &c, &paired, NULL); /* starts the threads, which stay with the context */
    for (int metric = 0; metric < METRICS; metric++) {
        const long long live = atomic_load(&fault.live_bytes);
        for (long long k = 1;; k++) {
            fault_arm(&fault, k, 0);
            const found one = measure(ctx, metric, &c, &paired, NULL);
            const bool failed = atomic_load(&fault.failures) > 0;
            fault_arm(&fault, 0, 0);
            ck_assert_int_eq(one.status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
            ck_assert_int_eq(atomic_load(&fault.live_bytes), live);
            if (failed) continue;
            ck_assert_int_gt(k, 5);
            break;
        }
    }
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(atomic_load(&fault.live_bytes), 0);
}
END_TEST

CHECK_SUITE("metric_paired", test_sacrebleu, test_missing_references, test_all_shuffles,
            test_seeds_and_threads, test_files, test_wrong_arguments, test_failing_memory);
