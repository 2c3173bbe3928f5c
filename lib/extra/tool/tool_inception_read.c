/* SPDX-License-Identifier: Apache-2.0 */
/* Reading WebAnno TSV 3 (tool_inception.c) of INCEpTION and WebAnno. Behind its offsets and its
 * text a word has a column for each feature of each layer that the head of the file names. Spans
 * are those of the feature `value` of named entities, else of another layer of spans; tags those of
 * PosValue of parts of speech. "_" is no annotation, "A|B" are two, and "A[1]" goes on where the
 * number stands again. A row whose number has a point, as 1-2.1, is a part of a word. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "extra/tool/tool_inception.h"
#include "extra/tool/tool_record.h"
#include "formats/line_reader.h"
#include "text/utf8.h"
#include "text/words.h"

/* A piece of an annotation: what one row has of it. */
typedef struct piece {
    int64_t number; /* of the annotation; 0: it has none */
    int64_t begin, end;
    const char *label;
} piece;

typedef struct inception_reader {
    alcore__tool_record record; /* its strings are those of the sentence */
    alcore__buffer id, text;
    int64_t column;       /* of the label, from 0 behind the text of the word; -1: there is none */
    int64_t columns;      /* so far */
    int32_t rank;         /* how well the column fits */
    int64_t base, end;    /* offset of the sentence, and of the end of its last word */
    int64_t words, given; /* rows of whole words, and those that have a tag */
    bool moved;           /* a word is not next in the text */
    bool damaged;         /* a row of the sentence was refused, and so is what is left of it */
    size_t at;            /* bytes of the text behind the last word */
    alcore__buffer tags;  /* of the words, with a space between them */
    piece *pieces;        /* [count] */
    size_t count, capacity;
} inception_reader;

/* Undoes escapes in place: a backslash and a letter for a control character, or before a character
 * that stands for itself. */
static void unescape(char *text) {
    static const char names[] = "tnfrb", meanings[] = "\t\n\f\r\b";
    char *out = text;
    for (const char *in = text; *in; in++) {
        const char *name = *in == '\\' && in[1] ? strchr(names, in[1]) : NULL;
        if (*in == '\\' && in[1]) in++;
        *out++ = name ? meanings[name - names] : *in;
    }
    *out = '\0';
}

/* Appends the text of a comment line, with its escape sequences decoded. */
static alcore_status read_text(inception_reader *self, alcore__buffer *into, const char *text,
                               size_t length) {
    const size_t begin = into->length;
    ALCORE__TRY(alcore__buffer_append(self->record.ctx, into, text, length));
    unescape(into->data + begin);
    into->length = begin + strlen(into->data + begin);
    return ALCORE_OK;
}

/* ---- the head of the file ---- */

static bool equals(const char *text, size_t length, const char *other) {
    return strlen(other) == length && memcmp(text, other, length) == 0;
}

/* How well a feature of a layer of spans fits the task; 0: not at all. */
static int32_t fit(const inception_reader *self, const char *layer, size_t layer_length,
                   const char *feature, size_t length) {
    if (self->record.options->task == ALCORE_TASK_TAGS)
        return equals(layer, layer_length, ALCORE__INCEPTION_POS) &&
                       equals(feature, length, "PosValue")
                   ? 1
                   : 0;
    if (equals(layer, layer_length, ALCORE__INCEPTION_ENTITY))
        return equals(feature, length, "value") ? 3 : 0;
    if (memmem(layer, layer_length, ".lexmorph.", 10) ||
        memmem(layer, layer_length, ".segmentation.", 14) ||
        (length > 5 && memcmp(feature, "ROLE_", 5) == 0) || memchr(feature, '.', length))
        return 0;
    return equals(feature, length, "value") ? 2 : 1;
}

/* Reads a layer, "#T_SP=NAME|FEATURE|...": each feature is a column, and a layer without one has a
 * column too. */
