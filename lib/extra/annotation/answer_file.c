/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of people in a file (alcore_annotations_read_answers()). The lines apply one by one: a
 * line that cannot be used is reported and the others count (answer_book.h). */
#include <inttypes.h>
#include <string.h>

#include "extra/annotation/answer_book.h"
#include "extra/annotation/cell_reader.h"

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
    PLAIN_FIELDS = COLUMN_TRANSLATION + 1 /* of a line of a file without a header */
};

/* *meaning becomes what a cell says, where that wins over what other cells say. */
static alcore_status read_word(const alcore__line_reader *lines, const alcore__cell *cell,
                               const char *name, alcore__answer_meaning *meaning) {
    alcore__answer_meaning found;
    if (alcore__count_words(cell->text ? cell->text : "", cell->length) == 0) return ALCORE_OK;
    if (!alcore__answer_word(cell->text, cell->length, &found))
        return alcore__lines_fail(lines,
                                  "\"%.*s\" is no %s that is known; ok, skip, reject and others "
                                  "are (docs/formats.md)",
                                  alcore__answer_shown(cell->length), cell->text, name);
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
                              alcore__answer_shown(cell->length), cell->text);
}

/* *meaning: what the words of a line mean together. */
static alcore_status read_words(const alcore__line_reader *lines, const alcore__cell *cells,
                                alcore__answer_meaning *meaning) {
    *meaning = ALCORE__MEANS_ANSWER;
    ALCORE__TRY(read_word(lines, &cells[COLUMN_STATUS], "status", meaning));
    ALCORE__TRY(read_word(lines, &cells[COLUMN_ANSWER], "answer", meaning));
    ALCORE__TRY(read_word(lines, &cells[COLUMN_STATE], "state", meaning));
    ALCORE__TRY(read_word(lines, &cells[COLUMN_FLAGS], "flag", meaning));
    return read_flag(lines, &cells[COLUMN_CANCELLED], meaning);
}

static alcore__answer_text text_of(const alcore__cell *cell) {
    return (alcore__answer_text){cell->text, cell->length};
}

/* alcore__cell_sink: notes what a line says of its key. ALCORE_E_DATA: the line cannot be used. */
static alcore_status take_line(void *user, const alcore__line_reader *lines,
                               const alcore__cell *cells) {
    alcore__answer_book *book = user;
    const alcore__answer_text translation = text_of(&cells[COLUMN_TRANSLATION]);
    alcore__answer_meaning meaning;
    uint32_t key = 0;
    const bool has_words = alcore__answer_has_words(translation);
    if (!has_words && cells[COLUMN_ID].length == 0 && cells[COLUMN_TEXT].length == 0)
        return ALCORE_OK; /* an empty row, as spreadsheets write below the last one */
    book->report.lines++;
    ALCORE__TRY(alcore__answers_find(book, lines->line, text_of(&cells[COLUMN_ID]),
                                     text_of(&cells[COLUMN_TEXT]), &key));
    ALCORE__TRY(read_words(lines, cells, &meaning));
    if (!translation.text && meaning <= ALCORE__MEANS_PENDING)
        /* a key of another name, which nobody reads, may have it */
        return alcore__lines_fail(lines, "the object has no \"translation\"");
    return alcore__answers_note(book, lines->line, key, translation, meaning);
}

/* alcore__cell_fault: notes a line that cannot be used; the error text says why. */
static alcore_status note_fault(void *user, const alcore__line_reader *lines) {
    (void)lines;
    return alcore__answers_note_fault(user);
}

/* Reads a file of answers; items change only when all of it was read. */
static alcore_status read_answers(alcore_annotations *annotations, const char *path) {
    alcore__answer_book book;
    alcore_status status = alcore__answers_begin(&book, annotations, path);
    if (status == ALCORE_OK)
        status =
            alcore__cells_read_each(annotations->object.ctx, path, 0 /* by the suffix */, columns,
                                    COLUMNS, PLAIN_FIELDS, take_line, note_fault, &book);
    return alcore__answers_end(&book, status, true);
}

alcore_status alcore_annotations_read_answers(alcore_annotations *annotations, const char *path) {
    return alcore__annotations_read(annotations, path, "alcore_annotations_read_answers",
                                    read_answers);
}
