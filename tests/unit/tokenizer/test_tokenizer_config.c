/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer_config.json beside vocab.txt and tokenizer.json: what it says of a BERT model, and that
 * a file which is malformed or cut off is refused by its own name. The ids are those that the
 * package transformers 5 gives. */
#include "alcore/extra/tokenizer.h"
#include "check_suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/sys/model.h"
#include "check_status.h"
#include "tokenizer/encoding.h"

/* The path of a file in the folder of this process; NULL: of the folder. Valid until the next call.
 */
static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "test_tokenizer_config.%ld%s%s", (long)getpid(), name ? "/" : "",
             name ? name : "");
    return path;
}

static void write_file(const char *name, const char *text) {
    mkdir(path_of(NULL), 0700);
    FILE *file = fopen(path_of(name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void remove_files(void) {
    static const char *const names[] = {"vocab.txt", "tokenizer.json", "tokenizer_config.json",
                                        "config.json", "spiece.model"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(path_of(names[i]));
    remove(path_of(NULL));
}

/* Ids 0 to 7. */
#define VOCAB "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n<oov>\nB\n"

/* The ids of a text, with a space between them. name: of the file that is opened; NULL: the folder.
 */
static void assert_ids(alcore_ctx *ctx, const char *name, const char *text, const char *expected) {
    const alcore__texts texts = {&text, NULL, 1};
    const alcore__encoding how = {0};
    alcore_tokenizer *tokenizer;
    alcore__tokens tokens = {0};
    char shown[256] = "";
    size_t length = 0;
    ck_assert_ok(alcore_tokenizer_open(ctx, path_of(name), &tokenizer));
    ck_assert_ok(alcore__tokenizer_encode(tokenizer, &texts, NULL, &how, &tokens));
    for (int64_t i = 0; i < tokens.offsets[1]; i++)
        length += (size_t)snprintf(shown + length, sizeof shown - length, "%s%d", i ? " " : "",
                                   (int)tokens.ids[i]);
    ck_assert_str_eq(shown, expected);
    alcore__tokens_clear(ctx, &tokens);
    alcore_tokenizer_unref(tokenizer);
}

/* The unknown token of the model is unk_token, a string or an object with its content, not always
 * [UNK]. */
START_TEST(unk_token_is_the_unknown_token_of_vocab_txt) {
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    write_file("vocab.txt", VOCAB);
    assert_ids(ctx, NULL, "a z b", "2 4 1 5 3");
    write_file("tokenizer_config.json", "{\"unk_token\":\"<oov>\"}");
    assert_ids(ctx, NULL, "a z b", "2 4 6 5 3");
    assert_ids(ctx, "vocab.txt", "a z b", "2 4 6 5 3");
    write_file("tokenizer_config.json",
               "{\"unk_token\":{\"content\":\"<oov>\"},\"do_lower_case\":false}");
    assert_ids(ctx, NULL, "a z B", "2 4 6 7 3");
    write_file("tokenizer_config.json", "{\"unk_token\":null,\"do_lower_case\":null}");
    assert_ids(ctx, NULL, "z B", "2 1 5 3");
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* MPNet has other tokens around a pair than BERT. */
START_TEST(vocab_txt_of_mpnet_is_refused) {
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    write_file("vocab.txt", VOCAB);
    write_file("tokenizer_config.json", "{\"tokenizer_class\":\"MPNetTokenizer\"}");
    ck_assert_fails(alcore_tokenizer_open(ctx, path_of(NULL), &tokenizer), ALCORE_E_UNSUPPORTED,
                    "and tokenizer_class is MPNetTokenizer; open the tokenizer with transformers "
                    "and save it, which writes tokenizer.json");
    ck_assert_ptr_null(tokenizer);
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* A configuration, and the end of the message that refuses it. */
typedef struct bad_config {
    const char *text, *message;
} bad_config;

static const bad_config bad_configs[] = {
    {"{\"unk_token\":\"[UNK]\",\"do_lower_ca", "/tokenizer_config.json: byte 33: the string does "},
    {"{\"do_lower_case\":false", "/tokenizer_config.json: byte 22: the text ends too early"},
    {"", "/tokenizer_config.json: byte 0: an object is expected"},
    {"{\"do_lower_case\":nope}", "/tokenizer_config.json: byte 17: a value is expected"},
    {"{\"x\":1,}", "/tokenizer_config.json: byte 7: a key in quotes is expected"},
    {"{} {}", "/tokenizer_config.json: byte 3: something follows the value"},
    {"[]", "/tokenizer_config.json: byte 0: an object is expected"},
    {"null", "/tokenizer_config.json: byte 0: an object is expected"}};

/* Opens the folder with each bad configuration; name: also by the name of this file in it. */
static void assert_refused(alcore_ctx *ctx, const char *name) {
    for (size_t i = 0; i < sizeof bad_configs / sizeof *bad_configs; i++) {
        alcore_tokenizer *tokenizer = NULL;
        write_file("tokenizer_config.json", bad_configs[i].text);
        ck_assert_fails(alcore_tokenizer_open(ctx, path_of(NULL), &tokenizer), ALCORE_E_DATA,
                        bad_configs[i].message);
        ck_assert_fails(alcore_tokenizer_open(ctx, path_of(name), &tokenizer), ALCORE_E_DATA,
                        bad_configs[i].message);
        ck_assert_ptr_null(tokenizer);
    }
}

START_TEST(a_malformed_configuration_is_refused_beside_vocab_txt) {
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    write_file("vocab.txt", VOCAB);
    assert_refused(ctx, "vocab.txt");
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(a_malformed_configuration_is_refused_beside_tokenizer_json) {
    static const char model[] =
        "{\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"a\",\"vocab\":{\"a\":0}}}";
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    write_file("tokenizer.json", model);
    assert_ids(ctx, NULL, "a", "0");
    assert_refused(ctx, "tokenizer.json");
    write_file("tokenizer_config.json", "{\"unk_token\":\"b\"}");
    assert_ids(ctx, NULL, "a", "0");
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* As BertTokenizer of transformers 5.23 puts them, whatever the template of the file is. */
START_TEST(tokens_that_are_only_added_are_put_around_a_text) {
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    write_file(
        "tokenizer.json",
        "{\"added_tokens\":[{\"id\":0,\"content\":\"a\"},{\"id\":2,\"content\":\"[CLS]\"},"
        "{\"id\":3,\"content\":\"[SEP]\"}],\"post_processor\":null,"
        "\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"a\",\"continuing_subword_prefix\":"
        "\"##\",\"max_input_chars_per_word\":100,\"vocab\":{\"a\":0,\"b\":1}}}");
    write_file("tokenizer_config.json", "{\"tokenizer_class\":\"BertTokenizer\"}");
    assert_ids(ctx, NULL, "b", "2 1 3");
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* transformers 5.23 would find each of them in texts, as a token of its own. */
START_TEST(special_tokens_that_tokenizer_json_has_not_are_refused) {
    static const char *const refused[] = {"{\"extra_special_tokens\":[\"b\"]}",
                                          "{\"additional_special_tokens\":[\"<x>\",\"b\"]}",
                                          "{\"extra_special_tokens\":[{\"content\":\"b\"}]}",
                                          "{\"extra_special_tokens\":{\"image_token\":\"b\"}}"};
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    write_file(
        "tokenizer.json",
        "{\"added_tokens\":[{\"id\":1,\"content\":\"<x>\",\"special\":true}],\"model\":{"
        "\"type\":\"WordLevel\",\"unk_token\":\"a\",\"vocab\":{\"a\":0,\"<x>\":1,\"b\":2}}}");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        write_file("tokenizer_config.json", refused[i]);
        ck_assert_fails(alcore_tokenizer_open(ctx, path_of(NULL), &tokenizer), ALCORE_E_UNSUPPORTED,
                        "_special_tokens has 'b'");
    }
    write_file("tokenizer_config.json",
               "{\"additional_special_tokens\":[],\"extra_special_tokens\":{\"x\":\"<x>\"}}");
    assert_ids(ctx, NULL, "b", "2");
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* The files of a folder with a sentencepiece model are checked before the model is read. */
START_TEST(malformed_files_are_refused_beside_a_sentencepiece_model) {
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    write_file("spiece.model", "no model");
    assert_refused(ctx, NULL);
    write_file("tokenizer_config.json", "{}");
    write_file("config.json", "{\"model_type\":\"t5\"");
    ck_assert_fails(alcore_tokenizer_open(ctx, path_of(NULL), &tokenizer), ALCORE_E_DATA,
                    "/config.json: byte 18: the text ends too early");
    write_file("config.json", "{\"model_type\":\"t5\"}");
    ck_assert_fails(alcore_tokenizer_open(ctx, path_of(NULL), &tokenizer), ALCORE_E_DATA,
                    "/spiece.model: byte ");
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* The message names the file that has the error, with its folder: the settings, or vocab.txt. */
START_TEST(messages_name_the_file_that_has_the_error) {
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer = NULL;
    char expected[256];
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    write_file("vocab.txt", VOCAB);
    write_file("tokenizer_config.json", "{\"do_lower_case\":1}");
    snprintf(expected, sizeof expected, "%s: do_lower_case is not true or false",
             path_of("tokenizer_config.json"));
    ck_assert_fails(alcore_tokenizer_open(ctx, path_of(NULL), &tokenizer), ALCORE_E_DATA, expected);
    ck_assert_ptr_null(strstr(alcore_last_error(), "vocab.txt"));
    write_file("tokenizer_config.json", "{\"cls_token\":\"<s>\"}");
    snprintf(expected, sizeof expected, "%s: the tokens <s> and [SEP] are not in it",
             path_of("vocab.txt"));
    ck_assert_fails(alcore_tokenizer_open(ctx, path_of(NULL), &tokenizer), ALCORE_E_DATA, expected);
    write_file("tokenizer.json", "{\"model\":{\"type\":\"WordLevel\",\"vocab\":{\"a\":0}}}");
    write_file("tokenizer_config.json", "{\"src_lang\":1}");
    snprintf(expected, sizeof expected, "%s: src_lang is not a string",
             path_of("tokenizer_config.json"));
    ck_assert_fails(alcore_tokenizer_open(ctx, path_of(NULL), &tokenizer), ALCORE_E_DATA, expected);
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("tokenizer_config", unk_token_is_the_unknown_token_of_vocab_txt,
            vocab_txt_of_mpnet_is_refused, a_malformed_configuration_is_refused_beside_vocab_txt,
            a_malformed_configuration_is_refused_beside_tokenizer_json,
            special_tokens_that_tokenizer_json_has_not_are_refused,
            tokens_that_are_only_added_are_put_around_a_text,
            malformed_files_are_refused_beside_a_sentencepiece_model,
            messages_name_the_file_that_has_the_error);
