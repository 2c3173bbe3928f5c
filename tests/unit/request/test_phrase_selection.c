/* SPDX-License-Identifier: Apache-2.0 */
/* Selections of phrases through requests: the vectors of the specification, random corpora against
 * the definition, budgets and fill policies, pools of texts and pools of phrases, what the files
 * say. */
#include "phrase_request_test.h"

#include "../phrase/phrase_reference.h"
#include "vectors.h"

static alcore_pool *listed_pool(const json_t *list) {
    const char *texts[64];
    const int64_t count = vector_length(list);
    ck_assert_int_le(count, 64);
    for (int64_t i = 0; i < count; i++) texts[i] = vector_text(json_array_get(list, (size_t)i));
    return texts_pool(texts, count);
}

static void expect_texts(const alcore_selection *selection, const json_t *expected) {
    ck_assert_int_eq(alcore_selection_count(selection), vector_length(expected));
    for (int64_t k = 0; k < alcore_selection_count(selection); k++)
        ck_assert_str_eq(text_of_pick(selection, k),
                         vector_text(json_array_get(expected, (size_t)k)));
}

/* ---- vectors ---- */

/* Every case of TV-NGF and TV-SMP: whole rankings with their records, and budgets. */
static void check_vector(const char *name, const char *strategy) {
    const test_vector vector = vector_find("phrases", name);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        alcore_pool *pool = listed_pool(vector_input(&one, "unlabeled"));
        alcore_pool *labeled = listed_pool(vector_input(&one, "labeled"));
        const bool beyond = vector_has_input(&one, "smp_limit");
        const bool bought = vector_has_input(&one, "budget");
        char budget[32] = "1000w";
        if (bought)
            snprintf(budget, sizeof budget, "%gw", vector_double(vector_input(&one, "budget")));
        alcore_selection *selection =
            buy(pool, labeled, strategy, beyond ? "smp_limit=inf" : "", budget,
                bought ? vector_text(vector_input(&one, "fill")) : "overshoot");
        expect_texts(selection, vector_expected(&one, "phrases"));
        if (bought)
            ck_assert_double_eq(alcore_selection_spent(selection),
                                vector_double(vector_expected(&one, "spent")));
        const json_t *occurrences = json_object_get(one.expected, "occurrences");
        for (int64_t k = 0; occurrences && k < alcore_selection_count(selection); k++) {
            const size_t at = (size_t)k;
            const int64_t occ = vector_integer(json_array_get(occurrences, at));
            ck_assert_int_eq(record_of(selection, "occ", k), occ);
            ck_assert_double_eq(alcore_selection_scores(selection)[k], (double)occ);
            ck_assert_int_eq(
                record_of(selection, "first_row", k),
                vector_integer(json_array_get(vector_expected(&one, "first_row"), at)));
            ck_assert_int_eq(
                record_of(selection, "first_position", k),
                vector_integer(json_array_get(vector_expected(&one, "first_word"), at)));
        }
        alcore_selection_unref(selection);
        alcore_pool_unref(pool);
        alcore_pool_unref(labeled);
    }
}

START_TEST(frequent_phrases) {
    open_ctx();
    check_vector("TV-NGF", "ngf");
    close_ctx();
}
END_TEST

START_TEST(semi_maximal_phrases) {
    open_ctx();
    check_vector("TV-SMP", "ngf-smp");
    close_ctx();
}
END_TEST

START_TEST(random_phrases) {
    const test_vector vector = vector_find("phrases", "TV-RANDP");
    open_ctx();
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        const vector_case one = vector_case_number(vector, i);
        alcore_pool *pool = listed_pool(vector_input(&one, "unlabeled"));
        alcore_pool *labeled = listed_pool(vector_input(&one, "labeled"));
        const char *params = vector_has_input(&one, "exclude_labeled") ? "exclude_labeled=1"
                             : vector_has_input(&one, "by_tokens")     ? "weight=tokens"
                                                                       : "";
        alcore_selection *all = buy(pool, labeled, "random-phrase", params, "1000w", "overshoot");
        expect_texts(all, vector_expected(&one, "order"));
        ck_assert_uint_eq(alcore_selection_flags(all), ALCORE_SELECTION_SHORT);
        alcore_selection_unref(all);
        alcore_selection *some = buy(pool, labeled, "random-phrase", params, "7w", "overshoot");
        expect_texts(some, vector_expected(&one, "budget_7"));
        alcore_selection_unref(some);
        alcore_pool_unref(pool);
        alcore_pool_unref(labeled);
    }
    close_ctx();
}
END_TEST

