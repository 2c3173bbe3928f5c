/* SPDX-License-Identifier: Apache-2.0 */
/* Counts over the tokens of a text, as text_content.h names them. */
#include "text/text_content.h"

#include <string.h>

#include "text/source_code.h"
#include "text/synopsis.h"
#include "text/text_markup.h"
#include "text/text_tokens.h"
#include "text/word_pattern.h"
#include "text/words.h"

/* A text of fewer words that ends in a comma is a salutation: "Dear %s,". */
enum { CUT_SHORTEST = 4 };

/* The end of the markup with the sign at offset `at`; 0: there is none. The letters of ASCII that
 * it has between offset `from` and its sign were read before, and are told apart now. */
static size_t read_markup(const char *text, size_t length, size_t at, size_t from,
                          alcore__text_content *out) {
    const alcore__text_markup found = alcore__text_markup_at(text, length, at);
    if (found.end == 0) return 0;
    for (size_t i = found.begin > from ? found.begin : from; i < at; i++)
        out->called += (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z');
    return found.end;
}

/* Whether a comma is the last character but blanks and line ends: of Latin, Arabic or Chinese. */
static bool ends_in_comma(const char *text, size_t length) {
    static const char *const commas[] = {",", "\xD8\x8C", "\xE3\x80\x81", "\xEF\xBC\x8C"};
    while (length > 0 && alcore__is_word_space(text[length - 1])) length--;
    for (size_t i = 0; i < sizeof commas / sizeof *commas; i++) {
        const size_t bytes = strlen(commas[i]);
        if (length >= bytes && memcmp(text + length - bytes, commas[i], bytes) == 0) return true;
    }
    return false;
}

/* The characters of the rules of a heading, as they were counted: a sign that stands four times or
 * more, with a blank between it and the rest, before the text or behind it. Dashes also rule off
 * tables and letters. What has a bar is a table. */
static int64_t ruled(const char *text, size_t length) {
    static const char signs[] = "=~^*";
    enum { SHORTEST_RULE = 4 };
    size_t begin = 0, end, first, last;
    while (length > 0 && alcore__is_word_space(text[length - 1])) length--;
    while (begin < length && alcore__is_word_space(text[begin])) begin++;
    if (begin == length) return 0;
    for (first = begin; first < length && text[first] == text[begin];) first++;
    for (last = end = length; last > first && text[last - 1] == text[end - 1];) last--;
    const bool above = strchr(signs, text[begin]) && first - begin >= SHORTEST_RULE &&
                       (first == length || alcore__is_word_space(text[first]));
    const bool below = last > first && strchr(signs, text[end - 1]) &&
                       end - last >= SHORTEST_RULE && alcore__is_word_space(text[last - 1]);
    if ((above || below) && memchr(text, '|', length)) return 0;
    return (int64_t)(above ? first - begin : 0) + (int64_t)(below ? end - last : 0);
}

void alcore__text_content_read(const char *text, size_t length, uint64_t *words,
                               const alcore__token_room *room, alcore__text_content *out) {
    alcore__token_reader reader = {.text = text, .length = length};
    size_t variable_end = 0, call_end = 0, placeholder_end = 0; /* of the last ones */
    alcore__word_pattern pattern = {0};
    bool brackets = false, colon = false;
    *out = (alcore__text_content){.markup = alcore__text_markup_line(text, length)};
    while (alcore__token_next(&reader)) {
        if (room)
            alcore__token_put(room, out->tokens, reader.hash, reader.kind == ALCORE__TOKEN_WORD);
        out->tokens++;
        if (reader.kind != ALCORE__TOKEN_WORD) {
            const char first = text[reader.begin];
            if (reader.kind == ALCORE__TOKEN_SIGN) {
                const size_t end = alcore__source_variable(text, length, reader.begin);
                if (end > 0) out->characters -= (int64_t)(end - reader.begin); /* ASCII alone */
                if (end > 0) variable_end = end;
                brackets = brackets || first == '[';
                colon = colon || first == ':';
            }
            if (alcore__text_markup_opens(first) && reader.begin >= call_end)
                call_end =
                    read_markup(text, length, reader.begin,
                                call_end > placeholder_end ? call_end : placeholder_end, out);
            if (reader.kind == ALCORE__TOKEN_PLACEHOLDER) placeholder_end = reader.next;
            continue;
        }
        if (words) words[out->words] = reader.hash;
        out->words++;
        out->unspaced += reader.unspaced;
        if (reader.next - reader.begin == 1)
            out->markup |= alcore__source_cell(text, length, reader.begin, reader.next);
        alcore__word_pattern_add(&pattern, &reader);
        if (reader.begin < variable_end) continue;
        out->letters += reader.letters;
        if (reader.begin >= call_end && reader.next < length && text[reader.next] == '(')
            call_end = alcore__source_call(text, length, reader.begin, reader.next);
        if (reader.begin < call_end) out->called += reader.letters;
    }
    out->characters += reader.characters - ruled(text, length);
    out->markup = out->markup || (brackets && alcore__is_synopsis(text, length)) ||
                  (colon && alcore__source_typed(text, length));
    out->cut = alcore__text_content_spaced(out) >= CUT_SHORTEST && ends_in_comma(text, length);
    out->pattern = pattern.plain;
    out->named_pattern = alcore__word_pattern_template(&pattern);
}
