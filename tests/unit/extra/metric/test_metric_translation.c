/* SPDX-License-Identifier: Apache-2.0 */
/* BLEU and chrF: the vectors of the specification, sacreBLEU 2.6 on generated pairs of many scripts
 * (make_sacrebleu_pairs.py), wrong arguments, malformed text, intervals, failing memory, cancel. */
#include "check_suite.h"

#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "fault_allocator.h"
#include "text/bleu_tokens.h"
#include "text/utf8.h"
#include "vectors.h"

#define MOST_TEXTS 64
static const char *const TOKENIZERS[] = {"13a", "intl", "char", "zh", "none"};
static const char *const SMOOTHINGS[] = {"exp", "floor", "add-k", "none"};

static int32_t index_of(const char *const *names, const char *name) {
    int32_t i = 0;
    while (strcmp(names[i], name) != 0) i++;
    return i;
}

static alcore_ctx *new_ctx(void) {
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    return ctx;
}

/* Hypotheses and their references, set after set. */
typedef struct texts {
    const char *hypotheses[MOST_TEXTS], *references[2 * MOST_TEXTS];
    int64_t count, sets;
} texts;

/* The tensor of scores [*count], or NULL where none are wanted. */
static const alcore_tensor *score_tensor(double *scores, int64_t *count, alcore_tensor *out) {
    if (!scores) return NULL;
    ck_assert_int_eq(alcore_tensor_init(out, scores, ALCORE_FLOAT64, count, 1), ALCORE_OK);
    return out;
}

static alcore_bleu_result bleu_of(alcore_ctx *ctx, const texts *t,
                                  const alcore_bleu_options *options, double *sentences) {
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    int64_t count = t->count;
    alcore_tensor tensor;
    const alcore_status status = alcore_metric_compute_bleu(
        ctx, t->hypotheses, NULL, t->count, t->references, NULL, t->count * t->sets, options,
        score_tensor(sentences, &count, &tensor), &score);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    return score;
}

static alcore_chrf_result chrf_of(alcore_ctx *ctx, const texts *t,
                                  const alcore_chrf_options *options, double *sentences) {
    alcore_chrf_result score = ALCORE_CHRF_RESULT_INIT;
    int64_t count = t->count;
    alcore_tensor tensor;
    const alcore_status status = alcore_metric_compute_chrf(
        ctx, t->hypotheses, NULL, t->count, t->references, NULL, t->count * t->sets, options,
        score_tensor(sentences, &count, &tensor), &score);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    return score;
}

/* ---- vectors ---- */

/* hypotheses [n], references [n][sets] of a case. */
static texts case_texts(const vector_case *one) {
    const json_t *hypotheses = vector_input(one, "hypotheses");
    const json_t *references = vector_input(one, "references");
    texts t = {.count = vector_length(hypotheses)};
    t.sets = vector_length(json_array_get(references, 0));
    for (int64_t i = 0; i < t.count; i++) {
        t.hypotheses[i] = vector_text(json_array_get(hypotheses, (size_t)i));
        for (int64_t r = 0; r < t.sets; r++)
            t.references[r * t.count + i] =
                vector_text(json_array_get(json_array_get(references, (size_t)i), (size_t)r));
    }
    return t;
}

static void check_bleu_case(alcore_ctx *ctx, const vector_case *one) {
    const texts t = case_texts(one);
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    double sentences[MOST_TEXTS];
    if (vector_has_input(one, "tokenizer"))
        options.tokenizer =
            ALCORE_BLEU_13A + index_of(TOKENIZERS, vector_text(vector_input(one, "tokenizer")));
    if (vector_has_input(one, "smoothing"))
        options.smoothing = ALCORE_BLEU_SMOOTH_EXP +
                            index_of(SMOOTHINGS, vector_text(vector_input(one, "smoothing")));
    const alcore_bleu_result score = bleu_of(ctx, &t, &options, sentences);
    if (json_object_get(one->expected, "sentence_bleu")) {
        vector_near(sentences, vector_expected(one, "sentence_bleu"), 1e-9);
        return;
    }
    vector_equal(score.matches, vector_expected(one, "matches"));
    vector_equal(score.totals, vector_expected(one, "totals"));
    vector_near(score.precisions, vector_expected(one, "precisions"), 1e-9);
    ck_assert_int_eq(score.hypothesis_tokens, vector_integer(vector_expected(one, "hyp_len")));
    ck_assert_int_eq(score.reference_tokens, vector_integer(vector_expected(one, "ref_len")));
    ck_assert_double_eq_tol(score.brevity_penalty, vector_double(vector_expected(one, "bp")),
                            1e-12);
    ck_assert_double_eq_tol(score.bleu, vector_double(vector_expected(one, "bleu")), 1e-9);
}

