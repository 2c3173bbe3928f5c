/* SPDX-License-Identifier: Apache-2.0 */
/* Reading patterns (pattern.h): a recursive descent over the expression makes a graph of nodes
 * (pattern_nodes.h), in which every node knows what follows it. So nodes are made from the last one
 * of a sequence to the first, and the functions that make some are given the node that follows
 * (`next`) and return the first one of their own.
 *
 * After the first error r->status is set and the rest is skipped; what the functions return then is
 * not used. */
#include <string.h>
#include <utf8proc.h>

#include "text/utf8.h"
#include "tokenizer/pattern_nodes.h"
#include "tokenizer/unicode_class.h"

enum { MAX_DEPTH = 16, MAX_NODES = 1000 };

/* An expression, or the part of it within a group, while it is read. */
typedef struct reader {
    const alcore__part *part;
    alcore__name text;    /* the expression up to the end of the group; valid UTF-8 */
    size_t next;          /* byte of the expression that is read next */
    size_t nodes;         /* nodes and atoms so far, against hostile expressions */
    int depth;            /* of groups and classes around `next` */
    bool ignore_case;     /* within (?i:..) */
    alcore_status status; /* of the first error, after which nothing is read */
} reader;

/* Fails, unless something failed before, and moves to the end of the expression, which ends every
 * loop of this file. what: what is not supported at r->next. */
static void refuse(reader *r, const char *what) {
    if (r->status == ALCORE_OK)
        r->status = alcore__part_fail(r->part, ALCORE_E_UNSUPPORTED,
                                      "the expression \"%.*s\": character %zu: %s is not supported",
                                      r->text.length > 300 ? 300 : (int)r->text.length,
                                      r->text.text, r->next + 1, what);
    r->next = r->text.length;
}

/* Zeroed memory of the arena; NULL, with r->status set: there is none. */
static void *make(reader *r, size_t bytes) {
    void *made = alcore__arena_alloc(r->part->ctx, r->part->arena, bytes, sizeof(void *));
    if (made)
        memset(made, 0, bytes);
    else if (r->status == ALCORE_OK)
        r->status = alcore__fail_memory(bytes);
    return made;
}

/* A node of a kind with all else zero; NULL: no memory. */
static alcore__pattern_node *new_node(reader *r, alcore__node_kind kind,
                                      const alcore__pattern_node *next) {
    if (++r->nodes > MAX_NODES) refuse(r, "so long an expression");
    alcore__pattern_node *node = make(r, sizeof *node);
    if (node) *node = (alcore__pattern_node){.kind = kind, .next = next};
    return node;
}

/* The next byte, without moving behind it; -1 at the end. */
static int peek(const reader *r) {
    return r->next < r->text.length ? (unsigned char)r->text.text[r->next] : -1;
}

/* Moves over a text if the expression goes on with it, and tells whether it did. */
static bool skip(reader *r, const char *text) {
    const size_t length = strlen(text);
    if (r->text.length - r->next < length || memcmp(r->text.text + r->next, text, length) != 0)
        return false;
    r->next += length;
    return true;
}

/* Adds characters first .. last. Memory of the arena cannot grow, so the ranges are copied; there
 * are few. */
static void add_range(reader *r, alcore__point_set *set, int32_t first, int32_t last) {
    int32_t(*grown)[2] = make(r, (set->ranges + 1) * sizeof *grown);
    if (!grown) return;
    if (set->ranges > 0) memcpy(grown, set->range, set->ranges * sizeof *grown);
    grown[set->ranges][0] = first;
    grown[set->ranges][1] = last;
    set->range = grown;
    set->ranges++;
}

/* Adds a character. With ignore_case an ASCII letter is added in both cases, and with s and k also
 * U+017F (long s) and U+212A (Kelvin), which fold to them. Other letters are not folded. */
static void add_point(reader *r, alcore__point_set *set, int32_t point) {
    add_range(r, set, point, point);
    const int32_t lower = point | 0x20;
    if (!r->ignore_case || lower < 'a' || lower > 'z' || point > 'z') return;
    add_range(r, set, point ^ 0x20, point ^ 0x20);
    if (lower == 's') add_range(r, set, 0x17F, 0x17F);
    if (lower == 'k') add_range(r, set, 0x212A, 0x212A);
}

