/* SPDX-License-Identifier: Apache-2.0 */
/* ARPA text: the round trip, what other tools write, and what is refused (spec 6.5). */
#include "base/rng.h"
#include "check_suite.h"
#include "comma_locale.h"
#include "lm_calls.h"
#include "test_folder.h"
#include <alcore/extra.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static alcore_ctx *ctx;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 16], second[TEST_PATH_BYTES + 16];

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    test_folder_make(folder, "arpa");
    snprintf(path, sizeof path, "%s/a.arpa", folder);
    snprintf(second, sizeof second, "%s/b.arpa", folder);
}

static void teardown(void) {
    test_folder_remove(folder);
    alcore_ctx_unref(ctx);
}

static void write_text(const char *text) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, strlen(text), file), strlen(text));
    ck_assert_int_eq(fclose(file), 0);
}

static char *read_text(const char *from) {
    FILE *file = fopen(from, "rb");
    ck_assert_ptr_nonnull(file);
    char *text = calloc(1, 1 << 20);
    ck_assert_uint_gt(fread(text, 1, (1 << 20) - 1, file), 0);
    fclose(file);
    return text;
}

static alcore_lm *read_lm(const char *text) {
    write_text(text);
    alcore_lm *lm = NULL;
    ck_assert_msg(alcore_lm_open_arpa(ctx, path, &lm) == ALCORE_OK, "%s", alcore_last_error());
    return lm;
}

static double score(alcore_lm *lm, const char *text) {
    double total = 1.0;
    ck_assert_int_eq(lm_score_one(lm, text, strlen(text), &total), ALCORE_OK);
    return total;
}

static void made_text(alcore__rng *rng, char *out) {
    const uint64_t words = alcore__rng_below(rng, 9);
    char *at = out;
    for (uint64_t i = 0; i < words; i++)
        at += sprintf(at, "w%d ", (int)(alcore__rng_below(rng, 6) * alcore__rng_below(rng, 6)));
    *at = '\0';
}

START_TEST(round_trip) {
    alcore__rng rng;
    alcore__rng_seed(&rng, (uint64_t)_i);
    static char texts[200][64];
    const char *pointers[200];
    for (int i = 0; i < 200; i++) made_text(&rng, texts[i]), pointers[i] = texts[i];
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    options.order = 1 + _i % 6;
    alcore_lm *lm = NULL, *read = NULL;
    ck_assert_int_eq(alcore_lm_new_trained(ctx, pointers, NULL, 150, &options, &lm), ALCORE_OK);
    ck_assert_int_eq(alcore_lm_write_arpa(lm, path), ALCORE_OK);
    ck_assert_int_eq(alcore_lm_open_arpa(ctx, path, &read), ALCORE_OK);
    ck_assert_int_eq(alcore_lm_order(read), options.order);
    for (int32_t n = 1; n <= options.order; n++)
        ck_assert_int_eq(lm_ngrams(read, n), lm_ngrams(lm, n));
    for (int i = 0; i < 200; i++)
        ck_assert_double_eq_tol(score(read, texts[i]), score(lm, texts[i]), 1e-6);
    ck_assert_int_eq(alcore_lm_write_arpa(read, second), ALCORE_OK);
    char *first_text = read_text(path), *second_text = read_text(second);
    ck_assert_str_eq(strstr(first_text, "\\data\\"), second_text);
    free(first_text);
    free(second_text);
    alcore_lm_unref(read);
    alcore_lm_unref(lm);
}
END_TEST

START_TEST(what_is_written) {
    const char *texts[] = {"a b", "a"};
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    options.order = 2;
    alcore_lm *lm = NULL;
    comma_locale locale;
    comma_locale_begin(&locale);
    ck_assert_int_eq(alcore_lm_new_trained(ctx, texts, NULL, 2, &options, &lm), ALCORE_OK);
    ck_assert_int_eq(alcore_lm_write_arpa(lm, path), ALCORE_OK);
    char *text = read_text(path);
    /* a(a) = 1, a(b) = 1, a(</s>) = 2: den 4, gamma (2 * 0.5 + 1) / 4, V = 4 */
    char expected[80];
    snprintf(expected, sizeof expected, "\n%.9g\ta\t%.9g\n", log10(0.25), log10(2 * 0.5 / 2));
    comma_locale_end(&locale);
    for (char *c = expected; *c != '\0'; c++)
        if (*c == ',') *c = '.';
    ck_assert_ptr_nonnull(strstr(text, "\\data\\\nngram 1=5\nngram 2=4\n\n\\1-grams:\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n0\t<s>\t"));
    ck_assert_ptr_nonnull(strstr(text, "# order 1: t 2 1 0 0; D 0.5 1 1.5 (fallback)\n"));
    ck_assert_msg(strstr(text, expected), "no line %s in %s", expected, text);
    ck_assert_ptr_nonnull(strstr(text, "\ta b\n"));
    ck_assert_str_eq(text + strlen(text) - 7, "\n\\end\\\n");
    free(text);
    alcore_lm_unref(lm);
}
END_TEST

