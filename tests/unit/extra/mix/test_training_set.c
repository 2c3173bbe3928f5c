/* SPDX-License-Identifier: Apache-2.0 */
/* Training sets: those of TV-MIX, properties that hold for all of them, what is made where nothing
 * is given, files, and what is refused. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/mix.h"
#include "alcore/pool_column.h"
#include "check_status.h"
#include "check_suite.h"
#include "extra/aligner/links_handle.h"
#include "file_text.h"
#include "test_folder.h"
#include "vectors.h"

enum { MAX_ROWS = 32, MAX_LINKS = 400 };

/* The corpus of a case of TV-MIX. */
typedef struct bed {
    alcore_ctx *ctx;
    alcore_pool *labeled, *pool;
    alcore_annotations *annotations;
    alcore_links links; /* over the two arrays; on the stack, as calls only borrow links */
    int64_t begin[MAX_ROWS + 1];
    alcore__link link[MAX_LINKS];
    alcore_mix_options options;
} bed;

static void set_vectors(alcore_pool *pool, const json_t *rows) {
    int64_t count, shape[2] = {vector_length(rows), 0};
    const double *values = vector_doubles(rows, &count);
    alcore_tensor tensor;
    shape[1] = count / shape[0];
    ck_assert_ok(alcore_tensor_init(&tensor, (void *)values, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, NULL));
}

static alcore_pool *make_pool(alcore_ctx *ctx, const char *const *texts,
                              const char *const *references, int64_t count) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    options.dedup = ALCORE_DEDUP_NONE;
    records.texts = texts;
    records.references = references;
    records.count = count;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

static void add_items(bed *self, const json_t *items) {
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    const char *texts[MAX_ROWS], *kinds[MAX_ROWS], *translations[MAX_ROWS];
    int64_t rows[MAX_ROWS];
    records.count = vector_length(items);
    ck_assert_int_le(records.count, MAX_ROWS);
    for (int64_t i = 0; i < records.count; i++) {
        const json_t *item = json_array_get(items, (size_t)i);
        texts[i] = vector_text(json_object_get(item, "text"));
        kinds[i] = vector_text(json_object_get(item, "kind"));
        rows[i] = vector_integer(json_object_get(item, "row"));
        const json_t *translation = json_object_get(item, "translation");
        translations[i] = json_is_null(translation) ? NULL : vector_text(translation);
    }
    records.texts = texts;
    records.kinds = kinds;
    records.translations = translations;
    records.rows = rows;
    ck_assert_ok(alcore_annotations_add(self->annotations, &records));
}

static int64_t number_of(const vector_case *one, const char *name) {
    return vector_has_input(one, name) ? vector_integer(vector_input(one, name)) : 0;
}

static void open_bed(const vector_case *one, int32_t threads, bed *self) {
    alcore_ctx_options ctx_options = ALCORE_CTX_OPTIONS_INIT;
    const json_t *labeled = vector_input(one, "labeled"), *links = vector_input(one, "links");
    const json_t *sentences = vector_input(one, "pool");
    const char *sources[MAX_ROWS], *targets[MAX_ROWS], *texts[MAX_ROWS];
    const int64_t pairs = vector_length(labeled), rows = vector_length(sentences);
    memset(self, 0, sizeof *self);
    ctx_options.threads = threads;
    ck_assert_ok(alcore_ctx_new(&ctx_options, &self->ctx));
    for (int64_t r = 0; r < pairs; r++) {
        const json_t *pair = json_array_get(labeled, (size_t)r);
        const char *text = vector_text(json_array_get(links, (size_t)r));
        unsigned source, target;
        int used;
        sources[r] = vector_text(json_array_get(pair, 0));
        targets[r] = vector_text(json_array_get(pair, 1));
        self->begin[r + 1] = self->begin[r];
        for (; sscanf(text, " %u-%u%n", &source, &target, &used) == 2; text += used)
            self->link[self->begin[r + 1]++] = (alcore__link){source, target};
    }
    for (int64_t r = 0; r < rows; r++) texts[r] = vector_text(json_array_get(sentences, (size_t)r));
    self->links.links = (alcore__links){.pairs = pairs, .begin = self->begin, .link = self->link};
    self->labeled = make_pool(self->ctx, sources, targets, pairs);
    self->pool = make_pool(self->ctx, texts, NULL, rows);
    set_vectors(self->labeled, vector_input(one, "labeled_vectors"));
    set_vectors(self->pool, vector_input(one, "pool_vectors"));
    ck_assert_ok(alcore_annotations_new(self->pool, &self->annotations));
    add_items(self, vector_input(one, "items"));
    self->options = (alcore_mix_options)ALCORE_MIX_OPTIONS_INIT;
    self->options.kind = vector_text(vector_input(one, "kind"));
    if (vector_has_input(one, "span")) self->options.span = vector_text(vector_input(one, "span"));
    self->options.links = &self->links;
    if (vector_has_input(one, "count")) self->options.count = number_of(one, "count");
    self->options.k = number_of(one, "k");
    if (vector_has_input(one, "upsample"))
        self->options.upsample_phrase = number_of(one, "upsample");
    self->options.round = number_of(one, "round");
    self->options.seed = (uint64_t)number_of(one, "seed");
    self->options.unique = (int32_t)number_of(one, "unique");
    self->options.norm = (int32_t)number_of(one, "norm");
}

