/* SPDX-License-Identifier: Apache-2.0 */
/* Matching patterns (pattern.h): backtracking over the graph of the expression (pattern_nodes.h).
 * The recursion is at most as deep as the graph, whatever the text: the only repetition is that of
 * one set of characters, which is a loop. */
#include <string.h>
#include <utf8proc.h>

#include "text/utf8.h"
#include "tokenizer/pattern_nodes.h"
#include "tokenizer/unicode_class.h"

/* Steps of one search: many more for each byte of the text than any useful expression takes, and
 * so few that a bad one ends within a second. */
enum { STEPS = 10000000, STEPS_A_BYTE = 64 };

/* Whether a set has a character. */
static bool in_set(const alcore__point_set *set, int32_t point) {
    if (point < 0x80) return set->ascii[point];
    bool found = (set->categories >> utf8proc_category(point) & 1) != 0;
    if (set->space && !found) found = alcore__utf8_is_space(point);
    if (set->not_space && !found) found = !alcore__utf8_is_space(point);
    if (set->word && !found) found = alcore__point_is_word(point);
    if (set->not_word && !found) found = !alcore__point_is_word(point);
    for (size_t i = 0; i < set->ranges && !found; i++)
        found = point >= set->range[i][0] && point <= set->range[i][1];
    return found != set->negated;
}

/* One search in a text. */
typedef struct match {
    alcore_ctx *ctx;
    const char *text;     /* [length] valid UTF-8 */
    size_t length, end;   /* end: the byte behind the match that was found */
    int64_t steps;        /* steps that are left; below 0: the search ends, and nothing matches */
    alcore_status status; /* ALCORE_E_CANCELLED after cancellation, which ends the search too */
} match;

/* Counts a step, and polls cancellation now and then. */
static void count_step(match *m) {
    enum { POLL_STEPS = 1 << 16 };
    if (--m->steps % POLL_STEPS != 0 || m->steps < 0) return;
    m->status = alcore__tick(m->ctx, NULL, 0, 0);
    if (m->status != ALCORE_OK) m->steps = -1;
}

static bool matches(match *m, const alcore__pattern_node *node, size_t offset);

/* Matches a set as often as it can, then once less each time (unless it is possessive) until what
 * follows matches. The characters that were matched lie before `offset`, so that moving back by one
 * never leaves them. */
static bool matches_set(match *m, const alcore__pattern_node *node, size_t offset) {
    uint32_t count = 0;
    while (count < node->most && offset < m->length && m->steps >= 0) {
        size_t next = offset;
        const int32_t point = alcore__utf8_next(m->text, m->length, &next);
        if (!in_set(node->set, point)) break;
        offset = next;
        count++;
        count_step(m);
    }
    for (; count >= node->least; count--) {
        if (matches(m, node->next, offset)) return true;
        if (count == node->least || node->possessive || m->steps < 0) return false;
        do offset--;
        while (((unsigned char)m->text[offset] & 0xC0) == 0x80);
    }
    return false;
}

/* Whether the rest of the graph matches at `offset`; m->end is then where the match ends. */
static bool matches(match *m, const alcore__pattern_node *node, size_t offset) {
    for (;;) {
        count_step(m);
        if (m->steps < 0) return false;
        switch (node->kind) {
        case NODE_MATCH:
            m->end = offset;
            return true;
        case NODE_SET:
            return matches_set(m, node, offset);
        case NODE_EITHER:
            if (matches(m, node->first, offset)) return true;
            node = node->second;
            continue;
        case NODE_LOOK:
            if (matches(m, node->first, offset) == node->negative) return false;
            break;
        case NODE_BEGIN:
            if (offset != 0) return false;
            break;
        case NODE_END:
            if (offset != m->length) return false;
            break;
        }
        node = node->next;
    }
}

/* Tries every character from `from` on as the beginning of a match. An empty match counts as none.
 * All tries share the steps. */
alcore_status alcore__pattern_find(alcore_ctx *ctx, const alcore__pattern *pattern,
                                   const char *text, size_t length, size_t from, size_t *begin,
                                   size_t *end) {
    *begin = *end = length;
    if (from >= length) return ALCORE_OK;
    if (!pattern->start) {
        const char *found =
            pattern->text.length == 0
                ? NULL
                : memmem(text + from, length - from, pattern->text.text, pattern->text.length);
        if (!found) return ALCORE_OK;
        *begin = (size_t)(found - text);
        *end = *begin + pattern->text.length;
        return ALCORE_OK;
    }
    match m = {.ctx = ctx,
               .text = text,
               .length = length,
               .steps = STEPS + STEPS_A_BYTE * (int64_t)length};
    for (size_t offset = from; offset < length; (void)alcore__utf8_next(text, length, &offset)) {
        if (matches(&m, pattern->start, offset) && m.end > offset) {
            *begin = offset;
            *end = m.end;
            return ALCORE_OK;
        }
        ALCORE__TRY(m.status);
        if (m.steps < 0)
            return alcore__fail(ALCORE_E_DATA, "the pattern \"%.*s\" takes too long for a text",
                                (int)pattern->text.length, pattern->text.text);
    }
    return ALCORE_OK;
}
