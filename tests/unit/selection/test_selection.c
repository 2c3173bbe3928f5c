/* SPDX-License-Identifier: Apache-2.0 */
/* Selections: reasons, record, provenance, summary, files and reports. */
#include "request_test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault_allocator.h"
#include "vectors.h"

static alcore_ctx *ctx;
static alcore_pool *pool;
static alcore_request *request;
static alcore_selection *selection;
static char path[64];

static void open_huds_with(const alcore_ctx_options *options, const char *budget) {
    alcore_strategy *strategy;
    ck_assert_ok(alcore_ctx_new(options, &ctx));
    pool = huds_pool(ctx);
    request = request_for(ctx, pool, "huds", budget);
    ck_assert_ok(alcore_strategy_new(ctx, "huds", &strategy));
    ck_assert_ok(alcore_strategy_set(strategy, "n_strata", "4"));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set(request, "command", "[\"alcore\",\"select\"]"));
    alcore_strategy_unref(strategy);
    selection = selected(request);
    snprintf(path, sizeof path, "/tmp/alcore-selection-%d", (int)getpid());
}

static void open_huds(const char *budget) {
    open_huds_with(NULL, budget);
}

static void close_huds(void) {
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

/* The file's content, to be freed; the file is removed. */
static char *written(const char *suffix, bool report) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", path, suffix);
    ck_assert_ok(report ? alcore_selection_report(selection, name, NULL)
                        : alcore_selection_write(selection, name, NULL));
    FILE *file = fopen(name, "rb");
    ck_assert_ptr_nonnull(file);
    char *text = calloc(1, 1 << 16);
    ck_assert_uint_gt(fread(text, 1, (1 << 16) - 1, file), 0);
    fclose(file);
    unlink(name);
    return text;
}

START_TEST(reasons) {
    open_huds("4");
    /* Picks 7 5 4 6. */
    ck_assert_str_eq(
        alcore_selection_reason(selection, 0),
        "uncertainty top 13 %; stratum 4 of 4 (2 rows), diversity low, above 0 % of it; "
        "chosen by uncertainty; also the given scores' pick");
    ck_assert_str_eq(
        alcore_selection_reason(selection, 1),
        "uncertainty top 38 %; stratum 3 of 4 (2 rows), diversity low, above 0 % of it; "
        "chosen by uncertainty; also the given scores' and diversity's pick");
    ck_assert_ptr_null(alcore_selection_reason(selection, 4));
    ck_assert_ptr_null(alcore_selection_reason(selection, -1));
    close_huds();
}
END_TEST

/* The first pick of HUDS with one stratum among four rows of two-dimensional embeddings. */
static void open_four(const double *scores, const double *embeddings) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    pool = numbered_pool(ctx, 4);
    give(pool, "scores", scores, 4, 1);
    give(pool, "embeddings", embeddings, 4, 2);
    request = request_for(ctx, pool, "huds", "1");
    set_parameter(ctx, request, "huds", "n_strata", "1");
    ck_assert_ok(alcore_select(request, &selection));
}

/* A term decides by how far a pick is from the mean of all candidates: the scores are large and
 * nearly equal, and the pick stands out by its embedding. */
START_TEST(what_all_candidates_share_decides_nothing) {
    static const double scores[] = {100, 100.1, 100.2, 100},
                        embeddings[] = {1, 0, 1, 0, 1, 0, 0, 1};
    open_four(scores, embeddings);
    ck_assert_int_eq(alcore_selection_rows(selection)[0], 3);
    ck_assert_msg(strstr(alcore_selection_reason(selection, 0), "chosen by diversity"), "%s",
                  alcore_selection_reason(selection, 0));
    close_huds();
}
END_TEST

/* All candidates are alike, so that no term contributes more than the other. */
START_TEST(equal_contributions_decide_nothing) {
    static const double scores[] = {1, 1, 1, 1}, embeddings[] = {1, 0, 1, 0, 1, 0, 1, 0};
    open_four(scores, embeddings);
    ck_assert_msg(strstr(alcore_selection_reason(selection, 0), "chosen by the terms alike"), "%s",
                  alcore_selection_reason(selection, 0));
    close_huds();
}
END_TEST

