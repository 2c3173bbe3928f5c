/* SPDX-License-Identifier: Apache-2.0 */
/* Reading sentences with tags (tool_conll.c). Columns are separated by TABs, or by spaces where a
 * line has no TAB; the word is the first and its tag the last, or those of CoNLL-U. Before the
 * first word of a sentence comments "# NAME = VALUE" say its id (or sent_id), text, status,
 * annotator, time and comment.
 *
 * Spans are IOB2; also B, I, E, S and B, I, L, U of other schemes are understood, and an I that
 * follows nothing of its label begins a span. Where a sentence has a tag, _ of spans is O; of tags
 * it makes a draft, as one with _ alone is open. */
#include <string.h>

#include "extra/annotation/answer_words.h"
#include "extra/tool/tool_conll.h"
#include "extra/tool/tool_record.h"
#include "formats/line_reader.h"
#include "text/utf8.h"
#include "text/words.h"

/* Comments that are read. */
enum { ID, TEXT, STATUS, ANNOTATOR, TIME, COMMENT, BATCH, COMMENTS };
static const char *const comment_names[COMMENTS] = {
    [ID] = "id",     [TEXT] = "text",       [STATUS] = "status", [ANNOTATOR] = "annotator",
    [TIME] = "time", [COMMENT] = "comment", [BATCH] = "batch"};

/* A word and its tag, in the strings of the record. */
typedef struct tagged {
    const char *word, *tag;
} tagged;

typedef struct conll_reader {
    alcore__tool_record record; /* its strings are those of the sentence */
    const char *comments[COMMENTS];
    tagged *words; /* [count] */
    size_t count, capacity;
    bool has_words; /* a line of the file has */
} conll_reader;

/* *out: a copy of text [length] that lives as long as the sentence. */
static alcore_status keep(conll_reader *self, const char *text, size_t length, const char **out) {
    return alcore__arena_text(self->record.ctx, &self->record.strings, text, length, out);
}

/* Reads "# NAME = VALUE"; any other comment is passed over. */
static alcore_status read_comment(conll_reader *self, const char *line, size_t length) {
    const char *equals = memmem(line, length, " = ", 3);
    if (!equals || length < 2 || line[1] != ' ') return ALCORE_OK;
    const char *name = line + 2, *value = equals + 3;
    size_t bytes = (size_t)(equals - name);
    if (equals < name) return ALCORE_OK;
    if (bytes == 7 && memcmp(name, "sent_id", 7) == 0) name += 5, bytes = 2;
    for (int i = 0; i < COMMENTS; i++)
        if (strlen(comment_names[i]) == bytes && memcmp(name, comment_names[i], bytes) == 0)
            return keep(self, value, length - (size_t)(value - line), &self->comments[i]);
    return ALCORE_OK;
}

/* Where the word and the tag of a line are; a line of one column has no tag. */
typedef struct columns {
    const char *word, *tag;
    size_t word_bytes, tag_bytes; /* no bytes of the tag: there is none */
} columns;

/* Cuts the column behind *at off. */
static const char *next_column(const char **at, const char *end, size_t *bytes) {
    const char *column = *at, *tab = memchr(column, '\t', (size_t)(end - column));
    *bytes = (size_t)((tab ? tab : end) - column);
    *at = tab ? tab + 1 : end;
    return column;
}

/* Whether a line is one of CoNLL-U, ten columns of which the first is a number; *out: its form and
 * its universal part of speech. A range of words and an empty node have no word. */
static bool find_universal(const char *line, const char *end, columns *out) {
    const char *at = line;
    size_t bytes, tabs = 0;
    for (const char *c = line; c < end; c++) tabs += *c == '\t';
    const char *id = next_column(&at, end, &bytes);
    if (tabs != 9 || bytes == 0 || id[0] < '0' || id[0] > '9') return false;
    const bool whole = !memchr(id, '-', bytes) && !memchr(id, '.', bytes);
    out->word = next_column(&at, end, &out->word_bytes);
    next_column(&at, end, &bytes); /* the lemma */
    out->tag = next_column(&at, end, &out->tag_bytes);
    if (!whole) out->word_bytes = 0;
    return true;
}

/* The first and the last column. */
static columns find_ends(const char *line, const char *end) {
    const bool tabs = memchr(line, '\t', (size_t)(end - line)) != NULL;
    const char *word_end = line, *tag = end;
    while (word_end < end && *word_end != '\t' && (tabs || *word_end != ' ')) word_end++;
    while (tag > word_end && tag[-1] != '\t' && (tabs || tag[-1] != ' ')) tag--;
    return (columns){line, tag, (size_t)(word_end - line),
                     tag > word_end ? (size_t)(end - tag) : 0};
}