static void read_layer(inception_reader *self, const char *line, size_t length) {
    const bool spans = line[3] == 'S';
    const char *layer = line + 6, *end = line + length;
    const char *bar = memchr(layer, '|', (size_t)(end - layer));
    const size_t layer_length = (size_t)((bar ? bar : end) - layer);
    do {
        const char *feature = bar ? bar + 1 : end;
        bar = memchr(feature, '|', (size_t)(end - feature));
        const size_t bytes = (size_t)((bar ? bar : end) - feature);
        const int32_t rank = spans ? fit(self, layer, layer_length, feature, bytes) : 0;
        if (rank > self->rank) {
            self->rank = rank;
            self->column = self->columns;
        }
        self->columns++;
    } while (bar);
}

/* ---- words ---- */

/* Cuts the part before a character off *text [*length]; the whole where it is not there. */
static const char *cut(const char **text, size_t *length, char before, size_t *bytes) {
    const char *part = *text, *found = memchr(part, before, *length);
    *bytes = found ? (size_t)(found - part) : *length;
    *text += *bytes + (found != NULL);
    *length -= *bytes + (found != NULL);
    return part;
}

/* The next annotation of a column, ended by NUL; NULL: there is none. *number: in brackets behind
 * it. The bar that separates two has no backslash before it. */
static char *next_value(char **rest, int64_t *number) {
    char *value = *rest, *end = value, *bracket = NULL;
    if (!value) return NULL;
    for (; *end && *end != '|'; end++) {
        if (*end == '\\' && end[1])
            end++;
        else if (*end == '[')
            bracket = end;
    }
    *rest = *end ? end + 1 : NULL;
    *end = '\0';
    *number = 0;
    if (bracket && end[-1] == ']' &&
        alcore__parse_int(bracket + 1, (size_t)(end - bracket) - 2, number))
        *bracket = '\0';
    return value;
}

/* Reads the annotations of a row. */
static alcore_status read_values(inception_reader *self, char *values, int64_t begin, int64_t end) {
    int64_t number;
    for (char *rest = values, *value; (value = next_value(&rest, &number));) {
        if (strcmp(value, "_") == 0) continue;
        if (strcmp(value, "*") == 0) *value = '\0'; /* an annotation without a label */
        unescape(value);
        ALCORE__TRY(alcore__grow(self->record.ctx, &self->pieces, &self->capacity, self->count + 1,
                                 sizeof *self->pieces));
        /* A begin is never negative; an end before it is beyond every text. */
        self->pieces[self->count++] =
            (piece){number, begin - self->base, end < begin ? -1 : end - self->base, value};
    }
    return ALCORE_OK;
}

/* Reads the tag of a whole word, which has to be next in the text. */
static alcore_status read_tag(inception_reader *self, const char *word, size_t length,
                              char *values) {
    const char *end = self->text.data + self->text.length, *next = self->text.data + self->at;
    const char *wanted;
    size_t bytes;
    int64_t number;
    char *value = next_value(&values, &number);
    const bool given = value && strcmp(value, "_") != 0 && strcmp(value, "*") != 0;
    if (!alcore__word_next(&next, end, &wanted, &bytes) || bytes != length ||
        memcmp(wanted, word, length) != 0)
        self->moved = true;
    self->at = (size_t)(next - self->text.data);
    self->given += given;
    if (given) unescape(value);
    return alcore__buffer_format(self->record.ctx, &self->tags, "%s%s",
                                 self->words++ > 0 ? " " : "", given ? value : "_");
}

