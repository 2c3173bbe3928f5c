/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/lm.h promises of the handle: defaults and bounds of the training, what is
 * logged, the shapes of the arrays that calls fill, and what the fingerprint tells apart. */
#include "alcore/extra/lm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_status.h"
#include "check_suite.h"
#include "lm_calls.h"
#include "test_folder.h"

static alcore_ctx *ctx;
static char logged[512], folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 16];
static int32_t logged_level;

static void note_line(void *user, int32_t level, const char *component, const char *message,
                      const char *fields) {
    (void)user, (void)component, (void)fields;
    logged_level = level;
    snprintf(logged, sizeof logged, "%s", message);
}

static void setup(void) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.log = note_line;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    test_folder_make(folder, "lm");
    snprintf(path, sizeof path, "%s/a.arpa", folder);
    logged[0] = '\0';
}

static void teardown(void) {
    test_folder_remove(folder);
    alcore_ctx_unref(ctx);
}

static alcore_lm *train(const char *const *texts, int64_t count, int32_t order) {
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    alcore_lm *lm;
    options.order = order;
    ck_assert_ok(alcore_lm_new_trained(ctx, texts, NULL, count, &options, &lm));
    return lm;
}

static alcore_lm *read_lm(const char *text) {
    FILE *file = fopen(path, "wb");
    alcore_lm *lm;
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    ck_assert_ok(alcore_lm_open_arpa(ctx, path, &lm));
    return lm;
}

static double score(alcore_lm *lm, const char *text) {
    double total = 1;
    ck_assert_ok(lm_score_one(lm, text, strlen(text), &total));
    return total;
}

static uint64_t fingerprint_of(alcore_lm *lm) {
    const uint64_t hash = alcore_lm_fingerprint(lm);
    ck_assert_uint_ne(hash, 0);
    alcore_lm_unref(lm);
    return hash;
}

START_TEST(options_and_lengths_are_obeyed) {
    const char *texts[] = {"a b c d e f g", "a b", "a"};
    const size_t lengths[] = {5, 3, 0};
    alcore_lm *lm, *same;
    ck_assert_ok(alcore_lm_new_trained(ctx, texts, lengths, 3, NULL, &lm));
    ck_assert_int_eq(alcore_lm_order(lm), 4); /* the default */
    const char *cut[] = {"a b c", "a b", ""};
    same = train(cut, 3, 4);
    ck_assert_uint_eq(fingerprint_of(lm), fingerprint_of(same));
    for (int32_t order = 1; order <= 6; order++) {
        lm = train(texts, 3, order);
        ck_assert_int_eq(alcore_lm_order(lm), order);
        alcore_lm_unref(lm);
    }
}
END_TEST

/* An empty text is a sentence of its own: the end of a sentence gets more probable. */
START_TEST(an_empty_text_counts) {
    const char *texts[] = {"a b", "", "", ""};
    alcore_lm *one = train(texts, 1, 1), *four = train(texts, 4, 1);
    ck_assert_double_gt(score(four, ""), score(one, ""));
    alcore_lm_unref(one);
    alcore_lm_unref(four);
}
END_TEST

START_TEST(dropped_words_and_a_missing_unknown_word_are_warnings) {
    const char *texts[] = {"<s> a </s>", "<unk> b"}, *plain[] = {"a", "b"};
    alcore_lm_unref(train(plain, 2, 2));
    ck_assert_str_eq(logged, "");
    alcore_lm_unref(train(texts, 2, 2));
    ck_assert_int_eq(logged_level, ALCORE_LOG_WARN);
    ck_assert_ptr_nonnull(strstr(logged, "3 words <s>, </s> and <unk>"));
    alcore_lm_unref(read_lm("\\data\\\nngram 1=2\n\\1-grams:\n0\t<s>\n-1\t</s>\n\\end\\\n"));
    ck_assert_ptr_nonnull(strstr(logged, "a.arpa has no unigram <unk>"));
}
END_TEST

#define GRAMS(counts, unigrams) "\\data\\\n" counts "\n\\1-grams:\n" unigrams
#define WORDS "-2\t<unk>\n-1\t</s>\n-99\t<s>\t-0.5\n-1\ta\t-0.25\n"
#define PAIR "\n\\2-grams:\n-0.5\t<s> a\n-0.25\ta a\n\\end\\\n"
#define BOTH "ngram 1=4\nngram 2=2\n"

