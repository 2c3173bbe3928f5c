/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of people (alcore_annotations_read_answers(), docs/spec/loop.md 9.4). The lines of a file
 * apply one by one: a line that cannot be used is reported and the others count. All of the file is
 * read before the annotations change.
 *
 * A key is a pair of an id and a text; items with the same key, such as repeated sentences, share
 * their answer. What the lines of a file say of a key:
 *
 *   nothing       it stays as it is; a blank translation and a draft say nothing
 *   an answer     a translation, or one of the states without one; it replaces an earlier file's
 *   two answers   that differ: neither counts, but for a translation that ends a skip
 */
#include <inttypes.h>
#include <string.h>

#include "extra/annotation/annotation_list.h"
#include "extra/annotation/answer_words.h"
#include "extra/annotation/cell_reader.h"
#include "text/vocabulary.h"
#include "text/words.h"

enum {
    COLUMN_ID,
    COLUMN_TEXT,
    COLUMN_TRANSLATION,
    COLUMN_STATUS,
    COLUMN_ANSWER,
    COLUMN_STATE,
    COLUMN_CANCELLED,
    COLUMN_FLAGS
};
static const alcore__cell_column columns[] = {
    [COLUMN_ID] = {"id|req_id", true, false, false},
    [COLUMN_TEXT] = {"text|source|phrase", false, false, false},
    [COLUMN_TRANSLATION] = {"translation|target", true, false, true},
    [COLUMN_STATUS] = {"status", false, false, false},
    [COLUMN_ANSWER] = {"answer", false, false, false},
    [COLUMN_STATE] = {"state", false, false, false},
    [COLUMN_CANCELLED] = {"was_cancelled|cancelled|skipped", false, true, false},
    [COLUMN_FLAGS] = {"flags", false, false, false},
};
enum {
    COLUMNS = sizeof columns / sizeof *columns,
    PLAIN_FIELDS = COLUMN_TRANSLATION + 1, /* of a line of a file without a header */
    SHOWN = 60,                            /* bytes of a text in a message */
    LOGGED = 10                            /* lines that are logged of each file */
};

/* What a file says of a key. */
typedef struct key_answer {
    alcore__given_answer given; /* OPEN: nothing so far */
    int64_t line;               /* of the file, that said it */
    bool blank;                 /* a line was blank, or a draft */
    bool conflict;              /* lines differ: nothing of them counts */
} key_answer;

/* One reading of answers. */
typedef struct answer_reading {
    alcore_annotations *annotations;
    const char *path;
    alcore__vocabulary keys; /* "id TAB text" of the items */
    alcore__vocabulary ids;  /* ids of the items */
    uint32_t *key_of_item;   /* [items] number in keys */
    uint32_t *key_of_id;     /* [ids] number in keys; ALCORE__WORD_NONE where several keys have the
                              * id */
    int64_t *item_of_key;    /* [keys] the first item with it */
    key_answer *answers;     /* [keys] */
    alcore__buffer key;      /* workspace: the key that write_key() made */
    alcore__buffer messages; /* a line for each that was not used, or that corrects another */
    int64_t logged;
    alcore_answer_report report;
} answer_reading;

/* ---- the items ---- */

/* Sets self->key to "id TAB text". */
static alcore_status write_key(answer_reading *self, const char *id, size_t id_length,
                               const char *text, size_t text_length) {
    alcore_ctx *ctx = self->annotations->object.ctx;
    self->key.length = 0;
    ALCORE__TRY(alcore__buffer_append(ctx, &self->key, id, id_length));
    ALCORE__TRY(alcore__buffer_append(ctx, &self->key, "\t", 1));
    return alcore__buffer_append(ctx, &self->key, text, text_length);
}

/* Makes the key of an item. */
static alcore_status index_item(answer_reading *self, size_t i) {
    const alcore__annotation *item = &self->annotations->items[i];
    alcore_ctx *ctx = self->annotations->object.ctx;
    const size_t id_length = strlen(item->id);
    const uint32_t known = self->ids.count, known_keys = self->keys.count;
    uint32_t id, key;
    ALCORE__TRY(write_key(self, item->id, id_length, item->text, item->text_length));
    ALCORE__TRY(alcore__vocabulary_add(ctx, &self->keys, self->key.data, self->key.length, &key));
    ALCORE__TRY(alcore__vocabulary_add(ctx, &self->ids, item->id, id_length, &id));
    self->key_of_item[i] = key;
    if (key == known_keys) self->item_of_key[key] = (int64_t)i;
    if (id == known)
        self->key_of_id[id] = key;
    else if (self->key_of_id[id] != key)
        self->key_of_id[id] = ALCORE__WORD_NONE;
    return ALCORE_OK;
}

