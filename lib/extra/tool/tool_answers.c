/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of a tool's file (alcore/extra/tool.h). Equal answers have equal values, whatever the
 * tool and the order in which a person clicked:
 *
 *     translation  the text as it is
 *     classes      labels sorted by their bytes, each once, TABs between
 *     spans        [[begin,end,"label"],...] sorted by begin, end and label, each once
 *     tags         single spaces between */
#include <inttypes.h>
#include <string.h>

#include "extra/tool/tool_form.h"
#include "formats/json_text.h"
#include "text/utf8.h"

struct alcore_tool_answers {
    alcore__object object;
    const char *path; /* of the file, in strings */
    int32_t task;     /* ALCORE_TASK_* */
    alcore__arena strings;
    alcore_tool_answer *items; /* [count], strings and spans in `strings` */
    size_t capacity;
    int64_t count, unusable;
    alcore__buffer messages;
    alcore__buffer value; /* workspace */
    const char *batch;    /* in strings; NULL: none */
    /* Whether a message, and whether the error, says of which other tool the file is. */
    bool message_names_tool, error_names_tool;
};

static void release_answers(void *object) {
    alcore_tool_answers *self = object;
    alcore_ctx *ctx = self->object.ctx;
    alcore__arena_clear(ctx, &self->strings);
    alcore__free(ctx, self->items);
    alcore__buffer_clear(ctx, &self->messages);
    alcore__buffer_clear(ctx, &self->value);
}

/* *out: a copy of text [length] in the answers' memory. */
static alcore_status keep(alcore_tool_answers *self, const char *text, size_t length,
                          const char **out) {
    return alcore__arena_text(self->object.ctx, &self->strings, text, length, out);
}

/* Replaces a string, which may be NULL, by a copy. */
static alcore_status keep_string(alcore_tool_answers *self, const char **text) {
    return *text ? keep(self, *text, strlen(*text), text) : ALCORE_OK;
}

alcore_status alcore__tool_answers_new(alcore_ctx *ctx, const char *path, int32_t task,
                                       alcore_tool_answers **out) {
    alcore_tool_answers *made = NULL;
    alcore_status status = alcore__object_new(ctx, sizeof *made, release_answers, &made);
    if (status == ALCORE_OK) {
        made->task = task;
        status = keep(made, path, strlen(path), &made->path);
    }
    return alcore__object_made(status, made, out);
}

/* ---- values ---- */

const char *const alcore__tool_statuses[] = {"ok",     "draft",          "skip",
                                             "reject", "untranslatable", NULL};

int alcore__tool_compare_spans(const void *left, const void *right) {
    const alcore_tool_span *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    if (a->end != b->end) return a->end < b->end ? -1 : 1;
    return strcmp(a->label, b->label);
}

/* Copies the spans of an answer, sorted and each once. */
static alcore_status keep_spans(alcore_tool_answers *self, alcore_tool_answer *answer) {
    alcore_ctx *ctx = self->object.ctx;
    const size_t count = (size_t)answer->span_count, bytes = count * sizeof *answer->spans;
    alcore_tool_span *spans =
        alcore__arena_alloc(ctx, &self->strings, bytes, _Alignof(alcore_tool_span));
    if (!spans) return alcore__fail_memory(bytes);
    if (count > 0) memcpy(spans, answer->spans, bytes);
    ALCORE__TRY(alcore__sort(ctx, spans, count, sizeof *spans, alcore__tool_compare_spans));
    answer->span_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && alcore__tool_compare_spans(&spans[i], &spans[answer->span_count - 1]) == 0)
            continue;
        ALCORE__TRY(keep_string(self, &spans[i].label));
        spans[answer->span_count++] = spans[i];
    }
    answer->spans = spans;
    return ALCORE_OK;
}

