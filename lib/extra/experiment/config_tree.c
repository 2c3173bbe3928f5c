/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as a tree (config_tree.h). The library reads JSON without a tree elsewhere; a configuration
 * is small, and is asked for its members by name in any order, several times. */
#include "extra/experiment/config_tree.h"

#include <string.h>

#include "base/alternatives.h"
#include "base/number.h"
#include "extra/experiment/experiment_run.h"
#include "formats/json_scan.h"
#include "text/utf8.h"

enum { MOST_BYTES = 16 << 20, MOST_DEPTH = 32, MOST_MEMBERS = 64 };

/* A document that is being read. */
typedef struct reading {
    alcore__tree *tree;
    alcore__json json;
    const char *counted; /* up to where lines were counted */
    int64_t line;        /* of that place */
} reading;

/* ---- the tree ---- */

/* The line of the cursor, which only goes forward. */
static int64_t line_of(reading *self) {
    for (; self->counted < self->json.next; self->counted++) self->line += *self->counted == '\n';
    return self->line;
}

static alcore_status new_node(reading *self, char kind, alcore__node **out) {
    *out = alcore__arena_alloc(self->tree->ctx, &self->tree->arena, sizeof **out,
                               _Alignof(alcore__node));
    if (!*out) return alcore__fail_memory(sizeof **out);
    **out = (alcore__node){.kind = kind, .line = line_of(self)};
    return ALCORE_OK;
}

/* A copy in the arena, NUL-terminated. */
static alcore_status keep(reading *self, const char *text, size_t length, const char **out) {
    return alcore__arena_text(self->tree->ctx, &self->tree->arena, text, length, out);
}

static alcore_status read_node(reading *self, alcore__node **out);

static alcore_status refuse_repeat(reading *self, const alcore__node *object, const char *key) {
    if (!alcore__node_find(object, key)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s:%lld: '%s' stands twice in one object", self->tree->path,
                        (long long)line_of(self), key);
}

/* Reads the members or items of a container that was entered. */
static alcore_status read_children(reading *self, alcore__node *parent) {
    alcore__node **end = &parent->first;
    char *key;
    size_t length;
    while (parent->kind == '{' ? alcore__json_key(&self->json, &key, &length)
                               : alcore__json_item(&self->json)) {
        alcore__node *child;
        const char *name = NULL;
        if (parent->kind == '{') {
            ALCORE__TRY(keep(self, key, length, &name));
            ALCORE__TRY(refuse_repeat(self, parent, name));
        }
        ALCORE__TRY(read_node(self, &child));
        child->key = name;
        *end = child;
        end = &child->next;
    }
    return ALCORE_OK;
}

/* Reads the value that comes next; after an error of the scanner the nodes are of no use. */
static alcore_status read_node(reading *self, alcore__node **out) {
    char *text;
    size_t length;
    const char kind = alcore__json_kind(&self->json);
    ALCORE__TRY(new_node(self, kind, out));
    if (kind == '{' || kind == '[')
        return alcore__json_enter(&self->json, kind) ? read_children(self, *out) : ALCORE_OK;
    if (kind == '"' && alcore__json_string(&self->json, &text, &length))
        return keep(self, text, length, &(*out)->text);
    if (kind == '0' && alcore__json_number(&self->json, &text, &length))
        return keep(self, text, length, &(*out)->text);
    if (kind != '"' && kind != '0') alcore__json_skip(&self->json);
    return ALCORE_OK;
}

static alcore_status parse(alcore__tree *tree, char *text, size_t length) {
    reading self = {.tree = tree, .counted = text, .line = 1};
    alcore__node *root;
    if (alcore__utf8_check(text, length) != length)
        return alcore__fail(ALCORE_E_DATA, "%s: byte %lld is not UTF-8", tree->path,
                            (long long)alcore__utf8_check(text, length) + 1);
    alcore__json_begin(&self.json, text, length, MOST_DEPTH);
    ALCORE__TRY(read_node(&self, &root));
    tree->root = root;
    if (alcore__json_end(&self.json)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s:%lld: %s", tree->path, (long long)line_of(&self),
                        self.json.error);
}

alcore_status alcore__tree_read(alcore_ctx *ctx, const char *path, alcore__tree *out) {
    alcore__buffer text = {0};
    *out = (alcore__tree){.ctx = ctx, .path = path};
    alcore_status status = alcore__read_text(ctx, path, MOST_BYTES, &text);
    if (status == ALCORE_OK) status = parse(out, text.data, text.length);
    alcore__buffer_clear(ctx, &text);
    if (status != ALCORE_OK) alcore__tree_clear(out);
    return status;
}

void alcore__tree_clear(alcore__tree *tree) {
    alcore__arena_clear(tree->ctx, &tree->arena);
    tree->root = NULL;
}

alcore_status alcore__tree_fail(const alcore__tree *tree, const alcore__node *node,
                                const char *format, ...) {
    va_list args;
    va_start(args, format);
    alcore__fail_v(ALCORE_E_DATA, format, args);
    va_end(args);
    return alcore__fail_within(ALCORE_E_DATA, "%s:%lld", tree->path,
                               (long long)(node ? node->line : 1));
}

