/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of spec 5.10, 6.3 and 6.4, and the property that a candidate has the bits of scoring
 * the whole text. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "alcore/extra/annotation.h"
#include "base/rng.h"
#include "check_status.h"
#include "check_suite.h"
#include "extra/aligner/links_handle.h"
#include "extra/mix/switch_pair.h"
#include "formats/pharaoh.h"
#include "lm_calls.h"
#include "vectors.h"

enum { MAX_LINKS = 64, MAX_PHRASES = 4 };

/* ---- vectors of pairs ---- */

/* A case of TV-SWITCH or TV-CTX: the model of its texts, the pair, the phrases. */
typedef struct bed {
    alcore_ctx *ctx;
    alcore_lm *lm;
    alcore__switcher switcher;
    alcore__link links[MAX_LINKS];
    alcore__translated_phrase phrases[MAX_PHRASES];
    int64_t phrase_count;
} bed;

/* "0-0 1-1": the links, in the order of the text, which is sorted. */
static int64_t parse_links(const char *text, alcore__link *out) {
    int64_t count = 0;
    int used;
    unsigned source, target;
    for (; sscanf(text, " %u-%u%n", &source, &target, &used) == 2; text += used)
        out[count++] = (alcore__link){source, target};
    return count;
}

static void open_bed(const vector_case *one, bed *out) {
    const json_t *texts = vector_input(one, "texts"), *phrases = vector_input(one, "phrases");
    const char *corpus[16];
    alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
    const int64_t count = vector_length(texts);
    *out = (bed){0};
    ck_assert_int_le(count, 16);
    for (int64_t i = 0; i < count; i++) corpus[i] = vector_text(json_array_get(texts, (size_t)i));
    options.order = (int32_t)vector_integer(vector_input(one, "order"));
    ck_assert_ok(alcore_ctx_new(NULL, &out->ctx));
    ck_assert_ok(alcore_lm_new_trained(out->ctx, corpus, NULL, count, &options, &out->lm));
    alcore__labeled_pair pair = {.source = vector_text(vector_input(one, "x")),
                                 .target = vector_text(vector_input(one, "y")),
                                 .link = out->links};
    pair.source_length = strlen(pair.source);
    pair.target_length = strlen(pair.target);
    pair.link_count = parse_links(vector_text(vector_input(one, "links")), out->links);
    out->switcher = (alcore__switcher){.ctx = out->ctx, .lm = out->lm};
    ck_assert_ok(alcore__switcher_open(&out->switcher, &pair, true));
    out->phrase_count = vector_length(phrases);
    ck_assert_int_le(out->phrase_count, MAX_PHRASES);
    for (int64_t i = 0; i < out->phrase_count; i++) {
        alcore__translated_phrase *phrase = &out->phrases[i];
        phrase->text = vector_text(json_array_get(phrases, (size_t)i));
        phrase->translation =
            vector_text(json_array_get(vector_input(one, "translations"), (size_t)i));
        phrase->text_length = strlen(phrase->text);
        phrase->translation_length = strlen(phrase->translation);
    }
}

static void close_bed(bed *self) {
    alcore__switcher_clear(&self->switcher);
    alcore_lm_unref(self->lm);
    alcore_ctx_unref(self->ctx);
}

static alcore__span span_of(const char *name) {
    return !strcmp(name, "minmax")    ? ALCORE__SPAN_MINMAX
           : !strcmp(name, "literal") ? ALCORE__SPAN_LITERAL
                                      : ALCORE__SPAN_CONSISTENT;
}

/* All positions of one phrase. */
static void check_candidates(const vector_case *one, bed *at) {
    double log10[16];
    int64_t spans[32];
    const int64_t count = vector_length(vector_expected(one, "i"));
    const json_t *sources = vector_expected(one, "source");
    const json_t *consistent = vector_expected(one, "consistent");
    for (int64_t i = 0; i < count; i++) {
        alcore__switch_candidate candidate;
        alcore__buffer source = {0}, target = {0};
        int64_t end;
        alcore__switch_candidate_at(&at->switcher, &at->phrases[0], i, ALCORE__SPAN_CONSISTENT,
                                    true, &candidate);
        log10[i] = candidate.log10;
        spans[2 * i] = candidate.low;
        spans[2 * i + 1] = candidate.high;
        ck_assert_int_eq(candidate.consistent, json_is_true(json_array_get(consistent, (size_t)i)));
        ck_assert_int_eq(candidate.allowed, candidate.consistent);
        ck_assert_ok(alcore__switch_write(&at->switcher, &at->phrases[0], &candidate,
                                          ALCORE__SPAN_CONSISTENT, &source, &target, &end));
        ck_assert_str_eq(source.data, vector_text(json_array_get(sources, (size_t)i)));
        ck_assert_int_eq(end, candidate.high + 1);
        alcore__buffer_clear(at->ctx, &source);
        alcore__buffer_clear(at->ctx, &target);
    }
    vector_near(log10, vector_expected(one, "log10"), 1e-9);
    vector_equal(spans, vector_expected(one, "span"));
}

