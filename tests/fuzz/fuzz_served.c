/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of inference servers. */
#include "formats/served_answers.h"
#include "fuzz_target.h"

static alcore_status check(void *user, const alcore__served_answer *answer) {
    double sum = 0;
    FUZZ_CHECK(answer->tokens >= 0 && answer->k >= 0 && answer->line > 0);
    FUZZ_CHECK(answer->id ? answer->id_length > 0 && answer->number == -1 : answer->number >= 0);
    FUZZ_CHECK(answer->doubtful < answer->tokens && !answer->ids == !answer->top_ids);
    for (int64_t t = 0; t < answer->tokens; t++) {
        sum += answer->logprobs[t];
        if (answer->ids) FUZZ_CHECK(answer->ids[t] >= 0);
        for (int64_t i = 0; i < answer->k; i++) sum += answer->top[t * answer->k + i];
    }
    *(double *)user = sum;
    return ALCORE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    double sum = 0;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    fuzz_finish(&host, bytes, alcore__served_read(host.ctx, "f", check, &sum));
    return 0;
}