static void close_bed(bed *self) {
    alcore_annotations_unref(self->annotations);
    alcore_pool_unref(self->pool);
    alcore_pool_unref(self->labeled);
    alcore_ctx_unref(self->ctx);
}

static alcore_mix *make_mix(const bed *at) {
    alcore_mix *mix;
    ck_assert_ok(
        alcore_mix_new(at->ctx, at->labeled, at->pool, at->annotations, &at->options, &mix));
    return mix;
}

static void check_texts(const alcore_mix *mix, const vector_case *one) {
    const json_t *kinds = vector_expected(one, "kind");
    ck_assert_int_eq(alcore_mix_count(mix), vector_length(kinds));
    for (int64_t i = 0; i < alcore_mix_count(mix); i++) {
        size_t length;
        ck_assert_str_eq(alcore_mix_kind(mix, i), vector_text(json_array_get(kinds, (size_t)i)));
        ck_assert_str_eq(alcore_mix_source(mix, i, &length),
                         vector_text(json_array_get(vector_expected(one, "src"), (size_t)i)));
        ck_assert_uint_eq(length, strlen(alcore_mix_source(mix, i, NULL)));
        ck_assert_str_eq(alcore_mix_target(mix, i, &length),
                         vector_text(json_array_get(vector_expected(one, "tgt"), (size_t)i)));
        ck_assert_uint_eq(length, strlen(alcore_mix_target(mix, i, NULL)));
    }
}

START_TEST(tv_mix) {
    test_vector vector = vector_find("mixing", "TV-MIX");
    ck_assert_int_gt(vector_case_count(vector), 10);
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        vector_case one = vector_case_number(vector, i);
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            const char *name;
            alcore_tensor column;
            bed at;
            open_bed(&one, threads, &at);
            alcore_mix *mix = make_mix(&at);
            check_texts(mix, &one);
            for (int64_t c = 0; (name = alcore_mix_builtin_column_name(c)); c++) {
                ck_assert_ok(alcore_mix_column(mix, name, &column));
                ck_assert_int_eq(column.shape[0], alcore_mix_count(mix));
                if (strcmp(name, "score") == 0)
                    vector_near(column.data, vector_expected(&one, name), 1e-9);
                else
                    vector_equal(column.data, vector_expected(&one, name));
            }
            alcore_mix_unref(mix);
            close_bed(&at);
        }
    }
}
END_TEST

