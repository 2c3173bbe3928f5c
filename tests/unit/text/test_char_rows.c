/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of many texts, whose words are kept, shared by threads and dropped: each is that of the
 * formula, to the bit, as are sums of integers, of very long texts, and products in place of
 * quotients. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "char_bed.h"
#include "check_suite.h"
#include "text/char_code.h"

/* Begins of the code points of " word ", its end last: begins [length + 3]; returns how many code
 * points there are. */
static int code_points(const char *padded, size_t length, size_t *begins) {
    int count = 0;
    for (size_t i = 0; i < length; i++)
        if (i == 0 || i == length - 1 || ((unsigned char)padded[i] & 0xC0) != 0x80)
            begins[count++] = i;
    begins[count] = length;
    return count;
}

/* v of a text whose words are parted by single spaces; df is 0 for every n-gram. */
static void embed_by_formula(const char *text, int dims, double idf, float *row) {
    double *sum = calloc((size_t)dims, sizeof *sum), square = 0;
    static char padded[4096], gram[4096];
    static size_t begins[4096];
    for (const char *word = text; *word != '\0';) {
        const size_t bytes = strcspn(word, " ");
        snprintf(padded, sizeof padded, " %.*s ", (int)bytes, word);
        const int points = code_points(padded, bytes + 2, begins);
        for (int from = 0; from < points; from++) {
            for (int n = 3; n <= 5 && from + n <= points; n++) {
                const size_t length = begins[from + n] - begins[from];
                memcpy(gram, padded + begins[from], length);
                gram[length] = '\0';
                char_add(sum, dims, 7, gram, idf);
            }
        }
        word += bytes + (word[bytes] == ' ');
    }
    for (int j = 0; j < dims; j++) square += sum[j] * sum[j];
    for (int j = 0; j < dims; j++) row[j] = square > 0 ? (float)(sum[j] / sqrt(square)) : 0;
    free(sum);
}

/* A word with the number `number`: most have 4 to 9 bytes, some more than are kept, some code
 * points of two bytes. */
static size_t write_word(char *out, uint64_t number) {
    alcore__rng rng;
    alcore__rng_seed(&rng, number);
    const uint64_t bits = alcore__rng_u64(&rng);
    size_t length = 1 + bits % 9, used = 0;
    if (bits >> 32 & 1) length += bits >> 40 & 31;
    for (size_t i = 0; i < length; i++) {
        const uint64_t letter = alcore__rng_u64(&rng);
        if (letter % 8 == 0) out[used++] = '\xc3';
        out[used++] =
            (char)(letter % 8 == 0 ? 0x80 + (letter >> 8) % 64 : 'a' + (letter >> 8) % 26);
    }
    return used;
}

/* Texts of words of which some come again and again and most once, in blocks of several sizes: kept
 * words are found and forgotten, and the rows are the same. */
START_TEST(many_texts) {
    enum { TEXTS = 8000, WORDS = 12, BYTES = WORDS * 96, CHECKED_EVERY = 37 };
    const int dims = _i == 0 ? 256 : _i == 1 ? 6 : 33;
    alcore__char_embedder *embedder = char_learnt(dims, 7, NULL, 0);
    for (int i = 0; i < 5; i++) alcore__char_embedder_learn(embedder, "", 0);
    alcore__char_embedder_finish(embedder);
    alcore__char_rows *rows;
    ck_assert_int_eq(alcore__char_rows_new(embedder, &rows), ALCORE_OK);
    char *text = malloc((size_t)TEXTS * BYTES);
    const char *texts[TEXTS];
    size_t lengths[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        char *begin = text + (size_t)i * BYTES;
        size_t used = 0;
        for (int w = 0; w < i % (WORDS + 1); w++) {
            if (used > 0) begin[used++] = ' ';
            used += write_word(begin + used,
                               w % 2 ? (uint64_t)(w * i % 50) : (uint64_t)(i * WORDS + w));
        }
        begin[used] = '\0';
        texts[i] = begin;
        lengths[i] = used;
    }
    float *made = malloc((size_t)TEXTS * (size_t)dims * sizeof *made), expected[256];
    for (int first = 0, count = 1; first < TEXTS; first += count, count = 1 + first % 300) {
        if (count > TEXTS - first) count = TEXTS - first;
        alcore__char_rows_make(rows, texts + first, lengths + first, count,
                               made + (size_t)first * (size_t)dims);
    }
    for (int i = 0; i < TEXTS; i += CHECKED_EVERY) {
        embed_by_formula(texts[i], dims, 1 + log(6.0), expected);
        ck_assert_mem_eq(expected, made + (size_t)i * (size_t)dims, (size_t)dims * sizeof *made);
    }
    free(made);
    free(text);
    alcore__char_rows_free(rows);
    alcore__char_embedder_free(embedder);
}
END_TEST

/* Rows of many columns are few, and words that come again are more: rows are dropped before a text
 * is added, and made anew for its words, which it has twice. */
