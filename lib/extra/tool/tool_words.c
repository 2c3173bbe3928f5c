/* SPDX-License-Identifier: Apache-2.0 */
/* Words on lines of their own (tool_words.h). Signs at either end of a run are words by themselves,
 * as is each character of a script without spaces. */
#include "extra/tool/tool_words.h"

#include "text/utf8.h"
#include "text/words.h"

alcore__tool_words alcore__tool_words_of(const char *text, size_t length, bool whole) {
    return (alcore__tool_words){
        .text = text, .end = text + length, .next = text, .word_end = text, .whole = whole};
}

/* Finds the run that begins at word and what of it is between signs. */
static void begin_run(alcore__tool_words *self, const char *word, size_t bytes) {
    self->next = self->core_begin = self->core_end = word;
    self->word_end = word + bytes;
    for (size_t next = 0; next < bytes;) {
        const size_t before = next;
        const int32_t point = alcore__utf8_next(word, bytes, &next);
        if (!alcore__utf8_is_letter(point) && !alcore__utf8_is_digit(point)) continue;
        if (self->core_end == word) self->core_begin = word + before;
        self->core_end = word + next;
    }
}

/* Whether the draft has a span that begins or ends before code point `points`. */
static bool is_boundary(alcore__tool_words *self, int64_t points) {
    const alcore__tool_draft *draft = self->draft;
    if (!draft) return false;
    while (self->part < draft->count && draft->parts[self->part].end < points) self->part++;
    for (size_t i = self->part; i < draft->count && draft->parts[i].begin <= points; i++)
        if (draft->parts[i].begin == points || draft->parts[i].end == points) return true;
    return false;
}

/* Whether a character of spans' words is one by itself. */
static bool is_alone(const alcore__tool_words *self, const char *at, int32_t point) {
    return at < self->core_begin || at >= self->core_end || alcore__utf8_is_unspaced(point);
}

bool alcore__tool_words_next(alcore__tool_words *self) {
    if (self->next == self->word_end) {
        const char *from = self->next, *word;
        size_t bytes;
        if (!alcore__word_next(&from, self->end, &word, &bytes)) return false;
        self->points += word - self->next; /* white space is ASCII */
        begin_run(self, word, bytes);
    }
    self->begin = self->next;
    self->first_point = self->points;
    while (self->next < self->word_end) {
        size_t step = 0;
        const int32_t point =
            alcore__utf8_next(self->next, (size_t)(self->word_end - self->next), &step);
        if (!self->whole && self->next > self->begin &&
            (is_alone(self, self->next, point) || is_boundary(self, self->points)))
            break;
        const bool alone = !self->whole && is_alone(self, self->next, point);
        self->next += step;
        self->points++;
        if (alone) break;
    }
    self->end_point = self->points;
    return true;
}