/* The pairs of a smaller count are the first of a larger count, and what is missing adds up. */
START_TEST(fewer_pairs_are_the_first_ones) {
    test_vector vector = vector_find("mixing", "TV-MIX");
    static const char *const kinds[] = {"random", "retrieved", "switched", "contextualized"};
    for (int64_t i = 0; i < vector_case_count(vector); i++) {
        vector_case one = vector_case_number(vector, i);
        bed at;
        open_bed(&one, 2, &at);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            at.options.kind = kinds[k];
            at.options.count = 99;
            alcore_mix *all = make_mix(&at);
            for (at.options.count = 1; at.options.count <= 12; at.options.count++) {
                alcore_mix *some = make_mix(&at);
                int64_t made = 0;
                ck_assert_int_le(alcore_mix_count(some), alcore_mix_count(all));
                for (int64_t p = 0; p < alcore_mix_count(some); p++) {
                    ck_assert_str_eq(alcore_mix_source(some, p, NULL),
                                     alcore_mix_source(all, p, NULL));
                    ck_assert_str_eq(alcore_mix_target(some, p, NULL),
                                     alcore_mix_target(all, p, NULL));
                    made += strcmp(alcore_mix_kind(some, p), kinds[k]) == 0;
                }
                ck_assert_int_eq(made + alcore_mix_missing(some), at.options.count);
                alcore_mix_unref(some);
            }
            alcore_mix_unref(all);
        }
        close_bed(&at);
    }
}
END_TEST

/* A masked row, and a row without a reference, is no pair of L'; a masked sentence has no part. */
START_TEST(masked_rows) {
    static const char *const sources[] = {"a b", "a c", "b c", "c d"};
    static const char *const targets[] = {"A B", NULL, "B C", " "};
    static const char *const texts[] = {"a b c", "a d", "", "b d"};
    static const int64_t first[] = {0};
    bed at = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &at.ctx));
    at.labeled = make_pool(at.ctx, sources, targets, 4);
    at.pool = make_pool(at.ctx, texts, NULL, 4);
    at.options = (alcore_mix_options)ALCORE_MIX_OPTIONS_INIT;
    at.options.kind = "random+retrieved";
    at.options.count = 10;
    ck_assert_ok(alcore_pool_mark(at.labeled, ALCORE_ROW_LABELED, first, 1));
    alcore_mix *mix = make_mix(&at);
    ck_assert_int_eq(alcore_mix_count(mix), 4);
    ck_assert_int_eq(alcore_mix_missing(mix), 16);
    ck_assert_ptr_nonnull(strstr(alcore_mix_summary(mix), "random: 2 of 10 pairs"));
    ck_assert_ptr_nonnull(strstr(alcore_mix_summary(mix), "retrieved: 2 of 10 pairs"));
    ck_assert_ptr_nonnull(strstr(alcore_mix_summary(mix), "embeddings: the n-gram model"));
    alcore_mix_unref(mix);
    ck_assert_ok(alcore_pool_mark(at.labeled, ALCORE_ROW_EXCLUDED, first, 1));
    mix = make_mix(&at);
    ck_assert_int_eq(alcore_mix_count(mix), 2);
    ck_assert_str_eq(alcore_mix_source(mix, 0, NULL), "b c");
    alcore_mix_unref(mix);
    static const int64_t all[] = {0, 1, 2, 3};
    ck_assert_ok(alcore_pool_mark(at.pool, ALCORE_ROW_EXCLUDED, all, 4));
    ck_assert_fails(alcore_mix_new(at.ctx, at.labeled, at.pool, NULL, &at.options, &mix),
                    ALCORE_E_MISSING, "no row that is not masked");
    ck_assert_ok(alcore_pool_mark(at.labeled, ALCORE_ROW_EXCLUDED, all, 4));
    ck_assert_fails(alcore_mix_new(at.ctx, at.labeled, at.pool, NULL, &at.options, &mix),
                    ALCORE_E_MISSING, "no pair");
    ck_assert_ptr_null(mix);
    close_bed(&at);
}
END_TEST

