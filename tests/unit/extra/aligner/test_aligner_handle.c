/* SPDX-License-Identifier: Apache-2.0 */
/* The public handles of the aligner and of links: they say what the engine says, in both
 * directions; arguments, options and arrays that are wrong; files. */
#include "check_suite.h"

#include <math.h>
#include <unistd.h>

#include "alcore/extra/aligner.h"
#include "aligner_bed.h"
#include "test_folder.h"

enum { PAIRS = 120 };

static bed_pairs make_pairs(void) {
    return bed_random_pairs(7, PAIRS, 25, 12);
}

/* The links of a handle are the engine's. */
static void assert_same(const alcore_links *handle, const alcore__links *engine) {
    alcore_tensor offsets, links;
    ck_assert_int_eq(alcore_links_get(handle, &offsets, &links), ALCORE_OK);
    ck_assert_int_eq(offsets.shape[0], engine->pairs + 1);
    ck_assert_int_eq(links.ndim, 2);
    ck_assert_int_eq(links.shape[0], engine->begin[engine->pairs]);
    ck_assert_int_eq(links.shape[1], 2);
    ck_assert_mem_eq(offsets.data, engine->begin, (size_t)offsets.shape[0] * sizeof(int64_t));
    ck_assert_mem_eq(links.data, engine->link, (size_t)links.shape[0] * sizeof(alcore__link));
}

static void assert_same_handles(const alcore_links *a, const alcore_links *b) {
    alcore_tensor offsets, links;
    ck_assert_int_eq(alcore_links_get(b, &offsets, &links), ALCORE_OK);
    const alcore__links engine = {
        .pairs = offsets.shape[0] - 1, .begin = offsets.data, .link = links.data};
    assert_same(a, &engine);
}

static alcore_aligner *train(alcore_ctx *ctx, const bed_pairs *p, int32_t direction) {
    alcore_aligner_options options = ALCORE_ALIGNER_OPTIONS_INIT;
    alcore_aligner *aligner;
    options.direction = direction;
    ck_assert_int_eq(alcore_aligner_new_trained(ctx, p->sources, NULL, p->targets, NULL, p->count,
                                                &options, &aligner),
                     ALCORE_OK);
    return aligner;
}

static alcore_links *links_of(const alcore_aligner *aligner) {
    alcore_links *links;
    ck_assert_int_eq(alcore_aligner_links(aligner, &links), ALCORE_OK);
    return links;
}

/* One direction of the handle beside the engine: links, log-likelihoods, probabilities, and the
 * same pairs as if they were others. */
static void assert_direction(alcore_ctx *ctx, const bed_pairs *p, bool reverse) {
    alcore__aligner *engine;
    alcore__links expected;
    ck_assert_int_eq(bed_train(ctx, reverse ? p->targets : p->sources,
                               reverse ? p->sources : p->targets, p->count, NULL, &engine),
                     ALCORE_OK);
    ck_assert_int_eq(alcore__aligner_links(engine, reverse, &expected), ALCORE_OK);
    alcore_aligner *aligner = train(ctx, p, ALCORE_DIRECTION_FORWARD + reverse);
    alcore_links *links = links_of(aligner), *applied;
    assert_same(links, &expected);
    ck_assert_int_gt(expected.begin[PAIRS], 100);
    ck_assert_int_eq(
        alcore_aligner_apply(aligner, p->sources, NULL, p->targets, NULL, p->count, &applied),
        ALCORE_OK);
    assert_same(applied, &expected);
    alcore_tensor values;
    int32_t count;
    ck_assert_int_eq(alcore_aligner_log_likelihoods(aligner, &values), ALCORE_OK);
    const double *likelihoods = alcore__aligner_log_likelihoods(engine, &count);
    ck_assert_int_eq(values.shape[0], count);
    ck_assert_mem_eq(values.data, likelihoods, (size_t)count * sizeof(double));
    ck_assert_double_eq(alcore_aligner_lambda(aligner), 4.0);
    double t;
    ck_assert_int_eq(alcore_aligner_probability(aligner, "s1", "t1", &t), ALCORE_OK);
    ck_assert_double_eq(t, reverse ? alcore__aligner_probability(engine, "t1", "s1")
                                   : alcore__aligner_probability(engine, "s1", "t1"));
    ck_assert_double_gt(t, 0.1);
    alcore_links_unref(applied);
    alcore_links_unref(links);
    alcore_aligner_unref(aligner);
    alcore__links_clear(ctx, &expected);
    alcore__aligner_free(engine);
}

