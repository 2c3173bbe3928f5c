/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of spreadsheets (tool_sheet.h). */
#include "extra/tool/tool_sheet.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "extra/annotation/answer_words.h"

static const char *answer_name(int32_t task) {
    return task == ALCORE_TASK_CLASSES ? "labels"
           : task == ALCORE_TASK_TAGS  ? "tags"
                                       : "translation";
}

/* ---- out ---- */

const char *alcore__sheet_name(int32_t task, int32_t column) {
    static const char *const names[ALCORE__SHEET_COLUMNS] = {[ALCORE__SHEET_ID] = "id",
                                                             [ALCORE__SHEET_TEXT] = "text",
                                                             [ALCORE__SHEET_STATUS] = "status",
                                                             [ALCORE__SHEET_COMMENT] = "comment",
                                                             [ALCORE__SHEET_DRAFT] = "draft",
                                                             [ALCORE__SHEET_CONTEXT] = "context",
                                                             [ALCORE__SHEET_REASON] = "reason",
                                                             [ALCORE__SHEET_GROUP] = "group",
                                                             [ALCORE__SHEET_LANGUAGE] = "language",
                                                             [ALCORE__SHEET_RANK] = "rank",
                                                             [ALCORE__SHEET_SCORE] = "score",
                                                             [ALCORE__SHEET_COST] = "cost"};
    return column == ALCORE__SHEET_ANSWER ? answer_name(task) : names[column];
}

/* Where a label has a |, which separates labels in a cell; NULL: it has none. */
static const char *find_bar(const char *label) {
    return strchr(label, '|');
}

alcore_status alcore__sheet_check_labels(const alcore_tool_options *options) {
    if (options->task != ALCORE_TASK_CLASSES) return ALCORE_OK;
    for (int64_t i = 0; i < options->label_count; i++)
        if (find_bar(options->labels[i]))
            return alcore__fail(ALCORE_E_PARAM, "the label \"%s\" has a |, which separates labels",
                                options->labels[i]);
    return ALCORE_OK;
}

/* Puts a draft of labels into drafts, with | for TABs. */
static alcore_status write_draft(alcore_ctx *ctx, const alcore_tool_items *items, int64_t i,
                                 alcore__buffer *drafts) {
    const char *draft = items->drafts[i];
    if (find_bar(draft))
        return alcore__tool_fail_item(items, i,
                                      "a label of the draft has a |, which separates labels");
    drafts->length = 0;
    ALCORE__TRY(alcore__buffer_append(ctx, drafts, draft, strlen(draft)));
    for (char *tab = drafts->data; (tab = strchr(tab, '\t'));) *tab = '|';
    return ALCORE_OK;
}

static alcore__sheet_cell string_cell(const char *text) {
    return (alcore__sheet_cell){text ? text : "", text ? strlen(text) : 0, (double)NAN};
}

static alcore__sheet_cell number_cell(double number) {
    return (alcore__sheet_cell){NULL, 0, number};
}

alcore_status alcore__sheet_cells(alcore_ctx *ctx, const alcore_tool_items *items, int64_t i,
                                  int32_t task, alcore__buffer *drafts, alcore__sheet_cell *cells) {
    const char *text = items->texts[i], *draft = alcore__tool_entry(items->drafts, i);
    if (draft && task == ALCORE_TASK_CLASSES) {
        ALCORE__TRY(write_draft(ctx, items, i, drafts));
        draft = drafts->data;
    }
    const size_t length = alcore__tool_text_length(items, i);
    cells[ALCORE__SHEET_ID] = string_cell(items->ids[i]);
    cells[ALCORE__SHEET_TEXT] = (alcore__sheet_cell){text, length, (double)NAN};
    cells[ALCORE__SHEET_ANSWER] = cells[ALCORE__SHEET_DRAFT] = string_cell(draft);
    cells[ALCORE__SHEET_STATUS] = string_cell(draft && *draft ? "draft" : NULL);
    cells[ALCORE__SHEET_COMMENT] = string_cell(NULL);
    cells[ALCORE__SHEET_CONTEXT] = string_cell(alcore__tool_entry(items->contexts, i));
    cells[ALCORE__SHEET_REASON] = string_cell(alcore__tool_entry(items->reasons, i));
    cells[ALCORE__SHEET_GROUP] = string_cell(alcore__tool_entry(items->groups, i));
    cells[ALCORE__SHEET_LANGUAGE] = string_cell(alcore__tool_language(items, i));
    cells[ALCORE__SHEET_RANK] = number_cell((double)(i + 1));
    cells[ALCORE__SHEET_SCORE] = number_cell(alcore__tool_number(items->scores, i));
    cells[ALCORE__SHEET_COST] = number_cell(alcore__tool_number(items->costs, i));
    return ALCORE_OK;
}

/* ---- back ---- */

#define SHEET_COLUMNS(answer)                                                                      \
    {                                                                                              \
        [ALCORE__SHEET_READ_ID] = {"id", true, false, false},                                      \
        [ALCORE__SHEET_READ_ANSWER] = {answer, true, false, false},                                \
        [ALCORE__SHEET_READ_TEXT] = {"text|source", false, false, false},                          \
        [ALCORE__SHEET_READ_STATUS] = {"status|flags", false, false, false},                       \
        [ALCORE__SHEET_READ_COMMENT] = {"comment|note", false, false, false},                      \
        [ALCORE__SHEET_READ_DRAFT] = {"draft", false, false, false},                               \
        [ALCORE__SHEET_READ_ANNOTATOR] = {"annotator|translator", false, false, false},            \
        [ALCORE__SHEET_READ_TIME] = {"time", false, false, false},                                 \
        [ALCORE__SHEET_READ_SECONDS] = {"seconds", false, false, false},                           \
    }

