/* SPDX-License-Identifier: Apache-2.0 */
/* Tokenizers whole: what each part of tokenizer.json does to a text, spans, special tokens, limits,
 * threads, and files that are refused. The expected tokens are what the package tokenizers 0.23.3
 * gives, except for marks and limits, which it does not have. */
#include "alcore/extra/tokenizer.h"
#include "check_suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "alcore/sys/model.h"
#include "check_status.h"
#include "tokenizer/encoding.h"

/* A file of this process in the working folder. */
static const char *file_name(void) {
    static char name[64];
    snprintf(name, sizeof name, "test_tokenizer.%ld.json", (long)getpid());
    return name;
}

static alcore_status open_json(alcore_ctx *ctx, const char *json, alcore_tokenizer **out) {
    FILE *file = fopen(file_name(), "w");
    ck_assert_ptr_nonnull(file);
    fputs(json, file);
    fclose(file);
    const alcore_status status = alcore_tokenizer_open(ctx, file_name(), out);
    unlink(file_name());
    return status;
}

/* Words a to e with parts between, in a model that knows single letters and <unk>. */
#define MODEL                                                                                      \
    "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"<unk>\",\"vocab\":{\"<unk>\":0,\"a\":1,"    \
    "\"b\":2,\"c\":3,\"ab\":4,\"!\":5,\"\u2581a\":6,\"\u2581b\":7,\"1\":8,\"23\":9,\"a!\":10}}"

/* Writes the tokens of the only text as "id:begin:end id:begin:end", a special one with an s and
 * the first of a word with a w behind. */
static void show(const alcore__tokens *tokens, char *out, size_t bytes) {
    size_t length = 0;
    out[0] = 0;
    for (int64_t i = 0; i < tokens->offsets[1]; i++)
        length += (size_t)snprintf(out + length, bytes - length, "%s%d:%d:%d%s%s", i ? " " : "",
                                   (int)tokens->ids[i], (int)tokens->spans[2 * i],
                                   (int)tokens->spans[2 * i + 1],
                                   tokens->marks[i] & ALCORE_SYS_TOKEN_SPECIAL ? "s" : "",
                                   tokens->marks[i] & ALCORE_SYS_TOKEN_WORD ? "w" : "");
}

static void assert_tokens(alcore_tokenizer *tokenizer, alcore_ctx *ctx, const char *text,
                          const char *pair, const alcore__encoding *how, const char *expected) {
    const alcore__texts texts = {&text, NULL, 1}, pairs = {&pair, NULL, 1};
    alcore__tokens tokens = {0};
    char shown[1024];
    ck_assert_ok(alcore__tokenizer_encode(tokenizer, &texts, pair ? &pairs : NULL, how, &tokens));
    show(&tokens, shown, sizeof shown);
    ck_assert_msg(strcmp(shown, expected) == 0, "%s: %s instead of %s", text, shown, expected);
    alcore__tokens_clear(ctx, &tokens);
}

/* Opens parts with the model, and compares the tokens of texts: texts [][2], ended by NULL. */
static void assert_parts(const char *parts, const char *const (*texts)[2]) {
    char json[4096];
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer;
    const alcore__encoding plain = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    snprintf(json, sizeof json, "{%s,%s}", parts, MODEL);
    ck_assert_ok(open_json(ctx, json, &tokenizer));
    for (size_t i = 0; texts[i][0]; i++)
        assert_tokens(tokenizer, ctx, texts[i][0], NULL, &plain, texts[i][1]);
    alcore_tokenizer_unref(tokenizer);
    alcore_ctx_unref(ctx);
}

START_TEST(words_are_cut_by_the_pre_tokenizer) {
    static const char *const spaces[][2] = {{"a  b\tc", "1:0:1w 2:3:4w 3:5:6w"},
                                            {"", ""},
                                            {" \n ", ""},
                                            {"x a", "0:0:1w 1:2:3w"},
                                            {NULL, NULL}};
    assert_parts("\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"}", spaces);
    static const char *const bert[][2] = {
        {"a!b", "1:0:1w 5:1:2 2:2:3"}, {"ab !", "4:0:2w 5:3:4w"}, {NULL, NULL}};
    assert_parts("\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}", bert);
    assert_parts("\"pre_tokenizer\":{\"type\":\"Whitespace\"}", bert);
    /* The mark of the first word stems from its first letter, others from their space. */
    static const char *const marked[][2] = {{"a b", "6:0:1w 7:1:3w"}, {NULL, NULL}};
    assert_parts("\"pre_tokenizer\":{\"type\":\"Metaspace\",\"replacement\":\"\u2581\"}", marked);
    static const char *const digits[][2] = {{"a23", "1:0:1w 9:1:3"}, {"1", "8:0:1w"}, {NULL, NULL}};
    assert_parts("\"pre_tokenizer\":{\"type\":\"Digits\"}", digits);
}
END_TEST

