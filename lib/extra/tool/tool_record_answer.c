/* SPDX-License-Identifier: Apache-2.0 */
/* The answer that is being read of a record (tool_record.h): its offsets become code points, and
 * parts of words their tags. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "extra/tool/tool_record.h"
#include "text/utf8.h"
#include "text/words.h"

alcore_status alcore__tool_read_batch(alcore__tool_record *record, const char *batch) {
    const char *known = alcore_tool_answers_batch(record->into);
    return known && strcmp(known, batch) == 0 ? ALCORE_OK
                                              : alcore__tool_answers_set_batch(record->into, batch);
}

alcore_status alcore__tool_read_item(alcore__tool_record *record, const alcore__json *object,
                                     const char **id, const char **text) {
    const char *batch;
    ALCORE__TRY(alcore__tool_member_string(record, object, "al_id", id));
    ALCORE__TRY(alcore__tool_member_string(record, object, "text", text));
    ALCORE__TRY(alcore__tool_member_string(record, object, "al_batch", &batch));
    if (batch) ALCORE__TRY(alcore__tool_read_batch(record, batch));
    if (*id && **id) return ALCORE_OK;
    *id = NULL;
    return alcore__tool_record_refuse(record, "it has no al_id, by which its item is found");
}

void alcore__tool_answer_begin(alcore__tool_record *record, const char *id, const char *text,
                               const char *status) {
    const int64_t line = record->answer.line;
    record->answer = (alcore_tool_answer)ALCORE_TOOL_ANSWER_INIT;
    record->answer.line = line;
    record->answer.id = id;
    record->answer.text = text;
    record->answer.status = status;
    record->answer.seconds = (double)NAN;
    record->labels.length = 0;
    record->span_count = 0;
}

alcore_status alcore__tool_answer_label(alcore__tool_record *record, const char *label) {
    if (!*label) return ALCORE_OK;
    ALCORE__TRY(alcore__buffer_append(record->ctx, &record->labels, label, strlen(label)));
    return alcore__buffer_append(record->ctx, &record->labels, "\t", 1);
}

alcore_status alcore__tool_read_text(alcore__tool_record *record, const alcore__json *at,
                                     const char **out) {
    alcore__json list = *at;
    if (alcore__json_kind(&list) != '[') return alcore__tool_string(record, at, out);
    if (!alcore__json_enter(&list, '[')) return ALCORE_OK;
    while (alcore__json_item(&list)) {
        ALCORE__TRY(alcore__tool_string(record, &list, out));
        alcore__json_skip(&list);
    }
    return ALCORE_OK;
}

alcore_status alcore__tool_read_labels(alcore__tool_record *record, const alcore__json *at) {
    alcore__json list = *at;
    const char *label;
    if (alcore__json_kind(&list) != '[') {
        ALCORE__TRY(alcore__tool_string(record, at, &label));
        return label ? alcore__tool_answer_label(record, label) : ALCORE_OK;
    }
    if (!alcore__json_enter(&list, '[')) return ALCORE_OK;
    while (alcore__json_item(&list)) {
        ALCORE__TRY(alcore__tool_string(record, &list, &label));
        if (label) ALCORE__TRY(alcore__tool_answer_label(record, label));
        alcore__json_skip(&list);
    }
    return ALCORE_OK;
}

/* An offset as an integer; -1 for what is none, which is beyond any text. */
static int64_t to_offset(double number) {
    return number >= 0 && number <= 1e15 && floor(number) == number ? (int64_t)number : -1;
}

alcore_status alcore__tool_answer_span(alcore__tool_record *record, double begin, double end,
                                       const char *label) {
    ALCORE__TRY(alcore__grow(record->ctx, &record->spans, &record->span_capacity,
                             record->span_count + 1, sizeof *record->spans));
    record->spans[record->span_count++] =
        (alcore_tool_span){to_offset(begin), to_offset(end), label};
    return ALCORE_OK;
}

alcore_status alcore__tool_read_tuple(alcore__tool_record *record, const alcore__json *tuple) {
    alcore__json at = *tuple;
    double ends[2] = {(double)NAN, (double)NAN};
    const char *label = NULL;
    const bool list = alcore__json_kind(&at) == '[' && alcore__json_enter(&at, '[');
    for (int i = 0; list && i < 3 && alcore__json_item(&at); i++) {
        if (i < 2)
            ends[i] = alcore__tool_number_at(&at);
        else
            ALCORE__TRY(alcore__tool_string(record, &at, &label));
        alcore__json_skip(&at);
    }
    return alcore__tool_answer_span(record, ends[0], ends[1], label);
}

alcore_status alcore__tool_read_spans(alcore__tool_record *record, const alcore__json *list,
                                      const char *label_name) {
    alcore__json at = *list;
    const char *label;
    if (!alcore__json_enter(&at, '[')) return ALCORE_OK;
    while (alcore__json_item(&at)) {
        ALCORE__TRY(alcore__tool_member_string(record, &at, label_name, &label));
        ALCORE__TRY(alcore__tool_answer_span(record, alcore__tool_member_number(&at, "start"),
                                             alcore__tool_member_number(&at, "end"), label));
        alcore__json_skip(&at);
    }
    return ALCORE_OK;
}

alcore_status alcore__tool_name_answer(alcore__tool_record *record, int64_t number) {
    enum { BYTES = 24 };
    if (number == 0) return ALCORE_OK;
    char *name = alcore__arena_alloc(record->ctx, &record->strings, BYTES, 1);
    if (!name) return alcore__fail_memory(BYTES);
    alcore__format(name, BYTES, "%" PRId64, number);
    record->answer.annotator = name;
    return ALCORE_OK;
}

