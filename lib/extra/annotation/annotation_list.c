/* SPDX-License-Identifier: Apache-2.0 */
/* The list of annotations: the handle, its items and what is known of them
 * (alcore/extra/annotation.h). */
#include "extra/annotation/annotation_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "extra/annotation/phrase_finder.h"
#include "pool/pool_internal.h"
#include "text/utf8.h"
#include "text/words.h"

enum { POLL_ITEMS = 1024 /* items added between two polls of cancellation */ };

/* ---- the handle ---- */

/* The destructor of the handle, called with the last reference. */
static void release(void *object) {
    alcore_annotations *self = object;
    alcore__arena_clear(self->object.ctx, &self->strings);
    alcore__buffer_clear(self->object.ctx, &self->messages);
    alcore__free(self->object.ctx, self->items);
    alcore_pool_unref(self->pool);
}

/* Makes an empty list for a pool. */
static alcore_status make(alcore_pool *pool, alcore_ctx *ctx, alcore_annotations **out) {
    ALCORE__TRY(alcore__object_new(ctx, sizeof **out, release, out));
    (*out)->pool = alcore_pool_ref(pool);
    return ALCORE_OK;
}

alcore_status alcore_annotations_new(alcore_pool *pool, alcore_annotations **out) {
    if (out) *out = NULL;
    if (!pool || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_annotations_new: pool and out are needed");
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, make(pool, ctx, out));
}

alcore_annotations *alcore_annotations_ref(alcore_annotations *annotations) {
    return alcore__object_ref(annotations);
}

void alcore_annotations_unref(alcore_annotations *annotations) {
    alcore__object_unref(annotations);
}

/* ---- adding items ---- */

int64_t alcore__count_words(const char *text, size_t length) {
    const char *next = text, *end = text + length, *word;
    size_t bytes;
    int64_t count = 0;
    while (alcore__word_next(&next, end, &word, &bytes)) count++;
    return count;
}

const char *alcore__annotations_keep(alcore_annotations *annotations, const char *text,
                                     size_t length) {
    char *copy = alcore__arena_alloc(annotations->object.ctx, &annotations->strings, length + 1, 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

alcore_status alcore__annotation_kind(const char *name, size_t length, bool *out) {
    *out = length == 6 && memcmp(name, "phrase", 6) == 0;
    if (*out || (length == 4 && memcmp(name, "sent", 4) == 0) ||
        (length == 8 && memcmp(name, "sentence", 8) == 0))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM, "\"%.*s\" is no kind of item: sent or phrase",
                        (int)(length < 40 ? length : 40), name);
}

/* Checks a string of an item, whose name is for the message. */
static alcore_status check_string(const char *name, const char *text, size_t length) {
    const size_t good = alcore__utf8_check(text, length);
    if (good < length)
        return alcore__fail(ALCORE_E_DATA, "byte %zu of the %s is not UTF-8", good + 1, name);
    if (memchr(text, 0, length)) return alcore__fail(ALCORE_E_DATA, "the %s has a NUL byte", name);
    return ALCORE_OK;
}

/* Checks a text that has to have a word; *words is their number. */
static alcore_status check_text(const char *name, const char *text, size_t length, int64_t *words) {
    ALCORE__TRY(check_string(name, text, length));
    *words = alcore__count_words(text, length);
    if (*words == 0) return alcore__fail(ALCORE_E_DATA, "the %s has no word", name);
    return ALCORE_OK;
}

/* A sentence has the text of its row; a phrase is somewhere in it, or there is no row (-1). */
static alcore_status check_row(const alcore_annotations *self,
                               const alcore__annotation_input *input) {
    size_t length;
    const char *text = alcore_pool_text(self->pool, input->row, &length);
    if (input->row == -1) return ALCORE_OK;
    if (!text) return alcore__fail(ALCORE_E_NOT_FOUND, "the pool has no row %" PRId64, input->row);
    if (input->phrase || (length == input->text_length && memcmp(text, input->text, length) == 0))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "the text is not that of row %" PRId64
                        ": the selection was made from another pool",
                        input->row);
}

/* Appends an item, whose translation may be NULL: it is open then. The caller has locked the
 * annotations for writing and the pool for reading. Everything is checked before the list
 * changes; strings of an item that is not appended stay in the arena. */