/* Reads a word and its tag. */
static alcore_status read_word(conll_reader *self, const char *line, size_t length) {
    columns found;
    if (!find_universal(line, line + length, &found)) found = find_ends(line, line + length);
    tagged made = {NULL, "_"};
    if (found.word_bytes == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(self->record.ctx, &self->words, &self->capacity, self->count + 1,
                             sizeof *self->words));
    ALCORE__TRY(keep(self, found.word, found.word_bytes, &made.word));
    if (found.tag_bytes > 0) ALCORE__TRY(keep(self, found.tag, found.tag_bytes, &made.tag));
    self->words[self->count++] = made;
    self->has_words = true;
    return ALCORE_OK;
}

/* The label of a tag of spans, behind its prefix; NULL: it has none, as O. */
static const char *label_of(const char *tag) {
    return strchr("BIESLUM", tag[0]) && tag[0] && tag[1] == '-' ? tag + 2 : NULL;
}

/* Makes the text of the words where the file does not have it. */
static alcore_status make_text(conll_reader *self) {
    alcore__buffer *text = &self->record.labels;
    text->length = 0;
    for (size_t i = 0; i < self->count; i++)
        ALCORE__TRY(alcore__buffer_format(self->record.ctx, text, "%s%s", i > 0 ? " " : "",
                                          self->words[i].word));
    return keep(self, text->data, text->length, &self->comments[TEXT]);
}

/* Adds the spans of the tags, whose words are found in the text one after the other. *out: the
 * first word that is not there, or whose tag is no tag of spans, from 1, or the one behind the last
 * where the text goes on, as in a file that was cut; 0: none. */
static alcore_status read_spans(conll_reader *self, size_t *out) {
    const char *text = self->comments[TEXT], *at = text, *end = text + strlen(text);
    const char *label = NULL, *rest;
    int64_t points = 0, begin = 0, stop = 0;
    size_t rest_bytes;
    for (size_t i = 0; i < self->count; i++) {
        const char *word = self->words[i].word, *tag = self->words[i].tag;
        const size_t bytes = strlen(word);
        const char *found = memmem(at, (size_t)(end - at), word, bytes);
        const char *own = label_of(tag);
        *out = i + 1;
        if (!found || (!own && strcmp(tag, "O") != 0 && strcmp(tag, "_") != 0)) return ALCORE_OK;
        points += alcore__utf8_count(at, (size_t)(found - at));
        const bool begins = own && (strchr("BSU", *tag) || !label || strcmp(own, label) != 0);
        if (label && (!own || begins))
            ALCORE__TRY(
                alcore__tool_answer_span(&self->record, (double)begin, (double)stop, label));
        if (begins) begin = points;
        label = own;
        points += alcore__utf8_count(word, bytes);
        stop = points;
        at = found + bytes;
    }
    *out = alcore__word_next(&at, end, &rest, &rest_bytes) ? self->count + 1 : 0;
    return label ? alcore__tool_answer_span(&self->record, (double)begin, (double)stop, label)
                 : ALCORE_OK;
}

/* Makes the value of tags; *out: whether the words are those of the text. */
static alcore_status read_tags(conll_reader *self, bool *out) {
    const char *text = self->comments[TEXT], *end = text + strlen(text), *next = text, *word;
    alcore__buffer *value = &self->record.labels;
    size_t bytes;
    *out = true;
    value->length = 0;
    for (size_t i = 0; i < self->count && *out; i++) {
        *out = alcore__word_next(&next, end, &word, &bytes) &&
               strlen(self->words[i].word) == bytes &&
               memcmp(self->words[i].word, word, bytes) == 0;
        ALCORE__TRY(alcore__buffer_format(self->record.ctx, value, "%s%s", i > 0 ? " " : "",
                                          self->words[i].tag));
    }
    *out = *out && !alcore__word_next(&next, end, &word, &bytes);
    self->record.answer.value = value->data;
    return ALCORE_OK;
}

/* The status of a sentence of which `given` words have a tag; NULL: it is open. */
static const char *status_of(const conll_reader *self, alcore__answer_meaning meaning,
                             size_t given) {
    const bool part = self->record.options->task == ALCORE_TASK_TAGS && given < self->count;
    const char *refusal = alcore__answer_refusal(meaning);
    if (refusal) return refusal;
    if (given == 0) return NULL;
    return part || meaning == ALCORE__MEANS_PENDING ? "draft" : "ok";
}

