/* SPDX-License-Identifier: Apache-2.0 */
/* Files of translators' tools and spreadsheets, the tool chosen by the first byte. What is accepted
 * goes out again as a draft, and comes back as one. */
#include "alcore/extra/tool.h"
#include "fuzz_target.h"

static const char *const tools[] = {"po", "csv", "xliff", "xliff2", "tmx", "xlsx"};
enum { TOOLS = sizeof tools / sizeof *tools, WRITTEN = 5 /* all but xlsx, which uses the disk */ };

static void check_answer(const alcore_tool_answer *answer) {
    const bool counts = !strcmp(answer->status, "ok") || !strcmp(answer->status, "draft");
    FUZZ_CHECK(answer->id && *answer->id && answer->line > 0);
    FUZZ_CHECK((answer->value != NULL) == counts);
    FUZZ_CHECK(!counts || *answer->value);
    FUZZ_CHECK(answer->span_count == 0);
}

/* Writes an answer's item with its value as draft, which comes back as it is: in a table always,
 * in the others unless it is the text again. */
static void write_again(memory_host *host, const char *tool, const alcore_tool_answer *answer) {
    alcore_tool_items items = ALCORE_TOOL_ITEMS_INIT;
    alcore_tool_answer again = ALCORE_TOOL_ANSWER_INIT;
    alcore_tool_answers *answers;
    if (!answer->text || !answer->value) return;
    items.count = 1;
    items.ids = &answer->id;
    items.texts = items.contexts = items.reasons = &answer->text;
    items.drafts = &answer->value;
    const alcore_status status = alcore_tool_write(host->ctx, tool, "g", &items, NULL);
    FUZZ_CHECK(status == ALCORE_OK || status == ALCORE_E_DATA);
    if (status != ALCORE_OK) return;
    FUZZ_CHECK(alcore_tool_read(host->ctx, tool, "g", NULL, &answers) == ALCORE_OK);
    FUZZ_CHECK(alcore_tool_answers_unusable(answers) == 0);
    if (alcore_tool_answers_get(answers, 0, &again) == ALCORE_OK)
        FUZZ_CHECK(!strcmp(again.status, "draft") && !strcmp(again.id, answer->id) &&
                   !strcmp(again.value, answer->value));
    else
        FUZZ_CHECK(!strcmp(answer->text, answer->value) && strcmp(tool, "csv") != 0);
    alcore_tool_answers_unref(answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    memory_host host;
    alcore_tool_answers *answers;
    alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
    if (bytes == 0) return 0;
    const size_t number = data[0] % TOOLS;
    memory_host_open(&host);
    memory_host_file(&host, data + 1, bytes - 1);
    const alcore_status status = alcore_tool_read(host.ctx, tools[number], "f", NULL, &answers);
    for (int64_t i = 0; i < alcore_tool_answers_count(answers); i++) {
        FUZZ_CHECK(alcore_tool_answers_get(answers, i, &answer) == ALCORE_OK);
        check_answer(&answer);
        if (i < 4 && number < WRITTEN) write_again(&host, tools[number], &answer);
    }
    alcore_tool_answers_unref(answers);
    fuzz_finish(&host, bytes, status);
    return 0;
}