/* ---- random corpora against the definition ---- */

enum { CORPORA = 40 };

/* What the definition buys: the phrases of the table that are neither known nor, for ngf-smp, not
 * semi-maximal, in the order of the table, by the rules of budgets (spec 1.6). out [count]. */
static int64_t buy_by_definition(const reference_table *table, bool semi_maximal, double budget,
                                 const char *fill, const reference_phrase **out, double *spent) {
    int64_t count = 0;
    *spent = 0;
    for (int i = 0; i < table->count && *spent < budget; i++) {
        const reference_phrase *phrase = &table->phrases[i];
        if (phrase->labeled || (semi_maximal && !phrase->semi_maximal)) continue;
        const bool fits = !(*spent + phrase->length > budget);
        if (!fits && strcmp(fill, "stop") == 0) break;
        if (!fits && strcmp(fill, "skip") == 0) continue;
        *spent += phrase->length;
        out[count++] = phrase;
    }
    return count;
}

static void compare(const alcore_selection *selection, const reference_phrase *const *expected,
                    int64_t count, double spent) {
    ck_assert_int_eq(alcore_selection_count(selection), count);
    ck_assert_double_eq(alcore_selection_spent(selection), spent);
    for (int64_t k = 0; k < count; k++) {
        ck_assert_str_eq(text_of_pick(selection, k), expected[k]->text);
        ck_assert_int_eq(record_of(selection, "occ", k), expected[k]->occ);
        ck_assert_int_eq(record_of(selection, "first_row", k), expected[k]->row);
        ck_assert_int_eq(record_of(selection, "first_position", k), expected[k]->word);
        ck_assert_int_eq(record_of(selection, "length", k), expected[k]->length);
    }
}

static reference_table table; /* too large for the stack */
static const reference_phrase *wanted[REFERENCE_PHRASES];

START_TEST(corpora_against_the_definition) {
    static const char *const FILLS[] = {"overshoot", "stop", "skip"};
    static const char *const BUDGETS[] = {"0w", "3w", "11w", "40w", "5000w"};
    static corpus texts;
    make_corpus((uint64_t)_i, &texts);
    open_ctx();
    alcore_pool *pool = texts_pool(texts.rows, TEXTS);
    alcore_pool *labeled = texts_pool(texts.labeled_rows, LABELED);
    for (int smp = 0; smp < 3; smp++) { /* ngf, ngf-smp, ngf-smp with smp_limit=inf */
        const int max_n = 1 + (_i + smp) % 5;
        char params[64];
        snprintf(params, sizeof params, "max_n=%d%s", max_n, smp == 2 ? " smp_limit=inf" : "");
        reference_list(&table, texts.rows, texts.states, TEXTS, texts.labeled_rows, LABELED, max_n,
                       smp == 2 ? 12 : max_n);
        for (int f = 0; f < 3; f++) {
            for (int b = 0; b < 5; b++) {
                double spent;
                const int64_t count = buy_by_definition(&table, smp > 0, strtod(BUDGETS[b], NULL),
                                                        FILLS[f], wanted, &spent);
                alcore_selection *selection =
                    buy(pool, labeled, smp ? "ngf-smp" : "ngf", params, BUDGETS[b], FILLS[f]);
                compare(selection, wanted, count, spent);
                alcore_selection_unref(selection);
            }
        }
    }
    alcore_pool_unref(pool);
    alcore_pool_unref(labeled);
    close_ctx();
}
END_TEST

/* ---- pools of phrases ---- */

/* A pool of texts and the pool of its phrases, derived beforehand, give the same selection. */
START_TEST(texts_equal_their_phrases) {
    static const char *const NAMES[] = {"ngf", "ngf-smp", "random-phrase", "random-phrase"};
    static const char *const PARAMS[] = {"", "", "", "weight=tokens exclude_labeled=1"};
    static corpus texts;
    make_corpus(300 + (uint64_t)_i, &texts);
    open_ctx();
    alcore_pool *pool = texts_pool(texts.rows, TEXTS), *phrases;
    alcore_pool *labeled = texts_pool(texts.labeled_rows, LABELED);
    ck_assert_ok(alcore_pool_derive_phrases(pool, labeled, NULL, &phrases));
    for (int s = 0; s < 4; s++) {
        alcore_selection *from_texts = buy(pool, labeled, NAMES[s], PARAMS[s], "25w", "skip");
        alcore_selection *from_phrases = buy(phrases, labeled, NAMES[s], PARAMS[s], "25w", "skip");
        expect_same_picks(from_texts, from_phrases);
        ck_assert_ptr_eq(alcore_selection_pool(from_phrases), phrases);
        ck_assert_ptr_eq(alcore_pool_source(alcore_selection_pool(from_texts)), pool);
        alcore_selection_unref(from_texts);
        alcore_selection_unref(from_phrases);
    }
    alcore_pool_unref(phrases);
    alcore_pool_unref(pool);
    alcore_pool_unref(labeled);
    close_ctx();
}
END_TEST

