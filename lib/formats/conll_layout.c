/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the layout of a CoNLL file (conll_layout.h). Ids are never taken for words: a first
 * column that counts the lines of the first sentence from 0 or 1 has ids. Cost: a few passes over
 * the lines of the first sentence. */
#include "formats/conll_layout.h"

#include <string.h>
#include <strings.h>

#include "alcore/remedy.h"

enum {
    UNIVERSAL_COLUMNS = 10,
    COLUMNS_2009 = 14, /* at least: ID FORM LEMMA PLEMMA POS ... FILLPRED PRED, then arguments */
    COLUMNS_2012 = 11, /* at least: document, part, number, word, POS, ... */
    MAX_COLUMNS = 1024 /* a column number that the options name is at most this */
};

static const char universal_names[] =
    "id form lemma upos xpos feats head deprel deps misc"; /* of CoNLL-U */
static const char names_2009[] =
    "id form lemma plemma pos ppos feat pfeat head phead deprel pdeprel fillpred pred";

typedef alcore__conll_cell cell;

static bool is_blank(char byte) {
    return byte == ' ' || byte == '\t';
}

/* ---- cells ---- */

bool alcore__conll_next(bool tabs, bool *begun, const char **text, size_t *length, cell *out) {
    size_t skip = 0, end;
    if (tabs) {
        if (*begun && *length == 0) return false;
        skip = *begun; /* the TAB before it */
    } else {
        while (skip < *length && is_blank((*text)[skip])) skip++;
        if (skip == *length) return false;
    }
    *begun = true;
    for (end = skip; end < *length; end++)
        if ((*text)[end] == '\t' || (!tabs && (*text)[end] == ' ')) break;
    *out = (cell){*text + skip, end - skip};
    *text += end;
    *length -= end;
    return true;
}

/* Counts the columns of a line. */
static int32_t count_cells(bool tabs, const char *text, size_t length) {
    bool begun = false;
    cell found;
    int32_t count = 0;
    while (alcore__conll_next(tabs, &begun, &text, &length, &found)) count++;
    return count;
}

/* Column `number`, from 0, of a line; an empty one where the line has fewer. */
static cell cell_at(bool tabs, const char *text, size_t length, int32_t number) {
    bool begun = false;
    cell found = {text, 0};
    for (int32_t i = 0; i <= number; i++)
        if (!alcore__conll_next(tabs, &begun, &text, &length, &found)) return (cell){text, 0};
    return found;
}

bool alcore__conll_is_id(cell id, char *out_kind) {
    size_t digits = 0;
    *out_kind = 0;
    for (size_t i = 0; i < id.length; i++) {
        const char byte = id.text[i];
        if (byte >= '0' && byte <= '9') {
            digits++;
        } else {
            if ((byte != '-' && byte != '.') || *out_kind || digits == 0) return false;
            *out_kind = byte;
            digits = 0;
        }
    }
    return digits > 0;
}

/* Whether a cell is that number, in digits. */
static bool is_number(cell found, int64_t number) {
    char digits[24];
    const int length = alcore__format(digits, sizeof digits, "%lld", (long long)number);
    return found.length == (size_t)length && memcmp(found.text, digits, found.length) == 0;
}

/* Whether a cell is a tag of IOB and its kin: O, B-PER, I-PER, or B and I alone. */
static bool is_iob(cell found) {
    if (found.length == 0 || !memchr("OBIESLUM", found.text[0], 8)) return false;
    return found.length == 1 || (found.length > 2 && found.text[1] == '-');
}

/* Whether a cell may be a label of a word: notes have spaces, "key=value" or addresses. */
static bool may_be_label(cell found) {
    return found.length > 0 && !memchr(found.text, ' ', found.length) &&
           !memchr(found.text, '=', found.length) && !memmem(found.text, found.length, "://", 3);
}

/* ---- the lines of the first sentence ---- */

/* Cuts the next line off *text [*length]. */
static bool next_line(const char **text, size_t *length, cell *out) {
    if (*length == 0) return false;
    const char *stop = memchr(*text, '\n', *length);
    out->text = *text;
    out->length = stop ? (size_t)(stop - *text) : *length;
    const size_t skip = out->length + (stop != NULL);
    *text += skip;
    *length -= skip;
    return true;
}