START_TEST(the_fingerprint_is_that_of_the_ngrams) {
    const uint64_t first = fingerprint_of(read_lm(GRAMS(BOTH, WORDS) PAIR));
    /* Another sequence of n-grams, another probability of <s>, which is not looked at. */
    ck_assert_uint_eq(
        first,
        fingerprint_of(read_lm(GRAMS(
            BOTH,
            "-1\ta\t-0.25\n-5\t<s>\t-0.5\n-1\t</s>\n-2\t<unk>\n") "\n\\2-grams:\n-0.25\ta "
                                                                  "a\n-0.5\t<s> a\n\\end\\\n")));
    /* A word, a probability, a back-off, an n-gram less. */
    static const char *const others[] = {
        GRAMS(BOTH, "-2\t<unk>\n-1\t</s>\n0\t<s>\t-0.5\n-1\tb\t-0.25\n") "\n\\2-grams:\n-0.5\t<s> "
                                                                         "b\n-0.25\tb b\n\\end\\\n",
        GRAMS(BOTH, WORDS) "\n\\2-grams:\n-0.5\t<s> a\n-0.125\ta a\n\\end\\\n",
        GRAMS(BOTH, "-2\t<unk>\n-1\t</s>\n0\t<s>\t-0.5\n-1\ta\t-0.125\n") PAIR,
        GRAMS("ngram 1=4\nngram 2=1\n", WORDS) "\n\\2-grams:\n-0.5\t<s> a\n\\end\\\n",
        GRAMS("ngram 1=4\n", WORDS) "\\end\\\n",
        GRAMS("ngram 1=4\nngram 2=2\nngram 3=0\n",
              WORDS) "\n\\2-grams:\n-0.5\t<s> a\n-0.25\ta a\n\\3-grams:\n\\end\\\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_uint_ne(first, fingerprint_of(read_lm(others[i])));
}
END_TEST

START_TEST(a_model_that_was_read_has_no_counts) {
    alcore_lm *lm = read_lm(GRAMS(BOTH, WORDS) PAIR);
    for (int32_t n = 1; n <= 2; n++) {
        alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
        memset(info.exactly, 0xFF, sizeof info.exactly);
        memset(info.discount, 0xFF, sizeof info.discount);
        info.fallback = -1;
        ck_assert_ok(alcore_lm_order_get(lm, n, &info));
        ck_assert_int_eq(info.ngrams, n == 1 ? 4 : 2); /* <s> and <unk> are among the four */
        for (int k = 0; k < 4; k++) ck_assert_int_eq(info.exactly[k], 0);
        for (int k = 0; k < 3; k++) ck_assert_double_eq(info.discount[k], 0);
        ck_assert_int_eq(info.fallback, 0);
        ck_assert_int_eq(info.reserved, 0);
    }
    alcore_lm_order_info unset = {0};
    ck_assert_int_eq(alcore_lm_order_get(lm, 1, &unset), ALCORE_E_STRUCT_UNSET);
    ck_assert_int_eq(alcore_lm_order_get(lm, 1, NULL), ALCORE_E_INVALID);
    alcore_lm_order_info kept = ALCORE_LM_ORDER_INFO_INIT;
    kept.ngrams = 7;
    ck_assert_int_eq(alcore_lm_order_get(lm, 3, &kept), ALCORE_E_NOT_FOUND);
    ck_assert_int_eq(kept.ngrams, 7); /* a struct is as it was after a failure */
    alcore_lm_unref(lm);
}
END_TEST

/* A back-off above 0 can lift a probability above 1, in a total only: tokens stay at 0. */
START_TEST(weights_above_0_reach_totals_only) {
    alcore_lm *lm = read_lm(GRAMS(BOTH, "-2\t<unk>\n-1\t</s>\n0\t<s>\t3\n-1\ta\t-0.25\n") PAIR);
    float values[1];
    int64_t count;
    ck_assert_double_eq(score(lm, ""), 3 - 1);
    ck_assert_ok(lm_tokens_one(lm, "", 0, values, 1, &count));
    ck_assert_float_eq(values[0], 0);
    alcore_lm_unref(lm);
}
END_TEST

/* Every array that a call fills is float64, float32 or int64 of one length, and contiguous. */
START_TEST(arrays_of_other_shapes_are_refused) {
    const char *texts[] = {"a b", "a"};
    alcore_lm *lm = train(texts, 2, 2);
    double numbers[8] = {0};
    int64_t offsets[3] = {0}, two[2] = {2, 1}, three = 3, stride = 2, five = 5;
    float values[5] = {0};
    alcore_tensor tensor, bounds;
    ck_assert_ok(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT64, two, 1));
    ck_assert_int_eq(alcore_lm_score(lm, texts, NULL, 2, NULL), ALCORE_E_INVALID);
    tensor.strides = &stride;
    ck_assert_fails(alcore_lm_score(lm, texts, NULL, 2, &tensor), ALCORE_E_SHAPE,
                    "out_log10 is to be contiguous");
    ck_assert_ok(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT64, two, 2));
    ck_assert_fails(alcore_lm_score(lm, texts, NULL, 2, &tensor), ALCORE_E_SHAPE,
                    "out_log10 is to be float64 [2]");
    ck_assert_ok(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, two, 1));
    ck_assert_fails(alcore_lm_score(lm, texts, NULL, 2, &tensor), ALCORE_E_SHAPE,
                    "out_log10 is to be float64 [2]");
    ck_assert_ok(alcore_tensor_init(&bounds, offsets, ALCORE_INT64, two, 1));
    ck_assert_fails(alcore_lm_token_logprobs(lm, texts, NULL, 2, &bounds, NULL), ALCORE_E_SHAPE,
                    "out_offsets is to be int64 [3]");
    ck_assert_int_eq(alcore_lm_token_logprobs(lm, texts, NULL, 2, NULL, NULL), ALCORE_E_INVALID);
    ck_assert_ok(alcore_tensor_init(&bounds, offsets, ALCORE_INT64, &three, 1));
    ck_assert_ok(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT64, &five, 1));
    ck_assert_fails(alcore_lm_token_logprobs(lm, texts, NULL, 2, &bounds, &tensor), ALCORE_E_SHAPE,
                    "out_values is to be float32 [5]");
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, &five, 1));
    ck_assert_ok(alcore_lm_token_logprobs(lm, texts, NULL, 2, &bounds, &tensor));
    ck_assert_mem_eq(offsets, ((const int64_t[]){0, 3, 5}), sizeof offsets);
    for (int i = 0; i < 5; i++) ck_assert_float_lt(values[i], 0);
    /* The sum of a text's natural logarithms is its total of base 10. */
    ck_assert_double_eq_tol(((double)values[0] + (double)values[1] + (double)values[2]) / log(10),
                            score(lm, "a b"), 1e-6);
    alcore_lm_unref(lm);
}
END_TEST