static void give_integers(alcore_pool *pool, const char *name, int64_t first) {
    int64_t values[] = {first, 1}, count = 2;
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_INT64, &count, 1));
    ck_assert_ok(alcore_pool_set_column(pool, name, &tensor, NULL, NULL));
}

/* Columns of phrases that a caller makes by hand. */
START_TEST(columns_by_hand) {
    static const char *const texts[] = {"one phrase", "another"};
    static const char *const NAMES[] = {"occurrences", "length", "first_row", "first_position",
                                        "known"};
    open_ctx();
    alcore_pool *pool = texts_pool(texts, 2);
    for (size_t c = 0; c < sizeof NAMES / sizeof NAMES[0]; c++) give_integers(pool, NAMES[c], 0);
    give_integers(pool, "occurrences", 3);
    alcore_request *request = request_for(ctx, pool, "ngf", "9");
    alcore_selection *selection = selected(request);
    ck_rows(selection, (const int64_t[]){0}, 1); /* the other one is known */
    ck_assert_uint_eq(alcore_selection_flags(selection), ALCORE_SELECTION_SHORT);
    alcore_selection_unref(selection);
    give_integers(pool, "occurrences", -3);
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_DATA,
                    "column 'occurrences' has no number of 0 or more for row 0");
    give_integers(pool, "occurrences", 3);
    set_parameter(ctx, request, "random-phrase", "weight", "tokens");
    ck_assert_fails(alcore_select(request, &selection), ALCORE_E_MISSING,
                    "weight=tokens reads the texts");
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

/* ---- what is said ---- */

static const char *const SPEC_TEXTS[] = {
    "the patient has severe headache", "the patient has severe nausea",
    "severe headache was reported",    "the patient was treated",
    "headache was reported",           "the patient has fever",
};
static const char *const SPEC_LABELED[] = {"the patient was late", "it was reported today"};

/* The reason of the pick with a text. */
static const char *reason_of(const alcore_selection *selection, const char *text) {
    for (int64_t k = 0; k < alcore_selection_count(selection); k++)
        if (strcmp(text_of_pick(selection, k), text) == 0)
            return alcore_selection_reason(selection, k);
    return "not bought";
}

/* The numbers of reasons, counted by hand. Of five texts the 13 phrases of up to three words are
 *
 *     3 words    "a b c", "a b d", "x x x", all semi-maximal
 *     2 words    "a b" 3 times, "x x" twice in one text, "b c", "b d"; the first two semi-maximal
 *     1 word     a, b, x 3 times each, c, d, e; only e is semi-maximal
 *
 * and a budget that buys few of them changes nothing: the longer phrases are those of the pool. */
