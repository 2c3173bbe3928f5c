/* SPDX-License-Identifier: Apache-2.0 */
/* Models, sentencepiece files and decoders where memory ends: every allocation of a job fails in
 * turn, and then every one from there on. The job reports it, releases all, and leaves what the
 * caller had; without a failure it gives the same as before. */
#include "check_suite.h"

#include "check_status.h"
#include "fault_allocator.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/token_decoder.h"

/* A job returns a status and adds ids or bytes to *sum. */
typedef alcore_status (*job)(alcore_ctx *ctx, const char *text, uint64_t *sum);

/* Cuts 300 short words, most of them more than once, so that they are remembered, and a long one.
 */
static alcore_status cut_words(alcore_ctx *ctx, const alcore__token_model *model, uint64_t *sum) {
    static char text[600];
    alcore__pieces pieces = {0};
    for (size_t i = 0; i < sizeof text; i++) text[i] = "abc"[i % 7 % 3];
    alcore_status status = alcore__token_model_cut(ctx, model, text, sizeof text, &pieces);
    for (size_t i = 0; i < 300 && status == ALCORE_OK; i++) {
        const size_t before = pieces.count;
        status = alcore__token_model_cut(ctx, model, text + i, 1 + i % 9, &pieces);
        ck_assert(pieces.count >= before);
    }
    for (size_t i = 0; i < pieces.count; i++)
        *sum = *sum * 31 + (uint64_t)pieces.piece[i].id + pieces.piece[i].end;
    alcore__pieces_clear(ctx, &pieces);
    return status;
}

static alcore_status run_model(alcore_ctx *ctx, const char *text, uint64_t *sum) {
    char copy[1024];
    alcore__json json;
    alcore__token_model *model = (alcore__token_model *)(void *)ctx;
    memcpy(copy, text, strlen(text));
    alcore__json_begin(&json, copy, strlen(text), 16);
    alcore_status status = alcore__token_model_read_json(ctx, &json, "f.json", &model);
    if (status != ALCORE_OK) ck_assert_ptr_null(model);
    if (status == ALCORE_OK) status = cut_words(ctx, model, sum);
    alcore__token_model_free(ctx, model);
    return status;
}

static alcore_status run_vocab(alcore_ctx *ctx, const char *text, uint64_t *sum) {
    alcore__token_model *model;
    alcore_status status = alcore__token_model_read_vocab(
        ctx, text, strlen(text), (alcore__name){"[UNK]", 5}, "vocab.txt", &model);
    if (status == ALCORE_OK) status = cut_words(ctx, model, sum);
    alcore__token_model_free(ctx, model);
    return status;
}

/* text: the digit of the model type, and the vocabulary if one follows. The file has the pieces
 * <unk>, a, b, ab and bc, the last one user-defined (sentencepiece_model.proto), and ends with that
 * digit. */
static alcore_status run_sentencepiece(alcore_ctx *ctx, const char *text, uint64_t *sum) {
    char bytes[] = "\x0A\x0E\x0A\5<unk>\x15\0\0\0\0\x18\2"
                   "\x0A\x08\x0A\1a\x15\0\0\x80\xBF"
                   "\x0A\x08\x0A\1b\x15\0\0\x80\xBF"
                   "\x0A\x0B\x0A\2ab\x15\0\0\xC0\xBF\x18\1"
                   "\x0A\x0B\x0A\2bc\x15\0\0\x80\xBF\x18\4"
                   "\x12\2\x18\1";
    char copy[100];
    static const char *const extra[] = {"<mask>"};
    alcore__sentencepiece file;
    alcore__json json;
    alcore__token_model *model = NULL;
    alcore__spm_layout layout = {.extra = extra, .extra_count = 1};
    bytes[sizeof bytes - 2] = (char)(text[0] - '0');
    if (text[1]) {
        memcpy(copy, text + 1, strlen(text));
        alcore__json_begin(&json, copy, strlen(copy), 4);
        layout = (alcore__spm_layout){.vocab = &json, .vocab_path = "v.json"};
    }
    alcore_status status = alcore__sentencepiece_read(ctx, bytes, sizeof bytes - 1, "f.spm", &file);
    if (status == ALCORE_OK)
        status = alcore__sentencepiece_model(ctx, &file, &layout, "f.spm", &model);
    if (status == ALCORE_OK) status = cut_words(ctx, model, sum);
    alcore__token_model_free(ctx, model);
    alcore__sentencepiece_clear(ctx, &file);
    return status;
}