const alcore__node *alcore__node_find(const alcore__node *object, const char *key) {
    const alcore__node *child = object && object->kind == '{' ? object->first : NULL;
    while (child && strcmp(child->key, key) != 0) child = child->next;
    return child;
}

/* ---- members ---- */

/* Reads a number; an exit of false says that it is not what the kind takes. */
static bool read_number(const alcore__tree_member *member, const alcore__node *node, void *to) {
    int64_t integer;
    double number;
    if (node->kind != '0') return false;
    const size_t length = strlen(node->text);
    if (member->kind == MEMBER_COUNT) {
        if (!alcore__parse_int(node->text, length, &integer) || integer < 0) return false;
        *(int64_t *)to = integer;
        return true;
    }
    if (!alcore__parse_double(node->text, length, &number)) return false;
    if (!(member->kind == MEMBER_ABOVE ? number > 0 : number >= 0)) return false;
    if (member->kind == MEMBER_SHARE && !(number < 1)) return false;
    *(double *)to = number;
    return true;
}

/* Reads a word that is one of the choices. */
static bool read_choice(const alcore__tree_member *member, const alcore__node *node, void *to) {
    const char *rest = member->choices, *word;
    size_t length;
    if (node->kind != '"') return false;
    for (int32_t i = 0; alcore__alternatives_next(&rest, &word, &length); i++) {
        if (!alcore__alternative_is(word, length, node->text)) continue;
        *(int32_t *)to = member->first + i;
        return true;
    }
    return false;
}

static bool read_member(const alcore__tree_member *member, const alcore__node *node, void *to) {
    switch (member->kind) {
    case MEMBER_TEXT:
        if (node->kind != '"' || !*node->text) return false;
        *(const char **)to = node->text;
        return true;
    case MEMBER_FLAG:
        if (node->kind != 't' && node->kind != 'f') return false;
        *(int32_t *)to = node->kind == 't';
        return true;
    case MEMBER_CHOICE:
        return read_choice(member, node, to);
    case MEMBER_OBJECT:
    case MEMBER_LIST:
        if (node->kind != (member->kind == MEMBER_OBJECT ? '{' : '[')) return false;
        if (member->kind == MEMBER_LIST && !node->first) return false;
        break;
    case MEMBER_ANY:
        break;
    default:
        return read_number(member, node, to);
    }
    *(const alcore__node **)to = node;
    return true;
}

/* What a kind takes, for errors. */
static const char *wanted(const alcore__tree_member *member) {
    static const char *const words[] = {[MEMBER_TEXT] = "a string that is not empty",
                                        [MEMBER_NUMBER] = "a number from 0 on",
                                        [MEMBER_SHARE] = "a number from 0 on and below 1",
                                        [MEMBER_ABOVE] = "a number above 0",
                                        [MEMBER_COUNT] = "an integer from 0 on",
                                        [MEMBER_FLAG] = "true or false",
                                        [MEMBER_OBJECT] = "an object",
                                        [MEMBER_LIST] = "a list that is not empty"};
    return words[member->kind];
}

static alcore_status refuse(const alcore__tree *tree, const alcore__node *node, const char *where,
                            const alcore__tree_member *member) {
    if (member->kind == MEMBER_CHOICE)
        return alcore__tree_fail(tree, node, "%s%s: one of %s is needed", where, member->name,
                                 member->choices);
    return alcore__tree_fail(tree, node, "%s%s: %s is needed", where, member->name, wanted(member));
}

static alcore_status refuse_name(const alcore__tree *tree, const alcore__node *node,
                                 const char *where, const alcore__tree_member *members,
                                 size_t count) {
    const char *names[MOST_MEMBERS];
    for (size_t i = 0; i < count && i < MOST_MEMBERS; i++) names[i] = members[i].name;
    const char *near = alcore__nearest_name(node->key, names, count);
    return alcore__tree_fail(tree, node, "%s%s: there is no such member%s%s%s", where, node->key,
                             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

alcore_status alcore__tree_object(const alcore__tree *tree, const alcore__node *object,
                                  const char *where, const alcore__tree_member *members,
                                  size_t count, void *out) {
    if (object->kind != '{')
        return alcore__tree_fail(tree, object, "%.*s: an object is needed",
                                 *where ? (int)strlen(where) - 1 : 8, *where ? where : "the file");
    for (const alcore__node *node = object->first; node; node = node->next) {
        size_t i = 0;
        while (i < count && strcmp(members[i].name, node->key) != 0) i++;
        if (i == count) return refuse_name(tree, node, where, members, count);
        if (!read_member(&members[i], node, (char *)out + members[i].offset))
            return refuse(tree, node, where, &members[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (members[i].required && !alcore__node_find(object, members[i].name))
            return alcore__tree_fail(tree, object, "%s%s is missing", where, members[i].name);
    return ALCORE_OK;
}
