/* SPDX-License-Identifier: Apache-2.0 */
/* TV-ALIGN2 (spec 6.6): German to English over the first 5,000 rows of en-de/general, in both
 * directions and with both tensions. */
#include <math.h>

#include "aligner_bed.h"
#include "shared_corpus.h"
#include "vectors.h"

enum { ROWS = 5000 };

typedef struct corpus {
    char *english[ROWS], *german[ROWS];
} corpus;

static char *copy_column(const char *line, size_t length, int number) {
    size_t bytes;
    const char *text = shared_corpus_column(line, length, number, &bytes);
    return strndup(text, bytes);
}

static void keep_row(void *user, int64_t row, const char *line, size_t length) {
    corpus *c = user;
    c->english[row] = copy_column(line, length, CORPUS_ENGLISH);
    c->german[row] = copy_column(line, length, CORPUS_GERMAN);
}

static corpus *read_corpus(alcore_ctx *ctx) {
    corpus *c = malloc(sizeof *c);
    ck_assert_ptr_nonnull(c);
    shared_corpus_read(ctx, ROWS, keep_row, c);
    return c;
}

static void free_corpus(corpus *c) {
    for (int row = 0; row < ROWS; row++) {
        free(c->english[row]);
        free(c->german[row]);
    }
    free(c);
}

/* Near-ties of equal posteriors may fall otherwise: a few links more or fewer. */
enum { LINK_TOLERANCE = 10 };

/* expected: [5] log-likelihoods, of which NaN are not compared; relative tolerance 1e-7. */
static void assert_corpus(alcore_ctx *ctx, corpus *c, bool english_source,
                          const alcore__aligner_options *options, const double *expected,
                          int64_t expected_links, const double *expected_lambdas) {
    const char *const *english = (const char *const *)c->english;
    const char *const *german = (const char *const *)c->german;
    alcore__aligner *aligner;
    alcore__links links;
    int32_t count;
    ck_assert_int_eq(bed_train(ctx, english_source ? english : german,
                               english_source ? german : english, ROWS, options, &aligner),
                     ALCORE_OK);
    const double *likelihoods = alcore__aligner_log_likelihoods(aligner, &count);
    ck_assert_int_eq(count, 5);
    for (int i = 0; i < 5; i++)
        if (!isnan(expected[i]))
            ck_assert_double_eq_tol(likelihoods[i], expected[i], 1e-7 * fabs(expected[i]));
    ck_assert_int_eq(alcore__aligner_links(aligner, false, &links), ALCORE_OK);
    ck_assert_int_le(llabs(links.begin[ROWS] - expected_links), LINK_TOLERANCE);
    const double *lambdas = alcore__aligner_lambdas(aligner, &count);
    for (int i = 0; expected_lambdas && i < 3; i++)
        ck_assert_double_eq_tol(lambdas[i], expected_lambdas[i], 1e-5);
    alcore__links_clear(ctx, &links);
    alcore__aligner_free(aligner);
}

START_TEST(tv_align2) {
    alcore_ctx *ctx = bed_ctx(2);
    corpus *c = read_corpus(ctx);
    const test_vector vector = vector_find("corpus", "TV-ALIGN2");
    ck_assert_int_eq(vector_case_count(vector), 2);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case known = vector_case_number(vector, i);
        alcore__aligner_options options = alcore__aligner_defaults();
        if (strcmp(known.name, "model 1") == 0)
            options.diagonal = options.variational_bayes = false;
        assert_corpus(ctx, c, false, &options,
                      vector_doubles(vector_expected(&known, "log_likelihoods"), NULL),
                      vector_integer(vector_expected(&known, "links")), NULL);
    }
    free_corpus(c);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The rows of TV-ALIGN2 in the text of the specification that the vectors' file does not have. */
START_TEST(tv_align2_printed) {
    static const double plain[] = {-1943013.405, -343581.459, -300264.882, -283877.726,
                                   -277245.600};
    static const double swapped[] = {-1782283.755, -687954.308, -390631.347, -362179.747,
                                     -355889.049};
    static const double public_likelihoods[] = {NAN, NAN, -379699.002, -342741.979, -334286.945};
    static const double gradient[] = {NAN, NAN, -375253.767, -336486.474, -327646.991};
    static const double public_lambdas[] = {7.17077, 8.50400, 9.04593};
    static const double gradient_lambdas[] = {8.52151, 11.39548, 13.04061};
    alcore_ctx *ctx = bed_ctx(2);
    corpus *c = read_corpus(ctx);
    alcore__aligner_options options = alcore__aligner_defaults();
    assert_corpus(ctx, c, true, &options, swapped, 81118, NULL);
    options.tension = ALCORE__TENSION_PUBLIC;
    assert_corpus(ctx, c, false, &options, public_likelihoods, 89225, public_lambdas);
    options.tension = ALCORE__TENSION_GRADIENT;
    assert_corpus(ctx, c, false, &options, gradient, 89042, gradient_lambdas);
    options = alcore__aligner_defaults();
    options.variational_bayes = false;
    assert_corpus(ctx, c, false, &options, plain, 91262, NULL);
    free_corpus(c);
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {tv_align2, tv_align2_printed};
    return shared_corpus_main(argc, argv, "text/aligner_general", tests, 2);
}
