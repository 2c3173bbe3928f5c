/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/metric_common.h and metric_translation.h promise of texts, options, signatures,
 * scores of sentences and files. */
#include "check_suite.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/metric.h"
#include "check_status.h"
#include "memory_host.h"
#include "options_with.h"
#include "test_folder.h"

enum { HYPOTHESES = 3 };
static const char *const hypotheses[HYPOTHESES] = {"the cat sat on a mat", "A dog", "x y z"};
static const char *const references[2 * HYPOTHESES] = {
    "the cat sat on the mat", "a dog barks", "p q", "a cat sat on the mats", "the dog", "x y"};

static alcore_ctx *ctx;

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* Each metric of the hypotheses against the sets of references; wanted: OK or an error. */
#define MEASURE(name, options, sets, result)                                                       \
    alcore_metric_compute_##name(ctx, hypotheses, NULL, HYPOTHESES, references, NULL,              \
                                 (sets)*HYPOTHESES, options, NULL, result)

static alcore_bleu_result bleu(const alcore_bleu_options *options, int64_t sets) {
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    ck_assert_ok(MEASURE(bleu, options, sets, &score));
    return score;
}

static alcore_chrf_result chrf(const alcore_chrf_options *options, int64_t sets) {
    alcore_chrf_result score = ALCORE_CHRF_RESULT_INIT;
    ck_assert_ok(MEASURE(chrf, options, sets, &score));
    return score;
}

static alcore_ter_result ter(const alcore_ter_options *options, int64_t sets) {
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    ck_assert_ok(MEASURE(ter, options, sets, &score));
    return score;
}

/* ---- texts ---- */

/* Texts with lengths are as good as those that end with NUL, which may hold more behind them; a
 * NULL of 0 bytes is an empty text, and one of more bytes a reference that is missing. */
START_TEST(lengths) {
    const char *const longer[] = {"a b c d, not this", NULL};
    const size_t whole[] = {7, 0};
    const char *const same[] = {"a b c d", "", "x", NULL}, *const holes[] = {"a b c d", NULL};
    const size_t of_same[] = {7, 0, 1, 1}, none[] = {7, 1};
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    ck_assert_ok(
        alcore_metric_compute_ter(ctx, longer, whole, 2, same, of_same, 4, NULL, NULL, &score));
    ck_assert_int_eq(score.edits, 0);
    ck_assert_double_eq(score.reference_words, 2.5); /* (4 + 1) / 2 of the first, 0 of the second */
    ck_assert_fails(
        alcore_metric_compute_ter(ctx, longer, whole, 2, holes, none, 2, NULL, NULL, &score),
        ALCORE_E_INVALID, "line 2 has no reference");
    ck_assert_fails(
        alcore_metric_compute_ter(ctx, longer, none, 2, same, of_same, 2, NULL, NULL, &score),
        ALCORE_E_INVALID, "line 2 of the hypotheses is NULL");
}
END_TEST

/* Some sets of more than 31 lack a reference: TER, which keeps their words apart, says so. */
START_TEST(missing_among_many_sets) {
    const char *many[33], *hypothesis = "a b";
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    alcore_bleu_result other = ALCORE_BLEU_RESULT_INIT;
    for (int i = 0; i < 33; i++) many[i] = i == 7 ? NULL : "a c";
    ck_assert_ok(
        alcore_metric_compute_ter(ctx, &hypothesis, NULL, 1, many, NULL, 31, NULL, NULL, &score));
    ck_assert_int_eq(score.edits, 1);
    ck_assert_double_eq(score.reference_words, 2);
    ck_assert_fails(
        alcore_metric_compute_ter(ctx, &hypothesis, NULL, 1, many, NULL, 32, NULL, NULL, &score),
        ALCORE_E_UNSUPPORTED, "at most 31");
    ck_assert_ok(
        alcore_metric_compute_bleu(ctx, &hypothesis, NULL, 1, many, NULL, 33, NULL, NULL, &other));
    many[7] = "b c";
    ck_assert_ok(
        alcore_metric_compute_ter(ctx, &hypothesis, NULL, 1, many, NULL, 33, NULL, NULL, &score));
    ck_assert_double_eq(score.reference_words, 2);
}
END_TEST