const alcore__cell_column *alcore__sheet_columns(int32_t task) {
    static const alcore__cell_column translation[] = SHEET_COLUMNS("translation|target|answer");
    static const alcore__cell_column classes[] = SHEET_COLUMNS("labels|label|answer");
    static const alcore__cell_column tags[] = SHEET_COLUMNS("tags|answer");
    return task == ALCORE_TASK_CLASSES ? classes : task == ALCORE_TASK_TAGS ? tags : translation;
}

static bool is_blank(const char *text) {
    return !text || text[strspn(text, " \t\r\n")] == '\0';
}

/* Puts the cells of a row into self->strings, a NUL behind each, and strings
 * [ALCORE__SHEET_READ_COLUMNS] at them; NULL: the sheet lacks the column, or the cell is blank. */
static alcore_status keep_cells(alcore__sheet *self, const alcore__cell *cells,
                                const char **strings) {
    size_t begin[ALCORE__SHEET_READ_COLUMNS];
    self->strings.length = 0;
    for (int c = 0; c < ALCORE__SHEET_READ_COLUMNS; c++) {
        begin[c] = self->strings.length;
        const size_t length = cells[c].text ? cells[c].length : 0;
        ALCORE__TRY(alcore__buffer_append(self->ctx, &self->strings, cells[c].text, length));
        ALCORE__TRY(alcore__buffer_append(self->ctx, &self->strings, "", 1));
    }
    for (int c = 0; c < ALCORE__SHEET_READ_COLUMNS; c++) {
        strings[c] = self->strings.data + begin[c];
        if (is_blank(strings[c])) strings[c] = NULL;
    }
    return ALCORE_OK;
}

/* The status of an answer whose row means that; NULL: the item is open. */
static const char *status_of(alcore__answer_meaning meaning, const char *const *strings) {
    const char *answer = strings[ALCORE__SHEET_READ_ANSWER];
    const char *draft = strings[ALCORE__SHEET_READ_DRAFT];
    const char *word = strings[ALCORE__SHEET_READ_STATUS];
    const char *refusal = alcore__answer_refusal(meaning);
    if (refusal) return refusal;
    if (meaning != ALCORE__MEANS_PENDING) return answer || word ? "ok" : NULL;
    if (!answer) return NULL;
    /* The word that went out with the draft says nothing about a text that is another one. */
    return word && strcmp(word, "draft") == 0 && draft && strcmp(draft, answer) != 0 ? "ok"
                                                                                     : "draft";
}

/* Adds the answer of strings [ALCORE__SHEET_READ_COLUMNS], of which there is an id. */
static alcore_status add_answer(alcore__sheet *self, const char *const *strings, int64_t line) {
    alcore_tool_answer answer = {.id = strings[ALCORE__SHEET_READ_ID],
                                 .text = strings[ALCORE__SHEET_READ_TEXT],
                                 .annotator = strings[ALCORE__SHEET_READ_ANNOTATOR],
                                 .time = strings[ALCORE__SHEET_READ_TIME],
                                 .comment = strings[ALCORE__SHEET_READ_COMMENT],
                                 .seconds = (double)NAN,
                                 .line = line};
    const char *word = strings[ALCORE__SHEET_READ_STATUS];
    const char *seconds = strings[ALCORE__SHEET_READ_SECONDS];
    const char *value = strings[ALCORE__SHEET_READ_ANSWER];
    alcore__answer_meaning meaning = ALCORE__MEANS_ANSWER;
    if (word && !alcore__answer_word(word, strlen(word), &meaning))
        return alcore__tool_answers_refuse(self->into, line,
                                           "\"%s\" is no status that is known; ok, draft, skip, "
                                           "reject, untranslatable and others are",
                                           word);
    if (seconds && !alcore__parse_double(seconds, strlen(seconds), &answer.seconds))
        return alcore__tool_answers_refuse(self->into, line, "the seconds are no number");
    answer.status = status_of(meaning, strings);
    if (!answer.status) return ALCORE_OK;
    if (!value && strcmp(answer.status, "ok") == 0 && self->task != ALCORE_TASK_CLASSES)
        return alcore__tool_answers_refuse(self->into, line, "the status is %s, but there is no %s",
                                           word, answer_name(self->task));
    answer.value = value ? value : "";
    return alcore__tool_answers_add(self->into, &answer);
}

alcore_status alcore__sheet_read_row(alcore__sheet *self, const alcore__cell *cells, int64_t line) {
    const char *strings[ALCORE__SHEET_READ_COLUMNS];
    bool blank = true;
    ALCORE__TRY(keep_cells(self, cells, strings));
    for (int c = 0; c < ALCORE__SHEET_READ_COLUMNS; c++) blank = blank && !strings[c];
    if (blank) return ALCORE_OK;
    if (!strings[ALCORE__SHEET_READ_ID])
        return alcore__tool_answers_refuse(self->into, line, "there is no id");
    if (self->task == ALCORE_TASK_CLASSES && strings[ALCORE__SHEET_READ_ANSWER]) {
        char *labels =
            self->strings.data + (strings[ALCORE__SHEET_READ_ANSWER] - self->strings.data);
        for (; (labels = strchr(labels, '|')); labels++) *labels = '\t';
        /* The draft is compared with it. */
        const char *draft = strings[ALCORE__SHEET_READ_DRAFT];
        char *other = draft ? self->strings.data + (draft - self->strings.data) : NULL;
        for (; other && (other = strchr(other, '|')); other++) *other = '\t';
    }
    return add_answer(self, strings, line);
}
