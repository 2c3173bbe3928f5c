/* SPDX-License-Identifier: Apache-2.0 */
/* Words in the reasons of a selection whose values are of tokens: the null module
 * (module/null_model.c) scores tokens, of which words have several, and the reasons name the words
 * whose tokens together are the least likely. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_folder.h"

/* WordPiece: "headache" has two tokens, "nonfeverish" three, and a mark is a token of its own. */
static const char vocabulary[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\npatient\nwith\nfever\nno\nhead\n"
                                 "##ache\nnon\n##fever\n##ish\n(\n)\n,\n";

/* A text and the number of tokens of each of its words, 0 behind the last. */
typedef struct cut {
    const char *text;
    int tokens[8];
} cut;
enum { ROWS = 4 };
static const cut sources[] = {{"a patient with (headache), no fever", {1, 1, 1, 5, 1, 1}},
                              {"  nonfeverish\theadache ", {3, 2}},
                              {"no headache, no fever", {1, 3, 1, 1}},
                              {"a fever", {1, 1}}};
static const cut references[] = {{"nonfeverish patient", {3, 1}},
                                 {"a patient with fever, no headache", {1, 1, 1, 2, 1, 2}},
                                 {"", {0}},
                                 {"fever a no with patient fever", {1, 1, 1, 1, 1, 1}}};

/* The log-probabilities of a model whose "best" is 100 are 101 times those of the module without
 * it: each token has less than one chance in 10,000. */
#define FAR "\"dims\": 3, \"tokens\": 1, \"best\": 100"
/* The one call of the model, as a bit: ALCORE_SYS_MODEL_MLM_LOSSES. */
#define MASKED ", \"calls\": 32"

static void make_folder(const char *config) {
    new_folder(config);
    write_file("vocab.txt", vocabulary);
}

static alcore_pool *pool_of(alcore_ctx *ctx) {
    const char *texts[ROWS], *given[ROWS];
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    for (int i = 0; i < ROWS; i++) {
        texts[i] = sources[i].text;
        given[i] = references[i].text;
    }
    records.texts = texts;
    records.references = given;
    records.count = ROWS;
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

static alcore_model *open_model(alcore_ctx *ctx) {
    alcore_model *model;
    MUST(alcore_model_open(ctx, folder, NULL, &model));
    return model;
}

/* The picks of a strategy, at most `budget` rows. model NULL: none. */
static alcore_status select_by(alcore_ctx *ctx, alcore_pool *pool, alcore_model *model,
                               const char *name, const char *budget, alcore_selection **out) {
    alcore_request *request;
    alcore_strategy *strategy;
    *out = NULL;
    alcore_status status = alcore_request_new(ctx, &request);
    if (status != ALCORE_OK) return status;
    status = alcore_strategy_new(ctx, name, &strategy);
    if (status == ALCORE_OK) {
        status = alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool);
        if (status == ALCORE_OK) status = alcore_request_set_strategy(request, strategy);
        if (status == ALCORE_OK && model) status = alcore_request_set_model(request, model);
        if (status == ALCORE_OK) status = alcore_request_set(request, "budget", budget);
        if (status == ALCORE_OK) status = alcore_select(request, out);
        alcore_strategy_unref(strategy);
    }
    alcore_request_unref(request);
    return status;
}

/* The words of a text with ASCII punctuation around them removed, each once, by the sum of its
 * values, the smallest first; `values` has `skip` others before the first. Writes what the reason
 * says of the first three of them that are below ln(1 / 10,000). */
static void expect_words(const cut *one, const float *values, int skip, char *out) {
    char copy[100], *rest = NULL, *names[8];
    double sums[8];
    int count = 0, word = 0, value = skip;
    strcpy(copy, one->text);
    *out = '\0';
    for (char *next = strtok_r(copy, " \t", &rest); next; next = strtok_r(NULL, " \t", &rest)) {
        double sum = 0;
        for (int k = 0; k < one->tokens[word]; k++) sum += (double)values[value++];
        word++;
        next += strspn(next, "(),");
        next[strcspn(next, "(),")] = '\0';
        int i = 0;
        while (i < count && strcmp(names[i], next) != 0) i++;
        if (i == count || sum < sums[i]) sums[i] = sum;
        names[i] = next;
        count += i == count;
    }
    for (int listed = 0; listed < 3; listed++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (sums[i] < -9.210340371976184 && (best < 0 || sums[i] < sums[best])) best = i;
        if (best < 0) return;
        strcat(out, listed == 0 ? "; rare words: " : ", ");
        strcat(out, names[best]);
        sums[best] = 0;
    }
}

/* Checks what the reasons say of words. texts: those that the values of a column are of; sign: what
 * makes log-probabilities of them; skip: values before those of the first word. */
static void check_reasons(const alcore_selection *selection, const cut *texts, const char *name,
                          float sign, int skip) {
    alcore_tensor tensor, bounds;
    int named = 0;
    MUST(alcore_pool_get_column(alcore_selection_pool(selection), name, &tensor, &bounds));
    for (int64_t rank = 0; rank < alcore_selection_count(selection); rank++) {
        const int64_t row = alcore_selection_rows(selection)[rank];
        const int64_t *offsets = bounds.data;
        float values[20];
        char wanted[200];
        for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
            values[k - offsets[row]] = sign * ((const float *)tensor.data)[k];
        expect_words(&texts[row], values, skip, wanted);
        const char *reason = alcore_selection_reason(selection, rank);
        const char *found = strstr(reason, "; rare words");
        ck_assert_str_eq(found ? found : "", wanted);
        named += *wanted != '\0';
    }
    ck_assert_int_ge(named, 2);
}

START_TEST(words_of_masked_losses_are_named) {
    make_folder("{" FAR MASKED "}");
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx);
    alcore_selection *selection;
    MUST(select_by(ctx, pool, model, "alps", "4", &selection));
    ck_assert_int_eq(alcore_selection_count(selection), ROWS);
    check_reasons(selection, sources, "mlm_losses", -1, 0);
    /* Five tokens: more than any word of one token. */
    for (int64_t rank = 0; rank < ROWS; rank++)
        if (alcore_selection_rows(selection)[rank] == 0)
            ck_assert_ptr_nonnull(
                strstr(alcore_selection_reason(selection, rank), "; rare words: headache, "));
    alcore_selection_unref(selection);
    end_model(ctx, pool, model);
}
END_TEST