/* A sample L': of the size asked for, the same for the same seed, part of every kind. */
START_TEST(samples) {
    enum { PAIRS = 40 };
    char storage[PAIRS][16];
    const char *sources[PAIRS];
    static const char *const texts[] = {"word 1", "word 2"};
    bed at = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &at.ctx));
    for (int i = 0; i < PAIRS; i++) {
        snprintf(storage[i], sizeof storage[i], "word %d", i);
        sources[i] = storage[i];
    }
    at.labeled = make_pool(at.ctx, sources, sources, PAIRS);
    at.pool = make_pool(at.ctx, texts, NULL, 2);
    at.options = (alcore_mix_options)ALCORE_MIX_OPTIONS_INIT;
    at.options.kind = "random+retrieved";
    at.options.count = PAIRS;
    at.options.subset = 12;
    int64_t sums[3] = {0, 0, 0};
    for (int run = 0; run < 3; run++) {
        alcore_tensor rows;
        at.options.seed = run == 2;
        alcore_mix *mix = make_mix(&at);
        ck_assert_int_eq(alcore_mix_count(mix), 24);
        ck_assert_ptr_nonnull(strstr(alcore_mix_summary(mix), "a sample of 12 of 40 pairs"));
        ck_assert_ok(alcore_mix_column(mix, "labeled_row", &rows));
        for (int half = 0; half < 2; half++) {
            uint64_t seen = 0;
            for (int i = 0; i < 12; i++)
                seen |= UINT64_C(1) << ((const int64_t *)rows.data)[12 * half + i];
            ck_assert_int_eq(__builtin_popcountll(seen), 12);
            if (half == 0) sums[run] = (int64_t)seen;
            ck_assert_int_eq((int64_t)seen, sums[run]); /* both kinds take from the same L' */
        }
        alcore_mix_unref(mix);
    }
    ck_assert_int_eq(sums[0], sums[1]);
    ck_assert_int_ne(sums[0], sums[2]);
    close_bed(&at);
}
END_TEST

/* Without count as many pairs are made as ngf-smp selects phrases for the annotated words. */
START_TEST(default_count) {
    static const char *const sources[] = {"the patient was late", "it was reported today"};
    static const char *const targets[] = {"der Patient kam", "es wurde heute gemeldet"};
    static const char *const texts[] = {
        "the patient has severe headache", "the patient has severe nausea",
        "severe headache was reported",    "the patient was treated",
        "headache was reported",           "the patient has fever"};
    const char *item_texts[] = {"the patient has", "severe headache"};
    const char *kinds[] = {"phrase", "phrase"}, *translations[] = {"der Patient hat", "Kopfweh"};
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    bed at = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &at.ctx));
    at.labeled = make_pool(at.ctx, sources, targets, 2);
    at.pool = make_pool(at.ctx, texts, NULL, 6);
    ck_assert_ok(alcore_annotations_new(at.pool, &at.annotations));
    records.texts = item_texts;
    records.kinds = kinds;
    records.translations = translations;
    records.count = 2;
    ck_assert_ok(alcore_annotations_add(at.annotations, &records));
    at.options = (alcore_mix_options)ALCORE_MIX_OPTIONS_INIT;
    at.options.kind = "contextualized";
    alcore_mix *mix = make_mix(&at);
    /* TV-SMP: "the patient has" (3 words), then a phrase of 4 words: two phrases for five words. */
    ck_assert_int_eq(alcore_mix_count(mix), 4);
    ck_assert_ptr_nonnull(strstr(alcore_mix_summary(mix),
                                 "2 pairs of each kind: as many as the "
                                 "phrases that ngf-smp selects for 5 words"));
    ck_assert_ptr_nonnull(strstr(alcore_mix_summary(mix), "language model: 4-grams of the pool"));
    ck_assert_ptr_nonnull(strstr(alcore_mix_provenance(mix), "\"count_for_words\":5"));
    alcore_mix_unref(mix);
    at.options.kind = "switched"; /* with links that are made here */
    mix = make_mix(&at);
    ck_assert_ptr_nonnull(strstr(alcore_mix_summary(mix), "links: the aligner"));
    alcore_mix_unref(mix);
    close_bed(&at);
}
END_TEST