alcore_status alcore__annotations_append(alcore_annotations *annotations,
                                         const alcore__annotation_input *input) {
    int64_t words, translated;
    ALCORE__TRY(check_string("id", input->id, input->id_length));
    ALCORE__TRY(check_text("text", input->text, input->text_length, &words));
    if (input->phrase && words > ALCORE__FINDER_WORDS)
        return alcore__fail(ALCORE_E_DATA, "the phrase has %" PRId64 " words; %d are allowed",
                            words, ALCORE__FINDER_WORDS);
    if (input->translation)
        ALCORE__TRY(
            check_text("translation", input->translation, input->translation_length, &translated));
    if (!isnan(input->cost) && !(input->cost >= 0.0 && input->cost < INFINITY))
        return alcore__fail(ALCORE_E_DATA, "the cost is %g; a finite number >= 0 is needed",
                            input->cost);
    ALCORE__TRY(check_row(annotations, input));
    ALCORE__TRY(alcore__grow(annotations->object.ctx, &annotations->items, &annotations->capacity,
                             (size_t)annotations->count + 1, sizeof *annotations->items));
    alcore__annotation item = {
        .id = alcore__annotations_keep(annotations, input->id, input->id_length),
        .text = alcore__annotations_keep(annotations, input->text, input->text_length),
        .text_length = input->text_length,
        .row = input->row,
        .cost = isnan(input->cost) ? (double)words : input->cost,
        .score = input->score,
        .phrase = input->phrase};
    if (input->translation) {
        item.translation =
            alcore__annotations_keep(annotations, input->translation, input->translation_length);
        item.translation_length = input->translation_length;
        item.answer = ALCORE__ANSWER_OK;
    }
    if (input->reason)
        item.reason = alcore__annotations_keep(annotations, input->reason, input->reason_length);
    if (!item.id || !item.text || (input->reason && !item.reason) ||
        (input->translation && !item.translation))
        return alcore__fail_memory(input->id_length + input->text_length);
    annotations->items[annotations->count++] = item;
    return ALCORE_OK;
}

/* *out: item i of the records, checked for NULL only. number: that of the item in the list, from 1,
 * which is its id where none is given; id: memory for that, to which *out may point. */
static alcore_status read_record(const alcore_annotation_records *records, int64_t i,
                                 int64_t number, char id[24], alcore__annotation_input *out) {
    const char *text = records->texts[i], *kind = records->kinds ? records->kinds[i] : "sent";
    *out = (alcore__annotation_input){.text = text,
                                      .row = records->rows ? records->rows[i] : -1,
                                      .cost = records->costs ? records->costs[i] : NAN,
                                      .score = NAN};
    if (!text || !kind || (records->ids && !records->ids[i]))
        return alcore__fail(ALCORE_E_INVALID, "a text, kind or id is NULL");
    ALCORE__TRY(alcore__annotation_kind(kind, strlen(kind), &out->phrase));
    if (records->costs && isnan(out->cost))
        return alcore__fail(ALCORE_E_DATA, "the cost is NaN; a finite number >= 0 is needed");
    out->text_length = records->text_lengths ? records->text_lengths[i] : strlen(text);
    snprintf(id, 24, "%" PRId64, number);
    out->id = records->ids ? records->ids[i] : id;
    out->id_length = strlen(out->id);
    out->translation = records->translations ? records->translations[i] : NULL;
    if (out->translation)
        out->translation_length = records->translation_lengths ? records->translation_lengths[i]
                                                               : strlen(out->translation);
    return ALCORE_OK;
}

/* Adds all items; after a failure, or a cancellation, the list has those of before. */
static alcore_status add_records(alcore_annotations *self,
                                 const alcore_annotation_records *theirs) {
    alcore_annotation_records records;
    const int64_t before = self->count;
    alcore_status status = ALCORE_OK;
    ALCORE__TRY(
        alcore__struct_read(&records, sizeof records,
                            ALCORE__FIRST_SIZE(alcore_annotation_records, translation_lengths),
                            theirs, "alcore_annotation_records"));
    if (records.count < 0 || (records.count > 0 && !records.texts))
        return alcore__fail(ALCORE_E_INVALID, "texts is NULL or count is negative");
    if (records.translation_lengths && !records.translations)
        return alcore__fail(ALCORE_E_INVALID, "translation_lengths without translations");
    for (int64_t i = 0; i < records.count; i++) {
        char id[24];
        alcore__annotation_input input;
        if (i % POLL_ITEMS == POLL_ITEMS - 1)
            ALCORE__TRY_GOTO(status, failed,
                             alcore__tick(self->object.ctx, "adding items", i, records.count));
        status = read_record(&records, i, before + i + 1, id, &input);
        if (status == ALCORE_OK) status = alcore__annotations_append(self, &input);
        if (status == ALCORE_OK) continue;
        alcore__fail_within(status, "item %" PRId64, i);
        goto failed;
    }
    return ALCORE_OK;
failed:
    self->count = before;
    return status;
}