static void check_best(const vector_case *one, bed *at) {
    const alcore__span span = span_of(vector_text(vector_input(one, "span")));
    alcore__switch_candidate best;
    alcore__buffer source = {0}, target = {0};
    int64_t end;
    bool found;
    alcore__switch_best(&at->switcher, at->phrases, at->phrase_count, span, &found, &best);
    ck_assert(found);
    ck_assert_int_eq(best.word, vector_integer(vector_expected(one, "i")));
    ck_assert_int_eq(best.phrase, vector_integer(vector_expected(one, "phrase")));
    ck_assert_double_eq_tol(best.log10, vector_double(vector_expected(one, "log10")), 1e-9);
    ck_assert_ok(alcore__switch_write(&at->switcher, &at->phrases[best.phrase], &best, span,
                                      &source, &target, &end));
    ck_assert_str_eq(source.data, vector_text(vector_expected(one, "source")));
    ck_assert_str_eq(target.data, vector_text(vector_expected(one, "target")));
    alcore__buffer_clear(at->ctx, &source);
    alcore__buffer_clear(at->ctx, &target);
}

START_TEST(tv_switch) {
    test_vector vector = vector_find("mixing", "TV-SWITCH");
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        vector_case one = vector_case_number(vector, i);
        bed at;
        open_bed(&one, &at);
        if (vector_has_input(&one, "span"))
            check_best(&one, &at);
        else
            check_candidates(&one, &at);
        close_bed(&at);
    }
}
END_TEST

START_TEST(tv_ctx) {
    test_vector vector = vector_find("mixing", "TV-CTX");
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        vector_case one = vector_case_number(vector, i);
        const bool norm = vector_integer(vector_input(&one, "norm")) == 1;
        double scores[MAX_PHRASES], score;
        bed at;
        open_bed(&one, &at);
        for (int64_t p = 0; p < at.phrase_count; p++)
            alcore__context_best(&at.switcher, &at.phrases[p], 1, norm, &scores[p]);
        vector_near(scores, vector_expected(&one, "scores"), 1e-9);
        ck_assert_int_eq(
            alcore__context_best(&at.switcher, at.phrases, at.phrase_count, norm, &score),
            vector_integer(vector_expected(&one, "phrase")));
        close_bed(&at);
    }
}
END_TEST

/* ---- the simulated oracle ---- */

/* A pool of the sources with the targets as references. */
static alcore_pool *pool_of(alcore_ctx *ctx, const vector_case *one) {
    const json_t *sources = vector_input(one, "sources"), *targets = vector_input(one, "targets");
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_records records = ALCORE_RECORDS_INIT;
    const char *texts[16], *references[16];
    alcore_pool *pool;
    options.dedup = ALCORE_DEDUP_NONE;
    records.count = vector_length(sources);
    records.texts = texts;
    records.references = references;
    ck_assert_int_le(records.count, 16);
    for (int64_t i = 0; i < records.count; i++) {
        texts[i] = vector_text(json_array_get(sources, (size_t)i));
        references[i] = vector_text(json_array_get(targets, (size_t)i));
    }
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

START_TEST(tv_oracle) {
    test_vector vector = vector_find("phrases", "TV-ORACLE");
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        vector_case one = vector_case_number(vector, i);
        const json_t *lines = vector_input(&one, "links");
        const char *phrase = vector_text(vector_input(&one, "phrase")), *kind = "phrase";
        const char *how = vector_text(vector_expected(&one, "how"));
        alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
        alcore__link link[MAX_LINKS];
        int64_t begin[16] = {0};
        alcore_links handle = {
            /* only borrowed */
            .links = {.pairs = vector_length(lines), .begin = begin, .link = link}};
        alcore_ctx *ctx;
        alcore_annotations *annotations;
        for (int64_t r = 0; r < handle.links.pairs; r++)
            begin[r + 1] = begin[r] + parse_links(vector_text(json_array_get(lines, (size_t)r)),
                                                  link + begin[r]);
        ck_assert_ok(alcore_ctx_new(NULL, &ctx));
        alcore_pool *pool = pool_of(ctx, &one);
        ck_assert_ok(alcore_annotations_new(pool, &annotations));
        records.texts = &phrase;
        records.kinds = &kind;
        records.count = 1;
        ck_assert_ok(alcore_annotations_add(annotations, &records));
        ck_assert_ok(alcore_annotations_simulate(annotations, &handle, NULL));
        ck_assert_str_eq(alcore_annotations_status(annotations, 0),
                         !strcmp(how, "extracted") ? "ok" : how);
        const json_t *translation = vector_expected(&one, "translation");
        if (json_is_null(translation)) {
            ck_assert_ptr_null(alcore_annotations_translation(annotations, 0, NULL));
            ck_assert_double_eq(alcore_annotations_refunded(annotations), 2.0);
            ck_assert_double_eq(alcore_annotations_spent(annotations), 0.0);
        } else {
            ck_assert_str_eq(alcore_annotations_translation(annotations, 0, NULL),
                             vector_text(translation));
            ck_assert_double_eq(alcore_annotations_refunded(annotations), 0.0);
        }
        alcore_annotations_unref(annotations);
        alcore_pool_unref(pool);
        alcore_ctx_unref(ctx);
    }
}
END_TEST