/* Makes the keys of all items. There are at most as many keys and ids as items. */
static alcore_status index_items(answer_reading *self) {
    alcore_ctx *ctx = self->annotations->object.ctx;
    const size_t count = (size_t)self->annotations->count;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->key_of_item, &self->key_of_item));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->key_of_id, &self->key_of_id));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->item_of_key, &self->item_of_key));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->answers, &self->answers));
    for (size_t i = 0; i < count; i++) ALCORE__TRY(index_item(self, i));
    return ALCORE_OK;
}

/* Whether two texts have the same words, whatever is between them: spreadsheets trim cells. */
static bool same_words(const char *a, size_t a_length, const char *b, size_t b_length) {
    const char *a_end = a + a_length, *b_end = b + b_length, *a_word, *b_word;
    size_t a_bytes, b_bytes;
    for (;;) {
        const bool more = alcore__word_next(&a, a_end, &a_word, &a_bytes);
        if (alcore__word_next(&b, b_end, &b_word, &b_bytes) != more) return false;
        if (!more) return true;
        if (a_bytes != b_bytes || memcmp(a_word, b_word, a_bytes) != 0) return false;
    }
}

static int shown(size_t length) {
    return (int)(length < SHOWN ? length : SHOWN);
}

/* *out: the key of the item that a line answers. */
static alcore_status find_key(answer_reading *self, const alcore__line_reader *lines,
                              const alcore__cell *id, const alcore__cell *text, uint32_t *out) {
    const uint32_t number = alcore__vocabulary_find(&self->ids, id->text, id->length);
    if (number == ALCORE__WORD_NONE)
        return alcore__lines_fail(lines, "no selected item has the id \"%.*s\"", shown(id->length),
                                  id->text);
    *out = self->key_of_id[number];
    if (!text->text) {
        if (*out != ALCORE__WORD_NONE) return ALCORE_OK;
        return alcore__lines_fail(
            lines, "several items have the id \"%.*s\": a column text has to tell them apart",
            shown(id->length), id->text);
    }
    ALCORE__TRY(write_key(self, id->text, id->length, text->text, text->length));
    const uint32_t exact = alcore__vocabulary_find(&self->keys, self->key.data, self->key.length);
    const bool several = *out == ALCORE__WORD_NONE;
    const uint32_t only = *out;
    *out = exact;
    if (exact != ALCORE__WORD_NONE) return ALCORE_OK;
    if (several)
        return alcore__lines_fail(lines, "no item with the id \"%.*s\" has the text \"%.*s\"",
                                  shown(id->length), id->text, shown(text->length), text->text);
    const alcore__annotation *item = &self->annotations->items[self->item_of_key[only]];
    *out = only;
    if (same_words(text->text, text->length, item->text, item->text_length)) return ALCORE_OK;
    return alcore__lines_fail(lines,
                              "the text \"%.*s\" is not that of the item with the id \"%.*s\", "
                              "which is \"%.*s\"",
                              shown(text->length), text->text, shown(id->length), id->text,
                              shown(item->text_length), item->text);
}

/* ---- one line ---- */

/* *meaning becomes what a cell says, where that wins over what other cells say. */
static alcore_status read_word(const alcore__line_reader *lines, const alcore__cell *cell,
                               const char *name, alcore__answer_meaning *meaning) {
    alcore__answer_meaning found;
    if (alcore__count_words(cell->text ? cell->text : "", cell->length) == 0) return ALCORE_OK;
    if (!alcore__answer_word(cell->text, cell->length, &found))
        return alcore__lines_fail(lines,
                                  "\"%.*s\" is no %s that is known; ok, skip, reject and others "
                                  "are (docs/formats.md)",
                                  shown(cell->length), cell->text, name);
    if (found > *meaning) *meaning = found;
    return ALCORE_OK;
}

