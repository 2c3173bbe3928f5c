/* SPDX-License-Identifier: Apache-2.0 */
/* What annotations are read from: selections and dictionaries (alcore/extra/annotation.h); answers
 * are in answer_file.c. Each reading checks the whole file before the annotations change. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "extra/annotation/annotation_list.h"
#include "extra/annotation/cell_reader.h"
#include "extra/annotation/phrase_finder.h"

/* What the three public calls share: locks, the path, one of the readings below. */
alcore_status alcore__annotations_read(alcore_annotations *annotations, const char *path,
                                       const char *function,
                                       alcore_status (*read)(alcore_annotations *, const char *)) {
    if (!annotations || !path)
        return alcore__fail(ALCORE_E_INVALID, "%s: annotations and path are needed", function);
    ALCORE__TRY(alcore__enter_long(annotations->object.ctx));
    alcore_status status = alcore__write_begin(annotations, "annotations");
    if (status == ALCORE_OK) {
        status = alcore__read_begin(annotations->pool, "pool");
        if (status == ALCORE_OK) {
            status = read(annotations, path);
            alcore__read_end(annotations->pool);
        }
        alcore__write_end(annotations);
    }
    return alcore__leave(annotations->object.ctx, status);
}

/* Puts file and line in front of the error, which becomes ALCORE_E_DATA, when the status is about
 * one item; else (such as out of memory) returns it as it is. */
static alcore_status at_line(const alcore__line_reader *lines, alcore_status status) {
    if (status != ALCORE_E_DATA && status != ALCORE_E_PARAM && status != ALCORE_E_NOT_FOUND)
        return status;
    return alcore__fail_within(ALCORE_E_DATA, "%s:%lld", lines->path, (long long)lines->line);
}

/* ---- selections ---- */

enum {
    SELECTED_ID,
    SELECTED_TEXT,
    SELECTED_KIND,
    SELECTED_COST,
    SELECTED_INDEX,
    SELECTED_OCC,
    SELECTED_SCORE,
    SELECTED_REASON
};
static const alcore__cell_column selected_columns[] = {
    [SELECTED_ID] = {"id", false, false, false},
    [SELECTED_TEXT] = {"text|source|phrase", true, false, false},
    [SELECTED_KIND] = {"kind", false, false, false},
    [SELECTED_COST] = {"cost", false, false, false},
    [SELECTED_INDEX] = {"index|first_index", false, false, false},
    [SELECTED_OCC] = {"occ", false, false, false},
    [SELECTED_SCORE] = {"score", false, false, false},
    [SELECTED_REASON] = {"reason", false, false, false},
};
enum { SELECTED_COLUMNS = sizeof selected_columns / sizeof *selected_columns };

/* The row that is a sentence: the one with its id, else that of its index. */
static alcore_status find_sentence(const alcore_annotations *self, const alcore__cell *id,
                                   alcore__annotation_input *input) {
    if (id->text) ALCORE__TRY(alcore_pool_find(self->pool, id->text, id->length, &input->row));
    if (input->row >= 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_NOT_FOUND, "the pool has no row %" PRId64, input->row);
}

/* Appends the item of one line of a selection, cells [SELECTED_COLUMNS]. Only phrases have a column
 * occ, which tells the kind where there is no column for it. */
static alcore_status add_selected(alcore_annotations *self, const alcore__cell *cells) {
    const alcore__cell *cost = &cells[SELECTED_COST], *index = &cells[SELECTED_INDEX];
    const alcore__cell *kind = &cells[SELECTED_KIND];
    char number[24];
    alcore__annotation_input input = {.text = cells[SELECTED_TEXT].text,
                                      .text_length = cells[SELECTED_TEXT].length,
                                      .row = -1,
                                      .cost = NAN,
                                      .score = NAN,
                                      .reason = cells[SELECTED_REASON].text,
                                      .reason_length = cells[SELECTED_REASON].length,
                                      .phrase = cells[SELECTED_OCC].text};
    if (kind->text) ALCORE__TRY(alcore__annotation_kind(kind->text, kind->length, &input.phrase));
    if (cost->length > 0 && !alcore__parse_double(cost->text, cost->length, &input.cost))
        return alcore__fail(ALCORE_E_DATA, "the cost is no number");
    const alcore__cell *score = &cells[SELECTED_SCORE]; /* for people to read: it may be none */
    if (score->length > 0 && !alcore__parse_double(score->text, score->length, &input.score))
        input.score = NAN;
    if (index->length > 0 && !alcore__parse_int(index->text, index->length, &input.row))
        return alcore__fail(ALCORE_E_DATA, "the index is no integer");
    if (!input.phrase) ALCORE__TRY(find_sentence(self, &cells[SELECTED_ID], &input));
    snprintf(number, sizeof number, "%" PRId64, self->count + 1);
    input.id = cells[SELECTED_ID].text ? cells[SELECTED_ID].text : number;
    input.id_length = cells[SELECTED_ID].text ? cells[SELECTED_ID].length : strlen(number);
    return alcore__annotations_append(self, &input);
}

/* alcore__cell_sink of a selection. */
static alcore_status take_selected(void *user, const alcore__line_reader *lines,
                                   const alcore__cell *cells) {
    return at_line(lines, add_selected(user, cells));
}