START_TEST(patterns_are_found_as_oniguruma_finds_them) {
#define SPLIT(pattern, behavior)                                                                   \
    "\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":" pattern ",\"behavior\":\"" behavior       \
    "\",\"invert\":false}"
    static const char *const removed[][2] = {{"a,,b", "1:0:1w 2:3:4"}, {",a", "1:1:2w"}, {0}};
    assert_parts(SPLIT("{\"String\":\",\"}", "Removed"), removed);
    static const char *const previous[][2] = {
        {"a!b", "10:0:2w 2:2:3"}, {"!a", "5:0:1w 1:1:2"}, {0}};
    assert_parts(SPLIT("{\"String\":\"!\"}", "MergedWithPrevious"), previous);
    static const char *const next[][2] = {{"\u2581a\u2581b", "6:0:4w 7:4:8"}, {0}};
    assert_parts(SPLIT("{\"String\":\"\u2581\"}", "MergedWithNext"), next);
    /* Three kinds of quantifiers, lookahead, case, groups that may be missing. */
    static const char *const parts[][2] = {
        {"ab1", "4:0:2w 8:2:3"}, {"1ab", "8:0:1w 4:1:3"}, {"AB23!", "0:0:2w 9:2:4 5:4:5"}, {0}};
    assert_parts(
        SPLIT("{\"Regex\":\"(?i:ab)|\\\\p{N}{1,2}(?!\\\\p{N})|[^\\\\s\\\\p{N}]++\"}", "Isolated"),
        parts);
    /* A class within a class, as BLOOM's expression has it. */
    static const char *const nested[][2] = {{"ab,a(b", "4:0:2w 0:2:3 1:3:4 0:4:5 2:5:6"},
                                            {NULL, NULL}};
    assert_parts(SPLIT("{\"Regex\":\" ?[^(\\\\s|[.,!?])]+\"}", "Isolated"), nested);
}
END_TEST

START_TEST(normalizers_keep_the_spans) {
    static const char *const accents[][2] = {{"\u00c1 b", "1:0:2w 2:3:4w"},
                                             {"A\u0301b", "4:0:4w"},
                                             {"a\u200bb", "4:0:5w"},
                                             {NULL, NULL}};
    assert_parts("\"normalizer\":{\"type\":\"BertNormalizer\"},"
                 "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}",
                 accents);
    static const char *const forms[][2] = {{"\uff41 \u2460", "1:0:3w 8:4:7w"}, {NULL, NULL}};
    assert_parts("\"normalizer\":{\"type\":\"NFKC\"},"
                 "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"}",
                 forms);
    static const char *const several[][2] = {{"  xa  ", "1:3:4w"}, {NULL, NULL}};
    assert_parts("\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Strip\"},"
                 "{\"type\":\"Replace\",\"pattern\":{\"String\":\"x\"},\"content\":\"\"}]}",
                 several);
}
END_TEST

/* The first byte of a span may lie within a word of which the normalizer dropped the beginning:
 * the token is the first of the word nevertheless. */
START_TEST(marks_survive_characters_that_are_dropped) {
    static const char *const texts[][2] = {{"\u200ba b", "1:3:4w 2:5:6w"}, {NULL, NULL}};
    assert_parts("\"normalizer\":{\"type\":\"BertNormalizer\"},"
                 "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"}",
                 texts);
}
END_TEST

START_TEST(added_tokens_are_cut_out_first) {
    static const char *const texts[][2] = {
        {"a<m> b", "1:0:1w 11:1:5 2:5:6w"},            /* rstrip: it takes the space */
        {"aXY a XYZ", "1:0:1w 12:1:3 1:4:5w 13:6:9w"}, /* the longest of those at a place */
        {"sb s b", "0:0:2w 14:3:4w 2:5:6w"},           /* single_word: not within a word */
        {NULL, NULL}};
    assert_parts("\"added_tokens\":[{\"content\":\"<m>\",\"special\":true,\"rstrip\":true},"
                 "{\"content\":\"XY\"},{\"content\":\"XYZ\"},"
                 "{\"content\":\"s\",\"single_word\":true}],"
                 "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"}",
                 texts);
    /* Tokens of white space: the first takes all of it. A further "\n" then is empty, and left out,
     * but a further " " stands once more, as in the package; at the end of a text too. */
    static const char *const spaces[][2] = {{"a \n b", "1:0:1w 11:1:4 11:3:4 2:4:5w"},
                                            {" \n ", "11:0:3 11:2:3"},
                                            {" \n\n ", "11:0:4 11:3:4"},
                                            {" \n", "11:0:2"},
                                            {NULL, NULL}};
    assert_parts("\"added_tokens\":[{\"content\":\" \",\"rstrip\":true},"
                 "{\"content\":\"\\n\",\"lstrip\":true,\"rstrip\":true}],"
                 "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"}",
                 spaces);
    /* A token of which the normalizer leaves nothing stands nowhere. */
    static const char *const nothing[][2] = {
        {"a  b", "1:0:1w 2:3:4w"}, {"c \n", "3:0:1w"}, {NULL, NULL}};
    assert_parts("\"added_tokens\":[{\"content\":\"\\n\",\"rstrip\":true,\"normalized\":true}],"
                 "\"normalizer\":{\"type\":\"Strip\"},"
                 "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"}",
                 nothing);
}
END_TEST