bool alcore__tool_answer_given(const alcore__tool_record *record) {
    return record->answer.value || record->labels.length > 0 || record->span_count > 0;
}

/* Brings the offsets of the parts into code points. *out: the first part that is beyond the text,
 * cuts a character, is empty or has no label; -1: none. */
static alcore_status convert_spans(alcore__tool_record *record, int64_t *out) {
    const char *text = record->answer.text;
    const bool same = record->options->span_unit == ALCORE_SPAN_CODE_POINTS;
    *out = -1;
    if (text)
        ALCORE__TRY(alcore__span_text_begin(record->ctx, &record->text, text, strlen(text),
                                            record->options->span_unit));
    for (size_t i = 0; i < record->span_count; i++) {
        alcore_tool_span *span = &record->spans[i];
        if (text) {
            span->begin = alcore__span_text_code_points(&record->text, span->begin);
            span->end = alcore__span_text_code_points(&record->text, span->end);
        } else if (!same) {
            span->begin = -1;
        }
        if (span->begin < 0 || span->end <= span->begin || !span->label || !*span->label) {
            *out = (int64_t)i;
            return ALCORE_OK;
        }
    }
    return ALCORE_OK;
}

/* Makes the value of tags of parts in code points. *out: the first word that parts of different
 * labels are in, from 1; 0: none. tag is the label of the last part, which reaches up to
 * `reach`. */
static alcore_status make_tags(alcore__tool_record *record, int64_t *out) {
    const char *text = record->answer.text, *end = text + strlen(text), *next = text, *at = text;
    const char *word, *tag = NULL;
    size_t bytes, part = 0;
    int64_t points = 0, number = 0, reach = 0;
    record->labels.length = 0;
    *out = 0;
    ALCORE__TRY(alcore__sort(record->ctx, record->spans, record->span_count, sizeof *record->spans,
                             alcore__tool_compare_spans));
    while (alcore__word_next(&next, end, &word, &bytes)) {
        points += alcore__utf8_count(at, (size_t)(word - at));
        const int64_t stop = points + alcore__utf8_count(word, bytes);
        number++;
        for (; part < record->span_count && record->spans[part].begin < stop; part++) {
            const alcore_tool_span *span = &record->spans[part];
            if (span->end <= points) continue;
            if (reach > points && strcmp(tag, span->label) != 0) {
                *out = number;
                return ALCORE_OK;
            }
            tag = span->label;
            if (span->end > reach) reach = span->end;
        }
        ALCORE__TRY(alcore__buffer_format(record->ctx, &record->labels, "%s%s",
                                          number > 1 ? " " : "", reach > points ? tag : "O"));
        points = stop;
        at = word + bytes;
    }
    record->answer.value = number > 0 ? record->labels.data : NULL;
    return ALCORE_OK;
}

/* Makes the value of the parts: spans, or tags. */
static alcore_status use_parts(alcore__tool_record *record) {
    int64_t wrong;
    ALCORE__TRY(convert_spans(record, &wrong));
    if (wrong >= 0 && !record->answer.text && record->options->span_unit != ALCORE_SPAN_CODE_POINTS)
        return alcore__tool_record_refuse(record,
                                          "item %s: without its text, offsets that do not count "
                                          "code points say nothing",
                                          record->answer.id);
    if (wrong >= 0)
        return alcore__tool_record_refuse(record,
                                          "item %s: part %" PRId64
                                          " is beyond the text, cuts a character, is empty or has "
                                          "no label",
                                          record->answer.id, wrong + 1);
    if (record->options->task == ALCORE_TASK_SPANS) {
        record->answer.spans = record->spans;
        record->answer.span_count = (int64_t)record->span_count;
        return alcore__tool_answers_add(record->into, &record->answer);
    }
    if (!record->answer.text)
        return alcore__tool_record_refuse(
            record, "item %s: without its text, parts have no words to be tags of",
            record->answer.id);
    for (size_t i = 0; i < record->span_count; i++)
        if (strpbrk(record->spans[i].label, " \t\r\n"))
            return alcore__tool_record_refuse(record, "item %s: the tag \"%s\" has a space",
                                              record->answer.id, record->spans[i].label);
    ALCORE__TRY(make_tags(record, &wrong));
    if (wrong > 0)
        return alcore__tool_record_refuse(record, "item %s: word %" PRId64 " has two tags",
                                          record->answer.id, wrong);
    return alcore__tool_answers_add(record->into, &record->answer);
}

/* Whether a translation has more than white space. */
static bool has_words(const char *text) {
    return text && text[strspn(text, " \t\r\n")] != '\0';
}

alcore_status alcore__tool_answer_end(alcore__tool_record *record) {
    const int32_t task = record->options->task;
    alcore_tool_answer *answer = &record->answer;
    if (strcmp(answer->status, "ok") != 0 && strcmp(answer->status, "draft") != 0)
        return alcore__tool_answers_add(record->into, answer);
    if (task == ALCORE_TASK_SPANS || task == ALCORE_TASK_TAGS) return use_parts(record);
    if (task == ALCORE_TASK_CLASSES) /* none of the labels is an answer too */
        answer->value = record->labels.length > 0 ? record->labels.data : "";
    else if (!has_words(answer->value))
        return alcore__tool_record_refuse(
            record, "item %s: it is said to be answered, and has no translation", answer->id);
    return alcore__tool_answers_add(record->into, answer);
}
