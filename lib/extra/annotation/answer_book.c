/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are collected (answer_book.h; docs/spec/loop.md 9.4). All of them are known before
 * the annotations change.
 *
 * A key is a pair of an id and a text; items with the same key, such as repeated sentences, share
 * their answer. What a source says of a key:
 *
 *   nothing       it stays as it is; a blank translation and a draft say nothing
 *   an answer     a translation, or one of the states without one; it replaces an earlier source's
 *   two answers   that differ: neither counts, but for a translation that ends a skip
 */
#include "extra/annotation/answer_book.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "text/words.h"

enum { LOGGED = 10 /* messages that are logged of each source */ };

/* Puts the place in front of the error text. Returns status. */
static alcore_status at_place(const alcore__answer_book *self, int64_t place,
                              alcore_status status) {
    if (self->path) return alcore__fail_within(status, "%s:%" PRId64, self->path, place);
    return alcore__fail_within(status, "answer %" PRId64, place);
}

alcore_status alcore__answers_fail(const alcore__answer_book *book, int64_t place,
                                   const char *format, ...) {
    va_list args;
    va_start(args, format);
    alcore__fail_v(ALCORE_E_DATA, format, args);
    va_end(args);
    return at_place(book, place, ALCORE_E_DATA);
}

/* ---- the items ---- */

/* Sets self->key to "id TAB text". */
static alcore_status write_key(alcore__answer_book *self, const char *id, size_t id_length,
                               const char *text, size_t text_length) {
    alcore_ctx *ctx = self->annotations->object.ctx;
    self->key.length = 0;
    ALCORE__TRY(alcore__buffer_append(ctx, &self->key, id, id_length));
    ALCORE__TRY(alcore__buffer_append(ctx, &self->key, "\t", 1));
    return alcore__buffer_append(ctx, &self->key, text, text_length);
}

/* Makes the key of an item. */
static alcore_status index_item(alcore__answer_book *self, size_t i) {
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
static alcore_status index_items(alcore__answer_book *self) {
    alcore_ctx *ctx = self->annotations->object.ctx;
    const size_t count = (size_t)self->annotations->count;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->key_of_item, &self->key_of_item));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->key_of_id, &self->key_of_id));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->item_of_key, &self->item_of_key));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->answers, &self->answers));
    for (size_t i = 0; i < count; i++) ALCORE__TRY(index_item(self, i));
    return ALCORE_OK;
}

alcore_status alcore__answers_check_text(alcore__answer_book *self, int64_t place,
                                         alcore__answer_text text, const alcore__annotation *item) {
    if (alcore__words_same(text.text, text.length, item->text, item->text_length)) return ALCORE_OK;
    return alcore__answers_fail(
        self, place,
        "the text \"%.*s\" is not that of the item with the id \"%.60s\", which is \"%.*s\"",
        alcore__answer_shown(text.length), text.text, item->id,
        alcore__answer_shown(item->text_length), item->text);
}

alcore_status alcore__answers_find(alcore__answer_book *self, int64_t place, alcore__answer_text id,
                                   alcore__answer_text text, uint32_t *out) {
    const uint32_t number = alcore__vocabulary_find(&self->ids, id.text, id.length);
    if (number == ALCORE__WORD_NONE)
        return alcore__answers_fail(self, place, "no selected item has the id \"%.*s\"",
                                    alcore__answer_shown(id.length), id.text);
    *out = self->key_of_id[number];
    if (!text.text) {
        if (*out != ALCORE__WORD_NONE) return ALCORE_OK;
        return alcore__answers_fail(
            self, place, "several items have the id \"%.*s\": a column text has to tell them apart",
            alcore__answer_shown(id.length), id.text);
    }
    ALCORE__TRY(write_key(self, id.text, id.length, text.text, text.length));
    const uint32_t exact = alcore__vocabulary_find(&self->keys, self->key.data, self->key.length);
    const bool several = *out == ALCORE__WORD_NONE;
    const uint32_t only = *out;
    *out = exact;
    if (exact != ALCORE__WORD_NONE) return ALCORE_OK;
    if (several)
        return alcore__answers_fail(
            self, place, "no item with the id \"%.*s\" has the text \"%.*s\"",
            alcore__answer_shown(id.length), id.text, alcore__answer_shown(text.length), text.text);
    *out = only;
    return alcore__answers_check_text(self, place, text,
                                      &self->annotations->items[self->item_of_key[only]]);
}