/* *meaning becomes SKIPPED where a flag such as was_cancelled is set. */
static alcore_status read_flag(const alcore__line_reader *lines, const alcore__cell *cell,
                               alcore__answer_meaning *meaning) {
    static const char *const set[] = {"true", "True", "TRUE", "1", "yes"};
    static const char *const clear[] = {"false", "False", "FALSE", "0", "no", ""};
    if (!cell->text) return ALCORE_OK;
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        if (strlen(set[i]) != cell->length || memcmp(set[i], cell->text, cell->length) != 0)
            continue;
        if (*meaning < ALCORE__MEANS_SKIPPED) *meaning = ALCORE__MEANS_SKIPPED;
        return ALCORE_OK;
    }
    for (size_t i = 0; i < sizeof clear / sizeof *clear; i++)
        if (strlen(clear[i]) == cell->length && memcmp(clear[i], cell->text, cell->length) == 0)
            return ALCORE_OK;
    return alcore__lines_fail(lines, "was_cancelled is \"%.*s\"; true or false is expected",
                              shown(cell->length), cell->text);
}

/* *out: what the line says: OPEN for nothing. */
static alcore_status read_answer(const alcore__line_reader *lines, const alcore__cell *cells,
                                 bool has_words, alcore__answer *out) {
    static const alcore__answer answers[] = {[ALCORE__MEANS_ANSWER] = ALCORE__ANSWER_OK,
                                             [ALCORE__MEANS_LOOSE] = ALCORE__ANSWER_LOOSE,
                                             [ALCORE__MEANS_PENDING] = ALCORE__ANSWER_OPEN,
                                             [ALCORE__MEANS_UNTRANSLATABLE] =
                                                 ALCORE__ANSWER_UNTRANSLATABLE,
                                             [ALCORE__MEANS_SKIPPED] = ALCORE__ANSWER_SKIPPED,
                                             [ALCORE__MEANS_REJECTED] = ALCORE__ANSWER_REJECTED};
    alcore__answer_meaning meaning = ALCORE__MEANS_ANSWER;
    ALCORE__TRY(read_word(lines, &cells[COLUMN_STATUS], "status", &meaning));
    ALCORE__TRY(read_word(lines, &cells[COLUMN_ANSWER], "answer", &meaning));
    ALCORE__TRY(read_word(lines, &cells[COLUMN_STATE], "state", &meaning));
    ALCORE__TRY(read_word(lines, &cells[COLUMN_FLAGS], "flag", &meaning));
    ALCORE__TRY(read_flag(lines, &cells[COLUMN_CANCELLED], &meaning));
    *out = answers[meaning];
    if (meaning == ALCORE__MEANS_UNTRANSLATABLE && has_words)
        return alcore__lines_fail(lines, "an item that is untranslatable has a translation");
    if (meaning <= ALCORE__MEANS_LOOSE && !has_words) *out = ALCORE__ANSWER_OPEN;
    return ALCORE_OK;
}

/* Keeps a message about a line of the file and logs the first ones. */
static alcore_status keep_message(answer_reading *self, const char *message) {
    alcore_ctx *ctx = self->annotations->object.ctx;
    if (self->logged++ < LOGGED) alcore__log(ctx, ALCORE_LOG_WARN, "mix", NULL, "%s", message);
    ALCORE__TRY(alcore__buffer_append(ctx, &self->messages, message, strlen(message)));
    return alcore__buffer_append(ctx, &self->messages, "\n", 1);
}

/* Whether two answers are the same. */
static bool same_answer(alcore__answer a, const char *a_text, size_t a_length, alcore__answer b,
                        const char *b_text, size_t b_length) {
    return a == b && a_length == b_length &&
           (a_length == 0 || memcmp(a_text, b_text, a_length) == 0);
}

