/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizers of BLEU: mteval's 13a and 14 ("intl") rules as sacreBLEU has them
 * (docs/spec/analyses.md 8.6).
 *
 * A tokenizer is a chain of rewriting steps over a line of code points. Each step goes once from
 * left to right and never looks at what it wrote, as a regular expression's substitution does. Two
 * kinds are enough: spaces around single characters, and spaces at pairs of neighbors. A line
 * grows at most threefold in a step. A step reads lines->line [length], int32 code points, and
 * writes lines->other; swap_lines() then exchanges them. In the end the tokens are what stands
 * between white space (Python's, 29 code points). Time: linear in the text, two to seven steps. */
#include "text/bleu_tokens.h"

#include <utf8proc.h>

#include "text/letter_case.h"
#include "text/utf8.h"

/* Frees both lines and leaves the struct as it was before its first use. */
void alcore__token_lines_clear(alcore__token_lines *lines) {
    alcore__free(lines->ctx, lines->line);
    alcore__free(lines->ctx, lines->other);
    *lines = (alcore__token_lines){.ctx = lines->ctx};
}

/* Sets lines->line to the code points of text [length bytes], in place of what was there; a
 * malformed sequence becomes U+FFFD. There are no more code points than bytes. */
alcore_status alcore__token_lines_read(alcore__token_lines *lines, const char *text,
                                       size_t length) {
    lines->length = 0;
    ALCORE__TRY(
        alcore__grow(lines->ctx, &lines->line, &lines->line_capacity, length, sizeof *lines->line));
    for (size_t byte = 0; byte < length;) {
        const int32_t point = alcore__utf8_next(text, length, &byte);
        lines->line[lines->length++] = point < 0 ? 0xFFFD : point;
    }
    return ALCORE_OK;
}

/* Finds the next token at or after index *end of the line, which the caller sets to 0 before the
 * first call. The token is code points [*begin, *end) afterwards. False when there is none; both
 * are then the line's length. */
bool alcore__token_lines_next(const alcore__token_lines *lines, size_t *end, size_t *begin) {
    size_t i = *end;
    while (i < lines->length && alcore__is_python_space(lines->line[i])) i++;
    *begin = i;
    while (i < lines->length && !alcore__is_python_space(lines->line[i])) i++;
    *end = i;
    return i > *begin;
}

/* ---- the steps ---- */

typedef bool (*point_test)(int32_t point);

/* Ends a step: the `length` code points that it wrote to lines->other become the line, and the
 * memory of the old line is what the next step writes to. */
static void swap_lines(alcore__token_lines *lines, size_t length) {
    int32_t *line = lines->line;
    const size_t capacity = lines->line_capacity;
    lines->line = lines->other;
    lines->line_capacity = lines->other_capacity;
    lines->other = line;
    lines->other_capacity = capacity;
    lines->length = length;
}

/* Begins a step: makes lines->other large enough for what any step writes, at most three code
 * points for each of the line and the two spaces of cut_13a(). */
static alcore_status reserve_other(alcore__token_lines *lines) {
    return alcore__grow(lines->ctx, &lines->other, &lines->other_capacity, 3 * lines->length + 2,
                        sizeof *lines->other);
}

/* A step: puts a space on both sides of each code point that passes the test. Inline, so that the
 * test is no call. */
static inline alcore_status surround(alcore__token_lines *lines, point_test test) {
    ALCORE__TRY(reserve_other(lines));
    size_t end = 0;
    for (size_t i = 0; i < lines->length; i++) {
        const int32_t point = lines->line[i];
        const bool found = test(point);
        if (found) lines->other[end++] = ' ';
        lines->other[end++] = point;
        if (found) lines->other[end++] = ' ';
    }
    swap_lines(lines, end);
    return ALCORE_OK;
}

/* A step: neighbors a b, a passing the test `first` and b the test `second`, become "a b " when
 * `behind`, else " a b". A code point is in one pair at most: the pair found first, from the left.
 */
static inline alcore_status part_pairs(alcore__token_lines *lines, point_test first,
                                       point_test second, bool behind) {
    ALCORE__TRY(reserve_other(lines));
    const int32_t *line = lines->line;
    size_t end = 0;
    for (size_t i = 0; i < lines->length; i++) {
        const bool found = i + 1 < lines->length && second(line[i + 1]) && first(line[i]);
        if (found && !behind) lines->other[end++] = ' ';
        lines->other[end++] = line[i];
        if (!found) continue;
        lines->other[end++] = ' ';
        lines->other[end++] = line[++i];
        if (behind) lines->other[end++] = ' ';
    }
    swap_lines(lines, end);
    return ALCORE_OK;
}

/* Replaces each occurrence of an ASCII text by one code point, or deletes it if `by` is 0. The line
 * never grows, so this is done in place. */
static void replace(alcore__token_lines *lines, const char *ascii, int32_t by) {
    size_t end = 0;
    for (size_t i = 0; i < lines->length;) {
        size_t matched = 0;
        while (ascii[matched] != '\0' && i + matched < lines->length &&
               lines->line[i + matched] == ascii[matched])
            matched++;
        if (ascii[matched] != '\0') {
            lines->line[end++] = lines->line[i++];
        } else {
            if (by != 0) lines->line[end++] = by;
            i += matched;
        }
    }
    lines->length = end;
}

/* Takes white space off the end of the line, in place, as sacreBLEU does before it tokenizes. */
static void cut_trailing_space(alcore__token_lines *lines) {
    while (lines->length > 0 && alcore__is_python_space(lines->line[lines->length - 1]))
        lines->length--;
}

alcore_status alcore__token_lines_lower(alcore__token_lines *lines) {
    ALCORE__TRY(reserve_other(lines));
    swap_lines(lines, alcore__lower_case(lines->line, lines->length, lines->other));
    return ALCORE_OK;
}

/* ---- classes of code points ---- */

/* The ASCII characters from the space to the tilde, without letters, digits and ' , - . */
static bool is_13a_mark(int32_t c) {
    return (c >= 0x20 && c <= 0x26) || (c >= 0x28 && c <= 0x2B) || c == 0x2F ||
           (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) || (c >= 0x7B && c <= 0x7E);
}
static bool is_ascii_digit(int32_t c) {
    return c >= '0' && c <= '9';
}
static bool is_no_ascii_digit(int32_t c) {
    return c < '0' || c > '9';
}
static bool is_stop(int32_t c) {
    return c == '.' || c == ',';
}
static bool is_hyphen(int32_t c) {
    return c == '-';
}
static bool is_punctuation(int32_t c) {
    const utf8proc_category_t category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}
static bool is_no_number(int32_t c) {
    const utf8proc_category_t category = utf8proc_category(c);
    return category < UTF8PROC_CATEGORY_ND || category > UTF8PROC_CATEGORY_NO;
}
static bool is_symbol(int32_t c) {
    const utf8proc_category_t category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_SM && category <= UTF8PROC_CATEGORY_SO;
}
static bool is_any(int32_t c) {
    return !alcore__is_python_space(c);
}

/* The ranges of sacreBLEU's zh tokenizer; the first is a slip of its authors for 20000 to 2A6D6,
 * kept so that the counts are equal. */
static bool is_chinese(int32_t c) {
    static const int32_t ranges[][2] = {
        {0x2001, 0x2A6D}, {0x2E80, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31BF},
        {0x31C0, 0x31EF}, {0x3200, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
        {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
    for (size_t i = 0; c >= ranges[0][0] && i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1]) return true;
    return false;
}

/* ---- the tokenizers ---- */

/* The four substitutions that 13a and zh share. */
static alcore_status cut_western(alcore__token_lines *lines) {
    ALCORE__TRY(surround(lines, is_13a_mark));
    ALCORE__TRY(part_pairs(lines, is_no_ascii_digit, is_stop, true));  /* "a." to "a . " */
    ALCORE__TRY(part_pairs(lines, is_stop, is_no_ascii_digit, false)); /* ".a" to " . a" */
    return part_pairs(lines, is_ascii_digit, is_hyphen, true);         /* "1-" to "1 - " */
}

/* 13a, the tokenizer of mteval-v13a.pl: removes marks of skipped text and hyphens at line ends,
 * turns entities of SGML into their characters, then cuts as zh does. */
static alcore_status cut_13a(alcore__token_lines *lines) {
    replace(lines, "<skipped>", 0);
    replace(lines, "-\n", 0);
    replace(lines, "\n", ' ');
    replace(lines, "&quot;", '"');
    replace(lines, "&amp;", '&');
    replace(lines, "&lt;", '<');
    replace(lines, "&gt;", '>');
    /* A space before and behind the line: at its ends a full stop is a token. */
    ALCORE__TRY(reserve_other(lines));
    size_t end = 0;
    lines->other[end++] = ' ';
    for (size_t i = 0; i < lines->length; i++) lines->other[end++] = lines->line[i];
    lines->other[end++] = ' ';
    swap_lines(lines, end);
    return cut_western(lines);
}

/* intl, that of mteval-v14.pl: cuts off punctuation, except between digits, and every symbol, by
 * the general categories of Unicode. */
static alcore_status cut_intl(alcore__token_lines *lines) {
    ALCORE__TRY(part_pairs(lines, is_no_number, is_punctuation, true));
    ALCORE__TRY(part_pairs(lines, is_punctuation, is_no_number, false));
    return surround(lines, is_symbol);
}

/* zh: every Chinese character is a token, the rest is cut as by 13a. Leading white space is
 * removed, as sacreBLEU does: a full stop that begins the line then stays with a digit behind it
 * (".5"), while behind a space it would be cut off. */
static alcore_status cut_zh(alcore__token_lines *lines) {
    size_t lead = 0;
    while (lead < lines->length && alcore__is_python_space(lines->line[lead])) lead++;
    for (size_t i = lead; i < lines->length; i++) lines->line[i - lead] = lines->line[i];
    lines->length -= lead;
    ALCORE__TRY(surround(lines, is_chinese));
    return cut_western(lines);
}

/* Rewrites the line in place of what alcore__token_lines_read() left; ALCORE__BLEU_NONE cuts at
 * white space only. */
alcore_status alcore__token_lines_cut(alcore__token_lines *lines,
                                      alcore__bleu_tokenizer tokenizer) {
    cut_trailing_space(lines);
    switch (tokenizer) {
    case ALCORE__BLEU_13A:
        return cut_13a(lines);
    case ALCORE__BLEU_INTL:
        return cut_intl(lines);
    case ALCORE__BLEU_ZH:
        return cut_zh(lines);
    case ALCORE__BLEU_CHAR:
        return surround(lines, is_any);
    default:
        return ALCORE_OK;
    }
}
