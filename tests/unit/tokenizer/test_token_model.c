/* SPDX-License-Identifier: Apache-2.0 */
/* Models of tokenizers: known pieces of words, vocabularies, and files that are refused. */
#include "check_suite.h"

#include <stdio.h>

#include "check_status.h"
#include "tokenizer/token_model.h"

/* Reads the "model" object in a text, of which a copy is changed. */
static alcore_status read_text(alcore_ctx *ctx, const char *text, alcore__token_model **out) {
    const size_t length = strlen(text);
    char *copy = malloc(length + 1);
    memcpy(copy, text, length + 1);
    alcore__json json;
    alcore__json_begin(&json, copy, length, 16);
    const alcore_status status = alcore__token_model_read_json(ctx, &json, "f.json", out);
    free(copy);
    return status;
}

/* Writes pieces as "id:begin:end id:begin:end" into out [bytes]. */
static void show(const alcore__pieces *pieces, char *out, size_t bytes) {
    size_t length = 0;
    out[0] = 0;
    for (size_t i = 0; i < pieces->count; i++)
        length += (size_t)snprintf(out + length, bytes - length, "%s%lld:%zu:%zu", i ? " " : "",
                                   (long long)pieces->piece[i].id, pieces->piece[i].begin,
                                   pieces->piece[i].end);
}

static void assert_pieces(alcore_ctx *ctx, const alcore__token_model *model, const char *word,
                          const char *expected, alcore__pieces *pieces) {
    char shown[4096];
    pieces->count = 0;
    ck_assert_ok(alcore__token_model_cut(ctx, model, word, strlen(word), pieces));
    show(pieces, shown, sizeof shown);
    ck_assert_msg(strcmp(shown, expected) == 0, "%s: %s instead of %s", word, shown, expected);
}

/* Reads a model and compares the pieces of words: words [][2], ended by NULL. */
static void assert_words(const char *text, const char *const (*words)[2]) {
    alcore_ctx *ctx = NULL;
    alcore__token_model *model;
    alcore__pieces pieces = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(read_text(ctx, text, &model));
    for (size_t i = 0; words[i][0]; i++)
        assert_pieces(ctx, model, words[i][0], words[i][1], &pieces);
    alcore__pieces_clear(ctx, &pieces);
    alcore__token_model_free(ctx, model);
    alcore_ctx_unref(ctx);
}

/* Models and words that the package tokenizers cut (tests/tokenizer/model_vectors.py). Each word is
 * cut twice, since the second result may come from the words that are remembered. */
