/* SPDX-License-Identifier: Apache-2.0 */
/* Languages of translation memories (tmx_languages.h). */
#include "formats/tmx_languages.h"

#include <string.h>
#include <strings.h>

#include "text/language_tag.h"

static bool is_set(const alcore__buffer *buffer) {
    return buffer->length > 0;
}

/* Replaces what a buffer has; NULL: nothing. */
static alcore_status keep(alcore__tmx_languages *self, alcore__buffer *buffer, const char *text) {
    buffer->length = 0;
    return text ? alcore__buffer_append(self->ctx, buffer, text, strlen(text)) : ALCORE_OK;
}

const char *alcore__tmx_tag(const char *const *attributes) {
    const char *old = NULL;
    for (; *attributes; attributes += 2) {
        if (strcmp(attributes[0], "xml:lang") == 0) return attributes[1];
        if (strcmp(attributes[0], "lang") == 0) old = attributes[1];
    }
    return old;
}

alcore_status alcore__tmx_header(alcore__tmx_languages *self, const char *language) {
    return keep(self, &self->file_source, language);
}

alcore_status alcore__tmx_unit(alcore__tmx_languages *self, const char *language) {
    self->source_rank = self->target_rank = 0;
    return keep(self, &self->unit_source, language);
}

const char *alcore__tmx_source(const alcore__tmx_languages *self) {
    if (self->source) return self->source;
    const alcore__buffer *own =
        is_set(&self->unit_source) ? &self->unit_source : &self->file_source;
    return is_set(own) && strcasecmp(own->data, "*all*") != 0 ? own->data : NULL;
}

const char *alcore__tmx_no_source(const alcore__tmx_languages *self) {
    return is_set(&self->unit_source) || is_set(&self->file_source)
               ? "the file does not say which language its sources are in (srclang is *all*)"
               : "the file does not say which language its sources are in";
}

const char *alcore__tmx_target(const alcore__tmx_languages *self) {
    if (self->target) return self->target;
    return is_set(&self->first_target) ? self->first_target.data : NULL;
}

/* Whether a text that matches the source as well as that is the source's, and not a target's. */
static bool is_source(const alcore__tmx_languages *self, const char *source, int rank, int target) {
    /* Two texts in a language that nobody knows are two languages. */
    if (self->source_rank > 0 && strcasecmp(source, "und") == 0) return false;
    return rank > 0 && rank >= target;
}

/* Whether a text counts that matches a language as well as that. */
static bool is_better(alcore__tmx_languages *self, int *best, int rank) {
    self->repeated += *best > 0;
    if (rank <= *best) return false;
    *best = rank;
    return true;
}

alcore_status alcore__tmx_place_text(alcore__tmx_languages *self, const char *tag,
                                     alcore__tmx_place *out) {
    const char *source = alcore__tmx_source(self);
    *out = ALCORE__TMX_OTHER;
    self->unnamed += !*tag;
    if (!*tag) return ALCORE_OK;
    int rank = self->target ? alcore__language_match(self->target, tag) : 0;
    const int of_source = alcore__language_match(source, tag);
    if (is_source(self, source, of_source, rank)) {
        if (is_better(self, &self->source_rank, of_source)) *out = ALCORE__TMX_SOURCE;
        return ALCORE_OK;
    }
    if (!alcore__tmx_target(self)) ALCORE__TRY(keep(self, &self->first_target, tag));
    rank = alcore__language_match(alcore__tmx_target(self), tag);
    self->passed_over += !self->target && rank == 0;
    if (rank > 0 && is_better(self, &self->target_rank, rank)) *out = ALCORE__TMX_TARGET;
    return ALCORE_OK;
}

void alcore__tmx_report(const alcore__tmx_languages *self, const char *path) {
    const struct {
        int64_t count;
        const char *what;
    } parts[] = {
        {self->repeated, "texts are further ones of their unit in its language: the one whose tag "
                         "matches best counts, the first of equal ones"},
        {self->passed_over, "texts are in other languages than the first one that is not the "
                            "source's, and left out; a language that is named is taken"},
        {self->unnamed, "texts name no language, and are left out"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count > 0)
            alcore__log(self->ctx, ALCORE_LOG_WARN, "formats", NULL, "%s: %lld %s", path,
                        (long long)parts[i].count, parts[i].what);
}

void alcore__tmx_clear(alcore__tmx_languages *self) {
    alcore__buffer_clear(self->ctx, &self->file_source);
    alcore__buffer_clear(self->ctx, &self->unit_source);
    alcore__buffer_clear(self->ctx, &self->first_target);
}
