/* SPDX-License-Identifier: Apache-2.0 */
/* What alcore/extra/tokenizer.h promises of its calls: options and their bounds, the arrays of
 * tokens, texts that are cut, ids without a token, arguments that are refused by name. */
#include "alcore/extra/tokenizer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_status.h"
#include "check_suite.h"
#include "test_folder.h"

/* Single letters; [X] stands before a text and before the second one of a pair, whose type is 1. */
#define VOCABULARY                                                                                 \
    "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"<unk>\",\"vocab\":{\"<unk>\":0,\"a\":1,"    \
    "\"b\":2,\"c\":3,\"d\":4,\"[X]\":5}},\"added_tokens\":[{\"id\":5,\"content\":\"[X]\","         \
    "\"special\":true}],\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"}"
#define SPECIAL "{\"SpecialToken\":{\"id\":\"[X]\",\"type_id\":0}}"
#define TEMPLATE                                                                                   \
    "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[" SPECIAL                     \
    ",{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"pair\":[" SPECIAL                             \
    ",{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}," SPECIAL                                        \
    ",{\"Sequence\":{\"id\":\"B\",\"type_id\":1}}],\"special_tokens\":{\"[X]\":{\"id\":\"[X]\","   \
    "\"ids\":[5],\"tokens\":[\"[X]\"]}}}"

static alcore_ctx *ctx;
static alcore_tokenizer *tokenizer;
static char folder[TEST_PATH_BYTES], path[TEST_PATH_BYTES + 32];

static const char *write_file(const char *name, const char *text) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    test_folder_make(folder, "tokens");
    ck_assert_ok(alcore_tokenizer_open(
        ctx, write_file("tokenizer.json", "{" VOCABULARY "," TEMPLATE "}"), &tokenizer));
}

static void teardown(void) {
    alcore_tokenizer_unref(tokenizer);
    test_folder_remove(folder);
    alcore_ctx_unref(ctx);
}

/* The arrays of a handle. */
typedef struct arrays {
    alcore_tokens *tokens;
    alcore_tensor offsets, ids, types, spans, marks;
} arrays;

static arrays encode(const char *const *texts, const char *const *pairs, int64_t count,
                     const alcore_encode_options *options) {
    arrays out;
    ck_assert_ok(
        alcore_tokenizer_encode(tokenizer, texts, NULL, pairs, NULL, count, options, &out.tokens));
    ck_assert_ok(
        alcore_tokens_get(out.tokens, &out.offsets, &out.ids, &out.types, &out.spans, &out.marks));
    return out;
}