/* After \p or \P: reads {NAME}, a name of one or two letters, and returns the bits of its
 * categories (alcore__point_set.categories). */
static uint32_t categories_of(reader *r) {
    static const struct {
        char name[3];
        uint32_t categories;
    } known[] = {
#define BIT(category) (1u << UTF8PROC_CATEGORY_##category)
        {"L", BIT(LU) | BIT(LL) | BIT(LT) | BIT(LM) | BIT(LO)},
        {"M", BIT(MN) | BIT(MC) | BIT(ME)},
        {"N", BIT(ND) | BIT(NL) | BIT(NO)},
        {"P", BIT(PC) | BIT(PD) | BIT(PS) | BIT(PE) | BIT(PI) | BIT(PF) | BIT(PO)},
        {"S", BIT(SM) | BIT(SC) | BIT(SK) | BIT(SO)},
        {"Z", BIT(ZS) | BIT(ZL) | BIT(ZP)},
        {"C", BIT(CC) | BIT(CF) | BIT(CS) | BIT(CO) | BIT(CN)},
        {"Lu", BIT(LU)},
        {"Ll", BIT(LL)},
        {"Lt", BIT(LT)},
        {"Lm", BIT(LM)},
        {"Lo", BIT(LO)},
        {"Mn", BIT(MN)},
        {"Mc", BIT(MC)},
        {"Me", BIT(ME)},
        {"Nd", BIT(ND)},
        {"Nl", BIT(NL)},
        {"No", BIT(NO)},
        {"Pc", BIT(PC)},
        {"Pd", BIT(PD)},
        {"Ps", BIT(PS)},
        {"Pe", BIT(PE)},
        {"Pi", BIT(PI)},
        {"Pf", BIT(PF)},
        {"Po", BIT(PO)},
        {"Sm", BIT(SM)},
        {"Sc", BIT(SC)},
        {"Sk", BIT(SK)},
        {"So", BIT(SO)},
        {"Zs", BIT(ZS)},
        {"Zl", BIT(ZL)},
        {"Zp", BIT(ZP)},
        {"Cc", BIT(CC)},
        {"Cf", BIT(CF)},
        {"Cs", BIT(CS)},
        {"Co", BIT(CO)},
        {"Cn", BIT(CN)},
#undef BIT
    };
    if (skip(r, "{"))
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            const size_t length = strlen(known[i].name);
            if (r->text.length - r->next > length && r->text.text[r->next + length] == '}' &&
                memcmp(r->text.text + r->next, known[i].name, length) == 0) {
                r->next += length + 1;
                return known[i].categories;
            }
        }
    refuse(r, "this property");
    return 0;
}

/* After a backslash: adds what it names to the set. */
static void read_escape(reader *r, alcore__point_set *set) {
    static const char plain[] = "\\^$.|?*+()[]{}-/'\"!#%&,:;<=>@_`~ ";
    const int c = peek(r);
    if (c < 0) return refuse(r, "a backslash at the end");
    r->next++;
    switch (c) {
    case 's':
        set->space = true;
        return;
    case 'S':
        set->not_space = true;
        return;
    case 'w':
        set->word = true;
        return;
    case 'W':
        set->not_word = true;
        return;
    case 'd':
        set->categories |= 1u << UTF8PROC_CATEGORY_ND;
        return;
    case 'D':
        set->categories |= ~(1u << UTF8PROC_CATEGORY_ND);
        return;
    case 'p':
        set->categories |= categories_of(r);
        return;
    case 'P':
        set->categories |= ~categories_of(r);
        return;
    case 'n':
        return add_point(r, set, '\n');
    case 'r':
        return add_point(r, set, '\r');
    case 't':
        return add_point(r, set, '\t');
    case 'f':
        return add_point(r, set, '\f');
    case 'v':
        return add_point(r, set, '\v');
    default:
        if (memchr(plain, c, sizeof plain - 1)) return add_point(r, set, c);
        r->next--;
        refuse(r, "this escape");
    }
}

