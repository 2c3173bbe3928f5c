/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/mix.h promises of the calls: counts from 0 to the largest, how often phrases
 * appear, whose embeddings are compared, what the handle keeps, files of every format. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/extra/mix.h"
#include "alcore/pool_column.h"
#include "check_status.h"
#include "check_suite.h"
#include "file_text.h"
#include "test_folder.h"

enum { PAIRS = 4, SENTENCES = 4, DIMENSIONS = 2 };

static const char *const sources[PAIRS] = {"the cat", "the dog", "a bird", "a bird"};
static const char *const targets[PAIRS] = {"die Katze", "der Hund", "ein Vogel", "ein Tier"};
static const char *const sentences[SENTENCES] = {"the red cat", "red dog", "a bird", "the red cat"};

static alcore_ctx *ctx;
static alcore_pool *labeled, *pool;
static alcore_annotations *annotations;
static alcore_mix_options options;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 32];

static alcore_pool *new_pool(const char *const *texts, const char *const *references) {
    alcore_pool_options dedup = ALCORE_POOL_OPTIONS_INIT;
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *made;
    dedup.dedup = ALCORE_DEDUP_NONE;
    records.texts = texts;
    records.references = references;
    records.count = PAIRS;
    ck_assert_ok(alcore_pool_new(ctx, &dedup, &made));
    ck_assert_ok(alcore_pool_add_records(made, &records, NULL));
    return made;
}

static void set_vectors(alcore_pool *of, const double *values, int64_t dimensions) {
    int64_t shape[2] = {PAIRS, dimensions};
    alcore_tensor tensor;
    ck_assert_ok(alcore_tensor_init(&tensor, (void *)values, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_pool_set_column(of, "embeddings", &tensor, NULL, NULL));
}

static const double vectors[PAIRS * DIMENSIONS] = {1, 0, 0, 1, 1, 1, 1, 1};

static void add_items(void) {
    const char *texts[] = {"red", "the red cat", "red"}, *kinds[] = {"phrase", "sent", "phrase"};
    const char *translations[] = {"rot", "die rote Katze", NULL};
    const int64_t rows[] = {0, 0, 1};
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    records.texts = texts;
    records.kinds = kinds;
    records.translations = translations;
    records.rows = rows;
    records.count = 3;
    ck_assert_ok(alcore_annotations_add(annotations, &records));
}

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    test_folder_make(folder, "mix");
    labeled = new_pool(sources, targets);
    pool = new_pool(sentences, NULL);
    set_vectors(labeled, vectors, DIMENSIONS);
    set_vectors(pool, vectors, DIMENSIONS);
    ck_assert_ok(alcore_annotations_new(pool, &annotations));
    add_items();
    options = (alcore_mix_options)ALCORE_MIX_OPTIONS_INIT;
}

static void teardown(void) {
    alcore_annotations_unref(annotations);
    alcore_pool_unref(pool);
    alcore_pool_unref(labeled);
    test_folder_remove(folder);
    alcore_ctx_unref(ctx);
}

static alcore_mix *make_mix(void) {
    alcore_mix *mix;
    ck_assert_ok(alcore_mix_new(ctx, labeled, pool, annotations, &options, &mix));
    return mix;
}

static void assert_kinds(const alcore_mix *mix, const char *expected) {
    char found[200] = "";
    for (int64_t i = 0; i < alcore_mix_count(mix); i++)
        strcat(strcat(found, i > 0 ? " " : ""), alcore_mix_kind(mix, i));
    ck_assert_str_eq(found, expected);
}

/* Sentences, then phrases that have a translation, then the kinds in the order of the header,
 * whatever the order in which they are named. */
START_TEST(kinds_appear_in_order) {
    alcore_mix *mix = make_mix(); /* kind NULL: none */
    assert_kinds(mix, "sent phrase");
    ck_assert_int_eq(alcore_mix_missing(mix), 0);
    alcore_mix_unref(mix);
    options.kind = "contextualized+random+retrieved";
    options.count = 1;
    mix = make_mix();
    assert_kinds(mix, "sent phrase random retrieved contextualized");
    alcore_mix_unref(mix);
    options.count = 0;
    mix = make_mix();
    assert_kinds(mix, "sent phrase");
    ck_assert_int_eq(alcore_mix_missing(mix), 0);
    alcore_mix_unref(mix);
}
END_TEST

