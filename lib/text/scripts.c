/* SPDX-License-Identifier: Apache-2.0 */
/* The scripts of letters and texts, as scripts.h defines them. */
#include "text/scripts.h"

#include "text/byte_block.h"
#include "text/script_ranges.h"
#include "text/text_tokens.h"
#include "text/utf8.h"

uint8_t alcore__script_of(int32_t code_point) {
    size_t low = 0, high = sizeof script_ranges / sizeof *script_ranges;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (code_point > script_ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < sizeof script_ranges / sizeof *script_ranges &&
                       code_point >= script_ranges[low].first;
    return found ? script_ranges[low].script : ALCORE__SCRIPT_NONE;
}

/* The letters of a text by script. More than PLACES scripts are not told apart. */
enum { PLACES = 4 };
typedef struct tally {
    uint8_t scripts[PLACES]; /* [count] */
    int64_t letters[PLACES]; /* [count] */
    int count;
} tally;

static void add(tally *self, uint8_t script, int64_t letters) {
    int i = 0;
    while (i < self->count && self->scripts[i] != script) i++;
    if (i == PLACES || script == ALCORE__SCRIPT_NONE) return;
    if (i == self->count) self->scripts[self->count++] = script;
    self->letters[i] += letters;
}

/* Adds the letters of a word. */
static void add_word(tally *self, const char *word, size_t length) {
    for (size_t next = 0; next < length;) {
        const int32_t point = alcore__utf8_next(word, length, &next);
        if (alcore__utf8_is_letter(point))
            add(self, alcore__script_of(point), 1 + alcore__utf8_is_syllable(point));
    }
}

static alcore__text_scripts largest(const tally *self) {
    alcore__text_scripts out = {ALCORE__SCRIPT_NONE, ALCORE__SCRIPT_NONE};
    int64_t first = 0, second = 0;
    for (int i = 0; i < self->count; i++) {
        if (self->letters[i] > first) {
            out.second = out.first;
            second = first;
            out.first = self->scripts[i];
            first = self->letters[i];
        } else if (self->letters[i] > second) {
            out.second = self->scripts[i];
            second = self->letters[i];
        }
    }
    if (first == second) out.first = ALCORE__SCRIPT_NONE;
    return out;
}

alcore__text_scripts alcore__text_scripts_read(const char *text, size_t length) {
    alcore__token_reader reader = {.text = text, .length = length};
    tally letters = {.count = 0};
    while (alcore__token_next(&reader))
        if (reader.kind == ALCORE__TOKEN_WORD)
            add_word(&letters, text + reader.begin, reader.next - reader.begin);
    return largest(&letters);
}

/* Whether the character that begins at an offset is below U+02C0, one of punctuation, or none. */
static bool begins_latin(const char *text, size_t length, size_t at) {
    const unsigned char first = (unsigned char)text[at];
    return first < 0xCB ||
           (first == 0xE2 && at + 1 < length && (unsigned char)text[at + 1] == 0x80);
}

bool alcore__text_is_latin(const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        if (i + ALCORE__BLOCK_BYTES <= length) {
            const alcore__byte_block later =
                (alcore__byte_block)(alcore__block_load(text + i) >= 0xCB);
            if (!alcore__block_has(later, 1)) {
                i += ALCORE__BLOCK_BYTES;
                continue;
            }
        }
        if (!begins_latin(text, length, i++)) return false;
    }
    return true;
}