START_TEST(pieces_are_those_of_the_package) {
    static char line[65536];
    alcore_ctx *ctx = NULL;
    alcore__token_model *model = NULL;
    alcore__pieces pieces = {0};
    int models = 0, words = 0;
    FILE *file = fopen(MODEL_VECTORS, "r");
    ck_assert_msg(file, "no file %s", MODEL_VECTORS);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    while (fgets(line, sizeof line, file)) {
        char *tab = strchr(line, '\t');
        ck_assert_ptr_nonnull(tab);
        *tab = 0;
        tab[strcspn(tab + 1, "\n") + 1] = 0;
        if (strcmp(line, "model") == 0) {
            alcore__token_model_free(ctx, model);
            ck_assert_ok(read_text(ctx, tab + 1, &model));
            models++;
            continue;
        }
        assert_pieces(ctx, model, line, tab + 1, &pieces);
        assert_pieces(ctx, model, line, tab + 1, &pieces);
        words++;
    }
    fclose(file);
    ck_assert_int_eq(models, 50);
    ck_assert_int_eq(words, 800);
    alcore__pieces_clear(ctx, &pieces);
    alcore__token_model_free(ctx, model);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Example of BERT's own code (tokenization.py, WordpieceTokenizer): unaffable; the word with a part
 * that has no token, and the word of more characters than are allowed, are unknown as a whole. */
START_TEST(word_piece_takes_the_longest_token) {
    static const char *const words[][2] = {{"unaffable", "2:0:2 3:2:5 4:5:9"},
                                           {"unaffablx", "0:0:9"},
                                           {"un", "2:0:2"},
                                           {"unwanted", "2:0:2 5:2:6 6:6:8"},
                                           {"##able", "4:0:6"},
                                           {"unwantedunwanted", "0:0:16"},
                                           {NULL, NULL}};
    assert_words("{\"type\":\"WordPiece\",\"unk_token\":\"[UNK]\",\"max_input_chars_per_word\":15,"
                 "\"continuing_subword_prefix\":\"##\",\"vocab\":{\"[UNK]\":0,\"[CLS]\":1,\"un\":2,"
                 "\"##aff\":3,\"##able\":4,\"##want\":5,\"##ed\":6,\"u\":7,\"##w\":8}}",
                 words);
}
END_TEST

/* Example of the package's documentation of Unigram.encode(): abcd a cd xx, of which xx is unknown.
 * "ab" twice: of two ways with the same sum the one whose last token begins first. */
START_TEST(unigram_takes_the_best_sum) {
    static const char *const words[][2] = {{"abcdacdxx", "8:0:4 1:4:5 5:5:7 0:7:9"},
                                           {"xa", "0:0:1 1:1:2"},
                                           {"bab", "2:0:1 6:1:3"},
                                           {NULL, NULL}};
    assert_words(
        "{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>\",0],[\"a\",0.0],[\"b\",0],"
        "[\"c\",0],[\"d\",0],[\"cd\",1e0],[\"ab\",2],[\"abc\",5],[\"abcd\",10]]}",
        words);
}
END_TEST

/* An unknown character scores 10 less than the worst token: with 5 for "a" it is better to take
 * "xa", with 12 it is not. As the package does. */
START_TEST(unknown_characters_score_ten_less) {
    static const char *const one[][2] = {{"xa", "2:0:2"}, {NULL, NULL}};
    static const char *const two[][2] = {{"xa", "0:0:1 1:1:2"}, {NULL, NULL}};
    assert_words("{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"u\",0],[\"a\",5],[\"xa\",-1]]}",
                 one);
    assert_words("{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"u\",0],[\"a\",12],[\"xa\",-1]]}",
                 two);
}
END_TEST

/* The package reads numbers of 17 digits and more with an error of up to a bit, which decides
 * between ways of the same sum: with correctly rounded scores the pieces would be a aa aa, and aa
 * aa aa a. */
START_TEST(scores_are_rounded_as_in_the_package) {
    static const char *const words[][2] = {
        {"aaaaa", "2:0:2 2:2:4 1:4:5"}, {"aaaaaaa", "2:0:2 2:2:4 1:4:5 2:5:7"}, {NULL, NULL}};
    assert_words("{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"u\",0],"
                 "[\"a\",-8.58371463086871698],[\"aa\",-7.05703408148589848]]}",
                 words);
}
END_TEST

/* Merges of rank 0 to 3: the lowest rank first, of several the leftmost. "<unk>" of unknown
 * characters is one token with fuse_unk. Worked out by hand. */
START_TEST(byte_pair_merges_by_rank) {
    static const char *const words[][2] = {{"aab", "0:0:1 4:1:3"},
                                           {"aaaa", "3:0:2 3:2:4"},
                                           {"abab", "5:0:4"},
                                           {"aaa", "3:0:2 0:2:3"},
                                           {"xxab", "6:0:2 4:2:4"},
                                           {"babc", "1:0:1 4:1:3 2:3:4"},
                                           {NULL, NULL}};
    assert_words("{\"vocab\":{\"a\":0,\"b\":1,\"c\":2,\"aa\":3,\"ab\":4,\"abab\":5,\"<unk>\":6},"
                 "\"merges\":[\"#version: 0.2\",\"a b\",\"a a\",\"ab ab\"],\"type\":\"BPE\","
                 "\"unk_token\":\"<unk>\",\"fuse_unk\":true}",
                 words);
}
END_TEST

/* Models of 2020 have no type: the settings tell the kind. */
START_TEST(a_model_without_type_is_recognized) {
    static const char *const bpe[][2] = {{"ab", "2:0:2"}, {NULL, NULL}};
    static const char *const piece[][2] = {{"ab", "0:0:1 1:1:2"}, {NULL, NULL}};
    static const char *const level[][2] = {{"ab", "1:0:2"}, {"a", "0:0:1"}, {NULL, NULL}};
    static const char *const gram[][2] = {{"ab", "1:0:2"}, {NULL, NULL}};
    assert_words("{\"merges\":[[\"a\",\"b\"]],\"vocab\":{\"a\":0,\"b\":1,\"ab\":2}}", bpe);
    assert_words("{\"unk_token\":\"u\",\"continuing_subword_prefix\":\"#\",\"vocab\":{\"a\":0,"
                 "\"#b\":1},\"max_input_chars_per_word\":100}",
                 piece);
    assert_words("{\"unk_token\":\"a\",\"vocab\":{\"a\":0,\"ab\":1}}", level);
    assert_words("{\"unk_id\":0,\"vocab\":[[\"a\",-1],[\"ab\",-1.5]]}", gram);
}
END_TEST

/* Ids may have holes and stand in any order; each text leads to its id and back. */
START_TEST(a_vocabulary_has_ids_and_texts) {
    alcore_ctx *ctx = NULL;
    alcore__token_model *model;
    size_t length;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(read_text(ctx,
                           "{\"type\":\"WordLevel\",\"unk_token\":\"?\",\"vocab\":"
                           "{\"b\\u00e9\":7,\"a\":2,\"\":4}}",
                           &model));
    ck_assert_int_eq(alcore__token_model_size(model), 8);
    ck_assert_int_eq(alcore__token_model_id(model, "a", 1), 2);
    ck_assert_int_eq(alcore__token_model_id(model, "b\xC3\xA9", 3), 7);
    ck_assert_int_eq(alcore__token_model_id(model, "", 0), 4);
    ck_assert_int_eq(alcore__token_model_id(model, "c", 1), -1);
    ck_assert_mem_eq(alcore__token_model_token(model, 7, &length), "b\xC3\xA9", 3);
    ck_assert_uint_eq(length, 3);
    ck_assert_ptr_nonnull(alcore__token_model_token(model, 4, &length));
    ck_assert_uint_eq(length, 0);
    ck_assert_ptr_null(alcore__token_model_token(model, 3, &length));
    ck_assert_ptr_null(alcore__token_model_token(model, 8, &length));
    ck_assert_ptr_null(alcore__token_model_token(model, -1, &length));
    alcore__token_model_free(ctx, model);
    alcore_ctx_unref(ctx);
}
END_TEST

/* vocab.txt: the id is the number of the line; an empty line is no token; lines end with LF or CR
 * LF.
 */
START_TEST(vocab_txt_is_word_piece) {
    static const char text[] = "[PAD]\n[UNK]\r\n\na\n##b";
    const alcore__name unknown = {"[UNK]", 5};
    alcore_ctx *ctx = NULL;
    alcore__token_model *model;
    alcore__pieces pieces = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore__token_model_read_vocab(ctx, text, strlen(text), unknown, "v.txt", &model));
    ck_assert_int_eq(alcore__token_model_size(model), 5);
    assert_pieces(ctx, model, "abb", "3:0:1 4:1:2 4:2:3", &pieces);
    assert_pieces(ctx, model, "b", "1:0:1", &pieces);
    alcore__token_model_free(ctx, model);
    ck_assert_fails(alcore__token_model_read_vocab(ctx, "a\nb\na\n", 6, unknown, "v.txt", &model),
                    ALCORE_E_DATA, "v.txt: the token \"a\" (line 3) stands twice");
    ck_assert_fails(alcore__token_model_read_vocab(ctx, "a\n\xFF\n", 4, unknown, "v.txt", &model),
                    ALCORE_E_DATA, "v.txt: the token at line 2 is not UTF-8");
    ck_assert_fails(alcore__token_model_read_vocab(ctx, "a\nb\0c\n", 6, unknown, "v.txt", &model),
                    ALCORE_E_DATA, "(line 2) holds a NUL");
    ck_assert_fails(alcore__token_model_read_vocab(ctx, "\n", 1, unknown, "v.txt", &model),
                    ALCORE_E_DATA, "v.txt: no token in it");
    ck_assert_ptr_null(model);
    alcore__pieces_clear(ctx, &pieces);
    alcore_ctx_unref(ctx);
}
END_TEST

