/* SPDX-License-Identifier: Apache-2.0 */
/* Embeddings of character n-grams: the documented formula written once more, and that like texts
 * are near. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check_suite.h"
#include "text/char_code.h"
#include "text/char_rows.h"

#define DIMS ALCORE__CHAR_DEFAULT_DIMS
static alcore_ctx *ctx;

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static alcore__char_embedder *learnt(int32_t dims, uint64_t seed, const char *const *texts,
                                     int count) {
    alcore__char_embedder *embedder = NULL;
    ck_assert_int_eq(alcore__char_embedder_new(ctx, dims, seed, &embedder), ALCORE_OK);
    for (int i = 0; i < count; i++)
        alcore__char_embedder_learn(embedder, texts[i], strlen(texts[i]));
    return embedder;
}

static void embed(const alcore__char_embedder *embedder, const char *text, float *row) {
    alcore__char_rows *rows;
    const size_t length = strlen(text);
    ck_assert_int_eq(alcore__char_rows_new(embedder, &rows), ALCORE_OK);
    alcore__char_rows_make(rows, &text, &length, 1, row);
    alcore__char_rows_free(rows);
}

static double dot(const float *a, const float *b, int dims) {
    double sum = 0;
    for (int j = 0; j < dims; j++) sum += (double)a[j] * (double)b[j];
    return sum;
}

static uint64_t scramble(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* sum += idf * r(g) by the formula of the header. */
static void add(double *sum, int dims, uint64_t seed, const char *gram, double idf) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (; *gram != '\0'; gram++) hash = (hash ^ (unsigned char)*gram) * 0x100000001B3u;
    hash = scramble(hash);
    const uint64_t mixed = hash ^ alcore__rng_derive(seed, 0, 0, 0);
    const int slices = dims < 8 ? dims : 8;
    for (int s = 0; s < slices; s++) {
        const uint64_t k = (uint64_t)(s / 4);
        const uint64_t piece =
            scramble(mixed + (k + 1) * 0x9E3779B97F4A7C15u) >> (16 * (s % 4)) & 0xFFFF;
        const int begin = s * dims / slices, width = (s + 1) * dims / slices - begin;
        const int at = begin + (int)((piece >> 1) * (uint64_t)width / 32768);
        sum[at] += (piece & 1) == 1 ? -(double)(float)idf : (double)(float)idf;
    }
}

START_TEST(the_formula) {
    static const int sizes[] = {1, 5, 8, 19, 256};
    const int dims = sizes[_i];
    const char *texts[] = {"the the", "th\xc3\xa9", "other", "a"};
    alcore__char_embedder *embedder = learnt(dims, 7, texts, 4);
    alcore__char_embedder_finish(embedder);
    const double once = 1 + log(5.0 / 2), twice = 1 + log(5.0 / 3), never = 1 + log(5.0);
    double sum[256] = {0};
    /* "the th\xc3\xa9 a bc" */
    static const struct {
        const char *gram;
        int texts;
    } grams[] = {{" th", 2},          {" the", 1},       {" the ", 1},       {"the", 2},
                 {"the ", 1},         {"he ", 1},        {" th", 2},         {" th\xc3\xa9", 1},
                 {" th\xc3\xa9 ", 1}, {"th\xc3\xa9", 1}, {"th\xc3\xa9 ", 1}, {"h\xc3\xa9 ", 1},
                 {" a ", 1},          {" bc", 0},        {" bc ", 0},        {"bc ", 0}};
    for (size_t i = 0; i < sizeof grams / sizeof grams[0]; i++)
        add(sum, dims, 7, grams[i].gram,
            grams[i].texts == 0   ? never
            : grams[i].texts == 1 ? once
                                  : twice);
    double square = 0;
    for (int j = 0; j < dims; j++) square += sum[j] * sum[j];
    float row[256];
    embed(embedder, "the th\xc3\xa9\ta\n bc ", row);
    for (int j = 0; j < dims; j++)
        ck_assert_float_eq(row[j], square > 0 ? (float)(sum[j] / sqrt(square)) : 0);
    alcore__char_embedder_free(embedder);
}
END_TEST

/* ---- many texts against the formula, word by word ---- */

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
                add(sum, dims, 7, gram, idf);
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
    alcore__char_embedder *embedder = learnt(dims, 7, NULL, 0);
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
    alcore__char_embedder *embedder = learnt(MANY_DIMS, 7, NULL, 0);
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
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    static shared_texts self;
    alcore__char_embedder *embedder = learnt(SHARED_DIMS, 7, NULL, 0);
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
    ck_assert_int_eq(alcore__parallel(ctx, NULL, MAKERS, make_shared, &self), ALCORE_OK);
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
    alcore__char_embedder *embedder = learnt(DIMS_HERE, 7, NULL, 0);
    for (int i = 0; i < LEARNT; i++) alcore__char_embedder_learn(embedder, "", 0);
    alcore__char_embedder_finish(embedder);
    static const char *const words[] = {"window ", "aaaaaaaaaaaaaaaaaaaaaaaa ", "a ", "settings "};
    const char *const cycle = words[_i];
    static char text[WORDS * 32];
    float row[DIMS_HERE], expected[DIMS_HERE];
    text[0] = '\0';
    for (int i = 0, used = 0; i < WORDS; i++)
        used += sprintf(text + used, "%s", i % 5 == 4 ? words[i / 5 % 4] : cycle);
    embed(embedder, text, row);
    embed_by_formula(text, DIMS_HERE, 1 + log(1.0 + LEARNT), expected);
    ck_assert_mem_eq(row, expected, sizeof row);
    alcore__char_embedder_free(embedder);
}
END_TEST

