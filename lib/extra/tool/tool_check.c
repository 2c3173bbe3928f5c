/* SPDX-License-Identifier: Apache-2.0 */
/* What is checked once for all forms of tools (tool_check.h). */
#include "extra/tool/tool_check.h"

#include <inttypes.h>
#include <string.h>

#include "extra/tool/tool_choices.h"
#include "formats/escape.h"
#include "text/language_tag.h"
#include "text/utf8.h"
#include "text/vocabulary.h"

enum { POLL_ITEMS = 1024 };

const char *alcore__tool_task_name(int32_t task) {
    static const char *const names[] = ALCORE__WORDS(ALCORE__TASK_LIST);
    const int64_t index = (int64_t)task - ALCORE_TASK_TRANSLATION;
    const int64_t count = sizeof names / sizeof *names;
    return index >= 0 && index < count ? names[index] : NULL;
}

alcore_status alcore__tool_fail_item(const alcore_tool_items *items, int64_t item,
                                     const char *format, ...) {
    char reason[ALCORE__TEXT_BYTES];
    va_list args;
    va_start(args, format);
    alcore__format_v(reason, sizeof reason, format, args);
    va_end(args);
    return alcore__fail(ALCORE_E_DATA, "item %" PRId64 " (%s): %s", item + 1, items->ids[item],
                        reason);
}

/* ---- options ---- */

static alcore_status check_task(const alcore__tool_form *form, int32_t task) {
    const char *name = alcore__tool_task_name(task);
    if (!name)
        return alcore__fail(ALCORE_E_PARAM, "task is %" PRId32 "; expected ALCORE_TASK_*", task);
    for (const char *at = form->tasks; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (strlen(name) == length && memcmp(at, name, length) == 0) return ALCORE_OK;
        at += length;
    }
    return alcore__fail(ALCORE_E_PARAM, "%s does not take the task %s; it takes: %s", form->name,
                        name, form->tasks);
}

static alcore_status check_unit(const alcore__tool_form *form, int32_t unit) {
    if (unit != 0 && unit != ALCORE_SPAN_CODE_POINTS && unit != ALCORE_SPAN_UTF16 &&
        unit != ALCORE_SPAN_BYTES)
        return alcore__fail(ALCORE_E_PARAM, "span_unit is %" PRId32 "; expected ALCORE_SPAN_*",
                            unit);
    if (unit != 0 && form->span_unit == 0)
        return alcore__fail(ALCORE_E_PARAM, "%s has no spans, but span_unit is set", form->name);
    return ALCORE_OK;
}

static alcore_status check_language(const char *name, const char *language) {
    if (!language || alcore__language_is_tag(language)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM, "%s: \"%s\" is no language tag", name, language);
}

/* Whether a string is UTF-8 without control characters, which XML and HTML cannot have, so that it
 * would come back as another one. */
static bool is_plain(const char *text) {
    const size_t bytes = strlen(text);
    size_t next = 0;
    if (alcore__utf8_check(text, bytes) < bytes || alcore__xml_check(text, bytes) < bytes)
        return false;
    while (next < bytes) {
        const int32_t point = alcore__utf8_next(text, bytes, &next);
        if (point < 0x20 || (point >= 0x7F && point < 0xA0)) return false;
    }
    return true;
}

/* Checks labels [count]: each is plain and there once. */
static alcore_status check_labels(alcore_ctx *ctx, const char *const *labels, int64_t count) {
    alcore__vocabulary seen = {0};
    alcore_status status = ALCORE_OK;
    if (count < 0 || (count > 0 && !labels))
        return alcore__fail(ALCORE_E_PARAM, "labels is NULL, or label_count is negative");
    for (int64_t i = 0; status == ALCORE_OK && i < count; i++) {
        uint32_t number;
        if (!labels[i] || !*labels[i] || !is_plain(labels[i]))
            status = alcore__fail(
                ALCORE_E_PARAM,
                "label %" PRId64 " is empty, is not UTF-8, or has control characters", i + 1);
        else
            status = alcore__vocabulary_add(ctx, &seen, labels[i], strlen(labels[i]), &number);
        if (status == ALCORE_OK && (int64_t)number < i)
            status = alcore__fail(ALCORE_E_PARAM, "the label \"%s\" is given twice", labels[i]);
    }
    alcore__vocabulary_clear(ctx, &seen);
    return status;
}