/* Notes a second answer of the file to a key: it repeats the first, ends a skip, or contradicts. */
static alcore_status note_again(answer_reading *self, const alcore__line_reader *lines,
                                const alcore__cell *id, key_answer *key,
                                const alcore__given_answer *given, bool *replaces) {
    char message[400];
    const alcore__answer before = key->given.answer;
    *replaces = before == ALCORE__ANSWER_SKIPPED && given->translation;
    if (*replaces || (given->answer == ALCORE__ANSWER_SKIPPED && key->given.translation) ||
        same_answer(before, key->given.translation, key->given.length, given->answer,
                    given->translation, given->length))
        return ALCORE_OK;
    key->conflict = true;
    alcore__format(message, sizeof message,
                   "%s:%" PRId64 ": the item with the id \"%.*s\" has another answer in line "
                   "%" PRId64 ", \"%.*s\" and \"%.*s\": neither counts",
                   self->path, lines->line, shown(id->length), id->text, key->line,
                   shown(key->given.length), key->given.translation ? key->given.translation : "",
                   shown(given->length), given->translation ? given->translation : "");
    return keep_message(self, message);
}

/* alcore__cell_sink: notes what a line says of its key. ALCORE_E_DATA: the line cannot be used. */
static alcore_status take_line(void *user, const alcore__line_reader *lines,
                               const alcore__cell *cells) {
    answer_reading *self = user;
    const alcore__cell *translation = &cells[COLUMN_TRANSLATION];
    alcore__given_answer given = {0};
    uint32_t number = 0;
    bool replaces = true;
    const bool has_words =
        alcore__count_words(translation->text ? translation->text : "", translation->length) > 0;
    if (!has_words && cells[COLUMN_ID].length == 0 && cells[COLUMN_TEXT].length == 0)
        return ALCORE_OK; /* an empty row, as spreadsheets write below the last one */
    self->report.lines++;
    ALCORE__TRY(find_key(self, lines, &cells[COLUMN_ID], &cells[COLUMN_TEXT], &number));
    ALCORE__TRY(read_answer(lines, cells, has_words, &given.answer));
    key_answer *key = &self->answers[number];
    if (given.answer == ALCORE__ANSWER_OPEN) {
        if (!translation->text) /* a key of another name, which nobody reads, may have it */
            return alcore__lines_fail(lines, "the object has no \"translation\"");
        key->blank = true;
        return ALCORE_OK;
    }
    if (given.answer == ALCORE__ANSWER_OK || given.answer == ALCORE__ANSWER_LOOSE) {
        given.translation =
            alcore__annotations_keep(self->annotations, translation->text, translation->length);
        if (!given.translation) return alcore__fail_memory(translation->length);
        given.length = translation->length;
    }
    if (key->given.answer != ALCORE__ANSWER_OPEN)
        ALCORE__TRY(note_again(self, lines, &cells[COLUMN_ID], key, &given, &replaces));
    if (!replaces) return ALCORE_OK;
    key->given = given;
    key->line = lines->line;
    return ALCORE_OK;
}

/* alcore__cell_fault: notes a line that cannot be used; the error text says why. */
static alcore_status note_fault(void *user, const alcore__line_reader *lines) {
    answer_reading *self = user;
    char message[600];
    (void)lines;
    self->report.unusable++;
    alcore__format(message, sizeof message, "%s", alcore_last_error());
    return keep_message(self, message);
}

/* ---- the file ---- */

/* Counts the answer of a key, and says where it replaces an earlier one. */
static alcore_status count_key(answer_reading *self, uint32_t number) {
    const key_answer *key = &self->answers[number];
    const alcore__annotation *item = &self->annotations->items[self->item_of_key[number]];
    alcore_answer_report *report = &self->report;
    char message[400];
    if (key->conflict) {
        report->conflicting++;
        return ALCORE_OK;
    }
    int64_t *const counts[] = {[ALCORE__ANSWER_OPEN] = NULL,
                               [ALCORE__ANSWER_OK] = &report->answered,
                               [ALCORE__ANSWER_LOOSE] = &report->answered,
                               [ALCORE__ANSWER_UNTRANSLATABLE] = &report->untranslatable,
                               [ALCORE__ANSWER_SKIPPED] = &report->skipped,
                               [ALCORE__ANSWER_REJECTED] = &report->rejected};
    if (key->given.answer == ALCORE__ANSWER_OPEN) {
        report->unanswered += key->blank;
        return ALCORE_OK;
    }
    ++*counts[key->given.answer];
    if (item->answer == ALCORE__ANSWER_OPEN ||
        same_answer(item->answer, item->translation, item->translation_length, key->given.answer,
                    key->given.translation, key->given.length))
        return ALCORE_OK;
    report->corrected++;
    alcore__format(message, sizeof message,
                   "%s:%" PRId64 ": corrects the item with the id \"%.60s\": \"%.*s\" was \"%.*s\"",
                   self->path, key->line, item->id, shown(key->given.length),
                   key->given.translation ? key->given.translation : "",
                   shown(item->translation_length), item->translation ? item->translation : "");
    return keep_message(self, message);
}

