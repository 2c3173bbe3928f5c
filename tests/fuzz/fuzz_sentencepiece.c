/* SPDX-License-Identifier: Apache-2.0 */
/* Models of sentencepiece: one that is accepted becomes a model of each layout, whose pieces of a
 * word are in order and have ids. */
#include "fuzz_target.h"
#include "tokenizer/sentencepiece.h"

static void cut_words(alcore_ctx *ctx, const alcore__token_model *model) {
    static const char *const words[] = {"▁ab", "ababé👍", " a"};
    alcore__pieces pieces = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        size_t last = 0;
        pieces.count = 0;
        FUZZ_CHECK(alcore__token_model_cut(ctx, model, words[i], length, &pieces) == ALCORE_OK);
        for (size_t k = 0; k < pieces.count; k++) {
            const alcore__piece *piece = &pieces.piece[k];
            size_t bytes;
            FUZZ_CHECK(piece->begin >= last && piece->begin <= piece->end && piece->end <= length);
            FUZZ_CHECK(piece->id >= 0 && piece->id < alcore__token_model_size(model));
            FUZZ_CHECK(alcore__token_model_token(model, piece->id, &bytes));
            last = piece->begin;
        }
    }
    alcore__pieces_clear(ctx, &pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static const char *const extra[] = {"<mask>", "en_XX"};
    memory_host host;
    memory_host_open(&host);
    alcore__sentencepiece pieces = {0};
    alcore_status status = alcore__sentencepiece_read(host.ctx, data, bytes, "f.model", &pieces);
    const bool read = status == ALCORE_OK;
    for (int layout = 0; layout < 3 && read; layout++) {
        char vocab[] = "{\"</s>\":0,\"<unk>\":1,\"\xe2\x96\x81\":2,\"a\":3,\"ab\":4,\"b\":5}";
        alcore__json json;
        alcore__json_begin(&json, vocab, strlen(vocab), 4);
        const alcore__spm_layout how = {.fairseq = layout == 1,
                                        .extra = extra,
                                        .extra_count = layout == 1 ? 2 : 0,
                                        .vocab = layout == 2 ? &json : NULL,
                                        .vocab_path = "vocab.json"};
        alcore__token_model *model = NULL;
        status = alcore__sentencepiece_model(host.ctx, &pieces, &how, "f.model", &model);
        FUZZ_CHECK((status == ALCORE_OK) == (model != NULL));
        FUZZ_CHECK(status == ALCORE_OK || status == ALCORE_E_DATA ||
                   status == ALCORE_E_UNSUPPORTED);
        if (model) cut_words(host.ctx, model);
        alcore__token_model_free(host.ctx, model);
    }
    alcore__sentencepiece_clear(host.ctx, &pieces);
    fuzz_finish(&host, bytes, status);
    return 0;
}