START_TEST(both_directions_say_what_the_engine_says) {
    alcore_ctx *ctx = bed_ctx(2);
    bed_pairs p = make_pairs();
    assert_direction(ctx, &p, false);
    assert_direction(ctx, &p, true);
    bed_free_pairs(&p);
    alcore_ctx_unref(ctx);
}
END_TEST

/* alcore_align() is the two directions and their symmetrization, for every name and every number of
 * threads; its log-likelihoods are those of the two aligners. */
START_TEST(one_call_is_the_sum_of_its_parts) {
    bed_pairs p = make_pairs();
    for (int32_t threads = 1; threads <= 5; threads += 4) {
        alcore_ctx *ctx = bed_ctx(threads);
        alcore_aligner *aligners[2] = {train(ctx, &p, ALCORE_DIRECTION_FORWARD),
                                       train(ctx, &p, ALCORE_DIRECTION_REVERSE)};
        alcore_links *parts[2] = {links_of(aligners[0]), links_of(aligners[1])};
        const char *name;
        for (int64_t i = 0; (name = alcore_symmetrization_builtin_name(i)); i++) {
            alcore_links *expected, *found;
            double likelihoods[2][5];
            int64_t shape[2] = {2, 5};
            alcore_tensor out;
            ck_assert_int_eq(alcore_tensor_init(&out, likelihoods, ALCORE_FLOAT64, shape, 2),
                             ALCORE_OK);
            ck_assert_int_eq(alcore_links_symmetrize(parts[0], parts[1], name, &expected),
                             ALCORE_OK);
            ck_assert_int_eq(alcore_align(ctx, p.sources, NULL, p.targets, NULL, p.count, name,
                                          NULL, &out, &found),
                             ALCORE_OK);
            assert_same_handles(found, expected);
            for (int direction = 0; direction < 2; direction++) {
                const char *other = direction == 0 ? "reverse" : "forward";
                ck_assert_int_eq(alcore_aligner_log_likelihoods(aligners[direction], &out),
                                 ALCORE_OK);
                if (strcmp(name, other) == 0)
                    ck_assert(isnan(likelihoods[direction][0]) && isnan(likelihoods[direction][4]));
                else
                    ck_assert_mem_eq(likelihoods[direction], out.data, sizeof likelihoods[0]);
            }
            alcore_links_unref(found);
            alcore_links_unref(expected);
        }
        alcore_links *usual, *named;
        ck_assert_int_eq(alcore_links_symmetrize(parts[0], parts[1], NULL, &usual), ALCORE_OK);
        ck_assert_int_eq(alcore_links_symmetrize(parts[0], parts[1], "grow-diag-final-and", &named),
                         ALCORE_OK);
        assert_same_handles(usual, named);
        alcore_links_unref(usual);
        alcore_links_unref(named);
        for (int i = 0; i < 2; i++) {
            alcore_links_unref(parts[i]);
            alcore_aligner_unref(aligners[i]);
        }
        alcore_ctx_unref(ctx);
    }
    bed_free_pairs(&p);
}
END_TEST

