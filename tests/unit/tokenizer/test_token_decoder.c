/* SPDX-License-Identifier: Apache-2.0 */
/* Decoders: the texts that the package tokenizers makes of tokens, and what is refused. */
#include "check_suite.h"

#include <stdio.h>

#include "check_status.h"
#include "tokenizer/token_decoder.h"

/* Reads the decoder before which a cursor stands; null is none. */
static alcore_status read_decoder(alcore_ctx *ctx, alcore__arena *arena, const alcore__json *json,
                                  alcore__token_decoder *out) {
    alcore__part part = {ctx, arena, "f.json", "decoder", *json};
    *out = (alcore__token_decoder){0};
    return alcore__json_kind(&part.value) == 'n' ? ALCORE_OK
                                                 : alcore__token_decoder_read(&part, out);
}

/* Checks a line [decoder, [token, ...], text] of tests/tokenizer/decoder_vectors.py. */
static void assert_case(alcore_ctx *ctx, char *line) {
    alcore__json json;
    alcore__arena arena = {0};
    alcore__token_decoder decoder;
    alcore__token_view tokens[16];
    alcore__buffer out = {0};
    char copy[4096], *text;
    size_t count = 0, length;
    snprintf(copy, sizeof copy, "%s", line);
    alcore__json_begin(&json, line, strlen(line), 16);
    ck_assert(alcore__json_enter(&json, '[') && alcore__json_item(&json));
    ck_assert_ok(read_decoder(ctx, &arena, &json, &decoder));
    ck_assert(alcore__json_skip(&json) && alcore__json_item(&json));
    ck_assert(alcore__json_enter(&json, '['));
    for (; alcore__json_item(&json); count++) {
        ck_assert(alcore__json_string(&json, &text, &length));
        tokens[count] = (alcore__token_view){text, length};
    }
    ck_assert(alcore__json_item(&json) && alcore__json_string(&json, &text, &length));
    ck_assert_ok(alcore__buffer_append(ctx, &out, "before ", 7));
    ck_assert_ok(alcore__token_decoder_run(ctx, &decoder, tokens, count, &out));
    ck_assert_msg(out.length == length + 7 && memcmp(out.data + 7, text, length) == 0,
                  "%s gives %.*s", copy, (int)out.length, out.data);
    alcore__buffer_clear(ctx, &out);
    alcore__token_decoder_clear(ctx, &decoder);
    alcore__arena_clear(ctx, &arena);
}

START_TEST(texts_are_those_of_the_package) {
    static char line[4096];
    alcore_ctx *ctx = NULL;
    int cases = 0;
    FILE *file = fopen(DECODER_VECTORS, "r");
    ck_assert_msg(file, "no file %s", DECODER_VECTORS);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (; fgets(line, sizeof line, file); cases++) assert_case(ctx, line);
    fclose(file);
    ck_assert_int_eq(cases, 400);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Without tokens the text is empty, whatever the steps. The package fails there for BPEDecoder. */
START_TEST(no_tokens_are_an_empty_text) {
    char lines[][80] = {"[null, [], \"\"]", "[{\"type\":\"BPEDecoder\",\"suffix\":\"\"}, [], \"\"]",
                        "[{\"type\":\"ByteLevel\"}, [], \"\"]", "[{\"type\":\"Fuse\"}, [], \"\"]",
                        "[{\"type\":\"Sequence\",\"decoders\":[]}, [], \"\"]"};
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) assert_case(ctx, lines[i]);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Strip takes no more characters than it says from either end, and no more than there are. */
START_TEST(strip_takes_characters_from_both_ends) {
#define STRIP "[{\"type\":\"Strip\",\"content\":\"\\u00e9\",\"start\":1,\"stop\":2}, "
    char lines[][120] = {STRIP "[\"\\u00e9\\u00e9a\\u00e9\\u00e9\\u00e9\"], \"\\u00e9a\\u00e9\"]",
                         STRIP "[\"a\", \"b\\u00e9\"], \"ab\"]", STRIP "[\"\\u00e9\"], \"\"]",
                         STRIP "[\"\\u00e9\\u00e9\"], \"\"]", STRIP "[\"\"], \"\"]"};
#undef STRIP
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) assert_case(ctx, lines[i]);
    alcore_ctx_unref(ctx);
}
END_TEST

