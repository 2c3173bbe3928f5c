/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of the words of annotation tools (answer_words.h). docs/formats.md shows it, as
 * tests/tools/answer_words_md.py writes it. */
#include "extra/annotation/answer_words.h"

#include <string.h>

/* The word, what it means, and who writes it. Words are lower case, with '-' between their parts.
 */
static const struct {
    const char *word;
    alcore__answer_meaning meaning;
    const char *tools; /* of the documentation, which a tool reads from here */
} words[] = {
    {"accept", ALCORE__MEANS_ANSWER, "Prodigy (answer)"},
    {"accepted", ALCORE__MEANS_ANSWER, "general"},
    {"ok", ALCORE__MEANS_ANSWER, "alcore"},
    {"done", ALCORE__MEANS_ANSWER, "general"},
    {"complete", ALCORE__MEANS_ANSWER, "general"},
    {"completed", ALCORE__MEANS_ANSWER, "general"},
    {"finished", ALCORE__MEANS_ANSWER, "general; Qt"},
    {"final", ALCORE__MEANS_ANSWER, "XLIFF 1.2 and 2"},
    {"signed-off", ALCORE__MEANS_ANSWER, "XLIFF 1.2"},
    {"translated", ALCORE__MEANS_ANSWER, "XLIFF 1.2 and 2, PO"},
    {"reviewed", ALCORE__MEANS_ANSWER, "XLIFF 2"},
    {"approved", ALCORE__MEANS_ANSWER, "Weblate, Crowdin"},
    {"submitted", ALCORE__MEANS_ANSWER, "Argilla 2"},
    {"loose", ALCORE__MEANS_LOOSE, "alcore (flags)"},
    {"draft", ALCORE__MEANS_PENDING, "Argilla 2"},
    {"pending", ALCORE__MEANS_PENDING, "Argilla 2"},
    {"open", ALCORE__MEANS_PENDING, "alcore"},
    {"todo", ALCORE__MEANS_PENDING, "general"},
    {"in-progress", ALCORE__MEANS_PENDING, "general"},
    {"fuzzy", ALCORE__MEANS_PENDING, "PO"},
    {"unfinished", ALCORE__MEANS_PENDING, "Qt"},
    {"untranslated", ALCORE__MEANS_PENDING, "PO, Crowdin"},
    {"new", ALCORE__MEANS_PENDING, "XLIFF 1.2"},
    {"initial", ALCORE__MEANS_PENDING, "XLIFF 2"},
    {"needs-review", ALCORE__MEANS_PENDING, "general"},
    {"needs-review-translation", ALCORE__MEANS_PENDING, "XLIFF 1.2"},
    {"needs-review-adaptation", ALCORE__MEANS_PENDING, "XLIFF 1.2"},
    {"needs-review-l10n", ALCORE__MEANS_PENDING, "XLIFF 1.2"},
    {"needs-translation", ALCORE__MEANS_PENDING, "XLIFF 1.2"},
    {"needs-adaptation", ALCORE__MEANS_PENDING, "XLIFF 1.2"},
    {"needs-l10n", ALCORE__MEANS_PENDING, "XLIFF 1.2"},
    {"needs-editing", ALCORE__MEANS_PENDING, "Weblate"},
    {"needs-work", ALCORE__MEANS_PENDING, "general"},
    {"untranslatable", ALCORE__MEANS_UNTRANSLATABLE, "alcore (flags)"},
    {"skip", ALCORE__MEANS_SKIPPED, "alcore"},
    {"skipped", ALCORE__MEANS_SKIPPED, "alcore (flags)"},
    {"ignore", ALCORE__MEANS_SKIPPED, "Prodigy (answer)"},
    {"ignored", ALCORE__MEANS_SKIPPED, "general"},
    {"discarded", ALCORE__MEANS_SKIPPED, "Argilla 2"},
    {"cancelled", ALCORE__MEANS_SKIPPED, "general"},
    {"canceled", ALCORE__MEANS_SKIPPED, "general"},
    {"was-cancelled", ALCORE__MEANS_SKIPPED, "Label Studio (was_cancelled)"},
    {"reject", ALCORE__MEANS_REJECTED, "Prodigy (answer)"},
    {"rejected", ALCORE__MEANS_REJECTED, "alcore (flags)"},
    {"bad", ALCORE__MEANS_REJECTED, "alcore"},
    {"declined", ALCORE__MEANS_REJECTED, "general"},
};

/* Whether a given word, in any case, is one of the table. */
static bool is_word(const char *given, size_t length, const char *word) {
    if (strlen(word) != length) return false;
    for (size_t i = 0; i < length; i++) {
        const char c = given[i];
        const char plain = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c == '_' || c == ' ' ? '-' : c;
        if (plain != word[i]) return false;
    }
    return true;
}

bool alcore__answer_word(const char *word, size_t length, alcore__answer_meaning *out) {
    for (; length > 0 && word[length - 1] == ' '; length--) continue;
    for (; length > 0 && *word == ' '; length--) word++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!is_word(word, length, words[i].word)) continue;
        *out = words[i].meaning;
        return true;
    }
    return false;
}

const char *alcore__answer_refusal(alcore__answer_meaning meaning) {
    return meaning == ALCORE__MEANS_SKIPPED          ? "skip"
           : meaning == ALCORE__MEANS_REJECTED       ? "reject"
           : meaning == ALCORE__MEANS_UNTRANSLATABLE ? "untranslatable"
                                                     : NULL;
}
