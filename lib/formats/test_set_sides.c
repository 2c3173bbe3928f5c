/* SPDX-License-Identifier: Apache-2.0 */
/* Which side of a test set is read (test_set_sides.h). All sides are noted, also after the choice
 * has failed, so that its error has a list of them. Cost: a comparison of names for each segment;
 * memory does not grow with the number of sides. */
#include "formats/test_set_sides.h"

#include <string.h>

#include "alcore/remedy.h"

enum { LISTED = sizeof(((alcore__side_list *)NULL)->listed) / sizeof(alcore__side) };

static const char *const side_names[ALCORE__SIDES] = {
    [ALCORE__SIDE_NONE] = "no side",
    [ALCORE__SIDE_SRC] = "src",
    [ALCORE__SIDE_REF] = "ref",
    [ALCORE__SIDE_HYP] = "hyp",
};

/* The number of the side that the options name or, by a translator or system, imply;
 * ALCORE__SIDE_NONE: any; -1: a name that no side has. */
static int32_t wanted_kind(const alcore_read_options *options) {
    if (!options) return ALCORE__SIDE_NONE;
    if (!options->side)
        return options->translator ? ALCORE__SIDE_REF
               : options->system   ? ALCORE__SIDE_HYP
                                   : ALCORE__SIDE_NONE;
    for (int32_t kind = ALCORE__SIDE_SRC; kind < ALCORE__SIDES; kind++)
        if (strcmp(side_names[kind], options->side) == 0) return kind;
    return -1;
}

bool alcore__sides_given(const alcore_read_options *options) {
    return options && (options->side || options->translator || options->system || options->domain);
}

alcore_status alcore__sides_check(const alcore_read_options *options) {
    const int32_t kind = wanted_kind(options);
    if (kind < 0)
        return alcore__fail(ALCORE_E_PARAM, "side is \"%s\"; expected src, ref or hyp",
                            options->side);
    if (options && options->translator && kind != ALCORE__SIDE_REF)
        return alcore__fail(ALCORE_E_PARAM, "translator chooses among references, not with side %s",
                            side_names[kind]);
    if (options && options->system && kind != ALCORE__SIDE_HYP)
        return alcore__fail(ALCORE_E_PARAM, "system chooses among hypotheses, not with side %s",
                            side_names[kind]);
    return ALCORE_OK;
}

/* References are read from the side that the texts are not: with sources and hypotheses that is
 * ref, where a system is named beside sources hyp. What a file without sides would have no use for
 * stays only where the other has none either: reading that file is then an error. */
alcore_status alcore__sides_split(const alcore_read_options *options, bool first, bool second,
                                  alcore_read_options *texts, alcore_read_options *references) {
    const int32_t kind = options->side ? wanted_kind(options) : ALCORE__SIDE_NONE;
    if (second || !first) references->domain = options->domain;
    if (second && !first) texts->domain = NULL;
    if (kind != ALCORE__SIDE_REF) {
        references->translator = options->translator;
        texts->translator = NULL;
    }
    if (kind != ALCORE__SIDE_HYP) {
        references->system = options->system;
        texts->system = NULL;
    }
    if (references->translator && references->system)
        return alcore__fail(ALCORE_E_PARAM,
                            "translator and system: only one of them chooses the references; the "
                            "other goes with side ref or hyp of the texts");
    if (second && (kind == ALCORE__SIDE_SRC || kind == ALCORE__SIDE_HYP))
        references->side =
            references->system ? side_names[ALCORE__SIDE_HYP] : side_names[ALCORE__SIDE_REF];
    return ALCORE_OK;
}

static bool same_text(const char *a, const char *b) {
    return !a || !b ? a == b : strcmp(a, b) == 0;
}

static bool same_side(const alcore__side *a, const alcore__side *b) {
    return a->kind == b->kind && same_text(a->name, b->name) && same_text(a->language, b->language);
}

/* Whether the options allow a side. */
static bool allows(const alcore_read_options *options, const alcore__side *side) {
    const int32_t kind = wanted_kind(options);
    if (kind == ALCORE__SIDE_NONE) return true;
    if (kind != side->kind) return false;
    const char *name = kind == ALCORE__SIDE_REF   ? options->translator
                       : kind == ALCORE__SIDE_HYP ? options->system
                                                  : NULL;
    return !name || (side->name && strcmp(name, side->name) == 0);
}

/* Copies a side to *out, whose texts the caller frees. */
static alcore_status copy_side(alcore_ctx *ctx, const alcore__side *side, alcore__side *out) {
    const char *const texts[2] = {side->name, side->language};
    char **const copies[2] = {&out->name, &out->language};
    *out = (alcore__side){.kind = side->kind};
    for (int i = 0; i < 2; i++) {
        if (!texts[i]) continue;
        *copies[i] = alcore__strndup(ctx, texts[i], strlen(texts[i]));
        if (!*copies[i]) return alcore__fail_memory(strlen(texts[i]) + 1);
    }
    return ALCORE_OK;
}

/* Adds a side to those that messages list. */
static alcore_status list_side(alcore__side_list *list, alcore_ctx *ctx, const alcore__side *side) {
    for (int32_t i = 0; i < list->count && i < LISTED; i++)
        if (same_side(&list->listed[i], side)) return ALCORE_OK;
    if (list->count > LISTED) return ALCORE_OK;
    return list->count < LISTED ? copy_side(ctx, side, &list->listed[list->count++])
                                : (list->count++, ALCORE_OK);
}