START_TEST(the_record) {
    alcore_tensor tensor;
    open_huds("4");
    ck_assert_ok(alcore_selection_get_column(selection, ALCORE_SCOPE_PICKS, "stratum", &tensor));
    ck_assert_int_eq(tensor.shape[0], 4);
    ck_assert_int_eq(((const int64_t *)tensor.data)[0], 3);
    ck_assert_int_eq(((const int64_t *)tensor.data)[1], 2);
    ck_assert_ok(alcore_selection_get_column(selection, ALCORE_SCOPE_CANDIDATES, "rank", &tensor));
    ck_assert_int_eq(tensor.shape[0], 8);
    ck_assert_int_eq(((const int64_t *)tensor.data)[7], 0);
    ck_assert_int_eq(((const int64_t *)tensor.data)[0], -1);
    ck_assert_ok(alcore_selection_get_column(selection, ALCORE_SCOPE_CANDIDATES, "u", &tensor));
    ck_assert_double_eq(((const double *)tensor.data)[6], 3.5);
    ck_assert_fails(alcore_selection_get_column(selection, ALCORE_SCOPE_PICKS, "none", &tensor),
                    ALCORE_E_NOT_FOUND, "none");
    ck_assert_ptr_null(tensor.data);
    ck_assert_str_eq(alcore_selection_column_name(selection, ALCORE_SCOPE_PICKS, 0), "u");
    ck_assert_str_eq(alcore_selection_column_name(selection, ALCORE_SCOPE_CANDIDATES, 0), "row");
    ck_assert_ptr_null(alcore_selection_column_name(selection, ALCORE_SCOPE_PICKS, 99));
    close_huds();
}
END_TEST

/* The ranks of all candidates are made when they are first read, and stay. */
START_TEST(ranks_are_made_when_they_are_read) {
    fault_allocator fault = {0};
    alcore_allocator table = fault_table(&fault);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_tensor tensor, again;
    options.allocator = &table;
    open_huds_with(&options, "4");
    fault_arm(&fault, 1, 1 /* and all later calls */);
    ck_assert_fails(
        alcore_selection_get_column(selection, ALCORE_SCOPE_CANDIDATES, "rank", &tensor),
        ALCORE_E_NOMEM, "");
    ck_assert_ptr_null(tensor.data);
    fault_arm(&fault, 0, 0);
    ck_assert_ok(alcore_selection_get_column(selection, ALCORE_SCOPE_CANDIDATES, "rank", &tensor));
    fault_arm(&fault, 1, 1);
    ck_assert_ok(alcore_selection_get_column(selection, ALCORE_SCOPE_CANDIDATES, "rank", &again));
    fault_arm(&fault, 0, 0);
    ck_assert_ptr_eq(tensor.data, again.data);
    ck_assert_int_eq(((const int64_t *)tensor.data)[7], 0);
    close_huds();
    ck_assert_int_eq(atomic_load(&fault.live_bytes), 0);
}
END_TEST

/* The record is that of the largest budget, but the ranks, which are of each selection's picks. */
START_TEST(records_of_several_budgets) {
    static const int64_t ranks[3][8] = {{-1, -1, -1, -1, -1, 1, -1, 0}, /* of picks 7 5 4 6 */
                                        {-1, -1, -1, -1, 2, 1, 3, 0},
                                        {-1, -1, -1, -1, -1, -1, -1, 0}};
    alcore_tensor largest;
    open_huds("2,4,1");
    ck_assert_ok(alcore_selection_get_column(alcore_selection_of_budget(selection, 1),
                                             ALCORE_SCOPE_CANDIDATES, "d", &largest));
    for (int64_t i = 0; i < 3; i++) {
        const alcore_selection *one = alcore_selection_of_budget(selection, i);
        alcore_tensor column;
        ck_assert_ok(alcore_selection_get_column(one, ALCORE_SCOPE_CANDIDATES, "rank", &column));
        ck_assert_int_eq(column.shape[0], 8);
        ck_assert_mem_eq(column.data, ranks[i], sizeof ranks[i]);
        ck_assert_ok(alcore_selection_get_column(one, ALCORE_SCOPE_CANDIDATES, "d", &column));
        ck_assert_mem_eq(column.data, largest.data, 8 * sizeof(double));
        ck_assert_ok(alcore_selection_get_column(one, ALCORE_SCOPE_PICKS, "stratum", &column));
        ck_assert_int_eq(column.shape[0], alcore_selection_count(one));
    }
    close_huds();
}
END_TEST