/* Fills set->ascii once the conditions of the set are known; in_set() (pattern.c) needs them for
 * other characters only. */
static void list_ascii(alcore__point_set *set) {
    for (int32_t c = 0; c < 0x80; c++) {
        bool found = (set->categories >> utf8proc_category(c) & 1) != 0;
        found = found || (set->space && alcore__utf8_is_space(c)) ||
                (set->not_space && !alcore__utf8_is_space(c)) ||
                (set->word && alcore__point_is_word(c)) ||
                (set->not_word && !alcore__point_is_word(c));
        for (size_t i = 0; i < set->ranges; i++)
            found = found || (c >= set->range[i][0] && c <= set->range[i][1]);
        set->ascii[c] = found != set->negated;
    }
}

/* Reads a character; the caller knows that there is one. */
static int32_t read_point(reader *r) {
    return alcore__utf8_next(r->text.text, r->text.length, &r->next);
}

/* Reads a character of a class, or a range of them. */
static void read_range(reader *r, alcore__point_set *set) {
    const int32_t point = read_point(r);
    if (peek(r) != '-' || r->text.length - r->next < 2 || r->text.text[r->next + 1] == ']') {
        add_point(r, set, point);
        return;
    }
    r->next++;
    if (peek(r) == '\\' || peek(r) == '[') return refuse(r, "a range up to this");
    if (r->ignore_case) return refuse(r, "a range without regard to case");
    add_range(r, set, point, read_point(r));
}

/* Reads what is in a class, up to its "]", which stands for itself as the first member. A class
 * within it adds what it has. */
static void read_members(reader *r, alcore__point_set *set) {
    if (++r->depth > MAX_DEPTH) return refuse(r, "so deep a nesting");
    for (bool first = true; r->status == ALCORE_OK; first = false) {
        const int c = peek(r);
        if (c < 0) return refuse(r, "a class without an end");
        if (c == ']' && !first) break;
        if (skip(r, "&&") || skip(r, "[:")) return refuse(r, "this part of a class");
        if (skip(r, "[^")) return refuse(r, "a negated class within a class");
        if (skip(r, "["))
            read_members(r, set);
        else if (skip(r, "\\"))
            read_escape(r, set);
        else
            read_range(r, set);
    }
    skip(r, "]");
    r->depth--;
}

/* After "[": reads a class. */
static void read_class(reader *r, alcore__point_set *set) {
    set->negated = skip(r, "^");
    read_members(r, set);
}

/* Reads {m}, {m,} or {m,n} after the first brace: *least and *most, UINT32_MAX where n is missing.
 * false where it is something else, which {,n} is too. */
static bool read_bounds(reader *r, uint32_t *least, uint32_t *most) {
    size_t digits = 0;
    uint32_t number[2] = {0, 0};
    bool comma = false;
    for (; peek(r) >= 0 && peek(r) != '}'; r->next++) {
        const int c = peek(r);
        if (c == ',' && !comma && digits > 0) {
            comma = true;
            digits = 0;
        } else if (c >= '0' && c <= '9' && digits < 6) {
            number[comma] = 10 * number[comma] + (uint32_t)(c - '0');
            digits++;
        } else {
            return false;
        }
    }
    if (!skip(r, "}") || (!comma && digits == 0)) return false;
    *least = number[0];
    *most = !comma ? number[0] : digits == 0 ? UINT32_MAX : number[1];
    return *least <= *most;
}

/* Reads the quantifier that may follow an atom; false: there is none, which means once. *most
 * UINT32_MAX: without bound. A second "+" makes ?, * and + possessive; after braces it is another
 * quantifier in Oniguruma. */
static bool read_quantifier(reader *r, uint32_t *least, uint32_t *most, bool *possessive) {
    bool braces = false;
    *possessive = false;
    *least = *most = 1;
    if (skip(r, "?"))
        *least = 0;
    else if (skip(r, "*"))
        *least = 0, *most = UINT32_MAX;
    else if (skip(r, "+"))
        *most = UINT32_MAX;
    else if (!skip(r, "{"))
        return false;
    else if (braces = true, !read_bounds(r, least, most))
        refuse(r, "this brace");
    if (peek(r) == '?')
        refuse(r, "a lazy quantifier");
    else if (peek(r) == '+' && braces)
        refuse(r, "a quantifier after a quantifier");
    else if (skip(r, "+"))
        *possessive = true;
    if (peek(r) == '*' || peek(r) == '{' || peek(r) == '+' || peek(r) == '?')
        refuse(r, "a quantifier after a quantifier");
    return true;
}

