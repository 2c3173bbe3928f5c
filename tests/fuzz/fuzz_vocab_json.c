/* SPDX-License-Identifier: Apache-2.0 */
/* vocab.json of Marian and M2M100, {token: id}: one that is accepted gives ids to the pieces of a
 * model of sentencepiece. */
#include "fuzz_pieces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    alcore__sentencepiece pieces = {0};
    FUZZ_CHECK(alcore__sentencepiece_read(host.ctx, fuzz_pieces_model, sizeof fuzz_pieces_model,
                                          "f.model", &pieces) == ALCORE_OK);
    char *vocab = malloc(bytes + 1); /* strings are changed in place */
    FUZZ_CHECK(vocab);
    memcpy(vocab, data, bytes);
    alcore__json json;
    alcore__json_begin(&json, vocab, bytes, 4);
    const alcore__spm_layout how = {.vocab = &json, .vocab_path = "vocab.json"};
    alcore__token_model *model = NULL;
    const alcore_status status =
        alcore__sentencepiece_model(host.ctx, &pieces, &how, "f.model", &model);
    FUZZ_CHECK((status == ALCORE_OK) == (model != NULL));
    if (model) fuzz_cut_words(host.ctx, model);
    alcore__token_model_free(host.ctx, model);
    free(vocab);
    alcore__sentencepiece_clear(host.ctx, &pieces);
    fuzz_finish(&host, bytes, status);
    return 0;
}