START_TEST(phrases_appear_as_often_as_asked) {
    static const int64_t often[] = {0, 1, 3};
    for (int i = 0; i < 3; i++) {
        options.upsample_phrase = often[i];
        alcore_mix *mix = make_mix();
        ck_assert_int_eq(alcore_mix_count(mix), 1 + often[i]);
        ck_assert_str_eq(alcore_mix_kind(mix, 0), "sent");
        alcore_mix_unref(mix);
    }
    alcore_mix *mix;
    options.upsample_phrase = 1000001;
    ck_assert_fails(alcore_mix_new(ctx, labeled, pool, annotations, &options, &mix), ALCORE_E_PARAM,
                    "upsample_phrase is 1000001; 0 to 1000000");
}
END_TEST

/* The largest count of several kinds does not overflow what is missing. */
START_TEST(the_largest_count) {
    options.kind = "random+retrieved";
    options.count = INT64_MAX;
    alcore_mix *mix = make_mix();
    ck_assert_int_eq(alcore_mix_count(mix), 2 + 2 * PAIRS);
    ck_assert_int_eq(alcore_mix_missing(mix), INT64_MAX);
    alcore_mix_unref(mix);
    options.kind = "random";
    mix = make_mix();
    ck_assert_int_eq(alcore_mix_missing(mix), INT64_MAX - PAIRS);
    alcore_mix_unref(mix);
}
END_TEST

/* Retrieved pairs by falling similarity; with unique no source appears twice. */
START_TEST(retrieved_sources) {
    options.kind = "retrieved";
    options.count = PAIRS;
    for (int32_t unique = 0; unique < 2; unique++) {
        alcore_tensor scores;
        int birds = 0;
        options.unique = unique;
        alcore_mix *mix = make_mix();
        ck_assert_int_eq(alcore_mix_count(mix), 2 + PAIRS - unique);
        ck_assert_ok(alcore_mix_column(mix, "score", &scores));
        const double *score = scores.data;
        ck_assert_double_nan(score[0]);
        for (int64_t i = 2; i < alcore_mix_count(mix); i++) {
            birds += strcmp(alcore_mix_source(mix, i, NULL), "a bird") == 0;
            if (i > 2) ck_assert_double_le(score[i], score[i - 1]);
        }
        ck_assert_int_eq(birds, 2 - unique);
        ck_assert_int_eq(alcore_mix_missing(mix), unique);
        alcore_mix_unref(mix);
    }
}
END_TEST

/* An annotated sentence gets no further phrase: of the three with "red" the first is annotated. */
START_TEST(annotated_sentences_get_no_phrase) {
    options.kind = "contextualized";
    options.count = 9;
    alcore_tensor rows, items;
    alcore_mix *mix = make_mix();
    assert_kinds(mix, "sent phrase contextualized contextualized");
    ck_assert_ok(alcore_mix_column(mix, "pool_row", &rows));
    ck_assert_ok(alcore_mix_column(mix, "item", &items));
    ck_assert_mem_eq(rows.data, ((const int64_t[]){0, 0, 1, 3}), 4 * sizeof(int64_t));
    ck_assert_mem_eq(items.data, ((const int64_t[]){1, 0, 0, 0}), 4 * sizeof(int64_t));
    ck_assert_int_eq(alcore_mix_missing(mix), 7);
    ck_assert_ptr_nonnull(strstr(alcore_mix_summary(mix), "no sentence with an annotated phrase"));
    alcore_mix_unref(mix);
}
END_TEST

