/* SPDX-License-Identifier: Apache-2.0 */
/* TV-ALIGN2 (spec 6.6): German to English over the first 5,000 rows of en-de/general, in both
 * directions and with both tensions. The corpus is not part of the project: without ../shared/data
 * beside it (or $ALCORE_SHARED_DATA) the test is skipped. */
#include <math.h>
#include <unistd.h>

#include "aligner_bed.h"
#include "formats/line_reader.h"
#include "vectors.h"

enum { ROWS = 5000, ENGLISH = 3, GERMAN = 4 }; /* columns: id split group en de */
static char path[4096];

typedef struct corpus {
    char *english[ROWS], *german[ROWS];
} corpus;

static char *copy_column(const char *line, size_t length, int number) {
    const char *end = line + length;
    for (int i = 0; i < number; i++) {
        line = memchr(line, '\t', (size_t)(end - line));
        ck_assert_ptr_nonnull(line);
        line++;
    }
    const char *stop = memchr(line, '\t', (size_t)(end - line));
    return strndup(line, (size_t)((stop == NULL ? end : stop) - line));
}

static corpus *read_corpus(alcore_ctx *ctx) {
    corpus *c = malloc(sizeof *c);
    alcore__line_reader lines;
    ck_assert_int_eq(alcore__lines_open(&lines, ctx, path, 0), ALCORE_OK);
    for (int row = -1; row < ROWS;) { /* row -1 is the header */
        char *line = NULL;
        size_t length = 0;
        ck_assert_int_eq(alcore__lines_next(&lines, &line, &length), ALCORE_OK);
        if (line == NULL) {
            bool more = false;
            ck_assert_int_eq(alcore__lines_fill(&lines, &more), ALCORE_OK);
            ck_assert(more);
            continue;
        }
        if (row >= 0) {
            c->english[row] = copy_column(line, length, ENGLISH);
            c->german[row] = copy_column(line, length, GERMAN);
        }
        row++;
    }
    alcore__lines_close(&lines);
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
    for (int i = 0; expected_lambdas != NULL && i < 3; i++)
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

int main(int argc, char **argv) {
    const char *shared = getenv("ALCORE_SHARED_DATA");
    if (shared == NULL)
        snprintf(path, sizeof path, "%s/../shared/data/en-de/general.tsv.xz",
                 argc > 1 ? argv[1] : ".");
    else
        snprintf(path, sizeof path, "%s/en-de/general.tsv.xz", shared);
    if (access(path, R_OK) != 0) {
        puts("1..0 # SKIP no ../shared/data beside the project");
        return 0;
    }
    TCase *cases = tcase_create("general");
    tcase_add_test(cases, tv_align2);
    tcase_add_test(cases, tv_align2_printed);
    tcase_set_timeout(cases, 120);
    Suite *suite = suite_create("text/aligner_general");
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
