/* SPDX-License-Identifier: Apache-2.0 */
/* Columns as text, in each of the six forms. */
#include "formats/score_text.h"
#include "fuzz_target.h"

static alcore_status check(void *user, const alcore__score_line *line) {
    FUZZ_CHECK(line->count >= 0 && line->line > 0);
    FUZZ_CHECK(line->id ? line->id_length > 0 && line->number == -1 : line->number >= 0);
    ++*(int64_t *)user;
    return ALCORE_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    int64_t lines = 0;
    for (int32_t format = ALCORE__SCORE_TXT; format < ALCORE__SCORE_FAIRSEQ; format++) {
        alcore_status status = alcore__read_score_text(host.ctx, "f", format, 0, check, &lines);
        FUZZ_CHECK(status == ALCORE_OK || status == ALCORE_E_DATA);
    }
    fuzz_finish(&host, bytes,
                alcore__read_score_text(host.ctx, "f", ALCORE__SCORE_FAIRSEQ, 0, check, &lines));
    return 0;
}
