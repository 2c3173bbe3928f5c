/* SPDX-License-Identifier: Apache-2.0 */
/* Pre-tokenizers (pre_tokenizer.h): running the steps. pre_tokenizer_read.c reads them.
 *
 * A step cuts each word of the step before into smaller ones; at first the whole text is one word.
 * A step that rewrites the text (Metaspace, ByteLevel) writes all words into a new text, which the
 * steps after it read. The functions cut_...() append the words that one word, bytes word.begin ..
 * word.end - 1 of text, is cut into; the functions add_...() of the last section rewrite it. */
#include "tokenizer/pre_tokenizer.h"

#include <string.h>

#include "text/utf8.h"
#include "tokenizer/byte_level.h"
#include "tokenizer/unicode_class.h"

/* ---- cutting by classes of characters ---- */

/* A GAP separates words and is left out; the caller of a class function says what a MARK does. */
typedef enum class { LETTERS, GAP, MARKS } class;

/* BertPreTokenizer: white space separates, punctuation stands alone. */
static class bert_class(int32_t point) {
    if (alcore__utf8_is_space(point)) return GAP;
    return alcore__point_is_punctuation(point) ? MARKS : LETTERS;
}

/* bert_class() of ASCII characters. */
static const uint8_t ascii_classes[128] = {
    ['\t' ... '\r'] = GAP, [' '] = GAP,           ['!' ... '/'] = MARKS,
    [':' ... '@'] = MARKS, ['[' ... '`'] = MARKS, ['{' ... '~'] = MARKS,
};

/* BertPreTokenizer: each character of punctuation is a word. */
static alcore_status cut_bert(alcore_ctx *ctx, const char *text, alcore__word word,
                              alcore__words *out) {
    size_t begin = word.begin, next = begin, polled = begin;
    while (next < word.end) {
        ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
        const size_t here = next;
        const unsigned char byte = (unsigned char)text[next];
        class found;
        if (byte < 0x80) {
            found = ascii_classes[byte];
            next++;
        } else {
            found = bert_class(alcore__utf8_next(text, word.end, &next));
        }
        if (found == LETTERS) continue;
        ALCORE__TRY(alcore__words_add(ctx, out, begin, here));
        if (found == MARKS) ALCORE__TRY(alcore__words_add(ctx, out, here, next));
        begin = next;
    }
    return alcore__words_add(ctx, out, begin, word.end);
}

/* WhitespaceSplit: what stands between white space is a word. */
static alcore_status cut_white_space(alcore_ctx *ctx, const char *text, alcore__word word,
                                     alcore__words *out) {
    size_t begin = word.begin, next = begin, polled = begin;
    while (next < word.end) {
        ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
        const size_t here = next;
        if (!alcore__utf8_is_space(alcore__utf8_next(text, word.end, &next))) continue;
        ALCORE__TRY(alcore__words_add(ctx, out, begin, here));
        begin = next;
    }
    return alcore__words_add(ctx, out, begin, word.end);
}

/* Whitespace: \w is LETTERS, \s GAP, the rest MARKS. */
static class word_class(int32_t point) {
    if (alcore__point_is_word(point)) return LETTERS;
    return alcore__utf8_is_space(point) ? GAP : MARKS;
}

/* Whitespace: the matches of \w+|[^\w\s]+ are words. */
static alcore_status cut_word_characters(alcore_ctx *ctx, const char *text, alcore__word word,
                                         alcore__words *out) {
    class before = GAP;
    size_t begin = word.begin, next = begin, polled = begin;
    while (next < word.end) {
        ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
        const size_t here = next;
        const class found = word_class(alcore__utf8_next(text, word.end, &next));
        if (found == before) continue;
        if (before != GAP) ALCORE__TRY(alcore__words_add(ctx, out, begin, here));
        begin = here;
        before = found;
    }
    return before == GAP ? ALCORE_OK : alcore__words_add(ctx, out, begin, word.end);
}

/* ---- cutting by matches ---- */

/* Cutting one word by matches. Its parts, matches and what stands between them in turn, are handed
 * to add_part() in the order of the text; `cut` says which words they make. */
