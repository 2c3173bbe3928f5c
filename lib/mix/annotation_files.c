/* SPDX-License-Identifier: Apache-2.0 */
/* What annotations are read from: selections, answers and dictionaries (alcore/annotation.h). Each
 * reading checks the whole file before the annotations change. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "mix/annotation_list.h"
#include "mix/cell_reader.h"
#include "mix/phrase_finder.h"

/* What the three public calls share: locks, the path, one of the readings below. */
static alcore_status run(alcore_annotations *annotations, const char *path, const char *function,
                         alcore_status (*read)(alcore_annotations *, const char *)) {
    if (!annotations || !path)
        return alcore__fail(ALCORE_E_INVALID, "%s: annotations and path are needed", function);
    ALCORE__TRY(alcore__enter(annotations->object.ctx));
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

enum { SELECTED_ID, SELECTED_TEXT, SELECTED_KIND, SELECTED_COST, SELECTED_INDEX, SELECTED_OCC };
static const alcore__cell_column selected_columns[] = {
    [SELECTED_ID] = {"id", false},
    [SELECTED_TEXT] = {"text|source|phrase", true},
    [SELECTED_KIND] = {"kind", false},
    [SELECTED_COST] = {"cost", false},
    [SELECTED_INDEX] = {"index|first_index", false},
    [SELECTED_OCC] = {"occ", false},
};
enum { SELECTED_COLUMNS = sizeof selected_columns / sizeof *selected_columns };

/* The row that is a sentence: the one with its id, else that of its index; its text has to be that
 * of the item. */
static alcore_status find_sentence(const alcore_annotations *self, const alcore__cell *id,
                                   alcore__annotation_input *input) {
    size_t length;
    if (id->text) ALCORE__TRY(alcore_pool_find(self->pool, id->text, id->length, &input->row));
    const char *text = alcore_pool_text(self->pool, input->row, &length);
    if (!text) return alcore__fail(ALCORE_E_NOT_FOUND, "the pool has no row %" PRId64, input->row);
    if (length == input->text_length && memcmp(text, input->text, length) == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "the text is not that of row %" PRId64 ": the selection was made from "
                        "another pool",
                        input->row);
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
                                      .phrase = cells[SELECTED_OCC].text};
    if (kind->text) ALCORE__TRY(alcore__annotation_kind(kind->text, kind->length, &input.phrase));
    if (cost->length > 0 && !alcore__parse_double(cost->text, cost->length, &input.cost))
        return alcore__fail(ALCORE_E_DATA, "the cost is no number");
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
    return run(annotations, path, "alcore_annotations_read_selection", read_selection);
}

/* ---- answers ---- */

enum { ANSWER_ID, ANSWER_TEXT, ANSWER_TRANSLATION, ANSWER_STATUS, ANSWER_FLAGS };
static const alcore__cell_column answer_columns[] = {
    [ANSWER_ID] = {"id|req_id", true},
    [ANSWER_TEXT] = {"text|source|phrase", false},
    [ANSWER_TRANSLATION] = {"translation|target", true},
    [ANSWER_STATUS] = {"status", false},
    [ANSWER_FLAGS] = {"flags", false},
};
enum {
    ANSWER_COLUMNS = sizeof answer_columns / sizeof *answer_columns,
    ANSWER_FIELDS = ANSWER_TRANSLATION + 1 /* of a line of a file without a header */
};

/* One reading of answers. A key is a pair of an id and a text; items with the same key, such as
 * repeated sentences, share their answer. */
typedef struct answer_reading {
    alcore_annotations *annotations;
    alcore__vocabulary keys;     /* "id TAB text" of the items */
    alcore__vocabulary ids;      /* ids of the items */
    uint32_t *key_of_item;       /* [items] number in keys */
    uint32_t *key_of_id;         /* [ids] number in keys; ALCORE__WORD_NONE where several keys have
                                  * the id */
    alcore__given_answer *given; /* [keys] what the file answers; OPEN: nothing so far */
    alcore__buffer key;          /* workspace: the key that write_key() made */
} answer_reading;

