/* SPDX-License-Identifier: Apache-2.0 */
/* Files of sentencepiece: the ids that sentencepiece and tokenizers give, settings, damage. */
#include "check_suite.h"

#include <stdio.h>

#include "check_status.h"
#include "tokenizer/protobuf_wire.h"
#include "tokenizer/sentencepiece.h"

/* ---- writing a file ---- */

/* A message that is written. */
typedef struct message {
    unsigned char data[4096];
    size_t length;
} message;

static void put_varint(message *out, uint64_t value) {
    for (; value >= 128; value >>= 7) out->data[out->length++] = (unsigned char)(value | 128);
    out->data[out->length++] = (unsigned char)value;
}

static void put_number(message *out, unsigned field, uint64_t value) {
    put_varint(out, (uint64_t)field << 3);
    put_varint(out, value);
}

static void put_bytes(message *out, unsigned field, const void *data, size_t length) {
    put_varint(out, (uint64_t)field << 3 | 2);
    put_varint(out, length);
    if (length > 0) memcpy(out->data + out->length, data, length);
    out->length += length;
}

static void put_float(message *out, unsigned field, float value) {
    put_varint(out, (uint64_t)field << 3 | 5);
    memcpy(out->data + out->length, &value, 4);
    out->length += 4;
}

static void put_piece(message *out, const char *text, float score, unsigned type) {
    message piece = {.length = 0};
    put_bytes(&piece, 1, text, strlen(text));
    put_float(&piece, 2, score);
    if (type > 0) put_number(&piece, 3, type);
    put_bytes(out, 1, piece.data, piece.length);
}

/* <unk> and the pieces a, b, ab. */
static message small_file(void) {
    message out = {.length = 0};
    put_piece(&out, "<unk>", 0, 2);
    put_piece(&out, "a", -1, 0);
    put_piece(&out, "b", -1, 1);
    put_piece(&out, "ab", -1.5f, 0);
    return out;
}

/* ---- ids ---- */

/* The byte of two hexadecimal digits. */
static unsigned char unhex(const char *digits) {
    unsigned value = 0;
    ck_assert_int_eq(sscanf(digits, "%2x", &value), 1);
    return (unsigned char)value;
}

/* Whether a model cuts a text into the pieces with these ids, "3 5 5". */
static void assert_ids(alcore_ctx *ctx, const alcore__token_model *model, const char *text,
                       const char *expected) {
    char shown[4096] = "";
    size_t length = 0;
    alcore__pieces pieces = {0};
    ck_assert_ok(alcore__token_model_cut(ctx, model, text, strlen(text), &pieces));
    for (size_t i = 0; i < pieces.count; i++)
        length += (size_t)snprintf(shown + length, sizeof shown - length, "%s%lld", i ? " " : "",
                                   (long long)pieces.piece[i].id);
    ck_assert_msg(strcmp(shown, expected) == 0, "%s: %s instead of %s", text, shown, expected);
    alcore__pieces_clear(ctx, &pieces);
}

/* The models of one file with three layouts: Marian's, its own, fairseq's. */
typedef struct three_models {
    alcore__token_model *model[3];
} three_models;

static three_models open_models(alcore_ctx *ctx, const char *hex, char *vocab) {
    static unsigned char data[65536];
    static const char *const mask[] = {"<mask>"};
    three_models out;
    alcore__sentencepiece file;
    alcore__json json;
    const size_t length = strlen(hex) / 2;
    for (size_t i = 0; i < length; i++) data[i] = unhex(hex + 2 * i);
    ck_assert_ok(alcore__sentencepiece_read(ctx, data, length, "f.spm", &file));
    alcore__json_begin(&json, vocab, strlen(vocab), 4);
    const alcore__spm_layout layouts[3] = {{.vocab = &json, .vocab_path = "v.json"},
                                           {.fairseq = false},
                                           {.fairseq = true, .extra = mask, .extra_count = 1}};
    for (int i = 0; i < 3; i++)
        ck_assert_ok(alcore__sentencepiece_model(ctx, &file, &layouts[i], "f.spm", &out.model[i]));
    alcore__sentencepiece_clear(ctx, &file);
    return out;
}

static void free_models(alcore_ctx *ctx, three_models *models) {
    for (int i = 0; i < 3; i++) alcore__token_model_free(ctx, models->model[i]);
    *models = (three_models){{NULL, NULL, NULL}};
}