/* ---- options ---- */

/* What a default is, the value itself gives; what the option says happens. */
START_TEST(defaults) {
    alcore_bleu_options one = ALCORE_BLEU_OPTIONS_INIT, two = one;
    const double plain = bleu(NULL, 2).bleu;
    one.tokenizer = ALCORE_BLEU_13A;
    one.smoothing = ALCORE_BLEU_SMOOTH_EXP;
    ck_assert_double_eq(bleu(&one, 2).bleu, plain);
    one.smoothing = two.smoothing = ALCORE_BLEU_SMOOTH_ADD_K;
    two.smoothing_value = 1;
    ck_assert_double_eq(bleu(&one, 1).bleu, bleu(&two, 1).bleu);
    two.smoothing_value = 0; /* is 0 */
    ck_assert_double_lt(bleu(&two, 1).bleu, bleu(&one, 1).bleu);
    two.smoothing_value = -0.5;
    ck_assert_fails(MEASURE(bleu, &two, 1, &(alcore_bleu_result)ALCORE_BLEU_RESULT_INIT),
                    ALCORE_E_INVALID, "smoothing_value must be");
    ck_assert_double_eq(chrf(OPTIONS_WITH(alcore_chrf_options, .word_order = 0), 1).chrf,
                        chrf(NULL, 1).chrf);
    ck_assert_double_eq(ter(OPTIONS_WITH(alcore_ter_options, .case_sensitive = 0), 1).ter,
                        ter(NULL, 1).ter);
    ck_assert_int_eq(ter(OPTIONS_WITH(alcore_ter_options, .case_sensitive = 1), 1).edits,
                     ter(NULL, 1).edits + 1); /* "A dog" against "a dog barks" */
}
END_TEST

/* The smoothings by their formulas: of one hypothesis of four words with matches 2, 1, 0, 0. */
START_TEST(smoothings) {
    const char *const hypothesis = "a b c d", *const reference = "a b x y";
    static const struct {
        int32_t smoothing;
        double value, precisions[4];
    } cases[] = {
        {ALCORE_BLEU_SMOOTH_EXP, ALCORE_UNSET, {50, 100.0 / 3, 25, 25}},
        {ALCORE_BLEU_SMOOTH_FLOOR, ALCORE_UNSET, {50, 100.0 / 3, 5, 10}},
        {ALCORE_BLEU_SMOOTH_ADD_K, ALCORE_UNSET, {50, 50, 100.0 / 3, 50}},
        {ALCORE_BLEU_SMOOTH_NONE, ALCORE_UNSET, {50, 100.0 / 3, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
        alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
        double mean = 0;
        options.smoothing = cases[i].smoothing;
        options.smoothing_value = cases[i].value;
        ck_assert_ok(alcore_metric_compute_bleu(ctx, &hypothesis, NULL, 1, &reference, NULL, 1,
                                                &options, NULL, &score));
        for (int n = 0; n < 4; n++) {
            ck_assert_double_eq_tol(score.precisions[n], cases[i].precisions[n], 1e-12);
            mean += log(cases[i].precisions[n] / 100) / 4;
        }
        ck_assert_double_eq_tol(score.bleu, 100 * exp(mean), 1e-9);
        ck_assert_double_eq(score.brevity_penalty, 1);
    }
}
END_TEST

/* Without 4-grams the effective order is 3; every hypothesis by itself has it. */
START_TEST(effective_order) {
    const char *const one = "a b c";
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    double sentence = -1;
    int64_t count = 1;
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, &sentence, ALCORE_FLOAT64, &count, 1));
    ck_assert_ok(
        alcore_metric_compute_bleu(ctx, &one, NULL, 1, &one, NULL, 1, &options, &tensor, &score));
    ck_assert_double_eq(score.bleu, 0);
    ck_assert_double_eq_tol(sentence, 100, 1e-9);
    options.effective_order = 1;
    ck_assert_ok(
        alcore_metric_compute_bleu(ctx, &one, NULL, 1, &one, NULL, 1, &options, NULL, &score));
    ck_assert_double_eq_tol(score.bleu, 100, 1e-9);
    options.effective_order = 2;
    ck_assert_fails(MEASURE(bleu, &options, 1, &score), ALCORE_E_INVALID, "effective_order");
}
END_TEST