START_TEST(other_tools_files) {
    /* Text before \data\, CR LF, spaces for tabs, no <unk>, <s> with -99, missing back-offs. */
    alcore_lm *lm =
        read_lm("made by hand\r\n\r\n\\data\\\r\nngram 1 = 4\r\nngram 2=2\r\n\r\n"
                "\\1-grams:\r\n-99\t<s>\t-0.25\r\n-1\t</s>\r\n-0.5 a -0.125\r\n-2\tb\r\n\r\n"
                "\\2-grams:\r\n-0.0625\t<s> a\r\n-0.75\ta b\r\n\r\n\\end\\\r\nmore text\r\n");
    ck_assert_int_eq(alcore_lm_order(lm), 2);
    ck_assert_int_eq(lm_ngrams(lm, 1), 5); /* with <unk> */
    ck_assert_int_eq(lm_ngrams(lm, 2), 2);
    ck_assert_double_eq(score(lm, "a b"), -0.0625 - 0.75 - 1);
    ck_assert_double_eq(score(lm, "b"), -0.25 - 2 - 1);
    ck_assert_double_eq(score(lm, "a x"), -0.0625 - 0.125 - 100 - 1);
    ck_assert_double_eq(score(lm, ""), -0.25 - 1);
    alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
    ck_assert_int_eq(alcore_lm_order_get(lm, 2, &info), ALCORE_OK);
    ck_assert_double_eq(info.discount[0], 0);
    alcore_lm_unref(lm);
}
END_TEST

/* A model of lmplz, and what kenlm 0.3.0 from PyPI scores it with in each of the forms that tools
 * write: log10 probabilities of whole sentences, <s> and </s> included. */
static const char kenlm_grams[] =
    "0\t<s>\t-0.301029996\n-1.09505801\t</s>\t0\n-0.954242509\tthe\t-0.301029996\n"
    "-0.954242509\tcat\t-0.301029996\n-0.954242509\tsat\t-0.301029996\n"
    "-0.897924146\tdog\t-0.301029996\n-0.897924146\ton\t-0.301029996\n"
    "-0.897924146\tmat\t-0.301029996\n-0.897924146\ta\t-0.301029996\n\n\\2-grams:\n"
    "-0.410174465\t<s> the\t-0.301029996\n-0.653212514\tthe cat\t-0.301029996\n"
    "-0.514909816\tcat sat\t-0.301029996\n-0.537346083\tsat </s>\t0\n"
    "-0.638433582\tthe dog\t-0.301029996\n-0.255272505\tdog sat\t-0.301029996\n"
    "-0.504111883\tsat on\t-0.301029996\n-0.255272505\ton the\t-0.301029996\n"
    "-0.638433582\tthe mat\t-0.301029996\n-0.267468783\tmat </s>\t0\n"
    "-0.638433582\t<s> a\t-0.301029996\n-0.255272505\ta cat\t-0.301029996\n"
    "-0.537346083\tcat </s>\t0\n\n\\3-grams:\n-0.442359148\t<s> the cat\n"
    "-0.185234638\tthe cat sat\n-0.19038274\tcat sat </s>\n-0.437757987\t<s> the dog\n"
    "-0.109144469\tthe dog sat\n-0.182683293\tdog sat on\n-0.109144469\tsat on the\n"
    "-0.211155063\ton the mat\n-0.113461071\tthe mat </s>\n-0.109144469\t<s> a cat\n"
    "-0.19038274\ta cat </s>\n\n\\end\\\n";

/* The model with another header, up to the counts of orders 2 and 3, and another unknown word. */
static alcore_lm *read_kenlm(const char *header, const char *unknown, const char *grams) {
    char text[4096];
    snprintf(text, sizeof text, "%s\n\\1-grams:\n%s%s", header, unknown, grams);
    return read_lm(text);
}

static void kenlm_scores(const char *header, const char *unknown, const char *grams,
                         const double expected[5]) {
    static const char *const texts[] = {"the cat sat", "a zebra ran", "the dog sat on the mat", "",
                                        "zebra"};
    alcore_lm *lm = read_kenlm(header, unknown, grams);
    for (int i = 0; i < 5; i++) ck_assert_double_eq_tol(score(lm, texts[i]), expected[i], 2e-5);
    alcore_lm_unref(lm);
}