START_TEST(rows_are_dropped) {
    enum { MANY_DIMS = ALCORE__CHAR_MAX_DIMS, TEXTS = 5000, WORDS = 60, KNOWN = 9000 };
    alcore__char_embedder *embedder = char_learnt(MANY_DIMS, 7, NULL, 0);
    alcore__char_embedder_finish(embedder);
    alcore__char_rows *rows;
    ck_assert_int_eq(alcore__char_rows_new(embedder, &rows), ALCORE_OK);
    static float row[MANY_DIMS], expected[MANY_DIMS];
    alcore__rng rng;
    alcore__rng_seed(&rng, 3);
    for (int i = 0; i < TEXTS; i++) {
        char text[WORDS * 96];
        size_t used = 0;
        uint64_t word = 0;
        for (int w = 0; w < WORDS; w++) {
            if (w % 2 == 0) word = alcore__rng_u64(&rng) % (w % 10 == 0 ? 50 : KNOWN);
            if (used > 0) text[used++] = ' ';
            used += write_word(text + used, word);
        }
        text[used] = '\0';
        const char *texts = text;
        alcore__char_rows_make(rows, &texts, &used, 1, row);
        embed_by_formula(text, MANY_DIMS, 1.0, expected);
        ck_assert_mem_eq(expected, row, sizeof row);
    }
    alcore__char_rows_free(rows);
    alcore__char_embedder_free(embedder);
}
END_TEST

/* What the threads of a test share: each makes the rows of all texts from its own first one on, by
 * turns of AT_ONCE. */
enum {
    MAKERS = 4,
    SHARED_TEXTS = 2000,
    SHARED_BYTES = 1200,
    SHARED_DIMS = 2048,
    AT_ONCE = 7,
    SHARED_WORDS = 30000
};
typedef struct shared_texts {
    const alcore__char_embedder *embedder;
    const char *texts[SHARED_TEXTS];
    size_t lengths[SHARED_TEXTS];
    float *rows[MAKERS]; /* [SHARED_TEXTS, SHARED_DIMS] */
} shared_texts;

static alcore_status make_shared(void *data, int64_t index, int32_t worker) {
    shared_texts *self = data;
    alcore__char_rows *rows;
    (void)worker;
    ALCORE__TRY(alcore__char_rows_new(self->embedder, &rows));
    for (int64_t done = 0, first = index * SHARED_TEXTS / MAKERS; done < SHARED_TEXTS;) {
        int64_t count = SHARED_TEXTS - first < AT_ONCE ? SHARED_TEXTS - first : AT_ONCE;
        alcore__char_rows_make(rows, self->texts + first, self->lengths + first, count,
                               self->rows[index] + first * SHARED_DIMS);
        done += count;
        first = (first + count) % SHARED_TEXTS;
    }
    alcore__char_rows_free(rows);
    return ALCORE_OK;
}

/* Threads that make rows of the same texts at once, of more words than there is memory for, share
 * the rows of words: each makes what a thread alone makes. */
START_TEST(threads_share_words) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = MAKERS;
    alcore_ctx_unref(char_ctx);
    ck_assert_int_eq(alcore_ctx_new(&options, &char_ctx), ALCORE_OK);
    static shared_texts self;
    alcore__char_embedder *embedder = char_learnt(SHARED_DIMS, 7, NULL, 0);
    alcore__char_embedder_finish(embedder);
    self.embedder = embedder;
    char *text = malloc((size_t)SHARED_TEXTS * SHARED_BYTES);
    alcore__rng rng;
    alcore__rng_seed(&rng, 9);
    for (int i = 0; i < SHARED_TEXTS; i++) {
        char *begin = text + (size_t)i * SHARED_BYTES;
        size_t used = 0;
        for (int w = 0; used + 100 < SHARED_BYTES; w++) {
            if (used > 0) begin[used++] = ' ';
            used +=
                write_word(begin + used, alcore__rng_u64(&rng) % (w % 4 == 0 ? 50 : SHARED_WORDS));
        }
        begin[used] = '\0';
        self.texts[i] = begin;
        self.lengths[i] = used;
    }
    for (int i = 0; i < MAKERS; i++)
        self.rows[i] = malloc((size_t)SHARED_TEXTS * SHARED_DIMS * sizeof *self.rows[i]);
    ck_assert_int_eq(alcore__parallel(char_ctx, NULL, MAKERS, make_shared, &self), ALCORE_OK);
    static float expected[SHARED_DIMS];
    for (int i = 0; i < SHARED_TEXTS; i += 29) {
        embed_by_formula(self.texts[i], SHARED_DIMS, 1.0, expected);
        for (int m = 0; m < MAKERS; m++)
            ck_assert_mem_eq(expected, self.rows[m] + (size_t)i * SHARED_DIMS,
                             SHARED_DIMS * sizeof *expected);
    }
    for (int m = 1; m < MAKERS; m++)
        ck_assert_mem_eq(self.rows[0], self.rows[m],
                         (size_t)SHARED_TEXTS * SHARED_DIMS * sizeof *expected);
    for (int m = 0; m < MAKERS; m++) free(self.rows[m]);
    free(text);
    alcore__char_embedder_free(embedder);
}
END_TEST

/* Weights of n-grams that no text has, many times in one text: integers of rows would pass 2^31
 * both inside a word of equal letters and over the words of the text. */
