/* SPDX-License-Identifier: Apache-2.0 */
/* The schemes of tags, as seqeval 1.2.2 reads them: `default` is its mode without a scheme, the
 * others are its strict mode (tags.h).
 *
 * A scheme is three lists of rules about two neighboring tags, of which a line has an O before its
 * first and behind its last word. A span begins at a tag where a rule of `begin` holds for it and
 * the tag before, goes on while one of `inside` holds, and counts if one of `end` then holds. */
#include "extra/metric/tags.h"

#include <string.h>

#include "alcore/extra/metric.h"
#include "text/words.h"

/* The marks, as bits. */
enum { O = 1, B = 2, I = 4, E = 8, S = 16, L = 32, U = 64, ANY = 127 };
static const char MARKS[] = "OBIESLU"; /* by bit */

/* What a rule asks of the types of both tags. */
typedef enum type_rule { EITHER, SAME, OTHER } type_rule;

typedef struct rule {
    int before, now; /* marks that it holds for; 0 ends a list */
    type_rule types;
} rule;

/* In the order of ALCORE_TAGS_*. */
static const struct scheme {
    const char *name;
    int marks;
    rule begin[8], inside[6], end[8];
} schemes[] = {
    {"default",
     O | B | I | E | S,
     {{ANY, B | S, EITHER}, {O | E | S, I | E, EITHER}, {B | I, I | E, OTHER}},
     {{B | I, I | E, SAME}},
     {{ANY, ANY, EITHER}}},
    {"iob2",
     O | B | I,
     {{ANY, B, EITHER}},
     {{B | I, I, SAME}},
     {{B | I, O | B, EITHER}, {B | I, I, OTHER}}},
    {"iob1",
     O | B | I,
     {{O | B, I, EITHER}, {I, I, OTHER}, {B | I, B, SAME}},
     {{B | I, I, SAME}},
     {{I, O | B, EITHER}, {B, O, EITHER}, {B | I, I, OTHER}, {B, B, SAME}}},
    {"ioe2",
     O | I | E,
     {{O | E, I | E, EITHER}, {I, I | E, OTHER}},
     {{I, I | E, SAME}},
     {{E, ANY, EITHER}}},
    {"iobes",
     O | B | I | E | S,
     {{ANY, B | S, EITHER}},
     {{B | I, I | E, SAME}},
     {{E | S, ANY, EITHER}}},
    {"bilou",
     O | B | I | L | U,
     {{ANY, B | U, EITHER}},
     {{B | I, I | L, SAME}},
     {{L | U, ANY, EITHER}}},
};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static const struct scheme *scheme_of(int32_t scheme) {
    return &schemes[scheme - ALCORE_TAGS_DEFAULT];
}

/* The bit of a mark; 0: it is none. */
static int bit_of(char mark) {
    const char *found = mark ? strchr(MARKS, mark) : NULL;
    return found ? 1 << (found - MARKS) : 0;
}

bool alcore__is_tag(int32_t scheme, const char *word, size_t length) {
    if (!(bit_of(word[0]) & scheme_of(scheme)->marks)) return false;
    return length == 1 || (word[0] != 'O' && length > 2 && word[1] == '-');
}

/* Whether a rule of the list holds for two neighboring tags. */
static bool holds(const rule *rules, const alcore__tag *before, const alcore__tag *now) {
    const bool same = before->type_length == now->type_length &&
                      memcmp(before->type, now->type, now->type_length) == 0;
    for (; rules->before; rules++)
        if ((bit_of(before->mark) & rules->before) && (bit_of(now->mark) & rules->now) &&
            (rules->types == EITHER || (rules->types == SAME) == same))
            return true;
    return false;
}

/* The error of a word that is no tag of the scheme. */
static alcore_status not_a_tag(const alcore__tag_reader *reader, const char *word, size_t length) {
    const int shown = length < 40 ? (int)length : 40;
    char marks[32] = "", other[64] = "";
    size_t used = 0;
    for (int i = 0; MARKS[i]; i++)
        if (scheme_of(reader->scheme)->marks & 1 << i)
            used += (size_t)alcore__format(marks + used, sizeof marks - used, "%s%c",
                                           used ? ", " : "", MARKS[i]);
    for (int32_t k = 0; k < SCHEMES && !*other; k++)
        if (alcore__is_tag(ALCORE_TAGS_DEFAULT + k, word, length))
            alcore__format(other, sizeof other, "; the scheme %s has it", schemes[k].name);
    return alcore__fail(ALCORE_E_DATA,
                        "tag %lld is '%.*s'; those of the scheme %s are O and, alone or as in "
                        "B-TYPE, the marks of %s%s",
                        (long long)reader->word + 1, shown, word, scheme_of(reader->scheme)->name,
                        marks, other);
}

/* Reads the next tag of the line; behind its last word O, and then none: *more is false. */
static alcore_status next_tag(alcore__tag_reader *reader, alcore__tag *out, bool *more) {
    const char *word;
    size_t length;
    *more = !reader->at_end;
    if (alcore__word_next(&reader->next, reader->end, &word, &length)) {
        if (!alcore__is_tag(reader->scheme, word, length)) return not_a_tag(reader, word, length);
        *out = (alcore__tag){word[0], word + (length > 1 ? 2 : 1), length > 1 ? length - 2 : 0};
        reader->word++;
        return ALCORE_OK;
    }
    if (*more) *out = (alcore__tag){.mark = 'O', .type = ""};
    reader->at_end = true;
    return ALCORE_OK;
}

/* The tag that ends a span may begin the next one. */
alcore_status alcore__tags_next_span(alcore__tag_reader *reader, alcore__tag_span *out,
                                     bool *found) {
    const struct scheme *scheme = scheme_of(reader->scheme);
    *found = false;
    while (!*found) {
        const alcore__tag before = reader->before;
        const int64_t word = reader->word; /* the number of the tag that is read now */
        bool more;
        ALCORE__TRY(next_tag(reader, &reader->before, &more));
        if (!more) return ALCORE_OK;
        const alcore__tag *now = &reader->before;
        if (reader->open && holds(scheme->inside, &before, now)) continue;
        if (reader->open && holds(scheme->end, &before, now)) {
            *out = (alcore__tag_span){before.type, before.type_length, reader->first, word - 1};
            *found = true;
        }
        reader->open = now->mark != 'O' && holds(scheme->begin, &before, now);
        reader->first = word;
    }
    return ALCORE_OK;
}