START_TEST(reasons_count_the_longer_phrases_of_the_pool) {
    static const char *const FIVE[] = {"a b c", "a b d", "a b", "e", "x x x"};
    static const char *const ONE[] = {"a b d x"};
    static const char *const NAMES[] = {"ngf", "random-phrase"};
    open_ctx();
    alcore_pool *pool = texts_pool(FIVE, 5), *known = texts_pool(ONE, 1), *phrases;
    for (int s = 0; s < 2; s++) { /* all phrases may be bought */
        alcore_selection *all = buy(pool, NULL, NAMES[s], "max_n=3", "1000w", "overshoot");
        const char *const drawn = s ? "drawn at random; " : "";
        const char *const expected[][2] = {
            {"a b c", "occurs once, in 20 % of the pool"},
            {"a b", "occurs 3 times, in 60 % of the pool; 2 of 3 longer phrases contain it"},
            {"b c", "occurs once, in 20 % of the pool; 1 of 3 longer phrases contains it"},
            {"x x", "occurs 2 times, in 20 % of the pool; 1 of 3 longer phrases contains it"},
            {"a", "occurs 3 times, in 60 % of the pool; 3 of 7 longer phrases contain it"},
            {"b", "occurs 3 times, in 60 % of the pool; 5 of 7 longer phrases contain it"},
            {"c", "occurs once, in 20 % of the pool; 2 of 7 longer phrases contain it"},
            {"x", "occurs 3 times, in 20 % of the pool; 2 of 7 longer phrases contain it"},
            {"e", "occurs once, in 20 % of the pool"}};
        ck_assert_int_eq(alcore_selection_count(all), 13);
        for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
            char reason[128];
            snprintf(reason, sizeof reason, "%s%s", drawn, expected[i][1]);
            ck_assert_str_eq(reason_of(all, expected[i][0]), reason);
        }
        alcore_selection_unref(all);
    }
    /* One pick: the longer phrases are not bought, and are counted. */
    alcore_selection *one = buy(pool, NULL, "ngf", "max_n=3", "2w", "overshoot");
    ck_assert_int_eq(alcore_selection_count(one), 1);
    ck_assert_str_eq(reason_of(one, "a b"),
                     "occurs 3 times, in 60 % of the pool; 2 of 3 longer phrases contain it");
    alcore_selection_unref(one);
    /* Semi-maximal ones alone. */
    one = buy(pool, NULL, "ngf-smp", "max_n=3", "2w", "overshoot");
    ck_assert_int_eq(alcore_selection_count(one), 1);
    ck_assert_str_eq(reason_of(one, "a b"),
                     "occurs 3 times, in 60 % of the pool; 2 of 3 longer phrases contain it");
    alcore_selection_unref(one);
    /* Of a labeled text "a b d x" are known: a, b, d, x, "a b", "b d", "a b d"; left are "a b c",
     * "x x x", "b c", "x x", c, e. The same from a pool of all phrases. */
    ck_assert_ok(alcore_pool_derive_phrases(pool, known, NULL, &phrases));
    for (int s = 0; s < 2; s++) {
        one = buy(s ? phrases : pool, known, "ngf", s ? "" : "max_n=3", "1000w", "overshoot");
        ck_assert_int_eq(alcore_selection_count(one), 6);
        ck_assert_str_eq(reason_of(one, "b c"),
                         "occurs once, in 20 % of the pool; 1 of 2 longer phrases contains it");
        ck_assert_str_eq(reason_of(one, "c"),
                         "occurs once, in 20 % of the pool; 2 of 4 longer phrases contain it");
        alcore_selection_unref(one);
        one = buy(s ? phrases : pool, known, "ngf-smp", s ? "" : "max_n=3", "1000w", "overshoot");
        ck_assert_str_eq(reason_of(one, "x x"),
                         "occurs 2 times, in 20 % of the pool; 1 of 2 longer phrases contains it");
        alcore_selection_unref(one);
    }
    alcore_pool_unref(phrases);
    alcore_pool_unref(known);
    alcore_pool_unref(pool);
    /* One longer phrase, and less than 1 % of the rows. */
    const char *many[201] = {"y y"};
    for (int i = 1; i < 201; i++) many[i] = "z";
    pool = texts_pool(many, 201);
    one = buy(pool, NULL, "ngf", "", "1000w", "overshoot");
    ck_assert_str_eq(reason_of(one, "y"),
                     "occurs 2 times, in 1 of 201 rows; the one longer phrase contains it");
    ck_assert_str_eq(reason_of(one, "z"), "occurs 200 times, in 100 % of the pool");
    alcore_selection_unref(one);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