START_TEST(large_sums) {
    enum { DIMS_HERE = 40, LEARNT = 200000, WORDS = 700 };
    alcore__char_embedder *embedder = char_learnt(DIMS_HERE, 7, NULL, 0);
    for (int i = 0; i < LEARNT; i++) alcore__char_embedder_learn(embedder, "", 0);
    alcore__char_embedder_finish(embedder);
    static const char *const words[] = {"window ", "aaaaaaaaaaaaaaaaaaaaaaaa ", "a ", "settings "};
    const char *const cycle = words[_i];
    static char text[WORDS * 32];
    float row[DIMS_HERE], expected[DIMS_HERE];
    text[0] = '\0';
    for (int i = 0, used = 0; i < WORDS; i++)
        used += sprintf(text + used, "%s", i % 5 == 4 ? words[i / 5 % 4] : cycle);
    char_embed(embedder, text, row);
    embed_by_formula(text, DIMS_HERE, 1 + log(1.0 + LEARNT), expected);
    ck_assert_mem_eq(row, expected, sizeof row);
    alcore__char_embedder_free(embedder);
}
END_TEST

/* A product that is near the middle of two float32 is told: by the double of the middle itself, by
 * those that are as far from it as two sums of squares may put them, and no farther. */
START_TEST(products_near_a_middle_are_told) {
    const alcore__char_code *code = alcore__char_code_choose();
    double sum[ALCORE__CHAR_DEFAULT_DIMS + 8];
    float row[ALCORE__CHAR_DEFAULT_DIMS + 8];
    for (int place = 0; place < _i; place += 5) {
        for (int j = 0; j < _i; j++) sum[j] = (double)(float)(0.1 * j) * 2;
        ck_assert(code->multiply(sum, 0.5, _i, row));
        for (int j = 0; j < _i; j++) ck_assert_float_eq(row[j], (float)(0.1 * j));
        const int64_t reach = alcore__char_reach(_i);
        for (int sign = -1; sign <= 1; sign += 2) {
            const double middle = sign * (1.0 + ldexp(1.0, -24)), unit = ldexp(1.0, -52);
            for (int side = -1; side <= 1; side++) {
                sum[place] = 2 * (middle + (double)(side * reach) * unit);
                ck_assert(!code->multiply(sum, 0.5, _i, row));
            }
            sum[place] = 2 * (middle + (double)(reach + 1) * unit);
            ck_assert(code->multiply(sum, 0.5, _i, row));
            sum[place] = 2 * (middle - (double)(reach + 1) * unit);
            ck_assert(code->multiply(sum, 0.5, _i, row));
        }
    }
}
END_TEST

/* Products with one by the root of the squares, added up in any order, differ from the quotients of
 * the formula by no more than is told. */
START_TEST(sums_of_squares_in_another_order) {
    const alcore__char_code *code = alcore__char_code_choose();
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    enum { PADDED = 256, TURNS = 2000 };
    static int32_t units[PADDED];
    static double sum[PADDED];
    for (int turn = 0; turn < TURNS; turn++) {
        double in_order = 0;
        for (int j = 0; j < PADDED; j++)
            in_order += pow(units[j] = (int32_t)(alcore__rng_u64(&rng) >> 33), 2);
        const double squares = code->close(NULL, units, PADDED, sum);
        for (int j = 0; j < PADDED; j++) {
            const double one = sum[j] / sqrt(in_order), other = sum[j] * (1 / sqrt(squares));
            ck_assert_double_le(fabs(one - other),
                                (double)alcore__char_reach(PADDED) * ldexp(one, -52));
            ck_assert_int_eq(units[j], 0);
        }
    }
}
END_TEST

/* Above 4 MiB the n-grams are added in the order of the formula. */
START_TEST(a_very_long_text) {
    enum { DIMS_HERE = 3, BYTES = (4 << 20) + 100 };
    alcore__char_embedder *embedder = char_learnt(DIMS_HERE, 7, NULL, 0);
    alcore__char_embedder_finish(embedder);
    char *text = malloc(BYTES + 1);
    for (int i = 0; i < BYTES; i++) text[i] = i % 7 == 6 ? ' ' : (char)('a' + i % 5);
    text[BYTES] = '\0';
    float row[DIMS_HERE], expected[DIMS_HERE];
    char_embed(embedder, text, row);
    embed_by_formula(text, DIMS_HERE, 1.0, expected);
    ck_assert_mem_eq(row, expected, sizeof row);
    free(text);
    alcore__char_embedder_free(embedder);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("char_rows");
    tcase_add_checked_fixture(cases, char_setup, char_teardown);
    tcase_add_loop_test(cases, many_texts, 0, 3);
    tcase_add_test(cases, rows_are_dropped);
    tcase_add_test(cases, threads_share_words);
    tcase_add_loop_test(cases, large_sums, 0, 4);
    tcase_add_loop_test(cases, products_near_a_middle_are_told, 250, 258);
    tcase_add_test(cases, sums_of_squares_in_another_order);
    tcase_add_test(cases, a_very_long_text);
    return check_suite_run("text/char_rows", cases);
}
