/* SPDX-License-Identifier: Apache-2.0 */
/* Models of sentencepiece: one that is accepted becomes a model of each layout, whose pieces of a
 * word are in order and have ids. */
#include "fuzz_pieces.h"

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
        if (model) fuzz_cut_words(host.ctx, model);
        alcore__token_model_free(host.ctx, model);
    }
    alcore__sentencepiece_clear(host.ctx, &pieces);
    fuzz_finish(&host, bytes, status);
    return 0;
}