START_TEST(no_texts_give_nothing) {
    const char *texts[] = {"a b"};
    alcore_lm *lm = train(texts, 1, 2);
    int64_t offset = 7, none = 0, one = 1;
    double number = 7;
    alcore_tensor bounds, tensor;
    ck_assert_ok(alcore_tensor_init(&bounds, &offset, ALCORE_INT64, &one, 1));
    ck_assert_ok(alcore_lm_token_logprobs(lm, NULL, NULL, 0, &bounds, NULL));
    ck_assert_int_eq(offset, 0);
    ck_assert_ok(alcore_tensor_init(&tensor, &number, ALCORE_FLOAT64, &none, 1));
    ck_assert_ok(alcore_lm_score(lm, NULL, NULL, 0, &tensor));
    ck_assert_double_eq(number, 7);
    alcore_lm_unref(lm);
}
END_TEST

START_TEST(files_are_named) {
    alcore_lm *lm;
    ck_assert_fails(alcore_lm_open_arpa(ctx, path, &lm), ALCORE_E_IO, "a.arpa");
    const char *texts[] = {"a b"};
    lm = train(texts, 1, 2);
    ck_assert_fails(alcore_lm_write_arpa(lm, "/nowhere/x.arpa"), ALCORE_E_IO, "/nowhere/x.arpa");
    static const char *const compressed[] = {"x.gz", "x.xz", "x.zst"};
    for (size_t i = 0; i < 3; i++)
        ck_assert_fails(alcore_lm_write_arpa(lm, compressed[i]), ALCORE_E_UNSUPPORTED,
                        compressed[i]);
    alcore_lm_unref(lm);
}
END_TEST

CHECK_SUITE_WITH("lm_handle", setup, teardown, options_and_lengths_are_obeyed, an_empty_text_counts,
                 dropped_words_and_a_missing_unknown_word_are_warnings,
                 the_fingerprint_is_that_of_the_ngrams, a_model_that_was_read_has_no_counts,
                 weights_above_0_reach_totals_only, arrays_of_other_shapes_are_refused,
                 no_texts_give_nothing, files_are_named);
