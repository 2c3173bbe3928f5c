/* SPDX-License-Identifier: Apache-2.0 */
/* TER: the vectors of the specification, sacreBLEU 2.6 on generated pairs (make_peer_cases.py),
 * lower case of every script, intervals, the same result on any number of threads, wrong arguments.
 */
#include "check_suite.h"

#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "text/letter_case.h"
#include "vectors.h"

static alcore_ctx *new_ctx(int32_t threads) {
    alcore_ctx *ctx;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = threads;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

/* Hypotheses and their references, set after set. */
typedef struct pairs {
    const char **hypotheses, **references; /* [count], [count * sets] */
    int64_t count, sets;
} pairs;

static alcore_ter_result ter_of(alcore_ctx *ctx, const pairs *p, const alcore_ter_options *options,
                                double *sentences) {
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    int64_t count = p->count;
    alcore_tensor tensor;
    if (sentences)
        ck_assert_int_eq(alcore_tensor_init(&tensor, sentences, ALCORE_FLOAT64, &count, 1),
                         ALCORE_OK);
    const alcore_status status =
        alcore_metric_compute_ter(ctx, p->hypotheses, NULL, p->count, p->references, NULL,
                                  p->count * p->sets, options, sentences ? &tensor : NULL, &score);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    return score;
}

/* hypotheses [n] and references [n][sets], lists of JSON. */
static pairs new_pairs(const json_t *hypotheses, const json_t *references) {
    pairs p = {.count = vector_length(hypotheses),
               .sets = vector_length(json_array_get(references, 0))};
    p.hypotheses = calloc((size_t)p.count, sizeof *p.hypotheses);
    p.references = calloc((size_t)(p.count * p.sets), sizeof *p.references);
    for (int64_t i = 0; i < p.count; i++) {
        p.hypotheses[i] = vector_text(json_array_get(hypotheses, (size_t)i));
        for (int64_t r = 0; r < p.sets; r++)
            p.references[r * p.count + i] =
                vector_text(json_array_get(json_array_get(references, (size_t)i), (size_t)r));
    }
    return p;
}

static void free_pairs(pairs *p) {
    free((void *)p->hypotheses);
    free((void *)p->references);
}

START_TEST(test_vectors) {
    alcore_ctx *ctx = new_ctx(0);
    const test_vector vector = vector_find("analyses", "TV-METRICS");
    int seen = 0;
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        if (!json_object_get(one.expected, "ter")) continue;
        pairs p = new_pairs(vector_input(&one, "hypotheses"), vector_input(&one, "references"));
        const alcore_ter_result score = ter_of(ctx, &p, NULL, NULL);
        ck_assert_double_eq_tol(score.ter, vector_double(vector_expected(&one, "ter")), 1e-9);
        if (json_object_get(one.expected, "edits"))
            ck_assert_int_eq(score.edits, vector_integer(vector_expected(&one, "edits")));
        free_pairs(&p);
        seen++;
    }
    ck_assert_int_eq(seen, 6);
    alcore_ctx_unref(ctx);
}
END_TEST

static json_t *read_cases(void) {
    json_error_t error;
    json_t *all = json_load_file(PEER_CASES, 0, &error);
    ck_assert_msg(all, "%s", error.text);
    return all;
}