/* Appends all items of a selection; after a failure the list has those of before. */
static alcore_status read_selection(alcore_annotations *self, const char *path) {
    const int64_t before = self->count;
    const alcore_status status =
        alcore__cells_read(self->object.ctx, path, selected_columns, SELECTED_COLUMNS,
                           0 /* the header is needed */, take_selected, self);
    if (status != ALCORE_OK) self->count = before;
    return status;
}

alcore_status alcore_annotations_read_selection(alcore_annotations *annotations, const char *path) {
    return alcore__annotations_read(annotations, path, "alcore_annotations_read_selection",
                                    read_selection);
}

/* ---- dictionaries ---- */

enum { ENTRY_SOURCE, ENTRY_TRANSLATION, ENTRY_COLUMNS };
static const alcore__cell_column entry_columns[] = {
    [ENTRY_SOURCE] = {"source|text|phrase", true, false, false},
    [ENTRY_TRANSLATION] = {"translation|target", true, false, false},
};

/* One reading of a dictionary. Items are compared by their words; equal ones share a number. A
 * vocabulary and no phrase finder numbers them, as sentences have more words than a finder holds.
 */
typedef struct look_up {
    alcore_annotations *annotations;
    alcore__vocabulary texts;    /* words of the open items, with single spaces */
    uint32_t *text_of_item;      /* [items] number in texts; ALCORE__WORD_NONE: answered before */
    alcore__given_answer *given; /* [texts] */
    alcore__word_row row;        /* workspace */
} look_up;

/* alcore__cell_sink of a dictionary: of several entries for a text the first one counts. */
static alcore_status take_entry(void *user, const alcore__line_reader *lines,
                                const alcore__cell *cells) {
    look_up *self = user;
    alcore_annotations *annotations = self->annotations;
    const alcore__cell *source = &cells[ENTRY_SOURCE], *translation = &cells[ENTRY_TRANSLATION];
    ALCORE__TRY(
        alcore__word_row_read(annotations->object.ctx, &self->row, source->text, source->length));
    if (self->row.count == 0) return alcore__lines_fail(lines, "the source has no word");
    if (alcore__count_words(translation->text, translation->length) == 0)
        return alcore__lines_fail(lines, "the translation is empty");
    const uint32_t text =
        alcore__vocabulary_find(&self->texts, self->row.joined.data, self->row.joined.length);
    if (text == ALCORE__WORD_NONE || self->given[text].answer == ALCORE__ANSWER_OK)
        return ALCORE_OK;
    const char *kept =
        alcore__annotations_keep(annotations, translation->text, translation->length);
    if (!kept) return alcore__fail_memory(translation->length);
    self->given[text] = (alcore__given_answer){ALCORE__ANSWER_OK, kept, translation->length};
    return ALCORE_OK;
}

/* Numbers the texts of the open items; each is untranslatable until the dictionary has it. */
static alcore_status index_texts(look_up *self) {
    const alcore_annotations *annotations = self->annotations;
    alcore_ctx *ctx = annotations->object.ctx;
    const size_t count = (size_t)annotations->count;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->text_of_item, &self->text_of_item));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->given, &self->given));
    for (size_t i = 0; i < count; i++) {
        const alcore__annotation *item = &annotations->items[i];
        self->text_of_item[i] = ALCORE__WORD_NONE;
        self->given[i].answer = ALCORE__ANSWER_UNTRANSLATABLE;
        if (item->answer != ALCORE__ANSWER_OPEN) continue;
        ALCORE__TRY(alcore__word_row_read(ctx, &self->row, item->text, item->text_length));
        ALCORE__TRY(alcore__vocabulary_add(ctx, &self->texts, self->row.joined.data,
                                           self->row.joined.length, &self->text_of_item[i]));
    }
    return ALCORE_OK;
}

/* Passes what was found for texts on to the items that were open. */
static alcore_status commit_entries(const look_up *self) {
    alcore_annotations *annotations = self->annotations;
    alcore__given_answer *answers; /* [items] */
    ALCORE__TRY(alcore__new_array(annotations->object.ctx, (size_t)annotations->count,
                                  sizeof *answers, &answers));
    for (int64_t i = 0; i < annotations->count; i++)
        if (self->text_of_item[i] != ALCORE__WORD_NONE)
            answers[i] = self->given[self->text_of_item[i]];
    alcore__annotations_commit(annotations, answers);
    alcore__free(annotations->object.ctx, answers);
    return ALCORE_OK;
}

/* Reads a dictionary; items change only when all of it was read. */
static alcore_status read_dictionary(alcore_annotations *annotations, const char *path) {
    alcore_ctx *ctx = annotations->object.ctx;
    look_up self = {.annotations = annotations};
    alcore_status status = index_texts(&self);
    if (status == ALCORE_OK)
        status = alcore__cells_read(ctx, path, entry_columns, ENTRY_COLUMNS, ENTRY_COLUMNS,
                                    take_entry, &self);
    if (status == ALCORE_OK) status = commit_entries(&self);
    alcore__vocabulary_clear(ctx, &self.texts);
    alcore__free(ctx, self.text_of_item);
    alcore__free(ctx, self.given);
    alcore__word_row_clear(ctx, &self.row);
    return status;
}

alcore_status alcore_annotations_look_up(alcore_annotations *annotations, const char *path) {
    return alcore__annotations_read(annotations, path, "alcore_annotations_look_up",
                                    read_dictionary);
}
