/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of a tool's file to the items of annotations (alcore_tool_read_answers()). They are
 * collected as those of a table are (answer_book.h). */
#include <string.h>

#include "alcore/extra/tool.h"
#include "extra/annotation/answer_book.h"
#include "extra/tool/tool_annotations.h"

/* The items by the ids that tools have for them; several items may have one, such as a sentence
 * that was selected twice. */
typedef struct replies {
    alcore_annotations *annotations;
    alcore_ctx *ctx;
    alcore__answer_book book;
    alcore__vocabulary ids;
    int64_t *first; /* [ids] an item with the id */
    int64_t *next;  /* [items] another one with the same id; -1: there is none */
    alcore__buffer id;
} replies;

static alcore_status index_items(replies *self) {
    const size_t count = (size_t)self->annotations->count;
    ALCORE__TRY(alcore__new_array(self->ctx, count, sizeof *self->first, &self->first));
    ALCORE__TRY(alcore__new_array(self->ctx, count, sizeof *self->next, &self->next));
    for (size_t i = 0; i < count; i++) {
        const uint32_t known = self->ids.count;
        uint32_t number;
        ALCORE__TRY(alcore__tool_item_id(self->ctx, &self->annotations->items[i], &self->id));
        ALCORE__TRY(
            alcore__vocabulary_add(self->ctx, &self->ids, self->id.data, self->id.length, &number));
        self->next[i] = number < known ? self->first[number] : -1;
        self->first[number] = (int64_t)i;
    }
    return ALCORE_OK;
}

/* Notes an answer for each item of its id. ALCORE_E_DATA: it cannot be used. */
static alcore_status add_answer(replies *self, const alcore_tool_answer *answer) {
    const size_t length = strlen(answer->id);
    const uint32_t number = alcore__vocabulary_find(&self->ids, answer->id, length);
    const alcore__answer_text value = {answer->value, answer->value ? strlen(answer->value) : 0};
    alcore__answer_meaning meaning;
    if (number == ALCORE__WORD_NONE)
        return alcore__answers_fail(&self->book, answer->line,
                                    "no selected item has the id \"%.*s\"",
                                    alcore__answer_shown(length), answer->id);
    if (!alcore__answer_word(answer->status, strlen(answer->status), &meaning))
        return alcore__answers_fail(&self->book, answer->line, "the status \"%.40s\" is not known",
                                    answer->status);
    for (int64_t i = self->first[number]; i >= 0; i = self->next[i]) {
        const alcore__answer_text text = {answer->text, answer->text ? strlen(answer->text) : 0};
        if (text.text)
            ALCORE__TRY(alcore__answers_check_text(&self->book, answer->line, text,
                                                   &self->annotations->items[i]));
        ALCORE__TRY(alcore__answers_note(&self->book, answer->line, self->book.key_of_item[i],
                                         value, meaning));
    }
    return ALCORE_OK;
}

/* Reports the records that the form could not use: lines "FILE:LINE: REASON". */
static alcore_status note_unusable(replies *self, const char *messages) {
    for (size_t length; *messages; messages += length + (messages[length] == '\n')) {
        length = strcspn(messages, "\n");
        (void)alcore__fail(ALCORE_E_DATA, "%.*s", (int)(length < 600 ? length : 600), messages);
        ALCORE__TRY(alcore__answers_note_fault(&self->book));
    }
    return ALCORE_OK;
}

static alcore_status add_answers(replies *self, const alcore_tool_answers *answers) {
    const int64_t count = alcore_tool_answers_count(answers);
    ALCORE__TRY(index_items(self));
    ALCORE__TRY(note_unusable(self, alcore_tool_answers_messages(answers)));
    self->book.report.lines = count;
    for (int64_t i = 0; i < count; i++) {
        alcore_tool_answer answer = ALCORE_TOOL_ANSWER_INIT;
        ALCORE__TRY(alcore_tool_answers_get(answers, i, &answer));
        const alcore_status status = add_answer(self, &answer);
        ALCORE__TRY(status == ALCORE_E_DATA ? alcore__answers_note_fault(&self->book) : status);
    }
    return ALCORE_OK;
}

/* Between locks. A file in which nobody has answered yet is none that cannot be used. */
static alcore_status read_answers(alcore_annotations *annotations, const char *tool,
                                  const char *path, const alcore_tool_options *options) {
    replies self = {.annotations = annotations, .ctx = annotations->object.ctx};
    alcore_tool_answers *answers;
    ALCORE__TRY(alcore_tool_read(self.ctx, tool, path, options, &answers));
    alcore_status status = alcore__answers_begin(&self.book, annotations, path);
    if (status == ALCORE_OK) status = add_answers(&self, answers);
    status = alcore__answers_end(&self.book, status, self.book.report.unusable > 0);
    alcore__vocabulary_clear(self.ctx, &self.ids);
    alcore__free(self.ctx, self.first);
    alcore__free(self.ctx, self.next);
    alcore__buffer_clear(self.ctx, &self.id);
    alcore_tool_answers_unref(answers);
    return status;
}

alcore_status alcore_tool_read_answers(alcore_annotations *annotations, const char *tool,
                                       const char *path, const alcore_tool_options *options) {
    if (!annotations || !tool || !path)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_tool_read_answers: annotations, tool and path are needed");
    ALCORE__TRY(alcore__enter_long(annotations->object.ctx));
    alcore_status status = alcore__write_begin(annotations, "annotations");
    if (status == ALCORE_OK) {
        status = read_answers(annotations, tool, path, options);
        alcore__write_end(annotations);
    }
    return alcore__leave(annotations->object.ctx, status);
}
