/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholders of commands (experiment_program.c). */
#include <string.h>

#include "extra/experiment/experiment_run.h"

static const char *const placeholders[] = {"train",  "labeled",  "pool",  "test",  "target",
                                           "model",  "previous", "seed",  "round", "out",
                                           "domain", "strategy", "budget"};
enum { PLACEHOLDERS = sizeof placeholders / sizeof *placeholders };

const char *alcore__placeholder_name(int number) {
    return placeholders[number];
}

int alcore__placeholder_at(const char *text, size_t *length) {
    const size_t letters = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz");
    if (letters == 0 || text[letters + 1] != '}') return -1;
    *length = letters + 2;
    for (int i = 0; i < PLACEHOLDERS; i++)
        if (strlen(placeholders[i]) == letters && !strncmp(text + 1, placeholders[i], letters))
            return i;
    return -2;
}

static alcore_status check_text(const alcore__tree *tree, const alcore__node *node,
                                const char *where) {
    size_t length = 0;
    if (node->kind != '"' || !*node->text)
        return alcore__tree_fail(tree, node, "%s: strings that are not empty are needed", where);
    for (const char *text = node->text; (text = strchr(text, '{')); text++) {
        if (text[1] == '{') {
            text++;
        } else if (alcore__placeholder_at(text, &length) == -2) {
            return alcore__tree_fail(tree, node,
                                     "%s: there is no placeholder %.*s; {{ stands for a brace",
                                     where, (int)length, text);
        }
    }
    return ALCORE_OK;
}

alcore_status alcore__experiment_check_command(const alcore__tree *tree, const alcore__node *node,
                                               const char *where) {
    int count = 0;
    if (node->kind == '"') return check_text(tree, node, where);
    if (node->kind != '[' || !node->first)
        return alcore__tree_fail(tree, node, "%s: a string or a list of strings is needed", where);
    for (const alcore__node *item = node->first; item; item = item->next, count++)
        ALCORE__TRY(check_text(tree, item, where));
    if (count <= ALCORE__MOST_ARGUMENTS) return ALCORE_OK;
    return alcore__tree_fail(tree, node, "%s: more than %d arguments", where,
                             ALCORE__MOST_ARGUMENTS);
}

bool alcore__experiment_has(const alcore__node *node, const char *placeholder) {
    char text[32];
    alcore__format(text, sizeof text, "{%s}", placeholder);
    if (node->kind == '"') return strstr(node->text, text);
    for (const alcore__node *item = node->first; item; item = item->next)
        if (strstr(item->text, text)) return true;
    return false;
}