START_TEST(provenance_is_json) {
    open_huds("4");
    json_error_t error;
    json_t *root = json_loads(alcore_selection_provenance(selection), 0, &error);
    ck_assert_msg(root, "%s in %s", error.text, alcore_selection_provenance(selection));
    ck_assert_str_eq(json_string_value(json_object_get(root, "version")), alcore_version());
    ck_assert_str_eq(json_string_value(json_object_get(root, "strategy")), "huds");
    ck_assert_int_eq(json_integer_value(json_object_get(root, "seed")), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(root, "command")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "round")), 1);
    json_t *parameters = json_object_get(root, "parameters");
    ck_assert_int_eq(json_integer_value(json_object_get(parameters, "n_strata")), 4);
    ck_assert_str_eq(json_string_value(json_object_get(parameters, "rescale")), "none");
    json_t *candidates = json_object_get(json_object_get(root, "inputs"), "candidates");
    ck_assert_int_eq(json_integer_value(json_object_get(candidates, "rows")), 8);
    ck_assert_ptr_nonnull(json_object_get(candidates, "fingerprint"));
    json_t *embeddings = json_object_get(json_object_get(candidates, "columns"), "embeddings");
    ck_assert_int_eq(json_integer_value(json_array_get(json_object_get(embeddings, "shape"), 1)),
                     2);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(root, "masked"), "empty")),
                     0);
    json_t *engines = json_object_get(root, "engines");
    ck_assert_ptr_nonnull(json_string_value(json_object_get(engines, "scorer")));
    ck_assert_ptr_nonnull(json_string_value(json_object_get(engines, "strategy")));
    ck_assert_ptr_null(json_object_get(engines, "model")); /* every column was given */
    json_decref(root);
    ck_assert_ok(alcore_pool_drop_column(pool, "scores"));
    alcore_selection_unref(selection);
    give_ngram(ctx, request, NULL);
    selection = selected(request);
    root = json_loads(alcore_selection_provenance(selection), 0, &error);
    engines = json_object_get(root, "engines");
    ck_assert_str_eq(json_string_value(json_object_get(engines, "model")), "cpu");
    json_decref(root);
    close_huds();
}
END_TEST

START_TEST(the_summary) {
    open_huds("4");
    const char *summary = alcore_selection_summary(selection);
    ck_assert_ptr_nonnull(strstr(summary, "strategy huds, round 1, seed 0\n"));
    ck_assert_ptr_nonnull(strstr(summary, "selected 4 items: 16 words, "));
    ck_assert_ptr_nonnull(strstr(summary, "spent 4 of 4 items\n"));
    ck_assert_ptr_nonnull(strstr(
        summary,
        "the given scores alone would have made 100 % of these picks, diversity alone 50 %"));
    ck_assert_ptr_null(strstr(summary, "SHORT"));
    close_huds();
}
END_TEST

START_TEST(lopsided_terms_are_told) {
    double wide[8];
    open_huds("2");
    for (int i = 0; i < 8; i++) wide[i] = huds_scores[i] * 100;
    give(pool, "scores", wide, 8, 1);
    alcore_selection_unref(selection);
    selection = selected(request);
    ck_assert_ptr_nonnull(strstr(alcore_selection_summary(selection), "uncertainty varies more"));
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    ck_assert_ok(alcore_selection_remedy(selection, 0, &remedy));
    ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_PARAMETER);
    ck_assert_str_eq(remedy.name, "rescale");
    ck_assert_str_eq(remedy.value, "rank");
    ck_assert_fails(alcore_selection_remedy(selection, 1, &remedy), ALCORE_E_NOT_FOUND,
                    "1 remedies");
    close_huds();
}
END_TEST

