/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of words, as word_pattern.h defines them. */
#include "text/word_pattern.h"

#include "base/rng.h"

/* What a name counts as; hashes of words are far apart from it. */
static const uint64_t NAME = 1;

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
static bool is_letter(char c) {
    return is_lower(c) || (c >= 'A' && c <= 'Z');
}
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether the brackets of a call begin at offset `at`. */
static bool is_called(const char *text, size_t length, size_t at) {
    enum { LONGEST_SECTION = 6 };
    size_t i = at + 1;
    if (at >= length || text[at] != '(') return false;
    while (i < length && i < at + LONGEST_SECTION && is_digit(text[i])) i++;
    return i < length && text[i] == ')';
}

/* Whether a word has two underscores inside. */
static bool is_joined(const alcore__token_reader *word) {
    int count = 0;
    if (word->next - word->begin < (size_t)word->letters + 2) return false;
    for (size_t i = word->begin + 1; i + 1 < word->next; i++) count += word->text[i] == '_';
    return count >= 2;
}

/* Whether a word with the form of a name is an emphasized word. */
static bool is_emphasized(const alcore__token_reader *word) {
    enum { LONGEST_NAME = 5 };
    if (word->letters <= LONGEST_NAME) return false;
    for (size_t i = word->begin; i < word->next; i++) {
        const char c = word->text[i];
        if (is_lower(c) || is_digit(c) || c == '_') return false;
    }
    return true;
}

/* Whether a word goes on with the name that the last one began. */
static bool goes_on(const alcore__word_pattern *self, const alcore__token_reader *word) {
    return self->goes_on && word->begin == self->end + 1 && word->text[self->end] == '.' &&
           word->letters >= 2 && is_lower(word->text[word->begin]);
}

/* A word that goes on with a name takes the place of what was before it. */
void alcore__word_pattern_add(alcore__word_pattern *self, const alcore__token_reader *word) {
    const size_t end = word->next;
    const bool further = goes_on(self, word);
    const bool name = further || (word->name && !is_emphasized(word)) ||
                      is_called(word->text, word->length, end) || is_joined(word);
    if (further) self->others -= !self->last;
    if (!further) self->before = self->named;
    self->others += !name;
    self->any = self->any || name;
    self->last = name;
    self->goes_on = word->letters >= 2 && is_letter(word->text[end - 1]);
    self->end = end;
    self->plain = alcore__scramble(alcore__token_join(self->plain, word->hash));
    self->named = self->plain;
    if (self->any)
        self->named = alcore__scramble(alcore__token_join(self->before, name ? NAME : word->hash));
}