bool alcore__conll_is_mark(const char *text, size_t length) {
    static const char mark[] = "-DOCSTART-";
    const size_t bytes = sizeof mark - 1;
    return length >= bytes && memcmp(text, mark, bytes) == 0 &&
           (length == bytes || is_blank(text[bytes]));
}

/* The first line that is a token whatever the layout is, and its number; false: there is none. */
static bool find_token(const char *text, size_t length, cell *out, int64_t *number) {
    for (; next_line(&text, &length, out); ++*number)
        if (out->text[0] != '#' && !alcore__conll_is_mark(out->text, out->length)) return true;
    return false;
}

/* Whether column `column` of the lines that are no comments counts words; *out_words: how many. */
static bool counts(const alcore__conll_layout *layout, const char *text, size_t length,
                   int32_t column, int64_t *out_words) {
    cell line;
    int64_t first = 0, words = 0;
    char kind;
    while (next_line(&text, &length, &line)) {
        if (line.text[0] == '#' || alcore__conll_is_mark(line.text, line.length)) continue;
        const cell found = cell_at(layout->tabs, line.text, line.length, column);
        if (words > 0 && alcore__conll_is_id(found, &kind) && kind) continue;
        if (words == 0) first = is_number(found, 1);
        if (!is_number(found, first + words)) return false;
        words++;
    }
    *out_words = words;
    return words > 0;
}

/* Whether a cell has a small letter, as the one word of "# sentences" has. */
static bool has_small(cell found) {
    for (size_t i = 0; i < found.length; i++)
        if (found.text[i] >= 'a' && found.text[i] <= 'z') return true;
    return false;
}

static bool has_digit(cell found) {
    for (size_t i = 0; i < found.length; i++)
        if (found.text[i] >= '0' && found.text[i] <= '9') return true;
    return false;
}

/* Whether the first column has something else than words, though it does not count them: ranges
 * or parts of numbers in each line (1-1, 1-2, ...), or, where two more columns may have word and
 * tag, numbers in each, or the same cell with a digit, or in four lines or more any, which is the
 * name of a document or sentence. */
static bool has_other_ids(const alcore__conll_layout *layout, const char *text, size_t length) {
    cell line, first = {text, 0};
    int64_t words = 0;
    bool same = true, ids = true, parts = true;
    while (next_line(&text, &length, &line)) {
        char kind;
        if (line.text[0] == '#' || alcore__conll_is_mark(line.text, line.length)) continue;
        const cell found = cell_at(layout->tabs, line.text, line.length, 0);
        if (words++ == 0) first = found;
        same = same && found.length == first.length &&
               memcmp(found.text, first.text, found.length) == 0;
        ids = ids && alcore__conll_is_id(found, &kind);
        parts = parts && ids && kind;
    }
    const bool names = same && (words > 3 || has_digit(first));
    return words > 1 && (parts || ((ids || names) && layout->columns > 2));
}

/* Whether a column has a tag of IOB in each of these lines that is no comment. */
static bool is_iob_column(const alcore__conll_layout *layout, const char *text, size_t length,
                          int32_t column) {
    cell line;
    bool all = true;
    while (all && next_line(&text, &length, &line))
        all = line.text[0] == '#' || alcore__conll_is_mark(line.text, line.length) ||
              is_iob(cell_at(layout->tabs, line.text, line.length, column));
    return all;
}

/* Whether the first column has the tags, and the last one, which would have them, has not: each
 * line has one, and one of them is no word either (B-PER), or all are O. */
static bool has_tags_first(const alcore__conll_layout *layout, const char *text, size_t length) {
    if (!is_iob_column(layout, text, length, 0) ||
        is_iob_column(layout, text, length, layout->columns - 1))
        return false;
    cell line;
    int64_t words = 0;
    bool outside = true, named = false;
    while (next_line(&text, &length, &line)) {
        if (line.text[0] == '#' || alcore__conll_is_mark(line.text, line.length)) continue;
        const cell found = cell_at(layout->tabs, line.text, line.length, 0);
        words++;
        named = named || found.length > 2;
        outside = outside && *found.text == 'O';
    }
    return words > 1 && (named || outside);
}