/* The phrases of no texts, to which the caller adds one: there is no share of the texts to tell. */
START_TEST(phrases_of_no_texts) {
    static const char *const texts[] = {""}, *const added[] = {"a b"};
    open_ctx();
    alcore_pool *pool = texts_pool(texts, 1), *phrases;
    ck_assert_ok(alcore_pool_derive_phrases(pool, NULL, NULL, &phrases));
    ck_assert_ok(alcore_pool_add_texts(phrases, added, NULL, 1, NULL));
    alcore_request *request = request_for(ctx, phrases, "random", "1");
    alcore_selection *selection = selected(request);
    ck_assert_str_eq(reason_of(selection, "a b"), "drawn at random; occurs 0 times");
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(phrases);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

static void expect_in(const char *text, const char *part) {
    ck_assert_msg(strstr(text, part), "\"%s\" is not in:\n%s", part, text);
}

START_TEST(files_and_words) {
    open_ctx();
    alcore_pool *pool = texts_pool(SPEC_TEXTS, 6), *labeled = texts_pool(SPEC_LABELED, 2);
    alcore_request *request = request_for(ctx, pool, "ngf", "7w");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    ck_assert_ok(alcore_request_set(request, "price", "0.5EUR/w"));
    alcore_selection *selection = selected(request);
    ck_assert_str_eq(alcore_selection_reason(selection, 0),
                     "occurs 3 times, in 50 % of the pool; 2 of 6 longer phrases contain it");
    ck_assert_str_eq(alcore_selection_reason(selection, 1),
                     "occurs 3 times, in 50 % of the pool; 7 of 14 longer phrases contain it");
    ck_assert_str_eq(alcore_selection_reason(selection, 2),
                     "occurs 3 times, in 50 % of the pool; 12 of 21 longer phrases contain it");
    ck_assert_double_eq(alcore_selection_amount(selection), 3.5);
    expect_in(alcore_selection_summary(selection), "rows read: 6\nphrases of 6 rows: 27\n");
    expect_in(alcore_selection_summary(selection), "selected 4 phrases: 7 words");
    ck_assert_ptr_null(strstr(alcore_selection_summary(selection), "occurrences:"));
    expect_in(alcore_selection_provenance(selection), "\"phrases_of_rows\":6");
    ck_assert_ok(alcore_selection_write(selection, "phrase_selection.tsv", NULL));
    expect_in(file_text("phrase_selection.tsv"),
              "rank\tindex\tid\tscore\tcost\tocc\tfirst_position\tlength\treason\ttext\n"
              "1\t0\t1:0+3\t3\t3\t3\t0\t3\toccurs 3 times, in 50 % of the pool; 2 of 6 longer "
              "phrases contain it\tthe patient has\n");
    ck_assert_ok(alcore_selection_write(selection, "phrase_selection.jsonl", NULL));
    expect_in(file_text("phrase_selection.jsonl"),
              "\"id\":\"1:0+3\",\"source\":\"the patient has\",\"lang\":\"unknown\",\"contexts\":["
              "{\"id\":\"1\",\"index\":0,\"source\":\"the patient has severe headache\"},"
              "{\"id\":\"2\",\"index\":1,\"source\":\"the patient has severe nausea\"},"
              "{\"id\":\"6\",\"index\":5,\"source\":\"the patient has fever\"}],\"al\":{");
    remove("phrase_selection.tsv");
    remove("phrase_selection.jsonl");
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_pool_unref(labeled);
    close_ctx();
}
END_TEST

/* Rows that the request leaves out have no phrases; without any row there is nothing to buy. */
START_TEST(rows_of_the_request) {
    static const int64_t ALL[] = {0, 1, 2, 3, 4, 5};
    open_ctx();
    alcore_pool *pool = texts_pool(SPEC_TEXTS, 6);
    alcore_request *request = request_for(ctx, pool, "ngf-smp", "4w");
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, ALL, 2));
    alcore_selection *selection = selected(request);
    ck_assert_str_eq(text_of_pick(selection, 0), "the patient has severe");
    ck_assert_str_eq(alcore_selection_reason(selection, 0), "occurs 2 times, in 100 % of the pool");
    expect_in(alcore_selection_summary(selection),
              "rows read: 6; masked: 4 not among the eligible\nphrases of 2 rows: ");
    alcore_selection_unref(selection);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, ALL, 6));
    selection = selected(request);
    ck_assert_int_eq(alcore_selection_count(selection), 0);
    ck_assert_uint_eq(alcore_selection_flags(selection), ALCORE_SELECTION_SHORT);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    close_ctx();
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("phrases");
    tcase_set_timeout(all, 300);
    tcase_add_test(all, frequent_phrases);
    tcase_add_test(all, semi_maximal_phrases);
    tcase_add_test(all, random_phrases);
    tcase_add_loop_test(all, corpora_against_the_definition, 0, CORPORA);
    tcase_add_loop_test(all, texts_equal_their_phrases, 0, 10);
    tcase_add_test(all, columns_by_hand);
    tcase_add_test(all, reasons_count_the_longer_phrases_of_the_pool);
    tcase_add_test(all, phrases_of_no_texts);
    tcase_add_test(all, files_and_words);
    tcase_add_test(all, rows_of_the_request);
    return check_suite_run("phrase-selection", all);
}