/* ---- one answer ---- */

bool alcore__answer_has_words(alcore__answer_text translation) {
    return translation.text && alcore__count_words(translation.text, translation.length) > 0;
}

/* *out: what a place says: OPEN for nothing. */
static alcore_status read_meaning(const alcore__answer_book *self, int64_t place,
                                  alcore__answer_meaning meaning, bool has_words,
                                  alcore__answer *out) {
    static const alcore__answer answers[] = {[ALCORE__MEANS_ANSWER] = ALCORE__ANSWER_OK,
                                             [ALCORE__MEANS_LOOSE] = ALCORE__ANSWER_LOOSE,
                                             [ALCORE__MEANS_PENDING] = ALCORE__ANSWER_OPEN,
                                             [ALCORE__MEANS_UNTRANSLATABLE] =
                                                 ALCORE__ANSWER_UNTRANSLATABLE,
                                             [ALCORE__MEANS_SKIPPED] = ALCORE__ANSWER_SKIPPED,
                                             [ALCORE__MEANS_REJECTED] = ALCORE__ANSWER_REJECTED};
    *out = answers[meaning];
    if (meaning == ALCORE__MEANS_UNTRANSLATABLE && has_words)
        return alcore__answers_fail(self, place,
                                    "an item that is untranslatable has a translation");
    if (meaning <= ALCORE__MEANS_LOOSE && !has_words) *out = ALCORE__ANSWER_OPEN;
    return ALCORE_OK;
}

/* Keeps a message about a place and logs the first ones. */
static alcore_status keep_message(alcore__answer_book *self, const char *message) {
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

/* Writes the place, "FILE:LINE" or "answer N", to out [bytes]. */
static const char *place_name(const alcore__answer_book *self, int64_t place, char *out,
                              size_t bytes) {
    if (self->path)
        alcore__format(out, bytes, "%s:%" PRId64, self->path, place);
    else
        alcore__format(out, bytes, "answer %" PRId64, place);
    return out;
}

/* Notes a second answer of the source to a key: it repeats the first, ends a skip, or contradicts.
 */
static alcore_status note_again(alcore__answer_book *self, int64_t place, const char *id,
                                alcore__key_answer *key, const alcore__given_answer *given,
                                bool *replaces) {
    char message[400], name[ALCORE__TEXT_BYTES];
    const alcore__answer before = key->given.answer;
    *replaces = before == ALCORE__ANSWER_SKIPPED && given->translation;
    if (*replaces || (given->answer == ALCORE__ANSWER_SKIPPED && key->given.translation) ||
        same_answer(before, key->given.translation, key->given.length, given->answer,
                    given->translation, given->length))
        return ALCORE_OK;
    key->conflict = true;
    alcore__format(message, sizeof message,
                   "%s: the item with the id \"%.60s\" has another answer in %s "
                   "%" PRId64 ", \"%.*s\" and \"%.*s\": neither counts",
                   place_name(self, place, name, sizeof name), id, self->path ? "line" : "answer",
                   key->place, alcore__answer_shown(key->given.length),
                   key->given.translation ? key->given.translation : "",
                   alcore__answer_shown(given->length),
                   given->translation ? given->translation : "");
    return keep_message(self, message);
}

alcore_status alcore__answers_note(alcore__answer_book *self, int64_t place, uint32_t number,
                                   alcore__answer_text translation,
                                   alcore__answer_meaning meaning) {
    alcore__given_answer given = {0};
    alcore__key_answer *key = &self->answers[number];
    bool replaces = true;
    ALCORE__TRY(
        read_meaning(self, place, meaning, alcore__answer_has_words(translation), &given.answer));
    if (given.answer == ALCORE__ANSWER_OPEN) {
        key->blank = true;
        return ALCORE_OK;
    }
    if (given.answer == ALCORE__ANSWER_OK || given.answer == ALCORE__ANSWER_LOOSE) {
        given.translation =
            alcore__annotations_keep(self->annotations, translation.text, translation.length);
        if (!given.translation) return alcore__fail_memory(translation.length);
        given.length = translation.length;
    }
    if (key->given.answer != ALCORE__ANSWER_OPEN)
        ALCORE__TRY(note_again(self, place, self->annotations->items[self->item_of_key[number]].id,
                               key, &given, &replaces));
    if (!replaces) return ALCORE_OK;
    key->given = given;
    key->place = place;
    return ALCORE_OK;
}

alcore_status alcore__answers_note_fault(alcore__answer_book *self) {
    char message[600];
    self->report.unusable++;
    alcore__format(message, sizeof message, "%s", alcore_last_error());
    return keep_message(self, message);
}

/* ---- the end ---- */

/* Counts the answer of a key, and says where it replaces an earlier one. */
static alcore_status count_key(alcore__answer_book *self, uint32_t number) {
    const alcore__key_answer *key = &self->answers[number];
    const alcore__annotation *item = &self->annotations->items[self->item_of_key[number]];
    alcore_answer_report *report = &self->report;
    char message[400], name[ALCORE__TEXT_BYTES];
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
                   "%s: corrects the item with the id \"%.60s\": \"%.*s\" was \"%.*s\"",
                   place_name(self, key->place, name, sizeof name), item->id,
                   alcore__answer_shown(key->given.length),
                   key->given.translation ? key->given.translation : "",
                   alcore__answer_shown(item->translation_length),
                   item->translation ? item->translation : "");
    return keep_message(self, message);
}

