/* SPDX-License-Identifier: Apache-2.0 */
/* Answers from memory (alcore_annotations_answer()), one entry after the other (answer_book.h). */
#include <inttypes.h>
#include <string.h>

#include "extra/annotation/answer_book.h"
#include "text/utf8.h"

enum { POLL_ANSWERS = 1024 /* answers between two polls of cancellation */ };

/* Text i of an array, which may be NULL, as may be the text. */
static alcore__answer_text text_at(const char *const *texts, const size_t *lengths, int64_t i) {
    const char *text = texts ? texts[i] : NULL;
    return (alcore__answer_text){text, !text ? 0 : lengths ? lengths[i] : strlen(text)};
}

/* An answer names its item by its number: an id and a text beside it have to be the item's. */
static alcore_status check_item(alcore__answer_book *book, int64_t i, int64_t item,
                                alcore__answer_text id, alcore__answer_text text) {
    const alcore__annotation *known = &book->annotations->items[item];
    if (id.text && strcmp(id.text, known->id) != 0)
        return alcore__answers_fail(book, i, "item %" PRId64 " has the id \"%.60s\", not \"%.60s\"",
                                    item, known->id, id.text);
    return text.text ? alcore__answers_check_text(book, i, text, known) : ALCORE_OK;
}

/* *out: the key of the item that answer i is of, by its number or its id. */
static alcore_status find_key(alcore__answer_book *book, const alcore_annotation_answers *answers,
                              int64_t i, uint32_t *out) {
    const alcore__answer_text id = text_at(answers->ids, NULL, i);
    const alcore__answer_text text = text_at(answers->texts, NULL, i);
    if (!answers->items) {
        if (!id.text) return alcore__answers_fail(book, i, "it has no id");
        return alcore__answers_find(book, i, id, text, out);
    }
    const int64_t item = answers->items[i];
    if (item < 0 || item >= book->annotations->count)
        return alcore__answers_fail(book, i, "there is no item %" PRId64 " of %" PRId64, item,
                                    book->annotations->count);
    ALCORE__TRY(check_item(book, i, item, id, text));
    *out = book->key_of_item[item];
    return ALCORE_OK;
}

/* *out: what the status of answer i means. */
static alcore_status read_status(const alcore__answer_book *book,
                                 const alcore_annotation_answers *answers, int64_t i,
                                 alcore__answer_meaning *out) {
    const alcore__answer_text status = text_at(answers->statuses, NULL, i);
    *out = ALCORE__MEANS_ANSWER;
    if (status.length == 0 || alcore__answer_word(status.text, status.length, out))
        return ALCORE_OK;
    return alcore__answers_fail(book, i,
                                "\"%.*s\" is no status that is known; ok, skip, reject and others "
                                "are (docs/formats.md)",
                                alcore__answer_shown(status.length), status.text);
}

/* A translation is text that the annotations can hold: UTF-8 without a NUL. */
static alcore_status check_translation(const alcore__answer_book *book, int64_t i,
                                       alcore__answer_text translation) {
    if (!translation.text) return ALCORE_OK;
    const size_t good = alcore__utf8_check(translation.text, translation.length);
    if (good < translation.length)
        return alcore__answers_fail(book, i, "byte %zu of the translation is not UTF-8", good + 1);
    if (memchr(translation.text, 0, translation.length))
        return alcore__answers_fail(book, i, "the translation has a NUL byte");
    return ALCORE_OK;
}

/* Notes answer i. ALCORE_E_DATA: it cannot be used. */
static alcore_status take_answer(alcore__answer_book *book,
                                 const alcore_annotation_answers *answers, int64_t i) {
    const alcore__answer_text translation =
        text_at(answers->translations, answers->translation_lengths, i);
    alcore__answer_meaning meaning;
    uint32_t key = 0;
    book->report.lines++;
    ALCORE__TRY(find_key(book, answers, i, &key));
    ALCORE__TRY(read_status(book, answers, i, &meaning));
    ALCORE__TRY(check_translation(book, i, translation));
    return alcore__answers_note(book, i, key, translation, meaning);
}

/* Notes all answers, and those that cannot be used. */
static alcore_status take_answers(alcore__answer_book *book,
                                  const alcore_annotation_answers *answers) {
    alcore_ctx *ctx = book->annotations->object.ctx;
    for (int64_t i = 0; i < answers->count; i++) {
        if (i % POLL_ANSWERS == POLL_ANSWERS - 1)
            ALCORE__TRY(alcore__tick(ctx, "answering", i, answers->count));
        alcore_status status = take_answer(book, answers, i);
        if (status == ALCORE_E_DATA) status = alcore__answers_note_fault(book);
        ALCORE__TRY(status);
    }
    return ALCORE_OK;
}

/* Reads the caller's struct and gives its answers. */
static alcore_status answer(alcore_annotations *annotations,
                            const alcore_annotation_answers *theirs) {
    alcore_annotation_answers answers;
    alcore__answer_book book;
    ALCORE__TRY(alcore__struct_read(&answers, sizeof answers,
                                    ALCORE__FIRST_SIZE(alcore_annotation_answers, statuses), theirs,
                                    "alcore_annotation_answers"));
    if (answers.count < 0 || (answers.count > 0 && !answers.items && !answers.ids))
        return alcore__fail(ALCORE_E_INVALID, "items and ids are both NULL, or count is negative");
    if (answers.translation_lengths && !answers.translations)
        return alcore__fail(ALCORE_E_INVALID, "translation_lengths without translations");
    alcore_status status = alcore__answers_begin(&book, annotations, NULL /* no file */);
    if (status == ALCORE_OK) status = take_answers(&book, &answers);
    return alcore__answers_end(&book, status, answers.count > 0);
}

alcore_status alcore_annotations_answer(alcore_annotations *annotations,
                                        const alcore_annotation_answers *answers) {
    if (!annotations || !answers)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_annotations_answer: annotations and answers are needed");
    ALCORE__TRY(alcore__enter(annotations->object.ctx));
    alcore_status status = alcore__write_begin(annotations, "annotations");
    if (status == ALCORE_OK) {
        status = answer(annotations, answers);
        alcore__write_end(annotations);
    }
    return alcore__leave(annotations->object.ctx, status);
}