static const alcore__pattern_node *read_alternatives(reader *r, const alcore__pattern_node *next);

/* A character, a class, an anchor or a group, with its quantifier. A node must know what follows
 * it, which is read later: so an atom is read into this form first, then the rest of the sequence,
 * and after that the atom becomes a node. */
typedef struct atom {
    alcore__node_kind kind; /* NODE_EITHER: a group that is no lookahead */
    alcore__point_set *set;
    uint32_t least, most;
    bool possessive, negative, ignore_case; /* ignore_case: within a group */
    size_t begin, end; /* of a group: the bytes within its parentheses, which read_inner() reads */
} atom;

/* Moves from a group's first byte to behind its closing parenthesis. Parentheses in classes and
 * behind backslashes do not count. */
static void skip_group(reader *r) {
    int open = 1;
    int classes = 0;
    for (; r->next < r->text.length; r->next++) {
        const char c = r->text.text[r->next];
        if (c == '\\')
            r->next++;
        else if (c == '[')
            classes++;
        else if (classes > 0)
            classes -= c == ']';
        else if (c == '(')
            open++;
        else if (c == ')' && --open == 0) {
            r->next++;
            return;
        }
    }
    refuse(r, "a parenthesis without an end");
}

/* After "(": finds the bounds of a group, without reading what is in it, and its kind. Only the
 * quantifier ? is known for groups, so that nothing but a set of characters repeats (pattern.c). */
static void read_group(reader *r, atom *a) {
    a->kind = NODE_EITHER;
    a->ignore_case = r->ignore_case;
    if (skip(r, "?i:"))
        a->ignore_case = true;
    else if (skip(r, "?="))
        a->kind = NODE_LOOK;
    else if (skip(r, "?!"))
        a->kind = NODE_LOOK, a->negative = true;
    else if (!skip(r, "?:") && peek(r) == '?')
        return refuse(r, "this kind of group");
    a->begin = r->next;
    skip_group(r);
    if (r->status != ALCORE_OK) return;
    a->end = r->next - 1;
    if (read_quantifier(r, &a->least, &a->most, &a->possessive) &&
        (a->kind == NODE_LOOK || a->least != 0 || a->most != 1 || a->possessive))
        refuse(r, "a group that repeats");
}

/* Reads one atom at the position of the reader, where the caller has seen that the sequence has not
 * ended. "." is every character but \n. */
static void read_atom(reader *r, atom *a) {
    *a = (atom){.kind = NODE_SET, .least = 1, .most = 1};
    if (skip(r, "(")) return read_group(r, a);
    if (skip(r, "^")) {
        a->kind = NODE_BEGIN;
        return;
    }
    if (skip(r, "$")) {
        a->kind = NODE_END;
        return;
    }
    a->set = make(r, sizeof *a->set);
    if (!a->set) return;
    if (skip(r, "["))
        read_class(r, a->set);
    else if (skip(r, "\\"))
        read_escape(r, a->set);
    else if (skip(r, ".")) {
        a->set->negated = true;
        add_range(r, a->set, '\n', '\n');
    } else if (peek(r) == '*' || peek(r) == '+' || peek(r) == '?' || peek(r) == '{') {
        refuse(r, "a quantifier here");
    } else {
        add_point(r, a->set, read_point(r));
    }
    list_ascii(a->set);
    if (read_quantifier(r, &a->least, &a->most, &a->possessive) && a->most == 0)
        refuse(r, "a quantifier of 0");
}

/* Reads the alternatives within a group's parentheses with a reader of their own, which ends there;
 * next: what follows the group. */