/* Sets self->key to "id TAB text". */
static alcore_status write_key(answer_reading *self, const char *id, size_t id_length,
                               const char *text, size_t text_length) {
    alcore_ctx *ctx = self->annotations->object.ctx;
    self->key.length = 0;
    ALCORE__TRY(alcore__buffer_append(ctx, &self->key, id, id_length));
    ALCORE__TRY(alcore__buffer_append(ctx, &self->key, "\t", 1));
    return alcore__buffer_append(ctx, &self->key, text, text_length);
}

/* Makes the keys of all items. There are at most as many keys and ids as items. */
static alcore_status index_items(answer_reading *self) {
    const alcore_annotations *annotations = self->annotations;
    alcore_ctx *ctx = annotations->object.ctx;
    const size_t count = (size_t)annotations->count;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->key_of_item, &self->key_of_item));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->key_of_id, &self->key_of_id));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->given, &self->given));
    for (size_t i = 0; i < count; i++) {
        const alcore__annotation *item = &annotations->items[i];
        const size_t id_length = strlen(item->id);
        const uint32_t known = self->ids.count;
        uint32_t id;
        ALCORE__TRY(write_key(self, item->id, id_length, item->text, item->text_length));
        ALCORE__TRY(alcore__vocabulary_add(ctx, &self->keys, self->key.data, self->key.length,
                                           &self->key_of_item[i]));
        ALCORE__TRY(alcore__vocabulary_add(ctx, &self->ids, item->id, id_length, &id));
        if (id == known)
            self->key_of_id[id] = self->key_of_item[i];
        else if (self->key_of_id[id] != self->key_of_item[i])
            self->key_of_id[id] = ALCORE__WORD_NONE;
        /* An item with an answer refuses another one: its key counts as answered. */
        if (item->answer != ALCORE__ANSWER_OPEN)
            self->given[self->key_of_item[i]].answer = item->answer;
    }
    return ALCORE_OK;
}

/* *out: the key of the item that a line answers. */
static alcore_status find_key(answer_reading *self, const alcore__line_reader *lines,
                              const alcore__cell *id, const alcore__cell *text, uint32_t *out) {
    const int shown = (int)(id->length < 40 ? id->length : 40);
    const uint32_t number = alcore__vocabulary_find(&self->ids, id->text, id->length);
    if (number == ALCORE__WORD_NONE)
        return alcore__lines_fail(lines, "no selected item has the id \"%.*s\"", shown, id->text);
    if (!text->text) {
        *out = self->key_of_id[number];
        if (*out != ALCORE__WORD_NONE) return ALCORE_OK;
        return alcore__lines_fail(
            lines, "several items have the id \"%.*s\": a column text has to tell them apart",
            shown, id->text);
    }
    ALCORE__TRY(write_key(self, id->text, id->length, text->text, text->length));
    *out = alcore__vocabulary_find(&self->keys, self->key.data, self->key.length);
    if (*out != ALCORE__WORD_NONE) return ALCORE_OK;
    return alcore__lines_fail(lines, "the text is not that of the item with the id \"%.*s\"", shown,
                              id->text);
}

/* Whether a cell is there and holds just this word. */
static bool is_word(const alcore__cell *cell, const char *word) {
    return cell->text && cell->length == strlen(word) &&
           memcmp(cell->text, word, cell->length) == 0;
}

/* *out: what status and flags of a line say, ALCORE__ANSWER_OK where both are absent or empty. */
static alcore_status read_answer(const alcore__line_reader *lines, const alcore__cell *status,
                                 const alcore__cell *flags, alcore__answer *out) {
    *out = ALCORE__ANSWER_OK;
    if (is_word(status, "skip") || is_word(status, "bad") || is_word(flags, "untranslatable"))
        *out = ALCORE__ANSWER_UNTRANSLATABLE;
    else if (is_word(flags, "loose"))
        *out = ALCORE__ANSWER_LOOSE;
    else if (flags->length > 0)
        return alcore__lines_fail(lines,
                                  "the flags are \"%.*s\"; loose, untranslatable or nothing "
                                  "is expected",
                                  (int)(flags->length < 40 ? flags->length : 40), flags->text);
    if (status->length > 0 && !is_word(status, "ok") && !is_word(status, "skip") &&
        !is_word(status, "bad"))
        return alcore__lines_fail(lines, "the status is \"%.*s\"; ok, skip or bad is expected",
                                  (int)(status->length < 40 ? status->length : 40), status->text);
    return ALCORE_OK;
}