/* The value of spans that are sorted. */
static alcore_status write_spans(alcore_tool_answers *self, const alcore_tool_answer *answer) {
    alcore__json_out json = {.ctx = self->object.ctx, .text = self->value};
    alcore__json_open(&json, NULL, '[');
    for (int64_t i = 0; i < answer->span_count; i++) {
        alcore__json_open(&json, NULL, '[');
        alcore__json_put_integer(&json, NULL, answer->spans[i].begin);
        alcore__json_put_integer(&json, NULL, answer->spans[i].end);
        alcore__json_put_string(&json, NULL, answer->spans[i].label);
        alcore__json_close(&json, ']');
    }
    alcore__json_close(&json, ']');
    self->value = json.text; /* the buffer may have moved */
    return json.status;
}

/* One of the words of a value. */
typedef struct word {
    const char *text;
    size_t length;
} word;

static int compare_words(const void *left, const void *right) {
    const word *a = left, *b = right;
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int order = memcmp(a->text, b->text, shorter);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* The value of a list: the words of `given`, which any of the bytes `ends` separates; sorted: in
 * the order of their bytes, each once. */
static alcore_status write_words(alcore_tool_answers *self, const char *given, const char *ends,
                                 bool sorted) {
    alcore_ctx *ctx = self->object.ctx;
    word *words = NULL;
    size_t count = 0, capacity = 0;
    alcore_status status = ALCORE_OK;
    for (const char *at = given + strspn(given, ends); status == ALCORE_OK && *at;) {
        const size_t length = strcspn(at, ends);
        status = alcore__grow(ctx, &words, &capacity, count + 1, sizeof *words);
        if (status == ALCORE_OK) words[count++] = (word){at, length};
        at += length;
        at += strspn(at, ends);
    }
    if (status == ALCORE_OK && sorted)
        status = alcore__sort(ctx, words, count, sizeof *words, compare_words);
    for (size_t i = 0; status == ALCORE_OK && i < count; i++) {
        if (sorted && i > 0 && compare_words(&words[i], &words[i - 1]) == 0) continue;
        if (self->value.length > 0) status = alcore__buffer_append(ctx, &self->value, ends, 1);
        if (status == ALCORE_OK)
            status = alcore__buffer_append(ctx, &self->value, words[i].text, words[i].length);
    }
    alcore__free(ctx, words);
    return status;
}

/* Gives an answer its value; strings and spans are still the caller's. */
static alcore_status make_value(alcore_tool_answers *self, alcore_tool_answer *answer) {
    if (strcmp(answer->status, "ok") != 0 && strcmp(answer->status, "draft") != 0) {
        answer->value = NULL;
        answer->spans = NULL;
        answer->span_count = 0;
        return ALCORE_OK;
    }
    if (self->task == ALCORE_TASK_TRANSLATION) return keep_string(self, &answer->value);
    self->value.length = 0;
    ALCORE__TRY(alcore__buffer_reserve(self->object.ctx, &self->value, 0));
    self->value.data[0] = '\0';
    if (self->task == ALCORE_TASK_SPANS) {
        ALCORE__TRY(keep_spans(self, answer));
        ALCORE__TRY(write_spans(self, answer));
    } else if (!answer->value) {
        return ALCORE_OK;
    } else if (self->task == ALCORE_TASK_CLASSES) {
        ALCORE__TRY(write_words(self, answer->value, "\t", true));
    } else {
        ALCORE__TRY(write_words(self, answer->value, " \t\n\r", false));
    }
    return keep(self, self->value.data, self->value.length, &answer->value);
}

/* ---- what readers call ---- */

/* The name of the first string of an answer that is no UTF-8; NULL: all are. */
static const char *malformed(const alcore_tool_answer *answer) {
    const struct {
        const char *name, *text;
    } strings[] = {{"id", answer->id},        {"text", answer->text},
                   {"answer", answer->value}, {"annotator", answer->annotator},
                   {"time", answer->time},    {"comment", answer->comment}};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        const char *text = strings[i].text;
        const size_t length = text ? strlen(text) : 0;
        if (alcore__utf8_check(text, length) < length) return strings[i].name;
    }
    for (int64_t i = 0; i < answer->span_count; i++) {
        const char *label = answer->spans[i].label;
        if (alcore__utf8_check(label, strlen(label)) < strlen(label)) return "label";
    }
    return NULL;
}

