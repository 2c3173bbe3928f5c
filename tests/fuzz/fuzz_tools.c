/* SPDX-License-Identifier: Apache-2.0 */
/* Files of annotators' tools that are JSON or CoNLL, the tool, task and unit chosen by the first
 * two bytes. What is accepted is within the text, and its value goes out again as a draft. */
#include "alcore/extra/tool.h"
#include "fuzz_target.h"
#include "text/utf8.h"

static const char *const tools[] = {"label-studio", "doccano",      "argilla", "prodigy",  "potato",
                                    "squad",        "translations", "conll",   "inception"};
static const char *const labels[] = {"A"};

/* Spans are in order, inside the text, and have labels. */
static void check_answer(const alcore_tool_answer *answer, const alcore_tool_options *options) {
    FUZZ_CHECK(answer->id && *answer->id && answer->status && answer->line > 0);
    const bool counts = !strcmp(answer->status, "ok") || !strcmp(answer->status, "draft");
    FUZZ_CHECK((answer->value != NULL) == counts);
    FUZZ_CHECK(answer->span_count == 0 || options->task == ALCORE_TASK_SPANS);
    const int64_t points =
        answer->text ? alcore__utf8_count(answer->text, strlen(answer->text)) : INT64_MAX;
    for (int64_t i = 0; i < answer->span_count; i++) {
        const alcore_tool_span *span = &answer->spans[i];
        FUZZ_CHECK(span->begin >= 0 && span->begin < span->end && span->end <= points);
        FUZZ_CHECK(span->label && *span->label);
        FUZZ_CHECK(i == 0 || span[-1].begin <= span->begin);
    }
}

/* Writes an answer's item with its value as draft. */
static void write_again(memory_host *host, const char *tool, const alcore_tool_answer *answer,
                        const alcore_tool_options *options) {
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    if (!answer->text || !answer->value) return;
    items.count = 1;
    items.ids = &answer->id;
    items.texts = items.contexts = &answer->text;
    items.drafts = &answer->value;
    const alcore_status status = alcore_tool_write(host->ctx, tool, "-", &items, options);
    FUZZ_CHECK(status == ALCORE_OK || status == ALCORE_E_DATA || status == ALCORE_E_PARAM);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    alcore_tool_options options = ALCORE_TOOL_OPTIONS_INIT;
    alcore_tool_info info = ALCORE_TOOL_INFO_INIT;
    if (bytes < 2) return 0;
    const char *tool = tools[data[0] % (sizeof tools / sizeof *tools)];
    FUZZ_CHECK(alcore_tool_find(tool, &info) == ALCORE_OK);
    options.task = ALCORE_TASK_TRANSLATION + (data[1] & 3);
    options.labels = labels;
    options.label_count = 1;
    options.source_language = "en";
    if (info.span_unit && data[1] & 4) options.span_unit = ALCORE_SPAN_UTF16;
    if (info.span_unit && data[1] & 8) options.span_unit = ALCORE_SPAN_BYTES;
    memory_host_open(&host);
    memory_host_file(&host, data + 2, bytes - 2);
    alcore_status status = alcore_tool_read(host.ctx, tool, "f", &options, &answers);
    for (int64_t i = 0; i < alcore_tool_answers_count(answers); i++) {
        FUZZ_CHECK(alcore_tool_answers_get(answers, i, &answer) == ALCORE_OK);
        check_answer(&answer, &options);
        if (i < 4) write_again(&host, tool, &answer, &options);
    }
    alcore_tool_answers_unref(answers);
    if (status == ALCORE_E_PARAM) status = ALCORE_E_DATA; /* the tool does not take the task */
    fuzz_finish(&host, bytes, status);
    return 0;
}