START_TEST(files) {
    static const char *const sources[] = {"a\tb", "c"}, *const targets[] = {"A\\B\nC", "C"};
    static const char *const texts[] = {"a c"};
    const char *item_texts[] = {"a c", "c"}, *kinds[] = {"sent", "phrase"};
    const char *translations[] = {"AC", "C"};
    const int64_t rows[] = {0, 0};
    alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
    bed at = {0};
    char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 16];
    test_folder_make(folder, "mix");
    ck_assert_ok(alcore_ctx_new(NULL, &at.ctx));
    at.labeled = make_pool(at.ctx, sources, targets, 2);
    at.pool = make_pool(at.ctx, texts, NULL, 1);
    ck_assert_ok(alcore_annotations_new(at.pool, &at.annotations));
    records.texts = item_texts;
    records.kinds = kinds;
    records.translations = translations;
    records.rows = rows;
    records.count = 2;
    ck_assert_ok(alcore_annotations_add(at.annotations, &records));
    at.options = (alcore_mix_options)ALCORE_MIX_OPTIONS_INIT;
    at.options.kind = "random";
    at.options.count = 2;
    alcore_mix *mix = make_mix(&at);
    snprintf(path, sizeof path, "%s/train.tsv", folder);
    ck_assert_ok(alcore_mix_write(mix, path, NULL));
    ck_assert_str_eq(file_text(path), "kind\tsrc\ttgt\tprovenance\n"
                                      "sent\ta c\tAC\tpool_row=0 item=0\n"
                                      "phrase\tc\tC\tpool_row=0 item=1\n"
                                      "random\tc\tC\tlabeled_row=1\n"
                                      "random\ta\\tb\tA\\\\B\\nC\tlabeled_row=0\n");
    snprintf(path, sizeof path, "%s/train.jsonl", folder);
    ck_assert_ok(alcore_mix_write(mix, path, NULL));
    ck_assert_ptr_nonnull(strstr(file_text(path),
                                 "{\"kind\":\"random\",\"src\":\"a\\tb\",\"tgt\":\"A\\\\B\\nC\","
                                 "\"labeled_row\":0}\n"));
    snprintf(path, sizeof path, "%s/train", folder);
    ck_assert_ok(alcore_mix_write_parallel(mix, path));
    snprintf(path, sizeof path, "%s/train.src", folder);
    ck_assert_str_eq(file_text(path), "a c\nc\nc\na\tb\n");
    snprintf(path, sizeof path, "%s/train.tgt", folder);
    ck_assert_str_eq(file_text(path), "AC\nC\nC\nA\\\\B\\nC\n");
    ck_assert_fails(alcore_mix_write(mix, "train.tmx", NULL), ALCORE_E_UNSUPPORTED, "train.tmx");
    ck_assert_fails(alcore_mix_write_parallel(mix, "no-such-folder/train"), ALCORE_E_IO,
                    "no-such-folder/train.src");
    alcore_mix_unref(mix);
    close_bed(&at);
    test_folder_remove(folder);
}
END_TEST