#define COUNTS "ngram 2=13\nngram 3=11\n"

START_TEST(as_kenlm_reads) {
    const double plain[] = {-1.22815, -4.52567, -1.57352, -1.39609, -2.49115};
    const double without[] = {-1.22815, -202.33557, -1.57352, -1.39609, -101.39609};
    const char *small = "-1.09505801\t<unk>\t0\n", *capital = "-1.09505801\t<UNK>\t0\n";
    kenlm_scores("\\data\\\nngram 1=10\n" COUNTS, small, kenlm_grams, plain);
    kenlm_scores("\\data\\\nngram 1=10\n" COUNTS, capital, kenlm_grams, plain);
    kenlm_scores("\n\\data\\\nngram  1=        10\nngram  2=  13\nngram  3=   11   \n", capital,
                 kenlm_grams, plain);
    kenlm_scores("# a\n\\data\\\nngram\t1\t=\t10\n" COUNTS, small, kenlm_grams, plain);
    kenlm_scores("\\data\\\nngram 1=9\n" COUNTS, "", kenlm_grams, without);
    /* <Unk> is a word like others. */
    kenlm_scores("\\data\\\nngram 1=10\n" COUNTS, "-1.09505801\t<Unk>\t0\n", kenlm_grams, without);
    /* The unknown word within an n-gram, in capitals. */
    alcore_lm *lm =
        read_lm("\\data\\\nngram 1=4\nngram 2=1\n\\1-grams:\n-2\t<UNK>\n-99\t<s>\t-1\n-1\t</s>\n"
                "-1\ta\t-0.5\n\\2-grams:\n-0.25\ta <UNK>\n\\end\\\n");
    ck_assert_double_eq(score(lm, "a b"), -1 - 1 - 0.25 - 1);
    alcore_lm_unref(lm);
}
END_TEST

START_TEST(pruned_file) {
    /* "a b c" is listed without "b c" (its end) and without "a b" (its beginning). */
    static const char text[] =
        "\\data\\\nngram 1=6\nngram 2=1\nngram 3=1\n\n\\1-grams:\n"
        "-2\t<unk>\n0\t<s>\t-0.5\n-1\t</s>\n-0.5\ta\t-0.25\n-0.75\tb\t-0.125\n"
        "-1.5\tc\t-0.0625\n\n\\2-grams:\n-0.25\t<s> a\t-0.5\n\n"
        "\\3-grams:\n-0.375\ta b c\n\n\\end\\\n";
    alcore_lm *lm = read_lm(text);
    ck_assert_int_eq(lm_ngrams(lm, 2), 1);
    ck_assert_int_eq(lm_ngrams(lm, 3), 1);
    /* a | <s>; b | <s> a = bo(<s> a) bo(a) p(b); c | a b; </s> | b c = bo(c) p(</s>) */
    ck_assert_double_eq(score(lm, "a b c"), -0.25 + (-0.5 - 0.25 - 0.75) - 0.375 + (-0.0625 - 1));
    /* b | <s>; c | b is backed off; */
    ck_assert_double_eq(score(lm, "b c"), (-0.5 - 0.75) + (-0.125 - 1.5) + (-0.0625 - 1));
    ck_assert_int_eq(alcore_lm_write_arpa(lm, second), ALCORE_OK);
    char *written = read_text(second);
    ck_assert_ptr_nonnull(strstr(written, "ngram 2=1\nngram 3=1\n"));
    ck_assert_ptr_null(strstr(written, "\ta b\t"));
    free(written);
    alcore_lm_unref(lm);
}
END_TEST