/* Reads a row, "1-2<TAB>4-8<TAB>Haag<TAB>...". */
static alcore_status read_row(inception_reader *self, const char *line, size_t length) {
    size_t id_bytes, bytes, word_bytes, value_bytes = 1;
    int64_t begin, end;
    const char *id = cut(&line, &length, '\t', &id_bytes);
    const char *offsets = cut(&line, &length, '\t', &bytes), *value = "_";
    const char *hyphen = memchr(offsets, '-', bytes);
    const char *word = cut(&line, &length, '\t', &word_bytes);
    if (!hyphen || !alcore__parse_int(offsets, (size_t)(hyphen - offsets), &begin) ||
        !alcore__parse_int(hyphen + 1, bytes - (size_t)(hyphen - offsets) - 1, &end)) {
        self->damaged = true;
        return alcore__tool_record_refuse(&self->record, "a word has no offsets: %.*s",
                                          (int)(bytes < 60 ? bytes : 60), offsets);
    }
    for (int64_t column = 0; column <= self->column; column++)
        value = cut(&line, &length, '\t', &value_bytes);
    if (value_bytes == 0) value = "_", value_bytes = 1;
    char *kept;
    ALCORE__TRY(
        alcore__arena_text(self->record.ctx, &self->record.strings, value, value_bytes, &kept));
    const bool part = memchr(id, '.', id_bytes);
    if (self->words == 0 && !part) self->base = begin;
    if (!part) self->end = end;
    if (self->record.options->task == ALCORE_TASK_SPANS) {
        self->words += !part;
        return read_values(self, kept, begin, end);
    }
    return part ? ALCORE_OK : read_tag(self, word, word_bytes, kept);
}

/* ---- sentences ---- */