/* Rare is below one chance in 10,000, a sum of -9.21. */
START_TEST(likely_words_are_not_named) {
    make_folder("{\"dims\": 3, \"tokens\": 1" MASKED "}");
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx);
    alcore_selection *selection;
    MUST(select_by(ctx, pool, model, "alps", "4", &selection));
    for (int64_t rank = 0; rank < ROWS; rank++)
        ck_assert_ptr_null(strstr(alcore_selection_reason(selection, rank), "rare words"));
    alcore_selection_unref(selection);
    end_model(ctx, pool, model);
}
END_TEST

/* A model that is told to fail gives no values: they come from the cache. */
START_TEST(a_column_from_the_cache_names_the_same_words) {
    char cache[100];
    make_folder("{" FAR MASKED "}");
    snprintf(cache, sizeof cache, "%s/cache", folder);
    for (int run = 0; run < 2; run++) {
        alcore_ctx *ctx = null_context(NULL);
        alcore_pool *pool = pool_of(ctx);
        alcore_model *model = open_model(ctx);
        alcore_selection *selection;
        MUST(alcore_model_set_cache(model, cache, INFINITY));
        MUST(select_by(ctx, pool, model, "alps", "4", &selection));
        check_reasons(selection, sources, "mlm_losses", -1, 0);
        alcore_selection_unref(selection);
        if (run == 1) {
            char command[120];
            snprintf(command, sizeof command, "rm -r '%s'", cache);
            ck_assert_int_eq(system(command), 0);
            end_model(ctx, pool, model);
            break;
        }
        write_file("config.json", "{" FAR MASKED ", \"fail\": 1}");
        alcore_model_unref(model);
        alcore_pool_unref(pool);
        alcore_ctx_unref(ctx);
    }
}
END_TEST

