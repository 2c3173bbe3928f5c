/* SPDX-License-Identifier: Apache-2.0 */
/* A small JSON document as a tree, and the reading of its objects by tables of their members. A
 * member that is not known, one of another type and one that is missing are errors that name file,
 * line and member. */
#ifndef ALCORE__CONFIG_TREE_H
#define ALCORE__CONFIG_TREE_H

#include "base/base.h"

/* A value. */
typedef struct alcore__node {
    char kind;        /* '{', '[', '"', '0' (a number), 't', 'f', 'n' */
    const char *key;  /* its name in the object; NULL: in an array, and the outermost value */
    const char *text; /* of a string, without escapes; of a number its digits; else NULL */
    int64_t line;     /* of the file, from 1 */
    struct alcore__node *first, *next; /* its members or items; what follows it */
} alcore__node;

/* A document. Its nodes and their texts live until it is cleared. */
typedef struct alcore__tree {
    alcore_ctx *ctx;
    const char *path; /* the caller's */
    alcore__arena arena;
    const alcore__node *root;
} alcore__tree;

/* Reads a file of at most 16 MiB. ALCORE_E_DATA names the line. A failure leaves nothing to
 * clear. */
alcore_status alcore__tree_read(alcore_ctx *ctx, const char *path, alcore__tree *out);
void alcore__tree_clear(alcore__tree *tree);

/* ALCORE_E_DATA "PATH:LINE: ...". */
alcore_status alcore__tree_fail(const alcore__tree *tree, const alcore__node *node,
                                const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The member of an object; NULL: there is none, or object is NULL. */
const alcore__node *alcore__node_find(const alcore__node *object, const char *key);

/* The kinds of values of members. */
typedef enum alcore__tree_kind {
    MEMBER_TEXT,   /* const char *: a string that is not empty */
    MEMBER_NUMBER, /* double from 0 on */
    MEMBER_SHARE,  /* double from 0 on and below 1 */
    MEMBER_ABOVE,  /* double above 0 */
    MEMBER_COUNT,  /* int64_t from 0 on */
    MEMBER_FLAG,   /* int32_t: true or false */
    MEMBER_CHOICE, /* int32_t: the value of an enum that a word names */
    MEMBER_OBJECT, /* const alcore__node *: an object */
    MEMBER_LIST,   /* const alcore__node *: an array that is not empty */
    MEMBER_ANY     /* const alcore__node * */
} alcore__tree_kind;

/* A member of an object, and where its value is kept. */
typedef struct alcore__tree_member {
    const char *name;
    alcore__tree_kind kind;
    size_t offset; /* in the struct that the object is read into */
    bool required;
    const char *choices; /* "a|b": values of an enum, one after the other */
    int32_t first;       /* the first of them */
} alcore__tree_member;

/* Reads an object into a struct, of which members that the object lacks stay. where: the object,
 * such as "domains[0]." before the names of its members; "" for the outermost. */
alcore_status alcore__tree_object(const alcore__tree *tree, const alcore__node *object,
                                  const char *where, const alcore__tree_member *members,
                                  size_t count, void *out);

#endif
