/* SPDX-License-Identifier: Apache-2.0 */
/* The graph that an expression becomes (pattern.h): pattern_read.c makes it, pattern.c matches with
 * it. All of it lies in the arena of the part. */
#ifndef ALCORE__PATTERN_NODES_H
#define ALCORE__PATTERN_NODES_H

#include "tokenizer/pattern.h"

/* A set of characters: those for which one of the conditions holds; `negated`: those for which none
 * does. */
typedef struct alcore__point_set {
    uint32_t categories;                            /* bit c: utf8proc's category c */
    bool space, not_space, word, not_word, negated; /* \s \S \w \W */
    int32_t (*range)[2];                            /* [ranges] first and last, both included */
    size_t ranges;
    uint8_t ascii[128]; /* 1: the ASCII character is in the set, all conditions considered */
} alcore__point_set;

typedef enum alcore__node_kind {
    NODE_MATCH,  /* the end of the expression, or of what NODE_LOOK looks for: all of it matched */
    NODE_SET,    /* characters of a set, `least` to `most` times */
    NODE_EITHER, /* one of two ways on; `next` is not used */
    NODE_LOOK,   /* lookahead: whether `first` matches here, without moving */
    NODE_BEGIN,  /* ^, which is the beginning of the whole text */
    NODE_END     /* $, which is the end of the whole text */
} alcore__node_kind;

/* A step of the match, after which comes `next`; NULL only for NODE_MATCH and NODE_EITHER. */
struct alcore__pattern_node {
    alcore__node_kind kind;
    bool negative;                /* NODE_LOOK: what follows must not match */
    bool possessive;              /* NODE_SET: matches as often as it can, without backtracking */
    uint32_t least, most;         /* NODE_SET: how often; most UINT32_MAX: without a limit */
    const alcore__point_set *set; /* NODE_SET */
    const alcore__pattern_node *next;
    const alcore__pattern_node *first;  /* NODE_EITHER, NODE_LOOK: what is tried first */
    const alcore__pattern_node *second; /* NODE_EITHER: what is tried then */
};

#endif