/* Models and texts with the ids of the packages (tests/tokenizer/sentencepiece_vectors.py). */
START_TEST(ids_are_those_of_the_packages) {
    static char line[131072];
    alcore_ctx *ctx = NULL;
    three_models models = {{NULL, NULL, NULL}};
    int texts = 0;
    FILE *file = fopen(SENTENCEPIECE_VECTORS, "r");
    ck_assert_msg(file, "no file %s", SENTENCEPIECE_VECTORS);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    while (fgets(line, sizeof line, file)) {
        char *cells[4] = {line, NULL, NULL, NULL};
        line[strcspn(line, "\n")] = 0;
        for (int i = 1; i < 4 && cells[i - 1]; i++) {
            cells[i] = strchr(cells[i - 1], '\t');
            if (cells[i]) *cells[i]++ = 0;
        }
        if (strcmp(line, "model") == 0) {
            free_models(ctx, &models);
            models = open_models(ctx, cells[1], cells[2]);
            continue;
        }
        for (int i = 0; i < 3; i++)
            if (strcmp(cells[i + 1], "-") != 0)
                assert_ids(ctx, models.model[i], cells[0], cells[i + 1]);
        texts++;
    }
    fclose(file);
    ck_assert_int_eq(texts, 384);
    free_models(ctx, &models);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Texts and ids are those of vocab.json where there is one, and else those of the layout. */
START_TEST(tokens_are_those_of_the_layout) {
    static const char *const extra[] = {"de_DE", "<mask>"};
    char vocab[] = "{\"</s>\":0,\"<unk>\":1,\"ab\":2,\">>de<<\":3}";
    const message bytes = small_file();
    alcore_ctx *ctx = NULL;
    alcore__sentencepiece file;
    alcore__token_model *model;
    alcore__json json;
    size_t length;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore__sentencepiece_read(ctx, bytes.data, bytes.length, "f.spm", &file));
    alcore__json_begin(&json, vocab, strlen(vocab), 4);
    alcore__spm_layout layout = {.vocab = &json, .vocab_path = "v.json"};
    ck_assert_ok(alcore__sentencepiece_model(ctx, &file, &layout, "f.spm", &model));
    ck_assert_int_eq(alcore__token_model_size(model), 4);
    ck_assert_int_eq(alcore__token_model_id(model, ">>de<<", 6), 3);
    ck_assert_int_eq(alcore__token_model_id(model, "a", 1), -1);
    ck_assert_mem_eq(alcore__token_model_token(model, 2, &length), "ab", 2);
    assert_ids(ctx, model, "aba", "2 1");
    alcore__token_model_free(ctx, model);
    layout = (alcore__spm_layout){.fairseq = true, .extra = extra, .extra_count = 2};
    ck_assert_ok(alcore__sentencepiece_model(ctx, &file, &layout, "f.spm", &model));
    ck_assert_int_eq(alcore__token_model_size(model), 7);
    ck_assert_int_eq(alcore__token_model_id(model, "ab", 2), 4);
    ck_assert_int_eq(alcore__token_model_id(model, "de_DE", 5), 5);
    ck_assert_int_eq(alcore__token_model_id(model, "<mask>", 6), 6);
    ck_assert_mem_eq(alcore__token_model_token(model, 3, &length), "<unk>", 5);
    alcore__token_model_free(ctx, model);
    alcore__sentencepiece_clear(ctx, &file);
    alcore_ctx_unref(ctx);
}
END_TEST

/* A user-defined piece scores a tenth for each byte but the first: abc and d are better than ab and
 * cd by that alone. As sentencepiece 0.2.3 does. */
START_TEST(longer_user_defined_pieces_win) {
    char vocab[] = "{\"<unk>\":0,\"ab\":1,\"d\":2,\"abc\":3,\"cd\":4}";
    message bytes = {.length = 0};
    alcore_ctx *ctx = NULL;
    alcore__sentencepiece file;
    alcore__token_model *model;
    alcore__json json;
    put_piece(&bytes, "<unk>", 0, 2);
    put_piece(&bytes, "ab", -1, 1);
    put_piece(&bytes, "d", -1, 1);
    put_piece(&bytes, "abc", 0, 4);
    put_piece(&bytes, "cd", 0, 4);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore__sentencepiece_read(ctx, bytes.data, bytes.length, "f.spm", &file));
    alcore__json_begin(&json, vocab, strlen(vocab), 4);
    const alcore__spm_layout layout = {.vocab = &json, .vocab_path = "v.json"};
    ck_assert_ok(alcore__sentencepiece_model(ctx, &file, &layout, "f.spm", &model));
    assert_ids(ctx, model, "abcd", "3 2");
    alcore__token_model_free(ctx, model);
    alcore__sentencepiece_clear(ctx, &file);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- settings ---- */

