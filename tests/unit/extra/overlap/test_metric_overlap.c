/* SPDX-License-Identifier: Apache-2.0 */
/* Overlap, in-domain words, word accuracy and length ratio: the vectors of the specification,
 * random texts against plain lists of n-grams, files, roles in the wrong order, calls that fail
 * half-way. */
#include "check_suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/metric.h"
#include "base/rng.h"
#include "options_with.h"
#include "test_folder.h"
#include "vectors.h"

enum { SELECTED = ALCORE_OVERLAP_SELECTED, OUTSIDE = ALCORE_OVERLAP_OUTSIDE };
enum { TEST = ALCORE_OVERLAP_TEST, BOTH = ALCORE_OVERLAP_BOTH };
enum { MOST = 64 };

static alcore_ctx *new_ctx(void) {
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    return ctx;
}

static alcore_overlap *new_overlap(alcore_ctx *ctx, int32_t kept, int32_t tagged) {
    const alcore_overlap_options options = {.size = sizeof options, .kept = kept, .tagged = tagged};
    alcore_overlap *overlap;
    ck_assert_int_eq(alcore_overlap_new(ctx, &options, &overlap), ALCORE_OK);
    return overlap;
}

static void add(alcore_overlap *overlap, int32_t role, int32_t side, const json_t *texts) {
    const char *given[MOST];
    const int64_t count = vector_length(texts);
    for (int64_t i = 0; i < count; i++) given[i] = vector_text(json_array_get(texts, (size_t)i));
    const alcore_status status = alcore_overlap_add(overlap, role, side, given, NULL, count);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
}

static alcore_coverage_result score_of(const alcore_overlap *overlap, int32_t order, int32_t data) {
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    const alcore_status status = alcore_overlap_compute_coverage(
        overlap, order, OPTIONS_WITH(alcore_coverage_options, .data = data), &score);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    return score;
}

/* The number that a case of TV-OVL asks for. */
static double wanted_of(const alcore_coverage_result *score, const vector_case *one) {
    if (vector_has_input(one, "unit")) return score->token_coverage;
    if (!vector_has_input(one, "mode")) return score->coverage;
    return strcmp(vector_text(vector_input(one, "mode")), "jaccard") == 0 ? score->jaccard
                                                                          : score->precision;
}