START_TEST(tsv) {
    open_huds("2");
    char *text = written(".tsv", false);
    const char *header = "rank\tindex\tid\tscore\tcost\tu\td\tstratum\t";
    ck_assert_msg(strncmp(text, header, strlen(header)) == 0, "%s", text);
    ck_assert_ptr_nonnull(strstr(text, "\treason\ttext\n1\t7\t8\t2.25\t1\t4.5\t0\t3\t"));
    ck_assert_ptr_nonnull(strstr(text, "\tsentence number 7 here\n2\t5\t6\t2\t1\t3\t1\t2\t"));
    free(text);
    close_huds();
}
END_TEST

/* The picks as a table of Arrow, whose stream keeps the selection alive. */
START_TEST(a_table_of_arrow) {
    static const char *const columns[][2] = {{"rank", "l"},  {"index", "l"}, {"id", "U"},
                                             {"score", "g"}, {"cost", "g"},  {"u", "g"}};
    static const char *const last[] = {"reason", "text", "lang", "group"};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray table;
    open_huds("2");
    ck_assert_ok(alcore_selection_get_arrow(selection, NULL, &stream));
    close_huds();
    ck_assert_int_eq(stream.get_schema(&stream, &schema), 0);
    ck_assert_int_eq(stream.get_next(&stream, &table), 0);
    ck_assert(table.length == 2 && table.n_children == schema.n_children);
    for (int i = 0; i < 6; i++) {
        ck_assert_str_eq(schema.children[i]->name, columns[i][0]);
        ck_assert_str_eq(schema.children[i]->format, columns[i][1]);
    }
    for (int64_t i = 0; i < 4; i++) {
        const int64_t at = schema.n_children - 4 + i;
        ck_assert_str_eq(schema.children[at]->name, last[i]);
        ck_assert_str_eq(schema.children[at]->format, "U");
        ck_assert_int_eq(table.children[at]->null_count, i < 2 ? 0 : 2); /* rows have no language */
    }
    ck_assert_int_eq(((const int64_t *)table.children[0]->buffers[1])[0], 1);
    ck_assert_int_eq(((const int64_t *)table.children[1]->buffers[1])[0], 7);
    ck_assert_double_eq(((const double *)table.children[3]->buffers[1])[0], 2.25);
    table.release(&table);
    schema.release(&schema);
    stream.release(&stream);
}
END_TEST

START_TEST(texts_are_escaped) {
    static const char *const texts[] = {"a\tb \"c\", d\\e\nf"};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    pool = pool_of(ctx, texts, 1);
    request = request_for(ctx, pool, "random", "1");
    selection = selected(request);
    snprintf(path, sizeof path, "/tmp/alcore-escaped-%d", (int)getpid());
    char *text = written(".tsv", false);
    ck_assert_ptr_nonnull(strstr(text, "\ta\\tb \"c\", d\\\\e\\nf\n"));
    free(text);
    text = written(".csv", false);
    ck_assert_int_eq(strncmp(text, "\xEF\xBB\xBFrank,index,id,score,cost", 27), 0);
    ck_assert_ptr_nonnull(strstr(text, ",\"a\tb \"\"c\"\", d\\e\nf\"\r\n"));
    free(text);
    text = written(".jsonl", false);
    json_t *object = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(object);
    ck_assert_str_eq(json_string_value(json_object_get(object, "source")), texts[0]);
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(object, "al"), "rank")), 1);
    json_decref(object);
    free(text);
    text = written(".txt", false);
    ck_assert_str_eq(text, "a\\tb \"c\", d\\\\e\\nf\n");
    free(text);
    close_huds();
}
END_TEST

START_TEST(jsonl_is_the_native_form) {
    open_huds("2");
    char *text = written(".jsonl", false);
    *strchr(text, '\n') = '\0';
    json_t *object = json_loads(text, 0, NULL), *al = json_object_get(object, "al");
    ck_assert_ptr_nonnull(al);
    ck_assert_str_eq(json_string_value(json_object_get(object, "id")), "8");
    ck_assert_str_eq(json_string_value(json_object_get(object, "lang")), "unknown");
    ck_assert_double_eq(json_number_value(json_object_get(al, "score")), 2.25);
    ck_assert_double_eq(json_number_value(json_object_get(al, "uncertainty")), 4.5);
    ck_assert_ptr_nonnull(json_object_get(al, "diversity"));
    ck_assert_str_eq(json_string_value(json_object_get(al, "strategy")), "huds");
    json_decref(object);
    free(text);
    close_huds();
}
END_TEST