static void assert_numbers(const alcore_tensor *tensor, const int64_t *expected, int64_t count) {
    ck_assert_int_eq(tensor->dtype.bits, 64);
    ck_assert_int_eq(tensor->shape[0], count);
    ck_assert_mem_eq(tensor->data, expected, (size_t)count * sizeof *expected);
}
#define IDS(array, ...)                                                                            \
    assert_numbers(&(array).ids, (const int64_t[]){__VA_ARGS__},                                   \
                   sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

START_TEST(tokens_are_arrays) {
    const char *texts[] = {"a bb", "", "c"}, *pairs[] = {"b", "\xC3\xA9 d", ""};
    arrays all = encode(texts, pairs, 3, NULL);
    ck_assert_int_eq(alcore_tokens_count(all.tokens), 3);
    assert_numbers(&all.offsets, (const int64_t[]){0, 5, 9, 12}, 4);
    IDS(all, 5, 1, 0, 5, 2, 5, 5, 0, 4, 5, 3, 5);
    assert_numbers(&all.types, (const int64_t[]){0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0}, 12);
    ck_assert_int_eq(all.spans.ndim, 2);
    ck_assert_int_eq(all.spans.shape[1], 2);
    ck_assert_mem_eq(all.spans.data, ((const int64_t[]){0, 0, 0, 1, 2, 4, 0, 0, 0, 1, 0, 0,
                                                        0, 0, 0, 2, 3, 4, 0, 0, 0, 1, 0, 0}),
                     24 * sizeof(int64_t));
    ck_assert_int_eq(all.marks.dtype.bits, 8);
    enum { S = ALCORE_TOKEN_SPECIAL, W = ALCORE_TOKEN_WORD };
    ck_assert_mem_eq(all.marks.data, ((const uint8_t[]){S, W, W, S, W, S, S, W, W, S, W, S}), 12);
    /* A handle outlives the tokenizer's reference and keeps its arrays. */
    ck_assert_ptr_eq(alcore_tokens_ref(all.tokens), all.tokens);
    alcore_tokens_unref(all.tokens);
    ck_assert_int_eq(((const int64_t *)all.ids.data)[1], 1);
    alcore_tokens_unref(all.tokens);
    arrays none = encode(NULL, NULL, 0, NULL);
    assert_numbers(&none.offsets, (const int64_t[]){0}, 1);
    ck_assert_int_eq(none.ids.shape[0], 0);
    alcore_tokens_unref(none.tokens);
    ck_assert_ptr_null(alcore_tokens_ref(NULL));
    ck_assert_int_eq(alcore_tokens_count(NULL), 0);
    alcore_tokens_unref(NULL);
}
END_TEST

START_TEST(arrays_are_nothing_after_a_failure) {
    alcore_tensor tensor[5], zero = {0};
    memset(tensor, 0xFF, sizeof tensor);
    ck_assert_int_eq(
        alcore_tokens_get(NULL, &tensor[0], &tensor[1], &tensor[2], &tensor[3], &tensor[4]),
        ALCORE_E_INVALID);
    for (int i = 0; i < 5; i++) ck_assert_mem_eq(&tensor[i], &zero, sizeof zero);
    const char *text = "a";
    arrays one = encode(&text, NULL, 1, NULL);
    memset(tensor, 0xFF, sizeof tensor);
    ck_assert_int_eq(
        alcore_tokens_get(one.tokens, &tensor[0], &tensor[1], &tensor[2], &tensor[3], NULL),
        ALCORE_E_INVALID);
    for (int i = 0; i < 4; i++) ck_assert_mem_eq(&tensor[i], &zero, sizeof zero);
    alcore_tokens_unref(one.tokens);
}
END_TEST

/* Special tokens are kept; the second text of a pair is cut before the first. */
START_TEST(longer_texts_are_cut) {
    const char *text = "a b", *pair = "c d";
    alcore_encode_options options = ALCORE_ENCODE_OPTIONS_INIT;
    arrays got = encode(&text, &pair, 1, &options);
    IDS(got, 5, 1, 2, 5, 3, 4);
    alcore_tokens_unref(got.tokens);
    options.max_tokens = 6; /* as many as there are */
    got = encode(&text, &pair, 1, &options);
    IDS(got, 5, 1, 2, 5, 3, 4);
    alcore_tokens_unref(got.tokens);
    options.max_tokens = 5;
    got = encode(&text, &pair, 1, &options);
    IDS(got, 5, 1, 2, 5, 3);
    alcore_tokens_unref(got.tokens);
    options.max_tokens = 3;
    got = encode(&text, &pair, 1, &options);
    IDS(got, 5, 1, 5);
    alcore_tokens_unref(got.tokens);
    options.max_tokens = 2;
    got = encode(&text, &pair, 1, &options);
    IDS(got, 5, 5);
    alcore_tokens_unref(got.tokens);
    options.without_special = 1;
    got = encode(&text, &pair, 1, &options);
    IDS(got, 1, 2);
    alcore_tokens_unref(got.tokens);
}
END_TEST

START_TEST(options_are_refused_by_name) {
    static const struct {
        const char *language;
        int64_t max_tokens;
        int32_t without_special, as_target;
        const char *words;
    } rows[] = {{"deu_Latn", 0, 0, 0, "language is \"deu_Latn\", but this tokenizer marks no"},
                {NULL, 1, 0, 0, "max_tokens is 1, but there are 2 special tokens"},
                {NULL, -1, 0, 0, "max_tokens is -1"},
                {NULL, 0, 2, 0, "without_special is 2"},
                {NULL, 0, 0, -1, "as_target is -1"}};
    const char *text = "a";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        alcore_tokens *tokens = (alcore_tokens *)&tokens;
        alcore_encode_options options = ALCORE_ENCODE_OPTIONS_INIT;
        options.language = rows[i].language;
        options.max_tokens = rows[i].max_tokens;
        options.without_special = rows[i].without_special;
        options.as_target = rows[i].as_target;
        ck_assert_fails(
            alcore_tokenizer_encode(tokenizer, &text, NULL, &text, NULL, 1, &options, &tokens),
            ALCORE_E_PARAM, rows[i].words);
        ck_assert_ptr_null(tokens);
    }
    alcore_encode_options unset = {0};
    alcore_tokens *tokens;
    ck_assert_int_eq(
        alcore_tokenizer_encode(tokenizer, &text, NULL, NULL, NULL, 1, &unset, &tokens),
        ALCORE_E_STRUCT_UNSET);
}
END_TEST

