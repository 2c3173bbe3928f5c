/* SPDX-License-Identifier: Apache-2.0 */
/* BLEU, chrF and TER of files: the numbers of the same texts in memory, over several blocks of
 * lines; memory that does not grow with the files; what is refused. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/metric.h"
#include "base/rng.h"
#include "check_status.h"
#include "check_suite.h"
#include "memory_host.h"
#include "test_folder.h"

enum { LINES = 8192 * 2 + 77, SETS = 2, MOST_WORDS = 12 };

static char folder[TEST_PATH_BYTES];
static char paths[SETS + 1][TEST_PATH_BYTES + 20];
static const char *path[SETS + 1];
static const char *texts[(SETS + 1) * LINES]; /* hypotheses, then sets of references */
static double scores[LINES];

/* Fills the texts, some of them empty, and writes them to the files. */
static void setup(void) {
    static const char *const words[] = {"a",
                                        "bc",
                                        "the",
                                        "\xC3\x9C"
                                        "ber",
                                        "dog,",
                                        "x."};
    alcore__rng rng;
    alcore__rng_seed(&rng, 3);
    test_folder_make(folder, "files");
    for (int f = 0; f <= SETS; f++) {
        snprintf(paths[f], sizeof paths[f], "%s/%d.txt", folder, f);
        path[f] = paths[f];
        FILE *file = fopen(path[f], "wb");
        ck_assert_ptr_nonnull(file);
        for (int i = 0; i < LINES; i++) {
            char line[8 * MOST_WORDS] = "";
            for (uint64_t n = alcore__rng_below(&rng, MOST_WORDS); n > 0; n--) {
                strcat(line, words[alcore__rng_below(&rng, 6)]);
                strcat(line, " ");
            }
            texts[f * LINES + i] = strdup(line);
            fprintf(file, "%s\n", line);
        }
        ck_assert_int_eq(fclose(file), 0);
    }
}

static void teardown(void) {
    for (int i = 0; i < (SETS + 1) * LINES; i++) free((char *)(uintptr_t)texts[i]);
    test_folder_remove(folder);
}

static alcore_text_files all_files(void) {
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    files.paths = path;
    files.count = SETS + 1;
    return files;
}

/* alcore_text_files.score: the lines come in order, on the thread of the call. */
typedef struct kept_scores {
    double *scores; /* [LINES] */
    int64_t count;
    pthread_t caller;
} kept_scores;

static void keep_score(void *user, int64_t line, double score) {
    kept_scores *kept = user;
    ck_assert_int_eq(line, kept->count);
    ck_assert(pthread_equal(pthread_self(), kept->caller));
    kept->scores[kept->count++] = score;
}

/* Computes one metric of the texts and of the files, and compares the structs byte by byte. */
#define COMPARE(name, NAME, options)                                                               \
    do {                                                                                           \
        alcore_##name##_result whole = ALCORE_##NAME##_RESULT_INIT, blocks = whole;                \
        memset(scores, 0, sizeof scores);                                                          \
        ck_assert_ok(alcore_metric_compute_##name(ctx, texts, NULL, LINES, texts + LINES, NULL,    \
                                                  SETS * LINES, &(options), &tensor, &whole));     \
        kept.count = 0;                                                                            \
        ck_assert_ok(alcore_metric_read_##name(ctx, &files, &(options), &blocks));                 \
        ck_assert_mem_eq(&blocks, &whole, sizeof whole);                                           \
        ck_assert_int_eq(kept.count, LINES);                                                       \
        ck_assert_mem_eq(kept.scores, scores, sizeof scores);                                      \
        ck_assert(!isnan(blocks.bootstrap_low));                                                   \
    } while (0)

START_TEST(equal_to_texts_in_memory) {
    alcore_ctx *ctx;
    alcore_tensor tensor;
    alcore_bleu_options bleu = ALCORE_BLEU_OPTIONS_INIT;
    alcore_chrf_options chrf = ALCORE_CHRF_OPTIONS_INIT;
    alcore_ter_options ter = ALCORE_TER_OPTIONS_INIT;
    alcore_text_files files = all_files();
    static double in_blocks[LINES];
    kept_scores kept = {in_blocks, 0, pthread_self()};
    int64_t lines = LINES;
    files.score = keep_score;
    files.score_user = &kept;
    bleu.resamples = chrf.resamples = ter.resamples = 10;
    chrf.word_order = 2;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore_tensor_init(&tensor, scores, ALCORE_FLOAT64, &lines, 1));
    COMPARE(bleu, BLEU, bleu);
    COMPARE(chrf, CHRF, chrf);
    COMPARE(ter, TER, ter);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The largest number of bytes that BLEU of a file with so many lines against itself needs beside
 * the file. */
static size_t peak_of(int64_t lines) {
    static const char line[] = "one line of words that are compared with each other and no more\n";
    const size_t bytes = sizeof line - 1;
    memory_host host;
    const char *const same[] = {"a.txt", "b.txt"};
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    alcore_bleu_options options = ALCORE_BLEU_OPTIONS_INIT;
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    char *all = malloc((size_t)lines * bytes);
    for (int64_t i = 0; i < lines; i++) memcpy(all + (size_t)i * bytes, line, bytes);
    memory_host_open(&host);
    memory_host_file(&host, all, (size_t)lines * bytes);
    files.paths = same;
    files.count = 2;
    const size_t live = host.live;
    host.peak = live;
    ck_assert_ok(alcore_metric_read_bleu(host.ctx, &files, &options, &score));
    ck_assert_double_eq_tol(score.bleu, 100, 1e-9);
    ck_assert_int_eq(score.hypothesis_tokens, 13 * lines);
    const size_t peak = host.peak - live;
    ck_assert_uint_eq(memory_host_close(&host), 0);
    free(all);
    return peak;
}

