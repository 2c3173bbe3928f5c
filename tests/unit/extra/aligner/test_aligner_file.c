/* SPDX-License-Identifier: Apache-2.0 */
/* Aligners in files: what is read links, tells and is written again as what was trained, whatever
 * the number of threads; files that are foreign, cut off or changed are refused with their name. */
#include "check_suite.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/extra/aligner.h"
#include "aligner_bed.h"
#include "test_folder.h"

enum { PAIRS = 120, HEADER = 112 };
static char path[TEST_PATH_BYTES];

/* A file as bytes. */
typedef struct bytes {
    char *data;
    size_t count;
} bytes;

static bytes read_bytes(void) {
    struct stat about;
    const int file = open(path, O_RDONLY);
    ck_assert_int_eq(fstat(file, &about), 0);
    bytes out = {malloc((size_t)about.st_size + 1), (size_t)about.st_size};
    ck_assert_int_eq(read(file, out.data, out.count), about.st_size);
    close(file);
    return out;
}

static void write_bytes(const char *data, size_t count) {
    const int file = open(path, O_WRONLY | O_TRUNC);
    ck_assert_int_eq(write(file, data, count), (ssize_t)count);
    close(file);
}

static bed_pairs make_pairs(void) {
    return bed_random_pairs(11, PAIRS, 40, 12);
}

static alcore_aligner *train(alcore_ctx *ctx, const bed_pairs *p,
                             const alcore_aligner_options *options) {
    alcore_aligner *aligner;
    ck_assert_int_eq(alcore_aligner_new_trained(ctx, p->sources, NULL, p->targets, NULL, p->count,
                                                options, &aligner),
                     ALCORE_OK);
    return aligner;
}

static alcore_aligner *write_and_read(alcore_ctx *ctx, const alcore_aligner *aligner) {
    alcore_aligner *read;
    ck_assert_int_eq(alcore_aligner_write(aligner, path), ALCORE_OK);
    ck_assert_msg(alcore_aligner_open(ctx, path, &read) == ALCORE_OK, "%s", alcore_last_error());
    return read;
}

/* Both link these pairs in the same way. Returns the number of links. */
static int64_t assert_same_links(const alcore_aligner *a, const alcore_aligner *b,
                                 const bed_pairs *p) {
    alcore_links *links[2];
    alcore_tensor offsets[2], numbers[2];
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(alcore_aligner_apply(i == 0 ? a : b, p->sources, NULL, p->targets, NULL,
                                              p->count, &links[i]),
                         ALCORE_OK);
        ck_assert_int_eq(alcore_links_get(links[i], &offsets[i], &numbers[i]), ALCORE_OK);
    }
    const int64_t count = numbers[0].shape[0];
    ck_assert_mem_eq(offsets[0].data, offsets[1].data, (size_t)(p->count + 1) * sizeof(int64_t));
    ck_assert_int_eq(numbers[1].shape[0], count);
    if (count > 0)
        ck_assert_mem_eq(numbers[0].data, numbers[1].data, (size_t)count * 2 * sizeof(int32_t));
    alcore_links_unref(links[0]);
    alcore_links_unref(links[1]);
    return count;
}

/* Both tell the same of themselves: direction, lambda, log-likelihoods, probabilities. */
static void assert_same_model(const alcore_aligner *a, const alcore_aligner *b) {
    alcore_tensor values[2];
    ck_assert_int_eq(alcore_aligner_direction(a), alcore_aligner_direction(b));
    ck_assert_double_eq(alcore_aligner_lambda(a), alcore_aligner_lambda(b));
    ck_assert_int_eq(alcore_aligner_log_likelihoods(a, &values[0]), ALCORE_OK);
    ck_assert_int_eq(alcore_aligner_log_likelihoods(b, &values[1]), ALCORE_OK);
    ck_assert_int_eq(values[0].shape[0], values[1].shape[0]);
    ck_assert_mem_eq(values[0].data, values[1].data, (size_t)values[0].shape[0] * sizeof(double));
    for (int i = 0; i < 40; i++) {
        char source[8], target[8];
        double t[2];
        snprintf(source, sizeof source, "s%d", i);
        snprintf(target, sizeof target, "t%d", i / 2);
        ck_assert_int_eq(alcore_aligner_probability(a, source, target, &t[0]), ALCORE_OK);
        ck_assert_int_eq(alcore_aligner_probability(b, source, target, &t[1]), ALCORE_OK);
        ck_assert_double_eq(t[0], t[1]);
    }
}

