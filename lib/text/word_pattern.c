/* SPDX-License-Identifier: Apache-2.0 */
/* Words that may be names, as word_pattern.h defines them. */
#include "text/word_pattern.h"

#include "text/ascii.h"

/* What a name counts as; hashes of words are far apart from it. */
static const uint64_t NAME = 1;

/* Whether the brackets of a call begin at offset `at`. */
static bool is_called(const char *text, size_t length, size_t at) {
    enum { LONGEST_SECTION = 6 };
    size_t i = at + 1;
    if (at >= length || text[at] != '(') return false;
    while (i < length && i < at + LONGEST_SECTION && alcore__is_digit(text[i])) i++;
    return i < length && text[i] == ')';
}

/* Whether the letters, digits and underscores of a word have the form of a name. */
static bool is_formed(const alcore__token_reader *word) {
    enum { LONGEST_CAPITALS = 5 };
    bool marked = false, emphasized = word->letters > LONGEST_CAPITALS;
    int underscores = 0;
    for (size_t i = word->begin; i < word->next; i++) {
        const char c = word->text[i];
        underscores += c == '_';
        marked = marked || (i > word->begin && (alcore__is_capital(c) || alcore__is_digit(c)));
        emphasized = emphasized && !alcore__is_small(c) && !alcore__is_digit(c);
    }
    if (underscores >= 2) return true;
    return marked && !(emphasized && underscores == 0) &&
           !alcore__is_digit(word->text[word->begin]);
}

/* The offset of the word behind a point with which this one is a name; 0: there is none. */
static size_t next_part(const alcore__token_reader *word) {
    const size_t point = word->next;
    const char *text = word->text;
    if (point + 1 >= word->length || text[point] != '.' || word->letters < 2) return 0;
    return (alcore__is_small(text[point - 1]) || alcore__is_capital(text[point - 1])) &&
                   alcore__is_small(text[point + 1])
               ? point + 1
               : 0;
}

/* A word that goes on with a name takes the place of what was before it. */
void alcore__word_pattern_add_any(alcore__word_pattern *self, const alcore__token_reader *word) {
    const bool further = self->goes_on == word->begin && self->goes_on > 0 && word->letters >= 2;
    const bool name = further || is_formed(word) || is_called(word->text, word->length, word->next);
    if (!further) self->before = self->any ? self->named : self->plain;
    if (further) self->others -= !self->last;
    self->others += !name;
    self->any = self->any || name;
    self->last = name;
    self->goes_on = next_part(word);
    self->plain = alcore__scramble(alcore__token_join(self->plain, word->hash));
    if (self->any)
        self->named = alcore__scramble(alcore__token_join(self->before, name ? NAME : word->hash));
}