/* The decoders of folders without tokenizer.json. */
START_TEST(decoders_are_made_without_json) {
    static const alcore__token_view marked[] = {{"\xE2\x96\x81no", 5}, {"w\xE2\x96\x81", 4}};
    static const alcore__token_view pieces[] = {{"no", 2}, {"##w", 3}, {"!", 1}};
    alcore_ctx *ctx = NULL;
    alcore__token_decoder decoder = {0};
    alcore__buffer out = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore__token_decoder_add_metaspace(ctx, &decoder));
    ck_assert_ok(alcore__token_decoder_run(ctx, &decoder, marked, 2, &out));
    ck_assert_str_eq(out.data, "now ");
    alcore__token_decoder_clear(ctx, &decoder);
    out.length = 0;
    ck_assert_ok(alcore__token_decoder_add_word_piece(ctx, &decoder));
    ck_assert_ok(alcore__token_decoder_run(ctx, &decoder, pieces, 3, &out));
    ck_assert_str_eq(out.data, "now!");
    alcore__token_decoder_clear(ctx, &decoder);
    alcore__buffer_clear(ctx, &out);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(bad_decoders_are_refused) {
    static const struct {
        const char *text;
        alcore_status status;
        const char *part;
    } bad[] = {
        {"{\"type\":\"CTC\",\"pad_token\":\"<pad>\"}", ALCORE_E_UNSUPPORTED,
         "f.json: decoder: the type \"CTC\" is not supported"},
        {"{\"type\":\"Sequence\"}", ALCORE_E_DATA, "Sequence has no decoders"},
        {"{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Fuse\"},{\"type\":\"X\"}]}",
         ALCORE_E_UNSUPPORTED, "\"X\""},
        {"{\"prefix\":\"##\"}", ALCORE_E_DATA, "f.json: decoder"},
        {"{\"type\":\"WordPiece\"}", ALCORE_E_DATA, "prefix is missing"},
        {"{\"type\":\"BPEDecoder\"}", ALCORE_E_DATA, "suffix is missing"},
        {"{\"type\":\"Metaspace\",\"replacement\":\"ab\"}", ALCORE_E_DATA,
         "replacement is not one character"},
        {"{\"type\":\"Metaspace\",\"replacement\":\"_\",\"prepend_scheme\":\"maybe\"}",
         ALCORE_E_UNSUPPORTED, "the prepend_scheme \"maybe\""},
        {"{\"type\":\"Strip\",\"content\":\"\",\"start\":1}", ALCORE_E_DATA,
         "content is not one character"},
        {"{\"type\":\"Strip\",\"content\":\" \",\"start\":-1}", ALCORE_E_DATA,
         "Strip has a negative count"},
        {"{\"type\":\"Replace\",\"pattern\":{\"String\":\"a\"}}", ALCORE_E_DATA,
         "content is missing"},
    };
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        alcore__json json;
        alcore__arena arena = {0};
        alcore__token_decoder decoder;
        snprintf(text, sizeof text, "%s", bad[i].text);
        alcore__json_begin(&json, text, strlen(text), 16);
        ck_assert_fails(read_decoder(ctx, &arena, &json, &decoder), bad[i].status, bad[i].part);
        alcore__token_decoder_clear(ctx, &decoder);
        alcore__arena_clear(ctx, &arena);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("token_decoder", texts_are_those_of_the_package, no_tokens_are_an_empty_text,
            strip_takes_characters_from_both_ends, decoders_are_made_without_json,
            bad_decoders_are_refused);
