/* SPDX-License-Identifier: Apache-2.0 */
/* The phrase index: the corpus of the specification, random corpora against the definition, moved
 * rows against a new index, threads, odd texts. */
#include "check_suite.h"

#include <stdio.h>
#include <string.h>

#include "alcore/context.h"
#include "base/rng.h"
#include "phrase/phrase_table.h"
#include "phrase_reference.h"
#include "text/words.h"

/* ---- rows as a source ---- */

typedef struct rows {
    const char *const *texts;
    const size_t *lengths; /* NULL: NUL-terminated */
} rows;

static const char *rows_text(const void *data, int64_t row, size_t *length) {
    const rows *r = data;
    *length = r->lengths ? r->lengths[row] : strlen(r->texts[row]);
    return r->texts[row];
}

static int64_t rows_words(const void *data, int64_t row) {
    size_t length, bytes;
    const char *next = rows_text(data, row, &length), *end = next + length, *word;
    int64_t count = 0;
    while (alcore__word_next(&next, end, &word, &bytes)) count++;
    return count;
}

static alcore__text_source source_of(const rows *r, int64_t count) {
    return (alcore__text_source){r, count, rows_words, rows_text};
}

static alcore_ctx *new_ctx(int32_t threads) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = threads;
    alcore_ctx *ctx;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

static alcore__phrase_index *new_index(alcore_ctx *ctx, const char *const *texts, int64_t count,
                                       const char *const *labeled, int64_t labeled_count,
                                       uint32_t max_words, bool extend) {
    const rows pool_rows = {texts, NULL}, labeled_rows = {labeled, NULL};
    const alcore__text_source pool = source_of(&pool_rows, count);
    const alcore__text_source known = source_of(&labeled_rows, labeled_count);
    alcore__phrase_index *index;
    ck_assert_int_eq(
        alcore__phrase_index_new(ctx, &pool, labeled ? &known : NULL, max_words, extend, &index),
        ALCORE_OK);
    return index;
}

static void assert_text(const alcore__phrase_index *index, const alcore__phrase *phrase,
                        const char *expected) {
    alcore__buffer text = {0};
    ck_assert_int_eq(alcore__phrase_text(index, phrase, &text), ALCORE_OK);
    ck_assert_str_eq(text.data, expected);
    alcore__buffer_clear(index->ctx, &text);
}

/* ---- the corpus of the specification ---- */

static const char *const UNLABELED[] = {
    "the patient has severe headache", "the patient has severe nausea",
    "severe headache was reported",    "the patient was treated",
    "headache was reported",           "the patient has fever",
};
static const char *const LABELED[] = {"the patient was late", "it was reported today"};

typedef struct expected_phrase {
    const char *text;
    uint32_t occ;
} expected_phrase;

static void assert_ranking(alcore__phrase_index *index, const alcore__phrase_filter *filter,
                           const expected_phrase *expected, int64_t listed, int64_t count) {
    alcore__phrase_table table;
    ck_assert_int_eq(alcore__phrase_table_list(index, filter, &table), ALCORE_OK);
    ck_assert_int_eq(table.count, count);
    for (int64_t i = 0; i < listed; i++) {
        assert_text(index, &table.phrases[i], expected[i].text);
        ck_assert_uint_eq(table.phrases[i].occ, expected[i].occ);
    }
    alcore__phrase_table_clear(index->ctx, &table);
}