/* The first such column from `from` on; -1: none. */
static int32_t find_iob(const alcore__conll_layout *layout, const char *text, size_t length,
                        int32_t from) {
    for (int32_t column = from; column < layout->columns; column++)
        if (is_iob_column(layout, text, length, column)) return column;
    return -1;
}

/* ---- columns by name ---- */

/* The number, from 0, of a name in a list with spaces between them, in any case; -1: none. */
static int32_t find_name(const char *names, const char *name) {
    const size_t bytes = strlen(name);
    int32_t number = 0;
    for (const char *next = names; *next; number++) {
        const size_t length = strcspn(next, " ");
        if (length == bytes && bytes > 0 && strncasecmp(next, name, bytes) == 0) return number;
        next += length + (next[length] == ' ');
    }
    return -1;
}

/* The names that the columns of a layout have. */
static const char *names_of(const alcore__conll_layout *layout) {
    return layout->names[0]                          ? layout->names
           : layout->kind == ALCORE__CONLL_UNIVERSAL ? universal_names
           : layout->kind == ALCORE__CONLL_2009      ? names_2009
                                                     : "";
}

/* The column, from 0, that the options name: by its number from 1, where the name is digits alone,
 * or by its name. */
static alcore_status find_column(const alcore__conll_layout *layout,
                                 const alcore__line_reader *lines, const char *name, int32_t *out) {
    int64_t number = 0;
    const char *next = name;
    for (; *next >= '0' && *next <= '9' && number <= MAX_COLUMNS; next++)
        number = number * 10 + (*next - '0');
    *out = *name && !*next ? (int32_t)(number - 1) : find_name(names_of(layout), name);
    if (*out >= 0 && *out < layout->columns) return ALCORE_OK;
    const char *names = names_of(layout);
    return alcore__fail(ALCORE_E_PARAM,
                        "%s:%lld: no column is called \"%s\"; the line has the columns 1 to %d%s%s",
                        lines->path, (long long)lines->line, name, (int)layout->columns,
                        *names ? ", which are also called " : "", names);
}

/* ---- the kind of file ---- */

/* CoNLL-U Plus: the columns are those of its first line. */
static alcore_status use_names(alcore__conll_layout *layout, const alcore__line_reader *lines) {
    const int32_t form = find_name(layout->names, "form"), upos = find_name(layout->names, "upos");
    layout->kind = ALCORE__CONLL_UNIVERSAL;
    layout->columns = count_cells(false, layout->names, strlen(layout->names));
    layout->id = find_name(layout->names, "id");
    layout->token = form;
    layout->tag = upos >= 0 ? upos : layout->columns - 1;
    if (layout->tag == form || layout->tag == layout->id) layout->tag = -1;
    if (form >= 0) return ALCORE_OK;
    return alcore__fail_remedy(
        alcore__lines_fail(lines, "global.columns names no column FORM: it has %s", layout->names),
        ALCORE_REMEDY_OPTION, "text_column", "NAME", "names the column of the words");
}

/* Whether the first token line is one of CoNLL-2009: heads, and whether the word is a predicate. */
static bool is_2009(const alcore__conll_layout *layout, cell line) {
    const cell filled = cell_at(layout->tabs, line.text, line.length, 12);
    const cell head = cell_at(layout->tabs, line.text, line.length, 8);
    char kind;
    return layout->columns >= COLUMNS_2009 && filled.length == 1 &&
           (*filled.text == '_' || *filled.text == 'Y') &&
           ((head.length == 1 && *head.text == '_') || alcore__conll_is_id(head, &kind));
}

/* The error of a first column that may have ids. */
static alcore_status fail_ids(const alcore__line_reader *lines, cell first) {
    return alcore__fail_remedy(
        alcore__lines_fail(lines,
                           "the first column may have ids or words: the first sentence has "
                           "\"%.*s\" there",
                           (int)(first.length < 40 ? first.length : 40), first.text),
        ALCORE_REMEDY_OPTION, "text_column", "2", "reads the second column as words, 1 the first");
}