/* ---- scoring only what changes ---- */

/* A text of up to `longest` of eight words; some are unknown to the model. */
static void random_text(alcore__rng *rng, uint64_t shortest, uint64_t longest, char *out) {
    const uint64_t words = shortest + alcore__rng_below(rng, longest - shortest + 1);
    *out = '\0';
    for (uint64_t i = 0; i < words; i++)
        out += sprintf(out, "%s%c", i > 0 ? " " : "", (char)('a' + alcore__rng_below(rng, 8)));
}

/* For random models of every order, pairs and phrases: the log10 of each candidate is bit for bit
 * that of scoring its text as a whole. */
START_TEST(candidates_score_like_whole_texts) {
    alcore_ctx *ctx;
    alcore__rng rng;
    int64_t compared = 0;
    alcore__rng_seed(&rng, 6);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (int run = 0; run < 120; run++) {
        char texts[6][64], x[64], p[64];
        const char *corpus[6];
        alcore_lm_options options = ALCORE_LM_OPTIONS_INIT;
        alcore_lm *lm;
        for (int i = 0; i < 6; i++) {
            random_text(&rng, 0, 12, texts[i]);
            /* 'h' never occurs in the corpus. */
            for (char *c = texts[i]; *c; c++) *c = *c == 'h' ? 'g' : *c;
            corpus[i] = texts[i];
        }
        options.order = 1 + run % 6;
        ck_assert_ok(alcore_lm_new_trained(ctx, corpus, NULL, 6, &options, &lm));
        alcore__switcher switcher = {.ctx = ctx, .lm = lm};
        for (int i = 0; i < 20; i++) {
            random_text(&rng, 1, 12, x);
            random_text(&rng, 1, 4, p);
            alcore__labeled_pair pair = {
                .source = x, .source_length = strlen(x), .target = "y", .target_length = 1};
            alcore__translated_phrase phrase = {
                .text = p, .text_length = strlen(p), .translation = "z", .translation_length = 1};
            const int64_t words = ((int64_t)strlen(p) + 1) / 2;
            ck_assert_ok(alcore__switcher_open(&switcher, &pair, true));
            for (int64_t at = 0; at + words <= switcher.source.count; at++) {
                alcore__switch_candidate candidate;
                char text[64];
                double whole;
                snprintf(text, sizeof text, "%s", x);
                memcpy(text + 2 * at, p, strlen(p));
                alcore__switch_candidate_at(&switcher, &phrase, at, ALCORE__SPAN_CONSISTENT, true,
                                            &candidate);
                ck_assert_ok(lm_score_one(lm, text, strlen(text), &whole));
                ck_assert_msg(candidate.log10 == whole, "%s in %s at %lld: %a, whole %a", p, x,
                              (long long)at, candidate.log10, whole);
                compared++;
            }
            char behind[160];
            double whole, score;
            snprintf(behind, sizeof behind, "%s %s", x, p);
            ck_assert_ok(lm_score_one(lm, behind, strlen(behind), &whole));
            alcore__context_best(&switcher, &phrase, 1, false, &score);
            ck_assert(score == whole);
        }
        alcore__switcher_clear(&switcher);
        alcore_lm_unref(lm);
    }
    ck_assert_int_gt(compared, 5000);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("mix/vectors", tv_switch, tv_ctx, tv_oracle, candidates_score_like_whole_texts);