START_TEST(what_is_read_is_what_was_written) {
    alcore_ctx *ctx = bed_ctx(2);
    bed_pairs p = make_pairs(), others = bed_random_pairs(12, 50, 60, 9);
    const alcore_aligner_options settings[] = {
        ALCORE_ALIGNER_OPTIONS_INIT,
        ALIGNER_WITH(.direction = ALCORE_DIRECTION_REVERSE),
        ALIGNER_WITH(.model = ALCORE_ALIGNER_IBM1),
        ALIGNER_WITH(.estimate = ALCORE_ESTIMATE_COUNTS),
        ALIGNER_WITH(.tension = ALCORE_TENSION_GRADIENT, .iterations = 3),
        {.size = sizeof settings[0], .p0 = 0.3, .lambda = 7, .alpha = 1},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        alcore_aligner *aligner = train(ctx, &p, &settings[i]);
        alcore_aligner *read = write_and_read(ctx, aligner);
        ck_assert_int_gt(assert_same_links(aligner, read, &p), 100);
        ck_assert_int_gt(assert_same_links(aligner, read, &others), 20);
        assert_same_model(aligner, read);
        alcore_links *links = (alcore_links *)&links;
        ck_assert_int_eq(alcore_aligner_links(read, &links), ALCORE_E_INVALID);
        ck_assert_ptr_null(links);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "no training pairs"));
        alcore_aligner_unref(read);
        alcore_aligner_unref(aligner);
    }
    bed_free_pairs(&others);
    bed_free_pairs(&p);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Symbols depend on the timing of threads, the file does not; nor does writing what was read change
 * it. */
START_TEST(the_bytes_are_the_same_for_all_threads) {
    bed_pairs p = make_pairs();
    bytes first = {0};
    for (int32_t threads = 1; threads <= 7; threads += 3) {
        alcore_ctx *ctx = bed_ctx(threads);
        alcore_aligner *aligner = train(ctx, &p, NULL);
        alcore_aligner *read = write_and_read(ctx, aligner);
        for (int again = 0; again < 2; again++) {
            ck_assert_int_eq(alcore_aligner_write(again ? read : aligner, path), ALCORE_OK);
            bytes now = read_bytes();
            if (!first.data) {
                first = now;
                continue;
            }
            ck_assert_uint_eq(now.count, first.count);
            ck_assert_mem_eq(now.data, first.data, first.count);
            free(now.data);
        }
        alcore_aligner_unref(read);
        alcore_aligner_unref(aligner);
        alcore_ctx_unref(ctx);
    }
    ck_assert_uint_gt(first.count, 1000);
    free(first.data);
    bed_free_pairs(&p);
}
END_TEST

/* A training without pairs, and words that are longer than a row of pairs that is sorted by
 * insertion. */
START_TEST(no_pairs_and_many_pairs) {
    alcore_ctx *ctx = bed_ctx(1);
    alcore_aligner *aligner, *read;
    const char *none = "", *word = "a";
    char many[4 * 300 + 1];
    double t;
    ck_assert_int_eq(alcore_aligner_new_trained(ctx, &none, NULL, &none, NULL, 1, NULL, &aligner),
                     ALCORE_OK);
    read = write_and_read(ctx, aligner);
    const bed_pairs one = {.sources = &word, .targets = &word, .count = 1};
    (void)assert_same_links(aligner, read, &one);
    alcore_aligner_unref(read);
    alcore_aligner_unref(aligner);
    for (int i = 0; i < 300; i++) sprintf(many + 4 * i, "%03d ", i);
    const char *targets = many;
    ck_assert_int_eq(
        alcore_aligner_new_trained(ctx, &word, NULL, &targets, NULL, 1, NULL, &aligner), ALCORE_OK);
    read = write_and_read(ctx, aligner);
    const bed_pairs wide = {.sources = &word, .targets = &targets, .count = 1};
    ck_assert_int_gt(assert_same_links(aligner, read, &wide), 0);
    ck_assert_int_eq(alcore_aligner_probability(read, "a", "299", &t), ALCORE_OK);
    ck_assert_double_gt(t, 1e-4);
    alcore_aligner_unref(read);
    alcore_aligner_unref(aligner);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The file is refused with this text and the path. */
static void assert_refused(alcore_ctx *ctx, alcore_status status, const char *text) {
    alcore_aligner *aligner = (alcore_aligner *)&status;
    const alcore_status found = alcore_aligner_open(ctx, path, &aligner);
    ck_assert_msg(found == status, "%s", alcore_last_error());
    ck_assert_ptr_null(aligner);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), path));
    ck_assert_msg(strstr(alcore_last_error(), text), "'%s' in: %s", text, alcore_last_error());
}

/* Every byte counts: a file without its last ones, and one with a bit changed anywhere, is
 * refused. */