/* Each option reaches the engine: something of the answer differs from the default's. */
START_TEST(every_option_counts) {
    alcore_ctx *ctx = bed_ctx(1);
    bed_pairs p = make_pairs();
    const alcore_aligner_options settings[] = {
        ALIGNER_WITH(.model = ALCORE_ALIGNER_IBM1),
        ALIGNER_WITH(.estimate = ALCORE_ESTIMATE_COUNTS),
        ALIGNER_WITH(.tension = ALCORE_TENSION_GRADIENT),
        ALIGNER_WITH(.tension = ALCORE_TENSION_PUBLIC),
        ALIGNER_WITH(.iterations = 4),
        {.size = sizeof settings[0], .p0 = 0.3, .lambda = ALCORE_UNSET, .alpha = ALCORE_UNSET},
        {.size = sizeof settings[0], .lambda = 1, .p0 = ALCORE_UNSET, .alpha = ALCORE_UNSET},
        {.size = sizeof settings[0], .alpha = 1, .p0 = ALCORE_UNSET, .lambda = ALCORE_UNSET},
        ALIGNER_WITH(.direction = ALCORE_DIRECTION_REVERSE),
    };
    enum { SETTINGS = sizeof settings / sizeof *settings };
    double last[SETTINGS + 1];
    for (int i = 0; i <= SETTINGS; i++) {
        alcore_aligner *aligner;
        alcore_tensor values;
        ck_assert_int_eq(alcore_aligner_new_trained(ctx, p.sources, NULL, p.targets, NULL, p.count,
                                                    i < SETTINGS ? &settings[i] : NULL, &aligner),
                         ALCORE_OK);
        ck_assert_int_eq(alcore_aligner_log_likelihoods(aligner, &values), ALCORE_OK);
        last[i] = ((const double *)values.data)[values.shape[0] - 1];
        const bool tight = i < SETTINGS && settings[i].tension != 0;
        if (tight) ck_assert_double_ne(alcore_aligner_lambda(aligner), 4.0);
        alcore_aligner_unref(aligner);
    }
    for (int i = 0; i <= SETTINGS; i++)
        for (int j = 0; j < i; j++) ck_assert_double_ne(last[i], last[j]);
    bed_free_pairs(&p);
    alcore_ctx_unref(ctx);
}
END_TEST

static void assert_refused(alcore_ctx *ctx, alcore_aligner_options options, alcore_status status,
                           const char *text) {
    const char *one = "a";
    alcore_aligner *aligner = (alcore_aligner *)&status;
    options.size = sizeof options;
    ck_assert_int_eq(alcore_aligner_new_trained(ctx, &one, NULL, &one, NULL, 1, &options, &aligner),
                     status);
    ck_assert_ptr_null(aligner);
    ck_assert_msg(strstr(alcore_last_error(), text), "'%s' in: %s", text, alcore_last_error());
}

