/* SPDX-License-Identifier: Apache-2.0 */
/* The graph that an expression becomes (pattern.h): pattern_read.c makes it, pattern.c walks it. */
#ifndef ALCORE__PATTERN_NODES_H
#define ALCORE__PATTERN_NODES_H

#include "tokenizer/pattern.h"

/* Characters. A character is in the set when one of the conditions holds, and `negated` does not,
 * or the other way round. */
typedef struct alcore__point_set {
    uint32_t categories; /* bit c: utf8proc's category c */
    bool space, not_space, word, not_word, negated;
    int32_t (*range)[2]; /* [ranges] first and last, both included */
    size_t ranges;
    uint8_t ascii[128]; /* 1: the ASCII character is in the set, all conditions considered */
} alcore__point_set;

typedef enum alcore__node_kind {
    NODE_MATCH,
    NODE_SET,
    NODE_EITHER,
    NODE_LOOK,
    NODE_BEGIN,
    NODE_END
} alcore__node_kind;

/* A step of the match, after which comes `next`. */
struct alcore__pattern_node {
    alcore__node_kind kind;
    bool negative;                /* NODE_LOOK: what follows must not match */
    bool possessive;              /* NODE_SET: takes all it can, and never gives back */
    uint32_t least, most;         /* NODE_SET: how often */
    const alcore__point_set *set; /* NODE_SET */
    const alcore__pattern_node *next;
    const alcore__pattern_node *first;  /* NODE_EITHER, NODE_LOOK: what is tried first */
    const alcore__pattern_node *second; /* NODE_EITHER: what is tried then */
};

#endif