START_TEST(refusals) {
    vector_case one = vector_case_number(vector_find("mixing", "TV-MIX"), 5);
    alcore_mix *mix;
    alcore_tensor column;
    bed at;
    open_bed(&one, 1, &at);
    const alcore_mix_options good = at.options;
#define refuse(change, code, part)                                                                 \
    do {                                                                                           \
        at.options = good;                                                                         \
        change;                                                                                    \
        ck_assert_fails(                                                                           \
            alcore_mix_new(at.ctx, at.labeled, at.pool, at.annotations, &at.options, &mix), code,  \
            part);                                                                                 \
        ck_assert_ptr_null(mix);                                                                   \
    } while (0)
    refuse(at.options.kind = "switchd", ALCORE_E_PARAM, "did you mean \"switched\"");
    refuse(at.options.kind = "none+random", ALCORE_E_PARAM, "\"none\"");
    refuse(at.options.kind = "random+random", ALCORE_E_PARAM, "random twice");
    refuse(at.options.kind = "", ALCORE_E_PARAM, "\"\"");
    refuse(at.options.span = "wide", ALCORE_E_PARAM, "span");
    refuse(at.options.count = -1, ALCORE_E_PARAM, "count");
    refuse(at.options.subset = -1, ALCORE_E_PARAM, "subset");
    refuse(at.options.k = ALCORE_KNN_MAX + 1, ALCORE_E_PARAM, "k is");
    refuse(at.options.upsample_phrase = -2, ALCORE_E_PARAM, "upsample_phrase");
    refuse(at.options.round = -1, ALCORE_E_PARAM, "round");
    refuse(at.options.unique = 2, ALCORE_E_PARAM, "unique");
    refuse(at.options.norm = -1, ALCORE_E_PARAM, "norm");
    refuse(at.options.size = 8, ALCORE_E_STRUCT_SIZE, "alcore_mix_options");
    at.links.links.pairs--;
    refuse(at.options.count = 3, ALCORE_E_SHAPE, "the labeled pool has 9 rows");
    at.links.links.pairs++;
    for (int64_t i = 0; i < at.begin[9]; i++) at.link[i].target = 77;
    refuse(at.options.count = 3, ALCORE_E_DATA, "of the labeled pool: link ");
    at.options = good;
    ck_assert_fails(alcore_mix_new(at.ctx, NULL, at.pool, at.annotations, &good, &mix),
                    ALCORE_E_INVALID, "labeled is NULL");
    ck_assert_fails(alcore_mix_new(at.ctx, at.labeled, NULL, at.annotations, &good, &mix),
                    ALCORE_E_INVALID, "pool is NULL");
    ck_assert_fails(alcore_mix_new(at.ctx, at.labeled, at.pool, NULL, &good, &mix),
                    ALCORE_E_INVALID, "annotations is NULL");
    at.options.kind = "random";
    at.options.count = ALCORE_UNSET_INT;
    ck_assert_fails(alcore_mix_new(at.ctx, at.labeled, NULL, NULL, &at.options, &mix),
                    ALCORE_E_INVALID, "count is needed");
    ck_assert_fails(alcore_mix_new(NULL, NULL, NULL, NULL, NULL, &mix), ALCORE_E_INVALID, "ctx");
    ck_assert_ok(alcore_pool_drop_column(at.pool, "embeddings"));
    refuse(at.options.kind = "retrieved", ALCORE_E_MISSING, "embeddings of the labeled pool were");
    /* Nothing at all is an empty set, and no error. */
    ck_assert_ok(alcore_mix_new(at.ctx, NULL, NULL, NULL, NULL, &mix));
    ck_assert_int_eq(alcore_mix_count(mix), 0);
    ck_assert_ptr_null(alcore_mix_kind(mix, 0));
    ck_assert_ptr_null(alcore_mix_source(mix, -1, NULL));
    ck_assert_fails(alcore_mix_column(mix, "words", &column), ALCORE_E_NOT_FOUND, "\"words\"");
    alcore_mix_unref(mix);
    close_bed(&at);
}
END_TEST

/* Sentences alone, or nothing, were annotated: no phrase can be switched, and all pairs are
 * missing. */
START_TEST(annotations_without_a_phrase) {
    test_vector vector = vector_find("mixing", "TV-MIX");
    vector_case one = vector_case_number(vector, 0);
    static const char *const kinds[] = {"switched", "contextualized"};
    bed at;
    open_bed(&one, 2, &at);
    alcore_annotations_unref(at.annotations);
    ck_assert_ok(alcore_annotations_new(at.pool, &at.annotations));
    at.options.count = 3;
    for (int turn = 0; turn < 4; turn++) {
        const char *text = alcore_pool_text(at.pool, 0, NULL), *translation = "x";
        const int64_t row = 0;
        alcore_annotation_records records = ALCORE_ANNOTATION_RECORDS_INIT;
        records.texts = &text;
        records.translations = &translation;
        records.rows = &row;
        records.count = 1;
        if (turn == 2) ck_assert_ok(alcore_annotations_add(at.annotations, &records));
        at.options.kind = kinds[turn % 2];
        alcore_mix *mix = make_mix(&at);
        ck_assert_int_eq(alcore_mix_count(mix), turn < 2 ? 0 : 1);
        ck_assert_int_eq(alcore_mix_missing(mix), 3);
        alcore_mix_unref(mix);
    }
    close_bed(&at);
}
END_TEST

CHECK_SUITE("mix/training_set", tv_mix, fewer_pairs_are_the_first_ones, masked_rows, samples,
            annotations_without_a_phrase, default_count, files, refusals);