/* alcore__cell_sink of answers: notes the answer of a line for its key. A second answer to a key is
 * an error, also to one that was answered before the call. */
static alcore_status take_answer(void *user, const alcore__line_reader *lines,
                                 const alcore__cell *cells) {
    answer_reading *self = user;
    const alcore__cell *translation = &cells[ANSWER_TRANSLATION];
    uint32_t key;
    alcore__answer answer;
    ALCORE__TRY(find_key(self, lines, &cells[ANSWER_ID], &cells[ANSWER_TEXT], &key));
    ALCORE__TRY(read_answer(lines, &cells[ANSWER_STATUS], &cells[ANSWER_FLAGS], &answer));
    if (self->given[key].answer != ALCORE__ANSWER_OPEN)
        return alcore__lines_fail(
            lines, "the item with the id \"%.*s\" is answered already",
            (int)(cells[ANSWER_ID].length < 40 ? cells[ANSWER_ID].length : 40),
            cells[ANSWER_ID].text);
    const bool has_words = alcore__count_words(translation->text, translation->length) > 0;
    if (answer == ALCORE__ANSWER_UNTRANSLATABLE && has_words)
        return alcore__lines_fail(lines, "an item without a translation has one");
    if (answer != ALCORE__ANSWER_UNTRANSLATABLE && !has_words)
        return alcore__lines_fail(lines, "the translation is empty");
    alcore__given_answer *given = &self->given[key];
    if (has_words) {
        given->translation =
            alcore__annotations_keep(self->annotations, translation->text, translation->length);
        if (!given->translation) return alcore__fail_memory(translation->length);
        given->length = translation->length;
    }
    given->answer = answer;
    return ALCORE_OK;
}

/* Passes what was given to keys on to the items, but for those that had an answer before. */
static alcore_status commit_keys(const answer_reading *self) {
    alcore_annotations *annotations = self->annotations;
    alcore__given_answer *answers; /* [items] */
    ALCORE__TRY(alcore__new_array(annotations->object.ctx, (size_t)annotations->count,
                                  sizeof *answers, &answers));
    for (int64_t i = 0; i < annotations->count; i++)
        if (annotations->items[i].answer == ALCORE__ANSWER_OPEN)
            answers[i] = self->given[self->key_of_item[i]];
    alcore__annotations_commit(annotations, answers);
    alcore__free(annotations->object.ctx, answers);
    return ALCORE_OK;
}

/* Reads a file of answers; items change only when all of it was read. */
static alcore_status read_answers(alcore_annotations *annotations, const char *path) {
    alcore_ctx *ctx = annotations->object.ctx;
    answer_reading self = {.annotations = annotations};
    alcore_status status = index_items(&self);
    if (status == ALCORE_OK)
        status = alcore__cells_read(ctx, path, answer_columns, ANSWER_COLUMNS, ANSWER_FIELDS,
                                    take_answer, &self);
    if (status == ALCORE_OK) status = commit_keys(&self);
    alcore__vocabulary_clear(ctx, &self.keys);
    alcore__vocabulary_clear(ctx, &self.ids);
    alcore__free(ctx, self.key_of_item);
    alcore__free(ctx, self.key_of_id);
    alcore__free(ctx, self.given);
    alcore__buffer_clear(ctx, &self.key);
    return status;
}

alcore_status alcore_annotations_read_answers(alcore_annotations *annotations, const char *path) {
    return run(annotations, path, "alcore_annotations_read_answers", read_answers);
}

/* ---- dictionaries ---- */

enum { ENTRY_SOURCE, ENTRY_TRANSLATION, ENTRY_COLUMNS };
static const alcore__cell_column entry_columns[] = {
    [ENTRY_SOURCE] = {"source|text|phrase", true},
    [ENTRY_TRANSLATION] = {"translation|target", true},
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
    return run(annotations, path, "alcore_annotations_look_up", read_dictionary);
}