/* The error of a first column that has tags. */
static alcore_status fail_tags(const alcore__line_reader *lines) {
    return alcore__fail_remedy(
        alcore__lines_fail(lines, "the first column has tags in the first sentence, not words"),
        ALCORE_REMEDY_OPTION, "text_column", "2",
        "reads the second column as words, and reference_column=1 the first one as tags");
}

/* Whether a cell is one of some words with spaces between them, in any case. */
static bool is_one_of(cell found, const char *words) {
    for (const char *next = words; *next;) {
        const size_t length = strcspn(next, " ");
        if (length == found.length && strncasecmp(next, found.text, length) == 0) return true;
        next += length + (next[length] == ' ');
    }
    return false;
}

/* Refuses a first line that names the columns, as tables have one: its names would be a word and a
 * tag. It has words in one of the first three columns, and ids in the first or tags in the last. */
static alcore_status refuse_header(const alcore__conll_layout *layout,
                                   const alcore__line_reader *lines, cell line) {
    const cell first = cell_at(layout->tabs, line.text, line.length, 0);
    const cell last = cell_at(layout->tabs, line.text, line.length, layout->columns - 1);
    bool words = false;
    for (int32_t column = 0; column < layout->columns && column < 3; column++)
        words = words || is_one_of(cell_at(layout->tabs, line.text, line.length, column),
                                   "token tokens word words form text");
    if (layout->columns < 2 || !words ||
        (!is_one_of(first, "id index token_id word_id sent_id sentence_id doc_id") &&
         !is_one_of(last, "tag tags label labels ner ner_tag ner_tags pos upos pos_tag bio iob")))
        return ALCORE_OK;
    return alcore__lines_fail(lines,
                              "the line names columns, which CoNLL has no line for: delete it");
}

/* Sets kind, id, token and tag of a file whose columns have no names. text [length]: the sentence;
 * line: its first token. */
static alcore_status find_kind(alcore__conll_layout *layout, const alcore__line_reader *lines,
                               const char *text, size_t length, cell line) {
    char kind;
    int64_t words = 0;
    const cell first = cell_at(layout->tabs, line.text, line.length, 0);
    const cell second = cell_at(layout->tabs, line.text, line.length, 1);
    const bool has_id = alcore__conll_is_id(first, &kind);
    *layout = (alcore__conll_layout){.columns = layout->columns,
                                     .tabs = layout->tabs,
                                     .line = layout->line,
                                     .id = -1,
                                     .tag = layout->columns > 1 ? layout->columns - 1 : -1};
    if (has_id && layout->columns == UNIVERSAL_COLUMNS) {
        layout->kind = ALCORE__CONLL_UNIVERSAL;
        layout->id = 0, layout->token = 1, layout->tag = 3;
    } else if (has_id && is_2009(layout, line)) {
        layout->kind = ALCORE__CONLL_2009;
        layout->id = 0, layout->token = 1, layout->tag = 4;
    } else if (layout->columns >= COLUMNS_2012 && alcore__conll_is_id(second, &kind) && !kind &&
               counts(layout, text, length, 2, &words)) {
        layout->kind = ALCORE__CONLL_2012;
        layout->id = 2, layout->token = 3, layout->tag = 4;
    } else if (layout->columns > 1 && counts(layout, text, length, 0, &words)) {
        if (words == 1 || layout->columns == 2) return fail_ids(lines, first);
        layout->id = 0, layout->token = 1;
        const int32_t iob = find_iob(layout, text, length, 2);
        if (iob > 0) layout->tag = iob;
    } else if (layout->columns > 1 && has_other_ids(layout, text, length)) {
        return fail_ids(lines, first);
    } else if (layout->columns > 1 && has_tags_first(layout, text, length)) {
        return fail_tags(lines);
    }
    return ALCORE_OK;
}

/* Sets the columns that the options name. */
static alcore_status use_options(alcore__conll_layout *layout, const alcore_read_options *options,
                                 const alcore__line_reader *lines) {
    if (options && options->text_column)
        ALCORE__TRY(find_column(layout, lines, options->text_column, &layout->token));
    if (options && options->reference_column)
        return find_column(layout, lines, options->reference_column, &layout->tag);
    if (layout->tag == layout->token) layout->tag = -1; /* words are no tags of themselves */
    return ALCORE_OK;
}