typedef struct cutter {
    alcore_ctx *ctx;
    alcore__cut cut;
    alcore__words *out;
    size_t first; /* index in out of the first word of this word */
    bool before;  /* the last part was a match; false at the beginning of the word */
    size_t held;  /* CUT_NEXT, after a match: the byte where it begins; it is not yet in out */
} cutter;

/* Begins another word. */
static void begin_word(cutter *c) {
    c->first = c->out->count;
    c->before = false;
}

/* Adds a part [begin, end), a match or what stands between two; an empty one is ignored. The part
 * becomes a word, is left out, or extends the last word. CUT_NEXT adds a match only when it is
 * known what follows. */
static alcore_status add_part(cutter *c, size_t begin, size_t end, bool is_match) {
    const bool same = c->before == is_match, after = c->before;
    if (begin == end) return ALCORE_OK;
    c->before = is_match;
    alcore__word *last = c->out->count > c->first ? &c->out->word[c->out->count - 1] : NULL;
    switch (c->cut) {
    case ALCORE__CUT_REMOVED:
        return is_match ? ALCORE_OK : alcore__words_add(c->ctx, c->out, begin, end);
    case ALCORE__CUT_CONTIGUOUS:
        if (!last || !same) break;
        last->end = (uint32_t)end;
        return ALCORE_OK;
    case ALCORE__CUT_PREVIOUS:
        if (!last || !is_match || after) break;
        last->end = (uint32_t)end;
        return ALCORE_OK;
    case ALCORE__CUT_NEXT:
        if (after && is_match) ALCORE__TRY(alcore__words_add(c->ctx, c->out, c->held, begin));
        if (is_match) {
            c->held = begin;
            return ALCORE_OK;
        }
        return alcore__words_add(c->ctx, c->out, after ? c->held : begin, end);
    case ALCORE__CUT_ISOLATED:
        break;
    }
    return alcore__words_add(c->ctx, c->out, begin, end);
}

/* Ends a word at byte `end`: a match that is held back becomes a word. */
static alcore_status end_word(cutter *c, size_t end) {
    if (c->cut != ALCORE__CUT_NEXT || !c->before) return ALCORE_OK;
    return alcore__words_add(c->ctx, c->out, c->held, end);
}

/* Punctuation and Digits: every character of a class is a match of its own. */
static alcore_status cut_characters(cutter *c, const char *text, alcore__word word,
                                    bool (*matches)(int32_t)) {
    size_t begin = word.begin, next = begin, polled = begin;
    begin_word(c);
    while (next < word.end) {
        ALCORE__TRY(alcore__poll_text(c->ctx, next, &polled));
        const size_t here = next;
        if (!matches(alcore__utf8_next(text, word.end, &next))) continue;
        ALCORE__TRY(add_part(c, begin, here, false));
        ALCORE__TRY(add_part(c, here, next, true));
        begin = next;
    }
    ALCORE__TRY(add_part(c, begin, word.end, false));
    return end_word(c, word.end);
}

/* Split: matches of the step's pattern within the word, which is a text of its own for it. */
static alcore_status cut_pattern(cutter *c, const alcore__pre_tokenizer_step *step,
                                 const char *text, alcore__word word) {
    const char *whole = text + word.begin;
    const size_t length = word.end - word.begin;
    size_t done = 0, polled = 0, begin, end;
    begin_word(c);
    while (done < length) {
        ALCORE__TRY(alcore__poll_text(c->ctx, done, &polled));
        if (step->gpt2) {
            begin = done;
            end = alcore__byte_level_word(whole, length, done);
        } else {
            ALCORE__TRY(
                alcore__pattern_find(c->ctx, &step->pattern, whole, length, done, &begin, &end));
        }
        ALCORE__TRY(add_part(c, word.begin + done, word.begin + begin, step->invert));
        ALCORE__TRY(add_part(c, word.begin + begin, word.begin + end, !step->invert));
        done = end;
    }
    return end_word(c, word.end);
}

/* ---- steps that rewrite the text ---- */

/* Whether Metaspace puts a mark before a word, which begins with no space and no mark. */
static bool wants_mark(const alcore__pre_tokenizer_step *step, const alcore__view *word) {
    if (step->prepend == ALCORE__PREPEND_NEVER || word->text[0] == ' ') return false;
    if (step->prepend == ALCORE__PREPEND_FIRST && word->origin != 0) return false;
    return word->length < step->mark.length ||
           memcmp(word->text, step->mark.text, step->mark.length) != 0;
}