#define REFUSED(name, RESULT, options, text)                                                       \
    ck_assert_fails(MEASURE(name, options, 1, &(alcore_##name##_result)RESULT), ALCORE_E_INVALID,  \
                    text)
#define BAD(name, NAME, text, ...)                                                                 \
    do {                                                                                           \
        alcore_##name##_options bad = ALCORE_##NAME##_OPTIONS_INIT;                                \
        char buffer[160];                                                                          \
        __VA_ARGS__;                                                                               \
        REFUSED(name, ALCORE_##NAME##_RESULT_INIT, &bad, text);                                    \
        ck_assert_ptr_null(alcore_metric_##name##_signature(1, &bad, buffer));                     \
    } while (0)

/* Values next to those that are allowed; no signature of what is refused. */
START_TEST(options_out_of_range) {
    alcore_paired_options paired = ALCORE_PAIRED_OPTIONS_INIT;
    BAD(bleu, BLEU, "tokenizer 5900", bad.tokenizer = 5900);
    BAD(bleu, BLEU, "tokenizer 5906", bad.tokenizer = 5906);
    BAD(bleu, BLEU, "smoothing 6000", bad.smoothing = 6000);
    BAD(bleu, BLEU, "smoothing 6005", bad.smoothing = 6005);
    BAD(bleu, BLEU, "_ADD_K alone", bad.smoothing = ALCORE_BLEU_SMOOTH_NONE,
        bad.smoothing_value = 0);
    BAD(bleu, BLEU, "resamples must be", bad.resamples = 1000001);
    BAD(bleu, BLEU, "resamples must be", bad.resamples = -1);
    BAD(chrf, CHRF, "word_order -1", bad.word_order = -1);
    BAD(chrf, CHRF, "word_order 3", bad.word_order = 3);
    BAD(chrf, CHRF, "whitespace", bad.whitespace = 2);
    BAD(chrf, CHRF, "resamples must be", bad.resamples = 1000001);
    BAD(ter, TER, "case_sensitive", bad.case_sensitive = -1);
    BAD(ter, TER, "resamples must be", bad.resamples = -1);
    paired.samples = 1000001;
    BAD(bleu, BLEU, "paired.samples must be 0 to 1000000", bad.paired = &paired);
    BAD(chrf, CHRF, "paired.samples must be 0 to 1000000", bad.paired = &paired);
    BAD(ter, TER, "paired.samples must be 0 to 1000000", bad.paired = &paired);
    paired.samples = 0;
    paired.test = ALCORE_PAIRED_RANDOMIZATION + 1;
    BAD(ter, TER, "test 6203", bad.paired = &paired);
}
END_TEST

#define STRUCTS(name, NAME)                                                                        \
    do {                                                                                           \
        alcore_##name##_options unset = ALCORE_##NAME##_OPTIONS_INIT;                              \
        alcore_##name##_result out = ALCORE_##NAME##_RESULT_INIT;                                  \
        unset.size = 0;                                                                            \
        ck_assert_int_eq(MEASURE(name, &unset, 1, &out), ALCORE_E_STRUCT_UNSET);                   \
        ck_assert_int_eq(MEASURE(name, NULL, 1, NULL), ALCORE_E_INVALID);                          \
        out.size = 0;                                                                              \
        ck_assert_int_eq(MEASURE(name, NULL, 1, &out), ALCORE_E_STRUCT_UNSET);                     \
        ck_assert_int_eq(alcore_metric_compute_##name(NULL, hypotheses, NULL, 1, references, NULL, \
                                                      1, NULL, NULL, &out),                        \
                         ALCORE_E_INVALID);                                                        \
        ck_assert_int_eq(alcore_metric_compute_##name(ctx, hypotheses, NULL, -1, references, NULL, \
                                                      1, NULL, NULL, &out),                        \
                         ALCORE_E_INVALID);                                                        \
        ck_assert_int_eq(alcore_metric_compute_##name(ctx, hypotheses, NULL, 1, NULL, NULL, 1,     \
                                                      NULL, NULL, &out),                           \
                         ALCORE_E_INVALID);                                                        \
        ck_assert_ptr_null(alcore_metric_##name##_signature(1, NULL, NULL));                       \
    } while (0)

START_TEST(structs) {
    STRUCTS(bleu, BLEU);
    STRUCTS(chrf, CHRF);
    STRUCTS(ter, TER);
}
END_TEST

/* Without samples or a baseline there is no interval and no p. */
START_TEST(what_was_not_asked_for_is_nan) {
    const alcore_bleu_result b = bleu(NULL, 1);
    const alcore_chrf_result c = chrf(NULL, 1);
    const alcore_ter_result t = ter(NULL, 1);
    const double numbers[] = {b.bootstrap_mean, b.bootstrap_low, b.bootstrap_high, b.baseline, b.p,
                              c.bootstrap_mean, c.bootstrap_low, c.bootstrap_high, c.baseline, c.p,
                              t.bootstrap_mean, t.bootstrap_low, t.bootstrap_high, t.baseline, t.p};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) ck_assert_double_nan(numbers[i]);
}
END_TEST

/* The settings, each with what it is not by default. */
START_TEST(signatures) {
    char buffer[160];
    alcore_bleu_options one = ALCORE_BLEU_OPTIONS_INIT;
    alcore_paired_options paired = ALCORE_PAIRED_OPTIONS_INIT;
#define SIGNATURE(call, text)                                                                      \
    do {                                                                                           \
        ck_assert_ptr_eq(call, buffer);                                                            \
        ck_assert_msg(strncmp(buffer, text, strlen(text)) == 0, "%s", buffer);                     \
    } while (0)
    SIGNATURE(alcore_metric_bleu_signature(1, NULL, buffer),
              "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:alcore-1.1.0");
    SIGNATURE(alcore_metric_bleu_signature(0, NULL, buffer), "nrefs:var|case:mixed|");
    SIGNATURE(alcore_metric_chrf_signature(-1, NULL, buffer), "nrefs:var|case:mixed|");
    SIGNATURE(alcore_metric_ter_signature(0, NULL, buffer), "nrefs:var|case:lc|");
    one.effective_order = 1;
    one.tokenizer = ALCORE_BLEU_ZH;
    one.smoothing = ALCORE_BLEU_SMOOTH_FLOOR;
    SIGNATURE(alcore_metric_bleu_signature(INT64_MAX, &one, buffer),
              "nrefs:9223372036854775807|case:mixed|eff:yes|tok:zh|smooth:floor[0.10]|version:");
    one.smoothing_value = 1e300;
    one.resamples = 1000000;
    one.seed = UINT64_MAX;
    ck_assert_ptr_eq(alcore_metric_bleu_signature(INT64_MAX, &one, buffer), buffer);
    ck_assert_uint_lt(strlen(buffer), 160);
    paired.test = ALCORE_PAIRED_RANDOMIZATION;
    paired.seed = 7;
    SIGNATURE(alcore_metric_chrf_signature(1, NULL, buffer),
              "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:alcore-1.1.0");
    SIGNATURE(alcore_metric_chrf_signature(2,
                                           OPTIONS_WITH(alcore_chrf_options, .word_order = 2,
                                                        .whitespace = 1, .paired = &paired),
                                           buffer),
              "nrefs:2|ar:10000|seed:7|case:mixed|eff:yes|nc:6|nw:2|space:yes|version:");
    SIGNATURE(alcore_metric_ter_signature(1, NULL, buffer),
              "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:alcore-1.1.0");
    SIGNATURE(alcore_metric_ter_signature(1, OPTIONS_WITH(alcore_ter_options, .case_sensitive = 1),
                                          buffer),
              "nrefs:1|case:mixed|tok:tercom|");
}
END_TEST

/* ---- counts ---- */

/* What chrF counts of a pair of which the reference has no 3-grams of characters. */
START_TEST(chrf_counts) {
    const char *const hypothesis = "ab ab", *const reference = "ab";
    static const int64_t matches[8] = {2, 1, 0, 0, 0, 0, 1, 0};
    static const int64_t of_hypothesis[8] = {4, 3, 0, 0, 0, 0, 2, 0};
    static const int64_t of_reference[8] = {2, 1, 0, 0, 0, 0, 1, 0};
    alcore_chrf_result score = ALCORE_CHRF_RESULT_INIT;
    ck_assert_ok(alcore_metric_compute_chrf(ctx, &hypothesis, NULL, 1, &reference, NULL, 1,
                                            OPTIONS_WITH(alcore_chrf_options, .word_order = 2),
                                            NULL, &score));
    ck_assert_mem_eq(score.matches, matches, sizeof matches);
    ck_assert_mem_eq(score.hypothesis_total, of_hypothesis, sizeof of_hypothesis);
    ck_assert_mem_eq(score.reference_total, of_reference, sizeof of_reference);
    ck_assert_ok(alcore_metric_compute_chrf(ctx, &hypothesis, NULL, 1, &reference, NULL, 1,
                                            OPTIONS_WITH(alcore_chrf_options, .whitespace = 1),
                                            NULL, &score));
    ck_assert_int_eq(score.hypothesis_total[0], 5);
    ck_assert_int_eq(score.hypothesis_total[6], 0);
}
END_TEST

/* Of several references chrF counts the best one, TER the one with fewest edits over the mean
 * length, BLEU the length that is closest. */
START_TEST(several_references) {
    const char *const hypothesis = "a b c d", *const sets[] = {"a b c d e f", "a x"};
    alcore_bleu_result b = ALCORE_BLEU_RESULT_INIT;
    alcore_chrf_result c = ALCORE_CHRF_RESULT_INIT, first = c;
    alcore_ter_result t = ALCORE_TER_RESULT_INIT;
    ck_assert_ok(
        alcore_metric_compute_bleu(ctx, &hypothesis, NULL, 1, sets, NULL, 2, NULL, NULL, &b));
    ck_assert_int_eq(b.reference_tokens, 2); /* both are two tokens away: the shorter one */
    ck_assert_double_eq(b.brevity_penalty, 1);
    ck_assert_ok(
        alcore_metric_compute_bleu(ctx, &hypothesis, NULL, 1, sets, NULL, 1, NULL, NULL, &b));
    ck_assert_double_eq_tol(b.brevity_penalty, exp(1 - 6.0 / 4), 1e-12);
    ck_assert_ok(
        alcore_metric_compute_chrf(ctx, &hypothesis, NULL, 1, sets, NULL, 2, NULL, NULL, &c));
    ck_assert_ok(
        alcore_metric_compute_chrf(ctx, &hypothesis, NULL, 1, sets, NULL, 1, NULL, NULL, &first));
    ck_assert_double_eq(c.chrf, first.chrf);
    ck_assert_ok(
        alcore_metric_compute_ter(ctx, &hypothesis, NULL, 1, sets, NULL, 2, NULL, NULL, &t));
    ck_assert_int_eq(t.edits, 2);
    ck_assert_double_eq(t.reference_words, 4);
    ck_assert_double_eq(t.ter, 50);
}
END_TEST

/* ---- files ---- */

/* Compressed files and standard input hold the same texts; a tree of paths of which two are
 * standard input is refused. */
START_TEST(files_of_every_kind) {
    char path[TEST_PATH_BYTES], command[2 * TEST_PATH_BYTES], packed[TEST_PATH_BYTES + 4];
    test_file_make(path, "calls", ".txt", "a b\nb\n");
    snprintf(command, sizeof command, "gzip -k %s", path);
    snprintf(packed, sizeof packed, "%s.gz", path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_ptr_nonnull(freopen(path, "r", stdin));
    const char *const kinds[] = {packed, "-"};
    for (int i = 0; i < 2; i++) {
        const char *const paths[] = {path, kinds[i]};
        alcore_text_files files = ALCORE_TEXT_FILES_INIT;
        alcore_ter_result score = ALCORE_TER_RESULT_INIT;
        files.paths = paths;
        files.count = 2;
        const alcore_status status = alcore_metric_read_ter(ctx, &files, NULL, &score);
        if (i == 0 && status == ALCORE_E_UNSUPPORTED) continue; /* a build without zlib */
        ck_assert_ok(status);
        ck_assert_int_eq(score.edits, 0);
        ck_assert_double_eq(score.reference_words, 3);
    }
    unlink(path);
    unlink(packed);
}
END_TEST

/* Texts with ids belong together by them, or by their lines where by says so; a malformed line that
 * is masked belongs to nothing; what does not apply is refused. */
START_TEST(options_of_reading) {
    char paths[2][TEST_PATH_BYTES];
    const char *names[2] = {paths[0], paths[1]};
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    test_file_make(paths[0], "ours", ".jsonl",
                   "{\"id\": \"1\", \"text\": \"a\"}\n{\"id\": \"2\", \"text\": \"b\"}\n");
    test_file_make(paths[1], "theirs", ".jsonl",
                   "{\"id\": \"2\", \"text\": \"b\"}\n{\"id\": \"1\", \"text\": \"a\"}\n");
    files.paths = names;
    files.count = 2;
    files.options = &reading;
    ck_assert_ok(alcore_metric_read_ter(ctx, &files, NULL, &score));
    ck_assert_int_eq(score.edits, 0);
    reading.by = ALCORE_JOIN_LINE;
    ck_assert_ok(alcore_metric_read_ter(ctx, &files, NULL, &score));
    ck_assert_int_eq(score.edits, 2);
    reading.by = 77;
    ck_assert_int_eq(alcore_metric_read_ter(ctx, &files, NULL, &score), ALCORE_E_INVALID);
    reading.by = 0;
    files.count = 1001;
    ck_assert_fails(alcore_metric_read_ter(ctx, &files, NULL, &score), ALCORE_E_INVALID,
                    "1001 files; 2 to 1000 are needed");
    files.count = 2;
    static const char *const bad = "text_column names the column";
    reading.references = paths[1];
    ck_assert_fails(alcore_metric_read_ter(ctx, &files, NULL, &score), ALCORE_E_INVALID, bad);
    reading.references = NULL;
    reading.language = "de";
    ck_assert_fails(alcore_metric_read_ter(ctx, &files, NULL, &score), ALCORE_E_INVALID, bad);
    reading.language = NULL;
    reading.format = ALCORE_FORMAT_TEXT; /* a line is a text, whatever the name ends in */
    ck_assert_ok(alcore_metric_read_ter(ctx, &files, NULL, &score));
    ck_assert_double_eq(score.reference_words, 8);
    for (int f = 0; f < 2; f++) unlink(paths[f]);
}
END_TEST

/* A line that is no UTF-8 is an error, also where malformed lines are masked; one that is no object
 * then is an empty text. */
START_TEST(malformed_lines) {
    char paths[3][TEST_PATH_BYTES];
    const char *names[2] = {paths[0], paths[1]};
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    test_file_make(paths[0], "right", ".txt", "a b\nb c\n");
    test_file_make(paths[1], "wrong", ".txt", "a b\nb \xff\n");
    test_file_make(paths[2], "broken", ".jsonl", "{\"text\": \"a b\"}\n{\"text\": \n");
    files.paths = names;
    files.count = 2;
    files.options = &reading;
    for (int i = 0; i < 2; i++) {
        reading.bad_lines = i == 0 ? 0 : ALCORE_BAD_LINES_MASK;
        ck_assert_fails(alcore_metric_read_ter(ctx, &files, NULL, &score), ALCORE_E_DATA,
                        ".txt:2: the text is not valid UTF-8 at byte 2");
    }
    names[1] = paths[2];
    ck_assert_ok(alcore_metric_read_ter(ctx, &files, NULL, &score));
    ck_assert_double_eq(score.reference_words, 2);
    ck_assert_int_eq(score.edits, 2);
    reading.bad_lines = ALCORE_BAD_LINES_ERROR;
    ck_assert_fails(alcore_metric_read_ter(ctx, &files, NULL, &score), ALCORE_E_DATA, ".jsonl:2");
    for (int f = 0; f < 3; f++) unlink(paths[f]);
}
END_TEST

static void ignore_score(void *user, int64_t line, double score) {
    (void)line;
    *(double *)user += score;
}

/* The most bytes that a metric of files of `lines` lines against themselves needs, with samples,
 * and, with a baseline, a third time. */
static size_t peak_of(int metric, int64_t lines, bool with_baseline) {
    static const char line[] = "one line of words\n";
    const size_t bytes = sizeof line - 1;
    memory_host host;
    const char *const same[] = {"a.txt", "b.txt", "c.txt"};
    const alcore_paired_options paired = {.size = sizeof paired, .samples = 1};
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    alcore_bleu_options b = ALCORE_BLEU_OPTIONS_INIT;
    alcore_chrf_options c = ALCORE_CHRF_OPTIONS_INIT;
    alcore_ter_options t = ALCORE_TER_OPTIONS_INIT;
    double sum = 0;
    char *all = malloc((size_t)lines * bytes);
    ck_assert_ptr_nonnull(all);
    for (int64_t i = 0; i < lines; i++) memcpy(all + (size_t)i * bytes, line, bytes);
    memory_host_open(&host);
    memory_host_file(&host, all, (size_t)lines * bytes);
    files.paths = same;
    files.count = with_baseline ? 3 : 2;
    files.score = ignore_score;
    files.score_user = &sum;
    b.resamples = c.resamples = t.resamples = 1;
    b.paired = c.paired = t.paired = with_baseline ? &paired : NULL;
    const size_t live = host.live;
    host.peak = live;
    if (metric == 0)
        ck_assert_ok(alcore_metric_read_bleu(host.ctx, &files, &b,
                                             &(alcore_bleu_result)ALCORE_BLEU_RESULT_INIT));
    else if (metric == 1)
        ck_assert_ok(alcore_metric_read_chrf(host.ctx, &files, &c,
                                             &(alcore_chrf_result)ALCORE_CHRF_RESULT_INIT));
    else
        ck_assert_ok(alcore_metric_read_ter(host.ctx, &files, &t,
                                            &(alcore_ter_result)ALCORE_TER_RESULT_INIT));
    const size_t peak = host.peak - live;
    ck_assert_uint_eq(memory_host_close(&host), 0);
    free(all);
    return peak;
}

/* More lines take at most 384 bytes more each, twice that with a baseline. */
START_TEST(memory_of_samples) {
    enum { FEW = 20000, MANY = 60000 };
    for (int baseline = 0; baseline < 2; baseline++) {
        const size_t few = peak_of(_i, FEW, baseline), many = peak_of(_i, MANY, baseline);
        ck_assert_uint_gt(many, few);
        ck_assert_uint_le(many - few, (size_t)(MANY - FEW) * 384 * (size_t)(1 + baseline));
    }
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("calls");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_set_timeout(all, 120);
    tcase_add_test(all, lengths);
    tcase_add_test(all, missing_among_many_sets);
    tcase_add_test(all, defaults);
    tcase_add_test(all, smoothings);
    tcase_add_test(all, effective_order);
    tcase_add_test(all, options_out_of_range);
    tcase_add_test(all, structs);
    tcase_add_test(all, what_was_not_asked_for_is_nan);
    tcase_add_test(all, signatures);
    tcase_add_test(all, chrf_counts);
    tcase_add_test(all, several_references);
    tcase_add_test(all, files_of_every_kind);
    tcase_add_test(all, options_of_reading);
    tcase_add_test(all, malformed_lines);
    tcase_add_loop_test(all, memory_of_samples, 0, 3);
    return check_suite_run("metric/calls", all);
}