START_TEST(embeddings_that_do_not_fit) {
    static const double wide[PAIRS * 3] = {1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 0};
    static const double broken[PAIRS * DIMENSIONS] = {1, 0, 0, INFINITY};
    alcore_mix *mix = (alcore_mix *)&mix;
    options.kind = "retrieved";
    options.count = 1;
    ck_assert_ok(alcore_pool_drop_column(pool, "embeddings"));
    set_vectors(pool, wide, 3);
    ck_assert_int_eq(alcore_mix_new(ctx, labeled, pool, annotations, &options, &mix),
                     ALCORE_E_SHAPE);
    ck_assert_ptr_null(mix);
    ck_assert_ok(alcore_pool_drop_column(pool, "embeddings"));
    set_vectors(pool, broken, DIMENSIONS);
    ck_assert_fails(alcore_mix_new(ctx, labeled, pool, annotations, &options, &mix), ALCORE_E_DATA,
                    "row 1");
    ck_assert_ok(alcore_pool_drop_column(pool, "embeddings"));
    set_vectors(pool, vectors, DIMENSIONS);
    options.device = "abacus";
    ck_assert_fails(alcore_mix_new(ctx, labeled, pool, annotations, &options, &mix), ALCORE_E_PARAM,
                    "abacus");
    options.device = NULL;
    ck_assert_ok(alcore_model_new_ngram(ctx, labeled, NULL, &options.model));
    ck_assert_fails(alcore_mix_new(ctx, labeled, pool, annotations, &options, &mix),
                    ALCORE_E_INVALID, "the model is not read");
    options.kind = "random";
    ck_assert_fails(alcore_mix_new(ctx, labeled, pool, annotations, &options, &mix),
                    ALCORE_E_INVALID, "the model is not read");
    alcore_model_unref(options.model);
}
END_TEST

START_TEST(inputs_of_other_contexts_and_none) {
    alcore_ctx *other;
    alcore_pool *foreign;
    alcore_mix *mix = (alcore_mix *)&mix;
    ck_assert_ok(alcore_ctx_new(NULL, &other));
    ck_assert_ok(alcore_pool_new(other, NULL, &foreign));
    ck_assert_fails(alcore_mix_new(ctx, foreign, pool, annotations, NULL, &mix), ALCORE_E_INVALID,
                    "another context");
    ck_assert_ptr_null(mix);
    ck_assert_fails(alcore_mix_new(ctx, labeled, foreign, NULL, NULL, &mix), ALCORE_E_INVALID,
                    "another context");
    alcore_pool_unref(foreign);
    alcore_ctx_unref(other);
    /* Random pairs need no pool where the count is given, and no annotations. */
    options.kind = "random";
    options.count = 2;
    ck_assert_ok(alcore_mix_new(ctx, labeled, NULL, NULL, &options, &mix));
    assert_kinds(mix, "random random");
    alcore_mix_unref(mix);
    options.count = ALCORE_UNSET_INT;
    ck_assert_fails(alcore_mix_new(ctx, labeled, pool, NULL, &options, &mix), ALCORE_E_INVALID,
                    "count is needed");
    ck_assert_int_eq(alcore_mix_new(ctx, labeled, pool, NULL, &options, NULL), ALCORE_E_INVALID);
}
END_TEST