alcore_status alcore__tool_check_options(alcore_ctx *ctx, const alcore__tool_form *form,
                                         const alcore_tool_options *theirs, bool writes,
                                         alcore_tool_options *ours) {
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_tool_options, batch), theirs,
                                    "alcore_tool_options"));
    ours->task = alcore__or_default(ours->task, ALCORE_TASK_TRANSLATION);
    ALCORE__TRY(check_task(form, ours->task));
    ALCORE__TRY(check_unit(form, ours->span_unit));
    ours->span_unit = alcore__or_default(ours->span_unit, form->span_unit);
    ALCORE__TRY(check_language("source_language", ours->source_language));
    ALCORE__TRY(check_language("target_language", ours->target_language));
    ALCORE__TRY(check_labels(ctx, ours->labels, ours->label_count));
    if (!ours->source_language) ours->source_language = "und";
    if (!ours->target_language && writes) ours->target_language = "und";
    if (!ours->batch) ours->batch = "alcore";
    if (!is_plain(ours->batch))
        return alcore__fail(ALCORE_E_PARAM, "batch is not UTF-8, or has control characters");
    if (writes && form->needs_labels && ours->task != ALCORE_TASK_TRANSLATION &&
        ours->label_count == 0)
        return alcore__fail(ALCORE_E_PARAM, "%s lists its labels: the task %s needs labels",
                            form->name, alcore__tool_task_name(ours->task));
    return ALCORE_OK;
}

/* ---- items ---- */

/* Checks that the strings of item i are UTF-8 and its text has no NUL, which no answer could give
 * back. */
static alcore_status check_strings(const alcore_tool_items *items, int64_t i) {
    const struct {
        const char *name, *const *array;
    } strings[] = {{"id", items->ids},       {"context", items->contexts},
                   {"draft", items->drafts}, {"reason", items->reasons},
                   {"group", items->groups}, {"language", items->languages}};
    const char *text = items->texts[i];
    const size_t length = alcore__tool_text_length(items, i);
    const size_t good = alcore__utf8_check(text, length);
    if (good < length)
        return alcore__tool_fail_item(items, i, "byte %zu of the text is not UTF-8", good + 1);
    if (memchr(text, '\0', length)) return alcore__tool_fail_item(items, i, "the text has a NUL");
    for (size_t s = 0; s < sizeof strings / sizeof *strings; s++) {
        const char *string = alcore__tool_entry(strings[s].array, i);
        const size_t bytes = string ? strlen(string) : 0;
        const size_t valid = alcore__utf8_check(string, bytes);
        if (valid < bytes)
            return alcore__fail(ALCORE_E_DATA, "item %" PRId64 ": byte %zu of the %s is not UTF-8",
                                i + 1, valid + 1, strings[s].name);
    }
    return ALCORE_OK;
}

/* Checks an item; ids: those of the items before it. */
static alcore_status check_item(alcore_ctx *ctx, const alcore_tool_items *items, int64_t i,
                                alcore__vocabulary *ids) {
    const char *id = items->ids[i];
    uint32_t number;
    if (!id || !*id) return alcore__fail(ALCORE_E_INVALID, "item %" PRId64 " has no id", i + 1);
    if (!items->texts[i])
        return alcore__fail(ALCORE_E_INVALID, "item %" PRId64 " (%s) has no text", i + 1, id);
    ALCORE__TRY(check_strings(items, i));
    ALCORE__TRY(alcore__vocabulary_add(ctx, ids, id, strlen(id), &number));
    if ((int64_t)number < i)
        return alcore__fail(ALCORE_E_INVALID, "items %" PRId64 " and %" PRId64 " have the id %s",
                            (int64_t)number + 1, i + 1, id);
    return ALCORE_OK;
}

alcore_status alcore__tool_check_items(alcore_ctx *ctx, const alcore_tool_items *theirs,
                                       alcore_tool_items *ours) {
    alcore__vocabulary ids = {0};
    alcore_status status = ALCORE_OK;
    ALCORE__TRY(alcore__struct_read(ours, sizeof *ours,
                                    ALCORE__FIRST_SIZE(alcore_tool_items, costs), theirs,
                                    "alcore_tool_items"));
    if (ours->count < 0 || (ours->count > 0 && (!ours->ids || !ours->texts)))
        return alcore__fail(ALCORE_E_INVALID, "count is negative, or ids or texts are NULL");
    for (int64_t i = 0; status == ALCORE_OK && i < ours->count; i++) {
        if (i % POLL_ITEMS == 0) status = alcore__tick(ctx, "checking items", i, ours->count);
        if (status == ALCORE_OK) status = check_item(ctx, ours, i, &ids);
    }
    alcore__vocabulary_clear(ctx, &ids);
    return status;
}

void alcore__tool_default_language(const alcore_tool_items *items, alcore_tool_options *options) {
    const char *first = items->count > 0 ? alcore__tool_language(items, 0) : NULL;
    if (!first || !alcore__language_is_tag(first)) return;
    if (strcmp(options->source_language, "und") != 0) return;
    for (int64_t i = 1; i < items->count; i++)
        if (!items->languages[i] || strcmp(items->languages[i], first) != 0) return;
    options->source_language = first;
}
