/* SPDX-License-Identifier: Apache-2.0 */
/* The word aligner: the vectors of the specification, random pairs against the definition, threads,
 * other pairs than the training pairs, odd texts, cancellation, allocations that fail. */
#include "check_suite.h"

#include <math.h>

#include "aligner_bed.h"
#include "fault_allocator.h"
#include "vectors.h"

/* ---- the vectors ---- */

enum { MAX_TEXTS = 16 };

static int64_t read_texts(const json_t *list, const char *texts[MAX_TEXTS]) {
    const int64_t count = vector_length(list);
    ck_assert_int_le(count, MAX_TEXTS);
    for (int64_t i = 0; i < count; i++) texts[i] = vector_text(json_array_get(list, (size_t)i));
    return count;
}

static void assert_table(const alcore__aligner *aligner, const vector_case *known) {
    const json_t *source = vector_expected(known, "table/source");
    const json_t *target = vector_expected(known, "table/target");
    int64_t count;
    const double *t = vector_doubles(vector_expected(known, "table/t"), &count);
    ck_assert_int_gt(count, 5);
    for (int64_t i = 0; i < count; i++) {
        const char *e = vector_text(json_array_get(source, (size_t)i));
        const char *f = vector_text(json_array_get(target, (size_t)i));
        const char *word = strcmp(e, "<null>") == 0 ? NULL : e;
        ck_assert_double_eq_tol(alcore__aligner_probability(aligner, word, f), t[i], 1e-10);
    }
}

