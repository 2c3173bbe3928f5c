/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the annotation page saves; the first byte chooses the task and the unit. What is
 * accepted is within the text and goes out again as a draft, on a page in which no text is
 * markup. */
#include "alcore/extra/tool.h"
#include "fuzz_target.h"
#include "text/utf8.h"

static const char *const labels[] = {"A"};

/* Between what stands before the items and the end of their element there is no "<". */
static void check_page(const memory_host *host) {
    static const char opening[] = "id=\"asked\">", closing[] = "}</script>";
    const char *page = host->written, *end = page + host->written_bytes;
    const char *begin = memmem(page, host->written_bytes, opening, strlen(opening));
    FUZZ_CHECK(begin);
    const char *mark =
        memchr(begin + strlen(opening), '<', (size_t)(end - begin) - strlen(opening));
    FUZZ_CHECK(mark && !memcmp(mark - 1, closing, strlen(closing)));
}

static void check_answer(memory_host *host, const alcore_tool_answer *answer,
                         const alcore_tool_options *options) {
    const bool counts = !strcmp(answer->status, "ok") || !strcmp(answer->status, "draft");
    FUZZ_CHECK(*answer->id && answer->line > 0 && (answer->value != NULL) == counts);
    FUZZ_CHECK(answer->span_count == 0 || options->task == ALCORE_TASK_SPANS);
    const int64_t points =
        answer->text ? alcore__utf8_count(answer->text, strlen(answer->text)) : INT64_MAX;
    for (int64_t i = 0; i < answer->span_count; i++) {
        const alcore_tool_span *span = &answer->spans[i];
        FUZZ_CHECK(span->begin >= 0 && span->begin < span->end && span->end <= points);
        FUZZ_CHECK(span->label && *span->label && (i == 0 || span[-1].begin <= span->begin));
    }
    if (!answer->text) return;
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    items.count = 1;
    items.ids = &answer->id;
    items.texts = items.contexts = &answer->text;
    items.drafts = &answer->value;
    FUZZ_CHECK(alcore_tool_write(host->ctx, "page", "w", &items, options) == ALCORE_OK);
    check_page(host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    if (bytes == 0) return 0;
    options.task = ALCORE_TASK_TRANSLATION + (data[0] & 3);
    options.labels = labels;
    options.label_count = 1;
    if (data[0] & 4) options.span_unit = ALCORE_SPAN_UTF16;
    if (data[0] & 8) options.span_unit = ALCORE_SPAN_BYTES;
    memory_host_open(&host);
    memory_host_file(&host, data + 1, bytes - 1);
    alcore_status status = alcore_tool_read(host.ctx, "page", "f", &options, &answers);
    for (int64_t i = 0; i < alcore_tool_answers_count(answers); i++) {
        FUZZ_CHECK(alcore_tool_answers_get(answers, i, &answer) == ALCORE_OK);
        if (i < 4) check_answer(&host, &answer, &options);
    }
    alcore_tool_answers_unref(answers);
    if (status == ALCORE_E_PARAM) status = ALCORE_E_DATA; /* answers to another task */
    fuzz_finish(&host, bytes, status);
    return 0;
}