START_TEST(no_selection_has_no_picks) {
    alcore_tensor tensor;
    ck_assert_int_eq(alcore_selection_count(NULL), 0);
    ck_assert(alcore_selection_spent(NULL) == 0 && alcore_selection_budget(NULL) == 0);
    ck_assert(isnan(alcore_selection_amount(NULL)));
    ck_assert_int_eq(alcore_selection_budget_count(NULL), 0);
    ck_assert_uint_eq(alcore_selection_flags(NULL), 0);
    ck_assert_ptr_null(alcore_selection_of_budget(NULL, 0));
    ck_assert_ptr_null(alcore_selection_ref(NULL));
    open_huds("1");
    for (int32_t scope = ALCORE_SCOPE_PICKS - 1; scope <= ALCORE_SCOPE_CANDIDATES + 1; scope += 3) {
        ck_assert_ptr_null(alcore_selection_column_name(selection, scope, 0));
        ck_assert_fails(alcore_selection_get_column(selection, scope, "u", &tensor),
                        ALCORE_E_INVALID, "scope");
    }
    static const char *const first[] = {"row", "rank", "score"};
    for (int i = 0; i < 3; i++)
        ck_assert_str_eq(alcore_selection_column_name(selection, ALCORE_SCOPE_CANDIDATES, i),
                         first[i]);
    close_huds();
}
END_TEST

START_TEST(paths_that_cannot_be_written) {
    alcore_write_options options = ALCORE_WRITE_OPTIONS_INIT;
    open_huds("1");
    options.format = ALCORE_FORMAT_TSV;
    ck_assert_fails(alcore_selection_write(selection, "/nowhere/x.tsv.gz", &options),
                    ALCORE_E_UNSUPPORTED, "uncompressed");
    options.format = ALCORE_FORMAT_NPY;
    ck_assert_fails(alcore_selection_write(selection, "/nowhere/x.tsv", &options),
                    ALCORE_E_UNSUPPORTED, "written as");
    ck_assert_fails(alcore_selection_write(selection, "/tmp/x.xlsx", NULL), ALCORE_E_UNSUPPORTED,
                    ".csv");
    ck_assert_fails(alcore_selection_write(selection, "/nowhere/at/all.tsv", NULL), ALCORE_E_IO,
                    "/nowhere/at/all.tsv");
    ck_assert_fails(alcore_selection_report(selection, "/tmp/x.doc", NULL), ALCORE_E_UNSUPPORTED,
                    ".html");
    close_huds();
}
END_TEST

START_TEST(reports) {
    open_huds("4");
    char *text = written(".json", true);
    json_t *root = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(root);
    json_t *language = json_array_get(json_object_get(root, "languages"), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(language, "count")), 4);
    json_t *values = json_object_get(json_object_get(root, "term_values"), "uncertainty");
    ck_assert_double_eq(json_number_value(json_object_get(values, "median")), 3.25);
    ck_assert_ptr_nonnull(json_object_get(root, "command"));
    ck_assert_ptr_nonnull(json_object_get(root, "inputs"));
    json_decref(root);
    free(text);
    text = written(".md", true);
    ck_assert_ptr_nonnull(strstr(text, "# Selection by huds"));
    ck_assert_ptr_nonnull(strstr(text, "| unknown | 4 | 100 % |"));
    free(text);
    text = written(".html", true);
    ck_assert_ptr_nonnull(strstr(text, "<td>unknown</td><td>4</td><td>100 %</td>"));
    ck_assert_ptr_null(strstr(text, "&quot;&quot;&quot;"));
    free(text);
    /* A kind stands in for the suffix, but not for that of a compressed file. */
    alcore_report_options options = ALCORE_REPORT_OPTIONS_INIT;
    ck_assert_fails(alcore_selection_report(selection, "-", NULL), ALCORE_E_UNSUPPORTED, ".html");
    options.kind = ALCORE_REPORT_JSON;
    ck_assert_fails(alcore_selection_report(selection, "/nowhere/x.json.gz", &options),
                    ALCORE_E_UNSUPPORTED, "x.json.gz");
    options.kind = ALCORE_REPORT_HTML + 1;
    ck_assert_fails(alcore_selection_report(selection, "/nowhere/x", &options), ALCORE_E_INVALID,
                    "kind");
    close_huds();
}
END_TEST