START_TEST(test_spec_counts) {
    static const expected_phrase twice[] = {
        {"the patient", 4},
        {"the", 4},
        {"patient", 4},
        {"the patient has", 3},
        {"patient has", 3},
        {"has", 3},
        {"severe", 3},
        {"headache", 3},
        {"was", 3},
        {"the patient has severe", 2},
        {"patient has severe", 2},
        {"headache was reported", 2},
        {"has severe", 2},
        {"severe headache", 2},
        {"headache was", 2},
        {"was reported", 2},
        {"reported", 2},
    };
    alcore_ctx *ctx = new_ctx(2);
    alcore__phrase_index *index = new_index(ctx, UNLABELED, 6, LABELED, 2, 4, false);
    alcore__phrase_table table;
    int64_t lengths[5] = {0}, tokens = 0, outside = 0;
    ck_assert_int_eq(alcore__phrase_table_list(index, &(alcore__phrase_filter){0}, &table),
                     ALCORE_OK);
    for (int64_t i = 0; i < table.count; i++) {
        lengths[table.phrases[i].length]++;
        tokens += table.phrases[i].occ;
        outside += !table.phrases[i].labeled;
    }
    ck_assert_int_eq(table.count, 35);
    ck_assert_int_eq(lengths[1], 10);
    ck_assert_int_eq(lengths[2], 10);
    ck_assert_int_eq(lengths[3], 9);
    ck_assert_int_eq(lengths[4], 6);
    ck_assert_int_eq(tokens, 64);
    ck_assert_int_eq(outside, 27);
    alcore__phrase_table_clear(ctx, &table);
    assert_ranking(index, &(alcore__phrase_filter){.min_count = 2}, twice, 17, 17);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_spec_ngf) {
    static const expected_phrase ngf[] = {
        {"the patient has", 3},
        {"patient has", 3},
        {"has", 3},
        {"severe", 3},
        {"headache", 3},
        {"the patient has severe", 2},
        {"patient has severe", 2},
        {"headache was reported", 2},
        {"has severe", 2},
        {"severe headache", 2},
        {"headache was", 2},
        {"patient has severe headache", 1},
        {"patient has severe nausea", 1},
        {"severe headache was reported", 1},
    };
    alcore_ctx *ctx = new_ctx(1);
    alcore__phrase_index *index = new_index(ctx, UNLABELED, 6, LABELED, 2, 4, false);
    assert_ranking(index, &(alcore__phrase_filter){.unlabeled = true}, ngf, 14, 27);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_spec_smp) {
    static const expected_phrase bounded[] = {
        {"the patient has severe", 2},    {"headache was reported", 2},
        {"severe headache", 2},           {"patient has severe headache", 1},
        {"patient has severe nausea", 1}, {"severe headache was reported", 1},
        {"the patient was treated", 1},   {"the patient has fever", 1},
    };
    static const expected_phrase extended[] = {
        {"the patient has severe", 2},  {"headache was reported", 2},
        {"severe headache", 2},         {"severe headache was reported", 1},
        {"the patient was treated", 1}, {"the patient has fever", 1},
    };
    const alcore__phrase_filter filter = {.semi_maximal = true, .unlabeled = true};
    alcore_ctx *ctx = new_ctx(2);
    alcore__phrase_index *index = new_index(ctx, UNLABELED, 6, LABELED, 2, 4, false);
    assert_ranking(index, &filter, bounded, 8, 8);
    alcore__phrase_index_free(index);
    index = new_index(ctx, UNLABELED, 6, LABELED, 2, 4, true);
    assert_ranking(index, &filter, extended, 6, 6);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Rows U2 and U4 are bought as sentences (TV-HYB); with cover they are labeled. */
START_TEST(test_spec_hybrid) {
    static const expected_phrase left[] = {
        {"the patient has severe", 2},    {"patient has severe headache", 1},
        {"patient has severe nausea", 1}, {"the patient was treated", 1},
        {"the patient has fever", 1},
    };
    const alcore__phrase_filter filter = {.semi_maximal = true, .unlabeled = true};
    const int64_t bought[] = {2, 4};
    alcore_ctx *ctx = new_ctx(2);
    alcore__phrase_index *index = new_index(ctx, UNLABELED, 6, LABELED, 2, 4, false);
    alcore__phrase_index_move(index, bought, 2, ALCORE__PHRASE_ABSENT);
    assert_ranking(index, &filter, left, 5, 5);
    alcore__phrase_index_move(index, bought, 2, ALCORE__PHRASE_LABELED);
    assert_ranking(index, &filter, left, 5, 5);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Two copies of "a b c d e" (spec 5.4): the limit keeps two phrases, no limit on what dominates
 * keeps none of up to four words, no limit at all keeps the whole. */
START_TEST(test_spec_limits) {
    static const char *const texts[] = {"a b c d e", "a b c d e"};
    static const expected_phrase bounded[] = {{"a b c d", 2}, {"b c d e", 2}};
    static const expected_phrase whole[] = {{"a b c d e", 2}};
    const alcore__phrase_filter filter = {.semi_maximal = true};
    alcore_ctx *ctx = new_ctx(1);
    alcore__phrase_index *index = new_index(ctx, texts, 2, NULL, 0, 4, false);
    assert_ranking(index, &filter, bounded, 2, 2);
    alcore__phrase_index_free(index);
    index = new_index(ctx, texts, 2, NULL, 0, 4, true);
    assert_ranking(index, &filter, NULL, 0, 0);
    alcore__phrase_index_free(index);
    index = new_index(ctx, texts, 2, NULL, 0, ALCORE__PHRASE_UNLIMITED, false);
    assert_ranking(index, &filter, whole, 1, 1);
    alcore__phrase_table table;
    ck_assert_int_eq(alcore__phrase_table_list(index, &(alcore__phrase_filter){0}, &table),
                     ALCORE_E_INVALID);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
}
END_TEST

/* "a a a": a 3, "a a" 2, "a a a" 1 (spec 5.1). */
START_TEST(test_overlaps_count) {
    static const char *const texts[] = {"a a a"};
    static const expected_phrase all[] = {{"a", 3}, {"a a", 2}, {"a a a", 1}};
    alcore_ctx *ctx = new_ctx(1);
    alcore__phrase_index *index = new_index(ctx, texts, 1, NULL, 0, 4, false);
    assert_ranking(index, &(alcore__phrase_filter){0}, all, 3, 3);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- random corpora against the definition ---- */

enum { MAX_ROWS = 24, MAX_LABELED = 6 };

typedef struct corpus {
    char text[MAX_ROWS + MAX_LABELED][2 * REFERENCE_WORDS];
    const char *rows[MAX_ROWS], *labeled[MAX_LABELED];
    int states[MAX_ROWS];
    int count, labeled_count, alphabet;
} corpus;

static void make_text(alcore__rng *rng, char *out, int alphabet) {
    const int words = (int)alcore__rng_below(rng, 10);
    out[0] = '\0';
    for (int i = 0; i < words; i++) {
        out[2 * i] = (char)('a' + (int)alcore__rng_below(rng, (uint64_t)alphabet));
        out[2 * i + 1] = i + 1 < words ? ' ' : '\0';
    }
}

/* Some rows repeat others: copies of sentences are what ties a sort without a limit. */
static void make_corpus(alcore__rng *rng, corpus *c) {
    c->alphabet = 1 + (int)alcore__rng_below(rng, 5);
    c->count = (int)alcore__rng_below(rng, MAX_ROWS + 1);
    c->labeled_count = (int)alcore__rng_below(rng, MAX_LABELED + 1);
    for (int i = 0; i < MAX_ROWS + MAX_LABELED; i++) {
        make_text(rng, c->text[i], c->alphabet + (i >= MAX_ROWS));
        if (i > 0 && alcore__rng_below(rng, 4) == 0)
            memcpy(c->text[i], c->text[alcore__rng_below(rng, (uint64_t)i)], sizeof c->text[i]);
        if (i < MAX_ROWS)
            c->rows[i] = c->text[i];
        else
            c->labeled[i - MAX_ROWS] = c->text[i];
    }
    for (int i = 0; i < MAX_ROWS; i++) c->states[i] = (int)alcore__rng_below(rng, 3);
}

static void assert_reference(alcore__phrase_index *index, const alcore__phrase_filter *filter,
                             const reference_table *expected) {
    alcore__phrase_table table;
    int64_t next = 0;
    ck_assert_int_eq(alcore__phrase_table_list(index, filter, &table), ALCORE_OK);
    for (int i = 0; i < expected->count; i++) {
        const reference_phrase *e = &expected->phrases[i];
        if (filter->semi_maximal && !e->semi_maximal) continue;
        if (filter->unlabeled && e->labeled) continue;
        if ((uint32_t)e->occ < filter->min_count) continue;
        ck_assert_int_lt(next, table.count);
        const alcore__phrase *phrase = &table.phrases[next++];
        int64_t word;
        ck_assert_int_eq(alcore__phrase_row(index, phrase, &word), e->row);
        ck_assert_int_eq(word, e->word);
        ck_assert_int_eq(phrase->length, e->length);
        ck_assert_int_eq(phrase->occ, e->occ);
        ck_assert_int_eq(phrase->labeled, e->labeled);
        ck_assert_int_eq(phrase->semi_maximal, e->semi_maximal && !filter->counts_only);
        if (next % 7 == 1) assert_text(index, phrase, e->text);
    }
    ck_assert_int_eq(next, table.count);
    alcore__phrase_table_clear(index->ctx, &table);
}

static void set_states(alcore__phrase_index *index, const corpus *c) {
    for (int64_t row = 0; row < c->count; row++)
        alcore__phrase_index_move(index, &row, 1, c->states[row]);
}

/* max_words, what dominates and the filter of a case; rows are moved and looked at again. */
static void check_corpus(alcore_ctx *ctx, alcore__rng *rng, corpus *c) {
    static reference_table expected;
    const int max_words = 1 + (int)alcore__rng_below(rng, 5), kind = (int)alcore__rng_below(rng, 3);
    const bool unlimited = kind == 2, counts_only = !unlimited && alcore__rng_below(rng, 4) == 0;
    const int listed = unlimited ? REFERENCE_WORDS : max_words;
    const int limit = kind == 0 ? max_words : REFERENCE_WORDS;
    const alcore__phrase_filter filter = {
        .min_count = (uint32_t)alcore__rng_below(rng, 4),
        .semi_maximal = unlimited || (!counts_only && alcore__rng_below(rng, 2)),
        .unlabeled = alcore__rng_below(rng, 2),
        .counts_only = counts_only};
    alcore__phrase_index *index =
        new_index(ctx, c->rows, c->count, c->labeled, c->labeled_count,
                  unlimited ? ALCORE__PHRASE_UNLIMITED : (uint32_t)max_words, kind == 1);
    for (int round = 0; round < 3; round++) {
        set_states(index, c);
        reference_list(&expected, c->rows, c->states, c->count, c->labeled, c->labeled_count,
                       listed, limit);
        assert_reference(index, &filter, &expected);
        for (int i = 0; i < c->count; i++)
            if (alcore__rng_below(rng, 4) == 0) c->states[i] = (int)alcore__rng_below(rng, 3);
    }
    alcore__phrase_index_free(index);
}

START_TEST(test_random_corpora) {
    static const int32_t threads[] = {1, 2, 8};
    for (size_t t = 0; t < 3; t++) {
        alcore_ctx *ctx = new_ctx(threads[t]);
        alcore__rng rng;
        alcore__rng_seed(&rng, 11);
        for (int i = 0; i < 150; i++) {
            static corpus c;
            make_corpus(&rng, &c);
            check_corpus(ctx, &rng, &c);
        }
        alcore_ctx_unref(ctx);
    }
}
END_TEST

/* All sub-phrases of a labeled phrase are labeled (property 5 of the specification). */
START_TEST(test_labeled_is_closed) {
    static reference_table table;
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    alcore_ctx *ctx = new_ctx(2);
    for (int i = 0; i < 30; i++) {
        static corpus c;
        make_corpus(&rng, &c);
        alcore__phrase_index *index =
            new_index(ctx, c.rows, c.count, c.labeled, c.labeled_count, 4, false);
        alcore__phrase_table all;
        set_states(index, &c);
        ck_assert_int_eq(alcore__phrase_table_list(index, &(alcore__phrase_filter){0}, &all),
                         ALCORE_OK);
        table.count = (int)all.count;
        for (int64_t p = 0; p < all.count; p++) {
            alcore__buffer text = {0};
            ck_assert_int_eq(alcore__phrase_text(index, &all.phrases[p], &text), ALCORE_OK);
            strcpy(table.phrases[p].text, text.data);
            table.phrases[p].labeled = all.phrases[p].labeled;
            alcore__buffer_clear(ctx, &text);
        }
        for (int p = 0; p < table.count; p++)
            for (int q = 0; q < table.count; q++)
                if (table.phrases[q].labeled &&
                    reference_contains(table.phrases[q].text, table.phrases[p].text))
                    ck_assert(table.phrases[p].labeled);
        alcore__phrase_table_clear(ctx, &all);
        alcore__phrase_index_free(index);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- a corpus with many buckets, and threads ---- */

enum { LARGE_ROWS = 3000 };

static char *large_text[LARGE_ROWS];

static void make_large(void) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 9);
    for (int i = 0; i < LARGE_ROWS; i++) {
        if (i > 0 && i % 5 == 0) {
            large_text[i] = strdup(large_text[i / 2]);
            continue;
        }
        char text[1024];
        size_t used = 0;
        for (int64_t left = 1 + (int64_t)alcore__rng_below(&rng, 30); left > 0; left--) {
            const uint64_t range = (uint64_t)1 << (2 + alcore__rng_below(&rng, 12));
            used += (size_t)snprintf(text + used, sizeof text - used, "w%u%s",
                                     (unsigned)alcore__rng_below(&rng, range), left > 1 ? " " : "");
        }
        large_text[i] = strdup(text);
    }
}

static uint64_t digest_of(int32_t threads, uint32_t max_words, bool semi_maximal) {
    alcore_ctx *ctx = new_ctx(threads);
    alcore__phrase_index *index =
        new_index(ctx, (const char *const *)large_text, LARGE_ROWS - 200,
                  (const char *const *)large_text + LARGE_ROWS - 200, 200, max_words, false);
    alcore__phrase_table table;
    alcore__buffer all = {0};
    ck_assert_int_eq(alcore__phrase_table_list(
                         index, &(alcore__phrase_filter){.semi_maximal = semi_maximal}, &table),
                     ALCORE_OK);
    ck_assert_int_gt(table.count, 5000);
    for (int64_t i = 0; i < table.count; i++) {
        const alcore__phrase *p = &table.phrases[i];
        ck_assert_int_eq(alcore__phrase_text(index, p, &all), ALCORE_OK);
        ck_assert_int_eq(alcore__buffer_format(ctx, &all, "|%u %u %u %d %d\n", p->occ, p->first,
                                               p->length, p->labeled, p->semi_maximal),
                         ALCORE_OK);
        if (i == 0) continue;
        const alcore__phrase *q = p - 1;
        ck_assert(q->occ > p->occ || (q->occ == p->occ && q->length > p->length) ||
                  (q->occ == p->occ && q->length == p->length && q->first < p->first));
    }
    const uint64_t digest = alcore__hash64(all.data, all.length);
    alcore__buffer_clear(ctx, &all);
    alcore__phrase_table_clear(ctx, &table);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
    return digest;
}

START_TEST(test_threads_agree) {
    make_large();
    for (int kind = 0; kind < 2; kind++) {
        const uint32_t max_words = kind == 0 ? 4 : ALCORE__PHRASE_UNLIMITED;
        const uint64_t one = digest_of(1, max_words, kind == 1);
        ck_assert_uint_eq(digest_of(2, max_words, kind == 1), one);
        ck_assert_uint_eq(digest_of(8, max_words, kind == 1), one);
    }
    for (int i = 0; i < LARGE_ROWS; i++) free(large_text[i]);
}
END_TEST

/* ---- odd texts ---- */

START_TEST(test_empty) {
    static const char *const texts[] = {"", " \t ", "\r\n"};
    static const uint32_t limits[] = {1, 4, ALCORE__PHRASE_UNLIMITED};
    alcore_ctx *ctx = new_ctx(2);
    for (int64_t count = 0; count <= 3; count += 3) {
        for (size_t i = 0; i < 3; i++) {
            alcore__phrase_index *index =
                new_index(ctx, texts, count, LABELED, 2, limits[i], false);
            assert_ranking(index, &(alcore__phrase_filter){.semi_maximal = true}, NULL, 0, 0);
            alcore__phrase_index_free(index);
        }
    }
    alcore_ctx_unref(ctx);
}
END_TEST

/* NUL, malformed UTF-8 and blanks of all kinds: words are bytes. */
START_TEST(test_odd_bytes) {
    static const char *const texts[] = {"\xFF\xFE  x\0y\t\xC0\x80 ", "\xFF\xFE\r\nx\0y"};
    static const size_t lengths[] = {12, 7};
    const rows r = {texts, lengths};
    const alcore__text_source pool = source_of(&r, 2);
    const alcore__phrase_filter twice = {.min_count = 2, .semi_maximal = true};
    alcore_ctx *ctx = new_ctx(1);
    alcore__phrase_index *index;
    alcore__phrase_table table;
    alcore__buffer text = {0};
    ck_assert_int_eq(alcore__phrase_index_new(ctx, &pool, NULL, 4, false, &index), ALCORE_OK);
    ck_assert_int_eq(alcore__phrase_table_list(index, &twice, &table), ALCORE_OK);
    ck_assert_int_eq(table.count, 1);
    ck_assert_int_eq(alcore__phrase_text(index, &table.phrases[0], &text), ALCORE_OK);
    ck_assert_uint_eq(text.length, 6);
    ck_assert_mem_eq(text.data, "\xFF\xFE x\0y", 6);
    alcore__buffer_clear(ctx, &text);
    alcore__phrase_table_clear(ctx, &table);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Words that differ in their length or in their last byte only are different words, also where they
 * are longer than what the cache of a thread keeps; each is met three times. */
START_TEST(test_words_of_every_length) {
    enum { LONGEST = 40, WORDS = 2 * LONGEST, ROWS = 3 * WORDS };
    static char word[WORDS][LONGEST + 2];
    const char *texts[ROWS], *labeled[LONGEST];
    for (int i = 0; i < ROWS; i++) {
        char *text = word[i % WORDS];
        const int length = 1 + i % WORDS / 2;
        memset(text, 'a', (size_t)length);
        if (i % 2 == 1) text[length - 1] = 'b';
        texts[i] = text;
        if (i < LONGEST) labeled[i] = word[2 * i];
    }
    alcore_ctx *ctx = new_ctx(2);
    alcore__phrase_index *index = new_index(ctx, texts, ROWS, labeled, LONGEST, 4, false);
    alcore__phrase_table table;
    ck_assert_int_eq(alcore__phrase_table_list(index, &(alcore__phrase_filter){0}, &table),
                     ALCORE_OK);
    ck_assert_int_eq(table.count, WORDS);
    for (int i = 0; i < WORDS; i++) {
        assert_text(index, &table.phrases[i], word[i]);
        ck_assert_uint_eq(table.phrases[i].occ, 3);
        ck_assert_uint_eq(table.phrases[i].labeled, i % 2 == 0);
    }
    alcore__phrase_table_clear(ctx, &table);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_letters) {
    static const char *const texts[] = {"- a , ; \xD9\xA3 . -"}; /* an Arabic digit three */
    static const expected_phrase with[] = {
        {"- a", 1}, {"a ,", 1}, {"; \xD9\xA3", 1}, {"\xD9\xA3 .", 1}, {"a", 1}, {"\xD9\xA3", 1},
    };
    alcore_ctx *ctx = new_ctx(1);
    alcore__phrase_index *index = new_index(ctx, texts, 1, NULL, 0, 2, false);
    assert_ranking(index, &(alcore__phrase_filter){.letters = true}, with, 6, 6);
    assert_ranking(index, &(alcore__phrase_filter){0}, NULL, 0, 12);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
}
END_TEST

/* One row of one word repeated: every depth has ties. Of n words the phrase of k occurs n - k + 1
 * times; it is dominated while 2 (n - k) > n - k + 1, so phrases of n - 1 and n words are left. */
START_TEST(test_one_long_row) {
    enum { WORDS = 200000 };
    char *text = malloc(2 * WORDS + 1);
    const char *const texts[] = {text};
    for (int i = 0; i < WORDS; i++) memcpy(text + 2 * i, "a ", 2);
    text[2 * WORDS] = '\0';
    alcore_ctx *ctx = new_ctx(2);
    alcore__phrase_index *index =
        new_index(ctx, texts, 1, NULL, 0, ALCORE__PHRASE_UNLIMITED, false);
    alcore__phrase_table table;
    const alcore__phrase_filter filter = {.semi_maximal = true};
    ck_assert_int_eq(alcore__phrase_table_list(index, &filter, &table), ALCORE_OK);
    ck_assert_int_eq(table.count, 2);
    ck_assert_uint_eq(table.phrases[0].occ, 2);
    ck_assert_uint_eq(table.phrases[0].length, WORDS - 1);
    ck_assert_uint_eq(table.phrases[1].length, WORDS);
    alcore__phrase_table_clear(ctx, &table);
    alcore__phrase_index_free(index);
    alcore_ctx_unref(ctx);
    free(text);
}
END_TEST

CHECK_SUITE("phrase", test_spec_counts, test_spec_ngf, test_spec_smp, test_spec_hybrid,
            test_spec_limits, test_overlaps_count, test_random_corpora, test_labeled_is_closed,
            test_threads_agree, test_empty, test_odd_bytes, test_letters,
            test_words_of_every_length, test_one_long_row);
