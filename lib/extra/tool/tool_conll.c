/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences as CoNLL has them, a word and its tag a line, for editors of tags:
 *
 *     # id = s:1
 *     # text = Anna lives in Paris.
 *     # draft = B-PER O O B-LOC O
 *     Anna<TAB>_
 *     ...
 *
 * The tag _ is that nobody gave. Words of tags are those of the library, between white space; those
 * of spans are cut further, so that a span can begin and end at signs, at characters of scripts
 * without spaces, and where the draft does. With the text the offsets of words are found again. */
#include <string.h>

#include "extra/tool/tool_conll.h"
#include "extra/tool/tool_output.h"
#include "extra/tool/tool_words.h"
#include "text/words.h"

/* Puts "# NAME = TEXT"; what would end the line or the comment becomes a space. */
static void put_comment(alcore__tool_out *out, const char *name, const char *text, size_t length) {
    const size_t begin = out->text.length + strlen(name) + 5;
    alcore__tool_put(out, "# ");
    alcore__tool_put(out, name);
    alcore__tool_put(out, " = ");
    alcore__tool_put_bytes(out, text, length);
    if (out->status == ALCORE_OK)
        for (size_t i = begin; i < out->text.length; i++)
            if (alcore__is_word_space(out->text.data[i])) out->text.data[i] = ' ';
    alcore__tool_put(out, "\n");
}

/* Puts the draft as tags of words. */
static void put_draft(alcore__tool_out *out, alcore__tool_words words) {
    const alcore__tool_draft *draft = words.draft;
    size_t part = 0;
    alcore__tool_put(out, "# draft =");
    while (alcore__tool_words_next(&words)) {
        while (part < draft->count && draft->parts[part].end <= words.first_point) part++;
        const bool inside = part < draft->count && draft->parts[part].begin <= words.first_point;
        alcore__tool_put(out, !inside                                         ? " O"
                              : draft->parts[part].begin == words.first_point ? " B-"
                                                                              : " I-");
        if (inside) alcore__tool_put(out, draft->parts[part].label);
    }
    alcore__tool_put(out, "\n");
}

/* Reads the draft; spans that overlap and labels with a space have no tags. */
static alcore_status read_draft(alcore_ctx *ctx, alcore__tool_draft *draft,
                                const alcore_tool_items *items, int64_t i,
                                const alcore_tool_options *options) {
    alcore_tool_options in_points = *options;
    in_points.span_unit = ALCORE_SPAN_CODE_POINTS;
    ALCORE__TRY(alcore__tool_draft_read(ctx, draft, items, i, &in_points));
    if (draft->count > 1)
        ALCORE__TRY(alcore__sort(ctx, draft->parts, draft->count, sizeof *draft->parts,
                                 alcore__tool_compare_spans));
    for (size_t k = 0; k < draft->count; k++) {
        if (k > 0 && draft->parts[k].begin < draft->parts[k - 1].end)
            return alcore__tool_fail_item(items, i, "spans of the draft overlap");
        if (strpbrk(draft->parts[k].label, " \t\r\n"))
            return alcore__tool_fail_item(items, i, "the label \"%s\" of the draft has a space",
                                          draft->parts[k].label);
    }
    return ALCORE_OK;
}

/* Puts the comments of an item that are there. */
static void put_facts(alcore__tool_out *out, const alcore_tool_items *items, int64_t i,
                      const alcore_tool_options *options) {
    const struct {
        const char *name, *text;
    } facts[] = {{"context", alcore__tool_entry(items->contexts, i)},
                 {"reason", alcore__tool_entry(items->reasons, i)},
                 {"group", alcore__tool_entry(items->groups, i)},
                 {"batch", options->batch}};
    put_comment(out, "id", items->ids[i], strlen(items->ids[i]));
    put_comment(out, "text", items->texts[i], alcore__tool_text_length(items, i));
    alcore__tool_put(out, "# ");
    alcore__tool_put_figures(out, items, i);
    alcore__tool_put(out, "\n");
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
        if (facts[f].text) put_comment(out, facts[f].name, facts[f].text, strlen(facts[f].text));
}

static void put_sentence(alcore__tool_out *out, const alcore_tool_items *items, int64_t i,
                         const alcore_tool_options *options) {
    const char *value = alcore__tool_entry(items->drafts, i);
    const bool whole = options->task == ALCORE_TASK_TAGS;
    alcore__tool_draft draft = {0};
    alcore__tool_words words =
        alcore__tool_words_of(items->texts[i], alcore__tool_text_length(items, i), whole);
    words.draft = &draft;
    out->status = read_draft(out->ctx, &draft, items, i, options);
    if (out->status != ALCORE_OK) {
        alcore__tool_draft_clear(out->ctx, &draft);
        return;
    }
    put_facts(out, items, i, options);
    if (alcore__tool_draft_given(&draft) && whole) put_comment(out, "draft", value, strlen(value));
    if (alcore__tool_draft_given(&draft) && !whole) put_draft(out, words);
    while (alcore__tool_words_next(&words)) {
        alcore__tool_put_bytes(out, words.begin, (size_t)(words.next - words.begin));
        alcore__tool_put(out, "\t_\n");
    }
    alcore__tool_put(out, "\n");
    alcore__tool_draft_clear(out->ctx, &draft);
}

static alcore_status write_sentences(alcore_ctx *ctx, const char *path,
                                     const alcore_tool_items *items,
                                     const alcore_tool_options *options) {
    static const alcore__tool_layout layout = {.item = put_sentence};
    return alcore__tool_write_items(ctx, path, items, options, &layout);
}

const alcore__tool_form alcore__tool_conll = {.name = "conll",
                                              .title = "CoNLL (words and tags, IOB2)",
                                              .suffix = ".conll",
                                              .tasks = "spans tags",
                                              .span_unit = ALCORE_SPAN_CODE_POINTS,
                                              .write = write_sentences,
                                              .read = alcore__tool_conll_read};