START_TEST(rare_words) {
    static const char *const known[] = {"the house is big", "the house is small",
                                        "a dog is big",     "the dog is small",
                                        "a house is big",   "the cat is small"};
    static const char *const texts[] = {"the house is quixotically big", "the dog is big"};
    alcore_pool *labeled;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    pool = pool_of(ctx, texts, 2);
    labeled = pool_of(ctx, known, 6);
    request = request_for(ctx, pool, "nnll", "1");
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_LABELED, labeled));
    selection = selected(request);
    ck_assert_int_eq(alcore_selection_rows(selection)[0], 0);
    const char *reason = alcore_selection_reason(selection, 0);
    /* In so small a corpus nothing is rarer than 1 in 10,000. */
    ck_assert_msg(strncmp(reason, "uncertainty top 50 %", 20) == 0, "%s", reason);
    alcore_pool_unref(labeled);
    close_huds();
}
END_TEST

/* TV-KNN, b = 4 and k = 1: rows 3 and 0 are the nearest of the two target rows, 5 and 1 of none. */
START_TEST(neighbors_of_a_target_are_told) {
    static const int64_t WANTED[] = {3, 0, 5, 1};
    static const double TARGET[] = {0.25, 0, 5.375, 5};
    static const double TOGETHER[] = {5.375, 5, 5.375, 5};
    static const double SOURCE[] = {0, 0, 1, 0, 2, 0, 5, 5, 6, 5, 9, 9, 10, 0};
    static const double U[] = {0.2, 0.9, 0.5, 0.3, 0.8, 1.0, 0.6};
    const vector_case one = vector_case_named(vector_find("multilingual", "TV-KNN"), "auto");
    vector_near(SOURCE, vector_input(&one, "source"), 0);
    vector_near(TARGET, vector_input(&one, "target"), 0);
    vector_near(U, vector_input(&one, "u"), 0);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (int together = 0; together < 2; together++) {
        alcore_pool *target = numbered_pool(ctx, 2);
        pool = numbered_pool(ctx, 7);
        give(pool, "scores", U, 7, 1);
        give(pool, "embeddings", SOURCE, 7, 2);
        give(target, "embeddings", together ? TOGETHER : TARGET, 2, 2);
        request = request_for(ctx, pool, "knn-uncertainty", "4");
        set_parameter(ctx, request, "knn-uncertainty", "k", "1");
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, target));
        selection = selected(request);
        if (together) {
            ck_assert_int_eq(alcore_selection_rows(selection)[0], 3);
            ck_assert_str_eq(
                alcore_selection_reason(selection, 0),
                "uncertainty low, above 14 %; among the nearest rows of 2 target rows");
        } else {
            ck_rows(selection, WANTED, 4);
            ck_assert_str_eq(alcore_selection_reason(selection, 0),
                             "uncertainty low, above 14 %; among the nearest rows of 1 target row");
            ck_assert_str_eq(alcore_selection_reason(selection, 2),
                             "uncertainty top 15 %; near no target row");
        }
        alcore_selection_unref(selection);
        alcore_request_unref(request);
        alcore_pool_unref(target);
        alcore_pool_unref(pool);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("selection", neighbors_of_a_target_are_told, reasons,
            what_all_candidates_share_decides_nothing, equal_contributions_decide_nothing,
            the_record, ranks_are_made_when_they_are_read, records_of_several_budgets,
            provenance_is_json, the_summary, lopsided_terms_are_told, tsv, a_table_of_arrow,
            texts_are_escaped, jsonl_is_the_native_form, no_selection_has_no_picks,
            paths_that_cannot_be_written, reports, rare_words);