/* Each row: with one and two references, then the same case-sensitive: edits, words, TER. */
START_TEST(test_sacrebleu_sentences) {
    alcore_ctx *ctx = new_ctx(0);
    json_t *all = read_cases(), *row;
    size_t i;
    ck_assert_int_ge(vector_length(json_object_get(all, "translations")), 300);
    json_array_foreach(json_object_get(all, "translations"), i, row) {
        const json_t *references = json_object_get(row, "references");
        const char *hypothesis = vector_text(json_object_get(row, "hypothesis"));
        const char *both[2] = {vector_text(json_array_get(references, 0)),
                               vector_text(json_array_get(references, 1))};
        for (int k = 0; k < 4; k++) {
            const json_t *expected = json_array_get(json_object_get(row, "ter"), (size_t)k);
            const alcore_ter_options options = {.size = sizeof options, .case_sensitive = k / 2};
            const pairs p = {&hypothesis, both, 1, k % 2 + 1};
            double sentence;
            const alcore_ter_result score = ter_of(ctx, &p, &options, &sentence);
            ck_assert_msg(score.edits == json_integer_value(json_array_get(expected, 0)),
                          "%s | %s | %s: %lld edits", hypothesis, both[0], both[1],
                          (long long)score.edits);
            ck_assert_double_eq_tol(score.reference_words,
                                    json_number_value(json_array_get(expected, 1)), 1e-9);
            ck_assert_double_eq_tol(sentence, json_number_value(json_array_get(expected, 2)), 1e-9);
            ck_assert_double_eq(sentence, score.ter);
        }
    }
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

/* All rows as one corpus, on one thread and on several. */
START_TEST(test_sacrebleu_corpus) {
    json_t *all = read_cases(), *hypotheses = json_array(), *references = json_array(), *row;
    const json_t *expected = json_object_get(all, "ter");
    size_t i;
    double first[2] = {0}, *sentences[2];
    json_array_foreach(json_object_get(all, "translations"), i, row) {
        json_array_append(hypotheses, json_object_get(row, "hypothesis"));
        json_array_append(references, json_object_get(row, "references"));
    }
    pairs p = new_pairs(hypotheses, references);
    for (int k = 0; k < 2; k++) {
        alcore_ctx *ctx = new_ctx(k == 0 ? 1 : 3);
        const alcore_ter_options options = {.size = sizeof options, .resamples = 50, .seed = 5};
        char buffer[160];
        sentences[k] = calloc((size_t)p.count, sizeof **sentences);
        const alcore_ter_result score = ter_of(ctx, &p, &options, sentences[k]);
        ck_assert_double_eq_tol(score.ter, vector_double(json_object_get(expected, "ter")), 1e-9);
        ck_assert(score.bootstrap_low < score.ter && score.ter < score.bootstrap_high);
        ck_assert(score.bootstrap_low < score.bootstrap_mean);
        if (k == 0) first[0] = score.bootstrap_low, first[1] = score.bootstrap_high;
        ck_assert_double_eq(score.bootstrap_low, first[0]);
        ck_assert_double_eq(score.bootstrap_high, first[1]);
        ck_assert_double_nan(ter_of(ctx, &p, NULL, NULL).bootstrap_mean);
        const char *signature = alcore_metric_ter_signature(2, NULL, buffer);
        const char *theirs = vector_text(json_object_get(expected, "signature"));
        const size_t same = (size_t)(strstr(theirs, "version:") - theirs);
        ck_assert_msg(strncmp(signature, theirs, same) == 0, "%s, not %s", signature, theirs);
        ck_assert_ptr_nonnull(strstr(alcore_metric_ter_signature(1, &options, buffer),
                                     "nrefs:1|bs:50|seed:5|case:lc|tok:tercom"));
        alcore_ctx_unref(ctx);
    }
    ck_assert_mem_eq(sentences[0], sentences[1], (size_t)p.count * sizeof **sentences);
    for (int k = 0; k < 2; k++) free(sentences[k]);
    free_pairs(&p);
    json_decref(hypotheses);
    json_decref(references);
    json_decref(all);
}
END_TEST

/* What the tables of one code point to another do not say. */
START_TEST(test_lower_case) {
    static const struct {
        int32_t from[6], to[6]; /* end with 0 */
    } cases[] = {
        {{'A', 'b', 'Z', '[', 0}, {'a', 'b', 'z', '[', 0}},
        {{0x130, 'X', 0}, {'i', 0x307, 'x', 0}},
        {{0x3A3, 0}, {0x3C3, 0}},                                   /* no word before it */
        {{0x391, 0x3A3, 0}, {0x3B1, 0x3C2, 0}},                     /* at the end of a word */
        {{0x391, 0x3A3, 0x391, 0}, {0x3B1, 0x3C3, 0x3B1, 0}},       /* inside a word */
        {{0x391, '.', 0x3A3, '.', 0}, {0x3B1, '.', 0x3C2, '.', 0}}, /* marks are skipped */
        {{0x391, 0x3A3, 0x301, 'b', 0}, {0x3B1, 0x3C3, 0x301, 'b', 0}},
        {{'1', 0x3A3, 0}, {'1', 0x3C3, 0}},
        {{0x24B6, 0x3A3, 0}, {0x24D0, 0x3C2, 0}}, /* a circled letter has case */
        {{0x1C5, 0x1E9E, 0}, {0x1C6, 0xDF, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t out[12];
        size_t length = 0, expected = 0;
        while (cases[i].from[length]) length++;
        while (cases[i].to[expected]) expected++;
        ck_assert_uint_eq(alcore__lower_case(cases[i].from, length, out), expected);
        ck_assert_mem_eq(out, cases[i].to, expected * sizeof *out);
    }
}
END_TEST

START_TEST(test_odd_texts) {
    alcore_ctx *ctx = new_ctx(0);
    const char *empty[2] = {"", " \t"}, *words[2] = {"a b", "c"};
    double sentences[2];
    ck_assert_double_eq(ter_of(ctx, &(pairs){empty, empty, 2, 1}, NULL, sentences).ter, 0);
    ck_assert_double_eq(ter_of(ctx, &(pairs){words, empty, 2, 1}, NULL, sentences).ter, 100);
    ck_assert_double_eq(ter_of(ctx, &(pairs){empty, words, 2, 1}, NULL, sentences).ter, 100);
    ck_assert_double_eq(sentences[1], 100);
    ck_assert_double_eq(ter_of(ctx, &(pairs){words, words, 0, 1}, NULL, NULL).ter, 0);
    const char *rubbish = "\xFF\xC3 a \x80", *repaired = "\xEF\xBF\xBD\xEF\xBF\xBD A \xEF\xBF\xBD";
    ck_assert_int_eq(ter_of(ctx, &(pairs){&rubbish, &repaired, 1, 1}, NULL, NULL).edits, 0);
    /* Lengths that differ fiftyfold, and a line of many words. */
    char *line = calloc(1, 60001);
    for (int i = 0; i < 30000; i++) memcpy(line + 2 * i, i % 3 == 0 ? "a " : "b ", 2);
    const char *given[2] = {line, "a b a"};
    ck_assert_int_eq(ter_of(ctx, &(pairs){given, given + 1, 1, 1}, NULL, NULL).edits, 29997);
    ck_assert_int_eq(ter_of(ctx, &(pairs){given + 1, given, 1, 1}, NULL, NULL).edits, 29997);
    ck_assert_int_eq(ter_of(ctx, &(pairs){given, given, 1, 1}, NULL, NULL).edits, 0);
    free(line);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_wrong_arguments) {
    alcore_ctx *ctx = new_ctx(0);
    const char *const lines[] = {"a", "b", "c"};
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    char buffer[160];
#define TER(n, m, o) alcore_metric_compute_ter(ctx, lines, NULL, n, lines, NULL, m, o, NULL, &score)
    ck_assert_int_eq(TER(3, 2, NULL), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 3 of the hypotheses"));
    alcore_ter_options options = {.size = sizeof options, .case_sensitive = 2};
    ck_assert_int_eq(TER(1, 1, &options), ALCORE_E_INVALID);
    ck_assert_ptr_null(alcore_metric_ter_signature(1, &options, buffer));
    options = (alcore_ter_options){.size = sizeof options, .reserved = 1};
    ck_assert_int_eq(TER(1, 1, &options), ALCORE_E_STRUCT_NEWER);
    options = (alcore_ter_options){.size = sizeof options, .resamples = 1000001};
    ck_assert_int_eq(TER(1, 1, &options), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "resamples"));
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("metric_ter", test_vectors, test_sacrebleu_sentences, test_sacrebleu_corpus,
            test_lower_case, test_odd_texts, test_wrong_arguments);
