/* SPDX-License-Identifier: Apache-2.0 */
/* tokenizer.json: one that is accepted encodes and decodes any text. */
#include "alcore/extra/tokenizer.h"
#include "fuzz_tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static const char *const texts[] = {
        "", "Ab [x] \xc3\xa9\xcc\x81  a\xe4\xb8\xad\xf0\x9f\x91\x8d<s> 12", "\xff\x80 ab"};
    memory_host host;
    memory_host_open(&host);
    const memory_file file = {"tokenizer.json", data, bytes};
    memory_host_files(&host, &file, 1);
    alcore_tokenizer *tokenizer = NULL;
    const alcore_status status = alcore_tokenizer_open(host.ctx, "tokenizer.json", &tokenizer);
    FUZZ_CHECK((status == ALCORE_OK) == (tokenizer != NULL));
    for (size_t i = 0; tokenizer && i < sizeof texts / sizeof *texts; i++) {
        fuzz_encode(host.ctx, tokenizer, texts[i], strlen(texts[i]), false, NULL, false);
        fuzz_encode(host.ctx, tokenizer, texts[i], strlen(texts[i]), true, NULL, false);
    }
    alcore_tokenizer_unref(tokenizer);
    fuzz_finish(&host, bytes, status);
    return 0;
}