/* Appends a word with a mark for each space to out, and the words that it becomes, bytes of out, to
 * words. A mark at the front stems from the first character. */
static alcore_status add_metaspace(alcore_ctx *ctx, const alcore__pre_tokenizer_step *step,
                                   const alcore__view *word, alcore__aligned *out,
                                   alcore__words *words) {
    const alcore__name mark = step->mark;
    size_t begin = out->length, done = 0;
    ALCORE__TRY(alcore__aligned_reserve(ctx, out, (word->length + 1) * mark.length));
    alcore__aligned_list_sources(out);
    if (wants_mark(step, word))
        alcore__aligned_put(out, mark.text, mark.length, alcore__view_source(word, 0, 1));
    for (size_t next = 0, polled = 0; next < word->length;) {
        ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
        const bool space = word->text[next] == ' ';
        const bool is_mark = !space && word->text[next] == mark.text[0] &&
                             word->length - next >= mark.length &&
                             memcmp(word->text + next, mark.text, mark.length) == 0;
        if (!space && !is_mark) {
            next++;
            continue;
        }
        alcore__aligned_copy(out, word, done, next);
        if (step->split) ALCORE__TRY(alcore__words_add(ctx, words, begin, out->length));
        if (step->split) begin = out->length;
        done = next + (space ? 1 : mark.length);
        alcore__aligned_put(out, mark.text, mark.length, alcore__view_source(word, next, done));
        next = done;
    }
    alcore__aligned_copy(out, word, done, word->length);
    return alcore__words_add(ctx, words, begin, out->length);
}

/* Appends bytes [begin, end) of a view in ByteLevel's map, as a word of its own. */
static alcore_status add_mapped(alcore_ctx *ctx, const alcore__view *view, size_t begin, size_t end,
                                alcore__aligned *out, alcore__words *words) {
    const alcore__view slice = alcore__view_slice(view, begin, end);
    const size_t first = out->length;
    ALCORE__TRY(alcore__byte_level_map(ctx, &slice, out));
    return alcore__words_add(ctx, words, first, out->length);
}

/* Appends the words of a word with a space in front that is not in the text. prefixed: workspace
 * for the two. The space stems from the first character. */
static alcore_status add_behind_space(alcore_ctx *ctx, const alcore__pre_tokenizer_step *step,
                                      const alcore__view *word, alcore__aligned *prefixed,
                                      alcore__aligned *out, alcore__words *words) {
    ALCORE__TRY(alcore__aligned_start(ctx, prefixed, word->origin, word->length + 1));
    alcore__aligned_list_sources(prefixed);
    alcore__aligned_put(prefixed, " ", 1, alcore__view_source(word, 0, 1));
    alcore__aligned_copy(prefixed, word, 0, word->length);
    const alcore__view view = alcore__aligned_view(prefixed);
    for (size_t begin = 0, polled = 0, end; begin < view.length; begin = end) {
        ALCORE__TRY(alcore__poll_text(ctx, begin, &polled));
        end =
            step->use_regex ? alcore__byte_level_word(view.text, view.length, begin) : view.length;
        ALCORE__TRY(add_mapped(ctx, &view, begin, end, out, words));
    }
    return ALCORE_OK;
}

/* Appends a word in ByteLevel's map to out, and the words that it becomes. */
static alcore_status add_byte_level(alcore_ctx *ctx, const alcore__pre_tokenizer_step *step,
                                    const alcore__view *word, alcore__aligned *prefixed,
                                    alcore__aligned *out, alcore__words *words) {
    if (step->add_prefix_space && word->text[0] != ' ')
        return add_behind_space(ctx, step, word, prefixed, out, words);
    for (size_t begin = 0, polled = 0, end; begin < word->length; begin = end) {
        ALCORE__TRY(alcore__poll_text(ctx, begin, &polled));
        end = step->use_regex ? alcore__byte_level_word(word->text, word->length, begin)
                              : word->length;
        ALCORE__TRY(add_mapped(ctx, word, begin, end, out, words));
    }
    return ALCORE_OK;
}

/* ---- steps ---- */