#define HEAD "\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-1\t</s>\n-1\ta\n0\t<s>\n"
static const struct {
    const char *text, *error;
    alcore_status status;
} refused[] = {
    {"", "no \\data\\ line", ALCORE_E_DATA},
    {"\\data\\\n", "ends before \\end\\", ALCORE_E_DATA},
    {"\\data\\\n\\1-grams:\n", "ngram 1=COUNT", ALCORE_E_DATA},
    {"\\data\\\nngram 2=1\n", "rise from 1", ALCORE_E_DATA},
    {"\\data\\\nngram 1=1\nngram 3=1\n", "rise from 1", ALCORE_E_DATA},
    {"\\data\\\nngram 1=\n", "expected `ngram N=COUNT`", ALCORE_E_DATA},
    {"\\data\\\nngram 1=1\nngram 2=1\nngram 3=1\nngram 4=1\nngram 5=1\nngram 6=1\nngram 7=1\n",
     "order 7 is above 6", ALCORE_E_UNSUPPORTED},
    {HEAD "\\3-grams:\n", ":9: expected \\2-grams:", ALCORE_E_DATA},
    {HEAD "-1\tb\n\\2-grams:\n", "there are 4 n-grams of order 1, the header says 3",
     ALCORE_E_DATA},
    {HEAD "\\2-grams:\n\\end\\\n", "there are 0 n-grams of order 2, the header says 1",
     ALCORE_E_DATA},
    {HEAD "\\2-grams:\n-1\ta b\n", ":10: 'b' is no unigram", ALCORE_E_DATA},
    {HEAD "\\2-grams:\n-1\ta <unk>\n", "'<unk>' is no unigram", ALCORE_E_DATA},
    {HEAD "\\2-grams:\n-1\ta\n", "too few words", ALCORE_E_DATA},
    {HEAD "\\2-grams:\n-1\ta a 0 0\n", "too many words", ALCORE_E_DATA},
    {HEAD "\\2-grams:\n-1\ta a x\n", "back-off is no number", ALCORE_E_DATA},
    {HEAD "\\2-grams:\nx\ta a\n", "probability is no number", ALCORE_E_DATA},
    {HEAD "\\2-grams:\nnan\ta a\n", "probability is no number", ALCORE_E_DATA},
    {HEAD "\\2-grams:\n0.5\ta a\n", "above 0", ALCORE_E_DATA},
    {HEAD "\\2-grams:\n-1\ta a\n-1\ta a\n", "given before", ALCORE_E_DATA},
    {HEAD "-1\ta\n", "given before", ALCORE_E_DATA},
    {HEAD "-1\t<unk>\n-1\t<UNK>\n", "unknown word was given before, as <unk> or <UNK>",
     ALCORE_E_DATA},
    {"\niARPA\n\n" HEAD, ":2: a file in a format of IRSTLM", ALCORE_E_DATA},
    {"qARPA 3\n" HEAD, "compile-lm writes", ALCORE_E_DATA},
    {"\\data\\\nngram 1=1\n\\1-grams:\n-1\ta\n\\end\\\n", "has no unigram <s>", ALCORE_E_DATA},
    {"\\data\\\nngram 1=1\n\\1-grams:\n0\t<s>\n\\end\\\n", "has no unigram </s>", ALCORE_E_DATA},
    {"\\data\\\nngrams 1=1\n", "expected `ngram N=COUNT`", ALCORE_E_DATA},
    {HEAD "\\2-grams:\n-1\ta a\n\\3-grams:\n", "expected \\end\\", ALCORE_E_DATA},
    {HEAD "\\2-grams:\n-1\ta a\n", "ends before \\end\\", ALCORE_E_DATA},
};

START_TEST(is_refused) {
    write_text(refused[_i].text);
    alcore_lm *lm = (alcore_lm *)&lm;
    ck_assert_int_eq(alcore_lm_open_arpa(ctx, path, &lm), refused[_i].status);
    ck_assert_ptr_null(lm);
    ck_assert_msg(strstr(alcore_last_error(), refused[_i].error), "'%s' is not in '%s'",
                  refused[_i].error, alcore_last_error());
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), path));
}
END_TEST

START_TEST(wrong_arguments) {
    alcore_lm *lm = NULL;
    ck_assert_int_eq(alcore_lm_open_arpa(ctx, "/nowhere/at.all", &lm), ALCORE_E_IO);
    ck_assert_int_eq(alcore_lm_open_arpa(NULL, path, &lm), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_lm_open_arpa(ctx, NULL, &lm), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_lm_open_arpa(ctx, path, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_lm_write_arpa(NULL, path), ALCORE_E_INVALID);
    lm = read_lm(HEAD "\\2-grams:\n-1\ta a\n\\end\\\n");
    ck_assert_int_eq(alcore_lm_write_arpa(lm, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_lm_write_arpa(lm, "/nowhere/at.all"), ALCORE_E_IO);
    ck_assert_int_eq(alcore_lm_write_arpa(lm, "/nowhere/lm.arpa.gz"), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "uncompressed"));
    alcore_lm_unref(lm);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("arpa");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_loop_test(cases, round_trip, 0, 12);
    tcase_add_test(cases, what_is_written);
    tcase_add_test(cases, other_tools_files);
    tcase_add_test(cases, as_kenlm_reads);
    tcase_add_test(cases, pruned_file);
    tcase_add_loop_test(cases, is_refused, 0, (int)(sizeof refused / sizeof refused[0]));
    tcase_add_test(cases, wrong_arguments);
    return check_suite_run("text/lm_arpa", cases);
}