/* One struct of pieces serves two models, whose words are the same and whose pieces are not, and
 * keeps what it had before. */
START_TEST(pieces_go_from_model_to_model) {
    static const char *const texts[] = {"{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"u\",0],"
                                        "[\"ab\",-1]]}",
                                        "{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"u\",0],"
                                        "[\"a\",-1],[\"b\",-1]]}"};
    alcore_ctx *ctx = NULL;
    alcore__token_model *model[2];
    alcore__pieces pieces = {0};
    char shown[100];
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (int i = 0; i < 2; i++) ck_assert_ok(read_text(ctx, texts[i], &model[i]));
    for (int i = 0; i < 4; i++)
        ck_assert_ok(alcore__token_model_cut(ctx, model[i % 2], "ab", 2, &pieces));
    show(&pieces, shown, sizeof shown);
    ck_assert_str_eq(shown, "1:0:2 1:0:1 2:1:2 1:0:2 1:0:1 2:1:2");
    for (int i = 0; i < 2; i++) alcore__token_model_free(ctx, model[i]);
    alcore__pieces_clear(ctx, &pieces);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A long word is not remembered, and a heap of thousands of merges gives what a short one does. */
START_TEST(long_words_are_cut_as_short_ones) {
    enum { PAIRS = 20000 };
    static char word[2 * PAIRS + 1];
    alcore_ctx *ctx = NULL;
    alcore__token_model *model;
    alcore__pieces pieces = {0};
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(read_text(ctx,
                           "{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"abab\":3},"
                           "\"merges\":[[\"a\",\"b\"],[\"ab\",\"ab\"]]}",
                           &model));
    for (int i = 0; i < PAIRS; i++) memcpy(word + 2 * i, "ab", 2);
    ck_assert_ok(alcore__token_model_cut(ctx, model, word, 2 * PAIRS, &pieces));
    ck_assert_uint_eq(pieces.count, PAIRS / 2);
    for (size_t i = 0; i < pieces.count; i++)
        ck_assert(pieces.piece[i].id == 3 && pieces.piece[i].begin == 4 * i &&
                  pieces.piece[i].end == 4 * i + 4);
    alcore__pieces_clear(ctx, &pieces);
    alcore__token_model_free(ctx, model);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Every message names the file, the key, and the byte where that is known. */
START_TEST(bad_models_are_refused) {
    static const struct {
        const char *text;
        alcore_status status;
        const char *part;
    } bad[] = {
        {"[]", ALCORE_E_DATA, "f.json: model: an object is expected (byte 0)"},
        {"{\"type\":\"Words\",\"vocab\":{}}", ALCORE_E_UNSUPPORTED,
         "f.json: model.type \"Words\" is not known"},
        {"{\"type\":7,\"vocab\":{}}", ALCORE_E_DATA, "f.json: model.type: a string is expected"},
        {"{\"type\":\"WordLevel\"}", ALCORE_E_DATA, "f.json: the model has no vocab"},
        {"{\"type\":\"WordLevel\",\"vocab\":null}", ALCORE_E_DATA, "the model has no vocab"},
        {"{\"type\":\"WordLevel\",\"vocab\":{}}", ALCORE_E_DATA, "model.vocab holds no token"},
        {"{\"type\":\"WordLevel\",\"vocab\":[1]}", ALCORE_E_DATA,
         "f.json: model.vocab: an object is expected (byte 28)"},
        {"{\"type\":\"WordLevel\",\"vocab\":{\"a\":\"b\"}}", ALCORE_E_DATA,
         "model.vocab: a number is expected"},
        {"{\"type\":\"WordLevel\",\"vocab\":{\"a\":1.5}}", ALCORE_E_DATA, "an id is an integer"},
        {"{\"type\":\"WordLevel\",\"vocab\":{\"a\":-1}}", ALCORE_E_DATA,
         "the token \"a\" (byte 30) has the id -1"},
        {"{\"type\":\"WordLevel\",\"vocab\":{\"a\":16777216}}", ALCORE_E_DATA,
         "ids are 0 to 16777215"},
        {"{\"type\":\"WordLevel\",\"vocab\":{\"a\":0,\"a\":1}}", ALCORE_E_DATA,
         "f.json: model.vocab: the token \"a\" (byte 36) stands twice"},
        {"{\"type\":\"WordLevel\",\"vocab\":{\"a\":1,\"b\":0,\"c\":1}}", ALCORE_E_DATA,
         "the token \"c\" (byte 42) has an id that another token has"},
        {"{\"type\":\"WordLevel\",\"vocab\":{\"\xC3(\":0}}", ALCORE_E_DATA, "is not UTF-8"},
        {"{\"type\":\"WordLevel\",\"vocab\":{\"a\":0}", ALCORE_E_DATA, "the text ends too early"},
        {"{\"type\":\"WordLevel\",\"vocab\":{\"a\":0},\"cats\":1}", ALCORE_E_UNSUPPORTED,
         "f.json: model.cats is not known"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0}}", ALCORE_E_DATA,
         "f.json: the model has no merges"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[],\"dropout\":0.1}",
         ALCORE_E_UNSUPPORTED, "f.json: model.dropout"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[],\"fuse_unk\":3}", ALCORE_E_DATA,
         "model.fuse_unk: true or false is expected"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a b\"]}", ALCORE_E_DATA,
         "f.json: model.merges: merge 0 (byte 45): the token \"b\" is not in the vocabulary"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1},\"merges\":[[\"a\",\"b\"]]}", ALCORE_E_DATA,
         "the token \"ab\" is not in the vocabulary"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"aa\"]}", ALCORE_E_DATA,
         "two tokens with one space between them are expected"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a a a\"]}", ALCORE_E_DATA,
         "two tokens with one space between them are expected"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[[\"a\"]]}", ALCORE_E_DATA,
         "two tokens are expected"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[[\"a\",\"a\",\"a\"]]}", ALCORE_E_DATA,
         "two tokens are expected"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":{}}", ALCORE_E_DATA,
         "model.merges: an array is expected"},
        {"{\"type\":\"BPE\",\"vocab\":{\"a\":0},\"merges\":[\"a a\"],"
         "\"continuing_subword_prefix\":\"##\"}",
         ALCORE_E_DATA, "the second token of a merge lacks the prefix"},
        {"{\"type\":\"Unigram\",\"unk_id\":1,\"vocab\":[[\"a\",0]]}", ALCORE_E_DATA,
         "f.json: model.unk_id is 1, but ids are 0 to 0"},
        {"{\"type\":\"Unigram\",\"unk_id\":-1,\"vocab\":[[\"a\",0]]}", ALCORE_E_DATA,
         "model.unk_id: an integer of 0 or more is expected"},
        {"{\"type\":\"Unigram\",\"vocab\":[[\"a\",NaN]]}", ALCORE_E_DATA, "model.vocab"},
        {"{\"type\":\"Unigram\",\"vocab\":[[\"a\",1e999]]}", ALCORE_E_DATA, "a score is too large"},
        {"{\"type\":\"Unigram\",\"vocab\":[[\"a\"]]}", ALCORE_E_DATA, "[text, score] is expected"},
        {"{\"type\":\"Unigram\",\"vocab\":[[\"a\",0,1]]}", ALCORE_E_DATA,
         "[text, score] is expected"},
        {"{\"type\":\"Unigram\",\"vocab\":[[\"a\",0],[\"a\",1]]}", ALCORE_E_DATA, "stands twice"},
        {"{\"type\":\"Unigram\",\"vocab\":[]}", ALCORE_E_DATA, "model.vocab holds no token"},
        {"{\"type\":\"WordPiece\",\"vocab\":{\"a\":0},\"max_input_chars_per_word\":\"x\"}",
         ALCORE_E_DATA, "model.max_input_chars_per_word: a number is expected"}};
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        alcore__token_model *model = (alcore__token_model *)(void *)ctx;
        const alcore_status status = read_text(ctx, bad[i].text, &model);
        ck_assert_msg(status == bad[i].status && strstr(alcore_last_error(), bad[i].part),
                      "%s: status %d, %s", bad[i].text, status, alcore_last_error());
        ck_assert_ptr_null(model);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("token_model", pieces_are_those_of_the_package, word_piece_takes_the_longest_token,
            unigram_takes_the_best_sum, unknown_characters_score_ten_less,
            scores_are_rounded_as_in_the_package, byte_pair_merges_by_rank,
            a_model_without_type_is_recognized, a_vocabulary_has_ids_and_texts,
            vocab_txt_is_word_piece, pieces_go_from_model_to_model,
            long_words_are_cut_as_short_ones, bad_models_are_refused);