START_TEST(memory_does_not_grow) {
    const size_t small = peak_of(20000), large = peak_of(100000); /* 1.3 and 6.5 MB of text */
    ck_assert_uint_le(large, small + 65536);
    ck_assert_uint_lt(large, (size_t)12 << 20);
}
END_TEST

static void put(const char *name, const char *content) {
    FILE *file = fopen(name, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(content, file);
    fclose(file);
}

START_TEST(refused) {
    alcore_ctx *ctx;
    alcore_chrf_options options = ALCORE_CHRF_OPTIONS_INIT;
    alcore_chrf_result score = ALCORE_CHRF_RESULT_INIT;
    alcore_text_files files = all_files();
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    const char *two_inputs[] = {"-", "-"}, *missing[] = {path[0], NULL};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
#define CHRF() alcore_metric_read_chrf(ctx, &files, &options, &score)
    ck_assert_fails(alcore_metric_read_chrf(ctx, NULL, &options, &score), ALCORE_E_INVALID,
                    "files or out is NULL");
    put(path[1], "a\nb\n");
    ck_assert_fails(CHRF(), ALCORE_E_DATA, "0.txt has 16461 lines and ");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "1.txt has 2: line i of each"));
    put(path[0], "a\nb \xff\n");
    put(path[2], "a\nb\n");
    ck_assert_fails(CHRF(), ALCORE_E_DATA, "0.txt:2: the text is not valid UTF-8 at byte 2");
    for (int f = 0; f <= SETS; f++) put(path[f], "");
    ck_assert_fails(CHRF(), ALCORE_E_DATA, "0.txt is empty: there is nothing to measure");
    files.count = 1;
    ck_assert_fails(CHRF(), ALCORE_E_INVALID, "1 files; 2 to 1000");
    files.count = INT64_MIN;
    ck_assert_fails(CHRF(), ALCORE_E_INVALID, "-9223372036854775808 files; 2 to 1000");
    files.count = 2;
    files.paths = two_inputs;
    ck_assert_fails(CHRF(), ALCORE_E_INVALID, "only one file can be standard input");
    files.paths = missing;
    ck_assert_fails(CHRF(), ALCORE_E_INVALID, "path 2 is NULL");
    missing[1] = "/nowhere/x.txt";
    ck_assert_fails(CHRF(), ALCORE_E_IO, "/nowhere/x.txt");
    reading.reference_column = "r";
    files.options = &reading;
    ck_assert_fails(CHRF(), ALCORE_E_INVALID, "text_column names the column");
    reading = (alcore_read_options)ALCORE_READ_OPTIONS_INIT;
    reading.bad_lines = 77;
    ck_assert_fails(CHRF(), ALCORE_E_INVALID, "bad_lines is 77");
    const size_t lengths[] = {1};
    alcore_paired_options paired = ALCORE_PAIRED_OPTIONS_INIT;
    paired.baseline_lengths = lengths;
    options.paired = &paired;
    reading.bad_lines = 0;
    ck_assert_fails(CHRF(), ALCORE_E_INVALID, "with files the last one is the baseline's");
    alcore_ctx_unref(ctx);
}
END_TEST

/* A file without the column that the options name is read by the usual names. */
START_TEST(columns) {
    alcore_ctx *ctx;
    alcore_ter_options options = ALCORE_TER_OPTIONS_INIT;
    alcore_ter_result score = ALCORE_TER_RESULT_INIT;
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    char names[2][80];
    const char *both[] = {names[0], names[1]};
    for (int f = 0; f < 2; f++) snprintf(names[f], sizeof names[f], "%s/%d.tsv", folder, f);
    put(names[0], "text\tours\nx y\ta b\n");
    put(names[1], "text\na c\n");
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    files.paths = both;
    files.count = 2;
    files.options = &reading;
    reading.text_column = "ours";
    ck_assert_ok(alcore_metric_read_ter(ctx, &files, &options, &score));
    ck_assert_int_eq(score.edits, 1);
    reading.text_column = NULL;
    ck_assert_ok(alcore_metric_read_ter(ctx, &files, &options, &score));
    ck_assert_int_eq(score.edits, 2);
    put(names[1], "none\na c\n");
    reading.text_column = "ours";
    ck_assert_fails(alcore_metric_read_ter(ctx, &files, &options, &score), ALCORE_E_DATA,
                    "no column is called \"ours\"");
    put(names[1], "text\na c\n"); /* a column that no file has is no column */
    reading.text_column = "theirs";
    ck_assert_fails(alcore_metric_read_ter(ctx, &files, &options, &score), ALCORE_E_DATA,
                    "0.tsv:1: no column is called \"theirs\"");
    /* A value that cannot be read is no column that is not there. */
    for (int f = 0; f < 2; f++) unlink(names[f]);
    for (int f = 0; f < 2; f++) snprintf(names[f], sizeof names[f], "%s/%d.jsonl", folder, f);
    put(names[0], "{\"text\": \"x\", \"ours\": 1}\n");
    put(names[1], "{\"text\": \"x\", \"ours\": 1.0}\n");
    reading.text_column = "ours";
    ck_assert_fails(alcore_metric_read_ter(ctx, &files, &options, &score), ALCORE_E_DATA,
                    "1.jsonl:1: \"ours\" must be a string or an integer");
    for (int f = 0; f < 2; f++) unlink(names[f]);
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("files");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_set_timeout(all, 300);
    tcase_add_test(all, equal_to_texts_in_memory);
    tcase_add_test(all, memory_does_not_grow);
    tcase_add_test(all, refused);
    tcase_add_test(all, columns);
    return check_suite_run("metric/files", all);
}