START_TEST(test_overlap_vectors) {
    alcore_ctx *ctx = new_ctx();
    const test_vector vector = vector_find("analyses", "TV-OVL");
    ck_assert_int_eq(vector_case_count(vector), 7);
    for (int64_t i = 0; i < 7; i++) {
        const vector_case one = vector_case_number(vector, i);
        const char *name = vector_text(vector_input(&one, "data"));
        const int32_t data = strcmp(name, "both") == 0      ? BOTH
                             : strcmp(name, "outside") == 0 ? OUTSIDE
                                                            : SELECTED;
        alcore_overlap *overlap = new_overlap(ctx, TEST | BOTH, 0);
        double found[4];
        add(overlap, SELECTED, ALCORE_SIDE_SOURCE, vector_input(&one, "selected"));
        if (vector_has_input(&one, "test/0"))
            add(overlap, TEST, ALCORE_SIDE_SOURCE, vector_input(&one, "test"));
        add(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, vector_input(&one, "outside"));
        for (int32_t n = 1; n <= 4; n++) {
            const alcore_coverage_result score = score_of(overlap, n, data);
            found[n - 1] = wanted_of(&score, &one);
        }
        vector_near(found, vector_expected(&one, "coverage"), 1e-9);
        alcore_overlap_unref(overlap);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Source and target of one corpus, apart, united and tagged. */
START_TEST(test_side_vectors) {
    static const char *const names[] = {"source", "target", "union", "tagged"};
    alcore_ctx *ctx = new_ctx();
    const vector_case one = vector_case_number(vector_find("analyses", "TV-OVL2"), 0);
    for (int k = 0; k < 4; k++) {
        alcore_overlap *overlap = new_overlap(ctx, TEST, k == 3);
        for (int side = 0; side < 2; side++)
            if (k >= 2 || side == k)
                add(overlap, TEST, ALCORE_SIDE_SOURCE + side,
                    vector_input(&one, side ? "test_target" : "test_source"));
        for (int side = 0; side < 2; side++)
            if (k >= 2 || side == k)
                add(overlap, SELECTED, ALCORE_SIDE_SOURCE + side,
                    vector_input(&one, side ? "selected_target" : "selected_source"));
        ck_assert_double_eq_tol(score_of(overlap, 1, SELECTED).coverage,
                                vector_double(vector_expected(&one, names[k])), 1e-9);
        alcore_overlap_unref(overlap);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_in_domain_vectors) {
    alcore_ctx *ctx = new_ctx();
    const test_vector vector = vector_find("analyses", "TV-IDW");
    for (int k = 0; k < 2; k++) {
        const vector_case one = vector_case_named(vector, k == 0 ? "idw=test" : "idw=unseen");
        alcore_overlap *overlap = new_overlap(ctx, SELECTED, 0);
        alcore_in_domain_result score = ALCORE_IN_DOMAIN_RESULT_INIT;
        add(overlap, SELECTED, ALCORE_SIDE_SOURCE, vector_input(&one, "selected"));
        add(overlap, TEST, ALCORE_SIDE_SOURCE, vector_input(&one, "test"));
        add(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, vector_input(&one, "outside"));
        ck_assert_int_eq(
            alcore_overlap_compute_in_domain(
                overlap,
                OPTIONS_WITH(alcore_in_domain_options, .definition = ALCORE_IN_DOMAIN_TEST + k),
                &score),
            ALCORE_OK);
        ck_assert_int_eq(score.in_domain_types, vector_integer(vector_expected(&one, "idwt")));
        ck_assert_int_eq(score.types, vector_integer(vector_expected(&one, "wt")));
        ck_assert_int_eq(score.in_domain_words, vector_integer(vector_expected(&one, "idwc")));
        ck_assert_int_eq(score.words, vector_integer(vector_expected(&one, "wc")));
        if (k == 0) {
            ck_assert_double_eq_tol(score.type_share,
                                    vector_double(vector_expected(&one, "type_share")), 1e-9);
            ck_assert_double_eq_tol(score.word_share,
                                    vector_double(vector_expected(&one, "word_share")), 1e-9);
        }
        alcore_overlap_unref(overlap);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Texts with the counts that Table 5 of the PHR paper prints have the shares that it prints. Of
 * `types` distinct words the first in_domain_types also stand in the test set; every word is said
 * once, and the first of either kind as often as the counts of tokens ask for. */
START_TEST(test_shares_of_table_5) {
    static const char *const systems[] = {"random phrase", "NGF", "NGF-SMP",      "random sentence",
                                          "RTTL",          "MRS", "NGF-SMP + MRS"};
    enum { BYTES = 8 /* of a word and its space */, MOST_WORDS = 6000 };
    static char selected[BYTES * MOST_WORDS], test[BYTES * MOST_WORDS];
    alcore_ctx *ctx = new_ctx();
    const vector_case table = vector_case_number(vector_find("papers", "TV-PHR-TABLE5"), 0);
    ck_assert_uint_eq(json_object_size(table.expected), 7);
    for (int s = 0; s < 7; s++) {
        int64_t columns;
        const double *printed = vector_doubles(vector_expected(&table, systems[s]), &columns);
        ck_assert_int_eq(columns, 6);
        const int64_t in_domain_types = (int64_t)printed[0], types = (int64_t)printed[1];
        const int64_t in_domain_words = (int64_t)printed[3], words = (int64_t)printed[4];
        const char *const texts[] = {selected, test};
        char *end = selected, *test_end = test;
        ck_assert_int_lt(words, MOST_WORDS);
        for (int64_t i = 0; i < words; i++) {
            const bool inside = i < in_domain_words;
            const int64_t first = inside ? 0 : in_domain_types;
            const int64_t count = inside ? in_domain_types : types - in_domain_types;
            const int64_t place = inside ? i : i - in_domain_words;
            const long long word = (long long)(first + (place < count ? place : 0));
            end += snprintf(end, BYTES, "w%lld ", word);
            if (inside) test_end += snprintf(test_end, BYTES, "w%lld ", word);
        }
        alcore_overlap *overlap = new_overlap(ctx, SELECTED, 0);
        alcore_in_domain_result score = ALCORE_IN_DOMAIN_RESULT_INIT;
        ck_assert_int_eq(alcore_overlap_add(overlap, SELECTED, ALCORE_SIDE_SOURCE, texts, NULL, 1),
                         ALCORE_OK);
        ck_assert_int_eq(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, texts + 1, NULL, 1),
                         ALCORE_OK);
        ck_assert_int_eq(alcore_overlap_compute_in_domain(overlap, NULL, &score), ALCORE_OK);
        ck_assert_int_eq(score.in_domain_types, in_domain_types);
        ck_assert_int_eq(score.types, types);
        ck_assert_int_eq(score.in_domain_words, in_domain_words);
        ck_assert_int_eq(score.words, words);
        ck_assert_double_eq_tol(score.type_share, printed[2], 0.005 + 1e-9);
        ck_assert_double_eq_tol(score.word_share, printed[5], 0.005 + 1e-9);
        alcore_overlap_unref(overlap);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* Texts of a list of JSON; returns how many. */
static int64_t texts_of(const json_t *list, const char **out) {
    const int64_t count = vector_length(list);
    for (int64_t i = 0; i < count; i++) out[i] = vector_text(json_array_get(list, (size_t)i));
    return count;
}

/* Links of a list of Pharaoh lines, which end with NULL. */
static alcore_links *new_links(alcore_ctx *ctx, const char *const *lines) {
    char path[TEST_PATH_BYTES], text[512] = "";
    alcore_links *links;
    for (; *lines; lines++) {
        ck_assert_uint_lt(strlen(text) + strlen(*lines) + 1, sizeof text);
        strcat(strcat(text, *lines), "\n");
    }
    test_file_make(path, "links", "", text);
    ck_assert_int_eq(alcore_links_open(ctx, path, -1, &links), ALCORE_OK);
    unlink(path);
    return links;
}

/* Texts of one call, two sentences. */
typedef struct sentences {
    const char *sources[MOST], *references[MOST], *hypotheses[MOST];
} sentences;

static alcore_status accuracy(alcore_ctx *ctx, const sentences *given, const char *const *lines,
                              const alcore_overlap *domain, alcore_word_accuracy_result *score) {
    alcore_links *links = new_links(ctx, lines);
    const alcore_status status = alcore_metric_compute_word_accuracy(
        ctx, given->sources, NULL, 2, given->references, NULL, 2, given->hypotheses, NULL, 2, links,
        OPTIONS_WITH(alcore_word_accuracy_options, .domain = domain), score);
    alcore_links_unref(links);
    return status;
}

/* The in-domain words of the vector are all source words of the test set but those of `others`,
 * which are made the texts outside the domain. */
START_TEST(test_word_accuracy_vectors) {
    alcore_ctx *ctx = new_ctx();
    const vector_case one = vector_case_number(vector_find("analyses", "TV-WACC"), 0);
    const char *links[3] = {NULL}, *const others = "wurden gemeldet und";
    sentences given;
    ck_assert_int_eq(texts_of(vector_input(&one, "sources"), given.sources), 2);
    texts_of(vector_input(&one, "references"), given.references);
    texts_of(vector_input(&one, "hypotheses"), given.hypotheses);
    texts_of(vector_input(&one, "links"), links);
    links[2] = NULL;
    alcore_overlap *domain = new_overlap(ctx, TEST, 0);
    add(domain, TEST, ALCORE_SIDE_SOURCE, vector_input(&one, "sources"));
    ck_assert_int_eq(alcore_overlap_add(domain, OUTSIDE, ALCORE_SIDE_SOURCE, &others, NULL, 1),
                     ALCORE_OK);
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    ck_assert_int_eq(accuracy(ctx, &given, links, domain, &score), ALCORE_OK);
    ck_assert_int_eq(score.matched, vector_integer(vector_expected(&one, "matched")));
    ck_assert_int_eq(score.total, vector_integer(vector_expected(&one, "total")));
    ck_assert_int_eq(score.unlinked, vector_integer(vector_expected(&one, "unlinked")));
    ck_assert_double_eq_tol(score.accuracy, vector_double(vector_expected(&one, "accuracy")), 1e-9);
    ck_assert_int_eq(accuracy(ctx, &given, links, NULL, &score), ALCORE_OK);
    ck_assert_int_eq(score.total, 7); /* every word is in-domain */
    ck_assert_int_eq(score.matched, 5);
    alcore_length_ratio_result ratio = ALCORE_LENGTH_RATIO_RESULT_INIT;
#define RATIO(n, m)                                                                                \
    alcore_metric_compute_length_ratio(ctx, given.hypotheses, NULL, n, given.references, NULL, m,  \
                                       NULL, &ratio)
    ck_assert_int_eq(RATIO(2, 2), ALCORE_OK);
    ck_assert_double_eq_tol(ratio.ratio, vector_double(vector_expected(&one, "length_ratio")),
                            1e-12);
    ck_assert_int_eq(RATIO(1, 2), ALCORE_E_SHAPE);
    ck_assert_int_eq(RATIO(2, 1), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 2 of the hypotheses"));
    alcore_overlap_unref(domain);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A reference word that two links name counts once; copies are used up from left to right; links
 * point into their sentences. */
START_TEST(test_word_accuracy) {
    alcore_ctx *ctx = new_ctx();
    const sentences given = {{"x y z", "u v w"}, {"a a b", "c"}, {"a c", "c"}};
    const char *const doubled[] = {"0-0 1-0 1-1 1-2", "", NULL}, *const few[] = {"0-0", NULL};
    const char *const wrong[][3] = {{"0-0", "0-1", NULL}, {"3-0", "", NULL}, {"0-3", "", NULL}};
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    ck_assert_int_eq(accuracy(ctx, &given, doubled, NULL, &score), ALCORE_OK);
    ck_assert_int_eq(score.total, 3);
    ck_assert_int_eq(score.matched, 1);
    ck_assert_int_eq(score.unlinked, 1 + 3);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_int_eq(accuracy(ctx, &given, wrong[i], NULL, &score), ALCORE_E_DATA);
        ck_assert_ptr_nonnull(
            strstr(alcore_last_error(), i == 0 ? "line 2: the link 0-1" : "line 1: the link"));
    }
    ck_assert_int_eq(accuracy(ctx, &given, few, NULL, &score), ALCORE_E_SHAPE);
    ck_assert_int_eq(alcore_metric_compute_word_accuracy(ctx, NULL, NULL, 0, NULL, NULL, 0, NULL,
                                                         NULL, 0, NULL, NULL, &score),
                     ALCORE_E_INVALID);
    const sentences hole = {{"x", "y"}, {"a", "b"}, {"a", NULL}};
    const char *const none[] = {"", "", NULL};
    ck_assert_int_eq(accuracy(ctx, &hole, none, NULL, &score), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 2 of the hypotheses"));
    alcore_ctx_unref(ctx);
}
END_TEST

/* Overlap against BLEU over the rows of PHR Table 3 as printed: the correlations of the first rows,
 * for n-grams of one to four words. */
START_TEST(test_pearson_vectors) {
    alcore_ctx *ctx = new_ctx();
    const vector_case table = vector_case_number(vector_find("papers", "TV-PHR-TABLE3"), 0);
    const double *coverage = vector_doubles(vector_expected(&table, "coverage"), NULL);
    const double *bleu = vector_doubles(vector_expected(&table, "bleu"), NULL);
    const test_vector vector = vector_find("analyses", "TV-PEARSON");
    ck_assert_int_eq(vector_case_count(vector), 2);
    for (int64_t i = 0; i < 2; i++) {
        const vector_case one = vector_case_number(vector, i);
        const int64_t rows = vector_length(vector_input(&one, "rows"));
        double rho[4];
        for (int n = 0; n < 4; n++) {
            double x[MOST];
            alcore_pearson_result result = ALCORE_PEARSON_RESULT_INIT;
            for (int64_t row = 0; row < rows; row++) x[row] = coverage[4 * row + n];
            ck_assert_int_eq(alcore_metric_compute_pearson(ctx, x, rows, bleu, rows, NULL, &result),
                             ALCORE_OK);
            rho[n] = result.rho;
        }
        vector_near(rho, vector_expected(&one, "rho"), 1e-9);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- random texts ---- */

enum { TEXTS = 6, WORDS = 7, GRAMS = 3 * TEXTS * WORDS };

/* The n-grams of one role, as texts. */
typedef struct gram_list {
    char gram[GRAMS][64];
    int count;
} gram_list;

/* A text of up to WORDS words out of five. */
static void random_text(alcore__rng *rng, char *out) {
    const uint64_t words = alcore__rng_below(rng, WORDS + 1);
    *out = '\0';
    for (uint64_t i = 0; i < words; i++) {
        const char word[3] = {(char)('a' + alcore__rng_below(rng, 5)), ' ', '\0'};
        strcat(out, word);
    }
}

/* Words are one letter and a space, so that n words are 2 n bytes. */
static void list_grams(const char *text, size_t order, gram_list *list) {
    for (size_t i = 0; i + 2 * order <= strlen(text); i += 2) {
        memcpy(list->gram[list->count], text + i, 2 * order);
        list->gram[list->count++][2 * order] = '\0';
    }
}

static bool has(const gram_list *list, const char *gram) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->gram[i], gram) == 0) return true;
    return false;
}

/* n-grams of a list that stand there for the first time, and of those the ones that others have. */
static void count_types(const gram_list *list, const gram_list *others, int64_t *types,
                        int64_t *shared) {
    *types = *shared = 0;
    for (int i = 0; i < list->count; i++) {
        gram_list before = *list;
        before.count = i;
        if (has(&before, list->gram[i])) continue;
        ++*types;
        *shared += has(others, list->gram[i]);
    }
}

/* What the definition says of T (lists[2]) and the data, against what the library says. */
static void check_order(const alcore_overlap *overlap, const gram_list *lists, int32_t order,
                        int32_t data, bool kept) {
    gram_list s = {.count = 0};
    int64_t test_types, data_types, shared, reverse, tokens = 0;
    for (int role = 0; role < 2; role++)
        for (int i = 0; (data & ALCORE_OVERLAP_SELECTED << role) && i < lists[role].count; i++)
            strcpy(s.gram[s.count++], lists[role].gram[i]);
    count_types(&lists[2], &s, &test_types, &shared);
    count_types(&s, &lists[2], &data_types, &reverse);
    for (int i = 0; i < lists[2].count; i++) tokens += has(&s, lists[2].gram[i]);
    const alcore_coverage_result score = score_of(overlap, order, data);
    ck_assert_int_eq(score.test_types, test_types);
    ck_assert_int_eq(score.test_tokens, lists[2].count);
    ck_assert_int_eq(score.shared_types, shared);
    ck_assert_int_eq(score.shared_tokens, tokens);
    ck_assert_int_eq(score.data_types, kept ? data_types : -1);
    if (test_types == 0)
        ck_assert_double_nan(score.coverage);
    else
        ck_assert_double_eq(score.coverage, 100 * (double)shared / (double)test_types);
    if (!kept || data_types == 0)
        ck_assert_double_nan(score.precision);
    else
        ck_assert_double_eq(score.precision, 100 * (double)shared / (double)data_types);
}

START_TEST(test_overlap_twin) {
    alcore_ctx *ctx = new_ctx();
    alcore__rng rng;
    alcore__rng_seed(&rng, 11);
    for (int round = 0; round < 60; round++) {
        char texts[3][TEXTS][2 * WORDS + 1];
        const bool kept = round % 2 == 0;
        alcore_overlap *overlap = new_overlap(ctx, kept ? TEST | BOTH : 0, 0);
        for (int role = 2; role >= 0; role--)
            for (int i = 0; i < TEXTS; i++) {
                const char *text = texts[role][i];
                random_text(&rng, texts[role][i]);
                ck_assert_int_eq(alcore_overlap_add(overlap, ALCORE_OVERLAP_SELECTED << role,
                                                    ALCORE_SIDE_SOURCE, &text, NULL, 1),
                                 ALCORE_OK);
            }
        for (int32_t order = 1; order <= 4; order++) {
            static gram_list lists[3];
            for (int role = 0; role < 3; role++) {
                lists[role].count = 0;
                for (int i = 0; i < TEXTS; i++)
                    list_grams(texts[role][i], (size_t)order, &lists[role]);
            }
            for (int32_t data = SELECTED; data <= BOTH; data += SELECTED)
                check_order(overlap, lists, order, data, kept);
        }
        alcore_overlap_unref(overlap);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- files, orders, failures ---- */

START_TEST(test_files) {
    char path[TEST_PATH_BYTES];
    test_file_make(path, "overlap", "", "text\ttarget\na b\tx y\nb c\tz\n");
    alcore_ctx *ctx = new_ctx();
    alcore_overlap *overlap = new_overlap(ctx, 0, 0);
    const char *const test[] = {"a b c", "x z"}, *const rubbish = "\xFF"
                                                                  "a";
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    int64_t count = 9;
    options.format = ALCORE_FORMAT_TSV;
    ck_assert_int_eq(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, test, NULL, 2),
                     ALCORE_OK);
    ck_assert_int_eq(
        alcore_overlap_read(overlap, SELECTED, ALCORE_SIDE_SOURCE, path, &options, &count),
        ALCORE_OK);
    ck_assert_int_eq(count, 2);
    ck_assert_int_eq(score_of(overlap, 1, SELECTED).shared_types, 3);
    ck_assert_int_eq(score_of(overlap, 2, SELECTED).shared_types, 2);
    ck_assert_int_eq(score_of(overlap, 1, BOTH).test_types, 5);
    options.text_column = "target";
    ck_assert_int_eq(
        alcore_overlap_read(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, path, &options, NULL), ALCORE_OK);
    ck_assert_int_eq(score_of(overlap, 1, OUTSIDE).shared_types, 2);
    ck_assert_int_eq(score_of(overlap, 1, BOTH).shared_types, 5);
    /* A failure before the first text leaves everything as it was. */
    options.text_column = "nothing";
    ck_assert_int_ne(
        alcore_overlap_read(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, path, &options, &count),
        ALCORE_OK);
    ck_assert_int_eq(count, 0);
    ck_assert_int_eq(
        alcore_overlap_read(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, "/nowhere", NULL, NULL),
        ALCORE_E_IO);
    alcore_read_options pairs = ALCORE_READ_OPTIONS_INIT;
    pairs.references = path;
    ck_assert_int_eq(alcore_overlap_read(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, path, &pairs, NULL),
                     ALCORE_E_INVALID);
    pairs.references = NULL;
    pairs.language = "en";
    ck_assert_int_eq(alcore_overlap_read(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, path, &pairs, NULL),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_overlap_add(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, &rubbish, NULL, 1),
                     ALCORE_OK);
    ck_assert_int_eq(score_of(overlap, 1, BOTH).shared_types, 5);
    FILE *bad = fopen(path, "w");
    ck_assert(bad && fputs("good\nb \xFF\n", bad) >= 0 && fclose(bad) == 0);
    ck_assert_int_eq(alcore_overlap_read(overlap, OUTSIDE, ALCORE_SIDE_SOURCE, path, NULL, NULL),
                     ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), ":2: the text is not valid UTF-8 at byte 2"));
    alcore_overlap_unref(overlap);
    unlink(path);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_wrong_arguments) {
    alcore_ctx *ctx = new_ctx();
    const char *const texts[] = {"a", NULL};
    alcore_overlap_options options = {.size = sizeof options, .max_order = 17};
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    alcore_in_domain_result words = ALCORE_IN_DOMAIN_RESULT_INIT;
    alcore_overlap *overlap;
    ck_assert_int_eq(alcore_overlap_new(ctx, &options, &overlap), ALCORE_E_INVALID);
    ck_assert_ptr_null(overlap);
    options = (alcore_overlap_options){.size = sizeof options, .kept = 8};
    ck_assert_int_eq(alcore_overlap_new(ctx, &options, &overlap), ALCORE_E_INVALID);
    options = (alcore_overlap_options){.size = sizeof options, .tagged = 2};
    ck_assert_int_eq(alcore_overlap_new(ctx, &options, &overlap), ALCORE_E_INVALID);
    overlap = new_overlap(ctx, 0, 0);
    ck_assert_int_eq(alcore_overlap_add(overlap, BOTH, ALCORE_SIDE_SOURCE, texts, NULL, 1),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_overlap_add(overlap, TEST, 2, texts, NULL, 1), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, texts, NULL, 2),
                     ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "text 1 is NULL"));
    ck_assert_int_eq(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, texts, NULL, 1),
                     ALCORE_OK);
    ck_assert_int_eq(alcore_overlap_add(overlap, SELECTED, ALCORE_SIDE_SOURCE, texts, NULL, 1),
                     ALCORE_OK);
    ck_assert_int_eq(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, texts, NULL, 1),
                     ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "come before"));
    ck_assert_int_eq(
        alcore_overlap_compute_coverage(
            overlap, 5, OPTIONS_WITH(alcore_coverage_options, .data = SELECTED), &score),
        ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_overlap_compute_coverage(
                         overlap, 1, OPTIONS_WITH(alcore_coverage_options, .data = TEST), &score),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_overlap_compute_in_domain(overlap, NULL, &words), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "does not keep"));
    ck_assert_int_eq(score_of(overlap, 1, SELECTED).shared_types, 1);
    /* Cancelled in the middle: what was counted is half of it, so nothing more is answered. */
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore_overlap_add(overlap, SELECTED, ALCORE_SIDE_SOURCE, texts, NULL, 1),
                     ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(ctx);
    ck_assert_int_eq(score_of(overlap, 1, SELECTED).shared_types, 1);
    alcore_overlap_unref(overlap);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Cancels the context at the first text of a call. */
static int32_t cancel_now(void *user, const char *stage, int64_t done, int64_t total) {
    (void)done;
    (void)total;
    if (stage && strcmp(stage, "n-grams") == 0) alcore_ctx_cancel(*(alcore_ctx **)user);
    return ALCORE_OK;
}

START_TEST(test_cancelled_half_way) {
    alcore_ctx *ctx;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    const int64_t count = 4000000; /* a second of work; progress is called ten times a second */
    const char **texts = malloc((size_t)count * sizeof *texts);
    for (int64_t i = 0; i < count; i++) texts[i] = "a b c d e f g h";
    options.progress = cancel_now;
    options.progress_user = &ctx;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    alcore_overlap *overlap = new_overlap(ctx, 0, 0);
    ck_assert_int_eq(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, texts, NULL, count),
                     ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(ctx);
    ck_assert_int_eq(
        alcore_overlap_compute_coverage(
            overlap, 1, OPTIONS_WITH(alcore_coverage_options, .data = SELECTED), &score),
        ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "an earlier call"));
    ck_assert_int_eq(alcore_overlap_add(overlap, TEST, ALCORE_SIDE_SOURCE, texts, NULL, 1),
                     ALCORE_E_INVALID);
    free((void *)texts);
    alcore_overlap_unref(overlap);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("metric_overlap", test_overlap_vectors, test_side_vectors, test_in_domain_vectors,
            test_shares_of_table_5, test_word_accuracy_vectors, test_word_accuracy,
            test_pearson_vectors, test_overlap_twin, test_files, test_wrong_arguments,
            test_cancelled_half_way);