START_TEST(damaged_files_are_refused) {
    alcore_ctx *ctx = bed_ctx(1);
    bed_pairs p = bed_random_pairs(13, 12, 9, 5);
    alcore_aligner *aligner = train(ctx, &p, NULL), *read;
    ck_assert_int_eq(alcore_aligner_write(aligner, path), ALCORE_OK);
    bytes whole = read_bytes();
    for (size_t count = 0; count < whole.count; count += count < 2 * HEADER ? 1 : 41) {
        write_bytes(whole.data, count);
        assert_refused(ctx, ALCORE_E_CORRUPT,
                       count < 8        ? "no file of an aligner"
                       : count < HEADER ? "cut off"
                                        : "length of the file");
    }
    for (size_t i = 0; i < whole.count; i++) {
        for (int bit = 0; bit < 8; bit += i < HEADER ? 1 : 5) {
            whole.data[i] = (char)(whole.data[i] ^ 1 << bit);
            write_bytes(whole.data, whole.count);
            const alcore_status status = alcore_aligner_open(ctx, path, &read);
            if (i >= 8 && i < 12)
                ck_assert_int_eq(status, ALCORE_E_UNSUPPORTED); /* another version */
            else
                ck_assert_int_eq(status, ALCORE_E_CORRUPT);
            ck_assert_ptr_nonnull(strstr(alcore_last_error(), path));
            whole.data[i] = (char)(whole.data[i] ^ 1 << bit);
        }
    }
    write_bytes("das Haus\tthe house\n", 19);
    assert_refused(ctx, ALCORE_E_CORRUPT, "no file of an aligner");
    write_bytes(whole.data, whole.count);
    ck_assert_int_eq(alcore_aligner_open(ctx, path, &read), ALCORE_OK);
    alcore_aligner_unref(read);
    alcore_aligner_unref(aligner);
    free(whole.data);
    bed_free_pairs(&p);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A header whose lengths add up to more than 64 bits hold is damaged, also where the sum, cut to 64
 * bits, is the length of the file: here the words end 4 bytes before 2^64 and the count of the null
 * word fills these. */
START_TEST(lengths_that_overflow) {
    enum { ITERATIONS_AT = 28, WORDS_AT = 72, WORD_BYTES_AT = 88, PAIRS_AT = 104, COUNTS = 100 };
    alcore_ctx *ctx = bed_ctx(1);
    bed_pairs p = make_pairs();
    alcore_aligner *aligner = train(ctx, &p, NULL);
    ck_assert_int_eq(alcore_aligner_write(aligner, path), ALCORE_OK);
    bytes whole = read_bytes();
    ck_assert_uint_gt(whole.count, 4 * COUNTS + sizeof(uint64_t));
    int32_t iterations;
    uint64_t word_bytes[2], words = COUNTS, pairs = 0;
    memcpy(&iterations, whole.data + ITERATIONS_AT, sizeof iterations);
    memcpy(word_bytes, whole.data + WORD_BYTES_AT, sizeof word_bytes);
    word_bytes[0] = 0 - (uint64_t)4 - HEADER - 8 * (uint64_t)iterations - word_bytes[1];
    memcpy(whole.data + WORDS_AT, &words, sizeof words);
    memcpy(whole.data + WORD_BYTES_AT, word_bytes, sizeof word_bytes);
    memcpy(whole.data + PAIRS_AT, &pairs, sizeof pairs);
    write_bytes(whole.data, 4 * COUNTS + sizeof(uint64_t));
    assert_refused(ctx, ALCORE_E_CORRUPT, "the header is damaged");
    alcore_aligner_unref(aligner);
    free(whole.data);
    bed_free_pairs(&p);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(wrong_arguments_are_refused) {
    alcore_ctx *ctx = bed_ctx(1);
    bed_pairs p = make_pairs();
    alcore_aligner *aligner = train(ctx, &p, NULL), *read = aligner;
    ck_assert_int_eq(alcore_aligner_open(ctx, "/nowhere/at.all", &read), ALCORE_E_IO);
    ck_assert_ptr_null(read);
    ck_assert_int_eq(alcore_aligner_open(NULL, path, &read), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_aligner_open(ctx, NULL, &read), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_aligner_open(ctx, path, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_aligner_write(NULL, path), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_aligner_write(aligner, NULL), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_aligner_write(aligner, "/nowhere/at.all"), ALCORE_E_IO);
    ck_assert_int_eq(alcore_aligner_direction(NULL), ALCORE_DIRECTION_FORWARD);
    alcore_aligner_unref(aligner);
    bed_free_pairs(&p);
    alcore_ctx_unref(ctx);
}
END_TEST

static void make_file(void) {
    test_file_make(path, "aligner", "", "");
}
static void remove_file(void) {
    unlink(path);
}

TEST_FILE() {
    const TTest *const tests[] = {what_is_read_is_what_was_written,
                                  the_bytes_are_the_same_for_all_threads,
                                  no_pairs_and_many_pairs,
                                  damaged_files_are_refused,
                                  lengths_that_overflow,
                                  wrong_arguments_are_refused};
    TCase *cases = tcase_create("aligner_file");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, make_file, remove_file);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) tcase_add_test(cases, tests[i]);
    return check_suite_run("text/aligner_file", cases);
}