static alcore_status run_decoder(alcore_ctx *ctx, const char *text, uint64_t *sum) {
    static const alcore__token_view tokens[] = {{"a", 1}, {"<0xFF>", 6}, {"##b", 3}, {" .", 2}};
    char copy[1024];
    alcore__arena arena = {0};
    alcore__token_decoder decoder = {0};
    alcore__buffer out = {0};
    memcpy(copy, text, strlen(text));
    alcore__part part = {ctx, &arena, "f.json", "decoder", {0}};
    alcore__json_begin(&part.value, copy, strlen(text), 16);
    alcore_status status = alcore__token_decoder_read(&part, &decoder);
    if (status == ALCORE_OK) status = alcore__token_decoder_run(ctx, &decoder, tokens, 4, &out);
    for (size_t i = 0; i < out.length; i++) *sum = *sum * 31 + (unsigned char)out.data[i];
    alcore__buffer_clear(ctx, &out);
    alcore__token_decoder_clear(ctx, &decoder);
    alcore__arena_clear(ctx, &arena);
    return status;
}

static const struct {
    job run;
    const char *text;
} jobs[] = {
    {run_model, "{\"type\":\"WordPiece\",\"vocab\":{\"[UNK]\":0,\"a\":5,\"b\":2,\"c\":3,\"##a\":4,"
                "\"##bca\":1,\"##b\":9},\"unk_token\":\"[UNK]\"}"},
    {run_model, "{\"type\":\"WordLevel\",\"vocab\":{\"?\":0,\"a\":1},\"unk_token\":\"?\"}"},
    {run_model, "{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2,\"@@b\":3,\"abb\":4,\"u\":5,"
                "\"@@a\":6},\"unk_token\":\"u\",\"continuing_subword_prefix\":\"@@\","
                "\"end_of_word_suffix\":\"\",\"merges\":[[\"a\",\"@@b\"],[\"ab\",\"@@b\"]]}"},
    {run_model, "{\"type\":\"Unigram\",\"unk_id\":0,\"byte_fallback\":true,\"vocab\":[[\"?\",0],"
                "[\"a\",-1],[\"b\",-1],[\"ab\",-1.5],[\"<0x63>\",-9]]}"},
    {run_vocab, "[UNK]\na\nb\n##c\n##a\nabc\n"},
    {run_sentencepiece, "1"},
    {run_sentencepiece, "2"},
    {run_sentencepiece, "1{\"<unk>\":0,\"a\":1,\"c\":7}"},
    {run_decoder, "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"WordPiece\",\"prefix\":\"##\","
                  "\"cleanup\":true},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},"
                  "{\"type\":\"Replace\",\"pattern\":{\"Regex\":\"[ab]\"},\"content\":\"longer\"},"
                  "{\"type\":\"ByteLevel\"}]}"},
};

/* Runs a job with its call number `call` failing, 0: none. */
static alcore_status run_with_failure(size_t number, long long call, int from_on,
                                      long long *failures, uint64_t *sum) {
    fault_allocator fault = {0};
    alcore_ctx *ctx = NULL;
    ctx = fault_context(&fault, 0);
    const long long blocks = atomic_load(&fault.live_blocks);
    fault_arm(&fault, call, from_on);
    const alcore_status status = jobs[number].run(ctx, jobs[number].text, sum);
    *failures = atomic_load(&fault.failures);
    fault_arm(&fault, 0, 0);
    ck_assert_msg(atomic_load(&fault.live_blocks) == blocks, "job %zu, call %lld leaks", number,
                  call);
    alcore_ctx_unref(ctx);
    return status;
}

START_TEST(every_failing_allocation_is_reported) {
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        uint64_t expected = 0;
        long long failures = 0, call = 1;
        const alcore_status first = run_with_failure(i, 0, 0, &failures, &expected);
        ck_assert_msg(first == ALCORE_OK, "job %zu: %s", i, alcore_last_error());
        ck_assert_msg(expected != 0, "job %zu gives nothing", i);
        for (failures = 1; failures > 0; call++) {
            for (int from_on = 0; from_on < 2; from_on++) {
                uint64_t sum = 0;
                const alcore_status status = run_with_failure(i, call, from_on, &failures, &sum);
                ck_assert_msg(status == (failures > 0 ? ALCORE_E_NOMEM : ALCORE_OK),
                              "job %zu, call %lld: status %d", i, call, status);
                if (status == ALCORE_OK) ck_assert(sum == expected);
            }
        }
        ck_assert_msg(call > 3, "job %zu allocates in %lld calls", i, call);
    }
}
END_TEST

CHECK_SUITE("token_memory", every_failing_allocation_is_reported);
