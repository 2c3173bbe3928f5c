/* SPDX-License-Identifier: Apache-2.0 */
/* Labels, spans, answers, classes, lengths and translated words of files: the numbers of the same
 * texts in memory, over several blocks of lines; memory that does not grow with the files; lines
 * that messages name; what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra/metric.h"
#include "base/rng.h"
#include "check_status.h"
#include "check_suite.h"
#include "memory_host.h"
#include "options_with.h"
#include "test_folder.h"

enum { LINES = 8192 * 2 + 77, WORDS = 6, LINE_BYTES = 128, FILES = 3, ANSWERS = 3 };
enum { LINKS = FILES }; /* index of the path of the links */

static char folder[TEST_PATH_BYTES];
static char paths[FILES + 1][TEST_PATH_BYTES + 20];
static const char *path[FILES + 1];
static char lines[FILES][LINES][LINE_BYTES]; /* of the files that were written last */
static const char *texts[FILES][LINES];      /* the same */

static void setup(void) {
    test_folder_make(folder, "read");
    for (int f = 0; f <= FILES; f++) {
        snprintf(paths[f], sizeof paths[f], "%s/%d.txt", folder, f);
        path[f] = paths[f];
        for (int i = 0; f < FILES && i < LINES; i++) texts[f][i] = lines[f][i];
    }
}

static void teardown(void) {
    test_folder_remove(folder);
}

/* Writes `count` texts to a file, one a line. */
static void write_lines(const char *name, const char *const *given, int count) {
    FILE *file = fopen(name, "wb");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < count; i++) fprintf(file, "%s\n", given[i]);
    ck_assert_int_eq(fclose(file), 0);
}

/* Fills and writes all files: line i of each has the same number of words of the list, joined by
 * `between`, so that it is a line of tags, of answers or of a sentence. */
static void write_files(const char *const *words, int word_count, const char *between) {
    alcore__rng rng;
    alcore__rng_seed(&rng, 11);
    for (int i = 0; i < LINES; i++) {
        const uint64_t count = alcore__rng_below(&rng, WORDS) + (between[0] == '\t');
        for (int f = 0; f < FILES; f++) {
            lines[f][i][0] = 0;
            for (uint64_t n = 0; n < count; n++) {
                if (n > 0) strcat(lines[f][i], between);
                strcat(lines[f][i], words[alcore__rng_below(&rng, (uint64_t)word_count)]);
            }
        }
    }
    for (int f = 0; f < FILES; f++) write_lines(path[f], texts[f], LINES);
}

static alcore_text_files files_of(const char *const *names, int64_t count) {
    alcore_text_files files = ALCORE_TEXT_FILES_INIT;
    files.paths = names;
    files.count = count;
    return files;
}

/* A context of so many threads. */
static alcore_ctx *context_of(int32_t threads) {
    alcore_ctx *ctx;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = threads;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    return ctx;
}