START_TEST(texts_are_refused_by_name) {
    const char *texts[] = {"a", NULL}, *whole[] = {"ab", "c"};
    const size_t lengths[] = {1, 0}, wrong[] = {1, 1};
    alcore_tokens *tokens = (alcore_tokens *)&tokens;
    ck_assert_fails(alcore_tokenizer_encode(tokenizer, texts, wrong, NULL, NULL, 2, NULL, &tokens),
                    ALCORE_E_INVALID, "texts[1] is NULL");
    ck_assert_ptr_null(tokens);
    ck_assert_fails(alcore_tokenizer_encode(tokenizer, whole, NULL, texts, NULL, 2, NULL, &tokens),
                    ALCORE_E_INVALID, "pairs[1] is NULL");
    ck_assert_fails(
        alcore_tokenizer_encode(tokenizer, whole, NULL, NULL, lengths, 2, NULL, &tokens),
        ALCORE_E_INVALID, "pairs is NULL");
    ck_assert_fails(alcore_tokenizer_encode(tokenizer, whole, NULL, NULL, NULL, -1, NULL, &tokens),
                    ALCORE_E_INVALID, "count is -1");
    ck_assert_int_eq(alcore_tokenizer_encode(NULL, whole, NULL, NULL, NULL, 2, NULL, &tokens),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tokenizer_encode(tokenizer, whole, NULL, NULL, NULL, 2, NULL, NULL),
                     ALCORE_E_INVALID);
    ck_assert_ok(alcore_tokenizer_encode(tokenizer, texts, lengths, whole, lengths, 2, NULL,
                                         &tokens)); /* a NULL of length 0 */
    ck_assert_int_eq(alcore_tokens_count(tokens), 2);
    alcore_tokens_unref(tokens);
}
END_TEST

/* A text for which a pattern takes too long is named where there are several. */
START_TEST(a_slow_text_is_named) {
    static char slow[4000];
    const char *texts[] = {"a", slow};
    alcore_tokenizer *other;
    alcore_tokens *tokens;
    memset(slow, 'a', sizeof slow - 1);
    ck_assert_ok(alcore_tokenizer_open(
        ctx,
        write_file("slow.json", "{\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"a\",\"vocab\":"
                                "{\"a\":0}},\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":"
                                "{\"Regex\":\"a*a*a*a*x\"},\"behavior\":\"Isolated\","
                                "\"invert\":false}}"),
        &other));
    ck_assert_fails(alcore_tokenizer_encode(other, texts, NULL, NULL, NULL, 2, NULL, &tokens),
                    ALCORE_E_DATA, "text 1");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "takes too long"));
    alcore_tokenizer_unref(other);
}
END_TEST

START_TEST(ids_and_tokens) {
    const char *text = "?";
    size_t length = 9;
    ck_assert_int_eq(alcore_tokenizer_size(tokenizer), 6);
    ck_assert_int_eq(alcore_tokenizer_size(NULL), 0);
    for (int64_t id = 0; id < 6; id++) {
        char token[16];
        ck_assert_ok(alcore_tokenizer_token(tokenizer, id, &text, &length));
        snprintf(token, sizeof token, "%.*s", (int)length, text);
        ck_assert_int_eq(alcore_tokenizer_id(tokenizer, token), id);
    }
    ck_assert_int_eq(alcore_tokenizer_id(tokenizer, "[X]"), 5);
    ck_assert_int_eq(alcore_tokenizer_id(tokenizer, "never"), -1);
    ck_assert_int_eq(alcore_tokenizer_id(tokenizer, NULL), -1);
    ck_assert_int_eq(alcore_tokenizer_id(NULL, "a"), -1);
    static const int64_t missing[] = {6, -1, INT64_MAX, INT64_MIN};
    for (int i = 0; i < 4; i++) {
        ck_assert_fails(alcore_tokenizer_token(tokenizer, missing[i], &text, &length),
                        ALCORE_E_NOT_FOUND, "no token has the id");
        ck_assert_ptr_null(text);
        ck_assert_uint_eq(length, 0);
    }
    ck_assert_int_eq(alcore_tokenizer_token(NULL, 0, &text, &length), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tokenizer_token(tokenizer, 0, NULL, &length), ALCORE_E_INVALID);
    ck_assert_ptr_eq(alcore_tokenizer_ref(tokenizer), tokenizer);
    alcore_tokenizer_unref(tokenizer);
    ck_assert_int_eq(alcore_tokenizer_size(tokenizer), 6);
    ck_assert_ptr_null(alcore_tokenizer_ref(NULL));
    alcore_tokenizer_unref(NULL);
}
END_TEST