alcore_status alcore_annotations_add(alcore_annotations *annotations,
                                     const alcore_annotation_records *records) {
    if (!annotations || !records)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_annotations_add: annotations and records are needed");
    ALCORE__TRY(alcore__enter_long(annotations->object.ctx));
    alcore_status status = alcore__write_begin(annotations, "annotations");
    if (status == ALCORE_OK) {
        status = alcore__read_begin(annotations->pool, "pool");
        if (status == ALCORE_OK) {
            status = add_records(annotations, records);
            alcore__read_end(annotations->pool);
        }
        alcore__write_end(annotations);
    }
    return alcore__leave(annotations->object.ctx, status);
}

/* Sets the answers of the items that have one in answers [count]; others stay as they are. */
void alcore__annotations_commit(alcore_annotations *annotations,
                                const alcore__given_answer *answers) {
    for (int64_t i = 0; i < annotations->count; i++) {
        if (answers[i].answer == ALCORE__ANSWER_OPEN) continue;
        annotations->items[i].answer = answers[i].answer;
        annotations->items[i].translation = answers[i].translation;
        annotations->items[i].translation_length = answers[i].length;
    }
}

/* ---- what is known of an item ---- */

/* The item of an index; NULL when there is none. */
static const alcore__annotation *item_at(const alcore_annotations *self, int64_t index) {
    return self && index >= 0 && index < self->count ? &self->items[index] : NULL;
}

int64_t alcore_annotations_count(const alcore_annotations *annotations) {
    return annotations ? annotations->count : 0;
}

const char *alcore_annotations_id(const alcore_annotations *annotations, int64_t index) {
    const alcore__annotation *item = item_at(annotations, index);
    return item ? item->id : NULL;
}

const char *alcore_annotations_kind(const alcore_annotations *annotations, int64_t index) {
    const alcore__annotation *item = item_at(annotations, index);
    return !item ? NULL : item->phrase ? "phrase" : "sent";
}

const char *alcore_annotations_text(const alcore_annotations *annotations, int64_t index,
                                    size_t *out_length) {
    const alcore__annotation *item = item_at(annotations, index);
    if (out_length) *out_length = item ? item->text_length : 0;
    return item ? item->text : NULL;
}

const char *alcore_annotations_translation(const alcore_annotations *annotations, int64_t index,
                                           size_t *out_length) {
    const alcore__annotation *item = item_at(annotations, index);
    const bool translated = item && item->translation;
    if (out_length) *out_length = translated ? item->translation_length : 0;
    return translated ? item->translation : NULL;
}

const char *alcore_annotations_status(const alcore_annotations *annotations, int64_t index) {
    static const char *const names[] = {
        [ALCORE__ANSWER_OPEN] = "open",       [ALCORE__ANSWER_OK] = "ok",
        [ALCORE__ANSWER_LOOSE] = "loose",     [ALCORE__ANSWER_UNTRANSLATABLE] = "untranslatable",
        [ALCORE__ANSWER_SKIPPED] = "skipped", [ALCORE__ANSWER_REJECTED] = "rejected"};
    const alcore__annotation *item = item_at(annotations, index);
    return item ? names[item->answer] : NULL;
}

int64_t alcore_annotations_row(const alcore_annotations *annotations, int64_t index) {
    const alcore__annotation *item = item_at(annotations, index);
    return item ? item->row : -1;
}

/* The sum of the costs of the items whose answer refunds them, or of those that are paid for. */
static double sum_costs(const alcore_annotations *self, bool refunded) {
    double sum = 0.0;
    for (int64_t i = 0; self && i < self->count; i++)
        if (alcore__answer_refunds(self->items[i].answer) == refunded) sum += self->items[i].cost;
    return sum;
}

double alcore_annotations_spent(const alcore_annotations *annotations) {
    return sum_costs(annotations, false);
}

double alcore_annotations_refunded(const alcore_annotations *annotations) {
    return sum_costs(annotations, true);
}