START_TEST(options_out_of_range_are_refused) {
    alcore_ctx *ctx = bed_ctx(1);
    assert_refused(ctx, (alcore_aligner_options)ALIGNER_WITH(.direction = 2), ALCORE_E_PARAM,
                   "direction is 2");
    assert_refused(ctx, (alcore_aligner_options)ALIGNER_WITH(.model = -1), ALCORE_E_PARAM,
                   "model is -1");
    assert_refused(ctx, (alcore_aligner_options)ALIGNER_WITH(.estimate = 2), ALCORE_E_PARAM,
                   "estimate is 2");
    assert_refused(ctx, (alcore_aligner_options)ALIGNER_WITH(.tension = 3), ALCORE_E_PARAM,
                   "tension is 3");
    assert_refused(ctx, (alcore_aligner_options)ALIGNER_WITH(.iterations = -1), ALCORE_E_PARAM,
                   "1 to 1000");
    assert_refused(ctx, (alcore_aligner_options)ALIGNER_WITH(.iterations = 1001), ALCORE_E_PARAM,
                   "1 to 1000");
    assert_refused(ctx,
                   (alcore_aligner_options){.p0 = 1, .lambda = ALCORE_UNSET, .alpha = ALCORE_UNSET},
                   ALCORE_E_PARAM, "p0 is 1");
    assert_refused(
        ctx,
        (alcore_aligner_options){.p0 = INFINITY, .lambda = ALCORE_UNSET, .alpha = ALCORE_UNSET},
        ALCORE_E_PARAM, "p0 is");
    assert_refused(
        ctx, (alcore_aligner_options){.lambda = -1, .p0 = ALCORE_UNSET, .alpha = ALCORE_UNSET},
        ALCORE_E_PARAM, "lambda is -1");
    assert_refused(
        ctx, (alcore_aligner_options){.alpha = -1, .p0 = ALCORE_UNSET, .lambda = ALCORE_UNSET},
        ALCORE_E_PARAM, "alpha is -1");
    assert_refused(ctx,
                   (alcore_aligner_options){.alpha = 0, .p0 = ALCORE_UNSET, .lambda = ALCORE_UNSET},
                   ALCORE_E_PARAM, "alpha is 0");
    assert_refused(ctx, (alcore_aligner_options)ALIGNER_WITH(.reserved = 1), ALCORE_E_STRUCT_NEWER,
                   "reserved");
    assert_refused(ctx,
                   (alcore_aligner_options)ALIGNER_WITH(.model = ALCORE_ALIGNER_IBM1,
                                                        .tension = ALCORE_TENSION_GRADIENT),
                   ALCORE_E_PARAM, "diagonal");
    const char *one = "a";
    alcore_links *links = NULL;
    alcore_aligner_options reverse = ALCORE_ALIGNER_OPTIONS_INIT;
    reverse.direction = ALCORE_DIRECTION_REVERSE;
    ck_assert_int_eq(alcore_align(ctx, &one, NULL, &one, NULL, 1, NULL, &reverse, NULL, &links),
                     ALCORE_E_PARAM);
    ck_assert_int_eq(alcore_align(ctx, &one, NULL, &one, NULL, 1, "grow-dag", NULL, NULL, &links),
                     ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "grow-diag"));
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(wrong_arguments_are_refused) {
    alcore_ctx *ctx = bed_ctx(1);
    const char *two[2] = {"a b", NULL};
    alcore_aligner *aligner;
    alcore_links *links;
    alcore_tensor out;
    double t;
    ck_assert_int_eq(alcore_aligner_new_trained(ctx, two, NULL, two, NULL, 2, NULL, &aligner),
                     ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "sources[1] is NULL"));
    ck_assert_int_eq(alcore_aligner_new_trained(ctx, two, NULL, NULL, NULL, 1, NULL, &aligner),
                     ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "targets is NULL"));
    ck_assert_int_eq(alcore_aligner_new_trained(ctx, two, NULL, two, NULL, -1, NULL, &aligner),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_aligner_new_trained(NULL, two, NULL, two, NULL, 1, NULL, &aligner),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_align(NULL, two, NULL, two, NULL, 1, NULL, NULL, NULL, &links),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_aligner_links(NULL, &links), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_aligner_log_likelihoods(NULL, &out), ALCORE_E_INVALID);
    ck_assert_double_eq(alcore_aligner_lambda(NULL), 0);
    ck_assert_int_eq(alcore_aligner_new_trained(ctx, two, NULL, two, NULL, 1, NULL, &aligner),
                     ALCORE_OK);
    ck_assert_int_eq(alcore_aligner_probability(aligner, "a", NULL, &t), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_aligner_probability(aligner, NULL, "a", &t), ALCORE_OK);
    ck_assert_double_gt(t, 0);
    double small[4];
    int64_t shape[2] = {2, 2};
    ck_assert_int_eq(alcore_tensor_init(&out, small, ALCORE_FLOAT64, shape, 2), ALCORE_OK);
    ck_assert_int_eq(alcore_align(ctx, two, NULL, two, NULL, 1, NULL, NULL, &out, &links),
                     ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "[2, 5]"));
    ck_assert_int_eq(alcore_links_symmetrize(NULL, NULL, NULL, &links), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_links_get(NULL, &out, &out), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_links_write(NULL, "x"), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_links_open(ctx, "x", -2, &links), ALCORE_E_INVALID);
    ck_assert_ptr_null(alcore_symmetrization_builtin_name(-1));
    ck_assert_ptr_null(alcore_symmetrization_builtin_name(7));
    ck_assert_ptr_null(alcore_aligner_ref(NULL));
    alcore_links_unref(NULL);
    alcore_aligner_unref(aligner);
    alcore_ctx_unref(ctx);
}
END_TEST