alcore_status alcore__tool_answers_add(alcore_tool_answers *into,
                                       const alcore_tool_answer *answer) {
    alcore_tool_answer added = *answer;
    const char *wrong = malformed(answer);
    if (wrong) return alcore__tool_answers_refuse(into, answer->line, "the %s is not UTF-8", wrong);
    ALCORE__TRY(alcore__grow(into->object.ctx, &into->items, &into->capacity,
                             (size_t)into->count + 1, sizeof *into->items));
    ALCORE__TRY(make_value(into, &added));
    const char **const strings[] = {&added.id,        &added.text, &added.status,
                                    &added.annotator, &added.time, &added.comment};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        ALCORE__TRY(keep_string(into, strings[i]));
    added.size = sizeof added;
    into->items[into->count++] = added;
    return ALCORE_OK;
}

alcore_status alcore__tool_answers_refuse(alcore_tool_answers *into, int64_t line,
                                          const char *format, ...) {
    char reason[ALCORE__TEXT_BYTES];
    va_list args;
    va_start(args, format);
    alcore__format_v(reason, sizeof reason, format, args);
    va_end(args);
    ALCORE__TRY(alcore__buffer_format(into->object.ctx, &into->messages, "%s:%" PRId64 ": %s\n",
                                      into->path, line, reason));
    into->unusable++;
    return ALCORE_OK;
}

alcore_status alcore__tool_answers_refuse_error(alcore_tool_answers *into) {
    ALCORE__TRY(
        alcore__buffer_format(into->object.ctx, &into->messages, "%s\n", alcore_last_error()));
    into->unusable++;
    return ALCORE_OK;
}

alcore_status alcore__tool_answers_set_batch(alcore_tool_answers *into, const char *batch) {
    return keep(into, batch, strlen(batch), &into->batch);
}

void alcore__tool_answers_set_named(alcore_tool_answers *into, alcore_status status) {
    *(status == ALCORE_OK ? &into->message_names_tool : &into->error_names_tool) = true;
}

bool alcore__tool_answers_named(const alcore_tool_answers *answers, alcore_status status) {
    return status == ALCORE_OK ? answers->message_names_tool : answers->error_names_tool;
}

/* ---- what callers see ---- */

alcore_tool_answers *alcore_tool_answers_ref(alcore_tool_answers *answers) {
    return alcore__object_ref(answers);
}

void alcore_tool_answers_unref(alcore_tool_answers *answers) {
    alcore__object_unref(answers);
}

int64_t alcore_tool_answers_count(const alcore_tool_answers *answers) {
    return answers ? answers->count : 0;
}

int64_t alcore_tool_answers_unusable(const alcore_tool_answers *answers) {
    return answers ? answers->unusable : 0;
}

const char *alcore_tool_answers_messages(const alcore_tool_answers *answers) {
    return answers && answers->messages.data ? answers->messages.data : "";
}

const char *alcore_tool_answers_batch(const alcore_tool_answers *answers) {
    return answers ? answers->batch : NULL;
}

/* alcore_tool_answers_get() between enter and leave. */
static alcore_status get(const alcore_tool_answers *answers, int64_t index,
                         alcore_tool_answer *out) {
    if (!answers || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_tool_answers_get: answers and out are needed");
    if (index < 0 || index >= answers->count)
        return alcore__fail(ALCORE_E_NOT_FOUND, "no answer %" PRId64 " of %" PRId64, index,
                            answers->count);
    return alcore__struct_write(out, &answers->items[index], sizeof *out,
                                ALCORE__FIRST_SIZE(alcore_tool_answer, line), "alcore_tool_answer");
}

alcore_status alcore_tool_answers_get(const alcore_tool_answers *answers, int64_t index,
                                      alcore_tool_answer *out) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, get(answers, index, out));
}
