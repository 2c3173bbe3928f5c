/* SPDX-License-Identifier: Apache-2.0 */
/* vocab.txt: one that is accepted encodes and decodes any text. */
#include "alcore/extra/tokenizer.h"
#include "fuzz_tokens.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static const char text[] = "Ab [MASK] \xc3\xa9\xcc\x81  a\xe4\xb8\xad\xf0\x9f\x91\x8d\xff 12";
    memory_host host;
    memory_host_open(&host);
    const memory_file file = {"vocab.txt", data, bytes};
    memory_host_files(&host, &file, 1);
    alcore_tokenizer *tokenizer = NULL;
    const alcore_status status = alcore_tokenizer_open(host.ctx, "vocab.txt", &tokenizer);
    FUZZ_CHECK((status == ALCORE_OK) == (tokenizer != NULL));
    if (tokenizer) fuzz_encode(host.ctx, tokenizer, text, strlen(text), true, NULL, false);
    alcore_tokenizer_unref(tokenizer);
    fuzz_finish(&host, bytes, status);
    return 0;
}