/* Appends the words that a step which leaves the text as it is cuts a word into. */
static alcore_status cut_word(alcore_ctx *ctx, const alcore__pre_tokenizer_step *step,
                              const char *text, alcore__word word, alcore__words *out) {
    cutter c = {.ctx = ctx, .cut = step->cut, .out = out};
    switch (step->kind) {
    case ALCORE__PRE_BERT:
        return cut_bert(ctx, text, word, out);
    case ALCORE__PRE_WHITESPACE:
        return cut_word_characters(ctx, text, word, out);
    case ALCORE__PRE_WHITESPACE_SPLIT:
        return cut_white_space(ctx, text, word, out);
    case ALCORE__PRE_PUNCTUATION:
        return cut_characters(&c, text, word, alcore__point_is_punctuation);
    case ALCORE__PRE_DIGITS:
        return cut_characters(&c, text, word, alcore__point_is_number);
    default:
        return cut_pattern(&c, step, text, word);
    }
}

/* Appends a word, rewritten by the step, to scratch->text[0], and the words that it becomes to
 * *out. */
static alcore_status rewrite_word(alcore_ctx *ctx, const alcore__pre_tokenizer_step *step,
                                  const alcore__view *word, alcore__pre_tokenizer_scratch *scratch,
                                  alcore__words *out) {
    return step->kind == ALCORE__PRE_METASPACE
               ? add_metaspace(ctx, step, word, &scratch->text[0], out)
               : add_byte_level(ctx, step, word, &scratch->prefixed, &scratch->text[0], out);
}

static bool rewrites(const alcore__pre_tokenizer_step *step) {
    return step->kind == ALCORE__PRE_METASPACE || step->kind == ALCORE__PRE_BYTE_LEVEL;
}

/* Exchanges the two texts, so that text[1] is the one that was just made, which the next step that
 * rewrites reads while it writes text[0]. */
static void exchange(alcore__pre_tokenizer_scratch *scratch) {
    const alcore__aligned made = scratch->text[0];
    scratch->text[0] = scratch->text[1];
    scratch->text[1] = made;
}

/* Runs the steps on the words of the step before, at first the whole text. words and cut point to
 * the two lists of scratch, which change roles after each step. */
alcore_status alcore__pre_tokenizer_run(alcore_ctx *ctx, const alcore__pre_tokenizer *pre,
                                        const alcore__view *text,
                                        alcore__pre_tokenizer_scratch *scratch, alcore__view *out,
                                        const alcore__words **out_words) {
    alcore__words *words = &scratch->words[0], *cut = &scratch->words[1];
    *out = *text;
    words->count = 0;
    ALCORE__TRY(alcore__words_add(ctx, words, 0, text->length));
    for (size_t i = 0; i < pre->count; i++) {
        const alcore__pre_tokenizer_step *step = &pre->step[i];
        cut->count = 0;
        if (rewrites(step))
            ALCORE__TRY(alcore__aligned_start(ctx, &scratch->text[0], out->origin, out->length));
        for (size_t w = 0, polled = 0; w < words->count; w++) {
            ALCORE__TRY(alcore__poll_text(ctx, w, &polled));
            const alcore__word word = words->word[w];
            const alcore__view slice = alcore__view_slice(out, word.begin, word.end);
            ALCORE__TRY(rewrites(step) ? rewrite_word(ctx, step, &slice, scratch, cut)
                                       : cut_word(ctx, step, out->text, word, cut));
        }
        if (rewrites(step)) {
            exchange(scratch);
            *out = alcore__aligned_view(&scratch->text[1]);
        }
        alcore__words *before = words;
        words = cut;
        cut = before;
    }
    *out_words = words;
    return ALCORE_OK;
}

void alcore__pre_tokenizer_scratch_clear(alcore_ctx *ctx, alcore__pre_tokenizer_scratch *scratch) {
    alcore__aligned_clear(ctx, &scratch->text[0]);
    alcore__aligned_clear(ctx, &scratch->text[1]);
    alcore__aligned_clear(ctx, &scratch->prefixed);
    alcore__free(ctx, scratch->words[0].word);
    alcore__free(ctx, scratch->words[1].word);
    *scratch = (alcore__pre_tokenizer_scratch){0};
}
