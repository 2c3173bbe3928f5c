/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of another selection, whose languages same-ratio follows, and the target that gold picks
 * from (spec 7.8, 7.9). */
#include "request_test.h"

#include "vectors.h"

/* A pool of rows with languages: "text 0", "text 1", ... and the tags of TV-SAMERATIO. */
static alcore_pool *language_pool(alcore_ctx *ctx, const vector_case *one) {
    static char texts[16][16];
    const char *views[16], *tags[16];
    alcore_records records = ALCORE_RECORDS_INIT;
    const json_t *list = vector_input(one, "languages");
    alcore_pool *pool;
    records.count = vector_length(list);
    for (int64_t i = 0; i < records.count; i++) {
        snprintf(texts[i], sizeof texts[i], "text %lld", (long long)i);
        views[i] = texts[i];
        tags[i] = json_string_value(json_array_get(list, (size_t)i));
    }
    records.texts = views;
    records.languages = tags;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* Three rows of ar, one of fa and one of hi, as numbers of rows and as a file of ids in which the
 * last is that of a phrase. */
START_TEST(languages_of_another_selection) {
    static const int64_t like[] = {0, 5, 7, 8, 9}, beyond[] = {0, 13};
    vector_case one = vector_case_number(vector_find("multilingual", "TV-SAMERATIO"), 0);
    int64_t count;
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = language_pool(ctx, &one);
    alcore_request *request = request_for(ctx, pool, "same-ratio", "5");
    ck_assert_ok(alcore_request_set(request, "seed", "42"));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, like, 5));
    const int64_t *picks = vector_integers(vector_expected(&one, "picks"), &count);
    alcore_selection *picked = selected(request);
    ck_rows(picked, picks, count);
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_provenance(picked), "\"rows of each language in like\":[3,1,1]"));
    alcore_selection_unref(picked);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, NULL, 0));
    write_file("like.txt", "1\n6\n8\n9\n10:0+2\n");
    ck_assert_ok(alcore_request_read_rows(request, ALCORE_ROWS_LIKE, "like.txt"));
    picked = selected(request);
    ck_rows(picked, picks, count);
    alcore_selection_unref(picked);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, like, 0)); /* like none */
    picked = selected(request);
    ck_assert_int_eq(alcore_selection_count(picked), 0);
    alcore_selection_unref(picked);
    /* Rows that are not there, more than the budget, counts beside them, and other strategies. */
    write_file("like.txt", "1\nnobody\n");
    ck_assert_fails(alcore_request_read_rows(request, ALCORE_ROWS_LIKE, "like.txt"),
                    ALCORE_E_NOT_FOUND, "like.txt:2: the pool has no id 'nobody'");
    write_file("like.txt", "1\n1:1+2\n"); /* row 1 has two words */
    ck_assert_fails(alcore_request_read_rows(request, ALCORE_ROWS_LIKE, "like.txt"),
                    ALCORE_E_NOT_FOUND, "like.txt:2: the pool has no id '1:1+2'");
    ck_assert_int_eq(remove("like.txt"), 0);
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, beyond, 2));
    ck_assert_fails(alcore_select(request, &picked), ALCORE_E_NOT_FOUND,
                    "(like): there is no row 13, the pool has 13");
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LIKE, like, 5));
    ck_assert_ok(alcore_request_set(request, "budget", "4"));
    ck_assert_fails(alcore_select(request, &picked), ALCORE_E_PARAM,
                    "(like): 5 rows are more than the budget of 4");
    set_parameter(ctx, request, "same-ratio", "counts", "hi:1");
    ck_assert_fails(alcore_select(request, &picked), ALCORE_E_PARAM, "both counts and the rows");
    set_parameter(ctx, request, "plan", "counts", "hi:1");
    ck_assert_fails(alcore_select(request, &picked), ALCORE_E_INVALID,
                    "strategy plan does not follow the languages of another selection");
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_str_eq(remedy.name, "same-ratio");
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Gold picks the same rows from the target, with other candidates or without any, as it does from
 * these rows as candidates; what the labeled pool holds is left out. */
START_TEST(gold_picks_from_the_target) {
    static const char *const known[] = {"sentence number 3 here"};
    static const int64_t row[] = {1};
    alcore_ctx *ctx;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    alcore_pool *pool = numbered_pool(ctx, 4), *target = numbered_pool(ctx, 20);
    alcore_pool *labeled = pool_of(ctx, known, 1);
    alcore_request *plain = request_for(ctx, target, "gold", "30");
    ck_assert_ok(alcore_request_set_pool(plain, ALCORE_ROLE_LABELED, labeled));
    alcore_selection *wanted = selected(plain);
    ck_assert_int_eq(alcore_selection_count(wanted), 19);
    alcore_pool *const candidates[] = {pool, NULL, target};
    for (size_t c = 0; c < sizeof candidates / sizeof *candidates; c++) {
        alcore_request *request = request_for(ctx, candidates[c], "gold", "30");
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
        alcore_selection *picked = selected(request);
        ck_rows(picked, alcore_selection_rows(wanted), 19);
        ck_assert_ptr_eq(alcore_selection_pool(picked), target);
        alcore_selection_unref(picked);
        /* The rows that a request names are those of its candidates. */
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, row, 1));
        if (candidates[c] == target) {
            picked = selected(request);
            ck_assert_int_eq(alcore_selection_count(picked), 18);
            alcore_selection_unref(picked);
        } else {
            ck_assert_fails(alcore_select(request, &picked), ALCORE_E_INVALID,
                            "strategy gold picks from the target, but the rows");
        }
        alcore_request_unref(request);
    }
    alcore_selection_unref(wanted);
    alcore_request_unref(plain);
    alcore_pool_unref(pool);
    alcore_pool_unref(target);
    alcore_pool_unref(labeled);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("request-roles", languages_of_another_selection, gold_picks_from_the_target);