/* What a file does not say has the value that sentencepiece_model.proto gives; fields that are not
 * known are passed over, whatever their type. */
START_TEST(settings_are_read) {
    message bytes = small_file(), trainer = {.length = 0}, normalizer = {.length = 0};
    alcore_ctx *ctx = NULL;
    alcore__sentencepiece file;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore__sentencepiece_read(ctx, bytes.data, bytes.length, "f.spm", &file));
    ck_assert_uint_eq(file.count, 4);
    ck_assert(!file.byte_pair && !file.byte_fallback && !file.space_behind);
    ck_assert(file.add_dummy_prefix && file.remove_extra_whitespaces && file.escape_whitespaces);
    ck_assert(file.unknown == 0 && file.bos == 1 && file.eos == 2 && file.pad == -1);
    ck_assert(file.piece[3].type == ALCORE__PIECE_NORMAL && file.piece[3].score == -1.5f);
    ck_assert_mem_eq(file.piece[3].text, "ab", 2);
    alcore__sentencepiece_clear(ctx, &file);

    put_number(&trainer, 3, 2);
    put_number(&trainer, 24, 1);
    put_float(&trainer, 10, 0.5f);
    put_number(&trainer, 35, 1);
    put_number(&trainer, 41, (uint64_t)-1);
    put_number(&trainer, 42, 99);
    put_number(&trainer, 43, 3);
    put_bytes(&normalizer, 2, "\1\0\2", 3);
    for (unsigned field = 3; field <= 5; field++) put_number(&normalizer, field, 0);
    put_bytes(&bytes, 2, trainer.data, trainer.length);
    put_bytes(&bytes, 3, normalizer.data, normalizer.length);
    put_varint(&bytes, 300 << 3 | 1);
    memset(bytes.data + bytes.length, 7, 8);
    bytes.length += 8;
    ck_assert_ok(alcore__sentencepiece_read(ctx, bytes.data, bytes.length, "f.spm", &file));
    ck_assert(file.byte_pair && file.byte_fallback && file.space_behind);
    ck_assert(!file.add_dummy_prefix && !file.remove_extra_whitespaces && !file.escape_whitespaces);
    ck_assert(file.unknown == 0 && file.bos == -1 && file.eos == -1 && file.pad == 3);
    ck_assert_uint_eq(file.charsmap_length, 3);
    ck_assert_mem_eq(file.charsmap, "\1\0\2", 3);
    alcore__sentencepiece_clear(ctx, &file);
    alcore_ctx_unref(ctx);
}
END_TEST

/* ---- damage ---- */

/* Reads a file and expects this error. */
static void assert_refused(alcore_ctx *ctx, const message *bytes, alcore_status status,
                           const char *part) {
    alcore__sentencepiece file;
    ck_assert_fails(alcore__sentencepiece_read(ctx, bytes->data, bytes->length, "f.spm", &file),
                    status, part);
    ck_assert_ptr_null(file.piece);
}

/* A file of which the end is missing is either a shorter file, where a field ended, or refused with
 * the byte at which it ends. */