/* Finds kind and columns, where line is the first line that has a token. A word in a column that
 * the options name needs no guess. */
static alcore_status find_columns(alcore__conll_layout *layout, const alcore_read_options *options,
                                  const alcore__line_reader *lines, const char *text, size_t length,
                                  cell line) {
    alcore_status status = ALCORE_OK;
    layout->line = lines->line;
    layout->tabs = memchr(line.text, '\t', line.length) != NULL;
    if (layout->names[0]) {
        status = use_names(layout, lines);
    } else {
        layout->columns = count_cells(layout->tabs, line.text, line.length);
        ALCORE__TRY(refuse_header(layout, lines, line));
        status = find_kind(layout, lines, text, length, line);
    }
    if (status == ALCORE_E_DATA && options && options->text_column) status = ALCORE_OK;
    ALCORE__TRY(status);
    ALCORE__TRY(use_options(layout, options, lines));
    layout->has_tags = layout->tag >= 0 &&
                       is_iob(cell_at(layout->tabs, line.text, line.length,
                                      layout->tag)) && /* it may begin with # */
                       is_iob_column(layout, text, length, layout->tag);
    return ALCORE_OK;
}

/* The first of some lines that all begin with # that is a token all the same: one with a label in
 * its last column. */
static bool find_hash(const char *text, size_t length, cell *out, int64_t *number) {
    for (; next_line(&text, &length, out); ++*number) {
        const bool tabs = memchr(out->text, '\t', out->length) != NULL;
        const int32_t columns = count_cells(tabs, out->text, out->length);
        if (columns < 2 || out->text[0] != '#') continue;
        const cell last = cell_at(tabs, out->text, out->length, columns - 1);
        if (is_iob(last) || (tabs && columns == 2 && may_be_label(last))) return true;
    }
    return false;
}

alcore_status alcore__conll_find_layout(alcore__conll_layout *layout,
                                        const alcore_read_options *options,
                                        const alcore__line_reader *lines, const char *text,
                                        size_t length, bool *out_found) {
    alcore__line_reader at = *lines; /* for error texts */
    cell line = {text, 0};
    *out_found = find_token(text, length, &line, &at.line);
    if (!*out_found) {
        at.line = lines->line;
        *out_found = find_hash(text, length, &line, &at.line);
    }
    return *out_found ? find_columns(layout, options, &at, text, length, line) : ALCORE_OK;
}

/* ---- comments ---- */

/* Whether a line has too few or too many columns to be a token. */
static bool has_other_columns(const alcore__conll_layout *layout, const char *text, size_t length) {
    const int32_t columns = count_cells(layout->tabs, text, length);
    const bool open = layout->kind == ALCORE__CONLL_2009 || layout->kind == ALCORE__CONLL_2012;
    return open ? columns < layout->columns : columns != layout->columns;
}

alcore_status alcore__conll_is_comment(const alcore__conll_layout *layout,
                                       const alcore__line_reader *lines, const char *text,
                                       size_t length, bool *out) {
    char kind;
    const cell tag = cell_at(layout->tabs, text, length, layout->tag >= 0 ? layout->tag : 0);
    *out = true;
    if (layout->id >= 0) { /* a token has a number there */
        *out = !alcore__conll_is_id(cell_at(layout->tabs, text, length, layout->id), &kind);
        return ALCORE_OK;
    }
    if (!layout->tabs && memchr(text, '\t', length)) return ALCORE_OK;
    if (has_other_columns(layout, text, length)) return ALCORE_OK;
    const cell token = cell_at(layout->tabs, text, length, layout->token);
    const bool has_space = memchr(token.text, ' ', token.length);
    const bool word = !layout->has_tags && !layout->tabs && layout->columns == 2 &&
                      token.length == 1 && has_small(tag);
    *out = layout->has_tags ? !is_iob(tag) : has_space;
    if (*out || (!has_space && !word && (layout->tag < 0 || layout->has_tags || may_be_label(tag))))
        return ALCORE_OK;
    return alcore__lines_fail(lines,
                              "\"%.*s\" may be a comment or a token: it has %d columns, as tokens "
                              "have; delete it if it is a comment",
                              (int)(length < 60 ? length : 60), text, (int)layout->columns);
}