START_TEST(labels_and_spans_equal_those_in_memory) {
    static const char *const tags[] = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"};
    alcore_ctx *ctx = context_of(_i);
    const alcore_text_files files = files_of(path, 2);
    write_files(tags, 5, " ");
    for (int32_t flag = 0; flag < 2; flag++) {
        alcore_labels_result labels = ALCORE_LABELS_RESULT_INIT, read_labels = labels;
        alcore_spans_result spans = ALCORE_SPANS_RESULT_INIT, read_spans = spans;
        ck_assert_ok(alcore_metric_compute_labels(
            ctx, texts[0], NULL, LINES, texts[1], NULL, LINES,
            OPTIONS_WITH(alcore_labels_options, .words = flag), &labels));
        ck_assert_ok(alcore_metric_read_labels(
            ctx, &files, OPTIONS_WITH(alcore_labels_options, .words = flag), &read_labels));
        ck_assert_mem_eq(&read_labels, &labels, sizeof labels);
        ck_assert_int_ge(labels.compared, LINES);
        ck_assert_int_gt(labels.correct, 0);
        ck_assert_ok(alcore_metric_compute_spans(
            ctx, texts[0], NULL, LINES, texts[1], NULL, LINES,
            OPTIONS_WITH(alcore_spans_options, .scheme = ALCORE_TAGS_DEFAULT + flag), &spans));
        ck_assert_ok(alcore_metric_read_spans(
            ctx, &files, OPTIONS_WITH(alcore_spans_options, .scheme = ALCORE_TAGS_DEFAULT + flag),
            &read_spans));
        ck_assert_mem_eq(&read_spans, &spans, sizeof spans);
        ck_assert_int_gt(spans.matches, 0);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(classes_equal_those_in_memory) {
    static const char *const names[] = {"a", "b", "c"};
    static int64_t classes[2][LINES];
    alcore_ctx *ctx = context_of(_i);
    const alcore_text_files files = files_of(path, 2);
    alcore_kappa_result whole = ALCORE_KAPPA_RESULT_INIT, blocks = whole;
    write_files(names, 3, "");
    for (int f = 0; f < 2; f++)
        for (int i = 0; i < LINES; i++) {
            classes[f][i] = 1; /* the letters of a line are the digits of a number */
            for (const char *c = texts[f][i]; *c; c++) classes[f][i] = 4 * classes[f][i] + *c - 'a';
        }
    ck_assert_ok(
        alcore_metric_compute_kappa(ctx, classes[0], LINES, classes[1], LINES, NULL, &whole));
    ck_assert_ok(alcore_metric_read_kappa(ctx, &files, NULL, &blocks));
    ck_assert_mem_eq(&blocks, &whole, sizeof whole);
    ck_assert_int_gt(whole.classes, 100);
    ck_assert_double_gt(whole.kappa, 0);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(answers_equal_those_in_memory) {
    static const char *const words[] = {"the cat", "a dog.", "dog", "", "Cat"};
    static char copies[LINES][LINE_BYTES];
    static const char *gold[LINES * WORDS];
    static int64_t offsets[LINES + 1];
    alcore_ctx *ctx = context_of(_i);
    const alcore_text_files files = files_of(path, 2);
    alcore_answers_result whole = ALCORE_ANSWERS_RESULT_INIT, blocks = whole;
    int64_t count = 0;
    write_files(words, 5, "\t");
    for (int i = 0; i < LINES; i++) {
        char *next = strcpy(copies[i], texts[0][i]);
        for (char *answer; (answer = strsep(&next, "\t"));) gold[count++] = answer;
        offsets[i + 1] = count;
    }
    ck_assert_ok(alcore_metric_compute_answers(ctx, gold, NULL, count, offsets, LINES + 1, texts[1],
                                               NULL, LINES, NULL, &whole));
    ck_assert_ok(alcore_metric_read_answers(ctx, &files, NULL, &blocks));
    ck_assert_mem_eq(&blocks, &whole, sizeof whole);
    ck_assert_int_gt(whole.exact, 0);
    ck_assert_double_gt(whole.f1, whole.exact_match);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Line i of the links joins some words of source and reference i, which have as many. */
static void write_links(void) {
    static char links[LINES][LINE_BYTES];
    static const char *list[LINES];
    for (int i = 0; i < LINES; i++) {
        int words = texts[0][i][0] != 0;
        for (const char *c = texts[0][i]; *c; c++) words += *c == ' ';
        links[i][0] = 0;
        for (int word = i % 3; word < words; word += 2)
            snprintf(links[i] + strlen(links[i]), LINE_BYTES - strlen(links[i]), "%d-%d ", word,
                     words - 1 - word);
        list[i] = links[i];
    }
    write_lines(path[LINKS], list, LINES);
}

START_TEST(translated_words_and_lengths_equal_those_in_memory) {
    static const char *const words[] = {"a", "bc", "the", "dog", "x."}, *const outside[] = {"bc a"};
    alcore_ctx *ctx = context_of(_i);
    alcore_overlap_options one = ALCORE_OVERLAP_OPTIONS_INIT;
    const alcore_text_files files = files_of(path, FILES), two = files_of(path, 2);
    alcore_length_ratio_result ratio = ALCORE_LENGTH_RATIO_RESULT_INIT, read_ratio = ratio;
    alcore_links *links;
    alcore_overlap *domain;
    write_files(words, 5, " ");
    write_links();
    one.max_order = 1;
    ck_assert_ok(alcore_links_open(ctx, path[LINKS], LINES, &links));
    ck_assert_ok(alcore_overlap_new(ctx, &one, &domain));
    ck_assert_ok(
        alcore_overlap_read(domain, ALCORE_OVERLAP_TEST, ALCORE_SIDE_SOURCE, path[0], NULL, NULL));
    ck_assert_ok(
        alcore_overlap_add(domain, ALCORE_OVERLAP_OUTSIDE, ALCORE_SIDE_SOURCE, outside, NULL, 1));
    for (int inside = 0; inside < 2; inside++) {
        alcore_word_accuracy_result whole = ALCORE_WORD_ACCURACY_RESULT_INIT, blocks = whole;
        ck_assert_ok(alcore_metric_compute_word_accuracy(
            ctx, texts[0], NULL, LINES, texts[1], NULL, LINES, texts[2], NULL, LINES, links,
            OPTIONS_WITH(alcore_word_accuracy_options, .domain = inside ? domain : NULL), &whole));
        ck_assert_ok(alcore_metric_read_word_accuracy(
            ctx, &files, path[LINKS],
            OPTIONS_WITH(alcore_word_accuracy_options, .domain = inside ? domain : NULL), &blocks));
        ck_assert_mem_eq(&blocks, &whole, sizeof whole);
        ck_assert_int_gt(whole.matched, 0);
        ck_assert_int_gt(whole.total, whole.matched);
    }
    ck_assert_ok(alcore_metric_compute_length_ratio(ctx, texts[0], NULL, LINES, texts[1], NULL,
                                                    LINES, NULL, &ratio));
    ck_assert_ok(alcore_metric_read_length_ratio(ctx, &two, NULL, &read_ratio));
    ck_assert_mem_eq(&read_ratio, &ratio, sizeof ratio);
    ck_assert_int_gt(ratio.hypothesis_words, LINES);
    alcore_overlap_unref(domain);
    alcore_links_unref(links);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- memory ---- */

/* One of the calls, of files that are all the same; *items: what it counted. */
typedef struct measure {
    const char *line; /* of the files, links of words as well as tags and labels */
    void (*call)(alcore_ctx *ctx, const alcore_text_files *files, int64_t *items);
} measure;

static void read_labels(alcore_ctx *ctx, const alcore_text_files *files, int64_t *items) {
    alcore_labels_result score = ALCORE_LABELS_RESULT_INIT;
    ck_assert_ok(alcore_metric_read_labels(ctx, files, NULL, &score));
    *items = score.correct;
}
static void read_spans(alcore_ctx *ctx, const alcore_text_files *files, int64_t *items) {
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
    ck_assert_ok(alcore_metric_read_spans(ctx, files, NULL, &score));
    *items = score.matches;
}
static void read_answers(alcore_ctx *ctx, const alcore_text_files *files, int64_t *items) {
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
    ck_assert_ok(alcore_metric_read_answers(ctx, files, NULL, &score));
    *items = score.questions;
}
static void read_kappa(alcore_ctx *ctx, const alcore_text_files *files, int64_t *items) {
    alcore_kappa_result result = ALCORE_KAPPA_RESULT_INIT;
    ck_assert_ok(alcore_metric_read_kappa(ctx, files, NULL, &result));
    ck_assert_int_eq(result.classes, 1);
    *items = result.items;
}
static void read_lengths(alcore_ctx *ctx, const alcore_text_files *files, int64_t *items) {
    alcore_length_ratio_result score = ALCORE_LENGTH_RATIO_RESULT_INIT;
    ck_assert_ok(alcore_metric_read_length_ratio(ctx, files, NULL, &score));
    ck_assert_double_eq(score.ratio, 1);
    *items = score.reference_words / 2;
}
static void read_words(alcore_ctx *ctx, const alcore_text_files *files, int64_t *items) {
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    alcore_text_files three = files_of((const char *const[]){"a", "b", "c"}, 3);
    three.options = files->options;
    ck_assert_ok(alcore_metric_read_word_accuracy(ctx, &three, "links", NULL, &score));
    *items = score.total / 2;
}

static void read_overlap(alcore_ctx *ctx, const alcore_text_files *files, int64_t *items) {
    alcore_coverage_result score = ALCORE_COVERAGE_RESULT_INIT;
    alcore_overlap *overlap;
    ck_assert_ok(alcore_overlap_new(ctx, NULL, &overlap));
    for (int f = 0; f < 2; f++)
        ck_assert_ok(alcore_overlap_read(overlap,
                                         f == 0 ? ALCORE_OVERLAP_TEST : ALCORE_OVERLAP_SELECTED,
                                         ALCORE_SIDE_SOURCE, files->paths[f], NULL, items));
    ck_assert_ok(alcore_overlap_compute_coverage(overlap, 1, NULL, &score));
    ck_assert_int_eq(score.test_tokens, 2 * *items);
    alcore_overlap_unref(overlap);
}

static const measure MEASURES[] = {
    {"a label of two words", read_labels}, {"B-PER I-PER O O O O", read_spans},
    {"the dog\tno dog", read_answers},     {"class", read_kappa},
    {"two words", read_lengths},           {"0-0 1-1", read_words},
    {"two words", read_overlap},
};
enum { MEASURE_TOTAL = sizeof MEASURES / sizeof MEASURES[0] };

/* The largest number of bytes that a measure of files of `lines` lines, each with so many spaces at
 * its end, needs beside the files. */
static size_t peak_of(const measure *one, int64_t count, size_t spaces) {
    const size_t length = strlen(one->line), bytes = length + spaces + 1;
    const alcore_text_files files = files_of((const char *const[]){"a.txt", "b.txt"}, 2);
    memory_host host;
    int64_t items;
    char *all = malloc((size_t)count * bytes);
    ck_assert_ptr_nonnull(all);
    memset(all, ' ', (size_t)count * bytes);
    for (int64_t i = 0; i < count; i++) {
        memcpy(all + (size_t)i * bytes, one->line, length);
        all[(size_t)(i + 1) * bytes - 1] = '\n';
    }
    memory_host_open(&host);
    memory_host_file(&host, all, (size_t)count * bytes);
    const size_t live = host.live;
    host.peak = live;
    one->call(host.ctx, &files, &items);
    ck_assert_int_eq(items, count);
    const size_t peak = host.peak - live;
    ck_assert_uint_eq(memory_host_close(&host), 0);
    free(all);
    return peak;
}

/* The second file is five times the first, which has more than two blocks. */
START_TEST(memory_does_not_grow) {
    const size_t small = peak_of(&MEASURES[_i], 20000, 0);
    const size_t large = peak_of(&MEASURES[_i], 100000, 0);
    ck_assert_uint_le(large, small + 65536);
    ck_assert_uint_lt(large, (size_t)12 << 20);
}
END_TEST

/* Blocks of long lines end after few of them, 16 of two files: 10 and 30 MB of text. */
START_TEST(memory_does_not_grow_with_long_lines) {
    const size_t small = peak_of(&MEASURES[_i], 40, 250000);
    const size_t large = peak_of(&MEASURES[_i], 120, 250000);
    ck_assert_uint_le(large, small + 65536);
    ck_assert_uint_lt(large, (size_t)64 << 20);
}
END_TEST

/* ---- messages ---- */

/* Writes a file, of which entry `entry` of LINES is `wrong` and all others are `right`. */
static void write_wrong(const char *name, const char *first, const char *format, const char *right,
                        int entry, const char *wrong) {
    FILE *file = fopen(name, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(first, file);
    for (int i = 0; i < LINES; i++) fprintf(file, format, i == entry ? wrong : right);
    ck_assert_int_eq(fclose(file), 0);
}

/* Line 8193 of a file is the first of the second block. */
START_TEST(lines_are_named) {
    alcore_ctx *ctx = context_of(1);
    alcore_spans_result spans = ALCORE_SPANS_RESULT_INIT;
    alcore_labels_result labels = ALCORE_LABELS_RESULT_INIT;
    alcore_word_accuracy_result words = ALCORE_WORD_ACCURACY_RESULT_INIT;
    char table[80], objects[80], wanted[300];
    const char *const tags[] = {path[0], table}, *const counts[] = {objects, path[0]};
    const char *const sentences[] = {path[0], path[0], path[0]};
    const alcore_text_files two = files_of(tags, 2), other = files_of(counts, 2);
    const alcore_text_files three = files_of(sentences, 3);
    snprintf(table, sizeof table, "%s/t.tsv", folder);
    snprintf(objects, sizeof objects, "%s/o.jsonl", folder);
    write_wrong(path[0], "", "%s\n", "O O", -1, "");
    write_wrong(table, "text\n", "%s\n", "O O", 8192, "O X-PER");
    write_wrong(objects, "\n", "{\"text\": \"%s\"}\n\n", "O O", 8193, "O");
    snprintf(wanted, sizeof wanted, "predicted %s:8194: tag 2 is 'X-PER'", table);
    ck_assert_fails(alcore_metric_read_spans(ctx, &two, NULL, &spans), ALCORE_E_DATA, wanted);
    snprintf(wanted, sizeof wanted, "gold %s:16388, predicted %s:8194: 1 gold tags, 2 predicted",
             objects, path[0]);
    ck_assert_fails(alcore_metric_read_spans(ctx, &other, NULL, &spans), ALCORE_E_SHAPE, wanted);
    snprintf(wanted, sizeof wanted, "gold %s:16388, predicted %s:8194: word 2 of predicted has no",
             objects, path[0]);
    ck_assert_fails(alcore_metric_read_labels(
                        ctx, &other, OPTIONS_WITH(alcore_labels_options, .words = 1), &labels),
                    ALCORE_E_SHAPE, wanted);
    write_wrong(path[LINKS], "", "%s\n", "0-0", 9000, "1-2");
    snprintf(wanted, sizeof wanted, "%s:9001: line 9001: the link 1-2 points behind", path[LINKS]);
    ck_assert_fails(alcore_metric_read_word_accuracy(ctx, &three, path[LINKS], NULL, &words),
                    ALCORE_E_DATA, wanted);
    write_wrong(path[LINKS], "", "%s\n", "0-0", 9000, "0~0");
    snprintf(wanted, sizeof wanted, "%s:9001: '0~0' is not a link", path[LINKS]);
    ck_assert_fails(alcore_metric_read_word_accuracy(ctx, &three, path[LINKS], NULL, &words),
                    ALCORE_E_DATA, wanted);
    unlink(table);
    unlink(objects);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(unequal_links) {
    static const char *const few[] = {"0-0", "0-0"}, *const many[] = {"", "", "", ""};
    static const char *const sentences[] = {"a", "b", "c"};
    const char *const same[] = {path[0], path[0], path[0]};
    const alcore_text_files three = files_of(same, 3);
    alcore_word_accuracy_result score = ALCORE_WORD_ACCURACY_RESULT_INIT;
    alcore_ctx *ctx = context_of(1);
    write_lines(path[0], sentences, 3);
    write_lines(path[LINKS], few, 2);
    ck_assert_fails(alcore_metric_read_word_accuracy(ctx, &three, path[LINKS], NULL, &score),
                    ALCORE_E_DATA, "3.txt' has 2 lines, but there are more sentence pairs");
    write_lines(path[LINKS], many, 4);
    ck_assert_fails(alcore_metric_read_word_accuracy(ctx, &three, path[LINKS], NULL, &score),
                    ALCORE_E_DATA, "3.txt:4: there are only 3 sentence pairs");
    ck_assert_fails(alcore_metric_read_word_accuracy(ctx, &three, NULL, NULL, &score),
                    ALCORE_E_INVALID, "links is NULL");
    alcore_ctx_unref(ctx);
}
END_TEST

static void refuse_score(void *user, int64_t line, double score) {
    (void)user;
    ck_abort_msg("line %lld has the score %g", (long long)line, score);
}

#define REFUSED(call, status, text) ck_assert_fails(call, ALCORE_E_##status, text)
START_TEST(refused) {
    alcore_ctx *ctx = context_of(1);
    static const char *const one[] = {"a"}, *const two[] = {"a", "b"};
    const char *const both[] = {path[0], path[1]};
    alcore_text_files single = files_of(both, 1), scored = files_of(both, 2), pair = scored;
    alcore_labels_result labels = ALCORE_LABELS_RESULT_INIT;
    alcore_spans_result spans = ALCORE_SPANS_RESULT_INIT;
    alcore_answers_result answers = ALCORE_ANSWERS_RESULT_INIT;
    alcore_length_ratio_result ratio = ALCORE_LENGTH_RATIO_RESULT_INIT;
    alcore_word_accuracy_result words = ALCORE_WORD_ACCURACY_RESULT_INIT;
    alcore_kappa_result kappa = ALCORE_KAPPA_RESULT_INIT;
    static const char number[] = "1 files; 2 are needed, ", missing[] = "files is NULL";
    static const char no_score[] = "only BLEU, chrF and TER have a score of each line";
    static const char unequal[] = "1.txt has 2: line i of each belong together";
    scored.score = refuse_score;
    write_lines(path[0], one, 1);
    write_lines(path[1], two, 2);
#define REFUSE_ALL(files, status, text)                                                            \
    REFUSED(alcore_metric_read_labels(ctx, files, NULL, &labels), status, text);                   \
    REFUSED(alcore_metric_read_spans(ctx, files, NULL, &spans), status, text);                     \
    REFUSED(alcore_metric_read_answers(ctx, files, NULL, &answers), status, text);                 \
    REFUSED(alcore_metric_read_length_ratio(ctx, files, NULL, &ratio), status, text);              \
    REFUSED(alcore_metric_read_kappa(ctx, files, NULL, &kappa), status, text)
    REFUSE_ALL(&single, INVALID, number);
    REFUSE_ALL(&scored, INVALID, no_score);
    REFUSE_ALL(NULL, INVALID, "NULL");
    REFUSED(alcore_metric_read_labels(ctx, NULL, NULL, &labels), INVALID, missing);
    write_lines(path[0], (const char *const[]){"O"}, 1);
    write_lines(path[1], (const char *const[]){"O", "O"}, 2);
    REFUSE_ALL(&pair, DATA, unequal);
    write_lines(path[0], NULL, 0);
    write_lines(path[1], NULL, 0);
    REFUSE_ALL(&pair, DATA, "0.txt is empty: there is nothing to measure");
    REFUSED(alcore_metric_read_labels(ctx, &pair, OPTIONS_WITH(alcore_labels_options, .words = 2),
                                      &labels),
            INVALID, "words is 0 or 1");
    REFUSED(alcore_metric_read_spans(ctx, &pair, OPTIONS_WITH(alcore_spans_options, .scheme = 6),
                                     &spans),
            INVALID, "scheme 6 is none");
    REFUSED(alcore_metric_read_word_accuracy(ctx, &pair, path[0], NULL, &words), INVALID,
            "2 files; 3 are needed, sources, references and hypotheses");
    alcore_ctx_unref(ctx);
}
END_TEST

TEST_FILE() {
    TCase *all = tcase_create("read");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_set_timeout(all, 300);
    tcase_add_loop_test(all, labels_and_spans_equal_those_in_memory, 1, 3);
    tcase_add_loop_test(all, classes_equal_those_in_memory, 1, 3);
    tcase_add_loop_test(all, answers_equal_those_in_memory, 1, 3);
    tcase_add_loop_test(all, translated_words_and_lengths_equal_those_in_memory, 1, 3);
    tcase_add_loop_test(all, memory_does_not_grow, 0, MEASURE_TOTAL);
    tcase_add_loop_test(all, memory_does_not_grow_with_long_lines, 0, MEASURE_TOTAL);
    tcase_add_test(all, lines_are_named);
    tcase_add_test(all, unequal_links);
    tcase_add_test(all, refused);
    return check_suite_run("metric/read", all);
}