#define TEMPLATE                                                                                   \
    "\"added_tokens\":[{\"content\":\"de_DE\",\"special\":true},"                                  \
    "{\"content\":\"en_XX\",\"special\":true}],"                                                   \
    "\"pre_tokenizer\":{\"type\":\"WhitespaceSplit\"},"                                            \
    "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":{\"id\":"   \
    "\"en_XX\",\"type_id\":0}},{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}],\"pair\":[{"           \
    "\"Sequence\":{\"id\":\"A\",\"type_id\":0}},{\"SpecialToken\":{\"id\":\"en_XX\",\"type_id\":"  \
    "0}},{\"Sequence\":{\"id\":\"B\",\"type_id\":1}}],\"special_tokens\":{\"en_XX\":{\"id\":"      \
    "\"en_XX\",\"ids\":[12],\"tokens\":[\"en_XX\"]}}}"

START_TEST(special_tokens_languages_and_limits) {
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer;
    alcore__tokens tokens = {0};
    const char *text = "a b c";
    const alcore__texts texts = {&text, NULL, 1};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(open_json(ctx, "{" TEMPLATE "," MODEL "}", &tokenizer));
    ck_assert_int_eq(alcore_tokenizer_size(tokenizer), 13);
    const alcore__encoding plain = {0}, bare = {.without_special = true},
                           german = {.language = "de_DE"}, three = {.max_tokens = 3},
                           two = {.max_tokens = 2}, other = {.language = "fr_XX"},
                           none = {.max_tokens = -1};
    assert_tokens(tokenizer, ctx, text, NULL, &plain, "12:0:0s 1:0:1w 2:2:3w 3:4:5w");
    assert_tokens(tokenizer, ctx, text, NULL, &bare, "1:0:1w 2:2:3w 3:4:5w");
    assert_tokens(tokenizer, ctx, text, NULL, &german, "11:0:0s 1:0:1w 2:2:3w 3:4:5w");
    assert_tokens(tokenizer, ctx, text, NULL, &three, "12:0:0s 1:0:1w 2:2:3w");
    assert_tokens(tokenizer, ctx, "a", "b c", &three, "1:0:1w 12:0:0s 2:0:1w");
    assert_tokens(tokenizer, ctx, "a b", "c", &two, "1:0:1w 12:0:0s");
    ck_assert_int_eq(alcore__tokenizer_encode(tokenizer, &texts, NULL, &other, &tokens),
                     ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "fr_XX"));
    ck_assert_int_eq(alcore__tokenizer_encode(tokenizer, &texts, NULL, &none, &tokens),
                     ALCORE_E_PARAM);
    alcore__tokens_clear(ctx, &tokens);
    alcore_tokenizer_unref(tokenizer);
    alcore_ctx_unref(ctx);
}
END_TEST

/* More texts than a round has, of different lengths, in one call and one by one. */
START_TEST(threads_change_nothing) {
    enum { TEXTS = 20000 };
    static char words[TEXTS][16];
    static const char *texts[TEXTS];
    alcore__tokens alone = {0}, many = {0};
    const alcore__encoding plain = {0};
    for (int i = 0; i < TEXTS; i++) {
        snprintf(words[i], sizeof words[i], "a b c %s!", i % 3 ? "ab ab" : "");
        texts[i] = words[i] + i % 5;
    }
    const alcore__texts all = {texts, NULL, TEXTS};
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        alcore_ctx *ctx = NULL;
        alcore_tokenizer *tokenizer;
        alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
        options.threads = threads;
        ck_assert_ok(alcore_ctx_new(&options, &ctx));
        ck_assert_ok(open_json(ctx, "{" TEMPLATE "," MODEL "}", &tokenizer));
        many.count = 0;
        ck_assert_ok(alcore__tokenizer_encode(tokenizer, &all, NULL, &plain, &many));
        if (threads == 1)
            for (int i = 0; i < TEXTS; i++) {
                const alcore__texts one = {texts + i, NULL, 1};
                ck_assert_ok(alcore__tokenizer_encode(tokenizer, &one, NULL, &plain, &alone));
            }
        const size_t count = (size_t)alone.offsets[TEXTS];
        ck_assert_int_eq(many.count, TEXTS);
        ck_assert_mem_eq(many.offsets, alone.offsets, (TEXTS + 1) * sizeof *alone.offsets);
        ck_assert_mem_eq(many.ids, alone.ids, count * sizeof *alone.ids);
        ck_assert_mem_eq(many.spans, alone.spans, 2 * count * sizeof *alone.spans);
        ck_assert_mem_eq(many.marks, alone.marks, count);
        alcore_tokenizer_unref(tokenizer);
        alcore_ctx_unref(ctx);
    }
    alcore__tokens_clear(NULL, &alone);
    alcore__tokens_clear(NULL, &many);
}
END_TEST

