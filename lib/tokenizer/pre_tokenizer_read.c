/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the pre-tokenizer of tokenizer.json (pre_tokenizer.h). The functions read_...() of the
 * table `types` set the members of a step that its kind uses; what the file lacks has the default
 * of the package tokenizers. */
#include "tokenizer/pre_tokenizer.h"

#include <string.h>

/* GPT-2's expression, which has a function of its own. */
static const char GPT2[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|"
                           "\\s+(?!\\S)|\\s+";

alcore_status alcore__pre_tokenizer_add(alcore_ctx *ctx, alcore__pre_tokenizer_kind kind,
                                        alcore__pre_tokenizer *pre,
                                        alcore__pre_tokenizer_step **out) {
    ALCORE__TRY(alcore__grow(ctx, &pre->step, &pre->capacity, pre->count + 1, sizeof *pre->step));
    *out = &pre->step[pre->count++];
    **out = (alcore__pre_tokenizer_step){.kind = kind};
    return ALCORE_OK;
}

/* Reads the member "behavior"; *out holds the default. names: in the order of alcore__cut. */
static alcore_status read_behavior(const alcore__part *part, alcore__cut *out) {
    static const char *const names[] = {"Removed", "Isolated", "Contiguous", "MergedWithPrevious",
                                        "MergedWithNext"};
    alcore__name name = {0};
    ALCORE__TRY(alcore__part_text(part, "behavior", &name));
    if (!name.text) return ALCORE_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (alcore__name_is(name, names[i])) {
            *out = (alcore__cut)i;
            return ALCORE_OK;
        }
    return alcore__part_fail(part, ALCORE_E_UNSUPPORTED, "the behavior \"%.*s\" is not supported",
                             name.length > 64 ? 64 : (int)name.length, name.text);
}

static alcore_status read_digits(const alcore__part *part, alcore__pre_tokenizer_step *step) {
    bool individual = false;
    ALCORE__TRY(alcore__part_flag(part, "individual_digits", &individual));
    step->cut = individual ? ALCORE__CUT_ISOLATED : ALCORE__CUT_CONTIGUOUS;
    return ALCORE_OK;
}

static alcore_status read_byte_level(const alcore__part *part, alcore__pre_tokenizer_step *step) {
    step->add_prefix_space = step->use_regex = true;
    ALCORE__TRY(alcore__part_flag(part, "add_prefix_space", &step->add_prefix_space));
    return alcore__part_flag(part, "use_regex", &step->use_regex);
}

/* Reads prepend_scheme; files that lack it have its older form add_prefix_space. names: in the
 * order of alcore__prepend. */
static alcore_status read_prepend(const alcore__part *part, alcore__prepend *out) {
    static const char *const names[] = {"always", "first", "never"};
    bool prefix = true;
    alcore__name name = {0};
    ALCORE__TRY(alcore__part_flag(part, "add_prefix_space", &prefix));
    ALCORE__TRY(alcore__part_text(part, "prepend_scheme", &name));
    *out = prefix ? ALCORE__PREPEND_ALWAYS : ALCORE__PREPEND_NEVER;
    if (!name.text) return ALCORE_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (alcore__name_is(name, names[i])) {
            *out = (alcore__prepend)i;
            return ALCORE_OK;
        }
    return alcore__part_fail(part, ALCORE_E_UNSUPPORTED,
                             "the prepend_scheme \"%.*s\" is not supported",
                             name.length > 64 ? 64 : (int)name.length, name.text);
}

/* Metaspace; without "replacement" the mark is U+2581. */
static alcore_status read_metaspace(const alcore__part *part, alcore__pre_tokenizer_step *step) {
    step->mark = (alcore__name){"\xE2\x96\x81", 3};
    step->split = true;
    ALCORE__TRY(alcore__part_text(part, "replacement", &step->mark));
    if (step->mark.length == 0 || step->mark.length > 4)
        return alcore__part_fail(part, ALCORE_E_DATA, "the replacement is not one character");
    ALCORE__TRY(alcore__part_flag(part, "split", &step->split));
    return read_prepend(part, &step->prepend);
}

/* Split; GPT-2's expression is recognized by its text, as byte_level.c matches it faster. */
static alcore_status read_split(const alcore__part *part, alcore__pre_tokenizer_step *step) {
    step->cut = ALCORE__CUT_ISOLATED;
    ALCORE__TRY(alcore__pattern_read(part, &step->pattern));
    step->gpt2 = step->pattern.start && alcore__name_is(step->pattern.text, GPT2);
    ALCORE__TRY(alcore__part_flag(part, "invert", &step->invert));
    return read_behavior(part, &step->cut);
}

/* CharDelimiterSplit is a Split by a text. */
static alcore_status read_delimiter(const alcore__part *part, alcore__pre_tokenizer_step *step) {
    step->cut = ALCORE__CUT_REMOVED;
    ALCORE__TRY(alcore__part_text(part, "delimiter", &step->pattern.text));
    if (step->pattern.text.length == 0)
        return alcore__part_fail(part, ALCORE_E_DATA, "CharDelimiterSplit has no delimiter");
    return ALCORE_OK;
}

static alcore_status read_nothing(const alcore__part *part, alcore__pre_tokenizer_step *step) {
    (void)part;
    (void)step;
    return ALCORE_OK;
}

static alcore_status read_punctuation(const alcore__part *part, alcore__pre_tokenizer_step *step) {
    step->cut = ALCORE__CUT_ISOLATED;
    return read_behavior(part, &step->cut);
}

static const struct {
    const char *type;
    alcore__pre_tokenizer_kind kind;
    alcore_status (*read)(const alcore__part *part, alcore__pre_tokenizer_step *step);
} types[] = {
    {"BertPreTokenizer", ALCORE__PRE_BERT, read_nothing},
    {"Whitespace", ALCORE__PRE_WHITESPACE, read_nothing},
    {"WhitespaceSplit", ALCORE__PRE_WHITESPACE_SPLIT, read_nothing},
    {"Punctuation", ALCORE__PRE_PUNCTUATION, read_punctuation},
    {"Digits", ALCORE__PRE_DIGITS, read_digits},
    {"ByteLevel", ALCORE__PRE_BYTE_LEVEL, read_byte_level},
    {"Metaspace", ALCORE__PRE_METASPACE, read_metaspace},
    {"Split", ALCORE__PRE_SPLIT, read_split},
    {"CharDelimiterSplit", ALCORE__PRE_SPLIT, read_delimiter},
};

static alcore_status read_sequence(const alcore__part *part, alcore__pre_tokenizer *out) {
    alcore__part list, item;
    if (!alcore__part_member(part, "pretokenizers", &list))
        return alcore__part_fail(part, ALCORE_E_DATA, "Sequence has no pretokenizers");
    alcore__part_enter(&list);
    while (alcore__part_next(&list, &item)) ALCORE__TRY(alcore__pre_tokenizer_read(&item, out));
    return alcore__part_leave(&list);
}

/* Appends the steps of a pre-tokenizer; those of a Sequence one after the other. */
alcore_status alcore__pre_tokenizer_read(const alcore__part *part, alcore__pre_tokenizer *out) {
    alcore__name type;
    ALCORE__TRY(alcore__part_type(part, &type));
    if (alcore__name_is(type, "Sequence")) return read_sequence(part, out);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!alcore__name_is(type, types[i].type)) continue;
        alcore__pre_tokenizer_step *step;
        ALCORE__TRY(alcore__pre_tokenizer_add(part->ctx, types[i].kind, out, &step));
        return types[i].read(part, step);
    }
    return alcore__part_unknown(part, type);
}

void alcore__pre_tokenizer_clear(alcore_ctx *ctx, alcore__pre_tokenizer *pre) {
    alcore__free(ctx, pre->step);
    *pre = (alcore__pre_tokenizer){0};
}