START_TEST(a_file_that_is_cut_off_is_refused) {
    message bytes = small_file();
    alcore_ctx *ctx = NULL;
    int read = 0;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (size_t length = 1; length < bytes.length; length++) {
        alcore__sentencepiece file;
        const alcore_status status =
            alcore__sentencepiece_read(ctx, bytes.data, length, "f.spm", &file);
        read += status == ALCORE_OK;
        ck_assert(status == ALCORE_OK || status == ALCORE_E_DATA);
        if (status != ALCORE_OK)
            ck_assert_msg(strstr(alcore_last_error(), "f.spm: byte "), "%s", alcore_last_error());
        alcore__sentencepiece_clear(ctx, &file);
    }
    ck_assert_int_eq(read, 3);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(damaged_files_are_refused) {
    alcore_ctx *ctx = NULL;
    message file, part;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
#define CASE(status, text, ...)                                                                    \
    do {                                                                                           \
        file = small_file();                                                                       \
        part.length = 0;                                                                           \
        __VA_ARGS__;                                                                               \
        assert_refused(ctx, &file, status, text);                                                  \
    } while (0)
    CASE(ALCORE_E_DATA, "f.spm: no sentencepiece model", file.length = 0);
    CASE(ALCORE_E_DATA, "f.spm: byte 51: a piece without text", put_piece(&file, "", 0, 0));
    CASE(ALCORE_E_DATA, "the score of a piece is not finite",
         put_piece(&file, "c", 0.0f / 0.0f, 0));
    CASE(ALCORE_E_DATA, "the type of a piece is not known", put_piece(&file, "c", 0, 7));
    CASE(ALCORE_E_DATA, "a second piece for what is unknown", put_piece(&file, "c", 0, 2));
    CASE(ALCORE_E_DATA, "f.spm: no piece for what is unknown", file.length = 0,
         put_piece(&file, "c", 0, 0));
    CASE(ALCORE_E_UNSUPPORTED, "f.spm: sentencepiece models of type 3 are not known",
         put_number(&part, 3, 3), put_bytes(&file, 2, part.data, part.length));
    CASE(ALCORE_E_DATA, "a value of another type is expected", put_number(&file, 1, 5));
    CASE(ALCORE_E_DATA, "a field with an impossible number", put_number(&file, 0, 5));
    CASE(ALCORE_E_DATA, "a field of an unknown type", put_varint(&file, 9 << 3 | 3));
    CASE(ALCORE_E_DATA, "an integer of more than ten bytes",
         memset(file.data + file.length, 0xFF, 11), file.length += 11);
    CASE(ALCORE_E_DATA, "a value ends behind the end of its message", put_varint(&file, 9 << 3 | 2),
         put_varint(&file, UINT64_MAX));
#undef CASE
    alcore_ctx_unref(ctx);
}
END_TEST

/* Files that can be read, of which no model can be made. */
START_TEST(impossible_models_are_refused) {
    static const struct {
        const char *text;
        unsigned type;
        bool byte_pair, fairseq;
        const char *vocab;
        alcore_status status;
        const char *part;
    } bad[] = {
        {"ab", 0, false, false, NULL, ALCORE_E_DATA,
         "f.spm: the token \"ab\" (byte 51) stands twice"},
        {"a\xFF", 0, false, false, NULL, ALCORE_E_DATA, "is not UTF-8"},
        {"c", 5, true, false, NULL, ALCORE_E_UNSUPPORTED, "f.spm: byte 51: an unused piece"},
        {"<mask>", 0, false, true, NULL, ALCORE_E_DATA,
         "the token \"<mask>\" (byte 0) stands twice"},
        {"c", 0, false, false, "{\"a\":0}", ALCORE_E_DATA, "v.json: the token <unk> is not there"},
        {"c", 0, false, false, "{\"a\":0", ALCORE_E_DATA, "v.json: vocab: the text ends too early"},
        {"c", 0, false, false, "{\"a\":0,\"a\":1}", ALCORE_E_DATA, "v.json: the token \"a\""},
    };
    static const char *const mask[] = {"<mask>"};
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        message bytes = small_file(), trainer = {.length = 0};
        char vocab[64];
        alcore__sentencepiece file;
        alcore__json json;
        alcore__token_model *model = (alcore__token_model *)(void *)ctx;
        put_piece(&bytes, bad[i].text, 0, bad[i].type);
        put_number(&trainer, 3, bad[i].byte_pair ? 2 : 1);
        put_bytes(&bytes, 2, trainer.data, trainer.length);
        ck_assert_ok(alcore__sentencepiece_read(ctx, bytes.data, bytes.length, "f.spm", &file));
        alcore__spm_layout layout = {
            .fairseq = bad[i].fairseq, .extra = mask, .extra_count = bad[i].fairseq ? 1 : 0};
        if (bad[i].vocab) {
            snprintf(vocab, sizeof vocab, "%s", bad[i].vocab);
            alcore__json_begin(&json, vocab, strlen(vocab), 4);
            layout.vocab = &json;
            layout.vocab_path = "v.json";
        }
        ck_assert_fails(alcore__sentencepiece_model(ctx, &file, &layout, "f.spm", &model),
                        bad[i].status, bad[i].part);
        ck_assert_ptr_null(model);
        alcore__sentencepiece_clear(ctx, &file);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("sentencepiece", ids_are_those_of_the_packages, tokens_are_those_of_the_layout,
            longer_user_defined_pieces_win, settings_are_read, a_file_that_is_cut_off_is_refused,
            damaged_files_are_refused, impossible_models_are_refused);