/* The handle keeps its pools and annotations, and answers for nothing. */
START_TEST(the_handle_keeps_what_it_shows) {
    options.kind = "random";
    options.count = PAIRS;
    alcore_mix *mix = make_mix();
    alcore_annotations_unref(annotations);
    alcore_pool_unref(pool);
    alcore_pool_unref(labeled);
    annotations = NULL;
    pool = labeled = NULL;
    ck_assert_ptr_eq(alcore_mix_ref(mix), mix);
    alcore_mix_unref(mix);
    size_t length = 9;
    for (int64_t i = 0; i < alcore_mix_count(mix); i++) {
        const char *text = alcore_mix_source(mix, i, &length);
        ck_assert_uint_eq(strlen(text), length);
    }
    static const int64_t missing[] = {-1, 2 + PAIRS, INT64_MAX};
    for (int i = 0; i < 3; i++) {
        length = 9;
        ck_assert_ptr_null(alcore_mix_source(mix, missing[i], &length));
        ck_assert_uint_eq(length, 0);
        length = 9;
        ck_assert_ptr_null(alcore_mix_target(mix, missing[i], &length));
        ck_assert_uint_eq(length, 0);
        ck_assert_ptr_null(alcore_mix_kind(mix, missing[i]));
    }
    alcore_tensor column, zero = {0};
    for (int64_t c = 0; c < 7; c++) {
        ck_assert_ok(alcore_mix_column(mix, alcore_mix_builtin_column_name(c), &column));
        ck_assert_int_eq(column.shape[0], 2 + PAIRS);
    }
    ck_assert_ptr_null(alcore_mix_builtin_column_name(7));
    ck_assert_ptr_null(alcore_mix_builtin_column_name(-1));
    ck_assert_int_eq(alcore_mix_column(mix, "nothing", &column), ALCORE_E_NOT_FOUND);
    ck_assert_mem_eq(&column, &zero, sizeof zero);
    ck_assert_int_eq(alcore_mix_column(mix, NULL, &column), ALCORE_E_INVALID);
    ck_assert_ptr_null(alcore_mix_summary(NULL));
    ck_assert_ptr_null(alcore_mix_provenance(NULL));
    ck_assert_ptr_nonnull(strstr(alcore_mix_provenance(mix), "\"count\":4"));
    ck_assert_ptr_nonnull(strstr(alcore_mix_provenance(mix), "\"version\":"));
    alcore_mix_unref(mix);
}
END_TEST

static const char *text_of(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return file_text(path);
}

START_TEST(files_of_every_format) {
    alcore_mix *mix = make_mix();
    alcore_write_options how = ALCORE_WRITE_OPTIONS_INIT;
    snprintf(path, sizeof path, "%s/t.txt", folder);
    ck_assert_ok(alcore_mix_write(mix, path, NULL));
    ck_assert_str_eq(text_of("t.txt"), "the red cat\nred\n"); /* the sources only */
    snprintf(path, sizeof path, "%s/t.csv", folder);
    ck_assert_ok(alcore_mix_write(mix, path, NULL));
    ck_assert_ptr_nonnull(strstr(text_of("t.csv"), "kind,src,tgt,provenance\r\nsent,the red cat,"));
    how.format = ALCORE_FORMAT_JSONL; /* the format, not the suffix */
    ck_assert_ok(alcore_mix_write(mix, path, &how));
    ck_assert_ptr_nonnull(strstr(text_of("t.csv"), "{\"kind\":\"sent\",\"src\":\"the red cat\","));
    static const char *const wrong[] = {"t.tsv.gz", "t.npy", "t"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, wrong[i]);
        ck_assert_fails(alcore_mix_write(mix, path, NULL), ALCORE_E_UNSUPPORTED, wrong[i]);
        ck_assert_int_eq(access(path, F_OK), -1);
    }
    how.format = ALCORE_FORMAT_NPY;
    ck_assert_int_eq(alcore_mix_write(mix, path, &how), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_mix_write(mix, NULL, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_mix_write_parallel(mix, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_mix_write_parallel(NULL, path), ALCORE_E_INVALID);
    /* Where one side cannot be written the other does not appear. */
    snprintf(path, sizeof path, "%s/p.tgt", folder);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/p", folder);
    ck_assert_int_eq(alcore_mix_write_parallel(mix, path), ALCORE_E_IO);
    snprintf(path, sizeof path, "%s/p.src", folder);
    ck_assert_int_eq(access(path, F_OK), -1);
    alcore_mix_unref(mix);
}
END_TEST

CHECK_SUITE_WITH("mix/calls", setup, teardown, kinds_appear_in_order,
                 phrases_appear_as_often_as_asked, the_largest_count, retrieved_sources,
                 annotated_sentences_get_no_phrase, embeddings_that_do_not_fit,
                 inputs_of_other_contexts_and_none, the_handle_keeps_what_it_shows,
                 files_of_every_format);
