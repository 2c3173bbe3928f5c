/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of tags, "GOLD TAB PREDICTED", compared as spans in both schemes. */
#include "alcore/extra/metric.h"
#include "fuzz_target.h"
#include "options_with.h"

enum { MOST_LINES = 64 };

/* The lines of an input, by side: gold and predicted. */
typedef struct two_sides {
    const char *texts[2][MOST_LINES];
    size_t lengths[2][MOST_LINES];
    int64_t count;
} two_sides;

static void split(const char *text, size_t bytes, two_sides *out) {
    const char *end = text + bytes;
    out->count = 0;
    while (text < end && out->count < MOST_LINES) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        const char *tab = memchr(text, '\t', (size_t)(stop - text));
        out->texts[0][out->count] = text;
        out->lengths[0][out->count] = (size_t)((tab ? tab : stop) - text);
        out->texts[1][out->count] = tab ? tab + 1 : text;
        out->lengths[1][out->count++] = (size_t)(stop - (tab ? tab + 1 : text));
        text = stop + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    two_sides sides;
    alcore_status status = ALCORE_OK;
    split((const char *)data, bytes, &sides);
    for (int32_t scheme = ALCORE_TAGS_DEFAULT; scheme <= ALCORE_TAGS_DEFAULT + 1; scheme++) {
        alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
        status = alcore_metric_compute_spans(
            host.ctx, sides.texts[0], sides.lengths[0], sides.count, sides.texts[1],
            sides.lengths[1], sides.count, OPTIONS_WITH(alcore_spans_options, .scheme = scheme),
            &score);
        FUZZ_CHECK(status == ALCORE_OK || status == ALCORE_E_DATA || status == ALCORE_E_SHAPE);
        if (status != ALCORE_OK) continue;
        FUZZ_CHECK(score.matches <= score.gold_spans && score.matches <= score.predicted_spans);
        FUZZ_CHECK(score.f1 >= 0 && score.f1 <= 1);
    }
    fuzz_finish(&host, bytes, status == ALCORE_E_SHAPE ? ALCORE_E_DATA : status);
    return 0;
}