/* Counts all keys. ALCORE_E_DATA: no line of the file can be used. */
static alcore_status count_keys(answer_reading *self) {
    alcore_answer_report *report = &self->report;
    for (uint32_t k = 0; k < self->keys.count; k++) ALCORE__TRY(count_key(self, k));
    if (report->answered + report->unanswered + report->skipped + report->rejected +
            report->untranslatable >
        0)
        return ALCORE_OK;
    if (!self->messages.length)
        return alcore__fail(ALCORE_E_DATA, "%s has no line with an answer", self->path);
    return alcore__fail(ALCORE_E_DATA, "%s: no line can be used; the first: %.*s", self->path,
                        (int)strcspn(self->messages.data, "\n"), self->messages.data);
}

/* Passes what was said of keys on to their items, and keeps the report. */
static alcore_status commit_keys(answer_reading *self) {
    alcore_annotations *annotations = self->annotations;
    alcore_ctx *ctx = annotations->object.ctx;
    alcore__given_answer *answers;                                   /* [items] */
    ALCORE__TRY(alcore__buffer_append(ctx, &self->messages, "", 1)); /* the end of the text */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)annotations->count, sizeof *answers, &answers));
    for (int64_t i = 0; i < annotations->count; i++) {
        const key_answer *key = &self->answers[self->key_of_item[i]];
        if (!key->conflict) answers[i] = key->given;
    }
    alcore__annotations_commit(annotations, answers);
    alcore__free(ctx, answers);
    alcore__buffer_clear(ctx, &annotations->messages);
    annotations->messages = self->messages;
    self->messages = (alcore__buffer){0};
    annotations->report = self->report;
    return ALCORE_OK;
}

/* Reads a file of answers; items change only when all of it was read. */
static alcore_status read_answers(alcore_annotations *annotations, const char *path) {
    alcore_ctx *ctx = annotations->object.ctx;
    answer_reading self = {.annotations = annotations, .path = path};
    alcore_status status = index_items(&self);
    if (status == ALCORE_OK)
        status = alcore__cells_read_each(ctx, path, columns, COLUMNS, PLAIN_FIELDS, take_line,
                                         note_fault, &self);
    if (status == ALCORE_OK) status = count_keys(&self);
    if (status == ALCORE_OK) status = commit_keys(&self);
    if (status == ALCORE_OK && self.logged > LOGGED)
        alcore__log(ctx, ALCORE_LOG_WARN, "mix", NULL, "%s: %" PRId64 " more lines like these",
                    path, self.logged - LOGGED);
    alcore__vocabulary_clear(ctx, &self.keys);
    alcore__vocabulary_clear(ctx, &self.ids);
    alcore__free(ctx, self.key_of_item);
    alcore__free(ctx, self.key_of_id);
    alcore__free(ctx, self.item_of_key);
    alcore__free(ctx, self.answers);
    alcore__buffer_clear(ctx, &self.key);
    alcore__buffer_clear(ctx, &self.messages);
    return status;
}

alcore_status alcore_annotations_read_answers(alcore_annotations *annotations, const char *path) {
    return alcore__annotations_read(annotations, path, "alcore_annotations_read_answers",
                                    read_answers);
}

alcore_status alcore_annotations_answer_report(const alcore_annotations *annotations,
                                               alcore_answer_report *out) {
    alcore_answer_report found = {.size = sizeof found};
    if (!annotations)
        return alcore__fail(ALCORE_E_INVALID, "alcore_annotations_answer_report: NULL");
    found = annotations->report;
    found.size = sizeof found;
    found.messages = annotations->messages.data ? annotations->messages.data : "";
    return alcore__struct_write(out, &found, sizeof found,
                                ALCORE__FIRST_SIZE(alcore_answer_report, messages),
                                "alcore_answer_report");
}