START_TEST(decoding_fills_what_there_is_room_for) {
    const int64_t ids[] = {5, 1, -1, 2, 99, INT64_MAX};
    char buffer[8] = "-------";
    size_t length = 9;
    ck_assert_ok(alcore_tokenizer_decode(tokenizer, ids, 6, 0, sizeof buffer, buffer, &length));
    ck_assert_uint_eq(length, 3);
    ck_assert_mem_eq(buffer, "a b----", 8); /* without a NUL */
    ck_assert_ok(alcore_tokenizer_decode(tokenizer, ids, 6, 1, 2, buffer, &length));
    ck_assert_uint_eq(length, 7); /* "[X] a b", of which two bytes fit */
    ck_assert_mem_eq(buffer, "[Xb----", 8);
    ck_assert_ok(alcore_tokenizer_decode(tokenizer, ids, 6, 1, 0, NULL, &length));
    ck_assert_uint_eq(length, 7);
    ck_assert_ok(alcore_tokenizer_decode(tokenizer, NULL, 0, 1, 0, NULL, &length));
    ck_assert_uint_eq(length, 0);
    length = 9;
    ck_assert_fails(alcore_tokenizer_decode(tokenizer, ids, 6, 2, 0, NULL, &length), ALCORE_E_PARAM,
                    "special is 2");
    ck_assert_uint_eq(length, 0);
    ck_assert_int_eq(alcore_tokenizer_decode(tokenizer, ids, -1, 0, 0, NULL, &length),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tokenizer_decode(tokenizer, NULL, 1, 0, 0, NULL, &length),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tokenizer_decode(tokenizer, ids, 6, 0, 1, NULL, &length),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tokenizer_decode(tokenizer, ids, 6, 0, 0, NULL, NULL),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tokenizer_decode(NULL, ids, 6, 0, 0, NULL, &length), ALCORE_E_INVALID);
}
END_TEST

START_TEST(folders_and_files_are_opened) {
    alcore_tokenizer *other = tokenizer;
    ck_assert_ok(alcore_tokenizer_open(ctx, folder, &other));
    ck_assert_int_eq(alcore_tokenizer_size(other), 6);
    alcore_tokenizer_unref(other);
    ck_assert_ok(alcore_tokenizer_open(
        ctx, write_file("vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\n##b\n"), &other));
    ck_assert_int_eq(alcore_tokenizer_id(other, "##b"), 4);
    alcore_tokenizer_unref(other);
    char empty[TEST_PATH_BYTES];
    test_folder_make(empty, "nothing");
    other = tokenizer;
    ck_assert_fails(alcore_tokenizer_open(ctx, empty, &other), ALCORE_E_IO, empty);
    ck_assert_ptr_null(other);
    test_folder_remove(empty);
    ck_assert_int_eq(alcore_tokenizer_open(NULL, folder, &other), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tokenizer_open(ctx, NULL, &other), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tokenizer_open(ctx, folder, NULL), ALCORE_E_INVALID);
}
END_TEST

CHECK_SUITE_WITH("tokens", setup, teardown, tokens_are_arrays, arrays_are_nothing_after_a_failure,
                 longer_texts_are_cut, options_are_refused_by_name, texts_are_refused_by_name,
                 a_slow_text_is_named, ids_and_tokens, decoding_fills_what_there_is_room_for,
                 folders_and_files_are_opened);