/* A product that is near the middle of two float32 is told: by the double of the middle itself, by
 * those that are as far from it as two sums of squares may put them, and no farther. */
START_TEST(products_near_a_middle_are_told) {
    const alcore__char_code *code = alcore__char_code_choose();
    double sum[DIMS + 8];
    float row[DIMS + 8];
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
    alcore__char_embedder *embedder = learnt(DIMS_HERE, 7, NULL, 0);
    alcore__char_embedder_finish(embedder);
    char *text = malloc(BYTES + 1);
    for (int i = 0; i < BYTES; i++) text[i] = i % 7 == 6 ? ' ' : (char)('a' + i % 5);
    text[BYTES] = '\0';
    float row[DIMS_HERE], expected[DIMS_HERE];
    embed(embedder, text, row);
    embed_by_formula(text, DIMS_HERE, 1.0, expected);
    ck_assert_mem_eq(row, expected, sizeof row);
    free(text);
    alcore__char_embedder_free(embedder);
}
END_TEST

static const char *const menus[] = {
    "Open the file in a new window",  "Close the window without saving the file",
    "Save the file under a new name", "Print the file that is open in this window",
    "The file could not be opened",   "Do you want to save the open file?",
    "Reload the file in this window", "Close all windows and save all files"};
static const char *const weather[] = {
    "Heavy rain is expected in the northern hills", "Light rain and strong wind near the coast",
    "Sunny with a few clouds in the afternoon",     "Strong winds bring heavy clouds and rain",
    "Snow falls on the hills above the coast",      "Rainy morning, sunny afternoon near the hills",
    "Clouds and light snow in the north",           "The wind turns north, snow is expected"};

START_TEST(like_texts_are_near) {
    alcore__char_embedder *embedder = learnt(DIMS, (uint64_t)_i, menus, 8);
    for (int i = 0; i < 8; i++)
        alcore__char_embedder_learn(embedder, weather[i], strlen(weather[i]));
    alcore__char_embedder_finish(embedder);
    static float rows[16][DIMS];
    for (int i = 0; i < 8; i++) embed(embedder, menus[i], rows[i]);
    for (int i = 0; i < 8; i++) embed(embedder, weather[i], rows[8 + i]);
    double within = 0, between = 0;
    for (int i = 0; i < 16; i++) {
        ck_assert_double_eq_tol(dot(rows[i], rows[i], DIMS), 1.0, 1e-6);
        for (int k = 0; k < i; k++)
            *(i / 8 == k / 8 ? &within : &between) += dot(rows[i], rows[k], DIMS);
    }
    ck_assert_double_gt(within / 56, 1.5 * between / 64);
    alcore__char_embedder_free(embedder);
}
END_TEST

START_TEST(learning_in_parts_is_the_same) {
    alcore__char_embedder *whole = learnt(DIMS, 3, menus, 8), *first = learnt(DIMS, 3, menus, 3),
                          *rest = learnt(DIMS, 3, menus + 3, 3);
    alcore__char_embedder_merge(first, rest);
    for (int i = 6; i < 8; i++) alcore__char_embedder_learn(first, menus[i], strlen(menus[i]));
    alcore__char_embedder_finish(whole);
    alcore__char_embedder_finish(first);
    for (int i = 0; i < 8; i++) {
        float a[DIMS], b[DIMS];
        embed(whole, menus[i], a);
        embed(first, menus[i], b);
        ck_assert_mem_eq(a, b, sizeof a);
    }
    alcore__char_embedder_free(whole);
    alcore__char_embedder_free(first);
    alcore__char_embedder_free(rest);
}
END_TEST

START_TEST(seeds_and_empty_texts) {
    alcore__char_embedder *one = learnt(DIMS, 1, menus, 8), *two = learnt(DIMS, 2, menus, 8);
    alcore__char_embedder_finish(one);
    alcore__char_embedder_finish(two);
    float a[DIMS], b[DIMS];
    embed(one, menus[0], a);
    embed(two, menus[0], b);
    ck_assert_double_lt(fabs(dot(a, b, DIMS)), 0.5);
    embed(one, " \t\r\n", a);
    embed(one, "", b);
    for (int j = 0; j < DIMS; j++) {
        ck_assert_float_eq(a[j], 0);
        ck_assert_float_eq(b[j], 0);
    }
    embed(one, "\x80\x80 \xff", a); /* not UTF-8: still a vector */
    ck_assert_double_eq_tol(dot(a, a, DIMS), 1.0, 1e-6);
    alcore__char_embedder_free(one);
    alcore__char_embedder_free(two);
    alcore__char_embedder *none = (alcore__char_embedder *)&none;
    ck_assert_int_eq(alcore__char_embedder_new(ctx, 0, 1, &none), ALCORE_E_PARAM);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(alcore__char_embedder_new(ctx, ALCORE__CHAR_MAX_DIMS + 1, 1, &none),
                     ALCORE_E_PARAM);
}
END_TEST

TEST_FILE() {
    TCase *cases = tcase_create("char_embedding");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_loop_test(cases, the_formula, 0, 5);
    tcase_add_loop_test(cases, many_texts, 0, 3);
    tcase_add_test(cases, rows_are_dropped);
    tcase_add_test(cases, threads_share_words);
    tcase_add_loop_test(cases, large_sums, 0, 4);
    tcase_add_loop_test(cases, products_near_a_middle_are_told, 250, 258);
    tcase_add_test(cases, sums_of_squares_in_another_order);
    tcase_add_test(cases, a_very_long_text);
    tcase_add_loop_test(cases, like_texts_are_near, 0, 5);
    tcase_add_test(cases, learning_in_parts_is_the_same);
    tcase_add_test(cases, seeds_and_empty_texts);
    return check_suite_run("text/char_embedding", cases);
}