START_TEST(test_bleu_vectors) {
    alcore_ctx *ctx = new_ctx();
    static const char *const names[] = {"TV-BLEU", "TV-BLEU2"};
    for (int v = 0; v < 2; v++) {
        const test_vector vector = vector_find("analyses", names[v]);
        ck_assert_int_gt(vector_case_count(vector), 0);
        for (int64_t i = 0; i < vector_case_count(vector); i++) {
            const vector_case one = vector_case_number(vector, i);
            check_bleu_case(ctx, &one);
        }
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* The tokens of a text with single spaces between them. */
static void write_tokens(alcore_ctx *ctx, const char *text, int32_t tokenizer,
                         alcore__buffer *out) {
    alcore__token_lines lines = {.ctx = ctx};
    size_t place = 0, begin;
    char bytes[4];
    ck_assert_int_eq(alcore__token_lines_read(&lines, text, strlen(text)), ALCORE_OK);
    ck_assert_int_eq(alcore__token_lines_cut(&lines, tokenizer), ALCORE_OK);
    while (alcore__token_lines_next(&lines, &place, &begin)) {
        if (out->length > 0) ck_assert_int_eq(alcore__buffer_append(ctx, out, " ", 1), ALCORE_OK);
        for (; begin < place; begin++) {
            const size_t length = alcore__utf8_write(lines.line[begin], bytes);
            ck_assert_int_eq(alcore__buffer_append(ctx, out, bytes, length), ALCORE_OK);
        }
    }
    alcore__token_lines_clear(&lines);
}

START_TEST(test_tokenizer_vectors) {
    alcore_ctx *ctx = new_ctx();
    const test_vector vector = vector_find("analyses", "TV-TOKENIZERS");
    ck_assert_int_eq(vector_case_count(vector), 5);
    for (int64_t i = 0; i < 5; i++) {
        const vector_case one = vector_case_number(vector, i);
        const json_t *lines = vector_input(&one, "lines");
        for (int64_t k = 0; k < vector_length(lines); k++) {
            alcore__buffer tokens = {0};
            write_tokens(ctx, vector_text(json_array_get(lines, (size_t)k)),
                         index_of(TOKENIZERS, one.name), &tokens);
            ck_assert_str_eq(tokens.data, vector_text(json_array_get(
                                              vector_expected(&one, "tokens"), (size_t)k)));
            alcore__buffer_clear(ctx, &tokens);
        }
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_chrf_vectors) {
    static const char *const names[] = {"corpus", "two references"};
    static const char *const keys[] = {"chrf", "chrf++", "chrf whitespace"};
    alcore_ctx *ctx = new_ctx();
    const test_vector vector = vector_find("analyses", "TV-METRICS");
    for (int i = 0; i < 2; i++) {
        const vector_case one = vector_case_named(vector, names[i]);
        const texts t = case_texts(&one);
        for (int k = 0; k < 3 - i; k++) { /* the second case has no white space */
            alcore_chrf_options options = ALCORE_CHRF_OPTIONS_INIT;
            options.word_order = k == 1 ? 2 : 0;
            options.whitespace = k == 2;
            ck_assert_double_eq_tol(chrf_of(ctx, &t, &options, NULL).chrf,
                                    vector_double(vector_expected(&one, keys[k])), 1e-9);
        }
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- sacreBLEU ---- */

static json_t *read_pairs(void) {
    json_error_t error;
    json_t *all = json_load_file(SACREBLEU_PAIRS, 0, &error);
    ck_assert_msg(all, "%s", error.text);
    return all;
}

static texts pair_texts(const json_t *all, int64_t first, int64_t count, int64_t sets) {
    texts t = {.count = count, .sets = sets};
    for (int64_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(json_object_get(all, "pairs"), (size_t)(first + i));
        t.hypotheses[i] = vector_text(json_object_get(pair, "hypothesis"));
        for (int64_t r = 0; r < sets; r++)
            t.references[r * count + i] =
                vector_text(json_array_get(json_object_get(pair, "references"), (size_t)r));
    }
    return t;
}

/* counts: matches [4], totals [4], tokens of hypotheses, tokens of references. */
static void check_counts(const alcore_bleu_result *score, const json_t *counts) {
    int64_t got[10];
    memcpy(got, score->matches, sizeof score->matches);
    memcpy(got + 4, score->totals, sizeof score->totals);
    got[8] = score->hypothesis_tokens;
    got[9] = score->reference_tokens;
    for (size_t i = 0; i < 10; i++)
        ck_assert_int_eq(got[i], json_integer_value(json_array_get(counts, i)));
}

START_TEST(test_sacrebleu_sentences) {
    alcore_ctx *ctx = new_ctx();
    json_t *all = read_pairs();
    const int64_t count = vector_length(json_object_get(all, "pairs"));
    ck_assert_int_ge(count, 200);
    for (int64_t i = 0; i < count; i++) {
        const texts t = pair_texts(all, i, 1, 1);
        const json_t *pair = json_array_get(json_object_get(all, "pairs"), (size_t)i);
        double sentence;
        for (int32_t tokenizer = 0; tokenizer < 5; tokenizer++) {
            const json_t *expected =
                json_object_get(json_object_get(pair, "bleu"), TOKENIZERS[tokenizer]);
            alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
            options.tokenizer = ALCORE_BLEU_13A + tokenizer;
            const alcore_bleu_result score = bleu_of(ctx, &t, &options, &sentence);
            check_counts(&score, expected);
            ck_assert_double_eq_tol(sentence, json_number_value(json_array_get(expected, 10)),
                                    1e-9);
        }
        for (int k = 0; k < 3; k++) {
            alcore_chrf_options options = ALCORE_CHRF_OPTIONS_INIT;
            options.word_order = k == 1 ? 2 : 0;
            options.whitespace = k == 2;
            const double chrf = chrf_of(ctx, &t, &options, &sentence).chrf;
            ck_assert_double_eq_tol(
                chrf, json_number_value(json_array_get(json_object_get(pair, "chrf"), (size_t)k)),
                1e-9);
            ck_assert_double_eq(sentence, chrf);
        }
    }
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Everything before the version is sacreBLEU's. */
static void check_signature(const char *got, const json_t *row) {
    const char *expected = vector_text(json_object_get(row, "signature"));
    const size_t length = (size_t)(strstr(expected, "version:") - expected);
    ck_assert_ptr_nonnull(got);
    ck_assert_msg(strncmp(got, expected, length) == 0, "%s, expected %s", got, expected);
    ck_assert_int_eq(strncmp(got + length, "version:alcore-", 15), 0);
}

static void check_corpus(alcore_ctx *ctx, const json_t *all, const json_t *corpus) {
    const int64_t first = vector_integer(json_object_get(corpus, "first"));
    const int64_t count = vector_integer(json_object_get(corpus, "count"));
    char buffer[160];
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(corpus, "bleu"), i, row) {
        const texts t = pair_texts(all, first, count, vector_integer(json_object_get(row, "sets")));
        alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
        options.tokenizer =
            ALCORE_BLEU_13A + index_of(TOKENIZERS, vector_text(json_object_get(row, "tokenizer")));
        options.smoothing = ALCORE_BLEU_SMOOTH_EXP +
                            index_of(SMOOTHINGS, vector_text(json_object_get(row, "smoothing")));
        const alcore_bleu_result score = bleu_of(ctx, &t, &options, NULL);
        check_counts(&score, json_object_get(row, "counts"));
        vector_near(score.precisions, json_object_get(row, "precisions"), 1e-9);
        ck_assert_double_eq_tol(score.bleu, vector_double(json_object_get(row, "bleu")), 1e-9);
        ck_assert_double_eq_tol(score.brevity_penalty, vector_double(json_object_get(row, "bp")),
                                1e-12);
        check_signature(alcore_metric_bleu_signature(t.sets, &options, buffer), row);
    }
    json_array_foreach(json_object_get(corpus, "chrf"), i, row) {
        const texts t = pair_texts(all, first, count, vector_integer(json_object_get(row, "sets")));
        alcore_chrf_options options = ALCORE_CHRF_OPTIONS_INIT;
        options.word_order = (int32_t)vector_integer(json_object_get(row, "order"));
        ck_assert_double_eq_tol(chrf_of(ctx, &t, &options, NULL).chrf,
                                vector_double(json_object_get(row, "chrf")), 1e-9);
        check_signature(alcore_metric_chrf_signature(t.sets, &options, buffer), row);
    }
}

START_TEST(test_sacrebleu_corpora) {
    alcore_ctx *ctx = new_ctx();
    json_t *all = read_pairs(), *corpus;
    size_t i;
    ck_assert_int_ge(vector_length(json_object_get(all, "corpora")), 5);
    json_array_foreach(json_object_get(all, "corpora"), i, corpus) {
        check_corpus(ctx, all, corpus);
    }
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- odd arguments and texts ---- */

/* A tensor of sentence scores that is not float64 [texts] is refused and left as it was. lines: two
 * texts or more. */
static void check_wrong_scores(alcore_ctx *ctx, const char *const *lines) {
    const struct {
        int32_t dtype;
        int64_t count;
    } wrong[] = {{ALCORE_FLOAT64, 1}, {ALCORE_FLOAT64, 3}, {ALCORE_FLOAT32, 2}, {ALCORE_INT64, 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double room[3] = {9, 9, 9};
        int64_t count = wrong[i].count;
        alcore_tensor tensor;
        alcore_bleu_result bleu = ALCORE_BLEU_RESULT_INIT;
        alcore_chrf_result chrf = ALCORE_CHRF_RESULT_INIT;
        ck_assert_int_eq(alcore_tensor_init(&tensor, room, wrong[i].dtype, &count, 1), ALCORE_OK);
        ck_assert_int_eq(
            alcore_metric_compute_bleu(ctx, lines, NULL, 2, lines, NULL, 2, NULL, &tensor, &bleu),
            ALCORE_E_SHAPE);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "sentence_scores"));
        ck_assert_int_eq(
            alcore_metric_compute_chrf(ctx, lines, NULL, 2, lines, NULL, 2, NULL, &tensor, &chrf),
            ALCORE_E_SHAPE);
        for (int k = 0; k < 3; k++) ck_assert_double_eq(room[k], 9);
    }
}

START_TEST(test_wrong_arguments) {
    alcore_ctx *ctx = new_ctx();
    const char *const lines[] = {"a", "b", "c", "d", "e"}, *const hole[] = {"a", NULL};
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    char buffer[160];
#define BLEU(h, n, r, m, o) alcore_metric_compute_bleu(ctx, h, NULL, n, r, NULL, m, o, NULL, &score)
    ck_assert_int_eq(BLEU(lines, 3, lines, 2, NULL), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 3 of the hypotheses"));
    ck_assert_int_eq(BLEU(lines, 3, lines, 4, NULL), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 1 of set 2 of the references"));
    ck_assert_int_eq(BLEU(lines, 0, lines, 1, NULL), ALCORE_E_SHAPE);
    ck_assert_int_eq(BLEU(lines, 2, hole, 2, NULL), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 2 has no reference"));
    ck_assert_int_eq(BLEU(lines, 1, hole, 2, NULL), ALCORE_OK);
    ck_assert_int_eq(BLEU(hole, 2, lines, 2, NULL), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "line 2 of the hypotheses"));
    ck_assert_int_eq(BLEU(NULL, 2, lines, 2, NULL), ALCORE_E_INVALID);
    options.tokenizer = 5;
    ck_assert_int_eq(BLEU(lines, 1, lines, 1, &options), ALCORE_E_INVALID);
    ck_assert_ptr_null(alcore_metric_bleu_signature(1, &options, buffer));
    options = (alcore_bleu_options){.size = sizeof options, .smoothing_value = INFINITY};
    ck_assert_int_eq(BLEU(lines, 1, lines, 1, &options), ALCORE_E_INVALID);
    options = (alcore_bleu_options){.size = sizeof options, .smoothing_value = 1};
    ck_assert_int_eq(BLEU(lines, 1, lines, 1, &options), ALCORE_E_INVALID);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "smoothing_value is of"));
    options = (alcore_bleu_options){
        .size = sizeof options, .reserved = 1, .smoothing_value = ALCORE_UNSET};
    ck_assert_int_eq(BLEU(lines, 1, lines, 1, &options), ALCORE_E_STRUCT_NEWER);
    options = (alcore_bleu_options){
        .size = sizeof options, .resamples = -1, .smoothing_value = ALCORE_UNSET};
    ck_assert_int_eq(BLEU(lines, 1, lines, 1, &options), ALCORE_E_INVALID);
    score.size = 0;
    ck_assert_int_eq(BLEU(lines, 1, lines, 1, NULL), ALCORE_E_STRUCT_UNSET);
    check_wrong_scores(ctx, lines);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Nothing to compare, empty texts, rubbish bytes, a long line: a score of 0 or 100, never a crash.
 */
START_TEST(test_odd_texts) {
    alcore_ctx *ctx = new_ctx();
    texts t = {.count = 0, .sets = 1};
    ck_assert_double_eq(bleu_of(ctx, &t, NULL, NULL).bleu, 0);
    ck_assert_double_eq(chrf_of(ctx, &t, NULL, NULL).chrf, 0);
    t = (texts){{"", " \t"}, {"", "\n"}, 2, 1};
    ck_assert_double_eq(bleu_of(ctx, &t, NULL, NULL).bleu, 0);
    ck_assert_double_eq(chrf_of(ctx, &t, NULL, NULL).chrf, 0);
    t = (texts){{"\xFF\xC3 a b c \x80"}, {"\xEF\xBF\xBD\xEF\xBF\xBD a b c \xEF\xBF\xBD"}, 1, 1};
    ck_assert_double_eq_tol(bleu_of(ctx, &t, NULL, NULL).bleu, 100, 1e-9);
    ck_assert_double_eq_tol(chrf_of(ctx, &t, NULL, NULL).chrf, 100, 1e-9);
    const size_t length = 200000;
    char *line = malloc(length + 1);
    for (size_t i = 0; i < length; i++) line[i] = i % 7 == 6 ? ' ' : (char)('a' + i * i % 23);
    line[length] = '\0';
    t = (texts){{line}, {line}, 1, 1};
    const alcore_bleu_result score = bleu_of(ctx, &t, NULL, NULL);
    ck_assert_int_eq(score.matches[3], score.totals[3]);
    ck_assert_double_eq_tol(score.bleu, 100, 1e-9);
    ck_assert_double_eq_tol(chrf_of(ctx, &t, NULL, NULL).chrf, 100, 1e-9);
    free(line);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_bootstrap_vectors) {
    alcore_ctx *ctx = new_ctx();
    const test_vector vector = vector_find("analyses", "TV-BOOTSTRAP");
    ck_assert_int_eq(vector_case_count(vector), 2);
    for (int64_t i = 0; i < 2; i++) {
        const vector_case one = vector_case_number(vector, i);
        const texts t = case_texts(&one);
        alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
        options.resamples = vector_integer(vector_input(&one, "resamples"));
        options.seed = (uint64_t)vector_integer(vector_input(&one, "seed"));
        const alcore_bleu_result score = bleu_of(ctx, &t, &options, NULL);
        ck_assert_double_eq_tol(score.bootstrap_mean, vector_double(vector_expected(&one, "mean")),
                                1e-9);
        ck_assert_double_eq_tol(score.bootstrap_low, vector_double(vector_expected(&one, "low")),
                                1e-9);
        ck_assert_double_eq_tol(score.bootstrap_high, vector_double(vector_expected(&one, "high")),
                                1e-9);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* The interval encloses its mean, is the same for a seed and another one for another. */
START_TEST(test_bootstrap) {
    alcore_ctx *ctx = new_ctx();
    json_t *all = read_pairs();
    const texts t = pair_texts(all, 0, 24, 1);
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    alcore_chrf_options chrf = ALCORE_CHRF_OPTIONS_INIT;
    ck_assert_double_nan(bleu_of(ctx, &t, &options, NULL).bootstrap_low);
    options.resamples = chrf.resamples = 200;
    const alcore_bleu_result one = bleu_of(ctx, &t, &options, NULL);
    const alcore_bleu_result again = bleu_of(ctx, &t, &options, NULL);
    ck_assert_double_eq(one.bootstrap_low, again.bootstrap_low);
    ck_assert_double_eq(one.bootstrap_high, again.bootstrap_high);
    ck_assert(one.bootstrap_low < one.bootstrap_mean && one.bootstrap_mean < one.bootstrap_high);
    ck_assert(one.bootstrap_low < one.bleu && one.bleu < one.bootstrap_high);
    options.seed = 1;
    ck_assert_double_ne(bleu_of(ctx, &t, &options, NULL).bootstrap_mean, one.bootstrap_mean);
    const alcore_chrf_result score = chrf_of(ctx, &t, &chrf, NULL);
    ck_assert(score.bootstrap_low < score.chrf && score.chrf < score.bootstrap_high);
    json_decref(all);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_failing_memory) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 0);
    const texts t = {{"a b c d e", "x"}, {"a b c d f", "y", "b", "z"}, 2, 2};
    const alcore_bleu_options bleu = {
        .size = sizeof bleu, .resamples = 3, .smoothing_value = ALCORE_UNSET};
    const alcore_chrf_options chrf = {.size = sizeof chrf, .word_order = 2, .resamples = 3};
    bleu_of(ctx, &t, NULL, NULL); /* starts the threads, which stay with the context */
    for (int which = 0; which < 2; which++) {
        const long long live = atomic_load(&fault.live_bytes);
        for (long long k = 1;; k++) {
            alcore_bleu_result one = ALCORE_BLEU_RESULT_INIT;
            alcore_chrf_result two = ALCORE_CHRF_RESULT_INIT;
            fault_arm(&fault, k, 0);
            const alcore_status status =
                which == 0 ? alcore_metric_compute_bleu(ctx, t.hypotheses, NULL, 2, t.references,
                                                        NULL, 4, &bleu, NULL, &one)
                           : alcore_metric_compute_chrf(ctx, t.hypotheses, NULL, 2, t.references,
                                                        NULL, 4, &chrf, NULL, &two);
            const bool failed = atomic_load(&fault.failures) > 0;
            fault_arm(&fault, 0, 0);
            ck_assert_int_eq(status, failed ? ALCORE_E_NOMEM : ALCORE_OK);
            ck_assert_int_eq(atomic_load(&fault.live_bytes), live);
            if (!failed) {
                ck_assert_int_gt(k, 5);
                break;
            }
        }
    }
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(atomic_load(&fault.live_bytes), 0);
}
END_TEST

/* A call whose context is cancelled half-way, from progress, stops with nothing filled in. */
static int32_t cancel_later(void *user, const char *stage, int64_t done, int64_t total) {
    (void)stage;
    (void)done;
    (void)total;
    alcore_ctx_cancel(*(alcore_ctx **)user);
    return ALCORE_OK;
}

START_TEST(test_cancel) {
    alcore_ctx *ctx;
    alcore_ctx_options context = ALCORE_CTX_OPTIONS_INIT;
    context.progress = cancel_later;
    context.progress_user = &ctx;
    ck_assert_int_eq(alcore_ctx_new(&context, &ctx), ALCORE_OK);
    texts t = {.count = MOST_TEXTS, .sets = 1};
    for (int i = 0; i < MOST_TEXTS; i++) t.hypotheses[i] = t.references[i] = "a b c d e";
    const alcore_bleu_options options = {
        .size = sizeof options, .resamples = 1000000, .smoothing_value = ALCORE_UNSET};
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    ck_assert_int_eq(alcore_metric_compute_bleu(ctx, t.hypotheses, NULL, MOST_TEXTS, t.references,
                                                NULL, MOST_TEXTS, &options, NULL, &score),
                     ALCORE_E_CANCELLED);
    ck_assert_double_eq(score.bleu, 0);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("metric_translation", test_bleu_vectors, test_tokenizer_vectors, test_chrf_vectors,
            test_sacrebleu_sentences, test_sacrebleu_corpora, test_wrong_arguments, test_odd_texts,
            test_bootstrap_vectors, test_bootstrap, test_failing_memory, test_cancel);