/* Adds the answer of a sentence that has words and an id. */
static alcore_status add_sentence(conll_reader *self) {
    alcore__tool_record *record = &self->record;
    const char *id = self->comments[ID], *word = self->comments[STATUS];
    alcore__answer_meaning meaning = ALCORE__MEANS_ANSWER;
    size_t given = 0, wrong;
    bool same;
    for (size_t i = 0; i < self->count; i++) given += strcmp(self->words[i].tag, "_") != 0;
    if (word && !alcore__answer_word(word, strlen(word), &meaning))
        return alcore__tool_record_refuse(record, "item %s: \"%s\" is no status that is known", id,
                                          word);
    const char *status = status_of(self, meaning, given);
    if (!status) return ALCORE_OK;
    if (!self->comments[TEXT]) ALCORE__TRY(make_text(self));
    const size_t bytes = strlen(self->comments[TEXT]);
    if (alcore__utf8_check(self->comments[TEXT], bytes) < bytes)
        return alcore__tool_record_refuse(record, "item %s: its text is not UTF-8", id);
    alcore__tool_answer_begin(record, id, self->comments[TEXT], status);
    record->answer.annotator = self->comments[ANNOTATOR];
    record->answer.time = self->comments[TIME];
    record->answer.comment = self->comments[COMMENT];
    if (record->options->task == ALCORE_TASK_SPANS) {
        ALCORE__TRY(read_spans(self, &wrong));
        if (wrong > self->count)
            return alcore__tool_record_refuse(record,
                                              "item %s: its words are not those of its text", id);
        if (wrong > 0)
            return alcore__tool_record_refuse(record,
                                              "item %s: word %zu, %.60s, is not next in the text, "
                                              "or its tag %.60s is neither O nor B- and I- of a "
                                              "label",
                                              id, wrong, self->words[wrong - 1].word,
                                              self->words[wrong - 1].tag);
        return alcore__tool_answer_end(record);
    }
    ALCORE__TRY(read_tags(self, &same));
    if (!same)
        return alcore__tool_record_refuse(record, "item %s: its words are not those of its text",
                                          id);
    return alcore__tool_answers_add(record->into, &record->answer);
}

/* Ends a sentence: adds its answer, and forgets it. */
static alcore_status end_sentence(conll_reader *self) {
    alcore_status status = ALCORE_OK;
    const char *batch = self->comments[BATCH];
    if (self->count > 0 && self->comments[ID] && *self->comments[ID])
        status = add_sentence(self);
    else if (self->count > 0)
        status = alcore__tool_record_refuse(&self->record, "the sentence has no \"# id = ...\"");
    if (status == ALCORE_OK && batch && self->count > 0)
        status = alcore__tool_read_batch(&self->record, batch);
    memset(self->comments, 0, sizeof self->comments);
    self->count = 0;
    self->record.answer.line = 0;
    alcore__arena_clear(self->record.ctx, &self->record.strings);
    return status;
}

/* Reads a line of the file. */
static alcore_status read_line(void *user, const alcore__line_reader *lines, char *line,
                               size_t length) {
    conll_reader *self = user;
    size_t blank = 0;
    while (blank < length && alcore__is_word_space(line[blank])) blank++;
    if (blank == length) return end_sentence(self);
    if (self->record.answer.line == 0) self->record.answer.line = lines->line;
    if (self->count == 0 && *line == '#' && !memchr(line, '\t', length))
        return read_comment(self, line, length);
    return read_word(self, line, length);
}

alcore_status alcore__tool_conll_read(alcore_ctx *ctx, const char *path,
                                      const alcore_tool_options *options,
                                      alcore_tool_answers *into) {
    alcore_tool_options in_points = *options;
    conll_reader self = {.record = {.ctx = ctx, .options = &in_points, .into = into}};
    alcore__line_reader lines;
    in_points.span_unit = ALCORE_SPAN_CODE_POINTS;
    alcore_status status = alcore__lines_open(&lines, ctx, path, 0);
    if (status == ALCORE_OK) status = alcore__lines_each(&lines, read_line, &self);
    if (status == ALCORE_OK) status = end_sentence(&self);
    if (status == ALCORE_OK && !self.has_words)
        status = alcore__fail(ALCORE_E_DATA, "%s has no word: it is no CoNLL", path);
    alcore__lines_close(&lines);
    alcore__tool_record_clear(&self.record);
    alcore__free(ctx, self.words);
    return status;
}