static const alcore__pattern_node *read_inner(reader *r, const atom *a,
                                              const alcore__pattern_node *next) {
    reader inner = *r;
    inner.next = a->begin;
    inner.text.length = a->end;
    inner.ignore_case = a->ignore_case;
    if (++inner.depth > MAX_DEPTH) refuse(&inner, "so deep a nesting");
    const alcore__pattern_node *first = read_alternatives(&inner, next);
    r->nodes = inner.nodes;
    if (r->status == ALCORE_OK) r->status = inner.status;
    return first;
}

/* The nodes of an atom. A group without a quantifier is only its alternatives; one with ? is a
 * NODE_EITHER of them and of what follows. A lookahead has a NODE_MATCH of its own. */
static const alcore__pattern_node *atom_node(reader *r, const atom *a,
                                             const alcore__pattern_node *next) {
    if (a->kind == NODE_EITHER && a->least == 1) return read_inner(r, a, next);
    alcore__pattern_node *node = new_node(r, a->kind, next);
    if (!node) return next;
    node->least = a->least;
    node->most = a->most;
    node->possessive = a->possessive;
    node->negative = a->negative;
    node->set = a->set;
    if (a->kind == NODE_EITHER) {
        node->first = read_inner(r, a, next);
        node->second = next;
    } else if (a->kind == NODE_LOOK) {
        const alcore__pattern_node *end = new_node(r, NODE_MATCH, NULL);
        node->first = end ? read_inner(r, a, end) : next;
    }
    return node;
}

/* Reads atoms up to "|" or the end, and returns the first node of the sequence; without an atom
 * that is `next`. Its recursion is as deep as there are atoms, MAX_NODES at most. */
static const alcore__pattern_node *read_sequence(reader *r, const alcore__pattern_node *next) {
    atom a;
    if (r->status != ALCORE_OK || peek(r) < 0 || peek(r) == '|') return next;
    if (peek(r) == ')') {
        refuse(r, "a parenthesis without a beginning");
        return next;
    }
    if (++r->nodes > MAX_NODES) refuse(r, "so long an expression");
    read_atom(r, &a);
    if (r->status != ALCORE_OK) return next;
    const alcore__pattern_node *rest = read_sequence(r, next);
    return r->status != ALCORE_OK ? next : atom_node(r, &a, rest);
}

/* Reads sequences with "|" between them; each goes on with `next`. */
static const alcore__pattern_node *read_alternatives(reader *r, const alcore__pattern_node *next) {
    const alcore__pattern_node *first = read_sequence(r, next);
    if (r->status != ALCORE_OK || !skip(r, "|")) return first;
    alcore__pattern_node *either = new_node(r, NODE_EITHER, NULL);
    if (!either) return next;
    either->first = first;
    either->second = read_alternatives(r, next);
    return either;
}

/* Reads the expression out->text. */
static alcore_status read_expression(const alcore__part *part, alcore__pattern *out) {
    reader r = {.part = part, .text = out->text};
    if (alcore__utf8_check(r.text.text, r.text.length) < r.text.length)
        return alcore__part_fail(part, ALCORE_E_DATA, "a pattern is not UTF-8");
    const alcore__pattern_node *end = new_node(&r, NODE_MATCH, NULL);
    if (end) out->start = read_alternatives(&r, end);
    return r.status;
}

/* A String is sought as it is; a Regex becomes a graph. */
alcore_status alcore__pattern_read(const alcore__part *part, alcore__pattern *out) {
    alcore__part pattern;
    *out = (alcore__pattern){0};
    if (!alcore__part_member(part, "pattern", &pattern))
        return alcore__part_fail(part, ALCORE_E_DATA, "the pattern is missing");
    if (alcore__json_kind(&pattern.value) != '{')
        return alcore__part_fail(part, ALCORE_E_DATA, "the pattern is not an object");
    ALCORE__TRY(alcore__part_text(&pattern, "String", &out->text));
    if (out->text.text) return ALCORE_OK;
    ALCORE__TRY(alcore__part_text(&pattern, "Regex", &out->text));
    if (!out->text.text)
        return alcore__part_fail(part, ALCORE_E_UNSUPPORTED,
                                 "a pattern that is no String and no "
                                 "Regex");
    return read_expression(part, out);
}