/* The side that is read comes again: a second copy of it is an error. */
static alcore_status check_copy(const alcore__side_list *list, const alcore__line_reader *lines,
                                const alcore__side *side, int64_t part, int64_t document) {
    if (part == list->part || document != list->document) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "%s:%lld: a second %s%s%s%s: give each its own translator or system, or "
                        "split the file",
                        lines->path, (long long)lines->line, side_names[side->kind],
                        side->name ? " of \"" : "", side->name ? side->name : "",
                        side->name ? "\"" : "");
}

alcore_status alcore__sides_note(alcore__side_list *list, const alcore__line_reader *lines,
                                 const alcore_read_options *options, const alcore__side *side,
                                 int64_t part, int64_t document, bool *out) {
    *out = false;
    const bool known = list->has_chosen && same_side(&list->chosen, side);
    if (!known) ALCORE__TRY(list_side(list, lines->ctx, side));
    if (!allows(options, side)) return ALCORE_OK;
    if (!list->has_chosen) {
        ALCORE__TRY(copy_side(lines->ctx, side, &list->chosen));
        list->has_chosen = true;
    } else if (known) {
        ALCORE__TRY(check_copy(list, lines, side, part, document));
    } else {
        list->ambiguous = true;
    }
    list->part = part;
    list->document = document;
    *out = !list->ambiguous;
    return ALCORE_OK;
}

bool alcore__sides_domain(alcore__side_list *list, const alcore_read_options *options,
                          const char *domain) {
    const char *wanted = options ? options->domain : NULL;
    if (!wanted) return true;
    if (domain && strcmp(domain, wanted) == 0) return true;
    const char *shown = domain ? domain : "none";
    const size_t used = strlen(list->domains), bytes = strlen(shown);
    for (const char *at = list->domains; (at = strstr(at, shown)); at++)
        if ((at == list->domains || at[-1] == ' ') && (at[bytes] == ',' || at[bytes] == '\0'))
            return false;
    alcore__format(list->domains + used, sizeof list->domains - used, "%s%.60s", used ? ", " : "",
                   shown);
    return false;
}

/* Appends `src, ref of translator "A", hyp of system "B"` to text. */
static alcore_status describe(const alcore__side_list *list, alcore_ctx *ctx,
                              alcore__buffer *text) {
    for (int32_t i = 0; i < list->count && i < LISTED; i++) {
        const alcore__side *side = &list->listed[i];
        ALCORE__TRY(
            alcore__buffer_format(ctx, text, "%s%s", i > 0 ? ", " : "", side_names[side->kind]));
        if (side->name)
            ALCORE__TRY(alcore__buffer_format(
                ctx, text, " of %s \"%.100s\"",
                side->kind == ALCORE__SIDE_REF ? "translator" : "system", side->name));
        if (side->language)
            ALCORE__TRY(alcore__buffer_format(ctx, text, " (%.40s)", side->language));
    }
    return list->count > LISTED ? alcore__buffer_append(ctx, text, ", ...", 5) : ALCORE_OK;
}

/* The options that tell the sides that they allow apart: those of one kind differ by their names.
 */
static alcore_status add_remedy(const alcore__side_list *list, const alcore_read_options *options,
                                alcore_status status) {
    int32_t kinds = 0;
    for (int32_t i = 0; i < list->count && i < LISTED; i++)
        if (allows(options, &list->listed[i])) kinds |= 1 << list->listed[i].kind;
    if (kinds == 1 << ALCORE__SIDE_REF)
        return alcore__fail_remedy(status, ALCORE_REMEDY_OPTION, "translator", "NAME",
                                   "reads the references of one translator");
    if (kinds == 1 << ALCORE__SIDE_HYP)
        return alcore__fail_remedy(status, ALCORE_REMEDY_OPTION, "system", "NAME",
                                   "reads the output of one system");
    return alcore__fail_remedy(status, ALCORE_REMEDY_OPTION, "side", "src, ref or hyp",
                               "reads one side");
}

/* The error of a choice that leaves no side, or several. */
static alcore_status fail_choice(const alcore__side_list *list, alcore_ctx *ctx, const char *path,
                                 const alcore_read_options *options) {
    alcore__buffer sides = {0};
    alcore_status status = describe(list, ctx, &sides);
    if (status == ALCORE_OK && list->ambiguous)
        status = add_remedy(list, options,
                            alcore__fail(ALCORE_E_PARAM,
                                         "%s has several sides, of which one is read: %s", path,
                                         sides.data));
    else if (status == ALCORE_OK)
        status = alcore__fail(ALCORE_E_PARAM, "%s has no %s%s%s%s; it has %s", path,
                              side_names[wanted_kind(options)],
                              options->translator || options->system ? " of \"" : "",
                              options->translator ? options->translator
                              : options->system   ? options->system
                                                  : "",
                              options->translator || options->system ? "\"" : "", sides.data);
    alcore__buffer_clear(ctx, &sides);
    return status;
}

alcore_status alcore__sides_finish(const alcore__side_list *list, alcore_ctx *ctx, const char *path,
                                   const alcore_read_options *options) {
    if (list->ambiguous || (list->count > 0 && !list->has_chosen))
        return fail_choice(list, ctx, path, options);
    if (list->domains[0] && list->count == 0)
        return alcore__fail(ALCORE_E_PARAM, "%s has no document of domain \"%s\"; it has %s", path,
                            options->domain, list->domains);
    return ALCORE_OK;
}

static void clear_side(alcore_ctx *ctx, alcore__side *side) {
    alcore__free(ctx, side->name);
    alcore__free(ctx, side->language);
}

void alcore__sides_clear(alcore_ctx *ctx, alcore__side_list *list) {
    for (int32_t i = 0; i < LISTED; i++) clear_side(ctx, &list->listed[i]);
    clear_side(ctx, &list->chosen);
}