static int compare_numbers(const void *left, const void *right) {
    const piece *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* Adds the spans of the pieces: those with one number are one span, from first to last. */
static alcore_status join_pieces(inception_reader *self) {
    ALCORE__TRY(alcore__sort(self->record.ctx, self->pieces, self->count, sizeof *self->pieces,
                             compare_numbers));
    for (size_t i = 0; i < self->count;) {
        piece joined = self->pieces[i++];
        for (; joined.number != 0 && i < self->count && self->pieces[i].number == joined.number;
             i++) {
            if (self->pieces[i].begin < joined.begin) joined.begin = self->pieces[i].begin;
            if (self->pieces[i].end > joined.end) joined.end = self->pieces[i].end;
        }
        ALCORE__TRY(alcore__tool_answer_span(&self->record, (double)joined.begin,
                                             (double)joined.end, joined.label));
    }
    return ALCORE_OK;
}

/* *out: whether the last word ends before the text does, as in a file that was cut. */
static alcore_status is_cut(inception_reader *self, bool *out) {
    alcore__tool_record *record = &self->record;
    size_t length = self->text.length;
    while (length > 0 && alcore__is_word_space(self->text.data[length - 1])) length--;
    ALCORE__TRY(alcore__span_text_begin(record->ctx, &record->text, self->text.data, length,
                                        record->options->span_unit));
    *out = self->end >= self->base && self->end - self->base < record->text.units;
    return ALCORE_OK;
}

/* Adds the answer of a sentence that has words, an id and annotations. */
static alcore_status add_sentence(inception_reader *self) {
    alcore__tool_record *record = &self->record;
    const char *id = self->id.data, *text = self->text.data;
    if (alcore__utf8_check(text, self->text.length) < self->text.length)
        return alcore__tool_record_refuse(record, "item %s: its text is not UTF-8", id);
    const bool spans = record->options->task == ALCORE_TASK_SPANS;
    const char *next = text + self->at, *word;
    size_t bytes;
    bool other = self->moved;
    if (spans)
        ALCORE__TRY(is_cut(self, &other));
    else
        other = other || alcore__word_next(&next, text + self->text.length, &word, &bytes);
    if (other)
        return alcore__tool_record_refuse(record, "item %s: its words are not those of its text",
                                          id);
    if (spans) {
        alcore__tool_answer_begin(record, id, text, "ok");
        ALCORE__TRY(join_pieces(self));
        return alcore__tool_answer_end(record);
    }
    alcore__tool_answer_begin(record, id, text, self->given == self->words ? "ok" : "draft");
    record->answer.value = self->tags.data;
    return alcore__tool_answers_add(record->into, &record->answer);
}

/* Ends a sentence: adds its answer where it has one, and forgets it. */
static alcore_status end_sentence(inception_reader *self) {
    alcore_status status = ALCORE_OK;
    const bool open = self->count == 0 && self->given == 0;
    if (self->words > 0 && self->id.length == 0)
        status = alcore__tool_record_refuse(&self->record, "the sentence has no #Sentence.id");
    else if (self->words > 0 && !open && !self->damaged)
        status = add_sentence(self);
    self->id.length = self->text.length = self->tags.length = self->count = self->at = 0;
    self->text.data[0] = '\0';
    self->words = self->given = self->record.answer.line = 0;
    self->moved = self->damaged = false;
    alcore__arena_clear(self->record.ctx, &self->record.strings);
    return status;
}

/* Whether a line begins so. */
static bool begins(const char *line, size_t length, const char *with) {
    return length >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* Other forms of documents that INCEpTION exports, by how they begin. */
static const struct {
    const char *begin, *is;
} other_forms[] = {{"<", "XML, as a UIMA CAS in XMI is"},
                   {"{", "JSON, as a UIMA CAS in JSON is"},
                   {"PK\003\004", "a ZIP archive, as exports of several files are"}};

/* The error of a first line that does not begin the form. */
static alcore_status refuse_form(const alcore__line_reader *lines, const char *line,
                                 size_t length) {
    for (size_t i = 0; i < sizeof other_forms / sizeof *other_forms; i++)
        if (begins(line, length, other_forms[i].begin))
            return alcore__lines_fail(lines,
                                      "it is %s; what is read is the document that INCEpTION "
                                      "exports as \"WebAnno TSV v3.3\"",
                                      other_forms[i].is);
    return alcore__lines_fail(lines, "WebAnno TSV 3 begins with #FORMAT=WebAnno TSV 3.3");
}

static alcore_status read_line(void *user, const alcore__line_reader *lines, char *line,
                               size_t length) {
    inception_reader *self = user;
    static const char id[] = "#Sentence.id=", text[] = "#Text=";
    if (lines->line == 1 && !begins(line, length, "#FORMAT=WebAnno TSV 3."))
        return refuse_form(lines, line, length);
    if (length == 0) return end_sentence(self);
    if (self->record.answer.line == 0) self->record.answer.line = lines->line;
    if (begins(line, length, "#T_SP=") || begins(line, length, "#T_CH=") ||
        begins(line, length, "#T_RL=")) {
        read_layer(self, line, length);
        return ALCORE_OK;
    }
    if (begins(line, length, id)) {
        self->id.length = 0;
        return read_text(self, &self->id, line + sizeof id - 1, length - (sizeof id - 1));
    }
    if (begins(line, length, text)) {
        if (self->text.length > 0)
            ALCORE__TRY(alcore__buffer_append(self->record.ctx, &self->text, "\n", 1));
        return read_text(self, &self->text, line + sizeof text - 1, length - (sizeof text - 1));
    }
    return *line == '#' ? ALCORE_OK : read_row(self, line, length);
}

alcore_status alcore__tool_inception_read(alcore_ctx *ctx, const char *path,
                                          const alcore_tool_options *options,
                                          alcore_tool_answers *into) {
    inception_reader self = {.record = {.ctx = ctx, .options = options, .into = into},
                             .column = -1};
    alcore__line_reader lines;
    alcore_status status = alcore__lines_open(&lines, ctx, path, 0);
    alcore__buffer *const strings[] = {&self.id, &self.text, &self.tags};
    for (int i = 0; i < 3 && status == ALCORE_OK; i++) /* from here on they have data */
        status = alcore__buffer_append(ctx, strings[i], "", 0);
    if (status == ALCORE_OK) status = alcore__lines_each(&lines, read_line, &self);
    if (status == ALCORE_OK && lines.line == 0)
        status = alcore__fail(ALCORE_E_DATA, "%s is empty: it is no WebAnno TSV", path);
    if (status == ALCORE_OK) status = end_sentence(&self);
    alcore__lines_close(&lines);
    alcore__tool_record_clear(&self.record);
    for (int i = 0; i < 3; i++) alcore__buffer_clear(ctx, strings[i]);
    alcore__free(ctx, self.pieces);
    return status;
}