/* Of a reference special tokens have values too, [CLS] the first one. */
START_TEST(words_of_references_are_named) {
    static const int64_t later_row = 3;
    static const char *const later = "patient no with a fever patient";
    make_folder("{" FAR "}");
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx);
    alcore_selection *selection;
    MUST(alcore_model_score(model, pool));
    MUST(select_by(ctx, pool, NULL, "nnll", "4", &selection));
    check_reasons(selection, references, "logprobs", 1, 1);
    alcore_selection_unref(selection);
    /* A reference that comes later was not scored, though it has as many tokens. */
    MUST(alcore_pool_set_references(pool, &later_row, &later, NULL, 1));
    MUST(select_by(ctx, pool, NULL, "nnll", "4", &selection));
    for (int64_t rank = 0; rank < ROWS; rank++)
        ck_assert_ptr_null(strstr(alcore_selection_reason(selection, rank), "rare words"));
    alcore_selection_unref(selection);
    end_model(ctx, pool, model);
}
END_TEST

/* The module's translation has the tokens of a text in reverse order. Of these texts the reversed
 * tokens are cut as they are; "##ache" without what it continues becomes other tokens, of which
 * there are more than values: no word of that text is named. */
START_TEST(words_of_outputs_are_named) {
    static const char *const texts[] = {"a patient", "no fever", "headache"};
    static const cut outputs[] = {{"patient a", {1, 1}}, {"fever no", {1, 1}}, {"", {0}}};
    make_folder("{" FAR "}");
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool, *out;
    alcore_model *model = open_model(ctx);
    alcore_selection *selection;
    MUST(alcore_pool_new(ctx, NULL, &pool));
    MUST(alcore_pool_add_texts(pool, texts, NULL, 3, NULL));
    MUST(alcore_model_translate(model, pool, NULL, &out));
    ck_assert_str_eq(alcore_pool_text(out, 0, NULL), outputs[0].text);
    MUST(select_by(ctx, out, NULL, "nnll", "3", &selection));
    check_reasons(selection, outputs, "logprobs", 1, 0);
    alcore_selection_unref(selection);
    alcore_pool_unref(out);
    end_model(ctx, pool, model);
}
END_TEST

/* The model's own outputs are not in the pool: the words of its texts are others. */
START_TEST(words_of_hypotheses_are_not_known) {
    make_folder("{" FAR "}");
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx);
    alcore_selection *selection;
    MUST(select_by(ctx, pool, model, "nnll", "4", &selection));
    for (int64_t rank = 0; rank < ROWS; rank++)
        ck_assert_ptr_null(strstr(alcore_selection_reason(selection, rank), "rare words"));
    alcore_selection_unref(selection);
    /* Nor are those of references once the same column has hypotheses again. */
    MUST(alcore_model_score(model, pool));
    MUST(alcore_model_run(model, pool, "logprobs"));
    MUST(select_by(ctx, pool, model, "nnll", "4", &selection));
    for (int64_t rank = 0; rank < ROWS; rank++)
        ck_assert_ptr_null(strstr(alcore_selection_reason(selection, rank), "rare words"));
    alcore_selection_unref(selection);
    end_model(ctx, pool, model);
}
END_TEST

/* Scoring and selecting with the n-th allocation failing, for every n. */
START_TEST(failing_allocations_leave_nothing) {
    make_folder("{" FAR "}");
    int failures = 0;
    for (long long n = 1;; n++) {
        alcore_ctx *ctx = null_context(NULL);
        alcore_pool *pool = pool_of(ctx);
        alcore_model *model = open_model(ctx);
        alcore_selection *selection = NULL;
        fault_arm(&fault, n, 0);
        alcore_status status = alcore_model_score(model, pool);
        if (status == ALCORE_OK) status = select_by(ctx, pool, NULL, "nnll", "2", &selection);
        fault_arm(&fault, 0, 0);
        alcore_selection_unref(selection);
        if (status == ALCORE_OK) {
            end_model(ctx, pool, model);
            break;
        }
        ck_assert_int_eq(status, ALCORE_E_NOMEM);
        failures++;
        alcore_model_unref(model);
        alcore_pool_unref(pool);
        alcore_ctx_unref(ctx);
        ck_assert_int_eq(fault.live_bytes, 0);
    }
    ck_assert_int_gt(failures, 50);
}
END_TEST

CHECK_SUITE("model words", words_of_masked_losses_are_named, likely_words_are_not_named,
            a_column_from_the_cache_names_the_same_words, words_of_references_are_named,
            words_of_outputs_are_named, words_of_hypotheses_are_not_known,
            failing_allocations_leave_nothing);