/* Counts all keys. any: ALCORE_E_DATA where nothing can be used. */
static alcore_status count_keys(alcore__answer_book *self, bool any) {
    alcore_answer_report *report = &self->report;
    for (uint32_t k = 0; k < self->keys.count; k++) ALCORE__TRY(count_key(self, k));
    if (!any || report->answered + report->unanswered + report->skipped + report->rejected +
                        report->untranslatable >
                    0)
        return ALCORE_OK;
    const char *source = self->path ? self->path : "the answers";
    const char *place = self->path ? "line" : "answer";
    if (!self->messages.length)
        return alcore__fail(ALCORE_E_DATA, "%s has no line with an answer", source);
    return alcore__fail(ALCORE_E_DATA, "%s: no %s can be used; the first: %.*s", source, place,
                        (int)strcspn(self->messages.data, "\n"), self->messages.data);
}

/* Passes what was said of keys on to their items, and keeps the report. */
static alcore_status commit_keys(alcore__answer_book *self) {
    alcore_annotations *annotations = self->annotations;
    alcore_ctx *ctx = annotations->object.ctx;
    alcore__given_answer *answers;                                   /* [items] */
    ALCORE__TRY(alcore__buffer_append(ctx, &self->messages, "", 1)); /* the end of the text */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)annotations->count, sizeof *answers, &answers));
    for (int64_t i = 0; i < annotations->count; i++) {
        const alcore__key_answer *key = &self->answers[self->key_of_item[i]];
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

alcore_status alcore__answers_begin(alcore__answer_book *book, alcore_annotations *annotations,
                                    const char *path) {
    *book = (alcore__answer_book){.annotations = annotations, .path = path};
    return index_items(book);
}

alcore_status alcore__answers_end(alcore__answer_book *self, alcore_status status, bool any) {
    alcore_ctx *ctx = self->annotations->object.ctx;
    if (status == ALCORE_OK) status = count_keys(self, any);
    if (status == ALCORE_OK) status = commit_keys(self);
    if (status == ALCORE_OK && self->logged > LOGGED)
        alcore__log(ctx, ALCORE_LOG_WARN, "mix", NULL, "%s: %" PRId64 " more %s like these",
                    self->path ? self->path : "answers", self->logged - LOGGED,
                    self->path ? "lines" : "answers");
    alcore__vocabulary_clear(ctx, &self->keys);
    alcore__vocabulary_clear(ctx, &self->ids);
    alcore__free(ctx, self->key_of_item);
    alcore__free(ctx, self->key_of_id);
    alcore__free(ctx, self->item_of_key);
    alcore__free(ctx, self->answers);
    alcore__buffer_clear(ctx, &self->key);
    alcore__buffer_clear(ctx, &self->messages);
    return status;
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