START_TEST(tv_ibm1) {
    const test_vector vector = vector_find("aligner", "TV-IBM1");
    alcore_ctx *ctx = bed_ctx(2);
    for (int64_t c = 0; c < vector_case_count(vector); c++) {
        const vector_case known = vector_case_number(vector, c);
        const char *sources[MAX_TEXTS], *targets[MAX_TEXTS];
        const int64_t count = read_texts(vector_input(&known, "sources"), sources);
        read_texts(vector_input(&known, "targets"), targets);
        alcore__aligner_options options = alcore__aligner_defaults();
        const int64_t iterations = vector_integer(vector_input(&known, "iterations"));
        options.diagonal = options.variational_bayes = options.null_word = false;
        options.start = 0.25;
        options.iterations = (int32_t)iterations + 1; /* the last one only decodes */
        alcore__aligner *aligner;
        ck_assert_int_eq(bed_train(ctx, sources, targets, count, &options, &aligner), ALCORE_OK);
        int32_t given;
        const double *likelihoods = alcore__aligner_log_likelihoods(aligner, &given);
        ck_assert_int_eq(given, iterations + 1);
        vector_near(&likelihoods[iterations - 1], vector_expected(&known, "log_likelihood"), 1e-10);
        assert_table(aligner, &known);
        alcore__aligner_free(aligner);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

static alcore__aligner_options options_of(const vector_case *known) {
    alcore__aligner_options options = alcore__aligner_defaults();
    if (vector_has_input(known, "diagonal"))
        options.diagonal = json_is_true(vector_input(known, "diagonal"));
    if (vector_has_input(known, "variational_bayes"))
        options.variational_bayes = json_is_true(vector_input(known, "variational_bayes"));
    if (vector_has_input(known, "p0")) options.p0 = vector_double(vector_input(known, "p0"));
    if (vector_has_input(known, "lambda"))
        options.lambda = vector_double(vector_input(known, "lambda"));
    if (vector_has_input(known, "tension"))
        options.tension = strcmp(vector_text(vector_input(known, "tension")), "public") == 0
                              ? ALCORE__TENSION_PUBLIC
                              : ALCORE__TENSION_GRADIENT;
    return options;
}

static void assert_trained(alcore_ctx *ctx, const vector_case *known) {
    const char *sources[MAX_TEXTS], *targets[MAX_TEXTS];
    const int64_t count = read_texts(vector_input(known, "sources"), sources);
    read_texts(vector_input(known, "targets"), targets);
    const alcore__aligner_options options = options_of(known);
    alcore__aligner *aligner;
    ck_assert_int_eq(bed_train(ctx, sources, targets, count, &options, &aligner), ALCORE_OK);
    int32_t given;
    const double *likelihoods = alcore__aligner_log_likelihoods(aligner, &given);
    ck_assert_int_eq(given, 5);
    vector_near(likelihoods, vector_expected(known, "log_likelihoods"), 1e-9);
    assert_table(aligner, known);
    const double *lambdas = alcore__aligner_lambdas(aligner, &given);
    ck_assert_int_eq(given, options.tension == ALCORE__TENSION_OFF ? 0 : 3);
    if (given > 0) vector_near(lambdas, vector_expected(known, "lambdas"), 1e-9);
    alcore__links links;
    ck_assert_int_eq(alcore__aligner_links(aligner, false, &links), ALCORE_OK);
    const json_t *expected = vector_expected(known, "links");
    ck_assert_int_eq(links.pairs, vector_length(expected));
    for (int64_t pair = 0; pair < links.pairs; pair++)
        bed_assert_links(&links, pair, vector_text(json_array_get(expected, (size_t)pair)));
    alcore__links_clear(ctx, &links);
    alcore__aligner_free(aligner);
}

START_TEST(tv_align) {
    const test_vector vector = vector_find("aligner", "TV-ALIGN");
    int64_t trained = 0;
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        alcore_ctx *ctx = bed_ctx(threads);
        for (int64_t c = 0; c < vector_case_count(vector); c++) {
            const vector_case known = vector_case_number(vector, c);
            if (strcmp(known.name, "delta") == 0 || strcmp(known.name, "digamma") == 0) continue;
            assert_trained(ctx, &known);
            trained++;
        }
        alcore_ctx_unref(ctx);
    }
    ck_assert_int_eq(trained, 12);
}
END_TEST

START_TEST(tv_align_parts) {
    const test_vector vector = vector_find("aligner", "TV-ALIGN");
    const vector_case prior = vector_case_named(vector, "delta");
    const vector_case gamma = vector_case_named(vector, "digamma");
    int64_t count, next = 0;
    const int64_t *i = vector_integers(vector_input(&prior, "i"), &count);
    const int64_t *m = vector_integers(vector_input(&prior, "m"), NULL);
    const int64_t *n = vector_integers(vector_input(&prior, "n"), NULL);
    const double lambda = vector_double(vector_input(&prior, "lambda"));
    double delta[32], values[16];
    for (int64_t c = 0; c < count; c++) {
        alcore__aligner_delta(i[c], m[c], n[c], lambda, 0.08, delta + next);
        next += n[c] + 1;
    }
    vector_near(delta, vector_expected(&prior, "delta"), 1e-14);
    const double *x = vector_doubles(vector_input(&gamma, "x"), &count);
    ck_assert_int_le(count, 16);
    for (int64_t c = 0; c < count; c++) values[c] = alcore__digamma(x[c]);
    vector_near(values, vector_expected(&gamma, "digamma"), 1e-12);
}
END_TEST

/* ---- the definition ---- */

/* Words "s0" .. "s5" and "t0" .. "t5"; source 0 of the tables is the null word. */
enum { KINDS = 6, LONGEST = 7, TWIN_PAIRS = 12 };

typedef struct twin {
    int source[TWIN_PAIRS][LONGEST], target[TWIN_PAIRS][LONGEST]; /* 1 + word */
    int n[TWIN_PAIRS], m[TWIN_PAIRS];
    double t[KINDS + 1][KINDS + 1];
    bool together[KINDS + 1][KINDS + 1];
    double terms[LONGEST + 1];
} twin;

static int twin_words(const char *text, char side, int *words) {
    char format[] = " ?%d%n";
    int count = 0, word, bytes;
    format[1] = side;
    for (; sscanf(text, format, &word, &bytes) == 1; text += bytes) words[count++] = word + 1;
    return count;
}

/* The terms of target position i (from 1) by the formulas, whatever they cost; their sum. */
static double twin_terms(twin *w, const alcore__aligner_options *o, int pair, int i) {
    const int n = w->n[pair], m = w->m[pair], f = w->target[pair][i - 1];
    double z = 0, total = 0;
    for (int j = 1; j <= n; j++) z += exp(-o->lambda * fabs((double)j / n - (double)i / m));
    for (int j = 0; j <= n; j++) {
        const double power = exp(-o->lambda * fabs((double)j / n - (double)i / m));
        double delta = j == 0 ? o->p0 : (1 - o->p0) * power / z;
        if (!o->diagonal) delta = o->null_word ? 1.0 / (n + 1) : j == 0 ? 0 : 1.0 / n;
        w->terms[j] = delta * w->t[j == 0 ? 0 : w->source[pair][j - 1]][f];
        total += w->terms[j];
    }
    return total;
}

/* digamma by its recurrence alone, up to where two terms of the series give 1e-14. */
static double slow_digamma(double x) {
    double above = 0;
    for (; x < 1e3; x += 1) above -= 1 / x;
    return above + log(x) - 1 / (2 * x) - 1 / (12 * x * x);
}

static double twin_expect(twin *w, const alcore__aligner_options *o,
                          double counts[KINDS + 1][KINDS + 1]) {
    double likelihood = 0;
    memset(counts, 0, sizeof(double[KINDS + 1][KINDS + 1]));
    for (int pair = 0; pair < TWIN_PAIRS; pair++) {
        for (int i = 1; w->n[pair] > 0 && i <= w->m[pair]; i++) {
            const double total = twin_terms(w, o, pair, i);
            likelihood += log(total);
            for (int j = o->null_word ? 0 : 1; j <= w->n[pair]; j++) {
                const int e = j == 0 ? 0 : w->source[pair][j - 1], f = w->target[pair][i - 1];
                counts[e][f] += w->terms[j] / total;
                w->together[e][f] = true;
            }
        }
    }
    return likelihood;
}

static void twin_maximize(twin *w, const alcore__aligner_options *o,
                          double counts[KINDS + 1][KINDS + 1]) {
    const double alpha = o->variational_bayes ? o->alpha : 0;
    for (int e = 0; e <= KINDS; e++) {
        double total = 0;
        for (int f = 1; f <= KINDS; f++) total += w->together[e][f] ? counts[e][f] + alpha : 0;
        for (int f = 1; f <= KINDS; f++) {
            if (!w->together[e][f]) continue;
            w->t[e][f] = o->variational_bayes
                             ? exp(slow_digamma(counts[e][f] + alpha) - slow_digamma(total))
                             : counts[e][f] / total;
        }
    }
}

/* Every link of the model is one of those with the largest term, to 1e-9 of it. */
static void twin_assert_links(twin *w, const alcore__aligner_options *o,
                              const alcore__links *links) {
    ck_assert_int_eq(links->pairs, TWIN_PAIRS);
    for (int pair = 0; pair < TWIN_PAIRS; pair++) {
        int partner[LONGEST] = {0};
        for (int64_t i = links->begin[pair]; i < links->begin[pair + 1]; i++)
            partner[links->link[i].target] = (int)links->link[i].source + 1;
        if (w->n[pair] == 0 || w->m[pair] == 0) {
            ck_assert_int_eq(links->begin[pair + 1], links->begin[pair]);
            continue;
        }
        for (int i = 1; i <= w->m[pair]; i++) {
            double most = 0;
            twin_terms(w, o, pair, i);
            for (int j = o->null_word ? 0 : 1; j <= w->n[pair]; j++)
                if (w->terms[j] > most) most = w->terms[j];
            ck_assert_double_ge(w->terms[partner[i - 1]], most * (1 - 1e-9));
        }
    }
}

static void assert_twin(alcore_ctx *ctx, const alcore__aligner_options *options, uint64_t seed) {
    bed_pairs pairs = bed_random_pairs(seed, TWIN_PAIRS, KINDS, LONGEST);
    twin w = {0};
    double counts[KINDS + 1][KINDS + 1];
    for (int pair = 0; pair < TWIN_PAIRS; pair++) {
        w.n[pair] = twin_words(pairs.sources[pair], 's', w.source[pair]);
        w.m[pair] = twin_words(pairs.targets[pair], 't', w.target[pair]);
    }
    for (int e = 0; e <= KINDS; e++)
        for (int f = 0; f <= KINDS; f++) w.t[e][f] = options->start;
    alcore__aligner *aligner;
    ck_assert_int_eq(bed_train(ctx, pairs.sources, pairs.targets, TWIN_PAIRS, options, &aligner),
                     ALCORE_OK);
    int32_t given;
    const double *likelihoods = alcore__aligner_log_likelihoods(aligner, &given);
    for (int32_t iteration = 0; iteration < given; iteration++) {
        const double expected = twin_expect(&w, options, counts);
        ck_assert_double_eq_tol(likelihoods[iteration], expected, 1e-7 * (1 + fabs(expected)));
        if (!options->variational_bayes && iteration >= 2) /* property 12 of the specification */
            ck_assert_double_ge(likelihoods[iteration], likelihoods[iteration - 1] - 1e-9);
        if (iteration < given - 1) twin_maximize(&w, options, counts);
    }
    alcore__links links;
    ck_assert_int_eq(alcore__aligner_links(aligner, false, &links), ALCORE_OK);
    twin_assert_links(&w, options, &links);
    alcore__links_clear(ctx, &links);
    alcore__aligner_free(aligner);
    bed_free_pairs(&pairs);
}

START_TEST(test_definition) {
    alcore_ctx *ctx = bed_ctx(2);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        alcore__aligner_options options = alcore__aligner_defaults();
        options.diagonal = seed % 3 > 0;
        options.null_word = options.diagonal || seed % 2 > 0;
        options.variational_bayes = seed % 4 > 1;
        options.lambda = seed % 5 == 0 ? 0 : 4;
        options.iterations = 1 + (int32_t)(seed % 7);
        assert_twin(ctx, &options, seed);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- threads, directions, other pairs ---- */

typedef struct result {
    double likelihoods[5], lambdas[3];
    alcore__links forward, swapped;
} result;

static result train_result(alcore_ctx *ctx, const bed_pairs *pairs, alcore__tension tension) {
    alcore__aligner_options options = alcore__aligner_defaults();
    options.tension = tension;
    alcore__aligner *aligner;
    result out = {0};
    int32_t count;
    ck_assert_int_eq(
        bed_train(ctx, pairs->sources, pairs->targets, pairs->count, &options, &aligner),
        ALCORE_OK);
    memcpy(out.likelihoods, alcore__aligner_log_likelihoods(aligner, &count), 5 * sizeof(double));
    const double *lambdas = alcore__aligner_lambdas(aligner, &count);
    memcpy(out.lambdas, lambdas, (size_t)count * sizeof(double));
    ck_assert_int_eq(alcore__aligner_links(aligner, false, &out.forward), ALCORE_OK);
    ck_assert_int_eq(alcore__aligner_links(aligner, true, &out.swapped), ALCORE_OK);
    alcore__aligner_free(aligner);
    return out;
}

static void clear_result(alcore_ctx *ctx, result *r) {
    alcore__links_clear(ctx, &r->forward);
    alcore__links_clear(ctx, &r->swapped);
}

START_TEST(test_threads) {
    bed_pairs pairs = bed_random_pairs(5, 3000, 300, 30);
    for (int tension = ALCORE__TENSION_OFF; tension <= ALCORE__TENSION_PUBLIC; tension++) {
        alcore_ctx *one_ctx = bed_ctx(1);
        result one = train_result(one_ctx, &pairs, (alcore__tension)tension);
        ck_assert_int_gt(one.forward.begin[pairs.count], 20000);
        for (int32_t threads = 2; threads <= 8; threads *= 4) {
            alcore_ctx *ctx = bed_ctx(threads);
            result many = train_result(ctx, &pairs, (alcore__tension)tension);
            ck_assert_mem_eq(many.likelihoods, one.likelihoods, sizeof one.likelihoods);
            ck_assert_mem_eq(many.lambdas, one.lambdas, sizeof one.lambdas);
            ck_assert(bed_links_equal(&many.forward, &one.forward));
            ck_assert(bed_links_equal(&many.swapped, &one.swapped));
            clear_result(ctx, &many);
            alcore_ctx_unref(ctx);
        }
        clear_result(one_ctx, &one);
        alcore_ctx_unref(one_ctx);
    }
    bed_free_pairs(&pairs);
}
END_TEST

static uint64_t link_key(alcore__link link, bool swap) {
    return swap ? (uint64_t)link.target << 32 | link.source
                : (uint64_t)link.source << 32 | link.target;
}

/* Swapped links are the same points with the words exchanged; both lists rise. */
START_TEST(test_swap) {
    bed_pairs pairs = bed_random_pairs(6, 200, 40, 20);
    alcore_ctx *ctx = bed_ctx(2);
    result r = train_result(ctx, &pairs, ALCORE__TENSION_OFF);
    ck_assert_mem_eq(r.forward.begin, r.swapped.begin, ((size_t)pairs.count + 1) * sizeof(int64_t));
    for (int64_t pair = 0; pair < pairs.count; pair++) {
        uint64_t sum = 0, swapped_sum = 0;
        for (int64_t i = r.forward.begin[pair]; i < r.forward.begin[pair + 1]; i++) {
            sum += alcore__hash64(&(uint64_t){link_key(r.forward.link[i], false)}, 8);
            swapped_sum += alcore__hash64(&(uint64_t){link_key(r.swapped.link[i], true)}, 8);
            if (i == r.forward.begin[pair]) continue;
            ck_assert(link_key(r.forward.link[i - 1], false) < link_key(r.forward.link[i], false));
            ck_assert(link_key(r.swapped.link[i - 1], false) < link_key(r.swapped.link[i], false));
        }
        ck_assert_uint_eq(sum, swapped_sum);
    }
    clear_result(ctx, &r);
    alcore_ctx_unref(ctx);
    bed_free_pairs(&pairs);
}
END_TEST

START_TEST(test_apply) {
    bed_pairs pairs = bed_random_pairs(7, 700, 60, 20);
    const alcore__text_source source = bed_source(pairs.sources, pairs.count);
    const alcore__text_source target = bed_source(pairs.targets, pairs.count);
    alcore_ctx *ctx = bed_ctx(3);
    alcore__aligner *aligner;
    alcore__links trained, applied;
    ck_assert_int_eq(alcore__aligner_train(ctx, &source, &target, NULL, &aligner), ALCORE_OK);
    for (int swap = 0; swap < 2; swap++) {
        ck_assert_int_eq(alcore__aligner_links(aligner, swap > 0, &trained), ALCORE_OK);
        ck_assert_int_eq(alcore__aligner_apply(aligner, &source, &target, swap > 0, &applied),
                         ALCORE_OK);
        ck_assert(bed_links_equal(&trained, &applied));
        alcore__links_clear(ctx, &trained);
        alcore__links_clear(ctx, &applied);
    }
    /* Unknown words: the start value everywhere, so the diagonal decides. */
    const char *const unknown[] = {"x y z", "", "x"}, *const other[] = {"u v w", "u", " \t"};
    const alcore__text_source a = bed_source(unknown, 3), b = bed_source(other, 3);
    ck_assert_int_eq(alcore__aligner_apply(aligner, &a, &b, false, &applied), ALCORE_OK);
    bed_assert_links(&applied, 0, "0-0 1-1 2-2");
    bed_assert_links(&applied, 1, "");
    bed_assert_links(&applied, 2, "");
    alcore__links_clear(ctx, &applied);
    ck_assert_double_eq(alcore__aligner_probability(aligner, "x", "t1"), 1e-9);
    ck_assert_double_eq(alcore__aligner_probability(aligner, NULL, "u"), 1e-9);
    ck_assert_int_eq(alcore__aligner_apply(aligner, &a, &target, false, &applied), ALCORE_E_SHAPE);
    ck_assert_ptr_null(applied.begin);
    alcore__aligner_free(aligner);
    alcore_ctx_unref(ctx);
    bed_free_pairs(&pairs);
}
END_TEST

/* ---- rubbish ---- */

START_TEST(test_odd_texts) {
    const char *const sources[] = {"", "a b", "\t \r\n", "a", "a a a a", "\xff\xfe b"};
    const char *const targets[] = {"x", "", "", "x", "x", "\xff y"};
    alcore_ctx *ctx = bed_ctx(2);
    alcore__aligner *aligner;
    alcore__links links;
    for (int64_t count = 0; count <= 6; count++) {
        ck_assert_int_eq(bed_train(ctx, sources, targets, count, NULL, &aligner), ALCORE_OK);
        int32_t iterations;
        const double *likelihoods = alcore__aligner_log_likelihoods(aligner, &iterations);
        for (int32_t i = 0; i < iterations; i++) ck_assert(isfinite(likelihoods[i]));
        ck_assert_int_eq(alcore__aligner_links(aligner, false, &links), ALCORE_OK);
        ck_assert_int_eq(links.pairs, count);
        for (int64_t pair = 0; pair < count && pair < 3; pair++) bed_assert_links(&links, pair, "");
        if (count > 3) bed_assert_links(&links, 3, "0-0");
        alcore__links_clear(ctx, &links);
        alcore__aligner_free(aligner);
    }
    const alcore__text_source three = bed_source(sources, 3), two = bed_source(targets, 2);
    ck_assert_int_eq(alcore__aligner_train(ctx, &three, &two, NULL, &aligner), ALCORE_E_SHAPE);
    ck_assert_ptr_null(aligner);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "3 source texts but 2 target texts"));
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_bad_options) {
    alcore_ctx *ctx = bed_ctx(1);
    const char *const text[] = {"a"};
    const alcore__aligner_options good = alcore__aligner_defaults();
    alcore__aligner_options bad[12];
    for (int i = 0; i < 12; i++) bad[i] = good;
    bad[0].iterations = 0;
    bad[1].iterations = 1001;
    bad[2].p0 = 1;
    bad[3].p0 = NAN;
    bad[4].lambda = -1;
    bad[5].lambda = 101;
    bad[6].alpha = 0;
    bad[7].start = 0;
    bad[8].start = INFINITY;
    bad[9].tension = (alcore__tension)3;
    bad[10].diagonal = false;
    bad[10].tension = ALCORE__TENSION_GRADIENT;
    bad[11].null_word = false;
    for (int i = 0; i < 12; i++) {
        alcore__aligner *aligner;
        ck_assert_int_eq(bed_train(ctx, text, text, 1, &bad[i], &aligner), ALCORE_E_PARAM);
        ck_assert_ptr_null(aligner);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- cancellation and memory ---- */

static int32_t stop_at_once(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return 1;
}

START_TEST(test_cancel) {
    bed_pairs pairs = bed_random_pairs(8, 20000, 2000, 60);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = 2;
    options.progress = stop_at_once;
    alcore_ctx *ctx;
    alcore__aligner *aligner;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    ck_assert_int_eq(alcore__enter(ctx),
                     ALCORE_OK); /* a call, which its progress function may end */
    const alcore_status status =
        bed_train(ctx, pairs.sources, pairs.targets, pairs.count, NULL, &aligner);
    ck_assert_int_eq(alcore__leave(ctx, status), ALCORE_E_CANCELLED);
    ck_assert_ptr_null(aligner);
    alcore_ctx_unref(ctx);
    bed_free_pairs(&pairs);
}
END_TEST

static alcore_status use_everything(alcore_ctx *ctx, const bed_pairs *pairs) {
    alcore__aligner_options options = alcore__aligner_defaults();
    options.tension = ALCORE__TENSION_GRADIENT;
    const alcore__text_source source = bed_source(pairs->sources, pairs->count);
    const alcore__text_source target = bed_source(pairs->targets, pairs->count);
    alcore__aligner *aligner = NULL;
    alcore__links forward = {0}, reverse = {0}, both = {0};
    alcore_status status = alcore__aligner_train(ctx, &source, &target, &options, &aligner);
    ck_assert_int_eq(!aligner, status != ALCORE_OK);
    if (status == ALCORE_OK) status = alcore__aligner_links(aligner, false, &forward);
    if (status == ALCORE_OK)
        status = alcore__aligner_apply(aligner, &source, &target, false, &reverse);
    if (status == ALCORE_OK)
        status = alcore__links_symmetrize(ctx, &forward, &reverse,
                                          ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND, &both);
    ck_assert_int_eq(!both.begin, status != ALCORE_OK);
    alcore__links_clear(ctx, &forward);
    alcore__links_clear(ctx, &reverse);
    alcore__links_clear(ctx, &both);
    alcore__aligner_free(aligner);
    return status;
}

START_TEST(test_memory) {
    bed_pairs pairs = bed_random_pairs(9, 40, 20, 10);
    fault_allocator fault = {0};
    alcore_ctx *ctx = fault_context(&fault, 1);
    ck_assert_int_eq(use_everything(ctx, &pairs), ALCORE_OK);
    const long long blocks = atomic_load(&fault.live_blocks);
    int failed = 0;
    for (long long call = 1;; call++) {
        fault_arm(&fault, call, 0);
        const alcore_status status = use_everything(ctx, &pairs);
        ck_assert_int_eq(atomic_load(&fault.live_blocks), blocks);
        if (atomic_load(&fault.failures) == 0) {
            ck_assert_int_eq(status, ALCORE_OK);
            break;
        }
        ck_assert_int_eq(status, ALCORE_E_NOMEM);
        failed++;
    }
    ck_assert_int_gt(failed, 40);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(atomic_load(&fault.live_blocks), 0);
    bed_free_pairs(&pairs);
}
END_TEST

CHECK_SUITE("text/aligner", tv_ibm1, tv_align, tv_align_parts, test_definition, test_threads,
            test_swap, test_apply, test_odd_texts, test_bad_options, test_cancel, test_memory);