START_TEST(malformed_bytes_are_replaced) {
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer;
    const alcore__encoding plain = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(open_json(ctx,
                           "{\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},"
                           "\"model\":{\"type\":\"WordLevel\",\"unk_token\":\"a\",\"vocab\":"
                           "{\"a\":0,\"\uFFFDb\":1}}}",
                           &tokenizer));
    assert_tokens(tokenizer, ctx,
                  "a \xE2\x82"
                  "b",
                  NULL, &plain, "0:0:1w 1:2:5w");
    alcore_tokenizer_unref(tokenizer);
    alcore_ctx_unref(ctx);
}
END_TEST

/* What is wrong with a file is named. */
START_TEST(bad_files_are_refused) {
    static const struct {
        const char *json;
        alcore_status status;
        const char *says;
    } bad[] = {
        {"{", ALCORE_E_DATA, "ends too early"},
        {"{}", ALCORE_E_DATA, "no model"},
        {"{\"normalizer\":{\"type\":\"Magic\"}," MODEL "}", ALCORE_E_UNSUPPORTED, "Magic"},
        {"{\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Wand\"}]}," MODEL
         "}",
         ALCORE_E_UNSUPPORTED, "pre_tokenizer: the type \"Wand\""},
        {"{\"post_processor\":{\"type\":\"Hat\"}," MODEL "}", ALCORE_E_UNSUPPORTED, "Hat"},
        {"{" SPLIT("{\"Regex\":\"(?<=a)b\"}", "Isolated") "," MODEL "}", ALCORE_E_UNSUPPORTED,
         "this kind of group"},
        {"{" SPLIT("{\"Regex\":\"(ab)+\"}", "Isolated") "," MODEL "}", ALCORE_E_UNSUPPORTED,
         "a group that repeats"},
        {"{" SPLIT("{\"String\":\"a\"}", "Shuffled") "," MODEL "}", ALCORE_E_UNSUPPORTED,
         "Shuffled"},
        {"{\"normalizer\":{\"type\":\"Precompiled\",\"precompiled_charsmap\":\"####\"}," MODEL "}",
         ALCORE_E_DATA, "base64"},
        {"{\"post_processor\":{\"type\":\"BertProcessing\",\"sep\":[\"a\",1],\"cls\":[\"b\",99]}"
         "," MODEL "}",
         ALCORE_E_DATA, "has the id 99"},
    };
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        alcore_tokenizer *tokenizer;
        ck_assert_int_eq(open_json(ctx, bad[i].json, &tokenizer), bad[i].status);
        ck_assert_ptr_null(tokenizer);
        ck_assert_msg(strstr(alcore_last_error(), bad[i].says), "%s", alcore_last_error());
    }
    alcore_tokenizer *tokenizer;
    ck_assert_int_eq(alcore_tokenizer_open(ctx, "no/such/folder", &tokenizer), ALCORE_E_IO);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "no/such/folder"));
    alcore_ctx_unref(ctx);
}
END_TEST

/* A pattern whose time grows with a power of the text's length ends with an error. */
START_TEST(slow_patterns_end) {
    char text[4000];
    const char *only = text;
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer;
    alcore__tokens tokens = {0};
    const alcore__encoding plain = {0};
    const alcore__texts texts = {&only, NULL, 1};
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(open_json(ctx, "{" SPLIT("{\"Regex\":\"a*a*a*a*x\"}", "Isolated") "," MODEL "}",
                           &tokenizer));
    ck_assert_int_eq(alcore__tokenizer_encode(tokenizer, &texts, NULL, &plain, &tokens),
                     ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "takes too long"));
    alcore__tokens_clear(ctx, &tokens);
    alcore_tokenizer_unref(tokenizer);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("tokenizer", words_are_cut_by_the_pre_tokenizer,
            patterns_are_found_as_oniguruma_finds_them, normalizers_keep_the_spans,
            marks_survive_characters_that_are_dropped, added_tokens_are_cut_out_first,
            special_tokens_languages_and_limits, threads_change_nothing,
            malformed_bytes_are_replaced, bad_files_are_refused, slow_patterns_end);