/* No pairs, pairs without words on one side, and lengths in place of terminators. */
/* The work for a pair is the product of its numbers of words: documents are refused, with their
 * row, by training and by linking. */
START_TEST(documents_are_refused) {
    enum { WORDS = 4097 };
    static char document[2 * WORDS + 1];
    alcore_ctx *ctx = bed_ctx(1);
    alcore_aligner *aligner;
    alcore_links *links;
    for (int i = 0; i < WORDS; i++) memcpy(document + 2 * i, "a ", 3);
    const char *const sources[] = {"a b", document}, *const targets[] = {"c", document};
    const char *const names[] = {"row 1 (pair 2 of the input) has 4097 and 4097 words",
                                 "row 0 (pair 1 of the input) has 4097 and 4097 words"};
    ck_assert_int_eq(
        alcore_aligner_new_trained(ctx, sources, NULL, targets, NULL, 2, NULL, &aligner),
        ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), names[0]));
    ck_assert_int_eq(alcore_align(ctx, sources, NULL, targets, NULL, 2, NULL, NULL, NULL, &links),
                     ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(
        alcore_aligner_new_trained(ctx, sources, NULL, targets, NULL, 1, NULL, &aligner),
        ALCORE_OK);
    ck_assert_int_eq(alcore_aligner_apply(aligner, sources + 1, NULL, targets + 1, NULL, 1, &links),
                     ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), names[1]));
    /* One side may be long: 4097 words by one. */
    ck_assert_int_eq(alcore_aligner_apply(aligner, sources + 1, NULL, targets, NULL, 1, &links),
                     ALCORE_OK);
    alcore_links_unref(links);
    alcore_aligner_unref(aligner);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(empty_texts_have_no_links) {
    alcore_ctx *ctx = bed_ctx(2);
    const char *sources[3] = {"a bXX", NULL, " \t"}, *targets[3] = {"x yXX", "x", "y"};
    const size_t source_lengths[3] = {3, 0, 2}, target_lengths[3] = {3, 1, 1};
    alcore_links *links;
    alcore_tensor offsets, pairs;
    for (int64_t count = 0; count <= 3; count += 3) {
        ck_assert_int_eq(alcore_align(ctx, count ? sources : NULL, source_lengths,
                                      count ? targets : NULL, target_lengths, count, NULL, NULL,
                                      NULL, &links),
                         ALCORE_OK);
        ck_assert_int_eq(alcore_links_get(links, &offsets, &pairs), ALCORE_OK);
        const int64_t *begin = offsets.data;
        ck_assert_int_eq(offsets.shape[0], count + 1);
        ck_assert_int_eq(pairs.shape[0], count ? 2 : 0);
        for (int64_t i = 1; i <= count; i++) ck_assert_int_eq(begin[i], 2);
        alcore_links_unref(links);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- arrays and files ---- */

static alcore_status from_arrays(alcore_ctx *ctx, int64_t *offsets, int64_t bounds, int32_t *links,
                                 int64_t count, alcore_links **out) {
    alcore_tensor begin, numbers;
    int64_t shape[2] = {count, 2};
    ck_assert_int_eq(alcore_tensor_init(&begin, offsets, ALCORE_INT64, &bounds, 1), ALCORE_OK);
    ck_assert_int_eq(alcore_tensor_init(&numbers, links, ALCORE_INT32, shape, 2), ALCORE_OK);
    return alcore_links_new(ctx, &begin, &numbers, out);
}

static void assert_no_links(alcore_ctx *ctx, const int64_t offsets[3], const int32_t links[6],
                            alcore_status status, const char *text) {
    int64_t begin[3];
    int32_t numbers[6];
    alcore_links *out = (alcore_links *)begin;
    memcpy(begin, offsets, sizeof begin);
    memcpy(numbers, links, sizeof numbers);
    ck_assert_int_eq(from_arrays(ctx, begin, 3, numbers, 3, &out), status);
    ck_assert_ptr_null(out);
    ck_assert_msg(strstr(alcore_last_error(), text), "'%s' in: %s", text, alcore_last_error());
}

START_TEST(links_from_arrays) {
    alcore_ctx *ctx = bed_ctx(1);
    int64_t offsets[3] = {0, 2, 3};
    int32_t numbers[6] = {0, 0, 0, 2, 5, 1};
    alcore_links *links, *again;
    ck_assert_int_eq(from_arrays(ctx, offsets, 3, numbers, 3, &links), ALCORE_OK);
    const alcore__links expected = {.pairs = 2, .begin = offsets, .link = (alcore__link *)numbers};
    assert_same(links, &expected);
    again = alcore_links_ref(links);
    ck_assert_ptr_eq(again, links);
    alcore_links_unref(again);
    alcore_links_unref(links);
    int64_t none = 0;
    ck_assert_int_eq(from_arrays(ctx, &none, 1, NULL, 0, &links), ALCORE_OK);
    alcore_links_unref(links);
    ck_assert_int_eq(from_arrays(ctx, &none, 0, NULL, 0, &links), ALCORE_E_SHAPE);
    assert_no_links(ctx, (int64_t[]){1, 2, 3}, numbers, ALCORE_E_DATA, "the first is 1");
    assert_no_links(ctx, (int64_t[]){0, 2, 1}, numbers, ALCORE_E_DATA, "pair 1 has the links 2");
    assert_no_links(ctx, (int64_t[]){0, 9, 9}, numbers, ALCORE_E_DATA, "pair 0 has the links 0");
    assert_no_links(ctx, (int64_t[]){0, 1, 2}, numbers, ALCORE_E_SHAPE, "the last offset is 2");
    assert_no_links(ctx, offsets, (int32_t[]){0, 2, 0, 0, 5, 1}, ALCORE_E_DATA,
                    "pair 0 has 0-2 before 0-0");
    assert_no_links(ctx, offsets, (int32_t[]){0, 2, 0, 2, 5, 1}, ALCORE_E_DATA, "each once");
    assert_no_links(ctx, offsets, (int32_t[]){0, 0, 0, 2, -5, 1}, ALCORE_E_DATA,
                    "pair 1 has the word position -5");
    assert_no_links(ctx, offsets, (int32_t[]){0, 0, 0, 1 << 24, 5, 1}, ALCORE_E_DATA, "16777216");
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(files_give_the_links_back) {
    alcore_ctx *ctx = bed_ctx(1);
    char path[TEST_PATH_BYTES];
    test_file_make(path, "links", "", "");
    bed_pairs p = make_pairs();
    alcore_links *links, *read = NULL;
    ck_assert_int_eq(
        alcore_align(ctx, p.sources, NULL, p.targets, NULL, p.count, NULL, NULL, NULL, &links),
        ALCORE_OK);
    ck_assert_int_eq(alcore_links_write(links, path), ALCORE_OK);
    for (int64_t pairs = -1; pairs <= PAIRS; pairs += PAIRS + 1) {
        ck_assert_int_eq(alcore_links_open(ctx, path, pairs, &read), ALCORE_OK);
        assert_same_handles(read, links);
        alcore_links_unref(read);
    }
    ck_assert_int_eq(alcore_links_open(ctx, path, PAIRS - 1, &read), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "there are only 119 sentence pairs"));
    ck_assert_int_eq(alcore_links_open(ctx, path, PAIRS + 1, &read), ALCORE_E_DATA);
    ck_assert_ptr_null(read);
    ck_assert_int_eq(alcore_links_write(links, "/nowhere/links.txt"), ALCORE_E_IO);
    ck_assert_int_eq(alcore_links_write(links, "links.txt.gz"), ALCORE_E_UNSUPPORTED);
    ck_assert_str_eq(alcore_last_error(), "links.txt.gz: links are written uncompressed");
    unlink(path);
    bed_free_pairs(&p);
    alcore_links_unref(links);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("text/aligner_handle", both_directions_say_what_the_engine_says,
            one_call_is_the_sum_of_its_parts, every_option_counts, options_out_of_range_are_refused,
            wrong_arguments_are_refused, documents_are_refused, empty_texts_have_no_links,
            links_from_arrays, files_give_the_links_back);
